/* test_dense.c - the dense kernels: coordinates in a basis of the rows keep inner products
 * whatever depends on what, and rotations make rows orthogonal without changing their span. */
#include "learn/dense.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *zeros(int64_t count)
{
    return calloc((size_t)count, sizeof(double));
}

/* Random rows of which each may repeat an earlier one, or mix two, up to rounding. */
static double *dependent_rows(int64_t count, int64_t dim, uint64_t seed)
{
    support_random random = {.seed = seed};
    int64_t width = fy_padded(dim);
    double *rows = zeros(count * width);
    for (int64_t j = 0; j < count; j++) {
        double *row = rows + j * width;
        int64_t kind = j < 2 ? 0 : support_below(&random, 4);
        const double *one = rows + support_below(&random, j + 1) * width;
        const double *two = rows + support_below(&random, j + 1) * width;
        double share = support_uniform(&random);
        for (int64_t i = 0; i < dim; i++)
            row[i] = kind <= 1   ? (support_below(&random, 3) == 0 ? support_normal(&random) : 0)
                     : kind == 2 ? one[i] / 3
                                 : share * one[i] + (1 - share) * two[i];
    }
    return rows;
}

/* Two rows for each state of a walk on a line, as transitions have them: new directions come one
 * by one, hardly different from what is there already. */
static double *walk_rows(int64_t count, int64_t dim, uint64_t seed)
{
    int64_t width = fy_padded(dim);
    double *rows = zeros(count * width);
    for (int64_t j = 0; j < count; j++) {
        int64_t at = j / 2 % dim, left = at > 0 ? at - 1 : 0, right = at < dim - 1 ? at + 1 : at;
        double forward = 0.05 + 0.1 * (double)(seed % 3);
        rows[j * width + (j % 2 == 0 ? left : right)] += 1 - 2 * forward;
        rows[j * width + (j % 2 == 0 ? right : left)] += forward;
        rows[j * width + at] += forward;
    }
    return rows;
}

static double worst_product(int64_t count, int64_t width, const double *rows)
{
    double worst = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k <= i; k++) {
            double product = fy_dot(rows + i * width, rows + k * width, width);
            worst = fmax(worst, fabs(product - (i == k)));
        }
    return worst;
}

/* |rows - coordinates * basis| */
static double worst_rest(int64_t count, int64_t dim, int64_t found, const double *rows,
                         const double *basis, const double *out)
{
    int64_t width = fy_padded(dim), stride = fy_padded(count < dim ? count : dim);
    double worst = 0;
    for (int64_t j = 0; j < count; j++)
        for (int64_t i = 0; i < dim; i++) {
            double rest = rows[j * width + i];
            for (int64_t k = 0; k < found; k++)
                rest -= out[j * stride + k] * basis[k * width + i];
            worst = fmax(worst, fabs(rest));
        }
    return worst;
}

static void reduction_keeps_inner_products(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{3, 8}, {40, 12}, {12, 40}, {300, 100}, {200, 200}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint64_t seed = 1; seed <= 6; seed++) {
            int64_t count = shapes[i][0], dim = shapes[i][1], max = count < dim ? count : dim;
            double *rows = (seed % 2 ? dependent_rows : walk_rows)(count, dim, seed);
            double *basis = zeros(max * fy_padded(dim)), *out = zeros(count * fy_padded(max));
            int64_t found = fy_reduce(count, dim, rows, basis, out);
            assert_in_range(found, 1, max);
            assert_true(worst_product(found, fy_padded(dim), basis) < 1e-13);
            assert_true(worst_rest(count, dim, found, rows, basis, out) < 1e-12);
            free(rows);
            free(basis);
            free(out);
        }
}

/* Afterwards rows are orthogonal, and the sum of their squares is what it was. */
static void rotations_make_orthogonal(void **state)
{
    (void)state;
    enum { ROWS = 30, LENGTH = 70 };
    double *rows = dependent_rows(ROWS, LENGTH, 9), before = 0, after = 0;
    int64_t width = fy_padded(LENGTH);
    for (int64_t i = 0; i < ROWS; i++)
        before += fy_dot(rows + i * width, rows + i * width, width);
    fy_orthogonalise(ROWS, LENGTH, width, 60, rows);
    for (int64_t i = 0; i < ROWS; i++) {
        double square = fy_dot(rows + i * width, rows + i * width, width);
        after += square;
        for (int64_t k = 0; k < i; k++)
            assert_true(fabs(fy_dot(rows + i * width, rows + k * width, width)) < 1e-12 * before);
    }
    assert_true(fabs(after - before) < 1e-12 * before);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reduction_keeps_inner_products),
        cmocka_unit_test(rotations_make_orthogonal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
