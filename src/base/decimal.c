/* decimal.c - arithmetic with decimal digits, as one learns it at school. */
#include "base/decimal.h"

#include <math.h>

enum { MANTISSA = 53 };

void fy_decimal_push(fy_decimal *d, uint8_t digit)
{
    if (d->count < FY_DECIMAL_DIGITS)
        d->digit[d->count++] = digit;
    else
        d->cut = d->cut || digit != 0;
}

void fy_decimal_strip(fy_decimal *d)
{
    while (d->count > 0 && d->digit[d->count - 1] == 0)
        d->count--;
    if (d->count == 0)
        d->point = 0;
}

/* Digit by digit from the last one. */
void fy_decimal_double(fy_decimal *d, int bits)
{
    uint8_t product[FY_DECIMAL_DIGITS + 20];
    size_t end = sizeof product, at = end;
    uint64_t carry = 0;
    for (int64_t i = d->count; i > 0; i--, carry /= 10) {
        carry += (uint64_t)d->digit[i - 1] << bits;
        product[--at] = (uint8_t)(carry % 10);
    }
    for (; carry > 0; carry /= 10)
        product[--at] = (uint8_t)(carry % 10);
    d->point += (int64_t)(end - at) - d->count;
    d->count = 0;
    while (at < end)
        fy_decimal_push(d, product[at++]);
    fy_decimal_strip(d);
}

/* Long division. Every further digit takes a factor 2 out of the rest. */
void fy_decimal_halve(fy_decimal *d, int bits)
{
    uint64_t rest = 0;
    int64_t from = 0, count = d->count;
    d->count = 0; /* digits of the quotient replace those that were read */
    for (; from < count || rest > 0; from++) {
        rest = 10 * rest + (from < count ? d->digit[from] : 0);
        uint8_t digit = (uint8_t)(rest >> bits);
        rest &= ((uint64_t)1 << bits) - 1;
        if (d->count == 0 && digit == 0)
            d->point--;
        else
            fy_decimal_push(d, digit);
    }
    fy_decimal_strip(d);
}

/* value = m 2^e with a whole m below 2^53: the digits of m, doubled or halved |e| times. */
void fy_decimal_of(double value, fy_decimal *d)
{
    int exponent;
    uint64_t whole = (uint64_t)ldexp(frexp(fabs(value), &exponent), MANTISSA);
    exponent -= MANTISSA;
    for (; whole > 0 && whole % 2 == 0; whole /= 2)
        exponent++;
    uint8_t digit[20];
    int count = 0;
    for (; whole > 0; whole /= 10)
        digit[count++] = (uint8_t)(whole % 10);
    d->negative = signbit(value) != 0;
    d->cut = false;
    d->count = 0;
    d->point = count;
    while (count > 0)
        fy_decimal_push(d, digit[--count]);
    fy_decimal_strip(d);
    for (int bits; d->count > 0 && exponent > 0; exponent -= bits)
        fy_decimal_double(d, bits = exponent < FY_DECIMAL_SHIFT ? exponent : FY_DECIMAL_SHIFT);
    for (int bits; d->count > 0 && exponent < 0; exponent += bits)
        fy_decimal_halve(d, bits = -exponent < FY_DECIMAL_SHIFT ? -exponent : FY_DECIMAL_SHIFT);
}

void fy_decimal_round(fy_decimal *d, int64_t digits)
{
    if (digits >= d->count)
        return;
    bool rest = digits + 1 < d->count || d->cut, odd = digits > 0 && d->digit[digits - 1] % 2 == 1;
    bool up = digits >= 0 && (d->digit[digits] > 5 || (d->digit[digits] == 5 && (rest || odd)));
    d->count = digits > 0 ? digits : 0;
    d->cut = false;
    while (up && d->count > 0 && d->digit[d->count - 1] == 9)
        d->count--;
    if (up && d->count > 0)
        d->digit[d->count - 1]++;
    else if (up) { /* 9.9 becomes 10; 0.6, of which no digit is kept, becomes 1 */
        d->digit[d->count++] = 1;
        d->point++;
    }
    fy_decimal_strip(d);
}
