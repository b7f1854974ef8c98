/* sqlite_memory.h - memory for SQLite in a fuzz target.
 *
 * SQLite takes memory some 400 times per run, for which AddressSanitizer's allocator needs longer
 * than SQLite for all the rest. These are queues of blocks, by size: what is around a block, behind
 * what was asked for, and in blocks that were given back is poisoned as it would have been, so that
 * reading there is still found out. */
#ifndef SQLITE_MEMORY_H
#define SQLITE_MEMORY_H

#include <assert.h>
#include <sanitizer/asan_interface.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
    struct block *next;
    size_t room, size; /* of what follows, and how much of it was asked for */
    uint8_t gap[24];   /* poisoned, as is what nobody uses behind it */
} block;

enum { SMALLEST = 32, SIZES = 16 }; /* 32 bytes, 64, ... */
static struct queue {
    block *first, *last;
} idle[SIZES];

static int size_kind(size_t size)
{
    int kind = 0;
    while (kind < SIZES && ((size_t)SMALLEST << kind) < size)
        kind++;
    return kind;
}

static void *block_take(int asked)
{
    size_t size = (size_t)asked;
    int kind = size_kind(size);
    block *one = kind < SIZES ? idle[kind].first : NULL;
    if (one)
        idle[kind].first = one->next;
    else {
        size_t room = kind < SIZES ? (size_t)SMALLEST << kind : size;
        one = malloc(sizeof *one + room);
        if (!one)
            return NULL;
        one->room = room;
        ASAN_POISON_MEMORY_REGION(one->gap, sizeof one->gap + room);
    }
    one->size = size;
    ASAN_UNPOISON_MEMORY_REGION(one + 1, size);
    return one + 1;
}

static void block_free(void *memory)
{
    block *one = (block *)memory - 1;
    int kind = size_kind(one->room);
    if (kind == SIZES) {
        ASAN_UNPOISON_MEMORY_REGION(one->gap, sizeof one->gap + one->room);
        free(one);
        return;
    }
    ASAN_POISON_MEMORY_REGION(memory, one->size);
    one->next = NULL;
    if (idle[kind].first)
        idle[kind].last->next = one;
    else
        idle[kind].first = one;
    idle[kind].last = one;
}

static int block_size(void *memory)
{
    return memory ? (int)((block *)memory - 1)->size : 0;
}

static void *block_resize(void *memory, int size)
{
    void *other = block_take(size);
    int held = block_size(memory);
    if (!other)
        return NULL;
    memcpy(other, memory, (size_t)(held < size ? held : size));
    block_free(memory);
    return other;
}

static int block_round(int size)
{
    return (size + 7) & ~7;
}

static int block_begin(void *unused)
{
    (void)unused;
    return SQLITE_OK;
}

static void block_end(void *unused)
{
    (void)unused;
}

/* Before anything else that SQLite does. There is one thread. */
static inline void sqlite_memory_settle(void)
{
    static const sqlite3_mem_methods blocks = {block_take,  block_free,  block_resize, block_size,
                                               block_round, block_begin, block_end,    NULL};
    assert(sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK);
    assert(sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK);
    assert(sqlite3_config(SQLITE_CONFIG_MALLOC, &blocks) == SQLITE_OK);
}

#endif
