/* test_import_rows.c - the model of a table is the same whatever the order of its rows, as long as
 * those of a pair keep theirs; and a table that does not fit in memory says so. */
#include "base/base.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[512];

static const char *in_folder(const char *name)
{
    static char full[4][600];
    static int turn;
    char *out = full[turn++ % 4];
    snprintf(out, sizeof full[0], "%s/%s", folder, name);
    return out;
}

/* What an import gives, as text: the model's bytes, and its rewards. */
typedef struct result {
    char *model;
    size_t size;
    foray_import_rewards rewards;
    foray_import_facts facts;
} result;

static foray_status import(foray_context *ctx, const char *const *path, int64_t paths,
                           const char *laws, result *out)
{
    foray_import_options options = {
        .size = sizeof options, .horizon = 4, .initial = "0", .laws = laws};
    foray_model *model = NULL;
    *out = (result){0};
    foray_status status =
        foray_model_import(ctx, path, paths, &options, &model, &out->rewards, &out->facts);
    if (status == FORAY_OK)
        status = foray_model_print(ctx, model, FORAY_MODEL_COMPACT, &out->model, &out->size);
    foray_model_destroy(model);
    return status;
}

static void clear(result *r)
{
    free(r->model);
    foray_import_rewards_clear(&r->rewards);
}

static void assert_same(const result *a, const result *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->model, b->model, a->size);
    assert_int_equal(a->rewards.count, b->rewards.count);
    for (int64_t i = 0; i < a->rewards.count; i++)
        assert_string_equal(a->rewards.text[i], b->rewards.text[i]);
    assert_memory_equal(&a->facts, &b->facts, sizeof a->facts);
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

enum { ROWS_OF_PAIR = 4, MAX_PAIRS = 16, LINE = 64 };

/* A random table with ends, ends that are entered otherwise as well, and twins by reward: the rows
 * pair by pair, and the same ones with the pairs mixed. */
static void write_tables(support_random *random)
{
    static char row[MAX_PAIRS][ROWS_OF_PAIR][LINE];
    char sorted[MAX_PAIRS * ROWS_OF_PAIR * LINE] = "s,a,next,probability,reward,done\n",
                                           mixed[sizeof sorted];
    int states = 2 + (int)support_below(random, 6), pairs = 2 * states, used[MAX_PAIRS] = {0};
    strcpy(mixed, sorted);
    for (int p = 0; p < pairs; p++)
        for (int j = 0; j < ROWS_OF_PAIR; j++) {
            snprintf(row[p][j], LINE, "%d,%d,%d,0.25,%d,%d\n", p / 2, p % 2,
                     (int)support_below(random, (uint64_t)states), (int)support_below(random, 3),
                     support_below(random, 4) == 0);
            strcat(sorted, row[p][j]);
        }
    for (int left = pairs * ROWS_OF_PAIR; left > 0;) {
        int p = (int)support_below(random, (uint64_t)pairs);
        if (used[p] == ROWS_OF_PAIR)
            continue;
        strcat(mixed, row[p][used[p]++]);
        left--;
    }
    write_text("t.csv", sorted);
    write_text("mixed.csv", mixed);
}

static void the_order_of_pairs_does_not_matter(void **state)
{
    foray_context *ctx = *state;
    support_random random = {.seed = 20};
    for (int i = 0; i < 60; i++) {
        result sorted, mixed;
        write_tables(&random);
        const char *path = in_folder("t.csv"), *laws = i % 2 ? "pair" : "all";
        foray_status status = import(ctx, &path, 1, laws, &sorted);
        assert_int_equal(rename(in_folder("mixed.csv"), path), 0); /* models have their names */
        assert_int_equal(import(ctx, &path, 1, laws, &mixed), status);
        if (status == FORAY_OK)
            assert_same(&sorted, &mixed);
        clear(&sorted);
        clear(&mixed);
    }
}

static void nor_does_that_of_prisms_files(void **state)
{
    foray_context *ctx = *state;
    result sorted, mixed;
    write_text("a.tra", "4 5 8\n0 0 0 1 stay\n0 1 1 0.5 go\n0 1 2 0.5 go\n1 0 1 0.25 stay\n"
                        "1 0 3 0.75 stay\n2 0 0 0.5 go\n2 0 1 0.5 go\n3 0 3 1 stay\n");
    write_text("a.trew", "4 5 3\n0 1 2 5\n1 0 3 -1.5\n2 0 1 7\n");
    write_text("b.tra", "4 5 8\n3 0 3 1 stay\n0 1 1 0.5 go\n0 0 0 1 stay\n0 1 2 0.5 go\n"
                        "1 0 1 0.25 stay\n2 0 0 0.5 go\n1 0 3 0.75 stay\n2 0 1 0.5 go\n");
    write_text("b.trew", "4 5 3\n2 0 1 7\n0 1 2 5\n1 0 3 -1.5\n");
    const char *a[2] = {in_folder("a.trew"), in_folder("a.tra")};
    support_ok(ctx, import(ctx, a, 2, "pair", &sorted));
    const char *b[2] = {in_folder("b.trew"), in_folder("b.tra")};
    support_ok(ctx, import(ctx, b, 2, "pair", &mixed));
    for (int64_t i = 0; i < sorted.rewards.count; i++)
        assert_string_equal(sorted.rewards.text[i], mixed.rewards.text[i]);
    clear(&sorted);
    clear(&mixed);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    support_random random = {.seed = 21};
    write_tables(&random);
    const char *path = in_folder("mixed.csv");
    bool said = false;
    for (int64_t fail = 0;; fail++) {
        foray_context *ctx = foray_context_create();
        result r;
        ctx->allocations_left = fail;
        foray_status status = import(ctx, &path, 1, "pair", &r);
        said = said || strstr(foray_message(ctx), "rows do not fit in memory: out of memory");
        foray_context_destroy(ctx);
        clear(&r);
        if (status == FORAY_OK)
            break;
        assert_int_equal(status, FORAY_ERROR_MEMORY);
        assert_true(fail < 3000);
    }
    assert_true(said);
}

static int set_up(void **state)
{
    char *directory = support_directory();
    snprintf(folder, sizeof folder, "%s", directory);
    free(directory);
    return support_set_up(state);
}

static int tear_down(void **state)
{
    support_remove(strdup(folder));
    return support_tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_pairs_does_not_matter),
        cmocka_unit_test(nor_does_that_of_prisms_files),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
