/* pair_features.c - features phi(s,a) of linear MDPs: telling a builder, checks, the copy
 * in a model. */
#include "model/pair_features.h"

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

typedef struct feature {
    int32_t coordinate;
    double value;
} feature;

static int compare_features(const void *left, const void *right)
{
    const feature *a = left, *b = right;
    return (a->coordinate > b->coordinate) - (a->coordinate < b->coordinate);
}

/* The features of a pair that are not zero, sorted; returns how many. */
static int64_t sort_pair(const fy_model_parts *parts, int64_t pair, feature *row)
{
    int64_t count = 0;
    for (int64_t k = parts->pair_start[pair]; k < parts->pair_start[pair + 1]; k++)
        if (parts->pair_value[k] != 0)
            row[count++] = (feature){parts->pair_index[k], parts->pair_value[k]};
    qsort(row, (size_t)count, sizeof *row, compare_features);
    return count;
}

/* row: room for the features of any pair. A pair that does not exist gets those of the one that it
 * stands in for. */
static foray_status copy_pair(foray_context *ctx, const fy_model_parts *parts, foray_model *model,
                              int64_t place, feature *row)
{
    int64_t pair = fy_stand_in(model, place);
    for (int64_t k = parts->pair_start[pair]; k < parts->pair_start[pair + 1]; k++) {
        foray_status status =
            check_value(ctx, parts, pair, parts->pair_index[k], parts->pair_value[k]);
        if (status != FORAY_OK)
            return status;
    }
    int64_t count = sort_pair(parts, pair, row), start = model->pair_start[place];
    if (count == 0)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "pair_features: " FY_AT_PAIR
                       ": no features, but with a phi of zero probabilities cannot sum to 1",
                       FY_PAIR(parts, pair));
    for (int64_t k = 0; k < count; k++) {
        if (k > 0 && row[k].coordinate == row[k - 1].coordinate)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "pair_features: " FY_AT_PAIR ": coordinate %d is given twice",
                           FY_PAIR(parts, pair), row[k].coordinate);
        model->pair_index[start + k] = row[k].coordinate;
        model->pair_value[start + k] = row[k].value;
    }
    model->pair_start[place + 1] = start + count;
    return FORAY_OK;
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
    int64_t count = 0, most = 0;
    foray_status status = check_dim(ctx, parts->pair_dim, parts->pair_start[model->pairs]);
    for (int64_t pair = 0; pair < model->pairs && status == FORAY_OK; pair++) {
        int64_t from = fy_stand_in(model, pair);
        int64_t own = parts->pair_start[pair + 1] - parts->pair_start[pair];
        int64_t features = parts->pair_start[from + 1] - parts->pair_start[from];
        count += features;
        most = features > most ? features : most;
        if (from != pair && own > 0)
            status = fy_fail(ctx, FORAY_ERROR_INPUT,
                             "pair_features: " FY_AT_PAIR ": the action is not available there",
                             FY_PAIR(parts, pair));
    }
    if (status != FORAY_OK)
        return status;
    feature *row;
    if (!FY_ALLOC(ctx, model->pair_start, model->pairs + 1) ||
        !FY_ALLOC(ctx, model->pair_index, count) || !FY_ALLOC(ctx, model->pair_value, count) ||
        !FY_ALLOC(ctx, row, most))
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

int64_t foray_model_pair_dim(const foray_model *model)
{
    return model->pair_dim;
}

int64_t foray_model_pair_feature(const foray_model *model, int64_t state, int64_t action,
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
        bool room = FY_ALLOC(builder->ctx, builder->pair_given, builder->states * builder->actions);
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
    fy_entry *entry = fy_grow(builder->ctx, builder->pair_entry, &builder->pair_room,
                              builder->pair_entries + count, sizeof *entry);
    if (!entry) {
        fy_builder_holds(builder, FORAY_ERROR_MEMORY);
        return;
    }
    builder->pair_entry = entry;
    int64_t pair = state * builder->actions + action;
    for (int64_t k = 0; k < count; k++)
        entry[builder->pair_entries++] =
            (fy_entry){.pair = pair, .coordinate = (int32_t)coordinate[k], .value = value[k]};
    builder->pair_given[pair] = true;
}

/* Counting sort by pair. */
foray_status fy_pair_features_rows(const foray_builder *builder, fy_pair_rows *rows)
{
    int64_t pairs = builder->states * builder->actions;
    if (builder->pair_dim == 0)
        return FORAY_OK;
    if (!FY_ALLOC(builder->ctx, rows->start, pairs + 1) ||
        !FY_ALLOC(builder->ctx, rows->index, builder->pair_entries) ||
        !FY_ALLOC(builder->ctx, rows->value, builder->pair_entries))
        return FORAY_ERROR_MEMORY;
    for (int64_t k = 0; k < builder->pair_entries; k++)
        rows->start[builder->pair_entry[k].pair + 1]++;
    for (int64_t pair = 0; pair < pairs; pair++)
        rows->start[pair + 1] += rows->start[pair];
    for (int64_t k = builder->pair_entries - 1; k >= 0; k--) {
        const fy_entry *e = &builder->pair_entry[k];
        int64_t at = --rows->start[e->pair + 1];
        rows->index[at] = e->coordinate;
        rows->value[at] = e->value;
    }
    /* Each start has moved down to where the pair before it starts: one place to the left. */
    for (int64_t pair = 0; pair < pairs; pair++)
        rows->start[pair] = rows->start[pair + 1];
    rows->start[pairs] = builder->pair_entries;
    return FORAY_OK;
}

void fy_pair_rows_free(fy_pair_rows *rows)
{
    free(rows->start);
    free(rows->index);
    free(rows->value);
}
