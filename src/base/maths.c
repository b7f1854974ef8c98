/* maths.c - logarithms, exponentials and powers from tables (after Tang 1989, 1990).
 *
 *   log x = k log 2 + log c + log(1 + r),     x = 2^k z,  c = 1 + j/128 nearest to z,  1 + r = z/c
 *   exp x = 2^k 2^(j/128) exp(r),             x = (128 k + j) log 2 / 128 + r
 *   x^y   = exp(y log x),                     y log x as a pair
 *
 * Both r are below 2^-7.8, so that a few terms of Taylor's series give the last factor, and only
 * its first terms need more than a double. */
#include "base/maths.h"
#include "base/maths_parts.h"

#include <math.h>
#include <stdbool.h>

/* ------------------------------------------------------------------ logarithms */

/* (log(1 + r) - r + r^2/2) / r^3 */
static double log_rest(double r)
{
    double r2 = r * r;
    return (1.0 / 3 - r * (1.0 / 4)) + r2 * ((1.0 / 5 - r * (1.0 / 6)) + r2 * (1.0 / 7 - r / 8));
}

/* With an error of some 2^-68 of the result, as pow needs it. z is cut after 20 binary places and
 * 1/c has 13, so that a = z_hi/c - 1 is exact, has 26 bits, and its square is exact as well:
 *   r = a + b,    log(1 + r) = a - a^2/2 + b - (a + b/2) b + r^3 (1/3 - r/4 + ...)
 * Near 1 the table says k = 0, log c = 0: nothing cancels there. */
fy_pair fy_log_pair(double x, double tail)
{
    uint64_t bits = fy_bits_of(x);
    int64_t k = -1023;
    if (bits < (uint64_t)1 << 52) { /* subnormal */
        bits = fy_bits_of(x * 0x1p54);
        k -= 54;
    }
    k += (int64_t)(bits >> 52);
    if (tail != 0)
        tail *= fy_power_of_two(-k);
    bits = (bits & 0xfffffffffffff) | fy_bits_of(1);

    uint64_t j = ((bits >> 44 & 0xff) + 1) >> 1;
    const double *c = fy_log_table[j];
    double kd = (double)(k + (j >= 53));
    double z_hi = fy_of_bits((bits + 0x80000000) & ~(uint64_t)0xffffffff);
    double a = z_hi * c[0] - 1, b = ((fy_of_bits(bits) - z_hi) + tail) * c[0], r = a + b;

    fy_pair s = fy_ordered_sum(kd * fy_log_2[0] + c[1], a);
    fy_pair t = fy_ordered_sum(s.hi, -0.5 * a * a);
    fy_pair u = fy_ordered_sum(t.hi, b);
    double rest = (kd * fy_log_2[1] + c[2]) + (r * r * r * log_rest(r) - (a + 0.5 * b) * b);
    return fy_ordered_sum(u.hi, ((s.lo + t.lo) + u.lo) + rest);
}

/* What log makes of 0, infinity, NaN and what is negative. */
static double log_special(double x)
{
    return x == 0 ? -INFINITY : x > 0 ? x : NAN;
}

double fy_log(double x)
{
    if (!(x > 0 && x < INFINITY))
        return log_special(x);
    return fy_log_pair(x, 0).hi;
}

double fy_log10(double x)
{
    if (!(x > 0 && x < INFINITY))
        return log_special(x);
    fy_pair l = fy_log_pair(x, 0), p = fy_exact_product(l.hi, fy_per_log_10[0]);
    return p.hi + (p.lo + (l.hi * fy_per_log_10[1] + l.lo * fy_per_log_10[0]));
}

/* 1 + x is a pair. Below 2^-54, where -0 needs care, log(1 + x) = x. */
double fy_log1p(double x)
{
    if (!(x > -1 && x < INFINITY))
        return log_special(1 + x);
    if (fabs(x) < 0x1p-54)
        return x;
    fy_pair y = fy_exact_sum(1, x);
    return fy_log_pair(y.hi, y.lo).hi;
}

/* ---------------------------------------------------------- exponentials, powers */

/* (hi + lo) 2^k where one of them may be beyond the normal numbers, rounded once: adding 1 to a
 * number below 1 rounds it where the same number times 2^-1022, being subnormal, is rounded. */
static double scale_far(double hi, double lo, int64_t k)
{
    if (k > 0)
        return (hi + lo) * 0x1p1023 * fy_power_of_two(k - 1023);
    double scale = fy_power_of_two(k + 1022);
    hi *= scale;
    lo *= scale;
    if (hi + lo >= 1)
        return (hi + lo) * 0x1p-1022;
    fy_pair s = fy_ordered_sum(1, hi);
    return ((s.hi + (s.lo + lo)) - 1) * 0x1p-1022;
}

/* exp(hi + lo), |lo| below the last place of hi */
static double exp_of_pair(double hi, double lo)
{
    if (hi > 709.8)
        return INFINITY;
    if (hi < -745.2)
        return 0;
    double n = fy_nearest(hi * fy_exp_step[0]);
    double r = (hi - n * fy_exp_step[1]) + (lo - n * fy_exp_step[2]), r2 = r * r;

    /* exp(r) - 1 = r + r^2/2 + r^3/6 + ... */
    double p = r + r2 * ((0.5 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120)));

    int64_t m = (int64_t)n, j = m & 127, k = (m - j) / 128;
    const double *power = fy_exp_table[j];
    double rest = power[1] + power[0] * p;
    if (k < -1021 || k > 1022)
        return scale_far(power[0], rest, k);
    return (power[0] + rest) * fy_power_of_two(k);
}

double fy_exp(double x)
{
    return isnan(x) ? NAN : exp_of_pair(x, 0);
}

static bool is_integer(double y)
{
    return isinf(y) || floor(y) == y;
}

static bool is_odd(double y)
{
    return fabs(y) < 0x1p53 && is_integer(y) && !is_integer(y / 2);
}

/* x^y where one of them is 0, infinite or NaN. What is neither 1 nor NaN is 0 (where |x| < 1 and
 * y > 0, or |x| > 1 and y < 0) or infinite. */
static double pow_special(double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    if (isnan(x) || isnan(y))
        return NAN;
    if (x == -1)
        return 1;
    double size = (fabs(x) < 1) == (y > 0) ? 0 : INFINITY;
    return signbit(x) && is_odd(y) ? -size : size;
}

/* Beyond 2^65 every y but that of x = +-1 leads out of the doubles; below 2^-65 all lead to 1. */
double fy_pow(double x, double y)
{
    if (x == 0 || y == 0 || !isfinite(x) || !isfinite(y))
        return pow_special(x, y);
    if (x < 0 && !is_integer(y))
        return NAN;
    double sign = x < 0 && is_odd(y) ? -1 : 1;
    if (fabs(y) > 0x1p65 || fabs(y) < 0x1p-65)
        y = copysign(fabs(y) > 1 ? 0x1p65 : 0x1p-65, y);
    fy_pair l = fy_log_pair(fabs(x), 0), p = fy_exact_product(l.hi, y);
    return sign * exp_of_pair(p.hi, p.lo + y * l.lo);
}
