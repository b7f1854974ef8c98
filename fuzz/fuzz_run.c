/* Run files, sound and damaged: opening, describing and verifying one either works or says what
 * is wrong. Checksums would find every change at the gate, so that they are also repaired: what
 * is behind them must cope with anything, too.
 *
 * Input that begins as a database does is one, damaged anywhere. SQLite refuses nearly all of
 * them, so that any other input is read as changes of cells of a small sound run: which table,
 * row and column, and what is put there. --seed=FILE writes that run, as a seed. */
#include "fuzz.h"

#include <math.h>
#include <sqlite3.h>

#include "base/base.h"

/* ------------------------------------------------------------------- checksums */

static uint32_t add_bits(uint32_t crc, uint64_t bits)
{
    uint8_t byte[8];
    for (int i = 0; i < 8; i++)
        byte[i] = (uint8_t)(bits >> (8 * i));
    return fy_crc32c(crc, byte, sizeof byte);
}

/* row_crc(column, ...): the checksum that a row of these should have (src/run/row.c). */
static void row_crc(sqlite3_context *call, int count, sqlite3_value **value)
{
    uint32_t crc = 0;
    for (int i = 0; i < count; i++) {
        uint64_t bits = UINT64_MAX;
        double real = sqlite3_value_double(value[i]);
        switch (sqlite3_value_type(value[i])) {
        case SQLITE_INTEGER:
            crc = add_bits(crc, (uint64_t)sqlite3_value_int64(value[i]));
            break;
        case SQLITE_FLOAT:
            if (!isnan(real))
                memcpy(&bits, &real, sizeof bits);
            crc = add_bits(crc, bits);
            break;
        case SQLITE_NULL:
            crc = add_bits(crc, bits);
            break;
        default: {
            const void *data = sqlite3_value_blob(value[i]);
            size_t size = (size_t)sqlite3_value_bytes(value[i]);
            crc = fy_crc32c(add_bits(crc, size), data ? data : "", size);
        }
        }
    }
    sqlite3_result_int64(call, crc);
}

static const char repairs[] =
    "UPDATE head SET crc = row_crc(episodes, batches, points, plans);"
    "UPDATE meta SET crc = row_crc(name, value);"
    "UPDATE setting SET crc = row_crc(name, value);"
    "UPDATE episodes SET crc = row_crc(first, count, data);"
    "UPDATE trace SET crc = row_crc(episodes, plans, bound);"
    "UPDATE checkpoint SET crc = row_crc(episodes, bytes);"
    "UPDATE plan SET crc = row_crc(id, episodes, reward, mode, optimistic, plugin, pessimistic,"
    " gap, delta, radius, certified, reward_bytes, policy_bytes);"
    "UPDATE plan_value SET crc = row_crc(id, expected, low, high, bound);"
    "UPDATE piece SET crc = row_crc(kind, id, part, data);";

/* A copy of the bytes as a database in memory; NULL: they are none. */
static sqlite3 *open_copy(const uint8_t *data, size_t size)
{
    sqlite3 *base = NULL;
    sqlite3_int64 length = (sqlite3_int64)size;
    uint8_t *copy = sqlite3_malloc64(size + 1);
    assert(copy && sqlite3_open(":memory:", &base) == SQLITE_OK);
    memcpy(copy, data, size);
    sqlite3_create_function(base, "row_crc", -1, SQLITE_UTF8, NULL, row_crc, NULL, NULL);
    int rc = sqlite3_deserialize(base, "main", copy, length, length,
                                 SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    if (rc == SQLITE_OK)
        return base;
    sqlite3_close(base);
    return NULL;
}

/* The same database after these statements, to be released with sqlite3_free; NULL: it is none,
 * or one that cannot be changed. */
static uint8_t *change(const uint8_t *data, size_t size, const char *statements, size_t *changed)
{
    sqlite3_int64 length = 0;
    uint8_t *out = NULL;
    sqlite3 *base = open_copy(data, size);
    if (base && sqlite3_exec(base, statements, NULL, NULL, NULL) == SQLITE_OK)
        out = sqlite3_serialize(base, "main", &length, 0);
    sqlite3_close(base);
    *changed = (size_t)length;
    return out;
}

/* ------------------------------------------------------------------------ cells */

static uint8_t *sound; /* a small run */
static size_t sound_size;

typedef struct cell {
    const char *table, *column;
} cell;

static const cell cells[] = {
    {"head", "episodes"},       {"head", "batches"},      {"head", "points"},
    {"head", "plans"},          {"meta", "name"},         {"meta", "value"},
    {"setting", "name"},        {"setting", "value"},     {"episodes", "first"},
    {"episodes", "count"},      {"episodes", "data"},     {"trace", "episodes"},
    {"trace", "plans"},         {"trace", "bound"},       {"checkpoint", "episodes"},
    {"checkpoint", "bytes"},    {"plan", "id"},           {"plan", "episodes"},
    {"plan", "reward"},         {"plan", "mode"},         {"plan", "optimistic"},
    {"plan", "plugin"},         {"plan", "pessimistic"},  {"plan", "gap"},
    {"plan", "delta"},          {"plan", "radius"},       {"plan", "certified"},
    {"plan", "reward_bytes"},   {"plan", "policy_bytes"}, {"plan_value", "id"},
    {"plan_value", "expected"}, {"plan_value", "low"},    {"plan_value", "high"},
    {"plan_value", "bound"},    {"piece", "kind"},        {"piece", "id"},
    {"piece", "part"},          {"piece", "data"},        {"piece", "data"},
};

static uint8_t take(const uint8_t **data, size_t *size)
{
    if (*size == 0)
        return 0;
    --*size;
    return *(*data)++;
}

/* Puts bytes of the input in the place of some of a blob or a text: what is behind the checksums
 * of models, policies and states of explorers. */
static void splice(sqlite3 *base, const cell *at, int row, const uint8_t **data, size_t *size)
{
    char sql[200];
    sqlite3_stmt *put;
    size_t where = take(data, size), length = take(data, size) % 32;
    where += (size_t)256 * (take(data, size) % 4);
    length = length < *size ? length : *size;
    snprintf(sql, sizeof sql,
             "UPDATE %s SET %s = CAST(substr(%s, 1, ?1) || ?2 || substr(%s, ?1 + ?3) AS %s)"
             " WHERE rowid = (SELECT rowid FROM %s LIMIT 1 OFFSET %d)",
             at->table, at->column, at->column, at->column,
             strcmp(at->column, "data") == 0 ? "BLOB" : "TEXT", at->table, row);
    if (sqlite3_prepare_v2(base, sql, -1, &put, NULL) != SQLITE_OK)
        return;
    sqlite3_bind_int64(put, 1, (sqlite3_int64)where);
    sqlite3_bind_blob(put, 2, *data, (int)length, SQLITE_STATIC);
    sqlite3_bind_int64(put, 3, (sqlite3_int64)length + 1);
    sqlite3_step(put);
    sqlite3_finalize(put);
    *data += length;
    *size -= length;
}

/* Puts a number there, or nothing, or removes the row or doubles it. */
static void put_number(sqlite3 *base, const cell *at, int row, int what, const uint8_t **data,
                       size_t *size)
{
    static const char *const sql_of[] = {
        "UPDATE %s SET %s = ?1 WHERE rowid = (SELECT rowid FROM %s LIMIT 1 OFFSET %d)",
        "DELETE FROM %s WHERE %s IS NOT NULL AND rowid = (SELECT rowid FROM %s LIMIT 1 OFFSET %d)",
    };
    char sql[200];
    sqlite3_stmt *put;
    uint64_t bits = 0;
    double real;
    snprintf(sql, sizeof sql, sql_of[what == 4], at->table, at->column, at->table, row);
    if (sqlite3_prepare_v2(base, sql, -1, &put, NULL) != SQLITE_OK)
        return;
    int bytes = what == 1 ? 1 : what == 2 || what == 3 ? 8 : 0;
    for (int i = 0; i < bytes; i++)
        bits |= (uint64_t)take(data, size) << (8 * i);
    memcpy(&real, &bits, sizeof real);
    if (what == 3)
        sqlite3_bind_double(put, 1, real);
    else if (what == 1)
        sqlite3_bind_int64(put, 1, (int8_t)bits);
    else if (what == 2)
        sqlite3_bind_int64(put, 1, (sqlite3_int64)bits);
    sqlite3_step(put);
    sqlite3_finalize(put);
}

/* The sound run with the changes that the input asks for, and with checksums that agree. */
static uint8_t *change_cells(const uint8_t *data, size_t size, size_t *changed)
{
    enum { MOST_CHANGES = 8 };
    sqlite3_int64 length = 0;
    sqlite3 *base = open_copy(sound, sound_size);
    assert(base != NULL);
    for (int i = 0; i < MOST_CHANGES && size > 0; i++) {
        const cell *at = &cells[take(&data, &size) % (sizeof cells / sizeof *cells)];
        int row = take(&data, &size) % 24, what = take(&data, &size) % 8;
        if (what >= 5)
            splice(base, at, row, &data, &size);
        else
            put_number(base, at, row, what, &data, &size);
    }
    assert(sqlite3_exec(base, repairs, NULL, NULL, NULL) == SQLITE_OK);
    uint8_t *out = sqlite3_serialize(base, "main", &length, 0);
    sqlite3_close(base);
    *changed = (size_t)length;
    return out;
}

/* ------------------------------------------------------------------------ runs */

static void remove_run(const char *path)
{
    static const char *const suffix[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof suffix / sizeof suffix[0]; i++) {
        char name[300];
        snprintf(name, sizeof name, "%s%s", path, suffix[i]);
        unlink(name);
    }
}

static bool count_plan(void *user, int64_t id, int64_t episodes, const char *reward_name,
                       const char *reward_json, const foray_policy *policy)
{
    (void)id, (void)episodes, (void)reward_name, (void)reward_json;
    assert(foray_certificate_status(&policy->certificate) != NULL);
    ++*(int64_t *)user;
    return true;
}

/* As fuzz_explained, but a run of older arithmetic is replayed without comparing it. */
static void verified(const foray_context *ctx, foray_status status)
{
    if (status != FORAY_NOT_COMPARED)
        fuzz_explained(ctx, status);
}

static void try_run(foray_context *ctx, foray_status status, foray_run *run)
{
    fuzz_explained(ctx, status);
    if (status == FORAY_OK) {
        foray_run_facts facts;
        int64_t plans = 0;
        fuzz_explained(ctx, foray_run_describe(run, &facts));
        fuzz_explained(ctx, foray_run_plans(run, count_plan, &plans));
        verified(ctx, foray_run_verify(run));
    }
    foray_run_close(run);
}

static foray_status try_memory(foray_context *ctx, const uint8_t *data, size_t size)
{
    foray_run *run = NULL;
    foray_status status = foray_run_open_memory(ctx, data, size, "memory", &run);
    try_run(ctx, status, run);
    return status;
}

static void try_repaired(foray_context *ctx, const uint8_t *data, size_t size)
{
    size_t length;
    uint8_t *repaired = change(data, size, repairs, &length);
    if (repaired)
        try_memory(ctx, repaired, length);
    sqlite3_free(repaired);
}

/* ---------------------------------------------------------------------- control */

/* A small run with plans, on pages of 512 bytes, since what is between the rows is not looked at.
 */
static void make_run(foray_context *ctx, const char *path)
{
    foray_model *model;
    foray_run *run;
    foray_world *world;
    foray_reward *reward;
    foray_policy *policy;
    foray_settings settings;
    sqlite3 *base;
    char small[300], sql[400];
    remove_run(path);
    assert(foray_model_builtin(ctx, "riverswim:states=3,horizon=2", &model) == FORAY_OK);
    foray_settings_default(&settings);
    settings.episodes = 3;
    assert(foray_run_create(ctx, path, FORAY_RUN_NEW, model, "riverswim", &settings, &run) ==
           FORAY_OK);
    assert(foray_world_from_model(ctx, model, &world) == FORAY_OK);
    assert(foray_run_explore(run, world, NULL, NULL) == FORAY_OK);
    assert(foray_reward_create(ctx, model, "goal", 0, &reward) == FORAY_OK);
    assert(foray_reward_set(ctx, reward, -1, 2, -1, 1.0) == FORAY_OK);
    const foray_reward *const rewards[] = {reward};
    assert(foray_run_plan(run, 1, rewards, FORAY_PLUGIN, &policy) == FORAY_OK);
    assert(foray_run_close(run) == FORAY_OK);
    snprintf(small, sizeof small, "%s-small", path);
    unlink(small);
    snprintf(sql, sizeof sql, "PRAGMA page_size = 512; VACUUM INTO '%s'", small);
    assert(sqlite3_open(path, &base) == SQLITE_OK);
    assert(sqlite3_exec(base, sql, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(base);
    assert(fy_file_read(ctx, small, 1 << 24, &sound, &sound_size) == FORAY_OK);
    unlink(small);
    remove_run(path);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    foray_world_destroy(world);
    foray_model_destroy(model);
}

/* A run with one checksum spoilt is refused, and sound again once they are repaired: else the
 * target would only see the gate. So is one of which no cell was changed. */
// cppcheck-suppress constParameter; libFuzzer says what it gets
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    foray_context *ctx = foray_context_create();
    size_t length;
    make_run(ctx, fuzz_file((const uint8_t *)"", 0));
    uint8_t *spoilt = change(sound, sound_size, "UPDATE setting SET crc = crc + 1", &length);
    assert(spoilt && try_memory(ctx, spoilt, length) == FORAY_ERROR_RUN);
    uint8_t *repaired = change(spoilt, length, repairs, &length);
    assert(repaired && try_memory(ctx, repaired, length) == FORAY_OK);
    uint8_t *unchanged = change_cells(NULL, 0, &length);
    assert(unchanged && try_memory(ctx, unchanged, length) == FORAY_OK);
    sqlite3_free(spoilt);
    sqlite3_free(repaired);
    sqlite3_free(unchanged);
    for (int i = 1; i < *count; i++)
        if (strncmp((*arguments)[i], "--seed=", 7) == 0) {
            FILE *file = fopen((*arguments)[i] + 7, "wb");
            assert(file && fwrite(sound, 1, sound_size, file) == sound_size && fclose(file) == 0);
        }
    foray_context_destroy(ctx);
    return 0;
}

/* Files are read by the same functions, only more slowly: one in 64 is. */
static void try_file(foray_context *ctx, const uint8_t *data, size_t size)
{
    if (fy_crc32c(0, data, size) % 64 != 0)
        return;
    const char *path = fuzz_file(data, size);
    foray_run *run = NULL;
    foray_status status = foray_run_open(ctx, path, FORAY_RUN_READ, &run);
    try_run(ctx, status, run);
    remove_run(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    foray_context *ctx = foray_context_create();
    if (size >= 6 && memcmp(data, "SQLite", 6) == 0) {
        try_file(ctx, data, size);
        try_memory(ctx, data, size);
        try_repaired(ctx, data, size);
    } else {
        size_t length;
        uint8_t *changed = change_cells(data, size, &length);
        if (changed)
            try_memory(ctx, changed, length);
        sqlite3_free(changed);
    }
    foray_context_destroy(ctx);
    return 0;
}
