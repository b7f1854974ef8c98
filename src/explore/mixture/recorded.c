/* recorded.c - episodes that were recorded elsewhere.
 *
 *   for k = 1..K: whoever recorded episode k chose its actions
 *
 * It chooses none (fy_explorer_learn), and learns from what it is told exactly as UCRL-RFE
 * does. Certificates from likelihoods hold for every policy that did not look ahead, and those of
 * the regression too: what a target is depends on earlier episodes alone. */
#include "explore/mixture/learner.h"

const fy_explorer_ops fy_recorded = {
    .name = "recorded",
    .summary = "learns from recorded episodes (foray learn); chooses no actions",
    FY_PASSIVE_OPS,
    .observe = fy_learner_observe,
};
