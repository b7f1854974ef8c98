/* support_tradeoff.h - what tests of fronts and limits share: small random models with what was
 * seen of them, several rewards, and the values of policies under any law, by dense recursions. */
#ifndef SUPPORT_TRADEOFF_H
#define SUPPORT_TRADEOFF_H

#include "support_laws.h"
#include "tradeoff/weigher.h"

enum { TRADE_STATES = 4, TRADE_ACTIONS = 3, TRADE_STEPS = 4, TRADE_REWARDS = 4, TRADE_THETA = 256 };

typedef double trade_law[TRADE_STATES][TRADE_ACTIONS][TRADE_STATES]; /* P(s'|s,a) */
typedef double trade_table[TRADE_STEPS][TRADE_STATES][TRADE_ACTIONS]
                          [TRADE_STATES]; /* r, with g^t */

typedef struct trade_scene {
    foray_context *ctx;
    foray_model *model;
    fy_certifier *certifier;
    int64_t count; /* rewards */
    foray_reward *reward[TRADE_REWARDS];
    trade_table table[TRADE_REWARDS];
    fy_weigher *weigher;
    support_random random;
} trade_scene;

/* Everything follows from the number; with a certifier of radii times `scale`, or 0: theta is
 * known.
 */
trade_scene *trade_make(uint64_t seed, int64_t rewards, double scale, const double *sign);
void trade_free(trade_scene *it);

void trade_law_of(const trade_scene *it, const double *theta, trade_law law);
/* V(r_i) of a policy, and max_pi sum_i k_i V(r_i), under a law. */
double trade_value(const trade_scene *it, trade_law law, int64_t i, const int32_t *action);
double trade_best(const trade_scene *it, trade_law law, const double *weight);

/* max V(r_0) sign_0 with sign_i V(r_i) >= bound_i, by GLPK over occupation measures; false: no
 * policy is within the limits. */
bool trade_exact(const trade_scene *it, trade_law law, const double *bound, double *best);

#endif
