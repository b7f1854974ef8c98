/* files.h - the files around a run: the lock that keeps two processes from
 * writing one run, and what SQLite keeps beside it. */
#ifndef FY_FILES_H
#define FY_FILES_H

#include <sys/types.h>

#include "base/base.h"

/* A file beside the run ("run.foray-lock") that exists while a process may
 * write the run. The lock is the system's, so it dies with the process. */
typedef struct fy_lock {
    int fd; /* -1: not held */
    char *path;
    pid_t owner;  /* the process that took it; its children only inherit it */
    dev_t device; /* of the lock file */
    ino_t number;
} fy_lock;

/* FORAY_ERROR_IO, naming the process, if another one holds the lock, or if something else (a
 * link, a file that is not a lock) has its name: that is left as it is. */
foray_status fy_lock_take(foray_context *ctx, const char *path, fy_lock *out);
/* Is it held, and by this process? */
bool fy_lock_is_ours(const fy_lock *lock);
/* Is it held no more, because other code in this process closed our descriptor, which may by now
 * belong to something else? */
bool fy_lock_is_lost(const fy_lock *lock);
void fy_lock_release(fy_lock *lock);

/* Two texts in one, released with free(): a path and what comes before or after it. */
char *fy_path_join(foray_context *ctx, const char *path, const char *suffix);

/* Removes what SQLite keeps beside a database: left over from a file that is
 * gone, it would be taken for part of the next one of that name. */
foray_status fy_remove_side_files(foray_context *ctx, const char *path);

/* A new run is made under this name until it is whole. Whoever holds the lock of `path` may remove
 * what a process that was killed left there. */
char *fy_unfinished_name(foray_context *ctx, const char *path);
foray_status fy_remove_unfinished(foray_context *ctx, const char *path);

#endif
