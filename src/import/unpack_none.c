/* unpack_none.c - takes the place of unpack.c in a build of the core (FORAY_CORE), which needs
 * nothing but a C library. */
#include "import/archive.h"

#include <string.h>

foray_status fy_decompress(fy_archive *archive)
{
    const uint8_t *data = archive->data;
    bool packed = archive->size >= 6 &&
                  (memcmp(data, "\x1f\x8b", 2) == 0 || memcmp(data + 1, "7zXZ", 4) == 0);
    return packed ? fy_fail(archive->ctx, FORAY_ERROR_USAGE,
                            "%s is compressed, which this build of the library does not read",
                            archive->path)
                  : FORAY_OK;
}
