/* values.c - see values.h. */
#include "explore/mixture/values.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------- create and destroy */

static foray_status create_regression(foray_explorer *explorer, fy_value_regression *regression)
{
    const fy_learner *learner = explorer->self;
    fy_arena *arena = &explorer->arena;
    const double *lambda = learner->ridge->lambda;
    int64_t every = explorer->settings.refactor_every;
    foray_status status = FORAY_OK;
    if (!regression->borrowed)
        status = fy_ridge_create(arena, learner->basis, lambda, every, &regression->now);
    if (status == FORAY_OK)
        status = fy_ridge_create(arena, learner->basis, lambda, every, &regression->at_plan);
    if (status == FORAY_OK && explorer->model->feature_error > 0.0) {
        status = fy_ridge_keep_spread(arena, regression->at_plan);
        if (status == FORAY_OK && !regression->borrowed)
            status = fy_ridge_keep_spread(arena, regression->now);
    }
    if (status == FORAY_OK && !FY_NEW(arena, regression->z, learner->basis->unknowns))
        status = FORAY_ERROR_MEMORY;
    return status;
}

static foray_status create_arrays(foray_explorer *explorer)
{
    fy_arena *arena = &explorer->arena;
    fy_values *self = explorer->self;
    const fy_basis *basis = self->learner.basis;
    bool complete =
        FY_NEW(arena, self->radius_hat, basis->blocks) &&
        FY_NEW(arena, self->radius_check, basis->blocks) &&
        FY_NEW(arena, self->radius_tilde, basis->blocks) &&
        FY_NEW(arena, self->radius, basis->blocks) &&
        FY_NEW(arena, self->v, basis->max_generators) &&
        FY_NEW(arena, self->v2, basis->max_generators) && FY_NEW(arena, self->x, basis->max_dim) &&
        FY_NEW(arena, self->y, basis->max_dim) && FY_NEW(arena, self->white, basis->max_dim);
    return complete ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* The radii of UCRL-RFE+ with d_g, B_g and delta/m, for exact features: constant over a run. */
static void set_radii(foray_explorer *explorer, double scale)
{
    fy_values *self = explorer->self;
    const foray_settings *settings = &explorer->settings;
    const fy_basis *basis = self->learner.basis;
    for (int64_t g = 0; g < basis->blocks; g++) {
        const fy_block *block = &basis->block[g];
        fy_bernstein radius =
            fy_radius_bernstein((double)explorer->model->horizon, (double)block->dim,
                                (double)settings->episodes, self->learner.ridge->lambda[g],
                                block->norm_bound, settings->delta / (double)basis->blocks);
        self->radius_hat[g] = scale * explorer->own[FY_VALUES_HAT].real * radius.hat;
        self->radius_check[g] = scale * explorer->own[FY_VALUES_CHECK].real * radius.check;
        self->radius_tilde[g] = scale * explorer->own[FY_VALUES_TILDE].real * radius.tilde;
    }
}

foray_status fy_values_create(foray_explorer *explorer, fy_ridge *hat, double scale)
{
    fy_values *self = explorer->self;
    self->hat.borrowed = hat != NULL;
    self->hat.now = hat;
    foray_status status = create_regression(explorer, &self->hat);
    if (status == FORAY_OK)
        status = create_regression(explorer, &self->tilde);
    if (status == FORAY_OK)
        status = create_arrays(explorer);
    if (status == FORAY_OK)
        set_radii(explorer, scale);
    return status;
}

/* ---------------------------------------------------------------- the plan */

/* theta = Sigma^-1 b, and Sigma as it is now, for the episodes until the next plan. */
static void freeze(fy_value_regression *regression)
{
    fy_ridge_mark(regression->now);
    fy_ridge_copy(regression->at_plan, regression->now);
    for (int64_t g = 0; g < regression->now->blocks; g++)
        fy_ridge_solve(regression->now, g, regression->z + regression->now->at_vector[g]);
}

void fy_values_plan(foray_explorer *explorer, fy_plan_reward reward)
{
    fy_values *self = explorer->self;
    fy_learner *learner = &self->learner;
    freeze(&self->hat);
    freeze(&self->tilde);
    memcpy(self->radius, self->radius_hat, (size_t)learner->basis->blocks * sizeof *self->radius);
    fy_radius_widen(self->hat.at_plan, explorer->model->feature_error, self->radius);
    fy_kernel_estimate(learner->kernel, self->hat.at_plan, self->hat.z, self->radius);
    fy_learner_follow(explorer, learner->kernel, reward, +1, explorer->settings.clip);
}

/* --------------------------------------------------------------- the variance */

static double clip(double value, double max)
{
    return fmin(fmax(value, 0.0), max);
}

/* ||x||_{Sigma^-1} with the matrix of the last plan. */
static double norm(const fy_value_regression *regression, int64_t block, const double *x,
                   double *white)
{
    int32_t d = regression->at_plan->basis->block[block].dim;
    fy_ridge_whiten(regression->at_plan, block, x, white);
    double square = 0.0;
    for (int32_t i = 0; i < d; i++)
        square += white[i] * white[i];
    return sqrt(square);
}

/* [P f](s,a) as the regression sees it: <psi_f, theta_0> + <psi'_f, z>. */
static double expectation(const fy_value_regression *regression, int64_t block, int64_t set,
                          const double *f, const double *psi)
{
    const fy_ridge *ridge = regression->at_plan;
    const double *z = regression->z + ridge->at_vector[block];
    double mean = fy_basis_offset(ridge->basis, set, f);
    for (int32_t i = 0; i < ridge->basis->block[block].dim; i++)
        mean += psi[i] * z[i];
    return mean;
}

/* v = V_{h+1} and v2 = V_{h+1}^2 at the successors; x = psi'_v, y = psi'_{v2}. */
static void features(foray_explorer *explorer, int64_t t, int64_t pair)
{
    fy_values *self = explorer->self;
    const foray_model *model = explorer->model;
    const double *value = self->learner.V + (t + 1) * model->states;
    const int32_t *next = model->succ + model->succ_start[pair];
    int64_t set = model->generator_set[pair], n = fy_generator_set_size(model, set);
    for (int64_t j = 0; j < n; j++) {
        self->v[j] = value[next[j]];
        self->v2[j] = self->v[j] * self->v[j];
    }
    fy_basis_psi(self->learner.basis, set, self->v, self->x, self->learner.scratch);
    fy_basis_psi(self->learner.basis, set, self->v2, self->y, self->learner.scratch);
}

/* What the error zeta of the features adds to radius ||psi_f||: zeta sqrt(spread) to the radius,
 * and zeta (max f - min f) beside it. */
static double widening(const foray_explorer *explorer, const fy_value_regression *regression,
                       int64_t set, int64_t block, const double *f, double size)
{
    double zeta = explorer->model->feature_error;
    if (zeta == 0.0)
        return 0.0;
    double span = fy_learner_span(f, fy_generator_set_size(explorer->model, set));
    return zeta * (sqrt(regression->at_plan->spread[block]) * size + span);
}

/* var and E, after features(). */
static fy_variance variance(foray_explorer *explorer, int64_t set, int64_t block)
{
    const fy_values *self = explorer->self;
    double H = (double)explorer->model->horizon;
    double second = expectation(&self->tilde, block, set, self->v2, self->y);
    double first = clip(expectation(&self->hat, block, set, self->v, self->x), H);
    double size_second = norm(&self->tilde, block, self->y, self->white);
    double size_first = norm(&self->hat, block, self->x, self->white);
    double error_second = self->radius_tilde[block] * size_second +
                          widening(explorer, &self->tilde, set, block, self->v2, size_second);
    double error_first = 2.0 * H * self->radius_check[block] * size_first +
                         2.0 * H * widening(explorer, &self->hat, set, block, self->v, size_first);
    return (fy_variance){.estimate = clip(second, H * H) - first * first,
                         .error = fmin(H * H, error_second) + fmin(H * H, error_first)};
}

fy_variance fy_values_variance(foray_explorer *explorer, int64_t t, int64_t pair)
{
    const fy_values *self = explorer->self;
    int64_t set = explorer->model->generator_set[pair];
    features(explorer, t, pair);
    return variance(explorer, set, self->learner.basis->block_of_generator_set[set]);
}

/* ------------------------------------------------------------------ learning */

void fy_values_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    fy_values *self = explorer->self;
    const fy_basis *basis = self->learner.basis;
    int64_t set = explorer->model->generator_set[pair], block = basis->block_of_generator_set[set];
    double H = (double)explorer->model->horizon, d = (double)basis->block[block].dim;
    if (d == 0.0)
        return;
    features(explorer, t, pair);
    fy_variance var = variance(explorer, set, block);
    double nu = fmax(H * H / d, var.estimate + var.error);
    fy_ridge_update(self->hat.now, block, self->x,
                    self->v[j] - fy_basis_offset(basis, set, self->v), 1.0 / nu);
    fy_ridge_update(self->tilde.now, block, self->y,
                    self->v2[j] - fy_basis_offset(basis, set, self->v2), 1.0);
    /* What estimated features may have added: w range^2, which is kept where zeta > 0. */
    if (explorer->model->feature_error > 0.0) {
        int64_t n = fy_generator_set_size(explorer->model, set);
        fy_ridge_add_spread(self->hat.now, block, 1.0 / nu, fy_learner_span(self->v, n));
        fy_ridge_add_spread(self->tilde.now, block, 1.0, fy_learner_span(self->v2, n));
    }
}

void fy_values_end_episode(foray_explorer *explorer)
{
    const fy_values *self = explorer->self;
    explorer->stale = fy_learner_wants_plan(explorer, self->hat.now) ||
                      fy_learner_wants_plan(explorer, self->tilde.now);
}

/* ------------------------------------------------------------- save and load */

static void write_regression(const fy_value_regression *regression, fy_writer *writer)
{
    fy_ridge_write(regression->now, writer);
    fy_ridge_write(regression->at_plan, writer);
    fy_write_doubles(writer, regression->z, (size_t)regression->now->basis->unknowns);
}

static void read_regression(fy_value_regression *regression, fy_reader *reader)
{
    fy_ridge_read(regression->now, reader);
    fy_ridge_read(regression->at_plan, reader);
    fy_read_doubles(reader, regression->z, (size_t)regression->now->basis->unknowns);
}

void fy_values_save(foray_explorer *explorer, fy_writer *writer)
{
    const fy_values *self = explorer->self;
    write_regression(&self->hat, writer);
    write_regression(&self->tilde, writer);
}

void fy_values_load(foray_explorer *explorer, fy_reader *reader)
{
    fy_values *self = explorer->self;
    read_regression(&self->hat, reader);
    read_regression(&self->tilde, reader);
}
