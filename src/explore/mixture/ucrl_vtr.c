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

#include <math.h>

/* --------------------------------------------------------------- initialise */

static foray_status ucrl_vtr_create(foray_explorer *explorer)
{
    return fy_learner_create(explorer, sizeof(fy_learner), 1, FY_KEEPS_VALUES);
}

/* ------------------------------------------------------------------ episodes */

/* theta_k = Sigma^-1 b, then pi, V = PLAN(theta_k, Sigma, r, beta). */
static void ucrl_vtr_begin_episode(foray_explorer *explorer)
{
    fy_learner *learner = explorer->self;
    if (!fy_explorer_plan_due(explorer))
        return;
    fy_learner_estimate(learner);
    fy_kernel_estimate(learner->kernel, learner->ridge, learner->z, learner->radius);
    fy_learner_follow(explorer, learner->kernel,
                      (fy_plan_reward){.table = explorer->given_table, .cap = INFINITY}, +1,
                      explorer->settings.clip);
    fy_ridge_mark(learner->ridge);
}

/* V_{H+1} = 0 tells nothing: scaled to its range it is left out, unscaled it adds zero. */
static void ucrl_vtr_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    fy_learner *learner = explorer->self;
    fy_learner_observe_value(learner, learner->V + (t + 1) * explorer->model->states, pair, j);
}

/* ------------------------------------------------------------- save and load */

static void ucrl_vtr_save(foray_explorer *explorer, fy_writer *writer)
{
    const fy_learner *learner = explorer->self;
    fy_ridge_write(learner->ridge, writer);
}

static void ucrl_vtr_load(foray_explorer *explorer, fy_reader *reader)
{
    const fy_learner *learner = explorer->self;
    fy_ridge_read(learner->ridge, reader);
}

const fy_explorer_ops fy_ucrl_vtr = {
    .name = "ucrl-vtr",
    .summary = "UCRL-VTR (Jia et al. 2020): sees the reward, regresses on its optimistic values",
    .takes_reward = true,
    .create = ucrl_vtr_create,
    .begin_episode = ucrl_vtr_begin_episode,
    .follows = true,
    .remakes = true,
    .observe = ucrl_vtr_observe,
    .end_episode = fy_learner_end_episode,
    .save = ucrl_vtr_save,
    .load = ucrl_vtr_load,
    .needs_budget = fy_learner_needs_budget,
    FY_LEARNER_OPS,
};
