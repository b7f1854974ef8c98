/* all_rewards.h - what the plug-in plan of *any* reward loses at most (docs/mathematics.md,
 * "Certificates").
 *
 *   kappa^2(s,a) = lambda_max( sum_j x_j x_j' / p_j ),
 *   so that |<theta - c, psi_V>| <= kappa sd_p(V)
 *
 * For all policies and rewards together |V^pi_theta - Vhat^pi| <= e_h(s), the smaller of two bounds
 * at every step: X, by Cauchy-Schwarz and the law of total variance, and Z, step by step:
 *
 *   w_h = max_a [kappa^2 + P w_{h+1}],                     w_H = 0
 *   y_h = max_a [kappa sqrt(P e_{h+1}^2) + P y_{h+1}],     y_H = 0
 *   X_h = (H-h)/2 sqrt(w_h) + y_h
 *   Z_h = max_a [beta (H-h) m(s,a) + min{ |P| e_{h+1}, sup_theta P_theta e_{h+1} }]
 *   e_h = min{ H-h, X_h, Z_h },                            e_H = 0
 *
 * with P = P_c and m of the inner maximisation. (|P| stands in Z for centres of regressions, some
 * of whose p_j may be negative; a law's mean is never above its sup.) The plug-in plan of every
 * reward in [0,1] loses at most min{2 e_1, H}(mu). X needs centres that are laws with p_j > 0
 * wherever x_j is not 0, and exact features; elsewhere it is H-h, beta m gains zeta, and sup P e
 * zeta span e.
 *
 * For rewards r(s,a,s') what this step gives is uncertain too: H-h+1 takes the place of H-h, with
 * w_{H+1} = y_{H+1} = e_{H+1} = 0. For the probability of reaching or avoiding states, 1 does. */
#ifndef FY_ALL_REWARDS_H
#define FY_ALL_REWARDS_H

#include "certify/confidence.h"
#include "learn/inner.h"

typedef struct fy_all_rewards fy_all_rewards;

foray_status fy_all_rewards_create(fy_arena *arena, const fy_confidence *set, fy_all_rewards **out);

/* The bound, with inner solved for set->ridge. */
double fy_all_rewards_bound(fy_all_rewards *all, const fy_inner *inner, foray_reward_kind kind);

/* kappa^2 of every generator set: where exploring pays. Infinite where p_j is not positive. */
const double *fy_all_rewards_kappa2(fy_all_rewards *all);

#endif
