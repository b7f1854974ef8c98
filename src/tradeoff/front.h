/* front.h - few policies for every weighting of several rewards (docs/mathematics.md, "Several
 * rewards").
 *
 * With r_w = sum_i w_i r_i/scale_i, w in the simplex, the loss
 *     L(pi;w) = sup_theta [ V*_theta(r_w) - V^pi_theta(r_w) ] <= D(pi; r_w)
 * is convex in w: between the corners of a cell a policy loses at most the largest of its
 * certificates at these corners. So eps = max over all cells and corners of D(pi_cell; r_corner) is
 * what one of the policies loses at most, whatever the weighting. */
#ifndef FY_FRONT_H
#define FY_FRONT_H

#include "tradeoff/corners.h"
#include "tradeoff/weigher.h"

/* What is known of a corner, by its id. */
typedef struct fy_corner_facts {
    double best;  /* the best plug-in value there; NaN: not planned yet */
    bool settled; /* no policy that could be planned there would help */
    double *loss; /* [most policies] certificates; NaN: not asked for */
} fy_corner_facts;

typedef struct fy_front {
    fy_arena *arena;
    fy_weigher *weigher;
    fy_corners corners;
    int64_t policies, most;
    fy_weighed *policy; /* [policies], room for [most] */
    double *floor;      /* [policies] D where it was found, */
    double *found;      /* [policies][rewards] at this weighting */
    int64_t facts_room, facts_count;
    fy_corner_facts *facts; /* [ids] */
    double until, eps;
    int64_t worst_corner, worst_policy; /* where eps is attained */
    double left;                        /* what a new policy could gain there by the estimate */
    bool full;                          /* more policies were wanted */
} fy_front;

/* With at most so many policies, until eps is at most `until` or the certificates allow no more.
 * What belongs to it is from the arena. FORAY_INTERRUPTED. */
foray_status fy_front_find(fy_arena *arena, fy_weigher *weigher, int64_t most, double until,
                           fy_front *out);

/* D of a policy at a corner; NaN: it is not certified there, since it has no part in it. */
double fy_front_loss(const fy_front *front, int64_t corner, int64_t policy);
/* The weights that the weigher takes, of a weighting. */
void fy_front_weights(const fy_front *front, const double *w, double *weight);

#endif
