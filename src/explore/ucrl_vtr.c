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
#include "explore/learner.h"

#include <stdlib.h>

typedef struct ucrl_vtr {
    int32_t *policy; /* pi: [horizon][states] */
    double *value;   /* V: [horizon+1][states] */
    bool stale;      /* plan anew before the next episode */
} ucrl_vtr;

/* --------------------------------------------------------------- initialise */

static foray_status create(foray_explorer *explorer)
{
    foray_context *ctx = explorer->ctx;
    const foray_model *model = explorer->model;
    ucrl_vtr *self = fy_alloc(ctx, 1, sizeof *self);
    if (self == NULL)
        return FORAY_ERROR_MEMORY;
    explorer->self = self;
    self->stale = true;
    if (!FY_ALLOC(ctx, self->policy, model->horizon * model->states) ||
        !FY_ALLOC(ctx, self->value, (model->horizon + 1) * model->states))
        return FORAY_ERROR_MEMORY;
    return fy_learner_create(explorer, 1);
}

static void destroy(foray_explorer *explorer)
{
    ucrl_vtr *self = explorer->self;
    if (self != NULL) {
        free(self->policy);
        free(self->value);
    }
    free(self);
    fy_learner_destroy(explorer->learner);
}

/* ------------------------------------------------------------------ episodes */

/* theta_k = Sigma^-1 b, then pi, V = PLAN(theta_k, Sigma, r, beta). */
static void replan(foray_explorer *explorer)
{
    ucrl_vtr *self = explorer->self;
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
                            .value = self->value,
                            .policy = self->policy},
            &mean);
    fy_ridge_mark(learner->ridge);
    self->stale = false;
    explorer->plans++;
}

static void begin_episode(foray_explorer *explorer)
{
    const ucrl_vtr *self = explorer->self;
    if (self->stale)
        replan(explorer);
}

static int64_t act(foray_explorer *explorer, int64_t t, int64_t state)
{
    const ucrl_vtr *self = explorer->self;
    return self->policy[t * explorer->model->states + state];
}

/* V_{H+1} = 0 tells nothing: scaled to its range it is left out, unscaled it adds zero. */
static void observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    const ucrl_vtr *self = explorer->self;
    const double *value = self->value + (t + 1) * explorer->model->states;
    fy_learner_observe_value(explorer->learner, value, pair, j);
}

static void end_episode(foray_explorer *explorer)
{
    ucrl_vtr *self = explorer->self;
    self->stale = fy_learner_outgrown(&explorer->settings, explorer->learner->ridge);
}

/* ------------------------------------------------------------- save and load */

static void save(foray_explorer *explorer, fy_writer *writer)
{
    const ucrl_vtr *self = explorer->self;
    const foray_model *model = explorer->model;
    fy_write_u64(writer, self->stale);
    fy_write_i32s(writer, self->policy, (size_t)(model->horizon * model->states));
    fy_write_doubles(writer, self->value, (size_t)((model->horizon + 1) * model->states));
    fy_ridge_write(explorer->learner->ridge, writer);
}

static void load(foray_explorer *explorer, fy_reader *reader)
{
    ucrl_vtr *self = explorer->self;
    const foray_model *model = explorer->model;
    self->stale = fy_read_u64(reader) != 0;
    fy_explorer_read_policy(explorer, reader, self->policy);
    fy_read_doubles(reader, self->value, (size_t)((model->horizon + 1) * model->states));
    fy_ridge_read(explorer->learner->ridge, reader);
}

const fy_explorer_ops fy_ucrl_vtr = {
    .name = "ucrl-vtr",
    .summary = "UCRL-VTR (Jia et al. 2020): sees the reward, regresses on its optimistic values",
    .needs_reward = true,
    .create = create,
    .destroy = destroy,
    .begin_episode = begin_episode,
    .act = act,
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
