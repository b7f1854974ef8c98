/* system.c - systems of one's own: every question and every answer is checked here.
 *
 * A state is a point of the box low <= s <= high, or an integer below `states`. Answers
 * that leave the box are moved to its border; those that are not numbers, or not states of a
 * finite system, end what is being done, with a message that says where. */
#include "base/json.h"
#include "system/system.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far from one weights may sum. */
static const double ROUNDING = 1e-9;

/* ------------------------------------------------------------------- the spec */

static foray_status check_size(foray_context *ctx, const char *name, int64_t value, int64_t min,
                               int64_t max)
{
    if (value >= min && value <= max)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_USAGE,
                   "foray_system_spec.%s is %" PRId64 ", but it must be %" PRId64 " to %" PRId64,
                   name, value, min, max);
}

static foray_status check_sizes(foray_context *ctx, const foray_system_spec *spec)
{
    bool finite = spec->states != 0;
    int64_t dimensions = finite ? 1 : FY_MAX_DIMENSIONS;
    foray_status status = check_size(ctx, "states", spec->states, 0, INT32_MAX - 1);
    if (status == FORAY_OK)
        status = check_size(ctx, "dimensions", spec->dimensions, 1, dimensions);
    if (status == FORAY_OK)
        status = check_size(ctx, "actions", spec->actions, 1, INT32_MAX - 1);
    if (status == FORAY_OK)
        status = check_size(ctx, "horizon", spec->horizon, 1, INT32_MAX - 1);
    if (status == FORAY_OK)
        status = check_size(ctx, "simulators", spec->simulators, 0, INT32_MAX - 1);
    if (status == FORAY_OK)
        status = check_size(ctx, "rewards", spec->rewards, 0, INT32_MAX - 1);
    return status;
}

static foray_status check_box(foray_context *ctx, const foray_system_spec *spec)
{
    if (spec->states > 0)
        return FORAY_OK;
    if (!spec->low || !spec->high)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "foray_system_spec.%s is required, but it is NULL",
                       spec->low ? "high" : "low");
    for (int64_t i = 0; i < spec->dimensions; i++)
        if (!(spec->low[i] < spec->high[i]) || !isfinite(spec->high[i] - spec->low[i]))
            return fy_fail(ctx, FORAY_ERROR_USAGE,
                           "dimension %" PRId64
                           " of the box goes from %g to %g: both must be numbers, the "
                           "second larger",
                           i, spec->low[i], spec->high[i]);
    return FORAY_OK;
}

static foray_status check_names(foray_context *ctx, const char *field, const char *const *name,
                                int64_t count)
{
    for (int64_t i = 0; name && i < count; i++) {
        if (!name[i])
            return fy_fail(ctx, FORAY_ERROR_USAGE, "foray_system_spec.%s[%" PRId64 "] is NULL",
                           field, i);
        if (fy_name_check(ctx, name[i]) != FORAY_OK)
            return fy_fail_within(ctx, FORAY_ERROR_USAGE, "foray_system_spec.%s[%" PRId64 "]",
                                  field, i);
    }
    return FORAY_OK;
}

static foray_status check_spec(foray_context *ctx, const foray_system_spec *spec)
{
    if (!spec->name)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "foray_system_spec.name is NULL");
    if (fy_name_check(ctx, spec->name) != FORAY_OK)
        return fy_fail_within(ctx, FORAY_ERROR_USAGE, "foray_system_spec.name");
    foray_status status = check_sizes(ctx, spec);
    if (status == FORAY_OK)
        status = check_box(ctx, spec);
    if (status == FORAY_OK)
        status = check_names(ctx, "dimension_name", spec->dimension_name, spec->dimensions);
    if (status == FORAY_OK)
        status = check_names(ctx, "action_name", spec->action_name, spec->actions);
    if (status == FORAY_OK && spec->rewards > 0 && !spec->reward_name)
        status = fy_fail(ctx, FORAY_ERROR_USAGE, "%" PRId64 " rewards, but reward_name is NULL",
                         spec->rewards);
    if (status == FORAY_OK)
        status = check_names(ctx, "reward_name", spec->reward_name, spec->rewards);
    return status;
}

/* -------------------------------------------------------------------- creation */

/* Names as one block: the pointers, and behind them the texts. NULL stays NULL. */
static bool copy_names(fy_arena *arena, const char *const **names, int64_t count)
{
    const char *const *from = *names;
    size_t size = 0;
    if (!from)
        return true;
    for (int64_t i = 0; i < count; i++)
        size += strlen(from[i]) + 1;
    const char **copy = fy_arena_alloc(arena, (size_t)count * sizeof *copy + size, 1);
    *names = copy;
    if (!copy)
        return false;
    char *at = (char *)(copy + count);
    for (int64_t i = 0; i < count; i++) {
        size = strlen(from[i]) + 1;
        copy[i] = memcpy(at, from[i], size);
        at += size;
    }
    return true;
}

/* The box of a finite system is that of its states: [0, states-1]. */
static bool copy_box(fy_arena *arena, foray_system_spec *spec)
{
    double *low, *high;
    bool room = FY_NEW(arena, low, spec->dimensions);
    room = FY_NEW(arena, high, spec->dimensions) && room;
    for (int64_t i = 0; room && i < spec->dimensions; i++) {
        low[i] = spec->states > 0 ? 0 : spec->low[i];
        high[i] = spec->states > 0 ? (double)(spec->states - 1) : spec->high[i];
    }
    spec->low = low;
    spec->high = high;
    return room;
}

/* Every pointer becomes the system's own, or NULL, whatever fails on the way. */
static bool copy_spec(const foray_system_spec *given, foray_system *system)
{
    foray_system_spec *spec = &system->spec;
    fy_arena *arena = &system->arena;
    memcpy(spec, given, given->size < sizeof *given ? given->size : sizeof *given);
    spec->size = sizeof *spec;
    spec->name = fy_arena_text(arena, given->name);
    bool copied = spec->name != NULL;
    copied = copy_box(arena, spec) && copied;
    copied = copy_names(arena, &spec->dimension_name, spec->dimensions) && copied;
    copied = copy_names(arena, &spec->action_name, spec->actions) && copied;
    return copy_names(arena, &spec->reward_name, spec->rewards) && copied;
}

static foray_status check_weights(foray_context *ctx, const double *weight, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!(weight[i] >= 0 && weight[i] <= 1))
            return fy_fail(ctx, FORAY_ERROR_WORLD, "the weight of simulator %" PRId64 " is %g", i,
                           weight[i]);
        sum += weight[i];
    }
    if (fabs(sum - 1) <= ROUNDING)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_WORLD, "the weights of the simulators sum to %.12g, not to 1",
                   sum);
}

static foray_status take_weights(foray_context *ctx, foray_system *system)
{
    int64_t count = system->spec.simulators;
    if (!system->ops.weights || count == 0)
        return FORAY_OK;
    if (!FY_NEW(&system->arena, system->weight, count))
        return FORAY_ERROR_MEMORY;
    if (system->ops.weights(system->self, system->weight))
        return check_weights(ctx, system->weight, count);
    system->weight = NULL;
    return FORAY_OK;
}

/* `size` says how much of spec and table the caller knows: the rest is 0 or NULL. */
static foray_status check_tables(foray_context *ctx, const foray_system_spec *spec,
                                 const foray_system_ops *ops)
{
    if (spec->size < offsetof(foray_system_spec, dimension_name))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "foray_system_spec.size is %zu, but it must be sizeof(foray_system_spec)",
                       spec->size);
    if (ops->size < offsetof(foray_system_ops, weights))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "foray_system_ops.size is %zu, but it must be sizeof(foray_system_ops)",
                       ops->size);
    if (!ops->reset || !ops->step)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "foray_system_ops.%s is required, but it is NULL",
                       ops->reset ? "step" : "reset");
    return FORAY_OK;
}

static void release(foray_system *system)
{
    fy_arena_release(&system->arena);
    free(system);
}

static foray_status fill_system(foray_context *ctx, const foray_system_spec *spec,
                                const foray_system_ops *ops, void *self, foray_system *system)
{
    system->ctx = system->arena.ctx = ctx;
    system->self = self;
    memcpy(&system->ops, ops, ops->size < sizeof *ops ? ops->size : sizeof *ops);
    if (!copy_spec(spec, system))
        return FORAY_ERROR_MEMORY;
    if (spec->rewards > 0 && !system->ops.reward)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "foray_system_ops.reward is NULL, but the spec names rewards");
    return take_weights(ctx, system);
}

foray_status foray_system_create(foray_context *ctx, const foray_system_spec *spec,
                                 const foray_system_ops *ops, void *self, foray_system **out)
{
    foray_status status = check_tables(ctx, spec, ops);
    foray_system_spec whole = {0};
    if (status == FORAY_OK) {
        memcpy(&whole, spec, spec->size < sizeof whole ? spec->size : sizeof whole);
        status = check_spec(ctx, &whole);
    }
    foray_system *system;
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(ctx, system, 1))
        return FORAY_ERROR_MEMORY;
    status = fill_system(ctx, &whole, ops, self, system);
    if (status != FORAY_OK) {
        release(system);
        return status;
    }
    *out = system;
    return FORAY_OK;
}

void foray_system_destroy(foray_system *system)
{
    if (!system)
        return;
    if (system->ops.destroy)
        system->ops.destroy(system->self);
    release(system);
}

const foray_system_spec *foray_system_describe(const foray_system *system)
{
    return &system->spec;
}

/* --------------------------------------------------------- questions and answers */

static foray_status failed(const foray_system *system, foray_context *ctx, const foray_draw *draw,
                           foray_status status)
{
    const char *cause = system->ops.message ? system->ops.message(system->self) : NULL;
    if (!cause)
        cause = foray_status_text(status);
    return fy_fail(ctx, fy_status_of_world(status), "%s failed in episode %" PRIu64 ", draw %u: %s",
                   system->spec.name, draw->episode, draw->step, cause);
}

/* "speed", or "coordinate 1" where dimensions have no names. */
static foray_status bad_number(const foray_system *system, foray_context *ctx,
                               const foray_draw *draw, int64_t i, double value)
{
    const char *const *name = system->spec.dimension_name;
    char rule[64] = "not a number";
    if (system->spec.states > 0)
        fy_format(rule, sizeof rule, "none of its states, 0 to %" PRId64, system->spec.states - 1);
    return fy_fail(ctx, FORAY_ERROR_WORLD,
                   "%s: in episode %" PRIu64 ", draw %u, coordinate %" PRId64
                   "%s%s%s of the answer is %.17g, "
                   "which is %s",
                   system->spec.name, draw->episode, draw->step, i, name ? " (" : "",
                   name ? name[i] : "", name ? ")" : "", value, rule);
}

/* Moves an answer to the border of the box where it left it. */
static foray_status clip_state(const foray_system *system, foray_context *ctx,
                               const foray_draw *draw, double *state)
{
    const foray_system_spec *spec = &system->spec;
    for (int64_t i = 0; i < spec->dimensions; i++) {
        bool inside = state[i] >= spec->low[i] && state[i] <= spec->high[i];
        bool usable =
            spec->states == 0 ? isfinite(state[i]) : inside && state[i] == floor(state[i]);
        if (!usable)
            return bad_number(system, ctx, draw, i, state[i]);
        if (!inside)
            state[i] = state[i] < spec->low[i] ? spec->low[i] : spec->high[i];
    }
    return FORAY_OK;
}

static foray_status check_state(const foray_system *system, foray_context *ctx, const double *state)
{
    const foray_system_spec *spec = &system->spec;
    for (int64_t i = 0; i < spec->dimensions; i++)
        if (!(state[i] >= spec->low[i] && state[i] <= spec->high[i]) ||
            (spec->states > 0 && state[i] != floor(state[i])))
            return fy_fail(ctx, FORAY_ERROR_USAGE,
                           "coordinate %" PRId64 " of a state is %g, but %s has %s from %g to %g",
                           i, state[i], spec->name, spec->states > 0 ? "integers" : "numbers",
                           spec->low[i], spec->high[i]);
    return FORAY_OK;
}

static foray_status check_action(const foray_system *system, foray_context *ctx, int64_t action)
{
    if ((uint64_t)action < (uint64_t)system->spec.actions)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_USAGE, "action %" PRId64 ", but %s has %" PRId64 " actions",
                   action, system->spec.name, system->spec.actions);
}

static foray_status check_query(const foray_system *system, foray_context *ctx,
                                const foray_system_query *query, const double *state)
{
    if (query->simulator < FORAY_REALITY || query->simulator >= system->spec.simulators)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "simulator %" PRId64 ", but %s has %" PRId64 " simulators", query->simulator,
                       system->spec.name, system->spec.simulators);
    foray_status status = check_action(system, ctx, query->action);
    return status == FORAY_OK ? check_state(system, ctx, state) : status;
}

foray_status fy_system_ask(const foray_system *system, foray_context *ctx, int64_t count,
                           const foray_system_query *query, const double *state, double *next)
{
    int64_t n = system->spec.dimensions;
    foray_status status = FORAY_OK;
    if (system->ops.sequential && count > 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s is sequential: one question at a time, as an episode goes",
                       system->spec.name);
    for (int64_t k = 0; k < count && status == FORAY_OK; k++)
        status = check_query(system, ctx, &query[k], state + k * n);
    if (status != FORAY_OK || count < 1)
        return status;
    /* What a careless system leaves unanswered must not look like an answer. */
    for (int64_t i = 0; i < count * n; i++)
        next[i] = NAN;
    status = system->ops.step(system->self, count, query, state, next);
    if (status != FORAY_OK)
        return failed(system, ctx, &query[0].draw, status);
    for (int64_t k = 0; k < count && status == FORAY_OK; k++)
        status = clip_state(system, ctx, &query[k].draw, next + k * n);
    return status;
}

foray_status foray_system_step(foray_system *system, int64_t count, const foray_system_query *query,
                               const double *state, double *next)
{
    return fy_system_ask(system, system->ctx, count, query, state, next);
}

foray_status fy_system_start(const foray_system *system, foray_context *ctx, const foray_draw *draw,
                             double *state)
{
    for (int64_t i = 0; i < system->spec.dimensions; i++)
        state[i] = NAN;
    foray_status status = system->ops.reset(system->self, draw, state);
    if (status != FORAY_OK)
        return failed(system, ctx, draw, status);
    return clip_state(system, ctx, draw, state);
}

foray_status foray_system_reset(foray_system *system, const foray_draw *draw, double *state)
{
    return fy_system_start(system, system->ctx, draw, state);
}

foray_status fy_system_value(const foray_system *system, foray_context *ctx, int64_t index,
                             const double *state, int64_t action, double *value)
{
    const foray_system_spec *spec = &system->spec;
    if (index < 0 || index >= spec->rewards)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "reward %" PRId64 ", but %s has %" PRId64 " rewards",
                       index, spec->name, spec->rewards);
    foray_status status = check_action(system, ctx, action);
    if (status == FORAY_OK)
        status = check_state(system, ctx, state);
    if (status != FORAY_OK)
        return status;
    double answer = NAN;
    status = system->ops.reward(system->self, index, state, action, &answer);
    const char *cause = system->ops.message ? system->ops.message(system->self) : NULL;
    if (status != FORAY_OK)
        return fy_fail(ctx, fy_status_of_world(status), "%s: reward %s failed: %s", spec->name,
                       spec->reward_name[index], cause ? cause : foray_status_text(status));
    if (!(answer >= 0 && answer <= 1))
        return fy_fail(ctx, FORAY_ERROR_WORLD, "%s: reward %s is %g, but it must lie in [0,1]",
                       spec->name, spec->reward_name[index], answer);
    *value = answer;
    return FORAY_OK;
}
