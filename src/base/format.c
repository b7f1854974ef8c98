/* format.c - texts from formats as printf has them, the same in every locale and on every
 * machine: doubles come from their decimal digits, which are exact until they are rounded, ties
 * to even. No other file of the libraries prints a number by itself (tests/test_locale.sh).
 *
 *   %[flags][width][.precision][length]conversion     flags: - + space 0
 *
 * Conversions: d i u x X o c s p f e g %; widths and precisions may be '*'. */
#include "base/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Digits behind the point at most; a double has up to 309 before it. */
enum { PRECISION = 400, BODY = 320 + PRECISION };

/* Where the text goes, as far as there is room. */
typedef struct sink {
    char *text;
    size_t size, length;
} sink;

typedef struct directive {
    bool left, plus, space, zero;
    int width, precision; /* precision -1: none given */
    char length[3];
    char conversion;
} directive;

static void put(sink *out, const char *text, size_t size)
{
    size_t room = out->length + 1 < out->size ? out->size - out->length - 1 : 0;
    if (room > 0)
        memcpy(out->text + out->length, text, size < room ? size : room);
    out->length += size;
}

static void put_blanks(sink *out, char blank, size_t count)
{
    while (count-- > 0)
        put(out, &blank, 1);
}

/* --------------------------------------------------------------------- doubles */

/* Digit number i behind the first, 0 where there is none. */
static char digit_at(const fy_decimal *d, int64_t i)
{
    return i >= 0 && i < d->count ? (char)('0' + d->digit[i]) : '0';
}

/* d with `behind` digits behind the point. */
static size_t lay_out_fixed(const fy_decimal *d, int64_t behind, char *body)
{
    size_t at = 0;
    int64_t before = d->point > 0 ? d->point : 1;
    for (int64_t i = d->point - before; i < d->point; i++)
        body[at++] = digit_at(d, i);
    if (behind > 0)
        body[at++] = '.';
    for (int64_t i = d->point; i < d->point + behind; i++)
        body[at++] = digit_at(d, i);
    return at;
}

/* d.ddde+xx with `behind` digits behind the point; exponents have two digits or more. */
static size_t lay_out_power(const fy_decimal *d, int64_t behind, char *body)
{
    size_t at = 0;
    int64_t exponent = d->count > 0 ? d->point - 1 : 0, size = exponent < 0 ? -exponent : exponent;
    body[at++] = digit_at(d, 0);
    if (behind > 0)
        body[at++] = '.';
    for (int64_t i = 1; i <= behind; i++)
        body[at++] = digit_at(d, i);
    body[at++] = 'e';
    body[at++] = exponent < 0 ? '-' : '+';
    if (size > 99)
        body[at++] = (char)('0' + size / 100);
    body[at++] = (char)('0' + size / 10 % 10);
    body[at++] = (char)('0' + size % 10);
    return at;
}

/* %g: `digits` of them, as they are for 10^-4 <= d < 10^digits, else with a power of ten; no
 * zeros at their end. */
static size_t lay_out_general(fy_decimal *d, int64_t digits, char *body)
{
    digits = digits > 0 ? digits : 1;
    fy_decimal_round(d, digits);
    int64_t exponent = d->count > 0 ? d->point - 1 : 0;
    int64_t kept = d->count > 0 ? d->count : 1;
    if (exponent < -4 || exponent >= digits)
        return lay_out_power(d, kept - 1, body);
    int64_t behind = kept - 1 - exponent;
    return lay_out_fixed(d, behind > 0 ? behind : 0, body);
}

static size_t lay_out_double(double value, const directive *one, char *body)
{
    fy_decimal d;
    int64_t behind = one->precision < 0           ? 6
                     : one->precision < PRECISION ? one->precision
                                                  : PRECISION;
    if (isnan(value) || isinf(value)) {
        /* The sign of what is not a number differs from machine to machine: it has none. */
        const char *word = isnan(value) ? "nan" : "inf";
        for (int i = 0; i < 3; i++)
            body[i] = word[i];
        return 3;
    }
    fy_decimal_of(value, &d);
    switch (one->conversion) {
    case 'g':
        return lay_out_general(&d, behind, body);
    case 'e':
        fy_decimal_round(&d, behind + 1);
        return lay_out_power(&d, behind, body);
    default:
        fy_decimal_round(&d, d.point + behind);
        return lay_out_fixed(&d, behind, body);
    }
}

static void put_double(sink *out, const directive *one, double value)
{
    char body[BODY];
    bool negative = signbit(value) && !isnan(value);
    char sign = negative ? '-' : one->plus ? '+' : one->space ? ' ' : 0;
    size_t size = lay_out_double(value, one, body), wide = size + (sign != 0);
    size_t blanks = one->width > 0 && (size_t)one->width > wide ? (size_t)one->width - wide : 0;
    bool zeros = one->zero && !one->left && isfinite(value);
    if (!one->left && !zeros)
        put_blanks(out, ' ', blanks);
    put(out, &sign, sign != 0);
    if (zeros)
        put_blanks(out, '0', blanks);
    put(out, body, size);
    if (one->left)
        put_blanks(out, ' ', blanks);
}

/* ------------------------------------------------------------- everything else */

/* The other conversions know no locale: one of them as printf has it. */
#define PUT_PLAIN(out, form, value)                                                                \
    ((out)->length += (size_t)snprintf(                                                            \
         (out)->length < (out)->size ? (out)->text + (out)->length : NULL,                         \
         (out)->length < (out)->size ? (out)->size - (out)->length : 0, (form), (value)))

/* The directive with its '*' replaced by what they stand for. */
static void spell(const directive *one, char form[64])
{
    char precision[16] = "";
    if (one->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", one->precision);
    int at = snprintf(form, 64, "%%%s%s%s%s", one->left ? "-" : "", one->plus ? "+" : "",
                      one->space ? " " : "", one->zero ? "0" : "");
    if (one->width > 0)
        at += snprintf(form + at, 64 - (size_t)at, "%d", one->width);
    snprintf(form + at, 64 - (size_t)at, "%s%s%c", precision, one->length, one->conversion);
}

typedef struct arguments {
    va_list list;
} arguments;

static int64_t take_signed(const directive *one, arguments *values)
{
    switch (one->length[0]) {
    case 'l':
        return one->length[1] ? va_arg(values->list, long long) : va_arg(values->list, long);
    case 'z':
        return (int64_t)va_arg(values->list, size_t);
    case 't': /* NOLINT(bugprone-branch-clone): types that are the same only here */
        return va_arg(values->list, ptrdiff_t);
    case 'j':
        return va_arg(values->list, intmax_t);
    default:
        return va_arg(values->list, int);
    }
}

static uint64_t take_unsigned(const directive *one, arguments *values)
{
    return one->length[0] ? (uint64_t)take_signed(one, values) : va_arg(values->list, unsigned);
}

/* Is there nothing but the conversion? */
static bool is_bare(const directive *one)
{
    return one->width == 0 && one->precision < 0 && !one->left && !one->plus && !one->space &&
           !one->zero;
}

static void put_whole(sink *out, uint64_t value, bool negative)
{
    char digit[24];
    size_t at = sizeof digit;
    for (; at == sizeof digit || value > 0; value /= 10)
        digit[--at] = (char)('0' + value % 10);
    if (negative)
        digit[--at] = '-';
    put(out, digit + at, sizeof digit - at);
}

/* With a precision the text need not end: no more of it is looked at. */
static void put_text(sink *out, const directive *one, const char *text)
{
    size_t size = one->precision < 0 ? strlen(text) : strnlen(text, (size_t)one->precision);
    size_t blanks = (size_t)one->width > size ? (size_t)one->width - size : 0;
    if (!one->left)
        put_blanks(out, ' ', blanks);
    put(out, text, size);
    if (one->left)
        put_blanks(out, ' ', blanks);
}

static void put_argument(sink *out, directive *one, arguments *values)
{
    char form[64];
    switch (one->conversion) {
    case 'd':
    case 'i': {
        int64_t value = take_signed(one, values);
        if (is_bare(one)) {
            put_whole(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
            break;
        }
        memcpy(one->length, "j", 2);
        spell(one, form);
        PUT_PLAIN(out, form, (intmax_t)value);
        break;
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
        uint64_t value = take_unsigned(one, values);
        memcpy(one->length, "j", 2);
        spell(one, form);
        PUT_PLAIN(out, form, (uintmax_t)value);
        break;
    }
    case 'c':
        spell(one, form);
        PUT_PLAIN(out, form, va_arg(values->list, int));
        break;
    case 's':
        put_text(out, one, va_arg(values->list, const char *));
        break;
    case 'p':
        spell(one, form);
        PUT_PLAIN(out, form, va_arg(values->list, void *));
        break;
    default:
        put_double(out, one, va_arg(values->list, double));
    }
}

/* ------------------------------------------------------------------ directives */

static int read_size(const char **at, arguments *values)
{
    int size = 0;
    if (**at == '*') {
        ++*at;
        return va_arg(values->list, int);
    }
    for (; **at >= '0' && **at <= '9'; ++*at)
        size = 10 * size + (**at - '0');
    return size;
}

/* What stands behind a '%'; *at moves behind it. */
static directive read_directive(const char **at, arguments *values)
{
    directive one = {.precision = -1};
    for (; **at && strchr("-+ 0", **at); ++*at) {
        one.left |= **at == '-';
        one.plus |= **at == '+';
        one.space |= **at == ' ';
        one.zero |= **at == '0';
    }
    one.width = read_size(at, values);
    if (one.width < 0) { /* of a '*' */
        one.left = true;
        one.width = -one.width;
    }
    if (**at == '.') {
        ++*at;
        one.precision = read_size(at, values);
    }
    for (int i = 0; **at && strchr("hlzjt", **at) && i < 2; i++, ++*at)
        one.length[i] = **at;
    if (**at)
        one.conversion = *(*at)++;
    return one;
}

int fy_vformat(char *text, size_t size, const char *format, va_list values)
{
    sink out = {.text = text, .size = size};
    arguments given;
    va_copy(given.list, values);
    while (*format) {
        size_t plain = strcspn(format, "%");
        put(&out, format, plain);
        format += plain;
        if (*format++ == 0)
            break;
        if (*format == '%') {
            put(&out, format++, 1);
            continue;
        }
        directive one = read_directive(&format, &given);
        if (one.conversion)
            put_argument(&out, &one, &given);
    }
    va_end(given.list);
    if (size > 0)
        text[out.length < size ? out.length : size - 1] = 0;
    return (int)out.length;
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
 * needs a fraction: "-0" is a whole number to those who read JSON. */
const char *foray_shortest(double value, char text[FORAY_NUMBER_SIZE])
{
    double back;
    text[0] = 0;
    if (isinf(value))
        fy_format(text, FORAY_NUMBER_SIZE, "%g", value);
    if (value == 0 && signbit(value))
        fy_format(text, FORAY_NUMBER_SIZE, "-0.0");
    if (!isfinite(value) || text[0])
        return text;
    for (int digits = 15; digits <= 17; digits++) {
        fy_format(text, FORAY_NUMBER_SIZE, "%.*g", digits, value);
        if (digits == 17 || (foray_number_read(text, &back) && back == value))
            break;
    }
    return text;
}
