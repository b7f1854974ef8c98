/* hard.c - the class of worlds that no algorithm explores quickly.
 *
 * Story       One step decides. Every action leads to the good or the bad state
 *             with almost even odds; only one is a little better than the rest,
 *             and the world looks the same whichever it is. This is the class
 *             behind the lower bound (docs/mathematics.md, "Lower bound").
 * States      start, good, bad; good and bad last forever.
 * Actions     Sign vectors a in {-1,1}^(d-1), any two of them with
 *             <a,a'> <= (d-1)/2: a packing, grown greedily from random vectors.
 * Features    phi(good|start,a) = (sqrt2/4,  a/sqrt(2d))
 *             phi(bad |start,a) = (sqrt2/4, -a/sqrt(2d))
 *             phi(s|s,.)        = (1/sqrt2, 0)           for s good or bad
 * Theta       (sqrt2, alpha x/sqrt d), alpha = 2 sqrt2 eps/(H-1), x the action
 *             `member`; so P(good|start,a) = 1/2 + alpha <x,a>/(sqrt2 d). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "world/decide.h"

enum { DIM, ACTIONS, MEMBER, EPS, SEED, HORIZON };

static const foray_parameter parameters[] = {
    FY_INTEGER("dim", "8", 2, FY_DECIDE_MAX_DIM, "d, the dimension of theta"),
    FY_INTEGER("actions", "8", 1, 4096, "members of the packing"),
    FY_INTEGER("member", "0", 0, 4095, "which of them is the best action"),
    FY_REAL("eps", "0.5", 1e-9, 1e6, "the accuracy that is hard to reach"),
    FY_INTEGER("seed", "1", 0, FY_MAX_SEED, "seed of the packing"),
    FY_INTEGER("horizon", "10", 2, 1e6, "steps per episode"),
};

/* ------------------------------------------------------------- the packing */

/* A candidate: every sign a fair coin of its own, 64 coins from one draw. */
static void draw_signs(double seed, uint64_t candidate, int64_t n, int8_t *sign)
{
    uint64_t bits = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i % 64 == 0)
            bits = fy_random_bits((uint64_t)seed, FY_STREAM_MODEL, candidate, (uint32_t)i, 0);
        sign[i] = bits >> (i % 64) & 1 ? 1 : -1;
    }
}

static int64_t inner_product(const int8_t *x, const int8_t *y, int64_t n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] == y[i] ? 1 : -1;
    return sum;
}

/* Is 2 <x,x'> <= n for every x' in the packing so far? */
static bool fits(const int8_t *packing, int64_t count, const int8_t *x, int64_t n)
{
    for (int64_t j = 0; j < count; j++) {
        if (2 * inner_product(packing + j * n, x, n) > n)
            return false;
    }
    return true;
}

/* Keeps every candidate that fits. Stops when there are enough, or when so many
 * in a row did not fit that the packing is as good as full. */
static int64_t grow_packing(double seed, int64_t n, int64_t wanted, int8_t *packing)
{
    enum { PATIENCE = 10000 };
    int64_t count = 0, misses = 0;
    for (uint64_t candidate = 0; count < wanted && misses < PATIENCE; candidate++) {
        int8_t *x = packing + count * n;
        draw_signs(seed, candidate, n, x);
        misses = fits(packing, count, x, n) ? 0 : misses + 1;
        count += misses == 0;
    }
    return count;
}

/* --------------------------------------------------------------- the model */

/* alpha = 2 sqrt2 eps/(H-1) */
static double alpha_of(const double *value)
{
    return 2 * M_SQRT2 * value[EPS] / (value[HORIZON] - 1);
}

/* theta = (sqrt2, alpha x/sqrt d) */
static foray_status hard_fill(foray_context *ctx, const double *value, const int8_t *packing,
                              foray_builder **builder)
{
    int64_t dim = (int64_t)value[DIM];
    const int8_t *x = packing + (int64_t)value[MEMBER] * (dim - 1);
    double theta[FY_DECIDE_MAX_DIM] = {M_SQRT2}, alpha = alpha_of(value);
    for (int64_t i = 1; i < dim; i++)
        theta[i] = alpha * x[i - 1] / sqrt(value[DIM]);
    fy_decision what = {.dim = dim,
                        .actions = (int64_t)value[ACTIONS],
                        .sign = packing,
                        .good = M_SQRT2 / 4,
                        .bad = M_SQRT2 / 4,
                        .stay = M_SQRT1_2,
                        .scale = 1 / sqrt(2.0 * (double)dim)};
    /* ||theta||^2 = 2 + alpha^2 (d-1)/d, whichever member is true. */
    double bound = sqrt(2 + alpha * alpha * (value[DIM] - 1) / value[DIM]);
    foray_status status = foray_builder_create(ctx, FY_DECIDE_STATES, what.actions,
                                               (int64_t)value[HORIZON], dim, bound, builder);
    return status == FORAY_OK ? fy_decide(ctx, *builder, &what, theta) : status;
}

/* |alpha <x,a>/(sqrt2 d)| <= alpha (d-1)/(sqrt2 d) must leave 1/2 a probability. */
static foray_status hard_check(foray_context *ctx, const double *value)
{
    double dim = value[DIM], max = (value[HORIZON] - 1) * dim / (4 * (dim - 1));
    if (value[MEMBER] >= value[ACTIONS])
        return fy_fail(ctx, FORAY_ERROR_USAGE, "hard: member=%g, but it must be below actions=%g",
                       value[MEMBER], value[ACTIONS]);
    if (!(value[EPS] <= max))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "hard: eps=%g, but at dim=%g and horizon=%g probabilities stay between 0 "
                       "and 1 only up to %g",
                       value[EPS], dim, value[HORIZON], max);
    return fy_world_check_size(ctx, "hard", 2 * dim * value[ACTIONS]);
}

static foray_status hard_build(foray_context *ctx, const double *value, foray_builder **builder)
{
    int64_t wanted = (int64_t)value[ACTIONS], dim = (int64_t)value[DIM];
    foray_status status = hard_check(ctx, value);
    if (status != FORAY_OK)
        return status;
    int8_t *packing;
    if (!FY_ALLOC(ctx, packing, wanted * (dim - 1)))
        return FORAY_ERROR_MEMORY;
    int64_t found = grow_packing(value[SEED], dim - 1, wanted, packing);
    if (found < wanted)
        status = fy_fail(ctx, FORAY_ERROR_USAGE,
                         "hard: actions=%" PRId64 ", but the packing has room for %" PRId64
                         " at dim=%" PRId64 " "
                         "(seed=%g)",
                         wanted, found, dim, value[SEED]);
    else
        status = hard_fill(ctx, value, packing, builder);
    free(packing);
    return status;
}

const fy_world_kind fy_world_hard = {
    "hard", "the lower bound's class: one action among many is slightly better", parameters,
    FY_COUNT(parameters), hard_build};
