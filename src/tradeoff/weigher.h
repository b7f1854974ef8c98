/* weigher.h - several rewards at once: plans, values and losses for their weighted sums
 * (docs/mathematics.md, "Several rewards").
 *
 * Of reward i as much as possible is wanted, or as little: u_i = sign_i V(r_i). A weighting asks
 * for sum_i k_i u_i, which is a reward itself, sum_i k_i sign_i r_i, with a range of its own: what
 * is certified of it is in its unit, and clips values to its range (rewards/sum.c).
 *
 * Under every law of the set   V^pi_theta(r_i) = Vhat + <y, J> + e,  |e| <= E:   J is linear in the
 * reward and adds up in mixtures, so that a few numbers of every policy give the intervals of all
 * mixtures and weightings without another pass. */
#ifndef FY_WEIGHER_H
#define FY_WEIGHER_H

#include "explore/explorer.h"
#include "plan/layout.h"

typedef struct fy_weigher {
    fy_arena arena;
    foray_context *ctx;
    const foray_model *model; /* whose states policies are about */
    fy_certifier *certifier;  /* or */
    foray_explorer *explorer; /* of an unstructured model, which plans and certifies by itself, with
                                 intervals of its own and without J; both NULL: theta is known, and
                                 losses are exact */
    int64_t count;
    const foray_reward *const *reward; /* [count] for that model */
    double *sign;                      /* [count] 1: as much as possible; -1: as little */
    double *scale;                     /* [count] hi - lo of each */
    double *most;                      /* [count] what an episode can differ by, at most */
    fy_exact exact;                    /* PLAN at the centre, or under theta */
    int64_t unknowns;                  /* entries of J; 0: none, or too many */
    foray_reward *sum;                 /* of the weighting that was set last, */
    double *weight;                    /* [count] which is this, */
    double best;                       /* and its best value under the centre; NaN: not planned */
    int32_t *room;                     /* [horizon][states] for a plan */
    double *J;                         /* [unknowns] for sums */
    int64_t plans, certificates;       /* how many were made */
    foray_policy *policy;              /* what the explorer is asked about, and */
    foray_status failed;               /* the first failure of that, which sticks */
} fy_weigher;

/* A policy and, for every reward, what it is worth: u_i under the centre; J and E, signed as u_i
 * is; and between which bounds u_i lies. */
typedef struct fy_weighed {
    int32_t *action; /* [horizon][states] */
    double *value;   /* [count] as it was planned */
    /* [count], and J [count][unknowns]; NULL: not asked for yet. `middle` is Vhat as J and E have
     * it, and differs from `value` by roundings. */
    double *middle, *J, *E, *low, *high;
} fy_weighed;

/* The model's certifier, which has been estimated and has room for differences; or the explorer of
 * an unstructured model; or neither, where theta is known. The caller keeps the rewards; sign:
 * [count], or NULL for what each reward says itself. FORAY_ERROR_INPUT where a reward cannot be
 * part of a sum. */
foray_status fy_weigher_create(foray_context *ctx, const foray_model *model,
                               fy_certifier *certifier, foray_explorer *explorer, int64_t count,
                               const foray_reward *const *rewards, const double *sign,
                               fy_weigher **out);
void fy_weigher_destroy(fy_weigher *weigher);

/* Whether all went well so far: an explorer failed, or somebody wants it to stop. */
foray_status fy_weigher_status(const fy_weigher *weigher);

/* The weighting that the calls below are about. */
foray_status fy_weigher_set(fy_weigher *weigher, const double *weight);

/* Its best value under the centre, and a policy that has it. */
double fy_weigher_plan(fy_weigher *weigher, int32_t *action);
/* D: what a policy loses at most of it; known models: what it does lose. */
double fy_weigher_loss(fy_weigher *weigher, const int32_t *action);
/* V_top: what no policy exceeds, by the plan for it, whose loss is given. */
foray_status fy_weigher_top(fy_weigher *weigher, const fy_weighed *plan, double loss, double *top);

/* A new policy with its values. */
foray_status fy_weigher_add(fy_weigher *weigher, const int32_t *action, fy_weighed *out);
/* And the rest of it, once. */
foray_status fy_weigher_find_worth(fy_weigher *weigher, fy_weighed *policy);

/* Of the policies with these odds, all with their worth: between which bounds sum_i k_i u_i lies
 * under every law, k >= 0. */
void fy_weigher_interval(fy_weigher *weigher, int64_t policies, const fy_weighed *policy,
                         const double *odds, const double *weight, double *low, double *high);

#endif
