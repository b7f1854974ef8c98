/* export.h - models for other programs.
 *
 *   umb.c      the unified Markov binary format
 *   csv.c      a table of transitions, as foray model import reads it; and fy_model_export
 *   policy.c   policies as CSV and as C */
#ifndef FY_EXPORT_H
#define FY_EXPORT_H

#include "model/model.h"
#include "reward/reward.h"

/* What to export besides the model. */
typedef struct fy_export_options {
    const double *low, *high; /* [transitions] intervals of the probabilities, pair by pair in the
                                 order of foray_model_successors (foray_explorer_intervals); NULL:
                                 the probabilities themselves, which the model must know */
    double delta;             /* with intervals: how probable it is that some are wrong */
    const char *about;        /* a sentence that the file says about itself, or NULL */
    int64_t rewards;          /* to go with it, in UMB: values, and labels of states to reach or
                                 avoid; none may depend on the step */
    const foray_reward *const *reward;
} fy_export_options;

/* A model as "umb" or "csv" (docs/export.md); *out, to be released with foray_free, has *size
 * bytes. */
foray_status fy_model_export(foray_context *ctx, const foray_model *model,
                             const fy_export_options *what, const char *format, char **out,
                             size_t *size);

/* A policy for use elsewhere, as text to be released with foray_free: CSV with the columns
 * step,state,action (an empty step: all steps), and one C99 file with the tables and a function
 * int NAME_action(int step, int state), or (int step, const double *state) where the policy keeps
 * its clusters, which does what foray_policy_act does. FORAY_ERROR_USAGE: C allows no such name. */
foray_status fy_policy_print_csv(foray_context *ctx, const foray_policy *policy, char **out,
                                 size_t *size);
foray_status fy_policy_print_c(foray_context *ctx, const foray_policy *policy, const char *name,
                               char **out, size_t *size);

/* Adds a member to a tar file (POSIX.1-1988), the same bytes whoever makes it and whenever. */
void fy_tar_add(fy_writer *tar, const char *name, const void *data, size_t size);
/* The end of the file. */
void fy_tar_end(fy_writer *tar);

/* What to write: a model with, for each of its transitions, a probability or an interval. */
typedef struct fy_export {
    foray_context *ctx;
    const foray_model *model;
    const fy_export_options *what;
    /* Laid out as model->succ: */
    double *probability; /* or NULL: */
    double *low, *high;
} fy_export;

foray_status fy_export_umb(const fy_export *e, fy_writer *out);

/* Does the pair exist? */
static inline bool fy_export_has(const fy_export *e, int64_t pair)
{
    return fy_available(e->model, pair);
}

#endif
