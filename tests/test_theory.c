/* test_theory.c - what the theorems promise, as statistics over many seeds.
 *
 * A statement that may fail with probability delta is tested over R runs: the
 * number of failures must not exceed the value that a binomial (R, delta)
 * variable exceeds with probability 1e-6. Seeds are fixed, so that a test that
 * passes keeps passing. */
#include "support.h"

#include <math.h>
#include <stdio.h>

#include "explore/mixture/values.h"
#include "oracle_truth.h"

enum { RUNS = 100, EPISODES = 64 };
static const double DELTA = 0.2;

static const char *const worlds[] = {
    "chain:states=7,zones=2,horizon=5",
    "mixture:states=6,actions=3,successors=4,dim=4,horizon=5",
    "rooms:rows=1,cols=2,size=2,horizon=5",
};
enum { WORLDS = sizeof worlds / sizeof worlds[0] };

static support_stage set_stage(const char *world, const char *algorithm, int radius, int64_t seed)
{
    support_stage s = {.ctx = foray_context_create()};
    foray_settings settings;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "%s", algorithm);
    settings.radius = radius;
    settings.delta = DELTA;
    settings.seed = seed;
    settings.episodes = EPISODES;
    if (foray_model_builtin(s.ctx, world, &s.model) != FORAY_OK ||
        foray_world_from_model(s.ctx, s.model, &s.world) != FORAY_OK ||
        support_create(s.ctx, s.model, &settings, &s.explorer) != FORAY_OK)
        fail_msg("%s: %s", world, foray_message(s.ctx));
    return s;
}

/* ------------------------------------------------------------------ coverage */

/* Does every ellipsoid contain its truth after every episode of the run? */
static bool covered_throughout(support_stage *s)
{
    bool covered = truth_distance(s->explorer) <= 1.0;
    for (int64_t k = 0; k < EPISODES; k++) {
        assert_true(truth_play(s->explorer, s->world, 1));
        covered = covered && truth_distance(s->explorer) <= 1.0;
    }
    return covered;
}

static void count_misses(const char *algorithm, int radius)
{
    for (size_t w = 0; w < WORLDS; w++) {
        int64_t misses = 0;
        for (int64_t seed = 0; seed < RUNS; seed++) {
            support_stage s = set_stage(worlds[w], algorithm, radius, seed);
            misses += !covered_throughout(&s);
            support_stage_clear(&s);
        }
        assert_true(misses <= truth_max_failures(RUNS, DELTA));
    }
}

static void radii_cover(void **state)
{
    (void)state;
    count_misses("ucrl-rfe", FORAY_RADIUS_SHARP);
    count_misses("ucrl-rfe", FORAY_RADIUS_SELFNORMALISED);
    count_misses("ucrl-rfe", FORAY_RADIUS_THEOREM);
    count_misses("ucrl-rfe+", FORAY_RADIUS_SHARP);
    count_misses("random", FORAY_RADIUS_SHARP);
}

/* The library's own distance to the truth, which goes by the factor of Sigma, against the
 * one of the tests, which goes by Sigma itself. */
static void distances_agree(void **state)
{
    (void)state;
    for (size_t w = 0; w < WORLDS; w++)
        for (int radius = FORAY_RADIUS_SHARP; radius <= FORAY_RADIUS_THEOREM; radius++) {
            support_stage s = set_stage(worlds[w], "ucrl-rfe", radius, 1);
            for (int64_t k = 0; k < EPISODES; k++) {
                assert_true(truth_play(s.explorer, s.world, 1));
                double expected = truth_distance(s.explorer);
                double found = fy_learner_distance(fy_learner_of(s.explorer), s.model->theta);
                assert_true(expected > 0 && fabs(found - expected) <= 1e-9 * expected);
            }
            support_stage_clear(&s);
        }
}

/* The sharp radius is not vacuous: a much smaller one must be seen to fail. */
static void coverage_test_can_fail(void **state)
{
    (void)state;
    int64_t misses = 0;
    for (int64_t seed = 0; seed < RUNS; seed++) {
        support_stage s = set_stage(worlds[0], "ucrl-rfe", FORAY_RADIUS_SHARP, seed);
        s.explorer->settings.radius_scale = 0.1;
        misses += !covered_throughout(&s);
        support_stage_clear(&s);
    }
    assert_true(misses > truth_max_failures(RUNS, DELTA));
}

/* -------------------------------------------------- optimism and certificates */

/* V_1 >= V*, V_low <= V^pi, and both certificates at least the true gap, for a
 * covered run: nothing here may fail. */
static void check_rewards(const support_stage *s, uint64_t seed)
{
    foray_certificate bound;
    assert_int_equal(foray_explorer_bound(s->explorer, FORAY_KIND_PAIR, &bound), FORAY_OK);
    for (int mode = 0; mode < FORAY_MODES; mode++)
        for (uint64_t i = 0; i < 4; i++) {
            foray_reward *reward =
                i < 2 ? truth_random_reward(s->ctx, s->model, seed * 10 + i)
                      : truth_goal(s->ctx, s->model, (int64_t)(seed + i) % s->model->states);
            const foray_reward *const rewards[] = {reward};
            foray_policy *policy;
            double value, optimal;
            assert_int_equal(foray_explorer_plan(s->explorer, 1, rewards, mode, &policy), 0);
            assert_int_equal(foray_evaluate(s->ctx, s->model, reward, policy, &value, &optimal), 0);
            assert_true(policy->value[FORAY_OPTIMISTIC] >= optimal - 1e-9);
            assert_true(policy->value[FORAY_PESSIMISTIC] <= optimal + 1e-9);
            double low = policy->value[FORAY_OPTIMISTIC] - policy->certificate.gap;
            assert_true(low <= value + 1e-9);
            assert_true(policy->certificate.gap >= optimal - value - 1e-9);
            if (mode == FORAY_OPTIMISTIC)
                assert_true(bound.gap >= optimal - value - 1e-9);
            foray_policy_destroy(policy);
            foray_reward_destroy(reward);
        }
}

static void certificates_hold_on_covered_runs(void **state)
{
    (void)state;
    static const int radii[] = {FORAY_RADIUS_SHARP, FORAY_RADIUS_SELFNORMALISED,
                                FORAY_RADIUS_THEOREM};
    for (size_t w = 0; w < WORLDS; w++)
        for (size_t r = 0; r < 3; r++) {
            int64_t covered = 0;
            for (int64_t seed = 0; seed < 30; seed++) {
                support_stage s = set_stage(worlds[w], "ucrl-rfe", radii[r], seed);
                if (covered_throughout(&s)) {
                    covered++;
                    check_rewards(&s, (uint64_t)seed);
                }
                support_stage_clear(&s);
            }
            assert_true(covered >= 30 - truth_max_failures(30, DELTA));
        }
}

/* Values clipped at H range further than those clipped at the steps that remain: from the
 * same episodes (random actions do not look at the clip) the bound must be wider, by
 * about H/(H-h) in the bonuses. */
static void clip_widens_the_bound(void **state)
{
    (void)state;
    double gap[2];
    for (int clip = FORAY_CLIP_REMAINING; clip <= FORAY_CLIP_HORIZON; clip++) {
        support_stage s = set_stage(worlds[0], "random", FORAY_RADIUS_SHARP, 1);
        foray_certificate bound;
        s.explorer->settings.clip = clip;
        assert_true(truth_play(s.explorer, s.world, 20000));
        assert_int_equal(foray_explorer_bound(s.explorer, FORAY_KIND_PAIR, &bound), FORAY_OK);
        gap[clip] = bound.gap;
        support_stage_clear(&s);
    }
    assert_true(gap[FORAY_CLIP_REMAINING] < 4.0); /* H = 5: neither is clipped */
    assert_true(gap[FORAY_CLIP_HORIZON] > 1.3 * gap[FORAY_CLIP_REMAINING]);
}

/* --------------------------------------------------- potentials and doublings */

/* sum over updates of min(1, ||x||^2_{Sigma^-1}) <= 2 log(det Sigma / det lambda I),
 * measured with the matrices before each update. */
static void elliptical_potential(void **state)
{
    (void)state;
    support_stage s = set_stage(worlds[1], "ucrl-rfe", FORAY_RADIUS_SHARP, 3);
    const fy_basis *basis = s.model->basis;
    double lambda[64], x[64], white[64];
    fy_radius_lambda(basis, &s.explorer->settings, lambda);
    fy_ridge *ridge;
    assert_int_equal(fy_ridge_create(support_arena(s.ctx), basis, lambda, 1000, &ridge), FORAY_OK);
    int32_t d = basis->block[0].dim;
    double potential = 0, start = fy_ridge_log_det(ridge, 0);
    for (uint32_t k = 0; k < 5000; k++) {
        double square = 0;
        for (int32_t i = 0; i < d; i++)
            x[i] = 2 * fy_unit(fy_random_bits(5, FY_STREAM_TEST, k, (uint32_t)i, 0)) - 1;
        fy_ridge_whiten(ridge, 0, x, white);
        for (int32_t i = 0; i < d; i++)
            square += white[i] * white[i];
        potential += fmin(1, square);
        fy_ridge_update(ridge, 0, x, 0.0, 1.0);
    }
    double growth = fy_ridge_log_det(ridge, 0) - start;
    assert_true(potential <= 2 * growth);
    assert_true(potential >= 0.5 * growth); /* the measure is not idle */
    support_stage_clear(&s);
}

/* Plans <= 1 + sum_g d_g log2(1 + k H / (d_g lambda_g)): every plan after the
 * first needs some block's determinant to have doubled, and ||x|| <= 1. */
static void determinants_double_seldom(void **state)
{
    (void)state;
    for (size_t w = 0; w < WORLDS; w++)
        for (int64_t seed = 0; seed < 5; seed++) {
            support_stage s = set_stage(worlds[w], "ucrl-rfe", FORAY_RADIUS_SHARP, seed);
            const fy_basis *basis = s.model->basis;
            const int64_t episodes = 3000;
            assert_true(truth_play(s.explorer, s.world, episodes));
            double max = 1;
            for (int64_t g = 0; g < basis->blocks; g++) {
                double d = basis->block[g].dim,
                       lambda = fy_learner_of(s.explorer)->ridge->lambda[g];
                double updates = (double)(episodes * s.model->horizon);
                max += d > 0 ? d * log2(1 + updates / (d * lambda)) : 0;
            }
            assert_true((double)s.explorer->plans <= max);
            assert_true(s.explorer->plans >= 5);
            support_stage_clear(&s);
        }
}

/* ------------------------------------------------------------------ variance */

static double true_variance(const support_stage *s, const double *V, int64_t pair)
{
    const foray_model *model = s->model;
    const int32_t *next;
    int64_t state = pair / model->actions, action = pair % model->actions;
    int64_t n = foray_model_successors(model, state, action, &next);
    double first = 0, second = 0;
    for (int64_t j = 0; j < n; j++) {
        double p = foray_model_probability(model, model->theta, state, action, j);
        first += p * V[next[j]];
        second += p * V[next[j]] * V[next[j]];
    }
    return second - first * first;
}

/* |var - Var| <= E for every pair and step, in all but a share delta of runs. With the
 * radii of the theorem E is above the trivial H^2 for any number of episodes that a
 * test could play, so that nothing could fail; with radii of one fiftieth, the error
 * term is small, and holding it implies the claim for the full one. */
static void variance_is_within_its_error(void **state)
{
    (void)state;
    enum { SEEDS = 40 };
    int64_t misses = 0, tight = 0, checked = 0;
    for (int64_t seed = 0; seed < SEEDS; seed++) {
        support_stage s = set_stage(worlds[0], "ucrl-rfe+", FORAY_RADIUS_SHARP, seed);
        foray_settings settings = s.explorer->settings;
        support_set_number(&settings, "radius_scale_check", 0.02);
        support_set_number(&settings, "radius_scale_tilde", 0.02);
        foray_explorer_destroy(s.explorer);
        assert_int_equal(support_create(s.ctx, s.model, &settings, &s.explorer), 0);
        assert_true(truth_play(s.explorer, s.world, 2000));
        assert_int_equal(foray_explorer_begin(s.explorer), FORAY_OK);
        const double *V = ((const fy_learner *)s.explorer->self)->V;
        double max = (double)(s.model->horizon * s.model->horizon);
        bool missed = false;
        for (int64_t t = 0; t < s.model->horizon; t++)
            for (int64_t pair = 0; pair < s.model->pairs; pair++) {
                fy_variance estimate = fy_values_variance(s.explorer, t, pair);
                double truth = true_variance(&s, V + (t + 1) * s.model->states, pair);
                missed = missed || fabs(estimate.estimate - truth) > estimate.error + 1e-9;
                tight += estimate.error < max / 4;
                checked++;
            }
        misses += missed;
        support_stage_clear(&s);
    }
    assert_true(misses <= truth_max_failures(SEEDS, DELTA));
    assert_true(tight >= checked / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radii_cover),
        cmocka_unit_test(distances_agree),
        cmocka_unit_test(coverage_test_can_fail),
        cmocka_unit_test(certificates_hold_on_covered_runs),
        cmocka_unit_test(clip_widens_the_bound),
        cmocka_unit_test(elliptical_potential),
        cmocka_unit_test(determinants_double_seldom),
        cmocka_unit_test(variance_is_within_its_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
