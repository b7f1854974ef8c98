/* ridge.h - ridge regression, one per block:
 *
 *     Sigma = lambda I + sum w x x',   b = sum w x y,   z = Sigma^-1 b
 *
 * kept as Sigma itself and its Cholesky factor L (Sigma = L L'). An update is
 * rank one, O(d_g^2). Rounding in L is measured against Sigma and removed by
 * a fresh factorisation every `refactor_every` updates of a block. Blocks of one
 * unknown have L = sqrt(Sigma) at all times, and nothing to remove. */
#ifndef FY_RIDGE_H
#define FY_RIDGE_H

#include "learn/whiten.h"
#include "model/basis.h"

typedef struct fy_ridge {
    fy_whiten *whiten; /* of the level that the context had */
    int64_t blocks;
    const fy_basis *basis; /* NULL where the blocks are not those of a basis */
    int64_t *at_matrix;    /* [blocks+1] where a block's packed matrices start */
    int64_t *at_vector;    /* [blocks+1] where its vectors start */
    double *factor;        /* L, packed lower, row by row: L(i,j) at i(i+1)/2 + j */
    double *sigma;         /* Sigma, packed the same way */
    double *target;        /* b */
    double *lambda;        /* [blocks] */
    double *growth;        /* [blocks] det Sigma relative to the last fy_ridge_mark */
    int64_t *updates;      /* [blocks] since the last factorisation */
    double max_growth;     /* largest of growth */
    double *spread;        /* [blocks] see fy_ridge_keep_spread; NULL: not kept */
    int64_t refactor_every;
    int64_t refactored; /* factorisations made after updates */
    double worst_error; /* largest ||L L' - Sigma||_max / ||Sigma||_max met before one */
    double *scratch;    /* [3 max_dim] for updates and factorisations */
} fy_ridge;

/* lambda: [blocks]. FORAY_ERROR_USAGE, with the size, if a block is too large for a dense matrix.
 */
foray_status fy_ridge_create(fy_arena *arena, const fy_basis *basis, const double *lambda,
                             int64_t refactor_every, fy_ridge **out);
/* The same for blocks of any dimensions: dim [blocks]. */
foray_status fy_ridge_create_blocks(fy_arena *arena, int64_t blocks, const int64_t *dim,
                                    const double *lambda, int64_t refactor_every, fy_ridge **out);

/* From now on keeps spread_g = sum of w range^2 over the updates of a block: what data whose
 * means are off by up to zeta range may do to z (see fy_radius_widen). The caller adds each
 * update's share; where nothing is kept, that does nothing. */
foray_status fy_ridge_keep_spread(fy_arena *arena, fy_ridge *ridge);
static inline void fy_ridge_add_spread(fy_ridge *ridge, int64_t block, double weight, double range)
{
    if (ridge->spread)
        ridge->spread[block] += weight * range * range;
}

/* Sigma_g += w x x',  b_g += w x y,  w >= 0. x is not changed. */
void fy_ridge_update(fy_ridge *ridge, int64_t block, const double *x, double y, double weight);

/* z = Sigma_g^-1 b_g. */
void fy_ridge_solve(const fy_ridge *ridge, int64_t block, double *z);

/* z = Sigma_g^-1 x for a vector of the caller's. z may be x. */
void fy_ridge_solve_for(const fy_ridge *ridge, int64_t block, const double *x, double *z);

/* out = L_g'^-1 x: standard normal x give out ~ N(0, Sigma^-1). out may be x. */
void fy_ridge_colour(const fy_ridge *ridge, int64_t block, const double *x, double *out);

/* out = L_g^-1 x, so that ||out||_2 = ||x||_{Sigma^-1}. out may be x. */
void fy_ridge_whiten(const fy_ridge *ridge, int64_t block, const double *x, double *out);

/* The same for `count` vectors, each d_g numbers, row by row, in place. */
void fy_ridge_whiten_many(const fy_ridge *ridge, int64_t block, int64_t count, double *x);

/* ||x||_Sigma = ||L' x||_2. */
double fy_ridge_norm(const fy_ridge *ridge, int64_t block, const double *x);

/* The largest ||z(theta) - z||_Sigma / radius of a block of the basis: at most 1 where theta is in
 * the set. work: [max_dim]. */
double fy_ridge_distance(const fy_ridge *ridge, const double *z, const double *radius,
                         const double *theta, double *work);

/* log det Sigma_g. */
double fy_ridge_log_det(const fy_ridge *ridge, int64_t block);

/* Growth is measured from here. */
void fy_ridge_mark(fy_ridge *ridge);

/* Copies numbers between regressions of the same shape. */
void fy_ridge_copy(fy_ridge *to, const fy_ridge *from);
/* Copies Sigma and L of blocks from, from+1, ... into all blocks of a regression that has
 * the dimensions of these. */
void fy_ridge_copy_blocks(fy_ridge *to, const fy_ridge *ridge, int64_t from);

void fy_ridge_write(const fy_ridge *ridge, fy_writer *writer);
void fy_ridge_read(fy_ridge *ridge, fy_reader *reader);

#endif
