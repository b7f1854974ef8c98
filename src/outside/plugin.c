/* plugin.c - systems from shared objects: finds the entry point, checks what it filled in,
 * and passes questions on. What a plug-in does in this process cannot be contained: one
 * that crashes takes the process with it, unless that process is only there for it (serve.c). */
#include "foray/plugin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "outside/outside.h"

/* Room for the tables of plug-ins built with a newer header: what they filled in beyond what
 * is known here must be zero. */
typedef union table_room {
    foray_plugin_table table;
    unsigned char byte[4096];
} table_room;

struct fy_plugin {
    char *path;
    void *object;
    foray_plugin_host host;
    table_room room;
    bool entered; /* the entry point succeeded and its table is understood: destroy is owed */
    /* The first failure stays; several threads may meet theirs at once. */
    pthread_mutex_t lock;
    bool failed;
    char cause[FORAY_PLUGIN_CAUSE];
};

/* Questions are translated so many at a time. */
enum { CHUNK = 256 };

/* ---------------------------------------------------------------- questions */

static bool has_failed(fy_plugin *p)
{
    pthread_mutex_lock(&p->lock);
    bool failed = p->failed;
    pthread_mutex_unlock(&p->lock);
    return failed;
}

static foray_status note_failure(fy_plugin *p, int answer, const char *cause)
{
    if (answer == 0)
        return FORAY_OK;
    pthread_mutex_lock(&p->lock);
    if (!p->failed) {
        fy_format(p->cause, sizeof p->cause, "%.*s", FORAY_PLUGIN_CAUSE - 1,
                  cause[0] ? cause : "it does not say why");
        p->failed = true;
    }
    pthread_mutex_unlock(&p->lock);
    return FORAY_ERROR_WORLD;
}

static foray_status plugin_reset(void *self, const foray_draw *draw, double *state)
{
    fy_plugin *p = self;
    char cause[FORAY_PLUGIN_CAUSE] = "";
    if (has_failed(p))
        return FORAY_ERROR_WORLD;
    const foray_plugin_table *table = &p->room.table;
    return note_failure(p, table->reset(table->self, fy_draw_key(draw), state, cause), cause);
}

static foray_status plugin_step(void *self, int64_t count, const foray_system_query *query,
                                const double *state, double *next)
{
    fy_plugin *p = self;
    const foray_plugin_table *table = &p->room.table;
    char cause[FORAY_PLUGIN_CAUSE] = "";
    foray_plugin_query asked[CHUNK];
    foray_status status = has_failed(p) ? FORAY_ERROR_WORLD : FORAY_OK;
    for (int64_t at = 0; at < count && status == FORAY_OK; at += CHUNK) {
        int64_t size = count - at < CHUNK ? count - at : CHUNK;
        for (int64_t i = 0; i < size; i++) {
            const foray_system_query *q = &query[at + i];
            asked[i] = (foray_plugin_query){fy_draw_key(&q->draw), q->simulator, q->action};
        }
        int64_t offset = at * table->dimensions;
        status = note_failure(
            p, table->step(table->self, size, asked, state + offset, next + offset, cause), cause);
    }
    return status;
}

static foray_status plugin_reward(void *self, int64_t index, const double *state, int64_t action,
                                  double *value)
{
    fy_plugin *p = self;
    const foray_plugin_table *table = &p->room.table;
    char cause[FORAY_PLUGIN_CAUSE] = "";
    if (has_failed(p))
        return FORAY_ERROR_WORLD;
    return note_failure(p, table->reward(table->self, index, state, action, value, cause), cause);
}

static bool plugin_weights(void *self, double *weight)
{
    const fy_plugin *p = self;
    const foray_plugin_table *table = &p->room.table;
    if (!table->weight)
        return false;
    memcpy(weight, table->weight, (size_t)table->simulators * sizeof *weight);
    return true;
}

static const char *plugin_message(void *self)
{
    const fy_plugin *p = self;
    return p->cause;
}

void fy_plugin_unload(fy_plugin *p)
{
    if (!p)
        return;
    const foray_plugin_table *table = &p->room.table;
    if (p->entered && table->destroy)
        table->destroy(table->self);
    if (p->object)
        dlclose(p->object);
    pthread_mutex_destroy(&p->lock);
    free(p->path);
    free(p);
}

static void plugin_destroy(void *self)
{
    fy_plugin_unload(self);
}

/* ------------------------------------------------------------------ opening */

/* The linker's own words, which name the file. */
static foray_status linker_says(foray_context *ctx, const fy_plugin *p)
{
    const char *cause = dlerror();
    return fy_fail(ctx, FORAY_ERROR_WORLD, "plugin:%s: %s", p->path,
                   cause ? cause : "no reason given");
}

/* A path without a '/' is a file here: the linker would look for it among its libraries. */
static foray_status load(foray_context *ctx, fy_plugin *p)
{
    char *here = NULL;
    const char *path = p->path;
    if (!strchr(path, '/')) {
        size_t size = strlen(path) + sizeof "./";
        if (!FY_ALLOC(ctx, here, size))
            return FORAY_ERROR_MEMORY;
        fy_format(here, size, "./%s", path);
        path = here;
    }
    p->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    free(here);
    return p->object ? FORAY_OK : linker_says(ctx, p);
}

static foray_status enter(foray_context *ctx, fy_plugin *p, const char *text)
{
    char cause[FORAY_PLUGIN_CAUSE] = "";
    foray_plugin_fn *entry;
    void *symbol = dlsym(p->object, "foray_plugin");
    if (!symbol)
        return linker_says(ctx, p);
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from data to functions */
    p->host = (foray_plugin_host){sizeof p->host, FORAY_PLUGIN_VERSION, FORAY_VERSION};
    if (entry(&p->host, text, &p->room.table, cause) != 0)
        return fy_fail(ctx, FORAY_ERROR_WORLD, "plugin:%s: it refuses to start: %.*s", p->path,
                       FORAY_PLUGIN_CAUSE - 1, cause[0] ? cause : "it does not say why");
    return FORAY_OK;
}

/* Versions first: nothing else means anything if they differ. */
static foray_status check_size(foray_context *ctx, fy_plugin *p)
{
    const foray_plugin_table *table = &p->room.table;
    size_t min = offsetof(foray_plugin_table, destroy), known = sizeof *table;
    if (table->version != FORAY_PLUGIN_VERSION)
        return fy_fail(ctx, FORAY_ERROR_WORLD,
                       "plugin:%s: built for version %u of the plug-in interface, but this is %u",
                       p->path, table->version, FORAY_PLUGIN_VERSION);
    if (table->size < min || table->size > sizeof p->room)
        return fy_fail(ctx, FORAY_ERROR_WORLD,
                       "plugin:%s: its table.size is %zu, but it must be "
                       "sizeof(foray_plugin_table), at least %zu",
                       p->path, table->size, min);
    for (size_t i = known; i < table->size; i++)
        if (p->room.byte[i])
            return fy_fail(ctx, FORAY_ERROR_WORLD,
                           "plugin:%s: it uses entries of the table that only a newer Foray knows",
                           p->path);
    if (table->size < known)
        memset(p->room.byte + table->size, 0, known - table->size);
    p->entered = true;
    return FORAY_OK;
}

/* What foray_system_create cannot see: the rest is checked there. */
static foray_status check_entries(foray_context *ctx, const fy_plugin *p)
{
    const foray_plugin_table *table = &p->room.table;
    const char *missing = NULL;
    if (!table->name)
        missing = "name";
    else if (!table->reset)
        missing = "reset";
    else if (!table->step)
        missing = "step";
    else if (table->rewards > 0 && !table->reward)
        missing = "reward";
    else if (table->rewards > 0 && !table->reward_name)
        missing = "reward_name";
    else if (table->states == 0 && (!table->low || !table->high))
        missing = table->low ? "high" : "low";
    if (missing)
        return fy_fail(ctx, FORAY_ERROR_WORLD, "plugin:%s: table.%s is required, but it is NULL",
                       p->path, missing);
    return FORAY_OK;
}

static foray_status wrap(foray_context *ctx, fy_plugin *p, foray_system **out)
{
    const foray_plugin_table *table = &p->room.table;
    const foray_system_spec spec = {.size = sizeof spec,
                                    .name = table->name,
                                    .states = table->states,
                                    .dimensions = table->dimensions,
                                    .actions = table->actions,
                                    .horizon = table->horizon,
                                    .simulators = table->simulators,
                                    .low = table->low,
                                    .high = table->high,
                                    .dimension_name = table->dimension_name,
                                    .action_name = table->action_name,
                                    .rewards = table->rewards,
                                    .reward_name = table->reward_name};
    const foray_system_ops ops = {.size = sizeof ops,
                                  .reset = plugin_reset,
                                  .step = plugin_step,
                                  .weights = plugin_weights,
                                  .reward = plugin_reward,
                                  .threads = table->threads != 0,
                                  .deterministic = table->deterministic != 0,
                                  .message = plugin_message,
                                  .destroy = plugin_destroy};
    foray_status status = foray_system_create(ctx, &spec, &ops, p, out);
    if (status == FORAY_ERROR_MEMORY || status == FORAY_OK)
        return status;
    return fy_fail_within(ctx, FORAY_ERROR_WORLD, "plugin:%s", p->path);
}

static foray_status create(foray_context *ctx, const char *text, fy_plugin **out)
{
    fy_plugin *p;
    size_t length = strcspn(text, ":");
    if (!FY_ALLOC(ctx, p, 1))
        return FORAY_ERROR_MEMORY;
    if (!FY_ALLOC(ctx, p->path, length + 1)) {
        free(p);
        return FORAY_ERROR_MEMORY;
    }
    memcpy(p->path, text, length);
    pthread_mutex_init(&p->lock, NULL);
    *out = p;
    return FORAY_OK;
}

foray_status fy_plugin_load(foray_context *ctx, const char *text, fy_plugin **out)
{
    fy_plugin *p = NULL;
    foray_status status = create(ctx, text, &p);
    if (status != FORAY_OK)
        return status;
    const char *rest = text + strlen(p->path);
    if (!p->path[0])
        status =
            fy_fail(ctx, FORAY_ERROR_USAGE, "plugin: no file is given; write plugin:PATH[:TEXT]");
    if (status == FORAY_OK)
        status = load(ctx, p);
    if (status == FORAY_OK)
        status = enter(ctx, p, *rest ? rest + 1 : rest);
    if (status == FORAY_OK)
        status = check_size(ctx, p);
    if (status == FORAY_OK)
        status = check_entries(ctx, p);
    if (status == FORAY_OK)
        *out = p;
    else
        fy_plugin_unload(p);
    return status;
}

const foray_plugin_table *fy_plugin_table_of(const fy_plugin *plugin)
{
    return &plugin->room.table;
}

foray_status fy_plugin_open(foray_context *ctx, const char *text, foray_system **out)
{
    fy_plugin *p;
    foray_status status = fy_plugin_load(ctx, text, &p);
    if (status != FORAY_OK)
        return status;
    status = wrap(ctx, p, out);
    if (status != FORAY_OK)
        fy_plugin_unload(p);
    return status;
}
