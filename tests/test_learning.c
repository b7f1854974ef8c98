/* test_learning.c - K(eps), slopes and quantiles against obvious oracles; rows on disk. */
#include "compare/trial.h"
#include "measure/measure.h"
#include "support.h"
#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double random_unit(uint64_t which, uint32_t i)
{
    return fy_unit(fy_random_bits(11, FY_STREAM_TEST, which, i, 0));
}

/* ------------------------------------------------------------------------------ K(eps) */

enum { RUNS = 5, LOOKS = 7 };
enum { EPISODE, GAP, COLUMNS };

/* Runs as rows of episodes and gaps. */
typedef struct looks {
    double value[RUNS][LOOKS][COLUMNS];
    fy_rows rows[RUNS];
} looks;

static fy_looks looks_of(looks *l, int64_t runs, int64_t count, const double *episode,
                         const double *gap)
{
    for (int64_t run = 0; run < runs; run++) {
        for (int64_t k = 0; k < count; k++) {
            l->value[run][k][EPISODE] = episode[k];
            l->value[run][k][GAP] = gap[run * count + k];
        }
        l->rows[run] = (fy_rows){.columns = COLUMNS, .count = count, .value = l->value[run][0]};
    }
    return (fy_looks){
        .rows = l->rows, .runs = runs, .count = count, .episode = EPISODE, .gap = GAP};
}

static bool enough_at(int64_t k, const double *gap, double eps, double delta)
{
    double good = 0.0;
    for (int64_t run = 0; run < RUNS; run++)
        if (gap[run * LOOKS + k] <= eps)
            good += 1.0;
    return good / RUNS >= 1.0 - delta - 1e-9;
}

/* Word by word: the first checkpoint such that at it and at all later ones enough runs
 * are good enough. */
static double obvious_time(const double *episode, const double *gap, double eps, double delta)
{
    for (int64_t first = 0; first < LOOKS; first++) {
        bool always = true;
        for (int64_t k = first; k < LOOKS; k++)
            always = always && enough_at(k, gap, eps, delta);
        if (always)
            return episode[first];
    }
    return INFINITY;
}

static void learning_time_is_as_defined(void **state)
{
    (void)state;
    const double episode[LOOKS] = {1, 2, 3, 6, 10, 18, 32};
    double gap[RUNS * LOOKS];
    int64_t never = 0, first = 0, between = 0;
    for (uint64_t table = 0; table < 2000; table++) {
        looks room;
        for (uint32_t i = 0; i < RUNS * LOOKS; i++)
            gap[i] = random_unit(table, i) / (1.0 + i % LOOKS);
        fy_looks gaps = looks_of(&room, RUNS, LOOKS, episode, gap);
        double eps = 0.4 * random_unit(table, 1000), delta = 0.2 * (double)(table % 4);
        double time = fy_learning_time(&gaps, eps, delta, NULL);
        assert_true(time == obvious_time(episode, gap, eps, delta));
        never += isinf(time);
        first += time == 1.0;
        between += time > 1.0 && isfinite(time);
    }
    assert_true(never > 50 && first > 1 && between > 200);
}

/* One that is learnt, lost and learnt again counts from the second time. */
static void what_is_lost_again_does_not_count(void **state)
{
    (void)state;
    const double episode[] = {1, 10, 100, 1000};
    const double gap[] = {0.5, 0.1, 0.3, 0.1,  /* lost at 100 */
                          0.5, 0.1, 0.1, 0.1}; /* kept */
    looks room;
    fy_looks gaps = looks_of(&room, 2, 4, episode, gap);
    assert_true(fy_learning_time(&gaps, 0.1, 0.0, NULL) == 1000.0);
    assert_true(fy_learning_time(&gaps, 0.1, 0.5, NULL) == 10.0);
    assert_true(fy_learning_time(&gaps, 0.3, 0.0, NULL) == 10.0);
    assert_true(fy_learning_time(&gaps, 0.5, 0.0, NULL) == 1.0);
    assert_true(isinf(fy_learning_time(&gaps, 0.05, 0.0, NULL)));
    /* A resample that has the second run twice. */
    const int64_t pick[] = {1, 1};
    assert_true(fy_learning_time(&gaps, 0.1, 0.0, pick) == 10.0);
}

/* -------------------------------------------------------------------------------- slopes */

static void a_known_slope_comes_back(void **state)
{
    (void)state;
    enum { GROUPS = 4, EACH = 5 };
    double x[GROUPS * EACH], y[GROUPS * EACH];
    int64_t group[GROUPS * EACH];
    for (int i = 0; i < GROUPS * EACH; i++) {
        group[i] = i / EACH;
        x[i] = log(1.0 + (double)(i % EACH) + random_unit(7, (uint32_t)i));
        y[i] = 2.75 * x[i] + 3.0 * (double)group[i] - 1.0; /* heights differ, slopes do not */
    }
    fy_grouped_points points = {GROUPS * EACH, x, y, group};
    assert_true(fabs(fy_common_slope(&points) - 2.75) < 1e-9);
    y[3] = INFINITY;
    y[7] = NAN;
    fy_grouped_points rest = {GROUPS * EACH, x, y, group};
    assert_true(fabs(fy_common_slope(&rest) - 2.75) < 1e-9);
}

/* Two points in a group: the slope is theirs; of two such groups, weighted by spread. */
static void slopes_are_weighted_by_spread(void **state)
{
    (void)state;
    const double x[] = {0, 1, 0, 3}, y[] = {5, 7, 1, 4};
    const int64_t group[] = {0, 0, 1, 1};
    fy_grouped_points first = {2, x, y, group}, both = {4, x, y, group};
    assert_true(fabs(fy_common_slope(&first) - 2.0) < 1e-12);
    /* slopes 2 and 1, sums of squares 1/2 and 9/2 */
    assert_true(fabs(fy_common_slope(&both) - (2.0 * 0.5 + 1.0 * 4.5) / 5.0) < 1e-12);
}

static void no_slope_without_two_places(void **state)
{
    (void)state;
    const double x[] = {1, 1, 2}, y[] = {1, 2, 3};
    const int64_t group[] = {0, 0, 1};
    fy_grouped_points points = {3, x, y, group}, none = {0, x, y, group};
    assert_true(isnan(fy_common_slope(&points)));
    assert_true(isnan(fy_common_slope(&none)));
    const double places[] = {0.1, 0.7, 1.3}, level[] = {11.7, 11.7, 11.7};
    const int64_t same[] = {0, 0, 0};
    fy_grouped_points flat = {3, places, level, same};
    assert_true(fy_common_slope(&flat) == 0.0);
}

static void quantiles_are_of_the_sorted(void **state)
{
    (void)state;
    double value[] = {5, 1, 4, 2, 3};
    fy_sort(5, value);
    assert_true(fy_order_statistic(5, value, 0.0) == 1.0);
    assert_true(fy_order_statistic(5, value, 0.2) == 1.0);
    assert_true(fy_order_statistic(5, value, 0.5) == 3.0);
    assert_true(fy_order_statistic(5, value, 1.0) == 5.0);
    assert_true(isnan(fy_order_statistic(0, value, 0.5)));
    assert_true(fy_quantile(5, value, 0.0) == 1.0);
    assert_true(fy_quantile(5, value, 0.3) == 2.2);
    assert_true(fy_quantile(5, value, 1.0) == 5.0);
}

/* ---------------------------------------------------------------------------------- rows */

static const char *const heading[] = {"one", "two", "three"};

static void rows_come_back_to_the_last_bit(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    char *directory = support_directory();
    fy_folder folder = {directory, "thing", "parts"};
    fy_rows rows = {.columns = 3}, back = {.columns = 3};
    bool found = true;
    support_ok(ctx, fy_folder_open(ctx, &folder, "one\ntwo\n"));
    support_ok(ctx, fy_rows_read(ctx, &folder, "a", heading, &found, &back));
    assert_false(found);
    for (uint32_t i = 0; i < 100; i++) {
        double row[] = {exp(700.0 * random_unit(3, i) - 350.0), i % 7 ? -0.1 : NAN,
                        i % 5 ? (i % 3 ? random_unit(4, i) : NAN) : -INFINITY};
        support_ok(ctx, fy_rows_add(ctx, &rows, row));
    }
    support_ok(ctx, fy_rows_write(ctx, &folder, "a", heading, &rows));
    support_ok(ctx, fy_rows_read(ctx, &folder, "a", heading, &found, &back));
    assert_true(found && back.count == 100);
    for (int64_t i = 0; i < 300; i++)
        assert_true(back.value[i] == rows.value[i] ||
                    (isnan(back.value[i]) && isnan(rows.value[i])));
    free(rows.value);
    free(back.value);
    support_remove(directory);
    foray_context_destroy(ctx);
}

static void damaged_rows_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "one,two\n1,2\n",
        "one,two,three\n",
        "one,two,three\n1,2\n",
        "one,two,three\n1,2,3,4\n",
        "one,two,three\n1,2,3",
        "one,two,three\n1,x,3\n",
        "one,two,three\n1,2,3\n\n",
    };
    foray_context *ctx = foray_context_create();
    char *directory = support_directory(), path[512];
    fy_folder folder = {directory, "thing", "parts"};
    support_ok(ctx, fy_folder_open(ctx, &folder, "terms\n"));
    snprintf(path, sizeof path, "%s/parts/a.csv", directory);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bool found = false;
        fy_rows rows = {.columns = 3};
        support_ok(ctx, fy_file_write(ctx, path, true, bad[i], strlen(bad[i])));
        assert_int_equal(fy_rows_read(ctx, &folder, "a", heading, &found, &rows),
                         FORAY_ERROR_INPUT);
        assert_non_null(strstr(foray_message(ctx), "a.csv"));
        assert_false(found);
        free(rows.value);
    }
    support_remove(directory);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learning_time_is_as_defined),
        cmocka_unit_test(what_is_lost_again_does_not_count),
        cmocka_unit_test(a_known_slope_comes_back),
        cmocka_unit_test(slopes_are_weighted_by_spread),
        cmocka_unit_test(no_slope_without_two_places),
        cmocka_unit_test(quantiles_are_of_the_sorted),
        cmocka_unit_test(rows_come_back_to_the_last_bit),
        cmocka_unit_test(damaged_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
