/* store_error.c - what SQLite's errors mean for a run. */
#include "run/store.h"

#include <stdarg.h>
#include <string.h>

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
