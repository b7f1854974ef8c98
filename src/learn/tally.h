/* tally.h - how often each different feature vector was seen: of all data, the likelihood
 * depends on these counts alone.
 *
 * A block is a *mixture block* when its features, divided by one number s, are mixtures of
 * laws with unknown weights:
 *
 *     P(s'|s,a) = <phi(s'|s,a), w>,   phi >= 0,   sum_{s'} phi_i(s'|s,a) = 1 for every i,
 *     w in the simplex
 *
 * Outcome classes, tabular models and mixtures of simulators are; given features are where
 * they show that no weight can be negative. A transition adds one to the count of its
 * vector; vectors that give every w the same probability say nothing and share slot 0,
 * as do all vectors of blocks that are not mixtures. */
#ifndef FY_TALLY_H
#define FY_TALLY_H

#include "model/basis.h"

/* What does not change while counting. */
typedef struct fy_vectors {
    const fy_basis *basis; /* centred, in blocks */
    int64_t slots;         /* slot 0 and one for each different vector */
    int32_t *slot;         /* [generators] */
    int64_t *start;        /* [blocks+1] the slots of block g are start[g] .. start[g+1]-1 */
    int64_t *generator;    /* [slots] a generator that has the vector; slot 0: none */
    double *scale;         /* [blocks] s, or 0 where the block is not a mixture block */
    bool *separate;        /* [blocks] every vector is a multiple of a unit vector */
} fy_vectors;

foray_status fy_vectors_create(fy_arena *arena, const fy_basis *basis, fy_vectors **out);

/* The slot of the transition from a pair to its successor j. */
static inline int32_t fy_vectors_slot(const fy_vectors *vectors, int64_t pair, int64_t j)
{
    const foray_model *model = vectors->basis->model;
    return vectors->slot[model->gen_start[model->generator_set[pair]] + j];
}

#endif
