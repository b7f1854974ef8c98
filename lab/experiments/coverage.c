/* coverage.c - how often confidence sets and certificates hold.
 *
 *   for each rule, world, delta, and scale of the radius
 *     in `seeds` runs, watched by fy_coverage_run, count those in which
 *       sets   theta* was in every confidence set, at every episode
 *       all    the bound for all rewards was never below the worst gap that was found
 *       each   no certificate of a single plan was below its true gap
 *     and note how much of what was allowed was used
 *
 * The theorems say that all three hold in a share of at least 1 - delta of the runs. Radii that are
 * scaled down are the control: they must be seen to fail. */
#include "experiments/coverage.h"
#include "base/maths.h"
#include "algorithms/algorithms.h"
#include "experiments/coverage_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const fy_coverage_rule rules[] = {
    {"sharp", "ucrl-rfe", FORAY_RADIUS_SHARP, FORAY_RADIUS_SHARP,
     "UCRL-RFE, one self-normalised radius for each centred block"},
    {"selfnormalised", "ucrl-rfe", FORAY_RADIUS_SELFNORMALISED, FORAY_RADIUS_SELFNORMALISED,
     "UCRL-RFE, one self-normalised radius"},
    {"theorem", "ucrl-rfe", FORAY_RADIUS_THEOREM, FORAY_RADIUS_THEOREM,
     "UCRL-RFE, the radius of the paper"},
    {"ucrl-rfe+", "ucrl-rfe+", FORAY_RADIUS_SHARP, FORAY_RADIUS_SHARP,
     "UCRL-RFE+, sharp radius at delta/4"},
    {"rf-ucrl", "rf-ucrl", FORAY_RADIUS_SHARP, FORAY_RADIUS_SHARP,
     "RF-UCRL, visit counts pooled over steps"},
    {"rf-express", "rf-express", FORAY_RADIUS_SHARP, FORAY_RADIUS_SHARP,
     "RF-Express, visit counts pooled over steps"},
    {"sstp", "sstp", FORAY_RADIUS_SHARP, FORAY_RADIUS_SHARP,
     "SSTP, visit counts pooled over steps; certifies single plans only"},
    {"likelihood", "ucrl-rfe", FORAY_RADIUS_SHARP, FORAY_RADIUS_LIKELIHOOD,
     "UCRL-RFE as in sharp, certificates from likelihoods; the bound is about plug-in plans"},
};
enum { RULES = sizeof rules / sizeof *rules };
#define RULE_CHOICES "sharp|selfnormalised|theorem|ucrl-rfe+|rf-ucrl|rf-express|sstp|likelihood"

const fy_coverage_rule *fy_coverage_rule_at(int64_t index)
{
    return index >= 0 && index < RULES ? &rules[index] : NULL;
}

static const foray_lab_parameter parameters[FY_COVERAGE_PARAMETERS] = {
    [FY_COVERAGE_RULES] =
        FY_LAB_CHOICES("rules",
                       "sharp,selfnormalised,theorem,ucrl-rfe+,rf-ucrl,rf-express,"
                       "sstp,likelihood",
                       "sharp,selfnormalised,theorem,ucrl-rfe+,rf-ucrl,rf-express,"
                       "sstp,likelihood",
                       RULE_CHOICES, "what confidence rests on: an algorithm and its radius"),
    [FY_COVERAGE_WORLDS] = FY_LAB_WORLDS("worlds",
                                         "chain:states=7,zones=2,horizon=5 "
                                         "mixture:states=6,actions=3,successors=4,dim=4,horizon=5 "
                                         "rooms:rows=1,cols=2,size=2,horizon=5 "
                                         "riverswim:states=4,horizon=6",
                                         "chain:states=7,zones=2,horizon=5 "
                                         "mixture:states=6,actions=3,successors=4,dim=4,horizon=5 "
                                         "rooms:rows=1,cols=2,size=2,horizon=5 "
                                         "riverswim:states=4,horizon=6 "
                                         "inventory:capacity=5,order=3,demand=2,horizon=5",
                                         "the worlds"),
    [FY_COVERAGE_DELTAS] = FY_LAB_REALS("deltas", "0.5,0.1,0.01", "0.5,0.1,0.01", 1e-9, 0.999,
                                        "probabilities with which certificates may be wrong"),
    [FY_COVERAGE_CONTROL_RULES] =
        FY_LAB_CHOICES("control_rules", "sharp,selfnormalised,rf-ucrl,likelihood",
                       "sharp,selfnormalised,rf-ucrl,likelihood", RULE_CHOICES,
                       "rules whose radius is also scaled down"),
    [FY_COVERAGE_CONTROL_SCALES] =
        FY_LAB_REALS("control_scales", "0.7,0.5,0.3,0.1", "0.8,0.7,0.6,0.5,0.4,0.3,0.2,0.1", 1e-6,
                     0.999999, "factors of the radius, below 1"),
    [FY_COVERAGE_CONTROL_DELTA] = FY_LAB_REAL("control_delta", "0.1", "0.1", 1e-9, 0.999,
                                              "delta of the radii that are scaled down"),
    [FY_COVERAGE_EPISODES] =
        FY_LAB_WHOLE("episodes", "256", "1024", 1, 1e9, "episodes of each run"),
    [FY_COVERAGE_REWARDS] = FY_LAB_WHOLE("rewards", "4", "8", 1, 1e6,
                                         "rewards of each kind: goals, dense, sparse, timed"),
    [FY_COVERAGE_ROUNDS] = FY_LAB_WHOLE("rounds", "2", "4", 0, 1e6, "rounds of the adversary"),
    [FY_COVERAGE_SEEDS] = FY_LAB_SEEDS("200", "400"),
    [FY_COVERAGE_SEED] = FY_LAB_SEED,
};

static const char *const rule_words[RULES + 1] = {"sharp",     "selfnormalised", "theorem",
                                                  "ucrl-rfe+", "rf-ucrl",        "rf-express",
                                                  "sstp",      "likelihood",     NULL};

static const fy_lab_column measures[FY_COVERAGE_COLUMNS] = {
    [FY_COVERAGE_C_RULE] = {.name = "rule",
                            .help = "the algorithm and its radius",
                            .word = rule_words},
    [FY_COVERAGE_C_WORLD] = {.name = "world", .help = "the world", .words = 1 + FY_COVERAGE_WORLDS},
    [FY_COVERAGE_C_DELTA] = {.name = "delta", .help = "certificates may fail this often"},
    [FY_COVERAGE_C_SCALE] = {.name = "scale", .help = "factor of the radius; below 1: a control"},
    [FY_COVERAGE_C_RUNS] = {.name = "runs", .help = "runs that were observed"},
    [FY_COVERAGE_C_HELD] = {.name = "held", .help = "runs in which everything below held"},
    [FY_COVERAGE_C_SETS] = {.name = "sets",
                            .help = "runs in which every confidence set contained theta* after "
                                    "every episode; empty: the rule has no such sets"},
    [FY_COVERAGE_C_ALL] = {.name = "all",
                           .help = "runs in which the bound for all rewards was never below the "
                                   "worst gap found; empty: the rule has no such bound"},
    [FY_COVERAGE_C_EACH] = {.name = "each",
                            .help = "runs in which no certificate of a plan was below its gap"},
    [FY_COVERAGE_C_SET_MEDIAN] = {.name = "set_median",
                                  .help = "largest distance from theta* over radius within a run; "
                                          "the median of the runs"},
    [FY_COVERAGE_C_SET_MOST] = {.name = "set_most", .help = "the same, the largest over all runs"},
    [FY_COVERAGE_C_ALL_MEDIAN] = {.name = "all_median",
                                  .help = "largest worst gap over bound for all rewards; median"},
    [FY_COVERAGE_C_ALL_MOST] = {.name = "all_most", .help = "the same, the most"},
    [FY_COVERAGE_C_EACH_MEDIAN] = {.name = "each_median",
                                   .help = "largest gap over certificate of a plan; median"},
    [FY_COVERAGE_C_EACH_MOST] = {.name = "each_most", .help = "the same, the most"},
    [FY_COVERAGE_C_BOUND] = {.name = "bound",
                             .help = "the bound for all rewards at the end; median"},
    [FY_COVERAGE_C_GAP] = {.name = "gap", .help = "the worst gap found at the end; median"},
    [FY_COVERAGE_C_CERTIFICATE] = {.name = "certificate",
                                   .help = "certificate of pessimistic plans at the end, mean over "
                                           "rewards; median"},
    [FY_COVERAGE_C_LOSS] = {.name = "loss", .help = "the gap of these plans, the same way"},
};

/* ----------------------------------------------------------------------------- plan */

/* What a cell's axes mean: DELTA is -1 for the control, SCALE is -1 without one. */
enum { AT_RULE, AT_WORLD, AT_DELTA, AT_SCALE };

static double delta_of(const fy_lab *lab, const int64_t *at)
{
    return at[AT_DELTA] < 0 ? fy_lab_real(lab, FY_COVERAGE_CONTROL_DELTA)
                            : fy_lab_number(lab, FY_COVERAGE_DELTAS, at[AT_DELTA]);
}

static double scale_of(const fy_lab *lab, const int64_t *at)
{
    return at[AT_SCALE] < 0 ? 1.0 : fy_lab_number(lab, FY_COVERAGE_CONTROL_SCALES, at[AT_SCALE]);
}

/* All runs of a rule in a world. Some microseconds for each episode, and plans for each reward
 * at checkpoints. */
static foray_status add_runs(fy_lab *lab, const char *rule, int64_t world, int64_t delta,
                             int64_t scale)
{
    int64_t number = 0;
    while (strcmp(rules[number].name, rule) != 0)
        number++;
    const int64_t at[FY_LAB_AXES] = {
        [AT_RULE] = number, [AT_WORLD] = world, [AT_DELTA] = delta, [AT_SCALE] = scale};
    double plans =
        12.0 * fy_lab_real(lab, FY_COVERAGE_REWARDS) + 30.0 * fy_lab_real(lab, FY_COVERAGE_ROUNDS);
    double episodes = fy_lab_real(lab, FY_COVERAGE_EPISODES);
    double seconds = 5e-6 * episodes + 3e-6 * plans * fy_log(episodes) / M_LN2;
    return fy_lab_add_cell(lab, fy_lab_real(lab, FY_COVERAGE_SEEDS) * seconds, at,
                           "%s-world%" PRId64 "-delta%g-scale%g", rule, world + 1,
                           delta_of(lab, at), scale_of(lab, at));
}

static foray_status plan_coverage(fy_lab *lab)
{
    foray_status status = FORAY_OK;
    for (int64_t w = 0; w < fy_lab_count(lab, FY_COVERAGE_WORLDS) && status == FORAY_OK; w++) {
        /* Is there such a world? Better said now than by one of its cells. */
        foray_model *model;
        status = foray_model_builtin(lab->ctx, fy_lab_word(lab, FY_COVERAGE_WORLDS, w), &model);
        if (status != FORAY_OK)
            return status;
        foray_model_destroy(model);
        for (int64_t r = 0; r < fy_lab_count(lab, FY_COVERAGE_RULES); r++)
            for (int64_t d = 0; d < fy_lab_count(lab, FY_COVERAGE_DELTAS); d++)
                if (status == FORAY_OK)
                    status = add_runs(lab, fy_lab_word(lab, FY_COVERAGE_RULES, r), w, d, -1);
        for (int64_t r = 0; r < fy_lab_count(lab, FY_COVERAGE_CONTROL_RULES); r++)
            for (int64_t c = 0; c < fy_lab_count(lab, FY_COVERAGE_CONTROL_SCALES); c++)
                if (status == FORAY_OK)
                    status =
                        add_runs(lab, fy_lab_word(lab, FY_COVERAGE_CONTROL_RULES, r), w, -1, c);
    }
    return status;
}

/* ----------------------------------------------------------------------------- cells */

/* Shares of what was allowed, in the order of their columns, then what is at the end. */
enum { SHARES = 3, NUMBERS = 7 };
static double number_of(const fy_coverage_outcome *outcome, int number)
{
    const double numbers[NUMBERS] = {outcome->set,   outcome->all, outcome->each,
                                     outcome->bound, outcome->gap, outcome->certificate,
                                     outcome->loss};
    return numbers[number];
}

/* Median and most over the runs; NaN where a rule has no such thing. */
static void summarise_runs(int64_t runs, const fy_coverage_outcome *outcome, int number,
                           double *work, double *median, double *most)
{
    *median = *most = NAN;
    for (int64_t i = 0; i < runs; i++)
        work[i] = number_of(&outcome[i], number);
    if (isnan(work[0]))
        return;
    fy_sort(runs, work);
    *median = fy_median(runs, work);
    *most = work[runs - 1];
}

/* One row for all runs: how often it held, and medians. */
static foray_status add_row(foray_context *ctx, const fy_lab *lab, const int64_t *at,
                            const fy_coverage_outcome *outcome, double *work, fy_rows *rows)
{
    int64_t runs = fy_lab_whole(lab, FY_COVERAGE_SEEDS);
    double most, row[FY_COVERAGE_COLUMNS] = {[FY_COVERAGE_C_RULE] = (double)at[AT_RULE],
                                             [FY_COVERAGE_C_WORLD] = (double)at[AT_WORLD],
                                             [FY_COVERAGE_C_DELTA] = delta_of(lab, at),
                                             [FY_COVERAGE_C_SCALE] = scale_of(lab, at),
                                             [FY_COVERAGE_C_RUNS] = (double)runs};
    for (int64_t i = 0; i < runs; i++)
        row[FY_COVERAGE_C_HELD] += fy_coverage_held(&outcome[i]);
    for (int n = 0; n < SHARES; n++) {
        /* Runs that used at most what was allowed; NaN where a rule has no such thing. */
        int64_t held = 0;
        for (int64_t i = 0; i < runs; i++)
            held += number_of(&outcome[i], n) <= 1.0;
        row[FY_COVERAGE_C_SETS + n] = isnan(number_of(&outcome[0], n)) ? NAN : (double)held;
        summarise_runs(runs, outcome, n, work, &row[FY_COVERAGE_C_SET_MEDIAN + 2 * n],
                       &row[FY_COVERAGE_C_SET_MOST + 2 * n]);
    }
    for (int n = SHARES; n < NUMBERS; n++)
        summarise_runs(runs, outcome, n, work, &row[FY_COVERAGE_C_BOUND + n - SHARES], &most);
    return fy_rows_add(ctx, rows, row);
}

/* All the runs of a cell. */
static foray_status make_runs(foray_context *ctx, fy_lab *lab, int64_t index,
                              const foray_model *model, fy_coverage_outcome *outcome)
{
    const int64_t *at = lab->cell[index].at;
    const fy_coverage_rule *rule = &rules[at[AT_RULE]];
    int64_t seed = fy_lab_whole(lab, FY_COVERAGE_SEED), runs = fy_lab_whole(lab, FY_COVERAGE_SEEDS);
    foray_settings settings;
    foray_settings_default(&settings);
    settings.radius = rule->radius;
    settings.radius_scale = scale_of(lab, at);
    settings.delta = delta_of(lab, at);
    settings.episodes = fy_lab_whole(lab, FY_COVERAGE_EPISODES);
    foray_status status = foray_settings_set(ctx, &settings, "pooled", "on");
    fy_settings_choose(&settings, rule->algorithm); /* only tabular algorithms are pooled */

    fy_worst_search *search;
    if (status == FORAY_OK)
        status = fy_worst_search_create(ctx, model, fy_lab_whole(lab, FY_COVERAGE_REWARDS),
                                        (uint64_t)seed, &search);
    if (status != FORAY_OK)
        return status;
    for (int64_t i = 0; i < runs && status == FORAY_OK; i++) {
        settings.seed = seed + i;
        status = fy_coverage_run(ctx, model, &settings, rule->certificates, search,
                                 fy_lab_whole(lab, FY_COVERAGE_ROUNDS), &outcome[i]);
        if (status == FORAY_OK && !fy_lab_progress(lab, index, (double)(i + 1) / (double)runs))
            status = FORAY_INTERRUPTED;
    }
    fy_worst_search_destroy(search);
    return status;
}

static foray_status make_coverage_cell(foray_context *ctx, fy_lab *lab, int64_t index,
                                       fy_rows *rows)
{
    const int64_t *at = lab->cell[index].at;
    int64_t runs = fy_lab_whole(lab, FY_COVERAGE_SEEDS);
    fy_coverage_outcome *outcome = NULL;
    double *work = NULL;
    foray_model *model = NULL;
    foray_status status =
        FY_ALLOC(ctx, outcome, runs) && FY_ALLOC(ctx, work, runs) ? FORAY_OK : FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status =
            foray_model_builtin(ctx, fy_lab_word(lab, FY_COVERAGE_WORLDS, at[AT_WORLD]), &model);
    if (status == FORAY_OK)
        status = make_runs(ctx, lab, index, model, outcome);
    if (status == FORAY_OK)
        status = add_row(ctx, lab, at, outcome, work, rows);
    foray_model_destroy(model);
    free(work);
    free(outcome);
    return status;
}

const fy_lab_experiment fy_lab_coverage = {
    .name = "coverage",
    .summary = "how often confidence sets and certificates hold",
    .question =
        "A theorem with delta says: in a share of at least 1 - delta of all runs, theta* is in "
        "every confidence set after every episode, the bound for all rewards is at least the gap "
        "of every optimistic plan (from likelihoods: of every plug-in plan), and the certificate "
        "of every plan is at least its gap. Here runs are observed in worlds whose theta* is "
        "known, and those in which all of this held are counted. Gaps are exact; they are measured "
        "after 1, 4, 16, ... episodes and at the end, over goal states, random dense, sparse and "
        "time-dependent rewards, and the reward that an adversary finds, for plans of all three "
        "modes. Intervals are those of "
        "Clopper and Pearson at 95%, which are exact for any number of runs. Radii scaled below "
        "1 are the control: they carry no promise, and show that a failure would be seen.",
    .description =
        "Runs many explorations in worlds whose theta is known and counts those in which\n"
        "every confidence set contained it after every episode, the bound for all rewards\n"
        "was at least the worst gap, and every certificate was at least the gap of its plan;\n"
        "by rule (algorithm and radius), world and delta, with exact binomial intervals next\n"
        "to 1 - delta. Radii scaled below 1 are the control: they must be seen to fail.",
    .example = "--quick --rules sharp --control-rules sharp --seeds 5 --episodes 20 -o held",
    .parameter = parameters,
    .parameters = FY_COVERAGE_PARAMETERS,
    .column = measures,
    .columns = FY_COVERAGE_COLUMNS,
    .plan = plan_coverage,
    .cell = make_coverage_cell,
    .show = fy_coverage_show,
};
