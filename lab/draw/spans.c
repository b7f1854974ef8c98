/* spans.c - bars and intervals. */
#include "draw/spans.h"
#include "draw/axis.h"

#include <math.h>
#include <string.h>

/* Pixels. */
enum { WIDTH = 520, RIGHT = 60, HIGH = 20, HEAD = 12, FOOT = 46, LETTER = 9, LABELS = 5 };

typedef struct drawing {
    fy_writer *text;
    const fy_spans *rows;
    double left, foot;
    fy_scale x;
} drawing;

static drawing lay_out(fy_writer *text, const fy_spans *rows)
{
    size_t longest = 1;
    drawing d = {.text = text, .rows = rows, .foot = HEAD + HIGH * (double)rows->count};
    for (int64_t i = 0; i < rows->count; i++) {
        size_t length = strlen(rows->row[i].label);
        longest = length > longest ? length : longest;
    }
    d.left = LETTER * (double)longest + 16.0;
    fy_axis axis = {.kind = FY_AXIS_LINEAR, .from_zero = rows->bars};
    d.x = fy_scale_empty(&axis, d.left, WIDTH - RIGHT);
    for (int64_t i = 0; i < rows->count; i++) {
        const fy_span *row = &rows->row[i];
        fy_scale_include(&d.x, row->high);
        fy_scale_include(&d.x, rows->bars ? 0.0 : row->low);
        fy_scale_include(&d.x, rows->bars ? NAN : row->point);
        fy_scale_include(&d.x, rows->bars ? NAN : row->truth);
    }
    fy_scale_include(&d.x, rows->line ? *rows->line : NAN);
    fy_scale_finish(&d.x, &axis, LABELS);
    return d;
}

static void draw_axis(const drawing *d)
{
    char label[FY_NUMBER_SIZE];
    for (int i = 0; i < d->x.ticks; i++) {
        double x = fy_scale_place(&d->x, d->x.tick[i].value);
        fy_print(d->text, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                 x, HEAD, x, d->foot);
        fy_svg_text(d->text, "tick", "middle", x, d->foot + 16,
                    fy_scale_label(&d->x, d->x.tick[i].value, label));
    }
    fy_svg_text(d->text, "label", "middle", 0.5 * (d->left + WIDTH - RIGHT), d->foot + 38,
                d->rows->label);
}

static void draw_line(const drawing *d)
{
    double x = fy_scale_place(&d->x, *d->rows->line);
    fy_print(d->text,
             "<g class=\"c1\"><line class=\"line\" x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%.1f\"/>"
             "</g>\n",
             x, HEAD, x, d->foot);
}

static void draw_bar(const drawing *d, const fy_span *row, double y)
{
    char number[FY_NUMBER_SIZE];
    double from = fy_scale_place(&d->x, 0.0), to = fy_scale_place(&d->x, row->high);
    fy_print(d->text,
             "<g class=\"c0\"><rect class=\"bar\" fill=\"currentColor\" x=\"%.1f\" y=\"%.1f\" "
             "width=\"%.2f\" height=\"%d\"/></g>\n",
             from, y + 3, to - from, HIGH - 6);
    fy_svg_text(d->text, "tick", "start", to + 5, y + 14, fy_number(row->high, number));
}

/* The interval as a line with a dot at the point; the truth as a diamond. */
static void draw_interval(const drawing *d, const fy_span *row, double y)
{
    double middle = y + 0.5 * HIGH;
    if (isfinite(row->low) && isfinite(row->high))
        fy_print(d->text,
                 "<g class=\"c0\"><line class=\"line\" x1=\"%.2f\" y1=\"%.1f\" x2=\"%.2f\" "
                 "y2=\"%.1f\"/></g>\n",
                 fy_scale_place(&d->x, row->low), middle, fy_scale_place(&d->x, row->high), middle);
    if (isfinite(row->point))
        fy_print(d->text,
                 "<g class=\"c0\"><circle class=\"mark\" cx=\"%.2f\" cy=\"%.1f\" r=\"5\"/></g>\n",
                 fy_scale_place(&d->x, row->point), middle);
    if (isfinite(row->truth))
        fy_print(d->text,
                 "<g class=\"c1\"><path class=\"mark\" d=\"M%.2f %.1fm0 -6l6 6l-6 6l-6 -6z\"/>"
                 "</g>\n",
                 fy_scale_place(&d->x, row->truth), middle);
}

void fy_svg_spans(fy_writer *text, const fy_spans *rows)
{
    drawing d = lay_out(text, rows);
    double height = d.foot + FOOT;
    fy_svg_begin(text, rows->id, rows->title, WIDTH, height);
    draw_axis(&d);
    if (rows->line)
        draw_line(&d);
    for (int64_t i = 0; i < rows->count; i++) {
        double y = HEAD + HIGH * (double)i;
        fy_svg_text(text, "name", "end", d.left - 8, y + 14, rows->row[i].label);
        if (rows->bars)
            draw_bar(&d, &rows->row[i], y);
        else
            draw_interval(&d, &rows->row[i], y);
    }
    fy_print(text, "</svg>\n");
}
