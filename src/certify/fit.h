/* fit.h - can any law that the model admits have given the data?
 *
 * Every (s,a) gets a law of its own with the Dirichlet(1/2) prior, which is fixed beforehand. With
 * N_j the counts of its n successors and N their sum, the data have the probability
 *
 *     M(s,a) = Gamma(n/2)/Gamma(N + n/2) prod_j Gamma(N_j + 1/2)/Gamma(1/2)
 *
 * and, for a block g of the model with the true weights w*, prod_{(s,a) in g} M(s,a) / e^{l_g(w*)}
 * is a nonnegative martingale that begins at 1, however actions are chosen. So is the mean over
 * the G blocks, among which the stated law of first states counts (explore/beginning.c) where it
 * has several. By Ville, with probability 1 - delta', at all times at once and for all blocks,
 *
 *     evidence = max_g [ sum_{(s,a) in g} log M(s,a) - max_w l_g(w) ] - log G  <  log(1/delta')
 *
 * where an upper bound of max_w l_g(w) is enough: a model is refuted by more evidence than that.
 * delta' = 1/1000 comes on top of the delta of certificates. Features with an error zeta give
 * no successor a probability of more than <phi,w> + zeta, which takes the place of <phi,w>.
 *
 * Blocks that are not mixtures have no such test; there, and everywhere where there is a
 * regression, an ellipsoid is refuted that has no point in common with a half-space which every law
 * lies in: probabilities and weights are not negative. That spends no further probability, as it
 * is the event on which certificates rest. */
#ifndef FY_FIT_H
#define FY_FIT_H

#include "certify/certifier.h"

typedef struct fy_fit fy_fit;

/* *out is NULL where no data could refute the model in this way (every pair has a free law), or
 * the test would take too much memory. */
foray_status fy_fit_create(fy_arena *arena, const foray_model *model, fy_fit **out);

/* log(1/delta'), and G of a model whose fit may be NULL. */
double fy_fit_limit(void);
double fy_fit_laws(const fy_fit *fit, const foray_model *model);

/* About how many elementary steps a test takes. */
double fy_fit_cost(const fy_fit *fit);

/* seen: [transitions]. Fills `evidence` and, where the regression (may be NULL) shows it, what
 * cannot be: `outside` of `out`. */
void fy_fit_test(fy_fit *fit, const int64_t *seen, const fy_regression_set *regression,
                 foray_refutation *out);

#endif
