/* complexity_page.c - K(eps) from all rows, how it grows, and the page. */
#include "experiments/complexity.h"
#include "base/maths.h"
#include "measure/learning.h"
#include "draw/spans.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 200 };
static const double outside = 0.05; /* the intervals */

/* What is asked to be at most eps. */
enum { GAP, BOUND, KINDS };
static const char *const kind_name[KINDS] = {"gap", "certificate"};
static const char *const kind_words[KINDS] = {"actual gap", "certificate"};
static const int kind_column[KINDS] = {FY_COMPLEXITY_C_GAP, FY_COMPLEXITY_C_BOUND};
static const int kind_eps[KINDS] = {FY_COMPLEXITY_EPS, FY_COMPLEXITY_CERTIFIED};

/* What K grows with. */
enum { OVER_EPS, OVER_H, OVER_D, VARIABLES };
static const char *const variable_name[VARIABLES] = {"1/eps", "H", "d"};

/* The exponents of the theorems, where there is one. Tabular ones have S, which stays. */
static const struct {
    const char *algorithm, *exponent[VARIABLES];
} theorems[] = {
    {"ucrl-rfe", {"2", "5", "2"}}, {"ucrl-rfe+", {"2", "4 to 5", "1 to 2"}},
    {"rf-ucrl", {"2", "4", "0"}},  {"rf-express", {"2", "3", "0"}},
    {"sstp", {"2", "2", "0"}},     {"rf-rl-explore", {"2", "5", "0"}},
    {"wang", {"2", "6", "3"}},
};

static const char *theorem_of(const char *algorithm, int variable)
{
    for (size_t i = 0; i < sizeof theorems / sizeof *theorems; i++)
        if (strcmp(theorems[i].algorithm, algorithm) == 0)
            return theorems[i].exponent[variable];
    return "";
}

/* The exponent as a number; of "4 to 5" the larger. NaN: there is none. */
static double theorem_number(const char *algorithm, int variable)
{
    const char *text = theorem_of(algorithm, variable), *last = strrchr(text, ' ');
    double exponent = NAN;
    (void)foray_number_read(last ? last + 1 : text, &exponent);
    return exponent;
}

/* All gaps and bounds: [algorithm][horizon][zone][seed][checkpoint]. */
typedef struct study {
    fy_lab *lab;
    fy_writer *text;
    int64_t algorithms, horizons, zones, seeds, checkpoints;
    double *episode; /* [checkpoints] */
    double *dim;     /* [zones] */
    double *value[KINDS];
    int64_t *pick; /* [seeds] of a resample */
    /* For fits: the points of one algorithm. */
    double *x, *y;
    int64_t *group;
} study;

static const char *algorithm_name(const study *s, int64_t a)
{
    return fy_lab_word(s->lab, FY_COMPLEXITY_ALGORITHMS, a);
}

static double horizon_of(const study *s, int64_t h)
{
    return fy_lab_number(s->lab, FY_COMPLEXITY_HORIZONS, h);
}

static double eps_of(const study *s, int kind, int64_t e)
{
    return fy_lab_number(s->lab, kind_eps[kind], e);
}

static int64_t eps_count(const study *s, int kind)
{
    return fy_lab_count(s->lab, kind_eps[kind]);
}

static double budget(const study *s)
{
    return fy_lab_real(s->lab, FY_COMPLEXITY_EPISODES);
}

/* ------------------------------------------------------------------------ gathering */

static void fill(study *s)
{
    for (int64_t i = 0; i < s->lab->cells; i++) {
        const fy_rows *rows = &s->lab->rows[i];
        for (int64_t k = 0; k < rows->count; k++)
            for (int kind = 0; kind < KINDS; kind++)
                s->value[kind][i * s->checkpoints + k] = fy_rows_at(rows, k)[kind_column[kind]];
    }
    for (int64_t k = 0; k < s->checkpoints; k++)
        s->episode[k] = fy_rows_at(&s->lab->rows[0], k)[FY_COMPLEXITY_C_EPISODE];
    for (int64_t z = 0; z < s->zones; z++)
        s->dim[z] = fy_rows_at(&s->lab->rows[z * s->seeds], 0)[FY_COMPLEXITY_C_DIM];
}

static foray_status gather(study *s)
{
    fy_lab *lab = s->lab;
    s->algorithms = fy_lab_count(lab, FY_COMPLEXITY_ALGORITHMS);
    s->horizons = fy_lab_count(lab, FY_COMPLEXITY_HORIZONS);
    s->zones = fy_lab_count(lab, FY_COMPLEXITY_ZONES);
    s->seeds = fy_lab_whole(lab, FY_COMPLEXITY_SEEDS);
    s->checkpoints = lab->rows[0].count;
    int64_t most =
        s->horizons * s->zones *
        (eps_count(s, GAP) > eps_count(s, BOUND) ? eps_count(s, GAP) : eps_count(s, BOUND));
    for (int kind = 0; kind < KINDS; kind++)
        if (!FY_ALLOC(lab->ctx, s->value[kind], lab->cells * s->checkpoints))
            return FORAY_ERROR_MEMORY;
    if (!FY_ALLOC(lab->ctx, s->episode, s->checkpoints) || !FY_ALLOC(lab->ctx, s->dim, s->zones) ||
        !FY_ALLOC(lab->ctx, s->pick, s->seeds) || !FY_ALLOC(lab->ctx, s->x, most) ||
        !FY_ALLOC(lab->ctx, s->y, most) || !FY_ALLOC(lab->ctx, s->group, most))
        return FORAY_ERROR_MEMORY;
    fill(s);
    return FORAY_OK;
}

static void release(study *s)
{
    for (int kind = 0; kind < KINDS; kind++)
        free(s->value[kind]);
    free(s->episode);
    free(s->dim);
    free(s->pick);
    free(s->x);
    free(s->y);
    free(s->group);
}

/* K(eps) of one algorithm on one chain. */
static double time_of(const study *s, int kind, int64_t a, int64_t h, int64_t z, int64_t e,
                      const int64_t *pick)
{
    int64_t world = (a * s->horizons + h) * s->zones + z;
    fy_gaps_table gaps = {s->checkpoints, s->seeds, s->episode,
                          s->value[kind] + world * s->seeds * s->checkpoints};
    return fy_learning_time(&gaps, eps_of(s, kind, e), fy_lab_real(s->lab, FY_COMPLEXITY_DELTA),
                            pick);
}

/* ------------------------------------------------------------------------ exponents */

/* An exponent, the interval of its resamples, and how many points it is fitted to. */
typedef struct exponent {
    double slope, low, high;
    int64_t used, all;
} exponent;

static void add_point(study *s, fy_points *points, double x, double time, int64_t group)
{
    /* What was learnt at the first look may have been learnt before. */
    bool known = isfinite(time) && time > s->episode[0];
    s->x[points->count] = fy_log(x);
    s->y[points->count] = known ? fy_log(time) : NAN;
    s->group[points->count++] = group;
}

/* The points of one algorithm; those of a group differ in nothing but the variable. */
static fy_points gather_points(study *s, int kind, int64_t a, int variable, const int64_t *pick)
{
    const int64_t count[VARIABLES] = {eps_count(s, kind), s->horizons, s->zones};
    int first = variable == OVER_EPS ? OVER_H : OVER_EPS;
    int second = variable == OVER_D ? OVER_H : OVER_D;
    fy_points points = {.x = s->x, .y = s->y, .group = s->group};
    int64_t at[VARIABLES];
    for (at[first] = 0; at[first] < count[first]; at[first]++)
        for (at[second] = 0; at[second] < count[second]; at[second]++)
            for (at[variable] = 0; at[variable] < count[variable]; at[variable]++) {
                const double x[VARIABLES] = {1.0 / eps_of(s, kind, at[OVER_EPS]),
                                             horizon_of(s, at[OVER_H]), s->dim[at[OVER_D]]};
                add_point(s, &points, x[variable],
                          time_of(s, kind, a, at[OVER_H], at[OVER_D], at[OVER_EPS], pick),
                          at[first] * count[second] + at[second]);
            }
    return points;
}

static void resample(study *s, int64_t which)
{
    for (int64_t i = 0; i < s->seeds; i++) {
        double unit = fy_unit(fy_random_bits((uint64_t)fy_lab_whole(s->lab, FY_COMPLEXITY_SEED),
                                             FY_STREAM_BOOTSTRAP, (uint64_t)which, (uint32_t)i, 0));
        s->pick[i] = (int64_t)(unit * (double)s->seeds);
    }
}

static exponent fit(study *s, int kind, int64_t a, int variable)
{
    double slopes[RESAMPLES];
    int64_t known = 0;
    fy_points points = gather_points(s, kind, a, variable, NULL);
    exponent out = {.slope = fy_common_slope(&points), .all = points.count};
    for (int64_t i = 0; i < points.count; i++)
        out.used += isfinite(points.y[i]);
    for (int64_t i = 0; i < RESAMPLES && !isnan(out.slope); i++) {
        resample(s, i);
        points = gather_points(s, kind, a, variable, s->pick);
        double slope = fy_common_slope(&points);
        if (!isnan(slope))
            slopes[known++] = slope;
    }
    out.low = fy_quantile(known, slopes, 0.5 * outside);
    out.high = fy_quantile(known, slopes, 1.0 - 0.5 * outside);
    return out;
}

static void add_exponent(const study *s, fy_table *table, int kind, int64_t a, int variable,
                         const exponent *its)
{
    fy_table_cell(table, "%s", algorithm_name(s, a));
    fy_table_cell(table, "%s", kind_name[kind]);
    fy_table_cell(table, "over %s", variable_name[variable]);
    fy_table_shortest(table, its->slope);
    fy_table_shortest(table, its->low);
    fy_table_shortest(table, its->high);
    fy_table_cell(table, "%s", theorem_of(algorithm_name(s, a), variable));
    fy_table_integer(table, its->used);
    fy_table_integer(table, its->all);
}

/* "(1/eps)^1.9 [1.8, 2.1] H^2.2 [2, 2.3] d^0.9 [0.8, 1]" */
static void find_exponents(study *s, int kind, int64_t a, const exponent its[VARIABLES])
{
    char part[VARIABLES][96];
    const char *name = algorithm_name(s, a);
    for (int v = 0; v < VARIABLES; v++) {
        if (isnan(its[v].slope))
            snprintf(part[v], sizeof part[v], "%s: too few points", variable_name[v]);
        else
            snprintf(part[v], sizeof part[v], "%s: %.2f [%.2f, %.2f]", variable_name[v],
                     its[v].slope, its[v].low, its[v].high);
    }
    char theorem[96] = "";
    if (*theorem_of(name, OVER_EPS))
        snprintf(theorem, sizeof theorem, "; its theorem has %s, %s, %s", theorem_of(name, 0),
                 theorem_of(name, 1), theorem_of(name, 2));
    fy_lab_find(s->lab, "%s, %s: exponents of K in %s, %s, %s%s.", name, kind_words[kind], part[0],
                part[1], part[2], theorem);
}

/* Every exponent with its interval, and the theorem's beside it. */
static foray_status draw_exponents(study *s, int kind, const exponent *its)
{
    char id[32], title[96];
    fy_span *row;
    int64_t count = 0;
    if (!FY_ALLOC(s->lab->ctx, row, s->algorithms * VARIABLES))
        return FORAY_ERROR_MEMORY;
    for (int v = 0; v < VARIABLES; v++)
        for (int64_t a = 0; a < s->algorithms; a++) {
            const exponent *e = &its[a * VARIABLES + v];
            if (isnan(e->slope))
                continue;
            row[count] = (fy_span){.low = e->low, .high = e->high, .point = e->slope};
            row[count].truth = theorem_number(algorithm_name(s, a), v);
            snprintf(row[count++].label, FY_LABEL_SIZE, "%s, %s", variable_name[v],
                     algorithm_name(s, a));
        }
    snprintf(id, sizeof id, "%sexponents", kind_name[kind]);
    snprintf(title, sizeof title, "exponents of K for the %s", kind_words[kind]);
    fy_spans spans = {.id = id, .title = title, .label = title, .count = count, .row = row};
    fy_print(s->text, "<figure>\n");
    fy_svg_spans(s->text, &spans);
    fy_print(s->text, "</figure>\n");
    free(row);
    return FORAY_OK;
}

static foray_status fit_kind(study *s, int kind, fy_table *table)
{
    exponent *its;
    if (!FY_ALLOC(s->lab->ctx, its, s->algorithms * VARIABLES))
        return FORAY_ERROR_MEMORY;
    for (int64_t a = 0; a < s->algorithms; a++) {
        exponent *mine = &its[a * VARIABLES];
        for (int v = 0; v < VARIABLES; v++) {
            mine[v] = fit(s, kind, a, v);
            add_exponent(s, table, kind, a, v, &mine[v]);
        }
        if (mine[0].used > 0)
            find_exponents(s, kind, a, mine);
    }
    foray_status status = draw_exponents(s, kind, its);
    free(its);
    return status;
}

static foray_status print_exponents(study *s)
{
    static const char *const heading[] = {"algorithm", "measure", "variable", "exponent", "low",
                                          "high",      "theorem", "points",   "of"};
    fy_table table = fy_table_begin(s->lab->ctx, 9, heading);
    foray_status status = FORAY_OK;
    fy_print(s->text,
             "<h2>Exponents</h2>\n<p>Slopes of log K against log(1/eps), log H and log d, with the "
             "interval that 95%% of the resampled slopes lie in, beside the exponents in the "
             "theorems (diamonds), which are upper bounds up to logarithms. Empty: fewer than two "
             "points that differ in the variable alone. Points: how many of all (H, d, eps) were "
             "reached within the budget and not at the very first look.</p>\n<div "
             "class=\"pair\">\n");
    for (int kind = 0; kind < KINDS && status == FORAY_OK; kind++)
        status = fit_kind(s, kind, &table);
    fy_print(s->text, "</div>\n");
    foray_status saved = fy_lab_table(s->lab, s->text, "summary", &table);
    return status == FORAY_OK ? saved : status;
}

/* ------------------------------------------------------------------------- K(eps) */

static foray_status print_times(study *s)
{
    static const char *const heading[] = {"algorithm", "measure", "horizon", "zones",
                                          "dim",       "eps",     "episodes"};
    fy_table table = fy_table_begin(s->lab->ctx, 7, heading);
    for (int64_t a = 0; a < s->algorithms; a++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int64_t h = 0; h < s->horizons; h++)
                for (int64_t z = 0; z < s->zones; z++)
                    for (int64_t e = 0; e < eps_count(s, kind); e++) {
                        fy_table_cell(&table, "%s", algorithm_name(s, a));
                        fy_table_cell(&table, "%s", kind_name[kind]);
                        fy_table_shortest(&table, horizon_of(s, h));
                        fy_table_shortest(&table, fy_lab_number(s->lab, FY_COMPLEXITY_ZONES, z));
                        fy_table_shortest(&table, s->dim[z]);
                        fy_table_shortest(&table, eps_of(s, kind, e));
                        fy_table_shortest(&table, time_of(s, kind, a, h, z, e, NULL));
                    }
    char note[128], number[FY_NUMBER_SIZE];
    snprintf(note, sizeof note, "inf: not within the budget of %s episodes.",
             fy_number(budget(s), number));
    fy_print(s->text, "<h2>K(eps), all of it</h2>\n");
    return fy_lab_data(s->lab, s->text, "episodes", &table, note);
}

/* One line for each algorithm over one variable, at the middle of the others. */
typedef struct lines {
    int kind, variable;
    int64_t middle[VARIABLES], count;
    double *x, *y; /* [count], [algorithms][count] */
    fy_series *series;
} lines;

static void fill_lines(const study *s, lines *l)
{
    for (int64_t a = 0; a < s->algorithms; a++) {
        for (int64_t i = 0; i < l->count; i++) {
            int64_t at[VARIABLES] = {l->middle[0], l->middle[1], l->middle[2]};
            at[l->variable] = i;
            const double x[VARIABLES] = {1.0 / eps_of(s, l->kind, at[OVER_EPS]),
                                         horizon_of(s, at[OVER_H]), s->dim[at[OVER_D]]};
            l->x[i] = x[l->variable];
            l->y[a * l->count + i] =
                time_of(s, l->kind, a, at[OVER_H], at[OVER_D], at[OVER_EPS], NULL);
        }
        l->series[a] =
            (fy_series){algorithm_name(s, a), l->count, l->x, l->y + a * l->count, NULL, NULL};
    }
}

static void draw_lines(const study *s, const lines *l)
{
    static const char *const axis[VARIABLES] = {"1/eps", "horizon H", "dimension d"};
    char id[32], title[96], note[128];
    snprintf(id, sizeof id, "%s%d", kind_name[l->kind], l->variable);
    snprintf(title, sizeof title, "Episodes for the %s over %s", kind_words[l->kind],
             variable_name[l->variable]);
    char part[VARIABLES][32];
    snprintf(part[0], sizeof part[0], "eps = %g", eps_of(s, l->kind, l->middle[OVER_EPS]));
    snprintf(part[1], sizeof part[1], "H = %g", horizon_of(s, l->middle[OVER_H]));
    snprintf(part[2], sizeof part[2], "d = %g", s->dim[l->middle[OVER_D]]);
    snprintf(note, sizeof note, "%s, %s; what is beyond the budget is left out",
             part[l->variable == OVER_EPS ? 1 : 0], part[l->variable == OVER_D ? 1 : 2]);
    fy_chart chart = {.id = id,
                      .title = title,
                      .note = note,
                      .width = 560,
                      .x = {.label = axis[l->variable], .kind = FY_AXIS_LOG},
                      .y = {.label = "episodes K", .kind = FY_AXIS_LOG},
                      .count = s->algorithms,
                      .series = l->series};
    fy_print(s->text, "<figure>\n");
    fy_svg_chart(s->text, &chart);
    fy_print(s->text, "</figure>\n");
}

static foray_status print_lines(study *s, int kind, int variable)
{
    const int64_t count[VARIABLES] = {eps_count(s, kind), s->horizons, s->zones};
    lines l = {.kind = kind, .variable = variable, .count = count[variable]};
    for (int v = 0; v < VARIABLES; v++)
        l.middle[v] = count[v] / 2;
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(s->lab->ctx, l.x, l.count) &&
        FY_ALLOC(s->lab->ctx, l.y, s->algorithms * l.count) &&
        FY_ALLOC(s->lab->ctx, l.series, s->algorithms)) {
        fill_lines(s, &l);
        draw_lines(s, &l);
        status = FORAY_OK;
    }
    free(l.x);
    free(l.y);
    free(l.series);
    return status;
}

static foray_status print_kind(study *s, int kind)
{
    foray_status status = FORAY_OK;
    fy_print(s->text,
             "<h2>K(eps) of the %s</h2>\n<p>All numbers, also those of the other settings, are in "
             "the <a href=\"#episodes-data\">table</a> below.</p>\n<div class=\"pair\">\n",
             kind_words[kind]);
    for (int v = 0; v < VARIABLES && status == FORAY_OK; v++)
        status = print_lines(s, kind, v);
    fy_print(s->text, "</div>\n");
    return status;
}

/* In the middle of everything: who needs how many. */
static void find_times(study *s, int kind)
{
    char list[768] = "", number[FY_NUMBER_SIZE];
    size_t at = 0;
    int64_t h = s->horizons / 2, z = s->zones / 2, e = eps_count(s, kind) / 2;
    for (int64_t a = 0; a < s->algorithms && at < sizeof list; a++) {
        double time = time_of(s, kind, a, h, z, e, NULL);
        bool known = isfinite(time);
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s %s%s", a ? ", " : "",
                               algorithm_name(s, a), known ? "" : "more than ",
                               fy_number(known ? time : budget(s), number));
    }
    fy_lab_find(s->lab, "Episodes for a %s of %g at H = %g, d = %g: %s.",
                kind == GAP ? "worst gap" : "certificate", eps_of(s, kind, e), horizon_of(s, h),
                s->dim[z], list);
}

foray_status fy_complexity_page(fy_lab *lab, fy_writer *text)
{
    study s = {.lab = lab, .text = text};
    foray_status status = gather(&s);
    for (int kind = 0; kind < KINDS && status == FORAY_OK; kind++) {
        find_times(&s, kind);
        status = print_kind(&s, kind);
    }
    if (status == FORAY_OK)
        status = print_exponents(&s);
    if (status == FORAY_OK)
        status = print_times(&s);
    release(&s);
    return status;
}
