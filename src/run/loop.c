/* loop.c - the episode loop: play, record, save now and then.
 *
 *   for k = 0, 1, ...
 *     where the trace is due a point: bound for all rewards; stop if <= until
 *     s_0 from the world; for each step: act, step, observe; end; record
 *     every half second or so: save, tell how it goes
 *
 * A trajectory depends on (seed, episode, step) and the actions alone, points
 * of the trace are due at fixed k, and nothing here depends on the clock but
 * when to save: an interrupted run continues as if nothing had happened. No
 * memory is allocated but by SQLite and for checkpoints. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

#include "world/world.h"

typedef struct loop {
    foray_run *run;
    foray_world *world;
    foray_progress_fn progress;
    void *user;
    bool *may_start; /* [states] */
    int64_t next_point;
    bool stopped;
    /* Clocks are read every `stride` episodes: often enough to be prompt in
     * slow worlds, rarely enough to cost nothing in fast ones. */
    double started, looked, committed, reported;
    int64_t stride, until_look;
} loop;

static const double report_gap_seconds = 0.1;
static const double look_gap_seconds = 0.01;
enum { MOST_STRIDE = 64 };

/* ------------------------------------------------------------------- trace */

/* Where the trace has points: each n is about a tenth (with a target to stop
 * at), or a half, above the one before. The first such n >= k. */
static int64_t next_point(int64_t k, bool dense)
{
    int64_t n = 1;
    while (n < k) {
        int64_t gap = dense ? n / 10 : n / 2;
        n += gap > 0 ? gap : 1;
    }
    return n;
}

static foray_status measure_if_due(loop *l)
{
    foray_run *run = l->run;
    int64_t k = run->explorer->episodes;
    bool dense = run->settings.until > 0.0;
    if (k < l->next_point && k < run->settings.episodes && !run->measure_now)
        return FORAY_OK;
    l->next_point = next_point(k + 1, dense);
    run->measure_now = false;
    return run->last.episodes != k ? fy_run_measure(run) : FORAY_OK;
}

static bool target_met(const foray_run *run)
{
    return run->settings.until > 0.0 && run->last.episodes == run->explorer->episodes &&
           run->last.bound <= run->settings.until;
}

/* ----------------------------------------------------------------- episode */

/* The world's message, if it has a context of its own. */
static foray_status world_failed(loop *l)
{
    foray_context *ctx = l->run->ctx;
    const foray_context *other = fy_world_context(l->world);
    if (other != ctx)
        fy_fail(ctx, FORAY_ERROR_WORLD, "%s", foray_message(other));
    return FORAY_ERROR_WORLD;
}

static foray_status first_state(loop *l, foray_draw *draw, int64_t *state)
{
    if (foray_world_reset(l->world, draw, state) != FORAY_OK)
        return world_failed(l);
    if (*state < l->run->codec.states && l->may_start[*state])
        return FORAY_OK;
    return fy_fail(l->run->ctx, FORAY_ERROR_WORLD,
                   "episode %lld started in state %lld, which the model rules out",
                   (long long)draw->episode, (long long)*state);
}

static foray_status play_steps(loop *l, foray_draw *draw, int64_t state)
{
    foray_run *run = l->run;
    foray_explorer *explorer = run->explorer;
    for (int64_t t = 0; t < run->codec.horizon; t++) {
        int64_t action, next;
        foray_status status = foray_explorer_query(explorer, &state);
        if (status == FORAY_OK)
            status = foray_explorer_act(explorer, state, &action);
        if (status != FORAY_OK)
            return status;
        draw->step = (uint32_t)t + 1;
        if (foray_world_step(l->world, draw, state, action, &next) != FORAY_OK)
            return world_failed(l);
        status = foray_explorer_observe(explorer, state, action, next);
        if (status != FORAY_OK)
            return status;
        run->actions[t] = (int32_t)action;
        run->states[run->codec.stride * t] = (int32_t)state;
        run->states[run->codec.stride * t + 1] = (int32_t)next;
        state = next;
    }
    return foray_explorer_end(explorer);
}

static foray_status play_episode(loop *l)
{
    foray_run *run = l->run;
    foray_draw draw = {.seed = (uint64_t)run->settings.seed,
                       .episode = (uint64_t)run->explorer->episodes};
    int64_t state;
    foray_status status = first_state(l, &draw, &state);
    if (status != FORAY_OK)
        return status;
    status = foray_explorer_begin(run->explorer);
    if (status == FORAY_OK)
        status = play_steps(l, &draw, state);
    if (status != FORAY_OK) {
        run->spoilt = run->explorer->step >= 0;
        return status;
    }
    return fy_run_append(run, run->states, run->actions);
}

/* ------------------------------------------------------------------ clocks */

static void report(loop *l, double now)
{
    if (l->progress == NULL)
        return;
    const foray_run *run = l->run;
    foray_progress progress = {.episodes = run->explorer->episodes,
                               .saved = run->store->head.episodes,
                               .budget = run->settings.episodes,
                               .plans = run->explorer->plans,
                               .bound = run->last.bound,
                               .seconds = now - l->started};
    l->reported = now;
    l->stopped = !l->progress(l->user, &progress);
}

/* Doubles or halves the stride towards a look every 10 ms. */
static void adapt_stride(loop *l, double now)
{
    double took = now - l->looked;
    if (took < look_gap_seconds / 2 && l->stride < MOST_STRIDE)
        l->stride *= 2;
    else if (took > look_gap_seconds * 2 && l->stride > 1)
        l->stride /= 2;
    l->looked = now;
    l->until_look = l->stride;
}

static foray_status look_at_clock(loop *l)
{
    if (--l->until_look > 0)
        return FORAY_OK;
    double now = fy_clock();
    adapt_stride(l, now);
    bool commit = now - l->committed >= l->run->commit_gap;
    if (commit) {
        foray_status status = fy_run_commit(l->run, fy_run_checkpoint_due(l->run));
        if (status != FORAY_OK)
            return status;
        now = l->committed = fy_clock();
    }
    if (commit || now - l->reported >= report_gap_seconds)
        report(l, now);
    return FORAY_OK;
}

/* -------------------------------------------------------------------- loop */

static foray_status explore(loop *l)
{
    foray_run *run = l->run;
    for (;;) {
        if (l->stopped)
            return FORAY_INTERRUPTED;
        foray_status status = measure_if_due(l);
        if (status != FORAY_OK)
            return status;
        if (target_met(run))
            return FORAY_OK;
        if (run->explorer->episodes >= run->settings.episodes)
            return run->settings.until > 0.0 ? FORAY_TARGET_MISSED : FORAY_OK;
        status = play_episode(l);
        if (status == FORAY_OK)
            status = look_at_clock(l);
        if (status != FORAY_OK)
            return status;
    }
}

/* What ended is saved, whatever happened; the first message stays. */
static foray_status finish(loop *l, foray_status outcome)
{
    foray_context *ctx = l->run->ctx;
    if (outcome == FORAY_ERROR_IO || outcome == FORAY_ERROR_RUN)
        return outcome;
    char message[sizeof ctx->message];
    memcpy(message, ctx->message, sizeof message);
    foray_status saved = fy_run_commit(l->run, true);
    if (outcome < 0)
        memcpy(ctx->message, message, sizeof message);
    else if (saved != FORAY_OK)
        return saved;
    if (outcome >= 0)
        report(l, fy_clock());
    return outcome;
}

static foray_status mark_starts(loop *l)
{
    const foray_model *model = l->run->model;
    if (!FY_ALLOC(l->run->ctx, l->may_start, model->states))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < model->initials; i++)
        l->may_start[model->initial_state[i]] = true;
    return FORAY_OK;
}

static foray_status check_ready(foray_run *run)
{
    foray_status status = fy_run_writable(run);
    if (status == FORAY_OK &&
        (run->explorer->step >= 0 || run->explorer->episodes != fy_run_recorded(run)))
        status = fy_fail(run->ctx, FORAY_ERROR_USAGE,
                         "%s: end and record the episode under way before exploring on",
                         run->store->path);
    return status;
}

foray_status foray_run_explore(foray_run *run, foray_world *world, foray_progress_fn progress,
                               void *user)
{
    foray_status status = check_ready(run);
    if (status != FORAY_OK)
        return status;
    double now = fy_clock();
    loop l = {.run = run,
              .world = world,
              .progress = progress,
              .user = user,
              .next_point = next_point(run->explorer->episodes, run->settings.until > 0.0),
              .started = now,
              .looked = now,
              .committed = now,
              .reported = now,
              .stride = 1,
              .until_look = 1};
    status = mark_starts(&l);
    if (status != FORAY_OK)
        return status;
    if (!fy_world_is_of_model(world))
        run->other_source = true;
    status = finish(&l, explore(&l));
    free(l.may_start);
    return status;
}
