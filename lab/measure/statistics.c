/* statistics.c - several numbers as a few: quantiles, the interquartile mean and its bootstrap
 * interval (Agarwal et al. 2021, "Deep reinforcement learning at the edge of the statistical
 * precipice"), the exact interval of a probability, a slope common to several lines. */
#include "measure/measure.h"
#include "base/maths.h"

#include <float.h>
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

foray_status fy_summarise(foray_context *ctx, int64_t count, const double *value, int64_t resamples,
                          double confidence, uint64_t seed, fy_summary *out)
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
        *out = (fy_summary){.iqm = middle_mean(count, sorted, NULL),
                            .low = fy_quantile(resamples, means, 0.5 * (1.0 - confidence)),
                            .high = fy_quantile(resamples, means, 0.5 * (1.0 + confidence)),
                            .median = fy_median(count, sorted)};
    }
    free(sorted);
    free(means);
    free(times);
    return room ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* -------------------------------------------------------------------- a probability */

/* What a count of successes says about a probability (Clopper and Pearson 1934). The interval is
 * exact: whatever the probability p of a success, it contains p with at least the stated
 * probability, for any number of trials, however small.
 *
 *   low:   P(X >= successes | p = low)  = (1 - confidence)/2,   0 if there was none
 *   high:  P(X <= successes | p = high) = (1 - confidence)/2,   1 if all were
 *
 * Both tails are regularised incomplete beta functions: with s successes of n,
 *   P(X >= s | p) = I_p(s, n-s+1). */
/* The continued fraction of I_x(a,b) at its m-th pair of terms:
 *   even  m (b-m) x / ((a+2m-1)(a+2m)),    odd  -(a+m)(a+b+m) x / ((a+2m)(a+2m+1)) */
static double even_term(double x, double a, double b, double m)
{
    return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
}

static double odd_term(double x, double a, double b, double m)
{
    return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
}

/* The fraction 1/(1+ e1/(1+ e2/(1+ ...))) as Lentz evaluates it: by the ratios of
 * successive numerators and denominators, kept off 0. */
typedef struct lentz {
    double up, down, value;
} lentz;

static double off_zero(double x)
{
    const double tiny = 1e-290;
    return fabs(x) < tiny ? tiny : x;
}

/* Takes one more term; true if it no longer changes anything. */
static bool take_term(lentz *l, double term)
{
    l->down = 1 / off_zero(1 + term * l->down);
    l->up = off_zero(1 + term / l->up);
    l->value *= l->up * l->down;
    return fabs(l->up * l->down - 1) < DBL_EPSILON;
}

static double continued_fraction(double x, double a, double b)
{
    enum { MAX = 100000 }; /* O(sqrt(max(a,b))) are enough */
    double first = 1 / off_zero(1 + odd_term(x, a, b, 0));
    lentz l = {.up = 1, .down = first, .value = first};
    for (int m = 1; m < MAX; m++) {
        take_term(&l, even_term(x, a, b, m));
        if (take_term(&l, odd_term(x, a, b, m)))
            break;
    }
    return l.value;
}

/* I_x(a,b) = x^a (1-x)^b / (a B(a,b)) times the fraction, which converges fast where x is
 * below the mean; above it I_x(a,b) = 1 - I_{1-x}(b,a). */
double fy_incomplete_beta(double x, double a, double b)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front =
        fy_exp(fy_lgamma(a + b) - fy_lgamma(a) - fy_lgamma(b) + a * fy_log(x) + b * fy_log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * continued_fraction(x, a, b) / a;
    return 1 - front * continued_fraction(1 - x, b, a) / b;
}

/* The p at which I_p(a,b), which grows with p, is `tail`. */
static double solve_for(double tail, double a, double b)
{
    enum { HALVINGS = 1100 }; /* from 1 to less than the smallest number there is */
    double below = 0, above = 1;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (below + above);
        if (middle == below || middle == above)
            break;
        if (fy_incomplete_beta(middle, a, b) < tail)
            below = middle;
        else
            above = middle;
    }
    return 0.5 * (below + above);
}

fy_interval fy_binomial_interval(int64_t trials, int64_t successes, double confidence)
{
    double n = (double)trials, s = (double)successes, tail = 0.5 * (1 - confidence);
    return (fy_interval){
        .low = successes == 0 ? 0 : solve_for(tail, s, n - s + 1),
        .high = successes == trials ? 1 : solve_for(1 - tail, s + 1, n - s),
    };
}

/* -------------------------------------------------------------------------- a slope */

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
