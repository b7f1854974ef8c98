/* clusters.h - what the kinds of clusters have in common: memberships P(x|s), middles, and
 * points spread over a cluster. */
#ifndef FY_CLUSTERS_H
#define FY_CLUSTERS_H

#include "base/base.h"

/* Points are made this many at a time, so that room for them does not depend on how many
 * are asked for. */
enum { FY_POINTS = 256 };

/* The most clusters that a state belongs to, of any kind: for arrays on the stack. */
enum { FY_MAX_MEMBERSHIPS = 64 };

/* Points first..first+count-1 of those that spread over a cluster with density proportional
 * to P(x|s). `first` is a multiple of FY_POINTS, count at most that. */
typedef struct fy_points {
    int64_t cluster;
    uint64_t seed;
    int64_t first, count;
    double *room; /* clusters->room numbers of scratch */
} fy_points;

typedef struct fy_clusters_kind {
    /* As foray_clusters_of and foray_clusters_centre. */
    int64_t (*of)(const foray_clusters *clusters, const double *state, int32_t *cluster,
                  double *weight);
    void (*centre)(const foray_clusters *clusters, int64_t cluster, double *state);
    /* What is asked for: [count][dimensions]. */
    void (*points)(const foray_clusters *clusters, const fy_points *wanted, double *point);
    /* Where a cluster lies on the map of rows x cols; NULL: there is none. */
    void (*cell)(const foray_clusters *clusters, int64_t cluster, int64_t *row, int64_t *col);
    void (*destroy)(void *self);
    /* What a policy file says about them, but for the box (foray_policy_clusters); NULL: nothing.
     */
    foray_status (*describe)(fy_arena *arena, const foray_clusters *clusters,
                             foray_policy_clusters *out);
    /* Every state is a cluster of its own: nothing is aggregated. */
    bool exact;
    /* A box that holds all states of a cluster; NULL: that of the system. */
    void (*extent)(const foray_clusters *clusters, int64_t cluster, double *low, double *high);
} fy_clusters_kind;

struct foray_clusters {
    const fy_clusters_kind *kind;
    void *self;
    int64_t count, max, dimensions;
    int64_t room; /* numbers of scratch that `points` needs */
    int64_t rows, cols;
    double *low, *high; /* [dimensions] */
};

/* The clusters of one state, ascending. */
typedef struct fy_members {
    int64_t count;
    int32_t cluster[FY_MAX_MEMBERSHIPS];
    double weight[FY_MAX_MEMBERSHIPS];
} fy_members;

static inline void fy_members_find(const foray_clusters *clusters, const double *state,
                                   fy_members *out)
{
    out->count = clusters->kind->of(clusters, state, out->cluster, out->weight);
}

/* A box that holds all states of a cluster. */
void fy_clusters_extent(const foray_clusters *clusters, int64_t cluster, double *low, double *high);

/* Clusters with the box of a system; on failure `self` is released. */
foray_status fy_clusters_create(foray_context *ctx, const foray_system_spec *spec,
                                const fy_clusters_kind *kind, void *self, foray_clusters **out);

/* foray_clusters_grid and foray_clusters_radial of a system of which only the name, the box and
 * whether it is finite matter. */
foray_status fy_clusters_grid(foray_context *ctx, const foray_system_spec *spec,
                              const int64_t *points, foray_clusters **out);
foray_status fy_clusters_radial(foray_context *ctx, const foray_system_spec *spec, int64_t count,
                                const double *centre, double width, int64_t nearest,
                                foray_clusters **out);

/* Clusters and models are made for systems: do the sizes agree? */
foray_status fy_clusters_check(foray_context *ctx, const foray_clusters *clusters,
                               const foray_system *system);
foray_status fy_clusters_check_model(foray_context *ctx, const foray_clusters *clusters,
                                     const foray_system *system, const foray_model *model);

/* ------------------------------------------------------------ points, evenly spread */

/* The step of an additive sequence in n dimensions (Roberts 2018): with g the positive root
 * of g^(n+1) = g + 1, step[j] = g^-(j+1); n = 1 is the golden ratio. */
void fy_spread_steps(int64_t n, double *step);

/* The fraction of start + k step: evenly spread in [0,1) over k. */
double fy_spread(double start, double step, int64_t k);

#endif
