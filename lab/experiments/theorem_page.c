/* theorem_page.c - what was measured beside what was promised. */
#include "experiments/theorem.h"
#include "measure/measure.h"
#include "draw/svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The runs of one promise: a variant, a world, an eps. */
typedef struct promise {
    const fy_lab *lab;
    int64_t first, runs, points; /* cells, and checkpoints of each */
    const int64_t *at;
    fy_promise_terms terms;
    double eps, K;
    double *work; /* [runs] */
} promise;

static const double *row_of(const promise *p, int64_t run, int64_t point)
{
    return fy_rows_at(&p->lab->rows[p->first + run], point);
}

static foray_status look_up(const fy_lab *lab, int64_t first, double *work, promise *out)
{
    int64_t runs = fy_lab_whole(lab, FY_THEOREM_SEEDS);
    const int64_t *at = lab->cell[first].at;
    *out = (promise){.lab = lab, .first = first, .runs = runs, .at = at};
    out->work = work;
    out->points = lab->rows[first].count;
    out->eps = fy_lab_number(lab, FY_THEOREM_EPS, at[FY_THEOREM_AT_EPS]);
    out->K = row_of(out, 0, 0)[FY_THEOREM_C_PROMISED];
    return fy_theorem_terms(lab->ctx, lab, FY_THEOREM_WORLDS, at[FY_THEOREM_AT_WORLD], &out->terms);
}

static const char *variant_name(const promise *p)
{
    return fy_theorem_variant_at(p->at[FY_THEOREM_AT_VARIANT])->name;
}

static bool is_plus(const promise *p)
{
    return strcmp(variant_name(p), "plus") == 0;
}

static const char *world_name(const promise *p)
{
    return fy_lab_word(p->lab, FY_THEOREM_WORLDS, p->at[FY_THEOREM_AT_WORLD]);
}

/* ----------------------------------------------------------------------- several runs */

/* Least, median and most of the numbers in p->work. */
typedef struct spread {
    double least, median, most;
} spread;

static spread spread_of_work(const promise *p)
{
    fy_sort(p->runs, p->work);
    return (spread){p->work[0], fy_median(p->runs, p->work), p->work[p->runs - 1]};
}

static spread spread_at(const promise *p, int64_t point, int column)
{
    for (int64_t i = 0; i < p->runs; i++)
        p->work[i] = row_of(p, i, point)[column];
    return spread_of_work(p);
}

static spread spread_at_end(const promise *p, int column)
{
    return spread_at(p, p->points - 1, column);
}

/* The episodes from which on a column is at most eps; infinite: not at the end. */
static spread reached(const promise *p, int column)
{
    for (int64_t i = 0; i < p->runs; i++) {
        p->work[i] = INFINITY;
        for (int64_t k = p->points - 1; k >= 0 && row_of(p, i, k)[column] <= p->eps; k--)
            p->work[i] = row_of(p, i, k)[FY_THEOREM_C_EPISODE];
    }
    return spread_of_work(p);
}

/* The runs whose gap at K is at most eps. */
static int64_t count_kept(const promise *p)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < p->runs; i++)
        kept += row_of(p, i, p->points - 1)[FY_THEOREM_C_GAP] <= p->eps;
    return kept;
}

/* The most of a column over all runs and checkpoints. */
static double most_of_all(const promise *p, int column)
{
    double most = 0.0;
    for (int64_t i = 0; i < p->runs; i++)
        for (int64_t k = 0; k < p->points; k++)
            most = fmax(most, row_of(p, i, k)[column]);
    return most;
}

/* --------------------------------------------------------------------------- findings */

/* "printed, chain, H 2, d 2" */
static void describe(const promise *p, char out[128])
{
    const char *world = world_name(p);
    snprintf(out, 128, "%s, %.*s, H %g, d %g", variant_name(p), (int)strcspn(world, ":"), world,
             p->terms.horizon, p->terms.dim);
}

static void find_promise(fy_lab *lab, const promise *p)
{
    char what[128], asked[FY_NUMBER_SIZE], K[FY_NUMBER_SIZE], gap[FY_NUMBER_SIZE];
    char bound[FY_NUMBER_SIZE], first[FY_NUMBER_SIZE], known[FY_NUMBER_SIZE];
    bool plus = is_plus(p);
    double theirs = plus ? fy_promise_plus_episodes(&p->terms, p->eps) : p->K;
    describe(p, what);
    fy_lab_find(lab,
                "%s: eps %g is promised after %s%s episodes. After %s the worst gap of %" PRId64
                " runs was %s and the certificate %s; the gap had stayed below eps from episode "
                "%s on in the slowest run, the certificate from %s on.",
                what, p->eps, plus ? "no less than " : "", fy_number(theirs, asked),
                fy_number(p->K, K), p->runs,
                fy_number(spread_at_end(p, FY_THEOREM_C_GAP).most, gap),
                fy_number(spread_at_end(p, FY_THEOREM_C_BOUND).most, bound),
                fy_number(reached(p, FY_THEOREM_C_GAP).most, first),
                fy_number(reached(p, FY_THEOREM_C_BOUND).most, known));
}

/* Is it the last, and with a falling list of eps the hardest, of its variant and world? */
static bool is_smallest(const promise *p)
{
    int64_t next = p->first + p->runs;
    if (next >= p->lab->cells)
        return true;
    const int64_t *at = p->lab->cell[next].at;
    return at[FY_THEOREM_AT_VARIANT] != p->at[FY_THEOREM_AT_VARIANT] ||
           at[FY_THEOREM_AT_WORLD] != p->at[FY_THEOREM_AT_WORLD];
}

typedef struct tally {
    int64_t promises, runs, kept;
    double slack;       /* least promised / measured target at K */
    double distance;    /* most */
    double information; /* most share of D */
    double bonus;       /* most share of its bound */
} tally;

static void add_to_tally(const promise *p, tally *t)
{
    fy_promise promised = fy_promise_after(&p->terms, p->K, p->K);
    double bonus = spread_at_end(p, FY_THEOREM_C_BONUS).most;
    t->promises++;
    t->runs += p->runs;
    t->kept += count_kept(p);
    t->slack = fmin(t->slack, p->eps / spread_at_end(p, FY_THEOREM_C_TARGET).most);
    t->distance = fmax(t->distance, most_of_all(p, FY_THEOREM_C_DISTANCE));
    t->information = fmax(t->information,
                          spread_at_end(p, FY_THEOREM_C_INFORMATION).most / promised.information);
    t->bonus = isnan(bonus) ? t->bonus : fmax(t->bonus, bonus / promised.bonus);
}

static void find_whole(fy_lab *lab, const tally *t)
{
    fy_interval at = fy_binomial_interval(t->runs, t->kept, 0.95);
    fy_lab_find(lab,
                "Of %" PRId64 " runs of UCRL-RFE to the full K(eps), for %" PRId64
                " promises, %" PRId64 " had a worst gap of at most eps at the end (exact 95%% "
                "interval of the share: %.3g to %.3g; promised is %g).",
                t->runs, t->promises, t->kept, at.low, at.high,
                1.0 - fy_lab_real(lab, FY_THEOREM_DELTA));
    fy_lab_find(lab,
                "Where the constants go: what the proof bounds by eps is at least %.3g times "
                "smaller when measured; bonuses sum to at most %.2g%% of their bound; the log "
                "determinant comes to %.3g%% of its own; the estimate is never further from "
                "theta* than %.2g%% of the radius.",
                t->slack, 100.0 * t->bonus, 100.0 * t->information, 100.0 * t->distance);
}

/* ----------------------------------------------------------------------------- charts */

enum { LINES = 5 }; /* gap, bound, target, promise, eps */

/* numbers: [2 + 3 * 3][points]: episodes, three measures with their bands, the promise. */
static void print_chart(const promise *p, int64_t index, double *numbers, fy_writer *text)
{
    static const int column[3] = {FY_THEOREM_C_GAP, FY_THEOREM_C_BOUND, FY_THEOREM_C_TARGET};
    static const char *const name[3] = {"worst gap", "certificate", "H V*(r)"};
    fy_series series[LINES];
    double *x = numbers, *promised = numbers + p->points;
    for (int64_t k = 0; k < p->points; k++) {
        x[k] = row_of(p, 0, k)[FY_THEOREM_C_EPISODE];
        promised[k] = fy_promise_after(&p->terms, p->K, x[k]).gap;
    }
    for (int line = 0; line < 3; line++) {
        double *y = numbers + (2 + 3 * line) * p->points, *low = y + p->points;
        for (int64_t k = 0; k < p->points; k++) {
            spread s = spread_at(p, k, column[line]);
            y[k] = s.median;
            low[k] = s.least;
            low[p->points + k] = s.most;
        }
        series[line] = (fy_series){name[line], p->points, x, y, low, low + p->points};
    }
    double ends[2] = {x[0], x[p->points - 1]}, eps[2] = {p->eps, p->eps};
    series[3] = (fy_series){.name = "promised", .count = p->points, .x = x, .y = promised};
    series[4] = (fy_series){.name = "eps", .count = 2, .x = ends, .y = eps};
    char id[32], what[128], title[160];
    describe(p, what);
    snprintf(id, sizeof id, "promise%" PRId64, index);
    snprintf(title, sizeof title, "%s, eps %g", what, p->eps);
    fy_print(text, "<figure>\n");
    fy_svg_chart(text, &(fy_chart){.id = id,
                                   .title = title,
                                   .note = "medians over the runs; bands: all runs",
                                   .width = 560,
                                   .x = {.label = "episodes", .kind = FY_AXIS_LOG},
                                   .y = {.label = "gap", .kind = FY_AXIS_LOG},
                                   .count = is_plus(p) ? LINES - 2 : LINES,
                                   .series = series});
    fy_print(text, "</figure>\n");
}

/* ----------------------------------------------------------------------------- tables */

static const char *const summary_heading[] = {
    "variant",       "world",       "eps",         "K",
    "runs",          "kept",        "kept_low",    "kept_high",
    "gap_most",      "bound",       "target",      "gap_reached",
    "bound_reached", "distance",    "information", "information_bound",
    "bonus",         "bonus_bound", "plans"};
enum { SUMMARY = sizeof summary_heading / sizeof *summary_heading };

static void add_summary(const promise *p, fy_table *table)
{
    int64_t kept = count_kept(p);
    fy_interval at = fy_binomial_interval(p->runs, kept, 0.95);
    fy_promise promised = fy_promise_after(&p->terms, p->K, p->K);
    fy_table_cell(table, "%s", variant_name(p));
    fy_table_cell(table, "%s", world_name(p));
    const double numbers[SUMMARY - 2] = {
        p->eps,
        p->K,
        (double)p->runs,
        (double)kept,
        at.low,
        at.high,
        spread_at_end(p, FY_THEOREM_C_GAP).most,
        spread_at_end(p, FY_THEOREM_C_BOUND).median,
        spread_at_end(p, FY_THEOREM_C_TARGET).median,
        reached(p, FY_THEOREM_C_GAP).most,
        reached(p, FY_THEOREM_C_BOUND).most,
        most_of_all(p, FY_THEOREM_C_DISTANCE),
        spread_at_end(p, FY_THEOREM_C_INFORMATION).median,
        promised.information,
        spread_at_end(p, FY_THEOREM_C_BONUS).median,
        promised.bonus,
        spread_at_end(p, FY_THEOREM_C_PLANS).median,
    };
    for (int i = 0; i < SUMMARY - 2; i++)
        fy_table_shortest(table, numbers[i]);
}

/* What the theorems ask of one world. */
static foray_status add_asked(const fy_lab *lab, int parameter, int64_t world, fy_table *table)
{
    fy_promise_terms terms;
    foray_status status = fy_theorem_terms(lab->ctx, lab, parameter, world, &terms);
    for (int64_t e = 0; e < fy_lab_count(lab, FY_THEOREM_EPS) && status == FORAY_OK; e++) {
        double eps = fy_lab_number(lab, FY_THEOREM_EPS, e);
        double K = fy_promise_episodes(&terms, eps);
        fy_table_cell(table, "%s", fy_lab_word(lab, parameter, world));
        const double numbers[] = {terms.horizon,
                                  terms.dim,
                                  terms.norm_bound,
                                  eps,
                                  K,
                                  fy_promise_after(&terms, K, K).radius,
                                  fy_promise_plus_episodes(&terms, eps)};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            fy_table_shortest(table, numbers[i]);
    }
    return status;
}

static foray_status print_asked(fy_lab *lab, fy_writer *text)
{
    static const char *const heading[] = {"world", "H", "d",    "B",
                                          "eps",   "K", "beta", "K_plus_at_least"};
    fy_table table = fy_table_begin(lab->ctx, sizeof heading / sizeof *heading, heading);
    foray_status status = FORAY_OK;
    for (int64_t w = 0; w < fy_lab_count(lab, FY_THEOREM_WORLDS) && status == FORAY_OK; w++)
        status = add_asked(lab, FY_THEOREM_WORLDS, w, &table);
    for (int64_t w = 0; w < fy_lab_count(lab, FY_THEOREM_OTHERS) && status == FORAY_OK; w++)
        status = add_asked(lab, FY_THEOREM_OTHERS, w, &table);
    fy_print(text, "<h2>What the theorems ask for</h2>\n<p>K of UCRL-RFE, its radius, and a number "
                   "that K of UCRL-RFE+ is not below: the one that its largest term alone "
                   "needs.</p>\n");
    if (status == FORAY_OK)
        return fy_lab_table(lab, text, "promises", &table);
    fy_table_free(&table);
    return status;
}

static foray_status find_others(fy_lab *lab)
{
    double eps = fy_lab_number(lab, FY_THEOREM_EPS, 0);
    for (int64_t w = 0; w < fy_lab_count(lab, FY_THEOREM_OTHERS); w++) {
        fy_promise_terms terms;
        foray_status status = fy_theorem_terms(lab->ctx, lab, FY_THEOREM_OTHERS, w, &terms);
        if (status != FORAY_OK)
            return status;
        fy_lab_find(lab,
                    "In %s (H %g, d %g) the theorem asks for %.2g episodes to promise a gap of %g "
                    "out of %g; that of UCRL-RFE+ for at least %.2g.",
                    fy_lab_word(lab, FY_THEOREM_OTHERS, w), terms.horizon, terms.dim,
                    fy_promise_episodes(&terms, eps), eps, terms.horizon,
                    fy_promise_plus_episodes(&terms, eps));
    }
    return FORAY_OK;
}

/* ------------------------------------------------------------------------------- page */

static void print_variants(const fy_lab *lab, fy_writer *text)
{
    const fy_theorem_variant *variant;
    fy_print(text, "<h2>The variants</h2>\n<dl>\n");
    for (int64_t v = 0; (variant = fy_theorem_variant_at(v)); v++)
        fy_page_fact(text, variant->name, variant->about);
    char every[FY_NUMBER_SIZE], doubling[FY_NUMBER_SIZE];
    fy_print(text,
             "</dl>\n<p>Runs that plan in every episode have up to %s episodes, the others up to "
             "%s; promises beyond that were not put to the test.</p>\n",
             fy_number(fy_lab_real(lab, FY_THEOREM_EVERY_BUDGET), every),
             fy_number(fy_lab_real(lab, FY_THEOREM_DOUBLING_BUDGET), doubling));
}

/* Every promise in turn: the tally, a row, and a chart for the smallest eps. */
static foray_status go_through(fy_lab *lab, double *work, double *numbers, fy_table *table,
                               tally *t, fy_writer *text)
{
    int64_t charts = 0, runs = fy_lab_whole(lab, FY_THEOREM_SEEDS);
    for (int64_t first = 0; first < lab->cells; first += runs) {
        promise p;
        foray_status status = look_up(lab, first, work, &p);
        if (status != FORAY_OK)
            return status;
        if (!is_plus(&p))
            add_to_tally(&p, t);
        add_summary(&p, table);
        if (is_smallest(&p))
            print_chart(&p, ++charts, numbers, text);
    }
    return FORAY_OK;
}

static foray_status find_each(fy_lab *lab, double *work)
{
    for (int64_t first = 0; first < lab->cells; first += fy_lab_whole(lab, FY_THEOREM_SEEDS)) {
        promise p;
        foray_status status = look_up(lab, first, work, &p);
        if (status != FORAY_OK)
            return status;
        if (is_smallest(&p))
            find_promise(lab, &p);
    }
    return FORAY_OK;
}

static int64_t most_points(const fy_lab *lab)
{
    int64_t most = 0;
    for (int64_t i = 0; i < lab->cells; i++)
        most = lab->rows[i].count > most ? lab->rows[i].count : most;
    return most;
}

static foray_status print_all(fy_lab *lab, double *work, double *numbers, fy_writer *text)
{
    tally t = {.slack = INFINITY};
    fy_table table = fy_table_begin(lab->ctx, SUMMARY, summary_heading);
    fy_print(text, "<h2>Measured beside promised</h2>\n<p>The smallest eps of each variant and "
                   "world. <i>promised</i> is what the proof gives after k episodes with the "
                   "radius for K; it meets eps at K, where the runs end. A gap of 0 is "
                   "drawn at the bottom.</p>\n<div class=\"pair\">\n");
    foray_status status = go_through(lab, work, numbers, &table, &t, text);
    fy_print(text, "</div>\n");
    if (status == FORAY_OK && t.promises > 0)
        find_whole(lab, &t);
    if (status == FORAY_OK)
        status = find_each(lab, work);
    fy_print(text, "<h2>All promises that were put to the test</h2>\n");
    if (status == FORAY_OK)
        return fy_lab_table(lab, text, "summary", &table);
    fy_table_free(&table);
    return status;
}

foray_status fy_theorem_page(fy_lab *lab, fy_writer *text)
{
    double *work = NULL, *numbers = NULL;
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(lab->ctx, work, fy_lab_whole(lab, FY_THEOREM_SEEDS)) &&
        FY_ALLOC(lab->ctx, numbers, 11 * most_points(lab)))
        status = print_all(lab, work, numbers, text);
    free(work);
    free(numbers);
    if (status == FORAY_OK)
        status = find_others(lab);
    print_variants(lab, text);
    return status == FORAY_OK ? print_asked(lab, text) : status;
}
