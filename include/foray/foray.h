/* foray.h - the library: models, worlds, explorers, runs, rewards, policies, certificates.
 *
 * Foray explores an unknown world once, without any reward, and then plans a near-optimal policy
 * for every reward that is asked for later, with a certificate of how close to optimal it is. This
 * header documents every function; docs/ has the mathematics and worked examples.
 *
 * The library in one paragraph. A *model* says what is known beforehand: which states may follow
 * (s,a), and the features that turn an unknown vector theta into probabilities. A *world* is
 * whatever a run steps in. An *explorer* is an algorithm that chooses actions and learns from what
 * happens. A *run* is an explorer and its episodes in one file on disk. From an explorer (or a run)
 * come *policies* for *rewards*, each with a *certificate*.
 *
 * Conventions
 *   - Every function that can fail returns a foray_status: 0 done, negative an
 *     error, positive information. The message with its cause is kept in the
 *     context: foray_message(ctx).
 *   - A context belongs to one thread at a time. A finished model is constant
 *     and may be shared by any number of threads.
 *   - "out" parameters are written only on success. Unless a comment says
 *     otherwise pointers must not be NULL, and what a *_create, *_load, *_open
 *     or *_finish function returns is owned by the caller and released with the
 *     matching *_destroy, *_free or *_close. These accept NULL.
 *   - States, actions, steps, feature coordinates and episodes count from 0.
 *     The mathematics counts steps h = 1..H: step t here is h = t+1 there.
 *   - The library never prints, never exits, and keeps no mutable globals.
 *   - Memory comes from malloc; there is no hook for another allocator. SQLite allocates its own
 *     memory, so a hook would catch only part of it; to use another allocator, replace malloc.
 * Running out of memory is an error like any other: FORAY_ERROR_MEMORY, and nothing is lost or
 * leaked.
 *
 * What may change between versions (the ABI)
 *   - The name of the shared library contains the major and minor version (libforay.so.0.1). A
 *     program built with 0.1.0 runs with every 0.1.x; for 0.2 it must be recompiled.
 *   - Structs that you fill (foray_world_ops, foray_system_spec, foray_system_ops, and the
 *     table of plugin.h) begin with their size, which you set to sizeof. They may grow at the
 *     end at any time; members beyond the given size count as 0. The same holds for
 *     foray_settings, whose size foray_settings_default sets: settings beyond it have their
 *     defaults.
 *   - All other structs and the values of all enums do not change within a minor version.
 *     Only the library creates a foray_policy, but you may change its members.
 */
#ifndef FORAY_FORAY_H
#define FORAY_FORAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FORAY_API __attribute__((visibility("default")))
#else
#define FORAY_API
#endif

#define FORAY_VERSION "0.1.0"

/* The version of the linked library, as FORAY_VERSION was when it was built. */
FORAY_API const char *foray_version(void);

/* ------------------------------------------------------------------ status */

/* One list yields the codes and their texts: X(name, value, text). */
#define FORAY_STATUS_LIST(X)                                                                       \
    X(FORAY_OK, 0, "done")                                                                         \
    X(FORAY_TARGET_MISSED, 1, "the budget ended before the target was met")                        \
    X(FORAY_INTERRUPTED, 2, "stopped on request, everything saved")                                \
    X(FORAY_TARGET_UNPROVED, 3, "the target was reached, but nothing is proved")                   \
    X(FORAY_ERROR_USAGE, -1, "an invalid argument or setting")                                     \
    X(FORAY_ERROR_INPUT, -2, "bad input")                                                          \
    X(FORAY_ERROR_WORLD, -3, "the world failed")                                                   \
    X(FORAY_ERROR_RUN, -4, "not a usable run file")                                                \
    X(FORAY_ERROR_IO, -5, "a file could not be read or written")                                   \
    X(FORAY_ERROR_MEMORY, -6, "out of memory")

typedef enum foray_status {
#define FORAY_STATUS_CODE(name, value, text) name = (value),
    FORAY_STATUS_LIST(FORAY_STATUS_CODE)
#undef FORAY_STATUS_CODE
} foray_status;

/* The text of a status code; never NULL. */
FORAY_API const char *foray_status_text(foray_status status);

/* ----------------------------------------------------------------- context */

/* Carries the last error message and the number of threads to use. */
typedef struct foray_context foray_context;

/* NULL only when memory is exhausted. */
FORAY_API foray_context *foray_context_create(void);
FORAY_API void foray_context_destroy(foray_context *ctx);

/* The message of the last call that failed ("reward.json: entries[3]: action 7,
 * but the model has 4 actions"), or "" if none did. Valid until the next call
 * with this context. */
FORAY_API const char *foray_message(const foray_context *ctx);

/* Releases memory that a function here says to release with it; accepts NULL. */
FORAY_API void foray_free(void *memory);

/* How many threads planning and the inner maximisation may use: at least 1.
 * The default is 1. Results do not depend on it, to the last bit. */
FORAY_API void foray_context_set_threads(foray_context *ctx, int threads);

/* Long calls (exploring, bounds, plans) ask `stop` several times a second, from any of their
 * threads. Once it returns true, the call returns FORAY_INTERRUPTED: an explorer may then be in the
 * middle of an episode and can only be destroyed; a run has saved the episodes that had ended.
 * NULL, the default: nothing is asked. Setting it forgets earlier answers. */
FORAY_API void foray_context_set_stop(foray_context *ctx, bool (*stop)(void *user), void *user);
/* A ready-made `stop` for when calling back is expensive, as from other languages: `user` points to
 * an int, and a value other than 0 means stop. Any thread may change it. */
FORAY_API bool foray_context_stop_flag(void *user);

/* ------------------------------------------------------------------- names */

/* The largest number of bytes, in UTF-8, in the name of a model, a state, an action, a reward or a
 * system. Longer names are refused. */
enum { FORAY_NAME_MAX = 255 };

/* -------------------------------------------------------------- parameters */

/* Everything that has parameters (algorithms, worlds, experiments, commands) describes them
 * in tables of one kind, and their values are read from text in one place. */
typedef enum foray_parameter_kind {
    FORAY_INTEGER,   /* an integer */
    FORAY_REAL,      /* a number */
    FORAY_CHOICE,    /* one of several words */
    FORAY_TEXT,      /* anything */
    FORAY_ALGORITHM, /* the name of an algorithm */
    FORAY_WORLD,     /* a world with its parameters: "rooms:rows=3" */
} foray_parameter_kind;

typedef struct foray_parameter {
    const char *name; /* its words joined by '_' */
    foray_parameter_kind kind;
    const char *fallback; /* the default, as text */
    double min, max;      /* of numbers: both are allowed; beyond 1e18 the range has no upper end */
    const char *choices;  /* of choices: "this|that" */
    const char *help;     /* one line, without a full stop */
} foray_parameter;

typedef struct foray_parameter_value {
    int64_t integer; /* of FORAY_INTEGER; of FORAY_CHOICE its place among the choices, from 0 */
    double real;     /* of FORAY_REAL and FORAY_INTEGER */
} foray_parameter_value;

/* ---------------------------------------------------------------- settings */

/* How wide confidence sets are. The last three are other things that a certificate may rest on:
 * likelihoods of later data with priors from earlier ones (`foray plan --radius refit`), bonuses
 * made from visit counts (tabular algorithms), or nothing. */
typedef enum foray_radius {
    FORAY_RADIUS_SHARP,
    FORAY_RADIUS_SELFNORMALISED,
    FORAY_RADIUS_THEOREM,
    FORAY_RADIUS_LIKELIHOOD,
    FORAY_RADIUS_REFIT,
    FORAY_RADIUS_COUNTS,
    FORAY_RADIUS_NONE,
} foray_radius;
enum { FORAY_RADIUS_KINDS = FORAY_RADIUS_NONE + 1 };

typedef enum foray_switch { FORAY_AUTO, FORAY_ON, FORAY_OFF } foray_switch;

typedef enum foray_inner {
    FORAY_INNER_AUTO,
    FORAY_INNER_EXACT,
    FORAY_INNER_L1,
    FORAY_INNER_ASCENT,
} foray_inner;

typedef enum foray_replan {
    FORAY_REPLAN_AUTO,
    FORAY_REPLAN_DOUBLING,
    FORAY_REPLAN_EVERY,
} foray_replan;

typedef enum foray_clip { FORAY_CLIP_REMAINING, FORAY_CLIP_HORIZON } foray_clip;
typedef enum foray_ties { FORAY_TIES_UNCLIPPED, FORAY_TIES_LOWEST } foray_ties;

/* A parameter that only some algorithms have: "sstp_levels" with the value 4. */
typedef struct foray_own_parameter {
    char name[32]; /* "": none */
    foray_parameter_value value;
} foray_own_parameter;

enum { FORAY_MAX_OWN_PARAMETERS = 16 };

/* The settings that all algorithms share, and in `own` those of the chosen one. Begin with
 * foray_settings_default; then assign members, or set everything by name. Plain data: copy it
 * freely. `foray explore --help` says what each member means. */
typedef struct foray_settings {
    size_t size; /* sizeof(foray_settings) */
    char algorithm[64];
    int64_t episodes;
    double until; /* below 0: no target */
    int64_t seed;
    double delta;
    foray_radius radius;
    double radius_scale;
    foray_switch centring, blocks;
    double lambda;
    foray_inner inner;
    int64_t inner_memory;
    foray_replan replan;
    double replan_growth;
    foray_clip clip;
    foray_ties ties;
    int64_t refactor_every;
    /* The algorithm's own parameters that were set, in the order of their names; then empty ones.
     * foray_settings_set writes them. */
    foray_own_parameter own[FORAY_MAX_OWN_PARAMETERS];
    int64_t plan_every; /* new plans only after every so many episodes; 0: when they pay */
} foray_settings;

/* The defaults, for settings of `size` bytes; what callers use is foray_settings_default. */
FORAY_API void foray_settings_init(foray_settings *settings, size_t size);
static inline void foray_settings_default(foray_settings *settings)
{
    foray_settings_init(settings, sizeof *settings);
}

/* The algorithm of the paper: theorem radius, no centring, no blocks, clip at H, a new plan every
 * episode. Other settings stay as they are. Misprints stay corrected (docs/mathematics.md lists
 * them); the parameter explore_norm=root of ucrl-rfe and ucrl-rfe+ undoes one. */
FORAY_API void foray_settings_literal(foray_settings *settings);

/* Sets one setting from text, as on the command line; '-' and '_' in names are
 * the same. FORAY_ERROR_USAGE names the setting, the value and the range. A parameter of
 * any algorithm may be set before the algorithm is. */
FORAY_API foray_status foray_settings_set(foray_context *ctx, foray_settings *settings,
                                          const char *name, const char *value);

/* Writes one setting as text that foray_settings_set reads back exactly, with at
 * most `size` bytes including the final 0. */
FORAY_API foray_status foray_settings_get(foray_context *ctx, const foray_settings *settings,
                                          const char *name, char *text, size_t size);

/* Checks every range, the settings against each other, and that every parameter that was set is one
 * of the chosen algorithm. */
FORAY_API foray_status foray_settings_check(foray_context *ctx, const foray_settings *settings);

/* The settings of an algorithm, for front ends that list them: first those that all have, then its
 * own. NULL past the end. If `algorithm` is NULL or unknown, only the common ones. */
FORAY_API const foray_parameter *foray_setting_describe(const char *algorithm, int64_t index);

/* ------------------------------------------------------------------- model */

/* A linear mixture model: P(next|s,a) = <phi(next|s,a), theta>, where phi is
 * known and theta, of norm at most B, need not be. Constant once built. */
typedef struct foray_model foray_model;

FORAY_API void foray_model_destroy(foray_model *model);
/* The same model, to be destroyed once more: for whoever needs it longer than its owner, such as a
 * run that is closed, or does not know who will be the last. */
FORAY_API foray_model *foray_model_share(const foray_model *model);

FORAY_API const char *foray_model_name(const foray_model *model);
FORAY_API int64_t foray_model_states(const foray_model *model);
FORAY_API int64_t foray_model_actions(const foray_model *model);
FORAY_API int64_t foray_model_horizon(const foray_model *model);
FORAY_API int64_t foray_model_dim(const foray_model *model);

/* Is nothing known about it but sizes, names and perhaps where episodes begin? */
FORAY_API bool foray_model_is_unstructured(const foray_model *model);

/* The true parameter, foray_model_dim numbers, or NULL if it is not known. A model
 * that knows it can be used as a world. */
FORAY_API const double *foray_model_theta(const foray_model *model);

/* How many unknowns of theta can be learnt from data: d' after centring, over all blocks. 0:
 * nothing is unknown, and there is nothing to explore. -1: no theta makes probabilities sum to
 * one. */
FORAY_API int64_t foray_model_unknowns(const foray_model *model);

/* Does the state have the action? Most models have every action in every state. Pairs (s,a) that
 * are not available do not exist: no algorithm, bound or random choice counts them, and no reward
 * or policy may name them. */
FORAY_API bool foray_model_available(const foray_model *model, int64_t state, int64_t action);

/* The possible successors of (s,a): returns how many, and sets *next to them. The order is the
 * model's own, the same in every call. If the action is not available, there are none, and *next is
 * not changed. */
FORAY_API int64_t foray_model_successors(const foray_model *model, int64_t state, int64_t action,
                                         const int32_t **next);

/* P(next[j]|s,a) for the j-th successor under `theta` (foray_model_dim numbers). */
FORAY_API double foray_model_probability(const foray_model *model, const double *theta,
                                         int64_t state, int64_t action, int64_t j);

/* The initial distribution: returns how many states have a positive probability, and
 * sets *state and *probability to them. */
FORAY_API int64_t foray_model_initial(const foray_model *model, const int32_t **state,
                                      const double **probability);

/* Names for people; NULL if the model gives none. */
FORAY_API const char *foray_model_state_name(const foray_model *model, int64_t state);
FORAY_API const char *foray_model_action_name(const foray_model *model, int64_t action);

/* The map, if the model has one: false if not. */
FORAY_API bool foray_model_grid(const foray_model *model, int64_t *rows, int64_t *cols);
/* Where a state lies on the map: false if it has no place there. */
FORAY_API bool foray_model_cell(const foray_model *model, int64_t state, int64_t *row,
                                int64_t *col);

/* What a check of a model found. Norms over all f: S -> [0,1] are exact if
 * psi_norm_exact says so; otherwise they are upper bounds. */
typedef struct foray_model_facts {
    int64_t pairs;          /* (s,a) pairs that are available */
    int64_t transitions;    /* successors, summed over pairs */
    int64_t max_successors; /* n */
    int64_t features;       /* non-zero feature values stored */
    int64_t generator_sets; /* different generator sets among the pairs */
    int64_t blocks;         /* independent blocks of theta */
    int64_t unknowns;       /* d' after centring, summed over blocks */
    int64_t largest_block;  /* largest d_g after centring */
    int64_t vertices;       /* zonotope vertices over all generator sets; -1: too many to list */
    int64_t bytes;          /* memory the model takes */
    double psi_norm;        /* max over (s,a), f of ||psi_f(s,a)||, to be at most 1 */
    bool psi_norm_exact;
    int64_t psi_norm_state, psi_norm_action; /* where it is attained */
    double theta_norm;                       /* ||theta||, NaN if theta is unknown */
    double worst_sum;       /* max |sum of probabilities - 1|, NaN if theta is unknown */
    double min_probability; /* smallest probability, NaN if theta is unknown */
} foray_model_facts;

/* Is the model valid: probability vectors for its theta (if known), equations "probabilities sum to
 * one" that have a solution, both norm bounds? If not, FORAY_ERROR_INPUT, with a message that names
 * the offending (s,a). `facts` may be NULL; it receives what the check found, even if the model is
 * not valid. */
FORAY_API foray_status foray_model_check(foray_context *ctx, const foray_model *model,
                                         foray_model_facts *facts);

/* Do two models say the same about the same world, bit for bit: sizes, norm bound, feature error,
 * initial states, features (of both kinds) and theta? Names and maps do not matter. */
FORAY_API bool foray_model_equal(const foray_model *one, const foray_model *other);

/* Reads a model, JSON or compact, told apart by content. FORAY_ERROR_INPUT
 * names the file, the line or key, and the cause. */
FORAY_API foray_status foray_model_load(foray_context *ctx, const char *path, foray_model **out);

/* The same from `size` bytes in memory; `where` stands for the file name in messages. */
FORAY_API foray_status foray_model_parse(foray_context *ctx, const void *data, size_t size,
                                         const char *where, foray_model **out);

/* How a model is written. */
typedef enum foray_model_format { FORAY_MODEL_JSON, FORAY_MODEL_COMPACT } foray_model_format;

/* A model as the bytes of a file, to be read back bit for bit: *out, to be released with
 * foray_free, ends with a 0 that *size (may be NULL) does not count. The compact form is not
 * text: it contains zeros. */
FORAY_API foray_status foray_model_print(foray_context *ctx, const foray_model *model,
                                         foray_model_format format, char **out, size_t *size);
/* Writes these bytes to a file completely or not at all, replacing an existing one. */
FORAY_API foray_status foray_model_save(foray_context *ctx, const foray_model *model,
                                        foray_model_format format, const char *path);

/* ------------------------------------------------------------------ import */

/* How to make a model from files that another program wrote. */
typedef struct foray_import_options {
    size_t size;         /* sizeof(foray_import_options) */
    int64_t horizon;     /* required: tables do not say */
    const char *initial; /* a state, or a file with one probability per line; NULL: NAME.isd.txt
                            next to NAME.csv, or what the files say */
    const char *laws;    /* which (s,a) share a law: "pair" (or NULL), none; "action"; "all";
                            "column:NAME", those with the same word in that column */
    bool forget_theta;   /* leave the probabilities of the table out of the model */
    const char *format;  /* "csv", "prism" or "umb"; NULL: as the content says */
} foray_import_options;

typedef struct foray_import_facts {
    int64_t rows;  /* of the model, one for each outcome of each (s,a) */
    int64_t ends;  /* states in which episodes end */
    int64_t twins; /* copies of states, each for some of the transitions into it */
} foray_import_facts;

/* Texts of reward files, each with a name of letters, digits, '_' and '-'. */
typedef struct foray_import_rewards {
    int64_t count;
    char **name, **text;
} foray_import_rewards;

/* Makes a model from files of other programs, recognised by their content (docs/import.md): a CSV
 * table with the columns state, action, next, probability, and optionally reward, done and outcome;
 * PRISM's explicit files (transitions, and optionally states, labels and rewards); or a UMB file. A
 * transition that is done leads to an absorbing state. `rewards`, if not NULL, receives what the
 * files say about rewards, and for each label the probability of getting there; to be released with
 * foray_import_rewards_clear. `facts` may be NULL. */
FORAY_API foray_status foray_model_import(foray_context *ctx, const char *const *path,
                                          int64_t paths, const foray_import_options *options,
                                          foray_model **model, foray_import_rewards *rewards,
                                          foray_import_facts *facts);
FORAY_API void foray_import_rewards_clear(foray_import_rewards *rewards);

/* ----------------------------------------------------------------- builder */

/* Builds models by hand. Create one of the four kinds, add what the kind requires
 * in any order, finish. Errors stick: the first call that fails is remembered
 * with its message, the calls after it do nothing, and foray_builder_finish reports
 * it. A chain of calls needs no tests in between. */
typedef struct foray_builder foray_builder;

/* Given features: any sparse phi, and B >= ||theta||. */
FORAY_API foray_status foray_builder_create(foray_context *ctx, int64_t states, int64_t actions,
                                            int64_t horizon, int64_t dim, double norm_bound,
                                            foray_builder **out);
/* Mixture of `dim` simulators with unknown weights; phi_i = P_i / sqrt(dim). */
FORAY_API foray_status foray_builder_create_mixture(foray_context *ctx, int64_t states,
                                                    int64_t actions, int64_t horizon, int64_t dim,
                                                    foray_builder **out);
/* Outcome classes: class c has outcomes[c] named outcomes with unknown
 * probabilities; features are scaled by 1/sqrt(outcomes[c]) so that norms are at most 1. */
FORAY_API foray_status foray_builder_create_classes(foray_context *ctx, int64_t states,
                                                    int64_t actions, int64_t horizon,
                                                    int64_t classes, const int64_t *outcomes,
                                                    foray_builder **out);
/* Plain tabular MDP: every (s,a) is its own class. */
FORAY_API foray_status foray_builder_create_tabular(foray_context *ctx, int64_t states,
                                                    int64_t actions, int64_t horizon,
                                                    foray_builder **out);
FORAY_API void foray_builder_destroy(foray_builder *builder);

/* Given features: phi(next|s,a), `count` coordinates and their values. */
FORAY_API void foray_builder_feature(foray_builder *builder, int64_t state, int64_t action,
                                     int64_t next, int64_t count, const int64_t *coordinate,
                                     const double *value);
/* Given features: the true parameter, `dim` numbers. Optional. */
FORAY_API void foray_builder_theta(foray_builder *builder, const double *theta);

/* Mixture: simulator i goes from (s,a) to next with this probability. */
FORAY_API void foray_builder_simulator(foray_builder *builder, int64_t simulator, int64_t state,
                                       int64_t action, int64_t next, double probability);
/* Mixture: the true weights, a probability vector of `dim` numbers. Optional. */
FORAY_API void foray_builder_weights(foray_builder *builder, const double *weight);

/* Outcome classes: (s,a) belongs to class c, and its outcome o leads to next[o]
 * (as many as the class has outcomes; different outcomes may lead to one state). */
FORAY_API void foray_builder_outcomes(foray_builder *builder, int64_t state, int64_t action,
                                      int64_t class_index, const int64_t *next);
/* Outcome classes: the true probabilities of class c. Optional, but all or none. */
FORAY_API void foray_builder_law(foray_builder *builder, int64_t class_index,
                                 const double *probability);

/* Tabular: P(next|s,a). Zero means a successor that is possible but never happens. */
FORAY_API void foray_builder_transition(foray_builder *builder, int64_t state, int64_t action,
                                        int64_t next, double probability);

/* Every kind: the state has only these actions; no call may mention the others. States without such
 * a call have all of them; the last call about a state counts. */
FORAY_API void foray_builder_available(foray_builder *builder, int64_t state, int64_t count,
                                       const int64_t *action);

/* Every kind: the finished model says what is possible, but not how likely it is. A
 * tabular builder's probabilities then only name the possible successors. */
FORAY_API void foray_builder_forget_theta(foray_builder *builder);

/* Every kind, optional: the world is a linear MDP with features phi(s,a) of this dimension,
 * each of norm at most 1. Then every (s,a) must be given its phi: `count` coordinates
 * and their values. */
FORAY_API void foray_builder_pair_features(foray_builder *builder, int64_t dim);
FORAY_API void foray_builder_pair_feature(foray_builder *builder, int64_t state, int64_t action,
                                          int64_t count, const int64_t *coordinate,
                                          const double *value);

/* Every kind, optional: the features are estimates. `error`, finite and at least 0, bounds zeta,
 * the resulting error of a probability-weighted mean of numbers in [0,1]: for every (s,a), every f:
 * S -> [0,1] and the true theta, | sum_s' <phi(s'|s,a) - phi_true(s'|s,a), theta> f(s') | <= zeta.
 * The true theta must also make probabilities of the estimated features, and every true
 * successor of (s,a) must be among its successors; means over draws of simulators satisfy the
 * first automatically. Bonuses and certificates include this error. `delta`, at least 0 and below
 * 1, is the probability with which it may be larger. Without it features are taken to be exact. */
FORAY_API void foray_builder_feature_error(foray_builder *builder, double error, double delta);

/* Every kind. Without an initial state, episodes start in state 0. */
FORAY_API void foray_builder_initial(foray_builder *builder, int64_t state, double probability);
FORAY_API void foray_builder_name(foray_builder *builder, const char *name);
FORAY_API void foray_builder_state_name(foray_builder *builder, int64_t state, const char *name);
FORAY_API void foray_builder_action_name(foray_builder *builder, int64_t action, const char *name);
FORAY_API void foray_builder_grid(foray_builder *builder, int64_t rows, int64_t cols);
FORAY_API void foray_builder_cell(foray_builder *builder, int64_t state, int64_t row, int64_t col);

/* Makes the model, out of the builder's own memory: a builder makes one model. Reports the first of
 * the earlier calls that failed, and refuses a malformed model (a missing (s,a), an initial
 * distribution that does not sum to one); then you may add what is missing and finish again.
 * foray_model_check says whether the model is *valid*. The caller still has to destroy the
 * builder. */
FORAY_API foray_status foray_builder_finish(foray_builder *builder, foray_model **out);

/* ------------------------------------------------------------------- world */

/* The random numbers that a call to a world may depend on, and nothing else: a
 * trajectory depends on (seed, episode, step) and the actions alone. */
typedef struct foray_draw {
    uint64_t seed;
    uint64_t episode;
    uint32_t step; /* 0: the initial state; t+1: the transition of step t */
} foray_draw;

/* The i-th uniform random number in [0,1) that belongs to a draw, by Philox4x32-10. */
FORAY_API double foray_draw_uniform(const foray_draw *draw, uint32_t i);
/* How algorithms act at random: a uniformly random action of the state, from the seed and the
 * episode of the draw and this step, counted from 0. Worlds never see these random numbers. */
FORAY_API int64_t foray_draw_action(const foray_draw *draw, const foray_model *model, int64_t step,
                                    int64_t state);

/* Your own world: fill the table, and pass it with a pointer to your data. */
typedef struct foray_world_ops {
    size_t size; /* sizeof(foray_world_ops), so that the table can grow */
    /* Required: the first state of an episode. */
    foray_status (*reset)(void *self, const foray_draw *draw, int64_t *state);
    /* Required: the state that follows (state, action). */
    foray_status (*step)(void *self, const foray_draw *draw, int64_t state, int64_t action,
                         int64_t *next);
    /* May be NULL: releases self. */
    void (*destroy)(void *self);
    /* May be NULL: why the last call did not return FORAY_OK; valid until the next call. */
    const char *(*message)(void *self);
    /* May be NULL: did the last step lead to an absorbing state? Unstructured models learn it from
     * this. */
    bool (*ended)(void *self);
    /* May be NULL: a whole episode at once, for worlds that are expensive to ask step by step, as
     * those in other languages are. In step t and state s the action is action[t * states + s] or,
     * where that is -1, as it may be in unstructured models, foray_draw_action; writes the horizon
     * + 1 states that were met, `state`. After the last state of an episode that ended before,
     * write FORAY_TRUNCATED if it was cut off and, in unstructured models, FORAY_TERMINATED if that
     * state is absorbing. Called instead of reset and step by algorithms whose actions are fixed
     * when an episode begins; it must do what those two would do. */
    foray_status (*episode)(void *self, const foray_draw *draw, int64_t horizon, int64_t states,
                            const int32_t *action, int32_t *state);
    /* May be NULL: was the episode cut off after the last step, for a reason that says nothing
     * about its state, such as a time limit? What was seen counts, and no further steps are asked
     * for (foray_explorer_cut). */
    bool (*cut)(void *self);
    /* True: its states are those of a larger system, aggregated, and what follows one does not obey
     * the model. Certificates are then estimates, also those of a run that is opened later. Worlds
     * of foray_world_from_system know by themselves. */
    bool aggregated;
} foray_world_ops;

typedef struct foray_world foray_world;

/* A world with these operations; `self` is passed to each of them. Once this has
 * succeeded the world owns `self`. Any operation that does not return FORAY_OK
 * makes foray_world_reset and foray_world_step fail with FORAY_ERROR_WORLD. The
 * context must outlive the world: it receives the messages. */
FORAY_API foray_status foray_world_create(foray_context *ctx, const foray_world_ops *ops,
                                          void *self, foray_world **out);
/* The world of a model whose theta is known and gives probabilities; otherwise
 * FORAY_ERROR_INPUT. Keeps a pointer to the model. */
FORAY_API foray_status foray_world_from_model(foray_context *ctx, const foray_model *model,
                                              foray_world **out);
FORAY_API void foray_world_destroy(foray_world *world);

FORAY_API foray_status foray_world_reset(foray_world *world, const foray_draw *draw,
                                         int64_t *state);
FORAY_API foray_status foray_world_step(foray_world *world, const foray_draw *draw, int64_t state,
                                        int64_t action, int64_t *next);
/* Many episodes at once, each at its own draw: where draw[i].step is 0, next[i] becomes the first
 * state of episode i, otherwise the one that follows (state[i], action[i]); then draw[i].step is
 * one more. `next` may be `state`. Everything is checked before the world is asked. After an error,
 * draws are unchanged, and the contents of `next` are undefined. */
FORAY_API foray_status foray_world_advance(foray_world *world, int64_t count, foray_draw *draw,
                                           const int64_t *state, const int64_t *action,
                                           int64_t *next);

/* Built-in worlds, as models whose theta is known: "rooms:rows=3,cols=3". The
 * spec becomes the model's name. FORAY_ERROR_USAGE names world, key, value and range. Also takes
 * the spec of an unstructured model. */
FORAY_API foray_status foray_model_builtin(foray_context *ctx, const char *spec, foray_model **out);

typedef struct foray_world_info {
    const char *name;
    const char *summary;
    int64_t parameters;
    const foray_parameter *parameter;
} foray_world_info;

/* Built-in world `index`; false past the end. */
FORAY_API bool foray_world_describe(int64_t index, foray_world_info *info);

/* ------------------------------------------------------------------ reward */

/* What each step is worth: r_t(s,a), or r_t(s,a,s') where it depends on what follows; or, instead,
 * an event: reaching or avoiding states. docs/rewards.md has all of it. Values, certificates and
 * intervals of policies are in the reward's own unit. The model must outlive a reward that depends
 * on what follows, and one of a model in which some states lack actions. */
typedef struct foray_reward foray_reward;

/* Everything is `fallback` at first, and values lie in [low, high], both finite: mostly [0,1].
 * Certificates depend on what a step could be worth at most: give the range of the values that
 * actually occur. */
FORAY_API foray_status foray_reward_create(foray_context *ctx, const foray_model *model,
                                           const char *name, double low, double high,
                                           double fallback, foray_reward **out);
/* The probability of being in one of the states `reach` at some of the horizon + 1 states of
 * an episode, and in none of `avoid` before; without states to reach, of never being in one of
 * `avoid`. Either array may be NULL if its number is 0. */
FORAY_API foray_status foray_reward_create_reach(foray_context *ctx, const foray_model *model,
                                                 const char *name, int64_t reaches,
                                                 const int64_t *reach, int64_t avoids,
                                                 const int64_t *avoid, foray_reward **out);
/* A set of states with a name, for formulas. */
typedef struct foray_label {
    const char *name;
    int64_t count;
    const int64_t *state; /* [count] */
} foray_label;

/* The probability that the states of an episode, the first and the last one too, satisfy a formula:
 * linear temporal logic on finite traces, "F goal & G !hole" (docs/tasks.md). Atoms are labels,
 * these (may be NULL if there are none) or the model's, names of states in quotes, and numbers of
 * states. Policies for it remember what has happened: see foray_policy_memory. */
FORAY_API foray_status foray_reward_create_task(foray_context *ctx, const foray_model *model,
                                                const char *name, const char *formula,
                                                int64_t labels, const foray_label *label,
                                                foray_reward **out);
FORAY_API void foray_reward_destroy(foray_reward *reward);

/* Sets r for a step, a state and an action; -1 means all. Later calls override earlier ones. */
FORAY_API foray_status foray_reward_set(foray_context *ctx, foray_reward *reward, int64_t step,
                                        int64_t state, int64_t action, double value);
/* The same where `next` follows, for all the given (s,a) that it can follow: at least one. In
 * unstructured models it can follow all of them. Not all algorithms can plan for such rewards;
 * those that cannot say so. */
FORAY_API foray_status foray_reward_set_next(foray_context *ctx, foray_reward *reward, int64_t step,
                                             int64_t state, int64_t action, int64_t next,
                                             double value);
/* The reward of step t is multiplied by discount^t, 0 <= discount <= 1. */
FORAY_API foray_status foray_reward_set_discount(foray_context *ctx, foray_reward *reward,
                                                 double discount);
/* Is the best policy the one with the smallest value? (By default, the one with the largest.) The
 * optimistic value is then the smallest that may be hoped for. */
FORAY_API foray_status foray_reward_set_minimise(foray_context *ctx, foray_reward *reward,
                                                 bool minimise);

FORAY_API const char *foray_reward_name(const foray_reward *reward);
/* r_t(s,a). If it depends on what follows: 0, or in unstructured models the value for next states
 * that were not set. */
FORAY_API double foray_reward_at(const foray_reward *reward, int64_t step, int64_t state,
                                 int64_t action);
/* r_t(s,a,next). */
FORAY_API double foray_reward_next_at(const foray_reward *reward, int64_t step, int64_t state,
                                      int64_t action, int64_t next);

/* What all rewards of a kind have in common, for bounds about them all. */
typedef enum foray_reward_kind {
    FORAY_KIND_PAIR,  /* r(s,a) */
    FORAY_KIND_NEXT,  /* r(s,a,s') */
    FORAY_KIND_REACH, /* reaching and avoiding states */
} foray_reward_kind;

typedef struct foray_reward_facts {
    double low, high; /* values lie between */
    double discount;
    /* With a discount below 1: what all steps after the horizon could add to a loss, at most,
     * (high - low) g^H / (1 - g); else 0. */
    double truncation;
    bool minimise;
    bool looks_ahead; /* it depends on what follows */
    bool stops;       /* it is a probability: of reaching or avoiding states, or of a task */
} foray_reward_facts;
FORAY_API void foray_reward_describe(const foray_reward *reward, foray_reward_facts *facts);

/* Reads a reward for this model from JSON. */
FORAY_API foray_status foray_reward_load(foray_context *ctx, const foray_model *model,
                                         const char *path, foray_reward **out);
/* The same from text in memory; `where` stands for the file name in messages. */
FORAY_API foray_status foray_reward_parse(foray_context *ctx, const foray_model *model,
                                          const char *text, size_t size, const char *where,
                                          foray_reward **out);
/* The reward as JSON text: *out, to be released with foray_free, ends with a 0 that *size
 * (may be NULL) does not count. */
FORAY_API foray_status foray_reward_print(foray_context *ctx, const foray_reward *reward,
                                          char **out, size_t *size);

/* ------------------------------------------------- policies and certificates */

/* Which recursion a policy maximises; also the index of its value below. */
typedef enum foray_mode {
    FORAY_OPTIMISTIC,
    FORAY_PLUGIN,
    FORAY_PESSIMISTIC,
    FORAY_GIVEN,              /* none: the policy comes from elsewhere */
    FORAY_MODES = FORAY_GIVEN /* how many recursions there are */
} foray_mode;

/* "optimistic", "plugin", "pessimistic", "given"; NULL for any other number. */
FORAY_API const char *foray_mode_name(foray_mode mode);

/* "sharp", "selfnormalised", "theorem", "likelihood", "refit", "counts", "none"; NULL for any other
 * number. */
FORAY_API const char *foray_radius_name(foray_radius radius);

/* Which bound a gap comes from. GAP: how much better another choice could be, under one and the
 * same law. VALUES: how far apart values can be. COUNTS: the visit counts of tabular algorithms.
 * EXACT: the true theta. */
typedef enum foray_bound {
    FORAY_BOUND_NONE,
    FORAY_BOUND_GAP,
    FORAY_BOUND_VALUES,
    FORAY_BOUND_COUNTS,
    FORAY_BOUND_EXACT
} foray_bound;

/* CERTIFIED: proved end to end, with probability 1 - delta. EXACT: theta is known. ESTIMATE: seen
 * through clusters, or the range of what the world pays is a guess: no proof. HEURISTIC: a radius
 * was scaled below what theory requires. REFUTED: no law that the model admits fits the data.
 * UNCERTIFIED: the algorithm has no bound. */
typedef enum foray_proof_status {
    FORAY_UNCERTIFIED,
    FORAY_CERTIFIED,
    FORAY_EXACT,
    FORAY_ESTIMATE,
    FORAY_HEURISTIC,
    FORAY_REFUTED
} foray_proof_status;

/* May a policy be called optimal? PROVED: the gap is exactly 0, and counts its own rounding errors
 * (FORAY_BOUND_GAP), or theta is known. ROUNDING: it is proved to be at most 1e-9 of the largest
 * possible return, of which reaching and avoiding have 1. NO: neither. Everything that shows a
 * certificate says this and nothing else. */
typedef enum foray_optimality {
    FORAY_OPTIMAL_NO,
    FORAY_OPTIMAL_ROUNDING,
    FORAY_OPTIMAL_PROVED
} foray_optimality;

/* With probability at least 1 - delta, V* - V^pi <= gap, if certified. */
typedef struct foray_certificate {
    double gap; /* INFINITY: the algorithm has no bound */
    double delta;
    foray_radius radius;
    foray_bound bound;         /* which bound gave the gap */
    foray_proof_status status; /* whether it is proved */
    foray_optimality optimal;
    bool vacuous; /* the gap is all that rewards allow: it says nothing */
} foray_certificate;

/* "certified", "exact", "estimate", "heuristic", "refuted" or "none". */
FORAY_API const char *foray_certificate_status(const foray_certificate *certificate);
/* What that word means, or why nothing is proved: a clause that can follow a colon. */
FORAY_API const char *foray_certificate_because(const foray_certificate *certificate);
/* "no", "rounding" or "proved". */
FORAY_API const char *foray_certificate_optimal(const foray_certificate *certificate);
/* What it amounts to: "proved optimal", "optimal up to rounding", "vacuous", or its status. */
FORAY_API const char *foray_certificate_verdict(const foray_certificate *certificate);
/* "gap", "values", "counts", "exact" or "none". */
FORAY_API const char *foray_bound_name(foray_bound bound);

/* One place behind a certificate that is not 0: see foray_doubt. */
typedef struct foray_doubt_place {
    int64_t step, state, action; /* the state as the policy calls it (foray_policy_memory); the
                                  * action that might be better; the policy's own: none is, and
                                  * the doubt is about what follows it */
    double share;
} foray_doubt_place;

/* Where the states of a policy are clusters of vectors: a grid over a box, or centres (system.h).
 */
typedef struct foray_policy_clusters {
    int64_t dimensions;
    double *low, *high; /* [dimensions] the box */
    int64_t *cells;     /* [dimensions] points of the grid; NULL: there are centres instead */
    double *centre;     /* [states][dimensions], of the width and number of nearest ones: */
    double width;
    int64_t nearest;
} foray_policy_clusters;

/* A law behind a certificate, by name: see foray_doubt_law. */
typedef struct foray_policy_law {
    char *name;
    int64_t visits;
    double share, more;
} foray_policy_law;

/* What a policy file says about the policy, so that it can be used by itself. NULL and -1: not
 * known. */
typedef struct foray_policy_about {
    char *reward;       /* as JSON (foray_reward_print) */
    char **state_name;  /* [states], each or all of them may be NULL */
    char **action_name; /* [actions], the same */
    foray_policy_clusters *clusters;
    int64_t places, laws; /* why the certificate is not 0 */
    foray_doubt_place *place;
    foray_policy_law *law;
    char *world, *algorithm, *version, *model; /* where it comes from */
    int64_t episodes, seed;
} foray_policy_about;

/* What a policy for a task remembers. It is 0 before the first state of an episode; whenever a
 * state is entered, the first one too, it becomes next[memory * letters + letter[state]]. What such
 * a policy calls a state is state * states + memory, for what is remembered there:
 * foray_policy_read says it. */
typedef struct foray_policy_memory {
    int64_t states, letters; /* how much there is to remember, and to read */
    int32_t *letter;         /* [states of the model] */
    int32_t *next;           /* [states][letters] -1: no episode comes to that */
} foray_policy_memory;

typedef struct foray_policy {
    int64_t states, actions, horizon;
    foray_mode mode;
    int32_t *action;           /* [parts][horizon][states]; where it draws them, the likeliest */
    double value[FORAY_MODES]; /* E_mu of the three recursions for the reward; NaN: not known */
    double expected;           /* E_mu of this policy's own value under the estimate, and */
    double low, high;          /* where it lies under every law of the confidence set */
    foray_certificate certificate;
    foray_policy_about *about; /* NULL: none */
    double *chance; /* [parts][horizon][states][actions] probabilities, where it draws its actions;
                     * NULL: it does not */
    int64_t parts; /* of a mixture: when an episode begins, one of so many policies is drawn, and */
    double *odds;  /* [parts] kept; NULL: it is no mixture, and has one part */
    int64_t covered; /* where episodes cannot get to all states: to how many they can, and */
    int32_t *state;  /* [covered] to which, ascending: `action` and `chance` have these in the place
                      * of [states]; NULL: the policy is about all */
    foray_policy_memory *memory; /* NULL: what it does depends on step and state alone */
} foray_policy;

/* For policies with a memory: `state` was entered, so *memory, 0 before the first state of an
 * episode, moves on; returns what the functions below call that state, -1 if no episode comes
 * there. For others it is the state, and *memory stays. */
FORAY_API int64_t foray_policy_read(const foray_policy *policy, int64_t *memory, int64_t state);

/* What the policy does at a step, counted from 0; -1 in a state that no episode gets to. */
FORAY_API int32_t foray_policy_action(const foray_policy *policy, int64_t step, int64_t state);

/* Releases what belongs to the policy, and the policy. */
FORAY_API void foray_policy_destroy(foray_policy *policy);
/* A policy of the model's shape, all actions 0, without values or certificate. */
FORAY_API foray_status foray_policy_create(foray_context *ctx, const foray_model *model,
                                           foray_mode mode, foray_policy **out);
/* A policy that draws its actions: `chance` is [horizon][states][actions], each law at most 1e-9
 * from a sum of 1, by which it is divided. FORAY_ERROR_INPUT names the state and step of one that
 * is no law, or that draws an action the state does not have. */
FORAY_API foray_status foray_policy_create_drawing(foray_context *ctx, const foray_model *model,
                                                   const double *chance, foray_policy **out);
/* A mixture: when an episode begins, one of `count` policies of one shape is drawn with these odds,
 * which sum to 1 as above, and is kept to its end. Parts of mixtures become parts of this one. */
FORAY_API foray_status foray_policy_mix(foray_context *ctx, int64_t count,
                                        const foray_policy *const *policies, const double *odds,
                                        foray_policy **out);
/* What a policy of any kind does in a state at step draw->step, counted from 0: the part of a
 * mixture is drawn from seed and episode, an action from seed, episode and step. Worlds never see
 * these random numbers. */
FORAY_API int64_t foray_policy_draw(const foray_policy *policy, const foray_draw *draw,
                                    int64_t state);
/* The part of a mixture that this draws; 0 where there is one. */
FORAY_API int64_t foray_policy_part(const foray_policy *policy, const foray_draw *draw);
/* Makes a policy complete by itself (foray_policy_about): keeps the reward it was planned for (may
 * be NULL), the names that the model gives to states and actions, and the name of the model. */
FORAY_API foray_status foray_policy_complete(foray_context *ctx, foray_policy *policy,
                                             const foray_model *model, const foray_reward *reward);
/* Reads a file as a stream, of any size. FORAY_ERROR_INPUT names the file, the
 * line and the cause. */
FORAY_API foray_status foray_policy_load(foray_context *ctx, const char *path, foray_policy **out);
/* Writes a policy to a file completely or not at all, replacing an existing one. */
FORAY_API foray_status foray_policy_save(foray_context *ctx, const foray_policy *policy,
                                         const char *path);
/* The same from and into memory, as foray_reward_parse and foray_reward_print. */
FORAY_API foray_status foray_policy_parse(foray_context *ctx, const char *text, size_t size,
                                          const char *where, foray_policy **out);
FORAY_API foray_status foray_policy_print(foray_context *ctx, const foray_policy *policy,
                                          char **out, size_t *size);

/* Exact values in a model whose theta is known, for one reward: of `policy`
 * (may be NULL) and of the best policy there is. */
FORAY_API foray_status foray_evaluate(foray_context *ctx, const foray_model *model,
                                      const foray_reward *reward, const foray_policy *policy,
                                      double *value, double *optimal);

/* The best policy in a model whose theta is known. */
FORAY_API foray_status foray_plan_known(foray_context *ctx, const foray_model *model,
                                        const foray_reward *reward, foray_policy **out);

/* ---------------------------------------------------------------- explorer */

/* An algorithm at work. The caller may own the loop: in every episode begin,
 * then for each step ask for an action and report what followed, then end.
 * foray_run does this for you and keeps it on disk. */
typedef struct foray_explorer foray_explorer;

/* Checks the settings and the model (which must outlive the explorer). */
FORAY_API foray_status foray_explorer_create(foray_context *ctx, const foray_model *model,
                                             const foray_settings *settings, foray_explorer **out);
FORAY_API void foray_explorer_destroy(foray_explorer *explorer);

/* The reward to explore for, which the explorer copies. Algorithms that see the reward
 * need it before their first episode and before they load a state; the others, which
 * explore without a reward, refuse it: FORAY_ERROR_USAGE. */
FORAY_API foray_status foray_explorer_give_reward(foray_explorer *explorer,
                                                  const foray_reward *reward);

FORAY_API foray_status foray_explorer_begin(foray_explorer *explorer);
/* For algorithms that query any (s,a) of a generative model: *state becomes the one to ask
 * foray_explorer_act and the world about in this step, wherever the last step led.
 * All others leave *state as it is. */
FORAY_API foray_status foray_explorer_query(foray_explorer *explorer, int64_t *state);
FORAY_API foray_status foray_explorer_act(foray_explorer *explorer, int64_t state, int64_t *action);
/* FORAY_ERROR_WORLD if `next` cannot follow (state, action) in the model. */
FORAY_API foray_status foray_explorer_observe(foray_explorer *explorer, int64_t state,
                                              int64_t action, int64_t next);
/* For unstructured models (foray_model_is_unstructured): `state`, which followed last, is
 * absorbing, and the episode ends there early. FORAY_ERROR_WORLD if something else has followed it.
 */
FORAY_API foray_status foray_explorer_done(foray_explorer *explorer, int64_t state);
FORAY_API foray_status foray_explorer_end(foray_explorer *explorer);
/* Instead of foray_explorer_end: the episode was cut off, after at least one step and before the
 * horizon. What was seen counts, and nothing is assumed about the rest. Algorithms that query any
 * (s,a) have no episodes that could be cut off: FORAY_ERROR_USAGE. */
FORAY_API foray_status foray_explorer_cut(foray_explorer *explorer);

/* An episode may end early. These stand for the actions after its end: nothing more was seen; the
 * last state is absorbing (unstructured models only). */
enum { FORAY_TRUNCATED = -1, FORAY_TERMINATED = -2 };

/* The same in one call: plays one episode in `world`, whose random numbers are those of the
 * settings' seed and of the number of episodes ended before, so that it is the episode that
 * foray_run_explore would play. `states` and `actions` (either may be NULL) receive what happened,
 * laid out as foray_run_record takes it. FORAY_ERROR_WORLD if the world fails or does what the
 * model rules out; an episode that broke off cannot be continued. */
FORAY_API foray_status foray_explorer_play(foray_explorer *explorer, foray_world *world,
                                           int32_t *states, int32_t *actions);

/* Whether the data refute the model: no law that it admits fits them. There are three tests.
 * `evidence` is the log of a number that, if the model is true, ever reaches e^limit = 1000 with
 * probability at most 0.001: how much more probable the data are if every (s,a) has a law of its
 * own. And an interval of the confidence set can lie below 0 altogether, which it does with
 * probability at most delta: that of theta[coordinate] or, if that is -1, of the probability that
 * `next` follows (state, action). half_width is 0 where there is no such interval. And where
 * episodes begin is compared with the law that the model states, unless they were recorded
 * elsewhere: it shares the 0.001. If that is what is refuted, action is -1, and state the first
 * state that shows it most, with its share of episodes as the estimate; evidence is INFINITY if
 * the model lets none begin there. */
typedef struct foray_refutation {
    bool refuted;
    int64_t episodes; /* after so many it was noticed; tests are made again and again */
    double evidence, limit;
    int64_t coordinate, state, action, next;
    double estimate, half_width;
} foray_refutation;

/* The first time that a test refuted the model, or what a test says now. Once it is refuted,
 * certificates have the status FORAY_REFUTED. */
FORAY_API foray_status foray_explorer_refutation(foray_explorer *explorer, foray_refutation *out);
/* The same as a sentence, with the names of states and actions if a model is given (or NULL);
 * without names 400 bytes are enough, and what is longer is cut off. */
FORAY_API void foray_refutation_print(const foray_model *model, const foray_refutation *refutation,
                                      char *text, size_t size);

/* Plans for `count` rewards together, with one pass over the model for several
 * of them. policies[i] receives a policy the caller owns; on failure none does. */
FORAY_API foray_status foray_explorer_plan(foray_explorer *explorer, int64_t count,
                                           const foray_reward *const *rewards, foray_mode mode,
                                           foray_policy **policies);
/* The same policies without certificates, which are most of the work: for drawing them while a
 * reward is being edited. They have the value of their mode, but perhaps not the other two, and no
 * certificate. */
FORAY_API foray_status foray_explorer_policies(foray_explorer *explorer, int64_t count,
                                               const foray_reward *const *rewards, foray_mode mode,
                                               foray_policy **policies);

/* What the certificates of plans and the bound for all rewards rest on: FORAY_RADIUS_LIKELIHOOD,
 * the full likelihood of the data, which is the default wherever there is one, or the radius that
 * the settings chose for the exploration. With the former foray_explorer_bound is about the plug-in
 * plan, and plans are certified by how much better another choice could be; where features are
 * estimates or not mixtures of laws, the ellipsoid of the exploration takes the place of the
 * likelihood, and certificates name its radius. FORAY_ERROR_USAGE where there is neither. */
FORAY_API foray_status foray_explorer_certify_by(foray_explorer *explorer, foray_radius radius);

/* Certifies a policy from anywhere for a reward: fills its value, interval and certificate.
 * FORAY_ERROR_USAGE where there is neither a likelihood nor a regression. */
FORAY_API foray_status foray_explorer_certify(foray_explorer *explorer, const foray_reward *reward,
                                              foray_policy *policy);

/* What one policy is worth more than another, under one and the same law. */
typedef struct foray_difference {
    double expected;               /* under the estimate */
    double low, high;              /* under every law that fits the data */
    foray_certificate certificate; /* gap: how much worse the first can be at most */
} foray_difference;

/* V^one - V^other for a reward, for policies of any kind and from anywhere: it is much sharper than
 * the difference of two intervals, because what is unknown of one law largely cancels.
 * FORAY_ERROR_USAGE as foray_explorer_certify, and in unstructured models. */
FORAY_API foray_status foray_explorer_compare(foray_explorer *explorer, const foray_reward *reward,
                                              const foray_policy *one, const foray_policy *other,
                                              foray_difference *out);

/* Why a certificate is not 0. Places: where and when another action might be better than the
 * policy's, or what follows worse than it seems; their shares add up to the certificate, or to
 * more where the difference of values cut it off; where the law of first states is not known, that
 * law has a share, too, and no place. Laws: whose uncertainty is behind that. */
typedef struct foray_doubt_law {
    int64_t block; /* which law: the model's blocks are numbered from 0; -1: of unstructured models,
                    * whose pairs have one each, */
    int64_t state, action; /* one pair that obeys it; -1: the first state of an episode does, */
    int64_t pairs;         /* and how many do */
    int64_t visits;
    double share;
    double more; /* an estimate, not a promise: so many more visits would bring the certificate
                  * below the target, if all laws listed were visited as much more */
} foray_doubt_law;

typedef struct foray_doubt {
    double gap;                     /* the certificate */
    int64_t places, laws;           /* how many there are, largest shares first */
    const foray_doubt_place *place; /* [places] */
    const foray_doubt_law *law;     /* [laws] */
} foray_doubt;

/* Explains the certificate of a policy for a reward, with `target` > 0 for foray_doubt_law.more
 * (0: half the certificate). The caller owns *out. FORAY_ERROR_USAGE as foray_explorer_certify. */
FORAY_API foray_status foray_explorer_explain(foray_explorer *explorer, const foray_reward *reward,
                                              const foray_policy *policy, double target,
                                              foray_doubt **out);
FORAY_API void foray_doubt_destroy(foray_doubt *doubt);
/* A law's name: "12: (s=3, a=1) of 8" is law 12, which 8 pairs obey, (3,1) among them; in
 * unstructured models "(s=3, a=1)" or "first state". 96 bytes are enough. */
FORAY_API void foray_doubt_law_name(const foray_doubt_law *law, char *text, size_t size);

/* The bound for all rewards of a kind: an upper bound on the gap of the plug-in plan of every one
 * of them; by the radius of the exploration (foray_explorer_certify_by) on that of the algorithm's
 * own plan, which is the optimistic one of the algorithms for linear mixture models. PAIR: r(s,a)
 * in [0,1]. NEXT: r(s,a,s') in [0,1], where what a step gives is uncertain too. REACH: the
 * probability of reaching or avoiding states. FORAY_ERROR_USAGE where there is none, and for the
 * last two where there is no likelihood set. */
FORAY_API foray_status foray_explorer_bound(foray_explorer *explorer, foray_reward_kind kind,
                                            foray_certificate *out);

/* Facts about an explorer. */
typedef struct foray_explorer_facts {
    int64_t episodes;    /* ended so far */
    int64_t plans;       /* exploration plans made */
    int64_t refactored;  /* fresh factorisations */
    double factor_error; /* worst relative error met before one of them */
    const char *inner;   /* the method of inner maximisation in use */
    double inner_ratio;  /* worst upper bound / value of the last maximisation; 1: exact */
    double log_det;      /* of Sigma, summed over blocks */
} foray_explorer_facts;

FORAY_API foray_status foray_explorer_describe(foray_explorer *explorer,
                                               foray_explorer_facts *facts);

/* The estimate of theta and, for each coordinate, the half-width of its
 * confidence interval; both foray_model_dim numbers, either may be NULL. */
FORAY_API foray_status foray_explorer_estimate(foray_explorer *explorer, double *theta,
                                               double *half_width);

/* Lower and upper bounds on every probability, pair by pair in the order of foray_model_successors;
 * both [transitions] (foray_model_facts). With probability at least 1 - delta all of them hold at
 * once. `about`, if not NULL, receives delta, the radius and the status; the rest of it says
 * nothing. FORAY_ERROR_USAGE as foray_explorer_certify, and where features are estimates. */
FORAY_API foray_status foray_explorer_intervals(foray_explorer *explorer, double *low, double *high,
                                                foray_certificate *about);

/* The whole state as bytes (to be released with foray_free), and back. Loading
 * needs an explorer created with the same model and settings. */
FORAY_API foray_status foray_explorer_save(foray_explorer *explorer, uint8_t **data, size_t *size);
FORAY_API foray_status foray_explorer_load(foray_explorer *explorer, const uint8_t *data,
                                           size_t size);

/* Name and one-line summary of algorithm `index`; false past the end. Either may be NULL. */
FORAY_API bool foray_algorithm_describe(int64_t index, const char **name, const char **summary);

/* Does this algorithm see the reward while it explores? False if there is no such algorithm. */
FORAY_API bool foray_algorithm_needs_reward(const char *name);
/* Does it query any (s,a), rather than walk (foray_explorer_query)? */
FORAY_API bool foray_algorithm_is_generative(const char *name);

/* ------------------------------------------------------------- several rewards */

/* Few policies for every weighting of several rewards (docs/tradeoffs.md). Weights are at least 0
 * and sum to 1; reward i counts in units of scale[i], the width of its range unless another is
 * given, negative where it is to be as small as possible: a weighting asks for sum_i weight_i
 * V(r_i)/scale_i. For every weighting one of the policies loses at most certificate.gap of that;
 * and for every policy there is a mixture of these that is at most certificate.gap |scale[i]| worse
 * in every reward i at once.
 *
 * The policy that is best under the estimate is the one for a weighting. Where that changes are the
 * corners: between them losses are at most what they are there. */
typedef struct foray_front {
    int64_t rewards, policies, corners;
    const double *scale;           /* [rewards] */
    foray_policy *const *policy;   /* [policies] without values and certificates */
    const double *value;           /* [policies][rewards] under the estimate, in the rewards' own
                                    * units, */
    const double *low, *high;      /* the same, under every law that fits the data */
    const double *centre;          /* [policies][rewards] a weighting in the middle of its own */
    const double *corner;          /* [corners][rewards] weightings */
    const double *top;             /* [corners] what no policy exceeds there */
    const double *loss;            /* [corners][policies] certificates; NaN: another is better */
    foray_certificate certificate; /* gap: the largest of them, */
    int64_t worst_corner, worst_policy; /* which is here, */
    double gain;                        /* where one more policy would gain this, by the estimate */
    bool full;                   /* it was wanted, and there were as many policies as allowed */
    int64_t plans, certificates; /* how many were made on the way */
} foray_front;

enum { FORAY_MAX_REWARDS = 5 };

/* Finds them for 2 to FORAY_MAX_REWARDS rewards: at most `policies`, until the gap is at most
 * `until` or more policies would not make it smaller. scale: [rewards] above 0, or NULL. Reaching
 * or avoiding states, and tasks, do not stop an episode here: policies remember them. The caller
 * owns *out. FORAY_ERROR_USAGE as foray_explorer_certify. */
FORAY_API foray_status foray_explorer_tradeoff(foray_explorer *explorer, int64_t rewards,
                                               const foray_reward *const *reward,
                                               const double *scale, int64_t policies, double until,
                                               foray_front **out);
/* The same in a model whose theta is known: certificates are exact losses. */
FORAY_API foray_status foray_tradeoff_known(foray_context *ctx, const foray_model *model,
                                            int64_t rewards, const foray_reward *const *reward,
                                            const double *scale, int64_t policies, double until,
                                            foray_front **out);
FORAY_API void foray_front_destroy(foray_front *front);
/* Which policy is the one for a weighting: its weights may have any sum above 0. Where `loss` is
 * not NULL it receives what that policy loses at most, of weights that sum to 1. */
FORAY_API int64_t foray_front_choose(const foray_front *front, const double *weight, double *loss);

/* ------------------------------------------------------------------ limits */

/* The value of `reward` must be at least `bound`, or at most. What the reward itself wants does not
 * matter. */
typedef struct foray_limit {
    const foray_reward *reward;
    double bound;
    bool at_most;
} foray_limit;

enum { FORAY_MAX_LIMITS = 8 };

/* KEPT: the policy keeps every limit, under every law that fits the data. IMPOSSIBLE: no policy
 * does, under any of these laws. UNDECIDED: neither is proved. */
typedef enum foray_limits_outcome {
    FORAY_LIMITS_UNDECIDED,
    FORAY_LIMITS_KEPT,
    FORAY_LIMITS_IMPOSSIBLE,
} foray_limits_outcome;

typedef struct foray_limited {
    foray_limits_outcome outcome;
    /* KEPT: a mixture of few policies, or one alone, with value and interval of the reward. Its
     * certificate bounds what it loses against every policy that keeps the limits. UNDECIDED: the
     * mixture farthest within the limits, by the estimate. IMPOSSIBLE: the same. */
    foray_policy *policy;
    int64_t limits;
    const double *value, *low, *high; /* [limits] of the rewards with limits, for that policy */
    /* [limits] KEPT: what one more unit of a limit costs of the reward, by the estimate.
     * IMPOSSIBLE: weights of the rewards with limits: summed up so, the limits ask for `needed`,
     * and no policy has more than `top` (with minus for limits from above). */
    const double *price;
    double needed, top;
    /* UNDECIDED: whose uncertainty is behind the limit that lacks most; NULL: nothing is known. */
    foray_doubt *doubt;
    int64_t plans, certificates;
} foray_limited;

/* The largest value of a reward (or the smallest, if it is to be minimised) within limits, by a
 * mixture of few policies, as foray_explorer_tradeoff. The caller owns *out. FORAY_ERROR_USAGE as
 * foray_explorer_certify. */
FORAY_API foray_status foray_explorer_plan_limited(foray_explorer *explorer,
                                                   const foray_reward *reward, int64_t limits,
                                                   const foray_limit *limit, foray_limited **out);
/* The same in a model whose theta is known, exactly. */
FORAY_API foray_status foray_plan_known_limited(foray_context *ctx, const foray_model *model,
                                                const foray_reward *reward, int64_t limits,
                                                const foray_limit *limit, foray_limited **out);
FORAY_API void foray_limited_destroy(foray_limited *limited);

/* --------------------------------------------------------------------- run */

/* An explorer, its episodes and its plans in one file on disk. */
typedef struct foray_run foray_run;

typedef enum foray_run_creation { FORAY_RUN_NEW, FORAY_RUN_REPLACE } foray_run_creation;

/* Starts a run. With FORAY_RUN_NEW an existing file is refused, with
 * FORAY_RUN_REPLACE it is replaced once everything else has been checked.
 * `world` is kept as text, so that a reader knows where the model came from. The
 * run keeps a copy of the model. */
FORAY_API foray_status foray_run_create(foray_context *ctx, const char *path,
                                        foray_run_creation how, const foray_model *model,
                                        const char *world, const foray_settings *settings,
                                        foray_run **out);

typedef enum foray_run_access { FORAY_RUN_READ, FORAY_RUN_WRITE } foray_run_access;

/* Opens a run and brings its explorer to the state after the last saved
 * episode. One process may write a run while any number read it: FORAY_ERROR_IO
 * names the process that is writing. FORAY_ERROR_RUN: the file is not a run, is
 * damaged, or comes from a newer Foray. */
FORAY_API foray_status foray_run_open(foray_context *ctx, const char *path, foray_run_access how,
                                      foray_run **out);

/* The reward to explore for, as foray_explorer_give_reward takes it. It is kept in the
 * file, and given again whenever the run is opened. */
FORAY_API foray_status foray_run_give_reward(foray_run *run, const foray_reward *reward);

/* Closes the file; what was not saved is lost. A run that was written is then a single file again.
 * FORAY_ERROR_IO says that it is not: the disk is full, and its last episodes are still in the log
 * next to it (a file that ends in -wal, and belongs to the run), or the file has been deleted or
 * replaced in the meantime. The run is released in any case. */
FORAY_API foray_status foray_run_close(foray_run *run);

FORAY_API const foray_model *foray_run_model(const foray_run *run);
/* Have the episodes of this model the same chances as those of the run's? A run that was opened
 * again knows nothing of states that none gets to. */
FORAY_API foray_status foray_run_is_of(foray_run *run, const foray_model *model, bool *same);
FORAY_API const foray_settings *foray_run_settings(const foray_run *run);
FORAY_API const char *foray_run_world(const foray_run *run);
FORAY_API foray_explorer *foray_run_explorer(foray_run *run);
/* Episodes on disk, which survive everything but the loss of the disk. */
FORAY_API int64_t foray_run_saved(const foray_run *run);

/* Raises the number of episodes of a run. FORAY_ERROR_USAGE where the radius
 * depends on it (theorem, ucrl-rfe+, ucrl-vtr+). */
FORAY_API foray_status foray_run_extend(foray_run *run, int64_t episodes);
/* The target at which exploring ends: a bound for all rewards of at most `until`, or, once rewards
 * are named, a certificate of at most that for the plug-in plan of each of them. 0: optimal up to
 * rounding; -1: no target. Looked at after 1, 2, ... episodes, each about a tenth above the one
 * before. Only what is proved meets a target; what the data refute never reaches it.
 * FORAY_ERROR_USAGE where there is no bound. */
FORAY_API foray_status foray_run_set_until(foray_run *run, double until);
/* Names the rewards, which are copied and stored; 0: all rewards. FORAY_ERROR_USAGE where plans
 * have no certificates (see foray_explorer_certify_by). */
FORAY_API foray_status foray_run_set_targets(foray_run *run, int64_t count,
                                             const foray_reward *const *rewards);

/* Called from time to time while a run explores. Return false to stop. */
typedef struct foray_progress {
    int64_t episodes; /* ended */
    int64_t saved;    /* of these, on disk */
    int64_t budget;
    int64_t plans;
    double bound;      /* the last bound for all rewards that was computed; NaN: none yet */
    double seconds;    /* since foray_run_explore was called */
    int64_t workers;   /* that play at once */
    int64_t discarded; /* episodes played ahead and discarded; known at the end */
} foray_progress;
typedef bool (*foray_progress_fn)(void *user, const foray_progress *progress);

/* Explores until the budget or the target is reached, saving as it goes, in `workers` copies of one
 * world, at least 1, each with a context of its own where there are several, in which threads play
 * at once: episodes, estimates and plans are those of one world, to the last bit. Between two plans
 * episodes are played ahead; those that a new plan would have played differently are discarded. If
 * nothing can be played ahead, because the algorithm decides step by step or makes a plan after
 * every episode (plan_every = 0 or 1), only the first world is used.
 * FORAY_TARGET_MISSED: the budget ended above `until`. FORAY_TARGET_UNPROVED: it ended because
 * `until` was reached, but by an estimate or a heuristic that no data can turn into a proof.
 * FORAY_INTERRUPTED: `progress` (may be NULL) said stop. In every case, including errors, all
 * finished episodes are saved if the disk allows it. */
FORAY_API foray_status foray_run_explore(foray_run *run, int64_t workers,
                                         foray_world *const *worlds, foray_progress_fn progress,
                                         void *user);

/* For callers that own the loop: records the episode that
 * foray_explorer_end just ended (horizon+1 states, horizon actions; generative
 * algorithms: 2 horizon states, for each step where it was and what followed). The actions
 * must be those that foray_explorer_act gave: opening a run relies on it. After the end of an
 * episode that foray_explorer_cut or foray_explorer_done ended, actions are FORAY_TRUNCATED or
 * FORAY_TERMINATED, and the last state is repeated. */
FORAY_API foray_status foray_run_record(foray_run *run, const int32_t *states,
                                        const int32_t *actions);
/* Makes everything recorded so far durable. */
FORAY_API foray_status foray_run_save(foray_run *run);

/* For runs of the algorithm "recorded": learns an episode that was recorded elsewhere: `steps`
 * steps, at least 1 and at most the horizon, with steps+1 states and steps actions. It must not
 * have been chosen by its outcome (docs/data.md). FORAY_ERROR_WORLD, and nothing is learnt, if the
 * model rules a transition out. */
FORAY_API foray_status foray_run_learn(foray_run *run, int64_t steps, const int32_t *states,
                                       const int32_t *actions);
/* The same for all episodes of a CSV file with the columns
 * episode,step,state,action,next (docs/data.md), saving as it goes. The file is read
 * twice, so that nothing is learnt from one with an error in it. FORAY_INTERRUPTED: `progress` (may
 * be NULL) said stop; what was learnt so far is saved. */
FORAY_API foray_status foray_run_learn_file(foray_run *run, const char *path,
                                            foray_progress_fn progress, void *user);

/* Plans as foray_explorer_plan does, and keeps rewards and results in the run,
 * which must be open for writing. */
FORAY_API foray_status foray_run_plan(foray_run *run, int64_t count,
                                      const foray_reward *const *rewards, foray_mode mode,
                                      foray_policy **policies);

/* foray_policy_complete, and which run the policy comes from: its world, algorithm, seed and
 * number of episodes. */
FORAY_API foray_status foray_run_complete_policy(foray_run *run, const foray_reward *reward,
                                                 foray_policy *policy);

/* What a world itself pays, as far as it is known: for a transition; for a pair, where next is -1;
 * for every action in a state, where action is, too. count 0: always the same, somewhere in [low,
 * high], mostly low = high; of such entries later ones override. Else it is drawn whenever it is
 * paid, by a law that is always the same, and a number in [low, high] was paid so often: low < high
 * only where numbers were rounded, down and up. Numbers that are drawn belong to pairs, or to
 * transitions of which an entry with count 0 says in what range they are. */
typedef struct foray_own_value {
    int64_t state, action, next;
    double low, high;
    int64_t count;
} foray_own_value;
/* All that a step can pay, known or not, lies in [low, high], and all that an episode of H steps
 * can, under the true laws and whatever the policy, in [total_low, total_high]; both 0: nobody says
 * so. */
typedef struct foray_own {
    double low, high;
    double total_low, total_high;
    bool guessed; /* nobody gave low and high: certificates are estimates */
    int64_t count;
    foray_own_value *value; /* [count] */
} foray_own;

/* Stores them in the run, replacing earlier ones; the values are copied. FORAY_ERROR_INPUT: a value
 * is not in the range, or belongs to a transition that the model rules out. */
FORAY_API foray_status foray_run_keep_own(foray_run *run, const foray_own *own);
/* What was stored, which the run owns; false: nothing was. */
FORAY_API bool foray_run_own(const foray_run *run, foray_own *out);

/* The same as a reward to plan for: the least and the most that it can be, or the difference: 0
 * where it is known and high - low where nothing is. What is drawn has a mean between the two with
 * the run's delta, of which its means take a share. FORAY_ERROR_USAGE: nothing was stored. */
typedef enum foray_own_side { FORAY_OWN_LOW, FORAY_OWN_HIGH, FORAY_OWN_UNSEEN } foray_own_side;
FORAY_API foray_status foray_run_own_reward(foray_run *run, foray_own_side side,
                                            foray_reward **out);
/* The plan for it, in which what is not known counts low, with a certificate that holds whatever it
 * is (docs/rewards.md). `store`: it is stored in the run. */
FORAY_API foray_status foray_run_own_plan(foray_run *run, foray_mode mode, bool store,
                                          foray_policy **out);
/* The same certificate for a policy from anywhere, as foray_explorer_certify. */
FORAY_API foray_status foray_run_own_certify(foray_run *run, foray_policy *policy);

/* Calls `fn` for the episodes first, first+1, ... , laid out as foray_run_record takes
 * them; return false to stop. Where episodes were shorter than the horizon, the remaining actions
 * are FORAY_TRUNCATED or FORAY_TERMINATED, and the last state is repeated. */
typedef bool (*foray_episode_fn)(void *user, int64_t episode, const int32_t *states,
                                 const int32_t *actions);
FORAY_API foray_status foray_run_episodes(foray_run *run, int64_t first, foray_episode_fn fn,
                                          void *user);

/* Calls `fn` for every stored plan: the episodes it was made after, the reward
 * as JSON, and the policy. Return false to stop. */
typedef bool (*foray_plan_fn)(void *user, int64_t id, int64_t episodes, const char *reward_name,
                              const char *reward_json, const foray_policy *policy);
FORAY_API foray_status foray_run_plans(foray_run *run, foray_plan_fn fn, void *user);

/* Calls `fn` for every point of the run's trace: the bound and the plans over time. */
typedef bool (*foray_trace_fn)(void *user, int64_t episodes, int64_t plans, double bound);
FORAY_API foray_status foray_run_trace(foray_run *run, foray_trace_fn fn, void *user);

/* Checks the whole file: SQLite's own check, every checksum, and a replay of
 * all episodes that must arrive at the last checkpoint bit for bit; if the model
 * knows its theta, every episode must also be the one the seed gives. Stored plans are made again,
 * with their certificates, and must be the same to the last bit. FORAY_ERROR_RUN names what is
 * wrong. */
FORAY_API foray_status foray_run_verify(foray_run *run);

#ifdef __cplusplus
}
#endif

/* Systems, whose states are vectors, have a header of their own. */
#include "foray/system.h"

#endif
