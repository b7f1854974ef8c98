/* open.c - see open.h. */
#include "model/open.h"
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- making */

static foray_status check_parts(foray_context *ctx, const fy_open_parts *parts)
{
    double sum = 0, pairs = (double)parts->states * (double)parts->actions;
    if (parts->states < 1 || parts->actions < 1 || parts->horizon < 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "an open model needs its sizes: open:states=S,actions=A,horizon=H");
    if (pairs > FY_OPEN_PAIRS)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "open: %" PRId64 " states and %" PRId64
                       " actions are %.0f pairs, and at most %d are allowed",
                       parts->states, parts->actions, pairs, FY_OPEN_PAIRS);
    for (int64_t i = 0; i < parts->initials; i++) {
        int32_t state = parts->initial_state[i];
        double p = parts->initial_probability[i];
        if (state < 0 || state >= parts->states)
            return fy_fail(ctx, FORAY_ERROR_USAGE,
                           "open: initial=%" PRId32 ", but states are 0 to %" PRId64, state,
                           parts->states - 1);
        if ((i > 0 && state <= parts->initial_state[i - 1]) || !(p > 0))
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "initial: states must ascend and have probabilities above 0");
        sum += p;
    }
    if (parts->initials > 0 && !(fabs(sum - 1) < 1e-9))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "initial: probabilities sum to %.12g, not to 1",
                       sum);
    return FORAY_OK;
}

/* Names as all others are: at most 255 bytes of text. */
static foray_status check_names(foray_context *ctx, const fy_open_parts *parts)
{
    foray_status status = fy_name_check(ctx, parts->name);
    for (int64_t i = 0; parts->state_names && i < parts->states && status == FORAY_OK; i++)
        if (parts->state_names[i])
            status = fy_name_check(ctx, parts->state_names[i]);
    for (int64_t i = 0; parts->action_names && i < parts->actions && status == FORAY_OK; i++)
        if (parts->action_names[i])
            status = fy_name_check(ctx, parts->action_names[i]);
    return status;
}

/* NULL where there is nothing to copy. */
static bool copy_numbers(foray_context *ctx, const int32_t *from, int64_t count, int32_t **out)
{
    if (!from || count == 0)
        return true;
    if (!FY_ALLOC(ctx, *out, count))
        return false;
    memcpy(*out, from, (size_t)count * sizeof **out);
    return true;
}

static bool copy_names(foray_context *ctx, const char *const *from, int64_t count, char ***out)
{
    if (!from)
        return true;
    if (!FY_ALLOC(ctx, *out, count))
        return false;
    for (int64_t i = 0; i < count; i++)
        if (from[i] && !((*out)[i] = fy_text(ctx, from[i])))
            return false;
    return true;
}

/* Arrays of no successors, generators and features, for whoever looks at them. */
static bool fill_model(foray_context *ctx, const fy_open_parts *parts, foray_model *model)
{
    bool filled = (model->name = fy_text(ctx, parts->name)) != NULL &&
                  FY_ALLOC(ctx, model->succ_start, model->pairs + 1) &&
                  FY_ALLOC(ctx, model->generator_set, model->pairs) &&
                  FY_ALLOC(ctx, model->gen_start, 1) && FY_ALLOC(ctx, model->feat_start, 1) &&
                  FY_ALLOC(ctx, model->initial_state, parts->initials) &&
                  FY_ALLOC(ctx, model->initial_probability, parts->initials) &&
                  copy_names(ctx, parts->state_names, model->states, &model->state_names) &&
                  copy_names(ctx, parts->action_names, model->actions, &model->action_names) &&
                  copy_numbers(ctx, parts->absorbing, parts->absorbings, &model->absorbing) &&
                  copy_numbers(ctx, parts->cell_row, model->states, &model->cell_row) &&
                  copy_numbers(ctx, parts->cell_col, model->states, &model->cell_col);
    for (int64_t i = 0; filled && i < parts->initials; i++) {
        model->initial_state[i] = parts->initial_state[i];
        model->initial_probability[i] = parts->initial_probability[i];
    }
    return filled;
}

foray_status fy_model_open(foray_context *ctx, const fy_open_parts *parts, foray_model **out)
{
    foray_status status = check_parts(ctx, parts);
    if (status == FORAY_OK)
        status = check_names(ctx, parts);
    foray_model *model;
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(ctx, model, 1))
        return FORAY_ERROR_MEMORY;
    *model = (foray_model){.open = true,
                           .states = parts->states,
                           .actions = parts->actions,
                           .horizon = parts->horizon,
                           .pairs = parts->states * parts->actions,
                           .available = parts->states * parts->actions,
                           .initials = parts->initials,
                           .absorbings = parts->absorbings,
                           .grid_rows = parts->rows,
                           .grid_cols = parts->cols};
    if (!fill_model(ctx, parts, model)) {
        foray_model_destroy(model);
        return FORAY_ERROR_MEMORY;
    }
    *out = model;
    return FORAY_OK;
}

foray_status fy_model_need_features(foray_context *ctx, const foray_model *model, const char *what)
{
    if (!model->open)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_USAGE,
                   "%s needs a model of what can follow what, but nothing is known about this one "
                   "except its sizes",
                   what);
}
