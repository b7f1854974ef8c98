/* kept.c - clusters that a policy keeps, so that it can be used without its system. */
#include "aggregate/clusters.h"
#include "policy/policy.h"
#include "system/system.h"

#include <inttypes.h>
#include <string.h>

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

foray_status foray_policy_clusters_open(foray_context *ctx, const foray_policy *policy,
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
