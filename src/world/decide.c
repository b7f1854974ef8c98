/* decide.c - one step decides; see decide.h. */
#include "world/decide.h"

#include <stdlib.h>

/* phi(next|start,a) = (first, scale a); room: [dim] each. */
static void add_outcome(foray_builder *builder, const fy_decision *what, int64_t action,
                        int64_t next, double first, double scale, int64_t *coordinate, double *phi)
{
    const int8_t *a = what->sign + action * (what->dim - 1);
    for (int64_t i = 0; i < what->dim; i++) {
        coordinate[i] = i;
        phi[i] = i == 0 ? first : scale * a[i - 1];
    }
    foray_builder_feature(builder, FY_DECIDE_START, action, next, what->dim, coordinate, phi);
}

/* The action's name: its signs. */
static void name_action(foray_builder *builder, const fy_decision *what, int64_t action)
{
    char name[FY_DECIDE_MAX_DIM];
    int64_t n = what->dim - 1;
    for (int64_t i = 0; i < n; i++)
        name[i] = what->sign[action * n + i] < 0 ? '-' : '+';
    name[n] = 0;
    foray_builder_action_name(builder, action, name);
}

foray_status fy_decide(foray_context *ctx, foray_builder *builder, const fy_decision *what,
                       const double *theta)
{
    static const int64_t first[] = {0};
    int64_t *coordinate = NULL;
    double *phi = NULL;
    bool room = FY_ALLOC(ctx, coordinate, what->dim) && FY_ALLOC(ctx, phi, what->dim);
    for (int64_t a = 0; a < what->actions && room; a++) {
        add_outcome(builder, what, a, FY_DECIDE_GOOD, what->good, what->scale, coordinate, phi);
        add_outcome(builder, what, a, FY_DECIDE_BAD, what->bad, -what->scale, coordinate, phi);
        /* phi(s|s,a) = (stay, 0) */
        foray_builder_feature(builder, FY_DECIDE_GOOD, a, FY_DECIDE_GOOD, 1, first, &what->stay);
        foray_builder_feature(builder, FY_DECIDE_BAD, a, FY_DECIDE_BAD, 1, first, &what->stay);
        name_action(builder, what, a);
    }
    foray_builder_theta(builder, theta);
    foray_builder_initial(builder, FY_DECIDE_START, 1);
    foray_builder_grid(builder, 3, 2);
    fy_world_cell(builder, FY_DECIDE_START, 1, 0, "start");
    fy_world_cell(builder, FY_DECIDE_GOOD, 0, 1, "good");
    fy_world_cell(builder, FY_DECIDE_BAD, 2, 1, "bad");
    free(coordinate);
    free(phi);
    return room ? FORAY_OK : FORAY_ERROR_MEMORY;
}
