/* test_import_memory.c - rows of large tables go to a temporary file: the model is the same to the
 * last byte, whatever the order of rows and however small the memory; peaks, which are those of
 * child processes, stay near the finished model; and what fails is said. */
#include "base/base.h"
#include "support.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[512];

static const char *in_folder(const char *name)
{
    static char full[4][600];
    static int turn;
    char *out = full[turn++ % 4];
    snprintf(out, sizeof full[0], "%s/%s", folder, name);
    return out;
}

static FILE *create(const char *name)
{
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    return file;
}

/* ------------------------------------------------------------------------ small tables */

/* What an import gives, as text: the model's bytes, and its rewards. */
typedef struct result {
    char *model;
    size_t size;
    foray_import_rewards rewards;
    foray_import_facts facts;
} result;

static foray_status import(foray_context *ctx, const char *const *path, int64_t paths,
                           const char *laws, int64_t memory, result *out)
{
    foray_import_options options = {.size = sizeof options,
                                    .horizon = 4,
                                    .initial = "0",
                                    .laws = laws,
                                    .folder = memory > 0 ? folder : NULL,
                                    .memory = memory};
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

/* With all rows in memory, and in pieces of one row, of a few and of many. */
static void assert_same_in_pieces(foray_context *ctx, const char *const *path, int64_t paths,
                                  const char *laws)
{
    static const int64_t memory[] = {1, 200, 3000};
    result whole, pieces;
    support_ok(ctx, import(ctx, path, paths, laws, 0, &whole));
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        support_ok(ctx, import(ctx, path, paths, laws, memory[i], &pieces));
        assert_same(&whole, &pieces);
        clear(&pieces);
    }
    clear(&whole);
}

/* Ends, ends that are entered otherwise as well, and twins by reward; the rows in a random order,
 * and so those of a pair. */
static void write_table(support_random *random, bool named)
{
    char line[256][64];
    int count = 0, states = 2 + (int)support_below(random, 6);
    for (int s = 0; s < states; s++)
        for (int a = 0; a < 2; a++)
            for (int j = 0; j < 4; j++)
                snprintf(line[count++], sizeof line[0], "%s%d,%d,%s%d,0.25,%d,%d\n",
                         named && s > 0 ? "s" : "", s, a, "",
                         named ? 0 : (int)support_below(random, (uint64_t)states),
                         (int)support_below(random, 3), support_below(random, 4) == 0);
    FILE *file = create("t.csv");
    fputs("state,action,next,probability,reward,done\n", file);
    for (int left = count; left > 0; left--) {
        int pick = (int)support_below(random, (uint64_t)left);
        fputs(line[pick], file);
        memcpy(line[pick], line[left - 1], sizeof line[0]);
    }
    assert_int_equal(fclose(file), 0);
}

static void pieces_of_any_size_give_one_model(void **state)
{
    foray_context *ctx = *state;
    support_random random = {.seed = 20};
    const char *path = in_folder("t.csv");
    for (int i = 0; i < 60; i++) {
        write_table(&random, i % 4 == 3);
        path = in_folder("t.csv");
        assert_same_in_pieces(ctx, &path, 1, i % 2 ? "pair" : "all");
    }
}

static void write_prism(void)
{
    static const char *const text[2] = {
        "4 5 8\n3 0 3 1 stay\n0 1 2 0.5 go\n0 1 1 0.5 go\n0 0 0 1 stay\n"
        "1 0 1 0.25 stay\n1 0 3 0.75 stay\n2 0 1 0.5 go\n2 0 0 0.5 go\n",
        "4 5 3\n2 0 1 7\n0 1 2 5\n1 0 3 -1.5\n"};
    FILE *file = create("m.tra");
    fputs(text[0], file);
    assert_int_equal(fclose(file), 0);
    file = create("m.trew");
    fputs(text[1], file);
    assert_int_equal(fclose(file), 0);
}

static void so_do_those_of_prism(void **state)
{
    foray_context *ctx = *state;
    write_prism();
    const char *path[2] = {in_folder("m.trew"), in_folder("m.tra")};
    assert_same_in_pieces(ctx, path, 2, "pair");
}

/* ---------------------------------------------------------------------------- failures */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    support_random random = {.seed = 21};
    write_table(&random, false);
    const char *path = in_folder("t.csv");
    for (int64_t fail = 0;; fail++) {
        foray_context *ctx = foray_context_create();
        result r;
        ctx->allocations_left = fail;
        foray_status status = import(ctx, &path, 1, "pair", 200, &r);
        ctx->allocations_left = -1;
        foray_context_destroy(ctx);
        clear(&r);
        if (status == FORAY_OK)
            return;
        assert_int_equal(status, FORAY_ERROR_MEMORY);
        assert_true(fail < 3000);
    }
}

/* A disk that is full after so many bytes. */
static void every_write_may_fail(void **state)
{
    foray_context *ctx = *state;
    support_random random = {.seed = 22};
    struct rlimit before, limit;
    write_table(&random, false);
    const char *path = in_folder("t.csv");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    int64_t failed = 0;
    for (rlim_t bytes = 0;; bytes += 100, failed++) {
        result r;
        limit = before;
        limit.rlim_cur = bytes;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        foray_status status = import(ctx, &path, 1, "pair", 200, &r);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        clear(&r);
        if (status == FORAY_OK)
            break;
        assert_int_equal(status, FORAY_ERROR_IO);
        assert_non_null(strstr(foray_message(ctx), "a temporary file cannot be written"));
    }
    signal(SIGXFSZ, SIG_DFL);
    assert_true(failed > 5);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
    foray_context *ctx = *state;
    support_random random = {.seed = 23};
    foray_import_options options = {
        .size = sizeof options, .horizon = 4, .initial = "0", .folder = "nowhere", .memory = 1};
    foray_model *model;
    write_table(&random, false);
    const char *path = in_folder("t.csv");
    assert_int_equal(foray_model_import(ctx, &path, 1, &options, &model, NULL, NULL),
                     FORAY_ERROR_IO);
    assert_non_null(strstr(foray_message(ctx), "nowhere: a temporary file cannot be made"));
}

static void nothing_is_left(void **state)
{
    (void)state;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        assert_null(strstr(entry->d_name, "foray"));
    closedir(directory);
}

/* ------------------------------------------------------------------------------- peaks */

enum { STATES = 60000, ACTIONS = 2, SUCCESSORS = 5 };

/* Row by row in order, or all first rows of the pairs, scattered, before the second ones. */
static void write_large(const char *name, bool scattered)
{
    FILE *file = create(name);
    int64_t pairs = STATES * ACTIONS, rounds = scattered ? SUCCESSORS : 1;
    for (int64_t round = 0; round < rounds; round++)
        for (int64_t i = 0; i < pairs; i++)
            for (int64_t j = round; j < (scattered ? round + 1 : SUCCESSORS); j++) {
                int64_t pair = scattered ? i * 7919 % pairs : i;
                fprintf(file, "%d,%d,%d,0.2,0,0\n", (int)(pair / ACTIONS), (int)(pair % ACTIONS),
                        (int)((7 * pair + 37 * j * j) % STATES));
            }
    assert_int_equal(fclose(file), 0);
}

/* Many pairs with few successors each: what is kept for every law weighs most. */
static void write_pairs(const char *name)
{
    enum { PAIRS = 240000 };
    FILE *file = create(name);
    for (int i = 0; i < PAIRS; i++)
        for (int j = 0; j < 2; j++)
            fprintf(file, "%d,%d,%d,0.5,0,0\n", i / 4, i % 4, (7 * i + 37 * j) % (PAIRS / 4));
    assert_int_equal(fclose(file), 0);
}

typedef struct measure {
    double more, model; /* bytes: the peak over what there was before, and the finished model */
    uint32_t sum;       /* of the model's bytes */
} measure;

static double peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static void import_large(const char *name, const char *laws, bool in_memory, int out)
{
    foray_context *ctx = foray_context_create();
    foray_import_options options = {.size = sizeof options,
                                    .horizon = 4,
                                    .initial = "0",
                                    .laws = laws,
                                    .folder = in_memory ? NULL : folder,
                                    .memory = 4 << 20};
    foray_model *model = NULL;
    foray_model_facts facts = {0};
    const char *path = in_folder(name);
    char *bytes;
    size_t size;
    double before = peak();
    support_ok(ctx, foray_model_import(ctx, &path, 1, &options, &model, NULL, NULL));
    measure m = {.more = peak() - before};
    support_ok(ctx, foray_model_check(ctx, model, &facts));
    support_ok(ctx, foray_model_print(ctx, model, FORAY_MODEL_COMPACT, &bytes, &size));
    m.model = (double)facts.bytes;
    m.sum = fy_crc32c(0, bytes, size);
    _exit(write(out, &m, sizeof m) == sizeof m ? 0 : 1);
}

static measure measured(const char *name, const char *laws, bool in_memory)
{
    int pipes[2], status;
    measure m = {0};
    assert_int_equal(pipe(pipes), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        import_large(name, laws, in_memory, pipes[1]);
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &m, sizeof m), sizeof m);
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    printf("%s%s: %.1f MB for a model of %.1f MB\n", name, in_memory ? " in memory" : "",
           m.more / 1e6, m.model / 1e6);
    return m;
}

/* 600,000 rows, of which 4 MiB are in memory. The control keeps them there. */
static void peaks_stay_near_the_model(void **state)
{
    (void)state;
    const double more = 24e6;
    if (!support_counts_memory())
        skip();
    write_large("sorted", false);
    write_large("scattered", true);
    assert_int_equal(rename(in_folder("sorted"), in_folder("t.csv")), 0);
    measure sorted = measured("t.csv", "all", false), control = measured("t.csv", "all", true);
    assert_int_equal(rename(in_folder("scattered"), in_folder("t.csv")), 0);
    measure scattered = measured("t.csv", "all", false);
    assert_true(sorted.more <= sorted.model + more);
    assert_true(scattered.more <= scattered.model + more);
    assert_true(control.more > control.model + 2 * more);
    assert_true(sorted.sum == scattered.sum && sorted.sum == control.sum);
}

/* A law for every pair, 240,000 of them. With the equations of all laws at once it took 19 MB more
 * than the model, and 12 MB with those of some at a time. */
static void so_do_those_of_many_laws(void **state)
{
    (void)state;
    const double more = 16e6;
    if (!support_counts_memory())
        skip();
    write_pairs("t.csv");
    measure pairs = measured("t.csv", "pair", false);
    assert_true(pairs.more <= pairs.model + more);
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
        cmocka_unit_test(pieces_of_any_size_give_one_model),
        cmocka_unit_test(so_do_those_of_prism),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_write_may_fail),
        cmocka_unit_test(a_folder_that_is_not_there_is_named),
        cmocka_unit_test(peaks_stay_near_the_model),
        cmocka_unit_test(so_do_those_of_many_laws),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
