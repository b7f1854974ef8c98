/* conform.c - does a system keep the contract? One suite for built-in systems, systems in C,
 * plug-ins and programs.
 *
 * The rule behind most checks: what an answer says depends on state, action, simulator and
 * draw of its question, and on nothing else; not on the order of questions, nor on those
 * before it, nor on how many are asked at once, nor on who asks. */
#include "outside/conform.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_LEAST = 256, SAMPLE_MOST = 4096, RESETS = 64, EPISODES = 4, EPISODE_MOST = 1000 };
enum { SINGLES = 128, REWARD_STATES = 64, ASKERS = 2 };

/* ----------------------------------------------------------------- verdicts */

foray_check_result fy_conclude(fy_suite *suite, foray_check_result result, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fy_vformat(suite->detail, sizeof suite->detail, format, values);
    va_end(values);
    return result;
}

foray_check_result fy_check_refused(fy_suite *suite)
{
    return fy_conclude(suite, FORAY_CHECK_FAILED, "%s", foray_message(suite->system->ctx));
}

/* ---------------------------------------------------------------- questions */

foray_draw fy_suite_draw(fy_suite *suite)
{
    return (foray_draw){.seed = suite->seed, .episode = suite->fresh++, .step = 1};
}

double fy_suite_uniform(const fy_suite *suite, uint64_t which, uint32_t index)
{
    return fy_unit(fy_random_bits(suite->seed, FY_STREAM_TEST, which, 0, index));
}

void fy_suite_state(const fy_suite *suite, uint64_t which, double *state)
{
    const foray_system_spec *spec = suite->spec;
    for (int64_t i = 0; i < suite->n; i++) {
        double u = fy_suite_uniform(suite, which, (uint32_t)i);
        state[i] = spec->states > 0
                       ? floor(u * (double)spec->states)
                       : fmin(spec->low[i] + u * (spec->high[i] - spec->low[i]), spec->high[i]);
    }
}

/* Every action under reality and every simulator, each in another state. */
static void make_sample(fy_suite *suite)
{
    const foray_system_spec *spec = suite->spec;
    int64_t kinds = spec->simulators + 1;
    int64_t all = spec->actions > SAMPLE_MOST / kinds ? SAMPLE_MOST : spec->actions * kinds;
    suite->count = all > SAMPLE_LEAST ? all : SAMPLE_LEAST;
    for (int64_t i = 0; i < suite->count; i++) {
        suite->query[i] = (foray_system_query){.draw = fy_suite_draw(suite),
                                               .action = i % spec->actions,
                                               .simulator = i / spec->actions % kinds - 1};
        fy_suite_state(suite, (uint64_t)i, suite->state + i * suite->n);
    }
}

static bool same(const fy_suite *suite, const double *one, const double *other)
{
    for (int64_t i = 0; i < suite->n; i++)
        if (one[i] != other[i])
            return false;
    return true;
}

/* "action 1, simulator -1 (reality), state 3.5 7" for messages. */
static const char *question_text(const fy_suite *suite, int64_t i, char *text, size_t size)
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
static foray_check_result compare(fy_suite *suite, int64_t count, int64_t first, int64_t stride,
                                  const double *answer, const char *when)
{
    char question[256];
    for (int64_t k = 0; k < count; k++) {
        int64_t i = first + stride * k;
        const double *was = suite->next + i * suite->n, *is = answer + k * suite->n;
        for (int64_t c = 0; c < suite->n; c++)
            if (was[c] != is[c])
                return fy_conclude(
                    suite, FORAY_CHECK_FAILED,
                    "%s: coordinate %" PRId64 " of the answer was %.17g and is %.17g %s",
                    question_text(suite, i, question, sizeof question), c, was[c], is[c], when);
    }
    return fy_conclude(suite, FORAY_CHECK_PASSED, "%" PRId64 " questions", count);
}

/* ------------------------------------------------------------- spec, resets */

static const char *first_double(const char *const *name, int64_t count)
{
    for (int64_t i = 0; name && i < count; i++) {
        if (!name[i][0])
            return "(empty)";
        for (int64_t j = 0; j < i && j < SAMPLE_MOST; j++)
            if (strcmp(name[i], name[j]) == 0)
                return name[i];
    }
    return NULL;
}

static foray_check_result check_spec(fy_suite *suite)
{
    const foray_system_spec *spec = suite->spec;
    const char *twice = first_double(spec->dimension_name, spec->dimensions);
    if (!twice)
        twice = first_double(spec->action_name, spec->actions);
    if (!twice)
        twice = first_double(spec->reward_name, spec->rewards);
    if (twice)
        return fy_conclude(suite, FORAY_CHECK_FAILED, "the name %s is used twice, or empty", twice);
    return fy_conclude(suite, FORAY_CHECK_PASSED,
                       "%s: %" PRId64 " %s, %" PRId64 " actions, %" PRId64
                       " simulators (weights %s), horizon %" PRId64 ", "
                       "%" PRId64 " rewards",
                       spec->name, (spec->states ? spec->states : suite->n),
                       spec->states ? "states" : "dimensions", spec->actions, spec->simulators,
                       suite->system->weight ? "known" : "not known", spec->horizon, spec->rewards);
}

static foray_check_result check_reset(fy_suite *suite)
{
    double first[FY_MAX_DIMENSIONS], state[FY_MAX_DIMENSIONS];
    int64_t others = 0;
    for (int i = 0; i < RESETS; i++) {
        foray_draw draw = fy_suite_draw(suite);
        draw.step = 0;
        double *it = i == 0 ? first : state;
        if (foray_system_reset(suite->system, &draw, it) != FORAY_OK)
            return fy_check_refused(suite);
        double again[FY_MAX_DIMENSIONS];
        if (foray_system_reset(suite->system, &draw, again) != FORAY_OK)
            return fy_check_refused(suite);
        if (!same(suite, it, again))
            return fy_conclude(suite, FORAY_CHECK_FAILED, "the same draw gave two first states");
        others += i > 0 && !same(suite, first, state);
    }
    return fy_conclude(suite, FORAY_CHECK_PASSED, "%d resets, %s", RESETS,
                       others ? "first states vary" : "always the same first state");
}

/* Episode `k` of random actions, until the system says that it has ended: its states one behind the
 * other, at most `steps` after the first. False: it failed. */
static bool walk(fy_suite *suite, uint64_t k, int64_t steps, double *state, int64_t *walked)
{
    foray_draw draw = {.seed = suite->seed, .episode = k};
    int64_t t = 0;
    if (foray_system_reset(suite->system, &draw, state) != FORAY_OK)
        return false;
    for (bool ended = false; t < steps && !ended; t++, state += suite->n) {
        draw.step = (uint32_t)t + 1;
        double u = fy_suite_uniform(suite, k, (uint32_t)(100 + t));
        foray_system_query query = {draw, FORAY_REALITY,
                                    (int64_t)(u * (double)suite->spec->actions)};
        if (foray_system_step(suite->system, 1, &query, state, state + suite->n) != FORAY_OK)
            return false;
        ended = fy_system_ended(suite->system, 0);
    }
    *walked = t;
    return true;
}

static foray_check_result check_episodes(fy_suite *suite)
{
    int64_t steps = suite->spec->horizon < EPISODE_MOST ? suite->spec->horizon : EPISODE_MOST;
    int64_t walked, sum = 0;
    for (uint64_t k = 0; k < EPISODES; k++) {
        if (!walk(suite, suite->fresh++, steps, suite->other_state, &walked))
            return fy_check_refused(suite);
        sum += walked;
    }
    if (sum < EPISODES * steps)
        return fy_conclude(suite, FORAY_CHECK_PASSED,
                           "%d episodes of random actions, some of which ended after fewer than "
                           "%" PRId64 " steps",
                           EPISODES, steps);
    return fy_conclude(suite, FORAY_CHECK_PASSED, "%d episodes of %" PRId64 " random actions",
                       EPISODES, steps);
}

/* What a sequential system owes instead of answers that do not depend on what it remembers: the
 * draw of a reset determines the episode. Another one in between must leave no trace. */
static foray_check_result check_replay(fy_suite *suite)
{
    int64_t steps = suite->spec->horizon < EPISODE_MOST ? suite->spec->horizon : EPISODE_MOST;
    int64_t walked[2], other, n = suite->n;
    for (uint64_t k = 0; k < EPISODES; k++) {
        uint64_t one = suite->fresh++, another = suite->fresh++;
        if (!walk(suite, one, steps, suite->state, &walked[0]) ||
            !walk(suite, another, steps / 2, suite->other_state, &other) ||
            !walk(suite, one, steps, suite->next, &walked[1]))
            return fy_check_refused(suite);
        for (int64_t t = 0; t <= walked[0] && t <= walked[1]; t++)
            if (!same(suite, suite->state + t * n, suite->next + t * n))
                return fy_conclude(
                    suite, FORAY_CHECK_FAILED,
                    "the same reset and actions gave another state after %" PRId64 " steps", t);
        if (walked[0] != walked[1])
            return fy_conclude(suite, FORAY_CHECK_FAILED,
                               "an episode ended after %" PRId64 " steps, and when it was repeated "
                               "after %" PRId64,
                               walked[0], walked[1]);
    }
    return fy_conclude(suite, FORAY_CHECK_PASSED, "%d episodes, repeated after others", EPISODES);
}

/* ------------------------------------------------------------------ answers */

/* The answers that all later checks compare with. */
static foray_check_result check_answers(fy_suite *suite)
{
    const foray_system_spec *spec = suite->spec;
    int64_t border = 0;
    make_sample(suite);
    if (suite->system->ops.sequential)
        return fy_conclude(suite, FORAY_CHECK_SKIPPED,
                           "it is sequential: asked as an episode goes, and in no other order");
    if (foray_system_step(suite->system, suite->count, suite->query, suite->state, suite->next) !=
        FORAY_OK)
        return fy_check_refused(suite);
    int64_t numbers = suite->count * suite->n;
    for (int64_t i = 0; i < numbers; i++)
        border +=
            suite->next[i] == spec->low[i % suite->n] || suite->next[i] == spec->high[i % suite->n];
    if (spec->states > 0)
        return fy_conclude(suite, FORAY_CHECK_PASSED,
                           "%" PRId64 " questions, all answered with states", suite->count);
    return fy_conclude(suite, FORAY_CHECK_PASSED,
                       "%" PRId64 " questions; %.3g%% of the answered numbers on the border",
                       suite->count, 100 * (double)border / (double)numbers);
}

/* In the same order, after a reset: nothing is remembered. */
static foray_check_result check_repeat(fy_suite *suite)
{
    double state[FY_MAX_DIMENSIONS];
    foray_draw draw = {.seed = suite->seed, .episode = suite->fresh++};
    if (foray_system_reset(suite->system, &draw, state) != FORAY_OK ||
        foray_system_step(suite->system, suite->count, suite->query, suite->state,
                          suite->other_next) != FORAY_OK)
        return fy_check_refused(suite);
    return compare(suite, suite->count, 0, 1, suite->other_next, "when asked again");
}

static foray_check_result check_order(fy_suite *suite)
{
    int64_t count = suite->count, n = suite->n;
    for (int64_t i = 0; i < count; i++) {
        suite->other_query[i] = suite->query[count - 1 - i];
        memcpy(suite->other_state + i * n, suite->state + (count - 1 - i) * n,
               (size_t)n * sizeof *suite->state);
    }
    if (foray_system_step(suite->system, count, suite->other_query, suite->other_state,
                          suite->other_next) != FORAY_OK)
        return fy_check_refused(suite);
    return compare(suite, count, count - 1, -1, suite->other_next, "in another order");
}

static foray_check_result check_single(fy_suite *suite)
{
    int64_t n = suite->n, count = suite->count < SINGLES ? suite->count : SINGLES;
    int64_t stride = suite->count / count;
    for (int64_t k = 0; k < count; k++)
        if (foray_system_step(suite->system, 1, &suite->query[stride * k],
                              suite->state + stride * k * n, suite->other_next + k * n) != FORAY_OK)
            return fy_check_refused(suite);
    return compare(suite, count, 0, stride, suite->other_next, "when asked alone");
}

/* The sample again and again in one batch. */
static foray_check_result check_many(fy_suite *suite)
{
    int64_t n = suite->n, rounds = FY_SUITE_ROOM / suite->count;
    for (int64_t i = 0; i < rounds * suite->count; i++) {
        suite->other_query[i] = suite->query[i % suite->count];
        memcpy(suite->other_state + i * n, suite->state + i % suite->count * n,
               (size_t)n * sizeof *suite->state);
    }
    if (foray_system_step(suite->system, rounds * suite->count, suite->other_query,
                          suite->other_state, suite->other_next) != FORAY_OK)
        return fy_check_refused(suite);
    for (int64_t round = 0; round < rounds; round++) {
        foray_check_result result =
            compare(suite, suite->count, 0, 1, suite->other_next + round * suite->count * n,
                    "in a large batch");
        if (result != FORAY_CHECK_PASSED)
            return result;
    }
    return fy_conclude(suite, FORAY_CHECK_PASSED, "%" PRId64 " questions at once",
                       (rounds * suite->count));
}

/* ------------------------------------------------------------ what may vary */

/* Simulators that are said to be deterministic must be; of others that are it is good to know. */
static foray_check_result check_distribution(fy_suite *suite, int64_t vary, int64_t simulated)
{
    bool said = suite->system->ops.deterministic;
    if (said && simulated >= 0) {
        char question[256];
        return fy_conclude(suite, FORAY_CHECK_FAILED,
                           "%s: the answer changes with the draw, but simulators are said to be "
                           "deterministic",
                           question_text(suite, simulated, question, sizeof question));
    }
    bool forgotten = !said && simulated < 0 && suite->spec->simulators > 0;
    return fy_conclude(suite, FORAY_CHECK_PASSED,
                       "%" PRId64 " of %" PRId64 " answers change with the draw%s", vary,
                       suite->count,
                       forgotten ? ", none of a simulator: if they are deterministic, say so, and "
                                   "models have no Monte Carlo error"
                                 : "");
}

static foray_check_result check_randomness(fy_suite *suite)
{
    int64_t vary = 0, simulated = -1; /* the last of a simulator's answers that do */
    memcpy(suite->other_query, suite->query, (size_t)suite->count * sizeof *suite->query);
    for (int64_t i = 0; i < suite->count; i++)
        suite->other_query[i].draw = fy_suite_draw(suite);
    if (foray_system_step(suite->system, suite->count, suite->other_query, suite->state,
                          suite->other_next) != FORAY_OK)
        return fy_check_refused(suite);
    for (int64_t i = 0; i < suite->count; i++)
        if (!same(suite, suite->next + i * suite->n, suite->other_next + i * suite->n)) {
            vary++;
            simulated = suite->query[i].simulator >= 0 ? i : simulated;
        }
    return check_distribution(suite, vary, simulated);
}

/* One question to simulator i and to its neighbour: do they ever say different things? */
static foray_check_result check_simulators(fy_suite *suite)
{
    int64_t d = suite->spec->simulators, n = suite->n, count = suite->count, alike = 0;
    if (d < 2)
        return fy_conclude(suite, FORAY_CHECK_SKIPPED, "%s",
                           d ? "only one simulator" : "no simulators");
    memcpy(suite->other_query, suite->query, (size_t)count * sizeof *suite->query);
    for (int64_t i = 0; i < d; i++) {
        bool differ = false;
        for (int64_t k = 0; k < count; k++)
            suite->other_query[k].simulator = i;
        double *answer = suite->other_next + (i % 2) * count * n;
        const double *before = suite->other_next + ((i + 1) % 2) * count * n;
        if (foray_system_step(suite->system, count, suite->other_query, suite->state, answer) !=
            FORAY_OK)
            return fy_check_refused(suite);
        for (int64_t k = 0; k < count && !differ; k++)
            differ = !same(suite, answer + k * n, before + k * n);
        alike += i > 0 && !differ;
    }
    if (alike == 0)
        return fy_conclude(suite, FORAY_CHECK_PASSED,
                           "%" PRId64 " simulators, each unlike the one before", d);
    return fy_conclude(
        suite, FORAY_CHECK_PASSED,
        "%" PRId64 " simulators answer like the one before: no data will tell them apart", alike);
}

static foray_check_result check_rewards(fy_suite *suite)
{
    const foray_system_spec *spec = suite->spec;
    int64_t asked = 0;
    for (int64_t r = 0; r < spec->rewards; r++)
        for (int64_t i = 0; i < REWARD_STATES && i < suite->count; i++, asked++) {
            const double *state = suite->state + i * suite->n;
            double value, again;
            if (foray_system_reward(suite->system, r, state, i % spec->actions, &value) !=
                    FORAY_OK ||
                foray_system_reward(suite->system, r, state, i % spec->actions, &again) != FORAY_OK)
                return fy_check_refused(suite);
            if (value != again)
                return fy_conclude(suite, FORAY_CHECK_FAILED,
                                   "reward %s was %.17g and is %.17g when asked again",
                                   spec->reward_name[r], value, again);
        }
    if (asked == 0)
        return fy_conclude(suite, FORAY_CHECK_SKIPPED, "no rewards");
    return fy_conclude(suite, FORAY_CHECK_PASSED, "%" PRId64 " values in [0,1]", asked);
}

/* The same questions from several threads at once, each with a context of its own. */
static foray_check_result check_threads(fy_suite *suite)
{
    int64_t n = suite->n, count = suite->count;
    foray_context own[ASKERS];
    foray_status status[ASKERS];
    if (!suite->system->ops.threads)
        return fy_conclude(suite, FORAY_CHECK_SKIPPED, "it is asked by one thread at a time");
#pragma omp parallel for num_threads(ASKERS) schedule(static, 1)
    for (int i = 0; i < ASKERS; i++) {
        own[i] = (foray_context){.threads = 1, .allocations_left = -1};
        status[i] = fy_system_ask(suite->system, &own[i], count, suite->query, suite->state,
                                  suite->other_next + i * count * n);
    }
    for (int i = 0; i < ASKERS; i++) {
        if (status[i] != FORAY_OK)
            return fy_conclude(suite, FORAY_CHECK_FAILED, "%s", own[i].message);
        foray_check_result result =
            compare(suite, count, 0, 1, suite->other_next + i * count * n, "when two threads ask");
        if (result != FORAY_CHECK_PASSED)
            return result;
    }
    return fy_conclude(suite, FORAY_CHECK_PASSED, "%d threads at once", ASKERS);
}

/* -------------------------------------------------------------------- suite */

enum { NOTHING, QUESTIONS, ANSWERS };

typedef struct row {
    const char *name, *rule;
    fy_check_fn *check;
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
    {"mixture", "reality is a mixture of the simulators", fy_check_mixture, NOTHING},
    {"rewards", "rewards lie in [0,1], and are the same when asked again", check_rewards,
     QUESTIONS},
    {"speed", "how fast it answers", fy_check_speed, ANSWERS},
};

static foray_status allocate_suite(foray_context *ctx, fy_suite *suite)
{
    int64_t n = suite->n;
    if (FY_ALLOC(ctx, suite->query, SAMPLE_MOST) && FY_ALLOC(ctx, suite->state, SAMPLE_MOST * n) &&
        FY_ALLOC(ctx, suite->next, SAMPLE_MOST * n) &&
        FY_ALLOC(ctx, suite->other_query, FY_SUITE_ROOM) &&
        FY_ALLOC(ctx, suite->other_state, FY_SUITE_ROOM * n) &&
        FY_ALLOC(ctx, suite->other_next, FY_SUITE_ROOM * n))
        return FORAY_OK;
    return FORAY_ERROR_MEMORY;
}

/* Does it answer at all? A wrong answer is one, too. */
static bool is_alive(const fy_suite *suite)
{
    double state[FY_MAX_DIMENSIONS];
    foray_draw draw = {.seed = suite->seed};
    return suite->system->ops.reset(suite->system->self, &draw, state) == FORAY_OK;
}

static foray_status run(fy_suite *suite, foray_check_fn fn, void *user, int64_t *failed)
{
    bool alive = true;
    int sampled = NOTHING;
    char cause[FY_SUITE_DETAIL] = "";
    *failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        suite->detail[0] = 0;
        if (rows[i].check == check_replay && !suite->system->ops.sequential)
            continue;
        foray_check_result result =
            !alive ? fy_conclude(suite, FORAY_CHECK_SKIPPED, "the world has stopped")
            : rows[i].needs > sampled
                ? fy_conclude(suite, FORAY_CHECK_SKIPPED, "there are no answers to compare with")
                : rows[i].check(suite);
        if (rows[i].check == check_answers)
            sampled = result == FORAY_CHECK_PASSED    ? ANSWERS
                      : result == FORAY_CHECK_SKIPPED ? QUESTIONS
                                                      : NOTHING;
        foray_check check = {rows[i].name, rows[i].rule, result, suite->detail};
        fn(user, &check);
        *failed += result == FORAY_CHECK_FAILED;
        if (result == FORAY_CHECK_FAILED && !is_alive(suite)) {
            alive = false;
            memcpy(cause, suite->detail, sizeof cause);
        }
    }
    return alive ? FORAY_OK : fy_fail(suite->ctx, FORAY_ERROR_WORLD, "%s", cause);
}

foray_status foray_system_check(foray_context *ctx, foray_system *system, int64_t draws,
                                uint64_t seed, foray_check_fn fn, void *user, int64_t *failed)
{
    fy_suite suite = {.ctx = ctx,
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
