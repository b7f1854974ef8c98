/* likelihood.h - confidence sets from the full likelihood of the data (docs/mathematics.md,
 * "Certificates").
 *
 * Of a mixture block with m weights w, k = m - 1 unknowns, and counts N_t of the vectors phi_t:
 *
 *     l(w) = sum_t N_t log <phi_t, w>,   n = sum_t N_t
 *     l(c) - l(w*) <= x = log(G/delta) + pen      with probability 1 - delta/G, for all n at once
 *
 * for any c, since for a prior fixed beforehand integral(e^l dprior)/e^{l(w*)} is a
 * nonnegative supermartingale (Ville), and pen bounds l(c) - log integral(e^l dprior). The
 * set {w: l(w) >= l(c) - x} lies in an ellipsoid,
 *
 *     ||w* - c||_M <= beta,
 *
 * which takes the place of (Sigma, z, radius) wherever a plan or a bound needs one: bonuses
 * follow the variance of V under the estimated law instead of its range, and estimates are
 * probability vectors. */
#ifndef FY_LIKELIHOOD_H
#define FY_LIKELIHOOD_H

#include "learn/ridge.h"
#include "learn/tally.h"

/* What became of one block. */
typedef struct fy_likelihood_fit {
    double visits;  /* n */
    double excess;  /* gap: l(c) is at most this far below the maximum */
    double penalty; /* pen */
    double width;   /* x */
    double radius;  /* beta */
} fy_likelihood_fit;

typedef struct fy_likelihood fy_likelihood;

/* Room for the largest block of `vectors`, which must outlive it. */
foray_status fy_likelihood_create(fy_arena *arena, const fy_vectors *vectors, fy_likelihood **out);

/* The ellipsoid of mixture block g from its counts (count[slots], all blocks'), where `share` is
 * delta/G: into Sigma and L of `ridge`, z (the block's own place in both is found by ridge->at_...)
 * and radius[g]. With `inner` > 0 a centre near the border is moved into the simplex, so
 * that every weight is positive: c = (1 - inner/n) c_0 + (inner/n)/m. */
fy_likelihood_fit fy_likelihood_estimate(fy_likelihood *lik, int64_t g, const int64_t *count,
                                         double share, double inner, fy_ridge *ridge, double *z,
                                         double *radius);

/* Counts of all blocks' vectors, [slots], or weight * count + other_weight * other. */
typedef struct fy_counts_mixture {
    const int64_t *count, *other; /* other may be NULL */
    double weight, other_weight;
    double error; /* zeta: <phi,w> + zeta takes the place of <phi,w>, see certify/fit.h */
} fy_counts_mixture;

/* The likelihood set of block g without the ellipsoid: w* has l(w*) >= this number with probability
 * 1 - share, for all n at once. */
double fy_likelihood_least(fy_likelihood *lik, int64_t g, const int64_t *count, double share);

/* An upper bound of max_w l(w) for such data: what EM reaches, and its duality gap. */
double fy_likelihood_most(fy_likelihood *lik, int64_t g, const fy_counts_mixture *data);

/* The weights c of the last estimate, [coords]. */
const double *fy_likelihood_weights(const fy_likelihood *lik);

#endif
