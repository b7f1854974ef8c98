/* progress.c - how the certificate and the number of plans went with episodes. */
#include "report/report.h"
#include "base/maths.h"
#include "draw/svg.h"

#include <math.h>
#include <stdlib.h>

/* Two lines over the same episodes. */
typedef struct trace {
    foray_context *ctx;
    fy_series bound, plans;
    bool failed;
} trace;

static bool take_point(void *user, int64_t episodes, int64_t plans, double bound)
{
    trace *t = user;
    double x = (double)episodes;
    t->failed = !fy_series_add(t->ctx, &t->bound, (fy_series_point){x, bound, NAN, NAN}) ||
                !fy_series_add(t->ctx, &t->plans, (fy_series_point){x, (double)plans, NAN, NAN});
    return !t->failed;
}

/* Of all points those that a logarithmic axis can show, a factor apart, and the last. */
static void draw_trace(fy_report *report, const char *id, const char *title, const char *label,
                       const fy_series *all)
{
    fy_series few = {.name = ""};
    /* factor^(POINTS - 2) = the last number of episodes: about POINTS points are left */
    double max = fmax(all->point[all->count - 1].x, 1.0), next = 0.0;
    double factor = all->count > FY_REPORT_POINTS ? fy_pow(max, 1.0 / (FY_REPORT_POINTS - 2)) : 1.0;
    for (int64_t i = 0; i < all->count; i++) {
        if (i < all->count - 1 && all->point[i].x < next)
            continue;
        next = fmax(all->point[i].x, 1.0) * factor;
        report->text->failed |= !fy_series_add(report->ctx, &few, all->point[i]);
    }
    fy_print(report->text, "<figure>\n<figcaption><strong>%s</strong></figcaption>\n", title);
    fy_report_draw_chart(report, &(fy_chart){.id = id,
                                             .title = title,
                                             .width = 520,
                                             .bare = true,
                                             .x = {.label = "episodes", .kind = FY_AXIS_LOG},
                                             .y = {.label = label, .kind = FY_AXIS_LOG},
                                             .count = 1,
                                             .series = &few});
    fy_print(report->text, "</figure>\n");
    free(few.point);
}

static void print_trace(fy_report *report, const trace *t)
{
    static const char *const heading[] = {"episodes", "plans", "bound"};
    int64_t count = t->bound.count;
    int64_t first = count > FY_REPORT_CSV_ROWS ? count - FY_REPORT_CSV_ROWS : 0;
    bool bounded = false;
    for (int64_t i = 0; i < count; i++)
        bounded |= isfinite(t->bound.point[i].y);
    fy_print(report->text,
             "<p>%s how often the explorer replanned. Both axes are "
             "logarithmic.</p>\n<div class=\"pair\">\n",
             bounded
                 ? "The bound for all rewards at once, which starts as large as rewards allow, and"
                 : "This algorithm has no bound for all rewards at once;");
    if (bounded)
        draw_trace(report, "certificate", "Certificate", "bound on the gap", &t->bound);
    draw_trace(report, "planscount", "Plans", "plans made", &t->plans);
    fy_print(report->text, "</div>\n");

    fy_table table = fy_table_begin(report->ctx, 3, heading);
    for (int64_t i = first; i < count; i++) {
        fy_table_exact(&table, t->bound.point[i].x);
        fy_table_exact(&table, t->plans.point[i].y);
        fy_table_exact(&table, t->bound.point[i].y);
    }
    fy_page_data(report->text, &table, "trace", first > 0 ? "The end of a longer trace." : NULL);
    fy_table_free(&table);
}

foray_status fy_report_progress(fy_report *report)
{
    trace t = {.ctx = report->ctx};
    foray_status status = foray_run_trace(report->run, take_point, &t);
    if (status == FORAY_OK && t.failed)
        status = FORAY_ERROR_MEMORY;
    fy_print(report->text, "<h2>How it went</h2>\n");
    if (status == FORAY_OK && t.bound.count == 0)
        fy_print(report->text, "<p>No episode has been explored yet.</p>\n");
    else if (status == FORAY_OK)
        print_trace(report, &t);
    free(t.bound.point);
    free(t.plans.point);
    return status;
}
