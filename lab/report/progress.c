/* progress.c - how the certificate and the number of plans went with episodes. */
#include "report/report.h"
#include "base/maths.h"
#include "draw/svg.h"

#include <math.h>
#include <stdlib.h>

typedef struct trace {
    foray_context *ctx;
    int64_t count, room;
    double *episodes, *plans, *bound;
    bool failed;
} trace;

static bool grow(foray_context *ctx, double **numbers, int64_t room)
{
    double *larger = fy_resize(ctx, *numbers, (size_t)room, sizeof **numbers);
    if (larger)
        *numbers = larger;
    return larger != NULL;
}

static bool take_point(void *user, int64_t episodes, int64_t plans, double bound)
{
    trace *t = user;
    if (t->count == t->room) {
        t->room = 2 * t->room + 64;
        t->failed = !grow(t->ctx, &t->episodes, t->room) || !grow(t->ctx, &t->plans, t->room) ||
                    !grow(t->ctx, &t->bound, t->room);
    }
    if (t->failed)
        return false;
    t->episodes[t->count] = (double)episodes;
    t->plans[t->count] = (double)plans;
    t->bound[t->count++] = bound;
    return true;
}

static void release(trace *t)
{
    free(t->episodes);
    free(t->plans);
    free(t->bound);
}

/* Points a factor apart in episodes, and the last: what a logarithmic axis can show. */
static trace thin(const trace *all)
{
    trace few = {.ctx = all->ctx};
    double most = all->count ? fmax(all->episodes[all->count - 1], 1.0) : 1.0;
    double factor =
        all->count > FY_REPORT_POINTS ? fy_pow(most, 1.0 / (FY_REPORT_POINTS - 2)) : 1.0;
    double next = 0.0;
    for (int64_t i = 0; i < all->count && !few.failed; i++) {
        if (i < all->count - 1 && all->episodes[i] < next)
            continue;
        next = fmax(all->episodes[i], 1.0) * factor;
        take_point(&few, (int64_t)all->episodes[i], (int64_t)all->plans[i], all->bound[i]);
    }
    return few;
}

static void print_table(fy_report *report, const trace *t)
{
    static const char *const heading[] = {"episodes", "plans", "bound"};
    fy_table table = fy_table_begin(report->ctx, 3, heading);
    int64_t first = t->count > FY_REPORT_KEPT ? t->count - FY_REPORT_KEPT : 0;
    for (int64_t i = first; i < t->count; i++) {
        fy_table_shortest(&table, t->episodes[i]);
        fy_table_shortest(&table, t->plans[i]);
        fy_table_shortest(&table, t->bound[i]);
    }
    fy_page_data(report->text, &table, "trace", first > 0 ? "The end of a longer trace." : NULL);
}

static void draw(fy_report *report, const char *id, const char *title, const char *label,
                 const trace *t, const double *y)
{
    fy_series series = {.name = "", .count = t->count, .x = t->episodes, .y = y};
    fy_chart chart = {
        .id = id,
        .title = title,
        .width = 520,
        .x = {.label = "episodes", .kind = FY_AXIS_LOG},
        .y = {.label = label, .kind = FY_AXIS_LOG},
        .count = 1,
        .series = &series,
    };
    fy_print(report->text, "<figure>\n");
    fy_svg_chart(report->text, &chart);
    fy_print(report->text, "</figure>\n");
}

static bool has_bound(const trace *t)
{
    for (int64_t i = 0; i < t->count; i++)
        if (isfinite(t->bound[i]))
            return true;
    return false;
}

static void print_section(fy_report *report, const trace *t)
{
    fy_print(report->text, "<h2>How it went</h2>\n");
    if (t->count == 0) {
        fy_print(report->text, "<p>No episode has been explored yet.</p>\n");
        return;
    }
    bool bounded = has_bound(t);
    fy_print(report->text,
             "<p>%s how often the explorer replanned. Both axes are "
             "logarithmic.</p>\n<div class=\"pair\">\n",
             bounded ? "The certificate for all rewards at once, and"
                     : "This algorithm has no certificate for all rewards at once;");
    trace few = thin(t);
    report->text->failed |= few.failed;
    if (bounded)
        draw(report, "certificate", "Certificate", "certified gap", &few, few.bound);
    draw(report, "planscount", "Plans", "plans made", &few, few.plans);
    release(&few);
    fy_print(report->text, "</div>\n");
    print_table(report, t);
}

foray_status fy_report_progress(fy_report *report)
{
    trace t = {.ctx = report->ctx};
    foray_status status = foray_run_trace(report->run, take_point, &t);
    if (status == FORAY_OK && t.failed)
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        print_section(report, &t);
    release(&t);
    return status;
}
