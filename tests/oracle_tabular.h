/* oracle_tabular.h - RF-UCRL and RF-Express as a textbook would write them: dense
 * counts n[h][s][a][s'], every sum over all states, everything computed anew whenever
 * it is asked for. */
#ifndef FY_ORACLE_TABULAR_H
#define FY_ORACLE_TABULAR_H

#include "model/model.h"

typedef struct tabular_oracle {
    const foray_model *model;
    foray_settings settings;
    bool express; /* RF-Express; false: RF-UCRL */
    double *n;    /* [H][S][A][S]; pooled: every visit is counted at all steps */
    double *raw;  /* [H][S][A] the bound before clipping; INFINITY: never visited */
    double *E;    /* [H+1][S][A] */
} tabular_oracle;

tabular_oracle tabular_create(const foray_model *model, const foray_settings *settings);
void tabular_destroy(tabular_oracle *oracle);
void tabular_count(tabular_oracle *oracle, int64_t t, int64_t s, int64_t a, int64_t next);

/* n(s,a) and p^(next|s,a) at step t. */
double tabular_visits(const tabular_oracle *oracle, int64_t t, int64_t s, int64_t a);
double tabular_probability(const tabular_oracle *oracle, int64_t t, int64_t s, int64_t a,
                           int64_t next);

/* Fills raw and E from the counts. */
void tabular_recompute(tabular_oracle *oracle);

/* max_a E_h(s,a), and its mean over mu at the first step. */
double tabular_largest(const tabular_oracle *oracle, int64_t t, int64_t s);
double tabular_mean(const tabular_oracle *oracle);

/* What the algorithm says |V^^pi(mu) - V^pi(mu)| cannot exceed. */
double tabular_error(const tabular_oracle *oracle);

/* Is action a the greedy one, by the rule for ties in force? */
bool tabular_is_greedy(const tabular_oracle *oracle, int64_t t, int64_t s, int64_t a);

/* The value of a policy [H][S] for r [H][S][A] from mu, in the empirical model or in the
 * true one. */
double tabular_value(const tabular_oracle *oracle, const double *r, const int32_t *policy,
                     bool empirical);

#endif
