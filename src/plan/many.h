/* many.h - planning for many rewards with one pass over the model for FY_LANES of them,
 * and the certificate that goes with each policy. */
#ifndef FY_MANY_H
#define FY_MANY_H

#include "plan/plan.h"

/* Plans for `count` rewards in a mode (FORAY_OPTIMISTIC, ...). policies[i] gets
 *   - the actions that maximise the recursion of the mode,
 *   - value: E_mu of all three recursions,
 *   - expected, low, high: E_mu of this policy itself without bonus, with -, and with +; high
 *     is never above V_bar, although a bonus that grows with the spread of V might give more,
 *   - certificate.gap = V_bar(mu) - V_low^pi(mu): the optimistic value less the value of
 *     this policy under the pessimistic recursion. The other fields are the caller's.
 * On failure nothing is handed out. The kernel must have a bonus, and the rewards the shape of
 * its model (fy_reward_check). */
foray_status fy_plan_rewards(foray_context *ctx, const fy_kernel *kernel, int clip, int ties,
                             int64_t count, const foray_reward *const *rewards, foray_mode mode,
                             foray_policy **policies);

#endif
