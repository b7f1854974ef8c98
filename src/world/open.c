/* open.c - open models: nothing is known but how many states, actions and steps there are.
 *
 * Every (s,a) has a law of its own, over all S states:
 *
 *     P(s'|s,a) = theta_{(s,a),s'},      s' = 0, ..., S-1
 *
 * a tabular model without theta, in which nothing is ruled out but other first states. It is made
 * from the sizes alone and held in full, S A S numbers and, in certificates, S A matrices of about
 * S^2: hence the limit. */
#include "world/open.h"

#include <inttypes.h>

enum { STATES, ACTIONS, HORIZON, INITIAL };

static const foray_parameter parameters[] = {
    FY_WHOLE("states", "0", 0, FY_OPEN_LARGEST, "S: states are 0 to S-1 (required)"),
    FY_WHOLE("actions", "0", 0, FY_OPEN_LARGEST, "A (required)"),
    FY_WHOLE("horizon", "0", 0, 1e6, "steps per episode (required)"),
    FY_WHOLE("initial", "0", 0, FY_OPEN_LARGEST, "the state in which every episode begins"),
};

bool fy_open_describe(int64_t index, foray_world_info *info)
{
    if (index != 0)
        return false;
    *info = (foray_world_info){"open", "nothing known but sizes", FY_COUNT(parameters), parameters};
    return true;
}

static foray_status check_sizes(foray_context *ctx, const fy_open_sizes *sizes)
{
    double numbers = (double)sizes->states * (double)sizes->actions * (double)sizes->states;
    if (sizes->states < 1 || sizes->actions < 1 || sizes->horizon < 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "an open model needs its sizes: open:states=S,actions=A,horizon=H");
    if (sizes->initial < 0 || sizes->initial >= sizes->states)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "open: initial=%" PRId64 ", but states are 0 to %" PRId64, sizes->initial,
                       sizes->states - 1);
    if (numbers <= FY_OPEN_LARGEST)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_USAGE,
                   "open: %" PRId64 " states and %" PRId64 " actions have %.0f transitions, but "
                   "where nothing is known there may be at most %.0f: write a model of what can "
                   "follow what (foray explore MODEL --in SYSTEM), or put states together",
                   sizes->states, sizes->actions, numbers, FY_OPEN_LARGEST);
}

foray_status fy_open_build(foray_context *ctx, const fy_open_sizes *sizes, foray_builder **builder)
{
    int64_t S = sizes->states, A = sizes->actions;
    foray_status status = check_sizes(ctx, sizes);
    if (status == FORAY_OK)
        status = foray_builder_create_tabular(ctx, S, A, sizes->horizon, builder);
    if (status != FORAY_OK)
        return status;
    for (int64_t s = 0; s < S; s++)
        for (int64_t a = 0; a < A; a++)
            for (int64_t next = 0; next < S; next++)
                foray_builder_transition(*builder, s, a, next, 1.0 / (double)S);
    foray_builder_forget_theta(*builder);
    foray_builder_initial(*builder, sizes->initial, 1);
    return FORAY_OK;
}

foray_status fy_open_read(foray_context *ctx, const char *text, foray_builder **builder)
{
    double value[FY_MOST_PARAMETERS];
    int64_t index;
    foray_status status = fy_spec_read(ctx, "model", fy_open_describe, text, &index, value);
    if (status != FORAY_OK)
        return status;
    const fy_open_sizes sizes = {(int64_t)value[STATES], (int64_t)value[ACTIONS],
                                 (int64_t)value[HORIZON], (int64_t)value[INITIAL]};
    return fy_open_build(ctx, &sizes, builder);
}
