/* test_disk.c - disks that fail: every write, sync and read in turn. Nothing that
 * was acknowledged is lost, and the run goes on once the disk is well again.
 *
 * A shim between SQLite and the system counts operations and makes the n-th of
 * them fail, or all from the n-th on. */
#include "support_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* -------------------------------------------------------------------- shim */

enum { WRITES = 1, READS = 2 };

static struct {
    sqlite3_vfs *real;
    int kinds;       /* which operations count; 0: none */
    int64_t fail_at; /* the operation that fails, counted from 1 */
    bool lasting;    /* and all after it */
    int64_t count;
    bool failed;
    bool no_rename; /* renaming fails */
} disk;

/* Stands in front of the system's. */
int rename(const char *from, const char *to)
{
    if (!disk.no_rename)
        return renameat(AT_FDCWD, from, AT_FDCWD, to);
    errno = EIO;
    return -1;
}

typedef struct shim_file {
    sqlite3_file base;
    sqlite3_file *real;
} shim_file;

static sqlite3_file *inside(sqlite3_file *file)
{
    return ((shim_file *)file)->real;
}

/* Counts an operation: must it fail? */
static bool fails(int kind)
{
    if ((disk.kinds & kind) == 0)
        return false;
    disk.count++;
    bool now = disk.count == disk.fail_at || (disk.lasting && disk.count > disk.fail_at);
    disk.failed = disk.failed || now;
    return now;
}

static int shim_close(sqlite3_file *file)
{
    return inside(file)->pMethods->xClose(inside(file));
}

static int shim_read(sqlite3_file *file, void *data, int size, sqlite3_int64 at)
{
    if (fails(READS))
        return SQLITE_IOERR_READ;
    return inside(file)->pMethods->xRead(inside(file), data, size, at);
}

static int shim_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 at)
{
    if (fails(WRITES))
        return SQLITE_FULL;
    return inside(file)->pMethods->xWrite(inside(file), data, size, at);
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    if (fails(WRITES))
        return SQLITE_IOERR_TRUNCATE;
    return inside(file)->pMethods->xTruncate(inside(file), size);
}

/* The test survives no power cut, so it need not wait for the disk. */
static int shim_sync(sqlite3_file *file, int flags)
{
    (void)file, (void)flags;
    return fails(WRITES) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int shim_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return inside(file)->pMethods->xFileSize(inside(file), size);
}

static int shim_lock(sqlite3_file *file, int level)
{
    return inside(file)->pMethods->xLock(inside(file), level);
}

static int shim_unlock(sqlite3_file *file, int level)
{
    return inside(file)->pMethods->xUnlock(inside(file), level);
}

static int shim_check_lock(sqlite3_file *file, int *result)
{
    return inside(file)->pMethods->xCheckReservedLock(inside(file), result);
}

static int shim_control(sqlite3_file *file, int what, void *argument)
{
    return inside(file)->pMethods->xFileControl(inside(file), what, argument);
}

static int shim_sector(sqlite3_file *file)
{
    return inside(file)->pMethods->xSectorSize(inside(file));
}

static int shim_traits(sqlite3_file *file)
{
    return inside(file)->pMethods->xDeviceCharacteristics(inside(file));
}

static int shim_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out)
{
    return inside(file)->pMethods->xShmMap(inside(file), page, size, extend, out);
}

static int shim_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return inside(file)->pMethods->xShmLock(inside(file), offset, count, flags);
}

static void shim_shm_barrier(sqlite3_file *file)
{
    inside(file)->pMethods->xShmBarrier(inside(file));
}

static int shim_shm_unmap(sqlite3_file *file, int erase)
{
    return inside(file)->pMethods->xShmUnmap(inside(file), erase);
}

static const sqlite3_io_methods shim_methods = {
    .iVersion = 2,
    .xClose = shim_close,
    .xRead = shim_read,
    .xWrite = shim_write,
    .xTruncate = shim_truncate,
    .xSync = shim_sync,
    .xFileSize = shim_size,
    .xLock = shim_lock,
    .xUnlock = shim_unlock,
    .xCheckReservedLock = shim_check_lock,
    .xFileControl = shim_control,
    .xSectorSize = shim_sector,
    .xDeviceCharacteristics = shim_traits,
    .xShmMap = shim_shm_map,
    .xShmLock = shim_shm_lock,
    .xShmBarrier = shim_shm_barrier,
    .xShmUnmap = shim_shm_unmap,
};

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    (void)vfs;
    shim_file *shim = (shim_file *)file;
    shim->real = (sqlite3_file *)(shim + 1);
    shim->base.pMethods = NULL;
    int rc = disk.real->xOpen(disk.real, name, shim->real, flags, out);
    if (rc == SQLITE_OK)
        shim->base.pMethods = &shim_methods;
    return rc;
}

static void install_shim(void)
{
    static sqlite3_vfs shim;
    disk.real = sqlite3_vfs_find(NULL);
    shim = *disk.real;
    shim.zName = "shim";
    shim.szOsFile = (int)sizeof(shim_file) + disk.real->szOsFile;
    shim.xOpen = shim_open;
    assert_int_equal(sqlite3_vfs_register(&shim, 1), SQLITE_OK);
}

static void arm(int kinds, int64_t fail_at, bool lasting)
{
    disk.kinds = kinds;
    disk.fail_at = fail_at;
    disk.lasting = lasting;
    disk.count = 0;
    disk.failed = false;
}

static void disarm(void)
{
    disk.kinds = 0;
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
    status = foray_run_explore(run, world, remember, &acknowledged);
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

static void fail_every_operation(run_bench *bench, int kinds, bool lasting, int64_t least)
{
    run_digest whole;
    prepare(bench, &whole);
    int64_t n = 0;
    do {
        remove(bench->path);
        run_copy_file(bench->other, bench->path);
        arm(kinds, ++n, lasting);
        int64_t acknowledged = explore_on_bad_disk(bench);
        disarm();
        check_after(bench, acknowledged, &whole);
    } while (disk.failed);
    assert_true(n > least);
}

static void test_full_disk(void **state)
{
    fail_every_operation(*state, WRITES, true, 40);
}

static void test_single_write_failures(void **state)
{
    fail_every_operation(*state, WRITES, false, 40);
}

static void test_read_failures(void **state)
{
    fail_every_operation(*state, READS, false, 10);
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
    arm(WRITES, 1, true);
    assert_fails(bench, FORAY_ERROR_IO, run_finish(bench, run));
    run_assert_message(bench, "the disk is full");
    assert_int_equal(foray_run_saved(run), 40);
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    const foray_reward *rewards[] = {reward};
    foray_policy *policy = NULL;
    assert_fails(bench, FORAY_ERROR_IO, foray_run_plan(run, 1, rewards, FORAY_PLUGIN, &policy));
    assert_fails(bench, FORAY_ERROR_IO, foray_run_extend(run, 500));
    assert_int_equal(foray_run_settings(run)->episodes, 160);
    disarm();
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
        arm(WRITES, ++n, true);
        foray_status status = foray_run_create(bench->ctx, bench->path, FORAY_RUN_NEW, bench->model,
                                               "", &bench->settings, &run);
        disarm();
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
    } while (disk.failed);
    assert_true(n > 5);
}

/* ----------------------------------------------------------------- replacing */

/* A process dies over a run: what it saved is in the log. */
static void make_unclean_run(run_bench *bench)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        foray_run *run = run_create(bench, bench->path);
        _exit(run_finish(bench, run) == FORAY_OK ? 0 : 1);
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
    disk.no_rename = true;
    assert_fails(bench, FORAY_ERROR_IO, replace(bench));
    disk.no_rename = false;
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
        arm(WRITES, ++n, true);
        foray_status status = replace(bench);
        disarm();
        int64_t saved = saved_episodes(bench);
        assert_true(status == FORAY_OK ? saved == 0 : saved == 0 || saved == 20);
        kept += saved == 20;
    } while (disk.failed);
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
    };
    install_shim();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
