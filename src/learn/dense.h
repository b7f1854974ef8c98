/* dense.h - the few dense kernels of the learning code, written out: the matrices
 * are so small (d_g of 1 to 30, thousands of them) that a BLAS call costs more
 * than its work (bench/bench_ridge.c), and sums here have one fixed order, whatever
 * the number of threads. */
#ifndef FY_DENSE_H
#define FY_DENSE_H

#include "base/level.h"

/* Eight numbers side by side, in as many registers as that takes. */
enum { FY_WIDTH = 8, FY_PARTS = FY_WIDTH / FY_REGISTER };
typedef struct fy_eight {
    fy_register part[FY_PARTS];
} fy_eight;

/* Rows of d numbers, padded with zeros to whole eights. */
static inline int64_t fy_padded(int64_t d)
{
    return (d + FY_WIDTH - 1) / FY_WIDTH * FY_WIDTH;
}

/* Eight sums become one, always in the same order. */
static inline double fy_eight_sum(const fy_eight *sum)
{
    double x[FY_WIDTH];
    memcpy(x, sum, sizeof x);
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

/* sum_i a_i b_i for any count. */
static inline double fy_dot(const double *a, const double *b, int64_t count)
{
    int64_t whole = count & ~(int64_t)(FY_WIDTH - 1);
    double total = 0;
    if (whole > 0) {
        fy_eight sum = {0};
        for (int64_t i = 0; i < whole; i += FY_WIDTH)
            FY_UNROLL for (int64_t k = 0; k < FY_PARTS; k++) sum.part[k] +=
                fy_register_load(a + i + k * FY_REGISTER) *
                fy_register_load(b + i + k * FY_REGISTER);
        total = fy_eight_sum(&sum);
    }
    for (int64_t i = whole; i < count; i++)
        total += a[i] * b[i];
    return total;
}

/* y += alpha x for padded rows. */
static inline void fy_add_scaled(double *y, double alpha, const double *x, int64_t padded)
{
    for (int64_t i = 0; i < padded; i += FY_REGISTER)
        fy_register_store(y + i, fy_register_load(y + i) + alpha * fy_register_load(x + i));
}

/* One-sided Jacobi: rotates `count` rows of `stride` numbers until their first
 * `length` columns are mutually orthogonal, or `sweeps` are done. The rotations
 * act on whole rows, so what lies behind `length` is carried along. */
void fy_orthogonalise(int64_t count, int64_t length, int64_t stride, int64_t sweeps, double *rows);

/* Coordinates of `count` padded rows of `dim` numbers in an orthonormal basis of their
 * span: inner products stay what they are, in fewer dimensions. `out` gets rows padded
 * from fy_padded(min(count, dim)); `basis` is room for min(count, dim) padded rows.
 * Returns the number of coordinates. */
int64_t fy_reduce(int64_t count, int64_t dim, const double *rows, double *basis, double *out);

#endif
