#include "learn/dense.h"

#include <math.h>
#include <string.h>

/* Rows closer to orthogonal than this, relative to their norms, are left alone. */
static const double orthogonal = 1e-14;

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

/* x += B rest,  rest -= B' (B rest)  over the directions found so far. */
static void project(int64_t found, int64_t width, const double *basis, double *rest, double *x)
{
    for (int64_t i = 0; i < found; i++) {
        double along = fy_dot(basis + i * width, rest, width);
        x[i] += along;
        fy_add_scaled(rest, -along, basis + i * width, width);
    }
}

/* Modified Gram-Schmidt; what remains of a row opens a new direction unless it is
 * rounding. The room of that direction holds the remainder meanwhile; when all
 * directions are taken, nothing but rounding can remain. That holds only as long as
 * directions are orthogonal: a remainder that is a small part of its row is projected
 * once more, for rounding may have turned it back towards the others. */
int64_t fy_reduce(int64_t count, int64_t dim, const double *rows, double *basis, double *out)
{
    int64_t max = count < dim ? count : dim, found = 0;
    int64_t width = fy_padded(dim), coordinates = fy_padded(max);
    memset(out, 0, (size_t)(count * coordinates) * sizeof *out);
    for (int64_t j = 0; j < count; j++) {
        double *x = out + j * coordinates, *rest = basis + found * width;
        const double *row = rows + j * width;
        if (found == max) {
            for (int64_t i = 0; i < found; i++)
                x[i] = fy_dot(basis + i * width, row, width);
            continue;
        }
        double whole = sqrt(fy_dot(row, row, width));
        memcpy(rest, row, (size_t)width * sizeof *rest);
        project(found, width, basis, rest, x);
        double norm = sqrt(fy_dot(rest, rest, width));
        if (norm < 0.5 * whole) {
            project(found, width, basis, rest, x);
            norm = sqrt(fy_dot(rest, rest, width));
        }
        if (norm > 1e-14 * whole) {
            x[found++] = norm;
            for (int64_t i = 0; i < width; i++)
                rest[i] /= norm;
        }
    }
    return found;
}
