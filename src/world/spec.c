/* spec.c - reading "NAME[:key=value,...]". */
#include "world/world.h"

#include <string.h>

/* Longer texts do not name anything. */
enum { LONGEST = 4096, KNOWN_SIZE = 256 };

/* The row that the first `length` characters name; -1: none. `known` lists the names there
 * are, as far as they fit. */
static int64_t find_row(fy_spec_table table, const char *name, size_t length,
                        char known[KNOWN_SIZE], foray_world_info *info)
{
    size_t used = 0;
    known[0] = 0;
    for (int64_t i = 0; table(i, info); i++) {
        if (strlen(info->name) == length && memcmp(info->name, name, length) == 0)
            return i;
        if (used < KNOWN_SIZE)
            used += (size_t)fy_format(known + used, KNOWN_SIZE - used, "%s%s", i ? ", " : "",
                                      info->name);
    }
    return -1;
}

bool fy_spec_names(fy_spec_table table, const char *text)
{
    char known[KNOWN_SIZE];
    foray_world_info info;
    return find_row(table, text, strcspn(text, ":"), known, &info) >= 0;
}

foray_status fy_spec_read(foray_context *ctx, const char *what, fy_spec_table table,
                          const char *text, int64_t *index, double *value)
{
    size_t length = strlen(text), name = strcspn(text, ":");
    char known[KNOWN_SIZE];
    foray_world_info info;
    foray_parameter_value read[FY_MAX_PARAMETERS];
    if (length > LONGEST)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "a %s's name and parameters of %zu characters", what,
                       length);
    int64_t row = find_row(table, text, name, known, &info);
    if (row < 0)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "no built-in %s is called \"%.*s\"; there are %s",
                       what, (int)name, text, known);
    const char *rest = text[name] ? text + name + 1 : NULL;
    foray_status status = fy_parameters_read(ctx, info.name, info.parameter, info.parameters, rest,
                                             rest ? strlen(rest) : 0, read);
    if (status != FORAY_OK)
        return status;
    for (int64_t i = 0; i < info.parameters; i++)
        value[i] = read[i].real;
    *index = row;
    return FORAY_OK;
}
