/* lowerbound_page.c - the page of the experiment `lowerbound`. */
#include "experiments/lowerbound.h"
#include "base/maths.h"
#include "draw/svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double bound_or_nothing(const fy_hard *hard)
{
    double bound = fy_hard_bound(hard);
    return bound > 0 ? bound : NAN;
}

/* -------------------------------------------------------------------------- the bounds */

enum { POINTS = 33 };

/* Both bounds along one axis; what they do not say is not drawn. */
typedef struct curves {
    double x[POINTS], y[FY_HARD_CLASSES][POINTS];
} curves;

static const char *const curve_names[] = {"packing", "hypercube"};

static void draw_curves(fy_writer *text, const curves *c, const char *id, const char *title,
                        const char *note, const char *label)
{
    fy_series series[FY_HARD_CLASSES];
    for (int kind = 0; kind < FY_HARD_CLASSES; kind++)
        series[kind] = (fy_series){curve_names[kind], POINTS, c->x, c->y[kind], NULL, NULL};
    fy_chart chart = {.id = id,
                      .title = title,
                      .note = note,
                      .x = {.label = label, .kind = FY_AXIS_LOG},
                      .y = {.label = "episodes that are not enough", .kind = FY_AXIS_LOG},
                      .count = FY_HARD_CLASSES,
                      .series = series};
    fy_print(text, "<figure>\n");
    fy_svg_chart(text, &chart);
    fy_print(text, "</figure>\n");
}

/* d = 2 .. 512, at the accuracy that is asked of the hypercube. */
static void draw_over_dim(const fy_lab *lab, fy_writer *text)
{
    curves c;
    char note[160];
    fy_hard hard = fy_lb_hard(lab, FY_HARD_HYPERCUBE);
    for (int i = 0; i < POINTS; i++) {
        hard.dim = (int64_t)rint(2 * fy_pow(2, 8.0 * i / (POINTS - 1)));
        c.x[i] = (double)hard.dim;
        for (hard.kind = 0; hard.kind < FY_HARD_CLASSES; hard.kind++)
            c.y[hard.kind][i] = bound_or_nothing(&hard);
    }
    snprintf(note, sizeof note, "H = %" PRId64 ", eps = %.4g, delta = %.4g", hard.horizon, hard.eps,
             hard.delta);
    draw_curves(text, &c, "bounds-dim", "The bounds over d", note, "d");
}

/* From the largest eps that packings have room for, two decades down, at their d. */
static void draw_over_eps(const fy_lab *lab, fy_writer *text)
{
    curves c;
    char note[160];
    fy_hard hard = fy_lb_hard(lab, FY_HARD_PACKING);
    double most = fy_hard_most_eps(&hard);
    for (int i = 0; i < POINTS; i++) {
        hard.eps = most * fy_pow(10, -2.0 * i / (POINTS - 1));
        c.x[i] = hard.eps;
        for (hard.kind = 0; hard.kind < FY_HARD_CLASSES; hard.kind++)
            c.y[hard.kind][i] = bound_or_nothing(&hard);
    }
    snprintf(note, sizeof note, "H = %" PRId64 ", d = %" PRId64 ", delta = %.4g", hard.horizon,
             hard.dim, hard.delta);
    draw_curves(text, &c, "bounds-eps", "The bounds over eps", note, "eps");
}

/* A bound as a number of episodes, or a word for what it is not. */
static void add_bound(fy_table *table, const fy_hard *hard)
{
    double bound = fy_hard_bound(hard);
    if (bound > 0)
        fy_table_shortest(table, bound);
    else
        fy_table_cell(table, "%s", "vacuous");
}

static foray_status print_bounds_table(fy_lab *lab, fy_writer *text)
{
    static const char *const heading[] = {"d", "packing", "hypercube", "ratio"};
    static const int64_t dims[] = {2,  5,  10, 20,  40,  50,  60,  61,  64,
                                   68, 72, 80, 100, 150, 200, 300, 500, 1000};
    fy_table table = fy_table_begin(lab->ctx, 4, heading);
    fy_hard packing = fy_lb_hard(lab, FY_HARD_HYPERCUBE), cube = packing;
    packing.kind = FY_HARD_PACKING;
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        packing.dim = cube.dim = dims[i];
        fy_table_integer(&table, dims[i]);
        add_bound(&table, &packing);
        add_bound(&table, &cube);
        fy_table_shortest(&table, bound_or_nothing(&cube) / bound_or_nothing(&packing));
    }
    fy_print(text,
             "<p>Episodes that are not enough, at H = %" PRId64 ", eps = %.4g and delta = %.4g. "
             "<em>Vacuous</em>: the formula is negative, or eps outside the theorem's range.</p>\n",
             cube.horizon, cube.eps, cube.delta);
    return fy_lab_table(lab, text, "bounds", &table);
}

static foray_status print_least_table(fy_lab *lab, fy_writer *text)
{
    static const char *const heading[] = {"delta", "least d"};
    static const double deltas[] = {1e-6, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.49};
    fy_table table = fy_table_begin(lab->ctx, 2, heading);
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        fy_table_shortest(&table, deltas[i]);
        fy_table_integer(&table, fy_hard_least_dim(deltas[i]));
    }
    fy_print(text, "<p>The least d at which the bound for packings says anything at all, whatever "
                   "H and eps are:</p>\n");
    return fy_lab_table(lab, text, "least-dim", &table);
}

static foray_status print_bounds(fy_lab *lab, fy_writer *text)
{
    fy_print(text,
             "<h2>What the bounds say</h2>\n"
             "<p>Packing: K ≥ (H−1)²/(128 eps²) · (((d−1)/16 − 3)(1−delta) − log 2). "
             "Hypercube: K ≥ (H−1)²(d−1)²(1−4 delta)²/(768 eps²), for eps ≤ (H−1)(1−4 delta)/48. "
             "The first grows like d, the second like d².</p>\n<div class=\"pair\">\n");
    draw_over_dim(lab, text);
    draw_over_eps(lab, text);
    fy_print(text, "</div>\n");
    foray_status status = print_bounds_table(lab, text);
    return status == FORAY_OK ? print_least_table(lab, text) : status;
}

/* --------------------------------------------------------------------- success rates */

/* All rates of a class: [algorithms][count]. */
typedef struct rates {
    int kind;
    int64_t algorithms, count;
    fy_lb_rate **of; /* [algorithms] */
    double *x, *y;   /* [algorithms][count] */
    fy_series *series;
} rates;

static void destroy_rates(rates *r)
{
    for (int64_t a = 0; r->of && a < r->algorithms; a++)
        free(r->of[a]);
    free(r->of);
    free(r->x);
    free(r->y);
    free(r->series);
}

static foray_status create_rates(const fy_lab *lab, int kind, rates *r)
{
    *r = (rates){.kind = kind,
                 .algorithms = fy_lab_count(lab, FY_LB_ALGORITHMS),
                 .count = fy_lb_rates_count(lab, kind)};
    int64_t points = r->algorithms * r->count;
    if (!FY_ALLOC(lab->ctx, r->of, r->algorithms) || !FY_ALLOC(lab->ctx, r->x, points) ||
        !FY_ALLOC(lab->ctx, r->y, points) || !FY_ALLOC(lab->ctx, r->series, r->algorithms))
        return FORAY_ERROR_MEMORY;
    for (int64_t a = 0; a < r->algorithms; a++)
        if (!(r->of[a] = fy_lb_rates_create(lab, kind, a)))
            return FORAY_ERROR_MEMORY;
    return FORAY_OK;
}

static void draw_rates(const fy_lab *lab, const rates *r, fy_writer *text)
{
    const double wanted = 1 - fy_lab_real(lab, FY_LB_DELTA);
    for (int64_t a = 0; a < r->algorithms; a++) {
        double *x = r->x + a * r->count, *y = r->y + a * r->count;
        for (int64_t i = 0; i < r->count; i++) {
            x[i] = r->of[a][i].multiple;
            y[i] = r->of[a][i].mean;
        }
        r->series[a] =
            (fy_series){fy_lab_word(lab, FY_LB_ALGORITHMS, a), r->count, x, y, NULL, NULL};
    }
    const double at_bound = 1;
    char id[32], title[64];
    snprintf(id, sizeof id, "success-%s", fy_hard_name(r->kind));
    snprintf(title, sizeof title, "How often the gap is at most eps: %s", fy_hard_name(r->kind));
    fy_chart chart = {.id = id,
                      .title = title,
                      .note =
                          "over all members and seeds; dashed: the bound, and the rate 1 − delta",
                      .x = {.label = "episodes, as a multiple of the bound", .kind = FY_AXIS_LOG},
                      .y = {.label = "success rate", .kind = FY_AXIS_LINEAR, .from_zero = true},
                      .count = r->algorithms,
                      .series = r->series,
                      .across = &wanted,
                      .up = &at_bound};
    fy_print(text, "<figure>\n");
    fy_svg_chart(text, &chart);
    fy_print(text, "</figure>\n");
}

static void print_rates_data(const fy_lab *lab, const rates *r, fy_writer *text)
{
    static const char *const heading[] = {"algorithm", "multiple",   "episodes", "trials",
                                          "rate",      "low",        "high",     "worst member",
                                          "worst low", "worst high", "found"};
    char id[32];
    fy_table table = fy_table_begin(lab->ctx, 11, heading);
    for (int64_t a = 0; a < r->algorithms; a++)
        for (int64_t i = 0; i < r->count; i++) {
            const fy_lb_rate *rate = &r->of[a][i];
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
    snprintf(id, sizeof id, "rates-%s", fy_hard_name(r->kind));
    fy_page_data(text, &table, id, NULL);
}

static void print_class_lead(const fy_lab *lab, int kind, fy_writer *text)
{
    fy_hard hard = fy_lb_hard(lab, kind);
    char bound[FY_NUMBER_SIZE];
    fy_print(text, "<h2>Success rates: the %s</h2>\n", fy_hard_name(kind));
    fy_print(text,
             "<p>d = %" PRId64 ", %" PRId64 " members and as many actions, H = %" PRId64
             ", eps = %.4g: ",
             hard.dim, fy_hard_members(&hard), hard.horizon, hard.eps);
    if (!fy_lb_says_something(lab, kind)) {
        fy_print(text, "the bound is vacuous here, so there is nothing to measure.</p>\n");
        return;
    }
    fy_print(text, "up to %s episodes are not enough.%s</p>\n",
             fy_number(fy_hard_bound(&hard), bound),
             fy_hard_bound(&hard) < 1 ? " That is less than one episode: true, but empty." : "");
}

/* --------------------------------------------------------------------------- findings */

/* The algorithm and the multiple, up to the bound, with the highest rate. */
static const fy_lb_rate *best_within(const rates *r, int64_t *algorithm)
{
    const fy_lb_rate *best = NULL;
    for (int64_t a = 0; a < r->algorithms; a++)
        for (int64_t i = 0; i < r->count && r->of[a][i].multiple <= 1; i++)
            if (!best || r->of[a][i].mean > best->mean) {
                best = &r->of[a][i];
                *algorithm = a;
            }
    return best;
}

static void find_within(fy_lab *lab, const rates *r)
{
    int64_t algorithm = 0;
    const fy_lb_rate *best = best_within(r, &algorithm);
    fy_hard hard = fy_lb_hard(lab, r->kind);
    double allowed = 1 - fy_lab_real(lab, FY_LB_DELTA);
    if (!best)
        return;
    fy_lab_find(lab,
                "%s: up to the bound of %.4g episodes the highest success rate is %.3g [%.3g, "
                "%.3g] (%s, %.0f episode%s); the theorem allows less than %.3g, %s",
                fy_hard_name(r->kind), fy_hard_bound(&hard), best->mean, best->interval.low,
                best->interval.high, fy_lab_word(lab, FY_LB_ALGORITHMS, algorithm), best->episodes,
                best->episodes == 1 ? "" : "s", allowed,
                best->interval.low > allowed ? "WHICH IS CONTRADICTED"
                                             : "and nothing here contradicts it");
}

/* Who first reaches 1 - delta, and who does not. */
static void find_reached(fy_lab *lab, const rates *r)
{
    int64_t first = -1, at = 0, missing = 0;
    for (int64_t a = 0; a < r->algorithms; a++) {
        int64_t reached = fy_lb_reached(lab, r->count, r->of[a]);
        missing += reached < 0;
        if (reached >= 0 && (first < 0 || reached < at)) {
            first = a;
            at = reached;
        }
    }
    const fy_lb_rate *last = &r->of[0][r->count - 1], *rate = first < 0 ? last : &r->of[first][at];
    char multiple[FY_NUMBER_SIZE], episodes[FY_NUMBER_SIZE], most[FY_NUMBER_SIZE];
    fy_number(rate->multiple, multiple);
    fy_number(rate->episodes, episodes);
    fy_number(last->multiple, most);
    if (first < 0)
        fy_lab_find(lab,
                    "%s: no algorithm succeeds with a rate of 1 - delta within %s times the "
                    "bound, %s episodes",
                    fy_hard_name(r->kind), multiple, episodes);
    else
        fy_lab_find(lab,
                    "%s: %s is the first to succeed with a rate of 1 - delta, from %s times the "
                    "bound on (%s episodes); %" PRId64 " of %" PRId64
                    " algorithms do not within %s times the bound",
                    fy_hard_name(r->kind), fy_lab_word(lab, FY_LB_ALGORITHMS, first), multiple,
                    episodes, missing, r->algorithms, most);
}

static void find_bounds(fy_lab *lab)
{
    fy_hard packing = fy_lb_hard(lab, FY_HARD_PACKING);
    int64_t least = fy_hard_least_dim(packing.delta);
    if (fy_hard_bound(&packing) > 0)
        fy_lab_find(lab,
                    "packing: at delta = %.4g the bound is vacuous below d = %" PRId64
                    "; at d = %" PRId64 ", H = %" PRId64 ", eps = %.4g it is %.4g episodes%s",
                    packing.delta, least, packing.dim, packing.horizon, packing.eps,
                    fy_hard_bound(&packing), fy_hard_bound(&packing) < 1 ? ", less than one" : "");
    else
        fy_lab_find(lab,
                    "packing: at delta = %.4g the bound is vacuous below d = %" PRId64
                    ", and so at d = %" PRId64 ": nothing to measure",
                    packing.delta, least, packing.dim);
    fy_hard cube = fy_lb_hard(lab, FY_HARD_HYPERCUBE);
    if (fy_hard_bound(&cube) > 0)
        fy_lab_find(lab,
                    "hypercube: the bound says something at every d; at d = %" PRId64
                    ", H = %" PRId64 ", eps = %.4g it is %.4g episodes",
                    cube.dim, cube.horizon, cube.eps, fy_hard_bound(&cube));
    else
        fy_lab_find(lab, "hypercube: eps = %.4g is outside the theorem's range: nothing to measure",
                    cube.eps);
}

/* ------------------------------------------------------------------------ the summary */

/* The rate at exactly the bound; NULL: it is not among the multiples. */
static const fy_lb_rate *at_the_bound(const rates *r, int64_t algorithm)
{
    for (int64_t i = 0; i < r->count; i++)
        if (r->of[algorithm][i].multiple == 1)
            return &r->of[algorithm][i];
    return NULL;
}

static void add_summary(const fy_lab *lab, const rates *r, fy_table *table)
{
    for (int64_t a = 0; a < r->algorithms; a++) {
        const fy_lb_rate *rate = at_the_bound(r, a);
        int64_t reached = fy_lb_reached(lab, r->count, r->of[a]);
        fy_table_cell(table, "%s", fy_hard_name(r->kind));
        fy_table_cell(table, "%s", fy_lab_word(lab, FY_LB_ALGORITHMS, a));
        fy_table_shortest(table, rate ? rate->mean : NAN);
        fy_table_shortest(table, rate ? rate->interval.low : NAN);
        fy_table_shortest(table, rate ? rate->interval.high : NAN);
        fy_table_shortest(table, rate ? rate->worst : NAN);
        fy_table_shortest(table, reached < 0 ? INFINITY : r->of[a][reached].multiple);
        fy_table_shortest(table, reached < 0 ? INFINITY : r->of[a][reached].episodes);
        fy_table_shortest(table, r->of[a][r->count - 1].mean);
    }
}

static foray_status print_class(fy_lab *lab, int kind, fy_table *summary, fy_writer *text)
{
    rates r;
    print_class_lead(lab, kind, text);
    if (!fy_lb_says_something(lab, kind))
        return FORAY_OK;
    foray_status status = create_rates(lab, kind, &r);
    if (status == FORAY_OK && r.count > 0) {
        draw_rates(lab, &r, text);
        print_rates_data(lab, &r, text);
        add_summary(lab, &r, summary);
        find_within(lab, &r);
        find_reached(lab, &r);
    }
    destroy_rates(&r);
    return status;
}

foray_status fy_lb_page(fy_lab *lab, fy_writer *text)
{
    static const char *const heading[] = {
        "class",           "algorithm",       "rate at the bound", "low", "high", "worst member",
        "multiple needed", "episodes needed", "rate at the end"};
    fy_table summary = fy_table_begin(lab->ctx, 9, heading);
    find_bounds(lab);
    foray_status status = FORAY_OK;
    for (int kind = FY_HARD_CLASSES - 1; kind >= 0 && status == FORAY_OK; kind--)
        status = print_class(lab, kind, &summary, text);
    fy_print(text, "<h2>Summary</h2>\n<p>Success rates with exactly the bound's episodes, 95%% "
                   "Clopper-Pearson intervals, and the least multiple from which on the rate is at "
                   "least 1 − delta.</p>\n");
    foray_status saved = fy_lab_table(lab, text, "summary", &summary);
    if (status == FORAY_OK)
        status = saved;
    return status == FORAY_OK ? print_bounds(lab, text) : status;
}
