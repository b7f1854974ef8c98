/* gap_pass.h - what the files of the gap certificate share: gap.c makes the pass, gap_choice.c
 * looks at actions, gap_doubt.c notes where a certificate comes from. */
#ifndef FY_GAP_PASS_H
#define FY_GAP_PASS_H

#include "certify/gap.h"

#include <float.h>

/* What one rounding does to a number, relative to its size. */
#define FY_UNIT (DBL_EPSILON / 2)

/* The squares of what is below 1e-162 are 0, and norms lack them: more than all of that together,
 * and less than the last digit of anything else. */
#define FY_GAP_UNDERFLOW 1e-140

/* What the recursion keeps of one step: all of it about pi. */
typedef struct fy_gap_layer {
    double *J;     /* [states][unknowns] */
    double *J_sum; /* [states] ||J||_B */
    double *E, *D; /* [states] */
    double *A, *F; /* [states] sizes of what J and E were summed from, and */
    double *off;   /* [states] a bound on the rounding error of Vhat */
    double *above; /* [states] what pi earns at most, whatever the laws from here on */
    double *K;     /* [states][unknowns][unknowns] of the third order, */
    double *rest;  /* [states] what it leaves out, and */
    double *G;     /* [states] the sizes of what that was summed from */
} fy_gap_layer;

/* One action in one state, as far as it has been worked out. */
typedef struct fy_gap_choice {
    int64_t pair, set, block, n, d;
    const int32_t *next; /* [n] */
    const double *p, *x, *norm;
    double Q;                  /* r + sum p_j V_j */
    double first;              /* ||sum x_j V_j|| */
    double error;              /* B: what the error of features adds */
    double A, F, off;          /* as in fy_gap_layer */
    double spill;              /* sum (p_j + ||x_j||) E_j */
    double E_most;             /* max E_j */
    double J_most;             /* >= ||J||_B */
    double Psi_most;           /* >= ||Psi||_* */
    double reward;             /* of the pair */
    double *target;            /* [n] r_j + V_j */
    const double *ahead;       /* [n] the reward of what follows, unscaled; NULL: none */
    double given;              /* the reward of the pair, and of what follows, as it was given: */
    const double *given_ahead; /* in the unit of planning different ones may round to the same */
    double *J;                 /* [unknowns] */
    double *Psi;               /* [d][unknowns] */
    double *K, *T;             /* [unknowns][unknowns], [d][unknowns][unknowns] */
    double G;                  /* as in fy_gap_layer */
} fy_gap_choice;

/* At most so many unknowns for the third order. */
enum { FY_GAP_THIRD = 12 };

struct fy_gap_pass {
    const fy_confidence *set;
    const foray_model *model;
    int64_t unknowns;                      /* 0: too many, J and Psi are left out */
    bool third;                            /* few enough for the third order */
    double blocks;                         /* with something unknown */
    int64_t parts, part[FY_GAP_THIRD + 1]; /* the same, and where their unknowns begin */
    double zeta;                           /* error of the model's features */
    fy_gap_layer now, after;
    double *optimistic, *pessimistic, *value; /* [horizon+1][states] */
    fy_gap_choice mine, other;                /* pi(s), and another action */
    fy_gap_choice ahead;                      /* one whose bounds are asked for, without J */
    int32_t *earliest;      /* [states] the first step at which a state can be reached at all */
    int32_t *in_joint;      /* [states] where a successor is in the union, or -1 */
    int32_t *joint;         /* [2 n] the union of two lists of successors */
    double *dp, *dx;        /* [2 n], [2 n][d] */
    double *sum, *sum_mine; /* [d] */
    double *mean;           /* [unknowns] */
    double *follows;        /* [n] f of the successors */
    fy_gap_doubt *doubt;    /* being explained, or NULL */
    const foray_reward *reward;
    fy_layout layout; /* of the reward */
    double rounded;   /* roundings in bringing the reward to the unit of planning */
};

/* ------------------------------------------------------------------ gap_choice.c */

/* ||v||_B of a vector of all unknowns, or ||Psi||_* of `rows` of them. */
double fy_gap_norm(const fy_gap_pass *gap, const double *v, int64_t rows);

/* sup_theta P_theta f, or a little more, f >= 0 over states. */
double fy_gap_upper_mean(const fy_gap_pass *gap, const fy_gap_choice *c, const double *f);

/* Everything about a pair at step t that costs no vector of all unknowns; V of the step after. */
void fy_gap_look_at(const fy_gap_pass *gap, int64_t t, const double *V, int64_t pair,
                    fy_gap_choice *c);

/* r + sup P_theta V of a pair at step t, V of the step after and with what the reward gives for
 * arriving there; sign -1: r + inf P_theta V. */
double fy_gap_look_ahead(fy_gap_pass *gap, int64_t t, const double *V, int64_t pair, double sign);

/* Then J and Psi. */
void fy_gap_work_out(const fy_gap_pass *gap, fy_gap_choice *c);

/* Do two actions have the same law, whatever theta, and the same rewards? */
bool fy_gap_same_action(const fy_gap_choice *a, const fy_gap_choice *b);

/* How wrong rounding can make U, with `left` steps left. */
double fy_gap_rounding(const fy_gap_pass *gap, const fy_gap_choice *a, const fy_gap_choice *b,
                       double left);

/* sum_s' (|dp(s')| + ||dx(s')||) f(s'), f >= 0. */
double fy_gap_difference_spill(fy_gap_pass *gap, const fy_gap_choice *a, const fy_gap_choice *b,
                               const double *f);

/* U_h(s,a) + sup P D_{h+1}(s,a) of `other` against `mine` with `left` steps left, or anything that
 * is at most `enough` where that is clear without vectors. */
double fy_gap_advantage(fy_gap_pass *gap, double error, double left, double enough);

/* ------------------------------------------------------------------- gap_third.c */

/* Are unknowns few enough? */
bool fy_gap_third_fits(const fy_confidence *set);
/* Where the unknowns of blocks begin. */
void fy_gap_third_prepare(fy_gap_pass *gap);
/* K and T of an action whose J and Psi are there. */
void fy_gap_third_work_out(const fy_gap_pass *gap, fy_gap_choice *c);
/* Fills in what the step keeps of `mine` in state s; returns what can take the place of E. */
double fy_gap_third_state(fy_gap_pass *gap, int64_t s, double left);
/* What can take the place of ||dPsi||_* and of the sum over E in U, for `other` against `mine`. */
double fy_gap_third_difference(fy_gap_pass *gap, double left);

/* ------------------------------------------------------------------- gap_doubt.c */

/* Where another action attains D, and where pi's own does: which laws it comes from. */
void fy_gap_explain_choice(fy_gap_pass *gap);
void fy_gap_explain_following(fy_gap_pass *gap);

/* What state s adds to D at step t, where the action `best` attains it. */
void fy_gap_note_doubt(fy_gap_pass *gap, int64_t t, int64_t s, int64_t best);

#endif
