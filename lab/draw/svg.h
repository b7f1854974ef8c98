/* svg.h - line charts as SVG, readable on light and on dark pages and in black and
 * white: colours of Okabe and Ito, which the colour-blind can tell apart, and
 * markers and dashes that differ as well. */
#ifndef FY_SVG_H
#define FY_SVG_H

#include "draw/look.h"
#include "draw/text.h"

/* A point of a line, and the band around the line there; low and high NaN: there is none. */
typedef struct fy_series_point {
    double x, y, low, high;
} fy_series_point;

/* One line. Points that are not finite are left out and break it. A name that is empty has no
 * place in the legend. */
typedef struct fy_series {
    const char *name;
    int64_t count, room;
    fy_series_point *point; /* [count] */
} fy_series;

/* One more point; release them with free(series->point). False: out of memory. */
bool fy_series_add(foray_context *ctx, fy_series *series, fy_series_point point);

typedef enum fy_axis_kind { FY_AXIS_LINEAR, FY_AXIS_LOG } fy_axis_kind;

typedef struct fy_axis {
    const char *label;
    fy_axis_kind kind;
    bool from_zero; /* linear: the axis begins at 0 or below */
} fy_axis;

/* On a logarithmic y axis numbers <= 0 lie on its foot, which then is labelled 0; on
 * a logarithmic x axis they are left out. */
typedef struct fy_chart {
    const char *id; /* letters and digits; unique on a page */
    const char *title;
    const char *note; /* a line below the title, or NULL */
    int width;        /* pixels; 0: 760 */
    int height;       /* pixels; 0: 440, or what the legend needs */
    bool untitled;    /* without title and note */
    bool bare;        /* without title, note, legend and style, which the page has */
    fy_axis x, y;
    int64_t count, room;
    fy_series *series;         /* [count] */
    const double *across, *up; /* lines to compare with, at this y and this x; NULL: none */
} fy_chart;

/* An <svg> element: as a file of its own, or within a page. */
void fy_svg_chart(fy_writer *text, const fy_chart *chart);

/* The series that is drawn over series `index` and hides it, point for point, or -1. */
int64_t fy_chart_under(const fy_chart *chart, int64_t index);
/* Have two charts the same legend, as far as the shorter one goes? */
bool fy_legend_same(const fy_chart *one, const fy_chart *other);
/* The legend as a list on a page; it stands for all charts below it. */
void fy_legend_html(fy_writer *text, const fy_chart *chart);
/* Below a chart with a legend elsewhere: which of its lines lie under others. */
void fy_legend_hidden(fy_writer *text, const fy_chart *chart);

/* Style rules of charts, which fy_svg_begin puts into every one of them, and every page has. */
extern const char fy_svg_style[];

/* What all pictures are made of: the <svg> element with its style and background, which
 * the caller ends; a text, its anchor "start", "middle" or "end"; and the opening of a
 * marker, to be closed with "/>" or given a <title>. */
void fy_svg_begin(fy_writer *text, const char *id, const char *title, double width, double height);
void fy_svg_text(fy_writer *text, const char *class, const char *anchor, double x, double y,
                 const char *label);
void fy_svg_marker(fy_writer *text, int marker, double x, double y);

#endif
