/* test_forest.c - forest plots: every effect is drawn where it belongs. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/forest.h"

static int64_t count(const char *text, const char *word)
{
    int64_t found = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        found++;
    return found;
}

/* The number after `key` in the text that follows `from`. */
static double number_after(const char *from, const char *key)
{
    const char *at = strstr(from, key);
    if (!at)
        fail_msg("no %s", key);
    return atof(at + strlen(key));
}

static char *draw(foray_context *ctx, const fy_forest *forest)
{
    fy_writer text = {.ctx = ctx};
    fy_svg_forest(&text, forest);
    fy_write_bytes(&text, "", 1);
    assert_false(text.failed);
    return (char *)text.data;
}

static const char *rows[] = {"left", "right & far", "nothing"};
static const char *const groups[] = {"a", "b<c"};

/* Points to the left and right of "no effect" lie so in the picture, with their intervals
 * around them; what is NaN is not drawn; names are escaped. */
static void effects_are_drawn_in_order(void **state)
{
    foray_context *ctx = foray_context_create();
    static fy_effect effect[] = {{0.5, 0.25, 1}, {2, 1, 4},       {8, 4, INFINITY},
                                 {16, 16, 16},   {NAN, NAN, NAN}, {1, 1, 1}};
    fy_forest forest = {.id = "f",
                        .title = "effects",
                        .x = {.label = "ratio", .kind = FY_AXIS_LOG},
                        .none = 1,
                        .rows = 3,
                        .groups = 2,
                        .row = rows,
                        .group = groups,
                        .effect = effect};
    char *svg = draw(ctx, &forest);
    (void)state;
    assert_int_equal(count(svg, "<title>"), 1 + 5);
    assert_int_equal(count(svg, "</svg>"), 1);
    assert_non_null(strstr(svg, "right &amp; far, b&lt;c: 16 [16, 16]"));
    assert_non_null(strstr(svg, "right &amp; far, a: 8 [4, infinite]"));
    const char *none = strstr(svg, "class=\"frame\"");
    double middle = number_after(none, "x1=\"");
    double last = -INFINITY;
    for (const char *at = svg; (at = strstr(at, "<line class=\"line\"")); at++) {
        double from = number_after(at, "x1=\""), to = number_after(at, "x2=\"");
        double point = number_after(at, "d=\"M");
        assert_true(from <= point && point <= to);
        last = fmax(last, to);
    }
    const char *first = strstr(svg, "<line class=\"line\"");
    assert_true(number_after(first, "d=\"M") < middle);
    assert_true(number_after(first, "x2=\"") <= middle + 0.1);
    assert_true(last > middle && last <= 760);
    free(svg);
    foray_context_destroy(ctx);
}

static void failed_allocations_are_remembered(void **state)
{
    foray_context *ctx = foray_context_create();
    static fy_effect effect[] = {{1, 1, 1}, {1, 1, 1}};
    fy_forest forest = {.id = "f",
                        .title = "t",
                        .x = {.label = "x", .kind = FY_AXIS_LINEAR},
                        .rows = 1,
                        .groups = 2,
                        .row = rows,
                        .group = groups,
                        .effect = effect};
    (void)state;
    ctx->allocations_left = 0;
    fy_writer text = {.ctx = ctx};
    fy_svg_forest(&text, &forest);
    assert_true(text.failed);
    free(text.data);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effects_are_drawn_in_order),
        cmocka_unit_test(failed_allocations_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
