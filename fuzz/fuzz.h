/* fuzz.h - what the fuzz targets share: a context, and files made of the
 * fuzzer's bytes for functions that read files. */
#ifndef FUZZ_H
#define FUZZ_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <foray/foray.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

/* A failure must be an error, never information, and must say why. */
static inline void fuzz_explained(const foray_context *ctx, foray_status status)
{
    assert(status == FORAY_OK || (status < 0 && foray_message(ctx)[0] != '\0'));
}

/* Writes the bytes to a file of this process, the same one in every call. */
static inline const char *fuzz_file(const uint8_t *data, size_t size)
{
    static char path[256];
    const char *directory = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/foray-fuzz-%ld", directory ? directory : "/tmp",
             (long)getpid());
    FILE *file = fopen(path, "wb");
    assert(file != NULL);
    size_t written = fwrite(data, 1, size, file);
    int closed = fclose(file);
    assert(written == size && closed == 0);
    return path;
}

#endif
