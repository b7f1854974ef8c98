/* difference.h - what policies are worth, and how far apart two of them are, under one theta
 * (docs/mathematics.md, "Several rewards").
 *
 *   V^pi_theta = Vhat + <y, J> + e,  |e| <= E        for every theta of the set: J and E add up in
 *                                                    mixtures, and J is linear in the reward
 *   |[V^a - V^b] - [Vhat^a - Vhat^b]| <= ||J_a - J_b||_B + R,   R = min{ E_a + E_b, F(a,b), F(b,a)
 * }
 *
 *   F_h(s) = ||Psi^a(s) - Psi^b(s)||_* + sum_s' (|dP(s')| + ||dx(s')||_B) E^b_{h+1}(s')
 *            + sum_c a(c|s) sup_theta P_theta F_{h+1}(s,c),      d: under a(.|s) less under b(.|s)
 *
 * F is 0 wherever the two agree from a state on. */
#ifndef FY_DIFFERENCE_H
#define FY_DIFFERENCE_H

#include "certify/gap_mean.h"

typedef struct fy_difference_pass fy_difference_pass;

/* Of one policy for one reward, in the unit of planning. */
typedef struct fy_worth {
    double value; /* Vhat(mu) */
    double E;     /* with what rounding may have moved value and J by */
    double *J;    /* [unknowns] the caller's; where there are too many, E bounds all of it */
} fy_worth;

/* With the memory of a pass, which must outlive it, and four layers more. */
foray_status fy_difference_create(fy_arena *arena, fy_gap_pass *gap, fy_difference_pass **out);

void fy_worth_of(fy_difference_pass *pass, const foray_reward *reward, const fy_choices *policy,
                 fy_worth *out);
/* Of two, and R. */
double fy_worth_of_two(fy_difference_pass *pass, const foray_reward *reward, const fy_choices *a,
                       const fy_choices *b, fy_worth *of_a, fy_worth *of_b);

/* ||v||_B of a vector as J is. */
double fy_difference_norm(const fy_difference_pass *pass, const double *v);

#endif
