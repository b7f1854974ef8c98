/* sets.h - lists of feature vectors, each kept once.
 *
 * Equal lists become equal bytes once they are in order (by feature vector, as words in a
 * dictionary), and are then found through a hash table. The arrays grow as lists come. */
#ifndef FY_SETS_H
#define FY_SETS_H

#include "base/index.h"
#include "model/model.h"

typedef struct fy_feature {
    int32_t index;
    double value;
} fy_feature;

/* A generator of the list at hand. */
typedef struct fy_generator {
    const fy_feature *feature; /* [count] indices ascending */
    int64_t count;
    int64_t position; /* in the list as it was given */
} fy_generator;

typedef struct fy_sets {
    fy_arena arena;
    int64_t count, generators, features;
    int64_t set_room, generator_room, feature_room;
    int64_t *gen_start;  /* [count+1] first generator of each set */
    int64_t *feat_start; /* [generators+1] first feature of each generator */
    int32_t *feat_index; /* [features] */
    double *feat_value;  /* [features] */
    uint64_t *hash;      /* [count] */
    fy_index index;      /* of sets, by their hashes */
} fy_sets;

/* Sorts, unless the items are in order already, as most are. */
void fy_sort_items(void *items, int64_t count, size_t size,
                   int (*compare)(const void *, const void *));
/* By index. */
void fy_sort_features(fy_feature *feature, int64_t count);
/* By feature vectors; equal ones by position. */
void fy_sort_generators(fy_generator *generator, int64_t count);

/* The set equal to a list that is in order. -1: there is none; it was added as the last one if
 * `keep`. Room for it must have been made. */
int32_t fy_sets_find(fy_sets *sets, const fy_generator *generator, int64_t count, bool keep);

/* Room for one more set of so many generators and features. */
foray_status fy_sets_reserve(foray_context *ctx, fy_sets *sets, int64_t generators,
                             int64_t features);

/* Are the lists of parts, which are in order, all different? */
foray_status fy_sets_distinct(foray_context *ctx, const fy_model_parts *parts, bool *out);

/* Bytes in use, without the table. */
int64_t fy_sets_bytes(const fy_sets *sets);

/* Releases what finding needs, or everything. */
void fy_sets_forget(fy_sets *sets);
void fy_sets_free(fy_sets *sets);

#endif
