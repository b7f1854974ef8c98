/* test_lab_experiment.c - what the lab does for an experiment, with one that is made up:
 * parameters, stopping and continuing, threads, refusals, failed allocations and disks. */
#include "experiments/experiments.h"
#include "support_work.h"
#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ------------------------------------------------------------- a made-up experiment */

enum { WORDS, SIZES, REPEATS, FAILING, SEED };

static const foray_lab_parameter parameters[] = {
    [WORDS] = FY_LAB_CHOICES("words", "red", "red,blue", "red|green|blue", "colours"),
    [SIZES] = FY_LAB_REALS("some_sizes", "1", "1,2.5", 0.5, 10, "sizes"),
    [REPEATS] = FY_LAB_INTEGER("repeats", "2", "3", 1, 100, "cells of each kind"),
    [FAILING] = FY_LAB_INTEGER("failing", "-1", "-1", -1, 100, "the cell that fails"),
    [SEED] = FY_LAB_SEED,
};

enum { C_WORD, C_KIND, C_SIZE, C_VALUE, C_TIME, COLUMNS };
static const char *const kind_words[] = {"even", "odd"};

static const fy_lab_column columns[COLUMNS] = {
    [C_WORD] = {.name = "word", .help = "the colour", .words = 1 + WORDS},
    [C_KIND] = {.name = "kind", .help = "of the repeat", .word = kind_words},
    [C_SIZE] = {.name = "size", .help = "the size"},
    [C_VALUE] = {.name = "value", .help = "a number with all its digits"},
    [C_TIME] = {.name = "seconds", .help = "what differs every time", .time = true},
};

static foray_status plan(fy_lab *lab)
{
    foray_status status = FORAY_OK;
    for (int64_t w = 0; w < fy_lab_count(lab, WORDS); w++)
        for (int64_t s = 0; s < fy_lab_count(lab, SIZES); s++)
            for (int64_t r = 0; r < fy_lab_integer(lab, REPEATS) && status == FORAY_OK; r++) {
                const int64_t at[FY_LAB_AXES] = {w, s, r};
                status = fy_lab_add_cell(lab, (double)(1 + s), at, "%s-%g-%lld",
                                         fy_lab_word(lab, WORDS, w), fy_lab_number(lab, SIZES, s),
                                         (long long)r);
            }
    return status;
}

static foray_status cell(foray_context *ctx, fy_lab *lab, int64_t index, fy_rows *rows)
{
    const int64_t *at = lab->cell[index].at;
    foray_status status = FORAY_OK;
    if (index == fy_lab_integer(lab, FAILING))
        return fy_fail(ctx, FORAY_ERROR_WORLD, "it had to fail");
    for (int i = 0; i < 3 && status == FORAY_OK; i++) {
        double row[COLUMNS] = {(double)at[0], (double)(at[2] % 2), fy_lab_number(lab, SIZES, at[1]),
                               i == 1 ? INFINITY : 0.1 * (double)(index + i) / 3.0, fy_clock()};
        status = fy_rows_add(ctx, rows, row);
        if (!fy_lab_progress(lab, index, (i + 1) / 3.0))
            status = FORAY_INTERRUPTED;
    }
    return status;
}

static foray_status show(fy_lab *lab, fy_content *content)
{
    static const char *const heading[] = {"cell", "sum"};
    fy_table table = fy_table_begin(lab->ctx, 2, heading);
    fy_content_heading(content, "Sums");
    fy_content_paragraph(content, "Of %d & %d.", 0, 2);
    fy_content_term(content, "sum", "what <adds> up");
    fy_content_chart(
        content,
        &(fy_chart){.id = "sums", .title = "Sums", .x = {.label = "cell"}, .y = {.label = "sum"}});
    fy_content_series(content, "all");
    for (int64_t i = 0; i < lab->cells; i++) {
        double sum = 0.0;
        for (int64_t r = 0; r < lab->rows[i].count; r += 2)
            sum += fy_rows_at(&lab->rows[i], r)[C_VALUE];
        fy_table_cell(&table, "%s", lab->cell[i].name);
        fy_table_exact(&table, sum);
        fy_content_point(content, (fy_series_point){(double)i, sum, NAN, NAN});
    }
    fy_lab_find(lab, "There are %lld cells & no more.", (long long)lab->cells);
    fy_content_spans(content,
                     &(fy_spans){.id = "span", .title = "Span", .label = "span", .note = "a note"});
    fy_content_span(content, &(fy_span){.label = "one", .high = 1, .point = NAN, .truth = NAN});
    static const char *const groups[] = {"group"};
    fy_content_forest(content, &(fy_forest){.id = "forest",
                                            .title = "Forest",
                                            .x = {.label = "effect"},
                                            .groups = 1,
                                            .group = groups});
    fy_content_effects(content, "row", &(fy_effect){1, 0.5, 2});
    fy_content_table(content, FY_TABLE_READ, "summary", NULL, &table);
    table = fy_table_begin(lab->ctx, 2, heading);
    fy_content_table(content, FY_TABLE_BEHIND, "behind", "nothing", &table);
    return FORAY_OK;
}

static const fy_lab_experiment made_up = {
    .name = "madeup",
    .summary = "what nobody asked for",
    .question = "Is a < b?",
    .description = "Nothing.",
    .example = "",
    .parameter = parameters,
    .parameters = sizeof parameters / sizeof *parameters,
    .column = columns,
    .columns = COLUMNS,
    .plan = plan,
    .cell = cell,
    .show = show,
};
enum { CELLS = 12 }; /* with the full values */

/* Makes it in a directory, with parameters "name=value" up to a NULL. */
static foray_status make(foray_context *ctx, const char *directory, foray_work_fn progress,
                         void *user, const char *const *given)
{
    fy_lab lab;
    foray_lab_options options = {.setting = given};
    while (given && given[options.settings])
        options.settings++;
    foray_status status = fy_lab_create(ctx, &made_up, &options, NULL, &lab);
    if (status == FORAY_OK)
        status = fy_lab_make(&lab, directory, progress, user);
    fy_lab_release(&lab);
    return status;
}

/* --------------------------------------------------------------------------- helpers */

static char *content(const char *directory, const char *name)
{
    char path[1024];
    uint8_t *data = NULL;
    size_t size;
    foray_context *ctx = foray_context_create();
    snprintf(path, sizeof path, "%s/%s", directory, name);
    support_ok(ctx, fy_file_read(ctx, path, 1 << 20, &data, &size));
    foray_context_destroy(ctx);
    return (char *)data;
}

static void assert_same_files(const char *one, const char *other)
{
    static const char *const names[] = {"rows.csv", "summary.csv", "findings.txt", "index.html",
                                        "experiment.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *a = content(one, names[i]), *b = content(other, names[i]);
        assert_string_equal(a, b);
        free(a);
        free(b);
    }
}

/* ----------------------------------------------------------------------------- tests */

static void everything_is_written(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    char *directory = support_directory();
    support_ok(ctx, make(ctx, directory, NULL, NULL, NULL));
    char *rows = content(directory, "rows.csv"), *page_text = content(directory, "index.html");
    char *findings = content(directory, "findings.txt"), *times = content(directory, "times.csv");
    /* Words by their parameter and by their own list, numbers to the last digit. */
    assert_non_null(strstr(rows, "cell,word,kind,size,value\nred-1-0,red,even,1,0\n"));
    assert_non_null(strstr(rows, "blue-2.5-1,blue,odd,2.5,inf\n"));
    assert_non_null(strstr(rows, "red-1-1,red,odd,1,0.10000000000000002\n"));
    assert_null(strstr(rows, "seconds"));
    assert_non_null(strstr(times, "cell,seconds\n"));
    assert_string_equal(findings, "There are 12 cells & no more.\n");
    assert_non_null(
        strstr(page_text, "<p class=\"verdict\">\nThere are 12 cells &amp; no more.\n</p>"));
    assert_non_null(strstr(page_text, "Is a &lt; b?"));
    assert_non_null(strstr(page_text, "foray lab madeup -o madeup\n"));
    assert_non_null(strstr(page_text, "download=\"rows.csv\""));
    /* What the experiment shows, in its order: text escaped, pictures side by side, a
     * table behind pictures on the page alone. */
    static const char *const shown[] = {"<h2>Sums</h2>",
                                        "<p>Of 0 &amp; 2.</p>",
                                        "<dl>\n<dt>sum</dt><dd>what &lt;adds&gt; up</dd>\n</dl>",
                                        "<div class=\"pair\">\n<figure>",
                                        "id=\"sums\"",
                                        "<figcaption>a note</figcaption>",
                                        "id=\"span\"",
                                        "</figure>\n<figure class=\"forest\">",
                                        "id=\"forest\"",
                                        "</figure>\n</div>",
                                        "id=\"summary-table\"",
                                        "id=\"behind-data\"",
                                        "<h2>Everything that was measured</h2>"};
    const char *at = page_text;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        at = strstr(at, shown[i]);
        if (!at)
            fail_msg("\"%s\" is missing or out of order", shown[i]);
    }
    char behind[512];
    struct stat about;
    snprintf(behind, sizeof behind, "%s/behind.csv", directory);
    assert_int_not_equal(stat(behind, &about), 0);
    free(rows);
    free(page_text);
    free(findings);
    free(times);
    support_remove(directory);
    foray_context_destroy(ctx);
}

/* The command on the page asks for what is not a default, in the shorter way. */
static void the_page_has_the_command(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const char *near_quick[] = {"words=red", "some_sizes=1", "repeats=2", "seed=7", NULL};
    const char *near_full[] = {"some_sizes=3", NULL};
    char *quick = support_directory(), *full = support_directory();
    support_ok(ctx, make(ctx, quick, NULL, NULL, near_quick));
    support_ok(ctx, make(ctx, full, NULL, NULL, near_full));
    char *one = content(quick, "index.html"), *other = content(full, "index.html");
    assert_non_null(strstr(one, "foray lab madeup --quick --seed 7 -o madeup\n"));
    assert_non_null(strstr(other, "foray lab madeup --some-sizes 3 -o madeup\n"));
    free(one);
    free(other);
    support_remove(quick);
    support_remove(full);
    foray_context_destroy(ctx);
}

static void stopped_it_continues_to_the_same_bytes(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    char *whole = support_directory(), *parts = support_directory();
    support_ok(ctx, make(ctx, whole, NULL, NULL, NULL));
    for (int threads = 1; threads <= 3; threads++) {
        support_watch w = {.parts = CELLS, .stop_after = 3 * threads};
        foray_context_set_threads(ctx, threads);
        assert_int_equal(make(ctx, parts, support_look, &w, NULL), FORAY_INTERRUPTED);
        assert_true(w.last.finished >= w.stop_after && w.last.finished < CELLS);
    }
    support_watch w = {.parts = CELLS, .stop_after = INT64_MAX};
    support_ok(ctx, make(ctx, parts, support_look, &w, NULL));
    assert_int_equal(w.last.finished, CELLS);
    assert_true(w.last.remaining == 0.0 && w.last.done == 1.0);
    assert_same_files(whole, parts);
    /* Once more there is nothing to make, times included. */
    char *before = content(parts, "times.csv");
    support_ok(ctx, make(ctx, parts, NULL, NULL, NULL));
    char *after = content(parts, "times.csv");
    assert_string_equal(before, after);
    free(before);
    free(after);
    support_remove(whole);
    support_remove(parts);
    foray_context_destroy(ctx);
}

static void other_terms_are_refused(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const char *other[] = {"repeats=4", NULL};
    char *directory = support_directory(), path[512];
    support_ok(ctx, make(ctx, directory, NULL, NULL, NULL));
    support_refused(ctx, make(ctx, directory, NULL, NULL, other), FORAY_ERROR_USAGE,
                    "was started with \"repeats 3\", not \"repeats 4\"");
    /* A cell that is damaged is not taken for one that is there. */
    snprintf(path, sizeof path, "%s/cells/red-1-0.csv", directory);
    support_ok(ctx, fy_file_write(ctx, path, true, "nonsense\n", 9));
    support_refused(ctx, make(ctx, directory, NULL, NULL, NULL), FORAY_ERROR_INPUT,
                    "red-1-0.csv: not the rows of a cell");
    assert_int_equal(remove(path), 0);
    support_ok(ctx, make(ctx, directory, NULL, NULL, NULL));
    support_remove(directory);
    foray_context_destroy(ctx);
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *given, *words;
    } bad[] = {
        {"words=red,pink", "words=pink, but it must be one of red|green|blue"},
        {"words=", "words=, but it must be one of"},
        {"words=red,red", "has a value twice"},
        {"some_sizes=1,1.0", "has a value twice"},
        {"some_sizes=1,", "some_sizes=, but it must be a number from 0.5 to 10"},
        {"some_sizes=11", "must be a number"},
        {"some_sizes=nan", "must be a number"},
        {"repeats=1.5", "must be an integer from 1 to 100"},
        {"repeats=2,3", "must be an integer"},
        {"colour=red", "has no parameter \"colour\""},
        {"repeats", "should read name=value"},
    };
    foray_context *ctx = foray_context_create();
    char *directory = support_directory();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *given[] = {bad[i].given, NULL};
        support_refused(ctx, make(ctx, directory, NULL, NULL, given), FORAY_ERROR_USAGE,
                        bad[i].words);
    }
    foray_lab_options none = {0};
    support_refused(ctx, foray_lab_run(ctx, "nothing", &none, directory, NULL, NULL),
                    FORAY_ERROR_USAGE, "no experiment \"nothing\"");
    support_remove(directory);
    foray_context_destroy(ctx);
}

static void a_cell_that_fails_says_which(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const char *given[] = {"failing=4", NULL};
    char *directory = support_directory();
    support_refused(ctx, make(ctx, directory, NULL, NULL, given), FORAY_ERROR_WORLD,
                    "red-2.5-1: it had to fail");
    support_remove(directory);
    foray_context_destroy(ctx);
}

/* A directory where a file is to be written cannot be replaced by it. */
static void what_cannot_be_written_is_said(void **state)
{
    (void)state;
    static const char *const names[] = {"rows.csv",     "times.csv",  "summary.csv",
                                        "findings.txt", "index.html", "cells/red-1-0.csv"};
    foray_context *ctx = foray_context_create();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *directory = support_directory(), path[512], inside[600];
        support_ok(ctx, make(ctx, directory, NULL, NULL, NULL));
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        snprintf(inside, sizeof inside, "%s/in the way", path);
        assert_int_equal(remove(path), 0);
        assert_int_equal(mkdir(path, 0777), 0);
        support_ok(ctx, fy_file_write(ctx, inside, true, "x", 1));
        support_refused(ctx, make(ctx, directory, NULL, NULL, NULL), FORAY_ERROR_IO, names[i]);
        support_remove(directory);
    }
    foray_context_destroy(ctx);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    const char *few[] = {"words=red", "some_sizes=1", "repeats=1", NULL};
    char *whole = support_directory(), *broken = support_directory();
    support_ok(ctx, make(ctx, whole, NULL, NULL, few));
    foray_status status = FORAY_ERROR_MEMORY;
    int64_t failures = 0;
    for (; status != FORAY_OK; failures++) {
        assert_true(failures < 5000);
        ctx->allocations_left = failures;
        status = make(ctx, broken, NULL, NULL, few);
        assert_true(status == FORAY_OK || status == FORAY_ERROR_MEMORY);
    }
    ctx->allocations_left = -1;
    assert_true(failures > 30);
    assert_same_files(whole, broken);
    support_remove(whole);
    support_remove(broken);
    foray_context_destroy(ctx);
}

/* The tables of the real experiments fit the frame, and their defaults are valid. */
static void all_experiments_are_sound(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    assert_true(fy_lab_experiments_count > 0);
    for (int64_t e = 0; e < fy_lab_experiments_count; e++) {
        const fy_lab_experiment *experiment = fy_lab_experiments[e];
        assert_true(experiment->parameters <= FY_LAB_PARAMETERS);
        assert_true(experiment->columns <= FY_LAB_COLUMNS);
        for (int quick = 0; quick <= 1; quick++) {
            fy_lab lab;
            foray_lab_options options = {.quick = quick};
            support_ok(ctx, fy_lab_create(ctx, experiment, &options, NULL, &lab));
            assert_true(lab.cells > 0 && lab.weight > 0.0);
            for (int64_t i = 1; i < lab.cells; i++)
                assert_string_not_equal(lab.cell[i].name, lab.cell[i - 1].name);
            fy_lab_release(&lab);
        }
    }
    foray_context_destroy(ctx);
}

/* ------------------------------------------------------------------------------- all */

/* Counts those that are handed over: with their tables, rows and findings. */
static void see(void *user, const fy_lab *lab)
{
    ++*(int *)user;
    assert_int_equal(lab->cells, CELLS);
    assert_true(lab->rows[CELLS - 1].count > 0 && lab->content.count > 0);
    assert_string_equal((const char *)lab->findings.data, "There are 12 cells & no more.\n");
}

/* Stopped in the second of two, it goes on; the index has what both found. */
static void all_are_made_and_linked(void **state)
{
    (void)state;
    foray_context *ctx = foray_context_create();
    fy_lab_experiment second = made_up;
    second.name = "second";
    const fy_lab_experiment *const both[] = {&made_up, &second};
    foray_lab_options options = {0}, quick = {.quick = true};
    support_watch stopping = {.parts = 2 * CELLS, .stop_after = CELLS + 5};
    support_watch w = {.parts = 2 * CELLS, .stop_after = INT64_MAX};
    int seen = 0;
    char *parts = support_directory(), *alone = support_directory(), path[512];
    assert_int_equal(
        fy_lab_run_all(ctx, both, 2, &options, parts, support_look, &stopping, NULL, NULL),
        FORAY_INTERRUPTED);
    support_ok(ctx, fy_lab_run_all(ctx, both, 2, &options, parts, support_look, &w, see, &seen));
    assert_int_equal(w.last.finished, 2 * CELLS);
    assert_int_equal(seen, 2);
    support_ok(ctx, make(ctx, alone, NULL, NULL, NULL));
    snprintf(path, sizeof path, "%s/madeup", parts);
    assert_same_files(alone, path);
    char *index = content(parts, "index.html");
    assert_non_null(strstr(index, "<a href=\"madeup/index.html\">madeup</a>"));
    assert_non_null(strstr(index, "<a href=\"second/index.html\">second</a>"));
    assert_non_null(
        strstr(index, "<p class=\"verdict\">\nThere are 12 cells &amp; no more.\n</p>"));
    free(index);
    support_refused(ctx, fy_lab_run_all(ctx, both, 2, &quick, parts, NULL, NULL, see, &seen),
                    FORAY_ERROR_USAGE, "was started with \"quick no\", not \"quick yes\"");
    support_remove(parts);
    support_remove(alone);
    foray_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_written),
        cmocka_unit_test(the_page_has_the_command),
        cmocka_unit_test(stopped_it_continues_to_the_same_bytes),
        cmocka_unit_test(other_terms_are_refused),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(a_cell_that_fails_says_which),
        cmocka_unit_test(what_cannot_be_written_is_said),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(all_experiments_are_sound),
        cmocka_unit_test(all_are_made_and_linked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
