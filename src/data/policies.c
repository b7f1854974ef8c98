/* policies.c - policies from elsewhere, as CSV with the columns step,state,action, and for those
 * that draw probability, part, odds.
 *
 * A row is about one step, or about every step where its step is empty or there is no such column;
 * a row about one step wins over those about every step, wherever they stand. Without probabilities
 * two of a kind that say different things are refused; with them each row adds an action to the law
 * of its state and step. Rows of a mixture name their part, counted from 0, and its odds. */
#include "data/episodes.h"
#include "model/model.h"
#include "policy/policy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STATE, ACTION, STEP, PROBABILITY, PART, ODDS };
static const char *const columns[] = {"state", "action", "step", "probability",
                                      "part",  "odds",   NULL};

/* How an action came to be that of a step and state. */
enum { UNSAID, EVERY_STEP, ONE_STEP };

/* One part of a mixture, or the whole policy. */
typedef struct part {
    foray_policy *policy;
    uint8_t *said; /* [horizon][states] */
    double odds;
} part;

typedef struct policy_rows {
    foray_context *ctx;
    const foray_model *model;
    const char *path;
    fy_csv *csv;
    fy_names states, actions;
    bool draws, mixes;
    int64_t parts, room;
    part *part;
    foray_model *reached; /* what episodes get to; NULL: all */
} policy_rows;

static foray_status bad_policy_row(const policy_rows *r, int64_t column, const char *why)
{
    const char *cell = fy_csv_cell(r->csv, column);
    return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s:%" PRId64 ": %s: '%.60s': %s", r->path,
                   fy_csv_line(r->csv), columns[column], cell ? cell : "", why);
}

/* ---------------------------------------------------------------------- cells */

/* A step from 0, or -1: every step. */
static foray_status read_policy_step(const policy_rows *r, int64_t *step)
{
    const char *cell = fy_csv_cell(r->csv, STEP);
    *step = -1;
    if (!cell || !*cell ||
        (fy_integer_read(cell, strlen(cell), step) && *step >= 0 && *step < r->model->horizon))
        return FORAY_OK;
    return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                   "%s:%" PRId64 ": step: '%.60s', but the model has 0 to %" PRId64
                   ", and nothing means every step",
                   r->path, fy_csv_line(r->csv), cell, r->model->horizon - 1);
}

/* 1 without such a column. */
static foray_status read_chance(const policy_rows *r, int64_t column, double *out)
{
    const char *cell = fy_csv_cell(r->csv, column);
    *out = 1;
    if (!cell || (fy_number_read(cell, strlen(cell), out) && *out >= 0 && *out <= 1 + 1e-9))
        return FORAY_OK;
    return bad_policy_row(r, column, "a probability is expected");
}

static foray_status add_part(policy_rows *r, double odds)
{
    int64_t cells = r->model->horizon * r->model->states;
    part *grown = fy_grow(r->ctx, r->part, &r->room, r->parts + 1, sizeof *grown);
    if (!grown)
        return FORAY_ERROR_MEMORY;
    r->part = grown;
    part *added = &r->part[r->parts++];
    *added = (part){.odds = odds};
    foray_status status = foray_policy_create(r->ctx, r->model, FORAY_GIVEN, &added->policy);
    if (status == FORAY_OK && r->draws)
        status = fy_policy_make_parts(r->ctx, added->policy, 1, false, true);
    if (status == FORAY_OK && !FY_ALLOC(r->ctx, added->said, cells))
        status = FORAY_ERROR_MEMORY;
    return status;
}

/* Parts begin in the order of their numbers. */
static foray_status find_part(policy_rows *r, part **out)
{
    int64_t number = 0;
    double odds;
    const char *cell = fy_csv_cell(r->csv, PART);
    foray_status status = read_chance(r, ODDS, &odds);
    if (status == FORAY_OK && cell &&
        (!fy_integer_read(cell, strlen(cell), &number) || number < 0 || number > r->parts))
        status = bad_policy_row(r, PART, "parts are numbered from 0, and begin in this order");
    if (status == FORAY_OK && number == r->parts)
        status = add_part(r, odds);
    if (status == FORAY_OK && r->part[number].odds != odds)
        status = bad_policy_row(r, ODDS, "an earlier row gives this part other odds");
    if (status == FORAY_OK)
        *out = &r->part[number];
    return status;
}

/* ----------------------------------------------------------------------- rows */

/* One step and state; a row about one step takes the place of those about every step. */
static foray_status say(const policy_rows *r, part *to, int64_t at, uint8_t kind, int32_t action,
                        double chance)
{
    foray_policy *policy = to->policy;
    double *law = r->draws ? policy->chance + at * policy->actions : NULL;
    bool again = to->said[at] == kind && (law ? law[action] != 0 : policy->action[at] != action);
    if (again && law)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": action: %" PRId32 " in state %" PRId64 " at step %" PRId64
                       " a second time",
                       r->path, fy_csv_line(r->csv), action, at % policy->states,
                       at / policy->states);
    if (again)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": action: %" PRId32 " in state %" PRId64 " at step %" PRId64
                       ", but an earlier row has %" PRId32
                       ": policies that draw their actions have a column 'probability'",
                       r->path, fy_csv_line(r->csv), action, at % policy->states,
                       at / policy->states, policy->action[at]);
    if (to->said[at] > kind)
        return FORAY_OK;
    if (law && to->said[at] < kind)
        memset(law, 0, (size_t)policy->actions * sizeof *law);
    if (law)
        law[action] = chance;
    policy->action[at] = action;
    to->said[at] = kind;
    return FORAY_OK;
}

/* Can a step begin there? */
static bool can_be(const policy_rows *r, int64_t state)
{
    return !r->reached ||
           (r->reached->index[state] >= 0 && r->reached->index[state] < fy_begun(r->reached));
}

/* What fy_policy_print_csv says of a state where no episode can be: the model must say so, too. */
static const char *const unreachable = "unreachable";

static foray_status take_unreachable(const policy_rows *r, int64_t step, int64_t state)
{
    if (step < 0 && !can_be(r, state))
        return FORAY_OK;
    return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                   "%s:%" PRId64 ": action: state %" PRId64 " is not unreachable in the model",
                   r->path, fy_csv_line(r->csv), state);
}

static foray_status take_policy_row(policy_rows *r)
{
    int32_t state, action;
    int64_t step, S = r->model->states;
    double chance;
    part *to = NULL;
    foray_status status = read_policy_step(r, &step);
    if (status == FORAY_OK)
        status = fy_names_read(r->ctx, &r->states, r->path, r->csv, columns, STATE, &state);
    if (status == FORAY_OK && strcmp(fy_csv_cell(r->csv, ACTION), unreachable) == 0)
        return take_unreachable(r, step, state);
    if (status == FORAY_OK)
        status = fy_names_read(r->ctx, &r->actions, r->path, r->csv, columns, ACTION, &action);
    if (status == FORAY_OK)
        status = read_chance(r, PROBABILITY, &chance);
    if (status == FORAY_OK)
        status = find_part(r, &to);
    if (status != FORAY_OK)
        return status;
    if (!foray_model_available(r->model, state, action))
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": action: %" PRId32 " is not available in state %" PRId32,
                       r->path, fy_csv_line(r->csv), action, state);
    int64_t first = step < 0 ? 0 : step, end = step < 0 ? r->model->horizon : step + 1;
    for (int64_t t = first; t < end && status == FORAY_OK; t++)
        status = say(r, to, t * S + state, step < 0 ? EVERY_STEP : ONE_STEP, action, chance);
    return status;
}

/* ---------------------------------------------------------------------- whole */

/* Every step, and every state where an episode can be, must have been given an action, or a law. */
static foray_status check_complete(const policy_rows *r, part *one)
{
    foray_policy *policy = one->policy;
    bool all = true;
    for (int64_t i = 0; i < policy->horizon * policy->states; i++) {
        all &= one->said[i] != UNSAID;
        if (one->said[i] == UNSAID && !can_be(r, i % policy->states))
            continue;
        if (one->said[i] == UNSAID)
            return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                           "%s: no action for state %" PRId64 " at step %" PRId64, r->path,
                           i % policy->states, i / policy->states);
        if (r->draws && !fy_policy_normalise(policy->chance + i * policy->actions, policy->actions))
            return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                           "%s: the probabilities in state %" PRId64 " at step %" PRId64
                           " do not sum to 1",
                           r->path, i % policy->states, i / policy->states);
    }
    if (r->draws)
        fy_policy_find_likeliest(policy);
    return all ? FORAY_OK : fy_policy_keep_part(r->ctx, r->reached, policy);
}

static foray_status take_policy_rows(policy_rows *r)
{
    bool more = true;
    foray_status status = fy_csv_open(r->ctx, r->path, columns, ACTION + 1, NULL, &r->csv);
    if (status != FORAY_OK)
        return status;
    r->draws = fy_csv_has(r->csv, PROBABILITY);
    r->mixes = fy_csv_has(r->csv, PART);
    if (r->mixes != fy_csv_has(r->csv, ODDS))
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "%s: a mixture has two columns, 'part' and 'odds'", r->path);
    while (status == FORAY_OK && more)
        if ((status = fy_csv_next(r->csv, &more)) == FORAY_OK && more)
            status = take_policy_row(r);
    if (status == FORAY_OK && r->parts == 0)
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s: no action for state 0 at step 0", r->path);
    for (int64_t k = 0; k < r->parts && status == FORAY_OK; k++)
        status = check_complete(r, &r->part[k]);
    return status;
}

static foray_status mix_parts(policy_rows *r, foray_policy **out)
{
    const foray_policy **policy;
    double *odds;
    fy_arena arena = {.ctx = r->ctx};
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_NEW(&arena, policy, r->parts) && FY_NEW(&arena, odds, r->parts)) {
        for (int64_t k = 0; k < r->parts; k++) {
            policy[k] = r->part[k].policy;
            odds[k] = r->part[k].odds;
        }
        status = foray_policy_mix(r->ctx, r->parts, policy, odds, out);
        if (status == FORAY_ERROR_INPUT)
            status = fy_fail_within(r->ctx, status, "%s", r->path);
    }
    fy_arena_release(&arena);
    return status;
}

foray_status fy_policy_load_csv(foray_context *ctx, const foray_model *model, const char *path,
                                foray_policy **out)
{
    policy_rows r = {.ctx = ctx, .model = model, .path = path};
    foray_status status =
        fy_names_create(ctx, "state", model->states, model->state_names, &r.states);
    if (status == FORAY_OK)
        status = fy_names_create(ctx, "action", model->actions, model->action_names, &r.actions);
    if (status == FORAY_OK)
        status = fy_model_reachable(ctx, model, &r.reached);
    if (status == FORAY_OK)
        status = take_policy_rows(&r);
    if (status == FORAY_OK && r.mixes) {
        status = mix_parts(&r, out);
    } else if (status == FORAY_OK) {
        *out = r.part[0].policy;
        r.part[0].policy = NULL;
    }
    fy_csv_close(r.csv);
    fy_names_destroy(&r.states);
    fy_names_destroy(&r.actions);
    for (int64_t k = 0; k < r.parts; k++) {
        foray_policy_destroy(r.part[k].policy);
        free(r.part[k].said);
    }
    free(r.part);
    foray_model_destroy(r.reached);
    return status;
}
