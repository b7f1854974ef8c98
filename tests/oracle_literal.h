/* oracle_literal.h - Algorithms 1-3 of the paper written down as they stand:
 * dense features, an explicit inverse in every episode, all f in {0,1}^n tried.
 * Slow and obvious; where the model's features are estimates, their error zeta is in every bonus,
 * radius and variance. The fast code in literal mode must give the same episodes. */
#ifndef FY_ORACLE_LITERAL_H
#define FY_ORACLE_LITERAL_H

#include "model/model.h"

typedef struct literal literal;

/* plus: Algorithm 3 instead of Algorithm 2. */
literal *literal_create(const foray_model *model, const foray_settings *settings, bool plus);
void literal_destroy(literal *oracle);

/* Before the first episode: explore for this reward [H][S][A]. Algorithm 2 becomes UCRL-VTR
 * (Jia et al. 2020), Algorithm 3 UCRL-VTR+ (Zhou, Gu, Szepesvari 2021). */
void literal_give_reward(literal *oracle, const double *reward);

/* Plans for the next episode (theta, r, PLAN). */
void literal_begin(literal *oracle);
int64_t literal_act(const literal *oracle, int64_t t, int64_t state);
void literal_observe(literal *oracle, int64_t t, int64_t state, int64_t action, int64_t next);
/* theta = Sigma^-1 b of the regression on u, or on V for a given reward. */
void literal_theta(literal *oracle, double *theta);

/* E_mu V_1 of PLAN with that theta, its Sigma and radius, for a reward [H][S][A]. */
double literal_plan(literal *oracle, const double *reward);

/* The smallest lead of a chosen action over another one that it did not tie
 * with exactly: says how far the comparison is from depending on rounding. */
double literal_margin(const literal *oracle);

#endif
