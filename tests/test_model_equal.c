/* test_model_equal.c - two models are one and the same when, and only when, every
 * number that exploration depends on is the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "foray/foray.h"

/* A model of three states and one action, from numbers that can be changed one by one. */
typedef struct recipe {
    int64_t horizon, initial, next; /* next: the second successor of state 1 */
    double norm_bound, feature, theta, feature_error;
    const char *name;
    bool known;
} recipe;

static const recipe plain = {3, 0, 1, 2.0, 0.5, 1.5, 0.0, "plain", true};

static foray_model *cook(foray_context *ctx, recipe r)
{
    foray_builder *builder;
    foray_model *model;
    const int64_t coordinate[] = {0, 1};
    const double feature[] = {0.5, r.feature}, theta[] = {r.theta, 2.0 - r.theta};
    assert_int_equal(foray_builder_create(ctx, 3, 1, r.horizon, 2, r.norm_bound, &builder), 0);
    for (int64_t s = 0; s < 3; s++)
        foray_builder_feature(builder, s, 0, 0, 1, coordinate, feature);
    foray_builder_feature(builder, 0, 0, 1, 1, coordinate + 1, feature + 1);
    foray_builder_feature(builder, 1, 0, r.next, 1, coordinate + 1, feature);
    foray_builder_feature(builder, 2, 0, 2, 1, coordinate + 1, feature);
    foray_builder_theta(builder, theta);
    foray_builder_feature_error(builder, r.feature_error, 0);
    foray_builder_initial(builder, r.initial, 1.0);
    foray_builder_name(builder, r.name);
    if (!r.known)
        foray_builder_forget_theta(builder);
    assert_int_equal(foray_builder_finish(builder, &model), 0);
    foray_builder_destroy(builder);
    return model;
}

static bool equal_to_plain(recipe r)
{
    foray_context *ctx = foray_context_create();
    foray_model *one = cook(ctx, plain), *other = cook(ctx, r);
    bool equal = foray_model_equal(one, other);
    assert_int_equal(foray_model_equal(other, one), equal);
    foray_model_destroy(one);
    foray_model_destroy(other);
    foray_context_destroy(ctx);
    return equal;
}

static void same_numbers_are_equal(void **state)
{
    (void)state;
    recipe renamed = plain, negative_zero = plain;
    negative_zero.feature_error = -0.0;
    assert_true(equal_to_plain(negative_zero));
    renamed.name = "another name";
    assert_true(equal_to_plain(plain));
    assert_true(equal_to_plain(renamed));
}

static void any_other_number_differs(void **state)
{
    (void)state;
    recipe horizon = plain, initial = plain, next = plain, bound = plain, theta = plain,
           unknown = plain, feature = plain, error = plain;
    horizon.horizon = 4;
    initial.initial = 1;
    next.next = 2;
    bound.norm_bound = 2.0000000000000004;
    theta.theta = 1.25;
    unknown.known = false;
    feature.feature = 0.5000000000000001;
    error.feature_error = 1e-300;
    assert_false(equal_to_plain(error));
    assert_false(equal_to_plain(feature));
    assert_false(equal_to_plain(horizon));
    assert_false(equal_to_plain(initial));
    assert_false(equal_to_plain(next));
    assert_false(equal_to_plain(bound));
    assert_false(equal_to_plain(theta));
    assert_false(equal_to_plain(unknown));
}

static void different_worlds_differ(void **state)
{
    (void)state;
    static const char *const spec[] = {"chain", "chain:states=32", "chain:outcomes=3", "riverswim",
                                       "hard",  "inventory",       "chain:laws=1"};
    enum { SPECS = sizeof spec / sizeof *spec };
    foray_context *ctx = foray_context_create();
    foray_model *model[SPECS];
    for (int i = 0; i < SPECS; i++)
        assert_int_equal(foray_model_builtin(ctx, spec[i], &model[i]), 0);
    for (int i = 0; i < SPECS; i++)
        for (int j = 0; j < SPECS; j++)
            assert_int_equal(foray_model_equal(model[i], model[j]), i == j);
    for (int i = 0; i < SPECS; i++)
        foray_model_destroy(model[i]);
    foray_context_destroy(ctx);
}

/* A model lives until its last owner has destroyed it: under AddressSanitizer this would show. */
static void a_shared_model_outlives_its_first_owner(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = cook(ctx, plain);
    foray_model *shared = foray_model_share(model);
    assert_ptr_equal(shared, model);
    foray_model_destroy(model);
    assert_string_equal(foray_model_name(shared), "plain");
    foray_model_destroy(foray_model_share(shared));
    assert_int_equal(foray_model_states(shared), 3);
    foray_model_destroy(shared);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_numbers_are_equal),
        cmocka_unit_test(any_other_number_differs),
        cmocka_unit_test(different_worlds_differ),
        cmocka_unit_test(a_shared_model_outlives_its_first_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
