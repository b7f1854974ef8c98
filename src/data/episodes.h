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

/* Digits alone are a number; what else reads as an integer ("7.0") is one unless it is a
 * name. */
int64_t fy_names_find(const fy_names *names, const char *text);
/* The same for a cell of a CSV file, in one of the `columns` that it was opened with; where it
 * names none of them, or several, the message has the file, the line and the column. */
foray_status fy_names_read(foray_context *ctx, const fy_names *names, const char *path,
                           const fy_csv *csv, const char *const *columns, int64_t column,
                           int32_t *out);

/* An episode that was recorded elsewhere, or a piece of one that is longer than the horizon. */
typedef struct fy_recorded_episode {
    const char *episode;    /* its label, as in the file */
    int64_t line;           /* of its first row */
    int64_t steps;          /* at least 1, at most the horizon */
    const int32_t *states;  /* [steps+1] */
    const int32_t *actions; /* [steps] */
    bool done;              /* its last state is absorbing, as the file says */
} fy_recorded_episode;
enum { FY_LABEL_BYTES = 64 }; /* bytes of a label, with its final 0 */

/* Reads a CSV file with the columns episode,step,state,action,next and perhaps done and reward, in
 * any order, as a stream (docs/data.md), and calls `fn` for every episode until it does not return
 * FORAY_OK. FORAY_ERROR_INPUT names the file, the line, the column and the cause;
 * FORAY_ERROR_WORLD: the model rules a transition out. */
typedef foray_status (*fy_data_fn)(void *user, const fy_recorded_episode *episode);
foray_status fy_data_read(foray_context *ctx, const foray_model *model, const char *path,
                          fy_data_fn fn, void *user);

/* policies.c: reads a CSV file with the columns step,state,action in any order (docs/policies.md):
 * a policy from elsewhere, of the mode FORAY_GIVEN. Where the step is empty, or there is no such
 * column, a row is about every step; rows about one step win over these. With `probability` it
 * draws its actions, and with `part` and `odds` it is a mixture. FORAY_ERROR_INPUT names the file,
 * the line and the cause: also where a step and state have two actions, or none. */
foray_status fy_policy_load_csv(foray_context *ctx, const foray_model *model, const char *path,
                                foray_policy **out);

#endif
