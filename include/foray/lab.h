/* lab.h - measuring, comparing, experiments, pages: the second library, libforay-lab.
 *
 * A program that only explores and plans needs only foray.h and ships none of this. The
 * conventions are those of foray.h. */
#ifndef FORAY_LAB_H
#define FORAY_LAB_H

#include "foray/foray.h"
#include "foray/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------- figures */

/* A picture of a page as a file of its own, for papers: SVG, with the numbers behind it as CSV. */
typedef struct foray_figure {
    const char *name;     /* that of the picture; NULL: none is wanted */
    double width, height; /* millimetres; 0: as on pages. Only charts have a height of their own */
    double points;        /* size of the letters of charts; 0: 9 */
    const char *font;     /* a family, or several with commas; NULL: that of the system */
    bool untitled;        /* charts without title */
} foray_figure;

/* ------------------------------------------------------------------ report */

/* One self-contained HTML page about a run: what was explored, how the bound and the plans went,
 * the estimate of theta with its intervals, the stored plans as arrows with their values, settings,
 * the commands that reproduce it, and the numbers behind every picture as tables and CSV. What is
 * too large for a page is summarised or left out, and the page says so. *out ends with a 0 that
 * *size does not count, and is released with foray_free. */
FORAY_API foray_status foray_report_print(foray_run *run, char **out, size_t *size);
/* The same as a file, which is written completely or not at all. */
FORAY_API foray_status foray_report_save(foray_run *run, const char *path);
/* A picture of that page, and its numbers. FORAY_ERROR_USAGE: there is no picture of that name; the
 * message lists those that exist. Both end with a 0 and are released with foray_free. */
FORAY_API foray_status foray_report_figure(foray_run *run, const foray_figure *figure, char **svg,
                                           char **csv);

/* -------------------------------------------------------------- playground */

/* Was this library built with the playground? That needs a compiler for WebAssembly. */
FORAY_API bool foray_playground_built(void);

/* One self-contained HTML page that contains the library, in which you paint rewards and see
 * policies and certificates (docs/play.md). With a run, it uses the run's explorer; without one
 * (NULL), the page explores `model`, which must know its theta. The page can also show what was
 * known after a half, a quarter, ... of the run's episodes: `history` is the largest number of such
 * points; all episodes are replayed for them. `reachable`: show only the states that episodes can
 * reach, without a history, for models that are too large for a page as a whole. Values are then
 * the same, and certificates may be smaller: laws that no episode meets are left out. *out and
 * *size as above. FORAY_ERROR_USAGE: there is no playground in this library, or the model is too
 * large. */
FORAY_API foray_status foray_playground_print(foray_context *ctx, foray_run *run,
                                              const foray_model *model, bool reachable,
                                              int64_t history, char **out, size_t *size);

/* ----------------------------------------------------------- work in parts */

/* The progress of work that is done in parts: the runs of a comparison, the cells of an
 * experiment of the lab. */
typedef struct foray_work_progress {
    int64_t parts, finished;
    double done;      /* of everything, 0 to 1 */
    double seconds;   /* since the call began */
    double remaining; /* seconds left, an estimate; NaN: too early to tell */
} foray_work_progress;

/* Called by one thread at a time, but not always the same. Return false to stop. */
typedef bool (*foray_work_fn)(void *user, const foray_work_progress *progress);

/* Work shared by several processes, on one machine or on many that see the same directory: a
 * process makes some of the parts, those of shard `number` of `of`, counted from 1. It writes no
 * results. A call without a shard, {0, 0}, makes what is missing and writes the results, which do
 * not depend on which process made a part. */
typedef struct foray_shard {
    int64_t number, of;
} foray_shard;

/* ----------------------------------------------------------------- compare */

/* Where the truth is not known: a system, and what counts there. */
typedef struct foray_reality {
    /* That is explored: foray_world_from_system, foray_world_from_aggregation. */
    foray_world *world;
    foray_system *system; /* in which plans are tried, */
    const foray_clusters *clusters;
    int64_t rollouts; /* for so many episodes each */
    int64_t rewards;  /* at least 1; algorithms that see the reward see the first */
    const foray_reward *const *reward; /* [rewards] to plan for */
    const int64_t *index; /* [rewards] which of the system's own rewards it is; -1: none of them */
} foray_reality;

/* Algorithms side by side: the same world, seeds, rewards and measures. */
typedef struct foray_comparison {
    /* Of every run; algorithm is ignored, seed is the first, and parameters of algorithms'
     * own go to those that have them. */
    foray_settings settings;
    int64_t algorithms;
    /* Each as NAME, or NAME:key=value,... with settings of its own. */
    const char *const *algorithm;
    int64_t seeds;   /* runs of each algorithm: seed, seed + 1, ...; at most 10^6 */
    double seconds;  /* stop a run after exploring for this long; 0: after `episodes` only */
    foray_mode mode; /* how policies are planned for the rewards */
    int64_t rewards; /* in each random family; at most 10^6 */
    int64_t goals;   /* largest number of goal states; 0: every state */
    int64_t rounds;  /* of the adversary, at most 10^6; 0: it only keeps the worst of its starts */
    /* For algorithms that see the reward while they explore; its gap is also measured, for
     * all algorithms. NULL: none. */
    const foray_reward *reward;
    /* Where the truth is not known; NULL: it is. */
    const foray_reality *reality;
    foray_shard shard;
    /* Also write this picture, as figure-NAME.svg and figure-NAME.csv. */
    foray_figure figure;
} foray_comparison;

/* The defaults: no algorithms, 5 seeds, 32 rewards, 256 goals, 4 rounds, plug-in policies. */
FORAY_API void foray_comparison_default(foray_comparison *comparison);

/* Compares, with as many runs at a time as the context has threads, and writes tables, plots and a
 * page into `directory` (made if missing; docs/compare.md lists its files). Each finished run is
 * kept there, and the next call with the same settings continues; it may ask for more
 * seeds or algorithms. FORAY_ERROR_USAGE: the directory holds something else, or a comparison with
 * other settings. FORAY_INTERRUPTED: `progress` (may be NULL) said stop. `world` says in words what
 * the model is.
 *
 * In reality every run explores the world, plans for each of the rewards, and follows the plans in
 * the system for `rollouts` episodes, all with the same random numbers, which no run has met. Runs
 * are made one after the other, because a program may not expect questions from two at once. The
 * members reward, rewards, goals and rounds are not used then, and there are no figures. */
FORAY_API foray_status foray_compare(foray_context *ctx, const foray_model *model,
                                     const char *world, const foray_comparison *comparison,
                                     const char *directory, foray_work_fn progress, void *user);

/* --------------------------------------------------------------------- lab */

/* Experiments that measure what the theorems promise. Each has parameters, with values
 * for a quick look and values for the full measurement. */
typedef struct foray_lab_parameter {
    foray_parameter is; /* its default is that of the full measurement */
    const char *quick;  /* the default for a quick look */
    bool list;          /* several values, with ',' between them; between worlds a blank */
} foray_lab_parameter;

typedef struct foray_lab_info {
    const char *name;
    const char *summary;     /* one line */
    const char *question;    /* a paragraph: what is measured, and how */
    const char *description; /* the same in short, in lines of at most 80 columns */
    const char *example;     /* options of `foray lab NAME` that take a moment */
    int64_t parameters;
    const foray_lab_parameter *parameter;
} foray_lab_info;

/* Experiment `index`; false past the end. */
FORAY_API bool foray_lab_describe(int64_t index, foray_lab_info *info);

typedef struct foray_lab_options {
    bool quick;                 /* the quick defaults instead of the full ones */
    int64_t settings;           /* parameters with values of the caller's own */
    const char *const *setting; /* [settings] "name=value" */
    foray_shard shard;
    foray_figure figure; /* also write this picture, as figure-NAME.svg and figure-NAME.csv */
} foray_lab_options;

/* Runs an experiment, with as many cells at a time as the context has threads, and
 * writes into `directory` (made if missing) rows.csv, further tables, findings.txt with
 * a sentence on each line, and index.html, which is self-contained. Each finished cell
 * is kept there, and the next call with the same parameters continues, to the same bytes; times,
 * which differ, are in times.csv. FORAY_ERROR_USAGE: no such experiment or parameter, a value
 * outside its range, or a directory that holds something else. FORAY_INTERRUPTED: `progress` (may
 * be NULL) said stop.
 *
 * "all" runs every experiment, each in a directory with its name, and writes index.html with
 * their findings; parameters given must then be ones that all of them have. */
FORAY_API foray_status foray_lab_run(foray_context *ctx, const char *experiment,
                                     const foray_lab_options *options, const char *directory,
                                     foray_work_fn progress, void *user);

#ifdef __cplusplus
}
#endif

#endif
