/* test_model_refused.c - builders that are told something wrong, and models that are not valid. */
#include "support.h"

#include <math.h>

#include "model/builder.h"

/* Errors stick: a new builder (b) is told something wrong, and finishing it tells what. */
#define refused_call(ctx, create, call, expected, text)                                            \
    do {                                                                                           \
        support_ok(ctx, create);                                                                   \
        call;                                                                                      \
        support_refused(ctx, foray_builder_finish(b, &model), expected, text);                     \
        foray_builder_destroy(b);                                                                  \
    } while (0)

/* ------------------------------------------------------------- bad builders */

static void sizes_are_checked(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_builder *b = NULL;
    const foray_status bad = FORAY_ERROR_INPUT;
    support_refused(ctx, foray_builder_create(ctx, 0, 1, 1, 1, 1, &b), bad, "states: 0");
    support_refused(ctx, foray_builder_create(ctx, 1, -1, 1, 1, 1, &b), bad, "actions: -1");
    support_refused(ctx, foray_builder_create(ctx, 1, 1, 0, 1, 1, &b), bad, "horizon: 0");
    support_refused(ctx, foray_builder_create(ctx, 1, 1, 1, 0, 1, &b), bad, "dim: 0");
    support_refused(ctx, foray_builder_create(ctx, 1, 1, 1, 1, 0, &b), bad, "norm_bound: 0");
    support_refused(ctx, foray_builder_create(ctx, 1, 1, 1, 1, NAN, &b), bad, "norm_bound: ");
    support_refused(ctx, foray_builder_create(ctx, 1, 1, 1, 1, INFINITY, &b), bad,
                    "norm_bound: inf");
    support_refused(ctx, foray_builder_create(ctx, INT64_MAX, INT64_MAX, 1, 1, 1, &b), bad,
                    "states");
    support_refused(ctx, foray_builder_create(ctx, 1 << 20, 1 << 20, 1, 1, 1, &b), bad, "pairs");
    support_refused(ctx, foray_builder_create_mixture(ctx, 1, 1, 1, -3, &b), bad, "dim: -3");
    const int64_t none = 0, huge[] = {INT32_MAX, INT32_MAX};
    support_refused(ctx, foray_builder_create_classes(ctx, 1, 1, 1, 1, &none, &b), bad, "class 0");
    support_refused(ctx, foray_builder_create_classes(ctx, 1, 1, 1, 0, &none, &b), bad,
                    "0 classes");
    support_refused(ctx, foray_builder_create_classes(ctx, 1, 1, 1, 2, huge, &b), bad, "class 1");
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
                 foray_builder_feature_error(b, -0.1, 0), bad, "feature_error: -0.1");
    refused_call(ctx, foray_builder_create(ctx, 2, 2, 1, 3, 2, &b),
                 foray_builder_feature_error(b, NAN, 0), bad, "feature_error: ");
    refused_call(ctx, foray_builder_create(ctx, 2, 2, 1, 3, 2, &b),
                 foray_builder_feature_error(b, INFINITY, 0), bad, "feature_error: inf");
    support_ok(ctx, foray_builder_create(ctx, 2, 2, 1, 3, 2, &b));
    support_refused(ctx, foray_builder_finish(b, &model), bad, "empty");
    for (int64_t pair = 0; pair < 3; pair++)
        foray_builder_feature(b, pair / 2, pair % 2, 0, 1, &i, &one);
    support_refused(ctx, foray_builder_finish(b, &model), bad, "state 1, action 1: no successor");
    foray_builder_feature(b, 1, 1, 0, 2, twice, two);
    support_refused(ctx, foray_builder_finish(b, &model), bad, "coordinate 1 is given twice");
    foray_builder_destroy(b);

    support_ok(ctx, foray_builder_create(ctx, 1, 1, 1, 3, 2, &b));
    foray_builder_feature(b, 0, 0, 0, 1, &i, &one);
    foray_builder_feature(b, 0, 0, 0, 1, &i, &one);
    support_refused(ctx, foray_builder_finish(b, &model), bad, "state 0, action 0: successor 0");
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
    support_refused(ctx, foray_builder_finish(b, &model), bad,
                    "simulator 1: the probabilities sum to 0.5");
    foray_builder_simulator(b, 1, 0, 0, 0, 0.5);
    support_refused(ctx, foray_builder_finish(b, &model), bad,
                    "simulator 1: successor 0 is given twice");
    foray_builder_destroy(b);

    const int64_t outcomes[] = {2, 2}, next[] = {0, 0};
    refused_call(ctx, foray_builder_create_classes(ctx, 1, 1, 1, 2, outcomes, &b),
                 foray_builder_law(b, 1, short_law), bad, "class 1");
    refused_call(ctx, foray_builder_create_classes(ctx, 1, 1, 1, 2, outcomes, &b),
                 foray_builder_outcomes(b, 0, 0, 2, next), bad, "class 2");
    support_ok(ctx, foray_builder_create_classes(ctx, 1, 1, 1, 2, outcomes, &b));
    foray_builder_outcomes(b, 0, 0, 0, next);
    foray_builder_law(b, 0, fine);
    support_refused(ctx, foray_builder_finish(b, &model), bad, "class 1 has no law");
    foray_builder_law(b, 1, fine);
    foray_builder_outcomes(b, 0, 0, 1, next);
    support_refused(ctx, foray_builder_finish(b, &model), bad, "outcomes are given twice");
    foray_builder_destroy(b);

    refused_call(ctx, foray_builder_create_tabular(ctx, 1, 1, 1, &b),
                 foray_builder_transition(b, 0, 0, 0, -0.1), bad, "-0.1 is not a probability");
    support_ok(ctx, foray_builder_create_tabular(ctx, 1, 1, 1, &b));
    foray_builder_transition(b, 0, 0, 0, 0.5);
    foray_builder_transition(b, 0, 0, 0, 0.5);
    support_refused(ctx, foray_builder_finish(b, &model), bad, "successor 0 is given twice");
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
    support_refused(ctx, foray_builder_create(ctx, 0, 1, 1, 1, 1, &other), FORAY_ERROR_INPUT,
                    "states: 0");
    for (int again = 0; again < 2; again++)
        support_refused(ctx, foray_builder_finish(b, &model), FORAY_ERROR_INPUT,
                        "initial: state 7");
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
    support_refused(ctx, foray_builder_finish(b, &model), bad,
                    "initial: the probabilities sum to 0.5");
    foray_builder_initial(b, 1, 0.5);
    support_refused(ctx, foray_builder_finish(b, &model), bad, "state 1 is given twice");
    foray_builder_destroy(b);
    b = loop_builder(ctx, 1);
    foray_builder_state_name(b, 0, "broken \xff name");
    support_refused(ctx, foray_builder_finish(b, &model), bad, "state_names[0]: not UTF-8");
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
    support_refused(ctx, foray_model_check(ctx, model, &facts), bad, "state 0, action 0");
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
            support_refused(ctx, foray_model_check(ctx, model, NULL), bad, message);
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
    support_refused(ctx, foray_model_check(ctx, model, &facts), bad, "all features are 0");
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
    support_ok(ctx, foray_reward_create(ctx, model, "one", 0, 1, 1, &reward));
    support_refused(ctx, foray_evaluate(ctx, model, reward, NULL, NULL, &value), FORAY_ERROR_INPUT,
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
    support_ok(ctx, foray_reward_create(ctx, model, "one", 0, 1, 1, &reward));
    support_refused(ctx, foray_evaluate(ctx, model, reward, NULL, NULL, &value), FORAY_ERROR_INPUT,
                    "all features are 0");
    assert_true(value == -1);
    foray_reward_destroy(reward);
    foray_model_destroy(model);
    foray_builder_destroy(b);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(bad_features_are_refused),
        cmocka_unit_test(bad_laws_are_refused),
        cmocka_unit_test(the_first_failure_sticks),
        cmocka_unit_test(initial_names_and_map_are_checked),
        cmocka_unit_test(invalid_models_are_explained),
        cmocka_unit_test(invalid_models_have_no_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
