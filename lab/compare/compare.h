/* compare.h - algorithms side by side: an experiment whose cells are an algorithm with a seed.
 *
 *   compare.c  what all comparisons share: checks, cells, terms, the command
 *   known.c    where the truth is known: gaps, tables over seeds, K(eps), charts, who won
 *   reality.c  where it is not: plans are tried in reality
 *   trial.c    one run of one algorithm with one seed, measured at checkpoints */
#ifndef FY_COMPARE_H
#define FY_COMPARE_H

#include "compare/trial.h"

/* The comparison at work: lab->user. Constant while cells are made. */
typedef struct fy_compare {
    const foray_model *model;
    const char *world;
    const foray_comparison *what;
    const foray_reward *reward;     /* for algorithms that see it; or NULL */
    fy_family *family[FY_FAMILIES]; /* where the truth is known */
    /* Where it is not: returns of one plan [rollouts], names of the rewards. */
    double *value;
    const char **reward_name;
} fy_compare;

static inline fy_compare *fy_compare_of(const fy_lab *lab)
{
    return lab->user;
}

/* foray_compare, which hands the comparison to `show` (may be NULL) once it is written; not that of
 * a shard. */
foray_status fy_compare_run(foray_context *ctx, const foray_model *model, const char *world,
                            const foray_comparison *comparison, const char *directory,
                            foray_work_fn progress, void *user, fy_lab_show_fn show,
                            void *show_user);

/* The two experiments, and what they have in common. */
extern const fy_lab_experiment fy_compare_known, fy_compare_reality;

/* What says which cell: the algorithm, whose words are what->algorithm, and the seed. Cells of an
 * algorithm lie side by side. */
enum { FY_COMPARE_ALGORITHM, FY_COMPARE_SEED, FY_COMPARE_AXES };
extern const fy_lab_column fy_compare_axes[FY_COMPARE_AXES];

/* Checks the comparison and adds the cells, each of `rows` rows (0: that is not known). */
foray_status fy_compare_plan(fy_lab *lab, int64_t rows);
/* The run that a cell is. */
foray_status fy_compare_trial(foray_context *ctx, fy_lab *lab, int64_t cell, fy_trial *out);
foray_status fy_compare_terms(const fy_lab *lab, fy_writer *text);
foray_status fy_compare_print_command(const fy_lab *lab, fy_writer *text);

/* The rows of an algorithm with its i-th seed. */
static inline const fy_rows *fy_compare_rows(const fy_lab *lab, int64_t algorithm, int64_t i)
{
    return &lab->rows[algorithm * fy_compare_of(lab)->what->seeds + i];
}

#endif
