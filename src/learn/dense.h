/* dense.h - the few dense kernels of the learning code, written out: the matrices
 * are so small (d_g of 1 to 30, thousands of them) that a BLAS call costs more
 * than its work (bench/bench_ridge.c), and sums here have one fixed order, whatever
 * the number of threads. */
#ifndef FY_DENSE_H
#define FY_DENSE_H

#include "base/base.h"

/* Eight numbers side by side; the compiler maps them to what the machine has. */
enum { FY_WIDTH = 8 };
typedef double fy_vector __attribute__((vector_size(64), aligned(8), may_alias));

/* Rows of d numbers, padded with zeros to whole vectors. */
static inline int64_t fy_padded(int64_t d)
{
    return (d + FY_WIDTH - 1) / FY_WIDTH * FY_WIDTH;
}

/* The lanes of a vector added up, always in the same order. */
static inline double fy_vector_sum(const fy_vector *v)
{
    fy_vector x = *v;
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

/* sum_i a_i b_i for any count. */
static inline double fy_dot(const double *a, const double *b, int64_t count)
{
    int64_t whole = count & ~(int64_t)(FY_WIDTH - 1);
    double total = 0;
    if (whole > 0) {
        fy_vector sum = {0};
        for (int64_t i = 0; i < whole; i += FY_WIDTH)
            sum += *(const fy_vector *)(a + i) * *(const fy_vector *)(b + i);
        total = fy_vector_sum(&sum);
    }
    for (int64_t i = whole; i < count; i++)
        total += a[i] * b[i];
    return total;
}

/* y += alpha x for padded rows. */
static inline void fy_add_scaled(double *y, double alpha, const double *x, int64_t padded)
{
    for (int64_t i = 0; i < padded; i += FY_WIDTH)
        *(fy_vector *)(y + i) += alpha * *(const fy_vector *)(x + i);
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
