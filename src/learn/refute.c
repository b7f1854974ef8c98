/* refute.c - see refute.h. */
#include "learn/refute.h"
#include "base/maths.h"

#include <math.h>

/* Two bodies of data, and the least log-likelihoods that their sets allow. */
typedef struct pair_of_sets {
    fy_likelihood *lik;
    int64_t block;
    const int64_t *one, *other;
    double least_one, least_other;
} pair_of_sets;

/* lambda b_1 + (1 - lambda) b_2 - max_w [...] at lambda = e^t/(1 + e^t). */
static double margin(const pair_of_sets *sets, double t)
{
    double lambda = 1 / (1 + fy_exp(-t)), rest = 1 / (1 + fy_exp(t));
    const fy_counts_mixture data = {
        .count = sets->one, .other = sets->other, .weight = lambda, .other_weight = rest};
    return lambda * sets->least_one + rest * sets->least_other -
           fy_likelihood_most(sets->lik, sets->block, &data);
}

static bool is_empty(const fy_vectors *vectors, int64_t g, const int64_t *count)
{
    for (int64_t slot = vectors->start[g]; slot < vectors->start[g + 1]; slot++)
        if (count[slot] > 0)
            return false;
    return true;
}

/* The margin is concave in lambda, so it has one hill in t as well: golden section. Bodies of very
 * different sizes have their best lambda near an end. */
static double best_margin(const pair_of_sets *sets)
{
    enum { STEPS = 24 };
    static const double golden = 0.61803398874989485;
    double low = -14, high = 14;
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = margin(sets, left), at_right = margin(sets, right);
    double best = fmax(at_left, at_right);
    for (int step = 0; step < STEPS; step++) {
        if (at_left > at_right) {
            high = right;
            right = left;
            at_right = at_left;
            at_left = margin(sets, left = high - golden * (high - low));
        } else {
            low = left;
            left = right;
            at_left = at_right;
            at_right = margin(sets, right = low + golden * (high - low));
        }
        best = fmax(best, fmax(at_left, at_right));
    }
    return best;
}

double fy_refute_block(fy_likelihood *lik, const fy_vectors *vectors, int64_t g, const int64_t *one,
                       const int64_t *other, double share)
{
    /* Without data a set is the whole simplex, and meets every other. */
    if (!(vectors->scale[g] > 0) || is_empty(vectors, g, one) || is_empty(vectors, g, other))
        return -INFINITY;
    pair_of_sets sets = {.lik = lik, .block = g, .one = one, .other = other};
    sets.least_one = fy_likelihood_least(lik, g, one, share);
    sets.least_other = fy_likelihood_least(lik, g, other, share);
    return best_margin(&sets);
}
