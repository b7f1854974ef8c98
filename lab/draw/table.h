/* table.h - one table, printed as aligned text, as CSV or as HTML.
 *
 * Cells are added from left to right and from top to bottom. As with any fy_writer, a
 * failed allocation is remembered and looked at once, at the end. */
#ifndef FY_TABLE_H
#define FY_TABLE_H

#include "draw/text.h"
#include "base/base.h"

typedef struct fy_table {
    fy_writer cells; /* their texts, each with a final 0; the headings are the first */
    int64_t columns, count;
} fy_table;

/* An empty table with these headings. Release it with fy_table_free. */
fy_table fy_table_begin(foray_context *ctx, int64_t columns, const char *const *heading);
void fy_table_free(fy_table *table);

/* As printf: one more cell. */
void fy_table_cell(fy_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number to be read back exactly, in as few digits as that takes (fy_number_text). */
void fy_table_exact(fy_table *table, double value);
void fy_table_integer(fy_table *table, int64_t value);
/* A number for people. */
void fy_table_number(fy_table *table, double value);

/* Columns as wide as their widest cell; numbers to the right, words to the left. */
void fy_table_print_text(const fy_table *table, fy_writer *text);
/* RFC 4180, with lines that end in \n. */
void fy_table_print_csv(const fy_table *table, fy_writer *text);
void fy_table_print_html(const fy_table *table, fy_writer *text);
/* The headings and at most `rows` rows. */
void fy_table_print_html_top(const fy_table *table, int64_t rows, fy_writer *text);
/* Numbers with a few digits, for people; all of them are in the attribute title. */
void fy_table_print_html_rounded(const fy_table *table, fy_writer *text);

static inline int64_t fy_table_rows(const fy_table *table)
{
    return table->count / table->columns - 1;
}

#endif
