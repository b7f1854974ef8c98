/* document.c - reading and writing the JSON that models, rewards and policies share. */
#include "base/document.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ reading */

static bool is_among(const char *key, const char *const *keys)
{
    while (*keys && strcmp(key, *keys) != 0)
        keys++;
    return *keys != NULL;
}

foray_status fy_document_keys(foray_context *ctx, fy_json object, const char *name,
                              const char *const *keys)
{
    if (fy_json_kind_of(object) != FY_JSON_OBJECT)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: an object is expected", name);
    for (fy_json key = fy_json_first(object); key.tree;) {
        if (!is_among(fy_json_text(key), keys))
            return fy_fail(ctx, FORAY_ERROR_INPUT, "unknown key \"%s\" in %s", fy_json_text(key),
                           name);
        key = fy_json_next(object, fy_json_next(object, key));
    }
    return FORAY_OK;
}

/* "format" and "version" first: a file of another kind should be told so, not be taken
 * to pieces. */
static foray_status check_root(foray_context *ctx, fy_json root, const char *format,
                               const char *const *keys)
{
    fy_json found = fy_json_member(root, "format"), version = fy_json_member(root, "version");
    if (fy_json_kind_of(root) != FY_JSON_OBJECT)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "an object is expected");
    if (fy_json_kind_of(found) != FY_JSON_TEXT || strcmp(fy_json_text(found), format) != 0)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "format: \"%s\" is expected", format);
    if (fy_json_kind_of(version) != FY_JSON_INTEGER)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "version: a whole number is expected");
    int64_t number = fy_json_integer(version);
    if (number != 1)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "version %" PRId64 ", but this Foray reads version 1", number);
    return fy_document_keys(ctx, root, format, keys);
}

static foray_status check_size(foray_context *ctx, size_t size, const char *where)
{
    if (size <= FY_DOCUMENT_LIMIT)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: more than %zu MiB of JSON", where,
                   FY_DOCUMENT_LIMIT >> 20);
}

static foray_status parse(foray_context *ctx, const char *text, size_t size, const char *where,
                          const char *format, const char *const *keys, fy_json_tree *out)
{
    fy_json_tree tree;
    foray_status status = fy_json_parse(ctx, text, size, where, &tree);
    if (status < 0)
        return status;
    if ((status = check_root(ctx, fy_json_root(&tree), format, keys)) < 0) {
        fy_json_free(&tree);
        return fy_fail_within(ctx, status, "%s", where);
    }
    *out = tree;
    return FORAY_OK;
}

foray_status fy_document_parse(foray_context *ctx, const char *text, size_t size, const char *where,
                               const char *format, const char *const *keys, fy_json_tree *out)
{
    foray_status status = check_size(ctx, size, where);
    return status == FORAY_OK ? parse(ctx, text, size, where, format, keys, out) : status;
}

foray_status fy_document_parse_large(foray_context *ctx, const char *text, size_t size,
                                     const char *where, const char *format, const char *const *keys,
                                     fy_json_tree *out)
{
    return parse(ctx, text, size, where, format, keys, out);
}

/* Strings are decoded where they lie, so that values begin where they do in the text. */
int64_t fy_document_line(const char *text, fy_json value)
{
    int64_t line = 1;
    for (uint32_t i = 0; i < value.tree->node[value.node].at; i++)
        line += text[i] == '\n';
    return line;
}

foray_status fy_document_real(foray_context *ctx, fy_json object, const char *key, double min,
                              double max, double *out)
{
    fy_json member = fy_json_member(object, key);
    if (!fy_json_is_number(member))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: a number is expected", key);
    double value = fy_json_real(member);
    if (!(value >= min && value <= max))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: %g is not between %g and %g", key, value, min,
                       max);
    *out = value;
    return FORAY_OK;
}

foray_status fy_document_integer(foray_context *ctx, fy_json object, const char *key, int64_t min,
                                 int64_t max, int64_t *out)
{
    fy_json member = fy_json_member(object, key);
    if (fy_json_kind_of(member) != FY_JSON_INTEGER)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: a whole number is expected", key);
    int64_t value = fy_json_integer(member);
    if (value < min || value > max)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "%s: %" PRId64 " is not between %" PRId64 " and %" PRId64, key, value, min,
                       max);
    *out = value;
    return FORAY_OK;
}

foray_status fy_document_choice(foray_context *ctx, fy_json object, const char *key,
                                const char *const *choices, int *out)
{
    fy_json member = fy_json_member(object, key);
    if (fy_json_kind_of(member) != FY_JSON_TEXT)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: a text is expected", key);
    for (int i = 0; choices[i]; i++) {
        if (strcmp(fy_json_text(member), choices[i]) == 0) {
            *out = i;
            return FORAY_OK;
        }
    }
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: \"%s\" is not one of its values", key,
                   fy_json_text(member));
}

/* ------------------------------------------------------------------ writing */

void fy_document_put_real(fy_writer *writer, double value)
{
    char text[FORAY_NUMBER_SIZE];
    foray_shortest(value, text);
    if (isfinite(value))
        fy_write_bytes(writer, text, strlen(text));
    else
        writer->failed = true;
}
