/* open.h - models of which nothing is known but their sizes, and perhaps where episodes begin.
 *
 * Such a model has no features, no successors and no basis: any state may follow any (s,a), and
 * fy_model_find says so. Whoever needs more than sizes asks fy_model_need_features first. */
#ifndef FY_MODEL_OPEN_H
#define FY_MODEL_OPEN_H

#include "model/model.h"

/* Most pairs (s,a): rewards are tables of them. */
enum { FY_OPEN_PAIRS = 100000000 };

typedef struct fy_open_parts {
    const char *name;
    int64_t states, actions, horizon;
    int64_t initials; /* 0: where episodes begin is not known either */
    const int32_t *initial_state;
    const double *initial_probability;
    const char *const *state_names;     /* [states], or NULL; entries may be NULL */
    const char *const *action_names;    /* [actions], the same */
    int64_t absorbings;                 /* states that are known to be absorbing, */
    const int32_t *absorbing;           /* in ascending order */
    int64_t rows, cols;                 /* of a map; 0: there is none */
    const int32_t *cell_row, *cell_col; /* [states] -1: not on it */
} fy_open_parts;

foray_status fy_model_open(foray_context *ctx, const fy_open_parts *parts, foray_model **out);

/* FORAY_ERROR_USAGE if the model is open: `what` needs to know more. */
foray_status fy_model_need_features(foray_context *ctx, const foray_model *model, const char *what);

#endif
