/* bench_certify.c - certificates: what they cost beside plans, and how that grows.
 *
 * One thread, nothing stored. Plans with certificates from likelihoods against plans with the
 * radius of the exploration, whose certificate takes no more than the recursions themselves. */
#include "bench.h"

#include "explore/explorer.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct stage {
    foray_context *ctx;
    foray_model *model;
    foray_explorer *explorer;
    foray_reward **reward; /* [rewards] goals */
    foray_policy **policy;
    int64_t rewards;
} stage;

static stage set_stage(const char *spec, int64_t episodes, int64_t max)
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
    int64_t states = foray_model_states(s.model);
    s.rewards = states < max ? states : max;
    s.reward = bench_alloc((size_t)s.rewards, sizeof *s.reward);
    s.policy = bench_alloc((size_t)s.rewards, sizeof *s.policy);
    for (int64_t i = 0; i < s.rewards; i++) {
        bench_check(s.ctx, foray_reward_create(s.ctx, s.model, "goal", 0, 1, 0.0, &s.reward[i]));
        bench_check(s.ctx, foray_reward_set(s.ctx, s.reward[i], -1, i, -1, 1.0));
    }
    return s;
}

static void clear(stage *s)
{
    for (int64_t i = 0; i < s->rewards; i++)
        foray_reward_destroy(s->reward[i]);
    free(s->reward);
    free(s->policy);
    foray_explorer_destroy(s->explorer);
    foray_model_destroy(s->model);
    foray_context_destroy(s->ctx);
}

static void plan_all(void *arg)
{
    stage *s = arg;
    bench_check(s->ctx,
                foray_explorer_plan(s->explorer, s->rewards, (const foray_reward *const *)s->reward,
                                    FORAY_PLUGIN, s->policy));
    for (int64_t i = 0; i < s->rewards; i++)
        foray_policy_destroy(s->policy[i]);
}

static double seconds_by(stage *s, foray_radius radius, int repeats)
{
    bench_check(s->ctx, foray_explorer_certify_by(s->explorer, radius));
    plan_all(s);
    return bench_best(repeats, plan_all, s);
}

static void estimate_sets(void *arg)
{
    stage *s = arg;
    fy_certifier *sets;
    s->explorer->certifier_after = -1;
    bench_check(s->ctx, fy_explorer_sets(s->explorer, &sets));
}

static void bound_all(void *arg)
{
    stage *s = arg;
    foray_certificate bound;
    bench_check(s->ctx, foray_explorer_bound(s->explorer, FORAY_KIND_PAIR, &bound));
}

/* What the issue asks for, on rooms: 93 states, 9 laws of 4 outcomes, H = 30. */
static void measure_rooms(void)
{
    bench_title("rooms:rows=3,cols=3 after 16,384 episodes, one thread");
    stage s = set_stage("rooms:rows=3,cols=3", 16384, INT64_MAX);
    double gap = seconds_by(&s, FORAY_RADIUS_LIKELIHOOD, 3);
    double own = seconds_by(&s, FORAY_RADIUS_SHARP, 3);
    bench_check(s.ctx, foray_explorer_certify_by(s.explorer, FORAY_RADIUS_LIKELIHOOD));
    bench_target("plans and gap certificates of all 93 goals", gap, "s", BENCH_AT_MOST, 1);
    bench_figure("plans with the radius of the exploration", own * 1e3, "ms");
    double blocks = (double)s.model->basis->blocks;
    bench_target("likelihood set of a block, 4 outcomes, two centres",
                 bench_best(20, estimate_sets, &s) / blocks * 1e3, "ms", BENCH_AT_MOST, 1);
    bench_figure("bound for all rewards", bench_best(5, bound_all, &s) * 1e3, "ms");
    clear(&s);
}

/* One reward at a time: without lanes to share. */
static void measure_alone(const char *spec)
{
    char what[128];
    stage s = set_stage(spec, 2048, 1);
    double gap = seconds_by(&s, FORAY_RADIUS_LIKELIHOOD, 9);
    double own = seconds_by(&s, FORAY_RADIUS_SHARP, 9);
    snprintf(what, sizeof what, "%s, one reward", spec);
    bench_target(what, gap / own, "plans", BENCH_AT_MOST, 20);
    clear(&s);
}

/* How the certificate of one reward grows along one parameter. */
static void measure_growth(const char *what, const char *format, int count, const double *x)
{
    double cost[8];
    char spec[160];
    for (int i = 0; i < count; i++) {
        snprintf(spec, sizeof spec, format, x[i]);
        stage s = set_stage(spec, 256, 1);
        cost[i] = seconds_by(&s, FORAY_RADIUS_LIKELIHOOD, 5) * 1e3;
        clear(&s);
    }
    bench_growth(what, "ms", count, x, cost);
}

int main(void)
{
    measure_rooms();
    bench_title("one reward: times the three recursions of a plan with the exploration's radius");
    measure_alone("riverswim");
    measure_alone("chain");
    measure_alone("inventory");
    measure_alone("queue");
    measure_alone("mixture:states=60,actions=4,dim=8,horizon=20");
    bench_title("growth of the certificate of one reward");
    static const double S[] = {50, 100, 200}, A[] = {2, 4, 8}, H[] = {10, 20, 40}, d[] = {4, 8, 16},
                        n[] = {2, 4, 8};
    measure_growth("S", "mixture:states=%g,actions=4,dim=6,horizon=20", 3, S);
    measure_growth("A", "mixture:states=60,actions=%g,dim=6,horizon=20", 3, A);
    measure_growth("H", "mixture:states=60,actions=4,dim=6,horizon=%g", 3, H);
    measure_growth("d", "mixture:states=60,actions=4,dim=%g,horizon=20", 3, d);
    measure_growth("n", "mixture:states=60,actions=4,successors=%g,dim=6,horizon=20", 3, n);
    return 0;
}
