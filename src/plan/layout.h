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
    double *target;        /* [2][transitions], or NULL: no room for rewards that look ahead */
    int32_t *place;        /* [transitions] 0, 1, 2, ... */
} fy_layout;

/* ahead: with room for rewards that look ahead. */
foray_status fy_layout_create(foray_context *ctx, const foray_model *model, bool ahead,
                              fy_layout *out);
void fy_layout_destroy(fy_layout *layout);
void fy_layout_set(fy_layout *layout, const foray_reward *reward);

#endif
