/* likelihood.c - maximum likelihood, what not knowing where to look costs (pen), the ellipsoid
 * around the maximum, the same with a prior from earlier data, and whether two bodies of data can
 * have one law. */
#include "learn/likelihood.h"
#include "base/maths.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Rounding unit. */
#define UNIT (DBL_EPSILON / 2)

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
            else if (!(sum > 64 * (double)k * UNIT * matrix[i * k + i]))
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
static double evaluate(fy_likelihood *lik, const double *w)
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
static void find_information(fy_likelihood *lik)
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
    if (!(evaluate(lik, lik->trial) > l))
        return false;
    memcpy(lik->c, lik->trial, (size_t)lik->m * sizeof *lik->c);
    return true;
}

/* c near the maximum, with p_t > 0 wherever something was seen. */
static void maximise(fy_likelihood *lik)
{
    enum { MAX_ROUNDS = 200 };
    static const double good_enough = 1e-6;
    for (int64_t i = 0; i < lik->m; i++)
        lik->c[i] = 1 / (double)lik->m;
    for (int round = 0; round < MAX_ROUNDS && !fy_stopped(lik->ctx); round++) {
        double l = evaluate(lik, lik->c);
        if (find_gradient(lik) <= good_enough)
            break;
        if (round < 2 || lik->separate || !newton_step(lik, l)) {
            evaluate(lik, lik->c);
            em_step(lik);
        }
    }
}

static void find_centre(fy_likelihood *lik, int64_t g, const int64_t *count)
{
    gather(lik, g, &(fy_counts_mixture){.count = count, .weight = 1});
    maximise(lik);
}

/* ------------------------------------------------------------------ penalties */

/* What not knowing where to look costs: pen >= l(c) - log integral(e^l dprior). */

/* (a) any c: the prior's mass near c is that of the simplex shrunk towards it,
 *     pen = k log(1 + n/k) + n log(1 + k/n). */
static double penalty_anywhere(double k, double n)
{
    return k * fy_log1p(n / k) + n * fy_log1p(k / n);
}

/* -2 (log(1-u) + u)/u^2, and an upper bound of it where that cancels. */
static double curvature(double u)
{
    if (u < 1e-3)
        return 1 + 2 * u / 3 + u * u / (2 * (1 - u));
    return -2 * (fy_log1p(-u) + u) / (u * u);
}

/* x <- L^-1 x, one row of a matrix after the other. */
static void solve_rows(int64_t k, const double *factor, double *x)
{
    for (int64_t row = 0; row < k; row++, x += k)
        for (int64_t i = 0; i < k; i++)
            x[i] = (x[i] - dot(i, factor + i * k, x)) / factor[i * k + i];
}

/* An upper bound of the largest ||y||_I1 with ||y||_I = 1: the root of the largest eigenvalue of
 * A = L^-1 I1 L^-T, which is at most ||A^4||_F^(1/4). */
static double stretch(const fy_local_prior *prior, int64_t k, const double *factor)
{
    double *a = prior->image, *b = prior->square, sum = 0;
    memcpy(b, prior->matrix, (size_t)(k * k) * sizeof *b);
    solve_rows(k, factor, b); /* I1 L^-T */
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++)
            a[i * k + j] = b[j * k + i];
    solve_rows(k, factor, a);
    for (int squared = 0; squared < 2; squared++) {
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = 0; j < k; j++)
                b[i * k + j] = dot(k, a + i * k, a + j * k);
        memcpy(a, b, (size_t)(k * k) * sizeof *a);
    }
    for (int64_t i = 0; i < k * k; i++)
        sum += a[i] * a[i];
    /* ||A^4||_F = sqrt(sum); the eigenvalue is its fourth root, and the norm the root of that. */
    return sqrt(sqrt(sqrt(sqrt(sum)))) * (1 + 1e-3);
}

/* How large r may be for {||v - c1||_I <= r} to lie where the prior is:
 *     ||v - centre||_I1 <= ||c1 - centre||_I1 + r stretch <= rho. */
static double reach_of_prior(const fy_likelihood *lik, const fy_local_prior *prior,
                             const double *c1)
{
    int64_t k = lik->k;
    double square = 0, *step = lik->solution;
    for (int64_t j = 0; j < k; j++) {
        step[j] = 0;
        for (int64_t i = 0; i < lik->m; i++)
            step[j] += lik->block->basis[i * k + j] * (c1[i] - prior->centre[i]);
    }
    for (int64_t i = 0; i < k; i++)
        square += step[i] * dot(k, prior->matrix + i * k, step);
    return (prior->rho - sqrt(fmax(0, square)) * (1 + 1e-6)) / stretch(prior, k, lik->factor);
}

/* (b) an ellipsoid {||v - c1||_I <= r} inside the simplex, and inside a local prior's, for the best
 *     r: C(u) r^2 k/(2(k+2)) - log(V_k r^k) + 1/2 log det I + log vol + l(c) - l(c1),
 *     u = r max_t ||phi_t||/p_t < 1. Expects p at c1; INFINITY where I is not definite. */
static double penalty_local(fy_likelihood *lik, const fy_local_prior *prior, const double *c1)
{
    int64_t k = lik->k;
    find_information(lik);
    if (!factorise(k, lik->matrix, lik->factor))
        return INFINITY;
    double reach = INFINITY, slope = 0, log_det = 0;
    for (int64_t i = 0; i < lik->m; i++) {
        double norm = inverse_norm(k, lik->factor, lik->block->basis + i * k, lik->solution);
        reach = fmin(reach, c1[i] / norm);
    }
    for (int64_t t = 0; t < lik->rows && !stopped_at(lik, t); t++)
        slope = fmax(slope,
                     inverse_norm(k, lik->factor, lik->tangent + t * k, lik->solution) / lik->p[t]);
    for (int64_t i = 0; i < k; i++)
        log_det += 2 * fy_log(lik->factor[i * k + i]);
    if (prior)
        reach = fmin(reach, reach_of_prior(lik, prior, c1));
    double max = fmin(reach, 0.95 / slope) * (1 - 1e-9);
    if (!(max > 0))
        return INFINITY;
    double d = (double)k, best = INFINITY;
    double ball = d / 2 * fy_log(3.14159265358979323846) - fy_lgamma(d / 2 + 1);
    double simplex = 0.5 * fy_log(d + 1) - fy_lgamma(d + 1);
    /* Where C = 1 the best r is sqrt(k + 2); the curvature asks for less. */
    double r = fmin(max, sqrt(d + 2));
    for (int step = 0; step < 32; step++) {
        best = fmin(best, curvature(r * slope) * r * r * d / (2 * (d + 2)) - d * fy_log(r));
        r *= 0.85;
    }
    if (prior) /* its volume is V_k rho^k / sqrt(det I1) */
        return best + d * fy_log(prior->rho) + (log_det - prior->log_det) / 2;
    return best - ball + log_det / 2 + simplex;
}

/* The same at c and at points further inside, whichever is best. */
static double penalty_inside(fy_likelihood *lik, const fy_local_prior *prior, double l)
{
    double best = INFINITY, share = 0;
    for (int step = 0; share < 0.5; step++) {
        for (int64_t i = 0; i < lik->m; i++)
            lik->trial[i] = (1 - share) * lik->c[i] + share / (double)lik->m;
        double l1 = evaluate(lik, lik->trial);
        double value = penalty_local(lik, prior, lik->trial) + (share > 0 ? fmax(0, l - l1) : 0);
        best = fmin(best, value);
        if (l - l1 > best)
            break;
        share = step == 0 ? 1 / (lik->n + 1) : 4 * share;
    }
    return best;
}

/* Where every vector is a multiple of a unit vector, the integral has a closed form for a
 * Dirichlet(a,...,a) prior: with N_i the number of times that outcome i was seen
 *     log integral = lgamma(m a) - lgamma(n + m a) + sum_i [lgamma(N_i + a) - lgamma(a)] + const,
 * and l(c) = sum_i N_i log c_i + the same const. */
static double penalty_closed(const fy_likelihood *lik, double a)
{
    double m = (double)lik->m;
    double log_integral = fy_lgamma(m * a) - fy_lgamma(lik->n + m * a), l = 0, size = 0;
    for (int64_t i = 0; i < lik->m; i++) {
        double seen = 0;
        for (int64_t t = 0; t < lik->rows; t++)
            seen += lik->phi[t * lik->m + i] > 0 ? lik->number[t] : 0;
        log_integral += fy_lgamma(seen + a) - fy_lgamma(a);
        size += fabs(fy_lgamma(seen + a));
        l += seen > 0 ? seen * fy_log(lik->c[i]) : 0;
    }
    /* The sums are large and nearly cancel. */
    return l - log_integral +
           8 * UNIT * (m + 4) * (size + fabs(fy_lgamma(lik->n + m * a)) + fabs(l));
}

/* Dirichlet(a,...,a), a fixed by the number of outcomes alone: 1/2 is best where all of them
 * happen, and costs (m/2) log n. Where there are many, few do: total mass 1 costs about log n,
 * and log m for each outcome seen. */
static double prior_mass(int64_t m)
{
    enum { FEW = 8 };
    return m <= FEW ? 0.5 : 1.0 / (double)m;
}

/* The prior is Dirichlet where all vectors that the block can show are separate, which is
 * known beforehand, and uniform elsewhere. */
static double penalty_of(fy_likelihood *lik, int64_t g, const fy_local_prior *prior)
{
    if (lik->n == 0 || lik->k == 0)
        return 0;
    if (lik->vectors->separate[g] && !prior)
        return penalty_closed(lik, prior_mass(lik->m));
    double l = evaluate(lik, lik->c);
    double pen = penalty_inside(lik, prior, l);
    if (!prior)
        pen = fmin(penalty_anywhere((double)lik->k, lik->n), pen);
    evaluate(lik, lik->c);
    pen += 8 * UNIT * (double)(lik->rows + lik->m) * (fabs(l) + lik->n);
    return lik->separate && !prior ? fmin(pen, penalty_closed(lik, 1)) : pen;
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
    double slack = 8 * UNIT * (double)(lik->rows + lik->m) * lik->n;
    for (int64_t i = 0; i < lik->m; i++) {
        double a = fmax(0, lik->n + excess - lik->gradient[i] - slack);
        add_outer(k, 2 * a * a / (width + excess), lik->block->basis + i * k, lik->matrix);
    }
    regular out = {.terms = (double)(lik->rows + lik->m + k + 8)};
    for (int64_t i = 0; i < k; i++)
        out.trace += lik->matrix[i * k + i];
    out.rho = fmax(0.5, 32 * out.terms * UNIT * out.trace);
    for (int64_t i = 0; i < k; i++)
        lik->matrix[i * k + i] += out.rho;
    return out;
}

/* beta^2 = 2 R + 2 rho + rounding,  R = x + gap + S,  S = sum_i (a_i c_i)^2/(x + gap). A block
 * without data is the whole simplex around its middle: M = rho I and ||w - c||^2 <= 1 - 1/m. */
static double square_radius(const fy_likelihood *lik, regular form, double excess, double width)
{
    double S = 0, rounding = 2 * form.terms * UNIT * (form.trace + (double)lik->k * form.rho);
    if (lik->n == 0)
        return (1 - 1 / (double)lik->m) * form.rho * (1 + 1e-12) + rounding;
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
        beta = sqrt(square_radius(lik, form, excess, width)) * (1 + 4 * UNIT);
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
    find_centre(lik, g, count);
    /* Only where a weight is smaller than what moving would make it. */
    double move = lik->n > 0 ? fmin(0.5, inner / lik->n) : 0, min = 1;
    for (int64_t i = 0; i < lik->m; i++)
        min = fmin(min, lik->c[i]);
    for (int64_t i = 0; i < lik->m && min < move / (double)lik->m; i++)
        lik->c[i] = (1 - move) * lik->c[i] + move / (double)lik->m;
    fy_likelihood_fit fit = {.visits = lik->n};
    fit.penalty = penalty_of(lik, g, prior);
    if (!isfinite(fit.penalty)) {
        fit.radius = INFINITY;
        return fit;
    }
    fit.width = (fit.penalty - fy_log(share)) * (1 + 1e-12);
    evaluate(lik, lik->c);
    double slack = 8 * UNIT * (double)(lik->rows + lik->m) * lik->n;
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
    return 8 * UNIT * (double)(lik->rows + lik->m) * (fabs(l) + lik->n);
}

double fy_likelihood_min(fy_likelihood *lik, int64_t g, const int64_t *count, double share)
{
    gather(lik, g, &(fy_counts_mixture){.count = count, .weight = 1});
    if (lik->n == 0)
        return 0;
    maximise(lik);
    double width = (penalty_of(lik, g, NULL) - fy_log(share)) * (1 + 1e-12);
    double l = evaluate(lik, lik->c);
    return l - width - rounding_of(lik, l);
}

double fy_likelihood_max(fy_likelihood *lik, int64_t g, const fy_counts_mixture *data)
{
    gather(lik, g, data);
    if (!(lik->n > 0))
        return 0;
    /* Weights sum to one: <phi,w> + zeta = <phi + zeta,w>. */
    for (int64_t i = 0; i < lik->rows * lik->m && data->error > 0; i++)
        lik->phi[i] += data->error;
    lik->separate &= !(data->error > 0);
    maximise(lik);
    double l = evaluate(lik, lik->c);
    return l + find_gradient(lik) + rounding_of(lik, l);
}

/* ------------------------------------------------------------------- refitting */

struct fy_refit {
    const fy_vectors *vectors;
    int64_t *later; /* [slots] */
    fy_local_prior prior;
};

foray_status fy_refit_create(fy_arena *arena, const fy_vectors *vectors, fy_refit **out)
{
    const fy_basis *basis = vectors->basis;
    int64_t m = 1;
    for (int64_t g = 0; g < basis->blocks; g++)
        if (vectors->scale[g] > 0 && basis->block[g].coords > m)
            m = basis->block[g].coords;
    size_t square;
    fy_refit *refit;
    if (!fy_size_mul((size_t)m, (size_t)m, &square))
        return fy_fail(arena->ctx, FORAY_ERROR_MEMORY,
                       "a law of %lld weights is too large for memory", (long long)m);
    if (!FY_NEW(arena, refit, 1))
        return FORAY_ERROR_MEMORY;
    refit->vectors = vectors;
    if (!FY_NEW(arena, refit->later, vectors->slots) || !FY_NEW(arena, refit->prior.centre, m) ||
        !FY_NEW(arena, refit->prior.matrix, square) || !FY_NEW(arena, refit->prior.image, square) ||
        !FY_NEW(arena, refit->prior.square, square))
        return FORAY_ERROR_MEMORY;
    *out = refit;
    return FORAY_OK;
}

/* c1, a little inside the simplex, and I1 there; false where nothing was known yet in some
 * direction. */
static bool find_prior(fy_refit *refit, fy_likelihood *lik, int64_t g, const int64_t *count)
{
    fy_local_prior *prior = &refit->prior;
    find_centre(lik, g, count);
    int64_t k = lik->k;
    if (lik->n == 0 || k == 0)
        return false;
    double move = 1 / (lik->n + 1);
    for (int64_t i = 0; i < lik->m; i++)
        prior->centre[i] = (1 - move) * lik->c[i] + move / (double)lik->m;
    evaluate(lik, prior->centre);
    find_information(lik);
    if (!factorise(k, lik->matrix, lik->factor))
        return false;
    prior->rho = 2 * sqrt((double)k + 1);
    prior->log_det = 0;
    for (int64_t i = 0; i < k; i++) {
        prior->log_det += 2 * fy_log(lik->factor[i * k + i]);
        for (int64_t j = 0; j <= i; j++)
            prior->matrix[i * k + j] = prior->matrix[j * k + i] = lik->matrix[i * k + j];
    }
    return true;
}

/* log of the ellipsoid's volume, less that of the unit ball: k log beta - 1/2 log det M. */
static double log_volume(const fy_likelihood *lik, const fy_likelihood_fit *fit)
{
    double volume = (double)lik->k * fy_log(fit->radius);
    for (int64_t i = 0; i < lik->k; i++)
        volume -= fy_log(lik->factor[i * lik->k + i]);
    return volume;
}

/* The set of prior j; a radius of INFINITY where it says nothing. */
static fy_likelihood_fit estimate_later(fy_refit *refit, fy_likelihood *lik, int64_t g,
                                        const int64_t *count, const fy_earlier *earlier,
                                        double share, double inner, fy_ridge *ridge, double *z,
                                        double *radius)
{
    fy_likelihood_fit none = {.radius = INFINITY};
    const fy_vectors *vectors = refit->vectors;
    int64_t later = 0;
    double j = (double)earlier->number;
    for (int64_t slot = vectors->start[g]; slot < vectors->start[g + 1]; slot++)
        later += refit->later[slot] = count[slot] - earlier->count[slot];
    if (later == 0 || !find_prior(refit, lik, g, earlier->count))
        return none;
    return fy_lik_fit(lik, g, refit->later, &refit->prior, share / (2 * j * (j + 1)), inner, ridge,
                      z, radius);
}

fy_likelihood_fit fy_refit_estimate(fy_refit *refit, fy_likelihood *lik, int64_t g,
                                    const int64_t *count, const fy_history *history, double share,
                                    double inner, fy_ridge *ridge, double *z, double *radius)
{
    double min = INFINITY;
    int64_t best = -1;
    /* A law with one unknown has little to gain, and keeps its delta: that is known beforehand. */
    if (refit->vectors->basis->block[g].dim <= 1)
        return fy_likelihood_estimate(lik, g, count, share, inner, ridge, z, radius);
    for (int64_t i = 0; i < history->times; i++) {
        fy_likelihood_fit fit = estimate_later(refit, lik, g, count, &history->earlier[i], share,
                                               inner, ridge, z, radius);
        double volume = isfinite(fit.radius) ? log_volume(lik, &fit) : INFINITY;
        best = volume < min ? i : best;
        min = fmin(min, volume);
    }
    fy_likelihood_fit first =
        fy_likelihood_estimate(lik, g, count, share / 2, inner, ridge, z, radius);
    if (best < 0 || log_volume(lik, &first) <= min)
        return first;
    return estimate_later(refit, lik, g, count, &history->earlier[best], share, inner, ridge, z,
                          radius);
}

/* ------------------------------------------------------------ two bodies of data */

/* Two bodies of data, and the least log-likelihoods that their sets allow. */
typedef struct pair_of_sets {
    fy_likelihood *lik;
    int64_t block;
    const int64_t *one, *other;
    double min_one, min_other;
} pair_of_sets;

/* lambda b_1 + (1 - lambda) b_2 - max_w [...] at lambda = e^t/(1 + e^t). */
static double margin(const pair_of_sets *sets, double t)
{
    double lambda = 1 / (1 + fy_exp(-t)), rest = 1 / (1 + fy_exp(t));
    const fy_counts_mixture data = {
        .count = sets->one, .other = sets->other, .weight = lambda, .other_weight = rest};
    return lambda * sets->min_one + rest * sets->min_other -
           fy_likelihood_max(sets->lik, sets->block, &data);
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
    sets.min_one = fy_likelihood_min(lik, g, one, share);
    sets.min_other = fy_likelihood_min(lik, g, other, share);
    return best_margin(&sets);
}
