/* reality.c - a comparison where the truth is not known: what plans earn in reality.
 *
 *   for each algorithm and seed
 *     explore the system for K episodes
 *     for each reward
 *       plan, and follow the plan in reality for N episodes, which no run ever meets: the mean
 *
 * All plans meet the same random numbers, so that seed by seed the better one is a fair question,
 * and the answers of several seeds are a sign test.
 *
 * There is one system, with the context of the caller, and so runs are made one after the other,
 * by his thread and in his context. */
#include "compare/compare.h"
#include "reward/reward.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* A row for each reward: after how many episodes, what the plan earned in reality on average, and
 * what is promised. */
enum { C_REWARD, C_EPISODES, C_RETURN, C_CERTIFICATE, COLUMNS };

static const fy_lab_column row_columns[COLUMNS] = {
    [C_REWARD] = {.name = "reward", .help = "that was planned for"},
    [C_EPISODES] = {.name = "episodes", .help = "of exploring"},
    [C_RETURN] = {.name = "return", .help = "mean return of the plan in reality"},
    [C_CERTIFICATE] = {.name = "certificate", .help = "of the plan"},
};

/* --------------------------------------------------------------------------- cells */

static foray_status plan_reality(fy_lab *lab)
{
    fy_compare *compare = fy_compare_of(lab);
    const foray_reality *reality = compare->what->reality;
    foray_status status = FORAY_OK;
    if (reality->rewards < 1 || reality->rollouts < 1)
        return fy_fail(lab->ctx, FORAY_ERROR_USAGE, "there must be a reward, and rollouts");
    if (lab->figure.name)
        return fy_fail(lab->ctx, FORAY_ERROR_USAGE, "there are no figures of %s", compare->world);
    for (int64_t i = 0; i < reality->rewards && status == FORAY_OK; i++)
        status = fy_reward_check(lab->ctx, reality->reward[i], compare->model);
    if (status == FORAY_OK && !FY_ALLOC(lab->ctx, compare->value, reality->rollouts))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK && !FY_ALLOC(lab->ctx, compare->reward_name, reality->rewards))
        status = FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < reality->rewards && status == FORAY_OK; i++)
        compare->reward_name[i] = reality->reward[i]->name;
    lab->column_word[C_REWARD] = compare->reward_name;
    return status == FORAY_OK ? fy_compare_plan(lab, reality->rewards) : status;
}

/* Episodes until there are enough of them, or the time is over; *k counts them. */
static foray_status explore_reality(const fy_trial *trial, foray_explorer *explorer, int64_t *k)
{
    const double planning = 0.05; /* of the run, as far as one can tell */
    const foray_reality *reality = fy_compare_of(trial->lab)->what->reality;
    double began = fy_clock(), limit = trial->seconds;
    int64_t last = trial->settings.episodes;
    foray_status status = FORAY_OK;
    for (*k = 0; *k < last && status == FORAY_OK;) {
        status = foray_explorer_play(explorer, reality->world, NULL, NULL);
        *k += status == FORAY_OK;
        double explored = fy_clock() - began, done = (double)*k / (double)last;
        if (limit > 0.0)
            done = fmax(done, fmin(1.0, explored / limit));
        if (status == FORAY_OK &&
            !fy_lab_progress(trial->lab, trial->cell, (1.0 - planning) * done))
            status = FORAY_INTERRUPTED;
        if (limit > 0.0 && explored >= limit)
            break;
    }
    return status;
}

/* The mean return in reality of the plan for reward i. */
static foray_status try_plan(const fy_lab *lab, foray_explorer *explorer, int64_t i, double *row)
{
    const fy_compare *compare = fy_compare_of(lab);
    const foray_reality *reality = compare->what->reality;
    const foray_reward *reward = reality->reward[i];
    foray_policy *policy;
    foray_status status = foray_explorer_plan(explorer, 1, &reward, compare->what->mode, &policy);
    if (status != FORAY_OK)
        return status;
    status = foray_rollout(lab->ctx, reality->system, reality->clusters, policy, reality->index[i],
                           reality->index[i] < 0 ? reward : NULL, 0, reality->rollouts,
                           (uint64_t)compare->what->settings.seed, compare->value);
    row[C_CERTIFICATE] = policy->certificate.gap;
    for (int64_t e = 0; e < reality->rollouts && status == FORAY_OK; e++)
        row[C_RETURN] += compare->value[e] / (double)reality->rollouts;
    foray_policy_destroy(policy);
    return status;
}

static foray_status make_rows(fy_lab *lab, int64_t cell, fy_rows *rows)
{
    foray_explorer *explorer = NULL;
    fy_trial trial;
    int64_t episodes = 0;
    foray_status status = fy_compare_trial(lab->ctx, lab, cell, &trial);
    if (status == FORAY_OK)
        status = fy_trial_explorer(lab->ctx, &trial, &explorer);
    if (status == FORAY_OK)
        status = explore_reality(&trial, explorer, &episodes);
    for (int64_t i = 0; i < lab->cell[cell].rows && status == FORAY_OK; i++) {
        double row[COLUMNS] = {[C_REWARD] = (double)i, [C_EPISODES] = (double)episodes};
        status = try_plan(lab, explorer, i, row);
        if (status == FORAY_OK)
            status = fy_rows_add(lab->ctx, rows, row);
    }
    foray_explorer_destroy(explorer);
    return status;
}

/* What the system had to say is in the context that it was opened with. */
static foray_status make_reality(foray_context *ctx, fy_lab *lab, int64_t cell, fy_rows *rows)
{
    foray_status status = make_rows(lab, cell, rows);
    return status < 0 ? fy_fail(ctx, status, "%s", foray_message(lab->ctx)) : status;
}

/* ------------------------------------------------------------------------- results */

/* What algorithm a earned with its j-th seed, for reward i. */
static const double *row_of(const fy_lab *lab, int64_t a, int64_t j, int64_t i)
{
    return fy_rows_at(fy_compare_rows(lab, a, j), i);
}

/* Over seeds. */
typedef struct earned {
    double mean, error; /* standard error of the mean; NaN: of one seed there is none */
    double certificate; /* the largest */
} earned;

static earned sum_up(const fy_lab *lab, int64_t a, int64_t i)
{
    int64_t seeds = fy_compare_of(lab)->what->seeds;
    double n = (double)seeds, sum = 0, squares = 0, certificate = 0;
    for (int64_t j = 0; j < seeds; j++) {
        sum += row_of(lab, a, j, i)[C_RETURN];
        certificate = fmax(certificate, row_of(lab, a, j, i)[C_CERTIFICATE]);
    }
    for (int64_t j = 0; j < seeds; j++) {
        double apart = row_of(lab, a, j, i)[C_RETURN] - sum / n;
        squares += apart * apart;
    }
    return (earned){sum / n, n > 1 ? sqrt(squares / (n - 1) / n) : NAN, certificate};
}

static bool is_better(const fy_lab *lab, int64_t i, double value, double than)
{
    return fy_compare_of(lab)->what->reality->reward[i]->minimise ? value < than : value > than;
}

static void show_returns(const fy_lab *lab, fy_content *content)
{
    static const char *const heading[] = {"algorithm", "reward", "seeds",
                                          "return",    "error",  "certificate"};
    const fy_compare *compare = fy_compare_of(lab);
    const foray_comparison *what = compare->what;
    fy_table table = fy_table_begin(lab->ctx, 6, heading);
    for (int64_t a = 0; a < what->algorithms; a++)
        for (int64_t i = 0; i < what->reality->rewards; i++) {
            earned over = sum_up(lab, a, i);
            fy_table_cell(&table, "%s", what->algorithm[a]);
            fy_table_cell(&table, "%s", compare->reward_name[i]);
            fy_table_integer(&table, what->seeds);
            fy_table_exact(&table, over.mean);
            fy_table_exact(&table, over.error);
            fy_table_exact(&table, over.certificate);
        }
    fy_content_heading(content, "Summary");
    fy_content_paragraph(content,
                         "Mean returns in reality over %" PRId64 " episodes; error: standard error "
                         "over seeds; certificate: the largest.",
                         what->reality->rollouts);
    fy_content_table(content, FY_TABLE_READ, "summary", NULL, &table);
}

/* The same for a terminal, reward by reward. */
static void print_returns(fy_lab *lab)
{
    const fy_compare *compare = fy_compare_of(lab);
    const foray_comparison *what = compare->what;
    fy_writer *text = &lab->summary;
    for (int64_t i = 0; i < what->reality->rewards; i++) {
        fy_print(text,
                 "measured by rollouts: mean returns of %s over %" PRId64
                 " episodes in %s, since its truth is not known\n\n%-32s %12s %12s %12s\n",
                 compare->reward_name[i], what->reality->rollouts, compare->world, "algorithm",
                 "return", "+-", "certificate");
        for (int64_t a = 0; a < what->algorithms; a++) {
            earned over = sum_up(lab, a, i);
            fy_print(text, "%-32s %12.6g %12.3g %12.6g\n", what->algorithm[a], over.mean,
                     over.error, over.certificate);
        }
        fy_print(text, "\n");
    }
    fy_print(text,
             "after %" PRId64 " episodes, %" PRId64 " seed%s; +-: standard error over seeds; "
             "certificate: the largest\n",
             what->settings.episodes, what->seeds, what->seeds == 1 ? "" : "s");
}

/* ------------------------------------------------------------------------- verdict */

/* P(at least `wins` of n, or at most n - wins) if a coin decided each. */
static double by_chance(int64_t wins, int64_t n)
{
    double term = 1, tail = 0;
    for (int64_t k = 0; k < n; k++)
        term /= 2;
    for (int64_t k = n; k >= wins; k--) {
        tail += term; /* C(n,k) / 2^n */
        term *= (double)k / (double)(n - k + 1);
    }
    return fmin(1, 2 * tail);
}

/* Seed by seed: how often `best` did better than a. */
static void find_duel(fy_lab *lab, int64_t i, int64_t best, int64_t a)
{
    const foray_comparison *what = fy_compare_of(lab)->what;
    const char *const *name = what->algorithm;
    int64_t wins = 0, losses = 0;
    for (int64_t j = 0; j < what->seeds; j++) {
        double mine = row_of(lab, best, j, i)[C_RETURN], other = row_of(lab, a, j, i)[C_RETURN];
        wins += is_better(lab, i, mine, other);
        losses += is_better(lab, i, other, mine);
    }
    if (wins + losses == 0) {
        fy_lab_find(lab, "%s does just as well.", name[a]);
        return;
    }
    double chance = by_chance(wins > losses ? wins : losses, wins + losses);
    fy_print(&lab->findings,
             "%s is better than %s in %" PRId64 " of %" PRId64 " seed%s, by %.3g on average; ",
             name[best], name[a], wins, what->seeds, what->seeds == 1 ? "" : "s",
             fabs(sum_up(lab, best, i).mean - sum_up(lab, a, i).mean));
    if (chance <= 0.05)
        fy_lab_find(lab,
                    "if they were equally good, so clear a result would have probability %.2g.",
                    chance);
    else
        fy_lab_find(lab, "that may well be chance (%.2g): more seeds would tell.", chance);
}

static void find_best(fy_lab *lab, int64_t i)
{
    const fy_compare *compare = fy_compare_of(lab);
    int64_t best = 0, algorithms = compare->what->algorithms;
    for (int64_t a = 1; a < algorithms; a++)
        if (is_better(lab, i, sum_up(lab, a, i).mean, sum_up(lab, best, i).mean))
            best = a;
    fy_lab_find(lab, "The best mean return of %s is that of %s, %.6g.", compare->reward_name[i],
                compare->what->algorithm[best], sum_up(lab, best, i).mean);
    for (int64_t a = 0; a < algorithms; a++)
        if (a != best)
            find_duel(lab, i, best, a);
}

static foray_status show_reality(fy_lab *lab, fy_content *content)
{
    for (int64_t i = 0; i < fy_compare_of(lab)->what->reality->rewards; i++)
        find_best(lab, i);
    print_returns(lab);
    show_returns(lab, content);
    return FORAY_OK;
}

const fy_lab_experiment fy_compare_reality = {
    .name = "compare",
    .question =
        "The truth of this world is not known. Every algorithm explores it with the same seeds and "
        "plans for the same rewards, and each plan is followed in reality for many episodes, which "
        "no run has met and which are the same for all plans.",
    .axis = fy_compare_axes,
    .axes = FY_COMPARE_AXES,
    .column = row_columns,
    .columns = COLUMNS,
    .alone = true,
    .plan = plan_reality,
    .cell = make_reality,
    .show = show_reality,
    .terms = fy_compare_terms,
    .print_command = fy_compare_print_command,
};
