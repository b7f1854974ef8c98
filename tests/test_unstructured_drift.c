/* test_unstructured_drift.c - do new data fit a run of which nothing is known? Against a search
 * over all laws of two outcomes, and with worlds that stay as they are and worlds that change. */
#include "oracle_truth.h"
#include "support.h"
#include "run/run.h"
#include "system/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    foray_context *ctx;
    char *directory;
    char data[160], more[160], run[160];
    foray_model *unstructured;
} bench;

static bench bench_of(const char *open)
{
    bench b = {.ctx = foray_context_create(), .directory = support_directory()};
    snprintf(b.data, sizeof b.data, "%s/data.csv", b.directory);
    snprintf(b.more, sizeof b.more, "%s/more.csv", b.directory);
    snprintf(b.run, sizeof b.run, "%s/learnt.foray", b.directory);
    support_ok(b.ctx, foray_model_builtin(b.ctx, open, &b.unstructured));
    return b;
}

static void bench_close(bench *b)
{
    foray_model_destroy(b->unstructured);
    support_remove(b->directory);
    foray_context_destroy(b->ctx);
}

/* The first file learnt, and the second compared with it. */
static foray_status check(bench *b, double delta, fy_drift **drift)
{
    foray_settings settings;
    foray_run *run;
    foray_settings_default(&settings);
    support_ok(b->ctx, foray_settings_set(b->ctx, &settings, "algorithm", "recorded"));
    support_ok(b->ctx, foray_run_create(b->ctx, b->run, FORAY_RUN_REPLACE, b->unstructured, "open",
                                        &settings, &run));
    support_ok(b->ctx, foray_run_learn_file(run, b->data, NULL, NULL));
    foray_status status = fy_run_check_data(run, b->more, delta, drift);
    support_ok(b->ctx, foray_run_close(run));
    return status;
}

/* ------------------------------------------------------------------- two outcomes */

static void write_counts(const char *path, const int *N)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("episode,step,state,action,next\n", file);
    for (int k = 0; k < N[0] + N[1]; k++)
        fprintf(file, "%d,0,0,0,%d\n", k, k < N[0] ? 1 : 2);
    assert_int_equal(fclose(file), 0);
}

/* n KL(q||p) - x at delta/2, x by the prior's predictions one after the other. */
static double outside(const int *N, double p, double delta)
{
    enum { S = 3, G = 4 };
    double total = N[0] + N[1], n = 0, sum = -log(2 * G / delta);
    const double law[] = {p, 1 - p};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < N[i]; k++, n++)
            sum += log((k + 1.0 / S) / (n + 1)) - log(N[i] / total) + log(N[i] / total / law[i]);
    return sum;
}

/* The least over all p of the larger one: above 0, and no law is in both sets. */
static double search(const int *N, const int *M, double delta)
{
    enum { POINTS = 4000 };
    double min = INFINITY;
    for (int i = 1; i < POINTS; i++)
        min = fmin(min, fmax(outside(N, (double)i / POINTS, delta),
                             outside(M, (double)i / POINTS, delta)));
    return min;
}

static void sets_are_compared(void **state)
{
    (void)state;
    bench b = bench_of("unstructured:states=3,actions=1,horizon=1,initial=0");
    int64_t apart = 0, together = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        support_random random = {.seed = seed};
        const int N[] = {1 + (int)support_below(&random, 60), (int)support_below(&random, 60)};
        const int M[] = {1 + (int)support_below(&random, 60), (int)support_below(&random, 60)};
        fy_drift *drift;
        write_counts(b.data, N);
        write_counts(b.more, M);
        support_ok(b.ctx, check(&b, 0.5, &drift));
        double found = search(N, M, 0.5);
        assert_int_equal(drift->laws, 1);
        assert_int_equal(drift->law[0].later, M[0] + M[1]);
        /* Data come in order, so that some prefix may refute where all of them do not. */
        if (drift->refuted < 0)
            assert_true(found <= 0.02);
        if (found > 0.02)
            assert_true(drift->law[0].apart > 0);
        apart += found > 0.02;
        together += drift->refuted < 0;
        fy_drift_destroy(drift);
    }
    assert_true(apart > 3 && together > 3);
    bench_close(&b);
}

/* ------------------------------------------------------------------------ worlds */

static void write_episodes(bench *b, const char *spec, int64_t seed, int64_t episodes,
                           const char *path)
{
    foray_model *model;
    foray_world *world;
    foray_settings settings;
    foray_explorer *explorer;
    int32_t states[11], actions[10];
    foray_settings_default(&settings);
    support_ok(b->ctx, foray_settings_set(b->ctx, &settings, "algorithm", "random"));
    settings.seed = seed;
    support_ok(b->ctx, foray_model_builtin(b->ctx, spec, &model));
    support_ok(b->ctx, foray_explorer_create(b->ctx, model, &settings, &explorer));
    support_ok(b->ctx, foray_world_from_model(b->ctx, model, &world));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("episode,step,state,action,next\n", file);
    for (int64_t k = 0; k < episodes; k++) {
        support_ok(b->ctx, foray_explorer_play(explorer, world, states, actions));
        for (int t = 0; t < 10; t++)
            fprintf(file, "%d,%d,%d,%d,%d\n", (int)k, t, (int)states[t], (int)actions[t],
                    (int)states[t + 1]);
    }
    assert_int_equal(fclose(file), 0);
    foray_world_destroy(world);
    foray_explorer_destroy(explorer);
    foray_model_destroy(model);
}

/* At delta 1/2 half of the worlds that stay as they are may be refuted; those that change are. */
static void changes_are_noticed(void **state)
{
    (void)state;
    enum { RUNS = 10 };
    bench b = bench_of("unstructured:states=7,actions=2,horizon=10");
    int64_t wrong = 0, noticed = 0;
    for (int64_t seed = 1; seed <= RUNS; seed++) {
        fy_drift *drift;
        write_episodes(&b, "chain:states=7,zones=2,horizon=10", seed, 300, b.data);
        write_episodes(&b, "chain:states=7,zones=2,horizon=10", 100 + seed, 300, b.more);
        support_ok(b.ctx, check(&b, 0.5, &drift));
        wrong += drift->refuted >= 0;
        fy_drift_destroy(drift);
        write_episodes(&b, "chain:states=7,zones=2,horizon=10,success=0.5", seed, 300, b.more);
        support_ok(b.ctx, check(&b, 0.1, &drift));
        noticed += drift->refuted >= 0 && drift->law[drift->refuted].apart > 0 &&
                   drift->line == 2 + 10 * strtol(drift->episode, NULL, 10);
        fy_drift_destroy(drift);
    }
    print_message("[   FIGURES] of %d runs %d refuted without a change, and %d with one\n", RUNS,
                  (int)wrong, (int)noticed);
    assert_true(wrong <= truth_max_failures(RUNS, 0.5));
    assert_int_equal(noticed, RUNS);
    bench_close(&b);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* An end must stay one; memory may run out at any time. */
static void refusals(void **state)
{
    (void)state;
    bench b = bench_of("unstructured:states=3,actions=1,horizon=2");
    fy_drift *drift;
    write_text(b.data, "episode,step,state,action,next,done\n0,0,0,0,1,1\n");
    write_text(b.more, "episode,step,state,action,next,done\n0,0,0,0,1,0\n0,1,1,0,2,0\n");
    assert_int_equal(check(&b, 0.1, &drift), FORAY_ERROR_WORLD);
    assert_non_null(strstr(foray_message(b.ctx), "state 1 is left"));
    write_text(b.more, "episode,step,state,action,next,done\n0,0,0,0,1,0\n0,1,1,0,1,0\n");
    support_ok(b.ctx, check(&b, 0.1, &drift));
    assert_int_equal(drift->refuted, -1);
    fy_drift_destroy(drift);
    foray_run *run;
    support_ok(b.ctx, foray_run_open(b.ctx, b.run, FORAY_RUN_READ, &run));
    bool whole = false;
    for (int64_t allowed = 0; !whole && allowed < 100; allowed++) {
        b.ctx->allocations_left = allowed;
        foray_status status = fy_run_check_data(run, b.more, 0.1, &drift);
        b.ctx->allocations_left = -1;
        whole = status == FORAY_OK;
        assert_true(whole || status == FORAY_ERROR_MEMORY);
    }
    assert_true(whole);
    fy_drift_destroy(drift);
    support_ok(b.ctx, foray_run_close(run));
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_compared),
        cmocka_unit_test(changes_are_noticed),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
