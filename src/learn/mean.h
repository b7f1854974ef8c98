/* mean.h - between which bounds a mean lies, at all times at once (docs/mathematics.md, "Rewards
 * that are not known").
 *
 * Of numbers in [0,1], each drawn with the same mean whatever came before, N_v were v. With
 * l_i = 0.999 2^(-i/2), i = 0..31, fixed beforehand,
 *
 *     K(m) = 1/32 sum_i prod_v (1 - l_i + l_i v/m)^{N_v}
 *
 * is at m = the mean a nonnegative martingale that begins with 1, whatever chose when to draw: by
 * Ville it never reaches 1/alpha but with probability alpha. K falls in m, so that
 *
 *     low = the m with K(m) = 2/share,   high = 1 - low of the numbers 1 - v
 *
 * hold with probability 1 - share, for all n at once. Only the multiset of numbers counts. */
#ifndef FY_MEAN_H
#define FY_MEAN_H

#include "base/base.h"

/* So many draws of a number between low and high: the same, unless it was rounded down and up. */
typedef struct fy_drawn_value {
    double low, high;
    int64_t count;
} fy_drawn_value;

/* Of numbers in [*low, *high], which become the bounds of their mean. */
void fy_mean_bounds(int64_t values, const fy_drawn_value *value, double share, double *low,
                    double *high);

#endif
