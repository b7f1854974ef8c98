/* ucrl_vtr_plus.c - UCRL-VTR+: variance-weighted value-targeted regression for one given reward.
 *
 * Zhou, Gu, Szepesvari (2021). As UCRL-VTR, with two regressions: (Sigma^, b^) on V_{h+1}
 * weighted by 1/nu, which the policy plans with, and (Sigma~, b~) on V_{h+1}^2, which
 * estimates the variance nu stands for:
 *
 *   for k = 1..K
 *     pi, V = PLAN(theta^, Sigma^, r, beta^)          r: the reward that was given
 *     play pi for one episode; at each step the updates of values.h
 *   for any reward: PLAN(theta^, Sigma^, r, beta^)
 *
 * Not reward-free: it is here to show what not knowing the reward costs. As with UCRL-VTR,
 * plans and certificates are valid for every reward.
 *
 * Deviations. The paper has one theta per step; here transitions are the same at every step,
 * and so is theta. The radii are those of UCRL-RFE+, whose proof has the same events for
 * such models. Switched off by --literal: the centred block form with d_g, delta/m and B_g in
 * the radii, values clipped at the steps that remain, and plans only when a determinant has
 * doubled. */
#include "explore/mixture/values.h"

#include <math.h>

static const foray_parameter parameters[] = {FY_VALUES_ROWS};

typedef struct ucrl_vtr_plus {
    fy_values values;
    fy_given given; /* r */
} ucrl_vtr_plus;

/* --------------------------------------------------------------- initialise */

/* The learner's regression is (Sigma^, b^), and its radius beta^: what plans, bounds and
 * certificates rest on. They are heuristic as soon as one of the radii is scaled down. */
static foray_status ucrl_vtr_plus_create(foray_explorer *explorer)
{
    const foray_settings *settings = &explorer->settings;
    foray_status status = fy_learner_create(explorer, sizeof(ucrl_vtr_plus), 1);
    if (status != FORAY_OK)
        return status;
    fy_values *values = explorer->self;
    fy_learner *learner = &values->learner;
    status = fy_values_create(explorer, learner->ridge, settings->radius_scale);
    if (status != FORAY_OK)
        return status;
    learner->own_radius = values->radius_hat;
    const foray_parameter_value *own = explorer->own;
    learner->least_scale =
        settings->radius_scale *
        fmin(own[FY_VALUES_HAT].real, fmin(own[FY_VALUES_CHECK].real, own[FY_VALUES_TILDE].real));
    return FORAY_OK;
}

static void ucrl_vtr_plus_destroy(foray_explorer *explorer)
{
    ucrl_vtr_plus *self = explorer->self;
    if (self)
        fy_given_destroy(&self->given);
    fy_values_destroy(explorer);
}

static fy_given *ucrl_vtr_plus_given(const foray_explorer *explorer)
{
    ucrl_vtr_plus *self = explorer->self;
    return &self->given;
}

/* ------------------------------------------------------------------ episodes */

static void ucrl_vtr_plus_begin_episode(foray_explorer *explorer)
{
    const ucrl_vtr_plus *self = explorer->self;
    if (fy_explorer_plan_due(explorer))
        fy_values_plan(explorer, (fy_plan_reward){.table = self->given.table, .cap = INFINITY});
}

const fy_explorer_ops fy_ucrl_vtr_plus = {
    .name = "ucrl-vtr+",
    .summary = "UCRL-VTR+ (Zhou, Gu, Szepesvari 2021): the same, weighted by estimated variances",
    .parameter = parameters,
    .parameters = FY_COUNT(parameters),
    .create = ucrl_vtr_plus_create,
    .destroy = ucrl_vtr_plus_destroy,
    .begin_episode = ucrl_vtr_plus_begin_episode,
    .act = fy_follow,
    .followed = fy_values_followed,
    .observe = fy_values_observe,
    .end_episode = fy_values_end_episode,
    .plan = fy_learner_plan,
    .plans_on_sets = true,
    .regression = fy_learner_regression,
    .save = fy_values_save,
    .load = fy_values_load,
    .needs_budget = fy_always_needs_budget,
    .given = ucrl_vtr_plus_given,
    .bound = fy_learner_bound,
    .estimate = fy_learner_theta,
    .describe = fy_learner_describe,
};
