/* explorer.h - what an exploration algorithm is: a row of the table in
 * algorithms/algorithms.c, with one file behind it.
 *
 * The same sections in every such file: the paper and the formulas, the state,
 * initialise, begin_episode, act, observe, end_episode, save and load, the row.
 *
 * What every algorithm has lies in struct foray_explorer: how far it has come, and whether its
 * plan is stale. All else is behind `self`, a struct of the algorithm's own that begins with
 * what its family shares: fy_learner (mixture), fy_errors, fy_euler or counts (tabular), fy_lsvi
 * (linear). */
#ifndef FY_EXPLORER_H
#define FY_EXPLORER_H

#include "base/parameter.h"
#include "certify/certifier.h"
#include "certify/doubt.h"
#include "certify/refutation.h"
#include "certify/steer.h"

typedef struct fy_explorer_ops {
    const char *name;
    const char *summary;
    /* Its own parameters, at most FY_MAX_PARAMETERS; NULL, 0: it has none. Those that its
     * family shares come first. */
    const foray_parameter *parameter;
    int64_t parameters;
    /* Required. Settings and model have been checked; all memory comes from explorer->arena. */
    foray_status (*create)(foray_explorer *explorer);
    /* Where something of its own is not from the arena; copes with a create that failed half-way.
     */
    void (*destroy)(foray_explorer *explorer);
    /* The action of step t, which counts from 0 (h = t + 1), where it is not that of
     * explorer->followed. Neither: it learns from what others did (fy_explorer_learn), in
     * episodes that may be shorter than the horizon. */
    int64_t (*act)(foray_explorer *explorer, int64_t t, int64_t state);
    /* j: which successor of the pair followed. */
    void (*observe)(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j);
    foray_status (*plan)(foray_explorer *explorer, int64_t count,
                         const foray_reward *const *rewards, foray_mode mode,
                         foray_policy **policies);
    void (*save)(foray_explorer *explorer, fy_writer *writer);
    void (*load)(foray_explorer *explorer, fy_reader *reader);
    /* True: the radii depend on the number of episodes, which is then fixed. */
    bool (*needs_budget)(const foray_explorer *explorer);
    /* Optional: NULL where the algorithm has no such thing. */
    void (*begin_episode)(foray_explorer *explorer);
    void (*end_episode)(foray_explorer *explorer);
    /* True: it explores for one reward, which is there from the first episode on. */
    bool takes_reward;
    /* True: it goes where the certificates of explorer->target are decided, if there are any. */
    bool steers;
    /* True: in every step it follows explorer->followed. */
    bool follows;
    /* True: what its plan left in tables is not saved, since begin_episode makes it again from what
     * `save` wrote before the plan (fy_explorer_remake). */
    bool remakes;
    /* For playing ahead (run/loop.c), where it does not: fills in such a table (unstructured
     * models), -1 where the action is fy_random_action_in; */
    void (*follow_all)(const foray_explorer *explorer, int32_t *table);
    /* or, where no plan changes what it does, its action in step t of an episode: looks only at
     * what never changes. Without either it decides step by step. */
    int64_t (*unplanned)(const foray_explorer *explorer, int64_t episode, int64_t t, int64_t state);
    /* The state that step t is to be about, of algorithms that query any (s,a). */
    int64_t (*query)(const foray_explorer *explorer, int64_t t);
    foray_status (*bound)(foray_explorer *explorer, foray_certificate *out);
    /* The same for all rewards of any kind, where `bound` is not about r(s,a) alone. */
    foray_status (*bound_kind)(foray_explorer *explorer, foray_reward_kind kind,
                               foray_certificate *out);
    foray_status (*estimate)(foray_explorer *explorer, double *theta, double *half_width);
    void (*describe)(foray_explorer *explorer, foray_explorer_facts *facts);
    /* The ellipsoids of its regression in the model's own basis, at delta/G for each block; false
     * where the settings ask for others. */
    bool (*regression)(foray_explorer *explorer, fy_regression_set *out);
    /* Of unstructured models: an episode ended in a state that is absorbing (false: something else
     * has followed it before); whether a state is known to be; and the certificate of any policy.
     */
    bool (*ended)(foray_explorer *explorer, int64_t state);
    bool (*is_ended)(const foray_explorer *explorer, int64_t state);
    foray_status (*certify)(foray_explorer *explorer, const foray_reward *reward,
                            foray_policy *policy);
    /* Of unstructured models: why a policy's certificate is what it is. */
    foray_status (*explain)(foray_explorer *explorer, const foray_reward *reward,
                            const foray_policy *policy, fy_reasons *out);
    /* Which plan `bound` is about. */
    foray_mode bound_plan;
    /* True: with replan auto there is a plan in every episode. */
    bool plans_every_episode;
    /* True: its plans are PLAN on a confidence set, whichever that is. */
    bool plans_on_sets;
    /* True: with the radius likelihood it explores by likelihood sets. */
    bool explores_on_sets;
    /* True: it explores unstructured models, and no others. */
    bool unstructured;
} fy_explorer_ops;

/* Made for `model`, of which only the reachable part is used where that is smaller and the
 * algorithm walks: what is recorded elsewhere, or queried, may lie outside of it. */
foray_status fy_explorer_make(foray_explorer *explorer);
/* The world is a system seen through clusters, whose states may follow each other as no draw of the
 * model did: its explorer uses all of the model, and says so before the first episode. */
foray_status fy_explorer_aggregate(foray_explorer *explorer);

/* --------------------------------------------------------------- steering.c */

/* From the next plan on it explores for these rewards, each of which is met by a certificate of
 * `enough`; count = 0: for all rewards. Nothing happens where the algorithm does not steer. Between
 * episodes; whether the plan there is still serves is for the caller to say (`stale`). */
foray_status fy_explorer_set_targets(foray_explorer *explorer, int64_t count,
                                     const foray_reward *const *rewards, double enough);
void fy_explorer_drop_targets(foray_explorer *explorer);
/* What a plan for the targets is made with, on the sets as they were estimated last: a reward for
 * every pair, [pairs], and what each law has to do with it, [blocks]. False: nothing, as no target
 * is open. */
bool fy_explorer_steer(foray_explorer *explorer, double *rho, double *share);

/* The policy to collect the next data with, whoever collects them, if a plan of this reward is to
 * be certified better: it goes where its certificate is decided. *out is NULL where nothing is in
 * doubt. The caller owns it. */
foray_status fy_explorer_collect(foray_explorer *explorer, const foray_reward *reward,
                                 foray_policy **out);

/* ----------------------------------------------------------------- border.c */

/* What others say is about the whole model, what the explorer knows about its part. Where there is
 * no part nothing is made, and *made is NULL. */
foray_status fy_border_reward(foray_explorer *explorer, const foray_reward *reward,
                              foray_reward **made);
foray_status fy_border_policy(foray_explorer *explorer, const foray_policy *policy,
                              foray_policy **made);
/* Policies, doubts and refutations on their way out. */
foray_status fy_border_policies_out(foray_explorer *explorer, int64_t count,
                                    foray_policy *const *policies);
void fy_border_doubt_out(const foray_explorer *explorer, foray_doubt *doubt);
void fy_border_refutation_out(const foray_explorer *explorer, foray_refutation *refutation);
/* How often the j-th transition of a pair happened, both in the numbers of the whole. */
int64_t fy_explorer_seen(const foray_explorer *explorer, int64_t pair, int64_t j);

/* ---------------------------------------------------------------- product.c */

/* Tasks, and policies with a memory, are about a product of the model. *out becomes an explorer
 * that knows what this one does about the product of all that these rewards and policies need; it
 * takes and gives what is about the whole model, as this one does, until fy_explorer_leave; it may
 * be this one itself. `beside`: the rewards are to be added up, so that none stops the episode
 * (fy_reward_in_product); fy_border_reward brings each into it. */
foray_status fy_explorer_enter(foray_explorer *explorer, int64_t rewards,
                               const foray_reward *const *reward, int64_t policies,
                               const foray_policy *const *policy, bool beside,
                               foray_explorer **out);
void fy_explorer_leave(const foray_explorer *explorer, foray_explorer *view);
/* Which reader reads for a reward or a policy; -1: none. */
int64_t fy_explorer_reader_of(const foray_explorer *view, const void *whom);

/* What needs_budget is for most. */
bool fy_never_needs_budget(const foray_explorer *explorer);
bool fy_always_needs_budget(const foray_explorer *explorer);

struct foray_explorer {
    fy_arena arena; /* of everything below that lasts as long as the explorer */
    const fy_explorer_ops *ops;
    foray_context *ctx;
    const foray_model *whole; /* as it was given: what others say to the explorer is about that */
    foray_model *part; /* what episodes get to (reach.c); NULL: all of it, or it is not used */
    const foray_model *model; /* one of the two; all that is learnt, and every algorithm, is about
                                 this one, in its numbers: see border.c */
    foray_settings settings;
    foray_parameter_value own[FY_MAX_PARAMETERS]; /* in the order of ops->parameter */
    int64_t episodes;                             /* ended */
    int64_t plans;                                /* exploration plans made */
    int64_t step;               /* of the episode under way; -1 between episodes */
    bool stale;                 /* what was learnt since the last plan asks for a new one */
    bool failed;                /* out of memory in an episode: of unstructured models, whose
                                   laws grow */
    bool replans_within;        /* its plan may change in the middle of an episode */
    int32_t *followed;          /* [horizon][states] the actions of its plan; NULL: ops->act */
    foray_reward *given;        /* a copy of the reward to explore for; NULL: none yet */
    foray_reward *given_inside; /* the same for the part, where there is one */
    const double **given_table; /* [horizon] and its tables, in the explorer's numbers */
    foray_reward **target;      /* [targets] copies of rewards to be certified, in the same */
    int64_t targets;
    double enough;             /* at which a target is met, in its own unit */
    fy_steer *steer;           /* made with the first targets */
    int64_t *seen;             /* [transitions] how often each happened, laid out as model->succ; of
                                  the model that it is about, as everything here */
    foray_radius certificates; /* what they rest on: the likelihood, or the settings' radius */
    bool aggregated;           /* the world does not obey the model: see foray_world_ops */
    fy_certifier *certifier;   /* made when it is first needed */
    int64_t certifier_after;   /* how many episodes its sets are of; -1: none yet */
    double spent;              /* the share of delta that means of rewards have, of the certificate
                                  that is being made; 0 otherwise, and */
    double certifier_spent;    /* the one that those sets are for */
    fy_refuter refuter;        /* can any law of the model have given the data? */
    int64_t first;             /* the state in which the last episode began */
    int32_t *table;            /* of fy_explorer_table; NULL: not needed yet */
    int64_t table_plans;       /* how many there were when it was filled in */
    fy_writer before_plan;     /* of those that remake: what was known before the last plan */
    bool forgot;               /* the tables of that plan are still to be made again */
    void *self;                /* the algorithm's own state */
    foray_explorer *original;  /* of a view (product.c): whose data it shows; else NULL */
    int64_t readers;           /* of its product, and */
    const void **reads_for;    /* [readers] the reward or the policy that each reads for */
    bool beside;               /* no reward stops the episode */
};

/* Notes what an exploration plan is about to be made from. */
foray_status fy_explorer_note_plan(foray_explorer *explorer);
/* Makes the tables of the last plan again, after a load. */
foray_status fy_explorer_remake(foray_explorer *explorer);

/* An exploration plan was made. */
static inline void fy_explorer_planned(foray_explorer *explorer)
{
    explorer->plans++;
    explorer->stale = false;
}

/* Settings of 0 leave it to the algorithm, which wants a plan when it is worth one. */
static inline int64_t fy_explorer_plan_every(const foray_explorer *explorer)
{
    return explorer->settings.plan_every > 0 ? explorer->settings.plan_every : 1;
}

/* Is it time for a new plan, where one is wanted? Plans are made after every so many episodes:
 * when one begins, or when the one before ends, whichever the algorithm likes. */
static inline bool fy_explorer_plan_due(const foray_explorer *explorer)
{
    int64_t ended = explorer->episodes + (explorer->step >= 0);
    return explorer->stale && ended % fy_explorer_plan_every(explorer) == 0;
}

/* Is a new plan wanted after every episode, whatever it showed? */
static inline bool fy_explorer_replans_always(const foray_explorer *explorer)
{
    foray_replan replan = explorer->settings.replan;
    return replan == FORAY_REPLAN_EVERY ||
           (replan == FORAY_REPLAN_AUTO && explorer->ops->plans_every_episode);
}

/* Are the actions of an episode settled when it begins, in a table of moderate size? */
bool fy_explorer_has_table(const foray_explorer *explorer);
/* That table, [horizon][states] of the whole model, -1 where actions are random
 * (foray_draw_action) and where no episode gets to. NULL: there is no memory. */
const int32_t *fy_explorer_table(foray_explorer *explorer);

/* Episodes before this one follow the plan there is; INT64_MAX: nobody can tell. */
int64_t fy_explorer_plan_lasts(const foray_explorer *explorer);

/* Does it choose actions itself? */
static inline bool fy_explorer_acts(const fy_explorer_ops *ops)
{
    return ops->follows || ops->act;
}

/* Entries of a table [horizon][states], such as the policy an explorer follows. */
static inline int64_t fy_policy_entries(const foray_model *model)
{
    return model->horizon * model->states;
}

/* Actions that were written with fy_write_i32s; fails if one is out of range. */
void fy_read_actions(fy_reader *reader, const foray_model *model, int32_t *action, int64_t count);

/* One of the state's actions uniformly at random, always the same in step t of an episode: the
 * present one, or any. */
int64_t fy_random_action(const foray_explorer *explorer, int64_t t, int64_t state);
int64_t fy_random_action_in(const foray_explorer *explorer, int64_t episode, int64_t t,
                            int64_t state);

/* Plans and bounds with certificates from likelihoods (certificates.c), once rewards and mode have
 * been checked. */
foray_status fy_explorer_plan(foray_explorer *explorer, int64_t count,
                              const foray_reward *const *rewards, foray_mode mode,
                              foray_policy **policies);
/* The same policies without certificates, which cost many times as much. */
foray_status fy_explorer_policies(foray_explorer *explorer, int64_t count,
                                  const foray_reward *const *rewards, foray_mode mode,
                                  foray_policy **policies);
/* What a bound from those sets says; `max`: what a gap can be at most. */
foray_certificate fy_explorer_certificate(const foray_explorer *explorer, double gap, double max);
/* The sets of the data so far; *out is NULL where the model or the algorithm admits none. */
foray_status fy_explorer_sets(foray_explorer *explorer, fy_certifier **out);
/* The same where there must be some: FORAY_ERROR_USAGE says why there are none. */
foray_status fy_explorer_need_sets(foray_explorer *explorer, fy_certifier **out);

/* Do certificates rest on the sets of likelihoods, of all data or refitted? */
static inline bool fy_explorer_on_sets(const foray_explorer *explorer)
{
    return explorer->certificates == FORAY_RADIUS_LIKELIHOOD ||
           explorer->certificates == FORAY_RADIUS_REFIT;
}
/* From now on certificates rest on refits (learn/refit.h): seen[i] are the counts after
 * 4^number[i] episodes, laid out as explorer->seen. Until the next episode begins. */
foray_status fy_explorer_refit(foray_explorer *explorer, int64_t count, const int64_t *number,
                               int64_t *const *seen);
void fy_explorer_end_refit(foray_explorer *explorer);

/* The radius of the regression, which is sharp where likelihoods explore. */
static inline foray_radius fy_explorer_regression_radius(const foray_explorer *explorer)
{
    foray_radius radius = explorer->settings.radius;
    return radius == FORAY_RADIUS_LIKELIHOOD ? FORAY_RADIUS_SHARP : radius;
}

/* Takes back what a certificate says where the world need not obey the model, or does not. */
void fy_explorer_qualify(foray_explorer *explorer, foray_certificate *certificate);

/* Tests whether the data refute the model, if it is time. */
void fy_explorer_test(foray_explorer *explorer);

/* Has it a bound for all rewards: its own, or one from the sets? */
foray_status fy_explorer_bounded(foray_explorer *explorer, bool *out);

/* What an algorithm was told to end before its time is of no use: the episode stays open. */
foray_status fy_explorer_unless_stopped(const foray_explorer *explorer);
/* Fails: this call does not come next in an episode. */
foray_status fy_explorer_out_of_turn(foray_explorer *explorer, const char *call);

/* For explorers called "recorded", which choose no actions but learn from episodes that were
 * recorded elsewhere: one episode of `steps` steps, at least 1 and at most the horizon, with
 * steps+1 states and steps actions; `done`: it ended in an absorbing state. It must not have been
 * chosen by its outcome (docs/data.md). FORAY_ERROR_WORLD, and nothing is learnt, if the model
 * rules a transition out. */
foray_status fy_explorer_learn(foray_explorer *explorer, int64_t steps, const int32_t *states,
                               const int32_t *actions, bool done);

/* Would the explorer take this reward to explore for? */
foray_status fy_explorer_check_reward(foray_explorer *explorer, const foray_reward *reward);

/* That reward, the explorer's own copy; NULL: none was given. */
const foray_reward *fy_explorer_reward(const foray_explorer *explorer);

/* Is one of these places an exact tie: another action, in a state that the policy gets to, that is
 * exactly as good under the model's own theta? Then more data make the certificate smaller, but
 * never 0. Where the policy is not the best one under this theta, the best one is asked about, to
 * which more data lead. *out receives the first. FORAY_ERROR_USAGE also if theta is not known: a
 * tie cannot then be told from a small difference. */
foray_status fy_explorer_find_tie(foray_explorer *explorer, const foray_reward *reward,
                                  const foray_policy *policy, bool *found, foray_doubt_place *out);

/* Which plan foray_explorer_bound is about. */
foray_mode fy_explorer_bound_plan(foray_explorer *explorer);

/* Can episodes be played ahead? Not if the algorithm decides step by step, nor if it makes a plan
 * after every episode (plan_every = 0 or 1). */
typedef enum fy_ahead_kind {
    FY_AHEAD_PLAYS,
    FY_AHEAD_STEPWISE,
    FY_AHEAD_PLANS,
} fy_ahead_kind;
fy_ahead_kind fy_explorer_ahead(const foray_explorer *explorer);

#endif
