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
    double error; /* zeta: <phi,w> + zeta takes the place of <phi,w>, see certify/refutation.h */
} fy_counts_mixture;

/* The likelihood set of block g without the ellipsoid: w* has l(w*) >= this number with probability
 * 1 - share, for all n at once. */
double fy_likelihood_min(fy_likelihood *lik, int64_t g, const int64_t *count, double share);

/* An upper bound of max_w l(w) for such data: what EM reaches, and its duality gap. */
double fy_likelihood_max(fy_likelihood *lik, int64_t g, const fy_counts_mixture *data);

/* The weights c of the last estimate, [coords]. */
const double *fy_likelihood_weights(const fy_likelihood *lik);

/* ------------------------------------------------------------------- refitting
 *
 * The (k/2) log n in pen is the price of a prior that is spread over the whole simplex. A prior may
 * be chosen in the light of data, if only later data count: with the estimate c1 and the
 * information I1 of block g after 4^j episodes,
 *
 *     prior j  uniform on {||w - c1||_I1 <= rho}, rho = 2 sqrt(k + 1), in the simplex
 *     l_j      the likelihood of what came later
 *     l_j(c) - l_j(w*) <= log(2 j(j+1) G/delta) + pen_j,
 *     pen_j = C(u) r^2 k/(2(k+2)) - k log(r/rho) + 1/2 log(det I/det I1)
 *
 * holds for all times at once, since the mixture is a supermartingale from then on. The first
 * prior, with all data, is kept at delta/2, and sum_j 1/(2 j(j+1)) is the other half: every set
 * holds w* at once, and the smallest ellipsoid is taken. Laws with one unknown keep the first prior
 * and all of delta. */

/* How often each vector had been seen after 4^number episodes. */
typedef struct fy_earlier {
    int64_t number;       /* j, from 1 */
    const int64_t *count; /* [slots] */
} fy_earlier;
typedef struct fy_history {
    int64_t times;
    const fy_earlier *earlier; /* [times] */
} fy_history;

typedef struct fy_refit fy_refit;

foray_status fy_refit_create(fy_arena *arena, const fy_vectors *vectors, fy_refit **out);

/* fy_likelihood_estimate with the best of the first prior and the earlier ones. */
fy_likelihood_fit fy_refit_estimate(fy_refit *refit, fy_likelihood *lik, int64_t g,
                                    const int64_t *count, const fy_history *history, double share,
                                    double inner, fy_ridge *ridge, double *z, double *radius);

/* A prior that is uniform on {||w - centre||_I1 <= rho}, as far as that lies in the simplex. */
typedef struct fy_local_prior {
    double *centre;         /* [m] */
    double *matrix;         /* [k][k] I1, both halves */
    double rho, log_det;    /* log det I1 */
    double *image, *square; /* [k][k] scratch */
} fy_local_prior;

/* fy_likelihood_estimate with either prior. Leaves L of M in lik->factor. Where the penalty is
 * INFINITY nothing is handed over. */
fy_likelihood_fit fy_lik_fit(fy_likelihood *lik, int64_t g, const int64_t *count,
                             const fy_local_prior *prior, double share, double inner,
                             fy_ridge *ridge, double *z, double *radius);

/* ------------------------------------------------------------ two bodies of data
 *
 * Each has its likelihood set of a mixture block, {w: l_i(w) >= b_i}, which contains w* with
 * probability 1 - share for all n at once. Where the two have no point in common, both cannot
 * hold: with probability 1 - 2 share, no w* gave both. Sets of concave functions are disjoint
 * exactly where some mixture of the two shows it,
 *
 *     max_w [lambda l_1(w) + (1 - lambda) l_2(w)] < lambda b_1 + (1 - lambda) b_2,  0 < lambda < 1,
 *
 * and the left side is bounded above by what EM reaches and its duality gap: a refutation is
 * proved, whatever the numerics. */

/* By how many nats the best lambda refutes that block g is the same in both; at most 0: it is not
 * refuted. Counts are [slots], all blocks'. */
double fy_refute_block(fy_likelihood *lik, const fy_vectors *vectors, int64_t g, const int64_t *one,
                       const int64_t *other, double share);

#endif
