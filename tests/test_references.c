/* test_references.c - the algorithms that are there for comparison: those that see the
 * reward (UCRL-VTR, UCRL-VTR+), and the one that need not walk (generative). */
#include "support_run.h"

#include <math.h>
#include <stdlib.h>

#include "oracle_truth.h"
#include "support.h"
#include "explore/explorer.h"

/* ------------------------------------------------------ the regression on values */

/* What Sigma and b of one block should be, kept densely. */
typedef struct dense {
    int32_t dim;
    double sigma[64], b[8];
} dense;

/* V at the successors, shifted and divided by its range: false if it is constant. */
static bool unit_target(const foray_model *model, int64_t pair, const double *V, double *u)
{
    int64_t first = model->succ_start[pair], n = model->succ_start[pair + 1] - first;
    double min = V[model->succ[first]], max = min;
    for (int64_t j = 0; j < n; j++) {
        min = fmin(min, V[model->succ[first + j]]);
        max = fmax(max, V[model->succ[first + j]]);
    }
    for (int64_t j = 0; j < n; j++)
        u[j] = (V[model->succ[first + j]] - min) / (max - min);
    return max > min;
}

/* Sigma += x x', b += x y with x = sum_j u_j phi'_j, y = u(s') - sum_j u_j p_0(j). */
static void add_densely(dense *d, const fy_basis *basis, int64_t set, const double *u, int64_t j)
{
    double generators[64], x[8] = {0}, y = u[j];
    int64_t n = fy_generator_set_size(basis->model, set), first = basis->model->gen_start[set];
    fy_basis_generators(basis, set, generators);
    for (int64_t i = 0; i < n; i++) {
        for (int32_t k = 0; k < d->dim; k++)
            x[k] += u[i] * generators[i * d->dim + k];
        y -= u[i] * basis->p0[first + i];
    }
    for (int32_t k = 0; k < d->dim; k++) {
        d->b[k] += x[k] * y;
        for (int32_t l = 0; l < d->dim; l++)
            d->sigma[k * d->dim + l] += x[k] * x[l];
    }
}

static void assert_same_block(const dense *d, const fy_ridge *ridge)
{
    for (int32_t k = 0; k < d->dim; k++) {
        assert_true(fabs(ridge->target[k] - d->b[k]) < 1e-9);
        for (int32_t l = 0; l <= k; l++) {
            double prior = k == l ? ridge->lambda[0] : 0;
            assert_true(fabs(ridge->sigma[k * (k + 1) / 2 + l] - prior - d->sigma[k * d->dim + l]) <
                        1e-9);
        }
    }
}

/* Random values and successors in a mixture, whose theta is one block. */
static void values_enter_the_regression_in_their_range(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model;
    foray_explorer *explorer;
    foray_settings settings = support_settings("random", 300, 1);
    assert_int_equal(
        foray_model_builtin(ctx, "mixture:states=6,actions=3,successors=4,dim=4,horizon=5", &model),
        FORAY_OK);
    assert_int_equal(foray_explorer_create(ctx, model, &settings, &explorer), FORAY_OK);
    const fy_basis *basis = fy_learner_of(explorer)->basis;
    assert_int_equal(basis->blocks, 1);
    dense d = {.dim = basis->block[0].dim};
    for (uint32_t i = 0; i < 200; i++) {
        double V[6], u[4];
        for (uint32_t s = 0; s < 6; s++)
            V[s] = i % 20 == 0 ? 3.0 : 5 * fy_unit(fy_random_bits(9, FY_STREAM_TEST, i, s, 0));
        int64_t pair = i % model->pairs, j = i % 4;
        if (unit_target(model, pair, V, u))
            add_densely(&d, basis, model->generator_set[pair], u, j);
        fy_learner_observe_value(fy_learner_of(explorer), V, pair, j);
    }
    assert_same_block(&d, fy_learner_of(explorer)->ridge);
    foray_explorer_destroy(explorer);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* -------------------------------------------------------------- confidence sets */

/* Runs in which theta was outside its ellipsoid at one of the moments looked at. */
static int64_t misses(const char *algorithm, const char *world, int64_t runs)
{
    int64_t count = 0;
    for (int64_t seed = 1; seed <= runs; seed++) {
        foray_context *ctx = foray_context_create();
        foray_model *model;
        foray_world *real;
        foray_explorer *explorer;
        foray_settings settings = support_settings(algorithm, 300, seed);
        assert_int_equal(foray_model_builtin(ctx, world, &model), FORAY_OK);
        assert_int_equal(foray_world_from_model(ctx, model, &real), FORAY_OK);
        assert_int_equal(truth_create(ctx, model, &settings, &explorer), FORAY_OK);
        bool missed = false;
        for (int moment = 0; moment < 10; moment++) {
            assert_true(truth_play(explorer, real, 15));
            missed |= truth_distance(explorer) > 1.0;
        }
        count += missed;
        foray_explorer_destroy(explorer);
        foray_world_destroy(real);
        foray_model_destroy(model);
        foray_context_destroy(ctx);
    }
    return count;
}

static void ellipsoids_contain_the_truth(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"ucrl-vtr", "ucrl-vtr+", "generative"};
    static const char *const worlds[] = {"chain:states=7,zones=2,horizon=6",
                                         "mixture:states=6,actions=3,successors=4,dim=4,horizon=5",
                                         "trapdoor:horizon=6,knobs=2"};
    for (size_t a = 0; a < 3; a++)
        for (size_t w = 0; w < 3; w++)
            assert_true(misses(algorithms[a], worlds[w], 40) <= truth_max_failures(40, 0.1));
}

/* ------------------------------------------------------------- seeing the reward */

static bool count_treasure(void *user, int64_t episode, const int32_t *states,
                           const int32_t *actions)
{
    (void)episode, (void)actions;
    int64_t *visits = user;
    for (int t = 0; t < 20; t++)
        visits[0] += states[t] == 21;
    return true;
}

/* Visits of the treasure in the trapdoor corridor, in 300 episodes. */
static int64_t treasures(const char *algorithm)
{
    run_bench bench;
    int64_t visits = 0;
    run_bench_open(&bench, "trapdoor");
    bench.settings = support_settings(algorithm, 300, 3);
    foray_run *run;
    assert_ok(&bench, foray_run_create(bench.ctx, bench.path, FORAY_RUN_NEW, bench.model, "t",
                                       &bench.settings, &run));
    if (foray_algorithm_needs_reward(algorithm)) {
        foray_reward *reward = truth_goal(bench.ctx, bench.model, 21);
        assert_ok(&bench, foray_run_give_reward(run, reward));
        foray_reward_destroy(reward);
    }
    assert_ok(&bench, run_finish(&bench, run));
    assert_ok(&bench, foray_run_episodes(run, 0, count_treasure, &visits));
    foray_run_close(run);
    run_bench_close(&bench);
    return visits;
}

/* Random actions are worth 7.17 an episode, the best ones 10.57. */
static void the_reward_is_sought(void **state)
{
    (void)state;
    int64_t seen = treasures("ucrl-vtr"), blind = treasures("ucrl-rfe");
    assert_true(seen > 300 * 7.17 + 100);
    assert_true(seen > blind + 500);
}

static void a_run_keeps_its_reward(void **state)
{
    run_bench *bench = *state;
    bench->settings = support_settings("ucrl-vtr", 300, 1);
    foray_reward *goal = truth_goal(bench->ctx, bench->model, 6);
    foray_run *run;
    assert_ok(bench, foray_run_create(bench->ctx, bench->path, FORAY_RUN_NEW, bench->model, "t",
                                      &bench->settings, &run));
    assert_fails(bench, FORAY_ERROR_USAGE, run_finish(bench, run));
    run_assert_message(bench, "none was given");
    assert_ok(bench, foray_run_give_reward(run, goal)); /* the failure has spoilt nothing */
    foray_run_close(run);
    run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    const foray_reward *kept = fy_explorer_reward(foray_run_explorer(run));
    assert_non_null(kept);
    for (int64_t s = 0; s < bench->model->states; s++)
        assert_true(foray_reward_at(kept, 3, s, 1) == (s == 6));
    assert_ok(bench, run_finish(bench, run));
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_give_reward(run, goal));
    assert_ok(bench, foray_run_verify(run));
    foray_run_close(run);
    run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_give_reward(run, goal));
    foray_run_close(run);
    foray_reward_destroy(goal);
}

static void giving_survives_failed_allocations(void **state)
{
    run_bench *bench = *state;
    bench->settings = support_settings("ucrl-vtr+", 300, 1);
    foray_reward *reward = truth_random_reward(bench->ctx, bench->model, 4);
    foray_run *run;
    assert_ok(bench, foray_run_create(bench->ctx, bench->path, FORAY_RUN_NEW, bench->model, "t",
                                      &bench->settings, &run));
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        bench->ctx->allocations_left = left;
        status = foray_run_give_reward(run, reward);
        bench->ctx->allocations_left = -1;
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    assert_ok(bench, run_finish(bench, run));
    foray_run_close(run);
    foray_reward_destroy(reward);
}

/* A state belongs to the reward that it was learnt for. */
static void states_of_other_rewards_are_refused(void **state)
{
    run_bench *bench = *state;
    foray_settings settings = support_settings("ucrl-vtr", 300, 1);
    foray_explorer *explorer[2];
    uint8_t *data;
    size_t size;
    for (int i = 0; i < 2; i++) {
        foray_reward *reward = truth_goal(bench->ctx, bench->model, i);
        assert_ok(bench, foray_explorer_create(bench->ctx, bench->model, &settings, &explorer[i]));
        assert_ok(bench, foray_explorer_give_reward(explorer[i], reward));
        foray_reward_destroy(reward);
    }
    assert_ok(bench, foray_explorer_save(explorer[0], &data, &size));
    assert_ok(bench, foray_explorer_load(explorer[0], data, size));
    assert_fails(bench, FORAY_ERROR_RUN, foray_explorer_load(explorer[1], data, size));
    run_assert_message(bench, "reward");
    free(data);
    foray_explorer_destroy(explorer[0]);
    foray_explorer_destroy(explorer[1]);
}

/* --------------------------------------------------------------- the generative one */

typedef struct query_walk {
    const foray_model *model;
    int64_t asked, visits[64];
} query_walk;

/* H steps of 2 states each: where it was asked to be, and something that can follow. */
static bool check_queries(void *user, int64_t episode, const int32_t *states,
                          const int32_t *actions)
{
    query_walk *walk = user;
    (void)episode;
    for (int64_t t = 0; t < walk->model->horizon; t++) {
        int64_t pair = states[2 * t] * walk->model->actions + actions[t];
        assert_int_equal(pair, walk->asked++ % walk->model->pairs);
        assert_true(fy_model_find(walk->model, pair, states[2 * t + 1]) >= 0);
        walk->visits[pair]++;
    }
    return true;
}

static void all_pairs_are_asked_in_turn(void **state)
{
    run_bench *bench = *state;
    bench->settings = support_settings("generative", 300, 5);
    run_make(bench, bench->path);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    query_walk walk = {.model = bench->model};
    assert_ok(bench, foray_run_episodes(run, 0, check_queries, &walk));
    assert_int_equal(walk.asked, 300 * bench->model->horizon);
    for (int64_t pair = 0; pair < bench->model->pairs; pair++)
        assert_true(llabs(walk.visits[pair] - walk.asked / bench->model->pairs) <= 1);
    assert_ok(bench, foray_run_verify(run));
    foray_run_close(run);
}

static void only_what_was_asked_is_answered(void **state)
{
    run_bench *bench = *state;
    foray_settings settings = support_settings("generative", 300, 5);
    foray_explorer *explorer;
    int64_t place = -1, action;
    assert_ok(bench, foray_explorer_create(bench->ctx, bench->model, &settings, &explorer));
    assert_ok(bench, foray_explorer_begin(explorer));
    assert_ok(bench, foray_explorer_query(explorer, &place));
    assert_int_equal(place, 0);
    assert_fails(bench, FORAY_ERROR_USAGE, foray_explorer_act(explorer, 3, &action));
    run_assert_message(bench, "asks about state 0");
    assert_ok(bench, foray_explorer_act(explorer, place, &action));
    foray_explorer_destroy(explorer);
}

/* ------------------------------------------------------------------- discounting */

/* Discounting an evaluation is evaluating the discounted reward. */
static void discounts_weigh_the_steps(void **state)
{
    run_bench *bench = *state;
    foray_context *ctx = bench->ctx;
    const foray_model *model = bench->model;
    foray_settings settings = support_settings("ucrl-rfe", 300, 1);
    foray_explorer *explorer;
    foray_reward *reward = truth_random_reward(ctx, model, 8), *faded;
    foray_policy *policy;
    assert_ok(bench, foray_reward_create(ctx, model, "faded", 0, 1, 0, &faded));
    for (int64_t t = 0; t < model->horizon; t++)
        for (int64_t s = 0; s < model->states; s++)
            for (int64_t a = 0; a < model->actions; a++)
                assert_ok(bench,
                          foray_reward_set(ctx, faded, t, s, a,
                                           pow(0.7, (double)t) * foray_reward_at(reward, t, s, a)));
    assert_ok(bench, foray_explorer_create(ctx, model, &settings, &explorer));
    const foray_reward *rewards[] = {reward};
    assert_ok(bench, foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy));
    double value[2], optimal[2];
    assert_ok(bench, foray_reward_set_discount(ctx, reward, 0.7));
    assert_ok(bench, foray_evaluate(ctx, model, reward, policy, &value[0], &optimal[0]));
    assert_ok(bench, foray_evaluate(ctx, model, faded, policy, &value[1], &optimal[1]));
    assert_true(fabs(value[0] - value[1]) < 1e-12 && fabs(optimal[0] - optimal[1]) < 1e-12);
    assert_true(optimal[0] > value[0]);
    for (int i = 0; i < 3; i++) {
        const double bad[] = {-0.1, 1.1, NAN};
        assert_fails(bench, FORAY_ERROR_USAGE, foray_reward_set_discount(ctx, reward, bad[i]));
    }
    foray_policy_destroy(policy);
    foray_explorer_destroy(explorer);
    foray_reward_destroy(faded);
    foray_reward_destroy(reward);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_enter_the_regression_in_their_range),
        cmocka_unit_test(ellipsoids_contain_the_truth),
        cmocka_unit_test(the_reward_is_sought),
        RUN_TEST(a_run_keeps_its_reward),
        RUN_TEST(giving_survives_failed_allocations),
        RUN_TEST(states_of_other_rewards_are_refused),
        RUN_TEST(all_pairs_are_asked_in_turn),
        RUN_TEST(only_what_was_asked_is_answered),
        RUN_TEST(discounts_weigh_the_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
