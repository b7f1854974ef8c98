/* likelihood_parts.h - what the files behind likelihood.h share: the block at hand, small algebra
 * on its tangent space, and penalties. */
#ifndef FY_LIKELIHOOD_PARTS_H
#define FY_LIKELIHOOD_PARTS_H

#include "learn/likelihood.h"

#include <float.h>
#include <math.h>

/* Rounding unit. */
#define FY_UNIT (DBL_EPSILON / 2)

struct fy_likelihood {
    foray_context *ctx;
    const fy_vectors *vectors;
    /* Of the block at hand. */
    const fy_block *block;
    int64_t m, k, rows; /* rows: vectors that were seen */
    double n;           /* sum of number */
    double *number;     /* [rows] N_t */
    double *phi;        /* [rows][m] in units in which weights sum to one */
    double *tangent;    /* [rows][k] N' phi_t */
    double *p;          /* [rows] <phi_t, c> */
    double *max;        /* [rows] u_t >= <phi_t, w> on the set */
    double *c, *trial;  /* [m] */
    double *gradient;   /* [m] g_i = sum_t N_t phi_ti / p_t */
    double *matrix;     /* [k][k], the lower half is used */
    double *factor;     /* [k][k] lower */
    double *solution;   /* [m] */
    int64_t *order;     /* [m] the free weights */
    bool separate;      /* every vector seen is a multiple of a unit vector */
};

/* Asked at some rows, by loops with m^2 operations for each: should what is under way end? */
static inline bool stopped_at(const fy_likelihood *lik, int64_t t)
{
    const int64_t operations_per_question = 1 << 22;
    int64_t rows = 1 + operations_per_question / (lik->m * lik->m);
    return t % rows == 0 && fy_stopped(lik->ctx);
}

/* ------------------------------------------------------------ small algebra */

static inline double dot(int64_t count, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

/* matrix += weight x x', lower half. */
static inline void add_outer(int64_t k, double weight, const double *x, double *matrix)
{
    for (int64_t i = 0; i < k && weight != 0; i++)
        for (int64_t j = 0; j <= i; j++)
            matrix[i * k + j] += weight * x[i] * x[j];
}

/* factor factor' = matrix; false where a pivot is lost in the rounding of its diagonal. */
static inline bool factorise(int64_t k, const double *matrix, double *factor)
{
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = matrix[i * k + j] - dot(j, factor + i * k, factor + j * k);
            if (j < i)
                factor[i * k + j] = sum / factor[j * k + j];
            else if (!(sum > 64 * (double)k * FY_UNIT * matrix[i * k + i]))
                return false;
            else
                factor[i * k + i] = sqrt(sum);
        }
    return true;
}

/* ||x||^2 in the norm of the inverse of what was factorised. */
static inline double inverse_norm(int64_t k, const double *factor, const double *x, double *scratch)
{
    double square = 0;
    for (int64_t i = 0; i < k; i++) {
        scratch[i] = (x[i] - dot(i, factor + i * k, scratch)) / factor[i * k + i];
        square += scratch[i] * scratch[i];
    }
    return sqrt(square);
}

/* x <- (factor factor')^-1 x. */
static inline void solve(int64_t k, const double *factor, double *x)
{
    for (int64_t i = 0; i < k; i++)
        x[i] = (x[i] - dot(i, factor + i * k, x)) / factor[i * k + i];
    for (int64_t i = k - 1; i >= 0; i--) {
        for (int64_t j = i + 1; j < k; j++)
            x[i] -= factor[j * k + i] * x[j];
        x[i] /= factor[i * k + i];
    }
}

/* p_t = <phi_t, w>; returns l(w). */
double fy_lik_evaluate(fy_likelihood *lik, const double *w);
/* I = sum_t N_t phi_t phi_t' / p_t^2 on the tangent space, into lik->matrix. Expects p. */
void fy_lik_information(fy_likelihood *lik);
/* c near the maximum for these counts of block g. */
void fy_lik_maximise(fy_likelihood *lik, int64_t g, const int64_t *count);

/* A prior that is uniform on {||w - centre||_I1 <= rho}, as far as that lies in the simplex. */
typedef struct fy_local_prior {
    double *centre;         /* [m] */
    double *matrix;         /* [k][k] I1, both halves */
    double rho, log_det;    /* log det I1 */
    double *image, *square; /* [k][k] scratch */
} fy_local_prior;

/* pen around lik->c, of such a prior or (NULL) of the block's own; INFINITY: none is known. */
double fy_lik_penalty(fy_likelihood *lik, int64_t g, const fy_local_prior *prior);

/* fy_likelihood_estimate with either prior. Leaves L of M in lik->factor. Where the penalty is
 * INFINITY nothing is handed over. */
fy_likelihood_fit fy_lik_fit(fy_likelihood *lik, int64_t g, const int64_t *count,
                             const fy_local_prior *prior, double share, double inner,
                             fy_ridge *ridge, double *z, double *radius);

#endif
