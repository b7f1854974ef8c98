/* test_damage.c - files that are not, or no longer, runs: each is refused with
 * its cause, and damage is either found or harmless, wherever it sits. */
#include "support_run.h"

#include "run/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void refuse(run_bench *bench, const char *path, foray_status status, const char *message)
{
    foray_run *run;
    for (int how = FORAY_RUN_READ; how <= FORAY_RUN_WRITE; how++) {
        assert_fails(bench, status, foray_run_open(bench->ctx, path, how, &run));
        run_assert_message(bench, message);
        run_assert_message(bench, path);
    }
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* ----------------------------------------------------------------- foreign */

static void test_missing(void **state)
{
    run_bench *bench = *state;
    refuse(bench, bench->path, FORAY_ERROR_IO, strerror(ENOENT));
    foray_run *run;
    assert_fails(bench, FORAY_ERROR_IO,
                 foray_run_create(bench->ctx, "no/such/directory/x.foray", FORAY_RUN_NEW,
                                  bench->model, "", &bench->settings, &run));
    run_assert_message(bench, "its directory does not exist");
    refuse(bench, bench->directory, FORAY_ERROR_INPUT, "this is a directory, but a run is");
}

static void refuse_to_replace(run_bench *bench, const char *path)
{
    foray_run *run;
    assert_fails(bench, FORAY_ERROR_IO,
                 foray_run_create(bench->ctx, path, FORAY_RUN_REPLACE, bench->model, "",
                                  &bench->settings, &run));
    run_assert_message(bench, "not an ordinary file");
}

/* As root, a rename would turn even /dev/null into a run. */
static void test_only_files_are_replaced(void **state)
{
    run_bench *bench = *state;
    struct stat about;
    assert_int_equal(mkfifo(bench->path, 0600), 0);
    assert_int_equal(symlink(bench->path, bench->other), 0);
    refuse_to_replace(bench, bench->path);
    refuse_to_replace(bench, bench->other);
    refuse_to_replace(bench, bench->directory);
    assert_true(stat(bench->other, &about) == 0 && S_ISFIFO(about.st_mode));
}

static void test_foreign_files(void **state)
{
    run_bench *bench = *state;
    write_file(bench->path, "", 0);
    refuse(bench, bench->path, FORAY_ERROR_RUN, "empty");
    char text[4096];
    memset(text, 'x', sizeof text);
    write_file(bench->path, text, sizeof text);
    refuse(bench, bench->path, FORAY_ERROR_RUN, "not an SQLite database");
    write_file(bench->path, text, 10);
    refuse(bench, bench->path, FORAY_ERROR_RUN, "not an SQLite database");
    remove(bench->path);
    run_sql(bench->path, "CREATE TABLE t(x)");
    refuse(bench, bench->path, FORAY_ERROR_RUN, "of something else");
}

static void test_other_format(void **state)
{
    run_bench *bench = *state;
    run_make(bench, bench->path);
    run_sql(bench->path, "PRAGMA user_version = 2");
    refuse(bench, bench->path, FORAY_ERROR_RUN,
           "made by another version of Foray: it has format 2");
    run_sql(bench->path, "PRAGMA user_version = 0");
    refuse(bench, bench->path, FORAY_ERROR_RUN, "it has format 0");
}

/* Root may write everything: be someone else for a while. */
static void test_read_only(void **state)
{
    run_bench *bench = *state;
    run_make(bench, bench->path);
    bool root = geteuid() == 0;
    assert_int_equal(chmod(bench->path, 0444), 0);
    assert_int_equal(chmod(bench->directory, 0755), 0);
    if (root)
        assert_int_equal(seteuid(65534), 0);
    else
        assert_int_equal(chmod(bench->directory, 0555), 0);
    foray_run *run;
    foray_status written = foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run);
    foray_status created = foray_run_create(bench->ctx, bench->other, FORAY_RUN_NEW, bench->model,
                                            "", &bench->settings, &run);
    foray_status opened = foray_run_open(bench->ctx, bench->path, FORAY_RUN_READ, &run);
    foray_status verified = opened == FORAY_OK ? foray_run_verify(run) : opened;
    if (opened == FORAY_OK)
        foray_run_close(run);
    if (root)
        assert_int_equal(seteuid(0), 0);
    else
        assert_int_equal(chmod(bench->directory, 0755), 0);
    assert_int_equal(written, FORAY_ERROR_IO);
    assert_int_equal(created, FORAY_ERROR_IO);
    /* A run that was closed needs nothing beside it to be read. */
    assert_int_equal(opened, FORAY_OK);
    assert_int_equal(verified, FORAY_OK);
}

static void test_read_only_file_in_writable_directory(void **state)
{
    run_bench *bench = *state;
    run_make(bench, bench->path);
    bool root = geteuid() == 0;
    assert_int_equal(chmod(bench->path, 0444), 0);
    assert_int_equal(chmod(bench->directory, 0777), 0);
    if (root)
        assert_int_equal(seteuid(65534), 0);
    foray_run *run;
    foray_status written = foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run);
    if (root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(written, FORAY_ERROR_IO);
    run_assert_message(bench, "read-only");
}

/* ----------------------------------------------------------------- damaged */

/* The file with everything a run can hold. */
static void make_full_run(run_bench *bench, run_digest *digest)
{
    bench->settings.episodes = 60;
    foray_run *run;
    assert_ok(bench, foray_run_create(bench->ctx, bench->path, FORAY_RUN_NEW, bench->model, "test",
                                      &bench->settings, &run));
    run->room = 13;
    assert_ok(bench, run_finish(bench, run));
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    const foray_reward *rewards[] = {reward};
    foray_policy *policy;
    assert_ok(bench, foray_run_plan(run, 1, rewards, FORAY_PLUGIN, &policy));
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    assert_ok(bench, run_take_digest(run, digest));
    foray_run_close(run);
}

/* Opens and reads everything: an error, or exactly what was written. Says which. */
static bool found_or_harmless(run_bench *bench, const run_digest *whole)
{
    foray_run *run;
    foray_status status = foray_run_open(bench->ctx, bench->other, FORAY_RUN_READ, &run);
    if (status == FORAY_OK) {
        run_digest digest;
        status = run_take_digest(run, &digest);
        foray_status verified = foray_run_verify(run);
        if (status == FORAY_OK && (verified == FORAY_OK || digest.episodes == whole->episodes))
            run_assert_same(whole, &digest);
        if (status == FORAY_OK)
            status = verified;
        foray_run_close(run);
    }
    if (status != FORAY_OK && status != FORAY_ERROR_RUN && status != FORAY_ERROR_IO)
        fail_msg("status %d: %s", status, foray_message(bench->ctx));
    return status != FORAY_OK;
}

static void flip(const char *path, long at, uint8_t bits)
{
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    uint8_t byte;
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= bits;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

/* The header and the start of every page byte by byte, the rest in strides
 * that are no multiple of anything. */
static void test_flipped_bytes(void **state)
{
    run_bench *bench = *state;
    run_digest whole;
    make_full_run(bench, &whole);
    run_copy_file(bench->path, bench->other);
    long size = run_file_size(bench->path), tried = 0, found = 0;
    for (long at = 0; at < size; at += at % 16384 < 40 || at < 110 ? 1 : 211) {
        uint8_t bits = (uint8_t)(1 << (at % 8)) | (at % 3 == 0 ? 0x80 : 0);
        flip(bench->other, at, bits);
        found += found_or_harmless(bench, &whole);
        flip(bench->other, at, bits);
        tried++;
    }
    /* Most of a small file is unused space, but not all of it. */
    assert_true(tried > 500 && found > tried / 20);
    assert_false(found_or_harmless(bench, &whole));
}

static bool keep_mode(void *user, int64_t id, int64_t episodes, const char *reward_name,
                      const char *reward_json, const foray_policy *policy)
{
    (void)id, (void)episodes, (void)reward_name, (void)reward_json;
    *(foray_mode *)user = policy->mode;
    return true;
}

/* Plan 0 with another mode, radius and bound, and a checksum that fits: what anyone may write. */
static void forge_plan(run_bench *bench, foray_run *run, const char *mode, int64_t radius,
                       int64_t bound, int64_t proof)
{
    int64_t reward_bytes, policy_bytes;
    assert_ok(bench, fy_store_begin(run->store, true));
    assert_ok(bench, fy_store_number(run->store, "SELECT reward_bytes FROM plan", &reward_bytes));
    assert_ok(bench, fy_store_number(run->store, "SELECT policy_bytes FROM plan", &policy_bytes));
    fy_row row;
    fy_row_prepare(&row, run->store, "plans",
                   "REPLACE INTO plan(id, episodes, reward, mode, optimistic, plugin, pessimistic,"
                   " expected, low, high, gap, delta, radius, bound, status, own, reward_bytes,"
                   " policy_bytes, crc) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
                   " ?13, ?14, ?15, ?16, ?17, ?18, ?19)");
    fy_row_put_int(&row, 0);
    fy_row_put_int(&row, 60);
    fy_row_put_text(&row, "goal");
    fy_row_put_text(&row, mode);
    for (int i = 0; i < 8; i++)
        fy_row_put_real(&row, 0.5);
    fy_row_put_int(&row, radius);
    fy_row_put_int(&row, bound);
    fy_row_put_int(&row, proof);
    fy_row_put_int(&row, 0);
    fy_row_put_int(&row, reward_bytes);
    fy_row_put_int(&row, policy_bytes);
    assert_ok(bench, fy_row_insert(&row));
    assert_ok(bench, fy_store_commit(run->store, &run->store->head));
}

/* What there is not is damage, whatever the checksum says, also where a cast would make something
 * of it; what there is, is not. */
static void test_unknown_choices(void **state)
{
    run_bench *bench = *state;
    run_digest whole;
    foray_run *run;
    foray_mode found = FORAY_MODES;
    make_full_run(bench, &whole);
    assert_ok(bench, foray_run_open(bench->ctx, bench->path, FORAY_RUN_WRITE, &run));
    enum { RADIUS = FORAY_RADIUS_SHARP, BOUND = FORAY_BOUND_GAP, PROOF = FORAY_CERTIFIED };
    const int64_t wrap = (int64_t)1 << 32;
    forge_plan(bench, run, "pessimistic", RADIUS, BOUND, PROOF);
    assert_ok(bench, foray_run_plans(run, keep_mode, &found));
    assert_int_equal(found, FORAY_PESSIMISTIC);
    forge_plan(bench, run, "hopeful", RADIUS, BOUND, PROOF);
    assert_int_equal(foray_run_plans(run, keep_mode, &found), FORAY_ERROR_RUN);
    forge_plan(bench, run, "pessimistic", RADIUS + wrap, BOUND, PROOF);
    assert_int_equal(foray_run_plans(run, keep_mode, &found), FORAY_ERROR_RUN);
    forge_plan(bench, run, "pessimistic", RADIUS, BOUND - wrap, PROOF);
    assert_int_equal(foray_run_plans(run, keep_mode, &found), FORAY_ERROR_RUN);
    forge_plan(bench, run, "pessimistic", RADIUS, BOUND, PROOF + wrap);
    assert_int_equal(foray_run_plans(run, keep_mode, &found), FORAY_ERROR_RUN);
    foray_run_close(run);
}

/* Where the content lies byte by byte: every flip in a blob or a text is found. */
static void test_flipped_content(void **state)
{
    run_bench *bench = *state;
    run_digest whole;
    make_full_run(bench, &whole);
    static const char *const damage[] = {
        "UPDATE setting SET value = '0.2' WHERE name = 'delta'",
        "DELETE FROM setting WHERE name = 'delta'",
        "UPDATE setting SET name = 'dleta' WHERE name = 'delta'",
        "UPDATE setting SET value = 8 WHERE name = 'seed'",
        "UPDATE meta SET value = 'elsewhere' WHERE name = 'world'",
        "UPDATE meta SET value = '12' WHERE name = 'model_bytes'",
        "DELETE FROM meta WHERE name = 'version'",
        "UPDATE piece SET data = substr(data, 1, 100) WHERE kind = 'model'",
        "UPDATE piece SET data = zeroblob(9) || substr(data, 10) WHERE kind = 'model'",
        "DELETE FROM piece WHERE kind = 'model'",
        "UPDATE piece SET kind = 'model', part = 1 WHERE kind = 'policy'",
        "UPDATE episodes SET count = count - 1 WHERE first = 13",
        "UPDATE episodes SET first = first + 1 WHERE first = 13",
        "UPDATE episodes SET data = substr(data, 1, length(data) - 1) || x'05' WHERE first = 13",
        "UPDATE episodes SET data = substr(data, 2) WHERE first = 13",
        "UPDATE episodes SET data = 'text' WHERE first = 13",
        "UPDATE episodes SET data = NULL WHERE first = 13",
        "DELETE FROM episodes WHERE first = 13",
        "DELETE FROM episodes WHERE first = 52",
        "DELETE FROM episodes",
        "INSERT INTO episodes SELECT first + 60, count, crc, data FROM episodes WHERE first = 52",
        "UPDATE trace SET bound = bound / 2 WHERE episodes = 3",
        "UPDATE trace SET bound = NULL WHERE episodes = 3",
        "DELETE FROM trace WHERE episodes = 3",
        "UPDATE plan SET gap = gap + 0.25",
        "UPDATE plan SET mode = 'optimistic'",
        "UPDATE plan SET expected = 1.5",
        "UPDATE plan SET bound = 0",
        "UPDATE plan SET id = 5",
        "DELETE FROM plan",
        "UPDATE piece SET data = zeroblob(length(data)) WHERE kind = 'policy'",
        "DELETE FROM piece WHERE kind = 'policy'",
        "UPDATE piece SET data = replace(data, '1', '0') WHERE kind = 'reward'",
        "UPDATE head SET episodes = episodes - 1",
        "UPDATE head SET plans = 0",
        "DELETE FROM head",
        "UPDATE head SET id = 1",
        "DROP TABLE trace",
        "DROP TABLE episodes",
        "ALTER TABLE plan RENAME TO nalp",
        "ALTER TABLE trace RENAME TO old; CREATE VIEW trace AS SELECT * FROM old",
    };
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        run_copy_file(bench->path, bench->other);
        run_sql(bench->other, damage[i]);
        if (!found_or_harmless(bench, &whole))
            fail_msg("not found: %s", damage[i]);
    }
}

static void test_truncated(void **state)
{
    run_bench *bench = *state;
    run_digest whole;
    make_full_run(bench, &whole);
    long size = run_file_size(bench->path);
    for (long keep = 1; keep < size; keep += keep < 200 ? 33 : 4099) {
        run_copy_file(bench->path, bench->other);
        assert_int_equal(truncate(bench->other, keep), 0);
        assert_true(found_or_harmless(bench, &whole));
        assert_int_equal(strncmp(foray_message(bench->ctx), bench->other, strlen(bench->other)), 0);
    }
}

/* Other bits in the first byte of the first episode: of its state (3), its action (2), and which
 * successor followed (1). */
static void change_batch(run_bench *bench, const uint8_t *data, size_t size, int64_t bytes,
                         uint8_t bits, uint8_t **out, size_t *packed)
{
    fy_unpacking *unpacking;
    uint8_t plain[4096];
    assert_true(bytes <= (int64_t)sizeof plain);
    assert_ok(bench, fy_unpack_begin(bench->ctx, data, size, &unpacking));
    assert_ok(bench, fy_unpack_next(unpacking, plain, (size_t)bytes));
    fy_unpack_end(unpacking);
    plain[0] ^= bits;
    assert_ok(bench, fy_pack(bench->ctx, plain, (size_t)bytes, 0, out, packed));
}

/* Content that is intact and false: only replaying it can tell. */
static void put_episode_zero(run_bench *bench, uint8_t bits)
{
    fy_store *store;
    fy_row row;
    const size_t episode_bytes = 4;
    assert_ok(bench, fy_store_open(bench->ctx, bench->other, true, &store));
    fy_row_prepare(&row, store, "episodes",
                   "SELECT first, count, data, crc FROM episodes WHERE first = 0");
    assert_true(fy_row_next(&row));
    int64_t count = (fy_row_int(&row), fy_row_int(&row));
    size_t size, changed_size;
    const uint8_t *data = fy_row_blob(&row, &size);
    uint8_t *changed;
    change_batch(bench, data, size, count * (int64_t)episode_bytes, bits, &changed, &changed_size);
    assert_true(fy_row_intact(&row));
    assert_ok(bench, fy_row_end(&row));
    fy_row_prepare(&row, store, "episodes",
                   "REPLACE INTO episodes(first, count, data, crc) VALUES(?1, ?2, ?3, ?4)");
    fy_row_put_int(&row, 0);
    fy_row_put_int(&row, count);
    fy_row_put_blob(&row, changed, changed_size);
    assert_ok(bench, fy_row_insert(&row));
    free(changed);
    fy_store_close(store);
}

static void test_false_content(void **state)
{
    run_bench *bench = *state;
    run_digest whole;
    make_full_run(bench, &whole);
    foray_run *run;
    enum { STATE = 1, NO_STATE = 4, ACTION = 8, NEXT = 32 };
    struct {
        uint8_t bits;
        const char *message;
    } lies[] = {{ACTION, "action"}, {NO_STATE, "out of range"}, {NEXT, "seed"}, {STATE, "seed"}};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        run_copy_file(bench->path, bench->other);
        put_episode_zero(bench, lies[i].bits);
        assert_ok(bench, foray_run_open(bench->ctx, bench->other, FORAY_RUN_READ, &run));
        assert_fails(bench, FORAY_ERROR_RUN, foray_run_verify(run));
        if (lies[i].bits != ACTION)
            run_assert_message(bench, lies[i].message);
        foray_run_close(run);
    }
    /* Without a checkpoint behind them, opening has to replay the episodes. */
    run_copy_file(bench->path, bench->other);
    put_episode_zero(bench, ACTION);
    run_sql(bench->other, "DELETE FROM checkpoint");
    refuse(bench, bench->other, FORAY_ERROR_RUN, "episode 0");
}

/* ----------------------------------------------------------------- hostile */

/* The checksums fit, and the table computes them, and whatever else it likes; what comes with a
 * table, too. All that is not ours is named, and cannot be taken for ours. */
static void test_foreign_sql(void **state)
{
    static const struct {
        const char *sql, *name;
    } rows[] = {
        {"PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = 'CREATE TABLE trace(episodes"
         " INTEGER PRIMARY KEY, plans INTEGER, bound REAL, crc INTEGER AS"
         " (length(hex(zeroblob(400000000)))))' WHERE name = 'trace'",
         "\"trace\""},
        {"ALTER TABLE meta ADD COLUMN more TEXT AS (hex(zeroblob(300000000)))", "\"meta\""},
        {"CREATE INDEX slow ON meta(length(hex(zeroblob(1000))))", "\"slow\""},
        {"CREATE VIEW other AS SELECT 1", "\"other\""},
        {"CREATE TRIGGER gone AFTER INSERT ON trace BEGIN DELETE FROM trace; END", "\"gone\""},
        {"ANALYZE", "\"sqlite_stat1\""},
        {"DROP TABLE checkpoint", "no table \"checkpoint\""},
        {"DROP TABLE head; CREATE TABLE head(id INTEGER PRIMARY KEY)", "\"head\""},
    };
    run_bench *bench = *state;
    run_make(bench, bench->other);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run_copy_file(bench->other, bench->path);
        run_sql(bench->path, rows[i].sql);
        refuse(bench, bench->path, FORAY_ERROR_RUN, rows[i].name);
    }
}

/* SQLite parses all of them before anyone can look: 200,000 took it three minutes. */
static void test_many_tables(void **state)
{
    run_bench *bench = *state;
    run_make(bench, bench->path);
    run_sql(bench->path,
            "PRAGMA writable_schema = 1;"
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 20000)"
            " INSERT INTO sqlite_master(type, name, tbl_name, rootpage, sql)"
            " SELECT 'table', 't' || x, 't' || x, 2, 'CREATE TABLE t' || x || '(a)' FROM c");
    refuse(bench, bench->path, FORAY_ERROR_RUN, "reading it comes to no end");
}

static int64_t number(const char *path, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t found = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return found;
}

enum { PAGE = 16384 };

/* A page of a table's tree with many children, which are all the same page. */
static void fill_page(uint8_t *page, uint32_t child)
{
    enum { CELLS = 1000, CELL = 6 };
    memset(page, 0, PAGE);
    page[0] = 5;
    page[3] = CELLS >> 8, page[4] = CELLS & 0xff;
    int start = PAGE - CELLS * CELL;
    page[5] = (uint8_t)(start >> 8), page[6] = (uint8_t)start;
    for (int b = 0; b < 4; b++)
        page[8 + b] = (uint8_t)(child >> (24 - 8 * b));
    for (int i = 0; i < CELLS; i++) {
        int at = start + i * CELL;
        page[12 + 2 * i] = (uint8_t)(at >> 8), page[13 + 2 * i] = (uint8_t)at;
        memcpy(page + at, page + 8, 4);
        page[at + 4] = 0x80 | 1, page[at + 5] = 1; /* the key */
    }
}

/* Eight such pages on top of each other: a table with as many rows as there are atoms. */
static void test_endless_table(void **state)
{
    enum { LEVELS = 8 };
    static const char *const tables[] = {"trace", "setting", "plan", "episodes"};
    run_bench *bench = *state;
    uint8_t page[PAGE];
    run_make(bench, bench->other);
    int64_t pages = run_file_size(bench->other) / PAGE;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char sql[100];
        snprintf(sql, sizeof sql, "SELECT rootpage FROM sqlite_master WHERE name = '%s'",
                 tables[i]);
        int64_t root = number(bench->other, sql);
        run_copy_file(bench->other, bench->path);
        int fd = open(bench->path, O_RDWR);
        assert_true(fd >= 0);
        assert_int_equal(pread(fd, page, PAGE, (root - 1) * PAGE), PAGE);
        for (int level = 0; level <= LEVELS; level++) {
            int64_t at = level == LEVELS ? root - 1 : pages + level;
            assert_int_equal(pwrite(fd, page, PAGE, at * PAGE), PAGE);
            fill_page(page, (uint32_t)(at + 1));
        }
        uint8_t count[4] = {0, 0, 0, (uint8_t)(pages + LEVELS)};
        assert_int_equal(pwrite(fd, count, 4, 28), 4);
        close(fd);
        foray_run *run;
        assert_fails(bench, FORAY_ERROR_RUN,
                     foray_run_open(bench->ctx, bench->path, FORAY_RUN_READ, &run));
    }
}

/* Damage in the log ends it early, as a crash would: older, but consistent. */
static void test_damaged_log(void **state)
{
    run_bench *bench = *state;
    foray_run *run;
    bench->settings.episodes = 60;
    assert_ok(bench, foray_run_create(bench->ctx, bench->path, FORAY_RUN_NEW, bench->model, "test",
                                      &bench->settings, &run));
    run->room = 13;
    assert_ok(bench, run_finish(bench, run));
    char log[128], other_log[128], index[128];
    snprintf(log, sizeof log, "%s-wal", bench->path);
    snprintf(other_log, sizeof other_log, "%s-wal", bench->other);
    snprintf(index, sizeof index, "%s-shm", bench->other);
    long size = run_file_size(log);
    for (long at = 0; at < size; at += 5003) {
        run_copy_file(bench->path, bench->other);
        run_copy_file(log, other_log);
        remove(index);
        flip(other_log, at, 0x10);
        foray_run *found;
        assert_ok(bench, foray_run_open(bench->ctx, bench->other, FORAY_RUN_WRITE, &found));
        assert_true(foray_run_saved(found) <= 60);
        assert_ok(bench, foray_run_verify(found));
        assert_ok(bench, run_finish(bench, found));
        assert_int_equal(foray_run_saved(found), 60);
        foray_run_close(found);
    }
    foray_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_missing),         RUN_TEST(test_only_files_are_replaced),
        RUN_TEST(test_foreign_files),   RUN_TEST(test_other_format),
        RUN_TEST(test_read_only),       RUN_TEST(test_read_only_file_in_writable_directory),
        RUN_TEST(test_unknown_choices), RUN_TEST(test_flipped_bytes),
        RUN_TEST(test_flipped_content), RUN_TEST(test_truncated),
        RUN_TEST(test_false_content),   RUN_TEST(test_damaged_log),
        RUN_TEST(test_foreign_sql),     RUN_TEST(test_many_tables),
        RUN_TEST(test_endless_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
