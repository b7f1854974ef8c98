/* play.c - the episode loop, below runs and measurements.
 *
 *   s_0 from the world, begin
 *   for t = 0..H-1: query, act, step, observe
 *   end
 *
 * Draws depend on (seed, episode, step) and the actions alone, so that an episode is the same
 * whoever plays it and whether or not others were recorded before. Nothing is allocated. */
#include "explore/explorer.h"
#include "world/world.h"

#include <inttypes.h>

/* The world's message, if it has a context of its own. */
static foray_status world_failed(foray_context *ctx, const foray_world *world)
{
    const foray_context *other = fy_world_context(world);
    if (other != ctx)
        fy_say(ctx, "%s", foray_message(other));
    return FORAY_ERROR_WORLD;
}

foray_status foray_explorer_play(foray_explorer *explorer, foray_world *world, int32_t *states,
                                 int32_t *actions)
{
    foray_context *ctx = explorer->ctx;
    const foray_model *model = explorer->model;
    foray_draw draw = {.seed = (uint64_t)explorer->settings.seed,
                       .episode = (uint64_t)explorer->episodes};
    int64_t stride = explorer->ops->query ? 2 : 1; /* see foray_run_record */
    int64_t state, action, next;
    if (fy_world_is_through_clusters(world))
        foray_explorer_through_clusters(explorer);
    if (foray_world_reset(world, &draw, &state) != FORAY_OK)
        return world_failed(ctx, world);
    if (!fy_model_may_start(model, state))
        return fy_fail(ctx, FORAY_ERROR_WORLD,
                       "episode %" PRId64 " started in state %" PRId64
                       ", which the model rules out",
                       draw.episode, state);
    foray_status status = foray_explorer_begin(explorer);
    for (int64_t t = 0; t < model->horizon && status == FORAY_OK; t++) {
        status = foray_explorer_query(explorer, &state);
        if (status == FORAY_OK)
            status = foray_explorer_act(explorer, state, &action);
        if (status != FORAY_OK)
            return status;
        draw.step = (uint32_t)t + 1;
        if (foray_world_step(world, &draw, state, action, &next) != FORAY_OK)
            return world_failed(ctx, world);
        status = foray_explorer_observe(explorer, state, action, next);
        if (actions)
            actions[t] = (int32_t)action;
        if (states) {
            states[stride * t] = (int32_t)state;
            states[stride * t + 1] = (int32_t)next;
        }
        state = next;
    }
    return status == FORAY_OK ? foray_explorer_end(explorer) : status;
}
