/* test_look.c - what people see: every algorithm has a colour of its own, on light pages and dark
 * ones, and for whoever sees no red or no green; one legend for many charts; round numbers; words.
 */
#include "draw/axis.h"
#include "draw/look.h"
#include "draw/table.h"
#include "page/content.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ colours as seen */

typedef struct colour {
    double part[3];
} colour;

/* The colours of a part of the style, ".chart .c3{color:#rrggbb}": red, green and blue of 0 to 1.
 */
static void read_colours(const char *style, const char *end, colour out[FY_LOOK_ALL])
{
    for (int i = 0; i < FY_LOOK_ALL; i++) {
        char class[32];
        unsigned int rgb[3];
        snprintf(class, sizeof class, ".c%d{color:#", i);
        const char *at = strstr(style, class);
        if (!at || at >= end)
            continue; /* as it was on light pages */
        assert_int_equal(sscanf(at + strlen(class), "%2x%2x%2x", &rgb[0], &rgb[1], &rgb[2]), 3);
        for (int c = 0; c < 3; c++)
            out[i].part[c] = rgb[c] / 255.0;
    }
}

static double linear(double part)
{
    return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

static colour times(const double matrix[3][3], colour x)
{
    colour out = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out.part[i] += matrix[i][j] * x.part[j];
    return out;
}

/* Machado, Oliveira and Fernandes (2009), on linear RGB: nothing missing, no red, no green. */
enum { EYES = 3 };
static const double eye[EYES][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868},
     {0.114503, 0.786281, 0.099216},
     {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968},
     {0.280085, 0.672501, 0.047413},
     {-0.011820, 0.042940, 0.968881}},
};

/* CIELAB, in which distances are about what people see. */
static colour lab_of(colour rgb, int which)
{
    static const double to_xyz[3][3] = {{0.4339, 0.3762, 0.1899},
                                        {0.2127, 0.7152, 0.0722},
                                        {0.0178, 0.1095, 0.8727}}; /* over the white of D65 */
    for (int c = 0; c < 3; c++)
        rgb.part[c] = linear(rgb.part[c]);
    rgb = times(eye[which], rgb);
    for (int c = 0; c < 3; c++)
        rgb.part[c] = fmin(fmax(rgb.part[c], 0), 1);
    colour f = times(to_xyz, rgb);
    for (int c = 0; c < 3; c++)
        f.part[c] = f.part[c] > 0.008856 ? cbrt(f.part[c]) : 7.787 * f.part[c] + 16.0 / 116;
    return (colour){
        {116 * f.part[1] - 16, 500 * (f.part[0] - f.part[1]), 200 * (f.part[1] - f.part[2])}};
}

/* As seen by the eye that tells them apart worst. */
static double distance(colour one, colour other)
{
    double min = INFINITY;
    for (int which = 0; which < EYES; which++) {
        colour p = lab_of(one, which), q = lab_of(other, which);
        double square = 0;
        for (int c = 0; c < 3; c++)
            square += (p.part[c] - q.part[c]) * (p.part[c] - q.part[c]);
        min = fmin(min, sqrt(square));
    }
    return min;
}

/* ----------------------------------------------------------------------------- tests */

/* Just told apart are distances of about 2. */
static void check_palette(const colour palette[FY_LOOK_ALL], const char *page)
{
    enum { TOLD_APART = 15, FAR = 20 };
    const char *one, *other;
    for (int64_t i = 0; foray_algorithm_describe(i, &one, NULL); i++)
        for (int64_t j = 0; j < i; j++) {
            assert_true(foray_algorithm_describe(j, &other, NULL));
            if (strcmp(one, "inverse-count") == 0 && strcmp(other, "random") != 0)
                continue; /* no world takes both */
            fy_look a = fy_look_of(one, 0, 0), b = fy_look_of(other, 0, 0);
            assert_int_not_equal(a.colour, b.colour);
            double apart = distance(palette[a.colour], palette[b.colour]);
            if (apart < TOLD_APART || (apart < FAR && a.dash == b.dash))
                fail_msg("%s: %s and %s are %.1f apart", page, one, other, apart);
        }
}

static void algorithms_are_told_apart(void **state)
{
    (void)state;
    colour palette[FY_LOOK_ALL] = {{{0}}};
    const char *dark = strstr(fy_svg_style, "@media (prefers-color-scheme:dark)");
    assert_non_null(dark);
    read_colours(fy_svg_style, dark, palette);
    check_palette(palette, "light");
    read_colours(dark, dark + strlen(dark), palette);
    check_palette(palette, "dark");
}

/* The control: orange and the olive that stood beside it once are the same without green. */
static void an_eye_without_green_confuses(void **state)
{
    (void)state;
    const colour orange = {{0xe6 / 255.0, 0x9f / 255.0, 0}},
                 olive = {{0xb3 / 255.0, 0xa6 / 255.0, 0}};
    assert_true(distance(orange, olive) < 5);
    assert_true(distance(orange, (colour){{0, 0, 0}}) > 50);
}

/* --------------------------------------------------------------- legends, axes, tables */

/* Charts beside each other have one legend, also if one of them lacks the last lines. */
static void legends_are_shared(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    fy_content content = {.ctx = ctx};
    fy_writer text = {.ctx = ctx};
    for (int chart = 0; chart < 3; chart++) {
        fy_content_chart(
            &content,
            &(fy_chart){.id = "one", .title = "one", .x = {.label = "x"}, .y = {.label = "y"}});
        for (int line = 0; line < (chart == 1 ? 3 : 2); line++) {
            static const char *const name[] = {"gap", "certificate", "promised"};
            fy_content_series(&content, name[line]);
            fy_content_point(&content, (fy_series_point){1, line, NAN, NAN});
        }
    }
    fy_content_print(&content, &text);
    fy_write_bytes(&text, "", 1);
    const char *html = (const char *)text.data, *legend = strstr(html, "<ul class=\"legend\">");
    assert_non_null(legend);
    assert_null(strstr(legend + 1, "<ul class=\"legend\">"));
    assert_non_null(strstr(legend, " promised</li>"));
    free(text.data);
    fy_content_free(&content);
    foray_context_destroy(ctx);
}

/* A logarithmic axis of less than a decade has round numbers: 10, 15, 20, not 9, 10, 20. */
static void short_axes_have_round_numbers(void **state)
{
    (void)state;
    const fy_axis axis = {.kind = FY_AXIS_LOG};
    fy_scale scale = fy_scale_empty(&axis, 0, 100);
    fy_scale_include(&scale, 10);
    fy_scale_include(&scale, 22);
    fy_scale_finish(&scale, &axis, 5);
    const double wanted[] = {10, 15, 20, 25};
    assert_int_equal(scale.ticks, 4);
    for (int i = 0; i < 4; i++)
        assert_true(scale.tick[i].labelled && scale.tick[i].value == wanted[i]);
}

/* What was not reached is said so, what is beyond the budget is flush with the numbers, and columns
 * are named in words. */
static void tables_are_for_people(void **state)
{
    (void)state;
    static const char *const heading[] = {"kept_low", "needed"};
    foray_context *ctx = foray_context_create();
    fy_table table = fy_table_begin(ctx, 2, heading);
    fy_writer text = {.ctx = ctx};
    fy_table_exact(&table, INFINITY);
    fy_table_cell(&table, "> %d", 32768);
    fy_table_print_html_rounded(&table, &text);
    fy_write_bytes(&text, "", 1);
    const char *html = (const char *)text.data;
    assert_non_null(strstr(html, "<th class=\"number\">kept low</th>"));
    assert_non_null(strstr(html, "<td class=\"number\" title=\"inf\">not reached</td>"));
    assert_non_null(strstr(html, "<td class=\"number\">&gt; 32768</td>"));
    free(text.data);
    fy_table_free(&table);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algorithms_are_told_apart),
        cmocka_unit_test(an_eye_without_green_confuses),
        cmocka_unit_test(legends_are_shared),
        cmocka_unit_test(short_axes_have_round_numbers),
        cmocka_unit_test(tables_are_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
