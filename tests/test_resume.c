/* test_resume.c - however a run is interrupted, extended or aimed at a target, it
 * goes on as if nothing had happened. */
#include "support.h"
#include "support_run.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -------------------------------------------------------------- interruption */

/* Explores with a world that fails in episode k at step t, closes, and goes on. */
static void explore_with_break(run_bench *bench, int64_t episode, int64_t step)
{
    run_world world;
    run_world_open(bench, &world);
    foray_run *run = run_create(bench, bench->path);
    world.fail_episode = episode;
    world.fail_step = step;
    assert_fails(bench, FORAY_ERROR_WORLD, foray_run_explore(run, 1, &world.world, NULL, NULL));
    assert_int_equal(foray_run_saved(run), episode);
    foray_run_close(run);
    world.fail_episode = -1;
    run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_int_equal(foray_run_saved(run), episode);
    assert_int_equal(foray_run_explorer(run)->episodes, episode);
    assert_ok(bench, foray_run_explore(run, 1, &world.world, NULL, NULL));
    foray_run_close(run);
    run_world_close(&world);
}

static void check_breaks(run_bench *bench, const char *algorithm)
{
    static const int64_t at[][2] = {{0, 0},  {0, 3},  {1, 0},   {2, 8},   {10, 1},
                                    {63, 0}, {64, 4}, {133, 7}, {298, 2}, {299, 8}};
    snprintf(bench->settings.algorithm, sizeof bench->settings.algorithm, "%s", algorithm);
    run_digest whole, broken;
    run_make(bench, bench->other);
    run_digest_file(bench, bench->other, &whole);
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        explore_with_break(bench, at[i][0], at[i][1]);
        run_digest_file(bench, bench->path, &broken);
        run_assert_same(&whole, &broken);
        remove(bench->path);
    }
    remove(bench->other);
}

static void test_broken_runs_end_the_same(void **state)
{
    const char *name;
    for (int64_t i = 0; (name = support_algorithm(i)); i++)
        check_breaks(*state, name);
}

typedef struct stopper {
    int64_t at, calls;
    foray_progress last;
} stopper;

static bool stop_at(void *user, const foray_progress *progress)
{
    stopper *stop = user;
    assert_true(progress->saved <= progress->episodes);
    assert_true(progress->saved >= stop->last.saved);
    stop->calls++;
    stop->last = *progress;
    return progress->episodes < stop->at;
}

/* Stopped on request again and again; every commit leaves a checkpoint or does
 * not, depending on the clock: the outcome must not. */
static void check_stops(run_bench *bench, const char *algorithm, bool drop_checkpoints)
{
    snprintf(bench->settings.algorithm, sizeof bench->settings.algorithm, "%s", algorithm);
    run_digest whole, stopped;
    run_make(bench, bench->other);
    run_digest_file(bench, bench->other, &whole);
    foray_run_close(run_create(bench, bench->path));
    foray_world *world;
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
    foray_status status = FORAY_INTERRUPTED;
    for (stopper stop = {.at = 1}; status == FORAY_INTERRUPTED; stop.at = 3 * stop.at / 2 + 1) {
        foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
        run->commit_gap = 0.0;
        status = foray_run_explore(run, 1, &world, stop_at, &stop);
        if (status == FORAY_INTERRUPTED)
            assert_true(stop.last.episodes >= stop.at);
        assert_int_equal(foray_run_saved(run), foray_run_explorer(run)->episodes);
        if (drop_checkpoints)
            assert_ok(bench, fy_store_run(run->store, "DELETE FROM checkpoint"));
        foray_run_close(run);
    }
    assert_ok(bench, status);
    foray_world_destroy(world);
    run_digest_file(bench, bench->path, &stopped);
    run_assert_same(&whole, &stopped);
    remove(bench->path);
    remove(bench->other);
}

static void test_stopped_runs_end_the_same(void **state)
{
    const char *name;
    for (int64_t i = 0; (name = support_algorithm(i)); i++) {
        check_stops(*state, name, false);
        check_stops(*state, name, true);
    }
}

static void test_literal_and_threads(void **state)
{
    run_bench *bench = *state;
    bench->settings.episodes = 40;
    foray_settings_literal(&bench->settings);
    check_stops(bench, "ucrl-rfe", true);
    run_digest one, two;
    run_make(bench, bench->path);
    foray_context_set_threads(bench->ctx, 2);
    run_make(bench, bench->other);
    foray_context_set_threads(bench->ctx, 1);
    run_digest_file(bench, bench->path, &one);
    run_digest_file(bench, bench->other, &two);
    run_assert_same(&one, &two);
}

/* The last two checkpoints are kept; a run without them, or with damaged ones,
 * arrives at the same state. */
static void test_checkpoints_are_a_shortcut(void **state)
{
    run_bench *bench = *state;
    foray_run *run = run_create(bench, bench->path);
    run->commit_gap = 0.0;
    foray_world *world;
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
    for (stopper stop = {.at = 50}; stop.at < 300; stop.at += 50)
        assert_fails(bench, FORAY_INTERRUPTED, foray_run_explore(run, 1, &world, stop_at, &stop));
    foray_world_destroy(world);
    assert_ok(bench, run_finish(bench, run));
    fy_run_facts facts;
    assert_ok(bench, fy_run_describe(run, &facts));
    assert_int_equal(facts.checkpoints, 2);
    int64_t pieces;
    assert_ok(bench,
              fy_store_number(run->store,
                              "SELECT count(DISTINCT id) FROM piece WHERE kind = 'checkpoint'",
                              &pieces));
    assert_int_equal(pieces, 2);
    run_digest whole, found;
    assert_ok(bench, run_take_digest(run, &whole));
    static const char *const damage[] = {
        "UPDATE piece SET data = zeroblob(length(data)) WHERE kind = 'checkpoint' AND id = 300",
        "UPDATE piece SET data = zeroblob(length(data)) WHERE kind = 'checkpoint'",
        "UPDATE checkpoint SET bytes = bytes + 1",
        "DELETE FROM piece WHERE kind = 'checkpoint'",
    };
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        assert_ok(bench, fy_store_run(run->store, damage[i]));
        foray_run_close(run);
        run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
        assert_ok(bench, run_take_digest(run, &found));
        run_assert_same(&whole, &found);
        assert_fails(bench, FORAY_ERROR_RUN, foray_run_verify(run));
    }
    foray_run_close(run);
}

/* ------------------------------------------------------- budget and target */

static void test_extended_run(void **state)
{
    run_bench *bench = *state;
    bench->settings.episodes = 120;
    run_make(bench, bench->path);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_extend(run, 119));
    assert_ok(bench, foray_run_extend(run, 300));
    foray_run_close(run);
    run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_int_equal(foray_run_settings(run)->episodes, 300);
    assert_ok(bench, run_finish(bench, run));
    assert_ok(bench, foray_run_verify(run));
    run_digest longer, whole;
    assert_ok(bench, run_take_digest(run, &longer));
    foray_run_close(run);
    bench->settings.episodes = 300;
    run_make(bench, bench->other);
    run_digest_file(bench, bench->other, &whole);
    /* The end of the first budget is one more point of the trace. */
    assert_int_not_equal(longer.trace, whole.trace);
    longer.trace = whole.trace;
    run_assert_same(&longer, &whole);
}

static void test_fixed_budget(void **state)
{
    run_bench *bench = *state;
    bench->settings.radius = FORAY_RADIUS_THEOREM;
    foray_run *run = run_create(bench, bench->path);
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_extend(run, 400));
    run_assert_message(bench, "radius");
    assert_ok(bench, foray_run_extend(run, 300));
    foray_run_close(run);
}

typedef struct trace_walk {
    int64_t points, last;
    double bound;
} trace_walk;

static bool follow_trace(void *user, int64_t episodes, int64_t plans, double bound)
{
    trace_walk *walk = user;
    assert_true(episodes > walk->last && plans > 0 && bound > 0.0);
    *walk = (trace_walk){walk->points + 1, episodes, bound};
    return true;
}

static trace_walk trace_of(run_bench *bench, foray_run *run)
{
    trace_walk walk = {0};
    assert_ok(bench, foray_run_trace(run, follow_trace, &walk));
    return walk;
}

static void test_target(void **state)
{
    run_bench *bench = *state;
    bench->settings.episodes = 4000;
    foray_run *run = run_create(bench, bench->path);
    assert_ok(bench, run_finish(bench, run));
    double reached = trace_of(bench, run).bound;
    foray_run_close(run);

    bench->settings.until = 1.5 * reached;
    run = run_create(bench, bench->other);
    assert_ok(bench, run_finish(bench, run));
    trace_walk walk = trace_of(bench, run);
    int64_t met = foray_run_saved(run);
    assert_true(met < 4000 && walk.last == met && walk.bound <= bench->settings.until);
    assert_ok(bench, run_finish(bench, run));
    assert_int_equal(foray_run_saved(run), met);
    /* A lower target needs more episodes, one out of reach uses up the budget. */
    assert_ok(bench, foray_run_set_until(run, 1.2 * reached));
    assert_ok(bench, run_finish(bench, run));
    assert_true(foray_run_saved(run) > met && trace_of(bench, run).bound <= 1.2 * reached);
    assert_ok(bench, foray_run_set_until(run, 1e-3 * reached));
    assert_fails(bench, FORAY_TARGET_MISSED, run_finish(bench, run));
    assert_int_equal(foray_run_saved(run), 4000);
    assert_fails(bench, FORAY_TARGET_MISSED, run_finish(bench, run));
    assert_true(trace_of(bench, run).bound == reached);
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_set_until(run, -2.0));
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_set_until(run, (double)NAN));
    assert_ok(bench, foray_run_set_until(run, 2.0 * reached));
    assert_ok(bench, run_finish(bench, run));
    assert_ok(bench, foray_run_verify(run));
    foray_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_broken_runs_end_the_same),
        RUN_TEST(test_stopped_runs_end_the_same),
        RUN_TEST(test_literal_and_threads),
        RUN_TEST(test_checkpoints_are_a_shortcut),
        RUN_TEST(test_extended_run),
        RUN_TEST(test_fixed_budget),
        RUN_TEST(test_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
