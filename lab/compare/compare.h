/* compare.h - algorithms side by side.
 *
 *   compare.c     the whole: checks, all runs in parallel, results
 *   contestant.c  an algorithm with settings of its own
 *   trial.c       one run of one algorithm with one seed, measured at checkpoints
 *   terms.c       what the rows in a directory depend on
 *   results.c     tables of all rows, and of their aggregates
 *   verdict.c     who won, in words
 *   learning.c    after how many episodes an algorithm had learnt, and how that grows
 *   figures.c     one of the pictures as a file for papers
 *   plots.c       charts, and the page that shows everything
 *
 *   reality.c     the same where the truth is not known: plans are tried in reality
 *   earnings.c    tables and words of what they earned */
#ifndef FY_COMPARE_H
#define FY_COMPARE_H

#include "compare/trial.h"
#include "draw/svg.h"
#include "draw/table.h"
#include "algorithms/algorithms.h"
#include "work/work.h"

/* The comparison at work. Everything but rows is constant while runs go on. */
typedef struct fy_compare {
    foray_context *ctx; /* the caller's; its own thread only */
    const foray_model *model;
    const char *world;
    const foray_comparison *what;
    fy_folder folder;
    fy_family *family[FY_FAMILIES];
    int64_t runs;  /* algorithms x seeds; run = seed index * algorithms + algorithm */
    fy_rows *rows; /* [runs] of FY_M_ALL columns, a row for each checkpoint */
    const char *heading[FY_M_ALL]; /* their names */
    fy_work work;
} fy_compare;

static inline const char *fy_compare_algorithm(const fy_compare *compare, int64_t run)
{
    return compare->what->algorithm[run % compare->what->algorithms];
}

static inline int64_t fy_compare_seed(const fy_compare *compare, int64_t run)
{
    return compare->what->settings.seed + run / compare->what->algorithms;
}

/* compare.c: what comparisons with and without a known truth share. */
foray_status fy_compare_check(foray_context *ctx, const foray_comparison *what);
foray_status fy_compare_check_algorithms(fy_compare *compare);
/* Empty rows for each run. */
foray_status fy_compare_make_room(fy_compare *compare, int64_t columns);
void fy_compare_free_rows(fy_compare *compare);
/* Members of fy_work; `user` begins with the fy_compare. */
void fy_compare_name_run(const void *user, int64_t run, char out[FY_PART_NAME]);
foray_status fy_compare_find_run(foray_context *ctx, void *user, int64_t run, bool *found);
/* The rows of a run become a file of the directory. */
foray_status fy_compare_keep_run(foray_context *ctx, const fy_compare *compare, int64_t run);

/* What a run of the comparison is, but for whom to tell how far it is. */
foray_status fy_compare_trial(foray_context *ctx, const fy_compare *compare, int64_t run,
                              fy_trial *out);

/* contestant.c: the settings of "NAME[:key=value,...]", on top of those of all runs. */
foray_status fy_contestant_settings(foray_context *ctx, const foray_settings *common,
                                    const char *text, foray_settings *out);

/* verdict.c: a sentence for each measure that matters; nothing with one algorithm. */
foray_status fy_compare_verdict(const fy_compare *compare, fy_writer *text);

/* terms.c: everything that rows depend on, but for the algorithm and how many seeds there
 * are, as lines of text with a final 0. */
foray_status fy_compare_terms(const fy_compare *compare, fy_writer *text);

/* results.c: one measure of an algorithm over its seeds, at the checkpoints that all of them
 * reached: interquartile means and their intervals. Release with free(out->point). */
foray_status fy_compare_curve(const fy_compare *compare, int64_t algorithm, int measure,
                              fy_series *out);
/* The same at the last checkpoint of each seed. */
foray_status fy_compare_last(const fy_compare *compare, int64_t algorithm, int measure,
                             fy_summary *out);
/* The table of aggregates at the end of the runs, for people. Release it in any case. */
foray_status fy_compare_summary(const fy_compare *compare, fy_table *out);
/* K(eps) of each algorithm. Release it. */
fy_table fy_compare_learning(const fy_compare *compare);
/* The same for people: a row for each algorithm, a column for each eps; how many are reached. */
fy_table fy_compare_matrix(const fy_compare *compare, int measure, int64_t *reached);
/* results.csv, times.csv, summary.csv, summary.txt, verdict.txt, learning.csv */
foray_status fy_compare_write_results(const fy_compare *compare);

/* plots.c: is there such a figure? */
foray_status fy_compare_check_figure(foray_context *ctx, const foray_comparison *what);
/* The charts, and index.html. */
foray_status fy_compare_write_page(const fy_compare *compare);

#endif
