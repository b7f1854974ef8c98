/* confidence.c - what certificates need of an ellipsoid, once for all rewards. */
#include "certify/confidence.h"
#include "base/maths.h"
#include "learn/direct.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

foray_status fy_confidence_create(fy_arena *arena, const fy_basis *basis, fy_confidence **out)
{
    const foray_model *model = basis->model;
    int64_t generators = model->gen_start[model->generator_sets], coordinates = 0;
    double *lambda;
    fy_confidence *set;
    if (!FY_NEW(arena, set, 1) || !FY_NEW(arena, set->z, basis->unknowns) ||
        !FY_NEW(arena, set->radius, basis->blocks) || !FY_NEW(arena, set->p, generators) ||
        !FY_NEW(arena, set->norm, generators) || !FY_NEW(arena, set->work, 4 * basis->max_dim) ||
        !FY_NEW(arena, set->at_x, model->generator_sets + 1) ||
        !FY_NEW(arena, set->often, generators) ||
        !FY_NEW(arena, set->width, model->generator_sets) ||
        !FY_NEW(arena, set->lifted, basis->max_generators))
        return FORAY_ERROR_MEMORY;
    set->basis = basis;
    for (int64_t i = 0; i < model->generator_sets; i++) {
        set->width[i] = INFINITY;
        coordinates +=
            fy_generator_set_size(model, i) * basis->block[basis->block_of_generator_set[i]].dim;
        set->at_x[i + 1] = coordinates;
    }
    if (!FY_NEW(arena, set->x, coordinates) || !FY_ALLOC(arena->ctx, lambda, basis->blocks))
        return FORAY_ERROR_MEMORY;
    for (int64_t g = 0; g < basis->blocks; g++)
        lambda[g] = 1;
    foray_status status = fy_ridge_create(arena, basis, lambda, INT64_MAX, &set->ridge);
    free(lambda);
    if (status == FORAY_OK)
        status = fy_kernel_create(arena, basis, FY_FACTOR_DOUBLE, &set->kernel);
    if (status == FORAY_OK)
        *out = set;
    return status;
}

/* An upper bound of ||N||_2 for N = |L^-1| |L| of one block: ||N||_2^2 <= ||N||_1 ||N||_inf. The
 * columns of L^-1 are solved for, one by one: `work` has room for four vectors. Each solves
 * (L + E) y = e_j with |E| <= (d+2) u |L|, so that the computed N' has N <= N' + (d+2) u N N', and
 * ||N|| <= ||N'||/(1 - (d+2) u ||N'||) in both norms. Where L is too near to singular to tell, more
 * than anything that is compared with it. */
static double factor_condition(const double *L, int64_t d, double *work)
{
    double *y = work, *row = work + d, *total = work + 2 * d, *column = work + 3 * d;
    memset(row, 0, (size_t)(3 * d) * sizeof *row);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++)
            row[i] += fabs(L[i * (i + 1) / 2 + j]);
    for (int64_t j = 0; j < d; j++) {
        double size = 0;
        for (int64_t i = j; i < d; i++) {
            double sum = i == j ? 1 : 0;
            for (int64_t l = j; l < i; l++)
                sum -= L[i * (i + 1) / 2 + l] * y[l];
            y[i] = sum / L[i * (i + 1) / 2 + i];
            total[i] += fabs(y[i]) * row[j];
            size += fabs(y[i]);
        }
        for (int64_t l = 0; l <= j; l++)
            column[l] += size * fabs(L[j * (j + 1) / 2 + l]);
    }
    double rows = 0, columns = 0, off = 2 * (double)(d + 2) * DBL_EPSILON;
    for (int64_t i = 0; i < d; i++) {
        rows = fmax(rows, total[i] * (1 + off));
        columns = fmax(columns, column[i] * (1 + off));
    }
    bool singular = !(off * fmax(rows, columns) < 0.5);
    return singular ? 1e300 : sqrt(rows / (1 - off * rows)) * sqrt(columns / (1 - off * columns));
}

void fy_confidence_complete(fy_confidence *set)
{
    const fy_basis *basis = set->basis;
    const foray_model *model = basis->model;
    fy_kernel_estimate(set->kernel, set->ridge, set->z, set->radius);
    set->kappa_factor = 1;
    set->laws = true;
    for (int64_t g = 0; g < basis->blocks; g++)
        set->kappa_factor =
            fmax(set->kappa_factor, factor_condition(set->ridge->factor + set->ridge->at_matrix[g],
                                                     basis->block[g].dim, set->work));
    for (int64_t i = 0; i < model->generator_sets; i++) {
        int64_t g = basis->block_of_generator_set[i], d = basis->block[g].dim;
        int64_t n = fy_generator_set_size(model, i), first = model->gen_start[i];
        double *x = set->x + set->at_x[i], *p = set->p + first;
        const double *z = set->z + set->ridge->at_vector[g];
        fy_basis_generators(basis, i, x);
        /* p_j = p_0(j) + <phi'_j, z_g> */
        for (int64_t j = 0; j < n; j++) {
            p[j] = basis->p0[first + j];
            for (int64_t k = 0; k < d; k++)
                p[j] += x[j * d + k] * z[k];
            p[j] = p[j] < 0 && p[j] > -1e-12 ? 0 : p[j];
            set->laws = set->laws && p[j] >= 0;
        }
        if (d > 0)
            fy_ridge_whiten_many(set->ridge, g, n, x);
        for (int64_t j = 0; j < n; j++) {
            double square = 0;
            for (int64_t k = 0; k < d; k++) {
                x[j * d + k] *= set->radius[g];
                square += x[j * d + k] * x[j * d + k];
            }
            set->norm[first + j] = sqrt(square);
        }
    }
}

double fy_confidence_mean(const fy_confidence *set, int64_t i, const double *v)
{
    const foray_model *model = set->basis->model;
    int64_t n = fy_generator_set_size(model, i);
    double min = INFINITY, max = -INFINITY;
    if (!isfinite(set->width[i]))
        return INFINITY;
    for (int64_t j = 0; j < n; j++) {
        min = fmin(min, v[j]);
        max = fmax(max, v[j]);
    }
    for (int64_t j = 0; j < n; j++)
        set->lifted[j] = v[j] - min;
    double mean =
        fy_direct_mean(n, set->often + model->gen_start[i], set->lifted, max - min, set->width[i]);
    return fmin(max, min + mean + 4 * DBL_EPSILON * (fabs(min) + fabs(max)));
}

double fy_confidence_divergence(const fy_confidence *set, int64_t i, const double *theta)
{
    const foray_model *model = set->basis->model;
    const double *q = set->often + model->gen_start[i];
    double sum = 0;
    if (!isfinite(set->width[i]))
        return 0;
    fy_generator_set_probabilities(model, theta, i, set->lifted);
    for (int64_t j = 0; j < fy_generator_set_size(model, i); j++)
        if (q[j] > 0)
            sum += set->lifted[j] > 0 ? q[j] * fy_log(q[j] / set->lifted[j]) : INFINITY;
    return fmax(0, sum);
}

double fy_confidence_distance(const fy_confidence *set, const double *theta)
{
    double worst = fy_ridge_distance(set->ridge, set->z, set->radius, theta, set->work);
    for (int64_t i = 0; i < set->basis->model->generator_sets; i++)
        if (isfinite(set->width[i]))
            worst = fmax(worst, sqrt(fy_confidence_divergence(set, i, theta) / set->width[i]));
    return worst;
}
