/* reward.c - rewards in memory: r_t(s,a) in [0,1], arbitrary in all three. */
#include "plan/reward.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- creation */

static foray_status check_value(foray_context *ctx, double value)
{
    if (value >= 0 && value <= 1)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "value %.17g is not between 0 and 1", value);
}

static foray_status allocate(foray_context *ctx, foray_reward *reward, const char *name)
{
    if (!(reward->name = fy_text(ctx, name)) || !FY_ALLOC(ctx, reward->table, reward->horizon) ||
        !FY_ALLOC(ctx, reward->table_of_step, reward->horizon) ||
        !FY_ALLOC(ctx, reward->steps_of, reward->horizon) ||
        !FY_ALLOC(ctx, reward->table[0], reward->states * reward->actions))
        return FORAY_ERROR_MEMORY;
    return FORAY_OK;
}

foray_status foray_reward_create(foray_context *ctx, const foray_model *model, const char *name,
                                 double fallback, foray_reward **out)
{
    foray_status status = check_value(ctx, fallback);
    if (status < 0)
        return fy_fail_within(ctx, status, "default");
    if (fy_name_check(ctx, name) != FORAY_OK)
        return fy_fail_within(ctx, FORAY_ERROR_INPUT, "name");
    foray_reward *reward;
    if (!FY_ALLOC(ctx, reward, 1))
        return FORAY_ERROR_MEMORY;
    reward->states = model->states;
    reward->actions = model->actions;
    reward->horizon = model->horizon;
    reward->fallback = fallback;
    reward->tables = 1;
    if ((status = allocate(ctx, reward, name)) < 0) {
        foray_reward_destroy(reward);
        return status;
    }
    reward->steps_of[0] = (int32_t)reward->horizon;
    for (int64_t pair = 0; pair < model->pairs; pair++)
        reward->table[0][pair] = fallback;
    *out = reward;
    return FORAY_OK;
}

void foray_reward_destroy(foray_reward *reward)
{
    if (!reward)
        return;
    for (int64_t i = 0; i < reward->tables && reward->table; i++)
        free(reward->table[i]);
    free(reward->name);
    free(reward->table);
    free(reward->table_of_step);
    free(reward->steps_of);
    free(reward);
}

static foray_status copy_tables(foray_context *ctx, const foray_reward *from, foray_reward *to)
{
    int64_t pairs = from->states * from->actions;
    for (int64_t i = 0; i < from->tables; i++) {
        if (i > 0 && !FY_ALLOC(ctx, to->table[i], pairs))
            return FORAY_ERROR_MEMORY;
        to->tables = i + 1;
        memcpy(to->table[i], from->table[i], (size_t)pairs * sizeof(double));
        to->steps_of[i] = from->steps_of[i];
    }
    memcpy(to->table_of_step, from->table_of_step,
           (size_t)from->horizon * sizeof *to->table_of_step);
    return FORAY_OK;
}

foray_status fy_reward_copy(foray_context *ctx, const foray_reward *reward, foray_reward **out)
{
    foray_reward *copy;
    if (!FY_ALLOC(ctx, copy, 1))
        return FORAY_ERROR_MEMORY;
    copy->states = reward->states;
    copy->actions = reward->actions;
    copy->horizon = reward->horizon;
    copy->fallback = reward->fallback;
    copy->tables = 1;
    foray_status status = allocate(ctx, copy, reward->name);
    if (status == FORAY_OK)
        status = copy_tables(ctx, reward, copy);
    if (status != FORAY_OK) {
        foray_reward_destroy(copy);
        return status;
    }
    *out = copy;
    return FORAY_OK;
}

/* ------------------------------------------------------------------ setting */

/* -1: every. */
static foray_status check_index(foray_context *ctx, const char *what, int64_t index, int64_t count)
{
    if (index >= -1 && index < count)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s %" PRId64 ", but the model has %" PRId64 " %ss",
                   what, index, count, what);
}

/* Gives a step a table of its own. */
static foray_status separate(foray_context *ctx, foray_reward *reward, int64_t step)
{
    int32_t shared = reward->table_of_step[step];
    int64_t pairs = reward->states * reward->actions;
    if (reward->steps_of[shared] == 1)
        return FORAY_OK;
    double *copy;
    if (!FY_ALLOC(ctx, copy, pairs))
        return FORAY_ERROR_MEMORY;
    memcpy(copy, reward->table[shared], (size_t)pairs * sizeof *copy);
    reward->steps_of[shared]--;
    reward->table_of_step[step] = (int32_t)reward->tables;
    reward->steps_of[reward->tables] = 1;
    reward->table[reward->tables++] = copy;
    return FORAY_OK;
}

static void fill(const foray_reward *reward, double *table, int64_t state, int64_t action,
                 double value)
{
    int64_t first_state = state < 0 ? 0 : state, end_state = state < 0 ? reward->states : state + 1;
    int64_t first = action < 0 ? 0 : action, end = action < 0 ? reward->actions : action + 1;
    for (int64_t s = first_state; s < end_state; s++)
        for (int64_t a = first; a < end; a++)
            table[s * reward->actions + a] = value;
}

foray_status foray_reward_set(foray_context *ctx, foray_reward *reward, int64_t step, int64_t state,
                              int64_t action, double value)
{
    foray_status status;
    if ((status = check_index(ctx, "step", step, reward->horizon)) < 0 ||
        (status = check_index(ctx, "state", state, reward->states)) < 0 ||
        (status = check_index(ctx, "action", action, reward->actions)) < 0 ||
        (status = check_value(ctx, value)) < 0)
        return status;
    if (step < 0) {
        for (int64_t i = 0; i < reward->tables; i++)
            fill(reward, reward->table[i], state, action, value);
        return FORAY_OK;
    }
    if ((status = separate(ctx, reward, step)) < 0)
        return status;
    fill(reward, reward->table[reward->table_of_step[step]], state, action, value);
    return FORAY_OK;
}

/* ------------------------------------------------------------------ reading */

const char *foray_reward_name(const foray_reward *reward)
{
    return reward->name;
}

double foray_reward_at(const foray_reward *reward, int64_t step, int64_t state, int64_t action)
{
    return fy_reward_table(reward, step)[state * reward->actions + action];
}

uint64_t fy_reward_hash(const foray_reward *reward)
{
    size_t bytes = (size_t)(reward->states * reward->actions) * sizeof(double);
    uint64_t hash = 0;
    for (int64_t t = 0; t < reward->horizon; t++)
        hash = fy_hash(fy_reward_table(reward, t), bytes, hash);
    return hash;
}

foray_status fy_reward_check(foray_context *ctx, const foray_reward *reward,
                             const foray_model *model)
{
    if (reward->states == model->states && reward->actions == model->actions &&
        reward->horizon == model->horizon)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT,
                   "reward \"%s\" is for %" PRId64 " states, %" PRId64
                   " actions and horizon %" PRId64 ", but the model "
                   "has %" PRId64 ", %" PRId64 " and %" PRId64,
                   reward->name, reward->states, reward->actions, reward->horizon, model->states,
                   model->actions, model->horizon);
}
