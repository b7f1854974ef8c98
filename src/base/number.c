/* number.c - numbers from texts and to texts: libc's own, which is exact, without the locale's
 * decimal point. No other file of the libraries turns one into the other (tests/test_libm.sh).
 *
 *   number = [+-] digits [. digits] [(e|E) [+-] digits]  or  [+-] inf
 *
 * One of the two runs of digits may be missing, and '_' may stand between two digits:
 * 200_000. No blanks, no hexadecimal, nothing behind the number.
 *
 * What is read goes to strtod as "DIGITSeEXPONENT", in which no locale has a point. */
#define _GNU_SOURCE /* uselocale */
#include "base/parameter.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Doubles have at most 767 digits, the middle of two neighbours 768: of those behind it only counts
 * whether one is not 0. */
enum { DIGITS = 800 };

typedef struct decimal {
    bool negative;
    int64_t count;    /* of digits; 0: the number is 0 */
    int64_t exponent; /* the number is the integer of these digits, times 10^exponent */
    char digit[DIGITS + sizeof "1e-9223372036854775808"];
} decimal;

/* -------------------------------------------------------------------- from texts */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* One more digit at the end of the number, which stays in front of the point or is behind it. */
static void push_digit(decimal *d, char digit, bool behind)
{
    bool room = d->count < DIGITS;
    d->exponent += room ? -behind : !behind;
    if (room && (d->count > 0 || digit != '0'))
        d->digit[d->count++] = digit;
    else if (!room && digit != '0')
        d->digit[DIGITS] = '1';
}

/* The run of digits at text[*at]. False: a '_' that is not between digits. */
static bool scan_digits(const char *text, size_t length, size_t *at, bool behind, decimal *d)
{
    size_t first = *at;
    for (; *at < length && (is_digit(text[*at]) || text[*at] == '_'); ++*at) {
        if (text[*at] != '_')
            push_digit(d, text[*at], behind);
        else if (*at == first || text[*at - 1] == '_' || *at + 1 == length ||
                 !is_digit(text[*at + 1]))
            return false;
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

static bool scan_number(const char *text, size_t length, decimal *d)
{
    size_t at = 0;
    int64_t exponent = 0;
    d->count = d->exponent = 0;
    d->digit[DIGITS] = 0;
    d->negative = length > 0 && text[0] == '-';
    if (length > 0 && (text[0] == '-' || text[0] == '+'))
        at++;
    size_t first = at, point = 0;
    if (!scan_digits(text, length, &at, false, d))
        return false;
    if (at < length && text[at] == '.') {
        point = 1;
        at++;
        if (!scan_digits(text, length, &at, true, d))
            return false;
    }
    if (at == first + point) /* no digit at all */
        return false;
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        if (!scan_exponent(text, length, &at, &exponent))
            return false;
    }
    d->exponent += exponent;
    return at == length;
}

/* The digits as an integer of at most 2^53 and a power of ten of at most 10^22: both are doubles,
 * and one multiplication or division rounds once (Clinger 1990). Most numbers in files are such. */
static bool read_short(const decimal *d, double *out)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t digits = 0;
    if (d->count > 16 || d->exponent < -22 || d->exponent > 22)
        return false;
    for (int64_t i = 0; i < d->count; i++)
        digits = 10 * digits + (uint64_t)(d->digit[i] - '0');
    if (digits > (uint64_t)1 << 53)
        return false;
    *out = d->exponent < 0 ? (double)digits / power[-d->exponent]
                           : (double)digits * power[d->exponent];
    return true;
}

/* Any other, by libc. */
static double read_long(decimal *d)
{
    if (d->count == 0)
        return 0;
    bool more = d->count == DIGITS && d->digit[DIGITS];
    snprintf(d->digit + d->count, sizeof d->digit - (size_t)d->count, "%se%" PRId64,
             more ? "1" : "", d->exponent - more);
    return strtod(d->digit, NULL);
}

bool fy_number_read(const char *text, size_t length, double *out)
{
    decimal d;
    double value;
    size_t sign = length > 0 && (text[0] == '-' || text[0] == '+');
    if (length == sign + 3 && memcmp(text + sign, "inf", 3) == 0) {
        *out = text[0] == '-' ? -INFINITY : INFINITY;
        return true;
    }
    if (!scan_number(text, length, &d))
        return false;
    if (!read_short(&d, &value))
        value = read_long(&d);
    if (isinf(value))
        return false;
    *out = d.negative ? -value : value;
    return true;
}

bool fy_integer_read(const char *text, size_t length, int64_t *out)
{
    decimal d;
    uint64_t value = 0;
    if (!scan_number(text, length, &d) || d.digit[DIGITS])
        return false;
    for (; d.count > 0 && d.digit[d.count - 1] == '0'; d.count--)
        d.exponent++;
    if (d.count > 0 && (d.exponent < 0 || d.exponent > 19 || d.count + d.exponent > 19))
        return false;
    uint64_t largest = (uint64_t)INT64_MAX + d.negative;
    for (int64_t i = 0; d.count > 0 && i < d.count + d.exponent; i++) {
        uint64_t digit = i < d.count ? (uint64_t)(d.digit[i] - '0') : 0;
        if (value > (largest - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *out = (int64_t)(d.negative ? 0 - value : value);
    return true;
}

/* ---------------------------------------------------------------------- to texts */

int fy_vformat(char *text, size_t size, const char *format, va_list values)
{
    /* Of the C locale there is one, for which glibc and musl allocate nothing. */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    int length = vsnprintf(text, size, format, values);
    uselocale(before);
    if (plain)
        freelocale(plain);
    return length;
}

int fy_format(char *text, size_t size, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = fy_vformat(text, size, format, values);
    va_end(values);
    return length;
}

/* 15 digits always survive being read, 17 always suffice to be read back. The sign of -0
 * needs a fraction: "-0" is an integer to those who read JSON. */
const char *fy_number_text(double value, char text[FY_NUMBER_BYTES])
{
    double back;
    text[0] = 0;
    if (isinf(value))
        fy_format(text, FY_NUMBER_BYTES, "%g", value);
    if (value == 0 && signbit(value))
        fy_format(text, FY_NUMBER_BYTES, "-0.0");
    if (!isfinite(value) || text[0])
        return text;
    for (int digits = 15; digits <= 17; digits++) {
        fy_format(text, FY_NUMBER_BYTES, "%.*g", digits, value);
        if (digits == 17 || (fy_number_read(text, strlen(text), &back) && back == value))
            break;
    }
    return text;
}
