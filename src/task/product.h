/* product.h - a model together with what is to be remembered of an episode:
 *
 *   states (s,q), with q already advanced by s;   (s_0, next(0,s_0));
 *   (s,q), a  ->  (s', next(q,s')),   with the same block, outcome and law as s,a -> s'
 *
 * It has the same unknowns, so that sets of them are sets of its own, and every certificate holds
 * as it is; the best policy of the product is the best of all that remember anything. */
#ifndef FY_PRODUCT_H
#define FY_PRODUCT_H

#include "model/model.h"
#include "task/automaton.h"

/* What reads the states of an episode one by one, from its state 0 on. */
typedef struct fy_task_reader {
    int64_t states, letters;
    const int32_t *letter; /* [states of the whole model] */
    const int32_t *next;   /* [states][letters] -1: it cannot read that */
} fy_task_reader;

/* The product of a model, or of the part of one that episodes get to, with all of them: only what
 * can be reached, nearest first. It uses what the model has, which must outlive it. */
foray_status fy_product_create(foray_context *ctx, const foray_model *model, int64_t count,
                               const fy_task_reader *readers, foray_model **out);

/* In which of its states a reader is in a state of the product. */
static inline int32_t fy_product_inner(const foray_model *product, int64_t state, int64_t reader)
{
    return product->inner[product->remembers[state] * product->readers + reader];
}

#endif
