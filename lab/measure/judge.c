/* judge.c - the worst gap that can be found: over all families, and by an adversary that
 * starts from the worst of each. */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

static foray_status fill(foray_context *ctx, const foray_model *model, int64_t rewards,
                         uint64_t seed, fy_judge *judge)
{
    foray_status status = fy_truth_create(ctx, model, &judge->truth);
    for (int f = 0; f < FORAY_FAMILIES && status == FORAY_OK; f++) {
        status = foray_family_create(ctx, model, f, rewards, seed, &judge->family[f]);
        if (status == FORAY_OK &&
            !FY_ALLOC(ctx, judge->gap[f], foray_family_size(judge->family[f])))
            status = FORAY_ERROR_MEMORY;
    }
    return status;
}

foray_status fy_judge_create(foray_context *ctx, const foray_model *model, int64_t rewards,
                             uint64_t seed, fy_judge **out)
{
    fy_judge *judge = fy_alloc(ctx, 1, sizeof *judge);
    if (!judge)
        return FORAY_ERROR_MEMORY;
    foray_status status = fill(ctx, model, rewards, seed, judge);
    if (status == FORAY_OK)
        *out = judge;
    else
        fy_judge_destroy(judge);
    return status;
}

void fy_judge_destroy(fy_judge *judge)
{
    if (!judge)
        return;
    for (int f = 0; f < FORAY_FAMILIES; f++) {
        foray_family_destroy(judge->family[f]);
        free(judge->gap[f]);
    }
    fy_truth_destroy(judge->truth);
    free(judge);
}

foray_status fy_judge_worst(foray_context *ctx, fy_judge *judge, foray_explorer *explorer, int mode,
                            int64_t rounds, double *gap, foray_reward **worst)
{
    const foray_reward *start[2 * FORAY_FAMILIES];
    int64_t starts = 0;
    foray_explorer_planner planner = {explorer, mode};
    for (int f = 0; f < FORAY_FAMILIES; f++) {
        foray_gaps gaps;
        foray_status status = fy_measure(ctx, judge->truth, judge->family[f],
                                         foray_plan_with_explorer, &planner, judge->gap[f], &gaps);
        if (status != FORAY_OK)
            return status;
        starts += fy_two_worst(judge->family[f], judge->gap[f], start + starts);
    }
    return fy_adversary(ctx, judge->truth, foray_plan_with_explorer, &planner, starts, start,
                        rounds, gap, worst);
}
