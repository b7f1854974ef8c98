/* store_tables.c - the tables of a run.
 *
 * SQL in a file is a program: a generated column, a view or an index on an expression computes
 * whatever its author likes, for as long as he likes. In a run there is no SQL but ours. */
#include "run/store.h"

#include <string.h>

typedef struct table {
    const char *name, *sql;
} table;

/* In `episodes` and `piece` the blob comes last, so that the other
 * columns are read without walking through it. */
static const table tables[] = {
    {"head", "CREATE TABLE head(id INTEGER PRIMARY KEY, episodes INTEGER, batches INTEGER,"
             " points INTEGER, plans INTEGER, crc INTEGER)"},
    {"meta", "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT, crc INTEGER)"},
    {"setting", "CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT, crc INTEGER)"},
    {"episodes", "CREATE TABLE episodes(first INTEGER PRIMARY KEY, count INTEGER, crc INTEGER,"
                 " data BLOB)"},
    {"trace", "CREATE TABLE trace(episodes INTEGER PRIMARY KEY, plans INTEGER, bound REAL,"
              " crc INTEGER)"},
    {"checkpoint", "CREATE TABLE checkpoint(episodes INTEGER PRIMARY KEY, bytes INTEGER,"
                   " crc INTEGER)"},
    {"plan", "CREATE TABLE plan(id INTEGER PRIMARY KEY, episodes INTEGER, reward TEXT, mode TEXT,"
             " optimistic REAL, plugin REAL, pessimistic REAL, expected REAL, low REAL, high REAL,"
             " gap REAL, delta REAL, radius INTEGER, bound INTEGER, status INTEGER,"
             " reward_bytes INTEGER, policy_bytes INTEGER, crc INTEGER)"},
    {"piece", "CREATE TABLE piece(kind TEXT, id INTEGER, part INTEGER, crc INTEGER, data BLOB,"
              " PRIMARY KEY(kind, id, part))"},
};

enum { TABLES = sizeof tables / sizeof *tables };

foray_status fy_store_make_tables(fy_store *store)
{
    foray_status status = FORAY_OK;
    for (int i = 0; status == FORAY_OK && i < TABLES; i++)
        status = fy_store_run(store, tables[i].sql);
    return status;
}

/* Marks the table that was found; false: it is none of ours. Primary keys come with an index
 * that has no text. */
static bool recognise(const char *name, const char *sql, bool *found)
{
    if (*sql == 0 && strncmp(name, "sqlite_autoindex_", 17) == 0)
        return true;
    for (int i = 0; i < TABLES; i++)
        if (strcmp(name, tables[i].name) == 0 && strcmp(sql, tables[i].sql) == 0)
            return found[i] = true;
    return false;
}

foray_status fy_store_check_tables(fy_store *store)
{
    bool found[TABLES] = {false}, ours = true;
    char name[64] = "";
    fy_row row;
    fy_row_prepare(&row, store, "tables", "SELECT name, ifnull(sql, '') FROM sqlite_master");
    while (ours && fy_row_next(&row)) {
        fy_format(name, sizeof name, "%s", fy_row_text(&row));
        ours = recognise(name, fy_row_text(&row), found);
    }
    foray_status status = fy_row_end(&row);
    if (status == FORAY_OK && !ours)
        return fy_store_damaged(store, "\"%s\" in it is not as Foray makes it", name);
    for (int i = 0; status == FORAY_OK && i < TABLES; i++)
        if (!found[i])
            status = fy_store_damaged(store, "it has no table \"%s\"", tables[i].name);
    return status;
}
