/* limits.h - as much as possible of one reward, while others stay above levels
 * (docs/mathematics.md, "Several rewards"):
 *
 *     max V(r_0)   with   V(r_i) >= c_i, i = 1..m              "at most" is -r_i >= -c_i
 *
 * For a mixture mu of policies and any lambda >= 0, with r_lam = r_0 + sum_i lambda_i r_i and
 * s = sum_i lambda_i r_i, under every law of the set and against every policy within the limits
 *
 *     within the limits:   low(mu; r_i) >= c_i
 *     loss <= sum_k mu_k D(pi_k; r_lam) + high(mu; s) - lambda.c,  and
 *     loss <= V_top(r_lam) - low(mu; r_0) - lambda.c
 *     nobody is within:    V_top(s) < lambda.c
 *
 * whatever mu and lambda are: how they were found needs no proof. */
#ifndef FY_LIMITS_H
#define FY_LIMITS_H

#include "tradeoff/weigher.h"

enum { FY_MAX_PARTS = 2 * (FORAY_MAX_LIMITS + 1) };

/* A mixture of a pool's policies. */
typedef struct fy_odds {
    int64_t count;
    int64_t which[FY_MAX_PARTS]; /* of the pool */
    double share[FY_MAX_PARTS];
} fy_odds;

typedef struct fy_limits {
    fy_arena *arena;
    fy_weigher *weigher; /* rewards 0..m: r_0, and those with limits */
    int64_t m;
    const double *bound; /* [m] c_i, of u_i */
    int64_t policies, room;
    fy_weighed *policy; /* the pool */
    fy_odds mixture;
    double lambda[FORAY_MAX_LIMITS]; /* of values u_i/scale_i: of the last round, or behind the
                                      * proof that nobody is within the limits */
    double first[FORAY_MAX_LIMITS];  /* and of the first round */
    double low[FORAY_MAX_LIMITS + 1], high[FORAY_MAX_LIMITS + 1]; /* of u_0 and every u_i */
    double needed, top; /* lambda.c and V_top(s), where t < 0 */
    double loss;        /* of u_0 */
    foray_limits_outcome outcome;
} fy_limits;

/* What belongs to it is from the arena. FORAY_INTERRUPTED. */
foray_status fy_limits_find(fy_arena *arena, fy_weigher *weigher, const double *bound,
                            fy_limits *out);

#endif
