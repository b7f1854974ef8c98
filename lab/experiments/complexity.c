/* complexity.c - how many episodes an accuracy takes.
 *
 *   for each algorithm, horizon H, number of zones (which makes d) and seed
 *     explore the chain, and at 10^(i/8) episodes measure
 *       gap     the worst gap over goals, random rewards and the adversary
 *       bound   the certificate for all rewards
 *
 * K(eps) and how it grows is worked out from all rows. */
#include "work/lab.h"
#include "algorithms/algorithms.h"
#include "base/maths.h"
#include "compare/trial.h"
#include "measure/measure.h"
#include "base/base.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The parameters, in the order of their table. */
enum {
    ALGORITHMS,
    EPS,
    CERTIFIED,
    HORIZONS,
    ZONES,
    STATES,
    EPISODES,
    DELTA,
    RADIUS,
    REWARDS,
    ROUNDS,
    SEEDS,
    SEED,
};

/* The columns of its rows. */
enum {
    C_ALGORITHM,
    C_HORIZON,
    C_ZONES,
    C_DIM,
    C_SEED,
    C_EPISODE,
    C_GAP,
    C_BOUND,
    COLUMNS,
};

/* A cell: cell = ((algorithm * horizons + horizon) * zones + zone) * seeds + seed. */
enum { AT_ALGORITHM, AT_HORIZON, AT_ZONE, AT_SEED };

static const foray_lab_parameter parameters[] = {
    [ALGORITHMS] = FY_LAB_ALGORITHMS("algorithms",
                                     "ucrl-rfe,ucrl-rfe+,rf-ucrl,rf-express,random,"
                                     "generative",
                                     "ucrl-rfe,ucrl-rfe+,rf-ucrl,rf-express,random,"
                                     "generative",
                                     "the algorithms"),
    [EPS] = FY_LAB_REALS("eps", "0.3,0.1,0.03,0.01", "0.3,0.1,0.03,0.01,0.003", 1e-9, 1e6,
                         "accuracies for the actual gap"),
    [CERTIFIED] = FY_LAB_REALS("certified_eps", "8,4,2", "8,4,2,1,0.5", 1e-9, 1e6,
                               "accuracies for the certificate"),
    [HORIZONS] = FY_LAB_INTEGERS("horizons", "10,15,22", "10,14,20,28,40", 1, 1e6, "horizons H"),
    [ZONES] = FY_LAB_INTEGERS("zones", "2,4,8", "1,2,4,8,16", 1, 1e6,
                              "zones of the chain, each with 4 coordinates of theta"),
    [STATES] = FY_LAB_INTEGER("states", "17", "17", 2, 1e6, "states of the chain"),
    [EPISODES] = FY_LAB_INTEGER("episodes", "300000", "500000", 1, 1e12,
                                "episodes of each run; K(eps) beyond is not known"),
    [DELTA] = FY_LAB_REAL("delta", "0.1", "0.1", 1e-9, 0.999,
                          "the share of seeds that may fail; also that of the "
                          "confidence sets"),
    [RADIUS] = FY_LAB_CHOICE("radius", "sharp", "sharp", "sharp|selfnormalised|theorem",
                             "confidence radius of the algorithms that have one"),
    [REWARDS] = FY_LAB_INTEGER("rewards", "8", "32", 1, 1e6,
                               "rewards in each random family: dense, sparse, timed"),
    [ROUNDS] = FY_LAB_INTEGER("rounds", "2", "4", 0, 1e6, "rounds of the adversary"),
    [SEEDS] = FY_LAB_SEEDS("5", "5"),
    [SEED] = FY_LAB_SEED,
};

static const fy_lab_column measures[COLUMNS] = {
    [C_ALGORITHM] = {.name = "algorithm", .help = "the algorithm", .words = 1 + ALGORITHMS},
    [C_HORIZON] = {.name = "horizon", .help = "H"},
    [C_ZONES] = {.name = "zones", .help = "zones of the chain"},
    [C_DIM] = {.name = "dim", .help = "d, the dimension of theta"},
    [C_SEED] = {.name = "seed", .help = "the seed"},
    [C_EPISODE] = {.name = "episode", .help = "episodes so far"},
    [C_GAP] = {.name = "gap", .help = "the worst gap over all rewards"},
    [C_BOUND] = {.name = "bound", .help = "the certificate for all rewards; inf: there is none"},
};

enum { PER_DECADE = 8 }; /* checkpoints */

/* ---------------------------------------------------------------------------- plan */

static foray_status check_parameters(const fy_lab *lab)
{
    int64_t states = fy_lab_integer(lab, STATES);
    for (int64_t a = 0; a < fy_lab_count(lab, ALGORITHMS); a++)
        if (foray_algorithm_needs_reward(fy_lab_word(lab, ALGORITHMS, a)))
            return fy_fail(lab->ctx, FORAY_ERROR_USAGE,
                           "complexity: %s explores for one reward, and there is none",
                           fy_lab_word(lab, ALGORITHMS, a));
    for (int64_t z = 0; z < fy_lab_count(lab, ZONES); z++)
        if (fy_lab_number(lab, ZONES, z) > (double)states)
            return fy_fail(lab->ctx, FORAY_ERROR_USAGE,
                           "complexity: %g zones, but there are only %" PRId64 " states",
                           fy_lab_number(lab, ZONES, z), states);
    return FORAY_OK;
}

/* One run of an algorithm on a chain. About a microsecond for ten steps, and measuring at some
 * 8 checkpoints in a decade. */
static foray_status add_run(fy_lab *lab, int64_t a, int64_t h, int64_t z, int64_t s)
{
    const int64_t at[FY_LAB_AXES] = {
        [AT_ALGORITHM] = a, [AT_HORIZON] = h, [AT_ZONE] = z, [AT_SEED] = s};
    double horizon = fy_lab_number(lab, HORIZONS, h);
    double episodes = fy_lab_real(lab, EPISODES);
    double states = fy_lab_real(lab, STATES);
    double plans = fy_lab_real(lab, REWARDS) + 4.0 * fy_lab_real(lab, ROUNDS);
    double sweeps = PER_DECADE * fy_log10(10.0 * episodes) * plans;
    return fy_lab_add_cell(lab, 1e-7 * horizon * (episodes + states * sweeps), at,
                           "%s-H%.0f-zones%.0f-seed%" PRId64, fy_lab_word(lab, ALGORITHMS, a),
                           horizon, fy_lab_number(lab, ZONES, z), fy_lab_integer(lab, SEED) + s);
}

static foray_status plan_complexity(fy_lab *lab)
{
    foray_status status = check_parameters(lab);
    for (int64_t a = 0; a < fy_lab_count(lab, ALGORITHMS); a++)
        for (int64_t h = 0; h < fy_lab_count(lab, HORIZONS); h++)
            for (int64_t z = 0; z < fy_lab_count(lab, ZONES); z++)
                for (int64_t s = 0; s < fy_lab_integer(lab, SEEDS); s++)
                    if (status == FORAY_OK)
                        status = add_run(lab, a, h, z, s);
    return status;
}

/* ---------------------------------------------------------------------------- cells */

/* Of what a trial measures, the gap and the bound. */
static foray_status add_rows(foray_context *ctx, const fy_trial *trial, const int64_t *at,
                             const fy_lab *lab, const fy_rows *measured, fy_rows *rows)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < measured->count && status == FORAY_OK; i++) {
        const double *from = fy_rows_at(measured, i);
        double row[COLUMNS] = {
            [C_ALGORITHM] = (double)at[AT_ALGORITHM],
            [C_HORIZON] = (double)trial->model->horizon,
            [C_ZONES] = fy_lab_number(lab, ZONES, at[AT_ZONE]),
            [C_DIM] = (double)trial->model->dim,
            [C_SEED] = (double)trial->settings.seed,
            [C_EPISODE] = from[FY_M_episode],
            [C_GAP] = from[FY_M_worst],
            [C_BOUND] = from[FY_M_bound],
        };
        status = fy_rows_add(ctx, rows, row);
    }
    return status;
}

/* The settings and the chain of a cell; of its rewards, the same for all seeds and algorithms. */
static foray_status open_trial(foray_context *ctx, const fy_lab *lab, const int64_t *at,
                               foray_model **model, fy_family **family, fy_trial *trial)
{
    char chain[128];
    foray_settings *settings = &trial->settings;
    foray_settings_default(settings);
    fy_settings_choose(settings, fy_lab_word(lab, ALGORITHMS, at[AT_ALGORITHM]));
    settings->seed = fy_lab_integer(lab, SEED) + at[AT_SEED];
    settings->episodes = fy_lab_integer(lab, EPISODES);
    settings->delta = fy_lab_real(lab, DELTA);
    foray_status status = foray_settings_set(ctx, settings, "radius", fy_lab_word(lab, RADIUS, 0));
    fy_format(chain, sizeof chain, "chain:states=%" PRId64 ",zones=%.0f,horizon=%.0f",
              fy_lab_integer(lab, STATES), fy_lab_number(lab, ZONES, at[AT_ZONE]),
              fy_lab_number(lab, HORIZONS, at[AT_HORIZON]));
    if (status == FORAY_OK)
        status = foray_model_builtin(ctx, chain, model);
    if (status == FORAY_OK)
        status = fy_families_create(ctx, *model, 0, fy_lab_integer(lab, REWARDS),
                                    (uint64_t)fy_lab_integer(lab, SEED), family);
    trial->model = *model;
    trial->family = family;
    return status;
}

static foray_status make_complexity_cell(foray_context *ctx, fy_lab *lab, int64_t index,
                                         fy_rows *rows)
{
    const int64_t *at = lab->cell[index].at;
    foray_model *model = NULL;
    fy_family *family[FY_FAMILIES] = {NULL};
    fy_rows measured = {.columns = FY_M_ALL};
    fy_trial trial = {.mode = FORAY_PLUGIN,
                      .rounds = fy_lab_integer(lab, ROUNDS),
                      .per_decade = PER_DECADE,
                      .lab = lab,
                      .cell = index};
    foray_status status = open_trial(ctx, lab, at, &model, family, &trial);
    if (status == FORAY_OK)
        status = fy_trial_run(ctx, &trial, &measured);
    if (status == FORAY_OK)
        status = add_rows(ctx, &trial, at, lab, &measured, rows);
    free(measured.value);
    fy_families_destroy(family);
    foray_model_destroy(model);
    return status;
}

/* -------------------------------------------------------------------------- results */

enum { RESAMPLES = 200 };
static const double outside = 0.05; /* the intervals */

/* What is asked to be at most eps. */
enum { GAP, BOUND, KINDS };
static const char *const kind_name[KINDS] = {"gap", "certificate"};
static const char *const kind_words[KINDS] = {"actual gap", "certificate"};
static const int kind_column[KINDS] = {C_GAP, C_BOUND};
static const int kind_eps[KINDS] = {EPS, CERTIFIED};

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

/* Rows of all cells, [algorithm][horizon][zone][seed]; each kind counts[kind] in each variable. */
typedef struct study {
    fy_lab *lab;
    fy_content *content;
    int64_t algorithms, seeds, count[KINDS][VARIABLES];
    int64_t *pick; /* [seeds] of a resample */
    /* For fits: the points of one algorithm. */
    double *x, *y;
    int64_t *group;
} study;

static const char *algorithm_name(const study *s, int64_t a)
{
    return fy_lab_word(s->lab, ALGORITHMS, a);
}

/* The value of a variable at its index: 1/eps, H or d. */
static double variable_at(const study *s, int kind, int variable, int64_t i)
{
    if (variable == OVER_EPS)
        return 1.0 / fy_lab_number(s->lab, kind_eps[kind], i);
    if (variable == OVER_H)
        return fy_lab_number(s->lab, HORIZONS, i);
    return fy_rows_at(&s->lab->rows[i * s->seeds], 0)[C_DIM];
}

/* K(eps) of one algorithm at these indices of the variables. */
static double episodes_at(const study *s, int kind, int64_t a, const int64_t at[VARIABLES],
                          const int64_t *pick)
{
    int64_t world = (a * s->count[kind][OVER_H] + at[OVER_H]) * s->count[kind][OVER_D] + at[OVER_D];
    fy_looks looks = {.rows = s->lab->rows + world * s->seeds,
                      .runs = s->seeds,
                      .count = s->lab->rows[0].count,
                      .episode = C_EPISODE,
                      .gap = kind_column[kind]};
    return fy_learning_time(&looks, fy_lab_number(s->lab, kind_eps[kind], at[OVER_EPS]),
                            fy_lab_real(s->lab, DELTA), pick);
}

static foray_status open_study(fy_lab *lab, fy_content *content, study *s)
{
    int64_t max = 0;
    *s = (study){.lab = lab,
                 .content = content,
                 .algorithms = fy_lab_count(lab, ALGORITHMS),
                 .seeds = fy_lab_integer(lab, SEEDS)};
    for (int kind = 0; kind < KINDS; kind++) {
        int64_t *count = s->count[kind];
        count[OVER_EPS] = fy_lab_count(lab, kind_eps[kind]);
        count[OVER_H] = fy_lab_count(lab, HORIZONS);
        count[OVER_D] = fy_lab_count(lab, ZONES);
        int64_t points = count[OVER_EPS] * count[OVER_H] * count[OVER_D];
        max = points > max ? points : max;
    }
    bool room = FY_ALLOC(lab->ctx, s->pick, s->seeds) && FY_ALLOC(lab->ctx, s->x, max) &&
                FY_ALLOC(lab->ctx, s->y, max) && FY_ALLOC(lab->ctx, s->group, max);
    return room ? FORAY_OK : FORAY_ERROR_MEMORY;
}

static void close_study(study *s)
{
    free(s->pick);
    free(s->x);
    free(s->y);
    free(s->group);
}

/* ------------------------------------------------------------------------ exponents */

/* An exponent, the interval of its resamples, and how many points it is fitted to. */
typedef struct exponent {
    double slope, low, high;
    int64_t used, all;
} exponent;

/* log K against the log of the variable; those of a group differ in nothing else. What was
 * learnt at the first look may have been learnt before: it is not known. */
static fy_grouped_points gather_points(study *s, int kind, int64_t a, int variable,
                                       const int64_t *pick)
{
    const int64_t *count = s->count[kind];
    int first = variable == OVER_EPS ? OVER_H : OVER_EPS;
    int second = variable == OVER_D ? OVER_H : OVER_D;
    double first_look = fy_rows_at(&s->lab->rows[0], 0)[C_EPISODE];
    fy_grouped_points points = {.x = s->x, .y = s->y, .group = s->group};
    int64_t at[VARIABLES];
    for (at[first] = 0; at[first] < count[first]; at[first]++)
        for (at[second] = 0; at[second] < count[second]; at[second]++)
            for (at[variable] = 0; at[variable] < count[variable]; at[variable]++) {
                double K = episodes_at(s, kind, a, at, pick);
                bool known = isfinite(K) && K > first_look;
                s->x[points.count] = fy_log(variable_at(s, kind, variable, at[variable]));
                s->y[points.count] = known ? fy_log(K) : NAN;
                s->group[points.count++] = at[first] * count[second] + at[second];
            }
    return points;
}

static exponent fit(study *s, int kind, int64_t a, int variable)
{
    double slopes[RESAMPLES];
    int64_t known = 0;
    uint64_t seed = (uint64_t)fy_lab_integer(s->lab, SEED);
    fy_grouped_points points = gather_points(s, kind, a, variable, NULL);
    exponent out = {.slope = fy_common_slope(&points), .all = points.count};
    for (int64_t i = 0; i < points.count; i++)
        out.used += isfinite(points.y[i]);
    /* The seeds, drawn again with replacement: the same for all points of a resample. */
    for (uint64_t b = 0; b < RESAMPLES && !isnan(out.slope); b++) {
        for (int64_t i = 0; i < s->seeds; i++) {
            uint64_t bits = fy_random_bits(seed, FY_STREAM_BOOTSTRAP, b, (uint32_t)i, 0);
            s->pick[i] = (int64_t)(fy_unit(bits) * (double)s->seeds);
        }
        points = gather_points(s, kind, a, variable, s->pick);
        double slope = fy_common_slope(&points);
        if (!isnan(slope))
            slopes[known++] = slope;
    }
    fy_sort(known, slopes);
    out.low = fy_order_statistic(known, slopes, 0.5 * outside);
    out.high = fy_order_statistic(known, slopes, 1.0 - 0.5 * outside);
    return out;
}

/* In the middle of everything: who needs the fewest, of those that walk from state to state. */
static void find_fewest(study *s, int kind)
{
    const int64_t *count = s->count[kind];
    const int64_t at[VARIABLES] = {count[0] / 2, count[1] / 2, count[2] / 2};
    double min = INFINITY, max = 0;
    int64_t best = -1, last = -1;
    for (int64_t a = 0; a < s->algorithms; a++) {
        double K = episodes_at(s, kind, a, at, NULL);
        if (strcmp(algorithm_name(s, a), "generative") == 0)
            continue;
        best = K < min ? a : best;
        min = fmin(min, K);
        last = K > max ? a : last;
        max = fmax(max, K);
    }
    char few[FY_NUMBER_SIZE], many[FY_NUMBER_SIZE];
    fy_number(min, few);
    fy_number(isfinite(max) ? max : fy_lab_real(s->lab, EPISODES), many);
    if (best >= 0)
        fy_lab_find(s->lab,
                    "For a %s of %g at H = %g, d = %g, %s needs the fewest episodes, %s, and %s "
                    "the most, %s%s.",
                    kind == GAP ? "worst gap" : "certificate",
                    fy_lab_number(s->lab, kind_eps[kind], at[OVER_EPS]),
                    variable_at(s, kind, OVER_H, at[OVER_H]),
                    variable_at(s, kind, OVER_D, at[OVER_D]), algorithm_name(s, best), few,
                    algorithm_name(s, last), isfinite(max) ? "" : "more than ", many);
}

/* There, how many everybody needs. */
static void find_episodes(study *s, int kind)
{
    char list[768] = "", number[FY_NUMBER_SIZE];
    size_t used = 0;
    const int64_t *count = s->count[kind];
    const int64_t at[VARIABLES] = {count[0] / 2, count[1] / 2, count[2] / 2};
    for (int64_t a = 0; a < s->algorithms && used < sizeof list; a++) {
        double K = episodes_at(s, kind, a, at, NULL);
        double shown = isfinite(K) ? K : fy_lab_real(s->lab, EPISODES);
        used += (size_t)fy_format(list + used, sizeof list - used, "%s%s %s%s", a ? ", " : "",
                                  algorithm_name(s, a), isfinite(K) ? "" : "more than ",
                                  fy_number(shown, number));
    }
    fy_lab_find(s->lab, "Episodes for a %s of %g at H = %g, d = %g: %s.",
                kind == GAP ? "worst gap" : "certificate",
                fy_lab_number(s->lab, kind_eps[kind], at[OVER_EPS]),
                variable_at(s, kind, OVER_H, at[OVER_H]), variable_at(s, kind, OVER_D, at[OVER_D]),
                list);
}

/* "(1/eps)^1.9 [1.8, 2.1] H^2.2 [2, 2.3] d^0.9 [0.8, 1]" */
static void find_exponents(study *s, int kind, int64_t a, const exponent its[VARIABLES])
{
    char part[VARIABLES][96], theorem[96] = "";
    const char *name = algorithm_name(s, a);
    for (int v = 0; v < VARIABLES; v++) {
        if (isnan(its[v].slope))
            fy_format(part[v], sizeof part[v], "%s: too few points", variable_name[v]);
        else
            fy_format(part[v], sizeof part[v], "%s: %.2f [%.2f, %.2f]", variable_name[v],
                      its[v].slope, its[v].low, its[v].high);
    }
    if (*theorem_of(name, OVER_EPS))
        fy_format(theorem, sizeof theorem, "; its theorem has %s, %s, %s", theorem_of(name, 0),
                  theorem_of(name, 1), theorem_of(name, 2));
    fy_lab_find(s->lab, "%s, %s: exponents of K in %s, %s, %s%s.", name, kind_words[kind], part[0],
                part[1], part[2], theorem);
}

/* The theorem's exponent: both ends of "4 to 5". NaN: there is none. */
static void read_theorem(const char *theorem, double *min, double *max)
{
    char first[16];
    const char *last = strrchr(theorem, ' ');
    fy_format(first, sizeof first, "%.*s", (int)strcspn(theorem, " "), theorem);
    if (!fy_number_read(first, strlen(first), min) ||
        !fy_number_read(last ? last + 1 : first, strlen(last ? last + 1 : first), max))
        *min = *max = NAN;
}

/* Every exponent with its interval, and the theorem's beside it. */
static void draw_exponents(study *s, int kind, const exponent *its)
{
    char id[32], title[96];
    fy_format(id, sizeof id, "%sexponents", kind_name[kind]);
    fy_format(title, sizeof title, "exponents of K for the %s", kind_words[kind]);
    fy_content_spans(s->content, &(fy_spans){.id = id, .title = title, .label = title});
    for (int v = 0; v < VARIABLES; v++)
        for (int64_t a = 0; a < s->algorithms; a++) {
            const exponent *e = &its[a * VARIABLES + v];
            fy_span row = {.low = e->low, .high = e->high, .point = e->slope};
            read_theorem(theorem_of(algorithm_name(s, a), v), &row.truth, &row.truth_max);
            fy_format(row.label, FY_LABEL_SIZE, "%s, %s", variable_name[v], algorithm_name(s, a));
            if (!isnan(e->slope))
                fy_content_span(s->content, &row);
        }
}

/* How measured exponents compare with those of the theorems, which are upper bounds. */
static void find_against_theorems(study *s, const exponent *its)
{
    int64_t known = 0, within = 0;
    for (int64_t i = 0; i < KINDS * s->algorithms * VARIABLES; i++) {
        double min, max;
        int64_t a = i / VARIABLES % s->algorithms;
        read_theorem(theorem_of(algorithm_name(s, a), (int)(i % VARIABLES)), &min, &max);
        if (isnan(max) || isnan(its[i].slope))
            continue;
        known++;
        within += its[i].low <= max;
    }
    fy_lab_find(s->lab,
                "K grows like a power of 1/eps, H and d: of %" PRId64
                " exponents that a theorem bounds from above, %" PRId64
                " are measured at or below it, within their intervals.",
                known, within);
}

static void show_exponents_of(study *s, int kind, const exponent *its, fy_table *table)
{
    for (int64_t a = 0; a < s->algorithms; a++) {
        for (int v = 0; v < VARIABLES; v++) {
            const exponent *e = &its[a * VARIABLES + v];
            fy_table_cell(table, "%s", algorithm_name(s, a));
            fy_table_cell(table, "%s", kind_name[kind]);
            fy_table_cell(table, "over %s", variable_name[v]);
            fy_table_exact(table, e->slope);
            fy_table_exact(table, e->low);
            fy_table_exact(table, e->high);
            fy_table_cell(table, "%s", theorem_of(algorithm_name(s, a), v));
            fy_table_integer(table, e->used);
            fy_table_integer(table, e->all);
        }
        if (its[a * VARIABLES].used > 0)
            find_exponents(s, kind, a, &its[a * VARIABLES]);
    }
    draw_exponents(s, kind, its);
}

static foray_status show_exponents(study *s)
{
    static const char *const heading[] = {"algorithm", "measure", "variable", "exponent", "low",
                                          "high",      "theorem", "points",   "of"};
    int64_t size = s->algorithms * VARIABLES;
    exponent *its;
    if (!FY_ALLOC(s->lab->ctx, its, KINDS * size))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < KINDS * size; i++)
        its[i] = fit(s, (int)(i / size), i % size / VARIABLES, (int)(i % VARIABLES));
    find_against_theorems(s, its);
    fy_lab_details(s->lab);
    for (int kind = 0; kind < KINDS; kind++)
        find_episodes(s, kind);
    fy_table table = fy_table_begin(s->lab->ctx, 9, heading);
    fy_content_heading(s->content, "Exponents");
    fy_content_paragraph(
        s->content,
        "Slopes of log K against log(1/eps), log H and log d, with the interval that contains 95%% "
        "of the resampled slopes, next to the exponents in the theorems (diamonds; two where it "
        "gives a range), which are upper bounds up to logarithms. Empty: fewer than two points "
        "that differ in the variable alone. "
        "Points: how many of all (H, d, eps) were reached within the budget and not at the very "
        "first look.");
    for (int kind = 0; kind < KINDS; kind++)
        show_exponents_of(s, kind, its + kind * size, &table);
    fy_content_table(s->content, FY_TABLE_READ, "summary", NULL, &table);
    free(its);
    return FORAY_OK;
}

/* ------------------------------------------------------------------------- K(eps) */

/* One line for each algorithm over one variable, at the middle of the others. */
static void draw_growth(study *s, int kind, int variable)
{
    static const char *const axis[VARIABLES] = {"1/eps", "horizon H", "dimension d"};
    const int64_t *count = s->count[kind];
    int64_t at[VARIABLES] = {count[0] / 2, count[1] / 2, count[2] / 2};
    char id[32], title[96], note[128], part[VARIABLES][32];
    fy_format(id, sizeof id, "%s%d", kind_name[kind], variable);
    fy_format(title, sizeof title, "Episodes for the %s over %s", kind_words[kind],
              variable_name[variable]);
    fy_format(part[OVER_EPS], sizeof part[0], "eps = %g",
              fy_lab_number(s->lab, kind_eps[kind], at[OVER_EPS]));
    fy_format(part[OVER_H], sizeof part[1], "H = %g", variable_at(s, kind, OVER_H, at[OVER_H]));
    fy_format(part[OVER_D], sizeof part[2], "d = %g", variable_at(s, kind, OVER_D, at[OVER_D]));
    fy_format(note, sizeof note, "%s, %s; what is beyond the budget is left out",
              part[variable == OVER_EPS ? OVER_H : OVER_EPS],
              part[variable == OVER_D ? OVER_H : OVER_D]);
    fy_content_chart(s->content, &(fy_chart){.id = id,
                                             .title = title,
                                             .note = note,
                                             .x = {.label = axis[variable], .kind = FY_AXIS_LOG},
                                             .y = {.label = "episodes K", .kind = FY_AXIS_LOG}});
    for (int64_t a = 0; a < s->algorithms; a++) {
        fy_content_series(s->content, algorithm_name(s, a));
        for (at[variable] = 0; at[variable] < count[variable]; at[variable]++)
            fy_content_point(s->content,
                             (fy_series_point){variable_at(s, kind, variable, at[variable]),
                                               episodes_at(s, kind, a, at, NULL), NAN, NAN});
    }
}

/* K for every algorithm, kind, H, d and eps. */
static void show_episodes(study *s)
{
    static const char *const heading[] = {"algorithm", "measure", "horizon", "zones",
                                          "dim",       "eps",     "episodes"};
    char note[128], number[FY_NUMBER_SIZE];
    int64_t at[VARIABLES];
    fy_table table = fy_table_begin(s->lab->ctx, 7, heading);
    for (int64_t a = 0; a < s->algorithms; a++)
        for (int kind = 0; kind < KINDS; kind++)
            for (at[OVER_H] = 0; at[OVER_H] < s->count[kind][OVER_H]; at[OVER_H]++)
                for (at[OVER_D] = 0; at[OVER_D] < s->count[kind][OVER_D]; at[OVER_D]++)
                    for (at[OVER_EPS] = 0; at[OVER_EPS] < s->count[kind][OVER_EPS];
                         at[OVER_EPS]++) {
                        fy_table_cell(&table, "%s", algorithm_name(s, a));
                        fy_table_cell(&table, "%s", kind_name[kind]);
                        fy_table_exact(&table, variable_at(s, kind, OVER_H, at[OVER_H]));
                        fy_table_exact(&table, fy_lab_number(s->lab, ZONES, at[OVER_D]));
                        fy_table_exact(&table, variable_at(s, kind, OVER_D, at[OVER_D]));
                        fy_table_exact(&table, fy_lab_number(s->lab, kind_eps[kind], at[OVER_EPS]));
                        fy_table_exact(&table, episodes_at(s, kind, a, at, NULL));
                    }
    fy_format(note, sizeof note, "inf: not within the budget of %s episodes.",
              fy_number(fy_lab_real(s->lab, EPISODES), number));
    fy_content_heading(s->content, "K(eps), all of it");
    fy_content_table(s->content, FY_TABLE_OPENED, "episodes", note, &table);
}

static foray_status show_complexity(fy_lab *lab, fy_content *content)
{
    study s;
    foray_status status = open_study(lab, content, &s);
    for (int kind = 0; kind < KINDS && status == FORAY_OK; kind++) {
        find_fewest(&s, kind);
        fy_content_heading(content, "K(eps) of the %s", kind_words[kind]);
        fy_content_paragraph(content, "All numbers, also those of the other settings, are in the "
                                      "table “K(eps), all of it” below.");
        for (int v = 0; v < VARIABLES; v++)
            draw_growth(&s, kind, v);
    }
    if (status == FORAY_OK)
        status = show_exponents(&s);
    if (status == FORAY_OK)
        show_episodes(&s);
    close_study(&s);
    return status;
}

const fy_lab_experiment fy_lab_complexity = {
    .name = "complexity",
    .summary = "how many episodes an accuracy takes, over eps, H and d",
    .question =
        "K(eps) is the first number of episodes from which on, up to the end of the runs, at least "
        "a share of 1 - delta of the seeds has a worst gap of at most eps: the worst over all goal "
        "states, random dense, sparse and time-dependent rewards, and the rewards that an "
        "adversary finds, for plug-in policies. The same is measured for the certificate, which "
        "the algorithm itself knows. Both are checked after 10^(i/8) episodes, and nothing is "
        "interpolated: K is the first such number at which the criterion holds. An exponent is the "
        "least-squares slope of log K, common to all lines, each with an intercept of its own; its "
        "interval contains 95% of the slopes obtained by resampling the seeds. Accuracies that "
        "were not reached within the budget are shown as beyond it, "
        "and are left out of the fits.",
    .description =
        "Measures K(eps): the number of episodes after which the worst gap over all reward\n"
        "families and the adversary stays at most eps, for a share 1 - delta of the seeds;\n"
        "and the same for the certificate. On the chain, over eps, the horizon H and the\n"
        "dimension d; slopes of log K are compared with the exponents of the theorems.",
    .example = "--quick --algorithms ucrl-rfe,random --episodes 300 --seeds 2 -o few",
    .parameter = parameters,
    .parameters = sizeof parameters / sizeof *parameters,
    .column = measures,
    .columns = COLUMNS,
    .plan = plan_complexity,
    .cell = make_complexity_cell,
    .show = show_complexity,
};
