/* scratch.c - temporary files without a name: nothing is left of them, however a process ends. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef O_TMPFILE
static int open_nameless(const char *folder)
{
    return open(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
}
#else
static int open_nameless(const char *folder)
{
    (void)folder;
    errno = ENOTSUP;
    return -1;
}
#endif

/* Where the system or the file system has no such files: one whose name is taken away at once. */
static foray_status open_named(foray_context *ctx, const char *folder, int *out)
{
    size_t size = strlen(folder) + sizeof "/foray.123456";
    char *name = fy_alloc(ctx, size, 1);
    if (!name)
        return FORAY_ERROR_MEMORY;
    *out = -1;
    errno = EEXIST;
    for (int attempt = 0; attempt < 100 && *out < 0 && errno == EEXIST; attempt++) {
        double now = fy_clock();
        uint64_t hash = fy_hash(&now, sizeof now, (uint64_t)attempt);
        fy_format(name, size, "%s/foray.%06x", folder, (unsigned)(hash & 0xFFFFFF));
        *out = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    foray_status status = FORAY_OK;
    if (*out < 0)
        status = fy_fail(ctx, FORAY_ERROR_IO, "%s: a temporary file cannot be made: %s", folder,
                         strerror(errno));
    else
        unlink(name);
    free(name);
    return status;
}

foray_status fy_file_scratch(foray_context *ctx, const char *folder, int *out)
{
    *out = open_nameless(folder);
    return *out >= 0 ? FORAY_OK : open_named(ctx, folder, out);
}
