/* ucrl_rfe_plus.h - what the tests look at inside UCRL-RFE+. */
#ifndef FY_UCRL_RFE_PLUS_H
#define FY_UCRL_RFE_PLUS_H

#include "explore/explorer.h"

/* The estimated variance of V_{h+1} after a pair at step t, under the last
 * plan, and the error term E that goes with it. */
typedef struct fy_variance {
    double estimate, error;
} fy_variance;

fy_variance fy_ucrl_rfe_plus_variance(foray_explorer *explorer, int64_t t, int64_t pair);

/* The value functions of the last plan: [horizon+1][states]. */
const double *fy_ucrl_rfe_plus_value(const foray_explorer *explorer);

#endif
