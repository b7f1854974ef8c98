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
enum { MAX_KNOBS = 10 };

static const foray_parameter parameters[] = {
    FY_INTEGER("knobs", "4", 1, MAX_KNOBS, "knobs of the trapdoor: d - 1"),
    FY_REAL("base", "0.05", 0, 1, "probability that it opens if the knobs cancel out"),
    FY_REAL("gap", "0.01", 1e-6, 0.5, "what each knob adds or takes away"),
    FY_INTEGER("horizon", "20", 1, 1e5, "steps per episode, and positions in the corridor"),
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
static void add_feature(const corridor *c, int64_t state, int64_t action, int64_t next,
                        double first, double sign)
{
    int64_t coordinate[MAX_KNOBS + 1];
    double phi[MAX_KNOBS + 1];
    int64_t dim = sign != 0.0 ? c->knobs + 1 : 1;
    for (int64_t i = 0; i < dim; i++) {
        coordinate[i] = i;
        phi[i] = i == 0 ? first : sign * c->beta * knob(action, i - 1);
    }
    foray_builder_feature(c->builder, state, action, next, dim, coordinate, phi);
}

static void trapdoor_fill(const corridor *c, double gap)
{
    int64_t actions = (int64_t)1 << c->knobs, treasure = c->places + 1;
    double theta[MAX_KNOBS + 1];
    for (int64_t a = 0; a < actions; a++) {
        char name[MAX_KNOBS + 1] = ""; /* its signs */
        for (int64_t s = 0; s < c->places; s++) {
            add_feature(c, s, a, treasure, c->alpha * c->base, +1.0);
            add_feature(c, s, a, s + 1, c->alpha * (1.0 - c->base), -1.0);
        }
        for (int64_t s = c->places; s <= treasure; s++)
            add_feature(c, s, a, s, c->alpha, 0.0);
        for (int64_t i = 0; i < c->knobs; i++)
            name[i] = knob(a, i) < 0.0 ? '-' : '+';
        foray_builder_action_name(c->builder, a, name);
    }
    for (int64_t i = 0; i <= c->knobs; i++)
        theta[i] = i == 0 ? 1.0 / c->alpha : gap / c->beta;
    foray_builder_theta(c->builder, theta);
    foray_builder_initial(c->builder, 0, 1);
    fy_world_line(c->builder, c->places + 2, "place ");
    foray_builder_state_name(c->builder, treasure, "treasure");
}

static foray_status trapdoor_build(foray_context *ctx, const double *value, foray_builder **builder)
{
    double max = value[GAP] * value[KNOBS];
    if (value[BASE] - max < 0.0 || value[BASE] + max > 1.0)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "trapdoor: base=%g and gap=%g, but with knobs=%g probabilities would leave "
                       "0 to 1",
                       value[BASE], value[GAP], value[KNOBS]);
    corridor c = {.knobs = (int64_t)value[KNOBS],
                  .places = (int64_t)value[HORIZON],
                  .base = value[BASE],
                  .alpha = sqrt(1.0 / (1.0 + max))};
    c.beta = sqrt(value[GAP]) * c.alpha;
    int64_t actions = (int64_t)1 << c.knobs;
    foray_status status = fy_world_check_size(
        ctx, "trapdoor", 2 * (value[KNOBS] + 1) * (double)actions * value[HORIZON]);
    if (status == FORAY_OK)
        status = foray_builder_create(ctx, c.places + 2, actions, c.places, c.knobs + 1, 1.0 + max,
                                      builder);
    if (status != FORAY_OK)
        return status;
    c.builder = *builder;
    trapdoor_fill(&c, value[GAP]);
    return FORAY_OK;
}

const fy_world_kind fy_world_trapdoor = {
    "trapdoor", "a corridor whose trapdoors, set by knobs, lead to the treasure", parameters,
    FY_COUNT(parameters), trapdoor_build};
