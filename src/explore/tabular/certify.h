/* certify.h - planning on counts with bonuses that know the variance, and what counts
 * certify, whoever collected them.
 *
 *   Q_h(s,a) = r_h(s,a) + [ sum_j p^_j V(s_j) + sign (sqrt(c1 Var_p^(V) w) + c2 C w) ]_[0, C]
 *   V = V_{h+1},  C = what the reward can still give from h+1 on,  w = L(n)/n
 *   never visited: w is infinite; a pair with a single successor: its law is known, w = 0
 *
 * The certified rule rests on the event (Jonsson et al. 2020), for m successors,
 *
 *   n KL(p^_n, p) <= b(n) = log(X/delta) + (m-1) log(e (1 + n/(m-1)))      for all n and pairs
 *
 * of probability 1 - delta, X being the number of laws with m > 1: one per pair and
 * step, or per pair when pooled. On it, for every V with values in [0, C], chosen before
 * or after the data (Menard et al. 2021, appendix),
 *
 *   |(p^ - p) V| <= sqrt(2 Var_p(V) KL) + 2/3 C KL,   Var_p(V) <= 2 Var_p^(V) + 4 C^2 KL
 *   hence  <= sqrt(4 Var_p^(V) b/n) + (sqrt 8 + 2/3) C b/n:        c1 = 4, c2 = sqrt 8 + 2/3, L = b
 *
 * so that V_up >= V* and V_low^pi <= V^pi for every reward and policy. */
#ifndef FY_CERTIFY_H
#define FY_CERTIFY_H

#include "explore/tabular/counts.h"

/* Var and range: c1 and c2. */
typedef struct fy_bonus_rule {
    double variance, range, scale;
    const double *weight; /* w, laid out as counts->visits */
} fy_bonus_rule;

/* sign (sqrt(c1 Var w) + c2 C w) for a pair at step t, 0 where C is. */
double fy_bonus(const fy_bonus_rule *rule, double weight, double variance, double range, int sign);

/* C_t for t = 0..horizon: sum over t' >= t of max r_t'. */
void fy_reward_left(const foray_reward *reward, double *left);

/* How many pairs have more than one successor, hence a law to learn. */
double fy_open_pairs(const foray_model *model);

/* w = b(n)/n of the certified rule for every pair and layer. */
void fy_certify_weights(const foray_explorer *explorer, const fy_counts *counts, double *weight);

/* Plans and certifies. The policy maximises the recursion of `choice` (FORAY_OPTIMISTIC, ...)
 * under `rule`; NULL: under the certified one. Values and certificate come from the
 * certified rule in any case. value[] is that of the best policy in the optimistic and the plug-in
 * recursion; the pessimistic one is about the policy that is handed out, whichever rule
 * and choice made it: V_low^pi(mu), which is also its `low`. certificate.gap = V_up(mu) - low. */
foray_status fy_certify_plan(foray_explorer *explorer, const fy_counts *counts,
                             const fy_bonus_rule *rule, foray_mode choice, int64_t count,
                             const foray_reward *const *rewards, foray_mode mode,
                             foray_policy **policies);

/* The bound for all rewards of plans on the empirical model, as RF-UCRL's: min{H, 2 E_mu E_1} with
 * E_h(s,a) = min{H-h, (H-h) sqrt(2 b(n)/n) + sum_j p^_j max_b E_{h+1}(s_j,b)}. */
foray_certificate fy_certify_all(foray_explorer *explorer, const fy_counts *counts, double *work);

/* How many numbers `work` must hold: bounds are part of the exploration loop, which
 * allocates nothing. */
int64_t fy_certify_room(const fy_counts *counts);

#endif
