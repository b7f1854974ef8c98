/* files.c - the files around a run. */
#include "run/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

char *fy_path_join(foray_context *ctx, const char *path, const char *suffix)
{
    size_t size = strlen(path) + strlen(suffix) + 1;
    char *out;
    if (FY_ALLOC(ctx, out, size))
        snprintf(out, size, "%s%s", path, suffix);
    return out;
}

/* -------------------------------------------------------------------- lock */

/* The holder before us removes the lock file when it is done. A file that was
 * opened before that and locked after it protects nothing any more. */
static bool still_named(int fd, const char *path)
{
    struct stat held, named;
    return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

/* Who holds the lock, as the holder wrote it; 0 if it has not yet. */
static int64_t holder_of(int fd)
{
    char text[32] = "";
    int64_t holder = 0;
    if (pread(fd, text, sizeof text - 1, 0) <= 0)
        return 0;
    text[strcspn(text, "\n")] = 0;
    (void)foray_whole_read(text, &holder);
    return holder;
}

static void sign(int fd)
{
    char text[32];
    int size = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    /* Only for the message of others: a failure changes nothing. */
    if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)size, 0) != size)
        (void)!ftruncate(fd, 0);
}

static foray_status try_lock(foray_context *ctx, const char *path, const char *lock_path, int *fd)
{
    *fd = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*fd < 0 && errno == ENOENT)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: its directory does not exist", path);
    if (*fd < 0)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: cannot write beside it: %s: %s", path, lock_path,
                       strerror(errno));
    if (flock(*fd, LOCK_EX | LOCK_NB) == 0)
        return FORAY_OK;
    int cause = errno;
    int64_t holder = holder_of(*fd);
    close(*fd);
    if (cause != EWOULDBLOCK)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: %s", lock_path, strerror(cause));
    return fy_fail(ctx, FORAY_ERROR_IO,
                   "%s: in use by another process (%" PRId64 "), which may write it", path, holder);
}

foray_status fy_lock_take(foray_context *ctx, const char *path, fy_lock *out)
{
    char *lock_path = fy_path_join(ctx, path, "-lock");
    if (!lock_path)
        return FORAY_ERROR_MEMORY;
    for (;;) {
        int fd;
        foray_status status = try_lock(ctx, path, lock_path, &fd);
        if (status != FORAY_OK) {
            free(lock_path);
            return status;
        }
        if (still_named(fd, lock_path)) {
            sign(fd);
            *out = (fy_lock){.fd = fd, .path = lock_path};
            return FORAY_OK;
        }
        close(fd);
    }
}

void fy_lock_release(fy_lock *lock)
{
    if (lock->fd < 0)
        return;
    unlink(lock->path);
    close(lock->fd);
    free(lock->path);
    *lock = (fy_lock){.fd = -1};
}

/* ------------------------------------------------------------------- names */

foray_status fy_remove_side_files(foray_context *ctx, const char *path)
{
    static const char *const suffix[] = {"-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof suffix / sizeof suffix[0]; i++) {
        char *side = fy_path_join(ctx, path, suffix[i]);
        if (!side)
            return FORAY_ERROR_MEMORY;
        bool failed = unlink(side) != 0 && errno != ENOENT;
        if (failed)
            fy_fail(ctx, FORAY_ERROR_IO, "%s: cannot be removed: %s", side, strerror(errno));
        free(side);
        if (failed)
            return FORAY_ERROR_IO;
    }
    return FORAY_OK;
}
