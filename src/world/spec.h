/* spec.h - texts "NAME[:key=value,...]" that name something built in: worlds and systems. */
#ifndef FY_SPEC_H
#define FY_SPEC_H

#include "base/parameter.h"

/* Row `index` of a table; false past its end. */
typedef bool (*fy_spec_table)(int64_t index, foray_world_info *info);

/* Which row `text` names, and its parameters, which are numbers: value[FY_MAX_PARAMETERS],
 * each within its range; what is not mentioned has its default. `what` stands in messages:
 * "world". */
foray_status fy_spec_read(foray_context *ctx, const char *what, fy_spec_table table,
                          const char *text, int64_t *index, double *value);

/* Does `text` name a row, whatever its parameters? */
bool fy_spec_names(fy_spec_table table, const char *text);

#endif
