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
        fy_format(out, size, "%s%s", path, suffix);
    return out;
}

/* -------------------------------------------------------------------- lock */

/* The holder before us removes the lock file when it is done. A file that was
 * opened before that and locked after it protects nothing any more. */
static bool still_named(int fd, const char *path)
{
    struct stat held, named;
    return fstat(fd, &held) == 0 && lstat(path, &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

/* What a lock file says: who holds it, or 0 if it is still empty. False: a file of something
 * else, or one with another name, which must not be written. */
static bool read_lock(int fd, int64_t *holder)
{
    struct stat about;
    char text[32] = "";
    *holder = 0;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_nlink > 1 ||
        about.st_size >= (off_t)sizeof text)
        return false;
    ssize_t size = pread(fd, text, sizeof text - 1, 0);
    if (size <= 0)
        return size == 0;
    text[strcspn(text, "\n")] = 0;
    return foray_whole_read(text, holder) && *holder > 0;
}

static void sign(int fd)
{
    char text[32];
    int size = fy_format(text, sizeof text, "%ld\n", (long)getpid());
    /* Only for the message of others: a failure changes nothing. */
    if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)size, 0) != size)
        (void)!ftruncate(fd, 0);
}

static foray_status refuse_lock(foray_context *ctx, const char *path, const char *lock_path)
{
    return fy_fail(ctx, FORAY_ERROR_IO,
                   "%s: cannot be locked: %s is not a lock file of Foray: remove it first", path,
                   lock_path);
}

/* Neither a link is followed nor is anybody waited for. */
static foray_status try_lock(foray_context *ctx, const char *path, const char *lock_path, int *out)
{
    int fd = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    int64_t holder;
    if (fd < 0 && errno == ENOENT)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: its directory does not exist", path);
    if (fd < 0 && (errno == ELOOP || errno == EISDIR))
        return refuse_lock(ctx, path, lock_path);
    if (fd < 0)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: cannot write next to it: %s: %s", path, lock_path,
                       strerror(errno));
    int failed = flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    bool ours = read_lock(fd, &holder);
    if (failed == 0 && ours) {
        *out = fd;
        return FORAY_OK;
    }
    close(fd);
    if (!ours)
        return refuse_lock(ctx, path, lock_path);
    if (failed != EWOULDBLOCK)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: %s", lock_path, strerror(failed));
    if (holder == getpid())
        return fy_fail(ctx, FORAY_ERROR_IO,
                       "%s: in use by this process, which has opened it to write", path);
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
        struct stat about;
        if (still_named(fd, lock_path) && fstat(fd, &about) == 0) {
            sign(fd);
            *out = (fy_lock){.fd = fd,
                             .path = lock_path,
                             .owner = getpid(),
                             .device = about.st_dev,
                             .number = about.st_ino};
            return FORAY_OK;
        }
        close(fd);
    }
}

bool fy_lock_is_ours(const fy_lock *lock)
{
    return lock->fd >= 0 && lock->owner == getpid();
}

bool fy_lock_is_lost(const fy_lock *lock)
{
    struct stat about;
    return lock->fd >= 0 && (fstat(lock->fd, &about) != 0 || about.st_dev != lock->device ||
                             about.st_ino != lock->number);
}

/* A child that inherited the lock must not remove the file: the lock is its parent's. */
void fy_lock_release(fy_lock *lock)
{
    if (lock->fd < 0)
        return;
    bool lost = fy_lock_is_lost(lock);
    if (fy_lock_is_ours(lock))
        unlink(lock->path);
    if (!lost)
        close(lock->fd);
    free(lock->path);
    *lock = (fy_lock){.fd = -1};
}

/* ------------------------------------------------------------------- names */

char *fy_unfinished_name(foray_context *ctx, const char *path)
{
    return fy_path_join(ctx, path, "-new");
}

foray_status fy_remove_unfinished(foray_context *ctx, const char *path)
{
    struct stat about;
    char *name = fy_unfinished_name(ctx, path);
    if (!name)
        return FORAY_ERROR_MEMORY;
    if (lstat(name, &about) == 0 && S_ISREG(about.st_mode))
        unlink(name);
    free(name);
    return FORAY_OK;
}

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
