/* assemble.c - from parts in memory to a model. */
#include "model/basis.h"
#include "model/gather.h"
#include "model/parts.h"

#include <inttypes.h>
#include <stdlib.h>

/* Lists that several pairs have are looked up once. */
typedef struct lists {
    int32_t *set;   /* [lists], -1: not seen yet */
    int32_t *order; /* [generators] positions of the sorted generators, list by list */
} lists;

/* --------------------------------------------------------------------- pairs */

static foray_status check_features(foray_context *ctx, const fy_model_parts *parts, int64_t pair,
                                   int64_t list)
{
    int64_t first = parts->gen_start[list], n = parts->gen_start[list + 1] - first;
    const int32_t *succ = parts->succ + parts->succ_start[pair];
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = parts->feat_start[first + j]; k < parts->feat_start[first + j + 1]; k++) {
            foray_status status = fy_parts_check_feature(
                ctx, parts, pair, succ[j], parts->feat_index[k], parts->feat_value[k]);
            if (status != FORAY_OK)
                return status;
        }
    return FORAY_OK;
}

/* Brings a list into order the first time a pair has it. */
static foray_status take_list(fy_gather *g, const fy_model_parts *parts, lists *l, int64_t pair,
                              int64_t list)
{
    int64_t first = parts->gen_start[list], n = parts->gen_start[list + 1] - first;
    foray_status status = check_features(g->ctx, parts, pair, list);
    if (status != FORAY_OK)
        return status;
    fy_given_list given = {.count = n,
                           .feat_start = parts->feat_start + first,
                           .feat_index = parts->feat_index,
                           .feat_value = parts->feat_value,
                           .divisor = 1,
                           .pair = pair,
                           .succ = parts->succ + parts->succ_start[pair]};
    status = fy_gather_list(g, &given, &l->set[list]);
    for (int64_t j = 0; j < n && status == FORAY_OK; j++)
        l->order[first + j] = g->order[j];
    return status;
}

static foray_status take_pair(fy_gather *g, const fy_model_parts *parts, lists *l)
{
    int64_t pair = fy_stand_in(g->model, g->pairs);
    int64_t list = parts->list_of_pair ? parts->list_of_pair[pair] : pair;
    foray_status status = fy_parts_check_pair(g->ctx, parts, pair);
    if (status == FORAY_OK && l->set[list] < 0)
        status = take_list(g, parts, l, pair, list);
    if (status == FORAY_OK)
        status = fy_gather_pair(g, l->set[list], l->order + parts->gen_start[list],
                                parts->succ + parts->succ_start[pair]);
    return status;
}

static foray_status check_lists_used(foray_context *ctx, const fy_model_parts *parts,
                                     const lists *l)
{
    for (int64_t list = 0; list < parts->lists; list++)
        if (l->set[list] < 0 && parts->list_of_pair)
            return fy_fail(ctx, FORAY_ERROR_INPUT, "generator set %" PRId64 " belongs to no pair",
                           list);
    return FORAY_OK;
}

/* Those that stand in for a pair included. */
static int64_t count_transitions(const fy_model_parts *parts, const foray_model *model)
{
    int64_t count = parts->succ_start[model->pairs];
    for (int64_t pair = 0; model->stand_in && pair < model->pairs; pair++)
        if (!fy_available(model, pair))
            count += parts->succ_start[model->stand_in[pair] + 1] -
                     parts->succ_start[model->stand_in[pair]];
    return count;
}

static foray_status gather_pairs(fy_gather *g, const fy_model_parts *parts, foray_model *model,
                                 lists *l)
{
    for (int64_t list = 0; list < parts->lists; list++)
        l->set[list] = -1;
    foray_status status = fy_gather_create(g->ctx, model, count_transitions(parts, model), g);
    for (int64_t pair = 0; pair < model->pairs && status == FORAY_OK; pair++)
        status = take_pair(g, parts, l);
    if (status == FORAY_OK)
        status = check_lists_used(g->ctx, parts, l);
    return status == FORAY_OK ? fy_gather_finish(g) : status;
}

static foray_status take_pairs(foray_context *ctx, const fy_model_parts *parts, foray_model *model)
{
    lists l = {0};
    fy_gather gather = {.ctx = ctx};
    foray_status status =
        FY_ALLOC(ctx, l.set, parts->lists) && FY_ALLOC(ctx, l.order, parts->gen_start[parts->lists])
            ? gather_pairs(&gather, parts, model, &l)
            : FORAY_ERROR_MEMORY;
    fy_gather_free(&gather);
    free(l.set);
    free(l.order);
    return status;
}

/* -------------------------------------------------------------------- settled */

/* theta >= 0 is worth saying only where the features do not show it: a model then is the same
 * whether it was built or read from a file that says nothing of it. */
static foray_status settle_sign(foray_context *ctx, foray_model *model)
{
    bool *shown, all = true;
    if (!model->nonnegative)
        return FORAY_OK;
    if (!FY_ALLOC(ctx, shown, model->dim))
        return FORAY_ERROR_MEMORY;
    fy_model_mark_nonnegative(model, shown);
    for (int64_t i = 0; i < model->dim; i++)
        all &= shown[i];
    model->nonnegative = !all;
    free(shown);
    return FORAY_OK;
}

/* A model whose equations have no solution is kept without a basis, so that a
 * check can say what is wrong with it. */
foray_status fy_model_settle(foray_context *ctx, foray_model *model)
{
    foray_status status = settle_sign(ctx, model);
    if (status == FORAY_OK)
        status = fy_basis_create(ctx, model, true, true, &model->basis);
    return status == FORAY_ERROR_INPUT ? FORAY_OK : status;
}

foray_status fy_model_assemble(foray_context *ctx, const fy_model_parts *given, foray_model **out)
{
    fy_model_parts parts = *given;
    if (!parts.list_of_pair) {
        parts.lists = parts.states * parts.actions;
        parts.gen_start = parts.succ_start;
    }
    parts.features = parts.feat_start[parts.gen_start[parts.lists]];
    foray_status status = fy_parts_check(ctx, &parts);
    if (status != FORAY_OK)
        return status;
    foray_model *model;
    if (!FY_ALLOC(ctx, model, 1))
        return FORAY_ERROR_MEMORY;
    status = fy_parts_copy(ctx, &parts, model);
    if (status == FORAY_OK)
        status = take_pairs(ctx, &parts, model);
    if (status == FORAY_OK)
        status = fy_model_settle(ctx, model);
    if (status != FORAY_OK) {
        foray_model_destroy(model);
        return status;
    }
    *out = model;
    return FORAY_OK;
}
