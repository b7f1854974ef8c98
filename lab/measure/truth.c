/* truth.c - exact values, and the occupancies of the chain that a policy makes of the model. */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

foray_status fy_truth_create(foray_context *ctx, const foray_model *model, fy_truth **out)
{
    if (!model->theta || !model->basis)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "the theta of model \"%s\" is not known, so it has no exact values",
                       model->name);
    fy_truth *truth;
    if (!FY_ALLOC(ctx, truth, 1))
        return FORAY_ERROR_MEMORY;
    truth->arena.ctx = ctx;
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_NEW(&truth->arena, truth->probability, model->gen_start[model->generator_sets]))
        status = fy_exact_create(&truth->arena, model, model->theta, true, &truth->exact);
    if (status != FORAY_OK) {
        fy_truth_destroy(truth);
        return status;
    }
    truth->model = model;
    for (int64_t g = 0; g < model->generator_sets; g++)
        fy_generator_set_probabilities(model, model->theta, g,
                                       truth->probability + model->gen_start[g]);
    *out = truth;
    return FORAY_OK;
}

void fy_truth_destroy(fy_truth *truth)
{
    if (truth)
        fy_arena_release(&truth->arena);
    free(truth);
}

double fy_truth_value(fy_truth *truth, const foray_reward *reward, const int32_t *actions)
{
    fy_exact_set(&truth->exact, reward);
    return fy_exact_value(&truth->exact, actions, NULL, NULL);
}

double fy_truth_best(fy_truth *truth, const foray_reward *reward, int32_t *actions)
{
    fy_exact_set(&truth->exact, reward);
    return fy_exact_value(&truth->exact, NULL, actions, NULL);
}

/*   q_0 = mu,   q_{t+1}(s') = sum_s q_t(s) P(s'|s, pi_t(s)) */
void fy_truth_occupancy(const fy_truth *truth, const int32_t *actions, double *q)
{
    const foray_model *model = truth->model;
    int64_t S = model->states, H = model->horizon;
    memset(q, 0, (size_t)(H * S) * sizeof *q);
    for (int64_t i = 0; i < model->initials; i++)
        q[model->initial_state[i]] = model->initial_probability[i];
    for (int64_t t = 0; t + 1 < H; t++)
        for (int64_t s = 0; s < S; s++) {
            double now = q[t * S + s], *next = q + (t + 1) * S;
            if (!(now > 0.0))
                continue;
            int64_t pair = s * model->actions + actions[t * S + s];
            const double *p = truth->probability + model->gen_start[model->generator_set[pair]];
            const int32_t *succ = model->succ + model->succ_start[pair];
            int64_t n = model->succ_start[pair + 1] - model->succ_start[pair];
            for (int64_t j = 0; j < n; j++)
                next[succ[j]] += now * p[j];
        }
}

/* Values are sums of H numbers in [0,1]. */
double fy_gap(const foray_model *model, double optimal, double value)
{
    const double rounding = 1e-13 * (double)model->horizon;
    double gap = optimal - value;
    return fabs(gap) <= rounding ? 0.0 : gap;
}
