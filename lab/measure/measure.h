/* measure.h - exact values and occupancies in a model whose theta is known. */
#ifndef FY_MEASURE_H
#define FY_MEASURE_H

#include "foray/lab.h"
#include "plan/plan.h"
#include "plan/reward.h"

/* Everything one thread needs for as many evaluations as it likes. */
typedef struct fy_truth {
    const foray_model *model;
    fy_kernel *kernel;
    double *probability;  /* [generators] under theta */
    const double **table; /* [horizon] of the reward being looked at */
    double *value;        /* two layers */
} fy_truth;

/* FORAY_ERROR_INPUT if the model does not know its theta. */
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

/* Looks for the worst reward: rewards of all families, an adversary, and the truth. */
typedef struct fy_judge {
    foray_family *family[FORAY_FAMILIES];
    double *gap[FORAY_FAMILIES]; /* of each reward, when last measured */
    fy_truth *truth;
} fy_judge;

/* `rewards` of each family, or every goal state if there are no more. */
foray_status fy_judge_create(foray_context *ctx, const foray_model *model, int64_t rewards,
                             uint64_t seed, fy_judge **out);
void fy_judge_destroy(fy_judge *judge);

/* The worst gap of plans that the explorer makes in `mode`, after `rounds` rounds of the
 * adversary. `worst` (may be NULL) receives its reward, which the caller owns. */
foray_status fy_judge_worst(foray_context *ctx, fy_judge *judge, foray_explorer *explorer, int mode,
                            int64_t rounds, double *gap, foray_reward **worst);

/* Sorts numbers, none or all of them NaN; and the middle of sorted ones. */
void fy_sort(int64_t count, double *value);
double fy_median(int64_t count, const double *sorted);

/* I_x(a,b), the regularised incomplete beta function; a, b > 0. */
double fy_incomplete_beta(double x, double a, double b);

/* The exact (Clopper-Pearson) interval of a probability, of which `successes` of `trials`
 * independent trials are known; at least one trial. */
typedef struct fy_interval {
    double low, high;
} fy_interval;
fy_interval fy_binomial_interval(int64_t trials, int64_t successes, double confidence);

void fy_policies_destroy(int64_t count, foray_policy **policies);

#endif
