/* export.h - models for other programs.
 *
 *   umb.c      the unified Markov binary format
 *   csv.c      a table of transitions, as foray model import reads it; and foray_model_export
 *   policy.c   policies as CSV and as C */
#ifndef FY_EXPORT_H
#define FY_EXPORT_H

#include "model/model.h"
#include "reward/reward.h"

/* Adds a member to a tar file (POSIX.1-1988), the same bytes whoever makes it and whenever. */
void fy_tar_add(fy_writer *tar, const char *name, const void *data, size_t size);
/* The end of the file. */
void fy_tar_end(fy_writer *tar);

/* What to write: a model with, for each of its transitions, a probability or an interval. */
typedef struct fy_export {
    foray_context *ctx;
    const foray_model *model;
    const foray_export *what;
    /* Laid out as model->succ: */
    double *probability; /* or NULL: */
    double *low, *high;
} fy_export;

foray_status fy_export_umb(const fy_export *e, fy_writer *out);
foray_status fy_export_csv(const fy_export *e, fy_writer *out);

/* "annotations" of index.json, with a comma behind it, and its members into the tar file. */
foray_status fy_export_check_rewards(const fy_export *e);

/* Does the pair exist? */
static inline bool fy_export_has(const fy_export *e, int64_t pair)
{
    return fy_available(e->model, pair);
}

#endif
