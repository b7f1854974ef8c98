/* drawn.h - the gap certificate of policies that draw their actions (docs/mathematics.md, "Several
 * rewards"): with means over pi(.|s) as gap_mean.h has them,
 *
 *   U_h(s,a) = Qhat(s,a) - Vhat(s) + ||J(s,a) - J(s)||_B + ||Psi(s,a) - Psi(s)||_*
 *              + sum_s' (|P(s'|s,a) - P(s'|s)| + ||x_s'(s,a) - x_s'(s)||_B) E_{h+1}(s')
 *   D_h(s) = max_a [ U_h(s,a) + sup_theta P_theta D_{h+1}(s,a) ]           over all a,
 *
 * between 0 and V_bar - V_low. Only where all that pi(.|s) mixes is one action, or actions that are
 * equal to it, is U = 0 known: elsewhere no action of pi has the advantage 0, only their mean has.
 */
#ifndef FY_DRAWN_H
#define FY_DRAWN_H

#include "certify/gap_mean.h"

typedef struct fy_drawn_pass fy_drawn_pass;

/* With the memory of a pass, which must outlive it. */
foray_status fy_drawn_create(fy_arena *arena, fy_gap_pass *gap, fy_drawn_pass **out);

/* Certifies a policy for a reward, whether it draws its actions or not. */
fy_gap_result fy_drawn_certify(fy_drawn_pass *drawn, const foray_reward *reward,
                               const fy_choices *choices);

#endif
