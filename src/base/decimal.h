/* decimal.h - numbers as decimal digits, where halving and doubling are exact: what reading and
 * printing of numbers share.
 *
 * Doubles have at most 767 digits, borders between them 768: of longer texts it counts only
 * whether something follows. */
#ifndef FY_DECIMAL_H
#define FY_DECIMAL_H

#include "base/base.h"

enum { FY_DECIMAL_DIGITS = 800, FY_DECIMAL_SHIFT = 59 };

typedef struct fy_decimal {
    bool negative;
    bool cut;      /* more digits followed, not all of them 0 */
    int64_t count; /* of digits; 0: the number is 0 */
    int64_t point; /* the number is 0.d1d2d3... * 10^point */
    uint8_t digit[FY_DECIMAL_DIGITS];
} fy_decimal;

/* Keeps a digit behind those there are. */
void fy_decimal_push(fy_decimal *d, uint8_t digit);
/* Zeros behind the last digit that is none say nothing. */
void fy_decimal_strip(fy_decimal *d);

/* d * 2^bits and d / 2^bits, of at most FY_DECIMAL_SHIFT bits. */
void fy_decimal_double(fy_decimal *d, int bits);
void fy_decimal_halve(fy_decimal *d, int bits);

/* All the digits of a finite number. */
void fy_decimal_of(double value, fy_decimal *d);
/* Rounds to so many digits: to the nearest number, ties to even. */
void fy_decimal_round(fy_decimal *d, int64_t digits);

#endif
