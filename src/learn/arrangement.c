#include "learn/arrangement.h"
#include "learn/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Deletion and restriction. Adding hyperplane k to an arrangement cuts exactly those
 * cells whose signs also occur in the arrangement *restricted* to that hyperplane: the
 * one of the vectors projected onto it, a problem of one dimension less. All other
 * cells lie on one side, and any point in them tells which. So every cell is found
 * once, at a cost of O(count * dim), with a witness that is at least half as far from
 * every hyperplane as the one it came from. */

static inline uint64_t *sign_of(const fy_cells *cells, int64_t i)
{
    return cells->sign + i * cells->words;
}

static inline double *witness_of(const fy_cells *cells, int64_t i)
{
    return cells->witness + i * cells->dim;
}

static inline bool sign_bit(const uint64_t *sign, int64_t k)
{
    return sign[k / 64] >> (k % 64) & 1;
}

static inline void set_sign_bit(uint64_t *sign, int64_t k, bool positive)
{
    uint64_t bit = (uint64_t)1 << (k % 64);
    sign[k / 64] = positive ? sign[k / 64] | bit : sign[k / 64] & ~bit;
}

/* ------------------------------------------------------------------ bounds */

/* a + b, saturating. */
static int64_t add_capped(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t fy_cells_bound(int64_t count, int64_t rank)
{
    if (count == 0 || rank == 0)
        return 1;
    /* C(count-1, i) = C(count-1, i-1) (count-i) / i, in an order that stays whole */
    int64_t total = 0, choose = 1;
    for (int64_t i = 0; i < rank && i < count; i++) {
        if (i > 0) {
            __int128 next = (__int128)choose * (count - i) / i;
            choose = next > INT64_MAX ? INT64_MAX : (int64_t)next;
        }
        total = add_capped(total, choose);
        if (total == INT64_MAX)
            return INT64_MAX;
    }
    return add_capped(total, total);
}

/* ------------------------------------------------------------------- lists */

void fy_cells_free(fy_cells *cells)
{
    free(cells->sign);
    free(cells->witness);
    *cells = (fy_cells){0};
}

static foray_status reserve(foray_context *ctx, fy_cells *cells, int64_t more)
{
    int64_t needed = cells->count + more, room = cells->capacity ? cells->capacity : 16;
    if (needed <= cells->capacity)
        return FORAY_OK;
    while (room < needed)
        room *= 2;
    uint64_t *sign = fy_resize(ctx, cells->sign, (size_t)room, (size_t)cells->words * sizeof *sign);
    if (!sign)
        return FORAY_ERROR_MEMORY;
    cells->sign = sign;
    double *witness =
        fy_resize(ctx, cells->witness, (size_t)room, (size_t)cells->dim * sizeof *witness);
    if (!witness)
        return FORAY_ERROR_MEMORY;
    cells->witness = witness;
    cells->capacity = room;
    return FORAY_OK;
}

/* Room for it has been reserved. */
static void append(fy_cells *cells, const uint64_t *sign, const double *witness)
{
    memcpy(sign_of(cells, cells->count), sign, (size_t)cells->words * sizeof *sign);
    memcpy(witness_of(cells, cells->count), witness, (size_t)cells->dim * sizeof *witness);
    cells->count++;
}

foray_status fy_cells_double(foray_context *ctx, fy_cells *cells)
{
    int64_t count = cells->count;
    if (reserve(ctx, cells, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        append(cells, sign_of(cells, i), witness_of(cells, i));
        for (int64_t k = 0; k < cells->vectors; k++)
            set_sign_bit(sign_of(cells, count + i), k, !sign_bit(sign_of(cells, i), k));
        for (int64_t k = 0; k < cells->dim; k++)
            witness_of(cells, count + i)[k] *= -1;
    }
    return FORAY_OK;
}

/* ------------------------------------------------------------------ lookup */

static uint64_t slot_for(const fy_cell_table *table, const uint64_t *sign)
{
    size_t size = (size_t)table->cells->words * sizeof *sign;
    uint64_t hash = fy_hash(sign, size, 0), at = (hash ^ hash >> 32) & table->mask;
    while (table->slot[at] >= 0 && memcmp(sign_of(table->cells, table->slot[at]), sign, size) != 0)
        at = (at + 1) & table->mask;
    return at;
}

foray_status fy_cell_table_create(foray_context *ctx, const fy_cells *cells, fy_cell_table *table)
{
    uint64_t size = 16;
    while (size < 2 * (uint64_t)cells->count)
        size *= 2;
    *table = (fy_cell_table){.cells = cells, .mask = size - 1};
    if (!FY_ALLOC(ctx, table->slot, size))
        return FORAY_ERROR_MEMORY;
    for (uint64_t i = 0; i < size; i++)
        table->slot[i] = -1;
    for (int64_t i = 0; i < cells->count; i++)
        table->slot[slot_for(table, sign_of(cells, i))] = i;
    return FORAY_OK;
}

void fy_cell_table_free(fy_cell_table *table)
{
    free(table->slot);
    table->slot = NULL;
}

int64_t fy_cell_table_find(const fy_cell_table *table, const uint64_t *sign)
{
    return table->slot[slot_for(table, sign)];
}

/* ----------------------------------------------------------------- merging */

static void normalise(int64_t dim, double *x)
{
    double norm = sqrt(fy_dot(x, x, dim));
    for (int64_t i = 0; i < dim; i++)
        x[i] /= norm;
}

/* +1: the same direction, -1: the opposite one, 0: neither. Both have norm 1. */
static int compare_directions(int64_t dim, const double *a, const double *b)
{
    double way = fy_dot(a, b, dim) > 0 ? 1 : -1, distance = 0;
    for (int64_t i = 0; i < dim; i++)
        distance += (a[i] - way * b[i]) * (a[i] - way * b[i]);
    return distance <= FY_PARALLEL * FY_PARALLEL ? (int)way : 0;
}

int64_t fy_merge_parallel(int64_t count, int64_t dim, double *row, int32_t *side)
{
    int64_t merged = 0;
    for (int64_t j = 0; j < count; j++) {
        double *x = row + j * dim;
        int64_t k = 0;
        int way = 0;
        normalise(dim, x);
        while (k < merged && (way = compare_directions(dim, row + k * dim, x)) == 0)
            k++;
        side[j] = (int32_t)(way < 0 ? -(k + 1) : k + 1);
        if (k == merged)
            memmove(row + dim * merged++, x, (size_t)dim * sizeof *x);
    }
    return merged;
}

/* ---------------------------------------------------- deletion, restriction */

/* out_j = h_j - <h_j, h_k> h_k for j < k */
static void project(int64_t k, int64_t dim, const double *vector, double *out)
{
    const double *normal = vector + k * dim;
    for (int64_t j = 0; j < k; j++) {
        double along = fy_dot(vector + j * dim, normal, dim);
        for (int64_t i = 0; i < dim; i++)
            out[j * dim + i] = vector[j * dim + i] - along * normal[i];
    }
}

/* Signs of merged vectors as signs of those they were merged from. */
static void expand_signs(const uint64_t *merged, int64_t count, const int32_t *side, uint64_t *sign)
{
    for (int64_t j = 0; j < count; j++) {
        bool positive = sign_bit(merged, labs(side[j]) - 1);
        set_sign_bit(sign, j, side[j] > 0 ? positive : !positive);
    }
}

/* How far u, on hyperplane k, may move along its normal and keep half its distance
 * from the hyperplanes before it. */
static double safe_step(int64_t k, int64_t dim, const double *vector, const double *u)
{
    double step = 1;
    for (int64_t j = 0; j < k; j++) {
        double margin = fabs(fy_dot(vector + j * dim, u, dim));
        double slope = fabs(fy_dot(vector + j * dim, vector + k * dim, dim));
        if (2 * step * slope > margin)
            step = margin / (2 * slope);
    }
    return step;
}

/* out = u + step h, of norm 1 */
static void move_witness(int64_t dim, const double *u, double step, const double *h, double *out)
{
    for (int64_t i = 0; i < dim; i++)
        out[i] = u[i] + step * h[i];
    normalise(dim, out);
}

/* The cells of `cells` (signs of h_0..h_{k-1}) that hyperplane k cuts: those of `wall`,
 * whose signs are of the same vectors. Each becomes two. */
static foray_status split(foray_context *ctx, fy_cells *cells, const fy_cells *wall, int64_t k,
                          const double *vector)
{
    fy_cell_table table;
    if (reserve(ctx, cells, 2 * wall->count) || fy_cell_table_create(ctx, wall, &table))
        return FORAY_ERROR_MEMORY;
    int64_t dim = cells->dim, kept = 0;
    const double *normal = vector + k * dim;
    for (int64_t i = 0; i < cells->count; i++) {
        if (fy_cell_table_find(&table, sign_of(cells, i)) >= 0)
            continue;
        set_sign_bit(sign_of(cells, i), k, fy_dot(witness_of(cells, i), normal, dim) > 0);
        memmove(sign_of(cells, kept), sign_of(cells, i), (size_t)cells->words * sizeof(uint64_t));
        memmove(witness_of(cells, kept), witness_of(cells, i), (size_t)dim * sizeof(double));
        kept++;
    }
    fy_cell_table_free(&table);
    cells->count = kept;
    for (int64_t i = 0; i < wall->count; i++) {
        const double *u = witness_of(wall, i);
        double step = safe_step(k, dim, vector, u);
        for (int side = 0; side < 2; side++) {
            append(cells, sign_of(wall, i), u);
            set_sign_bit(sign_of(cells, cells->count - 1), k, side);
            move_witness(dim, u, side ? step : -step, normal, witness_of(cells, cells->count - 1));
        }
    }
    return FORAY_OK;
}

/* The cells of the arrangement restricted to hyperplane k, as signs of h_0..h_{k-1}
 * laid out like those of `like`. `row` and `side` are room for k rows and sides. */
static foray_status restricted(foray_context *ctx, const fy_cells *like, int64_t k, int64_t rank,
                               const double *vector, double *row, int32_t *side, fy_cells *wall)
{
    fy_cells merged;
    project(k, like->dim, vector, row);
    int64_t count = fy_merge_parallel(k, like->dim, row, side);
    foray_status status = fy_cells_find(ctx, count, like->dim, rank - 1, row, &merged);
    if (status != FORAY_OK)
        return status;
    *wall = (fy_cells){.vectors = k, .dim = like->dim, .words = like->words};
    status = reserve(ctx, wall, merged.count);
    for (int64_t i = 0; status == FORAY_OK && i < merged.count; i++) {
        memset(sign_of(wall, i), 0, (size_t)wall->words * sizeof(uint64_t));
        expand_signs(sign_of(&merged, i), k, side, sign_of(wall, i));
        memcpy(witness_of(wall, i), witness_of(&merged, i), (size_t)wall->dim * sizeof(double));
        wall->count++;
    }
    fy_cells_free(&merged);
    if (status != FORAY_OK)
        fy_cells_free(wall);
    return status;
}

static foray_status add_hyperplane(foray_context *ctx, fy_cells *cells, int64_t k, int64_t rank,
                                   const double *vector)
{
    double *row = NULL;
    int32_t *side = NULL;
    fy_cells wall = {0};
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(ctx, row, k * cells->dim) && FY_ALLOC(ctx, side, k))
        status = restricted(ctx, cells, k, rank, vector, row, side, &wall);
    if (status == FORAY_OK)
        status = split(ctx, cells, &wall, k, vector);
    if (status == FORAY_OK && cells->count > fy_cells_bound(k + 1, rank) / 2)
        status = FORAY_ERROR_USAGE;
    fy_cells_free(&wall);
    free(row);
    free(side);
    return status;
}

foray_status fy_cells_find(foray_context *ctx, int64_t count, int64_t dim, int64_t rank,
                           const double *vector, fy_cells *cells)
{
    *cells = (fy_cells){.vectors = count, .dim = dim, .words = (count + 63) / 64};
    foray_status status = reserve(ctx, cells, 1);
    if (status == FORAY_OK) {
        memset(cells->sign, 0, (size_t)cells->words * sizeof *cells->sign);
        set_sign_bit(cells->sign, 0, true);
        memcpy(cells->witness, vector, (size_t)dim * sizeof *vector);
        cells->count = 1;
    }
    for (int64_t k = 1; status == FORAY_OK && k < count; k++)
        status = add_hyperplane(ctx, cells, k, rank, vector);
    if (status != FORAY_OK)
        fy_cells_free(cells);
    return status;
}
