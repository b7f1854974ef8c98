/* forest.c - forest plots. */
#include "draw/forest.h"
#include "draw/axis.h"

#include <math.h>
#include <string.h>

/* Pixels. */
enum { WIDTH = 760, RIGHT = 24, TOP = 64, FOOT = 54, LEGEND = 24 };
enum { LINE = 11, GAP = 10, LETTER = 7, MARGIN = 18, LABELS = 7 };

typedef struct drawing {
    fy_writer *text;
    const fy_forest *forest;
    double left, top, foot, high; /* high: of one row */
    fy_scale x;
} drawing;

static size_t longest(int64_t count, const char *const *label)
{
    size_t most = 1;
    for (int64_t i = 0; i < count; i++) {
        size_t length = strlen(label[i]);
        most = length > most ? length : most;
    }
    return most;
}

/* As much as a number is infinite, its row ends at the edge. */
static drawing lay_out(fy_writer *text, const fy_forest *forest)
{
    drawing d = {.text = text, .forest = forest, .top = TOP + LEGEND};
    d.left = LETTER * (double)longest(forest->rows, forest->row) + MARGIN;
    d.high = LINE * (double)forest->groups + GAP;
    d.foot = d.top + d.high * (double)forest->rows;
    d.x = fy_scale_empty(&forest->x, d.left, WIDTH - RIGHT);
    fy_scale_include(&d.x, forest->none);
    for (int64_t i = 0; i < forest->rows * forest->groups; i++) {
        const fy_effect *effect = &forest->effect[i];
        if (isnan(effect->point))
            continue;
        fy_scale_include(&d.x, effect->point);
        fy_scale_include(&d.x, effect->low);
        fy_scale_include(&d.x, effect->high);
    }
    fy_scale_finish(&d.x, &forest->x, LABELS);
    return d;
}

static void draw_axis(const drawing *d)
{
    char label[FY_NUMBER_SIZE];
    for (int i = 0; i < d->x.ticks; i++) {
        const fy_tick *tick = &d->x.tick[i];
        double x = fy_scale_place(&d->x, tick->value);
        fy_print(d->text,
                 "<line class=\"grid%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                 tick->labelled ? "" : " minor", x, d->top, x, d->foot);
        if (tick->labelled)
            fy_svg_text(d->text, "tick", "middle", x, d->foot + 18,
                        fy_scale_label(&d->x, tick->value, label));
    }
    double none = fy_scale_place(&d->x, d->forest->none);
    fy_print(d->text, "<line class=\"frame\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
             none, d->top - 4, none, d->foot + 4);
    fy_svg_text(d->text, "label", "middle", 0.5 * (d->left + WIDTH - RIGHT), d->foot + 42,
                d->forest->x.label);
}

static void draw_legend(const drawing *d)
{
    double x = d->left, y = TOP + 4;
    for (int64_t g = 0; g < d->forest->groups; g++) {
        fy_print(d->text, "<g class=\"c%d\">", fy_svg_colour(g));
        fy_svg_marker(d->text, g, x + 5, y);
        fy_print(d->text, "/></g>\n");
        fy_svg_text(d->text, "legend", "start", x + 14, y + 4, d->forest->group[g]);
        x += 36 + LETTER * (double)strlen(d->forest->group[g]);
    }
}

static void draw_effect(const drawing *d, int64_t row, int64_t group)
{
    char point[FY_NUMBER_SIZE], low[FY_NUMBER_SIZE], high[FY_NUMBER_SIZE];
    const fy_effect *effect = &d->forest->effect[row * d->forest->groups + group];
    double y = d->top + d->high * (double)row + 0.5 * GAP + LINE * ((double)group + 0.5);
    if (isnan(effect->point))
        return;
    fy_print(d->text,
             "<g class=\"c%d\"><line class=\"line\" x1=\"%.2f\" y1=\"%.1f\" x2=\"%.2f\" "
             "y2=\"%.1f\"/>",
             fy_svg_colour(group), fy_scale_place(&d->x, effect->low), y,
             fy_scale_place(&d->x, effect->high), y);
    fy_svg_marker(d->text, group, fy_scale_place(&d->x, effect->point), y);
    fy_print(d->text, "><title>");
    fy_print_escaped(d->text, d->forest->row[row]);
    fy_print(d->text, ", ");
    fy_print_escaped(d->text, d->forest->group[group]);
    fy_print(d->text, ": %s [%s, %s]</title></path></g>\n", fy_number(effect->point, point),
             fy_number(effect->low, low), fy_number(effect->high, high));
}

static void draw_row(const drawing *d, int64_t row)
{
    double y = d->top + d->high * (double)row;
    if (row > 0)
        fy_print(d->text,
                 "<line class=\"grid minor\" x1=\"8\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", y,
                 WIDTH - RIGHT, y);
    fy_svg_text(d->text, "name", "end", d->left - 10, y + 0.5 * d->high + 4, d->forest->row[row]);
    for (int64_t g = 0; g < d->forest->groups; g++)
        draw_effect(d, row, g);
}

void fy_svg_forest(fy_writer *text, const fy_forest *forest)
{
    drawing d = lay_out(text, forest);
    fy_svg_begin(text, forest->id, forest->title, WIDTH, d.foot + FOOT);
    fy_svg_text(text, "title", "start", MARGIN, 26, forest->title);
    if (forest->note)
        fy_svg_text(text, "note", "start", MARGIN, 46, forest->note);
    draw_legend(&d);
    draw_axis(&d);
    for (int64_t row = 0; row < forest->rows; row++)
        draw_row(&d, row);
    fy_print(text, "</svg>\n");
}
