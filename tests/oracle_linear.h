/* oracle_linear.h - least-squares value iteration as the papers print it: dense matrices
 * inverted anew, every past visit kept and gone through each time. Slow and obvious. */
#ifndef ORACLE_LINEAR_H
#define ORACLE_LINEAR_H

#include "foray/foray.h"

typedef struct oracle_linear {
    const foray_model *model;
    int64_t states, actions, horizon, pairs, dim;
    double *phi;            /* [pairs][dim] */
    int64_t *visits;        /* [horizon] */
    int64_t *pair, *follow; /* [horizon][room] */
    int64_t room;
    double *inverse; /* [dim][dim] of the last oracle_linear_invert */
    double log_det;  /* the same */
    double *q, *tie; /* [horizon][pairs] of the last recursion */
    double *value;   /* [horizon+1][states] */
    double *plain;   /* the same without bonus, of the policy that a pessimistic plan chooses */
} oracle_linear;

/* phi: [pairs][dim], copied. room: visits of a step at the most. */
oracle_linear *oracle_linear_create(const foray_model *model, int64_t dim, const double *phi,
                                    int64_t room);
void oracle_linear_destroy(oracle_linear *oracle);

void oracle_linear_add(oracle_linear *oracle, int64_t t, int64_t pair, int64_t next);

/* inverse = (I + sum phi phi')^-1 over the visits of step t. */
void oracle_linear_invert(oracle_linear *oracle, int64_t t);

/* Wang et al.: fills q, tie and value; reward NULL: the exploration reward. Clips at the
 * remaining steps. Ties of pessimistic plans (sign < 0) go to the larger value without bonus.
 * Returns E_mu V_1. */
double oracle_wang(oracle_linear *oracle, double beta, const foray_reward *reward, double sign);

/* FRANCIS: from step p back with <phi, xi> there; nothing is clipped. */
void oracle_francis(oracle_linear *oracle, int64_t p, const double *xi);
/* FRANCIS: planning for a reward. */
double oracle_francis_plan(oracle_linear *oracle, const foray_reward *reward);

/* xi ~ N(0, Sigma^-1) for Sigma = `inverse`^-1 from standard normal z: with Sigma = L L',
 * xi = L'^-1 z, that is xi = U z where U U' = Sigma^-1 and U is upper triangular. */
void oracle_francis_colour(const oracle_linear *oracle, const double *z, double *xi);

#endif
