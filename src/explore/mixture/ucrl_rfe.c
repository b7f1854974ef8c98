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
 * Corrections: the paper prints a square root around the norm in r_h; its proof
 * uses the norm. Ties prefer the larger value before clipping. */
#include "explore/mixture/learner.h"
#include "explore/route.h"

/* --------------------------------------------------------------- initialise */

static foray_status create(foray_explorer *explorer)
{
    foray_status status = fy_route_create(explorer->ctx, explorer->model, &explorer->route);
    return status == FORAY_OK ? fy_learner_create(explorer, 1) : status;
}

static void destroy(foray_explorer *explorer)
{
    fy_learner_destroy(explorer->learner);
}

/* ------------------------------------------------------------------ episodes */

/* theta_k = Sigma^-1 b, r_h from the inner maximisation, pi = PLAN(...). */
static void replan(foray_explorer *explorer)
{
    fy_learner *learner = explorer->learner;
    fy_learner_estimate(learner);
    fy_learner_maximise(learner, true);
    fy_kernel_estimate(learner->kernel, learner->ridge, learner->z, learner->radius);
    double mean;
    fy_plan(&(fy_plan_task){.kernel = learner->kernel,
                            .reward = fy_learner_reward(learner),
                            .lanes = 1,
                            .sign = +1,
                            .clip = explorer->settings.clip,
                            .ties = explorer->settings.ties,
                            .layers = 2,
                            .value = learner->value,
                            .policy = explorer->route.action},
            &mean);
    fy_ridge_mark(learner->ridge);
    explorer->route.stale = false;
    explorer->plans++;
}

static void begin_episode(foray_explorer *explorer)
{
    if (explorer->route.stale)
        replan(explorer);
}

static void observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    fy_learner_observe(explorer->learner, t, pair, j);
}

static void end_episode(foray_explorer *explorer)
{
    explorer->route.stale = fy_learner_outgrown(&explorer->settings, explorer->learner->ridge);
}

/* ------------------------------------------------------------- save and load */

static void save(foray_explorer *explorer, fy_writer *writer)
{
    fy_route_write(&explorer->route, explorer->model, writer);
    fy_learner_write(explorer->learner, writer);
}

static void load(foray_explorer *explorer, fy_reader *reader)
{
    fy_route_read(&explorer->route, explorer->model, reader);
    fy_learner_read(explorer->learner, reader);
}

const fy_explorer_ops fy_ucrl_rfe = {
    .name = "ucrl-rfe",
    .summary = "UCRL-RFE (Zhang, Zhou, Gu 2021): Hoeffding bonuses, linear mixture models",
    .create = create,
    .destroy = destroy,
    .begin_episode = begin_episode,
    .act = fy_route_act,
    .observe = observe,
    .end_episode = end_episode,
    .plan = fy_learner_plan,
    .save = save,
    .load = load,
    .needs_budget = fy_learner_needs_budget,
    .bound = fy_learner_bound,
    .estimate = fy_learner_theta,
    .describe = fy_learner_describe,
};
