/* hypercube.c - the second class of worlds that no algorithm explores quickly.
 *
 * Story       One step decides, as in `hard`, but here every sign vector is an action, and
 *             each coordinate helps or hurts a little on its own: d - 1 coins to be told
 *             apart from fair ones, all with the same episodes. The class of the bound of
 *             order d^2 H^2/eps^2 (docs/mathematics.md, "Lower bounds").
 * States      start, good, bad; good and bad last forever.
 * Actions     All sign vectors a in {-1,1}^(d-1); bit i of an action's number is the sign
 *             of coordinate i.
 * Features    phi(good|start,a) = ( 1/(6 sqrt2),  a/sqrt(2(d-1)))
 *             phi(bad |start,a) = ( 5/(6 sqrt2), -a/sqrt(2(d-1)))
 *             phi(s|s,.)        = (1/sqrt2, 0)           for s good or bad
 * Theta       (sqrt2, sqrt(2(d-1)) mu), mu = D x with x the action `member` and
 *             D = sqrt((1/6)/K)/(4 sqrt2); so P(good|start,a) = 1/6 + D <x,a>. */
#include <math.h>
#include <stdlib.h>

#include "world/decide.h"

enum { DIM, EPISODES, MEMBER, HORIZON };
enum { MAX_DIM = 13 };

static const foray_parameter parameters[] = {
    FY_INTEGER("dim", "5", 2, MAX_DIM, "d, the dimension of theta; there are 2^(d-1) actions"),
    FY_INTEGER("episodes", "1000", 3, 1e15, "K, the number of episodes that should not be enough"),
    FY_INTEGER("member", "0", 0, (1 << (MAX_DIM - 1)) - 1, "which action is the best"),
    FY_INTEGER("horizon", "10", 2, 1e6, "steps per episode"),
};

static void list_signs(int64_t actions, int64_t n, int8_t *sign)
{
    for (int64_t a = 0; a < actions; a++)
        for (int64_t i = 0; i < n; i++)
            sign[a * n + i] = a >> i & 1 ? 1 : -1;
}

/* D = sqrt((1/6)/K)/(4 sqrt2) */
static double advantage(const double *value)
{
    return sqrt(1.0 / 6.0 / value[EPISODES]) / (4.0 * M_SQRT2);
}

/* (d-1) D <= 1/24 keeps 1/6 + D <x,a> between 1/8 and 5/24, which the bound's proof needs:
 * K >= 3 (d-1)^2. */
static foray_status hypercube_check(foray_context *ctx, const double *value)
{
    double n = value[DIM] - 1;
    if (value[MEMBER] >= ldexp(1, (int)n))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "hypercube: member=%g, but with dim=%g there are %g actions", value[MEMBER],
                       value[DIM], ldexp(1, (int)n));
    if (value[EPISODES] < 3 * n * n)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "hypercube: episodes=%g, but with dim=%g they must be at least %g",
                       value[EPISODES], value[DIM], 3 * n * n);
    return FORAY_OK;
}

static foray_status hypercube_build(foray_context *ctx, const double *value,
                                    foray_builder **builder)
{
    foray_status status = hypercube_check(ctx, value);
    if (status != FORAY_OK)
        return status;
    int64_t dim = (int64_t)value[DIM], actions = (int64_t)1 << (dim - 1);
    int8_t *sign;
    if (!FY_ALLOC(ctx, sign, actions * (dim - 1)))
        return FORAY_ERROR_MEMORY;
    list_signs(actions, dim - 1, sign);
    fy_decision what = {.dim = dim,
                        .actions = actions,
                        .sign = sign,
                        .good = M_SQRT1_2 / 6,
                        .bad = 5 * M_SQRT1_2 / 6,
                        .stay = M_SQRT1_2,
                        .scale = 1 / sqrt(2.0 * (double)(dim - 1))};
    const int8_t *x = sign + (int64_t)value[MEMBER] * (dim - 1);
    double theta[MAX_DIM] = {M_SQRT2};
    for (int64_t i = 1; i < dim; i++)
        theta[i] = advantage(value) * x[i - 1] / what.scale;
    /* ||theta||^2 = 2 + 2 (d-1) ||mu||^2 = 2 + 2 ((d-1) D)^2, whichever member is true. */
    double far = (double)(dim - 1) * advantage(value);
    status = foray_builder_create(ctx, FY_DECIDE_STATES, actions, (int64_t)value[HORIZON], dim,
                                  sqrt(2 + 2 * far * far), builder);
    if (status == FORAY_OK)
        status = fy_decide(ctx, *builder, &what, theta);
    free(sign);
    return status;
}

const fy_world_kind fy_world_hypercube = {
    "hypercube", "the second hard class: every sign of an action helps or hurts a little",
    parameters, FY_COUNT(parameters), hypercube_build};
