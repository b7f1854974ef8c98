/* learning.h - numbers of episodes that learning took, and how they grow. */
#ifndef FY_LEARNING_H
#define FY_LEARNING_H

#include "base/base.h"

/* Gaps of several runs at the same checkpoints. */
typedef struct fy_gaps_table {
    int64_t checkpoints, runs;
    const double *episode; /* [checkpoints] ascending */
    const double *gap;     /* [runs][checkpoints] */
} fy_gaps_table;

/* K(eps): the first checkpoint from which on, up to the last, at least a share of 1 - delta
 * of the runs has a gap of at most eps. INFINITY: not even at the last. `pick` [runs]
 * says which runs to look at, so that they can be resampled; NULL: each once. */
double fy_learning_time(const fy_gaps_table *gaps, double eps, double delta, const int64_t *pick);

/* One slope for points in groups that may lie at different heights, by least squares:
 *     sum (x - mean of its group)(y - mean of its group) / sum (x - mean of its group)^2.
 * Points whose y is not finite are left out. NaN: no two different x in any group. */
typedef struct fy_points {
    int64_t count;
    const double *x, *y;  /* [count] */
    const int64_t *group; /* [count] ascending: those of a group stand side by side */
} fy_points;
double fy_common_slope(const fy_points *points);

/* The share `part` (0 to 1) of the numbers lies at or below it; sorts them. */
double fy_quantile(int64_t count, double *value, double part);

#endif
