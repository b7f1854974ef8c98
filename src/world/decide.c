/* decide.c - one step decides; see decide.h. */
#include "world/decide.h"

#include <stdlib.h>

/* Room for one feature vector. */
typedef struct feature {
    int64_t *coordinate;
    double *phi;
} feature;

/* phi(next|start,a) = (first, scale a) */
static foray_status add_outcome(foray_builder *builder, const fy_decision *what, int64_t action,
                                int64_t next, double first, double scale, const feature *room)
{
    const int8_t *a = what->sign + action * (what->dim - 1);
    for (int64_t i = 0; i < what->dim; i++) {
        room->coordinate[i] = i;
        room->phi[i] = i == 0 ? first : scale * a[i - 1];
    }
    return foray_builder_feature(builder, FY_DECIDE_START, action, next, what->dim,
                                 room->coordinate, room->phi);
}

/* phi(s|s,a) = (stay, 0) */
static foray_status add_loop(foray_builder *builder, const fy_decision *what, int64_t state,
                             int64_t action)
{
    static const int64_t coordinate[] = {0};
    return foray_builder_feature(builder, state, action, state, 1, coordinate, &what->stay);
}

/* The action's name: its signs. */
static foray_status add_action_name(foray_builder *builder, const fy_decision *what, int64_t action)
{
    char name[FY_DECIDE_MOST_DIM];
    int64_t n = what->dim - 1;
    for (int64_t i = 0; i < n; i++)
        name[i] = what->sign[action * n + i] < 0 ? '-' : '+';
    name[n] = 0;
    return foray_builder_action_name(builder, action, name);
}

static foray_status add_action(foray_builder *builder, const fy_decision *what, int64_t action,
                               const feature *room)
{
    foray_status status =
        add_outcome(builder, what, action, FY_DECIDE_GOOD, what->good, what->scale, room);
    if (status == FORAY_OK)
        status = add_outcome(builder, what, action, FY_DECIDE_BAD, what->bad, -what->scale, room);
    if (status == FORAY_OK)
        status = add_loop(builder, what, FY_DECIDE_GOOD, action);
    if (status == FORAY_OK)
        status = add_loop(builder, what, FY_DECIDE_BAD, action);
    return status == FORAY_OK ? add_action_name(builder, what, action) : status;
}

static foray_status add_map(foray_builder *builder)
{
    foray_status status = foray_builder_grid(builder, 3, 2);
    if (status == FORAY_OK)
        status = fy_world_place(builder, FY_DECIDE_START, 1, 0, "start");
    if (status == FORAY_OK)
        status = fy_world_place(builder, FY_DECIDE_GOOD, 0, 1, "good");
    if (status == FORAY_OK)
        status = fy_world_place(builder, FY_DECIDE_BAD, 2, 1, "bad");
    return status == FORAY_OK ? foray_builder_initial(builder, FY_DECIDE_START, 1) : status;
}

foray_status fy_decide(foray_context *ctx, foray_builder *builder, const fy_decision *what,
                       const double *theta)
{
    feature room = {0};
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(ctx, room.coordinate, what->dim) && FY_ALLOC(ctx, room.phi, what->dim))
        status = FORAY_OK;
    for (int64_t j = 0; status == FORAY_OK && j < what->actions; j++)
        status = add_action(builder, what, j, &room);
    if (status == FORAY_OK)
        status = foray_builder_theta(builder, theta);
    if (status == FORAY_OK)
        status = add_map(builder);
    free(room.coordinate);
    free(room.phi);
    return status;
}
