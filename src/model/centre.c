/* centre.c - minimum-norm solution and null space of a block's equations. */
#include "model/centre.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An equation whose direction is within this of the span of others says nothing new. */
static const double rank_tolerance = 1e-9;

foray_status fy_centre_create(foray_context *ctx, int32_t most_coords, fy_centre *out)
{
    /* The equations chosen so far, and as many new ones as there are coordinates. */
    int64_t room = 2 * (int64_t)most_coords;
    fy_centre centre = {0};
    if (FY_ALLOC(ctx, centre.column, room * most_coords) && FY_ALLOC(ctx, centre.right, room) &&
        FY_ALLOC(ctx, centre.source, room) && FY_ALLOC(ctx, centre.beta, most_coords) &&
        FY_ALLOC(ctx, centre.solution, most_coords) &&
        FY_ALLOC(ctx, centre.workspace, most_coords)) {
        *out = centre;
        return FORAY_OK;
    }
    fy_centre_destroy(&centre);
    return FORAY_ERROR_MEMORY;
}

void fy_centre_destroy(fy_centre *centre)
{
    free(centre->column);
    free(centre->right);
    free(centre->source);
    free(centre->beta);
    free(centre->solution);
    free(centre->workspace);
}

/* ------------------------------------------------------------------ columns */

/* The equation <w, theta> = 1 as the column w / ||w||, with 1 / ||w|| on the right. */
static void load_column(fy_centre *centre, const fy_equations *equations, int64_t source)
{
    const fy_equation *row = &equations->equation[source];
    double *column = centre->column + centre->columns * centre->coords;
    double square = 0;
    for (int32_t k = 0; k < row->count; k++)
        square += row->value[k] * row->value[k];
    double scale = square > 0 ? 1 / sqrt(square) : 0;
    memset(column, 0, (size_t)centre->coords * sizeof *column);
    for (int32_t k = 0; k < row->count; k++)
        column[row->index[k]] = row->value[k] * scale;
    centre->right[centre->columns] = scale;
    centre->source[centre->columns] = source;
    centre->columns++;
}

static void swap_columns(fy_centre *centre, int64_t a, int64_t b)
{
    if (a == b)
        return;
    size_t size = (size_t)centre->coords * sizeof(double);
    double *left = centre->column + a * centre->coords,
           *right = centre->column + b * centre->coords;
    memcpy(centre->workspace, left, size);
    memcpy(left, right, size);
    memcpy(right, centre->workspace, size);
    double value = centre->right[a];
    centre->right[a] = centre->right[b];
    centre->right[b] = value;
    int64_t source = centre->source[a];
    centre->source[a] = centre->source[b];
    centre->source[b] = source;
}

/* --------------------------------------------------------------- reflectors */

static double tail_square(const double *vector, int32_t from, int32_t count)
{
    double square = 0;
    for (int32_t i = from; i < count; i++)
        square += vector[i] * vector[i];
    return square;
}

/* x <- x - beta v (v'x), with v = (0,..,0, 1, column[k+1..]) of the k-th reflector. */
static void reflect(const fy_centre *centre, int32_t k, double *x)
{
    const double *v = centre->column + (int64_t)k * centre->coords;
    double dot = x[k];
    for (int32_t i = k + 1; i < centre->coords; i++)
        dot += v[i] * x[i];
    dot *= centre->beta[k];
    x[k] -= dot;
    for (int32_t i = k + 1; i < centre->coords; i++)
        x[i] -= dot * v[i];
}

/* Turns column k into its reflector, with R(k,k) on the diagonal. */
static void make_reflector(fy_centre *centre, int32_t k, double norm)
{
    double *column = centre->column + (int64_t)k * centre->coords;
    double diagonal = column[k] > 0 ? -norm : norm;
    double head = column[k] - diagonal;
    centre->beta[k] = -head / diagonal;
    for (int32_t i = k + 1; i < centre->coords; i++)
        column[i] /= head;
    column[k] = diagonal;
}

/* Which of the columns k.. has most left below row k? The first of equals. */
static int64_t find_pivot(const fy_centre *centre, int32_t k, double *norm)
{
    int64_t pivot = k;
    double most = 0;
    for (int64_t j = k; j < centre->columns; j++) {
        double square = tail_square(centre->column + j * centre->coords, k, centre->coords);
        if (square > most) {
            most = square;
            pivot = j;
        }
    }
    *norm = sqrt(most);
    return pivot;
}

/* QR with column pivoting, until nothing new is left. */
static void factorise(fy_centre *centre)
{
    centre->rank = 0;
    while (centre->rank < centre->coords && centre->rank < centre->columns) {
        int32_t k = centre->rank;
        double norm;
        int64_t pivot = find_pivot(centre, k, &norm);
        if (norm <= rank_tolerance)
            return;
        swap_columns(centre, k, pivot);
        make_reflector(centre, k, norm);
        for (int64_t j = k + 1; j < centre->columns; j++)
            reflect(centre, k, centre->column + j * centre->coords);
        centre->rank++;
    }
}

/* ----------------------------------------------------------------- solution */

static int compare_sources(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* W P = Q R;  W'theta = c  becomes  R'(Q'theta) = P'c:  t = R^-T c,  theta_0 = Q (t, 0). */
static void back_to_theta(fy_centre *centre)
{
    double *t = centre->solution;
    memset(t, 0, (size_t)centre->coords * sizeof *t);
    for (int32_t i = 0; i < centre->rank; i++) {
        const double *r = centre->column + (int64_t)i * centre->coords;
        double value = centre->right[i];
        for (int32_t k = 0; k < i; k++)
            value -= r[k] * t[k];
        t[i] = value / r[i];
    }
    for (int32_t k = centre->rank; k-- > 0;)
        reflect(centre, k, t);
}

/* Equations come by the batch. Of each batch and what was chosen before, an
 * independent selection stays, so that memory does not grow with their number. */
void fy_centre_solve(fy_centre *centre, const fy_equations *equations, int64_t block,
                     int32_t coords)
{
    int64_t next = equations->start[block], end = equations->start[block + 1];
    centre->coords = coords;
    centre->rank = 0;
    do {
        int32_t chosen = centre->rank;
        qsort(centre->source, (size_t)chosen, sizeof *centre->source, compare_sources);
        centre->columns = 0;
        for (int32_t i = 0; i < chosen; i++)
            load_column(centre, equations, centre->source[i]);
        for (int32_t i = 0; i < coords && next < end; i++)
            load_column(centre, equations, next++);
        factorise(centre);
    } while (next < end);
    back_to_theta(centre);
}

/* The last columns of Q: reflectors applied to unit vectors, last one first. */
void fy_centre_basis(fy_centre *centre, double *basis)
{
    int32_t dim = centre->coords - centre->rank;
    double *column = centre->workspace;
    for (int32_t j = 0; j < dim; j++) {
        memset(column, 0, (size_t)centre->coords * sizeof *column);
        column[centre->rank + j] = 1;
        for (int32_t k = centre->rank; k-- > 0;)
            reflect(centre, k, column);
        for (int32_t i = 0; i < centre->coords; i++)
            basis[(int64_t)i * dim + j] = column[i];
    }
}
