/* ucrl_rfe.c - UCRL-RFE: reward-free exploration with Hoeffding bonuses.
 *
 * Zhang, Zhou, Gu (2021), Algorithm 2:
 *
 *   Sigma = lambda I, b = 0
 *   for k = 1..K
 *     theta_k = Sigma^-1 b
 *     r_h(s,a) = min{ 1, (2 beta/H) max_{f: S->[0,H-h]} ||psi_f(s,a)||_{Sigma^-1} }
 *     pi, V = PLAN(theta_k, Sigma, r, beta)
 *     play pi for one episode; at each step, with u the maximiser at (s_h,a_h):
 *       Sigma += psi_u psi_u',   b += psi_u u(s_{h+1})
 *   for any reward r: PLAN(theta_{K+1}, Sigma, r, beta)
 *
 * Deviations, all switched off by --literal:
 *   - regressions are centred and in blocks, targets u are divided by their
 *     range H-h, and beta is one self-normalised radius per block (learner.h);
 *   - values are clipped at the steps that remain, H-h+1, not at H;
 *   - a new plan is made when some block's determinant has doubled, not in
 *     every episode; between plans the maximisers stay those of the last plan.
 * Corrections, which --literal keeps: the paper prints a square root around the norm in r_h, and
 * its proof uses the norm (--explore-norm root for the former). The maximum is found exactly, not
 * by the paper's surrogate (--inner l1). Ties, which the paper leaves open, prefer the larger value
 * before clipping. With --radius likelihood the ellipsoid of the likelihood sets takes the place of
 * that of the regression.
 *
 * tests/oracle_literal.c is the same algorithm line by line as the paper prints it, with dense
 * matrices and the paper's names, and is compared with this one number by number: the text to begin
 * with. What theta, Sigma, b, beta and u are called here stands at the head of learner.c. */
#include "explore/mixture/learner.h"

#include <string.h>

enum { NORM };
static const foray_parameter parameters[] = {FY_LEARNER_NORM_ROW};

/* --------------------------------------------------------------- initialise */

static foray_status ucrl_rfe_create(foray_explorer *explorer)
{
    foray_status status = fy_learner_create(explorer, sizeof(fy_learner), 1, FY_KEEPS_ACTIONS);
    if (status != FORAY_OK)
        return status;
    fy_learner *learner = explorer->self;
    learner->root = explorer->own[NORM].integer == FY_LEARNER_ROOT;
    /* So that episodes need no memory. */
    fy_certifier *sets;
    bool likelihood = explorer->settings.radius == FORAY_RADIUS_LIKELIHOOD;
    return likelihood ? fy_explorer_sets(explorer, &sets) : FORAY_OK;
}

/* ------------------------------------------------------------------ episodes */

/* (theta_k, Sigma, beta) for PLAN; with --radius likelihood (c, M, beta) of the likelihood sets
 * takes its place there and in r_h. Targets are those of the regression in both. */
static const fy_kernel *kernel_of(foray_explorer *explorer)
{
    fy_learner *learner = explorer->self;
    fy_certifier *sets = NULL;
    /* Cannot fail: they were made when the explorer was. */
    if (explorer->settings.radius == FORAY_RADIUS_LIKELIHOOD)
        (void)fy_explorer_sets(explorer, &sets);
    if (sets) {
        const fy_confidence *set = sets->set;
        fy_inner_solve(learner->inner, set->ridge);
        memcpy(learner->radius, set->radius, (size_t)set->basis->blocks * sizeof *set->radius);
        return set->kernel;
    }
    fy_kernel_estimate(learner->kernel, learner->ridge, learner->z, learner->radius);
    return learner->kernel;
}

/* theta_k = Sigma^-1 b, r_h from the inner maximisation, pi = PLAN(...). */
static void ucrl_rfe_begin_episode(foray_explorer *explorer)
{
    fy_learner *learner = explorer->self;
    if (!fy_explorer_plan_due(explorer))
        return;
    fy_learner_estimate(learner);
    fy_learner_maximise(learner, true);
    const fy_kernel *kernel = kernel_of(explorer);
    fy_learner_follow(explorer, kernel, fy_learner_reward(learner), +1, explorer->settings.clip);
    fy_ridge_mark(learner->ridge);
}

const fy_explorer_ops fy_ucrl_rfe = {
    .name = "ucrl-rfe",
    .summary = "UCRL-RFE (Zhang, Zhou, Gu 2021): Hoeffding bonuses, linear mixture models",
    .parameter = parameters,
    .parameters = FY_COUNT(parameters),
    .create = ucrl_rfe_create,
    .begin_episode = ucrl_rfe_begin_episode,
    .follows = true,
    .remakes = true,
    .observe = fy_learner_observe,
    .explores_on_sets = true,
    FY_LEARNER_RFE_OPS,
};
