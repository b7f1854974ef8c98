/* maths_parts.h - what maths.c and its tables share: numbers as sums of two doubles, and tables.
 *
 * A pair hi + lo has about 106 bits. Sums and products of doubles are exact as pairs (Dekker 1971,
 * Knuth): s = a + b rounds off (a - (s - (s - a))) + (b - (s - a)), which is a double; a product
 * is cut into heads and tails of at most 27 bits, whose products are doubles. fma would be
 * shorter, and slow wherever it is not an instruction (the baseline of x86-64, WebAssembly). */
#ifndef FY_MATHS_PARTS_H
#define FY_MATHS_PARTS_H

#include <stdint.h>
#include <string.h>

typedef struct fy_pair {
    double hi, lo;
} fy_pair;

static inline uint64_t fy_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double fy_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^k, where that is a normal number. */
static inline double fy_power_of_two(int64_t k)
{
    return fy_of_bits((uint64_t)(k + 1023) << 52);
}

/* The first 26 bits of x; the other 27 are x - fy_head(x). */
static inline double fy_head(double x)
{
    return fy_of_bits(fy_bits_of(x) & ~(uint64_t)0x7ffffff);
}

/* a + b, where |a| >= |b| or a = 0. */
static inline fy_pair fy_ordered_sum(double a, double b)
{
    double s = a + b;
    return (fy_pair){s, (a - s) + b};
}

/* a + b */
static inline fy_pair fy_exact_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (fy_pair){s, (a - (s - t)) + (b - t)};
}

/* a b, but for the last bit of the product of the tails */
static inline fy_pair fy_exact_product(double a, double b)
{
    double p = a * b, a1 = fy_head(a), a2 = a - a1, b1 = fy_head(b), b2 = b - b1;
    return (fy_pair){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

/* The integer nearest to x, for |x| < 2^51: beyond 2^52 doubles have no fraction. */
static inline double fy_nearest(double x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

/* c_0 + c_1 x + ... + c_{count-1} x^{count-1} for an even count: even and odd powers on their own,
 * so that neither waits for the other. */
static inline double fy_polynomial(const double *c, int count, double x)
{
    double even = c[count - 2], odd = c[count - 1], square = x * x;
    for (int i = count - 4; i >= 0; i -= 2) {
        even = c[i] + square * even;
        odd = c[i + 1] + square * odd;
    }
    return even + x * odd;
}

/* log(x + tail) for a finite x > 0 and |tail| of at most half a unit in the last place of x. */
fy_pair fy_log_pair(double x, double tail);

/* Made by scripts/maths_coefficients.py. */
extern const double fy_log_2[2], fy_per_log_10[2], fy_log_table[129][3];
extern const double fy_exp_step[3], fy_exp_table[128][2];
extern const double fy_quarter_turn[5], fy_half_pi[2], fy_sine_table[52][4];
extern const uint32_t fy_two_over_pi[38];
extern const double fy_gamma_table[17][16], fy_half_log_2_pi[2], fy_stirling[14];

#endif
