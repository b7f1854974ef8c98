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
 * those of the episode's start. */
#include "explore/ucrl_rfe_plus.h"
#include "explore/learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 4 };

/* One of the regressions on V and V^2: the running one, and it as it was at the last plan. */
typedef struct value_regression {
    fy_ridge *now, *at_plan;
    double *z; /* at_plan's estimate */
} value_regression;

typedef struct ucrl_rfe_plus {
    value_regression hat, tilde;
    double *radius_hat, *radius_check, *radius_tilde; /* [blocks] */
    int32_t *policy;                                  /* pi: [horizon][states] */
    double *value;                                    /* V: [horizon+1][states] */
    double *v, *v2, *x, *y, *white;                   /* of one pair */
    bool stale;                                       /* plan anew before the next episode */
} ucrl_rfe_plus;

/* --------------------------------------------------------------- initialise */

static foray_status create_regression(foray_explorer *explorer, value_regression *regression)
{
    const fy_learner *learner = explorer->learner;
    const double *lambda = learner->ridge->lambda;
    int64_t every = explorer->settings.refactor_every;
    foray_status status =
        fy_ridge_create(explorer->ctx, learner->form, lambda, every, &regression->now);
    if (status == FORAY_OK)
        status = fy_ridge_create(explorer->ctx, learner->form, lambda, every, &regression->at_plan);
    if (status == FORAY_OK && !FY_ALLOC(explorer->ctx, regression->z, learner->form->unknowns))
        status = FORAY_ERROR_MEMORY;
    return status;
}

static foray_status create_arrays(foray_explorer *explorer)
{
    foray_context *ctx = explorer->ctx;
    ucrl_rfe_plus *self = explorer->self;
    const foray_model *model = explorer->model;
    const fy_form *form = explorer->learner->form;
    bool complete =
        FY_ALLOC(ctx, self->radius_hat, form->blocks) &&
        FY_ALLOC(ctx, self->radius_check, form->blocks) &&
        FY_ALLOC(ctx, self->radius_tilde, form->blocks) &&
        FY_ALLOC(ctx, self->policy, model->horizon * model->states) &&
        FY_ALLOC(ctx, self->value, (model->horizon + 1) * model->states) &&
        FY_ALLOC(ctx, self->v, form->most_generators) &&
        FY_ALLOC(ctx, self->v2, form->most_generators) && FY_ALLOC(ctx, self->x, form->most_dim) &&
        FY_ALLOC(ctx, self->y, form->most_dim) && FY_ALLOC(ctx, self->white, form->most_dim);
    return complete ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* The radii of section "UCRL-RFE+" with d_g, B_g and delta/m: constant over a run. */
static void set_radii(foray_explorer *explorer)
{
    ucrl_rfe_plus *self = explorer->self;
    const foray_settings *settings = &explorer->settings;
    const fy_form *form = explorer->learner->form;
    for (int64_t g = 0; g < form->blocks; g++) {
        const fy_block *block = &form->block[g];
        fy_bernstein radius = fy_radius_bernstein(
            (double)explorer->model->horizon, (double)block->dim, (double)settings->episodes,
            block->norm_bound, settings->delta / (double)form->blocks);
        self->radius_hat[g] = settings->radius_scale_hat * radius.hat;
        self->radius_check[g] = settings->radius_scale_check * radius.check;
        self->radius_tilde[g] = settings->radius_scale_tilde * radius.tilde;
    }
}

static foray_status create(foray_explorer *explorer)
{
    ucrl_rfe_plus *self = fy_alloc(explorer->ctx, 1, sizeof *self);
    if (self == NULL)
        return FORAY_ERROR_MEMORY;
    explorer->self = self;
    self->stale = true;
    foray_status status = fy_learner_create(explorer, EVENTS);
    if (status == FORAY_OK)
        status = create_regression(explorer, &self->hat);
    if (status == FORAY_OK)
        status = create_regression(explorer, &self->tilde);
    if (status == FORAY_OK)
        status = create_arrays(explorer);
    if (status == FORAY_OK)
        set_radii(explorer);
    return status;
}

static void destroy_regression(value_regression *regression)
{
    fy_ridge_destroy(regression->now);
    fy_ridge_destroy(regression->at_plan);
    free(regression->z);
}

static void destroy(foray_explorer *explorer)
{
    ucrl_rfe_plus *self = explorer->self;
    if (self != NULL) {
        destroy_regression(&self->hat);
        destroy_regression(&self->tilde);
        free(self->radius_hat);
        free(self->radius_check);
        free(self->radius_tilde);
        free(self->policy);
        free(self->value);
        free(self->v);
        free(self->v2);
        free(self->x);
        free(self->y);
        free(self->white);
    }
    free(self);
    fy_learner_destroy(explorer->learner);
}

/* ---------------------------------------------------------------- the plan */

/* theta = Sigma^-1 b, and Sigma as it is now, for the episodes until the next plan. */
static void freeze(value_regression *regression)
{
    fy_ridge_mark(regression->now);
    fy_ridge_copy(regression->at_plan, regression->now);
    for (int64_t g = 0; g < regression->now->blocks; g++)
        fy_ridge_solve(regression->now, g, regression->z + regression->now->at_vector[g]);
}

/* r_h from (Sigma, beta), then pi, V = PLAN(theta^, Sigma^, r, beta^). */
static void replan(foray_explorer *explorer)
{
    ucrl_rfe_plus *self = explorer->self;
    fy_learner *learner = explorer->learner;
    fy_learner_estimate(learner);
    fy_learner_maximise(learner, true);
    fy_ridge_mark(learner->ridge);
    freeze(&self->hat);
    freeze(&self->tilde);
    fy_kernel_estimate(learner->kernel, self->hat.at_plan, self->hat.z, self->radius_hat);
    double mean;
    fy_plan(&(fy_plan_task){.kernel = learner->kernel,
                            .reward = fy_learner_reward(learner),
                            .lanes = 1,
                            .sign = +1,
                            .clip = explorer->settings.clip,
                            .ties = explorer->settings.ties,
                            .layers = explorer->model->horizon + 1,
                            .value = self->value,
                            .policy = self->policy},
            &mean);
    self->stale = false;
    explorer->plans++;
}

static void begin_episode(foray_explorer *explorer)
{
    ucrl_rfe_plus *self = explorer->self;
    if (self->stale)
        replan(explorer);
}

static int64_t act(foray_explorer *explorer, int64_t t, int64_t state)
{
    const ucrl_rfe_plus *self = explorer->self;
    return self->policy[t * explorer->model->states + state];
}

/* --------------------------------------------------------------- the variance */

static double clip(double value, double most)
{
    return fmin(fmax(value, 0.0), most);
}

/* ||x||_{Sigma^-1} with the matrix of the last plan. */
static double norm(const value_regression *regression, int64_t block, const double *x,
                   double *white)
{
    int32_t d = regression->at_plan->form->block[block].dim;
    fy_ridge_whiten(regression->at_plan, block, x, white);
    double square = 0.0;
    for (int32_t i = 0; i < d; i++)
        square += white[i] * white[i];
    return sqrt(square);
}

/* [P f](s,a) as the regression sees it: <psi_f, theta_0> + <psi'_f, z>. */
static double expectation(const value_regression *regression, int64_t block, int64_t set,
                          const double *f, const double *psi)
{
    const fy_ridge *ridge = regression->at_plan;
    const double *z = regression->z + ridge->at_vector[block];
    double mean = fy_form_offset(ridge->form, set, f);
    for (int32_t i = 0; i < ridge->form->block[block].dim; i++)
        mean += psi[i] * z[i];
    return mean;
}

/* v = V_{h+1} and v2 = V_{h+1}^2 at the successors; x = psi'_v, y = psi'_{v2}. */
static void features(foray_explorer *explorer, int64_t t, int64_t pair)
{
    ucrl_rfe_plus *self = explorer->self;
    const foray_model *model = explorer->model;
    const double *value = self->value + (t + 1) * model->states;
    const int32_t *next = model->succ + model->succ_start[pair];
    int64_t set = model->genset[pair], n = fy_genset_size(model, set);
    for (int64_t j = 0; j < n; j++) {
        self->v[j] = value[next[j]];
        self->v2[j] = self->v[j] * self->v[j];
    }
    fy_form_psi(explorer->learner->form, set, self->v, self->x, explorer->learner->scratch);
    fy_form_psi(explorer->learner->form, set, self->v2, self->y, explorer->learner->scratch);
}

/* var and E, after features(). */
static fy_variance variance(foray_explorer *explorer, int64_t set, int64_t block)
{
    const ucrl_rfe_plus *self = explorer->self;
    double H = (double)explorer->model->horizon;
    double second = expectation(&self->tilde, block, set, self->v2, self->y);
    double first = clip(expectation(&self->hat, block, set, self->v, self->x), H);
    double error_second =
        self->radius_tilde[block] * norm(&self->tilde, block, self->y, self->white);
    double error_first =
        2.0 * H * self->radius_check[block] * norm(&self->hat, block, self->x, self->white);
    return (fy_variance){.estimate = clip(second, H * H) - first * first,
                         .error = fmin(H * H, error_second) + fmin(H * H, error_first)};
}

/* ------------------------------------------------------------------ episodes */

static void observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    ucrl_rfe_plus *self = explorer->self;
    const fy_form *form = explorer->learner->form;
    int64_t set = explorer->model->genset[pair], block = form->block_of_genset[set];
    double H = (double)explorer->model->horizon, d = (double)form->block[block].dim;
    fy_learner_observe(explorer->learner, t, pair, j);
    if (d == 0.0)
        return;
    features(explorer, t, pair);
    fy_variance var = variance(explorer, set, block);
    double nu = fmax(H * H / d, var.estimate + var.error);
    fy_ridge_update(self->hat.now, block, self->x, self->v[j] - fy_form_offset(form, set, self->v),
                    1.0 / nu);
    fy_ridge_update(self->tilde.now, block, self->y,
                    self->v2[j] - fy_form_offset(form, set, self->v2), 1.0);
}

static void end_episode(foray_explorer *explorer)
{
    ucrl_rfe_plus *self = explorer->self;
    const foray_settings *settings = &explorer->settings;
    self->stale = fy_learner_outgrown(settings, explorer->learner->ridge) ||
                  fy_learner_outgrown(settings, self->hat.now) ||
                  fy_learner_outgrown(settings, self->tilde.now);
}

/* ------------------------------------------------------------- save and load */

static void write_regression(const value_regression *regression, fy_writer *writer)
{
    fy_ridge_write(regression->now, writer);
    fy_ridge_write(regression->at_plan, writer);
    fy_write_doubles(writer, regression->z, (size_t)regression->now->form->unknowns);
}

static void read_regression(value_regression *regression, fy_reader *reader)
{
    fy_ridge_read(regression->now, reader);
    fy_ridge_read(regression->at_plan, reader);
    fy_read_doubles(reader, regression->z, (size_t)regression->now->form->unknowns);
}

static void save(foray_explorer *explorer, fy_writer *writer)
{
    const ucrl_rfe_plus *self = explorer->self;
    const foray_model *model = explorer->model;
    fy_write_u64(writer, self->stale);
    fy_write_i32s(writer, self->policy, (size_t)(model->horizon * model->states));
    fy_write_doubles(writer, self->value, (size_t)((model->horizon + 1) * model->states));
    write_regression(&self->hat, writer);
    write_regression(&self->tilde, writer);
    fy_learner_write(explorer->learner, writer);
}

static void load(foray_explorer *explorer, fy_reader *reader)
{
    ucrl_rfe_plus *self = explorer->self;
    const foray_model *model = explorer->model;
    self->stale = fy_read_u64(reader) != 0;
    fy_explorer_read_policy(explorer, reader, self->policy);
    fy_read_doubles(reader, self->value, (size_t)((model->horizon + 1) * model->states));
    read_regression(&self->hat, reader);
    read_regression(&self->tilde, reader);
    fy_learner_read(explorer->learner, reader);
}

/* ----------------------------------------------------------------- for tests */

fy_variance fy_ucrl_rfe_plus_variance(foray_explorer *explorer, int64_t t, int64_t pair)
{
    int64_t set = explorer->model->genset[pair];
    features(explorer, t, pair);
    return variance(explorer, set, explorer->learner->form->block_of_genset[set]);
}

const double *fy_ucrl_rfe_plus_value(const foray_explorer *explorer)
{
    const ucrl_rfe_plus *self = explorer->self;
    return self->value;
}

/* The Bernstein radii are stated for a number of episodes fixed beforehand. */
static bool needs_budget(const foray_settings *settings)
{
    (void)settings;
    return true;
}

const fy_explorer_ops fy_ucrl_rfe_plus = {
    .name = "ucrl-rfe+",
    .summary = "UCRL-RFE+ (Zhang, Zhou, Gu 2021): Bernstein bonuses, linear mixture models",
    .create = create,
    .destroy = destroy,
    .begin_episode = begin_episode,
    .act = act,
    .observe = observe,
    .end_episode = end_episode,
    .plan = fy_learner_plan,
    .save = save,
    .load = load,
    .needs_budget = needs_budget,
    .bound = fy_learner_bound,
    .estimate = fy_learner_theta,
    .describe = fy_learner_describe,
};
