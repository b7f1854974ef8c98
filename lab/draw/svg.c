/* svg.c - what pictures are made of, and line charts: grid, bands, lines, markers, legend. */
#include "draw/svg.h"
#include "draw/axis.h"

#include <math.h>
#include <string.h>

/* Okabe and Ito's colours but for yellow, which is hard to see on white, and seven more for
 * algorithms, so that each has one. A test simulates how they look to whoever sees no red or no
 * green: those that come near each other there have different dashes. */
const char fy_svg_style[] =
    ".chart{font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;"
    "font-size:12px}"
    ".chart .c0{color:#0072b2}.chart .c1{color:#d55e00}.chart .c2{color:#009e73}"
    ".chart .c3{color:#cc79a7}.chart .c4{color:#e69f00}.chart .c5{color:#56b4e9}"
    ".chart .c6{color:#1b1f24}.chart .c7{color:#594402}.chart .c8{color:#1a079f}"
    ".chart .c9{color:#545361}.chart .c10{color:#51005e}.chart .c11{color:#46442d}"
    ".chart .c12{color:#af854a}.chart .c13{color:#a148ff}"
    ".chart .paper{fill:#ffffff}.chart text{fill:#1b1f24}"
    ".chart .title{font-size:15px;font-weight:600}"
    ".chart .note,.chart .tick{fill:#57606a}"
    ".chart .grid{stroke:#d5d9de;stroke-width:1}.chart .minor{stroke-opacity:.45}"
    ".chart .frame{stroke:#57606a;fill:none}"
    ".chart .line{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}"
    ".chart .d1{stroke-dasharray:9 3}.chart .d2{stroke-dasharray:5 3}"
    ".chart .d3{stroke-dasharray:9 3 2 3}"
    ".chart .band{fill:currentColor;fill-opacity:.16;stroke:none}"
    ".chart .mark{fill:currentColor;stroke:#ffffff;stroke-width:1}"
    ".chart .open{fill:none;stroke:currentColor;stroke-width:1.6}"
    "@media (prefers-color-scheme:dark){"
    ".chart .c0{color:#4aa3df}.chart .c1{color:#f0803c}.chart .c2{color:#2cc295}"
    ".chart .c3{color:#e824ac}.chart .c5{color:#a4d4ff}.chart .c6{color:#f4f6f8}"
    ".chart .c7{color:#ffff18}.chart .c8{color:#6682ff}.chart .c9{color:#3b688c}"
    ".chart .c10{color:#ff135f}.chart .c11{color:#157e4c}.chart .c12{color:#a74700}"
    ".chart .c13{color:#5f3cff}"
    ".chart .paper{fill:#14181d}.chart text{fill:#e6e9ed}"
    ".chart .note,.chart .tick{fill:#a0a8b2}"
    ".chart .grid{stroke:#3a414a}.chart .frame{stroke:#a0a8b2}.chart .mark{stroke:#14181d}}";

bool fy_series_add(foray_context *ctx, fy_series *series, fy_series_point point)
{
    fy_series_point *points =
        fy_grow(ctx, series->point, &series->room, series->count + 1, sizeof *points);
    if (!points)
        return false;
    series->point = points;
    points[series->count++] = point;
    return true;
}

/* Pixels. */
enum { WIDTH = 760, HEIGHT = 440, LEFT = 74, BOTTOM = 54, LEGEND_ROW = 22, INSET = 9 };
enum {
    NARROW = 560,
    PER_LABEL = 58,
    PER_LABEL_UP = 26
}; /* a narrower chart has its legend below */
enum {
    TOP = 84,
    TOP_BARE = 28,
    TOP_NARROW = 62,
    MIN_PLANE = 40,
    RIGHT_BARE = 16,
    HEIGHT_BARE = 350
};
enum { LEGEND_MIN = 96, LEGEND_MAX = 250, LEGEND_SAMPLE = 38, LETTER = 7 };
enum { LABELS_ACROSS = 7, LABELS_UP = 6 };

typedef struct drawing {
    fy_writer *text;
    const fy_chart *chart;
    double top, right, foot; /* of the plane that lines are drawn in */
    double width, height;
    bool below; /* the legend */
    fy_scale x, y;
} drawing;

/* -------------------------------------------------------------------------- legend */

enum { LEGEND_SIZE = 256 };

/* How series `index` looks. */
static fy_look chart_look(const fy_chart *chart, int64_t index)
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
    int first = chart_look(chart, other).dash, second = chart_look(chart, one).dash;
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

/* Its name, with a word about the series that hides it. */
static const char *chart_label(const fy_chart *chart, int64_t index, char out[LEGEND_SIZE])
{
    int64_t over = fy_chart_under(chart, index);
    const char *name = chart->series[index].name;
    if (over < 0 || !*name || strcmp(name, chart->series[over].name) == 0)
        fy_format(out, LEGEND_SIZE, "%s", name);
    else
        fy_format(out, LEGEND_SIZE, "%s (under %s)", name, chart->series[over].name);
    return out;
}

/* ------------------------------------------------------------------------ pieces */

static void begin_chart(fy_writer *text, const char *id, const char *title, double width,
                        double height, bool styled)
{
    fy_print(text,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" id=\"%s\" role=\"img\" "
             "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<title>",
             id, width, height, width, height);
    fy_print_escaped(text, title);
    fy_print(text, "</title>\n");
    if (styled) {
        fy_print(text, "<style>");
        fy_write_bytes(text, fy_svg_style, strlen(fy_svg_style));
        fy_print(text, "</style>\n");
    }
    fy_print(text, "<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height);
}

void fy_svg_begin(fy_writer *text, const char *id, const char *title, double width, double height)
{
    begin_chart(text, id, title, width, height, true);
}

void fy_svg_text(fy_writer *text, const char *class, const char *anchor, double x, double y,
                 const char *label)
{
    fy_print(text, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, anchor, x,
             y);
    fy_print_escaped(text, label);
    fy_print(text, "</text>\n");
}

/* Circle, square, triangle, diamond, triangle on its tip, bar. */
void fy_svg_marker(fy_writer *text, int marker, double x, double y)
{
    static const char *const shape[FY_LOOK_MARKERS] = {
        "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
        "m-3.6 -3.6h7.2v7.2h-7.2z",
        "m0 -4.8l4.6 8h-9.2z",
        "m0 -5l5 5l-5 5l-5 -5z",
        "m0 4.8l4.6 -8h-9.2z",
        "m-2.2 -5h4.4v10h-4.4z",
    };
    fy_print(text, "<path class=\"mark\" d=\"M%.2f %.2f%s\"", x, y, shape[marker]);
}

/* ------------------------------------------------------------------------ layout */

static bool is_visible(const fy_chart *chart, const fy_series_point *point)
{
    bool left_out = chart->x.kind == FY_AXIS_LOG && point->x <= 0.0;
    return isfinite(point->x) && isfinite(point->y) && !left_out;
}

/* Where the legend begins: it is to the right, as wide as the longest name within limits. */
static double right_edge(const fy_chart *chart, double width)
{
    char label[LEGEND_SIZE];
    size_t longest = 0;
    if (chart->bare)
        return width - RIGHT_BARE;
    for (int64_t i = 0; i < chart->count; i++) {
        size_t length = strlen(chart_label(chart, i, label));
        longest = length > longest ? length : longest;
    }
    double wanted = LEGEND_SAMPLE + 16.0 + LETTER * (double)longest;
    return width - (longest == 0 ? 24.0 : fmin(fmax(wanted, LEGEND_MIN), LEGEND_MAX));
}

/* Where the entry `index` of a legend below the chart begins, from its top left corner: in rows, as
 * many side by side as fit. */
typedef struct legend_place {
    double x, y;
} legend_place;

static legend_place place_legend(const drawing *d, int64_t index)
{
    char label[LEGEND_SIZE];
    legend_place at = {0, 0};
    for (int64_t i = 0; i < index && i < d->chart->count; i++) {
        double own = (double)strlen(chart_label(d->chart, i, label));
        double next = i + 1 < d->chart->count && i + 1 <= index
                          ? (double)strlen(chart_label(d->chart, i + 1, label))
                          : 0;
        at.x += LEGEND_SAMPLE + 12.0 + LETTER * own;
        if (next > 0 && 8 + at.x + LEGEND_SAMPLE + LETTER * next > d->width) {
            at.x = 0;
            at.y += LEGEND_ROW;
        }
    }
    return at;
}

/* Where everything is: titles above, the plane, below it or to its right the legend. */
static drawing lay_out_plane(fy_writer *text, const fy_chart *chart)
{
    drawing d = {.text = text, .chart = chart, .width = chart->width ? chart->width : WIDTH};
    bool noted = chart->note && !chart->bare && !chart->untitled;
    d.below = !chart->bare && d.width < NARROW;
    d.right = d.below ? d.width - RIGHT_BARE : right_edge(chart, d.width);
    d.top = chart->bare || chart->untitled ? TOP_BARE : noted && !d.below ? TOP : TOP_NARROW;
    d.height =
        chart->bare ? HEIGHT_BARE : fmax(HEIGHT, TOP + LEGEND_ROW * (double)chart->count + BOTTOM);
    d.height = chart->height ? chart->height : d.height;
    d.foot = d.height - BOTTOM;
    if (d.below)
        d.foot -= place_legend(&d, chart->count).y + LEGEND_ROW;
    d.foot = fmax(d.foot, d.top + MIN_PLANE);
    return d;
}

/* Axes that hold every visible point, its band, and the lines to compare with; nothing lies on the
 * frame, which is a little larger. */
static drawing lay_out_chart(fy_writer *text, const fy_chart *chart)
{
    drawing d = lay_out_plane(text, chart);
    d.x = fy_scale_empty(&chart->x, LEFT + INSET, d.right - INSET);
    d.y = fy_scale_empty(&chart->y, d.foot - INSET, d.top + INSET);
    for (int64_t i = 0; i < chart->count; i++)
        for (int64_t j = 0; j < chart->series[i].count; j++) {
            const fy_series_point *point = &chart->series[i].point[j];
            if (!is_visible(chart, point))
                continue;
            fy_scale_include(&d.x, point->x);
            fy_scale_include(&d.y, point->y);
            fy_scale_include(&d.y, point->low);
            fy_scale_include(&d.y, point->high);
        }
    if (chart->across)
        fy_scale_include(&d.y, *chart->across);
    if (chart->up)
        fy_scale_include(&d.x, *chart->up);
    double across = (d.right - LEFT) / PER_LABEL, up = (d.foot - d.top) / PER_LABEL_UP;
    fy_scale_finish(&d.x, &chart->x, (int)fmin(LABELS_ACROSS, fmax(2, across)));
    fy_scale_finish(&d.y, &chart->y, (int)fmin(LABELS_UP, fmax(2, up)));
    return d;
}

/* -------------------------------------------------------------------------- axes */

static void draw_y_axis(const drawing *d)
{
    char label[FY_NUMBER_SIZE];
    for (int i = 0; i < d->y.ticks; i++) {
        const fy_tick *tick = &d->y.tick[i];
        double y = fy_scale_position(&d->y, tick->value);
        fy_print(d->text,
                 "<line class=\"grid%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                 tick->labelled ? "" : " minor", (double)LEFT, y, d->right, y);
        /* A label so near the foot would run into the 0 that stands there. */
        bool hidden = d->y.foot && y > d->y.from - 14;
        if (tick->labelled && !hidden)
            fy_svg_text(d->text, "tick", "end", LEFT - 8, y + 4,
                        fy_scale_label(&d->y, tick->value, label));
    }
    if (d->y.foot)
        fy_svg_text(d->text, "tick", "end", LEFT - 8, d->y.from + 4, "0");
    fy_svg_text(d->text, "label", "start", 8, d->top - 10, d->chart->y.label);
}

/* A line to compare with. */
static void draw_comparison(const drawing *d, double x1, double y1, double x2, double y2)
{
    fy_print(d->text,
             "<line class=\"frame\" stroke-dasharray=\"5 4\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
             "y2=\"%.1f\"/>\n",
             x1, y1, x2, y2);
}

/* ------------------------------------------------------------------------ series */

static void print_position(const drawing *d, double x, double y)
{
    fy_print(d->text, "%.2f,%.2f ", fy_scale_position(&d->x, x), fy_scale_position(&d->y, y));
}

/* The end of the stretch of visible points that begins at or after *first. */
static int64_t next_stretch(const drawing *d, const fy_series *series, int64_t *first)
{
    while (*first < series->count && !is_visible(d->chart, &series->point[*first]))
        ++*first;
    int64_t end = *first;
    while (end < series->count && is_visible(d->chart, &series->point[end]))
        end++;
    return end;
}

/* Along the upper edge and back along the lower one; where an edge is not known, the line
 * itself stands for it. */
static void draw_band(const drawing *d, const fy_series *series)
{
    bool known = false;
    for (int64_t i = 0; i < series->count; i++)
        known |= !isnan(series->point[i].low) || !isnan(series->point[i].high);
    int64_t end;
    for (int64_t first = 0; known && (end = next_stretch(d, series, &first)) > first; first = end) {
        fy_print(d->text, "<polygon class=\"band\" points=\"");
        for (int64_t i = first; i < end; i++) {
            const fy_series_point *p = &series->point[i];
            print_position(d, p->x, isnan(p->high) ? p->y : p->high);
        }
        for (int64_t i = end; i-- > first;) {
            const fy_series_point *p = &series->point[i];
            print_position(d, p->x, isnan(p->low) ? p->y : p->low);
        }
        fy_print(d->text, "\"/>\n");
    }
}

static void draw_line(const drawing *d, const fy_series *series, int dash)
{
    int64_t end;
    for (int64_t first = 0; (end = next_stretch(d, series, &first)) > first; first = end) {
        fy_print(d->text, "<polyline class=\"line d%d\" points=\"", dash);
        for (int64_t i = first; i < end; i++)
            print_position(d, series->point[i].x, series->point[i].y);
        fy_print(d->text, "\"/>\n");
    }
}

/* Returns how many there are. */
static int64_t draw_markers(const drawing *d, const fy_series *series, int marker)
{
    char x_text[FY_NUMBER_SIZE], y_text[FY_NUMBER_SIZE];
    int64_t drawn = 0;
    for (int64_t i = 0; i < series->count; i++) {
        const fy_series_point *p = &series->point[i];
        if (!is_visible(d->chart, p))
            continue;
        fy_svg_marker(d->text, marker, fy_scale_position(&d->x, p->x),
                      fy_scale_position(&d->y, p->y));
        fy_print(d->text, "><title>");
        fy_print_escaped(d->text, series->name);
        fy_print(d->text, "%s%s at %s</title></path>\n", *series->name ? ": " : "",
                 fy_number(p->y, y_text), fy_number(p->x, x_text));
        drawn++;
    }
    return drawn;
}

/* All bands lie below all lines, and those below all markers; the more gaps a line has, the
 * later it is drawn. Returns how many points are visible. */
static int64_t draw_all_series(const drawing *d)
{
    enum { BANDS, LINES, MARKS, PARTS };
    int64_t visible = 0;
    for (int part = 0; part < PARTS; part++)
        for (int dash = 0; dash < FY_LOOK_DASHES; dash++)
            for (int64_t i = 0; i < d->chart->count; i++) {
                const fy_series *series = &d->chart->series[i];
                fy_look look = chart_look(d->chart, i);
                if (look.dash != dash)
                    continue;
                fy_print(d->text, "<g class=\"c%d\">\n", look.colour);
                if (part == BANDS)
                    draw_band(d, series);
                else if (part == LINES)
                    draw_line(d, series, look.dash);
                else
                    visible += draw_markers(d, series, look.marker);
                fy_print(d->text, "</g>\n");
            }
    return visible;
}

/* A name that is too long for the legend keeps its beginning and its end, which tell names apart;
 * characters of several bytes stay whole. */
static const char *shorten(const char *name, char text[128])
{
    enum { MAX = (LEGEND_MAX - LEGEND_SAMPLE - 16) / LETTER, HEAD = MAX / 2 };
    size_t length = strlen(name), head = HEAD, tail = length - (MAX - HEAD - 1);
    if (length <= MAX)
        return name;
    while (head > 0 && (name[head] & 0xC0) == 0x80)
        head--;
    while (name[tail] && (name[tail] & 0xC0) == 0x80)
        tail++;
    fy_format(text, 128, "%.*s\u2026%s", (int)head, name, name + tail);
    return text;
}

static void draw_legend(const drawing *d)
{
    char room[128], label[LEGEND_SIZE];
    for (int64_t i = 0; i < d->chart->count; i++) {
        const char *name = chart_label(d->chart, i, label);
        fy_look look = chart_look(d->chart, i);
        double x = d->right + 12, y = d->top + 10.0 + LEGEND_ROW * (double)i;
        if (d->below) {
            legend_place at = place_legend(d, i);
            x = 8 + at.x;
            y = d->foot + BOTTOM + 8 + at.y;
        }
        if (!*name)
            continue;
        fy_print(d->text, "<g class=\"c%d\"><line class=\"line d%d\" x1=\"%.1f\" y1=\"%.1f\" ",
                 look.colour, look.dash, x, y);
        fy_print(d->text, "x2=\"%.1f\" y2=\"%.1f\"/>", x + LEGEND_SAMPLE - 6, y);
        fy_svg_marker(d->text, look.marker, x + 0.5 * (LEGEND_SAMPLE - 6), y);
        fy_print(d->text, "/></g>\n");
        fy_svg_text(d->text, "legend", "start", x + LEGEND_SAMPLE, y + 4, shorten(name, room));
    }
}

void fy_svg_chart(fy_writer *text, const fy_chart *chart)
{
    drawing d = lay_out_chart(text, chart);
    begin_chart(text, chart->id, chart->title, d.width, d.height, !chart->bare);
    if (!chart->bare && !chart->untitled)
        fy_svg_text(text, "title", "start", d.below ? 8 : LEFT, 26, chart->title);
    if (!chart->bare && !chart->untitled && !d.below && chart->note)
        fy_svg_text(text, "note", "start", LEFT, 46, chart->note);

    /* Grid and axes, then lines to compare with, then what was measured. */
    fy_svg_axis(text, &d.x, d.top, d.foot, chart->x.label);
    draw_y_axis(&d);
    fy_print(text, "<rect class=\"frame\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
             LEFT, d.top, d.right - LEFT, d.foot - d.top);
    if (chart->across) {
        double y = fy_scale_position(&d.y, *chart->across);
        draw_comparison(&d, LEFT, y, d.right, y);
    }
    if (chart->up) {
        double x = fy_scale_position(&d.x, *chart->up);
        draw_comparison(&d, x, d.top, x, d.foot);
    }
    int64_t visible = draw_all_series(&d);
    if (!chart->bare)
        draw_legend(&d);
    if (visible == 0)
        fy_svg_text(text, "note", "middle", 0.5 * (LEFT + d.right), 0.5 * (d.top + d.foot),
                    "nothing to show");
    fy_print(text, "</svg>\n");
}

/* --------------------------------------------------------------------------- the legend on pages
 */

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
        fy_look look = chart_look(chart, i);
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
    int64_t shown = 0;
    for (int64_t i = 0; i < chart->count; i++) {
        int64_t over = fy_chart_under(chart, i);
        if (over < 0 || !*chart->series[i].name)
            continue;
        fy_print(text, shown++ == 0 ? "<p class=\"hidden\">Hidden: " : "; ");
        fy_print_escaped(text, chart->series[i].name);
        fy_print(text, " lies exactly under ");
        fy_print_escaped(text, chart->series[over].name);
    }
    fy_print(text, shown > 0 ? ".</p>\n" : "");
}
