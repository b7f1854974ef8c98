/* arrangement.h - the cells of a central arrangement of hyperplanes.
 *
 * The vertices of the zonotope { sum_k f_k h_k : f in [0,1] } are its points that
 * maximise some <u, .>: f_k = [<h_k, u> > 0]. So they are the cells into which the
 * hyperplanes { u : <h_k, u> = 0 } cut space, one sign per k for each. */
#ifndef FY_ARRANGEMENT_H
#define FY_ARRANGEMENT_H

#include "base/base.h"

typedef struct fy_cells {
    int64_t vectors, dim;
    int64_t words; /* of 64 signs, per cell */
    int64_t count, capacity;
    uint64_t *sign;  /* [count][words]: bit k is set where <h_k, u> > 0 */
    double *witness; /* [count][dim]: such a u, of norm 1 */
} fy_cells;

/* The cells with <h_0, u> > 0; the others are their opposites. `vector` holds
 * `count` >= 1 rows of `dim` numbers, of norm 1, no two parallel, of the given rank.
 * FORAY_ERROR_USAGE, without a message, if rounding finds more cells than there can be:
 * some vectors are nearly, but not quite, dependent. After a failure `cells` is empty. */
foray_status fy_cells_find(foray_context *ctx, int64_t count, int64_t dim, int64_t rank,
                           const double *vector, fy_cells *cells);
void fy_cells_free(fy_cells *cells);

/* Puts the opposite of every cell behind them. */
foray_status fy_cells_double(foray_context *ctx, fy_cells *cells);

/* min(2^count, 2 sum_{i<rank} C(count-1, i)): how many cells there are at most,
 * and in general position exactly; INT64_MAX if that is not representable. */
int64_t fy_cells_bound(int64_t count, int64_t rank);

/* A table that finds cells by their signs. */
typedef struct fy_cell_table {
    const fy_cells *cells;
    uint64_t mask;
    int64_t *slot; /* a cell, or -1 */
} fy_cell_table;

foray_status fy_cell_table_create(foray_context *ctx, const fy_cells *cells, fy_cell_table *table);
void fy_cell_table_free(fy_cell_table *table);
int64_t fy_cell_table_find(const fy_cell_table *table, const uint64_t *sign); /* -1: none */

/* Two directions nearer than this, as unit vectors, count as parallel. */
#define FY_PARALLEL 1e-9

/* Scales rows to norm 1; merges parallel and opposite ones: side[j] = k+1 if row j points
 * the way of merged row k, -(k+1) if the other way. Merged rows are put first; returns
 * how many there are. No row may be zero. */
int64_t fy_merge_parallel(int64_t count, int64_t dim, double *row, int32_t *side);

#endif
