/* kept.c - clusters that a policy keeps, so that it can be used without its system. */
#include "aggregate/clusters.h"
#include "plan/policy.h"
#include "system/system.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static foray_status describe(foray_context *ctx, const foray_clusters *clusters,
                             foray_policy_clusters *out)
{
    int64_t n = out->dimensions = clusters->dimensions;
    if (!FY_ALLOC(ctx, out->low, n) || !FY_ALLOC(ctx, out->high, n))
        return FORAY_ERROR_MEMORY;
    memcpy(out->low, clusters->low, (size_t)n * sizeof *out->low);
    memcpy(out->high, clusters->high, (size_t)n * sizeof *out->high);
    return clusters->kind->describe(ctx, clusters, out);
}

foray_status foray_policy_keep_clusters(foray_context *ctx, foray_policy *policy,
                                        const foray_clusters *clusters)
{
    foray_policy_clusters *kept;
    if (clusters->count != policy->states)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%" PRId64 " clusters, but the policy has %" PRId64 " states",
                       clusters->count, policy->states);
    if (!clusters->kind->describe)
        return FORAY_OK;
    foray_policy_about *about = fy_policy_about(ctx, policy);
    if (!about || !FY_ALLOC(ctx, kept, 1))
        return FORAY_ERROR_MEMORY;
    foray_status status = describe(ctx, clusters, kept);
    if (status != FORAY_OK) {
        fy_policy_clusters_destroy(kept);
        return status;
    }
    fy_policy_clusters_destroy(about->clusters);
    about->clusters = kept;
    return FORAY_OK;
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
    if (kept->dimensions < 1 || kept->dimensions > FY_MOST_DIMENSIONS)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "clusters of %" PRId64 " dimensions: there must be 1 to %d",
                       kept->dimensions, FY_MOST_DIMENSIONS);
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
