/* parts.c - is every number and index of a model what it should be? */
#include "model/parts.h"

#include "base/json.h"
#include "model/pair_features.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ sizes */

foray_status fy_model_check_sizes(foray_context *ctx, int64_t states, int64_t actions,
                                  int64_t horizon, int64_t dim, double norm_bound)
{
    const struct {
        const char *name;
        int64_t value;
    } sizes[] = {{"states", states}, {"actions", actions}, {"horizon", horizon}, {"dim", dim}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].value < 1 || sizes[i].value >= INT32_MAX)
            return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: %" PRId64 ", but it must be 1 to %d",
                           sizes[i].name, sizes[i].value, INT32_MAX - 1);
    if (states * actions >= INT32_MAX)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "states: %" PRId64 " with %" PRId64 " actions make %" PRId64
                       " pairs, more than the %d allowed",
                       states, actions, (states * actions), INT32_MAX - 1);
    if (!(norm_bound > 0) || norm_bound > FY_MODEL_LARGEST)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "norm_bound: %g, but it must be above 0, at most %g",
                       norm_bound, FY_MODEL_LARGEST);
    return FORAY_OK;
}

foray_status fy_parts_check_delta(foray_context *ctx, double delta)
{
    if (delta >= 0 && delta < 1)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "feature_delta: %g, but it must be 0 or more, below 1",
                   delta);
}

foray_status fy_parts_check_error(foray_context *ctx, double error)
{
    if (error >= 0 && error <= FY_MODEL_LARGEST)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "feature_error: %g, but it must be 0 to %g", error,
                   FY_MODEL_LARGEST);
}

/* Coordinates without a feature mean nothing. Some are harmless; a dimension out of
 * all proportion is a mistake that would only cost memory. */
static foray_status check_proportion(foray_context *ctx, const fy_model_parts *parts)
{
    const int64_t harmless = 1 << 20;
    if (parts->dim > harmless && parts->dim > parts->features)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "dim: %" PRId64 ", but there are only %" PRId64 " feature values",
                       parts->dim, parts->features);
    return FORAY_OK;
}

/* ------------------------------------------------------------------ pairs */

foray_status fy_parts_check_pair(foray_context *ctx, const fy_model_parts *parts, int64_t pair)
{
    int64_t start = parts->succ_start[pair], end = parts->succ_start[pair + 1];
    if (start == end)
        return fy_fail(ctx, FORAY_ERROR_INPUT, FY_AT_PAIR ": no successor is given",
                       FY_PAIR(parts, pair));
    for (int64_t k = start; k < end; k++)
        if (parts->succ[k] < 0 || parts->succ[k] >= parts->states)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           FY_AT_PAIR ": successor %d, but the model has %" PRId64 " states",
                           FY_PAIR(parts, pair), parts->succ[k], parts->states);
    return FORAY_OK;
}

foray_status fy_parts_check_feature(foray_context *ctx, const fy_model_parts *parts, int64_t pair,
                                    int64_t next, int64_t index, double value)
{
    if (index < 0 || index >= parts->dim)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       FY_AT_PAIR ", successor %" PRId64 ": feature coordinate %" PRId64
                                  ", but the dimension is "
                                  "%" PRId64,
                       FY_PAIR(parts, pair), next, index, parts->dim);
    if (!(fabs(value) <= FY_MODEL_LARGEST))
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       FY_AT_PAIR ", successor %" PRId64 ": feature coordinate %" PRId64
                                  " has the value %g",
                       FY_PAIR(parts, pair), next, index, value);
    return FORAY_OK;
}

/* ------------------------------------------------------------------ availability */

/* A pair that does not exist has no successors, and every state has an action that does. */
static foray_status check_available(foray_context *ctx, const fy_model_parts *parts)
{
    for (int64_t state = 0; parts->available && state < parts->states; state++) {
        int64_t first = state * parts->actions, count = 0;
        for (int64_t pair = first; pair < first + parts->actions; pair++) {
            count += parts->available[pair];
            if (!parts->available[pair] && parts->succ_start &&
                parts->succ_start[pair] < parts->succ_start[pair + 1])
                return fy_fail(ctx, FORAY_ERROR_INPUT,
                               FY_AT_PAIR ": a successor, but the action is not available there",
                               FY_PAIR(parts, pair));
        }
        if (count == 0)
            return fy_fail(ctx, FORAY_ERROR_INPUT, "available: state %" PRId64 " has no action",
                           state);
    }
    return FORAY_OK;
}

/* Who stands in for whom: see model.h. A model that has every action everywhere keeps no list. */
static foray_status copy_available(foray_context *ctx, const fy_model_parts *parts,
                                   foray_model *model)
{
    model->available = model->pairs;
    for (int64_t pair = 0; parts->available && pair < model->pairs; pair++)
        model->available -= !parts->available[pair];
    if (model->available == model->pairs)
        return FORAY_OK;
    if (!FY_ALLOC(ctx, model->stand_in, model->pairs) ||
        !FY_ALLOC(ctx, model->existing, model->available))
        return FORAY_ERROR_MEMORY;
    int64_t count = 0, first = 0;
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        if (pair % model->actions == 0)
            for (first = pair; !parts->available[first];)
                first++;
        model->stand_in[pair] = (int32_t)(parts->available[pair] ? pair : first);
        if (parts->available[pair])
            model->existing[count++] = (int32_t)pair;
    }
    return FORAY_OK;
}

/* ---------------------------------------------------- initial, theta, map */

static foray_status check_initial(foray_context *ctx, const fy_model_parts *parts)
{
    double sum = 0;
    for (int64_t i = 0; i < parts->initials; i++) {
        int32_t state = parts->initial_state[i];
        double probability = parts->initial_probability[i];
        if (state < 0 || state >= parts->states)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "initial[%" PRId64 "]: state %d, but the model has %" PRId64 " states",
                           i, state, parts->states);
        if (!(probability >= 0 && probability <= 1))
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "initial[%" PRId64
                           "]: state %d has the probability %g, which must be 0 to 1",
                           i, state, probability);
        sum += probability;
    }
    if (!(fabs(sum - 1) <= FY_MODEL_TOLERANCE))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "initial: the probabilities sum to %.12g, not to 1",
                       sum);
    return FORAY_OK;
}

static foray_status check_theta(foray_context *ctx, const fy_model_parts *parts)
{
    for (int64_t i = 0; parts->theta && i < parts->dim; i++)
        if (!(fabs(parts->theta[i]) <= FY_MODEL_LARGEST))
            return fy_fail(ctx, FORAY_ERROR_INPUT, "theta[%" PRId64 "]: %g is not a usable number",
                           i, parts->theta[i]);
    return FORAY_OK;
}

static foray_status check_cell(foray_context *ctx, const fy_model_parts *parts, int64_t state)
{
    int32_t row = parts->cell_row[state], col = parts->cell_col[state];
    if (row == -1 && col == -1)
        return FORAY_OK;
    if (row < 0 || row >= parts->grid_rows || col < 0 || col >= parts->grid_cols)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "layout: state %" PRId64
                       " lies at row %d, column %d, but the map has %" PRId64 " rows and "
                       "%" PRId64 " columns",
                       state, row, col, parts->grid_rows, parts->grid_cols);
    return FORAY_OK;
}

foray_status fy_parts_check_grid(foray_context *ctx, int64_t rows, int64_t cols)
{
    if (rows >= 1 && rows < INT32_MAX && cols >= 1 && cols < INT32_MAX)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT,
                   "layout: %" PRId64 " rows and %" PRId64 " columns; both must be 1 to %d", rows,
                   cols, INT32_MAX - 1);
}

static foray_status check_map(foray_context *ctx, const fy_model_parts *parts)
{
    if (!parts->cell_row)
        return FORAY_OK;
    foray_status status = fy_parts_check_grid(ctx, parts->grid_rows, parts->grid_cols);
    for (int64_t state = 0; state < parts->states && status == FORAY_OK; state++)
        status = check_cell(ctx, parts, state);
    return status;
}

/* ------------------------------------------------------------------ names */

static foray_status check_names(foray_context *ctx, const char *key, char *const *names,
                                int64_t count)
{
    for (int64_t i = 0; names && i < count; i++)
        if (names[i] && fy_name_check(ctx, names[i]) != FORAY_OK)
            return fy_fail_within(ctx, FORAY_ERROR_INPUT, "%s[%" PRId64 "]", key, i);
    return FORAY_OK;
}

static foray_status check_texts(foray_context *ctx, const fy_model_parts *parts)
{
    if (fy_name_check(ctx, parts->name) != FORAY_OK)
        return fy_fail_within(ctx, FORAY_ERROR_INPUT, "name");
    foray_status status = check_names(ctx, "state_names", parts->state_names, parts->states);
    if (status == FORAY_OK)
        status = check_names(ctx, "action_names", parts->action_names, parts->actions);
    return status;
}

foray_status fy_parts_check(foray_context *ctx, const fy_model_parts *parts)
{
    foray_status status = fy_model_check_sizes(ctx, parts->states, parts->actions, parts->horizon,
                                               parts->dim, parts->norm_bound);
    if (status == FORAY_OK)
        status = fy_parts_check_error(ctx, parts->feature_error);
    if (status == FORAY_OK)
        status = fy_parts_check_delta(ctx, parts->feature_delta);
    if (status == FORAY_OK)
        status = check_proportion(ctx, parts);
    if (status == FORAY_OK)
        status = check_available(ctx, parts);
    if (status == FORAY_OK)
        status = check_initial(ctx, parts);
    if (status == FORAY_OK)
        status = check_theta(ctx, parts);
    if (status == FORAY_OK)
        status = check_map(ctx, parts);
    if (status == FORAY_OK)
        status = check_texts(ctx, parts);
    return status;
}

/* ------------------------------------------------------------------- copy */

static void *copy_array(foray_context *ctx, const void *array, int64_t count, size_t size)
{
    void *copy = fy_alloc(ctx, (size_t)count, size);
    if (copy && count > 0)
        memcpy(copy, array, (size_t)count * size);
    return copy;
}

#define COPY(ctx, to, from, count)                                                                 \
    (!(from) || ((to) = copy_array((ctx), (from), (count), sizeof *(from))) != NULL)

static bool copy_names(foray_context *ctx, char *const *names, int64_t count, char ***out)
{
    if (!names)
        return true;
    if (!FY_ALLOC(ctx, *out, count))
        return false;
    for (int64_t i = 0; i < count; i++)
        if (names[i] && !((*out)[i] = fy_text(ctx, names[i])))
            return false;
    return true;
}

/* States with a chance, ascending: the order in which a model was written does not
 * matter. A table over all states finds doubles on the way. */
static foray_status copy_initial(foray_context *ctx, const fy_model_parts *parts,
                                 foray_model *model)
{
    int32_t *entry; /* [states] which entry names the state, plus 1 */
    if (!FY_ALLOC(ctx, model->initial_state, parts->initials) ||
        !FY_ALLOC(ctx, model->initial_probability, parts->initials) ||
        !FY_ALLOC(ctx, entry, parts->states))
        return FORAY_ERROR_MEMORY;
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < parts->initials && status == FORAY_OK; i++) {
        int32_t state = parts->initial_state[i];
        if (entry[state])
            status = fy_fail(ctx, FORAY_ERROR_INPUT,
                             "initial[%" PRId64 "]: state %d is given twice", i, state);
        entry[state] = (int32_t)i + 1;
    }
    for (int64_t state = 0; state < parts->states; state++)
        if (entry[state] && parts->initial_probability[entry[state] - 1] > 0) {
            model->initial_state[model->initials] = (int32_t)state;
            model->initial_probability[model->initials++] =
                parts->initial_probability[entry[state] - 1];
        }
    free(entry);
    return status;
}

foray_status fy_parts_copy(foray_context *ctx, const fy_model_parts *parts, foray_model *model)
{
    model->states = parts->states;
    model->actions = parts->actions;
    model->horizon = parts->horizon;
    model->dim = parts->dim;
    model->pairs = parts->states * parts->actions;
    model->norm_bound = parts->norm_bound;
    model->nonnegative = parts->nonnegative;
    model->feature_error = fabs(parts->feature_error); /* -0 is 0, in memory as in files */
    model->feature_delta = fabs(parts->feature_delta);
    model->grid_rows = parts->cell_row ? parts->grid_rows : 0;
    model->grid_cols = parts->cell_row ? parts->grid_cols : 0;
    model->name = fy_text(ctx, parts->name);
    if (!model->name || !COPY(ctx, model->theta, parts->theta, parts->dim) ||
        !COPY(ctx, model->cell_row, parts->cell_row, parts->states) ||
        !COPY(ctx, model->cell_col, parts->cell_col, parts->states) ||
        !copy_names(ctx, parts->state_names, parts->states, &model->state_names) ||
        !copy_names(ctx, parts->action_names, parts->actions, &model->action_names))
        return FORAY_ERROR_MEMORY;
    foray_status status = copy_available(ctx, parts, model);
    if (status == FORAY_OK)
        status = fy_pair_features_copy(ctx, parts, model);
    return status == FORAY_OK ? copy_initial(ctx, parts, model) : status;
}
