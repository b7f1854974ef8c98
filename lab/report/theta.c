/* theta.c - the learnt theta with its intervals, beside the truth where that is known. */
#include "draw/spans.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which `room` of the `count` widths are the largest, in their own order: each new one takes the
 * place of the smallest chosen so far, if it is larger. Returns how many. */
static int64_t find_widest(const double *width, int64_t count, int64_t *chosen, int64_t room)
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

/* --------------------------------------------------------------------------- laws */

/* The probabilities of what follows, law by law, where no coordinate of theta is one.
 *
 * A law is a list of outcomes that some pairs of a state and an action share; P(outcome) =
 * <phi, theta> lies in its interval (foray_explorer_intervals). */
typedef struct laws {
    double *low, *high; /* [transitions] */
    double *width;      /* [transitions] */
    int64_t *first;     /* [laws] where the intervals of the law's first pair begin */
    int64_t *pairs;     /* [laws] how many pairs obey it */
    double *doubt;      /* [laws] the widths of its intervals, added up */
} laws;

static void free_laws(laws *all)
{
    free(all->low);
    free(all->high);
    free(all->width);
    free(all->first);
    free(all->pairs);
    free(all->doubt);
}

/* A pair that obeys the law, and exists. */
static int64_t pair_of(const foray_model *model, int64_t law)
{
    return fy_stand_in(model, model->generator_set_pair[law]);
}

static foray_status find_laws(fy_report *report, laws *all)
{
    const foray_model *model = report->model;
    int64_t sets = model->generator_sets, transitions = model->succ_start[model->pairs];
    if (!FY_ALLOC(report->ctx, all->low, transitions) ||
        !FY_ALLOC(report->ctx, all->high, transitions) ||
        !FY_ALLOC(report->ctx, all->width, transitions) ||
        !FY_ALLOC(report->ctx, all->first, sets) || !FY_ALLOC(report->ctx, all->pairs, sets) ||
        !FY_ALLOC(report->ctx, all->doubt, sets))
        return FORAY_ERROR_MEMORY;
    foray_status status =
        foray_explorer_intervals(foray_run_explorer(report->run), all->low, all->high, NULL);
    if (status != FORAY_OK)
        return status;
    for (int64_t k = 0, at = 0; k < model->available; k++) {
        int64_t pair = fy_existing(model, k), law = model->generator_set[pair];
        int64_t outcomes = fy_generator_set_size(model, law);
        if (pair == pair_of(model, law))
            for (int64_t j = all->first[law] = at; j < at + outcomes; j++)
                all->doubt[law] += all->width[j] = all->high[j] - all->low[j];
        all->pairs[law]++;
        at += outcomes;
    }
    return FORAY_OK;
}

/* ---------------------------------------------------------------------------- outcomes */

static double probability(const fy_report *report, const double *theta, int64_t law, int64_t j)
{
    int64_t pair = pair_of(report->model, law), actions = report->model->actions;
    return theta ? foray_model_probability(report->model, theta, pair / actions, pair % actions, j)
                 : NAN;
}

static int32_t follows(const foray_model *model, int64_t law, int64_t j)
{
    return model->succ[model->succ_start[pair_of(model, law)] + j];
}

/* Outcome j of a law; an estimate below 0 or above 1 as the nearest probability. */
static fy_span law_span(const fy_report *report, const laws *all, int64_t law, int64_t j)
{
    const foray_model *model = report->model;
    int64_t to = follows(model, law, j);
    fy_span row = {.low = all->low[all->first[law] + j],
                   .high = all->high[all->first[law] + j],
                   .truth = probability(report, foray_model_theta(model), law, j)};
    row.point = fmin(fmax(probability(report, report->estimate, law, j), 0), 1);
    fy_label(foray_model_state_name(model, to), to, row.label);
    return row;
}

/* How many intervals hold the truth; a probability may be off by a rounding. */
static int64_t count_true(const fy_report *report, const laws *all, int64_t *outcomes)
{
    int64_t inside = 0;
    *outcomes = 0;
    for (int64_t law = 0; law < report->model->generator_sets; law++)
        for (int64_t j = 0; j < fy_generator_set_size(report->model, law); j++) {
            fy_span row = law_span(report, all, law, j);
            inside += row.truth >= row.low - 1e-12 && row.truth <= row.high + 1e-12;
            ++*outcomes;
        }
    return inside;
}

/* ----------------------------------------------------------------------------- printing */

static void print_name(fy_report *report, const char *name, int64_t number)
{
    if (name)
        fy_print_escaped(report->text, name);
    else
        fy_print(report->text, "%" PRId64, number);
}

/* "stock 20, order 0" */
static void print_pair(fy_report *report, int64_t pair)
{
    int64_t s = pair / report->model->actions, a = pair % report->model->actions;
    print_name(report, foray_model_state_name(report->model, s), s);
    fy_print(report->text, ", ");
    print_name(report, foray_model_action_name(report->model, a), a);
}

/* The law's outcomes to be drawn, of many those with the widest intervals, by what follows. */
static int64_t choose_outcomes(const fy_report *report, const laws *all, int64_t law,
                               int64_t chosen[FY_REPORT_ROWS])
{
    const foray_model *model = report->model;
    int64_t count = find_widest(all->width + all->first[law], fy_generator_set_size(model, law),
                                chosen, FY_REPORT_ROWS);
    for (int64_t i = 1; i < count; i++) /* sorted by insertion */
        for (int64_t k = i; k > 0; k--) {
            int64_t before = chosen[k - 1];
            if (follows(model, law, before) <= follows(model, law, chosen[k]))
                break;
            chosen[k - 1] = chosen[k];
            chosen[k] = before;
        }
    return count;
}

/* The law on place `id` of those that are drawn: the figures theta, theta1, theta2, ... */
static void draw_law(fy_report *report, const laws *all, int64_t law, int64_t id)
{
    char name[32] = "theta";
    fy_span row[FY_REPORT_ROWS] = {0};
    int64_t outcomes = fy_generator_set_size(report->model, law), others = all->pairs[law] - 1;
    int64_t chosen[FY_REPORT_ROWS], count = choose_outcomes(report, all, law, chosen);
    for (int64_t j = 0; j < count; j++)
        row[j] = law_span(report, all, law, chosen[j]);
    if (id > 0)
        fy_format(name, sizeof name, "theta%" PRId64, id);
    fy_print(report->text, "<figure>\n");
    fy_report_draw_spans(report, &(fy_spans){.id = name,
                                             .title = "What follows",
                                             .label = "probability of what follows",
                                             .count = count,
                                             .row = row});
    fy_print(report->text, "<figcaption>After <strong>");
    print_pair(report, pair_of(report->model, law));
    fy_print(report->text, "</strong>");
    if (others > 0)
        fy_print(report->text, ", and with the same probabilities after %" PRId64 " other pair%s",
                 others, others == 1 ? "" : "s");
    fy_print(report->text, ".");
    if (count < outcomes)
        fy_print(report->text, " The %" PRId64 " widest intervals of %" PRId64 ".", count,
                 outcomes);
    fy_print(report->text, "</figcaption></figure>\n");
}

/* The law with most doubt that is not drawn yet; it counts as drawn then. -1: none is left. */
static int64_t take_law(laws *all, int64_t count)
{
    int64_t max = 0;
    for (int64_t law = 1; law < count; law++)
        max = all->doubt[law] > all->doubt[max] ? law : max;
    if (count == 0 || !(all->doubt[max] > 0))
        return -1;
    all->doubt[max] = 0;
    return max;
}

/* Whole laws, as many as there is room for. */
static void draw_laws(fy_report *report, laws *all)
{
    int64_t rows = 0, sets = report->model->generator_sets;
    for (int64_t id = 0; id < FY_REPORT_LAWS; id++) {
        int64_t law = take_law(all, sets);
        rows += law < 0 ? 0 : fy_generator_set_size(report->model, law);
        if (law < 0 || (id > 0 && rows > FY_REPORT_ROWS))
            break;
        draw_law(report, all, law, id);
    }
}

static void add_name(fy_table *table, const char *name, int64_t number)
{
    if (name)
        fy_table_cell(table, "%s", name);
    else
        fy_table_integer(table, number);
}

static void print_table(fy_report *report, const laws *all, int64_t outcomes)
{
    static const char *const heading[] = {"state", "action", "next", "estimate",
                                          "low",   "high",   "truth"};
    char note[96];
    const foray_model *model = report->model;
    int64_t listed = 0;
    fy_table table = fy_table_begin(report->ctx, 7, heading);
    for (int64_t law = 0; law < model->generator_sets; law++) {
        int64_t pair = pair_of(model, law);
        for (int64_t j = 0; j < fy_generator_set_size(model, law); j++) {
            fy_span row = law_span(report, all, law, j);
            if (listed++ >= FY_REPORT_CSV_ROWS)
                break;
            int64_t s = pair / model->actions, a = pair % model->actions;
            int64_t to = follows(model, law, j);
            add_name(&table, foray_model_state_name(model, s), s);
            add_name(&table, foray_model_action_name(model, a), a);
            add_name(&table, foray_model_state_name(model, to), to);
            fy_table_exact(&table, row.point);
            fy_table_exact(&table, row.low);
            fy_table_exact(&table, row.high);
            fy_table_exact(&table, row.truth);
        }
    }
    fy_format(note, sizeof note, "The first %d of %" PRId64 " probabilities.", FY_REPORT_CSV_ROWS,
              outcomes);
    fy_page_data(report->text, &table, "probabilities",
                 outcomes > FY_REPORT_CSV_ROWS ? note : NULL);
    fy_table_free(&table);
}

static void print_laws(fy_report *report, laws *all)
{
    int64_t outcomes, inside = count_true(report, all, &outcomes);
    fy_print(report->text,
             "<p>How probable each successor of a state and an action is, where most is still to "
             "be learnt. Dots: the estimate. Lines: its confidence interval.");
    if (foray_model_theta(report->model))
        fy_print(report->text,
                 " Diamonds: the truth, which %" PRId64 " of all %" PRId64
                 " intervals contain.</p>\n",
                 inside, outcomes);
    else
        fy_print(report->text, " The truth is not known.</p>\n");
    draw_laws(report, all);
    print_table(report, all, outcomes);
    fy_print(report->text, "<p>Behind all of them is theta, of %" PRId64 " coordinates:</p>\n",
             report->model->dim);
}

static foray_status print_all_laws(fy_report *report, bool *printed)
{
    laws all = {0};
    foray_status status = find_laws(report, &all);
    *printed = status == FORAY_OK;
    if (*printed)
        print_laws(report, &all);
    free_laws(&all);
    return status == FORAY_ERROR_USAGE ? FORAY_OK : status; /* usage: there are no intervals */
}

/* -------------------------------------------------------------------- coordinates */

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
    int64_t count = find_widest(report->half_width, dim, chosen, FY_REPORT_ROWS);
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
        fy_table_exact(&table, middle);
        fy_table_exact(&table, middle - half);
        fy_table_exact(&table, middle + half);
        fy_table_exact(&table, half);
        fy_table_exact(&table, truth_at(report, i));
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
        status = print_all_laws(report, &printed);
    if (!printed)
        print_coordinates(report, named ? of : NULL);
    print_theta(report);
    free(of);
    return status;
}
