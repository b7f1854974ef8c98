/* seen.c - see seen.h. */
#include "explore/unstructured/seen.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

foray_status fy_seen_create(foray_context *ctx, int64_t actions, fy_seen **out)
{
    fy_seen *seen;
    if (!FY_ALLOC(ctx, seen, 1))
        return FORAY_ERROR_MEMORY;
    seen->arena.ctx = ctx;
    seen->actions = actions;
    if (!FY_NEW(&seen->arena, seen->visits, 1) || !FY_NEW(&seen->arena, seen->first, 1) ||
        !FY_NEW(&seen->arena, seen->last, 1)) {
        fy_seen_destroy(seen);
        return FORAY_ERROR_MEMORY;
    }
    seen->first[0] = seen->last[0] = -1;
    *out = seen;
    return FORAY_OK;
}

void fy_seen_destroy(fy_seen *seen)
{
    if (!seen)
        return;
    fy_arena_release(&seen->arena);
    fy_index_free(&seen->index);
    free(seen);
}

/* --------------------------------------------------------------------- states */

static uint64_t hash_state(int64_t state)
{
    return (uint64_t)state * 0x9E3779B97F4A7C15u;
}

/* Its place, or -1; *at: where that is in the index, or would be. */
static int64_t find_state(const fy_seen *seen, int64_t state, uint64_t *at)
{
    int64_t place;
    for (*at = fy_index_start(hash_state(state)); (place = fy_index_at(&seen->index, *at)) >= 0;
         ++*at)
        if (seen->state[place] == state)
            break;
    return place;
}

int64_t fy_seen_find(const fy_seen *seen, int64_t state)
{
    uint64_t at;
    return find_state(seen, state, &at);
}

#define GROW(seen, array, count)                                                                   \
    ((grown = fy_arena_resize(&(seen)->arena, (seen)->array, (size_t)(count),                      \
                              sizeof *(seen)->array)) != NULL &&                                   \
     ((seen)->array = grown, true))

/* Room for twice as many states; the index is filled again. */
static bool grow_states(fy_seen *seen)
{
    void *grown;
    int64_t room = seen->room > 0 ? 2 * seen->room : FIRST_ROOM, laws = 1 + room * seen->actions;
    if (room > INT32_MAX / 4 || !GROW(seen, state, room) || !GROW(seen, absorbing, room) ||
        !GROW(seen, visits, laws) || !GROW(seen, first, laws) || !GROW(seen, last, laws) ||
        !fy_index_create(seen->arena.ctx, &seen->index, room))
        return false;
    seen->room = room;
    for (int64_t i = 0; i < seen->states; i++)
        fy_index_add(&seen->index, hash_state(seen->state[i]), i);
    return true;
}

static int64_t meet(fy_seen *seen, int64_t state)
{
    int64_t place = fy_seen_find(seen, state);
    if (place >= 0)
        return place;
    if (seen->failed || (seen->states == seen->room && !grow_states(seen))) {
        seen->failed = true;
        return -1;
    }
    place = seen->states++;
    seen->state[place] = (int32_t)state;
    seen->absorbing[place] = false;
    fy_index_add(&seen->index, hash_state(state), place);
    for (int64_t a = 0; a < seen->actions; a++) {
        int64_t law = fy_seen_law(seen, place, a);
        seen->visits[law] = 0;
        seen->first[law] = seen->last[law] = -1;
    }
    return place;
}

/* ----------------------------------------------------------------------- laws */

static bool grow_entries(fy_seen *seen)
{
    void *grown;
    int64_t room = seen->entry_room > 0 ? 2 * seen->entry_room : FIRST_ROOM;
    if (room > INT32_MAX || !GROW(seen, next, room) || !GROW(seen, times, room) ||
        !GROW(seen, link, room))
        return false;
    seen->entry_room = room;
    return true;
}

/* A new successor goes to the end of the list: sums are in the order of first sight. */
static void add(fy_seen *seen, int64_t law, int64_t place)
{
    int32_t entry = seen->first[law];
    while (entry >= 0 && seen->next[entry] != place)
        entry = seen->link[entry];
    if (entry < 0) {
        if (seen->entries == seen->entry_room && !grow_entries(seen)) {
            seen->failed = true;
            return;
        }
        entry = (int32_t)seen->entries++;
        seen->next[entry] = (int32_t)place;
        seen->times[entry] = 0;
        seen->link[entry] = -1;
        if (seen->last[law] >= 0)
            seen->link[seen->last[law]] = entry;
        else
            seen->first[law] = entry;
        seen->last[law] = entry;
    }
    seen->times[entry]++;
    seen->visits[law]++;
}

void fy_seen_begin(fy_seen *seen, int64_t state)
{
    int64_t place = meet(seen, state);
    if (place >= 0)
        add(seen, 0, place);
}

void fy_seen_follow(fy_seen *seen, int64_t state, int64_t action, int64_t next)
{
    int64_t from = meet(seen, state), to = meet(seen, next);
    if (from >= 0 && to >= 0 && !seen->absorbing[from])
        add(seen, fy_seen_law(seen, from, action), to);
}

bool fy_seen_absorb(fy_seen *seen, int64_t state)
{
    int64_t place = meet(seen, state);
    if (place < 0)
        return true;
    for (int64_t a = 0; a < seen->actions; a++) {
        int64_t law = fy_seen_law(seen, place, a);
        int32_t entry = seen->first[law];
        if (entry >= 0 && (seen->next[entry] != place || seen->link[entry] >= 0))
            return false;
    }
    seen->absorbing[place] = true;
    return true;
}

bool fy_seen_is_absorbing(const fy_seen *seen, int64_t state)
{
    int64_t place = fy_seen_find(seen, state);
    return place >= 0 && seen->absorbing[place];
}

/* -------------------------------------------------------------- save and load */

/* States and entries in their order, each entry with its law. */
void fy_seen_write(const fy_seen *seen, fy_writer *writer)
{
    fy_write_u64(writer, (uint64_t)seen->states);
    fy_write_i32s(writer, seen->state, (size_t)seen->states);
    for (int64_t i = 0; i < seen->states; i++)
        fy_write_u64(writer, seen->absorbing[i]);
    for (int64_t law = 0; law < fy_seen_laws(seen); law++) {
        int64_t count = 0;
        for (int32_t entry = seen->first[law]; entry >= 0; entry = seen->link[entry])
            count++;
        fy_write_u64(writer, (uint64_t)count);
        for (int32_t entry = seen->first[law]; entry >= 0; entry = seen->link[entry]) {
            fy_write_u64(writer, (uint64_t)seen->next[entry]);
            fy_write_u64(writer, (uint64_t)seen->times[entry]);
        }
    }
}

static void read_law(fy_seen *seen, fy_reader *reader, int64_t law)
{
    const uint64_t max = (uint64_t)1 << 53; /* visits of a law */
    uint64_t count = fy_read_u64(reader);
    for (uint64_t i = 0; i < count && !reader->failed && !seen->failed; i++) {
        uint64_t place = fy_read_u64(reader), times = fy_read_u64(reader);
        int64_t before = seen->entries;
        if (reader->failed || place >= (uint64_t)seen->states || times < 1 ||
            times > max - (uint64_t)seen->visits[law]) {
            reader->failed = true;
            return;
        }
        add(seen, law, (int64_t)place);
        reader->failed |= seen->entries == before; /* twice in one law */
        seen->times[seen->last[law]] = (int64_t)times;
        seen->visits[law] += (int64_t)times - 1;
    }
}

void fy_seen_read(fy_seen *seen, fy_reader *reader, int64_t states)
{
    uint64_t count = fy_read_u64(reader);
    if (count > (uint64_t)states || count > reader->size - reader->at)
        reader->failed = true;
    for (uint64_t i = 0; i < count && !reader->failed; i++) {
        int32_t state = -1;
        fy_read_i32s(reader, &state, 1);
        reader->failed |= state < 0 || state >= states;
        if (!reader->failed)
            reader->failed |= meet(seen, state) != (int64_t)i; /* twice, or out of memory */
    }
    for (int64_t i = 0; i < seen->states && !reader->failed; i++)
        seen->absorbing[i] = fy_read_u64(reader) != 0;
    for (int64_t law = 0; law < fy_seen_laws(seen) && !reader->failed; law++)
        read_law(seen, reader, law);
    reader->failed |= seen->failed;
}
