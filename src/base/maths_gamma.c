/* maths_gamma.c - the logarithm of the Gamma function for positive arguments.
 *
 *   x < 15/16     log Gamma(x) = log Gamma(1 + x) - log x
 *   x < 49/16     a polynomial around the nearest of 1, 1 1/8, ..., 3: exactly 0 at 1 and 2, and
 *                 with their slopes there
 *   above         x (log x - 1) - log(x)/2 + log(2 pi)/2 + s(x),  the rest s of Stirling's
 *                 formula by a polynomial in 1/x^2, times 1/x */
#include "base/maths.h"
#include "base/maths_parts.h"

#include <math.h>

/* log Gamma(1 + y), 0 <= y + 1/16 <= 34/16:  A0 + A1 t + t^2 (A2 + A3 t + ...),  t = y - j/8. */
static fy_pair gamma_near(double y)
{
    double j = fy_nearest(8 * y), t = y - j / 8, t1 = fy_head(t);
    const double *A = fy_gamma_table[(int)j];
    double rest = t * t * fy_polynomial(A + 4, 12, t);
    fy_pair s = fy_exact_sum(A[0], A[2] * t1);
    return (fy_pair){s.hi, s.lo + (A[1] + (A[2] * (t - t1) + A[3] * t) + rest)};
}

static double gamma_stirling(double x)
{
    double inverse = 1 / x, rest = inverse * fy_polynomial(fy_stirling, 14, inverse * inverse);
    fy_pair l = fy_log_pair(x, 0), less = fy_exact_sum(l.hi, -1);
    fy_pair p = fy_exact_product(x, less.hi);
    p.lo += x * (less.lo + l.lo);
    fy_pair s = fy_exact_sum(p.hi, -0.5 * l.hi), t = fy_exact_sum(s.hi, fy_half_log_2_pi[0]);
    double tails = s.lo + t.lo + (p.lo - 0.5 * l.lo + fy_half_log_2_pi[1]);
    return t.hi + (tails + rest);
}

double fy_lgamma(double x)
{
    if (isnan(x) || x < 0)
        return NAN;
    if (x == 0 || x > 0x1.754d9278b51a7p1014) /* from there on too large for a double */
        return INFINITY;
    if (x >= 49.0 / 16)
        return gamma_stirling(x);
    if (x >= 15.0 / 16) {
        fy_pair g = gamma_near(x - 1);
        return g.hi + g.lo;
    }
    fy_pair g = gamma_near(x), l = fy_log_pair(x, 0), s = fy_exact_sum(g.hi, -l.hi);
    return s.hi + (s.lo + (g.lo - l.lo));
}
