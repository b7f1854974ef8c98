/* legend.c - which line is whose, within a picture or above many, and which lines hide others. */
#include "draw/svg.h"

#include <math.h>
#include <string.h>

fy_look fy_chart_look(const fy_chart *chart, int64_t index)
{
    int64_t earlier = 0;
    for (int64_t i = 0; i < index; i++)
        earlier += fy_look_alike(chart->series[i].name, chart->series[index].name);
    return fy_look_of(chart->series[index].name, index, earlier);
}

/* ------------------------------------------------------------------- what is hidden */

/* Lines are drawn in the order of their dashes, then in their own. */
static bool drawn_later(const fy_chart *chart, int64_t one, int64_t other)
{
    int first = fy_chart_look(chart, other).dash, second = fy_chart_look(chart, one).dash;
    return second > first || (second == first && one > other);
}

static bool same_points(const fy_series *one, const fy_series *other)
{
    int64_t finite = 0;
    if (one->count != other->count)
        return false;
    for (int64_t i = 0; i < one->count; i++) {
        const fy_series_point *p = &one->point[i], *q = &other->point[i];
        bool here = isfinite(p->y), there = isfinite(q->y);
        if (here != there || p->x != q->x || (here && p->y != q->y))
            return false;
        finite += here;
    }
    return finite > 0;
}

int64_t fy_chart_under(const fy_chart *chart, int64_t index)
{
    int64_t over = -1;
    for (int64_t i = 0; i < chart->count; i++)
        if (i != index && same_points(&chart->series[index], &chart->series[i]) &&
            drawn_later(chart, i, index) && (over < 0 || drawn_later(chart, i, over)))
            over = i;
    return over;
}

const char *fy_chart_label(const fy_chart *chart, int64_t index, char out[FY_LEGEND_SIZE])
{
    int64_t over = fy_chart_under(chart, index);
    const char *name = chart->series[index].name;
    if (over < 0 || !*name || strcmp(name, chart->series[over].name) == 0)
        fy_format(out, FY_LEGEND_SIZE, "%s", name);
    else
        fy_format(out, FY_LEGEND_SIZE, "%s (under %s)", name, chart->series[over].name);
    return out;
}

/* --------------------------------------------------------------------------- on pages */

bool fy_legend_same(const fy_chart *one, const fy_chart *other)
{
    int64_t count = one->count < other->count ? one->count : other->count;
    for (int64_t i = 0; i < count; i++)
        if (strcmp(one->series[i].name, other->series[i].name) != 0)
            return false;
    return true;
}

void fy_legend_html(fy_writer *text, const fy_chart *chart)
{
    enum { WIDE = 34, HIGH = 14 };
    int64_t named = 0;
    for (int64_t i = 0; i < chart->count; i++)
        named += *chart->series[i].name != 0;
    if (named == 0)
        return;
    fy_print(text, "<ul class=\"legend\">\n");
    for (int64_t i = 0; i < chart->count; i++) {
        fy_look look = fy_chart_look(chart, i);
        fy_print(text,
                 "<li><svg class=\"chart key\" aria-hidden=\"true\" width=\"%d\" height=\"%d\">"
                 "<g class=\"c%d\"><line class=\"line d%d\" x1=\"1\" y1=\"7\" x2=\"33\" y2=\"7\"/>",
                 WIDE, HIGH, look.colour, look.dash);
        fy_svg_marker(text, look.marker, 0.5 * WIDE, 0.5 * HIGH);
        fy_print(text, "/></g></svg> ");
        fy_print_escaped(text, chart->series[i].name);
        fy_print(text, "</li>\n");
    }
    fy_print(text, "</ul>\n");
}

void fy_legend_hidden(fy_writer *text, const fy_chart *chart)
{
    int64_t told = 0;
    for (int64_t i = 0; i < chart->count; i++) {
        int64_t over = fy_chart_under(chart, i);
        if (over < 0 || !*chart->series[i].name)
            continue;
        fy_print(text, told++ == 0 ? "<p class=\"hidden\">Hidden: " : "; ");
        fy_print_escaped(text, chart->series[i].name);
        fy_print(text, " lies exactly under ");
        fy_print_escaped(text, chart->series[over].name);
    }
    fy_print(text, told > 0 ? ".</p>\n" : "");
}
