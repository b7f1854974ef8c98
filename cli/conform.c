/* conform.c - does a system keep the contract? One suite for built-in systems, systems in C,
 * plug-ins and programs.
 *
 * The rule behind most checks: what an answer says depends on state, action, simulator and
 * draw of its question, and on nothing else; not on the order of questions, nor on those
 * before it, nor on how many are asked at once, nor on who asks. */
#include "conform.h"

#include "base/maths.h"
#include "system/system.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Questions that fit into the suite's arrays. */
enum { ROOM = 16384, DETAIL = 1024 };

typedef struct suite_state {
    foray_context *ctx;
    foray_system *system;
    const foray_system_spec *spec;
    int64_t n;     /* dimensions */
    int64_t draws; /* of the statistical check, for each pair */
    uint64_t seed;
    uint64_t fresh; /* episode number of the next draw that was not used before */
    /* The sample: questions that several checks ask, and their answers. */
    int64_t count;
    foray_system_query *query;
    double *state, *next;
    /* The same again, room for ROOM questions. */
    foray_system_query *other_query;
    double *other_state, *other_next;
    char detail[DETAIL];
} suite_state;

/* What a check came to: CLI_CHECK_PASSED, ... */
typedef cli_check_result check_fn(suite_state *suite);

/* ----------------------------------------------------------------- verdicts */

/* Sets the detail and returns the result. */
__attribute__((format(printf, 3, 4))) static cli_check_result
conclude(suite_state *suite, cli_check_result result, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fy_vformat(suite->detail, sizeof suite->detail, format, values);
    va_end(values);
    return result;
}

/* A check that failed with the message of the system. */
static cli_check_result refused(suite_state *suite)
{
    return conclude(suite, CLI_CHECK_FAILED, "%s", foray_message(suite->system->ctx));
}

/* A draw that was not used before. */
static foray_draw fresh_draw(suite_state *suite)
{
    return (foray_draw){.seed = suite->seed, .episode = suite->fresh++, .step = 1};
}

/* Random number `index` of a stream called `which`. */
static double uniform(const suite_state *suite, uint64_t which, uint32_t index)
{
    return fy_unit(fy_random_bits(suite->seed, FY_STREAM_TEST, which, 0, index));
}

/* A state of the box, or of a finite system, drawn uniformly. */
static void random_state(const suite_state *suite, uint64_t which, double *state)
{
    const foray_system_spec *spec = suite->spec;
    for (int64_t i = 0; i < suite->n; i++) {
        double u = uniform(suite, which, (uint32_t)i);
        state[i] = spec->states > 0
                       ? floor(u * (double)spec->states)
                       : fmin(spec->low[i] + u * (spec->high[i] - spec->low[i]), spec->high[i]);
    }
}

/* ---------------------------------------------------- mixtures, and speed */

/* Is reality a mixture of the simulators? And how fast do they answer?
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

enum { PAIRS = 6, MOMENTS = 2 };
static const double failure = 1e-6;

/* Sums over draws of X and X^2, for every way to compare and every f. */
typedef struct sums {
    int64_t ways; /* 1: weights known; else d */
    int64_t functions;
    double *sum, *square; /* [ways][functions] */
} sums;

/* f of one answer. */
static void evaluate(const suite_state *suite, const double *state, double *f)
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
static void add_draw(const suite_state *suite, sums *s, const double *answer)
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
static foray_status ask_pair(suite_state *suite, const double *state, int64_t action, sums *s)
{
    int64_t kinds = suite->spec->simulators + 1, n = suite->n;
    int64_t max = ROOM / kinds;
    for (int64_t done = 0; done < suite->draws;) {
        int64_t size = suite->draws - done < max ? suite->draws - done : max;
        for (int64_t i = 0; i < size * kinds; i++) {
            foray_draw draw = i % kinds == 0 ? fresh_draw(suite) : suite->other_query[i - 1].draw;
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
static void mean_interval(const suite_state *suite, const sums *s, int64_t index, double *mean,
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
static bool contradicts(const suite_state *suite, const sums *s, int64_t function,
                        double *deviation, double *allowed)
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

static cli_check_result check_pair(suite_state *suite, const sums *s, const double *state,
                                   int64_t action, double *deviation, double *allowed)
{
    const char *const *name = suite->spec->dimension_name;
    for (int64_t k = 0; k < s->functions; k++) {
        double worst = 0, width = 0;
        int64_t i = k / MOMENTS;
        if (contradicts(suite, s, k, &worst, &width))
            return conclude(
                suite, CLI_CHECK_FAILED,
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
    return CLI_CHECK_PASSED;
}

static int check_pairs(suite_state *suite, sums *s)
{
    double deviation = 0, allowed = 0;
    for (int64_t pair = 0; pair < PAIRS; pair++) {
        double state[FY_MAX_DIMENSIONS];
        int64_t action = pair % suite->spec->actions;
        random_state(suite, (uint64_t)(1000000 + pair), state);
        for (int64_t i = 0; i < s->ways * s->functions; i++)
            s->sum[i] = s->square[i] = 0;
        if (ask_pair(suite, state, action, s) != FORAY_OK)
            return refused(suite);
        cli_check_result result = check_pair(suite, s, state, action, &deviation, &allowed);
        if (result != CLI_CHECK_PASSED)
            return result;
    }
    if (!suite->system->weight)
        return conclude(suite, CLI_CHECK_PASSED,
                        "%d pairs, %" PRId64 " draws each: no evidence against it", PAIRS,
                        suite->draws);
    return conclude(suite, CLI_CHECK_PASSED,
                    "%d pairs, %" PRId64 " draws each: at most %.2g of the box away from the "
                    "weights, where chance explains %.2g",
                    PAIRS, suite->draws, deviation, allowed);
}

static cli_check_result check_mixture(suite_state *suite)
{
    int64_t d = suite->spec->simulators;
    if (d == 0 || d >= ROOM)
        return conclude(suite, CLI_CHECK_SKIPPED, "%s",
                        d ? "too many simulators" : "no simulators");
    sums s = {.ways = suite->system->weight ? 1 : d, .functions = MOMENTS * suite->n};
    foray_context *ctx = suite->system->ctx;
    cli_check_result result = CLI_CHECK_SKIPPED;
    if (FY_ALLOC(ctx, s.sum, s.ways * s.functions) && FY_ALLOC(ctx, s.square, s.ways * s.functions))
        result = check_pairs(suite, &s);
    else
        conclude(suite, CLI_CHECK_SKIPPED, "out of memory");
    free(s.sum);
    free(s.square);
    return result;
}

/* -------------------------------------------------------------------- speed */

/* Steps per second when `size` of the sample are asked at a time; negative: it failed. */
static double rate(suite_state *suite, int64_t size)
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

static cli_check_result check_speed(suite_state *suite)
{
    double alone = rate(suite, 1), together = rate(suite, suite->count);
    if (alone < 0 || together < 0)
        return refused(suite);
    return conclude(suite, CLI_CHECK_PASSED,
                    "%.3g steps/s one at a time, %.3g in batches of %" PRId64, alone, together,
                    suite->count);
}

/* ------------------------------------------------------------- the other checks */

enum { MIN_SAMPLE = 256, MAX_SAMPLE = 4096, RESETS = 64, EPISODES = 4, MAX_EPISODE = 1000 };
enum { SINGLES = 128, REWARD_STATES = 64, ASKERS = 2 };

/* ---------------------------------------------------------------- questions */

/* Every action under reality and every simulator, each in another state. */
static void make_sample(suite_state *suite)
{
    const foray_system_spec *spec = suite->spec;
    int64_t kinds = spec->simulators + 1;
    int64_t all = spec->actions > MAX_SAMPLE / kinds ? MAX_SAMPLE : spec->actions * kinds;
    suite->count = all > MIN_SAMPLE ? all : MIN_SAMPLE;
    for (int64_t i = 0; i < suite->count; i++) {
        suite->query[i] = (foray_system_query){.draw = fresh_draw(suite),
                                               .action = i % spec->actions,
                                               .simulator = i / spec->actions % kinds - 1};
        random_state(suite, (uint64_t)i, suite->state + i * suite->n);
    }
}

static bool same(const suite_state *suite, const double *one, const double *other)
{
    for (int64_t i = 0; i < suite->n; i++)
        if (one[i] != other[i])
            return false;
    return true;
}

/* "action 1, simulator -1 (reality), state 3.5 7" for messages. */
static const char *question_text(const suite_state *suite, int64_t i, char *text, size_t size)
{
    const foray_system_query *query = &suite->query[i];
    size_t at = (size_t)fy_format(text, size, "action %" PRId64 ", %s", query->action,
                                  query->simulator < 0 ? "reality" : "simulator");
    if (query->simulator >= 0)
        at += (size_t)fy_format(text + at, size - at, " %" PRId64, query->simulator);
    at += (size_t)fy_format(text + at, size - at, ", state");
    for (int64_t k = 0; k < suite->n && at < size; k++)
        at += (size_t)fy_format(text + at, size - at, " %.6g", suite->state[i * suite->n + k]);
    return text;
}

/* Are `count` answers those to the sample's questions first, first + stride, ...? */
static cli_check_result compare(suite_state *suite, int64_t count, int64_t first, int64_t stride,
                                const double *answer, const char *when)
{
    char question[256];
    for (int64_t k = 0; k < count; k++) {
        int64_t i = first + stride * k;
        const double *was = suite->next + i * suite->n, *is = answer + k * suite->n;
        for (int64_t c = 0; c < suite->n; c++)
            if (was[c] != is[c])
                return conclude(
                    suite, CLI_CHECK_FAILED,
                    "%s: coordinate %" PRId64 " of the answer was %.17g and is %.17g %s",
                    question_text(suite, i, question, sizeof question), c, was[c], is[c], when);
    }
    return conclude(suite, CLI_CHECK_PASSED, "%" PRId64 " questions", count);
}

/* ------------------------------------------------------------- spec, resets */

static const char *first_double(const char *const *name, int64_t count)
{
    for (int64_t i = 0; name && i < count; i++) {
        if (!name[i][0])
            return "(empty)";
        for (int64_t j = 0; j < i && j < MAX_SAMPLE; j++)
            if (strcmp(name[i], name[j]) == 0)
                return name[i];
    }
    return NULL;
}

static cli_check_result check_spec(suite_state *suite)
{
    const foray_system_spec *spec = suite->spec;
    const char *twice = first_double(spec->dimension_name, spec->dimensions);
    if (!twice)
        twice = first_double(spec->action_name, spec->actions);
    if (!twice)
        twice = first_double(spec->reward_name, spec->rewards);
    if (twice)
        return conclude(suite, CLI_CHECK_FAILED, "the name %s is used twice, or empty", twice);
    return conclude(suite, CLI_CHECK_PASSED,
                    "%s: %" PRId64 " %s, %" PRId64 " actions, %" PRId64
                    " simulators (weights %s), horizon %" PRId64 ", "
                    "%" PRId64 " rewards",
                    spec->name, (spec->states ? spec->states : suite->n),
                    spec->states ? "states" : "dimensions", spec->actions, spec->simulators,
                    suite->system->weight ? "known" : "not known", spec->horizon, spec->rewards);
}

static cli_check_result check_reset(suite_state *suite)
{
    double first[FY_MAX_DIMENSIONS], state[FY_MAX_DIMENSIONS];
    int64_t others = 0;
    for (int i = 0; i < RESETS; i++) {
        foray_draw draw = fresh_draw(suite);
        draw.step = 0;
        double *it = i == 0 ? first : state;
        if (foray_system_reset(suite->system, &draw, it) != FORAY_OK)
            return refused(suite);
        double again[FY_MAX_DIMENSIONS];
        if (foray_system_reset(suite->system, &draw, again) != FORAY_OK)
            return refused(suite);
        if (!same(suite, it, again))
            return conclude(suite, CLI_CHECK_FAILED, "the same draw gave two first states");
        others += i > 0 && !same(suite, first, state);
    }
    return conclude(suite, CLI_CHECK_PASSED, "%d resets, %s", RESETS,
                    others ? "first states vary" : "always the same first state");
}

/* Episode `k` of random actions, until the system says that it has ended: its states one behind the
 * other, at most `steps` after the first. False: it failed. */
static bool walk(suite_state *suite, uint64_t k, int64_t steps, double *state, int64_t *walked)
{
    foray_draw draw = {.seed = suite->seed, .episode = k};
    int64_t t = 0;
    if (foray_system_reset(suite->system, &draw, state) != FORAY_OK)
        return false;
    for (bool ended = false; t < steps && !ended; t++, state += suite->n) {
        draw.step = (uint32_t)t + 1;
        double u = uniform(suite, k, (uint32_t)(100 + t));
        foray_system_query query = {draw, FORAY_REALITY,
                                    (int64_t)(u * (double)suite->spec->actions)};
        if (foray_system_step(suite->system, 1, &query, state, state + suite->n) != FORAY_OK)
            return false;
        ended = fy_system_ended(suite->system, 0);
    }
    *walked = t;
    return true;
}

static cli_check_result check_episodes(suite_state *suite)
{
    int64_t steps = suite->spec->horizon < MAX_EPISODE ? suite->spec->horizon : MAX_EPISODE;
    int64_t walked, sum = 0;
    for (uint64_t k = 0; k < EPISODES; k++) {
        if (!walk(suite, suite->fresh++, steps, suite->other_state, &walked))
            return refused(suite);
        sum += walked;
    }
    if (sum < EPISODES * steps)
        return conclude(suite, CLI_CHECK_PASSED,
                        "%d episodes of random actions, some of which ended after fewer than "
                        "%" PRId64 " steps",
                        EPISODES, steps);
    return conclude(suite, CLI_CHECK_PASSED, "%d episodes of %" PRId64 " random actions", EPISODES,
                    steps);
}

/* What a sequential system owes instead of answers that do not depend on what it remembers: the
 * draw of a reset determines the episode. Another one in between must leave no trace. */
static cli_check_result check_replay(suite_state *suite)
{
    int64_t steps = suite->spec->horizon < MAX_EPISODE ? suite->spec->horizon : MAX_EPISODE;
    int64_t walked[2], other, n = suite->n;
    for (uint64_t k = 0; k < EPISODES; k++) {
        uint64_t one = suite->fresh++, another = suite->fresh++;
        if (!walk(suite, one, steps, suite->state, &walked[0]) ||
            !walk(suite, another, steps / 2, suite->other_state, &other) ||
            !walk(suite, one, steps, suite->next, &walked[1]))
            return refused(suite);
        for (int64_t t = 0; t <= walked[0] && t <= walked[1]; t++)
            if (!same(suite, suite->state + t * n, suite->next + t * n))
                return conclude(
                    suite, CLI_CHECK_FAILED,
                    "the same reset and actions gave another state after %" PRId64 " steps", t);
        if (walked[0] != walked[1])
            return conclude(suite, CLI_CHECK_FAILED,
                            "an episode ended after %" PRId64 " steps, and when it was repeated "
                            "after %" PRId64,
                            walked[0], walked[1]);
    }
    return conclude(suite, CLI_CHECK_PASSED, "%d episodes, repeated after others", EPISODES);
}

/* ------------------------------------------------------------------ answers */

/* The answers that all later checks compare with. */
static cli_check_result check_answers(suite_state *suite)
{
    const foray_system_spec *spec = suite->spec;
    int64_t border = 0;
    make_sample(suite);
    if (suite->system->ops.sequential)
        return conclude(suite, CLI_CHECK_SKIPPED,
                        "it is sequential: asked as an episode goes, and in no other order");
    if (foray_system_step(suite->system, suite->count, suite->query, suite->state, suite->next) !=
        FORAY_OK)
        return refused(suite);
    int64_t numbers = suite->count * suite->n;
    for (int64_t i = 0; i < numbers; i++)
        border +=
            suite->next[i] == spec->low[i % suite->n] || suite->next[i] == spec->high[i % suite->n];
    if (spec->states > 0)
        return conclude(suite, CLI_CHECK_PASSED, "%" PRId64 " questions, all answered with states",
                        suite->count);
    return conclude(suite, CLI_CHECK_PASSED,
                    "%" PRId64 " questions; %.3g%% of the answered numbers on the border",
                    suite->count, 100 * (double)border / (double)numbers);
}

/* In the same order, after a reset: nothing is remembered. */
static cli_check_result check_repeat(suite_state *suite)
{
    double state[FY_MAX_DIMENSIONS];
    foray_draw draw = {.seed = suite->seed, .episode = suite->fresh++};
    if (foray_system_reset(suite->system, &draw, state) != FORAY_OK ||
        foray_system_step(suite->system, suite->count, suite->query, suite->state,
                          suite->other_next) != FORAY_OK)
        return refused(suite);
    return compare(suite, suite->count, 0, 1, suite->other_next, "when asked again");
}

static cli_check_result check_order(suite_state *suite)
{
    int64_t count = suite->count, n = suite->n;
    for (int64_t i = 0; i < count; i++) {
        suite->other_query[i] = suite->query[count - 1 - i];
        memcpy(suite->other_state + i * n, suite->state + (count - 1 - i) * n,
               (size_t)n * sizeof *suite->state);
    }
    if (foray_system_step(suite->system, count, suite->other_query, suite->other_state,
                          suite->other_next) != FORAY_OK)
        return refused(suite);
    return compare(suite, count, count - 1, -1, suite->other_next, "in another order");
}

static cli_check_result check_single(suite_state *suite)
{
    int64_t n = suite->n, count = suite->count < SINGLES ? suite->count : SINGLES;
    int64_t stride = suite->count / count;
    for (int64_t k = 0; k < count; k++)
        if (foray_system_step(suite->system, 1, &suite->query[stride * k],
                              suite->state + stride * k * n, suite->other_next + k * n) != FORAY_OK)
            return refused(suite);
    return compare(suite, count, 0, stride, suite->other_next, "when asked alone");
}

/* The sample again and again in one batch. */
static cli_check_result check_many(suite_state *suite)
{
    int64_t n = suite->n, rounds = ROOM / suite->count;
    for (int64_t i = 0; i < rounds * suite->count; i++) {
        suite->other_query[i] = suite->query[i % suite->count];
        memcpy(suite->other_state + i * n, suite->state + i % suite->count * n,
               (size_t)n * sizeof *suite->state);
    }
    if (foray_system_step(suite->system, rounds * suite->count, suite->other_query,
                          suite->other_state, suite->other_next) != FORAY_OK)
        return refused(suite);
    for (int64_t round = 0; round < rounds; round++) {
        cli_check_result result =
            compare(suite, suite->count, 0, 1, suite->other_next + round * suite->count * n,
                    "in a large batch");
        if (result != CLI_CHECK_PASSED)
            return result;
    }
    return conclude(suite, CLI_CHECK_PASSED, "%" PRId64 " questions at once",
                    (rounds * suite->count));
}

/* ------------------------------------------------------------ what may vary */

/* Simulators that are said to be deterministic must be; of others that are it is good to know. */
static cli_check_result check_distribution(suite_state *suite, int64_t vary, int64_t simulated)
{
    bool said = suite->system->ops.deterministic;
    if (said && simulated >= 0) {
        char question[256];
        return conclude(suite, CLI_CHECK_FAILED,
                        "%s: the answer changes with the draw, but simulators are said to be "
                        "deterministic",
                        question_text(suite, simulated, question, sizeof question));
    }
    bool forgotten = !said && simulated < 0 && suite->spec->simulators > 0;
    return conclude(suite, CLI_CHECK_PASSED,
                    "%" PRId64 " of %" PRId64 " answers change with the draw%s", vary, suite->count,
                    forgotten ? ", none of a simulator: if they are deterministic, say so, and "
                                "models have no Monte Carlo error"
                              : "");
}

static cli_check_result check_randomness(suite_state *suite)
{
    int64_t vary = 0, simulated = -1; /* the last of a simulator's answers that do */
    memcpy(suite->other_query, suite->query, (size_t)suite->count * sizeof *suite->query);
    for (int64_t i = 0; i < suite->count; i++)
        suite->other_query[i].draw = fresh_draw(suite);
    if (foray_system_step(suite->system, suite->count, suite->other_query, suite->state,
                          suite->other_next) != FORAY_OK)
        return refused(suite);
    for (int64_t i = 0; i < suite->count; i++)
        if (!same(suite, suite->next + i * suite->n, suite->other_next + i * suite->n)) {
            vary++;
            simulated = suite->query[i].simulator >= 0 ? i : simulated;
        }
    return check_distribution(suite, vary, simulated);
}

/* One question to simulator i and to its neighbour: do they ever say different things? */
static cli_check_result check_simulators(suite_state *suite)
{
    int64_t d = suite->spec->simulators, n = suite->n, count = suite->count, alike = 0;
    if (d < 2)
        return conclude(suite, CLI_CHECK_SKIPPED, "%s", d ? "only one simulator" : "no simulators");
    memcpy(suite->other_query, suite->query, (size_t)count * sizeof *suite->query);
    for (int64_t i = 0; i < d; i++) {
        bool differ = false;
        for (int64_t k = 0; k < count; k++)
            suite->other_query[k].simulator = i;
        double *answer = suite->other_next + (i % 2) * count * n;
        const double *before = suite->other_next + ((i + 1) % 2) * count * n;
        if (foray_system_step(suite->system, count, suite->other_query, suite->state, answer) !=
            FORAY_OK)
            return refused(suite);
        for (int64_t k = 0; k < count && !differ; k++)
            differ = !same(suite, answer + k * n, before + k * n);
        alike += i > 0 && !differ;
    }
    if (alike == 0)
        return conclude(suite, CLI_CHECK_PASSED,
                        "%" PRId64 " simulators, each unlike the one before", d);
    return conclude(
        suite, CLI_CHECK_PASSED,
        "%" PRId64 " simulators answer like the one before: no data will tell them apart", alike);
}

static cli_check_result check_rewards(suite_state *suite)
{
    const foray_system_spec *spec = suite->spec;
    int64_t asked = 0;
    for (int64_t r = 0; r < spec->rewards; r++)
        for (int64_t i = 0; i < REWARD_STATES && i < suite->count; i++, asked++) {
            const double *state = suite->state + i * suite->n;
            double value, again;
            if (fy_system_value(suite->system, suite->system->ctx, r, state, i % spec->actions,
                                &value) != FORAY_OK ||
                fy_system_value(suite->system, suite->system->ctx, r, state, i % spec->actions,
                                &again) != FORAY_OK)
                return refused(suite);
            if (value != again)
                return conclude(suite, CLI_CHECK_FAILED,
                                "reward %s was %.17g and is %.17g when asked again",
                                spec->reward_name[r], value, again);
        }
    if (asked == 0)
        return conclude(suite, CLI_CHECK_SKIPPED, "no rewards");
    return conclude(suite, CLI_CHECK_PASSED, "%" PRId64 " values in [0,1]", asked);
}

typedef struct one_asker {
    const suite_state *suite;
    foray_context ctx;
    double *next;
    foray_status status;
} one_asker;

static void *ask_beside(void *argument)
{
    one_asker *a = argument;
    const suite_state *suite = a->suite;
    a->status =
        fy_system_ask(suite->system, &a->ctx, suite->count, suite->query, suite->state, a->next);
    return NULL;
}

/* The same questions from several threads at once, each with a context of its own. */
static cli_check_result check_threads(suite_state *suite)
{
    int64_t n = suite->n, count = suite->count;
    one_asker asker[ASKERS];
    pthread_t thread[ASKERS];
    bool started[ASKERS];
    if (!suite->system->ops.threads)
        return conclude(suite, CLI_CHECK_SKIPPED, "it is asked by one thread at a time");
    for (int i = 0; i < ASKERS; i++) {
        asker[i] = (one_asker){.suite = suite,
                               .ctx = {.threads = 1, .allocations_left = -1},
                               .next = suite->other_next + i * count * n};
        started[i] = i > 0 && pthread_create(&thread[i], NULL, ask_beside, &asker[i]) == 0;
    }
    for (int i = 0; i < ASKERS; i++)
        if (started[i])
            pthread_join(thread[i], NULL);
        else
            ask_beside(&asker[i]);
    for (int i = 0; i < ASKERS; i++) {
        if (asker[i].status != FORAY_OK)
            return conclude(suite, CLI_CHECK_FAILED, "%s", asker[i].ctx.message);
        cli_check_result result =
            compare(suite, count, 0, 1, suite->other_next + i * count * n, "when two threads ask");
        if (result != CLI_CHECK_PASSED)
            return result;
    }
    return conclude(suite, CLI_CHECK_PASSED, "%d threads at once", ASKERS);
}

/* -------------------------------------------------------------------- suite */

enum { NOTHING, QUESTIONS, ANSWERS };

typedef struct row {
    const char *name, *rule;
    check_fn *check;
    /* Of the sample: its answers, or its questions alone, which sequential systems have as well. */
    int needs;
} row;

static const row rows[] = {
    {"spec", "it describes itself", check_spec, NOTHING},
    {"reset", "first states are states, and the same for the same draw", check_reset, NOTHING},
    {"episodes", "reality can be stepped through", check_episodes, NOTHING},
    {"replay", "the draw of a reset determines the episode", check_replay, NOTHING},
    {"answers", "every action of every simulator leads to a state", check_answers, NOTHING},
    {"repeat", "the same question gets the same answer", check_repeat, ANSWERS},
    {"order", "the order of questions does not matter", check_order, ANSWERS},
    {"single", "a question alone gets the answer it gets among others", check_single, ANSWERS},
    {"many", "large batches get the same answers", check_many, ANSWERS},
    {"threads", "it does not matter which thread asks", check_threads, ANSWERS},
    {"randomness", "what the draw changes", check_randomness, ANSWERS},
    {"simulators", "simulators differ", check_simulators, ANSWERS},
    {"mixture", "reality is a mixture of the simulators", check_mixture, NOTHING},
    {"rewards", "rewards lie in [0,1], and are the same when asked again", check_rewards,
     QUESTIONS},
    {"speed", "how fast it answers", check_speed, ANSWERS},
};

static foray_status allocate_suite(foray_context *ctx, suite_state *suite)
{
    int64_t n = suite->n;
    if (FY_ALLOC(ctx, suite->query, MAX_SAMPLE) && FY_ALLOC(ctx, suite->state, MAX_SAMPLE * n) &&
        FY_ALLOC(ctx, suite->next, MAX_SAMPLE * n) && FY_ALLOC(ctx, suite->other_query, ROOM) &&
        FY_ALLOC(ctx, suite->other_state, ROOM * n) && FY_ALLOC(ctx, suite->other_next, ROOM * n))
        return FORAY_OK;
    return FORAY_ERROR_MEMORY;
}

/* Does it answer at all? A wrong answer is one, too. */
static bool is_alive(const suite_state *suite)
{
    double state[FY_MAX_DIMENSIONS];
    foray_draw draw = {.seed = suite->seed};
    return suite->system->ops.reset(suite->system->self, &draw, state) == FORAY_OK;
}

static foray_status run(suite_state *suite, cli_check_fn fn, void *user, int64_t *failed)
{
    bool alive = true;
    int sampled = NOTHING;
    char cause[DETAIL] = "";
    *failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        suite->detail[0] = 0;
        if (rows[i].check == check_replay && !suite->system->ops.sequential)
            continue;
        cli_check_result result =
            !alive ? conclude(suite, CLI_CHECK_SKIPPED, "the world has stopped")
            : rows[i].needs > sampled
                ? conclude(suite, CLI_CHECK_SKIPPED, "there are no answers to compare with")
                : rows[i].check(suite);
        if (rows[i].check == check_answers)
            sampled = result == CLI_CHECK_PASSED    ? ANSWERS
                      : result == CLI_CHECK_SKIPPED ? QUESTIONS
                                                    : NOTHING;
        cli_check check = {rows[i].name, rows[i].rule, result, suite->detail};
        fn(user, &check);
        *failed += result == CLI_CHECK_FAILED;
        if (result == CLI_CHECK_FAILED && !is_alive(suite)) {
            alive = false;
            memcpy(cause, suite->detail, sizeof cause);
        }
    }
    return alive ? FORAY_OK : fy_fail(suite->ctx, FORAY_ERROR_WORLD, "%s", cause);
}

foray_status cli_system_conform(foray_context *ctx, foray_system *system, int64_t draws,
                                uint64_t seed, cli_check_fn fn, void *user, int64_t *failed)
{
    suite_state suite = {.ctx = ctx,
                         .system = system,
                         .spec = &system->spec,
                         .n = system->spec.dimensions,
                         .draws = draws,
                         .seed = seed};
    if (draws < 2)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%" PRId64 " draws, but a deviation needs at least 2", draws);
    int64_t count = 0;
    foray_status status = allocate_suite(ctx, &suite);
    if (status == FORAY_OK)
        status = run(&suite, fn, user, &count);
    if (status == FORAY_OK || status == FORAY_ERROR_WORLD)
        *failed = count;
    free(suite.query);
    free(suite.state);
    free(suite.next);
    free(suite.other_query);
    free(suite.other_state);
    free(suite.other_next);
    return status;
}
