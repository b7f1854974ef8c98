/* adopt.c - is this a finished model? */
#include "model/adopt.h"
#include "model/parts.h"
#include "model/sets.h"

#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------- sets */

/* Features of each generator ascend, and none is 0. */
static bool features_in_order(const fy_model_parts *parts)
{
    for (int64_t gen = 0; gen < parts->gen_start[parts->lists]; gen++)
        for (int64_t k = parts->feat_start[gen]; k < parts->feat_start[gen + 1]; k++) {
            int32_t index = parts->feat_index[k];
            double value = parts->feat_value[k];
            bool ascending = k == parts->feat_start[gen] || index > parts->feat_index[k - 1];
            if (!ascending || index < 0 || index >= parts->dim || value == 0 ||
                !(fabs(value) <= FY_MODEL_LARGEST))
                return false;
        }
    return true;
}

/* Generators of each list ascend: -1, 0 or 1 as words in a dictionary. */
static int compare(const fy_model_parts *parts, int64_t a, int64_t b)
{
    int64_t x = parts->feat_start[a], x_end = parts->feat_start[a + 1];
    int64_t y = parts->feat_start[b], y_end = parts->feat_start[b + 1];
    for (; x < x_end && y < y_end; x++, y++) {
        if (parts->feat_index[x] != parts->feat_index[y])
            return parts->feat_index[x] < parts->feat_index[y] ? -1 : 1;
        if (parts->feat_value[x] != parts->feat_value[y])
            return parts->feat_value[x] < parts->feat_value[y] ? -1 : 1;
    }
    return (x < x_end) - (y < y_end);
}

static bool generators_in_order(const fy_model_parts *parts)
{
    for (int64_t list = 0; list < parts->lists; list++)
        for (int64_t gen = parts->gen_start[list] + 1; gen < parts->gen_start[list + 1]; gen++)
            if (compare(parts, gen - 1, gen) > 0)
                return false;
    return true;
}

/* Lists are numbered as pairs meet them; first: [lists] those pairs. */
static bool lists_in_order(const fy_model_parts *parts, int32_t *first)
{
    int64_t met = 0;
    for (int64_t pair = 0; pair < parts->states * parts->actions; pair++) {
        if (parts->list_of_pair[pair] > met)
            return false;
        if (parts->list_of_pair[pair] == met)
            first[met++] = (int32_t)pair;
    }
    return met == parts->lists;
}

/* ---------------------------------------------------------------- successors */

/* Each once, and those of equal generators ascending. seen: [states], zero. */
static bool pair_in_order(const fy_model_parts *parts, int64_t pair, int32_t *seen)
{
    int64_t start = parts->succ_start[pair], n = parts->succ_start[pair + 1] - start;
    int64_t first = parts->gen_start[parts->list_of_pair[pair]];
    for (int64_t j = 0; j < n; j++) {
        int32_t next = parts->succ[start + j];
        if (next < 0 || next >= parts->states || seen[next] == pair + 1)
            return false;
        seen[next] = (int32_t)pair + 1;
        if (j > 0 && next < parts->succ[start + j - 1] &&
            compare(parts, first + j - 1, first + j) == 0)
            return false;
    }
    return n > 0;
}

static bool pairs_in_order(const fy_model_parts *parts, int32_t *seen)
{
    for (int64_t pair = 0; pair < parts->states * parts->actions; pair++)
        if (!pair_in_order(parts, pair, seen))
            return false;
    return true;
}

/* --------------------------------------------------------------------- model */

static foray_status is_finished(foray_context *ctx, const fy_model_parts *parts, int32_t *first,
                                bool *out)
{
    int32_t *seen;
    *out = false;
    if (parts->available) /* pairs that stand in for others have to be made */
        return FORAY_OK;
    if (!lists_in_order(parts, first) || !features_in_order(parts) || !generators_in_order(parts))
        return FORAY_OK;
    if (!FY_ALLOC(ctx, seen, parts->states))
        return FORAY_ERROR_MEMORY;
    bool ordered = pairs_in_order(parts, seen);
    free(seen);
    return ordered ? fy_sets_distinct(ctx, parts, out) : FORAY_OK;
}

#define MOVE(member) (model->member = arrays->member, arrays->member = NULL)

static foray_status adopt(foray_context *ctx, const fy_model_parts *parts, fy_model_arrays *arrays,
                          foray_model *model)
{
    fy_model_parts others = *parts;
    others.theta = NULL;
    others.cell_row = others.cell_col = NULL;
    others.state_names = others.action_names = NULL;
    foray_status status = fy_parts_copy(ctx, &others, model);
    if (status != FORAY_OK)
        return status;
    model->generator_sets = parts->lists;
    model->grid_rows = parts->cell_row ? parts->grid_rows : 0;
    model->grid_cols = parts->cell_row ? parts->grid_cols : 0;
    MOVE(generator_set);
    MOVE(succ_start);
    MOVE(succ);
    MOVE(gen_start);
    MOVE(feat_start);
    MOVE(feat_index);
    MOVE(feat_value);
    MOVE(theta);
    MOVE(cell_row);
    MOVE(cell_col);
    MOVE(state_names);
    MOVE(action_names);
    return fy_model_settle(ctx, model);
}

static foray_status adopt_finished(foray_context *ctx, const fy_model_parts *parts,
                                   fy_model_arrays *arrays, int32_t *first, foray_model **out)
{
    foray_model *model;
    if (!FY_ALLOC(ctx, model, 1)) {
        free(first);
        return FORAY_ERROR_MEMORY;
    }
    model->generator_set_pair = first;
    foray_status status = adopt(ctx, parts, arrays, model);
    if (status == FORAY_OK)
        *out = model;
    else
        foray_model_destroy(model);
    return status;
}

foray_status fy_model_adopt(foray_context *ctx, const fy_model_parts *given,
                            fy_model_arrays *arrays, foray_model **out)
{
    fy_model_parts parts = *given;
    parts.features = parts.feat_start[parts.gen_start[parts.lists]];
    int32_t *first;
    bool finished = false;
    foray_status status = fy_parts_check(ctx, &parts);
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(ctx, first, parts.lists))
        return FORAY_ERROR_MEMORY;
    status = is_finished(ctx, &parts, first, &finished);
    if (status == FORAY_OK && finished)
        return adopt_finished(ctx, &parts, arrays, first, out);
    free(first);
    return status == FORAY_OK ? fy_model_assemble(ctx, &parts, out) : status;
}
