/* builder.h - what a builder has been told.
 *
 * Whatever the kind, calls leave *entries*: phi(next|s,a) has a value at a
 * coordinate. The kinds differ in the scale of features and theta:
 *
 *   features   as given
 *   mixture    phi_i = P_i / sqrt(d),                theta = sqrt(d) w,    B = sqrt(d)
 *   classes    phi = 1 / sqrt(q) at the outcome,     theta = sqrt(q) law,  B = sqrt(d)
 *   tabular    classes, one per pair, q successors
 *
 * so that ||psi_f|| <= 1 for every f into [0,1], and ||theta|| <= B. */
#ifndef FY_BUILDER_H
#define FY_BUILDER_H

#include "model/parts.h"

enum fy_kind { FY_FEATURES, FY_MIXTURE, FY_CLASSES, FY_TABULAR };

typedef struct fy_entry {
    int64_t pair;
    int64_t call; /* entries of one call may stand together where others would be doubles */
    int32_t next;
    int32_t coordinate; /* -1: a successor without features. Tabular: not known before the end */
    double value;       /* of the feature; mixture and tabular: the probability */
} fy_entry;

struct foray_builder {
    foray_context *ctx;
    foray_status failure; /* the first that a call met; later calls do nothing */
    char message[sizeof((foray_context *)0)->message]; /* its own */
    enum fy_kind kind;
    char *name;
    int64_t states, actions, horizon, dim;
    double norm_bound, feature_error, feature_delta;

    bool *available; /* [states * actions], or NULL: every state has every action */
    int64_t entries, entry_room, calls;
    fy_entry *entry;

    double *theta;    /* [dim] as the model will have it */
    bool theta_given; /* classes: see law_given */
    bool theta_forgotten;
    int64_t classes;
    int64_t *class_start; /* [classes+1] coordinates of each class */
    bool *law_given;      /* [classes] */

    int64_t pair_dim; /* of phi(s,a); 0: not asked for */
    int64_t pair_entries, pair_room;
    fy_entry *pair_entry; /* pair, coordinate and value are used */
    bool *pair_given;     /* [states * actions] */

    int64_t initials, initial_room;
    int32_t *initial_state;
    double *initial_probability;

    char **state_names, **action_names;
    int64_t grid_rows, grid_cols;
    int32_t *cell_row, *cell_col;
};

/* Remembers the first failure, whose message the context holds: is all well so far? */
bool fy_builder_holds(foray_builder *builder, foray_status status);

/* As fy_fail; false, so that checks can say `return fy_builder_fail(...)`. */
#define fy_builder_fail(builder, status, ...)                                                      \
    fy_builder_holds((builder), fy_fail((builder)->ctx, (status), __VA_ARGS__))
#define fy_builder_fail_within(builder, status, ...)                                               \
    fy_builder_holds((builder), fy_fail_within((builder)->ctx, (status), __VA_ARGS__))

#endif
