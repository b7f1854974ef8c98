/* measure.h - exact values and occupancies in a model whose theta is known. */
#ifndef FY_MEASURE_H
#define FY_MEASURE_H

#include "foray/lab.h"
#include "plan/layout.h"

/* Everything one thread needs for as many evaluations as it likes. */
typedef struct fy_truth {
    const foray_model *model;
    fy_kernel *kernel;
    double *probability; /* [generators] under theta */
    fy_layout layout;    /* of the reward being looked at */
    double *value;       /* two layers */
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

/* foray_measure with a truth at hand. */
foray_status fy_measure(foray_context *ctx, fy_truth *truth, const foray_family *family,
                        foray_planner_fn plan, void *user, double *gap, foray_gaps *out);

/* foray_adversary with a truth at hand. */
foray_status fy_adversary(foray_context *ctx, fy_truth *truth, foray_planner_fn plan, void *user,
                          int64_t starts, const foray_reward *const *start, int64_t rounds,
                          double *gap, foray_reward **worst);

/* The rewards of a family with the two largest gaps, or its only one; returns how many. */
int64_t fy_two_worst(const foray_family *family, const double *gap, const foray_reward *worst[2]);

/* The rewards of all families, `goals` goal states (0: every state) and `rewards` of each random
 * kind. Release them in any case. */
foray_status fy_families_create(foray_context *ctx, const foray_model *model, int64_t goals,
                                int64_t rewards, uint64_t seed,
                                foray_family *family[FORAY_FAMILIES]);
void fy_families_destroy(foray_family *family[FORAY_FAMILIES]);

/* Looks for the reward whose plan is worst: rewards of all families, then an adversary. */
typedef struct fy_worst_search {
    foray_family *family[FORAY_FAMILIES];
    bool shared; /* the families are somebody else's */
    fy_truth *truth;
    double *gap[FORAY_FAMILIES];     /* of each reward, when last measured */
    foray_gaps gaps[FORAY_FAMILIES]; /* and of each family */
} fy_worst_search;

/* With `rewards` of each family, or every goal state if there are no more. */
foray_status fy_worst_search_create(foray_context *ctx, const foray_model *model, int64_t rewards,
                                    uint64_t seed, fy_worst_search **out);
/* With families that are there already, and outlive it. */
foray_status fy_worst_search_share(foray_context *ctx, const foray_model *model,
                                   foray_family *const *family, fy_worst_search **out);
void fy_worst_search_destroy(fy_worst_search *search);

/* The worst gap of plans that the explorer makes in `mode`, after `rounds` rounds of the
 * adversary. `worst` (may be NULL) receives its reward, which the caller owns. */
foray_status fy_worst_search_run(foray_context *ctx, fy_worst_search *search,
                                 foray_explorer *explorer, foray_mode mode, int64_t rounds,
                                 double *gap, foray_reward **worst);

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

#endif
