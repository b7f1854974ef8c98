/* cache.h - aggregated models on disk. */
#ifndef FY_CACHE_H
#define FY_CACHE_H

#include "aggregate/clusters.h"
#include "system/system.h"

/* Where the model of an aggregation is kept. */
enum { FY_CACHE_KEY = 32 };
typedef struct fy_cache_entry {
    char *path;                 /* released with free(); NULL: the cache is not to be used */
    char key[FY_CACHE_KEY + 1]; /* a hash of everything the model depends on */
} fy_cache_entry;

/* Finds out where; *out must be empty, and stays so where the cache is not to be used. */
foray_status fy_cache_open(foray_context *ctx, foray_system *system, const foray_clusters *clusters,
                           const foray_aggregation *aggregation, fy_cache_entry *out);

/* The model that lies there; *cache becomes FORAY_CACHE_HIT if there is one, REPAIRED if it is
 * damaged or that of another entry and must be replaced, STORED if there is none yet. */
foray_status fy_cache_find(foray_context *ctx, const fy_cache_entry *entry,
                           const foray_clusters *clusters, const foray_system *system,
                           foray_cache_outcome *cache, foray_model **out);

/* Puts a model there. */
foray_status fy_cache_store(foray_context *ctx, const fy_cache_entry *entry,
                            const foray_model *model);

#endif
