/* test_outside.c - worlds from outside: the same world as a plug-in, as a C program and as a
 * Python program gives the same numbers, the conformance suite tells good from bad, and what
 * is wrong with a plug-in is said. */
#include "conform.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "foray/plugin.h"
#include "outside/outside.h"
#include "system/system.h"

enum { QUESTIONS = 3000 };

static foray_system *open_system(foray_context *ctx, const char *text)
{
    foray_system *system = NULL;
    support_ok(ctx, foray_system_open(ctx, text, &system));
    return system;
}

/* "exec:python3 SOURCES/examples/outside/NAME.py" */
static void python_text(const char *name, char *text, size_t size)
{
    const char *sources = getenv("FORAY_SOURCE");
    snprintf(text, size, "exec:python3 %s/examples/outside/%s.py", sources ? sources : "../../..",
             name);
}

/* ------------------------------------------------- one world, three ways in */

static void ask(const foray_system *system, foray_system_query *query, double *state)
{
    const foray_system_spec *spec = foray_system_describe(system);
    support_random random = {.seed = 5};
    for (int64_t i = 0; i < QUESTIONS; i++) {
        query[i].draw = (foray_draw){.seed = 9, .episode = (uint64_t)i, .step = 1};
        query[i].action = support_below(&random, spec->actions);
        query[i].simulator = support_below(&random, spec->simulators + 1) - 1;
        for (int64_t k = 0; k < spec->dimensions; k++)
            state[i * spec->dimensions + k] =
                spec->states > 0
                    ? (double)support_below(&random, spec->states)
                    : spec->low[k] + support_uniform(&random) * (spec->high[k] - spec->low[k]);
    }
}

static void same_texts(const char *const *one, const char *const *other, int64_t count)
{
    assert_int_equal(one == NULL, other == NULL);
    for (int64_t i = 0; one && i < count; i++)
        assert_string_equal(one[i], other[i]);
}

static void same_spec(const foray_system *a, const foray_system *b)
{
    const foray_system_spec *one = foray_system_describe(a), *other = foray_system_describe(b);
    assert_string_equal(one->name, other->name);
    assert_int_equal(one->states, other->states);
    assert_int_equal(one->dimensions, other->dimensions);
    assert_int_equal(one->actions, other->actions);
    assert_int_equal(one->horizon, other->horizon);
    assert_int_equal(one->simulators, other->simulators);
    assert_int_equal(one->rewards, other->rewards);
    same_texts(one->dimension_name, other->dimension_name, one->dimensions);
    same_texts(one->action_name, other->action_name, one->actions);
    same_texts(one->reward_name, other->reward_name, one->rewards);
    size_t size = (size_t)one->dimensions * sizeof(double);
    assert_memory_equal(one->low, other->low, size);
    assert_memory_equal(one->high, other->high, size);
    assert_memory_equal(a->weight, b->weight, (size_t)one->simulators * sizeof(double));
}

static void same_answers(foray_context *ctx, foray_system *a, foray_system *b)
{
    const foray_system_spec *spec = foray_system_describe(a);
    static foray_system_query query[QUESTIONS];
    static double state[2 * QUESTIONS], one[2 * QUESTIONS], other[2 * QUESTIONS];
    size_t size = (size_t)spec->dimensions * sizeof(double);
    ask(a, query, state);
    support_ok(ctx, foray_system_step(a, QUESTIONS, query, state, one));
    support_ok(ctx, foray_system_step(b, QUESTIONS, query, state, other));
    assert_memory_equal(one, other, QUESTIONS * size);
    for (uint64_t k = 0; k < 20; k++) {
        foray_draw draw = {.seed = 3, .episode = k};
        support_ok(ctx, foray_system_reset(a, &draw, one));
        support_ok(ctx, foray_system_reset(b, &draw, other));
        assert_memory_equal(one, other, size);
    }
    for (int64_t i = 0; i < 200; i++) {
        const double *at = state + i * spec->dimensions;
        support_ok(ctx, fy_system_value(a, a->ctx, i % spec->rewards, at, query[i].action, one));
        support_ok(ctx, fy_system_value(b, b->ctx, i % spec->rewards, at, query[i].action, other));
        assert_memory_equal(one, other, sizeof *one);
    }
}

static void test_three_ways_in(void **unused)
{
    (void)unused;
    static const char *const names[] = {"thermostat", "stockroom"};
    foray_context *ctx = foray_context_create();
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text, "plugin:../examples/outside/%s.so", names[i]);
        foray_system *plugin = open_system(ctx, text);
        snprintf(text, sizeof text, "exec:../examples/outside/%s", names[i]);
        foray_system *program = open_system(ctx, text);
        python_text(names[i], text, sizeof text);
        foray_system *python = open_system(ctx, text);
        same_spec(plugin, program);
        same_spec(plugin, python);
        same_answers(ctx, plugin, program);
        same_answers(ctx, plugin, python);
        foray_system_destroy(plugin);
        foray_system_destroy(program);
        foray_system_destroy(python);
    }
    foray_context_destroy(ctx);
}

/* The text reaches a plug-in, and arguments a program. */
static void test_texts(void **unused)
{
    (void)unused;
    foray_context *ctx = foray_context_create();
    foray_system *system = open_system(ctx, "plugin:../examples/outside/thermostat.so:48");
    assert_int_equal(foray_system_describe(system)->horizon, 48);
    foray_system_destroy(system);
    system = open_system(ctx, "exec:[timeout=5,start=60]../examples/outside/thermostat 48");
    assert_int_equal(foray_system_describe(system)->horizon, 48);
    foray_system_destroy(system);
    assert_int_equal(
        foray_system_open(ctx, "plugin:../examples/outside/thermostat.so:soon", &system),
        FORAY_ERROR_WORLD);
    assert_non_null(strstr(foray_message(ctx), "horizon \"soon\": must be a number"));
    assert_int_equal(foray_system_open(ctx, "exec:../examples/outside/thermostat soon", &system),
                     FORAY_ERROR_WORLD);
    assert_non_null(strstr(foray_message(ctx), "horizon \"soon\": must be a number"));
    foray_context_destroy(ctx);
}

/* Outcomes of the key's random numbers: what plugin.h promises of them. */
static void test_uniform(void **unused)
{
    (void)unused;
    /* SplitMix64 from state 1234567, as published with it. */
    assert_true(foray_plugin_bits(1234567, 0) == 6457827717110365317u);
    assert_true(foray_plugin_bits(1234567, 1) == 3203168211198807973u);
    assert_true(foray_plugin_bits(1234567, 2) == 9817491932198370423u);
    foray_draw draw = {.seed = 1}, other = {.seed = 1, .step = 1};
    assert_true(fy_draw_key(&draw) == fy_draw_key(&draw));
    assert_true(fy_draw_key(&draw) != fy_draw_key(&other));
    assert_true(foray_plugin_uniform(UINT64_MAX, UINT32_MAX) < 1);
}

/* -------------------------------------------------------------- conformance */

typedef struct verdicts {
    char failed[256], skipped[256];
    char detail[1024]; /* of the last that failed */
} verdicts;

static void note(void *user, const cli_check *check)
{
    verdicts *v = user;
    char *list = check->result == CLI_CHECK_FAILED    ? v->failed
                 : check->result == CLI_CHECK_SKIPPED ? v->skipped
                                                      : NULL;
    if (list)
        snprintf(list + strlen(list), 256 - strlen(list), " %s", check->name);
    if (check->result == CLI_CHECK_FAILED)
        snprintf(v->detail, sizeof v->detail, "%s", check->detail);
}

static foray_status check_world(const char *text, verdicts *v)
{
    foray_context *ctx = foray_context_create();
    foray_system *system = open_system(ctx, text);
    int64_t failed = -1;
    memset(v, 0, sizeof *v);
    foray_status status = cli_system_conform(ctx, system, 2000, 1, note, v, &failed);
    assert_int_equal(failed > 0, v->failed[0] != 0);
    foray_system_destroy(system);
    foray_context_destroy(ctx);
    return status;
}

/* Every built-in system, and the examples in every form. */
static void test_good_worlds(void **unused)
{
    (void)unused;
    verdicts v;
    foray_world_info info;
    char text[1024];
    for (int64_t i = 0; fy_system_builtin(i, &info); i++) {
        assert_int_equal(check_world(info.name, &v), FORAY_OK);
        assert_string_equal(v.failed, "");
    }
    static const char *const texts[] = {"plugin:../examples/outside/thermostat.so",
                                        "plugin:../examples/outside/stockroom.so",
                                        "exec:../examples/outside/thermostat",
                                        "exec:../examples/outside/stockroom",
                                        "exec:./hostile_world good",
                                        "plugin:./bad_plugin.so"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(check_world(texts[i], &v), FORAY_OK);
        assert_string_equal(v.failed, "");
    }
    python_text("stockroom", text, sizeof text);
    assert_int_equal(check_world(text, &v), FORAY_OK);
    assert_string_equal(v.failed, "");
    assert_string_equal(v.skipped, " threads");
}

static void test_bad_worlds(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *failed, *detail;
    } rows[] = {
        {"exec:./hostile_world moody", " repeat order single many",
         "coordinate 0 of the answer was"},
        {"plugin:./bad_plugin.so:placed", " order single", "when asked alone"},
        {"plugin:./bad_plugin.so:not-deterministic", " randomness", "said to be deterministic"},
        {"exec:./hostile_world liar", " mixture", "error probability 1e-6"},
        {"exec:./hostile_world generous", " rewards", "reward home is 2"},
        {"exec:./hostile_world nan 20", " answers mixture", "none of its states, 0 to 4"},
        {"exec:./hostile_world range 20", " answers mixture", "99"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        verdicts v;
        assert_int_equal(check_world(rows[i].text, &v), FORAY_OK);
        assert_string_equal(v.failed, rows[i].failed);
        assert_non_null(strstr(v.detail, rows[i].detail));
    }
}

/* One that is lost on the way: the rest is skipped, and the status says so. */
static void test_lost_world(void **unused)
{
    (void)unused;
    verdicts v;
    assert_int_equal(check_world("exec:./hostile_world exit 30", &v), FORAY_ERROR_WORLD);
    assert_non_null(strstr(v.detail, "exit status 7"));
    assert_non_null(strstr(v.skipped, " mixture rewards speed"));
    assert_int_equal(check_world("plugin:./bad_plugin.so:fail-step", &v), FORAY_ERROR_WORLD);
    assert_non_null(strstr(v.detail, "out of petrol"));
}

/* ----------------------------------------------------------------- plug-ins */

static void test_bad_plugins(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *cause;
    } rows[] = {
        {"plugin:./nowhere.so", "nowhere.so: cannot open shared object file"},
        {"plugin:nowhere.so", "nowhere.so: cannot open shared object file"},
        {"plugin:./json_check", "json_check"},
        {"plugin:./no_entry.so", "undefined symbol: foray_plugin"},
        {"plugin:./bad_plugin.so:refuse", "refuses to start: not on Sundays"},
        {"plugin:./bad_plugin.so:version", "built for version 99"},
        {"plugin:./bad_plugin.so:small", "table.size is 16"},
        {"plugin:./bad_plugin.so:huge", "table.size is 1099511627776"},
        {"plugin:./bad_plugin.so:newer", "only a newer Foray knows"},
        {"plugin:./bad_plugin.so:no-name", "table.name is required"},
        {"plugin:./bad_plugin.so:no-reset", "table.reset is required"},
        {"plugin:./bad_plugin.so:no-step", "table.step is required"},
        {"plugin:./bad_plugin.so:no-reward", "table.reward is required"},
        {"plugin:./bad_plugin.so:no-box", "table.high is required"},
        {"plugin:./bad_plugin.so:no-actions", "actions is 0"},
    };
    foray_context *ctx = foray_context_create();
    foray_system *system = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        support_refused(ctx, foray_system_open(ctx, rows[i].text, &system), FORAY_ERROR_WORLD,
                        rows[i].cause);
        assert_null(system);
    }
    assert_int_equal(foray_system_open(ctx, "plugin:", &system), FORAY_ERROR_USAGE);
    foray_context_destroy(ctx);
}

/* Tables of other sizes: shorter ones lack the last entries, longer ones have nothing in them. */
static void test_sizes_of_tables(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"plugin:./bad_plugin.so:old", "plugin:./bad_plugin.so:new"};
    for (int i = 0; i < 2; i++) {
        verdicts v;
        assert_int_equal(check_world(texts[i], &v), FORAY_OK);
        assert_string_equal(v.failed, "");
    }
}

/* A failure stays: the message does not change, and nothing is asked any more. */
static void test_failure_stays(void **unused)
{
    (void)unused;
    foray_context *ctx = foray_context_create();
    foray_system *system = open_system(ctx, "plugin:./bad_plugin.so:fail-silently");
    foray_system_query query = {.simulator = FORAY_REALITY};
    double state = 0.5, next;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(foray_system_step(system, 1, &query, &state, &next), FORAY_ERROR_WORLD);
        assert_non_null(strstr(foray_message(ctx), "it does not say why"));
        assert_int_equal(foray_system_reset(system, &query.draw, &next), FORAY_ERROR_WORLD);
        assert_int_equal(fy_system_value(system, system->ctx, 0, &state, 0, &next),
                         FORAY_ERROR_WORLD);
    }
    foray_system_destroy(system);
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------------- memory */

static void test_no_memory(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"plugin:./bad_plugin.so", "exec:./hostile_world good"};
    foray_context *ctx = foray_context_create();
    for (int i = 0; i < 2; i++) {
        foray_status status = FORAY_ERROR_MEMORY;
        for (int64_t left = 0; status != FORAY_OK; left++) {
            foray_system *system = NULL;
            ctx->allocations_left = left;
            status = foray_system_open(ctx, texts[i], &system);
            ctx->allocations_left = -1;
            if (status != FORAY_OK)
                assert_int_equal(status, FORAY_ERROR_MEMORY);
            foray_system_destroy(system);
        }
    }
    foray_system *system = open_system(ctx, "plugin:./bad_plugin.so");
    verdicts v;
    int64_t failed;
    for (int64_t left = 0; left < 6; left++) {
        ctx->allocations_left = left;
        assert_int_equal(cli_system_conform(ctx, system, 100, 1, note, &v, &failed),
                         FORAY_ERROR_MEMORY);
    }
    ctx->allocations_left = -1;
    assert_int_equal(cli_system_conform(ctx, system, 1, 1, note, &v, &failed), FORAY_ERROR_USAGE);
    foray_system_destroy(system);
    foray_context_destroy(ctx);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_ways_in), cmocka_unit_test(test_texts),
        cmocka_unit_test(test_uniform),       cmocka_unit_test(test_good_worlds),
        cmocka_unit_test(test_bad_worlds),    cmocka_unit_test(test_lost_world),
        cmocka_unit_test(test_bad_plugins),   cmocka_unit_test(test_sizes_of_tables),
        cmocka_unit_test(test_failure_stays), cmocka_unit_test(test_no_memory),
    };
    (void)count;
    support_go_home(arguments[0]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
