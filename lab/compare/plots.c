/* plots.c - the charts of a comparison, and the page that shows them. */
#include "compare/compare.h"
#include "page/command.h"
#include "page/page.h"
#include "draw/svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
enum { PLOTS = sizeof plots / sizeof *plots, COLUMNS = 3 };

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

enum { ON_PAGE = 560, ALONE = 0 }; /* width in pixels; 0: the usual one */

static void draw(const fy_compare *compare, const plot *its, const curves *c, int width,
                 fy_writer *text)
{
    char note[128];
    snprintf(note, sizeof note,
             "interquartile mean over %" PRId64 " seed%s; bands: 95%% bootstrap intervals",
             compare->what->seeds, compare->what->seeds == 1 ? "" : "s");
    fy_chart chart = {
        .id = its->id,
        .title = its->title,
        .note = note,
        .width = width,
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
    draw(compare, its, c, ALONE, &text);
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

/* For each algorithm the mean and its interval. */
static bool name_columns(const fy_compare *compare, fy_writer *names, const char **heading)
{
    static const char *const column[COLUMNS] = {"", " low", " high"};
    for (int64_t a = 0; a < compare->what->algorithms; a++)
        for (int i = 0; i < COLUMNS; i++)
            fy_print(names, "%s%s%c", compare->what->algorithm[a], column[i], 0);
    const char *at = (const char *)names->data;
    if (names->failed || !at)
        return false;
    heading[0] = "episodes";
    for (int64_t i = 1; i <= COLUMNS * compare->what->algorithms; i++) {
        heading[i] = at;
        at += strlen(at) + 1;
    }
    return true;
}

static void add_point(const fy_curve *curve, double episodes, fy_table *table)
{
    int64_t at = point_at(curve, episodes);
    fy_table_shortest(table, at < 0 ? NAN : curve->iqm[at]);
    fy_table_shortest(table, at < 0 ? NAN : curve->low[at]);
    fy_table_shortest(table, at < 0 ? NAN : curve->high[at]);
}

static foray_status print_data(const fy_compare *compare, const plot *its, const curves *c,
                               fy_writer *text)
{
    int64_t count = compare->what->algorithms;
    const fy_curve *rows = longest(compare, c);
    fy_writer names = {.ctx = compare->ctx};
    const char **heading;
    bool good = FY_ALLOC(compare->ctx, heading, 1 + COLUMNS * count);
    if (good && (good = name_columns(compare, &names, heading))) {
        fy_table table = fy_table_begin(compare->ctx, 1 + COLUMNS * count, heading);
        for (int64_t i = 0; i < rows->count; i++) {
            fy_table_shortest(&table, rows->x[i]);
            for (int64_t a = 0; a < count; a++)
                add_point(&c->curve[a], rows->x[i], &table);
        }
        fy_page_data(text, &table, its->id, NULL);
    }
    free(heading);
    free(names.data);
    return good ? FORAY_OK : FORAY_ERROR_MEMORY;
}

static foray_status print_section(const fy_compare *compare, const plot *its, fy_writer *text)
{
    curves c;
    foray_status status = create_curves(compare, its->measure, &c);
    if (status == FORAY_OK)
        status = write_chart(compare, its, &c);
    if (status == FORAY_OK) {
        fy_print(text, "<section>\n<h2>%s</h2>\n<figure>\n", its->title);
        draw(compare, its, &c, ON_PAGE, text);
        fy_print(text, "<figcaption>%s</figcaption>\n</figure>\n", its->explanation);
        status = print_data(compare, its, &c, text);
        fy_print(text, "</section>\n");
    }
    destroy_curves(compare, &c);
    return status;
}

static foray_status print_learning(const fy_compare *compare, fy_writer *text)
{
    fy_table table;
    foray_status status = fy_results_learning(compare, &table);
    fy_print(text,
             "<h2>Episodes to learn</h2>\n<p>K(eps): the first checkpoint from which on a share of "
             "%g of the seeds has a worst gap, or a certificate, of at most eps. Infinite: not "
             "within the runs.</p>\n",
             1.0 - compare->what->settings.delta);
    fy_page_table(text, &table, "learning");
    fy_table_free(&table);
    return status;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Every option that is not the default. */
static foray_status print_command(const fy_compare *compare, fy_writer *text)
{
    const foray_comparison *what = compare->what;
    foray_comparison defaults;
    fy_writer command = {.ctx = compare->ctx};
    foray_comparison_default(&defaults);
    fy_print(&command, "foray compare");
    fy_command_word(&command, compare->world);
    fy_print(&command, " -a ");
    for (int64_t a = 0; a < what->algorithms; a++)
        fy_print(&command, "%s%s", a ? "," : "", what->algorithm[a]);
    foray_status status = fy_command_settings(compare->ctx, &command, &what->settings, "algorithm");
    const struct {
        const char *name;
        double value, fallback;
    } number[] = {{"seeds", (double)what->seeds, (double)defaults.seeds},
                  {"seconds", what->seconds, defaults.seconds},
                  {"rewards", (double)what->rewards, (double)defaults.rewards},
                  {"goals", (double)what->goals, (double)defaults.goals},
                  {"rounds", (double)what->rounds, (double)defaults.rounds}};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (number[i].value != number[i].fallback)
            fy_command_number(&command, number[i].name, number[i].value);
    if (what->mode != defaults.mode)
        fy_command_flag(&command, "mode", foray_mode_name(what->mode));
    if (what->reward)
        fy_command_reward(&command, foray_reward_name(what->reward), "reward.json");
    fy_print(&command, " -o");
    fy_command_word(&command, last_part(compare->folder.path));
    fy_print(&command, "\n");
    fy_page_command(text, &command);
    return status;
}

static foray_status print_summary(const fy_compare *compare, fy_writer *text)
{
    fy_table table;
    foray_status status = fy_results_summary(compare, &table);
    fy_print(text, "<h2>Summary</h2>\n<p>At the last checkpoint of each run: the interquartile "
                   "mean over seeds and its 95%% bootstrap interval.</p>\n<div class=\"wide\" "
                   "id=\"summary-table\">\n");
    fy_table_print_html(&table, text);
    fy_table_free(&table);
    fy_print(text, "</div>\n<p>All numbers: <a href=\"results.csv\">results.csv</a>, "
                   "<a href=\"times.csv\">times.csv</a>, <a href=\"summary.csv\">summary.csv</a>, "
                   "<a href=\"learning.csv\">learning.csv</a>; "
                   "the settings: <a href=\"comparison.txt\">comparison.txt</a>.</p>\n");
    return status;
}

static void print_lead(const fy_compare *compare, fy_writer *text)
{
    const foray_comparison *what = compare->what;
    const foray_model *model = compare->model;
    fy_print(text,
             "<p class=\"lead\">%" PRId64 " algorithms, %" PRId64 " seeds, %" PRId64
             " episodes at most; ",
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
    if (status == FORAY_OK)
        status = print_learning(compare, &text);
    fy_print(&text, "<div class=\"pair\">\n");
    for (int i = 0; i < PLOTS && status == FORAY_OK; i++)
        if (plots[i].measure != FY_M_given || compare->what->reward)
            status = print_section(compare, &plots[i], &text);
    fy_print(&text, "</div>\n");
    if (status == FORAY_OK)
        status = print_command(compare, &text);
    if (status == FORAY_OK)
        status = fy_page_settings(&text, &compare->what->settings);
    fy_page_end(&text);
    text.failed |= status != FORAY_OK;
    foray_status saved = fy_folder_save(&compare->folder, "index.html", &text);
    return status == FORAY_OK ? saved : status;
}
