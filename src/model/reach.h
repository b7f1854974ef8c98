/* reach.h - what an episode can get to: by the successors alone, whatever their probabilities. */
#ifndef FY_REACH_H
#define FY_REACH_H

#include "model/model.h"

/* earliest[s] receives the first step at which some actions can have led to s, INT32_MAX: never.
 * `line` is room for all states. */
void fy_model_earliest(const foray_model *model, int32_t *earliest, int32_t *line);

/* The model without the states that no episode gets to within the horizon. Values and
 * plans from the first states on are those of the whole model; certificates may be smaller, since
 * laws that no episode meets are not among those that must be right at once. States that an episode
 * gets to with its last step only are kept, but no step begins there: what would follow them is
 * made up, and they have no place on the map. number[i] receives the number that state i has in the
 * whole model; free it. */
foray_status fy_model_reachable(foray_context *ctx, const foray_model *model, foray_model **out,
                                int32_t **number);

#endif
