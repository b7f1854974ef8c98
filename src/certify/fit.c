/* fit.c - see fit.h. */
#include "certify/fit.h"
#include "base/maths.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this the test is not made: MiB for the vectors of a block. */
enum { MOST_MEMORY = 256 };

/* delta' of fit.h. */
static const double false_alarm = 1e-3;

struct fy_fit {
    const foray_model *model;
    fy_vectors *vectors;
    fy_likelihood *likelihood;
    int64_t *count;     /* [slots] */
    bool *tested;       /* [blocks] */
    int64_t blocks;     /* G: how many are */
    double *alone;      /* [blocks] sum of log M(s,a) less what does not depend on w */
    double *size;       /* [blocks] sum of absolute values in it, for rounding */
    bool *nonnegative;  /* [dim] coordinates of theta that cannot be negative */
    double *generators; /* [most_generators][most_dim] */
    double cost;
};

/* ------------------------------------------------------------------------ creation */

/* A pair whose law nothing else shares, free on its successors: whatever was seen fits. */
static bool is_free(const fy_basis *basis, int64_t set, int64_t pairs)
{
    const foray_model *model = basis->model;
    const fy_block *block = &basis->block[basis->block_of_generator_set[set]];
    int64_t n = fy_generator_set_size(model, set);
    return pairs == 1 && n == block->coords && block->dim == n - 1 &&
           model->feat_start[model->gen_start[set + 1]] -
                   model->feat_start[model->gen_start[set]] ==
               n;
}

/* Which blocks could be refuted; all but the kind of their features is known before. */
static foray_status find_blocks(foray_context *ctx, const fy_basis *basis, bool *candidate,
                                int64_t *found)
{
    const foray_model *model = basis->model;
    int64_t *pairs;
    *found = 0;
    if (!FY_ALLOC(ctx, pairs, basis->blocks))
        return FORAY_ERROR_MEMORY;
    for (int64_t pair = 0; pair < model->pairs; pair++)
        pairs[basis->block_of_generator_set[model->generator_set[pair]]] +=
            fy_available(model, pair);
    for (int64_t set = 0; set < model->generator_sets; set++) {
        int64_t g = basis->block_of_generator_set[set];
        candidate[g] |= fy_generator_set_size(model, set) > 1 && !is_free(basis, set, pairs[g]);
    }
    for (int64_t g = 0; g < basis->blocks; g++)
        *found += candidate[g];
    free(pairs);
    return FORAY_OK;
}

/* EM and Newton take about 20 rounds. */
static void find_cost(fy_fit *fit, double *memory)
{
    const fy_basis *basis = fit->vectors->basis;
    static const double rounds = 20;
    fit->cost = rounds * (double)fit->model->succ_start[fit->model->pairs];
    for (int64_t g = 0; g < basis->blocks; g++) {
        double m = (double)basis->block[g].coords;
        double slots = (double)(fit->vectors->start[g + 1] - fit->vectors->start[g]);
        fit->cost += fit->tested[g] ? rounds * slots * m * (m + 4) : 0;
        *memory = fmax(*memory, 2 * slots * m * sizeof(double) / (1 << 20));
    }
}

static foray_status fill_fit(fy_arena *arena, fy_fit *fit, double *memory)
{
    const fy_basis *basis = fit->model->basis;
    foray_status status = fy_vectors_create(arena, basis, &fit->vectors);
    if (status != FORAY_OK)
        return status;
    for (int64_t g = 0; g < basis->blocks; g++) {
        fit->tested[g] &= fit->vectors->scale[g] > 0 || basis->block[g].dim == 0;
        fit->blocks += fit->tested[g];
    }
    find_cost(fit, memory);
    if (*memory > MOST_MEMORY)
        return FORAY_OK;
    if (!FY_NEW(arena, fit->count, fit->vectors->slots) ||
        !FY_NEW(arena, fit->alone, basis->blocks) || !FY_NEW(arena, fit->size, basis->blocks) ||
        !FY_NEW(arena, fit->nonnegative, fit->model->dim) ||
        !FY_NEW(arena, fit->generators,
                basis->most_generators * (basis->most_dim > 0 ? basis->most_dim : 1)))
        return FORAY_ERROR_MEMORY;
    fy_model_mark_nonnegative(fit->model, fit->nonnegative);
    return fy_likelihood_create(arena, fit->vectors, &fit->likelihood);
}

foray_status fy_fit_create(fy_arena *arena, const foray_model *model, fy_fit **out)
{
    const fy_basis *basis = model->basis;
    double memory = 0;
    int64_t found = 0;
    fy_fit *fit;
    *out = NULL;
    if (!basis)
        return FORAY_OK;
    if (!FY_NEW(arena, fit, 1))
        return FORAY_ERROR_MEMORY;
    fit->model = model;
    foray_status status = FY_NEW(arena, fit->tested, basis->blocks)
                              ? find_blocks(arena->ctx, basis, fit->tested, &found)
                              : FORAY_ERROR_MEMORY;
    if (status == FORAY_OK && found > 0)
        status = fill_fit(arena, fit, &memory);
    if (status == FORAY_OK && found > 0 && memory <= MOST_MEMORY)
        *out = fit;
    return status;
}

double fy_fit_limit(void)
{
    return -fy_log(false_alarm);
}

double fy_fit_laws(const fy_fit *fit, const foray_model *model)
{
    return (double)((fit ? fit->blocks : 0) + (model->initials > 1));
}

double fy_fit_cost(const fy_fit *fit)
{
    return fit->cost;
}

/* ------------------------------------------------------------------------ evidence */

/* log M(s,a), and what transitions that give every w the same probability take off l. */
static void add_pair(fy_fit *fit, int64_t pair, const int64_t *seen)
{
    const foray_model *model = fit->model;
    const fy_basis *basis = fit->vectors->basis;
    int64_t set = model->generator_set[pair], n = fy_generator_set_size(model, set);
    int64_t g = basis->block_of_generator_set[set], gen = model->gen_start[set];
    double total = 0, log_m = 0, half = fy_lgamma(0.5), size = 0;
    seen += model->succ_start[pair];
    for (int64_t j = 0; j < n; j++) {
        if (seen[j] == 0)
            continue;
        double number = (double)seen[j], term = fy_lgamma(number + 0.5);
        int32_t slot = fit->vectors->slot[gen + j];
        total += number;
        log_m += term - half;
        size += fabs(term) + 1;
        if (slot > 0) {
            fit->count[slot] += seen[j];
        } else {
            double p = fmin(1, fmax(basis->p0[gen + j], 0) + model->feature_error);
            log_m -= p > 0 ? number * fy_log(p) : 0;
            size += number;
        }
    }
    if (total > 0) {
        double whole = fy_lgamma(total + 0.5 * (double)n);
        log_m += fy_lgamma(0.5 * (double)n) - whole;
        size += fabs(whole);
    }
    fit->alone[g] += log_m;
    fit->size[g] += size;
}

static double find_evidence(fy_fit *fit, const int64_t *seen)
{
    const foray_model *model = fit->model;
    const fy_basis *basis = fit->vectors->basis;
    double max = -INFINITY;
    memset(fit->count, 0, (size_t)fit->vectors->slots * sizeof *fit->count);
    memset(fit->alone, 0, (size_t)basis->blocks * sizeof *fit->alone);
    memset(fit->size, 0, (size_t)basis->blocks * sizeof *fit->size);
    for (int64_t pair = 0; pair < model->pairs; pair++)
        if (fy_available(model, pair) &&
            fit->tested[basis->block_of_generator_set[model->generator_set[pair]]])
            add_pair(fit, pair, seen);
    for (int64_t g = 0; g < basis->blocks; g++) {
        if (!fit->tested[g])
            continue;
        const fy_counts_mixture data = {
            .count = fit->count, .weight = 1, .error = model->feature_error};
        double l = basis->block[g].dim > 0 ? fy_likelihood_most(fit->likelihood, g, &data) : 0;
        max = fmax(max, fit->alone[g] - l - 64 * DBL_EPSILON * (fit->size[g] + fabs(l)));
    }
    return fit->blocks > 0 ? max - fy_log(fy_fit_laws(fit, model)) : 0;
}

/* --------------------------------------------------------------- outside what can be */

/* radius_g ||x||_{Sigma^-1}; x is spoilt. */
static double half_width(const fy_regression_set *set, int64_t g, int64_t d, double *x)
{
    double square = 0;
    fy_ridge_whiten(set->ridge, g, x, x);
    for (int64_t k = 0; k < d; k++)
        square += x[k] * x[k];
    return set->radius[g] * sqrt(square);
}

/* Keeps what lies farthest below 0, in half widths. */
static bool farther(const foray_refutation *out, double estimate, double width)
{
    return estimate + width < 0 &&
           (out->half_width <= 0 || estimate * out->half_width < out->estimate * width);
}

static void look_at_weights(const fy_fit *fit, const fy_regression_set *set, int64_t g,
                            foray_refutation *out)
{
    const fy_block *block = &fit->vectors->basis->block[g];
    const double *z = set->z + set->ridge->at_vector[g];
    for (int32_t i = 0; i < block->coords; i++) {
        if (!fit->model->nonnegative && !fit->nonnegative[block->coord[i]])
            continue;
        double estimate = block->theta0[i], *x = fit->generators;
        for (int32_t k = 0; k < block->dim; k++) {
            x[k] = block->basis[i * block->dim + k];
            estimate += x[k] * z[k];
        }
        double width = half_width(set, g, block->dim, x);
        if (farther(out, estimate, width)) {
            out->coordinate = block->coord[i];
            out->estimate = estimate;
            out->half_width = width;
        }
    }
}

/* Probabilities of blocks that are not mixtures, which no weights speak for. */
static void look_at_set(const fy_fit *fit, const fy_regression_set *regression, int64_t set,
                        foray_refutation *out)
{
    const foray_model *model = fit->model;
    const fy_basis *basis = fit->vectors->basis;
    int64_t g = basis->block_of_generator_set[set], d = basis->block[g].dim;
    const double *z = regression->z + regression->ridge->at_vector[g];
    fy_basis_generators(basis, set, fit->generators);
    for (int64_t j = 0; j < fy_generator_set_size(model, set); j++) {
        double *x = fit->generators + j * d;
        double estimate = basis->p0[model->gen_start[set] + j] + model->feature_error;
        for (int64_t k = 0; k < d; k++)
            estimate += x[k] * z[k];
        double width = half_width(regression, g, d, x);
        if (farther(out, estimate, width)) {
            int64_t pair = model->generator_set_pair[set];
            out->coordinate = -1;
            out->state = pair / model->actions;
            out->action = pair % model->actions;
            out->next = model->succ[model->succ_start[pair] + j];
            out->estimate = estimate;
            out->half_width = width;
        }
    }
}

static void look_outside(const fy_fit *fit, const fy_regression_set *regression,
                         foray_refutation *out)
{
    const fy_basis *basis = fit->vectors->basis;
    for (int64_t g = 0; g < basis->blocks; g++)
        if (basis->block[g].dim > 0)
            look_at_weights(fit, regression, g, out);
    for (int64_t set = 0; set < fit->model->generator_sets; set++) {
        int64_t g = basis->block_of_generator_set[set];
        if (basis->block[g].dim > 0 && !(fit->vectors->scale[g] > 0))
            look_at_set(fit, regression, set, out);
    }
}

void fy_fit_test(fy_fit *fit, const int64_t *seen, const fy_regression_set *regression,
                 foray_refutation *out)
{
    *out = (foray_refutation){.coordinate = -1, .state = -1, .action = -1, .next = -1};
    out->limit = fy_fit_limit();
    out->evidence = find_evidence(fit, seen);
    if (regression)
        look_outside(fit, regression, out);
    out->refuted = out->evidence >= out->limit || out->half_width > 0;
}
