/* test_low.c - what tabular algorithms say about the policy that they hand out, against its exact
 * value in random models: `low`, which the pessimistic value also is, and `high`. RF-RL-Explore
 * hands out the plug-in plan and SSTP a plan by a rule of its own, whatever the mode: the best
 * value of the pessimistic recursion is no bound for those. */
#include <math.h>
#include <stdio.h>

#include "oracle_truth.h"
#include "support.h"

enum { RUNS = 40, EPISODES = 200 };
static const double DELTA = 0.1;

static support_stage explore(const char *algorithm, uint64_t seed, double scale, bool counts)
{
    static const support_sizes sizes = {
        .states = 4, .actions = 3, .horizon = 4, .successors = 2, .dim = 3};
    support_stage s = {.ctx = foray_context_create()};
    foray_settings settings;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "%s", algorithm);
    settings.seed = (int64_t)seed;
    settings.delta = DELTA;
    settings.episodes = EPISODES;
    settings.radius_scale = scale;
    s.model = support_model(s.ctx, (int)(seed % SUPPORT_KINDS), sizes, seed);
    support_ok(s.ctx, foray_world_from_model(s.ctx, s.model, &s.world));
    support_ok(s.ctx, foray_explorer_create(s.ctx, s.model, &settings, &s.explorer));
    if (counts)
        support_ok(s.ctx, foray_explorer_certify_by(s.explorer, settings.radius));
    if (foray_algorithm_needs_reward(algorithm)) {
        foray_reward *reward = truth_random_reward(s.ctx, s.model, seed);
        support_ok(s.ctx, foray_explorer_give_reward(s.explorer, reward));
        foray_reward_destroy(reward);
    }
    return s;
}

/* Is a plan's claim about its own policy false? */
static bool is_wrong(const support_stage *s, uint64_t seed, foray_mode mode)
{
    const double rounding = 1e-9;
    foray_reward *reward = truth_random_reward(s->ctx, s->model, seed);
    const foray_reward *const rewards[] = {reward};
    foray_policy *policy;
    double value, optimal;
    support_ok(s->ctx, foray_explorer_plan(s->explorer, 1, rewards, mode, &policy));
    support_ok(s->ctx, foray_evaluate(s->ctx, s->model, reward, policy, &value, &optimal));
    double pessimistic = policy->value[FORAY_PESSIMISTIC];
    bool wrong = (mode == FORAY_PESSIMISTIC && pessimistic > value + rounding) ||
                 policy->low > value + rounding || policy->high < value - rounding ||
                 optimal - value > policy->certificate.gap + rounding ||
                 policy->value[FORAY_OPTIMISTIC] < optimal - rounding;
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    return wrong;
}

/* Is any claim false during this run? */
static bool run_is_wrong(const char *algorithm, uint64_t seed, double scale, bool counts)
{
    support_stage s = explore(algorithm, seed, scale, counts);
    bool wrong = false;
    for (int64_t k = 1; k <= EPISODES; k++) {
        support_ok(s.ctx, foray_explorer_play(s.explorer, s.world, NULL, NULL));
        for (int mode = 0; mode < FORAY_MODES && k % 20 == 0; mode++)
            wrong |= is_wrong(&s, seed + (uint64_t)k, mode);
    }
    support_stage_clear(&s);
    return wrong;
}

static void check_claims(bool counts)
{
    static const char *const algorithms[] = {"rf-rl-explore", "sstp", "euler", "rf-ucrl",
                                             "rf-express"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        int64_t wrong = 0, caught = 0;
        for (uint64_t seed = 1; seed <= RUNS; seed++) {
            wrong += run_is_wrong(algorithms[i], seed, 1.0, counts);
            caught += run_is_wrong(algorithms[i], seed, 1e-9, counts);
        }
        if (wrong > truth_max_failures(RUNS, DELTA))
            fail_msg("%s: %d of %d runs claimed what is false", algorithms[i], (int)wrong, RUNS);
        if (caught <= RUNS / 2)
            fail_msg("%s: only %d of %d scaled down were caught", algorithms[i], (int)caught, RUNS);
    }
}

static void claims_from_counts_hold(void **state)
{
    (void)state;
    check_claims(true);
}

static void claims_from_likelihoods_hold(void **state)
{
    (void)state;
    check_claims(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_from_counts_hold),
        cmocka_unit_test(claims_from_likelihoods_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
