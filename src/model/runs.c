/* runs.c - runs in chunks, and their order by pair. */
#include "model/runs.h"

#include <stdlib.h>
#include <string.h>

struct fy_chunk {
    fy_chunk *next;
    size_t used, room; /* words */
    int32_t *word;     /* [room] pages */
};

/* A run: pair, list and count, then the successors or entries. */
enum { HEAD_WORDS = 3, ENTRY_WORDS = sizeof(fy_entry) / sizeof(int32_t) };

/* How many groups runs are sorted into, and the least room of a chunk, 16 KiB. */
enum { GROUPS = 256, LEAST_ROOM = 4096 };

static size_t run_words(int32_t list, int64_t count)
{
    return HEAD_WORDS + (size_t)count * (list < 0 ? ENTRY_WORDS : 1);
}

fy_entry fy_run_entry(const fy_run *run, int64_t k)
{
    fy_entry entry;
    memcpy(&entry, run->word + k * ENTRY_WORDS, sizeof entry);
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

static fy_run read_run(const fy_chunk *chunk, size_t *at)
{
    const int32_t *head = chunk->word + *at;
    *at += run_words(head[1], head[2]);
    return (fy_run){.pair = head[0], .list = head[1], .count = head[2], .word = head + HEAD_WORDS};
}

/* A chunk that is large against the rest would be released late; many would cost time. */
static size_t room_of_chunk(size_t words, size_t chunks)
{
    return words / chunks > LEAST_ROOM ? words / chunks : LEAST_ROOM;
}

foray_status fy_runs_add(foray_context *ctx, fy_runs *runs, int64_t pair, int32_t list,
                         int64_t count, const void *item)
{
    if (count > INT32_MAX)
        return fy_fail(ctx, FORAY_ERROR_MEMORY, "out of memory: too many calls about one pair");
    size_t words = run_words(list, count);
    int32_t *at =
        make_room_for_words(ctx, &runs->chunks, words, room_of_chunk(runs->chunks.words, 64));
    if (!at)
        return FORAY_ERROR_MEMORY;
    bool first = runs->chunks.words == words && runs->groups == 0;
    runs->scattered |= !first && pair <= runs->last_pair;
    runs->last_pair = pair;
    at[0] = (int32_t)pair;
    at[1] = list;
    at[2] = (int32_t)count;
    memcpy(at + HEAD_WORDS, item, (words - HEAD_WORDS) * sizeof *at);
    return FORAY_OK;
}

void fy_runs_free(fy_runs *runs)
{
    free_chunks(&runs->chunks);
    for (int64_t g = 0; g < runs->groups; g++)
        free_chunks(&runs->group[g].chunks);
    free(runs->group);
    runs->group = NULL;
    runs->groups = 0;
}

/* ------------------------------------------------------------------- groups */

/* Pairs ascend already: every chunk is a group of its own. */
static foray_status group_chunks(foray_context *ctx, fy_runs *runs)
{
    int64_t count = 0;
    for (const fy_chunk *chunk = runs->chunks.first; chunk; chunk = chunk->next)
        count++;
    if (!FY_ALLOC(ctx, runs->group, count))
        return FORAY_ERROR_MEMORY;
    for (fy_chunk *chunk = runs->chunks.first, *next; chunk; chunk = next) {
        fy_run_group *group = &runs->group[runs->groups++];
        next = chunk->next;
        chunk->next = NULL;
        group->chunks = (fy_chunks){chunk, chunk, chunk->used};
        group->from = chunk->word[0];
        group->end = next ? next->word[0] : runs->pairs;
    }
    runs->chunks = (fy_chunks){0};
    return FORAY_OK;
}

/* Moves the runs of one chunk to their groups. */
static foray_status deal_out(foray_context *ctx, fy_runs *runs, const fy_chunk *chunk, size_t room)
{
    for (size_t at = 0; at < chunk->used;) {
        size_t start = at;
        fy_run run = read_run(chunk, &at);
        fy_run_group *group = &runs->group[run.pair / (runs->group[0].end - runs->group[0].from)];
        int32_t *to = make_room_for_words(ctx, &group->chunks, at - start, room);
        if (!to)
            return FORAY_ERROR_MEMORY;
        memcpy(to, chunk->word + start, (at - start) * sizeof *to);
    }
    return FORAY_OK;
}

static foray_status group_runs(foray_context *ctx, fy_runs *runs)
{
    int64_t width = (runs->pairs + GROUPS - 1) / GROUPS;
    size_t room = room_of_chunk(runs->chunks.words, 8 * (size_t)GROUPS);
    if (!FY_ALLOC(ctx, runs->group, GROUPS))
        return FORAY_ERROR_MEMORY;
    runs->groups = GROUPS;
    for (int64_t g = 0; g < GROUPS; g++) {
        runs->group[g].from = g * width;
        runs->group[g].end = (g + 1) * width;
    }
    foray_status status = FORAY_OK;
    for (fy_chunk *chunk = runs->chunks.first, *next; chunk && status == FORAY_OK; chunk = next) {
        next = chunk->next;
        status = deal_out(ctx, runs, chunk, room);
        runs->chunks.first = next;
        runs->chunks.words -= chunk->used;
        free_chunk(chunk);
    }
    if (!runs->chunks.first)
        runs->chunks = (fy_chunks){0};
    return status;
}

/* Groups that were made before become chunks again, with what was added since behind them: runs
 * of one pair stay in the order in which they came. */
static void ungroup(fy_runs *runs)
{
    fy_chunks all = {0};
    for (int64_t g = 0; g <= runs->groups; g++) {
        fy_chunks *more = g < runs->groups ? &runs->group[g].chunks : &runs->chunks;
        if (!more->first)
            continue;
        *(all.last ? &all.last->next : &all.first) = more->first;
        all.last = more->last;
        all.words += more->words;
    }
    free(runs->group);
    runs->group = NULL;
    runs->groups = 0;
    runs->chunks = all;
}

foray_status fy_runs_sort(foray_context *ctx, fy_runs *runs)
{
    if (runs->groups > 0 && !runs->chunks.first)
        return FORAY_OK;
    ungroup(runs);
    return runs->scattered ? group_runs(ctx, runs) : group_chunks(ctx, runs);
}

/* ----------------------------------------------------------------- visiting */

static int64_t count_runs(const fy_chunks *chunks)
{
    int64_t count = 0;
    for (const fy_chunk *chunk = chunks->first; chunk; chunk = chunk->next)
        for (size_t at = 0; at < chunk->used; count++)
            read_run(chunk, &at);
    return count;
}

/* Counting sort of the runs of a group by pair: run[start[i]..start[i+1]] are those of the i-th
 * pair. start has room for one number more, and is all zero. */
static void order_runs(const fy_run_group *group, int64_t *start, fy_run *run)
{
    int64_t pairs = group->end - group->from;
    for (const fy_chunk *chunk = group->chunks.first; chunk; chunk = chunk->next)
        for (size_t at = 0; at < chunk->used;)
            start[read_run(chunk, &at).pair - group->from + 2]++;
    for (int64_t i = 2; i <= pairs; i++)
        start[i] += start[i - 1];
    for (const fy_chunk *chunk = group->chunks.first; chunk; chunk = chunk->next)
        for (size_t at = 0; at < chunk->used;) {
            fy_run next = read_run(chunk, &at);
            run[start[next.pair - group->from + 1]++] = next;
        }
}

static foray_status visit_group(foray_context *ctx, const fy_run_group *group,
                                fy_runs_visitor *visit, void *user)
{
    int64_t pairs = group->end - group->from, count = count_runs(&group->chunks);
    int64_t *start;
    fy_run *run = NULL;
    if (count == 0)
        return FORAY_OK;
    foray_status status = FY_ALLOC(ctx, start, pairs + 2) && FY_ALLOC(ctx, run, count)
                              ? FORAY_OK
                              : FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        order_runs(group, start, run);
    for (int64_t i = 0; i < pairs && status == FORAY_OK; i++)
        if (start[i + 1] > start[i])
            status = visit(user, run + start[i], start[i + 1] - start[i]);
    free(start);
    free(run);
    return status;
}

foray_status fy_runs_visit(foray_context *ctx, fy_runs *runs, bool spend, fy_runs_visitor *visit,
                           void *user)
{
    foray_status status = FORAY_OK;
    for (int64_t g = 0; g < runs->groups && status == FORAY_OK; g++) {
        status = visit_group(ctx, &runs->group[g], visit, user);
        if (spend)
            free_chunks(&runs->group[g].chunks);
    }
    if (spend)
        fy_runs_free(runs);
    return status;
}
