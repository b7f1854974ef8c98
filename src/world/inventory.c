/* inventory.c - stock control with an unknown demand law.
 *
 * Story       A shop orders goods every morning, they arrive at once, customers buy
 *             during the day. How many come is a blend of known kinds of days.
 * States      Stock in the evening, 0 .. capacity; the start is a full shop.
 * Actions     Order 0 .. order pieces; what does not fit is sent back.
 * Successors  With y = min(stock + order, capacity) pieces in the morning and demand
 *             D, the evening finds max(y - D, 0).
 * Simulators  Demand laws i = 0 .. dim-1 with means from demand/2 to 3 demand/2,
 *             evenly; even ones Poisson (calm days), odd ones geometric (bursts).
 * Theta       The weights of the laws (times sqrt(dim), as the features are divided
 *             by it), uniform on the simplex, drawn from the seed: d = dim. */
#include <inttypes.h>
#include <stdlib.h>

#include "world/world.h"

enum { CAPACITY, ORDER, DEMAND, DIM, SEED, HORIZON };

static const foray_parameter parameters[] = {
    FY_INTEGER("capacity", "20", 1, 10000, "items the shop can hold"),
    FY_INTEGER("order", "8", 1, 10000, "largest order"),
    FY_REAL("demand", "4", 0.01, 1000, "mean demand, averaged over the demand laws"),
    FY_INTEGER("dim", "4", 2, 1000, "demand laws in the blend"),
    FY_INTEGER("seed", "1", 0, FY_MAX_SEED, "seed of the weights"),
    FY_HORIZON("20"),
};

/* Law i of demand, cut at y: p[k] = P(D = k) for k < y, p[y] = P(D >= y). */
static void demand_law(const double *value, int64_t i, int64_t y, double *p)
{
    double mean = value[DEMAND] * (0.5 + (double)i / (value[DIM] - 1));
    if (i % 2 == 0)
        fy_poisson(mean, y, p);
    else
        fy_geometric(mean, y, p);
}

/* Every (stock, order) with y pieces in the morning ends the same way. */
static void add_pair(foray_builder *builder, const double *value, int64_t stock, int64_t order,
                     double *p)
{
    int64_t capacity = (int64_t)value[CAPACITY];
    int64_t y = stock + order < capacity ? stock + order : capacity;
    for (int64_t i = 0; i < (int64_t)value[DIM]; i++) {
        demand_law(value, i, y, p);
        for (int64_t sold = 0; sold <= y; sold++)
            if (p[sold] > 0)
                foray_builder_simulator(builder, i, stock, order, y - sold, p[sold]);
    }
}

/* p: [states], weight: [dim] to work with. */
static void inventory_fill(foray_builder *builder, const double *value, double *p, double *weight)
{
    int64_t states = (int64_t)value[CAPACITY] + 1, actions = (int64_t)value[ORDER] + 1;
    for (int64_t pair = 0; pair < states * actions; pair++)
        add_pair(builder, value, pair / actions, pair % actions, p);
    fy_random_simplex(value[SEED], 0, (int64_t)value[DIM], weight);
    foray_builder_weights(builder, weight);
    foray_builder_initial(builder, states - 1, 1);
    fy_world_line(builder, states, "stock ");
    for (int64_t order = 0; order < actions; order++) {
        char name[32];
        fy_format(name, sizeof name, "order %" PRId64, order);
        foray_builder_action_name(builder, order, name);
    }
}

static foray_status inventory_build(foray_context *ctx, const double *value,
                                    foray_builder **builder)
{
    int64_t states = (int64_t)value[CAPACITY] + 1, dim = (int64_t)value[DIM];
    int64_t actions = (int64_t)value[ORDER] + 1;
    double numbers = (double)states * (double)states * (double)actions * (double)dim;
    if (value[ORDER] > value[CAPACITY])
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "inventory: order=%g, but it must be 1 to capacity=%g", value[ORDER],
                       value[CAPACITY]);
    foray_status status = fy_world_check_size(ctx, "inventory", numbers);
    if (status == FORAY_OK)
        status = foray_builder_create_mixture(ctx, states, actions, (int64_t)value[HORIZON], dim,
                                              builder);
    if (status != FORAY_OK)
        return status;
    double *p = NULL, *weight = NULL;
    if (FY_ALLOC(ctx, p, states) && FY_ALLOC(ctx, weight, dim))
        inventory_fill(*builder, value, p, weight);
    else
        status = FORAY_ERROR_MEMORY;
    free(p);
    free(weight);
    return status;
}

const fy_world_kind fy_world_inventory = {"inventory",
                                          "stock control whose demand law is an unknown blend",
                                          parameters, FY_COUNT(parameters), inventory_build};
