/* contestant.c - an algorithm of a comparison, with settings of its own: "NAME[:key=value,...]". */
#include "compare/compare.h"

#include <string.h>

/* What all runs share: nobody has one of these to himself. */
static bool is_shared(const char *key)
{
    static const char *const shared[] = {"algorithm", "seed", "episodes", "until"};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (strcmp(key, shared[i]) == 0)
            return true;
    return false;
}

/* One "key=value" of `length` characters. */
static foray_status set_one(foray_context *ctx, foray_settings *settings, const char *text,
                            size_t length)
{
    char key[FY_PART_NAME], *value;
    fy_format(key, sizeof key, "%.*s", (int)length, text);
    value = strchr(key, '=');
    if (!value || value == key)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "'%s' is not key=value", key);
    *value++ = 0;
    if (is_shared(key))
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s is the same for all runs of a comparison", key);
    return foray_settings_set(ctx, settings, key, value);
}

foray_status fy_contestant_settings(foray_context *ctx, const foray_settings *common,
                                    const char *text, foray_settings *out)
{
    char name[FY_PART_NAME];
    /* The file of a run is named by this text and a seed. */
    if (strlen(text) >= FY_PART_NAME - 24 || strchr(text, '/'))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "an algorithm and its settings take at most %d characters, without a slash",
                       FY_PART_NAME - 25);
    fy_format(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    *out = *common;
    fy_settings_choose(out, name);
    foray_status status = FORAY_OK;
    const char *rest = strchr(text, ':');
    while (rest && status == FORAY_OK) {
        size_t length = strcspn(++rest, ",");
        status = set_one(ctx, out, rest, length);
        rest = rest[length] ? rest + length : NULL;
    }
    return status == FORAY_OK ? FORAY_OK : fy_fail_within(ctx, status, "%s", text);
}
