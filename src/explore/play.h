/* play.h - the two halves of an episode: how it begins in the world, and its steps.
 * foray_explorer_play is both, with foray_explorer_begin between them. */
#ifndef FY_PLAY_H
#define FY_PLAY_H

#include "explore/explorer.h"

/* From now on the explorer is in this world, be it the model's own or a system seen through
 * clusters, which does not obey the model. */
foray_status fy_play_meet(foray_explorer *explorer, const foray_world *world);

/* The draw of the explorer's next episode, or of the one under way. */
foray_draw fy_play_draw(const foray_explorer *explorer);

/* s_0 from the world, which must be one that the model allows. */
foray_status fy_play_reset(foray_explorer *explorer, foray_world *world, const foray_draw *draw,
                           int64_t *state);

/* All steps of an episode that has begun, and its end. `states` and `actions` may be NULL. */
foray_status fy_play_steps(foray_explorer *explorer, foray_world *world, foray_draw draw,
                           int64_t state, int32_t *states, int32_t *actions);

#endif
