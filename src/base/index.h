/* index.h - finds things by their hashes: a table of their numbers, with open addressing. What they
 * are and when two are equal is for its owner to say:
 *
 *     uint64_t at = fy_index_start(hash);
 *     for (int64_t old; (old = fy_index_at(&index, at)) >= 0; at++)
 *         if (thing `old` is the one)
 *             return old;
 *     fy_index_put(&index, at, number);
 *
 * At most half of its places may be taken: fy_index_has_room before each that is put. */
#ifndef FY_INDEX_H
#define FY_INDEX_H

#include "base/base.h"

#include <stdlib.h>

/* {0}: nothing is in it, and there is no room. */
typedef struct fy_index {
    uint64_t mask;
    int32_t *slot; /* [mask+1] number + 1; 0: free */
} fy_index;

/* Makes it anew, empty, with room for `count` things. False: out of memory, and it is as it was. */
static inline bool fy_index_create(foray_context *ctx, fy_index *index, int64_t count)
{
    uint64_t places = 16;
    int32_t *slot;
    while (places < 2 * (uint64_t)count)
        places *= 2;
    if (!FY_ALLOC(ctx, slot, places))
        return false;
    free(index->slot);
    *index = (fy_index){places - 1, slot};
    return true;
}

static inline void fy_index_free(fy_index *index)
{
    free(index->slot);
    *index = (fy_index){0};
}

static inline bool fy_index_has_room(const fy_index *index, int64_t count)
{
    return index->slot && 2 * (uint64_t)count <= index->mask + 1;
}

/* Where to begin: hashes may differ in their high bits alone. */
static inline uint64_t fy_index_start(uint64_t hash)
{
    return hash ^ hash >> 32;
}

/* The number there; -1: the place is free. */
static inline int64_t fy_index_at(const fy_index *index, uint64_t at)
{
    return index->slot ? (int64_t)index->slot[at & index->mask] - 1 : -1;
}

static inline void fy_index_put(fy_index *index, uint64_t at, int64_t number)
{
    index->slot[at & index->mask] = (int32_t)(number + 1);
}

/* One that is in it only once. */
static inline void fy_index_add(fy_index *index, uint64_t hash, int64_t number)
{
    uint64_t at = fy_index_start(hash);
    while (fy_index_at(index, at) >= 0)
        at++;
    fy_index_put(index, at, number);
}

#endif
