/* thermostat.c - a heated room as a system from outside, in C.
 *
 * A state is the temperature of the room and of its walls. How much heat the room loses
 * depends on the windows, which people open and shut as they like: three simulators, one for
 * each position of the windows, and a mixture that is not known.
 *
 * As a plug-in:   cc -shared -fPIC thermostat.c -o thermostat.so
 * As a program:   cc thermostat.c serve.c -o thermostat
 * thermostat.py is the same system in Python. The text is the horizon, 24 by default. */
#include <foray/plugin.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM, WALL, DIMENSIONS };
enum { SHUT, AJAR, OPEN, SIMULATORS };
enum { OFF, LOW, HIGH, ACTIONS };
enum { COMFORT, THRIFT, REWARDS };

static const double low[] = {0, 0}, high[] = {35, 35};
static const double weight[] = {0.5, 0.3, 0.2};
static const double loss[] = {0.05, 0.15, 0.4};
static const double heat[] = {0, 1.5, 4};
static const char *const dimension_name[] = {"room", "wall"};
static const char *const action_name[] = {"off", "low", "high"};
static const char *const reward_name[] = {"comfort", "thrift"};

static int reset(void *self, uint64_t key, double *state, char *cause)
{
    (void)self;
    *cause = 0;
    state[ROOM] = 14 + 4 * foray_plugin_uniform(key, 0);
    state[WALL] = 14 + 2 * foray_plugin_uniform(key, 1);
    return 0;
}

/* Reality draws the window first; the weather is the same number for every simulator. */
static void step_once(const foray_plugin_query *query, const double *state, double *next)
{
    int64_t window = query->simulator;
    if (window < 0) {
        double u = foray_plugin_uniform(query->key, 0);
        window = u < weight[SHUT] ? SHUT : u < weight[SHUT] + weight[AJAR] ? AJAR : OPEN;
    }
    double outside = 2 + 6 * foray_plugin_uniform(query->key, 1);
    double room = state[ROOM], wall = state[WALL];
    next[ROOM] = room + heat[query->action] + 0.2 * (wall - room) - loss[window] * (room - outside);
    next[WALL] = wall + 0.1 * (room - wall);
}

static int step(void *self, int64_t count, const foray_plugin_query *query, const double *state,
                double *next, char *cause)
{
    (void)self;
    *cause = 0;
    for (int64_t i = 0; i < count; i++)
        step_once(&query[i], state + i * DIMENSIONS, next + i * DIMENSIONS);
    return 0;
}

static int reward(void *self, int64_t index, const double *state, int64_t action, double *value,
                  char *cause)
{
    (void)self;
    *cause = 0;
    double off = state[ROOM] > 21 ? state[ROOM] - 21 : 21 - state[ROOM];
    if (index == COMFORT)
        *value = off < 5 ? 1 - off / 5 : 0;
    else
        *value = 1 - heat[action] / heat[HIGH];
    return 0;
}

int foray_plugin(const foray_plugin_host *host, const char *text, foray_plugin_table *table,
                 char *cause)
{
    char *end;
    long horizon = *text ? strtol(text, &end, 10) : 24;
    (void)host;
    if (*text && (*end || horizon < 1 || horizon > 1000)) {
        snprintf(cause, FORAY_PLUGIN_CAUSE, "horizon \"%s\": must be a number from 1 to 1000",
                 text);
        return 1;
    }
    *table = (foray_plugin_table){
        .size = sizeof *table,
        .version = FORAY_PLUGIN_VERSION,
        .threads = 1,
        .name = "thermostat",
        .dimensions = DIMENSIONS,
        .actions = ACTIONS,
        .horizon = horizon,
        .simulators = SIMULATORS,
        .rewards = REWARDS,
        .low = low,
        .high = high,
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
