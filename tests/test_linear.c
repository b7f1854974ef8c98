/* test_linear.c - explorers of linear MDPs: where features come from, and the algorithms
 * against textbook versions that keep their whole history. */
#include "oracle_linear.h"
#include "oracle_truth.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/lsvi.h"

typedef struct sizes {
    int64_t states, actions, horizon, dim;
} sizes;

static const sizes small = {5, 3, 4, 4};

/* A random linear MDP: phi(s,a) in the simplex of d corners, each corner a law over all
 * states, P = Phi M. Theta is known, and so is phi. */
static foray_model *linear_world(foray_context *ctx, sizes n, uint64_t seed)
{
    support_random random = {.seed = seed};
    double *corner = calloc((size_t)(n.dim * n.states), sizeof *corner);
    double *phi = calloc((size_t)n.dim, sizeof *phi), total;
    int64_t *all = calloc((size_t)n.dim, sizeof *all);
    foray_builder *builder;
    foray_model *model;
    support_ok(ctx, foray_builder_create_tabular(ctx, n.states, n.actions, n.horizon, &builder));
    support_ok(ctx, foray_builder_pair_features(builder, n.dim));
    for (int64_t i = 0; i < n.dim; i++) {
        all[i] = i;
        support_law(&random, n.states, true, corner + i * n.states);
    }
    for (int64_t s = 0; s < n.states; s++)
        for (int64_t a = 0; a < n.actions; a++) {
            support_law(&random, n.dim, false, phi);
            support_ok(ctx, foray_builder_pair_feature(builder, s, a, n.dim, all, phi));
            for (int64_t next = 0; next < n.states; next++) {
                total = 0;
                for (int64_t i = 0; i < n.dim; i++)
                    total += phi[i] * corner[i * n.states + next];
                support_ok(ctx, foray_builder_transition(builder, s, a, next, fmin(total, 1)));
            }
        }
    support_ok(ctx, foray_builder_finish(builder, &model));
    foray_builder_destroy(builder);
    free(corner);
    free(phi);
    free(all);
    return model;
}

static foray_settings settings_for(const char *algorithm)
{
    foray_settings settings;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "%s", algorithm);
    settings.episodes = 200;
    settings.seed = 11;
    return settings;
}

/* phi of every pair in full: [pairs][dim]. */
static double *dense_features(foray_context *ctx, const foray_model *model, int source,
                              int64_t *dim)
{
    fy_phi_rows rows = {0};
    double *phi;
    if (source == FORAY_FEATURES_LOWRANK)
        support_ok(ctx, fy_phi_factorise(ctx, model, 1e-10, &rows));
    *dim = source == FORAY_FEATURES_LOWRANK ? rows.dim
           : source == FORAY_FEATURES_GIVEN ? model->pair_dim
                                            : model->pairs;
    phi = calloc((size_t)(model->pairs * *dim), sizeof *phi);
    const int64_t *start = rows.dim > 0 ? rows.start : model->pair_start;
    const int32_t *index = rows.dim > 0 ? rows.index : model->pair_index;
    const double *value = rows.dim > 0 ? rows.value : model->pair_value;
    for (int64_t p = 0; p < model->pairs; p++) {
        if (source == FORAY_FEATURES_ONEHOT)
            phi[p * *dim + p] = 1;
        else
            for (int64_t k = start[p]; k < start[p + 1]; k++)
                phi[p * *dim + index[k]] = value[k];
    }
    fy_phi_rows_free(&rows);
    return phi;
}

/* ----------------------------------------------------------- features in models */

static void features_survive_files(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = linear_world(ctx, small, 1), *other = linear_world(ctx, small, 2);
    char *directory = support_directory(), path[512];
    assert_false(foray_model_equal(model, other));
    for (int format = FORAY_MODEL_JSON; format <= FORAY_MODEL_COMPACT; format++) {
        foray_model *again;
        snprintf(path, sizeof path, "%s/model", directory);
        support_ok(ctx, foray_model_save(ctx, model, format, path));
        support_ok(ctx, foray_model_load(ctx, path, &again));
        assert_int_equal(foray_model_pair_dim(again), small.dim);
        assert_true(foray_model_equal(model, again));
        again->pair_value[3] += 1e-16 + 1e-15 * fabs(again->pair_value[3]);
        assert_false(foray_model_equal(model, again));
        foray_model_destroy(again);
    }
    foray_model_destroy(model);
    foray_model_destroy(other);
    support_remove(directory);
    foray_context_destroy(ctx);
}

/* Writes `value` at `at`, and the checksum that then is right. */
static void forge(uint8_t *data, size_t size, size_t at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        data[at + (size_t)i] = (uint8_t)(value >> 8 * i);
    uint32_t crc = fy_crc32c(0, data, size - 4);
    for (int i = 0; i < 4; i++)
        data[size - 4 + (size_t)i] = (uint8_t)(crc >> 8 * i);
}

/* Compact models cut anywhere, and with any 8 bytes forged under a right checksum. */
static void damaged_features_are_refused(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = linear_world(ctx, (sizes){2, 2, 2, 2}, 1), *again = NULL;
    static const uint64_t values[] = {0, 1, 3, 1u << 31, UINT64_MAX / 12, UINT64_MAX};
    uint8_t *data, *copy;
    size_t size;
    support_ok(ctx, fy_model_print_compact(ctx, model, &data, &size));
    copy = malloc(size);
    for (size_t length = 0; length < size; length++)
        assert_int_equal(fy_model_parse_compact(ctx, data, length, "m", &again), FORAY_ERROR_INPUT);
    for (size_t at = 8; at + 12 <= size; at += 4)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            memcpy(copy, data, size);
            forge(copy, size, at, values[v]);
            foray_status status = fy_model_parse_compact(ctx, copy, size, "m", &again);
            assert_true(status == FORAY_OK || status == FORAY_ERROR_INPUT);
            if (status == FORAY_OK)
                foray_model_destroy(again);
        }
    free(data);
    free(copy);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* A model of one state, two actions and these features; the message says what is wrong. */
static void refuses(const char *features, const char *message)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"format\":\"foray-model\",\"version\":1,\"name\":\"\",\"states\":1,\"actions\":2,"
             "\"horizon\":2,\"dim\":1,\"norm_bound\":1,\"initial\":[[0,1]],"
             "\"features\":[[0,0,0,[[0,1]]],[0,1,0,[[0,1]]]],\"pair_features\":%s}",
             features);
    foray_context *ctx = foray_context_create();
    foray_model *model = NULL;
    foray_status status =
        fy_model_parse_json(ctx, (const uint8_t *)text, strlen(text), "m.json", &model);
    if (status == FORAY_OK)
        status = foray_model_check(ctx, model, NULL);
    assert_int_equal(status, message ? FORAY_ERROR_INPUT : FORAY_OK);
    if (message && !strstr(foray_message(ctx), message))
        fail_msg("'%s' is not in '%s'", message, foray_message(ctx));
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

static void bad_features_are_named(void **state)
{
    (void)state;
    refuses("{\"dim\":2,\"entries\":[[0,1,[[1,1]]],[0,0,[[1,0.5],[0,0.5]]]]}", NULL);
    refuses("[]", "object");
    refuses("{\"dim\":0,\"entries\":[]}", "dim");
    refuses("{\"dim\":2}", "entries");
    refuses("{\"dim\":2,\"entries\":[],\"more\":1}", "more");
    refuses("{\"dim\":2,\"entries\":[[0,0,[[0,1]]]]}", "state 0, action 1: no features");
    refuses("{\"dim\":2,\"entries\":[[0,0,[[0,0]]],[0,1,[[0,1]]]]}", "action 0: no features");
    refuses("{\"dim\":2,\"entries\":[[0,0,[[0,1]]],[0,0,[[0,1]]]]}", "given twice");
    refuses("{\"dim\":2,\"entries\":[[0,0,[[0,1]]],[0,1,[[1,0.5],[1,0.5]]]]}", "given twice");
    refuses("{\"dim\":2,\"entries\":[[0,0,[[0,1]]],[0,1,[[2,1]]]]}", "coordinate 2");
    refuses("{\"dim\":2,\"entries\":[[0,0,[[0,1]]],[0,2,[[1,1]]]]}", "action 2");
    refuses("{\"dim\":2,\"entries\":[[0,0,[[0,1]]],[0,1,[[1,\"x\"]]]]}", "number");
    refuses("{\"dim\":2,\"entries\":[[0,0,[[0,1]]],[0,1,[[0,1],[1,1]]]]}", "norm 1.41421356");
}

static void builder_checks_features(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_builder *builder;
    foray_model *model = NULL;
    const int64_t coordinate[] = {1, 2};
    const double value[] = {0.5, 0.25}, wrong[] = {0.5, NAN};
    support_ok(ctx, foray_builder_create_tabular(ctx, 1, 2, 2, &builder));
    support_ok(ctx, foray_builder_transition(builder, 0, 0, 0, 1));
    support_ok(ctx, foray_builder_transition(builder, 0, 1, 0, 1));
    assert_int_equal(foray_builder_pair_feature(builder, 0, 0, 2, coordinate, value),
                     FORAY_ERROR_USAGE);
    assert_int_equal(foray_builder_pair_features(builder, 0), FORAY_ERROR_INPUT);
    support_ok(ctx, foray_builder_pair_features(builder, 3));
    assert_int_equal(foray_builder_pair_features(builder, 3), FORAY_ERROR_USAGE);
    assert_int_equal(foray_builder_pair_feature(builder, 1, 0, 2, coordinate, value),
                     FORAY_ERROR_INPUT);
    assert_int_equal(foray_builder_pair_feature(builder, 0, 0, 2, coordinate, wrong),
                     FORAY_ERROR_INPUT);
    support_ok(ctx, foray_builder_pair_feature(builder, 0, 1, 2, coordinate, value));
    assert_int_equal(foray_builder_pair_feature(builder, 0, 1, 2, coordinate, value),
                     FORAY_ERROR_INPUT);
    assert_int_equal(foray_builder_finish(builder, &model), FORAY_ERROR_INPUT);
    support_ok(ctx, foray_builder_pair_feature(builder, 0, 0, 1, coordinate, value));
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        ctx->allocations_left = left;
        status = foray_builder_finish(builder, &model);
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    const int32_t *at;
    const double *of;
    assert_int_equal(foray_model_pair_feature(model, 0, 1, &at, &of), 2);
    assert_int_equal(at[1], 2);
    assert_true(of[1] == 0.25);
    foray_model_destroy(model);
    foray_builder_destroy(builder);
    foray_context_destroy(ctx);
}

/* ---------------------------------------------------------------- factorisation */

/* The largest residual of P(next|.) = Phi m over all next: by modified Gram-Schmidt. */
static double worst_residual(const foray_model *model, int64_t dim, double *phi)
{
    int64_t n = model->pairs;
    double worst = 0, *column = calloc((size_t)n, sizeof *column);
    for (int64_t i = 0; i < dim; i++) /* columns of Phi become orthonormal */
        for (int64_t j = 0; j <= i; j++) {
            double product = 0, square = 0;
            for (int64_t p = 0; p < n; p++) {
                product += phi[p * dim + i] * phi[p * dim + j];
                square += phi[p * dim + i] * phi[p * dim + i];
            }
            for (int64_t p = 0; p < n; p++)
                phi[p * dim + i] = j < i ? phi[p * dim + i] - product * phi[p * dim + j]
                                         : phi[p * dim + i] / sqrt(square);
        }
    for (int64_t next = 0; next < model->states; next++) {
        for (int64_t p = 0; p < n; p++) {
            int64_t j = fy_model_find(model, p, next);
            column[p] = j < 0 ? 0
                              : foray_model_probability(model, model->theta, p / model->actions,
                                                        p % model->actions, j);
        }
        for (int64_t i = 0; i < dim; i++) {
            double product = 0;
            for (int64_t p = 0; p < n; p++)
                product += column[p] * phi[p * dim + i];
            for (int64_t p = 0; p < n; p++)
                column[p] -= product * phi[p * dim + i];
        }
        for (int64_t p = 0; p < n; p++)
            worst = fmax(worst, fabs(column[p]));
    }
    free(column);
    return worst;
}

static void check_factorisation(foray_context *ctx, const foray_model *model, int64_t rank)
{
    int64_t dim;
    double *phi = dense_features(ctx, model, FORAY_FEATURES_LOWRANK, &dim), most = 0;
    assert_int_equal(dim, rank);
    for (int64_t p = 0; p < model->pairs; p++) {
        double square = 0;
        for (int64_t i = 0; i < dim; i++)
            square += phi[p * dim + i] * phi[p * dim + i];
        most = fmax(most, sqrt(square));
    }
    assert_true(fabs(most - 1) < 1e-12);
    assert_true(worst_residual(model, dim, phi) < 1e-12);
    free(phi);
}

static void factorisation_gives_the_kernel(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const sizes wide = {9, 4, 3, 4};
    foray_model *model = linear_world(ctx, wide, 5);
    check_factorisation(ctx, model, wide.dim);
    /* Less than the rank does not do; that is what the residual is for. */
    fy_phi_rows rows = {0};
    support_ok(ctx, fy_phi_factorise(ctx, model, 0.2, &rows));
    assert_in_range(rows.dim, 1, wide.dim - 1);
    double *phi = calloc((size_t)(model->pairs * rows.dim), sizeof *phi);
    memcpy(phi, rows.value, (size_t)(model->pairs * rows.dim) * sizeof *phi);
    assert_true(worst_residual(model, rows.dim, phi) > 1e-3);
    free(phi);
    fy_phi_rows_free(&rows);
    foray_model_destroy(model);
    support_ok(ctx, foray_world_model(ctx, "riverswim:states=5,horizon=4", &model));
    check_factorisation(ctx, model, 5);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

static void sources_that_do_not_exist(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *world, *model;
    foray_builder *builder;
    foray_explorer *explorer = NULL;
    foray_settings settings = settings_for("wang");
    support_ok(ctx, foray_world_model(ctx, "riverswim:states=5,horizon=4", &world));
    settings.pair_features = FORAY_FEATURES_GIVEN;
    assert_int_equal(foray_explorer_create(ctx, world, &settings, &explorer), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "gives no features"));
    support_ok(ctx, foray_builder_create_tabular(ctx, 1, 1, 2, &builder));
    support_ok(ctx, foray_builder_transition(builder, 0, 0, 0, 1));
    support_ok(ctx, foray_builder_forget_theta(builder));
    support_ok(ctx, foray_builder_finish(builder, &model));
    settings.pair_features = FORAY_FEATURES_LOWRANK;
    assert_int_equal(foray_explorer_create(ctx, model, &settings, &explorer), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "does not know its theta"));
    assert_null(explorer);
    foray_builder_destroy(builder);
    foray_model_destroy(model);
    foray_model_destroy(world);
    foray_context_destroy(ctx);
}

/* ----------------------------------------------------------------------- blocks */

/* Features that fall into two blocks, one coordinate that nobody has, in mixed order. */
static void blocks_are_components(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_settings settings = settings_for("wang");
    foray_builder *builder;
    foray_model *model;
    fy_phi *phi;
    static const int64_t coordinate[4][2] = {{5, 1}, {0, 4}, {1, 3}, {4, 0}};
    static const double value[4][2] = {{.1, .2}, {.3, .4}, {.5, .6}, {.7, .1}};
    support_ok(ctx, foray_builder_create_tabular(ctx, 2, 2, 2, &builder));
    support_ok(ctx, foray_builder_pair_features(builder, 6));
    for (int64_t p = 0; p < 4; p++) {
        support_ok(ctx, foray_builder_transition(builder, p / 2, p % 2, 0, 1));
        support_ok(ctx,
                   foray_builder_pair_feature(builder, p / 2, p % 2, 2, coordinate[p], value[p]));
    }
    support_ok(ctx, foray_builder_finish(builder, &model));
    support_ok(ctx, fy_phi_create(ctx, model, &settings, &phi));
    assert_int_equal(phi->dim, 6);
    assert_int_equal(phi->blocks, 2); /* {0, 4} and {1, 3, 5}; nobody has 2 */
    assert_int_equal(phi->block_dim[0], 2);
    assert_int_equal(phi->block_dim[1], 3);
    assert_int_equal(phi->block_of_pair[0], 1);
    assert_int_equal(phi->block_of_pair[1], 0);
    const double expected[] = {.2, 0, .1}, last[] = {.1, .7};
    assert_memory_equal(fy_phi_of(phi, 0), expected, sizeof expected);
    assert_memory_equal(fy_phi_of(phi, 3), last, sizeof last);
    fy_phi_destroy(phi);
    settings.pair_features = FORAY_FEATURES_ONEHOT;
    support_ok(ctx, fy_phi_create(ctx, model, &settings, &phi));
    assert_int_equal(phi->blocks, 4);
    fy_phi_destroy(phi);
    foray_model_destroy(model);
    foray_builder_destroy(builder);
    foray_context_destroy(ctx);
}

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
        support_ok(s.ctx, foray_world_model(s.ctx, world, &s.model));
    else
        s.model = linear_world(s.ctx, small, 3);
    support_ok(s.ctx, foray_world_from_model(s.ctx, s.model, &s.world));
    support_ok(s.ctx, foray_explorer_create(s.ctx, s.model, settings, &s.explorer));
    double *phi = dense_features(s.ctx, s.model, settings->pair_features, &dim);
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
static bool outgrown(stage *s)
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
    return s->settings.wang_c * d * H *
           sqrt(log(d * H / (s->settings.delta * s->settings.wang_eps)));
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
    foray_settings settings = settings_for("wang");
    settings.pair_features = source;
    settings.wang_c = c;
    settings.replan = replan;
    settings.refactor_every = 50;
    stage s = set_stage(world, &settings);
    int64_t plans = 0;
    for (int64_t k = 0; k < settings.episodes; k++) {
        support_ok(s.ctx, foray_explorer_begin(s.explorer));
        if (k == 0 || replan == FORAY_REPLAN_EVERY || outgrown(&s)) {
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
    wang_is_the_textbook(NULL, FORAY_FEATURES_GIVEN, 1, FORAY_REPLAN_EVERY);
    wang_is_the_textbook(NULL, FORAY_FEATURES_GIVEN, 0.01, FORAY_REPLAN_EVERY);
    wang_is_the_textbook(NULL, FORAY_FEATURES_GIVEN, 0.01, FORAY_REPLAN_DOUBLING);
}

static void wang_with_other_features(void **state)
{
    (void)state;
    wang_is_the_textbook("chain:states=6,zones=2,horizon=4", FORAY_FEATURES_ONEHOT, 0.01,
                         FORAY_REPLAN_EVERY);
    wang_is_the_textbook("riverswim:states=4,horizon=5", FORAY_FEATURES_LOWRANK, 0.02,
                         FORAY_REPLAN_EVERY);
    wang_is_the_textbook(NULL, FORAY_FEATURES_LOWRANK, 0.02, FORAY_REPLAN_DOUBLING);
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
    foray_settings settings = settings_for("francis");
    settings.pair_features = source;
    settings.francis_phase = length;
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
        if (p != before || replan == FORAY_REPLAN_EVERY || outgrown(&s)) {
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
    francis_is_the_textbook(NULL, FORAY_FEATURES_GIVEN, 0, FORAY_REPLAN_AUTO);
    francis_is_the_textbook(NULL, FORAY_FEATURES_GIVEN, 7, FORAY_REPLAN_EVERY);
    francis_is_the_textbook("riverswim:states=4,horizon=5", FORAY_FEATURES_LOWRANK, 0,
                            FORAY_REPLAN_AUTO);
    francis_is_the_textbook("chain:states=6,zones=2,horizon=4", FORAY_FEATURES_ONEHOT, 0,
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
        foray_settings settings = settings_for(algorithms[i]);
        settings.pair_features = FORAY_FEATURES_GIVEN;
        stage s = set_stage(NULL, &settings);
        size_t fresh = state_size(s.explorer);
        int64_t allocations = s.ctx->allocations;
        assert_true(truth_play(s.explorer, s.world, 2000));
        assert_int_equal(s.ctx->allocations, allocations);
        assert_int_equal(state_size(s.explorer), fresh);
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
        foray_settings settings = settings_for(algorithms[i % 2]);
        settings.pair_features = i < 2 ? FORAY_FEATURES_GIVEN : FORAY_FEATURES_LOWRANK;
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

static void survives_failing_memory(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = linear_world(ctx, small, 4);
    for (int source = FORAY_FEATURES_GIVEN; source <= FORAY_FEATURES_LOWRANK; source++) {
        foray_settings settings = settings_for("francis");
        settings.pair_features = source;
        foray_explorer *explorer = NULL;
        foray_status status = FORAY_ERROR_MEMORY;
        int64_t left = 0;
        for (; status != FORAY_OK; left++) {
            ctx->allocations_left = left;
            status = foray_explorer_create(ctx, model, &settings, &explorer);
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
        assert_true(isinf(policy->certificate.gap) && !policy->certificate.certified);
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
        foray_settings settings = settings_for(algorithms[i]);
        settings.pair_features = FORAY_FEATURES_GIVEN;
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
        cmocka_unit_test(features_survive_files),
        cmocka_unit_test(damaged_features_are_refused),
        cmocka_unit_test(bad_features_are_named),
        cmocka_unit_test(builder_checks_features),
        cmocka_unit_test(factorisation_gives_the_kernel),
        cmocka_unit_test(sources_that_do_not_exist),
        cmocka_unit_test(blocks_are_components),
        cmocka_unit_test(wang_with_given_features),
        cmocka_unit_test(wang_with_other_features),
        cmocka_unit_test(francis_in_all_sources),
        cmocka_unit_test(nothing_grows_with_the_past),
        cmocka_unit_test(resumes_with_any_features),
        cmocka_unit_test(survives_failing_memory),
        cmocka_unit_test(learns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
