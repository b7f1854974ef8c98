/* play.c - one episode of an explorer in a world. */
#include "measure/measure.h"

static foray_status play_step(foray_explorer *explorer, foray_world *world, const foray_draw *draw,
                              bool *visited, int64_t *state)
{
    int64_t action, next;
    foray_status status = foray_explorer_query(explorer, state);
    if (status == FORAY_OK)
        status = foray_explorer_act(explorer, *state, &action);
    if (status == FORAY_OK)
        status = foray_world_step(world, draw, *state, action, &next);
    if (status == FORAY_OK)
        status = foray_explorer_observe(explorer, *state, action, next);
    if (status != FORAY_OK)
        return status;
    if (visited)
        visited[*state] = visited[next] = true;
    *state = next;
    return FORAY_OK;
}

foray_status fy_play(foray_explorer *explorer, foray_world *world, int64_t horizon, uint64_t seed,
                     int64_t episode, bool *visited)
{
    foray_draw draw = {.seed = seed, .episode = (uint64_t)episode};
    int64_t state;
    foray_status status = foray_world_reset(world, &draw, &state);
    if (status == FORAY_OK)
        status = foray_explorer_begin(explorer);
    if (status == FORAY_OK && visited)
        visited[state] = true;
    for (int64_t h = 1; h <= horizon && status == FORAY_OK; h++) {
        draw.step = (uint32_t)h;
        status = play_step(explorer, world, &draw, visited, &state);
    }
    return status == FORAY_OK ? foray_explorer_end(explorer) : status;
}
