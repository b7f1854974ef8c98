/* lowerbound_results.c - success rates beside the bounds, and the bounds by themselves. */
#include "experiments/lowerbound.h"
#include "base/maths.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static double bound_or_nothing(const fy_hard_class *hard)
{
    double bound = fy_hard_class_bound(hard);
    return bound > 0 ? bound : NAN;
}

/* -------------------------------------------------------------------------- the bounds */

enum { POINTS = 33 };

/* Both bounds over d = 2 .. 512 at the eps that is asked of the hypercube, or over two decades of
 * eps below the largest that packings have room for, at their d. What they do not say is not
 * drawn. */
static void draw_bounds(const fy_lab *lab, bool over_dim, fy_content *content)
{
    fy_hard_class hard = fy_lb_hard(lab, over_dim ? FY_HARD_HYPERCUBE : FY_HARD_PACKING);
    double most = fy_hard_class_most_eps(&hard);
    char note[160];
    if (over_dim)
        fy_format(note, sizeof note, "H = %" PRId64 ", eps = %.4g, delta = %.4g", hard.horizon,
                  hard.eps, hard.delta);
    else
        fy_format(note, sizeof note, "H = %" PRId64 ", d = %" PRId64 ", delta = %.4g", hard.horizon,
                  hard.dim, hard.delta);
    fy_content_chart(
        content, &(fy_chart){.id = over_dim ? "bounds-dim" : "bounds-eps",
                             .title = over_dim ? "The bounds over d" : "The bounds over eps",
                             .note = note,
                             .x = {.label = over_dim ? "d" : "eps", .kind = FY_AXIS_LOG},
                             .y = {.label = "episodes that are not enough", .kind = FY_AXIS_LOG}});
    for (hard.kind = 0; hard.kind < FY_HARD_CLASSES; hard.kind++) {
        fy_content_series(content, fy_hard_class_name(hard.kind));
        for (int i = 0; i < POINTS; i++) {
            if (over_dim)
                hard.dim = (int64_t)rint(2 * fy_pow(2, 8.0 * i / (POINTS - 1)));
            else
                hard.eps = most * fy_pow(10, -2.0 * i / (POINTS - 1));
            fy_content_point(content, (fy_series_point){over_dim ? (double)hard.dim : hard.eps,
                                                        bound_or_nothing(&hard), NAN, NAN});
        }
    }
}

/* A bound as a number of episodes, or a word for what it is not. */
static void add_bound(fy_table *table, const fy_hard_class *hard)
{
    double bound = fy_hard_class_bound(hard);
    if (bound > 0)
        fy_table_shortest(table, bound);
    else
        fy_table_cell(table, "%s", "vacuous");
}

static void show_bounds(const fy_lab *lab, fy_content *content)
{
    static const char *const heading[] = {"d", "packing", "hypercube", "ratio"};
    static const int64_t dims[] = {2,  5,  10, 20,  40,  50,  60,  61,  64,
                                   68, 72, 80, 100, 150, 200, 300, 500, 1000};
    fy_content_heading(content, "What the bounds say");
    fy_content_paragraph(
        content,
        "Packing: K ≥ (H−1)²/(128 eps²) · (((d−1)/16 − 3)(1−delta) − log 2). "
        "Hypercube: K ≥ (H−1)²(d−1)²(1−4 delta)²/(768 eps²), for eps ≤ (H−1)(1−4 delta)/48. "
        "The first grows like d, the second like d².");
    draw_bounds(lab, true, content);
    draw_bounds(lab, false, content);

    fy_table table = fy_table_begin(lab->ctx, 4, heading);
    fy_hard_class packing = fy_lb_hard(lab, FY_HARD_HYPERCUBE), cube = packing;
    packing.kind = FY_HARD_PACKING;
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        packing.dim = cube.dim = dims[i];
        fy_table_integer(&table, dims[i]);
        add_bound(&table, &packing);
        add_bound(&table, &cube);
        fy_table_shortest(&table, bound_or_nothing(&cube) / bound_or_nothing(&packing));
    }
    fy_content_paragraph(content,
                         "Episodes that are not enough, at H = %" PRId64
                         ", eps = %.4g and delta = %.4g. “vacuous”: "
                         "the formula is negative, or eps outside the theorem's range.",
                         cube.horizon, cube.eps, cube.delta);
    fy_content_table(content, FY_TABLE_READ, "bounds", NULL, &table);
}

static void show_least_dims(const fy_lab *lab, fy_content *content)
{
    static const char *const heading[] = {"delta", "least d"};
    static const double deltas[] = {1e-6, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.49};
    fy_table table = fy_table_begin(lab->ctx, 2, heading);
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        fy_table_shortest(&table, deltas[i]);
        fy_table_integer(&table, fy_hard_class_least_dim(deltas[i]));
    }
    fy_content_paragraph(content, "The least d at which the bound for packings says anything at "
                                  "all, whatever H and eps are:");
    fy_content_table(content, FY_TABLE_READ, "least-dim", NULL, &table);
}

/* --------------------------------------------------------------------------- findings */

static void find_bounds(fy_lab *lab)
{
    fy_hard_class packing = fy_lb_hard(lab, FY_HARD_PACKING);
    fy_hard_class cube = fy_lb_hard(lab, FY_HARD_HYPERCUBE);
    double bound = fy_hard_class_bound(&packing);
    int64_t least = fy_hard_class_least_dim(packing.delta);
    if (bound > 0)
        fy_lab_find(lab,
                    "packing: at delta = %.4g the bound is vacuous below d = %" PRId64
                    "; at d = %" PRId64 ", H = %" PRId64 ", eps = %.4g it is %.4g episodes%s.",
                    packing.delta, least, packing.dim, packing.horizon, packing.eps, bound,
                    bound < 1 ? ", less than one" : "");
    else
        fy_lab_find(lab,
                    "packing: at delta = %.4g the bound is vacuous below d = %" PRId64
                    ", and so at d = %" PRId64 ": nothing to measure.",
                    packing.delta, least, packing.dim);
    if (fy_hard_class_bound(&cube) > 0)
        fy_lab_find(lab,
                    "hypercube: the bound says something at every d; at d = %" PRId64
                    ", H = %" PRId64 ", eps = %.4g it is %.4g episodes.",
                    cube.dim, cube.horizon, cube.eps, fy_hard_class_bound(&cube));
    else
        fy_lab_find(lab,
                    "hypercube: eps = %.4g is outside the theorem's range: nothing to measure.",
                    cube.eps);
}

/* The highest rate of any algorithm up to the bound, where the theorem allows less than
 * 1 - delta. */
static void find_within(fy_lab *lab, const fy_lb_rates *r)
{
    const char *algorithm = "";
    const fy_lb_rate *best = NULL;
    for (int64_t a = 0; a < r->algorithms; a++)
        for (int64_t i = 0; i < r->count && fy_lb_rate_at(r, a, i)->multiple <= 1; i++)
            if (!best || fy_lb_rate_at(r, a, i)->mean > best->mean) {
                best = fy_lb_rate_at(r, a, i);
                algorithm = fy_lab_word(lab, FY_LB_ALGORITHMS, a);
            }
    if (!best)
        return;
    fy_hard_class hard = fy_lb_hard(lab, r->kind);
    double allowed = 1 - fy_lab_real(lab, FY_LB_DELTA);
    fy_lab_find(
        lab,
        "In the %s, up to the bound of %.4g episodes nobody succeeds more often than in a share of "
        "%.3g [%.3g, %.3g] (%s, %.0f episode%s); the theorem allows less than %.3g, %s.",
        fy_hard_class_name(r->kind), fy_hard_class_bound(&hard), best->mean, best->interval.low,
        best->interval.high, algorithm, best->episodes, best->episodes == 1 ? "" : "s", allowed,
        best->interval.low > allowed ? "WHICH IS CONTRADICTED" : "and nothing here contradicts it");
}

/* Who first reaches 1 - delta, and who does not. */
static void find_reached(fy_lab *lab, const fy_lb_rates *r)
{
    int64_t first = -1, at = 0, missing = 0;
    for (int64_t a = 0; a < r->algorithms; a++) {
        int64_t reached = fy_lb_reached(lab, r, a);
        missing += reached < 0;
        if (reached >= 0 && (first < 0 || reached < at)) {
            first = a;
            at = reached;
        }
    }
    const fy_lb_rate *last = fy_lb_rate_at(r, 0, r->count - 1);
    const fy_lb_rate *rate = first < 0 ? last : fy_lb_rate_at(r, first, at);
    char multiple[FY_NUMBER_SIZE], episodes[FY_NUMBER_SIZE], most[FY_NUMBER_SIZE];
    fy_number(rate->multiple, multiple);
    fy_number(rate->episodes, episodes);
    fy_number(last->multiple, most);
    if (first < 0)
        fy_lab_find(lab,
                    "In the %s, no algorithm succeeds with a rate of 1 - delta within %s times the "
                    "bound, %s episodes.",
                    fy_hard_class_name(r->kind), multiple, episodes);
    else
        fy_lab_find(lab,
                    "In the %s, %s is the first to succeed with a rate of 1 - delta, from %s times "
                    "the bound on (%s episodes); %" PRId64 " of %" PRId64
                    " algorithms do not within %s times the bound.",
                    fy_hard_class_name(r->kind), fy_lab_word(lab, FY_LB_ALGORITHMS, first),
                    multiple, episodes, missing, r->algorithms, most);
}

/* ---------------------------------------------------------------------- success rates */

static void draw_rates(const fy_lab *lab, const fy_lb_rates *r, fy_content *content)
{
    const double wanted = 1 - fy_lab_real(lab, FY_LB_DELTA), at_bound = 1;
    char id[32], title[64];
    fy_format(id, sizeof id, "success-%s", fy_hard_class_name(r->kind));
    fy_format(title, sizeof title, "How often the gap is at most eps: %s",
              fy_hard_class_name(r->kind));
    fy_content_chart(
        content,
        &(fy_chart){.id = id,
                    .title = title,
                    .note = "over all members and seeds; dashed: the bound, and the rate 1 − delta",
                    .x = {.label = "episodes, as a multiple of the bound", .kind = FY_AXIS_LOG},
                    .y = {.label = "success rate", .kind = FY_AXIS_LINEAR, .from_zero = true},
                    .across = &wanted,
                    .up = &at_bound});
    for (int64_t a = 0; a < r->algorithms; a++) {
        fy_content_series(content, fy_lab_word(lab, FY_LB_ALGORITHMS, a));
        for (int64_t i = 0; i < r->count; i++) {
            const fy_lb_rate *rate = fy_lb_rate_at(r, a, i);
            fy_content_point(content, (fy_series_point){rate->multiple, rate->mean, NAN, NAN});
        }
    }
}

static void show_rates(const fy_lab *lab, const fy_lb_rates *r, fy_content *content)
{
    static const char *const heading[] = {"algorithm", "multiple",   "episodes", "trials",
                                          "rate",      "low",        "high",     "worst member",
                                          "worst low", "worst high", "found"};
    char name[32];
    fy_table table = fy_table_begin(lab->ctx, 11, heading);
    for (int64_t a = 0; a < r->algorithms; a++)
        for (int64_t i = 0; i < r->count; i++) {
            const fy_lb_rate *rate = fy_lb_rate_at(r, a, i);
            fy_table_cell(&table, "%s", fy_lab_word(lab, FY_LB_ALGORITHMS, a));
            fy_table_shortest(&table, rate->multiple);
            fy_table_shortest(&table, rate->episodes);
            fy_table_integer(&table, rate->trials);
            fy_table_number(&table, rate->mean);
            fy_table_number(&table, rate->interval.low);
            fy_table_number(&table, rate->interval.high);
            fy_table_number(&table, rate->worst);
            fy_table_number(&table, rate->of_worst.low);
            fy_table_number(&table, rate->of_worst.high);
            fy_table_number(&table, (double)rate->found / (double)rate->trials);
        }
    fy_format(name, sizeof name, "rates-%s", fy_hard_class_name(r->kind));
    fy_content_table(content, FY_TABLE_BEHIND, name, NULL, &table);
}

/* For each algorithm the rate at exactly the bound, if that is among the multiples, and what it
 * takes to reach 1 - delta. */
static void add_summary(const fy_lab *lab, const fy_lb_rates *r, fy_table *table)
{
    for (int64_t a = 0; a < r->algorithms; a++) {
        const fy_lb_rate *rate = NULL;
        int64_t reached = fy_lb_reached(lab, r, a);
        const fy_lb_rate *enough = reached < 0 ? NULL : fy_lb_rate_at(r, a, reached);
        for (int64_t i = 0; i < r->count; i++)
            if (fy_lb_rate_at(r, a, i)->multiple == 1)
                rate = fy_lb_rate_at(r, a, i);
        fy_table_cell(table, "%s", fy_hard_class_name(r->kind));
        fy_table_cell(table, "%s", fy_lab_word(lab, FY_LB_ALGORITHMS, a));
        fy_table_shortest(table, rate ? rate->mean : NAN);
        fy_table_shortest(table, rate ? rate->interval.low : NAN);
        fy_table_shortest(table, rate ? rate->interval.high : NAN);
        fy_table_shortest(table, rate ? rate->worst : NAN);
        fy_table_shortest(table, enough ? enough->multiple : INFINITY);
        fy_table_shortest(table, enough ? enough->episodes : INFINITY);
        fy_table_shortest(table, fy_lb_rate_at(r, a, r->count - 1)->mean);
    }
}

static foray_status show_class(fy_lab *lab, int kind, fy_table *summary, fy_content *content)
{
    fy_hard_class hard = fy_lb_hard(lab, kind);
    double bound = fy_hard_class_bound(&hard);
    char says[160] = "the bound is vacuous here, so there is nothing to measure.";
    if (bound > 0) {
        char number[FY_NUMBER_SIZE];
        fy_format(says, sizeof says, "up to %s episodes are not enough.%s",
                  fy_number(bound, number),
                  bound < 1 ? " That is less than one episode: true, but empty." : "");
    }
    fy_content_heading(content, "Success rates: the %s", fy_hard_class_name(kind));
    fy_content_paragraph(content,
                         "d = %" PRId64 ", %" PRId64 " members and as many actions, H = %" PRId64
                         ", eps = %.4g: %s",
                         hard.dim, fy_hard_class_members(&hard), hard.horizon, hard.eps, says);
    if (!(bound > 0))
        return FORAY_OK;
    fy_lb_rates rates;
    foray_status status = fy_lb_rates_create(lab, kind, &rates);
    if (status == FORAY_OK && rates.count > 0) {
        draw_rates(lab, &rates, content);
        show_rates(lab, &rates, content);
        add_summary(lab, &rates, summary);
        find_within(lab, &rates);
        find_reached(lab, &rates);
    }
    if (status == FORAY_OK)
        free(rates.rate);
    return status;
}

foray_status fy_lb_show(fy_lab *lab, fy_content *content)
{
    static const char *const heading[] = {
        "class",           "algorithm",       "rate at the bound", "low", "high", "worst member",
        "multiple needed", "episodes needed", "rate at the end"};
    fy_table summary = fy_table_begin(lab->ctx, 9, heading);
    foray_status status = FORAY_OK;
    for (int kind = FY_HARD_CLASSES - 1; kind >= 0 && status == FORAY_OK; kind--)
        status = show_class(lab, kind, &summary, content);
    fy_lab_details(lab);
    find_bounds(lab);
    fy_content_heading(content, "Summary");
    fy_content_paragraph(content, "Success rates with exactly the bound's episodes, 95%% "
                                  "Clopper-Pearson intervals, and the least multiple from which "
                                  "on the rate is at least 1 − delta.");
    fy_content_table(content, FY_TABLE_READ, "summary", NULL, &summary);
    show_bounds(lab, content);
    show_least_dims(lab, content);
    return status;
}
