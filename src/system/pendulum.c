/* pendulum.c - swing a pendulum up with a motor that is too weak to lift it.
 *
 * Story       A rod with a weight at its end hangs from a motor. Held horizontal it would
 *             pull with m g l, about 10 N m; the motor has 5. So it must swing, and once
 *             upright be kept there. From one step to the next the load changes: mass,
 *             length and damping are a mixture.
 * States      The angle x from upright in [-pi, pi), positive to the left, so that hanging
 *             down lies at both ends; the angular velocity w, which a brake keeps within
 *             8 rad/s. An episode starts hanging, almost at rest.
 * Actions     Torque -5, 0 or 5 N m, to the left if positive, for 0.15 s.
 * Equation    m l^2 dw/dt = m g l sin x - c w + u,     dx/dt = w
 * Members     Masses m from 0.8 to 1.2 kg, lengths l from 0.9 to 1.1 m, damping c from 0.05
 *             to 0.25 N m s: d = masses * lengths * dampings. Two Runge-Kutta substeps err
 *             by less than 0.0001 rad a step.
 * Noise       With noise=1 the velocity is kicked by up to 0.05 rad/s.
 * Rewards     balance   stand upright
 *             left      hold still 23 degrees left of hanging down
 *             spin      turn to the left, as fast as possible
 *             save      4/5 balance, 1/5 for every step without torque */
#include <math.h>

#include "base/maths.h"
#include "system/plant.h"
#include "world/world.h"

#define PI 3.14159265358979323846
static const double gravity = 9.81, fastest = 8;

static const foray_parameter parameters[] = {
    FY_PLANT_PARAMETERS("40"),
    FY_INTEGER("masses", "2", 1, 4, "masses in the mixture"),
    FY_INTEGER("lengths", "2", 1, 4, "lengths in the mixture"),
    FY_INTEGER("dampings", "2", 1, 4, "dampings in the mixture"),
};
enum { MASS, LENGTH, DAMPING };

/* dx/dt = w,   dw/dt = (g/l) sin x + (u - c w)/(m l^2) */
static void rate(const double *state, double torque, const double *constant, double *rate)
{
    double length = constant[LENGTH], inertia = constant[MASS] * length * length;
    rate[0] = state[1];
    rate[1] =
        gravity / length * fy_sin(state[0]) + (torque - constant[DAMPING] * state[1]) / inertia;
}

/* x and x + 2 pi are the same angle. */
static void confine(double *state)
{
    state[0] -= 2 * PI * floor((state[0] + PI) / (2 * PI));
    state[1] = fmin(fmax(state[1], -fastest), fastest);
}

/* -------------------------------------------------------------------- rewards */

static double balance(const double *state, double torque)
{
    (void)torque;
    return fy_plant_near(state[0], 0.3);
}

/* m g l sin 0.4 is about 4 N m. */
static double left(const double *state, double torque)
{
    (void)torque;
    return fy_plant_near(state[0] - (PI - 0.4), 0.3);
}

static double spin(const double *state, double torque)
{
    (void)torque;
    return fmax(state[1], 0) / fastest;
}

static double save(const double *state, double torque)
{
    return 0.8 * balance(state, torque) + (torque == 0 ? 0.2 : 0);
}

static const fy_plant_reward rewards[] = {
    {"balance", balance},
    {"left", left},
    {"spin", spin},
    {"save", save},
};

/* ------------------------------------------------------------------------ row */

static const char *const actions[] = {"-5 N m", "0 N m", "+5 N m"};
static const double torques[] = {-5, 0, 5};

const fy_plant_kind fy_plant_pendulum = {
    .name = "pendulum",
    .constants = 3,
    .constant = {[MASS] = {0.8, 1.2}, [LENGTH] = {0.9, 1.1}, [DAMPING] = {0.05, 0.25}},
    .dimension_name = {"angle", "velocity"},
    .low = {-PI, -8},
    .high = {PI, 8},
    .start = {PI, 0},
    .start_width = {0.1, 0.1},
    .kick = {0, 0.05},
    .seconds = 0.15,
    .substeps = 2,
    .actions = FY_COUNT(torques),
    .action_name = actions,
    .control = torques,
    .rate = rate,
    .confine = confine,
    .rewards = FY_COUNT(rewards),
    .reward = rewards,
};

static foray_status open(foray_context *ctx, const double *value, foray_system **out)
{
    return fy_plant_open(ctx, &fy_plant_pendulum, value, out);
}

const fy_system_kind fy_system_pendulum = {
    .name = "pendulum",
    .summary = "swing a pendulum up; mass, length and damping are an unknown mixture",
    .parameter = parameters,
    .parameters = FY_COUNT(parameters),
    .open = open,
};
