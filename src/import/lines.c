/* lines.c - see lines.h. */
#include "import/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char blank[] = " \t\r";

/* How much is read at a time, and how long a line may be. */
enum { CHUNK = 1 << 16, LONGEST = 1 << 20 };

/* One more chunk behind what is there; the file is closed at its end. */
static foray_status read_chunk(fy_lines *lines)
{
    if (lines->room - lines->size < CHUNK) {
        char *text = fy_resize(lines->ctx, lines->text, lines->room + CHUNK + 1, 1);
        if (!text)
            return FORAY_ERROR_MEMORY;
        lines->text = text;
        lines->room += CHUNK;
    }
    char *to = lines->text + lines->size;
    ssize_t got;
    do
        got = read(lines->file, to, CHUNK);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return fy_fail(lines->ctx, FORAY_ERROR_IO, "%s: cannot read: %s", lines->path,
                       strerror(errno));
    lines->size += (size_t)got;
    to[got] = 0;
    if (memchr(to, 0, (size_t)got))
        return fy_fail(lines->ctx, FORAY_ERROR_INPUT, "%s: not a text: there is a byte 0 in it",
                       lines->path);
    if (got == 0) {
        close(lines->file);
        lines->file = -1;
    }
    return FORAY_OK;
}

foray_status fy_lines_open(foray_context *ctx, const char *path, fy_lines *out)
{
    *out = (fy_lines){.ctx = ctx, .path = path, .file = open(path, O_RDONLY | O_CLOEXEC)};
    if (out->file < 0)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    struct stat about;
    bool regular = fstat(out->file, &about) == 0 && S_ISREG(about.st_mode);
    out->bytes = regular ? (int64_t)about.st_size : INT64_MAX;
    foray_status status = read_chunk(out);
    if (status == FORAY_OK)
        status = fy_text_mark(ctx, path, out->text, out->size, &out->at);
    if (status != FORAY_OK)
        fy_lines_close(out);
    return status;
}

void fy_lines_close(fy_lines *lines)
{
    if (lines->file >= 0)
        close(lines->file);
    free(lines->text);
    *lines = (fy_lines){.file = -1};
}

/* The end of the line that begins at `at`, which is all in memory then; NULL: it is the last, and
 * nothing ends it. */
static char *find_end(fy_lines *lines)
{
    for (size_t seen = 0;;) {
        size_t left = lines->size - lines->at;
        char *begin = lines->text + lines->at;
        char *end = memchr(begin + seen, '\n', left - seen);
        if (end || lines->file < 0)
            return end;
        memmove(lines->text, begin, left + 1);
        lines->size = seen = left;
        lines->at = 0;
        lines->failure = left > LONGEST ? fy_fail(lines->ctx, FORAY_ERROR_INPUT,
                                                  "%s:%" PRId64 ": longer than a megabyte",
                                                  lines->path, lines->line + 1)
                                        : read_chunk(lines);
        if (lines->failure != FORAY_OK)
            return NULL;
    }
}

bool fy_lines_next(fy_lines *lines)
{
    while (lines->failure == FORAY_OK) {
        char *end = find_end(lines), *begin = lines->text + lines->at;
        if (lines->failure != FORAY_OK || lines->at == lines->size)
            return false;
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

foray_status fy_lines_missing(const fy_lines *lines, const char *cause)
{
    return lines->failure != FORAY_OK
               ? lines->failure
               : fy_fail(lines->ctx, FORAY_ERROR_INPUT, "%s: %s", lines->path, cause);
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

foray_status fy_lines_index(fy_lines *lines, const char *what, int64_t max, int64_t *out)
{
    const char *word = fy_lines_word(lines);
    int64_t number = 0;
    if (!word)
        return fy_lines_fail(lines, "%s is missing", what);
    size_t digits = strspn(word, "0123456789");
    if (digits == 0 || word[digits])
        return fy_lines_fail(lines, "%s: '%.60s' is not a whole number", what, word);
    for (size_t d = 0; d < digits && number <= max; d++)
        number = 10 * number + (word[d] - '0');
    if (number > max)
        return fy_lines_fail(lines, "%s: %.60s is larger than %" PRId64, what, word, max);
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
    return word ? fy_lines_fail(lines, "unexpected '%.60s' at the end of the line", word)
                : FORAY_OK;
}
