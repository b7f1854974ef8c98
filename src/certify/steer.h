/* steer.h - where the certificates of named rewards are decided, as a reward to explore with
 * (docs/algorithms/scout.md).
 *
 * D of gap.h is a sum over steps and states of what is in doubt there, weighed by how often the
 * choices that attain D get there: w. Each doubt is the norm of a vector of unknowns, so that D has
 * directions, and what it would fall by with more data is, to first order, a quadratic form of
 * them:
 *
 *   Y_g += w b v v'/||v||^2                for a doubt b whose vector v lies in block g
 *   rho(s,a) = min{1, kappa^2}/kappa^2 sum_j x_j' Y_g x_j / p_j
 *
 *   D = U + sup P D      b = U - (Qhat(s,a) - Vhat(s)) is divided among the blocks of dJ;
 *                        b = sup P D - P D,  v = sum_j x_j D(s_j);  w goes on along a
 *   D = sup P D          the second of these;  w goes on along pi(s)
 *   D = V_bar - V_low    w goes on twice, along V_bar's action and along pi for V_low, with
 *                        b = what the law adds or takes,  v = sum_j x_j (r_j + V(s_j)) of either
 *   D = 0                w ends
 *
 * (An action whose gain is bounded by Q_bar - V_low alone counts as the first: what it shares with
 * pi cancels later, while V_bar - V_low never becomes 0.) Where the vectors of all unknowns do not
 * fit, D = V_bar - V_low stands for every state. */
#ifndef FY_STEER_H
#define FY_STEER_H

#include "certify/certifier.h"

typedef struct fy_steer fy_steer;

/* Lives with the arena, and the certifier must outlive it. */
foray_status fy_steer_create(fy_arena *arena, fy_certifier *certifier, fy_steer **out);

/* Y = 0. */
void fy_steer_begin(fy_steer *steer);
/* Adds what the plug-in plan of a reward rests on, if its certificate is above `enough`; returns
 * the certificate, in the unit of planning. For the sets as they were estimated last. */
double fy_steer_add(fy_steer *steer, const foray_reward *reward, int ties, double enough);
/* rho of every pair, [pairs], divided by the largest; false where it is 0 everywhere. */
bool fy_steer_reward(fy_steer *steer, double *rho);
/* tr Y_g of every block, [blocks]: its part of what was added. */
void fy_steer_shares(const fy_steer *steer, double *share);

#endif
