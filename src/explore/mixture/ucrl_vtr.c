/* ucrl_vtr.c - UCRL-VTR: value-targeted regression for one given reward.
 *
 * Jia, Yang, Szepesvari, Wang (2020); Ayoub et al. (2020):
 *
 *   Sigma = lambda I, b = 0
 *   for k = 1..K
 *     theta_k = Sigma^-1 b
 *     pi, V = PLAN(theta_k, Sigma, r, beta)           r: the reward that was given
 *     play pi for one episode; at each step:
 *       Sigma += psi_V psi_V',   b += psi_V V(s_{h+1})      psi_V at (s_h,a_h), V = V_{h+1}
 *
 * Not reward-free: it is here to show what not knowing the reward costs. The regression is
 * an honest one whatever its targets, so that plans and certificates are valid for every
 * reward; but it has looked only where r made it look.
 *
 * Deviations, all switched off by --literal:
 *   - regressions are centred and in blocks, a target V is shifted and divided by how much it
 *     varies among the successors of (s_h,a_h), which is known before s_{h+1} is, and beta is
 *     one self-normalised radius per block (learner.h);
 *   - values are clipped at the steps that remain, H-h+1, not at H;
 *   - a new plan is made when some block's determinant has doubled, not in every episode.
 * In both, where the papers have constants of their own beta is that of UCRL-RFE: the targets
 * have the same range, and the same lemma applies. */
#include "explore/mixture/learner.h"
#include "explore/route.h"

#include <stdlib.h>

/* --------------------------------------------------------------- initialise */

static int64_t count_values(const foray_model *model)
{
    return (model->horizon + 1) * model->states;
}

/* The algorithm's own state is V: [horizon+1][states]. */
static foray_status create(foray_explorer *explorer)
{
    const foray_model *model = explorer->model;
    foray_status status = fy_route_create(explorer->ctx, model, &explorer->route);
    explorer->self = fy_alloc(explorer->ctx, (size_t)count_values(model), sizeof(double));
    if (status != FORAY_OK || explorer->self == NULL)
        return FORAY_ERROR_MEMORY;
    return fy_learner_create(explorer, 1);
}

static void destroy(foray_explorer *explorer)
{
    free(explorer->self);
    fy_learner_destroy(explorer->learner);
}

/* ------------------------------------------------------------------ episodes */

/* theta_k = Sigma^-1 b, then pi, V = PLAN(theta_k, Sigma, r, beta). */
static void replan(foray_explorer *explorer)
{
    fy_learner *learner = explorer->learner;
    fy_learner_estimate(learner);
    fy_kernel_estimate(learner->kernel, learner->ridge, learner->z, learner->radius);
    double mean;
    fy_plan(&(fy_plan_task){.kernel = learner->kernel,
                            .reward = fy_learner_given_reward(explorer),
                            .lanes = 1,
                            .sign = +1,
                            .clip = explorer->settings.clip,
                            .ties = explorer->settings.ties,
                            .layers = explorer->model->horizon + 1,
                            .value = explorer->self,
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

/* V_{H+1} = 0 tells nothing: scaled to its range it is left out, unscaled it adds zero. */
static void observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    const double *value = explorer->self;
    fy_learner_observe_value(explorer->learner, value + (t + 1) * explorer->model->states, pair, j);
}

static void end_episode(foray_explorer *explorer)
{
    explorer->route.stale = fy_learner_outgrown(&explorer->settings, explorer->learner->ridge);
}

/* ------------------------------------------------------------- save and load */

static void save(foray_explorer *explorer, fy_writer *writer)
{
    fy_route_write(&explorer->route, explorer->model, writer);
    fy_write_doubles(writer, explorer->self, (size_t)count_values(explorer->model));
    fy_ridge_write(explorer->learner->ridge, writer);
}

static void load(foray_explorer *explorer, fy_reader *reader)
{
    fy_route_read(&explorer->route, explorer->model, reader);
    fy_read_doubles(reader, explorer->self, (size_t)count_values(explorer->model));
    fy_ridge_read(explorer->learner->ridge, reader);
}

const fy_explorer_ops fy_ucrl_vtr = {
    .name = "ucrl-vtr",
    .summary = "UCRL-VTR (Jia et al. 2020): sees the reward, regresses on its optimistic values",
    .needs_reward = true,
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
