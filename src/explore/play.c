/* play.c - the episode loop, below runs and measurements.
 *
 *   s_0 from the world, begin
 *   for t = 0..H-1: query, act, step, observe
 *   end
 *
 * Where the explorer follows a table and the world plays whole episodes, it is asked once, and what
 * it did is observed afterwards.
 *
 * Draws depend on (seed, episode, step) and the actions alone, so that an episode is the same
 * whoever plays it and whether or not others were recorded before. Nothing is allocated. */
#include "explore/play.h"
#include "world/world.h"

#include <inttypes.h>

/* The world's message, if it has a context of its own. */
static foray_status world_failed(foray_context *ctx, const foray_world *world, foray_status status)
{
    const foray_context *other = fy_world_context(world);
    if (other != ctx)
        fy_message_set(ctx, "%s", foray_message(other));
    return fy_status_of_world(status);
}

/* Ends an episode after `steps` steps: because `how` is FORAY_TERMINATED in an absorbing state,
 * because it is FORAY_TRUNCATED without any knowledge of the rest, or at the horizon. The last
 * state is repeated, without actions. */
static foray_status end_after(foray_explorer *explorer, int64_t steps, int32_t how, int64_t state,
                              int32_t *states, int32_t *actions)
{
    for (int64_t t = steps; t < explorer->model->horizon; t++) {
        if (actions)
            actions[t] = how;
        if (states)
            states[t + 1] = (int32_t)state;
    }
    if (steps < explorer->model->horizon && how == FORAY_TRUNCATED)
        return foray_explorer_cut(explorer);
    foray_status status = FORAY_OK;
    if (steps < explorer->model->horizon)
        status = foray_explorer_done(explorer, state);
    return status == FORAY_OK ? foray_explorer_end(explorer) : status;
}

foray_draw fy_play_draw(const foray_explorer *explorer)
{
    return (foray_draw){.seed = (uint64_t)explorer->settings.seed,
                        .episode = (uint64_t)explorer->episodes};
}

static foray_status check_start(foray_explorer *explorer, const foray_draw *draw, int64_t state)
{
    if (fy_model_may_start(explorer->whole, state))
        return FORAY_OK;
    return fy_fail(explorer->ctx, FORAY_ERROR_WORLD,
                   "episode %" PRIu64 " started in state %" PRId64 ", which the model rules out",
                   draw->episode, state);
}

foray_status fy_play_reset(foray_explorer *explorer, foray_world *world, const foray_draw *draw,
                           int64_t *state)
{
    int64_t first;
    foray_status status = foray_world_reset(world, draw, &first);
    if (status != FORAY_OK)
        return world_failed(explorer->ctx, world, status);
    *state = first;
    return check_start(explorer, draw, first);
}

foray_status fy_play_steps(foray_explorer *explorer, foray_world *world, foray_draw draw,
                           int64_t state, int32_t *states, int32_t *actions)
{
    int64_t stride = explorer->ops->query ? 2 : 1; /* see foray_run_record */
    const foray_model *model = explorer->model;
    int64_t action, next;
    for (int64_t t = 0; t < model->horizon; t++) {
        foray_status status = foray_explorer_query(explorer, &state);
        if (status == FORAY_OK)
            status = foray_explorer_act(explorer, state, &action);
        if (status != FORAY_OK)
            return status;
        draw.step = (uint32_t)t + 1;
        status = foray_world_step(world, &draw, state, action, &next);
        if (status != FORAY_OK)
            return world_failed(explorer->ctx, world, status);
        status = foray_explorer_observe(explorer, state, action, next);
        if (actions)
            actions[t] = (int32_t)action;
        if (states) {
            states[stride * t] = (int32_t)state;
            states[stride * t + 1] = (int32_t)next;
        }
        state = next;
        if (status != FORAY_OK)
            return status;
        if (model->unstructured && fy_world_ended(world))
            return end_after(explorer, t + 1, FORAY_TERMINATED, state, states, actions);
        if (fy_world_was_cut(world))
            return end_after(explorer, t + 1, FORAY_TRUNCATED, state, states, actions);
    }
    return foray_explorer_end(explorer);
}

/* The explorer is told of an episode that was played by its table. */
static foray_status observe_all(foray_explorer *explorer, int32_t *states, int32_t *actions)
{
    foray_status status = FORAY_OK;
    for (int64_t t = 0; t < explorer->model->horizon && status == FORAY_OK; t++) {
        int64_t action;
        if (t > 0 && (states[t + 1] == FORAY_TRUNCATED || states[t + 1] == FORAY_TERMINATED))
            return end_after(explorer, t, states[t + 1], states[t], states, actions);
        status = foray_explorer_act(explorer, states[t], &action);
        if (status == FORAY_OK)
            status = foray_explorer_observe(explorer, states[t], action, states[t + 1]);
        if (status == FORAY_OK && actions)
            actions[t] = (int32_t)action;
    }
    return status == FORAY_OK ? foray_explorer_end(explorer) : status;
}

/* The episode of a world that plays whole ones, by the table that the explorer follows. */
static foray_status play_whole(foray_explorer *explorer, foray_world *world, const foray_draw *draw,
                               int32_t *states, int32_t *actions)
{
    const foray_model *model = explorer->model;
    foray_status status = foray_explorer_begin(explorer);
    const int32_t *table = status == FORAY_OK ? fy_explorer_table(explorer) : NULL;
    if (status == FORAY_OK && !table)
        status = FORAY_ERROR_MEMORY;
    if (status != FORAY_OK)
        return status;
    status = fy_world_episode(world, draw, model->horizon, explorer->whole->states, table, states);
    if (status != FORAY_OK)
        return world_failed(explorer->ctx, world, status);
    status = check_start(explorer, draw, states[0]);
    return status == FORAY_OK ? observe_all(explorer, states, actions) : status;
}

foray_status fy_play_meet(foray_explorer *explorer, const foray_world *world)
{
    bool new = fy_world_is_aggregated(world) && !explorer->aggregated;
    return new ? fy_explorer_aggregate(explorer) : FORAY_OK;
}

foray_status foray_explorer_play(foray_explorer *explorer, foray_world *world, int32_t *states,
                                 int32_t *actions)
{
    foray_draw draw = fy_play_draw(explorer);
    int64_t state;
    foray_status met = fy_play_meet(explorer, world);
    if (met != FORAY_OK)
        return met;
    if (states && fy_explorer_has_table(explorer) && fy_world_plays_episodes(world))
        return play_whole(explorer, world, &draw, states, actions);
    foray_status status = fy_play_reset(explorer, world, &draw, &state);
    if (status == FORAY_OK)
        status = foray_explorer_begin(explorer);
    if (status == FORAY_OK)
        status = fy_play_steps(explorer, world, draw, state, states, actions);
    return status;
}
