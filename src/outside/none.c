/* none.c - the system that a text names, in a build of the core (FORAY_CORE), which starts no
 * programs and loads no shared objects: only those that come with the library. It takes the
 * place of everything else in this folder. */
#include "outside/outside.h"
#include "system/system.h"

#include <string.h>

bool fy_system_names(const char *text)
{
    return fy_system_is_builtin(text);
}

foray_status foray_system_open(foray_context *ctx, const char *text, foray_system **out)
{
    foray_system *system = NULL;
    if (strncmp(text, "plugin:", 7) == 0 || strncmp(text, "exec:", 5) == 0)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s: this build of the library has only systems of its own", text);
    foray_status status = fy_system_open_builtin(ctx, text, &system);
    if (status == FORAY_OK)
        status = fy_system_keep_text(ctx, system, text);
    if (status == FORAY_OK)
        *out = system;
    return status;
}
