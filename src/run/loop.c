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
 * memory is allocated but by SQLite and for checkpoints.
 *
 * Targets are rewards that a run explores for until each of them is certified. They are kept as
 * texts beside the settings, so that a resumed run stops where it would have. */
#include "run/run.h"
#include "policy/policy.h"
#include "reward/reward.h"
#include "run/ahead.h"
#include "world/world.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t foray_run_targets(const foray_run *run)
{
    return run->targets;
}

const foray_reward *foray_run_target(const foray_run *run, int64_t index)
{
    return index >= 0 && index < run->targets ? run->target[index] : NULL;
}

void fy_run_close_targets(foray_run *run)
{
    for (int64_t i = 0; i < run->targets; i++)
        foray_reward_destroy(run->target[i]);
    free(run->target);
    run->target = NULL;
    run->targets = run->hardest = 0;
}

/* ----------------------------------------------------------------- the file */

static void name_target(int64_t i, char name[40])
{
    fy_format(name, 40, "target_%" PRId64, i);
}

/* "targets" says how many there are. */
static foray_status put_targets(foray_run *run, int64_t count, const foray_reward *const *rewards)
{
    char number[32], name[40];
    fy_format(number, sizeof number, "%" PRId64, count);
    foray_status status = fy_store_put_meta(run->store, "targets", number);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        char *text;
        status = foray_reward_print(run->ctx, rewards[i], &text, NULL);
        if (status != FORAY_OK)
            break;
        name_target(i, name);
        status = fy_store_put_meta(run->store, name, text);
        free(text);
    }
    return status;
}

static foray_status store_targets(foray_run *run, int64_t count, const foray_reward *const *rewards)
{
    foray_status status = fy_store_begin(run->store, true);
    if (status != FORAY_OK)
        return status;
    status = put_targets(run, count, rewards);
    if (status == FORAY_OK)
        return fy_store_commit(run->store, &run->store->head);
    fy_store_rollback(run->store);
    return status;
}

static foray_status load_target(foray_run *run, int64_t i)
{
    char *text, name[40];
    name_target(i, name);
    foray_status status = fy_store_get_meta(run->store, name, &text);
    if (status != FORAY_OK)
        return status;
    status = foray_reward_parse(run->ctx, run->model, text, strlen(text), run->store->path,
                                &run->target[i]);
    free(text);
    bool sense = status != FORAY_ERROR_INPUT && status != FORAY_ERROR_USAGE;
    return sense ? status : FORAY_ERROR_RUN;
}

foray_status fy_run_load_targets(foray_run *run)
{
    char *text;
    int64_t count = 0, texts = 0;
    foray_status status = fy_store_number(run->store, "SELECT ifnull(sum(1), 0) FROM meta", &texts);
    if (status == FORAY_OK)
        status = fy_store_get_meta(run->store, "targets", &text);
    if (status != FORAY_OK)
        return status;
    /* Each has a text of its own. */
    bool read = foray_integer_read(text, &count) && count >= 0 && count < texts;
    free(text);
    if (!read)
        return fy_store_damaged(run->store, "the number of its targets is impossible");
    if (count > 0 && !FY_ALLOC(run->ctx, run->target, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        status = load_target(run, i);
        run->targets += status == FORAY_OK;
    }
    return status;
}

/* ---------------------------------------------------------------- changing */

foray_status foray_run_set_targets(foray_run *run, int64_t count,
                                   const foray_reward *const *rewards)
{
    fy_certifier *sets;
    foray_reward **copy = NULL;
    foray_status status = fy_run_writable(run);
    if (status == FORAY_OK && count > 0 && !run->model->open) /* which has sets of its own */
        status = fy_explorer_need_sets(run->explorer, &sets);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        status = fy_reward_check(run->ctx, rewards[i], run->model);
    if (status == FORAY_OK && count > 0 && !FY_ALLOC(run->ctx, copy, count))
        status = FORAY_ERROR_MEMORY;
    int64_t copied = 0;
    for (; copied < count && status == FORAY_OK; copied++)
        status = fy_reward_copy(run->ctx, rewards[copied], &copy[copied]);
    if (status == FORAY_OK)
        status = store_targets(run, count, rewards);
    if (status != FORAY_OK) {
        for (int64_t i = 0; i < copied; i++)
            foray_reward_destroy(copy[i]);
        free(copy);
        return status;
    }
    fy_run_close_targets(run);
    run->target = copy;
    run->targets = count;
    run->measure_now = run->explorer->episodes > 0;
    return FORAY_OK;
}

/* ---------------------------------------------------------------- stopping */

/* How far a target is: not there, reached by a number that proves nothing, or met. */
typedef enum target { TARGET_OPEN, TARGET_REACHED, TARGET_MET } target;

/* At most `until`; 0 means up to rounding. */
static bool low_enough(const foray_run *run, double gap, double max)
{
    return gap <= run->settings.until ||
           (run->settings.until == 0 && fy_certificate_small(gap, max));
}

/* A proof meets the target. Numbers of other kinds only reach it, and those of a model that the
 * data refute mean nothing. */
static target target_of(const foray_run *run, const foray_certificate *certificate, double max)
{
    if (!low_enough(run, certificate->gap, max) || certificate->status == FORAY_REFUTED)
        return TARGET_OPEN;
    return fy_certificate_proves(certificate) ? TARGET_MET : TARGET_REACHED;
}

/* The least of all. The one that was not met last comes first: while there is one, the others need
 * no look. */
static foray_status check_rewards(foray_run *run, target *out)
{
    target min = TARGET_MET;
    for (int64_t i = 0; i < run->targets && min != TARGET_OPEN; i++) {
        int64_t at = (run->hardest + i) % run->targets;
        const foray_reward *const rewards[] = {run->target[at]};
        foray_policy *policy;
        foray_status status = foray_explorer_plan(run->explorer, 1, rewards, FORAY_PLUGIN, &policy);
        if (status != FORAY_OK)
            return status;
        fy_reward_unit unit = fy_reward_unit_of(run->target[at]);
        target one = target_of(run, &policy->certificate, fabs(unit.slope) * unit.max);
        foray_policy_destroy(policy);
        run->hardest = at;
        min = one < min ? one : min;
    }
    *out = min;
    return FORAY_OK;
}

/* Only where the trace has a point; elsewhere it is open. */
static foray_status check_target(foray_run *run, target *out)
{
    *out = TARGET_OPEN;
    if (run->settings.until < 0 || run->last.episodes != run->explorer->episodes)
        return FORAY_OK;
    if (run->targets > 0)
        return check_rewards(run, out);
    /* The trace knows numbers alone: what the last one is worth is asked for where it matters. */
    foray_certificate bound;
    double max = (double)run->model->horizon;
    if (!low_enough(run, run->last.bound, max))
        return FORAY_OK;
    foray_status status = foray_explorer_bound(run->explorer, &bound);
    if (status == FORAY_OK)
        *out = target_of(run, &bound, max);
    return status;
}

typedef struct loop {
    foray_run *run;
    foray_world *world;
    fy_ahead *ahead; /* several worlds at once; NULL: `world` alone */
    int64_t workers, discarded;
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
                               .discarded = l->discarded};
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
        target reached;
        status = check_target(run, &reached);
        if (status != FORAY_OK || reached == TARGET_MET)
            return status;
        if (reached == TARGET_REACHED) /* no data make a proof of it */
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
        saved = fy_store_merge_log(l->run->store);
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
        l->discarded = fy_ahead_end(l->ahead);
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
