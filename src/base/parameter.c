/* parameter.c - values of parameters from texts, and back. */
#include "base/parameter.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* How much of a value a message repeats. */
enum { SHOWN = 80, RANGE_SIZE = 256 };

/* Numbers that large are told as bounded by nothing. */
static const double beyond = 1e18;

/* ------------------------------------------------------------------------ ranges */

/* Bounds of integers in full, of others as short as they go. */
static const char *print_bound(const foray_parameter *row, double bound, char text[FY_NUMBER_BYTES])
{
    if (row->kind != FORAY_INTEGER)
        return fy_number_text(bound, text);
    fy_format(text, FY_NUMBER_BYTES, "%.0f", bound);
    return text;
}

void fy_parameter_range(const foray_parameter *parameter, char *text, size_t size)
{
    char min[FY_NUMBER_BYTES], max[FY_NUMBER_BYTES];
    switch (parameter->kind) {
    case FORAY_INTEGER:
    case FORAY_REAL:
        print_bound(parameter, parameter->min, min);
        print_bound(parameter, parameter->max, max);
        if (parameter->max >= beyond)
            fy_format(text, size, "at least %s", min);
        else
            fy_format(text, size, "%s to %s", min, max);
        break;
    case FORAY_CHOICE:
        fy_format(text, size, "%s", parameter->choices);
        break;
    case FORAY_TEXT:
    case FORAY_ALGORITHM:
    case FORAY_WORLD:
        fy_format(text, size, "text");
        break;
    }
}

static foray_status refuse_value(foray_context *ctx, const foray_parameter *row, const char *text,
                                 size_t length)
{
    char range[RANGE_SIZE];
    fy_parameter_range(row, range, sizeof range);
    bool open = row->max >= beyond;
    const char *must = row->kind == FORAY_CHOICE    ? "one of "
                       : row->kind == FORAY_INTEGER ? (open ? "an integer of " : "an integer from ")
                                                    : (open ? "a number of " : "a number from ");
    return fy_fail(ctx, FORAY_ERROR_USAGE, "%s=%.*s, but it must be %s%s", row->name,
                   (int)(length < SHOWN ? length : SHOWN), text, must, range);
}

/* ----------------------------------------------------------------------- reading */

/* Which of "this|that" a text is; -1: none of them. */
static int64_t find_choice(const char *choices, const char *text, size_t length)
{
    const char *at = choices;
    for (int64_t n = 0;; n++) {
        size_t part = strcspn(at, "|");
        if (part == length && memcmp(at, text, length) == 0)
            return n;
        if (at[part] == 0)
            return -1;
        at += part + 1;
    }
}

bool fy_parameter_parse(const foray_parameter *row, const char *text, size_t length,
                        foray_parameter_value *out)
{
    foray_parameter_value value = {0, 0};
    bool good = true;
    switch (row->kind) {
    case FORAY_INTEGER:
        good = fy_integer_read(text, length, &value.integer);
        value.real = (double)value.integer;
        break;
    case FORAY_REAL:
        good = fy_number_read(text, length, &value.real);
        break;
    case FORAY_CHOICE:
        value.integer = find_choice(row->choices, text, length);
        good = value.integer >= 0;
        break;
    case FORAY_TEXT:
    case FORAY_ALGORITHM:
    case FORAY_WORLD:
        break;
    }
    if (row->kind == FORAY_INTEGER || row->kind == FORAY_REAL)
        good = good && isfinite(value.real) && value.real >= row->min && value.real <= row->max;
    if (good)
        *out = value;
    return good;
}

foray_status fy_parameter_read(foray_context *ctx, const foray_parameter *row, const char *text,
                               size_t length, foray_parameter_value *out)
{
    return fy_parameter_parse(row, text, length, out) ? FORAY_OK
                                                      : refuse_value(ctx, row, text, length);
}

/* ----------------------------------------------------------------------- writing */

void fy_parameter_print(const foray_parameter *row, foray_parameter_value value, char *text,
                        size_t size)
{
    char number[FY_NUMBER_BYTES];
    const char *at = row->choices;
    switch (row->kind) {
    case FORAY_INTEGER:
        fy_format(text, size, "%" PRId64, value.integer);
        break;
    case FORAY_REAL:
        fy_format(text, size, "%s", fy_number_text(value.real, number));
        break;
    case FORAY_CHOICE:
        for (int64_t n = value.integer; n > 0 && at; n--)
            at = (at = strchr(at, '|')) ? at + 1 : NULL;
        fy_format(text, size, "%.*s", at ? (int)strcspn(at, "|") : 0, at ? at : "");
        break;
    case FORAY_TEXT:
    case FORAY_ALGORITHM:
    case FORAY_WORLD:
        fy_format(text, size, "%s", "");
        break;
    }
}

/* ------------------------------------------------------------------------ tables */

int64_t fy_parameter_find(const foray_parameter *row, int64_t rows, const char *name, size_t length)
{
    for (int64_t i = 0; i < rows; i++) {
        size_t at = 0;
        const char *own = row[i].name;
        while (at < length && (own[at] == name[at] || (own[at] == '_' && name[at] == '-')))
            at++;
        if (at == length && own[at] == 0)
            return i;
    }
    return -1;
}

static foray_status refuse_name(foray_context *ctx, const char *what, const foray_parameter *row,
                                int64_t rows, const char *name, size_t length)
{
    char known[256] = "";
    size_t used = 0;
    for (int64_t i = 0; i < rows && used < sizeof known; i++)
        used += (size_t)fy_format(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                  row[i].name);
    return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: no parameter is called \"%.*s\"; there are %s",
                   what, (int)(length < SHOWN ? length : SHOWN), name, known);
}

/* One "key=value". `given` remembers the keys seen. */
static foray_status read_assignment(foray_context *ctx, const char *what,
                                    const foray_parameter *row, int64_t rows, const char *text,
                                    size_t length, bool *given, foray_parameter_value *value)
{
    const char *equals = memchr(text, '=', length);
    if (!equals)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: \"%.*s\" should read key=value", what,
                       (int)(length < SHOWN ? length : SHOWN), text);
    size_t name = (size_t)(equals - text);
    int64_t i = fy_parameter_find(row, rows, text, name);
    if (i < 0)
        return refuse_name(ctx, what, row, rows, text, name);
    if (given[i])
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: %s is given twice", what, row[i].name);
    given[i] = true;
    foray_status status = fy_parameter_read(ctx, &row[i], equals + 1, length - name - 1, &value[i]);
    return status == FORAY_OK ? status : fy_fail_within(ctx, status, "%s", what);
}

foray_status fy_parameters_read(foray_context *ctx, const char *what, const foray_parameter *row,
                                int64_t rows, const char *text, size_t length,
                                foray_parameter_value *value)
{
    bool given[FY_MAX_PARAMETERS] = {false};
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < rows && status == FORAY_OK; i++)
        status =
            fy_parameter_read(ctx, &row[i], row[i].fallback, strlen(row[i].fallback), &value[i]);
    for (size_t at = 0; text && at <= length && status == FORAY_OK;) {
        const char *comma = memchr(text + at, ',', length - at);
        size_t part = comma ? (size_t)(comma - text) - at : length - at;
        status = read_assignment(ctx, what, row, rows, text + at, part, given, value);
        at += part + 1;
    }
    return status;
}
