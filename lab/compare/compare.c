/* compare.c - the whole of a comparison: checks, all runs in parallel, results. */
#include "compare/compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void foray_comparison_default(foray_comparison *comparison)
{
    *comparison = (foray_comparison){
        .seeds = 5, .rewards = 32, .goals = 256, .rounds = 4, .mode = FORAY_PLUGIN};
    foray_settings_default(&comparison->settings);
}

/* ------------------------------------------------------------------------- checks */

static bool some_has(const foray_comparison *what, const char *name)
{
    const foray_parameter *row;
    for (int64_t a = 0; a < what->algorithms; a++) {
        char algorithm[FY_PART_NAME];
        const char *text = what->algorithm[a];
        fy_format(algorithm, sizeof algorithm, "%.*s", (int)strcspn(text, ":"), text);
        for (int64_t i = 0; (row = foray_setting_describe(algorithm, i)); i++)
            if (strcmp(row->name, name) == 0)
                return true;
    }
    return false;
}

/* Parameters of an algorithm's own go to those that have them: one of them must. */
static foray_status check_settings(foray_context *ctx, const foray_comparison *what)
{
    foray_settings settings = what->settings;
    const foray_parameter *row;
    settings.algorithm[0] = 0;
    for (int64_t i = 0; (row = fy_settings_row(&settings, i)); i++)
        if (!some_has(what, row->name))
            return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: none of these algorithms has it",
                           row->name);
    foray_status status = FORAY_OK;
    for (int64_t a = 0; a < what->algorithms && status == FORAY_OK; a++) {
        foray_settings own;
        status = fy_contestant_settings(ctx, &what->settings, what->algorithm[a], &own);
        if (status == FORAY_OK)
            status = foray_settings_check(ctx, &own);
    }
    return status;
}

foray_status fy_compare_check(foray_context *ctx, const foray_comparison *what)
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
    if (what->settings.until >= 0.0)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "a comparison has no target to stop at: until must be -1");
    foray_status status = fy_compare_check_figure(ctx, what);
    if (status == FORAY_OK)
        status = fy_shard_check(ctx, what->shard);
    return status == FORAY_OK ? check_settings(ctx, what) : status;
}

/* What cannot run here should say so at once, not after hours of the others. */
foray_status fy_compare_check_algorithms(fy_compare *compare)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < compare->what->algorithms && status == FORAY_OK; i++) {
        foray_explorer *explorer = NULL;
        for (int64_t j = 0; j < i; j++)
            if (strcmp(compare->what->algorithm[i], compare->what->algorithm[j]) == 0)
                return fy_fail(compare->ctx, FORAY_ERROR_USAGE, "algorithm %s is named twice",
                               compare->what->algorithm[i]);
        fy_trial trial;
        status = fy_compare_trial(compare->ctx, compare, i, &trial);
        if (status == FORAY_OK)
            status = fy_trial_explorer(compare->ctx, &trial, &explorer);
        if (status != FORAY_OK)
            return fy_fail_within(compare->ctx, status, "%s", compare->what->algorithm[i]);
        foray_explorer_destroy(explorer);
    }
    return status;
}

/* --------------------------------------------------------------------------- runs */

foray_status fy_compare_trial(foray_context *ctx, const fy_compare *compare, int64_t run,
                              fy_trial *out)
{
    const foray_comparison *what = compare->what;
    *out = (fy_trial){.model = compare->model,
                      .reward = what->reward,
                      .family = compare->family,
                      .mode = what->mode,
                      .rounds = what->rounds,
                      .seconds = what->seconds,
                      .per_decade = FY_TRIAL_PER_DECADE};
    foray_status status = fy_contestant_settings(
        ctx, &what->settings, fy_compare_algorithm(compare, run), &out->settings);
    out->settings.seed = fy_compare_seed(compare, run);
    return status;
}

/* Whom a run tells how far it is. */
typedef struct listener {
    fy_compare *compare;
    int64_t run;
} listener;

static bool pass_progress(void *user, double done)
{
    listener *l = user;
    return fy_work_progress(&l->compare->work, l->run, done);
}

void fy_compare_name_run(const void *user, int64_t run, char out[FY_PART_NAME])
{
    const fy_compare *compare = user;
    fy_format(out, FY_PART_NAME, "%s, seed %" PRId64, fy_compare_algorithm(compare, run),
              fy_compare_seed(compare, run));
}

static void file_of_run(const fy_compare *compare, int64_t run, char out[FY_PART_NAME])
{
    fy_format(out, FY_PART_NAME, "%s-%" PRId64, fy_compare_algorithm(compare, run),
              fy_compare_seed(compare, run));
}

foray_status fy_compare_make_room(fy_compare *compare, int64_t columns)
{
    compare->runs = compare->work.parts = compare->what->algorithms * compare->what->seeds;
    if (!FY_ALLOC(compare->ctx, compare->rows, compare->runs))
        return FORAY_ERROR_MEMORY;
    for (int64_t run = 0; run < compare->runs; run++)
        compare->rows[run].columns = columns;
    return FORAY_OK;
}

void fy_compare_free_rows(fy_compare *compare)
{
    for (int64_t i = 0; compare->rows && i < compare->runs; i++)
        free(compare->rows[i].value);
    free(compare->rows);
}

foray_status fy_compare_keep_run(foray_context *ctx, const fy_compare *compare, int64_t run)
{
    char file[FY_PART_NAME];
    file_of_run(compare, run, file);
    return fy_rows_write(ctx, &compare->folder, file, compare->heading, &compare->rows[run]);
}

foray_status fy_compare_find_run(foray_context *ctx, void *user, int64_t run, bool *found)
{
    fy_compare *compare = user;
    char file[FY_PART_NAME];
    file_of_run(compare, run, file);
    return fy_rows_read(ctx, &compare->folder, file, compare->heading, found, &compare->rows[run]);
}

static foray_status make_run(foray_context *ctx, void *user, int64_t run)
{
    fy_compare *compare = user;
    listener l = {compare, run};
    fy_trial trial;
    foray_status status = fy_compare_trial(ctx, compare, run, &trial);
    trial.progress = pass_progress;
    trial.user = &l;
    if (status == FORAY_OK)
        status = fy_trial_run(ctx, &trial, &compare->rows[run]);
    return status == FORAY_OK ? fy_compare_keep_run(ctx, compare, run) : status;
}

/* ---------------------------------------------------------------------- the whole */

/* Checks everything, makes the rewards, and settles what the directory is for. */
static foray_status open_comparison(fy_compare *compare)
{
    foray_context *ctx = compare->ctx;
    const foray_comparison *what = compare->what;
    for (int m = 0; m < FY_M_ALL; m++)
        compare->heading[m] = fy_measure_name(m);
    foray_status status = fy_compare_check(ctx, what);
    if (status == FORAY_OK)
        status = fy_compare_make_room(compare, FY_M_ALL);
    if (status == FORAY_OK && what->reward)
        status = fy_reward_check(ctx, what->reward, compare->model);
    if (status == FORAY_OK)
        status = fy_compare_check_algorithms(compare);
    if (status == FORAY_OK)
        status = fy_families_create(ctx, compare->model, what->goals, what->rewards,
                                    (uint64_t)what->settings.seed, compare->family);
    fy_writer terms = {.ctx = ctx};
    if (status == FORAY_OK)
        status = fy_compare_terms(compare, &terms);
    if (status == FORAY_OK)
        status = fy_folder_open(ctx, &compare->folder, (const char *)terms.data);
    free(terms.data);
    return status;
}

foray_status foray_compare(foray_context *ctx, const foray_model *model, const char *world,
                           const foray_comparison *comparison, const char *directory,
                           foray_work_fn progress, void *user)
{
    fy_compare compare = {
        .ctx = ctx,
        .model = model,
        .world = world,
        .what = comparison,
        .folder = {directory, "comparison", "runs"},
        .work = {.ctx = ctx,
                 .shard = comparison->shard,
                 .find = fy_compare_find_run,
                 .make = make_run,
                 .name = fy_compare_name_run,
                 .user = &compare,
                 .progress = progress,
                 .progress_user = user},
    };
    foray_status status = open_comparison(&compare);
    if (status == FORAY_OK)
        status = fy_work_run(&compare.work);
    if (status == FORAY_OK && fy_shard_is_whole(comparison->shard))
        status = fy_compare_write_results(&compare);
    if (status == FORAY_OK && fy_shard_is_whole(comparison->shard))
        status = fy_compare_write_page(&compare);
    fy_families_destroy(compare.family);
    fy_compare_free_rows(&compare);
    return status;
}
