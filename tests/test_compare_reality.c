/* test_compare_reality.c - comparisons in systems from C: stopping and continuing, rows that do not
 * fit, failed allocations. What the command makes of them is in test_compare_rollouts.sh. */
#include "compare/compare.h"
#include "support.h"
#include "base/base.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const algorithms[] = {"ucrl-rfe", "random"};
enum { REWARDS = 2 };

/* A tank seen through four clusters, with two of its rewards. */
typedef struct bench {
    foray_context *ctx;
    foray_system *system;
    foray_clusters *clusters;
    foray_model *model;
    foray_world *world;
    foray_reward *reward[REWARDS];
    int64_t index[REWARDS];
    foray_comparison what;
    foray_reality reality;
} bench;

static void open_bench(bench *b)
{
    const foray_aggregation how = {.draws = 5, .seed = 1, .delta = 0.1};
    *b = (bench){.ctx = foray_context_create()};
    support_ok(b->ctx, foray_system_open(b->ctx, "tank:horizon=3", &b->system));
    support_ok(b->ctx, foray_clusters_parse(b->ctx, b->system, "grid:2x2", &b->clusters));
    support_ok(b->ctx,
               foray_aggregate(b->ctx, b->system, b->clusters, &how, NULL, NULL, NULL, &b->model));
    support_ok(b->ctx, foray_world_from_system(b->ctx, b->system, b->clusters, b->model, NULL,
                                               FORAY_CONTINUE_REAL, &b->world));
    for (int64_t i = 0; i < REWARDS; i++) {
        b->index[i] = i;
        support_ok(b->ctx, foray_system_reward_create(b->ctx, b->system, b->clusters, b->model, i,
                                                      &b->reward[i]));
    }
    foray_comparison_default(&b->what);
    b->what.settings.episodes = 5;
    b->what.algorithm = algorithms;
    b->what.algorithms = 2;
    b->what.seeds = 2;
    b->reality = (foray_reality){.world = b->world,
                                 .system = b->system,
                                 .clusters = b->clusters,
                                 .rollouts = 10,
                                 .rewards = REWARDS,
                                 .reward = (const foray_reward *const *)b->reward,
                                 .index = b->index};
}

static void close_bench(bench *b)
{
    for (int i = 0; i < REWARDS; i++)
        foray_reward_destroy(b->reward[i]);
    foray_world_destroy(b->world);
    foray_model_destroy(b->model);
    foray_clusters_destroy(b->clusters);
    foray_system_destroy(b->system);
    foray_context_destroy(b->ctx);
}

static foray_status compare(bench *b, const char *directory, foray_work_fn progress, void *user)
{
    b->what.reality = &b->reality;
    return foray_compare(b->ctx, b->model, "tank", &b->what, directory, progress, user);
}

static char *content(bench *b, const char *directory, const char *name)
{
    char path[512];
    uint8_t *data = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    support_ok(b->ctx, fy_file_read(b->ctx, path, 1 << 20, &data, &size));
    assert_non_null(data);
    return (char *)data;
}

static void assert_same_results(bench *b, const char *one, const char *other)
{
    static const char *const names[] = {"rows.csv", "summary.csv", "summary.txt", "findings.txt",
                                        "experiment.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *x = content(b, one, names[i]), *y = content(b, other, names[i]);
        assert_string_equal(x, y);
        free(x);
        free(y);
    }
}

/* Stops once so many runs have ended. */
static bool stop_at(void *user, const foray_work_progress *progress)
{
    return progress->finished < *(const int64_t *)user;
}

static void stopped_it_continues(void **state)
{
    (void)state;
    bench b;
    open_bench(&b);
    char *whole = support_directory(), *parts = support_directory();
    support_ok(b.ctx, compare(&b, whole, NULL, NULL));
    for (int64_t last = 1; last <= 3; last++)
        assert_int_equal(compare(&b, parts, stop_at, &last), FORAY_INTERRUPTED);
    support_ok(b.ctx, compare(&b, parts, NULL, NULL));
    assert_same_results(&b, whole, parts);
    support_remove(whole);
    support_remove(parts);
    close_bench(&b);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    bench b;
    open_bench(&b);
    char *directory = support_directory();
    support_ok(b.ctx, compare(&b, directory, NULL, NULL));
    b.reality.rewards = 1;
    assert_int_equal(compare(&b, directory, NULL, NULL), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(b.ctx), "started with"));
    b.reality.rewards = 0;
    assert_int_equal(compare(&b, directory, NULL, NULL), FORAY_ERROR_USAGE);
    b.reality.rewards = REWARDS;
    /* A run with a row too few. */
    char path[512], *rows = content(&b, directory, "cells/random-seed1.csv");
    snprintf(path, sizeof path, "%s/cells/random-seed1.csv", directory);
    char *second = strchr(strchr(rows, '\n') + 1, '\n') + 1;
    support_ok(b.ctx, fy_file_write(b.ctx, path, true, rows, (size_t)(second - rows)));
    free(rows);
    assert_int_equal(compare(&b, directory, NULL, NULL), FORAY_ERROR_INPUT);
    assert_non_null(strstr(foray_message(b.ctx), "has 1 rows, but it must have 2"));
    support_remove(directory);
    close_bench(&b);
}

/* Every allocation with the caller's context fails in turn; what ended stays. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    bench b;
    open_bench(&b);
    char *whole = support_directory(), *broken = support_directory();
    b.what.settings.episodes = 1;
    b.what.algorithms = b.what.seeds = 1;
    b.reality.rollouts = 2;
    support_ok(b.ctx, compare(&b, whole, NULL, NULL));
    foray_status status = FORAY_ERROR_MEMORY;
    int64_t failures = 0;
    for (; status != FORAY_OK; failures++) {
        assert_true(failures < 20000);
        b.ctx->allocations_left = failures;
        status = compare(&b, broken, NULL, NULL);
        if (status != FORAY_OK && status != FORAY_ERROR_MEMORY)
            fail_msg("status %d: %s", status, foray_message(b.ctx));
    }
    b.ctx->allocations_left = -1;
    assert_true(failures > 50);
    assert_same_results(&b, whole, broken);
    support_remove(whole);
    support_remove(broken);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_it_continues),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
