/* test_literal.c - in literal mode the fast code plays the episodes of the
 * papers' pseudo-code, transcribed in oracle_literal.c. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_literal.h"
#include "oracle_truth.h"
#include "explore/explorer.h"
#include "model/model.h"

enum { EPISODES = 60, HORIZON = 5, MAX = 8, SHRINK = 4 };

typedef struct pair_of {
    foray_context *ctx;
    foray_model *model;
    foray_world *world;
    foray_explorer *fast;
    literal *slow;
} pair_of;

/* Random given features: g_j > 0 random, scaled so that <g_j, theta> sums to one. The
 * norms of psi_1 differ from pair to pair, so that even saturated plans have no
 * ties that rounding would have to break. */
static foray_model *random_model(foray_context *ctx, uint64_t seed, int S, int A, int n, int d)
{
    foray_builder *builder;
    foray_model *model;
    uint32_t count = 0;
    double theta[MAX], g[MAX][MAX];
    int64_t coordinate[MAX];
#define DRAW() (0.05 + fy_unit(fy_random_bits(seed, FY_STREAM_TEST, count++, 0, 0)))
    for (int i = 0; i < d; i++) {
        coordinate[i] = i;
        theta[i] = SHRINK * DRAW();
    }
    assert_int_equal(foray_builder_create(ctx, S, A, HORIZON, d, 1.5 * SHRINK * d, &builder), 0);
    for (int s = 0; s < S; s++)
        for (int a = 0; a < A; a++) {
            int first = (int)(S * DRAW());
            double sum = 0;
            for (int j = 0; j < n; j++)
                for (int i = 0; i < d; i++) {
                    g[j][i] = DRAW();
                    sum += g[j][i] * theta[i];
                }
            for (int j = 0; j < n; j++) {
                for (int i = 0; i < d; i++)
                    g[j][i] /= sum;
                foray_builder_feature(builder, s, a, (first + j) % S, d, coordinate, g[j]);
            }
        }
#undef DRAW
    foray_builder_theta(builder, theta);
    assert_int_equal(foray_builder_finish(builder, &model), FORAY_OK);
    foray_builder_destroy(builder);
    return model;
}

/* r as [H][S][A]. */
static double *dense_reward(const foray_model *model, const foray_reward *reward)
{
    double *table = calloc((size_t)(model->horizon * model->pairs), sizeof *table);
    for (int64_t t = 0; t < model->horizon; t++)
        for (int64_t pair = 0; pair < model->pairs; pair++)
            table[t * model->pairs + pair] =
                foray_reward_at(reward, t, pair / model->actions, pair % model->actions);
    return table;
}

static pair_of start(uint64_t seed, const int *shape, foray_settings settings, double zeta)
{
    pair_of both = {.ctx = foray_context_create()};
    foray_settings_literal(&settings);
    both.model = random_model(both.ctx, seed, shape[0], shape[1], shape[2], shape[3]);
    both.model->feature_error = zeta;
    assert_int_equal(foray_world_from_model(both.ctx, both.model, &both.world), FORAY_OK);
    assert_int_equal(truth_create(both.ctx, both.model, &settings, &both.fast), FORAY_OK);
    bool plus = strchr(settings.algorithm, '+') != NULL;
    both.slow = literal_create(both.model, &settings, plus);
    if (fy_explorer_reward(both.fast) != NULL) {
        double *table = dense_reward(both.model, fy_explorer_reward(both.fast));
        literal_give_reward(both.slow, table);
        free(table);
    }
    return both;
}

static void finish(pair_of *both)
{
    foray_explorer_destroy(both->fast);
    literal_destroy(both->slow);
    foray_world_destroy(both->world);
    foray_model_destroy(both->model);
    foray_context_destroy(both->ctx);
}

/* One episode with both asked for every action. */
static void play_same_episode(pair_of *both, uint64_t seed, uint64_t episode)
{
    foray_draw draw = {.seed = seed, .episode = episode};
    int64_t state, action, next;
    literal_begin(both->slow);
    assert_int_equal(foray_explorer_begin(both->fast), FORAY_OK);
    assert_int_equal(foray_world_reset(both->world, &draw, &state), FORAY_OK);
    for (int64_t t = 0; t < both->model->horizon; t++) {
        draw.step = (uint32_t)t + 1;
        assert_int_equal(foray_explorer_act(both->fast, state, &action), FORAY_OK);
        assert_int_equal(action, literal_act(both->slow, t, state));
        assert_int_equal(foray_world_step(both->world, &draw, state, action, &next), FORAY_OK);
        assert_int_equal(foray_explorer_observe(both->fast, state, action, next), FORAY_OK);
        literal_observe(both->slow, t, state, action, next);
        state = next;
    }
    assert_int_equal(foray_explorer_end(both->fast), FORAY_OK);
}

static void assert_same_theta(pair_of *both)
{
    double fast[16], slow[16];
    assert_int_equal(foray_explorer_estimate(both->fast, fast, NULL), FORAY_OK);
    literal_theta(both->slow, slow);
    for (int64_t i = 0; i < both->model->dim; i++)
        assert_true(fabs(fast[i] - slow[i]) <= 1e-9 * (1 + fabs(slow[i])));
}

static void assert_same_plan(pair_of *both, uint64_t seed)
{
    const foray_model *model = both->model;
    foray_reward *reward = truth_random_reward(both->ctx, model, seed);
    foray_policy *policy;
    const foray_reward *const rewards[] = {reward};
    assert_int_equal(foray_explorer_plan(both->fast, 1, rewards, FORAY_OPTIMISTIC, &policy), 0);
    double *table = dense_reward(model, reward);
    double value = literal_plan(both->slow, table);
    assert_true(fabs(policy->value[FORAY_OPTIMISTIC] - value) <= 1e-9 * (1 + value));
    free(table);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
}

/* The radii are scaled down so that bonuses leave the clip and the comparison
 * is about more than saturated values. */
static void plays_with(const char *algorithm, double scale, double zeta, const char *norm)
{
    static const int shapes[][4] = {{5, 3, 3, 3}, {6, 2, 4, 4}, {4, 4, 2, 5}}; /* S, A, n, d */
    for (size_t w = 0; w < sizeof shapes / sizeof shapes[0]; w++)
        for (int64_t seed = 1; seed <= 4; seed++) {
            foray_settings settings;
            foray_settings_default(&settings);
            strcpy(settings.algorithm, algorithm);
            settings.episodes = EPISODES;
            settings.seed = seed;
            settings.radius_scale = strcmp(algorithm, "ucrl-vtr+") == 0 ? 1.0 : scale;
            if (strchr(algorithm, '+') != NULL) {
                support_set_number(&settings, "radius_scale_hat", scale);
                support_set_number(&settings, "radius_scale_check", scale);
                support_set_number(&settings, "radius_scale_tilde", scale);
            }
            if (norm)
                support_set(&settings, "explore_norm", norm);
            pair_of both = start((uint64_t)seed, shapes[w], settings, zeta);
            for (uint64_t k = 0; k < EPISODES; k++)
                play_same_episode(&both, (uint64_t)seed, k);
            assert_same_theta(&both);
            assert_true(literal_margin(both.slow) > 1e-10);
            assert_same_plan(&both, (uint64_t)seed);
            finish(&both);
        }
}

static void plays_the_same_episodes(const char *algorithm, double scale, double zeta)
{
    plays_with(algorithm, scale, zeta, NULL);
}

static void ucrl_rfe_is_algorithm_2(void **state)
{
    (void)state;
    plays_the_same_episodes("ucrl-rfe", 1.0, 0.0);
    plays_the_same_episodes("ucrl-rfe", 0.02, 0.0);
}

static void ucrl_rfe_plus_is_algorithm_3(void **state)
{
    (void)state;
    plays_the_same_episodes("ucrl-rfe+", 1.0, 0.0);
    plays_the_same_episodes("ucrl-rfe+", 0.002, 0.0);
}

/* With the square root that is printed around the norm. */
static void the_printed_reward_is_offered(void **state)
{
    (void)state;
    plays_with("ucrl-rfe", 1.0, 0.0, "root");
    plays_with("ucrl-rfe", 0.02, 0.0, "root");
    plays_with("ucrl-rfe+", 0.002, 0.0, "root");
    plays_with("ucrl-rfe", 0.02, 0.0, "norm");
}

static void ucrl_vtr_is_as_printed(void **state)
{
    (void)state;
    plays_the_same_episodes("ucrl-vtr", 1.0, 0.0);
    plays_the_same_episodes("ucrl-vtr", 0.02, 0.0);
}

static void ucrl_vtr_plus_is_as_printed(void **state)
{
    (void)state;
    plays_the_same_episodes("ucrl-vtr+", 1.0, 0.0);
    plays_the_same_episodes("ucrl-vtr+", 0.002, 0.0);
}

/* With features that are estimates, and radii so small that their error is seen. */
static void feature_errors_are_as_derived(void **state)
{
    (void)state;
    plays_the_same_episodes("ucrl-rfe", 0.02, 0.03);
    plays_the_same_episodes("ucrl-rfe+", 0.002, 0.03);
    plays_the_same_episodes("ucrl-vtr", 0.02, 0.03);
    plays_the_same_episodes("ucrl-vtr+", 0.002, 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ucrl_rfe_is_algorithm_2),
        cmocka_unit_test(ucrl_rfe_plus_is_algorithm_3),
        cmocka_unit_test(the_printed_reward_is_offered),
        cmocka_unit_test(ucrl_vtr_is_as_printed),
        cmocka_unit_test(ucrl_vtr_plus_is_as_printed),
        cmocka_unit_test(feature_errors_are_as_derived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
