/* run.h - a run in memory: the store, the explorer it belongs to, and what has
 * happened since the last transaction. */
#ifndef FY_RUN_H
#define FY_RUN_H

#include "explore/explorer.h"
#include "run/store.h"
#include "data/episodes.h"

/* ---------------------------------------------------------------- codec.c */

/* Episodes as bytes: the first state, then the action of every step and which of the successors
 * followed; where steps do not follow from each other, because the algorithm queries any (s,a), the
 * state of every step. Episodes that were cut off, and recorded ones, may be shorter: the actions
 * after their end are FORAY_TRUNCATED, and their last state is repeated. Those of unstructured
 * models also end in absorbing states: FORAY_TERMINATED. Both are stored as actions above the
 * largest. */
typedef struct fy_codec {
    int64_t states, actions, horizon; /* of the explorer's model */
    int64_t stride;         /* step t goes from state [stride t] to state [stride t + 1]: 1, or 2 */
    int64_t episode_states; /* that there are of each */
    bool recorded;          /* elsewhere: actions are those of others */
    int ends;               /* how many ways there are to end before the horizon: 0 to 2 */
    int state_bits, action_bits, next_bits;
    size_t episode_bytes;
} fy_codec;

typedef enum fy_episode_kind {
    FY_EPISODE_WALK,
    FY_EPISODE_QUERIES,
    FY_EPISODE_RECORDED
} fy_episode_kind;
/* For the model that an explorer learns about (struct foray_explorer); states are in the numbers of
 * the whole. */
fy_codec fy_codec_for(const foray_model *model, fy_episode_kind kind);

/* False: no episode of this model. */
bool fy_codec_encode(const fy_codec *codec, const foray_model *model, const int32_t *states,
                     const int32_t *actions, uint8_t *out);
bool fy_codec_decode(const fy_codec *codec, const foray_model *model, const uint8_t *data,
                     int32_t *states, int32_t *actions);

/* Policies: each number takes 1, 2 or 4 bytes, the lowest first, the fewest that hold `count` of
 * them. */
int fy_width_for(int64_t count);
void fy_put_narrow(const int32_t *value, int64_t count, int width, uint8_t *out);
/* False if one of them is not below `limit`. */
bool fy_get_narrow(const uint8_t *data, int64_t count, int width, int64_t limit, int32_t *out);

/* A point of the trace. */
typedef struct fy_point {
    int64_t episodes; /* -1: none yet */
    int64_t plans;
    double bound; /* NaN where the algorithm has none */
} fy_point;

enum { FY_POINTS_PENDING = 64 };

/* Rewards to be certified, as they were set after so many episodes: algorithms that steer depend on
 * what they were at the time. */
typedef struct fy_aim {
    int64_t after;
    double until;
    foray_reward **target; /* [targets] */
    int64_t targets;       /* 0: all rewards */
} fy_aim;

/* Where episodes came from: the model's own world, another one, or an aggregated system, which does
 * not obey the model. */
typedef enum fy_source { FY_SOURCE_MODEL, FY_SOURCE_OTHER, FY_SOURCE_AGGREGATED } fy_source;

struct foray_run {
    foray_context *ctx;
    fy_store *store;
    foray_model *model;  /* as it was given; opened again, with what episodes get to alone */
    bool model_is_short; /* the file has less of it than the explorer needs */
    foray_settings settings;
    char *version, *created, *world;
    foray_explorer *explorer;
    fy_codec codec;
    int32_t *states, *actions; /* the episode being played or read */

    uint8_t *buffer; /* episodes not on disk yet, encoded */
    int64_t buffered, room;
    fy_point pending[FY_POINTS_PENDING];
    int64_t points;

    fy_aim *aim;     /* [aims] what it explored for, one after the other, the last since */
    int64_t aims;    /* 0: the bound for all rewards is the target, if there is one */
    int64_t hardest; /* the target that was looked at last */

    foray_own own;  /* what the world itself pays, */
    int64_t own_id; /* stored under this number; 0: nothing is known of it */

    fy_point last;                  /* the last point of the trace */
    bool measure_now;               /* the target has changed: the trace needs a point here */
    fy_source source, source_saved; /* where episodes came from */
    bool spoilt;                    /* the explorer broke off in an episode, or in a bound */
    double commit_gap;              /* seconds between transactions */

    double checkpoint_gap;   /* at least so many seconds between checkpoints */
    double checkpoint_share; /* of the time that may go into them */
    int64_t checkpointed;    /* episodes of the last checkpoint; -1: none */
    double checkpoint_clock; /* when it was made */
    double checkpoint_cost;  /* seconds it took */
};

/* As the file has it. */
extern const char *const fy_source_name[];

/* The steps of opening: a run without a store, and then with everything that is in its store. */
foray_run *fy_run_new(foray_context *ctx);
foray_status fy_run_load(foray_run *run);

/* An explorer like the run's that has seen nothing yet, but knows its reward. */
foray_status fy_run_fresh_explorer(foray_run *run, foray_explorer **out);

/* FORAY_ERROR_USAGE unless the run can be written and its explorer is whole. */
foray_status fy_run_writable(foray_run *run);

/* The same model with other names, in the file; the run must be opened again. */
foray_status fy_run_rename(foray_run *run, const foray_model *model);

/* Other settings for the run, in the file and in memory. */
foray_status fy_run_change_settings(foray_run *run, const foray_settings *settings);

/* Episodes that ended: on disk or in the buffer. */
int64_t fy_run_recorded(const foray_run *run);

/* What was recorded since the last transaction, within one that adds to `head`, and once that is
 * durable. */
foray_status fy_run_put_recorded(foray_run *run, fy_head *head);
void fy_run_recorded_is_saved(foray_run *run);
/* Makes everything recorded durable; with a checkpoint, if asked for. */
foray_status fy_run_commit(foray_run *run, bool checkpoint);
/* The explorer may have found that its world does not obey the model, before the first episode, and
 * learn about more states than before. */
foray_status fy_run_meet(foray_run *run);
/* Takes an episode that the explorer has ended. */
foray_status fy_run_append(foray_run *run, const int32_t *states, const int32_t *actions);
/* Is a checkpoint affordable: at most a tenth of the time goes into them? */
bool fy_run_checkpoint_due(const foray_run *run);

/* Where the trace has points: each is about a tenth (with a target to stop at), or a half, above
 * the one before. The first such number that is at least k. */
int64_t fy_run_next_point(int64_t k, bool dense);
/* Adds a point to the trace, to be stored with the next transaction. */
foray_status fy_run_measure(foray_run *run);

/* ----------------------------------------------------------------- loop.c */

/* The rewards to be certified. */
foray_status fy_run_load_targets(foray_run *run);
void fy_run_close_targets(foray_run *run);
/* Tells the explorer, be it the run's own or not, what it is for after so many episodes as it has
 * seen. */
foray_status fy_run_aim(foray_run *run, foray_explorer *explorer);
/* Stores that the targets, `count` rewards, are to be met by certificates of `until` from here on.
 */
foray_status fy_run_put_aim(foray_run *run, double until, int64_t count,
                            const foray_reward *const *rewards);

/* ------------------------------------------------------------------ own.c */

/* The world's own reward, as it was stored last; or as it was under a number that a plan rests on.
 */
foray_status fy_run_load_own(foray_run *run);
foray_status fy_run_take_own(foray_run *run, int64_t id);
void fy_run_close_own(foray_run *run);

/* Certifies a policy for it in `explorer`, which has seen the run's first episodes, be it its own
 * or not. */
foray_status fy_run_certify_own(foray_run *run, foray_explorer *explorer, foray_policy *policy);

/* ---------------------------------------------------------------- plans.c */

/* Stores plans in one transaction, with the episodes that they were made from. own: the number
 * under which the world's own reward is stored that they are for; 0: they are for others. */
foray_status fy_run_keep_plans(foray_run *run, int64_t count, const foray_reward *const *rewards,
                               foray_policy *const *policies, int64_t own);

foray_status fy_run_refit(foray_run *run, foray_explorer *explorer);

/* Plans first, first+1, ... as foray_run_plans() tells them; end - 1 is the last. */
foray_status fy_run_plans_between(foray_run *run, int64_t first, int64_t end, foray_plan_fn fn,
                                  void *user);

/* ----------------------------------------------------------------- next.c */

/* What more episodes of a policy would do to the certificate of a reward, by estimate: the policy
 * is played in the laws as they are estimated now. */
enum { FY_NEXT_POINTS = 5 };
typedef struct fy_next {
    int64_t after;                    /* episodes there are, and */
    double gap;                       /* the certificate of the plug-in plan */
    int64_t points;                   /* then, */
    int64_t episodes[FY_NEXT_POINTS]; /* after so many more, */
    double foreseen[FY_NEXT_POINTS];  /* it would be that */
} fy_next;

/* The policy to collect the next data with (fy_explorer_collect), and what it would do, for
 * `episodes` of it at most; 0: as far as it takes a few seconds. */
foray_status fy_run_next(foray_run *run, const foray_reward *reward, int64_t episodes,
                         foray_policy **policy, fy_next *out);
/* Keeps in the run what was asked and answered, in the place of what was before. */
foray_status fy_run_keep_next(foray_run *run, const foray_reward *reward, const fy_next *next);
/* What was asked last, with its reward, which the caller owns; *reward is NULL: nothing was. */
foray_status fy_run_asked(foray_run *run, foray_reward **reward, fy_next *out);
/* The certificate of the plug-in plan of a reward as it is now. */
foray_status fy_run_gap(foray_run *run, const foray_reward *reward, double *gap);

/* ------------------------------------------------------------- episodes.c */

/* Calls `fn` for the saved episodes from `first` on, checking them on the way,
 * until it returns something else than FORAY_OK. */
typedef foray_status (*fy_episode_fn)(void *user, int64_t episode, const int32_t *states,
                                      const int32_t *actions);
foray_status fy_run_each(foray_run *run, int64_t first, fy_episode_fn fn, void *user);

/* Adds a batch of encoded episodes to the file. */
foray_status fy_run_put_batch(foray_run *run, int64_t first, int64_t count, const uint8_t *data);

/* Tells the explorer what happened in an episode, again. */
foray_status fy_run_replay(foray_run *run, foray_explorer *explorer, const int32_t *states,
                           const int32_t *actions);

/* Brings the run's explorer to the state after the last saved episode. */
foray_status fy_run_restore(foray_run *run);

/* The checkpoints there are, latest first. */
typedef struct fy_checkpoint {
    int64_t episodes;
    size_t bytes;
} fy_checkpoint;
enum { FY_CHECKPOINTS = 2 };
foray_status fy_run_checkpoints(foray_run *run, fy_checkpoint out[FY_CHECKPOINTS], int *count);

/* --------------------------------------------------------------- verify.c */

/* foray_run_verify, with or without SQLite's own look at the structure of the file. */
foray_status fy_run_verify(foray_run *run, bool structure);

/* The rows that `head` counts are there, and cover all episodes. */
foray_status fy_run_check_counts(foray_run *run);

/* foray_run_open for the bytes of a run file in memory, for reading only; `where` stands for the
 * file name in messages. The bytes are copied. FORAY_ERROR_RUN also for a file that is being
 * written, or was not closed: the rest of it is in a log next to the file. */
foray_status fy_run_open_memory(foray_context *ctx, const void *data, size_t size,
                                const char *where, foray_run **out);

/* How many rewards are to be certified: foray_run_set_targets. */
int64_t fy_run_targets(const foray_run *run);
/* One of them; NULL: there is no such target. The run keeps it. */
const foray_reward *fy_run_target(const foray_run *run, int64_t index);

/* How the likelihood sets of one law agree, that of a run and that of new data. */
typedef struct fy_law_fit {
    int64_t state, action; /* the first pair that has the law; -1: it is that of first states */
    int64_t pairs;         /* that share it */
    int64_t visits, later; /* its transitions in the run, and in the data */
    double apart;          /* above 0: the sets are disjoint, by so many nats; -inf: no data */
} fy_law_fit;

typedef struct fy_drift {
    double delta; /* data of a world that has not changed are refuted with at most this
                     probability */
    int64_t episodes, transitions; /* that were read */
    int64_t laws;
    fy_law_fit *law;
    int64_t refuted;              /* the first law found to have changed; -1: none */
    char episode[FY_LABEL_BYTES]; /* after which it was found, */
    int64_t line;                 /* and where that begins */
} fy_drift;

/* Do new data, in a CSV file as fy_data_read takes it, still fit the run, or has the world
 * changed since? FORAY_ERROR_WORLD: the model rules a transition of theirs out. *out is released
 * with fy_drift_destroy. */
foray_status fy_run_check_data(foray_run *run, const char *path, double delta, fy_drift **out);
void fy_drift_destroy(fy_drift *drift);

/* From here on plans, certificates and bounds of the run rest on FORAY_RADIUS_REFIT: likelihoods of
 * later data with priors around earlier estimates, whose counts are found in the record. They are
 * sharper in long runs and wider in short ones, and hold on a different event of the same delta:
 * decide before looking, and do not take the better of the two. Ends with
 * foray_explorer_certify_by, and when an episode begins. FORAY_ERROR_USAGE where there are no
 * likelihoods, and for runs learnt from recorded data. */
foray_status fy_run_certify_by_refit(foray_run *run);

typedef struct fy_run_facts {
    const char *version; /* of the library that created the run */
    const char *created; /* UTC, ISO 8601 */
    int64_t episodes, checkpoints, plans_stored, bytes;
    foray_explorer_facts explorer;
} fy_run_facts;
/* The texts live as long as the run. */
foray_status fy_run_describe(foray_run *run, fy_run_facts *facts);

/* What is said of the first states where certificates take their law on trust, because no episode
 * of the run can refute it; NULL: it was tested, learnt, or is that of the world. */
const char *fy_run_trusted(const foray_run *run);

#endif
