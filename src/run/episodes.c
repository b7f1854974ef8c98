/* episodes.c - the episodes of a run: in batches, and told to an explorer again.
 *
 * Explorers are deterministic: from a checkpoint, or from nothing, the recorded episodes lead to
 * the state that exploring had reached, to the last bit. */
#include "run/pack.h"
#include "run/run.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---------------------------------------------------------------- episodes */

/* Of the bytes that its episodes have unpacked, a batch takes at least this part: so that a small
 * file cannot hold more of them than anybody wants to replay. */
enum { BATCH_MOST = 32, CHUNK_BYTES = 1 << 16 };

/* Episodes in memory at a time. */
static int64_t chunk_episodes(const fy_codec *codec)
{
    size_t count = CHUNK_BYTES / codec->episode_bytes;
    return count > 0 ? (int64_t)count : 1;
}

typedef struct batch {
    int64_t first, count;
    const uint8_t *data;
    size_t size;
} batch;

foray_status fy_run_put_batch(foray_run *run, int64_t first, int64_t count, const uint8_t *data)
{
    fy_row row;
    uint8_t *packed;
    size_t bytes = (size_t)count * run->codec.episode_bytes, size;
    foray_status status =
        fy_pack(run->ctx, data, bytes, (bytes + BATCH_MOST - 1) / BATCH_MOST, &packed, &size);
    if (status != FORAY_OK)
        return status;
    fy_row_prepare(&row, run->store, "episodes",
                   "INSERT INTO episodes(first, count, data, crc) VALUES(?1, ?2, ?3, ?4)");
    fy_row_put_int(&row, first);
    fy_row_put_int(&row, count);
    fy_row_put_blob(&row, packed, size);
    status = fy_row_insert(&row);
    free(packed);
    return status;
}

/* The next batch, in its place: false at the end, or if the row says why not. */
static bool next_batch(foray_run *run, fy_row *row, int64_t expected, batch *out)
{
    if (!fy_row_next(row))
        return false;
    out->first = fy_row_int(row);
    out->count = fy_row_int(row);
    out->data = fy_row_blob(row, &out->size);
    if (!fy_row_intact(row))
        return false;
    bool in_place = expected < 0 || out->first == expected;
    bool possible =
        out->count > 0 && (size_t)out->count <= out->size * BATCH_MOST / run->codec.episode_bytes;
    row->damaged = !in_place || !possible;
    return !row->damaged;
}

/* What a reader goes through. */
typedef struct reading {
    foray_run *run;
    int64_t first; /* the first that is told */
    fy_episode_fn fn;
    void *user;
    uint8_t *chunk; /* [chunk_episodes] */
} reading;

static foray_status tell_chunk(reading *r, int64_t from, int64_t count)
{
    foray_run *run = r->run;
    for (int64_t i = from < r->first ? r->first - from : 0; i < count; i++) {
        const uint8_t *data = r->chunk + (size_t)i * run->codec.episode_bytes;
        if (!fy_codec_decode(&run->codec, run->explorer->model, data, run->states, run->actions))
            return fy_store_damaged(
                run->store, "episode %" PRId64 " has a state or action out of range", from + i);
        foray_status status = r->fn(r->user, from + i, run->states, run->actions);
        if (status != FORAY_OK)
            return status;
    }
    return FORAY_OK;
}

static foray_status each_of_batch(reading *r, const batch *now)
{
    foray_run *run = r->run;
    fy_unpacking *unpacking;
    foray_status status = fy_unpack_begin(run->ctx, now->data, now->size, &unpacking);
    if (status != FORAY_OK)
        return status;
    int64_t max = chunk_episodes(&run->codec);
    for (int64_t at = 0; at < now->count && status == FORAY_OK; at += max) {
        int64_t count = now->count - at < max ? now->count - at : max;
        status = fy_unpack_next(unpacking, r->chunk, (size_t)count * run->codec.episode_bytes);
        if (status == FORAY_OK)
            status = tell_chunk(r, now->first + at, count);
        else if (status == FORAY_ERROR_INPUT)
            status = fy_store_damaged(run->store, "episodes from %" PRId64 " on are not whole",
                                      now->first + at);
    }
    fy_unpack_end(unpacking);
    return status;
}

/* A writer may be adding batches while we read: `saved` is where we stop. */
foray_status fy_run_each(foray_run *run, int64_t first, fy_episode_fn fn, void *user)
{
    int64_t saved = run->store->head.episodes, expected = -1;
    reading r = {.run = run, .first = first, .fn = fn, .user = user};
    r.chunk = fy_alloc(run->ctx, (size_t)chunk_episodes(&run->codec), run->codec.episode_bytes);
    if (!r.chunk)
        return FORAY_ERROR_MEMORY;
    fy_row row;
    fy_row_prepare(&row, run->store, "episodes",
                   "SELECT first, count, data, crc FROM episodes WHERE first >="
                   " (SELECT max(first) FROM episodes WHERE first <= ?1) AND first < ?2"
                   " ORDER BY first");
    fy_row_bind_int(&row, 1, first);
    fy_row_bind_int(&row, 2, saved);
    foray_status status = FORAY_OK;
    batch now;
    while (status == FORAY_OK && next_batch(run, &row, expected, &now)) {
        status = each_of_batch(&r, &now);
        expected = now.first + now.count;
    }
    free(r.chunk);
    foray_status ended = fy_row_end(&row);
    if (status != FORAY_OK || ended != FORAY_OK)
        return status != FORAY_OK ? status : ended;
    if (first < saved && expected != saved)
        return fy_store_damaged(run->store, "episodes are missing before episode %" PRId64, saved);
    return FORAY_OK;
}

typedef struct listener {
    foray_episode_fn fn;
    void *user;
    bool stopped;
} listener;

static foray_status tell_listener(void *user, int64_t episode, const int32_t *states,
                                  const int32_t *actions)
{
    listener *to = user;
    to->stopped = !to->fn(to->user, episode, states, actions);
    return to->stopped ? FORAY_INTERRUPTED : FORAY_OK;
}

foray_status foray_run_episodes(foray_run *run, int64_t first, foray_episode_fn fn, void *user)
{
    if (first < 0)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE, "there is no episode %" PRId64, first);
    listener to = {.fn = fn, .user = user};
    foray_status status = fy_run_each(run, first, tell_listener, &to);
    return to.stopped ? FORAY_OK : status;
}

/* ----------------------------------------------------------------- replay */

/* What was recorded elsewhere, up to its end. */
static foray_status learn_again(foray_run *run, foray_explorer *explorer, const int32_t *states,
                                const int32_t *actions)
{
    int64_t steps = 0;
    while (steps < run->codec.horizon && actions[steps] >= 0)
        steps++;
    bool done = steps < run->codec.horizon && actions[steps] == FORAY_TERMINATED;
    return fy_explorer_learn(explorer, steps, states, actions, done);
}

/* What the explorer did, step by step. */
static foray_status play_again(foray_run *run, foray_explorer *explorer, const int32_t *states,
                               const int32_t *actions)
{
    foray_status status = foray_explorer_begin(explorer);
    for (int64_t t = 0; status == FORAY_OK && t < run->codec.horizon; t++) {
        const int32_t *here = states + run->codec.stride * t;
        int64_t chosen = actions[t];
        if (chosen == FORAY_TRUNCATED)
            return foray_explorer_cut(explorer);
        if (chosen < 0) { /* played on until it was done */
            status = foray_explorer_done(explorer, here[0]);
            break;
        }
        status = foray_explorer_act(explorer, here[0], &chosen);
        if (status == FORAY_OK && chosen != actions[t])
            return fy_store_damaged(
                run->store,
                "in episode %" PRId64 ", step %" PRId64
                ", action %d was taken where %s takes %" PRId64
                "; the run was made by Foray %s, perhaps on another type of machine",
                explorer->episodes, t, (int)actions[t], run->settings.algorithm, chosen,
                run->version);
        if (status == FORAY_OK)
            status = foray_explorer_observe(explorer, here[0], actions[t], here[1]);
    }
    return status == FORAY_OK ? foray_explorer_end(explorer) : status;
}

foray_status fy_run_replay(foray_run *run, foray_explorer *explorer, const int32_t *states,
                           const int32_t *actions)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < run->aims && status == FORAY_OK; i++)
        if (run->aim[i].after == explorer->episodes)
            status = fy_run_aim(run, explorer);
    if (status != FORAY_OK)
        return status;
    status = run->codec.recorded ? learn_again(run, explorer, states, actions)
                                 : play_again(run, explorer, states, actions);
    if (status == FORAY_ERROR_WORLD || status == FORAY_ERROR_USAGE)
        status = fy_fail_within(run->ctx, FORAY_ERROR_RUN, "%s: damaged", run->store->path);
    return status;
}

/* ------------------------------------------------------------- checkpoints */

foray_status fy_run_checkpoints(foray_run *run, fy_checkpoint out[FY_CHECKPOINTS], int *count)
{
    fy_row row;
    fy_row_prepare(&row, run->store, "checkpoints",
                   "SELECT episodes, bytes, crc FROM checkpoint ORDER BY episodes DESC LIMIT 2");
    int found = 0;
    while (found < FY_CHECKPOINTS && fy_row_next(&row)) {
        out[found].episodes = fy_row_int(&row);
        out[found].bytes = (size_t)fy_row_int(&row);
        if (fy_row_intact(&row))
            found++;
    }
    *count = found;
    return fy_row_end(&row);
}

static foray_status load_checkpoint(foray_run *run, const fy_checkpoint *checkpoint)
{
    uint8_t *data;
    foray_status status = fy_store_get_pieces(run->store, "checkpoint", checkpoint->episodes,
                                              checkpoint->bytes, &data);
    if (status != FORAY_OK)
        return status;
    status = foray_explorer_load(run->explorer, data, checkpoint->bytes);
    free(data);
    if (status == FORAY_OK && run->explorer->episodes != checkpoint->episodes)
        status = fy_store_damaged(run->store, "a checkpoint belongs to another episode");
    return status;
}

/* A load that failed may have left half a state behind. */
static foray_status start_afresh(foray_run *run)
{
    foray_explorer *fresh = NULL;
    foray_status status = fy_run_fresh_explorer(run, &fresh);
    if (!fresh)
        return status;
    foray_explorer_destroy(run->explorer);
    run->explorer = fresh;
    return FORAY_OK;
}

/* The last good checkpoint: a damaged one costs time, not episodes. */
static foray_status load_last_good(foray_run *run)
{
    fy_checkpoint checkpoint[FY_CHECKPOINTS];
    int count = 0;
    foray_status status = fy_run_checkpoints(run, checkpoint, &count);
    for (int i = 0; i < count && (status == FORAY_OK || status == FORAY_ERROR_RUN); i++) {
        status = load_checkpoint(run, &checkpoint[i]);
        if (status == FORAY_OK) {
            run->checkpointed = checkpoint[i].episodes;
            return FORAY_OK;
        }
        if (status == FORAY_ERROR_RUN && start_afresh(run) != FORAY_OK)
            return FORAY_ERROR_MEMORY;
    }
    return status == FORAY_ERROR_RUN ? FORAY_OK : status;
}

static foray_status replay_one(void *user, int64_t episode, const int32_t *states,
                               const int32_t *actions)
{
    foray_run *run = user;
    (void)episode;
    return fy_run_replay(run, run->explorer, states, actions);
}

foray_status fy_run_restore(foray_run *run)
{
    foray_status status = load_last_good(run);
    if (status == FORAY_OK)
        status = fy_run_meet(run);
    if (status == FORAY_OK)
        status = fy_run_aim(run, run->explorer);
    if (status == FORAY_OK)
        status = fy_run_each(run, run->explorer->episodes, replay_one, run);
    return status == FORAY_OK ? fy_run_aim(run, run->explorer) : status;
}

/* ------------------------------------------------------------------ counts */

typedef struct tally {
    const char *what, *sql;
    int64_t expected;
} tally;

/* Episodes may not share their bytes: a small file would take for ever to replay. */
static foray_status check_bytes(foray_run *run)
{
    int64_t said, held;
    foray_status status =
        fy_store_number(run->store, "SELECT ifnull(sum(length(data)), 0) FROM episodes", &said);
    if (status == FORAY_OK)
        status = fy_store_bytes(run->store, &held);
    if (status == FORAY_OK && said > held)
        status = fy_store_damaged(run->store, "its episodes are larger than the file");
    return status;
}

/* Summed, since SQLite counts rows in a single step, which nothing would interrupt. */
foray_status fy_run_check_counts(foray_run *run)
{
    const fy_head *head = &run->store->head;
    const tally tallies[] = {
        {"batches of episodes", "SELECT ifnull(sum(1), 0) FROM episodes", head->batches},
        {"episodes", "SELECT ifnull(sum(count), 0) FROM episodes", head->episodes},
        {"episodes", "SELECT ifnull(max(first + count), 0) FROM episodes", head->episodes},
        {"points of its trace", "SELECT ifnull(sum(1), 0) FROM trace", head->points},
        {"plans", "SELECT ifnull(sum(1), 0) FROM plan", head->plans},
        /* One for episodes to come would be believed when they have come. */
        {"checkpoints of episodes that are not in it",
         "SELECT ifnull(sum(checkpoint.episodes NOT BETWEEN 0 AND head.episodes), 0)"
         " FROM checkpoint, head",
         0},
    };
    for (size_t i = 0; i < sizeof tallies / sizeof tallies[0]; i++) {
        int64_t found;
        foray_status status = fy_store_number(run->store, tallies[i].sql, &found);
        if (status != FORAY_OK)
            return status;
        if (found != tallies[i].expected)
            return fy_store_damaged(run->store,
                                    "it has %" PRId64 " %s where %" PRId64 " were saved", found,
                                    tallies[i].what, tallies[i].expected);
    }
    return check_bytes(run);
}
