/* trial.c - one run of one algorithm with one seed, measured at checkpoints.
 *
 *   for k = 1, 2, ... episodes, or until the time is over
 *     play an episode, as foray_run does with this seed
 *     at k = 10^(i/4) and at the end: gaps, bound, states covered, size, times
 *
 * Only exploring is timed, not measuring: by the clock for the limit, by the processor
 * time of the thread per episode, so that what else the machine does matters less. */
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

typedef struct trial {
    foray_context *ctx;
    fy_compare *compare;
    int64_t run;
    foray_settings settings;
    foray_explorer *explorer;
    foray_world *world;
    fy_truth *truth;
    bool *visited; /* [states] */
    int64_t covered;
    double explored;             /* seconds spent exploring */
    double computed;             /* the same of the processor */
    double told;                 /* when the comparison last heard of this run */
    int64_t last_episode;        /* of the checkpoint before */
    double last_computed;        /* processor seconds up to there */
    double *gap[FORAY_FAMILIES]; /* of each reward at this checkpoint */
    fy_rows *rows;
} trial;

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double fy_seconds(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static foray_settings settings_of(const fy_compare *compare, int64_t run)
{
    foray_settings settings = compare->what->settings;
    const char *name = fy_compare_algorithm(compare, run);
    size_t i = 0;
    for (; name[i] && i + 1 < sizeof settings.algorithm; i++)
        settings.algorithm[i] = name[i];
    settings.algorithm[i] = 0;
    settings.seed = fy_compare_seed(compare, run);
    return settings;
}

foray_status fy_trial_explorer(foray_context *ctx, const fy_compare *compare, int64_t run,
                               foray_explorer **out)
{
    foray_settings settings = settings_of(compare, run);
    foray_explorer *explorer;
    bool needs_reward = foray_algorithm_needs_reward(settings.algorithm);
    if (needs_reward && !compare->what->reward)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "explores for one reward, and none is given");
    foray_status status = foray_explorer_create(ctx, compare->model, &settings, &explorer);
    if (status != FORAY_OK)
        return status;
    if (needs_reward)
        status = foray_explorer_give_reward(explorer, compare->what->reward);
    if (status == FORAY_OK)
        *out = explorer;
    else
        foray_explorer_destroy(explorer);
    return status;
}

int64_t fy_next_checkpoint(int64_t episode, int64_t last)
{
    enum { PER_DECADE = 4 };
    for (int i = 0;; i++) {
        double at = rint(pow(10.0, (double)i / PER_DECADE));
        if (at >= (double)last)
            return last;
        if (at > (double)episode)
            return (int64_t)at;
    }
}

/* ----------------------------------------------------------------------- episodes */

static void visit(trial *t, int64_t state)
{
    t->covered += !t->visited[state];
    t->visited[state] = true;
}

static foray_status play_step(trial *t, foray_draw *draw, int64_t *state)
{
    int64_t action, next;
    foray_status status = foray_explorer_place(t->explorer, state);
    if (status == FORAY_OK)
        status = foray_explorer_act(t->explorer, *state, &action);
    if (status == FORAY_OK)
        status = foray_world_step(t->world, draw, *state, action, &next);
    if (status == FORAY_OK)
        status = foray_explorer_observe(t->explorer, *state, action, next);
    if (status == FORAY_OK) {
        visit(t, *state);
        visit(t, next);
        *state = next;
    }
    return status;
}

static foray_status play_episode(trial *t, int64_t k)
{
    foray_draw draw = {.seed = (uint64_t)t->settings.seed, .episode = (uint64_t)k};
    int64_t state;
    foray_status status = foray_world_reset(t->world, &draw, &state);
    if (status == FORAY_OK)
        status = foray_explorer_begin(t->explorer);
    if (status == FORAY_OK)
        visit(t, state);
    for (int64_t h = 1; h <= t->compare->model->horizon && status == FORAY_OK; h++) {
        draw.step = (uint32_t)h;
        status = play_step(t, &draw, &state);
    }
    return status == FORAY_OK ? foray_explorer_end(t->explorer) : status;
}

/* How much of the run is done, by episodes or by time, whichever ends it first. */
static double part_done(const trial *t, int64_t k, double explored)
{
    double limit = t->compare->what->seconds;
    double episodes = (double)k / (double)t->settings.episodes;
    return fmin(1.0, limit > 0.0 ? fmax(episodes, explored / limit) : episodes);
}

/* Says how far the run is; not in every episode, so that runs need not wait for each
 * other. False: stop. */
static bool tell(trial *t, int64_t k, double now)
{
    static const double seconds_between = 0.02;
    if (now - t->told < seconds_between)
        return true;
    t->told = now;
    return fy_compare_tell(t->compare, t->run, part_done(t, k, t->explored));
}

/* Plays up to episode `until` or the end of the time; *k counts the episodes ended. */
static foray_status play_until(trial *t, int64_t until, int64_t *k)
{
    double limit = t->compare->what->seconds, began = fy_seconds(), before = t->explored;
    double computed = read_clock(CLOCK_THREAD_CPUTIME_ID);
    foray_status status = FORAY_OK;
    while (*k < until && status == FORAY_OK) {
        status = play_episode(t, *k);
        *k += status == FORAY_OK;
        double now = fy_seconds();
        t->explored = before + now - began;
        if (status == FORAY_OK && !tell(t, *k, now))
            status = FORAY_INTERRUPTED;
        if (limit > 0.0 && t->explored >= limit)
            break;
    }
    t->computed += read_clock(CLOCK_THREAD_CPUTIME_ID) - computed;
    return status;
}

/* ---------------------------------------------------------------------- measuring */

/* The adversary starts from the two worst rewards of each family: one batch of lanes. */
static foray_status measure_adversary(trial *t, foray_explorer_planner *planner, fy_row *row)
{
    const foray_reward *start[2 * FORAY_FAMILIES];
    int64_t starts = 0;
    for (int f = 0; f < FORAY_FAMILIES; f++)
        starts += fy_two_worst(t->compare->family[f], t->gap[f], start + starts);
    return fy_adversary(t->ctx, t->truth, foray_plan_with_explorer, planner, starts, start,
                        t->compare->what->rounds, &row->value[FY_M_adversary], NULL);
}

static foray_status measure_gaps(trial *t, fy_row *row)
{
    foray_explorer_planner planner = {t->explorer, t->compare->what->mode};
    double sum = 0.0, count = 0.0, worst = 0.0;
    foray_status status = FORAY_OK;
    for (int f = 0; f < FORAY_FAMILIES && status == FORAY_OK; f++) {
        const foray_family *family = t->compare->family[f];
        foray_gaps gaps = {0};
        status = fy_measure(t->ctx, t->truth, family, foray_plan_with_explorer, &planner, t->gap[f],
                            &gaps);
        row->value[FY_M_goals_worst + 2 * f] = gaps.worst;
        row->value[FY_M_goals_mean + 2 * f] = gaps.mean;
        sum += gaps.mean * (double)foray_family_size(family);
        count += (double)foray_family_size(family);
        worst = fmax(worst, gaps.worst);
    }
    if (status == FORAY_OK)
        status = measure_adversary(t, &planner, row);
    row->value[FY_M_mean] = sum / count;
    row->value[FY_M_worst] = fmax(worst, row->value[FY_M_adversary]);
    return status;
}

static foray_status measure_given(trial *t, fy_row *row)
{
    const foray_reward *reward = t->compare->what->reward;
    foray_policy *policy;
    row->value[FY_M_given] = NAN;
    if (!reward)
        return FORAY_OK;
    foray_status status =
        foray_explorer_plan(t->explorer, 1, &reward, t->compare->what->mode, &policy);
    if (status != FORAY_OK)
        return status;
    row->value[FY_M_given] = fy_gap(t->compare->model, fy_truth_best(t->truth, reward, NULL),
                                    fy_truth_value(t->truth, reward, policy->action));
    foray_policy_destroy(policy);
    return FORAY_OK;
}

/* An algorithm without a bound for all rewards has an infinite one. */
static foray_status measure_bound(trial *t, fy_row *row)
{
    foray_certificate bound = {.gap = INFINITY};
    foray_status status = foray_explorer_bound(t->explorer, &bound);
    if (status != FORAY_OK && status != FORAY_ERROR_USAGE)
        return status;
    row->value[FY_M_bound] = bound.gap;
    row->value[FY_M_certified] = bound.certified && isfinite(bound.gap);
    return FORAY_OK;
}

static foray_status measure_size(trial *t, fy_row *row)
{
    uint8_t *data;
    size_t size;
    foray_status status = foray_explorer_save(t->explorer, &data, &size);
    if (status != FORAY_OK)
        return status;
    free(data);
    row->value[FY_M_memory] = (double)size;
    return FORAY_OK;
}

static foray_status checkpoint(trial *t, int64_t k)
{
    fy_row row = {.episode = k};
    foray_status status = measure_gaps(t, &row);
    if (status == FORAY_OK)
        status = measure_given(t, &row);
    if (status == FORAY_OK)
        status = measure_bound(t, &row);
    if (status == FORAY_OK)
        status = measure_size(t, &row);
    if (status != FORAY_OK)
        return status;
    row.value[FY_M_covered] = (double)t->covered;
    row.value[FY_M_seconds] = t->explored;
    row.value[FY_M_per_episode] = (t->computed - t->last_computed) / (double)(k - t->last_episode);
    t->last_episode = k;
    t->last_computed = t->computed;
    return fy_rows_add(t->ctx, t->rows, &row);
}

/* -------------------------------------------------------------------------- a run */

static foray_status begin(trial *t)
{
    const foray_model *model = t->compare->model;
    foray_status status = fy_trial_explorer(t->ctx, t->compare, t->run, &t->explorer);
    if (status == FORAY_OK)
        status = foray_world_from_model(t->ctx, model, &t->world);
    if (status == FORAY_OK)
        status = fy_truth_create(t->ctx, model, &t->truth);
    if (status != FORAY_OK)
        return status;
    for (int f = 0; f < FORAY_FAMILIES; f++)
        if (!FY_ALLOC(t->ctx, t->gap[f], foray_family_size(t->compare->family[f])))
            return FORAY_ERROR_MEMORY;
    return FY_ALLOC(t->ctx, t->visited, model->states) ? FORAY_OK : FORAY_ERROR_MEMORY;
}

static void finish(trial *t)
{
    foray_explorer_destroy(t->explorer);
    foray_world_destroy(t->world);
    fy_truth_destroy(t->truth);
    for (int f = 0; f < FORAY_FAMILIES; f++)
        free(t->gap[f]);
    free(t->visited);
}

foray_status fy_trial(foray_context *ctx, fy_compare *compare, int64_t run, fy_rows *rows)
{
    trial t = {.ctx = ctx, .compare = compare, .run = run, .rows = rows};
    t.settings = settings_of(compare, run);
    foray_status status = begin(&t);
    int64_t k = 0, last = t.settings.episodes;
    bool over = false;
    while (status == FORAY_OK && k < last && !over) {
        int64_t due = fy_next_checkpoint(k, last);
        status = play_until(&t, due, &k);
        over = k < due;
        if (status == FORAY_OK)
            status = checkpoint(&t, k);
    }
    finish(&t);
    return status;
}
