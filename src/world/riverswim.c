/* riverswim.c - swimming against the current (Strehl and Littman 2008).
 *
 * Story       A swimmer starts at the left bank. Swimming left, with the current,
 *             always works; swimming right, against it, often does not.
 * States      0 .. states-1 in a line; the start is state 0.
 * Actions     left, right.
 * Outcomes    Four classes:
 *               left           moves left (state 0: stays) for sure
 *               right, first   stays 0.3, advances 0.7
 *               right, inside  falls back 0.1, stays 0.6, advances 0.3
 *               right, last    falls back 0.1, stays 0.9
 * Theta       These probabilities: d = 1 + 2 + 3 + 2 = 8. */
#include "world/world.h"

enum { STATES, HORIZON };

static const foray_parameter parameters[] = {
    FY_INTEGER("states", "6", 3, 1e6, "positions along the river"),
    FY_INTEGER("horizon", "0", 0, 1e6, "steps per episode; 0: four times the states"),
};

enum { LEFT, RIGHT, ACTIONS };
enum { WITH_CURRENT, FROM_FIRST, FROM_INSIDE, FROM_LAST, CLASSES };

static const int64_t class_outcomes[CLASSES] = {1, 2, 3, 2};
static const double class_law[CLASSES][3] = {{1}, {0.3, 0.7}, {0.1, 0.6, 0.3}, {0.1, 0.9}};

static foray_status riverswim_build(foray_context *ctx, const double *value,
                                    foray_builder **builder)
{
    static const char *const action_names[ACTIONS] = {"left", "right"};
    int64_t states = (int64_t)value[STATES];
    int64_t horizon = value[HORIZON] > 0 ? (int64_t)value[HORIZON] : 4 * states;
    foray_status status = foray_builder_create_classes(ctx, states, ACTIONS, horizon, CLASSES,
                                                       class_outcomes, builder);
    if (status != FORAY_OK)
        return status;
    for (int64_t s = 0; s < states; s++) {
        /* The outcomes of a class are neighbours in a row: the first state has none behind. */
        const int64_t around[] = {s > 0 ? s - 1 : 0, s, s + 1};
        int64_t right = s == 0 ? FROM_FIRST : s < states - 1 ? FROM_INSIDE : FROM_LAST;
        foray_builder_outcomes(*builder, s, LEFT, WITH_CURRENT, around);
        foray_builder_outcomes(*builder, s, RIGHT, right, s == 0 ? around + 1 : around);
    }
    for (int64_t c = 0; c < CLASSES; c++)
        foray_builder_law(*builder, c, class_law[c]);
    foray_builder_initial(*builder, 0, 1);
    fy_world_line(*builder, states, "place ");
    fy_world_actions(*builder, ACTIONS, action_names);
    return FORAY_OK;
}

const fy_world_kind fy_world_riverswim = {
    "riverswim", "a river whose current carries a swimmer back to where the episode starts",
    parameters, FY_COUNT(parameters), riverswim_build};
