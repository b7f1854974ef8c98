/* trial.c - one run of one algorithm with one seed, measured at checkpoints.
 *
 *   for k = 1, 2, ... episodes, or until the time is over
 *     play an episode, as foray_run does with this seed
 *     at k = 10^(i/per_decade) and at the end: gaps, bound, states covered, size, times
 *
 * Only exploring is timed, not measuring: by the clock for the limit, by the processor
 * time of the thread per episode, so that what else the machine does matters less. */
#include "compare/trial.h"
#include "policy/policy.h"
#include "base/maths.h"

#include <math.h>
#include <stdlib.h>

typedef struct trial_run {
    foray_context *ctx;
    const fy_trial *what;
    foray_explorer *explorer;
    foray_world *world;
    fy_worst_search *search;
    int32_t *episode;       /* states of the last one */
    int64_t episode_states; /* how many: horizon + 1, or 2 horizon (foray_run_record) */
    bool *visited;          /* [states] */
    double explored;        /* seconds spent exploring */
    double computed;        /* the same of the processor */
    double told;            /* when somebody was last told how far this is */
    int64_t last_episode;   /* of the checkpoint before */
    double last_computed;   /* processor seconds up to there */
    fy_rows *rows;
} trial_run;

#define COLUMN(name_, help_)                                                                       \
    [FY_M_##name_] = {.name = #name_, .help = (help_), .both = FY_M_##name_ == FY_M_episode},
#define TIME(name_, help_) [FY_M_##name_] = {.name = #name_, .help = (help_), .time = true},
const fy_lab_column fy_trial_columns[FY_M_ALL] = {FY_MEASURES(COLUMN) FY_TIMES(TIME)};

foray_status fy_trial_explorer(foray_context *ctx, const fy_trial *trial, foray_explorer **out)
{
    foray_explorer *explorer;
    bool needs_reward = foray_algorithm_needs_reward(trial->settings.algorithm);
    if (needs_reward && !trial->reward)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "explores for one reward, and none is given");
    foray_status status = foray_explorer_create(ctx, trial->model, &trial->settings, &explorer);
    if (status != FORAY_OK)
        return status;
    if (needs_reward)
        status = foray_explorer_give_reward(explorer, trial->reward);
    if (status == FORAY_OK)
        *out = explorer;
    else
        foray_explorer_destroy(explorer);
    return status;
}

int64_t fy_next_checkpoint(int64_t episode, int64_t last, int per_decade)
{
    for (int i = 0;; i++) {
        double at = rint(fy_pow(10.0, (double)i / per_decade));
        if (at >= (double)last)
            return last;
        if (at > (double)episode)
            return (int64_t)at;
    }
}

/* ----------------------------------------------------------------------- episodes */

/* Says how far the run is, by episodes or by time, whichever ends it first; not in every episode,
 * so that runs need not wait for each other. False: stop. */
static bool pass_progress(trial_run *r, int64_t k, double now)
{
    static const double seconds_between = 0.02;
    double limit = r->what->seconds, done = (double)k / (double)r->what->settings.episodes;
    if (now - r->told < seconds_between)
        return true;
    r->told = now;
    if (limit > 0.0)
        done = fmax(done, r->explored / limit);
    return fy_lab_progress(r->what->lab, r->what->cell, fmin(1.0, done));
}

/* Plays up to episode `until` or the end of the time; *k counts the episodes ended. */
static foray_status play_until(trial_run *r, int64_t until, int64_t *k)
{
    double limit = r->what->seconds, began = fy_clock(), before = r->explored;
    double computed = fy_thread_seconds();
    foray_status status = FORAY_OK;
    while (*k < until && status == FORAY_OK) {
        status = foray_explorer_play(r->explorer, r->world, r->episode, NULL);
        for (int64_t i = 0; i < r->episode_states && status == FORAY_OK; i++)
            r->visited[r->episode[i]] = true;
        *k += status == FORAY_OK;
        double now = fy_clock();
        r->explored = before + now - began;
        if (status == FORAY_OK && !pass_progress(r, *k, now))
            status = FORAY_INTERRUPTED;
        if (limit > 0.0 && r->explored >= limit)
            break;
    }
    r->computed += fy_thread_seconds() - computed;
    return status;
}

/* ---------------------------------------------------------------------- measuring */

/* Worst and mean gap of each family, of all of them, and of the adversary's reward. */
static foray_status measure_gaps(trial_run *r, double *row)
{
    double sum = 0.0, count = 0.0, worst = 0.0;
    foray_status status = fy_worst_search_run(r->ctx, r->search, r->explorer, r->what->mode,
                                              r->what->rounds, &row[FY_M_adversary], NULL);
    for (int f = 0; f < FY_FAMILIES; f++) {
        const fy_gaps *gaps = &r->search->gaps[f];
        double size = (double)r->search->family[f]->count;
        row[FY_M_goals_worst + 2 * f] = gaps->worst;
        row[FY_M_goals_mean + 2 * f] = gaps->mean;
        sum += gaps->mean * size;
        count += size;
        worst = fmax(worst, gaps->worst);
    }
    row[FY_M_mean] = sum / count;
    row[FY_M_worst] = fmax(worst, row[FY_M_adversary]);
    return status;
}

/* The gap of the reward that was given to explore for, if there is one. */
static foray_status measure_given(trial_run *r, double *row)
{
    const foray_reward *reward = r->what->reward;
    foray_policy *policy;
    row[FY_M_given] = NAN;
    if (!reward)
        return FORAY_OK;
    foray_status status = foray_explorer_plan(r->explorer, 1, &reward, r->what->mode, &policy);
    if (status != FORAY_OK)
        return status;
    status = fy_policy_fill(r->ctx, r->what->model, policy);
    if (status == FORAY_OK)
        row[FY_M_given] = fy_gap(r->what->model, fy_truth_best(r->search->truth, reward, NULL),
                                 fy_truth_value(r->search->truth, reward, policy->action));
    foray_policy_destroy(policy);
    return status;
}

/* What the explorer promises for all rewards, and how much it must remember. An algorithm
 * without such a bound has an infinite one. */
static foray_status measure_explorer(trial_run *r, double *row)
{
    foray_certificate bound = {.gap = INFINITY};
    uint8_t *data;
    size_t size;
    foray_status status = foray_explorer_bound(r->explorer, FORAY_KIND_PAIR, &bound);
    if (status != FORAY_OK && status != FORAY_ERROR_USAGE)
        return status;
    row[FY_M_bound] = bound.gap;
    row[FY_M_certified] = bound.status == FORAY_CERTIFIED && isfinite(bound.gap);
    status = foray_explorer_save(r->explorer, &data, &size);
    if (status != FORAY_OK)
        return status;
    free(data);
    row[FY_M_memory] = (double)size;
    return FORAY_OK;
}

static foray_status add_checkpoint(trial_run *r, int64_t k)
{
    double row[FY_M_ALL] = {[FY_M_episode] = (double)k};
    foray_status status = measure_gaps(r, row);
    if (status == FORAY_OK)
        status = measure_given(r, row);
    if (status == FORAY_OK)
        status = measure_explorer(r, row);
    if (status != FORAY_OK)
        return status;
    for (int64_t s = 0; s < r->what->model->states; s++)
        row[FY_M_covered] += r->visited[s];
    row[FY_M_seconds] = r->explored;
    row[FY_M_per_episode] = (r->computed - r->last_computed) / (double)(k - r->last_episode);
    r->last_episode = k;
    r->last_computed = r->computed;
    return fy_rows_add(r->ctx, r->rows, row);
}

/* -------------------------------------------------------------------------- a run */

static foray_status open_trial_run(trial_run *r)
{
    const foray_model *model = r->what->model;
    foray_status status = fy_trial_explorer(r->ctx, r->what, &r->explorer);
    if (status == FORAY_OK)
        status = foray_world_from_model(r->ctx, model, &r->world);
    if (status == FORAY_OK)
        status = fy_worst_search_share(r->ctx, model, r->what->family, &r->search);
    if (status != FORAY_OK)
        return status;
    bool generative = foray_algorithm_is_generative(r->what->settings.algorithm);
    r->episode_states = generative ? 2 * model->horizon : model->horizon + 1;
    bool complete = FY_ALLOC(r->ctx, r->episode, r->episode_states) &&
                    FY_ALLOC(r->ctx, r->visited, model->states);
    return complete ? FORAY_OK : FORAY_ERROR_MEMORY;
}

foray_status fy_trial_run(foray_context *ctx, const fy_trial *trial, fy_rows *rows)
{
    trial_run r = {.ctx = ctx, .what = trial, .rows = rows};
    foray_status status = open_trial_run(&r);
    int64_t k = 0, last = trial->settings.episodes;
    bool over = false;
    while (status == FORAY_OK && k < last && !over) {
        int64_t due = fy_next_checkpoint(k, last, trial->per_decade);
        status = play_until(&r, due, &k);
        over = k < due;
        if (status == FORAY_OK)
            status = add_checkpoint(&r, k);
    }
    foray_explorer_destroy(r.explorer);
    foray_world_destroy(r.world);
    fy_worst_search_destroy(r.search);
    free(r.episode);
    free(r.visited);
    return status;
}

/* ------------------------------------------------------------------------- K(eps) */

double fy_learning_time(const fy_looks *looks, double eps, double delta, const int64_t *pick)
{
    const double rounding = 1e-9;
    double needed = (1.0 - delta) * (double)looks->runs - rounding, time = INFINITY;
    for (int64_t k = looks->count; k-- > 0;) {
        int64_t good = 0;
        for (int64_t i = 0; i < looks->runs; i++) {
            const fy_rows *run = &looks->rows[pick ? pick[i] : i];
            good += fy_rows_at(run, k)[looks->gap] <= eps;
        }
        if ((double)good < needed)
            break;
        time = fy_rows_at(looks->rows, k)[looks->episode];
    }
    return time;
}
