/* theorem_results.c - what was measured beside what the theorem promises. */
#include "experiments/theorem.h"
#include "measure/measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The runs of one promise: a variant, a world, an eps. */
typedef struct promise {
    const fy_lab *lab;
    int64_t first, runs, points; /* cells, and checkpoints of each */
    const int64_t *at;
    const char *variant, *world;
    fy_theorem_terms terms;
    double eps, K;
    double *work; /* [runs] */
} promise;

static const double *row_of(const promise *p, int64_t run, int64_t point)
{
    return fy_rows_at(&p->lab->rows[p->first + run], point);
}

static foray_status look_up(const fy_lab *lab, int64_t first, double *work, promise *out)
{
    const int64_t *at = lab->cell[first].at;
    *out = (promise){.lab = lab,
                     .first = first,
                     .runs = fy_lab_whole(lab, FY_THEOREM_SEEDS),
                     .points = lab->rows[first].count,
                     .at = at,
                     .variant = fy_theorem_variant_at(at[FY_THEOREM_AT_VARIANT])->name,
                     .world = fy_lab_word(lab, FY_THEOREM_WORLDS, at[FY_THEOREM_AT_WORLD]),
                     .eps = fy_lab_number(lab, FY_THEOREM_EPS, at[FY_THEOREM_AT_EPS])};
    out->work = work;
    out->K = row_of(out, 0, 0)[FY_THEOREM_C_PROMISED];
    return fy_theorem_world_terms(lab->ctx, lab, FY_THEOREM_WORLDS, at[FY_THEOREM_AT_WORLD],
                                  &out->terms);
}

/* UCRL-RFE+ is measured after the K of UCRL-RFE, which promises nothing about it. */
static bool is_plus(const promise *p)
{
    return strcmp(p->variant, "plus") == 0;
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

/* "printed, chain, H 2, d 2" */
static void describe(const promise *p, char out[128])
{
    fy_format(out, 128, "%s, %.*s, H %g, d %g", p->variant, (int)strcspn(p->world, ":"), p->world,
              p->terms.horizon, p->terms.dim);
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

/* min { k : column <= eps at k and at every later checkpoint }, of each run; infinite: not even
 * at the end. */
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

/* The furthest that the estimate was from theta*, over all runs and checkpoints. */
static double most_distance(const promise *p)
{
    double most = 0.0;
    for (int64_t i = 0; i < p->runs; i++)
        for (int64_t k = 0; k < p->points; k++)
            most = fmax(most, row_of(p, i, k)[FY_THEOREM_C_DISTANCE]);
    return most;
}

/* --------------------------------------------------------------------------- findings */

/* All promises together: how many were kept, and how much of each bound was used. */
static foray_status find_whole(fy_lab *lab, double *work)
{
    int64_t promises = 0, runs = 0, kept = 0, each = fy_lab_whole(lab, FY_THEOREM_SEEDS);
    double slack = INFINITY, distance = 0.0, information = 0.0, bonus = 0.0;
    for (int64_t first = 0; first < lab->cells; first += each) {
        promise p;
        foray_status status = look_up(lab, first, work, &p);
        if (status != FORAY_OK)
            return status;
        if (is_plus(&p))
            continue;
        fy_theorem_bound promised = fy_theorem_bound_after(&p.terms, p.K, p.K);
        promises++;
        runs += p.runs;
        kept += count_kept(&p);
        slack = fmin(slack, p.eps / spread_at_end(&p, FY_THEOREM_C_EXPLORATION).most);
        distance = fmax(distance, most_distance(&p));
        information = fmax(information,
                           spread_at_end(&p, FY_THEOREM_C_INFORMATION).most / promised.information);
        bonus = fmax(bonus, spread_at_end(&p, FY_THEOREM_C_BONUS).most / promised.bonus);
    }
    if (promises == 0)
        return FORAY_OK;
    fy_interval share = fy_binomial_interval(runs, kept, 0.95);
    fy_lab_find(lab,
                "Of %" PRId64 " runs of UCRL-RFE to the full K(eps), for %" PRId64
                " promises, %" PRId64 " had a worst gap of at most eps at the end (exact 95%% "
                "interval of the share: %.3g to %.3g; promised is %g).",
                runs, promises, kept, share.low, share.high,
                1.0 - fy_lab_real(lab, FY_THEOREM_DELTA));
    fy_lab_find(lab,
                "Where the constants go: what the proof bounds by eps is at least %.3g times "
                "smaller when measured; bonuses sum to at most %.2g%% of their bound; the log "
                "determinant comes to %.3g%% of its own; the estimate is never further from "
                "theta* than %.2g%% of the radius.",
                slack, 100.0 * bonus, 100.0 * information, 100.0 * distance);
    return FORAY_OK;
}

static void find_promise(fy_lab *lab, const promise *p)
{
    char what[128], asked[FY_NUMBER_SIZE], K[FY_NUMBER_SIZE], gap[FY_NUMBER_SIZE];
    char bound[FY_NUMBER_SIZE], first[FY_NUMBER_SIZE], known[FY_NUMBER_SIZE];
    bool plus = is_plus(p);
    double theirs = plus ? fy_theorem_plus_episodes(&p->terms, p->eps) : p->K;
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

/* ----------------------------------------------------------------- charts and summary */

static void draw_promise(const promise *p, int64_t index, fy_content *content)
{
    static const struct {
        const char *name;
        int column;
    } line[] = {{"worst gap", FY_THEOREM_C_GAP},
                {"certificate", FY_THEOREM_C_BOUND},
                {"H V*(r)", FY_THEOREM_C_EXPLORATION}};
    char id[32], what[128], title[160];
    describe(p, what);
    fy_format(id, sizeof id, "promise%" PRId64, index);
    fy_format(title, sizeof title, "%s, eps %g", what, p->eps);
    fy_content_chart(content, &(fy_chart){.id = id,
                                          .title = title,
                                          .note = "medians over the runs; bands: all runs",
                                          .x = {.label = "episodes", .kind = FY_AXIS_LOG},
                                          .y = {.label = "gap", .kind = FY_AXIS_LOG}});
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        fy_content_series(content, line[i].name);
        for (int64_t k = 0; k < p->points; k++) {
            spread s = spread_at(p, k, line[i].column);
            fy_content_point(content, (fy_series_point){row_of(p, 0, k)[FY_THEOREM_C_EPISODE],
                                                        s.median, s.least, s.most});
        }
    }
    if (is_plus(p))
        return;
    fy_content_series(content, "promised");
    for (int64_t k = 0; k < p->points; k++) {
        double episode = row_of(p, 0, k)[FY_THEOREM_C_EPISODE];
        double gap = fy_theorem_bound_after(&p->terms, p->K, episode).gap;
        fy_content_point(content, (fy_series_point){episode, gap, NAN, NAN});
    }
    fy_content_series(content, "eps");
    for (int64_t k = 0; k<p->points; k += p->points> 1 ? p->points - 1 : 1)
        fy_content_point(
            content, (fy_series_point){row_of(p, 0, k)[FY_THEOREM_C_EPISODE], p->eps, NAN, NAN});
}

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
    fy_interval share = fy_binomial_interval(p->runs, kept, 0.95);
    fy_theorem_bound promised = fy_theorem_bound_after(&p->terms, p->K, p->K);
    fy_table_cell(table, "%s", p->variant);
    fy_table_cell(table, "%s", p->world);
    const double numbers[SUMMARY - 2] = {
        p->eps,
        p->K,
        (double)p->runs,
        (double)kept,
        share.low,
        share.high,
        spread_at_end(p, FY_THEOREM_C_GAP).most,
        spread_at_end(p, FY_THEOREM_C_BOUND).median,
        spread_at_end(p, FY_THEOREM_C_EXPLORATION).median,
        reached(p, FY_THEOREM_C_GAP).most,
        reached(p, FY_THEOREM_C_BOUND).most,
        most_distance(p),
        spread_at_end(p, FY_THEOREM_C_INFORMATION).median,
        promised.information,
        spread_at_end(p, FY_THEOREM_C_BONUS).median,
        promised.bonus,
        spread_at_end(p, FY_THEOREM_C_PLANS).median,
    };
    for (int i = 0; i < SUMMARY - 2; i++)
        fy_table_shortest(table, numbers[i]);
}

/* Every promise in turn: a row of the summary; of the smallest eps a finding and a chart. */
static foray_status show_promises(fy_lab *lab, double *work, fy_content *content)
{
    foray_status status = find_whole(lab, work);
    fy_lab_details(lab);
    int64_t charts = 0, runs = fy_lab_whole(lab, FY_THEOREM_SEEDS);
    fy_table table = fy_table_begin(lab->ctx, SUMMARY, summary_heading);
    fy_content_heading(content, "Measured and promised");
    fy_content_paragraph(content,
                         "The smallest eps of each variant and world. “promised” is what the proof "
                         "gives after k episodes with the radius for K; it meets eps at K, where "
                         "the runs end. A gap of 0 is drawn at the bottom.");
    for (int64_t first = 0; first < lab->cells && status == FORAY_OK; first += runs) {
        promise p;
        status = look_up(lab, first, work, &p);
        if (status != FORAY_OK)
            break;
        add_summary(&p, &table);
        if (!is_smallest(&p))
            continue;
        find_promise(lab, &p);
        draw_promise(&p, ++charts, content);
    }
    fy_content_heading(content, "All promises that were put to the test");
    fy_content_table(content, FY_TABLE_READ, "summary", NULL, &table);
    return status;
}

/* ------------------------------------------------------------- what the theorems ask for */

/* K for the worlds of a parameter and every eps; the worlds that nobody played are findings. */
static foray_status add_asked(fy_lab *lab, int parameter, fy_table *table)
{
    for (int64_t w = 0; w < fy_lab_count(lab, parameter); w++) {
        const char *world = fy_lab_word(lab, parameter, w);
        fy_theorem_terms terms;
        foray_status status = fy_theorem_world_terms(lab->ctx, lab, parameter, w, &terms);
        if (status != FORAY_OK)
            return status;
        for (int64_t e = 0; e < fy_lab_count(lab, FY_THEOREM_EPS); e++) {
            double eps = fy_lab_number(lab, FY_THEOREM_EPS, e);
            double K = fy_theorem_episodes(&terms, eps),
                   plus = fy_theorem_plus_episodes(&terms, eps);
            double beta = fy_theorem_bound_after(&terms, K, K).radius;
            const double numbers[] = {terms.horizon, terms.dim, terms.norm_bound, eps, K,
                                      beta,          plus};
            fy_table_cell(table, "%s", world);
            for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
                fy_table_shortest(table, numbers[i]);
            if (parameter == FY_THEOREM_OTHERS && e == 0)
                fy_lab_find(lab,
                            "In %s (H %g, d %g) the theorem asks for %.2g episodes to promise a "
                            "gap of %g out of %g; that of UCRL-RFE+ for at least %.2g.",
                            world, terms.horizon, terms.dim, K, eps, terms.horizon, plus);
        }
    }
    return FORAY_OK;
}

static foray_status show_asked(fy_lab *lab, fy_content *content)
{
    static const char *const heading[] = {"world", "H", "d",    "B",
                                          "eps",   "K", "beta", "K_plus_at_least"};
    fy_table table = fy_table_begin(lab->ctx, sizeof heading / sizeof *heading, heading);
    foray_status status = add_asked(lab, FY_THEOREM_WORLDS, &table);
    if (status == FORAY_OK)
        status = add_asked(lab, FY_THEOREM_OTHERS, &table);
    fy_content_heading(content, "What the theorems ask for");
    fy_content_paragraph(content, "K of UCRL-RFE, its radius, and a lower bound on K of UCRL-RFE+: "
                                  "what its largest term alone needs.");
    fy_content_table(content, FY_TABLE_READ, "promises", NULL, &table);
    return status;
}

foray_status fy_theorem_show(fy_lab *lab, fy_content *content)
{
    const fy_theorem_variant *variant;
    char every[FY_NUMBER_SIZE], doubling[FY_NUMBER_SIZE];
    double *work;
    if (!FY_ALLOC(lab->ctx, work, fy_lab_whole(lab, FY_THEOREM_SEEDS)))
        return FORAY_ERROR_MEMORY;
    foray_status status = show_promises(lab, work, content);
    free(work);
    fy_content_heading(content, "The variants");
    for (int64_t v = 0; (variant = fy_theorem_variant_at(v)); v++)
        fy_content_term(content, variant->name, variant->about);
    fy_content_paragraph(content,
                         "Runs that plan in every episode have up to %s episodes, the others up to "
                         "%s; promises beyond that were not put to the test.",
                         fy_number(fy_lab_real(lab, FY_THEOREM_EVERY_BUDGET), every),
                         fy_number(fy_lab_real(lab, FY_THEOREM_DOUBLING_BUDGET), doubling));
    return status == FORAY_OK ? show_asked(lab, content) : status;
}
