/* builtin.c - the systems that come with the library. */
#include "system/plant.h"
#include "system/system.h"
#include "world/world.h"

/* A system is one file that defines its row, fy_system_NAME, and one line here. */
#define SYSTEMS(X)                                                                                 \
    X(pendulum)                                                                                    \
    X(mountaincar)                                                                                 \
    X(tank)

#define DECLARE(name) extern const fy_system_kind fy_system_##name;
SYSTEMS(DECLARE)
#undef DECLARE

#define ROW(name) &fy_system_##name,
static const fy_system_kind *const kinds[] = {SYSTEMS(ROW)};
#undef ROW

bool fy_system_builtin(int64_t index, foray_world_info *info)
{
    if (index < 0 || index >= FY_COUNT(kinds))
        return false;
    const fy_system_kind *kind = kinds[index];
    *info = (foray_world_info){kind->name, kind->summary, kind->parameters, kind->parameter};
    return true;
}

bool fy_system_is_builtin(const char *text)
{
    return fy_spec_names(fy_system_builtin, text);
}

foray_status fy_system_open_builtin(foray_context *ctx, const char *text, foray_system **out)
{
    int64_t index = 0;
    double value[FY_MAX_PARAMETERS];
    foray_status status = fy_spec_read(ctx, "system", fy_system_builtin, text, &index, value);
    return status == FORAY_OK ? kinds[index]->open(ctx, value, out) : status;
}

foray_status fy_system_keep_text(foray_context *ctx, foray_system *system, const char *text)
{
    system->arena.ctx = ctx;
    system->text = fy_arena_text(&system->arena, text);
    if (system->text)
        return FORAY_OK;
    foray_system_destroy(system);
    return FORAY_ERROR_MEMORY;
}
