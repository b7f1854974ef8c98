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
#include <stdlib.h>

/* --------------------------------------------------------------- initialise */

/* The learner's regression is (Sigma^, b^), and its radius beta^: what plans, bounds and
 * certificates rest on. They are heuristic as soon as one of the radii is scaled down. */
static foray_status create(foray_explorer *explorer)
{
    const foray_settings *settings = &explorer->settings;
    foray_status status = fy_learner_create(explorer, 1);
    if (status != FORAY_OK)
        return status;
    fy_learner *learner = explorer->learner;
    status = fy_values_create(explorer, learner->ridge, settings->radius_scale);
    if (status != FORAY_OK)
        return status;
    const fy_values *self = explorer->self;
    learner->own_radius = self->radius_hat;
    learner->least_scale = settings->radius_scale *
                           fmin(settings->radius_scale_hat,
                                fmin(settings->radius_scale_check, settings->radius_scale_tilde));
    return FORAY_OK;
}

/* ------------------------------------------------------------------ episodes */

static void begin_episode(foray_explorer *explorer)
{
    if (explorer->route.stale)
        fy_values_plan(explorer, fy_learner_given_reward(explorer));
}

static void observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    fy_values_regress(explorer, t, pair, j);
}

static void end_episode(foray_explorer *explorer)
{
    explorer->route.stale = fy_values_outgrown(explorer);
}

const fy_explorer_ops fy_ucrl_vtr_plus = {
    .name = "ucrl-vtr+",
    .summary = "UCRL-VTR+ (Zhou, Gu, Szepesvari 2021): the same, weighted by estimated variances",
    .needs_reward = true,
    .create = create,
    .destroy = fy_values_destroy,
    .begin_episode = begin_episode,
    .act = fy_route_act,
    .observe = observe,
    .end_episode = end_episode,
    .plan = fy_learner_plan,
    .save = fy_values_write,
    .load = fy_values_read,
    .needs_budget = fy_always_needs_budget,
    .bound = fy_learner_bound,
    .estimate = fy_learner_theta,
    .describe = fy_learner_describe,
};
