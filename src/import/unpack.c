/* unpack.c - gzip by zlib, xz by liblzma: see archive.h. */
#define ZLIB_CONST /* what is unpacked is only read */
#include "import/archive.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { CHUNK = 1 << 16 };

/* What is being unpacked, and how much it may become. */
typedef struct unpacking {
    const char *path;
    fy_writer out;
    size_t limit;
} unpacking;

static size_t limit_of(size_t packed)
{
    size_t limit =
        packed < FY_UNPACK_LIMIT / FY_UNPACK_RATIO ? packed * FY_UNPACK_RATIO : FY_UNPACK_LIMIT;
    return limit < FY_UNPACK_FREE ? FY_UNPACK_FREE : limit;
}

/* Adds what was unpacked, unless that is too much. */
static foray_status keep(unpacking *to, const uint8_t *chunk, size_t size)
{
    if (size > to->limit - to->out.size)
        return fy_fail(to->out.ctx, FORAY_ERROR_INPUT,
                       "%s: more than the %zu MiB allowed here, unpacked: %d times the file, at "
                       "least %d MiB and at most %zu; unpack it yourself if you trust it",
                       to->path, to->limit >> 20, FY_UNPACK_RATIO, FY_UNPACK_FREE >> 20,
                       FY_UNPACK_LIMIT >> 20);
    fy_write_bytes(&to->out, chunk, size);
    return to->out.failed ? FORAY_ERROR_MEMORY : FORAY_OK;
}

/* A gzip file is one member or several, one after the other; together they are its content. */
static foray_status inflate_gzip(unpacking *to, const uint8_t *data, size_t size)
{
    enum { GZIP_ONLY = 15 + 16 }; /* zlib's code for the largest window and a header of gzip */
    uint8_t chunk[CHUNK];
    z_stream stream = {.next_in = data};
    size_t left = size;
    int code = inflateInit2(&stream, GZIP_ONLY);
    foray_status status =
        code == Z_OK ? FORAY_OK
                     : fy_fail(to->out.ctx, FORAY_ERROR_MEMORY, "%s: out of memory", to->path);
    while (status == FORAY_OK && code == Z_OK) {
        if (stream.avail_in == 0) {
            stream.avail_in = left < UINT32_MAX ? (uInt)left : UINT32_MAX;
            left -= stream.avail_in;
        }
        stream.next_out = chunk;
        stream.avail_out = CHUNK;
        code = inflate(&stream, Z_NO_FLUSH);
        status = keep(to, chunk, CHUNK - stream.avail_out);
        if (code == Z_STREAM_END && (stream.avail_in > 0 || left > 0))
            code = inflateReset(&stream);
    }
    inflateEnd(&stream);
    if (status == FORAY_OK && code != Z_STREAM_END)
        status = fy_fail(to->out.ctx, FORAY_ERROR_INPUT,
                         "%s: damaged: not all of it can be unpacked", to->path);
    return status;
}

static foray_status decode_xz(unpacking *to, const uint8_t *data, size_t size)
{
    const uint64_t memory = (uint64_t)256 << 20; /* the largest dictionary of xz -9 takes 65 MiB */
    uint8_t chunk[CHUNK];
    lzma_stream stream = LZMA_STREAM_INIT;
    lzma_ret code = lzma_stream_decoder(&stream, memory, LZMA_CONCATENATED);
    foray_status status =
        code == LZMA_OK ? FORAY_OK
                        : fy_fail(to->out.ctx, FORAY_ERROR_MEMORY, "%s: out of memory", to->path);
    stream.next_in = data;
    stream.avail_in = size;
    while (status == FORAY_OK && code == LZMA_OK) {
        stream.next_out = chunk;
        stream.avail_out = CHUNK;
        code = lzma_code(&stream, LZMA_FINISH);
        status = keep(to, chunk, CHUNK - stream.avail_out);
    }
    lzma_end(&stream);
    if (status == FORAY_OK && code != LZMA_STREAM_END)
        status = fy_fail(to->out.ctx, FORAY_ERROR_INPUT,
                         "%s: damaged: not all of it can be unpacked", to->path);
    return status;
}

foray_status fy_decompress(fy_archive *archive)
{
    const uint8_t *data = archive->data;
    size_t size = archive->size;
    unpacking to = {
        .path = archive->path, .out = {.ctx = archive->ctx}, .limit = limit_of(archive->size)};
    foray_status status;
    if (size >= 3 && memcmp(data, "\x1f\x8b\x08", 3) == 0)
        status = inflate_gzip(&to, data, size);
    else if (size >= 6 && memcmp(data,
                                 "\xfd"
                                 "7zXZ",
                                 6) == 0)
        status = decode_xz(&to, data, size);
    else
        return FORAY_OK;
    if (status == FORAY_OK) {
        free(archive->data);
        archive->data = to.out.data;
        archive->size = to.out.size;
    } else {
        free(to.out.data);
    }
    return status;
}
