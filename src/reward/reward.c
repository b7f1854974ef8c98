/* reward.c - rewards in memory: made, given their values (of pairs, of what follows them, of states
 * where an episode stops), copied, read. */
#include "reward/reward.h"
#include "base/json.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- units */

/* 0 and 1 are the ends of the range and nothing else: a proof takes them for exact. */
double fy_reward_to_unit(const foray_reward *reward, double value)
{
    double range = reward->high - reward->low;
    double unit = (reward->minimise ? reward->high - value : value - reward->low) / range;
    bool inside = value != reward->low && value != reward->high;
    return !inside ? unit : fmin(fmax(unit, DBL_MIN), 1 - DBL_EPSILON / 2);
}

/* V = sum_t g^t (base + slope r'_t) = base sum_t g^t + slope V'. */
fy_reward_unit fy_reward_unit_of(const foray_reward *reward)
{
    fy_reward_unit unit = {.slope = 1, .max = (double)reward->horizon};
    double range = reward->high - reward->low;
    if (reward->discount != 1) {
        double power = 1;
        unit.max = 0;
        for (int64_t t = 0; t < reward->horizon; t++) {
            unit.max += power;
            power *= reward->discount;
        }
    }
    if (reward->fixed || reward->task)
        unit.max = 1;
    unit.own = reward->low != 0 || reward->high != 1 || reward->minimise;
    if (unit.own) {
        unit.slope = reward->minimise ? -range : range;
        unit.offset = (reward->minimise ? reward->high : reward->low) * unit.max;
    }
    return unit;
}

double fy_reward_value(const fy_reward_unit *unit, double value)
{
    return unit->own ? unit->offset + unit->slope * value : value;
}

/* ----------------------------------------------------------------- creation */

/* Of all that a reward has but rules, which grow. */
static fy_arena *arena_of(foray_context *ctx, foray_reward *reward)
{
    reward->arena.ctx = ctx; /* whose reward it was when it was made may be gone */
    return &reward->arena;
}

static foray_status allocate_reward(foray_context *ctx, foray_reward *reward, const char *name)
{
    fy_arena *arena = arena_of(ctx, reward);
    size_t length = strlen(name) + 1;
    if (!FY_NEW(arena, reward->name, length) || !FY_NEW(arena, reward->table, reward->horizon) ||
        !FY_NEW(arena, reward->table_of_step, reward->horizon) ||
        !FY_NEW(arena, reward->steps_of, reward->horizon))
        return FORAY_ERROR_MEMORY;
    memcpy(reward->name, name, length);
    return FORAY_OK;
}

static foray_status fill_first(foray_context *ctx, foray_reward *reward, const foray_model *model)
{
    fy_reward_part *part = &reward->table[0];
    bool own = fy_reward_unit_of(reward).own;
    reward->tables = 1;
    if (!FY_NEW(arena_of(ctx, reward), part->pair, model->pairs) ||
        (own && !FY_NEW(&reward->arena, part->unit_pair, model->pairs)))
        return FORAY_ERROR_MEMORY;
    reward->steps_of[0] = (int32_t)reward->horizon;
    return foray_reward_set(ctx, reward, -1, -1, -1, reward->fallback);
}

#define FAR 1e200 /* so that no sum of values is too large for a number */

static foray_status check_range(foray_context *ctx, double low, double high, double fallback)
{
    if (!(low < high) || !(fabs(low) <= FAR) || !(fabs(high) <= FAR))
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "range: %.17g is not below %.17g, or too far from it", low, high);
    if (!(fallback >= low && fallback <= high))
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "default: value %.17g is not between %.17g and %.17g", fallback, low, high);
    return FORAY_OK;
}

foray_status foray_reward_create(foray_context *ctx, const foray_model *model, const char *name,
                                 double low, double high, double fallback, foray_reward **out)
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

void foray_reward_destroy(foray_reward *reward)
{
    if (!reward)
        return;
    for (int64_t i = 0; i < reward->tables && reward->table; i++)
        fy_reward_rules_clear(&reward->table[i].rules);
    fy_arena_release(&reward->arena);
    foray_reward_destroy(reward->above);
    free(reward);
}

/* -------------------------------------------------------------------- copies */

static bool copy_array(fy_arena *arena, const double *from, int64_t count, double **to)
{
    if (!from)
        return true;
    if (!FY_NEW(arena, *to, count))
        return false;
    memcpy(*to, from, (size_t)count * sizeof **to);
    return true;
}

/* What the pairs, the transitions and the states of a part have in the whole. */
static bool take_pairs(fy_arena *arena, const double *from, const foray_model *part, double **to)
{
    int64_t A = part->actions;
    if (from && !FY_NEW(arena, *to, part->pairs))
        return false;
    for (int64_t pair = 0; from && pair < part->pairs; pair++)
        (*to)[pair] = from[part->number[pair / A] * A + pair % A];
    return true;
}

static bool take_transitions(fy_arena *arena, const double *from, const foray_model *part,
                             double **to)
{
    int64_t A = part->actions, begun = fy_begun(part) * A;
    if (from && !FY_NEW(arena, *to, part->succ_start[part->pairs]))
        return false;
    for (int64_t pair = 0; from && pair < begun; pair++)
        memcpy(*to + part->succ_start[pair],
               from + part->whole->succ_start[part->number[pair / A] * A + pair % A],
               (size_t)(part->succ_start[pair + 1] - part->succ_start[pair]) * sizeof **to);
    return true;
}

static bool take_states(fy_arena *arena, const double *from, const foray_model *part, double **to)
{
    if (from && !FY_NEW(arena, *to, part->states))
        return false;
    for (int64_t s = 0; from && s < part->states; s++)
        (*to)[s] = from[part->number[s]];
    return true;
}

static foray_status copy_part(fy_arena *arena, const foray_reward *reward,
                              const fy_reward_part *from, fy_reward_part *to)
{
    int64_t pairs = reward->states * reward->actions;
    *to = (fy_reward_part){.ahead = from->ahead};
    if (copy_array(arena, from->pair, pairs, &to->pair) &&
        copy_array(arena, from->unit_pair, pairs, &to->unit_pair) &&
        copy_array(arena, from->next, reward->transitions, &to->next) &&
        copy_array(arena, from->unit_next, reward->transitions, &to->unit_next) &&
        fy_reward_rules_copy(arena->ctx, &from->rules, &to->rules) == FORAY_OK) {
        to->next_room = to->next;
        to->unit_next_room = to->unit_next;
        return FORAY_OK;
    }
    return FORAY_ERROR_MEMORY;
}

static foray_status take_table(fy_arena *arena, const foray_model *part, const fy_reward_part *from,
                               fy_reward_part *to)
{
    *to = (fy_reward_part){.ahead = from->ahead};
    if (!take_pairs(arena, from->pair, part, &to->pair) ||
        !take_pairs(arena, from->unit_pair, part, &to->unit_pair) ||
        !take_transitions(arena, from->next, part, &to->next) ||
        !take_transitions(arena, from->unit_next, part, &to->unit_next))
        return FORAY_ERROR_MEMORY;
    to->next_room = to->next;
    to->unit_next_room = to->unit_next;
    return FORAY_OK;
}

/* All of it, or what is about a part of the model. */
static foray_status copy_tables(foray_context *ctx, const foray_reward *from,
                                const foray_model *part, foray_reward *to)
{
    fy_arena *arena = arena_of(ctx, to);
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < from->tables && status == FORAY_OK; i++) {
        to->tables = i + 1;
        to->steps_of[i] = from->steps_of[i];
        status = part ? take_table(arena, part, &from->table[i], &to->table[i])
                      : copy_part(arena, from, &from->table[i], &to->table[i]);
    }
    memcpy(to->table_of_step, from->table_of_step,
           (size_t)from->horizon * sizeof *to->table_of_step);
    if (status == FORAY_OK && !(part ? take_states(arena, from->fixed, part, &to->fixed)
                                     : copy_array(arena, from->fixed, from->states, &to->fixed)))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK &&
        !(part ? take_states(arena, from->endings, part, &to->endings)
               : copy_array(arena, from->endings, from->states, &to->endings)))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK && from->task && !part)
        status = fy_task_copy(arena, from->task, from->states, &to->task);
    return status;
}

static foray_status copy_reward(foray_context *ctx, const foray_reward *reward,
                                const foray_model *part, foray_reward **out)
{
    foray_reward *copy;
    if (!FY_ALLOC(ctx, copy, 1))
        return FORAY_ERROR_MEMORY;
    *copy = *reward;
    copy->arena = (fy_arena){.ctx = ctx};
    copy->name = NULL;
    copy->table = NULL;
    copy->table_of_step = copy->steps_of = NULL;
    copy->above = NULL;
    copy->fixed = copy->endings = NULL;
    copy->task = NULL;
    copy->tables = 0;
    if (part) {
        copy->model = part;
        copy->partial = part->stand_in ? part : NULL;
        copy->states = part->states;
        copy->transitions = part->succ_start[part->pairs];
    }
    foray_status status = allocate_reward(ctx, copy, reward->name);
    if (status == FORAY_OK)
        status = copy_tables(ctx, reward, part, copy);
    if (status == FORAY_OK && reward->above)
        status = copy_reward(ctx, reward->above, part, &copy->above);
    if (status != FORAY_OK) {
        foray_reward_destroy(copy);
        return status;
    }
    *out = copy;
    return FORAY_OK;
}

foray_status fy_reward_copy(foray_context *ctx, const foray_reward *reward, foray_reward **out)
{
    return copy_reward(ctx, reward, NULL, out);
}

foray_status fy_reward_within(foray_context *ctx, const foray_reward *reward,
                              const foray_model *part, foray_reward **out)
{
    return copy_reward(ctx, reward, part, out);
}

/* ------------------------------------------------------------------- values */

static foray_status check_value(foray_context *ctx, const foray_reward *reward, double value)
{
    if (value >= reward->low && value <= reward->high)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "value %.17g is not between %.17g and %.17g", value,
                   reward->low, reward->high);
}

/* -1: every. */
static foray_status check_index(foray_context *ctx, const char *what, int64_t index, int64_t count)
{
    if (index >= -1 && index < count)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s %" PRId64 ", but the model has %" PRId64 " %ss",
                   what, index, count, what);
}

static foray_status check_place(foray_context *ctx, const foray_reward *reward, int64_t step,
                                int64_t state, int64_t action)
{
    foray_status status;
    if (reward->fixed || reward->task)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "reward \"%s\" is %s: it has no other values",
                       reward->name, reward->task ? "a task" : "about reaching or avoiding states");
    if ((status = check_index(ctx, "step", step, reward->horizon)) < 0 ||
        (status = check_index(ctx, "state", state, reward->states)) < 0 ||
        (status = check_index(ctx, "action", action, reward->actions)) < 0)
        return status;
    if (reward->partial && state >= 0 && action >= 0 &&
        !fy_available(reward->partial, state * reward->actions + action))
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "action %" PRId64 " is not available in state %" PRId64, action, state);
    return FORAY_OK;
}

static foray_status check_all(foray_context *ctx, const foray_reward *reward, int64_t step,
                              int64_t state, int64_t action, double value)
{
    foray_status status = check_place(ctx, reward, step, state, action);
    return status == FORAY_OK ? check_value(ctx, reward, value) : status;
}

/* Gives a step a table of its own. */
static foray_status separate(foray_context *ctx, foray_reward *reward, int64_t step)
{
    int32_t shared = reward->table_of_step[step];
    if (reward->steps_of[shared] == 1)
        return FORAY_OK;
    foray_status status = copy_part(arena_of(ctx, reward), reward, &reward->table[shared],
                                    &reward->table[reward->tables]);
    if (status != FORAY_OK)
        return status;
    reward->steps_of[shared]--;
    reward->table_of_step[step] = (int32_t)reward->tables;
    reward->steps_of[reward->tables++] = 1;
    return FORAY_OK;
}

/* The tables of a step, which then are of no other; -1: of every step. */
typedef struct tables {
    int64_t first, end;
} tables;

static foray_status tables_of(foray_context *ctx, foray_reward *reward, int64_t step, tables *out)
{
    foray_status status = step < 0 ? FORAY_OK : separate(ctx, reward, step);
    if (status != FORAY_OK)
        return status;
    out->first = step < 0 ? 0 : reward->table_of_step[step];
    out->end = step < 0 ? reward->tables : out->first + 1;
    return FORAY_OK;
}

/* Of unstructured models: a value for every next state is the last word about those pairs. */
static foray_status overrule(foray_context *ctx, fy_reward_rules *rules, fy_reward_rule rule)
{
    if (rules->ahead == 0)
        return FORAY_OK;
    if (rule.state >= 0 || rule.action >= 0)
        return fy_reward_rules_add(ctx, rules, rule);
    fy_reward_rules_clear(rules);
    return FORAY_OK;
}

/* The (s,a) that a call is about; -1 means every. Pairs that do not exist have what the one has
 * that they stand in for, whenever that changes (model.h). */
typedef struct pair_range {
    int64_t state, end_state, action, end_action;
} pair_range;

static pair_range pairs_of(const foray_reward *reward, int64_t state, int64_t action)
{
    return (pair_range){.state = state < 0 ? 0 : state,
                        .end_state = state < 0 ? reward->states : state + 1,
                        .action = action < 0 ? 0 : action,
                        .end_action = action < 0 ? reward->actions : action + 1};
}

/* Where to look for them: among all actions of a state, if some are stand-ins. */
static pair_range look_among(const foray_reward *reward, pair_range all)
{
    if (reward->partial) {
        all.action = 0;
        all.end_action = reward->actions;
    }
    return all;
}

/* Is this pair one of those that a call is about? */
static bool is_meant(const foray_reward *reward, pair_range all, int64_t state, int64_t action)
{
    if (reward->partial) {
        int64_t first = state * reward->actions;
        action = fy_stand_in(reward->partial, first + action) - first;
    }
    return action >= all.action && action < all.end_action;
}

/* Are the pair's values in `next`? There not all are the same, so that one is not 0. */
static bool is_ahead(const foray_reward *reward, const fy_reward_part *part, int64_t pair)
{
    const int64_t *start = reward->model->succ_start;
    for (int64_t i = start[pair]; i < start[pair + 1]; i++)
        if (part->next[i] != 0)
            return true;
    return false;
}

/* Every successor of the pair alike: nothing of it is in `next`. */
static void set_pair(const foray_reward *reward, fy_reward_part *part, int64_t pair, double value)
{
    part->pair[pair] = value;
    if (part->unit_pair)
        part->unit_pair[pair] = fy_reward_to_unit(reward, value);
    if (!part->next)
        return;
    part->ahead -= is_ahead(reward, part, pair);
    for (int64_t i = reward->model->succ_start[pair]; i < reward->model->succ_start[pair + 1];
         i++) {
        part->next[i] = 0;
        if (part->unit_next)
            part->unit_next[i] = 0;
    }
}

static void drop_empty(fy_reward_part *part)
{
    if (part->ahead > 0)
        return;
    part->next = part->unit_next = NULL;
}

static void fill_part(const foray_reward *reward, fy_reward_part *part, int64_t state,
                      int64_t action, double value)
{
    pair_range all = pairs_of(reward, state, action), among = look_among(reward, all);
    for (int64_t s = all.state; s < all.end_state; s++)
        for (int64_t a = among.action; a < among.end_action; a++)
            if (is_meant(reward, all, s, a))
                set_pair(reward, part, s * reward->actions + a, value);
    drop_empty(part);
}

foray_status foray_reward_set(foray_context *ctx, foray_reward *reward, int64_t step, int64_t state,
                              int64_t action, double value)
{
    foray_status status = check_all(ctx, reward, step, state, action, value);
    if (status < 0)
        return status;
    value += 0.0; /* -0 becomes 0, so that equal rewards are the same text */
    tables these = {0, 0};
    if ((status = tables_of(ctx, reward, step, &these)) < 0)
        return status;
    const fy_reward_rule rule = {(int32_t)state, (int32_t)action, -1, value};
    for (int64_t i = these.first; i < these.end && status == FORAY_OK; i++)
        status = overrule(ctx, &reward->table[i].rules, rule);
    for (int64_t i = these.first; i < these.end && status == FORAY_OK; i++)
        fill_part(reward, &reward->table[i], state, action, value);
    return status;
}

/* ------------------------------------------------------------- what follows */

/* Values that are the same for all successors belong to the pair. */
static void gather(const foray_reward *reward, fy_reward_part *part, int64_t pair)
{
    const int64_t *start = reward->model->succ_start;
    double first = part->next[start[pair]];
    for (int64_t i = start[pair] + 1; i < start[pair + 1]; i++)
        if (part->next[i] != first)
            return;
    part->ahead -= first == 0; /* set_pair would not see that they were there */
    set_pair(reward, part, pair, first);
}

/* What belonged to the pair becomes that of each successor, and the j-th gets its own. */
static void set_next(const foray_reward *reward, fy_reward_part *part, int64_t pair, int64_t j,
                     double value)
{
    const int64_t *start = reward->model->succ_start;
    part->ahead += !is_ahead(reward, part, pair);
    for (int64_t i = start[pair]; i < start[pair + 1]; i++) {
        bool here = i == start[pair] + j;
        part->next[i] = here ? value : part->next[i] + part->pair[pair];
        if (part->unit_next)
            part->unit_next[i] = here ? fy_reward_to_unit(reward, value)
                                      : part->unit_next[i] + part->unit_pair[pair];
    }
    part->pair[pair] = 0;
    if (part->unit_pair)
        part->unit_pair[pair] = 0;
    gather(reward, part, pair);
}

/* How many pairs `next` follows. */
static int64_t fill_next(const foray_reward *reward, fy_reward_part *part, int64_t state,
                         int64_t action, int64_t next, double value)
{
    pair_range all = pairs_of(reward, state, action), among = look_among(reward, all);
    int64_t found = 0;
    for (int64_t s = all.state; s < all.end_state; s++)
        for (int64_t a = among.action; a < among.end_action; a++) {
            int64_t pair = s * reward->actions + a, j = fy_model_find(reward->model, pair, next);
            if (j < 0 || !is_meant(reward, all, s, a))
                continue;
            found++;
            if (part)
                set_next(reward, part, pair, j, value);
        }
    if (part)
        drop_empty(part);
    return found;
}

static foray_status allocate_next(foray_context *ctx, foray_reward *reward, fy_reward_part *part)
{
    fy_arena *arena = arena_of(ctx, reward);
    size_t bytes = (size_t)reward->transitions * sizeof *part->next;
    if (part->next)
        return FORAY_OK;
    if ((!part->next_room && !FY_NEW(arena, part->next_room, reward->transitions)) ||
        (part->unit_pair && !part->unit_next_room &&
         !FY_NEW(arena, part->unit_next_room, reward->transitions)))
        return FORAY_ERROR_MEMORY;
    part->next = memset(part->next_room, 0, bytes);
    part->unit_next = part->unit_pair ? memset(part->unit_next_room, 0, bytes) : NULL;
    return FORAY_OK;
}

/* In an unstructured model anything can follow. */
static foray_status say_next(foray_context *ctx, foray_reward *reward, int64_t step,
                             fy_reward_rule rule)
{
    tables these = {0, 0};
    foray_status status = tables_of(ctx, reward, step, &these);
    if (status != FORAY_OK)
        return status;
    for (int64_t i = these.first; i < these.end && status == FORAY_OK; i++)
        status = fy_reward_rules_add(ctx, &reward->table[i].rules, rule);
    return status;
}

/* Adds what follows a pair, each once; false if that is more than there is room for. */
static bool add_followers(const foray_model *model, int64_t pair, int64_t room, int32_t *follower,
                          int64_t *count)
{
    for (int64_t i = model->succ_start[pair]; i < model->succ_start[pair + 1]; i++) {
        int64_t at = 0;
        while (at < *count && follower[at] != model->succ[i])
            at++;
        if (at == room)
            return false;
        follower[at] = model->succ[i];
        *count += at == *count;
    }
    return true;
}

/* With what can follow, if that is short. */
static foray_status refuse_next(foray_context *ctx, const foray_reward *reward, int64_t state,
                                int64_t action, int64_t next)
{
    enum { FEW = 8 };
    char from[48] = "any state", under[48] = "any action", can[FEW * 24] = "";
    int32_t follower[FEW];
    int64_t count = 0;
    pair_range all = pairs_of(reward, state, action);
    bool few = true;
    for (int64_t s = all.state; s < all.end_state && few; s++)
        for (int64_t a = all.action; a < all.end_action && few; a++)
            few = add_followers(reward->model, s * reward->actions + a, FEW, follower, &count);
    if (state >= 0)
        fy_format(from, sizeof from, "state %" PRId64, state);
    if (action >= 0)
        fy_format(under, sizeof under, "action %" PRId64, action);
    size_t used = 0;
    for (int64_t i = 0; i < count && few; i++)
        used += (size_t)fy_format(can + used, sizeof can - used, "%s%" PRId32,
                                  i > 0 ? ", " : "; what can: ", follower[i]);
    return fy_fail(ctx, FORAY_ERROR_INPUT,
                   "next state %" PRId64 " cannot follow %s under %s in this model%s", next, from,
                   under, can);
}

foray_status foray_reward_set_next(foray_context *ctx, foray_reward *reward, int64_t step,
                                   int64_t state, int64_t action, int64_t next, double value)
{
    foray_status status = check_index(ctx, "next state", next, reward->states);
    if (status == FORAY_OK)
        status = check_all(ctx, reward, step, state, action, value);
    if (status != FORAY_OK)
        return status;
    if (next < 0)
        return foray_reward_set(ctx, reward, step, state, action, value);
    value += 0.0; /* as above */
    if (reward->model->unstructured)
        return say_next(ctx, reward, step,
                        (fy_reward_rule){(int32_t)state, (int32_t)action, (int32_t)next, value});
    if (reward->transitions > INT32_MAX)
        return fy_fail(
            ctx, FORAY_ERROR_INPUT,
            "the model has too many transitions for rewards that depend on what follows");
    if (fill_next(reward, NULL, state, action, next, value) == 0)
        return refuse_next(ctx, reward, state, action, next);
    tables these = {0, 0};
    if ((status = tables_of(ctx, reward, step, &these)) < 0)
        return status;
    for (int64_t i = these.first; i < these.end; i++)
        if ((status = allocate_next(ctx, reward, &reward->table[i])) < 0)
            return status;
    for (int64_t i = these.first; i < these.end; i++)
        fill_next(reward, &reward->table[i], state, action, next, value);
    return FORAY_OK;
}

/* ------------------------------------------------------------------- adding */

/* What follows a pair by the j-th transition is worth. */
static double worth(const fy_reward_part *part, int64_t pair, int64_t transition)
{
    return part->pair[pair] + (part->next ? part->next[transition] : 0);
}

/* To the pair, if all that follows is meant and alike, else to each that is meant. */
static void add_to_pair(const foray_reward *reward, fy_reward_part *part, int64_t pair,
                        int64_t next, double value)
{
    const foray_model *model = reward->model;
    if (next < 0 && (!part->next || !is_ahead(reward, part, pair))) {
        set_pair(reward, part, pair, part->pair[pair] + value);
        return;
    }
    int64_t first = model->succ_start[pair], n = model->succ_start[pair + 1] - first;
    for (int64_t j = 0; j < n; j++)
        if (next < 0 || model->succ[first + j] == next)
            set_next(reward, part, pair, j, worth(part, pair, first + j) + value);
}

static void add_to_part(const foray_reward *reward, fy_reward_part *part, int64_t state,
                        int64_t action, int64_t next, double value)
{
    pair_range all = pairs_of(reward, state, action), among = look_among(reward, all);
    for (int64_t s = all.state; s < all.end_state; s++)
        for (int64_t a = among.action; a < among.end_action; a++)
            if (is_meant(reward, all, s, a))
                add_to_pair(reward, part, s * reward->actions + a, next, value);
    drop_empty(part);
}

foray_status fy_reward_add(foray_context *ctx, foray_reward *reward, int64_t step, int64_t state,
                           int64_t action, int64_t next, double value)
{
    tables these = {0, 0};
    foray_status status = check_index(ctx, "next state", next, reward->states);
    if (status == FORAY_OK)
        status = check_place(ctx, reward, step, state, action);
    if (status == FORAY_OK && !(fabs(value) <= FAR))
        status = fy_fail(ctx, FORAY_ERROR_INPUT, "value %.17g is too large", value);
    if (status == FORAY_OK && next >= 0 && reward->model->unstructured)
        status = fy_fail(ctx, FORAY_ERROR_INPUT,
                         "values of next states cannot be added in an unstructured model");
    if (status == FORAY_OK && next >= 0 && fill_next(reward, NULL, state, action, next, value) == 0)
        status = refuse_next(ctx, reward, state, action, next);
    if (status == FORAY_OK)
        status = tables_of(ctx, reward, step, &these);
    for (int64_t i = these.first; i < these.end && status == FORAY_OK && next >= 0; i++)
        status = allocate_next(ctx, reward, &reward->table[i]);
    for (int64_t i = these.first; i < these.end && status == FORAY_OK; i++)
        add_to_part(reward, &reward->table[i], state, action, next, value);
    return status;
}

/* ---------------------------------------------------------- the whole of it */

foray_status foray_reward_set_discount(foray_context *ctx, foray_reward *reward, double discount)
{
    if (!(discount >= 0 && discount <= 1))
        return fy_fail(ctx, FORAY_ERROR_USAGE, "discount: %g is not between 0 and 1", discount);
    if ((reward->fixed || reward->task) && discount != 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "reward \"%s\" is a probability, and those are not discounted",
                       reward->name);
    reward->discount = discount;
    return FORAY_OK;
}

static void to_units(const foray_reward *reward, const double *from, int64_t count, double *to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = fy_reward_to_unit(reward, from[i]);
}

/* The parts of which one is 0 must stay so: r' of a pair whose values lie in `next` is 0. */
static void renew_part(const foray_reward *reward, fy_reward_part *part)
{
    const foray_model *model = reward->model;
    to_units(reward, part->pair, reward->states * reward->actions, part->unit_pair);
    for (int64_t pair = 0; part->next && pair < reward->states * reward->actions; pair++) {
        int64_t first = model->succ_start[pair], n = model->succ_start[pair + 1] - first;
        bool ahead = false;
        for (int64_t j = 0; j < n; j++)
            ahead |= part->next[first + j] != 0;
        if (ahead) {
            to_units(reward, part->next + first, n, part->unit_next + first);
            part->unit_pair[pair] = 0;
        }
    }
}

/* Room for values in the unit of planning, beside those that were given. */
static foray_status make_room_for_units(foray_context *ctx, foray_reward *reward,
                                        fy_reward_part *part)
{
    fy_arena *arena = arena_of(ctx, reward);
    if ((!part->unit_pair && !FY_NEW(arena, part->unit_pair, reward->states * reward->actions)) ||
        (part->next && !part->unit_next && !FY_NEW(arena, part->unit_next, reward->transitions)))
        return FORAY_ERROR_MEMORY;
    part->unit_next_room = part->unit_next ? part->unit_next : part->unit_next_room;
    return FORAY_OK;
}

foray_status foray_reward_set_minimise(foray_context *ctx, foray_reward *reward, bool minimise)
{
    foray_status status = FORAY_OK;
    if (reward->minimise == minimise)
        return FORAY_OK;
    if (reward->task) {
        reward->minimise = minimise;
        return FORAY_OK;
    }
    for (int64_t s = 0; reward->fixed && s < reward->states; s++)
        reward->fixed[s] = 1 - reward->fixed[s];
    if (reward->fixed) {
        reward->ending = 1 - reward->ending;
        reward->minimise = minimise;
        return FORAY_OK;
    }
    for (int64_t i = 0; i < reward->tables && status == FORAY_OK; i++)
        status = make_room_for_units(ctx, reward, &reward->table[i]);
    if (status == FORAY_OK)
        reward->minimise = minimise;
    for (int64_t i = 0; i < reward->tables; i++)
        if (reward->table[i].unit_pair && (!reward->table[i].next || reward->table[i].unit_next))
            renew_part(reward, &reward->table[i]);
    return status;
}

/* The least and the most of all values. */
static void find_values(const foray_reward *reward, double *min, double *max)
{
    *min = INFINITY;
    *max = -INFINITY;
    for (int64_t i = 0; i < reward->tables; i++) {
        const fy_reward_part *part = &reward->table[i];
        for (int64_t pair = 0; pair < reward->states * reward->actions; pair++) {
            bool ahead = part->next && is_ahead(reward, part, pair);
            int64_t first = ahead ? reward->model->succ_start[pair] : pair;
            int64_t end = ahead ? reward->model->succ_start[pair + 1] : pair + 1;
            for (int64_t j = first; j < end; j++) {
                double value = ahead ? part->next[j] : part->pair[j];
                *min = fmin(*min, value);
                *max = fmax(*max, value);
            }
        }
    }
}

/* Values in the unit of planning, of a range that has become another. */
static foray_status renew_units(foray_context *ctx, foray_reward *reward)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < reward->tables && status == FORAY_OK; i++) {
        status = make_room_for_units(ctx, reward, &reward->table[i]);
        if (status == FORAY_OK)
            renew_part(reward, &reward->table[i]);
    }
    return status;
}

foray_status fy_reward_set_range(foray_context *ctx, foray_reward *reward, double low, double high)
{
    double min, max;
    foray_status status = check_range(ctx, low, high, low);
    find_values(reward, &min, &max);
    if (status == FORAY_OK && !(min >= low && max <= high))
        status = fy_fail(ctx, FORAY_ERROR_INPUT,
                         "the values of some step add up to %.17g, which is not between %.17g and "
                         "%.17g",
                         min >= low ? max : min, low, high);
    if (status != FORAY_OK)
        return status;
    reward->low = low + 0.0;
    reward->high = high + 0.0;
    if (!(reward->fallback >= low && reward->fallback <= high))
        reward->fallback = reward->low;
    return fy_reward_unit_of(reward).own ? renew_units(ctx, reward) : FORAY_OK;
}

foray_status fy_reward_narrow(foray_context *ctx, const foray_reward *reward, foray_reward **out)
{
    foray_reward *copy;
    double min, max;
    *out = NULL;
    find_values(reward, &min, &max);
    max = max > min ? max : min + fmax(1, fabs(min)); /* a range is wider than 0 */
    bool lost = max - min < 1e-3 * (reward->high - reward->low);
    if (!lost || reward->fixed || reward->task || reward->model->unstructured)
        return FORAY_OK;
    foray_status status = fy_reward_copy(ctx, reward, &copy);
    if (status != FORAY_OK)
        return status;
    copy->low = min;
    copy->high = max;
    status = renew_units(ctx, copy);
    if (status == FORAY_OK)
        *out = copy;
    else
        foray_reward_destroy(copy);
    return status;
}

/* Marks states with the value of an episode that stops there. */
static foray_status fix(foray_context *ctx, foray_reward *reward, int64_t count,
                        const int64_t *state, double value)
{
    for (int64_t i = 0; i < count; i++) {
        if (state[i] < 0 || state[i] >= reward->states)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "state %" PRId64 ", but the model has %" PRId64 " states", state[i],
                           reward->states);
        reward->fixed[state[i]] = value;
    }
    return FORAY_OK;
}

foray_status foray_reward_create_reach(foray_context *ctx, const foray_model *model,
                                       const char *name, int64_t reaches, const int64_t *reach,
                                       int64_t avoids, const int64_t *avoid, foray_reward **out)
{
    foray_reward *reward;
    if (reaches + avoids == 0)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "no state to reach or to avoid is given");
    foray_status status = foray_reward_create(ctx, model, name, 0, 1, 0, &reward);
    if (status != FORAY_OK)
        return status;
    if (!FY_NEW(arena_of(ctx, reward), reward->fixed, model->states))
        status = FORAY_ERROR_MEMORY;
    for (int64_t s = 0; status == FORAY_OK && s < model->states; s++)
        reward->fixed[s] = NAN;
    reward->ending = reaches > 0 ? 0 : 1;
    /* A state of both counts as reached: it was not avoided *before*. */
    if (status == FORAY_OK)
        status = fix(ctx, reward, avoids, avoid, 0);
    if (status == FORAY_OK)
        status = fix(ctx, reward, reaches, reach, 1);
    if (status == FORAY_OK)
        *out = reward;
    else
        foray_reward_destroy(reward);
    return status;
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
                                  .stops = reward->fixed || reward->task};
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
    return !reward->fixed && !reward->task && reward->discount == 1 &&
           !fy_reward_looks_ahead(reward);
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
    if (reward->task)
        hash = fy_hash(reward->task->text, strlen(reward->task->text), hash);
    if (!fy_reward_is_plain(reward)) {
        double rest[] = {reward->discount, reward->ending};
        hash = fy_hash(rest, sizeof rest, hash);
    }
    return hash;
}

foray_status fy_reward_check(foray_context *ctx, const foray_reward *reward,
                             const foray_model *model)
{
    foray_status status = fy_reward_check_shape(ctx, reward, model);
    if (status == FORAY_OK && reward->task)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "reward \"%s\" is a task, whose policies remember what has happened: this "
                       "knows only rewards without a memory",
                       reward->name);
    return status;
}

foray_status fy_reward_check_shape(foray_context *ctx, const foray_reward *reward,
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
