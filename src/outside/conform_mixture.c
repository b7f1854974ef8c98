/* conform_mixture.c - is reality a mixture of the simulators? And how fast do they answer?
 *
 * For numbers f(s') in [0,1], here every coordinate of s' scaled by the box and its square, a
 * mixture with weights w has  E f(reality) = sum_i w_i E f(simulator i),  whatever (s,a). With
 * w known that is one difference X = f(reality) - sum_i w_i f(simulator i) whose mean is 0;
 * with w not known, the mean of f under reality lies between the smallest and the largest
 * under the simulators, so the means of X_i = f(reality) - f(simulator i) cannot all be
 * positive, nor all negative.
 *
 * Means are judged by an interval that holds for every law on [-1,1] (empirical Bernstein,
 * Maurer and Pontil 2009): with V the sample variance of N draws, with probability 1 - delta',
 *   |mean - E X| <= sqrt(2 V L / N) + 14 L / (3 (N-1)),   L = log(4/delta').
 * delta' is so small that, together, a true mixture fails with probability 10^-6. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/maths.h"
#include "outside/conform.h"

enum { PAIRS = 6, MOMENTS = 2 };
static const double failure = 1e-6;

/* Sums over draws of X and X^2, for every way to compare and every f. */
typedef struct sums {
    int64_t ways; /* 1: weights known; else d */
    int64_t functions;
    double *sum, *square; /* [ways][functions] */
} sums;

/* f of one answer. */
static void evaluate(const fy_suite *suite, const double *state, double *f)
{
    const foray_system_spec *spec = suite->spec;
    for (int64_t i = 0; i < suite->n; i++) {
        double width = spec->high[i] - spec->low[i];
        double u = width > 0 ? (state[i] - spec->low[i]) / width : 0;
        f[MOMENTS * i] = u;
        f[MOMENTS * i + 1] = u * u;
    }
}

/* Adds one draw: answers of reality and of the d simulators, one behind the other. */
static void add_draw(const fy_suite *suite, sums *s, const double *answer)
{
    double real[MOMENTS * FY_MAX_DIMENSIONS] = {0}, f[MOMENTS * FY_MAX_DIMENSIONS] = {0};
    double mixed[MOMENTS * FY_MAX_DIMENSIONS] = {0};
    const double *weight = suite->system->weight;
    evaluate(suite, answer, real);
    for (int64_t i = 0; i < suite->spec->simulators; i++) {
        evaluate(suite, answer + (i + 1) * suite->n, f);
        for (int64_t k = 0; k < s->functions; k++) {
            mixed[k] += weight ? weight[i] * f[k] : 0;
            if (!weight) {
                s->sum[i * s->functions + k] += real[k] - f[k];
                s->square[i * s->functions + k] += (real[k] - f[k]) * (real[k] - f[k]);
            }
        }
    }
    for (int64_t k = 0; weight && k < s->functions; k++) {
        s->sum[k] += real[k] - mixed[k];
        s->square[k] += (real[k] - mixed[k]) * (real[k] - mixed[k]);
    }
}

/* Asks reality and all simulators about one (s,a), with common draws. */
static foray_status ask_pair(fy_suite *suite, const double *state, int64_t action, sums *s)
{
    int64_t kinds = suite->spec->simulators + 1, n = suite->n;
    int64_t max = FY_SUITE_ROOM / kinds;
    for (int64_t done = 0; done < suite->draws;) {
        int64_t size = suite->draws - done < max ? suite->draws - done : max;
        for (int64_t i = 0; i < size * kinds; i++) {
            foray_draw draw =
                i % kinds == 0 ? fy_suite_draw(suite) : suite->other_query[i - 1].draw;
            suite->other_query[i] = (foray_system_query){draw, i % kinds - 1, action};
            for (int64_t k = 0; k < n; k++)
                suite->other_state[i * n + k] = state[k];
        }
        foray_status status = foray_system_step(suite->system, size * kinds, suite->other_query,
                                                suite->other_state, suite->other_next);
        if (status != FORAY_OK)
            return status;
        for (int64_t i = 0; i < size; i++)
            add_draw(suite, s, suite->other_next + i * kinds * n);
        done += size;
    }
    return FORAY_OK;
}

/* Mean and half-width of the interval of one X. */
static void mean_interval(const fy_suite *suite, const sums *s, int64_t index, double *mean,
                          double *width)
{
    double n = (double)suite->draws;
    double tests = (double)(PAIRS * s->ways * s->functions);
    double log_term = fy_log(4 * tests / failure);
    *mean = s->sum[index] / n;
    double variance = fmax(0, (s->square[index] - n * *mean * *mean) / (n - 1));
    *width = sqrt(2 * variance * log_term / n) + 14 * log_term / (3 * (n - 1));
}

/* Are all means positive, or all negative, for sure? Keeps the largest deviation that is
 * within its interval. */
static bool contradicts(const fy_suite *suite, const sums *s, int64_t function, double *deviation,
                        double *allowed)
{
    bool above = true, below = true;
    for (int64_t i = 0; i < s->ways; i++) {
        double mean, width;
        mean_interval(suite, s, i * s->functions + function, &mean, &width);
        above &= mean > width;
        below &= mean < -width;
        if (fabs(mean) > *deviation) {
            *deviation = fabs(mean);
            *allowed = width;
        }
    }
    return above || below;
}

static foray_check_result check_pair(fy_suite *suite, const sums *s, const double *state,
                                     int64_t action, double *deviation, double *allowed)
{
    const char *const *name = suite->spec->dimension_name;
    for (int64_t k = 0; k < s->functions; k++) {
        double worst = 0, width = 0;
        int64_t i = k / MOMENTS;
        if (contradicts(suite, s, k, &worst, &width))
            return fy_conclude(
                suite, FORAY_CHECK_FAILED,
                "action %" PRId64 " in a state with first coordinate %.6g: the mean of coordinate "
                "%" PRId64 "%s%s%s of what follows%s is %.3g of the box away from what the %s, "
                "and chance explains at most %.3g (error probability 1e-6)",
                action, state[0], i, name ? " (" : "", name ? name[i] : "", name ? ")" : "",
                k % MOMENTS ? ", squared," : "", worst,
                suite->system->weight ? "weights say" : "simulators allow", width);
        if (worst > *deviation) {
            *deviation = worst;
            *allowed = width;
        }
    }
    return FORAY_CHECK_PASSED;
}

static int check_pairs(fy_suite *suite, sums *s)
{
    double deviation = 0, allowed = 0;
    for (int64_t pair = 0; pair < PAIRS; pair++) {
        double state[FY_MAX_DIMENSIONS];
        int64_t action = pair % suite->spec->actions;
        fy_suite_state(suite, (uint64_t)(1000000 + pair), state);
        for (int64_t i = 0; i < s->ways * s->functions; i++)
            s->sum[i] = s->square[i] = 0;
        if (ask_pair(suite, state, action, s) != FORAY_OK)
            return fy_check_refused(suite);
        foray_check_result result = check_pair(suite, s, state, action, &deviation, &allowed);
        if (result != FORAY_CHECK_PASSED)
            return result;
    }
    if (!suite->system->weight)
        return fy_conclude(suite, FORAY_CHECK_PASSED,
                           "%d pairs, %" PRId64 " draws each: no evidence against it", PAIRS,
                           suite->draws);
    return fy_conclude(suite, FORAY_CHECK_PASSED,
                       "%d pairs, %" PRId64 " draws each: at most %.2g of the box away from the "
                       "weights, where chance explains %.2g",
                       PAIRS, suite->draws, deviation, allowed);
}

foray_check_result fy_check_mixture(fy_suite *suite)
{
    int64_t d = suite->spec->simulators;
    if (d == 0 || d >= FY_SUITE_ROOM)
        return fy_conclude(suite, FORAY_CHECK_SKIPPED, "%s",
                           d ? "too many simulators" : "no simulators");
    sums s = {.ways = suite->system->weight ? 1 : d, .functions = MOMENTS * suite->n};
    foray_context *ctx = suite->system->ctx;
    foray_check_result result = FORAY_CHECK_SKIPPED;
    if (FY_ALLOC(ctx, s.sum, s.ways * s.functions) && FY_ALLOC(ctx, s.square, s.ways * s.functions))
        result = check_pairs(suite, &s);
    else
        fy_conclude(suite, FORAY_CHECK_SKIPPED, "out of memory");
    free(s.sum);
    free(s.square);
    return result;
}

/* -------------------------------------------------------------------- speed */

/* Steps per second when `size` of the sample are asked at a time; negative: it failed. */
static double rate(fy_suite *suite, int64_t size)
{
    static const double seconds = 0.05;
    double start = fy_clock(), now = start;
    int64_t steps = 0;
    for (int64_t at = 0; now - start < seconds;
         at = at + 2 * size <= suite->count ? at + size : 0) {
        if (foray_system_step(suite->system, size, suite->query + at, suite->state + at * suite->n,
                              suite->other_next) != FORAY_OK)
            return -1;
        steps += size;
        now = fy_clock();
    }
    return (double)steps / (now - start);
}

foray_check_result fy_check_speed(fy_suite *suite)
{
    double alone = rate(suite, 1), together = rate(suite, suite->count);
    if (alone < 0 || together < 0)
        return fy_check_refused(suite);
    return fy_conclude(suite, FORAY_CHECK_PASSED,
                       "%.3g steps/s one at a time, %.3g in batches of %" PRId64, alone, together,
                       suite->count);
}
