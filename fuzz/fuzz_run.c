/* Run files, sound and damaged: opening, describing and verifying one either works or says what
 * is wrong. Checksums would find every change at the gate, so that they are also repaired: what
 * is behind them must cope with anything, too. */
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
    "UPDATE piece SET crc = row_crc(kind, id, part, data);";

/* The same database after these statements, to be released with sqlite3_free; NULL: it is none,
 * or one that cannot be changed. */
static uint8_t *change(const uint8_t *data, size_t size, const char *statements, size_t *changed)
{
    sqlite3 *base = NULL;
    sqlite3_int64 length = 0;
    uint8_t *copy = sqlite3_malloc64(size + 1), *out = NULL;
    if (copy && sqlite3_open(":memory:", &base) == SQLITE_OK) {
        memcpy(copy, data, size);
        sqlite3_create_function(base, "row_crc", -1, SQLITE_UTF8, NULL, row_crc, NULL, NULL);
        int rc =
            sqlite3_deserialize(base, "main", copy, (sqlite3_int64)size, (sqlite3_int64)size,
                                SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
        if (rc == SQLITE_OK && sqlite3_exec(base, statements, NULL, NULL, NULL) == SQLITE_OK)
            out = sqlite3_serialize(base, "main", &length, 0);
        copy = NULL;
    }
    sqlite3_close(base);
    sqlite3_free(copy);
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

/* A run with one checksum spoilt is refused, and sound again once they are repaired: else the
 * target would only see the gate. */
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count, (void)arguments;
    foray_context *ctx = foray_context_create();
    foray_model *model;
    foray_run *run;
    foray_world *world;
    foray_settings settings;
    uint8_t *data;
    size_t size, length;
    const char *path = fuzz_file((const uint8_t *)"", 0);
    remove_run(path);
    assert(foray_model_builtin(ctx, "riverswim:states=3,horizon=2", &model) == FORAY_OK);
    foray_settings_default(&settings);
    settings.episodes = 3;
    assert(foray_run_create(ctx, path, FORAY_RUN_NEW, model, "riverswim", &settings, &run) ==
           FORAY_OK);
    assert(foray_world_from_model(ctx, model, &world) == FORAY_OK);
    assert(foray_run_explore(run, world, NULL, NULL) == FORAY_OK);
    assert(foray_run_close(run) == FORAY_OK);
    assert(fy_file_read(ctx, path, 1 << 24, &data, &size) == FORAY_OK);
    uint8_t *spoilt = change(data, size, "UPDATE setting SET crc = crc + 1", &length);
    assert(spoilt && try_memory(ctx, spoilt, length) == FORAY_ERROR_RUN);
    uint8_t *repaired = change(spoilt, length, repairs, &length);
    assert(repaired && try_memory(ctx, repaired, length) == FORAY_OK);
    sqlite3_free(spoilt);
    sqlite3_free(repaired);
    free(data);
    foray_world_destroy(world);
    foray_model_destroy(model);
    remove_run(path);
    foray_context_destroy(ctx);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    foray_context *ctx = foray_context_create();
    const char *path = fuzz_file(data, size);
    foray_run *run = NULL;
    foray_status status = foray_run_open(ctx, path, FORAY_RUN_READ, &run);
    try_run(ctx, status, run);
    remove_run(path);
    try_memory(ctx, data, size);
    try_repaired(ctx, data, size);
    foray_context_destroy(ctx);
    return 0;
}
