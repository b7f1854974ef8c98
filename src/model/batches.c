/* batches.c - what a builder was told of its pairs, kept small, handed out pair by pair: batches in
 * chunks, and their order by pair. */
#include "model/builder.h"

#include <stdlib.h>
#include <string.h>

struct fy_chunk {
    fy_chunk *next;
    size_t used, room; /* words */
    int32_t *word;     /* [room] pages */
};

/* A batch: pair, list and count, then the successors or entries. */
enum { HEAD_WORDS = 3, ENTRY_WORDS = sizeof(fy_entry) / sizeof(int32_t) };

/* How many groups batches are sorted into, and the least room of a chunk, 16 KiB. */
enum { GROUPS = 256, MIN_ROOM = 4096 };

static size_t batch_words(int32_t list, int64_t count)
{
    return HEAD_WORDS + (size_t)count * (list < 0 ? ENTRY_WORDS : 1);
}

fy_entry fy_batch_entry(const fy_batch *batch, int64_t k)
{
    fy_entry entry;
    memcpy(&entry, batch->word + k * ENTRY_WORDS, sizeof entry);
    return entry;
}

/* ------------------------------------------------------------------- chunks */

static void free_chunk(fy_chunk *chunk)
{
    fy_pages_release(chunk->word, chunk->room * sizeof *chunk->word);
    free(chunk);
}

static void free_chunks(fy_chunks *chunks)
{
    for (fy_chunk *chunk = chunks->first, *next; chunk; chunk = next) {
        next = chunk->next;
        free_chunk(chunk);
    }
    *chunks = (fy_chunks){0};
}

/* Room for `words` in a row. New chunks have at least `room`, pages of which are taken from the
 * system only as they are written. */
static int32_t *make_room_for_words(foray_context *ctx, fy_chunks *chunks, size_t words,
                                    size_t room)
{
    fy_chunk *chunk = chunks->last;
    if (!chunk || words > chunk->room - chunk->used) {
        if (!FY_ALLOC(ctx, chunk, 1))
            return NULL;
        chunk->room = words > room ? words : room;
        chunk->word = fy_pages_get(ctx, chunk->room * sizeof *chunk->word);
        if (!chunk->word) {
            free(chunk);
            return NULL;
        }
        *(chunks->last ? &chunks->last->next : &chunks->first) = chunk;
        chunks->last = chunk;
    }
    int32_t *at = chunk->word + chunk->used;
    chunk->used += words;
    chunks->words += words;
    return at;
}

static fy_batch read_batch(const fy_chunk *chunk, size_t *at)
{
    const int32_t *head = chunk->word + *at;
    *at += batch_words(head[1], head[2]);
    return (fy_batch){
        .pair = head[0], .list = head[1], .count = head[2], .word = head + HEAD_WORDS};
}

/* A chunk that is large against the rest would be released late; many would cost time. */
static size_t room_of_chunk(size_t words, size_t chunks)
{
    return words / chunks > MIN_ROOM ? words / chunks : MIN_ROOM;
}

foray_status fy_batches_add(foray_context *ctx, fy_batches *batches, int64_t pair, int32_t list,
                            int64_t count, const void *item)
{
    if (count > INT32_MAX)
        return fy_fail(ctx, FORAY_ERROR_MEMORY, "out of memory: too many calls about one pair");
    size_t words = batch_words(list, count);
    int32_t *at =
        make_room_for_words(ctx, &batches->chunks, words, room_of_chunk(batches->chunks.words, 64));
    if (!at)
        return FORAY_ERROR_MEMORY;
    bool first = batches->chunks.words == words && batches->groups == 0;
    batches->scattered |= !first && pair <= batches->last_pair;
    batches->last_pair = pair;
    at[0] = (int32_t)pair;
    at[1] = list;
    at[2] = (int32_t)count;
    memcpy(at + HEAD_WORDS, item, (words - HEAD_WORDS) * sizeof *at);
    return FORAY_OK;
}

void fy_batches_free(fy_batches *batches)
{
    free_chunks(&batches->chunks);
    for (int64_t g = 0; g < batches->groups; g++)
        free_chunks(&batches->group[g].chunks);
    free(batches->group);
    batches->group = NULL;
    batches->groups = 0;
}

/* ------------------------------------------------------------------- groups */

/* Pairs ascend already: every chunk is a group of its own. */
static foray_status group_chunks(foray_context *ctx, fy_batches *batches)
{
    int64_t count = 0;
    for (const fy_chunk *chunk = batches->chunks.first; chunk; chunk = chunk->next)
        count++;
    if (!FY_ALLOC(ctx, batches->group, count))
        return FORAY_ERROR_MEMORY;
    for (fy_chunk *chunk = batches->chunks.first, *next; chunk; chunk = next) {
        fy_batch_group *group = &batches->group[batches->groups++];
        next = chunk->next;
        chunk->next = NULL;
        group->chunks = (fy_chunks){chunk, chunk, chunk->used};
        group->from = chunk->word[0];
        group->end = next ? next->word[0] : batches->pairs;
    }
    batches->chunks = (fy_chunks){0};
    return FORAY_OK;
}

/* Moves the batches of one chunk to their groups. */
static foray_status deal_out(foray_context *ctx, fy_batches *batches, const fy_chunk *chunk,
                             size_t room)
{
    for (size_t at = 0; at < chunk->used;) {
        size_t start = at;
        fy_batch batch = read_batch(chunk, &at);
        fy_batch_group *group =
            &batches->group[batch.pair / (batches->group[0].end - batches->group[0].from)];
        int32_t *to = make_room_for_words(ctx, &group->chunks, at - start, room);
        if (!to)
            return FORAY_ERROR_MEMORY;
        memcpy(to, chunk->word + start, (at - start) * sizeof *to);
    }
    return FORAY_OK;
}

static foray_status group_batches(foray_context *ctx, fy_batches *batches)
{
    int64_t width = (batches->pairs + GROUPS - 1) / GROUPS;
    size_t room = room_of_chunk(batches->chunks.words, 8 * (size_t)GROUPS);
    if (!FY_ALLOC(ctx, batches->group, GROUPS))
        return FORAY_ERROR_MEMORY;
    batches->groups = GROUPS;
    for (int64_t g = 0; g < GROUPS; g++) {
        batches->group[g].from = g * width;
        batches->group[g].end = (g + 1) * width;
    }
    foray_status status = FORAY_OK;
    for (fy_chunk *chunk = batches->chunks.first, *next; chunk && status == FORAY_OK;
         chunk = next) {
        next = chunk->next;
        status = deal_out(ctx, batches, chunk, room);
        batches->chunks.first = next;
        batches->chunks.words -= chunk->used;
        free_chunk(chunk);
    }
    if (!batches->chunks.first)
        batches->chunks = (fy_chunks){0};
    return status;
}

/* Groups that were made before become chunks again, with what was added since behind them: batches
 * of one pair stay in the order in which they came. */
static void ungroup(fy_batches *batches)
{
    fy_chunks all = {0};
    for (int64_t g = 0; g <= batches->groups; g++) {
        fy_chunks *more = g < batches->groups ? &batches->group[g].chunks : &batches->chunks;
        if (!more->first)
            continue;
        *(all.last ? &all.last->next : &all.first) = more->first;
        all.last = more->last;
        all.words += more->words;
    }
    free(batches->group);
    batches->group = NULL;
    batches->groups = 0;
    batches->chunks = all;
}

foray_status fy_batches_sort(foray_context *ctx, fy_batches *batches)
{
    if (batches->groups > 0 && !batches->chunks.first)
        return FORAY_OK;
    ungroup(batches);
    return batches->scattered ? group_batches(ctx, batches) : group_chunks(ctx, batches);
}

/* ----------------------------------------------------------------- visiting */

static int64_t count_batches(const fy_chunks *chunks)
{
    int64_t count = 0;
    for (const fy_chunk *chunk = chunks->first; chunk; chunk = chunk->next)
        for (size_t at = 0; at < chunk->used; count++)
            read_batch(chunk, &at);
    return count;
}

/* Counting sort of the batches of a group by pair: batch[start[i]..start[i+1]] are those of the
 * i-th pair. start has room for one number more, and is all zero. */
static void order_batches(const fy_batch_group *group, int64_t *start, fy_batch *batch)
{
    int64_t pairs = group->end - group->from;
    for (const fy_chunk *chunk = group->chunks.first; chunk; chunk = chunk->next)
        for (size_t at = 0; at < chunk->used;)
            start[read_batch(chunk, &at).pair - group->from + 2]++;
    for (int64_t i = 2; i <= pairs; i++)
        start[i] += start[i - 1];
    for (const fy_chunk *chunk = group->chunks.first; chunk; chunk = chunk->next)
        for (size_t at = 0; at < chunk->used;) {
            fy_batch next = read_batch(chunk, &at);
            batch[start[next.pair - group->from + 1]++] = next;
        }
}

static foray_status visit_group(foray_context *ctx, const fy_batch_group *group,
                                fy_batch_visitor *visit, void *user)
{
    int64_t pairs = group->end - group->from, count = count_batches(&group->chunks);
    int64_t *start;
    fy_batch *batch = NULL;
    if (count == 0)
        return FORAY_OK;
    foray_status status = FY_ALLOC(ctx, start, pairs + 2) && FY_ALLOC(ctx, batch, count)
                              ? FORAY_OK
                              : FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        order_batches(group, start, batch);
    for (int64_t i = 0; i < pairs && status == FORAY_OK; i++)
        if (start[i + 1] > start[i])
            status = visit(user, batch + start[i], start[i + 1] - start[i]);
    free(start);
    free(batch);
    return status;
}

foray_status fy_batches_visit(foray_context *ctx, fy_batches *batches, bool spend,
                              fy_batch_visitor *visit, void *user)
{
    foray_status status = FORAY_OK;
    for (int64_t g = 0; g < batches->groups && status == FORAY_OK; g++) {
        status = visit_group(ctx, &batches->group[g], visit, user);
        if (spend)
            free_chunks(&batches->group[g].chunks);
    }
    if (spend)
        fy_batches_free(batches);
    return status;
}
