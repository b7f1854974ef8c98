/* test_unstructured_doubt.c - why certificates of unstructured models are not 0: whether shares add
 * up, whose they are, and whether the visits that are asked for bring what was promised, on random
 * worlds. */
#include "oracle_truth.h"
#include "support.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

static support_bench bench_of(uint64_t seed, const char *open)
{
    support_bench b = {.ctx = foray_context_create()};
    const support_sizes sizes = {.states = 5, .actions = 2, .horizon = 4, .successors = 3};
    foray_settings settings;
    b.truth = support_model(b.ctx, SUPPORT_TABULAR, sizes, seed);
    support_ok(b.ctx, foray_model_builtin(b.ctx, open, &b.unstructured));
    support_ok(b.ctx, foray_world_from_model(b.ctx, b.truth, &b.world));
    foray_settings_default(&settings);
    support_ok(b.ctx, foray_settings_set(b.ctx, &settings, "algorithm", "random"));
    settings.seed = (int64_t)seed;
    support_ok(b.ctx, foray_explorer_create(b.ctx, b.unstructured, &settings, &b.explorer));
    return b;
}

/* goal:s; entering s, in another unit; reaching s; goal:s at a discount. */
static foray_reward *reward_of(const support_bench *b, int kind, int64_t s)
{
    foray_reward *reward;
    if (kind == 1) {
        support_ok(b->ctx,
                   foray_reward_create(b->ctx, b->unstructured, "enter", -1, 3, 0, &reward));
        support_ok(b->ctx, foray_reward_set_next(b->ctx, reward, -1, -1, -1, s, 3));
        return reward;
    }
    if (kind == 2) {
        support_ok(b->ctx, foray_reward_create_reach(b->ctx, b->unstructured, "reach", 1, &s, 0,
                                                     NULL, &reward));
        return reward;
    }
    reward = truth_goal(b->ctx, b->unstructured, s);
    support_ok(b->ctx, foray_reward_set_discount(b->ctx, reward, kind == 3 ? 0.7 : 1));
    return reward;
}

static double shares_of(const foray_doubt *doubt, double *first)
{
    double places = 0, laws = 0;
    *first = 0;
    for (int64_t i = 0; i < doubt->places; i++) {
        places += doubt->place[i].share;
        assert_true(i == 0 || doubt->place[i].share <= doubt->place[i - 1].share);
    }
    for (int64_t i = 0; i < doubt->laws; i++) {
        laws += doubt->law[i].share;
        assert_true(i == 0 || doubt->law[i].share <= doubt->law[i - 1].share);
        *first = doubt->law[i].state < 0 ? doubt->law[i].share : *first;
    }
    /* Where the gap was cut off by the difference of values shares add up to more. */
    assert_true(fabs(places + *first - laws) <= 1e-6 * laws);
    return laws;
}

/* Places and the first state's law on the one side, laws on the other: the certificate. */
static void shares_add_up(void **state)
{
    (void)state;
    int64_t exact = 0, all = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        support_bench b = bench_of(seed, "unstructured:states=6,actions=2,horizon=4");
        for (int round = 0; round < 3; round++) {
            assert_true(truth_play(b.explorer, b.world, round == 0 ? 5 : 400));
            for (int i = 0; i < 20; i++) {
                foray_reward *reward = reward_of(&b, i % 4, i / 4);
                const foray_reward *const rewards[] = {reward};
                foray_policy *policy;
                foray_doubt *doubt;
                double first;
                support_ok(b.ctx, foray_explorer_plan(b.explorer, 1, rewards,
                                                      (foray_mode)(i % FORAY_MODES), &policy));
                support_ok(b.ctx, foray_explorer_explain(b.explorer, reward, policy, 0, &doubt));
                double gap = policy->certificate.gap, laws = shares_of(doubt, &first);
                assert_true(fabs(doubt->gap - gap) <= 1e-9 * fmax(gap, 1));
                assert_true(laws >= gap * (1 - 1e-6));
                exact += laws <= gap * (1 + 1e-6);
                all++;
                foray_doubt_destroy(doubt);
                foray_policy_destroy(policy);
                foray_reward_destroy(reward);
            }
        }
        support_bench_clear(&b);
    }
    print_message("[   FIGURES] %d of %d add up exactly, the others to more\n", (int)exact,
                  (int)all);
    assert_true(exact > all / 2);
}

/* A law that was never tried, and matters, is named; the law of the first state, too. */
static void names_are_given(void **state)
{
    (void)state;
    support_bench b = bench_of(1, "unstructured:states=6,actions=2,horizon=1");
    bool named = false, begins = false;
    for (int k = 0; k < 50; k++) { /* action 1 is never taken */
        support_ok(b.ctx, foray_explorer_begin(b.explorer));
        support_ok(b.ctx, foray_explorer_observe(b.explorer, 3, 0, 2));
        support_ok(b.ctx, foray_explorer_end(b.explorer));
    }
    foray_reward *reward = reward_of(&b, 1, 2);
    const foray_reward *const rewards[] = {reward};
    foray_policy *policy;
    foray_doubt *doubt;
    char name[96];
    support_ok(b.ctx, foray_explorer_plan(b.explorer, 1, rewards, FORAY_PLUGIN, &policy));
    support_ok(b.ctx, foray_explorer_explain(b.explorer, reward, policy, 0.5, &doubt));
    assert_int_equal(doubt->places, 1);
    assert_int_equal(doubt->place[0].state, 3);
    assert_int_equal(doubt->place[0].action, 1);
    for (int64_t i = 0; i < doubt->laws; i++) {
        foray_doubt_law_name(&doubt->law[i], name, sizeof name);
        named |=
            strcmp(name, "(s=3, a=1)") == 0 && doubt->law[i].visits == 0 && doubt->law[i].more > 10;
        begins |= strcmp(name, "first state") == 0 && doubt->law[i].visits == 50;
    }
    assert_true(named && begins);
    foray_doubt_destroy(doubt);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    support_bench_clear(&b);
}

/* Certificates before, and after the visits that were said to halve them. */
static void estimates_are_near(void **state)
{
    (void)state;
    double worst = 0, min = 1;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        support_bench b = bench_of(seed, "unstructured:states=5,actions=2,horizon=4");
        foray_reward *reward = reward_of(&b, 0, (int64_t)seed % 5);
        const foray_reward *const rewards[] = {reward};
        foray_policy *policy;
        foray_doubt *doubt;
        assert_true(truth_play(b.explorer, b.world, 3000));
        support_ok(b.ctx, foray_explorer_plan(b.explorer, 1, rewards, FORAY_PLUGIN, &policy));
        support_ok(b.ctx, foray_explorer_explain(b.explorer, reward, policy, 0, &doubt));
        double before = doubt->gap, times = 1 + doubt->law[0].more / (double)doubt->law[0].visits;
        foray_doubt_destroy(doubt);
        foray_policy_destroy(policy);
        assert_true(truth_play(b.explorer, b.world, (int64_t)(3000 * (times - 1)))); /* all laws */
        support_ok(b.ctx, foray_explorer_plan(b.explorer, 1, rewards, FORAY_PLUGIN, &policy));
        double ratio = policy->certificate.gap / before;
        worst = fmax(worst, ratio);
        min = fmin(min, ratio);
        foray_policy_destroy(policy);
        foray_reward_destroy(reward);
        support_bench_clear(&b);
    }
    print_message("[   FIGURES] halved: %.2f to %.2f\n", min, worst);
    assert_true(min > 0.25 && worst < 0.75);
}

/* Each allocation fails in turn: an error, and nothing leaks. */
static void memory_may_run_out(void **state)
{
    (void)state;
    support_bench b = bench_of(2, "unstructured:states=5,actions=2,horizon=4");
    foray_reward *reward = reward_of(&b, 0, 2);
    const foray_reward *const rewards[] = {reward};
    foray_policy *policy;
    bool whole = false;
    assert_true(truth_play(b.explorer, b.world, 20));
    support_ok(b.ctx, foray_explorer_plan(b.explorer, 1, rewards, FORAY_PLUGIN, &policy));
    for (int64_t allowed = 0; !whole && allowed < 100; allowed++) {
        foray_doubt *doubt = NULL;
        b.ctx->allocations_left = allowed;
        foray_status status = foray_explorer_explain(b.explorer, reward, policy, 0, &doubt);
        b.ctx->allocations_left = -1;
        whole = status == FORAY_OK;
        assert_true(whole || status == FORAY_ERROR_MEMORY);
        foray_doubt_destroy(doubt);
    }
    assert_true(whole);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    support_bench_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_add_up),
        cmocka_unit_test(names_are_given),
        cmocka_unit_test(estimates_are_near),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
