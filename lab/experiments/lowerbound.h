/* lowerbound.h - the two classes of worlds that no algorithm explores quickly: what the theorems
 * say about them, and what an algorithm does there.
 *
 * Packing     world `hard`. Members x of a packing of sign vectors; the action x is the best.
 * Hypercube   world `hypercube`. All sign vectors; every sign counts on its own.
 *
 * In both the reward is 1 in the state `good`, and an algorithm succeeds when the gap of the
 * policy it plans for that reward is at most eps. The theorems say that up to a number of
 * episodes, bound(d, H, eps, delta), every algorithm fails with a probability of more than
 * delta, on some member and indeed on average over all of them. */
#ifndef FY_LOWERBOUND_H
#define FY_LOWERBOUND_H

#include "measure/measure.h"

enum { FY_HARD_PACKING, FY_HARD_HYPERCUBE, FY_HARD_CLASSES };

typedef struct fy_hard_class {
    int kind;
    int64_t dim, horizon;
    double eps, delta;
} fy_hard_class;

/* Episodes that are not enough. At most 0, or NaN: the theorem says nothing here. */
double fy_hard_class_bound(const fy_hard_class *hard);

/* The least d from which on the bound for packings is positive: 61 to 72. */
int64_t fy_hard_class_min_dim(double delta);

/* The largest eps that the class has room for: beyond it probabilities would leave [0,1]
 * (packing), or the range in which the theorem holds (hypercube). */
double fy_hard_class_max_eps(const fy_hard_class *hard);

/* How many members the class has; of packings, how many its theorem counts on. */
int64_t fy_hard_class_members(const fy_hard_class *hard);

/* The world whose best action is `member`. */
foray_status fy_hard_class_model(foray_context *ctx, const fy_hard_class *hard, int64_t member,
                                 foray_model **out);

typedef struct fy_hard_class_outcome {
    double gap;
    bool success; /* gap <= eps */
    bool found;   /* the action planned for the first step is the best one */
} fy_hard_class_outcome;

/* Explores the world of `member` for settings->episodes episodes, plans for the reward 1 in
 * `good`, and looks at the gap. */
foray_status fy_hard_class_trial(foray_context *ctx, const fy_hard_class *hard, int64_t member,
                                 const foray_settings *settings, foray_mode mode,
                                 fy_hard_class_outcome *out);

#endif
