/* promise.h - Theorem 1 of the paper with its constants: after how many episodes every
 * plan of UCRL-RFE is eps-optimal. The paper hides the constants in O~(H^5 d^2/eps^2); its
 * proof has them. docs/mathematics.md, "How many episodes", has the steps. */
#ifndef FY_PROMISE_H
#define FY_PROMISE_H

#include "foray/foray.h"

/* What the number of episodes depends on. */
typedef struct fy_promise_terms {
    double horizon, dim, norm_bound; /* H, d, B */
    double delta;
} fy_promise_terms;

fy_promise_terms fy_promise_terms_of(const foray_model *model, double delta);

/* What the proof says of the first k episodes, with the radius for K of them. */
typedef struct fy_promise {
    double radius;      /* beta of K */
    double information; /* log det Sigma/det(lambda I) is at most this */
    double bonus;       /* the sum of all bonuses is at most this */
    double chance;      /* what luck may add, with probability 1 - delta/3 */
    double gap;         /* H/k (bonus + chance): bounds the gap for every reward */
} fy_promise;

fy_promise fy_promise_after(const fy_promise_terms *terms, double K, double k);

/* K(eps): the least K for which the gap promised after K episodes is at most eps. */
double fy_promise_episodes(const fy_promise_terms *terms, double eps);

/* UCRL-RFE+: the largest term of the sum in its proof alone. No K for which this is more than eps
 * follows from the theorem. */
double fy_promise_plus_least(const fy_promise_terms *terms, double K);
/* The least K for which it is at most eps: the theorem asks for at least as many. */
double fy_promise_plus_episodes(const fy_promise_terms *terms, double eps);

#endif
