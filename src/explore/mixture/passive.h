/* passive.h - explorers that act without regard to what they have learnt, and learn
 * from what they see exactly as UCRL-RFE does: same targets, same regression, same
 * certificates. The references `random` and `generative` are such. */
#ifndef FY_PASSIVE_H
#define FY_PASSIVE_H

#include "explore/mixture/learner.h"

/* Entries for the ops tables; plans and bounds are the learner's. */
foray_status fy_passive_create(foray_explorer *explorer);
void fy_passive_destroy(foray_explorer *explorer);
void fy_passive_begin_episode(foray_explorer *explorer);
void fy_passive_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j);
void fy_passive_end_episode(foray_explorer *explorer);
void fy_passive_save(foray_explorer *explorer, fy_writer *writer);
void fy_passive_load(foray_explorer *explorer, fy_reader *reader);

#endif
