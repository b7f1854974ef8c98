/* compare.h - algorithms side by side.
 *
 *   compare.c   the whole: checks, all runs in parallel, results
 *   trial.c     one run of one algorithm with one seed, measured at checkpoints
 *   folder.c    what is kept in the directory: the terms of the comparison, and the
 *               rows of each run that ended
 *   results.c   tables of all rows, and of their aggregates
 *   plots.c     charts, and the page that shows everything */
#ifndef FY_COMPARE_H
#define FY_COMPARE_H

#include <omp.h>

#include "measure/measure.h"
#include "report/table.h"

/* What is measured at each checkpoint: X(name, words). The names are CSV headings. */
#define FY_MEASURES(X)                                                                             \
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
    X(per_episode, "processor seconds per episode since the checkpoint before")

#define FY_MEASURE_NAME(name, words) FY_M_##name,
enum { FY_MEASURES(FY_MEASURE_NAME) FY_M_COUNT };
enum { FY_T_FIRST = FY_M_COUNT - 1, FY_TIMES(FY_MEASURE_NAME) FY_M_ALL };
#undef FY_MEASURE_NAME

/* The name and the meaning of a measure, 0 <= index < FY_M_ALL. */
const char *fy_measure_name(int index);
const char *fy_measure_words(int index);

/* One checkpoint of one run. */
typedef struct fy_row {
    int64_t episode;
    double value[FY_M_ALL];
} fy_row;

/* The rows of one run. */
typedef struct fy_rows {
    int64_t count, capacity;
    fy_row *row;
} fy_rows;

foray_status fy_rows_add(foray_context *ctx, fy_rows *rows, const fy_row *row);

/* The comparison at work. Everything but rows and progress is constant while runs go on. */
typedef struct fy_compare {
    foray_context *ctx; /* the caller's; its own thread only */
    const foray_model *model;
    const char *world;
    const foray_comparison *what;
    const char *directory;
    foray_family *family[FORAY_FAMILIES];
    int64_t runs;  /* algorithms x seeds; run = seed index * algorithms + algorithm */
    fy_rows *rows; /* [runs] */

    /* Progress, and why to stop: under one lock. */
    foray_comparison_fn progress;
    void *user;
    double started, told; /* seconds */
    omp_lock_t lock;      /* guards what runs tell of themselves */
    double *done;         /* [runs] 0 to 1 */
    int64_t finished;
    foray_status status;
} fy_compare;

static inline const char *fy_compare_algorithm(const fy_compare *compare, int64_t run)
{
    return compare->what->algorithm[run % compare->what->algorithms];
}

static inline int64_t fy_compare_seed(const fy_compare *compare, int64_t run)
{
    return compare->what->settings.seed + run / compare->what->algorithms;
}

/* Monotonic seconds. */
double fy_seconds(void);

/* A run tells that `done` of it is done. False: stop. Any thread may call it. */
bool fy_compare_tell(fy_compare *compare, int64_t run, double done);

/* trial.c. `ctx` belongs to the calling thread. FORAY_INTERRUPTED: told to stop. */
foray_status fy_trial(foray_context *ctx, fy_compare *compare, int64_t run, fy_rows *rows);

/* The explorer of a run, before its first episode. */
foray_status fy_trial_explorer(foray_context *ctx, const fy_compare *compare, int64_t run,
                               foray_explorer **out);

/* The checkpoint after `episode` (0: none yet): the least number of episodes that is
 * larger and next in 10^(i/4), rounded, or the last. */
int64_t fy_next_checkpoint(int64_t episode, int64_t last);

/* folder.c */
foray_status fy_folder_open(const fy_compare *compare);
/* *found: there are rows of this run. */
foray_status fy_folder_read(foray_context *ctx, const fy_compare *compare, int64_t run, bool *found,
                            fy_rows *rows);
foray_status fy_folder_write(foray_context *ctx, const fy_compare *compare, int64_t run,
                             const fy_rows *rows);
/* directory/name, to be released with free(). */
char *fy_folder_path(foray_context *ctx, const fy_compare *compare, const char *name);

/* results.c: aggregates of one measure of one algorithm over its seeds. */
typedef struct fy_curve {
    int64_t count;            /* checkpoints that every seed reached */
    double *x;                /* [count] episodes */
    double *iqm, *low, *high; /* [count] */
} fy_curve;
foray_status fy_curve_create(const fy_compare *compare, int64_t algorithm, int measure,
                             fy_curve *out);
void fy_curve_destroy(fy_curve *curve);
/* The table of aggregates at the end of the runs, for people. Release it in any case. */
foray_status fy_results_summary(const fy_compare *compare, fy_table *out);
/* results.csv, times.csv, summary.csv, summary.txt */
foray_status fy_results_write(const fy_compare *compare);

/* "0.0123 [0.01, 0.02]" as one more cell. */
void fy_interval_cell(fy_table *table, double iqm, double low, double high);

/* plots.c: the charts, and index.html. */
foray_status fy_plots_write(const fy_compare *compare);

/* The text becomes the file `name` of the directory; it is released in any case. */
foray_status fy_folder_save(const fy_compare *compare, const char *name, fy_writer *text);

#endif
