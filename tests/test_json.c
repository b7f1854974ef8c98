/* test_json.c - JSON taken to pieces, compared with jansson; decimal numbers with strtod. */
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/parameter.h"
#include "oracle_json.h"
#include "support.h"
#include "base/base.h"

static void agree(foray_context *ctx, const char *text, size_t size)
{
    if (!oracle_json_agrees(ctx, text, size))
        fail_msg("jansson does not agree about %.*s (%s)", (int)size, text, foray_message(ctx));
}

/* ------------------------------------------------------------------ reading */

static const char *const texts[] = {
    "{}",
    "[]",
    " [ ] ",
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1e5",
    "\"\"",
    "\"a\"",
    "",
    " ",
    "[1,2,[3,{\"a\":[]}],{}]",
    "{\"a\":1,\"b\":{\"a\":[null,true,false]}}",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1",
    "{",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{,}",
    "{a:1}",
    "{\"a\":1,\"a\":2}",
    "{\"a\":{\"a\":1},\"\":0}",
    "{\"a\\u0062\":1,\"ab\":2}",
    "[}",
    "{]",
    "[]]",
    "nul",
    "nulll",
    "tru",
    "True",
    "NaN",
    "[Infinity]",
    "01",
    "-",
    "-a",
    "+1",
    ".5",
    "1.",
    "1.e5",
    "1e",
    "1e+",
    "1.5E-3",
    "-1.5e+3",
    "0.0",
    "-0.0",
    "1e400",
    "-1e400",
    "1e-400",
    "1e99999999999999999999",
    "0e99999999999999999999",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    "\"\\x\"",
    "\"\\u00e9\\u20AC\\uD83D\\uDE00\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\\udc00\"",
    "\"\\ud800\\u0041\"",
    "\"\\ud800\\ud800\"",
    "\"\\u12g4\"",
    "\"\\u12",
    "\"a",
    "\"\\",
    "\"\x01\"",
    "\"\x7f\"",
    "\"\xc3\xa9\"",
    "\"\xc3\"",
    "\"\xa9\"",
    "\"\xc0\x80\"",
    "\"\xe0\x80\x80\"",
    "\"\xed\xa0\x80\"",
    "\"\xf0\x9f\x98\x80\"",
    "\"\xf0\x80\x80\x80\"",
    "\"\xf4\x90\x80\x80\"",
    "\"\xf8\x88\x80\x80\x80\"",
    "\"\xff\"",
    "[\v1]",
    "[1]\n\t\r ",
    "// []",
    "['a']",
    "{\"a\" : [ 1 , 2 ] , \"b\" : { } }",
    "[\"a\"\"b\"]",
    "[1e5,1E5,1e-5,10000000000000000]",
};

static void known_texts_read_as_jansson_reads_them(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        agree(ctx, texts[i], strlen(texts[i]));
    agree(ctx, "[\"a\0b\"]", 7);
    agree(ctx, "[1\0]", 4);
    foray_context_destroy(ctx);
}

/* Texts that are nearly right: every kind of token, with some bytes changed, lost or doubled. */
static void damaged_texts_read_as_jansson_reads_them(void **state)
{
    (void)state;
    static const char whole[] =
        "{\"format\":\"x\\u00e9\\n\",\"version\":1,\"list\":[[0,null,-1,0.25],[1e-7,true,{\"a\":"
        "\"\xc3\xa9\",\"b\":[]}],-0.0],\"last\":false}";
    foray_context *ctx = foray_context_create();
    support_random random = {.seed = 5};
    for (int trial = 0; trial < 20000; trial++) {
        char text[sizeof whole + 8];
        size_t size = sizeof whole - 1;
        memcpy(text, whole, sizeof whole);
        for (int64_t edits = 1 + support_below(&random, 3); edits > 0; edits--) {
            size_t at = (size_t)support_below(&random, (int64_t)size);
            int64_t kind = support_below(&random, 3);
            if (kind == 0) {
                text[at] = whole[support_below(&random, sizeof whole - 1)];
            } else if (kind == 1) {
                memmove(text + at, text + at + 1, size - at - 1);
                size--;
            } else {
                memmove(text + at + 1, text + at, size - at);
                size++;
            }
        }
        agree(ctx, text, size);
    }
    foray_context_destroy(ctx);
}

/* Jansson refuses a mark of UTF-8; some editors write one. */
static void a_mark_is_passed_over(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    fy_json_tree tree;
    support_ok(ctx, fy_json_parse(ctx, "\xef\xbb\xbf[1]", 6, "f", &tree));
    assert_int_equal(fy_json_size(fy_json_root(&tree)), 1);
    fy_json_free(&tree);
    assert_int_equal(fy_json_parse(ctx, "\xff\xfe[\0]", 6, "f", &tree), FORAY_ERROR_INPUT);
    assert_string_equal(foray_message(ctx), "f: this is text in UTF-16 (save it as UTF-8)");
    foray_context_destroy(ctx);
}

static void messages_name_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {{"", "f:1:1: the text ends too early"},
                 {"{\n  \"a\": 1\n  \"b\": 2}", "f:3:3: a comma or } is expected near \"b\""},
                 {"[1,\n2;3]", "f:2:2: a comma or ] is expected near ;3"},
                 {"[\"\xc3\xa9\xc3\xa9\", x]", "f:1:8: a value is expected near x"},
                 {"{\"a\\n\":1,\n\"a\\n\":2}", "f:2:1: a duplicate key near \"a\\n\""},
                 {"{1:2}", "f:1:2: a key in quotation marks is expected near 1"},
                 {"{\"a\" 1}", "f:1:6: a colon is expected near 1"},
                 {"[1] 2", "f:1:5: nothing may follow the value near 2"},
                 {"[1, 1e999]", "f:1:5: a number that is too large near 1e999"},
                 {"[01]", "f:1:2: a number must not begin with 0 near 01"},
                 {"[99999999999999999999]",
                  "f:1:2: an integer too big for 64 bits near 99999999999999999999"},
                 {"[\"\\q\"]", "f:1:4: not a JSON escape sequence near q\""},
                 {"[\"\xff\"]", "f:1:3: not UTF-8 text"},
                 {"[\"a", "f:1:4: the text ends too early"}};
    foray_context *ctx = foray_context_create();
    fy_json_tree tree;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(fy_json_parse(ctx, cases[i].text, strlen(cases[i].text), "f", &tree),
                         FORAY_ERROR_INPUT);
        assert_string_equal(foray_message(ctx), cases[i].message);
    }
    foray_context_destroy(ctx);
}

/* No stack and no quadratic time, however deep or wide; 8 bytes for a value. */
static void depth_and_width_cost_little(void **state)
{
    (void)state;
    enum { DEEP = 1000000 };
    foray_context *ctx = foray_context_create();
    fy_json_tree tree;
    char *text = malloc(2 * DEEP + 1);
    memset(text, '[', DEEP);
    memset(text + DEEP, ']', DEEP);
    support_ok(ctx, fy_json_parse(ctx, text, 2 * DEEP, "deep", &tree));
    assert_int_equal(tree.count, DEEP);
    assert_int_equal(fy_json_size(fy_json_root(&tree)), 1);
    fy_json_free(&tree);
    assert_int_equal(fy_json_parse(ctx, text, 2 * DEEP - 1, "deep", &tree), FORAY_ERROR_INPUT);
    for (int i = 0; i < DEEP; i++)
        memcpy(text + 2 * i, i == 0 ? "[1" : ",1", 2);
    text[2 * DEEP] = ']';
    support_ok(ctx, fy_json_parse(ctx, text, 2 * DEEP + 1, "wide", &tree));
    assert_int_equal(tree.count, DEEP + 1);
    assert_int_equal(fy_json_size(fy_json_root(&tree)), DEEP);
    assert_int_equal(sizeof *tree.node, 8);
    fy_json_free(&tree);
    free(text);
    foray_context_destroy(ctx);
}

static void an_object_has_a_most_of_keys(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    char text[2048] = "{";
    size_t size = 1;
    fy_json_tree tree;
    for (int i = 0; i <= FY_JSON_MEMBERS; i++) {
        size += (size_t)sprintf(text + size, "%s\"k%d\":%d", i ? "," : "", i, i);
        strcpy(text + size, "}");
        foray_status status = fy_json_parse(ctx, text, size + 1, "keys", &tree);
        assert_int_equal(status, i < FY_JSON_MEMBERS ? FORAY_OK : FORAY_ERROR_INPUT);
        if (status == FORAY_OK) {
            assert_int_equal(fy_json_integer(fy_json_member(fy_json_root(&tree), "k0")), 0);
            fy_json_free(&tree);
        }
    }
    foray_context_destroy(ctx);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    fy_json_tree tree;
    for (int allowed = 0; allowed < 3; allowed++) {
        ctx->allocations_left = allowed;
        foray_status status = fy_json_parse(ctx, "[1]", 3, "f", &tree);
        assert_int_equal(status, allowed < 2 ? FORAY_ERROR_MEMORY : FORAY_OK);
    }
    fy_json_free(&tree);
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------------ numbers */

static void same_as_strtod(const char *text)
{
    double ours = 0, theirs = strtod(text, NULL);
    bool finite = fy_number_read(text, strlen(text), &ours);
    assert_int_equal(finite, isfinite(theirs) != 0);
    if (finite && memcmp(&ours, &theirs, sizeof ours) != 0)
        fail_msg("%s reads as %.17g, not %.17g", text, ours, theirs);
}

static void decimals_are_rounded_correctly(void **state)
{
    (void)state;
    static const char *const hard[] = {"0",
                                       "-0.0",
                                       "0.000",
                                       "1e23",
                                       "8.5e22",
                                       "9007199254740993",
                                       "9007199254740992.5",
                                       "179769313486231580793e289",
                                       "1.7976931348623158e308",
                                       "1.7976931348623159e308",
                                       "2.2250738585072011e-308",
                                       "4.9406564584124654e-324",
                                       "2.4703282292062327e-324",
                                       "2.4703282292062328e-324",
                                       "1e-1000000000000",
                                       "1e1000000000000",
                                       "-123.456e-7",
                                       "0.1000000000000000055511151231257827",
                                       "123456789012345678901234567890"};
    support_random random = {.seed = 9};
    char text[2000];
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++)
        same_as_strtod(hard[i]);
    for (int trial = 0; trial < 200000; trial++) {
        char digits[32];
        snprintf(digits, sizeof digits, "%.*f", (int)support_below(&random, 18),
                 support_uniform(&random) * pow(10, (double)support_below(&random, 8)));
        if (trial % 3)
            same_as_strtod(digits);
        snprintf(text, sizeof text, "%s%se%d", trial % 2 ? "-" : "", digits,
                 (int)support_below(&random, 700) - 350);
        same_as_strtod(text);
    }
}

/* Half way between two doubles, to the last digit, and a hair above and below. */
static void ties_are_rounded_correctly(void **state)
{
    (void)state;
    support_random random = {.seed = 10};
    char text[2000];
    for (int trial = 0; trial < 2000; trial++) {
        double low = ldexp(support_uniform(&random), (int)support_below(&random, 2000) - 1060);
        double high = nextafter(low, INFINITY);
        long double middle = ((long double)low + high) / 2;
        int size = snprintf(text, sizeof text, "%.1100Lf", middle);
        if (LDBL_MANT_DIG <= DBL_MANT_DIG || size >= (int)sizeof text - 2)
            continue;
        same_as_strtod(text);
        strcpy(text + size, "1");
        same_as_strtod(text);
        text[size] = 0;
        text[strspn(text, "-0.")] -= 1;
        same_as_strtod(text);
    }
}

/* ------------------------------------------------------------------ writing */

static void strings_are_written_as_jansson_writes_them(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    support_random random = {.seed = 11};
    static const char *const pieces[] = {"a",    "\"",   "\\",           "/",   "\n",
                                         "\x01", "\x1f", "\t",           "\b",  "\xc3\xa9",
                                         "\f",   "\r",   "\xe2\x82\xac", "\xff"};
    for (int trial = 0; trial < 3000; trial++) {
        char text[64] = "";
        for (int64_t count = support_below(&random, 8); count > 0; count--)
            strcat(text, pieces[support_below(&random, sizeof pieces / sizeof *pieces)]);
        fy_writer writer = {.ctx = ctx};
        fy_json_put_text(&writer, text);
        json_t *value = json_string(text);
        char *expected = json_dumps(value, JSON_ENCODE_ANY);
        assert_int_equal(writer.failed, expected == NULL);
        assert_int_equal(fy_json_is_utf8(text), expected != NULL);
        if (expected) {
            assert_int_equal(writer.size, strlen(expected));
            assert_memory_equal(writer.data, expected, writer.size);
            agree(ctx, expected, strlen(expected));
        }
        free(writer.data);
        free(expected);
        json_decref(value);
    }
    foray_context_destroy(ctx);
}

/* What is obeyed instead of shown, which jansson writes as it is: every character of every plane is
 * escaped if it is, and reads back as it was. */
static void hidden_characters_are_escaped(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    for (uint32_t code = 1; code <= 0x10FFFF;
         code += code < 0x30000 || code >= 0xE0000 ? 1 : 4099) {
        char source[40], high[8] = "";
        int size;
        if (code >= 0xD800 && code <= 0xDFFF)
            continue;
        if (code >= 0x10000)
            snprintf(high, sizeof high, "\\u%04x", 0xD800 + ((code - 0x10000) >> 10));
        snprintf(source, sizeof source, "\"%s\\u%04x\"", high,
                 code < 0x10000 ? code : 0xDC00 + (code & 0x3FF));
        json_t *value = json_loads(source, JSON_DECODE_ANY, NULL);
        const char *text = json_string_value(value);
        fy_writer writer = {.ctx = ctx};
        fy_json_put_text(&writer, text);
        assert_int_equal(fy_character(text, &size), code);
        assert_int_equal(size, strlen(text));
        bool escaped = writer.data[1] == '\\';
        assert_int_equal(escaped,
                         fy_character_hidden((int32_t)code) || code == '"' || code == '\\');
        json_t *again = json_loadb((char *)writer.data, writer.size, JSON_DECODE_ANY, NULL);
        assert_true(json_equal(value, again));
        agree(ctx, (char *)writer.data, writer.size);
        json_decref(value);
        json_decref(again);
        free(writer.data);
    }
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts_read_as_jansson_reads_them),
        cmocka_unit_test(damaged_texts_read_as_jansson_reads_them),
        cmocka_unit_test(a_mark_is_passed_over),
        cmocka_unit_test(messages_name_line_and_column),
        cmocka_unit_test(depth_and_width_cost_little),
        cmocka_unit_test(an_object_has_a_most_of_keys),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(decimals_are_rounded_correctly),
        cmocka_unit_test(ties_are_rounded_correctly),
        cmocka_unit_test(strings_are_written_as_jansson_writes_them),
        cmocka_unit_test(hidden_characters_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
