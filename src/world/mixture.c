/* mixture.c - random simulators with unknown weights.
 *
 * Story       Several simulators of one system disagree; the truth is a blend of
 *             them. Everything is drawn at random, so this is the world for sizes
 *             and for averages over many models.
 * States      0 .. states-1; the start is state 0.
 * Actions     0 .. actions-1.
 * Successors  Every (s,a) has `successors` different states after it, drawn at
 *             random, the same ones in all simulators; each simulator's
 *             probabilities are uniform on the simplex.
 * Theta       The weights of the `dim` simulators (times sqrt(dim), as the features
 *             are divided by it), uniform on the simplex: d = dim.
 * Seed        Another seed is another world. */
#include <inttypes.h>
#include <stdlib.h>

#include "world/world.h"

enum { STATES, ACTIONS, SUCCESSORS, DIM, SEED, HORIZON };

static const foray_parameter parameters[] = {
    FY_INTEGER("states", "20", 1, 1e7, "states"),
    FY_INTEGER("actions", "4", 1, 1e4, "actions"),
    FY_INTEGER("successors", "4", 1, 1e4, "states that can follow a pair, at most all of them"),
    FY_INTEGER("dim", "6", 1, 1e4, "simulators"),
    FY_INTEGER("seed", "1", 0, FY_MAX_SEED, "seed of everything drawn at random"),
    FY_HORIZON("20"),
};

/* What the random numbers are for: the weights, and the rest pair by pair. */
enum { WEIGHTS = 0, FIRST_PAIR = 1 };

typedef struct scratch {
    int64_t *next;  /* [successors] */
    double *law;    /* [successors] */
    double *weight; /* [dim] */
} scratch;

static bool contains(const int64_t *list, int64_t count, int64_t item)
{
    for (int64_t i = 0; i < count; i++) {
        if (list[i] == item)
            return true;
    }
    return false;
}

/* n different states out of `states`, each set equally likely (Floyd 1987): for
 * top = states-n .. states-1 take a random one up to `top`, or `top` itself if that
 * one has been taken. */
static void draw_successors(const double *value, uint64_t which, int64_t *next)
{
    int64_t n = (int64_t)value[SUCCESSORS], first = (int64_t)value[STATES] - n;
    for (int64_t i = 0; i < n; i++) {
        int64_t top = first + i;
        int64_t pick =
            (int64_t)(fy_world_random(value[SEED], which, (uint32_t)i, 1) * (double)(top + 1));
        next[i] = contains(next, i, pick) ? top : pick;
    }
}

/* One (s,a) in every simulator. */
static void add_pair(foray_builder *builder, const double *value, int64_t pair, const scratch *room)
{
    int64_t actions = (int64_t)value[ACTIONS], n = (int64_t)value[SUCCESSORS];
    int64_t dim = (int64_t)value[DIM];
    uint64_t which = FIRST_PAIR + (uint64_t)pair * ((uint64_t)dim + 1);
    draw_successors(value, which, room->next);
    for (int64_t i = 0; i < dim; i++) {
        fy_random_simplex(value[SEED], which + 1 + (uint64_t)i, n, room->law);
        for (int64_t j = 0; j < n; j++)
            foray_builder_simulator(builder, i, pair / actions, pair % actions, room->next[j],
                                    room->law[j]);
    }
}

static void mixture_fill(foray_builder *builder, const double *value, const scratch *room)
{
    int64_t states = (int64_t)value[STATES], actions = (int64_t)value[ACTIONS];
    for (int64_t pair = 0; pair < states * actions; pair++)
        add_pair(builder, value, pair, room);
    fy_random_simplex(value[SEED], WEIGHTS, (int64_t)value[DIM], room->weight);
    foray_builder_weights(builder, room->weight);
    foray_builder_initial(builder, 0, 1);
    fy_world_line(builder, states, "state ");
    for (int64_t a = 0; a < actions; a++) {
        char name[32];
        fy_format(name, sizeof name, "action %" PRId64, a);
        foray_builder_action_name(builder, a, name);
    }
}

static foray_status mixture_build(foray_context *ctx, const double *value, foray_builder **builder)
{
    fy_arena arena = {.ctx = ctx};
    double numbers = value[STATES] * value[ACTIONS] * value[SUCCESSORS] * value[DIM];
    if (value[SUCCESSORS] > value[STATES])
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "mixture: successors=%g, but there are only states=%g", value[SUCCESSORS],
                       value[STATES]);
    foray_status status = fy_world_check_size(ctx, "mixture", numbers);
    if (status == FORAY_OK)
        status =
            foray_builder_create_mixture(ctx, (int64_t)value[STATES], (int64_t)value[ACTIONS],
                                         (int64_t)value[HORIZON], (int64_t)value[DIM], builder);
    if (status != FORAY_OK)
        return status;
    scratch room = {NULL, NULL, NULL};
    if (FY_NEW(&arena, room.next, value[SUCCESSORS]) &&
        FY_NEW(&arena, room.law, value[SUCCESSORS]) && FY_NEW(&arena, room.weight, value[DIM]))
        mixture_fill(*builder, value, &room);
    else
        status = FORAY_ERROR_MEMORY;
    fy_arena_release(&arena);
    return status;
}

const fy_world_kind fy_world_mixture = {"mixture",
                                        "a blend of random simulators whose weights are unknown",
                                        parameters, FY_COUNT(parameters), mixture_build};
