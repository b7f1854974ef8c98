/* test_rollout.c - returns in reality, their intervals, and the policy to compare with. */
#include "support.h"

#include "base/base.h"
#include "system/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static foray_context *ctx;

static int set_up(void **state)
{
    (void)state;
    ctx = foray_context_create();
    return ctx ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    foray_context_destroy(ctx);
    return 0;
}

/* ------------------------------------------------------------------ intervals */

/* The bound written out for numbers that can be added up by hand: 0, 1, 1, 1 have mean 3/4
 * and variance 1/4. */
static void interval_is_the_formula(void **unused)
{
    (void)unused;
    const double value[] = {0, 1, 1, 1};
    double wide[4000];
    foray_return found;
    for (int i = 0; i < 4000; i++)
        wide[i] = value[i % 4];
    support_ok(ctx, foray_mean_interval(ctx, 4, value, 0, 1, 0.9, &found));
    assert_true(found.mean == 0.75 && found.low == 0 && found.high == 1 && found.episodes == 4);
    assert_true(fabs(found.deviation - 0.5) < 1e-15);
    support_ok(ctx, foray_mean_interval(ctx, 4000, wide, 0, 2, 0.9, &found));
    double L = log(2 / 0.05), V = 750.0 / 3999,
           width = sqrt(2 * V * L / 4000) + 14 * L / (3 * 3999);
    assert_true(fabs(found.low - (0.75 - width)) < 1e-12);
    assert_true(fabs(found.high - (0.75 + width)) < 1e-12);
}

/* Laws in [0,1] with mean p, from tame to nearly all or nothing. */
static double draw_law(int law, support_random *random)
{
    double u = support_uniform(random);
    return law == 0 ? u : law == 1 ? (u < 0.02 ? 1 : 0) : (u < 0.5 ? 0.45 : 0.55);
}
static const double law_mean[] = {0.5, 0.02, 0.5};
enum { LAWS = 3 };

/* How many of 500 intervals of confidence 0.9 from n numbers miss the mean; *width is their
 * mean half-width. */
static int misses(int law, int64_t n, double *width)
{
    double *value = calloc((size_t)n, sizeof *value);
    int missed = 0;
    *width = 0;
    for (uint64_t trial = 0; trial < 500; trial++) {
        support_random random = {.seed = 77 + trial};
        foray_return found;
        for (int64_t i = 0; i < n; i++)
            value[i] = draw_law(law, &random);
        support_ok(ctx, foray_mean_interval(ctx, n, value, 0, 1, 0.9, &found));
        missed += found.low > law_mean[law] || found.high < law_mean[law];
        *width += (found.high - found.low) / 1000;
    }
    free(value);
    return missed;
}

/* Were the true share of misses 0.1, more than 80 of 500 would come with probability below
 * exp(-2 * 500 * 0.06^2) = 0.03 at a fixed seed that is known to pass; a bound that is
 * not valid misses far more often. It must not be idle either: with many numbers it comes
 * within a factor of three of the normal interval, 1.645 sigma/sqrt(n). */
static void intervals_hold_and_are_not_idle(void **unused)
{
    (void)unused;
    const double deviation[] = {sqrt(1.0 / 12), 0.14, 0.05};
    double width;
    for (int law = 0; law < LAWS; law++) {
        assert_true(misses(law, 10, &width) <= 80);
        assert_true(misses(law, 100, &width) <= 80);
        assert_true(misses(law, 20000, &width) <= 80);
        assert_true(width < 3 * 1.645 * deviation[law] / sqrt(20000));
    }
}

static void senseless_intervals_are_refused(void **unused)
{
    (void)unused;
    const double value[] = {0.5, 0.5};
    foray_return found = {.mean = -1};
    assert_int_equal(foray_mean_interval(ctx, 1, value, 0, 1, 0.9, &found), FORAY_ERROR_USAGE);
    assert_int_equal(foray_mean_interval(ctx, 2, value, 1, 0, 0.9, &found), FORAY_ERROR_USAGE);
    assert_int_equal(foray_mean_interval(ctx, 2, value, 0, 1, 1, &found), FORAY_ERROR_USAGE);
    assert_int_equal(foray_mean_interval(ctx, 2, value, 0, NAN, 0.9, &found), FORAY_ERROR_USAGE);
    assert_true(found.mean == -1);
}

/* ------------------------------------------------------------------- rollouts */

typedef struct scene {
    foray_system *system;
    foray_clusters *clusters;
    foray_policy policy;
} scene;

/* A policy that means nothing, but differs from cluster to cluster and step to step. */
static void open_scene(const char *system, const char *clusters, scene *s)
{
    support_ok(ctx, foray_system_open(ctx, system, &s->system));
    support_ok(ctx, foray_clusters_parse(ctx, s->system, clusters, &s->clusters));
    const foray_system_spec *spec = foray_system_describe(s->system);
    int64_t count = foray_clusters_count(s->clusters);
    s->policy = (foray_policy){.states = count, .actions = spec->actions, .horizon = spec->horizon};
    s->policy.action = calloc((size_t)(count * spec->horizon), sizeof *s->policy.action);
    for (int64_t i = 0; i < count * spec->horizon; i++)
        s->policy.action[i] = (int32_t)(i * 7919 % 101 % spec->actions);
}

static void close_scene(scene *s)
{
    free(s->policy.action);
    foray_clusters_destroy(s->clusters);
    foray_system_destroy(s->system);
}

/* One episode after the other, one step after the other. */
static double slow_return(scene *s, int64_t index, uint64_t episode, uint64_t seed)
{
    const foray_system_spec *spec = foray_system_describe(s->system);
    foray_system_query query = {.draw = {.seed = seed, .episode = ((uint64_t)1 << 62) + episode},
                                .simulator = FORAY_REALITY};
    double state[2], next[2], value, total = 0;
    support_ok(ctx, foray_system_reset(s->system, &query.draw, state));
    for (int64_t t = 0; t < spec->horizon; t++) {
        query.action = foray_policy_act(&s->policy, s->clusters, t, state);
        query.draw.step = (uint32_t)t + 1;
        support_ok(ctx,
                   fy_system_value(s->system, s->system->ctx, index, state, query.action, &value));
        support_ok(ctx, foray_system_step(s->system, 1, &query, state, next));
        total += value;
        memcpy(state, next, sizeof state);
    }
    return total;
}

static void rollouts_are_episodes_in_reality(void **unused)
{
    (void)unused;
    enum { EPISODES = 300 }; /* more than walk side by side */
    const char *const system[] = {"pendulum", "mountaincar", "tank"};
    double *value = calloc(EPISODES, sizeof *value);
    for (int i = 0; i < 3; i++) {
        scene s;
        open_scene(system[i], "grid:7x5", &s);
        support_ok(ctx, foray_rollout(ctx, s.system, s.clusters, &s.policy, 2, NULL, 0, EPISODES, 5,
                                      value));
        for (uint64_t e = 0; e < EPISODES; e += 23)
            assert_true(value[e] == slow_return(&s, 2, e, 5));
        close_scene(&s);
    }
    free(value);
}

/* The same seed, the same returns, however many episodes are asked for. */
static void rollouts_depend_on_the_seed_alone(void **unused)
{
    (void)unused;
    double one[40], other[40], more[40];
    scene s;
    open_scene("tank", "grid:5x5", &s);
    support_ok(ctx, foray_rollout(ctx, s.system, s.clusters, &s.policy, 0, NULL, 0, 20, 1, one));
    support_ok(ctx, foray_rollout(ctx, s.system, s.clusters, &s.policy, 0, NULL, 0, 40, 1, more));
    support_ok(ctx, foray_rollout(ctx, s.system, s.clusters, &s.policy, 0, NULL, 0, 20, 2, other));
    assert_memory_equal(one, more, 20 * sizeof *one);
    assert_memory_not_equal(one, other, 20 * sizeof *one);
    close_scene(&s);
}

/* ------------------------------------------------------- rewards of the clusters */

/* The cluster that a state belongs to most. */
static int64_t cluster_of(scene *s, const double *state)
{
    int32_t cluster[16];
    double weight[16];
    int64_t count = foray_clusters_of(s->clusters, state, cluster, weight), best = 0;
    for (int64_t k = 1; k < count; k++)
        best = weight[k] > weight[best] ? k : best;
    return cluster[best];
}

/* The clusters of one episode, one step after the other: visited[0..horizon]. */
static void slow_walk(scene *s, uint64_t episode, int64_t *visited, int64_t *taken)
{
    const foray_system_spec *spec = foray_system_describe(s->system);
    foray_system_query query = {.draw = {.seed = 5, .episode = ((uint64_t)1 << 62) + episode},
                                .simulator = FORAY_REALITY};
    double state[2], next[2];
    support_ok(ctx, foray_system_reset(s->system, &query.draw, state));
    visited[0] = cluster_of(s, state);
    for (int64_t t = 0; t < spec->horizon; t++) {
        taken[t] = query.action = foray_policy_act(&s->policy, s->clusters, t, state);
        query.draw.step = (uint32_t)t + 1;
        support_ok(ctx, foray_system_step(s->system, 1, &query, state, next));
        memcpy(state, next, sizeof state);
        visited[t + 1] = cluster_of(s, state);
    }
}

/* In a range of its own, discounted, with a value for getting from one cluster to another; and the
 * probabilities of reaching and of avoiding clusters. */
static void rewards_of_clusters_are_earned_in_reality(void **unused)
{
    (void)unused;
    enum { EPISODES = 300, FORMS = 3 };
    static double value[EPISODES], part[EPISODES];
    foray_aggregation aggregation;
    foray_model *model;
    foray_reward *reward[FORMS];
    scene s;
    open_scene("tank", "grid:5x5", &s);
    foray_aggregation_default(&aggregation);
    aggregation.draws = 4;
    support_ok(ctx,
               foray_aggregate(ctx, s.system, s.clusters, &aggregation, NULL, NULL, NULL, &model));
    int64_t horizon = foray_model_horizon(model), visited[512], taken[512], some = 0;
    slow_walk(&s, 0, visited, taken);
    int64_t goal = visited[horizon / 2];
    assert_true(horizon < 512);
    support_ok(ctx, foray_reward_create(ctx, model, "own", -1, 3, 0.5, &reward[0]));
    support_ok(ctx, foray_reward_set_next(ctx, reward[0], -1, visited[0], -1, visited[1], 2));
    support_ok(ctx, foray_reward_set(ctx, reward[0], 2, -1, -1, -1));
    support_ok(ctx, foray_reward_set_discount(ctx, reward[0], 0.9));
    support_ok(ctx, foray_reward_create_reach(ctx, model, "reach", 1, &goal, 0, NULL, &reward[1]));
    support_ok(ctx, foray_reward_create_reach(ctx, model, "avoid", 0, NULL, 1, &goal, &reward[2]));
    for (int form = 0; form < FORMS; form++) {
        support_ok(ctx, foray_rollout(ctx, s.system, s.clusters, &s.policy, -1, reward[form], 0,
                                      EPISODES, 5, value));
        support_ok(ctx, foray_rollout(ctx, s.system, s.clusters, &s.policy, -1, reward[form], 270,
                                      30, 5, part));
        assert_memory_equal(part, value + 270, 30 * sizeof *part);
        for (int64_t e = 0; e < EPISODES; e += 7) {
            double total = 0, weight = 1;
            bool met = false;
            slow_walk(&s, (uint64_t)e, visited, taken);
            for (int64_t t = 0; t <= horizon; t++)
                met |= visited[t] == goal;
            for (int64_t t = 0; t < horizon; t++, weight *= 0.9)
                total += weight *
                         foray_reward_next_at(reward[0], t, visited[t], taken[t], visited[t + 1]);
            assert_true(value[e] == (form == 0 ? total : (double)(form == 1 ? met : !met)));
            some += form == 1 && met;
        }
    }
    assert_true(some > 0);
    for (int form = 0; form < FORMS; form++)
        foray_reward_destroy(reward[form]);
    foray_model_destroy(model);
    close_scene(&s);
}

static bool stop_at_once(void *user)
{
    (void)user;
    return true;
}

static void rollouts_can_be_stopped(void **unused)
{
    (void)unused;
    double value[4] = {-1, -1, -1, -1};
    scene s;
    foray_context *other = foray_context_create();
    open_scene("tank", "grid:5x5", &s);
    foray_context_set_stop(other, stop_at_once, NULL);
    assert_int_equal(foray_rollout(other, s.system, s.clusters, &s.policy, 0, NULL, 0, 4, 1, value),
                     FORAY_INTERRUPTED);
    assert_true(value[0] == -1);
    close_scene(&s);
    foray_context_destroy(other);
}

static void bad_rollouts_are_refused(void **unused)
{
    (void)unused;
    double value[4] = {-1, -1, -1, -1};
    scene s, other;
    open_scene("tank", "grid:5x5", &s);
    open_scene("tank", "grid:6x5", &other);
    assert_int_equal(foray_rollout(ctx, s.system, s.clusters, &s.policy, 4, NULL, 0, 4, 1, value),
                     FORAY_ERROR_USAGE);
    assert_int_equal(foray_rollout(ctx, s.system, s.clusters, &s.policy, -1, NULL, 0, 4, 1, value),
                     FORAY_ERROR_USAGE);
    assert_int_equal(foray_rollout(ctx, s.system, s.clusters, &s.policy, 0, NULL, 0, 0, 1, value),
                     FORAY_ERROR_USAGE);
    assert_int_equal(
        foray_rollout(ctx, s.system, s.clusters, &other.policy, 0, NULL, 0, 4, 1, value),
        FORAY_ERROR_INPUT);
    assert_true(value[0] == -1);
    close_scene(&s);
    close_scene(&other);
}

/* A world that breaks down in the middle leaves nothing behind. */
static foray_status broken_reset(void *self, const foray_draw *draw, double *state)
{
    (void)self;
    (void)draw;
    *state = 0;
    return FORAY_OK;
}

static foray_status broken_step(void *self, int64_t count, const foray_system_query *query,
                                const double *state, double *next)
{
    (void)self;
    for (int64_t i = 0; i < count; i++)
        next[i] = query[i].draw.step == 3 ? NAN : state[i];
    return FORAY_OK;
}

static foray_status broken_reward(void *self, int64_t index, const double *state, int64_t action,
                                  double *value)
{
    (void)self;
    (void)index;
    (void)state;
    (void)action;
    *value = 0.5;
    return FORAY_OK;
}

static void a_world_that_fails_ends_the_rollout(void **unused)
{
    (void)unused;
    const double low = 0, high = 1;
    const char *const name[] = {"any"};
    const foray_system_spec spec = {.size = sizeof spec,
                                    .name = "broken",
                                    .dimensions = 1,
                                    .actions = 1,
                                    .horizon = 5,
                                    .low = &low,
                                    .high = &high,
                                    .rewards = 1,
                                    .reward_name = name};
    const foray_system_ops ops = {
        .size = sizeof ops, .reset = broken_reset, .step = broken_step, .reward = broken_reward};
    scene s = {0};
    int32_t action[10] = {0};
    double value[2] = {-1, -1};
    support_ok(ctx, foray_system_create(ctx, &spec, &ops, NULL, &s.system));
    support_ok(ctx, foray_clusters_parse(ctx, s.system, "grid:2", &s.clusters));
    s.policy = (foray_policy){.states = 2, .actions = 1, .horizon = 5, .action = action};
    assert_int_equal(foray_rollout(ctx, s.system, s.clusters, &s.policy, 0, NULL, 0, 2, 1, value),
                     FORAY_ERROR_WORLD);
    assert_true(value[0] == -1 && strstr(foray_message(ctx), "broken"));
    foray_clusters_destroy(s.clusters);
    foray_system_destroy(s.system);
}

static void every_allocation_may_fail(void **unused)
{
    (void)unused;
    double value[3] = {-1, -1, -1};
    scene s;
    open_scene("tank", "grid:5x5", &s);
    for (int64_t room = 0; room < 4; room++) {
        ctx->allocations_left = room;
        assert_int_equal(
            foray_rollout(ctx, s.system, s.clusters, &s.policy, 0, NULL, 0, 3, 1, value),
            FORAY_ERROR_MEMORY);
        assert_true(value[0] == -1);
    }
    ctx->allocations_left = -1;
    support_ok(ctx, foray_rollout(ctx, s.system, s.clusters, &s.policy, 0, NULL, 0, 3, 1, value));
    close_scene(&s);
}

/* ------------------------------------------------------------ the best policy */

static void the_known_policy_is_the_best(void **unused)
{
    (void)unused;
    const support_sizes sizes = {
        .states = 9, .actions = 3, .horizon = 6, .successors = 4, .dim = 5};
    for (int kind = 0; kind < SUPPORT_KINDS; kind++) {
        foray_model *model = support_model(ctx, kind, sizes, 3);
        foray_reward *reward = NULL;
        foray_policy *policy = NULL;
        double value, optimal;
        support_ok(ctx, foray_reward_create(ctx, model, "some", 0, 1, 0.1, &reward));
        support_ok(ctx, foray_reward_set(ctx, reward, -1, 4, -1, 1));
        support_ok(ctx, foray_reward_set(ctx, reward, 2, -1, 1, 0.7));
        support_ok(ctx, foray_plan_known(ctx, model, reward, &policy));
        support_ok(ctx, foray_evaluate(ctx, model, reward, policy, &value, &optimal));
        assert_true(value == optimal && policy->value[FORAY_PLUGIN] == optimal);
        assert_true(policy->certificate.gap == 0 && policy->certificate.status == FORAY_EXACT);
        for (int64_t room = 0; room < 6; room++) {
            foray_policy *none = NULL;
            ctx->allocations_left = room;
            foray_status status = foray_plan_known(ctx, model, reward, &none);
            assert_true((status == FORAY_OK) == (none != NULL));
            foray_policy_destroy(none);
        }
        ctx->allocations_left = -1;
        foray_policy_destroy(policy);
        foray_reward_destroy(reward);
        foray_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interval_is_the_formula),
        cmocka_unit_test(intervals_hold_and_are_not_idle),
        cmocka_unit_test(senseless_intervals_are_refused),
        cmocka_unit_test(rollouts_are_episodes_in_reality),
        cmocka_unit_test(rollouts_depend_on_the_seed_alone),
        cmocka_unit_test(rewards_of_clusters_are_earned_in_reality),
        cmocka_unit_test(rollouts_can_be_stopped),
        cmocka_unit_test(bad_rollouts_are_refused),
        cmocka_unit_test(a_world_that_fails_ends_the_rollout),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(the_known_policy_is_the_best),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
