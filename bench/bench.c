/* bench.c - clocks, the machine's limits, tables. */
#include "bench.h"
#include "base/level.h"
#include "base/threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_best(int repeats, void (*work)(void *arg), void *arg)
{
    double best = HUGE_VAL;
    for (int i = 0; i < repeats; i++) {
        double start = bench_now();
        work(arg);
        best = fmin(best, bench_now() - start);
    }
    return best;
}

double bench_speedup(int repeats, void (*work)(void *arg), void *slow, void *fast)
{
    double best_slow = HUGE_VAL, best_fast = HUGE_VAL;
    for (int i = 0; i < repeats; i++) {
        best_slow = fmin(best_slow, bench_best(1, work, slow));
        best_fast = fmin(best_fast, bench_best(1, work, fast));
    }
    return best_slow / best_fast;
}

static fy_arena parts;

fy_arena *bench_arena(foray_context *ctx)
{
    parts.ctx = ctx;
    return &parts;
}

void bench_release(void)
{
    fy_arena_release(&parts);
}

void bench_check(foray_context *ctx, foray_status status)
{
    if (status == FORAY_OK)
        return;
    fprintf(stderr, "bench: %s: %s\n", foray_status_text(status), foray_message(ctx));
    exit(1);
}

void *bench_alloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fprintf(stderr, "bench: no memory for %zu items of %zu bytes\n", count, size);
        exit(1);
    }
    return memory;
}

/* SplitMix64: good enough for made-up models. */
double bench_uniform(uint64_t seed, uint64_t index)
{
    uint64_t x = seed * 0x9E3779B97F4A7C15u + index * 0xD1342543DE82EF95u + 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

/* ------------------------------------------------------- the machine's limits */

typedef double vector __attribute__((vector_size(16)));

enum { ARRAY_VECTORS = 1 << 23, PIECE_VECTORS = 1 << 15, MAX_THREADS = 64 };
enum { CHAINS = 12, STEPS = 1 << 21, REPEATS = 5 };

typedef struct limits {
    int threads;
    vector *a, *b, *c;
    foray_context *ctx;
    double sink[MAX_THREADS]; /* so that nothing is optimised away */
} limits;

static double total(vector x)
{
    double sum = 0;
    for (int i = 0; i < 2; i++)
        sum += x[i];
    return sum;
}

static void read_piece(void *arg, int64_t piece, int thread)
{
    limits *l = arg;
    vector s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (int64_t i = piece * PIECE_VECTORS; i < (piece + 1) * PIECE_VECTORS; i += 4) {
        s0 += l->a[i];
        s1 += l->a[i + 1];
        s2 += l->a[i + 2];
        s3 += l->a[i + 3];
    }
    l->sink[thread] += total(s0 + s1 + s2 + s3);
}

static void read_arrays(void *arg)
{
    limits *l = arg;
    fy_share(l->ctx, l->threads, ARRAY_VECTORS / PIECE_VECTORS, read_piece, l);
}

static void triad_piece(void *arg, int64_t piece, int thread)
{
    limits *l = arg;
    (void)thread;
    for (int64_t i = piece * PIECE_VECTORS; i < (piece + 1) * PIECE_VECTORS; i++)
        l->a[i] = l->b[i] + 0.5 * l->c[i];
}

static void triad(void *arg)
{
    limits *l = arg;
    fy_share(l->ctx, l->threads, ARRAY_VECTORS / PIECE_VECTORS, triad_piece, l);
}

/* CHAINS independent accumulators hide the latency of an operation: once for every level. */
#define MULTIPLY_ADD(level, options, bytes)                                                        \
    options static double multiply_add_##level(double factor)                                      \
    {                                                                                              \
        typedef double wide __attribute__((vector_size(bytes)));                                   \
        wide x[CHAINS], all = factor - (wide){0};                                                  \
        double sum = 0;                                                                            \
        for (int i = 0; i < CHAINS; i++)                                                           \
            x[i] = factor * (double)i - (wide){0};                                                 \
        for (int64_t step = 0; step < STEPS; step++)                                               \
            for (int i = 0; i < CHAINS; i++)                                                       \
                x[i] = x[i] * all + all;                                                           \
        for (int i = 0; i < CHAINS; i++)                                                           \
            sum += x[i][0];                                                                        \
        return sum;                                                                                \
    }
MULTIPLY_ADD(baseline, , 16)
#ifdef FY_DISPATCH
MULTIPLY_ADD(avx2, __attribute__((target("avx2"))), 32)
MULTIPLY_ADD(avx512, __attribute__((target("avx512f"))), 64)
#endif

static void operate_piece(void *arg, int64_t piece, int thread)
{
#define ROW(level) multiply_add_##level,
    static double (*const of_level[FY_LEVELS])(double) = {FY_LEVEL_LIST(ROW)};
#undef ROW
    limits *l = arg;
    (void)piece;
    l->sink[thread] += of_level[fy_level_highest()](0.999);
}

static void operate(void *arg)
{
    limits *l = arg;
    fy_share(l->ctx, l->threads, l->threads, operate_piece, l);
}

bench_machine bench_measure(int threads)
{
    size_t bytes = ARRAY_VECTORS * sizeof(vector);
    limits l = {.threads = threads < MAX_THREADS ? threads : MAX_THREADS,
                .ctx = foray_context_create()};
    l.a = aligned_alloc(64, bytes);
    l.b = aligned_alloc(64, bytes);
    l.c = aligned_alloc(64, bytes);
    if (!l.ctx || !l.a || !l.b || !l.c)
        exit(1);
    for (int64_t i = 0; i < ARRAY_VECTORS; i++)
        l.a[i] = l.b[i] = l.c[i] = (vector){0};
    double reading = (double)bytes / bench_best(REPEATS, read_arrays, &l);
    double adding = 3 * (double)bytes / bench_best(REPEATS, triad, &l);
    int lanes = 2 << fy_level_highest();
    double operations = 2.0 * lanes * CHAINS * STEPS * threads / bench_best(REPEATS, operate, &l);
    free(l.a);
    free(l.b);
    free(l.c);
    foray_context_destroy(l.ctx);
    return (bench_machine){threads, fmax(reading, adding), operations};
}

double bench_roofline(const bench_machine *machine, double bytes, double operations)
{
    return fmax(bytes / machine->bandwidth, operations / machine->operations);
}

/* -------------------------------------------------------------------- growth */

double bench_exponent(int count, const double *x, const double *y)
{
    double mean_x = 0, mean_y = 0, covariance = 0, variance = 0;
    for (int i = 0; i < count; i++) {
        mean_x += log(x[i]) / count;
        mean_y += log(y[i]) / count;
    }
    for (int i = 0; i < count; i++) {
        covariance += (log(x[i]) - mean_x) * (log(y[i]) - mean_y);
        variance += (log(x[i]) - mean_x) * (log(x[i]) - mean_x);
    }
    return covariance / variance;
}

/* -------------------------------------------------------------------- tables */

void bench_title(const char *title)
{
    printf("\n%-62s %12s %-12s %s\n", title, "measured", "", "target");
}

void bench_figure(const char *what, double measured, const char *unit)
{
    printf("  %-60s %12.4g %-12s\n", what, measured, unit);
    fflush(stdout);
}

void bench_target(const char *what, double measured, const char *unit, int kind, double target)
{
    bool met = kind == BENCH_AT_LEAST ? measured >= target : measured <= target;
    printf("  %-60s %12.4g %-12s %s %g: %s\n", what, measured, unit,
           kind == BENCH_AT_LEAST ? "at least" : "at most", target, met ? "met" : "missed");
    fflush(stdout);
}

void bench_growth(const char *what, const char *unit, int count, const double *x, const double *y)
{
    printf("  %-28s", what);
    for (int i = 0; i < count; i++)
        printf(" %8g:%-9.3g", x[i], y[i]);
    printf(" %s, exponent %.2f\n", unit, bench_exponent(count, x, y));
    fflush(stdout);
}
