/* bench_workers.c - a Python simulator that takes a millisecond a step, explored by one worker and
 * by eight, with 64 episodes between plans. The episodes are the same.
 *
 * usage: bench_workers [SOURCES]      where slow_world.py is; default: as seen from the top */
#include "bench.h"
#include "foray/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORKERS = 8, EPISODES = 512, STEPS = 16 };

typedef struct bench {
    foray_context *ctx[WORKERS];
    foray_system *system[WORKERS];
    foray_world *world[WORKERS];
    foray_clusters *clusters;
    foray_model *model;
} bench;

static void open_worlds(bench *b, const char *text)
{
    for (int i = 0; i < WORKERS; i++) {
        b->ctx[i] = foray_context_create();
        bench_check(b->ctx[i], foray_system_open(b->ctx[i], text, &b->system[i]));
        if (i == 0) {
            bench_check(b->ctx[0],
                        foray_clusters_parse(b->ctx[0], b->system[0], "states", &b->clusters));
            bench_check(b->ctx[0],
                        foray_model_builtin(
                            b->ctx[0], "unstructured:states=10,actions=2,horizon=16", &b->model));
        }
        bench_check(b->ctx[i],
                    foray_world_from_system(b->ctx[i], b->system[i], b->clusters, b->model, NULL,
                                            FORAY_CONTINUE_REAL, &b->world[i]));
    }
}

static void close_worlds(bench *b)
{
    for (int i = 0; i < WORKERS; i++) {
        foray_world_destroy(b->world[i]);
        foray_system_destroy(b->system[i]);
    }
    foray_clusters_destroy(b->clusters);
    foray_model_destroy(b->model);
    for (int i = 0; i < WORKERS; i++)
        foray_context_destroy(b->ctx[i]);
}

/* Seconds for all episodes. */
static double explore(bench *b, const char *path, int workers)
{
    foray_settings settings;
    foray_run *run;
    foray_settings_default(&settings);
    bench_check(b->ctx[0], foray_settings_set(b->ctx[0], &settings, "algorithm", "rf-express"));
    bench_check(b->ctx[0], foray_settings_set(b->ctx[0], &settings, "pooled", "on"));
    settings.episodes = EPISODES;
    settings.plan_every = 64;
    bench_check(b->ctx[0], foray_run_create(b->ctx[0], path, FORAY_RUN_REPLACE, b->model, "slow",
                                            &settings, &run));
    double start = bench_now();
    bench_check(b->ctx[0], foray_run_explore(run, workers, b->world, NULL, NULL));
    double seconds = bench_now() - start;
    foray_run_close(run);
    return seconds;
}

int main(int count, char **arguments)
{
    bench b = {0};
    char text[1024], path[] = "/tmp/bench_workers.XXXXXX";
    int file = mkstemp(path);
    snprintf(text, sizeof text, "exec:python3 %s/slow_world.py",
             count > 1 ? arguments[1] : "bench");
    open_worlds(&b, text);
    bench_title("slow simulators (Python, 1 ms a step, 64 episodes of 16 steps between plans)");
    double one = explore(&b, path, 1), eight = explore(&b, path, WORKERS);
    bench_figure("one worker", EPISODES * STEPS / one, "steps/s");
    bench_figure("eight workers", EPISODES * STEPS / eight, "steps/s");
    bench_target("eight workers instead of one", one / eight, "times", BENCH_AT_LEAST, 7);
    close_worlds(&b);
    close(file);
    unlink(path);
    return 0;
}
