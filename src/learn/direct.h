/* direct.h - means under every law of a likelihood set, without an ellipsoid around it.
 *
 * A law p was seen n times with frequencies q, and n KL(q||p) <= x is all that is known of it. With
 * e = x/n, for every v with values in [0,C] and every eta >= C,
 *
 *   p v <= eta (1 - exp(-y)),     y = e - sum_i q_i log(1 - v_i/eta)
 *
 * since log p(eta - v) >= sum q log(p (eta - v)/q) = sum q log(eta - v) - KL(q||p), by Jensen.
 * docs/mathematics.md has the proof. Whichever eta: it decides how sharp, not whether true. */
#ifndef FY_DIRECT_H
#define FY_DIRECT_H

#include <stdint.h>

/* The least such bound over eta, or nearly, rounded up; at most `range`. v: values in [0, range] of
 * the successors with frequencies q; e >= 0, INFINITY: never seen. */
double fy_direct_mean(int64_t count, const double *q, const double *v, double range, double e);

#endif
