/* refutation.h - can any law that the model admits have given the data?
 *
 * Every (s,a) gets a law of its own with the Dirichlet(1/2) prior, which is fixed beforehand. With
 * N_j the counts of its n successors and N their sum, the data have the probability
 *
 *     M(s,a) = Gamma(n/2)/Gamma(N + n/2) prod_j Gamma(N_j + 1/2)/Gamma(1/2)
 *
 * and, for a block g of the model with the true weights w*, prod_{(s,a) in g} M(s,a) / e^{l_g(w*)}
 * is a nonnegative martingale that begins at 1, however actions are chosen. So is the mean over
 * the G blocks, among which the stated law of first states counts where it
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
#ifndef FY_REFUTATION_H
#define FY_REFUTATION_H

#include "certify/certifier.h"

typedef struct fy_fit fy_fit;

/* *out is NULL where no data could refute the model in this way (every pair has a free law), or
 * the test would take too much memory. */
foray_status fy_fit_create(fy_arena *arena, const foray_model *model, fy_fit **out);

/* seen: [transitions]. Fills `evidence` and, where the regression (may be NULL) shows it, what
 * cannot be: `outside` of `out`. */
void fy_fit_test(fy_fit *fit, const int64_t *seen, const fy_regression_set *regression,
                 foray_refutation *out);

/* The tests of one exploration: of laws, now and then, and of where its episodes begin. */
typedef struct fy_refuter {
    foray_context *ctx;
    const foray_model *model;
    fy_fit *fit;              /* NULL: no data can refute its laws */
    foray_refutation refuted; /* what the first test said that refuted it */
    int64_t next_test;        /* after how many episodes */
    foray_refutation tested;  /* what the last test said */
    int64_t tested_after;     /* and after how many episodes; -1: none yet */
    int64_t *began;           /* [initials] episodes by first state; NULL: nobody asks */
    int64_t beginnings;       /* their sum */
    double otherwise;         /* log of how much more probable a law of their own makes them */
    foray_refutation begun;   /* what refuted the stated law of first states */
} fy_refuter;

/* beginnings: should episodes begin as the model says? */
foray_status fy_refuter_create(fy_arena *arena, const foray_model *model, bool beginnings,
                               fy_refuter *out);

/* Is it time for a test after so many episodes? The test, and the time of the next. */
bool fy_refuter_is_due(const fy_refuter *refuter, int64_t episodes);
void fy_refuter_test(fy_refuter *refuter, int64_t episodes, const int64_t *seen,
                     const fy_regression_set *regression);
/* An episode, the last of so many, began in this state. */
void fy_refuter_note_beginning(fy_refuter *refuter, int64_t episodes, int64_t first);

/* What refuted the model first, or what a test of all data says. */
foray_refutation fy_refuter_found(fy_refuter *refuter, int64_t episodes, const int64_t *seen,
                                  const fy_regression_set *regression);

void fy_refuter_save(const fy_refuter *refuter, fy_writer *writer);
void fy_refuter_load(fy_refuter *refuter, fy_reader *reader);
void fy_refuter_save_beginnings(const fy_refuter *refuter, fy_writer *writer);
void fy_refuter_load_beginnings(fy_refuter *refuter, int64_t episodes, fy_reader *reader);

#endif
