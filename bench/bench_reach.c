/* bench_reach.c - worlds of which episodes reach a small part: time, memory and file of exploring
 * one, against a world that has little else; and plans of large worlds, which are made when they
 * pay.
 *
 * usage: bench_reach [DIRECTORY]      where the runs are written; default: here */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "run/run.h"

static const char plain[] = "grid:rows=1000,cols=1000,horizon=50";
static const char around[] = "grid:rows=101,cols=101,horizon=50";
static const char large[] = "rooms:rows=20,cols=20,horizon=120";

typedef struct bench {
    foray_context *ctx;
    char path[512];
} bench;

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Explores and saves; returns processor seconds once the world is built. */
static double explore(bench *b, const foray_model *model, int64_t episodes, fy_run_facts *facts)
{
    foray_run *run;
    foray_world *world;
    foray_settings settings;
    foray_settings_default(&settings);
    settings.episodes = episodes;
    bench_check(b->ctx, foray_world_from_model(b->ctx, model, &world));
    double start = cpu_seconds();
    bench_check(b->ctx,
                foray_run_create(b->ctx, b->path, FORAY_RUN_REPLACE, model, "", &settings, &run));
    bench_check(b->ctx, foray_run_explore(run, 1, &world, NULL, NULL));
    bench_check(b->ctx, fy_run_describe(run, facts));
    bench_check(b->ctx, foray_run_close(run));
    foray_world_destroy(world);
    return cpu_seconds() - start;
}

static double plan_once(bench *b)
{
    foray_run *run;
    foray_reward *reward;
    foray_policy *policy;
    double start = cpu_seconds();
    bench_check(b->ctx, foray_run_open(b->ctx, b->path, FORAY_RUN_WRITE, &run));
    bench_check(b->ctx,
                foray_reward_create(b->ctx, foray_run_model(run), "goal", 0, 1, 0, &reward));
    bench_check(b->ctx, foray_reward_set(b->ctx, reward, -1, 4000, -1, 1));
    const foray_reward *const rewards[] = {reward};
    bench_check(b->ctx, foray_run_plan(run, 1, rewards, FORAY_PLUGIN, &policy));
    foray_policy_destroy(policy);
    foray_reward_destroy(reward);
    foray_run_close(run);
    return cpu_seconds() - start;
}

static void bench_grid(bench *b)
{
    struct rusage usage;
    foray_model *model;
    fy_run_facts facts, small;
    bench_title(
        "grid of 1000x1000 cells, H=50: episodes reach 5,101 of them (k = 1,000, one thread)");
    bench_check(b->ctx, foray_model_builtin(b->ctx, plain, &model));
    double whole = explore(b, model, 1000, &facts);
    getrusage(RUSAGE_SELF, &usage);
    double planned = plan_once(b);
    foray_model *part;
    bench_check(b->ctx, foray_model_builtin(b->ctx, around, &part));
    double alone = explore(b, part, 1000, &small);
    bench_figure("exploring and storing, once the world is built", whole, "s");
    bench_target("against the smallest grid that has these cells", whole / alone, "x",
                 BENCH_AT_MOST, 1.5);
    bench_target("memory, with building the world", (double)usage.ru_maxrss / 1024, "MiB",
                 BENCH_AT_MOST, 250);
    bench_target("run file", (double)facts.bytes / 1e6, "MB", BENCH_AT_MOST, 2);
    bench_target("opening it, and a plan with its certificate", planned, "s", BENCH_AT_MOST, 1);
    foray_model_destroy(part);
    foray_model_destroy(model);
}

static void bench_rooms(bench *b)
{
    foray_model *model;
    fy_run_facts facts;
    bench_title("rooms of 20x20, H=120, k = 2,000");
    bench_check(b->ctx, foray_model_builtin(b->ctx, large, &model));
    double seconds = explore(b, model, 2000, &facts);
    bench_target("exploring and storing", seconds, "s", BENCH_AT_MOST, 25);
    bench_figure("exploration plans", (double)facts.explorer.plans, "");
    foray_model_destroy(model);
}

int main(int count, char **arguments)
{
    bench b = {.ctx = foray_context_create()};
    snprintf(b.path, sizeof b.path, "%s/bench_reach.foray", count > 1 ? arguments[1] : ".");
    bench_grid(&b);
    bench_rooms(&b);
    unlink(b.path);
    foray_context_destroy(b.ctx);
    return 0;
}
