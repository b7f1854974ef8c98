/* files.c - the files around a run. */
#include "run/files.h"

#include <dirent.h>
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
    return fy_integer_read(text, strlen(text), holder) && *holder > 0;
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

foray_status fy_path_real(foray_context *ctx, const char *path, char **out)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    char *real = realpath(path, NULL), *folder = NULL;
    if (!real && errno == ENOENT) {
        char *place = fy_text(ctx, slash ? path : ".");
        if (!place)
            return FORAY_ERROR_MEMORY;
        if (slash)
            place[base - path] = 0;
        folder = realpath(place, NULL);
        free(place);
    }
    if (!real && !folder && errno == ENOENT)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: its directory does not exist", path);
    if (!real && !folder)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: %s", path, strerror(errno));
    if (folder) {
        size_t size = strlen(folder) + strlen(base) + 2;
        if (FY_ALLOC(ctx, real, size))
            fy_format(real, size, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, base);
    }
    free(folder);
    *out = real;
    return real ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* ---------------------------------------------------------------- unfinished */

enum { UNFINISHED = sizeof ".foray-01234567" };

/* What names of unfinished files begin with, in the directory of the run. They depend on its name,
 * and are short: SQLite takes no paths of more than 504 bytes. */
static void begin_unfinished(const char *run, char name[UNFINISHED])
{
    uint64_t hash = fy_hash(run, strlen(run), 0);
    fy_format(name, UNFINISHED, ".foray-%08x", (unsigned)(hash & 0xFFFFFFFF));
}

/* `path`, which has a directory, split there; released with free(). */
static char *split(foray_context *ctx, const char *path, const char **run)
{
    *run = strrchr(path, '/') + 1;
    char *folder = fy_text(ctx, path);
    if (folder)
        folder[*run - path] = 0;
    return folder;
}

foray_status fy_create_unfinished(foray_context *ctx, const char *path, char **name)
{
    const char *run;
    char beginning[UNFINISHED];
    char *folder = split(ctx, path, &run);
    if (!folder)
        return FORAY_ERROR_MEMORY;
    begin_unfinished(run, beginning);
    char *beside = fy_path_join(ctx, folder, beginning);
    free(folder);
    char *out = beside ? fy_alloc(ctx, strlen(beside) + FY_BESIDE, 1) : NULL;
    int file = out ? fy_file_create_beside(beside, out, strlen(beside) + FY_BESIDE) : -1;
    int failed = errno;
    free(beside);
    if (file >= 0) {
        close(file);
        *name = out;
        return FORAY_OK;
    }
    free(out);
    return out ? fy_fail(ctx, FORAY_ERROR_IO, "%s: cannot write next to it: %s", path,
                         strerror(failed))
               : FORAY_ERROR_MEMORY;
}

/* ".foray-01234567.89abcd" */
static bool is_unfinished(int directory, const char *name, const char *beginning)
{
    struct stat about;
    size_t length = strlen(beginning);
    return strncmp(name, beginning, length) == 0 && name[length] == '.' &&
           strspn(name + length + 1, "0123456789abcdef") == FY_BESIDE - 2 &&
           strlen(name) == length + FY_BESIDE - 1 &&
           fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode) &&
           about.st_uid == geteuid();
}

/* What cannot be removed stays. */
foray_status fy_remove_unfinished(foray_context *ctx, const char *path)
{
    const char *run;
    char beginning[UNFINISHED];
    char *folder = split(ctx, path, &run);
    if (!folder)
        return FORAY_ERROR_MEMORY;
    DIR *directory = opendir(folder);
    free(folder);
    begin_unfinished(run, beginning);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (is_unfinished(dirfd(directory), entry->d_name, beginning))
            unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
    return FORAY_OK;
}

/* ----------------------------------------------------------------- side files */

/* lstat() of "PATHsuffix"; of nothing, no names. */
static foray_status look_beside(foray_context *ctx, const char *path, const char *suffix,
                                struct stat *about)
{
    char *side = fy_path_join(ctx, path, suffix);
    if (!side)
        return FORAY_ERROR_MEMORY;
    if (lstat(side, about) != 0)
        about->st_nlink = 0;
    free(side);
    return FORAY_OK;
}

/* Readers in this process have the run open to read alone. */
static bool leads_to(int fd, const fy_open_file *held)
{
    struct stat about;
    return fstat(fd, &about) == 0 && about.st_dev == held->device && about.st_ino == held->number &&
           (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
}

static int find_descriptor(const fy_open_file *held)
{
    enum { MAX = 65536 };
    long end = sysconf(_SC_OPEN_MAX);
    for (int fd = 0; fd < (end > 0 && end < MAX ? end : MAX); fd++)
        if (leads_to(fd, held))
            return fd;
    return -1;
}

foray_status fy_open_file_find(foray_context *ctx, const char *path, const char *suffix,
                               fy_open_file *out)
{
    struct stat about = {0};
    foray_status status = look_beside(ctx, path, suffix, &about);
    if (status != FORAY_OK)
        return status;
    fy_open_file held = {.fd = -1, .device = about.st_dev, .number = about.st_ino};
    if (about.st_nlink > 0)
        held.fd = find_descriptor(&held);
    *out = held;
    return FORAY_OK;
}

bool fy_open_file_is_lost(fy_open_file *held)
{
    if (held->fd < 0 || leads_to(held->fd, held))
        return false;
    int fd = find_descriptor(held);
    if (fd >= 0)
        held->fd = fd;
    return fd < 0;
}

foray_status fy_find_log(foray_context *ctx, const char *path, bool *out)
{
    struct stat about;
    foray_status status = look_beside(ctx, path, "-wal", &about);
    if (status == FORAY_OK)
        *out = about.st_nlink > 0;
    return status;
}

/* As SQLite would make it: with the mode of the run, and root gives it to the run's owner. */
foray_status fy_create_log(foray_context *ctx, const char *path)
{
    struct stat run;
    char *log = fy_path_join(ctx, path, "-wal");
    if (!log)
        return FORAY_ERROR_MEMORY;
    bool known = stat(path, &run) == 0;
    mode_t mode = known ? run.st_mode & 0777 : 0600;
    int file = open(log, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    foray_status status = FORAY_OK;
    if (file >= 0 && known && geteuid() == 0 && run.st_uid != 0 &&
        fchown(file, run.st_uid, run.st_gid) != 0)
        status = fy_fail(ctx, FORAY_ERROR_IO, "%s: %s", log, strerror(errno));
    if (file >= 0)
        close(file);
    else if (errno != EEXIST)
        status = fy_fail(ctx, FORAY_ERROR_IO, "%s: cannot be created: %s", log, strerror(errno));
    free(log);
    return status;
}

static foray_status check_side_file(foray_context *ctx, const char *shown, const char *path,
                                    const char *suffix)
{
    struct stat about;
    foray_status status = look_beside(ctx, path, suffix, &about);
    if (status != FORAY_OK || about.st_nlink == 0 ||
        (S_ISREG(about.st_mode) && about.st_nlink == 1))
        return status;
    return fy_fail(ctx, FORAY_ERROR_RUN,
                   "%s: not opened, because %s%s is a link, has other names or is not a file, and "
                   "SQLite would write to it; Foray never makes such a thing: remove it",
                   shown, path, suffix);
}

foray_status fy_check_side_files(foray_context *ctx, const char *shown, const char *path)
{
    struct stat about;
    foray_status status = look_beside(ctx, path, "-journal", &about);
    if (status == FORAY_OK && about.st_nlink > 0)
        status = fy_fail(ctx, FORAY_ERROR_RUN,
                         "%s: not opened, because %s-journal is beside it: SQLite would change the "
                         "run by it, and delete other files if it names them; Foray never leaves "
                         "one: remove it",
                         shown, path);
    if (status == FORAY_OK)
        status = check_side_file(ctx, shown, path, "-wal");
    return status == FORAY_OK ? check_side_file(ctx, shown, path, "-shm") : status;
}

foray_status fy_remove_side_files(foray_context *ctx, const char *path)
{
    static const char *const suffix[] = {"-wal", "-shm"};
    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
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
