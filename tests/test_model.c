/* test_model.c - building models of every kind, their norms, and sharing generator sets. */
#include "support.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static const support_sizes sizes = {
    .states = 8, .actions = 3, .horizon = 6, .successors = 5, .dim = 5};

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
    assert_float_equal(model->norm_bound, sqrt(2), 1e-15);
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
    assert_int_equal(facts.max_successors, 2);
    assert_float_equal(facts.psi_norm, 1, 1e-12);
    assert_true(facts.psi_norm_exact);
    assert_float_equal(facts.min_probability, 0.1, 1e-12);
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
    support_refused(ctx, foray_builder_finish(b, &blind), FORAY_ERROR_USAGE,
                    "has made its model already");
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
    double max = 0, psi[64];
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
            max = fmax(max, sqrt(square));
        }
    return max;
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
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
