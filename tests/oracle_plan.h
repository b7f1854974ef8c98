/* oracle_plan.h - Algorithm 1 written out densely: phi as a table over all next states, the
 * inverse of Sigma, every sum a loop. Slow and obvious. */
#ifndef ORACLE_PLAN_H
#define ORACLE_PLAN_H

#include "learn/ridge.h"

typedef struct oracle_plan_task {
    const foray_model *model;
    const fy_basis *basis;
    const fy_ridge *ridge; /* Sigma of every block; NULL: no bonus */
    const double *z;       /* the estimate, at ridge->at_vector; NULL: `theta` */
    const double *theta;
    const double *radius; /* [blocks] */
    const foray_reward *reward;
    int sign, clip, ties;
    bool plain;            /* ties go to the larger value without bonus of the policy sought */
    const int32_t *follow; /* [horizon][states], or NULL */
} oracle_plan_task;

/* Returns E_mu V_1; policy (may be NULL): [horizon][states]. */
double oracle_plan(const oracle_plan_task *task, int32_t *policy);

/* The largest E_mu value over all deterministic policies, each valued by its own forward
 * distribution over states: for tiny models whose theta is known. */
double oracle_best_policy(const foray_model *model, const foray_reward *reward);

/* E_mu of one policy in the same way. */
double oracle_policy_value(const foray_model *model, const foray_reward *reward,
                           const int32_t *action);

#endif
