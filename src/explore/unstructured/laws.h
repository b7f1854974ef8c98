/* laws.h - the confidence sets of an unstructured model, and expectations under all laws in them.
 *
 * For a law seen n times, N_i times successor i, q = N/n (zero at states that never followed), with
 * a Dirichlet prior of 1/S at each of the S states there may be:
 *
 *   KL(q||p) <= e = x/n,    x = log(G/delta) + log q^N - log integral(p^N dprior)
 *             = log(G/delta) + sum_i [N_i log(N_i/n) - lgamma(N_i + 1/S) + lgamma(1/S)] +
 * lgamma(n+1)
 *
 * for all laws at all times at once with probability 1 - delta, G = S A + 1. On that event
 * learn/direct.h bounds the mean of every V with values in [lo,hi], also where nobody has been. */
#ifndef FY_LAWS_H
#define FY_LAWS_H

#include "explore/unstructured/seen.h"

/* What was seen as arrays, made for a plan. */
typedef struct fy_laws {
    const fy_seen *seen;
    int64_t *start;     /* [laws+1] */
    int32_t *next;      /* [entries] places */
    double *q;          /* [entries] N_i/n */
    double *width;      /* [laws] e; INFINITY: never seen; 0: known */
    double *seen_value; /* [entries] scratch: v of what followed a law */
} fy_laws;

/* x of a law seen at least once, rounded up. */
double fy_laws_nats(const foray_model *model, double delta, const fy_seen *seen, int64_t law);

/* What it points to lives in the arena. */
foray_status fy_laws_create(const foray_explorer *explorer, fy_arena *arena, const fy_seen *seen,
                            fy_laws *out);

/* What an expectation is of: V of the state that follows, or r + g V with an r of its own for each
 * successor that was seen. Everywhere, also at states that never followed, it is in [lo,hi]. */
typedef struct fy_law_target {
    const double *value; /* V by place */
    const double *ahead; /* [entries] r; NULL: V alone */
    double discount;     /* g, where there is r */
    double lo, hi;
} fy_law_target;

/* sum_i q_i V_i; `otherwise` where nothing was seen. */
double fy_laws_mean(const fy_laws *laws, int64_t law, const double *value, double otherwise);

/* The same of a target, lo where nothing was seen; and sup and inf of p(target) over the laws p of
 * the set. */
double fy_laws_target_mean(const fy_laws *laws, int64_t law, const fy_law_target *target);
double fy_laws_high(const fy_laws *laws, int64_t law, const fy_law_target *target);
double fy_laws_low(const fy_laws *laws, int64_t law, const fy_law_target *target);

/* How far p may be from q: |(p-q)V| <= distance for V in [0,1]. */
double fy_laws_distance(const fy_laws *laws, int64_t law);

#endif
