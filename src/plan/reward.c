/* reward.c - rewards in memory: made, copied, read. reward_set.c changes them. */
#include "plan/reward.h"
#include "base/json.h"
#include "plan/policy.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- creation */

static foray_status allocate_reward(foray_context *ctx, foray_reward *reward, const char *name)
{
    if (!(reward->name = fy_text(ctx, name)) || !FY_ALLOC(ctx, reward->table, reward->horizon) ||
        !FY_ALLOC(ctx, reward->table_of_step, reward->horizon) ||
        !FY_ALLOC(ctx, reward->steps_of, reward->horizon))
        return FORAY_ERROR_MEMORY;
    return FORAY_OK;
}

foray_status foray_reward_create(foray_context *ctx, const foray_model *model, const char *name,
                                 double fallback, foray_reward **out)
{
    return foray_reward_create_between(ctx, model, name, 0, 1, fallback, out);
}

static foray_status fill_first(foray_context *ctx, foray_reward *reward, const foray_model *model)
{
    fy_reward_part *part = &reward->table[0];
    bool own = fy_reward_unit_of(reward).own;
    reward->tables = 1;
    if (!FY_ALLOC(ctx, part->pair, model->pairs) ||
        (own && !FY_ALLOC(ctx, part->unit_pair, model->pairs)))
        return FORAY_ERROR_MEMORY;
    reward->steps_of[0] = (int32_t)reward->horizon;
    return foray_reward_set(ctx, reward, -1, -1, -1, reward->fallback);
}

static foray_status check_range(foray_context *ctx, double low, double high, double fallback)
{
    static const double far = 1e200; /* so that no sum of values is too large for a number */
    if (!(low < high) || !(fabs(low) <= far) || !(fabs(high) <= far))
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "range: %.17g is not below %.17g, or too far from it", low, high);
    if (!(fallback >= low && fallback <= high))
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "default: value %.17g is not between %.17g and %.17g", fallback, low, high);
    return FORAY_OK;
}

foray_status foray_reward_create_between(foray_context *ctx, const foray_model *model,
                                         const char *name, double low, double high, double fallback,
                                         foray_reward **out)
{
    foray_status status = check_range(ctx, low, high, fallback);
    if (status < 0)
        return status;
    if (fy_name_check(ctx, name) != FORAY_OK)
        return fy_fail_within(ctx, FORAY_ERROR_INPUT, "name");
    foray_reward *reward;
    if (!FY_ALLOC(ctx, reward, 1))
        return FORAY_ERROR_MEMORY;
    *reward = (foray_reward){.model = model,
                             .partial = model->stand_in ? model : NULL,
                             .states = model->states,
                             .actions = model->actions,
                             .horizon = model->horizon,
                             .transitions = model->succ_start[model->pairs],
                             .fallback = fallback + 0.0, /* -0 becomes 0 */
                             .low = low + 0.0,
                             .high = high + 0.0,
                             .discount = 1};
    if ((status = allocate_reward(ctx, reward, name)) < 0 ||
        (status = fill_first(ctx, reward, model)) < 0) {
        foray_reward_destroy(reward);
        return status;
    }
    *out = reward;
    return FORAY_OK;
}

void fy_reward_free_part(fy_reward_part *part)
{
    free(part->pair);
    free(part->next);
    free(part->unit_pair);
    free(part->unit_next);
    fy_reward_rules_clear(&part->rules);
}

void foray_reward_destroy(foray_reward *reward)
{
    if (!reward)
        return;
    for (int64_t i = 0; i < reward->tables && reward->table; i++)
        fy_reward_free_part(&reward->table[i]);
    free(reward->name);
    free(reward->table);
    free(reward->table_of_step);
    free(reward->steps_of);
    free(reward->fixed);
    free(reward);
}

/* -------------------------------------------------------------------- copies */

static bool copy_array(foray_context *ctx, const double *from, int64_t count, double **to)
{
    if (!from)
        return true;
    if (!FY_ALLOC(ctx, *to, count))
        return false;
    memcpy(*to, from, (size_t)count * sizeof **to);
    return true;
}

foray_status fy_reward_copy_part(foray_context *ctx, const foray_reward *reward,
                                 const fy_reward_part *from, fy_reward_part *to)
{
    int64_t pairs = reward->states * reward->actions;
    *to = (fy_reward_part){.ahead = from->ahead};
    if (copy_array(ctx, from->pair, pairs, &to->pair) &&
        copy_array(ctx, from->unit_pair, pairs, &to->unit_pair) &&
        copy_array(ctx, from->next, reward->transitions, &to->next) &&
        copy_array(ctx, from->unit_next, reward->transitions, &to->unit_next) &&
        fy_reward_rules_copy(ctx, &from->rules, &to->rules) == FORAY_OK)
        return FORAY_OK;
    fy_reward_free_part(to);
    *to = (fy_reward_part){0};
    return FORAY_ERROR_MEMORY;
}

static foray_status copy_tables(foray_context *ctx, const foray_reward *from, foray_reward *to)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < from->tables && status == FORAY_OK; i++) {
        to->tables = i + 1;
        to->steps_of[i] = from->steps_of[i];
        status = fy_reward_copy_part(ctx, from, &from->table[i], &to->table[i]);
    }
    memcpy(to->table_of_step, from->table_of_step,
           (size_t)from->horizon * sizeof *to->table_of_step);
    if (status == FORAY_OK && !copy_array(ctx, from->fixed, from->states, &to->fixed))
        status = FORAY_ERROR_MEMORY;
    return status;
}

foray_status fy_reward_copy(foray_context *ctx, const foray_reward *reward, foray_reward **out)
{
    foray_reward *copy;
    if (!FY_ALLOC(ctx, copy, 1))
        return FORAY_ERROR_MEMORY;
    *copy = *reward;
    copy->name = NULL;
    copy->table = NULL;
    copy->table_of_step = copy->steps_of = NULL;
    copy->fixed = NULL;
    copy->tables = 0;
    foray_status status = allocate_reward(ctx, copy, reward->name);
    if (status == FORAY_OK)
        status = copy_tables(ctx, reward, copy);
    if (status != FORAY_OK) {
        foray_reward_destroy(copy);
        return status;
    }
    *out = copy;
    return FORAY_OK;
}

/* ------------------------------------------------------------------ reading */

const char *foray_reward_name(const foray_reward *reward)
{
    return reward->name;
}

double foray_reward_at(const foray_reward *reward, int64_t step, int64_t state, int64_t action)
{
    return reward->table[reward->table_of_step[step]].pair[state * reward->actions + action];
}

double foray_reward_next_at(const foray_reward *reward, int64_t step, int64_t state, int64_t action,
                            int64_t next)
{
    const double *ahead = reward->table[reward->table_of_step[step]].next;
    const fy_reward_rule *rule =
        fy_reward_rules_find(fy_reward_rules_of(reward, step), state, action, next);
    if (rule)
        return rule->value;
    double value = foray_reward_at(reward, step, state, action);
    int64_t pair = state * reward->actions + action;
    int64_t j = ahead ? fy_model_find(reward->model, pair, next) : -1;
    return j < 0 ? value : value + ahead[reward->model->succ_start[pair] + j];
}

void foray_reward_describe(const foray_reward *reward, foray_reward_facts *facts)
{
    double left = 1;
    for (int64_t t = 0; t < reward->horizon; t++)
        left *= reward->discount;
    *facts = (foray_reward_facts){.low = reward->low,
                                  .high = reward->high,
                                  .discount = reward->discount,
                                  .minimise = reward->minimise,
                                  .looks_ahead = fy_reward_looks_ahead(reward),
                                  .stops = reward->fixed != NULL};
    if (reward->discount < 1)
        facts->truncation = (reward->high - reward->low) * left / (1 - reward->discount);
}

bool fy_reward_looks_ahead(const foray_reward *reward)
{
    for (int64_t i = 0; i < reward->tables; i++)
        if (reward->table[i].next || reward->table[i].rules.ahead > 0)
            return true;
    return false;
}

bool fy_reward_is_plain(const foray_reward *reward)
{
    return !reward->fixed && reward->discount == 1 && !fy_reward_looks_ahead(reward);
}

uint64_t fy_reward_hash(const foray_reward *reward)
{
    size_t pairs = (size_t)(reward->states * reward->actions) * sizeof(double);
    uint64_t hash = 0;
    for (int64_t t = 0; t < reward->horizon; t++) {
        hash = fy_hash(fy_reward_table(reward, t), pairs, hash);
        hash = fy_reward_rules_hash(fy_reward_rules_of(reward, t), hash);
        if (fy_reward_next(reward, t))
            hash = fy_hash(fy_reward_next(reward, t), (size_t)reward->transitions * sizeof(double),
                           hash);
    }
    if (reward->fixed)
        hash = fy_hash(reward->fixed, (size_t)reward->states * sizeof(double), hash);
    if (!fy_reward_is_plain(reward)) {
        double rest[] = {reward->discount, reward->ending};
        hash = fy_hash(rest, sizeof rest, hash);
    }
    return hash;
}

foray_status fy_reward_check(foray_context *ctx, const foray_reward *reward,
                             const foray_model *model)
{
    if (reward->states != model->states || reward->actions != model->actions ||
        reward->horizon != model->horizon)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "reward \"%s\" is for %" PRId64 " states, %" PRId64
                       " actions and horizon %" PRId64 ", but the model "
                       "has %" PRId64 ", %" PRId64 " and %" PRId64,
                       reward->name, reward->states, reward->actions, reward->horizon,
                       model->states, model->actions, model->horizon);
    if (!fy_reward_looks_ahead(reward) || reward->model == model)
        return FORAY_OK;
    /* What follows must be the same, in the same order. */
    const foray_model *own = reward->model;
    bool same =
        reward->transitions == model->succ_start[model->pairs] &&
        memcmp(own->succ_start, model->succ_start,
               (size_t)(model->pairs + 1) * sizeof *model->succ_start) == 0 &&
        memcmp(own->succ, model->succ, (size_t)reward->transitions * sizeof *model->succ) == 0;
    if (same)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT,
                   "reward \"%s\" depends on what follows, and was made for a model in which "
                   "other states follow",
                   reward->name);
}

/* --------------------------------------------------------------------- units */

/* V = sum_t g^t (base + slope r'_t) = base sum_t g^t + slope V'. */
fy_reward_unit fy_reward_unit_of(const foray_reward *reward)
{
    fy_reward_unit unit = {.slope = 1, .most = (double)reward->horizon};
    double range = reward->high - reward->low;
    if (reward->discount != 1) {
        double power = 1;
        unit.most = 0;
        for (int64_t t = 0; t < reward->horizon; t++) {
            unit.most += power;
            power *= reward->discount;
        }
    }
    if (reward->fixed)
        unit.most = 1;
    unit.own = reward->low != 0 || reward->high != 1 || reward->minimise;
    if (unit.own) {
        unit.slope = reward->minimise ? -range : range;
        unit.offset = (reward->minimise ? reward->high : reward->low) * unit.most;
    }
    return unit;
}

double fy_reward_value(const fy_reward_unit *unit, double value)
{
    return unit->own ? unit->offset + unit->slope * value : value;
}

void fy_reward_convert(const foray_reward *reward, foray_policy *policy)
{
    fy_reward_unit unit = fy_reward_unit_of(reward);
    if (unit.most != (double)reward->horizon)
        fy_certificate_judge(&policy->certificate, unit.most);
    if (!unit.own)
        return;
    double low = fy_reward_value(&unit, unit.slope > 0 ? policy->low : policy->high);
    double high = fy_reward_value(&unit, unit.slope > 0 ? policy->high : policy->low);
    double off = (double)(reward->horizon + 4) * DBL_EPSILON *
                 (fabs(unit.offset) + fabs(unit.slope) * unit.most);
    for (int mode = 0; mode < FORAY_MODES; mode++)
        policy->value[mode] = fy_reward_value(&unit, policy->value[mode]);
    policy->expected = fy_reward_value(&unit, policy->expected);
    policy->low = low - off;
    policy->high = high + off;
    /* The gap certificate counts its roundings by itself; differences of values do not. */
    if (policy->certificate.bound == FORAY_BOUND_VALUES)
        policy->certificate.gap += 4 * (double)reward->horizon * (unit.most + 1) * DBL_EPSILON;
    /* Too small for a number is not 0. */
    if (policy->certificate.gap > 0)
        policy->certificate.gap =
            policy->certificate.gap * fabs(unit.slope) * (1 + 4 * DBL_EPSILON) + DBL_TRUE_MIN;
}
