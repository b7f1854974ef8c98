/* archive.h - a tar file in memory, as it is or compressed by gzip or xz.
 *
 *   unpack.c         undoes compression, with zlib and liblzma
 *   unpack_none.c    refuses it, in a build of the core */
#ifndef FY_ARCHIVE_H
#define FY_ARCHIVE_H

#include "base/base.h"

typedef struct fy_member {
    char *name; /* without "./" or "/" in front */
    const uint8_t *data;
    size_t size;
} fy_member;

typedef struct fy_archive {
    foray_context *ctx;
    fy_arena arena; /* of the list of members */
    const char *path;
    uint8_t *data;
    size_t size;
    int64_t members, room;
    fy_member *member; /* in the order of the file; no name is there twice */
} fy_archive;

/* A small file can stand for any amount. Unpacked are at most 4 GiB, and no more than 200 times the
 * file, which real models stay well below; but for small ones nobody need ask. */
#define FY_UNPACK_LIMIT ((size_t)4 << 30)
enum { FY_UNPACK_RATIO = 200, FY_UNPACK_FREE = 64 << 20 };

/* Replaces the data, which are compressed if their first bytes say so. */
foray_status fy_decompress(fy_archive *archive);

foray_status fy_archive_read(foray_context *ctx, const char *path, fy_archive *out);
void fy_archive_free(fy_archive *archive);

/* NULL: no such member. */
const fy_member *fy_archive_find(const fy_archive *archive, const char *name);

#endif
