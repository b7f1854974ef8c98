/* json_reading.h - a model in JSON while it is being read. Messages name the key, and the place in
 * it. */
#ifndef FY_JSON_READING_H
#define FY_JSON_READING_H

#include "base/document.h"
#include "model/parts.h"

/* The arrays of the parts of a model; released at the end. */
typedef struct fy_model_reading {
    foray_context *ctx;
    fy_json_tree tree;
    fy_json root;
    fy_model_parts parts;
    int32_t *initial_state;
    double *initial_probability;
    bool *available; /* [pairs], or NULL: every pair exists */
    int64_t *succ_start;
    int64_t *slot; /* [transitions] where entry e of "features" goes, pairs in order */
    int32_t *succ;
    int64_t *feat_start;
    int32_t *feat_index;
    double *feat_value;
    double *theta;
    int64_t *pair_start;
    bool *pair_given; /* [pairs] */
    int32_t *pair_index;
    double *pair_value;
    char **state_names, **action_names; /* the texts belong to the tree */
    int32_t *cell_row, *cell_col;
    int64_t absorbings;
    int32_t *absorbing; /* of open models */
} fy_model_reading;

/* json_items.c: the list of a key; */
foray_status fy_item_array(foray_context *ctx, fy_json object, const char *key, fy_json *out);
/* a list of `count` items, called by its key or by what it looks like; */
foray_status fy_item_length(foray_context *ctx, fy_json list, const char *key, int64_t count);
foray_status fy_item_tuple(foray_context *ctx, fy_json list, int64_t count, const char *shape);
/* item i of a list that counts something of which there are `limit`; */
foray_status fy_item_index(foray_context *ctx, fy_json list, int64_t i, const char *what,
                           int64_t limit, int64_t *out);
/* a number, item i of its list; */
foray_status fy_item_number(foray_context *ctx, fy_json value, int64_t i, double *out);
/* the vector [[i,value],...] that an entry of list[e] ends with, at `position`; its indices are
 * below `limit`. */
foray_status fy_item_vector(foray_context *ctx, fy_json entry, int position, const char *list,
                            int64_t e, int64_t limit, int32_t *index, double *value);

/* json_read_features.c, once sizes and available actions are known. */
foray_status fy_model_read_features(fy_model_reading *r);
foray_status fy_model_read_pair_features(fy_model_reading *r);

/* json_read_names.c: those of a key, if it is there, and the map. */
foray_status fy_model_read_names(fy_model_reading *r, const char *key, int64_t count, char ***out);
foray_status fy_model_read_layout(fy_model_reading *r);

#endif
