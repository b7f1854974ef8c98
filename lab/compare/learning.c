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

/* With x and y seen from the first point of their group, so that what is level has a slope of
 * exactly 0:  sum (x - mean)^2 = sum x^2 - (sum x)^2 / n,  and the same for xy. */
double fy_common_slope(const fy_grouped_points *points)
{
    double all_xx = 0.0, all_xy = 0.0;
    for (int64_t i = 0, next; i < points->count; i = next) {
        double n = 0.0, x0 = 0.0, y0 = 0.0, sum_x = 0.0, sum_y = 0.0, sum_xx = 0.0, sum_xy = 0.0;
        for (next = i; next < points->count && points->group[next] == points->group[i]; next++) {
            if (!isfinite(points->y[next]))
                continue;
            if (n == 0.0) {
                x0 = points->x[next];
                y0 = points->y[next];
            }
            double x = points->x[next] - x0, y = points->y[next] - y0;
            n += 1.0;
            sum_x += x;
            sum_y += y;
            sum_xx += x * x;
            sum_xy += x * y;
        }
        if (n > 1.0) {
            all_xx += sum_xx - sum_x * sum_x / n;
            all_xy += sum_xy - sum_x * sum_y / n;
        }
    }
    return all_xx > 1e-12 ? all_xy / all_xx : NAN;
}
