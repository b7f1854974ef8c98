/* flips.h - lists of vertices, as the flips of groups that lead from one to the next. */
#ifndef FY_FLIPS_H
#define FY_FLIPS_H

#include "base/base.h"

/* A flip is a group and, in the last one before a visit, this mark. */
enum { FY_FLIP_VISIT = 0x8000, FY_FLIP_GROUP = 0x7fff };

typedef struct fy_flips {
    uint16_t *flip;
    int64_t count, room;
} fy_flips;

/* Directions of norm 1, no two parallel, and an orthonormal basis of their span. */
typedef struct fy_directions {
    int64_t count, dim, rank;
    const double *row;   /* [count][dim] */
    const double *basis; /* [rank][dim] */
} fy_directions;

/* Appends a list of the vertices of the zonotope of these directions, starting from the
 * empty subset; with `half` only those without the first one, the others being opposite.
 * *visits receives their number. FORAY_ERROR_USAGE, without a message, where directions
 * are so nearly dependent that rounding hides which are. After a failure the list may
 * have grown. */
foray_status fy_flips_add(foray_context *ctx, fy_flips *flips, const fy_directions *directions,
                          bool half, int64_t *visits);

#endif
