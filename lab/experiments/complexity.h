/* complexity.h - K(eps) over eps, H and d: what its two files share.
 *
 *   complexity.c           parameters, cells: one run of one algorithm on one chain each
 *   complexity_results.c   K(eps) of all of them, exponents, charts */
#ifndef FY_COMPLEXITY_H
#define FY_COMPLEXITY_H

#include "experiments/lab.h"

/* The parameters, in the order of their table. */
enum {
    FY_COMPLEXITY_ALGORITHMS,
    FY_COMPLEXITY_EPS,
    FY_COMPLEXITY_CERTIFIED,
    FY_COMPLEXITY_HORIZONS,
    FY_COMPLEXITY_ZONES,
    FY_COMPLEXITY_STATES,
    FY_COMPLEXITY_EPISODES,
    FY_COMPLEXITY_DELTA,
    FY_COMPLEXITY_RADIUS,
    FY_COMPLEXITY_REWARDS,
    FY_COMPLEXITY_ROUNDS,
    FY_COMPLEXITY_SEEDS,
    FY_COMPLEXITY_SEED,
};

/* The columns of its rows. */
enum {
    FY_COMPLEXITY_C_ALGORITHM,
    FY_COMPLEXITY_C_HORIZON,
    FY_COMPLEXITY_C_ZONES,
    FY_COMPLEXITY_C_DIM,
    FY_COMPLEXITY_C_SEED,
    FY_COMPLEXITY_C_EPISODE,
    FY_COMPLEXITY_C_GAP,
    FY_COMPLEXITY_C_BOUND,
    FY_COMPLEXITY_COLUMNS,
};

/* A cell: cell = ((algorithm * horizons + horizon) * zones + zone) * seeds + seed. */
enum { FY_AT_ALGORITHM, FY_AT_HORIZON, FY_AT_ZONE, FY_AT_SEED };

foray_status fy_complexity_show(fy_lab *lab, fy_content *content);

#endif
