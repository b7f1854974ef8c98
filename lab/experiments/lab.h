/* lab.h - experiments that measure what the theorems promise.
 *
 * An experiment is one file that ends in an fy_lab_experiment, and one row of the table in
 * lab.c. The lab does the rest: it gives the experiment a command, reads the parameters, makes
 * the cells side by side, keeps the rows of each cell that ended, and writes rows.csv, the
 * tables, the findings and a page.
 *
 *   lab.c          the table of experiments, and the whole of one
 *   all.c          one or all of them, and the page that links them
 *   parameters.c   the values of parameters, from their texts
 *   page.c         the page and everything else that is written */
#ifndef FY_LAB_H
#define FY_LAB_H

#include "base/parameter.h"
#include "page/content.h"
#include "work/work.h"

enum { FY_LAB_PARAMETERS = 24, FY_LAB_AXES = 6, FY_LAB_COLUMNS = 32 };

typedef struct fy_lab fy_lab;

/* What rows say: a number, or the one of several words that the number picks. */
typedef struct fy_lab_column {
    const char *name; /* the heading of rows.csv */
    const char *help;
    const char *const *word; /* the words of an experiment's own, or NULL */
    int words;               /* 1 + the parameter whose words they are; 0: none */
    bool time;               /* seconds, which no two runs share: kept apart in times.csv */
} fy_lab_column;

/* A cell is what is made and kept at once. Its rows depend on the parameters and on `at`
 * alone. */
typedef struct fy_lab_cell {
    char name[FY_PART_NAME]; /* of its file: letters, digits and + - = . _ */
    double weight;           /* about how many seconds of one core it takes */
    int64_t at[FY_LAB_AXES]; /* which values of the parameters; for the experiment to say */
} fy_lab_cell;

/* A formula as it stands in plain text, and as HTML; the last of a list is {NULL, NULL}. */
typedef struct fy_lab_formula {
    const char *text, *html;
} fy_lab_formula;

/* Everything is required but formulas. */
typedef struct fy_lab_experiment {
    const char *name;              /* one word */
    const char *summary;           /* one line without a full stop that goes after "measure" */
    const char *question;          /* a paragraph for the page: what is measured, and how */
    const fy_lab_formula *formula; /* what in it is a formula, the longer before its parts; NULL */
    const char *description; /* the same for the help of the command, in lines of 80 columns */
    const char *example;     /* options with which the command takes a moment */
    const foray_lab_parameter *parameter;
    int64_t parameters;
    const fy_lab_column *column;
    int64_t columns;
    /* Checks how the parameters fit together, and adds the cells with fy_lab_add_cell. */
    foray_status (*plan)(fy_lab *lab);
    /* Makes the rows of a cell. Several threads call it at once, each with a context of
     * its own: lab->ctx is not to be touched. Call fy_lab_progress every now and then. */
    foray_status (*cell)(foray_context *ctx, fy_lab *lab, int64_t cell, fy_rows *rows);
    /* What the rows come to: findings with fy_lab_find, tables and pictures for the page. A
     * table that is to be read or opened becomes a file as well; the one called "summary" is
     * what `foray lab --json` shows. */
    foray_status (*show)(fy_lab *lab, fy_content *content);
} fy_lab_experiment;

/* The values of a parameter: one, or those of a list. */
typedef struct fy_lab_value {
    char *text;
    int64_t count;
    double *number; /* [count]; NULL: they are words */
    char **word;    /* [count]; NULL: they are numbers */
    char *pieces;   /* what `word` points into */
} fy_lab_value;

/* An experiment at work. Everything but rows is constant while cells are made. */
struct fy_lab {
    foray_context *ctx; /* the caller's; its own thread only */
    const fy_lab_experiment *experiment;
    fy_lab_value value[FY_LAB_PARAMETERS]; /* in the order of the table */
    const char *heading[FY_LAB_COLUMNS];   /* names of the columns */
    fy_folder folder;
    foray_shard shard;
    foray_figure figure;
    int64_t cells, room;
    fy_lab_cell *cell; /* [cells] */
    double weight;     /* of all of them */
    fy_rows *rows;     /* [cells] */
    fy_work work;
    fy_writer findings; /* one sentence on each line */
};

/* Values of parameters, by their row in the table. */
static inline double fy_lab_real(const fy_lab *lab, int parameter)
{
    return lab->value[parameter].number[0];
}

static inline int64_t fy_lab_whole(const fy_lab *lab, int parameter)
{
    return (int64_t)fy_lab_real(lab, parameter);
}

static inline int64_t fy_lab_count(const fy_lab *lab, int parameter)
{
    return lab->value[parameter].count;
}

/* The i-th of a list. */
static inline double fy_lab_number(const fy_lab *lab, int parameter, int64_t i)
{
    return lab->value[parameter].number[i];
}

static inline const char *fy_lab_word(const fy_lab *lab, int parameter, int64_t i)
{
    return lab->value[parameter].word[i];
}

/* Rows of a table of parameters, with their quick and full defaults: one value, or a list. */
#define FY_LAB_ROW(name_, quick_, full_, kind_, list_, min_, max_, choices_, help_)                \
    {                                                                                              \
        .is = {.name = (name_),                                                                    \
               .kind = (kind_),                                                                    \
               .fallback = (full_),                                                                \
               .min = (min_),                                                                      \
               .max = (max_),                                                                      \
               .choices = (choices_),                                                              \
               .help = (help_)},                                                                   \
        .quick = (quick_), .list = (list_)                                                         \
    }
#define FY_LAB_WHOLE(name, quick, full, min, max, help)                                            \
    FY_LAB_ROW(name, quick, full, FORAY_INTEGER, false, min, max, NULL, help)
#define FY_LAB_WHOLES(name, quick, full, min, max, help)                                           \
    FY_LAB_ROW(name, quick, full, FORAY_INTEGER, true, min, max, NULL, help)
#define FY_LAB_REAL(name, quick, full, min, max, help)                                             \
    FY_LAB_ROW(name, quick, full, FORAY_REAL, false, min, max, NULL, help)
#define FY_LAB_REALS(name, quick, full, min, max, help)                                            \
    FY_LAB_ROW(name, quick, full, FORAY_REAL, true, min, max, NULL, help)
#define FY_LAB_CHOICE(name, quick, full, choices, help)                                            \
    FY_LAB_ROW(name, quick, full, FORAY_CHOICE, false, 0, 0, choices, help)
#define FY_LAB_CHOICES(name, quick, full, choices, help)                                           \
    FY_LAB_ROW(name, quick, full, FORAY_CHOICE, true, 0, 0, choices, help)
#define FY_LAB_ALGORITHMS(name, quick, full, help)                                                 \
    FY_LAB_ROW(name, quick, full, FORAY_ALGORITHM, true, 0, 0, NULL, help)
#define FY_LAB_WORLDS(name, quick, full, help)                                                     \
    FY_LAB_ROW(name, quick, full, FORAY_WORLD, true, 0, 0, NULL, help)

/* The first seed, which every experiment has, and how many consecutive ones. */
#define FY_LAB_SEED FY_LAB_WHOLE("seed", "1", "1", 0, 1e15, "the first seed")
#define FY_LAB_SEEDS(quick, full)                                                                  \
    FY_LAB_WHOLE("seeds", quick, full, 1, 1e6, "runs of each kind, with consecutive seeds")

/* ---------------------------------------------------------------------------- cells */

/* One more cell; its name as printf, unique among the cells. */
foray_status fy_lab_add_cell(fy_lab *lab, double weight, const int64_t at[FY_LAB_AXES],
                             const char *name, ...) __attribute__((format(printf, 4, 5)));

/* `done` of the cell is done. False: stop, and return FORAY_INTERRUPTED. */
static inline bool fy_lab_progress(fy_lab *lab, int64_t cell, double done)
{
    return fy_work_progress(&lab->work, cell, done);
}

/* ------------------------------------------------------------------------- findings */

/* A sentence without line ends that says what was found: first on the page, in
 * findings.txt, and what the command prints. */
void fy_lab_find(fy_lab *lab, const char *sentence, ...) __attribute__((format(printf, 2, 3)));
/* The verdict, about three sentences, is complete; what is found from here on are details, to be
 * opened on the page. */
void fy_lab_details(fy_lab *lab);

/* parameters.c */
foray_status fy_lab_set(fy_lab *lab, int64_t parameter, const char *text);
void fy_lab_values_free(fy_lab *lab);

/* page.c: rows.csv, times.csv, findings.txt, index.html, and the tables of the experiment. */
foray_status fy_lab_write(fy_lab *lab);

/* Reads the parameters and plans the cells; then makes them and writes everything.
 * Release it whatever the answer. */
foray_status fy_lab_create(foray_context *ctx, const fy_lab_experiment *experiment,
                           const foray_lab_options *options, fy_lab *lab);
foray_status fy_lab_make(fy_lab *lab, const char *directory, foray_work_fn progress, void *user);
void fy_lab_release(fy_lab *lab);

/* The question as a paragraph, with its formulas. */
void fy_lab_print_question(fy_writer *text, const fy_lab_experiment *experiment);
/* The verdict as a paragraph, and where `details` are wanted a list of them, to be opened. */
void fy_lab_print_findings(fy_writer *text, const char *findings, bool details);

/* The table of experiments; NULL where there is none of that name. */
extern const fy_lab_experiment *const fy_lab_experiments[];
extern const int64_t fy_lab_experiments_count;
const fy_lab_experiment *fy_lab_experiment_named(const char *name);

/* foray_lab_run with "all", for any experiments. */
foray_status fy_lab_run_all(foray_context *ctx, const fy_lab_experiment *const *experiment,
                            int64_t count, const foray_lab_options *options, const char *directory,
                            foray_work_fn progress, void *user);

#endif
