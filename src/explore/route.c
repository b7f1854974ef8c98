/* route.c - see route.h. */
#include "explore/route.h"

#include <stdlib.h>

foray_status fy_route_create(foray_context *ctx, const foray_model *model, fy_route *route)
{
    route->stale = true;
    return FY_ALLOC(ctx, route->action, model->horizon * model->states) ? FORAY_OK
                                                                        : FORAY_ERROR_MEMORY;
}

void fy_route_destroy(fy_route *route)
{
    free(route->action);
}

int64_t fy_route_act(foray_explorer *explorer, int64_t t, int64_t state)
{
    return fy_route_action(&explorer->route, explorer->model, t, state);
}

void fy_route_write(const fy_route *route, const foray_model *model, fy_writer *writer)
{
    fy_write_u64(writer, route->stale);
    fy_write_i32s(writer, route->action, (size_t)(model->horizon * model->states));
}

void fy_route_read(fy_route *route, const foray_model *model, fy_reader *reader)
{
    int64_t count = model->horizon * model->states;
    route->stale = fy_read_u64(reader) != 0;
    fy_read_i32s(reader, route->action, (size_t)count);
    for (int64_t i = 0; i < count && !reader->failed; i++)
        reader->failed = route->action[i] < 0 || route->action[i] >= model->actions;
}
