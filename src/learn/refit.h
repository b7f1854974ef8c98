/* refit.h - likelihood sets that know where to look (docs/mathematics.md, "Refitting").
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
#ifndef FY_REFIT_H
#define FY_REFIT_H

#include "learn/likelihood.h"

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

#endif
