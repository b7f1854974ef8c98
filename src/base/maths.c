/* maths.c - logarithms, exponentials and powers from tables (after Tang 1989, 1990).
 *
 *   log x = k log 2 + log c + log(1 + r),     x = 2^k z,  c = 1 + j/128 nearest to z,  1 + r = z/c
 *   exp x = 2^k 2^(j/128) exp(r),             x = (128 k + j) log 2 / 128 + r
 *   x^y   = exp(y log x),                     y log x as a pair
 *
 * Both r are below 2^-7.8, so that a few terms of Taylor's series give the last factor, and only
 * its first terms need more than a double. */
#include "base/maths.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/maths_tables.h"

/* ---------------------------------------------------------------------- pairs */

/* Numbers as sums of two doubles: a pair hi + lo has about 106 bits. Sums and products of doubles
 * are exact as pairs (Dekker 1971, Knuth): s = a + b rounds off (a - (s - (s - a))) + (b - (s -
 * a)), which is a double; a product is cut into heads and tails of at most 27 bits, whose products
 * are doubles. fma would be shorter, and slow wherever it is not an instruction (the baseline of
 * x86-64, WebAssembly). */

typedef struct pair_of_doubles {
    double hi, lo;
} pair_of_doubles;

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^k, where that is a normal number. */
static inline double power_of_two(int64_t k)
{
    return of_bits((uint64_t)(k + 1023) << 52);
}

/* The first 26 bits of x; the other 27 are x - head(x). */
static inline double head(double x)
{
    return of_bits(bits_of(x) & ~(uint64_t)0x7ffffff);
}

/* a + b, where |a| >= |b| or a = 0. */
static inline pair_of_doubles ordered_sum(double a, double b)
{
    double s = a + b;
    return (pair_of_doubles){s, (a - s) + b};
}

/* a + b */
static inline pair_of_doubles exact_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (pair_of_doubles){s, (a - (s - t)) + (b - t)};
}

/* a b, but for the last bit of the product of the tails */
static inline pair_of_doubles exact_product(double a, double b)
{
    double p = a * b, a1 = head(a), a2 = a - a1, b1 = head(b), b2 = b - b1;
    return (pair_of_doubles){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

/* The integer nearest to x, for |x| < 2^51: beyond 2^52 doubles have no fraction. */
static inline double nearest(double x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

/* c_0 + c_1 x + ... + c_{count-1} x^{count-1} for an even count: even and odd powers on their own,
 * so that neither waits for the other. */
static inline double polynomial(const double *c, int count, double x)
{
    double even = c[count - 2], odd = c[count - 1], square = x * x;
    for (int i = count - 4; i >= 0; i -= 2) {
        even = c[i] + square * even;
        odd = c[i + 1] + square * odd;
    }
    return even + x * odd;
}

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
static pair_of_doubles log_pair(double x, double tail)
{
    uint64_t bits = bits_of(x);
    int64_t k = -1023;
    if (bits < (uint64_t)1 << 52) { /* subnormal */
        bits = bits_of(x * 0x1p54);
        k -= 54;
    }
    k += (int64_t)(bits >> 52);
    if (tail != 0)
        tail *= power_of_two(-k);
    bits = (bits & 0xfffffffffffff) | bits_of(1);

    uint64_t j = ((bits >> 44 & 0xff) + 1) >> 1;
    const double *c = log_table[j];
    double kd = (double)(k + (j >= 53));
    double z_hi = of_bits((bits + 0x80000000) & ~(uint64_t)0xffffffff);
    double a = z_hi * c[0] - 1, b = ((of_bits(bits) - z_hi) + tail) * c[0], r = a + b;

    pair_of_doubles s = ordered_sum(kd * log_2[0] + c[1], a);
    pair_of_doubles t = ordered_sum(s.hi, -0.5 * a * a);
    pair_of_doubles u = ordered_sum(t.hi, b);
    double rest = (kd * log_2[1] + c[2]) + (r * r * r * log_rest(r) - (a + 0.5 * b) * b);
    return ordered_sum(u.hi, ((s.lo + t.lo) + u.lo) + rest);
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
    return log_pair(x, 0).hi;
}

double fy_log10(double x)
{
    if (!(x > 0 && x < INFINITY))
        return log_special(x);
    pair_of_doubles l = log_pair(x, 0), p = exact_product(l.hi, per_log_10[0]);
    return p.hi + (p.lo + (l.hi * per_log_10[1] + l.lo * per_log_10[0]));
}

/* 1 + x is a pair. Below 2^-54, where -0 needs care, log(1 + x) = x. */
double fy_log1p(double x)
{
    if (!(x > -1 && x < INFINITY))
        return log_special(1 + x);
    if (fabs(x) < 0x1p-54)
        return x;
    pair_of_doubles y = exact_sum(1, x);
    return log_pair(y.hi, y.lo).hi;
}

/* ---------------------------------------------------------- exponentials, powers */

/* (hi + lo) 2^k where one of them may be beyond the normal numbers, rounded once: adding 1 to a
 * number below 1 rounds it where the same number times 2^-1022, being subnormal, is rounded. */
static double scale_far(double hi, double lo, int64_t k)
{
    if (k > 0)
        return (hi + lo) * 0x1p1023 * power_of_two(k - 1023);
    double scale = power_of_two(k + 1022);
    hi *= scale;
    lo *= scale;
    if (hi + lo >= 1)
        return (hi + lo) * 0x1p-1022;
    pair_of_doubles s = ordered_sum(1, hi);
    return ((s.hi + (s.lo + lo)) - 1) * 0x1p-1022;
}

/* exp(hi + lo), |lo| below the last place of hi */
static double exp_of_pair(double hi, double lo)
{
    if (hi > 709.8)
        return INFINITY;
    if (hi < -745.2)
        return 0;
    double n = nearest(hi * exp_step[0]);
    double r = (hi - n * exp_step[1]) + (lo - n * exp_step[2]), r2 = r * r;

    /* exp(r) - 1 = r + r^2/2 + r^3/6 + ... */
    double p = r + r2 * ((0.5 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120)));

    int64_t m = (int64_t)n, j = m & 127, k = (m - j) / 128;
    const double *power = exp_table[j];
    double rest = power[1] + power[0] * p;
    if (k < -1021 || k > 1022)
        return scale_far(power[0], rest, k);
    return (power[0] + rest) * power_of_two(k);
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
    pair_of_doubles l = log_pair(fabs(x), 0), p = exact_product(l.hi, y);
    return sign * exp_of_pair(p.hi, p.lo + y * l.lo);
}

/* -------------------------------------------------------------------- sine and cosine */

/* Sine and cosine: x = n pi/2 + r with |r| <= pi/4, r as a pair, then with
 * c = j/64 nearest to r and d = r - c, so that |d| <= 1/128,
 *
 *   sin r = sin c + cos c d + sin c (cos d - 1) + cos c (sin d - d)
 *   cos r = cos c - sin c d + cos c (cos d - 1) - sin c (sin d - d)
 *
 * from a table of sin c and cos c; n mod 4 says which of the two, and its sign. */

/* ------------------------------------------------------------ x = n pi/2 + r */

/* For n of at most 20 bits (Cody and Waite 1980): pi/2 in pieces of 33 bits, whose products with
 * n are exact. The difference with the first one is exact as well. */
static pair_of_doubles reduce_near(double x, int64_t *quarter)
{
    double n = nearest(x * quarter_turn[0]);
    *quarter = (int64_t)n;
    pair_of_doubles s = exact_sum(x - n * quarter_turn[1], -n * quarter_turn[2]);
    pair_of_doubles t = exact_sum(s.hi, -n * quarter_turn[3]);
    return ordered_sum(t.hi, (s.lo + t.lo) - n * quarter_turn[4]);
}

/* Bits first ... first+63 of a number of 32-bit digits, the lowest first. */
static uint64_t cut_bits(const uint32_t *digit, int64_t first)
{
    int64_t i = first / 32, shift = first % 32;
    uint64_t low = digit[i] | (uint64_t)digit[i + 1] << 32;
    return shift ? low >> shift | (uint64_t)digit[i + 2] << (64 - shift) : low;
}

/* For all others (Payne and Hanek 1983): x = m 2^e with an integer m; digits of 2/pi that give
 * multiples of 4 are left out, and the next 7 of them make x 2/pi mod 4 exact to 2^-128, where
 * no double is nearer to a multiple of pi/2 than 2^-62. */
static pair_of_doubles reduce_far(double x, int64_t *quarter)
{
    enum { DIGITS = 7 };
    uint64_t bits = bits_of(x), m = (bits & 0xfffffffffffff) | (uint64_t)1 << 52;
    int64_t e = (int64_t)(bits >> 52 & 0x7ff) - 1075, first = e > 2 ? (e - 2) / 32 : 0;

    uint32_t product[DIGITS + 3] = {0}, half[2] = {(uint32_t)m, (uint32_t)(m >> 32)};
    for (int h = 0; h < 2; h++) {
        uint64_t carry = 0;
        for (int i = 0; i < DIGITS; i++) {
            carry += (uint64_t)half[h] * two_over_pi[first + DIGITS - 1 - i] + product[h + i];
            product[h + i] = (uint32_t)carry;
            carry >>= 32;
        }
        product[h + DIGITS] = (uint32_t)carry;
    }

    /* The lowest bit weighs 2^scale: two bits of n, then the fraction, as a two's complement */
    int64_t scale = e - 32 * (first + DIGITS);
    uint64_t low = cut_bits(product, -scale - 128), high = cut_bits(product, -scale - 64);
    uint64_t n = cut_bits(product, -scale) & 3, sign = high >> 63;
    *quarter = x < 0 ? -(int64_t)(n + sign) : (int64_t)(n + sign);
    if (sign) {
        high = ~high + (low == 0);
        low = -low;
    }
    pair_of_doubles s =
        ordered_sum((double)(high >> 11) * 0x1p-53, (double)(high & 0x7ff) * 0x1p-64);
    pair_of_doubles t = exact_sum(s.hi, (double)(low >> 11) * 0x1p-117);
    pair_of_doubles p = exact_product(t.hi, half_pi[0]);
    p.lo += t.hi * half_pi[1] + (s.lo + t.lo) * half_pi[0];
    pair_of_doubles r = ordered_sum(p.hi, p.lo);
    return sign != (x < 0) ? (pair_of_doubles){-r.hi, -r.lo} : r;
}

/* ------------------------------------------------------------ sin r and cos r */

/* sin r, or cos r, for |r| <= pi/4. The heads of the table and of d have 26 bits: the product of
 * the first two is exact, and with it the sum that the result is rounded from. */
static double sine_or_cosine(pair_of_doubles r, bool cosine)
{
    double sign = r.hi < 0 ? -1 : 1, size = sign * r.hi, j = nearest(64 * size);
    const double *c = sine_table[(int)j];
    double d = size - j / 64, d1 = head(d), d2 = (d - d1) + sign * r.lo, square = d * d;

    /* sin d - d = -d^3/6 + d^5/120 - ...,   cos d - 1 = -d^2/2 + d^4/24 - ... */
    double odd = square * d * (-1.0 / 6 + square * (1.0 / 120 - square * (1.0 / 5040)));
    double even = square * (-0.5 + square * (1.0 / 24 - square * (1.0 / 720)));
    double sin_c = c[0] + c[1], cos_c = c[2] + c[3];
    if (cosine) {
        pair_of_doubles s = ordered_sum(c[2], -c[0] * d1);
        return s.hi + (s.lo + ((c[3] - (c[0] * d2 + c[1] * d)) + (cos_c * even - sin_c * odd)));
    }
    pair_of_doubles s = ordered_sum(c[0], c[2] * d1);
    double rest = (c[1] + (c[2] * d2 + c[3] * d)) + (sin_c * even + cos_c * odd);
    return sign * (s.hi + (s.lo + rest));
}

/* sin(x + turns pi/2) */
static double sine_of(double x, int64_t turns)
{
    int64_t quarter = 0;
    pair_of_doubles r = {x, 0};
    if (fabs(x) > 0x1p20)
        r = reduce_far(x, &quarter);
    else if (fabs(x) > 0.785)
        r = reduce_near(x, &quarter);
    quarter += turns;
    double value = sine_or_cosine(r, quarter & 1);
    return quarter & 2 ? -value : value;
}

/* Below 2^-27, where -0 needs care, sin x = x and cos x = 1. */
double fy_sin(double x)
{
    if (!isfinite(x))
        return NAN;
    return fabs(x) < 0x1p-27 ? x : sine_of(x, 0);
}

double fy_cos(double x)
{
    return isfinite(x) ? sine_of(x, 1) : NAN;
}

/* -------------------------------------------------------------------------- log Gamma */

/* The logarithm of the Gamma function for positive arguments.
 *
 *   x < 15/16     log Gamma(x) = log Gamma(1 + x) - log x
 *   x < 49/16     a polynomial around the nearest of 1, 1 1/8, ..., 3: exactly 0 at 1 and 2, and
 *                 with their slopes there
 *   above         x (log x - 1) - log(x)/2 + log(2 pi)/2 + s(x),  the rest s of Stirling's
 *                 formula by a polynomial in 1/x^2, times 1/x */

/* log Gamma(1 + y), 0 <= y + 1/16 <= 34/16:  A0 + A1 t + t^2 (A2 + A3 t + ...),  t = y - j/8. */
static pair_of_doubles gamma_near(double y)
{
    double j = nearest(8 * y), t = y - j / 8, t1 = head(t);
    const double *A = gamma_table[(int)j];
    double rest = t * t * polynomial(A + 4, 12, t);
    pair_of_doubles s = exact_sum(A[0], A[2] * t1);
    return (pair_of_doubles){s.hi, s.lo + (A[1] + (A[2] * (t - t1) + A[3] * t) + rest)};
}

static double gamma_stirling(double x)
{
    double inverse = 1 / x, rest = inverse * polynomial(stirling, 14, inverse * inverse);
    pair_of_doubles l = log_pair(x, 0), less = exact_sum(l.hi, -1);
    pair_of_doubles p = exact_product(x, less.hi);
    p.lo += x * (less.lo + l.lo);
    pair_of_doubles s = exact_sum(p.hi, -0.5 * l.hi), t = exact_sum(s.hi, half_log_2_pi[0]);
    double tails = s.lo + t.lo + (p.lo - 0.5 * l.lo + half_log_2_pi[1]);
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
        pair_of_doubles g = gamma_near(x - 1);
        return g.hi + g.lo;
    }
    pair_of_doubles g = gamma_near(x), l = log_pair(x, 0), s = exact_sum(g.hi, -l.hi);
    return s.hi + (s.lo + (g.lo - l.lo));
}
