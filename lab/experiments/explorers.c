/* explorers.c - who needs how many episodes for the same certificates.
 *
 *   for each world, algorithm and seed
 *     explore; at episodes growing by a tenth
 *       goals  is the mean certificate of the plug-in plans of goals at most 5% of H?
 *       all    is the bound for all rewards at most 20% of H?
 *     until both were seen, or up to a number of episodes
 *
 * Whoever explored, certificates are made in the same way from the same counts: what differs is
 * where the algorithm went. */
#include "work/lab.h"
#include "algorithms/algorithms.h"
#include "explore/explorer.h"
#include "measure/measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { WORLDS, ALGORITHMS, EPISODES, GOALS, GOAL_SHARE, ALL_SHARE, DELTA, SEEDS, SEED, PARAMETERS };

static const foray_lab_parameter parameters[PARAMETERS] = {
    [WORLDS] = FY_LAB_WORLDS("worlds", "riverswim chain frozenlake",
                             "riverswim chain grid rooms mixture hard hypercube trapdoor inventory "
                             "queue frozenlake frozenlake:shared=0",
                             "the worlds"),
    [ALGORITHMS] = FY_LAB_ALGORITHMS("algorithms", "ucrl-rfe,scout,rf-ucrl,random",
                                     "ucrl-rfe,ucrl-rfe+,scout,rf-ucrl,rf-express,rf-rl-explore,"
                                     "sstp,random,generative",
                                     "the algorithms"),
    [EPISODES] = FY_LAB_INTEGER(
        "episodes", "4096", "32768", 1, 1e9,
        "largest number of episodes in a run; the budget of algorithms that need one"),
    [GOALS] =
        FY_LAB_INTEGER("goals", "12", "24", 1, 1e6, "largest number of goal states to plan for"),
    [GOAL_SHARE] = FY_LAB_REAL("goal_share", "0.05", "0.05", 1e-9, 1,
                               "the mean certificate to reach, as a fraction of H"),
    [ALL_SHARE] = FY_LAB_REAL("all_share", "0.2", "0.2", 1e-9, 1,
                              "the bound for all rewards to reach, as a fraction of H"),
    [DELTA] = FY_LAB_REAL("delta", "0.1", "0.1", 1e-9, 0.999, "of the confidence sets"),
    [SEEDS] = FY_LAB_SEEDS("3", "5"),
    [SEED] = FY_LAB_SEED,
};

enum { C_WORLD, C_ALGORITHM, C_SEED, C_HORIZON, C_GOALS, C_ALL, COLUMNS };

static const fy_lab_column row_columns[COLUMNS] = {
    [C_WORLD] = {.name = "world", .help = "the world", .words = 1 + WORLDS},
    [C_ALGORITHM] = {.name = "algorithm",
                     .help = "the algorithm that explored",
                     .words = 1 + ALGORITHMS},
    [C_SEED] = {.name = "seed", .help = "of the run"},
    [C_HORIZON] = {.name = "horizon", .help = "H of the world"},
    [C_GOALS] = {.name = "goals", .help = "episodes for the mean certificate of goals; inf: more"},
    [C_ALL] = {.name = "all", .help = "episodes for the bound for all rewards; inf: more"},
};

/* A cell: one run. */
enum { AT_WORLD, AT_ALGORITHM, AT_SEED };

/* ------------------------------------------------------------------------------- a run */

typedef struct exploring {
    foray_context *ctx;
    fy_lab *lab;
    int64_t cell;
    foray_settings settings;
    foray_model *model;
    foray_world *world;
    foray_explorer *explorer;
    fy_family *goals;
    double goals_after, all_after; /* episodes; INFINITY: not yet */
} exploring;

static foray_status open_exploring(exploring *r)
{
    const int64_t *at = r->lab->cell[r->cell].at;
    foray_settings_default(&r->settings);
    fy_settings_choose(&r->settings, fy_lab_word(r->lab, ALGORITHMS, at[AT_ALGORITHM]));
    r->settings.seed = fy_lab_integer(r->lab, SEED) + at[AT_SEED];
    r->settings.episodes = fy_lab_integer(r->lab, EPISODES);
    r->settings.delta = fy_lab_real(r->lab, DELTA);
    r->goals_after = r->all_after = INFINITY;
    foray_status status =
        foray_model_builtin(r->ctx, fy_lab_word(r->lab, WORLDS, at[AT_WORLD]), &r->model);
    if (status == FORAY_OK)
        status = foray_world_from_model(r->ctx, r->model, &r->world);
    if (status == FORAY_OK)
        status = foray_explorer_create(r->ctx, r->model, &r->settings, &r->explorer);
    if (status == FORAY_OK)
        status = fy_family_create(r->ctx, r->model, FY_GOALS, fy_lab_integer(r->lab, GOALS), 0,
                                  &r->goals);
    return status;
}

static void close_run(exploring *r)
{
    fy_family_destroy(r->goals);
    foray_explorer_destroy(r->explorer);
    foray_world_destroy(r->world);
    foray_model_destroy(r->model);
}

/* Is the mean certificate of the goals small enough? One after the other: certificates are not
 * negative, so that a sum which is too large already will not become smaller. */
static foray_status check_goals(exploring *r, bool *reached)
{
    int64_t goals = r->goals->count;
    double sum = 0,
           max = fy_lab_real(r->lab, GOAL_SHARE) * (double)(goals * foray_model_horizon(r->model));
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < goals && status == FORAY_OK && sum <= max; i++) {
        const foray_reward *reward = r->goals->reward[i];
        foray_policy *policy;
        status = foray_explorer_plan(r->explorer, 1, &reward, FORAY_PLUGIN, &policy);
        if (status != FORAY_OK)
            return status;
        sum += policy->certificate.gap;
        foray_policy_destroy(policy);
    }
    *reached = sum <= max;
    return status;
}

static foray_status look_at_gaps(exploring *r, int64_t episodes)
{
    foray_certificate bound = {.gap = INFINITY};
    bool reached = false, bounded = false;
    foray_status status = fy_explorer_bounded(r->explorer, &bounded);
    if (status == FORAY_OK && isinf(r->goals_after))
        status = check_goals(r, &reached);
    if (reached)
        r->goals_after = (double)episodes;
    if (status == FORAY_OK && bounded && isinf(r->all_after))
        status = foray_explorer_bound(r->explorer, FORAY_KIND_PAIR, &bound);
    double H = (double)foray_model_horizon(r->model);
    if (bound.gap <= fy_lab_real(r->lab, ALL_SHARE) * H)
        r->all_after = (double)episodes;
    return status;
}

static foray_status make_explorers_cell(foray_context *ctx, fy_lab *lab, int64_t cell,
                                        fy_rows *rows)
{
    exploring r = {.ctx = ctx, .lab = lab, .cell = cell};
    const int64_t *at = lab->cell[cell].at;
    int64_t last = fy_lab_integer(lab, EPISODES), next = 16;
    foray_status status = open_exploring(&r);
    for (int64_t k = 1; k <= last && status == FORAY_OK; k++) {
        if (!isinf(r.goals_after) && !isinf(r.all_after))
            break;
        status = foray_explorer_play(r.explorer, r.world, NULL, NULL);
        if (status == FORAY_OK && (k >= next || k == last)) {
            status = look_at_gaps(&r, k);
            next = k + (k + 9) / 10;
            if (!fy_lab_progress(lab, cell, (double)k / (double)last))
                status = FORAY_INTERRUPTED;
        }
    }
    double row[COLUMNS] = {[C_WORLD] = (double)at[AT_WORLD],
                           [C_ALGORITHM] = (double)at[AT_ALGORITHM],
                           [C_SEED] = (double)r.settings.seed,
                           [C_GOALS] = r.goals_after,
                           [C_ALL] = r.all_after};
    if (status == FORAY_OK)
        row[C_HORIZON] = (double)foray_model_horizon(r.model);
    close_run(&r);
    return status == FORAY_OK ? fy_rows_add(ctx, rows, row) : status;
}

/* ------------------------------------------------------------------------------- cells */

static foray_status add_cells(fy_lab *lab, int64_t w, int64_t a, double weight)
{
    foray_status status = FORAY_OK;
    for (int64_t s = 0; s < fy_lab_integer(lab, SEEDS) && status == FORAY_OK; s++) {
        const int64_t at[FY_LAB_AXES] = {[AT_WORLD] = w, [AT_ALGORITHM] = a, [AT_SEED] = s};
        status = fy_lab_add_cell(lab, weight, at, "world%" PRId64 "-%s-seed%" PRId64, w,
                                 fy_lab_word(lab, ALGORITHMS, a), fy_lab_integer(lab, SEED) + s);
    }
    return status;
}

static foray_status plan_explorers(fy_lab *lab)
{
    foray_status status = FORAY_OK;
    for (int64_t a = 0; a < fy_lab_count(lab, ALGORITHMS); a++)
        if (foray_algorithm_needs_reward(fy_lab_word(lab, ALGORITHMS, a)))
            return fy_fail(lab->ctx, FORAY_ERROR_USAGE,
                           "explorers: %s explores for one reward, and there is none",
                           fy_lab_word(lab, ALGORITHMS, a));
    for (int64_t w = 0; w < fy_lab_count(lab, WORLDS) && status == FORAY_OK; w++) {
        foray_model *model;
        status = foray_model_builtin(lab->ctx, fy_lab_word(lab, WORLDS, w), &model);
        if (status != FORAY_OK)
            return status;
        /* About 10 ns for each (s,a) and step, in looks and in the plans of those who count. */
        double weight = 1e-8 * (double)(foray_model_horizon(model) * foray_model_states(model) *
                                        foray_model_actions(model));
        foray_model_destroy(model);
        for (int64_t a = 0; a < fy_lab_count(lab, ALGORITHMS) && status == FORAY_OK; a++)
            status = add_cells(lab, w, a, weight * fy_lab_real(lab, EPISODES));
    }
    return status;
}

/* ----------------------------------------------------------------------------- results */

/* The median over seeds, the lower of two: the least that half of them do not exceed. Cells of a
 * world and an algorithm lie side by side. */
static double median_of(const fy_lab *lab, int64_t world, int64_t algorithm, int column)
{
    int64_t seeds = fy_lab_integer(lab, SEEDS);
    int64_t first = (world * fy_lab_count(lab, ALGORITHMS) + algorithm) * seeds;
    double median = INFINITY;
    for (int64_t s = 0; s < seeds; s++) {
        double value = fy_rows_at(&lab->rows[first + s], 0)[column];
        int64_t within = 0;
        for (int64_t t = 0; t < seeds; t++)
            within += fy_rows_at(&lab->rows[first + t], 0)[column] <= value;
        if (2 * within >= seeds)
            median = fmin(median, value);
    }
    return median;
}

/* The least of those who have to walk. */
static double best_of(const fy_lab *lab, int64_t world, int column)
{
    double best = INFINITY;
    for (int64_t a = 0; a < fy_lab_count(lab, ALGORITHMS); a++)
        if (!foray_algorithm_is_generative(fy_lab_word(lab, ALGORITHMS, a)))
            best = fmin(best, median_of(lab, world, a, column));
    return best;
}

static void add_episodes(fy_table *table, const fy_lab *lab, double episodes)
{
    if (isinf(episodes))
        fy_table_cell(table, "> %" PRId64, fy_lab_integer(lab, EPISODES));
    else
        fy_table_exact(table, episodes);
}

/* One row for each world: how many episodes each algorithm needs. */
static void show_numbers(const fy_lab *lab, int column, const char *name, const char *note,
                         fy_content *content)
{
    enum { MAX = 32 };
    int64_t algorithms = fy_lab_count(lab, ALGORITHMS), count = algorithms < MAX ? algorithms : MAX;
    const char *heading[MAX + 1] = {"world"};
    for (int64_t a = 0; a < count; a++)
        heading[a + 1] = fy_lab_word(lab, ALGORITHMS, a);
    fy_table table = fy_table_begin(lab->ctx, count + 1, heading);
    for (int64_t w = 0; w < fy_lab_count(lab, WORLDS); w++) {
        fy_table_cell(&table, "%s", fy_lab_word(lab, WORLDS, w));
        for (int64_t a = 0; a < count; a++)
            add_episodes(&table, lab, median_of(lab, w, a, column));
    }
    fy_content_table(content, FY_TABLE_READ, name, note, &table);
}

/* How many times the episodes of the best an algorithm needs: in the middle world, and at worst. */
typedef struct standing {
    int64_t worlds, reached, best; /* that someone reached; that it reached; where it was best */
    double min, middle, worst;
} standing;

static standing stand(const fy_lab *lab, int64_t algorithm, int column)
{
    enum { MAX = 256 };
    standing out = {.min = NAN, .middle = NAN, .worst = NAN};
    double ratio[MAX];
    for (int64_t w = 0; w < fy_lab_count(lab, WORLDS) && out.worlds < MAX; w++) {
        double best = best_of(lab, w, column), own = median_of(lab, w, algorithm, column);
        if (isinf(best))
            continue;
        ratio[out.worlds++] = own / best;
        out.reached += !isinf(own);
        out.best += own <= best;
    }
    if (out.worlds == 0)
        return out;
    fy_sort(out.worlds, ratio);
    out.min = ratio[0];
    out.middle = ratio[(out.worlds - 1) / 2];
    out.worst = ratio[out.worlds - 1];
    return out;
}

static const char *const measure_words[] = {"certificates of goals", "the bound for all rewards"};

/* Who is best in most worlds, for one measure. */
static void find_best(fy_lab *lab, int measure)
{
    int64_t best = -1, max = 0;
    standing its = {0};
    for (int64_t a = 0; a < fy_lab_count(lab, ALGORITHMS); a++) {
        standing s = stand(lab, a, measure == 0 ? C_GOALS : C_ALL);
        bool counts = strcmp(fy_lab_word(lab, ALGORITHMS, a), "generative") != 0;
        if (counts && s.best > max) {
            best = a;
            max = s.best;
            its = s;
        }
    }
    if (best >= 0) {
        char number[FY_NUMBER_SIZE], worst[FY_NUMBER_SIZE + 64] = "";
        if (isinf(its.worst))
            fy_format(worst, sizeof worst, "; elsewhere the budget is not always enough");
        else if (its.worst > 1)
            fy_format(worst, sizeof worst, ", and at worst %s times as many as the best",
                      fy_number(its.worst, number));
        fy_lab_find(lab,
                    "For %s, %s needs the fewest episodes most often: in %" PRId64 " of %" PRId64
                    " worlds%s.",
                    measure_words[measure], fy_lab_word(lab, ALGORITHMS, best), its.best,
                    its.worlds, worst);
    }
}

static void show_standings(fy_lab *lab, fy_content *content)
{
    static const char *const heading[] = {"algorithm", "measure", "worlds", "reached",
                                          "best",      "median",  "worst"};
    static const char *const measure[] = {"goals", "all"};
    fy_table table = fy_table_begin(lab->ctx, 7, heading);
    for (int m = 0; m < 2; m++)
        find_best(lab, m);
    fy_lab_details(lab);
    for (int64_t a = 0; a < fy_lab_count(lab, ALGORITHMS); a++)
        for (int m = 0; m < 2; m++) {
            standing s = stand(lab, a, m == 0 ? C_GOALS : C_ALL);
            fy_table_cell(&table, "%s", fy_lab_word(lab, ALGORITHMS, a));
            fy_table_cell(&table, "%s", measure[m]);
            fy_table_integer(&table, s.worlds);
            fy_table_integer(&table, s.reached);
            fy_table_integer(&table, s.best);
            fy_table_exact(&table, s.middle);
            fy_table_exact(&table, s.worst);
            char number[2][FY_NUMBER_SIZE];
            fy_lab_find(lab,
                        "%s, %s: within the budget in %" PRId64 " of %" PRId64
                        " worlds, best in %" PRId64 "; %s times the episodes of the best in the "
                        "median world, %s at worst.",
                        fy_lab_word(lab, ALGORITHMS, a), measure_words[m], s.reached, s.worlds,
                        s.best, fy_number(s.middle, number[0]), fy_number(s.worst, number[1]));
        }
    fy_content_table(content, FY_TABLE_READ, "summary",
                     "worlds in which some algorithm gets there; median and worst: episodes as a "
                     "multiple of what the best needs, inf where the budget was not enough",
                     &table);
}

/* How many times the episodes of the best an algorithm needs, over the worlds: the dot is the world
 * in the middle; an arrow: in some world the budget was not enough. */
static void draw_multiples(const fy_lab *lab, int column, const char *id, const char *title,
                           fy_content *content)
{
    const double best = 1;
    fy_content_spans(content, &(fy_spans){.id = id,
                                          .title = title,
                                          .note = title,
                                          .label = "episodes, as a multiple of the best",
                                          .log = true,
                                          .line = &best});
    for (int64_t a = 0; a < fy_lab_count(lab, ALGORITHMS); a++) {
        standing s = stand(lab, a, column);
        fy_span row = {.low = s.min, .high = s.worst, .point = s.middle, .truth = NAN};
        fy_format(row.label, sizeof row.label, "%s", fy_lab_word(lab, ALGORITHMS, a));
        fy_content_span(content, &row);
    }
}

static foray_status show_explorers(fy_lab *lab, fy_content *content)
{
    fy_content_heading(content, "How much slower than the best");
    fy_content_paragraph(content,
                         "From the world in which an algorithm does best to the one in which it "
                         "does worst; the dot is the world in the middle. An arrow: in some world "
                         "the budget was not enough.");
    draw_multiples(lab, C_GOALS, "goals-multiples", "Plans of goals certified to 5% of H", content);
    draw_multiples(lab, C_ALL, "all-multiples", "All rewards certified to 20% of H", content);
    show_standings(lab, content);
    fy_content_heading(content, "Episodes until plans of goals are certified");
    show_numbers(lab, C_GOALS, "goals",
                 "until the mean certificate of plug-in plans is small; medians over seeds",
                 content);
    fy_content_heading(content, "Episodes until all rewards are");
    show_numbers(lab, C_ALL, "all-rewards",
                 "until the bound for all rewards is small; medians over seeds", content);
    return FORAY_OK;
}

const fy_lab_experiment fy_lab_explorers = {
    .name = "explorers",
    .summary = "how many episodes each algorithm needs for the same certificates",
    .question =
        "Certificates from likelihoods depend only on what was seen, not on which algorithm "
        "explored, so they can be used to compare explorers. Each explores until the mean "
        "certificate of its plug-in plans for goal "
        "states is 5% of H, and until its bound for all rewards is 20% of H; this is checked "
        "whenever the number of episodes has grown by a tenth. Algorithms that must know the "
        "number of "
        "episodes beforehand are told the budget. The generative sampler need not walk, and does "
        "not count as the best.",
    .description =
        "How many episodes until the mean certificate for goal states is 5% of H, and until\n"
        "the bound for all rewards is 20% of H, for every algorithm on every world. All are\n"
        "certified in the same way; what differs is where they went.",
    .example = "--quick --worlds riverswim --episodes 32768 --seeds 1 -o explorers",
    .parameter = parameters,
    .parameters = PARAMETERS,
    .column = row_columns,
    .columns = COLUMNS,
    .plan = plan_explorers,
    .cell = make_explorers_cell,
    .show = show_explorers,
};
