/* layout.h - a reward as PLAN takes it: tables, weights and limits of every step.
 *
 * Made once for a model, then laid out for one reward after the other. */
#ifndef FY_LAYOUT_H
#define FY_LAYOUT_H

#include "plan/plan.h"
#include "reward/reward.h"

typedef struct fy_layout {
    const foray_model *model;
    fy_plan_reward reward; /* of the last fy_layout_set; for one lane */
    const double **table, **next;
    double *scale, *limit; /* [horizon] g^t; what is left of its sum */
    double *ending;        /* [states] */
    /* Memory that nothing is written to before a reward looks ahead takes none. */
    double *target; /* [2][transitions], or NULL: no room for rewards that look ahead */
    int32_t *place; /* [transitions] 0, 1, 2, ..., once it is `placed` */
    bool placed;
} fy_layout;

/* ahead: with room for rewards that look ahead. */
foray_status fy_layout_create(fy_arena *arena, const foray_model *model, bool ahead,
                              fy_layout *out);
void fy_layout_set(fy_layout *layout, const foray_reward *reward);

/* evaluate.c: exact values, where theta is known: PLAN without bonus on that kernel, for one reward
 * after the other. */
typedef struct fy_exact {
    fy_kernel *kernel;
    fy_layout layout;    /* of the reward that was set last, */
    fy_reward_unit unit; /* and its unit */
    double *value;       /* two layers */
} fy_exact;

/* ahead: for rewards that look ahead, too. */
foray_status fy_exact_create(fy_arena *arena, const foray_model *model, const double *theta,
                             bool ahead, fy_exact *out);
void fy_exact_set(fy_exact *exact, const foray_reward *reward);
/* E_mu of the values of `follow`, or if that is NULL of the best there are, which `policy` (may be
 * NULL) receives. `all` (may be NULL) receives the values of all steps, as they are planned:
 * [horizon+1][states]. */
double fy_exact_value(const fy_exact *exact, const int32_t *follow, int32_t *policy, double *all);

#endif
