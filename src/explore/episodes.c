/* episodes.c - the episodes of any algorithm: calls in their order, and what a world may not do. */
#include "explore/explorer.h"

#include <inttypes.h>

/* ---------------------------------------------------------- what can go wrong */

foray_status fy_explorer_unless_stopped(const foray_explorer *explorer)
{
    return fy_was_stopped(explorer->ctx) ? FORAY_INTERRUPTED : FORAY_OK;
}

foray_status fy_explorer_out_of_turn(foray_explorer *explorer, const char *call)
{
    return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                   "%s: called out of turn: begin, then act and observe %" PRId64
                   " times, then end",
                   call, explorer->model->horizon);
}

static foray_status check_index(foray_explorer *explorer, foray_status status, const char *what,
                                int64_t index, int64_t count, int64_t step)
{
    if (index >= 0 && index < count)
        return FORAY_OK;
    return fy_fail(explorer->ctx, status,
                   "%s %" PRId64 ", but the model has 0 to %" PRId64 " (episode %" PRId64
                   ", step %" PRId64 ")",
                   what, index, count - 1, explorer->episodes, step);
}

/* The explorer's own number of a state where a step begins. */
static foray_status enter(foray_explorer *explorer, const char *what, int64_t state, int64_t *out)
{
    const foray_model *model = explorer->model;
    foray_status status = check_index(explorer, FORAY_ERROR_WORLD, what, state,
                                      explorer->whole->states, explorer->step);
    if (status != FORAY_OK)
        return status;
    int64_t here = fy_inside(model, state);
    if (here < 0 || here >= fy_begun(model))
        return fy_fail(explorer->ctx, FORAY_ERROR_WORLD,
                       "%s %" PRId64 ", but by the model no episode gets there before its last "
                       "step (episode %" PRId64 ", step %" PRId64 ")",
                       what, state, explorer->episodes, explorer->step);
    *out = here;
    return FORAY_OK;
}

static foray_status check_available(foray_explorer *explorer, foray_status status, int64_t state,
                                    int64_t action, int64_t step)
{
    if (fy_available(explorer->whole, state * explorer->whole->actions + action))
        return FORAY_OK;
    return fy_fail(explorer->ctx, status,
                   "action %" PRId64 " is not available in state %" PRId64 " (episode %" PRId64
                   ", step %" PRId64 ")",
                   action, state, explorer->episodes, step);
}

static foray_status ruled_out(foray_explorer *explorer, int64_t state, int64_t action, int64_t next,
                              int64_t step)
{
    return fy_fail(explorer->ctx, FORAY_ERROR_WORLD,
                   "state %" PRId64 " followed (s=%" PRId64 ", a=%" PRId64
                   "), which the model rules out (episode %" PRId64 ", step %" PRId64 ")",
                   next, state, action, explorer->episodes, step);
}

static foray_status not_absorbing(foray_explorer *explorer, int64_t state)
{
    return fy_fail(explorer->ctx, FORAY_ERROR_WORLD,
                   "state %" PRId64 " was left, but the world says that it is absorbing (done): it "
                   "must always be (episode %" PRId64 ")",
                   state, explorer->episodes);
}

/* ------------------------------------------------------------- step by step */

foray_status foray_explorer_begin(foray_explorer *explorer)
{
    if (explorer->step >= 0)
        return fy_explorer_out_of_turn(explorer, "foray_explorer_begin");
    if (explorer->ops->takes_reward && !explorer->given)
        return fy_fail(
            explorer->ctx, FORAY_ERROR_USAGE,
            "%s explores for one reward, and none was given (foray_explorer_give_reward)",
            explorer->ops->name);
    fy_explorer_end_refit(explorer);
    foray_status status = FORAY_OK;
    if (explorer->ops->remakes && fy_explorer_plan_due(explorer))
        status = fy_explorer_note_plan(explorer);
    else if (explorer->forgot)
        status = fy_explorer_remake(explorer);
    if (status != FORAY_OK)
        return status;
    explorer->forgot = false;
    if (explorer->ops->begin_episode)
        explorer->ops->begin_episode(explorer);
    explorer->step = 0;
    return fy_explorer_unless_stopped(explorer);
}

foray_status foray_explorer_query(foray_explorer *explorer, int64_t *state)
{
    if (explorer->step < 0 || explorer->step >= explorer->model->horizon)
        return fy_explorer_out_of_turn(explorer, "foray_explorer_query");
    if (explorer->ops->query) /* of the whole model: see fy_explorer_make */
        *state = explorer->ops->query(explorer, explorer->step);
    return FORAY_OK;
}

foray_status foray_explorer_act(foray_explorer *explorer, int64_t state, int64_t *action)
{
    const fy_explorer_ops *ops = explorer->ops;
    if (!fy_explorer_acts(ops))
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "%s learns from what others did, and chooses no actions", ops->name);
    if (explorer->step < 0 || explorer->step >= explorer->model->horizon)
        return fy_explorer_out_of_turn(explorer, "foray_explorer_act");
    foray_status status = enter(explorer, "state", state, &state);
    if (status != FORAY_OK)
        return status;
    if (ops->query && state != ops->query(explorer, explorer->step))
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "%s asks about state %" PRId64 " in this step, not %" PRId64
                       " (foray_explorer_query)",
                       ops->name, ops->query(explorer, explorer->step), state);
    *action = ops->follows ? explorer->followed[explorer->step * explorer->model->states + state]
                           : ops->act(explorer, explorer->step, state);
    return fy_explorer_unless_stopped(explorer);
}

foray_status foray_explorer_observe(foray_explorer *explorer, int64_t state, int64_t action,
                                    int64_t next)
{
    const foray_model *model = explorer->model;
    if (explorer->step < 0 || explorer->step >= model->horizon)
        return fy_explorer_out_of_turn(explorer, "foray_explorer_observe");
    int64_t here, there;
    foray_status status = enter(explorer, "state", state, &here);
    if (status == FORAY_OK)
        status = check_index(explorer, FORAY_ERROR_USAGE, "action", action, model->actions,
                             explorer->step);
    if (status == FORAY_OK)
        status = check_index(explorer, FORAY_ERROR_WORLD, "next state", next,
                             explorer->whole->states, explorer->step);
    if (status == FORAY_OK)
        status = check_available(explorer, FORAY_ERROR_USAGE, state, action, explorer->step);
    if (status != FORAY_OK)
        return status;
    there = fy_inside(model, next);
    int64_t pair = here * model->actions + action;
    int64_t j = there < 0 ? -1 : fy_model_find(model, pair, there);
    if (j < 0)
        return ruled_out(explorer, state, action, next, explorer->step);
    state = here;
    next = there;
    if (explorer->ops->is_ended && next != state && explorer->ops->is_ended(explorer, state))
        return not_absorbing(explorer, state);
    if (!model->unstructured)
        explorer->seen[model->succ_start[pair] + j]++;
    if (explorer->step == 0)
        explorer->first = state;
    explorer->ops->observe(explorer, explorer->step, pair, j);
    explorer->step++;
    return explorer->failed ? FORAY_ERROR_MEMORY : fy_explorer_unless_stopped(explorer);
}

foray_status foray_explorer_done(foray_explorer *explorer, int64_t state)
{
    if (explorer->step < 1)
        return fy_explorer_out_of_turn(explorer, "foray_explorer_done");
    if (!explorer->ops->ended)
        return fy_fail(
            explorer->ctx, FORAY_ERROR_USAGE,
            "the model says which states are absorbing; only with an unstructured model may a "
            "world say so");
    foray_status status = enter(explorer, "state", state, &state);
    if (status == FORAY_OK && !explorer->ops->ended(explorer, state))
        return not_absorbing(explorer, state);
    explorer->step = explorer->model->horizon;
    return explorer->failed ? FORAY_ERROR_MEMORY : status;
}

static foray_status end_episode(foray_explorer *explorer)
{
    if (explorer->ops->end_episode)
        explorer->ops->end_episode(explorer);
    if (explorer->failed)
        return FORAY_ERROR_MEMORY;
    if (fy_was_stopped(explorer->ctx))
        return FORAY_INTERRUPTED;
    int64_t length = explorer->step;
    explorer->episodes++;
    explorer->step = -1;
    fy_explorer_test(explorer);
    if (fy_was_stopped(explorer->ctx)) { /* a test without an answer: the episode stays open */
        explorer->episodes--;
        explorer->step = length;
    } else {
        if (!explorer->aggregated)
            fy_refuter_note_beginning(&explorer->refuter, explorer->episodes, explorer->first);
    }
    return fy_explorer_unless_stopped(explorer);
}

foray_status foray_explorer_end(foray_explorer *explorer)
{
    if (explorer->step != explorer->model->horizon)
        return fy_explorer_out_of_turn(explorer, "foray_explorer_end");
    return end_episode(explorer);
}

foray_status foray_explorer_cut(foray_explorer *explorer)
{
    if (explorer->ops->query)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "%s queries any (s,a), and has no episodes that could be cut off",
                       explorer->ops->name);
    if (explorer->step < 1 || explorer->step >= explorer->model->horizon)
        return fy_explorer_out_of_turn(explorer, "foray_explorer_cut");
    return end_episode(explorer);
}

/* -------------------------------------------------------- what others recorded */

/* An episode whose every transition is possible, or nothing is learnt from it. */
static foray_status check_recorded(foray_explorer *explorer, int64_t steps, const int32_t *states,
                                   const int32_t *actions)
{
    const foray_model *model = explorer->model;
    if (fy_explorer_acts(explorer->ops))
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "%s chooses its own actions: only the algorithm recorded learns from those "
                       "of others",
                       explorer->ops->name);
    if (explorer->step >= 0 || steps < 1 || steps > model->horizon)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "an episode of %" PRId64 " steps, but 1 to %" PRId64 " are expected", steps,
                       model->horizon);
    for (int64_t t = 0; t < steps; t++) {
        foray_status status =
            check_index(explorer, FORAY_ERROR_WORLD, "state", states[t], model->states, t);
        if (status == FORAY_OK)
            status =
                check_index(explorer, FORAY_ERROR_WORLD, "action", actions[t], model->actions, t);
        if (status == FORAY_OK)
            status =
                check_index(explorer, FORAY_ERROR_WORLD, "state", states[t + 1], model->states, t);
        if (status == FORAY_OK)
            status = check_available(explorer, FORAY_ERROR_WORLD, states[t], actions[t], t);
        if (status != FORAY_OK)
            return status;
        if (fy_model_find(model, states[t] * model->actions + actions[t], states[t + 1]) < 0)
            return ruled_out(explorer, states[t], actions[t], states[t + 1], t);
    }
    return FORAY_OK;
}

foray_status fy_explorer_learn(foray_explorer *explorer, int64_t steps, const int32_t *states,
                               const int32_t *actions, bool done)
{
    foray_status status = check_recorded(explorer, steps, states, actions);
    if (status == FORAY_OK)
        status = foray_explorer_begin(explorer);
    for (int64_t t = 0; t < steps && status == FORAY_OK; t++)
        status = foray_explorer_observe(explorer, states[t], actions[t], states[t + 1]);
    if (status == FORAY_OK && done)
        status = foray_explorer_done(explorer, states[steps]);
    return status == FORAY_OK ? end_episode(explorer) : status;
}

/* ------------------------------------------------------------------- actions */

int64_t foray_draw_action(const foray_draw *draw, const foray_model *model, int64_t step,
                          int64_t state)
{
    uint64_t bits =
        fy_random_bits(draw->seed, FY_STREAM_EXPLORER, draw->episode, (uint32_t)step, 0);
    int64_t k = (int64_t)(fy_unit(bits) * (double)fy_actions_of(model, state));
    return fy_nth_action(model, state, k);
}

int64_t fy_random_action_in(const foray_explorer *explorer, int64_t episode, int64_t t,
                            int64_t state)
{
    const foray_draw draw = {.seed = (uint64_t)explorer->settings.seed,
                             .episode = (uint64_t)episode};
    return foray_draw_action(&draw, explorer->model, t, state);
}

int64_t fy_random_action(const foray_explorer *explorer, int64_t t, int64_t state)
{
    return fy_random_action_in(explorer, explorer->episodes, t, state);
}
