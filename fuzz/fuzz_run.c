/* Run files, sound and damaged: opening, describing and verifying one either works or says what
 * is wrong. Checksums would find every change at the gate, so that they are also repaired: what
 * is behind them must cope with anything, too.
 *
 * Input that begins as a database does is one, damaged anywhere. SQLite refuses nearly all of
 * them, so that any other input is read as changes of cells of a small sound run: which table,
 * row and column, and what is put there. --seed=FILE writes that run, as a seed.
 *
 * Opening a database takes SQLite ten times as long as reading it. Two of them are therefore kept
 * open, both with the sound run: in one the cells are changed, and its bytes are then put in the
 * place of the other's, from which the run is loaded. One changed run in 64 is also opened as users
 * do. */
#include "fuzz.h"
#include "sqlite_memory.h"

#include <math.h>
#include <sqlite3.h>

#include "run/pack.h"
#include "run/run.h"

/* ------------------------------------------------------------------- checksums */

static uint32_t add_bits(uint32_t crc, uint64_t bits)
{
    uint8_t byte[8];
    for (int i = 0; i < 8; i++)
        byte[i] = (uint8_t)(bits >> (8 * i));
    return fy_crc32c(crc, byte, sizeof byte);
}

/* row_crc(column, ...): the checksum that a row of these should have (src/run/rows.c). */
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

/* unpack(blob): what it was packed from, as far as it can be unpacked, and the way back. */
static void unpack(sqlite3_context *call, int count, sqlite3_value **value)
{
    enum { ROOM = 1 << 17 };
    static uint8_t out[ROOM];
    size_t size = 0;
    fy_unpacking *unpacking;
    foray_context *ctx = foray_context_create();
    (void)count;
    assert(ctx && fy_unpack_begin(ctx, sqlite3_value_blob(value[0]),
                                  (size_t)sqlite3_value_bytes(value[0]), &unpacking) == FORAY_OK);
    while (size < ROOM && fy_unpack_next(unpacking, out + size, 1) == FORAY_OK)
        size++;
    fy_unpack_end(unpacking);
    foray_context_destroy(ctx);
    sqlite3_result_blob(call, out, (int)size, SQLITE_TRANSIENT);
}

static void pack(sqlite3_context *call, int count, sqlite3_value **value)
{
    uint8_t *out;
    size_t size;
    const void *data = sqlite3_value_blob(value[0]);
    foray_context *ctx = foray_context_create();
    (void)count;
    assert(ctx && fy_pack(ctx, data ? data : "", (size_t)sqlite3_value_bytes(value[0]), 0, &out,
                          &size) == FORAY_OK);
    foray_context_destroy(ctx);
    sqlite3_result_blob(call, out, (int)size, free);
}

enum { HEAD, META, SETTING, EPISODES, TRACE, CHECKPOINT, PLAN, PIECE, TABLES };

static const char *const table_name[TABLES] = {"head",  "meta",       "setting", "episodes",
                                               "trace", "checkpoint", "plan",    "piece"};

/* Checksums that agree with what is in their rows. */
static const char *const repair_of[TABLES] = {
    "UPDATE head SET crc = row_crc(episodes, batches, points, plans)",
    "UPDATE meta SET crc = row_crc(name, value)",
    "UPDATE setting SET crc = row_crc(name, value)",
    "UPDATE episodes SET crc = row_crc(first, count, data)",
    "UPDATE trace SET crc = row_crc(episodes, plans, bound)",
    "UPDATE checkpoint SET crc = row_crc(episodes, bytes)",
    ("UPDATE plan SET crc = row_crc(id, episodes, reward, mode, optimistic, plugin, pessimistic,"
     " expected, low, high, gap, delta, radius, bound, status, own, reward_bytes,"
     " policy_bytes)"),
    "UPDATE piece SET crc = row_crc(kind, id, part, bytes, data)",
};

/* A copy of the bytes as a database in memory; NULL: they are none. */
static sqlite3 *open_copy(const uint8_t *data, size_t size)
{
    sqlite3 *base = NULL;
    sqlite3_int64 length = (sqlite3_int64)size;
    uint8_t *copy = sqlite3_malloc64(size + 1);
    assert(copy && sqlite3_open(":memory:", &base) == SQLITE_OK);
    memcpy(copy, data, size);
    sqlite3_create_function(base, "row_crc", -1, SQLITE_UTF8, NULL, row_crc, NULL, NULL);
    sqlite3_create_function(base, "unpack", 1, SQLITE_UTF8, NULL, unpack, NULL, NULL);
    sqlite3_create_function(base, "pack", 1, SQLITE_UTF8, NULL, pack, NULL, NULL);
    int rc = sqlite3_deserialize(base, "main", copy, length, length,
                                 SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    if (rc == SQLITE_OK)
        return base;
    sqlite3_close(base);
    return NULL;
}

/* The same database after these statements, to be released with sqlite3_free; NULL: it is none,
 * or one that cannot be changed. */
static uint8_t *change(const uint8_t *data, size_t size, int count, const char *const *statements,
                       size_t *changed_size)
{
    sqlite3_int64 length = 0;
    uint8_t *out = NULL;
    sqlite3 *base = open_copy(data, size);
    int done = 0;
    while (base && done < count &&
           sqlite3_exec(base, statements[done], NULL, NULL, NULL) == SQLITE_OK)
        done++;
    if (base && done == count)
        out = sqlite3_serialize(base, "main", &length, 0);
    sqlite3_close(base);
    *changed_size = (size_t)length;
    return out;
}

/* ------------------------------------------------------------------- databases */

static uint8_t *sound; /* a small run */
static size_t sound_size;

/* A database that is kept open, and the bytes that it is in. */
typedef struct kept {
    sqlite3 *base;
    uint8_t *bytes;
} kept;

static kept changed;    /* cells are changed here, */
static kept seen;       /* and here the run is read, */
static fy_store *store; /* through this */

static kept keep_open(sqlite3 *base)
{
    sqlite3_int64 size;
    kept out = {.base = base};
    out.bytes = sqlite3_serialize(base, "main", &size, SQLITE_SERIALIZE_NOCOPY);
    assert(out.bytes && (size_t)size == sound_size);
    return out;
}

/* Other bytes in the place of those that SQLite knows. It looks for a change in a counter, which
 * is at two places of the header: even ones are ours, and a transaction adds one. Statements stay
 * as they are, since the tables do. */
static void replace_bytes(kept *of, const uint8_t *bytes)
{
    static uint32_t times;
    static const int places[] = {24, 92};
    memcpy(of->bytes, bytes, sound_size);
    times += 2;
    for (int i = 0; i < 8; i++)
        of->bytes[places[i / 4] + i % 4] = (uint8_t)(times >> (24 - 8 * (i % 4)));
}

/* ------------------------------------------------------------------------ cells */

typedef struct cell {
    int table;
    const char *column;
} cell;

static const cell cells[] = {
    {HEAD, "episodes"},     {HEAD, "batches"},      {HEAD, "points"},
    {HEAD, "plans"},        {META, "name"},         {META, "value"},
    {SETTING, "name"},      {SETTING, "value"},     {EPISODES, "first"},
    {EPISODES, "count"},    {EPISODES, "data"},     {TRACE, "episodes"},
    {TRACE, "plans"},       {TRACE, "bound"},       {CHECKPOINT, "episodes"},
    {CHECKPOINT, "bytes"},  {PLAN, "id"},           {PLAN, "episodes"},
    {PLAN, "reward"},       {PLAN, "mode"},         {PLAN, "optimistic"},
    {PLAN, "plugin"},       {PLAN, "pessimistic"},  {PLAN, "gap"},
    {PLAN, "delta"},        {PLAN, "radius"},       {PLAN, "status"},
    {PLAN, "reward_bytes"}, {PLAN, "policy_bytes"}, {PLAN, "bound"},
    {PLAN, "expected"},     {PLAN, "low"},          {PLAN, "high"},
    {PIECE, "kind"},        {PIECE, "id"},          {PIECE, "part"},
    {PIECE, "bytes"},       {PIECE, "data"},        {PIECE, "data"},
};
enum { CELLS = sizeof cells / sizeof *cells };
enum { PUT, REMOVE, SPLICE, SPLICE_INSIDE, KINDS }; /* what is done to one */

static uint8_t take(const uint8_t **data, size_t *size)
{
    if (*size == 0)
        return 0;
    --*size;
    return *(*data)++;
}

static sqlite3_stmt *prepare(const char *sql)
{
    sqlite3_stmt *out;
    int rc = sqlite3_prepare_v3(changed.base, sql, -1, SQLITE_PREPARE_PERSISTENT, &out, NULL);
    assert(rc == SQLITE_OK);
    return out;
}

/* The statement, prepared once, that does this to such a cell in the nth row. */
static sqlite3_stmt *statement_for(const cell *at, int what)
{
    static const char *const sql_of[] = {
        [PUT] = "UPDATE %1$s SET %2$s = ?1 %3$s",
        [REMOVE] = "DELETE FROM %1$s %3$s AND %2$s IS NOT NULL",
        [SPLICE] = ("UPDATE %1$s SET %2$s ="
                    " CAST(substr(%2$s, 1, ?1) || ?2 || substr(%2$s, ?1 + ?3) AS %4$s) %3$s"),
        [SPLICE_INSIDE] = ("UPDATE %1$s SET %2$s = pack(substr(unpack(%2$s), 1, ?1) || ?2 ||"
                           " substr(unpack(%2$s), ?1 + ?3)) %3$s"),
    };
    static sqlite3_stmt *prepared[CELLS][KINDS];
    sqlite3_stmt **put = &prepared[at - cells][what];
    if (!*put) {
        const char *table = table_name[at->table];
        char where[100], sql[300];
        snprintf(where, sizeof where, "WHERE rowid = (SELECT rowid FROM %s LIMIT 1 OFFSET ?4)",
                 table);
        snprintf(sql, sizeof sql, sql_of[what], table, at->column, where,
                 strcmp(at->column, "data") == 0 ? "BLOB" : "TEXT");
        *put = prepare(sql);
    }
    return *put;
}

/* False: what cannot be put there leaves everything as it was. */
static bool step_once(sqlite3_stmt *statement)
{
    bool done = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return done;
}

/* Puts bytes of the input in the place of some of a blob or a text, or of what a blob unpacks to:
 * what is behind the checksums of models, policies and states of explorers. */
static void splice(const cell *at, int row, bool inside, const uint8_t **data, size_t *size)
{
    bool packed = inside && strcmp(at->column, "data") == 0;
    sqlite3_stmt *put = statement_for(at, packed ? SPLICE_INSIDE : SPLICE);
    size_t where = take(data, size), length = take(data, size) % 32;
    where += (size_t)256 * (take(data, size) % 4);
    length = length < *size ? length : *size;
    sqlite3_bind_int64(put, 1, (sqlite3_int64)where);
    sqlite3_bind_blob(put, 2, *data, (int)length, SQLITE_STATIC);
    sqlite3_bind_int64(put, 3, (sqlite3_int64)length + 1);
    sqlite3_bind_int(put, 4, row);
    (void)step_once(put);
    *data += length;
    *size -= length;
}

/* Puts a number there, or nothing, or removes the row. */
static void put_number(const cell *at, int row, int what, const uint8_t **data, size_t *size)
{
    sqlite3_stmt *put = statement_for(at, what == 4 ? REMOVE : PUT);
    uint64_t bits = 0;
    double real;
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
    sqlite3_bind_int(put, 4, row);
    (void)step_once(put);
}

static void run_prepared(sqlite3_stmt **statement, const char *sql)
{
    if (!*statement)
        *statement = prepare(sql);
    bool done = step_once(*statement);
    assert(done);
}

static void repair(const bool *touched)
{
    static sqlite3_stmt *prepared[TABLES];
    for (int i = 0; i < TABLES; i++)
        if (touched[i])
            run_prepared(&prepared[i], repair_of[i]);
}

/* Makes `changed` the sound run with the changes that the input asks for. */
static void change_cells(const uint8_t *data, size_t size)
{
    enum { MAX_CHANGES = 8 };
    static sqlite3_stmt *begin, *commit;
    bool touched[TABLES] = {false};
    sqlite3_int64 length;
    replace_bytes(&changed, sound);
    run_prepared(&begin, "BEGIN");
    for (int i = 0; i < MAX_CHANGES && size > 0; i++) {
        const cell *at = &cells[take(&data, &size) % CELLS];
        int row = take(&data, &size) % 24, what = take(&data, &size) % 8;
        if (what >= 5)
            splice(at, row, what > 5, &data, &size);
        else
            put_number(at, row, what, &data, &size);
        touched[at->table] = true;
    }
    repair(touched);
    run_prepared(&commit, "COMMIT");
    sqlite3_serialize(changed.base, "main", &length, SQLITE_SERIALIZE_NOCOPY);
    assert((size_t)length == sound_size); /* it has room for eight changes */
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

/* Cells that SQLite itself has changed leave its structure sound: that need not be looked at. */
static foray_status look_at(foray_context *ctx, foray_run *run, bool structure)
{
    fy_run_facts facts;
    int64_t plans = 0;
    fuzz_explained(ctx, fy_run_describe(run, &facts));
    fuzz_explained(ctx, foray_run_plans(run, count_plan, &plans));
    foray_status status = fy_run_verify(run, structure);
    fuzz_explained(ctx, status);
    return status;
}

/* What came of opening the run, and then of verifying it. */
static foray_status try_run(foray_context *ctx, foray_status status, foray_run *run)
{
    fuzz_explained(ctx, status);
    if (status == FORAY_OK)
        status = look_at(ctx, run, true);
    foray_run_close(run);
    return status;
}

static foray_status try_memory(foray_context *ctx, const uint8_t *data, size_t size)
{
    foray_run *run = NULL;
    foray_status status = fy_run_open_memory(ctx, data, size, "memory", &run);
    return try_run(ctx, status, run);
}

static void try_repaired(foray_context *ctx, const uint8_t *data, size_t size)
{
    size_t length;
    uint8_t *repaired = change(data, size, TABLES, repair_of, &length);
    if (repaired)
        try_memory(ctx, repaired, length);
    sqlite3_free(repaired);
}

/* Every statement has ended, and so has every transaction. */
static void assert_idle(sqlite3 *base)
{
    assert(sqlite3_get_autocommit(base));
    for (sqlite3_stmt *one = NULL; (one = sqlite3_next_stmt(base, one));)
        assert(!sqlite3_stmt_busy(one));
}

/* Loads the run from the store that is kept open, which then sees these bytes. */
static foray_status try_kept(foray_context *ctx, const uint8_t *bytes)
{
    replace_bytes(&seen, bytes);
    foray_run *run = fy_run_new(ctx);
    assert(run != NULL);
    run->store = store;
    store->ctx = ctx;
    foray_status status = fy_run_load(run);
    fuzz_explained(ctx, status);
    if (status == FORAY_OK)
        status = look_at(ctx, run, false);
    run->store = NULL;
    foray_run_close(run);
    assert_idle(seen.base);
    return status;
}

static void expect_kept(foray_context *ctx, const uint8_t *bytes, foray_status expected)
{
    foray_status found = try_kept(ctx, bytes);
    assert(found == expected);
}

/* In one case of 64 as users open it, too, and that comes to the same: nothing is left in the store
 * of what was seen before. Now and then the sound run must be found sound. */
static void try_changed(foray_context *ctx, const uint8_t *data, size_t size)
{
    static int64_t executions; /* decides nothing about this one */
    change_cells(data, size);
    foray_status status = try_kept(ctx, changed.bytes);
    if (fy_crc32c(0, data, size) % 64 == 0) {
        foray_status opened = try_memory(ctx, changed.bytes, sound_size);
        assert(opened == status);
    }
    if (++executions % 4096 == 0)
        expect_kept(ctx, sound, FORAY_OK);
}

/* ---------------------------------------------------------------------- control */

/* Leaves free pages, so that no change of cells makes the file longer. */
static void make_room(const char *path)
{
    sqlite3 *base;
    assert(sqlite3_open(path, &base) == SQLITE_OK);
    assert(sqlite3_exec(base,
                        "CREATE TABLE room(x); INSERT INTO room VALUES(zeroblob(30 * 512));"
                        "DROP TABLE room",
                        NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(base);
}

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
    assert(foray_run_explore(run, 1, &world, NULL, NULL) == FORAY_OK);
    assert(foray_reward_create(ctx, model, "goal", 0, 1, 0, &reward) == FORAY_OK);
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
    make_room(small);
    assert(fy_file_read(ctx, small, 1 << 24, &sound, &sound_size) == FORAY_OK);
    unlink(small);
    remove_run(path);
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    foray_world_destroy(world);
    foray_model_destroy(model);
}

static void open_kept(foray_context *ctx)
{
    assert(fy_store_open_memory(ctx, sound, sound_size, "kept", &store) == FORAY_OK);
    seen = keep_open(store->db);
    changed = keep_open(open_copy(sound, sound_size));
    assert(sqlite3_exec(changed.base, "PRAGMA journal_mode = MEMORY", NULL, NULL, NULL) ==
           SQLITE_OK);
}

/* A run with one checksum spoilt is refused, and sound again once they are repaired: else the
 * target would only see the gate. So is one of which no cell was changed. */
// cppcheck-suppress constParameter; libFuzzer says what it gets
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    static const char *const spoil[] = {"UPDATE setting SET crc = crc + 1"};
    foray_context *ctx = foray_context_create();
    size_t length;
    sqlite_memory_settle();
    make_run(ctx, fuzz_file((const uint8_t *)"", 0));
    uint8_t *spoilt = change(sound, sound_size, 1, spoil, &length);
    assert(spoilt && try_memory(ctx, spoilt, length) == FORAY_ERROR_RUN);
    uint8_t *repaired = change(spoilt, length, TABLES, repair_of, &length);
    assert(repaired && try_memory(ctx, repaired, length) == FORAY_OK);
    open_kept(ctx);
    expect_kept(ctx, spoilt, FORAY_ERROR_RUN);
    expect_kept(ctx, repaired, FORAY_OK);
    change_cells(NULL, 0);
    expect_kept(ctx, changed.bytes, FORAY_OK);
    sqlite3_free(spoilt);
    sqlite3_free(repaired);
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
    (void)try_run(ctx, status, run);
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
        try_changed(ctx, data, size);
    }
    foray_context_destroy(ctx);
    return 0;
}
