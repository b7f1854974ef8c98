/* content.c - what a page shows: gathered as data, printed as HTML. */
#include "page/content.h"
#include "page/page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------- gathering */

static fy_content_item *add_item(fy_content *content, fy_content_kind kind)
{
    if (content->failed)
        return NULL;
    fy_content_item **items =
        fy_grow(content->ctx, content->item, &content->room, content->count + 1, sizeof *items);
    fy_content_item *item = NULL;
    content->item = items ? items : content->item;
    content->failed = !items || !FY_ALLOC(content->ctx, item, 1);
    if (content->failed)
        return NULL;
    item->kind = kind;
    content->item[content->count++] = item;
    return item;
}

/* The item that is being filled, if it is of this kind and nothing failed before. */
static fy_content_item *last_item(const fy_content *content, fy_content_kind kind)
{
    fy_content_item *last = content->count ? content->item[content->count - 1] : NULL;
    return !content->failed && last && last->kind == kind ? last : NULL;
}

/* A copy that lives as long as the content. */
static const char *keep_text(fy_content *content, const char *text)
{
    if (!text || content->failed)
        return NULL;
    char **texts = fy_grow(content->ctx, content->text, &content->text_room, content->texts + 1,
                           sizeof *texts);
    content->text = texts ? texts : content->text;
    char *copy = texts ? fy_text(content->ctx, text) : NULL;
    content->failed = !copy;
    if (copy)
        content->text[content->texts++] = copy;
    return copy;
}

static void add_printed(fy_content *content, fy_content_kind kind, const char *format,
                        va_list values)
{
    char text[2048];
    fy_vformat(text, sizeof text, format, values);
    fy_content_item *item = add_item(content, kind);
    if (item)
        item->text = keep_text(content, text);
}

void fy_content_heading(fy_content *content, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    add_printed(content, FY_CONTENT_HEADING, format, values);
    va_end(values);
}

void fy_content_paragraph(fy_content *content, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    add_printed(content, FY_CONTENT_PARAGRAPH, format, values);
    va_end(values);
}

void fy_content_term(fy_content *content, const char *name, const char *meaning)
{
    fy_content_item *item = add_item(content, FY_CONTENT_TERM);
    if (!item)
        return;
    item->text = keep_text(content, name);
    item->note = keep_text(content, meaning);
}

void fy_content_table(fy_content *content, fy_table_use use, const char *name, const char *note,
                      fy_table *table)
{
    fy_content_item *item = add_item(content, FY_CONTENT_TABLE);
    if (!item) {
        fy_table_free(table);
        return;
    }
    item->use = use;
    item->table = *table;
    *table = (fy_table){0};
    item->text = keep_text(content, name);
    item->note = keep_text(content, note);
}

/* -------------------------------------------------------------------------- pictures */

void fy_content_chart(fy_content *content, const fy_chart *chart)
{
    fy_content_item *item = add_item(content, FY_CONTENT_CHART);
    if (!item)
        return;
    item->chart = *chart;
    item->chart.id = keep_text(content, chart->id);
    item->chart.title = keep_text(content, chart->title);
    item->chart.note = keep_text(content, chart->note);
    item->chart.x.label = keep_text(content, chart->x.label);
    item->chart.y.label = keep_text(content, chart->y.label);
    if (chart->across) {
        item->line[0] = *chart->across;
        item->chart.across = &item->line[0];
    }
    if (chart->up) {
        item->line[1] = *chart->up;
        item->chart.up = &item->line[1];
    }
    item->chart.count = item->chart.room = 0;
    item->chart.series = NULL;
}

void fy_content_series(fy_content *content, const char *name)
{
    fy_content_item *item = last_item(content, FY_CONTENT_CHART);
    if (!item)
        return;
    fy_chart *chart = &item->chart;
    fy_series *series =
        fy_grow(content->ctx, chart->series, &chart->room, chart->count + 1, sizeof *series);
    content->failed = !series;
    if (!series)
        return;
    chart->series = series;
    series[chart->count++] = (fy_series){.name = keep_text(content, name)};
}

void fy_content_point(fy_content *content, fy_series_point point)
{
    fy_content_item *item = last_item(content, FY_CONTENT_CHART);
    if (item && item->chart.count > 0)
        content->failed =
            !fy_series_add(content->ctx, &item->chart.series[item->chart.count - 1], point);
}

void fy_content_spans(fy_content *content, const fy_spans *spans)
{
    fy_content_item *item = add_item(content, FY_CONTENT_SPANS);
    if (!item)
        return;
    item->spans = *spans;
    item->spans.id = keep_text(content, spans->id);
    item->spans.title = keep_text(content, spans->title);
    item->spans.note = keep_text(content, spans->note);
    item->spans.label = keep_text(content, spans->label);
    if (spans->line) {
        item->line[0] = *spans->line;
        item->spans.line = &item->line[0];
    }
    item->spans.count = item->spans.room = 0;
    item->spans.row = NULL;
}

void fy_content_span(fy_content *content, const fy_span *span)
{
    fy_content_item *item = last_item(content, FY_CONTENT_SPANS);
    if (!item)
        return;
    fy_spans *spans = &item->spans;
    fy_span *row = fy_grow(content->ctx, spans->row, &spans->room, spans->count + 1, sizeof *row);
    content->failed = !row;
    if (!row)
        return;
    spans->row = row;
    row[spans->count++] = *span;
}

void fy_content_forest(fy_content *content, const fy_forest *forest)
{
    fy_content_item *item = add_item(content, FY_CONTENT_FOREST);
    if (!item)
        return;
    item->forest = *forest;
    item->forest.id = keep_text(content, forest->id);
    item->forest.title = keep_text(content, forest->title);
    item->forest.note = keep_text(content, forest->note);
    item->forest.x.label = keep_text(content, forest->x.label);
    item->forest.rows = item->forest.row_room = item->forest.effect_room = 0;
    item->forest.row = NULL;
    item->forest.effect = NULL;
}

void fy_content_effects(fy_content *content, const char *row, const fy_effect *effect)
{
    fy_content_item *item = last_item(content, FY_CONTENT_FOREST);
    if (!item)
        return;
    fy_forest *forest = &item->forest;
    int64_t before = forest->rows * forest->groups;
    const char **rows =
        fy_grow(content->ctx, forest->row, &forest->row_room, forest->rows + 1, sizeof *rows);
    forest->row = rows ? rows : forest->row;
    fy_effect *effects = fy_grow(content->ctx, forest->effect, &forest->effect_room,
                                 before + forest->groups, sizeof *effects);
    forest->effect = effects ? effects : forest->effect;
    content->failed = !rows || !effects;
    if (content->failed)
        return;
    memcpy(effects + before, effect, (size_t)forest->groups * sizeof *effect);
    rows[forest->rows++] = keep_text(content, row);
}

void fy_content_free(fy_content *content)
{
    for (int64_t i = 0; i < content->count; i++) {
        fy_content_item *item = content->item[i];
        fy_table_free(&item->table);
        for (int64_t s = 0; s < item->chart.count; s++)
            free(item->chart.series[s].point);
        free(item->chart.series);
        free(item->spans.row);
        free(item->forest.row);
        free(item->forest.effect);
        free(item);
    }
    for (int64_t i = 0; i < content->texts; i++)
        free(content->text[i]);
    free(content->item);
    free(content->text);
    *content = (fy_content){.ctx = content->ctx};
}

/* --------------------------------------------------------------------------- printing */

enum { WIDTH_BESIDE = 560 }; /* pixels of a chart that stands beside another */

static bool is_picture(const fy_content_item *item)
{
    return item->kind == FY_CONTENT_CHART || item->kind == FY_CONTENT_SPANS ||
           item->kind == FY_CONTENT_FOREST;
}

/* Is this one item with the one before: terms of one list, pictures side by side? */
static bool goes_with(const fy_content_item *before, const fy_content_item *item)
{
    return (before->kind == FY_CONTENT_TERM && item->kind == FY_CONTENT_TERM) ||
           (is_picture(before) && is_picture(item));
}

/* The title of a picture and what is said about it, as text of the page: it wraps on small screens,
 * which a picture cannot. */
static void print_caption(const char *title, const char *note, fy_writer *text)
{
    if (!title && !note)
        return;
    fy_print(text, "<figcaption>");
    if (title) {
        fy_print(text, "<strong>");
        fy_print_escaped(text, title);
        fy_print(text, "</strong>%s", note ? " · " : "");
    }
    if (note)
        fy_print_escaped(text, note);
    fy_print(text, "</figcaption>");
}

static void print_chart(const fy_content_item *item, bool alone, bool legend, fy_writer *text)
{
    fy_chart chart = item->chart;
    chart.width = alone ? chart.width : WIDTH_BESIDE;
    chart.bare = true;
    print_caption(chart.title, chart.note, text);
    fy_print(text, "\n");
    if (legend)
        fy_legend_html(text, &chart);
    fy_svg_chart(text, &chart);
    fy_legend_hidden(text, &chart);
}

/* `legend`: not that of all pictures beside it. */
static void print_picture(const fy_content_item *item, bool alone, bool legend, fy_writer *text)
{
    fy_print(text, item->kind == FY_CONTENT_FOREST ? "<figure class=\"forest\">" : "<figure>");
    if (item->kind == FY_CONTENT_CHART) {
        print_chart(item, alone, legend, text);
    } else if (item->kind == FY_CONTENT_SPANS) {
        print_caption(NULL, item->spans.note, text);
        fy_print(text, "\n");
        fy_svg_spans(text, &item->spans);
    } else {
        fy_print(text, "\n");
        fy_svg_forest(text, &item->forest);
    }
    fy_print(text, "</figure>\n");
}

static void print_shown(const fy_content_item *item, fy_writer *text)
{
    fy_print(text, "<div class=\"wide\" id=\"%s-table\" tabindex=\"0\">\n", item->text);
    fy_table_print_html(&item->table, text);
    fy_print(text, "</div>\n");
}

static void print_item(const fy_content_item *item, bool alone, bool legend, fy_writer *text)
{
    switch (item->kind) {
    case FY_CONTENT_HEADING:
    case FY_CONTENT_PARAGRAPH:
        fy_print(text, item->kind == FY_CONTENT_HEADING ? "<h2>" : "<p>");
        fy_print_escaped(text, item->text);
        fy_print(text, item->kind == FY_CONTENT_HEADING ? "</h2>\n" : "</p>\n");
        break;
    case FY_CONTENT_TERM:
        fy_page_fact(text, item->text, item->note);
        break;
    case FY_CONTENT_TABLE:
        if (item->use == FY_TABLE_READ)
            fy_page_table(text, &item->table, item->text);
        else if (item->use == FY_TABLE_SHOWN)
            print_shown(item, text);
        else
            fy_page_data(text, &item->table, item->text, item->note);
        break;
    case FY_CONTENT_CHART:
    case FY_CONTENT_SPANS:
    case FY_CONTENT_FOREST:
        print_picture(item, alone, legend, text);
        break;
    }
}

/* If these pictures, at least two, have one legend: the chart with most lines. */
static const fy_chart *share_legend(const fy_content *content, int64_t first, int64_t end)
{
    const fy_chart *fullest = &content->item[first]->chart;
    for (int64_t i = first; i < end; i++) {
        const fy_chart *chart = &content->item[i]->chart;
        if (content->item[i]->kind != FY_CONTENT_CHART || !fy_legend_same(fullest, chart))
            return NULL;
        fullest = chart->count > fullest->count ? chart : fullest;
    }
    return end > first + 1 ? fullest : NULL;
}

void fy_content_print(const fy_content *content, fy_writer *text)
{
    text->failed |= content->failed;
    for (int64_t first = 0, end; first < content->count && !text->failed; first = end) {
        end = first + 1;
        while (end < content->count && goes_with(content->item[end - 1], content->item[end]))
            end++;
        bool terms = content->item[first]->kind == FY_CONTENT_TERM, alone = end == first + 1;
        const fy_chart *shared = share_legend(content, first, end);
        if (shared)
            fy_legend_html(text, shared);
        if (terms || !alone)
            fy_print(text, terms ? "<dl>\n" : "<div class=\"pair\">\n");
        for (int64_t i = first; i < end; i++)
            print_item(content->item[i], alone, !shared, text);
        if (terms || !alone)
            fy_print(text, terms ? "</dl>\n" : "</div>\n");
    }
}

void fy_content_figures(const fy_content *content, fy_figure *figure)
{
    for (int64_t i = 0; i < content->count; i++) {
        const fy_content_item *item = content->item[i];
        if (item->kind == FY_CONTENT_CHART)
            fy_figure_chart(figure, &item->chart);
        else if (item->kind == FY_CONTENT_SPANS)
            fy_figure_spans(figure, &item->spans);
        else if (item->kind == FY_CONTENT_FOREST)
            fy_figure_forest(figure, &item->forest);
    }
}
