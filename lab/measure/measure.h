/* measure.h - how good is what an explorer has learnt? By definition, the worst gap
 * E_mu[V* - V^pi] over rewards, pi being the policy planned for each. This needs a model that knows
 * its theta. Gaps within rounding of 0 are 0.
 *
 *   truth.c       exact values and occupancies
 *   family.c      families of rewards
 *   gaps.c        gaps over families, the adversary, the worst of all
 *   statistics.c  many numbers as a few */
#ifndef FY_MEASURE_H
#define FY_MEASURE_H

#include "explore/explorer.h"
#include "plan/layout.h"

/* Everything one thread needs for as many evaluations as it likes. */
typedef struct fy_truth {
    fy_arena arena;
    const foray_model *model;
    fy_exact exact;
    double *probability; /* [generators] under theta */
} fy_truth;

/* FORAY_ERROR_INPUT if theta is not known in the model. */
foray_status fy_truth_create(foray_context *ctx, const foray_model *model, fy_truth **out);
void fy_truth_destroy(fy_truth *truth);

/* E_mu V^pi of actions [horizon][states]. */
double fy_truth_value(fy_truth *truth, const foray_reward *reward, const int32_t *actions);
/* E_mu V*; `actions`, if not NULL, receives a policy that attains it. */
double fy_truth_best(fy_truth *truth, const foray_reward *reward, int32_t *actions);
/* q_t(s) = P(s_t = s) when following `actions`, [horizon][states]. */
void fy_truth_occupancy(const fy_truth *truth, const int32_t *actions, double *q);

/* optimal - value, where differences within rounding are 0. */
double fy_gap(const foray_model *model, double optimal, double value);

/* ------------------------------------------------------------------------- families */

/* Families of rewards. GOALS: 1 in one state, for every state. DENSE: uniform in
 * [0,1) for each (s,a). SPARSE: the same for about one pair in twenty, 0 elsewhere.
 * TIMED: uniform for each step and (s,a). */
typedef enum fy_family_kind {
    FY_GOALS,
    FY_DENSE,
    FY_SPARSE,
    FY_TIMED,
    FY_FAMILIES /* how many there are */
} fy_family_kind;

typedef struct fy_family {
    fy_family_kind kind;
    int64_t count;
    foray_reward **reward; /* [count] */
    double *optimal;       /* [count] E_mu V* */
} fy_family;

/* `count` rewards of a kind, the same for the same seed. Goals: `count` different
 * states drawn at random, or every state if there are no more, or if count is 0. */
foray_status fy_family_create(foray_context *ctx, const foray_model *model, fy_family_kind kind,
                              int64_t count, uint64_t seed, fy_family **out);
void fy_family_destroy(fy_family *family);

/* The rewards of all families, `goals` goal states (0: every state) and `rewards` of each random
 * kind. Release them in any case. */
foray_status fy_families_create(foray_context *ctx, const foray_model *model, int64_t goals,
                                int64_t rewards, uint64_t seed, fy_family *family[FY_FAMILIES]);
void fy_families_destroy(fy_family *family[FY_FAMILIES]);

/* ----------------------------------------------------------------------------- gaps */

/* Plans for `count` rewards, as foray_explorer_plan does: what is to be measured. */
typedef foray_status (*fy_planner_fn)(void *user, int64_t count, const foray_reward *const *rewards,
                                      foray_policy **policies);

/* A planner that asks an explorer; `user` is a fy_explorer_planner. */
typedef struct fy_explorer_planner {
    foray_explorer *explorer;
    foray_mode mode;
} fy_explorer_planner;
foray_status fy_plan_with_explorer(void *user, int64_t count, const foray_reward *const *rewards,
                                   foray_policy **policies);

typedef struct fy_gaps {
    double worst, mean;
    int64_t worst_index; /* of the reward that is worst */
} fy_gaps;

/* Worst and mean gap of a planner over a family. `gap`, if not NULL, receives the gap of each
 * reward. */
foray_status fy_measure(foray_context *ctx, fy_truth *truth, const fy_family *family,
                        fy_planner_fn plan, void *user, double *gap, fy_gaps *out);

/* Searches for the worst reward, from each of `starts` rewards for at most `rounds` rounds: r moves
 * towards 1 where the occupancy of the optimal policy exceeds that of the planned one and towards 0
 * where it is less, by the step that makes the gap of the policy planned for it largest. *gap is
 * the worst found, so never less than that of any start. `worst` (may be NULL) receives its reward,
 * which the caller owns. */
foray_status fy_adversary(foray_context *ctx, fy_truth *truth, fy_planner_fn plan, void *user,
                          int64_t starts, const foray_reward *const *start, int64_t rounds,
                          double *gap, foray_reward **worst);

/* Looks for the reward whose plan is worst: rewards of all families, then an adversary. */
typedef struct fy_worst_search {
    fy_family *family[FY_FAMILIES];
    bool shared; /* the families are somebody else's */
    fy_truth *truth;
    double *gap[FY_FAMILIES];  /* of each reward, when last measured */
    fy_gaps gaps[FY_FAMILIES]; /* and of each family */
} fy_worst_search;

/* With `rewards` of each family, or every goal state if there are no more. */
foray_status fy_worst_search_create(foray_context *ctx, const foray_model *model, int64_t rewards,
                                    uint64_t seed, fy_worst_search **out);
/* With families that are there already, and outlive it. */
foray_status fy_worst_search_share(foray_context *ctx, const foray_model *model,
                                   fy_family *const *family, fy_worst_search **out);
void fy_worst_search_destroy(fy_worst_search *search);

/* The worst gap of plans that the explorer makes in `mode`, after `rounds` rounds of the
 * adversary. `worst` (may be NULL) receives its reward, which the caller owns. */
foray_status fy_worst_search_run(foray_context *ctx, fy_worst_search *search,
                                 foray_explorer *explorer, foray_mode mode, int64_t rounds,
                                 double *gap, foray_reward **worst);

/* ----------------------------------------------------------------------- statistics */

/* A summary of several numbers. The interquartile mean leaves out the lowest and the highest
 * quarter (numbers at the edge count in part); low..high is its percentile-bootstrap interval. */
typedef struct fy_summary {
    double iqm, low, high, median;
} fy_summary;

/* At least one number, none NaN. The interval holds the middle `confidence` of `resamples`
 * resampled interquartile means; the same seed gives the same. */
foray_status fy_summarise(foray_context *ctx, int64_t count, const double *value, int64_t resamples,
                          double confidence, uint64_t seed, fy_summary *out);

/* Sorts numbers, none or all of them NaN. */
void fy_sort(int64_t count, double *value);
/* Of sorted numbers: the one below which a share q lies, interpolated between neighbours; the
 * middle; and the least one at or below which a share q lies (NaN if there are none). */
double fy_quantile(int64_t count, const double *sorted, double q);
double fy_median(int64_t count, const double *sorted);
double fy_order_statistic(int64_t count, const double *sorted, double q);

/* I_x(a,b), the regularised incomplete beta function; a, b > 0. */
double fy_incomplete_beta(double x, double a, double b);

/* The exact (Clopper-Pearson) interval of a probability, of which `successes` of `trials`
 * independent trials are known; at least one trial. */
typedef struct fy_interval {
    double low, high;
} fy_interval;
fy_interval fy_binomial_interval(int64_t trials, int64_t successes, double confidence);

/* One slope for points in groups that may lie at different heights, by least squares:
 *     sum (x - mean of its group)(y - mean of its group) / sum (x - mean of its group)^2.
 * Points whose y is not finite are left out. NaN: no two different x in any group. */
typedef struct fy_grouped_points {
    int64_t count;
    const double *x, *y;  /* [count] */
    const int64_t *group; /* [count] ascending: those of a group stand side by side */
} fy_grouped_points;
double fy_common_slope(const fy_grouped_points *points);

#endif
