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

/* Labels to the left, as wide as the longest; the axis holds every finite number, so that what
 * is infinite ends at the edge. */
static drawing lay_out_forest(fy_writer *text, const fy_forest *forest)
{
    drawing d = {.text = text, .forest = forest, .top = TOP + LEGEND};
    size_t longest = 1;
    for (int64_t i = 0; i < forest->rows; i++) {
        size_t length = strlen(forest->row[i]);
        longest = length > longest ? length : longest;
    }
    d.left = LETTER * (double)longest + MARGIN;
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

static void draw_legend(const drawing *d)
{
    double x = d->left, y = TOP + 4;
    for (int64_t g = 0; g < d->forest->groups; g++) {
        fy_look look = fy_look_of("", g, 0);
        fy_print(d->text, "<g class=\"c%d\">", look.colour);
        fy_svg_marker(d->text, look.marker, x + 5, y);
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
    fy_look look = fy_look_of("", group, 0);
    if (isnan(effect->point))
        return;
    fy_print(d->text,
             "<g class=\"c%d\"><line class=\"line\" x1=\"%.2f\" y1=\"%.1f\" x2=\"%.2f\" "
             "y2=\"%.1f\"/>",
             look.colour, fy_scale_position(&d->x, effect->low), y,
             fy_scale_position(&d->x, effect->high), y);
    fy_svg_marker(d->text, look.marker, fy_scale_position(&d->x, effect->point), y);
    fy_print(d->text, "><title>");
    fy_print_escaped(d->text, d->forest->row[row]);
    fy_print(d->text, ", ");
    fy_print_escaped(d->text, d->forest->group[group]);
    fy_print(d->text, ": %s [%s, %s]</title></path></g>\n", fy_number(effect->point, point),
             fy_number(effect->low, low), fy_number(effect->high, high));
}

void fy_svg_forest(fy_writer *text, const fy_forest *forest)
{
    drawing d = lay_out_forest(text, forest);
    fy_svg_begin(text, forest->id, forest->title, WIDTH, d.foot + FOOT);
    fy_svg_text(text, "title", "start", MARGIN, 26, forest->title);
    if (forest->note)
        fy_svg_text(text, "note", "start", MARGIN, 46, forest->note);
    draw_legend(&d);
    fy_svg_axis(text, &d.x, d.top, d.foot, forest->x.label);
    double none = fy_scale_position(&d.x, forest->none);
    fy_print(text, "<line class=\"frame\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
             none, d.top - 4, none, d.foot + 4);

    /* A faint line between rows, the label, and the effects of all groups below each other. */
    for (int64_t row = 0; row < forest->rows; row++) {
        double y = d.top + d.high * (double)row;
        if (row > 0)
            fy_print(text,
                     "<line class=\"grid minor\" x1=\"8\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", y,
                     WIDTH - RIGHT, y);
        fy_svg_text(text, "name", "end", d.left - 10, y + 0.5 * d.high + 4, forest->row[row]);
        for (int64_t g = 0; g < forest->groups; g++)
            draw_effect(&d, row, g);
    }
    fy_print(text, "</svg>\n");
}
