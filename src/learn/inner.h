/* inner.h - the inner maximisation, for every generator set at once:
 *
 *     m = max_{f: S->[0,1]} ||psi'_f||_{Sigma^-1},   and a maximiser f
 *
 * exact   over the vertices of the zonotope of psi'_f, listed once as a walk
 * l1      max ||Sigma^{-1/2} psi'_f||_1 over all sign vectors (the paper's surrogate)
 * ascent  f_j <- [g_j' Sigma^-1 psi'_f > 0] from several starts, with an upper bound
 *
 * Maximisers are 0/1 functions of the successors, kept as bits. */
#ifndef FY_INNER_H
#define FY_INNER_H

#include "learn/ridge.h"
#include "learn/walks.h"

typedef struct fy_inner {
    const fy_basis *basis;
    int method; /* FORAY_INNER_EXACT, _L1 or _ASCENT: what auto became */
    int threads;
    foray_context *ctx; /* whether to stop */
    fy_walks *walks;    /* exact: the vertex lists */
    int64_t vertices;   /* exact: over all generator sets */
    double *value;      /* [generator_sets] ||psi'_f|| of the maximiser found */
    double *upper;      /* [generator_sets] upper bound of the maximum; = value if exact */
    int64_t *at_bits;   /* [generator_sets+1] */
    uint64_t *bits;     /* maximisers, ceil(n/64) words per set */
    double ratio;       /* worst upper/value of the last solve */
    int32_t *order;     /* [generator_sets] sets of the same block side by side */
    double *map;        /* with a single block: its whitening map, shared by all threads */
    int64_t *mapped;    /* [threads] the block whose map it has; -1: none */
    double *scratch;    /* per thread */
    int64_t scratch_size;
} fy_inner;

/* method: FORAY_INNER_...; auto takes exact if the vertex lists, and making them, fit
 * into `memory` MiB, else ascent. Vertices that need no list (see walks.h) count 8 bytes
 * each, so that the budget also keeps a solve short: 32 MiB are 4 million vertices.
 * FORAY_ERROR_USAGE, with the reason, where the method asked for cannot work. */
foray_status fy_inner_create(fy_arena *arena, const fy_basis *basis, int method, int64_t memory,
                             fy_inner **out);

/* "auto", "exact", "l1" or "ascent". */
const char *fy_inner_name(int method);

/* Fills value, upper and bits for every generator set. Allocates nothing. Results are
 * the same bits whatever the number of threads. */
void fy_inner_solve(fy_inner *inner, const fy_ridge *ridge);

/* Is generator j in the 0/1 function kept in these bits? */
static inline bool fy_inner_bit(const uint64_t *bits, int64_t j)
{
    return bits[j / 64] >> (j % 64) & 1;
}

#endif
