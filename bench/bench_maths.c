/* What the portable mathematical functions cost beside those of this machine's libm, on the
 * arguments that the library gives them. */
#include "base/maths.h"
#include "bench.h"

#include <math.h>
#include <stdio.h>

enum { ARGUMENTS = 4096, ROUNDS = 10, REPEATS = 100 };

/* Functions of one argument have no `two`. */
typedef struct work {
    double (*one)(double);
    double (*two)(double, double);
    const double *x, *y;
    double sink; /* so that nothing is optimised away */
} work;

static void call_all(void *arg)
{
    work *w = arg;
    double sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < ARGUMENTS; i++)
            sum += w->two ? w->two(w->x[i], w->y[i]) : w->one(w->x[i]);
    w->sink += sum;
}

static double nanoseconds(work *w)
{
    return 1e9 * bench_best(1, call_all, w) / ((double)ARGUMENTS * ROUNDS);
}

typedef struct contest {
    const char *name;
    work ours, theirs;
    double low, high; /* arguments are uniform in between */
} contest;

static void compare(contest *c)
{
    double x[ARGUMENTS], y[ARGUMENTS];
    char line[80];
    for (uint64_t i = 0; i < ARGUMENTS; i++) {
        x[i] = c->low + (c->high - c->low) * bench_uniform(1, i);
        y[i] = 20 * bench_uniform(2, i) - 10;
    }
    c->ours.x = c->theirs.x = x;
    c->ours.y = c->theirs.y = y;
    double ours = HUGE_VAL, theirs = HUGE_VAL;
    for (int i = 0; i < REPEATS; i++) { /* in turns: a machine that slows down favours neither */
        ours = fmin(ours, nanoseconds(&c->ours));
        theirs = fmin(theirs, nanoseconds(&c->theirs));
    }
    snprintf(line, sizeof line, "%s from %g to %g: libm's %.3g ns, ours", c->name, c->low, c->high,
             theirs);
    bench_figure(line, ours, "ns");
    bench_target("  ours / libm's", ours / theirs, "", BENCH_AT_MOST, 3);
}

int main(void)
{
    contest contests[] = {
        {"log", {.one = fy_log}, {.one = log}, 0, 100},
        {"log10", {.one = fy_log10}, {.one = log10}, 0, 100},
        {"log1p", {.one = fy_log1p}, {.one = log1p}, -1, 1},
        {"exp", {.one = fy_exp}, {.one = exp}, -20, 20},
        {"pow", {.two = fy_pow}, {.two = pow}, 0, 10},
        {"sin", {.one = fy_sin}, {.one = sin}, -0.7, 0.7},
        {"sin", {.one = fy_sin}, {.one = sin}, -100, 100},
        {"cos", {.one = fy_cos}, {.one = cos}, -100, 100},
        {"cos", {.one = fy_cos}, {.one = cos}, 0, 1e300},
        {"lgamma", {.one = fy_lgamma}, {.one = lgamma}, 0, 3},
        {"lgamma", {.one = fy_lgamma}, {.one = lgamma}, 3, 1000},
    };
    bench_title("Mathematical functions: one thread, one call after another");
    for (size_t i = 0; i < sizeof contests / sizeof contests[0]; i++)
        compare(&contests[i]);
    return 0;
}
