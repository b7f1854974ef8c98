/* support_linear.h - what the tests of linear MDPs share. */
#ifndef FY_TESTS_SUPPORT_LINEAR_H
#define FY_TESTS_SUPPORT_LINEAR_H

#include "support.h"

typedef struct linear_sizes {
    int64_t states, actions, horizon, dim;
} linear_sizes;

static const linear_sizes linear_small = {5, 3, 4, 4};

/* A random linear MDP: phi(s,a) in the simplex of d corners, each corner a law over all
 * states, P = Phi M. Theta is known, and so is phi. */
foray_model *linear_random_world(foray_context *ctx, linear_sizes n, uint64_t seed);

/* 200 episodes of an algorithm. */
foray_settings linear_settings(const char *algorithm);

/* phi of every pair in full, from FORAY_FEATURES_...: [pairs][dim]. */
double *linear_features(foray_context *ctx, const foray_model *model, int source, int64_t *dim);

#endif
