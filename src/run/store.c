/* store.c - the SQLite file of a run: what its errors mean, its tables, transactions, opening,
 * closing, and making it, in place of another one if asked to.
 *
 * SQL in a file is a program: a generated column, a view or an index on an expression computes
 * whatever its author likes, for as long as he likes. In a run there is no SQL but ours. */
#include "run/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------------------------ errors */

typedef struct cause {
    int code;
    foray_status status;
    const char *text;
} cause;

static const cause causes[] = {
    {SQLITE_FULL, FORAY_ERROR_IO, "the disk is full"},
    {SQLITE_READONLY, FORAY_ERROR_IO, "the file or its directory is read-only"},
    {SQLITE_READONLY_DBMOVED, FORAY_ERROR_IO, "deleted or replaced while it was being written"},
    {SQLITE_PERM, FORAY_ERROR_IO, "access denied"},
    {SQLITE_AUTH, FORAY_ERROR_IO, "access denied"},
    {SQLITE_CANTOPEN, FORAY_ERROR_IO, "the file, or its log, cannot be opened"},
    {SQLITE_IOERR, FORAY_ERROR_IO, "reading or writing failed"},
    {SQLITE_BUSY, FORAY_ERROR_IO, "in use by another process"},
    {SQLITE_LOCKED, FORAY_ERROR_IO, "in use by another process"},
    {SQLITE_PROTOCOL, FORAY_ERROR_IO, "in use by another process"},
    {SQLITE_NOLFS, FORAY_ERROR_IO, "too large for this file system"},
    {SQLITE_TOOBIG, FORAY_ERROR_USAGE, "an episode is too large to be stored"},
    {SQLITE_INTERRUPT, FORAY_ERROR_RUN, "damaged: reading it comes to no end"},
    {SQLITE_NOMEM, FORAY_ERROR_MEMORY, "out of memory"},
    {SQLITE_NOTADB, FORAY_ERROR_RUN, "not a Foray run: not an SQLite database"},
};

/* Whatever is not listed comes from a database that is not as we made it. */
static cause cause_of(int rc)
{
    if (rc == SQLITE_IOERR_NOMEM)
        rc = SQLITE_NOMEM;
    int plain = rc == SQLITE_READONLY_DBMOVED ? rc : rc & 0xff;
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
        if (causes[i].code == plain)
            return causes[i];
    }
    return (cause){rc, FORAY_ERROR_RUN, "damaged"};
}

/* What the log, or the journal, met last. */
static int journal_error(fy_store *store)
{
    sqlite3_file *journal = NULL;
    int found = 0;
    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
    if (journal && journal->pMethods && journal->pMethods->xFileControl)
        journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &found);
    return found;
}

/* Why the system refused, where SQLite or one of the files still knows; else 0. SQLite itself does
 * not ask when it is a commit that fails, which writes to the log. */
static int system_error(fy_store *store)
{
    int code = sqlite3_errcode(store->db) & 0xff;
    if (code != SQLITE_IOERR && code != SQLITE_CANTOPEN)
        return 0; /* what it knows is of an earlier failure */
    int found = sqlite3_system_errno(store->db);
    if (found == 0 && code == SQLITE_IOERR)
        found = journal_error(store);
    if (found == 0 && code == SQLITE_IOERR)
        sqlite3_file_control(store->db, "main", SQLITE_FCNTL_LAST_ERRNO, &found);
    return found;
}

foray_status fy_store_fail(fy_store *store, int rc)
{
    cause found = cause_of(rc);
    bool current = store->db && (sqlite3_errcode(store->db) & 0xff) == (rc & 0xff);
    const char *detail = current ? sqlite3_errmsg(store->db) : sqlite3_errstr(rc);
    int system = current ? system_error(store) : 0;
    bool blame_system = found.status == FORAY_ERROR_IO && system != 0;
    return fy_fail(store->ctx, found.status, "%s: %s (%s%s%s)", store->path, found.text, detail,
                   blame_system ? "; " : "", blame_system ? strerror(system) : "");
}

foray_status fy_store_damaged(fy_store *store, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    fy_vformat(what, sizeof what, format, arguments);
    va_end(arguments);
    return fy_fail(store->ctx, FORAY_ERROR_RUN, "%s: damaged: %s", store->path, what);
}

enum { busy_milliseconds = 5000 }; /* for how long somebody else's lock is waited for */

/* -------------------------------------------------------------- statements */

foray_status fy_store_run(fy_store *store, const char *sql)
{
    store->work = 0;
    int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? FORAY_OK : fy_store_fail(store, rc);
}

foray_status fy_store_number(fy_store *store, const char *sql, int64_t *out)
{
    fy_row row;
    fy_row_prepare(&row, store, "tables", sql);
    int64_t value = 0;
    if (fy_row_next(&row))
        value = fy_row_int(&row);
    foray_status status = fy_row_end(&row);
    if (status == FORAY_OK)
        *out = value;
    return status;
}

foray_status fy_store_bytes(fy_store *store, int64_t *out)
{
    return fy_store_number(
        store, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", out);
}

/* ------------------------------------------------------------ transactions */

foray_status fy_store_read_head(fy_store *store, fy_head *out)
{
    fy_head head = {0};
    fy_row row;
    fy_row_prepare(&row, store, "head",
                   "SELECT episodes, batches, points, plans, crc FROM head WHERE id = 0");
    bool found = fy_row_next(&row);
    if (found) {
        head.episodes = fy_row_int(&row);
        head.batches = fy_row_int(&row);
        head.points = fy_row_int(&row);
        head.plans = fy_row_int(&row);
        fy_row_intact(&row);
    }
    foray_status status = fy_row_end(&row);
    if (status == FORAY_OK && !found)
        return fy_store_damaged(store, "its head is missing");
    if (status == FORAY_OK)
        *out = head;
    return status;
}

static foray_status write_head(fy_store *store, const fy_head *head)
{
    fy_row row;
    fy_row_prepare(&row, store, "head",
                   "REPLACE INTO head(id, episodes, batches, points, plans, crc)"
                   " VALUES(0, ?1, ?2, ?3, ?4, ?5)");
    fy_row_put_int(&row, head->episodes);
    fy_row_put_int(&row, head->batches);
    fy_row_put_int(&row, head->points);
    fy_row_put_int(&row, head->plans);
    return fy_row_insert(&row);
}

static bool same_head(const fy_head *a, const fy_head *b)
{
    return a->episodes == b->episodes && a->batches == b->batches && a->points == b->points &&
           a->plans == b->plans;
}

static foray_status find_held(fy_store *store)
{
    static const char *const suffix[FY_HELD] = {"", "-wal", "-shm"};
    foray_status status = FORAY_OK;
    for (int i = 0; status == FORAY_OK && i < FY_HELD; i++)
        status = fy_open_file_find(store->ctx, store->real, suffix[i], &store->held[i]);
    return status;
}

static bool lost_files(fy_store *store)
{
    bool lost = fy_lock_is_lost(&store->lock);
    for (int i = 0; i < FY_HELD; i++)
        lost = lost || fy_open_file_is_lost(&store->held[i]);
    return lost;
}

/* A file that lost its name takes everything in and keeps nothing. Where our descriptors were
 * closed, SQLite's may lead to files of somebody else: nothing is written any more. */
static foray_status check_place(fy_store *store)
{
    int moved = 0;
    if (lost_files(store))
        return fy_fail(store->ctx, FORAY_ERROR_IO,
                       "%s: other code in this process, such as a plug-in, closed descriptors that "
                       "are not its own, those of this file among them",
                       store->path);
    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (moved == 0)
        return FORAY_OK;
    return fy_fail(store->ctx, FORAY_ERROR_IO, "%s: deleted or replaced while it was being written",
                   store->path);
}

foray_status fy_store_begin(fy_store *store, bool write)
{
    foray_status status = write ? check_place(store) : FORAY_OK;
    if (status == FORAY_OK)
        status = fy_store_run(store, write ? "BEGIN IMMEDIATE" : "BEGIN");
    if (status != FORAY_OK || !write)
        return status;
    fy_head head = {0};
    status = fy_store_read_head(store, &head);
    if (status == FORAY_OK && !same_head(&head, &store->head))
        status = fy_fail(store->ctx, FORAY_ERROR_IO,
                         "%s: has been changed since it was opened; open it again", store->path);
    if (status != FORAY_OK)
        fy_store_rollback(store);
    return status;
}

foray_status fy_store_commit(fy_store *store, const fy_head *head)
{
    foray_status status = write_head(store, head);
    if (status == FORAY_OK)
        status = fy_store_run(store, "COMMIT");
    if (status != FORAY_OK) {
        fy_store_rollback(store);
        return status;
    }
    store->head = *head;
    return check_place(store);
}

/* SQLite has rolled back on its own after some errors. Rolling back takes memory, too: where it
 * has just run out, a second attempt may find some. */
void fy_store_rollback(fy_store *store)
{
    for (int attempt = 0; attempt < 2 && !sqlite3_get_autocommit(store->db); attempt++)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

/* ------------------------------------------------------------------ tables */

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
             " own INTEGER, reward_bytes INTEGER, policy_bytes INTEGER, crc INTEGER)"},
    {"piece", "CREATE TABLE piece(kind TEXT, id INTEGER, part INTEGER, bytes INTEGER, crc INTEGER,"
              " data BLOB, PRIMARY KEY(kind, id, part))"},
};

enum { TABLES = sizeof tables / sizeof *tables };

static foray_status make_tables(fy_store *store)
{
    foray_status status = FORAY_OK;
    for (int i = 0; status == FORAY_OK && i < TABLES; i++)
        status = fy_store_run(store, tables[i].sql);
    store->known = status == FORAY_OK;
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

static foray_status check_tables(fy_store *store)
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
    store->known = status == FORAY_OK;
    return status;
}

/* ----------------------------------------------------------------- opening */

static fy_store *new_store(foray_context *ctx, const char *path)
{
    fy_store *store;
    if (!FY_ALLOC(ctx, store, 1))
        return NULL;
    store->ctx = ctx;
    store->lock.fd = -1;
    for (int i = 0; i < FY_HELD; i++)
        store->held[i].fd = -1;
    store->owner = getpid();
    store->path = fy_text(ctx, path);
    if (store->path)
        return store;
    free(store);
    return NULL;
}

/* Pages of a damaged or forged file may be in many places at once, so that reading it would take
 * for ever: what takes many more steps than the file has bytes is interrupted. Before the tables
 * are known to be ours little is allowed: SQLite parses them first, in the square of their number.
 */
static int count_work(void *user)
{
    enum { TABLES_ONLY = 20, FREE_OF_CHARGE = 20000, BYTES = 125 }; /* 8 steps for a byte */
    fy_store *store = user;
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;
    if (++store->work < (store->known ? FREE_OF_CHARGE : TABLES_ONLY))
        return 0;
    if (!store->known)
        return 1;
    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (file && file->pMethods)
        file->pMethods->xFileSize(file, &size);
    return store->work - FREE_OF_CHARGE > size / BYTES;
}

/* Little more than our own statements need. */
static void limit(sqlite3 *db)
{
    static const int limits[][2] = {
        {SQLITE_LIMIT_SQL_LENGTH, 10000},   {SQLITE_LIMIT_COLUMN, 32},
        {SQLITE_LIMIT_EXPR_DEPTH, 50},      {SQLITE_LIMIT_COMPOUND_SELECT, 4},
        {SQLITE_LIMIT_VDBE_OP, 100000},     {SQLITE_LIMIT_FUNCTION_ARG, 8},
        {SQLITE_LIMIT_ATTACHED, 0},         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
        {SQLITE_LIMIT_VARIABLE_NUMBER, 32}, {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(db, limits[i][0], limits[i][1]);
}

/* Nothing in a file we are given gets to run code or stand in for a table. */
static void distrust(sqlite3 *db)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
}

/* What every connection starts with. Logs are moved and removed by us alone: SQLite would do so
 * whenever a connection ends, if only with a database that is not ours. */
static foray_status configure_connection(fy_store *store)
{
    int keep = 1;
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, busy_milliseconds);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
    sqlite3_progress_handler(store->db, 1000, count_work, store);
    limit(store->db);
    distrust(store->db);
    return fy_store_run(store, "PRAGMA cell_size_check = ON");
}

/* SQLite gives names like "file:x" and ":memory:" a meaning of its own, but none
 * that starts with a directory. */
static foray_status connect_store(fy_store *store, const char *real, int flags)
{
    foray_status status = fy_check_side_files(store->ctx, store->path, real);
    if (status != FORAY_OK)
        return status;
    int rc = sqlite3_open_v2(real, &store->db, flags | SQLITE_OPEN_NOFOLLOW, NULL);
    return rc == SQLITE_OK ? configure_connection(store) : fy_store_fail(store, rc);
}

/* The bytes of a file instead of the file: a copy of them, which SQLite releases. */
static foray_status connect_to_memory(fy_store *store, const void *data, size_t size)
{
    int rc = sqlite3_open_v2(":memory:", &store->db, SQLITE_OPEN_READWRITE, NULL);
    unsigned char *copy = rc == SQLITE_OK ? sqlite3_malloc64(size) : NULL;
    if (rc == SQLITE_OK && !copy)
        rc = SQLITE_NOMEM;
    if (rc == SQLITE_OK) {
        memcpy(copy, data, size);
        rc = sqlite3_deserialize(store->db, "main", copy, (sqlite3_int64)size, (sqlite3_int64)size,
                                 SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
    }
    return rc == SQLITE_OK ? configure_connection(store) : fy_store_fail(store, rc);
}

static foray_status check_identity(fy_store *store)
{
    int64_t application, format;
    foray_status status = fy_store_number(store, "PRAGMA application_id", &application);
    if (status != FORAY_OK)
        return status;
    if (application != FY_STORE_APPLICATION)
        return fy_fail(store->ctx, FORAY_ERROR_RUN,
                       "%s: not a Foray run: an SQLite database of something else", store->path);
    status = fy_store_number(store, "PRAGMA user_version", &format);
    if (status != FORAY_OK)
        return status;
    if (format != FY_STORE_FORMAT)
        return fy_fail(store->ctx, FORAY_ERROR_RUN,
                       "%s: made by another version of Foray: it has format %" PRId64
                       ", and this one (%s) reads format %d",
                       store->path, format, FORAY_VERSION, FY_STORE_FORMAT);
    return check_tables(store);
}

/* Does the file go with a log, as it does while it is being written? */
static foray_status is_logged(fy_store *store, bool *out)
{
    fy_row row;
    fy_row_prepare(&row, store, "journal", "PRAGMA journal_mode");
    *out = fy_row_next(&row) && strcmp(fy_row_text(&row), "wal") == 0;
    return fy_row_end(&row);
}

/* The log grows to some 16 MB before it is moved into the file. Freed pages
 * are not overwritten: Debian's SQLite would do that, to no one's benefit here.
 *
 * Going over to a log, and back, rewrites a few bytes of the file's header, which one write does
 * whole. Its journal is kept in memory: nothing on disk but a log goes with a run. After a kill the
 * file may have its log already, with readers that must not be disturbed. A log is there, if only
 * an empty file, before the header says so: where it is missing it was lost. */
static foray_status prepare_writing(fy_store *store)
{
    bool logged;
    if (sqlite3_db_readonly(store->db, "main") == 1)
        return fy_fail(store->ctx, FORAY_ERROR_IO, "%s: the file is read-only", store->path);
    foray_status status = is_logged(store, &logged);
    if (status == FORAY_OK && !logged)
        status = fy_store_run(store, "PRAGMA journal_mode = MEMORY");
    if (status == FORAY_OK)
        status = fy_create_log(store->ctx, store->real);
    if (status != FORAY_OK)
        return status;
    store->logged = true;
    return fy_store_run(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                               "PRAGMA secure_delete = OFF; PRAGMA wal_autocheckpoint = 1000;"
                               "PRAGMA journal_size_limit = 67108864");
}

/* While a run is written, and if that ended in a crash, part of it is in a log beside the file;
 * the header says so in two bytes. */
enum { HEADER = 100 };

static bool has_log(const uint8_t *header)
{
    return header[18] == 2 || header[19] == 2;
}

static bool is_database(const uint8_t *header)
{
    return memcmp(header, "SQLite format 3", 16) == 0;
}

/* What SQLite itself has open: to open the file again and to close it would end SQLite's locks. */
static bool needs_log(fy_store *store)
{
    uint8_t header[HEADER] = {0};
    sqlite3_file *file = NULL;
    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (file && file->pMethods)
        file->pMethods->xRead(file, header, HEADER, 0);
    return is_database(header) && has_log(header);
}

/* A log that is missing was left behind when the file was moved or copied. Another process may
 * begin or end writing between two looks, though not twice. */
static foray_status check_log(fy_store *store)
{
    bool found = false, missing = true;
    for (int look = 0; missing && look < 2; look++) {
        foray_status status = fy_find_log(store->ctx, store->real, &found);
        if (status != FORAY_OK)
            return status;
        missing = !found && needs_log(store);
    }
    if (!missing)
        return FORAY_OK;
    return fy_fail(store->ctx, FORAY_ERROR_RUN,
                   "%s: its latest episodes are missing: it was copied or moved while it was being "
                   "written, or after a crash, without its log, %s-wal; put that beside it, or, if "
                   "it is lost, an empty file of that name to go on with what is left",
                   store->path, store->real);
}

static foray_status attach_store(fy_store *store, bool write)
{
    int flags = write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    foray_status status = connect_store(store, store->real, flags);
    if (status == FORAY_OK)
        status = check_log(store);
    if (status == FORAY_OK)
        status = check_identity(store);
    if (status == FORAY_OK && write)
        status = prepare_writing(store);
    if (status == FORAY_OK)
        status = fy_store_read_head(store, &store->head);
    if (status == FORAY_OK && write)
        status = find_held(store);
    store->whole = status == FORAY_OK;
    return status;
}

/* Says what SQLite would only call "unable to open database file". */
static foray_status check_file(foray_context *ctx, const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(file.st_mode))
        return fy_file_expect(ctx, path, "a run");
    if (!S_ISREG(file.st_mode))
        return fy_fail(ctx, FORAY_ERROR_RUN, "%s: not a Foray run: not a file", path);
    if (file.st_size == 0)
        return fy_fail(ctx, FORAY_ERROR_RUN, "%s: not a Foray run: the file is empty", path);
    if (access(path, R_OK) != 0)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: %s", path, strerror(errno));
    return fy_file_expect(ctx, path, "a run");
}

static foray_status find_store(fy_store *store)
{
    return fy_path_real(store->ctx, store->path, &store->real);
}

/* Two names of one file must meet at one lock: where symbolic links lead is known, and what has
 * several names of its own, each with a log beside it, is not written. */
static foray_status lock_store(fy_store *store)
{
    struct stat file;
    if (stat(store->real, &file) == 0 && file.st_nlink > 1)
        return fy_fail(store->ctx, FORAY_ERROR_IO,
                       "%s: not written, since it has other names (hard links); copy it first",
                       store->path);
    foray_status status = fy_lock_take(store->ctx, store->real, &store->lock);
    if (status == FORAY_OK)
        status = fy_remove_unfinished(store->ctx, store->real);
    return status;
}

foray_status fy_store_open(foray_context *ctx, const char *path, bool write, fy_store **out)
{
    foray_status status = check_file(ctx, path);
    if (status != FORAY_OK)
        return status;
    fy_store *store = new_store(ctx, path);
    if (!store)
        return FORAY_ERROR_MEMORY;
    status = find_store(store);
    if (status == FORAY_OK && write)
        status = lock_store(store);
    if (status == FORAY_OK)
        status = attach_store(store, write);
    if (status != FORAY_OK) {
        fy_store_close(store);
        return status;
    }
    *out = store;
    return FORAY_OK;
}

foray_status fy_store_open_memory(foray_context *ctx, const void *data, size_t size,
                                  const char *where, fy_store **out)
{
    if (size < HEADER || !is_database(data))
        return fy_fail(ctx, FORAY_ERROR_RUN, "%s: not a Foray run: not an SQLite database", where);
    if (has_log(data))
        return fy_fail(ctx, FORAY_ERROR_RUN,
                       "%s: part of the run is in a log next to its file: it is being written, or "
                       "was not closed; open the file for writing and close it to include the log",
                       where);
    fy_store *store = new_store(ctx, where);
    if (!store)
        return FORAY_ERROR_MEMORY;
    foray_status status = connect_to_memory(store, data, size);
    if (status == FORAY_OK)
        status = check_identity(store);
    if (status == FORAY_OK)
        status = fy_store_read_head(store, &store->head);
    if (status != FORAY_OK) {
        fy_store_close(store);
        return status;
    }
    *out = store;
    return FORAY_OK;
}

/* What an SQLite call said about the log: a reader in the way is not a failure, the log is moved
 * when it is gone. */
static foray_status log_status(fy_store *store, int rc)
{
    if (rc == SQLITE_OK || (rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED)
        return FORAY_OK;
    foray_status status = fy_store_fail(store, rc);
    char message[sizeof store->ctx->message];
    memcpy(message, store->ctx->message, sizeof message);
    return fy_fail(store->ctx, status,
                   "%s; what was saved is in %s-wal, which belongs to the run: make room and "
                   "continue, and keep both files until then",
                   message, store->path);
}

foray_status fy_store_merge_log(fy_store *store)
{
    foray_status status = check_place(store);
    if (status != FORAY_OK)
        return status;
    sqlite3_busy_timeout(store->db, 0);
    int rc = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_busy_timeout(store->db, busy_milliseconds);
    return log_status(store, rc);
}

static void disconnect_store(fy_store *store)
{
    fy_store_finalize_cached(store);
    sqlite3_close(store->db);
    store->db = NULL;
    store->known = store->logged = false;
}

/* Back to a single file without a log, if no reader is in the way. What a child inherited is for
 * its parent to close. */
foray_status fy_store_close(fy_store *store)
{
    foray_status status = FORAY_OK;
    if (!store)
        return status;
    bool ours = store->owner == getpid();
    bool single = false;
    if (ours && store->logged && !lost_files(store)) {
        fy_store_rollback(store);
        status = store->whole ? fy_store_merge_log(store) : FORAY_OK;
        sqlite3_busy_timeout(store->db, 0);
        int rc = sqlite3_exec(store->db, "PRAGMA journal_mode = MEMORY", NULL, NULL, NULL);
        single = rc == SQLITE_OK && status == FORAY_OK;
        if (store->whole && status == FORAY_OK)
            status = log_status(store, rc);
    }
    if (ours)
        disconnect_store(store);
    if (single)
        (void)fy_remove_side_files(store->ctx, store->real);
    fy_lock_release(&store->lock);
    free(store->path);
    free(store->real);
    free(store);
    return status;
}

/* ---------------------------------------------------------------- creating */

static foray_status put_all_meta(fy_store *store, const fy_new_run *initial)
{
    char created[32];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    const char *const rows[][2] = {{"version", FORAY_VERSION},
                                   {"created", created},
                                   {"world", initial->world},
                                   {"source", "model"},
                                   {"reward", ""},
                                   {"targets", "0"},
                                   {"own", "0"},
                                   {"next", ""}};
    foray_status status = FORAY_OK;
    for (size_t i = 0; status == FORAY_OK && i < sizeof rows / sizeof rows[0]; i++)
        status = fy_store_put_meta(store, rows[i][0], rows[i][1]);
    return status;
}

/* One transaction makes the whole file. Its journal need not survive a crash:
 * the file has no name yet that anyone would open. */
static foray_status fill_store(fy_store *store, const fy_new_run *initial)
{
    char identity[160];
    fy_format(identity, sizeof identity,
              "PRAGMA page_size = 16384; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = FULL;"
              "PRAGMA application_id = %d; PRAGMA user_version = %d",
              FY_STORE_APPLICATION, FY_STORE_FORMAT);
    const fy_head none = {0};
    foray_status status = fy_store_run(store, identity);
    if (status == FORAY_OK)
        status = fy_store_begin(store, false);
    if (status == FORAY_OK)
        status = make_tables(store);
    if (status == FORAY_OK)
        status = put_all_meta(store, initial);
    if (status == FORAY_OK)
        status = fy_store_put_settings(store, initial->settings);
    if (status == FORAY_OK)
        status = fy_store_put_model(store, initial->model, initial->part);
    return status == FORAY_OK ? fy_store_commit(store, &none) : status;
}

static foray_status build(fy_store *store, const char *temporary, const fy_new_run *initial)
{
    foray_status status = connect_store(store, temporary, SQLITE_OPEN_READWRITE);
    if (status == FORAY_OK)
        status = fill_store(store, initial);
    disconnect_store(store);
    return status;
}

/* Moves the log of a database into it, which is then one without a log. The first statement makes
 * SQLite look at the log. */
static foray_status move_log(fy_store *store)
{
    int64_t version, busy = 0;
    foray_status status = connect_store(store, store->real, SQLITE_OPEN_READWRITE);
    if (status == FORAY_OK)
        status = fy_store_number(store, "PRAGMA schema_version", &version);
    if (status == FORAY_OK)
        status = fy_store_number(store, "PRAGMA wal_checkpoint(TRUNCATE)", &busy);
    if (status == FORAY_OK && busy == 0)
        status = fy_store_run(store, "PRAGMA journal_mode = MEMORY");
    disconnect_store(store);
    if (status == FORAY_OK && busy != 0)
        status = fy_fail(store->ctx, FORAY_ERROR_IO, "%s: not replaced, since it is being read",
                         store->path);
    return status;
}

/* A run that was not closed cleanly has its last episodes in a log beside it. They are moved
 * into the file first: until the new file has its name, nothing of the old one may get lost. In
 * what is not a database, or a damaged one, there is nothing to keep. */
static foray_status merge_old_log(fy_store *store)
{
    bool found;
    foray_status status = fy_find_log(store->ctx, store->real, &found);
    if (status == FORAY_OK && found && access(store->real, F_OK) == 0)
        status = move_log(store);
    return status == FORAY_ERROR_RUN ? FORAY_OK : status;
}

/* Builds the file under another name; then it appears whole or not at all. The
 * lock is held throughout, so that nobody's log is taken for a leftover. */
static foray_status build_and_place(fy_store *store, bool replace, const fy_new_run *initial)
{
    char *temporary;
    foray_status status = fy_create_unfinished(store->ctx, store->real, &temporary);
    if (status != FORAY_OK)
        return status;
    status = build(store, temporary, initial);
    if (status == FORAY_OK)
        status = merge_old_log(store);
    if (status == FORAY_OK)
        status = fy_remove_side_files(store->ctx, store->real);
    if (status == FORAY_OK)
        status = fy_file_place(store->ctx, temporary, store->real, replace);
    if (status != FORAY_OK)
        unlink(temporary);
    free(temporary);
    return status;
}

/* Renaming over a name would take it from a device or a pipe as readily as from a file. */
static foray_status refuse_existing(foray_context *ctx, const char *path, bool replace)
{
    struct stat file;
    if (lstat(path, &file) != 0)
        return FORAY_OK;
    if (stat(path, &file) == 0 && !S_ISREG(file.st_mode))
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: not replaced, since it is not an ordinary file",
                       path);
    return replace ? FORAY_OK : fy_fail(ctx, FORAY_ERROR_IO, "%s: already exists", path);
}

/* A new run that cannot be opened, since the disk is full or no more files may be open, is taken
 * back: the same command can be given again. */
static foray_status attach_new(fy_store *store, bool replace)
{
    foray_status status = attach_store(store, true);
    if (status == FORAY_OK || replace)
        return status;
    char message[sizeof store->ctx->message];
    memcpy(message, store->ctx->message, sizeof message);
    disconnect_store(store);
    unlink(store->real);
    fy_remove_side_files(store->ctx, store->real);
    return fy_fail(store->ctx, status, "%s", message);
}

/* What a link leads to is replaced, not the link: there the lock is, and the log. */
foray_status fy_store_create(foray_context *ctx, const char *path, bool replace,
                             const fy_new_run *initial, fy_store **out)
{
    char *target;
    foray_status status = refuse_existing(ctx, path, replace);
    if (status == FORAY_OK)
        status = fy_file_target(ctx, path, &target);
    if (status != FORAY_OK)
        return status;
    fy_store *store = new_store(ctx, target);
    free(target);
    if (!store)
        return FORAY_ERROR_MEMORY;
    status = find_store(store);
    if (status == FORAY_OK)
        status = lock_store(store);
    if (status == FORAY_OK)
        status = fy_check_side_files(ctx, store->path, store->real);
    if (status == FORAY_OK)
        status = refuse_existing(ctx, store->path, replace);
    if (status == FORAY_OK)
        status = build_and_place(store, replace, initial);
    if (status == FORAY_OK)
        status = attach_new(store, replace);
    if (status != FORAY_OK) {
        fy_store_close(store);
        return status;
    }
    *out = store;
    return FORAY_OK;
}
