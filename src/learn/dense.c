#include "learn/dense.h"

#include <math.h>

/* Rows closer to orthogonal than this, relative to their norms, are left alone. */
static const double orthogonal = 1e-15;

/* [a; b] <- [c -s; s c] [a; b] */
static void rotate(double *a, double *b, double c, double s, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

/* Makes the first `length` numbers of two rows orthogonal by the smaller of the two
 * angles that do; tells whether they were not. */
static bool make_orthogonal(double *a, double *b, int64_t length, int64_t stride)
{
    double aa = fy_dot(a, a, length), bb = fy_dot(b, b, length), ab = fy_dot(a, b, length);
    if (!(fabs(ab) > orthogonal * sqrt(aa * bb)))
        return false;
    /* tan = t solves t^2 + 2 zeta t - 1 = 0,  zeta = (b'b - a'a) / (2 a'b) */
    double zeta = (bb - aa) / (2 * ab);
    double t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t);
    rotate(a, b, c, c * t, stride);
    return true;
}

void fy_orthogonalise(int64_t count, int64_t length, int64_t stride, int64_t sweeps, double *rows)
{
    bool moved = true;
    for (int64_t sweep = 0; sweep < sweeps && moved; sweep++) {
        moved = false;
        for (int64_t i = 0; i < count; i++)
            for (int64_t k = i + 1; k < count; k++)
                moved |= make_orthogonal(rows + i * stride, rows + k * stride, length, stride);
    }
}
