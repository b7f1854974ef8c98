/* test_run.c - runs: what is written is read back, and however a run is
 * interrupted it ends as if it had not been. */
#include "support_run.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ basics */

static foray_run *create(run_bench *bench, const char *path)
{
    foray_run *run;
    assert_ok(bench, foray_run_create(bench->ctx, path, FORAY_RUN_NEW, bench->model, "test:world",
                                      &bench->settings, &run));
    return run;
}

static foray_run *reopen(run_bench *bench, const char *path, int how)
{
    foray_run *run;
    assert_ok(bench, foray_run_open(bench->ctx, path, how, &run));
    return run;
}

static void digest_of_file(run_bench *bench, const char *path, run_digest *out)
{
    foray_run *run = reopen(bench, path, FORAY_RUN_READ);
    assert_ok(bench, run_take_digest(run, out));
    foray_run_close(run);
}

static void test_new_run(void **state)
{
    run_bench *bench = *state;
    foray_run *run = create(bench, bench->path);
    assert_int_equal(foray_run_saved(run), 0);
    assert_ok(bench, run_finish(bench, run));
    assert_int_equal(foray_run_saved(run), 300);
    assert_string_equal(foray_run_world(run), "test:world");
    assert_int_equal(foray_run_settings(run)->seed, 7);
    foray_run_facts facts;
    assert_ok(bench, foray_run_describe(run, &facts));
    assert_string_equal(facts.version, FORAY_VERSION);
    assert_int_equal(strlen(facts.created), strlen("2026-01-01T00:00:00Z"));
    assert_int_equal(facts.episodes, 300);
    assert_int_equal(facts.checkpoints, 1);
    assert_int_equal(facts.plans_stored, 0);
    assert_int_equal(facts.explorer.episodes, 300);
    assert_true(facts.explorer.plans > 0 && facts.bytes > 10000);
    run_digest before, after;
    assert_ok(bench, run_take_digest(run, &before));
    assert_ok(bench, foray_run_verify(run));
    foray_run_close(run);
    digest_of_file(bench, bench->path, &after);
    run_assert_same(&before, &after);
}

/* The file holds the model and all settings: nothing else is needed to go on. */
static void test_settings_and_model_survive(void **state)
{
    run_bench *bench = *state;
    foray_settings *settings = &bench->settings;
    settings->delta = 0.012345678901234567;
    settings->radius_scale = 1.0 / 3.0;
    settings->clip = FORAY_CLIP_HORIZON;
    settings->seed = INT64_MAX;
    strcpy(settings->algorithm, "ucrl-rfe+");
    foray_run_close(create(bench, bench->path));
    foray_run *run = reopen(bench, bench->path, FORAY_RUN_READ);
    foray_setting_info info;
    for (int64_t i = 0; foray_setting_describe(i, &info); i++) {
        char a[128], b[128];
        assert_ok(bench, foray_settings_get(bench->ctx, settings, info.name, a, sizeof a));
        assert_ok(bench,
                  foray_settings_get(bench->ctx, foray_run_settings(run), info.name, b, sizeof b));
        assert_string_equal(a, b);
    }
    char *json_a, *json_b;
    assert_ok(bench, fy_model_print_json(bench->ctx, bench->model, &json_a));
    assert_ok(bench, fy_model_print_json(bench->ctx, foray_run_model(run), &json_b));
    assert_string_equal(json_a, json_b);
    free(json_a);
    free(json_b);
    foray_run_close(run);
}

static void test_creation_respects_files(void **state)
{
    run_bench *bench = *state;
    run_make(bench, bench->path);
    foray_run *run;
    assert_fails(bench, FORAY_ERROR_IO,
                 foray_run_create(bench->ctx, bench->path, FORAY_RUN_NEW, bench->model, "",
                                  &bench->settings, &run));
    run_assert_message(bench, "exists already");
    /* What is wrong with the settings is found before the old run is touched. */
    foray_settings bad = bench->settings;
    bad.delta = 2.0;
    assert_fails(
        bench, FORAY_ERROR_USAGE,
        foray_run_create(bench->ctx, bench->path, FORAY_RUN_REPLACE, bench->model, "", &bad, &run));
    strcpy(bad.algorithm, "none");
    bad.delta = 0.1;
    assert_fails(
        bench, FORAY_ERROR_USAGE,
        foray_run_create(bench->ctx, bench->path, FORAY_RUN_REPLACE, bench->model, "", &bad, &run));
    run = reopen(bench, bench->path, FORAY_RUN_READ);
    assert_int_equal(foray_run_saved(run), 300);
    foray_run_close(run);
    assert_ok(bench, foray_run_create(bench->ctx, bench->path, FORAY_RUN_REPLACE, bench->model, "",
                                      &bench->settings, &run));
    assert_int_equal(foray_run_saved(run), 0);
    foray_run_close(run);
}

/* A log left over from a file that was deleted must not enter the new one. */
static void test_leftover_log_is_removed(void **state)
{
    run_bench *bench = *state;
    char log[128];
    snprintf(log, sizeof log, "%s-wal", bench->other);
    foray_run *run = create(bench, bench->path);
    assert_ok(bench, run_finish(bench, run));
    char live[128];
    snprintf(live, sizeof live, "%s-wal", bench->path);
    assert_true(run_file_size(live) > 0);
    run_copy_file(live, log);
    foray_run_close(run);
    foray_run_close(create(bench, bench->other));
    run = reopen(bench, bench->other, FORAY_RUN_READ);
    assert_int_equal(foray_run_saved(run), 0);
    assert_ok(bench, foray_run_verify(run));
    foray_run_close(run);
}

/* -------------------------------------------------------------- interruption */

/* Explores with a world that fails in episode k at step t, closes, and goes on. */
static void explore_with_break(run_bench *bench, int64_t episode, int64_t step)
{
    run_world world;
    run_world_open(bench, &world);
    foray_run *run = create(bench, bench->path);
    world.fail_episode = episode;
    world.fail_step = step;
    assert_fails(bench, FORAY_ERROR_WORLD, foray_run_explore(run, world.world, NULL, NULL));
    assert_int_equal(foray_run_saved(run), episode);
    foray_run_close(run);
    world.fail_episode = -1;
    run = reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_int_equal(foray_run_saved(run), episode);
    assert_int_equal(foray_run_explorer(run)->episodes, episode);
    assert_ok(bench, foray_run_explore(run, world.world, NULL, NULL));
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
    digest_of_file(bench, bench->other, &whole);
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        explore_with_break(bench, at[i][0], at[i][1]);
        digest_of_file(bench, bench->path, &broken);
        run_assert_same(&whole, &broken);
        remove(bench->path);
    }
    remove(bench->other);
}

static void test_broken_runs_end_the_same(void **state)
{
    const char *name;
    for (int64_t i = 0; foray_algorithm_describe(i, &name, NULL); i++)
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
    digest_of_file(bench, bench->other, &whole);
    foray_run_close(create(bench, bench->path));
    foray_world *world;
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
    foray_status status = FORAY_INTERRUPTED;
    for (stopper stop = {.at = 1}; status == FORAY_INTERRUPTED; stop.at = 3 * stop.at / 2 + 1) {
        foray_run *run = reopen(bench, bench->path, FORAY_RUN_WRITE);
        run->commit_gap = 0.0;
        status = foray_run_explore(run, world, stop_at, &stop);
        if (status == FORAY_INTERRUPTED)
            assert_true(stop.last.episodes >= stop.at);
        assert_int_equal(foray_run_saved(run), foray_run_explorer(run)->episodes);
        if (drop_checkpoints)
            assert_ok(bench, fy_store_run(run->store, "DELETE FROM checkpoint"));
        foray_run_close(run);
    }
    assert_ok(bench, status);
    foray_world_destroy(world);
    digest_of_file(bench, bench->path, &stopped);
    run_assert_same(&whole, &stopped);
    remove(bench->path);
    remove(bench->other);
}

static void test_stopped_runs_end_the_same(void **state)
{
    const char *name;
    for (int64_t i = 0; foray_algorithm_describe(i, &name, NULL); i++) {
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
    digest_of_file(bench, bench->path, &one);
    digest_of_file(bench, bench->other, &two);
    run_assert_same(&one, &two);
}

/* The last two checkpoints are kept; a run without them, or with damaged ones,
 * arrives at the same state. */
static void test_checkpoints_are_a_shortcut(void **state)
{
    run_bench *bench = *state;
    foray_run *run = create(bench, bench->path);
    run->commit_gap = 0.0;
    foray_world *world;
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
    for (stopper stop = {.at = 50}; stop.at < 300; stop.at += 50)
        assert_fails(bench, FORAY_INTERRUPTED, foray_run_explore(run, world, stop_at, &stop));
    foray_world_destroy(world);
    assert_ok(bench, run_finish(bench, run));
    foray_run_facts facts;
    assert_ok(bench, foray_run_describe(run, &facts));
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
        run = reopen(bench, bench->path, FORAY_RUN_WRITE);
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
    foray_run *run = reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_extend(run, 119));
    assert_ok(bench, foray_run_extend(run, 300));
    foray_run_close(run);
    run = reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_int_equal(foray_run_settings(run)->episodes, 300);
    assert_ok(bench, run_finish(bench, run));
    assert_ok(bench, foray_run_verify(run));
    run_digest longer, whole;
    assert_ok(bench, run_take_digest(run, &longer));
    foray_run_close(run);
    bench->settings.episodes = 300;
    run_make(bench, bench->other);
    digest_of_file(bench, bench->other, &whole);
    /* The end of the first budget is one more point of the trace. */
    assert_int_not_equal(longer.trace, whole.trace);
    longer.trace = whole.trace;
    run_assert_same(&longer, &whole);
}

static void test_fixed_budget(void **state)
{
    run_bench *bench = *state;
    bench->settings.radius = FORAY_RADIUS_THEOREM;
    foray_run *run = create(bench, bench->path);
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
    foray_run *run = create(bench, bench->path);
    assert_ok(bench, run_finish(bench, run));
    double reached = trace_of(bench, run).bound;
    foray_run_close(run);

    bench->settings.until = 1.5 * reached;
    run = create(bench, bench->other);
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
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_set_until(run, -1.0));
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_set_until(run, (double)NAN));
    assert_ok(bench, foray_run_set_until(run, 2.0 * reached));
    assert_ok(bench, run_finish(bench, run));
    assert_ok(bench, foray_run_verify(run));
    foray_run_close(run);
}

/* ----------------------------------------------------------------- reading */

typedef struct episode_walk {
    run_bench *bench;
    foray_world *world;
    int64_t next, stop;
} episode_walk;

/* Each episode is, draw for draw, what the world gives for the actions. */
static bool check_episode(void *user, int64_t episode, const int32_t *states,
                          const int32_t *actions)
{
    episode_walk *walk = user;
    assert_int_equal(episode, walk->next++);
    foray_draw draw = {.seed = 7, .episode = (uint64_t)episode};
    int64_t expected;
    assert_ok(walk->bench, foray_world_reset(walk->world, &draw, &expected));
    assert_int_equal(states[0], expected);
    for (int t = 0; t < foray_model_horizon(walk->bench->model); t++) {
        draw.step = (uint32_t)t + 1;
        assert_ok(walk->bench,
                  foray_world_step(walk->world, &draw, states[t], actions[t], &expected));
        assert_int_equal(states[t + 1], expected);
    }
    return walk->next < walk->stop;
}

static void test_episodes(void **state)
{
    run_bench *bench = *state;
    foray_run *run = create(bench, bench->path);
    run->room = 16; /* many batches */
    assert_ok(bench, run_finish(bench, run));
    assert_true(run->store->head.batches >= 300 / 16);
    episode_walk walk = {.bench = bench, .stop = INT64_MAX};
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &walk.world));
    for (int64_t first = 0; first <= 300; first += 15) {
        walk.next = first;
        assert_ok(bench, foray_run_episodes(run, first, check_episode, &walk));
        assert_int_equal(walk.next, 300);
    }
    walk.next = 20;
    walk.stop = 33;
    assert_ok(bench, foray_run_episodes(run, 20, check_episode, &walk));
    assert_int_equal(walk.next, 33);
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_episodes(run, -1, check_episode, &walk));
    foray_world_destroy(walk.world);
    foray_run_close(run);
}

typedef struct plan_walk {
    int64_t count, stop;
    foray_policy *const *policy;
} plan_walk;

static bool check_plan(void *user, int64_t id, int64_t episodes, const char *reward_name,
                       const char *reward_json, const foray_policy *policy)
{
    plan_walk *walk = user;
    const foray_policy *expected = walk->policy[walk->count];
    assert_int_equal(id, walk->count++);
    assert_int_equal(episodes, 300);
    assert_string_equal(reward_name, "goal");
    assert_non_null(strstr(reward_json, "foray-reward"));
    assert_int_equal(policy->mode, expected->mode);
    assert_memory_equal(policy->value, expected->value, sizeof policy->value);
    assert_memory_equal(policy->action, expected->action,
                        (size_t)(policy->horizon * policy->states) * sizeof *policy->action);
    assert_true(policy->certificate.gap == expected->certificate.gap);
    assert_true(policy->certificate.delta == expected->certificate.delta);
    assert_int_equal(policy->certificate.radius, expected->certificate.radius);
    assert_int_equal(policy->certificate.certified, expected->certificate.certified);
    return walk->count < walk->stop;
}

static void test_plans(void **state)
{
    run_bench *bench = *state;
    run_make(bench, bench->path);
    foray_run *run = reopen(bench, bench->path, FORAY_RUN_WRITE);
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    const foray_reward *rewards[] = {reward, reward};
    foray_policy *policy[3];
    assert_ok(bench, foray_run_plan(run, 2, rewards, FORAY_PESSIMISTIC, policy));
    assert_ok(bench, foray_run_plan(run, 1, rewards, FORAY_PLUGIN, policy + 2));
    assert_ok(bench, foray_run_plan(run, 0, NULL, FORAY_PLUGIN, NULL));
    assert_ok(bench, foray_run_verify(run));
    foray_run_close(run);
    run = reopen(bench, bench->path, FORAY_RUN_READ);
    plan_walk walk = {.stop = 99, .policy = policy};
    assert_ok(bench, foray_run_plans(run, check_plan, &walk));
    assert_int_equal(walk.count, 3);
    walk = (plan_walk){.stop = 1, .policy = policy};
    assert_ok(bench, foray_run_plans(run, check_plan, &walk));
    assert_int_equal(walk.count, 1);
    foray_policy *none;
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_plan(run, 1, rewards, FORAY_PLUGIN, &none));
    run_assert_message(bench, "reading");
    assert_fails(bench, FORAY_ERROR_USAGE, run_finish(bench, run));
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_extend(run, 1000));
    foray_run_close(run);
    for (int i = 0; i < 3; i++)
        foray_policy_destroy(policy[i]);
    foray_reward_destroy(reward);
}

/* One writer; readers beside it see what was saved. */
static void test_one_writer_many_readers(void **state)
{
    run_bench *bench = *state;
    foray_run *writer = create(bench, bench->path), *second, *reader;
    assert_fails(bench, FORAY_ERROR_IO,
                 foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &second));
    run_assert_message(bench, "in use by another process");
    assert_fails(bench, FORAY_ERROR_IO,
                 foray_run_create(bench->ctx, bench->path, FORAY_RUN_REPLACE, bench->model, "",
                                  &bench->settings, &second));
    reader = reopen(bench, bench->path, FORAY_RUN_READ);
    assert_ok(bench, run_finish(bench, writer));
    assert_int_equal(foray_run_saved(reader), 0);
    assert_ok(bench, foray_run_verify(reader));
    second = reopen(bench, bench->path, FORAY_RUN_READ);
    assert_int_equal(foray_run_saved(second), 300);
    assert_ok(bench, foray_run_verify(second));
    foray_run_close(reader);
    foray_run_close(second);
    foray_run_close(writer);
    foray_run_close(reopen(bench, bench->path, FORAY_RUN_WRITE));
}

/* ----------------------------------------------------------------- worlds */

static void check_bad_answer(run_bench *bench, int64_t step, int64_t answer, const char *message)
{
    run_world world;
    run_world_open(bench, &world);
    foray_run *run = create(bench, bench->path);
    world.fail_episode = 5;
    world.fail_step = step;
    world.fail_status = FORAY_OK;
    world.answer = answer;
    assert_fails(bench, FORAY_ERROR_WORLD, foray_run_explore(run, world.world, NULL, NULL));
    run_assert_message(bench, message);
    assert_int_equal(foray_run_saved(run), 5);
    if (step > 0) {
        assert_fails(bench, FORAY_ERROR_USAGE, run_finish(bench, run));
        run_assert_message(bench, "open the run again");
    }
    foray_run_close(run);
    run = reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_ok(bench, run_finish(bench, run));
    foray_run_close(run);
    remove(bench->path);
    run_world_close(&world);
}

static void test_worlds_that_lie(void **state)
{
    run_bench *bench = *state;
    check_bad_answer(bench, 0, 99, "state 99");
    check_bad_answer(bench, 0, -1, "state -1");
    check_bad_answer(bench, 0, 5, "state 5");
    check_bad_answer(bench, 1, 99, "state 99");
    check_bad_answer(bench, 1, INT64_MAX, "state 9223372036854775807");
    check_bad_answer(bench, 3, -1, "state -1");
    check_bad_answer(bench, 1, 6, "rules out");
}

/* The message of a world with a context of its own reaches the run's. */
static void test_world_of_another_context(void **state)
{
    run_bench *bench = *state, elsewhere = *bench;
    elsewhere.ctx = foray_context_create();
    run_world world;
    run_world_open(&elsewhere, &world);
    world.fail_episode = 2;
    world.fail_step = 2;
    foray_run *run = create(bench, bench->path);
    assert_fails(bench, FORAY_ERROR_WORLD, foray_run_explore(run, world.world, NULL, NULL));
    run_assert_message(bench, "episode 2");
    foray_run_close(run);
    run_world_close(&world);
    foray_context_destroy(elsewhere.ctx);
}

/* A caller that owns the loop: record, save, and what is not saved is lost. */
static void play_one(run_bench *bench, foray_run *run, foray_world *world)
{
    foray_explorer *explorer = foray_run_explorer(run);
    int32_t states[9], actions[8];
    foray_draw draw = {.seed = 1000, .episode = (uint64_t)explorer->episodes};
    int64_t now, action;
    assert_ok(bench, foray_world_reset(world, &draw, &now));
    assert_ok(bench, foray_explorer_begin(explorer));
    for (int t = 0; t < 8; t++) {
        states[t] = (int32_t)now;
        assert_ok(bench, foray_explorer_act(explorer, now, &action));
        actions[t] = (int32_t)action;
        draw.step = (uint32_t)t + 1;
        int64_t next;
        assert_ok(bench, foray_world_step(world, &draw, now, action, &next));
        assert_ok(bench, foray_explorer_observe(explorer, now, action, next));
        now = next;
    }
    states[8] = (int32_t)now;
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_record(run, states, actions));
    assert_ok(bench, foray_explorer_end(explorer));
    assert_ok(bench, foray_run_record(run, states, actions));
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_record(run, states, actions));
}

static void test_own_loop(void **state)
{
    run_bench *bench = *state;
    foray_run *run = create(bench, bench->path);
    foray_world *world;
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
    for (int k = 0; k < 50; k++)
        play_one(bench, run, world);
    assert_int_equal(foray_run_saved(run), 0);
    assert_ok(bench, foray_run_save(run));
    assert_int_equal(foray_run_saved(run), 50);
    play_one(bench, run, world);
    foray_run_close(run);
    run = reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_int_equal(foray_run_saved(run), 50);
    assert_int_equal(foray_run_explorer(run)->episodes, 50);
    /* The world had another seed: the run knows that it cannot foresee it. */
    assert_ok(bench, foray_run_verify(run));
    play_one(bench, run, world);
    assert_ok(bench, run_finish(bench, run));
    assert_int_equal(foray_run_saved(run), 300);
    foray_run_close(run);
    foray_world_destroy(world);
}

/* ------------------------------------------------------------------ memory */

/* Every allocation fails in turn: an error, no leak, and the file is fine. */
static void test_allocations_that_fail(void **state)
{
    run_bench *bench = *state;
    bench->settings.episodes = 20;
    foray_run *run = NULL;
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        bench->ctx->allocations_left = left;
        status = foray_run_create(bench->ctx, bench->path, FORAY_RUN_REPLACE, bench->model, "",
                                  &bench->settings, &run);
        bench->ctx->allocations_left = -1;
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    foray_world *world;
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
    status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        bench->ctx->allocations_left = left;
        status = foray_run_explore(run, world, NULL, NULL);
        bench->ctx->allocations_left = -1;
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    foray_world_destroy(world);
    assert_int_equal(foray_run_saved(run), 20);
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    const foray_reward *rewards[] = {reward, reward};
    foray_policy *policy[2] = {NULL, NULL};
    status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        bench->ctx->allocations_left = left;
        status = foray_run_plan(run, 2, rewards, FORAY_PLUGIN, policy);
        bench->ctx->allocations_left = -1;
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    foray_policy_destroy(policy[0]);
    foray_policy_destroy(policy[1]);
    foray_reward_destroy(reward);
    status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        bench->ctx->allocations_left = left;
        status = foray_run_verify(run);
        bench->ctx->allocations_left = -1;
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    foray_run_close(run);
}

static void test_allocations_that_fail_on_opening(void **state)
{
    run_bench *bench = *state;
    run_make(bench, bench->path);
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status != FORAY_OK; left++) {
        foray_run *run;
        bench->ctx->allocations_left = left;
        status = foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run);
        bench->ctx->allocations_left = -1;
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
        if (status == FORAY_OK)
            foray_run_close(run);
    }
}

typedef struct heap_watch {
    foray_run *run;
    int64_t saved, asked, episodes;
    size_t heap;
} heap_watch;

/* Between two episodes without a transaction nothing may have been allocated,
 * by us (counted) or by anyone else (the heap in use stays as it is). */
static void watch_heap(void *user, int64_t episode)
{
    heap_watch *watch = user;
    foray_run *run = watch->run;
    int64_t asked = run->ctx->allocations;
    size_t heap = mallinfo2().uordblks;
    bool quiet = watch->saved == run->store->head.episodes && episode > 10;
    if (quiet) {
        assert_int_equal(asked, watch->asked);
        assert_int_equal(heap, watch->heap);
        watch->episodes++;
    }
    watch->saved = run->store->head.episodes;
    watch->asked = asked;
    watch->heap = heap;
}

static void test_loop_allocates_nothing(void **state)
{
    run_bench *bench = *state;
    const char *name;
    bench->settings.episodes = 3000;
    bench->settings.until = 1e-9; /* bounds are part of the loop */
    for (int64_t i = 0; foray_algorithm_describe(i, &name, NULL); i++) {
        snprintf(bench->settings.algorithm, sizeof bench->settings.algorithm, "%s", name);
        run_world world;
        run_world_open(bench, &world);
        heap_watch watch = {.run = create(bench, bench->path)};
        world.before_episode = watch_heap;
        world.user = &watch;
        assert_fails(bench, FORAY_TARGET_MISSED,
                     foray_run_explore(watch.run, world.world, NULL, NULL));
        assert_true(watch.episodes > 2000);
        foray_run_close(watch.run);
        run_world_close(&world);
        remove(bench->path);
    }
}

int main(void)
{
#define RUN_TEST(test) cmocka_unit_test_setup_teardown(test, run_bench_setup, run_bench_teardown)
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_new_run),
        RUN_TEST(test_settings_and_model_survive),
        RUN_TEST(test_creation_respects_files),
        RUN_TEST(test_leftover_log_is_removed),
        RUN_TEST(test_broken_runs_end_the_same),
        RUN_TEST(test_stopped_runs_end_the_same),
        RUN_TEST(test_literal_and_threads),
        RUN_TEST(test_checkpoints_are_a_shortcut),
        RUN_TEST(test_extended_run),
        RUN_TEST(test_fixed_budget),
        RUN_TEST(test_target),
        RUN_TEST(test_episodes),
        RUN_TEST(test_plans),
        RUN_TEST(test_one_writer_many_readers),
        RUN_TEST(test_worlds_that_lie),
        RUN_TEST(test_world_of_another_context),
        RUN_TEST(test_own_loop),
        RUN_TEST(test_allocations_that_fail),
        RUN_TEST(test_allocations_that_fail_on_opening),
        RUN_TEST(test_loop_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
