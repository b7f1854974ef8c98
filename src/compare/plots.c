/* plots.c - the charts of a comparison, and the page that shows them. */
#include "compare/compare.h"
#include "report/page.h"
#include "report/svg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct plot {
    int measure;
    const char *id, *title, *label;
    int kind;
    const char *explanation;
} plot;

static const plot plots[] = {
    {FY_M_worst, "worst", "Worst gap over all rewards", "worst gap  E[V* − Vπ]", FY_AXIS_LOG,
     "The largest gap over the goal states, the random dense, sparse and time-dependent rewards, "
     "and the reward the adversary climbs to."},
    {FY_M_mean, "mean", "Mean gap over the reward families", "mean gap  E[V* − Vπ]", FY_AXIS_LOG,
     "The mean over all rewards of the four families."},
    {FY_M_given, "given", "Gap for the reward that was given", "gap  E[V* − Vπ]", FY_AXIS_LOG,
     "The reward that algorithms which see it explored for, and that the others did not know: what "
     "not knowing the reward costs."},
    {FY_M_bound, "certificate", "Certificate for all rewards", "certified gap", FY_AXIS_LOG,
     "What the algorithm itself guarantees, for every reward at once. Algorithms that guarantee "
     "nothing for all rewards have no line."},
    {FY_M_covered, "covered", "States visited", "states", FY_AXIS_LINEAR,
     "States that were visited at least once."},
    {FY_M_per_episode, "time", "Time per episode", "processor seconds", FY_AXIS_LOG,
     "Exploring alone, without measuring, since the checkpoint before. Runs that go on side by "
     "side "
     "share caches and memory."},
    {FY_M_memory, "memory", "Memory", "bytes", FY_AXIS_LOG,
     "What the explorer must remember from one episode to the next: the bytes "
     "foray_explorer_save writes. The model and working space are not counted."},
};
enum { PLOTS = sizeof plots / sizeof *plots };

/* -------------------------------------------------------------------------- charts */

/* The curves of all algorithms for one measure. */
typedef struct curves {
    fy_curve *curve;   /* [algorithms] */
    fy_series *series; /* [algorithms] */
} curves;

static void destroy_curves(const fy_compare *compare, curves *c)
{
    for (int64_t a = 0; c->curve && a < compare->what->algorithms; a++)
        fy_curve_destroy(&c->curve[a]);
    free(c->curve);
    free(c->series);
    *c = (curves){0};
}

static foray_status create_curves(const fy_compare *compare, int measure, curves *c)
{
    int64_t count = compare->what->algorithms;
    *c = (curves){0};
    if (!FY_ALLOC(compare->ctx, c->curve, count) || !FY_ALLOC(compare->ctx, c->series, count))
        return FORAY_ERROR_MEMORY;
    foray_status status = FORAY_OK;
    for (int64_t a = 0; a < count && status == FORAY_OK; a++) {
        fy_curve *curve = &c->curve[a];
        status = fy_curve_create(compare, a, measure, curve);
        c->series[a] = (fy_series){compare->what->algorithm[a],
                                   curve->count,
                                   curve->x,
                                   curve->iqm,
                                   curve->low,
                                   curve->high};
    }
    return status;
}

static void draw(const fy_compare *compare, const plot *its, const curves *c, fy_writer *text)
{
    char note[128];
    snprintf(note, sizeof note,
             "interquartile mean over %" PRId64 " seed%s; bands: 95%% bootstrap intervals",
             compare->what->seeds, compare->what->seeds == 1 ? "" : "s");
    fy_chart chart = {
        .id = its->id,
        .title = its->title,
        .note = note,
        .x = {.label = "episodes", .kind = FY_AXIS_LOG},
        .y = {.label = its->label, .kind = its->kind, .from_zero = true},
        .count = compare->what->algorithms,
        .series = c->series,
    };
    fy_svg_chart(text, &chart);
}

static foray_status write_chart(const fy_compare *compare, const plot *its, const curves *c)
{
    char name[64];
    fy_writer text = {.ctx = compare->ctx};
    snprintf(name, sizeof name, "%s.svg", its->id);
    draw(compare, its, c, &text);
    return fy_folder_save(&compare->folder, name, &text);
}

/* ---------------------------------------------------------------------------- page */

/* The point of a curve at a checkpoint; -1: it has none there. */
static int64_t point_at(const fy_curve *curve, double episodes)
{
    for (int64_t i = 0; i < curve->count; i++)
        if (curve->x[i] == episodes)
            return i;
    return -1;
}

/* The algorithm whose curve goes furthest names the rows. */
static const fy_curve *longest(const fy_compare *compare, const curves *c)
{
    const fy_curve *curve = &c->curve[0];
    for (int64_t a = 1; a < compare->what->algorithms; a++)
        if (c->curve[a].count > curve->count)
            curve = &c->curve[a];
    return curve;
}

static void print_data(const fy_compare *compare, const curves *c, const char **heading,
                       fy_writer *text)
{
    int64_t count = compare->what->algorithms;
    const fy_curve *rows = longest(compare, c);
    heading[0] = "episodes";
    for (int64_t a = 0; a < count; a++)
        heading[1 + a] = compare->what->algorithm[a];
    fy_table table = fy_table_begin(compare->ctx, 1 + count, heading);
    for (int64_t i = 0; i < rows->count; i++) {
        fy_table_number(&table, rows->x[i]);
        for (int64_t a = 0; a < count; a++) {
            const fy_curve *curve = &c->curve[a];
            int64_t at = point_at(curve, rows->x[i]);
            if (at < 0)
                fy_table_cell(&table, "%s", "");
            else
                fy_interval_cell(&table, curve->iqm[at], curve->low[at], curve->high[at]);
        }
    }
    fy_table_print_html(&table, text);
    fy_table_free(&table);
}

static foray_status print_section(const fy_compare *compare, const plot *its, fy_writer *text)
{
    curves c;
    const char **heading = NULL;
    foray_status status = create_curves(compare, its->measure, &c);
    if (status == FORAY_OK)
        status = write_chart(compare, its, &c);
    if (status == FORAY_OK && !FY_ALLOC(compare->ctx, heading, 1 + compare->what->algorithms))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK) {
        fy_print(text, "<h2>%s</h2>\n<p>%s</p>\n<figure>\n", its->title, its->explanation);
        draw(compare, its, &c, text);
        fy_print(text, "</figure>\n<details><summary>numbers</summary><div class=\"wide\">\n");
        print_data(compare, &c, heading, text);
        fy_print(text, "</div></details>\n");
    }
    free(heading);
    destroy_curves(compare, &c);
    return status;
}

static foray_status print_summary(const fy_compare *compare, fy_writer *text)
{
    fy_table table;
    foray_status status = fy_results_summary(compare, &table);
    fy_print(text, "<h2>Summary</h2>\n<p>At the last checkpoint of each run: the interquartile "
                   "mean over seeds and its 95%% bootstrap interval.</p>\n<div class=\"wide\">\n");
    fy_table_print_html(&table, text);
    fy_table_free(&table);
    fy_print(text, "</div>\n<p>All numbers: <a href=\"results.csv\">results.csv</a>, "
                   "<a href=\"times.csv\">times.csv</a>, <a href=\"summary.csv\">summary.csv</a>; "
                   "the settings: <a href=\"comparison.txt\">comparison.txt</a>.</p>\n");
    return status;
}

static void print_lead(const fy_compare *compare, fy_writer *text)
{
    const foray_comparison *what = compare->what;
    const foray_model *model = compare->model;
    fy_print(text,
             "<p class=\"lead\">%" PRId64 " algorithms, %" PRId64 " seeds, %" PRId64
             " episodes at the most; ",
             what->algorithms, what->seeds, what->settings.episodes);
    fy_print(text,
             "%" PRId64 " states, %" PRId64 " actions, horizon %" PRId64
             "; %s policies; foray %s</p>\n",
             model->states, model->actions, model->horizon, foray_mode_name(what->mode),
             foray_version());
}

foray_status fy_plots_write(const fy_compare *compare)
{
    char title[256];
    fy_writer text = {.ctx = compare->ctx};
    snprintf(title, sizeof title, "Exploring %s", compare->world);
    fy_page_begin(&text, title);
    print_lead(compare, &text);
    foray_status status = print_summary(compare, &text);
    for (int i = 0; i < PLOTS && status == FORAY_OK; i++)
        if (plots[i].measure != FY_M_given || compare->what->reward)
            status = print_section(compare, &plots[i], &text);
    fy_page_end(&text);
    text.failed |= status != FORAY_OK;
    foray_status saved = fy_folder_save(&compare->folder, "index.html", &text);
    return status == FORAY_OK ? saved : status;
}
