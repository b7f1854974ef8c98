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
#include "model/runs.h"
#include "model/sets.h"

enum fy_kind { FY_FEATURES, FY_MIXTURE, FY_CLASSES, FY_TABULAR };

/* An entry with the call it came by: those of one call may stand together where others would be
 * doubles. */
typedef struct fy_told {
    fy_entry entry;
    int64_t call;
} fy_told;

/* Room for what is said of one pair, in the forms it takes on its way. */
typedef struct fy_desk {
    int64_t room;
    fy_told *told;           /* [room] sorted by successor, coordinate, call */
    fy_entry *entry;         /* [room] */
    fy_feature *feature;     /* [room] */
    fy_generator *generator; /* [room] */
    int32_t *succ;           /* [room] */
} fy_desk;

struct foray_builder {
    foray_context *ctx;
    foray_status failure; /* the first that a call met; later calls do nothing */
    char message[sizeof((foray_context *)0)->message]; /* its own */
    enum fy_kind kind;
    char *name;
    int64_t states, actions, horizon, dim;
    double norm_bound, feature_error, feature_delta;

    bool *available; /* [states * actions], or NULL: every state has every action */
    /* Entries of consecutive calls about one pair are gathered on the desk, and become a run when
     * a call is about another. Lists of feature vectors that come again and again are kept once,
     * as long as all of them take little memory; runs then need only successors. */
    int64_t entries, calls; /* so far */
    int64_t pair;           /* that the desk is about */
    int64_t on_desk;        /* entries */
    fy_desk desk;
    fy_sets lists;
    fy_runs runs;

    double *theta;    /* [dim] as the model will have it */
    bool theta_given; /* classes: see law_given */
    bool theta_forgotten;
    int64_t classes;
    int64_t *class_start; /* [classes+1] coordinates of each class */
    bool *law_given;      /* [classes] */

    int64_t pair_dim; /* of phi(s,a); 0: not asked for */
    int64_t pair_entries;
    fy_runs pair_runs; /* coordinate and value of the entries are used */
    bool *pair_given;  /* [states * actions] */

    int64_t initials, initial_room;
    int32_t *initial_state;
    double *initial_probability;

    char **state_names, **action_names;
    int64_t grid_rows, grid_cols;
    int32_t *cell_row, *cell_col;
};

/* Room for `more` entries about a pair, and one of them. The entries of a call stand together;
 * counting calls is up to the caller. */
bool fy_builder_reserve(foray_builder *builder, int64_t pair, int64_t more);
void fy_builder_tell(foray_builder *builder, int64_t next, int64_t coordinate, double value);

/* What is on the desk becomes a run. */
foray_status fy_builder_clear_desk(foray_builder *builder);

/* Room on a desk for the entries of a pair. */
bool fy_desk_reserve(foray_context *ctx, fy_desk *desk, int64_t entries);
void fy_desk_free(fy_desk *desk);

/* Sorts what was told about a pair; FORAY_ERROR_INPUT if something was said twice. */
foray_status fy_told_sort(const foray_builder *builder, int64_t pair, fy_told *told, int64_t count);

/* Remembers the first failure, whose message the context holds: is all well so far? */
bool fy_builder_holds(foray_builder *builder, foray_status status);

/* As fy_fail; false, so that checks can say `return fy_builder_fail(...)`. */
#define fy_builder_fail(builder, status, ...)                                                      \
    fy_builder_holds((builder), fy_fail((builder)->ctx, (status), __VA_ARGS__))
#define fy_builder_fail_within(builder, status, ...)                                               \
    fy_builder_holds((builder), fy_fail_within((builder)->ctx, (status), __VA_ARGS__))

#endif
