/* policy.c - from clusters back to real states: what a policy over clusters does in a state, what a
 * reward of the system is at a cluster, and the clusters that a policy file holds. */
#include "aggregate/clusters.h"
#include "system/system.h"
#include "policy/policy.h"

#include <inttypes.h>
#include <string.h>

/* The weight that the clusters of one action have together. */
static double votes(const foray_policy *policy, int64_t step, int64_t count, const int32_t *cluster,
                    const double *weight, int32_t action)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        if (foray_policy_action(policy, step, cluster[k]) == action)
            sum += weight[k];
    return sum;
}

/* Of equal ones the lowest action. */
int64_t foray_policy_act(const foray_policy *policy, const foray_clusters *clusters, int64_t step,
                         const double *state)
{
    int32_t cluster[FY_MAX_MEMBERSHIPS];
    double weight[FY_MAX_MEMBERSHIPS];
    int64_t count = foray_clusters_of(clusters, state, cluster, weight);
    int32_t best = 0;
    double max = -1;
    for (int64_t k = 0; k < count; k++) {
        int32_t action = foray_policy_action(policy, step, cluster[k]);
        double sum = votes(policy, step, count, cluster, weight, action);
        if (sum > max || (sum == max && action < best)) {
            best = action;
            max = sum;
        }
    }
    return best;
}

int64_t fy_policy_draw_in(const foray_policy *policy, const foray_clusters *clusters,
                          const foray_draw *draw, const double *state)
{
    int32_t cluster[FY_MAX_MEMBERSHIPS];
    double weight[FY_MAX_MEMBERSHIPS];
    if (!policy->chance) {
        foray_policy part = *policy;
        part.action += foray_policy_part(policy, draw) * policy->horizon * policy->states;
        return foray_policy_act(&part, clusters, draw->step, state);
    }
    int64_t count = foray_clusters_of(clusters, state, cluster, weight), k = 0;
    double u = fy_unit(fy_random_bits(draw->seed, FY_STREAM_POLICY, draw->episode, draw->step, 2));
    while (k < count - 1 && (u -= weight[k]) >= 0)
        k++;
    return foray_policy_draw(policy, draw, cluster[k]);
}

static foray_status fill_reward(foray_context *ctx, foray_system *system,
                                const foray_clusters *clusters, int64_t index, foray_reward *reward)
{
    double state[FY_MAX_DIMENSIONS];
    foray_status status = FORAY_OK;
    for (int64_t x = 0; x < clusters->count && status == FORAY_OK; x++) {
        foray_clusters_centre(clusters, x, state);
        for (int64_t a = 0; a < system->spec.actions && status == FORAY_OK; a++) {
            double value = 0;
            status = fy_system_value(system, ctx, index, state, a, &value);
            if (status == FORAY_OK)
                status = foray_reward_set(ctx, reward, -1, x, a, value);
        }
    }
    return status;
}

foray_status foray_system_reward_create(foray_context *ctx, foray_system *system,
                                        const foray_clusters *clusters, const foray_model *model,
                                        int64_t index, foray_reward **out)
{
    foray_status status = fy_clusters_check_model(ctx, clusters, system, model);
    if (status != FORAY_OK)
        return status;
    if (index < 0 || index >= system->spec.rewards)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "reward %" PRId64 ", but %s has %" PRId64 " rewards",
                       index, system->spec.name, system->spec.rewards);
    foray_reward *reward = NULL;
    status = foray_reward_create(ctx, model, system->spec.reward_name[index], 0, 1, 0, &reward);
    if (status == FORAY_OK)
        status = fill_reward(ctx, system, clusters, index, reward);
    if (status != FORAY_OK) {
        foray_reward_destroy(reward);
        return status;
    }
    *out = reward;
    return FORAY_OK;
}

/* --------------------------------------------------------------- clusters of a policy */

/* Clusters that a policy keeps, so that it can be used without its system. */

foray_status foray_policy_keep_clusters(foray_context *ctx, foray_policy *policy,
                                        const foray_clusters *clusters)
{
    fy_arena *arena = fy_policy_arena(ctx, policy);
    foray_policy_clusters *kept;
    int64_t n = clusters->dimensions;
    if (clusters->count != policy->states)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%" PRId64 " clusters, but the policy has %" PRId64 " states",
                       clusters->count, policy->states);
    if (!clusters->kind->describe)
        return FORAY_OK;
    foray_policy_about *about = fy_policy_about(ctx, policy);
    if (!about || !FY_NEW(arena, kept, 1) || !FY_NEW(arena, kept->low, n) ||
        !FY_NEW(arena, kept->high, n))
        return FORAY_ERROR_MEMORY;
    kept->dimensions = n;
    memcpy(kept->low, clusters->low, (size_t)n * sizeof *kept->low);
    memcpy(kept->high, clusters->high, (size_t)n * sizeof *kept->high);
    foray_status status = clusters->kind->describe(arena, clusters, kept);
    if (status == FORAY_OK)
        about->clusters = kept;
    return status;
}

foray_status fy_policy_clusters_open(foray_context *ctx, const foray_policy *policy,
                                     foray_clusters **out)
{
    const foray_policy_clusters *kept = policy->about ? policy->about->clusters : NULL;
    if (!kept)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "the policy says nothing about clusters");
    const foray_system_spec spec = {.size = sizeof spec,
                                    .name = "the policy",
                                    .dimensions = kept->dimensions,
                                    .low = kept->low,
                                    .high = kept->high};
    foray_clusters *clusters;
    if (kept->dimensions < 1 || kept->dimensions > FY_MAX_DIMENSIONS)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "clusters of %" PRId64 " dimensions: there must be 1 to %d",
                       kept->dimensions, FY_MAX_DIMENSIONS);
    foray_status status = kept->cells ? fy_clusters_grid(ctx, &spec, kept->cells, &clusters)
                                      : fy_clusters_radial(ctx, &spec, policy->states, kept->centre,
                                                           kept->width, kept->nearest, &clusters);
    if (status != FORAY_OK)
        return status;
    if (foray_clusters_count(clusters) != policy->states) {
        foray_clusters_destroy(clusters);
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "the number of clusters is not the policy's number of states");
    }
    *out = clusters;
    return FORAY_OK;
}
