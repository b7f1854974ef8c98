/* pages.c - memory that goes back to the system as soon as it is released.
 *
 * free() may keep what it gets for later allocations of the same kind, so that something large
 * which shrinks while something else grows would count twice. Also large pages for large arrays. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise */
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

void fy_pages_widen(void *memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
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

/* Only whole pages of PAGE bytes, and only where several fit: a program that plans small models
 * should not grow by them. */
void fy_pages_widen(void *memory, size_t bytes)
{
    enum { PAGE = 2 << 20, LEAST = 2 * PAGE };
    size_t skip = (PAGE - (uintptr_t)memory % PAGE) % PAGE;
#ifdef MADV_HUGEPAGE
    if (bytes >= LEAST)
        madvise((char *)memory + skip, (bytes - skip) / PAGE * PAGE, MADV_HUGEPAGE);
#else
    (void)skip;
    (void)bytes;
#endif
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
