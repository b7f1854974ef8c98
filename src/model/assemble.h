/* assemble.h - from parts (model.h) to a model: checks, and the order in which models are laid out.
 *
 * Pairs come in ascending order, each with a list of feature vectors and one successor for each
 * of them, in any order. Lists are brought into one order, zeros left out, and kept once.
 * Successors follow the order of their generators; equal generators are told apart by their
 * successors. Sets are numbered as pairs meet them. Pairs that stand in for others (model.h) are
 * placed like them. */
#ifndef FY_ASSEMBLE_H
#define FY_ASSEMBLE_H

#include "model/sets.h"

/* ------------------------------------------------------------------- checks */

/* Sizes, initial distribution, theta, map: all but the pairs. */
foray_status fy_parts_check(foray_context *ctx, const fy_model_parts *parts);

/* zeta: how wrong estimated features may make a mean of numbers in [0,1]. */
foray_status fy_parts_check_error(foray_context *ctx, double error);
/* With what probability they may be worse. */
foray_status fy_parts_check_delta(foray_context *ctx, double delta);

/* The size of a map. */
foray_status fy_parts_check_grid(foray_context *ctx, int64_t rows, int64_t cols);

/* One feature of phi(next|s,a). */
foray_status fy_parts_check_feature(foray_context *ctx, const fy_model_parts *parts, int64_t pair,
                                    int64_t next, int64_t index, double value);

/* A model of nothing yet, for which memory comes from its arena. NULL: there is none. */
foray_model *fy_model_new(foray_context *ctx);

/* Copies everything but the pairs into the model. */
foray_status fy_parts_copy(foray_context *ctx, const fy_model_parts *parts, foray_model *model);

/* Copies them, ascending within each pair and without zeros. FORAY_ERROR_INPUT names the
 * (s,a): coordinates out of range or given twice, values that are not numbers, a phi of
 * zero, with which probabilities could not sum to one. */
foray_status fy_pair_features_copy(foray_context *ctx, const fy_model_parts *parts,
                                   foray_model *model);

/* ||phi(s,a)|| <= 1 everywhere: a part of foray_model_check. */
foray_status fy_pair_features_check(foray_context *ctx, const foray_model *model);

/* -------------------------------------------------------------------- pairs */

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
    fy_arena arena;     /* of what follows, but for the sets */
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

/* A pair that stays has the shortest law there is; the most successors of that. */
enum { FY_STAY_MOST = 64 };

/* Places the next pair, which stays, with so many successors; its set is still to be found: -1. */
void fy_gather_stay(fy_gather *gather, int64_t count);

/* The sets become the model's, which is then complete but for its basis. */
foray_status fy_gather_finish(fy_gather *gather);
void fy_gather_free(fy_gather *gather);

#endif
