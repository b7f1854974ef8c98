/* misfit.c - how much aggregating loses, measured along a policy's way through reality.
 *
 * At a real state s of step t, under the policy's action a, the value of what follows is
 *   truth   sum_i w_i E_i[ V(s') ],  V(s') = sum_y P(y|s') V_{t+1}(y), by Monte Carlo, and in
 *   model   sum_x P(x|s) sum_y p(y|x,a) V_{t+1}(y):
 * the misfit is how far these are apart, V being the policy's values in the model. */
#include "model/model.h"
#include "plan/plan.h"
#include "policy/policy.h"
#include "aggregate/clusters.h"
#include "system/system.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Monte Carlo errs by this share of the range of values, at most, in all but this share of
 * the states. */
static const double ACCURACY = 0.1, DELTA = 0.05;

typedef struct measurement {
    foray_context *ctx;
    fy_arena arena;
    foray_system *system;
    const foray_clusters *clusters;
    const foray_model *model;
    const foray_policy *policy;
    uint64_t seed;
    double *theta;       /* [simulators] sqrt(d) w */
    double *value;       /* [horizon+1][states] of the policy in the model */
    double *psi;         /* [simulators] */
    double *probability; /* [most successors] */
    const double *later; /* V_{t+1} */
    double range;        /* of these values */
    fy_misfit found;     /* sums so far */
} measurement;

/* ------------------------------------------------------------------- both sides */

/* V(s') = sum_y P(y|s') V(y); rounding must not lead out of its range. */
static double value_at(void *user, const double *state)
{
    const measurement *l = user;
    fy_members y;
    double sum = 0;
    fy_members_find(l->clusters, state, &y);
    for (int64_t k = 0; k < y.count; k++)
        sum += y.weight[k] * l->later[y.cluster[k]];
    return fmin(fmax(sum, 0), l->range);
}

static foray_status in_truth(measurement *l, const foray_draw *draw, const double *state,
                             int64_t action, double *out)
{
    int64_t d = l->model->dim;
    double scale = sqrt((double)d);
    const fy_value value = {value_at, l, l->range};
    foray_status status = fy_system_psi(l->system, draw, state, action, &value, ACCURACY * l->range,
                                        DELTA, l->psi, NULL);
    *out = 0;
    for (int64_t i = 0; i < d && status == FORAY_OK; i++)
        *out += l->theta[i] / scale * l->psi[i];
    return status;
}

static double in_model(measurement *l, const fy_members *x, int64_t action)
{
    double sum = 0;
    for (int64_t k = 0; k < x->count; k++) {
        int64_t pair = (int64_t)x->cluster[k] * l->model->actions + action;
        int64_t generator_set = l->model->generator_set[pair],
                n = fy_generator_set_size(l->model, generator_set);
        fy_generator_set_probabilities(l->model, l->theta, generator_set, l->probability);
        const int32_t *succ = l->model->succ + l->model->succ_start[pair];
        for (int64_t j = 0; j < n; j++)
            sum += x->weight[k] * l->probability[j] * l->later[succ[j]];
    }
    return sum;
}

/* The chance of having been told a cluster from which the model says no cluster of the next
 * state can follow. */
static double share_outside(const measurement *l, const fy_members *x, int64_t action,
                            const fy_members *y)
{
    double share = 0;
    for (int64_t k = 0; k < x->count; k++) {
        int64_t pair = (int64_t)x->cluster[k] * l->model->actions + action;
        bool possible = false;
        for (int64_t j = 0; j < y->count && !possible; j++)
            possible = fy_model_find(l->model, pair, y->cluster[j]) >= 0;
        share += possible ? 0 : x->weight[k];
    }
    return share;
}

/* ------------------------------------------------------------------------ walking */

static foray_status measure_step(measurement *l, foray_draw draw, double *state)
{
    int64_t t = draw.step, horizon = l->model->horizon;
    int64_t action = foray_policy_act(l->policy, l->clusters, t, state);
    double truth = 0, misfit = 0;
    fy_members x, y;
    fy_members_find(l->clusters, state, &x);
    l->later = l->value + (t + 1) * l->model->states;
    l->range = (double)(horizon - 1 - t);
    draw.step = (uint32_t)t + 1;
    foray_status status = FORAY_OK;
    if (l->range > 0) {
        status = in_truth(l, &draw, state, action, &truth);
        misfit = fabs(truth - in_model(l, &x, action));
    }
    foray_system_query query = {draw, FORAY_REALITY, action};
    double next[FY_MAX_DIMENSIONS];
    if (status == FORAY_OK)
        status = fy_system_ask(l->system, l->ctx, 1, &query, state, next);
    if (status != FORAY_OK)
        return status;
    fy_members_find(l->clusters, next, &y);
    l->found.mean += misfit;
    l->found.worst = fmax(l->found.worst, misfit);
    l->found.outside += share_outside(l, &x, action, &y);
    l->found.states++;
    for (int64_t i = 0; i < l->clusters->dimensions; i++)
        state[i] = next[i];
    return FORAY_OK;
}

static foray_status measure_episode(measurement *l, int64_t episode)
{
    foray_draw draw = {.seed = l->seed, .episode = (uint64_t)episode};
    double state[FY_MAX_DIMENSIONS];
    foray_status status = fy_system_start(l->system, l->ctx, &draw, state);
    for (int64_t t = 0; t < l->model->horizon && status == FORAY_OK; t++) {
        draw.step = (uint32_t)t;
        status = measure_step(l, draw, state);
    }
    return status;
}

/* ------------------------------------------------------------------------- public */

static int64_t max_successors(const foray_model *model)
{
    int64_t max = 0;
    for (int64_t g = 0; g < model->generator_sets; g++)
        max = fy_generator_set_size(model, g) > max ? fy_generator_set_size(model, g) : max;
    return max;
}

/* w_i = max(theta_i, 0) / sum, all the same if nothing is left; what is kept is sqrt(d) w. */
static void make_weights(int64_t d, const double *theta, double *out)
{
    double sum = 0, scale = sqrt((double)d);
    for (int64_t i = 0; i < d; i++)
        sum += fmax(theta[i], 0);
    for (int64_t i = 0; i < d; i++)
        out[i] = sum > 0 ? scale * (fmax(theta[i], 0) / sum) : 1 / scale;
}

static foray_status check(const measurement *l, const double *theta, int64_t episodes)
{
    const foray_model *model = l->model;
    foray_status status = fy_clusters_check_model(l->ctx, l->clusters, l->system, model);
    if (status != FORAY_OK)
        return status;
    if (!model->basis)
        return fy_model_check_kernel(l->ctx, model);
    if (model->dim != l->system->spec.simulators)
        return fy_fail(l->ctx, FORAY_ERROR_USAGE,
                       "%s has %" PRId64 " simulators, but %s is made of %" PRId64,
                       l->system->spec.name, l->system->spec.simulators, model->name, model->dim);
    if (episodes < 1)
        return fy_fail(l->ctx, FORAY_ERROR_USAGE, "%" PRId64 " episodes, but at least 1 is needed",
                       episodes);
    if (!theta)
        return fy_fail(l->ctx, FORAY_ERROR_INPUT,
                       "the theta of model \"%s\" is not known: the misfit needs an estimate",
                       model->name);
    for (int64_t i = 0; i < model->dim; i++)
        if (!isfinite(theta[i]))
            return fy_fail(l->ctx, FORAY_ERROR_USAGE, "theta[%" PRId64 "] is not a number", i);
    return FORAY_OK;
}

static foray_status prepare(measurement *l, const double *theta, const foray_reward *reward,
                            int64_t episodes)
{
    const foray_model *model = l->model;
    foray_status status = check(l, theta, episodes);
    if (status != FORAY_OK)
        return status;
    if (!FY_NEW(&l->arena, l->value, (model->horizon + 1) * model->states) ||
        !FY_NEW(&l->arena, l->theta, model->dim) || !FY_NEW(&l->arena, l->psi, model->dim) ||
        !FY_NEW(&l->arena, l->probability, max_successors(model)))
        return FORAY_ERROR_MEMORY;
    make_weights(model->dim, theta, l->theta);
    return fy_evaluate_steps(l->ctx, model, l->theta, reward, l->policy, l->value);
}

foray_status fy_aggregation_misfit(foray_context *ctx, foray_system *system,
                                   const foray_clusters *clusters, const foray_model *model,
                                   const double *theta, const foray_reward *reward,
                                   const foray_policy *policy, int64_t episodes, uint64_t seed,
                                   fy_misfit *out)
{
    measurement l = {.ctx = ctx,
                     .arena.ctx = ctx,
                     .system = system,
                     .clusters = clusters,
                     .model = model,
                     .policy = policy,
                     .seed = seed};
    foray_status status = prepare(&l, theta ? theta : model->theta, reward, episodes);
    for (int64_t e = 0; e < episodes && status == FORAY_OK; e++)
        status = measure_episode(&l, e);
    fy_arena_release(&l.arena);
    if (status != FORAY_OK)
        return status;
    l.found.episode = l.found.mean / (double)episodes;
    l.found.mean /= (double)l.found.states;
    l.found.outside /= (double)l.found.states;
    *out = l.found;
    return FORAY_OK;
}
