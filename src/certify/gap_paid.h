/* gap_paid.h - certificates where the laws and the reward are both unknown (docs/mathematics.md,
 * "Rewards that are not known").
 *
 * A reward between r- and r+ is rhat + e z, |z| <= 1, with one unknown z_c for each pair or
 * transition c where the two differ: an interval is a block with one unknown. Values are linear in
 * the reward, and with R_h(s) the vector of e_c times the visits to c that pi expects from (h,s),
 *
 *   R_h(s,a) = sum_j p_j [R_{h+1}(s_j) + e_j u_c(j)],   Y_h(s,a) = sum_j x_j [the same]'
 *   Er_h(s)  = sum_c ||Y_c|| + sup P_theta Er_{h+1},    N_h(s) = sup P_theta (e_j + N_{h+1})
 *   |V^pi_{theta,r} - V^pi_{theta,rhat} - <z, R>| <= Er,   |V^pi_{theta,r} - V^pi_{theta,rhat}| <=
 * N
 *
 * so that U of gap.h, at rhat, gains W, the smaller of
 *
 *   sum_c |dR_c| + sum_c ||dY_c|| + sum_s' (|dp(s')| + ||dx(s')||) Er(s') + sup P e' at (s,a)
 *   sup P e at (s,a) + sup P e at (s,pi(s)) + sum_s' (|dp(s')| + ||dx(s')||) N(s'),
 *
 * e': of what pi meets nowhere, which has no column in R. What both meet equally often cancels, now
 * and later. V_bar is that of r+, V_low that of r-; |V^pi - Vhat| gains the smaller of
 * sum_c |R_c| + Er and N.
 *
 * Totals. Where an episode pays between LO and HI, whatever the policy, and between m_h(s) and
 * M_h(s) can have been paid before step h on a way to s,
 *
 *   V_bar_h(s,a) = sup P min{ r_j + V_bar_{h+1}(s_j), HI - m_h(s) },   V_low with max and LO - M
 *
 * and where what the pair pays is drawn, and may depend on what follows, after the mean and not
 * inside. That holds under the true law and what it can get to, not under all of the set. */
#ifndef FY_GAP_PAID_H
#define FY_GAP_PAID_H

#include "certify/gap_pass.h"

/* What one action earns, somewhere between r- and r+, in the unit of planning. */
typedef struct fy_paid_bounds {
    double pair;               /* r(s,a), without what depends on what follows */
    double *next;              /* [n] the rest */
    double given, *given_next; /* as r- was given */
    bool doubtful;             /* r- is not r+ */
} fy_paid_bounds;

/* Room for certificates of one policy, action[horizon][states], for a reward that is not known,
 * from an arena that ends with them. */
foray_status fy_paid_begin(fy_arena *arena, fy_gap_pass *gap, const foray_reward *reward,
                           const int32_t *action);
void fy_paid_end(fy_gap_pass *gap);

/* The middle (sign 0), the top (1) or the bottom (-1) of what an action earns; returns how far
 * rounding can have moved it. */
double fy_paid_bounds_of(fy_gap_paid *paid, int64_t t, const fy_gap_action *c, double sign,
                         fy_paid_bounds *out);

/* What (s,a) and all that follows can earn at most (sign 1), or at least, because of totals; and
 * whether it may be cut inside the mean. */
double fy_paid_cap(const fy_gap_paid *paid, int64_t t, int64_t pair, double sign);
bool fy_paid_cuts_inside(const fy_gap_paid *paid, const fy_gap_action *c);

/* R, Er and N of a state from gap->mine. */
void fy_paid_follow(fy_gap_pass *gap, int64_t t, int64_t s);
/* W of gap->other less gap->mine: by N, and by R. */
double fy_paid_apart(fy_gap_pass *gap, int64_t t, double left);
double fy_paid_apart_by_columns(fy_gap_pass *gap);
/* |V^pi_{theta,r} - V^pi_{theta,rhat}| at the first state. */
double fy_paid_width(fy_gap_pass *gap);
void fy_paid_next_step(fy_gap_paid *paid);

#endif
