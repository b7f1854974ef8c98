/* components.c - which feature coordinates belong together. */
#include "model/components.h"

#include <stdlib.h>

#include "base/union.h"

static int64_t first_feature(const foray_model *model, int64_t generator_set)
{
    return model->feat_start[model->gen_start[generator_set]];
}

/* Coordinates that some (s,a) has both belong together. parent[i] = -1: unused. */
static void join_generator_sets(const foray_model *model, int32_t *parent)
{
    int64_t features = first_feature(model, model->generator_sets);
    for (int64_t i = 0; i < model->dim; i++)
        parent[i] = -1;
    for (int64_t k = 0; k < features; k++)
        parent[model->feat_index[k]] = model->feat_index[k];
    for (int64_t generator_set = 0; generator_set < model->generator_sets; generator_set++)
        for (int64_t k = first_feature(model, generator_set) + 1;
             k < first_feature(model, generator_set + 1); k++)
            fy_union_join(parent, model->feat_index[k - 1], model->feat_index[k]);
}

/* Numbers the components by their smallest coordinates; turns parents into blocks.
 * A root precedes its component, so that its block is known when others ask. */
static int64_t number_components(int32_t *parent, int32_t *block_of_coord, int64_t dim)
{
    int64_t blocks = 0;
    for (int32_t i = 0; i < dim; i++) {
        if (parent[i] < 0)
            block_of_coord[i] = -1;
        else if (parent[i] == i)
            block_of_coord[i] = (int32_t)blocks++;
        else
            block_of_coord[i] = block_of_coord[fy_union_root(parent, i)];
    }
    return blocks;
}

foray_status fy_components_find(foray_context *ctx, const foray_model *model,
                                int32_t *block_of_coord, int64_t *blocks)
{
    int32_t *parent;
    if (!FY_ALLOC(ctx, parent, model->dim))
        return FORAY_ERROR_MEMORY;
    join_generator_sets(model, parent);
    *blocks = number_components(parent, block_of_coord, model->dim);
    free(parent);
    return FORAY_OK;
}
