/* What a rank-one update, a fresh factorisation and whitening cost by dimension, and
 * what BLAS and LAPACK take for the same: why the kernels of src/learn are written out.
 *
 * Updates and whitening are what is done all the time, mostly at d <= 16. A factorisation
 * comes once in 4096 updates, so that dpotrf, though faster from d = 8 on, would save less
 * than a thousandth there, and its sums depend on the threads OpenBLAS happens to use. */
#include "bench.h"
#include "learn/ridge.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 6, MAX_D = 256, VECTORS = 64 };
static const int sizes[SIZES] = {1, 3, 8, 16, 64, MAX_D};

typedef struct work {
    int d, rounds;
    fy_ridge *ridge, *renewed; /* the second factors afresh at every update */
    double *sigma, *factor;    /* dense, by column */
    double *x, *y, *copy;      /* VECTORS vectors */
} work;

static int rounds_for(int d)
{
    return 1 + 2000000 / (d * d + 20);
}

/* --------------------------------------------------------------- ours */

static void update(void *arg)
{
    work *w = arg;
    for (int i = 0; i < w->rounds; i++)
        fy_ridge_update(w->ridge, 0, w->x + i % VECTORS * w->d, 1, 1);
}

static void update_and_renew(void *arg)
{
    work *w = arg;
    for (int i = 0; i < w->rounds / w->d + 1; i++)
        fy_ridge_update(w->renewed, 0, w->x + i % VECTORS * w->d, 1, 1);
}

static void whiten(void *arg)
{
    work *w = arg;
    for (int i = 0; i < w->rounds / VECTORS + 1; i++) {
        memcpy(w->y, w->x, sizeof *w->y * VECTORS * (size_t)w->d);
        fy_ridge_whiten_many(w->ridge, 0, VECTORS, w->y);
    }
}

/* ------------------------------------------------------- BLAS and LAPACK */

/* Givens rotations of whole columns, as LINPACK's dchud does it, and Sigma += x x'. */
static void blas_update(void *arg)
{
    work *w = arg;
    int d = w->d;
    for (int i = 0; i < w->rounds; i++) {
        const double *x = w->x + i % VECTORS * d;
        cblas_dsyr(CblasColMajor, CblasLower, d, 1, x, 1, w->sigma, d);
        memcpy(w->copy, x, sizeof *x * (size_t)d);
        for (int k = 0; k < d; k++) {
            double c, s, *column = w->factor + k * d;
            cblas_drotg(column + k, w->copy + k, &c, &s);
            if (k + 1 < d)
                cblas_drot(d - k - 1, column + k + 1, 1, w->copy + k + 1, 1, c, s);
        }
    }
}

static void lapack_factor(void *arg)
{
    work *w = arg;
    int d = w->d;
    for (int i = 0; i < w->rounds / d + 1; i++) {
        memcpy(w->factor, w->sigma, sizeof *w->sigma * (size_t)(d * d));
        LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', d, w->factor, d);
    }
}

static void blas_whiten(void *arg)
{
    work *w = arg;
    for (int i = 0; i < w->rounds / VECTORS + 1; i++) {
        memcpy(w->y, w->x, sizeof *w->y * VECTORS * (size_t)w->d);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, w->d, VECTORS,
                    1, w->factor, w->d, w->y, w->d);
    }
}

/* ------------------------------------------------------------------ print */

static double nanoseconds(void (*what)(void *), work *w, int units)
{
    return 1e9 * bench_best(15, what, w) / units;
}

static void measure(work *w, double *ours, double *theirs)
{
    int whole = w->rounds, renewals = w->rounds / w->d + 1;
    int vectors = (w->rounds / VECTORS + 1) * VECTORS;
    ours[0] = nanoseconds(update, w, whole);
    theirs[0] = nanoseconds(blas_update, w, whole);
    ours[1] = fmax(nanoseconds(update_and_renew, w, renewals) - ours[0], 0);
    theirs[1] = nanoseconds(lapack_factor, w, renewals);
    ours[2] = nanoseconds(whiten, w, vectors);
    theirs[2] = nanoseconds(blas_whiten, w, vectors);
}

static void print_rows(double ours[3][SIZES], double theirs[3][SIZES])
{
    static const char *const name[3] = {"update", "factor", "whiten"};
    static const char *const other[3] = {"dsyr, drotg, drot", "dpotrf", "dtrsm"};
    printf("%-8s%8s%14s%14s%9s  %s\n", "", "d", "written out", "BLAS, LAPACK", "ratio",
           "the latter is");
    for (int what = 0; what < 3; what++)
        for (int i = 0; i < SIZES; i++)
            printf("%-8s%8d%11.1f ns%11.1f ns%9.2f  %s\n", name[what], sizes[i], ours[what][i],
                   theirs[what][i], theirs[what][i] / ours[what][i], other[what]);
}

int main(void)
{
    foray_context *ctx = foray_context_create();
    double ours[3][SIZES], theirs[3][SIZES], d_values[SIZES];
    for (int i = 0; i < SIZES; i++) {
        int d = sizes[i];
        size_t square = (size_t)(d * d), many = VECTORS * (size_t)d;
        fy_block block = {.dim = d};
        fy_basis basis = {.blocks = 1, .block = &block, .max_dim = d};
        double lambda = 1, o[3], t[3];
        work w = {.d = d, .rounds = rounds_for(d)};
        bench_check(ctx, fy_ridge_create(bench_arena(ctx), &basis, &lambda, INT64_MAX, &w.ridge));
        bench_check(ctx, fy_ridge_create(bench_arena(ctx), &basis, &lambda, 1, &w.renewed));
        w.sigma = bench_alloc(square, sizeof *w.sigma);
        w.factor = bench_alloc(square, sizeof *w.factor);
        w.x = bench_alloc(many, sizeof *w.x);
        w.y = bench_alloc(many, sizeof *w.y);
        w.copy = bench_alloc(many, sizeof *w.copy);
        for (int k = 0; k < d; k++)
            w.sigma[k * d + k] = w.factor[k * d + k] = 1;
        for (size_t k = 0; k < many; k++)
            w.x[k] = bench_uniform(1, k) - 0.5;
        measure(&w, o, t);
        for (int what = 0; what < 3; what++) {
            ours[what][i] = o[what];
            theirs[what][i] = t[what];
        }
        d_values[i] = d;
        bench_release();
        free(w.sigma);
        free(w.factor);
        free(w.x);
        free(w.y);
        free(w.copy);
    }
    puts("\nRidge regression: an update, a factorisation with its error, a vector whitened");
    print_rows(ours, theirs);
    bench_growth("update, d", "ns", SIZES, d_values, ours[0]);
    bench_growth("factor, d", "ns", SIZES - 1, d_values + 1, ours[1] + 1);
    bench_growth("whiten, d", "ns", SIZES, d_values, ours[2]);
    foray_context_destroy(ctx);
    return 0;
}
