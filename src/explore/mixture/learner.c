/* learner.c - the value-targeted regression and planning from it.
 *
 *   in the paper                here
 *   theta                       z: its coordinates in the basis of each block (model/basis.h);
 *                               fy_basis_theta gives theta
 *   Sigma, b                    ridge->sigma, ridge->target; updated by fy_learner_observe alone
 *   Sigma^-1                    ridge->factor: L with L L' = Sigma
 *   beta                        radius, one for each block
 *   psi_f(s,a)                  fy_basis_psi, of the pair's generator set: pairs with the same
 *                               features are one set
 *   u(s,a), the maximiser       target, bits over the successors: u = (H-h) f, f in {0,1}
 *   max_f ||psi_f||_Sigma^-1    inner->upper, m(s,a)
 *   r_h                         bonus and scale, as fy_learner_reward puts them together
 *   PLAN(theta, Sigma, r, beta) fy_plan (plan/plan.h) with `kernel`, which holds the first two
 *   pi, V                       explorer->followed, V
 *   k, h                        explorer->episodes + 1, t + 1 */
#include "explore/mixture/learner.h"

#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "plan/many.h"
#include "policy/policy.h"

/* --------------------------------------------------------------- initialise */

/* The basis, the regression on it, the inner maximisation and the kernel. */
static foray_status create_regression(fy_arena *arena, fy_learner *learner)
{
    const foray_settings *settings = learner->settings;
    foray_status status = FORAY_OK;
    /* The sharp radius centres and splits into blocks unless told not to, and likelihoods are
     * always about blocks; the other radii are defined on the plain basis. */
    bool sharp =
        settings->radius == FORAY_RADIUS_SHARP || settings->radius == FORAY_RADIUS_LIKELIHOOD;
    bool centred = sharp && settings->centring != FORAY_OFF;
    bool blocked = sharp && settings->blocks != FORAY_OFF;
    if (!centred || !blocked)
        status =
            fy_basis_create(learner->ctx, learner->model, centred, blocked, &learner->own_basis);
    if (status != FORAY_OK)
        return status;
    const fy_basis *basis = learner->own_basis ? learner->own_basis : learner->model->basis;
    learner->basis = basis;
    double *lambda;
    if (!FY_NEW(arena, lambda, basis->blocks))
        return FORAY_ERROR_MEMORY;
    fy_radius_lambda(basis, settings, lambda);
    status = fy_ridge_create(arena, basis, lambda, settings->refactor_every, &learner->ridge);
    if (status == FORAY_OK && learner->model->feature_error > 0.0)
        status = fy_ridge_keep_spread(arena, learner->ridge);
    if (status == FORAY_OK)
        status =
            fy_inner_create(arena, basis, settings->inner, settings->inner_memory, &learner->inner);
    if (status == FORAY_OK)
        status = fy_kernel_create(arena, basis, FY_FACTOR_AUTO, &learner->kernel);
    return status;
}

static foray_status create_arrays(fy_arena *arena, fy_learner *learner)
{
    const foray_model *model = learner->model;
    const fy_basis *basis = learner->basis;
    bool complete =
        FY_NEW(arena, learner->z, basis->unknowns) &&
        FY_NEW(arena, learner->radius, basis->blocks) &&
        FY_NEW(arena, learner->target, learner->inner->at_bits[model->generator_sets]) &&
        FY_NEW(arena, learner->bonus, model->pairs) &&
        FY_NEW(arena, learner->table, model->horizon) &&
        FY_NEW(arena, learner->scale, model->horizon) &&
        FY_NEW(arena, learner->value, 2 * model->states) &&
        FY_NEW(arena, learner->f, basis->max_generators) &&
        FY_NEW(arena, learner->x, basis->max_dim) &&
        FY_NEW(arena, learner->scratch, basis->max_coords);
    if (!complete)
        return FORAY_ERROR_MEMORY;
    for (int64_t t = 0; t < model->horizon; t++)
        learner->table[t] = learner->bonus;
    return FORAY_OK;
}

/* One row per set, if they take at most so many numbers per pair. */
enum { MEMO_PER_PAIR = 4 };

static foray_status create_memo(fy_arena *arena, fy_learner *learner)
{
    const foray_model *model = learner->model;
    const fy_basis *basis = learner->basis;
    learner->age = 1;
    int64_t numbers = 0;
    for (int64_t set = 0; set < model->generator_sets; set++)
        numbers += 1 + basis->block[basis->block_of_generator_set[set]].dim;
    if (numbers > MEMO_PER_PAIR * model->pairs)
        return FORAY_OK;
    if (!FY_NEW(arena, learner->at_memo, model->generator_sets) ||
        !FY_NEW(arena, learner->memo_age, model->generator_sets) ||
        !FY_NEW(arena, learner->memo, numbers))
        return FORAY_ERROR_MEMORY;
    for (int64_t set = 1; set < model->generator_sets; set++)
        learner->at_memo[set] = learner->at_memo[set - 1] + 1 +
                                basis->block[basis->block_of_generator_set[set - 1]].dim;
    return FORAY_OK;
}

/* pi, and V where the algorithm learns from it. */
static foray_status create_plan(foray_explorer *explorer, fy_keeps keeps)
{
    const foray_model *model = explorer->model;
    fy_learner *learner = explorer->self;
    fy_arena *arena = &explorer->arena;
    bool room =
        (keeps < FY_KEEPS_ACTIONS || FY_NEW(arena, explorer->followed, fy_policy_entries(model))) &&
        (keeps < FY_KEEPS_VALUES || FY_NEW(arena, learner->V, fy_learner_values(model)));
    return room ? FORAY_OK : FORAY_ERROR_MEMORY;
}

foray_status fy_learner_create(foray_explorer *explorer, size_t size, int events, fy_keeps keeps)
{
    fy_learner *learner = explorer->self = fy_arena_alloc(&explorer->arena, 1, size);
    if (!learner)
        return FORAY_ERROR_MEMORY;
    learner->ctx = explorer->ctx;
    learner->model = explorer->model;
    learner->settings = &explorer->settings;
    learner->events = events;
    learner->min_scale = explorer->settings.radius_scale;
    foray_status status = create_regression(&explorer->arena, learner);
    if (status == FORAY_OK)
        status = create_arrays(&explorer->arena, learner);
    if (status == FORAY_OK)
        status = create_memo(&explorer->arena, learner);
    if (status == FORAY_OK)
        status = create_plan(explorer, keeps);
    return status;
}

fy_learner *fy_learner_of(const foray_explorer *explorer)
{
    return explorer->ops->plan == fy_learner_plan ? explorer->self : NULL;
}

/* All but the basis, which is made as models make theirs, is in the arena. */
void fy_learner_destroy(foray_explorer *explorer)
{
    const fy_learner *learner = explorer->self;
    if (learner)
        fy_basis_destroy(learner->own_basis);
}

/* ----------------------------------------------------- estimates and bonuses */

void fy_learner_estimate(fy_learner *learner)
{
    const foray_settings *settings = learner->settings;
    const foray_model *model = learner->model;
    const fy_ridge *ridge = learner->ridge;
    /* z = Sigma^-1 b */
    for (int64_t g = 0; g < ridge->blocks; g++)
        fy_ridge_solve(ridge, g, learner->z + ridge->at_vector[g]);
    /* The radii for exact features, ... */
    if (learner->own_radius)
        memcpy(learner->radius, learner->own_radius,
               (size_t)ridge->blocks * sizeof *learner->radius);
    else if (settings->radius != FORAY_RADIUS_THEOREM)
        fy_radius_selfnormalised(ridge, settings->delta / learner->events, settings->radius_scale,
                                 learner->radius);
    else
        learner->radius[0] = settings->radius_scale *
                             fy_radius_hoeffding((double)model->horizon, (double)model->dim,
                                                 (double)settings->episodes, model->norm_bound,
                                                 settings->delta, 3.0 * learner->events);
    /* ... and what the error of estimated ones adds. */
    fy_radius_widen(ridge, model->feature_error, learner->radius);
}

double fy_learner_distance(fy_learner *learner, const double *theta)
{
    fy_learner_estimate(learner);
    return fy_ridge_distance(learner->ridge, learner->z, learner->radius, theta, learner->x);
}

/* An ascent starts from the last targets, so that what comes out depends on the
 * exploration alone and not on bounds that were asked for in between. */
void fy_learner_maximise(fy_learner *learner, bool new_targets)
{
    fy_inner *inner = learner->inner;
    size_t bytes = (size_t)inner->at_bits[learner->model->generator_sets] * sizeof *inner->bits;
    memcpy(inner->bits, learner->target, bytes);
    fy_inner_solve(inner, learner->ridge);
    if (new_targets) {
        memcpy(learner->target, inner->bits, bytes);
        learner->age++;
    }
}

/* How far V_{h+1} may range: H-h where values are clipped at the steps that remain, H
 * where they are clipped at H; V_{H+1} = 0 in both. */
static double value_range(const foray_model *model, int clip, int64_t t)
{
    int64_t left = model->horizon - (t + 1);
    return (double)(clip == FORAY_CLIP_HORIZON && left > 0 ? model->horizon : left);
}

/* min{cap, factor range_h (radius_g m(s,a) + zeta)} as a reward for PLAN. A single successor
 * follows whatever the features say. */
static fy_plan_reward bonus_reward(fy_learner *learner, double factor, double zeta, double cap,
                                   int clip)
{
    const foray_model *model = learner->model;
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        int32_t set = model->generator_set[pair];
        int32_t block = learner->basis->block_of_generator_set[set];
        double error = fy_generator_set_size(model, set) > 1 ? zeta : 0.0;
        learner->bonus[pair] = learner->radius[block] * learner->inner->upper[set] + error;
    }
    for (int64_t t = 0; t < model->horizon; t++)
        learner->scale[t] = factor * value_range(model, clip, t);
    return (fy_plan_reward){.table = learner->table, .scale = learner->scale, .cap = cap};
}

/* radius_g sqrt(m) and factor sqrt(H-h) in the place of radius_g m and factor (H-h). */
static void take_roots(fy_learner *learner, double factor)
{
    const foray_model *model = learner->model;
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        int32_t set = model->generator_set[pair];
        learner->bonus[pair] = learner->radius[learner->basis->block_of_generator_set[set]] *
                               sqrt(learner->inner->upper[set]);
    }
    for (int64_t t = 0; t < model->horizon; t++)
        learner->scale[t] = factor * sqrt(value_range(model, FORAY_CLIP_REMAINING, t));
}

/* Without zeta: the error of the features is the same everywhere, and no visit makes it smaller,
 * so that it is no reason to go anywhere. */
fy_plan_reward fy_learner_reward(fy_learner *learner)
{
    double factor = 2.0 / (double)learner->model->horizon;
    fy_plan_reward reward = bonus_reward(learner, factor, 0.0, 1.0, FORAY_CLIP_REMAINING);
    if (learner->root)
        take_roots(learner, factor);
    return reward;
}

/* pi, V = PLAN(kernel, r), to be followed until the next one. */
double fy_learner_follow(foray_explorer *explorer, const fy_kernel *kernel, fy_plan_reward reward,
                         int sign, int clip)
{
    fy_learner *learner = explorer->self;
    double mean;
    fy_plan(&(fy_plan_task){.kernel = kernel,
                            .reward = reward,
                            .lanes = 1,
                            .sign = sign,
                            .clip = clip,
                            .ties = explorer->settings.ties,
                            .layers = learner->V ? explorer->model->horizon + 1 : 2,
                            .value = learner->V ? learner->V : learner->value,
                            .policy = explorer->followed},
            &mean);
    fy_explorer_planned(explorer);
    return mean;
}

/* ------------------------------------------------------------------ learning */

/* u = (H-h) f with the theorem's radius; the others divide by the range H-h, so
 * that every step counts the same. */
static double target_range(const fy_learner *learner, int64_t t)
{
    if (learner->settings->radius != FORAY_RADIUS_THEOREM)
        return 1.0;
    return (double)(learner->model->horizon - (t + 1));
}

/* What a set's target u brings to the regression: psi'_u and <psi_u, theta_0>. */
typedef struct regressor {
    const double *x;
    double offset;
} regressor;

/* For u = range f, with f the set's bits. */
static regressor make_regressor(fy_learner *learner, int64_t set, double range, double *x)
{
    int64_t n = fy_generator_set_size(learner->model, set);
    const uint64_t *bits = learner->target + learner->inner->at_bits[set];
    for (int64_t i = 0; i < n; i++)
        learner->f[i] = fy_inner_bit(bits, i) ? range : 0.0;
    fy_basis_psi(learner->basis, set, learner->f, x, learner->scratch);
    return (regressor){x, fy_basis_offset(learner->basis, set, learner->f)};
}

/* The same, remembered for as long as the targets stay and the range is 1. */
static regressor find_regressor(fy_learner *learner, int64_t set, double range)
{
    if (!learner->at_memo || range != 1.0)
        return make_regressor(learner, set, range, learner->x);
    double *row = learner->memo + learner->at_memo[set];
    if (learner->memo_age[set] != learner->age) {
        row[0] = make_regressor(learner, set, range, row + 1).offset;
        learner->memo_age[set] = learner->age;
    }
    return (regressor){row + 1, row[0]};
}

/* Sigma += x x',  b += x y  with  x = psi'_u,  y = u(s') - <psi_u, theta_0>. */
void fy_learner_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    fy_learner *learner = explorer->self;
    const fy_basis *basis = learner->basis;
    int64_t set = learner->model->generator_set[pair];
    int64_t block = basis->block_of_generator_set[set];
    double range = target_range(learner, t);
    if (basis->block[block].dim == 0 || range == 0.0)
        return;
    regressor target = find_regressor(learner, set, range);
    const uint64_t *bits = learner->target + learner->inner->at_bits[set];
    double u = fy_inner_bit(bits, j) ? range : 0.0;
    fy_ridge_update(learner->ridge, block, target.x, u - target.offset, 1.0);
    fy_ridge_add_spread(learner->ridge, block, 1.0, range);
}

/* [min u, max u]. */
typedef struct interval {
    double min, max;
} interval;

static interval range_of(const double *u, int64_t n)
{
    interval range = {INFINITY, -INFINITY};
    for (int64_t i = 0; i < n; i++) {
        range.min = fmin(range.min, u[i]);
        range.max = fmax(range.max, u[i]);
    }
    return range;
}

double fy_learner_span(const double *u, int64_t n)
{
    interval range = range_of(u, n);
    return range.max - range.min;
}

/* u - min u divided by max u - min u; false if there is nothing to tell apart. */
static bool scale_to_unit(double *u, int64_t n)
{
    interval range = range_of(u, n);
    for (int64_t i = 0; i < n && range.max > range.min; i++)
        u[i] = (u[i] - range.min) / (range.max - range.min);
    return range.max > range.min;
}

void fy_learner_observe_value(fy_learner *learner, const double *value, int64_t pair, int64_t j)
{
    const foray_model *model = learner->model;
    const fy_basis *basis = learner->basis;
    int64_t set = model->generator_set[pair], n = fy_generator_set_size(model, set);
    int64_t block = basis->block_of_generator_set[set];
    const int32_t *next = model->succ + model->succ_start[pair];
    double *u = learner->f;
    for (int64_t i = 0; i < n; i++)
        u[i] = value[next[i]];
    bool literal = learner->settings->radius == FORAY_RADIUS_THEOREM;
    if (basis->block[block].dim == 0 || (!literal && !scale_to_unit(u, n)))
        return;
    fy_basis_psi(basis, set, u, learner->x, learner->scratch);
    fy_ridge_update(learner->ridge, block, learner->x, u[j] - fy_basis_offset(basis, set, u), 1.0);
    if (learner->ridge->spread)
        fy_ridge_add_spread(learner->ridge, block, 1.0, fy_learner_span(u, n));
}

/* Does another plan pay after k episodes and p plans? Work is counted and not timed, so that every
 * machine plans alike. In a world of T transitions,
 *
 *     p < 16 + 8 log k + (2^18 + 32 k) / T:
 *
 * the first plans are free, and eight whenever the run has grown e times as long; all others may
 * take, together, a millisecond for each step of an episode, and as long as playing and learning, a
 * step of which costs about as much as a plan's look at 32 transitions. */
bool fy_learner_plan_pays(const foray_explorer *explorer, double work)
{
    static const double free_plans = 16, for_growth = 8, free_work = 0x1p18, work_of_step = 32;
    double T = work * (double)explorer->model->succ_start[explorer->model->pairs];
    double k = (double)(explorer->episodes + 1), p = (double)explorer->plans;
    return p < free_plans + for_growth * fy_log(k) + (free_work + work_of_step * k) / T;
}

bool fy_learner_wants_plan(const foray_explorer *explorer, const fy_ridge *ridge)
{
    const foray_settings *settings = &explorer->settings;
    if (settings->replan == FORAY_REPLAN_EVERY)
        return true;
    return ridge->max_growth >= 1.0 + settings->replan_growth &&
           (settings->plan_every > 0 || fy_learner_plan_pays(explorer, 1));
}

void fy_learner_end_episode(foray_explorer *explorer)
{
    const fy_learner *learner = explorer->self;
    explorer->stale = fy_learner_wants_plan(explorer, learner->ridge);
}

/* ---------------------------------------- explorers that act whatever they learn */

foray_status fy_passive_create(foray_explorer *explorer)
{
    return fy_learner_create(explorer, sizeof(fy_learner), 1, FY_KEEPS_NOTHING);
}

void fy_passive_begin_episode(foray_explorer *explorer)
{
    fy_learner *learner = explorer->self;
    if (!fy_explorer_plan_due(explorer))
        return;
    fy_learner_maximise(learner, true);
    fy_ridge_mark(learner->ridge);
    fy_explorer_planned(explorer);
}

/* -------------------------------------------------- planning and certificates */

/* What the certificates rest on. An algorithm with radii of its own has them for `sharp` in
 * centred blocks; on the plain basis they are those of the theorem, whatever was asked for. */
static foray_radius radius_of(const foray_explorer *explorer)
{
    const fy_learner *learner = explorer->self;
    foray_radius radius = fy_explorer_regression_radius(explorer);
    bool plain = radius != FORAY_RADIUS_SHARP;
    return learner->own_radius && plain ? FORAY_RADIUS_THEOREM : radius;
}

static foray_certificate certify(const foray_explorer *explorer, double gap)
{
    const foray_settings *settings = &explorer->settings;
    const fy_learner *learner = explorer->self;
    foray_certificate certificate = {
        .gap = gap,
        .delta = fy_certificate_delta(explorer->model, settings->delta),
        .radius = radius_of(explorer),
        .bound = FORAY_BOUND_VALUES,
        .status = learner->min_scale >= 1.0 ? FORAY_CERTIFIED : FORAY_HEURISTIC};
    fy_certificate_classify(&certificate, (double)explorer->model->horizon);
    return certificate;
}

foray_status fy_learner_plan(foray_explorer *explorer, int64_t count,
                             const foray_reward *const *rewards, foray_mode mode,
                             foray_policy **policies)
{
    fy_learner *learner = explorer->self;
    fy_learner_estimate(learner);
    fy_kernel_estimate(learner->kernel, learner->ridge, learner->z, learner->radius);
    fy_plan_order order = {.kernel = learner->kernel,
                           .clip = explorer->settings.clip,
                           .ties = explorer->settings.ties,
                           .mode = mode,
                           .interval = true};
    foray_status status = fy_plan_rewards(explorer->ctx, &order, count, rewards, policies);
    if (status != FORAY_OK)
        return status;
    for (int64_t i = 0; i < count; i++)
        policies[i]->certificate = certify(explorer, policies[i]->certificate.gap);
    return FORAY_OK;
}

/* W_h(s) = max_a min{ H-h+1, 2 (H-h) (beta m(s,a) + zeta)
 *                            + <psi_W, theta> + beta ||psi_W|| + zeta (max W - min W) }:
 * W_1(mu) bounds the error of the optimistic plan for every reward. That plan's own
 * values, which the bonuses 2 beta ||psi_V|| of the proof are about, range as far as
 * its clip lets them: under `horizon` both clip and range are H. */
foray_status fy_learner_bound(foray_explorer *explorer, foray_certificate *out)
{
    fy_learner *learner = explorer->self;
    int clip = explorer->settings.clip;
    double zeta = explorer->model->feature_error;
    fy_learner_estimate(learner);
    fy_learner_maximise(learner, false);
    fy_kernel_estimate(learner->kernel, learner->ridge, learner->z, learner->radius);
    double bound;
    fy_plan(&(fy_plan_task){.kernel = learner->kernel,
                            .reward = bonus_reward(learner, 2.0, zeta, INFINITY, clip),
                            .lanes = 1,
                            .sign = +1,
                            .clip = clip,
                            .ties = FORAY_TIES_LOWEST,
                            .layers = 2,
                            .value = learner->value},
            &bound);
    *out = certify(explorer, bound);
    return FORAY_OK;
}

/* With the sharp radius, centred and in blocks, at delta/m for each of the m blocks. */
bool fy_learner_regression(foray_explorer *explorer, fy_regression_set *out)
{
    fy_learner *learner = explorer->self;
    if (learner->basis != explorer->model->basis || learner->own_radius != NULL)
        return false;
    fy_learner_estimate(learner);
    *out = (fy_regression_set){learner->ridge, learner->z, learner->radius};
    return true;
}

/* ------------------------------------------------------------------- telling */

/* |theta_i - theta*_i| <= radius_g ||N' e_i||_{Sigma^-1}: row i of the basis. */
static void half_widths(const fy_learner *learner, int64_t g, double *half_width)
{
    const fy_block *block = &learner->basis->block[g];
    for (int32_t i = 0; i < block->coords; i++) {
        for (int32_t k = 0; k < block->dim; k++)
            learner->x[k] = block->basis ? block->basis[i * block->dim + k] : i == k;
        fy_ridge_whiten(learner->ridge, g, learner->x, learner->x);
        double square = 0.0;
        for (int32_t k = 0; k < block->dim; k++)
            square += learner->x[k] * learner->x[k];
        half_width[block->coord[i]] = learner->radius[g] * sqrt(square);
    }
}

foray_status fy_learner_theta(foray_explorer *explorer, double *theta, double *half_width)
{
    fy_learner *learner = explorer->self;
    fy_learner_estimate(learner);
    for (int64_t g = 0; g < learner->basis->blocks; g++) {
        if (theta)
            fy_basis_theta(learner->basis, g, learner->z + learner->ridge->at_vector[g], theta);
        if (half_width)
            half_widths(learner, g, half_width);
    }
    return FORAY_OK;
}

void fy_learner_describe(foray_explorer *explorer, foray_explorer_facts *facts)
{
    const fy_learner *learner = explorer->self;
    facts->refactored = learner->ridge->refactored;
    facts->factor_error = learner->ridge->worst_error;
    facts->inner = fy_inner_name(learner->inner->method);
    facts->inner_ratio = learner->inner->ratio;
    for (int64_t g = 0; g < learner->basis->blocks; g++)
        facts->log_det += fy_ridge_log_det(learner->ridge, g);
}

bool fy_learner_needs_budget(const foray_explorer *explorer)
{
    return explorer->settings.radius == FORAY_RADIUS_THEOREM;
}

/* ------------------------------------------------------------- save and load */

static size_t target_words(const fy_learner *learner)
{
    return (size_t)learner->inner->at_bits[learner->model->generator_sets];
}

void fy_learner_save_regression(const fy_learner *learner, fy_writer *writer)
{
    fy_write_u64s(writer, learner->target, target_words(learner));
    fy_ridge_write(learner->ridge, writer);
}

void fy_learner_load_regression(fy_learner *learner, fy_reader *reader)
{
    fy_read_u64s(reader, learner->target, target_words(learner));
    learner->age++;
    fy_ridge_read(learner->ridge, reader);
}

void fy_learner_save(foray_explorer *explorer, fy_writer *writer)
{
    fy_learner_save_regression(explorer->self, writer);
}

void fy_learner_load(foray_explorer *explorer, fy_reader *reader)
{
    fy_learner_load_regression(explorer->self, reader);
}
