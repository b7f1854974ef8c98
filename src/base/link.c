/* link.c - where symbolic links lead. */
#define _DEFAULT_SOURCE /* readlink */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
