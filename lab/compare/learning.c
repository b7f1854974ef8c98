/* learning.c - numbers of episodes that learning took, and how they grow. */
#include "compare/learning.h"

#include <math.h>

double fy_learning_time(const fy_looks *looks, double eps, double delta, const int64_t *pick)
{
    const double rounding = 1e-9;
    double needed = (1.0 - delta) * (double)looks->runs - rounding, time = INFINITY;
    for (int64_t k = looks->count; k-- > 0;) {
        int64_t good = 0;
        for (int64_t i = 0; i < looks->runs; i++) {
            const fy_rows *run = &looks->rows[(pick ? pick[i] : i) * looks->stride];
            good += fy_rows_at(run, k)[looks->gap] <= eps;
        }
        if ((double)good < needed)
            break;
        time = fy_rows_at(looks->rows, k)[looks->episode];
    }
    return time;
}
