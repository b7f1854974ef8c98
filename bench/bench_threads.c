/* bench_threads.c - what threads are worth where there is nothing else to do, and what they cost
 * where other programs keep every processor busy. */
#include "bench.h"
#include "plan/layout.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_BUSY = 64, EPISODES = 20000, REPEATS = 5 };

/* ----------------------------------------------------------- large plans, nothing beside them */

typedef struct planning {
    foray_context *ctx;
    foray_model *model;
    foray_reward *reward;
    fy_arena arena;
    fy_exact exact;
} planning;

static void open_planning(planning *p, int threads, const char *world)
{
    *p = (planning){.ctx = foray_context_create()};
    p->arena.ctx = p->ctx;
    foray_context_set_threads(p->ctx, threads);
    bench_check(p->ctx, foray_model_builtin(p->ctx, world, &p->model));
    bench_check(p->ctx, foray_reward_create(p->ctx, p->model, "first", 0, 1, 0, &p->reward));
    bench_check(p->ctx, foray_reward_set(p->ctx, p->reward, -1, 0, -1, 1));
    bench_check(p->ctx, fy_exact_create(&p->arena, p->model, foray_model_theta(p->model), false,
                                        &p->exact));
    fy_exact_set(&p->exact, p->reward);
}

static void close_planning(planning *p)
{
    fy_arena_release(&p->arena);
    foray_reward_destroy(p->reward);
    foray_model_destroy(p->model);
    foray_context_destroy(p->ctx);
}

static void plan(void *arg)
{
    const planning *p = arg;
    fy_exact_value(&p->exact, NULL, NULL, NULL);
}

static void measure_idle(int threads, const char *world)
{
    planning one, all;
    char title[128];
    open_planning(&one, 1, world);
    open_planning(&all, threads, world);
    fy_format(title, sizeof title, "%s: %d threads instead of one", world, threads);
    bench_target(title, bench_speedup(REPEATS, plan, &one, &all), "times", BENCH_AT_LEAST,
                 0.85 * threads);
    close_planning(&one);
    close_planning(&all);
}

/* --------------------------------------------------------------- exploring beside busy programs */

static void explore(void *arg)
{
    const int *threads = arg;
    foray_context *ctx = foray_context_create();
    foray_model *model;
    foray_world *world;
    foray_explorer *explorer;
    foray_settings settings;
    foray_settings_default(&settings);
    settings.episodes = EPISODES;
    foray_context_set_threads(ctx, *threads);
    bench_check(ctx, foray_model_builtin(ctx, "rooms:rows=12,cols=12", &model));
    bench_check(ctx, foray_world_from_model(ctx, model, &world));
    bench_check(ctx, foray_explorer_create(ctx, model, &settings, &explorer));
    for (int64_t k = 0; k < EPISODES; k++)
        bench_check(ctx, foray_explorer_play(explorer, world, NULL, NULL));
    foray_explorer_destroy(explorer);
    foray_world_destroy(world);
    foray_model_destroy(model);
    foray_context_destroy(ctx);
}

/* As many processes as there are processors, which compute until they are told to end. */
static void begin_busy(int count, pid_t *busy)
{
    for (int i = 0; i < count; i++)
        if ((busy[i] = fork()) == 0)
            for (volatile double x = 0;; x = x + 1)
                continue;
}

static void end_busy(int count, const pid_t *busy)
{
    for (int i = 0; i < count; i++)
        if (busy[i] > 0) {
            kill(busy[i], SIGKILL);
            waitpid(busy[i], NULL, 0);
        }
}

static void measure_beside(int threads)
{
    pid_t busy[MAX_BUSY];
    int one = 1, count = threads < MAX_BUSY ? threads : MAX_BUSY;
    begin_busy(count, busy);
    double ratio = 1 / bench_speedup(REPEATS, explore, &one, &threads);
    end_busy(count, busy);
    bench_target("exploring rooms of 1,296 cells, all threads instead of one", ratio,
                 "times the time", BENCH_AT_MOST, 1.2);
}

int main(void)
{
    int threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    bench_title("large plans on a machine that has nothing else to do");
    measure_idle(threads, "grid:rows=100,cols=100,horizon=50");
    measure_idle(threads, "grid:rows=320,cols=320,horizon=50");
    measure_idle(threads, "grid:rows=1000,cols=1000,horizon=20");
    bench_title("beside one busy process for each processor");
    measure_beside(threads);
    return 0;
}
