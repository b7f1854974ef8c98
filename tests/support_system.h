/* support_system.h - small systems for tests, whose laws are known. */
#ifndef FY_TESTS_SUPPORT_SYSTEM_H
#define FY_TESTS_SUPPORT_SYSTEM_H

#include "support.h"

enum { SUPPORT_MAX_STATES = 12, SUPPORT_ACTIONS = 2, SUPPORT_SIMULATORS = 3 };

/* A finite system: law[i][s][a] is the law of what follows in simulator i. Reality draws the
 * simulator by its weight. */
typedef struct support_finite {
    int64_t states;
    double weight[SUPPORT_SIMULATORS];
    double law[SUPPORT_SIMULATORS][SUPPORT_MAX_STATES][SUPPORT_ACTIONS][SUPPORT_MAX_STATES];
    bool deterministic; /* said of it; the laws are for the test to make so */
} support_finite;

/* Random laws; `stay` is the share of probability that every law puts on one state. */
support_finite *support_finite_random(int64_t states, double stay, uint64_t seed);
/* The system; `self` must outlive it, and stays the caller's. */
foray_system *support_finite_system(foray_context *ctx, support_finite *self, int64_t horizon);

/* A line: states in [0,1]^n, simulator i moves every coordinate by shift[i], action 1 by as
 * much the other way, and noise adds up to +- noise to each. Rewards: "far", the mean of the
 * coordinates; "act", 1 for action 1. */
typedef struct support_line {
    int64_t dimensions;
    double shift[SUPPORT_SIMULATORS];
    double noise, start;
    bool threads;
} support_line;
foray_system *support_line_system(foray_context *ctx, support_line *self, int64_t horizon);

/* A system that misbehaves as it is told to. */
enum {
    SUPPORT_GOOD,
    SUPPORT_NAN,
    SUPPORT_INFINITE,
    SUPPORT_OUTSIDE,
    SUPPORT_FAILS,
    SUPPORT_SILENT,
    SUPPORT_FRACTION
};
typedef struct support_hostile {
    int reset, step;   /* SUPPORT_... */
    double reward;     /* what every reward is */
    int64_t good_left; /* steps before it misbehaves */
    int destroyed;
} support_hostile;
extern const foray_system_ops support_hostile_ops;
/* With states in [0,2], one action and one simulator. */
foray_system *support_hostile_system(foray_context *ctx, support_hostile *self);

#endif
