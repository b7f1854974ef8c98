/* basis.c - blocks, their centring, and vectors in the new coordinates. */
#include "base/index.h"
#include "base/union.h"
#include "model/equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ blocks */

static int64_t first_feature(const foray_model *model, int64_t generator_set)
{
    return model->feat_start[model->gen_start[generator_set]];
}

/* Two coordinates that some (s,a) has both belong together. parent[i] = -1: unused. */
static void join_generator_sets(const foray_model *model, int32_t *parent)
{
    int64_t features = first_feature(model, model->generator_sets);
    for (int64_t i = 0; i < model->dim; i++)
        parent[i] = -1;
    for (int64_t k = 0; k < features; k++)
        parent[model->feat_index[k]] = model->feat_index[k];
    for (int64_t generator_set = 0; generator_set < model->generator_sets; generator_set++)
        for (int64_t k = first_feature(model, generator_set) + 1;
             k < first_feature(model, generator_set + 1); k++)
            fy_union_join(parent, model->feat_index[k - 1], model->feat_index[k]);
}

/* Numbers the components by their smallest coordinates; turns parents into blocks.
 * A root precedes its component, so that its block is known when others ask. */
static int64_t number_components(int32_t *parent, int32_t *block_of_coord, int64_t dim)
{
    int64_t blocks = 0;
    for (int32_t i = 0; i < dim; i++) {
        if (parent[i] < 0)
            block_of_coord[i] = -1;
        else if (parent[i] == i)
            block_of_coord[i] = (int32_t)blocks++;
        else
            block_of_coord[i] = block_of_coord[fy_union_root(parent, i)];
    }
    return blocks;
}

static foray_status find_components(foray_context *ctx, const foray_model *model,
                                    int32_t *block_of_coord, int64_t *blocks)
{
    int32_t *parent;
    if (!FY_ALLOC(ctx, parent, model->dim))
        return FORAY_ERROR_MEMORY;
    join_generator_sets(model, parent);
    *blocks = number_components(parent, block_of_coord, model->dim);
    free(parent);
    return FORAY_OK;
}

static foray_status find_blocks(foray_context *ctx, fy_basis *basis)
{
    basis->blocks = 1;
    if (!basis->blocked)
        return FORAY_OK; /* block_of_coord is zero everywhere */
    return find_components(ctx, basis->model, basis->block_of_coord, &basis->blocks);
}

/* Which coordinates does each block have? */
static foray_status list_coordinates(fy_basis *basis)
{
    int64_t dim = basis->model->dim;
    if (!FY_NEW(&basis->arena, basis->block, basis->blocks) ||
        !FY_NEW(&basis->arena, basis->coord_storage, dim))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < dim; i++)
        if (basis->block_of_coord[i] >= 0)
            basis->local_of_coord[i] = basis->block[basis->block_of_coord[i]].coords++;
    int32_t *start = basis->coord_storage;
    for (int64_t g = 0; g < basis->blocks; g++) {
        fy_block *block = &basis->block[g];
        block->coord = start;
        block->dim = block->coords;
        start += block->coords;
        if (block->coords > basis->max_coords)
            basis->max_coords = block->coords;
    }
    for (int64_t i = 0; i < dim; i++)
        if (basis->block_of_coord[i] >= 0) {
            const fy_block *block = &basis->block[basis->block_of_coord[i]];
            basis->coord_storage[block->coord - basis->coord_storage + basis->local_of_coord[i]] =
                (int32_t)i;
        }
    return FORAY_OK;
}

static foray_status assign_generator_sets(foray_context *ctx, fy_basis *basis)
{
    const foray_model *model = basis->model;
    for (int64_t generator_set = 0; generator_set < model->generator_sets; generator_set++) {
        int64_t k = first_feature(model, generator_set);
        if (k == first_feature(model, generator_set + 1))
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           FY_AT_PAIR ": all features are 0, so probabilities cannot sum to 1",
                           FY_PAIR(model, model->generator_set_pair[generator_set]));
        basis->block_of_generator_set[generator_set] = basis->block_of_coord[model->feat_index[k]];
        if (fy_generator_set_size(model, generator_set) > basis->max_generators)
            basis->max_generators = fy_generator_set_size(model, generator_set);
    }
    return FORAY_OK;
}

/* ------------------------------------------------ the solution of equations */

/* The solution of the equations of one block:
 *
 *     theta_0  of minimum norm with <w, theta_0> = 1 for every equation w
 *     N        an orthonormal basis of the complement of their span
 *
 * by Householder's QR factorisation with column pivoting of the matrix whose
 * columns are the equations. It is written out rather than LAPACK's: blocks are
 * small, and sums must not depend on the number of threads. */

/* Blocks with more coordinates than this have no place in a dense matrix. */
enum { MAX_COORDS = 4096 };

typedef struct centre_solver {
    fy_arena arena;
    int32_t coords;
    int32_t rank;      /* of the equations so far; coords - rank unknowns are left */
    int64_t columns;   /* in the matrix at hand */
    double *column;    /* [room][coords]: reflectors below R once factorised */
    double *right;     /* [room] right-hand side of each column */
    double *beta;      /* [max_coords] of the reflectors */
    double *solution;  /* [max_coords] theta_0 */
    double *workspace; /* [max_coords] */
    int64_t *source;   /* [room] equation behind each column */
} centre_solver;

/* An equation whose direction is within this of the span of others says nothing new. */
static const double rank_tolerance = 1e-9;

static void destroy_centre(centre_solver *centre)
{
    fy_arena_release(&centre->arena);
}

/* Room for blocks of up to `max_coords` coordinates. */
static foray_status create_centre(foray_context *ctx, int32_t max_coords, centre_solver *out)
{
    /* The equations chosen so far, and as many new ones as there are coordinates. */
    int64_t room = 2 * (int64_t)max_coords;
    *out = (centre_solver){.arena.ctx = ctx};
    if (FY_NEW(&out->arena, out->column, room * max_coords) &&
        FY_NEW(&out->arena, out->right, room) && FY_NEW(&out->arena, out->source, room) &&
        FY_NEW(&out->arena, out->beta, max_coords) &&
        FY_NEW(&out->arena, out->solution, max_coords) &&
        FY_NEW(&out->arena, out->workspace, max_coords))
        return FORAY_OK;
    destroy_centre(out);
    return FORAY_ERROR_MEMORY;
}

/* ------------------------------------------------------------------ columns */

/* The equation <w, theta> = 1 as the column w / ||w||, with 1 / ||w|| on the right. */
static void load_column(centre_solver *centre, const fy_equations *equations, int64_t source)
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

static void swap_columns(centre_solver *centre, int64_t a, int64_t b)
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
static void reflect(const centre_solver *centre, int32_t k, double *x)
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
static void make_reflector(centre_solver *centre, int32_t k, double norm)
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
static int64_t find_pivot(const centre_solver *centre, int32_t k, double *norm)
{
    int64_t pivot = k;
    double max = 0;
    for (int64_t j = k; j < centre->columns; j++) {
        double square = tail_square(centre->column + j * centre->coords, k, centre->coords);
        if (square > max) {
            max = square;
            pivot = j;
        }
    }
    *norm = sqrt(max);
    return pivot;
}

/* QR with column pivoting, until nothing new is left. */
static void factorise(centre_solver *centre)
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
static void back_to_theta(centre_solver *centre)
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
static void solve_equations(centre_solver *centre, const fy_equations *equations, int64_t block,
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
static void complement_basis(centre_solver *centre, double *basis)
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

/* ---------------------------------------------------------------- centring */

/* Solutions are found once for all blocks with equal equations: those are of one *form*. Where
 * every (s,a) has a law of its own there are as many blocks as pairs, but hardly more forms than
 * numbers of successors; so equations are collected for some of the blocks at a time, and kept of
 * forms alone. */
typedef struct form {
    int32_t coords, dim;
    size_t theta0_at; /* where in the storage; N follows theta_0 */
} form;

typedef struct solutions {
    fy_arena arena;
    centre_solver centre;
    fy_equations equations; /* of the first block of each form */
    int64_t forms, room;
    form *form;            /* [forms] */
    int32_t *form_of;      /* [blocks] */
    fy_index index;        /* of forms, by the equations of their first blocks */
    size_t used, capacity; /* of the storage */
} solutions;

static void free_solutions(solutions *s)
{
    destroy_centre(&s->centre);
    fy_equations_destroy(&s->equations);
    fy_index_free(&s->index);
    fy_arena_release(&s->arena);
}

static foray_status reserve(fy_basis *basis, solutions *s, size_t count)
{
    size_t needed = s->used + count;
    if (needed <= s->capacity)
        return FORAY_OK;
    size_t capacity = needed + s->capacity / 2;
    double *storage = fy_arena_resize(&basis->arena, basis->storage, capacity, sizeof *storage);
    if (!storage)
        return FORAY_ERROR_MEMORY;
    basis->storage = storage;
    s->capacity = capacity;
    return FORAY_OK;
}

/* Room for one more form. */
static foray_status reserve_form(solutions *s)
{
    if (s->forms < s->room)
        return FORAY_OK;
    int64_t room = 8 + s->room + s->room / 2;
    form *grown = fy_arena_resize(&s->arena, s->form, (size_t)room, sizeof *grown);
    if (!grown)
        return FORAY_ERROR_MEMORY;
    s->form = grown;
    s->room = room;
    if (!fy_index_create(s->arena.ctx, &s->index, room))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < s->forms; i++)
        fy_index_add(&s->index, fy_equations_hash(&s->equations, i), i);
    return FORAY_OK;
}

/* A form of its own for block g, which is `at` of the equations. */
static foray_status solve_block(foray_context *ctx, fy_basis *basis, solutions *s,
                                const fy_equations *equations, int64_t at, int64_t g)
{
    fy_block *block = &basis->block[g];
    solve_equations(&s->centre, equations, at, block->coords);
    block->dim = block->coords - s->centre.rank;
    size_t coords = (size_t)block->coords, size = coords * (1 + (size_t)block->dim);
    foray_status status = reserve(basis, s, size);
    if (status == FORAY_OK)
        status = fy_equations_add(ctx, &s->equations, equations, at);
    if (status != FORAY_OK)
        return status;
    s->form[s->forms] = (form){block->coords, block->dim, s->used};
    s->form_of[g] = (int32_t)s->forms++;
    memcpy(basis->storage + s->used, s->centre.solution, coords * sizeof(double));
    complement_basis(&s->centre, basis->storage + s->used + coords);
    s->used += size;
    return FORAY_OK;
}

/* Takes over the solution of an equal block, if there is one; otherwise a place is taken for it. */
static bool share_solution(fy_basis *basis, solutions *s, const fy_equations *equations, int64_t at,
                           int64_t g)
{
    uint64_t place = fy_index_start(fy_equations_hash(equations, at));
    for (int64_t old; (old = fy_index_at(&s->index, place)) >= 0; place++) {
        if (s->form[old].coords == basis->block[g].coords &&
            fy_equations_equal(equations, at, &s->equations, old)) {
            basis->block[g].dim = s->form[old].dim;
            s->form_of[g] = (int32_t)old;
            return true;
        }
    }
    fy_index_put(&s->index, place, s->forms);
    return false;
}

static foray_status check_block_sizes(foray_context *ctx, const fy_basis *basis)
{
    if (!basis->centred || basis->max_coords <= MAX_COORDS)
        return FORAY_OK;
    const foray_model *model = basis->model;
    int64_t generator_set = 0;
    while (basis->block[basis->block_of_generator_set[generator_set]].coords <= MAX_COORDS)
        generator_set++;
    return fy_fail(ctx, FORAY_ERROR_INPUT,
                   FY_AT_PAIR ": its block has %d feature coordinates, more than the %d that can "
                              "be handled",
                   FY_PAIR(model, model->generator_set_pair[generator_set]), basis->max_coords,
                   MAX_COORDS);
}

/* theta_0 = 0 and N = I. */
static foray_status leave_uncentred(fy_basis *basis)
{
    if (!FY_NEW(&basis->arena, basis->storage, basis->max_coords))
        return FORAY_ERROR_MEMORY;
    for (int64_t g = 0; g < basis->blocks; g++)
        basis->block[g].theta0 = basis->storage;
    basis->bytes += (int64_t)basis->max_coords * (int64_t)sizeof(double);
    return FORAY_OK;
}

/* Where theta_0 and N of all blocks are, now that the storage moves no more. */
static void place_solutions(fy_basis *basis, const solutions *s)
{
    for (int64_t g = 0; g < basis->blocks; g++) {
        basis->block[g].theta0 = basis->storage + s->form[s->form_of[g]].theta0_at;
        basis->block[g].basis = basis->block[g].theta0 + basis->block[g].coords;
    }
    basis->bytes += (int64_t)(s->used * sizeof(double));
}

/* p_0 = <phi, theta_0> of a generator set. They sum to <psi_1, theta_0>, which is 1
 * where the equations have a solution; scale is sum |phi_i|, what rounding goes by. */
static void find_p0(fy_basis *basis, int64_t generator_set, double *sum, double *scale)
{
    const foray_model *model = basis->model;
    const fy_block *block = &basis->block[basis->block_of_generator_set[generator_set]];
    *sum = *scale = 0;
    for (int64_t gen = model->gen_start[generator_set]; gen < model->gen_start[generator_set + 1];
         gen++) {
        double p = 0;
        for (int64_t k = model->feat_start[gen]; k < model->feat_start[gen + 1]; k++) {
            p += model->feat_value[k] * block->theta0[basis->local_of_coord[model->feat_index[k]]];
            *scale += fabs(model->feat_value[k]);
        }
        basis->p0[gen] = p;
        *sum += p;
    }
}

static foray_status find_kernel(foray_context *ctx, fy_basis *basis)
{
    const foray_model *model = basis->model;
    for (int64_t generator_set = 0; generator_set < model->generator_sets; generator_set++) {
        double sum, scale;
        find_p0(basis, generator_set, &sum, &scale);
        if (!(fabs(sum - 1) <= FY_MODEL_TOLERANCE * (1 + scale * model->norm_bound)))
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           FY_AT_PAIR ": no theta makes the probabilities sum to 1 here and "
                                      "everywhere else (the nearest one gives %.9g)",
                           FY_PAIR(model, model->generator_set_pair[generator_set]), sum);
    }
    return FORAY_OK;
}

/* ------------------------------------------------------------- norm bounds */

void fy_model_mark_nonnegative(const foray_model *model, bool *nonnegative)
{
    int64_t generators = model->gen_start[model->generator_sets];
    for (int64_t gen = 0; gen < generators; gen++) {
        int64_t k = model->feat_start[gen];
        if (model->feat_start[gen + 1] == k + 1 && model->feat_value[k] > 0)
            nonnegative[model->feat_index[k]] = true;
    }
}

static bool all_nonnegative(const fy_block *block, const bool *nonnegative)
{
    for (int32_t i = 0; i < block->coords; i++)
        if (!nonnegative[block->coord[i]])
            return false;
    return true;
}

/* theta in {theta >= 0, <w, theta> = 1} with w > 0: a simplex with the corners
 * e_i / w_i. z = N'(theta - theta_0) = N'theta, since N'theta_0 = 0, is longest at one.
 * N [coords][dim] is NULL where it is the identity. */
static double simplex_bound(const fy_block *block, const double *N, const fy_equation *row)
{
    double max = 0;
    if (row->count < block->coords)
        return INFINITY;
    for (int32_t i = 0; i < block->coords; i++) {
        if (!(row->value[i] > 0))
            return INFINITY;
        double square = N ? 0 : 1;
        for (int32_t j = 0; N && j < block->dim; j++) {
            double entry = N[(int64_t)i * block->dim + j];
            square += entry * entry;
        }
        max = fmax(max, sqrt(square) / row->value[i]);
    }
    return max;
}

/* ||z*||^2 <= B^2 - ||theta_0||^2. A check lets ||theta|| be above B by 1e-9 of it,
 * hence ||z*|| by about 5e-5 B where that difference is nothing. */
static double ball_bound(const fy_basis *basis)
{
    double B = basis->model->norm_bound, square = B * B;
    for (int64_t g = 0; g < basis->blocks; g++)
        for (int32_t i = 0; i < basis->block[g].coords; i++)
            square -= basis->block[g].theta0[i] * basis->block[g].theta0[i];
    return fmax(1e-4 * B, sqrt(fmax(0, square)));
}

/* The least of these bounds over the equations of a block, which is `at` of them. */
static double simplices_bound(const fy_block *block, const double *N, const fy_equations *equations,
                              int64_t at, const bool *nonnegative)
{
    double min = INFINITY;
    if (!all_nonnegative(block, nonnegative))
        return min;
    for (int64_t e = equations->start[at]; e < equations->start[at + 1]; e++)
        min = fmin(min, simplex_bound(block, N, &equations->equation[e]));
    return min;
}

static void bound_norms(fy_basis *basis)
{
    double ball = ball_bound(basis);
    for (int64_t g = 0; g < basis->blocks; g++) {
        fy_block *block = &basis->block[g];
        block->norm_bound = fmin(ball, block->norm_bound);
        /* Nothing unknown: any bound is true, and lambda = B^-2 stays a number. */
        if (block->dim == 0)
            block->norm_bound = 1;
    }
}

/* ------------------------------------------------------- blocks, some at a time */

static foray_status centre_block(foray_context *ctx, fy_basis *basis, solutions *s,
                                 const fy_equations *equations, int64_t at, int64_t g,
                                 const bool *nonnegative)
{
    foray_status status = FORAY_OK;
    const double *N = NULL;
    if (basis->centred) {
        status = reserve_form(s);
        if (status == FORAY_OK && !share_solution(basis, s, equations, at, g))
            status = solve_block(ctx, basis, s, equations, at, g);
        if (status != FORAY_OK)
            return status;
        N = basis->storage + s->form[s->form_of[g]].theta0_at + basis->block[g].coords;
    }
    basis->block[g].norm_bound = simplices_bound(&basis->block[g], N, equations, at, nonnegative);
    return status;
}

/* Equations of a share of all blocks are as many as fit beside a model: a few MB, or a 64th of what
 * all would take, since each share looks at all generator sets. */
static int64_t share_of_blocks(const fy_basis *basis)
{
    enum { FEW = 1 << 14, SHARES = 64 };
    return basis->blocks / SHARES > FEW ? basis->blocks / SHARES : FEW;
}

static foray_status centre_blocks(foray_context *ctx, fy_basis *basis, solutions *s,
                                  const bool *nonnegative)
{
    int64_t share = share_of_blocks(basis);
    foray_status status = FORAY_OK;
    for (int64_t first = 0; first < basis->blocks && status == FORAY_OK; first += share) {
        int64_t count = basis->blocks - first < share ? basis->blocks - first : share;
        fy_equations equations = {0};
        status = fy_equations_create(ctx, basis, first, count, &equations);
        for (int64_t i = 0; i < count && status == FORAY_OK; i++)
            status = centre_block(ctx, basis, s, &equations, i, first + i, nonnegative);
        fy_equations_destroy(&equations);
    }
    return status;
}

/* theta_0, N and what the simplex says about norms, of every block. */
static foray_status solve_blocks(foray_context *ctx, fy_basis *basis)
{
    solutions s = {.arena.ctx = ctx};
    bool *nonnegative = NULL;
    foray_status status = FORAY_OK;
    if (!FY_NEW(&s.arena, nonnegative, basis->model->dim))
        return FORAY_ERROR_MEMORY;
    fy_model_mark_nonnegative(basis->model, nonnegative);
    if (basis->centred)
        status = create_centre(ctx, basis->max_coords, &s.centre);
    if (status == FORAY_OK && basis->centred && !FY_NEW(&s.arena, s.form_of, basis->blocks))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = centre_blocks(ctx, basis, &s, nonnegative);
    if (status == FORAY_OK && basis->centred)
        place_solutions(basis, &s);
    free_solutions(&s);
    return status;
}

/* ---------------------------------------------------------------- creation */

static foray_status allocate_basis(fy_basis *basis)
{
    const foray_model *model = basis->model;
    int64_t generators = model->gen_start[model->generator_sets];
    if (!FY_NEW(&basis->arena, basis->block_of_coord, model->dim) ||
        !FY_NEW(&basis->arena, basis->local_of_coord, model->dim) ||
        !FY_NEW(&basis->arena, basis->block_of_generator_set, model->generator_sets) ||
        !FY_NEW(&basis->arena, basis->p0, generators))
        return FORAY_ERROR_MEMORY;
    basis->bytes =
        (int64_t)sizeof *basis + 12 * model->dim + 4 * model->generator_sets + 8 * generators;
    return FORAY_OK;
}

static void sum_up(fy_basis *basis)
{
    for (int64_t g = 0; g < basis->blocks; g++) {
        basis->unknowns += basis->block[g].dim;
        if (basis->block[g].dim > basis->max_dim)
            basis->max_dim = basis->block[g].dim;
    }
    basis->bytes += basis->blocks * (int64_t)sizeof *basis->block;
}

static foray_status derive(foray_context *ctx, fy_basis *basis)
{
    foray_status status = allocate_basis(basis);
    if (status == FORAY_OK)
        status = find_blocks(ctx, basis);
    if (status == FORAY_OK)
        status = list_coordinates(basis);
    if (status == FORAY_OK)
        status = assign_generator_sets(ctx, basis);
    if (status == FORAY_OK)
        status = check_block_sizes(ctx, basis);
    if (status == FORAY_OK)
        status = solve_blocks(ctx, basis);
    if (status == FORAY_OK)
        status = basis->centred ? find_kernel(ctx, basis) : leave_uncentred(basis);
    if (status == FORAY_OK)
        bound_norms(basis);
    return status;
}

foray_status fy_basis_create(foray_context *ctx, const foray_model *model, bool centred,
                             bool blocked, fy_basis **out)
{
    fy_basis *basis;
    if (!FY_ALLOC(ctx, basis, 1))
        return FORAY_ERROR_MEMORY;
    basis->arena.ctx = ctx;
    basis->model = model;
    basis->centred = centred;
    basis->blocked = blocked;
    foray_status status = derive(ctx, basis);
    if (status != FORAY_OK) {
        fy_basis_destroy(basis);
        return status;
    }
    sum_up(basis);
    *out = basis;
    return FORAY_OK;
}

void fy_basis_destroy(fy_basis *basis)
{
    if (!basis)
        return;
    fy_arena_release(&basis->arena);
    free(basis);
}

/* ------------------------------------------------- vectors in the coordinates of a basis */

/* phi' = N' phi, psi' = N' psi, theta = theta_0 + N z. */

/* out += weight * N' e_i, for coordinate i of a block. */
static inline void add_coordinate(const fy_block *block, int32_t i, double weight, double *out)
{
    if (!block->basis) {
        out[i] += weight;
        return;
    }
    const double *row = block->basis + (int64_t)i * block->dim;
    for (int32_t j = 0; j < block->dim; j++)
        out[j] += weight * row[j];
}

void fy_basis_generators(const fy_basis *basis, int64_t generator_set, double *out)
{
    const foray_model *model = basis->model;
    const fy_block *block = &basis->block[basis->block_of_generator_set[generator_set]];
    int64_t first = model->gen_start[generator_set],
            n = fy_generator_set_size(model, generator_set);
    memset(out, 0, (size_t)n * (size_t)block->dim * sizeof *out);
    for (int64_t gen = first; gen < first + n; gen++, out += block->dim)
        for (int64_t k = model->feat_start[gen]; k < model->feat_start[gen + 1]; k++)
            add_coordinate(block, basis->local_of_coord[model->feat_index[k]], model->feat_value[k],
                           out);
}

/* psi_f over the block's coordinates first, then N': N is touched once. */
void fy_basis_psi(const fy_basis *basis, int64_t generator_set, const double *f, double *out,
                  double *scratch)
{
    const foray_model *model = basis->model;
    const fy_block *block = &basis->block[basis->block_of_generator_set[generator_set]];
    int64_t first = model->gen_start[generator_set],
            n = fy_generator_set_size(model, generator_set);
    double *psi = block->basis ? scratch : out;
    memset(psi, 0, (size_t)block->coords * sizeof *psi);
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = model->feat_start[first + j]; k < model->feat_start[first + j + 1]; k++)
            psi[basis->local_of_coord[model->feat_index[k]]] += f[j] * model->feat_value[k];
    if (!block->basis)
        return;
    memset(out, 0, (size_t)block->dim * sizeof *out);
    for (int32_t i = 0; i < block->coords; i++)
        if (psi[i] != 0)
            add_coordinate(block, i, psi[i], out);
}

double fy_basis_offset(const fy_basis *basis, int64_t generator_set, const double *f)
{
    const double *p0 = basis->p0 + basis->model->gen_start[generator_set];
    int64_t n = fy_generator_set_size(basis->model, generator_set);
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += f[j] * p0[j];
    return sum;
}

void fy_basis_theta(const fy_basis *basis, int64_t block, const double *z, double *theta)
{
    const fy_block *b = &basis->block[block];
    for (int32_t i = 0; i < b->coords; i++) {
        double value = b->basis ? b->theta0[i] : z[i];
        for (int32_t j = 0; b->basis && j < b->dim; j++)
            value += b->basis[(int64_t)i * b->dim + j] * z[j];
        theta[b->coord[i]] = value;
    }
}

void fy_basis_coordinates(const fy_basis *basis, int64_t block, const double *theta, double *z)
{
    const fy_block *b = &basis->block[block];
    memset(z, 0, (size_t)b->dim * sizeof *z);
    for (int32_t i = 0; i < b->coords; i++)
        add_coordinate(b, i, theta[b->coord[i]] - b->theta0[i], z);
}
