/* refute.h - can one law have given two bodies of data?
 *
 * Each has its likelihood set of a mixture block, {w: l_i(w) >= b_i}, which contains w* with
 * probability 1 - share for all n at once. Where the two have no point in common, both cannot
 * hold: with probability 1 - 2 share, no w* gave both. Sets of concave functions are disjoint
 * exactly where some mixture of the two shows it,
 *
 *     max_w [lambda l_1(w) + (1 - lambda) l_2(w)] < lambda b_1 + (1 - lambda) b_2,   0 < lambda <
 * 1,
 *
 * and the left side is bounded above by what EM reaches and its duality gap: a refutation is
 * proved, whatever the numerics. */
#ifndef FY_REFUTE_H
#define FY_REFUTE_H

#include "learn/likelihood.h"

/* By how many nats the best lambda refutes that block g is the same in both; at most 0: it is not
 * refuted. Counts are [slots], all blocks'. */
double fy_refute_block(fy_likelihood *lik, const fy_vectors *vectors, int64_t g, const int64_t *one,
                       const int64_t *other, double share);

#endif
