/* test_feature_delta.c - features that are means over draws may be worse than the model says, with
 * a small probability, which every certificate must admit beside its own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"
#include "model/model.h"

static foray_model *make_model(foray_context *ctx, double delta)
{
    foray_builder *builder;
    foray_model *model;
    support_ok(ctx, foray_builder_create_mixture(ctx, 2, 1, 3, 2, &builder));
    for (int64_t s = 0; s < 2; s++)
        for (int64_t simulator = 0; simulator < 2; simulator++)
            for (int64_t next = 0; next < 2; next++)
                foray_builder_simulator(builder, simulator, s, 0, next,
                                        next == simulator ? 0.75 : 0.25);
    foray_builder_weights(builder, (const double[]){0.5, 0.5});
    foray_builder_feature_error(builder, 0.01, delta);
    support_ok(ctx, foray_builder_finish(builder, &model));
    foray_builder_destroy(builder);
    return model;
}

static void check_deltas(foray_context *ctx, const foray_model *model, const char *algorithm,
                         double expected)
{
    foray_settings settings;
    foray_explorer *explorer;
    foray_reward *reward;
    foray_policy *policy;
    foray_certificate bound;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "%s", algorithm);
    settings.delta = 0.1;
    settings.episodes = 10;
    support_ok(ctx, foray_explorer_create(ctx, model, &settings, &explorer));
    support_ok(ctx, foray_reward_create(ctx, model, "any", 0, 1, 0.5, &reward));
    const foray_reward *const rewards[] = {reward};
    support_ok(ctx, foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy));
    assert_float_equal(policy->certificate.delta, expected, 1e-15);
    if (foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound) == FORAY_OK)
        assert_float_equal(bound.delta, expected, 1e-15);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    foray_explorer_destroy(explorer);
}

static void certificates_admit_it(void **state)
{
    static const char *const algorithms[] = {"ucrl-rfe", "ucrl-rfe+", "rf-ucrl", "sstp", "wang"};
    (void)state;
    foray_context *ctx = foray_context_create();
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        foray_model *sure = make_model(ctx, 0), *unsure = make_model(ctx, 0.05);
        check_deltas(ctx, sure, algorithms[i], 0.1);
        check_deltas(ctx, unsure, algorithms[i], 0.15);
        assert_false(foray_model_equal(sure, unsure));
        foray_model_destroy(sure);
        foray_model_destroy(unsure);
    }
    foray_context_destroy(ctx);
}

static void files_keep_it(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = make_model(ctx, 0.05);
    for (int format = FORAY_MODEL_JSON; format <= FORAY_MODEL_COMPACT; format++) {
        char *text;
        size_t size;
        foray_model *again;
        support_ok(ctx, foray_model_print(ctx, model, format, &text, &size));
        support_ok(ctx, foray_model_parse(ctx, text, size, "text", &again));
        assert_true(again->feature_delta == 0.05);
        assert_true(foray_model_equal(model, again));
        foray_model_destroy(again);
        foray_free(text);
    }
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* Aggregating says how sure its bound is; exact features need no bound. */
static void aggregating_says_it(void **state)
{
    static const char *const systems[] = {"mountaincar:noise=1", "mountaincar:noise=0"};
    (void)state;
    foray_context *ctx = foray_context_create();
    for (int i = 0; i < 2; i++) {
        foray_system *system;
        foray_clusters *clusters;
        foray_aggregation how;
        foray_model *model;
        foray_aggregation_default(&how);
        how.draws = 10;
        how.delta = 0.02;
        support_ok(ctx, foray_system_open(ctx, systems[i], &system));
        support_ok(ctx, foray_clusters_parse(ctx, system, "grid:4x4", &clusters));
        support_ok(ctx, foray_aggregate(ctx, system, clusters, &how, NULL, NULL, NULL, &model));
        assert_true(model->feature_delta == (i == 0 ? 0.02 : 0.0));
        foray_model_destroy(model);
        foray_clusters_destroy(clusters);
        foray_system_destroy(system);
    }
    foray_context_destroy(ctx);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const double bad[] = {-0.1, 1, 2, NAN};
    foray_context *ctx = foray_context_create();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        foray_builder *builder;
        foray_model *model;
        support_ok(ctx, foray_builder_create_tabular(ctx, 1, 1, 1, &builder));
        foray_builder_feature_error(builder, 0, bad[i]);
        assert_int_equal(foray_builder_finish(builder, &model), FORAY_ERROR_INPUT);
        assert_non_null(strstr(foray_message(ctx), "feature_delta: "));
        foray_builder_destroy(builder);
    }
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_admit_it),
        cmocka_unit_test(files_keep_it),
        cmocka_unit_test(aggregating_says_it),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
