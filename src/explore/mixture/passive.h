/* passive.h - explorers that act without regard to what they have learnt, and learn
 * from what they see exactly as UCRL-RFE does: same targets, same regression, same
 * certificates. The references `random` and `generative` are such, and `recorded`. Their state is
 * an fy_learner. */
#ifndef FY_PASSIVE_H
#define FY_PASSIVE_H

#include "explore/mixture/learner.h"

/* Entries for the ops tables; all others are the learner's. */
foray_status fy_passive_create(foray_explorer *explorer);
/* New targets, where it is time. */
void fy_passive_begin_episode(foray_explorer *explorer);

/* All that their tables have in common: everything but who chooses and what is observed. */
#define FY_PASSIVE_OPS                                                                             \
    .create = fy_passive_create, .destroy = fy_learner_destroy,                                    \
    .begin_episode = fy_passive_begin_episode, .end_episode = fy_learner_end_episode,              \
    .plan = fy_learner_plan, .plans_on_sets = true, .regression = fy_learner_regression,           \
    .save = fy_learner_save, .load = fy_learner_load, .needs_budget = fy_learner_needs_budget,     \
    .bound = fy_learner_bound, .estimate = fy_learner_theta, .describe = fy_learner_describe

#endif
