/* report.h - the page about one run, section by section. */
#ifndef FY_REPORT_H
#define FY_REPORT_H

#include "foray/lab.h"
#include "page/figure.h"
#include "page/page.h"
#include "run/run.h"

/* What keeps the page small whatever the world. Beyond it things are added up or left
 * out, and the page says so. */
enum {
    FY_REPORT_BLOCKS = 40,      /* cells along a side of the map of visits */
    FY_REPORT_WINDOW = 32,      /* cells along a side of the map of a policy */
    FY_REPORT_ROWS = 40,        /* bars, intervals, states of a policy without a map */
    FY_REPORT_LAWS = 4,         /* laws that are drawn, where coordinates are not probabilities */
    FY_REPORT_MARKED = 4,       /* states: more of them are a landscape, not a place to go to */
    FY_REPORT_POINTS = 120,     /* of a curve */
    FY_REPORT_PLANS = 8,        /* policies that are drawn */
    FY_REPORT_STEPS = 4,        /* steps of each, on a map */
    FY_REPORT_COLUMNS = 12,     /* steps of each, without a map */
    FY_REPORT_CSV_ROWS = 20000, /* rows of a table, on the page or as CSV */
    FY_REPORT_REWARD = 65536    /* bytes of a reward to be downloaded */
};

typedef struct fy_report {
    foray_context *ctx;
    foray_run *run;
    const foray_model *model;
    fy_run_facts facts;
    int64_t *visits;               /* [states] */
    double *estimate, *half_width; /* [dim]; NULL: the algorithm has none */
    fy_writer *text;
    fy_figure *figure; /* NULL: none is wanted */
} fy_report;

/* Draws a picture of the page, and offers it as a figure. */
void fy_report_draw_chart(fy_report *report, const fy_chart *chart);
void fy_report_draw_spans(fy_report *report, const fy_spans *spans);
void fy_report_draw_map(fy_report *report, const fy_map *map);

/* Each prints a section. */
foray_status fy_report_visits(fy_report *report);
foray_status fy_report_progress(fy_report *report);
foray_status fy_report_theta(fy_report *report);
foray_status fy_report_plans(fy_report *report);
/* Why the certificate of a plan is not 0, on the map and as tables; nothing where that is not
 * known. */
foray_status fy_report_doubt(fy_report *report, int64_t id, const foray_reward *reward,
                             const foray_policy *policy);
foray_status fy_report_settings(fy_report *report);

/* Were its episodes recorded elsewhere? */
bool fy_report_is_recorded(const fy_report *report);
/* The map, if the model has one that is more than a single line: false if not. */
bool fy_report_map(const fy_report *report, int64_t *rows, int64_t *cols);
/* Prints which quantity grows in which direction of the map, if the states' names tell. */
void fy_report_axes(fy_report *report, int64_t rows, int64_t cols);
/* Does an episode start in this state, one of a few? */
bool fy_report_starts(const fy_report *report, int64_t state);
/* The state that was visited most. */
int64_t fy_report_busiest(const fy_report *report);

#endif
