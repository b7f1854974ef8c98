/* map.h - a field of cells as SVG: shaded by a number, with arrows or short texts in
 * them. Visits, policies on a map, and policies as states by steps are all drawn so. */
#ifndef FY_MAP_H
#define FY_MAP_H

#include "draw/text.h"

typedef enum fy_arrow {
    FY_ARROW_STAY,
    FY_ARROW_LEFT,
    FY_ARROW_RIGHT,
    FY_ARROW_UP,
    FY_ARROW_DOWN,
    FY_ARROW_NONE
} fy_arrow;

typedef struct fy_map_cell {
    bool there;       /* false: a wall, or nothing at all */
    double level;     /* 0 to 1: how deep its colour is */
    fy_arrow arrow;   /* FY_ARROW_NONE: the symbol is shown */
    int colour;       /* 0: that of all cells; 1 to 8: one of those of charts */
    bool start, goal; /* a ring; a frame */
    char symbol[8];
    char about[192]; /* for those who point at it */
} fy_map_cell;

typedef struct fy_map {
    const char *id; /* letters, digits and '-'; unique on a page */
    const char *title;
    int64_t rows, cols;
    const fy_map_cell *cell;             /* [rows][cols] */
    const char (*row)[FY_LABEL_SIZE];    /* [rows], or NULL: no labels */
    const char (*column)[FY_LABEL_SIZE]; /* [cols], or NULL */
    const char *across;                  /* what the columns are, or NULL */
} fy_map;

/* An <svg> element within a page of page.h, which has the style. */
void fy_svg_map(fy_writer *text, const fy_map *map);
extern const char fy_map_style[];

#endif
