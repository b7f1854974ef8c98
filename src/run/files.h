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

/* A file that this process holds open to write, though it may not be known by which descriptor:
 * code that closes what is not its own may give the number to another file. */
typedef struct fy_open_file {
    int fd; /* where it was last; -1: it was not found, and nobody can say */
    dev_t device;
    ino_t number;
} fy_open_file;

/* Finds the descriptor of "PATHsuffix". */
foray_status fy_open_file_find(foray_context *ctx, const char *path, const char *suffix,
                               fy_open_file *out);
/* Does no descriptor lead there any more? */
bool fy_open_file_is_lost(fy_open_file *held);

/* Two texts in one, released with free(): a path and what comes before or after it. */
char *fy_path_join(foray_context *ctx, const char *path, const char *suffix);

/* The file or its directory without any link on the way, released with free(). */
foray_status fy_path_real(foray_context *ctx, const char *path, char **out);

/* Whatever lies beside a run is taken for part of it by SQLite, whoever put it there. Refused are
 * a journal, by which SQLite would change the run, and delete any file that the journal names; and
 * a log or its index that is a link or has other names, and so belongs to something else. */
foray_status fy_check_side_files(foray_context *ctx, const char *shown, const char *path);
/* Removes the log and its index: left over from a file that is gone, they would be taken for part
 * of the next one of that name. */
foray_status fy_remove_side_files(foray_context *ctx, const char *path);
/* Is there a log, if only an empty one? */
foray_status fy_find_log(foray_context *ctx, const char *path, bool *out);
/* Makes an empty one, if there is none, for whoever may read and write the run. */
foray_status fy_create_log(foray_context *ctx, const char *path);

/* A new run is made in a file of its own, which is created, until it is whole. Whoever holds the
 * lock of `path` may remove what processes that were killed left there: ordinary files of such
 * names that belong to the user. */
foray_status fy_create_unfinished(foray_context *ctx, const char *path, char **name);
foray_status fy_remove_unfinished(foray_context *ctx, const char *path);

#endif
