/* The ridge regressions against dense textbook inverses in long double. */
#include "oracle_dense.h"
#include "learn/dense.h"
#include "learn/ridge.h"
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ------------------------------------------------------------------ oracle */

enum { MAX = 70 };

/* Everything a block should be, kept the slow way. */
typedef struct dense {
    int d;
    long double sigma[MAX][MAX], b[MAX];
} dense;

static void dense_start(dense *o, int d, double lambda)
{
    memset(o, 0, sizeof *o);
    o->d = d;
    for (int i = 0; i < d; i++)
        o->sigma[i][i] = lambda;
}

static void dense_update(dense *o, const double *x, double y, double w)
{
    for (int i = 0; i < o->d; i++) {
        o->b[i] += (long double)w * x[i] * y;
        for (int k = 0; k < o->d; k++)
            o->sigma[i][k] += (long double)w * x[i] * x[k];
    }
}

/* Returns log det. */
static long double dense_invert(const dense *o, long double inverse[MAX][MAX])
{
    long double a[MAX * MAX];
    for (int i = 0; i < o->d * o->d; i++)
        a[i] = o->sigma[i / o->d][i % o->d];
    long double log_det = oracle_invert_long(o->d, a, a);
    for (int i = 0; i < o->d * o->d; i++)
        inverse[i / o->d][i % o->d] = a[i];
    return log_det;
}

static double dense_norm(int d, long double inverse[MAX][MAX], const double *x)
{
    long double total = 0;
    for (int i = 0; i < d; i++)
        for (int k = 0; k < d; k++)
            total += x[i] * inverse[i][k] * x[k];
    return (double)sqrtl(total);
}

/* ----------------------------------------------------------------- fixture */

enum { BLOCKS = 9 };
static const int32_t dims[BLOCKS] = {1, 2, 3, 0, 4, 7, 15, 49, 70};
static const double lambdas[BLOCKS] = {1, 0.5, 2, 1, 0.1, 1, 3, 1, 0.01};

typedef struct fixture {
    foray_context *ctx;
    fy_basis basis;
    fy_block block[BLOCKS];
    fy_ridge *ridge;
    uint64_t draws;
} fixture;

static double draw(fixture *t)
{
    return 2 * fy_unit(fy_random_bits(7, FY_STREAM_TEST, 0, 0, (uint32_t)t->draws++)) - 1;
}

/* A vector whose size varies by two orders of magnitude, sometimes with leading zeros. With
 * four the oracle would need its long doubles, which valgrind computes as doubles. */
static void draw_vector(fixture *t, int d, double *x)
{
    double size = pow(10, draw(t));
    int zeros = draw(t) > 0.5 ? d / 3 : 0;
    for (int i = 0; i < d; i++)
        x[i] = i < zeros ? 0 : size * draw(t);
}

static void begin(fixture *t, int64_t refactor_every)
{
    memset(t, 0, sizeof *t);
    t->ctx = foray_context_create();
    t->basis = (fy_basis){.blocks = BLOCKS, .block = t->block, .max_dim = 70};
    for (int g = 0; g < BLOCKS; g++)
        t->block[g].dim = dims[g];
    assert_int_equal(
        fy_ridge_create(support_arena(t->ctx), &t->basis, lambdas, refactor_every, &t->ridge),
        FORAY_OK);
}

static void end(fixture *t)
{
    foray_context_destroy(t->ctx);
}

static void assert_close(double a, double b, double relative)
{
    if (!(fabs(a - b) <= relative * fmax(fmax(fabs(a), fabs(b)), 1e-300)))
        fail_msg("%.17g and %.17g differ by more than %g", a, b, relative);
}

/* ------------------------------------------------------------------- tests */

static void compare(fixture *t, int g, const dense *o)
{
    static long double inverse[MAX][MAX];
    double z[MAX], x[3][MAX], many[3 * MAX], size = 0;
    int d = o->d;
    assert_close(fy_ridge_log_det(t->ridge, g), (double)dense_invert(o, inverse), 1e-12);
    fy_ridge_solve(t->ridge, g, z);
    for (int i = 0; i < d; i++)
        size = fmax(size, fabs(z[i]));
    for (int i = 0; i < d; i++) {
        long double exact = 0;
        for (int k = 0; k < d; k++)
            exact += inverse[i][k] * o->b[k];
        assert_true(fabs(z[i] - (double)exact) <= 1e-9 * size);
    }
    for (int v = 0; v < 3; v++) {
        draw_vector(t, d, x[v]);
        memcpy(many + v * d, x[v], (size_t)d * sizeof *many);
        fy_ridge_whiten(t->ridge, g, x[v], z);
        assert_close(sqrt(fy_dot(z, z, d)), dense_norm(d, inverse, x[v]), 1e-10);
    }
    fy_ridge_whiten_many(t->ridge, g, 3, many);
    for (int v = 0; v < 3; v++)
        assert_close(sqrt(fy_dot(many + v * d, many + v * d, d)), dense_norm(d, inverse, x[v]),
                     1e-10);
}

static void check_against_inverses(int64_t refactor_every)
{
    static dense o;
    fixture t;
    begin(&t, refactor_every);
    for (int g = 0; g < BLOCKS; g++) {
        double x[MAX];
        dense_start(&o, dims[g], lambdas[g]);
        for (int k = 0; k < 120; k++) {
            double y = draw(&t), w = k % 3 ? 1 : fabs(draw(&t)) * 4;
            draw_vector(&t, dims[g], x);
            dense_update(&o, x, y, w);
            fy_ridge_update(t.ridge, g, x, y, w);
            if (k == 0 || k == 7 || k == 119)
                compare(&t, g, &o);
        }
    }
    assert_true(t.ridge->worst_error < 1e-13);
    if (refactor_every < 120) {
        assert_int_equal(t.ridge->refactored, 7 * (120 / refactor_every));
        assert_true(t.ridge->worst_error > 0);
    } else {
        assert_int_equal(t.ridge->refactored, 0);
    }
    end(&t);
}

static void agrees_with_inverses(void **state)
{
    (void)state;
    check_against_inverses(1000);
}

static void agrees_with_inverses_when_refactored(void **state)
{
    (void)state;
    check_against_inverses(10);
}

/* Many vectors at once, any count, give what one at a time gives. */
static void whitens_many(void **state)
{
    (void)state;
    fixture t;
    begin(&t, 1000);
    double x[MAX], one[MAX], many[19 * MAX];
    for (int g = 0; g < BLOCKS; g++)
        for (int k = 0; k < 2 * dims[g]; k++) {
            draw_vector(&t, dims[g], x);
            fy_ridge_update(t.ridge, g, x, 0, 1);
        }
    for (int g = 0; g < BLOCKS; g++)
        for (int count = 0; count <= 19; count++) {
            int d = dims[g];
            double before[19 * MAX];
            for (int i = 0; i < count * d; i++)
                before[i] = many[i] = draw(&t);
            fy_ridge_whiten_many(t.ridge, g, count, many);
            for (int v = 0; v < count; v++) {
                fy_ridge_whiten(t.ridge, g, before + v * d, one);
                for (int i = 0; i < d; i++)
                    assert_true(fabs(one[i] - many[v * d + i]) <= 1e-11 * (1 + fabs(one[i])));
            }
        }
    end(&t);
}

/* det(Sigma + w x x') = det(Sigma) (1 + w ||x||^2): every update's growth, and their
 * product since the mark against log det. */
static void growth_is_the_determinant(void **state)
{
    (void)state;
    fixture t;
    begin(&t, 50);
    for (int g = 0; g < BLOCKS; g++) {
        double x[MAX], z[MAX];
        for (int i = 0; i < 20; i++) {
            draw_vector(&t, dims[g], x);
            fy_ridge_update(t.ridge, g, x, 0, 1);
        }
        fy_ridge_mark(t.ridge);
        assert_true(t.ridge->max_growth == 1);
        double start = fy_ridge_log_det(t.ridge, g);
        for (int k = 0; k < 60; k++) {
            double before = t.ridge->growth[g], w = 0.5 + k % 4;
            draw_vector(&t, dims[g], x);
            fy_ridge_whiten(t.ridge, g, x, z);
            fy_ridge_update(t.ridge, g, x, 0, w);
            assert_close(t.ridge->growth[g] / before, 1 + w * fy_dot(z, z, dims[g]), 1e-11);
        }
        assert_close(t.ridge->max_growth, t.ridge->growth[g], 0);
        if (dims[g] > 0)
            assert_close(log(t.ridge->growth[g]), fy_ridge_log_det(t.ridge, g) - start, 1e-10);
    }
    end(&t);
}

/* At a fixed vector more data never raises the norm. */
static void more_data_never_raises_a_norm(void **state)
{
    (void)state;
    fixture t;
    begin(&t, 17);
    for (int g = 0; g < BLOCKS; g++) {
        double x[MAX], fixed[MAX], z[MAX], last = INFINITY;
        draw_vector(&t, dims[g], fixed);
        for (int k = 0; k < 100; k++) {
            draw_vector(&t, dims[g], x);
            fy_ridge_update(t.ridge, g, x, 0, 1);
            fy_ridge_whiten(t.ridge, g, fixed, z);
            double norm = sqrt(fy_dot(z, z, dims[g]));
            assert_true(norm <= last * (1 + 1e-12));
            last = norm;
        }
    }
    end(&t);
}

/* A direction never seen keeps its lambda even where Sigma's rounding hides it. */
static void tiny_lambda_survives_refactoring(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    fy_block block = {.dim = 3};
    fy_basis basis = {.blocks = 1, .block = &block, .max_dim = 3};
    double lambda = 1e-14, unseen[3] = {1, -1, 0}, z[3];
    fy_ridge *ridge;
    assert_int_equal(fy_ridge_create(support_arena(ctx), &basis, &lambda, 10, &ridge), FORAY_OK);
    for (int k = 0; k < 1000; k++) {
        double x[3] = {1, 1, (k % 10) * 0.1};
        fy_ridge_update(ridge, 0, x, 0, 1);
    }
    fy_ridge_whiten(ridge, 0, unseen, z);
    assert_close(fy_dot(z, z, 3), 2 / lambda, 1e-3);
    foray_context_destroy(ctx);
}

static void assert_same_numbers(const fy_ridge *a, const fy_ridge *b)
{
    size_t matrices = (size_t)a->at_matrix[BLOCKS] * sizeof(double);
    assert_memory_equal(a->factor, b->factor, matrices);
    assert_memory_equal(a->sigma, b->sigma, matrices);
    assert_memory_equal(a->target, b->target, (size_t)a->at_vector[BLOCKS] * sizeof(double));
    assert_memory_equal(a->growth, b->growth, BLOCKS * sizeof(double));
    assert_memory_equal(a->updates, b->updates, BLOCKS * sizeof(int64_t));
    assert_true(a->max_growth == b->max_growth && a->worst_error == b->worst_error);
    assert_int_equal(a->refactored, b->refactored);
}

static void update_some(fixture *t, fy_ridge *ridge, int count)
{
    double x[MAX];
    for (int k = 0; k < count; k++) {
        draw_vector(t, dims[k % BLOCKS], x);
        fy_ridge_update(ridge, k % BLOCKS, x, draw(t), 1);
    }
}

/* Written, read back and continued: the same bits as never interrupted. */
static void writes_and_reads_bit_for_bit(void **state)
{
    (void)state;
    fixture t;
    begin(&t, 10);
    update_some(&t, t.ridge, 130);
    fy_writer writer = {.ctx = t.ctx};
    fy_ridge_write(t.ridge, &writer);
    assert_false(writer.failed);
    fy_ridge *again, *copy;
    assert_int_equal(fy_ridge_create(support_arena(t.ctx), &t.basis, lambdas, 10, &again),
                     FORAY_OK);
    assert_int_equal(fy_ridge_create(support_arena(t.ctx), &t.basis, lambdas, 10, &copy), FORAY_OK);
    fy_reader reader = {.data = writer.data, .size = writer.size};
    fy_ridge_read(again, &reader);
    assert_false(reader.failed);
    assert_int_equal(reader.at, writer.size);
    fy_ridge_copy(copy, t.ridge);
    assert_same_numbers(t.ridge, again);
    uint64_t draws = t.draws;
    fy_ridge *all[3] = {t.ridge, again, copy};
    for (int i = 0; i < 3; i++) {
        t.draws = draws;
        update_some(&t, all[i], 200);
    }
    assert_same_numbers(t.ridge, again);
    assert_same_numbers(t.ridge, copy);
    reader = (fy_reader){.data = writer.data, .size = writer.size - 1};
    fy_ridge_read(again, &reader);
    assert_true(reader.failed);
    free(writer.data);
    end(&t);
}

static void create_survives_every_failed_allocation(void **state)
{
    (void)state;
    fixture t;
    begin(&t, 10);
    fy_ridge *ridge = NULL;
    int64_t failures = 0;
    foray_status status = FORAY_ERROR_MEMORY;
    for (; status == FORAY_ERROR_MEMORY; failures++) {
        assert_null(ridge);
        t.ctx->allocations_left = failures;
        status = fy_ridge_create(support_arena(t.ctx), &t.basis, lambdas, 10, &ridge);
    }
    assert_int_equal(status, FORAY_OK);
    assert_true(failures > 5);
    end(&t);
}

static void refuses_blocks_too_large(void **state)
{
    (void)state;
    fixture t;
    begin(&t, 10);
    fy_ridge *ridge = NULL;
    t.block[2].dim = t.basis.max_dim = 1 << 20;
    assert_int_equal(fy_ridge_create(support_arena(t.ctx), &t.basis, lambdas, 10, &ridge),
                     FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(t.ctx), "1048576"));
    assert_null(ridge);
    end(&t);
}

/* A block too large for tiles, beside a small one that has no basis behind it. */
static void large_blocks_without_a_form(void **state)
{
    (void)state;
    enum { LARGE = 260, COUNT = 7 };
    static const int64_t sizes[] = {LARGE, 3};
    static const double lambda[] = {1, 1};
    fixture t;
    begin(&t, 1000);
    fy_ridge *ridge;
    double *x = calloc((2 * COUNT + 1) * LARGE, sizeof *x);
    double *before = x + COUNT * LARGE, *one = before + COUNT * LARGE;
    assert_int_equal(fy_ridge_create_blocks(support_arena(t.ctx), 2, sizes, lambda, 1000, &ridge),
                     FORAY_OK);
    for (int k = 0; k < 40; k++) {
        for (int i = 0; i < LARGE; i++)
            x[i] = draw(&t);
        fy_ridge_update(ridge, k % 8 == 0, x, 0, 1);
    }
    for (int i = 0; i < COUNT * LARGE; i++)
        before[i] = x[i] = draw(&t);
    fy_ridge_whiten_many(ridge, 0, COUNT, x);
    for (int v = 0; v < COUNT; v++) {
        fy_ridge_whiten(ridge, 0, before + v * LARGE, one);
        for (int i = 0; i < LARGE; i++)
            assert_true(fabs(one[i] - x[v * LARGE + i]) <= 1e-11 * (1 + fabs(one[i])));
    }
    free(x);
    end(&t);
}

/* With C the colouring matrix, C C' = Sigma^-1: column by column, C = L'^-1. */
static void colours_are_the_inverse(void **state)
{
    (void)state;
    enum { G = 5 };
    fixture t;
    begin(&t, 1000);
    double x[MAX], colour[MAX * MAX], inverse[MAX];
    int d = dims[G];
    for (int k = 0; k < 3 * d; k++) {
        draw_vector(&t, d, x);
        fy_ridge_update(t.ridge, G, x, 0, 1);
    }
    for (int i = 0; i < d; i++) {
        memset(x, 0, sizeof x);
        x[i] = 1;
        fy_ridge_colour(t.ridge, G, x, colour + i * d);
    }
    for (int j = 0; j < d; j++) {
        memset(x, 0, sizeof x);
        x[j] = 1;
        fy_ridge_solve_for(t.ridge, G, x, inverse);
        for (int k = 0; k < d; k++) {
            double product = 0, size = 0;
            for (int i = 0; i < d; i++) {
                product += colour[i * d + j] * colour[i * d + k];
                size += fabs(colour[i * d + j] * colour[i * d + k]);
            }
            assert_true(fabs(product - inverse[k]) <= 1e-12 * size + 1e-300);
        }
    }
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_inverses),
        cmocka_unit_test(agrees_with_inverses_when_refactored),
        cmocka_unit_test(whitens_many),
        cmocka_unit_test(growth_is_the_determinant),
        cmocka_unit_test(more_data_never_raises_a_norm),
        cmocka_unit_test(tiny_lambda_survives_refactoring),
        cmocka_unit_test(writes_and_reads_bit_for_bit),
        cmocka_unit_test(create_survives_every_failed_allocation),
        cmocka_unit_test(refuses_blocks_too_large),
        cmocka_unit_test(large_blocks_without_a_form),
        cmocka_unit_test(colours_are_the_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
