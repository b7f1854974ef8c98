/* open.c - the system that a text names: built in, a plug-in, or a program. */
#include "outside/outside.h"
#include "system/system.h"

#include <string.h>

static const char *const plugin_prefix = "plugin:";
static const char *const exec_prefix = "exec:";

/* What follows the prefix, or NULL: the text does not begin like this. */
static const char *after(const char *text, const char *prefix)
{
    size_t size = strlen(prefix);
    return strncmp(text, prefix, size) == 0 ? text + size : NULL;
}

bool fy_system_names(const char *text)
{
    return after(text, plugin_prefix) || after(text, exec_prefix) || fy_system_is_builtin(text);
}

/* The system keeps the text it was opened with. */
static foray_status keep(foray_context *ctx, foray_status status, foray_system *system,
                         const char *text, foray_system **out)
{
    if (status == FORAY_OK)
        status = fy_system_keep_text(ctx, system, text);
    if (status == FORAY_OK)
        *out = system;
    return status;
}

foray_status foray_system_open(foray_context *ctx, const char *text, foray_system **out)
{
    const char *path = after(text, plugin_prefix), *command = after(text, exec_prefix);
    foray_system *system = NULL;
    foray_status status = path      ? fy_plugin_open(ctx, path, &system)
                          : command ? fy_pipe_open(ctx, command, &system)
                                    : fy_system_open_builtin(ctx, text, &system);
    return keep(ctx, status, system, text, out);
}

foray_status fy_system_contain(foray_context *ctx, const char *text, const char *const *host,
                               foray_system **out)
{
    const char *path = after(text, plugin_prefix);
    foray_system *system = NULL;
    if (!path)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s: only a plug-in (plugin:PATH[:TEXT]) can be contained", text);
    foray_status status = fy_contained_open(ctx, host, path, &system);
    return keep(ctx, status, system, text, out);
}
