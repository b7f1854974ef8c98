/* memory.c - checked allocation: one block, the blocks of one object (an arena), and pages that go
 * back to the system as soon as they are released. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- one block */

bool fy_size_mul(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

bool fy_size_add(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

/* A block that is larger than all that is left would be granted, and its owner ended while it is
 * filled. */
static bool fits(size_t bytes)
{
    const size_t large = (size_t)1 << 28;
    return bytes < large || (double)bytes <= fy_memory_left();
}

/* Counts the allocation; false if a test wants this one to fail. */
static bool allowed(foray_context *ctx)
{
    ctx->allocations++;
    if (ctx->allocations_left < 0)
        return true;
    return ctx->allocations_left-- > 0;
}

static void *out_of_memory(foray_context *ctx, size_t count, size_t size)
{
    fy_fail(ctx, FORAY_ERROR_MEMORY, "out of memory: %zu items of %zu bytes", count, size);
    return NULL;
}

void *fy_alloc(foray_context *ctx, size_t count, size_t size)
{
    size_t bytes;
    if (!fy_size_mul(count, size, &bytes) || bytes > PTRDIFF_MAX || !allowed(ctx))
        return out_of_memory(ctx, count, size);
    void *memory = fits(bytes) ? calloc(bytes == 0 ? 1 : bytes, 1) : NULL;
    return memory ? memory : out_of_memory(ctx, count, size);
}

void foray_free(void *memory)
{
    free(memory);
}

void *fy_resize(foray_context *ctx, void *memory, size_t count, size_t size)
{
    size_t bytes;
    if (!fy_size_mul(count, size, &bytes) || bytes > PTRDIFF_MAX || !allowed(ctx))
        return out_of_memory(ctx, count, size);
    void *larger = fits(bytes) ? realloc(memory, bytes == 0 ? 1 : bytes) : NULL;
    return larger ? larger : out_of_memory(ctx, count, size);
}

/* At least doubled, so that adding stays cheap. */
static int64_t grown_room(int64_t room, int64_t wanted)
{
    int64_t doubled = room > 0 ? room * 2 : 64;
    return wanted > doubled ? wanted : doubled;
}

void *fy_grow(foray_context *ctx, void *array, int64_t *room, int64_t wanted, size_t size)
{
    if (array && wanted <= *room)
        return array;
    int64_t larger = grown_room(*room, wanted);
    void *grown = fy_resize(ctx, array, (size_t)larger, size);
    if (grown)
        *room = larger;
    return grown;
}

char *fy_text(foray_context *ctx, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = fy_alloc(ctx, size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

/* ------------------------------------------------------------------ arenas */

/* What stands before the memory of each block; as large as the strictest alignment. */
struct fy_arena_block {
    _Alignas(max_align_t) struct fy_arena_block *next;
    struct fy_arena_block **link; /* what points to this block */
};

static void *enter_block(fy_arena *arena, fy_arena_block *block)
{
    block->next = arena->first;
    block->link = &arena->first;
    if (block->next)
        block->next->link = &block->next;
    arena->first = block;
    return block + 1;
}

static fy_arena_block *leave_block(void *memory)
{
    fy_arena_block *block = (fy_arena_block *)memory - 1;
    *block->link = block->next;
    if (block->next)
        block->next->link = block->link;
    return block;
}

void *fy_arena_alloc(fy_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (!fy_size_mul(count, size, &bytes) || !fy_size_add(bytes, sizeof(fy_arena_block), &bytes))
        return out_of_memory(arena->ctx, count, size);
    fy_arena_block *block = fy_alloc(arena->ctx, bytes, 1);
    return block ? enter_block(arena, block) : NULL;
}

void *fy_arena_resize(fy_arena *arena, void *memory, size_t count, size_t size)
{
    size_t bytes;
    if (!memory)
        return fy_arena_alloc(arena, count, size);
    if (!fy_size_mul(count, size, &bytes) || !fy_size_add(bytes, sizeof(fy_arena_block), &bytes))
        return out_of_memory(arena->ctx, count, size);
    fy_arena_block *block = fy_resize(arena->ctx, (fy_arena_block *)memory - 1, bytes, 1);
    if (!block)
        return NULL;
    *block->link = block;
    if (block->next)
        block->next->link = &block->next;
    return block + 1;
}

void *fy_arena_grow(fy_arena *arena, void *array, int64_t *room, int64_t wanted, size_t size)
{
    if (array && wanted <= *room)
        return array;
    int64_t larger = grown_room(*room, wanted);
    void *grown = fy_arena_resize(arena, array, (size_t)larger, size);
    if (grown)
        *room = larger;
    return grown;
}

char *fy_arena_text(fy_arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = fy_arena_alloc(arena, size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

void fy_arena_free(void *memory)
{
    if (memory)
        free(leave_block(memory));
}

void fy_arena_move(fy_arena *to, void *memory)
{
    if (memory)
        enter_block(to, leave_block(memory));
}

void fy_arena_release(fy_arena *arena)
{
    while (arena->first) {
        fy_arena_block *block = arena->first;
        arena->first = block->next;
        free(block);
    }
}

/* ------------------------------------------------------------------- pages */

/* free() may keep what it gets for later allocations of the same kind, so that something large
 * which shrinks while something else grows would count twice. Also large pages for large arrays. */
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
    enum { PAGE = 2 << 20, MIN = 2 * PAGE };
    size_t skip = (PAGE - (uintptr_t)memory % PAGE) % PAGE;
#ifdef MADV_HUGEPAGE
    if (bytes >= MIN)
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
        fy_message_set(ctx, "out of memory: %zu bytes", bytes);
    return pages;
}

void fy_pages_release(void *pages, size_t bytes)
{
    if (pages)
        release(pages, bytes);
}
