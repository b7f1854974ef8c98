/* test_disk.c - disks that fail: every write, sync and read in turn. Nothing that
 * was acknowledged is lost, and the run goes on once the disk is well again. */
#include "support_disk.h"
#include "support_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool no_rename; /* renaming fails */

/* Stands in front of the system's. */
int rename(const char *from, const char *to)
{
    if (!no_rename)
        return renameat(AT_FDCWD, from, AT_FDCWD, to);
    errno = EIO;
    return -1;
}

/* ------------------------------------------------------------------- tests */

static bool remember(void *user, const foray_progress *progress)
{
    *(int64_t *)user = progress->saved;
    return true;
}

/* Explores with a failing disk; returns what was acknowledged. */
static int64_t explore_on_bad_disk(run_bench *bench)
{
    int64_t acknowledged = 40;
    foray_run *run;
    foray_status status = foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run);
    if (status != FORAY_OK) {
        assert_int_equal(status, FORAY_ERROR_IO);
        return acknowledged;
    }
    foray_world *world;
    assert_ok(bench, foray_world_from_model(bench->ctx, bench->model, &world));
    run->commit_gap = 0.0;
    run->checkpoint_gap = 0.0;
    run->checkpoint_share = 1e9;
    status = foray_run_explore(run, 1, &world, remember, &acknowledged);
    if (status != FORAY_OK)
        assert_int_equal(status, FORAY_ERROR_IO);
    assert_true(foray_run_saved(run) >= acknowledged);
    acknowledged = foray_run_saved(run);
    foray_world_destroy(world);
    foray_run_close(run);
    return acknowledged;
}

static void check_after(run_bench *bench, int64_t acknowledged, const run_digest *whole)
{
    foray_run *run;
    assert_ok(bench, foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run));
    assert_true(foray_run_saved(run) >= acknowledged);
    assert_ok(bench, foray_run_verify(run));
    assert_ok(bench, run_finish(bench, run));
    run_digest digest;
    assert_ok(bench, run_take_digest(run, &digest));
    run_assert_same(whole, &digest);
    foray_run_close(run);
}

/* A run of 40 episodes in `other`, extended to 160, and how the latter ends. */
static void prepare(run_bench *bench, run_digest *whole)
{
    bench->settings.episodes = 40;
    run_make(bench, bench->other);
    foray_run *run;
    assert_ok(bench, foray_run_open(bench->ctx, bench->other, FORAY_RUN_WRITE, &run));
    assert_ok(bench, foray_run_extend(run, 160));
    foray_run_close(run);
    run_copy_file(bench->other, bench->path);
    assert_ok(bench, foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run));
    assert_ok(bench, run_finish(bench, run));
    assert_ok(bench, run_take_digest(run, whole));
    foray_run_close(run);
}

static void fail_every_operation(run_bench *bench, int kinds, bool lasting, int64_t min)
{
    run_digest whole;
    prepare(bench, &whole);
    int64_t n = 0;
    do {
        remove(bench->path);
        run_copy_file(bench->other, bench->path);
        disk_arm(kinds, ++n, lasting ? DISK_FAILS_FROM_NOW_ON : DISK_FAILS_ONCE);
        int64_t acknowledged = explore_on_bad_disk(bench);
        disk_disarm();
        check_after(bench, acknowledged, &whole);
    } while (disk_failed());
    assert_true(n > min);
}

static void test_full_disk(void **state)
{
    fail_every_operation(*state, DISK_WRITES, true, 40);
}

static void test_single_write_failures(void **state)
{
    fail_every_operation(*state, DISK_WRITES, false, 40);
}

static void test_read_failures(void **state)
{
    fail_every_operation(*state, DISK_READS, false, 10);
}

/* The message says so, and the same run goes on when there is room again. */
static void test_room_is_made(void **state)
{
    run_bench *bench = *state;
    run_digest whole, digest;
    prepare(bench, &whole);
    foray_run *run;
    run_copy_file(bench->other, bench->path);
    assert_ok(bench, foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run));
    disk_arm(DISK_WRITES, 1, DISK_FAILS_FROM_NOW_ON);
    assert_fails(bench, FORAY_ERROR_IO, run_finish(bench, run));
    run_assert_message(bench, "the disk is full");
    assert_int_equal(foray_run_saved(run), 40);
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    const foray_reward *rewards[] = {reward};
    foray_policy *policy = NULL;
    assert_fails(bench, FORAY_ERROR_IO, foray_run_plan(run, 1, rewards, FORAY_PLUGIN, &policy));
    assert_fails(bench, FORAY_ERROR_IO, foray_run_extend(run, 500));
    assert_int_equal(foray_run_settings(run)->episodes, 160);
    disk_disarm();
    assert_ok(bench, foray_run_save(run));
    assert_ok(bench, run_finish(bench, run));
    assert_ok(bench, run_take_digest(run, &digest));
    run_assert_same(&whole, &digest);
    foray_reward_destroy(reward);
    foray_run_close(run);
}

/* A run that could not be created leaves nothing behind under its name. */
static void test_creation_on_full_disk(void **state)
{
    run_bench *bench = *state;
    int64_t n = 0;
    do {
        foray_run *run;
        disk_arm(DISK_WRITES, ++n, DISK_FAILS_FROM_NOW_ON);
        foray_status status = foray_run_create(bench->ctx, bench->path, FORAY_RUN_NEW, bench->model,
                                               "", &bench->settings, &run);
        disk_disarm();
        if (status == FORAY_OK) {
            assert_int_equal(foray_run_saved(run), 0);
            foray_run_close(run);
        } else {
            assert_int_equal(status, FORAY_ERROR_IO);
        }
        if (access(bench->path, F_OK) != 0)
            continue;
        /* Made, but perhaps not opened any more: it is whole. */
        assert_ok(bench, foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run));
        assert_ok(bench, foray_run_verify(run));
        foray_run_close(run);
        remove(bench->path);
    } while (disk_failed());
    assert_true(n > 5);
}

/* ----------------------------------------------------------------- replacing */

/* All episodes played and committed, but not moved from the log into the file, as they are when
 * exploring ends. */
static foray_status play_and_commit(run_bench *bench, foray_run *run)
{
    foray_world *world = NULL;
    foray_status status = foray_world_from_model(bench->ctx, bench->model, &world);
    for (int64_t k = 0; k < bench->settings.episodes && status == FORAY_OK; k++) {
        status = foray_explorer_play(run->explorer, world, run->states, run->actions);
        if (status == FORAY_OK)
            status = fy_run_append(run, run->states, run->actions);
    }
    foray_world_destroy(world);
    return status == FORAY_OK ? fy_run_commit(run, true) : status;
}

/* A process dies over a run: what it saved is in the log. */
static void make_unclean_run(run_bench *bench)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        foray_run *run = run_create(bench, bench->path);
        _exit(play_and_commit(bench, run) == FORAY_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    char log[128];
    snprintf(log, sizeof log, "%s-wal", bench->path);
    assert_true(run_file_size(log) > 0);
}

static foray_status replace(run_bench *bench)
{
    foray_run *run;
    foray_status status = foray_run_create(bench->ctx, bench->path, FORAY_RUN_REPLACE, bench->model,
                                           "", &bench->settings, &run);
    if (status == FORAY_OK)
        foray_run_close(run);
    return status;
}

static int64_t saved_episodes(run_bench *bench)
{
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_WRITE);
    int64_t saved = foray_run_saved(run);
    assert_ok(bench, foray_run_verify(run));
    foray_run_close(run);
    return saved;
}

/* The last step of replacing fails: the old run is there with all that was in its log. */
static void test_failing_rename_costs_nothing(void **state)
{
    run_bench *bench = *state;
    make_unclean_run(bench);
    no_rename = true;
    assert_fails(bench, FORAY_ERROR_IO, replace(bench));
    no_rename = false;
    run_assert_message(bench, "cannot be created");
    assert_int_equal(saved_episodes(bench), bench->settings.episodes);
    assert_ok(bench, replace(bench));
    assert_int_equal(saved_episodes(bench), 0);
}

/* Every write of it in turn: the old run or the new one, whole. */
static void test_replacing_on_full_disk(void **state)
{
    run_bench *bench = *state;
    int64_t n = 0, kept = 0;
    bench->settings.episodes = 20;
    do {
        remove(bench->path);
        make_unclean_run(bench);
        disk_arm(DISK_WRITES, ++n, DISK_FAILS_FROM_NOW_ON);
        foray_status status = replace(bench);
        disk_disarm();
        int64_t saved = saved_episodes(bench);
        assert_true(status == FORAY_OK ? saved == 0 : saved == 0 || saved == 20);
        kept += saved == 20;
    } while (disk_failed());
    assert_true(kept > 5);
}

/* What is no database is replaced, with whatever lies beside it. */
static void test_garbage_is_replaced(void **state)
{
    run_bench *bench = *state;
    char log[128];
    snprintf(log, sizeof log, "%s-wal", bench->path);
    const char *const paths[] = {bench->path, log};
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(paths[i], "w");
        assert_non_null(file);
        for (int line = 0; line < 1000; line++)
            fputs("not a database\n", file);
        fclose(file);
    }
    assert_ok(bench, replace(bench));
    assert_int_equal(saved_episodes(bench), 0);
}

/* -------------------------------------------------------------------- causes */

/* Files may have so many bytes: what the system says of more is not SIGXFSZ, but EFBIG. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    signal(SIGXFSZ, bytes == RLIM_INFINITY ? SIG_DFL : SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Explores within the limit, and closes; true if a message does not say why the system refused. */
static bool loses_the_cause(run_bench *bench, foray_status *explored, foray_status *closed)
{
    foray_run *run = NULL;
    *explored = foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run);
    if (*explored == FORAY_OK)
        *explored = run_finish(bench, run);
    bool told = strstr(foray_message(bench->ctx), strerror(EFBIG)) != NULL;
    bool lost = *explored != FORAY_OK && !told;
    *closed = foray_run_close(run);
    told = strstr(foray_message(bench->ctx), strerror(EFBIG)) != NULL;
    return lost || (*closed != FORAY_OK && !told);
}

/* Whatever cannot be written, in the file or in its log, when it is opened, saved or closed. */
static void test_the_system_is_quoted(void **state)
{
    run_bench *bench = *state;
    run_digest whole;
    foray_status explored = FORAY_ERROR_IO, closed = FORAY_ERROR_IO;
    int64_t refused = 0, kept_open = 0, lost = 0;
    prepare(bench, &whole);
    for (rlim_t bytes = 0; explored != FORAY_OK || closed != FORAY_OK; bytes += 4096) {
        remove(bench->path);
        run_copy_file(bench->other, bench->path);
        limit_files(bytes);
        lost += loses_the_cause(bench, &explored, &closed);
        limit_files(RLIM_INFINITY);
        refused += explored != FORAY_OK;
        kept_open += closed != FORAY_OK;
    }
    assert_int_equal(lost, 0);
    assert_true(refused > 5 && kept_open > 0);
}

/* There is no memory to open a run, nor room to move its log when it is closed again: the message
 * goes with the status. */
static void test_the_first_cause_stays(void **state)
{
    run_bench *bench = *state;
    int64_t allowed = 0, twice = 0;
    bench->settings.episodes = 20;
    foray_run *run = NULL;
    make_unclean_run(bench);
    for (; !run; allowed++) {
        disk_arm(DISK_WRITES, 1, DISK_FAILS_FROM_NOW_ON);
        bench->ctx->allocations_left = allowed;
        foray_status status = foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run);
        bench->ctx->allocations_left = -1;
        twice += status != FORAY_OK && disk_failed();
        disk_disarm();
        if (status == FORAY_OK)
            break;
        assert_int_equal(status, FORAY_ERROR_MEMORY);
        run_assert_message(bench, "out of memory");
    }
    assert_true(twice > 5);
    foray_run_close(run);
}

/* A path of almost as many bytes as SQLite takes leaves room for the cause. */
static void test_long_paths_hide_no_cause(void **state)
{
    enum { LENGTH = 500 };
    run_bench *bench = *state;
    char path[LENGTH + 1], deeper[2][LENGTH + 1];
    size_t at = (size_t)snprintf(path, sizeof path, "%s", bench->directory);
    for (int i = 0; i < 2; i++) {
        at += (size_t)snprintf(path + at, sizeof path - at, "/%0150d", i);
        snprintf(deeper[i], sizeof deeper[i], "%s", path);
        assert_int_equal(mkdir(path, 0777), 0);
    }
    snprintf(path + at, sizeof path - at, "/%0*d", (int)(LENGTH - at - 1), 0);
    foray_run *run = run_create(bench, path);
    assert_ok(bench, play_and_commit(bench, run));
    disk_arm(DISK_WRITES, 1, DISK_FAILS_FROM_NOW_ON);
    assert_fails(bench, FORAY_ERROR_IO, foray_run_close(run));
    disk_disarm();
    run_assert_message(bench, "(disk I/O error");
    assert_ok(bench, foray_run_close(run_reopen(bench, path, FORAY_RUN_WRITE)));
    remove(path);
    remove(deeper[1]);
    remove(deeper[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_full_disk),
        RUN_TEST(test_single_write_failures),
        RUN_TEST(test_read_failures),
        RUN_TEST(test_room_is_made),
        RUN_TEST(test_creation_on_full_disk),
        RUN_TEST(test_failing_rename_costs_nothing),
        RUN_TEST(test_replacing_on_full_disk),
        RUN_TEST(test_garbage_is_replaced),
        RUN_TEST(test_the_system_is_quoted),
        RUN_TEST(test_the_first_cause_stays),
        RUN_TEST(test_long_paths_hide_no_cause),
    };
    disk_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
