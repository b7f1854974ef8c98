/* file.c - whole files in, whole files out. */
#define _GNU_SOURCE /* renameat2, syncfs */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static foray_status fail_errno(foray_context *ctx, const char *path, const char *what)
{
    return fy_fail(ctx, FORAY_ERROR_IO, "%s: %s: %s", path, what, strerror(errno));
}

/* Reads until the end or the limit; the size of a pipe is not known beforehand. */
static foray_status read_all(foray_context *ctx, int file, const char *path, size_t limit,
                             fy_writer *content)
{
    uint8_t chunk[65536];
    for (;;) {
        ssize_t got = read(file, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(ctx, path, "cannot read");
        if (got == 0)
            return FORAY_OK;
        if ((size_t)got > limit - content->size)
            return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: larger than the %zu MiB allowed here", path,
                           limit >> 20);
        fy_write_bytes(content, chunk, (size_t)got);
        if (content->failed)
            return fy_fail_within(ctx, FORAY_ERROR_MEMORY, "%s", path);
    }
}

foray_status fy_file_read(foray_context *ctx, const char *path, size_t limit, uint8_t **data,
                          size_t *size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return fail_errno(ctx, path, "cannot open");
    fy_writer content = {.ctx = ctx};
    foray_status status = read_all(ctx, file, path, limit, &content);
    close(file);
    if (status == FORAY_OK) {
        fy_write_bytes(&content, "", 1);
        if (content.failed)
            status = fy_fail_within(ctx, FORAY_ERROR_MEMORY, "%s", path);
    }
    if (status != FORAY_OK) {
        free(content.data);
        return status;
    }
    *data = content.data;
    *size = content.size - 1;
    return FORAY_OK;
}

static bool write_all(int file, const uint8_t *data, size_t size)
{
    while (size > 0) {
        ssize_t put = write(file, data, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        data += put;
        size -= (size_t)put;
    }
    return true;
}

/* ------------------------------------------------------------------ writing */

/* Devices, pipes and the like are written to, not replaced. */
static bool is_special(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

#ifdef O_TMPFILE
/* A file without a name in the directory of `path`: nothing is left of it if its writer dies. */
static int create_nameless(const char *path)
{
    char directory[4096];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    if (length >= sizeof directory)
        return -1;
    memcpy(directory, slash ? path : ".", length);
    directory[length] = 0;
    return open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

/* Gives it one; EEXIST if it is taken. */
static int name_file(int file, const char *path)
{
    char self[64];
    fy_format(self, sizeof self, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}
#else
static int create_nameless(const char *path)
{
    (void)path;
    return -1;
}

static int name_file(int file, const char *path)
{
    (void)file;
    (void)path;
    errno = ENOSYS;
    return -1;
}
#endif

/* A name that nobody else uses: the clock makes one that is hard to meet. */
static void name_beside(const char *path, int attempt, char *name, size_t size)
{
    double now = fy_clock();
    uint64_t hash = fy_hash(&now, sizeof now, (uint64_t)attempt);
    fy_format(name, size, "%s.%06x", path, (unsigned)(hash & 0xFFFFFF));
}

/* The name `path` for a file that has none, or one beside it if that is taken and to be replaced;
 * *beside says which. */
static int name_or_beside(int file, const char *path, bool replace, char *name, size_t size,
                          bool *beside)
{
    *beside = false;
    if (name_file(file, path) == 0)
        return 0;
    for (int attempt = 0; attempt < 100 && errno == EEXIST && replace; attempt++) {
        name_beside(path, attempt, name, size);
        *beside = true;
        if (name_file(file, name) == 0)
            return 0;
    }
    return -1;
}

/* If the name is met another is tried. */
int fy_file_create_beside(const char *path, char *name, size_t size)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        name_beside(path, attempt, name, size);
        int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

static foray_status open_directory_of(foray_context *ctx, const char *path, int *out)
{
    char *directory = fy_text(ctx, path);
    if (!directory)
        return FORAY_ERROR_MEMORY;
    char *slash = strrchr(directory, '/');
    if (slash)
        slash[1] = 0;
    *out = open(slash ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(directory);
    return *out < 0 ? fail_errno(ctx, path, "its directory cannot be opened") : FORAY_OK;
}

#ifdef RENAME_NOREPLACE
static int rename_at_once(const char *from, const char *to)
{
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}
#else
static int rename_at_once(const char *from, const char *to)
{
    (void)from;
    (void)to;
    errno = ENOSYS;
    return -1;
}
#endif

/* rename(), but a name that is taken is an error (EEXIST). Where the system cannot do it in one
 * step, link() and unlink() can, but a kill between them leaves a file with two names; and where
 * the file system has no hard links, looking first is the best there is. */
static int rename_to_new(const char *from, const char *to)
{
    struct stat about;
    if (rename_at_once(from, to) == 0)
        return 0;
    if (errno != ENOSYS && errno != EINVAL && errno != ENOTSUP)
        return -1;
    if (link(from, to) == 0)
        return unlink(from);
    if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS)
        return -1;
    if (lstat(to, &about) != 0)
        return rename(from, to);
    errno = EEXIST;
    return -1;
}

static foray_status place(foray_context *ctx, const char *from, const char *to, bool replace)
{
    int failed = replace ? rename(from, to) : rename_to_new(from, to);
    if (failed != 0 && errno == EEXIST)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: already exists", to);
    return failed != 0 ? fail_errno(ctx, to, "cannot be created") : FORAY_OK;
}

/* A name is durable once its directory is. Some file systems cannot sync one (EINVAL): then
 * there is nothing to do. */
foray_status fy_file_place(foray_context *ctx, const char *from, const char *to, bool replace)
{
    int directory;
    foray_status status = open_directory_of(ctx, to, &directory);
    if (status != FORAY_OK)
        return status;
    status = place(ctx, from, to, replace);
    if (status == FORAY_OK && fsync(directory) != 0 && errno != EINVAL)
        status = fail_errno(ctx, to, "its directory cannot be synced");
    close(directory);
    return status;
}

/* ---------------------------------------------------------- piece by piece */

enum { BUFFER = 1 << 14 };

struct fy_file {
    foray_context *ctx;
    char *path;                     /* which is not a link if it may be replaced */
    bool replace, durable, special; /* special: a device or a pipe, written to directly */
    bool nameless;                  /* otherwise the file has the name `beside` */
    char *beside;                   /* room for a name beside */
    size_t room;
    int file, directory;
    foray_status failure; /* the first; what comes after it is not written */
    size_t used;
    uint8_t buffer[BUFFER];
};

static foray_status open_special(fy_file *file)
{
    file->file = open(file->path, O_WRONLY | O_CLOEXEC);
    return file->file < 0 ? fail_errno(file->ctx, file->path, "cannot open for writing") : FORAY_OK;
}

/* A file without a name where there are such, or one with a name of its own. The directory is
 * opened now: nothing that may fail for want of memory comes after the file has its name. */
static foray_status open_beside(fy_file *file)
{
    foray_context *ctx = file->ctx;
    file->room = strlen(file->path) + FY_BESIDE;
    if (!FY_ALLOC(ctx, file->beside, file->room))
        return FORAY_ERROR_MEMORY;
    file->file = create_nameless(file->path);
    file->nameless = file->file >= 0;
    if (!file->nameless)
        file->file = fy_file_create_beside(file->path, file->beside, file->room);
    if (file->file < 0)
        return fail_errno(ctx, file->path, "cannot create");
    return file->durable ? open_directory_of(ctx, file->path, &file->directory) : FORAY_OK;
}

static foray_status create_file(foray_context *ctx, const char *path, bool replace, bool durable,
                                fy_file **out)
{
    fy_file *file;
    if (!FY_ALLOC(ctx, file, 1))
        return FORAY_ERROR_MEMORY;
    file->ctx = ctx;
    file->replace = replace;
    file->durable = durable;
    file->special = is_special(path);
    file->file = file->directory = -1;
    foray_status status = FORAY_OK;
    if (replace && !file->special)
        status = fy_file_target(ctx, path, &file->path);
    else if (!(file->path = fy_text(ctx, path)))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = file->special ? open_special(file) : open_beside(file);
    if (status == FORAY_OK)
        *out = file;
    else
        fy_file_abandon(file);
    return status;
}

static void write_piece(fy_file *file, const void *data, size_t size)
{
    if (file->failure == FORAY_OK && !write_all(file->file, data, size))
        file->failure = fail_errno(file->ctx, file->path, "cannot write");
}

void fy_file_add(fy_file *file, const void *data, size_t size)
{
    if (size > BUFFER - file->used) {
        write_piece(file, file->buffer, file->used);
        file->used = 0;
    }
    if (size > BUFFER) {
        write_piece(file, data, size);
    } else if (size > 0) {
        memcpy(file->buffer + file->used, data, size);
        file->used += size;
    }
}

/* Where a file without a name cannot get one, because nothing is mounted at /proc: a copy that has
 * a name. */
static foray_status copy_beside(fy_file *file)
{
    int copy = fy_file_create_beside(file->path, file->beside, file->room);
    ssize_t got = 1;
    bool written = copy >= 0;
    for (off_t at = 0; written && got > 0; at += got) {
        got = pread(file->file, file->buffer, BUFFER, at);
        written = got == 0 || (got > 0 && write_all(copy, file->buffer, (size_t)got));
    }
    foray_status status = written ? FORAY_OK : fail_errno(file->ctx, file->path, "cannot write");
    if (copy >= 0) {
        close(file->file);
        file->file = copy;
        file->nameless = false;
    }
    return status;
}

/* The name `path`, or for the time being one beside it. */
static foray_status name_nameless(fy_file *file, bool *beside)
{
    foray_context *ctx = file->ctx;
    if (name_or_beside(file->file, file->path, file->replace, file->beside, file->room, beside) ==
        0)
        return FORAY_OK;
    *beside = false;
    if (errno == EEXIST)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: already exists", file->path);
    foray_status status = copy_beside(file);
    *beside = !file->nameless;
    return status;
}

/* A complete file gets its name. */
static foray_status name_complete(fy_file *file)
{
    foray_context *ctx = file->ctx;
    bool beside = !file->nameless;
    foray_status status = FORAY_OK;
    if (file->nameless && file->durable && fsync(file->file) != 0)
        return fail_errno(ctx, file->path, "cannot write");
    if (file->nameless)
        status = name_nameless(file, &beside);
    if (status == FORAY_OK && !file->nameless && file->durable && fsync(file->file) != 0)
        status = fail_errno(ctx, file->path, "cannot write");
    if (close(file->file) != 0 && status == FORAY_OK)
        status = fail_errno(ctx, file->path, "cannot write");
    file->file = -1;
    if (status == FORAY_OK && beside)
        status = place(ctx, file->beside, file->path, file->replace);
    if (status != FORAY_OK && beside)
        unlink(file->beside);
    if (status == FORAY_OK && file->durable && fsync(file->directory) != 0 && errno != EINVAL)
        status = fail_errno(ctx, file->path, "its directory cannot be synced");
    file->nameless = true; /* nothing is left to be removed */
    return status;
}

foray_status fy_file_finish(fy_file *file)
{
    write_piece(file, file->buffer, file->used);
    foray_status status = file->failure;
    if (status == FORAY_OK && !file->special)
        status = name_complete(file);
    if (file->special && close(file->file) != 0 && status == FORAY_OK)
        status = fail_errno(file->ctx, file->path, "cannot write");
    if (file->special)
        file->file = -1;
    fy_file_abandon(file);
    return status;
}

void fy_file_abandon(fy_file *file)
{
    if (!file)
        return;
    if (file->file >= 0) {
        close(file->file);
        if (!file->special && !file->nameless)
            unlink(file->beside);
    }
    if (file->directory >= 0)
        close(file->directory);
    free(file->path);
    free(file->beside);
    free(file);
}

/* -------------------------------------------------------------------- whole */

foray_status fy_file_create(foray_context *ctx, const char *path, bool replace, fy_file **out)
{
    return create_file(ctx, path, replace, true, out);
}

static foray_status write_file(foray_context *ctx, const char *path, bool replace, bool durable,
                               const void *data, size_t size)
{
    fy_file *file;
    foray_status status = create_file(ctx, path, replace, durable, &file);
    if (status != FORAY_OK)
        return status;
    fy_file_add(file, data, size);
    return fy_file_finish(file);
}

foray_status fy_file_write(foray_context *ctx, const char *path, bool replace, const void *data,
                           size_t size)
{
    return write_file(ctx, path, replace, true, data, size);
}

foray_status fy_files_write(foray_context *ctx, const char *path, bool replace, const void *data,
                            size_t size)
{
    return write_file(ctx, path, replace, false, data, size);
}

#ifdef __linux__
static int sync_around(int directory)
{
    return syncfs(directory);
}
#else
static int sync_around(int directory)
{
    return fsync(directory) == 0 || errno == EINVAL ? 0 : -1;
}
#endif

/* Its file system is written out as a whole. */
foray_status fy_files_sync(foray_context *ctx, const char *directory)
{
    int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return fail_errno(ctx, directory, "cannot be opened");
    foray_status status = FORAY_OK;
    if (sync_around(file) != 0)
        status = fail_errno(ctx, directory, "cannot be written");
    close(file);
    return status;
}

/* --------------------------------------------------------------------- symbolic links */

/* Where symbolic links lead. */

/* Where the link `path` leads in one step; *out is NULL where it is not a link. */
static foray_status follow_link(foray_context *ctx, const char *path, char **out)
{
    char target[4096];
    ssize_t length = readlink(path, target, sizeof target);
    *out = NULL;
    if (length < 0)
        return FORAY_OK;
    if ((size_t)length >= sizeof target)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: a link to a name that is too long", path);
    target[length] = 0;
    /* A relative target counts from the directory of the link. */
    const char *slash = target[0] == '/' ? NULL : strrchr(path, '/');
    int directory = slash ? (int)(slash - path) + 1 : 0;
    size_t size = (size_t)directory + (size_t)length + 1;
    if (!FY_ALLOC(ctx, *out, size))
        return FORAY_ERROR_MEMORY;
    fy_format(*out, size, "%.*s%s", directory, path, target);
    return FORAY_OK;
}

foray_status fy_file_target(foray_context *ctx, const char *path, char **out)
{
    char *name = fy_text(ctx, path), *next = NULL;
    foray_status status = name ? FORAY_OK : FORAY_ERROR_MEMORY;
    for (int links = 0; status == FORAY_OK; links++) {
        status = follow_link(ctx, name, &next);
        if (status == FORAY_OK && !next)
            break;
        if (status == FORAY_OK && links == 40)
            status = fy_fail(ctx, FORAY_ERROR_IO, "%s: too many links", path);
        free(name);
        name = next;
    }
    if (status == FORAY_OK)
        *out = name;
    else
        free(name);
    return status;
}
