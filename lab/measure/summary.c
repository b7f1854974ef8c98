/* summary.c - several numbers as a few: median, interquartile mean, and the bootstrap
 * interval of the latter (Agarwal et al. 2021, "Deep reinforcement learning at the edge
 * of the statistical precipice"). */
#include "measure/measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void fy_sort(int64_t count, double *value)
{
    qsort(value, (size_t)count, sizeof *value, ascending);
}

/* At position q (n-1): (1-w) a + w b of its neighbours, which may be the same infinity. */
double fy_quantile(int64_t count, const double *sorted, double q)
{
    double position = q * (double)(count - 1);
    int64_t below = (int64_t)position, above = below + 1 < count ? below + 1 : below;
    double a = sorted[below], b = sorted[above], w = position - (double)below;
    return a == b || w == 0.0 ? a : (1.0 - w) * a + w * b;
}

double fy_median(int64_t count, const double *sorted)
{
    return fy_quantile(count, sorted, 0.5);
}

double fy_order_statistic(int64_t count, const double *sorted, double q)
{
    if (count == 0)
        return NAN;
    int64_t at = (int64_t)ceil(q * (double)count) - 1;
    return sorted[at < 0 ? 0 : at >= count ? count - 1 : at];
}

/* The mean of the middle half. Number i of the sorted ones takes [i, i+1) of [0, n);
 * what of it lies within [n/4, 3n/4) is its weight. `times[i]` says how often number i
 * appears; NULL: once each. */
static double middle_mean(int64_t n, const double *sorted, const int32_t *times)
{
    double low = 0.25 * (double)n, high = 0.75 * (double)n, at = 0.0, sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double end = at + (times ? (double)times[i] : 1.0);
        double weight = fmin(end, high) - fmax(at, low);
        if (weight > 0.0)
            sum += weight * sorted[i];
        at = end;
    }
    return sum / (high - low);
}

foray_status foray_summarise(foray_context *ctx, int64_t count, const double *value,
                             int64_t resamples, double confidence, uint64_t seed,
                             foray_summary *out)
{
    if (count < 1 || resamples < 1 || !(confidence > 0.0 && confidence < 1.0))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "a summary needs a number, a resample and a confidence between 0 and 1");
    for (int64_t i = 0; i < count; i++)
        if (isnan(value[i]))
            return fy_fail(ctx, FORAY_ERROR_USAGE, "number %" PRId64 " of a summary is NaN", i);
    double *sorted = NULL, *means = NULL;
    int32_t *times = NULL;
    bool room = FY_ALLOC(ctx, sorted, count) && FY_ALLOC(ctx, means, resamples) &&
                FY_ALLOC(ctx, times, count);
    if (room) {
        memcpy(sorted, value, (size_t)count * sizeof *sorted);
        fy_sort(count, sorted);
        /* Resample b: n draws with replacement, as how often each number was drawn. */
        for (int64_t b = 0; b < resamples; b++) {
            memset(times, 0, (size_t)count * sizeof *times);
            for (int64_t i = 0; i < count; i++) {
                double u =
                    fy_unit(fy_random_bits(seed, FY_STREAM_BOOTSTRAP, (uint64_t)b, 0, (uint32_t)i));
                times[(int64_t)(u * (double)count)]++;
            }
            means[b] = middle_mean(count, sorted, times);
        }
        fy_sort(resamples, means);
        *out = (foray_summary){.iqm = middle_mean(count, sorted, NULL),
                               .low = fy_quantile(resamples, means, 0.5 * (1.0 - confidence)),
                               .high = fy_quantile(resamples, means, 0.5 * (1.0 + confidence)),
                               .median = fy_median(count, sorted)};
    }
    free(sorted);
    free(means);
    free(times);
    return room ? FORAY_OK : FORAY_ERROR_MEMORY;
}
