/* test_settings.c - settings by name: those that all algorithms share, and the parameters of
 * the algorithms' own. */
#include "algorithms/algorithms.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Every setting of every algorithm: its default is in range, is what settings begin with, and its
 * text makes the same bytes again. */
static void settings_survive_text(void **state)
{
    foray_context *ctx = *state;
    const char *algorithm;
    int64_t all = 0, common = 0;
    while (foray_setting_describe(NULL, common))
        common++;
    for (int64_t a = 0; foray_algorithm_describe(a, &algorithm, NULL); a++) {
        foray_settings settings, back;
        const foray_parameter *row;
        foray_settings_default(&settings);
        support_set(&settings, "algorithm", algorithm);
        back = settings;
        settings.delta = 0.1 + 1e-17 * 7;
        settings.episodes = 123456789012345;
        settings.inner = FORAY_INNER_L1;
        for (int64_t i = 0; (row = foray_setting_describe(algorithm, i)); i++, all++) {
            char text[128], twice[128];
            if (i < common && i > 0) {
                support_ok(ctx, foray_settings_get(ctx, &back, row->name, text, sizeof text));
                assert_string_equal(text, row->fallback);
            }
            support_ok(ctx, foray_settings_get(ctx, &settings, row->name, text, sizeof text));
            support_ok(ctx, foray_settings_set(ctx, &back, row->name, row->fallback));
            support_ok(ctx, foray_settings_set(ctx, &back, row->name, text));
            support_ok(ctx, foray_settings_set(ctx, &settings, row->name, text));
            support_ok(ctx, foray_settings_get(ctx, &back, row->name, twice, sizeof twice));
            assert_string_equal(text, twice);
            assert_true(strlen(row->help) > 10);
        }
        assert_memory_equal(&settings, &back, sizeof settings);
        assert_int_equal(foray_settings_check(ctx, &settings), FORAY_OK);
    }
    assert_true(common >= 17 && all >= 13 * common + 17);
    assert_null(foray_setting_describe("sstp", -1));
    assert_null(foray_setting_describe("sstp", common + 6));
    assert_null(foray_setting_describe("nonsense", common));
}

static void settings_refuse_nonsense(void **state)
{
    foray_context *ctx = *state;
    foray_settings settings;
    foray_settings_default(&settings);
    static const char *const bad[][2] = {
        {"delta", "0"},
        {"delta", "1"},
        {"delta", "nan"},
        {"delta", "x"},
        {"delta", ""},
        {"delta", "0x1p-3"},
        {"delta", " 0.1"},
        {"delta", "0,1"},
        {"episodes", "0"},
        {"episodes", "1.5"},
        {"episodes", "1e-6"},
        {"episodes", "-5"},
        {"radius", "wide"},
        {"radius", ""},
        {"radius", "counts"}, /* certificates only */
        {"until", "-2"},
        {"until", "inf"},
        {"nonsense", "1"},
        {"own", "sstp_levels=4"},
        {"size", "1"},
        {"seed", "-1"},
        {"inner", "exactly"},
        {"radius-scale", "-1"},
        {"seed", "99999999999999999999"},
        {"algorithm",
         "a name that is far too long for any algorithm that there ever will be, ever"},
        {"sstp-levels", "61"},
        {"sstp-levels", "many"},
        {"pooled", "maybe"},
    };
    foray_settings before = settings;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(foray_settings_set(ctx, &settings, bad[i][0], bad[i][1]),
                         FORAY_ERROR_USAGE);
        assert_memory_equal(&settings, &before, sizeof settings);
    }
    assert_int_equal(foray_settings_set(ctx, &settings, "radius-scale", "0.5"), FORAY_OK);
    assert_true(settings.radius_scale == 0.5);
    assert_int_equal(foray_settings_set(ctx, &settings, "episodes", "1e6"), FORAY_OK);
    assert_true(settings.episodes == 1000000);
    assert_int_equal(foray_settings_set(ctx, &settings, "episodes", "200_000"), FORAY_OK);
    assert_true(settings.episodes == 200000);
    assert_int_equal(foray_settings_set(ctx, &settings, "seed", "9223372036854775807"), FORAY_OK);
    assert_true(settings.seed == INT64_MAX);
    settings.radius = FORAY_RADIUS_THEOREM;
    settings.blocks = FORAY_ON;
    assert_int_equal(foray_settings_check(ctx, &settings), FORAY_ERROR_USAGE);
    foray_settings_literal(&settings);
    assert_int_equal(foray_settings_check(ctx, &settings), FORAY_OK);
    settings.radius = FORAY_RADIUS_NONE;
    assert_int_equal(foray_settings_check(ctx, &settings), FORAY_ERROR_USAGE);
    foray_settings_literal(&settings);
    settings.delta = NAN;
    assert_int_equal(foray_settings_check(ctx, &settings), FORAY_ERROR_USAGE);
}

/* Whatever the order, the same bytes; the last value counts. */
static void parameters_may_come_before_their_algorithm(void **state)
{
    foray_context *ctx = *state;
    foray_settings one, other;
    foray_settings_default(&one);
    other = one;
    support_set(&one, "sstp-range", "3");
    support_set(&one, "sstp_levels", "1e1");
    support_set(&one, "sstp_levels", "4");
    support_set(&one, "algorithm", "sstp");
    support_set(&one, "sstp-truncation", "2");
    support_set(&other, "algorithm", "sstp");
    support_set(&other, "sstp_levels", "4.0");
    support_set(&other, "sstp-truncation", "2");
    support_set(&other, "sstp_range", "3.00");
    assert_string_equal(one.own[0].name, "sstp_levels");
    assert_string_equal(one.own[1].name, "sstp_range");
    assert_string_equal(one.own[2].name, "sstp_truncation");
    assert_string_equal(one.own[3].name, "");
    assert_true(one.own[0].value.integer == 4 && one.own[1].value.real == 3);
    assert_memory_equal(&one, &other, sizeof one);
    foray_settings copy;
    const fy_explorer_ops *ops;
    foray_parameter_value own[FY_MAX_PARAMETERS];
    support_ok(ctx, fy_settings_read(ctx, &one, &copy, &ops, own));
    assert_string_equal(ops->name, "sstp");
    assert_true(own[0].integer == 4 && own[5].real == 3 && own[1].real == 0.5);
    assert_true(support_own(&one, "sstp_levels") == 4 && support_own(&one, "sstp_target") == 0.5);
}

static void parameters_of_other_algorithms_are_refused(void **state)
{
    foray_context *ctx = *state;
    static const struct {
        const char *algorithm, *name, *value, *message;
    } bad[] = {
        {"ucrl-rfe", "sstp_levels", "4", "sstp_levels is not a setting of ucrl-rfe, but of sstp"},
        {"sstp", "pooled", "on", "but of rf-ucrl, rf-express, euler, rf-rl-explore"},
        {"random", "pair_features", "onehot", "not a setting of random, but of wang, francis"},
        {"euler", "radius_scale_hat", "1", "but of ucrl-rfe+, ucrl-vtr+"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        foray_settings settings;
        foray_settings_default(&settings);
        support_set(&settings, "algorithm", bad[i].algorithm);
        support_set(&settings, bad[i].name, bad[i].value);
        assert_int_equal(foray_settings_check(ctx, &settings), FORAY_ERROR_USAGE);
        assert_non_null(strstr(foray_message(ctx), bad[i].message));
        fy_settings_choose(&settings, settings.algorithm);
        assert_int_equal(foray_settings_check(ctx, &settings), FORAY_OK);
        assert_string_equal(settings.own[0].name, "");
    }
    foray_settings settings;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "nonsense");
    assert_int_equal(foray_settings_check(ctx, &settings), FORAY_ERROR_USAGE);
    assert_non_null(
        strstr(foray_message(ctx), "there is no algorithm 'nonsense'; the algorithms are ucrl"));
}

/* A caller may fill `own` by hand, well or badly. */
static void what_callers_fill_in_is_checked(void **state)
{
    foray_context *ctx = *state;
    static const struct {
        foray_own_parameter own;
        const char *message; /* NULL: good */
    } row[] = {
        {{"", {1, 1}}, NULL},
        {{"pooled", {1, 0}}, NULL},
        {{"explore_share", {0, 0.25}}, NULL},
        {{"explore_share", {0, 2}}, "explore_share=2, but it must be a number from 0.001"},
        {{"explore_share", {0, NAN}}, "explore_share=, but it must be a number from 0.001"},
        {{"pooled", {2, 0}}, "pooled=, but it must be one of off|on"},
        {{"nonsense", {0, 0}}, "nonsense is not a setting of rf-rl-explore, but of no algorithm"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        foray_settings settings;
        foray_settings_default(&settings);
        support_set(&settings, "algorithm", "rf-rl-explore");
        settings.own[0] = row[i].own;
        foray_status status = foray_settings_check(ctx, &settings);
        assert_int_equal(status, row[i].message ? FORAY_ERROR_USAGE : FORAY_OK);
        if (row[i].message && !strstr(foray_message(ctx), row[i].message))
            fail_msg("\"%s\" does not say \"%s\"", foray_message(ctx), row[i].message);
    }
    foray_settings full;
    foray_settings_default(&full);
    support_set(&full, "algorithm", "sstp");
    memset(full.own, 'x', sizeof full.own); /* names without an end */
    assert_int_equal(foray_settings_check(ctx, &full), FORAY_ERROR_USAGE);
    for (int i = 0; i < FORAY_MAX_OWN_PARAMETERS; i++)
        snprintf(full.own[i].name, sizeof full.own[i].name, "a%02d", i);
    assert_int_equal(foray_settings_set(ctx, &full, "sstp_levels", "60"), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "16 parameters of algorithms are set"));
}

/* Every name fits, and all parameters that one algorithm has. */
static void own_parameters_fit(void **state)
{
    (void)state;
    const fy_explorer_ops *ops;
    for (int64_t a = 0; (ops = fy_algorithm_at(a)); a++) {
        assert_true(ops->parameters <= FORAY_MAX_OWN_PARAMETERS);
        for (int64_t i = 0; i < ops->parameters; i++)
            assert_true(strlen(ops->parameter[i].name) < sizeof((foray_own_parameter *)NULL)->name);
    }
}

/* Structs know their size: a caller built for another version is understood or refused. */
static void sizes_are_respected(void **state)
{
    foray_context *ctx = *state;
    foray_settings settings;
    foray_settings_default(&settings);
    assert_true(settings.size == sizeof settings);
    assert_int_equal(foray_settings_check(ctx, &settings), FORAY_OK);
    settings.size = 0;
    assert_int_equal(foray_settings_check(ctx, &settings), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "begin with foray_settings_default"));
    settings.size = sizeof settings + 8;
    assert_int_equal(foray_settings_check(ctx, &settings), FORAY_ERROR_USAGE);
    assert_non_null(strstr(foray_message(ctx), "newer"));
    /* Nothing is written beyond the size that the caller knows. */
    union {
        foray_settings settings;
        unsigned char byte[sizeof(foray_settings)];
    } shorter;
    memset(&shorter, 0xa5, sizeof shorter);
    foray_settings_init(&shorter.settings, offsetof(foray_settings, ties));
    for (size_t i = offsetof(foray_settings, ties); i < sizeof shorter; i++)
        assert_int_equal(shorter.byte[i], 0xa5);
    assert_int_equal(foray_settings_set(ctx, &shorter.settings, "ties", "lowest"),
                     FORAY_ERROR_USAGE);
    assert_int_equal(foray_settings_set(ctx, &shorter.settings, "clip", "horizon"), FORAY_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        support_test(settings_survive_text),
        support_test(settings_refuse_nonsense),
        support_test(parameters_may_come_before_their_algorithm),
        support_test(parameters_of_other_algorithms_are_refused),
        support_test(what_callers_fill_in_is_checked),
        support_test(own_parameters_fit),
        support_test(sizes_are_respected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
