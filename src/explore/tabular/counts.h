/* counts.h - what tabular explorers know: how often each pair was visited, and
 * what followed.
 *
 *   n_h(s,a), n_h(s,a,j)           j: a successor of the model, not any state
 *   p^_h(j|s,a) = n_h(s,a,j) / n_h(s,a)
 *   never visited: p^ is uniform over the successors the model allows
 *
 * One layer of counts per step, or a single one when pooled over steps, which
 * is sound because transitions are the same at every step. */
#ifndef FY_COUNTS_H
#define FY_COUNTS_H

#include "explore/explorer.h"

typedef struct fy_counts {
    const foray_model *model;
    int64_t layers;      /* horizon, or 1 when pooled */
    int64_t transitions; /* of the model: (s,a,j), j-th of pair p at succ_start[p] + j */
    /* Integers, exact up to 2^53, kept as doubles because they are multiplied
     * with values more often than they are counted up. */
    double *visits;   /* [layers][pairs] */
    double *followed; /* [layers][transitions] */
} fy_counts;

/* The parameter of tabular algorithms, first in their tables. */
enum { FY_COUNTS_POOLED, FY_COUNTS_PARAMETERS };
#define FY_COUNTS_ROWS                                                                             \
    FY_CHOICE("pooled", "off", "off|on",                                                           \
              "count visits of each step separately, or of all steps together")
enum { FY_POOLED_OFF, FY_POOLED_ON };

/* As the parameter says. */
static inline bool fy_counts_pooled(const foray_explorer *explorer)
{
    return explorer->own[FY_COUNTS_POOLED].integer == FY_POOLED_ON;
}

foray_status fy_counts_create(fy_arena *arena, const foray_model *model, bool pooled,
                              fy_counts **out);

/* Asked at some states of a sweep: should what is under way end? */
static inline bool fy_stopped_at(foray_context *ctx, int64_t s)
{
    const int64_t states_per_question = 256;
    return s % states_per_question == 0 && fy_stopped(ctx);
}

/* Which layer step t counts in. */
static inline int64_t fy_counts_layer(const fy_counts *counts, int64_t t)
{
    return counts->layers == 1 ? 0 : t;
}

/* n(s,a) of a pair at step t. */
static inline double fy_counts_visits(const fy_counts *counts, int64_t t, int64_t pair)
{
    return counts->visits[fy_counts_layer(counts, t) * counts->model->pairs + pair];
}

/* n(s,a,j) of a pair at step t, for all its j. */
static inline const double *fy_counts_followed(const fy_counts *counts, int64_t t, int64_t pair)
{
    return counts->followed + fy_counts_layer(counts, t) * counts->transitions +
           counts->model->succ_start[pair];
}

/* The j-th successor of the pair followed at step t. */
void fy_counts_add(fy_counts *counts, int64_t t, int64_t pair, int64_t j);

/* sum_j p^_t(j|s,a) V(s_j), for a value of every state. */
double fy_counts_expect(const fy_counts *counts, int64_t t, int64_t pair, const double *value);

/* Mean and variance of V(s') under p^_t(.|s,a). */
typedef struct fy_moments {
    double mean, variance;
} fy_moments;
fy_moments fy_counts_moments(const fy_counts *counts, int64_t t, int64_t pair, const double *value);

/* The reader fails on numbers that no counting gives. */
void fy_counts_write(const fy_counts *counts, fy_writer *writer);
void fy_counts_read(fy_counts *counts, fy_reader *reader);

/* Plans on the empirical model: V_h(s) = max_a r_h(s,a) + sum_j p^_h(j|s,a) V_{h+1}(s_j).
 *
 * error: a bound, with probability 1 - delta, on |V^^pi(mu) - V^pi(mu)| for all
 * policies and rewards, V^ being the value in the empirical model; INFINITY where
 * the algorithm has none. Every mode gives the same policy, the best of the empirical
 * model. Of its three values
 *   plugin       is V^(mu),
 *   optimistic   min{H, V^(mu) + error}, at least the value of the best policy,
 *   pessimistic  max{0, V^(mu) - error}, at most the true value of this one,
 * and certificate.gap = optimistic - pessimistic; INFINITY, with the radius
 * FORAY_RADIUS_NONE and never certified, without a bound. */
foray_status fy_counts_plan(foray_explorer *explorer, const fy_counts *counts, double error,
                            int64_t count, const foray_reward *const *rewards, foray_mode mode,
                            foray_policy **policies);

/* A certificate from counts: certified unless the radius was scaled down. */
foray_certificate fy_counts_certificate(const foray_explorer *explorer, double gap);

/* ------------------------------------------------------------------- certificates
 *
 * Planning on counts with bonuses that know the variance, and what counts certify, whoever
 * collected them.
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
double fy_unstructured_pairs(const foray_model *model);

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
