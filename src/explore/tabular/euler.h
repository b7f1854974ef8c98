/* euler.h - EULER as a piece: upper and lower values for one reward, from counts of its own.
 *
 *   L(n) = log(4 X n(n+1)/delta),  w = L(n)/(n-1),  C = what the reward can still give
 *   D    = ||V_up - V_low||_{2,p^} = sqrt(sum_j p^_j (V_up(s_j) - V_low(s_j))^2)
 *   b(V) = sqrt(2 Var_p^(V) w) + 7/3 C w + sqrt(2 w) D
 *   Q_h(s,a)  = r_h(s,a) + min{ C, sum_j p^_j V_up(s_j) + b(V_up) },      V_up = V_up,h+1 ...
 *   pi_h(s)   = argmax_a Q_h(s,a),                                     V_up,h(s) = Q_h(s,pi_h(s))
 *   V_low,h(s) = r_h(s,a) + max{ 0, sum_j p^_j V_low(s_j) - b(V_low) },   a = pi_h(s)
 *   fewer than two visits: w is infinite; a pair with a single successor: its law is known, w = 0
 *
 * X is the number of products p V* that must hold: one for each step and each pair with more than
 * one successor, pooled or not, since V* differs from step to step. */
#ifndef FY_EULER_H
#define FY_EULER_H

#include "explore/tabular/counts.h"

typedef struct fy_euler {
    foray_context *ctx;
    const foray_model *model;
    const foray_settings *settings;
    fy_counts *counts;
    double laws; /* X */

    /* The reward; the user fills these in before fy_euler_start. */
    const double **reward; /* [horizon] tables [pairs] */
    double *left;          /* [horizon+1] C */
    int64_t steps;         /* the first so many steps can still give something */

    double *weight;        /* w, laid out as counts->visits */
    double *upper, *lower; /* [horizon+1][states] */
    int32_t *action;       /* pi: [horizon][states] */
    double *planned;       /* doubling: visits at the last plan */
} fy_euler;

/* Fills in an fy_euler that is all 0. */
foray_status fy_euler_create(fy_arena *arena, const foray_model *model,
                             const foray_settings *settings, bool pooled, fy_euler *euler);

/* Forgets everything, and makes the first plan for the reward. */
void fy_euler_start(fy_euler *euler);

/* The j-th successor of the pair followed at step t. True: a new plan is due at the end of the
 * episode. */
bool fy_euler_observe(fy_euler *euler, int64_t t, int64_t pair, int64_t j);
void fy_euler_plan(fy_euler *euler);

/* Counts and policy; the values follow from the counts and the reward. */
void fy_euler_write(const fy_euler *euler, fy_writer *writer);
void fy_euler_read(fy_euler *euler, fy_reader *reader);

#endif
