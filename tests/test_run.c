/* test_run.c - runs: what is written is read back, what is asked for is checked. */
#include "support.h"
#include "support_run.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ basics */

static void test_new_run(void **state)
{
    run_bench *bench = *state;
    foray_run *run = run_create(bench, bench->path);
    assert_int_equal(foray_run_saved(run), 0);
    assert_ok(bench, run_finish(bench, run));
    assert_int_equal(foray_run_saved(run), 300);
    assert_string_equal(foray_run_world(run), "test:world");
    assert_int_equal(foray_run_settings(run)->seed, 7);
    fy_run_facts facts;
    assert_ok(bench, fy_run_describe(run, &facts));
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
    run_digest_file(bench, bench->path, &after);
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
    support_set(settings, "radius_scale_check", "0.1");
    foray_run_close(run_create(bench, bench->path));
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    const foray_parameter *row;
    for (int64_t i = 0; (row = foray_setting_describe("ucrl-rfe+", i)); i++) {
        char a[128], b[128];
        assert_ok(bench, foray_settings_get(bench->ctx, settings, row->name, a, sizeof a));
        assert_ok(bench,
                  foray_settings_get(bench->ctx, foray_run_settings(run), row->name, b, sizeof b));
        assert_string_equal(a, b);
    }
    char *json_a, *json_b;
    assert_ok(bench, fy_model_print_json(bench->ctx, bench->model, &json_a, NULL));
    assert_ok(bench, fy_model_print_json(bench->ctx, foray_run_model(run), &json_b, NULL));
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
    run_assert_message(bench, "already exists");
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
    run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    assert_int_equal(foray_run_saved(run), 300);
    foray_run_close(run);
    assert_ok(bench, foray_run_create(bench->ctx, bench->path, FORAY_RUN_REPLACE, bench->model, "",
                                      &bench->settings, &run));
    assert_int_equal(foray_run_saved(run), 0);
    foray_run_close(run);
}

/* To SQLite some names mean something else than files; to us none does. */
static void test_strange_names(void **state)
{
    run_bench *bench = *state;
    char *before = getcwd(NULL, 0);
    assert_non_null(before);
    assert_int_equal(chdir(bench->directory), 0);
    static const char *const names[] = {":memory:", "file:x?mode=memory", "a b%41?#"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        run_make(bench, names[i]);
        foray_run *run = run_reopen(bench, names[i], FORAY_RUN_READ);
        assert_int_equal(foray_run_saved(run), 300);
        foray_run_close(run);
        assert_int_equal(unlink(names[i]), 0);
    }
    assert_int_equal(chdir(before), 0);
    free(before);
}

/* A log left over from a file that was deleted must not enter the new one. */
static void test_leftover_log_is_removed(void **state)
{
    run_bench *bench = *state;
    char log[128];
    snprintf(log, sizeof log, "%s-wal", bench->other);
    foray_run *run = run_create(bench, bench->path);
    assert_ok(bench, run_finish(bench, run));
    assert_ok(bench, foray_run_extend(run, bench->settings.episodes + 1));
    char live[128];
    snprintf(live, sizeof live, "%s-wal", bench->path);
    assert_true(run_file_size(live) > 0);
    run_copy_file(live, log);
    foray_run_close(run);
    foray_run_close(run_create(bench, bench->other));
    run = run_reopen(bench, bench->other, FORAY_RUN_READ);
    assert_int_equal(foray_run_saved(run), 0);
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
    foray_run *run = run_create(bench, bench->path);
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
    assert_int_equal(policy->certificate.status, expected->certificate.status);
    assert_true(policy->expected == expected->expected);
    assert_true(policy->low == expected->low && policy->high == expected->high);
    assert_int_equal(policy->certificate.bound, expected->certificate.bound);
    return walk->count < walk->stop;
}

static void test_plans(void **state)
{
    run_bench *bench = *state;
    run_make(bench, bench->path);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    const foray_reward *rewards[] = {reward, reward};
    foray_policy *policy[3];
    assert_ok(bench, foray_run_plan(run, 2, rewards, FORAY_PESSIMISTIC, policy));
    assert_ok(bench, foray_run_plan(run, 1, rewards, FORAY_PLUGIN, policy + 2));
    assert_ok(bench, foray_run_plan(run, 0, NULL, FORAY_PLUGIN, NULL));
    assert_ok(bench, foray_run_verify(run));
    foray_run_close(run);
    run = run_reopen(bench, bench->path, FORAY_RUN_READ);
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
    foray_run *writer = run_create(bench, bench->path), *second, *reader;
    assert_fails(bench, FORAY_ERROR_IO,
                 foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &second));
    run_assert_message(bench, "in use by this process");
    assert_fails(bench, FORAY_ERROR_IO,
                 foray_run_create(bench->ctx, bench->path, FORAY_RUN_REPLACE, bench->model, "",
                                  &bench->settings, &second));
    reader = run_reopen(bench, bench->path, FORAY_RUN_READ);
    assert_ok(bench, run_finish(bench, writer));
    assert_int_equal(foray_run_saved(reader), 0);
    assert_ok(bench, foray_run_verify(reader));
    second = run_reopen(bench, bench->path, FORAY_RUN_READ);
    assert_int_equal(foray_run_saved(second), 300);
    assert_ok(bench, foray_run_verify(second));
    foray_run_close(reader);
    foray_run_close(second);
    foray_run_close(writer);
    foray_run_close(run_reopen(bench, bench->path, FORAY_RUN_WRITE));
}

/* ----------------------------------------------------------------- worlds */

static void check_bad_answer(run_bench *bench, int64_t step, int64_t answer, const char *message)
{
    run_world world;
    run_world_open(bench, &world);
    foray_run *run = run_create(bench, bench->path);
    world.fail_episode = 5;
    world.fail_step = step;
    world.fail_status = FORAY_OK;
    world.answer = answer;
    assert_fails(bench, FORAY_ERROR_WORLD, foray_run_explore(run, 1, &world.world, NULL, NULL));
    run_assert_message(bench, message);
    assert_int_equal(foray_run_saved(run), 5);
    if (step > 0) {
        assert_fails(bench, FORAY_ERROR_USAGE, run_finish(bench, run));
        run_assert_message(bench, "open the run again");
    }
    foray_run_close(run);
    run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
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
    foray_run *run = run_create(bench, bench->path);
    assert_fails(bench, FORAY_ERROR_WORLD, foray_run_explore(run, 1, &world.world, NULL, NULL));
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

static int count_commit(void *user)
{
    ++*(int *)user;
    return 0;
}

/* Plans, and the episodes that they were made from, are there together or not at all. */
static void test_plans_in_one_transaction(void **state)
{
    run_bench *bench = *state;
    foray_run *run = run_create(bench, bench->path);
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    const foray_reward *rewards[] = {reward, reward};
    foray_policy *policy[4];
    foray_world *world;
    int commits = 0;
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
    play_one(bench, run, world);
    sqlite3_commit_hook(run->store->db, count_commit, &commits);
    assert_ok(bench, foray_run_plan(run, 2, rewards, FORAY_PLUGIN, policy));
    assert_int_equal(commits, 1);
    assert_int_equal(foray_run_saved(run), 1);
    play_one(bench, run, world);
    foray_status status = FORAY_ERROR_MEMORY;
    for (int64_t left = 0; status == FORAY_ERROR_MEMORY; left++) {
        assert_int_equal(commits, 1);
        assert_int_equal(foray_run_saved(run), 1);
        bench->ctx->allocations_left = left;
        status = foray_run_plan(run, 2, rewards, FORAY_PLUGIN, policy + 2);
        bench->ctx->allocations_left = -1;
    }
    assert_ok(bench, status);
    assert_int_equal(commits, 2);
    assert_int_equal(foray_run_saved(run), 2);
    assert_ok(bench, foray_run_verify(run));
    foray_run_close(run);
    for (int i = 0; i < 4; i++)
        foray_policy_destroy(policy[i]);
    foray_world_destroy(world);
    foray_reward_destroy(reward);
}

static void test_own_loop(void **state)
{
    run_bench *bench = *state;
    foray_run *run = run_create(bench, bench->path);
    foray_world *world;
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
    for (int k = 0; k < 50; k++)
        play_one(bench, run, world);
    assert_int_equal(foray_run_saved(run), 0);
    assert_ok(bench, foray_run_save(run));
    assert_int_equal(foray_run_saved(run), 50);
    play_one(bench, run, world);
    foray_run_close(run);
    run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
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

/* The bytes are the run: everything about it is the same, and nothing can be written. */
static void test_run_from_memory(void **state)
{
    run_bench *bench = *state;
    run_digest file, memory;
    uint8_t *bytes;
    size_t size;
    foray_run *run;
    run_make(bench, bench->path);
    run_digest_file(bench, bench->path, &file);
    assert_ok(bench, fy_file_read(bench->ctx, bench->path, (size_t)1 << 30, &bytes, &size));
    assert_ok(bench, fy_run_open_memory(bench->ctx, bytes, size, "bytes", &run));
    memset(bytes, 0, size);
    free(bytes);
    assert_ok(bench, foray_run_verify(run));
    assert_ok(bench, run_take_digest(run, &memory));
    run_assert_same(&file, &memory);
    assert_fails(bench, FORAY_ERROR_USAGE, foray_run_set_until(run, 0.5));
    run_assert_message(bench, "bytes: opened for reading only");
    foray_run_close(run);
}

static void expect_refusal(run_bench *bench, const uint8_t *bytes, size_t size, const char *why)
{
    foray_run *run = NULL;
    assert_fails(bench, FORAY_ERROR_RUN,
                 fy_run_open_memory(bench->ctx, bytes, size, "bytes", &run));
    run_assert_message(bench, why);
    assert_null(run);
}

static void test_memory_that_is_not_a_run(void **state)
{
    run_bench *bench = *state;
    uint8_t *bytes;
    size_t size;
    run_make(bench, bench->path);
    assert_ok(bench, fy_file_read(bench->ctx, bench->path, (size_t)1 << 30, &bytes, &size));
    expect_refusal(bench, bytes, 0, "bytes: not a Foray run");
    expect_refusal(bench, bytes, 99, "bytes: not a Foray run");
    expect_refusal(bench, bytes, size / 2, "bytes: ");
    memset(bytes + size / 3, 0x55, size / 3);
    expect_refusal(bench, bytes, size, "bytes: damaged");
    free(bytes);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_ok(bench, fy_file_read(bench->ctx, bench->path, (size_t)1 << 30, &bytes, &size));
    expect_refusal(bench, bytes, size, "in a log next to its file");
    foray_run_close(run);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_run_from_memory),
        RUN_TEST(test_memory_that_is_not_a_run),
        RUN_TEST(test_new_run),
        RUN_TEST(test_settings_and_model_survive),
        RUN_TEST(test_creation_respects_files),
        RUN_TEST(test_strange_names),
        RUN_TEST(test_leftover_log_is_removed),
        RUN_TEST(test_episodes),
        RUN_TEST(test_plans),
        RUN_TEST(test_plans_in_one_transaction),
        RUN_TEST(test_one_writer_many_readers),
        RUN_TEST(test_worlds_that_lie),
        RUN_TEST(test_world_of_another_context),
        RUN_TEST(test_own_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
