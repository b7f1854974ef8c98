/* model.h - how a model lies in memory.
 *
 * Pair p = s * actions + a. Its successors are succ[succ_start[p]..], one for
 * each generator of its *generator set*: the list of feature vectors
 * phi(next|s,a). Pairs with the same generators share one set, stored once;
 * within a set generators are sorted, so that the order in which a model was
 * written does not matter.
 *
 * Actions that a state does not have do not exist. In memory such a pair is a *stand-in*: it has
 * the successors, the features and the rewards of the first action that the state has. So it
 * changes no maximum over actions, whoever takes it, and planners in vectors need not know; an
 * argmax of theirs is put right by fy_stand_in, which also leaves ties where they were, with the
 * lowest action. Everything that counts, draws, lists or plays pairs asks fy_available. */
#ifndef FY_MODEL_H
#define FY_MODEL_H

#include "base/base.h"

#include <inttypes.h>

typedef struct fy_basis fy_basis;

/* printf format and arguments that name a pair. */
#define FY_AT_PAIR "state %" PRId64 ", action %" PRId64
#define FY_PAIR(sizes, pair) ((pair) / (sizes)->actions), ((pair) % (sizes)->actions)

/* Features, theta and B beyond this are taken for mistakes: their squares would overflow. */
#define FY_MODEL_LARGEST 1e100

/* How far from one probabilities may sum, and norms may be above their bounds. */
#define FY_MODEL_TOLERANCE 1e-9

/* Sets of states that have a name: those of label i are state[start[i]] .. state[start[i+1] - 1],
 * ascending. */
typedef struct fy_labels {
    int64_t count;
    char **name;
    int64_t *start; /* [count+1] */
    int32_t *state;
} fy_labels;

struct foray_model {
    fy_arena arena; /* everything below but the basis */
    int shares;     /* how often foray_model_destroy has only that to count down */
    char *name;
    bool unstructured; /* nothing is known but sizes: see below */
    int64_t states, actions, horizon, dim, pairs;
    double norm_bound;
    double feature_error; /* zeta; 0: the features are exact */
    double feature_delta; /* how probable it is that zeta is too small */

    int32_t *generator_set; /* [pairs] generator set of each pair */
    int64_t *succ_start;    /* [pairs+1] */
    int32_t *succ;          /* [transitions] in the order of the set's generators */

    int64_t generator_sets;
    int64_t *gen_start;  /* [generator_sets+1] first generator of each set */
    int64_t *feat_start; /* [generators+1] first feature of each generator */
    int32_t *feat_index; /* [features] ascending within a generator */
    double *feat_value;  /* [features] never 0 */
    int32_t
        *generator_set_pair; /* [generator_sets] the first pair that has the set, for messages */

    int64_t available; /* pairs that exist */
    int32_t *stand_in; /* [pairs] itself, or what it stands in for; NULL: all exist */
    int32_t *existing; /* [available] the pairs that exist, in order; NULL: all */
    bool pruned;       /* it was written without what episodes do not get to, which stays */

    double *theta;    /* [dim], or NULL: unknown */
    bool nonnegative; /* theta >= 0 is known, though the features alone do not show it */
    bool aggregated;  /* states are clusters of a system's, which may follow each other otherwise */

    /* Features phi(s,a) of a linear MDP, sparse: P(next|s,a) = <phi(s,a), mu(next)>. */
    int64_t pair_dim;    /* 0: none are given, and the arrays are NULL */
    int64_t *pair_start; /* [pairs+1] first feature of each pair; every pair has one */
    int32_t *pair_index; /* ascending within a pair */
    double *pair_value;  /* never 0 */

    int64_t initials;
    int32_t *initial_state;
    double *initial_probability;

    char **state_names;  /* [states], or NULL; entries may be NULL */
    char **action_names; /* [actions], or NULL; entries may be NULL */
    fy_labels labels;    /* none in a part: labels are about the whole */

    int64_t grid_rows, grid_cols; /* 0: no map */
    int32_t *cell_row, *cell_col; /* [states], -1: not on the map; NULL without a map */

    int64_t absorbings; /* of unstructured models: states that are known to be absorbing, */
    int32_t *absorbing; /* in ascending order */

    /* What episodes get to (reach.c) is a model of its own, with numbers of its own. */
    const struct foray_model *whole; /* the model it is a part of; NULL: it is none, */
    int32_t *number;                 /* [states] what each is called there, */
    int32_t *index;                  /* [whole->states] the way back; -1: out of reach */
    int64_t *by_step;                /* [horizon+1] how many states, the first ones, can be reached
                                        by then */

    /* A product (task/product.h) is such a part, with a state for each memory in which a state can
     * be met; it has no `index`. */
    const foray_policy_memory *memory; /* NULL: it is none */
    int32_t *remembers;                /* [states] the memory's state */
    int64_t readers;                   /* what the memory is made of, */
    int32_t *inner;                    /* [memory->states][readers] and the state of each */

    /* Centred, in blocks; see basis.h. NULL where "probabilities sum to one" has no
     * solution: such a model can be looked at, and foray_model_check says what is wrong. */
    fy_basis *basis;
};

static inline int64_t fy_generator_set_size(const foray_model *model, int64_t generator_set)
{
    return model->gen_start[generator_set + 1] - model->gen_start[generator_set];
}

/* The pair whose successors, features and rewards a pair has: itself, where it exists. */
static inline int64_t fy_stand_in(const foray_model *model, int64_t pair)
{
    return model->stand_in ? model->stand_in[pair] : pair;
}

static inline bool fy_available(const foray_model *model, int64_t pair)
{
    return fy_stand_in(model, pair) == pair;
}

/* The lowest action that a state has. */
static inline int32_t fy_first_action(const foray_model *model, int64_t state)
{
    int64_t first = state * model->actions;
    return (int32_t)(fy_stand_in(model, first) - first);
}

/* The k-th pair that exists, k below model->available. */
static inline int64_t fy_existing(const foray_model *model, int64_t k)
{
    return model->existing ? model->existing[k] : k;
}

/* How many actions a state has, and the k-th of them. */
int64_t fy_actions_of(const foray_model *model, int64_t state);
int64_t fy_nth_action(const foray_model *model, int64_t state, int64_t k);

/* What a model is assembled from. Each pair has a *list* of generators and one
 * successor for each of them, in any order; pairs may share a list. All arrays
 * belong to the caller. Offsets must be sound; everything else is checked. */
typedef struct fy_model_parts {
    const char *name;
    int64_t states, actions, horizon, dim;
    double norm_bound, feature_error, feature_delta;
    const bool *available;       /* [pairs], or NULL: every pair exists. The others have nothing */
    bool stays;                  /* pairs that exist and have list -1 stay: no step begins there */
    const int64_t *succ_start;   /* [pairs+1] */
    const int32_t *succ;         /* [transitions] in the order of the list's generators */
    int64_t lists;               /* of generators */
    const int32_t *list_of_pair; /* [pairs], or NULL: list p belongs to pair p; -1: not available */
    const int64_t *gen_start;    /* [lists+1]; NULL: succ_start serves */
    const int64_t *feat_start;   /* [generators+1] */
    const int32_t *feat_index;   /* [features] */
    const double *feat_value;    /* [features] */
    int64_t features;            /* how many; set by fy_model_assemble */
    const double *theta;         /* or NULL */
    bool nonnegative;            /* no theta with a negative entry is possible */
    bool aggregated;             /* see foray_model */
    int64_t pair_dim;            /* 0: no phi(s,a), and the next three are NULL */
    const int64_t *pair_start;   /* [pairs+1] */
    const int32_t *pair_index;
    const double *pair_value;
    int64_t initials;
    const int32_t *initial_state;
    const double *initial_probability;
    char *const *state_names;  /* or NULL */
    char *const *action_names; /* or NULL */
    int64_t grid_rows, grid_cols;
    const int32_t *cell_row, *cell_col;
} fy_model_parts;

/* Checks every number and index, finds the generator sets, derives the basis. A
 * model that is well-formed but not valid is assembled. */
foray_status fy_model_assemble(foray_context *ctx, const fy_model_parts *given, foray_model **out);

/* The last step, for a model that has everything else: its sign and its basis. */
foray_status fy_model_complete(foray_context *ctx, foray_model *model);

/* The sizes must be positive, their products representable: shared by all readers. */
foray_status fy_model_check_sizes(foray_context *ctx, int64_t states, int64_t actions,
                                  int64_t horizon, int64_t dim, double norm_bound);

/* Does this begin like a compact model? */
enum { FY_MODEL_MAGIC_SIZE = 8 };
bool fy_model_is_compact(const uint8_t *data, size_t size);

/* Either format, for foray_model_parse and foray_model_print. */
foray_status fy_model_parse_json(foray_context *ctx, const void *text, size_t size,
                                 const char *where, foray_model **out);
foray_status fy_model_parse_compact(foray_context *ctx, const void *data, size_t size,
                                    const char *where, foray_model **out);
/* From a regular file, or from what `fetch` brings (fy_reader), without the whole of it in memory.
 */
foray_status fy_model_load_compact(foray_context *ctx, const char *path, foray_model **out);
foray_status fy_model_fetch_compact(foray_context *ctx,
                                    bool (*fetch)(void *source, size_t at, void *to, size_t size),
                                    void *source, size_t size, const char *where,
                                    foray_model **out);
foray_status fy_model_print_json(foray_context *ctx, const foray_model *model, char **out,
                                 size_t *size);
foray_status fy_model_print_compact(foray_context *ctx, const foray_model *model, char **out,
                                    size_t *size);
/* With a part (fy_model_reachable): only what episodes get to. States where no step begins then
 * have no action, and read again they have all, each of which stays. */
void fy_model_write_compact(const foray_model *model, const foray_model *part, fy_writer *writer);

/* phi(s,a) of a linear MDP: returns how many are not zero, and sets *coordinate (ascending) and
 * *value to them; 0, with nothing set, if the model gives none. */
int64_t fy_model_pair_feature(const foray_model *model, int64_t state, int64_t action,
                              const int32_t **coordinate, const double **value);

/* Adds what foray_model_print says to a file, without ever holding all of it. */
foray_status fy_model_write(foray_context *ctx, const foray_model *model, foray_model_format format,
                            fy_file *file);

/* <phi, theta> of one generator. */
double fy_generator_probability(const foray_model *model, const double *theta, int64_t generator);

/* Probabilities of the generators of a set under theta: out[j] = <phi_j, theta>. */
void fy_generator_set_probabilities(const foray_model *model, const double *theta,
                                    int64_t generator_set, double *out);

/* The part of foray_model_check that using a known theta needs: a basis, and probability
 * vectors everywhere. */
foray_status fy_model_check_kernel(foray_context *ctx, const foray_model *model);

/* theta_i >= 0 is implied where some generator is a positive multiple of e_i: marks those. */
void fy_model_mark_nonnegative(const foray_model *model, bool *nonnegative);

/* Which successor of pair p is `next`? -1: none. */
int64_t fy_model_find(const foray_model *model, int64_t pair, int64_t next);

/* Which of the initial states, all of positive probability, a state is; or -1. */
int64_t fy_model_find_initial(const foray_model *model, int64_t state);

/* Has the state a chance to be the first of an episode? Any number may be asked about. */
bool fy_model_may_start(const foray_model *model, int64_t state);

/* -------------------------------------------------------------- unstructured models */

/* Nothing is known of an unstructured model but its sizes, and perhaps where episodes begin. It has
 * no features, no successors and no basis: any state may follow any (s,a), and fy_model_find says
 * so. Whoever needs more than sizes asks fy_model_need_features first. */

/* Most pairs (s,a): rewards are tables of them. */
enum { FY_UNSTRUCTURED_PAIRS = 100000000 };

typedef struct fy_unstructured_parts {
    const char *name;
    int64_t states, actions, horizon;
    int64_t initials; /* 0: where episodes begin is not known either */
    const int32_t *initial_state;
    const double *initial_probability;
    const char *const *state_names;     /* [states], or NULL; entries may be NULL */
    const char *const *action_names;    /* [actions], the same */
    int64_t absorbings;                 /* states that are known to be absorbing, */
    const int32_t *absorbing;           /* in ascending order */
    int64_t rows, cols;                 /* of a map; 0: there is none */
    const int32_t *cell_row, *cell_col; /* [states] -1: not on it */
} fy_unstructured_parts;

foray_status fy_model_unstructured(foray_context *ctx, const fy_unstructured_parts *parts,
                                   foray_model **out);

/* FORAY_ERROR_USAGE if the model is unstructured: `what` needs to know more. */
foray_status fy_model_need_features(foray_context *ctx, const foray_model *model, const char *what);

/* ---------------------------------------------------------------- reaching */

/* earliest[s] receives the first step at which some actions can have led to s, at most the horizon;
 * INT32_MAX: never. `line` is room for all states, and receives those that can be reached, in that
 * order; returns how many they are. */
int64_t fy_model_earliest(const foray_model *model, int32_t *earliest, int32_t *line);

/* The part of a model that episodes get to: its states in the order of their distance from the
 * first ones, with the laws that they have. Values, plans and certificates from the first states on
 * are those of the whole. Where a state can be reached with the last step only, no step begins:
 * there it is made up that every action stays. The part uses what the whole has, which must outlive
 * it. *out is NULL where nothing is out of reach, or nobody knows: in unstructured models, and
 * where states are clusters, which a system enters also where no draw of the model did. */
foray_status fy_model_reachable(foray_context *ctx, const foray_model *whole, foray_model **out);

/* Do the same episodes have the same chances in both, as far as can be told from what is written of
 * them (64 bits of it are compared)? What no episode gets to may differ. */
foray_status fy_model_same_episodes(foray_context *ctx, const foray_model *one,
                                    const foray_model *other, bool *same);

/* How many states episodes of a model that is not open can get to; -1: there is no memory. */
int64_t fy_model_count_reachable(foray_context *ctx, const foray_model *model);

/* The states where a step can begin come first: how many are they? */
static inline int64_t fy_begun(const foray_model *model)
{
    return model->by_step ? model->by_step[model->horizon - 1] : model->states;
}

/* The number of a state in the whole, and in the part, -1: it is out of reach. Not of a product,
 * where a state has several. */
static inline int64_t fy_outside(const foray_model *model, int64_t state)
{
    return model->number ? model->number[state] : state;
}
static inline int64_t fy_inside(const foray_model *model, int64_t state)
{
    return model->index ? model->index[state] : state;
}

#endif
