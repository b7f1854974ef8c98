/* text.c - escaped text, numbers for people, labels. */
#include "draw/text.h"
#include "base/base.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------- escaping */

/* XML allows neither most controls nor the last two characters of its first plane. */
static bool is_barred(int32_t code)
{
    return code < 0 || (fy_character_hidden(code) && code != '\t' && code != '\n') ||
           code == 0xfffe || code == 0xffff;
}

void fy_print_escaped(fy_writer *text, const char *from)
{
    static const char special[] = "&<>\"'";
    static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (int size; *from; from += size) {
        const char *found = strchr(special, *from);
        if (is_barred(fy_character(from, &size)))
            fy_write_bytes(text, "?", 1);
        else if (found)
            fy_print(text, "%s", entity[found - special]);
        else
            fy_write_bytes(text, from, (size_t)size);
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
    int at = 0, size;
    for (int shown = 0; name[at] && shown < LONGEST && at < FY_LABEL_SIZE - 8; shown++, at += size)
        (void)fy_character(name + at, &size);
    fy_format(out, FY_LABEL_SIZE, "%.*s%s", at, name, name[at] ? "…" : "");
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
                              : fy_file_write(text->ctx, path, true, text->data, text->size);
    free(text->data);
    *text = (fy_writer){.ctx = text->ctx};
    return status;
}
