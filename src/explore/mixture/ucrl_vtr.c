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
#include <stdlib.h>

typedef struct ucrl_vtr {
    fy_learner learner;
    fy_given given;  /* r */
    int32_t *action; /* pi: [horizon][states] */
    double *value;   /* V: [horizon+1][states] */
} ucrl_vtr;

/* --------------------------------------------------------------- initialise */

static int64_t count_values(const foray_model *model)
{
    return (model->horizon + 1) * model->states;
}

static foray_status ucrl_vtr_create(foray_explorer *explorer)
{
    const foray_model *model = explorer->model;
    foray_status status = fy_learner_create(explorer, sizeof(ucrl_vtr), 1);
    ucrl_vtr *self = explorer->self;
    if (status == FORAY_OK && (!FY_ALLOC(explorer->ctx, self->action, fy_policy_entries(model)) ||
                               !FY_ALLOC(explorer->ctx, self->value, count_values(model))))
        status = FORAY_ERROR_MEMORY;
    return status;
}

static void ucrl_vtr_destroy(foray_explorer *explorer)
{
    ucrl_vtr *self = explorer->self;
    if (self) {
        fy_given_destroy(&self->given);
        free(self->action);
        free(self->value);
    }
    fy_learner_destroy(explorer);
}

static fy_given *ucrl_vtr_given(const foray_explorer *explorer)
{
    ucrl_vtr *self = explorer->self;
    return &self->given;
}

/* ------------------------------------------------------------------ episodes */

/* theta_k = Sigma^-1 b, then pi, V = PLAN(theta_k, Sigma, r, beta). */
static void ucrl_vtr_begin_episode(foray_explorer *explorer)
{
    ucrl_vtr *self = explorer->self;
    fy_learner *learner = &self->learner;
    if (!fy_explorer_plan_due(explorer))
        return;
    fy_learner_estimate(learner);
    fy_kernel_estimate(learner->kernel, learner->ridge, learner->z, learner->radius);
    double mean;
    fy_plan(&(fy_plan_task){.kernel = learner->kernel,
                            .reward = {.table = self->given.table, .cap = INFINITY},
                            .lanes = 1,
                            .sign = +1,
                            .clip = explorer->settings.clip,
                            .ties = explorer->settings.ties,
                            .layers = explorer->model->horizon + 1,
                            .value = self->value,
                            .policy = self->action},
            &mean);
    fy_ridge_mark(learner->ridge);
    fy_explorer_planned(explorer);
}

static const int32_t *ucrl_vtr_followed(const foray_explorer *explorer)
{
    const ucrl_vtr *self = explorer->self;
    return self->action;
}

/* V_{H+1} = 0 tells nothing: scaled to its range it is left out, unscaled it adds zero. */
static void ucrl_vtr_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    ucrl_vtr *self = explorer->self;
    const double *next = self->value + (t + 1) * explorer->model->states;
    fy_learner_observe_value(&self->learner, next, pair, j);
}

/* ------------------------------------------------------------- save and load */

static void ucrl_vtr_save(foray_explorer *explorer, fy_writer *writer)
{
    const ucrl_vtr *self = explorer->self;
    fy_write_i32s(writer, self->action, (size_t)fy_policy_entries(explorer->model));
    fy_write_doubles(writer, self->value, (size_t)count_values(explorer->model));
    fy_ridge_write(self->learner.ridge, writer);
}

static void ucrl_vtr_load(foray_explorer *explorer, fy_reader *reader)
{
    ucrl_vtr *self = explorer->self;
    fy_read_actions(reader, explorer->model, self->action, fy_policy_entries(explorer->model));
    fy_read_doubles(reader, self->value, (size_t)count_values(explorer->model));
    fy_ridge_read(self->learner.ridge, reader);
}

const fy_explorer_ops fy_ucrl_vtr = {
    .name = "ucrl-vtr",
    .summary = "UCRL-VTR (Jia et al. 2020): sees the reward, regresses on its optimistic values",
    .create = ucrl_vtr_create,
    .destroy = ucrl_vtr_destroy,
    .begin_episode = ucrl_vtr_begin_episode,
    .act = fy_follow,
    .followed = ucrl_vtr_followed,
    .observe = ucrl_vtr_observe,
    .end_episode = fy_learner_end_episode,
    .plan = fy_learner_plan,
    .plans_on_sets = true,
    .regression = fy_learner_regression,
    .save = ucrl_vtr_save,
    .load = ucrl_vtr_load,
    .needs_budget = fy_learner_needs_budget,
    .given = ucrl_vtr_given,
    .bound = fy_learner_bound,
    .estimate = fy_learner_theta,
    .describe = fy_learner_describe,
};
