/* visits.c - what was explored: visits on the map, or as bars. */
#include "draw/map.h"
#include "report/report.h"
#include "base/maths.h"
#include "draw/spans.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

int64_t fy_report_busiest(const fy_report *report)
{
    int64_t best = 0;
    for (int64_t s = 1; s < report->model->states; s++)
        if (report->visits[s] > report->visits[best])
            best = s;
    return best;
}

/* ---------------------------------------------------------------------------- table */

typedef struct ranked {
    int64_t state, visits;
} ranked;

static int most_visits_first(const void *a, const void *b)
{
    const ranked *one = a, *other = b;
    if (one->visits != other->visits)
        return one->visits < other->visits ? 1 : -1;
    return one->state < other->state ? -1 : 1;
}

/* In the order of states; if there are too many, those visited most. */
static foray_status print_visits(fy_report *report)
{
    static const char *const heading[] = {"state", "name", "row", "column", "visits"};
    char note[128];
    ranked *order;
    int64_t states = report->model->states, row, col;
    int64_t listed = states < FY_REPORT_CSV_ROWS ? states : FY_REPORT_CSV_ROWS;
    if (!FY_ALLOC(report->ctx, order, states))
        return FORAY_ERROR_MEMORY;
    for (int64_t s = 0; s < states; s++)
        order[s] = (ranked){s, report->visits[s]};
    if (listed < states)
        qsort(order, (size_t)states, sizeof *order, most_visits_first);
    fy_table table = fy_table_begin(report->ctx, 5, heading);
    for (int64_t i = 0; i < listed; i++) {
        const char *name = foray_model_state_name(report->model, order[i].state);
        bool placed = foray_model_cell(report->model, order[i].state, &row, &col);
        fy_table_integer(&table, order[i].state);
        fy_table_cell(&table, "%s", name ? name : "");
        fy_table_exact(&table, placed ? (double)row : NAN); /* NaN: an empty cell */
        fy_table_exact(&table, placed ? (double)col : NAN);
        fy_table_integer(&table, order[i].visits);
    }
    free(order);
    fy_format(note, sizeof note, "The %" PRId64 " states visited most, of %" PRId64 ".", listed,
              states);
    fy_page_data(report->text, &table, "visits", listed < states ? note : NULL);
    fy_table_free(&table);
    return FORAY_OK;
}

/* ------------------------------------------------------------------------------ map */

/* Cells of the model's map, `block` by `block` of them in one cell of the picture. */
typedef struct field {
    int64_t block, rows, cols;
    fy_map_cell *cell; /* [rows][cols] */
    int64_t *visits;   /* the same */
} field;

/* "1234567" as "1.2M": at most four letters. */
static void shorten(int64_t count, char out[8])
{
    static const char unit[] = " kMGTPE";
    double value = (double)count;
    int i = 0;
    while (value >= 999.5) {
        value /= 1000.0;
        i++;
    }
    fy_format(out, 8, value < 9.95 && i ? "%.1f%c" : "%.0f%c", value, i ? unit[i] : 0);
}

/* Adds up visits in the cells of the picture; where a cell is one state, it has its name. */
static void gather_visits(const fy_report *report, field *f)
{
    int64_t row, col;
    for (int64_t s = 0; s < report->model->states; s++) {
        if (!foray_model_cell(report->model, s, &row, &col))
            continue;
        int64_t at = row / f->block * f->cols + col / f->block;
        f->cell[at].there = true;
        f->visits[at] += report->visits[s];
        f->cell[at].start |= fy_report_starts(report, s);
        if (f->block == 1)
            fy_label(foray_model_state_name(report->model, s), s, f->cell[at].about);
    }
}

/* The shade grows with the logarithm: log(1 + visits) / log(1 + most visits). */
static void shade_field(field *f)
{
    int64_t max = 1;
    for (int64_t i = 0; i < f->rows * f->cols; i++)
        max = f->visits[i] > max ? f->visits[i] : max;
    for (int64_t i = 0; i < f->rows * f->cols; i++) {
        fy_map_cell *cell = &f->cell[i];
        char name[FY_LABEL_SIZE] = "";
        fy_format(name, sizeof name, "%.40s", cell->about);
        cell->level = fy_log1p((double)f->visits[i]) / fy_log1p((double)max);
        cell->arrow = FY_ARROW_NONE;
        if (f->visits[i] > 0)
            shorten(f->visits[i], cell->symbol);
        fy_format(cell->about, sizeof cell->about,
                  "%s%srow %" PRId64 ", column %" PRId64 ": %" PRId64 " visits", name,
                  *name ? ", " : "", i / f->cols * f->block, i % f->cols * f->block, f->visits[i]);
    }
}

static foray_status draw_visits_map(fy_report *report, int64_t rows, int64_t cols)
{
    int64_t longer = rows > cols ? rows : cols;
    field f = {.block = (longer + FY_REPORT_BLOCKS - 1) / FY_REPORT_BLOCKS};
    f.rows = (rows + f.block - 1) / f.block;
    f.cols = (cols + f.block - 1) / f.block;
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(report->ctx, f.cell, f.rows * f.cols) &&
        FY_ALLOC(report->ctx, f.visits, f.rows * f.cols)) {
        gather_visits(report, &f);
        shade_field(&f);
        fy_map map = {"visitmap", "Visits on the map", f.rows, f.cols, f.cell, NULL, NULL, NULL};
        fy_print(report->text, "<figure>\n");
        fy_report_draw_map(report, &map);
        fy_print(report->text,
                 "<figcaption>Visits of each place; the deeper the colour, the more "
                 "(logarithmic)%s.",
                 report->model->initials <= 4 ? "; the ring is where episodes start" : "");
        if (f.block > 1)
            fy_print(report->text,
                     " The map has %" PRId64 " × %" PRId64 " places: each square here combines "
                     "%" PRId64 " × %" PRId64 " of them.",
                     rows, cols, f.block, f.block);
        fy_report_axes(report, rows, cols);
        fy_print(report->text, "</figcaption></figure>\n");
        status = FORAY_OK;
    }
    free(f.cell);
    free(f.visits);
    return status;
}

/* ----------------------------------------------------------------------------- bars */

/* One bar per state. */
static int64_t count_each(const fy_report *report, fy_span row[FY_REPORT_ROWS])
{
    for (int64_t s = 0; s < report->model->states; s++) {
        row[s].high = (double)report->visits[s];
        fy_label(foray_model_state_name(report->model, s), s, row[s].label);
    }
    return report->model->states;
}

/* Of many states: how many were never visited, how many 1 to 9 times, 10 to 99 times, ... */
static int64_t count_decades(const fy_report *report, fy_span row[FY_REPORT_ROWS])
{
    int64_t rows = 1;
    for (int64_t s = 0; s < report->model->states; s++) {
        int64_t decade = 0;
        for (int64_t left = report->visits[s]; left > 0; left /= 10)
            decade++;
        row[decade].high++;
        rows = decade + 1 > rows ? decade + 1 : rows;
    }
    double from = 1;
    fy_format(row[0].label, sizeof row[0].label, "never");
    for (int64_t i = 1; i < rows; i++) {
        char low[FY_NUMBER_SIZE], high[FY_NUMBER_SIZE];
        fy_format(row[i].label, sizeof row[i].label, "%.20s to %.20s", fy_number(from, low),
                  fy_number(10 * from - 1, high));
        from *= 10;
    }
    return rows;
}

static void draw_visits_bars(fy_report *report)
{
    fy_span row[FY_REPORT_ROWS] = {0};
    bool each = report->model->states <= FY_REPORT_ROWS;
    int64_t count = each ? count_each(report, row) : count_decades(report, row);
    fy_print(report->text, "<figure>\n");
    fy_report_draw_spans(
        report, &(fy_spans){.id = "visitbars",
                            .title = each ? "Visits of the states" : "States by their visits",
                            .label = each ? "visits" : "states visited so often",
                            .bars = true,
                            .count = count,
                            .row = row});
    fy_print(report->text, "<figcaption>%s</figcaption></figure>\n",
             each ? "Visits of each state."
                  : "How many states were visited how often; the table has each of them.");
}

foray_status fy_report_visits(fy_report *report)
{
    int64_t rows, cols, visited = 0, states = report->model->states;
    foray_status status = FORAY_OK;
    char some[FY_NUMBER_SIZE], all[FY_NUMBER_SIZE];
    for (int64_t s = 0; s < states; s++)
        visited += report->visits[s] > 0;
    fy_print(report->text,
             "<h2>What was explored</h2>\n<p>How often an action was taken in each state: "
             "%s of %s states at least once.</p>\n",
             fy_number((double)visited, some), fy_number((double)states, all));
    if (fy_report_map(report, &rows, &cols))
        status = draw_visits_map(report, rows, cols);
    else
        draw_visits_bars(report);
    return status == FORAY_OK ? print_visits(report) : status;
}
