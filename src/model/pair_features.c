/* pair_features.c - features phi(s,a) of linear MDPs: telling a builder, checks, the copy
 * in a model. */
#include "model/builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- one pair */

static foray_status check_value(foray_context *ctx, const fy_model_parts *parts, int64_t pair,
                                int64_t coordinate, double value)
{
    if (coordinate < 0 || coordinate >= parts->pair_dim)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "pair_features: " FY_AT_PAIR ": coordinate %" PRId64
                       ", but the dimension is %" PRId64,
                       FY_PAIR(parts, pair), coordinate, parts->pair_dim);
    if (!(fabs(value) <= FY_MODEL_LARGEST))
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "pair_features: " FY_AT_PAIR ": coordinate %" PRId64 " has the value %g",
                       FY_PAIR(parts, pair), coordinate, value);
    return FORAY_OK;
}

static foray_status fail_empty(foray_context *ctx, int64_t actions, int64_t pair)
{
    return fy_fail(ctx, FORAY_ERROR_INPUT,
                   "pair_features: " FY_AT_PAIR
                   ": no features, but with a phi of zero probabilities cannot sum to 1",
                   pair / actions, pair % actions);
}

static foray_status fail_unavailable(foray_context *ctx, int64_t actions, int64_t pair)
{
    return fy_fail(ctx, FORAY_ERROR_INPUT,
                   "pair_features: " FY_AT_PAIR ": the action is not available there",
                   pair / actions, pair % actions);
}

/* Writes the features of a pair behind those of the pairs before it: those that are not zero,
 * sorted. */
static foray_status place_pair(foray_context *ctx, foray_model *model, int64_t place,
                               fy_feature *row, int64_t given)
{
    int64_t count = 0, start = model->pair_start[place], pair = fy_stand_in(model, place);
    for (int64_t k = 0; k < given; k++)
        if (row[k].value != 0)
            row[count++] = row[k];
    if (count == 0)
        return fail_empty(ctx, model->actions, pair);
    fy_sort_features(row, count);
    for (int64_t k = 0; k < count; k++) {
        if (k > 0 && row[k].index == row[k - 1].index)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "pair_features: " FY_AT_PAIR ": coordinate %d is given twice",
                           FY_PAIR(model, pair), row[k].index);
        model->pair_index[start + k] = row[k].index;
        model->pair_value[start + k] = row[k].value;
    }
    model->pair_start[place + 1] = start + count;
    return FORAY_OK;
}

/* row: room for the features of any pair. A pair that does not exist gets those of the one that it
 * stands in for. */
static foray_status copy_pair(foray_context *ctx, const fy_model_parts *parts, foray_model *model,
                              int64_t place, fy_feature *row)
{
    int64_t pair = fy_stand_in(model, place);
    int64_t start = parts->pair_start[pair], count = parts->pair_start[pair + 1] - start;
    for (int64_t k = 0; k < count; k++) {
        row[k] = (fy_feature){parts->pair_index[start + k], parts->pair_value[start + k]};
        foray_status status = check_value(ctx, parts, pair, row[k].index, row[k].value);
        if (status != FORAY_OK)
            return status;
    }
    return place_pair(ctx, model, place, row, count);
}

/* ------------------------------------------------------------------- the model */

/* Coordinates that no phi has mean nothing: few are harmless, many are a mistake. */
static foray_status check_dim(foray_context *ctx, int64_t dim, int64_t features)
{
    const int64_t harmless = 1 << 20;
    if (dim < 1 || dim >= INT32_MAX)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "pair_features: dim is %" PRId64 ", but must be 1 to %d", dim,
                       INT32_MAX - 1);
    if (dim > harmless && dim > features)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "pair_features: dim is %" PRId64 ", but there are only %" PRId64 " values",
                       dim, features);
    return FORAY_OK;
}

foray_status fy_pair_features_copy(foray_context *ctx, const fy_model_parts *parts,
                                   foray_model *model)
{
    if (parts->pair_dim == 0)
        return FORAY_OK;
    int64_t count = 0, max = 0;
    foray_status status = check_dim(ctx, parts->pair_dim, parts->pair_start[model->pairs]);
    for (int64_t pair = 0; pair < model->pairs && status == FORAY_OK; pair++) {
        int64_t from = fy_stand_in(model, pair);
        int64_t own = parts->pair_start[pair + 1] - parts->pair_start[pair];
        int64_t features = parts->pair_start[from + 1] - parts->pair_start[from];
        count += features;
        max = features > max ? features : max;
        if (from != pair && own > 0)
            status = fail_unavailable(ctx, parts->actions, pair);
    }
    if (status != FORAY_OK)
        return status;
    fy_feature *row;
    if (!FY_NEW(&model->arena, model->pair_start, model->pairs + 1) ||
        !FY_NEW(&model->arena, model->pair_index, count) ||
        !FY_NEW(&model->arena, model->pair_value, count) || !FY_ALLOC(ctx, row, max))
        return FORAY_ERROR_MEMORY;
    model->pair_dim = parts->pair_dim;
    for (int64_t pair = 0; pair < model->pairs && status == FORAY_OK; pair++)
        status = copy_pair(ctx, parts, model, pair, row);
    free(row);
    return status;
}

foray_status fy_pair_features_check(foray_context *ctx, const foray_model *model)
{
    for (int64_t k = 0; model->pair_dim > 0 && k < model->available; k++) {
        int64_t pair = fy_existing(model, k);
        double square = 0;
        for (int64_t i = model->pair_start[pair]; i < model->pair_start[pair + 1]; i++)
            square += model->pair_value[i] * model->pair_value[i];
        if (!(sqrt(square) <= 1 + FY_MODEL_TOLERANCE))
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "pair_features: " FY_AT_PAIR
                           ": phi has norm %.9g, but at most 1 is allowed",
                           FY_PAIR(model, pair), sqrt(square));
    }
    return FORAY_OK;
}

int64_t fy_model_pair_feature(const foray_model *model, int64_t state, int64_t action,
                              const int32_t **coordinate, const double **value)
{
    if (model->pair_dim == 0)
        return 0;
    int64_t pair = state * model->actions + action, start = model->pair_start[pair];
    if (!fy_available(model, pair))
        return 0;
    *coordinate = model->pair_index + start;
    *value = model->pair_value + start;
    return model->pair_start[pair + 1] - start;
}

/* ----------------------------------------------------------------- the builder */

void foray_builder_pair_features(foray_builder *builder, int64_t dim)
{
    if (builder->failure != FORAY_OK)
        return;
    if (builder->pair_dim > 0)
        fy_builder_fail(builder, FORAY_ERROR_USAGE, "foray_builder_pair_features: called twice");
    else if (fy_builder_holds(builder, check_dim(builder->ctx, dim, dim))) {
        bool room =
            FY_NEW(&builder->arena, builder->pair_given, builder->states * builder->actions);
        builder->pair_dim = dim;
        fy_builder_holds(builder, room ? FORAY_OK : FORAY_ERROR_MEMORY);
    }
}

static bool is_pair_feature(foray_builder *builder, int64_t state, int64_t action, int64_t count,
                            const int64_t *coordinate, const double *value)
{
    if (builder->failure != FORAY_OK)
        return false;
    if (builder->pair_dim == 0)
        return fy_builder_fail(builder, FORAY_ERROR_USAGE,
                               "foray_builder_pair_feature before foray_builder_pair_features");
    if (state < 0 || state >= builder->states || action < 0 || action >= builder->actions)
        return fy_builder_fail(builder, FORAY_ERROR_INPUT,
                               "pair_features: " FY_AT_PAIR ", but there are %" PRId64
                               " states, %" PRId64 " actions",
                               state, action, builder->states, builder->actions);
    int64_t pair = state * builder->actions + action;
    fy_model_parts sizes = {.actions = builder->actions, .pair_dim = builder->pair_dim};
    if (count < 0)
        return fy_builder_fail(builder, FORAY_ERROR_USAGE, "%" PRId64 " features", count);
    if (builder->pair_given[pair])
        return fy_builder_fail(builder, FORAY_ERROR_INPUT,
                               "pair_features: " FY_AT_PAIR " is given twice",
                               FY_PAIR(builder, pair));
    foray_status status = FORAY_OK;
    for (int64_t k = 0; k < count && status == FORAY_OK; k++)
        status = check_value(builder->ctx, &sizes, pair, coordinate[k], value[k]);
    return fy_builder_holds(builder, status);
}

void foray_builder_pair_feature(foray_builder *builder, int64_t state, int64_t action,
                                int64_t count, const int64_t *coordinate, const double *value)
{
    if (!is_pair_feature(builder, state, action, count, coordinate, value))
        return;
    fy_entry *entry;
    if (!FY_ALLOC(builder->ctx, entry, count)) {
        fy_builder_holds(builder, FORAY_ERROR_MEMORY);
        return;
    }
    int64_t pair = state * builder->actions + action;
    for (int64_t k = 0; k < count; k++)
        entry[k] = (fy_entry){.coordinate = (int32_t)coordinate[k], .value = value[k]};
    if (fy_builder_holds(builder, fy_batches_add(builder->ctx, &builder->pair_batches, pair, -1,
                                                 count, entry))) {
        builder->pair_given[pair] = true;
        builder->pair_entries += count;
    }
    free(entry);
}

foray_status fy_pair_features_complete(const foray_builder *builder)
{
    if (builder->pair_dim == 0)
        return FORAY_OK;
    for (int64_t pair = 0; pair < builder->states * builder->actions; pair++) {
        bool exists = !builder->available || builder->available[pair];
        if (exists && !builder->pair_given[pair])
            return fail_empty(builder->ctx, builder->actions, pair);
        if (!exists && builder->pair_given[pair])
            return fail_unavailable(builder->ctx, builder->actions, pair);
    }
    return check_dim(builder->ctx, builder->pair_dim, builder->pair_entries);
}

/* What taking them needs. */
typedef struct taking {
    foray_context *ctx;
    foray_model *model;
    int64_t place;    /* the next pair */
    int64_t features; /* of all places */
    fy_feature *row;  /* [room] */
    int64_t room;
} taking;

/* Features of the pair, and of all that stand in for it: they are in one state. */
static foray_status count_pair(void *user, const fy_batch *batch, int64_t count)
{
    taking *t = user;
    (void)count; /* each pair is given once */
    int64_t first = batch->pair / t->model->actions * t->model->actions;
    for (int64_t pair = first; pair < first + t->model->actions; pair++)
        t->features += fy_stand_in(t->model, pair) == batch->pair ? batch->count : 0;
    return FORAY_OK;
}

/* A pair that was placed before. */
static void repeat_pair(foray_model *model, int64_t place, int64_t pair)
{
    int64_t from = model->pair_start[pair], to = model->pair_start[place];
    size_t count = (size_t)(model->pair_start[pair + 1] - from);
    memcpy(model->pair_index + to, model->pair_index + from, count * sizeof *model->pair_index);
    memcpy(model->pair_value + to, model->pair_value + from, count * sizeof *model->pair_value);
    model->pair_start[place + 1] = to + (int64_t)count;
}

/* Those of other pairs that stand in for one that is already there. */
static void repeat_until(taking *t, int64_t pair)
{
    for (; t->place < pair && fy_stand_in(t->model, t->place) < t->place; t->place++)
        repeat_pair(t->model, t->place, fy_stand_in(t->model, t->place));
}

static foray_status take_pair(void *user, const fy_batch *batch, int64_t count)
{
    taking *t = user;
    (void)count;
    fy_feature *row = fy_grow(t->ctx, t->row, &t->room, batch->count, sizeof *row);
    if (!row)
        return FORAY_ERROR_MEMORY;
    t->row = row;
    repeat_until(t, batch->pair);
    foray_status status = FORAY_OK;
    for (; t->place <= batch->pair && status == FORAY_OK; t->place++) {
        for (int64_t k = 0; k < batch->count; k++) {
            fy_entry entry = fy_batch_entry(batch, k);
            row[k] = (fy_feature){entry.coordinate, entry.value};
        }
        status = place_pair(t->ctx, t->model, t->place, row, batch->count);
    }
    return status;
}

foray_status fy_pair_features_take(foray_builder *builder, foray_model *model)
{
    taking t = {.ctx = builder->ctx, .model = model};
    if (builder->pair_dim == 0)
        return FORAY_OK;
    foray_status status = fy_batches_visit(t.ctx, &builder->pair_batches, false, count_pair, &t);
    if (status != FORAY_OK || !FY_NEW(&model->arena, model->pair_start, model->pairs + 1) ||
        !FY_NEW(&model->arena, model->pair_index, t.features) ||
        !FY_NEW(&model->arena, model->pair_value, t.features))
        return FORAY_ERROR_MEMORY;
    model->pair_dim = builder->pair_dim;
    status = fy_batches_visit(t.ctx, &builder->pair_batches, true, take_pair, &t);
    if (status == FORAY_OK)
        repeat_until(&t, model->pairs);
    free(t.row);
    return status;
}
