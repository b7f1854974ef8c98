/* bench_pipe.c - worlds from outside: steps per second of the same world as a plug-in, as a C
 * program and as a Python program over pipes, batched and one at a time.
 *
 * usage: bench_pipe [BUILT SOURCES]      where examples/outside is, built and as sources;
 *                                        default: as seen from the top of the tree */
#include "bench.h"
#include "outside/outside.h"

#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 8192 };
static const double seconds_each = 2.0;

typedef struct bench {
    foray_context *ctx;
    foray_system *system;
    foray_system_query query[BATCH];
    double state[2 * BATCH], next[2 * BATCH];
} bench;

static void ask(bench *b, uint64_t round)
{
    for (int64_t i = 0; i < BATCH; i++) {
        b->query[i].draw = (foray_draw){.seed = round, .episode = (uint64_t)i, .step = 1};
        b->query[i].simulator = i % 4 - 1;
        b->query[i].action = i % 3;
        b->state[2 * i] = b->state[2 * i + 1] = 35 * bench_uniform(round, (uint64_t)i);
    }
}

/* Steps per second, `size` at a time. */
static double rate(bench *b, int64_t size)
{
    int64_t steps = 0;
    double start = bench_now(), now = start;
    for (uint64_t round = 0; now - start < seconds_each; round++) {
        ask(b, round);
        for (int64_t i = 0; i < BATCH && now - start < seconds_each; i += size) {
            bench_check(b->ctx, foray_system_step(b->system, size, b->query + i, b->state + 2 * i,
                                                  b->next + 2 * i));
            steps += size;
            now = bench_now();
        }
    }
    return (double)steps / (now - start);
}

/* host: the words of the command that contains a plug-in; NULL: it is not contained. */
static void measure(bench *b, const char *what, const char *text, const char *const *host,
                    double target)
{
    char name[128];
    bench_check(b->ctx, host ? fy_system_contain(b->ctx, text, host, &b->system)
                             : foray_system_open(b->ctx, text, &b->system));
    snprintf(name, sizeof name, "%s, in batches of %d", what, BATCH);
    if (target > 0)
        bench_target(name, rate(b, BATCH), "steps/s", BENCH_AT_LEAST, target);
    else
        bench_figure(name, rate(b, BATCH), "steps/s");
    snprintf(name, sizeof name, "%s, one at a time", what);
    bench_figure(name, rate(b, 1), "steps/s");
    foray_system_destroy(b->system);
}

int main(int count, char **arguments)
{
    bench *b = bench_alloc(1, sizeof *b);
    char text[1024];
    const char *built = count > 2 ? arguments[1] : "build/release/examples/outside";
    const char *sources = count > 2 ? arguments[2] : "examples/outside";
    b->ctx = foray_context_create();
    bench_title("worlds from outside (thermostat: 2 dimensions, 3 simulators)");
    snprintf(text, sizeof text, "exec:%s/thermostat", built);
    measure(b, "C program over pipes", text, NULL, 80000);
    snprintf(text, sizeof text, "exec:python3 %s/thermostat.py", sources);
    measure(b, "Python program over pipes", text, NULL, 80000);
    snprintf(text, sizeof text, "plugin:%s/thermostat.so", built);
    measure(b, "plug-in", text, NULL, 0);
    char host[1024];
    snprintf(host, sizeof host, "%s/../../foray", built);
    const char *const words[] = {host, "--serve", NULL};
    measure(b, "contained plug-in", text, words, 5e6);
    foray_context_destroy(b->ctx);
    free(b);
    return 0;
}
