/* pack.h - bytes as a run file keeps them: a raw stream of deflate (RFC 1951), by zlib at its
 * fastest level. A byte of such a stream stands for at most FY_PACK_MOST others, so that who reads
 * one knows beforehand what it can ask for. */
#ifndef FY_PACK_H
#define FY_PACK_H

#include "base/base.h"

enum { FY_PACK_MOST = 1032 }; /* 258 bytes for two bits */

/* *out, of *packed bytes, is released with free(). Zeros follow the stream where it has fewer bytes
 * than `least`. */
foray_status fy_pack(foray_context *ctx, const void *data, size_t size, size_t least, uint8_t **out,
                     size_t *packed);

/* A stream that is being read, from the front. */
typedef struct fy_unpacking fy_unpacking;
foray_status fy_unpack_begin(foray_context *ctx, const uint8_t *data, size_t size,
                             fy_unpacking **out);
/* The next bytes; FORAY_ERROR_INPUT, without a message: there are not as many. */
foray_status fy_unpack_next(fy_unpacking *unpacking, void *to, size_t size);
void fy_unpack_end(fy_unpacking *unpacking);

#endif
