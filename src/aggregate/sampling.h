/* sampling.h - the features of one cluster after the other, by asking simulators. */
#ifndef FY_SAMPLING_H
#define FY_SAMPLING_H

#include "aggregate/clusters.h"
#include "system/system.h"

/* What is sampled, the same for all threads. */
typedef struct fy_sampling {
    const foray_system *system;
    const foray_clusters *clusters;
    uint64_t point_seed, draw_seed; /* of points in clusters, and of what follows them */
    int64_t points;                 /* of each cluster */
    int64_t each;                   /* draws from a point: 2, or 1 if nothing is random; N both */
    double log_term;                /* L of fy_mean_error */
} fy_sampling;

/* What the independent random numbers of an aggregation's seed are for. */
enum { FY_SEED_POINTS, FY_SEED_DRAWS, FY_SEED_RESETS };
uint64_t fy_aggregation_seed(const foray_aggregation *aggregation, uint64_t round, uint32_t what);

/* Two draws from each point tell how much is chance; where nothing is, one will do. */
static inline int64_t fy_draws_each(const foray_system *system)
{
    return system->ops.deterministic ? 1 : 2;
}

/* The points of a cluster, with their number fixed beforehand. */
static inline int64_t fy_points_of_draws(const foray_system *system, int64_t draws)
{
    int64_t each = fy_draws_each(system);
    return (draws + each - 1) / each;
}

/* The clusters that follow a pair: those met so far, and for each simulator the sum of
 * their weights and of the squared differences between the two draws from a point. */
typedef struct fy_successor_clusters {
    int32_t *slot; /* [clusters] place in the lists below, plus 1; 0: not met */
    int64_t count, room;
    int32_t *cluster;
    double *sum, *square; /* [room][simulators] */
    double *Q;            /* [simulators] as in fy_scatter */
} fy_successor_clusters;

/* Pairs as a model is assembled from them (fy_model_parts), in growing arrays. */
typedef struct fy_feature_rows {
    fy_arena arena;
    int64_t pairs, pair_room;
    int64_t *succ_start; /* [pairs+1] */
    int64_t succs, succ_room;
    int32_t *succ;
    int64_t *feat_start; /* [succs+1] */
    int64_t feats, feat_room;
    int32_t *feat_index;
    double *feat_value;
} fy_feature_rows;

/* One thread's place of work. */
typedef struct fy_sampler {
    fy_arena arena;
    const fy_sampling *what;
    foray_context *ctx; /* the caller's if there is one sampler, else `own` */
    foray_context own;
    foray_system_query *query;
    double *point, *room, *from, *next;
    fy_successor_clusters *met; /* [actions] */
    fy_feature_rows rows;
    double error;       /* the largest met */
    fy_scatter scatter; /* and where it comes from */
    foray_status status;
} fy_sampler;

/* One of `samplers`: with several, each has a context of its own. */
foray_status fy_sampler_create(foray_context *ctx, const fy_sampling *what, int samplers,
                               fy_sampler **out);
void fy_sampler_destroy(fy_sampler *w);

/* Adds all pairs of clusters first..end-1 to the rows; `status` tells how it went. */
void fy_sampler_work(fy_sampler *w, int64_t first, int64_t end);

void fy_feature_rows_free(fy_feature_rows *rows);
/* Moves what `from` holds behind what `to` holds. */
foray_status fy_feature_rows_move(foray_context *ctx, fy_feature_rows *from, fy_feature_rows *to);

#endif
