/* work.h - work in parts that can be stopped and continued: the runs of a comparison,
 * the cells of an experiment.
 *
 *   work.c     makes the parts side by side, and tells how far they are
 *   folder.c   a directory that knows the terms its parts were made on
 *   rows.c     numbers in named columns, kept in one file for each part */
#ifndef FY_WORK_H
#define FY_WORK_H

#include "foray/lab.h"
#include "base/threads.h"
#include "draw/text.h"

/* Seconds of the processor that the calling thread has used. */
double fy_thread_seconds(void);

/* ---------------------------------------------------------------------------- parts */

enum { FY_PART_NAME = 128 };

/* The caller fills the first half. `find` and `make` know their own results; `make` may
 * be called by several threads at once, each with a context of its own, of one thread. */
typedef struct fy_work {
    foray_context *ctx; /* the caller's */
    int64_t parts;
    foray_shard shard;    /* {0, 0}: all parts are to be made */
    bool alone;           /* one part after the other, by the thread that called */
    const double *weight; /* [parts] what each costs, in any unit; NULL: all the same */
    /* *found: the part was made before, and is there. */
    foray_status (*find)(foray_context *ctx, void *user, int64_t part, bool *found);
    foray_status (*make)(foray_context *ctx, void *user, int64_t part);
    /* For messages. */
    void (*name)(const void *user, int64_t part, char out[FY_PART_NAME]);
    void *user;
    foray_work_fn progress; /* may be NULL */
    void *progress_user;

    /* While it goes on; what parts tell is guarded by the mutex. */
    fy_mutex mutex;
    double started, told;           /* seconds */
    double total, inherited;        /* weight of everything, and of what was found */
    double *done;                   /* [parts] 0 to 1 */
    int64_t *order;                 /* [parts] the heaviest first; then of those to be made only */
    int64_t own, missing, finished; /* of the shard's parts */
    foray_status status;
} fy_work;

/* FORAY_ERROR_USAGE where there is no such shard. */
foray_status fy_shard_check(foray_context *ctx, foray_shard shard);
static inline bool fy_shard_is_whole(foray_shard shard)
{
    return shard.of == 0;
}
/* How many of `parts` parts belong to a shard. */
int64_t fy_shard_parts(foray_shard shard, int64_t parts);

/* Finds what is there, then makes the rest. The first failure ends it, its message in
 * the caller's context; FORAY_INTERRUPTED: `progress` said stop. */
foray_status fy_work_run(fy_work *work);

/* A part tells that `done` of it is done. False: stop, with FORAY_INTERRUPTED. */
bool fy_work_progress(fy_work *work, int64_t part, double done);

/* --------------------------------------------------------------------------- folder */

typedef struct fy_folder {
    const char *path;
    const char *what;  /* it holds, as a word: "comparison"; names the file of the terms */
    const char *parts; /* the directory within for files of parts */
} fy_folder;

/* Makes the directory and settles the terms: those in a directory that is not empty
 * must be these, line by line, or it is FORAY_ERROR_USAGE. */
foray_status fy_folder_open(foray_context *ctx, const fy_folder *folder, const char *terms);

/* folder/name, to be released with free(). */
char *fy_folder_path(foray_context *ctx, const fy_folder *folder, const char *name);

/* The text becomes the file `name`, whole or not at all; it is released in any case. */
foray_status fy_folder_save(const fy_folder *folder, const char *name, fy_writer *text);

/* ----------------------------------------------------------------------------- rows */

/* Rows of numbers, all with the same columns. */
typedef struct fy_rows {
    int64_t columns, count, capacity;
    double *value; /* [count][columns] */
} fy_rows;

/* One more row; `row` has as many numbers as there are columns. */
foray_status fy_rows_add(foray_context *ctx, fy_rows *rows, const double *row);

static inline const double *fy_rows_at(const fy_rows *rows, int64_t i)
{
    return rows->value + i * rows->columns;
}

/* The rows of a part as a CSV file of the folder, numbers to the last digit. */
foray_status fy_rows_write(foray_context *ctx, const fy_folder *folder, const char *part,
                           const char *const *heading, const fy_rows *rows);
/* *found: there is such a file, and `rows`, empty but for its columns, has what it holds. */
foray_status fy_rows_read(foray_context *ctx, const fy_folder *folder, const char *part,
                          const char *const *heading, bool *found, fy_rows *rows);

#endif
