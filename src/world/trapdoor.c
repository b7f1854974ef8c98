/* trapdoor.c - a corridor with a trapdoor in every place, which leads to the treasure.
 *
 * Story       A walker is carried along a corridor, one place a step. In each place there is a
 *             trapdoor to the treasure; a little more of the right knob settings opens it a
 *             little more often. What the knobs do is the same everywhere. This is the hard
 *             class of the POWERS experiments (He, Zhou, Gu 2022), after Zhou, Gu and
 *             Szepesvari (2021).
 * States      x_1 .. x_H along the corridor, its end x_(H+1), the treasure x_(H+2); the
 *             last two last forever. The start is x_1.
 * Actions     Knob settings a in {-1,1}^knobs, all of them.
 * Features    With Delta = gap and d = knobs + 1:
 *             phi(treasure|x_h,a) = (alpha base,        beta a)
 *             phi(x_(h+1) |x_h,a) = (alpha (1 - base), -beta a)
 *             phi(s|s,.)          = (alpha, 0)         for the last two
 *             alpha^2 = 1/(1 + Delta (d-1)),  beta^2 = Delta alpha^2
 * Theta       (1/alpha, Delta/beta, .., Delta/beta), of norm 1 + Delta (d-1); so
 *             P(treasure|x_h,a) = base + gap (a_1 + .. + a_knobs). */
#include <math.h>

#include "world/world.h"

enum { KNOBS, BASE, GAP, HORIZON };
enum { MOST_KNOBS = 10 };

static const foray_parameter parameters[] = {
    FY_WHOLE("knobs", "4", 1, MOST_KNOBS, "knobs of the trapdoor: d - 1"),
    FY_REAL("base", "0.05", 0, 1, "probability that it opens, with the knobs undecided"),
    FY_REAL("gap", "0.01", 1e-6, 0.5, "what each knob adds or takes away"),
    FY_WHOLE("horizon", "20", 1, 1e5, "steps of an episode, and places of the corridor"),
};

typedef struct corridor {
    foray_builder *builder;
    int64_t knobs, places;
    double base, alpha, beta;
} corridor;

/* Bit i of an action's number says where knob i is. */
static double knob(int64_t action, int64_t i)
{
    return action >> i & 1 ? 1.0 : -1.0;
}

/* phi(next|s,a) = (first, sign beta a) */
static foray_status add_feature(const corridor *c, int64_t state, int64_t action, int64_t next,
                                double first, double sign)
{
    int64_t coordinate[MOST_KNOBS + 1];
    double phi[MOST_KNOBS + 1];
    int64_t dim = sign != 0.0 ? c->knobs + 1 : 1;
    for (int64_t i = 0; i < dim; i++) {
        coordinate[i] = i;
        phi[i] = i == 0 ? first : sign * c->beta * knob(action, i - 1);
    }
    return foray_builder_feature(c->builder, state, action, next, dim, coordinate, phi);
}

static foray_status add_pair(const corridor *c, int64_t state, int64_t action)
{
    int64_t treasure = c->places + 1;
    if (state >= c->places)
        return add_feature(c, state, action, state, c->alpha, 0.0);
    foray_status status = add_feature(c, state, action, treasure, c->alpha * c->base, +1.0);
    if (status != FORAY_OK)
        return status;
    return add_feature(c, state, action, state + 1, c->alpha * (1.0 - c->base), -1.0);
}

/* The action's name: its signs. */
static foray_status add_action_name(const corridor *c, int64_t action)
{
    char name[MOST_KNOBS + 1] = "";
    for (int64_t i = 0; i < c->knobs; i++)
        name[i] = knob(action, i) < 0.0 ? '-' : '+';
    return foray_builder_action_name(c->builder, action, name);
}

static foray_status add_theta(const corridor *c, double gap)
{
    double theta[MOST_KNOBS + 1];
    for (int64_t i = 0; i <= c->knobs; i++)
        theta[i] = i == 0 ? 1.0 / c->alpha : gap / c->beta;
    return foray_builder_theta(c->builder, theta);
}

static foray_status fill(const corridor *c, double gap)
{
    int64_t actions = (int64_t)1 << c->knobs;
    foray_status status = FORAY_OK;
    for (int64_t s = 0; status == FORAY_OK && s < c->places + 2; s++)
        for (int64_t a = 0; status == FORAY_OK && a < actions; a++)
            status = add_pair(c, s, a);
    for (int64_t a = 0; status == FORAY_OK && a < actions; a++)
        status = add_action_name(c, a);
    if (status == FORAY_OK)
        status = add_theta(c, gap);
    if (status == FORAY_OK)
        status = foray_builder_initial(c->builder, 0, 1);
    if (status == FORAY_OK)
        status = fy_world_line(c->builder, c->places + 2, "place ");
    if (status == FORAY_OK)
        status = foray_builder_state_name(c->builder, c->places + 1, "treasure");
    return status;
}

static foray_status build(foray_context *ctx, const double *value, foray_builder **builder)
{
    double most = value[GAP] * value[KNOBS];
    if (value[BASE] - most < 0.0 || value[BASE] + most > 1.0)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "trapdoor: base=%g and gap=%g, but with knobs=%g probabilities would leave "
                       "0 to 1",
                       value[BASE], value[GAP], value[KNOBS]);
    corridor c = {.knobs = (int64_t)value[KNOBS],
                  .places = (int64_t)value[HORIZON],
                  .base = value[BASE],
                  .alpha = sqrt(1.0 / (1.0 + most))};
    c.beta = sqrt(value[GAP]) * c.alpha;
    int64_t actions = (int64_t)1 << c.knobs;
    foray_status status = fy_world_check_size(
        ctx, "trapdoor", 2 * (value[KNOBS] + 1) * (double)actions * value[HORIZON]);
    if (status == FORAY_OK)
        status = foray_builder_create(ctx, c.places + 2, actions, c.places, c.knobs + 1, 1.0 + most,
                                      builder);
    if (status != FORAY_OK)
        return status;
    c.builder = *builder;
    return fill(&c, value[GAP]);
}

const fy_world_kind fy_world_trapdoor = {
    "trapdoor", "a corridor whose trapdoors lead to the treasure, by knobs that do little",
    parameters, FY_COUNT(parameters), build};
