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

bool foray_system_names(const char *text)
{
    return after(text, plugin_prefix) || after(text, exec_prefix) || fy_system_is_builtin(text);
}

foray_status foray_system_open(foray_context *ctx, const char *text, foray_system **out)
{
    const char *path = after(text, plugin_prefix), *command = after(text, exec_prefix);
    foray_system *system = NULL;
    foray_status status = path      ? fy_plugin_open(ctx, path, &system)
                          : command ? fy_pipe_open(ctx, command, &system)
                                    : fy_system_open_builtin(ctx, text, &system);
    if (status == FORAY_OK)
        status = fy_system_keep_text(ctx, system, text);
    if (status == FORAY_OK)
        *out = system;
    return status;
}
