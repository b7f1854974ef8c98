/* coverage_page.c - what the runs of `coverage` come to: intervals against 1 - delta, the
 * control, and how much of what was allowed was used. */
#include "experiments/coverage.h"
#include "measure/measure.h"
#include "draw/spans.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double confidence = 0.95;

static const double *row_of(const fy_lab *lab, int64_t cell)
{
    return fy_rows_at(&lab->rows[cell], 0);
}

static bool is_control(const double *row)
{
    return row[FY_COVERAGE_C_SCALE] < 1.0;
}

static const char *rule_name(const double *row)
{
    return fy_coverage_rule_at((int64_t)row[FY_COVERAGE_C_RULE])->name;
}

/* The interval of the share of runs that `column` counts. */
static fy_interval interval_of(const double *row, int column)
{
    return fy_binomial_interval((int64_t)row[FY_COVERAGE_C_RUNS], (int64_t)row[column], confidence);
}

static double share_of(const double *row, int column)
{
    return row[column] / row[FY_COVERAGE_C_RUNS];
}

/* Is 1 - delta above all that the runs allow for? */
static bool falls_short(const double *row)
{
    return interval_of(row, FY_COVERAGE_C_HELD).high < 1.0 - row[FY_COVERAGE_C_DELTA];
}

/* The name of a world without its parameters, with a number where two have the same. */
static const char *short_world(const fy_lab *lab, int64_t world, char out[FY_LABEL_SIZE])
{
    const char *spec = fy_lab_word(lab, FY_COVERAGE_WORLDS, world);
    size_t length = strcspn(spec, ":");
    bool alone = true;
    for (int64_t w = 0; w < fy_lab_count(lab, FY_COVERAGE_WORLDS); w++) {
        const char *other = fy_lab_word(lab, FY_COVERAGE_WORLDS, w);
        if (w != world && strcspn(other, ":") == length && memcmp(spec, other, length) == 0)
            alone = false;
    }
    if (alone)
        snprintf(out, FY_LABEL_SIZE, "%.*s", (int)length, spec);
    else
        snprintf(out, FY_LABEL_SIZE, "%.*s %" PRId64, (int)length, spec, world + 1);
    return out;
}

static void label_row(const fy_lab *lab, const double *row, char out[FY_LABEL_SIZE])
{
    char world[FY_LABEL_SIZE];
    snprintf(out, FY_LABEL_SIZE, "%.20s · %.20s", rule_name(row),
             short_world(lab, (int64_t)row[FY_COVERAGE_C_WORLD], world));
}

/* --------------------------------------------------------------------------- findings */

typedef struct tally {
    int64_t settings, short_of;
    double runs, held, allowed;
} tally;

static tally count_promises(const fy_lab *lab)
{
    tally t = {0};
    for (int64_t i = 0; i < lab->cells; i++) {
        const double *row = row_of(lab, i);
        if (is_control(row))
            continue;
        t.settings++;
        t.short_of += falls_short(row);
        t.runs += row[FY_COVERAGE_C_RUNS];
        t.held += row[FY_COVERAGE_C_HELD];
        t.allowed += row[FY_COVERAGE_C_RUNS] * row[FY_COVERAGE_C_DELTA];
    }
    return t;
}

static void find_promises(fy_lab *lab)
{
    char label[FY_LABEL_SIZE], runs[FY_NUMBER_SIZE], held[FY_NUMBER_SIZE], may[FY_NUMBER_SIZE];
    tally t = count_promises(lab);
    fy_lab_find(lab,
                "Of %s runs with a promise, in %" PRId64 " settings of rule, world and delta, "
                "everything held in %s. The promises alone would have allowed %s failures.",
                fy_number(t.runs, runs), t.settings, fy_number(t.held, held),
                fy_number(t.allowed, may));
    if (t.short_of == 0) {
        fy_lab_find(lab, "In no setting does the share of runs that held fall short of 1 - delta "
                         "beyond chance: every interval reaches it.");
        return;
    }
    for (int64_t i = 0; i < lab->cells; i++) {
        const double *row = row_of(lab, i);
        if (is_control(row) || !falls_short(row))
            continue;
        label_row(lab, row, label);
        fy_lab_find(lab, "PROMISE BROKEN: %s held in %.0f of %.0f runs at delta %g.", label,
                    row[FY_COVERAGE_C_HELD], row[FY_COVERAGE_C_RUNS], row[FY_COVERAGE_C_DELTA]);
    }
}

/* How near theta* came to the edge of the sets of a rule, over worlds and deltas. */
static void find_tightness(fy_lab *lab)
{
    const fy_coverage_rule *rule;
    for (int64_t r = 0; (rule = fy_coverage_rule_at(r)); r++) {
        double least = INFINITY, most = 0.0, closest = 0.0;
        for (int64_t i = 0; i < lab->cells; i++) {
            const double *row = row_of(lab, i);
            if (is_control(row) || (int64_t)row[FY_COVERAGE_C_RULE] != r ||
                isnan(row[FY_COVERAGE_C_SETS]))
                continue;
            least = fmin(least, row[FY_COVERAGE_C_SET_MEDIAN]);
            most = fmax(most, row[FY_COVERAGE_C_SET_MEDIAN]);
            closest = fmax(closest, row[FY_COVERAGE_C_SET_MOST]);
        }
        if (isfinite(least))
            fy_lab_find(lab,
                        "%s: at its worst moment the median run uses %.2g%% to %.2g%% of the "
                        "radius, depending on world and delta; the closest call of all is "
                        "%.3g%%.",
                        rule->name, 100.0 * least, 100.0 * most, 100.0 * closest);
    }
}

/* The row of the largest scale at which a rule fails in some world; NULL: it never does. */
static const double *first_failure(const fy_lab *lab, const char *rule)
{
    const double *first = NULL;
    for (int64_t i = 0; i < lab->cells; i++) {
        const double *row = row_of(lab, i);
        if (is_control(row) && strcmp(rule_name(row), rule) == 0 && falls_short(row) &&
            (!first || row[FY_COVERAGE_C_SCALE] > first[FY_COVERAGE_C_SCALE]))
            first = row;
    }
    return first;
}

static void find_failure(fy_lab *lab, const char *rule, const double *row)
{
    char world[FY_LABEL_SIZE];
    fy_lab_find(lab,
                "Control, %s: scaled by %g it breaks, in %s, where everything held in only %.0f of "
                "%.0f runs.",
                rule, row[FY_COVERAGE_C_SCALE],
                short_world(lab, (int64_t)row[FY_COVERAGE_C_WORLD], world), row[FY_COVERAGE_C_HELD],
                row[FY_COVERAGE_C_RUNS]);
}

static void find_control(fy_lab *lab)
{
    for (int64_t c = 0; c < fy_lab_count(lab, FY_COVERAGE_CONTROL_RULES); c++) {
        const char *rule = fy_lab_word(lab, FY_COVERAGE_CONTROL_RULES, c);
        const double *row = first_failure(lab, rule);
        if (row)
            find_failure(lab, rule, row);
        else
            fy_lab_find(lab, "Control, %s: none of the scales breaks it in any of these worlds.",
                        rule);
    }
}

/* ----------------------------------------------------------------------------- charts */

/* Rows for the chart of a delta; `room` has as many as there are cells. */
static int64_t coverage_spans(const fy_lab *lab, double delta, fy_span *room)
{
    int64_t count = 0;
    for (int64_t r = 0; fy_coverage_rule_at(r); r++)
        for (int64_t i = 0; i < lab->cells; i++) {
            const double *row = row_of(lab, i);
            if (is_control(row) || row[FY_COVERAGE_C_DELTA] != delta ||
                (int64_t)row[FY_COVERAGE_C_RULE] != r)
                continue;
            fy_span *span = &room[count++];
            fy_interval at = interval_of(row, FY_COVERAGE_C_HELD);
            label_row(lab, row, span->label);
            span->low = at.low;
            span->high = at.high;
            span->point = share_of(row, FY_COVERAGE_C_HELD);
            span->truth = NAN;
        }
    return count;
}

static void print_coverage(const fy_lab *lab, fy_span *room, fy_writer *text)
{
    fy_print(text, "<h2>Does everything hold?</h2>\n<p>The share of runs in which sets, bound and "
                   "certificates all held, with its exact 95%% interval; the line is what the "
                   "theorem promises, 1 − delta.</p>\n<div class=\"pair\">\n");
    for (int64_t d = 0; d < fy_lab_count(lab, FY_COVERAGE_DELTAS); d++) {
        double delta = fy_lab_number(lab, FY_COVERAGE_DELTAS, d), promised = 1.0 - delta;
        char id[32], title[96];
        snprintf(id, sizeof id, "coverage%" PRId64, d + 1);
        snprintf(title, sizeof title, "Share of runs that held, delta %g", delta);
        fy_spans spans = {.id = id,
                          .title = title,
                          .label = "share of runs",
                          .count = coverage_spans(lab, delta, room),
                          .row = room,
                          .line = &promised};
        fy_print(text, "<figure><figcaption>delta = %g: at least %g is promised</figcaption>\n",
                 delta, promised);
        fy_svg_spans(text, &spans);
        fy_print(text, "</figure>\n");
    }
    fy_print(text, "</div>\n");
}

static void print_tightness(const fy_lab *lab, fy_span *room, fy_writer *text)
{
    static const double edge = 1.0;
    double delta = fy_lab_real(lab, FY_COVERAGE_CONTROL_DELTA);
    int64_t count = 0;
    for (int64_t r = 0; fy_coverage_rule_at(r); r++)
        for (int64_t i = 0; i < lab->cells; i++) {
            const double *row = row_of(lab, i);
            if (is_control(row) || row[FY_COVERAGE_C_DELTA] != delta ||
                (int64_t)row[FY_COVERAGE_C_RULE] != r || isnan(row[FY_COVERAGE_C_SETS]))
                continue;
            fy_span *span = &room[count++];
            label_row(lab, row, span->label);
            span->low = span->point = row[FY_COVERAGE_C_SET_MEDIAN];
            span->high = row[FY_COVERAGE_C_SET_MOST];
            span->truth = NAN;
        }
    if (count == 0)
        return;
    fy_print(text,
             "<h2>How much of the radius is used?</h2>\n<p>The largest ‖θ − θ*‖<sub>Σ</sub> / "
             "radius within a run, at delta %g: the dot is the median of the runs, the line ends "
             "at the largest of all. At 1 a set would lose its truth. The further a line stays "
             "from it, the more cautious the radius.</p>\n<figure>\n",
             delta);
    fy_svg_spans(text, &(fy_spans){.id = "tightness",
                                   .title = "How much of the radius is used",
                                   .label = "largest distance / radius",
                                   .count = count,
                                   .row = room,
                                   .line = &edge});
    fy_print(text, "</figure>\n");
}

/* ---------------------------------------------------------------------------- control */

/* One line: everything that was measured of a rule in a world at the control's delta. */
typedef struct curve {
    char name[FY_LABEL_SIZE];
    double *x, *y, *low, *high;
    int64_t count;
} curve;

/* Points are kept in the order of their scales. */
static void add_point(curve *c, const double *row)
{
    fy_interval at = interval_of(row, FY_COVERAGE_C_HELD);
    int64_t i = c->count++;
    for (; i > 0 && c->x[i - 1] > row[FY_COVERAGE_C_SCALE]; i--) {
        c->x[i] = c->x[i - 1];
        c->y[i] = c->y[i - 1];
        c->low[i] = c->low[i - 1];
        c->high[i] = c->high[i - 1];
    }
    c->x[i] = row[FY_COVERAGE_C_SCALE];
    c->y[i] = share_of(row, FY_COVERAGE_C_HELD);
    c->low[i] = at.low;
    c->high[i] = at.high;
}

static void gather_curve(const fy_lab *lab, const char *rule, int64_t world, curve *c)
{
    double delta = fy_lab_real(lab, FY_COVERAGE_CONTROL_DELTA);
    c->count = 0;
    short_world(lab, world, c->name);
    for (int64_t i = 0; i < lab->cells; i++) {
        const double *row = row_of(lab, i);
        if (strcmp(rule_name(row), rule) == 0 && (int64_t)row[FY_COVERAGE_C_WORLD] == world &&
            row[FY_COVERAGE_C_DELTA] == delta)
            add_point(c, row);
    }
}

/* One chart: a line for each world, and one for what would be promised. */
static void print_control_chart(const fy_lab *lab, int64_t index, curve *curves, fy_series *series,
                                fy_writer *text)
{
    int64_t worlds = fy_lab_count(lab, FY_COVERAGE_WORLDS);
    const char *rule = fy_lab_word(lab, FY_COVERAGE_CONTROL_RULES, index);
    double promised[2], ends[2] = {INFINITY, 1.0};
    char id[32], title[96];
    promised[0] = promised[1] = 1.0 - fy_lab_real(lab, FY_COVERAGE_CONTROL_DELTA);
    for (int64_t w = 0; w < worlds; w++) {
        curve *c = &curves[w];
        gather_curve(lab, rule, w, c);
        series[w] = (fy_series){c->name, c->count, c->x, c->y, c->low, c->high};
        ends[0] = c->count > 0 ? fmin(ends[0], c->x[0]) : ends[0];
    }
    series[worlds] = (fy_series){.name = "1 − delta", .count = 2, .x = ends, .y = promised};
    snprintf(id, sizeof id, "control%" PRId64, index + 1);
    snprintf(title, sizeof title, "Everything held: %s, scaled down", rule);
    fy_print(text, "<figure>\n");
    fy_svg_chart(
        text,
        &(fy_chart){.id = id,
                    .title = title,
                    .note = "bands: exact 95% intervals",
                    .width = 560,
                    .x = {.label = "factor of the radius", .kind = FY_AXIS_LINEAR},
                    .y = {.label = "share of runs", .kind = FY_AXIS_LINEAR, .from_zero = true},
                    .count = worlds + 1,
                    .series = series});
    fy_print(text, "</figure>\n");
}

static foray_status print_control(const fy_lab *lab, fy_writer *text)
{
    int64_t worlds = fy_lab_count(lab, FY_COVERAGE_WORLDS), points = lab->cells;
    curve *curves = NULL;
    fy_series *series = NULL;
    double *numbers = NULL;
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(lab->ctx, curves, worlds) && FY_ALLOC(lab->ctx, series, worlds + 1) &&
        FY_ALLOC(lab->ctx, numbers, worlds * 4 * points)) {
        fy_print(text, "<h2>Control: radii that are too small</h2>\n<p>Radii times a factor below "
                       "1 carry no promise. If certificates held here as well, the charts above "
                       "would say nothing.</p>\n<div class=\"pair\">\n");
        for (int64_t w = 0; w < worlds; w++) {
            double *at = numbers + w * 4 * points;
            curves[w] =
                (curve){.x = at, .y = at + points, .low = at + 2 * points, .high = at + 3 * points};
        }
        for (int64_t c = 0; c < fy_lab_count(lab, FY_COVERAGE_CONTROL_RULES); c++)
            print_control_chart(lab, c, curves, series, text);
        fy_print(text, "</div>\n");
        status = FORAY_OK;
    }
    free(curves);
    free(series);
    free(numbers);
    return status;
}

/* ------------------------------------------------------------------------------- page */

/* A count of runs as its share and interval: three cells, empty where there is none. */
static void add_share(fy_table *table, const double *row, int column)
{
    bool none = isnan(row[column]);
    fy_interval at = none ? (fy_interval){NAN, NAN} : interval_of(row, column);
    fy_table_shortest(table, none ? NAN : share_of(row, column));
    fy_table_shortest(table, at.low);
    fy_table_shortest(table, at.high);
}

static foray_status print_summary(fy_lab *lab, fy_writer *text)
{
    static const char *const heading[] = {
        "rule",     "world",     "delta", "scale",    "runs",      "held",
        "held_low", "held_high", "sets",  "sets_low", "sets_high", "all",
        "all_low",  "all_high",  "each",  "each_low", "each_high"};
    fy_table table = fy_table_begin(lab->ctx, sizeof heading / sizeof *heading, heading);
    for (int64_t i = 0; i < lab->cells; i++) {
        const double *row = row_of(lab, i);
        fy_table_cell(&table, "%s", rule_name(row));
        fy_table_cell(&table, "%s",
                      fy_lab_word(lab, FY_COVERAGE_WORLDS, (int64_t)row[FY_COVERAGE_C_WORLD]));
        fy_table_shortest(&table, row[FY_COVERAGE_C_DELTA]);
        fy_table_shortest(&table, row[FY_COVERAGE_C_SCALE]);
        fy_table_shortest(&table, row[FY_COVERAGE_C_RUNS]);
        for (int column = FY_COVERAGE_C_HELD; column <= FY_COVERAGE_C_EACH; column++)
            add_share(&table, row, column);
    }
    fy_print(text, "<h2>All shares and intervals</h2>\n<p><i>sets</i>: every confidence set "
                   "contained θ* after every episode; <i>all</i>: the bound for all rewards was "
                   "never below the worst gap found; <i>each</i>: no certificate of a plan was "
                   "below its gap; <i>held</i>: all of it.</p>\n");
    return fy_lab_table(lab, text, "summary", &table);
}

/* What certificates say at the end, beside the truth. */
static foray_status print_certificates(fy_lab *lab, fy_writer *text)
{
    static const char *const heading[] = {"rule",      "world",       "bound",
                                          "worst gap", "certificate", "mean gap"};
    double delta = fy_lab_real(lab, FY_COVERAGE_CONTROL_DELTA);
    fy_table table = fy_table_begin(lab->ctx, sizeof heading / sizeof *heading, heading);
    for (int64_t i = 0; i < lab->cells; i++) {
        const double *row = row_of(lab, i);
        if (is_control(row) || row[FY_COVERAGE_C_DELTA] != delta)
            continue;
        fy_table_cell(&table, "%s", rule_name(row));
        fy_table_cell(&table, "%s",
                      fy_lab_word(lab, FY_COVERAGE_WORLDS, (int64_t)row[FY_COVERAGE_C_WORLD]));
        for (int column = FY_COVERAGE_C_BOUND; column <= FY_COVERAGE_C_LOSS; column++)
            fy_table_shortest(&table, row[column]);
    }
    fy_print(text,
             "<h2>What certificates are worth</h2>\n<p>After %" PRId64 " episodes at delta %g, "
             "medians over the runs: the bound for all rewards beside the worst gap that was "
             "found, and the certificates of pessimistic plans beside their gaps, means over the "
             "rewards. A bound of H says nothing.</p>\n",
             fy_lab_whole(lab, FY_COVERAGE_EPISODES), delta);
    return fy_lab_table(lab, text, "certificates", &table);
}

static void print_rules(fy_writer *text)
{
    const fy_coverage_rule *rule;
    fy_print(text, "<h2>The rules</h2>\n<dl>\n");
    for (int64_t r = 0; (rule = fy_coverage_rule_at(r)); r++)
        fy_page_fact(text, rule->name, rule->about);
    fy_print(text, "</dl>\n");
}

foray_status fy_coverage_page(fy_lab *lab, fy_writer *text)
{
    fy_span *room;
    if (!FY_ALLOC(lab->ctx, room, lab->cells))
        return FORAY_ERROR_MEMORY;
    find_promises(lab);
    find_tightness(lab);
    find_control(lab);
    print_coverage(lab, room, text);
    foray_status status = print_control(lab, text);
    if (status == FORAY_OK)
        print_tightness(lab, room, text);
    free(room);
    if (status == FORAY_OK)
        status = print_certificates(lab, text);
    print_rules(text);
    return status == FORAY_OK ? print_summary(lab, text) : status;
}
