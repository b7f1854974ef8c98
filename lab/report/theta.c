/* theta.c - the learnt theta with its intervals, beside the truth where that is known. */
#include "report/report.h"
#include "draw/spans.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double truth_at(const fy_report *report, int64_t i)
{
    const double *truth = foray_model_theta(report->model);
    return truth ? truth[i] : NAN;
}

/* An outcome of a law whose probability is one coordinate of theta, up to its feature:
 * P(outcome) = phi_i theta_i. */
typedef struct outcome {
    int64_t law, at; /* the generator set, and which of its generators */
    double feature;  /* 0: no outcome has this coordinate alone */
} outcome;

/* For each coordinate the first such outcome. Returns how many coordinates have one. */
static int64_t find_outcomes(const foray_model *model, outcome *of)
{
    int64_t found = 0;
    for (int64_t law = 0; law < model->generator_sets; law++)
        for (int64_t g = model->gen_start[law]; g < model->gen_start[law + 1]; g++) {
            int64_t f = model->feat_start[g], i = model->feat_index[f];
            if (model->feat_start[g + 1] != f + 1 || of[i].feature != 0)
                continue;
            of[i] = (outcome){law, g - model->gen_start[law], model->feat_value[f]};
            found++;
        }
    return found;
}

int64_t fy_report_widest(const double *width, int64_t count, int64_t *chosen, int64_t room)
{
    int64_t taken = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t narrowest = 0;
        for (int64_t j = 1; j < taken; j++)
            if (width[chosen[j]] < width[chosen[narrowest]])
                narrowest = j;
        if (taken == room) {
            if (!(width[i] > width[chosen[narrowest]]))
                continue;
            for (int64_t j = narrowest; j + 1 < taken; j++)
                chosen[j] = chosen[j + 1];
            taken--;
        }
        chosen[taken++] = i;
    }
    return taken;
}

/* A name that is too long for a third of a label is a number. */
static const char *short_name(const char *name, int64_t number, char out[FY_LABEL_SIZE])
{
    enum { THIRD = 13 };
    if (name && *name && strlen(name) <= THIRD)
        fy_format(out, FY_LABEL_SIZE, "%s", name);
    else
        fy_format(out, FY_LABEL_SIZE, "#%" PRId64, number);
    return out;
}

/* "(0,0), right → (0,1)": the first pair that obeys the law, and where the outcome leads there. */
static void name_outcome(const foray_model *model, const outcome *its, char out[FY_LABEL_SIZE])
{
    char state[FY_LABEL_SIZE], action[FY_LABEL_SIZE], next[FY_LABEL_SIZE];
    int64_t pair = model->generator_set_pair[its->law];
    int64_t s = pair / model->actions, a = pair % model->actions;
    int64_t to = model->succ[model->succ_start[pair] + its->at];
    fy_format(out, FY_LABEL_SIZE, "%s, %s → %s",
              short_name(foray_model_state_name(model, s), s, state),
              short_name(foray_model_action_name(model, a), a, action),
              short_name(foray_model_state_name(model, to), to, next));
}

/* A coordinate as a probability where it is one, else as it is. */
static fy_span span_of(const fy_report *report, int64_t i, const outcome *of)
{
    double scale = of ? of[i].feature : 1, half = fabs(scale) * report->half_width[i];
    double middle = scale * report->estimate[i];
    fy_span row = {.low = of ? fmax(middle - half, 0) : middle - half,
                   .high = of ? fmin(middle + half, 1) : middle + half,
                   .point = middle,
                   .truth = scale * truth_at(report, i)};
    if (of)
        name_outcome(report->model, &of[i], row.label);
    else
        fy_format(row.label, sizeof row.label, "theta %" PRId64, i);
    return row;
}

/* `of`: the outcomes that have the coordinates, or NULL: the coordinates as they are. */
static void draw_theta(fy_report *report, const outcome *of)
{
    int64_t chosen[FY_REPORT_ROWS], dim = report->model->dim;
    fy_span row[FY_REPORT_ROWS] = {0};
    int64_t count = fy_report_widest(report->half_width, dim, chosen, FY_REPORT_ROWS);
    for (int64_t j = 0; j < count; j++)
        row[j] = span_of(report, chosen[j], of);
    fy_print(report->text, "<figure>\n");
    fy_report_draw_spans(report, &(fy_spans){.id = "theta",
                                             .title = "What was learnt",
                                             .label = of ? "probability" : "coordinate of theta",
                                             .count = count,
                                             .row = row});
    fy_print(report->text, "<figcaption>%s Dots: the estimate. Lines: its confidence interval.%s",
             of ? "Each unknown probability, named by a state and an action that have it and by "
                  "where it leads."
                : "Here theta blends laws that are known: what it says about a state and an "
                  "action is a sum of several coordinates.",
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

static void print_coordinates(fy_report *report, const outcome *of)
{
    int64_t inside = 0;
    /* |estimate_i - theta*_i| <= half width_i; never where the truth is not known (NaN) */
    for (int64_t i = 0; i < report->model->dim; i++)
        inside += fabs(report->estimate[i] - truth_at(report, i)) <= report->half_width[i];
    if (foray_model_theta(report->model))
        fy_print(report->text,
                 "<p>The estimate of theta, the part that was not known beforehand; %" PRId64
                 " of %" PRId64 " intervals contain the truth.</p>\n",
                 inside, report->model->dim);
    else
        fy_print(report->text, "<p>The estimate of theta, the part that was not known beforehand; "
                               "the truth is not known.</p>\n");
    draw_theta(report, of);
}

/* Probabilities by name where coordinates are such, else law by law; the coordinates themselves
 * where neither can be had. */
foray_status fy_report_theta(fy_report *report)
{
    outcome *of;
    bool printed = false;
    foray_status status = FORAY_OK;
    fy_print(report->text, "<h2>What was learnt</h2>\n");
    if (!report->estimate) {
        fy_print(report->text, "<p>The algorithm keeps no estimate of theta.</p>\n");
        return FORAY_OK;
    }
    if (!FY_ALLOC(report->ctx, of, report->model->dim))
        return FORAY_ERROR_MEMORY;
    bool named = find_outcomes(report->model, of) == report->model->dim;
    if (!named)
        status = fy_report_laws(report, &printed);
    if (!printed)
        print_coordinates(report, named ? of : NULL);
    print_theta(report);
    free(of);
    return status;
}
