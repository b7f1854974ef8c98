/* rows.c - rows of the store, each with a checksum of its own content, and what they mean: the
 * texts of a run, its settings. */
#include "run/store.h"
#include "algorithms/algorithms.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------- statements */

/* Takes what was prepared from this text before: while it is in use, it is in no other's hands.
 * Texts that are made, not written, may share an address, so that they are compared, too. */
static sqlite3_stmt *take_cached(fy_store *store, const char *sql)
{
    for (int i = 0; i < FY_STORE_CACHED; i++) {
        fy_cached_statement *cached = &store->cached[i];
        sqlite3_stmt *found = cached->statement;
        if (found && cached->sql == sql && strcmp(sqlite3_sql(found), sql) == 0) {
            cached->statement = NULL;
            return found;
        }
    }
    return NULL;
}

/* Keeps the statement for the next row of its kind, in place of another where there is no room. */
static void keep_cached(fy_store *store, const char *sql, sqlite3_stmt *statement)
{
    int at = 0;
    while (at < FY_STORE_CACHED && store->cached[at].statement)
        at++;
    if (at == FY_STORE_CACHED)
        at = store->next_cached++ % FY_STORE_CACHED;
    sqlite3_finalize(store->cached[at].statement);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    store->cached[at] = (fy_cached_statement){.sql = sql, .statement = statement};
}

void fy_store_finalize_cached(fy_store *store)
{
    for (int i = 0; i < FY_STORE_CACHED; i++) {
        sqlite3_finalize(store->cached[i].statement);
        store->cached[i] = (fy_cached_statement){0};
    }
}

void fy_row_prepare(fy_row *row, fy_store *store, const char *what, const char *sql)
{
    *row = (fy_row){.store = store, .sql = sql, .what = what};
    row->statement = take_cached(store, sql);
    store->work = 0;
    if (!row->statement)
        row->rc = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &row->statement,
                                     NULL);
}

/* ----------------------------------------------------------------- putting */

/* Numbers enter a checksum as eight bytes, the lowest first. */
static void sum_bits(fy_row *row, uint64_t bits)
{
    uint8_t byte[8];
    for (int i = 0; i < 8; i++)
        byte[i] = (uint8_t)(bits >> (8 * i));
    row->crc = fy_crc32c(row->crc, byte, sizeof byte);
}

/* Every NaN is the same one: SQLite knows none and keeps NULL instead. */
static void sum_real(fy_row *row, double value)
{
    uint64_t bits = UINT64_MAX;
    if (!isnan(value))
        memcpy(&bits, &value, sizeof bits);
    sum_bits(row, bits);
}

/* The length first: "ab","c" and "a","bc" are different rows. */
static void sum_bytes(fy_row *row, const void *data, size_t size)
{
    sum_bits(row, size);
    row->crc = fy_crc32c(row->crc, data, size);
}

void fy_row_put_int(fy_row *row, int64_t value)
{
    sum_bits(row, (uint64_t)value);
    if (row->rc == SQLITE_OK)
        row->rc = sqlite3_bind_int64(row->statement, ++row->column, value);
}

void fy_row_put_real(fy_row *row, double value)
{
    sum_real(row, value);
    if (row->rc == SQLITE_OK)
        row->rc = sqlite3_bind_double(row->statement, ++row->column, value);
}

void fy_row_put_text(fy_row *row, const char *value)
{
    sum_bytes(row, value, strlen(value));
    if (row->rc == SQLITE_OK)
        row->rc = sqlite3_bind_text(row->statement, ++row->column, value, -1, SQLITE_STATIC);
}

void fy_row_put_blob(fy_row *row, const void *data, size_t size)
{
    sum_bytes(row, data, size);
    if (row->rc == SQLITE_OK)
        row->rc = sqlite3_bind_blob64(row->statement, ++row->column, data, size, SQLITE_STATIC);
}

foray_status fy_row_insert(fy_row *row)
{
    if (row->rc == SQLITE_OK)
        row->rc = sqlite3_bind_int64(row->statement, ++row->column, row->crc);
    fy_row_next(row);
    return fy_row_end(row);
}

/* ----------------------------------------------------------------- getting */

void fy_row_bind_int(fy_row *row, int position, int64_t value)
{
    if (row->rc == SQLITE_OK)
        row->rc = sqlite3_bind_int64(row->statement, position, value);
}

void fy_row_bind_text(fy_row *row, int position, const char *value)
{
    if (row->rc == SQLITE_OK)
        row->rc = sqlite3_bind_text(row->statement, position, value, -1, SQLITE_TRANSIENT);
}

bool fy_row_next(fy_row *row)
{
    if (row->rc != SQLITE_OK || row->damaged)
        return false;
    row->column = 0;
    row->crc = 0;
    row->store->work = row->work;
    int rc = sqlite3_step(row->statement);
    row->work = row->store->work;
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        row->rc = rc;
    return rc == SQLITE_ROW;
}

/* The next column, which must be of this type. */
static int next_column(fy_row *row, int type)
{
    if (sqlite3_column_type(row->statement, row->column) != type)
        row->damaged = true;
    return row->column++;
}

int64_t fy_row_int(fy_row *row)
{
    int64_t value = sqlite3_column_int64(row->statement, next_column(row, SQLITE_INTEGER));
    sum_bits(row, (uint64_t)value);
    return value;
}

double fy_row_real(fy_row *row)
{
    bool null = sqlite3_column_type(row->statement, row->column) == SQLITE_NULL;
    int column = next_column(row, null ? SQLITE_NULL : SQLITE_FLOAT);
    double value = null ? NAN : sqlite3_column_double(row->statement, column);
    sum_real(row, value);
    return value;
}

const char *fy_row_text(fy_row *row)
{
    int column = next_column(row, SQLITE_TEXT);
    const char *value = (const char *)sqlite3_column_text(row->statement, column);
    if (!value)
        value = "";
    sum_bytes(row, value, strlen(value));
    return value;
}

const uint8_t *fy_row_blob(fy_row *row, size_t *size)
{
    int column = next_column(row, SQLITE_BLOB);
    const uint8_t *data = sqlite3_column_blob(row->statement, column);
    *size = data ? (size_t)sqlite3_column_bytes(row->statement, column) : 0;
    sum_bytes(row, data, *size);
    return data;
}

bool fy_row_intact(fy_row *row)
{
    uint32_t crc = row->crc;
    if (fy_row_int(row) != (int64_t)crc)
        row->damaged = true;
    return !row->damaged;
}

foray_status fy_row_end(fy_row *row)
{
    foray_status status = FORAY_OK;
    if (row->rc != SQLITE_OK)
        status = fy_store_fail(row->store, row->rc);
    else if (row->damaged)
        status = fy_store_damaged(row->store, "a checksum in its %s is wrong", row->what);
    if (row->statement && row->rc == SQLITE_OK)
        keep_cached(row->store, row->sql, row->statement);
    else
        sqlite3_finalize(row->statement);
    row->statement = NULL;
    return status;
}

/* -------------------------------------------------------------------- meta */

foray_status fy_store_put_meta(fy_store *store, const char *name, const char *value)
{
    fy_row row;
    fy_row_prepare(&row, store, "meta", "REPLACE INTO meta(name, value, crc) VALUES(?1, ?2, ?3)");
    fy_row_put_text(&row, name);
    fy_row_put_text(&row, value);
    return fy_row_insert(&row);
}

foray_status fy_store_get_meta(fy_store *store, const char *name, char **out)
{
    fy_row row;
    fy_row_prepare(&row, store, "meta", "SELECT name, value, crc FROM meta WHERE name = ?1");
    fy_row_bind_text(&row, 1, name);
    char *text = NULL;
    bool found = fy_row_next(&row);
    if (found) {
        fy_row_text(&row);
        text = fy_text(store->ctx, fy_row_text(&row));
        fy_row_intact(&row);
    }
    foray_status status = fy_row_end(&row);
    if (status == FORAY_OK && text) {
        *out = text;
        return FORAY_OK;
    }
    free(text);
    if (status != FORAY_OK)
        return status;
    if (found)
        return FORAY_ERROR_MEMORY;
    fy_store_damaged(store, "its %s is missing", name);
    return FORAY_ERROR_RUN;
}

/* ---------------------------------------------------------------- settings */

static foray_status put_setting(fy_store *store, const char *name, const char *value)
{
    fy_row row;
    fy_row_prepare(&row, store, "settings",
                   "REPLACE INTO setting(name, value, crc) VALUES(?1, ?2, ?3)");
    fy_row_put_text(&row, name);
    fy_row_put_text(&row, value);
    return fy_row_insert(&row);
}

foray_status fy_store_put_settings(fy_store *store, const foray_settings *settings)
{
    const foray_parameter *row;
    char value[128];
    foray_status cleared = fy_store_run(store, "DELETE FROM setting");
    if (cleared != FORAY_OK)
        return cleared;
    for (int64_t i = 0; (row = foray_setting_describe(settings->algorithm, i)); i++) {
        foray_status status =
            foray_settings_get(store->ctx, settings, row->name, value, sizeof value);
        if (status == FORAY_OK)
            status = put_setting(store, row->name, value);
        if (status != FORAY_OK)
            return status;
    }
    return FORAY_OK;
}

/* Reads every setting there is, and counts them. A name we do not know comes from a newer
 * Foray, and what it asks for we cannot do. */
static foray_status get_each_setting(fy_store *store, foray_settings *settings, int64_t *count)
{
    fy_row row;
    foray_status known = FORAY_OK;
    fy_row_prepare(&row, store, "settings", "SELECT name, value, crc FROM setting");
    for (*count = 0; known == FORAY_OK && fy_row_next(&row); (*count)++) {
        const char *name = fy_row_text(&row), *value = fy_row_text(&row);
        if (fy_row_intact(&row))
            known = foray_settings_set(store->ctx, settings, name, value);
    }
    if (known != FORAY_OK)
        known = fy_fail_within(store->ctx, FORAY_ERROR_RUN, "%s: damaged, or from a newer Foray",
                               store->path);
    foray_status status = fy_row_end(&row);
    return status != FORAY_OK ? status : known;
}

/* That none was lost shows in their number. */
foray_status fy_store_get_settings(fy_store *store, foray_settings *settings)
{
    foray_settings read;
    int64_t count, expected = 0;
    foray_settings_default(&read);
    foray_status status = get_each_setting(store, &read, &count);
    if (status != FORAY_OK)
        return status;
    while (foray_setting_describe(read.algorithm, expected))
        expected++;
    if (count != expected)
        return fy_store_damaged(store, "%" PRId64 " settings, but %s has %" PRId64, count,
                                read.algorithm, expected);
    *settings = read;
    return FORAY_OK;
}
