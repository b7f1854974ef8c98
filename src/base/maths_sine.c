/* maths_sine.c - sine and cosine: x = n pi/2 + r with |r| <= pi/4, r as a pair, then with
 * c = j/64 nearest to r and d = r - c, so that |d| <= 1/128,
 *
 *   sin r = sin c + cos c d + sin c (cos d - 1) + cos c (sin d - d)
 *   cos r = cos c - sin c d + cos c (cos d - 1) - sin c (sin d - d)
 *
 * from a table of sin c and cos c; n mod 4 says which of the two, and its sign. */
#include "base/maths.h"
#include "base/maths_parts.h"

#include <math.h>
#include <stdbool.h>

/* ------------------------------------------------------------ x = n pi/2 + r */

/* For n of at most 20 bits (Cody and Waite 1980): pi/2 in pieces of 33 bits, whose products with
 * n are exact. The difference with the first one is exact as well. */
static fy_pair reduce_near(double x, int64_t *quarter)
{
    double n = fy_nearest(x * fy_quarter_turn[0]);
    *quarter = (int64_t)n;
    fy_pair s = fy_exact_sum(x - n * fy_quarter_turn[1], -n * fy_quarter_turn[2]);
    fy_pair t = fy_exact_sum(s.hi, -n * fy_quarter_turn[3]);
    return fy_ordered_sum(t.hi, (s.lo + t.lo) - n * fy_quarter_turn[4]);
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
static fy_pair reduce_far(double x, int64_t *quarter)
{
    enum { DIGITS = 7 };
    uint64_t bits = fy_bits_of(x), m = (bits & 0xfffffffffffff) | (uint64_t)1 << 52;
    int64_t e = (int64_t)(bits >> 52 & 0x7ff) - 1075, first = e > 2 ? (e - 2) / 32 : 0;

    uint32_t product[DIGITS + 3] = {0}, half[2] = {(uint32_t)m, (uint32_t)(m >> 32)};
    for (int h = 0; h < 2; h++) {
        uint64_t carry = 0;
        for (int i = 0; i < DIGITS; i++) {
            carry += (uint64_t)half[h] * fy_two_over_pi[first + DIGITS - 1 - i] + product[h + i];
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
    fy_pair s = fy_ordered_sum((double)(high >> 11) * 0x1p-53, (double)(high & 0x7ff) * 0x1p-64);
    fy_pair t = fy_exact_sum(s.hi, (double)(low >> 11) * 0x1p-117);
    fy_pair p = fy_exact_product(t.hi, fy_half_pi[0]);
    p.lo += t.hi * fy_half_pi[1] + (s.lo + t.lo) * fy_half_pi[0];
    fy_pair r = fy_ordered_sum(p.hi, p.lo);
    return sign != (x < 0) ? (fy_pair){-r.hi, -r.lo} : r;
}

/* ------------------------------------------------------------ sin r and cos r */

/* sin r, or cos r, for |r| <= pi/4. The heads of the table and of d have 26 bits: the product of
 * the first two is exact, and with it the sum that the result is rounded from. */
static double sine_or_cosine(fy_pair r, bool cosine)
{
    double sign = r.hi < 0 ? -1 : 1, size = sign * r.hi, j = fy_nearest(64 * size);
    const double *c = fy_sine_table[(int)j];
    double d = size - j / 64, d1 = fy_head(d), d2 = (d - d1) + sign * r.lo, square = d * d;

    /* sin d - d = -d^3/6 + d^5/120 - ...,   cos d - 1 = -d^2/2 + d^4/24 - ... */
    double odd = square * d * (-1.0 / 6 + square * (1.0 / 120 - square * (1.0 / 5040)));
    double even = square * (-0.5 + square * (1.0 / 24 - square * (1.0 / 720)));
    double sin_c = c[0] + c[1], cos_c = c[2] + c[3];
    if (cosine) {
        fy_pair s = fy_ordered_sum(c[2], -c[0] * d1);
        return s.hi + (s.lo + ((c[3] - (c[0] * d2 + c[1] * d)) + (cos_c * even - sin_c * odd)));
    }
    fy_pair s = fy_ordered_sum(c[0], c[2] * d1);
    double rest = (c[1] + (c[2] * d2 + c[3] * d)) + (sin_c * even + cos_c * odd);
    return sign * (s.hi + (s.lo + rest));
}

/* sin(x + turns pi/2) */
static double sine_of(double x, int64_t turns)
{
    int64_t quarter = 0;
    fy_pair r = {x, 0};
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
