/* coverage_results.c - what the runs of `coverage` come to: intervals against 1 - delta, the
 * control, and how much of what was allowed was used. */
#include "experiments/coverage.h"
#include "measure/measure.h"

#include <inttypes.h>
#include <math.h>
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

static const char *world_name(const fy_lab *lab, const double *row)
{
    return fy_lab_word(lab, FY_COVERAGE_WORLDS, (int64_t)row[FY_COVERAGE_C_WORLD]);
}

/* The interval of the share of runs that `column` counts. */
static fy_interval interval_of(const double *row, int column)
{
    return fy_binomial_interval((int64_t)row[FY_COVERAGE_C_RUNS], (int64_t)row[column], confidence);
}

/* runs that held / all runs */
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
        fy_format(out, FY_LABEL_SIZE, "%.*s", (int)length, spec);
    else
        fy_format(out, FY_LABEL_SIZE, "%.*s %" PRId64, (int)length, spec, world + 1);
    return out;
}

static void label_row(const fy_lab *lab, const double *row, char out[FY_LABEL_SIZE])
{
    char world[FY_LABEL_SIZE];
    fy_format(out, FY_LABEL_SIZE, "%.20s · %.20s", rule_name(row),
              short_world(lab, (int64_t)row[FY_COVERAGE_C_WORLD], world));
}

/* --------------------------------------------------------------------------- findings */

static void find_promises(fy_lab *lab)
{
    char label[FY_LABEL_SIZE], runs[FY_NUMBER_SIZE], held[FY_NUMBER_SIZE], may[FY_NUMBER_SIZE];
    int64_t settings = 0, short_of = 0;
    double all_runs = 0.0, all_held = 0.0, allowed = 0.0;
    for (int64_t i = 0; i < lab->cells; i++) {
        const double *row = row_of(lab, i);
        if (is_control(row))
            continue;
        settings++;
        short_of += falls_short(row);
        all_runs += row[FY_COVERAGE_C_RUNS];
        all_held += row[FY_COVERAGE_C_HELD];
        allowed += row[FY_COVERAGE_C_RUNS] * row[FY_COVERAGE_C_DELTA];
    }
    fy_lab_find(lab,
                "Of %s runs with a promise, in %" PRId64 " settings of rule, world and delta, "
                "everything held in %s. The promises alone would have allowed %s failures.",
                fy_number(all_runs, runs), settings, fy_number(all_held, held),
                fy_number(allowed, may));
    if (short_of == 0)
        fy_lab_find(lab, "In no setting does the share of runs that held fall short of 1 - delta "
                         "beyond chance: every interval reaches it.");
    for (int64_t i = 0; i < lab->cells && short_of > 0; i++) {
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

/* The row of the largest scale at which a rule fails in some world; NULL: it fails at none. */
static const double *find_break(const fy_lab *lab, const char *rule)
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

static void find_whether_seen(fy_lab *lab)
{
    int64_t rules = fy_lab_count(lab, FY_COVERAGE_CONTROL_RULES), broken = 0;
    for (int64_t c = 0; c < rules; c++)
        broken += find_break(lab, fy_lab_word(lab, FY_COVERAGE_CONTROL_RULES, c)) != NULL;
    fy_lab_find(lab,
                "A failure would be seen: scaled down, which voids the promise, %" PRId64
                " of %" PRId64 " rules fail.",
                broken, rules);
}

static void find_control(fy_lab *lab)
{
    char world[FY_LABEL_SIZE];
    for (int64_t c = 0; c < fy_lab_count(lab, FY_COVERAGE_CONTROL_RULES); c++) {
        const char *rule = fy_lab_word(lab, FY_COVERAGE_CONTROL_RULES, c);
        const double *first = find_break(lab, rule);
        if (first)
            fy_lab_find(lab,
                        "Control, %s: scaled by %g it breaks, in %s, where everything held in "
                        "only %.0f of %.0f runs.",
                        rule, first[FY_COVERAGE_C_SCALE],
                        short_world(lab, (int64_t)first[FY_COVERAGE_C_WORLD], world),
                        first[FY_COVERAGE_C_HELD], first[FY_COVERAGE_C_RUNS]);
        else
            fy_lab_find(lab, "Control, %s: none of the scales breaks it in any of these worlds.",
                        rule);
    }
}

/* ----------------------------------------------------------------------------- charts */

/* Does this cell promise something at this delta, by this rule? */
static bool is_promise(const double *row, double delta, int64_t rule)
{
    return !is_control(row) && row[FY_COVERAGE_C_DELTA] == delta &&
           (int64_t)row[FY_COVERAGE_C_RULE] == rule;
}

/* For each delta the shares of all rules and worlds beside 1 - delta. */
static void draw_shares(const fy_lab *lab, fy_content *content)
{
    fy_content_heading(content, "Does everything hold?");
    fy_content_paragraph(content,
                         "The share of runs in which sets, bound and certificates all held, with "
                         "its exact 95%% interval; the line is what the theorem promises, "
                         "1 − delta.");
    for (int64_t d = 0; d < fy_lab_count(lab, FY_COVERAGE_DELTAS); d++) {
        double delta = fy_lab_number(lab, FY_COVERAGE_DELTAS, d), promised = 1.0 - delta;
        char id[32], title[96], note[96];
        fy_format(id, sizeof id, "coverage%" PRId64, d + 1);
        fy_format(title, sizeof title, "Share of runs that held, delta %g", delta);
        fy_format(note, sizeof note, "delta = %g: at least %g is promised", delta, promised);
        fy_content_spans(content, &(fy_spans){.id = id,
                                              .title = title,
                                              .note = note,
                                              .label = "share of runs",
                                              .line = &promised});
        for (int64_t r = 0; fy_coverage_rule_at(r); r++)
            for (int64_t i = 0; i < lab->cells; i++) {
                const double *row = row_of(lab, i);
                if (!is_promise(row, delta, r))
                    continue;
                fy_interval at = interval_of(row, FY_COVERAGE_C_HELD);
                fy_span span = {.low = at.low,
                                .high = at.high,
                                .point = share_of(row, FY_COVERAGE_C_HELD),
                                .truth = NAN};
                label_row(lab, row, span.label);
                fy_content_span(content, &span);
            }
    }
}

/* One line: a rule in a world at the control's delta, in the order of the scales. */
static void draw_control_line(const fy_lab *lab, const char *rule, int64_t world,
                              fy_content *content, double *least)
{
    double delta = fy_lab_real(lab, FY_COVERAGE_CONTROL_DELTA), last = 0.0;
    char name[FY_LABEL_SIZE];
    fy_content_series(content, short_world(lab, world, name));
    while (true) {
        const double *next = NULL;
        for (int64_t i = 0; i < lab->cells; i++) {
            const double *row = row_of(lab, i);
            if (strcmp(rule_name(row), rule) == 0 && (int64_t)row[FY_COVERAGE_C_WORLD] == world &&
                row[FY_COVERAGE_C_DELTA] == delta && row[FY_COVERAGE_C_SCALE] > last &&
                (!next || row[FY_COVERAGE_C_SCALE] < next[FY_COVERAGE_C_SCALE]))
                next = row;
        }
        if (!next)
            return;
        fy_interval at = interval_of(next, FY_COVERAGE_C_HELD);
        fy_content_point(content,
                         (fy_series_point){next[FY_COVERAGE_C_SCALE],
                                           share_of(next, FY_COVERAGE_C_HELD), at.low, at.high});
        last = next[FY_COVERAGE_C_SCALE];
        *least = fmin(*least, last);
    }
}

/* For each rule a chart with a line for each world, and one for what would be promised. */
static void draw_control(const fy_lab *lab, fy_content *content)
{
    double promised = 1.0 - fy_lab_real(lab, FY_COVERAGE_CONTROL_DELTA);
    fy_content_heading(content, "Control: radii that are too small");
    fy_content_paragraph(content, "Radii times a factor below 1 carry no promise. If certificates "
                                  "held here as well, the charts above would say nothing.");
    for (int64_t c = 0; c < fy_lab_count(lab, FY_COVERAGE_CONTROL_RULES); c++) {
        const char *rule = fy_lab_word(lab, FY_COVERAGE_CONTROL_RULES, c);
        char id[32], title[96];
        double least = INFINITY;
        fy_format(id, sizeof id, "control%" PRId64, c + 1);
        fy_format(title, sizeof title, "Everything held: %s, scaled down", rule);
        fy_content_chart(content, &(fy_chart){.id = id,
                                              .title = title,
                                              .note = "bands: exact 95% intervals",
                                              .x = {.label = "factor of the radius"},
                                              .y = {.label = "share of runs", .from_zero = true}});
        for (int64_t w = 0; w < fy_lab_count(lab, FY_COVERAGE_WORLDS); w++)
            draw_control_line(lab, rule, w, content, &least);
        fy_content_series(content, "1 − delta");
        fy_content_point(content, (fy_series_point){least, promised, NAN, NAN});
        fy_content_point(content, (fy_series_point){1.0, promised, NAN, NAN});
    }
}

static void draw_tightness(const fy_lab *lab, fy_content *content)
{
    static const double edge = 1.0;
    double delta = fy_lab_real(lab, FY_COVERAGE_CONTROL_DELTA);
    bool begun = false;
    for (int64_t r = 0; fy_coverage_rule_at(r); r++)
        for (int64_t i = 0; i < lab->cells; i++) {
            const double *row = row_of(lab, i);
            if (!is_promise(row, delta, r) || isnan(row[FY_COVERAGE_C_SETS]))
                continue;
            if (!begun) {
                fy_content_heading(content, "How much of the radius is used?");
                fy_content_paragraph(content,
                                     "The largest distance of the estimate from θ*, in the norm of "
                                     "Σ and over the radius, within a run, at delta %g: the dot is "
                                     "the median of the runs, the line ends at the largest of all. "
                                     "At 1 a set would lose its truth. The further a line stays "
                                     "from it, the more cautious the radius.",
                                     delta);
                fy_content_spans(content, &(fy_spans){.id = "tightness",
                                                      .title = "How much of the radius is used",
                                                      .label = "largest distance / radius",
                                                      .line = &edge});
                begun = true;
            }
            fy_span span = {.low = row[FY_COVERAGE_C_SET_MEDIAN],
                            .high = row[FY_COVERAGE_C_SET_MOST],
                            .point = row[FY_COVERAGE_C_SET_MEDIAN],
                            .truth = NAN};
            label_row(lab, row, span.label);
            fy_content_span(content, &span);
        }
}

/* ----------------------------------------------------------------------------- tables */

/* What certificates say at the end, beside the truth. */
static void show_certificates(const fy_lab *lab, fy_content *content)
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
        fy_table_cell(&table, "%s", world_name(lab, row));
        for (int column = FY_COVERAGE_C_BOUND; column <= FY_COVERAGE_C_LOSS; column++)
            fy_table_shortest(&table, row[column]);
    }
    fy_content_heading(content, "What certificates are worth");
    fy_content_paragraph(content,
                         "After %" PRId64
                         " episodes at delta %g, medians over the runs: the bound for all rewards "
                         "next to the worst gap that was found, and the certificates of "
                         "pessimistic plans next to their gaps, as means over the rewards. A bound "
                         "of H says nothing.",
                         fy_lab_whole(lab, FY_COVERAGE_EPISODES), delta);
    fy_content_table(content, FY_TABLE_READ, "certificates", NULL, &table);
}

/* Counts of runs as their shares and intervals: three cells, empty where there is none. */
static void show_summary(const fy_lab *lab, fy_content *content)
{
    static const char *const heading[] = {
        "rule",     "world",     "delta", "scale",    "runs",      "held",
        "held_low", "held_high", "sets",  "sets_low", "sets_high", "all",
        "all_low",  "all_high",  "each",  "each_low", "each_high"};
    fy_table table = fy_table_begin(lab->ctx, sizeof heading / sizeof *heading, heading);
    for (int64_t i = 0; i < lab->cells; i++) {
        const double *row = row_of(lab, i);
        fy_table_cell(&table, "%s", rule_name(row));
        fy_table_cell(&table, "%s", world_name(lab, row));
        fy_table_shortest(&table, row[FY_COVERAGE_C_DELTA]);
        fy_table_shortest(&table, row[FY_COVERAGE_C_SCALE]);
        fy_table_shortest(&table, row[FY_COVERAGE_C_RUNS]);
        for (int column = FY_COVERAGE_C_HELD; column <= FY_COVERAGE_C_EACH; column++) {
            bool none = isnan(row[column]);
            fy_interval at = none ? (fy_interval){NAN, NAN} : interval_of(row, column);
            fy_table_shortest(&table, none ? NAN : share_of(row, column));
            fy_table_shortest(&table, at.low);
            fy_table_shortest(&table, at.high);
        }
    }
    fy_content_heading(content, "All shares and intervals");
    fy_content_term(content, "sets", "every confidence set contained θ* after every episode");
    fy_content_term(content, "all",
                    "the bound for all rewards was never below the worst gap found");
    fy_content_term(content, "each", "no certificate of a plan was below its gap");
    fy_content_term(content, "held", "all three");
    fy_content_table(content, FY_TABLE_READ, "summary", NULL, &table);
}

foray_status fy_coverage_show(fy_lab *lab, fy_content *content)
{
    const fy_coverage_rule *rule;
    find_promises(lab);
    if (fy_lab_count(lab, FY_COVERAGE_CONTROL_RULES) > 0)
        find_whether_seen(lab);
    fy_lab_details(lab);
    find_tightness(lab);
    find_control(lab);
    draw_shares(lab, content);
    draw_control(lab, content);
    draw_tightness(lab, content);
    show_certificates(lab, content);
    fy_content_heading(content, "The rules");
    for (int64_t r = 0; (rule = fy_coverage_rule_at(r)); r++)
        fy_content_term(content, rule->name, rule->about);
    show_summary(lab, content);
    return FORAY_OK;
}
