/* learning.c - K(eps): after how many episodes each algorithm had learnt. */
#include "measure/learning.h"
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>

/* Accuracies, as shares of the horizon. */
static const double shares[] = {0.1, 0.03, 0.01, 0.003, 0.001};

/* The checkpoints of one algorithm that all of its seeds reached. */
typedef struct times {
    fy_gaps_table gaps;
    double *episode, *gap, *bound; /* [checkpoints], [seeds][checkpoints] */
} times;

static const fy_rows *rows_of(const fy_compare *compare, int64_t algorithm, int64_t seed)
{
    return &compare->rows[seed * compare->what->algorithms + algorithm];
}

/* Only the last row of a run may differ from those of the others, where time ended it. */
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

static void fill(const fy_compare *compare, int64_t algorithm, times *t)
{
    int64_t count = t->gaps.checkpoints;
    for (int64_t i = 0; i < compare->what->seeds; i++)
        for (int64_t k = 0; k < count; k++) {
            const double *row = fy_rows_at(rows_of(compare, algorithm, i), k);
            t->episode[k] = row[FY_M_episode];
            t->gap[i * count + k] = row[FY_M_worst];
            t->bound[i * count + k] = row[FY_M_bound];
        }
}

static void add_rows(const fy_compare *compare, int64_t algorithm, const times *t, fy_table *table)
{
    double delta = compare->what->settings.delta;
    fy_gaps_table gaps = t->gaps, bounds = t->gaps;
    gaps.gap = t->gap;
    bounds.gap = t->bound;
    for (size_t e = 0; e < sizeof shares / sizeof *shares; e++) {
        double eps = shares[e] * (double)compare->model->horizon;
        fy_table_cell(table, "%s", compare->what->algorithm[algorithm]);
        fy_table_shortest(table, eps);
        fy_table_shortest(table, fy_learning_time(&gaps, eps, delta, NULL));
        fy_table_shortest(table, fy_learning_time(&bounds, eps, delta, NULL));
    }
}

static foray_status add_algorithm(const fy_compare *compare, int64_t algorithm, fy_table *table)
{
    int64_t count = count_common(compare, algorithm), seeds = compare->what->seeds;
    times t = {.gaps = {.checkpoints = count, .runs = seeds}};
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(compare->ctx, t.episode, count) && FY_ALLOC(compare->ctx, t.gap, seeds * count) &&
        FY_ALLOC(compare->ctx, t.bound, seeds * count)) {
        t.gaps.episode = t.episode;
        fill(compare, algorithm, &t);
        add_rows(compare, algorithm, &t, table);
        status = FORAY_OK;
    }
    free(t.episode);
    free(t.gap);
    free(t.bound);
    return status;
}

foray_status fy_results_learning(const fy_compare *compare, fy_table *out)
{
    static const char *const heading[] = {"algorithm", "eps", "gap", "certificate"};
    foray_status status = FORAY_OK;
    *out = fy_table_begin(compare->ctx, 4, heading);
    for (int64_t a = 0; a < compare->what->algorithms && status == FORAY_OK; a++)
        status = add_algorithm(compare, a, out);
    return status;
}
