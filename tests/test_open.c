/* test_open.c - models of which nothing is known but their sizes: what they hold, what they
 * refuse, and whether certificates over laws of many outcomes are true, against a known world. */
#include "oracle_truth.h"
#include "support.h"

#include <string.h>

static foray_model *model_of(foray_context *ctx, const char *spec)
{
    foray_model *model;
    support_ok(ctx, foray_model_builtin(ctx, spec, &model));
    return model;
}

static void everything_can_follow(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = model_of(ctx, "open:states=5,actions=3,horizon=7,initial=2");
    const int32_t *next;
    const double *probability;
    assert_null(foray_model_theta(model));
    assert_int_equal(foray_model_unknowns(model), 5 * 3 * 4);
    assert_int_equal(foray_model_horizon(model), 7);
    for (int64_t pair = 0; pair < 15; pair++)
        assert_int_equal(foray_model_successors(model, pair / 3, pair % 3, &next), 5);
    assert_int_equal(foray_model_initial(model, &next, &probability), 1);
    assert_int_equal(next[0], 2);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

static void bad_sizes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *message;
    } bad[] = {
        {"open", "needs its sizes"},
        {"open:states=4,actions=2", "needs its sizes"},
        {"open:states=4,actions=2,horizon=3,initial=4", "states are 0 to 3"},
        {"open:states=300,actions=2,horizon=3", "180000 transitions"},
        {"open:states=4,doors=2", "doors"},
    };
    foray_context *ctx = foray_context_create();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        foray_model *model;
        assert_int_equal(foray_model_builtin(ctx, bad[i].spec, &model), FORAY_ERROR_USAGE);
        assert_non_null(strstr(foray_message(ctx), bad[i].message));
    }
    foray_context_destroy(ctx);
}

typedef struct bench {
    foray_context *ctx;
    foray_model *truth, *open;
    foray_world *world;
} bench;

/* Of all goals: is a plan's loss in truth above its certificate, or its value outside? */
static bool some_certificate_fails(const bench *b, const foray_settings *settings)
{
    foray_explorer *explorer;
    bool failed = false;
    support_ok(b->ctx, foray_explorer_create(b->ctx, b->open, settings, &explorer));
    assert_true(truth_play(explorer, b->world, settings->episodes));
    for (int64_t s = 0; s < foray_model_states(b->open); s++) {
        foray_reward *reward = truth_goal(b->ctx, b->open, s);
        const foray_reward *const rewards[] = {reward};
        foray_policy *policy;
        double value, optimal;
        support_ok(b->ctx, foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy));
        support_ok(b->ctx, foray_evaluate(b->ctx, b->truth, reward, policy, &value, &optimal));
        assert_true(settings->radius_scale < 1 || policy->certificate.status == FORAY_CERTIFIED);
        failed |= optimal - value > policy->certificate.gap + 1e-9 || value < policy->low - 1e-9 ||
                  value > policy->high + 1e-9;
        foray_policy_destroy(policy);
        foray_reward_destroy(reward);
    }
    foray_explorer_destroy(explorer);
    return failed;
}

/* At delta = 1/2 at most half of the runs may fail; with hardly any radius nearly all do. */
static void certificates_hold(void **state)
{
    (void)state;
    enum { RUNS = 40 };
    bench b = {.ctx = foray_context_create()};
    int64_t failed = 0, control = 0;
    b.truth = model_of(b.ctx, "chain:states=9,zones=3,horizon=5");
    b.open = model_of(b.ctx, "open:states=9,actions=2,horizon=5,initial=4");
    support_ok(b.ctx, foray_world_from_model(b.ctx, b.truth, &b.world));
    for (int64_t seed = 0; seed < RUNS; seed++) {
        foray_settings settings;
        foray_settings_default(&settings);
        support_ok(b.ctx, foray_settings_set(b.ctx, &settings, "algorithm", "rf-express"));
        support_ok(b.ctx, foray_settings_set(b.ctx, &settings, "pooled", "on"));
        settings.episodes = 300;
        settings.delta = 0.5;
        settings.seed = seed;
        failed += some_certificate_fails(&b, &settings);
        settings.radius_scale = 0.01;
        control += some_certificate_fails(&b, &settings);
    }
    assert_true(failed <= truth_most_failures(RUNS, 0.5));
    assert_true(control > truth_most_failures(RUNS, 0.5));
    foray_world_destroy(b.world);
    foray_model_destroy(b.truth);
    foray_model_destroy(b.open);
    foray_context_destroy(b.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_can_follow),
        cmocka_unit_test(bad_sizes_are_refused),
        cmocka_unit_test(certificates_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
