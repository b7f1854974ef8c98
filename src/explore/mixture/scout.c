/* scout.c - Scout: goes where certificates are widest. An algorithm of Foray's own.
 *
 *   for k = 1..K
 *     p, x, kappa^2 of the likelihood sets of all counts so far (certify/all_rewards.h)
 *     r(s,a) = min{ 1, kappa^2(s,a) }
 *     pi, W = PLAN(p, r) without bonus:   W_h(s) = max_a [ r(s,a) + sum_j p_j W_{h+1}(s_j) ]
 *     play pi for one episode, count what follows
 *   for any reward: the best policy under p, with its certificate
 *
 * For all policies and rewards |V^pi_theta - Vhat^pi| <= (H-h)/2 sqrt(w_h) + y_h, and W is the w_h
 * of that bound, in which (s,a) counts for no more than 1: beyond, nothing is known about its law,
 * whatever the number. So the policy that maximises W attains the bound, and its episodes lower it
 * where it is attained. Nothing has to be added for optimism: a law that was never seen has
 * the largest reward there is.
 *
 * The last step counts like all others: what follows it matters to rewards r(s,a,s').
 *
 * A new plan is made when some block's determinant has doubled. Laws without a likelihood (features
 * that are not mixtures, or are estimates; a system seen through clusters) have no kappa. What
 * bounds values then is the recursion step by step, Z_h, which adds up beta_g m(s,a) of the
 * regression, and so their reward is r(s,a) = min{ 1, 2 beta_g m(s,a) }. For these the regression
 * of UCRL-RFE is kept, with the same targets. */
#include "explore/mixture/learner.h"

#include <math.h>

/* --------------------------------------------------------------- initialise */

static foray_status scout_create(foray_explorer *explorer)
{
    fy_certifier *sets;
    foray_status status = fy_learner_create(explorer, sizeof(fy_learner), 1, FY_KEEPS_ACTIONS);
    /* So that episodes need no memory. */
    return status == FORAY_OK ? fy_explorer_sets(explorer, &sets) : status;
}

/* ------------------------------------------------------------------ episodes */

/* r(s,a) = min{ 1, kappa^2 }, or min{ 1, 2 beta_g m } where there is no kappa. */
static fy_plan_reward scout_reward(fy_learner *learner, fy_certifier *sets)
{
    const foray_model *model = learner->model;
    const double *kappa2 = sets ? fy_all_rewards_kappa2(sets->all) : NULL;
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        int32_t set = model->generator_set[pair];
        int32_t g = learner->basis->block_of_generator_set[set];
        bool known =
            sets && fy_certifier_has_likelihood(sets, model->basis->block_of_generator_set[set]);
        double widest = 2.0 * learner->radius[g] * learner->inner->upper[set];
        learner->bonus[pair] = fmin(1.0, known ? kappa2[set] : widest);
    }
    return (fy_plan_reward){.table = learner->table, .cap = INFINITY};
}

/* The sets, r from them, pi = PLAN(...). */
static void scout_begin_episode(foray_explorer *explorer)
{
    fy_learner *learner = explorer->self;
    fy_certifier *sets = NULL;
    if (!fy_explorer_plan_due(explorer))
        return;
    fy_learner_estimate(learner);
    fy_learner_maximise(learner, true);
    /* Cannot fail: it was made when the explorer was. */
    (void)fy_explorer_sets(explorer, &sets);
    if (!sets)
        fy_kernel_estimate(learner->kernel, learner->ridge, learner->z, learner->radius);
    fy_learner_follow(explorer, sets ? sets->inside->kernel : learner->kernel,
                      scout_reward(learner, sets), 0, FORAY_CLIP_REMAINING);
    fy_ridge_mark(learner->ridge);
}

const fy_explorer_ops fy_scout = {
    .name = "scout",
    .summary = "Foray's own: goes where certificates are widest, linear mixture models",
    .create = scout_create,
    .begin_episode = scout_begin_episode,
    .follows = true,
    .observe = fy_learner_observe,
    .explores_on_sets = true,
    FY_LEARNER_RFE_OPS,
};
