/* reality.c - algorithms side by side where the truth is not known: what plans earn in reality.
 *
 *   for each algorithm and seed
 *     explore the system for K episodes
 *     for each reward
 *       plan, and follow the plan in reality for N episodes, which no run ever meets: the mean
 *
 * All plans meet the same random numbers, so that seed by seed the better one is a fair question,
 * and the answers of several seeds are a sign test.
 *
 * There is one system, with the context of the caller, and so runs are made one after the other,
 * by his thread and in his context. */
#include "compare/reality.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------- one run */

/* Episodes until there are enough of them, or the time is over; *k counts them. */
static foray_status explore_reality(fy_reality *r, int64_t run, foray_explorer *explorer,
                                    const fy_trial *trial, int64_t *k)
{
    const double planning = 0.05; /* of the run, as far as one can tell */
    double began = fy_clock(), limit = trial->seconds;
    int64_t last = trial->settings.episodes;
    foray_status status = FORAY_OK;
    for (*k = 0; *k < last && status == FORAY_OK;) {
        status = foray_explorer_play(explorer, r->is->world, NULL, NULL);
        *k += status == FORAY_OK;
        double explored = fy_clock() - began, done = (double)*k / (double)last;
        if (limit > 0.0)
            done = fmax(done, fmin(1.0, explored / limit));
        if (status == FORAY_OK && !fy_work_progress(&r->compare.work, run, (1.0 - planning) * done))
            status = FORAY_INTERRUPTED;
        if (limit > 0.0 && explored >= limit)
            break;
    }
    return status;
}

/* The mean return in reality of the plan for reward i. */
static foray_status try_plan(fy_reality *r, foray_explorer *explorer, int64_t i, double *row)
{
    const foray_reality *is = r->is;
    const foray_reward *reward = is->reward[i];
    foray_policy *policy;
    foray_status status = foray_explorer_plan(explorer, 1, &reward, r->compare.what->mode, &policy);
    if (status != FORAY_OK)
        return status;
    status = foray_rollout_part(r->compare.ctx, is->system, is->clusters, policy, is->index[i],
                                is->index[i] < 0 ? reward : NULL, 0, is->rollouts,
                                (uint64_t)r->compare.what->settings.seed, r->value);
    row[FY_R_certificate] = policy->certificate.gap;
    row[FY_R_return] = 0.0;
    for (int64_t e = 0; e < is->rollouts && status == FORAY_OK; e++)
        row[FY_R_return] += r->value[e] / (double)is->rollouts;
    foray_policy_destroy(policy);
    return status;
}

static foray_status make_rows(fy_reality *r, int64_t run)
{
    foray_context *ctx = r->compare.ctx;
    foray_explorer *explorer = NULL;
    fy_trial trial;
    int64_t episodes = 0;
    foray_status status = fy_compare_trial(ctx, &r->compare, run, &trial);
    if (status == FORAY_OK)
        status = fy_trial_explorer(ctx, &trial, &explorer);
    if (status == FORAY_OK)
        status = explore_reality(r, run, explorer, &trial, &episodes);
    for (int64_t i = 0; i < r->is->rewards && status == FORAY_OK; i++) {
        double row[FY_R_COUNT] = {[FY_R_episodes] = (double)episodes};
        status = try_plan(r, explorer, i, row);
        if (status == FORAY_OK)
            status = fy_rows_add(ctx, &r->compare.rows[run], row);
    }
    foray_explorer_destroy(explorer);
    return status;
}

static foray_status make_run(foray_context *ctx, void *user, int64_t run)
{
    fy_reality *r = user;
    foray_status status = make_rows(r, run);
    if (status < 0) /* what the system had to say is in the context that it was opened with */
        return fy_fail(ctx, status, "%s", foray_message(r->compare.ctx));
    return status == FORAY_OK ? fy_compare_keep_run(ctx, &r->compare, run) : status;
}

/* A file that was made for these terms has a row for each reward. */
static foray_status find_run(foray_context *ctx, void *user, int64_t run, bool *found)
{
    fy_reality *r = user;
    foray_status status = fy_compare_find_run(ctx, &r->compare, run, found);
    if (status == FORAY_OK && *found && r->compare.rows[run].count != r->is->rewards)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "%s: a run there has %" PRId64 " rows, but there are %" PRId64 " rewards",
                       r->compare.folder.path, r->compare.rows[run].count, r->is->rewards);
    return status;
}

/* ---------------------------------------------------------------------- the whole */

static foray_status check_reality(foray_context *ctx, const foray_reality *is,
                                  const foray_model *model)
{
    foray_status status = FORAY_OK;
    if (is->rewards < 1 || is->rollouts < 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "there must be a reward, and rollouts");
    for (int64_t i = 0; i < is->rewards && status == FORAY_OK; i++)
        status = fy_reward_check(ctx, is->reward[i], model);
    return status;
}

static foray_status open_reality(fy_reality *r)
{
    static const char *const heading[FY_R_COUNT] = {"episodes", "return", "certificate"};
    fy_compare *compare = &r->compare;
    foray_context *ctx = compare->ctx;
    fy_writer terms = {.ctx = ctx};
    for (int i = 0; i < FY_R_COUNT; i++)
        compare->heading[i] = heading[i];
    foray_status status = fy_compare_check(ctx, compare->what);
    if (status == FORAY_OK)
        status = check_reality(ctx, r->is, compare->model);
    if (status == FORAY_OK)
        status = fy_compare_make_room(compare, FY_R_COUNT);
    if (status == FORAY_OK && !FY_ALLOC(ctx, r->value, r->is->rollouts))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = fy_compare_check_algorithms(compare);
    if (status == FORAY_OK)
        status = fy_reality_terms(compare, r->is, &terms);
    if (status == FORAY_OK)
        status = fy_folder_open(ctx, &compare->folder, (const char *)terms.data);
    free(terms.data);
    return status;
}

foray_status foray_compare_in_reality(foray_context *ctx, const foray_model *model,
                                      const char *world, const foray_comparison *comparison,
                                      const foray_reality *reality, const char *directory,
                                      foray_work_fn progress, void *user)
{
    foray_comparison what = *comparison;
    what.figure = (foray_figure){0};
    what.reward = reality->rewards > 0 ? reality->reward[0] : NULL;
    fy_reality r = {
        .compare = {.ctx = ctx,
                    .model = model,
                    .world = world,
                    .what = &what,
                    .folder = {directory, "comparison", "runs"},
                    .work = {.ctx = ctx,
                             .shard = what.shard,
                             .alone = true,
                             .find = find_run,
                             .make = make_run,
                             .name = fy_compare_name_run,
                             .user = &r,
                             .progress = progress,
                             .progress_user = user}},
        .is = reality,
    };
    foray_status status = open_reality(&r);
    if (status == FORAY_OK)
        status = fy_work_run(&r.compare.work);
    if (status == FORAY_OK && fy_shard_is_whole(what.shard))
        status = fy_reality_write_results(&r);
    fy_compare_free_rows(&r.compare);
    free(r.value);
    return status;
}
