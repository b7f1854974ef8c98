/* spans.h - labelled rows over one axis as SVG: bars from 0, or intervals with a
 * point in them. */
#ifndef FY_SPANS_H
#define FY_SPANS_H

#include "draw/svg.h"

typedef struct fy_span {
    char label[FY_LABEL_SIZE];
    double low, high;    /* the interval, with an arrow if `high` is infinite; a bar: 0 to `high` */
    double point, truth; /* intervals: marked if finite */
    double truth_max;    /* more than `truth`: the truth is a range up to here */
} fy_span;

typedef struct fy_spans {
    const char *id; /* letters and digits; unique on a page */
    const char *title, *label;
    const char *note; /* for the page, or NULL: it is not drawn */
    bool bars;
    bool log; /* the axis is logarithmic */
    int64_t count, room;
    fy_span *row;       /* [count] */
    const double *line; /* where a line across all rows stands, or NULL: none */
} fy_spans;

/* An <svg> element with the style of charts. */
void fy_svg_spans(fy_writer *text, const fy_spans *spans);

#endif
