/* learning.c - numbers of episodes that learning took, and how they grow. */
#include "measure/learning.h"

#include <math.h>
#include <stdlib.h>

double fy_learning_time(const fy_gaps_table *gaps, double eps, double delta, const int64_t *pick)
{
    double needed = (1.0 - delta) * (double)gaps->runs - 1e-9, time = INFINITY;
    for (int64_t k = gaps->checkpoints; k-- > 0;) {
        int64_t good = 0;
        for (int64_t run = 0; run < gaps->runs; run++) {
            int64_t its = pick ? pick[run] : run;
            good += gaps->gap[its * gaps->checkpoints + k] <= eps;
        }
        if ((double)good < needed)
            break;
        time = gaps->episode[k];
    }
    return time;
}

/* Sums over a group, seen from its first point: what is level has a slope of exactly 0. */
typedef struct sums {
    double count, x, y, xx, xy;
    double first_x, first_y;
} sums;

static void add_point(sums *s, double x, double y)
{
    if (s->count == 0.0) {
        s->first_x = x;
        s->first_y = y;
    }
    x -= s->first_x;
    y -= s->first_y;
    s->count += 1.0;
    s->x += x;
    s->y += y;
    s->xx += x * x;
    s->xy += x * y;
}

/* sum (x - mean)^2 = sum x^2 - (sum x)^2 / n, and the same for xy. */
static void end_group(sums *s, double *xx, double *xy)
{
    if (s->count > 1.0) {
        *xx += s->xx - s->x * s->x / s->count;
        *xy += s->xy - s->x * s->y / s->count;
    }
    *s = (sums){0};
}

double fy_common_slope(const fy_points *points)
{
    double xx = 0.0, xy = 0.0;
    sums s = {0};
    for (int64_t i = 0; i < points->count; i++) {
        if (i > 0 && points->group[i] != points->group[i - 1])
            end_group(&s, &xx, &xy);
        if (isfinite(points->y[i]))
            add_point(&s, points->x[i], points->y[i]);
    }
    end_group(&s, &xx, &xy);
    return xx > 1e-12 ? xy / xx : NAN;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double fy_quantile(int64_t count, double *value, double part)
{
    if (count == 0)
        return NAN;
    qsort(value, (size_t)count, sizeof *value, compare_doubles);
    int64_t at = (int64_t)ceil(part * (double)count) - 1;
    return value[at < 0 ? 0 : at >= count ? count - 1 : at];
}
