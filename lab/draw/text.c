/* text.c - escaped text, numbers for people, labels. */
#include "draw/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------- escaping */

/* How many bytes the UTF-8 character at `from` has; 0: it is none, or one that XML
 * does not allow (control characters, surrogates, U+FFFE, U+FFFF). */
static size_t character_length(const unsigned char *from)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } form[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    size_t length = 0;
    while (length < 4 && (from[0] & form[length].mask) != form[length].lead)
        length++;
    if (length == 4)
        return 0;
    uint32_t code = from[0] & (unsigned char)~form[length].mask;
    for (size_t i = 1; i <= length; i++) {
        if ((from[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (from[i] & 0x3f);
    }
    bool control = (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7f && code < 0xa0);
    bool barred = (code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff;
    return code < form[length].least || code > 0x10ffff || control || barred ? 0 : length + 1;
}

void fy_print_escaped(fy_writer *text, const char *from)
{
    static const char special[] = "&<>\"'";
    static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    while (*from) {
        const char *found = strchr(special, *from);
        size_t length = character_length((const unsigned char *)from);
        if (found)
            fy_print(text, "%s", entity[found - special]);
        else if (length == 0)
            fy_write_bytes(text, "?", 1);
        else
            fy_write_bytes(text, from, length);
        from += length > 0 ? length : 1;
    }
}

void fy_print_uri(fy_writer *text, const void *data, size_t size)
{
    static const char digit[] = "0123456789ABCDEF", plain_too[] = ",.-_";
    const unsigned char *from = data;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = from[i];
        bool plain = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
                     (c && strchr(plain_too, c));
        char code[3] = {'%', digit[c >> 4], digit[c & 15]};
        fy_write_bytes(text, plain ? (const void *)&c : code, plain ? 1 : 3);
    }
}

/* ------------------------------------------------------------------------ labels */

const char *fy_label(const char *name, int64_t number, char out[FY_LABEL_SIZE])
{
    enum { LONGEST = 16 };
    if (!name || !*name) {
        fy_format(out, FY_LABEL_SIZE, "%" PRId64, number);
        return out;
    }
    size_t at = 0, length = 0;
    for (int shown = 0; name[at] && shown < LONGEST && at < FY_LABEL_SIZE - 8;
         shown++, at += length) {
        length = character_length((const unsigned char *)name + at);
        length = length > 0 ? length : 1;
    }
    fy_format(out, FY_LABEL_SIZE, "%.*s%s", (int)at, name, name[at] ? "…" : "");
    return out;
}

/* ----------------------------------------------------------------------- numbers */

const char *fy_number(double value, char out[FY_NUMBER_SIZE])
{
    if (isnan(value))
        fy_format(out, FY_NUMBER_SIZE, "unknown");
    else if (isinf(value))
        fy_format(out, FY_NUMBER_SIZE, "%sinfinite", value < 0 ? "-" : "");
    else if (fabs(value) >= 1e12 || (fabs(value) < 1e4 && value != rint(value)))
        fy_format(out, FY_NUMBER_SIZE, "%.4g", value);
    else {
        /* 1234567 as "1,234,567" */
        char digits[FY_NUMBER_SIZE];
        int length = fy_format(digits, sizeof digits, "%.0f", rint(value) + 0.0),
            at = 0; /* not -0 */
        for (int i = 0; i <= length; i++) {
            if (i > 0 && i < length && (length - i) % 3 == 0 && digits[i - 1] != '-')
                out[at++] = ',';
            out[at++] = digits[i];
        }
    }
    return out;
}

foray_status fy_text_save(fy_writer *text, const char *path)
{
    foray_status status = text->failed
                              ? FORAY_ERROR_MEMORY
                              : foray_file_write(text->ctx, path, true, text->data, text->size);
    free(text->data);
    *text = (fy_writer){.ctx = text->ctx};
    return status;
}
