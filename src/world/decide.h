/* decide.h - what the two hard classes share: one step decides.
 *
 * States   start, good, bad; good and bad last forever.
 * Actions  sign vectors a in {-1,1}^(d-1), named by their signs.
 * Features phi(good|start,a) = (good,  scale a)
 *          phi(bad |start,a) = (bad,  -scale a)
 *          phi(s|s,.)        = (stay, 0)          for s good or bad */
#ifndef FY_DECIDE_H
#define FY_DECIDE_H

#include "world/world.h"

enum { FY_DECIDE_START, FY_DECIDE_GOOD, FY_DECIDE_BAD, FY_DECIDE_STATES };
enum { FY_DECIDE_MAX_DIM = 1024 };

typedef struct fy_decision {
    int64_t dim, actions;
    const int8_t *sign; /* [actions][dim - 1] */
    double good, bad, stay, scale;
} fy_decision;

/* Fills a builder of given features: features, theta (dim numbers), names and the map. */
foray_status fy_decide(foray_context *ctx, foray_builder *builder, const fy_decision *what,
                       const double *theta);

#endif
