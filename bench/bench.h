/* bench.h - what the benchmarks share: clocks, what the machine can do at best, tables,
 * and how a cost grows. Times are the best of several repetitions: the one that was
 * disturbed least. */
#ifndef BENCH_H
#define BENCH_H

#include "base/base.h"

/* Seconds from some fixed moment. */
double bench_now(void);

/* Seconds of the fastest of `repeats` calls of work(arg). */
double bench_best(int repeats, void (*work)(void *arg), void *arg);

/* How many times faster work(fast) is than work(slow), each at its best. They take turns, so
 * that a machine whose speed changes meanwhile favours neither. */
double bench_speedup(int repeats, void (*work)(void *arg), void *slow, void *fast);

/* What this many threads can do at best: bytes read (or, in a triad, read and written)
 * per second from arrays larger than any cache, and floating-point operations per second
 * in multiplications and additions on vectors of the highest level. */
typedef struct bench_machine {
    int threads;
    double bandwidth, operations;
} bench_machine;
bench_machine bench_measure(int threads);

/* Seconds that moving `bytes` and doing `operations` takes at least. */
double bench_roofline(const bench_machine *machine, double bytes, double operations);

/* The exponent e of y ~ x^e, fitted by least squares to the logarithms. */
double bench_exponent(int count, const double *x, const double *y);

/* A table of what was measured against what is asked for. */
void bench_title(const char *title);
void bench_figure(const char *what, double measured, const char *unit);
enum { BENCH_AT_LEAST, BENCH_AT_MOST };
void bench_target(const char *what, double measured, const char *unit, int kind, double target);

/* One line of growth: a name, the sizes, the costs, the fitted exponent. */
void bench_growth(const char *what, const char *unit, int count, const double *x, const double *y);

/* Stops the program with the context's message unless status is FORAY_OK. */
void bench_check(foray_context *ctx, foray_status status);
/* Where parts of the library come from, until they are released together. */
fy_arena *bench_arena(foray_context *ctx);
void bench_release(void);
/* Memory, or the end of the program. */
void *bench_alloc(size_t count, size_t size);

/* The index-th uniform number in [0,1) of a stream that depends on `seed` alone. */
double bench_uniform(uint64_t seed, uint64_t index);

#endif
