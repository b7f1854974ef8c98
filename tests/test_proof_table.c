/* test_proof_table.c - what certificates from likelihoods are worth, measured: plug-in plans of all
 * goal rewards, their certificates, how many are proved optimal, and the bound for all rewards
 * (docs/mathematics.md has the table). Printed, with the figures of the prototype that the design
 * started from in brackets, and held against these. */
#include "support.h"

#include <math.h>
#include <stdio.h>

#include "explore/explorer.h"
#include "oracle_truth.h"

/* Over all goals; `optimal` counts those that are 0 up to rounding. */
typedef struct row {
    const char *world;
    int64_t episodes;
    double values_worst, values_mean; /* V_bar - V_low */
    double gap_worst, gap_mean;
    int64_t optimal, zeros;
    double all;
} row;

/* The prototype's. */
static const row promised[] = {
    {"riverswim", 1024, 1.96, 1.18, 0, 0, 6, 6, 12.9},
    {"riverswim", 262144, .140, .085, 0, 0, 6, 6, .55},
    {"chain", 16384, .400, .242, .118, .043, 6, 0, 3.25},
    {"chain", 262144, .104, .063, .025, .0074, 12, 0, .73},
    {"grid", 16384, .129, .091, .029, .0034, 0, 0, 1.13},
    {"grid", 262144, .034, .024, .0078, .0009, 0, 0, .28},
    {"inventory", 1024, .471, .298, .0023, .0003, 3, 0, 5.2},
    {"inventory", 16384, .131, .084, 0, 0, 21, 21, 1.13},
    {"queue", 16384, .374, .255, .068, .0091, 3, 0, 1.98},
    {"rooms", 16384, .952, .641, .561, .072, 8, 0, 9.5},
    {"rooms", 262144, .247, .171, .066, .0044, 25, 0, 1.63},
    {"frozenlake:shared=0,horizon=30", 16384, 4.10, 1.91, 3.22, 1.20, 0, 0, 21},
};

/* Laws and seeds of the prototype are known by these figures alone. */
static const double NOISE = 1.2, SHARE = 0.9;

/* One goal: nothing is below the truth. */
static void add_goal(foray_explorer *explorer, fy_certifier *sets, int64_t goal, row *sum)
{
    foray_context *ctx = explorer->ctx;
    const foray_reward *reward = truth_goal(ctx, explorer->model, goal);
    foray_policy *policy;
    double value, optimal, states = (double)explorer->model->states;
    assert_int_equal(foray_explorer_plan(explorer, 1, &reward, FORAY_PLUGIN, &policy), FORAY_OK);
    assert_int_equal(foray_evaluate(ctx, explorer->model, reward, policy, &value, &optimal),
                     FORAY_OK);
    double gap = policy->certificate.gap;
    double values = fy_certifier_policy(sets, reward, policy->action).values;
    assert_true(optimal - value <= gap + 1e-12 && gap <= values + 1e-12);
    sum->values_worst = fmax(sum->values_worst, values);
    sum->values_mean += values / states;
    sum->gap_worst = fmax(sum->gap_worst, gap);
    sum->gap_mean += gap / states;
    sum->optimal += policy->certificate.optimal != FORAY_OPTIMAL_NO;
    sum->zeros += gap == 0;
    foray_policy_destroy(policy);
    foray_reward_destroy((foray_reward *)reward);
}

static row measure(const char *spec, int64_t episodes)
{
    foray_context *ctx = foray_context_create();
    foray_model *model;
    foray_world *world;
    foray_explorer *explorer;
    fy_certifier *sets;
    foray_certificate all;
    foray_settings settings;
    row out = {spec, episodes, 0, 0, 0, 0, 0, 0, 0};
    foray_settings_default(&settings);
    support_ok(ctx, foray_settings_set(ctx, &settings, "algorithm", "ucrl-rfe"));
    settings.radius = FORAY_RADIUS_SHARP;
    settings.episodes = episodes;
    assert_int_equal(foray_model_builtin(ctx, spec, &model), FORAY_OK);
    assert_int_equal(foray_world_from_model(ctx, model, &world), FORAY_OK);
    assert_int_equal(foray_explorer_create(ctx, model, &settings, &explorer), FORAY_OK);
    assert_true(truth_play(explorer, world, episodes));
    assert_int_equal(fy_explorer_need_sets(explorer, &sets), FORAY_OK);
    for (int64_t goal = 0; goal < model->states; goal++)
        add_goal(explorer, sets, goal, &out);
    assert_int_equal(foray_explorer_bound(explorer, FORAY_KIND_PAIR, &all), FORAY_OK);
    out.all = all.gap;
    foray_explorer_destroy(explorer);
    foray_world_destroy(world);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
    return out;
}

static void every_row(void **state)
{
    (void)state;
    printf("world, episodes: V_bar - V_low worst / mean, certificate worst / mean, optimal up to "
           "rounding, exactly 0, all rewards (in brackets: the prototype)\n");
    for (size_t i = 0; i < sizeof promised / sizeof *promised; i++) {
        const row *old = &promised[i], new = measure(old->world, old->episodes);
        printf("%s %lld: %.3g / %.3g (%.3g / %.3g), %.3g / %.3g (%.3g / %.3g), %lld (%lld), %lld, "
               "%.4g (%.4g)\n",
               new.world, (long long)new.episodes, new.values_worst, new.values_mean,
               old->values_worst, old->values_mean, new.gap_worst, new.gap_mean, old->gap_worst,
               old->gap_mean, (long long)new.optimal, (long long)old->optimal, (long long)new.zeros,
               new.all, old->all);
        assert_true(new.values_worst <= NOISE * old->values_worst);
        assert_true(new.values_mean <= NOISE * old->values_mean);
        assert_true(new.gap_worst <= NOISE * old->gap_worst); /* zeros stay zero */
        assert_true(new.gap_mean <= NOISE * old->gap_mean);
        assert_true((double)new.optimal >= SHARE *(double)old->optimal);
        assert_true(new.zeros >= old->zeros);
        assert_true(new.all <= NOISE * old->all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
