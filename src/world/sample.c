/* sample.c - distribution functions that rounding cannot spoil. */
#include "world/sample.h"

#include <math.h>

/* How far from a probability vector rounding alone may lead. */
static const double ROUNDING = 1e-9;

/* The sum may miss 1 by rounding, so c is divided by it. From the last possible
 * outcome on that is sum/sum, exactly 1: u < 1 always finds one. An outcome of
 * probability 0 (c_j = c_{j-1}, or c_0 = 0) is never the first. */
bool fy_sample_prepare(double *p, int64_t n)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++) {
        if (!(p[j] >= -ROUNDING))
            return false;
        sum += fmax(p[j], 0);
        p[j] = sum;
    }
    if (!(fabs(sum - 1) <= ROUNDING))
        return false;
    for (int64_t j = 0; j < n; j++)
        p[j] /= sum;
    return true;
}
