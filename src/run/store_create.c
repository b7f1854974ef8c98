/* store_create.c - making the SQLite file of a run, in place of another one if asked to. */
#include "run/store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static foray_status put_all_meta(fy_store *store, const fy_birth *birth)
{
    char created[32], bytes[32];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fy_format(bytes, sizeof bytes, "%zu", birth->model_bytes);
    const char *const rows[][2] = {{"version", FORAY_VERSION},
                                   {"created", created},
                                   {"world", birth->world},
                                   {"source", "model"},
                                   {"reward", ""},
                                   {"targets", "0"},
                                   {"own", "0 0"},
                                   {"model_bytes", bytes}};
    foray_status status = FORAY_OK;
    for (size_t i = 0; status == FORAY_OK && i < sizeof rows / sizeof rows[0]; i++)
        status = fy_store_put_meta(store, rows[i][0], rows[i][1]);
    return status;
}

/* One transaction makes the whole file. Its journal need not survive a crash:
 * the file has no name yet that anyone would open. */
static foray_status fill_store(fy_store *store, const fy_birth *birth)
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
        status = fy_store_make_tables(store);
    if (status == FORAY_OK)
        status = put_all_meta(store, birth);
    if (status == FORAY_OK)
        status = fy_store_put_settings(store, birth->settings);
    if (status == FORAY_OK)
        status = fy_store_put_pieces(store, "model", 0, birth->model, birth->model_bytes);
    return status == FORAY_OK ? fy_store_commit(store, &none) : status;
}

static foray_status build(fy_store *store, const char *temporary, const fy_birth *birth)
{
    foray_status status = fy_store_connect(store, temporary, SQLITE_OPEN_READWRITE);
    if (status == FORAY_OK)
        status = fill_store(store, birth);
    fy_store_disconnect(store);
    return status;
}

/* Moves the log of a database into it, which is then one without a log. The first statement makes
 * SQLite look at the log. */
static foray_status move_log(fy_store *store)
{
    int64_t version, busy = 0;
    foray_status status = fy_store_connect(store, store->real, SQLITE_OPEN_READWRITE);
    if (status == FORAY_OK)
        status = fy_store_number(store, "PRAGMA schema_version", &version);
    if (status == FORAY_OK)
        status = fy_store_number(store, "PRAGMA wal_checkpoint(TRUNCATE)", &busy);
    if (status == FORAY_OK && busy == 0)
        status = fy_store_run(store, "PRAGMA journal_mode = MEMORY");
    fy_store_disconnect(store);
    if (status == FORAY_OK && busy != 0)
        status = fy_fail(store->ctx, FORAY_ERROR_IO, "%s: not replaced, since it is being read",
                         store->path);
    return status;
}

/* A run that was not closed cleanly has its last episodes in a log beside it. They are moved
 * into the file first: until the new file has its name, nothing of the old one may get lost. In
 * what is not a database, or a damaged one, there is nothing to keep. */
static foray_status settle(fy_store *store)
{
    bool unsettled;
    foray_status status = fy_find_log(store->ctx, store->real, &unsettled);
    if (status == FORAY_OK && unsettled && access(store->real, F_OK) == 0)
        status = move_log(store);
    return status == FORAY_ERROR_RUN ? FORAY_OK : status;
}

/* Builds the file under another name; then it appears whole or not at all. The
 * lock is held throughout, so that nobody's log is taken for a leftover. */
static foray_status build_and_place(fy_store *store, bool replace, const fy_birth *birth)
{
    char *temporary;
    foray_status status = fy_create_unfinished(store->ctx, store->real, &temporary);
    if (status != FORAY_OK)
        return status;
    status = build(store, temporary, birth);
    if (status == FORAY_OK)
        status = settle(store);
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
    foray_status status = fy_store_attach(store, true);
    if (status == FORAY_OK || replace)
        return status;
    char message[sizeof store->ctx->message];
    memcpy(message, store->ctx->message, sizeof message);
    fy_store_disconnect(store);
    unlink(store->real);
    fy_remove_side_files(store->ctx, store->real);
    return fy_fail(store->ctx, status, "%s", message);
}

/* What a link leads to is replaced, not the link: there the lock is, and the log. */
foray_status fy_store_create(foray_context *ctx, const char *path, bool replace,
                             const fy_birth *birth, fy_store **out)
{
    char *target;
    foray_status status = refuse_existing(ctx, path, replace);
    if (status == FORAY_OK)
        status = fy_file_target(ctx, path, &target);
    if (status != FORAY_OK)
        return status;
    fy_store *store = fy_store_new(ctx, target);
    free(target);
    if (!store)
        return FORAY_ERROR_MEMORY;
    status = fy_store_find(store);
    if (status == FORAY_OK)
        status = fy_store_lock(store);
    if (status == FORAY_OK)
        status = fy_check_side_files(ctx, store->path, store->real);
    if (status == FORAY_OK)
        status = refuse_existing(ctx, store->path, replace);
    if (status == FORAY_OK)
        status = build_and_place(store, replace, birth);
    if (status == FORAY_OK)
        status = attach_new(store, replace);
    if (status != FORAY_OK) {
        fy_store_close(store);
        return status;
    }
    *out = store;
    return FORAY_OK;
}
