/* support_twins.c - makes a model and its twin, and rewards for both. */
#include "support_twins.h"

#include <stdlib.h>

#include "model/model.h"

enum { MORE = 2 }; /* actions that every state of the wide model lacks */

/* For every state an increasing choice of `actions` of `wider` numbers. */
static int64_t *choose_places(const foray_model *model, int64_t wider, uint64_t seed)
{
    support_random random = {.seed = seed};
    int64_t *place = calloc((size_t)model->pairs, sizeof *place);
    for (int64_t s = 0; s < model->states; s++)
        for (int64_t a = 0, at = 0; a < model->actions; a++, at++) {
            int64_t slack = wider - model->actions - (at - a);
            at += support_below(&random, slack + 1);
            place[s * model->actions + a] = at;
        }
    return place;
}

/* The wide model's own arrays; phi(s,a) comes along. */
static foray_model *widen(foray_context *ctx, const foray_model *m, int64_t wider,
                          const int64_t *place)
{
    int64_t pairs = m->states * wider;
    bool *available = calloc((size_t)pairs, sizeof *available);
    int32_t *list = calloc((size_t)pairs, sizeof *list);
    int64_t *start = calloc((size_t)pairs + 1, sizeof *start);
    int64_t *phi_start = calloc((size_t)pairs + 1, sizeof *phi_start);
    for (int64_t p = 0; p < m->pairs; p++) {
        int64_t to = p / m->actions * wider + place[p];
        available[to] = true;
        start[to + 1] = m->succ_start[p + 1] - m->succ_start[p];
        phi_start[to + 1] = m->pair_dim > 0 ? m->pair_start[p + 1] - m->pair_start[p] : 0;
        list[to] = m->generator_set[p];
    }
    for (int64_t p = 0; p < pairs; p++) {
        start[p + 1] += start[p];
        phi_start[p + 1] += phi_start[p];
        list[p] = available[p] ? list[p] : -1;
    }
    fy_model_parts parts = {
        .name = m->name,
        .states = m->states,
        .actions = wider,
        .horizon = m->horizon,
        .dim = m->dim,
        .norm_bound = m->norm_bound,
        .feature_error = m->feature_error,
        .available = available,
        .succ_start = start,
        .succ = m->succ, /* in the same order */
        .lists = m->generator_sets,
        .list_of_pair = list,
        .gen_start = m->gen_start,
        .feat_start = m->feat_start,
        .feat_index = m->feat_index,
        .feat_value = m->feat_value,
        .theta = m->theta,
        .nonnegative = m->nonnegative,
        .aggregated = m->aggregated,
        .pair_dim = m->pair_dim,
        .pair_start = m->pair_dim > 0 ? phi_start : NULL,
        .pair_index = m->pair_index,
        .pair_value = m->pair_value,
        .initials = m->initials,
        .initial_state = m->initial_state,
        .initial_probability = m->initial_probability,
    };
    foray_model *out;
    support_ok(ctx, fy_model_assemble(ctx, &parts, &out));
    free(available);
    free(list);
    free(start);
    free(phi_start);
    return out;
}

twins twins_make(int kind, uint64_t seed, double error)
{
    support_sizes sizes = {.states = 5,
                           .actions = 3,
                           .horizon = 4,
                           .successors = 3,
                           .dim = 3,
                           .error = error,
                           .sharp = seed % 2 == 1};
    twins t = {.ctx = foray_context_create()};
    t.narrow = support_model(t.ctx, kind, sizes, seed);
    t.place = choose_places(t.narrow, t.narrow->actions + MORE, seed);
    t.wide = widen(t.ctx, t.narrow, t.narrow->actions + MORE, t.place);
    return t;
}

void twins_drop(twins *t)
{
    foray_model_destroy(t->narrow);
    foray_model_destroy(t->wide);
    free(t->place);
    foray_context_destroy(t->ctx);
}

foray_reward *twins_reward(const twins *t, bool wide, int form)
{
    const foray_model *model = wide ? t->wide : t->narrow;
    support_random random = {.seed = (uint64_t)form + 50};
    foray_reward *reward;
    int64_t goal = 1, bad = 3;
    if (form == TWINS_REACH || form == TWINS_AVOID) {
        support_ok(t->ctx, foray_reward_create_reach(t->ctx, model, "stops", form == TWINS_REACH,
                                                     &goal, 1, &bad, &reward));
        return reward;
    }
    support_ok(t->ctx, foray_reward_create(t->ctx, model, "values", -1, 2, 0.25, &reward));
    for (int64_t p = 0; p < t->narrow->pairs; p++) {
        int64_t s = p / t->narrow->actions, a = p % t->narrow->actions;
        double value = 3 * support_uniform(&random) - 1;
        const int32_t *next;
        foray_model_successors(t->narrow, s, a, &next);
        int64_t to = wide ? t->place[p] : a;
        if (form == TWINS_AHEAD)
            support_ok(t->ctx, foray_reward_set_next(t->ctx, reward, -1, s, to, next[0], value));
        else
            support_ok(t->ctx, foray_reward_set(t->ctx, reward,
                                                form == TWINS_TIMED ? p % model->horizon : -1, s,
                                                to, value));
    }
    if (form == TWINS_DISCOUNTED)
        support_ok(t->ctx, foray_reward_set_discount(t->ctx, reward, 0.75));
    if (form == TWINS_MIN)
        support_ok(t->ctx, foray_reward_set_minimise(t->ctx, reward, true));
    return reward;
}
