/* bench_run.c - exploring and storing: episodes per second, against a bare loop
 * that acts at random and stores the same; whether the cost grows with k; what
 * the ways of journalling cost.
 *
 * usage: bench_run [DIRECTORY]      where the runs are written; default: here */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run/run.h"

static const char world_spec[] = "chain:states=31,zones=6,horizon=20";
enum { STRETCH = 80000, BATCH = 200000 };

typedef struct bench {
    foray_context *ctx;
    foray_model *model;
    foray_world *world;
    foray_settings settings;
    char path[512];
} bench;

static foray_run *create(bench *b)
{
    foray_run *run;
    bench_check(b->ctx, foray_run_create(b->ctx, b->path, FORAY_RUN_REPLACE, b->model, world_spec,
                                         &b->settings, &run));
    return run;
}

/* Seconds this process has computed: what the clock would show on an idle machine
 * with an infinitely fast disk. */
static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Explores up to episode k; returns the seconds it took, saving included. */
static double explore_to(bench *b, foray_run *run, int64_t k)
{
    bench_check(b->ctx, foray_run_extend(run, k));
    double start = bench_now();
    bench_check(b->ctx, foray_run_explore(run, 1, &b->world, NULL, NULL));
    return bench_now() - start;
}

/* ------------------------------------------------------------ bare exploring */

/* One episode of uniformly random actions, with as little around it as can be. */
static void play_at_random(bench *b, foray_run *run, uint64_t episode)
{
    foray_draw draw = {.seed = 1, .episode = episode};
    int64_t state, actions = foray_model_actions(b->model);
    uint64_t bits = fy_random_bits(1, FY_STREAM_EXPLORER, episode, 0, 0);
    foray_world_reset(b->world, &draw, &state);
    run->states[0] = (int32_t)state;
    for (int64_t t = 0; t < run->codec.horizon; t++) {
        int64_t action = (int64_t)(bits % (uint64_t)actions);
        bits /= (uint64_t)actions;
        draw.step = (uint32_t)t + 1;
        foray_world_step(b->world, &draw, state, action, &state);
        run->actions[t] = (int32_t)action;
        run->states[t + 1] = (int32_t)state;
    }
}

/* Simulates and stores `count` episodes without learning anything. */
static double bare_loop(bench *b, int64_t count)
{
    foray_run *run = create(b);
    double start = bench_now(), committed = start;
    for (int64_t k = 0; k < count; k++) {
        play_at_random(b, run, (uint64_t)k);
        bench_check(b->ctx, fy_run_append(run, run->states, run->actions));
        if (k % 64 == 0 && bench_now() - committed >= run->commit_gap) {
            bench_check(b->ctx, fy_run_commit(run, false));
            committed = bench_now();
        }
    }
    bench_check(b->ctx, fy_run_commit(run, false));
    double seconds = bench_now() - start;
    foray_run_close(run);
    return seconds;
}

/* ------------------------------------------------------------------- tables */

/* The same length at every k, so that each pays for one last save. Computing alone
 * is compared: what else the machine and its disk are doing has no k. */
static void bench_growth_with_k(bench *b)
{
    double k[] = {1e4, 1e5, 1e6, 4e6}, cost[4];
    foray_run *run = create(b);
    int64_t asked = 0;
    bench_title("cost per episode as k grows, storing included");
    for (int i = 0; i < 4; i++) {
        explore_to(b, run, (int64_t)k[i]);
        int64_t before = b->ctx->allocations;
        double start = cpu_seconds();
        explore_to(b, run, (int64_t)k[i] + STRETCH);
        cost[i] = (cpu_seconds() - start) / STRETCH * 1e9;
        asked += b->ctx->allocations - before;
    }
    bench_growth("UCRL-RFE, ns of computing per episode", "ns", 4, k, cost);
    bench_target("cost at k = 4e6 against k = 1e4", cost[3] / cost[0], "x", BENCH_AT_MOST, 1.1);
    bench_figure("allocations per million episodes", (double)asked * 1e6 / (4 * STRETCH), "");
    fy_run_facts facts;
    bench_check(b->ctx, fy_run_describe(run, &facts));
    bench_figure("exploration plans", (double)facts.explorer.plans, "");
    bench_figure("bytes on disk per episode", (double)facts.bytes / (double)facts.episodes, "B");
    foray_run_close(run);
}

static void bench_rate(bench *b)
{
    int64_t count = 2000000;
    bench_title("exploring and storing (chain: 31 states, H=20, d=24; one thread)");
    foray_run *run = create(b);
    double start = cpu_seconds();
    double learning = explore_to(b, run, count), computing = cpu_seconds() - start;
    foray_run_close(run);
    double bare = bare_loop(b, count);
    bench_target("UCRL-RFE, doubling replans", (double)count / learning, "episodes/s",
                 BENCH_AT_LEAST, 400000);
    bench_figure("the same, per second of computing", (double)count / computing, "episodes/s");
    bench_figure("random actions, no learning", (double)count / bare, "episodes/s");
    bench_target("UCRL-RFE against random actions", learning / bare, "x", BENCH_AT_MOST, 3);
}

/* Half a second's worth of episodes per transaction, as the loop does it. */
static void bench_journal(bench *b, const char *mode)
{
    foray_run *run = create(b);
    char sql[128], name[128];
    snprintf(sql, sizeof sql, "PRAGMA journal_mode = %s; PRAGMA synchronous = FULL", mode);
    bench_check(b->ctx, fy_store_run(run->store, sql));
    memset(run->states, 0, 21 * sizeof *run->states);
    memset(run->actions, 0, 20 * sizeof *run->actions);
    int rounds = 8;
    double seconds = 0;
    for (int i = 0; i < rounds; i++) {
        for (int64_t k = 0; k < BATCH; k++)
            bench_check(b->ctx, fy_run_append(run, run->states, run->actions));
        double start = bench_now();
        bench_check(b->ctx, fy_run_commit(run, false));
        seconds += bench_now() - start;
    }
    snprintf(name, sizeof name, "%s: a transaction of %d episodes", mode, BATCH);
    bench_figure(name, seconds / rounds * 1e3, "ms");
    foray_run_close(run);
}

int main(int count, char **arguments)
{
    bench b = {.ctx = foray_context_create()};
    snprintf(b.path, sizeof b.path, "%s/bench_run.foray", count > 1 ? arguments[1] : ".");
    bench_check(b.ctx, foray_model_builtin(b.ctx, world_spec, &b.model));
    bench_check(b.ctx, foray_world_from_model(b.ctx, b.model, &b.world));
    foray_settings_default(&b.settings);
    b.settings.episodes = 1;
    bench_rate(&b);
    bench_growth_with_k(&b);
    bench_title("ways of journalling");
    static const char *const modes[] = {"WAL", "DELETE", "TRUNCATE", "PERSIST"};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        bench_journal(&b, modes[i]);
    unlink(b.path);
    foray_world_destroy(b.world);
    foray_model_destroy(b.model);
    foray_context_destroy(b.ctx);
    return 0;
}
