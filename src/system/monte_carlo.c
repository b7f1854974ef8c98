/* monte_carlo.c - psi by Monte Carlo, and bounds on what chance does to means. */
#include "base/maths.h"
#include "system/system.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------- bounds */

/* Hoeffding: P(|mean - E| >= e) <= 2 exp(-2 N e^2 / range^2), for each of `means`. */
int64_t fy_monte_carlo_draws(double range, double accuracy, double delta, double means)
{
    double draws = range * range * fy_log(2 * means / delta) / (2 * accuracy * accuracy);
    if (!(draws < 0x1p62))
        return INT64_MAX;
    return draws > 1 ? (int64_t)ceil(draws) : 1;
}

/* Z is self-bounding, its terms at most `max`: with probability 1 - exp(-L),
 *   E Z <= Z + c L + sqrt(c^2 L^2 + 2 c L Z),  c = max  (Boucheron, Lugosi, Massart 2000). */
static double upper_mean(double Z, double max, double L)
{
    return Z + max * L + sqrt(max * L * (max * L + 2 * Z));
}

/* With G the supremum and v = sup_f of the summed variances, which E Q bounds,
 *   E G <= E T / N                                        symmetrisation
 *   G <= E G + sqrt(L/(2N))                               McDiarmid 1989
 *   G <= E G + ( sqrt(2 L (v + 2 N E G)) + 3 L ) / N      Klein and Rio 2005 */
double fy_mean_error(fy_scatter scatter, double N, double L)
{
    double mean = upper_mean(scatter.T, 2, L) / N;
    double v = fmin(upper_mean(scatter.Q, 1, L), N / 4);
    double by_range = sqrt(L / (2 * N));
    double by_variance = (sqrt(2 * L * (v + 2 * N * mean)) + 3 * L) / N;
    return fmin(1, mean + fmin(by_range, by_variance));
}

/* T grows like the square root of the draws, Q like the draws. */
double fy_mean_draws(fy_scatter scatter, double N, double L, double accuracy)
{
    const double max = 0x1p50;
    double draws = 2, error = 1;
    while (draws < max && error > accuracy) {
        draws = ceil(draws * 1.125);
        double growth = draws / N;
        fy_scatter then = {scatter.T * sqrt(growth), scatter.Q * growth};
        error = fy_mean_error(then, draws, L);
    }
    return draws;
}

/* ---------------------------------------------------------------------------- psi */

/* Draws that are asked for at once: enough for pipes, few enough for the cache. */
enum { BATCH = 1024 };

typedef struct estimate {
    foray_system *system;
    const fy_value *value;
    int64_t each; /* draws of every simulator in a batch */
    foray_system_query *query;
    double *state, *next;
    double *sum; /* [simulators] */
} estimate;

static foray_status add_value(estimate *e, int64_t i, const double *next)
{
    double value = e->value->at(e->value->user, next);
    if (!(value >= 0 && value <= e->value->range))
        return fy_fail(e->system->ctx, FORAY_ERROR_USAGE,
                       "a value of %g, but values must lie between 0 and %g", value,
                       e->value->range);
    e->sum[i] += value;
    return FORAY_OK;
}

/* Draws first..first+count-1, each by all simulators. */
static foray_status add_batch(estimate *e, uint64_t seed, int64_t action, int64_t first,
                              int64_t count)
{
    int64_t d = e->system->spec.simulators, n = e->system->spec.dimensions;
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = 0; i < d; i++)
            e->query[k * d + i] = (foray_system_query){
                .draw = {seed, (uint64_t)(first + k), 0}, .simulator = i, .action = action};
    foray_status status = foray_system_step(e->system, count * d, e->query, e->state, e->next);
    for (int64_t q = 0; q < count * d && status == FORAY_OK; q++)
        status = add_value(e, q % d, e->next + q * n);
    return status;
}

static foray_status run(estimate *e, const foray_draw *draw, const double *state, int64_t action,
                        int64_t draws, double *psi)
{
    int64_t d = e->system->spec.simulators, n = e->system->spec.dimensions;
    uint64_t seed = fy_random_bits(draw->seed, FY_STREAM_SYSTEM, draw->episode, draw->step, 0);
    for (int64_t k = 0; k < e->each * d * n; k++)
        e->state[k] = state[k % n];
    foray_status status = FORAY_OK;
    for (int64_t first = 0; first < draws && status == FORAY_OK; first += e->each) {
        int64_t count = draws - first < e->each ? draws - first : e->each;
        status = add_batch(e, seed, action, first, count);
    }
    for (int64_t i = 0; i < d && status == FORAY_OK; i++)
        psi[i] = e->sum[i] / (double)draws;
    return status;
}

static foray_status check_request(foray_context *ctx, const foray_system *system, double range,
                                  double accuracy, double delta)
{
    if (system->spec.simulators == 0)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s has no simulators to draw from",
                       system->spec.name);
    if (!(range > 0 && accuracy > 0 && delta > 0 && delta < 1) || !isfinite(range))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "range %g, accuracy %g, delta %g: all must be above 0, delta below 1", range,
                       accuracy, delta);
    return FORAY_OK;
}

foray_status fy_system_psi(foray_system *system, const foray_draw *draw, const double *state,
                           int64_t action, const fy_value *value, double accuracy, double delta,
                           double *psi, int64_t *draws)
{
    foray_context *ctx = system->ctx;
    foray_status status = check_request(ctx, system, value->range, accuracy, delta);
    if (status != FORAY_OK)
        return status;
    int64_t d = system->spec.simulators, n = system->spec.dimensions;
    int64_t needed = fy_monte_carlo_draws(value->range, accuracy, delta, (double)d);
    if (needed > FY_MAX_DRAWS / d)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "an accuracy of %g takes %.3g draws of each of %" PRId64
                       " simulators: too many",
                       accuracy, (double)needed, d);
    fy_arena arena = {.ctx = ctx};
    estimate e = {.system = system, .value = value};
    e.each = d < BATCH ? BATCH / d : 1;
    e.each = needed < e.each ? needed : e.each;
    status = FORAY_ERROR_MEMORY;
    if (FY_NEW(&arena, e.query, e.each * d) && FY_NEW(&arena, e.state, e.each * d * n) &&
        FY_NEW(&arena, e.next, e.each * d * n) && FY_NEW(&arena, e.sum, d))
        status = run(&e, draw, state, action, needed, psi);
    fy_arena_release(&arena);
    if (status == FORAY_OK && draws)
        *draws = needed;
    return status;
}
