/* system.h - worlds too large to list: states are vectors, and simulators are known.
 *
 * Part of foray.h, which includes it. A *system* has states in a box of R^n (or, if it is finite,
 * states that are integers), finitely many actions, and d basis simulators. Reality is a
 * mixture of the simulators with unknown weights: at every step one of them, drawn by its weight,
 * says what follows. *Clusters* cover the box; *aggregating* a system over clusters makes an
 * ordinary foray_model with features estimated by Monte Carlo, so all of Foray works on it, and the
 * world that a run explores is the system itself, seen through the clusters.
 *
 * There are two errors. The Monte Carlo error is bounded, and is part of the model
 * (foray_model_feature_error) and of every certificate. The aggregation error makes
 * certificates estimates (FORAY_ESTIMATE): it is measured and reported separately, unless a
 * Lipschitz constant bounds it or exploring obeys the model (foray_world_from_system). */
#ifndef FORAY_SYSTEM_H
#define FORAY_SYSTEM_H

#include "foray/foray.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ system */

/* What a system is. Strings and arrays are copied by foray_system_create. */
typedef struct foray_system_spec {
    size_t size; /* sizeof(foray_system_spec), so that it can grow */
    const char *name;
    int64_t states;     /* 0: vectors. Otherwise finite: one integer below this */
    int64_t dimensions; /* n of a state vector, 1 to 64; 1 if finite */
    int64_t actions;    /* at least 1 */
    int64_t horizon;    /* steps of an episode, at least 1 */
    int64_t simulators; /* d; 0: reality only, so a model must come from elsewhere */
    const double *low;  /* [dimensions] the box; ignored (may be NULL) if finite */
    const double *high;
    const char *const *dimension_name; /* [dimensions], or NULL */
    const char *const *action_name;    /* [actions], or NULL */
    int64_t rewards;                   /* how many rewards the system names, may be 0 */
    const char *const *reward_name;    /* [rewards] */
    double lipschitz; /* L of foray_aggregation, where the system knows it; 0: it does not */
} foray_system_spec;

/* Which simulator a step asks for; otherwise 0 <= simulator < d. */
enum { FORAY_REALITY = -1 };

/* One question to a system: what follows `state` under `action`? The answer may depend on
 * the draw's random numbers and on nothing else: the same draw gives simulators common
 * random numbers, and every trajectory can be repeated. */
typedef struct foray_system_query {
    foray_draw draw;
    int64_t simulator; /* FORAY_REALITY, or which basis simulator */
    int64_t action;
} foray_system_query;

enum { FORAY_MAX_ENDS = 256 };

typedef struct foray_system_ops {
    size_t size; /* sizeof(foray_system_ops) */
    /* Required: the first state of an episode, `dimensions` numbers. */
    foray_status (*reset)(void *self, const foray_draw *draw, double *state);
    /* Required: answers `count` questions: state and next are [count][dimensions]. States
     * that leave the box are moved to its border by the library. */
    foray_status (*step)(void *self, int64_t count, const foray_system_query *query,
                         const double *state, double *next);
    /* May be NULL: the true weights, `simulators` numbers; false if they are not known. */
    bool (*weights)(void *self, double *weight);
    /* May be NULL if the spec names no rewards: r(s,a) in [0,1] of reward `index`. */
    foray_status (*reward)(void *self, int64_t index, const double *state, int64_t action,
                           double *value);
    /* True: `step` may be called by several threads at once. */
    bool threads;
    /* True: what a basis simulator answers depends on state and action alone, not on the
     * draw (reality may still draw which simulator answers). The features of foray_aggregate
     * are then exact, and their error is 0. */
    bool deterministic;
    /* May be NULL: why the last call did not return FORAY_OK; valid until the next call. */
    const char *(*message)(void *self);
    /* May be NULL: releases self. */
    void (*destroy)(void *self);
    /* True: it remembers. Steps are asked one at a time, of reality alone, in the order of an
     * episode after its reset, whose draw determines all of them. */
    bool sequential;
    /* May be NULL: true if answer k (from 0) of the last step led to an absorbing state. The
     * episode stays there, and nothing more is asked about it. Only asked after steps of at most
     * FORAY_MAX_ENDS questions, all of reality. */
    bool (*ended)(void *self, int64_t k);
} foray_system_ops;

typedef struct foray_system foray_system;

/* Your own system. Once this has succeeded the system owns `self`. */
FORAY_API foray_status foray_system_create(foray_context *ctx, const foray_system_spec *spec,
                                           const foray_system_ops *ops, void *self,
                                           foray_system **out);
FORAY_API void foray_system_destroy(foray_system *system);

/* The system that `text` names, wherever it comes from:
 *   pendulum, mountaincar:noise=0.1  a built-in one, NAME[:key=value,...]
 *   plugin:PATH[:TEXT]               a shared object (foray/plugin.h); TEXT is passed to it
 *   exec:COMMAND                     a program that answers over pipes (docs/outside.md)
 * FORAY_ERROR_USAGE: no such built-in system. FORAY_ERROR_WORLD: it does not start. */
FORAY_API foray_status foray_system_open(foray_context *ctx, const char *text, foray_system **out);

/* The spec, valid as long as the system. */
FORAY_API const foray_system_spec *foray_system_describe(const foray_system *system);

/* These check every answer (count, finite numbers, the box, integers below `states` if
 * finite): FORAY_ERROR_WORLD, with the cause, if something is wrong. */
FORAY_API foray_status foray_system_reset(foray_system *system, const foray_draw *draw,
                                          double *state);
FORAY_API foray_status foray_system_step(foray_system *system, int64_t count,
                                         const foray_system_query *query, const double *state,
                                         double *next);

/* ---------------------------------------------------------------- clusters */

/* Clusters with membership weights P(x|s), non-negative and summing to one. */
typedef struct foray_clusters foray_clusters;

/* From text: "grid:21x31", "radial:500", "radial:500,width=0.1,nearest=8", "states". */
FORAY_API foray_status foray_clusters_parse(foray_context *ctx, const foray_system *system,
                                            const char *text, foray_clusters **out);
FORAY_API void foray_clusters_destroy(foray_clusters *clusters);

FORAY_API int64_t foray_clusters_count(const foray_clusters *clusters);
/* The most clusters that one state may belong to. */
FORAY_API int64_t foray_clusters_max(const foray_clusters *clusters);
/* P(x|s): returns how many are not zero, and writes them, clusters ascending; both arrays
 * have room for foray_clusters_max. */
FORAY_API int64_t foray_clusters_of(const foray_clusters *clusters, const double *state,
                                    int32_t *cluster, double *weight);
/* The centre of a cluster, `dimensions` numbers. */
FORAY_API void foray_clusters_centre(const foray_clusters *clusters, int64_t cluster,
                                     double *state);

/* -------------------------------------------------------------- aggregating */

typedef struct foray_aggregation {
    double accuracy; /* Monte Carlo error to reach by choosing `draws`; 0: take `draws` */
    int64_t draws;   /* per (cluster, action, simulator), if accuracy is 0; the least otherwise */
    double delta;    /* probability with which the bound on the Monte Carlo error may fail */
    uint64_t seed;
    /* L > 0: for every simulator and action, what follows two states s and s~ differs by at most
     * L sum_j |s_j - s~_j|/(high_j - low_j) in total variation, by your word (or by the system's:
     * foray_system_spec). The bound on the aggregation error that follows is added to the model's
     * feature error. 0: not known. */
    double lipschitz;
} foray_aggregation;
/* The defaults: 100 draws, delta 0.05, seed 1, no Lipschitz constant. */
FORAY_API void foray_aggregation_default(foray_aggregation *aggregation);

/* Called now and then, by one thread at a time; `done` goes from 0 to 1, and starts again
 * where `accuracy` takes more draws than expected. Return false to stop. */
typedef bool (*foray_aggregate_fn)(void *user, double done);

typedef struct foray_aggregation_facts {
    int64_t draws;        /* per (cluster, action, simulator) */
    double feature_error; /* as the model has it */
} foray_aggregation_facts;

/* The model of the system seen through the clusters,
 *   phi_i(y|x,a) = mean over k of E[ P(y|s') | s' ~ simulator i, from (s_k, a) ] / sqrt(d),
 * a mixture of d simulators. s_1, s_2, ... are points spread over cluster x with density
 * proportional to P(x|s), the same for all actions and simulators; each expectation is
 * replaced by the mean of two draws with common random numbers (by the answer itself, if the
 * system is deterministic). The bound on the resulting error, for all value functions at once
 * (docs/systems.md), becomes the model's feature error. Theta is known if the system's
 * weights are. The initial distribution is that of 4096 resets.
 * Uses the context's threads if the system allows it; the result does not depend on them.
 * FORAY_INTERRUPTED: `progress` (may be NULL) said stop. `facts` may be NULL. */
FORAY_API foray_status foray_aggregate(foray_context *ctx, foray_system *system,
                                       const foray_clusters *clusters,
                                       const foray_aggregation *aggregation,
                                       foray_aggregate_fn progress, void *user,
                                       foray_aggregation_facts *facts, foray_model **out);

/* Where the next step of the world of such a model begins: in the real state, so that what follows
 * a cluster does not obey the model; or in a fresh point of the cluster, one of those that the
 * model was made from, so that it does. */
typedef enum foray_continuation { FORAY_CONTINUE_REAL, FORAY_CONTINUE_FRESH } foray_continuation;

/* The system as the world of such a model: it steps through real states, and after each step the
 * explorer is shown a cluster, drawn by its weight among those the model allows to follow (if it
 * allows none of them, the nearest that it does allow). A question about another cluster is
 * answered from a state drawn in that cluster. All three must outlive the world.
 * `aggregation`: what foray_aggregate made the model with; NULL: not known. Certificates hold
 * (docs/systems.md) with FORAY_CONTINUE_FRESH, which needs the number of draws to be fixed
 * (accuracy 0), and otherwise if the aggregation has a Lipschitz constant, or every state is a
 * cluster of its own; elsewhere they are estimates. FORAY_ERROR_WORLD, in a step, if a
 * deterministic system goes where its model does not. */
FORAY_API foray_status foray_world_from_system(foray_context *ctx, foray_system *system,
                                               const foray_clusters *clusters,
                                               const foray_model *model,
                                               const foray_aggregation *aggregation,
                                               foray_continuation continuation, foray_world **out);

/* A named reward of the system at the clusters: r(x,a) at the centre of cluster x. */
FORAY_API foray_status foray_system_reward_create(foray_context *ctx, foray_system *system,
                                                  const foray_clusters *clusters,
                                                  const foray_model *model, int64_t index,
                                                  foray_reward **out);

/* The action of a policy over clusters in a real state: the one whose clusters have the
 * largest total weight. */
FORAY_API int64_t foray_policy_act(const foray_policy *policy, const foray_clusters *clusters,
                                   int64_t step, const double *state);

/* Keeps the clusters in the policy, so that its file tells what to do in a real state; those of a
 * finite system are its states, and nothing is kept. */
FORAY_API foray_status foray_policy_keep_clusters(foray_context *ctx, foray_policy *policy,
                                                  const foray_clusters *clusters);

/* --------------------------------------------------------- back to reality */

/* A mean over episodes, with an interval of the stated confidence, and the deviation
 * between episodes. */
typedef struct foray_return {
    double mean, low, high, deviation;
    int64_t episodes;
} foray_return;

/* The mean of `count` independent numbers, at least 2, that all lie between `min` and
 * `max`, and an interval that is valid for every such distribution and every count: the
 * empirical Bernstein bound of Maurer and Pontil (2009). */
FORAY_API foray_status foray_mean_interval(foray_context *ctx, int64_t count, const double *value,
                                           double min, double max, double confidence,
                                           foray_return *out);

/* Follows a policy in reality for the episodes first, first+1, ..., as many as asked for, and adds
 * up a reward: out[e] is the return of the e-th of them. The reward is number `index` of the
 * system, or, if `reward` is not NULL, one of the model's clusters: a real state then counts as the
 * cluster that it belongs to most, and returns are in the reward's own unit; for a probability they
 * are 0 or
 * 1. Different policies with the same seed meet the same random numbers, which makes the
 * differences of their returns less noisy. No run ever meets these numbers, so a policy is not
 * tested on the data it was learnt from. */
FORAY_API foray_status foray_rollout(foray_context *ctx, foray_system *system,
                                     const foray_clusters *clusters, const foray_policy *policy,
                                     int64_t index, const foray_reward *reward, int64_t first,
                                     int64_t episodes, uint64_t seed, double *out);

#ifdef __cplusplus
}
#endif

#endif
