/* basis.h - the coordinates in which regressions happen.
 *
 * Two facts hold in every linear mixture model and cost nothing to use
 * (docs/mathematics.md, "Centring and blocks"):
 *
 *   centring  <psi_1(s,a), theta*> = 1 for every (s,a). With theta_0 the
 *             minimum-norm solution of these equations and N an orthonormal
 *             basis of the complement of their span, theta* = theta_0 + N z*:
 *                 P(s'|s,a) = p_0(s'|s,a) + <phi'(s'|s,a), z*>,
 *                 p_0 = <phi, theta_0>,  phi' = N' phi,  sum_{s'} phi' = 0
 *   blocks    coordinates belong together when some (s,a) has both; theta,
 *             Sigma and every regression split into connected components.
 *
 * A basis holds both, or either, or neither (one block, theta_0 = 0, N = I). */
#ifndef FY_BASIS_H
#define FY_BASIS_H

#include "model/model.h"

typedef struct fy_block {
    int32_t coords;       /* feature coordinates of the block */
    int32_t dim;          /* d_g: unknowns left; 0 if the equations fix everything */
    const int32_t *coord; /* [coords] which ones, ascending */
    const double *theta0; /* [coords], zero when not centred */
    const double *basis;  /* N, [coords][dim]; NULL: the identity (not centred) */
    double norm_bound;    /* B_g >= ||z*_g||, positive; from B or from the simplex it lies in */
} fy_block;

struct fy_basis {
    fy_arena arena;
    const foray_model *model;
    bool centred, blocked;
    int64_t blocks;
    fy_block *block;         /* [blocks] */
    int32_t *block_of_coord; /* [dim]; -1: no (s,a) has it, so it is in none of several blocks */
    int32_t *local_of_coord; /* [dim] position within its block */
    int32_t *block_of_generator_set; /* [generator_sets] */
    double *p0;                      /* [generators]: p_0; zero when not centred */
    int64_t unknowns;                /* sum of d_g */
    int32_t max_dim;                 /* largest d_g */
    int32_t max_coords;              /* largest block before centring */
    int64_t max_generators;          /* largest n */
    int64_t bytes;                   /* memory the basis takes */
    int32_t *coord_storage;          /* what the const pointers of blocks point into; blocks with */
    double *storage;                 /* equal equations share one theta_0 and one N */
};

/* FORAY_ERROR_INPUT, naming the (s,a), if probabilities cannot sum to one everywhere. */
foray_status fy_basis_create(foray_context *ctx, const foray_model *model, bool centred,
                             bool blocked, fy_basis **out);
void fy_basis_destroy(fy_basis *basis);

/* phi'_j of every generator of a set: out[j][i], n rows of d_g numbers. */
void fy_basis_generators(const fy_basis *basis, int64_t generator_set, double *out);

/* psi'_f = sum_j f_j phi'_j, d_g numbers; scratch holds max_coords numbers. */
void fy_basis_psi(const fy_basis *basis, int64_t generator_set, const double *f, double *out,
                  double *scratch);

/* <psi_f, theta_0> = sum_j f_j p_0(j). */
double fy_basis_offset(const fy_basis *basis, int64_t generator_set, const double *f);

/* theta = theta_0 + N z for one block, scattered into the full vector. */
void fy_basis_theta(const fy_basis *basis, int64_t block, const double *z, double *theta);

/* z = N' (theta - theta_0): the block's coordinates of a full parameter. */
void fy_basis_coordinates(const fy_basis *basis, int64_t block, const double *theta, double *z);

#endif
