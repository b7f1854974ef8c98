/* refit.c - see refit.h. */
#include "learn/refit.h"
#include "base/maths.h"
#include "learn/likelihood_parts.h"

#include <stdlib.h>
#include <string.h>

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
    fy_lik_maximise(lik, g, count);
    int64_t k = lik->k;
    if (lik->n == 0 || k == 0)
        return false;
    double move = 1 / (lik->n + 1);
    for (int64_t i = 0; i < lik->m; i++)
        prior->centre[i] = (1 - move) * lik->c[i] + move / (double)lik->m;
    fy_lik_evaluate(lik, prior->centre);
    fy_lik_information(lik);
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
