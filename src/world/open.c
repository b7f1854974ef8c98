/* open.c - open models as text: open:states=S,actions=A,horizon=H[,initial=STATE]. */
#include "world/open.h"
#include "model/open.h"

#include <inttypes.h>

enum { STATES, ACTIONS, HORIZON, INITIAL };

static const foray_parameter parameters[] = {
    FY_WHOLE("states", "0", 0, 1e8, "S, or an upper bound on it: states are 0 to S-1 (required)"),
    FY_WHOLE("actions", "0", 0, 65535, "A (required)"),
    FY_WHOLE("horizon", "0", 0, 1e6, "steps per episode (required)"),
    FY_WHOLE("initial", "-1", -1, 1e8, "where every episode begins; -1: not known either"),
};

bool fy_open_describe(int64_t index, foray_world_info *info)
{
    if (index != 0)
        return false;
    *info = (foray_world_info){"open", "nothing known but sizes", FY_COUNT(parameters), parameters};
    return true;
}

foray_status foray_model_open(foray_context *ctx, const char *text, int64_t names,
                              const char *const *action_name, foray_model **out)
{
    double value[FY_MOST_PARAMETERS];
    int64_t index;
    foray_status status = fy_spec_read(ctx, "model", fy_open_describe, text, &index, value);
    if (status != FORAY_OK)
        return status;
    const int32_t state = (int32_t)value[INITIAL];
    const double certain = 1;
    const fy_open_parts parts = {.name = text,
                                 .states = (int64_t)value[STATES],
                                 .actions = (int64_t)value[ACTIONS],
                                 .horizon = (int64_t)value[HORIZON],
                                 .initials = state >= 0,
                                 .initial_state = &state,
                                 .initial_probability = &certain,
                                 .action_names = names > 0 ? action_name : NULL};
    if (names > 0 && parts.actions > 0 && names != parts.actions)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: %" PRId64 " names for %" PRId64 " actions",
                       text, names, parts.actions);
    return fy_model_open(ctx, &parts, out);
}
