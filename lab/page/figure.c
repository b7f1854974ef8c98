/* figure.c - pictures for papers. */
#include "page/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parameter.h"
#include "base/base.h"

/* Pictures are laid out in pixels, with letters of 12 pixels = 9 points. */
static const double pixels_per_mm = 96 / 25.4, usual_points = 9;
enum { USUAL_WIDTH = 760, USUAL_HEIGHT = 440 };

/* ----------------------------------------------------------------- size and style */

/* What the styles of maps on pages say by name; programs that make PDF of SVG know no names. */
static const struct {
    const char *name, *colour;
} colours[] = {
    {"var(--ink)", "#1b1f24"},  {"var(--heat)", "#0072b2"}, {"var(--faint)", "#d5d9de"},
    {"var(--wall)", "#aab1ba"}, {"var(--mark)", "#d55e00"},
};

static void print_style(fy_writer *text, const char *style)
{
    while (*style) {
        size_t i = 0, count = sizeof colours / sizeof *colours;
        while (i < count && strncmp(style, colours[i].name, strlen(colours[i].name)) != 0)
            i++;
        if (i < count)
            fy_print(text, "%s", colours[i].colour);
        else
            fy_write_bytes(text, style, 1);
        style += i < count ? strlen(colours[i].name) : 1;
    }
}

/* A length in pixels, as our own pictures write it: digits and a point. */
static double read_pixels(const char *text)
{
    double pixels = 0;
    fy_number_read(text, strspn(text, "0123456789."), &pixels);
    return pixels;
}

/* The picture, whose element begins with its size in pixels, in millimetres and another font. */
static void resize(fy_figure *figure, const char *svg, bool map)
{
    fy_writer *out = &figure->svg;
    const char *size = strstr(svg, " width=\""), *box = strstr(svg, " viewBox=\"");
    const char *body = strchr(svg, '>') + 1;
    double wide = read_pixels(size + 8), high = read_pixels(strstr(size, "height=\"") + 8);
    double width = figure->wanted->width > 0 ? figure->wanted->width : wide / pixels_per_mm;
    fy_print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    fy_write_bytes(out, svg, (size_t)(size - svg));
    fy_print(out, " width=\"%.2fmm\" height=\"%.2fmm\"", width, width * high / wide);
    fy_write_bytes(out, box, (size_t)(body - box));
    fy_print(out, "<style>");
    if (map)
        print_style(out, fy_map_style);
    fy_print(out, "</style>");
    const char *end = strstr(body, "</svg>");
    fy_write_bytes(out, body, (size_t)(end - body));
    /* Last, so that it wins. */
    if (figure->wanted->font)
        fy_print(out, "<style>.chart,.map{font-family:%s}</style>\n", figure->wanted->font);
    fy_print(out, "%s", end);
}

/* Is this the picture? Then it is drawn into `svg`, and its numbers go into `table`. */
static bool is_wanted(fy_figure *figure, const char *id)
{
    if (!figure || !figure->wanted->name)
        return false;
    fy_print(&figure->names, "%s%s", figure->names.size > 0 ? ", " : "", id);
    return !figure->found && strcmp(id, figure->wanted->name) == 0;
}

static void keep(fy_figure *figure, fy_writer *drawn, bool map, fy_table *table)
{
    fy_write_bytes(drawn, "", 1);
    figure->found = true;
    figure->svg.failed |= drawn->failed;
    if (!drawn->failed)
        resize(figure, (const char *)drawn->data, map);
    free(drawn->data);
    fy_table_print_csv(table, &figure->csv);
    fy_table_free(table);
}

/* ------------------------------------------------------------------------- pictures */

void fy_figure_chart(fy_figure *figure, const fy_chart *chart)
{
    static const char *const heading[] = {"line", "x", "y", "low", "high"};
    if (!is_wanted(figure, chart->id))
        return;
    const foray_figure *wanted = figure->wanted;
    /* Letters of so many points: the picture is laid out for that much fewer or more pixels. */
    double zoom = (wanted->points > 0 ? wanted->points : usual_points) / usual_points;
    fy_chart its = *chart;
    fy_writer drawn = {.ctx = figure->ctx};
    its.bare = false;
    its.untitled = wanted->untitled;
    its.width =
        (int)rint(wanted->width > 0 ? wanted->width * pixels_per_mm / zoom : USUAL_WIDTH / zoom);
    its.height = (int)rint(wanted->height > 0 ? wanted->height * pixels_per_mm / zoom
                                              : its.width * (double)USUAL_HEIGHT / USUAL_WIDTH);
    fy_svg_chart(&drawn, &its);
    fy_table table = fy_table_begin(figure->ctx, 5, heading);
    for (int64_t i = 0; i < chart->count; i++)
        for (int64_t j = 0; j < chart->series[i].count; j++) {
            const fy_series_point *p = &chart->series[i].point[j];
            fy_table_cell(&table, "%s", chart->series[i].name);
            fy_table_exact(&table, p->x);
            fy_table_exact(&table, p->y);
            fy_table_exact(&table, p->low);
            fy_table_exact(&table, p->high);
        }
    keep(figure, &drawn, false, &table);
}

void fy_figure_spans(fy_figure *figure, const fy_spans *spans)
{
    static const char *const bars[] = {"row", "value"};
    static const char *const heading[] = {"row", "low", "high", "point", "truth"};
    if (!is_wanted(figure, spans->id))
        return;
    fy_writer drawn = {.ctx = figure->ctx};
    fy_svg_spans(&drawn, spans);
    fy_table table = fy_table_begin(figure->ctx, spans->bars ? 2 : 5, spans->bars ? bars : heading);
    for (int64_t i = 0; i < spans->count; i++) {
        const fy_span *row = &spans->row[i];
        fy_table_cell(&table, "%s", row->label);
        if (!spans->bars)
            fy_table_exact(&table, row->low);
        fy_table_exact(&table, row->high);
        if (!spans->bars)
            fy_table_exact(&table, row->point);
        if (!spans->bars)
            fy_table_exact(&table, row->truth);
    }
    keep(figure, &drawn, false, &table);
}

void fy_figure_forest(fy_figure *figure, const fy_forest *forest)
{
    static const char *const heading[] = {"row", "group", "point", "low", "high"};
    if (!is_wanted(figure, forest->id))
        return;
    fy_writer drawn = {.ctx = figure->ctx};
    fy_svg_forest(&drawn, forest);
    fy_table table = fy_table_begin(figure->ctx, 5, heading);
    for (int64_t i = 0; i < forest->rows * forest->groups; i++) {
        const fy_effect *effect = &forest->effect[i];
        fy_table_cell(&table, "%s", forest->row[i / forest->groups]);
        fy_table_cell(&table, "%s", forest->group[i % forest->groups]);
        fy_table_exact(&table, effect->point);
        fy_table_exact(&table, effect->low);
        fy_table_exact(&table, effect->high);
    }
    keep(figure, &drawn, false, &table);
}

void fy_figure_map(fy_figure *figure, const fy_map *map)
{
    static const char *const heading[] = {"row", "column", "level", "about"};
    if (!is_wanted(figure, map->id))
        return;
    fy_writer drawn = {.ctx = figure->ctx};
    fy_svg_map(&drawn, map);
    fy_table table = fy_table_begin(figure->ctx, 4, heading);
    for (int64_t i = 0; i < map->rows * map->cols; i++) {
        if (!map->cell[i].there)
            continue;
        fy_table_integer(&table, i / map->cols);
        fy_table_integer(&table, i % map->cols);
        fy_table_exact(&table, map->cell[i].level);
        fy_table_cell(&table, "%s", map->cell[i].about);
    }
    keep(figure, &drawn, true, &table);
}

/* ---------------------------------------------------------------------- begin, end */

/* A list of families: letters, digits, blanks, commas and hyphens, which no style mistakes. */
static bool is_font(const char *font)
{
    return font[strspn(
               font, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,-")] == '\0';
}

foray_status fy_figure_check(foray_context *ctx, const foray_figure *wanted)
{
    enum { MIN_MM = 30, MAX_MM = 2000, MIN_POINTS = 4, MAX_POINTS = 72 };
    double width = wanted->width, height = wanted->height, points = wanted->points;
    bool sized = (width == 0 || (width >= MIN_MM && width <= MAX_MM)) &&
                 (height == 0 || (height >= MIN_MM && height <= MAX_MM));
    if (!sized || !(points == 0 || (points >= MIN_POINTS && points <= MAX_POINTS)))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "a figure must have sides of %d to %d mm and letters of %d to %d points",
                       MIN_MM, MAX_MM, MIN_POINTS, MAX_POINTS);
    if (wanted->font && (!*wanted->font || !is_font(wanted->font)))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "a font is a name, or several with commas: letters, digits, blanks, -");
    return FORAY_OK;
}

fy_figure fy_figure_begin(foray_context *ctx, const foray_figure *wanted)
{
    return (fy_figure){.ctx = ctx,
                       .wanted = wanted,
                       .svg = {.ctx = ctx},
                       .csv = {.ctx = ctx},
                       .names = {.ctx = ctx}};
}

foray_status fy_figure_finish(fy_figure *figure)
{
    foray_status status = FORAY_OK;
    fy_write_bytes(&figure->names, "", 1);
    if (figure->svg.failed || figure->csv.failed || figure->names.failed)
        status = fy_fail(figure->ctx, FORAY_ERROR_MEMORY, "out of memory while drawing a figure");
    else if (!figure->found)
        status = fy_fail(figure->ctx, FORAY_ERROR_USAGE, "there is no figure '%s'; there are: %s",
                         figure->wanted->name, (const char *)figure->names.data);
    if (status != FORAY_OK)
        fy_figure_free(figure);
    return status;
}

void fy_figure_free(fy_figure *figure)
{
    free(figure->svg.data);
    free(figure->csv.data);
    free(figure->names.data);
    figure->svg = figure->csv = figure->names = (fy_writer){.ctx = figure->ctx};
}
