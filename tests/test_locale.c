/* test_locale.c - no number depends on the locale of the program that uses the library: formats
 * against printf's in the C locale, and everything that is written and read in two locales with
 * another decimal point, one of them of two bytes. localedef makes them in a directory of the
 * test; without it, or without its sources (Debian's package locales), the test fails. */
#include "foray/lab.h"
#include "support.h"
#include "support_run.h"

#include <locale.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------- locales */

static const char *const comma_locales[] = {"de_DE", "ps_AF"};

static char *locales_made(void)
{
    char *directory = support_directory(), command[512];
    for (size_t i = 0; i < FY_COUNT(comma_locales); i++) {
        snprintf(command, sizeof command, "localedef --no-archive -c -i %s -f UTF-8 %s/%s.UTF-8",
                 comma_locales[i], directory, comma_locales[i]);
        if (system(command) > 256) /* 1: warnings about other categories */
            fail_msg("%s failed: is the package locales installed?", command);
    }
    assert_int_equal(setenv("LOCPATH", directory, 1), 0);
    return directory;
}

/* Locale number `index`, the first being C. */
static void enter_locale(int index)
{
    char name[64], text[32];
    if (index == 0) {
        assert_non_null(setlocale(LC_ALL, "C"));
        return;
    }
    snprintf(name, sizeof name, "%s.UTF-8", comma_locales[index - 1]);
    assert_non_null(setlocale(LC_ALL, name));
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_null(strchr(text, '.')); /* else the test would say nothing */
}

/* ---------------------------------------------------------------------- formats */

static const char *const double_forms[] = {
    "%g",     "%.17g", "%.1f", "%.0f",  "%.2f", "%12.6g", "%-12.4g|", "%+.3g", "%e",     "%.3e",
    "%08.2f", "% .4g", "%.0e", "%.15g", "%.9g", "%f",     "%.0g",     "%.40f", "%-9.2f|"};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void compare_double(double value)
{
    char expected[512], found[512];
    for (size_t i = 0; i < FY_COUNT(double_forms); i++) {
        int length = snprintf(expected, sizeof expected, double_forms[i], value);
        assert_int_equal(fy_format(found, sizeof found, double_forms[i], value), length);
        assert_string_equal(found, expected);
    }
}
#pragma GCC diagnostic pop

static void doubles_are_printed_as_by_printf(void **state)
{
    (void)state;
    static const double corners[] = {0.0,
                                     -0.0,
                                     1.0,
                                     0.5,
                                     1.5,
                                     2.5,
                                     0.125,
                                     0.25,
                                     9.5,
                                     99.5,
                                     999999.5,
                                     9999995,
                                     1e-4,
                                     9.9999e-5,
                                     0.1,
                                     1e15,
                                     1e16,
                                     1e17,
                                     1e21,
                                     1e22,
                                     1e23,
                                     5e-324,
                                     2.2250738585072014e-308,
                                     1.7976931348623157e308,
                                     INFINITY,
                                     -INFINITY,
                                     0x1p-1074,
                                     0x1p1023,
                                     123456789012345678.0};
    support_random random = {.seed = 7};
    enter_locale(0);
    for (size_t i = 0; i < FY_COUNT(corners); i++)
        compare_double(corners[i]);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = fy_random_bits(7, FY_STREAM_TEST, (uint64_t)i, 0, 0);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isnan(value))
            compare_double(value);
        compare_double(ldexp(floor(0x1p20 * support_uniform(&random)), -10)); /* many ties */
        compare_double(support_normal(&random));
    }
}

/* The same directives of everything else, and of texts that do not fit. */
static void other_formats_are_those_of_printf(void **state)
{
    (void)state;
    char expected[64], found[64];
#define SAME(...)                                                                                  \
    do {                                                                                           \
        for (size_t size = 0; size <= sizeof found; size += 9) {                                   \
            memset(expected, 1, sizeof expected);                                                  \
            memset(found, 1, sizeof found);                                                        \
            int length = snprintf(expected, size, __VA_ARGS__);                                    \
            assert_int_equal(fy_format(found, size, __VA_ARGS__), length);                         \
            assert_memory_equal(found, expected, sizeof found);                                    \
        }                                                                                          \
    } while (0)
    SAME("%d %i %u|%5d|%-5d|%05d|%+d", -3, 4, 5u, 6, 7, 8, 9);
    SAME("%ld %lld %zu %jd %td", -1L, -2LL, (size_t)3, (intmax_t)-4, (ptrdiff_t)5);
    SAME("%lu %llu %x %o %06x %04X", 1UL, 18446744073709551615ULL, 255u, 8u, 0xabcu, 0xdefu);
    SAME("%s|%10s|%-10s|%.2s|%*s|%.*s", "one", "two", "three", "four", 7, "five", 1, "six");
    const char open[3] = {'a', 'b', 'c'}; /* without an end */
    SAME("%.*s|%.*s|%5.3s|%-5.2s|", 3, open, 0, open, open, open);
    SAME("%lld %lld %d %d", (long long)INT64_MIN, (long long)INT64_MAX, 0, -10);
    SAME("%c%%%3c", 'a', 'b');
    SAME("%*d|%-*d|%*d", 5, 1, 5, 2, -5, 3);
    SAME("a text that is too long for it, with %.3f and %s", 3.14159, "more");
    SAME("%s", "");
#undef SAME
}

/* ------------------------------------------------------------------- everything */

/* Texts that were made in a locale; each to be released with free(). */
enum { TEXTS = 16 };
typedef struct texts {
    int64_t count;
    char *text[TEXTS];
} texts;

static void keep(texts *all, char *text)
{
    assert_true(all->count < TEXTS);
    all->text[all->count++] = text;
}

static void keep_file(foray_context *ctx, texts *all, const char *directory, const char *name)
{
    char path[256];
    uint8_t *data;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    support_ok(ctx, fy_file_read(ctx, path, 1 << 24, &data, &size));
    keep(all, (char *)data);
}

/* The settings as the file has them. */
static char *stored_settings(const char *path)
{
    sqlite3 *base;
    sqlite3_stmt *rows;
    fy_writer text = {.ctx = foray_context_create()};
    assert_int_equal(sqlite3_open_v2(path, &base, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(base, "SELECT name, value FROM setting ORDER BY name", -1, &rows, NULL),
        SQLITE_OK);
    while (sqlite3_step(rows) == SQLITE_ROW)
        fy_print(&text, "%s=%s\n", (const char *)sqlite3_column_text(rows, 0),
                 (const char *)sqlite3_column_text(rows, 1));
    sqlite3_finalize(rows);
    sqlite3_close(base);
    fy_write_bytes(&text, "", 1);
    foray_context_destroy(text.ctx);
    return (char *)text.data;
}

static void make_model(run_bench *bench, texts *all)
{
    char *text;
    foray_model *back;
    support_ok(bench->ctx,
               foray_model_print(bench->ctx, bench->model, FORAY_MODEL_JSON, &text, NULL));
    support_ok(bench->ctx, foray_model_parse(bench->ctx, text, strlen(text), "model.json", &back));
    support_same_model(bench->model, back);
    foray_model_destroy(back);
    keep(all, text);
}

/* A run with settings that have a fraction, a plan, its policy and its reward. */
static void make_run(run_bench *bench, const char *path, texts *all, run_digest *digest)
{
    char *text;
    foray_policy *policy;
    support_ok(bench->ctx, foray_settings_set(bench->ctx, &bench->settings, "delta", "0.125"));
    run_make(bench, path);
    run_digest_file(bench, path, digest);
    foray_reward *reward = run_goal_reward(bench->ctx, bench->model);
    foray_run *run = run_reopen(bench, path, FORAY_RUN_WRITE);
    const foray_reward *const one[] = {reward};
    support_ok(bench->ctx, foray_run_plan(run, 1, one, FORAY_PLUGIN, &policy));
    support_ok(bench->ctx, foray_policy_print(bench->ctx, policy, &text, NULL));
    keep(all, text);
    support_ok(bench->ctx, foray_reward_print(bench->ctx, reward, &text, NULL));
    keep(all, text);
    keep(all, stored_settings(path));
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    foray_run_close(run);
}

/* A page with charts, of a run made before: it tells when that was. */
static void make_page(run_bench *bench, const char *path, texts *all)
{
    char *text;
    size_t size;
    foray_run *run = run_reopen(bench, path, FORAY_RUN_READ);
    support_ok(bench->ctx, foray_run_verify(run));
    support_ok(bench->ctx, foray_report_print(run, &text, &size));
    keep(all, text);
    foray_run_close(run);
}

static void make_comparison(run_bench *bench, texts *all)
{
    static const char *const algorithms[] = {"ucrl-rfe", "random"};
    foray_comparison what;
    char *directory = support_directory();
    foray_comparison_default(&what);
    what.settings.episodes = 30;
    what.algorithm = algorithms;
    what.algorithms = what.seeds = what.rewards = 2;
    what.rounds = 1;
    support_ok(bench->ctx,
               foray_compare(bench->ctx, bench->model, "chain", &what, directory, NULL, NULL));
    keep_file(bench->ctx, all, directory, "rows.csv");
    keep_file(bench->ctx, all, directory, "summary.csv");
    keep_file(bench->ctx, all, directory, "experiment.txt");
    /* What was kept is read again. */
    support_ok(bench->ctx,
               foray_compare(bench->ctx, bench->model, "chain", &what, directory, NULL, NULL));
    support_remove(directory);
}

static void everything_is_the_same_in_every_locale(void **state)
{
    (void)state;
    char *locales = locales_made(), path[256];
    run_bench bench;
    texts all[1 + FY_COUNT(comma_locales)] = {{0}};
    run_digest digest[1 + FY_COUNT(comma_locales)];
    enter_locale(0);
    run_bench_open(&bench, "chain");
    for (int locale = 0; locale <= (int)FY_COUNT(comma_locales); locale++) {
        enter_locale(locale);
        make_model(&bench, &all[locale]);
        snprintf(path, sizeof path, "%s/%d.foray", bench.directory, locale);
        make_run(&bench, path, &all[locale], &digest[locale]);
        snprintf(path, sizeof path, "%s/0.foray", bench.directory);
        make_page(&bench, path, &all[locale]);
        make_comparison(&bench, &all[locale]);
    }
    enter_locale(0);
    for (int locale = 1; locale <= (int)FY_COUNT(comma_locales); locale++) {
        run_assert_same(&digest[locale], &digest[0]);
        for (int64_t i = 0; i < all[0].count; i++)
            assert_string_equal(all[locale].text[i], all[0].text[i]);
        snprintf(path, sizeof path, "%s/%d.foray", bench.directory, locale);
        make_page(&bench, path, &all[locale]);
    }
    for (int locale = 0; locale <= (int)FY_COUNT(comma_locales); locale++)
        for (int64_t i = 0; i < all[locale].count; i++)
            free(all[locale].text[i]);
    run_bench_close(&bench);
    support_remove(locales);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_are_printed_as_by_printf),
        cmocka_unit_test(other_formats_are_those_of_printf),
        cmocka_unit_test(everything_is_the_same_in_every_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
