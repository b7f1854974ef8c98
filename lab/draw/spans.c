/* spans.c - bars and intervals. */
#include "draw/spans.h"
#include "draw/axis.h"

#include <math.h>
#include <string.h>

/* Pixels. */
enum {
    WIDTH = 560,
    RIGHT = 60,
    HIGH = 20,
    HEAD = 12,
    FOOT = 50,
    LETTER = 7,
    PER_LABEL = 60,
    INSET = 10
};

/* Labels to the left, as wide as the longest; the axis holds everything that is drawn. */
static fy_scale lay_out_spans(const fy_spans *spans, double *left)
{
    size_t longest = 1;
    for (int64_t i = 0; i < spans->count; i++) {
        size_t length = strlen(spans->row[i].label);
        longest = length > longest ? length : longest;
    }
    *left = LETTER * (double)longest + 16.0;

    fy_axis axis = {.kind = spans->log ? FY_AXIS_LOG : FY_AXIS_LINEAR, .from_zero = spans->bars};
    fy_scale x = fy_scale_empty(&axis, *left + (spans->bars ? 0 : INSET), WIDTH - RIGHT);
    for (int64_t i = 0; i < spans->count; i++) {
        const fy_span *row = &spans->row[i];
        fy_scale_include(&x, row->high);
        fy_scale_include(&x, spans->bars ? 0.0 : row->low);
        fy_scale_include(&x, spans->bars ? NAN : row->point);
        fy_scale_include(&x, spans->bars ? NAN : row->truth);
        fy_scale_include(&x, !spans->bars && row->truth_max > row->truth ? row->truth_max : NAN);
    }
    fy_scale_include(&x, spans->line ? *spans->line : NAN);
    int labels = (int)((x.to - x.from) / PER_LABEL);
    fy_scale_finish(&x, &axis, labels > 2 ? labels : 2);
    return x;
}

static void draw_bar(fy_writer *text, const fy_scale *x, const fy_span *row, double y)
{
    char number[FY_NUMBER_SIZE];
    double from = fy_scale_position(x, 0.0), to = fy_scale_position(x, row->high);
    fy_print(text,
             "<g class=\"c0\"><rect class=\"bar\" fill=\"currentColor\" x=\"%.1f\" y=\"%.1f\" "
             "width=\"%.2f\" height=\"%d\"/></g>\n",
             from, y + 3, to - from, HIGH - 6);
    fy_svg_text(text, "tick", "start", to + 5, y + 14, fy_number(row->high, number));
}

static void draw_diamond(fy_writer *text, double x, double y)
{
    fy_print(text, "<path class=\"open\" d=\"M%.2f %.1fm0 -7l6 7l-6 7l-6 -7z\"/>", x, y);
}

/* The line of an interval; beyond all numbers, an arrow. */
static void draw_extent(fy_writer *text, const fy_scale *x, const fy_span *row, double y)
{
    bool ends = isfinite(row->high);
    double to = ends ? fy_scale_position(x, row->high) : x->to + INSET;
    fy_print(text,
             "<g class=\"c0\"><line class=\"line\" x1=\"%.2f\" y1=\"%.1f\" x2=\"%.2f\" "
             "y2=\"%.1f\"/>",
             fy_scale_position(x, row->low), y, to, y);
    if (!ends)
        fy_print(text, "<path class=\"line\" d=\"M%.2f %.1fl5 5l-5 5\"/>", to - 5, y - 5);
    fy_print(text, "</g>\n");
}

/* The interval as a line with a dot at the point; the truth as a diamond that is open, so that it
 * hides neither, or as two with a line between them. */
static void draw_interval(fy_writer *text, const fy_scale *x, const fy_span *row, double y)
{
    double middle = y + 0.5 * HIGH;
    if (isfinite(row->truth)) {
        double from = fy_scale_position(x, row->truth), to = fy_scale_position(x, row->truth_max);
        fy_print(text, "<g class=\"c1\">");
        draw_diamond(text, from, middle);
        if (row->truth_max > row->truth) {
            fy_print(text, "<line class=\"line\" x1=\"%.2f\" y1=\"%.1f\" x2=\"%.2f\" y2=\"%.1f\"/>",
                     from + 6, middle, to - 6, middle);
            draw_diamond(text, to, middle);
        }
        fy_print(text, "</g>\n");
    }
    if (isfinite(row->low) && !isnan(row->high))
        draw_extent(text, x, row, middle);
    if (isfinite(row->point))
        fy_print(text,
                 "<g class=\"c0\"><circle class=\"mark\" cx=\"%.2f\" cy=\"%.1f\" r=\"3.5\"/></g>\n",
                 fy_scale_position(x, row->point), middle);
}

void fy_svg_spans(fy_writer *text, const fy_spans *spans)
{
    double left, foot = HEAD + HIGH * (double)spans->count;
    fy_scale x = lay_out_spans(spans, &left);
    fy_svg_begin(text, spans->id, spans->title, WIDTH, foot + FOOT);
    fy_svg_axis(text, &x, HEAD, foot, spans->label);
    if (spans->line) {
        double at = fy_scale_position(&x, *spans->line);
        fy_print(text,
                 "<g class=\"c1\"><line class=\"line\" x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" "
                 "y2=\"%.1f\"/></g>\n",
                 at, HEAD, at, foot);
    }
    for (int64_t i = 0; i < spans->count; i++) {
        double y = HEAD + HIGH * (double)i;
        fy_svg_text(text, "name", "end", left - 8, y + 14, spans->row[i].label);
        if (spans->bars)
            draw_bar(text, &x, &spans->row[i], y);
        else
            draw_interval(text, &x, &spans->row[i], y);
    }
    fy_print(text, "</svg>\n");
}
