/* worst.c - the worst gap that can be found: over all families, and by an adversary that
 * starts from the two worst rewards of each, which fill one batch of lanes. */
#include "measure/measure.h"

#include <stdlib.h>

foray_status fy_worst_search_share(foray_context *ctx, const foray_model *model,
                                   foray_family *const *family, fy_worst_search **out)
{
    fy_worst_search *search = fy_alloc(ctx, 1, sizeof *search);
    if (!search)
        return FORAY_ERROR_MEMORY;
    search->shared = true;
    foray_status status = fy_truth_create(ctx, model, &search->truth);
    for (int f = 0; f < FORAY_FAMILIES && status == FORAY_OK; f++) {
        search->family[f] = family[f];
        if (!FY_ALLOC(ctx, search->gap[f], foray_family_size(family[f])))
            status = FORAY_ERROR_MEMORY;
    }
    if (status == FORAY_OK)
        *out = search;
    else
        fy_worst_search_destroy(search);
    return status;
}

foray_status fy_worst_search_create(foray_context *ctx, const foray_model *model, int64_t rewards,
                                    uint64_t seed, fy_worst_search **out)
{
    foray_family *family[FORAY_FAMILIES] = {NULL};
    foray_status status = fy_families_create(ctx, model, rewards, rewards, seed, family);
    if (status == FORAY_OK)
        status = fy_worst_search_share(ctx, model, family, out);
    if (status == FORAY_OK)
        (*out)->shared = false;
    else
        fy_families_destroy(family);
    return status;
}

void fy_worst_search_destroy(fy_worst_search *search)
{
    if (!search)
        return;
    for (int f = 0; f < FORAY_FAMILIES; f++)
        free(search->gap[f]);
    if (!search->shared)
        fy_families_destroy(search->family);
    fy_truth_destroy(search->truth);
    free(search);
}

foray_status fy_worst_search_run(foray_context *ctx, fy_worst_search *search,
                                 foray_explorer *explorer, foray_mode mode, int64_t rounds,
                                 double *gap, foray_reward **worst)
{
    const foray_reward *start[2 * FORAY_FAMILIES];
    int64_t starts = 0;
    foray_explorer_planner planner = {explorer, mode};
    for (int f = 0; f < FORAY_FAMILIES; f++) {
        foray_status status =
            fy_measure(ctx, search->truth, search->family[f], foray_plan_with_explorer, &planner,
                       search->gap[f], &search->gaps[f]);
        if (status != FORAY_OK)
            return status;
        starts += fy_two_worst(search->family[f], search->gap[f], start + starts);
    }
    return fy_adversary(ctx, search->truth, foray_plan_with_explorer, &planner, starts, start,
                        rounds, gap, worst);
}
