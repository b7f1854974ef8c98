/* builtin.c - the table of built-in worlds and their specs "NAME[:key=value,...]". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world/world.h"

static const fy_world_kind *const kinds[] = {
    &fy_world_chain,     &fy_world_riverswim, &fy_world_grid,      &fy_world_rooms,
    &fy_world_mixture,   &fy_world_hard,      &fy_world_hypercube, &fy_world_trapdoor,
    &fy_world_inventory, &fy_world_queue,
};

/* No world has more parameters than this (a test sees to it). */
enum { MOST_PARAMETERS = 16 };

bool foray_world_describe(int64_t index, foray_world_info *info)
{
    if (index < 0 || index >= FY_COUNT(kinds))
        return false;
    const fy_world_kind *kind = kinds[index];
    *info = (foray_world_info){kind->name, kind->summary, kind->parameters, kind->parameter};
    return true;
}

/* ------------------------------------------------------------------- specs */

/* A part of a spec: not terminated, printed with "%.*s". */
typedef struct slice {
    const char *text;
    int size;
} slice;

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
static void list_names(char *text, size_t size, int64_t count,
                       const char *(*name)(const void *, int64_t), const void *of)
{
    size_t at = 0;
    text[0] = 0;
    for (int64_t i = 0; i < count && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", i ? ", " : "", name(of, i));
}

static const char *kind_name(const void *unused, int64_t i)
{
    (void)unused;
    return kinds[i]->name;
}

static const char *parameter_name(const void *kind, int64_t i)
{
    return ((const fy_world_kind *)kind)->parameter[i].name;
}

static foray_status find_kind(foray_context *ctx, slice name, const fy_world_kind **out)
{
    for (int64_t i = 0; i < FY_COUNT(kinds); i++) {
        if (slice_is(name, kinds[i]->name)) {
            *out = kinds[i];
            return FORAY_OK;
        }
    }
    char known[256];
    list_names(known, sizeof known, FY_COUNT(kinds), kind_name, NULL);
    return fy_fail(ctx, FORAY_ERROR_USAGE, "no built-in world is called \"%.*s\"; there are %s",
                   name.size, name.text, known);
}

static foray_status find_parameter(foray_context *ctx, const fy_world_kind *kind, slice key,
                                   int64_t *out)
{
    for (int64_t i = 0; i < kind->parameters; i++) {
        if (slice_is(key, kind->parameter[i].name)) {
            *out = i;
            return FORAY_OK;
        }
    }
    char known[256];
    list_names(known, sizeof known, kind->parameters, parameter_name, kind);
    return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: no parameter is called \"%.*s\"; there are %s",
                   kind->name, key.size, key.text, known);
}

/* A number, and nothing else, within the parameter's range. */
static foray_status read_value(foray_context *ctx, const fy_world_kind *kind,
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
                       "%s: %s=%.*s, but it must be a %snumber from %.15g to %.15g", kind->name,
                       parameter->name, value.size, value.text, parameter->whole ? "whole " : "",
                       parameter->least, parameter->most);
    *out = number;
    return FORAY_OK;
}

/* One "key=value". `given` remembers the keys seen. */
static foray_status read_assignment(foray_context *ctx, const fy_world_kind *kind, slice part,
                                    bool *given, double *value)
{
    slice rest = part;
    slice key = cut(&rest, '=');
    if (key.size == part.size)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: \"%.*s\" should read key=value", kind->name,
                       part.size, part.text);
    int64_t i = 0;
    foray_status status = find_parameter(ctx, kind, key, &i);
    if (status != FORAY_OK)
        return status;
    if (given[i])
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: %s is given twice", kind->name,
                       kind->parameter[i].name);
    given[i] = true;
    return read_value(ctx, kind, &kind->parameter[i], rest, &value[i]);
}

/* What follows "NAME:", if anything does; what is not mentioned keeps its default. */
static foray_status read_parameters(foray_context *ctx, const fy_world_kind *kind, bool more,
                                    slice rest, double *value)
{
    bool given[MOST_PARAMETERS] = {false};
    for (int64_t i = 0; i < kind->parameters; i++)
        value[i] = kind->parameter[i].fallback;
    while (more) {
        more = memchr(rest.text, ',', (size_t)rest.size) != NULL;
        foray_status status = read_assignment(ctx, kind, cut(&rest, ','), given, value);
        if (status != FORAY_OK)
            return status;
    }
    return FORAY_OK;
}

foray_status foray_world_model(foray_context *ctx, const char *spec, foray_model **out)
{
    size_t length = strlen(spec);
    if (length > 4096)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "a world's name and parameters of %zu characters",
                       length);
    slice rest = {spec, (int)length};
    const fy_world_kind *kind = NULL;
    slice name = cut(&rest, ':');
    foray_status status = find_kind(ctx, name, &kind);
    if (status != FORAY_OK)
        return status;
    double value[MOST_PARAMETERS];
    status = read_parameters(ctx, kind, name.size < (int)length, rest, value);
    if (status != FORAY_OK)
        return status;
    foray_builder *builder = NULL;
    status = kind->build(ctx, value, &builder);
    if (status == FORAY_OK)
        status = foray_builder_name(builder, spec);
    if (status == FORAY_OK)
        status = foray_builder_finish(builder, out);
    foray_builder_destroy(builder);
    return status;
}
