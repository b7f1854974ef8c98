/* What the inner maximisation costs: every generator set of a mixture of simulators once,
 * by method, and how that grows with the successors n and the dimension d. */
#include "bench.h"
#include "learn/inner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A model of which only the features matter: `sets` pairs of n successors, each with d
 * candidate probabilities. */
typedef struct sample {
    foray_model model;
    fy_basis *basis;
    fy_ridge *ridge;
    fy_inner *inner;
} sample;

/* phi_i(j) = P_i(j) / sqrt(d), with P_i(.) a random probability vector. */
static void draw_set(int n, int d, uint64_t seed, double *phi)
{
    for (int i = 0; i < d; i++) {
        double total = 0;
        for (int j = 0; j < n; j++) {
            phi[j * d + i] = -log(1 - bench_uniform(seed, (uint64_t)(j * d + i)));
            total += phi[j * d + i];
        }
        for (int j = 0; j < n; j++)
            phi[j * d + i] /= total * sqrt(d);
    }
}

static void make_model(sample *s, int64_t sets, int n, int d)
{
    foray_model *m = &s->model;
    *m = (foray_model){.states = sets, .actions = 1, .horizon = 1, .dim = d, .pairs = sets};
    m->norm_bound = d;
    m->generator_sets = sets;
    m->generator_set = bench_alloc((size_t)sets, sizeof *m->generator_set);
    m->generator_set_pair = bench_alloc((size_t)sets, sizeof *m->generator_set_pair);
    m->succ_start = bench_alloc((size_t)sets + 1, sizeof *m->succ_start);
    m->succ = bench_alloc((size_t)(sets * n), sizeof *m->succ);
    m->gen_start = bench_alloc((size_t)sets + 1, sizeof *m->gen_start);
    m->feat_start = bench_alloc((size_t)(sets * n) + 1, sizeof *m->feat_start);
    m->feat_index = bench_alloc((size_t)(sets * n * d), sizeof *m->feat_index);
    m->feat_value = bench_alloc((size_t)(sets * n * d), sizeof *m->feat_value);
    for (int64_t k = 0; k < sets; k++) {
        m->generator_set[k] = m->generator_set_pair[k] = (int32_t)k;
        m->gen_start[k + 1] = m->succ_start[k + 1] = (k + 1) * n;
        draw_set(n, d, (uint64_t)k, m->feat_value + k * n * d);
    }
    for (int64_t j = 0; j < sets * n; j++) {
        m->succ[j] = (int32_t)(j % n);
        m->feat_start[j + 1] = (j + 1) * d;
        for (int i = 0; i < d; i++)
            m->feat_index[j * d + i] = i;
    }
}

/* Sigma after some data, so that it is nothing special. */
static void make_ridge(foray_context *ctx, sample *s)
{
    double lambda = 1, *x = bench_alloc((size_t)s->basis->max_dim, sizeof *x);
    bench_check(ctx, fy_ridge_create(bench_arena(ctx), s->basis, &lambda, 4096, &s->ridge));
    for (uint64_t k = 0; k < 200; k++) {
        for (uint64_t i = 0; i < (uint64_t)s->basis->max_dim; i++)
            x[i] = bench_uniform(99, k * 64 + i) - 0.5;
        fy_ridge_update(s->ridge, 0, x, 0, 1);
    }
    free(x);
}

static void release(sample *s)
{
    bench_release();
    fy_basis_destroy(s->basis);
    free(s->model.generator_set);
    free(s->model.generator_set_pair);
    free(s->model.succ_start);
    free(s->model.succ);
    free(s->model.gen_start);
    free(s->model.feat_start);
    free(s->model.feat_index);
    free(s->model.feat_value);
}

static void solve(void *arg)
{
    sample *s = arg;
    fy_inner_solve(s->inner, s->ridge);
}

/* Seconds of one solve; *ratio receives its worst upper bound over value. */
static double seconds(foray_context *ctx, int method, int threads, int64_t sets, int n, int d,
                      double *ratio)
{
    sample s = {0};
    make_model(&s, sets, n, d);
    bench_check(ctx, fy_basis_create(ctx, &s.model, true, true, &s.basis));
    make_ridge(ctx, &s);
    foray_context_set_threads(ctx, threads);
    bench_check(ctx, fy_inner_create(bench_arena(ctx), s.basis, method, 256, &s.inner));
    double best = bench_best(10, solve, &s);
    *ratio = s.inner->ratio;
    release(&s);
    return best;
}

static void growth_in_n(foray_context *ctx, int method, int count, const double *n, int d)
{
    double cost[8], ratio;
    char name[64];
    for (int i = 0; i < count; i++)
        cost[i] = 1e9 / 500 * seconds(ctx, method, 1, 500, (int)n[i], d, &ratio);
    snprintf(name, sizeof name, "%s, n (d = %d)", fy_inner_name(method), d);
    bench_growth(name, "ns a pair", count, n, cost);
}

static void growth_in_d(foray_context *ctx, int method, int count, const double *d, int n)
{
    double cost[8], ratio;
    char name[64];
    for (int i = 0; i < count; i++)
        cost[i] = 1e9 / 500 * seconds(ctx, method, 1, 500, n, (int)d[i], &ratio);
    snprintf(name, sizeof name, "%s, d (n = %d)", fy_inner_name(method), n);
    bench_growth(name, "ns a pair", count, d, cost);
}

int main(void)
{
    foray_context *ctx = foray_context_create();
    double ratio, one, two;
    bench_title("Inner maximisation: 10,000 different pairs, n = 5, d = 16");
    one = seconds(ctx, FORAY_INNER_EXACT, 1, 10000, 5, 16, &ratio);
    two = seconds(ctx, FORAY_INNER_EXACT, 2, 10000, 5, 16, &ratio);
    bench_figure("exact, one thread", 1e3 * one, "ms");
    bench_target("exact, two threads", 1e3 * two, "ms", BENCH_AT_MOST, 20);
    bench_figure("ascent, two threads",
                 1e3 * seconds(ctx, FORAY_INNER_ASCENT, 2, 10000, 5, 16, &ratio), "ms");
    bench_figure("ascent, worst upper bound over value", ratio, "");
    bench_figure("l1, two threads, 100 pairs",
                 1e3 * seconds(ctx, FORAY_INNER_L1, 2, 100, 5, 16, &ratio), "ms");
    bench_figure("l1, worst upper bound over value", ratio, "");

    bench_title("How it grows: one thread");
    growth_in_n(ctx, FORAY_INNER_EXACT, 5, (double[]){4, 6, 8, 10, 12}, 16);
    growth_in_n(ctx, FORAY_INNER_EXACT, 5, (double[]){4, 8, 16, 32, 64}, 3);
    growth_in_d(ctx, FORAY_INNER_EXACT, 4, (double[]){8, 16, 32, 64}, 5);
    growth_in_n(ctx, FORAY_INNER_ASCENT, 5, (double[]){4, 8, 16, 32, 64}, 16);
    growth_in_d(ctx, FORAY_INNER_ASCENT, 4, (double[]){8, 16, 32, 64}, 16);
    growth_in_n(ctx, FORAY_INNER_L1, 4, (double[]){4, 8, 16, 32}, 8);
    growth_in_d(ctx, FORAY_INNER_L1, 5, (double[]){4, 6, 8, 10, 12}, 5);
    foray_context_destroy(ctx);
    return 0;
}
