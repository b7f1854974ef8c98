/* text.c - texts that others wrote, on a terminal. */
#include <stdarg.h>
#include <stdlib.h>

#include "cli.h"

/* Bytes of the UTF-8 character at `from`; 0: none, or a control character. Terminals obey
 * those of U+0080 to U+009F as well. */
static int character_length(const unsigned char *from)
{
    int length = from[0] < 0x80   ? 1
                 : from[0] < 0xc0 ? 0
                 : from[0] < 0xe0 ? 2
                 : from[0] < 0xf0 ? 3
                                  : 4;
    for (int i = 1; i < length; i++)
        if ((from[i] & 0xc0) != 0x80)
            return 0;
    bool control = from[0] < 0x20 || from[0] == 0x7f || (from[0] == 0xc2 && from[1] < 0xa0);
    return control || from[0] >= 0xf8 ? 0 : length;
}

/* \n, \t or \x1b; returns how many columns that takes. */
static int put_escaped(FILE *stream, unsigned char byte)
{
    if (byte == '\n' || byte == '\t')
        return fprintf(stream, "\\%c", byte == '\n' ? 'n' : 't');
    return fprintf(stream, "\\x%02x", byte);
}

void cli_put(FILE *stream, int width, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    int column = 0;
    while (*at) {
        int length = character_length(at);
        if (length == 0)
            column += put_escaped(stream, *at++);
        for (column += length > 0; length > 0; length--)
            fputc(*at++, stream);
    }
    fprintf(stream, "%*s", column < width ? width - column : 0, "");
}

void cli_put_message(FILE *stream, const char *format, va_list values)
{
    va_list again;
    va_copy(again, values);
    int size = vsnprintf(NULL, 0, format, again) + 1;
    va_end(again);
    char *text = malloc((size_t)size);
    if (text)
        vsnprintf(text, (size_t)size, format, values);
    cli_put(stream, 0, text ? text : format);
    free(text);
}
