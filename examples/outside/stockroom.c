/* stockroom.c - a finite system from outside, in C: a store that orders in the evening and
 * sells the next day. A state is the number of items in stock. The demand of a day is quiet,
 * normal or a rush; how often each occurs is not known.
 *
 * As a plug-in:   cc -shared -fPIC stockroom.c -o stockroom.so
 * As a program:   cc stockroom.c serve.c -o stockroom
 * stockroom.py is the same system in Python. */
#include <foray/plugin.h>
#include <stdio.h>

enum { ROOM_FOR = 20, AT_FIRST = 10, HORIZON = 14 };
enum { QUIET, NORMAL, RUSH, SIMULATORS };
enum { ACTIONS = 3 };
enum { SERVED, LEAN, REWARDS };

static const double weight[] = {0.3, 0.5, 0.2};
static const int min[] = {0, 2, 5}, max[] = {3, 6, 10};
static const int order[ACTIONS] = {0, 5, 10};
static const char *const dimension_name[] = {"items"};
static const char *const action_name[] = {"order-0", "order-5", "order-10"};
static const char *const reward_name[] = {"served", "lean"};

static int reset(void *self, uint64_t key, double *state, char *cause)
{
    (void)self, (void)key;
    *cause = 0;
    *state = AT_FIRST;
    return 0;
}

/* next = max(min(items + order, room) - demand, 0) */
static double step_once(const foray_plugin_query *query, double items)
{
    int64_t day = query->simulator;
    if (day < 0) {
        double u = foray_plugin_uniform(query->key, 0);
        day = u < weight[QUIET] ? QUIET : u < weight[QUIET] + weight[NORMAL] ? NORMAL : RUSH;
    }
    int kinds = max[day] - min[day] + 1;
    int demand = min[day] + (int)(foray_plugin_uniform(query->key, 1) * kinds);
    int stock = (int)items + order[query->action];
    stock = stock < ROOM_FOR ? stock : ROOM_FOR;
    return stock > demand ? stock - demand : 0;
}

static int step(void *self, int64_t count, const foray_plugin_query *query, const double *state,
                double *next, char *cause)
{
    (void)self;
    *cause = 0;
    for (int64_t i = 0; i < count; i++)
        next[i] = step_once(&query[i], state[i]);
    return 0;
}

static int reward(void *self, int64_t index, const double *state, int64_t action, double *value,
                  char *cause)
{
    (void)self, (void)action;
    *cause = 0;
    *value = index == SERVED ? *state >= 5 : 1 - *state / ROOM_FOR;
    return 0;
}

int foray_plugin(const foray_plugin_host *host, const char *text, foray_plugin_table *table,
                 char *cause)
{
    (void)host;
    if (*text) {
        snprintf(cause, FORAY_PLUGIN_CAUSE, "\"%s\": there is nothing to choose", text);
        return 1;
    }
    *table = (foray_plugin_table){
        .size = sizeof *table,
        .version = FORAY_PLUGIN_VERSION,
        .threads = 1,
        .name = "stockroom",
        .states = ROOM_FOR + 1,
        .dimensions = 1,
        .actions = ACTIONS,
        .horizon = HORIZON,
        .simulators = SIMULATORS,
        .rewards = REWARDS,
        .weight = weight,
        .dimension_name = dimension_name,
        .action_name = action_name,
        .reward_name = reward_name,
        .reset = reset,
        .step = step,
        .reward = reward,
    };
    return 0;
}
