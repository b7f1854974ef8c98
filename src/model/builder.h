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

#include "model/assemble.h"

/* ----------------------------------------------------------------- batches */

/* A *batch* is what consecutive calls said of one pair: entries, or successors whose feature
 * vectors are a list that is kept elsewhere because many pairs have it. Batches come in any order
 * of pairs. They lie in chunks, one behind the other; to be handed out in order they move into
 * groups of neighbouring pairs, and each chunk is released as soon as it has been read, so that
 * sorting takes hardly more memory than the batches themselves. */

/* phi(next|s,a) has a value at a coordinate. */
typedef struct fy_entry {
    int32_t next;
    int32_t coordinate; /* -1: a successor without features. Tabular: not known before the end */
    double value;       /* of the feature; mixture and tabular: the probability */
} fy_entry;

/* `list` >= 0: `count` successors follow. -1: `count` entries. */
typedef struct fy_batch {
    int32_t pair, list, count;
    const int32_t *word;
} fy_batch;

typedef struct fy_chunk fy_chunk;

typedef struct fy_chunks {
    fy_chunk *first, *last;
    size_t words;
} fy_chunks;

typedef struct fy_batch_group {
    fy_chunks chunks;
    int64_t from, end; /* pairs */
} fy_batch_group;

typedef struct fy_batches {
    int64_t pairs; /* of the model: batches are about 0 to pairs - 1 */
    fy_chunks chunks;
    int64_t last_pair; /* of the batch added last */
    bool scattered;    /* pairs did not ascend: some may have several batches */
    int64_t groups;
    fy_batch_group *group;
} fy_batches;

/* FORAY_ERROR_MEMORY, and nothing has changed. Successors or entries, by the sign of `list`. */
foray_status fy_batches_add(foray_context *ctx, fy_batches *batches, int64_t pair, int32_t list,
                            int64_t count, const void *item);

/* Before batches are visited, and after more were added. */
foray_status fy_batches_sort(foray_context *ctx, fy_batches *batches);

/* Calls `visit` for each pair of which something was said, pairs ascending, with its batches as
 * they were added; ends at the first status that is not FORAY_OK. With `spend` what was visited
 * is released on the way, and nothing is left. */
typedef foray_status fy_batch_visitor(void *user, const fy_batch *batch, int64_t count);
foray_status fy_batches_visit(foray_context *ctx, fy_batches *batches, bool spend,
                              fy_batch_visitor *visit, void *user);

/* Entry k of a batch without a list. */
fy_entry fy_batch_entry(const fy_batch *batch, int64_t k);

void fy_batches_free(fy_batches *batches);

/* ----------------------------------------------------------------- builders */

enum fy_kind { FY_FEATURES, FY_MIXTURE, FY_CLASSES, FY_TABULAR };

/* An entry with the call it came by: those of one call may stand together where others would be
 * doubles. */
typedef struct fy_call_entry {
    fy_entry entry;
    int64_t call;
} fy_call_entry;

/* Room for what is said of one pair, in the forms it takes on its way. */
typedef struct fy_pair_buffer {
    fy_arena arena;
    int64_t room;
    fy_call_entry *called;   /* [room] sorted by successor, coordinate, call */
    fy_entry *entry;         /* [room] */
    fy_feature *feature;     /* [room] */
    fy_generator *generator; /* [room] */
    int32_t *succ;           /* [room] */
} fy_pair_buffer;

struct foray_builder {
    foray_context *ctx;
    fy_arena arena;
    foray_status failure; /* the first that a call met; later calls do nothing */
    char message[sizeof((foray_context *)0)->message]; /* its own */
    enum fy_kind kind;
    char *name;
    int64_t states, actions, horizon, dim;
    double norm_bound, feature_error, feature_delta;

    bool *available; /* [states * actions], or NULL: every state has every action */
    /* Entries of consecutive calls about one pair are gathered in the buffer, and become a batch
     * when a call is about another. Lists of feature vectors that come again and again are kept
     * once, as long as all of them take little memory; batches then need only successors. */
    int64_t entries, calls; /* so far */
    int64_t pair;           /* that the buffer is about */
    int64_t buffered;       /* entries */
    fy_pair_buffer buffer;
    fy_sets lists;
    fy_batches batches;

    double *theta;    /* [dim] as the model will have it */
    bool theta_given; /* classes: see law_given */
    bool theta_forgotten;
    int64_t classes;
    int64_t *class_start; /* [classes+1] coordinates of each class */
    bool *law_given;      /* [classes] */

    int64_t pair_dim; /* of phi(s,a); 0: not asked for */
    int64_t pair_entries;
    fy_batches pair_batches; /* coordinate and value of the entries are used */
    bool *pair_given;        /* [states * actions] */

    int64_t initials, initial_room;
    int32_t *initial_state;
    double *initial_probability;

    char **state_names, **action_names;
    int64_t grid_rows, grid_cols;
    int32_t *cell_row, *cell_col;
};

/* What is in the buffer becomes a batch. */
foray_status fy_builder_flush(foray_builder *builder);

/* Room in a buffer for the entries of a pair. */
bool fy_pair_buffer_reserve(foray_context *ctx, fy_pair_buffer *buffer, int64_t entries);
void fy_pair_buffer_free(fy_pair_buffer *buffer);

/* Sorts what was told about a pair; FORAY_ERROR_INPUT if something was said twice. */
foray_status fy_call_entries_sort(const foray_builder *builder, int64_t pair, fy_call_entry *called,
                                  int64_t count);

/* Remembers the first failure, whose message the context holds: is all well so far? */
bool fy_builder_holds(foray_builder *builder, foray_status status);

/* As fy_fail; false, so that checks can say `return fy_builder_fail(...)`. */
#define fy_builder_fail(builder, status, ...)                                                      \
    fy_builder_holds((builder), fy_fail((builder)->ctx, (status), __VA_ARGS__))
#define fy_builder_fail_within(builder, status, ...)                                               \
    fy_builder_holds((builder), fy_fail_within((builder)->ctx, (status), __VA_ARGS__))

/* Has a builder that was promised features phi(s,a) been told those of every pair? */
foray_status fy_pair_features_complete(const foray_builder *builder);

/* What a builder was told moves into the model. */
foray_status fy_pair_features_take(foray_builder *builder, foray_model *model);

#endif
