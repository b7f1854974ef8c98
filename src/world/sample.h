/* sample.h - drawing from a probability vector by inverting its distribution
 * function: with c_j = p_0 + ... + p_j and u uniform in [0,1), the outcome is the
 * first j with u < c_j. */
#ifndef FY_SAMPLE_H
#define FY_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

/* Turns p into c in place, n >= 1. Rounding is forgiven, up to 1e-9 below zero and
 * in the sum; false if p is not a probability vector even so. */
bool fy_sample_prepare(double *p, int64_t n);

/* The first j with u < c_j, for 0 <= u < 1: bisection whose length depends on n
 * alone, so that random outcomes cost no mispredicted branches. */
static inline int64_t fy_sample(const double *c, int64_t n, double u)
{
    const double *at = c;
    while (n > 1) {
        int64_t half = n / 2;
        at += at[half - 1] <= u ? half : 0;
        n -= half;
    }
    return at - c;
}

#endif
