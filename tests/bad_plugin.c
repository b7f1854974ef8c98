/* bad_plugin.c - a plug-in that is wrong in the way its text names, and right without one. */
#include <foray/plugin.h>
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double low[] = {0}, high[] = {1};
static const char *const reward_name[] = {"one"};

/* What a plug-in built with a newer header might hand over. */
typedef struct longer_table {
    foray_plugin_table table;
    void *later;
} longer_table;

static int64_t steps;

/* How numbers are rounded in this process from now on. */
static void set_rounding(const char *text, const char *moment)
{
    if (strcmp(text, moment) == 0)
        fesetround(FE_UPWARD);
}

static int reset(void *self, uint64_t key, double *state, char *cause)
{
    (void)key, (void)cause;
    set_rounding(self, "round-reset");
    *state = 0.5;
    return 0;
}

static int step(void *self, int64_t count, const foray_plugin_query *query, const double *state,
                double *next, char *cause)
{
    const char *text = self;
    if (strcmp(text, "fail-step") == 0) {
        snprintf(cause, FORAY_PLUGIN_CAUSE, "out of petrol");
        return 1;
    }
    if (strcmp(text, "close") == 0 && ++steps > 20000) /* as programs do that become daemons */
        for (int fd = 3; fd < 256; fd++)
            close(fd);
    if (strcmp(text, "exit") == 0)
        exit(0);
    if (strcmp(text, "crash") == 0)
        raise(SIGSEGV);
    if (strcmp(text, "crash-late") == 0 && ++steps > 20000)
        raise(SIGSEGV);
    for (int64_t i = 0; i < count; i++)
        next[i] = (state[i] + foray_plugin_uniform(query[i].key, 0)) / 2;
    for (int64_t i = 0; i < count && strcmp(text, "placed") == 0; i++)
        next[i] = 1 / (double)(i + 1);
    set_rounding(text, "round-step");
    return strcmp(text, "fail-silently") == 0;
}

static int reward(void *self, int64_t index, const double *state, int64_t action, double *value,
                  char *cause)
{
    (void)index, (void)state, (void)action, (void)cause;
    set_rounding(self, "round-reward");
    *value = 1;
    return 0;
}

static void spoil(foray_plugin_table *table, const char *text)
{
    if (strcmp(text, "version") == 0)
        table->version = 99;
    else if (strcmp(text, "small") == 0)
        table->size = 16;
    else if (strcmp(text, "huge") == 0)
        table->size = (size_t)1 << 40;
    else if (strcmp(text, "no-name") == 0)
        table->name = NULL;
    else if (strcmp(text, "no-reset") == 0)
        table->reset = NULL;
    else if (strcmp(text, "no-step") == 0)
        table->step = NULL;
    else if (strcmp(text, "no-reward") == 0)
        table->reward = NULL;
    else if (strcmp(text, "no-box") == 0)
        table->high = NULL;
    else if (strcmp(text, "no-actions") == 0)
        table->actions = 0;
    else if (strcmp(text, "not-deterministic") == 0)
        table->simulators = table->deterministic = 1;
    else if (strcmp(text, "crash-late") == 0 || strcmp(text, "close") == 0)
        table->simulators = 1;
    else if (strncmp(text, "round", 5) == 0) /* something is to be learnt */
        table->simulators = 2;
    else if (strcmp(text, "old") == 0)
        table->size = offsetof(foray_plugin_table, destroy);
    else if (strcmp(text, "new") == 0 || strcmp(text, "newer") == 0)
        table->size = sizeof(longer_table);
    if (strcmp(text, "newer") == 0)
        ((longer_table *)table)->later = table;
}

int foray_plugin(const foray_plugin_host *host, const char *text, foray_plugin_table *table,
                 char *cause)
{
    if (host->size < sizeof *host || host->version != FORAY_PLUGIN_VERSION || !host->foray[0])
        return 1;
    if (strcmp(text, "refuse") == 0) {
        snprintf(cause, FORAY_PLUGIN_CAUSE, "not on Sundays");
        return 1;
    }
    set_rounding(text, "round-entry");
    char *self = malloc(strlen(text) + 1);
    if (!self)
        return 1;
    *table = (foray_plugin_table){.size = sizeof *table,
                                  .version = FORAY_PLUGIN_VERSION,
                                  .name = "plugged",
                                  .dimensions = 1,
                                  .actions = 1,
                                  .horizon = 2,
                                  .rewards = 1,
                                  .low = low,
                                  .high = high,
                                  .reward_name = reward_name,
                                  .self = strcpy(self, text),
                                  .reset = reset,
                                  .step = step,
                                  .reward = reward,
                                  .destroy = free};
    /* Without an entry it knows, Foray does not call destroy. */
    if (strcmp(text, "version") == 0 || strcmp(text, "small") == 0 || strcmp(text, "huge") == 0 ||
        strcmp(text, "newer") == 0 || strcmp(text, "old") == 0) {
        free(self);
        table->self = (void *)"";
    }
    spoil(table, text);
    return 0;
}
