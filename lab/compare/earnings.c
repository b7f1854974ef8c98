/* earnings.c - what plans earned in reality, as tables and in words: who won, by a sign test. */
#include "compare/reality.h"
#include "reward/reward.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* What algorithm a earned with its j-th seed, for reward i. */
static const double *row_of(const fy_reality *r, int64_t a, int64_t j, int64_t i)
{
    return fy_rows_at(&r->compare.rows[j * r->compare.what->algorithms + a], i);
}

static const char *name_of(const fy_reality *r, int64_t a)
{
    return r->compare.what->algorithm[a];
}

/* Over seeds. */
typedef struct earned {
    double mean, error; /* standard error of the mean; NaN: of one seed there is none */
    double certificate; /* the largest */
} earned;

static earned sum_up(const fy_reality *r, int64_t a, int64_t i)
{
    int64_t seeds = r->compare.what->seeds;
    double n = (double)seeds, sum = 0, squares = 0, certificate = 0;
    for (int64_t j = 0; j < seeds; j++) {
        sum += row_of(r, a, j, i)[FY_R_return];
        certificate = fmax(certificate, row_of(r, a, j, i)[FY_R_certificate]);
    }
    for (int64_t j = 0; j < seeds; j++) {
        double apart = row_of(r, a, j, i)[FY_R_return] - sum / n;
        squares += apart * apart;
    }
    return (earned){sum / n, n > 1 ? sqrt(squares / (n - 1) / n) : NAN, certificate};
}

static bool is_better(const fy_reality *r, int64_t i, double value, double than)
{
    return r->is->reward[i]->minimise ? value < than : value > than;
}

/* ------------------------------------------------------------------------- tables */

static foray_status save_table(const fy_reality *r, const char *name, fy_table *table)
{
    fy_writer text = {.ctx = r->compare.ctx};
    fy_table_print_csv(table, &text);
    fy_table_free(table);
    return fy_folder_save(&r->compare.folder, name, &text);
}

/* One row for each run and reward. */
static foray_status write_runs(const fy_reality *r)
{
    static const char *const heading[] = {"algorithm", "seed",   "reward",     "episodes",
                                          "rollouts",  "return", "certificate"};
    const foray_comparison *what = r->compare.what;
    fy_table table = fy_table_begin(r->compare.ctx, 7, heading);
    for (int64_t a = 0; a < what->algorithms; a++)
        for (int64_t j = 0; j < what->seeds; j++)
            for (int64_t i = 0; i < r->is->rewards; i++) {
                const double *row = row_of(r, a, j, i);
                fy_table_cell(&table, "%s", name_of(r, a));
                fy_table_integer(&table, what->settings.seed + j);
                fy_table_cell(&table, "%s", r->is->reward[i]->name);
                fy_table_shortest(&table, row[FY_R_episodes]);
                fy_table_integer(&table, r->is->rollouts);
                fy_table_shortest(&table, row[FY_R_return]);
                fy_table_shortest(&table, row[FY_R_certificate]);
            }
    return save_table(r, "rollouts.csv", &table);
}

static foray_status write_summary(const fy_reality *r)
{
    static const char *const heading[] = {"algorithm", "reward", "seeds",
                                          "return",    "error",  "certificate"};
    fy_table table = fy_table_begin(r->compare.ctx, 6, heading);
    for (int64_t a = 0; a < r->compare.what->algorithms; a++)
        for (int64_t i = 0; i < r->is->rewards; i++) {
            earned over = sum_up(r, a, i);
            fy_table_cell(&table, "%s", name_of(r, a));
            fy_table_cell(&table, "%s", r->is->reward[i]->name);
            fy_table_integer(&table, r->compare.what->seeds);
            fy_table_shortest(&table, over.mean);
            fy_table_shortest(&table, over.error);
            fy_table_shortest(&table, over.certificate);
        }
    return save_table(r, "summary.csv", &table);
}

/* -------------------------------------------------------------------------- words */

/* The table of one reward, for people. */
static void print_reward(const fy_reality *r, int64_t i, fy_writer *text)
{
    fy_print(text,
             "measured by rollouts: mean returns of %s over %" PRId64
             " episodes in %s, since its truth is not known\n\n%-32s %12s %12s %12s\n",
             r->is->reward[i]->name, r->is->rollouts, r->compare.world, "algorithm", "return", "+-",
             "certificate");
    for (int64_t a = 0; a < r->compare.what->algorithms; a++) {
        earned over = sum_up(r, a, i);
        fy_print(text, "%-32s %12.6g %12.3g %12.6g\n", name_of(r, a), over.mean, over.error,
                 over.certificate);
    }
    fy_print(text, "\n");
}

static foray_status write_summary_text(const fy_reality *r)
{
    const foray_comparison *what = r->compare.what;
    fy_writer text = {.ctx = r->compare.ctx};
    for (int64_t i = 0; i < r->is->rewards; i++)
        print_reward(r, i, &text);
    fy_print(&text,
             "after %" PRId64 " episodes, %" PRId64 " seed%s; +-: standard error over seeds; "
             "certificate: the largest\n",
             what->settings.episodes, what->seeds, what->seeds == 1 ? "" : "s");
    return fy_folder_save(&r->compare.folder, "summary.txt", &text);
}

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
static void print_duel(const fy_reality *r, int64_t i, int64_t best, int64_t a, fy_writer *text)
{
    int64_t wins = 0, losses = 0, seeds = r->compare.what->seeds;
    for (int64_t j = 0; j < seeds; j++) {
        double mine = row_of(r, best, j, i)[FY_R_return];
        double other = row_of(r, a, j, i)[FY_R_return];
        wins += is_better(r, i, mine, other);
        losses += is_better(r, i, other, mine);
    }
    if (wins + losses == 0) {
        fy_print(text, "%s does just as well\n", name_of(r, a));
        return;
    }
    double chance = by_chance(wins > losses ? wins : losses, wins + losses);
    fy_print(text,
             "%s is better than %s in %" PRId64 " of %" PRId64 " seed%s, by %.3g on average; ",
             name_of(r, best), name_of(r, a), wins, seeds, seeds == 1 ? "" : "s",
             fabs(sum_up(r, best, i).mean - sum_up(r, a, i).mean));
    if (chance <= 0.05)
        fy_print(text, "if they were equally good, so clear a result would have probability %.2g\n",
                 chance);
    else
        fy_print(text, "that may well be chance (%.2g): more seeds would tell\n", chance);
}

static void print_verdict(const fy_reality *r, int64_t i, fy_writer *text)
{
    int64_t best = 0;
    for (int64_t a = 1; a < r->compare.what->algorithms; a++)
        if (is_better(r, i, sum_up(r, a, i).mean, sum_up(r, best, i).mean))
            best = a;
    fy_print(text, "The best mean return of %s is that of %s, %.6g.\n", r->is->reward[i]->name,
             name_of(r, best), sum_up(r, best, i).mean);
    for (int64_t a = 0; a < r->compare.what->algorithms; a++)
        if (a != best)
            print_duel(r, i, best, a, text);
}

static foray_status write_verdict(const fy_reality *r)
{
    fy_writer text = {.ctx = r->compare.ctx};
    for (int64_t i = 0; i < r->is->rewards; i++)
        print_verdict(r, i, &text);
    return fy_folder_save(&r->compare.folder, "verdict.txt", &text);
}

foray_status fy_reality_write_results(const fy_reality *r)
{
    foray_status status = write_runs(r);
    if (status == FORAY_OK)
        status = write_summary(r);
    if (status == FORAY_OK)
        status = write_verdict(r);
    return status == FORAY_OK ? write_summary_text(r) : status;
}
