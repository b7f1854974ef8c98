/* doubt.h - why the certificate of an unstructured model is not 0: which places and laws it comes
 * from. */
#ifndef FY_UNSTRUCTURED_DOUBT_H
#define FY_UNSTRUCTURED_DOUBT_H

#include "explore/unstructured/laws.h"

/* What a plan leaves behind at every step and state seen, [horizon][states]. Bonuses are what a law
 * adds because it is not known: to Q_up of the action that attains the gap, to V_up, and to what is
 * missing from V_low. */
typedef struct fy_unstructured_notes {
    int64_t states;
    int32_t *own, *choice, *best; /* pi; the action that attains the gap; argmax of Q_up */
    double *gap, *choice_bonus, *best_bonus, *low_bonus;
    double first; /* what the law of the first state adds to the gap */
} fy_unstructured_notes;

foray_status fy_unstructured_notes_create(fy_arena *arena, int64_t horizon, int64_t states,
                                          fy_unstructured_notes *out);

/* Places and laws of a plan with their shares, in no order. */
foray_status fy_unstructured_explain(const foray_explorer *explorer, const fy_laws *laws,
                                     const foray_reward *reward, const fy_unstructured_notes *notes,
                                     fy_reasons *out);

#endif
