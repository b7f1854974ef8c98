/* factorise.c - features phi(s,a) of a tabular world of low rank:
 *
 *   P = U S V'  (singular values s_1 >= s_2 >= ...),  r = how many exceed tolerance * s_1
 *                                                  (and 1 at least)
 *   Phi = U_r S_r / c,   M = c V_r',   c = max_(s,a) ||row of U_r S_r||
 *
 * Then P is within tolerance * s_1 of Phi M in the spectral norm, and max ||phi|| = 1. */
#include "explore/phi.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

typedef struct decomposition {
    double *p;        /* [states][pairs]: column by column, then destroyed */
    double *u;        /* [most][pairs], the same way */
    double *singular; /* [most] */
    double *rest;     /* [most] what the routine could not make small */
} decomposition;

static void release(decomposition *work)
{
    free(work->p);
    free(work->u);
    free(work->singular);
    free(work->rest);
}

/* P(s'|s,a), every s' a column. */
static void fill_kernel(const foray_model *model, double *p)
{
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        int64_t first = model->gen_start[model->genset[pair]];
        for (int64_t i = model->succ_start[pair]; i < model->succ_start[pair + 1]; i++)
            p[model->succ[i] * model->pairs + pair] =
                fy_generator_probability(model, model->theta, first + i - model->succ_start[pair]);
    }
}

static foray_status decompose(foray_context *ctx, const foray_model *model, decomposition *work)
{
    int64_t most = model->states; /* there is an action, so pairs >= states */
    size_t count;
    if (!fy_size_mul((size_t)model->pairs, (size_t)model->states, &count) || count > INT32_MAX)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "pair_features: lowrank, but %lld pairs and %lld states are too many to "
                       "factorise",
                       (long long)model->pairs, (long long)model->states);
    if (!FY_ALLOC(ctx, work->p, count) || !FY_ALLOC(ctx, work->u, count) ||
        !FY_ALLOC(ctx, work->singular, most) || !FY_ALLOC(ctx, work->rest, most))
        return FORAY_ERROR_MEMORY;
    fill_kernel(model, work->p);
    lapack_int info =
        LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'S', 'N', (lapack_int)model->pairs, (lapack_int)most,
                       work->p, (lapack_int)model->pairs, work->singular, work->u,
                       (lapack_int)model->pairs, NULL, 1, work->rest);
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return fy_fail(ctx, FORAY_ERROR_MEMORY, "out of memory in a singular value decomposition");
    if (info != 0)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "the singular value decomposition of the transitions did not converge");
    return FORAY_OK;
}

/* Row (s,a) of U_r S_r; returns its norm. */
static double make_row(const foray_model *model, const decomposition *work, int64_t rank,
                       int64_t pair, double *row)
{
    double square = 0.0;
    for (int64_t i = 0; i < rank; i++) {
        row[i] = work->u[i * model->pairs + pair] * work->singular[i];
        square += row[i] * row[i];
    }
    return sqrt(square);
}

static foray_status make_rows(foray_context *ctx, const foray_model *model,
                              const decomposition *work, double tolerance, fy_phi_rows *rows)
{
    int64_t rank = 1, pairs = model->pairs;
    while (rank < model->states && work->singular[rank] > tolerance * work->singular[0])
        rank++;
    if (!FY_ALLOC(ctx, rows->start, pairs + 1) || !FY_ALLOC(ctx, rows->index, pairs * rank) ||
        !FY_ALLOC(ctx, rows->value, pairs * rank))
        return FORAY_ERROR_MEMORY;
    rows->dim = rank;
    double most = 0.0;
    for (int64_t pair = 0; pair < pairs; pair++) {
        rows->start[pair + 1] = (pair + 1) * rank;
        most = fmax(most, make_row(model, work, rank, pair, rows->value + pair * rank));
        for (int64_t i = 0; i < rank; i++)
            rows->index[pair * rank + i] = (int32_t)i;
    }
    for (int64_t k = 0; k < pairs * rank; k++)
        rows->value[k] /= most;
    return FORAY_OK;
}

foray_status fy_phi_factorise(foray_context *ctx, const foray_model *model, double tolerance,
                              fy_phi_rows *rows)
{
    if (model->theta == NULL)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "pair_features: lowrank, but model \"%s\" does not know its theta",
                       model->name);
    decomposition work = {0};
    foray_status status = decompose(ctx, model, &work);
    if (status == FORAY_OK)
        status = make_rows(ctx, model, &work, tolerance, rows);
    release(&work);
    return status;
}
