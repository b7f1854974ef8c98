/* policy_values.c - single values of a policy file. */
#include "plan/policy_reading.h"

#include <math.h>

/* A member, which is to blame if what follows fails. */
fy_json fy_policy_member(fy_policy_reading *r, fy_json object, const char *key)
{
    fy_json found = fy_json_member(object, key);
    r->culprit = found.tree ? found : object;
    return found;
}

/* A number, or null: `otherwise`. */
foray_status fy_policy_read_real(fy_policy_reading *r, fy_json object, const char *key,
                                 double least, double otherwise, double *out)
{
    fy_json value = fy_policy_member(r, object, key);
    if (fy_json_kind_of(value) != FY_JSON_NULL)
        return fy_document_real(r->ctx, object, key, least, HUGE_VAL, out);
    *out = otherwise;
    return FORAY_OK;
}

foray_status fy_policy_read_flag(fy_policy_reading *r, fy_json object, const char *key, bool *out)
{
    fy_json_kind kind = fy_json_kind_of(fy_policy_member(r, object, key));
    *out = kind == FY_JSON_TRUE;
    if (kind == FY_JSON_TRUE || kind == FY_JSON_FALSE)
        return FORAY_OK;
    return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s: true or false is expected", key);
}

foray_status fy_policy_read_choice(fy_policy_reading *r, fy_json object, const char *key,
                                   const char *const *choices, int *out)
{
    fy_policy_member(r, object, key);
    return fy_document_choice(r->ctx, object, key, choices, out);
}

foray_status fy_policy_read_whole(fy_policy_reading *r, fy_json object, const char *key,
                                  int64_t least, int64_t most, int64_t *out)
{
    fy_policy_member(r, object, key);
    return fy_document_integer(r->ctx, object, key, least, most, out);
}

/* A text; missing: NULL, as it was. */
foray_status fy_policy_read_text(fy_policy_reading *r, fy_json object, const char *key, char **out)
{
    fy_json value = fy_policy_member(r, object, key);
    if (!value.tree)
        return FORAY_OK;
    if (fy_json_kind_of(value) != FY_JSON_TEXT)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s: a text is expected", key);
    return fy_policy_tell(r->ctx, out, fy_json_text(value));
}

/* The list of a key, or one that is missing, which counts as empty. */
foray_status fy_policy_open_list(fy_policy_reading *r, fy_json object, const char *key,
                                 fy_json *out)
{
    *out = fy_policy_member(r, object, key);
    if (out->tree && fy_json_kind_of(*out) != FY_JSON_ARRAY)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s: a list is expected", key);
    return FORAY_OK;
}
