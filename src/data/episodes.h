/* episodes.h - episodes that were recorded elsewhere, from a CSV file (docs/data.md), as a stream:
 * at most one piece of an episode is in memory.
 *
 *     episode,step,state,action,next[,done][,reward]
 *
 * An episode's rows stand together, with steps 0, 1, ... without holes, and each begins in the
 * state that followed the row before. Episodes may be shorter than the horizon; longer ones are
 * cut into pieces of that length. */
#ifndef FY_DATA_EPISODES_H
#define FY_DATA_EPISODES_H

#include "base/index.h"
#include "base/csv.h"
#include "model/model.h"

/* States and actions by number or by name, found fast. */
typedef struct fy_names {
    const char *what; /* they are: "state" or "action" */
    int64_t count;
    char *const *name; /* [count], or NULL: numbers only; entries may be NULL */
    fy_index index;    /* of names; index + count where several have one */
} fy_names;

/* The names must outlive it. */
foray_status fy_names_create(foray_context *ctx, const char *what, int64_t count, char *const *name,
                             fy_names *out);
void fy_names_destroy(fy_names *names);

/* What fy_names_find says instead of an index: there is none such, or several have the name. */
enum { FY_NAMES_NONE = -1, FY_NAMES_SEVERAL = -2 };

/* Digits alone are a number; what else reads as a whole number ("7.0") is one unless it is a
 * name. */
int64_t fy_names_find(const fy_names *names, const char *text);

/* Like foray_data_read; the function may fail. */
typedef foray_status (*fy_data_fn)(void *user, const foray_recorded *episode);
foray_status fy_data_read(foray_context *ctx, const foray_model *model, const char *path,
                          fy_data_fn fn, void *user);

#endif
