/* loop.c - exploring: play, record, save now and then.
 *
 *   for k = 0, 1, ...
 *     where the trace is due a point: bound for all rewards; stop if the target is met
 *     play an episode (foray_explorer_play), record it
 *     every half second or so: save, tell how it goes
 *
 * A trajectory depends on (seed, episode, step) and the actions alone, points
 * of the trace are due at fixed k, and nothing here depends on the clock but
 * when to save: an interrupted run continues as if nothing had happened. No
 * memory is allocated but by SQLite and for checkpoints. */
#include "run/ahead.h"
#include "run/run.h"

#include <inttypes.h>
#include <string.h>

#include "world/world.h"

typedef struct loop {
    foray_run *run;
    foray_world *world;
    fy_ahead *ahead; /* several worlds at once; NULL: `world` alone */
    int64_t workers, thrown;
    foray_progress_fn progress;
    void *user;
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
int64_t fy_run_next_point(int64_t k, bool dense)
{
    int64_t n = 1;
    while (n < k) {
        int64_t gap = dense ? n / 10 : n / 2;
        n += gap > 0 ? gap : 1;
    }
    return n;
}

/* The bound for all rewards, where the trace is due a point. */
static foray_status measure_if_due(loop *l)
{
    foray_run *run = l->run;
    int64_t k = run->explorer->episodes;
    if (k < l->next_point && k < run->settings.episodes && !run->measure_now)
        return FORAY_OK;
    l->next_point = fy_run_next_point(k + 1, run->settings.until >= 0.0);
    run->measure_now = false;
    return run->last.episodes != k ? fy_run_measure(run) : FORAY_OK;
}

/* ------------------------------------------------------------------ clocks */

static void report(loop *l, double now)
{
    if (!l->progress)
        return;
    const foray_run *run = l->run;
    foray_progress progress = {.episodes = run->explorer->episodes,
                               .saved = run->store->head.episodes,
                               .budget = run->settings.episodes,
                               .plans = run->explorer->plans,
                               .bound = run->last.bound,
                               .seconds = now - l->started,
                               .workers = l->workers,
                               .thrown_away = l->thrown};
    l->reported = now;
    l->stopped = !l->progress(l->user, &progress);
}

static foray_status look_at_clock(loop *l)
{
    if (--l->until_look > 0)
        return FORAY_OK;
    /* Doubles or halves the stride towards a look every 10 ms. */
    double now = fy_clock(), took = now - l->looked;
    if (took < look_gap_seconds / 2 && l->stride < MOST_STRIDE)
        l->stride *= 2;
    else if (took > look_gap_seconds * 2 && l->stride > 1)
        l->stride /= 2;
    l->looked = now;
    l->until_look = l->stride;
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
    while (!l->stopped) {
        foray_status status = measure_if_due(l);
        run->spoilt |= status == FORAY_INTERRUPTED; /* the bound may have left half its work */
        if (status != FORAY_OK)
            return status;
        fy_target target;
        status = fy_run_judge_target(run, &target);
        if (status != FORAY_OK || target == FY_TARGET_MET)
            return status;
        if (target == FY_TARGET_REACHED) /* no data make a proof of it */
            return FORAY_TARGET_UNPROVED;
        if (run->explorer->episodes >= run->settings.episodes)
            return run->settings.until >= 0.0 ? FORAY_TARGET_MISSED : FORAY_OK;
        status = l->ahead ? fy_ahead_play(l->ahead, run->states, run->actions)
                          : foray_explorer_play(run->explorer, l->world, run->states, run->actions);
        run->spoilt = status != FORAY_OK && run->explorer->step >= 0;
        if (status == FORAY_OK)
            status = fy_run_append(run, run->states, run->actions);
        if (status == FORAY_OK)
            status = look_at_clock(l);
        if (status != FORAY_OK)
            return status;
    }
    return FORAY_INTERRUPTED;
}

/* What ended is saved, whatever happened; the first message stays. */
static foray_status save_what_ended(loop *l, foray_status outcome)
{
    foray_context *ctx = l->run->ctx;
    if (outcome == FORAY_ERROR_IO || outcome == FORAY_ERROR_RUN)
        return outcome;
    char message[sizeof ctx->message];
    memcpy(message, ctx->message, sizeof message);
    foray_status saved = fy_run_commit(l->run, true);
    if (saved == FORAY_OK && outcome >= 0)
        saved = fy_store_settle(l->run->store);
    if (outcome < 0)
        memcpy(ctx->message, message, sizeof message);
    else if (saved != FORAY_OK)
        return saved;
    if (outcome >= 0)
        report(l, fy_clock());
    return outcome;
}

/* With a thread for each of several worlds, where the algorithm allows it. */
static foray_status explore_with(loop *l, int64_t workers, foray_world *const *worlds)
{
    foray_run *run = l->run;
    foray_status status = FORAY_OK;
    if (workers > 1 && foray_explorer_ahead(run->explorer) == FORAY_AHEAD_PLAYS) {
        l->workers = workers;
        status = fy_ahead_create(run->explorer, workers, worlds, run->settings.episodes, &l->ahead);
    }
    if (status == FORAY_OK)
        status = explore(l);
    if (l->ahead)
        l->thrown = fy_ahead_end(l->ahead);
    return status;
}

foray_status foray_run_explore(foray_run *run, foray_world *world, foray_progress_fn progress,
                               void *user)
{
    return foray_run_explore_with(run, 1, &world, progress, user);
}

/* Can the run go on from here? */
static foray_status check_explorable(foray_run *run, int64_t workers)
{
    foray_status status = fy_run_writable(run);
    if (status == FORAY_OK && workers < 1)
        status =
            fy_fail(run->ctx, FORAY_ERROR_USAGE, "%" PRId64 " workers cannot explore", workers);
    if (status != FORAY_OK)
        return status;
    if (run->codec.recorded)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "%s: learnt from recorded data, and cannot go on exploring; more data are "
                       "added by 'foray learn --append'",
                       run->store->path);
    if (run->explorer->step >= 0 || run->explorer->episodes != fy_run_recorded(run))
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "%s: end and record the current episode before exploring further",
                       run->store->path);
    return FORAY_OK;
}

foray_status foray_run_explore_with(foray_run *run, int64_t workers, foray_world *const *worlds,
                                    foray_progress_fn progress, void *user)
{
    foray_status status = check_explorable(run, workers);
    if (status != FORAY_OK)
        return status;
    double now = fy_clock();
    loop l = {.run = run,
              .world = worlds[0],
              .workers = 1,
              .progress = progress,
              .user = user,
              .next_point = fy_run_next_point(run->explorer->episodes, run->settings.until >= 0.0),
              .started = now,
              .looked = now,
              .committed = now,
              .reported = now,
              .stride = 1,
              .until_look = 1};
    if (!fy_world_is_of_model(l.world) && run->source == FY_SOURCE_MODEL)
        run->source = FY_SOURCE_OTHER;
    if (fy_world_is_through_clusters(l.world))
        foray_explorer_through_clusters(run->explorer);
    return save_what_ended(&l, explore_with(&l, workers, worlds));
}
