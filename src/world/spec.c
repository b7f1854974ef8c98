/* spec.c - reading "NAME[:key=value,...]". */
#include "world/spec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part of a spec: not terminated, printed with "%.*s". */
typedef struct slice {
    const char *text;
    int size;
} slice;

/* Texts longer than this are no specs. */
enum { LONGEST = 4096 };

static bool slice_is(slice part, const char *text)
{
    return strlen(text) == (size_t)part.size && memcmp(part.text, text, (size_t)part.size) == 0;
}

/* Cuts everything up to the first `mark` off the front of `rest`, and the mark too. */
static slice cut(slice *rest, char mark)
{
    const char *found = memchr(rest->text, mark, (size_t)rest->size);
    slice part = {rest->text, found ? (int)(found - rest->text) : rest->size};
    int used = part.size + (found ? 1 : 0);
    *rest = (slice){rest->text + used, rest->size - used};
    return part;
}

/* "chain, riverswim, ..." for messages; what does not fit is left out. */
typedef struct listing {
    char text[256];
    size_t size;
} listing;

static void list(listing *names, const char *name)
{
    if (names->size < sizeof names->text)
        names->size += (size_t)snprintf(names->text + names->size, sizeof names->text - names->size,
                                        "%s%s", names->size ? ", " : "", name);
}

/* --------------------------------------------------------------- parameters */

static foray_status find_parameter(foray_context *ctx, const foray_world_info *info, slice key,
                                   int64_t *out)
{
    listing known = {"", 0};
    for (int64_t i = 0; i < info->parameters; i++) {
        if (slice_is(key, info->parameter[i].name)) {
            *out = i;
            return FORAY_OK;
        }
        list(&known, info->parameter[i].name);
    }
    return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: no parameter is called \"%.*s\"; there are %s",
                   info->name, key.size, key.text, known.text);
}

/* A number, and nothing else, within the parameter's range. */
static foray_status read_value(foray_context *ctx, const foray_world_info *info,
                               const foray_world_parameter *parameter, slice value, double *out)
{
    char text[64];
    double number = NAN;
    if (value.size > 0 && value.size < (int)sizeof text && strchr("+-.0123456789", value.text[0])) {
        memcpy(text, value.text, (size_t)value.size);
        text[value.size] = 0;
        char *end = text;
        number = strtod(text, &end);
        if (end != text + value.size)
            number = NAN;
    }
    bool fits = number >= parameter->least && number <= parameter->most &&
                (!parameter->whole || number == floor(number));
    if (!fits)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s: %s=%.*s, but it must be a %snumber from %.15g to %.15g", info->name,
                       parameter->name, value.size, value.text, parameter->whole ? "whole " : "",
                       parameter->least, parameter->most);
    *out = number;
    return FORAY_OK;
}

/* One "key=value". `given` remembers the keys seen. */
static foray_status read_assignment(foray_context *ctx, const foray_world_info *info, slice part,
                                    bool *given, double *value)
{
    slice rest = part;
    slice key = cut(&rest, '=');
    if (key.size == part.size)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: \"%.*s\" should read key=value", info->name,
                       part.size, part.text);
    int64_t i = 0;
    foray_status status = find_parameter(ctx, info, key, &i);
    if (status != FORAY_OK)
        return status;
    if (given[i])
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: %s is given twice", info->name,
                       info->parameter[i].name);
    given[i] = true;
    return read_value(ctx, info, &info->parameter[i], rest, &value[i]);
}

foray_status fy_spec_parameters(foray_context *ctx, const foray_world_info *info, const char *text,
                                double *value)
{
    bool given[FY_MOST_PARAMETERS] = {false};
    for (int64_t i = 0; i < info->parameters; i++)
        value[i] = info->parameter[i].fallback;
    slice rest = {text, text ? (int)strnlen(text, LONGEST) : 0};
    for (bool more = text != NULL; more;) {
        more = memchr(rest.text, ',', (size_t)rest.size) != NULL;
        foray_status status = read_assignment(ctx, info, cut(&rest, ','), given, value);
        if (status != FORAY_OK)
            return status;
    }
    return FORAY_OK;
}

/* --------------------------------------------------------------------- names */

static bool find_row(fy_spec_table table, slice name, listing *known, int64_t *index,
                     foray_world_info *info)
{
    for (int64_t i = 0; table(i, info); i++) {
        if (slice_is(name, info->name)) {
            *index = i;
            return true;
        }
        list(known, info->name);
    }
    return false;
}

bool fy_spec_names(fy_spec_table table, const char *text)
{
    slice rest = {text, (int)strnlen(text, LONGEST)};
    listing known = {"", 0};
    int64_t index;
    foray_world_info info;
    return find_row(table, cut(&rest, ':'), &known, &index, &info);
}

foray_status fy_spec_read(foray_context *ctx, const char *what, fy_spec_table table,
                          const char *text, int64_t *index, double *value)
{
    size_t length = strlen(text);
    if (length > LONGEST)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "a %s's name and parameters of %zu characters", what,
                       length);
    slice rest = {text, (int)length};
    slice name = cut(&rest, ':');
    listing known = {"", 0};
    int64_t row;
    foray_world_info info;
    if (!find_row(table, name, &known, &row, &info))
        return fy_fail(ctx, FORAY_ERROR_USAGE, "no built-in %s is called \"%.*s\"; there are %s",
                       what, name.size, name.text, known.text);
    const char *parameters = name.size < (int)length ? rest.text : NULL;
    foray_status status = fy_spec_parameters(ctx, &info, parameters, value);
    if (status == FORAY_OK)
        *index = row;
    return status;
}
