/* json_items.c - the single values that a model in JSON is made of, and what is wrong with them. */
#include "model/json_reading.h"

#include <inttypes.h>

foray_status fy_item_array(foray_context *ctx, fy_json object, const char *key, fy_json *out)
{
    *out = fy_json_member(object, key);
    if (fy_json_kind_of(*out) == FY_JSON_ARRAY)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: an array is expected", key);
}

foray_status fy_item_index(foray_context *ctx, fy_json list, int64_t i, const char *what,
                           int64_t limit, int64_t *out)
{
    fy_json value = fy_json_item(list, i);
    if (fy_json_kind_of(value) != FY_JSON_INTEGER)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "the %s must be a whole number", what);
    *out = fy_json_integer(value);
    if (*out >= 0 && *out < limit)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s %" PRId64 ", but the model has %" PRId64 " %ss",
                   what, *out, limit, what);
}

foray_status fy_item_number(foray_context *ctx, fy_json value, int64_t i, double *out)
{
    if (!fy_json_is_number(value))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "item %" PRId64 " must be a number", i);
    *out = fy_json_real(value);
    return FORAY_OK;
}

foray_status fy_item_tuple(foray_context *ctx, fy_json list, int64_t count, const char *shape)
{
    if (fy_json_kind_of(list) == FY_JSON_ARRAY && fy_json_size(list) == count)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "must be %s", shape);
}

foray_status fy_item_vector(foray_context *ctx, fy_json entry, int position, const char *list,
                            int64_t e, int64_t limit, int32_t *index, double *value)
{
    fy_json vector = fy_json_item(entry, position);
    int64_t k = 0, i = 0;
    for (fy_json item = fy_json_first(vector); item.tree; item = fy_json_next(vector, item)) {
        foray_status status = fy_item_tuple(ctx, item, 2, "[coordinate, value]");
        if (status == FORAY_OK)
            status = fy_item_index(ctx, item, 0, "coordinate", limit, &i);
        if (status == FORAY_OK)
            status = fy_item_number(ctx, fy_json_item(item, 1), 1, &value[k]);
        if (status != FORAY_OK)
            return fy_fail_within(ctx, status, "%s[%" PRId64 "][%d][%" PRId64 "]", list, e,
                                  position, k);
        index[k++] = (int32_t)i;
    }
    return FORAY_OK;
}

foray_status fy_item_length(foray_context *ctx, fy_json list, const char *key, int64_t count)
{
    if (fy_json_kind_of(list) == FY_JSON_ARRAY && fy_json_size(list) == count)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: must be an array of %" PRId64 " items", key, count);
}
