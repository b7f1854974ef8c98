/* cache.h - aggregated models on disk. */
#ifndef FY_CACHE_H
#define FY_CACHE_H

#include "aggregate/clusters.h"
#include "system/system.h"

/* Where the model of this aggregation is kept: a path to be released with free(). Its name is
 * a hash of everything the model depends on. *out stays NULL where the cache is not to be
 * used. */
foray_status fy_cache_path(foray_context *ctx, foray_system *system, const foray_clusters *clusters,
                           const foray_aggregation *aggregation, char **out);

/* The model that lies there; *cache becomes FORAY_CACHE_HIT if there is one, REPAIRED if it is
 * damaged and must be replaced, STORED if there is none yet. */
foray_status fy_cache_find(foray_context *ctx, const char *path, const foray_clusters *clusters,
                           const foray_system *system, foray_cache_outcome *cache,
                           foray_model **out);

#endif
