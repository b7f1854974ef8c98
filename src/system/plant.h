/* plant.h - systems that obey a differential equation.
 *
 *     dx/dt = f(x, u; c)      x two coordinates, u the control, c constants of the plant
 *
 * From one decision to the next the control is constant and the equation is solved by the
 * classical Runge-Kutta method of order four, in equal substeps. What is unknown are the
 * constants: each of them (a mass, a length, ...) may have one of a few values, a *member* is
 * one combination, and reality draws a member by its weight at every step. On request the
 * coordinates are kicked by a little noise after the step, uniform and so bounded: what can
 * follow a state stays a small region. Without noise the members leave nothing to chance, so
 * that features averaged over them have no Monte Carlo error.
 *
 * A plant lies in a file of its own that ends with an fy_plant_kind, which holds the equation,
 * the walls and the rewards, and with its row of the table of built-in systems. */
#ifndef FY_PLANT_H
#define FY_PLANT_H

#include "system/system.h"
#include "world/world.h"

enum { FY_PLANT_DIMENSIONS = 2, FY_PLANT_CONSTANTS = 3, FY_PLANT_MEMBERS = 64 };

/* The parameters that every plant has, first in its table; those that say how many values
 * each constant may have follow, one for each constant. */
enum { FY_PLANT_NOISE, FY_PLANT_SEED, FY_PLANT_HORIZON, FY_PLANT_COUNTS };
#define FY_PLANT_PARAMETERS(steps)                                                                 \
    FY_REAL("noise", "0", 0, 10, "strength of the random kicks after each step; 0: none"),         \
        FY_INTEGER("seed", "1", 0, FY_MAX_SEED, "seed of the members' weights"), FY_HORIZON(steps)

/* A constant with n values lies evenly between these, in the middle if n is 1. */
typedef struct fy_plant_range {
    double min, max;
} fy_plant_range;

typedef struct fy_plant_reward {
    const char *name;
    /* r(x,u) in [0,1] */
    double (*value)(const double *state, double control);
} fy_plant_reward;

typedef struct fy_plant_kind {
    const char *name;
    int64_t constants;
    fy_plant_range constant[FY_PLANT_CONSTANTS];
    const char *dimension_name[FY_PLANT_DIMENSIONS];
    double low[FY_PLANT_DIMENSIONS], high[FY_PLANT_DIMENSIONS];
    /* An episode starts within start +- start_width, uniformly. */
    double start[FY_PLANT_DIMENSIONS], start_width[FY_PLANT_DIMENSIONS];
    double kick[FY_PLANT_DIMENSIONS]; /* noise 1 kicks by up to this */
    double seconds;                   /* from one decision to the next */
    int64_t substeps;
    int64_t actions;
    const char *const *action_name;
    const double *control; /* [actions] */
    /* f(x, u; c) */
    void (*rate)(const double *state, double control, const double *constant, double *rate);
    /* Walls and what else the equation does not say; may be called within a step. */
    void (*confine)(double *state);
    int64_t rewards;
    const fy_plant_reward *reward;
} fy_plant_kind;

extern const fy_plant_kind fy_plant_pendulum, fy_plant_mountaincar, fy_plant_tank;
/* The system of a kind; `value` holds its parameters in the order of the table, each within
 * its range. */
foray_status fy_plant_open(foray_context *ctx, const fy_plant_kind *kind, const double *value,
                           foray_system **out);

/* How the members of a plant are numbered and made, for tests: how many there are, and the
 * constants of one. */
int64_t fy_plant_members(const fy_plant_kind *kind, const double *value);
void fy_plant_constants(const fy_plant_kind *kind, const double *value, int64_t member,
                        double *constant);

/* A reward for being near 0: exp(-x^2 / (2 width^2)). */
double fy_plant_near(double x, double width);

/* One step without noise: `seconds` of the equation, in `substeps`. */
void fy_plant_flow(const fy_plant_kind *kind, const double *constant, double control,
                   const double *state, double *next);

#endif
