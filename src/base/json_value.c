/* json_value.c - what a JSON text that was taken to pieces says, and strings as JSON.
 *
 * The first character of a value tells its kind, and numbers are read where they stand: beside
 * the text a tree has nothing but the shape. */
#include "base/json.h"
#include "base/parameter.h"

#include <string.h>

/* ------------------------------------------------------------------- values */

/* The characters of a number; what follows it may be any text. */
static size_t number_length(const char *text)
{
    return strspn(text, "+-.0123456789eE");
}

static const fy_json_node *node_of(fy_json value)
{
    return value.tree->node + value.node;
}

static const char *token_of(fy_json value)
{
    return value.tree->text + node_of(value)->at;
}

fy_json fy_json_root(const fy_json_tree *tree)
{
    return (fy_json){.tree = tree};
}

fy_json_kind fy_json_kind_of(fy_json value)
{
    if (!value.tree)
        return FY_JSON_ABSENT;
    const char *token = token_of(value);
    switch (*token) {
    case '{':
        return FY_JSON_OBJECT;
    case '[':
        return FY_JSON_ARRAY;
    case '"':
        return FY_JSON_TEXT;
    case 'n':
        return FY_JSON_NULL;
    case 't':
        return FY_JSON_TRUE;
    case 'f':
        return FY_JSON_FALSE;
    default:
        token += strspn(token, "-0123456789");
        return *token && strchr(".eE", *token) ? FY_JSON_REAL : FY_JSON_INTEGER;
    }
}

bool fy_json_is_number(fy_json value)
{
    fy_json_kind kind = fy_json_kind_of(value);
    return kind == FY_JSON_INTEGER || kind == FY_JSON_REAL;
}

fy_json fy_json_first(fy_json list)
{
    fy_json_kind kind = fy_json_kind_of(list);
    bool some =
        (kind == FY_JSON_ARRAY || kind == FY_JSON_OBJECT) && node_of(list)->end > list.node + 1;
    return some ? (fy_json){.tree = list.tree, .node = list.node + 1} : (fy_json){0};
}

fy_json fy_json_next(fy_json list, fy_json item)
{
    if (!item.tree)
        return item;
    uint32_t next = node_of(item)->end;
    return next < node_of(list)->end ? (fy_json){.tree = list.tree, .node = next} : (fy_json){0};
}

fy_json fy_json_item(fy_json array, int64_t index)
{
    fy_json item = fy_json_first(array);
    while (item.tree && index-- > 0)
        item = fy_json_next(array, item);
    return item;
}

int64_t fy_json_size(fy_json array)
{
    int64_t count = 0;
    if (fy_json_kind_of(array) == FY_JSON_ARRAY)
        for (fy_json item = fy_json_first(array); item.tree; item = fy_json_next(array, item))
            count++;
    return count;
}

fy_json fy_json_member(fy_json object, const char *key)
{
    if (fy_json_kind_of(object) != FY_JSON_OBJECT)
        return (fy_json){0};
    for (fy_json name = fy_json_first(object); name.tree;) {
        fy_json value = fy_json_next(object, name);
        if (strcmp(fy_json_text(name), key) == 0)
            return value;
        name = fy_json_next(object, value);
    }
    return (fy_json){0};
}

const char *fy_json_text(fy_json text)
{
    return token_of(text) + 1;
}

int64_t fy_json_integer(fy_json integer)
{
    int64_t value = 0;
    const char *token = token_of(integer);
    fy_integer_read(token, number_length(token), &value);
    return value;
}

double fy_json_real(fy_json number)
{
    double value = 0;
    const char *token = token_of(number);
    fy_number_read(token, number_length(token), &value);
    return value;
}

/* ------------------------------------------------------------------ writing */

/* \n, \u009B; two halves beyond U+FFFF. */
static void put_escaped(fy_writer *writer, uint32_t code)
{
    static const char short_name[] = "\b\f\n\r\t\"\\", letter[] = "bfnrt\"\\";
    const char *found = code < 0x80 && code > 0 ? strchr(short_name, (int)code) : NULL;
    if (found)
        fy_print(writer, "\\%c", letter[found - short_name]);
    else if (code < 0x10000)
        fy_print(writer, "\\u%04X", code);
    else
        fy_print(writer, "\\u%04X\\u%04X", 0xD800 + ((code - 0x10000) >> 10),
                 0xDC00 + ((code - 0x10000) & 0x3FF));
}

void fy_json_put_text(fy_writer *writer, const char *text)
{
    fy_write_bytes(writer, "\"", 1);
    for (int size; *text; text += size) {
        int32_t code = foray_character(text, &size);
        writer->failed |= code < 0;
        if (code == '"' || code == '\\' || (code >= 0 && foray_character_hidden(code)))
            put_escaped(writer, (uint32_t)code);
        else
            fy_write_bytes(writer, text, (size_t)size);
    }
    fy_write_bytes(writer, "\"", 1);
}
