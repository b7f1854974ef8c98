/* results.c - all rows, and their aggregates over seeds, as CSV and as text. */
#include "compare/compare.h"

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

static const double *last_row(const fy_rows *rows)
{
    return fy_rows_at(rows, rows->count - 1);
}

static const double *row_at(const fy_rows *rows, double episode)
{
    for (int64_t i = 0; i < rows->count; i++)
        if (fy_rows_at(rows, i)[FY_M_episode] == episode)
            return fy_rows_at(rows, i);
    return NULL;
}

/* What was not measured is not known; then it was not for any seed. */
static foray_status summarise(const fy_compare *compare, const double *value, foray_summary *out)
{
    if (isnan(value[0])) {
        *out = (foray_summary){NAN, NAN, NAN, NAN};
        return FORAY_OK;
    }
    return foray_summarise(compare->ctx, compare->what->seeds, value, RESAMPLES, confidence,
                           (uint64_t)compare->what->settings.seed, out);
}

/* ------------------------------------------------------------------------- curves */

/* The numbers of all seeds at a checkpoint; false: not all of them reached it. */
static bool gather(const fy_compare *compare, int64_t algorithm, int measure, double episode,
                   double *value)
{
    for (int64_t i = 0; i < compare->what->seeds; i++) {
        const double *row = row_at(rows_of(compare, algorithm, i), episode);
        if (!row)
            return false;
        value[i] = row[measure];
    }
    return true;
}

static foray_status fill_curve(const fy_compare *compare, int64_t algorithm, int measure,
                               double *value, fy_curve *curve)
{
    const fy_rows *first = rows_of(compare, algorithm, 0);
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < first->count && status == FORAY_OK; i++) {
        foray_summary summary;
        double episode = fy_rows_at(first, i)[FY_M_episode];
        if (!gather(compare, algorithm, measure, episode, value))
            continue;
        status = summarise(compare, value, &summary);
        if (status != FORAY_OK)
            break;
        curve->x[curve->count] = episode;
        curve->iqm[curve->count] = summary.iqm;
        curve->low[curve->count] = summary.low;
        curve->high[curve->count++] = summary.high;
    }
    return status;
}

foray_status fy_curve_create(const fy_compare *compare, int64_t algorithm, int measure,
                             fy_curve *out)
{
    fy_curve curve = {0};
    double *value = NULL;
    int64_t most = rows_of(compare, algorithm, 0)->count;
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(compare->ctx, curve.x, most) && FY_ALLOC(compare->ctx, curve.iqm, most) &&
        FY_ALLOC(compare->ctx, curve.low, most) && FY_ALLOC(compare->ctx, curve.high, most) &&
        FY_ALLOC(compare->ctx, value, compare->what->seeds))
        status = fill_curve(compare, algorithm, measure, value, &curve);
    free(value);
    if (status == FORAY_OK)
        *out = curve;
    else
        fy_curve_destroy(&curve);
    return status;
}

void fy_curve_destroy(fy_curve *curve)
{
    free(curve->x);
    free(curve->iqm);
    free(curve->low);
    free(curve->high);
    *curve = (fy_curve){0};
}

/* Over the last row of each seed. */
static foray_status summarise_last(const fy_compare *compare, int64_t algorithm, int measure,
                                   foray_summary *out)
{
    double *value;
    if (!FY_ALLOC(compare->ctx, value, compare->what->seeds))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < compare->what->seeds; i++)
        value[i] = last_row(rows_of(compare, algorithm, i))[measure];
    foray_status status = summarise(compare, value, out);
    free(value);
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
    fy_writer text = {.ctx = compare->ctx};
    for (int64_t a = 0; a < compare->what->algorithms; a++)
        for (int64_t i = 0; i < compare->what->seeds; i++) {
            const fy_rows *rows = rows_of(compare, a, i);
            for (int64_t r = 0; r < rows->count; r++) {
                fy_table_cell(&table, "%s", compare->what->algorithm[a]);
                fy_table_cell(&table, "%" PRId64, compare->what->settings.seed + i);
                fy_table_shortest(&table, fy_rows_at(rows, r)[FY_M_episode]);
                for (int m = first; m < last; m++)
                    fy_table_shortest(&table, fy_rows_at(rows, r)[m]);
            }
        }
    fy_table_print_csv(&table, &text);
    fy_table_free(&table);
    return fy_folder_save(&compare->folder, name, &text);
}

/* ------------------------------------------------------------------------ summary */

static foray_status write_summary_csv(const fy_compare *compare)
{
    static const char *const heading[] = {"algorithm", "seeds", "measure", "iqm",
                                          "low",       "high",  "median"};
    fy_table table = fy_table_begin(compare->ctx, 7, heading);
    fy_writer text = {.ctx = compare->ctx};
    foray_status status = FORAY_OK;
    for (int64_t a = 0; a < compare->what->algorithms; a++)
        for (int m = 0; m < FY_M_COUNT && status == FORAY_OK; m++) {
            foray_summary summary = {0};
            status = summarise_last(compare, a, m, &summary);
            fy_table_cell(&table, "%s", compare->what->algorithm[a]);
            fy_table_cell(&table, "%" PRId64, compare->what->seeds);
            fy_table_cell(&table, "%s", fy_measure_name(m));
            fy_table_shortest(&table, summary.iqm);
            fy_table_shortest(&table, summary.low);
            fy_table_shortest(&table, summary.high);
            fy_table_shortest(&table, summary.median);
        }
    fy_table_print_csv(&table, &text);
    fy_table_free(&table);
    text.failed |= status != FORAY_OK;
    foray_status saved = fy_folder_save(&compare->folder, "summary.csv", &text);
    return status == FORAY_OK ? saved : status;
}

void fy_interval_cell(fy_table *table, double iqm, double low, double high)
{
    if (low == high) {
        fy_table_number(table, iqm);
        return;
    }
    char middle[FY_NUMBER_SIZE], from[FY_NUMBER_SIZE], to[FY_NUMBER_SIZE];
    fy_table_cell(table, "%s [%s, %s]", fy_number(iqm, middle), fy_number(low, from),
                  fy_number(high, to));
}

foray_status fy_results_summary(const fy_compare *compare, fy_table *out)
{
    static const struct {
        int measure;
        const char *heading;
    } column[] = {
        {FY_M_episode, "episodes"},         {FY_M_worst, "worst gap"}, {FY_M_mean, "mean gap"},
        {FY_M_bound, "certificate"},        {FY_M_covered, "states"},  {FY_M_memory, "bytes"},
        {FY_M_per_episode, "cpu s/episode"}};
    enum { COLUMNS = sizeof column / sizeof *column };
    const char *heading[1 + COLUMNS] = {"algorithm"};
    for (int c = 0; c < COLUMNS; c++)
        heading[1 + c] = column[c].heading;
    foray_status status = FORAY_OK;
    *out = fy_table_begin(compare->ctx, 1 + COLUMNS, heading);
    for (int64_t a = 0; a < compare->what->algorithms; a++) {
        fy_table_cell(out, "%s", compare->what->algorithm[a]);
        for (int c = 0; c < COLUMNS && status == FORAY_OK; c++) {
            foray_summary summary = {0};
            status = summarise_last(compare, a, column[c].measure, &summary);
            fy_interval_cell(out, summary.iqm, summary.low, summary.high);
        }
    }
    return status;
}

static foray_status write_summary_text(const fy_compare *compare)
{
    fy_table table;
    fy_writer text = {.ctx = compare->ctx};
    foray_status status = fy_results_summary(compare, &table);
    fy_table_print_text(&table, &text);
    fy_table_free(&table);
    fy_print(&text,
             "\n%s, at the last checkpoint of each run: the interquartile mean over %" PRId64
             " seed%s\nand in brackets its 95%% bootstrap interval.\n",
             compare->world, compare->what->seeds, compare->what->seeds == 1 ? "" : "s");
    text.failed |= status != FORAY_OK;
    foray_status saved = fy_folder_save(&compare->folder, "summary.txt", &text);
    return status == FORAY_OK ? saved : status;
}

static foray_status write_learning(const fy_compare *compare)
{
    fy_table table;
    fy_writer text = {.ctx = compare->ctx};
    foray_status status = fy_results_learning(compare, &table);
    fy_table_print_csv(&table, &text);
    fy_table_free(&table);
    text.failed |= status != FORAY_OK;
    foray_status saved = fy_folder_save(&compare->folder, "learning.csv", &text);
    return status == FORAY_OK ? saved : status;
}

foray_status fy_results_write(const fy_compare *compare)
{
    foray_status status = write_rows(compare, FY_M_episode + 1, FY_M_COUNT, "results.csv");
    if (status == FORAY_OK)
        status = write_rows(compare, FY_M_COUNT, FY_M_ALL, "times.csv");
    if (status == FORAY_OK)
        status = write_summary_csv(compare);
    if (status == FORAY_OK)
        status = write_learning(compare);
    return status == FORAY_OK ? write_summary_text(compare) : status;
}
