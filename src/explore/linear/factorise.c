/* factorise.c - features phi(s,a) of a tabular world of low rank:
 *
 *   P = U S V'  (singular values s_1 >= s_2 >= ...),  r = how many exceed tolerance * s_1
 *                                                  (and at least 1)
 *   Phi = U_r S_r / c,   M = c V_r',   c = max_(s,a) ||row of U_r S_r||
 *
 * Then P is within tolerance * s_1 of Phi M in the spectral norm, and max ||phi|| = 1.
 *
 * First P = C B, where the rows of B are an orthonormal basis of the rows of P: C has as many
 * columns as P has rank. Then the columns of C are rotated among themselves until they are
 * orthogonal, C G = U S. Written out, in a fixed order of sums: features, and all that follows
 * from them, are the same whatever the number of threads. The work grows with the square of the
 * rank. */
#include "explore/linear/phi.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "learn/dense.h"

typedef struct decomposition {
    int64_t columns;  /* of C */
    double *p;        /* [available] padded rows of [states], one for each pair that exists */
    double *basis;    /* B: [states] padded rows of [states] */
    double *c;        /* [available] padded rows */
    double *scaled;   /* U S: [columns][available], column by column */
    double *singular; /* [columns] */
    int64_t *order;   /* [columns] from the largest singular value to the least */
} decomposition;

/* P(s'|s,a), every pair that exists a row. */
static void fill_kernel(const foray_model *model, double *p)
{
    int64_t width = fy_padded(model->states);
    for (int64_t row = 0; row < model->available; row++) {
        int64_t pair = fy_existing(model, row);
        int64_t first = model->gen_start[model->generator_set[pair]];
        for (int64_t i = model->succ_start[pair]; i < model->succ_start[pair + 1]; i++)
            p[row * width + model->succ[i]] =
                fy_generator_probability(model, model->theta, first + i - model->succ_start[pair]);
    }
}

/* P = C B. Every state has an action, so there are at least as many rows as columns. */
static foray_status reduce(fy_arena *arena, const foray_model *model, decomposition *work)
{
    int64_t width = fy_padded(model->states);
    size_t count;
    if (!fy_size_mul((size_t)model->available, (size_t)width, &count) || count > INT32_MAX)
        return fy_fail(arena->ctx, FORAY_ERROR_USAGE,
                       "pair_features: lowrank, but %" PRId64 " pairs and %" PRId64
                       " states are too many to "
                       "factorise",
                       model->available, model->states);
    if (!FY_NEW(arena, work->p, count) || !FY_NEW(arena, work->c, count) ||
        !FY_NEW(arena, work->basis, model->states * width))
        return FORAY_ERROR_MEMORY;
    fill_kernel(model, work->p);
    work->columns = fy_reduce(model->available, model->states, work->p, work->basis, work->c);
    return FORAY_OK;
}

/* From the largest singular value to the least; the first of equals first. */
static void sort(decomposition *work)
{
    for (int64_t i = 0; i < work->columns; i++) {
        int64_t at = i;
        for (; at > 0 && work->singular[work->order[at - 1]] < work->singular[i]; at--)
            work->order[at] = work->order[at - 1];
        work->order[at] = i;
    }
}

/* C G = U S: the norms of its columns are the singular values. */
static foray_status rotate(fy_arena *arena, const foray_model *model, decomposition *work)
{
    enum { SWEEPS = 60 };
    int64_t pairs = model->available, width = fy_padded(model->states);
    if (!FY_NEW(arena, work->scaled, work->columns * pairs) ||
        !FY_NEW(arena, work->singular, work->columns) || !FY_NEW(arena, work->order, work->columns))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < work->columns; i++)
        for (int64_t pair = 0; pair < pairs; pair++)
            work->scaled[i * pairs + pair] = work->c[pair * width + i];
    fy_orthogonalise(work->columns, pairs, pairs, SWEEPS, work->scaled);
    for (int64_t i = 0; i < work->columns; i++) {
        const double *column = work->scaled + i * pairs;
        work->singular[i] = sqrt(fy_dot(column, column, pairs));
    }
    sort(work);
    return FORAY_OK;
}

/* Row `place` of U_r S_r; returns its norm. */
static double make_row(const foray_model *model, const decomposition *work, int64_t rank,
                       int64_t place, double *row)
{
    double square = 0.0;
    for (int64_t i = 0; i < rank; i++) {
        row[i] = work->scaled[work->order[i] * model->available + place];
        square += row[i] * row[i];
    }
    return sqrt(square);
}

static int64_t count_rank(const decomposition *work, double tolerance)
{
    int64_t rank = 1;
    double min = tolerance * work->singular[work->order[0]];
    while (rank < work->columns && work->singular[work->order[rank]] > min)
        rank++;
    return rank;
}

static foray_status make_rows(fy_arena *arena, const foray_model *model, const decomposition *work,
                              double tolerance, fy_phi_rows *rows)
{
    int64_t rank = count_rank(work, tolerance), pairs = model->pairs;
    if (!FY_NEW(arena, rows->start, pairs + 1) || !FY_NEW(arena, rows->index, pairs * rank) ||
        !FY_NEW(arena, rows->value, pairs * rank))
        return FORAY_ERROR_MEMORY;
    rows->dim = rank;
    double max = 0.0;
    for (int64_t k = 0; k < model->available; k++) {
        double *row = rows->value + fy_existing(model, k) * rank;
        max = fmax(max, make_row(model, work, rank, k, row));
    }
    for (int64_t pair = 0; pair < pairs; pair++) {
        const double *from = rows->value + fy_stand_in(model, pair) * rank;
        rows->start[pair + 1] = (pair + 1) * rank;
        memmove(rows->value + pair * rank, from, (size_t)rank * sizeof *from);
        for (int64_t i = 0; i < rank; i++)
            rows->index[pair * rank + i] = (int32_t)i;
    }
    for (int64_t k = 0; k < pairs * rank; k++)
        rows->value[k] /= max;
    return FORAY_OK;
}

foray_status fy_phi_factorise(fy_arena *arena, const foray_model *model, double tolerance,
                              fy_phi_rows *rows)
{
    if (!model->theta)
        return fy_fail(arena->ctx, FORAY_ERROR_USAGE,
                       "pair_features: lowrank, but the theta of model \"%s\" is not known",
                       model->name);
    decomposition work = {0};
    foray_status status = reduce(arena, model, &work);
    if (status == FORAY_OK)
        status = rotate(arena, model, &work);
    if (status == FORAY_OK)
        status = make_rows(arena, model, &work, tolerance, rows);
    return status;
}
