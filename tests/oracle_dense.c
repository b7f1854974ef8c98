/* oracle_dense.c - see oracle_dense.h. */
#include "oracle_dense.h"

#include <math.h>
#include <stdlib.h>

/* Row operations turn [A | I] into [I | A^-1]; det A is the product of the pivots, up to its sign.
 */
long double oracle_invert_long(int64_t n, const long double *matrix, long double *inverse)
{
    int64_t w = 2 * n;
    long double *row = calloc((size_t)(n * w + 1), sizeof *row), log_det = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            row[i * w + j] = matrix[i * n + j];
        row[i * w + n + i] = 1;
    }
    for (int64_t c = 0; c < n; c++) {
        int64_t best = c;
        for (int64_t i = c; i < n; i++)
            best = fabsl(row[i * w + c]) > fabsl(row[best * w + c]) ? i : best;
        for (int64_t j = 0; j < w; j++) {
            long double swap = row[c * w + j];
            row[c * w + j] = row[best * w + j];
            row[best * w + j] = swap;
        }
        long double pivot = row[c * w + c];
        log_det += logl(fabsl(pivot));
        for (int64_t j = 0; j < w; j++)
            row[c * w + j] /= pivot;
        for (int64_t i = 0; i < n; i++) {
            long double factor = row[i * w + c];
            for (int64_t j = 0; i != c && j < w; j++)
                row[i * w + j] -= factor * row[c * w + j];
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            inverse[i * n + j] = row[i * w + n + j];
    free(row);
    return log_det;
}

double oracle_invert(int64_t n, const double *matrix, double *inverse)
{
    long double *exact = calloc((size_t)(n * n + 1), sizeof *exact);
    for (int64_t i = 0; i < n * n; i++)
        exact[i] = matrix[i];
    double log_det = (double)oracle_invert_long(n, exact, exact);
    for (int64_t i = 0; i < n * n; i++)
        inverse[i] = (double)exact[i];
    free(exact);
    return log_det;
}
