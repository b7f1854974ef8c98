#include "support_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------- finite */

support_finite *support_finite_random(int64_t states, double stay, uint64_t seed)
{
    support_finite *self = calloc(1, sizeof *self);
    support_random random = {seed, 0};
    assert_non_null(self);
    self->states = states;
    support_law(&random, SUPPORT_SIMULATORS, false, self->weight);
    for (int64_t i = 0; i < SUPPORT_SIMULATORS; i++)
        for (int64_t s = 0; s < states; s++)
            for (int64_t a = 0; a < SUPPORT_ACTIONS; a++) {
                double *law = self->law[i][s][a];
                support_law(&random, states, false, law);
                int64_t max = support_below(&random, states);
                for (int64_t next = 0; next < states; next++)
                    law[next] = (1 - stay) * law[next] + (next == max ? stay : 0);
            }
    return self;
}

static foray_status finite_reset(void *self, const foray_draw *draw, double *state)
{
    (void)self;
    state[0] = foray_draw_uniform(draw, 0) < 0.5 ? 0 : 1;
    return FORAY_OK;
}

static int64_t invert(const double *law, int64_t count, double u)
{
    int64_t k = 0;
    for (; k < count - 1 && u >= law[k]; k++)
        u -= law[k];
    return k;
}

static foray_status finite_step(void *self, int64_t count, const foray_system_query *query,
                                const double *state, double *next)
{
    support_finite *f = self;
    for (int64_t k = 0; k < count; k++) {
        int64_t i = query[k].simulator;
        if (i == FORAY_REALITY)
            i = invert(f->weight, SUPPORT_SIMULATORS, foray_draw_uniform(&query[k].draw, 1));
        const double *law = f->law[i][(int64_t)state[k]][query[k].action];
        next[k] = (double)invert(law, f->states, foray_draw_uniform(&query[k].draw, 0));
    }
    return FORAY_OK;
}

static bool finite_weights(void *self, double *weight)
{
    memcpy(weight, ((support_finite *)self)->weight, sizeof((support_finite *)self)->weight);
    return true;
}

foray_system *support_finite_system(foray_context *ctx, support_finite *self, int64_t horizon)
{
    const foray_system_spec spec = {.size = sizeof spec,
                                    .name = "finite",
                                    .states = self->states,
                                    .dimensions = 1,
                                    .actions = SUPPORT_ACTIONS,
                                    .horizon = horizon,
                                    .simulators = SUPPORT_SIMULATORS};
    const foray_system_ops ops = {.size = sizeof ops,
                                  .reset = finite_reset,
                                  .step = finite_step,
                                  .weights = finite_weights,
                                  .threads = true,
                                  .deterministic = self->deterministic};
    foray_system *system = NULL;
    support_ok(ctx, foray_system_create(ctx, &spec, &ops, self, &system));
    return system;
}

/* --------------------------------------------------------------------------- line */

static foray_status line_reset(void *self, const foray_draw *draw, double *state)
{
    const support_line *line = self;
    (void)draw;
    for (int64_t i = 0; i < line->dimensions; i++)
        state[i] = line->start;
    return FORAY_OK;
}

static foray_status line_step(void *self, int64_t count, const foray_system_query *query,
                              const double *state, double *next)
{
    const support_line *line = self;
    for (int64_t k = 0; k < count; k++) {
        int64_t i = query[k].simulator;
        if (i == FORAY_REALITY)
            i = (int64_t)(foray_draw_uniform(&query[k].draw, 99) * SUPPORT_SIMULATORS);
        for (int64_t j = 0; j < line->dimensions; j++) {
            double u = foray_draw_uniform(&query[k].draw, (uint32_t)j);
            next[k * line->dimensions + j] = state[k * line->dimensions + j] +
                                             (query[k].action ? -1 : 1) * line->shift[i] +
                                             line->noise * (2 * u - 1);
        }
    }
    return FORAY_OK;
}

static bool line_weights(void *self, double *weight)
{
    (void)self;
    for (int64_t i = 0; i < SUPPORT_SIMULATORS; i++)
        weight[i] = 1.0 / SUPPORT_SIMULATORS;
    return true;
}

static foray_status line_reward(void *self, int64_t index, const double *state, int64_t action,
                                double *value)
{
    const support_line *line = self;
    double sum = 0;
    for (int64_t i = 0; i < line->dimensions; i++)
        sum += state[i] / (double)line->dimensions;
    *value = index == 0 ? sum : (double)action;
    return FORAY_OK;
}

foray_system *support_line_system(foray_context *ctx, support_line *self, int64_t horizon)
{
    static const double low[8] = {0}, high[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const char *const rewards[] = {"far", "act"};
    const foray_system_spec spec = {.size = sizeof spec,
                                    .name = "line",
                                    .dimensions = self->dimensions,
                                    .actions = SUPPORT_ACTIONS,
                                    .horizon = horizon,
                                    .simulators = SUPPORT_SIMULATORS,
                                    .low = low,
                                    .high = high,
                                    .rewards = 2,
                                    .reward_name = rewards};
    const foray_system_ops ops = {.size = sizeof ops,
                                  .reset = line_reset,
                                  .step = line_step,
                                  .weights = line_weights,
                                  .reward = line_reward,
                                  .threads = self->threads,
                                  .deterministic = self->noise == 0};
    foray_system *system = NULL;
    support_ok(ctx, foray_system_create(ctx, &spec, &ops, self, &system));
    return system;
}

/* ------------------------------------------------------------------------ hostile */

static foray_status misbehave(int how, double *out)
{
    switch (how) {
    case SUPPORT_NAN:
        *out = NAN;
        return FORAY_OK;
    case SUPPORT_INFINITE:
        *out = -INFINITY;
        return FORAY_OK;
    case SUPPORT_OUTSIDE:
        *out = 7;
        return FORAY_OK;
    case SUPPORT_FRACTION:
        *out = 0.5;
        return FORAY_OK;
    case SUPPORT_FAILS:
        return FORAY_ERROR_IO;
    case SUPPORT_SILENT:
        return FORAY_OK;
    default:
        *out = 1;
        return FORAY_OK;
    }
}

static foray_status hostile_reset(void *self, const foray_draw *draw, double *state)
{
    (void)draw;
    return misbehave(((support_hostile *)self)->reset, state);
}

static foray_status hostile_step(void *self, int64_t count, const foray_system_query *query,
                                 const double *state, double *next)
{
    support_hostile *h = self;
    (void)query;
    (void)state;
    foray_status status = FORAY_OK;
    for (int64_t k = 0; k < count && status == FORAY_OK; k++)
        status = misbehave(h->good_left-- > 0 ? SUPPORT_GOOD : h->step, next + k);
    return status;
}

static foray_status hostile_reward(void *self, int64_t index, const double *state, int64_t action,
                                   double *value)
{
    (void)index;
    (void)state;
    (void)action;
    *value = ((support_hostile *)self)->reward;
    return FORAY_OK;
}

static const char *hostile_message(void *self)
{
    (void)self;
    return "the plug is pulled";
}

static void hostile_destroy(void *self)
{
    ((support_hostile *)self)->destroyed++;
}

const foray_system_ops support_hostile_ops = {.size = sizeof support_hostile_ops,
                                              .reset = hostile_reset,
                                              .step = hostile_step,
                                              .reward = hostile_reward,
                                              .message = hostile_message,
                                              .destroy = hostile_destroy};

foray_system *support_hostile_system(foray_context *ctx, support_hostile *self)
{
    static const double low[] = {0}, high[] = {2};
    const foray_system_spec spec = {.size = sizeof spec,
                                    .name = "hostile",
                                    .dimensions = 1,
                                    .actions = 1,
                                    .horizon = 5,
                                    .simulators = 1,
                                    .low = low,
                                    .high = high};
    foray_system *system = NULL;
    support_ok(ctx, foray_system_create(ctx, &spec, &support_hostile_ops, self, &system));
    return system;
}
