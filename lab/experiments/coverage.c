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
#include "algorithms/algorithms.h"
#include "base/maths.h"
#include "explore/mixture/learner.h"
#include "measure/measure.h"
#include "policy/policy.h"
#include "work/lab.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ===================================================== one run, watched
 *
 *   before the first episode and after each (for likelihoods: with the rest below)
 *     ||z - z*||_Sigma / radius, of every block
 *   after 1, 4, 16, ... episodes and at the end
 *     worst gap that can be found / bound for all rewards
 *     for each mode of planning and each reward:  gap of its plan / certificate of its plan */

typedef struct watch {
    foray_context *ctx;
    const foray_model *model;
    foray_explorer *explorer;
    foray_world *world;
    fy_worst_search *search;
    foray_radius basis; /* what certificates rest on */
    int64_t rounds;
    foray_policy **policies; /* [most rewards of a family] */
    double certificates, losses, plans;
    fy_coverage_outcome found;
} watch;

/* gap/certificate; gaps within rounding of 0 need no certificate. */
static double share_allowed(double gap, double certificate)
{
    const double rounding = 1e-9;
    if (gap <= rounding)
        return 0.0;
    return certificate > 0.0 ? gap / certificate : INFINITY;
}

/* The sets of the exploration; those of the likelihood are made only where they are used. */
static void watch_sets(watch *w)
{
    fy_learner *learner = fy_learner_of(w->explorer);
    if (learner && w->basis != FORAY_RADIUS_LIKELIHOOD)
        w->found.set = fmax(w->found.set, fy_learner_distance(learner, w->model->theta));
}

/* ------------------------------------------------------------------ certificates */

static foray_status watch_plan(watch *w, const foray_reward *reward, double optimal,
                               foray_policy *policy)
{
    if (fy_policy_fill(w->ctx, w->model, policy) != FORAY_OK)
        return FORAY_ERROR_MEMORY;
    double value = fy_truth_value(w->search->truth, reward, policy->action);
    double gap = fy_gap(w->model, optimal, value), certificate = policy->certificate.gap;
    w->found.each = fmax(w->found.each, share_allowed(gap, certificate));
    if (policy->mode != FORAY_PESSIMISTIC)
        return FORAY_OK;
    w->certificates += certificate;
    w->losses += gap;
    w->plans++;
    return FORAY_OK;
}

static foray_status watch_family(watch *w, const fy_family *family, foray_mode mode)
{
    int64_t count = family->count;
    const foray_reward **rewards = NULL;
    if (!FY_ALLOC(w->ctx, rewards, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++)
        rewards[i] = family->reward[i];
    foray_status status = foray_explorer_plan(w->explorer, count, rewards, mode, w->policies);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        status = watch_plan(w, rewards[i], family->optimal[i], w->policies[i]);
    if (status == FORAY_OK)
        fy_policies_destroy(count, w->policies);
    free(rewards);
    return status;
}

/* Plans of all modes, for all rewards of the families and the one that the adversary came to. */
static foray_status watch_plans(watch *w, const foray_reward *worst)
{
    foray_status status = FORAY_OK;
    double optimal = fy_truth_best(w->search->truth, worst, NULL);
    w->certificates = w->losses = w->plans = 0.0;
    for (int mode = 0; mode < FORAY_MODES && status == FORAY_OK; mode++) {
        foray_policy *policy = NULL;
        for (int f = 0; f < FY_FAMILIES && status == FORAY_OK; f++)
            status = watch_family(w, w->search->family[f], mode);
        if (status == FORAY_OK)
            status = foray_explorer_plan(w->explorer, 1, &worst, mode, &policy);
        if (status == FORAY_OK)
            status = watch_plan(w, worst, optimal, policy);
        foray_policy_destroy(policy);
    }
    w->found.certificate = w->certificates / w->plans;
    w->found.loss = w->losses / w->plans;
    return status;
}

/* The bound for all rewards; NaN where the rule has none. */
static foray_status find_bound(watch *w, double *out)
{
    fy_certifier *sets;
    foray_certificate bound = {.gap = NAN};
    foray_status status = FORAY_OK;
    if (w->basis == FORAY_RADIUS_LIKELIHOOD) {
        status = fy_explorer_sets(w->explorer, &sets);
        if (status == FORAY_OK) {
            w->found.set = fmax(w->found.set, fy_confidence_distance(sets->set, w->model->theta));
            bound.gap = fy_certifier_all(sets, FORAY_KIND_PAIR);
        }
    } else if (w->explorer->ops->bound) {
        status = foray_explorer_bound(w->explorer, FORAY_KIND_PAIR, &bound);
    }
    *out = bound.gap;
    return status;
}

static foray_status watch_certificates(watch *w)
{
    foray_reward *worst = NULL;
    bool likelihood = w->basis == FORAY_RADIUS_LIKELIHOOD;
    foray_status status = fy_worst_search_run(w->ctx, w->search, w->explorer,
                                              likelihood ? FORAY_PLUGIN : FORAY_OPTIMISTIC,
                                              w->rounds, &w->found.gap, &worst);
    if (status == FORAY_OK)
        status = find_bound(w, &w->found.bound);
    if (status == FORAY_OK && !isnan(w->found.bound))
        w->found.all = fmax(w->found.all, share_allowed(w->found.gap, w->found.bound));
    if (status == FORAY_OK)
        status = watch_plans(w, worst);
    foray_reward_destroy(worst);
    return status;
}

/* ------------------------------------------------------------------------ a run */

static foray_status watch_episodes(watch *w, int64_t episodes)
{
    foray_status status = FORAY_OK;
    int64_t due = 1;
    watch_sets(w);
    for (int64_t k = 1; k <= episodes && status == FORAY_OK; k++) {
        status = foray_explorer_play(w->explorer, w->world, NULL, NULL);
        watch_sets(w);
        if (status == FORAY_OK && (k == due || k == episodes))
            status = watch_certificates(w);
        due *= k == due ? 4 : 1;
    }
    return status;
}

foray_status fy_coverage_run(foray_context *ctx, const foray_model *model,
                             const foray_settings *settings, foray_radius certificates,
                             fy_worst_search *search, int64_t rounds, fy_coverage_outcome *out)
{
    watch w = {
        .ctx = ctx, .model = model, .basis = certificates, .search = search, .rounds = rounds};
    w.found.set = w.found.all = w.found.bound = NAN; /* fmax takes whatever comes first */
    int64_t max = 1;
    for (int f = 0; f < FY_FAMILIES; f++) {
        int64_t size = search->family[f]->count;
        max = size > max ? size : max;
    }
    foray_status status = FY_ALLOC(ctx, w.policies, max) ? FORAY_OK : FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = foray_explorer_create(ctx, model, settings, &w.explorer);
    if (status == FORAY_OK)
        status = foray_explorer_certify_by(w.explorer, certificates);
    if (status == FORAY_OK)
        status = foray_world_from_model(ctx, model, &w.world);
    if (status == FORAY_OK)
        status = watch_episodes(&w, settings->episodes);
    if (status == FORAY_OK)
        *out = w.found;
    foray_explorer_destroy(w.explorer);
    foray_world_destroy(w.world);
    free(w.policies);
    return status;
}

/* ===================================================== the experiment */

/* Parameters. */
enum {
    RULES,
    WORLDS,
    DELTAS,
    CONTROL_RULES,
    CONTROL_SCALES,
    CONTROL_DELTA,
    EPISODES,
    REWARDS,
    ROUNDS,
    SEEDS,
    SEED,
    PARAMETERS
};

/* Columns; a row sums up the runs of one rule in one world. */
enum {
    C_RULE,
    C_WORLD,
    C_DELTA,
    C_SCALE,
    C_RUNS,
    C_HELD, /* how often: everything, */
    C_SETS, /* and its parts */
    C_ALL,
    C_EACH,
    C_SET_MEDIAN, /* shares of what was allowed */
    C_SET_MAX,
    C_ALL_MEDIAN,
    C_ALL_MAX,
    C_EACH_MEDIAN,
    C_EACH_MAX,
    C_BOUND, /* medians at the end */
    C_GAP,
    C_CERTIFICATE,
    C_LOSS,
    COLUMNS
};

/* What confidence rests on: an algorithm, its radius, and the radius of certificates. */
typedef struct coverage_rule {
    const char *name, *algorithm;
    foray_radius radius, certificates;
    const char *about;
} coverage_rule;

static const coverage_rule rules[] = {
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
enum { RULE_COUNT = sizeof rules / sizeof *rules };
#define RULE_CHOICES "sharp|selfnormalised|theorem|ucrl-rfe+|rf-ucrl|rf-express|sstp|likelihood"

/* Rule `index`; NULL past the end. */
static const coverage_rule *rule_at(int64_t index)
{
    return index >= 0 && index < RULE_COUNT ? &rules[index] : NULL;
}

static const foray_lab_parameter parameters[PARAMETERS] = {
    [RULES] = FY_LAB_CHOICES("rules",
                             "sharp,selfnormalised,theorem,ucrl-rfe+,rf-ucrl,rf-express,"
                             "sstp,likelihood",
                             "sharp,selfnormalised,theorem,ucrl-rfe+,rf-ucrl,rf-express,"
                             "sstp,likelihood",
                             RULE_CHOICES, "what confidence rests on: an algorithm and its radius"),
    [WORLDS] = FY_LAB_WORLDS("worlds",
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
    [DELTAS] = FY_LAB_REALS("deltas", "0.5,0.1,0.01", "0.5,0.1,0.01", 1e-9, 0.999,
                            "probabilities with which certificates may be wrong"),
    [CONTROL_RULES] = FY_LAB_CHOICES("control_rules", "sharp,selfnormalised,rf-ucrl,likelihood",
                                     "sharp,selfnormalised,rf-ucrl,likelihood", RULE_CHOICES,
                                     "rules whose radius is also scaled down"),
    [CONTROL_SCALES] =
        FY_LAB_REALS("control_scales", "0.7,0.5,0.3,0.1", "0.8,0.7,0.6,0.5,0.4,0.3,0.2,0.1", 1e-6,
                     0.999999, "factors of the radius, below 1"),
    [CONTROL_DELTA] = FY_LAB_REAL("control_delta", "0.1", "0.1", 1e-9, 0.999,
                                  "delta of the radii that are scaled down"),
    [EPISODES] = FY_LAB_INTEGER("episodes", "256", "1024", 1, 1e9, "episodes of each run"),
    [REWARDS] = FY_LAB_INTEGER("rewards", "4", "8", 1, 1e6,
                               "rewards of each kind: goals, dense, sparse, timed"),
    [ROUNDS] = FY_LAB_INTEGER("rounds", "2", "4", 0, 1e6, "rounds of the adversary"),
    [SEEDS] = FY_LAB_SEEDS("200", "400"),
    [SEED] = FY_LAB_SEED,
};

static const char *const rule_words[RULE_COUNT + 1] = {"sharp",     "selfnormalised", "theorem",
                                                       "ucrl-rfe+", "rf-ucrl",        "rf-express",
                                                       "sstp",      "likelihood",     NULL};

static const fy_lab_column measures[COLUMNS] = {
    [C_RULE] = {.name = "rule", .help = "the algorithm and its radius", .word = rule_words},
    [C_WORLD] = {.name = "world", .help = "the world", .words = 1 + WORLDS},
    [C_DELTA] = {.name = "delta", .help = "certificates may fail this often"},
    [C_SCALE] = {.name = "scale", .help = "factor of the radius; below 1: a control"},
    [C_RUNS] = {.name = "runs", .help = "runs that were observed"},
    [C_HELD] = {.name = "held", .help = "runs in which everything below held"},
    [C_SETS] = {.name = "sets",
                .help = "runs in which every confidence set contained theta* after "
                        "every episode; empty: the rule has no such sets"},
    [C_ALL] = {.name = "all",
               .help = "runs in which the bound for all rewards was never below the "
                       "worst gap found; empty: the rule has no such bound"},
    [C_EACH] = {.name = "each", .help = "runs in which no certificate of a plan was below its gap"},
    [C_SET_MEDIAN] = {.name = "set_median",
                      .help = "largest distance from theta* over radius within a run; "
                              "the median of the runs"},
    [C_SET_MAX] = {.name = "set_most", .help = "the same, the largest over all runs"},
    [C_ALL_MEDIAN] = {.name = "all_median",
                      .help = "largest worst gap over bound for all rewards; median"},
    [C_ALL_MAX] = {.name = "all_most", .help = "the same, the most"},
    [C_EACH_MEDIAN] = {.name = "each_median",
                       .help = "largest gap over certificate of a plan; median"},
    [C_EACH_MAX] = {.name = "each_most", .help = "the same, the most"},
    [C_BOUND] = {.name = "bound", .help = "the bound for all rewards at the end; median"},
    [C_GAP] = {.name = "gap", .help = "the worst gap found at the end; median"},
    [C_CERTIFICATE] = {.name = "certificate",
                       .help = "certificate of pessimistic plans at the end, mean over "
                               "rewards; median"},
    [C_LOSS] = {.name = "loss", .help = "the gap of these plans, the same way"},
};

/* ----------------------------------------------------------------------------- plan */

/* What a cell's axes mean: DELTA is -1 for the control, SCALE is -1 without one. */
enum { AT_RULE, AT_WORLD, AT_DELTA, AT_SCALE };

static double delta_of(const fy_lab *lab, const int64_t *at)
{
    return at[AT_DELTA] < 0 ? fy_lab_real(lab, CONTROL_DELTA)
                            : fy_lab_number(lab, DELTAS, at[AT_DELTA]);
}

static double scale_of(const fy_lab *lab, const int64_t *at)
{
    return at[AT_SCALE] < 0 ? 1.0 : fy_lab_number(lab, CONTROL_SCALES, at[AT_SCALE]);
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
    double plans = 12.0 * fy_lab_real(lab, REWARDS) + 30.0 * fy_lab_real(lab, ROUNDS);
    double episodes = fy_lab_real(lab, EPISODES);
    double seconds = 5e-6 * episodes + 3e-6 * plans * fy_log(episodes) / M_LN2;
    return fy_lab_add_cell(lab, fy_lab_real(lab, SEEDS) * seconds, at,
                           "%s-world%" PRId64 "-delta%g-scale%g", rule, world + 1,
                           delta_of(lab, at), scale_of(lab, at));
}

static foray_status plan_coverage(fy_lab *lab)
{
    foray_status status = FORAY_OK;
    for (int64_t w = 0; w < fy_lab_count(lab, WORLDS) && status == FORAY_OK; w++) {
        /* Is there such a world? Better said now than by one of its cells. */
        foray_model *model;
        status = foray_model_builtin(lab->ctx, fy_lab_word(lab, WORLDS, w), &model);
        if (status != FORAY_OK)
            return status;
        foray_model_destroy(model);
        for (int64_t r = 0; r < fy_lab_count(lab, RULES); r++)
            for (int64_t d = 0; d < fy_lab_count(lab, DELTAS); d++)
                if (status == FORAY_OK)
                    status = add_runs(lab, fy_lab_word(lab, RULES, r), w, d, -1);
        for (int64_t r = 0; r < fy_lab_count(lab, CONTROL_RULES); r++)
            for (int64_t c = 0; c < fy_lab_count(lab, CONTROL_SCALES); c++)
                if (status == FORAY_OK)
                    status = add_runs(lab, fy_lab_word(lab, CONTROL_RULES, r), w, -1, c);
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

/* Median and largest over the runs; NaN where a rule has no such thing. */
static void summarise_runs(int64_t runs, const fy_coverage_outcome *outcome, int number,
                           double *work, double *median, double *max)
{
    *median = *max = NAN;
    for (int64_t i = 0; i < runs; i++)
        work[i] = number_of(&outcome[i], number);
    if (isnan(work[0]))
        return;
    fy_sort(runs, work);
    *median = fy_median(runs, work);
    *max = work[runs - 1];
}

/* One row for all runs: how often it held, and medians. */
static foray_status add_row(foray_context *ctx, const fy_lab *lab, const int64_t *at,
                            const fy_coverage_outcome *outcome, double *work, fy_rows *rows)
{
    int64_t runs = fy_lab_integer(lab, SEEDS);
    double max, row[COLUMNS] = {[C_RULE] = (double)at[AT_RULE],
                                [C_WORLD] = (double)at[AT_WORLD],
                                [C_DELTA] = delta_of(lab, at),
                                [C_SCALE] = scale_of(lab, at),
                                [C_RUNS] = (double)runs};
    for (int64_t i = 0; i < runs; i++)
        row[C_HELD] += fy_coverage_holds(&outcome[i]);
    for (int n = 0; n < SHARES; n++) {
        /* Runs that used at most what was allowed; NaN where a rule has no such thing. */
        int64_t held = 0;
        for (int64_t i = 0; i < runs; i++)
            held += number_of(&outcome[i], n) <= 1.0;
        row[C_SETS + n] = isnan(number_of(&outcome[0], n)) ? NAN : (double)held;
        summarise_runs(runs, outcome, n, work, &row[C_SET_MEDIAN + 2 * n], &row[C_SET_MAX + 2 * n]);
    }
    for (int n = SHARES; n < NUMBERS; n++)
        summarise_runs(runs, outcome, n, work, &row[C_BOUND + n - SHARES], &max);
    return fy_rows_add(ctx, rows, row);
}

/* All the runs of a cell. */
static foray_status make_runs(foray_context *ctx, fy_lab *lab, int64_t index,
                              const foray_model *model, fy_coverage_outcome *outcome)
{
    const int64_t *at = lab->cell[index].at;
    const coverage_rule *rule = &rules[at[AT_RULE]];
    int64_t seed = fy_lab_integer(lab, SEED), runs = fy_lab_integer(lab, SEEDS);
    foray_settings settings;
    foray_settings_default(&settings);
    settings.radius = rule->radius;
    settings.radius_scale = scale_of(lab, at);
    settings.delta = delta_of(lab, at);
    settings.episodes = fy_lab_integer(lab, EPISODES);
    foray_status status = foray_settings_set(ctx, &settings, "pooled", "on");
    fy_settings_choose(&settings, rule->algorithm); /* only tabular algorithms are pooled */

    fy_worst_search *search;
    if (status == FORAY_OK)
        status = fy_worst_search_create(ctx, model, fy_lab_integer(lab, REWARDS), (uint64_t)seed,
                                        &search);
    if (status != FORAY_OK)
        return status;
    for (int64_t i = 0; i < runs && status == FORAY_OK; i++) {
        settings.seed = seed + i;
        status = fy_coverage_run(ctx, model, &settings, rule->certificates, search,
                                 fy_lab_integer(lab, ROUNDS), &outcome[i]);
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
    int64_t runs = fy_lab_integer(lab, SEEDS);
    fy_coverage_outcome *outcome = NULL;
    double *work = NULL;
    foray_model *model = NULL;
    foray_status status =
        FY_ALLOC(ctx, outcome, runs) && FY_ALLOC(ctx, work, runs) ? FORAY_OK : FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = foray_model_builtin(ctx, fy_lab_word(lab, WORLDS, at[AT_WORLD]), &model);
    if (status == FORAY_OK)
        status = make_runs(ctx, lab, index, model, outcome);
    if (status == FORAY_OK)
        status = add_row(ctx, lab, at, outcome, work, rows);
    foray_model_destroy(model);
    free(work);
    free(outcome);
    return status;
}

/* -------------------------------------------------------------------------- results */

/* Intervals against 1 - delta, the control, and how much of what was allowed was used. */

static const double confidence = 0.95;

static const double *row_of(const fy_lab *lab, int64_t cell)
{
    return fy_rows_at(&lab->rows[cell], 0);
}

static bool is_control(const double *row)
{
    return row[C_SCALE] < 1.0;
}

static const char *rule_name(const double *row)
{
    return rule_at((int64_t)row[C_RULE])->name;
}

static const char *world_name(const fy_lab *lab, const double *row)
{
    return fy_lab_word(lab, WORLDS, (int64_t)row[C_WORLD]);
}

/* The interval of the share of runs that `column` counts. */
static fy_interval interval_of(const double *row, int column)
{
    return fy_binomial_interval((int64_t)row[C_RUNS], (int64_t)row[column], confidence);
}

/* runs that held / all runs */
static double share_of(const double *row, int column)
{
    return row[column] / row[C_RUNS];
}

/* Is 1 - delta above all that the runs allow for? */
static bool falls_short(const double *row)
{
    return interval_of(row, C_HELD).high < 1.0 - row[C_DELTA];
}

/* The name of a world without its parameters, with a number where two have the same. */
static const char *short_world(const fy_lab *lab, int64_t world, char out[FY_LABEL_SIZE])
{
    const char *spec = fy_lab_word(lab, WORLDS, world);
    size_t length = strcspn(spec, ":");
    bool alone = true;
    for (int64_t w = 0; w < fy_lab_count(lab, WORLDS); w++) {
        const char *other = fy_lab_word(lab, WORLDS, w);
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
              short_world(lab, (int64_t)row[C_WORLD], world));
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
        all_runs += row[C_RUNS];
        all_held += row[C_HELD];
        allowed += row[C_RUNS] * row[C_DELTA];
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
                    row[C_HELD], row[C_RUNS], row[C_DELTA]);
    }
}

/* How near theta* came to the edge of the sets of a rule, over worlds and deltas. */
static void find_tightness(fy_lab *lab)
{
    const coverage_rule *rule;
    for (int64_t r = 0; (rule = rule_at(r)); r++) {
        double min = INFINITY, max = 0.0, closest = 0.0;
        for (int64_t i = 0; i < lab->cells; i++) {
            const double *row = row_of(lab, i);
            if (is_control(row) || (int64_t)row[C_RULE] != r || isnan(row[C_SETS]))
                continue;
            min = fmin(min, row[C_SET_MEDIAN]);
            max = fmax(max, row[C_SET_MEDIAN]);
            closest = fmax(closest, row[C_SET_MAX]);
        }
        if (isfinite(min))
            fy_lab_find(lab,
                        "%s: at its worst moment the median run uses %.2g%% to %.2g%% of the "
                        "radius, depending on world and delta; the closest call of all is "
                        "%.3g%%.",
                        rule->name, 100.0 * min, 100.0 * max, 100.0 * closest);
    }
}

/* The row of the largest scale at which a rule fails in some world; NULL: it fails at none. */
static const double *find_break(const fy_lab *lab, const char *rule)
{
    const double *first = NULL;
    for (int64_t i = 0; i < lab->cells; i++) {
        const double *row = row_of(lab, i);
        if (is_control(row) && strcmp(rule_name(row), rule) == 0 && falls_short(row) &&
            (!first || row[C_SCALE] > first[C_SCALE]))
            first = row;
    }
    return first;
}

static void find_whether_seen(fy_lab *lab)
{
    int64_t count = fy_lab_count(lab, CONTROL_RULES), broken = 0;
    for (int64_t c = 0; c < count; c++)
        broken += find_break(lab, fy_lab_word(lab, CONTROL_RULES, c)) != NULL;
    fy_lab_find(lab,
                "A failure would be seen: scaled down, which voids the promise, %" PRId64
                " of %" PRId64 " rules fail.",
                broken, count);
}

static void find_control(fy_lab *lab)
{
    char world[FY_LABEL_SIZE];
    for (int64_t c = 0; c < fy_lab_count(lab, CONTROL_RULES); c++) {
        const char *rule = fy_lab_word(lab, CONTROL_RULES, c);
        const double *first = find_break(lab, rule);
        if (first)
            fy_lab_find(lab,
                        "Control, %s: scaled by %g it breaks, in %s, where everything held in "
                        "only %.0f of %.0f runs.",
                        rule, first[C_SCALE], short_world(lab, (int64_t)first[C_WORLD], world),
                        first[C_HELD], first[C_RUNS]);
        else
            fy_lab_find(lab, "Control, %s: none of the scales breaks it in any of these worlds.",
                        rule);
    }
}

/* ----------------------------------------------------------------------------- charts */

/* Does this cell promise something at this delta, by this rule? */
static bool is_promise(const double *row, double delta, int64_t rule)
{
    return !is_control(row) && row[C_DELTA] == delta && (int64_t)row[C_RULE] == rule;
}

/* For each delta the shares of all rules and worlds beside 1 - delta. */
static void draw_shares(const fy_lab *lab, fy_content *content)
{
    fy_content_heading(content, "Does everything hold?");
    fy_content_paragraph(content,
                         "The share of runs in which sets, bound and certificates all held, with "
                         "its exact 95%% interval; the line is what the theorem promises, "
                         "1 − delta.");
    for (int64_t d = 0; d < fy_lab_count(lab, DELTAS); d++) {
        double delta = fy_lab_number(lab, DELTAS, d), promised = 1.0 - delta;
        char id[32], title[96], note[96];
        fy_format(id, sizeof id, "coverage%" PRId64, d + 1);
        fy_format(title, sizeof title, "Share of runs that held, delta %g", delta);
        fy_format(note, sizeof note, "delta = %g: at least %g is promised", delta, promised);
        fy_content_spans(content, &(fy_spans){.id = id,
                                              .title = title,
                                              .note = note,
                                              .label = "share of runs",
                                              .line = &promised});
        for (int64_t r = 0; rule_at(r); r++)
            for (int64_t i = 0; i < lab->cells; i++) {
                const double *row = row_of(lab, i);
                if (!is_promise(row, delta, r))
                    continue;
                fy_interval at = interval_of(row, C_HELD);
                fy_span span = {
                    .low = at.low, .high = at.high, .point = share_of(row, C_HELD), .truth = NAN};
                label_row(lab, row, span.label);
                fy_content_span(content, &span);
            }
    }
}

/* One line: a rule in a world at the control's delta, in the order of the scales. */
static void draw_control_line(const fy_lab *lab, const char *rule, int64_t world,
                              fy_content *content, double *min)
{
    double delta = fy_lab_real(lab, CONTROL_DELTA), last = 0.0;
    char name[FY_LABEL_SIZE];
    fy_content_series(content, short_world(lab, world, name));
    while (true) {
        const double *next = NULL;
        for (int64_t i = 0; i < lab->cells; i++) {
            const double *row = row_of(lab, i);
            if (strcmp(rule_name(row), rule) == 0 && (int64_t)row[C_WORLD] == world &&
                row[C_DELTA] == delta && row[C_SCALE] > last &&
                (!next || row[C_SCALE] < next[C_SCALE]))
                next = row;
        }
        if (!next)
            return;
        fy_interval at = interval_of(next, C_HELD);
        fy_content_point(content,
                         (fy_series_point){next[C_SCALE], share_of(next, C_HELD), at.low, at.high});
        last = next[C_SCALE];
        *min = fmin(*min, last);
    }
}

/* For each rule a chart with a line for each world, and one for what would be promised. */
static void draw_control(const fy_lab *lab, fy_content *content)
{
    double promised = 1.0 - fy_lab_real(lab, CONTROL_DELTA);
    fy_content_heading(content, "Control: radii that are too small");
    fy_content_paragraph(content, "Radii times a factor below 1 carry no promise. If certificates "
                                  "held here as well, the charts above would say nothing.");
    for (int64_t c = 0; c < fy_lab_count(lab, CONTROL_RULES); c++) {
        const char *rule = fy_lab_word(lab, CONTROL_RULES, c);
        char id[32], title[96];
        double min = INFINITY;
        fy_format(id, sizeof id, "control%" PRId64, c + 1);
        fy_format(title, sizeof title, "Everything held: %s, scaled down", rule);
        fy_content_chart(content, &(fy_chart){.id = id,
                                              .title = title,
                                              .note = "bands: exact 95% intervals",
                                              .x = {.label = "factor of the radius"},
                                              .y = {.label = "share of runs", .from_zero = true}});
        for (int64_t w = 0; w < fy_lab_count(lab, WORLDS); w++)
            draw_control_line(lab, rule, w, content, &min);
        fy_content_series(content, "1 − delta");
        fy_content_point(content, (fy_series_point){min, promised, NAN, NAN});
        fy_content_point(content, (fy_series_point){1.0, promised, NAN, NAN});
    }
}

static void draw_tightness(const fy_lab *lab, fy_content *content)
{
    static const double edge = 1.0;
    double delta = fy_lab_real(lab, CONTROL_DELTA);
    bool begun = false;
    for (int64_t r = 0; rule_at(r); r++)
        for (int64_t i = 0; i < lab->cells; i++) {
            const double *row = row_of(lab, i);
            if (!is_promise(row, delta, r) || isnan(row[C_SETS]))
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
            fy_span span = {.low = row[C_SET_MEDIAN],
                            .high = row[C_SET_MAX],
                            .point = row[C_SET_MEDIAN],
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
    double delta = fy_lab_real(lab, CONTROL_DELTA);
    fy_table table = fy_table_begin(lab->ctx, sizeof heading / sizeof *heading, heading);
    for (int64_t i = 0; i < lab->cells; i++) {
        const double *row = row_of(lab, i);
        if (is_control(row) || row[C_DELTA] != delta)
            continue;
        fy_table_cell(&table, "%s", rule_name(row));
        fy_table_cell(&table, "%s", world_name(lab, row));
        for (int column = C_BOUND; column <= C_LOSS; column++)
            fy_table_exact(&table, row[column]);
    }
    fy_content_heading(content, "What certificates are worth");
    fy_content_paragraph(content,
                         "After %" PRId64
                         " episodes at delta %g, medians over the runs: the bound for all rewards "
                         "next to the worst gap that was found, and the certificates of "
                         "pessimistic plans next to their gaps, as means over the rewards. A bound "
                         "of H says nothing.",
                         fy_lab_integer(lab, EPISODES), delta);
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
        fy_table_exact(&table, row[C_DELTA]);
        fy_table_exact(&table, row[C_SCALE]);
        fy_table_exact(&table, row[C_RUNS]);
        for (int column = C_HELD; column <= C_EACH; column++) {
            bool none = isnan(row[column]);
            fy_interval at = none ? (fy_interval){NAN, NAN} : interval_of(row, column);
            fy_table_exact(&table, none ? NAN : share_of(row, column));
            fy_table_exact(&table, at.low);
            fy_table_exact(&table, at.high);
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

static foray_status show_coverage(fy_lab *lab, fy_content *content)
{
    const coverage_rule *rule;
    find_promises(lab);
    if (fy_lab_count(lab, CONTROL_RULES) > 0)
        find_whether_seen(lab);
    fy_lab_details(lab);
    find_tightness(lab);
    find_control(lab);
    draw_shares(lab, content);
    draw_control(lab, content);
    draw_tightness(lab, content);
    show_certificates(lab, content);
    fy_content_heading(content, "The rules");
    for (int64_t r = 0; (rule = rule_at(r)); r++)
        fy_content_term(content, rule->name, rule->about);
    show_summary(lab, content);
    return FORAY_OK;
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
    .parameters = PARAMETERS,
    .column = measures,
    .columns = COLUMNS,
    .plan = plan_coverage,
    .cell = make_coverage_cell,
    .show = show_coverage,
};
