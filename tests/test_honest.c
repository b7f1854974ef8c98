/* test_honest.c - features that are estimates, and wrong by as much as the model admits, against
 * the one who learns from them: the world draws from exact features, the explorer knows others.
 * Certificates must hold all the same, and are seen to fail where the error is not admitted.
 *
 * A certificate may fail with probability delta. Over R runs the failures must not exceed what a
 * binomial (R, delta) variable exceeds with probability 1e-6; seeds are fixed. */
#include "oracle_truth.h"
#include "support.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 6, ACTIONS = 2, HORIZON = 6, DIM = 3, RUNS = 30, EPISODES = 3000 };
#define ZETA 0.06
static const double DELTA = 0.1, EDGE = 0.08;

/* A walk on a line whose simulators disagree about how often a step to the right succeeds. In
 * truth action 0 succeeds more often than action 1, by EDGE. `shift` moves probability from left
 * to right, in every simulator. */
static void add_pair(foray_builder *b, int64_t s, int64_t a, double shift)
{
    static const double success[DIM] = {0.3, 0.4, 0.5};
    int64_t left = s > 0 ? s - 1 : s + 2, right = s < STATES - 1 ? s + 1 : s - 2;
    for (int64_t i = 0; i < DIM; i++) {
        double to_right = success[i] + (a == 0 ? EDGE : 0) + shift;
        double to_left = 0.2 - shift;
        foray_builder_simulator(b, i, s, a, right, to_right);
        foray_builder_simulator(b, i, s, a, left, to_left);
        foray_builder_simulator(b, i, s, a, s, 1 - to_right - to_left);
    }
}

/* What is moved at each action. Opposed, with 2 zeta > EDGE, it is action 1 that seems better,
 * and no theta can explain that away; alike, it is theta that seems to be another. */
static const double none[ACTIONS] = {0, 0}, opposed[ACTIONS] = {-ZETA, ZETA},
                    alike[ACTIONS] = {ZETA, ZETA};

static foray_model *line(foray_context *ctx, const double *shift, double zeta, uint64_t seed)
{
    foray_builder *b;
    foray_model *model;
    double weight[DIM];
    support_random random = {.seed = seed};
    support_law(&random, DIM, false, weight);
    support_ok(ctx, foray_builder_create_mixture(ctx, STATES, ACTIONS, HORIZON, DIM, &b));
    for (int64_t pair = 0; pair < STATES * ACTIONS; pair++)
        add_pair(b, pair / ACTIONS, pair % ACTIONS, shift[pair % ACTIONS]);
    foray_builder_weights(b, weight);
    foray_builder_feature_error(b, zeta, 0);
    foray_builder_initial(b, 1, 1);
    support_ok(ctx, foray_builder_finish(b, &model));
    foray_builder_destroy(b);
    return model;
}

/* What is true, what is believed, and who explores the one knowing the other. */
typedef struct stage {
    foray_context *ctx;
    foray_model *truth, *belief;
    foray_world *world;
    foray_explorer *explorer;
} stage;

static stage set_stage(const char *algorithm, int radius, const double *shift, double admitted,
                       uint64_t seed)
{
    stage s = {.ctx = foray_context_create()};
    foray_settings settings;
    foray_settings_default(&settings);
    strcpy(settings.algorithm, algorithm);
    settings.radius = radius;
    settings.delta = DELTA;
    settings.seed = (int64_t)seed;
    settings.episodes = EPISODES;
    s.truth = line(s.ctx, none, 0, seed);
    s.belief = line(s.ctx, shift, admitted, seed);
    support_ok(s.ctx, foray_model_check(s.ctx, s.belief, NULL));
    support_ok(s.ctx, foray_world_from_model(s.ctx, s.truth, &s.world));
    support_ok(s.ctx, truth_create(s.ctx, s.belief, &settings, &s.explorer));
    return s;
}

static void clear(stage *s)
{
    foray_explorer_destroy(s->explorer);
    foray_world_destroy(s->world);
    foray_model_destroy(s->truth);
    foray_model_destroy(s->belief);
    foray_context_destroy(s->ctx);
}

/* ------------------------------------------------------------- certificates */

/* V_bar >= V*, V_low <= V^pi, V* - V^pi <= gap and, for the optimistic plan, <= the bound. */
static bool plan_holds(stage *s, const foray_reward *reward, foray_mode mode, double bound)
{
    const double rounding = 1e-9;
    foray_policy *policy;
    double value, best;
    support_ok(s->ctx, foray_explorer_plan(s->explorer, 1, &reward, mode, &policy));
    /* An error that was kept secret may have been noticed. */
    assert_true(policy->certificate.status == FORAY_CERTIFIED ||
                policy->certificate.status == FORAY_REFUTED);
    support_ok(s->ctx, foray_evaluate(s->ctx, s->truth, reward, policy, &value, &best));
    bool holds =
        policy->value[FORAY_OPTIMISTIC] >= best - rounding &&
        best - value <= policy->certificate.gap + rounding &&
        (mode != FORAY_PESSIMISTIC || policy->value[FORAY_PESSIMISTIC] <= value + rounding) &&
        (mode != FORAY_OPTIMISTIC || best - value <= bound + rounding);
    foray_policy_destroy(policy);
    return holds;
}

static bool reward_holds(stage *s, foray_reward *reward, double bound)
{
    bool holds = true;
    for (int mode = 0; mode < FORAY_MODES; mode++)
        holds = plan_holds(s, reward, mode, bound) && holds;
    foray_reward_destroy(reward);
    return holds;
}

/* The gap certificate and the interval of the value, from the ellipsoid of the exploration; for
 * the plug-in plan also the bound that comes with them. */
static bool choice_holds(stage *s, foray_reward *reward, double bound)
{
    const double rounding = 1e-9;
    bool holds = true;
    for (int mode = 0; mode < FORAY_MODES; mode++) {
        const foray_reward *const rewards[] = {reward};
        foray_policy *policy;
        double value, best;
        support_ok(s->ctx, foray_explorer_plan(s->explorer, 1, rewards, mode, &policy));
        support_ok(s->ctx, foray_evaluate(s->ctx, s->truth, reward, policy, &value, &best));
        assert_true(policy->low <= policy->expected && policy->expected <= policy->high);
        assert_true(s->belief->feature_error == 0 ||
                    policy->certificate.radius == s->explorer->settings.radius);
        holds = holds && best - value <= policy->certificate.gap + rounding &&
                policy->low <= value + rounding && value <= policy->high + rounding &&
                (mode != FORAY_PLUGIN || best - value <= bound + rounding);
        foray_policy_destroy(policy);
    }
    foray_reward_destroy(reward);
    return holds;
}

/* Algorithms without a regression in the model's basis have none of these. */
static bool choices_hold(stage *s)
{
    foray_certificate all;
    if (foray_explorer_certify_by(s->explorer, FORAY_RADIUS_LIKELIHOOD) != FORAY_OK)
        return true;
    support_ok(s->ctx, foray_explorer_bound(s->explorer, FORAY_KIND_PAIR, &all));
    bool holds = choice_holds(s, truth_random_reward(s->ctx, s->belief, 5), all.gap);
    for (int64_t state = 0; state < STATES; state++)
        holds = choice_holds(s, truth_goal(s->ctx, s->belief, state), all.gap) && holds;
    support_ok(s->ctx, foray_explorer_certify_by(s->explorer, s->explorer->settings.radius));
    return holds;
}

static bool everything_holds(stage *s)
{
    foray_certificate all;
    support_ok(s->ctx, foray_explorer_bound(s->explorer, FORAY_KIND_PAIR, &all));
    assert_true(all.status == FORAY_CERTIFIED || all.status == FORAY_REFUTED);
    bool holds = reward_holds(s, truth_random_reward(s->ctx, s->belief, 5), all.gap);
    for (int64_t state = 0; state < STATES; state++)
        holds = reward_holds(s, truth_goal(s->ctx, s->belief, state), all.gap) && holds;
    return holds;
}

/* After a few, some and many episodes. */
static int64_t count_failures(const char *algorithm, int radius, double admitted,
                              bool (*hold)(stage *s))
{
    static const int64_t more[] = {50, 450, EPISODES - 500};
    int64_t failures = 0;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        stage s = set_stage(algorithm, radius, opposed, admitted, seed);
        bool holds = true;
        for (int i = 0; i < 3; i++) {
            assert_true(truth_play(s.explorer, s.world, more[i]));
            holds = hold(&s) && holds;
        }
        failures += !holds;
        clear(&s);
    }
    return failures;
}

static void certificates_hold(void **state)
{
    (void)state;
    static const struct {
        const char *algorithm;
        int radius;
    } cases[] = {
        {"ucrl-rfe", FORAY_RADIUS_SHARP},          {"random", FORAY_RADIUS_SHARP},
        {"ucrl-rfe", FORAY_RADIUS_SELFNORMALISED}, {"ucrl-rfe", FORAY_RADIUS_THEOREM},
        {"ucrl-rfe+", FORAY_RADIUS_SHARP},         {"ucrl-vtr", FORAY_RADIUS_SHARP},
        {"ucrl-vtr+", FORAY_RADIUS_SHARP},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name = cases[i].algorithm;
        int64_t allowed = truth_max_failures(RUNS, DELTA);
        assert_true(count_failures(name, cases[i].radius, ZETA, everything_holds) <= allowed);
        assert_true(count_failures(name, cases[i].radius, ZETA, choices_hold) <= allowed);
    }
}

/* The same with the error kept secret. */
static void secret_errors_break_certificates(void **state)
{
    (void)state;
    int64_t allowed = truth_max_failures(RUNS, DELTA);
    assert_true(count_failures("ucrl-rfe", FORAY_RADIUS_SHARP, 0, everything_holds) > allowed);
    assert_true(count_failures("ucrl-rfe", FORAY_RADIUS_SHARP, 0, choices_hold) > allowed);
    assert_true(count_failures("ucrl-vtr", FORAY_RADIUS_SHARP, 0, everything_holds) > allowed);
}

/* ------------------------------------------------------------------- radii */

/* ||z - z*||_Sigma <= radius at the end of every run, and not without the widening. */
static void ellipsoids_contain_the_truth(void **state)
{
    (void)state;
    int64_t outside = 0, outside_unwidened = 0;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        stage s = set_stage("ucrl-rfe", FORAY_RADIUS_SHARP, alike, ZETA, seed);
        assert_true(truth_play(s.explorer, s.world, EPISODES));
        outside += truth_distance(s.explorer) > 1;
        s.belief->feature_error = 0;
        outside_unwidened += truth_distance(s.explorer) > 1;
        clear(&s);
    }
    assert_true(outside <= truth_max_failures(RUNS, DELTA));
    assert_true(outside_unwidened > truth_max_failures(RUNS, DELTA));
}

/* zeta sqrt(sum range^2): ranges are 1 where targets are scaled, H-h with the theorem's radius,
 * which has nothing to learn from the last step. */
static void radii_are_wider_by_the_formula(void **state)
{
    (void)state;
    enum { K = 40 };
    double squares = 0;
    for (int h = 1; h <= HORIZON; h++)
        squares += (HORIZON - h) * (HORIZON - h);
    const struct {
        int radius;
        double sum;
    } cases[] = {{FORAY_RADIUS_SHARP, K * HORIZON},
                 {FORAY_RADIUS_SELFNORMALISED, K * HORIZON},
                 {FORAY_RADIUS_THEOREM, K * squares}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stage s = set_stage("ucrl-rfe", cases[i].radius, opposed, ZETA, 1);
        assert_true(truth_play(s.explorer, s.world, K));
        fy_learner *learner = fy_learner_of(s.explorer);
        assert_int_equal(learner->basis->blocks, 1);
        fy_learner_estimate(learner);
        double wide = learner->radius[0];
        s.belief->feature_error = 0;
        fy_learner_estimate(learner);
        double wider = wide - learner->radius[0];
        assert_true(fabs(wider - ZETA * sqrt(cases[i].sum)) < 1e-9);
        clear(&s);
    }
}

/* ------------------------------------------------------- all rewards at once */

/* One simulator, so that theta is known: from everywhere to `successors` states, evenly. */
static foray_model *known_law(foray_context *ctx, int64_t successors, double zeta)
{
    foray_builder *b;
    foray_model *model;
    support_ok(ctx, foray_builder_create_mixture(ctx, 2, 1, HORIZON, 1, &b));
    for (int64_t s = 0; s < 2; s++)
        for (int64_t next = 0; next < successors; next++)
            foray_builder_simulator(b, 0, s, 0, next, 1 / (double)successors);
    foray_builder_feature_error(b, zeta, 0);
    support_ok(ctx, foray_builder_finish(b, &model));
    foray_builder_destroy(b);
    return model;
}

/* Nothing is left to learn, W is the same in both states, so that W_1 = sum_h 2 (H-h) zeta; and
 * where only one state can follow, no error of features changes that. */
static void bound_contains_the_error_of_known_laws(void **state)
{
    (void)state;
    const double zeta = 0.01;
    for (int64_t successors = 1; successors <= 2; successors++) {
        foray_context *ctx = foray_context_create();
        foray_model *model = known_law(ctx, successors, zeta);
        foray_explorer *explorer;
        foray_settings settings;
        foray_certificate all;
        foray_settings_default(&settings);
        support_ok(ctx, support_create(ctx, model, &settings, &explorer));
        support_ok(ctx, foray_explorer_bound(explorer, FORAY_KIND_PAIR, &all));
        double expected = successors == 1 ? 0 : zeta * HORIZON * (HORIZON - 1);
        assert_true(fabs(all.gap - expected) < 1e-12);
        foray_explorer_destroy(explorer);
        foray_model_destroy(model);
        foray_context_destroy(ctx);
    }
}

/* -------------------------------------------------------------- save and load */

static void assert_same_bound(stage *one, stage *other)
{
    foray_certificate a, b;
    support_ok(one->ctx, foray_explorer_bound(one->explorer, FORAY_KIND_PAIR, &a));
    support_ok(other->ctx, foray_explorer_bound(other->explorer, FORAY_KIND_PAIR, &b));
    assert_true(a.gap == b.gap);
}

static void saved_states_keep_the_spread(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"ucrl-rfe", "ucrl-rfe+", "ucrl-vtr", "ucrl-vtr+"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        stage s = set_stage(algorithms[i], FORAY_RADIUS_SHARP, opposed, ZETA, 3);
        stage again = set_stage(algorithms[i], FORAY_RADIUS_SHARP, opposed, ZETA, 3);
        stage exact = set_stage(algorithms[i], FORAY_RADIUS_SHARP, opposed, 0, 3);
        uint8_t *data;
        size_t size;
        assert_true(truth_play(s.explorer, s.world, 60));
        support_ok(s.ctx, foray_explorer_save(s.explorer, &data, &size));
        support_ok(again.ctx, foray_explorer_load(again.explorer, data, size));
        assert_int_equal(foray_explorer_load(exact.explorer, data, size), FORAY_ERROR_RUN);
        assert_same_bound(&s, &again);
        assert_true(truth_play(s.explorer, s.world, 60));
        assert_true(truth_play(again.explorer, again.world, 60));
        assert_same_bound(&s, &again);
        free(data);
        clear(&s);
        clear(&again);
        clear(&exact);
    }
}

/* ----------------------------------------------------------------- counting */

/* Counts look at what followed, not at features: their certificates are the same whatever
 * the error of the features. */
static void counts_do_not_care(void **state)
{
    (void)state;
    stage s = set_stage("rf-ucrl", FORAY_RADIUS_SHARP, opposed, ZETA, 4);
    stage exact = set_stage("rf-ucrl", FORAY_RADIUS_SHARP, opposed, 0, 4);
    assert_true(truth_play(s.explorer, s.world, 500));
    assert_true(truth_play(exact.explorer, exact.world, 500));
    assert_same_bound(&s, &exact);
    clear(&s);
    clear(&exact);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"ucrl-rfe", "ucrl-rfe+", "ucrl-vtr+"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        stage s = set_stage(algorithms[i], FORAY_RADIUS_SHARP, opposed, ZETA, 1);
        foray_settings settings = s.explorer->settings;
        foray_explorer *again = NULL;
        foray_status status = FORAY_ERROR_MEMORY;
        for (int64_t allowed = 0; status == FORAY_ERROR_MEMORY; allowed++) {
            s.ctx->allocations_left = allowed;
            status = support_create(s.ctx, s.belief, &settings, &again);
            assert_true(status == FORAY_OK || again == NULL);
        }
        s.ctx->allocations_left = -1;
        assert_int_equal(status, FORAY_OK);
        foray_explorer_destroy(again);
        clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_hold),
        cmocka_unit_test(secret_errors_break_certificates),
        cmocka_unit_test(ellipsoids_contain_the_truth),
        cmocka_unit_test(radii_are_wider_by_the_formula),
        cmocka_unit_test(bound_contains_the_error_of_known_laws),
        cmocka_unit_test(saved_states_keep_the_spread),
        cmocka_unit_test(counts_do_not_care),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
