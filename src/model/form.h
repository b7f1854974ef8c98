/* form.h - the coordinates in which regressions happen.
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
 * A form holds both, or either, or neither (one block, theta_0 = 0, N = I). */
#ifndef FY_FORM_H
#define FY_FORM_H

#include "model/model.h"

typedef struct fy_block {
    int32_t coords;       /* feature coordinates of the block */
    int32_t dim;          /* d_g: unknowns left; 0 if the equations fix everything */
    const int32_t *coord; /* [coords] which ones, ascending */
    const double *theta0; /* [coords], zero when not centred */
    const double *basis;  /* N, [coords][dim]; NULL: the identity (not centred) */
    double norm_bound;    /* B_g >= ||z*_g||, positive; from B or from the simplex it lies in */
} fy_block;

struct fy_form {
    const foray_model *model;
    bool centred, blocked;
    int64_t blocks;
    fy_block *block;          /* [blocks] */
    int32_t *block_of_coord;  /* [dim]; -1: no (s,a) has it, so it is in none of several blocks */
    int32_t *local_of_coord;  /* [dim] position within its block */
    int32_t *block_of_genset; /* [gensets] */
    double *p0;               /* [generators]: p_0; zero when not centred */
    int64_t unknowns;         /* sum of d_g */
    int32_t most_dim;         /* largest d_g */
    int32_t most_coords;      /* largest block before centring */
    int64_t most_generators;  /* largest n */
    int64_t bytes;            /* memory the form takes */
    int32_t *coord_storage;   /* what the const pointers of blocks point into; blocks with */
    double *storage;          /* equal equations share one theta_0 and one N */
};

/* FORAY_ERROR_INPUT, naming the (s,a), if probabilities cannot sum to one everywhere. */
foray_status fy_form_create(foray_context *ctx, const foray_model *model, bool centred,
                            bool blocked, fy_form **out);
void fy_form_destroy(fy_form *form);

/* phi'_j of every generator of a set: out[j][i], n rows of d_g numbers. */
void fy_form_generators(const fy_form *form, int64_t genset, double *out);

/* psi'_f = sum_j f_j phi'_j, d_g numbers; scratch holds most_coords numbers. */
void fy_form_psi(const fy_form *form, int64_t genset, const double *f, double *out,
                 double *scratch);

/* <psi_f, theta_0> = sum_j f_j p_0(j). */
double fy_form_offset(const fy_form *form, int64_t genset, const double *f);

/* theta = theta_0 + N z for one block, scattered into the full vector. */
void fy_form_theta(const fy_form *form, int64_t block, const double *z, double *theta);

/* z = N' (theta - theta_0): the block's coordinates of a full parameter. */
void fy_form_coordinates(const fy_form *form, int64_t block, const double *theta, double *z);

#endif
