/* document.c - reading and writing the JSON that models, rewards and policies share. */
#include "base/document.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ reading */

static bool is_among(const char *key, const char *const *keys)
{
    while (*keys && strcmp(key, *keys) != 0)
        keys++;
    return *keys != NULL;
}

foray_status fy_document_keys(foray_context *ctx, const json_t *object, const char *name,
                              const char *const *keys)
{
    if (!json_is_object(object))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: an object is expected", name);
    for (void *at = json_object_iter((json_t *)object); at;
         at = json_object_iter_next((json_t *)object, at))
        if (!is_among(json_object_iter_key(at), keys))
            return fy_fail(ctx, FORAY_ERROR_INPUT, "unknown key \"%s\" in %s",
                           json_object_iter_key(at), name);
    return FORAY_OK;
}

/* "format" and "version" first: a file of another kind should be told so, not be taken
 * to pieces. */
static foray_status check_root(foray_context *ctx, const json_t *root, const char *format,
                               const char *const *keys)
{
    const json_t *found = json_object_get(root, "format");
    const json_t *version = json_object_get(root, "version");
    if (!json_is_object(root))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "an object is expected");
    if (!json_is_string(found) || strcmp(json_string_value(found), format) != 0)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "format: \"%s\" is expected", format);
    if (!json_is_integer(version) || json_integer_value(version) != 1)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "version: only version 1 can be read");
    return fy_document_keys(ctx, root, format, keys);
}

foray_status fy_document_parse(foray_context *ctx, const char *text, size_t size, const char *where,
                               const char *format, const char *const *keys, json_t **out)
{
    json_error_t error;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!root && json_error_code(&error) == json_error_out_of_memory)
        return fy_fail(ctx, FORAY_ERROR_MEMORY, "%s: out of memory while reading", where);
    if (!root)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s:%d:%d: %s", where, error.line, error.column,
                       error.text);
    foray_status status = check_root(ctx, root, format, keys);
    if (status < 0) {
        json_decref(root);
        return fy_fail_within(ctx, status, "%s", where);
    }
    *out = root;
    return FORAY_OK;
}

foray_status fy_document_real(foray_context *ctx, const json_t *object, const char *key,
                              double least, double most, double *out)
{
    const json_t *member = json_object_get(object, key);
    if (!json_is_number(member))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: a number is expected", key);
    double value = json_number_value(member);
    if (!(value >= least && value <= most))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: %g is not between %g and %g", key, value, least,
                       most);
    *out = value;
    return FORAY_OK;
}

foray_status fy_document_integer(foray_context *ctx, const json_t *object, const char *key,
                                 int64_t least, int64_t most, int64_t *out)
{
    const json_t *member = json_object_get(object, key);
    if (!json_is_integer(member))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: a whole number is expected", key);
    int64_t value = json_integer_value(member);
    if (value < least || value > most)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: %lld is not between %lld and %lld", key,
                       (long long)value, (long long)least, (long long)most);
    *out = value;
    return FORAY_OK;
}

foray_status fy_document_choice(foray_context *ctx, const json_t *object, const char *key,
                                const char *const *choices, int *out)
{
    const json_t *member = json_object_get(object, key);
    if (!json_is_string(member))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: a text is expected", key);
    for (int i = 0; choices[i]; i++) {
        if (strcmp(json_string_value(member), choices[i]) == 0) {
            *out = i;
            return FORAY_OK;
        }
    }
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: \"%s\" is none of its values", key,
                   json_string_value(member));
}

/* ------------------------------------------------------------------ writing */

void fy_document_put(fy_writer *writer, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (size < 0 || (size_t)size >= sizeof text)
        writer->failed = true;
    else
        fy_write_bytes(writer, text, (size_t)size);
}

/* jansson knows about escapes. */
void fy_document_put_string(fy_writer *writer, const char *text)
{
    json_t *value = json_string(text);
    char *quoted = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    if (quoted)
        fy_write_bytes(writer, quoted, strlen(quoted));
    else
        writer->failed = true;
    free(quoted);
    json_decref(value);
}

void fy_document_put_real(fy_writer *writer, double value)
{
    char text[FORAY_NUMBER_SIZE];
    foray_shortest(value, text);
    if (isfinite(value))
        fy_write_bytes(writer, text, strlen(text));
    else
        writer->failed = true;
}
