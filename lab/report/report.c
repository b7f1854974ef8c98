/* report.c - one page about a run: gather, then section by section. */
#include "report/report.h"
#include "page/page.h"
#include "base/base.h"
#include "run/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------- gathering */

/* Where actions were taken: s_0..s_{H-1}; generative algorithms tell for each step where
 * they were and what followed. */
static bool count_visits(void *user, int64_t episode, const int32_t *states, const int32_t *actions)
{
    fy_report *report = user;
    int stride = foray_algorithm_is_generative(report->run->settings.algorithm) ? 2 : 1;
    (void)episode;
    for (int64_t t = 0; t < report->model->horizon && actions[t] >= 0; t++) /* -1: it had ended */
        report->visits[states[stride * t]]++;
    return true;
}

/* What was visited, and the estimate of theta, where there is one. */
static foray_status gather_facts(fy_report *report)
{
    int64_t dim = report->model->dim;
    if (!FY_ALLOC(report->ctx, report->visits, report->model->states) ||
        !FY_ALLOC(report->ctx, report->estimate, dim) ||
        !FY_ALLOC(report->ctx, report->half_width, dim))
        return FORAY_ERROR_MEMORY;
    foray_status status = fy_run_describe(report->run, &report->facts);
    if (status == FORAY_OK)
        status = foray_run_episodes(report->run, 0, count_visits, report);
    if (status != FORAY_OK)
        return status;
    status = foray_explorer_estimate(foray_run_explorer(report->run), report->estimate,
                                     report->half_width);
    if (status != FORAY_ERROR_USAGE) /* what algorithms without an estimate answer */
        return status;
    free(report->estimate);
    free(report->half_width);
    report->estimate = report->half_width = NULL;
    return FORAY_OK;
}

/* ------------------------------------------------------------------------------ page */

/* Whether any law of the model fits the data. */
static void print_refutation(fy_report *report)
{
    foray_refutation found;
    char sentence[512];
    if (foray_explorer_refutation(foray_run_explorer(report->run), &found) != FORAY_OK ||
        !found.refuted)
        return;
    foray_refutation_print(report->model, &found, sentence, sizeof sentence);
    fy_page_fact(report->text, "the data refute the model", sentence);
}

void fy_report_draw_chart(fy_report *report, const fy_chart *chart)
{
    fy_svg_chart(report->text, chart);
    fy_figure_chart(report->figure, chart);
}

void fy_report_draw_spans(fy_report *report, const fy_spans *spans)
{
    fy_svg_spans(report->text, spans);
    fy_figure_spans(report->figure, spans);
}

void fy_report_draw_map(fy_report *report, const fy_map *map)
{
    fy_svg_map(report->text, map);
    fy_figure_map(report->figure, map);
}

/* The bound for all rewards, where the algorithm has one. */
static foray_status print_bound(fy_report *report)
{
    char number[FY_NUMBER_SIZE], value[128];
    foray_certificate bound;
    foray_status status =
        foray_explorer_bound(foray_run_explorer(report->run), FORAY_KIND_PAIR, &bound);
    if (status == FORAY_ERROR_USAGE || (status == FORAY_OK && isinf(bound.gap))) {
        fy_page_fact(report->text, "certificate", "none for all rewards at once");
        return FORAY_OK;
    }
    if (status != FORAY_OK)
        return status;
    fy_format(value, sizeof value, "%s for every reward at once (%s, delta %g, radius %s)",
              fy_number(bound.gap, number),
              bound.vacuous ? "vacuous: as large as rewards allow"
                            : foray_certificate_verdict(&bound),
              bound.delta, foray_radius_name(bound.radius));
    fy_page_fact(report->text, "certificate", value);
    if (bound.status != FORAY_CERTIFIED)
        fy_page_fact(report->text, foray_certificate_status(&bound),
                     foray_certificate_because(&bound));
    return FORAY_OK;
}

bool fy_report_is_recorded(const fy_report *report)
{
    return strcmp(report->run->settings.algorithm, "recorded") == 0;
}

static foray_status print_facts(fy_report *report)
{
    const foray_model *model = report->model;
    fy_print(report->text, "<dl>\n");
    fy_page_fact(report->text, "world", foray_run_world(report->run));
    if (strcmp(foray_model_name(model), foray_run_world(report->run)) != 0)
        fy_page_fact(report->text, "model", foray_model_name(model));
    fy_page_fact(report->text, "algorithm", report->run->settings.algorithm);
    fy_page_count(report->text, "episodes", report->facts.episodes);
    foray_status status = print_bound(report);
    print_refutation(report);
    if (fy_run_trusted(report->run))
        fy_page_fact(report->text, "first states", fy_run_trusted(report->run));
    fy_page_count(report->text, "states", model->states);
    fy_page_count(report->text, "actions", model->actions);
    fy_page_count(report->text, "steps of an episode", model->horizon);
    fy_page_count(report->text, "dimension of theta", model->dim);
    fy_page_count(report->text, "plans stored", report->facts.plans_stored);
    fy_page_fact(report->text, "created", report->facts.created);
    fy_page_fact(report->text, "by foray", report->facts.version);
    fy_print(report->text, "</dl>\n");
    return status;
}

static foray_status print_page(fy_report *report)
{
    static foray_status (*const section[])(fy_report *) = {
        print_facts,     fy_report_visits, fy_report_progress,
        fy_report_theta, fy_report_plans,  fy_report_settings,
    };
    char title[256];
    foray_status status = FORAY_OK;
    fy_format(title, sizeof title, "What %s learnt about %s", report->run->settings.algorithm,
              foray_run_world(report->run));
    fy_page_begin(report->text, title);
    for (size_t i = 0; i < sizeof section / sizeof *section && status == FORAY_OK; i++)
        status = section[i](report);
    fy_page_end(report->text);
    return status == FORAY_OK && report->text->failed ? FORAY_ERROR_MEMORY : status;
}

/* The page, and of its pictures the one that is wanted (NULL: none). */
static foray_status make_page(foray_run *run, fy_figure *figure, char **out, size_t *size)
{
    fy_writer text = {.ctx = run->ctx};
    fy_report report = {.ctx = run->ctx,
                        .run = run,
                        .model = foray_run_model(run),
                        .text = &text,
                        .figure = figure};
    foray_status status = gather_facts(&report);
    if (status == FORAY_OK)
        status = print_page(&report);
    fy_write_bytes(&text, "", 1);
    if (status == FORAY_OK && text.failed)
        status = FORAY_ERROR_MEMORY;
    free(report.visits);
    free(report.estimate);
    free(report.half_width);
    if (status != FORAY_OK) {
        free(text.data);
        return status;
    }
    *out = (char *)text.data;
    *size = text.size - 1;
    return FORAY_OK;
}

foray_status foray_report_print(foray_run *run, char **out, size_t *size)
{
    return make_page(run, NULL, out, size);
}

foray_status foray_report_figure(foray_run *run, const foray_figure *wanted, char **svg, char **csv)
{
    char *page;
    size_t size;
    fy_figure figure = fy_figure_begin(run->ctx, wanted);
    foray_status status = fy_figure_check(run->ctx, wanted);
    if (status == FORAY_OK)
        status = make_page(run, &figure, &page, &size);
    if (status != FORAY_OK) {
        fy_figure_free(&figure);
        return status;
    }
    free(page);
    status = fy_figure_finish(&figure);
    if (status != FORAY_OK)
        return status;
    fy_write_bytes(&figure.svg, "", 1);
    fy_write_bytes(&figure.csv, "", 1);
    free(figure.names.data);
    figure.names.data = NULL;
    if (figure.svg.failed || figure.csv.failed) {
        fy_figure_free(&figure);
        return FORAY_ERROR_MEMORY;
    }
    *svg = (char *)figure.svg.data;
    *csv = (char *)figure.csv.data;
    return FORAY_OK;
}

foray_status foray_report_save(foray_run *run, const char *path)
{
    char *page;
    size_t size;
    foray_status status = foray_report_print(run, &page, &size);
    if (status != FORAY_OK)
        return status;
    status = fy_file_write(run->ctx, path, true, page, size);
    free(page);
    return status;
}
