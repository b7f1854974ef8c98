/* names.c - see names.h. */
#include "record/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Where the text is, or would be. */
static uint64_t find_slot(const fy_names *names, const char *text)
{
    uint64_t at = fy_hash(text, strlen(text), 0) & names->mask;
    while (names->slot[at] != 0 && strcmp(names->name[abs(names->slot[at]) - 1], text) != 0)
        at = (at + 1) & names->mask;
    return at;
}

foray_status fy_names_create(foray_context *ctx, const char *what, int64_t count, char *const *name,
                             fy_names *out)
{
    fy_names names = {.what = what, .count = count, .name = name, .mask = 1};
    while (name && names.mask < 2 * (uint64_t)count)
        names.mask *= 2;
    if (name && !FY_ALLOC(ctx, names.slot, names.mask))
        return FORAY_ERROR_MEMORY;
    names.mask--;
    for (int64_t i = 0; name && i < count; i++) {
        if (!name[i])
            continue;
        uint64_t at = find_slot(&names, name[i]);
        names.slot[at] = names.slot[at] == 0 ? (int32_t)i + 1 : -abs(names.slot[at]);
    }
    *out = names;
    return FORAY_OK;
}

void fy_names_destroy(fy_names *names)
{
    free(names->slot);
}

/* "17", the common case. */
static bool read_digits(const char *text, int64_t *out)
{
    int64_t number = 0;
    int digits = 0;
    for (; text[digits] >= '0' && text[digits] <= '9' && digits < 18; digits++)
        number = 10 * number + (text[digits] - '0');
    *out = number;
    return digits > 0 && text[digits] == 0;
}

int64_t fy_names_find(const fy_names *names, const char *text)
{
    int64_t number, found = 0;
    bool digits = read_digits(text, &number);
    if (!digits && names->slot)
        found = names->slot[find_slot(names, text)];
    if (found != 0)
        return found > 0 ? found - 1 : FY_NAMES_SEVERAL;
    bool whole = digits || foray_whole_read(text, &number);
    return whole && number >= 0 && number < names->count ? number : FY_NAMES_NONE;
}

foray_status fy_names_read(foray_context *ctx, const fy_names *names, const char *path,
                           const fy_csv *csv, const char *const *columns, int64_t column,
                           int32_t *out)
{
    const char *cell = fy_csv_cell(csv, column);
    int64_t index = fy_names_find(names, cell);
    if (index == FY_NAMES_SEVERAL)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": %s: more than one %s is called '%.60s': give a number",
                       path, fy_csv_line(csv), columns[column], names->what, cell);
    if (index < 0)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": %s: there is no %s '%.60s'; the model has 0 to %" PRId64
                       "%s",
                       path, fy_csv_line(csv), columns[column], names->what, cell, names->count - 1,
                       names->name ? " and their names" : "");
    *out = (int32_t)index;
    return FORAY_OK;
}
