/* bench_linear.c - the explorers of linear MDPs: episodes per second where the public Python
 * code was measured (d=60, S=25, A=4, H=10), after so and so many episodes, and how the cost
 * of an episode grows with d, S and H.
 *
 * Simulation and learning, one thread, nothing stored. Features are dense and given with the
 * model, so that there is a single block: the most expensive case. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sizes {
    int64_t states, actions, horizon, dim;
} sizes;

typedef struct stage {
    foray_context *ctx;
    foray_model *model;
    foray_world *world;
    foray_explorer *explorer;
    uint64_t episode;
} stage;

/* A random law of `count` outcomes. */
static void make_law(uint64_t seed, uint64_t at, int64_t count, double *law)
{
    double total = 0;
    for (int64_t i = 0; i < count; i++)
        total += law[i] = bench_uniform(seed, at + (uint64_t)i) + 1e-3;
    for (int64_t i = 0; i < count; i++)
        law[i] /= total;
}

/* phi(s,a) in the simplex of d corners, each corner a law over all states. */
static void fill_pair(foray_builder *builder, sizes n, int64_t pair, const double *corner)
{
    double *phi = bench_alloc((size_t)n.dim, sizeof *phi);
    int64_t *all = bench_alloc((size_t)n.dim, sizeof *all);
    int64_t state = pair / n.actions, action = pair % n.actions;
    make_law(2, (uint64_t)(pair * n.dim), n.dim, phi);
    for (int64_t i = 0; i < n.dim; i++)
        all[i] = i;
    foray_builder_pair_feature(builder, state, action, n.dim, all, phi);
    for (int64_t next = 0; next < n.states; next++) {
        double p = 0;
        for (int64_t i = 0; i < n.dim; i++)
            p += phi[i] * corner[i * n.states + next];
        foray_builder_transition(builder, state, action, next, p);
    }
    free(phi);
    free(all);
}

static void make_model(stage *s, sizes n)
{
    foray_builder *builder;
    double *corner = bench_alloc((size_t)(n.dim * n.states), sizeof *corner);
    for (int64_t i = 0; i < n.dim; i++)
        make_law(1, (uint64_t)(i * n.states), n.states, corner + i * n.states);
    bench_check(s->ctx,
                foray_builder_create_tabular(s->ctx, n.states, n.actions, n.horizon, &builder));
    foray_builder_pair_features(builder, n.dim);
    for (int64_t pair = 0; pair < n.states * n.actions; pair++)
        fill_pair(builder, n, pair, corner);
    bench_check(s->ctx, foray_builder_finish(builder, &s->model));
    foray_builder_destroy(builder);
    free(corner);
}

static stage set_stage(const char *algorithm, sizes n, int replan)
{
    stage s = {.ctx = foray_context_create()};
    foray_settings settings;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "%s", algorithm);
    settings.replan = replan;
    if (strcmp(algorithm, "francis") == 0) /* so that every measurement is of all phases alike */
        bench_check(s.ctx, foray_settings_set(s.ctx, &settings, "francis_phase", "1"));
    make_model(&s, n);
    bench_check(s.ctx, foray_world_from_model(s.ctx, s.model, &s.world));
    bench_check(s.ctx, foray_explorer_create(s.ctx, s.model, &settings, &s.explorer));
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

static void play_until(stage *s, uint64_t episode)
{
    while (s->episode < episode)
        play(s);
}

/* Episodes per second over the next 500: of five parts, the one disturbed least. */
static double rate(stage *s)
{
    enum { PARTS = 5, EPISODES = 100 };
    double best = 0;
    for (int part = 0; part < PARTS; part++) {
        double start = bench_now();
        play_until(s, s->episode + EPISODES);
        double measured = EPISODES / (bench_now() - start);
        best = measured > best ? measured : best;
    }
    return best;
}

/* ----------------------------------------------------------------- the targets */

static void measure(const char *algorithm, const char *name, int replan)
{
    static const uint64_t after[] = {100, 750, 5000, 20000};
    stage s = set_stage(algorithm, (sizes){25, 4, 10, 60}, replan);
    for (int i = 0; i < 4; i++) {
        char line[128];
        play_until(&s, after[i]);
        foray_explorer_facts before, facts;
        bench_check(s.ctx, foray_explorer_describe(s.explorer, &before));
        double measured = rate(&s);
        bench_check(s.ctx, foray_explorer_describe(s.explorer, &facts));
        snprintf(line, sizeof line, "%s, k = %llu (%lld plans in 500)", name,
                 (unsigned long long)after[i], (long long)(facts.plans - before.plans));
        bench_target(line, measured, "episodes/s", BENCH_AT_LEAST, 1000);
    }
    clear(&s);
}

/* --------------------------------------------------------------------- growth */

enum { SIZES = 4 };

static void measure_growth(const char *algorithm, const char *over, const sizes *n, const double *x)
{
    double cost[SIZES];
    char name[128];
    for (int i = 0; i < SIZES; i++) {
        stage s = set_stage(algorithm, n[i], FORAY_REPLAN_EVERY);
        play_until(&s, 100);
        cost[i] = 1e6 / rate(&s);
        clear(&s);
    }
    snprintf(name, sizeof name, "%s, a plan in every episode, over %s", algorithm, over);
    bench_growth(name, "us", SIZES, x, cost);
}

static void measure_growths(const char *algorithm)
{
    sizes d[SIZES], states[SIZES], horizon[SIZES];
    double x[3][SIZES];
    for (int i = 0; i < SIZES; i++) {
        d[i] = (sizes){25, 4, 10, 15 << i};
        states[i] = (sizes){10 << i, 4, 10, 30};
        horizon[i] = (sizes){25, 4, 5 << i, 30};
        x[0][i] = (double)d[i].dim;
        x[1][i] = (double)states[i].states;
        x[2][i] = (double)horizon[i].horizon;
    }
    measure_growth(algorithm, "d", d, x[0]);
    measure_growth(algorithm, "S", states, x[1]);
    measure_growth(algorithm, "H", horizon, x[2]);
}

int main(void)
{
    bench_title("d=60, S=25, A=4, H=10 (public Python code: 38 episodes/s at k = 100, 6 at 750)");
    measure("wang", "Wang et al.", FORAY_REPLAN_AUTO);
    measure("wang", "Wang et al., replan doubling", FORAY_REPLAN_DOUBLING);
    measure("francis", "FRANCIS", FORAY_REPLAN_AUTO);
    bench_title("how the cost of an episode grows, in microseconds");
    measure_growths("wang");
    measure_growths("francis");
    return 0;
}
