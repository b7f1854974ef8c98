/* test_svg.c - charts, axes, tables and escaping: well-formed whatever is in them. */
#include "draw/axis.h"
#include "page/page.h"
#include "draw/table.h"
#include "support.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- a slow and strict reader of XML */

typedef struct reader {
    const char *at;
    char open[64][32]; /* elements under way */
    int depth;
} reader;

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == ':' || c == '_';
}

static void read_entity(reader *r)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(r->at, known[i], strlen(known[i])) == 0) {
            r->at += strlen(known[i]);
            return;
        }
    fail_msg("no entity: %.20s", r->at);
}

/* Text up to `end`, without raw < and with known entities only. */
static void read_text(reader *r, char end)
{
    while (*r->at && *r->at != end) {
        assert_true(*r->at != '<' && (unsigned char)*r->at >= 0x09);
        if (*r->at == '&')
            read_entity(r);
        else
            r->at++;
    }
}

static void read_attributes(reader *r)
{
    while (isspace((unsigned char)*r->at)) {
        while (isspace((unsigned char)*r->at))
            r->at++;
        const char *name = r->at;
        while (is_name(*r->at))
            r->at++;
        assert_true(r->at > name && r->at[0] == '=' && r->at[1] == '"');
        r->at += 2;
        read_text(r, '"');
        assert_int_equal(*r->at, '"');
        r->at++;
    }
}

static void read_tag(reader *r)
{
    char name[32] = "";
    bool closing = r->at[1] == '/';
    r->at += 1 + closing;
    for (int i = 0; is_name(*r->at) && i < 31; i++)
        name[i] = *r->at++;
    assert_true(name[0] != 0);
    if (closing) {
        assert_true(r->depth > 0);
        assert_string_equal(r->open[--r->depth], name);
    } else {
        read_attributes(r);
        bool single = *r->at == '/';
        r->at += single;
        assert_true(r->depth < 64);
        if (!single)
            strcpy(r->open[r->depth++], name);
    }
    assert_int_equal(*r->at, '>');
    r->at++;
}

static void assert_well_formed(const char *text)
{
    reader r = {.at = text};
    do {
        if (*r.at == '<')
            read_tag(&r);
        else
            read_text(&r, '<');
        assert_true(r.depth > 0 || !r.at[strspn(r.at, " \n")]);
    } while (r.depth > 0);
}

/* ------------------------------------------------------------------------- charts */

static char *drawn(foray_context *ctx, const fy_chart *chart)
{
    fy_writer text = {.ctx = ctx};
    fy_svg_chart(&text, chart);
    fy_write_bytes(&text, "", 1);
    assert_false(text.failed);
    char *svg = (char *)text.data;
    assert_well_formed(svg);
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    return svg;
}

static int64_t occurrences(const char *text, const char *what)
{
    int64_t count = 0;
    for (; (text = strstr(text, what)); text++)
        count++;
    return count;
}

enum { MAX_POINTS = 8 };

/* A series of these numbers, its points in `room`; low and high NULL: no band. */
static fy_series series_of(const char *name, int64_t count, const double *x, const double *y,
                           const double *low, const double *high, fy_series_point room[MAX_POINTS])
{
    for (int64_t i = 0; i < count; i++)
        room[i] = (fy_series_point){x[i], y[i], low ? low[i] : NAN, high ? high[i] : NAN};
    return (fy_series){.name = name, .count = count, .point = room};
}

static fy_chart chart_of(int64_t count, fy_series *series, fy_axis_kind x_kind, fy_axis_kind y_kind)
{
    return (fy_chart){.id = "test",
                      .title = "A title",
                      .x = {.label = "episodes", .kind = x_kind},
                      .y = {.label = "gap", .kind = y_kind, .from_zero = true},
                      .count = count,
                      .series = series};
}

static void a_plain_chart(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const double x[] = {1, 10, 100, 1000}, y[] = {1, 0.1, 0.02, 0.001};
    const double low[] = {0.5, 0.05, 0.01, 0.0005}, high[] = {2, 0.2, 0.04, 0.002};
    fy_series_point room[2][MAX_POINTS];
    fy_series series[] = {series_of("one", 4, x, y, low, high, room[0]),
                          series_of("two", 4, x, high, NULL, NULL, room[1])};
    fy_chart chart = chart_of(2, series, FY_AXIS_LOG, FY_AXIS_LOG);
    char *svg = drawn(ctx, &chart);
    assert_int_equal(occurrences(svg, "<polyline"), 2);
    assert_int_equal(occurrences(svg, "<polygon"), 1);
    /* Four points of each, and one in the legend. */
    assert_int_equal(occurrences(svg, "class=\"mark\""), 10);
    assert_int_equal(occurrences(svg, ">one</text>"), 1);
    assert_int_equal(occurrences(svg, ">1,000</text>"), 1);
    assert_int_equal(occurrences(svg, ">0.01</text>"), 1);
    assert_int_equal(occurrences(svg, "prefers-color-scheme:dark"), 1);
    free(svg);
    foray_context_destroy(ctx);
}

/* Whatever the numbers are, every kind of axis copes. */
static void odd_numbers(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const double x[] = {1, 2, 3, 4, 5, 6}, odd[] = {INFINITY, 1e-300, NAN, 0.0, -3.0, 1e300};
    const double same[] = {7, 7, 7, 7, 7, 7}, none[] = {NAN, NAN, NAN, NAN, NAN, NAN};
    const double zero[] = {0, 0, 0, 0, 0, 0};
    const double *const rows[] = {odd, same, none, zero, x};
    for (int kinds = 0; kinds < 4; kinds++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            for (int64_t count = 0; count <= 6; count++) {
                fy_series_point room[2][MAX_POINTS];
                fy_series series[] = {series_of("y", count, x, rows[i], rows[i], odd, room[0]),
                                      series_of("x", count, rows[i], x, NULL, NULL, room[1])};
                for (int64_t lines = 0; lines <= 2; lines++) {
                    fy_chart chart = chart_of(lines, series, kinds & 1, kinds >> 1);
                    free(drawn(ctx, &chart));
                }
            }
    foray_context_destroy(ctx);
}

static void empty_charts_say_so(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    fy_series series = {.name = "none"};
    for (int64_t lines = 0; lines <= 1; lines++) {
        fy_chart chart = chart_of(lines, &series, FY_AXIS_LOG, FY_AXIS_LOG);
        char *svg = drawn(ctx, &chart);
        assert_non_null(strstr(svg, "nothing to show"));
        free(svg);
    }
    foray_context_destroy(ctx);
}

/* The line breaks where a number is missing, and zeros lie on the foot of a
 * logarithmic axis, which is labelled 0. */
static void gaps_and_zeros(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const double x[] = {1, 2, 3, 4, 5}, y[] = {1, 2, INFINITY, 0, 4};
    fy_series_point room[MAX_POINTS];
    fy_series series = series_of("s", 5, x, y, y, y, room);
    fy_chart chart = chart_of(1, &series, FY_AXIS_LINEAR, FY_AXIS_LOG);
    char *svg = drawn(ctx, &chart);
    assert_int_equal(occurrences(svg, "<polyline"), 2);
    assert_int_equal(occurrences(svg, "<polygon"), 2);
    assert_int_equal(occurrences(svg, "<title>s: "), 4);
    assert_non_null(strstr(svg, ">0</text>"));
    free(svg);
    foray_context_destroy(ctx);
}

static void hostile_labels_are_escaped(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const double one[] = {1};
    const char *const hostile[] = {"</svg><script>alert(1)</script>",
                                   "a & b \"c\" 'd'",
                                   "\x01\x1f\x7f",
                                   "\xff\xfe\xc0\x80\xed\xa0\x80",
                                   "\xe2\x82",
                                   "gr\xc3\xbc\xc3\x9f \xe2\x82\xac",
                                   "%s%n",
                                   ""};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        fy_series_point room[MAX_POINTS];
        fy_series series = series_of(hostile[i], 1, one, one, NULL, NULL, room);
        fy_chart chart = chart_of(1, &series, FY_AXIS_LOG, FY_AXIS_LOG);
        chart.title = chart.note = chart.x.label = chart.y.label = hostile[i];
        char *svg = drawn(ctx, &chart);
        assert_null(strstr(svg, "<script"));
        assert_int_equal(occurrences(svg, "</svg>"), 1);
        free(svg);
    }
    foray_context_destroy(ctx);
}

/* Thirty series: each has its place in the legend, within the picture. */
static void many_series_fit(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const double x[] = {1, 2};
    fy_series_point room[MAX_POINTS];
    fy_series series[30];
    for (int i = 0; i < 30; i++)
        series[i] = series_of("series", 2, x, x, NULL, NULL, room);
    fy_chart chart = chart_of(30, series, FY_AXIS_LINEAR, FY_AXIS_LINEAR);
    char *svg = drawn(ctx, &chart);
    double height = strtod(strstr(svg, "height=\"") + 8, NULL), lowest = 0.0;
    for (const char *at = svg; (at = strstr(at, "class=\"legend\"")); at++)
        lowest = fmax(lowest, strtod(strstr(at, " y=\"") + 4, NULL));
    assert_int_equal(occurrences(svg, ">series</text>"), 30);
    assert_true(lowest > 0.0 && lowest < height);
    free(svg);
    foray_context_destroy(ctx);
}

/* A long name keeps its two ends, and stays within the picture. */
static void long_names_are_shortened(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const double x[] = {1, 2}, y[] = {2, 2};
    fy_series_point room[2][MAX_POINTS];
    fy_series series[] = {
        series_of("ucrl-rfe:radius=theorem,ties=lowest", 2, x, x, NULL, NULL, room[0]),
        series_of("ucrl-rfe:radius=theorem", 2, x, y, NULL, NULL, room[1])};
    fy_chart chart = chart_of(2, series, FY_AXIS_LINEAR, FY_AXIS_LINEAR);
    char *svg = drawn(ctx, &chart);
    assert_int_equal(occurrences(svg, ">ucrl-rfe:radiu\u2026m,ties=lowest</text>"), 1);
    assert_int_equal(occurrences(svg, ">ucrl-rfe:radius=theorem</text>"), 1);
    free(svg);
    foray_context_destroy(ctx);
}

/* Every algorithm has a look of its own, whatever stands beside it; with other settings the colour
 * stays and the dash changes. */
static void algorithms_have_fixed_looks(void **state)
{
    (void)state;
    const char *name, *about;
    for (int64_t i = 0; foray_algorithm_describe(i, &name, &about); i++) {
        assert_true(fy_look_known(name));
        fy_look alone = fy_look_of(name, 0, 0), last = fy_look_of(name, 5, 0);
        assert_memory_equal(&alone, &last, sizeof alone);
        for (int64_t j = 0; j < i; j++) {
            const char *other;
            assert_true(foray_algorithm_describe(j, &other, &about));
            fy_look its = fy_look_of(other, 0, 0);
            assert_memory_not_equal(&alone, &its, sizeof alone);
        }
    }
    fy_look plain = fy_look_of("rf-ucrl", 0, 0),
            second = fy_look_of("rf-ucrl:radius=theorem", 1, 1);
    assert_int_equal(plain.colour, second.colour);
    assert_int_not_equal(plain.dash, second.dash);
    assert_false(fy_look_known("certificate"));
}

/* A line that lies exactly under another is named; one that differs in a point is not. */
static void hidden_lines_are_named(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const double x[] = {1, 2, 3}, y[] = {5, 5, 4}, z[] = {5, 5, 3};
    fy_series_point room[3][MAX_POINTS];
    fy_series series[] = {series_of("random", 3, x, y, NULL, NULL, room[0]),
                          series_of("rf-express", 3, x, y, NULL, NULL, room[1]),
                          series_of("scout", 3, x, z, NULL, NULL, room[2])};
    fy_chart chart = chart_of(3, series, FY_AXIS_LOG, FY_AXIS_LOG);
    assert_int_equal(fy_chart_under(&chart, 0), 1);
    assert_int_equal(fy_chart_under(&chart, 1), -1);
    assert_int_equal(fy_chart_under(&chart, 2), -1);
    char *svg = drawn(ctx, &chart);
    assert_non_null(strstr(svg, ">random (under rf-express)</text>"));
    free(svg);
    chart.bare = true;
    svg = drawn(ctx, &chart);
    assert_null(strstr(svg, "A title</text>"));
    assert_null(strstr(svg, "legend"));
    free(svg);
    foray_context_destroy(ctx);
}

/* --------------------------------------------------------------------------- axes */

static fy_scale scale_of(int kind, double min, double max, int wanted)
{
    fy_axis axis = {.label = "", .kind = kind};
    fy_scale scale = fy_scale_empty(&axis, 0.0, 100.0);
    fy_scale_include(&scale, min);
    fy_scale_include(&scale, max);
    fy_scale_finish(&scale, &axis, wanted);
    return scale;
}

static int labelled(const fy_scale *scale)
{
    int count = 0;
    for (int i = 0; i < scale->ticks; i++)
        count += scale->tick[i].labelled;
    return count;
}

static void linear_ticks_are_round(void **state)
{
    (void)state;
    fy_scale scale = scale_of(FY_AXIS_LINEAR, 0.0, 93.0, 6);
    assert_int_equal(scale.ticks, 6);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(scale.tick[i].value - 20.0 * i) < 1e-9);
    assert_true(scale.max == 100.0 && scale.min == 0.0);
    assert_true(fabs(fy_scale_position(&scale, 25.0) - 25.0) < 1e-9);
}

/* Whatever the range: it is covered, and there are at least two ticks with labels. */
static void ranges_are_covered(void **state)
{
    (void)state;
    for (int i = -14; i <= 14; i++)
        for (double factor = 1.0; factor < 1e9; factor *= 3.7)
            for (int kind = 0; kind < 2; kind++) {
                double min = 1.3 * pow(10.0, i), max = min * factor;
                fy_scale scale = scale_of(kind, min, max, 6);
                assert_true(scale.min <= min * (1 + 1e-9));
                assert_true(scale.max >= max * (1 - 1e-9));
                assert_in_range(labelled(&scale), 2, 16);
                for (int t = 0; t < scale.ticks; t++) {
                    double at = fy_scale_position(&scale, scale.tick[t].value);
                    assert_true(at >= 0.0 && at <= 100.0);
                }
            }
}

static void decades_are_labelled(void **state)
{
    (void)state;
    fy_scale scale = scale_of(FY_AXIS_LOG, 1.0, 10000.0, 7);
    assert_int_equal(labelled(&scale), 5);
    assert_true(fabs(fy_scale_position(&scale, 100.0) - 50.0) < 1e-9);
}

static void labels_are_short(void **state)
{
    (void)state;
    char text[FY_NUMBER_SIZE];
    fy_scale scale = scale_of(FY_AXIS_LOG, 1e-9, 1e9, 6);
    assert_string_equal(fy_scale_label(&scale, 0.01, text), "0.01");
    assert_string_equal(fy_scale_label(&scale, 1000.0, text), "1,000");
    assert_string_equal(fy_scale_label(&scale, 1e6, text), "1,000,000");
    assert_string_equal(fy_scale_label(&scale, 1e-5, text), "10⁻⁵");
    assert_string_equal(fy_scale_label(&scale, 2e-10, text), "2·10⁻¹⁰");
    assert_string_equal(fy_scale_label(&scale, 1e12, text), "10¹²");
    assert_string_equal(fy_number(0.012345, text), "0.01235");
    assert_string_equal(fy_number(-1234567.0, text), "-1,234,567");
    assert_string_equal(fy_number(INFINITY, text), "infinite");
    assert_string_equal(fy_number(NAN, text), "unknown");
}

/* ------------------------------------------------------------------------- tables */

typedef void (*print_fn)(const fy_table *table, fy_writer *text);

static char *printed(foray_context *ctx, print_fn print)
{
    static const char *const heading[] = {"name", "number"};
    fy_table table = fy_table_begin(ctx, 2, heading);
    fy_writer text = {.ctx = ctx};
    fy_table_cell(&table, "%s", "a, \"b\" <c>");
    fy_table_exact(&table, 0.1);
    fy_table_cell(&table, "grün");
    fy_table_number(&table, 12345.0);
    fy_table_cell(&table, "none");
    fy_table_exact(&table, NAN);
    print(&table, &text);
    fy_write_bytes(&text, "", 1);
    fy_table_free(&table);
    assert_false(text.failed);
    return (char *)text.data;
}

static void one_table_three_ways(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    char *text = printed(ctx, fy_table_print_text);
    assert_string_equal(text, "name        number\n"
                              "----------  ------\n"
                              "a, \"b\" <c>     0.1\n"
                              "grün        12,345\n"
                              "none              \n");
    free(text);
    text = printed(ctx, fy_table_print_csv);
    assert_string_equal(text, "name,number\n"
                              "\"a, \"\"b\"\" <c>\",0.1\n"
                              "grün,\"12,345\"\n"
                              "none,\n");
    free(text);
    text = printed(ctx, fy_table_print_html);
    assert_well_formed(text);
    assert_non_null(strstr(text, "<td>a, &quot;b&quot; &lt;c&gt;</td>"));
    assert_non_null(strstr(text, "<td class=\"number\">12,345</td>"));
    free(text);
    foray_context_destroy(ctx);
}

/* Nobody reads these tables back by name: a spreadsheet does nothing, and a terminal neither. */
static void cells_of_strangers_are_harmless(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    static const char *const heading[] = {"name"};
    fy_table table = fy_table_begin(ctx, 1, heading);
    fy_writer text = {.ctx = ctx};
    fy_table_cell(&table, "=cmd|x");
    fy_table_cell(&table, "-2.5");
    fy_table_cell(&table, "a\xc2\x9b\"31m\"\x1b[2J\n\xe2\x80\xaegnp\xff");
    fy_table_print_csv(&table, &text);
    fy_write_bytes(&text, "", 1);
    fy_table_free(&table);
    assert_string_equal((char *)text.data, "name\n'=cmd|x\n-2.5\n"
                                           "\"a\\u009b\"\"31m\"\"\\x1b[2J\\x0a\\u202egnp\\xff\"\n");
    free(text.data);
    foray_context_destroy(ctx);
}

/* ---------------------------------------------------------------------- allocation */

static foray_status write_everything(foray_context *ctx, const char *path)
{
    const double x[] = {1, 2};
    fy_series_point room[MAX_POINTS];
    fy_series series = series_of("s", 2, x, x, x, x, room);
    fy_chart chart = chart_of(1, &series, FY_AXIS_LOG, FY_AXIS_LINEAR);
    static const char *const heading[] = {"a", "b"};
    char long_text[2000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    fy_table table = fy_table_begin(ctx, 2, heading);
    fy_writer text = {.ctx = ctx};
    fy_table_cell(&table, "1");
    fy_table_cell(&table, "2");
    fy_page_begin(&text, "page");
    fy_print(&text, "%s", long_text);
    fy_svg_chart(&text, &chart);
    fy_table_print_text(&table, &text);
    fy_table_print_csv(&table, &text);
    fy_table_print_html(&table, &text);
    fy_page_end(&text);
    fy_table_free(&table);
    return fy_text_save(&text, path);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    char *directory = support_directory(), path[256];
    snprintf(path, sizeof path, "%s/page.html", directory);
    foray_status status = FORAY_ERROR_MEMORY;
    int64_t failures = 0;
    for (; status != FORAY_OK; failures++) {
        assert_true(failures < 1000);
        ctx->allocations_left = failures;
        status = write_everything(ctx, path);
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    assert_true(failures > 5);
    support_remove(directory);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_chart),
        cmocka_unit_test(odd_numbers),
        cmocka_unit_test(empty_charts_say_so),
        cmocka_unit_test(gaps_and_zeros),
        cmocka_unit_test(hostile_labels_are_escaped),
        cmocka_unit_test(many_series_fit),
        cmocka_unit_test(linear_ticks_are_round),
        cmocka_unit_test(ranges_are_covered),
        cmocka_unit_test(long_names_are_shortened),
        cmocka_unit_test(algorithms_have_fixed_looks),
        cmocka_unit_test(hidden_lines_are_named),
        cmocka_unit_test(decades_are_labelled),
        cmocka_unit_test(labels_are_short),
        cmocka_unit_test(one_table_three_ways),
        cmocka_unit_test(cells_of_strangers_are_harmless),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
