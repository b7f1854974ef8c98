/* gap_mean.h - what a policy does in one state: the actions it draws, weighed together
 * (docs/mathematics.md, "Several rewards").
 *
 *   J(s) = sum_a pi J(s,a),   Psi(s) = sum_a pi Psi(s,a),   P(s') = sum_a pi P(s'|s,a),   x
 * likewise
 *
 * Rows of Psi and entries of x lie in as many blocks as the actions do. ||Psi||_* adds the norms of
 * *pairs* of blocks, rows and columns; ||x||_B those of blocks. One action with weight 1 is a mean,
 * too: differences of means serve certificates of policies that draw, and of two policies. */
#ifndef FY_GAP_MEAN_H
#define FY_GAP_MEAN_H

#include "certify/gap_pass.h"

/* A policy: an action for each step and state or, where `chance` is not NULL, a law of actions. */
typedef struct fy_choices {
    const int32_t *action; /* [horizon][states] */
    const double *chance;  /* [horizon][states][actions] */
} fy_choices;

typedef struct fy_gap_mean {
    int64_t support; /* actions with a weight above 0 */
    int64_t *pair;   /* [support], room for [actions] */
    double *weight;
    double V;           /* sum pi Q, */
    double off;         /* with what rounding may have moved it by */
    double A, F, E_max; /* as in fy_gap_action, means or the largest */
    double error;       /* sum pi B: what errors of features add */
    double upper_E;     /* sum pi sup P E */
    double *J;          /* [columns] */
    int64_t blocks;     /* different ones, */
    int64_t *block;     /* [blocks] which, */
    int64_t *row;       /* [blocks+1] and where their rows begin */
    double *Psi;        /* [rows][columns] */
    int64_t count;      /* successors */
    int32_t *next;      /* [count] */
    double *p;          /* [count] */
    double *x;          /* [count][stride], rows as in Psi */
    int64_t stride;
} fy_gap_mean;

/* Columns of J and Psi: the unknowns; where these are too many to keep, one: sum_j x_j T_j. */
int64_t fy_gap_mean_columns(const fy_gap_pass *gap);
bool fy_gap_mean_allocate(fy_arena *arena, const fy_gap_pass *gap, fy_gap_mean *mean);

/* pi(.|s) at step t, from the layer and the values V of the step after. */
void fy_gap_mean_of(fy_gap_pass *gap, int64_t t, const double *V, int64_t s,
                    const fy_choices *choices, fy_gap_mean *mean);
/* The same of one action. */
void fy_gap_mean_of_action(fy_gap_pass *gap, int64_t t, const double *V, int64_t pair,
                           fy_gap_mean *mean);

/* E(s) = ||Psi||_* + B + min{ sum_a pi sup P E, P E + ||sum_s' x(s') E(s')||_B }, before it is
 * capped. */
double fy_gap_mean_E(fy_gap_pass *gap, const fy_gap_mean *mean);
/* sum_a pi sup P f. */
double fy_gap_mean_upper(fy_gap_pass *gap, const fy_gap_mean *mean, const double *f);

/* ||dPsi||_* of two means, and sum_s' (|dP(s')| + ||dx(s')||_B) f(s'). */
double fy_gap_mean_apart(fy_gap_pass *gap, const fy_gap_mean *a, const fy_gap_mean *b);
double fy_gap_mean_spill(fy_gap_pass *gap, const fy_gap_mean *a, const fy_gap_mean *b,
                         const double *f);
/* How wrong rounding can make the difference of two means. */
double fy_gap_mean_rounding(const fy_gap_pass *gap, const fy_gap_mean *a, const fy_gap_mean *b,
                            double left);

#endif
