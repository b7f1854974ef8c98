/* number.c - numbers as text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* Some locales write another decimal point. */
static void set_point(char *text)
{
    for (char *at = text; *at; at++)
        if (!strchr("0123456789+-e", *at))
            *at = '.';
}

/* 15 digits always survive being read, 17 always suffice to be read back. The sign of -0
 * needs a fraction: "-0" is a whole number to those who read JSON. */
const char *foray_shortest(double value, char text[FORAY_NUMBER_SIZE])
{
    text[0] = 0;
    if (isinf(value))
        snprintf(text, FORAY_NUMBER_SIZE, "%sinf", value < 0 ? "-" : "");
    if (value == 0 && signbit(value))
        snprintf(text, FORAY_NUMBER_SIZE, "-0.0");
    if (!isfinite(value) || text[0])
        return text;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, FORAY_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    set_point(text);
    return text;
}
