/* theta.c - the learnt theta with its intervals, beside the truth where that is known. */
#include "report/report.h"
#include "draw/spans.h"

#include <inttypes.h>
#include <math.h>

static double truth_at(const fy_report *report, int64_t i)
{
    const double *truth = foray_model_theta(report->model);
    return truth ? truth[i] : NAN;
}

/* The `room` coordinates with the widest intervals, in their own order: each new one takes
 * the place of the narrowest chosen so far, if it is wider. */
static int64_t choose_widest(const fy_report *report, int64_t *chosen, int64_t room)
{
    int64_t count = 0;
    for (int64_t i = 0; i < report->model->dim; i++) {
        int64_t narrowest = 0;
        for (int64_t j = 1; j < count; j++)
            if (report->half_width[chosen[j]] < report->half_width[chosen[narrowest]])
                narrowest = j;
        if (count == room) {
            if (!(report->half_width[i] > report->half_width[chosen[narrowest]]))
                continue;
            for (int64_t j = narrowest; j + 1 < count; j++)
                chosen[j] = chosen[j + 1];
            count--;
        }
        chosen[count++] = i;
    }
    return count;
}

static void draw_theta(fy_report *report)
{
    int64_t chosen[FY_REPORT_ROWS], dim = report->model->dim;
    fy_span row[FY_REPORT_ROWS] = {0};
    int64_t count = choose_widest(report, chosen, FY_REPORT_ROWS);
    for (int64_t j = 0; j < count; j++) {
        int64_t i = chosen[j];
        double middle = report->estimate[i], half = report->half_width[i];
        row[j] = (fy_span){.low = middle - half,
                           .high = middle + half,
                           .point = middle,
                           .truth = truth_at(report, i)};
        fy_format(row[j].label, sizeof row[j].label, "%" PRId64, i);
    }
    fy_print(report->text, "<figure>\n");
    fy_svg_spans(report->text, &(fy_spans){.id = "theta",
                                           .title = "Theta and its intervals",
                                           .label = "theta, coordinate by coordinate",
                                           .count = count,
                                           .row = row});
    fy_print(report->text, "<figcaption>Dots: the estimate. Lines: its confidence interval.%s",
             foray_model_theta(report->model) ? " Diamonds: the truth." : "");
    if (count < dim)
        fy_print(report->text, " The %" PRId64 " widest intervals of %" PRId64 ".", count, dim);
    fy_print(report->text, "</figcaption></figure>\n");
}

static void print_theta(fy_report *report)
{
    static const char *const heading[] = {"coordinate", "estimate",   "low",
                                          "high",       "half width", "truth"};
    char note[96];
    int64_t dim = report->model->dim;
    int64_t listed = dim < FY_REPORT_CSV_ROWS ? dim : FY_REPORT_CSV_ROWS;
    fy_table table = fy_table_begin(report->ctx, 6, heading);
    for (int64_t i = 0; i < listed; i++) {
        double middle = report->estimate[i], half = report->half_width[i];
        fy_table_integer(&table, i);
        fy_table_shortest(&table, middle);
        fy_table_shortest(&table, middle - half);
        fy_table_shortest(&table, middle + half);
        fy_table_shortest(&table, half);
        fy_table_shortest(&table, truth_at(report, i));
    }
    fy_format(note, sizeof note, "The first %" PRId64 " of %" PRId64 " coordinates.", listed, dim);
    fy_page_data(report->text, &table, "theta", listed < dim ? note : NULL);
    fy_table_free(&table);
}

foray_status fy_report_theta(fy_report *report)
{
    int64_t inside = 0;
    fy_print(report->text, "<h2>What was learnt</h2>\n");
    if (!report->estimate) {
        fy_print(report->text, "<p>The algorithm keeps no estimate of theta.</p>\n");
        return FORAY_OK;
    }
    /* |estimate_i - theta*_i| <= half width_i; never where the truth is not known (NaN) */
    for (int64_t i = 0; i < report->model->dim; i++)
        inside += fabs(report->estimate[i] - truth_at(report, i)) <= report->half_width[i];
    if (foray_model_theta(report->model))
        fy_print(report->text,
                 "<p>The estimate of theta; %" PRId64 " of %" PRId64
                 " intervals hold the truth.</p>\n",
                 inside, report->model->dim);
    else
        fy_print(report->text, "<p>The estimate of theta; the truth is not known.</p>\n");
    draw_theta(report);
    print_theta(report);
    return FORAY_OK;
}
