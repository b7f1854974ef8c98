/* test_obey.c - certificates of systems that are explored through clusters hold where exploring
 * obeys the model, or departs from it by no more than a Lipschitz constant allows; and do not where
 * nothing is known. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/explorer.h"
#include "support.h"
#include "model/model.h"

typedef struct stage {
    foray_context *ctx;
    foray_system *system;
    foray_clusters *clusters;
    foray_model *model;
    foray_aggregation how;
} stage;

static stage set_up(foray_context *ctx, foray_system *system, const char *clusters,
                    const foray_aggregation *how)
{
    stage s = {.ctx = ctx, .system = system, .how = *how};
    support_ok(ctx, foray_clusters_parse(ctx, system, clusters, &s.clusters));
    support_ok(ctx, foray_aggregate(ctx, system, s.clusters, how, NULL, NULL, NULL, &s.model));
    return s;
}

static void clear(stage *s)
{
    foray_model_destroy(s->model);
    foray_clusters_destroy(s->clusters);
    foray_system_destroy(s->system);
}

static stage pendulum(foray_context *ctx)
{
    foray_aggregation how;
    foray_system *system;
    foray_aggregation_default(&how);
    support_ok(ctx, foray_system_open(ctx, "pendulum", &system));
    return set_up(ctx, system, "grid:5x5", &how);
}

static foray_explorer *explore(stage *s, foray_continuation continuation, const char *algorithm,
                               int64_t seed, int64_t episodes)
{
    foray_settings settings;
    foray_world *world;
    foray_explorer *explorer;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "%s", algorithm);
    settings.seed = seed;
    settings.delta = 0.5;
    support_ok(s->ctx, foray_world_from_system(s->ctx, s->system, s->clusters, s->model, &s->how,
                                               continuation, &world));
    support_ok(s->ctx, foray_explorer_create(s->ctx, s->model, &settings, &explorer));
    for (int64_t k = 0; k < episodes; k++)
        support_ok(s->ctx, foray_explorer_play(explorer, world, NULL, NULL));
    foray_world_destroy(world);
    return explorer;
}

/* Of the plans for all goals, the most that a true gap exceeds its certificate by; *tightest
 * receives the smallest certificate, *status the status of the last. */
static double max_exceeded(stage *s, foray_explorer *explorer, double *tightest,
                           foray_proof_status *status)
{
    double worst = -INFINITY;
    for (int64_t goal = 0; goal < foray_model_states(s->model); goal += 2) {
        foray_reward *reward;
        foray_policy *policy;
        double value, optimal;
        support_ok(s->ctx, foray_reward_create(s->ctx, s->model, "goal", 0, 1, 0, &reward));
        support_ok(s->ctx, foray_reward_set(s->ctx, reward, -1, goal, -1, 1));
        const foray_reward *const rewards[] = {reward};
        support_ok(s->ctx, foray_explorer_plan(explorer, 1, rewards, FORAY_PLUGIN, &policy));
        support_ok(s->ctx, foray_evaluate(s->ctx, s->model, reward, policy, &value, &optimal));
        worst = fmax(worst, optimal - value - policy->certificate.gap);
        *tightest = fmin(*tightest, policy->certificate.gap);
        *status = policy->certificate.status;
        foray_policy_destroy(policy);
        foray_reward_destroy(reward);
    }
    return worst;
}

/* ------------------------------------------------------------------- fresh points */

/* What follows a pair, many times, is what the model says: chi-square. */
static void fresh_points_obey_the_model(void **state)
{
    (void)state;
    enum { DRAWS = 20000 };
    foray_context *ctx = foray_context_create();
    stage s = pendulum(ctx);
    foray_world *world;
    double worst = 0;
    support_ok(ctx, foray_world_from_system(ctx, s.system, s.clusters, s.model, &s.how,
                                            FORAY_CONTINUE_FRESH, &world));
    for (int64_t pair = 0; pair < s.model->pairs; pair += 7) {
        int64_t set = s.model->generator_set[pair], n = fy_generator_set_size(s.model, set);
        double *p = calloc((size_t)n, sizeof *p), square = 0;
        int64_t *count = calloc((size_t)n, sizeof *count);
        fy_generator_set_probabilities(s.model, s.model->theta, set, p);
        for (int64_t k = 0; k < DRAWS; k++) {
            const foray_draw draw = {1, (uint64_t)k, 1};
            int64_t next;
            support_ok(ctx, foray_world_step(world, &draw, pair / s.model->actions,
                                             pair % s.model->actions, &next));
            count[fy_model_find(s.model, pair, next)]++;
        }
        /* Rare ones together: chi-square needs some of each. */
        double rare = 0, expected = 0, cells = 0;
        for (int64_t j = 0; j < n; j++)
            if (DRAWS * p[j] < 20) {
                rare += (double)count[j];
                expected += DRAWS * p[j];
            } else {
                double off = (double)count[j] - DRAWS * p[j];
                square += off * off / (DRAWS * p[j]);
                cells++;
            }
        if (expected >= 20)
            square += (rare - expected) * (rare - expected) / expected;
        else
            assert_true(rare < 80);
        worst = fmax(worst, (square - cells) / sqrt(2 * cells));
        free(p);
        free(count);
    }
    print_message("chi-square: %g deviations\n", worst);
    assert_true(worst < 6);
    foray_world_destroy(world);
    clear(&s);
    foray_context_destroy(ctx);
}

/* Both kinds of certificates, at delta = 0.5, over seeds: none is exceeded, nothing is refuted, and
 * theta is in the intervals. */
static void fresh_certificates_hold(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"random", "ucrl-rfe"};
    foray_context *ctx = foray_context_create();
    stage s = pendulum(ctx);
    double tightest[2] = {INFINITY, INFINITY};
    for (int64_t seed = 0; seed < 12; seed++) {
        foray_explorer *explorer =
            explore(&s, FORAY_CONTINUE_FRESH, algorithms[seed % 2], seed, seed % 2 ? 300 : 3000);
        foray_refutation refutation;
        foray_proof_status status;
        support_ok(ctx, foray_explorer_refutation(explorer, &refutation));
        assert_false(refutation.refuted);
        for (int likelihood = 0; likelihood < 2; likelihood++) {
            support_ok(ctx, foray_explorer_certify_by(explorer, likelihood ? FORAY_RADIUS_LIKELIHOOD
                                                                           : FORAY_RADIUS_SHARP));
            assert_true(max_exceeded(&s, explorer, &tightest[likelihood], &status) <= 1e-9);
            assert_int_equal(status, FORAY_CERTIFIED);
        }
        foray_explorer_destroy(explorer);
    }
    /* Not because they say nothing. */
    print_message("tightest certificates: %g, %g\n", tightest[0], tightest[1]);
    assert_true(tightest[0] < 2 && tightest[1] < 0.5);
    clear(&s);
    foray_context_destroy(ctx);
}

/* The control: from real states the numbers are smaller than true gaps, and no certificates. */
static void real_states_break_them(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    stage s = pendulum(ctx);
    double tightest = INFINITY;
    foray_proof_status status;
    foray_explorer *explorer = explore(&s, FORAY_CONTINUE_REAL, "random", 0, 20000);
    assert_true(max_exceeded(&s, explorer, &tightest, &status) > 0.1);
    assert_int_equal(status, FORAY_REFUTED);
    foray_explorer_destroy(explorer);
    clear(&s);
    foray_context_destroy(ctx);
}

/* A model of other points is found out, and an accuracy refused. */
static void other_points_are_noticed(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    stage s = pendulum(ctx);
    foray_world *world;
    int64_t next, wrong = 0;
    foray_aggregation other = s.how;
    other.seed = 2;
    other.draws = 5000;
    support_ok(ctx, foray_world_from_system(ctx, s.system, s.clusters, s.model, &other,
                                            FORAY_CONTINUE_FRESH, &world));
    for (int64_t k = 0; k < 20000; k++) {
        const foray_draw draw = {1, (uint64_t)k, 1};
        wrong += foray_world_step(world, &draw, k % 25, k % 3, &next) == FORAY_ERROR_WORLD;
    }
    assert_true(wrong > 0);
    assert_non_null(strstr(foray_message(ctx), "it was not made from these points"));
    foray_world_destroy(world);
    other.accuracy = 0.1;
    assert_int_equal(foray_world_from_system(ctx, s.system, s.clusters, s.model, &other,
                                             FORAY_CONTINUE_FRESH, &world),
                     FORAY_ERROR_USAGE);
    clear(&s);
    foray_context_destroy(ctx);
}

/* -------------------------------------------------------------- Lipschitz constants */

/* On [0,1]: the lower half with probability 1/2 +- smooth (s - 1/2), uniformly, else the upper
 * one. Two states differ by smooth |s - s~| in total variation. */
static const double smooth = 0.2, weights[] = {0.7, 0.3};

static foray_status start(void *self, const foray_draw *draw, double *state)
{
    (void)self;
    state[0] = foray_draw_uniform(draw, 0);
    return FORAY_OK;
}

static foray_status walk(void *self, int64_t count, const foray_system_query *query,
                         const double *state, double *next)
{
    (void)self;
    for (int64_t k = 0; k < count; k++) {
        const foray_draw *draw = &query[k].draw;
        int64_t i = query[k].simulator;
        if (i == FORAY_REALITY)
            i = foray_draw_uniform(draw, 2) < weights[0] ? 0 : 1;
        double lean = (i == 0 ? 1 : -1) * (query[k].action == 0 ? 1 : -1);
        double lower = 0.5 + 0.3 * lean + smooth * (state[k] - 0.5);
        double half = foray_draw_uniform(draw, 0) < lower ? 0 : 0.5;
        next[k] = half + foray_draw_uniform(draw, 1) / 2;
    }
    return FORAY_OK;
}

static bool tell_weights(void *self, double *weight)
{
    (void)self;
    memcpy(weight, weights, sizeof weights);
    return true;
}

static stage smooth_system(foray_context *ctx, double lipschitz, const char *clusters)
{
    static const double low[] = {0}, high[] = {1};
    static const foray_system_ops ops = {
        .size = sizeof ops, .reset = start, .step = walk, .weights = tell_weights};
    const foray_system_spec spec = {.size = sizeof spec,
                                    .name = "smooth",
                                    .dimensions = 1,
                                    .actions = 2,
                                    .horizon = 5,
                                    .simulators = 2,
                                    .low = low,
                                    .high = high};
    foray_system *system;
    foray_aggregation how;
    foray_aggregation_default(&how);
    how.draws = 20000;
    how.lipschitz = lipschitz;
    support_ok(ctx, foray_system_create(ctx, &spec, &ops, NULL, &system));
    return set_up(ctx, system, clusters, &how);
}

static void lipschitz_constants_certify(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    stage unknown = smooth_system(ctx, 0, "grid:9"), known = smooth_system(ctx, smooth, "grid:9");
    double monte_carlo = unknown.model->feature_error;
    double error = known.model->feature_error - monte_carlo;
    /* A state is at most one cell from the middle, whose points lie evenly on both sides. */
    assert_true(fabs(error - smooth / 8) < 0.02 * smooth / 8);
    for (int64_t seed = 0; seed < 10; seed++) {
        double tightest = INFINITY;
        foray_proof_status status;
        foray_explorer *explorer = explore(&known, FORAY_CONTINUE_REAL, "random", seed, 2000);
        foray_refutation refutation;
        support_ok(ctx, foray_explorer_refutation(explorer, &refutation));
        assert_false(refutation.refuted);
        assert_true(max_exceeded(&known, explorer, &tightest, &status) <= 1e-9);
        assert_int_equal(status, FORAY_CERTIFIED);
        assert_true(tightest < 4);
        foray_explorer_destroy(explorer);
    }
    double tightest = INFINITY;
    foray_proof_status status;
    foray_explorer *explorer = explore(&unknown, FORAY_CONTINUE_REAL, "random", 1, 10);
    max_exceeded(&unknown, explorer, &tightest, &status);
    assert_int_equal(status, FORAY_ESTIMATE);
    foray_explorer_destroy(explorer);
    clear(&unknown);
    clear(&known);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_points_obey_the_model), cmocka_unit_test(fresh_certificates_hold),
        cmocka_unit_test(real_states_break_them),      cmocka_unit_test(other_points_are_noticed),
        cmocka_unit_test(lipschitz_constants_certify),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
