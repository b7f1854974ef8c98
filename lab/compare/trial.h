/* trial.h - one run of one algorithm with one seed, measured at checkpoints. */
#ifndef FY_TRIAL_H
#define FY_TRIAL_H

#include "measure/measure.h"
#include "work/lab.h"

/* What is measured at each checkpoint: X(name, words). The names are CSV headings. */
#define FY_MEASURES(X)                                                                             \
    X(episode, "episodes so far")                                                                  \
    X(worst, "worst gap of all rewards, the adversary's included")                                 \
    X(mean, "mean gap of all rewards but the adversary's")                                         \
    X(goals_worst, "worst gap, goal states")                                                       \
    X(goals_mean, "mean gap, goal states")                                                         \
    X(dense_worst, "worst gap, random dense rewards")                                              \
    X(dense_mean, "mean gap, random dense rewards")                                                \
    X(sparse_worst, "worst gap, random sparse rewards")                                            \
    X(sparse_mean, "mean gap, random sparse rewards")                                              \
    X(timed_worst, "worst gap, rewards random for each step")                                      \
    X(timed_mean, "mean gap, rewards random for each step")                                        \
    X(adversary, "gap of the adversary's reward")                                                  \
    X(given, "gap of the reward that was given to explore for; empty: none was")                   \
    X(bound, "certificate for all rewards")                                                        \
    X(certified, "1: the certificate holds with probability 1 - delta")                            \
    X(covered, "states visited so far")                                                            \
    X(memory, "bytes of the explorer's state, as foray_explorer_save writes it")

/* Times, which no two runs share: kept apart from all the rest. */
#define FY_TIMES(X)                                                                                \
    X(seconds, "seconds of exploring so far")                                                      \
    X(per_episode, "processor seconds per episode since the previous checkpoint")

#define FY_MEASURE_NAME(name, words) FY_M_##name,
enum { FY_MEASURES(FY_MEASURE_NAME) FY_M_COUNT };
enum { FY_M_LAST = FY_M_COUNT - 1, FY_TIMES(FY_MEASURE_NAME) FY_M_ALL };
#undef FY_MEASURE_NAME

extern const fy_lab_column fy_trial_columns[FY_M_ALL];

/* What to run, and how to measure it. Everything but the last two is the same for equal trials. */
typedef struct fy_trial {
    const foray_model *model;
    foray_settings settings;    /* algorithm, seed and episodes among them */
    const foray_reward *reward; /* for algorithms that see it, and to be measured; or NULL */
    fy_family *const *family;   /* [FY_FAMILIES] */
    foray_mode mode;            /* how policies are planned */
    int64_t rounds;             /* of the adversary */
    double seconds;             /* stop after exploring for so long; 0: never */
    int per_decade;             /* checkpoints at 10^(i/per_decade) episodes */
    fy_lab *lab;                /* told how far it is, */
    int64_t cell;               /* as this cell */
} fy_trial;

enum { FY_TRIAL_PER_DECADE = 4 }; /* usually */

/* Adds a row of FY_M_ALL numbers for each checkpoint. FORAY_INTERRUPTED: told to stop. */
foray_status fy_trial_run(foray_context *ctx, const fy_trial *trial, fy_rows *rows);

/* The explorer of a trial, before its first episode. */
foray_status fy_trial_explorer(foray_context *ctx, const fy_trial *trial, foray_explorer **out);

/* The checkpoint after `episode` (0: none yet): the least number of episodes that is
 * larger and next in 10^(i/per_decade), rounded, or the last. */
int64_t fy_next_checkpoint(int64_t episode, int64_t last, int per_decade);

/* Several runs that were looked at after the same numbers of episodes, a row for each look. */
typedef struct fy_looks {
    const fy_rows *rows; /* [runs] */
    int64_t runs;
    int64_t count;    /* looks that all runs have */
    int episode, gap; /* columns: episodes so far, ascending; what should become small */
} fy_looks;

/* K(eps): the first look from which on, up to the last, at least a share of 1 - delta of the
 * runs has a gap of at most eps, in episodes. INFINITY: not even at the last. `pick` [runs]
 * says which runs to look at, so that they can be resampled; NULL: each once. */
double fy_learning_time(const fy_looks *looks, double eps, double delta, const int64_t *pick);

#endif
