/* test_lost.c - what would be lost is noticed: a disk that fills up while a run is closed, a
 * file that is deleted under a run; and a process killed at any operation on the disk leaves
 * a run that everybody can read. */
#include "support_disk.h"
#include "support_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Removes a run with what a killed process left beside it. */
static void remove_run(const char *path)
{
    static const char *const suffix[] = {"", "-wal", "-shm", "-journal", "-lock"};
    char name[160];
    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
        snprintf(name, sizeof name, "%s%s", path, suffix[i]);
        remove(name);
    }
}

/* ------------------------------------------------------------- a full disk */

/* Whenever an operation fails from some moment on, exploring or closing says so; and nothing
 * that was saved is lost. */
static void test_closing_on_full_disk(void **state)
{
    run_bench *bench = *state;
    int64_t n = 0, while_closing = 0;
    bench->settings.episodes = 40;
    run_make(bench, bench->other);
    do {
        remove_run(bench->path);
        run_copy_file(bench->other, bench->path);
        foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
        assert_ok(bench, foray_run_extend(run, 60));
        disk_arm(DISK_WRITES, ++n, DISK_FAILS_FROM_NOW_ON);
        foray_status explored = run_finish(bench, run);
        int64_t saved = foray_run_saved(run);
        foray_status closed = foray_run_close(run);
        disk_disarm();
        if (disk_failed())
            assert_true(explored == FORAY_ERROR_IO || closed == FORAY_ERROR_IO);
        else
            assert_true(explored == FORAY_OK && closed == FORAY_OK);
        while_closing += explored == FORAY_OK && closed == FORAY_ERROR_IO;
        run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
        assert_true(foray_run_saved(run) >= saved);
        assert_ok(bench, foray_run_verify(run));
        assert_ok(bench, foray_run_close(run));
    } while (disk_failed());
    assert_true(n > 5 && while_closing > 0);
}

/* -------------------------------------------------------- a file that is gone */

typedef struct thief {
    run_bench *bench;
    bool replaces;
    bool done;
} thief;

static bool steal(void *user, const foray_progress *progress)
{
    thief *t = user;
    if (!t->done && progress->saved > 0) {
        if (t->replaces)
            assert_int_equal(rename(t->bench->other, t->bench->path), 0);
        else
            assert_int_equal(remove(t->bench->path), 0);
        t->done = true;
    }
    return true;
}

static void test_deleted_while_exploring(void **state)
{
    run_bench *bench = *state;
    bench->settings.episodes = 20000;
    for (int replaces = 0; replaces < 2; replaces++) {
        thief t = {.bench = bench, .replaces = replaces};
        foray_run_close(run_create(bench, bench->other));
        foray_run *run = run_create(bench, bench->path);
        foray_world *world;
        assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
        run->commit_gap = 0.0;
        assert_fails(bench, FORAY_ERROR_IO, foray_run_explore(run, world, steal, &t));
        run_assert_message(bench, "deleted or replaced");
        assert_true(t.done);
        foray_world_destroy(world);
        assert_fails(bench, FORAY_ERROR_IO, foray_run_close(run));
        remove_run(bench->path);
        remove_run(bench->other);
    }
}

static void test_deleted_before_closing(void **state)
{
    run_bench *bench = *state;
    foray_run *run = run_create(bench, bench->path);
    assert_ok(bench, run_finish(bench, run));
    remove(bench->path);
    assert_fails(bench, FORAY_ERROR_IO, foray_run_close(run));
    run_assert_message(bench, "deleted or replaced");
    assert_ok(bench, foray_run_close(NULL));
}

/* ----------------------------------------------------- killed at any operation */

/* The child of a test: works on the run until the n-th operation kills it. */
static void work_until_killed(run_bench *bench, int64_t n, bool plans)
{
    foray_run *run;
    disk_arm(DISK_WRITES, n, DISK_KILLS);
    if (foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run) != FORAY_OK)
        _exit(1);
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    const foray_reward *rewards[] = {reward};
    foray_policy *policy = NULL;
    foray_status status = FORAY_OK;
    if (plans)
        status = foray_run_plan(run, 1, rewards, FORAY_PLUGIN, &policy);
    else if ((status = foray_run_extend(run, 60)) == FORAY_OK)
        status = run_finish(bench, run);
    if (status != FORAY_OK || foray_run_close(run) != FORAY_OK)
        _exit(1);
    _exit(0);
}

/* Killed at each operation in turn. Everybody can read the run right away, and write it while
 * others are reading. */
static void kill_at_every_operation(run_bench *bench, bool plans, int64_t least)
{
    int64_t n = 0;
    bool killed = true;
    bench->settings.episodes = 40;
    run_make(bench, bench->other);
    while (killed) {
        remove_run(bench->path);
        run_copy_file(bench->other, bench->path);
        n++;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            work_until_killed(bench, n, plans);
        int end;
        assert_int_equal(waitpid(child, &end, 0), child);
        killed = WIFSIGNALED(end);
        assert_true(killed || WEXITSTATUS(end) == 0);
        foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_READ);
        int64_t saved = foray_run_saved(run);
        assert_true(saved >= 40 && saved <= (plans ? 40 : 60));
        assert_ok(bench, foray_run_verify(run));
        foray_run *writer = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
        assert_int_equal(foray_run_saved(writer), saved);
        assert_ok(bench, foray_run_close(run));
        assert_ok(bench, foray_run_close(writer));
    }
    assert_true(n > least);
}

static void test_killed_while_planning(void **state)
{
    kill_at_every_operation(*state, true, 10);
}

static void test_killed_while_resuming(void **state)
{
    kill_at_every_operation(*state, false, 10);
}

/* Earlier versions changed the mode of the file with a journal on disk. */
static void test_journal_left_behind(void **state)
{
    run_bench *bench = *state;
    int64_t left = 0;
    run_make(bench, bench->other);
    for (int64_t n = 1; n < 12; n++) {
        char journal[160];
        snprintf(journal, sizeof journal, "%s-journal", bench->path);
        remove_run(bench->path);
        run_copy_file(bench->other, bench->path);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            sqlite3 *db;
            sqlite3_open(bench->path, &db);
            disk_arm(DISK_WRITES, n, DISK_KILLS);
            sqlite3_exec(db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
            _exit(0);
        }
        assert_int_equal(waitpid(child, NULL, 0), child);
        left += access(journal, F_OK) == 0;
        foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_READ);
        assert_ok(bench, foray_run_verify(run));
        assert_ok(bench, foray_run_close(run));
    }
    assert_true(left > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_closing_on_full_disk),   RUN_TEST(test_deleted_while_exploring),
        RUN_TEST(test_deleted_before_closing), RUN_TEST(test_killed_while_planning),
        RUN_TEST(test_killed_while_resuming),  RUN_TEST(test_journal_left_behind),
    };
    disk_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
