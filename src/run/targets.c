/* targets.c - the rewards that a run explores for until each of them is certified. They are kept
 * as texts beside the settings, so that a resumed run stops where it would have. */
#include "plan/policy.h"
#include "plan/reward.h"
#include "run/run.h"

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

static void drop_targets(foray_run *run)
{
    for (int64_t i = 0; i < run->targets; i++)
        foray_reward_destroy(run->target[i]);
    free(run->target);
    run->target = NULL;
    run->targets = run->hardest = 0;
}

void fy_run_close_targets(foray_run *run)
{
    drop_targets(run);
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
    bool read = foray_whole_read(text, &count) && count >= 0 && count < texts;
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
    drop_targets(run);
    run->target = copy;
    run->targets = count;
    run->measure_now = run->explorer->episodes > 0;
    return FORAY_OK;
}

/* ---------------------------------------------------------------- stopping */

/* At most `until`; 0 means up to rounding. */
static bool low_enough(const foray_run *run, double gap, double most)
{
    return gap <= run->settings.until ||
           (run->settings.until == 0 && fy_certificate_small(gap, most));
}

/* A proof meets the target. Numbers of other kinds only reach it, and those of a model that the
 * data refute mean nothing. */
static fy_target judge(const foray_run *run, const foray_certificate *certificate, double most)
{
    if (!low_enough(run, certificate->gap, most) || certificate->status == FORAY_REFUTED)
        return FY_TARGET_OPEN;
    return fy_certificate_proves(certificate) ? FY_TARGET_MET : FY_TARGET_REACHED;
}

/* The least of all. The one that was not met last comes first: while there is one, the others need
 * no look. */
static foray_status judge_rewards(foray_run *run, fy_target *out)
{
    fy_target least = FY_TARGET_MET;
    for (int64_t i = 0; i < run->targets && least != FY_TARGET_OPEN; i++) {
        int64_t at = (run->hardest + i) % run->targets;
        const foray_reward *const rewards[] = {run->target[at]};
        foray_policy *policy;
        foray_status status = foray_explorer_plan(run->explorer, 1, rewards, FORAY_PLUGIN, &policy);
        if (status != FORAY_OK)
            return status;
        fy_reward_unit unit = fy_reward_unit_of(run->target[at]);
        fy_target one = judge(run, &policy->certificate, fabs(unit.slope) * unit.most);
        foray_policy_destroy(policy);
        run->hardest = at;
        least = one < least ? one : least;
    }
    *out = least;
    return FORAY_OK;
}

foray_status fy_run_judge_target(foray_run *run, fy_target *out)
{
    *out = FY_TARGET_OPEN;
    if (run->settings.until < 0 || run->last.episodes != run->explorer->episodes)
        return FORAY_OK;
    if (run->targets > 0)
        return judge_rewards(run, out);
    /* The trace knows numbers alone: what the last one is worth is asked for where it matters. */
    foray_certificate bound;
    double most = (double)run->model->horizon;
    if (!low_enough(run, run->last.bound, most))
        return FORAY_OK;
    foray_status status = foray_explorer_bound(run->explorer, &bound);
    if (status == FORAY_OK)
        *out = judge(run, &bound, most);
    return status;
}
