/* test_euler.c - EULER against a dense textbook version, its values against the truth. */
#include "oracle_euler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_truth.h"
#include "reward/reward.h"

/* ------------------------------------------------------------------- textbook */

static void assert_same_values(euler_stage *s)
{
    euler_recompute(s);
    for (int t = 0; t < s->o->H; t++)
        for (int x = 0; x < s->o->S; x++) {
            assert_true(euler_is_greedy(s, t, x, s->euler->action[t * s->o->S + x]));
            assert_near(s->euler->upper[t * s->o->S + x], s->o->up[t][x], 1e-9);
            assert_near(s->euler->lower[t * s->o->S + x], s->o->low[t][x], 1e-9);
        }
}

static void follows(euler_stage *s, int64_t episodes)
{
    for (int64_t k = 0; k < episodes; k++) {
        euler_play(s, true);
        assert_same_values(s);
    }
    euler_clear(s);
}

/* Every value and every action, pooled or not, with both rules for ties, with the radius as
 * it is, where nearly all is clipped, and with one where little is. */
static void follows_the_textbook(void **state)
{
    (void)state;
    for (int combination = 0; combination < 8; combination++) {
        foray_settings settings = euler_settings_for(combination);
        support_set_number(&settings, "pooled", combination & 1);
        settings.ties = combination >> 1 & 1;
        settings.radius_scale = combination >> 2 ? 0.02 : 1.0;
        euler_stage s = euler_set_random((uint64_t)combination, &settings);
        follows(&s, 150);
        s = euler_set_goal("chain:states=5,zones=1,horizon=5", 4, &settings);
        follows(&s, 150);
    }
}

/* A reward that ends early leaves nothing to plan for; a reward of nothing, nothing at all. */
static void rewards_that_end_early(void **state)
{
    (void)state;
    foray_settings settings = euler_settings_for(1);
    for (int64_t last = -1; last < 3; last++) {
        foray_context *ctx = foray_context_create();
        foray_model *model = euler_small_model(ctx, 3);
        foray_reward *reward;
        support_ok(ctx, foray_reward_create(ctx, model, "early", 0, 1, 0.0, &reward));
        if (last >= 0)
            support_ok(ctx, foray_reward_set(ctx, reward, last, 2, -1, 0.5));
        euler_stage s = euler_set_stage(ctx, model, reward, &settings);
        euler_play(&s, true);
        assert_int_equal(s.euler->steps, last + 1);
        assert_same_values(&s);
        follows(&s, 60);
    }
}

/* Doubling with growth 0 plans in every episode: the same episodes. Otherwise seldom. */
static void doubling(void **state)
{
    (void)state;
    foray_settings settings = euler_settings_for(5);
    settings.radius_scale = 0.05;
    euler_stage every = euler_set_random(5, &settings);
    settings.replan = FORAY_REPLAN_DOUBLING;
    euler_stage seldom = euler_set_random(5, &settings);
    settings.replan_growth = 0.0;
    euler_stage full = euler_set_random(5, &settings);
    for (int k = 0; k < 300; k++) {
        euler_play(&every, false);
        euler_play(&full, false);
        euler_play(&seldom, false);
    }
    assert_memory_equal(every.o->n, full.o->n, sizeof every.o->n);
    assert_int_equal(every.explorer->plans, 301);
    assert_in_range(seldom.explorer->plans, 5, 200);
    euler_clear(&every);
    euler_clear(&seldom);
    euler_clear(&full);
}

/* ---------------------------------------------------------------- bounds and truth */

/* V*, in the true model. */
static void best_values(const euler_stage *s, double value[EULER_MAX_H + 1][EULER_MAX_S])
{
    memset(value[s->o->H], 0, sizeof value[0]);
    for (int t = s->o->H - 1; t >= 0; t--)
        for (int x = 0; x < s->o->S; x++) {
            value[t][x] = 0;
            for (int a = 0; a < s->o->A; a++) {
                const int32_t *next;
                int n = euler_successors(s, x, a, &next);
                double q = foray_reward_at(s->reward, t, x, a);
                for (int j = 0; j < n; j++)
                    q += foray_model_probability(s->model, s->model->theta, x, a, j) *
                         value[t + 1][next[j]];
                value[t][x] = fmax(value[t][x], q);
            }
        }
}

static bool is_wrong(int64_t seed, double scale, int pooled)
{
    foray_settings settings = euler_settings_for(seed);
    settings.radius_scale = scale;
    support_set_number(&settings, "pooled", pooled);
    euler_stage s = euler_set_random((uint64_t)seed, &settings);
    double value[EULER_MAX_H + 1][EULER_MAX_S];
    bool wrong = false;
    best_values(&s, value);
    for (int k = 1; k <= 200; k++) {
        euler_play(&s, false);
        for (int t = 0; t < s.o->H; t++)
            for (int x = 0; x < s.o->S; x++)
                wrong |= s.euler->upper[t * s.o->S + x] < value[t][x] - 1e-9 ||
                         s.euler->lower[t * s.o->S + x] > value[t][x] + 1e-9;
    }
    euler_clear(&s);
    return wrong;
}

/* With probability 1 - delta, V_low <= V* <= V_up everywhere after every episode; and values
 * that are far too bold are noticed. */
static void values_hold(void **state)
{
    (void)state;
    enum { RUNS = 60 };
    for (int pooled = 0; pooled < 2; pooled++) {
        int64_t wrong = 0, caught = 0;
        for (int64_t seed = 1; seed <= RUNS; seed++) {
            wrong += is_wrong(seed, 1.0, pooled);
            caught += is_wrong(seed, 0.01, pooled);
        }
        assert_true(wrong <= truth_max_failures(RUNS, euler_settings_for(1).delta));
        assert_true(caught > RUNS / 2);
    }
}

/* It earns: nearly the best return, on a chain where random actions hardly ever do. */
static void learns_to_earn(void **state)
{
    (void)state;
    foray_settings settings = euler_settings_for(2);
    settings.radius_scale = 0.1;
    euler_stage s = euler_set_goal("chain:states=5,zones=1,horizon=6", 4, &settings);
    double value, optimal, earned = 0;
    foray_policy *policy;
    for (int k = 0; k < 3000; k++)
        euler_play(&s, false);
    for (int k = 0; k < 2000; k++)
        earned += euler_play(&s, false) / 2000;
    const foray_reward *const rewards[] = {s.reward};
    support_ok(s.ctx, foray_explorer_plan(s.explorer, 1, rewards, FORAY_PLUGIN, &policy));
    support_ok(s.ctx, foray_evaluate(s.ctx, s.model, s.reward, policy, &value, &optimal));
    assert_near(earned, optimal, 0.1 * optimal);
    assert_true(value >= 0.99 * optimal);
    foray_policy_destroy(policy);
    euler_clear(&s);
}

/* Plans made after more visits than there were are damage. */
static void refuses_damaged_plans(void **state)
{
    (void)state;
    foray_settings settings = euler_settings_for(1);
    euler_stage s = euler_set_random(1, &settings);
    double wrong = 1e6;
    uint8_t *data;
    size_t size;
    euler_play(&s, false);
    support_ok(s.ctx, foray_explorer_save(s.explorer, &data, &size));
    memcpy(data + size - sizeof wrong, &wrong, sizeof wrong);
    assert_int_equal(foray_explorer_load(s.explorer, data, size), FORAY_ERROR_RUN);
    free(data);
    euler_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_textbook),
        cmocka_unit_test(rewards_that_end_early),
        cmocka_unit_test(doubling),
        cmocka_unit_test(values_hold),
        cmocka_unit_test(learns_to_earn),
        cmocka_unit_test(refuses_damaged_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
