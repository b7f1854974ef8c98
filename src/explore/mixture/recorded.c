/* recorded.c - episodes that were recorded elsewhere.
 *
 *   for k = 1..K: whoever recorded episode k chose its actions
 *
 * It chooses none (foray_explorer_learn), and learns from what it is told exactly as UCRL-RFE
 * does. Certificates from likelihoods hold for every policy that did not look ahead, and those of
 * the regression too: what a target is depends on earlier episodes alone. */
#include "explore/mixture/passive.h"

const fy_explorer_ops fy_recorded = {
    .name = "recorded",
    .summary = "learns from recorded episodes (foray learn); chooses no actions",
    .create = fy_passive_create,
    .destroy = fy_learner_destroy,
    .begin_episode = fy_passive_begin_episode,
    .observe = fy_learner_observe,
    .end_episode = fy_learner_end_episode,
    .plan = fy_learner_plan,
    .plans_on_sets = true,
    .regression = fy_learner_regression,
    .save = fy_learner_save,
    .load = fy_learner_load,
    .needs_budget = fy_learner_needs_budget,
    .bound = fy_learner_bound,
    .estimate = fy_learner_theta,
    .describe = fy_learner_describe,
};
