/* likelihood.c - maximum likelihood, penalties, and the ellipsoid around it. */
#include "base/maths.h"
#include "learn/likelihood_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- memory */

foray_status fy_likelihood_create(fy_arena *arena, const fy_vectors *vectors, fy_likelihood **out)
{
    const fy_basis *basis = vectors->basis;
    int64_t m = 1, rows = 1;
    for (int64_t g = 0; g < basis->blocks; g++) {
        if (!(vectors->scale[g] > 0))
            continue;
        int64_t slots = vectors->start[g + 1] - vectors->start[g];
        rows = slots > rows ? slots : rows;
        m = basis->block[g].coords > m ? basis->block[g].coords : m;
    }
    size_t cells, square;
    fy_likelihood *lik;
    if (!fy_size_mul((size_t)rows, (size_t)m, &cells) ||
        !fy_size_mul((size_t)m, (size_t)m, &square))
        return fy_fail(arena->ctx, FORAY_ERROR_MEMORY,
                       "the likelihood of a block of %lld weights is too "
                       "large for memory",
                       (long long)m);
    if (!FY_NEW(arena, lik, 1))
        return FORAY_ERROR_MEMORY;
    lik->ctx = arena->ctx;
    lik->vectors = vectors;
    if (!FY_NEW(arena, lik->number, rows) || !FY_NEW(arena, lik->phi, cells) ||
        !FY_NEW(arena, lik->tangent, cells) || !FY_NEW(arena, lik->p, rows) ||
        !FY_NEW(arena, lik->max, rows) || !FY_NEW(arena, lik->c, m) ||
        !FY_NEW(arena, lik->trial, m) || !FY_NEW(arena, lik->gradient, m) ||
        !FY_NEW(arena, lik->matrix, square) || !FY_NEW(arena, lik->factor, square) ||
        !FY_NEW(arena, lik->solution, m) || !FY_NEW(arena, lik->order, m))
        return FORAY_ERROR_MEMORY;
    *out = lik;
    return FORAY_OK;
}

const double *fy_likelihood_weights(const fy_likelihood *lik)
{
    return lik->c;
}

/* ------------------------------------------------------------------ the data */

/* The vectors of the block that were seen, as weights see them and in the tangent space. Numbers
 * may be whole, or the mixture of two counts that refute.c asks about. */
static void gather(fy_likelihood *lik, int64_t g, const fy_counts_mixture *data)
{
    const fy_vectors *vectors = lik->vectors;
    const fy_basis *basis = vectors->basis;
    const foray_model *model = basis->model;
    lik->block = &basis->block[g];
    lik->m = lik->block->coords;
    lik->k = lik->block->dim;
    lik->rows = 0;
    lik->n = 0;
    lik->separate = true;
    for (int64_t slot = vectors->start[g]; slot < vectors->start[g + 1]; slot++) {
        double number = data->weight * (double)data->count[slot];
        if (data->other)
            number += data->other_weight * (double)data->other[slot];
        if (!(number > 0))
            continue;
        double *phi = lik->phi + lik->rows * lik->m, *tangent = lik->tangent + lik->rows * lik->k;
        memset(phi, 0, (size_t)lik->m * sizeof *phi);
        memset(tangent, 0, (size_t)lik->k * sizeof *tangent);
        int64_t gen = vectors->generator[slot];
        for (int64_t f = model->feat_start[gen]; f < model->feat_start[gen + 1]; f++) {
            int32_t i = basis->local_of_coord[model->feat_index[f]];
            phi[i] = model->feat_value[f] / vectors->scale[g];
            for (int64_t j = 0; j < lik->k; j++)
                tangent[j] += phi[i] * lik->block->basis[i * lik->k + j];
        }
        lik->separate &= model->feat_start[gen + 1] - model->feat_start[gen] == 1;
        lik->number[lik->rows++] = number;
        lik->n += number;
    }
}

/* p_t = <phi_t, w>; returns l(w). */
double fy_lik_evaluate(fy_likelihood *lik, const double *w)
{
    double l = 0;
    for (int64_t t = 0; t < lik->rows; t++) {
        lik->p[t] = dot(lik->m, lik->phi + t * lik->m, w);
        l += lik->number[t] * fy_log(lik->p[t]);
    }
    return l;
}

/* ------------------------------------------------------- maximum likelihood */

/* g_i and, from concavity, how far l(c) can be below the maximum:
 *   max l - l(c) <= max_i g_i - n. */
static double find_gradient(fy_likelihood *lik)
{
    double max = 0;
    memset(lik->gradient, 0, (size_t)lik->m * sizeof *lik->gradient);
    for (int64_t t = 0; t < lik->rows; t++)
        for (int64_t i = 0; i < lik->m; i++)
            lik->gradient[i] += lik->number[t] / lik->p[t] * lik->phi[t * lik->m + i];
    for (int64_t i = 0; i < lik->m; i++)
        max = fmax(max, lik->gradient[i]);
    return fmax(0, max - lik->n);
}

/* w_i <- w_i g_i / n never lowers l. */
static void em_step(fy_likelihood *lik)
{
    double sum = 0;
    for (int64_t i = 0; i < lik->m; i++)
        sum += lik->c[i] *= lik->gradient[i] / lik->n;
    for (int64_t i = 0; i < lik->m; i++)
        lik->c[i] /= sum;
}

/* I = sum_t N_t phi_t phi_t' / p_t^2 on the tangent space. */
void fy_lik_information(fy_likelihood *lik)
{
    memset(lik->matrix, 0, (size_t)(lik->k * lik->k) * sizeof *lik->matrix);
    for (int64_t t = 0; t < lik->rows && !stopped_at(lik, t); t++)
        add_outer(lik->k, lik->number[t] / (lik->p[t] * lik->p[t]), lik->tangent + t * lik->k,
                  lik->matrix);
}

/* The weights that Newton's step may change: not those near 0 that only want to shrink. Their
 * numbers go into lik->order; returns how many there are. */
static int64_t free_weights(fy_likelihood *lik)
{
    int64_t count = 0;
    for (int64_t i = 0; i < lik->m; i++)
        if (lik->c[i] > 1e-9 || lik->gradient[i] > lik->n)
            lik->order[count++] = i;
    return count;
}

/* Newton's step d among the free weights, H d = g - lambda 1 with sum d = 0 and
 * H = sum_t N_t phi_t phi_t'/p_t^2, shortened to stay inside; kept if l grows. EM alone is
 * slow where vectors overlap. */
static bool newton_step(fy_likelihood *lik, double l)
{
    int64_t k = free_weights(lik);
    double trace = 0, along = 0, across = 0, step = 1, *ones = lik->trial;
    memset(lik->matrix, 0, (size_t)(k * k) * sizeof *lik->matrix);
    for (int64_t t = 0; t < lik->rows && !stopped_at(lik, t); t++) {
        for (int64_t i = 0; i < k; i++)
            lik->solution[i] = lik->phi[t * lik->m + lik->order[i]];
        add_outer(k, lik->number[t] / (lik->p[t] * lik->p[t]), lik->solution, lik->matrix);
    }
    for (int64_t i = 0; i < k; i++)
        trace += lik->matrix[i * k + i];
    for (int64_t i = 0; i < k; i++)
        lik->matrix[i * k + i] += 1e-11 * trace;
    if (k < 2 || !factorise(k, lik->matrix, lik->factor))
        return false;
    for (int64_t i = 0; i < k; i++) {
        lik->solution[i] = lik->gradient[lik->order[i]];
        ones[i] = 1;
    }
    solve(k, lik->factor, lik->solution);
    solve(k, lik->factor, ones);
    for (int64_t i = 0; i < k; i++) {
        along += lik->solution[i];
        across += ones[i];
    }
    for (int64_t i = 0; i < k; i++) {
        lik->solution[i] -= along / across * ones[i];
        if (lik->solution[i] < 0)
            step = fmin(step, -0.99 * lik->c[lik->order[i]] / lik->solution[i]);
    }
    memcpy(lik->trial, lik->c, (size_t)lik->m * sizeof *lik->trial);
    for (int64_t i = 0; i < k; i++)
        lik->trial[lik->order[i]] = fmax(0, lik->c[lik->order[i]] + step * lik->solution[i]);
    if (!(fy_lik_evaluate(lik, lik->trial) > l))
        return false;
    memcpy(lik->c, lik->trial, (size_t)lik->m * sizeof *lik->c);
    return true;
}

/* c near the maximum, with p_t > 0 wherever something was seen. */
static void maximise(fy_likelihood *lik)
{
    enum { MOST_ROUNDS = 200 };
    static const double good_enough = 1e-6;
    for (int64_t i = 0; i < lik->m; i++)
        lik->c[i] = 1 / (double)lik->m;
    for (int round = 0; round < MOST_ROUNDS && !fy_stopped(lik->ctx); round++) {
        double l = fy_lik_evaluate(lik, lik->c);
        if (find_gradient(lik) <= good_enough)
            break;
        if (round < 2 || lik->separate || !newton_step(lik, l)) {
            fy_lik_evaluate(lik, lik->c);
            em_step(lik);
        }
    }
}

void fy_lik_maximise(fy_likelihood *lik, int64_t g, const int64_t *count)
{
    gather(lik, g, &(fy_counts_mixture){.count = count, .weight = 1});
    maximise(lik);
}

/* ----------------------------------------------------------------- ellipsoid */

/* q(r) = 2 (r - log(1+r))/r^2, and a lower bound of it where that cancels. */
static double shrinkage(double r)
{
    return r < 1e-3 ? 1 / (1 + 2 * r / 3) : 2 * (r - fy_log1p(r)) / (r * r);
}

/* M = sum_t N_t q(r_t) phi_t phi_t'/p_t^2 + sum_i 2 a_i^2/(x + gap) e_i e_i' + rho I,
 * r_t = u_t/p_t - 1, in lik->matrix; returns the trace of the sums and rho. */
typedef struct regular {
    double trace, rho, terms;
} regular;

static regular form_matrix(fy_likelihood *lik, double excess, double width)
{
    int64_t k = lik->k;
    memset(lik->matrix, 0, (size_t)(k * k) * sizeof *lik->matrix);
    for (int64_t t = 0; t < lik->rows && !stopped_at(lik, t); t++) {
        double q = shrinkage(fmax(0, lik->max[t] / lik->p[t] - 1));
        add_outer(k, lik->number[t] * q / (lik->p[t] * lik->p[t]), lik->tangent + t * k,
                  lik->matrix);
    }
    /* a_i = n + gap - g_i, rounded down. */
    double slack = 8 * FY_UNIT * (double)(lik->rows + lik->m) * lik->n;
    for (int64_t i = 0; i < lik->m; i++) {
        double a = fmax(0, lik->n + excess - lik->gradient[i] - slack);
        add_outer(k, 2 * a * a / (width + excess), lik->block->basis + i * k, lik->matrix);
    }
    regular out = {.terms = (double)(lik->rows + lik->m + k + 8)};
    for (int64_t i = 0; i < k; i++)
        out.trace += lik->matrix[i * k + i];
    out.rho = fmax(0.5, 32 * out.terms * FY_UNIT * out.trace);
    for (int64_t i = 0; i < k; i++)
        lik->matrix[i * k + i] += out.rho;
    return out;
}

/* beta^2 = 2 R + 2 rho + rounding,  R = x + gap + S,  S = sum_i (a_i c_i)^2/(x + gap). A block
 * without data is the whole simplex: M = rho I and ||w - c||^2 <= 2. */
static double square_radius(const fy_likelihood *lik, regular form, double excess, double width)
{
    double S = 0, rounding = 2 * form.terms * FY_UNIT * (form.trace + (double)lik->k * form.rho);
    if (lik->n == 0)
        return 2 * form.rho + rounding;
    for (int64_t i = 0; i < lik->m; i++) {
        double a = fmax(0, lik->n + excess - lik->gradient[i]) * lik->c[i];
        S += a * a / (width + excess);
    }
    S = fmin(S, excess * excess / (width + excess)) * (1 + 1e-12);
    return 2 * (width + excess + S) + 2 * form.rho + rounding;
}

/* Begin with u_t = max_i phi_ti, form M, put u_t <- min(u_t, p_t + beta ||phi_t||), repeat: every
 * round is valid. Leaves L in lik->factor; returns beta. */
static double find_ellipsoid(fy_likelihood *lik, double excess, double width)
{
    enum { ROUNDS = 8 };
    double beta = 0;
    for (int64_t t = 0; t < lik->rows; t++) {
        lik->max[t] = 0;
        for (int64_t i = 0; i < lik->m; i++)
            lik->max[t] = fmax(lik->max[t], lik->phi[t * lik->m + i]);
    }
    bool moved = true; /* a round that moves no u_t is the last */
    for (int round = 0; round < ROUNDS && moved; round++) {
        moved = false;
        regular form = form_matrix(lik, excess, width);
        factorise(lik->k, lik->matrix, lik->factor); /* rho keeps it definite */
        beta = sqrt(square_radius(lik, form, excess, width)) * (1 + 4 * FY_UNIT);
        for (int64_t t = 0; t < lik->rows && !stopped_at(lik, t); t++) {
            double norm =
                inverse_norm(lik->k, lik->factor, lik->tangent + t * lik->k, lik->solution);
            double max = (lik->p[t] + beta * norm) * (1 + 1e-12);
            moved |= max < lik->max[t];
            lik->max[t] = fmin(lik->max[t], max);
        }
    }
    return beta;
}

/* w = s theta: M and c in the coordinates z of the block, M_z = s^2 M. */
static void hand_over(const fy_likelihood *lik, int64_t g, fy_ridge *ridge, double *z)
{
    double s = lik->vectors->scale[g];
    double *sigma = ridge->sigma + ridge->at_matrix[g],
           *factor = ridge->factor + ridge->at_matrix[g];
    for (int64_t i = 0; i < lik->k; i++)
        for (int64_t j = 0; j <= i; j++) {
            *sigma++ = s * s * lik->matrix[i * lik->k + j];
            *factor++ = s * lik->factor[i * lik->k + j];
        }
    for (int64_t j = 0; j < lik->k; j++) {
        double sum = 0;
        for (int64_t i = 0; i < lik->m; i++)
            sum += lik->block->basis[i * lik->k + j] * (lik->c[i] / s - lik->block->theta0[i]);
        z[ridge->at_vector[g] + j] = sum;
    }
}

fy_likelihood_fit fy_lik_fit(fy_likelihood *lik, int64_t g, const int64_t *count,
                             const fy_local_prior *prior, double share, double inner,
                             fy_ridge *ridge, double *z, double *radius)
{
    fy_lik_maximise(lik, g, count);
    /* Only where a weight is smaller than what moving would make it. */
    double move = lik->n > 0 ? fmin(0.5, inner / lik->n) : 0, min = 1;
    for (int64_t i = 0; i < lik->m; i++)
        min = fmin(min, lik->c[i]);
    for (int64_t i = 0; i < lik->m && min < move / (double)lik->m; i++)
        lik->c[i] = (1 - move) * lik->c[i] + move / (double)lik->m;
    fy_likelihood_fit fit = {.visits = lik->n};
    fit.penalty = fy_lik_penalty(lik, g, prior);
    if (!isfinite(fit.penalty)) {
        fit.radius = INFINITY;
        return fit;
    }
    fit.width = (fit.penalty - fy_log(share)) * (1 + 1e-12);
    fy_lik_evaluate(lik, lik->c);
    double slack = 8 * FY_UNIT * (double)(lik->rows + lik->m) * lik->n;
    fit.excess = lik->n > 0 ? find_gradient(lik) + slack : 0;
    fit.radius = lik->k > 0 ? find_ellipsoid(lik, fit.excess, fit.width) : 0;
    if (lik->k > 0)
        hand_over(lik, g, ridge, z);
    radius[g] = fit.radius;
    return fit;
}

fy_likelihood_fit fy_likelihood_estimate(fy_likelihood *lik, int64_t g, const int64_t *count,
                                         double share, double inner, fy_ridge *ridge, double *z,
                                         double *radius)
{
    return fy_lik_fit(lik, g, count, NULL, share, inner, ridge, z, radius);
}

/* -------------------------------------------------------------------- the set alone */

/* What rounding can do to l. */
static double rounding_of(const fy_likelihood *lik, double l)
{
    return 8 * FY_UNIT * (double)(lik->rows + lik->m) * (fabs(l) + lik->n);
}

double fy_likelihood_least(fy_likelihood *lik, int64_t g, const int64_t *count, double share)
{
    gather(lik, g, &(fy_counts_mixture){.count = count, .weight = 1});
    if (lik->n == 0)
        return 0;
    maximise(lik);
    double width = (fy_lik_penalty(lik, g, NULL) - fy_log(share)) * (1 + 1e-12);
    double l = fy_lik_evaluate(lik, lik->c);
    return l - width - rounding_of(lik, l);
}

double fy_likelihood_most(fy_likelihood *lik, int64_t g, const fy_counts_mixture *data)
{
    gather(lik, g, data);
    if (!(lik->n > 0))
        return 0;
    /* Weights sum to one: <phi,w> + zeta = <phi + zeta,w>. */
    for (int64_t i = 0; i < lik->rows * lik->m && data->error > 0; i++)
        lik->phi[i] += data->error;
    lik->separate &= !(data->error > 0);
    maximise(lik);
    double l = fy_lik_evaluate(lik, lik->c);
    return l + find_gradient(lik) + rounding_of(lik, l);
}
