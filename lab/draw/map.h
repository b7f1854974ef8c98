/* map.h - a field of cells as SVG: shaded by a number, with arrows or short texts in
 * them. Visits, policies on a map, and policies as states by steps are all drawn so. */
#ifndef FY_MAP_H
#define FY_MAP_H

#include "model/model.h"
#include "draw/text.h"

enum { FY_STAY_PUT, FY_LEFT, FY_RIGHT, FY_UP, FY_DOWN, FY_NO_ARROW };

typedef struct fy_map_cell {
    bool there;   /* false: a wall, or nothing at all */
    double level; /* 0 to 1: how deep its colour is */
    int arrow;    /* FY_LEFT, ..., or FY_NO_ARROW: the symbol is shown */
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
} fy_map;

/* An <svg> element within a page of page.h, which has the style. */
void fy_svg_map(fy_writer *text, const fy_map *map);
extern const char fy_map_style[];

/* The cell of an action: an arrow for left, right, up, down and the points of the
 * compass, else the first letter of its name if no other action has it, or its number. */
void fy_map_action(const foray_model *model, int64_t action, fy_map_cell *cell);

#endif
