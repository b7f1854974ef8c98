/* record.h - episodes that were recorded elsewhere, from a CSV file (docs/data.md), as a stream:
 * at most one piece of an episode is in memory.
 *
 *     episode,step,state,action,next[,done][,reward]
 *
 * An episode's rows stand together, with steps 0, 1, ... without holes, and each begins in the
 * state that followed the row before. Episodes may be shorter than the horizon; longer ones are
 * cut into pieces of that length. */
#ifndef FY_RECORD_H
#define FY_RECORD_H

#include "model/model.h"

/* Like foray_data_read; the function may fail. */
typedef foray_status (*fy_recorded_fn)(void *user, const foray_recorded *episode);
foray_status fy_record_read(foray_context *ctx, const foray_model *model, const char *path,
                            fy_recorded_fn fn, void *user);

#endif
