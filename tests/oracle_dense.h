/* oracle_dense.h - the inverse of a matrix, once for all oracles: Gauss-Jordan with row pivots, in
 * long double. */
#ifndef FY_TESTS_ORACLE_DENSE_H
#define FY_TESTS_ORACLE_DENSE_H

#include <stdint.h>

/* Both are n x n, row by row, and may be the same; returns log |det|. */
long double oracle_invert_long(int64_t n, const long double *matrix, long double *inverse);
double oracle_invert(int64_t n, const double *matrix, double *inverse);

#endif
