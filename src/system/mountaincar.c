/* mountaincar.c - a car in a valley whose engine is too weak for the hills.
 *
 * Story       The car of Moore (1990) between two hills of the same height. Full throttle
 *             does not get it up either of them: it must swing back and forth. How strong the
 *             engine is, and how steep the ground, is a mixture.
 * States      The place x and the velocity v. The ground is like sin(3x): the valley lies at
 *             x = -pi/6, the tops at pi/6 and -pi/2, and 0.16 behind each top stands a stop
 *             that takes all speed from the car; there the ground slopes away from the
 *             valley, so that it stays. An episode starts in the valley, almost at rest.
 * Actions     Engine backwards, off, forwards: u = -1, 0, 1, for 0.7 units of time (one
 *             unit is ten steps of the usual discrete car).
 * Equation    dv/dt = p u - s cos(3x),     dx/dt = v
 * Members     Engines p from 0.09 to 0.15, slopes s from 0.2 to 0.3: d = engines * slopes.
 *             Two Runge-Kutta substeps err by less than 0.0002 a step.
 * Noise       With noise=1 the velocity is kicked by up to 0.01.
 * Rewards     right     be on the top to the right, or behind it
 *             left      be on the top to the left, or behind it
 *             valley    stay at the bottom
 *             save      4/5 right, 1/5 for every step with the engine off */
#include <math.h>

#include "base/maths.h"
#include "system/plant.h"
#include "world/world.h"

static const double leftmost = -1.73, rightmost = 0.69, fastest = 0.8;
static const double left_top = -1.5, right_top = 0.45, bottom = -0.5235987755982988;

static const foray_parameter parameters[] = {
    FY_PLANT_PARAMETERS("30"),
    FY_INTEGER("engines", "2", 1, 8, "engine strengths in the mixture"),
    FY_INTEGER("slopes", "2", 1, 8, "slopes in the mixture"),
};
enum { ENGINE, SLOPE };

/* dx/dt = v,   dv/dt = p u - s cos(3x) */
static void rate(const double *state, double throttle, const double *constant, double *rate)
{
    rate[0] = state[1];
    rate[1] = constant[ENGINE] * throttle - constant[SLOPE] * fy_cos(3 * state[0]);
}

/* A car that meets a stop stands still. */
static void confine(double *state)
{
    bool stopped = state[0] <= leftmost || state[0] >= rightmost;
    state[0] = fmin(fmax(state[0], leftmost), rightmost);
    state[1] = stopped ? 0 : fmin(fmax(state[1], -fastest), fastest);
}

/* -------------------------------------------------------------------- rewards */

static double right(const double *state, double throttle)
{
    (void)throttle;
    return state[0] >= right_top ? 1 : 0;
}

static double left(const double *state, double throttle)
{
    (void)throttle;
    return state[0] <= left_top ? 1 : 0;
}

static double valley(const double *state, double throttle)
{
    (void)throttle;
    return fy_plant_near(state[0] - bottom, 0.1);
}

static double save(const double *state, double throttle)
{
    return 0.8 * right(state, throttle) + (throttle == 0 ? 0.2 : 0);
}

static const fy_plant_reward rewards[] = {
    {"right", right},
    {"left", left},
    {"valley", valley},
    {"save", save},
};

/* ------------------------------------------------------------------------ row */

static const char *const actions[] = {"backwards", "off", "forwards"};
static const double throttles[] = {-1, 0, 1};

const fy_plant_kind fy_plant_mountaincar = {
    .name = "mountaincar",
    .constants = 2,
    .constant = {[ENGINE] = {0.09, 0.15}, [SLOPE] = {0.2, 0.3}},
    .dimension_name = {"place", "velocity"},
    .low = {-1.73, -0.8},
    .high = {0.69, 0.8},
    .start = {-0.5235987755982988, 0},
    .start_width = {0.05, 0.02},
    .kick = {0, 0.01},
    .seconds = 0.7,
    .substeps = 2,
    .actions = FY_COUNT(throttles),
    .action_name = actions,
    .control = throttles,
    .rate = rate,
    .confine = confine,
    .rewards = FY_COUNT(rewards),
    .reward = rewards,
};

static foray_status open(foray_context *ctx, const double *value, foray_system **out)
{
    return fy_plant_open(ctx, &fy_plant_mountaincar, value, out);
}

const fy_system_kind fy_system_mountaincar = {
    .name = "mountaincar",
    .summary = "get a weak car out of a valley; slope and engine are an unknown mixture",
    .parameter = parameters,
    .parameters = FY_COUNT(parameters),
    .open = open,
};
