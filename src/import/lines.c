/* lines.c - see lines.h. */
#include "import/lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char blank[] = " \t\r";

foray_status fy_lines_open(foray_context *ctx, const char *path, fy_lines *out)
{
    const size_t limit = (size_t)16 << 30;
    uint8_t *data;
    size_t size;
    foray_status status = fy_file_read(ctx, path, limit, &data, &size);
    if (status != FORAY_OK)
        return status;
    if (memchr(data, 0, size)) {
        free(data);
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: not a text: there is a byte 0 in it", path);
    }
    *out = (fy_lines){.ctx = ctx, .path = path, .text = (char *)data, .size = size};
    return FORAY_OK;
}

void fy_lines_close(fy_lines *lines)
{
    free(lines->text);
    *lines = (fy_lines){0};
}

bool fy_lines_next(fy_lines *lines)
{
    while (lines->at < lines->size) {
        char *begin = lines->text + lines->at;
        char *end = memchr(begin, '\n', lines->size - lines->at);
        lines->at = end ? (size_t)(end - lines->text) + 1 : lines->size;
        lines->line++;
        if (end)
            *end = 0;
        lines->rest = begin + strspn(begin, blank);
        if (*lines->rest && *lines->rest != '#')
            return true;
    }
    return false;
}

char *fy_lines_word(fy_lines *lines)
{
    char *word = lines->rest + strspn(lines->rest, blank);
    if (!*word)
        return NULL;
    char *end = word + strcspn(word, blank);
    lines->rest = *end ? end + 1 : end;
    *end = 0;
    return word;
}

foray_status fy_lines_fail(const fy_lines *lines, const char *format, ...)
{
    char cause[512];
    va_list values;
    va_start(values, format);
    fy_vformat(cause, sizeof cause, format, values);
    va_end(values);
    return fy_fail(lines->ctx, FORAY_ERROR_INPUT, "%s:%" PRId64 ": %s", lines->path, lines->line,
                   cause);
}

foray_status fy_lines_index(fy_lines *lines, const char *what, int64_t most, int64_t *out)
{
    const char *word = fy_lines_word(lines);
    int64_t number = 0;
    if (!word)
        return fy_lines_fail(lines, "%s is missing", what);
    size_t digits = strspn(word, "0123456789");
    if (digits == 0 || word[digits])
        return fy_lines_fail(lines, "%s: '%.60s' is not a whole number", what, word);
    for (size_t d = 0; d < digits && number <= most; d++)
        number = 10 * number + (word[d] - '0');
    if (number > most)
        return fy_lines_fail(lines, "%s: %.60s is larger than %" PRId64, what, word, most);
    *out = number;
    return FORAY_OK;
}

foray_status fy_lines_real(fy_lines *lines, const char *what, double *out)
{
    const char *word = fy_lines_word(lines);
    if (!word)
        return fy_lines_fail(lines, "%s is missing", what);
    if (!foray_number_read(word, out))
        return fy_lines_fail(lines, "%s: '%.60s' is not a number", what, word);
    if (!(*out >= -1e100 && *out <= 1e100))
        return fy_lines_fail(lines, "%s: '%.60s' is out of range", what, word);
    return FORAY_OK;
}

foray_status fy_lines_end(fy_lines *lines)
{
    const char *word = fy_lines_word(lines);
    return word ? fy_lines_fail(lines, "'%.60s' is more than belongs on this line", word)
                : FORAY_OK;
}
