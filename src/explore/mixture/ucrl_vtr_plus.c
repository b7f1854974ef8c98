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

/* --------------------------------------------------------------- initialise */

/* The learner's regression is (Sigma^, b^), and its radius beta^: what plans, bounds and
 * certificates rest on. They are heuristic as soon as one of the radii is scaled down. */
static foray_status ucrl_vtr_plus_create(foray_explorer *explorer)
{
    const foray_settings *settings = &explorer->settings;
    foray_status status = fy_learner_create(explorer, sizeof(fy_values), 1, FY_KEEPS_VALUES);
    if (status != FORAY_OK)
        return status;
    fy_values *values = explorer->self;
    fy_learner *learner = &values->learner;
    status = fy_values_create(explorer, learner->ridge, settings->radius_scale);
    if (status != FORAY_OK)
        return status;
    learner->own_radius = values->radius_hat;
    const foray_parameter_value *own = explorer->own;
    learner->min_scale =
        settings->radius_scale *
        fmin(own[FY_VALUES_HAT].real, fmin(own[FY_VALUES_CHECK].real, own[FY_VALUES_TILDE].real));
    return FORAY_OK;
}

/* ------------------------------------------------------------------ episodes */

static void ucrl_vtr_plus_begin_episode(foray_explorer *explorer)
{
    if (fy_explorer_plan_due(explorer))
        fy_values_plan(explorer, (fy_plan_reward){.table = explorer->given_table, .cap = INFINITY});
}

const fy_explorer_ops fy_ucrl_vtr_plus = {
    .name = "ucrl-vtr+",
    .summary = "UCRL-VTR+ (Zhou, Gu, Szepesvari 2021): the same, weighted by estimated variances",
    .parameter = parameters,
    .parameters = FY_COUNT(parameters),
    .takes_reward = true,
    .create = ucrl_vtr_plus_create,
    .begin_episode = ucrl_vtr_plus_begin_episode,
    .follows = true,
    .remakes = true,
    .observe = fy_values_observe,
    .end_episode = fy_values_end_episode,
    .save = fy_values_save,
    .load = fy_values_load,
    .needs_budget = fy_always_needs_budget,
    FY_LEARNER_OPS,
};
