/* gather.h - the pairs of a model, one after another: which of them share a generator set?
 *
 * Pairs come in ascending order, each with a list of feature vectors and one successor for each
 * of them, in any order. Lists are brought into one order, zeros left out, and kept once.
 * Successors follow the order of their generators; equal generators are told apart by their
 * successors. Sets are numbered as pairs meet them. Pairs that stand in for others (model.h) are
 * placed like them. */
#ifndef FY_GATHER_H
#define FY_GATHER_H

#include "model/model.h"
#include "model/sets.h"

/* A list as it was given: the features of generator j are feat_start[j] to feat_start[j+1]. */
typedef struct fy_given_list {
    int64_t count;
    const int64_t *feat_start; /* [count+1] */
    const int32_t *feat_index;
    const double *feat_value;
    double divisor;      /* of every value; 1 changes none */
    int64_t pair;        /* whose it is, and */
    const int32_t *succ; /* [count] its successors, for messages */
} fy_given_list;

typedef struct fy_gather {
    foray_context *ctx;
    foray_model *model; /* its sizes are known, and its arrays of pairs are filled */
    int64_t pairs;      /* placed so far */
    fy_sets sets;
    int32_t *set_pair; /* [sets] the first pair that has it */
    int64_t set_pair_room;
    fy_feature *feature; /* of the list at hand */
    fy_generator *generator;
    int32_t *order; /* its generators, sorted: positions in the list as it was given */
    int64_t feature_room, generator_room, order_room;
    int32_t *seen; /* [states] last pair that had this successor, plus 1 */
} fy_gather;

/* Zeroed before; to be freed whatever the outcome. */
foray_status fy_gather_create(foray_context *ctx, foray_model *model, int64_t transitions,
                              fy_gather *gather);

/* The set of a list, and `order` for fy_gather_pair. */
foray_status fy_gather_list(fy_gather *gather, const fy_given_list *list, int32_t *set);

/* Places the next pair: its j-th successor is given[order[j]]. */
foray_status fy_gather_pair(fy_gather *gather, int32_t set, const int32_t *order,
                            const int32_t *given);

/* Places the next pair, which stands in for one that was placed before it. */
void fy_gather_repeat(fy_gather *gather, int64_t pair);

/* The sets become the model's, which is then complete but for its basis. */
foray_status fy_gather_finish(fy_gather *gather);
void fy_gather_free(fy_gather *gather);

#endif
