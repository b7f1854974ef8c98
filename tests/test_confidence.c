/* test_confidence.c - how rounding grows in x = L^-1 phi', where a block has many unknowns. */
#include "certify/confidence.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

enum { LAW = 80, UNKNOWNS = LAW - 1 };

/* Whatever is done, state i follows with the i-th of 80 unknown probabilities. */
static foray_model *one_law(foray_context *ctx)
{
    double weight[LAW];
    foray_builder *b;
    foray_model *model;
    support_ok(ctx, foray_builder_create_mixture(ctx, LAW, 1, 2, LAW, &b));
    for (int64_t i = 0; i < LAW; i++) {
        weight[i] = 1.0 / LAW;
        for (int64_t s = 0; s < LAW; s++)
            foray_builder_simulator(b, i, s, 0, i, 1);
    }
    foray_builder_weights(b, weight);
    foray_builder_initial(b, 0, 1);
    support_ok(ctx, foray_builder_finish(b, &model));
    foray_builder_destroy(b);
    return model;
}

/* ||N||_2 of N = |L^-1| |L|, by its definition: no entry of N is negative, so that powers of N'N
 * lead to the largest. */
static double condition_of(const double *L)
{
    static long double inverse[UNKNOWNS][UNKNOWNS], N[UNKNOWNS][UNKNOWNS];
    long double v[UNKNOWNS], w[UNKNOWNS], size = 0;
    for (int j = 0; j < UNKNOWNS; j++)
        for (int i = j; i < UNKNOWNS; i++) {
            long double sum = i == j;
            for (int l = j; l < i; l++)
                sum -= (long double)L[i * (i + 1) / 2 + l] * inverse[l][j];
            inverse[i][j] = sum / (long double)L[i * (i + 1) / 2 + i];
        }
    for (int i = 0; i < UNKNOWNS; i++)
        for (int j = 0; j <= i; j++) {
            N[i][j] = 0;
            for (int l = j; l <= i; l++)
                N[i][j] += fabsl(inverse[i][l]) * fabsl((long double)L[l * (l + 1) / 2 + j]);
        }
    for (int i = 0; i < UNKNOWNS; i++)
        v[i] = 1;
    for (int round = 0; round < 1000; round++) {
        size = 0;
        for (int i = 0; i < UNKNOWNS; i++) {
            w[i] = 0;
            for (int j = 0; j <= i; j++)
                w[i] += N[i][j] * v[j];
        }
        for (int j = 0; j < UNKNOWNS; j++) {
            v[j] = 0;
            for (int i = j; i < UNKNOWNS; i++)
                v[j] += N[i][j] * w[i];
            size += v[j] * v[j];
        }
        size = sqrtl(size);
        for (int j = 0; j < UNKNOWNS; j++)
            v[j] /= size;
    }
    return (double)sqrtl(size);
}

/* Rows that nearly depend on those before: L_ij = -share below the diagonal. */
static void conditions_are_bounded(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = one_law(ctx);
    static const double shares[] = {0, 0.05, 0.15};
    double squared = (double)UNKNOWNS * UNKNOWNS, largest = 0;
    for (size_t c = 0; c < sizeof shares / sizeof *shares; c++) {
        fy_confidence *set;
        support_ok(ctx, fy_confidence_create(support_arena(ctx), model->basis, &set));
        int64_t g = model->basis->block_of_generator_set[0];
        assert_int_equal(model->basis->block[g].dim, UNKNOWNS);
        for (int j = 0; j < UNKNOWNS; j++) {
            double x[UNKNOWNS];
            for (int i = 0; i < UNKNOWNS; i++)
                x[i] = i < j ? 0 : i == j ? 1 : -shares[c];
            fy_ridge_update(set->ridge, g, x, 0, 1e12);
        }
        for (int64_t block = 0; block < model->basis->blocks; block++)
            set->radius[block] = 1;
        fy_confidence_complete(set);
        double condition = condition_of(set->ridge->factor + set->ridge->at_matrix[g]);
        assert_true(set->kappa_factor >= condition * (1 - 1e-9));
        assert_true(set->kappa_factor <= 10 * condition);
        largest = fmax(largest, condition);
    }
    assert_true(largest > 4 * squared); /* which would not have been a bound */
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
