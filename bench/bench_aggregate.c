/* What it takes to make a model of a system: the pendulum as 10,000 clusters, eight
 * simulators, 100 draws of each cluster, action and simulator. */
#include "bench.h"

#include <stdio.h>

enum { DRAWS = 100, REPEATS = 3 };

typedef struct work {
    foray_context *ctx;
    foray_system *system;
    foray_clusters *clusters;
    foray_aggregation aggregation;
} work;

static void aggregate(void *arg)
{
    work *w = arg;
    foray_model *model = NULL;
    bench_check(w->ctx, foray_aggregate(w->ctx, w->system, w->clusters, &w->aggregation, NULL, NULL,
                                        NULL, &model));
    foray_model_destroy(model);
}

static double measure(work *w, int threads)
{
    foray_context_set_threads(w->ctx, threads);
    return bench_best(threads == 2 ? REPEATS : 1, aggregate, w);
}

int main(void)
{
    work w = {.ctx = foray_context_create()};
    bench_check(w.ctx, foray_system_open(w.ctx, "pendulum", &w.system));
    bench_check(w.ctx, foray_clusters_parse(w.ctx, w.system, "grid:100x100", &w.clusters));
    foray_aggregation_default(&w.aggregation);
    w.aggregation.draws = DRAWS;
    double steps = (double)foray_clusters_count(w.clusters) * DRAWS *
                   (double)foray_system_describe(w.system)->actions *
                   (double)foray_system_describe(w.system)->simulators;
    bench_title("Aggregating pendulum: 100 x 100 clusters, d = 8, 100 draws");
    bench_figure("steps of simulators", steps, "");
    double one = measure(&w, 1), two = measure(&w, 2);
    bench_figure("one thread", one, "s");
    bench_target("two threads", two, "s", BENCH_AT_MOST, 10);
    bench_figure("two threads, steps per second", steps / two, "");
    foray_clusters_destroy(w.clusters);
    foray_system_destroy(w.system);
    foray_context_destroy(w.ctx);
    return 0;
}
