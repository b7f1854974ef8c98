/* open.c - the system that a text names: built in, a plug-in, or a program. */
#include "outside/outside.h"
#include "system/plant.h"
#include "world/spec.h"
#include "world/world.h"

#include <string.h>

static const fy_system_kind *const kinds[] = {
    &fy_system_pendulum,
    &fy_system_mountaincar,
    &fy_system_tank,
};

static const char *const plugin_prefix = "plugin:";
static const char *const exec_prefix = "exec:";

/* What follows the prefix, or NULL: the text does not begin like this. */
static const char *after(const char *text, const char *prefix)
{
    size_t size = strlen(prefix);
    return strncmp(text, prefix, size) == 0 ? text + size : NULL;
}

bool foray_system_builtin(int64_t index, foray_world_info *info)
{
    if (index < 0 || index >= FY_COUNT(kinds))
        return false;
    const fy_system_kind *kind = kinds[index];
    *info = (foray_world_info){kind->name, kind->summary, kind->parameters, kind->parameter};
    return true;
}

bool foray_system_names(const char *text)
{
    return after(text, plugin_prefix) || after(text, exec_prefix) ||
           fy_spec_names(foray_system_builtin, text);
}

static foray_status open_builtin(foray_context *ctx, const char *text, foray_system **out)
{
    int64_t index = 0;
    double value[FY_MOST_PARAMETERS];
    foray_status status = fy_spec_read(ctx, "system", foray_system_builtin, text, &index, value);
    return status == FORAY_OK ? kinds[index]->open(ctx, value, out) : status;
}

static foray_status open_any(foray_context *ctx, const char *text, foray_system **out)
{
    const char *path = after(text, plugin_prefix), *command = after(text, exec_prefix);
    if (path)
        return fy_plugin_open(ctx, path, out);
    if (command)
        return fy_pipe_open(ctx, command, out);
    return open_builtin(ctx, text, out);
}

foray_status foray_system_open(foray_context *ctx, const char *text, foray_system **out)
{
    foray_system *system = NULL;
    foray_status status = open_any(ctx, text, &system);
    if (status != FORAY_OK)
        return status;
    system->text = fy_text(ctx, text);
    if (!system->text) {
        foray_system_destroy(system);
        return FORAY_ERROR_MEMORY;
    }
    *out = system;
    return FORAY_OK;
}
