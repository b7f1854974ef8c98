/* archive.c - the members of a tar file (POSIX.1-1988, "ustar"). */
#include "import/archive.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, NAME = 100, SIZE_AT = 124, SIZE = 12, SUM_AT = 148, SUM = 8, TYPE_AT = 156 };
enum { MAGIC_AT = 257, PREFIX_AT = 345, PREFIX = 155 };

/* Octal digits, which spaces or zeros may follow; false: something else. */
static bool read_octal(const uint8_t *text, size_t size, uint64_t *out)
{
    size_t i = 0;
    *out = 0;
    while (i < size && text[i] == ' ')
        i++;
    for (; i < size && text[i] >= '0' && text[i] <= '7'; i++)
        *out = 8 * *out + (uint64_t)(text[i] - '0');
    return i == size || text[i] == 0 || text[i] == ' ';
}

/* The sum of all bytes of a header, with spaces where it says the sum. */
static bool sum_holds(const uint8_t *header)
{
    uint64_t said, sum = 0;
    for (int i = 0; i < BLOCK; i++)
        sum += i >= SUM_AT && i < SUM_AT + SUM ? ' ' : header[i];
    return read_octal(header + SUM_AT, SUM, &said) && said == sum;
}

static bool is_empty(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i])
            return false;
    return true;
}

/* "prefix/name", without what only says "here" in front. Remembered by where it begins. */
static foray_status add_member(fy_archive *archive, const uint8_t *header, const uint8_t *data,
                               size_t size)
{
    char name[PREFIX + NAME + 2];
    fy_format(name, sizeof name, "%.*s%s%.*s", PREFIX, (const char *)header + PREFIX_AT,
              header[PREFIX_AT] ? "/" : "", NAME, (const char *)header);
    const char *plain = name;
    while (strncmp(plain, "./", 2) == 0 || *plain == '/')
        plain += *plain == '/' ? 1 : 2;
    if (fy_archive_find(archive, plain))
        return fy_fail(archive->ctx, FORAY_ERROR_INPUT, "%s: %s is there twice", archive->path,
                       plain);
    fy_member *room = fy_arena_grow(&archive->arena, archive->member, &archive->room,
                                    archive->members + 1, sizeof *room);
    char *copy = fy_arena_text(&archive->arena, plain);
    archive->member = room ? room : archive->member;
    if (!room || !copy)
        return FORAY_ERROR_MEMORY;
    room[archive->members++] = (fy_member){copy, data, size};
    return FORAY_OK;
}

/* An empty block ends a tar file, and padding may follow; anything else would be lost in silence.
 */
static foray_status read_end(const fy_archive *archive, size_t at)
{
    if (is_empty(archive->data + at, archive->size - at))
        return FORAY_OK;
    return fy_fail(archive->ctx, FORAY_ERROR_INPUT,
                   "%s: something follows the end of the tar file at byte %zu", archive->path, at);
}

static foray_status read_members(fy_archive *archive)
{
    enum { MAX = 4096 }; /* names are compared one by one */
    const uint8_t *data = archive->data;
    foray_status status = FORAY_OK;
    size_t at = 0;
    while (status == FORAY_OK && archive->size - at >= BLOCK && !is_empty(data + at, BLOCK)) {
        const uint8_t *header = data + at;
        uint64_t size;
        if (!sum_holds(header) || !read_octal(header + SIZE_AT, SIZE, &size))
            return fy_fail(archive->ctx, FORAY_ERROR_INPUT,
                           "%s: damaged: no header of a tar file at byte %zu", archive->path, at);
        at += BLOCK;
        if (size > archive->size - at || archive->members == MAX)
            return fy_fail(archive->ctx, FORAY_ERROR_INPUT,
                           "%s: damaged: the member at byte %zu is longer than the file, or there "
                           "are too many",
                           archive->path, at - BLOCK);
        if (header[TYPE_AT] == '0' || header[TYPE_AT] == 0)
            status = add_member(archive, header, data + at, size);
        size_t padded = (size + BLOCK - 1) / BLOCK * BLOCK;
        at += padded < archive->size - at ? padded : archive->size - at;
    }
    return status == FORAY_OK ? read_end(archive, at) : status;
}

foray_status fy_archive_read(foray_context *ctx, const char *path, fy_archive *out)
{
    fy_archive archive = {.ctx = ctx, .arena.ctx = ctx, .path = path};
    foray_status status = fy_file_read(ctx, path, FY_UNPACK_LIMIT, &archive.data, &archive.size);
    if (status == FORAY_OK)
        status = fy_decompress(&archive);
    if (status == FORAY_OK &&
        (archive.size < BLOCK || memcmp(archive.data + MAGIC_AT, "ustar", 5) != 0))
        status = fy_fail(ctx, FORAY_ERROR_INPUT, "%s: not a tar file", path);
    if (status == FORAY_OK)
        status = read_members(&archive);
    if (status == FORAY_OK)
        *out = archive;
    else
        fy_archive_free(&archive);
    return status;
}

void fy_archive_free(fy_archive *archive)
{
    fy_arena_release(&archive->arena);
    free(archive->data);
    *archive = (fy_archive){0};
}

const fy_member *fy_archive_find(const fy_archive *archive, const char *name)
{
    for (int64_t i = 0; i < archive->members; i++)
        if (strcmp(archive->member[i].name, name) == 0)
            return &archive->member[i];
    return NULL;
}
