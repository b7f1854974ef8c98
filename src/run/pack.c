/* pack.c - see pack.h. */
#define ZLIB_CONST /* what is unpacked is only read */
#include "run/pack.h"

#include <stdlib.h>
#include <zlib.h>

enum { RAW = -15, MEMORY = 8 }; /* zlib's codes for a bare stream, and its usual memory */

/* zlib's memory is counted as all other is. */
static void *take_memory(void *ctx, uInt count, uInt size)
{
    return fy_alloc(ctx, count, size);
}

static void give_memory(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

static foray_status no_memory(foray_context *ctx)
{
    return fy_fail(ctx, FORAY_ERROR_MEMORY, "out of memory while packing");
}

/* All at once: zlib counts in 32 bits, and gets what it counts. */
static bool deflate_all(z_stream *stream, const uint8_t *data, size_t size, uint8_t *out,
                        size_t room, size_t *packed)
{
    size_t left = size, free_room = room;
    int code = Z_OK;
    stream->next_in = data;
    stream->next_out = out;
    while (code == Z_OK) {
        if (stream->avail_in == 0) {
            stream->avail_in = left < UINT32_MAX ? (uInt)left : UINT32_MAX;
            left -= stream->avail_in;
        }
        if (stream->avail_out == 0) {
            stream->avail_out = free_room < UINT32_MAX ? (uInt)free_room : UINT32_MAX;
            free_room -= stream->avail_out;
        }
        code = deflate(stream, left == 0 ? Z_FINISH : Z_NO_FLUSH);
    }
    *packed = room - free_room - stream->avail_out;
    return code == Z_STREAM_END;
}

foray_status fy_pack(foray_context *ctx, const void *data, size_t size, size_t least, uint8_t **out,
                     size_t *packed)
{
    z_stream stream = {.zalloc = take_memory, .zfree = give_memory, .opaque = ctx};
    if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, RAW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return no_memory(ctx);
    size_t room = deflateBound(&stream, size);
    room = room > least ? room : least;
    uint8_t *to = fy_alloc(ctx, room, 1); /* zeros */
    bool done = to && deflate_all(&stream, data, size, to, room, packed);
    deflateEnd(&stream);
    if (!done) {
        free(to);
        return no_memory(ctx);
    }
    *packed = *packed > least ? *packed : least;
    *out = to;
    return FORAY_OK;
}

/* ---------------------------------------------------------------- unpacking */

struct fy_unpacking {
    z_stream stream;
    foray_context *ctx;
    size_t left; /* bytes that zlib has not been told of */
};

foray_status fy_unpack_begin(foray_context *ctx, const uint8_t *data, size_t size,
                             fy_unpacking **out)
{
    fy_unpacking *unpacking;
    if (!FY_ALLOC(ctx, unpacking, 1))
        return FORAY_ERROR_MEMORY;
    unpacking->stream =
        (z_stream){.zalloc = take_memory, .zfree = give_memory, .opaque = ctx, .next_in = data};
    unpacking->ctx = ctx;
    unpacking->left = size;
    if (inflateInit2(&unpacking->stream, RAW) != Z_OK) {
        free(unpacking);
        return no_memory(ctx);
    }
    *out = unpacking;
    return FORAY_OK;
}

foray_status fy_unpack_next(fy_unpacking *unpacking, void *to, size_t size)
{
    z_stream *stream = &unpacking->stream;
    stream->next_out = to;
    while (size > 0) {
        if (stream->avail_in == 0) {
            stream->avail_in = unpacking->left < UINT32_MAX ? (uInt)unpacking->left : UINT32_MAX;
            unpacking->left -= stream->avail_in;
        }
        uInt some = size < UINT32_MAX ? (uInt)size : UINT32_MAX;
        stream->avail_out = some;
        int code = inflate(stream, Z_NO_FLUSH);
        size -= some - stream->avail_out;
        if (code == Z_MEM_ERROR)
            return no_memory(unpacking->ctx);
        /* No progress is Z_BUF_ERROR, and the end is one where more is wanted. */
        if (code != Z_OK && !(code == Z_STREAM_END && size == 0))
            return FORAY_ERROR_INPUT;
    }
    return FORAY_OK;
}

void fy_unpack_end(fy_unpacking *unpacking)
{
    if (unpacking)
        inflateEnd(&unpacking->stream);
    free(unpacking);
}
