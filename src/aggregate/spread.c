/* spread.c - low-discrepancy points by an additive recurrence: u_k = frac(u_0 + k step). Any
 * number of them covers the cube evenly, and each costs one multiplication. */
#include "aggregate/clusters.h"
#include "base/maths.h"

#include <math.h>

/* g = (1 + g)^(1/(n+1)) converges from above at once. */
void fy_spread_steps(int64_t n, double *step)
{
    double g = 2;
    for (int i = 0; i < 64; i++)
        g = fy_pow(1 + g, 1 / (double)(n + 1));
    for (int64_t j = 0; j < n; j++)
        step[j] = fy_pow(g, -(double)(j + 1));
}

double fy_spread(double start, double step, int64_t k)
{
    double u = start + (double)k * step;
    return u - floor(u);
}
