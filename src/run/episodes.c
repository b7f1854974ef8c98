/* episodes.c - the episodes of a run: as bytes, and told to an explorer again.
 *
 * Explorers are deterministic: from a checkpoint, or from nothing, the recorded episodes lead to
 * the state that exploring had reached, to the last bit. */
#include "run/run.h"

#include <inttypes.h>
#include <stdlib.h>

/* ------------------------------------------------------------------- bytes */

static int width_for(int64_t count)
{
    return count <= 1 << 8 ? 1 : count <= 1 << 16 ? 2 : 4;
}

fy_codec fy_codec_for(const foray_model *model, fy_episode_kind kind)
{
    fy_codec codec = {.states = foray_model_states(model),
                      .actions = foray_model_actions(model),
                      .horizon = foray_model_horizon(model),
                      .stride = kind == FY_EPISODE_QUERIES ? 2 : 1,
                      .recorded = kind == FY_EPISODE_RECORDED};
    bool room = width_for(codec.actions + 1) == width_for(codec.actions);
    codec.ends = foray_model_is_unstructured(model)                    ? 2
                 : codec.recorded || (room && kind == FY_EPISODE_WALK) ? 1
                                                                       : 0;
    codec.episode_states = codec.stride * (codec.horizon - 1) + 2;
    codec.state_bytes = width_for(codec.states);
    codec.action_bytes = width_for(codec.actions + codec.ends);
    codec.episode_bytes = (size_t)codec.episode_states * (size_t)codec.state_bytes +
                          (size_t)codec.horizon * (size_t)codec.action_bytes;
    return codec;
}

void fy_pack(const int32_t *value, int64_t count, int width, uint8_t *out)
{
    if (width == 1) {
        for (int64_t i = 0; i < count; i++)
            out[i] = (uint8_t)value[i];
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        for (int byte = 0; byte < width; byte++)
            out[i * width + byte] = (uint8_t)((uint32_t)value[i] >> (8 * byte));
    }
}

bool fy_unpack(const uint8_t *data, int64_t count, int width, int64_t limit, int32_t *out)
{
    bool valid = true;
    for (int64_t i = 0; i < count; i++) {
        uint32_t value = 0;
        for (int byte = 0; byte < width; byte++)
            value |= (uint32_t)data[i * width + byte] << (8 * byte);
        valid = valid && value < limit;
        out[i] = (int32_t)value;
    }
    return valid;
}

void fy_codec_encode(const fy_codec *codec, const int32_t *states, const int32_t *actions,
                     uint8_t *out)
{
    fy_pack(states, codec->episode_states, codec->state_bytes, out);
    out += codec->episode_states * codec->state_bytes;
    fy_pack(actions, codec->horizon, codec->action_bytes, out);
    for (int64_t t = codec->horizon; codec->ends > 0 && t > 0 && actions[t - 1] < 0; t--) {
        const int32_t ended = (int32_t)codec->actions + FORAY_TRUNCATED - actions[t - 1];
        fy_pack(&ended, 1, codec->action_bytes, out + (t - 1) * codec->action_bytes);
    }
}

bool fy_codec_decode(const fy_codec *codec, const uint8_t *data, int32_t *states, int32_t *actions)
{
    bool valid = fy_unpack(data, codec->episode_states, codec->state_bytes, codec->states, states);
    data += codec->episode_states * codec->state_bytes;
    valid &=
        fy_unpack(data, codec->horizon, codec->action_bytes, codec->actions + codec->ends, actions);
    int32_t last = actions[codec->horizon - 1], max = (int32_t)codec->actions;
    for (int64_t t = codec->horizon; last >= max && t > 0 && actions[t - 1] == last; t--)
        actions[t - 1] = FORAY_TRUNCATED - (last - max);
    for (int64_t t = 0; t < codec->horizon; t++) /* none after the end, but one before it */
        valid &= actions[t] < codec->actions && (t > 0 || actions[t] >= 0);
    return valid;
}

/* ---------------------------------------------------------------- episodes */

typedef struct batch {
    int64_t first, count;
    const uint8_t *data;
} batch;

/* The next batch, whole and in its place: false at the end, or if the row says why not. */
static bool next_batch(foray_run *run, fy_row *row, int64_t expected, batch *out)
{
    if (!fy_row_next(row))
        return false;
    size_t size;
    out->first = fy_row_int(row);
    out->count = fy_row_int(row);
    out->data = fy_row_blob(row, &size);
    if (!fy_row_intact(row))
        return false;
    bool in_place = expected < 0 || out->first == expected;
    bool whole = out->count > 0 && size / run->codec.episode_bytes == (size_t)out->count &&
                 size % run->codec.episode_bytes == 0;
    row->damaged = !in_place || !whole;
    return !row->damaged;
}

static foray_status each_of_batch(foray_run *run, const batch *now, int64_t first, fy_episode_fn fn,
                                  void *user)
{
    int64_t start = first > now->first ? first - now->first : 0;
    for (int64_t i = start; i < now->count; i++) {
        const uint8_t *data = now->data + (size_t)i * run->codec.episode_bytes;
        if (!fy_codec_decode(&run->codec, data, run->states, run->actions))
            return fy_store_damaged(run->store,
                                    "episode %" PRId64 " has a state or action out of range",
                                    (now->first + i));
        foray_status status = fn(user, now->first + i, run->states, run->actions);
        if (status != FORAY_OK)
            return status;
    }
    return FORAY_OK;
}

/* A writer may be adding batches while we read: `saved` is where we stop. */
foray_status fy_run_each(foray_run *run, int64_t first, fy_episode_fn fn, void *user)
{
    int64_t saved = run->store->head.episodes, expected = -1;
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
        status = each_of_batch(run, &now, first, fn, user);
        expected = now.first + now.count;
    }
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
    foray_status status = run->codec.recorded ? learn_again(run, explorer, states, actions)
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
    if (status != FORAY_OK)
        return status;
    return fy_run_each(run, run->explorer->episodes, replay_one, run);
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
