/* sstp.h - what the tests look at inside SSTP. */
#ifndef FY_SSTP_H
#define FY_SSTP_H

#include "explore/tabular/counts.h"

typedef struct fy_stage {
    int64_t level;         /* of the last plan; -1 before the first */
    double target;         /* N_i */
    int64_t truncation;    /* L_i */
    int64_t remaining;     /* visits to unsettled pairs that would still count */
    const bool *unsettled; /* [pairs] at the last plan */
    const double *value;   /* [truncation+1][states] V_1 of the last plan */
    const fy_counts *counts;
} fy_stage;

fy_stage fy_sstp_now(const foray_explorer *explorer);

#endif
