/* oracle_tabular.h - RF-UCRL and RF-Express as a textbook would write them: dense
 * counts n[h][s][a][s'], every sum over all states, everything computed anew whenever
 * it is asked for. */
#ifndef FY_ORACLE_TABULAR_H
#define FY_ORACLE_TABULAR_H

#include "explore/tabular/errors.h"

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

/* An explorer, its world, and the oracle that is told the same. */
typedef struct tabular_stage {
    foray_context *ctx;
    foray_model *model;
    foray_world *world;
    foray_explorer *explorer;
    fy_errors *errors; /* the explorer's own state */
    tabular_oracle oracle;
} tabular_stage;

/* Default settings for 0: RF-UCRL, 1: RF-Express. */
enum { TABULAR_ALGORITHMS = 2 };
foray_settings tabular_settings(int algorithm);

/* Takes over ctx and model. */
tabular_stage tabular_set_stage(foray_context *ctx, foray_model *model,
                                const foray_settings *settings);
tabular_stage tabular_set_world(const char *spec, const foray_settings *settings);
void tabular_clear(tabular_stage *stage);

/* One episode, which the oracle counts too; with `watch` it must agree to every action. */
void tabular_play(tabular_stage *stage, bool watch);

/* cmocka's own comparison is in single precision. */
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

#endif
