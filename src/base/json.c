/* json.c - takes a JSON text to pieces.
 *
 * The text is scanned once, from left to right, and every value becomes a node in the order
 * in which values begin. An open array or object keeps in `end` the node of the one around it,
 * so that no depth of nesting costs anything; when it closes, `end` becomes what it is to be. */
#include "base/json.h"
#include "base/parameter.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Around the outermost value there is nothing. */
#define NOWHERE UINT32_MAX

typedef enum expected {
    FIRST_VALUE, /* of an array, which may end instead */
    VALUE,
    FIRST_KEY, /* of an object, the same */
    KEY,
    COMMA, /* or the end of what is open */
} expected;

typedef struct scanner {
    foray_context *ctx;
    const char *source, *where;
    fy_json_tree *tree;
    char *text; /* of the tree */
    size_t size, at;
    uint32_t open; /* the innermost array or object under way */
    expected expected;
} scanner;

/* ------------------------------------------------------------------- errors */

/* Lines are counted only now; columns in characters, of which UTF-8 has several bytes. */
static foray_status refuse(const scanner *s, size_t at, const char *why)
{
    long line = 1, column = 1;
    for (size_t i = 0; i < at; i++) {
        bool continues = ((uint8_t)s->source[i] & 0xC0) == 0x80;
        column += !continues;
        if (s->source[i] == '\n') {
            line++;
            column = 1;
        }
    }
    /* The word that is in the way, as far as it can be printed. */
    int length = 0;
    while (length < 24 && at + (size_t)length < s->size && s->source[at + (size_t)length] > ' ' &&
           s->source[at + (size_t)length] < 0x7F &&
           (length == 0 || !strchr(",:[]{}", s->source[at + (size_t)length])))
        length++;
    if (at >= s->size)
        why = "the text ends too early";
    return fy_fail(s->ctx, FORAY_ERROR_INPUT, "%s:%ld:%ld: %s%s%.*s", s->where, line, column, why,
                   length > 0 ? " near " : "", length, s->source + at);
}

/* -------------------------------------------------------------------- UTF-8 */

bool fy_json_is_utf8(const char *text)
{
    for (int size; *text; text += size)
        if (fy_character(text, &size) < 0)
            return false;
    return true;
}

foray_status fy_name_check(foray_context *ctx, const char *name)
{
    size_t length = strnlen(name, FORAY_NAME_MAX + 1);
    if (length > FORAY_NAME_MAX)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "\"%.40s...\": a name has at most %d bytes", name,
                       FORAY_NAME_MAX);
    if (!fy_json_is_utf8(name))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "not UTF-8");
    return FORAY_OK;
}

static char *utf8_put(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* ------------------------------------------------------------------ strings */

/* Four hexadecimal digits. */
static bool scan_hex(const char *text, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef", *found;
        char lower = (char)(text[i] | 0x20);
        if (text[i] == 0 || !(found = strchr(digits, text[i] <= '9' ? text[i] : lower)))
            return false;
        *out = *out << 4 | (uint32_t)(found - digits);
    }
    return true;
}

/* \uXXXX, or two of them that make one character beyond the first 65536. */
static foray_status scan_unicode(scanner *s, uint32_t *code)
{
    uint32_t low;
    if (!scan_hex(s->text + s->at + 2, code))
        return refuse(s, s->at, "\\u needs four hexadecimal digits");
    if (*code == 0)
        return refuse(s, s->at, "\\u0000 is not allowed");
    if (*code < 0xD800 || *code > 0xDFFF) {
        s->at += 6;
        return FORAY_OK;
    }
    if (*code > 0xDBFF || s->text[s->at + 6] != '\\' || s->text[s->at + 7] != 'u' ||
        !scan_hex(s->text + s->at + 8, &low) || low < 0xDC00 || low > 0xDFFF)
        return refuse(s, s->at, "half of a surrogate pair");
    *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
    s->at += 12;
    return FORAY_OK;
}

static foray_status scan_escape(scanner *s, uint32_t *code)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char name = s->text[s->at + 1];
    const char *found = name ? strchr(names, name) : NULL;
    if (name == 'u')
        return scan_unicode(s, code);
    if (!found)
        return refuse(s, s->at + 1, "not a JSON escape sequence");
    *code = (uint32_t)meanings[found - names];
    s->at += 2;
    return FORAY_OK;
}

/* Decoded in place: an escape is longer than what it stands for. */
static foray_status scan_text(scanner *s)
{
    char *to = s->text + s->at + 1;
    s->at++;
    while (s->text[s->at] != '"') {
        if (s->text[s->at] == '\\') {
            uint32_t code = 0;
            foray_status status = scan_escape(s, &code);
            if (status < 0)
                return status;
            to = utf8_put(to, code);
            continue;
        }
        if ((uint8_t)s->text[s->at] < 0x20)
            return refuse(s, s->at, "a control character in a string");
        int size;
        if (fy_character(s->text + s->at, &size) < 0)
            return refuse(s, s->at, "not UTF-8 text");
        memmove(to, s->text + s->at, (size_t)size);
        to += size;
        s->at += (size_t)size;
    }
    *to = 0;
    s->at++;
    return FORAY_OK;
}

/* ------------------------------------------------------------------ numbers */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool skip_digits(scanner *s)
{
    size_t start = s->at;
    while (is_digit(s->text[s->at]))
        s->at++;
    return s->at > start;
}

/* -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)? */
static foray_status scan_number(scanner *s)
{
    size_t start = s->at;
    bool real = false;
    s->at += s->text[s->at] == '-';
    if (s->text[s->at] == '0' && is_digit(s->text[s->at + 1]))
        return refuse(s, s->at, "a number must not begin with 0");
    bool good = skip_digits(s);
    if (good && s->text[s->at] == '.') {
        s->at++;
        good = skip_digits(s);
        real = true;
    }
    if (good && (s->text[s->at] | 0x20) == 'e') {
        s->at++;
        s->at += s->text[s->at] == '+' || s->text[s->at] == '-';
        good = skip_digits(s);
        real = true;
    }
    if (!good)
        return refuse(s, s->at, "a digit is expected");
    double value;
    int64_t integer;
    if (!real && !fy_integer_read(s->text + start, s->at - start, &integer))
        return refuse(s, start, "an integer too big for 64 bits");
    if (real && !fy_number_read(s->text + start, s->at - start, &value))
        return refuse(s, start, "a number that is too large");
    return FORAY_OK;
}

/* ---------------------------------------------------------------- structure */

static bool within_object(const scanner *s)
{
    return s->open != NOWHERE && s->text[s->tree->node[s->open].at] == '{';
}

static uint32_t add_node(scanner *s)
{
    uint32_t node = s->tree->count++;
    s->tree->node[node] = (fy_json_node){.at = (uint32_t)s->at, .end = node + 1};
    return node;
}

static void open_list(scanner *s)
{
    uint32_t node = add_node(s);
    s->tree->node[node].end = s->open;
    s->open = node;
    s->expected = s->text[s->at++] == '{' ? FIRST_KEY : FIRST_VALUE;
}

static void close_list(scanner *s)
{
    fy_json_node *node = s->tree->node + s->open;
    s->open = node->end;
    node->end = s->tree->count;
    s->expected = COMMA;
    s->at++;
}

static foray_status scan_literal(scanner *s)
{
    static const char *const literals[] = {"null", "true", "false"};
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
        size_t length = strlen(literals[i]);
        if (strncmp(s->text + s->at, literals[i], length) == 0) {
            s->at += length;
            return FORAY_OK;
        }
    }
    return refuse(s, s->at, "a value is expected");
}

static foray_status scan_value(scanner *s)
{
    char c = s->text[s->at];
    if (c == ']' && s->expected == FIRST_VALUE) {
        close_list(s);
        return FORAY_OK;
    }
    if (c == '{' || c == '[') {
        open_list(s);
        return FORAY_OK;
    }
    s->expected = COMMA;
    add_node(s);
    return c == '"' ? scan_text(s) : c == '-' || is_digit(c) ? scan_number(s) : scan_literal(s);
}

static void skip_space(scanner *s)
{
    while (s->at < s->size && strchr(" \t\n\r", s->text[s->at]) && s->text[s->at])
        s->at++;
}

/* The key that was scanned last, at `at` in the text, must be the only one of its kind. */
static foray_status check_key(const scanner *s, uint32_t key, size_t at)
{
    const fy_json_node *node = s->tree->node;
    const char *text = s->text + node[key].at + 1;
    int64_t members = 0;
    for (uint32_t other = s->open + 1; other < key; other = node[other + 1].end) {
        if (strcmp(s->text + node[other].at + 1, text) == 0)
            return refuse(s, at, "a duplicate key");
        if (++members == FY_JSON_MEMBERS)
            return refuse(s, at, "an object with too many keys");
    }
    return FORAY_OK;
}

static foray_status scan_key(scanner *s)
{
    size_t start = s->at;
    if (s->text[s->at] == '}' && s->expected == FIRST_KEY) {
        close_list(s);
        return FORAY_OK;
    }
    if (s->text[s->at] != '"')
        return refuse(s, s->at, "a key in quotation marks is expected");
    uint32_t key = add_node(s);
    foray_status status = scan_text(s);
    if (status == FORAY_OK)
        status = check_key(s, key, start);
    if (status < 0)
        return status;
    skip_space(s);
    if (s->text[s->at] != ':')
        return refuse(s, s->at, "a colon is expected");
    s->at++;
    s->expected = VALUE;
    return FORAY_OK;
}

static foray_status scan_comma(scanner *s)
{
    bool object = within_object(s);
    char c = s->text[s->at];
    if (c == (object ? '}' : ']')) {
        close_list(s);
        return FORAY_OK;
    }
    if (c != ',')
        return refuse(s, s->at, object ? "a comma or } is expected" : "a comma or ] is expected");
    s->expected = object ? KEY : VALUE;
    s->at++;
    return FORAY_OK;
}

static foray_status scan_whole(scanner *s)
{
    foray_status status;
    do {
        skip_space(s);
        if (s->expected == COMMA)
            status = scan_comma(s);
        else
            status = s->expected == KEY || s->expected == FIRST_KEY ? scan_key(s) : scan_value(s);
    } while (status == FORAY_OK && (s->open != NOWHERE || s->expected != COMMA));
    if (status < 0)
        return status;
    skip_space(s);
    return s->at == s->size ? FORAY_OK : refuse(s, s->at, "nothing may follow the value");
}

/* At most as many as there are values: each but the outermost comes after one of [ { , : */
static size_t count_values(const char *text, size_t size)
{
    size_t count = 1;
    bool within_text = false;
    for (size_t i = 0; i < size; i++) {
        if (within_text && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            within_text = !within_text;
        else if (!within_text)
            count += text[i] == '[' || text[i] == '{' || text[i] == ',' || text[i] == ':';
    }
    return count;
}

foray_status fy_json_parse(foray_context *ctx, const char *text, size_t size, const char *where,
                           fy_json_tree *out)
{
    fy_json_tree tree = {0};
    scanner s = {.ctx = ctx, .source = text, .where = where, .size = size};
    if (size >= NOWHERE)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: more than 4 GiB of JSON", where);
    foray_status status = fy_text_mark(ctx, where, text, size, &s.at);
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(ctx, tree.text, size + 1) ||
        !FY_ALLOC(ctx, tree.node, count_values(text, size))) {
        fy_json_free(&tree);
        return fy_fail_within(ctx, FORAY_ERROR_MEMORY, "%s", where);
    }
    memcpy(tree.text, text, size);
    s.tree = &tree;
    s.text = tree.text;
    s.open = NOWHERE;
    s.expected = VALUE;
    status = scan_whole(&s);
    if (status < 0)
        fy_json_free(&tree);
    else
        *out = tree;
    return status;
}

void fy_json_free(fy_json_tree *tree)
{
    free(tree->text);
    free(tree->node);
    *tree = (fy_json_tree){0};
}

/* ----------------------------------------------------------------------------- values */

/* What a JSON text that was taken to pieces says, and strings as JSON.
 *
 * The first character of a value tells its kind, and numbers are read where they stand: beside
 * the text a tree has nothing but the shape. */

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
        int32_t code = fy_character(text, &size);
        writer->failed |= code < 0;
        if (code == '"' || code == '\\' || (code >= 0 && fy_character_hidden(code)))
            put_escaped(writer, (uint32_t)code);
        else
            fy_write_bytes(writer, text, (size_t)size);
    }
    fy_write_bytes(writer, "\"", 1);
}

/* -------------------------------------------------------------------------- documents */

/* Reading and writing the JSON that models, rewards and policies share. */

/* ------------------------------------------------------------------ reading */

static bool is_among(const char *key, const char *const *keys)
{
    while (*keys && strcmp(key, *keys) != 0)
        keys++;
    return *keys != NULL;
}

foray_status fy_document_keys(foray_context *ctx, fy_json object, const char *name,
                              const char *const *keys)
{
    if (fy_json_kind_of(object) != FY_JSON_OBJECT)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: an object is expected", name);
    for (fy_json key = fy_json_first(object); key.tree;) {
        if (!is_among(fy_json_text(key), keys))
            return fy_fail(ctx, FORAY_ERROR_INPUT, "unknown key \"%s\" in %s", fy_json_text(key),
                           name);
        key = fy_json_next(object, fy_json_next(object, key));
    }
    return FORAY_OK;
}

/* "format" and "version" first: a file of another kind should be told so, not be taken
 * to pieces. */
static foray_status check_root(foray_context *ctx, fy_json root, const char *format,
                               const char *const *keys)
{
    fy_json found = fy_json_member(root, "format"), version = fy_json_member(root, "version");
    if (fy_json_kind_of(root) != FY_JSON_OBJECT)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "an object is expected");
    if (fy_json_kind_of(found) != FY_JSON_TEXT || strcmp(fy_json_text(found), format) != 0)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "format: \"%s\" is expected", format);
    if (fy_json_kind_of(version) != FY_JSON_INTEGER)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "version: an integer is expected");
    int64_t number = fy_json_integer(version);
    if (number != 1)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "version %" PRId64 ", but this Foray reads version 1", number);
    return fy_document_keys(ctx, root, format, keys);
}

static foray_status check_size(foray_context *ctx, size_t size, const char *where)
{
    if (size <= FY_DOCUMENT_LIMIT)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: more than %zu MiB of JSON", where,
                   FY_DOCUMENT_LIMIT >> 20);
}

static foray_status parse(foray_context *ctx, const char *text, size_t size, const char *where,
                          const char *format, const char *const *keys, fy_json_tree *out)
{
    fy_json_tree tree;
    foray_status status = fy_json_parse(ctx, text, size, where, &tree);
    if (status != FORAY_OK)
        return status;
    status = check_root(ctx, fy_json_root(&tree), format, keys);
    if (status != FORAY_OK) {
        fy_json_free(&tree);
        return fy_fail_within(ctx, status, "%s", where);
    }
    *out = tree;
    return FORAY_OK;
}

foray_status fy_document_parse(foray_context *ctx, const char *text, size_t size, const char *where,
                               const char *format, const char *const *keys, fy_json_tree *out)
{
    foray_status status = check_size(ctx, size, where);
    return status == FORAY_OK ? parse(ctx, text, size, where, format, keys, out) : status;
}

foray_status fy_document_parse_large(foray_context *ctx, const char *text, size_t size,
                                     const char *where, const char *format, const char *const *keys,
                                     fy_json_tree *out)
{
    return parse(ctx, text, size, where, format, keys, out);
}

/* Strings are decoded where they lie, so that values begin where they do in the text. */
int64_t fy_document_line(const char *text, fy_json value)
{
    int64_t line = 1;
    for (uint32_t i = 0; i < value.tree->node[value.node].at; i++)
        line += text[i] == '\n';
    return line;
}

foray_status fy_document_real(foray_context *ctx, fy_json object, const char *key, double min,
                              double max, double *out)
{
    fy_json member = fy_json_member(object, key);
    if (!fy_json_is_number(member))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: a number is expected", key);
    double value = fy_json_real(member);
    if (!(value >= min && value <= max))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: %g is not between %g and %g", key, value, min,
                       max);
    *out = value;
    return FORAY_OK;
}

foray_status fy_document_integer(foray_context *ctx, fy_json object, const char *key, int64_t min,
                                 int64_t max, int64_t *out)
{
    fy_json member = fy_json_member(object, key);
    if (fy_json_kind_of(member) != FY_JSON_INTEGER)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: an integer is expected", key);
    int64_t value = fy_json_integer(member);
    if (value < min || value > max)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "%s: %" PRId64 " is not between %" PRId64 " and %" PRId64, key, value, min,
                       max);
    *out = value;
    return FORAY_OK;
}

foray_status fy_document_choice(foray_context *ctx, fy_json object, const char *key,
                                const char *const *choices, int *out)
{
    fy_json member = fy_json_member(object, key);
    if (fy_json_kind_of(member) != FY_JSON_TEXT)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: a text is expected", key);
    for (int i = 0; choices[i]; i++) {
        if (strcmp(fy_json_text(member), choices[i]) == 0) {
            *out = i;
            return FORAY_OK;
        }
    }
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: \"%s\" is not one of its values", key,
                   fy_json_text(member));
}

/* ------------------------------------------------------------------ writing */

void fy_document_put_real(fy_writer *writer, double value)
{
    char text[FY_NUMBER_BYTES];
    fy_number_text(value, text);
    if (isfinite(value))
        fy_write_bytes(writer, text, strlen(text));
    else
        writer->failed = true;
}
