/* phi.c - features phi(s,a) from one of their sources, laid out in blocks. */
#include "explore/linear/phi.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/union.h"
#include "learn/dense.h"

/* -------------------------------------------------------------------- sources */

static foray_status allocate_rows(fy_arena *arena, int64_t pairs, int64_t count, fy_phi_rows *rows)
{
    if (FY_NEW(arena, rows->start, pairs + 1) && FY_NEW(arena, rows->index, count) &&
        FY_NEW(arena, rows->value, count))
        return FORAY_OK;
    return FORAY_ERROR_MEMORY;
}

static foray_status copy_given(fy_arena *arena, const foray_model *model, fy_phi_rows *rows)
{
    if (model->pair_dim == 0)
        return fy_fail(arena->ctx, FORAY_ERROR_USAGE,
                       "pair_features: given, but model \"%s\" gives no features phi(s,a)",
                       model->name);
    int64_t count = model->pair_start[model->pairs];
    foray_status status = allocate_rows(arena, model->pairs, count, rows);
    if (status != FORAY_OK)
        return status;
    rows->dim = model->pair_dim;
    memcpy(rows->start, model->pair_start, (size_t)(model->pairs + 1) * sizeof *rows->start);
    memcpy(rows->index, model->pair_index, (size_t)count * sizeof *rows->index);
    memcpy(rows->value, model->pair_value, (size_t)count * sizeof *rows->value);
    return FORAY_OK;
}

/* phi(s,a) = e_(s,a), of the pairs that exist; others have what those have that they stand in for.
 */
static foray_status make_onehot(fy_arena *arena, const foray_model *model, fy_phi_rows *rows)
{
    foray_status status = allocate_rows(arena, model->pairs, model->pairs, rows);
    if (status != FORAY_OK)
        return status;
    rows->dim = model->available;
    for (int64_t k = 0; k < model->available; k++)
        rows->index[fy_existing(model, k)] = (int32_t)k;
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        rows->start[pair + 1] = pair + 1;
        rows->index[pair] = rows->index[fy_stand_in(model, pair)];
        rows->value[pair] = 1.0;
    }
    return FORAY_OK;
}

/* ------------------------------------------------------------------ lowrank */

/* Features phi(s,a) of a tabular world of low rank:
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

/* ------------------------------------------------------------------- which */

static foray_status take_source(fy_arena *arena, const foray_model *model, int64_t source,
                                double tolerance, fy_phi_rows *rows)
{
    switch (source) {
    case FY_FEATURES_GIVEN:
        return copy_given(arena, model, rows);
    case FY_FEATURES_ONEHOT:
        return make_onehot(arena, model, rows);
    case FY_FEATURES_LOWRANK:
        return fy_phi_factorise(arena, model, tolerance, rows);
    default:
        return model->pair_dim > 0 ? copy_given(arena, model, rows)
                                   : make_onehot(arena, model, rows);
    }
}

/* --------------------------------------------------------------------- blocks */

/* Where each coordinate lies. Those that no phi has belong to no block. */
typedef struct places {
    int32_t *parent;   /* [dim] */
    int32_t *block;    /* [dim] */
    int32_t *position; /* [dim] within the block */
    bool *used;        /* [dim] */
} places;

static foray_status allocate_places(fy_arena *arena, int64_t dim, places *at)
{
    bool complete = FY_NEW(arena, at->parent, dim) && FY_NEW(arena, at->block, dim) &&
                    FY_NEW(arena, at->position, dim) && FY_NEW(arena, at->used, dim);
    return complete ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* Joins the coordinates of every row; then numbers the components by their lowest
 * coordinate, and the coordinates within each. phi->block_dim has room for dim numbers. */
static void find_blocks(const fy_phi_rows *rows, int64_t pairs, places *at, fy_phi *phi)
{
    for (int32_t c = 0; c < rows->dim; c++)
        at->parent[c] = c;
    for (int64_t pair = 0; pair < pairs; pair++)
        for (int64_t k = rows->start[pair]; k < rows->start[pair + 1]; k++) {
            at->used[rows->index[k]] = true;
            fy_union_join(at->parent, rows->index[rows->start[pair]], rows->index[k]);
        }
    for (int32_t c = 0; c < rows->dim; c++) {
        if (!at->used[c])
            continue;
        int32_t root = fy_union_root(at->parent, c);
        at->block[c] = root == c ? (int32_t)phi->blocks++ : at->block[root];
        at->position[c] = (int32_t)phi->block_dim[at->block[c]]++;
    }
}

/* Sorts pairs by block: count, sum up, fill; in the order of pairs within a block. */
static void lay_out_blocks(const fy_phi_rows *rows, int64_t pairs, const places *at, fy_phi *phi)
{
    for (int64_t pair = 0; pair < pairs; pair++) {
        int32_t g = at->block[rows->index[rows->start[pair]]];
        phi->block_of_pair[pair] = g;
        phi->first_row[g + 1]++;
    }
    for (int64_t g = 0; g < phi->blocks; g++) {
        phi->at_block[g + 1] = phi->at_block[g] + phi->first_row[g + 1] * phi->block_dim[g];
        phi->first_row[g + 1] += phi->first_row[g];
    }
    int64_t *next = phi->first_row; /* used as a cursor, and put back */
    for (int64_t pair = 0; pair < pairs; pair++)
        phi->row_pair[next[phi->block_of_pair[pair]]++] = (int32_t)pair;
    for (int64_t g = phi->blocks; g > 0; g--)
        next[g] = next[g - 1];
    next[0] = 0;
    for (int64_t g = 0; g < phi->blocks; g++)
        for (int64_t row = next[g]; row < next[g + 1]; row++)
            phi->at_pair[phi->row_pair[row]] =
                phi->at_block[g] + (row - next[g]) * phi->block_dim[g];
}

static void fill_values(const fy_phi_rows *rows, int64_t pairs, const places *at, fy_phi *phi)
{
    for (int64_t pair = 0; pair < pairs; pair++)
        for (int64_t k = rows->start[pair]; k < rows->start[pair + 1]; k++)
            phi->value[phi->at_pair[pair] + at->position[rows->index[k]]] = rows->value[k];
}

/* ------------------------------------------------------------------ the whole */

static foray_status arrange(fy_arena *arena, fy_arena *scratch, const fy_phi_rows *rows,
                            int64_t pairs, fy_phi *phi)
{
    places at;
    phi->dim = rows->dim;
    foray_status status = allocate_places(scratch, rows->dim, &at);
    if (status != FORAY_OK || !FY_NEW(arena, phi->block_dim, rows->dim))
        return FORAY_ERROR_MEMORY;
    find_blocks(rows, pairs, &at, phi);
    if (!FY_NEW(arena, phi->block_of_pair, pairs) ||
        !FY_NEW(arena, phi->first_row, phi->blocks + 1) || !FY_NEW(arena, phi->row_pair, pairs) ||
        !FY_NEW(arena, phi->at_block, phi->blocks + 1) || !FY_NEW(arena, phi->at_pair, pairs))
        return FORAY_ERROR_MEMORY;
    lay_out_blocks(rows, pairs, &at, phi);
    if (!FY_NEW(arena, phi->value, phi->at_block[phi->blocks]))
        return FORAY_ERROR_MEMORY;
    fill_values(rows, pairs, &at, phi);
    return FORAY_OK;
}

foray_status fy_phi_create(fy_arena *arena, const foray_model *model, int64_t source,
                           double tolerance, fy_phi **out)
{
    fy_arena scratch = {.ctx = arena->ctx};
    fy_phi_rows rows;
    fy_phi *phi;
    if (!FY_NEW(arena, phi, 1))
        return FORAY_ERROR_MEMORY;
    foray_status status = take_source(&scratch, model, source, tolerance, &rows);
    if (status == FORAY_OK)
        status = arrange(arena, &scratch, &rows, model->pairs, phi);
    fy_arena_release(&scratch);
    if (status == FORAY_OK)
        *out = phi;
    return status;
}
