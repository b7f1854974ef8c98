/* content.h - what a page shows, as data: headings, paragraphs, tables and pictures in the
 * order in which they are to be read. Whoever has something to show adds it here; content.c
 * alone makes HTML of it.
 *
 * Texts are plain text, given as printf has it, and copied. As with any fy_writer a failed
 * allocation is remembered: what follows does nothing, and `failed` is looked at once, at the
 * end. */
#ifndef FY_CONTENT_H
#define FY_CONTENT_H

#include "draw/forest.h"
#include "draw/spans.h"
#include "draw/svg.h"
#include "draw/table.h"
#include "page/figure.h"

typedef enum fy_content_kind {
    FY_CONTENT_HEADING,
    FY_CONTENT_PARAGRAPH,
    FY_CONTENT_TERM, /* terms that follow each other make one list */
    FY_CONTENT_TABLE,
    FY_CONTENT_CHART, /* pictures that follow each other stand side by side */
    FY_CONTENT_SPANS,
    FY_CONTENT_FOREST,
} fy_content_kind;

typedef enum fy_table_use {
    FY_TABLE_READ,   /* on the page, its numbers rounded; also a file NAME.csv */
    FY_TABLE_OPENED, /* too long for that: on the page to be opened; also a file NAME.csv */
    FY_TABLE_SHOWN,  /* on the page, as it is; not a file */
    FY_TABLE_BEHIND, /* the numbers behind the pictures above it: to be opened, not a file */
} fy_table_use;

typedef struct fy_content_item {
    fy_content_kind kind;
    const char *text; /* the heading, the paragraph; the name of a term or of a table */
    const char *note; /* what a term means; what is said about a table; NULL: nothing */
    fy_table_use use;
    fy_table table;
    fy_chart chart;
    fy_spans spans;
    fy_forest forest;
    double line[2]; /* where the lines to compare with stand */
} fy_content_item;

/* A table that is a file as well? */
static inline bool fy_content_is_file(const fy_content_item *item)
{
    return item->kind == FY_CONTENT_TABLE &&
           (item->use == FY_TABLE_READ || item->use == FY_TABLE_OPENED);
}

typedef struct fy_content {
    foray_context *ctx;
    bool failed;
    int64_t count, room;
    fy_content_item **item; /* [count] */
    int64_t texts, text_room;
    char **text; /* [texts] what items point to */
} fy_content;

void fy_content_free(fy_content *content);

void fy_content_heading(fy_content *content, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void fy_content_paragraph(fy_content *content, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void fy_content_term(fy_content *content, const char *name, const char *meaning);

/* Takes the table over. Its name is that of the CSV file; the note may be NULL. Write numbers
 * with fy_table_exact. */
void fy_content_table(fy_content *content, fy_table_use use, const char *name, const char *note,
                      fy_table *table);

/* A line chart without series; then each series, followed by its points. */
void fy_content_chart(fy_content *content, const fy_chart *chart);
void fy_content_series(fy_content *content, const char *name);
void fy_content_point(fy_content *content, fy_series_point point);

/* Bars or intervals without rows; then each of these. */
void fy_content_spans(fy_content *content, const fy_spans *spans);
void fy_content_span(fy_content *content, const fy_span *span);

/* A forest plot without rows; then each of these, with an effect for every group. The names of
 * the groups are not copied. */
void fy_content_forest(fy_content *content, const fy_forest *forest);
void fy_content_effects(fy_content *content, const char *row, const fy_effect *effect);

/* Offers every picture. */
void fy_content_figures(const fy_content *content, fy_figure *figure);
/* The sections of a page, as HTML. */
void fy_content_print(const fy_content *content, fy_writer *text);

#endif
