/* queue.c - admission and service-rate control with unknown arrivals and service.
 *
 * Story       A counter with a waiting room. In every slot the manager lets
 *             newcomers in or sends them away, and staffs the counter. How many
 *             come, and how often a clerk gets done, are blends of known laws.
 * States      Customers waiting, 0 .. capacity; the start is an empty room.
 * Actions     (refuse or admit) x (1 .. rates clerks at the counter).
 * Successors  Each of c clerks serves one of those waiting with probability q, all
 *             independently: N ~ Binomial(c, q), cut at the queue. Then M newcomers
 *             enter if admitted, as far as there is room:
 *                 next = min(waiting - min(N, waiting) + M, capacity)
 * Simulators  Arrival laws i = 0 .. arrivals-1 (Poisson, means evenly from load/2
 *             to 3 load/2) times service laws j = 0 .. services-1 (q evenly from
 *             0.3 to 0.9): simulator i * services + j has arrivals i and service j.
 * Theta       Arrivals i have weight a_i and service j weight b_j, independently, so
 *             P = sum_ij a_i b_j P_ij is linear in the products: theta is the outer
 *             product of a and b (times sqrt(d), as the features are divided by
 *             it), d = arrivals * services. The learner is not told that it is a
 *             product. a and b are uniform on their simplices, drawn from the seed. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "world/world.h"

enum { CAPACITY, RATES, LOAD, ARRIVALS, SERVICES, SEED, HORIZON };

static const foray_parameter parameters[] = {
    FY_INTEGER("capacity", "12", 1, 10000, "customers the waiting room can hold"),
    FY_INTEGER("rates", "3", 1, 100, "number of clerks"),
    FY_REAL("load", "1", 0.01, 1000, "mean arrivals per slot, averaged over the arrival laws"),
    FY_INTEGER("arrivals", "3", 2, 100, "arrival laws in the blend"),
    FY_INTEGER("services", "2", 2, 100, "service laws in the blend"),
    FY_INTEGER("seed", "1", 0, FY_MAX_SEED, "seed of the weights"),
    FY_HORIZON("20"),
};

enum { REFUSE, ADMIT, DOORS };

typedef struct scratch {
    double *served; /* [rates + 1] P(N = k) */
    double *came;   /* [capacity + 1] P(M = k), the last P(M >= capacity) */
    double *next;   /* [capacity + 1] the law of the next state */
    double *weight; /* [arrivals * services] */
    double *factor; /* [arrivals + services] a, then b */
} scratch;

static void arrival_law(const double *value, int64_t i, int64_t door, double *came)
{
    double mean = value[LOAD] * (0.5 + (double)i / (value[ARRIVALS] - 1));
    fy_poisson(door == ADMIT ? mean : 0, (int64_t)value[CAPACITY], came);
}

/* P_n(k) = P(N = k) for N ~ Binomial(n, p), one trial after the other:
 *   P_n(k) = P_{n-1}(k) (1-p) + P_{n-1}(k-1) p */
static void binomial(int64_t trials, double p, double *out)
{
    out[0] = 1;
    for (int64_t n = 1; n <= trials; n++) {
        out[n] = out[n - 1] * p;
        for (int64_t k = n - 1; k > 0; k--)
            out[k] = out[k] * (1 - p) + out[k - 1] * p;
        out[0] *= 1 - p;
    }
}

static void service_law(const double *value, int64_t j, int64_t clerks, double *served)
{
    binomial(clerks, 0.3 + 0.6 * (double)j / (value[SERVICES] - 1), served);
}

/* next = min(waiting - min(N, waiting) + M, capacity), summed over N and M. */
static void convolve(int64_t waiting, int64_t clerks, int64_t capacity, const scratch *room)
{
    memset(room->next, 0, (size_t)(capacity + 1) * sizeof *room->next);
    for (int64_t n = 0; n <= clerks; n++) {
        int64_t left = n < waiting ? waiting - n : 0;
        for (int64_t m = 0; m <= capacity; m++) {
            int64_t next = left + m < capacity ? left + m : capacity;
            room->next[next] += room->served[n] * room->came[m];
        }
    }
}

/* One (waiting, action) in simulator i * services + j. */
static void add_simulator(foray_builder *builder, const double *value, int64_t simulator,
                          int64_t waiting, int64_t action, const scratch *room)
{
    int64_t capacity = (int64_t)value[CAPACITY], services = (int64_t)value[SERVICES];
    int64_t rates = (int64_t)value[RATES], clerks = 1 + action % rates;
    arrival_law(value, simulator / services, action / rates, room->came);
    service_law(value, simulator % services, clerks, room->served);
    convolve(waiting, clerks, capacity, room);
    for (int64_t s = 0; s <= capacity; s++) {
        /* Summed in another order the same terms may exceed 1 by a rounding. */
        double p = fmin(room->next[s], 1);
        if (p > 0)
            foray_builder_simulator(builder, simulator, waiting, action, s, p);
    }
}

/* theta_ij = a_i b_j */
static void add_weights(foray_builder *builder, const double *value, const scratch *room)
{
    int64_t arrivals = (int64_t)value[ARRIVALS], services = (int64_t)value[SERVICES];
    double *a = room->factor, *b = room->factor + arrivals;
    fy_random_simplex(value[SEED], 0, arrivals, a);
    fy_random_simplex(value[SEED], 1, services, b);
    for (int64_t i = 0; i < arrivals * services; i++)
        room->weight[i] = a[i / services] * b[i % services];
    foray_builder_weights(builder, room->weight);
}

static void queue_fill(foray_builder *builder, const double *value, const scratch *room)
{
    int64_t states = (int64_t)value[CAPACITY] + 1, rates = (int64_t)value[RATES];
    int64_t actions = DOORS * rates, dim = (int64_t)(value[ARRIVALS] * value[SERVICES]);
    for (int64_t pair = 0; pair < states * actions; pair++)
        for (int64_t i = 0; i < dim; i++)
            add_simulator(builder, value, i, pair / actions, pair % actions, room);
    add_weights(builder, value, room);
    foray_builder_initial(builder, 0, 1);
    fy_world_line(builder, states, "waiting ");
    for (int64_t action = 0; action < actions; action++) {
        char name[64];
        fy_format(name, sizeof name, "%s, %" PRId64 " at the counter",
                  action / rates == ADMIT ? "admit" : "refuse", (1 + action % rates));
        foray_builder_action_name(builder, action, name);
    }
}

static foray_status queue_build(foray_context *ctx, const double *value, foray_builder **builder)
{
    fy_arena arena = {.ctx = ctx};
    double states = value[CAPACITY] + 1, actions = DOORS * value[RATES];
    double dim = value[ARRIVALS] * value[SERVICES];
    foray_status status = fy_world_check_size(ctx, "queue", states * states * actions * dim);
    if (status == FORAY_OK)
        status = foray_builder_create_mixture(ctx, (int64_t)states, (int64_t)actions,
                                              (int64_t)value[HORIZON], (int64_t)dim, builder);
    if (status != FORAY_OK)
        return status;
    scratch room = {NULL, NULL, NULL, NULL, NULL};
    if (FY_NEW(&arena, room.served, value[RATES] + 1) && FY_NEW(&arena, room.came, states) &&
        FY_NEW(&arena, room.next, states) && FY_NEW(&arena, room.weight, dim) &&
        FY_NEW(&arena, room.factor, value[ARRIVALS] + value[SERVICES]))
        queue_fill(*builder, value, &room);
    else
        status = FORAY_ERROR_MEMORY;
    fy_arena_release(&arena);
    return status;
}

const fy_world_kind fy_world_queue = {
    "queue", "admission and staffing of a counter with unknown arrivals and service", parameters,
    FY_COUNT(parameters), queue_build};
