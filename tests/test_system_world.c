/* A system as the world of its model; actions, rewards and misfit through clusters. */
#include "support_system.h"

#include "aggregate/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A system, clusters and model, with everything that has to be released. */
typedef struct site {
    foray_context *ctx;
    support_line line;
    support_finite *finite;
    foray_system *system;
    foray_clusters *clusters;
    foray_model *model;
} site;

static void aggregate(site *s, const char *text, int64_t draws)
{
    foray_aggregation aggregation;
    foray_aggregation_default(&aggregation);
    aggregation.draws = draws;
    support_ok(s->ctx, foray_clusters_parse(s->ctx, s->system, text, &s->clusters));
    support_ok(s->ctx, foray_aggregate(s->ctx, s->system, s->clusters, &aggregation, NULL, NULL,
                                       NULL, &s->model));
}

static site *open_line(support_line line, int64_t horizon, const char *text, int64_t draws)
{
    site *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->ctx = foray_context_create();
    s->line = line;
    s->system = support_line_system(s->ctx, &s->line, horizon);
    aggregate(s, text, draws);
    return s;
}

static site *open_finite(double stay, int64_t horizon, int64_t draws, bool deterministic)
{
    site *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->ctx = foray_context_create();
    s->finite = support_finite_random(6, stay, 4);
    s->finite->deterministic = deterministic;
    s->system = support_finite_system(s->ctx, s->finite, horizon);
    aggregate(s, "states", draws);
    return s;
}

static void close_site(site *s)
{
    foray_model_destroy(s->model);
    foray_clusters_destroy(s->clusters);
    foray_system_destroy(s->system);
    foray_context_destroy(s->ctx);
    free(s->finite);
    free(s);
}

static bool follows(const foray_model *model, int64_t x, int64_t a, int64_t y)
{
    const int32_t *succ;
    int64_t count = foray_model_successors(model, x, a, &succ);
    for (int64_t j = 0; j < count; j++)
        if (succ[j] == y)
            return true;
    return false;
}

/* -------------------------------------------------------------------------- world */

/* What a system with its own states as clusters tells is the truth. */
static void finite_worlds_tell_the_state(void **unused)
{
    (void)unused;
    site *s = open_finite(0.3, 8, 500, false);
    foray_world *world = NULL;
    support_ok(s->ctx, foray_world_from_system(s->ctx, s->system, s->clusters, s->model, NULL,
                                               FORAY_CONTINUE_REAL, &world));
    for (uint64_t episode = 0; episode < 30; episode++) {
        foray_draw draw = {5, episode, 0};
        double real, next;
        int64_t told;
        support_ok(s->ctx, foray_system_reset(s->system, &draw, &real));
        support_ok(s->ctx, foray_world_reset(world, &draw, &told));
        for (int t = 0; t < 8; t++) {
            assert_true((double)told == real);
            draw.step = (uint32_t)t + 1;
            foray_system_query query = {draw, FORAY_REALITY, t % 2};
            support_ok(s->ctx, foray_system_step(s->system, 1, &query, &real, &next));
            support_ok(s->ctx, foray_world_step(world, &draw, told, t % 2, &told));
            real = next;
        }
    }
    foray_world_destroy(world);
    close_site(s);
}

/* One episode's clusters, by actions that depend on the step alone. */
static void walk(site *s, foray_world *world, uint64_t episode, int64_t *told)
{
    foray_draw draw = {3, episode, 0};
    support_ok(s->ctx, foray_world_reset(world, &draw, &told[0]));
    for (int t = 0; t < 10; t++) {
        draw.step = (uint32_t)t + 1;
        support_ok(s->ctx, foray_world_step(world, &draw, told[t], t % 3 == 0, &told[t + 1]));
    }
}

static void trajectories_depend_on_draws_alone(void **unused)
{
    (void)unused;
    site *s = open_line(
        (support_line){.dimensions = 2, .shift = {0, 0.05, 0.13}, .noise = 0.05, .start = 0.3}, 10,
        "grid:7x9", 200);
    foray_world *one = NULL, *other = NULL;
    support_ok(s->ctx, foray_world_from_system(s->ctx, s->system, s->clusters, s->model, NULL,
                                               FORAY_CONTINUE_REAL, &one));
    support_ok(s->ctx, foray_world_from_system(s->ctx, s->system, s->clusters, s->model, NULL,
                                               FORAY_CONTINUE_REAL, &other));
    int64_t first[11], again[11];
    bool differ = false;
    for (uint64_t episode = 0; episode < 20; episode++) {
        walk(s, one, episode, first);
        walk(s, other, 19 - episode, again);
        walk(s, other, episode, again);
        assert_memory_equal(first, again, sizeof first);
        walk(s, other, episode + 1, again);
        differ = differ || memcmp(first, again, sizeof first) != 0;
        for (int t = 0; t < 10; t++)
            assert_true(follows(s->model, first[t], t % 3 == 0, first[t + 1]));
    }
    assert_true(differ);
    foray_world_destroy(one);
    foray_world_destroy(other);
    close_site(s);
}

/* From 0.34 on a grid of 0.1, clusters 3 and 4 are told in the ratio 6 : 4. Of 4000, a share
 * off by 0.04 has probability below 1e-6. */
static void clusters_are_told_by_their_weight(void **unused)
{
    (void)unused;
    site *s = open_line((support_line){.dimensions = 1, .start = 0.34}, 2, "grid:11", 50);
    foray_world *world = NULL;
    support_ok(s->ctx, foray_world_from_system(s->ctx, s->system, s->clusters, s->model, NULL,
                                               FORAY_CONTINUE_REAL, &world));
    int start = 0, after = 0;
    for (uint64_t episode = 0; episode < 4000; episode++) {
        foray_draw draw = {3, episode, 0};
        int64_t told;
        support_ok(s->ctx, foray_world_reset(world, &draw, &told));
        assert_true(told == 3 || told == 4);
        start += told == 3;
        draw.step = 1;
        support_ok(s->ctx, foray_world_step(world, &draw, told, 0, &told));
        assert_true(told == 3 || told == 4);
        after += told == 3;
    }
    assert_true(abs(start - 2400) < 160 && abs(after - 2400) < 160);
    foray_world_destroy(world);
    close_site(s);
}

/* The model is of a system that goes right, the world goes left: what is told is the
 * leftmost that the model knows, and all of it is outside. */
static void what_the_model_rules_out_is_told_as_the_nearest(void **unused)
{
    (void)unused;
    support_line left = {.dimensions = 1, .shift = {-0.3, -0.3, -0.3}, .start = 0.5};
    site *s = open_line((support_line){.dimensions = 1, .shift = {0.3, 0.3, 0.3}, .start = 0.5}, 3,
                        "grid:11", 50);
    foray_system *other = support_line_system(s->ctx, &left, 3);
    foray_world *world = NULL;
    support_ok(s->ctx, foray_world_from_system(s->ctx, other, s->clusters, s->model, NULL,
                                               FORAY_CONTINUE_REAL, &world));
    foray_draw draw = {3, 0, 0};
    int64_t told, next;
    support_ok(s->ctx, foray_world_reset(world, &draw, &told));
    assert_int_equal(told, 5);
    draw.step = 1;
    support_ok(s->ctx, foray_world_step(world, &draw, told, 0, &next));
    const int32_t *succ;
    int64_t count = foray_model_successors(s->model, 5, 0, &succ), min = 11;
    for (int64_t j = 0; j < count; j++)
        min = succ[j] < min ? succ[j] : min;
    assert_true(next == min && min > 5);
    foray_reward *reward = NULL;
    foray_policy *policy = NULL;
    fy_misfit misfit;
    support_ok(s->ctx,
               foray_system_reward_create(s->ctx, other, s->clusters, s->model, 0, &reward));
    support_ok(s->ctx, foray_plan_known(s->ctx, s->model, reward, &policy));
    support_ok(s->ctx, fy_aggregation_misfit(s->ctx, other, s->clusters, s->model, NULL, reward,
                                             policy, 1, 1, &misfit));
    assert_true(misfit.outside > 0.3);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    foray_world_destroy(world);
    foray_system_destroy(other);
    close_site(s);
}

/* Asked about a cluster it has not told, the world answers from within that cluster. */
static void any_cluster_may_be_asked_about(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"grid:11", "radial:30"};
    for (int i = 0; i < 2; i++) {
        site *s = open_line((support_line){.dimensions = 1, .start = 0}, 3, texts[i], 100);
        foray_world *world = NULL;
        support_ok(s->ctx, foray_world_from_system(s->ctx, s->system, s->clusters, s->model, NULL,
                                                   FORAY_CONTINUE_REAL, &world));
        for (int64_t x = 0; x < foray_clusters_count(s->clusters); x++) {
            foray_draw draw = {3, 7, 1};
            int64_t next, again;
            support_ok(s->ctx, foray_world_step(world, &draw, x, 0, &next));
            assert_true(follows(s->model, x, 0, next));
            support_ok(s->ctx, foray_world_reset(world, &draw, &again));
            draw.step = 1;
            support_ok(s->ctx, foray_world_step(world, &draw, x, 0, &again));
            assert_true(follows(s->model, x, 0, again));
        }
        int64_t none = 0;
        foray_draw draw = {3, 7, 1};
        assert_int_equal(foray_world_step(world, &draw, 99, 0, &none), FORAY_ERROR_WORLD);
        foray_world_destroy(world);
        close_site(s);
    }
}

/* What the system has to say reaches whoever asked the world. */
static void failures_keep_their_cause(void **unused)
{
    (void)unused;
    site *s = calloc(1, sizeof *s);
    support_hostile self = {.step = SUPPORT_FAILS, .good_left = 90};
    assert_non_null(s);
    s->ctx = foray_context_create();
    s->system = support_hostile_system(s->ctx, &self);
    aggregate(s, "grid:9", 10);
    foray_world *world = NULL;
    support_ok(s->ctx, foray_world_from_system(s->ctx, s->system, s->clusters, s->model, NULL,
                                               FORAY_CONTINUE_REAL, &world));
    foray_draw draw = {1, 6, 0};
    int64_t told, next;
    support_ok(s->ctx, foray_world_reset(world, &draw, &told));
    draw.step = 1;
    assert_int_equal(foray_world_step(world, &draw, told, 0, &next), FORAY_ERROR_WORLD);
    assert_string_equal(foray_message(s->ctx),
                        "hostile failed in episode 6, draw 1: the plug is pulled");
    foray_world_destroy(world);
    close_site(s);
}

/* An explorer that walks in the system through the clusters, and plans in the model. */
static void explorers_explore_systems(void **unused)
{
    (void)unused;
    site *s = open_line(
        (support_line){.dimensions = 1, .shift = {0.05, 0.1, 0.2}, .noise = 0.02, .start = 0.5}, 6,
        "grid:11", 500);
    foray_settings settings;
    foray_settings_default(&settings);
    foray_explorer *explorer = NULL;
    foray_world *world = NULL;
    foray_reward *reward = NULL;
    foray_policy *policy = NULL;
    support_ok(s->ctx, foray_explorer_create(s->ctx, s->model, &settings, &explorer));
    support_ok(s->ctx, foray_world_from_system(s->ctx, s->system, s->clusters, s->model, NULL,
                                               FORAY_CONTINUE_REAL, &world));
    for (uint64_t k = 0; k < 200; k++) {
        foray_draw draw = {1, k, 0};
        int64_t x, a, y;
        support_ok(s->ctx, foray_world_reset(world, &draw, &x));
        support_ok(s->ctx, foray_explorer_begin(explorer));
        for (int t = 0; t < 6; t++, x = y) {
            draw.step = (uint32_t)t + 1;
            support_ok(s->ctx, foray_explorer_act(explorer, x, &a));
            support_ok(s->ctx, foray_world_step(world, &draw, x, a, &y));
            support_ok(s->ctx, foray_explorer_observe(explorer, x, a, y));
        }
        support_ok(s->ctx, foray_explorer_end(explorer));
    }
    support_ok(s->ctx,
               foray_system_reward_create(s->ctx, s->system, s->clusters, s->model, 0, &reward));
    const foray_reward *rewards[] = {reward};
    support_ok(s->ctx, foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy));
    /* Far is good: go right, until only staying at the end is left. */
    double state = 0.52;
    assert_int_equal(foray_policy_act(policy, s->clusters, 0, &state), 0);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    foray_world_destroy(world);
    foray_explorer_destroy(explorer);
    close_site(s);
}

/* ------------------------------------------------------------- actions and rewards */

static void the_action_whose_clusters_weigh_most_is_taken(void **unused)
{
    (void)unused;
    site *s = open_line((support_line){.dimensions = 1}, 2, "grid:3", 10);
    int32_t action[6] = {1, 0, 1, 0, 0, 1};
    foray_policy policy = {.states = 3, .actions = 2, .horizon = 2, .action = action};
    const struct {
        double state;
        int64_t step, expected;
    } cases[] = {{0, 0, 1},   {0.2, 0, 1}, {0.25, 0, 0}, {0.3, 0, 0}, {0.5, 0, 0},
                 {0.8, 0, 1}, {0.2, 1, 0}, {0.9, 1, 1},  {1, 1, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(foray_policy_act(&policy, s->clusters, cases[k].step, &cases[k].state),
                         cases[k].expected);
    close_site(s);
}

static void rewards_are_those_of_the_middle(void **unused)
{
    (void)unused;
    site *s = open_line((support_line){.dimensions = 2}, 4, "grid:3x5", 10);
    foray_reward *reward = NULL;
    support_ok(s->ctx,
               foray_system_reward_create(s->ctx, s->system, s->clusters, s->model, 0, &reward));
    assert_string_equal(foray_reward_name(reward), "far");
    for (int64_t x = 0; x < 15; x++)
        for (int64_t t = 0; t < 4; t++) {
            double expected = ((double)(x / 5) / 2 + (double)(x % 5) / 4) / 2;
            assert_true(fabs(foray_reward_at(reward, t, x, 1) - expected) < 1e-15);
        }
    foray_reward *none = NULL;
    assert_int_equal(foray_system_reward_create(s->ctx, s->system, s->clusters, s->model, 2, &none),
                     FORAY_ERROR_USAGE);
    site *other = open_line((support_line){.dimensions = 2}, 4, "grid:3x4", 10);
    assert_int_equal(
        foray_system_reward_create(s->ctx, s->system, s->clusters, other->model, 0, &none),
        FORAY_ERROR_USAGE);
    foray_reward_destroy(reward);
    close_site(other);
    close_site(s);
}

/* ------------------------------------------------------------------------- misfit */

/* V of a policy, by the plainest recursion. */
static void plain_values(const site *s, const double *theta, const foray_reward *reward,
                         const foray_policy *policy, double *value)
{
    int64_t states = policy->states, horizon = policy->horizon;
    for (int64_t x = 0; x < states; x++)
        value[horizon * states + x] = 0;
    for (int64_t t = horizon - 1; t >= 0; t--)
        for (int64_t x = 0; x < states; x++) {
            int64_t a = policy->action[t * states + x];
            const int32_t *succ;
            int64_t count = foray_model_successors(s->model, x, a, &succ);
            double sum = foray_reward_at(reward, t, x, a);
            for (int64_t j = 0; j < count; j++)
                sum += foray_model_probability(s->model, theta, x, a, j) *
                       value[(t + 1) * states + succ[j]];
            value[t * states + x] = sum;
        }
}

static double interpolate(const site *s, const double *value, double state)
{
    fy_members y;
    double sum = 0;
    fy_members_find(s->clusters, &state, &y);
    for (int64_t k = 0; k < y.count; k++)
        sum += y.weight[k] * value[y.cluster[k]];
    return sum;
}

/* The definition, for a line without noise: psi is exact with one draw. */
static fy_misfit plain_misfit(site *s, const double *theta, const double *value,
                              const foray_policy *policy, int64_t episodes, uint64_t seed)
{
    fy_misfit misfit = {0};
    for (int64_t e = 0; e < episodes; e++) {
        double state = s->line.start;
        for (int64_t t = 0; t < policy->horizon; t++, misfit.states++) {
            const double *later = value + (t + 1) * policy->states;
            int64_t a = foray_policy_act(policy, s->clusters, t, &state);
            double truth = 0, model = 0;
            for (int64_t i = 0; i < SUPPORT_SIMULATORS; i++) {
                double next = state + (a ? -1 : 1) * s->line.shift[i];
                truth += theta[i] / sqrt(SUPPORT_SIMULATORS) *
                         interpolate(s, later, fmin(fmax(next, 0), 1));
            }
            fy_members x;
            fy_members_find(s->clusters, &state, &x);
            for (int64_t k = 0; k < x.count; k++) {
                const int32_t *succ;
                int64_t count = foray_model_successors(s->model, x.cluster[k], a, &succ);
                for (int64_t j = 0; j < count; j++)
                    model += x.weight[k] * later[succ[j]] *
                             foray_model_probability(s->model, theta, x.cluster[k], a, j);
            }
            misfit.mean += fabs(truth - model);
            misfit.worst = fmax(misfit.worst, fabs(truth - model));
            foray_system_query query = {{seed, (uint64_t)e, (uint32_t)t + 1}, FORAY_REALITY, a};
            double next;
            support_ok(s->ctx, foray_system_step(s->system, 1, &query, &state, &next));
            state = next;
        }
    }
    misfit.episode = misfit.mean / (double)episodes;
    misfit.mean /= (double)misfit.states;
    return misfit;
}

/* `given` is asked with, and means the weights of `theta`. */
static void compare_misfit(site *s, const double *given, const double *theta,
                           const foray_reward *reward, const foray_policy *policy)
{
    enum { EPISODES = 5, SEED = 17 };
    fy_misfit found;
    double *value = calloc((size_t)((policy->horizon + 1) * policy->states), sizeof *value);
    assert_non_null(value);
    support_ok(s->ctx, fy_aggregation_misfit(s->ctx, s->system, s->clusters, s->model, given,
                                             reward, policy, EPISODES, SEED, &found));
    plain_values(s, theta, reward, policy, value);
    fy_misfit expected = plain_misfit(s, theta, value, policy, EPISODES, SEED);
    assert_int_equal(found.states, EPISODES * policy->horizon);
    assert_true(fabs(found.mean - expected.mean) < 1e-12);
    assert_true(fabs(found.worst - expected.worst) < 1e-12);
    assert_true(fabs(found.episode - expected.episode) < 1e-12);
    assert_true(found.worst > 1e-3 && found.outside == 0);
    free(value);
}

/* A model that does not know theta, as those of most simulators from outside. */
static void forget_theta(site *s)
{
    s->model->theta = NULL;
}

static void misfit_is_what_it_is_defined_as(void **unused)
{
    (void)unused;
    enum { HORIZON = 6 };
    const double root = sqrt(3), theta[3] = {0, root * 0.75, root * 0.25}, rough[3] = {-0.1, 3, 1},
                 wrong[3] = {1, NAN, 0}, nothing[3] = {-1, 0, 0},
                 equal[3] = {root / 3, root / 3, root / 3};
    site *s = open_line((support_line){.dimensions = 1, .shift = {0.05, 0.1, 0.21}, .start = 0.3},
                        HORIZON, "grid:7", 64);
    foray_reward *reward = NULL;
    foray_policy *policy = NULL;
    fy_misfit none;
    support_ok(s->ctx,
               foray_system_reward_create(s->ctx, s->system, s->clusters, s->model, 0, &reward));
    support_ok(s->ctx, foray_plan_known(s->ctx, s->model, reward, &policy));
    compare_misfit(s, NULL, foray_model_theta(s->model), reward, policy);
    assert_int_equal(fy_aggregation_misfit(s->ctx, s->system, s->clusters, s->model, NULL, reward,
                                           policy, 0, 1, &none),
                     FORAY_ERROR_USAGE);
    assert_int_equal(fy_aggregation_misfit(s->ctx, s->system, s->clusters, s->model, wrong, reward,
                                           policy, 1, 1, &none),
                     FORAY_ERROR_USAGE);
    forget_theta(s);
    assert_int_equal(fy_aggregation_misfit(s->ctx, s->system, s->clusters, s->model, NULL, reward,
                                           policy, 1, 1, &none),
                     FORAY_ERROR_INPUT);
    compare_misfit(s, theta, theta, reward, policy);
    compare_misfit(s, rough, theta, reward, policy);
    compare_misfit(s, nothing, equal, reward, policy);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    close_site(s);
}

/* Where every state is its cluster and nothing is random, nothing is lost. */
static void nothing_is_lost_where_states_are_clusters(void **unused)
{
    (void)unused;
    site *s = open_finite(1, 6, 1, true);
    foray_reward *reward = NULL;
    foray_policy *policy = NULL;
    fy_misfit misfit;
    support_ok(s->ctx, foray_reward_create(s->ctx, s->model, "goal", 0, 1, 0, &reward));
    support_ok(s->ctx, foray_reward_set(s->ctx, reward, -1, 3, -1, 1));
    support_ok(s->ctx, foray_plan_known(s->ctx, s->model, reward, &policy));
    support_ok(s->ctx, fy_aggregation_misfit(s->ctx, s->system, s->clusters, s->model, NULL, reward,
                                             policy, 10, 1, &misfit));
    assert_true(misfit.worst < 1e-12 && misfit.outside == 0);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    close_site(s);
}

static void failed_allocations_leave_nothing_behind(void **unused)
{
    (void)unused;
    site *s = open_line((support_line){.dimensions = 1, .start = 0.3}, 3, "radial:9", 20);
    foray_reward *reward = NULL;
    foray_policy *policy = NULL;
    foray_world *world = NULL;
    fy_misfit misfit;
    support_ok(s->ctx,
               foray_system_reward_create(s->ctx, s->system, s->clusters, s->model, 0, &reward));
    support_ok(s->ctx, foray_plan_known(s->ctx, s->model, reward, &policy));
    foray_reward_destroy(reward);
    reward = NULL;
    int64_t *left = &s->ctx->allocations_left;
    int64_t k = 0;
    while (*left = k, foray_world_from_system(s->ctx, s->system, s->clusters, s->model, NULL,
                                              FORAY_CONTINUE_REAL, &world))
        k++;
    assert_true(k >= 3);
    for (k = 0; *left = k,
        foray_system_reward_create(s->ctx, s->system, s->clusters, s->model, 0, &reward);)
        k++;
    assert_true(k >= 2);
    for (k = 0; *left = k, fy_aggregation_misfit(s->ctx, s->system, s->clusters, s->model, NULL,
                                                 reward, policy, 1, 1, &misfit);)
        k++;
    assert_true(k >= 8);
    *left = -1;
    foray_world_destroy(world);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    close_site(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finite_worlds_tell_the_state),
        cmocka_unit_test(trajectories_depend_on_draws_alone),
        cmocka_unit_test(clusters_are_told_by_their_weight),
        cmocka_unit_test(what_the_model_rules_out_is_told_as_the_nearest),
        cmocka_unit_test(any_cluster_may_be_asked_about),
        cmocka_unit_test(failures_keep_their_cause),
        cmocka_unit_test(explorers_explore_systems),
        cmocka_unit_test(the_action_whose_clusters_weigh_most_is_taken),
        cmocka_unit_test(rewards_are_those_of_the_middle),
        cmocka_unit_test(misfit_is_what_it_is_defined_as),
        cmocka_unit_test(nothing_is_lost_where_states_are_clusters),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
