/* json.c - see json.h. */
#include "json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "base/base.h"

/* ------------------------------------------------------------------ begin, end */

void cli_json_fail(cli_json *json, const char *format, ...)
{
    if (*json->problem)
        return;
    va_list values;
    va_start(values, format);
    vsnprintf(json->problem, sizeof json->problem, format, values);
    va_end(values);
}

/* Appends to the text, unless there was a failure before. */
__attribute__((format(printf, 2, 3))) static void put(cli_json *json, const char *format, ...)
{
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    size_t more = (size_t)vsnprintf(NULL, 0, format, again) + 1;
    va_end(again);
    if (json->size + more > json->room && !*json->problem) {
        size_t room = 2 * (json->size + more);
        char *text = realloc(json->text, room);
        if (text) {
            json->text = text;
            json->room = room;
        } else {
            cli_json_fail(json, "out of memory");
        }
    }
    if (!*json->problem)
        json->size += (size_t)vsnprintf(json->text + json->size, more, format, values);
    va_end(values);
}

void cli_json_begin(cli_json *json)
{
    *json = (cli_json){.empty = true};
    put(json, "{");
    json->close[json->depth++] = '}';
}

const char *cli_json_end(cli_json *json, FILE *stream)
{
    while (json->depth > 0)
        cli_json_close(json);
    bool good = !*json->problem;
    if (good)
        fprintf(stream, "%s\n", json->text);
    cli_json_drop(json);
    return good ? NULL : json->problem;
}

void cli_json_drop(cli_json *json)
{
    free(json->text);
    json->text = NULL;
}

/* ------------------------------------------------------------------------ items */

/* A text in quotes: what JSON does not allow in it, and what is hidden, is written as JSON wants
 * it. */
static void put_text(cli_json *json, const char *text)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    put(json, "\"");
    for (int size; *text; text += size) {
        int32_t code = fy_character(text, &size);
        const char *special = size == 1 ? strchr(plain, *text) : NULL;
        if (special)
            put(json, "\\%c", letter[special - plain]);
        else if (code < 0)
            put(json, "?");
        else if (!fy_character_hidden(code))
            put(json, "%.*s", size, text);
        else if (code < 0x10000)
            put(json, "\\u%04x", (unsigned)code);
        else /* two halves */
            put(json, "\\u%04x\\u%04x", 0xd800 + (((unsigned)code - 0x10000) >> 10),
                0xdc00 + ((unsigned)code & 0x3ff));
    }
    put(json, "\"");
}

/* Goes to where the next item belongs. */
static void begin_item(cli_json *json, const char *key)
{
    put(json, "%s\n%*s", json->empty ? "" : ",", 2 * json->depth, "");
    if (json->close[json->depth - 1] == '}') {
        put_text(json, key);
        put(json, ": ");
    }
    json->empty = false;
}

static void open_container(cli_json *json, const char *key, char open, char close)
{
    begin_item(json, key);
    put(json, "%c", open);
    assert(json->depth < CLI_JSON_DEPTH);
    json->close[json->depth++] = close;
    json->empty = true;
}

void cli_json_object(cli_json *json, const char *key)
{
    open_container(json, key, '{', '}');
}

void cli_json_list(cli_json *json, const char *key)
{
    open_container(json, key, '[', ']');
}

void cli_json_close(cli_json *json)
{
    json->depth--;
    if (!json->empty)
        put(json, "\n%*s", 2 * json->depth, "");
    put(json, "%c", json->close[json->depth]);
    json->empty = false;
}

void cli_json_text(cli_json *json, const char *key, const char *value)
{
    begin_item(json, key);
    if (value)
        put_text(json, value);
    else
        put(json, "null");
}

void cli_json_integer(cli_json *json, const char *key, int64_t value)
{
    begin_item(json, key);
    put(json, "%" PRId64, value);
}

void cli_json_flag(cli_json *json, const char *key, bool value)
{
    begin_item(json, key);
    put(json, "%s", value ? "true" : "false");
}

void cli_json_real(cli_json *json, const char *key, double value)
{
    char number[FY_NUMBER_BYTES];
    begin_item(json, key);
    put(json, "%s", isfinite(value) ? fy_number_text(value, number) : "null");
}
