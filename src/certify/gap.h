/* gap.h - how much better could another policy be? (docs/mathematics.md, "Certificates")
 *
 * Values under one theta. For a deterministic policy pi with values Vhat under the centre p,
 *
 *   J_h(s,a) = sum_j x_j Vhat_{h+1}(s_j) + sum_j p_j J_{h+1}(s_j)      a vector of all unknowns
 *   Psi_h(s,a) = sum_j x_j J_{h+1}(s_j)',
 *   E_h(s,a) = ||Psi_h(s,a)||_* + sup_theta P_theta E_{h+1}
 *   |V^pi_theta - Vhat - <y, J>| <= E                                  for every theta of the set
 *
 * with J_h(s) = J_h(s,pi(s)) and so on; ||v||_B sums the norms of v's blocks, ||Psi||_* the
 * Frobenius norms of its blocks of columns, and
 *
 *   sup_theta P_theta f <= min(max_j f_j, sum_j p_j f_j + ||sum_j x_j f_j||).
 *
 * Where features are estimates with error zeta (every law is P_theta and something that moves means
 * of f by at most zeta span f, spans over successors),
 *
 *   B_h(s,a) = zeta [ span Vhat_{h+1} + max_{j,k} ||J_{h+1}(s_j) - J_{h+1}(s_k)||_B ]
 *
 * is added to E_h(s,a), zeta span f to sup P f, and to U_h below B of both actions and 2 zeta max E
 * of both; no two actions are equal then.
 *
 * The gap. D = V*_theta - V^pi_theta obeys D_h = max_a [Adv^pi_theta + P_theta D_{h+1}], and with
 * differences "(s,a) less (s,pi(s))"
 *
 *   U_h(s,a) = Qhat(s,a) - Vhat(s) + ||dJ||_B + ||dPsi||_* + sum_s' (|dp(s')| + ||dx(s')||) E(s')
 *   D_h(s) = max{ sup P_theta D_{h+1}(s,pi(s)), max_a [U_h(s,a) + sup P_theta D_{h+1}(s,a)] },
 *
 * between 0 and V_bar_h(s) - V_low_h(s). To the third order, where unknowns are few,
 *
 *   K_h(s,a) = Psi_h(s,a) + sum_j p_j K_{h+1}(s_j),   T_h(s,a) = sum_j x_j K_{h+1}(s_j)
 *   rest_h(s,a) = ||T_h(s,a)|| + sup_theta P_theta rest_{h+1}
 *   |V^pi_theta - Vhat - <y, J> - y'Ky| <= rest
 *
 * (norms over pairs of blocks), and ||dK|| + ||dT|| + sum_s' (|dp(s')| + ||dx(s')||) rest(s') can
 * take the place of ||dPsi||_* and the sum over E in U, ||K|| + rest that of E.
 *
 * Where a reward looks ahead, r(s,a,s_j) + Vhat_{h+1}(s_j) takes the place of Vhat_{h+1}(s_j) in Q,
 * J and the bonuses (Psi, E and D are as before, and J_H is not 0). Where it is discounted, step t
 * has the reward g^t r_t. Where it stops, V is known and J = E = D = 0. D_1(mu) bounds what pi
 * loses, for every theta of the set; 0 proves that pi is optimal. */
#ifndef FY_GAP_H
#define FY_GAP_H

#include "certify/confidence.h"
#include "plan/layout.h"

typedef struct fy_gap_pass fy_gap_pass;

typedef struct fy_gap_result {
    double gap;       /* D_1(mu) */
    double value;     /* Vhat_1(mu) of the policy */
    double low, high; /* its value under every theta of the set lies between these */
    double values;    /* V_bar(mu) - V_low(mu): the older bound, from the same set */
} fy_gap_result;

/* Do the vectors of all unknowns fit into this many MiB, and into some seconds per policy? */
bool fy_gap_fits(const fy_confidence *set, int64_t memory);

/* Room for certificates from `set`, which must outlive it. joint: with J and Psi as above. Without
 * them theta may be another one in every state: E bounds all of V^pi_theta - Vhat,
 *   E_h(s,a) = ||sum_j x_j Vhat_j|| + sup P_theta E_{h+1},
 *   U_h(s,a) = Qhat(s,a) - Vhat(s) + ||d sum_j x_j Vhat_j|| + sum_s' (|dp(s')| + ||dx(s')||) E(s'),
 * which is valid, wider, and takes a few numbers per state. */
foray_status fy_gap_create(fy_arena *arena, const fy_confidence *set, bool joint,
                           fy_gap_pass **out);

/* Entries of J: all unknowns, or none without joint. */
int64_t fy_gap_unknowns(const fy_gap_pass *gap);

/* Whether the third order is used, where it fits; returns whether it was. For comparisons. */
bool fy_gap_use_third(fy_gap_pass *gap, bool wanted);

/* Certifies a policy, action[horizon][states], for a reward. */
fy_gap_result fy_gap_certify(fy_gap_pass *gap, const foray_reward *reward, const int32_t *action);

/* Where the certificate comes from. With o the occupancy of the choices that attain D, starting
 * from mu,
 *   share_h(s) = o_h(s) [ D_h(s) - sum_j p_j D_{h+1}(s_j) ],     summed over h and s: D_1(mu):
 * the doubt whether another action is better in s at step h, and whether what follows is as
 * bad as the set allows. A law's part of it is in proportion to the norms of its block in dJ. */
typedef struct fy_gap_doubt {
    int32_t *choice; /* [horizon][states] the action that attains D; pi(s) where none is better */
    double *share;   /* [horizon][states] */
    double *law;     /* [blocks] */
    double *part;    /* [blocks] scratch: the norms of one choice */
    int64_t parts;   /* how many blocks have one; -1: all may */
    int64_t of[2];   /* these */
    bool weighed;    /* shares are known, and are now being divided among laws */
} fy_gap_doubt;

/* The same with its reasons, whose arrays are the caller's: a pass for the shares, and one that
 * divides them among laws. */
fy_gap_result fy_gap_explain(fy_gap_pass *gap, const foray_reward *reward, const int32_t *action,
                             fy_gap_doubt *doubt);

#endif
