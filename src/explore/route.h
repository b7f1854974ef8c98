/* route.h - what an explorer follows that plans ahead: an action for every step and
 * state, and whether it is time for a new plan. */
#ifndef FY_ROUTE_H
#define FY_ROUTE_H

#include "explore/explorer.h"

/* All actions 0, and stale: nothing has been planned yet. */
foray_status fy_route_create(foray_context *ctx, const foray_model *model, fy_route *route);
void fy_route_destroy(fy_route *route);

static inline int64_t fy_route_action(const fy_route *route, const foray_model *model, int64_t t,
                                      int64_t state)
{
    return route->action[t * model->states + state];
}

/* The flag, then the actions; the reader fails if one is out of range. */
void fy_route_write(const fy_route *route, const foray_model *model, fy_writer *writer);
void fy_route_read(fy_route *route, const foray_model *model, fy_reader *reader);

/* Entry for the ops tables of explorers that follow explorer->route. */
int64_t fy_route_act(foray_explorer *explorer, int64_t t, int64_t state);

#endif
