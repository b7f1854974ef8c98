/* store.h - a run on disk: one SQLite file, and the only place that knows it.
 *
 *   head        one row: how many episodes, batches, trace points and plans there are
 *   meta        version, created, world, model_bytes, reward, targets, own, next, and source:
 * whether the episodes come from the world of the "model", from some "other", or from "clusters"
 *   setting     one row per setting, as text
 *   episodes    batches: first episode, count, and what happened in them (codec.c), packed
 *   trace       how the bound for all rewards went
 *   checkpoint  the explorer's state after so many episodes; the last two are kept
 *   plan        policies for rewards, with values and certificate
 *   piece       large contents in parts, packed: the model, checkpoints, rewards, policies
 *
 * Every row carries a CRC-32C of its own content, and `head` counts the rows:
 * SQLite finds a damaged structure, these find damaged or missing content.
 *
 * Durability: write-ahead log with synchronous=FULL. What a transaction wrote
 * is safe when fy_store_commit returns. Closed cleanly, a run is a single file
 * without a log beside it, so that it can be copied, or read from read-only media. */
#ifndef FY_STORE_H
#define FY_STORE_H

#include <sqlite3.h>

#include "run/files.h"

enum {
    FY_STORE_APPLICATION = 0x466f7279, /* "Fory" */
    FY_STORE_FORMAT = 1,
    FY_PIECE_BYTES = 1 << 20, /* one at a time is in memory */
};

typedef struct fy_head {
    int64_t episodes, batches, points, plans;
} fy_head;

/* A statement that is not in use, and the text that it was prepared from: parsing SQL takes longer
 * than most of our statements do. */
typedef struct fy_cached_statement {
    const char *sql;
    sqlite3_stmt *statement;
} fy_cached_statement;

enum { FY_STORE_CACHED = 48 }; /* no fewer than there are texts */

enum { FY_HELD = 3 }; /* the run, its log, the index of that */

typedef struct fy_store {
    foray_context *ctx;
    char *path; /* as it was given, for messages */
    char *real; /* without links; NULL: in memory */
    sqlite3 *db;
    fy_cached_statement cached[FY_STORE_CACHED];
    unsigned next_cached;       /* the one that makes room */
    fy_lock lock;               /* held where the store was opened for writing, */
    fy_open_file held[FY_HELD]; /* and then what SQLite writes to */
    fy_head head;               /* as on disk */
    bool known;                 /* its tables are ours, and no others */
    bool whole;                 /* opened, and what was looked at made sense */
    bool logged;                /* goes with a log now, or was to */
    int64_t work;               /* of the statement that is being run, in thousands of steps */
    pid_t owner; /* the process that opened it: its children must not touch the database */
} fy_store;

/* What a new run begins with. */
typedef struct fy_new_run {
    const foray_settings *settings;
    const char *world;
    const foray_model *model, *part; /* of which only the part is kept, if there is one */
} fy_new_run;

/* What a run keeps of its model, in the compact format, or as JSON if nothing is known of it. */
foray_status fy_run_write_model(const foray_model *model, const foray_model *part,
                                fy_writer *writer);
/* The pieces of it, and how many bytes they are (meta). */
foray_status fy_store_put_model(fy_store *store, const foray_model *model, const foray_model *part);

/* Makes the file and opens it for writing. With replace = false an existing file is refused. */
foray_status fy_store_create(foray_context *ctx, const char *path, bool replace,
                             const fy_new_run *initial, fy_store **out);
/* Opens a file; one writer at a time, beside any number of readers. */
foray_status fy_store_open(foray_context *ctx, const char *path, bool write, fy_store **out);
/* The same for the bytes of a file, for reading; `where` names them in messages. */
foray_status fy_store_open_memory(foray_context *ctx, const void *data, size_t size,
                                  const char *where, fy_store **out);
/* Moves the log into the file, unless somebody is reading it. FORAY_ERROR_IO: the disk is full,
 * and the log stays; or the file has been deleted or replaced. */
foray_status fy_store_merge_log(fy_store *store);
/* Settles what was opened for writing, and closes it in any case. */
foray_status fy_store_close(fy_store *store);

/* Turns an SQLite error into a status and a message with the path and the cause. */
foray_status fy_store_fail(fy_store *store, int rc);
/* FORAY_ERROR_RUN: "path: damaged: ..." */
foray_status fy_store_damaged(fy_store *store, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Runs statements that give no rows. */
foray_status fy_store_run(fy_store *store, const char *sql);
/* The one number a statement gives. */
foray_status fy_store_number(fy_store *store, const char *sql, int64_t *out);

/* Of the database, with what of it is in the log. */
foray_status fy_store_bytes(fy_store *store, int64_t *out);

/* A transaction. Readers see one state throughout; a writer finds `head` as it
 * left it, or is told that another process has changed the run. */
foray_status fy_store_begin(fy_store *store, bool write);
/* Makes the changes durable, with the new head. On failure nothing has changed. */
foray_status fy_store_commit(fy_store *store, const fy_head *head);
void fy_store_rollback(fy_store *store);
/* The head as it is on disk now. */
foray_status fy_store_read_head(fy_store *store, fy_head *out);

/* -------------------------------------------------------------------- rows */

/* One statement with its row. Columns are put, or got, in order, and go into a
 * checksum on the way; the last column is that checksum. After a failure the
 * row stays failed, so that a chain of calls is checked once at its end. */
typedef struct fy_row {
    fy_store *store;
    sqlite3_stmt *statement;
    const char *sql;
    const char *what; /* names the row in messages: "settings" */
    int column;
    int64_t work; /* so far */
    uint32_t crc;
    int rc;
    bool damaged;
} fy_row;

void fy_row_prepare(fy_row *row, fy_store *store, const char *what, const char *sql);
/* Statements that ended well are kept for rows to come; before the connection ends, they go. */
void fy_store_finalize_cached(fy_store *store);

void fy_row_put_int(fy_row *row, int64_t value);
void fy_row_put_real(fy_row *row, double value); /* NaN is stored as NULL */
void fy_row_put_text(fy_row *row, const char *value);
void fy_row_put_blob(fy_row *row, const void *data, size_t size);
/* Adds the checksum, stores the row, and finishes. */
foray_status fy_row_insert(fy_row *row);

/* Parameters of a query: not part of any checksum. */
void fy_row_bind_int(fy_row *row, int position, int64_t value);
void fy_row_bind_text(fy_row *row, int position, const char *value);
/* One more row? Its columns are then got from the first. */
bool fy_row_next(fy_row *row);
int64_t fy_row_int(fy_row *row);
double fy_row_real(fy_row *row);
const char *fy_row_text(fy_row *row); /* valid until the next row */
const uint8_t *fy_row_blob(fy_row *row, size_t *size);
/* Compares the checksum with the last column: false if the row is damaged. */
bool fy_row_intact(fy_row *row);
/* Finishes a query, and says whether everything about it was well. */
foray_status fy_row_end(fy_row *row);

/* ----------------------------------------------------------------- content */

/* Large contents in pieces, each packed by itself (pieces.c). */
foray_status fy_store_put_pieces(fy_store *store, const char *kind, int64_t id, const void *data,
                                 size_t size);
/* The same as they come, for the sink of a fy_writer; what was met shows at the end. */
typedef struct fy_piece_writer {
    fy_store *store;
    const char *kind;
    int64_t id, part; /* of the next piece */
    size_t size;      /* bytes in the pieces so far */
    uint8_t *data;    /* [FY_PIECE_BYTES] the piece at hand, */
    size_t held;      /* and what there is of it */
    foray_status status;
} fy_piece_writer;
void fy_piece_writer_put(void *to, const void *data, size_t size);
foray_status fy_piece_writer_end(fy_piece_writer *writer);

/* What is in pieces, of `size` bytes altogether, read from any place on with one piece in memory
 * at a time; forward is fast. Fetching fits fy_reader, and after a failure fails; the end says why,
 * and must come if the beginning succeeded. */
typedef struct fy_pieces {
    fy_store *store;
    const char *kind;
    int64_t id, part; /* of the next piece */
    size_t size;
    fy_row row;
    uint8_t *data; /* [FY_PIECE_BYTES] this piece: bytes start..start+bytes-1 */
    size_t start, bytes;
    bool missing, no_memory;
} fy_pieces;

/* How many bytes of it there are. */
foray_status fy_pieces_size(fy_store *store, const char *kind, int64_t id, int64_t *bytes);
foray_status fy_pieces_begin(fy_pieces *pieces, fy_store *store, const char *kind, int64_t id,
                             size_t size);
bool fy_pieces_fetch(void *pieces, size_t at, void *to, size_t size);
foray_status fy_pieces_end(fy_pieces *pieces);
/* All of it: *data, of `size` bytes and a final 0, is released with free(). */
foray_status fy_store_get_pieces(fy_store *store, const char *kind, int64_t id, size_t size,
                                 uint8_t **data);
foray_status fy_store_drop_pieces_before(fy_store *store, const char *kind, int64_t id);

foray_status fy_store_put_meta(fy_store *store, const char *name, const char *value);
/* A text of the table meta, released with free(). */
foray_status fy_store_get_meta(fy_store *store, const char *name, char **out);

foray_status fy_store_put_settings(fy_store *store, const foray_settings *settings);
foray_status fy_store_get_settings(fy_store *store, foray_settings *settings);

#endif
