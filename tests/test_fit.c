/* test_fit.c - data refute a model that no law of it fits, and hardly ever one that is true. */
#include <math.h>
#include <string.h>

#include "certify/refutation.h"
#include "explore/explorer.h"
#include "support.h"
#include "model/model.h"

/* Explores `world` with the features of `model`. */
static foray_explorer *explore(foray_context *ctx, const foray_model *model, foray_world *world,
                               const foray_settings *settings, int64_t episodes)
{
    foray_explorer *explorer;
    support_ok(ctx, foray_explorer_create(ctx, model, settings, &explorer));
    for (int64_t k = 0; k < episodes; k++)
        support_ok(ctx, foray_explorer_play(explorer, world, NULL, NULL));
    return explorer;
}

static foray_refutation refutation_of(foray_explorer *explorer)
{
    foray_refutation found;
    support_ok(explorer->ctx, foray_explorer_refutation(explorer, &found));
    return found;
}

/* ------------------------------------------------------------------------- evidence */

/* Two coins, 0.9 and 0.2, one of which is thrown everywhere with the same weights; in (0,0) the
 * first may be another one. */
static foray_model *two_coins(foray_context *ctx, double first)
{
    static const double weight[] = {0.75, 0.25};
    foray_builder *b;
    foray_model *model;
    support_ok(ctx, foray_builder_create_mixture(ctx, 2, 2, 5, 2, &b));
    for (int64_t s = 0; s < 2; s++)
        for (int64_t a = 0; a < 2; a++) {
            double chance = s == 0 && a == 0 ? first : 0.9;
            foray_builder_simulator(b, 0, s, a, 0, chance);
            foray_builder_simulator(b, 0, s, a, 1, 1 - chance);
            foray_builder_simulator(b, 1, s, a, 0, 0.2);
            foray_builder_simulator(b, 1, s, a, 1, 0.8);
        }
    foray_builder_weights(b, weight);
    foray_builder_initial(b, 0, 1);
    support_ok(ctx, foray_builder_finish(b, &model));
    foray_builder_destroy(b);
    return model;
}

/* The chain rule: after counts (x,y) the next is the first with probability (x+1/2)/(x+y+1). */
static double log_alone(int64_t x, int64_t y)
{
    double sum = 0;
    for (int64_t i = 0; i < x; i++)
        sum += log(((double)i + 0.5) / ((double)i + 1));
    for (int64_t i = 0; i < y; i++)
        sum += log(((double)i + 0.5) / ((double)(x + i) + 1));
    return sum;
}

/* By walking over all weights on a fine grid. */
static double most_likely(int64_t x, int64_t y, double zeta)
{
    double best = -INFINITY;
    for (int i = 0; i <= 100000; i++) {
        double p = 0.2 + 0.7 * i / 100000;
        best = fmax(best, (double)x * log(p + zeta) + (double)y * log(1 - p + zeta));
    }
    return best;
}

static void evidence_is_as_defined(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = two_coins(ctx, 0.9);
    /* [pair][next] */
    static const int64_t rows[][8] = {{50, 50, 0, 0, 0, 0, 0, 0},
                                      {90, 10, 10, 90, 0, 0, 0, 0},
                                      {1, 0, 0, 1, 7, 3, 2, 9},
                                      {1000, 0, 0, 0, 0, 0, 0, 0}};
    for (int zeta = 0; zeta < 2; zeta++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            fy_fit *fit;
            foray_refutation found;
            double alone = 0;
            int64_t x = 0, y = 0;
            model->feature_error = 0.05 * zeta;
            support_ok(ctx, fy_fit_create(support_arena(ctx), model, &fit));
            assert_non_null(fit);
            int64_t seen[8];
            for (int64_t k = 0; k < 8; k++)
                seen[model->succ_start[k / 2] + fy_model_find(model, k / 2, k % 2)] = rows[i][k];
            fy_fit_test(fit, seen, NULL, &found);
            for (int pair = 0; pair < 4; pair++) {
                alone += log_alone(rows[i][2 * pair], rows[i][2 * pair + 1]);
                x += rows[i][2 * pair];
                y += rows[i][2 * pair + 1];
            }
            double evidence = alone - most_likely(x, y, model->feature_error);
            assert_true(fabs(found.evidence - evidence) < 1e-4);
            assert_int_equal(found.refuted, evidence >= log(1000));
        }
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* Where every pair is free there is nothing to test. */
static void tabular_models_fit_everything(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    fy_fit *fit;
    const support_sizes sizes = {
        .states = 5, .actions = 2, .horizon = 4, .successors = 3, .dim = 3};
    foray_model *model = support_model(ctx, SUPPORT_TABULAR, sizes, 1);
    support_ok(ctx, fy_fit_create(support_arena(ctx), model, &fit));
    assert_null(fit);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* -------------------------------------------------------------------- true models */

/* Many tests of each run: after every episode at first. Both ways together may err in a share
 * delta + 0.001 of the runs, and 0 of these do. */
static void true_models_are_not_refuted(void **state)
{
    (void)state;
    static const char *const worlds[] = {"mixture:states=6,dim=3,horizon=6",
                                         "riverswim",
                                         "chain:states=6,zones=2",
                                         "inventory",
                                         "hypercube:dim=3",
                                         "queue"};
    static const char *const algorithms[] = {"ucrl-rfe", "random"};
    int64_t tests = 0, refuted = 0;
    foray_context *ctx = foray_context_create();
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++)
        for (int64_t seed = 0; seed < 40; seed++) {
            foray_model *model;
            foray_world *world;
            foray_settings settings = support_settings(algorithms[seed % 2], 100000, seed);
            support_ok(ctx, foray_model_builtin(ctx, worlds[w], &model));
            support_ok(ctx, foray_world_from_model(ctx, model, &world));
            foray_explorer *explorer = explore(ctx, model, world, &settings, 0);
            for (int64_t k = 0; k < 120; k++) {
                support_ok(ctx, foray_explorer_play(explorer, world, NULL, NULL));
                tests++;
                refuted += refutation_of(explorer).refuted;
            }
            foray_explorer_destroy(explorer);
            foray_world_destroy(world);
            foray_model_destroy(model);
        }
    assert_int_equal(tests, 6 * 40 * 120);
    assert_int_equal(refuted, 0);
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------------- false models */

/* The mixture of other generators than those of the model: the control. */
static void wrong_generators_are_refuted(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = two_coins(ctx, 0.9), *truth = two_coins(ctx, 0.6);
    foray_world *world;
    foray_settings settings = support_settings("ucrl-rfe", 100000, 1);
    support_ok(ctx, foray_world_from_model(ctx, truth, &world));
    foray_explorer *explorer = explore(ctx, model, world, &settings, 3000);
    foray_refutation found = refutation_of(explorer);
    assert_true(found.refuted && found.episodes > 0 && found.episodes <= 3000);
    assert_true(found.evidence > found.limit);

    /* It is the first time that counts, also after a saved state was loaded. */
    foray_explorer *again;
    uint8_t *data;
    size_t size;
    assert_true(explorer->refuter.refuted.refuted &&
                found.episodes == explorer->refuter.refuted.episodes);
    support_ok(ctx, foray_explorer_save(explorer, &data, &size));
    support_ok(ctx, foray_explorer_create(ctx, model, &settings, &again));
    support_ok(ctx, foray_explorer_load(again, data, size));
    foray_refutation loaded = refutation_of(again);
    assert_int_equal(loaded.episodes, found.episodes);
    assert_true(loaded.evidence == found.evidence);

    foray_certificate bound;
    support_ok(ctx, foray_explorer_bound(again, FORAY_KIND_PAIR, &bound));
    assert_int_equal(bound.status, FORAY_REFUTED);
    assert_string_equal(foray_certificate_status(&bound), "refuted");
    foray_policy *policy;
    foray_reward *reward;
    support_ok(ctx, foray_policy_create(ctx, model, FORAY_PLUGIN, &policy));
    support_ok(ctx, foray_reward_create(ctx, model, "ones", 0, 1, 1, &reward));
    support_ok(ctx, foray_explorer_certify(again, reward, policy));
    assert_int_equal(policy->certificate.status, FORAY_REFUTED);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    foray_free(data);
    foray_explorer_destroy(again);
    foray_explorer_destroy(explorer);
    foray_world_destroy(world);
    foray_model_destroy(model);
    foray_model_destroy(truth);
    foray_context_destroy(ctx);
}

/* Features that are not mixtures have the regression alone: P(1|s,a) = 1/2 + c_a theta, c = 1/4 and
 * 1/2, so that a world in which state 1 always follows asks for theta = 2 and 1. */
static foray_model *given_features(foray_context *ctx, double theta)
{
    foray_builder *b;
    foray_model *model;
    support_ok(ctx, foray_builder_create(ctx, 2, 2, 4, 2, 2, &b));
    for (int64_t s = 0; s < 2; s++)
        for (int64_t a = 0; a < 2; a++)
            for (int64_t next = 0; next < 2; next++) {
                static const int64_t index[] = {0, 1};
                const double value[] = {0.5, (next ? 1 : -1) * (a ? 0.5 : 0.25)};
                foray_builder_feature(b, s, a, next, 2, index, value);
            }
    const double both[] = {1, theta};
    foray_builder_theta(b, both);
    foray_builder_initial(b, 0, 1);
    support_ok(ctx, foray_builder_finish(b, &model));
    foray_builder_destroy(b);
    return model;
}

/* Whatever is done, state 1 follows. */
static foray_status always_one(void *self, const foray_draw *draw, int64_t state, int64_t action,
                               int64_t *next)
{
    (void)self, (void)draw, (void)state, (void)action;
    *next = 1;
    return FORAY_OK;
}

static foray_status start(void *self, const foray_draw *draw, int64_t *state)
{
    (void)self, (void)draw;
    *state = 0;
    return FORAY_OK;
}

static void intervals_below_zero_refute(void **state)
{
    (void)state;
    static const foray_world_ops ops = {.size = sizeof ops, .reset = start, .step = always_one};
    foray_context *ctx = foray_context_create();
    foray_model *model = given_features(ctx, 0.5);
    foray_world *world, *obeys;
    foray_settings settings = support_settings("random", 100000, 1);
    support_ok(ctx, foray_world_create(ctx, &ops, NULL, &world));
    support_ok(ctx, foray_world_from_model(ctx, model, &obeys));
    foray_explorer *explorer = explore(ctx, model, obeys, &settings, 2000);
    assert_false(refutation_of(explorer).refuted);
    foray_explorer_destroy(explorer);
    explorer = explore(ctx, model, world, &settings, 2000);
    foray_refutation found = refutation_of(explorer);
    char text[400];
    foray_refutation_print(NULL, &found, text, sizeof text);
    assert_true(found.refuted && found.coordinate == -1 && found.half_width > 0);
    assert_true(found.estimate + found.half_width < 0 && found.next == 0 && found.action == 1);
    assert_non_null(strstr(text, "the probability of state 0 after state "));
    foray_explorer_destroy(explorer);
    foray_world_destroy(world);
    foray_world_destroy(obeys);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* --------------------------------------------------------------- through clusters */

static void clusters_are_refuted(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_aggregation how;
    foray_system *system;
    foray_clusters *clusters;
    foray_model *model;
    foray_world *world;
    foray_settings settings = support_settings("random", 100000, 1);
    foray_aggregation_default(&how);
    support_ok(ctx, foray_system_open(ctx, "pendulum", &system));
    support_ok(ctx, foray_clusters_parse(ctx, system, "grid:5x5", &clusters));
    support_ok(ctx, foray_aggregate(ctx, system, clusters, &how, NULL, NULL, NULL, &model));
    support_ok(ctx, foray_world_from_system(ctx, system, clusters, model, NULL, FORAY_CONTINUE_REAL,
                                            &world));
    foray_explorer *explorer = explore(ctx, model, world, &settings, 1);
    foray_certificate bound;
    support_ok(ctx, foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound));
    assert_int_equal(bound.status, FORAY_ESTIMATE);
    foray_explorer_destroy(explorer);
    explorer = explore(ctx, model, world, &settings, 500);
    support_ok(ctx, foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound));
    assert_int_equal(bound.status, FORAY_REFUTED);
    assert_true(refutation_of(explorer).episodes <= 500);
    foray_explorer_destroy(explorer);
    foray_world_destroy(world);
    foray_model_destroy(model);
    foray_clusters_destroy(clusters);
    foray_system_destroy(system);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_is_as_defined),
        cmocka_unit_test(tabular_models_fit_everything),
        cmocka_unit_test(true_models_are_not_refuted),
        cmocka_unit_test(wrong_generators_are_refuted),
        cmocka_unit_test(intervals_below_zero_refute),
        cmocka_unit_test(clusters_are_refuted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
