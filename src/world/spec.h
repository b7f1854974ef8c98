/* spec.h - texts "NAME[:key=value,...]" that name something built in, and the tables
 * of parameters behind them: shared by worlds, systems and clusters. */
#ifndef FY_SPEC_H
#define FY_SPEC_H

#include "base/base.h"

/* Nothing has more parameters than this (tests see to it). */
enum { FY_MOST_PARAMETERS = 16 };

/* Row `index` of a table; false past its end. */
typedef bool (*fy_spec_table)(int64_t index, foray_world_info *info);

/* Which row `text` names, and its parameters: value[FY_MOST_PARAMETERS], each within its
 * range; what is not mentioned has its default. `what` stands in messages: "world". */
foray_status fy_spec_read(foray_context *ctx, const char *what, fy_spec_table table,
                          const char *text, int64_t *index, double *value);

/* Does `text` name a row, whatever its parameters? */
bool fy_spec_names(fy_spec_table table, const char *text);

/* The parameters alone, "key=value,..."; NULL: all have their defaults. */
foray_status fy_spec_parameters(foray_context *ctx, const foray_world_info *info, const char *text,
                                double *value);

#endif
