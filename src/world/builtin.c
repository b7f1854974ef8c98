/* builtin.c - the table of built-in worlds. */
#include "world/world.h"

/* A world is one file that defines its row, fy_world_NAME, and one line here. */
#define WORLDS(X)                                                                                  \
    X(chain)                                                                                       \
    X(riverswim)                                                                                   \
    X(grid)                                                                                        \
    X(rooms)                                                                                       \
    X(mixture)                                                                                     \
    X(hard)                                                                                        \
    X(hypercube)                                                                                   \
    X(trapdoor)                                                                                    \
    X(inventory)                                                                                   \
    X(queue)                                                                                       \
    X(frozenlake)                                                                                  \
    X(cliffwalking)                                                                                \
    X(taxi)                                                                                        \
    X(deepsea)                                                                                     \
    X(sixrooms)

#define DECLARE(name) extern const fy_world_kind fy_world_##name;
WORLDS(DECLARE)
#undef DECLARE

#define ROW(name) &fy_world_##name,
static const fy_world_kind *const kinds[] = {WORLDS(ROW)};
#undef ROW

bool foray_world_describe(int64_t index, foray_world_info *info)
{
    if (index < 0 || index >= FY_COUNT(kinds))
        return false;
    const fy_world_kind *kind = kinds[index];
    *info = (foray_world_info){kind->name, kind->summary, kind->parameters, kind->parameter};
    return true;
}

static foray_status build(foray_context *ctx, const char *spec, foray_builder **builder)
{
    int64_t index = 0;
    double value[FY_MAX_PARAMETERS];
    foray_status status = fy_spec_read(ctx, "world", foray_world_describe, spec, &index, value);
    return status == FORAY_OK ? kinds[index]->build(ctx, value, builder) : status;
}

foray_status foray_model_builtin(foray_context *ctx, const char *spec, foray_model **out)
{
    foray_builder *builder = NULL;
    if (fy_spec_names(fy_unstructured_describe, spec))
        return fy_model_of_sizes(ctx, spec, 0, NULL, out);
    foray_status status = build(ctx, spec, &builder);
    if (status == FORAY_OK) {
        foray_builder_name(builder, spec);
        status = foray_builder_finish(builder, out);
    }
    foray_builder_destroy(builder);
    return status;
}
