/* test_parameters.c - the one reader of numbers, against the C library's, and the one reader
 * of parameters. */
#include "base/parameter.h"
#include "support.h"
#include "base/base.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------- numbers */

/* The oracle: glibc's strtod is correctly rounded, and reads all that we read. */
static void compare(const char *text)
{
    double value = NAN, expected = strtod(text, NULL);
    if (isinf(expected)) {
        assert_false(fy_number_read(text, strlen(text), &value));
        return;
    }
    assert_true(fy_number_read(text, strlen(text), &value));
    if (memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("%s: %a, but it is %a", text, value, expected);
}

static void known_hard_numbers_are_rounded_right(void **state)
{
    (void)state;
    static const char *const text[] = {
        "0",
        "-0",
        "-0.0e5",
        "1",
        "-1.5",
        "+2",
        ".5",
        "5.",
        "0.1",
        "123456789012345678",
        "9007199254740993",     /* 2^53 + 1: a tie */
        "9007199254740992.999", /* just below it */
        "9007199254740993.00000000000000000000000000000000000001",
        "1e22",
        "1e23", /* the first power of ten that is not a double */
        "8.5e22",
        "1.7976931348623157e308",  /* the largest */
        "1.79769313486231580e308", /* rounds down to it */
        "1.797693134862315808e308",
        "1.7976931348623159e308", /* too large */
        "1e309",
        "1e-400",
        "2.2250738585072014e-308", /* the least normal */
        "2.2250738585072011e-308", /* made other readers loop forever */
        "2.2250738585072012e-308",
        "4.9406564584124654e-324", /* the least */
        "2.4703282292062327e-324", /* half of it, and a little less */
        "2.4703282292062328e-324", /* and a little more */
        "7.4109846876186981626485318930233205854758970392148714663837852375101326e-324",
        "1e999999999999999999999",
        "1e-999999999999999999999",
        "0e999999999999999999999",
        "179769313486231570000000000000000000000000000000000000000000000000000000000000000000000e"
        "222",
        "6.9294956446009195e15",
        "3.14159265358979323846264338327950288419716939937510582097494459",
        "0.500000000000000166533453693773481063544750213623046875", /* a tie, exactly */
        "0.500000000000000166533453693773481063544750213623046876",
        "3.518437208883201171875e13",
        "62.5364939768271845828",
        "8.10109172351e-10",
        "1.50000000000000011102230246251565",
        "8.98846567431158e307",
        "1.2345678901234567e-300",
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        compare(text[i]);
}

static uint64_t bits_of(uint64_t i, uint32_t which)
{
    return fy_random_bits(7, FY_STREAM_TEST, i, 0, which);
}

/* Doubles of all sizes printed with 1 to 25 digits, and the middles between neighbours. */
static void random_numbers_are_rounded_right(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 60000; i++) {
        uint64_t bits = bits_of(i, 0);
        double value;
        char text[1200];
        memcpy(&value, &bits, sizeof value);
        if (i % 3 == 0) /* of the size that users write */
            value = (fy_unit(bits) - 0.5) * pow(10, (double)(bits_of(i, 1) % 12) - 4);
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, "%.*e", (int)(bits_of(i, 1) % 25), value);
        compare(text);
        if (i % 50 == 0) { /* every digit of the middle, which goes to the even neighbour */
            long double middle = ((long double)value + (long double)nextafter(value, 0)) / 2;
            snprintf(text, sizeof text, "%.1100Lg", middle);
            compare(text);
        }
    }
}

static void digits_beyond_the_eight_hundredth_count(void **state)
{
    (void)state;
    char text[3000];
    /* 2^53 + 1 is a tie, which a 1 far behind the point breaks. */
    snprintf(text, sizeof text, "9007199254740993.%02000d", 0);
    compare(text);
    text[strlen(text) - 1] = '1';
    compare(text);
    double value;
    assert_true(fy_number_read(text, strlen(text), &value) && value == 9007199254740994.0);
    memset(text, '9', sizeof text - 1);
    text[0] = '0', text[1] = '.', text[sizeof text - 1] = 0;
    compare(text);
}

static void what_is_not_a_number_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",   "-",    "+",    ".",    "-.",   "e5",   ".e5",      "1e",   "1e+",  " 1",     "1 ",
        "1x", "0x10", "nan",  "NAN",  "INF",  "in",   "infinity", "--1",  "+-1",  "1,5",    "1.2.3",
        "_1", "1_",   "1__0", "1_.5", "1._5", "1e_5", "1e1_0",    "1e5.", "1.5f", "1e1000", "١"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = 7;
        int64_t whole = 7;
        if (fy_number_read(bad[i], strlen(bad[i]), &value) ||
            fy_integer_read(bad[i], strlen(bad[i]), &whole))
            fail_msg("\"%s\" is read as a number", bad[i]);
        assert_true(value == 7 && whole == 7);
    }
}

static void whole_numbers_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"-0", 0},
                {"007", 7},
                {"+3", 3},
                {"1e5", 100000},
                {"1.5e3", 1500},
                {"20.0", 20},
                {"200_000", 200000},
                {"1_2_3", 123},
                {"1_000.000_0e3", 1000000},
                {"9007199254740993", 9007199254740993},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775807", -INT64_MAX},
                {"0.0000000001e10", 1},
                {"0e99", 0}};
    static const char *const bad[] = {
        "1.5",  "1e-1", "9223372036854775808", "1e19", "99999999999999999999", "inf",
        "-inf", "1e300"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t value = -1;
        assert_true(fy_integer_read(good[i].text, strlen(good[i].text), &value));
        assert_true(value == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t value;
        if (fy_integer_read(bad[i], strlen(bad[i]), &value))
            fail_msg("\"%s\" is read as %lld", bad[i], (long long)value);
    }
}

/* Everything that is written is read back, and underscores change nothing. */
static void what_is_written_is_read_back(void **state)
{
    (void)state;
    char text[FY_NUMBER_BYTES];
    double value, back;
    for (uint64_t i = 0; i < 50000; i++) {
        uint64_t bits = bits_of(i, 2);
        memcpy(&value, &bits, sizeof value);
        if (!isnan(value))
            assert_true(fy_number_read(fy_number_text(value, text),
                                       strlen(fy_number_text(value, text)), &back) &&
                        back == value);
    }
    assert_true(fy_number_read("-inf", strlen("-inf"), &back) && back == -INFINITY);
    assert_true(fy_number_read("1_0.2_5e-1", strlen("1_0.2_5e-1"), &back) && back == 1.025);
}

/* --------------------------------------------------------------------- parameters */

static const foray_parameter rows[] = {
    FY_INTEGER("rows", "3", 1, 64, "how many rows"),
    FY_REAL("a_share", "0.5", 0, 1, "a share"),
    FY_CHOICE("colour", "red", "red|green|light-blue", "a colour"),
    FY_INTEGER("seed", "1", 0, 0x1p63, "a seed"),
    FY_REAL("length", "2", 0.5, 1e300, "a length"),
    {.name = "title", .kind = FORAY_TEXT, .fallback = "", .help = "a title"},
};
enum { ROWS, SHARE, COLOUR, SEED, LENGTH, TITLE, COUNT };

static void ranges_are_told(void **state)
{
    (void)state;
    static const char *const range[COUNT] = {"1 to 64",    "0 to 1",       "red|green|light-blue",
                                             "at least 0", "at least 0.5", "text"};
    for (int i = 0; i < COUNT; i++) {
        char text[64];
        fy_parameter_range(&rows[i], text, sizeof text);
        assert_string_equal(text, range[i]);
    }
}

static void values_are_read_and_written(void **state)
{
    foray_context *ctx = *state;
    static const struct {
        int row;
        const char *text, *back;
    } good[] = {{ROWS, "64", "64"},
                {ROWS, "1e1", "10"},
                {SHARE, "0.1", "0.1"},
                {SHARE, "1", "1"},
                {COLOUR, "red", "red"},
                {COLOUR, "light-blue", "light-blue"},
                {SEED, "9223372036854775807", "9223372036854775807"},
                {LENGTH, "1e300", "1e+300"},
                {TITLE, "anything, even = this", ""}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const foray_parameter *row = &rows[good[i].row];
        foray_parameter_value value;
        char text[64];
        assert_int_equal(fy_parameter_read(ctx, row, good[i].text, strlen(good[i].text), &value),
                         FORAY_OK);
        fy_parameter_print(row, value, text, sizeof text);
        assert_string_equal(text, good[i].back);
    }
}

static void bad_values_are_explained(void **state)
{
    foray_context *ctx = *state;
    static const struct {
        int row;
        const char *text, *message;
    } bad[] = {
        {ROWS, "0", "rows=0, but it must be an integer from 1 to 64"},
        {ROWS, "65", "rows=65, but it must be an integer from 1 to 64"},
        {ROWS, "2.5", "rows=2.5, but it must be an integer from 1 to 64"},
        {ROWS, "", "rows=, but it must be an integer from 1 to 64"},
        {SHARE, "1.0000000000000002", "but it must be a number from 0 to 1"},
        {SHARE, "-0.1", "a_share=-0.1, but it must be a number from 0 to 1"},
        {SHARE, "nan", "a_share=nan, but it must be a number from 0 to 1"},
        {COLOUR, "blue", "colour=blue, but it must be one of red|green|light-blue"},
        {COLOUR, "red|green", "colour=red|green, but it must be one of"},
        {COLOUR, "", "colour=, but it must be one of"},
        {SEED, "-1", "seed=-1, but it must be an integer of at least 0"},
        {SEED, "9223372036854775808", "but it must be an integer of at least 0"},
        {LENGTH, "inf", "length=inf, but it must be a number of at least 0.5"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        foray_parameter_value value = {-7, -7};
        support_refused(
            ctx,
            fy_parameter_read(ctx, &rows[bad[i].row], bad[i].text, strlen(bad[i].text), &value),
            FORAY_ERROR_USAGE, bad[i].message);
        assert_true(value.integer == -7 && value.real == -7);
    }
}

static void assignments_fill_a_table(void **state)
{
    foray_context *ctx = *state;
    foray_parameter_value value[COUNT];
    const char *text = "colour=green,a-share=0.25]and more";
    size_t length = strcspn(text, "]");
    assert_int_equal(fy_parameters_read(ctx, "box", rows, COUNT, text, length, value), FORAY_OK);
    assert_true(value[ROWS].integer == 3 && value[ROWS].real == 3 && value[COLOUR].integer == 1);
    assert_true(value[SHARE].real == 0.25 && value[LENGTH].real == 2);
    assert_int_equal(fy_parameters_read(ctx, "box", rows, COUNT, NULL, 0, value), FORAY_OK);
    assert_true(value[SHARE].real == 0.5);
    static const char *const bad[][2] = {
        {"", "box: \"\" should read key=value"},
        {"rows", "box: \"rows\" should read key=value"},
        {"rows=1,", "box: \"\" should read key=value"},
        {"rows=1,rows=1", "box: rows is given twice"},
        {"row=1", "box: no parameter is called \"row\"; there are rows, a_share, colour"},
        {"rowss=1", "box: no parameter is called \"rowss\""},
        {"rows=0", "box: rows=0, but it must be an integer from 1 to 64"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        support_refused(
            ctx, fy_parameters_read(ctx, "box", rows, COUNT, bad[i][0], strlen(bad[i][0]), value),
            FORAY_ERROR_USAGE, bad[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_hard_numbers_are_rounded_right),
        cmocka_unit_test(random_numbers_are_rounded_right),
        cmocka_unit_test(digits_beyond_the_eight_hundredth_count),
        cmocka_unit_test(what_is_not_a_number_is_refused),
        cmocka_unit_test(whole_numbers_are_exact),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(ranges_are_told),
        support_test(values_are_read_and_written),
        support_test(bad_values_are_explained),
        support_test(assignments_fill_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
