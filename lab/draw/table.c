/* table.c - one table as text, as CSV and as HTML. */
#include "base/csv.h"
#include "draw/table.h"
#include "base/base.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------- cells */

fy_table fy_table_begin(foray_context *ctx, int64_t columns, const char *const *heading)
{
    fy_table table = {.cells = {.ctx = ctx}, .columns = columns};
    for (int64_t i = 0; i < columns; i++)
        fy_table_cell(&table, "%s", heading[i]);
    return table;
}

void fy_table_free(fy_table *table)
{
    free(table->cells.data);
    *table = (fy_table){0};
}

void fy_table_cell(fy_table *table, const char *format, ...)
{
    char cell[1024];
    va_list values;
    va_start(values, format);
    fy_vformat(cell, sizeof cell, format, values);
    va_end(values);
    fy_write_bytes(&table->cells, cell, strlen(cell) + 1);
    table->count++;
}

void fy_table_exact(fy_table *table, double value)
{
    char text[FY_NUMBER_BYTES];
    fy_table_cell(table, "%s", fy_number_text(value, text));
}

void fy_table_integer(fy_table *table, int64_t value)
{
    fy_table_cell(table, "%" PRId64, value);
}

void fy_table_number(fy_table *table, double value)
{
    char text[FY_NUMBER_SIZE];
    fy_table_cell(table, "%s", fy_number(value, text));
}

/* ---------------------------------------------------------------------- printing */

/* Goes through the cells one after the other. */
typedef struct walk {
    const fy_table *table;
    const char *cell; /* the text of cell `index` */
    int64_t index;
} walk;

static walk first_cell(const fy_table *table)
{
    return (walk){table, table->cells.failed ? NULL : (const char *)table->cells.data, 0};
}

static bool at_cell(const walk *w)
{
    return w->cell && w->index < w->table->count;
}

static void next_cell(walk *w)
{
    w->cell += strlen(w->cell) + 1;
    w->index++;
}

static bool ends_row(const walk *w)
{
    return w->index % w->table->columns == w->table->columns - 1;
}

/* Columns on a screen: bytes that do not continue a UTF-8 character. */
static int shown_width(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static bool is_numeric(const char *cell)
{
    cell += strncmp(cell, "> ", 2) == 0 ? 2 : 0; /* more than the budget */
    return strspn(cell, "-0123456789") > 0 || strcmp(cell, "infinite") == 0 ||
           strcmp(cell, "inf") == 0 || strcmp(cell, "unknown") == 0 ||
           strcmp(cell, "not reached") == 0 || strcmp(cell, "") == 0;
}

/* How a column looks as text: as wide as its widest cell, flush right if all below
 * the heading is numbers. */
typedef struct shape {
    int width;
    bool words;
} shape;

void fy_table_print_text(const fy_table *table, fy_writer *text)
{
    shape *column = fy_alloc(text->ctx, (size_t)table->columns, sizeof *column);
    text->failed |= !column || table->cells.failed;
    for (walk w = first_cell(table); column && at_cell(&w); next_cell(&w)) {
        shape *its = &column[w.index % table->columns];
        int width = shown_width(w.cell);
        its->width = width > its->width ? width : its->width;
        its->words |= w.index >= table->columns && !is_numeric(w.cell);
    }
    for (walk w = first_cell(table); !text->failed && at_cell(&w); next_cell(&w)) {
        const shape *its = &column[w.index % table->columns];
        int padding = its->width - shown_width(w.cell);
        fy_print(text, "%s", w.index % table->columns ? "  " : "");
        if (its->words)
            fy_print(text, "%s%*s", w.cell, ends_row(&w) ? 0 : padding, "");
        else
            fy_print(text, "%*s%s", padding, "", w.cell);
        if (ends_row(&w))
            fy_print(text, "\n");
        /* A line of dashes below the headings. */
        for (int64_t i = 0; w.index == table->columns - 1 && i < table->columns; i++) {
            fy_print(text, "%s", i ? "  " : "");
            for (int j = 0; j < column[i].width; j++)
                fy_print(text, "-");
            fy_print(text, "%s", i + 1 < table->columns ? "" : "\n");
        }
    }
    free(column);
}

/* Cells that hold a separator or a quote are quoted, and their quotes doubled. What a spreadsheet
 * would do has an apostrophe before it, and what is hidden is shown: nobody reads these tables back
 * by name. */
void fy_table_print_csv(const fy_table *table, fy_writer *text)
{
    text->failed |= table->cells.failed;
    for (walk w = first_cell(table); at_cell(&w); next_cell(&w)) {
        const char *quote = strpbrk(w.cell, ",\"") ? "\"" : "";
        fy_print(text, "%s%s", quote, fy_is_formula(w.cell) ? "'" : "");
        for (const char *c = w.cell; *c;) {
            fy_print(text, "%s", *c == '"' ? "\"" : "");
            c += fy_print_shown_character(text, c);
        }
        fy_print(text, "%s%s", quote, ends_row(&w) ? "\n" : ",");
    }
}

/* Are there cells below this heading, and all of them numbers? */
static bool is_column_of_numbers(const fy_table *table, int64_t column)
{
    int64_t cells = 0;
    for (walk w = first_cell(table); at_cell(&w); next_cell(&w)) {
        if (w.index < table->columns || w.index % table->columns != column)
            continue;
        if (!is_numeric(w.cell))
            return false;
        cells++;
    }
    return cells > 0;
}

/* The text, with something in the place of every `sign`. */
static void print_with(const char *cell, const char *sign, const char *instead, fy_writer *text)
{
    while (*cell) {
        char word[1024];
        size_t length = strcspn(cell, sign);
        fy_format(word, sizeof word, "%.*s", (int)length, cell);
        fy_print_escaped(text, word);
        fy_print(text, "%s", cell[length] ? instead : "");
        cell += length + (cell[length] != '\0');
    }
}

/* "0.3 [0.2, 0.4]": the interval stays together on a line. */
static void print_html_cell(const char *cell, bool numeric, bool rounded, fy_writer *text)
{
    double value;
    const char *interval = numeric ? strstr(cell, " [") : NULL;
    if (rounded && fy_number_read(cell, strlen(cell), &value)) {
        char shown[FY_NUMBER_SIZE];
        fy_print(text, " title=\"%s\">%s", cell,
                 value == INFINITY ? "not reached" : fy_number(value, shown));
    } else if (interval) {
        char before[1024];
        fy_format(before, sizeof before, "%.*s", (int)(interval - cell), cell);
        fy_print(text, ">");
        fy_print_escaped(text, before);
        fy_print(text, " <span>");
        fy_print_escaped(text, interval + 1);
        fy_print(text, "</span>");
    } else { /* on paper, lines may end after the commas of chain:states=3,zones=1 */
        fy_print(text, ">");
        print_with(cell, numeric || strchr(cell, ' ') ? "" : ",", ",<wbr/>", text);
    }
}

/* The headings and at most `rows` rows; `rounded`: numbers with a few digits, and all of them in
 * the title. */
static void print_html(const fy_table *table, int64_t rows, bool rounded, fy_writer *text)
{
    text->failed |= table->cells.failed;
    fy_print(text, "<table>\n");
    for (walk w = first_cell(table); at_cell(&w) && w.index / table->columns <= rows;
         next_cell(&w)) {
        bool head = w.index < table->columns;
        bool numeric = head ? is_column_of_numbers(table, w.index) : is_numeric(w.cell);
        fy_print(text, "%s<t%c%s", w.index % table->columns ? "" : "<tr>", head ? 'h' : 'd',
                 numeric ? " class=\"number\"" : "");
        if (head) { /* kept_low in files, "kept low" where people read */
            fy_print(text, ">");
            print_with(w.cell, "_", " ", text);
        } else {
            print_html_cell(w.cell, numeric, rounded, text);
        }
        fy_print(text, "%s%s", head ? "</th>" : "</td>", ends_row(&w) ? "</tr>\n" : "");
    }
    fy_print(text, "</table>\n");
}

void fy_table_print_html(const fy_table *table, fy_writer *text)
{
    print_html(table, fy_table_rows(table), false, text);
}

void fy_table_print_html_top(const fy_table *table, int64_t rows, fy_writer *text)
{
    print_html(table, rows, false, text);
}

void fy_table_print_html_rounded(const fy_table *table, fy_writer *text)
{
    print_html(table, fy_table_rows(table), true, text);
}
