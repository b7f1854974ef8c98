/* text.c - texts that others wrote, on a terminal. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

/* Characters that terminals obey instead of showing them: controls, those of U+0080 to U+009F too;
 * and what is not seen but moves, turns or hides the text around it: marks and overrides of
 * writing direction, separators of lines, joiners, tags. */
static bool is_obeyed(unsigned code)
{
    static const unsigned range[][2] = {{0, 0x1f},        {0x7f, 0x9f},      {0xad, 0xad},
                                        {0x61c, 0x61c},   {0x180e, 0x180e},  {0x200b, 0x200f},
                                        {0x2028, 0x202e}, {0x2060, 0x206f},  {0xfeff, 0xfeff},
                                        {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (code >= range[i][0] && code <= range[i][1])
            return true;
    return false;
}

/* The character of so many bytes. */
static unsigned character(const char *text, int length)
{
    const unsigned char *at = (const unsigned char *)text;
    unsigned code = length > 1 ? at[0] & (0x7fu >> length) : at[0];
    for (int i = 1; i < length; i++)
        code = code << 6 | (at[i] & 0x3fu);
    return code;
}

/* \n, \t, \x1b or \u202e; returns how many columns that takes. */
static int put_escaped(FILE *stream, unsigned code)
{
    if (code == '\n' || code == '\t')
        return fprintf(stream, "\\%c", code == '\n' ? 'n' : 't');
    return fprintf(stream, code < 0x80 ? "\\x%02x" : "\\u%04x", code);
}

void cli_put(FILE *stream, int width, const char *text)
{
    int column = 0;
    while (*text) {
        int length = cli_utf8_length(text);
        unsigned code = character(text, length);
        if (length == 0) {
            column += fprintf(stream, "\\x%02x", (unsigned char)*text++);
        } else if (is_obeyed(code)) {
            column += put_escaped(stream, code);
            text += length;
        } else {
            column += (int)fwrite(text, (size_t)length, 1, stream);
            text += length;
        }
    }
    fprintf(stream, "%*s", column < width ? width - column : 0, "");
}

void cli_put_message(FILE *stream, const char *format, va_list values)
{
    va_list again;
    char spare[1024]; /* it may be memory that has run out */
    va_copy(again, values);
    size_t size = (size_t)vsnprintf(NULL, 0, format, again) + 1;
    va_end(again);
    char *own = size > sizeof spare ? malloc(size) : NULL;
    vsnprintf(own ? own : spare, own ? size : sizeof spare, format, values);
    cli_put(stream, 0, own ? own : spare);
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
