/* trial.c - one run of one algorithm with one seed, measured at checkpoints.
 *
 *   for k = 1, 2, ... episodes, or until the time is over
 *     play an episode, as foray_run does with this seed
 *     at k = 10^(i/per_decade) and at the end: gaps, bound, states covered, size, times
 *
 * Only exploring is timed, not measuring: by the clock for the limit, by the processor
 * time of the thread per episode, so that what else the machine does matters less. */
#include "compare/trial.h"
#include "base/maths.h"

#include <math.h>
#include <stdlib.h>

typedef struct run {
    foray_context *ctx;
    const fy_trial *what;
    foray_explorer *explorer;
    foray_world *world;
    fy_truth *truth;
    int32_t *episode;            /* states of the last one */
    int64_t episode_states;      /* how many: horizon + 1, or 2 horizon (foray_run_record) */
    bool *visited;               /* [states] */
    double explored;             /* seconds spent exploring */
    double computed;             /* the same of the processor */
    double told;                 /* when this was last told how far it is */
    int64_t last_episode;        /* of the checkpoint before */
    double last_computed;        /* processor seconds up to there */
    double *gap[FORAY_FAMILIES]; /* of each reward at this checkpoint */
    fy_rows *rows;
} run;

#define MEASURE_NAME(name, words) #name,
#define MEASURE_WORDS(name, words) words,
static const char *const measure_names[] = {FY_MEASURES(MEASURE_NAME) FY_TIMES(MEASURE_NAME)};
static const char *const measure_words[] = {FY_MEASURES(MEASURE_WORDS) FY_TIMES(MEASURE_WORDS)};

const char *fy_measure_name(int index)
{
    return measure_names[index];
}

const char *fy_measure_words(int index)
{
    return measure_words[index];
}

foray_status fy_families_create(foray_context *ctx, const foray_model *model, int64_t goals,
                                int64_t rewards, uint64_t seed,
                                foray_family *family[FORAY_FAMILIES])
{
    foray_status status = FORAY_OK;
    for (int f = 0; f < FORAY_FAMILIES && status == FORAY_OK; f++)
        status = foray_family_create(ctx, model, f, f == FORAY_GOALS ? goals : rewards, seed,
                                     &family[f]);
    return status;
}

void fy_families_destroy(foray_family *family[FORAY_FAMILIES])
{
    for (int f = 0; f < FORAY_FAMILIES; f++)
        foray_family_destroy(family[f]);
}

void fy_trial_name(fy_trial *trial, const char *algorithm)
{
    char *name = trial->settings.algorithm;
    size_t i = 0;
    for (; algorithm[i] && i + 1 < sizeof trial->settings.algorithm; i++)
        name[i] = algorithm[i];
    name[i] = 0;
}

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

/* How much of the run is done, by episodes or by time, whichever ends it first. */
static double part_done(const run *t, int64_t k, double explored)
{
    double limit = t->what->seconds;
    double episodes = (double)k / (double)t->what->settings.episodes;
    return fmin(1.0, limit > 0.0 ? fmax(episodes, explored / limit) : episodes);
}

/* Says how far the run is; not in every episode, so that runs need not wait for each
 * other. False: stop. */
static bool tell(run *t, int64_t k, double now)
{
    static const double seconds_between = 0.02;
    if (now - t->told < seconds_between)
        return true;
    t->told = now;
    return t->what->tell(t->what->user, part_done(t, k, t->explored));
}

/* Plays up to episode `until` or the end of the time; *k counts the episodes ended. */
static foray_status play_until(run *t, int64_t until, int64_t *k)
{
    double limit = t->what->seconds, began = fy_seconds(), before = t->explored;
    double computed = fy_thread_seconds();
    foray_status status = FORAY_OK;
    while (*k < until && status == FORAY_OK) {
        status = foray_explorer_play(t->explorer, t->world, t->episode, NULL);
        for (int64_t i = 0; i < t->episode_states && status == FORAY_OK; i++)
            t->visited[t->episode[i]] = true;
        *k += status == FORAY_OK;
        double now = fy_seconds();
        t->explored = before + now - began;
        if (status == FORAY_OK && !tell(t, *k, now))
            status = FORAY_INTERRUPTED;
        if (limit > 0.0 && t->explored >= limit)
            break;
    }
    t->computed += fy_thread_seconds() - computed;
    return status;
}

/* ---------------------------------------------------------------------- measuring */

/* The adversary starts from the two worst rewards of each family: one batch of lanes. */
static foray_status measure_adversary(run *t, foray_explorer_planner *planner, double *row)
{
    const foray_reward *start[2 * FORAY_FAMILIES];
    int64_t starts = 0;
    for (int f = 0; f < FORAY_FAMILIES; f++)
        starts += fy_two_worst(t->what->family[f], t->gap[f], start + starts);
    return fy_adversary(t->ctx, t->truth, foray_plan_with_explorer, planner, starts, start,
                        t->what->rounds, &row[FY_M_adversary], NULL);
}

static foray_status measure_gaps(run *t, double *row)
{
    foray_explorer_planner planner = {t->explorer, t->what->mode};
    double sum = 0.0, count = 0.0, worst = 0.0;
    foray_status status = FORAY_OK;
    for (int f = 0; f < FORAY_FAMILIES && status == FORAY_OK; f++) {
        const foray_family *family = t->what->family[f];
        foray_gaps gaps = {0};
        status = fy_measure(t->ctx, t->truth, family, foray_plan_with_explorer, &planner, t->gap[f],
                            &gaps);
        row[FY_M_goals_worst + 2 * f] = gaps.worst;
        row[FY_M_goals_mean + 2 * f] = gaps.mean;
        sum += gaps.mean * (double)foray_family_size(family);
        count += (double)foray_family_size(family);
        worst = fmax(worst, gaps.worst);
    }
    if (status == FORAY_OK)
        status = measure_adversary(t, &planner, row);
    row[FY_M_mean] = sum / count;
    row[FY_M_worst] = fmax(worst, row[FY_M_adversary]);
    return status;
}

static foray_status measure_given(run *t, double *row)
{
    const foray_reward *reward = t->what->reward;
    foray_policy *policy;
    row[FY_M_given] = NAN;
    if (!reward)
        return FORAY_OK;
    foray_status status = foray_explorer_plan(t->explorer, 1, &reward, t->what->mode, &policy);
    if (status != FORAY_OK)
        return status;
    row[FY_M_given] = fy_gap(t->what->model, fy_truth_best(t->truth, reward, NULL),
                             fy_truth_value(t->truth, reward, policy->action));
    foray_policy_destroy(policy);
    return FORAY_OK;
}

/* An algorithm without a bound for all rewards has an infinite one. */
static foray_status measure_bound(run *t, double *row)
{
    foray_certificate bound = {.gap = INFINITY};
    foray_status status = foray_explorer_bound(t->explorer, &bound);
    if (status != FORAY_OK && status != FORAY_ERROR_USAGE)
        return status;
    row[FY_M_bound] = bound.gap;
    row[FY_M_certified] = bound.certified && isfinite(bound.gap);
    return FORAY_OK;
}

static foray_status measure_size(run *t, double *row)
{
    uint8_t *data;
    size_t size;
    foray_status status = foray_explorer_save(t->explorer, &data, &size);
    if (status != FORAY_OK)
        return status;
    free(data);
    row[FY_M_memory] = (double)size;
    return FORAY_OK;
}

static foray_status checkpoint(run *t, int64_t k)
{
    double row[FY_M_ALL] = {[FY_M_episode] = (double)k};
    foray_status status = measure_gaps(t, row);
    if (status == FORAY_OK)
        status = measure_given(t, row);
    if (status == FORAY_OK)
        status = measure_bound(t, row);
    if (status == FORAY_OK)
        status = measure_size(t, row);
    if (status != FORAY_OK)
        return status;
    for (int64_t s = 0; s < t->what->model->states; s++)
        row[FY_M_covered] += t->visited[s];
    row[FY_M_seconds] = t->explored;
    row[FY_M_per_episode] = (t->computed - t->last_computed) / (double)(k - t->last_episode);
    t->last_episode = k;
    t->last_computed = t->computed;
    return fy_rows_add(t->ctx, t->rows, row);
}

/* -------------------------------------------------------------------------- a run */

static foray_status begin(run *t)
{
    const foray_model *model = t->what->model;
    foray_status status = fy_trial_explorer(t->ctx, t->what, &t->explorer);
    if (status == FORAY_OK)
        status = foray_world_from_model(t->ctx, model, &t->world);
    if (status == FORAY_OK)
        status = fy_truth_create(t->ctx, model, &t->truth);
    if (status != FORAY_OK)
        return status;
    for (int f = 0; f < FORAY_FAMILIES; f++)
        if (!FY_ALLOC(t->ctx, t->gap[f], foray_family_size(t->what->family[f])))
            return FORAY_ERROR_MEMORY;
    bool generative = foray_algorithm_is_generative(t->what->settings.algorithm);
    t->episode_states = generative ? 2 * model->horizon : model->horizon + 1;
    bool complete = FY_ALLOC(t->ctx, t->episode, t->episode_states) &&
                    FY_ALLOC(t->ctx, t->visited, model->states);
    return complete ? FORAY_OK : FORAY_ERROR_MEMORY;
}

static void finish(run *t)
{
    foray_explorer_destroy(t->explorer);
    foray_world_destroy(t->world);
    fy_truth_destroy(t->truth);
    for (int f = 0; f < FORAY_FAMILIES; f++)
        free(t->gap[f]);
    free(t->episode);
    free(t->visited);
}

foray_status fy_trial_run(foray_context *ctx, const fy_trial *trial, fy_rows *rows)
{
    run t = {.ctx = ctx, .what = trial, .rows = rows};
    foray_status status = begin(&t);
    int64_t k = 0, last = t.what->settings.episodes;
    bool over = false;
    while (status == FORAY_OK && k < last && !over) {
        int64_t due = fy_next_checkpoint(k, last, t.what->per_decade);
        status = play_until(&t, due, &k);
        over = k < due;
        if (status == FORAY_OK)
            status = checkpoint(&t, k);
    }
    finish(&t);
    return status;
}
