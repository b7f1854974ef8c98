/* learning.h - numbers of episodes that learning took, and how they grow. */
#ifndef FY_LEARNING_H
#define FY_LEARNING_H

#include "work/work.h"

/* Several runs that were looked at after the same numbers of episodes, a row for each look. */
typedef struct fy_looks {
    const fy_rows *rows; /* run i: rows[i * stride] */
    int64_t runs, stride;
    int64_t count;    /* looks that all runs have */
    int episode, gap; /* columns: episodes so far, ascending; what should become small */
} fy_looks;

/* K(eps): the first look from which on, up to the last, at least a share of 1 - delta of the
 * runs has a gap of at most eps, in episodes. INFINITY: not even at the last. `pick` [runs]
 * says which runs to look at, so that they can be resampled; NULL: each once. */
double fy_learning_time(const fy_looks *looks, double eps, double delta, const int64_t *pick);

#endif
