/* sharpness.c - how near certificates come to the best possible, and to the truth.
 *
 *   for each world and seed
 *     explore; after 16, 64, 256, ... episodes, for plug-in plans of goals, on average
 *       values       what the bounds of the exploration's own radius say, V_bar - V_low
 *       certificate  what the gap certificate from likelihoods says
 *       adversary    the most a law of the same confidence set is found to make the plan lose
 *       truth        what the plan loses
 *     truth <= certificate with probability 1 - delta, adversary <= certificate always */
#include "work/lab.h"
#include "explore/explorer.h"
#include "measure/worst_law.h"
#include "algorithms/algorithms.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { WORLDS, ALGORITHM, EPISODES, GOALS, STEPS, DELTA, SEEDS, SEED, PARAMETERS };

static const foray_lab_parameter parameters[PARAMETERS] = {
    [WORLDS] =
        FY_LAB_WORLDS("worlds", "riverswim chain rooms:rows=2,cols=2",
                      "riverswim chain rooms inventory queue mixture trapdoor", "the worlds"),
    [ALGORITHM] =
        FY_LAB_ALGORITHMS("algorithm", "ucrl-rfe", "ucrl-rfe", "the algorithm that explores"),
    [EPISODES] = FY_LAB_INTEGER("episodes", "4096", "262144", 1, 1e9, "episodes of every run"),
    [GOALS] =
        FY_LAB_INTEGER("goals", "24", "128", 1, 1e6, "largest number of goal states to plan for"),
    [STEPS] = FY_LAB_INTEGER("steps", "20", "60", 1, 1e6, "steps of the adversary for each plan"),
    [DELTA] = FY_LAB_REAL("delta", "0.1", "0.1", 1e-9, 0.999, "of the confidence sets"),
    [SEEDS] = FY_LAB_SEEDS("3", "5"),
    [SEED] = FY_LAB_SEED,
};

enum {
    C_WORLD,
    C_SEED,
    C_HORIZON,
    C_EPISODES,
    C_PLANS,
    C_VALUES,
    C_CERTIFICATE,
    C_ADVERSARY,
    C_TRUTH,
    C_OPTIMAL,
    C_OVERTAKEN,
    C_BROKEN,
    COLUMNS
};

static const fy_lab_column row_columns[COLUMNS] = {
    [C_WORLD] = {.name = "world", .help = "the world", .words = 1 + WORLDS},
    [C_SEED] = {.name = "seed", .help = "of the run"},
    [C_HORIZON] = {.name = "horizon", .help = "of the world"},
    [C_EPISODES] = {.name = "episodes", .help = "explored so far"},
    [C_PLANS] = {.name = "plans", .help = "plug-in plans, one for each goal"},
    [C_VALUES] = {.name = "values", .help = "mean certificate from the exploration's own radius"},
    [C_CERTIFICATE] = {.name = "certificate", .help = "mean gap certificate from likelihoods"},
    [C_ADVERSARY] = {.name = "adversary",
                     .help = "mean of what a law of the set makes the plans lose"},
    [C_TRUTH] = {.name = "truth", .help = "mean of what the plans lose"},
    [C_OPTIMAL] = {.name = "optimal", .help = "plans that are optimal, proved or up to rounding"},
    [C_OVERTAKEN] = {.name = "overtaken",
                     .help = "plans for which the adversary is above the certificate"},
    [C_BROKEN] = {.name = "broken", .help = "plans that lose more than their certificate"},
};

/* ------------------------------------------------------------------------------- a run */

typedef struct sharpness_run {
    foray_context *ctx;
    fy_lab *lab;
    int64_t cell;
    foray_settings settings;
    foray_model *model;
    foray_world *world;
    foray_explorer *explorer;
    fy_family *goals;
    fy_truth *truth;
    fy_worst_law *law;
    const foray_reward **reward; /* [plans] the goals */
    foray_policy **policy;       /* [plans] */
    fy_rows *rows;
} sharpness_run;

static foray_status open_sharpness(sharpness_run *r)
{
    const int64_t *at = r->lab->cell[r->cell].at;
    const char *world = fy_lab_word(r->lab, WORLDS, at[0]);
    foray_settings_default(&r->settings);
    fy_settings_choose(&r->settings, fy_lab_word(r->lab, ALGORITHM, 0));
    r->settings.seed = fy_lab_integer(r->lab, SEED) + at[1];
    r->settings.episodes = fy_lab_integer(r->lab, EPISODES);
    r->settings.delta = fy_lab_real(r->lab, DELTA);
    foray_status status = foray_model_builtin(r->ctx, world, &r->model);
    if (status == FORAY_OK)
        status = foray_world_from_model(r->ctx, r->model, &r->world);
    if (status == FORAY_OK)
        status = foray_explorer_create(r->ctx, r->model, &r->settings, &r->explorer);
    if (status == FORAY_OK && r->explorer->part)
        status = fy_fail(r->ctx, FORAY_ERROR_USAGE,
                         "%s: some of its states cannot be reached, and the adversary looks at all",
                         world);
    if (status == FORAY_OK)
        status = fy_truth_create(r->ctx, r->model, &r->truth);
    if (status == FORAY_OK)
        status = fy_worst_law_create(r->ctx, r->model, &r->law);
    if (status == FORAY_OK)
        status = fy_family_create(r->ctx, r->model, FY_GOALS, fy_lab_integer(r->lab, GOALS), 0,
                                  &r->goals);
    if (status != FORAY_OK)
        return status;
    int64_t plans = r->goals->count;
    if (!FY_ALLOC(r->ctx, r->reward, plans) || !FY_ALLOC(r->ctx, r->policy, plans))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < plans; i++)
        r->reward[i] = r->goals->reward[i];
    return FORAY_OK;
}

static void close_run(sharpness_run *r)
{
    free(r->reward);
    free(r->policy);
    fy_family_destroy(r->goals);
    fy_worst_law_destroy(r->law);
    fy_truth_destroy(r->truth);
    foray_explorer_destroy(r->explorer);
    foray_world_destroy(r->world);
    foray_model_destroy(r->model);
}

/* The plug-in plans of all goals, with certificates from one radius or the other. */
static foray_status plan_goals(sharpness_run *r, foray_radius radius)
{
    foray_status status = foray_explorer_certify_by(r->explorer, radius);
    return status == FORAY_OK ? foray_explorer_plan(r->explorer, r->goals->count, r->reward,
                                                    FORAY_PLUGIN, r->policy)
                              : status;
}

/* One plan with its certificate, against the adversary and the truth. */
static void add_plan(sharpness_run *r, const fy_certifier *sets, int64_t i, double *row)
{
    static const double rounding = 1e-9;
    const foray_policy *policy = r->policy[i];
    double gap = policy->certificate.gap;
    double found = fy_worst_law_search(r->law, sets, r->reward[i], policy->action,
                                       fy_lab_integer(r->lab, STEPS));
    double lost = fy_gap(r->model, r->goals->optimal[i],
                         fy_truth_value(r->truth, r->reward[i], policy->action));
    row[C_CERTIFICATE] += gap;
    row[C_ADVERSARY] += fmax(0.0, found);
    row[C_TRUTH] += lost;
    row[C_OPTIMAL] += policy->certificate.optimal != FORAY_OPTIMAL_NO;
    row[C_OVERTAKEN] += found > gap + rounding;
    row[C_BROKEN] += lost > gap + rounding;
}

static foray_status add_checkpoint(sharpness_run *r, int64_t episodes)
{
    int64_t plans = r->goals->count;
    fy_certifier *sets = NULL;
    double row[COLUMNS] = {[C_WORLD] = (double)r->lab->cell[r->cell].at[0],
                           [C_SEED] = (double)r->settings.seed,
                           [C_HORIZON] = (double)foray_model_horizon(r->model),
                           [C_EPISODES] = (double)episodes,
                           [C_PLANS] = (double)plans};
    foray_status status = plan_goals(r, r->settings.radius);
    for (int64_t i = 0; i < plans && status == FORAY_OK; i++) {
        row[C_VALUES] += r->policy[i]->certificate.gap;
        foray_policy_destroy(r->policy[i]);
    }
    if (status == FORAY_OK)
        status = plan_goals(r, FORAY_RADIUS_LIKELIHOOD);
    if (status != FORAY_OK)
        return status;
    status = fy_explorer_sets(r->explorer, &sets);
    for (int64_t i = 0; i < plans; i++) {
        if (status == FORAY_OK)
            add_plan(r, sets, i, row);
        foray_policy_destroy(r->policy[i]);
    }
    for (int c = C_VALUES; c <= C_TRUTH; c++)
        row[c] /= (double)plans;
    return status == FORAY_OK ? fy_rows_add(r->ctx, r->rows, row) : status;
}

static foray_status make_sharpness_cell(foray_context *ctx, fy_lab *lab, int64_t cell,
                                        fy_rows *rows)
{
    sharpness_run r = {.ctx = ctx, .lab = lab, .cell = cell, .rows = rows};
    int64_t last = fy_lab_integer(lab, EPISODES);
    foray_status status = open_sharpness(&r);
    for (int64_t k = 0, due = 16; k < last && status == FORAY_OK; due *= 4) {
        for (due = due < last ? due : last; k < due && status == FORAY_OK; k++) {
            status = foray_explorer_play(r.explorer, r.world, NULL, NULL);
            if (status == FORAY_OK && k % 64 == 0 &&
                !fy_lab_progress(lab, cell, (double)k / (double)last))
                status = FORAY_INTERRUPTED;
        }
        if (status == FORAY_OK)
            status = add_checkpoint(&r, due);
    }
    close_run(&r);
    return status;
}

/* ------------------------------------------------------------------------------- cells */

static foray_status plan_sharpness(fy_lab *lab)
{
    if (foray_algorithm_needs_reward(fy_lab_word(lab, ALGORITHM, 0)))
        return fy_fail(lab->ctx, FORAY_ERROR_USAGE,
                       "sharpness: %s explores for one reward, and there is none",
                       fy_lab_word(lab, ALGORITHM, 0));
    foray_status status = FORAY_OK;
    for (int64_t w = 0; w < fy_lab_count(lab, WORLDS) && status == FORAY_OK; w++) {
        foray_model *model;
        status = foray_model_builtin(lab->ctx, fy_lab_word(lab, WORLDS, w), &model);
        if (status != FORAY_OK)
            return status;
        /* About 20 ns for a transition, ten times a step, at some log_4 K checkpoints. */
        double size = (double)(foray_model_horizon(model) * foray_model_states(model) *
                               foray_model_actions(model));
        double plans = fmin(fy_lab_real(lab, GOALS), (double)foray_model_states(model));
        double weight = 2e-6 * size * plans * fy_lab_real(lab, STEPS);
        foray_model_destroy(model);
        for (int64_t s = 0; s < fy_lab_integer(lab, SEEDS) && status == FORAY_OK; s++) {
            const int64_t at[FY_LAB_AXES] = {w, s};
            status = fy_lab_add_cell(lab, weight, at, "world-%" PRId64 "-seed-%" PRId64, w,
                                     fy_lab_integer(lab, SEED) + s);
        }
    }
    return status;
}

/* ----------------------------------------------------------------------------- results */

/* The mean over seeds of a column at checkpoint i; rows of a world lie side by side. */
static double mean_at(const fy_lab *lab, int64_t world, int64_t i, int column)
{
    int64_t seeds = fy_lab_integer(lab, SEEDS);
    double sum = 0;
    for (int64_t s = 0; s < seeds; s++)
        sum += fy_rows_at(&lab->rows[world * seeds + s], i)[column];
    return sum / (double)seeds;
}

static double total(const fy_lab *lab, int column)
{
    double sum = 0;
    for (int64_t c = 0; c < lab->cells; c++)
        for (int64_t i = 0; i < lab->rows[c].count; i++)
            sum += fy_rows_at(&lab->rows[c], i)[column];
    return sum;
}

static void draw_world(const fy_lab *lab, int64_t world, fy_content *content)
{
    static const struct {
        int column;
        const char *name;
    } line[] = {{C_VALUES, "bound by values, own radius"},
                {C_CERTIFICATE, "gap certificate, likelihood"},
                {C_ADVERSARY, "adversary inside the set"},
                {C_TRUTH, "truth"}};
    char id[32];
    fy_format(id, sizeof id, "sharp%" PRId64, world);
    fy_content_chart(content, &(fy_chart){.id = id,
                                          .title = fy_lab_word(lab, WORLDS, world),
                                          .note = "mean over goals and seeds",
                                          .x = {.label = "episodes", .kind = FY_AXIS_LOG},
                                          .y = {.label = "lost at most", .kind = FY_AXIS_LOG}});
    for (size_t c = 0; c < sizeof line / sizeof *line; c++) {
        fy_content_series(content, line[c].name);
        for (int64_t i = 0; i < lab->rows[0].count; i++)
            fy_content_point(content,
                             (fy_series_point){mean_at(lab, world, i, C_EPISODES),
                                               mean_at(lab, world, i, line[c].column), NAN, NAN});
    }
}

/* One row for each world and checkpoint. */
static void show_numbers(const fy_lab *lab, bool last_only, const char *name, fy_table_use use,
                         fy_content *content)
{
    static const char *const heading[] = {"world",     "episodes", "values", "certificate",
                                          "adversary", "truth",    "proved", "plans"};
    fy_table table = fy_table_begin(lab->ctx, 8, heading);
    int64_t looks = lab->rows[0].count;
    for (int64_t w = 0; w < fy_lab_count(lab, WORLDS); w++)
        for (int64_t i = last_only ? looks - 1 : 0; i < looks; i++) {
            fy_table_cell(&table, "%s", fy_lab_word(lab, WORLDS, w));
            fy_table_exact(&table, mean_at(lab, w, i, C_EPISODES));
            for (int c = C_VALUES; c <= C_TRUTH; c++)
                fy_table_exact(&table, mean_at(lab, w, i, c));
            fy_table_exact(&table, mean_at(lab, w, i, C_OPTIMAL));
            fy_table_exact(&table, mean_at(lab, w, i, C_PLANS));
        }
    fy_content_table(content, use, name,
                     "means over seeds; optimal: plans that are so, proved or up to rounding",
                     &table);
}

static void find_sharpness(fy_lab *lab)
{
    int64_t last = lab->rows[0].count - 1;
    char number[4][FY_NUMBER_SIZE];
    fy_lab_find(lab,
                "Of %.0f certified plans %.0f lose more than their certificate, and a law of the "
                "confidence set makes %.0f lose more.",
                total(lab, C_PLANS), total(lab, C_BROKEN), total(lab, C_OVERTAKEN));
    double all_plans = 0, all_optimal = 0;
    for (int64_t w = 0; w < fy_lab_count(lab, WORLDS); w++) {
        all_plans += mean_at(lab, w, last, C_PLANS);
        all_optimal += mean_at(lab, w, last, C_OPTIMAL);
    }
    fy_lab_find(lab,
                "After %.0f episodes %s of %.0f plans are optimal, proved or up to rounding, on "
                "average over seeds.",
                mean_at(lab, 0, last, C_EPISODES), fy_number(all_optimal, number[0]), all_plans);
    fy_lab_details(lab);
    for (int64_t w = 0; w < fy_lab_count(lab, WORLDS); w++) {
        double certificate = mean_at(lab, w, last, C_CERTIFICATE);
        double found = mean_at(lab, w, last, C_ADVERSARY), all = mean_at(lab, w, last, C_PLANS);
        double optimal = mean_at(lab, w, last, C_OPTIMAL);
        fy_lab_find(lab,
                    "%s after %.0f episodes: certificate %s (%s from values), %s of it reached "
                    "by a law of the set; %s of %.0f plans optimal, proved or up to rounding.",
                    fy_lab_word(lab, WORLDS, w), mean_at(lab, w, last, C_EPISODES),
                    fy_number(certificate, number[0]),
                    fy_number(mean_at(lab, w, last, C_VALUES), number[1]),
                    certificate > 0 ? fy_number(rint(100 * found / certificate) / 100, number[2])
                                    : "all",
                    fy_number(optimal, number[3]), all);
    }
}

static foray_status show_sharpness(fy_lab *lab, fy_content *content)
{
    find_sharpness(lab);
    fy_content_heading(content, "Certificates, the adversary and the truth");
    fy_content_paragraph(
        content, "The distance from the certificate to the adversary is what bounding loses: no "
                 "certificate from the same confidence set can be below the adversary. The "
                 "distance from the adversary to the truth is what is not known yet.");
    for (int64_t w = 0; w < fy_lab_count(lab, WORLDS); w++)
        draw_world(lab, w, content);
    fy_content_heading(content, "At the end");
    show_numbers(lab, true, "summary", FY_TABLE_READ, content);
    show_numbers(lab, false, "checkpoints", FY_TABLE_OPENED, content);
    return FORAY_OK;
}

const fy_lab_experiment fy_lab_sharpness = {
    .name = "sharpness",
    .summary = "how near certificates come to the best possible and to the truth",
    .question =
        "A certificate bounds what a plan loses. Here it is compared with an older bound (the "
        "difference of an optimistic and a pessimistic value, from the radius that explored), an "
        "adversary that looks inside the same confidence set for a law under which the plan loses "
        "as much as possible, and what the plan really loses; for plug-in plans of goal states, "
        "over episodes and worlds.",
    .description =
        "For plans of goal states, over episodes: the bound by values, the gap certificate\n"
        "from likelihoods, the most that an adversary inside the confidence set makes the\n"
        "plan lose, and the truth. How near is a certificate to the best possible one for\n"
        "its set, and how near to the truth?",
    .example = "--quick --worlds riverswim --episodes 64 --seeds 1 -o sharp",
    .parameter = parameters,
    .parameters = PARAMETERS,
    .column = row_columns,
    .columns = COLUMNS,
    .plan = plan_sharpness,
    .cell = make_sharpness_cell,
    .show = show_sharpness,
};
