/* ahead.h - episodes that several worlds play at once, with the bits of one after the other.
 *
 * Between two plans an explorer follows one table of actions, and what happens in an episode
 * depends on (seed, episode, step) and the actions alone. So workers, each with a world and a
 * thread of its own, play the episodes to come while the explorer learns from those that ended,
 * in order. After a new plan, those in which it would have acted otherwise are discarded. */
#ifndef FY_AHEAD_H
#define FY_AHEAD_H

#include "explore/explorer.h"

typedef struct fy_ahead fy_ahead;

/* Starts a thread for each world. Episodes from `budget` on are not played. The explorer and the
 * worlds must outlive it, and only fy_ahead_play may use them meanwhile. */
foray_status fy_ahead_create(foray_explorer *explorer, int64_t workers, foray_world *const *worlds,
                             int64_t budget, fy_ahead **out);

/* What foray_explorer_play does, from what was played ahead. */
foray_status fy_ahead_play(fy_ahead *ahead, int32_t *states, int32_t *actions);

/* Ends the threads, each after the step that it is in, and says how many episodes, whole or in
 * part, were played in vain. */
int64_t fy_ahead_end(fy_ahead *ahead);

#endif
