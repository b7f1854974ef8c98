/* test_linear.c - explorers of linear MDPs against textbook versions that keep their whole
 * history. */
#include "oracle_linear.h"
#include "oracle_truth.h"
#include "support_linear.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/linear/lsvi.h"

/* ------------------------------------------------------- against the textbook */

typedef struct stage {
    foray_context *ctx;
    foray_model *model;
    foray_world *world;
    foray_explorer *explorer;
    foray_settings settings;
    oracle_linear *oracle;
    double *log_det; /* [horizon] of the oracle at the last plan or epoch */
} stage;

static stage set_stage(const char *world, const foray_settings *settings)
{
    stage s = {.ctx = foray_context_create(), .settings = *settings};
    int64_t dim;
    if (world)
        support_ok(s.ctx, foray_model_builtin(s.ctx, world, &s.model));
    else
        s.model = linear_random_world(s.ctx, linear_small, 3);
    support_ok(s.ctx, foray_world_from_model(s.ctx, s.model, &s.world));
    support_ok(s.ctx, support_create(s.ctx, s.model, settings, &s.explorer));
    double *phi =
        linear_features(s.ctx, s.model, (int)support_own(settings, "pair_features"), &dim);
    s.oracle = oracle_linear_create(s.model, dim, phi, settings->episodes);
    s.log_det = calloc((size_t)s.model->horizon, sizeof *s.log_det);
    free(phi);
    return s;
}

static void clear(stage *s)
{
    oracle_linear_destroy(s->oracle);
    free(s->log_det);
    foray_explorer_destroy(s->explorer);
    foray_world_destroy(s->world);
    foray_model_destroy(s->model);
    foray_context_destroy(s->ctx);
}

/* The action attains the oracle's maximum; among equals, that of the larger tie. */
static void check_action(const stage *s, int64_t t, int64_t state, int64_t action)
{
    const oracle_linear *o = s->oracle;
    const double *q = o->q + t * o->pairs + state * o->actions;
    const double *tie = o->tie + t * o->pairs + state * o->actions;
    double close = 1e-9 * (1 + fabs(q[action])), close_tie = 1e-9 * (1 + fabs(tie[action]));
    for (int64_t a = 0; a < o->actions; a++) {
        assert_true(q[action] >= q[a] - close);
        if (q[a] >= q[action])
            assert_true(tie[action] >= tie[a] - close_tie);
    }
}

/* Plays an episode; checks steps 0..last against the oracle, which then learns from steps
 * first..last. */
static void play(stage *s, int64_t episode, int64_t first, int64_t last)
{
    foray_draw draw = {.seed = 5, .episode = (uint64_t)episode};
    int64_t state, action, next;
    support_ok(s->ctx, foray_world_reset(s->world, &draw, &state));
    for (int64_t t = 0; t < s->model->horizon; t++, state = next) {
        draw.step = (uint32_t)t + 1;
        support_ok(s->ctx, foray_explorer_act(s->explorer, state, &action));
        if (t <= last)
            check_action(s, t, state, action);
        support_ok(s->ctx, foray_world_step(s->world, &draw, state, action, &next));
        support_ok(s->ctx, foray_explorer_observe(s->explorer, state, action, next));
        if (t >= first && t <= last)
            oracle_linear_add(s->oracle, t, state * s->model->actions + action, next);
    }
    support_ok(s->ctx, foray_explorer_end(s->explorer));
}

/* Has the determinant of some step doubled since it was last noted? */
static bool has_doubled(stage *s)
{
    bool grown = false;
    for (int64_t t = 0; t < s->model->horizon; t++) {
        oracle_linear_invert(s->oracle, t);
        grown |= s->oracle->log_det - s->log_det[t] >= log(2);
    }
    return grown;
}

static void note_growth(stage *s)
{
    for (int64_t t = 0; t < s->model->horizon; t++) {
        oracle_linear_invert(s->oracle, t);
        s->log_det[t] = s->oracle->log_det;
    }
}

static double wang_beta(const stage *s)
{
    double d = (double)s->oracle->dim, H = (double)s->model->horizon;
    return support_own(&s->settings, "wang_c") * d * H *
           sqrt(log(d * H / (s->settings.delta * support_own(&s->settings, "wang_eps"))));
}

static void check_wang_plans(stage *s)
{
    static const double sign[] = {1, 0, -1};
    for (uint64_t seed = 0; seed < 3; seed++) {
        foray_reward *reward = truth_random_reward(s->ctx, s->model, seed);
        const foray_reward *const rewards[] = {reward};
        for (int mode = 0; mode < FORAY_MODES; mode++) {
            foray_policy *policy;
            support_ok(s->ctx, foray_explorer_plan(s->explorer, 1, rewards, mode, &policy));
            for (int other = 0; other < FORAY_MODES; other++) {
                double value = oracle_wang(s->oracle, wang_beta(s), reward, sign[other]);
                assert_true(fabs(policy->value[other] - value) < 1e-9);
            }
            oracle_wang(s->oracle, wang_beta(s), reward, sign[mode]);
            for (int64_t t = 0; t < s->model->horizon; t++)
                for (int64_t x = 0; x < s->model->states; x++)
                    check_action(s, t, x, policy->action[t * s->model->states + x]);
            foray_policy_destroy(policy);
        }
        foray_reward_destroy(reward);
    }
}

static void wang_is_the_textbook(const char *world, int source, double c, int replan)
{
    foray_settings settings = linear_settings("wang");
    support_set_number(&settings, "pair_features", source);
    support_set_number(&settings, "wang_c", c);
    settings.replan = replan;
    settings.refactor_every = 50;
    stage s = set_stage(world, &settings);
    int64_t plans = 0;
    for (int64_t k = 0; k < settings.episodes; k++) {
        support_ok(s.ctx, foray_explorer_begin(s.explorer));
        if (k == 0 || replan == FORAY_REPLAN_EVERY || has_doubled(&s)) {
            note_growth(&s);
            oracle_wang(s.oracle, wang_beta(&s), NULL, 1);
            plans++;
        }
        assert_int_equal(s.explorer->plans, plans);
        play(&s, k, 0, s.model->horizon - 1);
    }
    check_wang_plans(&s);
    clear(&s);
}

static void wang_with_given_features(void **state)
{
    (void)state;
    wang_is_the_textbook(NULL, FY_FEATURES_GIVEN, 1, FORAY_REPLAN_EVERY);
    wang_is_the_textbook(NULL, FY_FEATURES_GIVEN, 0.01, FORAY_REPLAN_EVERY);
    wang_is_the_textbook(NULL, FY_FEATURES_GIVEN, 0.01, FORAY_REPLAN_DOUBLING);
}

static void wang_with_other_features(void **state)
{
    (void)state;
    wang_is_the_textbook("chain:states=6,zones=2,horizon=4", FY_FEATURES_ONEHOT, 0.01,
                         FORAY_REPLAN_EVERY);
    wang_is_the_textbook("riverswim:states=4,horizon=5", FY_FEATURES_LOWRANK, 0.02,
                         FORAY_REPLAN_EVERY);
    wang_is_the_textbook(NULL, FY_FEATURES_LOWRANK, 0.02, FORAY_REPLAN_DOUBLING);
}

/* The standard normal numbers of an episode (Box and Muller). */
static void draw_normal(const stage *s, int64_t episode, double *z)
{
    const double two_pi = 2 * acos(-1);
    for (int64_t i = 0; i < s->oracle->dim; i++) {
        uint32_t even = (uint32_t)(i - i % 2), step = (uint32_t)s->model->horizon;
        uint64_t seed = (uint64_t)s->settings.seed, k = (uint64_t)episode;
        double u = fy_unit(fy_random_bits(seed, FY_STREAM_EXPLORER, k, step, even));
        double v = fy_unit(fy_random_bits(seed, FY_STREAM_EXPLORER, k, step, even + 1));
        z[i] = sqrt(-2 * log(1 - u)) * (i % 2 ? sin(two_pi * v) : cos(two_pi * v));
    }
}

static void check_francis_plans(stage *s)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        foray_reward *reward = truth_random_reward(s->ctx, s->model, seed);
        const foray_reward *const rewards[] = {reward};
        foray_policy *policy;
        double value = oracle_francis_plan(s->oracle, reward);
        support_ok(s->ctx, foray_explorer_plan(s->explorer, 1, rewards, FORAY_PLUGIN, &policy));
        for (int mode = 0; mode < FORAY_MODES; mode++)
            assert_true(fabs(policy->value[mode] - value) < 1e-9);
        for (int64_t t = 0; t < s->model->horizon; t++)
            for (int64_t x = 0; x < s->model->states; x++)
                check_action(s, t, x, policy->action[t * s->model->states + x]);
        foray_policy_destroy(policy);
        foray_reward_destroy(reward);
    }
}

/* length 0: the phases share the budget. */
static void francis_is_the_textbook(const char *world, int source, int64_t length, int replan)
{
    foray_settings settings = linear_settings("francis");
    support_set_number(&settings, "pair_features", source);
    support_set_number(&settings, "francis_phase", length);
    settings.replan = replan;
    stage s = set_stage(world, &settings);
    int64_t d = s.oracle->dim, H = s.model->horizon, before = -1;
    if (length == 0)
        length = settings.episodes / H;
    double *z = calloc((size_t)(2 * d), sizeof *z), *xi = z + d;
    double *epoch = calloc((size_t)(d * d), sizeof *epoch);
    for (int64_t k = 0; k < settings.episodes; k++) {
        int64_t p = k / length % H;
        support_ok(s.ctx, foray_explorer_begin(s.explorer));
        if (p != before || replan == FORAY_REPLAN_EVERY || has_doubled(&s)) {
            note_growth(&s);
            oracle_linear_invert(s.oracle, p);
            memcpy(epoch, s.oracle->inverse, (size_t)(d * d) * sizeof *epoch);
        }
        before = p;
        memcpy(s.oracle->inverse, epoch, (size_t)(d * d) * sizeof *epoch);
        draw_normal(&s, k, z);
        oracle_francis_colour(s.oracle, z, xi);
        oracle_francis(s.oracle, p, xi);
        play(&s, k, p, p);
    }
    check_francis_plans(&s);
    free(z);
    free(epoch);
    clear(&s);
}

static void francis_in_all_sources(void **state)
{
    (void)state;
    francis_is_the_textbook(NULL, FY_FEATURES_GIVEN, 0, FORAY_REPLAN_AUTO);
    francis_is_the_textbook(NULL, FY_FEATURES_GIVEN, 7, FORAY_REPLAN_EVERY);
    /* Directions are drawn block by block. The textbook has one block, and so have features
     * factorised from a dense world, whatever rounding leaves of their zeros. */
    francis_is_the_textbook(NULL, FY_FEATURES_LOWRANK, 0, FORAY_REPLAN_AUTO);
    francis_is_the_textbook("chain:states=6,zones=2,horizon=4", FY_FEATURES_ONEHOT, 0,
                            FORAY_REPLAN_EVERY);
}

/* ------------------------------------------------------------------ what it costs */

static size_t state_size(foray_explorer *explorer)
{
    uint8_t *data;
    size_t size;
    assert_int_equal(foray_explorer_save(explorer, &data, &size), FORAY_OK);
    free(data);
    return size;
}

/* An explorer that kept its past would have to keep it somewhere. */
static void nothing_grows_with_the_past(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"wang", "francis"};
    for (int i = 0; i < 2; i++) {
        foray_settings settings = linear_settings(algorithms[i]);
        support_set_number(&settings, "pair_features", FY_FEATURES_GIVEN);
        stage s = set_stage(NULL, &settings);
        /* Where and how often, of each transition that was seen. */
        size_t seen = (size_t)s.model->succ_start[s.model->pairs] * 2 * sizeof(uint64_t);
        size_t fresh = state_size(s.explorer);
        int64_t allocations = s.ctx->allocations;
        assert_true(truth_play(s.explorer, s.world, 2000));
        assert_int_equal(s.ctx->allocations, allocations);
        assert_in_range(state_size(s.explorer), fresh, fresh + seen);
        clear(&s);
    }
}

/* ------------------------------------------------------------------------ the rest */

/* Saved, loaded into another explorer, continued: the same bits. Onehot is in the suite. */
static void resumes_with_any_features(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"wang", "francis"};
    for (int i = 0; i < 4; i++) {
        foray_settings settings = linear_settings(algorithms[i % 2]);
        support_set_number(&settings, "pair_features",
                           i < 2 ? FY_FEATURES_GIVEN : FY_FEATURES_LOWRANK);
        stage whole = set_stage(NULL, &settings), part = set_stage(NULL, &settings);
        uint8_t *data[2];
        size_t size[2];
        assert_true(truth_play(whole.explorer, whole.world, 70));
        assert_int_equal(foray_explorer_save(whole.explorer, &data[0], &size[0]), FORAY_OK);
        assert_int_equal(foray_explorer_load(part.explorer, data[0], size[0]), FORAY_OK);
        free(data[0]);
        assert_true(truth_play(whole.explorer, whole.world, 90));
        assert_true(truth_play(part.explorer, part.world, 90));
        assert_int_equal(foray_explorer_save(whole.explorer, &data[0], &size[0]), FORAY_OK);
        assert_int_equal(foray_explorer_save(part.explorer, &data[1], &size[1]), FORAY_OK);
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(data[0], data[1], size[0]);
        free(data[0]);
        free(data[1]);
        clear(&whole);
        clear(&part);
    }
}

/* Phases follow from settings: a state saved under others is another's. Where a phase has a
 * length of its own, the budget does not matter. */
static void francis_refuses_other_phases(void **state)
{
    (void)state;
    static const struct {
        int64_t phase, episodes;
        foray_status status;
    } rows[] = {{0, 200, FORAY_OK}, {0, 201, FORAY_ERROR_RUN}, {7, 200, FORAY_ERROR_RUN},
                {5, 200, FORAY_OK}, {5, 201, FORAY_OK},        {6, 200, FORAY_ERROR_RUN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        foray_settings settings = linear_settings("francis");
        support_set_number(&settings, "pair_features", FY_FEATURES_GIVEN);
        settings.episodes = 200;
        support_set_number(&settings, "francis_phase", i < 3 ? 0 : 5);
        stage saved = set_stage(NULL, &settings);
        settings.episodes = rows[i].episodes;
        support_set_number(&settings, "francis_phase", rows[i].phase);
        stage loaded = set_stage(NULL, &settings);
        uint8_t *data;
        size_t size;
        assert_true(truth_play(saved.explorer, saved.world, 20));
        assert_int_equal(foray_explorer_save(saved.explorer, &data, &size), FORAY_OK);
        assert_int_equal(foray_explorer_load(loaded.explorer, data, size), rows[i].status);
        free(data);
        clear(&saved);
        clear(&loaded);
    }
}

static void survives_failing_memory(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = linear_random_world(ctx, linear_small, 4);
    for (int source = FY_FEATURES_GIVEN; source <= FY_FEATURES_LOWRANK; source++) {
        foray_settings settings = linear_settings("francis");
        support_set_number(&settings, "pair_features", source);
        foray_explorer *explorer = NULL;
        foray_status status = FORAY_ERROR_MEMORY;
        int64_t left = 0;
        for (; status != FORAY_OK; left++) {
            ctx->allocations_left = left;
            status = support_create(ctx, model, &settings, &explorer);
            assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
        }
        assert_true(left > 20);
        ctx->allocations_left = -1;
        foray_explorer_destroy(explorer);
    }
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* Plans get good: the worst gap over the goals after a few thousand episodes. */
static double worst_gap(stage *s)
{
    double worst = 0;
    for (int64_t goal = 0; goal < s->model->states; goal++) {
        foray_reward *reward = truth_goal(s->ctx, s->model, goal);
        const foray_reward *const rewards[] = {reward};
        foray_policy *policy;
        double value, best;
        support_ok(s->ctx, foray_explorer_plan(s->explorer, 1, rewards, FORAY_PLUGIN, &policy));
        support_ok(s->ctx, foray_evaluate(s->ctx, s->model, reward, policy, &value, &best));
        worst = fmax(worst, best - value);
        assert_true(isinf(policy->certificate.gap) &&
                    policy->certificate.status != FORAY_CERTIFIED);
        foray_policy_destroy(policy);
        foray_reward_destroy(reward);
    }
    return worst;
}

static void learns(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"wang", "francis"};
    for (int i = 0; i < 2; i++) {
        foray_settings settings = linear_settings(algorithms[i]);
        support_set_number(&settings, "pair_features", FY_FEATURES_GIVEN);
        settings.episodes = 8000;
        stage s = set_stage(NULL, &settings);
        double before = worst_gap(&s);
        assert_true(truth_play(s.explorer, s.world, settings.episodes));
        double after = worst_gap(&s);
        assert_true(before > 0.1);
        assert_true(after < 0.02);
        clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wang_with_given_features),  cmocka_unit_test(wang_with_other_features),
        cmocka_unit_test(francis_in_all_sources),    cmocka_unit_test(nothing_grows_with_the_past),
        cmocka_unit_test(resumes_with_any_features), cmocka_unit_test(francis_refuses_other_phases),
        cmocka_unit_test(survives_failing_memory),   cmocka_unit_test(learns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
