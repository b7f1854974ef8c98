/* results.c - all rows, and their aggregates over seeds, as CSV and as text. */
#include "compare/compare.h"
#include "compare/learning.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { RESAMPLES = 1000 };
static const double confidence = 0.95;

/* The rows of one algorithm with its i-th seed. */
static const fy_rows *rows_of(const fy_compare *compare, int64_t algorithm, int64_t i)
{
    return &compare->rows[i * compare->what->algorithms + algorithm];
}

/* What was not measured is not known; then it was not for any seed. */
static foray_status summarise_seeds(const fy_compare *compare, const double *value, fy_summary *out)
{
    if (isnan(value[0])) {
        *out = (fy_summary){NAN, NAN, NAN, NAN};
        return FORAY_OK;
    }
    return fy_summarise(compare->ctx, compare->what->seeds, value, RESAMPLES, confidence,
                        (uint64_t)compare->what->settings.seed, out);
}

/* The text becomes the file `name`, unless something failed before. */
static foray_status save_text(const fy_compare *compare, foray_status status, const char *name,
                              fy_writer *text)
{
    text->failed |= status != FORAY_OK;
    foray_status saved = fy_folder_save(&compare->folder, name, text);
    return status == FORAY_OK ? saved : status;
}

/* The same for a table, as CSV; releases it. */
static foray_status save_table(const fy_compare *compare, foray_status status, const char *name,
                               fy_table *table)
{
    fy_writer text = {.ctx = compare->ctx};
    fy_table_print_csv(table, &text);
    fy_table_free(table);
    return save_text(compare, status, name, &text);
}

/* ------------------------------------------------------------------------- curves */

static const double *row_at(const fy_rows *rows, double episode)
{
    for (int64_t i = 0; i < rows->count; i++)
        if (fy_rows_at(rows, i)[FY_M_episode] == episode)
            return fy_rows_at(rows, i);
    return NULL;
}

foray_status fy_compare_curve(const fy_compare *compare, int64_t algorithm, int measure,
                              fy_series *out)
{
    fy_series curve = {.name = compare->what->algorithm[algorithm]};
    const fy_rows *first = rows_of(compare, algorithm, 0);
    int64_t seeds = compare->what->seeds;
    foray_status status = FORAY_OK;
    double *value;
    if (!FY_ALLOC(compare->ctx, value, seeds))
        return FORAY_ERROR_MEMORY;
    for (int64_t k = 0; k < first->count && status == FORAY_OK; k++) {
        double episode = fy_rows_at(first, k)[FY_M_episode];
        int64_t reached = 0;
        for (int64_t i = 0; i < seeds; i++) {
            const double *row = row_at(rows_of(compare, algorithm, i), episode);
            if (row)
                value[reached++] = row[measure];
        }
        if (reached < seeds)
            continue;
        fy_summary over;
        status = summarise_seeds(compare, value, &over);
        if (status == FORAY_OK &&
            !fy_series_add(compare->ctx, &curve,
                           (fy_series_point){episode, over.iqm, over.low, over.high}))
            status = FORAY_ERROR_MEMORY;
    }
    free(value);
    if (status == FORAY_OK)
        *out = curve;
    else
        free(curve.point);
    return status;
}

/* ------------------------------------------------------------------ results, times */

/* One row for each run and checkpoint, with the measures first..last-1; algorithms in
 * the order asked for, then seeds, then episodes. */
static foray_status write_rows(const fy_compare *compare, int first, int last, const char *name)
{
    const char *heading[3 + FY_M_ALL] = {"algorithm", "seed", "episode"};
    for (int m = first; m < last; m++)
        heading[3 + m - first] = fy_measure_name(m);
    fy_table table = fy_table_begin(compare->ctx, 3 + last - first, heading);
    for (int64_t a = 0; a < compare->what->algorithms; a++)
        for (int64_t i = 0; i < compare->what->seeds; i++) {
            const fy_rows *rows = rows_of(compare, a, i);
            for (int64_t r = 0; r < rows->count; r++) {
                fy_table_cell(&table, "%s", compare->what->algorithm[a]);
                fy_table_integer(&table, compare->what->settings.seed + i);
                fy_table_shortest(&table, fy_rows_at(rows, r)[FY_M_episode]);
                for (int m = first; m < last; m++)
                    fy_table_shortest(&table, fy_rows_at(rows, r)[m]);
            }
        }
    return save_table(compare, FORAY_OK, name, &table);
}

/* ------------------------------------------------------------------------ summary */

foray_status fy_compare_last(const fy_compare *compare, int64_t algorithm, int measure,
                             fy_summary *out)
{
    double *value;
    if (!FY_ALLOC(compare->ctx, value, compare->what->seeds))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < compare->what->seeds; i++) {
        const fy_rows *rows = rows_of(compare, algorithm, i);
        value[i] = fy_rows_at(rows, rows->count - 1)[measure];
    }
    foray_status status = summarise_seeds(compare, value, out);
    free(value);
    return status;
}

static foray_status write_summary(const fy_compare *compare)
{
    static const char *const heading[] = {"algorithm", "seeds", "measure", "iqm",
                                          "low",       "high",  "median"};
    fy_table table = fy_table_begin(compare->ctx, 7, heading);
    foray_status status = FORAY_OK;
    for (int64_t a = 0; a < compare->what->algorithms; a++)
        for (int m = 0; m < FY_M_COUNT && status == FORAY_OK; m++) {
            fy_summary summary = {0};
            status = fy_compare_last(compare, a, m, &summary);
            fy_table_cell(&table, "%s", compare->what->algorithm[a]);
            fy_table_integer(&table, compare->what->seeds);
            fy_table_cell(&table, "%s", fy_measure_name(m));
            fy_table_shortest(&table, summary.iqm);
            fy_table_shortest(&table, summary.low);
            fy_table_shortest(&table, summary.high);
            fy_table_shortest(&table, summary.median);
        }
    return save_table(compare, status, "summary.csv", &table);
}

foray_status fy_compare_summary(const fy_compare *compare, fy_table *out)
{
    static const struct {
        int measure;
        const char *heading;
    } column[] = {
        {FY_M_episode, "episodes"},         {FY_M_worst, "worst gap"}, {FY_M_mean, "mean gap"},
        {FY_M_bound, "certificate"},        {FY_M_covered, "states"},  {FY_M_memory, "bytes"},
        {FY_M_per_episode, "cpu s/episode"}};
    enum { COLUMNS = sizeof column / sizeof *column };
    char iqm[FY_NUMBER_SIZE], low[FY_NUMBER_SIZE], high[FY_NUMBER_SIZE];
    const char *heading[1 + COLUMNS] = {"algorithm"};
    for (int c = 0; c < COLUMNS; c++)
        heading[1 + c] = column[c].heading;
    foray_status status = FORAY_OK;
    *out = fy_table_begin(compare->ctx, 1 + COLUMNS, heading);
    for (int64_t a = 0; a < compare->what->algorithms; a++) {
        fy_table_cell(out, "%s", compare->what->algorithm[a]);
        for (int c = 0; c < COLUMNS && status == FORAY_OK; c++) {
            fy_summary over = {0};
            status = fy_compare_last(compare, a, column[c].measure, &over);
            if (over.low == over.high)
                fy_table_number(out, over.iqm);
            else
                fy_table_cell(out, "%s [%s, %s]", fy_number(over.iqm, iqm),
                              fy_number(over.low, low), fy_number(over.high, high));
        }
    }
    return status;
}

static foray_status write_verdict(const fy_compare *compare)
{
    fy_writer text = {.ctx = compare->ctx};
    return save_text(compare, fy_compare_verdict(compare, &text), "verdict.txt", &text);
}

static foray_status write_summary_text(const fy_compare *compare)
{
    fy_table table;
    fy_writer text = {.ctx = compare->ctx};
    foray_status status = fy_compare_summary(compare, &table);
    fy_table_print_text(&table, &text);
    fy_table_free(&table);
    fy_print(&text,
             "\n%s, at the last checkpoint of each run: the interquartile mean over %" PRId64
             " seed%s\nand in brackets its 95%% bootstrap interval.\n",
             compare->world, compare->what->seeds, compare->what->seeds == 1 ? "" : "s");
    return save_text(compare, status, "summary.txt", &text);
}

/* ------------------------------------------------------------------------- K(eps) */

/* How many checkpoints all seeds share: only the last row of a run may differ from those of the
 * others, where time ended it. */
static int64_t count_common(const fy_compare *compare, int64_t algorithm)
{
    const fy_rows *first = rows_of(compare, algorithm, 0);
    int64_t common = first->count;
    for (int64_t i = 1; i < compare->what->seeds; i++) {
        const fy_rows *rows = rows_of(compare, algorithm, i);
        int64_t same = 0;
        while (same < common && same < rows->count &&
               fy_rows_at(rows, same)[FY_M_episode] == fy_rows_at(first, same)[FY_M_episode])
            same++;
        common = same;
    }
    return common;
}

static const double shares[] = {0.1, 0.03, 0.01, 0.003, 0.001}; /* eps / H */
enum { SHARES = sizeof shares / sizeof *shares };

/* K(eps) of one algorithm, for the worst gap or for the certificate. */
static double learning_time(const fy_compare *compare, int64_t algorithm, int measure, double eps)
{
    const foray_comparison *what = compare->what;
    fy_looks looks = {.rows = rows_of(compare, algorithm, 0),
                      .runs = what->seeds,
                      .stride = what->algorithms,
                      .count = count_common(compare, algorithm),
                      .episode = FY_M_episode,
                      .gap = measure};
    return fy_learning_time(&looks, eps, what->settings.delta, NULL);
}

fy_table fy_compare_learning(const fy_compare *compare)
{
    static const char *const heading[] = {"algorithm", "eps", "gap", "certificate"};
    fy_table table = fy_table_begin(compare->ctx, 4, heading);
    for (int64_t a = 0; a < compare->what->algorithms; a++)
        for (int e = 0; e < SHARES; e++) {
            double eps = shares[e] * (double)compare->model->horizon;
            fy_table_cell(&table, "%s", compare->what->algorithm[a]);
            fy_table_shortest(&table, eps);
            fy_table_shortest(&table, learning_time(compare, a, FY_M_worst, eps));
            fy_table_shortest(&table, learning_time(compare, a, FY_M_bound, eps));
        }
    return table;
}

fy_table fy_compare_matrix(const fy_compare *compare, int measure, int64_t *reached)
{
    char room[SHARES][FY_NUMBER_SIZE + 8], number[FY_NUMBER_SIZE];
    const char *heading[1 + SHARES] = {"algorithm"};
    *reached = 0;
    for (int e = 0; e < SHARES; e++) {
        double eps = shares[e] * (double)compare->model->horizon;
        fy_format(room[e], sizeof room[e], "ε = %s", fy_number(eps, number));
        heading[1 + e] = room[e];
    }
    fy_table table = fy_table_begin(compare->ctx, 1 + SHARES, heading);
    for (int64_t a = 0; a < compare->what->algorithms; a++) {
        fy_table_cell(&table, "%s", compare->what->algorithm[a]);
        for (int e = 0; e < SHARES; e++) {
            double eps = shares[e] * (double)compare->model->horizon;
            double time = learning_time(compare, a, measure, eps);
            *reached += isfinite(time);
            if (isfinite(time))
                fy_table_number(&table, time);
            else
                fy_table_cell(&table, "not reached");
        }
    }
    return table;
}

foray_status fy_compare_write_results(const fy_compare *compare)
{
    foray_status status = write_rows(compare, FY_M_episode + 1, FY_M_COUNT, "results.csv");
    if (status == FORAY_OK)
        status = write_rows(compare, FY_M_COUNT, FY_M_ALL, "times.csv");
    if (status == FORAY_OK)
        status = write_summary(compare);
    if (status == FORAY_OK) {
        fy_table learning = fy_compare_learning(compare);
        status = save_table(compare, FORAY_OK, "learning.csv", &learning);
    }
    if (status == FORAY_OK)
        status = write_verdict(compare);
    return status == FORAY_OK ? write_summary_text(compare) : status;
}
