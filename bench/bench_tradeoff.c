/* bench_tradeoff.c - fronts and limits: what they cost beside plans. One thread. */
#include "bench.h"

#include "explore/explorer.h"

#include <stdio.h>
#include <stdlib.h>

enum { REWARDS = 3 };

typedef struct stage {
    foray_context *ctx;
    foray_model *model;
    foray_explorer *explorer;
    foray_reward *reward[REWARDS];
    int64_t rewards; /* of the front */
    double limit;    /* of the second reward */
} stage;

static stage set_stage(const char *spec, int64_t episodes, const int64_t goal[REWARDS])
{
    stage s = {.ctx = foray_context_create()};
    foray_settings settings;
    foray_world *world;
    foray_context_set_threads(s.ctx, 1);
    foray_settings_default(&settings);
    bench_check(s.ctx, foray_model_builtin(s.ctx, spec, &s.model));
    bench_check(s.ctx, foray_world_from_model(s.ctx, s.model, &world));
    bench_check(s.ctx, foray_explorer_create(s.ctx, s.model, &settings, &s.explorer));
    for (int64_t k = 0; k < episodes; k++)
        bench_check(s.ctx, foray_explorer_play(s.explorer, world, NULL, NULL));
    foray_world_destroy(world);
    for (int i = 0; i < REWARDS; i++) {
        bench_check(s.ctx, foray_reward_create(s.ctx, s.model, "goal", 0, 1, 0.0, &s.reward[i]));
        bench_check(s.ctx, foray_reward_set(s.ctx, s.reward[i], -1, goal[i], -1, 1.0));
    }
    return s;
}

static void clear(stage *s)
{
    for (int i = 0; i < REWARDS; i++)
        foray_reward_destroy(s->reward[i]);
    foray_explorer_destroy(s->explorer);
    foray_model_destroy(s->model);
    foray_context_destroy(s->ctx);
}

static void find_front(void *arg)
{
    stage *s = arg;
    foray_front *front;
    bench_check(s->ctx, foray_explorer_tradeoff(s->explorer, s->rewards,
                                                (const foray_reward *const *)s->reward, NULL, 60, 0,
                                                &front));
    foray_front_destroy(front);
}

static void plan_within(void *arg)
{
    stage *s = arg;
    foray_limited *found;
    const foray_limit limit = {s->reward[1], s->limit, false};
    bench_check(s->ctx, foray_explorer_plan_limited(s->explorer, s->reward[0], 1, &limit, &found));
    foray_limited_destroy(found);
}

/* One plan without, and with its certificate. */
static void plan_alone(void *arg)
{
    stage *s = arg;
    foray_policy *policy;
    const foray_reward *reward = s->reward[0];
    bench_check(s->ctx, foray_explorer_policies(s->explorer, 1, &reward, FORAY_PLUGIN, &policy));
    foray_policy_destroy(policy);
}

static void plan_certified(void *arg)
{
    stage *s = arg;
    foray_policy *policy;
    const foray_reward *reward = s->reward[0];
    bench_check(s->ctx, foray_explorer_plan(s->explorer, 1, &reward, FORAY_PLUGIN, &policy));
    foray_policy_destroy(policy);
}

static void measure(const char *spec, int64_t episodes, const int64_t goal[REWARDS], double limit,
                    double seconds)
{
    char what[128];
    stage s = set_stage(spec, episodes, goal);
    s.limit = limit;
    snprintf(what, sizeof what, "%s after %d episodes, one thread", spec, (int)episodes);
    bench_title(what);
    plan_certified(&s); /* the sets are estimated once */
    double plain = bench_best(5, plan_alone, &s), plan = bench_best(5, plan_certified, &s);
    bench_figure("a plan with its certificate", plan * 1e3, "ms");
    s.rewards = 2;
    bench_target("a front of two goals", bench_best(3, find_front, &s), "s", BENCH_AT_MOST,
                 seconds);
    s.rewards = 3;
    bench_figure("a front of three goals", bench_best(1, find_front, &s), "s");
    double within = bench_best(3, plan_within, &s);
    bench_target("a plan with one limit", within / plan, "plans", BENCH_AT_MOST, 60);
    bench_figure("the same in plans without certificates", within / plain, "plans");
    clear(&s);
}

int main(void)
{
    measure("rooms", 200000, (const int64_t[]){92, 46, 20}, 2, 3);
    measure("chain", 16384, (const int64_t[]){0, 30, 15}, 1.5, 3);
    measure("inventory", 16384, (const int64_t[]){0, 20, 10}, 2, 3);
    return 0;
}
