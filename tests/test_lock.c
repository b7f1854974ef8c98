/* test_lock.c - one writer at a time, whatever name it came by, and whatever lies where its lock
 * should be; nothing else in the process or beside the run is touched. */
#include "support_run.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int umask_calls;

/* Stands in front of the system's: all threads share the mask, so no library may change it. */
mode_t umask(mode_t mask)
{
    umask_calls++;
    return mask;
}

static const char precious[] = "precious\n";

static void write_precious(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(precious, file);
    fclose(file);
}

static void assert_precious(const char *path)
{
    char text[32] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, precious);
}

/* ---------------------------------------------------- what lies where the lock should be */

enum { SYMBOLIC, HARD, DANGLING, FOREIGN, PIPE, DIRECTORY, KINDS };

static void put_at_lock(run_bench *bench, const char *lock, int kind)
{
    write_precious(bench->other);
    if (kind == SYMBOLIC)
        assert_int_equal(symlink(bench->other, lock), 0);
    if (kind == HARD)
        assert_int_equal(link(bench->other, lock), 0);
    if (kind == DANGLING)
        assert_int_equal(symlink("nowhere", lock), 0);
    if (kind == FOREIGN)
        assert_int_equal(rename(bench->other, lock), 0);
    if (kind == PIPE)
        assert_int_equal(mkfifo(lock, 0600), 0);
    if (kind == DIRECTORY)
        assert_int_equal(mkdir(lock, 0700), 0);
}

/* Refused with a message, and left as it is. */
static void test_something_else_is_there(void **state)
{
    run_bench *bench = *state;
    char lock[128], nowhere[128];
    snprintf(lock, sizeof lock, "%s-lock", bench->path);
    snprintf(nowhere, sizeof nowhere, "%s/nowhere", bench->directory);
    run_make(bench, bench->path);
    for (int kind = 0; kind < KINDS; kind++) {
        struct stat before, after;
        foray_run *run;
        put_at_lock(bench, lock, kind);
        assert_int_equal(lstat(lock, &before), 0);
        assert_fails(bench, FORAY_ERROR_IO,
                     foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run));
        run_assert_message(bench, "-lock");
        assert_fails(bench, FORAY_ERROR_IO,
                     foray_run_create(bench->ctx, bench->path, FORAY_RUN_REPLACE, bench->model, "",
                                      &bench->settings, &run));
        assert_int_equal(lstat(lock, &after), 0);
        assert_int_equal(before.st_ino, after.st_ino);
        assert_int_equal(before.st_size, after.st_size);
        assert_precious(kind == FOREIGN ? lock : bench->other);
        assert_int_not_equal(access(nowhere, F_OK), 0);
        assert_int_equal(remove(lock), 0);
        remove(bench->other);
    }
    foray_run_close(run_reopen(bench, bench->path, FORAY_RUN_WRITE));
}

/* A lock file that a killed process left is no obstacle. */
static void test_stale_lock_is_taken(void **state)
{
    run_bench *bench = *state;
    char lock[128];
    run_make(bench, bench->path);
    snprintf(lock, sizeof lock, "%s-lock", bench->path);
    for (int empty = 0; empty < 2; empty++) {
        FILE *file = fopen(lock, "w");
        assert_non_null(file);
        fputs(empty ? "" : "12345\n", file);
        fclose(file);
        assert_ok(bench, foray_run_close(run_reopen(bench, bench->path, FORAY_RUN_WRITE)));
        assert_int_not_equal(access(lock, F_OK), 0);
    }
}

/* --------------------------------------------------------------------- other names */

/* Another process cannot write the run by this name. */
static void assert_locked(run_bench *bench, const char *path)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        foray_run *run;
        foray_status status = foray_run_open(bench->ctx, path, FORAY_RUN_WRITE, &run);
        foray_status forced = foray_run_create(bench->ctx, path, FORAY_RUN_REPLACE, bench->model,
                                               "", &bench->settings, &run);
        _exit(status == FORAY_ERROR_IO && forced == FORAY_ERROR_IO ? 0 : 1);
    }
    int end;
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_true(WIFEXITED(end) && WEXITSTATUS(end) == 0);
}

/* Created in place of what a link leads to: there is one lock for both names. */
static void test_replacing_through_a_link(void **state)
{
    run_bench *bench = *state;
    struct stat about;
    foray_run *run;
    run_make(bench, bench->path);
    assert_int_equal(symlink(bench->path, bench->other), 0);
    assert_ok(bench, foray_run_create(bench->ctx, bench->other, FORAY_RUN_REPLACE, bench->model, "",
                                      &bench->settings, &run));
    assert_int_equal(lstat(bench->other, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_locked(bench, bench->other);
    assert_locked(bench, bench->path);
    assert_ok(bench, foray_run_close(run));
    foray_run_close(run_reopen(bench, bench->path, FORAY_RUN_WRITE));
}

/* A log belongs to one name: a file with two is not written. */
static void test_hard_links_of_a_run(void **state)
{
    run_bench *bench = *state;
    foray_run *run;
    run_make(bench, bench->path);
    assert_int_equal(link(bench->path, bench->other), 0);
    assert_fails(bench, FORAY_ERROR_IO,
                 foray_run_open(bench->ctx, bench->other, FORAY_RUN_WRITE, &run));
    run_assert_message(bench, "hard link");
    foray_run_close(run_reopen(bench, bench->other, FORAY_RUN_READ));
    remove(bench->other);
    foray_run_close(run_reopen(bench, bench->path, FORAY_RUN_WRITE));
}

/* --------------------------------------------------------------------------- fork */

/* What a child inherits it can close, but neither write nor unlock. */
static void test_closing_after_fork(void **state)
{
    run_bench *bench = *state;
    run_make(bench, bench->path);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    assert_ok(bench, foray_run_extend(run, bench->settings.episodes + 10));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool refused = foray_run_extend(run, bench->settings.episodes + 20) == FORAY_ERROR_USAGE;
        _exit(foray_run_close(run) == FORAY_OK && refused ? 0 : 1);
    }
    int end;
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_true(WIFEXITED(end) && WEXITSTATUS(end) == 0);
    assert_locked(bench, bench->path);
    assert_ok(bench, run_finish(bench, run));
    assert_ok(bench, foray_run_close(run));
    run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    assert_int_equal(foray_run_saved(run), bench->settings.episodes + 10);
    assert_ok(bench, foray_run_verify(run));
    foray_run_close(run);
}

/* -------------------------------------------------------------------------- umask */

static void test_umask_is_left_alone(void **state)
{
    run_bench *bench = *state;
    run_make(bench, bench->path);
    assert_ok(bench, foray_model_save(bench->ctx, bench->model, FORAY_MODEL_JSON, bench->other));
    assert_int_equal(umask_calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_something_else_is_there),  RUN_TEST(test_stale_lock_is_taken),
        RUN_TEST(test_replacing_through_a_link), RUN_TEST(test_hard_links_of_a_run),
        RUN_TEST(test_closing_after_fork),       RUN_TEST(test_umask_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
