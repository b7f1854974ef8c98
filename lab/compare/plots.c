/* plots.c - the charts of a comparison, and the page that shows them. */
#include "compare/compare.h"
#include "compare/figures.h"
#include "page/command.h"
#include "page/page.h"
#include "draw/svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct plot {
    int measure;
    const char *id, *title, *label;
    fy_axis_kind kind;
    const char *explanation;
} plot;

static const plot plots[] = {
    {FY_M_worst, "worst", "Worst gap over all rewards", "worst gap  E[V* − Vπ]", FY_AXIS_LOG,
     "The largest gap over the goal states, the random dense, sparse and time-dependent rewards, "
     "and the reward that the adversary finds."},
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
     "Exploring alone, without measuring, since the previous checkpoint. Runs made in parallel "
     "share caches and memory."},
    {FY_M_memory, "memory", "Memory", "bytes", FY_AXIS_LOG,
     "What the explorer must remember from one episode to the next: the bytes "
     "foray_explorer_save writes. The model and working space are not counted."},
};
enum { PLOTS = sizeof plots / sizeof *plots, COLUMNS = 3 };

foray_status fy_compare_check_figure(foray_context *ctx, const foray_comparison *what)
{
    const char *name = what->figure.name;
    bool found = !name;
    for (int i = 0; i < PLOTS && !found; i++)
        found = strcmp(plots[i].id, name) == 0 && (plots[i].measure != FY_M_given || what->reward);
    if (!found)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "there is no figure '%s'; there are: worst, mean, certificate, covered, "
                       "time, memory%s",
                       name, what->reward ? ", given" : "");
    return fy_figure_check(ctx, &what->figure);
}

/* -------------------------------------------------------------------------- charts */

enum { ON_PAGE = 560, NOTE_SIZE = 128 };

static void describe_curves(const fy_compare *compare, char note[NOTE_SIZE])
{
    fy_format(note, NOTE_SIZE,
              "interquartile mean over %" PRId64 " seed%s; bands: 95%% bootstrap intervals",
              compare->what->seeds, compare->what->seeds == 1 ? "" : "s");
}

static fy_chart chart_of(const fy_compare *compare, const plot *its, fy_series *curve)
{
    return (fy_chart){.id = its->id,
                      .title = its->title,
                      .x = {.label = "episodes", .kind = FY_AXIS_LOG},
                      .y = {.label = its->label, .kind = its->kind, .from_zero = true},
                      .count = compare->what->algorithms,
                      .series = curve};
}

static foray_status save_chart(const fy_compare *compare, const plot *its, fy_chart chart)
{
    char name[64], note[NOTE_SIZE];
    fy_writer file = {.ctx = compare->ctx};
    fy_format(name, sizeof name, "%s.svg", its->id);
    describe_curves(compare, note);
    chart.note = note;
    fy_svg_chart(&file, &chart);
    return fy_folder_save(&compare->folder, name, &file);
}

/* The numbers behind a plot: for each algorithm the mean and its interval, at the checkpoints of
 * the one whose curve goes furthest. */
static foray_status print_data(const fy_compare *compare, const plot *its, const fy_series *curve,
                               fy_writer *text)
{
    static const char *const column[COLUMNS] = {"", " low", " high"};
    int64_t count = compare->what->algorithms;
    const fy_series *longest = &curve[0];
    fy_writer names = {.ctx = compare->ctx};
    const char **heading;
    if (!FY_ALLOC(compare->ctx, heading, 1 + COLUMNS * count))
        return FORAY_ERROR_MEMORY;
    for (int64_t a = 0; a < count; a++) {
        longest = curve[a].count > longest->count ? &curve[a] : longest;
        for (int i = 0; i < COLUMNS; i++)
            fy_print(&names, "%s%s%c", curve[a].name, column[i], 0);
    }
    if (!names.failed && names.data) {
        heading[0] = "episodes";
        for (int64_t i = 1; i <= COLUMNS * count; i++)
            heading[i] = i == 1 ? (const char *)names.data : strchr(heading[i - 1], 0) + 1;
        fy_table table = fy_table_begin(compare->ctx, 1 + COLUMNS * count, heading);
        for (int64_t k = 0; k < longest->count; k++) {
            fy_table_shortest(&table, longest->point[k].x);
            for (int64_t a = 0; a < count; a++) {
                fy_series_point point = {NAN, NAN, NAN, NAN};
                for (int64_t i = 0; i < curve[a].count; i++)
                    if (curve[a].point[i].x == longest->point[k].x)
                        point = curve[a].point[i];
                fy_table_shortest(&table, point.y);
                fy_table_shortest(&table, point.low);
                fy_table_shortest(&table, point.high);
            }
        }
        fy_page_data(text, &table, its->id, NULL);
        fy_table_free(&table);
    }
    foray_status status = names.failed ? FORAY_ERROR_MEMORY : FORAY_OK;
    free(heading);
    free(names.data);
    return status;
}

/* The curves of all algorithms for one measure: as a file of its own, and as a section. */
static foray_status print_plot(const fy_compare *compare, const plot *its, fy_figure *figure,
                               fy_writer *text)
{
    int64_t count = compare->what->algorithms;
    foray_status status = FORAY_OK;
    fy_series *curve;
    if (!FY_ALLOC(compare->ctx, curve, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t a = 0; a < count && status == FORAY_OK; a++)
        status = fy_compare_curve(compare, a, its->measure, &curve[a]);
    fy_chart chart = chart_of(compare, its, curve);
    if (status == FORAY_OK) {
        fy_figure_chart(figure, &chart);
        status = save_chart(compare, its, chart);
    }
    if (status == FORAY_OK) {
        chart.bare = true;
        chart.width = ON_PAGE;
        fy_print(text, "<section>\n<h3>%s</h3>\n<figure>\n", its->title);
        fy_svg_chart(text, &chart);
        fy_legend_hidden(text, &chart);
        fy_print(text, "<figcaption>%s</figcaption>\n</figure>\n", its->explanation);
        status = print_data(compare, its, curve, text);
        fy_print(text, "</section>\n");
    }
    for (int64_t a = 0; a < count; a++)
        free(curve[a].point);
    free(curve);
    return status;
}

/* One legend for all charts, and what their bands are. */
static foray_status print_plots(const fy_compare *compare, fy_figure *figure, fy_writer *text)
{
    const foray_comparison *what = compare->what;
    char note[NOTE_SIZE];
    foray_status status = FORAY_OK;
    fy_series *name;
    if (!FY_ALLOC(compare->ctx, name, what->algorithms))
        return FORAY_ERROR_MEMORY;
    for (int64_t a = 0; a < what->algorithms; a++)
        name[a].name = what->algorithm[a];
    describe_curves(compare, note);
    fy_print(text, "<h2>Over the episodes</h2>\n<p>Lines: %s.</p>\n", note);
    fy_legend_html(text, &(fy_chart){.count = what->algorithms, .series = name});
    free(name);
    fy_print(text, "<div class=\"pair\">\n");
    for (int i = 0; i < PLOTS && status == FORAY_OK; i++)
        if (plots[i].measure != FY_M_given || what->reward)
            status = print_plot(compare, &plots[i], figure, text);
    fy_print(text, "</div>\n");
    return status;
}

/* ---------------------------------------------------------------------------- page */

/* Every option that is not the default. */
static foray_status print_command(const fy_compare *compare, fy_writer *text)
{
    const foray_comparison *what = compare->what;
    foray_comparison defaults;
    fy_writer command = {.ctx = compare->ctx};
    const char *path = compare->folder.path, *slash = strrchr(path, '/');
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
    fy_command_word(&command, slash && slash[1] ? slash + 1 : path);
    fy_print(&command, "\n");
    fy_page_command(text, &command);
    return status;
}

/* Who won, then by how much. */
static foray_status print_summary(const fy_compare *compare, fy_writer *text)
{
    fy_table table;
    foray_status status = FORAY_OK;
    if (compare->what->algorithms > 1) {
        fy_print(text, "<p class=\"verdict\" id=\"verdict\">");
        status = fy_compare_verdict(compare, text);
        fy_print(text, "</p>\n");
    }
    if (status != FORAY_OK)
        return status;
    status = fy_compare_summary(compare, &table);
    fy_print(text, "<h2>Summary</h2>\n<p>At the last checkpoint of each run: the interquartile "
                   "mean over seeds and its 95%% bootstrap interval.</p>\n<div class=\"wide\" "
                   "id=\"summary-table\" tabindex=\"0\">\n");
    fy_table_print_html(&table, text);
    fy_table_free(&table);
    fy_print(text, "</div>\n<p>All numbers: <a href=\"results.csv\">results.csv</a>, "
                   "<a href=\"times.csv\">times.csv</a>, <a href=\"summary.csv\">summary.csv</a>, "
                   "<a href=\"learning.csv\">learning.csv</a>; "
                   "the settings: <a href=\"comparison.txt\">comparison.txt</a>.</p>\n");
    return status;
}

static void print_matrix(const fy_compare *compare, int measure, const char *what, const char *id,
                         fy_writer *text)
{
    int64_t reached;
    fy_table table = fy_compare_matrix(compare, measure, &reached);
    if (reached == 0)
        fy_print(text, "<p>No algorithm's %s reached any of these ε.</p>\n", what);
    else {
        fy_print(text,
                 "<h3>Until the %s is at most ε</h3>\n<div class=\"wide\" id=\"%s-table\" "
                 "tabindex=\"0\">\n",
                 what, id);
        fy_table_print_html(&table, text);
        fy_print(text, "</div>\n");
    }
    fy_table_free(&table);
}

static void print_learning(const fy_compare *compare, fy_writer *text)
{
    fy_table learning = fy_compare_learning(compare);
    fy_print(text,
             "<h2>Episodes to learn</h2>\n<p>K(ε): the first checkpoint from which on a share of "
             "%g of the seeds has a worst gap, or a certificate, of at most ε.</p>\n",
             1.0 - compare->what->settings.delta);
    print_matrix(compare, FY_M_worst, "worst gap", "learning-gap", text);
    print_matrix(compare, FY_M_bound, "certificate", "learning-certificate", text);
    fy_page_csv(text, &learning, "learning");
    fy_table_free(&learning);
}

foray_status fy_compare_write_page(const fy_compare *compare)
{
    const foray_comparison *what = compare->what;
    const foray_model *model = compare->model;
    char title[256];
    fy_writer text = {.ctx = compare->ctx};
    fy_figure figure = fy_figure_begin(compare->ctx, &what->figure);
    fy_format(title, sizeof title, "Exploring %s", compare->world);
    fy_page_begin(&text, title);
    fy_print(&text,
             "<p class=\"lead\">%" PRId64 " algorithms, %" PRId64 " seeds, %" PRId64
             " episodes at most; %" PRId64 " states, %" PRId64 " actions, horizon %" PRId64
             "; %s policies; foray %s</p>\n",
             what->algorithms, what->seeds, what->settings.episodes, model->states, model->actions,
             model->horizon, what->mode == FORAY_PLUGIN ? "plug-in" : foray_mode_name(what->mode),
             foray_version());
    foray_status status = print_summary(compare, &text);

    print_learning(compare, &text);
    if (status == FORAY_OK)
        status = print_plots(compare, &figure, &text);
    if (status == FORAY_OK)
        status = print_command(compare, &text);
    if (status == FORAY_OK)
        status = fy_page_settings(&text, &what->settings);
    fy_page_end(&text);
    text.failed |= status != FORAY_OK;
    foray_status saved = fy_folder_save(&compare->folder, "index.html", &text);
    status = status == FORAY_OK ? saved : status;
    if (status == FORAY_OK)
        return fy_figures_save(&compare->folder, &figure);
    fy_figure_free(&figure);
    return status;
}
