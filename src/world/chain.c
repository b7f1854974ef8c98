/* chain.c - the double chain (Kaufmann et al. 2021), in zones.
 *
 * Story       A walker in the middle of a corridor steps left or right. The floor
 *             is slippery, and how slippery depends on the zone.
 * States      0 .. states-1 in a line; the start is the middle, states/2.
 * Actions     left, right.
 * Outcomes    moved (one step as meant), opposite (one step the other way),
 *             stayed, two steps as meant: the first `outcomes` of these. Steps
 *             beyond an end stay at the end.
 * Laws        The corridor is cut into `zones` contiguous stretches of nearly equal
 *             length. laws=1: every zone has one law for both actions;
 *             laws=2: every zone and action has its own.
 * Theta       The outcome probabilities of every law: d = zones * laws * outcomes.
 *             "moved" has success -+ spread, evenly from the first zone to the
 *             last; the other outcomes share the rest equally.
 *
 * The published double chain is chain:zones=1,spread=0,laws=1,success=0.95: a move fails and
 * goes the opposite way with probability 0.05. */
#include "world/world.h"

enum { STATES, ZONES, LAWS, OUTCOMES, SUCCESS, SPREAD, HORIZON };

static const foray_parameter parameters[] = {
    FY_INTEGER("states", "31", 2, 1e6, "length of the corridor"),
    FY_INTEGER("zones", "6", 1, 1e6, "stretches with laws of their own, at most one per state"),
    FY_INTEGER("laws", "2", 1, 2, "laws per zone: 1 for both actions, or 2, one for each"),
    FY_INTEGER("outcomes", "2", 2, 4, "how many of moved, opposite, stayed, two steps can happen"),
    FY_REAL("success", "0.9", 0, 1, "probability of moving as intended, in the middle zone"),
    FY_REAL("spread", "0.05", 0, 0.5, "how far the outer zones differ from that"),
    FY_HORIZON("20"),
};

enum { LEFT, RIGHT, ACTIONS };

static int64_t clamp(int64_t place, int64_t states)
{
    return place < 0 ? 0 : place < states ? place : states - 1;
}

/* Where the outcomes of (s,a) lead. */
static void add_pair(foray_builder *builder, const double *value, int64_t s, int64_t a)
{
    static const int steps[] = {+1, -1, 0, +2}; /* moved, opposite, stayed, two steps */
    int64_t states = (int64_t)value[STATES], laws = (int64_t)value[LAWS];
    int64_t zone = fy_zone_of(s, states, (int64_t)value[ZONES]);
    int64_t next[4];
    for (int64_t o = 0; o < (int64_t)value[OUTCOMES]; o++)
        next[o] = clamp(s + (a == LEFT ? -steps[o] : steps[o]), states);
    foray_builder_outcomes(builder, s, a, zone * laws + (laws == 2 ? a : 0), next);
}

/* theta: success for "moved", the rest shared equally. */
static void add_law(foray_builder *builder, const double *value, int64_t law)
{
    int64_t zone = law / (int64_t)value[LAWS], outcomes = (int64_t)value[OUTCOMES];
    double p[4];
    p[0] = fy_zone_success(value[SUCCESS], value[SPREAD], zone, (int64_t)value[ZONES]);
    for (int64_t o = 1; o < outcomes; o++)
        p[o] = (1 - p[0]) / (double)(outcomes - 1);
    foray_builder_law(builder, law, p);
}

static foray_status chain_build(foray_context *ctx, const double *value, foray_builder **builder)
{
    static const char *const action_names[ACTIONS] = {"left", "right"};
    int64_t states = (int64_t)value[STATES], laws = (int64_t)(value[ZONES] * value[LAWS]);
    if (value[ZONES] > value[STATES])
        return fy_fail(ctx, FORAY_ERROR_USAGE, "chain: zones=%g, but there are only states=%g",
                       value[ZONES], value[STATES]);
    foray_status status = fy_zone_check(ctx, "chain", value[SUCCESS], value[SPREAD]);
    if (status == FORAY_OK)
        status = fy_world_classes(ctx, states, ACTIONS, (int64_t)value[HORIZON], laws,
                                  (int64_t)value[OUTCOMES], builder);
    if (status != FORAY_OK)
        return status;
    for (int64_t s = 0; s < states; s++)
        for (int64_t a = 0; a < ACTIONS; a++)
            add_pair(*builder, value, s, a);
    for (int64_t law = 0; law < laws; law++)
        add_law(*builder, value, law);
    foray_builder_initial(*builder, states / 2, 1);
    fy_world_line(*builder, states, "place ");
    fy_world_actions(*builder, ACTIONS, action_names);
    return FORAY_OK;
}

const fy_world_kind fy_world_chain = {
    "chain", "a slippery corridor, walked from its middle, whose zones slip differently",
    parameters, FY_COUNT(parameters), chain_build};
