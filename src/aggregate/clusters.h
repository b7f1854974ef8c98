/* clusters.h - what the kinds of clusters have in common: memberships P(x|s), middles, and
 * points spread over a cluster. */
#ifndef FY_CLUSTERS_H
#define FY_CLUSTERS_H

#include "system/system.h"

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

/* A grid of points[0] x points[1] x ... points over the box of up to 4 dimensions, each at
 * least 2, with multilinear interpolation. */
foray_status fy_grid_of_system(foray_context *ctx, const foray_system *system,
                               const int64_t *points, foray_clusters **out);
/* `count` centres, [count][dimensions], and P(x|s) proportional to
 * exp(-|s-x|^2 / (2 width^2)) in coordinates scaled by the box, over the `nearest` ones.
 * centre NULL: `count` points spread evenly over the box (a low-discrepancy sequence).
 * width 0: the mean distance to the nearest other centre. */
foray_status fy_radial_of_system(foray_context *ctx, const foray_system *system, int64_t count,
                                 const double *centre, double width, int64_t nearest,
                                 foray_clusters **out);
/* A finite system's own states: every state is its own cluster; no aggregation error. */
foray_status fy_clusters_states(foray_context *ctx, const foray_system *system,
                                foray_clusters **out);

/* fy_grid_of_system and fy_radial_of_system of a system of which only the name, the box and
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

/* The clusters that a policy keeps. FORAY_ERROR_USAGE: it keeps none. */
foray_status fy_policy_clusters_open(foray_context *ctx, const foray_policy *policy,
                                     foray_clusters **out);

/* The aggregation error, measured where `policy` goes in reality: over the states s of
 * rollouts, the difference between what follows s itself and what follows its clusters,
 *   | E[V(s')|s,a] - sum_x P(x|s) E[V(s')|x,a] |,  V the policy's value in the model,
 * both under `theta`, say a run's estimate (NULL: the model's own, if it knows it). The
 * weights in theta are made non-negative and scaled to sum to one, since those of an estimate
 * need not be. An estimate, not a bound: it is reported next to certificates, and is not part
 * of any. */
typedef struct fy_misfit {
    double mean, worst; /* per step */
    double episode;     /* summed over an episode: about how far values may be off */
    double outside;     /* share of steps that led where the model says nothing leads */
    int64_t states;     /* looked at */
} fy_misfit;
foray_status fy_aggregation_misfit(foray_context *ctx, foray_system *system,
                                   const foray_clusters *clusters, const foray_model *model,
                                   const double *theta, const foray_reward *reward,
                                   const foray_policy *policy, int64_t episodes, uint64_t seed,
                                   fy_misfit *out);

/* policy.c: what a policy of any kind does in a real state at step draw->step. A mixture keeps the
 * part that the episode draws; one that draws its actions does so in a cluster that is drawn by its
 * weight. */
int64_t fy_policy_draw_in(const foray_policy *policy, const foray_clusters *clusters,
                          const foray_draw *draw, const double *state);

/* ------------------------------------------------------------ draws for each cluster */

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

#endif
