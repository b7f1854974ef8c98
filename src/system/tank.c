/* tank.c - two coupled tanks: a pump fills the first, the second leaks.
 *
 *     pump -> [ tank 1 ]--- valve ---[ tank 2 ]--- outlet ->
 *
 * Story       Water for the second tank has to come through the first, and how far both
 *             valves are open is a mixture. A process engineer's exercise.
 * States      The levels h1 and h2, 0 to 1 m; what comes above the brim spills over. An
 *             episode starts with some water in both.
 * Actions     Pump off, 2 or 4 litres per second, for 3 s.
 * Equation    Torricelli: through an opening a flow a sqrt(2 g drop), downwards.
 *                 A dh1/dt = u - q12,   A dh2/dt = q12 - q2
 *                 q12 = a1 sign(h1 - h2) sqrt(2 g |h1 - h2|),   q2 = a2 sqrt(2 g h2)
 *             Both tanks have the floor area A = 0.05 m^2.
 * Members     Valves a1 from 8 to 16 cm^2, outlets a2 from 4 to 8 cm^2: d = valves * outlets.
 *             Four Runge-Kutta substeps, so that levels which meet err by at most a few
 *             millimetres: there the root has no derivative.
 * Noise       With noise=1 waves kick both levels by up to 5 mm.
 * Rewards     low       keep tank 2 at 0.25 m
 *             high      keep tank 2 at 0.60 m
 *             below     pump, but keep tank 1 below 0.5 m
 *             save      keep tank 2 above 0.2 m, the less pumping the better */
#include <math.h>

#include "system/plant.h"
#include "world/world.h"

static const double gravity = 9.81, area = 0.05, brim = 1, full_pump = 0.004;

static const foray_parameter parameters[] = {
    FY_PLANT_PARAMETERS("30"),
    FY_INTEGER("valves", "2", 1, 8, "openings of the valve between the tanks in the mixture"),
    FY_INTEGER("outlets", "2", 1, 8, "openings of the outlet in the mixture"),
};
enum { VALVE, OUTLET };

/* a sign(drop) sqrt(2 g |drop|) */
static double flow(double opening, double drop)
{
    return copysign(opening * sqrt(2 * gravity * fabs(drop)), drop);
}

/* Within a step a level may be found a little below 0, where nothing flows out. */
static void rate(const double *state, double pump, const double *constant, double *rate)
{
    double between = flow(constant[VALVE], state[0] - state[1]);
    double out = flow(constant[OUTLET], fmax(state[1], 0));
    rate[0] = (pump - between) / area;
    rate[1] = (between - out) / area;
}

static void confine(double *state)
{
    for (int i = 0; i < FY_PLANT_DIMENSIONS; i++)
        state[i] = fmin(fmax(state[i], 0), brim);
}

/* -------------------------------------------------------------------- rewards */

static double low(const double *state, double pump)
{
    (void)pump;
    return fy_plant_near(state[1] - 0.25, 0.05);
}

static double high(const double *state, double pump)
{
    (void)pump;
    return fy_plant_near(state[1] - 0.6, 0.05);
}

static double below(const double *state, double pump)
{
    return state[0] <= 0.5 ? pump / full_pump : 0;
}

static double save(const double *state, double pump)
{
    return state[1] >= 0.2 ? 1 - 0.75 * pump / full_pump : 0;
}

static const fy_plant_reward rewards[] = {
    {"low", low},
    {"high", high},
    {"below", below},
    {"save", save},
};

/* ------------------------------------------------------------------------ row */

static const char *const actions[] = {"off", "half", "full"};
static const double pumps[] = {0, 0.002, 0.004};

const fy_plant_kind fy_plant_tank = {
    .name = "tank",
    .constants = 2,
    .constant = {[VALVE] = {0.0008, 0.0016}, [OUTLET] = {0.0004, 0.0008}},
    .dimension_name = {"level 1", "level 2"},
    .low = {0, 0},
    .high = {1, 1},
    .start = {0.1, 0.06},
    .start_width = {0.05, 0.05},
    .kick = {0.005, 0.005},
    .seconds = 3,
    .substeps = 4,
    .actions = FY_COUNT(pumps),
    .action_name = actions,
    .control = pumps,
    .rate = rate,
    .confine = confine,
    .rewards = FY_COUNT(rewards),
    .reward = rewards,
};

static foray_status open(foray_context *ctx, const double *value, foray_system **out)
{
    return fy_plant_open(ctx, &fy_plant_tank, value, out);
}

const fy_system_kind fy_system_tank = {
    .name = "tank",
    .summary = "keep levels in two coupled tanks; the valves are an unknown mixture",
    .parameter = parameters,
    .parameters = FY_COUNT(parameters),
    .open = open,
};
