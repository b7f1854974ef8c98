#include "learn/flips.h"
#include "learn/arrangement.h"
#include "learn/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Dimensions smaller than this, relative to the largest, are rounding. */
static const double negligible = 1e-10;

/* ------------------------------------------------------------- directions */

/* Which subsets are vertices does not change under a linear map. So take the coordinates
 * in which the directions are spread evenly, sum_k c_k c_k' = I, however near to each
 * other they were: with C the coordinates along the basis, C -> (C C')^{-1/2} C up to a
 * rotation. Dimensions that are rounding are left out; returns how many remain. */
static int64_t spread(const fy_directions *h, double *column)
{
    int64_t d = h->dim, groups = h->count, kept = 0;
    double largest = 0;
    for (int64_t i = 0; i < h->rank; i++)
        for (int64_t k = 0; k < groups; k++)
            column[i * groups + k] = fy_dot(h->basis + i * d, h->row + k * d, d);
    fy_orthogonalise(h->rank, groups, groups, 60, column);
    for (int64_t i = 0; i < h->rank; i++)
        largest = fmax(largest, fy_dot(column + i * groups, column + i * groups, groups));
    for (int64_t i = 0; i < h->rank; i++) {
        double size = fy_dot(column + i * groups, column + i * groups, groups);
        if (size <= negligible * negligible * largest)
            continue;
        for (int64_t k = 0; k < groups; k++)
            column[kept * groups + k] = column[i * groups + k] / sqrt(size);
        kept++;
    }
    return kept;
}

/* Columns to rows of norm 1. */
static void turn(int64_t groups, int64_t rank, const double *column, double *row)
{
    for (int64_t k = 0; k < groups; k++) {
        for (int64_t i = 0; i < rank; i++)
            row[k * rank + i] = column[i * groups + k];
        double norm = sqrt(fy_dot(row + k * rank, row + k * rank, rank));
        for (int64_t i = 0; i < rank; i++)
            row[k * rank + i] /= norm;
    }
}

static foray_status find_cells(foray_context *ctx, const fy_directions *h, fy_cells *cells)
{
    double *column = NULL, *row = NULL;
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(ctx, column, h->count * h->rank) && FY_ALLOC(ctx, row, h->count * h->rank)) {
        int64_t rank = spread(h, column);
        turn(h->count, rank, column, row);
        status = fy_cells_find(ctx, h->count, rank, rank, row, cells);
    }
    free(column);
    free(row);
    return status;
}

/* ------------------------------------------------------------------- tour */

/* The order of a walk through all cells: depth first along single flips, where the
 * table of cells has them; from a dead end straight to the next cell not yet met. */
typedef struct tour {
    foray_context *ctx;
    fy_flips *flips;
    const fy_cells *cells;
    fy_cell_table table;
    uint64_t *sign;     /* [words] of the neighbour tried */
    uint64_t *here;     /* [words] where the list of flips has come to */
    int64_t *path;      /* [count] cells on the way down */
    int32_t *next_flip; /* [count] which neighbour of a cell to try next */
    bool *met;          /* [count] */
} tour;

static bool push(tour *t, uint16_t flip)
{
    fy_flips *flips = t->flips;
    uint16_t *list = fy_grow(t->ctx, flips->flip, &flips->room, flips->count + 1, sizeof *list);
    if (!list)
        return false;
    flips->flip = list;
    flips->flip[flips->count++] = flip;
    return true;
}

/* Adds the flips that lead from where the list is to `cell`. */
static bool go_to(tour *t, int64_t cell)
{
    const uint64_t *sign = t->cells->sign + cell * t->cells->words;
    int64_t before = t->flips->count;
    for (int64_t w = 0; w < t->cells->words; w++) {
        for (uint64_t rest = t->here[w] ^ sign[w]; rest; rest &= rest - 1)
            if (!push(t, (uint16_t)(64 * w + __builtin_ctzll(rest))))
                return false;
        t->here[w] = sign[w];
    }
    /* No flips: this is the empty subset, visited at the start of every walk. */
    if (t->flips->count > before)
        t->flips->flip[t->flips->count - 1] |= FY_FLIP_VISIT;
    t->met[cell] = true;
    return true;
}

/* A neighbour of `cell` not met yet, or -1. */
static int64_t next_neighbour(tour *t, int64_t cell)
{
    int64_t words = t->cells->words;
    memcpy(t->sign, t->cells->sign + cell * words, (size_t)words * sizeof *t->sign);
    while (t->next_flip[cell] < t->cells->vectors) {
        int32_t k = t->next_flip[cell]++;
        t->sign[k / 64] ^= (uint64_t)1 << (k % 64);
        int64_t found = fy_cell_table_find(&t->table, t->sign);
        if (found >= 0 && !t->met[found])
            return found;
        t->sign[k / 64] ^= (uint64_t)1 << (k % 64);
    }
    return -1;
}

static bool descend(tour *t, int64_t root)
{
    int64_t depth = 0;
    t->path[depth++] = root;
    if (!go_to(t, root))
        return false;
    while (depth > 0) {
        int64_t next = next_neighbour(t, t->path[depth - 1]);
        if (next < 0) {
            depth--;
            continue;
        }
        if (!go_to(t, next))
            return false;
        t->path[depth++] = next;
    }
    return true;
}

static foray_status visit_all(foray_context *ctx, const fy_cells *cells, fy_flips *flips)
{
    tour t = {.ctx = ctx, .flips = flips, .cells = cells};
    bool done = fy_cell_table_create(ctx, cells, &t.table) == FORAY_OK &&
                FY_ALLOC(ctx, t.sign, cells->words) && FY_ALLOC(ctx, t.here, cells->words) &&
                FY_ALLOC(ctx, t.path, cells->count) && FY_ALLOC(ctx, t.next_flip, cells->count) &&
                FY_ALLOC(ctx, t.met, cells->count);
    for (int64_t i = 0; done && i < cells->count; i++)
        if (!t.met[i])
            done = descend(&t, i);
    fy_cell_table_free(&t.table);
    free(t.sign);
    free(t.here);
    free(t.path);
    free(t.next_flip);
    free(t.met);
    return done ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* Turns cells round, so that the first group is out in all of them. */
static void leave_out_first(fy_cells *cells)
{
    for (int64_t i = 0; i < cells->count; i++)
        for (int64_t k = 0; k < cells->vectors; k++)
            cells->sign[i * cells->words + k / 64] ^= (uint64_t)1 << (k % 64);
}

foray_status fy_flips_add(foray_context *ctx, fy_flips *flips, const fy_directions *directions,
                          bool half, int64_t *visits)
{
    fy_cells cells;
    foray_status status = find_cells(ctx, directions, &cells);
    if (status != FORAY_OK)
        return status;
    if (half)
        leave_out_first(&cells);
    else
        status = fy_cells_double(ctx, &cells);
    if (status == FORAY_OK)
        status = visit_all(ctx, &cells, flips);
    if (status == FORAY_OK)
        *visits = cells.count;
    fy_cells_free(&cells);
    return status;
}
