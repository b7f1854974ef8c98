/* pages.c - memory that goes back to the system as soon as it is released.
 *
 * free() may keep what it gets for later allocations of the same kind, so that something large
 * which shrinks while something else grows would count twice. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "base/base.h"

#include <stdlib.h>

#ifdef __wasm__
static void *get(size_t bytes)
{
    return calloc(bytes, 1);
}

static void release(void *pages, size_t bytes)
{
    (void)bytes;
    free(pages);
}
#else
#include <sys/mman.h>

static void *get(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static void release(void *pages, size_t bytes)
{
    munmap(pages, bytes);
}
#endif

void *fy_pages_get(foray_context *ctx, size_t bytes)
{
    void *pages = bytes > PTRDIFF_MAX ? NULL : get(bytes);
    if (!pages)
        fy_say(ctx, "out of memory: %zu bytes", bytes);
    return pages;
}

void fy_pages_release(void *pages, size_t bytes)
{
    if (pages)
        release(pages, bytes);
}
