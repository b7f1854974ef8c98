/* The three inner maximisers against brute force over all f in {0,1}^n, over all sign
 * vectors, and against GLPK. */
#include "learn/walks.h"
#include "learn/dense.h"
#include "oracle_inner.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* -------------------------------------------------------------------- exact */

static void check_exact(bool centred, int blocks, const int32_t *dims, int count, int max_n)
{
    inner_begin(centred, blocks, dims);
    inner_add_random_sets(centred, count, max_n);
    inner_make_ridge();
    fy_inner *inner = inner_solve(FORAY_INNER_EXACT, 1);
    for (int64_t set = 0; set < inner_bed.model.generator_sets; set++) {
        inner_assert_near(inner->value[set], inner_brute_force(set), 1e-10);
        inner_assert_near(inner->value[set], inner_norm_of_bits(inner, set), 1e-10);
        assert_true(inner->upper[set] == inner->value[set]);
    }
    assert_true(inner->ratio == 1);
    inner_end();
}

static void exact_is_brute_force(void **state)
{
    (void)state;
    check_exact(false, 3, (int32_t[]){1, 3, 7}, 120, 8);
    check_exact(true, 3, (int32_t[]){1, 3, 7}, 120, 8);
    check_exact(false, 1, (int32_t[]){16}, 30, 5);
    check_exact(true, 1, (int32_t[]){16}, 30, 6);
}

/* Many generators in few dimensions: lists. */
static void exact_lists_are_brute_force(void **state)
{
    (void)state;
    check_exact(false, 2, (int32_t[]){2, 3}, 36, 12);
    check_exact(true, 2, (int32_t[]){2, 3}, 36, 12);
}

/* Few directions in many dimensions: lists with shortened rows. */
static void exact_lists_of_low_rank_are_brute_force(void **state)
{
    (void)state;
    double rows[INNER_MAX_N * INNER_MAX_D];
    for (int centred = 0; centred < 2; centred++) {
        inner_begin(centred, 1, (int32_t[]){24});
        for (int k = 0; k < 8; k++) {
            inner_draw_rows(INNER_PLANAR, 6 + k % 5, 24, rows);
            if (centred)
                inner_centre_rows(6 + k % 5, 24, rows);
            inner_add_set(0, 6 + k % 5, rows);
        }
        inner_make_ridge();
        fy_inner *inner = inner_solve(FORAY_INNER_EXACT, 1);
        for (int64_t set = 0; set < inner_bed.model.generator_sets; set++) {
            assert_true(inner->walks->walk[inner->walks->walk_of[set]].listed);
            inner_assert_near(inner->value[set], inner_brute_force(set), 1e-10);
        }
        inner_end();
    }
}

/* Directions that all but lie in a plane, at distances down to rounding: whatever is
 * decided about their rank, the maximum is right, and no list grows beyond its bound. */
static void nearly_dependent_directions_are_brute_force(void **state)
{
    (void)state;
    double rows[INNER_MAX_N * INNER_MAX_D];
    for (int centred = 0; centred < 2; centred++) {
        inner_begin(centred, 1, (int32_t[]){4});
        for (int k = 0; k < 24; k++) {
            int n = 9 + k % 3;
            inner_draw_rows(k % 2 ? INNER_PLANAR : INNER_GENERAL, n, 4, rows);
            for (int i = 0; i < 4 * n; i++)
                rows[i] = k % 2 ? rows[i] + inner_draw() * pow(10, -4 - k / 2)
                                : rows[i] * pow(10, -(i % 4) * (1 + k / 6));
            if (centred)
                inner_centre_rows(n, 4, rows);
            inner_add_set(0, n, rows);
        }
        inner_make_ridge();
        fy_inner *inner = inner_solve(FORAY_INNER_EXACT, 1);
        for (int64_t set = 0; set < inner_bed.model.generator_sets; set++) {
            const fy_walk *walk = inner->walks->walk + inner->walks->walk_of[set];
            inner_assert_near(inner->value[set], inner_brute_force(set), 1e-9);
            assert_true(walk->vertices <= fy_cells_bound(walk->groups, 4));
        }
        inner_end();
    }
}

/* Every list visits different vertices, and as many as it says. */
static void lists_visit_every_vertex_once(void **state)
{
    (void)state;
    for (int centred = 0; centred < 2; centred++) {
        double rows[INNER_MAX_N * INNER_MAX_D];
        int lists = 0;
        inner_begin(centred, 1, (int32_t[]){3});
        for (int k = 0; k < 24; k++) {
            int n = 9 + inner_draw_below(6);
            inner_draw_rows(k % INNER_KINDS, n, 3, rows);
            if (centred)
                inner_centre_rows(n, 3, rows);
            inner_add_set(0, n, rows);
        }
        fy_walks *walks;
        fy_walks_limits limits = {.visits = 1 << 20, .bytes = 1 << 24};
        assert_int_equal(
            fy_walks_create(support_arena(inner_bed.ctx), &inner_bed.basis, limits, &walks),
            FORAY_OK);
        for (int64_t i = 0; i < walks->count; i++) {
            const fy_walk *walk = walks->walk + i;
            static bool met[1 << 15];
            uint64_t here = 0;
            int64_t different = 1;
            memset(met, 0, sizeof met);
            assert_true(walk->vertices <= fy_cells_bound(walk->groups, 3));
            lists += walk->listed;
            for (int64_t k = 0; walk->listed && k < walk->flips; k++) {
                uint16_t flip = walks->flip[walk->at_flip + k];
                here ^= (uint64_t)1 << (flip & FY_FLIP_GROUP);
                if (flip & FY_FLIP_VISIT) {
                    assert_false(met[here]);
                    met[here] = true;
                    different++;
                }
            }
            if (walk->listed) {
                /* The start is visited too, and may be a vertex itself. */
                assert_in_range(different, walk->visits, walk->visits + 1);
                assert_int_equal(walk->visits * (centred ? 2 : 1), walk->vertices);
                assert_true(walk->flips < 2 * walk->visits + walk->groups);
            }
        }
        assert_true(lists > 10);
        inner_end();
    }
}

/* In general position there are 2 sum_{i<d} C(n-1,i) cells; degenerate ones match a
 * linear program for each of the 2^n sign vectors. */
static void cells_are_counted_right(void **state)
{
    (void)state;
    double h[INNER_MAX_N * INNER_MAX_D];
    int32_t side[INNER_MAX_N];
    foray_context *ctx = foray_context_create();
    for (int d = 1; d <= 5; d++)
        for (int n = 1; n <= 12; n++) {
            fy_cells cells;
            inner_draw_rows(INNER_GENERAL, n, d, h);
            int64_t merged = fy_merge_parallel(n, d, h, side);
            assert_int_equal(merged, d == 1 ? 1 : n);
            assert_int_equal(fy_cells_find(ctx, merged, d, d, h, &cells), FORAY_OK);
            assert_int_equal(2 * cells.count, fy_cells_bound(merged, d));
            fy_cells_free(&cells);
        }
    fy_cells none;
    inner_draw_rows(INNER_GENERAL, 6, 3, h);
    fy_merge_parallel(6, 3, h, side);
    assert_int_equal(fy_cells_find(ctx, 6, 3, 2, h, &none), FORAY_ERROR_USAGE);
    assert_null(none.sign);
    glp_term_out(GLP_OFF);
    for (int k = 0; k < 40; k++) {
        int d = 2 + k % 3, n = 0, wanted = 3 + inner_draw_below(5);
        while (n < wanted) {
            bool zero = true;
            inner_draw_rows(INNER_INTEGER, 1, d, h + n * d);
            for (int i = 0; i < d; i++)
                zero &= h[n * d + i] == 0;
            n += !zero;
        }
        fy_cells cells;
        n = (int)fy_merge_parallel(n, d, h, side);
        assert_int_equal(fy_cells_find(ctx, n, d, d, h, &cells), FORAY_OK);
        int64_t count = 0;
        for (uint64_t s = 0; s < (uint64_t)1 << n; s++)
            count += inner_is_cell(n, d, h, s);
        assert_int_equal(2 * cells.count, count);
        assert_true(count <= fy_cells_bound(n, d));
        for (int64_t i = 0; i < cells.count; i++)
            assert_true(inner_is_cell(n, d, h, cells.sign[i]));
        fy_cells_free(&cells);
    }
    glp_free_env();
    foray_context_destroy(ctx);
}

static void bounds_do_not_overflow(void **state)
{
    (void)state;
    assert_int_equal(fy_cells_bound(0, 0), 1);
    assert_int_equal(fy_cells_bound(5, 5), 32);
    assert_int_equal(fy_cells_bound(5, 4), 30);
    assert_int_equal(fy_cells_bound(20, 3), 2 * (1 + 19 + 171));
    assert_int_equal(fy_cells_bound(62, 62), (int64_t)1 << 62);
    assert_int_equal(fy_cells_bound(63, 63), INT64_MAX);
    assert_int_equal(fy_cells_bound(1000, 500), INT64_MAX);
    assert_int_equal(fy_cells_bound(INT32_MAX, INT32_MAX), INT64_MAX);
}

/* More than 64 groups, so that signs take more than one word. */
static void long_lists_agree_with_ascent_bounds(void **state)
{
    (void)state;
    static double rows[100 * 2];
    inner_begin(true, 1, (int32_t[]){2});
    for (int j = 0; j < 100; j++) {
        rows[2 * j] = cos(0.0314 * j) * (j % 3 + 1);
        rows[2 * j + 1] = sin(0.0314 * j) * (j % 3 + 1);
    }
    inner_centre_rows(100, 2, rows);
    inner_add_set(0, 100, rows);
    inner_make_ridge();
    fy_inner *exact = inner_solve(FORAY_INNER_EXACT, 1),
             *ascent = inner_solve(FORAY_INNER_ASCENT, 1);
    assert_true(exact->walks->walk[0].listed);
    assert_int_equal(exact->vertices, 200);
    assert_true(ascent->value[0] <= exact->value[0] * (1 + 1e-12));
    assert_true(exact->value[0] <= ascent->upper[0] * (1 + 1e-12));
    inner_end();
}

/* Sets with the same generators share a list; others in general position share trees. */
static void equal_sets_share_walks(void **state)
{
    (void)state;
    double a[12 * 2], b[12 * 2], c[3 * 2];
    inner_begin(false, 2, (int32_t[]){2, 2});
    inner_draw_rows(INNER_GENERAL, 12, 2, a);
    inner_draw_rows(INNER_GENERAL, 12, 2, b);
    for (int k = 0; k < 5; k++) {
        inner_add_set(k % 2, 12, a);
        inner_add_set(k % 2, 12, b);
        inner_draw_rows(INNER_GENERAL, 3, 2, c);
        inner_add_set(k % 2, 3, c);
    }
    inner_make_ridge();
    fy_inner *inner = inner_solve(FORAY_INNER_EXACT, 1);
    assert_int_equal(inner->walks->count, 3);
    assert_int_equal(inner->vertices, 10 * 24 + 5 * 6);
    inner_end();
}

/* ----------------------------------------------------------------------- l1 */

static void l1_is_brute_force_and_glpk(void **state)
{
    (void)state;
    glp_term_out(GLP_OFF);
    for (int centred = 0; centred < 2; centred++) {
        inner_begin(centred, 3, (int32_t[]){1, 3, 5});
        inner_add_random_sets(centred, 48, 7);
        inner_make_ridge();
        fy_inner *l1 = inner_solve(FORAY_INNER_L1, 1), *exact = inner_solve(FORAY_INNER_EXACT, 1);
        for (int64_t set = 0; set < inner_bed.model.generator_sets; set++) {
            double d = inner_bed.block[inner_bed.block_of_generator_set[set]].dim,
                   l2 = exact->value[set];
            inner_assert_near(l1->upper[set], inner_l1_by_signs(set), 1e-9);
            inner_assert_near(l1->upper[set], inner_l1_by_glpk(set), 1e-6);
            inner_assert_near(l1->value[set], inner_norm_of_bits(l1, set), 1e-9);
            /* l2 <= l1 <= sqrt(d) l2, and the f of l1 is within sqrt(d) of the best */
            assert_true(l2 <= l1->upper[set] * (1 + 1e-9) + 1e-14);
            assert_true(l1->upper[set] <= sqrt(d) * l2 * (1 + 1e-9) + 1e-14);
            assert_true(l1->value[set] <= l2 * (1 + 1e-9) + 1e-14);
            assert_true(l1->value[set] * sqrt(d) >= l2 * (1 - 1e-9) - 1e-14);
        }
        inner_end();
    }
    glp_free_env();
}

/* ------------------------------------------------------------------- ascent */

static void ascent_brackets_the_maximum(void **state)
{
    (void)state;
    for (int centred = 0; centred < 2; centred++) {
        inner_begin(centred, 4, (int32_t[]){1, 2, 6, 16});
        inner_add_random_sets(centred, 600, 11);
        inner_make_ridge();
        fy_inner *ascent = inner_solve(FORAY_INNER_ASCENT, 1),
                 *exact = inner_solve(FORAY_INNER_EXACT, 1);
        int attained = 0;
        double worst = 1;
        for (int64_t set = 0; set < inner_bed.model.generator_sets; set++) {
            double d = inner_bed.block[inner_bed.block_of_generator_set[set]].dim,
                   best = exact->value[set];
            double value = ascent->value[set], upper = ascent->upper[set];
            inner_assert_near(value, inner_norm_of_bits(ascent, set), 1e-9);
            assert_true(value <= best * (1 + 1e-9) + 1e-14);
            assert_true(best <= upper * (1 + 1e-9) + 1e-14);
            assert_true(upper <= sqrt(d) * value * (1 + 1e-9) + 1e-14);
            attained += value >= best * (1 - 1e-9);
            if (upper > 0)
                worst = fmax(worst, upper / value);
        }
        assert_true(ascent->ratio == worst);
        assert_true(attained > 590);
        inner_end();
    }
}

/* --------------------------------------------------------- choice and limits */

static void auto_chooses_by_budget(void **state)
{
    (void)state;
    static double rows[40 * 32];
    fy_inner *inner = NULL;
    inner_begin(true, 1, (int32_t[]){32});
    inner_draw_rows(INNER_GENERAL, 20, 32, rows);
    inner_centre_rows(20, 32, rows);
    inner_add_set(0, 20, rows);
    assert_int_equal(fy_inner_create(support_arena(inner_bed.ctx), &inner_bed.basis,
                                     FORAY_INNER_AUTO, 256, &inner),
                     FORAY_OK);
    assert_string_equal(fy_inner_name(inner->method), "exact");
    assert_int_equal(inner->vertices, (1 << 20) - 2);
    assert_int_equal(fy_inner_create(support_arena(inner_bed.ctx), &inner_bed.basis,
                                     FORAY_INNER_AUTO, 1, &inner),
                     FORAY_OK);
    assert_string_equal(fy_inner_name(inner->method), "ascent");
    assert_string_equal(foray_message(inner_bed.ctx), "");
    inner = NULL;
    inner_draw_rows(INNER_GENERAL, 40, 32, rows);
    inner_add_set(0, 40, rows);
    assert_int_equal(fy_inner_create(support_arena(inner_bed.ctx), &inner_bed.basis,
                                     FORAY_INNER_AUTO, 1 << 20, &inner),
                     FORAY_OK);
    assert_int_equal(inner->method, FORAY_INNER_ASCENT);
    inner = NULL;
    inner_bed.basis.centred = false;
    assert_int_equal(fy_inner_create(support_arena(inner_bed.ctx), &inner_bed.basis,
                                     FORAY_INNER_EXACT, 1, &inner),
                     FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(inner_bed.ctx), "state 1, action 0 (40 successors"));
    assert_int_equal(fy_inner_create(support_arena(inner_bed.ctx), &inner_bed.basis, FORAY_INNER_L1,
                                     256, &inner),
                     FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(inner_bed.ctx), "32"));
    assert_null(inner);
    inner_end();
}

/* A block whose equations fix everything, and sets without a direction. */
static void nothing_unknown_gives_zero(void **state)
{
    (void)state;
    for (int method = FORAY_INNER_EXACT; method <= FORAY_INNER_ASCENT; method++) {
        double zero[4] = {0}, one[4] = {1, 0, 0, 1};
        inner_begin(false, 3, (int32_t[]){0, 2, 0});
        inner_add_set(0, 3, zero);
        inner_add_set(1, 2, zero);
        inner_add_set(1, 2, one);
        inner_make_ridge();
        fy_inner *inner = inner_solve(method, 1);
        for (int set = 0; set < 2; set++) {
            assert_true(inner->value[set] == 0 && inner->upper[set] == 0);
            assert_int_equal(inner->bits[inner->at_bits[set]], 0);
        }
        assert_true(inner->value[2] > 0);
        assert_true(inner->ratio >= 1 && inner->ratio <= sqrt(2) * (1 + 1e-9));
        inner_end();
    }
}

/* ------------------------------------------------------- threads and failures */

static void check_threads(int method, int blocks, const int32_t *dims)
{
    inner_begin(true, blocks, dims);
    inner_add_random_sets(true, 400, 7);
    inner_make_ridge();
    fy_inner *one = inner_solve(method, 1), *two = inner_solve(method, 2);
    size_t sets = (size_t)inner_bed.model.generator_sets;
    if (method == FORAY_INNER_EXACT) /* less is not worth a second thread */
        assert_true(one->vertices > 4096);
    for (int again = 0; again < 2; again++) {
        assert_memory_equal(one->value, two->value, sets * sizeof *one->value);
        assert_memory_equal(one->upper, two->upper, sets * sizeof *one->upper);
        assert_memory_equal(one->bits, two->bits, (size_t)one->at_bits[sets] * sizeof *one->bits);
        assert_true(one->ratio == two->ratio);
        fy_inner_solve(one, inner_bed.ridge);
        fy_inner_solve(two, inner_bed.ridge);
    }
    inner_end();
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    for (int method = FORAY_INNER_EXACT; method <= FORAY_INNER_ASCENT; method++) {
        check_threads(method, 1, (int32_t[]){9});
        check_threads(method, 3, (int32_t[]){2, 3, 8});
    }
}

static void create_survives_every_failed_allocation(void **state)
{
    (void)state;
    double rows[12 * 3];
    inner_begin(false, 2, (int32_t[]){3, 3});
    inner_draw_rows(INNER_GENERAL, 12, 3, rows);
    inner_add_set(0, 12, rows);
    inner_add_random_sets(false, 8, 6);
    for (int method = FORAY_INNER_AUTO; method <= FORAY_INNER_ASCENT; method++) {
        foray_status status = FORAY_ERROR_MEMORY;
        fy_inner *inner = NULL;
        int64_t failures = 0;
        for (; status == FORAY_ERROR_MEMORY; failures++) {
            assert_null(inner);
            inner_bed.ctx->allocations_left = failures;
            status = fy_inner_create(support_arena(inner_bed.ctx), &inner_bed.basis, method, 256,
                                     &inner);
        }
        assert_int_equal(status, FORAY_OK);
        assert_true(failures > 5);
        inner_bed.ctx->allocations_left = -1;
    }
    inner_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_is_brute_force),
        cmocka_unit_test(exact_lists_are_brute_force),
        cmocka_unit_test(exact_lists_of_low_rank_are_brute_force),
        cmocka_unit_test(nearly_dependent_directions_are_brute_force),
        cmocka_unit_test(lists_visit_every_vertex_once),
        cmocka_unit_test(cells_are_counted_right),
        cmocka_unit_test(bounds_do_not_overflow),
        cmocka_unit_test(long_lists_agree_with_ascent_bounds),
        cmocka_unit_test(equal_sets_share_walks),
        cmocka_unit_test(l1_is_brute_force_and_glpk),
        cmocka_unit_test(ascent_brackets_the_maximum),
        cmocka_unit_test(auto_chooses_by_budget),
        cmocka_unit_test(nothing_unknown_gives_zero),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(create_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
