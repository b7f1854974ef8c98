/* arrows.h - what a policy does and what it is worth, state by state. */
#ifndef FY_ARROWS_H
#define FY_ARROWS_H

#include "report/report.h"

/* Some steps of a policy, and the values there: V_t(s) = r_t(s,a) + sum_j P_j V_{t+1}(next_j)
 * with a = pi_t(s), under the true theta, or if that is not known under the estimate. */
typedef struct fy_arrows {
    const foray_policy *policy;
    int64_t id; /* of the plan */
    int64_t steps;
    int64_t step[FY_REPORT_COLUMNS];
    double *value; /* [steps][states]; NULL: neither theta nor an estimate is there */
    double min;    /* of the values, if it is negative; else 0 */
    bool *tied;    /* [steps][states] all actions are worth the same; NULL as above */
    bool *goal;    /* [states] where the most is earned */
    int64_t goals;
    bool coloured; /* on a map, actions that are not directions are colours */
    bool true_values;
} fy_arrows;

foray_status fy_arrows_create(fy_report *report, int64_t id, const foray_policy *policy,
                              const foray_reward *reward, fy_arrows *out);
void fy_arrows_destroy(fy_arrows *arrows);

/* The picture: maps of the steps side by side, or states by steps where there is no map. */
foray_status fy_arrows_draw(fy_report *report, const fy_arrows *arrows);
/* The table behind it, with its CSV. */
void fy_arrows_print(fy_report *report, const fy_arrows *arrows);

#endif
