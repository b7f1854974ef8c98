/* test_compare_threads.c - comparisons from C: threads, stopping and continuing, failed
 * allocations. What the command makes of them is in test_compare.sh. */
#include "compare/compare.h"
#include "support_work.h"
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const algorithms[] = {"ucrl-rfe", "random", "rf-ucrl"};

static foray_comparison small_comparison(void)
{
    foray_comparison what;
    foray_comparison_default(&what);
    what.settings.episodes = 30;
    what.algorithm = algorithms;
    what.algorithms = 3;
    what.seeds = 3;
    what.rewards = 2;
    what.rounds = 1;
    return what;
}

static foray_model *small_model(foray_context *ctx)
{
    foray_model *model;
    support_ok(ctx, foray_model_builtin(ctx, "riverswim:states=3", &model));
    return model;
}

/* A file of a directory as text; to be released with free(). */
static char *content(foray_context *ctx, const char *directory, const char *name)
{
    char path[512];
    uint8_t *data = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    support_ok(ctx, fy_file_read(ctx, path, 1 << 20, &data, &size));
    assert_non_null(data);
    return (char *)data;
}

static void assert_same_files(foray_context *ctx, const char *one, const char *other)
{
    static const char *const names[] = {"rows.csv", "summary.csv", "findings.txt",
                                        "experiment.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *a = content(ctx, one, names[i]), *b = content(ctx, other, names[i]);
        assert_string_equal(a, b);
        free(a);
        free(b);
    }
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = small_model(ctx);
    foray_comparison what = small_comparison();
    char *one = support_directory(), *four = support_directory();
    support_ok(ctx, foray_compare(ctx, model, "river", &what, one, NULL, NULL));
    foray_context_set_threads(ctx, 4);
    support_ok(ctx, foray_compare(ctx, model, "river", &what, four, NULL, NULL));
    assert_same_files(ctx, one, four);
    support_remove(one);
    support_remove(four);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

static void stopped_it_continues(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = small_model(ctx);
    foray_comparison what = small_comparison();
    char *whole = support_directory(), *parts = support_directory();
    support_ok(ctx, foray_compare(ctx, model, "river", &what, whole, NULL, NULL));
    for (int threads = 1; threads <= 2; threads++) {
        support_watch w = {.parts = 9, .stop_after = 3 * threads};
        foray_context_set_threads(ctx, threads);
        assert_int_equal(foray_compare(ctx, model, "river", &what, parts, support_look, &w),
                         FORAY_INTERRUPTED);
        assert_true(w.last.finished >= w.stop_after && w.last.finished < 9);
    }
    support_watch w = {.parts = 9, .stop_after = INT64_MAX};
    support_ok(ctx, foray_compare(ctx, model, "river", &what, parts, support_look, &w));
    assert_int_equal(w.last.finished, 9);
    assert_same_files(ctx, whole, parts);
    support_remove(whole);
    support_remove(parts);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* A run is what foray_run makes of the same seed: the bound after 30 episodes agrees. */
static void runs_are_those_of_explore(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = small_model(ctx);
    foray_comparison what = small_comparison();
    char *directory = support_directory(), path[512];
    support_ok(ctx, foray_compare(ctx, model, "river", &what, directory, NULL, NULL));
    foray_settings settings = what.settings;
    foray_run *run;
    foray_world *world;
    foray_certificate bound;
    settings.seed = 2;
    snprintf(path, sizeof path, "%s/run", directory);
    support_ok(ctx, foray_run_create(ctx, path, FORAY_RUN_NEW, model, "river", &settings, &run));
    support_ok(ctx, foray_world_from_model(ctx, model, &world));
    support_ok(ctx, foray_run_explore(run, 1, &world, NULL, NULL));
    support_ok(ctx, foray_explorer_bound(foray_run_explorer(run), FORAY_KIND_PAIR, &bound));
    char wanted[64], number[FY_NUMBER_BYTES];
    snprintf(wanted, sizeof wanted, ",%s,1,", fy_number_text(bound.gap, number));
    char *rows = content(ctx, directory, "cells/ucrl-rfe-seed2.csv");
    assert_non_null(strstr(rows, wanted));
    free(rows);
    foray_world_destroy(world);
    foray_run_close(run);
    support_remove(directory);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

static void checkpoints_are_geometric(void **state)
{
    (void)state;
    const int64_t wanted[] = {1, 2, 3, 6, 10, 18, 32, 56, 100, 178, 316, 562, 1000, 1200};
    int64_t k = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        k = fy_next_checkpoint(k, 1200, 4);
        assert_int_equal(k, wanted[i]);
    }
    assert_int_equal(fy_next_checkpoint(0, 1, 4), 1);
    /* A run that time ended in between goes on to the next one. */
    assert_int_equal(fy_next_checkpoint(40, 1200, 4), 56);
    assert_int_equal(fy_next_checkpoint(1000000, INT64_MAX / 4, 4), 1778279);
}

/* Every allocation with the caller's context fails in turn; what ended stays, so that
 * later attempts go further. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    foray_model *model = small_model(ctx);
    foray_comparison what = small_comparison();
    char *whole = support_directory(), *broken = support_directory();
    what.settings.episodes = 1;
    what.algorithms = what.seeds = what.rewards = 1;
    support_ok(ctx, foray_compare(ctx, model, "river", &what, whole, NULL, NULL));
    foray_status status = FORAY_ERROR_MEMORY;
    int64_t failures = 0;
    for (; status != FORAY_OK; failures++) {
        assert_true(failures < 20000);
        ctx->allocations_left = failures;
        status = foray_compare(ctx, model, "river", &what, broken, NULL, NULL);
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    ctx->allocations_left = -1;
    assert_true(failures > 100);
    assert_same_files(ctx, whole, broken);
    support_remove(whole);
    support_remove(broken);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),     cmocka_unit_test(stopped_it_continues),
        cmocka_unit_test(runs_are_those_of_explore), cmocka_unit_test(checkpoints_are_geometric),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
