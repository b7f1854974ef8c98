/* plant.c - what all plants share: members, the integrator, reality, noise, rewards. */
#include "system/plant.h"

#include <stdlib.h>
#include <string.h>

#include "base/maths.h"
#include "world/sample.h"
#include "world/world.h"

/* Constant once made, so that any number of threads may step at once. */
typedef struct plant {
    const fy_plant_kind *kind;
    double noise;
    int64_t members;
    double constant[FY_PLANT_MEMBERS][FY_PLANT_CONSTANTS];
    double weight[FY_PLANT_MEMBERS];
    double cumulative[FY_PLANT_MEMBERS]; /* w_0 + ... + w_i */
} plant;

/* What the random numbers of a step are for. Simulators use the kicks only, the same ones in
 * each, so that they differ by their constants alone. */
enum { DRAW_MEMBER, DRAW_KICK };

/* -------------------------------------------------------------------- members */

int64_t fy_plant_members(const fy_plant_kind *kind, const double *value)
{
    int64_t members = 1;
    for (int64_t i = 0; i < kind->constants; i++)
        members *= (int64_t)value[FY_PLANT_COUNTS + i];
    return members;
}

/* c = min + (max - min) i/(n-1), i = 0 .. n-1 */
static double spread(fy_plant_range range, int64_t i, int64_t n)
{
    double share = n > 1 ? (double)i / (double)(n - 1) : 0.5;
    return range.min + (range.max - range.min) * share;
}

/* The digits of the member's number, the last constant's first, tell the values apart. */
void fy_plant_constants(const fy_plant_kind *kind, const double *value, int64_t member,
                        double *constant)
{
    for (int64_t i = kind->constants - 1; i >= 0; i--) {
        int64_t n = (int64_t)value[FY_PLANT_COUNTS + i];
        constant[i] = spread(kind->constant[i], member % n, n);
        member /= n;
    }
}

static void make_members(plant *p, const double *value)
{
    p->members = fy_plant_members(p->kind, value);
    for (int64_t i = 0; i < p->members; i++)
        fy_plant_constants(p->kind, value, i, p->constant[i]);
    fy_random_simplex(value[FY_PLANT_SEED], 0, p->members, p->weight);
    memcpy(p->cumulative, p->weight, sizeof p->cumulative);
    fy_sample_prepare(p->cumulative, p->members);
}

/* ----------------------------------------------------------------- integrator */

/* out = x + h k */
static void ahead(const double *x, double h, const double *k, double *out)
{
    for (int i = 0; i < FY_PLANT_DIMENSIONS; i++)
        out[i] = x[i] + h * k[i];
}

/* k1 = f(x), k2 = f(x + h/2 k1), k3 = f(x + h/2 k2), k4 = f(x + h k3),
 * x <- x + h/6 (k1 + 2 k2 + 2 k3 + k4) */
static void runge_kutta(const fy_plant_kind *kind, const double *constant, double control, double h,
                        double *x)
{
    double at[FY_PLANT_DIMENSIONS], k1[FY_PLANT_DIMENSIONS], k2[FY_PLANT_DIMENSIONS],
        k3[FY_PLANT_DIMENSIONS], k4[FY_PLANT_DIMENSIONS];
    kind->rate(x, control, constant, k1);
    ahead(x, h / 2, k1, at);
    kind->rate(at, control, constant, k2);
    ahead(x, h / 2, k2, at);
    kind->rate(at, control, constant, k3);
    ahead(x, h, k3, at);
    kind->rate(at, control, constant, k4);
    for (int i = 0; i < FY_PLANT_DIMENSIONS; i++)
        x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}

void fy_plant_flow(const fy_plant_kind *kind, const double *constant, double control,
                   const double *state, double *next)
{
    double x[FY_PLANT_DIMENSIONS] = {state[0], state[1]};
    double h = kind->seconds / (double)kind->substeps;
    for (int64_t i = 0; i < kind->substeps; i++) {
        runge_kutta(kind, constant, control, h, x);
        kind->confine(x);
    }
    next[0] = x[0];
    next[1] = x[1];
}

double fy_plant_near(double x, double width)
{
    return fy_exp(-x * x / (2 * width * width));
}

/* ----------------------------------------------------------------- operations */

/* centre + width (2u - 1), u uniform in [0,1) */
static void jolt(const foray_draw *draw, uint32_t first, double strength, const double *width,
                 double *state)
{
    for (uint32_t i = 0; i < FY_PLANT_DIMENSIONS; i++) {
        if (width[i] > 0)
            state[i] += strength * width[i] * (2 * foray_draw_uniform(draw, first + i) - 1);
    }
}

static foray_status reset(void *self, const foray_draw *draw, double *state)
{
    const plant *p = self;
    memcpy(state, p->kind->start, sizeof p->kind->start);
    jolt(draw, 0, 1, p->kind->start_width, state);
    p->kind->confine(state);
    return FORAY_OK;
}

static void step_one(const plant *p, const foray_system_query *query, const double *state,
                     double *next)
{
    int64_t member = query->simulator;
    if (member == FORAY_REALITY)
        member =
            fy_sample(p->cumulative, p->members, foray_draw_uniform(&query->draw, DRAW_MEMBER));
    fy_plant_flow(p->kind, p->constant[member], p->kind->control[query->action], state, next);
    jolt(&query->draw, DRAW_KICK, p->noise, p->kind->kick, next);
    p->kind->confine(next);
}

static foray_status step(void *self, int64_t count, const foray_system_query *query,
                         const double *state, double *next)
{
    for (int64_t i = 0; i < count; i++)
        step_one(self, &query[i], state + FY_PLANT_DIMENSIONS * i, next + FY_PLANT_DIMENSIONS * i);
    return FORAY_OK;
}

static bool weights(void *self, double *weight)
{
    const plant *p = self;
    memcpy(weight, p->weight, (size_t)p->members * sizeof *weight);
    return true;
}

static foray_status reward(void *self, int64_t index, const double *state, int64_t action,
                           double *value)
{
    const fy_plant_kind *kind = ((const plant *)self)->kind;
    *value = kind->reward[index].value(state, kind->control[action]);
    return FORAY_OK;
}

/* ---------------------------------------------------------------------- open */

enum { MAX_REWARDS = 8 };

static foray_status create_system(foray_context *ctx, plant *p, int64_t horizon, foray_system **out)
{
    const fy_plant_kind *kind = p->kind;
    const char *reward_name[MAX_REWARDS];
    for (int64_t i = 0; i < kind->rewards; i++)
        reward_name[i] = kind->reward[i].name;
    const foray_system_spec spec = {
        .size = sizeof spec,
        .name = kind->name,
        .dimensions = FY_PLANT_DIMENSIONS,
        .actions = kind->actions,
        .horizon = horizon,
        .simulators = p->members,
        .low = kind->low,
        .high = kind->high,
        .dimension_name = kind->dimension_name,
        .action_name = kind->action_name,
        .rewards = kind->rewards,
        .reward_name = reward_name,
    };
    const foray_system_ops ops = {
        .size = sizeof ops,
        .reset = reset,
        .step = step,
        .weights = weights,
        .reward = reward,
        .threads = true,
        .deterministic = p->noise == 0,
        .destroy = free,
    };
    return foray_system_create(ctx, &spec, &ops, p, out);
}

foray_status fy_plant_open(foray_context *ctx, const fy_plant_kind *kind, const double *value,
                           foray_system **out)
{
    plant *p;
    if (!FY_ALLOC(ctx, p, 1))
        return FORAY_ERROR_MEMORY;
    p->kind = kind;
    p->noise = value[FY_PLANT_NOISE];
    make_members(p, value);
    foray_status status = create_system(ctx, p, (int64_t)value[FY_PLANT_HORIZON], out);
    if (status != FORAY_OK)
        free(p);
    return status;
}
