/* laws.h - the confidence sets of an open model, and expectations under all laws in them.
 *
 * For a law seen n times, N_i times successor i, q = N/n (zero at states that never followed), with
 * a Dirichlet prior of 1/S at each of the S states there may be:
 *
 *   KL(q||p) <= e = x/n,    x = log(G/delta) + log q^N - log integral(p^N dprior)
 *             = log(G/delta) + sum_i [N_i log(N_i/n) - lgamma(N_i + 1/S) + lgamma(1/S)] +
 * lgamma(n+1)
 *
 * for all laws at all times at once with probability 1 - delta, G = S A + 1. On that event, for
 * every V with values in [lo,hi], also where nobody has been, and every eta >= hi - lo = C,
 * v = V - lo:
 *
 *   p v <= eta (1 - exp(-y)),     y = e - sum_i q_i log(1 - v_i/eta)
 *
 * since log p(eta - v) >= sum q log(p (eta - v)/q) = sum q log(eta - v) - KL(q||p), by Jensen.
 * docs/mathematics.md has the proof. Whichever eta: it decides how sharp, not whether true. */
#ifndef FY_LAWS_H
#define FY_LAWS_H

#include "explore/open/seen.h"

/* What was seen as arrays, made for a plan. */
typedef struct fy_laws {
    const fy_seen *seen;
    int64_t *start; /* [laws+1] */
    int32_t *next;  /* [entries] places */
    double *q;      /* [entries] N_i/n */
    double *width;  /* [laws] e; INFINITY: never seen; 0: known */
} fy_laws;

foray_status fy_laws_create(const foray_explorer *explorer, const fy_seen *seen, fy_laws *out);
void fy_laws_destroy(fy_laws *laws);

/* sum_i q_i V_i; `otherwise` where nothing was seen. */
double fy_laws_mean(const fy_laws *laws, int64_t law, const double *value, double otherwise);

/* sup and inf of pV over the laws p of the set, all V being in [lo,hi]. */
double fy_laws_high(const fy_laws *laws, int64_t law, const double *value, double lo, double hi);
double fy_laws_low(const fy_laws *laws, int64_t law, const double *value, double lo, double hi);

/* How far p may be from q: |(p-q)V| <= distance for V in [0,1]. */
double fy_laws_distance(const fy_laws *laws, int64_t law);

#endif
