/* rf_rl_explore.h - what the tests look at inside RF-RL-Explore. */
#ifndef FY_RF_RL_EXPLORE_H
#define FY_RF_RL_EXPLORE_H

#include "explore/tabular/counts.h"

typedef struct fy_mixing {
    int64_t goals;    /* pairs (s,h) that can be reached */
    int64_t policies; /* how many EULER will have made in the end */
    int64_t samples;  /* how many episodes will have been drawn from their mixture */
    int64_t made, drawn;
    bool sampling;           /* the last episode was drawn from the mixture */
    int64_t step, state;     /* the goal of the last episode; -1 before the first */
    const fy_counts *counts; /* that plans are made from */
} fy_mixing;

fy_mixing fy_rf_rl_explore_now(const foray_explorer *explorer);

#endif
