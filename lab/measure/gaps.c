/* gaps.c - the gap E_mu[V* - V^pi] of planned policies over a family of rewards. */
#include "measure/measure.h"
#include "explore/explorer.h"
#include "policy/policy.h"

#include <math.h>
#include <stdlib.h>

foray_status foray_plan_with_explorer(void *user, int64_t count, const foray_reward *const *rewards,
                                      foray_policy **policies)
{
    const foray_explorer_planner *planner = user;
    return fy_explorer_policies(planner->explorer, count, rewards, planner->mode, policies);
}

/* Rewards planned together: enough to fill the lanes, few enough that policies of a
 * large family need not be in memory at once. */
enum { BATCH = 8 * FY_LANES };

/* gap = E_mu V* - E_mu V^pi,  pi planned for the reward, both values exact in the true model. */
static foray_status measure_batch(foray_context *ctx, fy_truth *truth, const foray_family *family,
                                  foray_planner_fn plan, void *user, int64_t first, double *gap)
{
    const foray_reward *rewards[BATCH];
    foray_policy *policies[BATCH] = {0};
    int64_t left = foray_family_size(family) - first, count = left < BATCH ? left : BATCH;
    for (int64_t i = 0; i < count; i++)
        rewards[i] = foray_family_reward(family, first + i);
    foray_status status = plan(user, count, rewards, policies);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        status = fy_policy_check(ctx, policies[i], truth->model);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        gap[first + i] = fy_gap(truth->model, foray_family_optimal(family, first + i),
                                fy_truth_value(truth, rewards[i], policies[i]->action));
    fy_policies_destroy(count, policies);
    return status;
}

int64_t fy_two_worst(const foray_family *family, const double *gap, const foray_reward *worst[2])
{
    int64_t first = 0, second = -1;
    for (int64_t i = 1; i < foray_family_size(family); i++)
        if (gap[i] > gap[first]) {
            second = first;
            first = i;
        } else if (second < 0 || gap[i] > gap[second]) {
            second = i;
        }
    worst[0] = foray_family_reward(family, first);
    if (second < 0)
        return 1;
    worst[1] = foray_family_reward(family, second);
    return 2;
}

foray_status fy_measure(foray_context *ctx, fy_truth *truth, const foray_family *family,
                        foray_planner_fn plan, void *user, double *gap, foray_gaps *out)
{
    double *own = NULL, sum = 0.0;
    int64_t count = foray_family_size(family);
    foray_status status = fy_reward_check(ctx, foray_family_reward(family, 0), truth->model);
    if (status != FORAY_OK)
        return status;
    if (!gap && !FY_ALLOC(ctx, own, count))
        return FORAY_ERROR_MEMORY;
    gap = gap ? gap : own;
    for (int64_t first = 0; first < count && status == FORAY_OK; first += BATCH)
        status = measure_batch(ctx, truth, family, plan, user, first, gap);
    foray_gaps gaps = {.worst = -INFINITY};
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        sum += gap[i];
        if (gap[i] > gaps.worst) {
            gaps.worst = gap[i];
            gaps.worst_index = i;
        }
    }
    gaps.mean = sum / (double)count;
    if (status == FORAY_OK)
        *out = gaps;
    free(own);
    return status;
}

foray_status foray_measure(foray_context *ctx, const foray_model *model, const foray_family *family,
                           foray_planner_fn plan, void *user, double *gap, foray_gaps *out)
{
    fy_truth *truth;
    foray_status status = fy_truth_create(ctx, model, &truth);
    if (status != FORAY_OK)
        return status;
    status = fy_measure(ctx, truth, family, plan, user, gap, out);
    fy_truth_destroy(truth);
    return status;
}
