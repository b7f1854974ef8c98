/* ucrl_rfe_plus.c - UCRL-RFE+: reward-free exploration with Bernstein bonuses.
 *
 * Zhang, Zhou, Gu (2021), Algorithm 3. Three regressions: (Sigma, b) on the
 * maximisers u as in UCRL-RFE, for the exploration reward and for planning;
 * (Sigma^, b^) on V_{h+1} weighted by 1/nu, which the exploration policy plans
 * with; (Sigma~, b~) on V_{h+1}^2, which estimates the variance.
 *
 *   for k = 1..K
 *     r_h from (Sigma, beta) as in UCRL-RFE
 *     pi, V = PLAN(theta^, Sigma^, r, beta^)
 *     play pi for one episode; at each step update (Sigma, b) as in UCRL-RFE, and
 *     with x = psi_{V_{h+1}}, y = psi_{V_{h+1}^2} at (s_h,a_h):
 *       var = clip(<y, theta~>, 0, H^2) - clip(<x, theta^>, 0, H)^2
 *       E   = min{H^2, beta~ ||y||_{Sigma~^-1}} + min{H^2, 2 H beta_check ||x||_{Sigma^^-1}}
 *       nu  = max{alpha, var + E},   alpha = H^2/d
 *       Sigma^ += x x'/nu,   b^ += x V_{h+1}(s_{h+1})/nu
 *       Sigma~ += y y',      b~ += y V_{h+1}(s_{h+1})^2
 *
 * Deviations, all switched off by --literal: those of UCRL-RFE; the regressions
 * on V and V^2 are centred and in blocks as well, with d_g, delta/m and B_g in
 * place of d, delta and B in the radii; (Sigma, b) has the self-normalised
 * radius at delta/4, its share of the four events of the proof. The matrices in
 * var and E are those of the last plan, which with a plan in every episode are
 * those of the episode's start. The regressions on V and V^2 are in values.h. */
#include "explore/mixture/values.h"

enum { EVENTS = 4 };

enum { NORM = FY_VALUES_PARAMETERS };
static const foray_parameter parameters[] = {FY_VALUES_ROWS, FY_LEARNER_NORM_ROW};

/* --------------------------------------------------------------- initialise */

static foray_status ucrl_rfe_plus_create(foray_explorer *explorer)
{
    foray_status status = fy_learner_create(explorer, sizeof(fy_values), EVENTS, FY_KEEPS_VALUES);
    if (status != FORAY_OK)
        return status;
    fy_learner *learner = explorer->self;
    learner->root = explorer->own[NORM].integer == FY_LEARNER_ROOT;
    return fy_values_create(explorer, NULL, 1.0);
}

/* ------------------------------------------------------------------ episodes */

/* r_h from (Sigma, beta), then pi, V = PLAN(theta^, Sigma^, r, beta^). */
static void ucrl_rfe_plus_begin_episode(foray_explorer *explorer)
{
    fy_learner *learner = explorer->self;
    if (!fy_explorer_plan_due(explorer))
        return;
    fy_learner_estimate(learner);
    fy_learner_maximise(learner, true);
    fy_ridge_mark(learner->ridge);
    fy_values_plan(explorer, fy_learner_reward(learner));
}

static void ucrl_rfe_plus_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    fy_learner_observe(explorer, t, pair, j);
    fy_values_observe(explorer, t, pair, j);
}

/* Stale once any of the three regressions has grown enough. */
static void ucrl_rfe_plus_end_episode(foray_explorer *explorer)
{
    const fy_learner *learner = explorer->self;
    fy_values_end_episode(explorer);
    explorer->stale |= fy_learner_wants_plan(explorer, learner->ridge);
}

/* ------------------------------------------------------------- save and load */

static void ucrl_rfe_plus_save(foray_explorer *explorer, fy_writer *writer)
{
    fy_values_save(explorer, writer);
    fy_learner_save_regression(explorer->self, writer);
}

static void ucrl_rfe_plus_load(foray_explorer *explorer, fy_reader *reader)
{
    fy_values_load(explorer, reader);
    fy_learner_load_regression(explorer->self, reader);
}

const fy_explorer_ops fy_ucrl_rfe_plus = {
    .name = "ucrl-rfe+",
    .summary = "UCRL-RFE+ (Zhang, Zhou, Gu 2021): Bernstein bonuses, linear mixture models",
    .parameter = parameters,
    .parameters = FY_COUNT(parameters),
    .create = ucrl_rfe_plus_create,
    .begin_episode = ucrl_rfe_plus_begin_episode,
    .follows = true,
    .remakes = true,
    .observe = ucrl_rfe_plus_observe,
    .end_episode = ucrl_rfe_plus_end_episode,
    .save = ucrl_rfe_plus_save,
    .load = ucrl_rfe_plus_load,
    .needs_budget = fy_always_needs_budget,
    FY_LEARNER_OPS,
};
