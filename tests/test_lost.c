/* test_lost.c - what would be lost is noticed: a disk that fills up while a run is closed, a
 * file that is deleted under a run, a log that was left behind; a process killed at any operation
 * on the disk leaves a run that everybody can read; and what others put beside it does no harm. */
#include "support_disk.h"
#include "support_run.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
        assert_fails(bench, FORAY_ERROR_IO, foray_run_explore(run, 1, &world, steal, &t));
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
static void kill_at_every_operation(run_bench *bench, bool plans, int64_t min)
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
    assert_true(n > min);
}

static void test_killed_while_planning(void **state)
{
    kill_at_every_operation(*state, true, 10);
}

static void test_killed_while_resuming(void **state)
{
    kill_at_every_operation(*state, false, 10);
}

/* ------------------------------------------------------------ beside the file */

static void write_beside(const run_bench *bench, const char *suffix, const void *data, size_t size)
{
    char name[160];
    snprintf(name, sizeof name, "%s%s", bench->path, suffix);
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void refuse(run_bench *bench, const char *path, const char *message)
{
    foray_run *run;
    for (int how = FORAY_RUN_READ; how <= FORAY_RUN_WRITE; how++) {
        assert_fails(bench, FORAY_ERROR_RUN, foray_run_open(bench->ctx, path, how, &run));
        run_assert_message(bench, message);
    }
}

/* A journal that ends with the name of another file, which is the journal of several: SQLite would
 * delete that one. */
static size_t forge_journal(const char *victim, uint8_t *journal)
{
    static const uint8_t magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    enum { SECTOR = 512 };
    uint8_t page[4] = {0, 0, 0, 1}, size[4] = {0}, sum[4] = {0};
    uint32_t total = 0;
    size_t length = strlen(victim), at = SECTOR;
    memset(journal, 0, SECTOR);
    memcpy(journal, magic, sizeof magic);
    journal[22] = 2;    /* sectors of 512 bytes */
    journal[26] = 0x40; /* pages of 16,384 */
    for (size_t i = 0; i < length; i++)
        total += (uint32_t)(int8_t)victim[i];
    for (int i = 0; i < 4; i++) {
        size[i] = (uint8_t)(length >> (24 - 8 * i));
        sum[i] = (uint8_t)(total >> (24 - 8 * i));
    }
    memcpy(journal + at, page, 4);
    memcpy(journal + at + 4, victim, length);
    at += 4 + length;
    memcpy(journal + at, size, 4);
    memcpy(journal + at + 4, sum, 4);
    memcpy(journal + at + 8, magic, sizeof magic);
    return at + 8 + sizeof magic;
}

/* Whatever is asked of the run, by whatever name, and if it is to be replaced: nothing is done. */
static void test_journal_is_refused(void **state)
{
    run_bench *bench = *state;
    uint8_t journal[1024];
    char victim[160];
    foray_run *run;
    run_make(bench, bench->path);
    snprintf(victim, sizeof victim, "%s/victim", bench->directory);
    FILE *file = fopen(victim, "w");
    assert_non_null(file);
    fclose(file);
    write_beside(bench, "-journal", journal, forge_journal(victim, journal));
    assert_int_equal(symlink(bench->path, bench->other), 0);
    refuse(bench, bench->path, "one.foray-journal is beside it");
    refuse(bench, bench->other, "one.foray-journal is beside it");
    assert_fails(bench, FORAY_ERROR_RUN,
                 foray_run_create(bench->ctx, bench->path, FORAY_RUN_REPLACE, bench->model, "",
                                  &bench->settings, &run));
    assert_int_equal(access(victim, F_OK), 0);
    write_beside(bench, "-journal", "", 0);
    refuse(bench, bench->path, "one.foray-journal is beside it");
}

/* A log or its index that belongs to something else, too, is not written to. */
static void test_links_beside_are_refused(void **state)
{
    static const char *const suffix[] = {"-wal", "-shm"};
    run_bench *bench = *state;
    char name[160];
    run_make(bench, bench->path);
    write_beside(bench, "-mine", "mine", 4);
    snprintf(bench->other, sizeof bench->other, "%s/one.foray-mine", bench->directory);
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s%s", bench->path, suffix[i]);
        assert_int_equal(link(bench->other, name), 0);
        refuse(bench, bench->path, "is a link, has other names");
        remove(name);
        assert_int_equal(symlink(bench->other, name), 0);
        refuse(bench, bench->path, "is a link, has other names");
        remove(name);
        assert_int_equal(mkfifo(name, 0600), 0);
        refuse(bench, bench->path, "is not a file");
        remove(name);
        assert_int_equal(run_file_size(bench->other), 4);
    }
    foray_run_close(run_reopen(bench, bench->path, FORAY_RUN_WRITE));
}

/* Killed, and moved without its log: that shows, until somebody says that there is none. Closed by
 * a writer, it is one file. */
static void test_log_left_behind(void **state)
{
    run_bench *bench = *state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        foray_run *run = run_create(bench, bench->other);
        _exit(run_finish(bench, run) == FORAY_OK && foray_run_save(run) == FORAY_OK ? 0 : 1);
    }
    int end;
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_true(WIFEXITED(end) && WEXITSTATUS(end) == 0);
    run_copy_file(bench->other, bench->path);
    refuse(bench, bench->path, "its latest episodes are missing");
    write_beside(bench, "-wal", "", 0);
    foray_run *run = run_reopen(bench, bench->path, FORAY_RUN_READ);
    assert_int_equal(foray_run_saved(run), 300); /* what had been moved into the file */
    foray_run_close(run);
    assert_ok(bench, foray_run_close(run_reopen(bench, bench->path, FORAY_RUN_WRITE)));
    static const char *const suffix[] = {"-wal", "-shm", "-lock"};
    for (int i = 0; i < 3; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s%s", bench->path, suffix[i]);
        assert_int_equal(access(name, F_OK), -1);
    }
}

/* What is no run is left as it is, with its log, even if it was to be written. */
static void test_other_databases_are_left_alone(void **state)
{
    run_bench *bench = *state;
    char log[160];
    sqlite3 *db;
    foray_run *run;
    snprintf(log, sizeof log, "%s-wal", bench->path);
    assert_int_equal(sqlite3_open(bench->path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "PRAGMA journal_mode = WAL; CREATE TABLE t(x)", NULL, NULL, NULL),
        SQLITE_OK);
    int keep = 1;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_close(db);
    long size = run_file_size(log), bytes = run_file_size(bench->path);
    assert_true(size > 0);
    assert_fails(bench, FORAY_ERROR_RUN,
                 foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run));
    run_assert_message(bench, "of something else");
    assert_int_equal(run_file_size(log), size);
    assert_int_equal(run_file_size(bench->path), bytes);
}

/* ------------------------------------------------------------- descriptors of others */

/* What a double close does: the number of the descriptor that leads to `path` leads to the other
 * file instead. */
static void take_descriptor(const char *path, const char *victim)
{
    struct stat mine, about;
    int other = open(victim, O_RDWR), taken = -1;
    assert_true(other >= 0);
    assert_int_equal(stat(path, &mine), 0);
    for (int fd = 3; fd < 256 && taken < 0; fd++)
        if (fstat(fd, &about) == 0 && about.st_dev == mine.st_dev && about.st_ino == mine.st_ino)
            taken = dup2(other, fd);
    assert_true(taken >= 0);
    close(other);
}

static void test_files_of_others_are_not_written(void **state)
{
    enum { SIZE = 100000 };
    static const char *const suffix[] = {"", "-wal", "-shm"};
    run_bench *bench = *state;
    uint8_t *before = calloc(SIZE, 1), *after = malloc(SIZE);
    assert_true(before && after);
    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
        char name[160];
        FILE *file = fopen(bench->other, "wb");
        assert_true(file && fwrite(before, 1, SIZE, file) == SIZE && fclose(file) == 0);
        foray_run *run = run_create(bench, bench->path);
        snprintf(name, sizeof name, "%s%s", bench->path, suffix[i]);
        take_descriptor(name, bench->other);
        assert_fails(bench, FORAY_ERROR_IO, run_finish(bench, run));
        run_assert_message(bench, "closed descriptors that are not its own");
        foray_run_close(run);
        assert_int_equal(run_file_size(bench->other), SIZE);
        file = fopen(bench->other, "rb");
        assert_true(file && fread(after, 1, SIZE, file) == SIZE && fclose(file) == 0);
        assert_memory_equal(before, after, SIZE);
        remove_run(bench->path);
    }
    free(before);
    free(after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_closing_on_full_disk),
        RUN_TEST(test_deleted_while_exploring),
        RUN_TEST(test_deleted_before_closing),
        RUN_TEST(test_killed_while_planning),
        RUN_TEST(test_killed_while_resuming),
        RUN_TEST(test_journal_is_refused),
        RUN_TEST(test_links_beside_are_refused),
        RUN_TEST(test_log_left_behind),
        RUN_TEST(test_other_databases_are_left_alone),
        RUN_TEST(test_files_of_others_are_not_written),
    };
    disk_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
