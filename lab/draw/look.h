/* look.h - how lines and points look: a colour, a dash and a marker each. An algorithm looks the
 * same on every page, whatever else is drawn beside it; other lines look like their place. */
#ifndef FY_LOOK_H
#define FY_LOOK_H

#include "base/base.h"

/* Lines without a look of their own have one of the first eight colours. */
enum { FY_LOOK_COLOURS = 8, FY_LOOK_ALL = 14, FY_LOOK_DASHES = 4, FY_LOOK_MARKERS = 6 };

typedef struct fy_look {
    int colour, dash, marker; /* the classes c0 to c13 and d0 to d3 of a chart; a shape */
} fy_look;

/* The look of line `index` of a picture, called "rf-ucrl" or "rf-ucrl:radius=theorem" if it is that
 * of an algorithm; of several lines with one algorithm, those `earlier` have other dashes. */
fy_look fy_look_of(const char *name, int64_t index, int64_t earlier);

/* Do two names belong to one algorithm? */
bool fy_look_alike(const char *one, const char *other);
/* Has a line of this name a look of its own? */
bool fy_look_known(const char *name);

#endif
