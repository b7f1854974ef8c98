/* number.c - numbers from texts: the same on every machine and in every locale.
 *
 *   number = [+-] digits [. digits] [(e|E) [+-] digits]  or  [+-] inf
 *
 * One of the two runs of digits may be missing, and '_' may stand between two digits:
 * 200_000. No blanks, no hexadecimal, nothing behind the number.
 *
 * Reading is correctly rounded: to the nearest double, ties to even. Where the digits make
 * a whole number of at most 2^53 and the power of ten is at most 10^22, both are doubles and
 * one multiplication or division rounds once (Clinger 1990). All other texts stay decimal:
 * halving and doubling are exact there, so that
 *
 *   1. the number is halved or doubled until it lies in [1/2, 1), and the halvings counted;
 *   2. it is doubled as often as its double has bits, and rounded to a whole number;
 *   3. the count of 1. goes into the exponent. */
#include "base/decimal.h"
#include "base/parameter.h"

#include <math.h>
#include <string.h>

enum { MANTISSA = 53 };

/* ---------------------------------------------------------------------- scanning */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The run of digits at text[*at]; `whole`: they stand before the point. False: a '_' that is
 * not between digits. */
static bool scan_digits(const char *text, size_t length, size_t *at, bool whole, fy_decimal *d)
{
    size_t first = *at;
    for (; *at < length && (is_digit(text[*at]) || text[*at] == '_'); ++*at) {
        char c = text[*at];
        if (c == '_') {
            if (*at == first || text[*at - 1] == '_' || *at + 1 == length ||
                !is_digit(text[*at + 1]))
                return false;
            continue;
        }
        bool leading = d->count == 0 && c == '0';
        /* 0.05 is 5 with the point one place to its left: zeros in front only move it. */
        if (leading == !whole)
            d->point += leading ? -1 : 1;
        if (!leading)
            fy_decimal_push(d, (uint8_t)(c - '0'));
    }
    return true;
}

/* The exponent behind an 'e'; larger ones than any double has are as good as a million. */
static bool scan_exponent(const char *text, size_t length, size_t *at, int64_t *out)
{
    int64_t exponent = 0;
    bool negative = *at < length && text[*at] == '-';
    if (*at < length && (text[*at] == '-' || text[*at] == '+'))
        ++*at;
    size_t first = *at;
    for (; *at < length && is_digit(text[*at]); ++*at)
        if (exponent < 1000000)
            exponent = 10 * exponent + (text[*at] - '0');
    *out = negative ? -exponent : exponent;
    return *at > first;
}

static bool scan_number(const char *text, size_t length, fy_decimal *d)
{
    size_t at = 0;
    int64_t exponent = 0;
    d->count = d->point = 0;
    d->cut = false;
    d->negative = length > 0 && text[0] == '-';
    if (length > 0 && (text[0] == '-' || text[0] == '+'))
        at++;
    size_t first = at, point = 0;
    if (!scan_digits(text, length, &at, true, d))
        return false;
    if (at < length && text[at] == '.') {
        point = 1;
        at++;
        if (!scan_digits(text, length, &at, false, d))
            return false;
    }
    if (at == first + point) /* no digit at all */
        return false;
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        if (!scan_exponent(text, length, &at, &exponent))
            return false;
    }
    d->point += exponent;
    fy_decimal_strip(d);
    return at == length;
}

/* ---------------------------------------------------------------------- rounding */

/* A number below 2^54, rounded to the nearest whole one, ties to even. */
static uint64_t round_whole(const fy_decimal *d)
{
    uint64_t whole = 0;
    for (int64_t i = 0; i < d->point; i++)
        whole = 10 * whole + (i < d->count ? d->digit[i] : 0);
    if (d->point < 0 || d->point >= d->count || d->digit[d->point] < 5)
        return whole;
    bool tie = d->digit[d->point] == 5 && d->point + 1 == d->count && !d->cut;
    return tie ? whole + (whole & 1) : whole + 1;
}

/* |d| as a double, by the three steps above. */
static double round_exactly(fy_decimal *d)
{
    int exponent = 0; /* |d| was d * 2^exponent */
    if (d->count == 0 || d->point < -330)
        return 0;
    if (d->point > 310)
        return INFINITY;
    while (d->point > 0) { /* 8^k <= 10^k: d stays at least 1 until it is below 10 */
        int64_t bits = d->point > 1 ? 3 * (d->point - 1) : 1;
        bits = bits < FY_DECIMAL_SHIFT ? bits : FY_DECIMAL_SHIFT;
        fy_decimal_halve(d, (int)bits);
        exponent += (int)bits;
    }
    while (d->point < 0 || d->digit[0] < 5) {
        int64_t bits = d->point < 0 ? -3 * d->point : 1;
        bits = bits < FY_DECIMAL_SHIFT ? bits : FY_DECIMAL_SHIFT;
        fy_decimal_double(d, (int)bits);
        exponent -= (int)bits;
    }
    /* Below 2^-1022 doubles have fewer bits: the last is worth 2^-1074. */
    int bits = exponent < -1021 ? exponent + 1074 : MANTISSA;
    if (bits < 0)
        return 0;
    fy_decimal_double(d, bits);
    return ldexp((double)round_whole(d), exponent - bits);
}

/* The digits as a whole number and the power of ten behind it, where one operation will do. */
static bool round_once(const fy_decimal *d, double *out)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int64_t exponent = d->point - d->count;
    uint64_t digits = 0;
    if (d->count > 16 || exponent < -22 || exponent > 22)
        return false;
    for (int64_t i = 0; i < d->count; i++)
        digits = 10 * digits + d->digit[i];
    if (digits > (uint64_t)1 << MANTISSA)
        return false;
    *out = exponent < 0 ? (double)digits / power[-exponent] : (double)digits * power[exponent];
    return true;
}

/* ----------------------------------------------------------------------- reading */

bool fy_number_read(const char *text, size_t length, double *out)
{
    fy_decimal d;
    double value;
    size_t sign = length > 0 && (text[0] == '-' || text[0] == '+');
    if (length == sign + 3 && memcmp(text + sign, "inf", 3) == 0) {
        *out = text[0] == '-' ? -INFINITY : INFINITY;
        return true;
    }
    if (!scan_number(text, length, &d))
        return false;
    bool negative = d.negative;
    if (!round_once(&d, &value))
        value = round_exactly(&d);
    if (isinf(value))
        return false;
    *out = negative ? -value : value;
    return true;
}

bool fy_whole_read(const char *text, size_t length, int64_t *out)
{
    fy_decimal d;
    uint64_t value = 0;
    if (!scan_number(text, length, &d) || d.cut || d.count > d.point || d.point > 19)
        return false;
    uint64_t most = (uint64_t)INT64_MAX + d.negative;
    for (int64_t i = 0; i < d.point; i++) {
        uint8_t digit = i < d.count ? d.digit[i] : 0;
        if (value > (most - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *out = (int64_t)(d.negative ? 0 - value : value);
    return true;
}

bool foray_number_read(const char *text, double *out)
{
    return fy_number_read(text, strlen(text), out);
}

bool foray_whole_read(const char *text, int64_t *out)
{
    return fy_whole_read(text, strlen(text), out);
}
