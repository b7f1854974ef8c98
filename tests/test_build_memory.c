/* test_build_memory.c - how much memory models take while they are built and read, and that the
 * order in which a builder is told things does not matter.
 *
 * Peaks are those of child processes, as the system counts them. */
#include "support.h"

#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATES = 150000, ACTIONS = 2, SUCCESSORS = 5, DIM = 4 };

enum order { IN_ORDER, PAIRS_SHUFFLED, CALLS_SHUFFLED };

typedef struct shape {
    const char *kind;
    enum order order;
    int64_t states;
} shape;

/* Successor j of a pair; those of one pair differ. */
static int64_t successor(int64_t states, int64_t pair, int64_t j)
{
    return (pair / ACTIONS + pair % ACTIONS + 37 * j * j) % states;
}

/* One call, about successor j, or about all of them where the kind has one call for a pair. */
static void tell(foray_builder *b, const shape *s, int64_t pair, int64_t j)
{
    int64_t state = pair / ACTIONS, action = pair % ACTIONS, next = successor(s->states, pair, j);
    double own = (double)(pair + 1) / 1e7, value = 1.0 / SUCCESSORS;
    double odd = value + (j == 0 ? own : j == 1 ? -own : 0);
    if (strcmp(s->kind, "tabular") == 0)
        foray_builder_transition(b, state, action, next, value);
    else if (strcmp(s->kind, "mixture") == 0)
        for (int64_t i = 0; i < DIM; i++)
            foray_builder_simulator(b, i, state, action, next, value);
    else if (strcmp(s->kind, "classes") == 0 && j == 0) {
        int64_t all[SUCCESSORS];
        for (int64_t k = 0; k < SUCCESSORS; k++)
            all[k] = successor(s->states, pair, k);
        foray_builder_outcomes(b, state, action, action, all);
    } else if (strcmp(s->kind, "shared") == 0 || strcmp(s->kind, "own") == 0) {
        const int64_t coordinate[] = {2, 0, 1, 3};
        const double features[] = {j == 0, strcmp(s->kind, "own") == 0 ? odd : value, value, 0};
        foray_builder_feature(b, state, action, next, DIM, coordinate, features);
    }
}

static foray_builder *create(foray_context *ctx, const shape *s)
{
    const int64_t outcomes[] = {SUCCESSORS, SUCCESSORS};
    foray_builder *b = NULL;
    if (strcmp(s->kind, "tabular") == 0)
        support_ok(ctx, foray_builder_create_tabular(ctx, s->states, ACTIONS, 5, &b));
    else if (strcmp(s->kind, "mixture") == 0)
        support_ok(ctx, foray_builder_create_mixture(ctx, s->states, ACTIONS, 5, DIM, &b));
    else if (strcmp(s->kind, "classes") == 0)
        support_ok(ctx, foray_builder_create_classes(ctx, s->states, ACTIONS, 5, 2, outcomes, &b));
    else
        support_ok(ctx, foray_builder_create(ctx, s->states, ACTIONS, 5, DIM, 4, &b));
    return b;
}

/* Pairs in order, or by a step that is prime to their number. Calls shuffled: all pairs have
 * been told one successor before any is told the next. */
static foray_model *build(foray_context *ctx, const shape *s)
{
    int64_t pairs = s->states * ACTIONS, step = s->order == IN_ORDER ? 1 : 7919;
    int64_t rounds = s->order == CALLS_SHUFFLED ? SUCCESSORS : 1;
    foray_builder *b = create(ctx, s);
    for (int64_t round = 0; round < rounds; round++)
        for (int64_t i = 0; i < pairs; i++)
            for (int64_t j = round; j < (rounds > 1 ? round + 1 : SUCCESSORS); j++)
                tell(b, s, (i * step + 11 * round) % pairs, j);
    foray_builder_name(b, "large");
    foray_model *model = NULL;
    support_ok(ctx, foray_builder_finish(b, &model));
    foray_builder_destroy(b);
    return model;
}

/* ------------------------------------------------------------------- the peak */

static long peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024L;
}

/* Where a model comes from. */
enum source { BUILT, READ, IN_A_RUN };

/* How much more than before, against what the model says it takes. Not returned from: this is a
 * child. */
static void measure(const shape *s, enum source source, const char *path, int out)
{
    foray_context *ctx = foray_context_create();
    foray_model *model = NULL;
    foray_run *run = NULL;
    long before = peak();
    if (source == BUILT)
        model = build(ctx, s);
    else if (source == READ)
        support_ok(ctx, foray_model_load(ctx, path, &model));
    else
        support_ok(ctx, foray_run_open(ctx, path, FORAY_RUN_READ, &run));
    double more = (double)(peak() - before);
    foray_model_facts facts = {0};
    foray_model_check(ctx, run ? foray_run_model(run) : model, &facts);
    double ratio = more / (double)facts.bytes;
    bool written = write(out, &ratio, sizeof ratio) == sizeof ratio;
    foray_run_close(run);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
    _exit(written ? 0 : 1);
}

static double measured(const shape *s, enum source source, const char *path)
{
    static const char *const name[] = {"built", "read", "in a run"};
    int pipes[2], status;
    double ratio = 1e9;
    assert_int_equal(pipe(pipes), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        measure(s, source, path, pipes[1]);
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &ratio, sizeof ratio), sizeof ratio);
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    printf("%s %s, order %d: %.2f times the model\n", name[source], s->kind, s->order, ratio);
    return ratio;
}

static const shape shapes[] = {
    {"classes", IN_ORDER, STATES}, {"classes", PAIRS_SHUFFLED, STATES},
    {"tabular", IN_ORDER, STATES}, {"tabular", CALLS_SHUFFLED, STATES},
    {"mixture", IN_ORDER, STATES}, {"mixture", PAIRS_SHUFFLED, STATES},
    {"shared", IN_ORDER, STATES},  {"shared", PAIRS_SHUFFLED, STATES},
    {"own", IN_ORDER, STATES},     {"own", CALLS_SHUFFLED, STATES},
};

static void building_takes_little_more_than_the_model(void **state)
{
    (void)state;
    if (!support_counts_memory())
        skip();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        assert_true(measured(&shapes[i], BUILT, NULL) <= 1.5);
}

/* A run without episodes, whose algorithm needs next to nothing. */
static void save_run(foray_context *ctx, const foray_model *model, const char *path)
{
    foray_settings settings;
    foray_run *run;
    foray_settings_default(&settings);
    support_ok(ctx, foray_settings_set(ctx, &settings, "algorithm", "random"));
    support_ok(ctx,
               foray_run_create(ctx, path, FORAY_RUN_REPLACE, model, "large", &settings, &run));
    support_ok(ctx, foray_run_close(run));
}

/* In a child, which takes its peak with it. */
static void save(const shape *s, enum source source, const char *path)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        foray_context *ctx = foray_context_create();
        foray_model *model = build(ctx, s);
        if (source == READ)
            support_ok(ctx, foray_model_save(ctx, model, FORAY_MODEL_COMPACT, path));
        else
            save_run(ctx, model, path);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void reading_takes_little_more_than_the_model(void **state)
{
    (void)state;
    if (!support_counts_memory())
        skip();
    static const char path[] = "test_build_memory.model";
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i += 2) {
        save(&shapes[i], READ, path);
        double ratio = measured(&shapes[i], READ, path);
        remove(path);
        assert_true(ratio <= 1.5);
    }
}

/* So large that the few megabytes SQLite needs do not matter. The run has the half of the model
 * that episodes get to, and counts each of its transitions, in 8 bytes where the model takes 13. */
static void opening_a_run_takes_little_more_than_its_model(void **state)
{
    (void)state;
    if (!support_counts_memory())
        skip();
    static const char path[] = "test_build_memory.foray";
    const shape large = {"classes", IN_ORDER, 2L * STATES};
    save(&large, IN_A_RUN, path);
    double ratio = measured(&large, IN_A_RUN, path);
    remove(path);
    assert_true(ratio <= 2);
}

/* ------------------------------------------------------------------- the order */

static void the_order_does_not_matter(void **state)
{
    (void)state;
    static const char *const kinds[] = {"classes", "tabular", "mixture", "shared", "own"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        foray_context *ctx = foray_context_create();
        shape s = {.kind = kinds[i], .states = 3001};
        foray_model *model[3];
        char *bytes[3];
        size_t size[3];
        for (int order = IN_ORDER; order <= CALLS_SHUFFLED; order++) {
            s.order = (enum order)order;
            model[order] = build(ctx, &s);
            support_ok(ctx, foray_model_print(ctx, model[order], FORAY_MODEL_COMPACT, &bytes[order],
                                              &size[order]));
            assert_int_equal(size[order], size[0]);
            assert_memory_equal(bytes[order], bytes[0], size[0]);
        }
        for (int order = IN_ORDER; order <= CALLS_SHUFFLED; order++) {
            free(bytes[order]);
            foray_model_destroy(model[order]);
        }
        foray_context_destroy(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(building_takes_little_more_than_the_model),
        cmocka_unit_test(reading_takes_little_more_than_the_model),
        cmocka_unit_test(opening_a_run_takes_little_more_than_its_model),
        cmocka_unit_test(the_order_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
