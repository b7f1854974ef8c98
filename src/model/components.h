/* components.h - two feature coordinates belong together when some (s,a) has both: the connected
 * components are the blocks of a basis. */
#ifndef FY_COMPONENTS_H
#define FY_COMPONENTS_H

#include "model/model.h"

/* Numbers them by their smallest coordinates: block_of_coord[dim], -1 where no (s,a) has it. */
foray_status fy_components_find(foray_context *ctx, const foray_model *model,
                                int32_t *block_of_coord, int64_t *blocks);

#endif
