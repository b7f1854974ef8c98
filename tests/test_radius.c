/* The radii against values worked out by hand from the formulas. */
#include "learn/radius.h"
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * fabs(b)))
        fail_msg("%.17g, but by hand %.17g", a, b);
}

static fy_block blocks[3] = {
    {.dim = 1, .norm_bound = 2}, {.dim = 0, .norm_bound = 0}, {.dim = 2, .norm_bound = 0.5}};
static const fy_basis basis = {.blocks = 3, .block = blocks, .max_dim = 2};

static void lambda_is_the_inverse_squared_bound(void **state)
{
    (void)state;
    foray_settings settings;
    foray_settings_default(&settings);
    double lambda[3];
    fy_radius_lambda(&basis, &settings, lambda);
    assert_near(lambda[0], 0.25);
    assert_true(lambda[1] > 0 && isfinite(lambda[1]));
    assert_near(lambda[2], 4);
    settings.lambda = 0.7;
    fy_radius_lambda(&basis, &settings, lambda);
    for (int g = 0; g < 3; g++)
        assert_near(lambda[g], 0.7);
}

/* Before any data: (1/2) sqrt(2 log(m/delta)) + sqrt(lambda) B. After x = 3 in the block
 * of one unknown Sigma = 0.25 + 9, so the log det part is log(37). In the block of two,
 * x = (2, 0) and (2, 2) give Sigma = [12 4; 4 8] from 4 I: det ratio 80/16 = 5. */
static void selfnormalised_by_hand(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    double lambda[3] = {0.25, 1, 4}, radius[3];
    fy_ridge *ridge;
    assert_int_equal(fy_ridge_create(support_arena(ctx), &basis, lambda, 100, &ridge), FORAY_OK);
    fy_radius_selfnormalised(ridge, 0.1, 1, radius);
    assert_near(radius[0], 0.5 * sqrt(2 * log(20)) + 1);
    assert_true(radius[1] == 0);
    assert_near(radius[2], 0.5 * sqrt(2 * log(20)) + 1);
    fy_ridge_update(ridge, 0, (double[]){3}, 0, 1);
    fy_ridge_update(ridge, 2, (double[]){2, 0}, 0, 1);
    fy_ridge_update(ridge, 2, (double[]){2, 2}, 0, 1);
    fy_radius_selfnormalised(ridge, 0.1, 3, radius);
    assert_near(radius[0], 3 * (0.5 * sqrt(2 * log(20) + log(37)) + 1));
    assert_true(radius[1] == 0);
    assert_near(radius[2], 3 * (0.5 * sqrt(2 * log(20) + log(5)) + 1));
    foray_context_destroy(ctx);
}

/* H = 2, d = 4, B = 1, delta = 0.5 and K = 1: 1 + K H^3 B^2 = 9. */
static void theorem_radius_by_hand(void **state)
{
    (void)state;
    assert_near(fy_radius_hoeffding(2, 4, 1, 1, 0.5, 3), 2 * sqrt(4 * log(54)) + 1);
    assert_near(fy_radius_hoeffding(2, 4, 1, 1, 0.5, 12), 2 * sqrt(4 * log(216)) + 1);
    assert_near(fy_radius_hoeffding(1, 1, 8, 0.5, 1, 3), sqrt(log(9)) + 1);
}

/* H = 3, d = 4, K = 5, B = 2, delta = 0.25: L2 = log(48*25*9*4) = log 43200. With lambda = B^-2,
 * L1 = log(1 + 5*3*4) = log 61 and L3 = log(1 + 5*243*4/4) = log 1216. */
static void bernstein_radii_by_hand(void **state)
{
    (void)state;
    fy_bernstein r = fy_radius_bernstein(3, 4, 5, 0.25, 2, 0.25);
    double L1 = log(61), L2 = log(43200), L3 = log(1216);
    assert_near(r.hat, 16 * sqrt(L1 * L2) + 8 * L2 + 1);
    assert_near(r.check, 32 * sqrt(L1 * L2) + 8 * L2 + 1);
    assert_near(r.tilde, 144 * sqrt(L3 * L2) + 36 * L2 + 1);
}

/* The same with lambda = 9: sqrt(lambda) B = 6, L1 = log(1 + 15/9), L3 = log(1 + 1215/36). */
static void bernstein_radii_know_lambda(void **state)
{
    (void)state;
    fy_bernstein r = fy_radius_bernstein(3, 4, 5, 9, 2, 0.25);
    double L1 = log(1 + 15.0 / 9), L2 = log(43200), L3 = log(1 + 1215.0 / 36);
    assert_near(r.hat, 16 * sqrt(L1 * L2) + 8 * L2 + 6);
    assert_near(r.check, 32 * sqrt(L1 * L2) + 8 * L2 + 6);
    assert_near(r.tilde, 144 * sqrt(L3 * L2) + 36 * L2 + 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lambda_is_the_inverse_squared_bound),
        cmocka_unit_test(selfnormalised_by_hand),
        cmocka_unit_test(theorem_radius_by_hand),
        cmocka_unit_test(bernstein_radii_by_hand),
        cmocka_unit_test(bernstein_radii_know_lambda),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
