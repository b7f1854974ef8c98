/* test_model.c - building models of every kind, sharing generator sets, and what
 * is refused. */
#include "support.h"

#include "model/builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const support_sizes sizes = {
    .states = 8, .actions = 3, .horizon = 6, .successors = 5, .dim = 5};

/* The call must fail with this status, and the message must contain the text. */
#define refused(ctx, call, expected, text)                                                         \
    do {                                                                                           \
        assert_int_equal((call), (expected));                                                      \
        if (!strstr(foray_message(ctx), (text)))                                                   \
            fail_msg("\"%s\" is not in \"%s\"", (text), foray_message(ctx));                       \
    } while (0)

/* Errors stick: a new builder (b) is told something wrong, and finishing it tells what. */
#define refused_call(ctx, create, call, expected, text)                                            \
    do {                                                                                           \
        support_ok(ctx, create);                                                                   \
        call;                                                                                      \
        refused(ctx, foray_builder_finish(b, &model), expected, text);                             \
        foray_builder_destroy(b);                                                                  \
    } while (0)

/* -------------------------------------------------------------------- kinds */

/* A two-state model of each kind, with probabilities known by hand. */
static void mixture_by_hand(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_builder *b;
    support_ok(ctx, foray_builder_create_mixture(ctx, 2, 1, 4, 2, &b));
    for (int64_t s = 0; s < 2; s++) {
        foray_builder_simulator(b, 0, s, 0, 0, 0.25);
        foray_builder_simulator(b, 0, s, 0, 1, 0.75);
        foray_builder_simulator(b, 1, s, 0, 1, 1.0);
    }
    const double weight[] = {0.4, 0.6};
    foray_builder_weights(b, weight);
    foray_model *model;
    support_ok(ctx, foray_builder_finish(b, &model));
    assert_int_equal(foray_model_dim(model), 2);
    assert_float_equal(foray_model_norm_bound(model), sqrt(2), 1e-15);
    assert_int_equal(model->generator_sets, 1);
    const int32_t *next;
    assert_int_equal(foray_model_successors(model, 1, 0, &next), 2);
    for (int64_t j = 0; j < 2; j++)
        assert_float_equal(foray_model_probability(model, model->theta, 1, 0, j),
                           next[j] == 0 ? 0.1 : 0.9, 1e-15);
    foray_model_facts facts;
    support_ok(ctx, foray_model_check(ctx, model, &facts));
    assert_int_equal(facts.blocks, 1);
    assert_int_equal(facts.unknowns, 1);
    assert_int_equal(facts.most_successors, 2);
    assert_float_equal(facts.psi_norm, 1, 1e-12);
    assert_true(facts.psi_norm_exact);
    assert_float_equal(facts.least_probability, 0.1, 1e-12);
    assert_true(facts.vertices > 0 && facts.bytes > 100);
    foray_model_destroy(model);
    foray_builder_destroy(b);
    foray_context_destroy(ctx);
}

static void classes_by_hand(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_builder *b;
    const int64_t outcomes[] = {2, 3};
    support_ok(ctx, foray_builder_create_classes(ctx, 3, 1, 4, 2, outcomes, &b));
    const int64_t move[] = {1, 0}, slip[] = {2, 2, 1}, stay[] = {2, 2, 2};
    foray_builder_outcomes(b, 0, 0, 0, move);
    foray_builder_outcomes(b, 1, 0, 1, slip);
    foray_builder_outcomes(b, 2, 0, 1, stay);
    const double coin[] = {0.3, 0.7}, die[] = {0.5, 0.3, 0.2};
    foray_builder_law(b, 0, coin);
    foray_builder_law(b, 1, die);
    foray_model *model;
    support_ok(ctx, foray_builder_finish(b, &model));
    const double expected[3][3] = {{0.7, 0.3, 0}, {0, 0.2, 0.8}, {0, 0, 1}};
    for (int64_t s = 0; s < 3; s++) {
        const int32_t *next;
        int64_t n = foray_model_successors(model, s, 0, &next);
        assert_int_equal(n, s == 2 ? 1 : 2);
        for (int64_t j = 0; j < n; j++)
            assert_float_equal(foray_model_probability(model, model->theta, s, 0, j),
                               expected[s][next[j]], 1e-15);
    }
    foray_model_facts facts;
    support_ok(ctx, foray_model_check(ctx, model, &facts));
    assert_int_equal(facts.blocks, 2);
    assert_int_equal(facts.unknowns, 3);
    assert_int_equal(facts.generator_sets, 3);
    foray_model_destroy(model);
    foray_builder_destroy(b);
    foray_context_destroy(ctx);
}

static foray_builder *small_table(foray_context *ctx)
{
    foray_builder *b;
    support_ok(ctx, foray_builder_create_tabular(ctx, 2, 2, 4, &b));
    foray_builder_transition(b, 1, 1, 0, 1.0);
    foray_builder_transition(b, 0, 0, 1, 0.125);
    foray_builder_transition(b, 0, 0, 0, 0.875);
    foray_builder_transition(b, 0, 1, 1, 1.0);
    foray_builder_transition(b, 0, 1, 0, 0.0);
    foray_builder_transition(b, 1, 0, 1, 1.0);
    return b;
}

static void table_by_hand(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_builder *b = small_table(ctx);
    foray_model *model, *blind;
    support_ok(ctx, foray_builder_finish(b, &model));
    assert_string_equal(foray_message(ctx), "");
    assert_int_equal(model->dim, 6);
    assert_int_equal(model->generator_sets, 4);
    assert_float_equal(model->norm_bound, sqrt(6), 1e-15);
    assert_float_equal(
        foray_model_probability(model, model->theta, 0, 0, fy_model_find(model, 0, 1)), 0.125,
        1e-15);
    assert_float_equal(
        foray_model_probability(model, model->theta, 0, 1, fy_model_find(model, 1, 0)), 0, 1e-15);
    assert_int_equal(fy_model_find(model, 2, 0), -1);
    refused(ctx, foray_builder_finish(b, &blind), FORAY_ERROR_USAGE, "has made its model already");
    foray_builder_destroy(b);
    b = small_table(ctx);
    foray_builder_forget_theta(b);
    support_ok(ctx, foray_builder_finish(b, &blind));
    assert_null(foray_model_theta(blind));
    foray_model_facts facts;
    support_ok(ctx, foray_model_check(ctx, blind, &facts));
    assert_true(isnan(facts.theta_norm) && isnan(facts.worst_sum));
    foray_model_destroy(blind);
    foray_model_destroy(model);
    foray_builder_destroy(b);
    foray_context_destroy(ctx);
}

/* Random models of every kind are valid, and their largest norms are those found by
 * trying all 0/1 functions. */
static double largest_norm(const foray_model *model)
{
    double most = 0, psi[64];
    for (int64_t g = 0; g < model->generator_sets; g++)
        for (uint32_t bits = 0; bits < 1u << fy_generator_set_size(model, g); bits++) {
            memset(psi, 0, sizeof psi);
            for (int64_t j = 0; j < fy_generator_set_size(model, g); j++)
                for (int64_t k = model->feat_start[model->gen_start[g] + j];
                     k < model->feat_start[model->gen_start[g] + j + 1]; k++)
                    if (bits >> j & 1)
                        psi[model->feat_index[k] % 64] += model->feat_value[k];
            double square = 0;
            for (int i = 0; i < 64; i++)
                square += psi[i] * psi[i];
            most = fmax(most, sqrt(square));
        }
    return most;
}

static void random_models_are_valid(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    for (int kind = 0; kind < SUPPORT_KINDS; kind++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            foray_model *model = support_model(ctx, kind, sizes, seed);
            foray_model_facts facts;
            support_ok(ctx, foray_model_check(ctx, model, &facts));
            assert_true(facts.psi_norm_exact);
            assert_float_equal(facts.psi_norm, largest_norm(model), 1e-12);
            assert_true(facts.worst_sum < 1e-12 && facts.theta_norm <= model->norm_bound + 1e-9);
            foray_model_destroy(model);
        }
    foray_context_destroy(ctx);
}

/* --------------------------------------------------------------- wide models */

enum { WIDE = 60, WIDE_DIM = 14 };

/* One state, whose WIDE successors are equally likely; the features of coordinates 1.. go up and
 * down at random, and theta is 0 there. All are multiplied by `scale`. */
static foray_model *wide_model(foray_context *ctx, double scale)
{
    foray_builder *b;
    foray_model *model;
    support_random random = {.seed = 5};
    support_ok(ctx, foray_builder_create(ctx, WIDE, 1, 2, WIDE_DIM, 1 / scale, &b));
    for (int64_t s = 0; s < WIDE; s++)
        for (int64_t next = 0; next < WIDE; next++) {
            int64_t coordinate[WIDE_DIM];
            double value[WIDE_DIM];
            for (int64_t i = 0; i < WIDE_DIM; i++) {
                coordinate[i] = i;
                value[i] = scale * (i == 0 ? 1.0 / WIDE : support_normal(&random) / WIDE);
            }
            if (s == 0 || next == s)
                foray_builder_feature(b, s, 0, next, s == 0 ? WIDE_DIM : 1, coordinate,
                                      s == 0 ? value : (double[]){scale});
        }
    double theta[WIDE_DIM] = {1 / scale};
    foray_builder_theta(b, theta);
    support_ok(ctx, foray_builder_finish(b, &model));
    foray_builder_destroy(b);
    return model;
}

/* Too many f to try: what is attained and what cannot be exceeded lie apart. A model passes only
 * when the latter is at most 1. */
static void norms_are_bounded_from_above(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model_facts facts;
    int passed = 0, refused_between = 0, refused_above = 0;
    for (double scale = 0.2; scale < 2; scale *= 1.02) {
        foray_model *model = wide_model(ctx, scale);
        foray_status status = foray_model_check(ctx, model, &facts);
        assert_false(facts.psi_norm_exact);
        assert_int_equal(status == FORAY_OK, facts.psi_norm <= 1 + 1e-9);
        passed += status == FORAY_OK;
        refused_between += strstr(foray_message(ctx), "is only known to lie between") != NULL;
        refused_above += strstr(foray_message(ctx), "the norm of psi_f reaches") != NULL;
        foray_model_destroy(model);
    }
    assert_true(passed > 0 && refused_between > 0 && refused_above > 0);
    foray_context_destroy(ctx);
}

/* -------------------------------------------------------------- relabelling */

/* Adds the entries of a model to a builder, last first, with states renamed. */
static foray_model *rebuild(foray_context *ctx, const foray_model *model, const int64_t *rename)
{
    foray_builder *b;
    support_ok(ctx, foray_builder_create(ctx, model->states, model->actions, model->horizon,
                                         model->dim, model->norm_bound, &b));
    for (int64_t pair = model->pairs; pair-- > 0;)
        for (int64_t j = fy_generator_set_size(model, model->generator_set[pair]); j-- > 0;) {
            int64_t gen = model->gen_start[model->generator_set[pair]] + j, count = 0, index[64];
            double value[64];
            for (int64_t k = model->feat_start[gen + 1]; k-- > model->feat_start[gen]; count++) {
                index[count] = model->feat_index[k];
                value[count] = model->feat_value[k];
            }
            foray_builder_feature(b, rename[pair / model->actions], pair % model->actions,
                                  rename[model->succ[model->succ_start[pair] + j]], count, index,
                                  value);
        }
    foray_builder_theta(b, model->theta);
    foray_model *again;
    support_ok(ctx, foray_builder_finish(b, &again));
    foray_builder_destroy(b);
    return again;
}

static void same_generators(const foray_model *a, int64_t set_a, const foray_model *b,
                            int64_t set_b)
{
    int64_t n = fy_generator_set_size(a, set_a);
    assert_int_equal(n, fy_generator_set_size(b, set_b));
    for (int64_t j = 0; j < n; j++) {
        int64_t x = a->gen_start[set_a] + j, y = b->gen_start[set_b] + j;
        int64_t count = a->feat_start[x + 1] - a->feat_start[x];
        assert_int_equal(count, b->feat_start[y + 1] - b->feat_start[y]);
        assert_memory_equal(a->feat_index + a->feat_start[x], b->feat_index + b->feat_start[y],
                            (size_t)count * sizeof *a->feat_index);
        assert_memory_equal(a->feat_value + a->feat_start[x], b->feat_value + b->feat_start[y],
                            (size_t)count * sizeof *a->feat_value);
    }
}

static void relabelling_keeps_generator_sets(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const int64_t keep[] = {0, 1, 2, 3, 4, 5, 6, 7}, rename[] = {3, 7, 0, 5, 1, 6, 2, 4};
    for (int kind = 0; kind < SUPPORT_KINDS; kind++) {
        foray_model *model = support_model(ctx, kind, sizes, 21);
        foray_model *same = rebuild(ctx, model, keep), *renamed = rebuild(ctx, model, rename);
        assert_int_equal(same->generator_sets, model->generator_sets);
        assert_memory_equal(same->succ, model->succ,
                            (size_t)model->succ_start[model->pairs] * sizeof *model->succ);
        assert_int_equal(renamed->generator_sets, model->generator_sets);
        for (int64_t pair = 0; pair < model->pairs; pair++) {
            int64_t other = rename[pair / sizes.actions] * sizes.actions + pair % sizes.actions;
            same_generators(model, model->generator_set[pair], same, same->generator_set[pair]);
            same_generators(model, model->generator_set[pair], renamed,
                            renamed->generator_set[other]);
        }
        foray_model_destroy(renamed);
        foray_model_destroy(same);
        foray_model_destroy(model);
    }
    foray_context_destroy(ctx);
}

/* Two successors with equal features: told apart by their states, whatever the order. */
static void equal_generators_are_ordered_by_successor(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    int64_t zero = 0;
    double half = 0.5, nothing = 0;
    for (int order = 0; order < 2; order++) {
        foray_builder *b;
        support_ok(ctx, foray_builder_create(ctx, 3, 1, 1, 1, 1, &b));
        for (int64_t s = 0; s < 3; s++) {
            foray_builder_feature(b, s, 0, order ? 2 : 0, 1, &zero, &half);
            foray_builder_feature(b, s, 0, order ? 0 : 2, 1, &zero, &half);
            foray_builder_feature(b, s, 0, 1, s == 1 ? 0 : 1, &zero, &nothing);
        }
        foray_model *model;
        support_ok(ctx, foray_builder_finish(b, &model));
        assert_int_equal(model->generator_sets, 1); /* a value of 0 is no feature */
        for (int64_t s = 0; s < 3; s++) {
            assert_int_equal(model->succ[3 * s], 1);
            assert_int_equal(model->succ[3 * s + 1], 0);
            assert_int_equal(model->succ[3 * s + 2], 2);
        }
        support_ok(ctx, foray_model_check(ctx, model, NULL));
        foray_model_destroy(model);
        foray_builder_destroy(b);
    }
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------- bad builders */

static void sizes_are_checked(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_builder *b = NULL;
    const foray_status bad = FORAY_ERROR_INPUT;
    refused(ctx, foray_builder_create(ctx, 0, 1, 1, 1, 1, &b), bad, "states: 0");
    refused(ctx, foray_builder_create(ctx, 1, -1, 1, 1, 1, &b), bad, "actions: -1");
    refused(ctx, foray_builder_create(ctx, 1, 1, 0, 1, 1, &b), bad, "horizon: 0");
    refused(ctx, foray_builder_create(ctx, 1, 1, 1, 0, 1, &b), bad, "dim: 0");
    refused(ctx, foray_builder_create(ctx, 1, 1, 1, 1, 0, &b), bad, "norm_bound: 0");
    refused(ctx, foray_builder_create(ctx, 1, 1, 1, 1, NAN, &b), bad, "norm_bound: ");
    refused(ctx, foray_builder_create(ctx, 1, 1, 1, 1, INFINITY, &b), bad, "norm_bound: inf");
    refused(ctx, foray_builder_create(ctx, INT64_MAX, INT64_MAX, 1, 1, 1, &b), bad, "states");
    refused(ctx, foray_builder_create(ctx, 1 << 20, 1 << 20, 1, 1, 1, &b), bad, "pairs");
    refused(ctx, foray_builder_create_mixture(ctx, 1, 1, 1, -3, &b), bad, "dim: -3");
    const int64_t none = 0, huge[] = {INT32_MAX, INT32_MAX};
    refused(ctx, foray_builder_create_classes(ctx, 1, 1, 1, 1, &none, &b), bad, "class 0");
    refused(ctx, foray_builder_create_classes(ctx, 1, 1, 1, 0, &none, &b), bad, "0 classes");
    refused(ctx, foray_builder_create_classes(ctx, 1, 1, 1, 2, huge, &b), bad, "class 1");
    assert_null(b);
    foray_context_destroy(ctx);
}

static void bad_features_are_refused(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_builder *b;
    foray_model *model = NULL;
    const int64_t i = 0, far = 3, twice[] = {1, 1};
    const double one = 1, nan = NAN, two[] = {0.5, 0.5};
    const foray_status bad = FORAY_ERROR_INPUT;
    refused_call(ctx, foray_builder_create(ctx, 2, 2, 1, 3, 2, &b),
                 foray_builder_feature(b, 2, 0, 0, 1, &i, &one), bad, "state 2");
    refused_call(ctx, foray_builder_create(ctx, 2, 2, 1, 3, 2, &b),
                 foray_builder_feature(b, 0, 2, 0, 1, &i, &one), bad, "action 2");
    refused_call(ctx, foray_builder_create(ctx, 2, 2, 1, 3, 2, &b),
                 foray_builder_feature(b, 0, 1, -1, 1, &i, &one), bad, "state 0, action 1");
    refused_call(ctx, foray_builder_create(ctx, 2, 2, 1, 3, 2, &b),
                 foray_builder_feature(b, 0, 1, 0, 1, &far, &one), bad, "coordinate 3");
    refused_call(ctx, foray_builder_create(ctx, 2, 2, 1, 3, 2, &b),
                 foray_builder_feature(b, 0, 1, 0, 1, &i, &nan), bad, "state 0, action 1");
    const double bad_theta[] = {0, INFINITY, 0};
    refused_call(ctx, foray_builder_create(ctx, 2, 2, 1, 3, 2, &b),
                 foray_builder_theta(b, bad_theta), bad, "theta[1]");
    refused_call(ctx, foray_builder_create(ctx, 2, 2, 1, 3, 2, &b), foray_builder_weights(b, two),
                 FORAY_ERROR_USAGE, "mixture");
    refused_call(ctx, foray_builder_create(ctx, 2, 2, 1, 3, 2, &b),
                 foray_builder_feature_error(b, -0.1), bad, "feature_error: -0.1");
    refused_call(ctx, foray_builder_create(ctx, 2, 2, 1, 3, 2, &b),
                 foray_builder_feature_error(b, NAN), bad, "feature_error: ");
    refused_call(ctx, foray_builder_create(ctx, 2, 2, 1, 3, 2, &b),
                 foray_builder_feature_error(b, INFINITY), bad, "feature_error: inf");
    support_ok(ctx, foray_builder_create(ctx, 2, 2, 1, 3, 2, &b));
    refused(ctx, foray_builder_finish(b, &model), bad, "empty");
    for (int64_t pair = 0; pair < 3; pair++)
        foray_builder_feature(b, pair / 2, pair % 2, 0, 1, &i, &one);
    refused(ctx, foray_builder_finish(b, &model), bad, "state 1, action 1: no successor");
    foray_builder_feature(b, 1, 1, 0, 2, twice, two);
    refused(ctx, foray_builder_finish(b, &model), bad, "coordinate 1 is given twice");
    foray_builder_destroy(b);

    support_ok(ctx, foray_builder_create(ctx, 1, 1, 1, 3, 2, &b));
    foray_builder_feature(b, 0, 0, 0, 1, &i, &one);
    foray_builder_feature(b, 0, 0, 0, 1, &i, &one);
    refused(ctx, foray_builder_finish(b, &model), bad, "state 0, action 0: successor 0");
    assert_null(model);
    foray_builder_destroy(b);
    foray_context_destroy(ctx);
}

static void bad_laws_are_refused(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_builder *b;
    foray_model *model = NULL;
    const foray_status bad = FORAY_ERROR_INPUT;
    const double short_law[] = {0.5, 0.4}, negative[] = {1.5, -0.5}, fine[] = {0.5, 0.5};
    refused_call(ctx, foray_builder_create_mixture(ctx, 1, 1, 1, 2, &b),
                 foray_builder_weights(b, short_law), bad, "weights: the probabilities sum to 0.9");
    refused_call(ctx, foray_builder_create_mixture(ctx, 1, 1, 1, 2, &b),
                 foray_builder_weights(b, negative), bad, "1.5 is not a probability");
    refused_call(ctx, foray_builder_create_mixture(ctx, 1, 1, 1, 2, &b),
                 foray_builder_simulator(b, 2, 0, 0, 0, 1), bad, "simulator 2");
    refused_call(ctx, foray_builder_create_mixture(ctx, 1, 1, 1, 2, &b),
                 foray_builder_simulator(b, 0, 0, 0, 0, NAN), bad, "state 0, action 0");
    support_ok(ctx, foray_builder_create_mixture(ctx, 1, 1, 1, 2, &b));
    foray_builder_simulator(b, 0, 0, 0, 0, 1);
    foray_builder_simulator(b, 1, 0, 0, 0, 0.5);
    refused(ctx, foray_builder_finish(b, &model), bad, "simulator 1: the probabilities sum to 0.5");
    foray_builder_simulator(b, 1, 0, 0, 0, 0.5);
    refused(ctx, foray_builder_finish(b, &model), bad, "simulator 1: successor 0 is given twice");
    foray_builder_destroy(b);

    const int64_t outcomes[] = {2, 2}, next[] = {0, 0};
    refused_call(ctx, foray_builder_create_classes(ctx, 1, 1, 1, 2, outcomes, &b),
                 foray_builder_law(b, 1, short_law), bad, "class 1");
    refused_call(ctx, foray_builder_create_classes(ctx, 1, 1, 1, 2, outcomes, &b),
                 foray_builder_outcomes(b, 0, 0, 2, next), bad, "class 2");
    support_ok(ctx, foray_builder_create_classes(ctx, 1, 1, 1, 2, outcomes, &b));
    foray_builder_outcomes(b, 0, 0, 0, next);
    foray_builder_law(b, 0, fine);
    refused(ctx, foray_builder_finish(b, &model), bad, "class 1 has no law");
    foray_builder_law(b, 1, fine);
    foray_builder_outcomes(b, 0, 0, 1, next);
    refused(ctx, foray_builder_finish(b, &model), bad, "outcomes are given twice");
    foray_builder_destroy(b);

    refused_call(ctx, foray_builder_create_tabular(ctx, 1, 1, 1, &b),
                 foray_builder_transition(b, 0, 0, 0, -0.1), bad, "-0.1 is not a probability");
    support_ok(ctx, foray_builder_create_tabular(ctx, 1, 1, 1, &b));
    foray_builder_transition(b, 0, 0, 0, 0.5);
    foray_builder_transition(b, 0, 0, 0, 0.5);
    refused(ctx, foray_builder_finish(b, &model), bad, "successor 0 is given twice");
    assert_null(model);
    foray_builder_destroy(b);
    foray_context_destroy(ctx);
}

static foray_builder *loop_builder(foray_context *ctx, double probability)
{
    foray_builder *b;
    support_ok(ctx, foray_builder_create_tabular(ctx, 2, 1, 1, &b));
    foray_builder_transition(b, 0, 0, 0, probability);
    foray_builder_transition(b, 1, 0, 0, 1);
    return b;
}

/* The first failure is reported, whatever was called afterwards, on the builder or elsewhere. */
static void the_first_failure_sticks(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = NULL;
    foray_builder *b = loop_builder(ctx, 1), *other = NULL;
    foray_builder_initial(b, 7, 1);
    foray_builder_transition(b, 9, 0, 0, 1);
    foray_builder_weights(b, NULL);
    foray_builder_name(b, "late");
    foray_builder_grid(b, 1, 2);
    foray_builder_cell(b, 0, 0, 0);
    foray_builder_state_name(b, 0, "late");
    foray_builder_pair_features(b, 1);
    refused(ctx, foray_builder_create(ctx, 0, 1, 1, 1, 1, &other), FORAY_ERROR_INPUT, "states: 0");
    for (int again = 0; again < 2; again++)
        refused(ctx, foray_builder_finish(b, &model), FORAY_ERROR_INPUT, "initial: state 7");
    assert_null(model);
    assert_int_equal(b->entries, 2);
    assert_true(b->initials == 0 && b->cell_row == NULL && b->state_names == NULL);
    foray_builder_destroy(b);
    foray_context_destroy(ctx);
}

static void initial_names_and_map_are_checked(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = NULL;
    const foray_status bad = FORAY_ERROR_INPUT;
    foray_builder *b;
#define TABULAR foray_builder_create_tabular(ctx, 2, 1, 1, &b)
    refused_call(ctx, TABULAR, foray_builder_initial(b, 2, 1), bad, "initial: state 2");
    refused_call(ctx, TABULAR, foray_builder_initial(b, 0, NAN), bad, "initial: ");
    refused_call(ctx, TABULAR, foray_builder_cell(b, 0, 0, 0), FORAY_ERROR_USAGE,
                 "foray_builder_grid");
    refused_call(ctx, TABULAR, foray_builder_grid(b, 0, 3), bad, "0 rows");
    refused_call(ctx, (TABULAR), (foray_builder_grid(b, 2, 3), foray_builder_cell(b, 0, 2, 0)), bad,
                 "row 2");
#undef TABULAR
    b = loop_builder(ctx, 1);
    foray_builder_grid(b, 2, 3);
    foray_builder_cell(b, 1, 1, 2);
    foray_builder_initial(b, 1, 0.5);
    refused(ctx, foray_builder_finish(b, &model), bad, "initial: the probabilities sum to 0.5");
    foray_builder_initial(b, 1, 0.5);
    refused(ctx, foray_builder_finish(b, &model), bad, "state 1 is given twice");
    foray_builder_destroy(b);
    b = loop_builder(ctx, 1);
    foray_builder_state_name(b, 0, "broken \xff name");
    refused(ctx, foray_builder_finish(b, &model), bad, "state_names[0]: not UTF-8");
    foray_builder_state_name(b, 0, "caf\xc3\xa9");
    foray_builder_action_name(b, 0, "go");
    foray_builder_grid(b, 2, 3);
    foray_builder_cell(b, 1, 1, 2);
    support_ok(ctx, foray_builder_finish(b, &model));
    int64_t row, col;
    assert_string_equal(foray_model_state_name(model, 0), "caf\xc3\xa9");
    assert_null(foray_model_state_name(model, 1));
    assert_true(foray_model_cell(model, 1, &row, &col) && row == 1 && col == 2);
    assert_false(foray_model_cell(model, 0, &row, &col));
    assert_true(foray_model_grid(model, &row, &col) && row == 2 && col == 3);
    const int32_t *start;
    const double *probability;
    assert_int_equal(foray_model_initial(model, &start, &probability), 1);
    assert_true(start[0] == 0 && probability[0] == 1);
    foray_model_destroy(model);
    foray_builder_destroy(b);
    foray_context_destroy(ctx);
}

/* ----------------------------------------------------------- invalid models */

static void invalid_models_are_explained(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model;
    foray_model_facts facts;
    const foray_status bad = FORAY_ERROR_INPUT;
    foray_builder *b = loop_builder(ctx, 0.75);
    support_ok(ctx, foray_builder_finish(b, &model));
    refused(ctx, foray_model_check(ctx, model, &facts), bad, "state 0, action 0");
    assert_float_equal(facts.worst_sum, 0.25, 1e-12);
    foray_model_destroy(model);
    foray_builder_destroy(b);

    /* One pair, two successors with features (1,1) and (0,-1) times x. */
    const int64_t index[] = {0, 1};
    const struct {
        double scale, theta[2], bound;
        const char *message;
    } cases[] = {
        {0.5, {2, 0}, 2, ""},
        {0.5, {2, 1}, 3, "state 0, action 0: successor 1 has probability -0.5"},
        {0.5, {2, 0}, 1.9, "theta has norm 2, above norm_bound = 1.9"},
        {1, {1, 0}, 1, "state 0, action 0: the norm of psi_f reaches 1.41421356"},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        double x = cases[i / 2].scale, up[] = {x, x}, down = -x;
        support_ok(ctx, foray_builder_create(ctx, 2, 1, 1, 2, cases[i / 2].bound, &b));
        for (int64_t s = 0; s < 2; s++) {
            foray_builder_feature(b, s, 0, 0, 2, index, up);
            foray_builder_feature(b, s, 0, 1, 1, index + 1, &down);
        }
        foray_builder_theta(b, cases[i / 2].theta);
        const char *message = cases[i / 2].message;
        if (i % 2 == 1) {
            foray_builder_forget_theta(b);
            message = i / 2 == 2 ? "norm_bound is 1.9" : i / 2 == 3 ? NULL : "";
        }
        support_ok(ctx, foray_builder_finish(b, &model));
        if (message && message[0])
            refused(ctx, foray_model_check(ctx, model, NULL), bad, message);
        else if (message)
            support_ok(ctx, foray_model_check(ctx, model, NULL));
        foray_model_destroy(model);
        foray_builder_destroy(b);
    }

    const double zero = 0;
    support_ok(ctx, foray_builder_create(ctx, 1, 1, 1, 1, 1, &b));
    foray_builder_feature(b, 0, 0, 0, 1, index, &zero);
    support_ok(ctx, foray_builder_finish(b, &model));
    assert_null(model->basis);
    refused(ctx, foray_model_check(ctx, model, &facts), bad, "all features are 0");
    assert_int_equal(facts.pairs, 1);
    foray_model_destroy(model);
    foray_builder_destroy(b);
    foray_context_destroy(ctx);
}

/* Exact values are refused, with the same explanation, where there are none. */
static void invalid_models_have_no_values(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_builder *b = loop_builder(ctx, 0.75);
    foray_model *model;
    foray_reward *reward;
    double value = -1;
    support_ok(ctx, foray_builder_finish(b, &model));
    support_ok(ctx, foray_reward_create(ctx, model, "one", 1, &reward));
    refused(ctx, foray_evaluate(ctx, model, reward, NULL, NULL, &value), FORAY_ERROR_INPUT,
            "state 0, action 0");
    foray_reward_destroy(reward);
    foray_model_destroy(model);
    foray_builder_destroy(b);

    const int64_t index = 0;
    const double zero = 0, theta = 1;
    support_ok(ctx, foray_builder_create(ctx, 1, 1, 1, 1, 1, &b));
    foray_builder_feature(b, 0, 0, 0, 1, &index, &zero);
    foray_builder_theta(b, &theta);
    support_ok(ctx, foray_builder_finish(b, &model));
    support_ok(ctx, foray_reward_create(ctx, model, "one", 1, &reward));
    refused(ctx, foray_evaluate(ctx, model, reward, NULL, NULL, &value), FORAY_ERROR_INPUT,
            "all features are 0");
    assert_true(value == -1);
    foray_reward_destroy(reward);
    foray_model_destroy(model);
    foray_builder_destroy(b);
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------------ memory */

static foray_status build_all(foray_context *ctx, foray_model **out)
{
    const int64_t outcomes[] = {2, 2}, next[] = {0, 1};
    const double law[] = {0.5, 0.5};
    foray_builder *b = NULL;
    foray_status status = foray_builder_create_classes(ctx, 2, 1, 3, 2, outcomes, &b);
    if (status != FORAY_OK)
        return status;
    for (int64_t s = 0; s < 2; s++) {
        foray_builder_outcomes(b, s, 0, s, next);
        foray_builder_law(b, s, law);
    }
    foray_builder_initial(b, 1, 1);
    foray_builder_name(b, "name");
    foray_builder_state_name(b, 1, "one");
    foray_builder_action_name(b, 0, "go");
    foray_builder_grid(b, 1, 2);
    status = foray_builder_finish(b, out);
    foray_builder_destroy(b);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = NULL;
    foray_status status = FORAY_ERROR_MEMORY;
    int64_t allowed = 0;
    for (; status == FORAY_ERROR_MEMORY; allowed++) {
        ctx->allocations_left = allowed;
        status = build_all(ctx, &model);
        assert_true(status == FORAY_OK || model == NULL);
    }
    assert_int_equal(status, FORAY_OK);
    assert_true(allowed > 40);
    status = FORAY_ERROR_MEMORY;
    for (allowed = 0; status == FORAY_ERROR_MEMORY; allowed++) {
        foray_model_facts facts;
        ctx->allocations_left = allowed;
        status = foray_model_check(ctx, model, &facts);
    }
    assert_int_equal(status, FORAY_OK);
    assert_true(allowed > 10);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixture_by_hand),
        cmocka_unit_test(classes_by_hand),
        cmocka_unit_test(table_by_hand),
        cmocka_unit_test(random_models_are_valid),
        cmocka_unit_test(norms_are_bounded_from_above),
        cmocka_unit_test(relabelling_keeps_generator_sets),
        cmocka_unit_test(equal_generators_are_ordered_by_successor),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(bad_features_are_refused),
        cmocka_unit_test(bad_laws_are_refused),
        cmocka_unit_test(the_first_failure_sticks),
        cmocka_unit_test(initial_names_and_map_are_checked),
        cmocka_unit_test(invalid_models_are_explained),
        cmocka_unit_test(invalid_models_have_no_values),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
