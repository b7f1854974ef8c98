/* bench_tabular.c - the counting algorithms: episodes per second, for two of them where the public
 * Python code was measured, and how the cost of an episode grows with S, A and H.
 *
 * Simulation and learning, one thread, nothing stored; a plan in every episode unless the
 * line says otherwise. A scale below 1 is there because with the constants of the
 * papers nearly every bound is clipped for a long time, and clipped bounds do not change:
 * the smaller the radius, the more there is to compute. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct subject {
    const char *algorithm, *world;
    double scale; /* of the radius */
    int replan;
    bool pooled;
    double growth;    /* of a count, for a new plan under the doubling rule */
    int64_t episodes; /* the budget, for algorithms that divide it; 0: the default */
} subject;

static subject of(const char *algorithm, const char *world, double scale)
{
    return (subject){algorithm, world, scale, FORAY_REPLAN_AUTO, false, 1.0, 0};
}

static const char chain[] = "chain:states=31,zones=1,spread=0,laws=1";
static const char grid[] = "grid:rows=21,cols=21,slips=1,spread=0";
static const char rooms[] = "rooms:rows=3,cols=5,size=5";

typedef struct stage {
    foray_context *ctx;
    foray_model *model;
    foray_world *world;
    foray_explorer *explorer;
    uint64_t episode;
} stage;

/* To be in the last state. */
static void give_goal(stage *s)
{
    foray_reward *reward;
    int64_t last = foray_model_states(s->model) - 1;
    bench_check(s->ctx, foray_reward_create(s->ctx, s->model, "goal", 0, 1, 0.0, &reward));
    bench_check(s->ctx, foray_reward_set(s->ctx, reward, -1, last, -1, 1.0));
    bench_check(s->ctx, foray_explorer_give_reward(s->explorer, reward));
    foray_reward_destroy(reward);
}

static stage set_stage(subject what)
{
    stage s = {.ctx = foray_context_create()};
    foray_settings settings;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "%s", what.algorithm);
    settings.radius_scale = what.scale;
    settings.replan = what.replan;
    settings.replan_growth = what.growth;
    if (what.pooled)
        bench_check(s.ctx, foray_settings_set(s.ctx, &settings, "pooled", "on"));
    if (what.episodes > 0)
        settings.episodes = what.episodes;
    bench_check(s.ctx, foray_model_builtin(s.ctx, what.world, &s.model));
    bench_check(s.ctx, foray_world_from_model(s.ctx, s.model, &s.world));
    bench_check(s.ctx, foray_explorer_create(s.ctx, s.model, &settings, &s.explorer));
    if (foray_algorithm_needs_reward(what.algorithm))
        give_goal(&s);
    return s;
}

static void clear(stage *s)
{
    foray_explorer_destroy(s->explorer);
    foray_world_destroy(s->world);
    foray_model_destroy(s->model);
    foray_context_destroy(s->ctx);
}

static void play(stage *s)
{
    foray_draw draw = {.seed = 1, .episode = s->episode++};
    int64_t state, action, next, horizon = foray_model_horizon(s->model);
    bench_check(s->ctx, foray_explorer_begin(s->explorer));
    bench_check(s->ctx, foray_world_reset(s->world, &draw, &state));
    for (int64_t t = 0; t < horizon; t++, state = next) {
        draw.step = (uint32_t)t + 1;
        bench_check(s->ctx, foray_explorer_act(s->explorer, state, &action));
        bench_check(s->ctx, foray_world_step(s->world, &draw, state, action, &next));
        bench_check(s->ctx, foray_explorer_observe(s->explorer, state, action, next));
    }
    bench_check(s->ctx, foray_explorer_end(s->explorer));
}

/* Episodes per second over `seconds`, from wherever the explorer is. */
static double rate(stage *s, double seconds)
{
    int64_t episodes = 0;
    double start = bench_now(), now = start;
    for (; now - start < seconds; now = bench_now(), episodes += 16)
        for (int i = 0; i < 16; i++)
            play(s);
    return (double)episodes / (now - start);
}

/* ----------------------------------------------------------------- the targets */

/* Over the first second, and over another after five more: is the cost constant in k? */
static void measure(subject what, const char *name, double target)
{
    stage s = set_stage(what);
    double first = rate(&s, 1.0);
    rate(&s, 5.0);
    double later = rate(&s, 1.0);
    char line[128];
    snprintf(line, sizeof line, "%s, first second", name);
    bench_target(line, first, "episodes/s", BENCH_AT_LEAST, target);
    snprintf(line, sizeof line, "%s, after %llu episodes", name, (unsigned long long)s.episode);
    bench_target(line, later, "episodes/s", BENCH_AT_LEAST, target);
    clear(&s);
}

static void measure_targets(void)
{
    bench_title("where the public Python code was measured (600, 118 and 28 episodes/s)");
    measure(of("rf-ucrl", chain, 1.0), "RF-UCRL, chain of 31, H=20", 60000);
    measure(of("rf-ucrl", chain, 0.05), "  the same, radius scaled by 0.05", 60000);
    measure(of("rf-ucrl", grid, 1.0), "RF-UCRL, grid of 21x21, H=20", 3540);
    measure(of("rf-ucrl", grid, 0.05), "  the same, radius scaled by 0.05", 3540);
    measure(of("rf-express", rooms, 1.0), "RF-Express, 15 rooms of 5x5, H=30", 2800);
    measure(of("rf-express", rooms, 1e-6), "  the same, radius scaled by 1e-6", 2800);
}

static void measure_options(void)
{
    static const struct {
        const char *name;
        int replan;
        bool pooled;
    } option[] = {{"a plan in every episode", FORAY_REPLAN_EVERY, false},
                  {"a plan when a count has doubled", FORAY_REPLAN_DOUBLING, false},
                  {"pooled, a plan in every episode", FORAY_REPLAN_EVERY, true},
                  {"pooled, when a count has doubled", FORAY_REPLAN_DOUBLING, true}};
    bench_title("what the options cost (RF-UCRL, grid of 21x21, H=20, radius scaled by 0.05)");
    for (size_t i = 0; i < sizeof option / sizeof option[0]; i++) {
        stage s =
            set_stage((subject){"rf-ucrl", grid, 0.05, option[i].replan, option[i].pooled, 1.0, 0});
        rate(&s, 1.0);
        bench_figure(option[i].name, rate(&s, 1.0), "episodes/s");
        clear(&s);
    }
}

/* ------------------------------------------------ algorithms with phases, and EULER */

/* Microseconds per episode over the whole budget: phases differ in their cost. */
static double whole_cost(subject what)
{
    stage s = set_stage(what);
    double start = bench_now();
    for (int64_t k = 0; k < what.episodes; k++)
        play(&s);
    double cost = 1e6 * (bench_now() - start) / (double)what.episodes;
    clear(&s);
    return cost;
}

static void measure_whole(const char *algorithm, const char *world, const char *name,
                          int64_t episodes)
{
    subject what = of(algorithm, world, 0.05);
    what.episodes = episodes;
    bench_figure(name, 1e6 / whole_cost(what), "episodes/s");
}

static void measure_phases(void)
{
    bench_title("over a whole budget, radius scaled by 0.05");
    measure_whole("euler", chain, "EULER to the end of a chain of 31, H=20", 20000);
    measure_whole("rf-rl-explore", chain, "RF-RL-Explore, the same chain", 20000);
    measure_whole("sstp", chain, "SSTP, the same chain", 20000);
    measure_whole("euler", grid, "EULER to the corner of a grid of 21x21, H=20", 2000);
    measure_whole("rf-rl-explore", grid, "RF-RL-Explore, the same grid", 2000);
    measure_whole("sstp", grid, "SSTP, the same grid", 2000);
}

/* --------------------------------------------------------------------- growth */

/* Microseconds per episode in worlds made from `format` and one number, once every count
 * is about ten. With a growth of 0 the doubling rule computes everything in every episode. */
static void measure_growth(subject what, const char *format, const char *over, const int *size)
{
    enum { SIZES = 4 };
    double x[SIZES], cost[SIZES];
    char world[128], name[128];
    for (int i = 0; i < SIZES; i++) {
        snprintf(world, sizeof world, format, size[i]);
        what.world = world;
        stage s = set_stage(what);
        uint64_t pairs = (uint64_t)(foray_model_states(s.model) * foray_model_actions(s.model));
        while (s.episode < 10 * pairs)
            play(&s);
        x[i] = size[i];
        cost[i] = 1e6 / rate(&s, 0.5);
        clear(&s);
    }
    snprintf(name, sizeof name, "%s, %s, over %s", what.algorithm,
             what.replan == FORAY_REPLAN_DOUBLING ? "in full" : "what changed", over);
    bench_growth(name, "us", SIZES, x, cost);
}

/* The same over whole budgets of a fixed number of episodes. */
static void measure_whole_growth(const char *algorithm, const char *format, const char *over,
                                 const int *size)
{
    enum { SIZES = 4 };
    double x[SIZES], cost[SIZES];
    char world[128], name[128];
    for (int i = 0; i < SIZES; i++) {
        snprintf(world, sizeof world, format, size[i]);
        subject what = of(algorithm, world, 0.05);
        what.episodes = 2000;
        x[i] = size[i];
        cost[i] = whole_cost(what);
    }
    snprintf(name, sizeof name, "%s, 2000 episodes, over %s", algorithm, over);
    bench_growth(name, "us", SIZES, x, cost);
}

static void measure_whole_growths(void)
{
    static const char *const algorithms[] = {"euler", "rf-rl-explore", "sstp"};
    for (int i = 0; i < 3; i++) {
        measure_whole_growth(algorithms[i], "mixture:states=%d,actions=4,successors=5,horizon=20",
                             "S", (const int[]){25, 50, 100, 200});
        measure_whole_growth(algorithms[i], "mixture:states=50,actions=%d,successors=5,horizon=20",
                             "A", (const int[]){2, 4, 8, 16});
        measure_whole_growth(algorithms[i], "mixture:states=50,actions=4,successors=5,horizon=%d",
                             "H", (const int[]){5, 10, 20, 40});
    }
}

static void measure_growths(void)
{
    const subject subjects[] = {{"rf-ucrl", NULL, 0.05, FORAY_REPLAN_DOUBLING, false, 0.0, 0},
                                of("rf-ucrl", NULL, 0.05),
                                of("rf-express", NULL, 1e-6)};
    bench_title("how the cost of an episode grows, in microseconds");
    for (int i = 0; i < 3; i++) {
        measure_growth(subjects[i], "mixture:states=%d,actions=4,successors=5,horizon=20", "S",
                       (const int[]){50, 100, 200, 400});
        measure_growth(subjects[i], "mixture:states=100,actions=%d,successors=5,horizon=20", "A",
                       (const int[]){2, 4, 8, 16});
        measure_growth(subjects[i], "mixture:states=100,actions=4,successors=5,horizon=%d", "H",
                       (const int[]){10, 20, 40, 80});
        measure_growth(subjects[i], "mixture:states=100,actions=4,successors=%d,horizon=20", "n",
                       (const int[]){2, 4, 8, 16});
    }
}

int main(void)
{
    measure_targets();
    measure_options();
    measure_phases();
    measure_growths();
    measure_whole_growths();
    return 0;
}
