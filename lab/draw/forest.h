/* forest.h - effects side by side as SVG: rows of points with their intervals, several in a
 * row, and a line that means "no effect". */
#ifndef FY_FOREST_H
#define FY_FOREST_H

#include "draw/svg.h"

/* A point that is NaN is left out; one beyond all finite ones lies at the edge. */
typedef struct fy_effect {
    double point, low, high;
} fy_effect;

typedef struct fy_forest {
    const char *id; /* letters and digits; unique on a page */
    const char *title;
    const char *note; /* a line below the title, or NULL */
    fy_axis x;
    double none; /* where the line is: 0 for differences, 1 for ratios */
    int64_t rows, groups, row_room, effect_room;
    const char **row;         /* [rows] their labels */
    const char *const *group; /* [groups] their names, for the legend */
    fy_effect *effect;        /* [rows][groups] */
} fy_forest;

void fy_svg_forest(fy_writer *text, const fy_forest *forest);

#endif
