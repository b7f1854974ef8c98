/* text.c - texts that others wrote, on a terminal. */
#include <stdarg.h>
#include <stdlib.h>

#include "cli.h"

int cli_utf8_length(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    int length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    for (int i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    /* Not longer than need be, no halves of pairs, nothing past U+10FFFF. */
    bool refused = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
                   (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f) ||
                   at[0] > 0xf4;
    return refused ? 0 : length;
}

/* The same, but 0 for control characters. Terminals obey those of U+0080 to U+009F as well. */
static int printable_length(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    bool control = at[0] < 0x20 || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
    return control ? 0 : cli_utf8_length(text);
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
    int column = 0;
    while (*text) {
        int length = printable_length(text);
        if (length == 0)
            column += put_escaped(stream, (unsigned char)*text++);
        for (column += length > 0; length > 0; length--)
            fputc(*text++, stream);
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
