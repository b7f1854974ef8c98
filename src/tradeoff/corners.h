/* corners.h - where the best of a few policies changes with the weighting.
 *
 * Policy k has the value w.v_k under the weighting w. The corners are the vertices of
 *     {(w,z): z >= w.v_k for all k, w >= 0, sum_i w_i = 1},
 * the cell of k is what lies between the corners where k is best. The cells of all policies cover
 * the simplex of weightings. */
#ifndef FY_CORNERS_H
#define FY_CORNERS_H

#include "base/base.h"

typedef struct fy_corner {
    double w[FORAY_MAX_REWARDS], z;
    double off; /* sum_i |w_i - w'_i| <= off, w' the corner without rounding */
    int64_t id; /* another one for every corner there ever was */
} fy_corner;

typedef struct fy_corners {
    fy_arena *arena;
    int64_t m;        /* rewards, 2 to FORAY_MAX_REWARDS */
    int64_t policies; /* so far */
    double *value;    /* [policies][m] */
    double size;      /* the largest |v_ki| */
    int64_t count;    /* corners */
    fy_corner *corner;
    int64_t value_room, corner_room, ids;
} fy_corners;

void fy_corners_begin(fy_corners *corners, fy_arena *arena, int64_t m);
/* One policy more: corners that it is better at go, those of its own cell come. */
foray_status fy_corners_add(fy_corners *corners, const double *value);
/* w.v_k - z is 0, or almost: rather one policy too many. */
bool fy_corners_tight(const fy_corners *corners, const fy_corner *corner, int64_t policy);
double fy_corners_value(const fy_corners *corners, const double *w, int64_t policy);

#endif
