/* theorem.h - what the theorem promises with its constants, and one run of UCRL-RFE with these
 * constants, measured against it. */
#ifndef FY_THEOREM_H
#define FY_THEOREM_H

#include "measure/measure.h"

/* ---------------------------------------------------------------------- the theorem */

/* Theorem 1 of the paper with its constants: after how many episodes every plan of UCRL-RFE is
 * eps-optimal. The paper hides the constants in O~(H^5 d^2/eps^2); its proof has them.
 * docs/mathematics.md, "How many episodes", has the steps. */

/* What the number of episodes depends on. */
typedef struct fy_theorem_terms {
    double horizon, dim, norm_bound; /* H, d, B */
    double delta;
} fy_theorem_terms;

fy_theorem_terms fy_theorem_terms_of(const foray_model *model, double delta);

/* What the proof says of the first k episodes, with the radius for K of them. */
typedef struct fy_theorem_bound {
    double radius;      /* beta of K */
    double information; /* log det Sigma/det(lambda I) is at most this */
    double bonus;       /* the sum of all bonuses is at most this */
    double chance;      /* what luck may add, with probability 1 - delta/3 */
    double gap;         /* H/k (bonus + chance): bounds the gap for every reward */
} fy_theorem_bound;

fy_theorem_bound fy_theorem_bound_after(const fy_theorem_terms *terms, double K, double k);

/* K(eps): the least K for which the gap promised after K episodes is at most eps. */
double fy_theorem_episodes(const fy_theorem_terms *terms, double eps);

/* UCRL-RFE+: the largest term of the sum in its proof alone. No K for which this is more than eps
 * follows from the theorem. */
double fy_theorem_plus_bound(const fy_theorem_terms *terms, double K);
/* The least K for which it is at most eps: the theorem asks for at least as many. */
double fy_theorem_plus_episodes(const fy_theorem_terms *terms, double eps);

/* ---------------------------------------------------------------------- a run */

/* What was measured after some episodes. */
typedef struct fy_theorem_point {
    int64_t episode, plans;
    double gap;         /* the worst gap that was found, of optimistic plans */
    double bound;       /* the certificate for all rewards */
    double exploration; /* H V*_1(r), r the exploration reward: in the true model the proof
                         * bounds the gap by it */
    double distance;    /* ||theta - theta*||_Sigma / beta now */
    double information; /* log det Sigma/det(lambda I) */
    double bonus;       /* sum of min{H-h+1, 2 beta (1 + 1/H) w} over all steps; NaN if plans
                         * are not made in every episode */
} fy_theorem_point;

/* Who hears of a run. */
typedef struct fy_theorem_listener {
    foray_status (*take)(void *user, const fy_theorem_point *point); /* at every checkpoint */
    bool (*progress)(void *user, int64_t episode); /* every now and then; false: stop the run */
    void *user;
} fy_theorem_listener;

/* Plays settings->episodes episodes of an algorithm with a learner. FORAY_INTERRUPTED: told
 * to stop. */
foray_status fy_theorem_run(foray_context *ctx, const foray_model *model,
                            const foray_settings *settings, fy_worst_search *search, int64_t rounds,
                            const fy_theorem_listener *listener);

#endif
