/* test_pair_features.c - features phi(s,a) of linear MDPs: in files and builders, factorised from
 * a world, and in blocks. */
#include "support_linear.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/linear/lsvi.h"
#include "model/model.h"

/* ----------------------------------------------------------- features in models */

static void features_survive_files(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = linear_random_world(ctx, linear_small, 1),
                *other = linear_random_world(ctx, linear_small, 2);
    char *directory = support_directory(), path[512];
    assert_false(foray_model_equal(model, other));
    for (int format = FORAY_MODEL_JSON; format <= FORAY_MODEL_COMPACT; format++) {
        foray_model *again;
        snprintf(path, sizeof path, "%s/model", directory);
        support_ok(ctx, foray_model_save(ctx, model, format, path));
        support_ok(ctx, foray_model_load(ctx, path, &again));
        assert_int_equal(again->pair_dim, linear_small.dim);
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
    foray_model *model = linear_random_world(ctx, (linear_sizes){2, 2, 2, 2}, 1), *again = NULL;
    static const uint64_t values[] = {0, 1, 3, 1u << 31, UINT64_MAX / 12, UINT64_MAX};
    uint8_t *data, *copy;
    size_t size;
    data = support_compact(ctx, model, &size);
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

static foray_builder *two_loops(foray_context *ctx)
{
    foray_builder *builder;
    support_ok(ctx, foray_builder_create_tabular(ctx, 1, 2, 2, &builder));
    foray_builder_transition(builder, 0, 0, 0, 1);
    foray_builder_transition(builder, 0, 1, 0, 1);
    return builder;
}

/* A call that fails, after phi has been announced if dim > 0: finishing tells of it. */
#define refuses_call(dim, call, expected)                                                          \
    do {                                                                                           \
        builder = two_loops(ctx);                                                                  \
        if ((dim) > 0)                                                                             \
            foray_builder_pair_features(builder, (dim));                                           \
        call;                                                                                      \
        assert_int_equal(foray_builder_finish(builder, &model), (expected));                       \
        foray_builder_destroy(builder);                                                            \
    } while (0)

static void builder_checks_features(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_builder *builder;
    foray_model *model = NULL;
    const int64_t coordinate[] = {1, 2};
    const double value[] = {0.5, 0.25}, wrong[] = {0.5, NAN};
    refuses_call(0, foray_builder_pair_feature(builder, 0, 0, 2, coordinate, value),
                 FORAY_ERROR_USAGE);
    refuses_call(0, foray_builder_pair_features(builder, 0), FORAY_ERROR_INPUT);
    refuses_call(3, foray_builder_pair_features(builder, 3), FORAY_ERROR_USAGE);
    refuses_call(3, foray_builder_pair_feature(builder, 1, 0, 2, coordinate, value),
                 FORAY_ERROR_INPUT);
    refuses_call(3, foray_builder_pair_feature(builder, 0, 0, 2, coordinate, wrong),
                 FORAY_ERROR_INPUT);
    builder = two_loops(ctx);
    foray_builder_pair_features(builder, 3);
    foray_builder_pair_feature(builder, 0, 1, 2, coordinate, value);
    foray_builder_pair_feature(builder, 0, 1, 2, coordinate, value);
    assert_int_equal(foray_builder_finish(builder, &model), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(ctx), "given twice"));
    foray_builder_destroy(builder);
    builder = two_loops(ctx);
    foray_builder_pair_features(builder, 3);
    foray_builder_pair_feature(builder, 0, 1, 2, coordinate, value);
    assert_int_equal(foray_builder_finish(builder, &model), FORAY_ERROR_INPUT);
    foray_builder_pair_feature(builder, 0, 0, 1, coordinate, value);
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        ctx->allocations_left = left;
        status = foray_builder_finish(builder, &model);
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
        ctx->allocations_left = -1;
        if (status == FORAY_OK)
            continue;
        foray_builder_destroy(builder);
        builder = two_loops(ctx);
        foray_builder_pair_features(builder, 3);
        foray_builder_pair_feature(builder, 0, 1, 2, coordinate, value);
        foray_builder_pair_feature(builder, 0, 0, 1, coordinate, value);
    }
    const int32_t *at;
    const double *of;
    assert_int_equal(fy_model_pair_feature(model, 0, 1, &at, &of), 2);
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
    double *phi = linear_features(ctx, model, FY_FEATURES_LOWRANK, &dim), max = 0;
    assert_int_equal(dim, rank);
    for (int64_t p = 0; p < model->pairs; p++) {
        double square = 0;
        for (int64_t i = 0; i < dim; i++)
            square += phi[p * dim + i] * phi[p * dim + i];
        max = fmax(max, sqrt(square));
    }
    assert_true(fabs(max - 1) < 1e-12);
    assert_true(worst_residual(model, dim, phi) < 1e-12);
    free(phi);
}

static void factorisation_gives_the_kernel(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const linear_sizes wide = {9, 4, 3, 4};
    foray_model *model = linear_random_world(ctx, wide, 5);
    check_factorisation(ctx, model, wide.dim);
    /* Less than the rank does not do; that is what the residual is for. */
    fy_phi_rows rows = {0};
    support_ok(ctx, fy_phi_factorise(support_arena(ctx), model, 0.2, &rows));
    assert_in_range(rows.dim, 1, wide.dim - 1);
    double *phi = calloc((size_t)(model->pairs * rows.dim), sizeof *phi);
    memcpy(phi, rows.value, (size_t)(model->pairs * rows.dim) * sizeof *phi);
    assert_true(worst_residual(model, rows.dim, phi) > 1e-3);
    free(phi);
    foray_model_destroy(model);
    support_ok(ctx, foray_model_builtin(ctx, "riverswim:states=5,horizon=4", &model));
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
    foray_settings settings = linear_settings("wang");
    support_ok(ctx, foray_model_builtin(ctx, "riverswim:states=5,horizon=4", &world));
    support_set_number(&settings, "pair_features", FY_FEATURES_GIVEN);
    assert_int_equal(foray_explorer_create(ctx, world, &settings, &explorer), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "gives no features"));
    support_ok(ctx, foray_builder_create_tabular(ctx, 1, 1, 2, &builder));
    foray_builder_transition(builder, 0, 0, 0, 1);
    foray_builder_forget_theta(builder);
    support_ok(ctx, foray_builder_finish(builder, &model));
    support_set_number(&settings, "pair_features", FY_FEATURES_LOWRANK);
    assert_int_equal(foray_explorer_create(ctx, model, &settings, &explorer), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "is not known"));
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
    foray_builder *builder;
    foray_model *model;
    fy_phi *phi;
    static const int64_t coordinate[4][2] = {{5, 1}, {0, 4}, {1, 3}, {4, 0}};
    static const double value[4][2] = {{.1, .2}, {.3, .4}, {.5, .6}, {.7, .1}};
    support_ok(ctx, foray_builder_create_tabular(ctx, 2, 2, 2, &builder));
    foray_builder_pair_features(builder, 6);
    for (int64_t p = 0; p < 4; p++) {
        foray_builder_transition(builder, p / 2, p % 2, 0, 1);
        foray_builder_pair_feature(builder, p / 2, p % 2, 2, coordinate[p], value[p]);
    }
    support_ok(ctx, foray_builder_finish(builder, &model));
    support_ok(ctx, fy_phi_create(support_arena(ctx), model, FY_FEATURES_AUTO, 0, &phi));
    assert_int_equal(phi->dim, 6);
    assert_int_equal(phi->blocks, 2); /* {0, 4} and {1, 3, 5}; nobody has 2 */
    assert_int_equal(phi->block_dim[0], 2);
    assert_int_equal(phi->block_dim[1], 3);
    assert_int_equal(phi->block_of_pair[0], 1);
    assert_int_equal(phi->block_of_pair[1], 0);
    const double expected[] = {.2, 0, .1}, last[] = {.1, .7};
    assert_memory_equal(fy_phi_of(phi, 0), expected, sizeof expected);
    assert_memory_equal(fy_phi_of(phi, 3), last, sizeof last);
    support_ok(ctx, fy_phi_create(support_arena(ctx), model, FY_FEATURES_ONEHOT, 0, &phi));
    assert_int_equal(phi->blocks, 4);
    foray_model_destroy(model);
    foray_builder_destroy(builder);
    foray_context_destroy(ctx);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
