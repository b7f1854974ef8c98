/* test_lambda.c - certificates whatever the ridge penalty is. A penalty of 1e8 keeps every estimate
 * near 0; radii that take it for B^-2 then certify falsehoods. */
#include <math.h>
#include <stdio.h>

#include "support.h"

enum { EPISODES = 300 };

static foray_reward *goal_of(const support_stage *s, int64_t state)
{
    foray_reward *reward;
    support_ok(s->ctx, foray_reward_create(s->ctx, s->model, "goal", 0, 1, 0, &reward));
    support_ok(s->ctx, foray_reward_set(s->ctx, reward, -1, state, -1, 1));
    return reward;
}

static support_stage explore(const char *world, const char *algorithm, foray_radius radius,
                             double lambda)
{
    support_stage s = {.ctx = foray_context_create()};
    foray_settings settings;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "%s", algorithm);
    settings.radius = radius;
    settings.lambda = lambda;
    settings.episodes = EPISODES;
    support_ok(s.ctx, foray_model_builtin(s.ctx, world, &s.model));
    support_ok(s.ctx, foray_world_from_model(s.ctx, s.model, &s.world));
    support_ok(s.ctx, foray_explorer_create(s.ctx, s.model, &settings, &s.explorer));
    support_ok(s.ctx, foray_explorer_certify_by(s.explorer, radius));
    foray_reward *reward = goal_of(&s, foray_model_states(s.model) - 1);
    if (foray_algorithm_needs_reward(algorithm))
        support_ok(s.ctx, foray_explorer_give_reward(s.explorer, reward));
    foray_reward_destroy(reward);
    for (int64_t k = 0; k < EPISODES; k++)
        support_ok(s.ctx, foray_explorer_play(s.explorer, s.world, NULL, NULL));
    return s;
}

/* Is everything true that a plan for this goal says? */
static bool holds(const support_stage *s, int64_t goal, foray_mode mode)
{
    const double rounding = 1e-9;
    foray_reward *reward = goal_of(s, goal);
    const foray_reward *const rewards[] = {reward};
    foray_policy *policy;
    double value, optimal;
    support_ok(s->ctx, foray_explorer_plan(s->explorer, 1, rewards, mode, &policy));
    support_ok(s->ctx, foray_evaluate(s->ctx, s->model, reward, policy, &value, &optimal));
    assert_int_equal(policy->certificate.status, FORAY_CERTIFIED);
    bool all = optimal - value <= policy->certificate.gap + rounding &&
               optimal <= policy->value[FORAY_OPTIMISTIC] + rounding &&
               policy->low <= value + rounding && value <= policy->high + rounding;
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    return all;
}

static void certificates_hold_for_every_lambda(void **state)
{
    static const char *const worlds[] = {"chain:states=7,zones=2,horizon=6",
                                         "rooms:rows=1,cols=2,size=2,horizon=8"};
    static const char *const algorithms[] = {"ucrl-vtr+", "ucrl-vtr", "ucrl-rfe", "ucrl-rfe+"};
    static const foray_radius radii[] = {FORAY_RADIUS_SHARP, FORAY_RADIUS_SELFNORMALISED};
    static const double lambdas[] = {1e-200, 1e-6, 0, 1, 1e4, 1e8};
    (void)state;
    for (size_t i = 0; i < 2 * 4 * 2 * 6; i++) {
        const char *world = worlds[i % 2], *algorithm = algorithms[i / 2 % 4];
        foray_radius radius = radii[i / 8 % 2];
        double lambda = lambdas[i / 16];
        support_stage s = explore(world, algorithm, radius, lambda);
        for (int64_t goal = 0; goal < foray_model_states(s.model); goal++)
            if (!holds(&s, goal, (foray_mode)(goal % FORAY_MODES)))
                fail_msg("%s by %s, radius %s, lambda %g: a claim about goal %d is false", world,
                         algorithm, foray_radius_name(radius), lambda, (int)goal);
        support_stage_clear(&s);
    }
}

/* UCRL-VTR+ has no self-normalised radius: on the plain basis it has the theorem's, and says so. */
static void radii_are_called_by_their_names(void **state)
{
    static const struct {
        const char *algorithm;
        foray_radius asked, said;
    } row[] = {
        {"ucrl-vtr+", FORAY_RADIUS_SHARP, FORAY_RADIUS_SHARP},
        {"ucrl-vtr+", FORAY_RADIUS_SELFNORMALISED, FORAY_RADIUS_THEOREM},
        {"ucrl-vtr+", FORAY_RADIUS_THEOREM, FORAY_RADIUS_THEOREM},
        {"ucrl-vtr", FORAY_RADIUS_SELFNORMALISED, FORAY_RADIUS_SELFNORMALISED},
        {"ucrl-rfe+", FORAY_RADIUS_SELFNORMALISED, FORAY_RADIUS_SELFNORMALISED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        foray_certificate bound;
        support_stage s =
            explore("riverswim:states=4,horizon=5", row[i].algorithm, row[i].asked, 0);
        support_ok(s.ctx, foray_explorer_bound(s.explorer, FORAY_KIND_PAIR, &bound));
        assert_int_equal(bound.radius, row[i].said);
        support_stage_clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_hold_for_every_lambda),
        cmocka_unit_test(radii_are_called_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
