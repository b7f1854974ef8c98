/* compare.c - the whole of a comparison: checks, all runs in parallel, results. */
#include "compare/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

void foray_comparison_default(foray_comparison *comparison)
{
    *comparison = (foray_comparison){
        .seeds = 5, .rewards = 32, .goals = 256, .rounds = 4, .mode = FORAY_PLUGIN};
    foray_settings_default(&comparison->settings);
}

/* ------------------------------------------------------------------------- checks */

static bool is_twice(const foray_comparison *what, int64_t i)
{
    for (int64_t j = 0; j < i; j++)
        if (strcmp(what->algorithm[i], what->algorithm[j]) == 0)
            return true;
    return false;
}

static foray_status check_numbers(foray_context *ctx, const foray_comparison *what)
{
    enum { MOST_SEEDS = 1000000 };
    if (what->algorithms < 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "there is no algorithm to compare");
    if (what->seeds < 1 || what->seeds > MOST_SEEDS ||
        what->settings.seed > INT64_MAX - what->seeds)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%" PRId64 " seeds: must be from 1 to %d",
                       what->seeds, MOST_SEEDS);
    if (what->rewards < 1 || what->goals < 0 || what->rounds < 0)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "rewards must be at least 1, goals and rounds at least 0");
    if (!(what->seconds >= 0.0) || !foray_mode_name(what->mode))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "seconds must be at least 0, and the mode one that there is");
    if (what->settings.until > 0.0)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "a comparison has no target to stop at: until must be 0");
    return foray_settings_check(ctx, &what->settings);
}

/* What cannot run here should say so at once, not after hours of the others. */
static foray_status check_algorithms(fy_compare *compare)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < compare->what->algorithms && status == FORAY_OK; i++) {
        foray_explorer *explorer = NULL;
        if (is_twice(compare->what, i))
            return fy_fail(compare->ctx, FORAY_ERROR_USAGE, "algorithm %s is named twice",
                           compare->what->algorithm[i]);
        status = fy_trial_explorer(compare->ctx, compare, i, &explorer);
        if (status != FORAY_OK)
            return fy_fail_within(compare->ctx, status, "%s", compare->what->algorithm[i]);
        foray_explorer_destroy(explorer);
    }
    return status;
}

/* ----------------------------------------------------------------------- progress */

static const double seconds_between_calls = 0.1;

static void call_progress(fy_compare *compare, double now)
{
    foray_comparison_progress progress = {
        .runs = compare->runs, .finished = compare->finished, .seconds = now - compare->started};
    for (int64_t i = 0; i < compare->runs; i++)
        progress.done += compare->done[i] / (double)compare->runs;
    compare->told = now;
    if (compare->progress && !compare->progress(compare->user, &progress) &&
        compare->status == FORAY_OK)
        compare->status = FORAY_INTERRUPTED;
}

bool fy_compare_tell(fy_compare *compare, int64_t run, double done)
{
    omp_set_lock(&compare->lock);
    double now = fy_seconds();
    compare->done[run] = done;
    if (now - compare->told >= seconds_between_calls)
        call_progress(compare, now);
    bool go_on = compare->status == FORAY_OK;
    omp_unset_lock(&compare->lock);
    return go_on;
}

/* The first failure is the one that counts; its message goes to the caller's context. */
static void end_run(fy_compare *compare, int64_t run, const foray_context *ctx, foray_status status)
{
    omp_set_lock(&compare->lock);
    compare->done[run] = 1.0;
    compare->finished += status == FORAY_OK;
    if (status < 0 && compare->status == FORAY_OK) {
        compare->status = status;
        fy_say(compare->ctx, "%s, seed %" PRId64 ": %s", fy_compare_algorithm(compare, run),
               fy_compare_seed(compare, run), ctx ? foray_message(ctx) : "out of memory");
    }
    if (compare->status == FORAY_OK)
        call_progress(compare, fy_seconds());
    omp_unset_lock(&compare->lock);
}

/* --------------------------------------------------------------------------- runs */

/* A run that ended before is read; any other is made and kept. */
static foray_status make_run(foray_context *ctx, fy_compare *compare, int64_t run)
{
    bool found = false;
    fy_rows *rows = &compare->rows[run];
    foray_status status = fy_folder_read(ctx, compare, run, &found, rows);
    if (status != FORAY_OK || found)
        return status;
    status = fy_trial(ctx, compare, run, rows);
    return status == FORAY_OK ? fy_folder_write(ctx, compare, run, rows) : status;
}

/* Runs share nothing but what is constant; each has a context of its own, of one thread. */
static foray_status make_runs(fy_compare *compare)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(compare->ctx->threads)
    for (int64_t run = 0; run < compare->runs; run++) {
        if (!fy_compare_tell(compare, run, 0.0))
            continue;
        foray_context *ctx = foray_context_create();
        end_run(compare, run, ctx, ctx ? make_run(ctx, compare, run) : FORAY_ERROR_MEMORY);
        foray_context_destroy(ctx);
    }
    return compare->status;
}

/* ---------------------------------------------------------------------- the whole */

static foray_status create_families(fy_compare *compare)
{
    const foray_comparison *what = compare->what;
    foray_status status = FORAY_OK;
    for (int f = 0; f < FORAY_FAMILIES && status == FORAY_OK; f++)
        status = foray_family_create(compare->ctx, compare->model, f,
                                     f == FORAY_GOALS ? what->goals : what->rewards,
                                     (uint64_t)what->settings.seed, &compare->family[f]);
    return status;
}

static foray_status prepare(fy_compare *compare)
{
    foray_context *ctx = compare->ctx;
    foray_status status = check_numbers(ctx, compare->what);
    if (status != FORAY_OK)
        return status;
    compare->runs = compare->what->algorithms * compare->what->seeds;
    if (!FY_ALLOC(ctx, compare->rows, compare->runs) ||
        !FY_ALLOC(ctx, compare->done, compare->runs))
        return FORAY_ERROR_MEMORY;
    if (compare->what->reward)
        status = fy_reward_check(ctx, compare->what->reward, compare->model);
    if (status == FORAY_OK)
        status = check_algorithms(compare);
    if (status == FORAY_OK)
        status = create_families(compare);
    return status == FORAY_OK ? fy_folder_open(compare) : status;
}

static void release(fy_compare *compare)
{
    for (int f = 0; f < FORAY_FAMILIES; f++)
        foray_family_destroy(compare->family[f]);
    for (int64_t i = 0; compare->rows && i < compare->runs; i++)
        free(compare->rows[i].row);
    free(compare->rows);
    free(compare->done);
}

foray_status foray_compare(foray_context *ctx, const foray_model *model, const char *world,
                           const foray_comparison *comparison, const char *directory,
                           foray_comparison_fn progress, void *user)
{
    fy_compare compare = {
        .ctx = ctx,
        .model = model,
        .world = world,
        .what = comparison,
        .directory = directory,
        .progress = progress,
        .user = user,
        .started = fy_seconds(),
        .told = -INFINITY,
    };
    omp_init_lock(&compare.lock);
    foray_status status = prepare(&compare);
    if (status == FORAY_OK)
        status = make_runs(&compare);
    if (status == FORAY_OK)
        status = fy_results_write(&compare);
    if (status == FORAY_OK)
        status = fy_plots_write(&compare);
    release(&compare);
    omp_destroy_lock(&compare.lock);
    return status;
}
