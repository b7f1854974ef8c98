/* policy.c - policies from elsewhere, as CSV with the columns step,state,action.
 *
 * A row is about one step, or about every step where its step is empty or there is no such column;
 * a row about one step wins over one about every step, wherever they stand. Two of a kind that say
 * different things are refused: such files hold policies that draw their actions, and Foray knows
 * deterministic ones alone. */
#include "base/csv.h"
#include "model/model.h"
#include "record/names.h"

#include <inttypes.h>
#include <stdlib.h>

enum { STATE, ACTION, STEP, PROBABILITY };
static const char *const policy_columns[] = {"state", "action", "step", "probability", NULL};

/* How an action came to be that of a step and state. */
enum { UNSAID, EVERY_STEP, ONE_STEP };

typedef struct rows {
    foray_context *ctx;
    const foray_model *model;
    const char *path;
    fy_csv *csv;
    fy_names states, actions;
    uint8_t *said; /* [horizon][states] */
} rows;

/* A step from 0, or -1: every step. */
static foray_status read_step(const rows *r, int64_t *step)
{
    const char *cell = fy_csv_cell(r->csv, STEP);
    *step = -1;
    if (!cell || !*cell ||
        (foray_whole_read(cell, step) && *step >= 0 && *step < r->model->horizon))
        return FORAY_OK;
    return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                   "%s:%" PRId64 ": step: '%.60s', but the model has 0 to %" PRId64
                   ", and nothing means every step",
                   r->path, fy_csv_line(r->csv), cell, r->model->horizon - 1);
}

static foray_status take_row(rows *r, foray_policy *policy)
{
    int32_t state, action;
    int64_t step, H = policy->horizon, S = policy->states;
    foray_status status = read_step(r, &step);
    if (status == FORAY_OK)
        status = fy_names_read(r->ctx, &r->states, r->path, r->csv, policy_columns, STATE, &state);
    if (status == FORAY_OK)
        status =
            fy_names_read(r->ctx, &r->actions, r->path, r->csv, policy_columns, ACTION, &action);
    if (status != FORAY_OK)
        return status;
    if (!foray_model_available(r->model, state, action))
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": action: %" PRId32 " is not available in state %" PRId32,
                       r->path, fy_csv_line(r->csv), action, state);
    uint8_t kind = step < 0 ? EVERY_STEP : ONE_STEP;
    for (int64_t t = step < 0 ? 0 : step; t < (step < 0 ? H : step + 1); t++) {
        int64_t at = t * S + state;
        if (r->said[at] == kind && policy->action[at] != action)
            return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                           "%s:%" PRId64 ": action: %" PRId32 " in state %" PRId32
                           " at step %" PRId64 ", but an earlier row has %" PRId32
                           ": policies that draw their actions are not supported",
                           r->path, fy_csv_line(r->csv), action, state, t, policy->action[at]);
        if (r->said[at] <= kind) {
            policy->action[at] = action;
            r->said[at] = kind;
        }
    }
    return FORAY_OK;
}

/* Every step and state must have been given an action. */
static foray_status check_complete(const rows *r, const foray_policy *policy)
{
    for (int64_t i = 0; i < policy->horizon * policy->states; i++)
        if (r->said[i] == UNSAID)
            return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                           "%s: no action for state %" PRId64 " at step %" PRId64, r->path,
                           i % policy->states, i / policy->states);
    return FORAY_OK;
}

static foray_status take_rows(rows *r, foray_policy *policy)
{
    bool more = true;
    foray_status status = fy_csv_open(r->ctx, r->path, policy_columns, ACTION + 1, &r->csv);
    if (status == FORAY_OK && fy_csv_has(r->csv, PROBABILITY))
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT,
                         "%s:%" PRId64 ": a column of probabilities: policies that draw their "
                         "actions are not supported",
                         r->path, fy_csv_line(r->csv));
    while (status == FORAY_OK && more)
        if ((status = fy_csv_next(r->csv, &more)) == FORAY_OK && more)
            status = take_row(r, policy);
    return status == FORAY_OK ? check_complete(r, policy) : status;
}

foray_status foray_policy_load_csv(foray_context *ctx, const foray_model *model, const char *path,
                                   foray_policy **out)
{
    rows r = {.ctx = ctx, .model = model, .path = path};
    foray_policy *policy = NULL;
    foray_status status = foray_policy_create(ctx, model, FORAY_GIVEN, &policy);
    if (status == FORAY_OK)
        status = fy_names_create(ctx, "state", model->states, model->state_names, &r.states);
    if (status == FORAY_OK)
        status = fy_names_create(ctx, "action", model->actions, model->action_names, &r.actions);
    if (status == FORAY_OK && !FY_ALLOC(ctx, r.said, model->horizon * model->states))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = take_rows(&r, policy);
    fy_csv_close(r.csv);
    fy_names_destroy(&r.states);
    fy_names_destroy(&r.actions);
    free(r.said);
    if (status == FORAY_OK)
        *out = policy;
    else
        foray_policy_destroy(policy);
    return status;
}
