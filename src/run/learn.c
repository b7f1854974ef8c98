/* learn.c - runs that are learnt from recorded episodes instead of played. */
#include "data/episodes.h"
#include "run/run.h"

#include <inttypes.h>
#include <string.h>

static foray_status check_run(foray_run *run)
{
    foray_status status = fy_run_writable(run);
    if (status != FORAY_OK || run->codec.recorded)
        return status;
    return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                   "%s: explored by %s: recorded episodes cannot be added to what it did",
                   run->store->path, run->settings.algorithm);
}

/* The episode as it is stored: no actions and the last state after its end. */
static foray_status learn_one(foray_run *run, int64_t steps, const int32_t *states,
                              const int32_t *actions, bool done)
{
    bool ends = done && steps < run->codec.horizon && run->codec.ends > 1;
    foray_status status = fy_explorer_learn(run->explorer, steps, states, actions, ends);
    if (status != FORAY_OK)
        return status;
    if (run->source == FY_SOURCE_MODEL)
        run->source = FY_SOURCE_OTHER;
    for (int64_t t = 0; t <= run->codec.horizon; t++)
        run->states[t] = states[t < steps ? t : steps];
    for (int64_t t = 0; t < run->codec.horizon; t++)
        run->actions[t] = t < steps ? actions[t] : ends ? FORAY_TERMINATED : FORAY_TRUNCATED;
    return fy_run_append(run, run->states, run->actions);
}

foray_status foray_run_learn(foray_run *run, int64_t steps, const int32_t *states,
                             const int32_t *actions)
{
    foray_status status = check_run(run);
    return status == FORAY_OK ? learn_one(run, steps, states, actions, false) : status;
}

/* ------------------------------------------------------------------------- from a file */

typedef struct learning {
    foray_run *run;
    foray_progress_fn progress;
    void *user;
    const char *path;
    int64_t found; /* episodes in the file when they were counted */
    int64_t budget, next_point;
    double started, looked, committed;
} learning;

static foray_status count_one(void *user, const fy_recorded_episode *episode)
{
    (void)episode;
    ++*(int64_t *)user;
    return FORAY_OK;
}

static bool goes_on(learning *l, double now)
{
    const foray_run *run = l->run;
    const foray_progress progress = {.episodes = run->explorer->episodes,
                                     .saved = run->store->head.episodes,
                                     .budget = l->budget,
                                     .plans = run->explorer->plans,
                                     .bound = run->last.bound,
                                     .seconds = now - l->started};
    l->looked = now;
    return !l->progress || l->progress(l->user, &progress);
}

/* The number of episodes is a setting that guarantees rest on: no more, and no fewer. */
static foray_status file_changed(const learning *l)
{
    return fy_fail(l->run->ctx, FORAY_ERROR_INPUT,
                   "%s: changed while it was read: there were %" PRId64 " episodes in it", l->path,
                   l->found);
}

/* The same pace as exploring has: points of the trace at fixed k, saving by the clock. */
static foray_status take_one(void *user, const fy_recorded_episode *episode)
{
    learning *l = user;
    foray_run *run = l->run;
    if (run->explorer->episodes == l->budget)
        return file_changed(l);
    foray_status status =
        learn_one(run, episode->steps, episode->states, episode->actions, episode->done);
    int64_t k = run->explorer->episodes;
    if (status == FORAY_OK && k >= l->next_point) {
        l->next_point = fy_run_next_point(k + 1, false);
        status = fy_run_measure(run);
    }
    if (status != FORAY_OK || k % 64 != 0)
        return status;
    double now = fy_clock();
    if (now - l->committed >= run->commit_gap) {
        status = fy_run_commit(run, fy_run_checkpoint_due(run));
        l->committed = fy_clock();
    }
    if (status == FORAY_OK && now - l->looked >= 0.1 && !goes_on(l, now))
        status = FORAY_INTERRUPTED;
    return status;
}

/* The number of episodes is known before the first is learnt, and becomes the run's. */
static foray_status set_budget(foray_run *run, int64_t budget)
{
    if (budget <= run->settings.episodes && run->explorer->episodes > 0)
        return FORAY_OK;
    foray_settings changed = run->settings;
    changed.episodes = budget;
    return fy_run_change_settings(run, &changed);
}

foray_status foray_run_learn_file(foray_run *run, const char *path, foray_progress_fn progress,
                                  void *user)
{
    int64_t episodes = 0;
    foray_status status = check_run(run);
    if (status == FORAY_OK)
        status = fy_data_read(run->ctx, run->model, path, count_one, &episodes);
    if (status == FORAY_ERROR_WORLD)
        status = FORAY_ERROR_INPUT;
    if (status == FORAY_OK && episodes == 0)
        status = fy_fail(run->ctx, FORAY_ERROR_INPUT, "%s: no episodes", path);
    learning l = {.run = run, .progress = progress, .user = user, .path = path, .found = episodes};
    l.budget = run->explorer->episodes + episodes;
    l.next_point = fy_run_next_point(run->explorer->episodes + 1, false);
    l.started = l.looked = l.committed = fy_clock();
    if (status == FORAY_OK)
        status = set_budget(run, l.budget);
    if (status == FORAY_OK)
        status = fy_data_read(run->ctx, run->model, path, take_one, &l);
    if (status == FORAY_OK && run->explorer->episodes != l.budget)
        status = file_changed(&l);
    if (status != FORAY_OK && status != FORAY_INTERRUPTED)
        return status;
    foray_status saved = FORAY_OK;
    if (run->last.episodes != run->explorer->episodes)
        saved = fy_run_measure(run);
    if (saved == FORAY_OK)
        saved = fy_run_commit(run, true);
    if (saved == FORAY_OK)
        saved = fy_store_merge_log(run->store);
    (void)goes_on(&l, fy_clock());
    return saved == FORAY_OK ? status : saved;
}
