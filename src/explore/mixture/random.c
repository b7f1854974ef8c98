/* random.c - uniformly random actions: the baseline.
 *
 *   for k = 1..K: in every step an action uniformly at random
 *
 * It learns from what it sees exactly as UCRL-RFE does (same targets, same
 * regression, same certificates), so that a comparison shows what choosing
 * actions is worth and nothing else. */
#include "explore/mixture/learner.h"

static int64_t random_act(foray_explorer *explorer, int64_t t, int64_t state)
{
    return fy_random_action(explorer, t, state);
}

static int64_t random_unplanned(const foray_explorer *explorer, int64_t episode, int64_t t,
                                int64_t state)
{
    return fy_random_action_in(explorer, episode, t, state);
}

const fy_explorer_ops fy_random = {
    .name = "random",
    .summary = "uniformly random actions; learns and certifies as ucrl-rfe does",
    FY_PASSIVE_OPS,
    .act = random_act,
    .unplanned = random_unplanned,
    .observe = fy_learner_observe,
};
