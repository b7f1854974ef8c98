/* monte_carlo.h - how far means over draws may be from what they estimate. */
#ifndef FY_MONTE_CARLO_H
#define FY_MONTE_CARLO_H

#include "base/base.h"

/* N/2 pairs of random probability vectors; w_j, w'_j have one law, which may differ from pair
 * to pair, and all are independent. How much the two of a pair differ:
 *   T = sum_y sqrt( sum_j (w_j(y) - w'_j(y))^2 ),   Q = sum_j ( sum_y |w_j(y) - w'_j(y)| / 2 )^2 */
typedef struct fy_scatter {
    double T, Q;
} fy_scatter;

/* With p^ the mean of all N vectors and p that of their expectations, a bound on
 *   sup_f |sum_y (p^(y) - p(y)) f(y)|   over all f into [0,1],
 * which fails with probability at most FY_MEAN_EVENTS exp(-L). See docs/systems.md. */
enum { FY_MEAN_EVENTS = 4 };
double fy_mean_error(fy_scatter scatter, double N, double L);

/* About how many draws bring that down to `accuracy`, if N of them scattered like this. */
double fy_mean_draws(fy_scatter scatter, double N, double L, double accuracy);

#endif
