/* test_statements.c - the store's statements: prepared once, and right however they are used. */
#include "support_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t count_statements(const fy_store *store)
{
    int64_t count = 0;
    for (sqlite3_stmt *one = NULL; (one = sqlite3_next_stmt(store->db, one));)
        count++;
    return count;
}

static const char setting_named[] = "SELECT name, value, crc FROM setting WHERE name >= ?1";

/* Statements are prepared once, but never shared by two rows: each keeps its own place. */
static void test_statements_are_kept(void **state)
{
    run_bench *bench = *state;
    foray_run *run = run_create(bench, bench->path);
    fy_store *store = run->store;
    char *text, outer_name[64];
    fy_row outer, inner;
    for (int64_t i = 0, before = 0; i < 3; i++, before = count_statements(store)) {
        assert_ok(bench, fy_store_get_meta(store, "world", &text));
        free(text);
        assert_true(i == 0 || count_statements(store) == before);
    }
    fy_row_prepare(&outer, store, "settings", setting_named);
    fy_row_bind_text(&outer, 1, "");
    assert_true(fy_row_next(&outer));
    snprintf(outer_name, sizeof outer_name, "%s", fy_row_text(&outer));
    fy_row_prepare(&inner, store, "settings", setting_named);
    fy_row_bind_text(&inner, 1, "");
    assert_true(inner.statement != outer.statement && fy_row_next(&inner));
    assert_string_equal(fy_row_text(&inner), outer_name);
    assert_ok(bench, fy_row_end(&inner));
    assert_true(fy_row_next(&outer));
    assert_string_not_equal(fy_row_text(&outer), outer_name);
    assert_ok(bench, fy_row_end(&outer));
    fy_row_prepare(&inner, store, "settings", setting_named); /* what was bound is forgotten */
    assert_false(fy_row_next(&inner));
    assert_ok(bench, fy_row_end(&inner));
    assert_ok(bench, foray_run_close(run));
}

/* After failures, after other tables, and whatever was asked for in between. */
static void test_kept_statements_stay_right(void **state)
{
    run_bench *bench = *state;
    foray_run *run = run_create(bench, bench->path);
    fy_store *store = run->store;
    char *text, sql[64];
    int64_t number;
    for (int id = 1; id < 4; id++) { /* the second is a repetition */
        fy_row row;
        fy_row_prepare(&row, store, "row", "INSERT INTO checkpoint(episodes, bytes) VALUES(?1, 0)");
        fy_row_bind_int(&row, 1, id - (id == 2));
        fy_row_next(&row);
        run_assert_status(bench->ctx, fy_row_end(&row), id == 2 ? FORAY_ERROR_RUN : FORAY_OK, "end",
                          __LINE__);
    }
    assert_ok(bench, fy_store_number(store, "SELECT count(*) FROM checkpoint", &number));
    assert_int_equal(number, 2);
    assert_ok(bench, fy_store_run(store, "DELETE FROM checkpoint; CREATE TEMP TABLE other(x)"));
    assert_ok(bench, fy_store_number(store, "SELECT count(*) FROM checkpoint", &number));
    assert_int_equal(number, 0);
    for (int i = 0; i < 2 * FY_STORE_CACHED; i++) { /* all at the same address */
        snprintf(sql, sizeof sql, "SELECT %d", i);
        assert_ok(bench, fy_store_number(store, sql, &number));
        assert_int_equal(number, i);
    }
    assert_true(count_statements(store) <= FY_STORE_CACHED);
    assert_ok(bench, fy_store_get_meta(store, "world", &text));
    assert_string_equal(text, "test:world");
    free(text);
    assert_ok(bench, foray_run_close(run));
    assert_ok(bench, foray_run_verify(run = run_reopen(bench, bench->path, FORAY_RUN_READ)));
    assert_ok(bench, foray_run_close(run));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_statements_are_kept),
        RUN_TEST(test_kept_statements_stay_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
