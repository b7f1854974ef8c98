/* passive.h - explorers that act without regard to what they have learnt, and learn
 * from what they see exactly as UCRL-RFE does: same targets, same regression, same
 * certificates. The references `random` and `generative` are such. Their state is an fy_learner. */
#ifndef FY_PASSIVE_H
#define FY_PASSIVE_H

#include "explore/mixture/learner.h"

/* Entries for the ops tables; all others are the learner's. */
foray_status fy_passive_create(foray_explorer *explorer);
/* New targets, where it is time. */
void fy_passive_begin_episode(foray_explorer *explorer);

#endif
