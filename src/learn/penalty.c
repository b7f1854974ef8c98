/* penalty.c - what not knowing where to look costs: pen >= l(c) - log integral(e^l dprior). */
#include "base/maths.h"
#include "learn/likelihood_parts.h"

#include <stdlib.h>
#include <string.h>

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
    fy_lik_information(lik);
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
        double l1 = fy_lik_evaluate(lik, lik->trial);
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
           8 * FY_UNIT * (m + 4) * (size + fabs(fy_lgamma(lik->n + m * a)) + fabs(l));
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
double fy_lik_penalty(fy_likelihood *lik, int64_t g, const fy_local_prior *prior)
{
    if (lik->n == 0 || lik->k == 0)
        return 0;
    if (lik->vectors->separate[g] && !prior)
        return penalty_closed(lik, prior_mass(lik->m));
    double l = fy_lik_evaluate(lik, lik->c);
    double pen = penalty_inside(lik, prior, l);
    if (!prior)
        pen = fmin(penalty_anywhere((double)lik->k, lik->n), pen);
    fy_lik_evaluate(lik, lik->c);
    pen += 8 * FY_UNIT * (double)(lik->rows + lik->m) * (fabs(l) + lik->n);
    return lik->separate && !prior ? fmin(pen, penalty_closed(lik, 1)) : pen;
}
