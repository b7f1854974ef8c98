/* random.c - uniformly random actions: the baseline.
 *
 *   for k = 1..K: in every step an action uniformly at random
 *
 * It learns from what it sees exactly as UCRL-RFE does (same targets, same
 * regression, same certificates), so that a comparison shows what choosing
 * actions is worth and nothing else. */
#include "explore/mixture/passive.h"

static int64_t act(foray_explorer *explorer, int64_t t, int64_t state)
{
    (void)state;
    uint64_t bits = fy_random_bits((uint64_t)explorer->settings.seed, FY_STREAM_EXPLORER,
                                   (uint64_t)explorer->episodes, (uint32_t)t, 0);
    return (int64_t)(fy_unit(bits) * (double)explorer->model->actions);
}

const fy_explorer_ops fy_random = {
    .name = "random",
    .summary = "uniformly random actions; learns and certifies as ucrl-rfe does",
    .create = fy_passive_create,
    .destroy = fy_passive_destroy,
    .begin_episode = fy_passive_begin_episode,
    .act = act,
    .observe = fy_passive_observe,
    .end_episode = fy_passive_end_episode,
    .plan = fy_learner_plan,
    .save = fy_passive_save,
    .load = fy_passive_load,
    .needs_budget = fy_learner_needs_budget,
    .bound = fy_learner_bound,
    .estimate = fy_learner_theta,
    .describe = fy_learner_describe,
};
