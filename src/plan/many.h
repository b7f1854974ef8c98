/* many.h - planning for many rewards with one pass over the model for FY_LANES of them,
 * and the certificate that goes with each policy. */
#ifndef FY_MANY_H
#define FY_MANY_H

#include "plan/plan.h"

/* What to plan with. */
typedef struct fy_plan_order {
    const fy_kernel *kernel; /* with a bonus */
    int clip, ties;
    foray_mode mode;
    bool
        interval; /* does this kernel value the policies, too? Another certifier may do it better */
    bool alone;   /* nothing but the policy and its value in its own mode */
} fy_plan_order;

/* Plans for `count` rewards. policies[i] gets
 *   - the actions that maximise the recursion of the mode,
 *   - value: E_mu of all three recursions,
 * and with an interval, by two recursions more,
 *   - expected, low, high: E_mu of this policy itself without bonus, with -, and with +; high
 *     is never above V_bar, although a bonus that grows with the spread of V might give more,
 *   - certificate.gap = V_bar(mu) - V_low^pi(mu): the optimistic value less the value of
 *     this policy under the pessimistic recursion. The other fields are the caller's.
 * On failure nothing is handed out. The rewards must have the shape of the kernel's model
 * (fy_reward_check). */
foray_status fy_plan_rewards(foray_context *ctx, const fy_plan_order *order, int64_t count,
                             const foray_reward *const *rewards, foray_policy **policies);

#endif
