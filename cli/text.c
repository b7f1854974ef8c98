/* text.c - texts that others wrote, on a terminal. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "base/base.h"

/* \n, \t, \x1b or \u202e; returns how many columns that takes. */
static int put_escaped(FILE *stream, int32_t code)
{
    if (code == '\n' || code == '\t')
        return fprintf(stream, "\\%c", code == '\n' ? 'n' : 't');
    return fprintf(stream, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)code);
}

void cli_put(FILE *stream, int width, const char *text)
{
    int column = 0;
    for (int size; *text; text += size) {
        int32_t code = fy_character(text, &size);
        if (code < 0)
            column += fprintf(stream, "\\x%02x", (unsigned char)*text);
        else if (fy_character_hidden(code))
            column += put_escaped(stream, code);
        else
            column += (int)fwrite(text, (size_t)size, 1, stream);
    }
    fprintf(stream, "%*s", column < width ? width - column : 0, "");
}

void cli_put_message(FILE *stream, const char *format, va_list values)
{
    va_list again;
    char room[1024]; /* it may be memory that has run out */
    va_copy(again, values);
    size_t size = (size_t)vsnprintf(NULL, 0, format, again) + 1;
    va_end(again);
    char *own = size > sizeof room ? malloc(size) : NULL;
    vsnprintf(own ? own : room, own ? size : sizeof room, format, values);
    cli_put(stream, 0, own ? own : room);
    free(own);
}

void cli_put_word(FILE *stream, const char *word)
{
    static const char harmless[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    const char *before = *word == '-' ? "./" : "";
    char *quoted = calloc(4 * strlen(word) + 1, 1), *to = quoted;
    if (!quoted || (*word && !word[strspn(word, harmless)])) {
        fputs(before, stream);
        cli_put(stream, 0, word);
        free(quoted);
        return;
    }
    for (const char *from = word; *from; from++)
        if (*from == '\'')
            to = stpcpy(to, "'\\''");
        else
            *to++ = *from;
    *to = 0;
    fprintf(stream, "'%s", before);
    cli_put(stream, 0, quoted);
    fputs("'", stream);
    free(quoted);
}
