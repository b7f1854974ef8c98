/* errors.c - the recursion for the upper bounds on errors, in full and for what changed. */
#include "explore/tabular/errors.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"

/* The width of a pair never visited: beyond any clip, yet 0 times it is 0, so that a
 * step with range 0 has no error, visited or not. */
static const double unknown = 1e150;

/* Else a plan in every episode, as in the papers. */
static bool doubling(const fy_errors *errors)
{
    return errors->settings->replan == FORAY_REPLAN_DOUBLING;
}

/* Is there a plan that is older than the counts? */
static bool keeps_plan(const fy_errors *errors)
{
    return doubling(errors) || errors->settings->plan_every > 1;
}

/* --------------------------------------------------------------- initialise */

static foray_status create_tables(fy_arena *arena, fy_errors *errors)
{
    const foray_model *model = errors->model;
    int64_t counted = errors->counts->layers * model->pairs;
    size_t entries;
    if (!fy_size_mul((size_t)model->horizon, (size_t)model->pairs, &entries))
        return fy_fail(arena->ctx, FORAY_ERROR_MEMORY,
                       "error bounds of %" PRId64 " pairs are too many", model->pairs);
    bool complete = FY_NEW(arena, errors->range, model->horizon) &&
                    FY_NEW(arena, errors->cap, model->horizon) &&
                    FY_NEW(arena, errors->bonus, counted) &&
                    FY_NEW(arena, errors->share, counted) && FY_NEW(arena, errors->raw, entries) &&
                    FY_NEW(arena, errors->value, (model->horizon + 1) * model->states) &&
                    FY_NEW(arena, errors->planned, keeps_plan(errors) ? counted : 0) &&
                    FY_NEW(arena, errors->scratch, 2 * model->states);
    /* Pairs that do not exist are never the largest, and never recomputed. */
    for (int64_t i = 0; complete && model->stand_in && i < (int64_t)entries; i++)
        errors->raw[i] = fy_available(model, i % model->pairs) ? 0.0 : -INFINITY;
    return complete ? FORAY_OK : FORAY_ERROR_MEMORY;
}

static foray_status create_lists(fy_arena *arena, fy_errors *errors)
{
    const foray_model *model = errors->model;
    int64_t transitions = errors->counts->transitions;
    bool complete = FY_NEW(arena, errors->into_start, model->states + 1) &&
                    FY_NEW(arena, errors->into, transitions) &&
                    FY_NEW(arena, errors->into_pair, transitions) &&
                    FY_NEW(arena, errors->visited, model->horizon) &&
                    FY_NEW(arena, errors->pair_list, model->pairs) &&
                    FY_NEW(arena, errors->state_list, model->states) &&
                    FY_NEW(arena, errors->changed, model->states) &&
                    FY_NEW(arena, errors->pair_is_listed, model->pairs) &&
                    FY_NEW(arena, errors->state_is_listed, model->states);
    return complete ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* Sorts transitions by the state they lead to: count, sum up, fill from the back. */
static void find_predecessors(fy_errors *errors)
{
    const foray_model *model = errors->model;
    int64_t *start = errors->into_start;
    for (int64_t i = 0; i < errors->counts->transitions; i++)
        start[model->succ[i]]++;
    for (int64_t s = 0; s < model->states; s++)
        start[s + 1] += start[s];
    for (int64_t pair = model->pairs - 1; pair >= 0; pair--)
        for (int64_t i = model->succ_start[pair + 1] - 1; i >= model->succ_start[pair]; i--) {
            int64_t at = --start[model->succ[i]];
            errors->into[at] = i;
            errors->into_pair[at] = (int32_t)pair;
        }
}

foray_status fy_errors_create(foray_explorer *explorer)
{
    const foray_model *model = explorer->model;
    fy_arena *arena = &explorer->arena;
    fy_errors *errors;
    if (!FY_NEW(arena, errors, 1) || !FY_NEW(arena, explorer->followed, fy_policy_entries(model)))
        return FORAY_ERROR_MEMORY;
    explorer->self = errors;
    errors->ctx = explorer->ctx;
    errors->model = model;
    errors->settings = &explorer->settings;
    errors->action = explorer->followed;
    foray_status status =
        fy_counts_create(arena, model, fy_counts_pooled(explorer), &errors->counts);
    if (status == FORAY_OK)
        status = create_tables(arena, errors);
    if (status == FORAY_OK)
        status = create_lists(arena, errors);
    if (status == FORAY_OK)
        find_predecessors(errors);
    return status;
}

/* ------------------------------------------------------------- the recursion */

/* range_h w(n) + (growth/n) sum_j n_j V_{h+1}(s_j), before clipping. */
static inline double backup(const fy_errors *errors, int64_t t, int64_t pair, const double *next)
{
    const foray_model *model = errors->model;
    const int32_t *succ = model->succ + model->succ_start[pair];
    const double *followed = fy_counts_followed(errors->counts, t, pair);
    int64_t n = model->succ_start[pair + 1] - model->succ_start[pair];
    int64_t at = fy_counts_layer(errors->counts, t) * model->pairs + pair;
    double sum = 0.0;
    for (int64_t j = 0; j < n; j++)
        sum += followed[j] * next[succ[j]];
    return errors->range[t] * errors->bonus[at] + errors->share[at] * sum;
}

/* max_a min{c_h, raw}, and who attains it: ties go to the larger raw, if so set, then
 * to the lower index. */
static inline double best(const fy_errors *errors, int64_t t, const double *raw, int32_t *action)
{
    bool by_raw = errors->settings->ties == FORAY_TIES_UNCLIPPED;
    double cap = errors->cap[t], top = fmin(raw[0], cap), top_raw = raw[0];
    int32_t arg = 0;
    for (int32_t a = 1; a < errors->model->actions; a++) {
        double clipped = fmin(raw[a], cap);
        if (clipped > top || (by_raw && clipped == top && raw[a] > top_raw)) {
            top = clipped;
            top_raw = raw[a];
            arg = a;
        }
    }
    *action = arg;
    return top;
}

/* Sets max_b E_h of a state, and remembers the state if that is another number now. */
static inline void renew_state(fy_errors *errors, int64_t t, int32_t state)
{
    const foray_model *model = errors->model;
    int64_t at = t * model->states + state;
    const double *raw = errors->raw + t * model->pairs + state * model->actions;
    double renewed = best(errors, t, raw, errors->action + at);
    if (renewed != errors->value[at])
        errors->changed[errors->changes++] = state;
    errors->value[at] = renewed;
}

/* A step in full. */
static void sweep_step(fy_errors *errors, int64_t t)
{
    const foray_model *model = errors->model;
    const double *next = errors->value + (t + 1) * model->states;
    double *raw = errors->raw + t * model->pairs;
    errors->changes = 0;
    for (int64_t k = 0; k < model->available && !fy_stopped_at(errors->ctx, k); k++) {
        int64_t pair = fy_existing(model, k);
        raw[pair] = backup(errors, t, pair, next);
    }
    for (int32_t s = 0; s < model->states && !fy_was_stopped(errors->ctx); s++)
        renew_state(errors, t, s);
}

void fy_errors_sweep(fy_errors *errors)
{
    for (int64_t t = errors->model->horizon - 1; t >= 0; t--)
        sweep_step(errors, t);
}

/* ------------------------------------------------- the recursion, what changed */

static inline void list_pair(fy_errors *errors, int32_t pair)
{
    if (errors->pair_is_listed[pair])
        return;
    errors->pair_is_listed[pair] = true;
    errors->pair_list[errors->pairs_listed++] = pair;
}

static inline void list_state(fy_errors *errors, int32_t state)
{
    if (errors->state_is_listed[state])
        return;
    errors->state_is_listed[state] = true;
    errors->state_list[errors->states_listed++] = state;
}

/* A step, given which values of the next one changed. Going through all pairs in order is
 * some four times as quick per pair as picking them out. */
static void renew_step(fy_errors *errors, int64_t t)
{
    const foray_model *model = errors->model;
    const double *next = errors->value + (t + 1) * model->states;
    const double *followed = fy_counts_followed(errors->counts, t, 0);
    double *raw = errors->raw + t * model->pairs;
    if (errors->changes * 4 > model->states) {
        sweep_step(errors, t);
        return;
    }
    /* Pairs whose counts changed at step t: the one of this step, or when pooled all. */
    bool pooled = errors->counts->layers == 1;
    for (int64_t i = pooled ? 0 : t; i < (pooled ? model->horizon : t + 1); i++)
        list_pair(errors, errors->visited[i]);
    /* Pairs that were followed at step t by a state whose value at t+1 changed. */
    for (int64_t c = 0; c < errors->changes; c++) {
        int32_t state = errors->changed[c];
        for (int64_t i = errors->into_start[state]; i < errors->into_start[state + 1]; i++)
            if (followed[errors->into[i]] > 0.0)
                list_pair(errors, errors->into_pair[i]);
    }
    for (int64_t i = 0; i < errors->pairs_listed; i++) {
        int32_t pair = errors->pair_list[i];
        raw[pair] = backup(errors, t, pair, next);
        errors->pair_is_listed[pair] = false;
        list_state(errors, pair / (int32_t)model->actions);
    }
    errors->changes = 0;
    for (int64_t i = 0; i < errors->states_listed; i++) {
        errors->state_is_listed[errors->state_list[i]] = false;
        renew_state(errors, t, errors->state_list[i]);
    }
    errors->pairs_listed = errors->states_listed = 0;
}

static void renew(fy_errors *errors)
{
    errors->changes = 0;
    for (int64_t t = errors->model->horizon - 1; t >= 0 && !fy_stopped(errors->ctx); t--)
        renew_step(errors, t);
}

/* ------------------------------------------------------------------ episodes */

/* What follows from a count alone. */
static void weigh(foray_explorer *explorer, int64_t at)
{
    fy_errors *errors = explorer->self;
    double visits = errors->counts->visits[at];
    bool known = visits > 0.0;
    errors->bonus[at] = known ? errors->width(explorer, visits) : unknown;
    errors->share[at] = known ? errors->growth / visits : 0.0;
}

static void weigh_all(foray_explorer *explorer)
{
    const fy_errors *errors = explorer->self;
    for (int64_t at = 0; at < errors->counts->layers * errors->model->pairs; at++)
        weigh(explorer, at);
}

static void plan_in_full(foray_explorer *explorer)
{
    fy_errors *errors = explorer->self;
    size_t counted = (size_t)(errors->counts->layers * errors->model->pairs);
    fy_errors_sweep(errors);
    if (keeps_plan(errors))
        memcpy(errors->planned, errors->counts->visits, counted * sizeof *errors->planned);
}

void fy_errors_start(foray_explorer *explorer)
{
    weigh_all(explorer);
    plan_in_full(explorer);
    fy_explorer_planned(explorer);
}

void fy_errors_observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    fy_errors *errors = explorer->self;
    int64_t at = fy_counts_layer(errors->counts, t) * errors->model->pairs + pair;
    double growth = 1.0 + errors->settings->replan_growth;
    fy_counts_add(errors->counts, t, pair, j);
    weigh(explorer, at);
    errors->visited[t] = (int32_t)pair;
    if (keeps_plan(errors))
        explorer->stale |=
            !doubling(errors) || errors->counts->visits[at] >= growth * errors->planned[at];
}

/* Every episode: only what changed. Doubling: everything, when some
 * pair has been visited 1 + replan_growth times as often as at the last plan. Every so many
 * episodes: everything. */
void fy_errors_end_episode(foray_explorer *explorer)
{
    fy_errors *errors = explorer->self;
    for (int64_t t = explorer->step; t < errors->model->horizon; t++) /* it was cut off */
        errors->visited[t] = errors->visited[0];
    if (!keeps_plan(errors))
        renew(errors);
    else if (fy_explorer_plan_due(explorer))
        plan_in_full(explorer);
    else
        return;
    fy_explorer_planned(explorer);
}

/* -------------------------------------------------------------------- bounds */

/* With a plan in every episode the tables are those of the counts now. Otherwise the
 * recursion is run beside them, so that asking changes nothing. */
double fy_errors_mean(const foray_explorer *explorer)
{
    const fy_errors *errors = explorer->self;
    const foray_model *model = errors->model;
    double *now = errors->scratch, *next = errors->scratch + model->states;
    if (!keeps_plan(errors)) {
        return fy_initial_mean(model, errors->value);
    }
    memset(next, 0, (size_t)model->states * sizeof *next);
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        for (int64_t s = 0; s < model->states && !fy_stopped_at(explorer->ctx, s); s++) {
            now[s] = 0.0;
            for (int64_t pair = s * model->actions; pair < (s + 1) * model->actions; pair++)
                if (fy_available(model, pair))
                    now[s] = fmax(now[s], backup(errors, t, pair, next));
            now[s] = fmin(now[s], errors->cap[t]);
        }
        double *swap = now;
        now = next;
        next = swap;
    }
    return fy_initial_mean(model, next);
}

static double error_now(const foray_explorer *explorer)
{
    const fy_errors *errors = explorer->self;
    return errors->error(fy_errors_mean(explorer));
}

foray_status fy_errors_plan(foray_explorer *explorer, int64_t count,
                            const foray_reward *const *rewards, foray_mode mode,
                            foray_policy **policies)
{
    const fy_errors *errors = explorer->self;
    return fy_counts_plan(explorer, errors->counts, error_now(explorer), count, rewards, mode,
                          policies);
}

/* No gap is larger than H. */
foray_status fy_errors_bound(foray_explorer *explorer, foray_certificate *out)
{
    double H = (double)explorer->model->horizon;
    *out = fy_counts_certificate(explorer, fmin(H, 2.0 * error_now(explorer)));
    return FORAY_OK;
}

/* ------------------------------------------------------------- save and load */

/* With a plan in every episode all else follows from the counts. */
void fy_errors_save(foray_explorer *explorer, fy_writer *writer)
{
    const fy_errors *errors = explorer->self;
    const foray_model *model = errors->model;
    fy_write_u64(writer, keeps_plan(errors));
    fy_counts_write(errors->counts, writer);
    if (!keeps_plan(errors))
        return;
    fy_write_i32s(writer, errors->action, (size_t)fy_policy_entries(model));
    fy_write_doubles(writer, errors->planned, (size_t)(errors->counts->layers * model->pairs));
}

/* The reader fails on plans made after more visits than there were. */
static void read_plan(foray_explorer *explorer, fy_reader *reader)
{
    fy_errors *errors = explorer->self;
    int64_t counted = errors->counts->layers * errors->model->pairs;
    fy_read_actions(reader, errors->model, errors->action, fy_policy_entries(errors->model));
    fy_read_doubles(reader, errors->planned, (size_t)counted);
    for (int64_t at = 0; at < counted && !reader->failed; at++)
        reader->failed =
            !(errors->planned[at] >= 0.0 && errors->planned[at] <= errors->counts->visits[at]);
}

void fy_errors_load(foray_explorer *explorer, fy_reader *reader)
{
    fy_errors *errors = explorer->self;
    if (fy_read_u64(reader) != keeps_plan(errors))
        reader->failed = true;
    fy_counts_read(errors->counts, reader);
    if (reader->failed)
        return;
    weigh_all(explorer);
    plan_in_full(explorer);
    if (keeps_plan(errors))
        read_plan(explorer, reader);
}
