/* tar.c - see export.h. */
#include "export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512 };

void fy_tar_add(fy_writer *tar, const char *name, const void *data, size_t size)
{
    static const uint8_t zeros[BLOCK];
    char header[BLOCK] = {0};
    unsigned sum = 0;
    fy_format(header, 100, "%s", name);
    fy_format(header + 100, 8, "0000644");
    fy_format(header + 108, 8, "0000000");
    fy_format(header + 116, 8, "0000000");
    fy_format(header + 124, 12, "%011" PRIo64, (uint64_t)size);
    fy_format(header + 136, 12, "00000000000");
    memset(header + 148, ' ', 8); /* what the sum is counted as */
    header[156] = '0';
    fy_format(header + 257, 6, "ustar");
    header[263] = header[264] = '0'; /* its version */
    for (int i = 0; i < BLOCK; i++)
        sum += (unsigned char)header[i];
    fy_format(header + 148, 8, "%06o", sum);
    fy_write_bytes(tar, header, BLOCK);
    fy_write_bytes(tar, data, size);
    fy_write_bytes(tar, zeros, (BLOCK - size % BLOCK) % BLOCK);
}

void fy_tar_add_writer(fy_writer *tar, const char *name, fy_writer *content)
{
    if (content->failed)
        tar->failed = true;
    else
        fy_tar_add(tar, name, content->data, content->size);
    free(content->data);
    *content = (fy_writer){.ctx = content->ctx};
}

void fy_tar_end(fy_writer *tar)
{
    static const uint8_t zeros[2 * BLOCK];
    fy_write_bytes(tar, zeros, sizeof zeros);
}
