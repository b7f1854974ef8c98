/* builtin.c - the table of built-in worlds. */
#include "world/spec.h"
#include "world/world.h"

static const fy_world_kind *const kinds[] = {
    &fy_world_chain,     &fy_world_riverswim, &fy_world_grid,       &fy_world_rooms,
    &fy_world_mixture,   &fy_world_hard,      &fy_world_hypercube,  &fy_world_trapdoor,
    &fy_world_inventory, &fy_world_queue,     &fy_world_frozenlake,
};

bool foray_world_describe(int64_t index, foray_world_info *info)
{
    if (index < 0 || index >= FY_COUNT(kinds))
        return false;
    const fy_world_kind *kind = kinds[index];
    *info = (foray_world_info){kind->name, kind->summary, kind->parameters, kind->parameter};
    return true;
}

foray_status foray_model_builtin(foray_context *ctx, const char *spec, foray_model **out)
{
    int64_t index = 0;
    double value[FY_MOST_PARAMETERS];
    foray_status status = fy_spec_read(ctx, "world", foray_world_describe, spec, &index, value);
    if (status != FORAY_OK)
        return status;
    foray_builder *builder = NULL;
    status = kinds[index]->build(ctx, value, &builder);
    if (status == FORAY_OK) {
        foray_builder_name(builder, spec);
        status = foray_builder_finish(builder, out);
    }
    foray_builder_destroy(builder);
    return status;
}
