/* umb_arrays.c - arrays of a UMB file, little-endian: see umb.h. */
#include "import/umb.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

foray_status fy_umb_real_type(const fy_umb *umb, fy_json type, const char *what, fy_umb_type *out)
{
    fy_json name = fy_json_member(type, "type"), size = fy_json_member(type, "size");
    const char *text = fy_json_kind_of(name) == FY_JSON_TEXT ? fy_json_text(name) : "";
    int64_t bits = fy_json_kind_of(size) == FY_JSON_INTEGER ? fy_json_integer(size) : 0;
    if (strstr(text, "-interval"))
        return fy_fail(
            umb->ctx, FORAY_ERROR_INPUT,
            "%s: %s of type %s: an interval model says between which bounds numbers lie, "
            "not what they are; Foray's models have probabilities",
            umb->archive.path, what, text);
    if (strcmp(text, "double") == 0 && (bits == 0 || bits == 64))
        *out = FY_UMB_DOUBLE;
    else if (strcmp(text, "rational") == 0 && (bits == 0 || bits == 128))
        *out = FY_UMB_RATIONAL;
    else
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                       "%s: %s of type '%.40s' and %" PRId64
                       " bits: only doubles and rationals of 128 bits are read",
                       umb->archive.path, what, text, bits);
    return FORAY_OK;
}

foray_status fy_umb_member(const fy_umb *umb, const char *name, int64_t count, size_t width,
                           const fy_member **out)
{
    size_t size;
    *out = fy_archive_find(&umb->archive, name);
    if (*out && (!fy_size_mul((size_t)count, width, &size) || (*out)->size != size))
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                       "%s: %s: %zu bytes, but %" PRId64 " items of %zu are expected",
                       umb->archive.path, name, (*out)->size, count, width);
    return FORAY_OK;
}

foray_status fy_umb_rows(const fy_umb *umb, const char *name, int64_t count, int64_t total,
                         int64_t **out)
{
    const fy_member *member;
    int64_t *start;
    foray_status status = fy_umb_member(umb, name, count + 1, 8, &member);
    if (status != FORAY_OK)
        return status;
    if (!member && count != total)
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                       "%s: %s is not there, but %" PRId64 " do not have one each of %" PRId64,
                       umb->archive.path, name, count, total);
    if (!FY_ALLOC(umb->ctx, start, count + 1))
        return FORAY_ERROR_MEMORY;
    bool ascending = true;
    for (int64_t i = 0; i <= count; i++) {
        uint64_t at = member ? fy_umb_u64(member->data, i) : (uint64_t)i;
        start[i] = at <= (uint64_t)total ? (int64_t)at : -1;
        ascending = ascending && start[i] >= (i > 0 ? start[i - 1] : 0);
    }
    if (!ascending || start[0] != 0 || start[count] != total) {
        free(start);
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                       "%s: %s: not an ascending list from 0 to %" PRId64, umb->archive.path, name,
                       total);
    }
    *out = start;
    return FORAY_OK;
}

foray_status fy_umb_reals(const fy_umb *umb, const char *name, fy_umb_type type, int64_t count,
                          double *out)
{
    const fy_member *member;
    foray_status status =
        fy_umb_member(umb, name, count, type == FY_UMB_RATIONAL ? 16 : 8, &member);
    for (int64_t i = 0; i < count && member && status == FORAY_OK; i++) {
        if (type == FY_UMB_RATIONAL) {
            double over = (double)(int64_t)fy_umb_u64(member->data, 2 * i);
            out[i] = over / (double)fy_umb_u64(member->data, 2 * i + 1);
        } else {
            fy_reader reader = {.data = member->data + 8 * i, .size = 8};
            out[i] = fy_read_double(&reader);
        }
        if (!(fabs(out[i]) <= 1e100))
            status = fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                             "%s: %s: item %" PRId64 " is not a number, or out of range",
                             umb->archive.path, name, i);
    }
    return status;
}

foray_status fy_umb_texts_open(const fy_umb *umb, const char *folder, int64_t count,
                               fy_umb_texts *out)
{
    char mapping[160], strings[160];
    fy_format(mapping, sizeof mapping, "%s/string-mapping.bin", folder);
    fy_format(strings, sizeof strings, "%s/strings.bin", folder);
    const fy_member *text = fy_archive_find(&umb->archive, strings);
    *out = (fy_umb_texts){.count = count, .bytes = text ? text->data : NULL};
    const fy_member *map = fy_archive_find(&umb->archive, mapping);
    if (!map && !text)
        return FORAY_OK;
    if (!map || !text)
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: of %s and %s only one is there",
                       umb->archive.path, mapping, strings);
    return fy_umb_rows(umb, mapping, count, (int64_t)text->size, &out->start);
}

foray_status fy_umb_text(const fy_umb *umb, const fy_umb_texts *texts, int64_t i, char out[201])
{
    int64_t length = texts->start[i + 1] - texts->start[i];
    if (length <= 200) {
        memcpy(out, texts->bytes + texts->start[i], (size_t)length);
        out[length] = 0;
    }
    if (length > 200 || strlen(out) != (size_t)length || !fy_json_is_utf8(out))
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                       "%s: text %" PRId64 " is longer than 200 bytes, or not UTF-8",
                       umb->archive.path, i);
    return FORAY_OK;
}
