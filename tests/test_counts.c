/* test_counts.c - visit counts, and planning on the empirical model. */
#include "oracle_tabular.h"
#include "oracle_truth.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"

/* --------------------------------------------------------------------- counts */

/* The same transitions, counted by step, pooled, and by hand. */
static void counts_by_step_and_pooled(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    support_sizes sizes = {.states = 5, .actions = 2, .horizon = 3, .successors = 4};
    foray_model *model = support_model(ctx, SUPPORT_TABULAR, sizes, 5);
    support_random random = {.seed = 5};
    fy_counts *counts[2];
    double hand[3][10][4] = {0}, value[5];
    support_ok(ctx, fy_counts_create(support_arena(ctx), model, false, &counts[0]));
    support_ok(ctx, fy_counts_create(support_arena(ctx), model, true, &counts[1]));
    for (int64_t i = 0; i < 200; i++) {
        int64_t t = support_below(&random, 3), pair = support_below(&random, 9);
        int64_t j = support_below(&random, model->succ_start[pair + 1] - model->succ_start[pair]);
        hand[t][pair][j]++;
        fy_counts_add(counts[0], t, pair, j);
        fy_counts_add(counts[1], t, pair, j);
    }
    for (int s = 0; s < 5; s++)
        value[s] = support_uniform(&random);
    for (int pooled = 0; pooled < 2; pooled++)
        for (int64_t t = 0; t < 3; t++)
            for (int64_t pair = 0; pair < 10; pair++) {
                double visits = 0, sum = 0, plain = 0;
                int64_t first = model->succ_start[pair], n = model->succ_start[pair + 1] - first;
                for (int64_t j = 0; j < n; j++) {
                    double f = pooled ? hand[0][pair][j] + hand[1][pair][j] + hand[2][pair][j]
                                      : hand[t][pair][j];
                    assert_true(fy_counts_followed(counts[pooled], t, pair)[j] == f);
                    visits += f;
                    sum += f * value[model->succ[first + j]];
                    plain += value[model->succ[first + j]];
                }
                assert_true(fy_counts_visits(counts[pooled], t, pair) == visits);
                assert_near(fy_counts_expect(counts[pooled], t, pair, value),
                            visits > 0 ? sum / visits : plain / (double)n, 1e-12);
            }
    assert_true(fy_counts_visits(counts[1], 0, 9) == 0); /* the rule for unvisited pairs */
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* Numbers that no counting gives are damage. */
static void refuses_numbers_that_are_no_counts(void **state)
{
    (void)state;
    static const double wrong[] = {-1, 0.5, NAN, INFINITY, 1e17};
    foray_settings settings = tabular_settings(0);
    tabular_stage s = tabular_set_world("chain:states=3,zones=1,horizon=2", &settings);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint8_t *data;
        size_t size;
        support_ok(s.ctx, foray_explorer_save(s.explorer, &data, &size));
        memcpy(data + size - sizeof wrong[i], &wrong[i], sizeof wrong[i]);
        assert_int_equal(foray_explorer_load(s.explorer, data, size), FORAY_ERROR_RUN);
        free(data);
    }
    tabular_clear(&s);
}

/* ------------------------------------------------------------------- planning */

/* The best of all policies of a tiny model, each evaluated by itself. */
static double best_of_all(const tabular_oracle *oracle, const double *r)
{
    const foray_model *model = oracle->model;
    int32_t policy[8] = {0};
    int64_t entries = model->horizon * model->states;
    double best = 0;
    for (int64_t number = 0; number < (int64_t)1 << entries; number++) {
        for (int64_t i = 0; i < entries; i++)
            policy[i] = (int32_t)(number >> i & 1);
        best = fmax(best, tabular_value(oracle, r, policy, true));
    }
    return best;
}

static double *table_of(const foray_reward *reward, const foray_model *model)
{
    double *r = calloc((size_t)(model->horizon * model->pairs), sizeof *r);
    for (int64_t t = 0; t < model->horizon; t++)
        for (int64_t pair = 0; pair < model->pairs; pair++)
            r[t * model->pairs + pair] =
                foray_reward_at(reward, t, pair / model->actions, pair % model->actions);
    return r;
}

/* The plan is the best policy of the empirical model; its values and its certificate follow
 * from the error as documented, in every mode. */
static void check_plan(tabular_stage *s, uint64_t seed, foray_mode mode)
{
    foray_reward *reward = truth_random_reward(s->ctx, s->model, seed);
    const foray_reward *const rewards[] = {reward};
    foray_policy *policy;
    double *r = table_of(reward, s->model), H = (double)s->model->horizon;
    support_ok(s->ctx, foray_explorer_plan(s->explorer, 1, rewards, mode, &policy));
    double best = best_of_all(&s->oracle, r), error = tabular_error(&s->oracle);
    assert_near(policy->value[FORAY_PLUGIN], best, 1e-12);
    assert_near(tabular_value(&s->oracle, r, policy->action, true), best, 1e-12);
    assert_near(policy->value[FORAY_OPTIMISTIC], fmin(H, best + error), 1e-9);
    assert_near(policy->value[FORAY_PESSIMISTIC], fmax(0, best - error), 1e-9);
    assert_near(policy->certificate.gap, fmin(H, best + error) - fmax(0, best - error), 1e-9);
    assert_int_equal(policy->certificate.radius, FORAY_RADIUS_COUNTS);
    assert_int_equal(policy->mode, mode);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    free(r);
}

static void plans_on_the_empirical_model(void **state)
{
    (void)state;
    for (int combination = 0; combination < 4; combination++) {
        foray_settings settings = tabular_settings(combination & 1);
        support_set_number(&settings, "pooled", combination >> 1);
        settings.radius_scale = combination & 1 ? 1e-4 : 0.1;
        foray_context *ctx = foray_context_create();
        support_sizes sizes = {.states = 3, .actions = 2, .horizon = 2, .successors = 3};
        tabular_stage s =
            tabular_set_stage(ctx, support_model(ctx, SUPPORT_TABULAR, sizes, 8), &settings);
        for (uint64_t k = 0; k < 40; k++) {
            tabular_recompute(&s.oracle);
            check_plan(&s, k, (int)(k % FORAY_MODES));
            tabular_play(&s, false);
        }
        tabular_clear(&s);
    }
}

/* Several rewards, one thread or two: the same bits. */
static void plans_the_same_with_two_threads(void **state)
{
    (void)state;
    enum { COUNT = 5 };
    foray_settings settings = tabular_settings(0);
    tabular_stage s = tabular_set_world("rooms:rows=1,cols=2,size=3,horizon=9", &settings);
    const foray_reward *rewards[COUNT];
    foray_policy *one[COUNT], *two[COUNT];
    size_t bytes = (size_t)(s.model->horizon * s.model->states) * sizeof(int32_t);
    assert_true(truth_play(s.explorer, s.world, 50));
    for (uint64_t i = 0; i < COUNT; i++)
        rewards[i] = truth_random_reward(s.ctx, s.model, i);
    support_ok(s.ctx, foray_explorer_plan(s.explorer, COUNT, rewards, FORAY_PLUGIN, one));
    foray_context_set_threads(s.ctx, 2);
    support_ok(s.ctx, foray_explorer_plan(s.explorer, COUNT, rewards, FORAY_PLUGIN, two));
    for (int i = 0; i < COUNT; i++) {
        assert_memory_equal(one[i]->action, two[i]->action, bytes);
        assert_memory_equal(one[i]->value, two[i]->value, sizeof one[i]->value);
        foray_policy_destroy(one[i]);
        foray_policy_destroy(two[i]);
        foray_reward_destroy((foray_reward *)rewards[i]);
    }
    tabular_clear(&s);
}

/* No bound: an infinite gap that is not certified, null in JSON, and read back. */
static void plans_without_a_bound(void **state)
{
    (void)state;
    foray_settings settings = tabular_settings(0);
    tabular_stage s = tabular_set_world("chain:states=3,zones=1,horizon=2", &settings);
    foray_reward *reward = truth_goal(s.ctx, s.model, 0);
    const foray_reward *const rewards[] = {reward};
    foray_policy *policy, *back;
    char *text;
    size_t size;
    support_ok(s.ctx, fy_counts_plan(s.explorer, s.errors->counts, INFINITY, 1, rewards,
                                     FORAY_PLUGIN, &policy));
    assert_true(isinf(policy->certificate.gap) && policy->certificate.status != FORAY_CERTIFIED);
    assert_true(policy->value[FORAY_OPTIMISTIC] == 2 && policy->value[FORAY_PESSIMISTIC] == 0);
    support_ok(s.ctx, foray_policy_print(s.ctx, policy, &text, &size));
    assert_non_null(strstr(text, "\"gap\":null"));
    assert_non_null(strstr(text, "\"radius\":\"none\",\"bound\":\"none\",\"status\":\"none\""));
    support_ok(s.ctx, foray_policy_parse(s.ctx, text, size, "text", &back));
    assert_true(isinf(back->certificate.gap) && back->certificate.radius == FORAY_RADIUS_NONE);
    free(text);
    foray_policy_destroy(policy);
    foray_policy_destroy(back);
    foray_reward_destroy(reward);
    tabular_clear(&s);
}

/* Every allocation of a plan fails in turn: nothing is handed out, nothing leaks. */
static void planning_survives_failed_allocations(void **state)
{
    (void)state;
    foray_settings settings = tabular_settings(0);
    tabular_stage s = tabular_set_world("chain:states=3,zones=1,horizon=2", &settings);
    foray_reward *reward = truth_goal(s.ctx, s.model, 0);
    const foray_reward *const rewards[] = {reward, reward, reward};
    foray_policy *policies[3] = {NULL, NULL, NULL};
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        s.ctx->allocations_left = left;
        status = foray_explorer_plan(s.explorer, 3, rewards, FORAY_PLUGIN, policies);
        assert_true(status == FORAY_OK || (left < 20 && policies[0] == NULL));
    }
    s.ctx->allocations_left = -1;
    for (int i = 0; i < 3; i++)
        foray_policy_destroy(policies[i]);
    foray_reward_destroy(reward);
    tabular_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_by_step_and_pooled),
        cmocka_unit_test(refuses_numbers_that_are_no_counts),
        cmocka_unit_test(plans_on_the_empirical_model),
        cmocka_unit_test(plans_the_same_with_two_threads),
        cmocka_unit_test(plans_without_a_bound),
        cmocka_unit_test(planning_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
