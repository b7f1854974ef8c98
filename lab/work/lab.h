/* lab.h - experiments: cells that are made side by side, kept, and summed up.
 *
 * An experiment is an fy_lab_experiment: those of lab/experiments measure what the theorems
 * promise, those of lab/compare put algorithms side by side. The lab does the rest: it reads the
 * parameters, makes the cells, keeps the rows of each that ended, and writes rows.csv, the tables,
 * the findings, the charts and a page.
 *
 *   lab.c      parameters, cells, the whole of an experiment
 *   page.c     the page and everything else that is written
 *   work.c     makes the parts side by side, and tells how far they are
 *   folder.c   a directory that knows the terms its parts were made on; files of rows */
#ifndef FY_LAB_H
#define FY_LAB_H

#include <pthread.h>

#include "base/parameter.h"
#include "foray/lab.h"
#include "page/content.h"

/* Seconds of the processor that the calling thread has used. */
double fy_thread_seconds(void);

/* ---------------------------------------------------------------------------- parts */

enum { FY_PART_NAME = 128 };

/* The caller fills the first half. `find` and `make` know their own results; `make` may
 * be called by several threads at once, each with a context of its own, of one thread. */
typedef struct fy_work {
    foray_context *ctx; /* the caller's */
    int64_t parts;
    foray_shard shard;    /* {0, 0}: all parts are to be made */
    bool alone;           /* one part after the other, by the thread that called */
    const double *weight; /* [parts] what each costs, in any unit; NULL: all the same */
    /* *found: the part was made before, and is there. */
    foray_status (*find)(foray_context *ctx, void *user, int64_t part, bool *found);
    foray_status (*make)(foray_context *ctx, void *user, int64_t part);
    /* For messages. */
    void (*name)(const void *user, int64_t part, char out[FY_PART_NAME]);
    void *user;
    foray_work_fn progress; /* may be NULL */
    void *progress_user;

    /* While it goes on; what parts tell is guarded by the mutex. */
    pthread_mutex_t mutex;
    double started, told;           /* seconds */
    double total, inherited;        /* weight of everything, and of what was found */
    double *done;                   /* [parts] 0 to 1 */
    int64_t *order;                 /* [parts] the heaviest first; then of those to be made only */
    int64_t own, missing, finished; /* of the shard's parts */
    foray_status status;
} fy_work;

/* FORAY_ERROR_USAGE where there is no such shard. */
foray_status fy_shard_check(foray_context *ctx, foray_shard shard);
static inline bool fy_shard_is_whole(foray_shard shard)
{
    return shard.of == 0;
}
/* How many of `parts` parts belong to a shard. */
int64_t fy_shard_parts(foray_shard shard, int64_t parts);

/* Finds what is there, then makes the rest. The first failure ends it, its message in
 * the caller's context; FORAY_INTERRUPTED: `progress` said stop. */
foray_status fy_work_run(fy_work *work);

/* A part tells that `done` of it is done. False: stop, with FORAY_INTERRUPTED. */
bool fy_work_progress(fy_work *work, int64_t part, double done);

/* --------------------------------------------------------------------------- folder */

typedef struct fy_folder {
    const char *path;
    const char *what;  /* it holds, as a word: "experiment"; names the file of the terms */
    const char *parts; /* the directory within for files of parts */
} fy_folder;

/* Makes the directory, and writes the terms into it if it is empty; if it is not, those there must
 * be these, line by line, or it is FORAY_ERROR_USAGE. */
foray_status fy_folder_open(foray_context *ctx, const fy_folder *folder, const char *terms);

/* folder/name, to be released with free(). */
char *fy_folder_path(foray_context *ctx, const fy_folder *folder, const char *name);

/* The text becomes the file `name`, whole or not at all; it is released in any case. */
foray_status fy_folder_save(const fy_folder *folder, const char *name, fy_writer *text);

/* ----------------------------------------------------------------------------- rows */

/* Rows of numbers, all with the same columns. */
typedef struct fy_rows {
    int64_t columns, count, capacity;
    double *value; /* [count][columns] */
} fy_rows;

/* One more row; `row` has as many numbers as there are columns. */
foray_status fy_rows_add(foray_context *ctx, fy_rows *rows, const double *row);

static inline const double *fy_rows_at(const fy_rows *rows, int64_t i)
{
    return rows->value + i * rows->columns;
}

/* The rows of a part as a CSV file of the folder, numbers to the last digit. */
foray_status fy_rows_write(foray_context *ctx, const fy_folder *folder, const char *part,
                           const char *const *heading, const fy_rows *rows);
/* *found: there is such a file, and `rows`, empty but for its columns, has what it holds. */
foray_status fy_rows_read(foray_context *ctx, const fy_folder *folder, const char *part,
                          const char *const *heading, bool *found, fy_rows *rows);

/* ---------------------------------------------------------------------- experiments */

enum { FY_LAB_PARAMETERS = 24, FY_LAB_AXES = 6, FY_LAB_COLUMNS = 32 };

typedef struct fy_lab fy_lab;

/* What rows say: a number, or the one of several words that the number picks. */
typedef struct fy_lab_column {
    const char *name; /* the heading of rows.csv */
    const char *help;
    const char *const *word; /* the words of an experiment's own, or NULL */
    int words;               /* 1 + the parameter whose words they are; 0: none */
    bool time;               /* seconds, which no two runs share: kept apart in times.csv, */
    bool both;               /* with what says where they were spent */
} fy_lab_column;

/* A cell is what is made and kept at once. Its rows depend on the parameters and on `at`
 * alone. */
typedef struct fy_lab_cell {
    char name[FY_PART_NAME]; /* of its file: letters, digits and + - = . _ */
    double weight;           /* about how many seconds of one core it takes */
    int64_t at[FY_LAB_AXES]; /* which values of the parameters; for the experiment to say */
    int64_t rows;            /* how many it comes to; 0: that shows when it is made */
} fy_lab_cell;

/* Everything is required but what may be NULL, 0 or false. */
typedef struct fy_lab_experiment {
    const char *name;        /* one word */
    const char *summary;     /* one line without a full stop that goes after "measure" */
    const char *question;    /* a paragraph for the page: what is measured, and how */
    const char *description; /* the same for the help of the command, in lines of 80 columns */
    const char *example;     /* options with which the command takes a moment */
    const foray_lab_parameter *parameter;
    int64_t parameters;
    /* What a cell is made for, cell->at[i] for axis i: columns that are in no file of a cell. */
    const fy_lab_column *axis;
    int64_t axes;
    const fy_lab_column *column;
    int64_t columns;
    bool alone; /* one cell after the other, by the thread and in the context that called */
    /* Checks how the parameters fit together, and adds the cells with fy_lab_add_cell. */
    foray_status (*plan)(fy_lab *lab);
    /* Makes the rows of a cell. Several threads call it at once, each with a context of
     * its own: lab->ctx is not to be touched. Call fy_lab_progress every now and then. */
    foray_status (*cell)(foray_context *ctx, fy_lab *lab, int64_t cell, fy_rows *rows);
    /* What the rows come to: findings with fy_lab_find, tables and pictures for the page. A
     * table that is to be read or opened becomes a file as well; the one called "summary" is
     * what `foray lab --json` shows. */
    foray_status (*show)(fy_lab *lab, fy_content *content);
    /* Where not all of it is in the parameters: what the rows depend on, as lines; and the command
     * and its settings on the page. NULL: the parameters say it. */
    foray_status (*terms)(const fy_lab *lab, fy_writer *text);
    foray_status (*print_command)(const fy_lab *lab, fy_writer *text);
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
    void *user;                            /* what the experiment knows besides its parameters */
    fy_lab_value value[FY_LAB_PARAMETERS]; /* in the order of the table */
    const char *heading[FY_LAB_COLUMNS];   /* names of the columns */
    /* Set by the plan, if at all: words of axes and columns that only it knows, the title of the
     * page and what stands below it. */
    const char *const *axis_word[FY_LAB_AXES], *const *column_word[FY_LAB_COLUMNS];
    char title[256], lead[256];
    fy_folder folder;
    foray_shard shard;
    foray_figure figure;
    int64_t cells, room;
    fy_lab_cell *cell; /* [cells] */
    double weight;     /* of all of them */
    fy_rows *rows;     /* [cells] */
    fy_work work;
    /* What it came to. */
    fy_writer summary;  /* a table to be read in a terminal before the findings; empty: none */
    fy_writer findings; /* one sentence on each line */
    fy_content content;
};

/* Values of parameters, by their row in the table. */
static inline double fy_lab_real(const fy_lab *lab, int parameter)
{
    return lab->value[parameter].number[0];
}

static inline int64_t fy_lab_integer(const fy_lab *lab, int parameter)
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
#define FY_LAB_INTEGER(name, quick, full, min, max, help)                                          \
    FY_LAB_ROW(name, quick, full, FORAY_INTEGER, false, min, max, NULL, help)
#define FY_LAB_INTEGERS(name, quick, full, min, max, help)                                         \
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
#define FY_LAB_SEED FY_LAB_INTEGER("seed", "1", "1", 0, 1e15, "the first seed")
#define FY_LAB_SEEDS(quick, full)                                                                  \
    FY_LAB_INTEGER("seeds", quick, full, 1, 1e6, "runs of each kind, with consecutive seeds")

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

/* ------------------------------------------------------------------------- the whole */

/* Reads the parameters and plans the cells; then makes them and, unless it is a shard, writes
 * everything. Release it whatever the answer. */
foray_status fy_lab_create(foray_context *ctx, const fy_lab_experiment *experiment,
                           const foray_lab_options *options, void *user, fy_lab *lab);
foray_status fy_lab_make(fy_lab *lab, const char *directory, foray_work_fn progress, void *user);
void fy_lab_release(fy_lab *lab);

/* Whoever wants to see what an experiment came to, when it has been written. */
typedef void (*fy_lab_show_fn)(void *user, const fy_lab *lab);

/* page.c: rows.csv, times.csv, findings.txt, index.html, the tables and charts of the experiment.
 */
foray_status fy_lab_write(fy_lab *lab);
/* The rows of all cells, without times, or with nothing but times. Many are in rows.csv only. */
enum { FY_LAB_EMBEDDED_ROWS = 4000 };
fy_table fy_lab_rows(const fy_lab *lab, bool times);
/* The verdict as a paragraph, and where `details` are wanted a list of them, to be opened. */
void fy_lab_print_findings(fy_writer *text, const char *findings, bool details);

#endif
