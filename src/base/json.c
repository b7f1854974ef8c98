/* json.c - takes a JSON text to pieces.
 *
 * The text is scanned once, from left to right, and every value becomes a node in the order
 * in which values begin. An open array or object keeps in `end` the node of the one around it,
 * so that no depth of nesting costs anything; when it closes, `end` becomes what it is to be. */
#include "base/json.h"
#include "base/parameter.h"

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
        if (foray_character(text, &size) < 0)
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
        if (foray_character(s->text + s->at, &size) < 0)
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
        return refuse(s, start, "a whole number too big for 64 bits");
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
