/* certifier.h - from counts to certificates: the confidence set of the data so far, and what it
 * proves about policies and about all rewards at once.
 *
 * A model's blocks share delta equally, whether they are mixtures or not: G counts every block
 * with something unknown. Mixture blocks have the likelihood set; the others, and all blocks where
 * features are estimates, keep the ellipsoid of a regression, if there is one. Two centres of the
 * same set are used, which costs nothing: the maximum of the likelihood for policies, and a point
 * inside the simplex for the bound for all rewards, which divides by probabilities. */
#ifndef FY_CERTIFIER_H
#define FY_CERTIFIER_H

#include "certify/all_rewards.h"
#include "certify/difference.h"
#include "certify/drawn.h"
#include "certify/gap.h"
#include "learn/likelihood.h"
#include "policy/policy.h"

/* More would not help: what is best is a few times as old as all data. */
enum { FY_EARLIERS = 3 };

/* Ellipsoids of a regression for the blocks that are not mixtures, in the model's own basis. */
typedef struct fy_regression_set {
    const fy_ridge *ridge;
    const double *z, *radius; /* at delta/G for each block */
} fy_regression_set;

typedef struct fy_certifier {
    foray_context *ctx;
    const foray_model *model;
    fy_vectors *vectors;
    int64_t *count; /* [slots] */
    fy_likelihood *likelihood;
    fy_likelihood_fit *fit;              /* [blocks] of the last estimate; zero for other blocks */
    bool refits;                         /* false: the likelihood is that of all data */
    fy_refit *refit;                     /* made when it is first needed, as are */
    int64_t *earlier_count[FY_EARLIERS]; /* [slots] each */
    fy_earlier earlier[FY_EARLIERS];     /* of which the first `earliers` are there */
    int64_t earliers;
    fy_confidence *set, *inside;
    fy_gap_pass *gap;
    bool joint;                     /* the gap's vectors fit into memory */
    fy_drawn_pass *drawn;           /* made when they are first needed, */
    fy_difference_pass *difference; /* too */
    fy_all_rewards *all;
    fy_inner *inner;
    int64_t blocks; /* G */
} fy_certifier;

/* Does block g have a likelihood set: is it a mixture of laws, with exact features? */
bool fy_certifier_has_likelihood(const fy_certifier *certifier, int64_t g);

/* Can every block of the model be given a set: do all have a likelihood, or is there a regression
 * for the rest? */
bool fy_certifier_possible(const fy_certifier *certifier, bool regression);

/* How many blocks with something unknown have the set of a regression. */
int64_t fy_certifier_regressed(const fy_certifier *certifier);

/* Lives and ends with the arena, as all that it is made of. `memory`: MiB for vectors of unknowns.
 */
foray_status fy_certifier_create(fy_arena *arena, const foray_model *model, int64_t memory,
                                 fy_certifier **out);

/* Estimates are refits from now on: seen[i] are the counts after 4^number[i] episodes. */
foray_status fy_certifier_remember(fy_arena *arena, fy_certifier *certifier, int64_t count,
                                   const int64_t *number, int64_t *const *seen);
/* And no longer. */
void fy_certifier_forget(fy_certifier *certifier);

/* The sets of the data so far. seen: [transitions] how often each was seen, laid out as
 * model->succ. regression may be NULL where all blocks have a likelihood. `scale` multiplies the
 * radii of likelihood sets: below 1 nothing is certified. */
void fy_certifier_estimate(fy_certifier *certifier, const int64_t *seen, double delta, double scale,
                           const fy_regression_set *regression);

/* Certificates of one policy, until fy_certifier_end_policy, for a reward that may lie between two
 * (fy_reward.above): what that needs is taken from an arena that ends afterwards. Nothing happens
 * where the reward is known. */
foray_status fy_certifier_begin_policy(fy_arena *arena, fy_certifier *certifier,
                                       const foray_reward *reward, const int32_t *action);
void fy_certifier_end_policy(fy_certifier *certifier);

/* The sets of another, of a model with the same laws and unknowns. */
void fy_certifier_take(fy_certifier *certifier, const fy_certifier *from);

/* What a policy loses at most, action[horizon][states]. */
fy_gap_result fy_certifier_policy(fy_certifier *certifier, const foray_reward *reward,
                                  const int32_t *action);

/* any_policy.c: the same of a policy of any kind. A mixture loses sum_k odds_k D_k at most; its
 * interval adds up J of its parts before it takes norms. FORAY_ERROR_MEMORY. */
foray_status fy_certifier_any_policy(fy_arena *arena, fy_certifier *certifier,
                                     const foray_reward *reward, const foray_policy *policy,
                                     fy_gap_result *out);
/* V^a - V^b of two of any kind, in the unit of planning: Vhat^a - Vhat^b, and how far it can be
 * from that under any law of the set. Parts that both have are paired, and cancel. */
foray_status fy_certifier_difference(fy_arena *arena, fy_certifier *certifier,
                                     const foray_reward *reward, const foray_policy *a,
                                     const foray_policy *b, double *value, double *width);
/* Room for fy_certifier.difference. */
foray_status fy_certifier_need_differences(fy_arena *arena, fy_certifier *certifier);

/* Between which bounds each probability of a generator set lies, everywhere at once, whenever theta
 * is in the set: a number for each of its generators. */
void fy_certifier_intervals(const fy_certifier *certifier, int64_t generator_set, double *low,
                            double *high);

/* What the plug-in plan of any reward of a kind, in [0,1], loses at most. */
double fy_certifier_all(fy_certifier *certifier, foray_reward_kind kind);

#endif
