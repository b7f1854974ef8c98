/* unstructured.h - explorers of unstructured models: which algorithms there are. */
#ifndef FY_UNSTRUCTURED_H
#define FY_UNSTRUCTURED_H

#include "explore/unstructured/seen.h"

/* The algorithm of this name for unstructured models; NULL: it needs to know more. */
const fy_explorer_ops *fy_unstructured_algorithm(const char *name);

/* What an explorer of an unstructured model has seen. */
const fy_seen *fy_unstructured_seen(const foray_explorer *explorer);

/* What an explorer of an unstructured model has seen, as a model that verifiers can use: the states
 * that were seen, and two more that stand for everything else: `high`, where every step earns the
 * largest possible reward, and `low`, where it earns the smallest. Both are absorbing.
 * low[i]..high[i] are intervals as above: with probability at least 1 - delta, for every reward of
 * fy_enclosure_reward, the true values lie between those that an unkind and a kind nature give
 * (docs/export.md has the proof). If the first states of episodes are not known, episodes begin in
 * one more state, `start`, one step earlier and earning nothing there: the model then has one more
 * step. */
typedef struct fy_enclosure {
    foray_model *model;
    double *min, *max; /* [transitions] intervals, as foray_explorer_intervals gives them */
    int64_t *state;    /* [states of the model] their numbers in the unstructured one; -1: none */
    int64_t low, high; /* everywhere else */
    int64_t start;     /* -1: there is none */
    foray_certificate about; /* delta, the radius and the status */
} fy_enclosure;

/* FORAY_ERROR_USAGE: the model is not unstructured. Release it with fy_enclosure_clear. */
foray_status fy_explorer_enclose(foray_explorer *explorer, fy_enclosure *out);
void fy_enclosure_clear(fy_enclosure *enclosure);
/* A reward of the unstructured model as one of the enclosure's, which must outlive it; a discount
 * counts the step from `start`, too. FORAY_ERROR_USAGE: it depends on the step. */
foray_status fy_enclosure_reward(foray_context *ctx, const fy_enclosure *enclosure,
                                 const foray_reward *reward, foray_reward **out);

#endif
