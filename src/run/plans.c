/* plans.c - plans that a run keeps, its trace, and the counts of earlier that refits rest on. */
#include "run/run.h"
#include "policy/policy.h"
#include "reward/reward.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- keeping */

/* Of the states that an explorer can get to; a policy has nothing for others. */
static int64_t policy_entries(const foray_explorer *explorer)
{
    return explorer->model->horizon * fy_begun(explorer->model);
}

/* own: of the world's own reward, the number under which it is stored; else 0. */
static foray_status put_row(foray_run *run, int64_t id, const foray_reward *reward,
                            const foray_policy *policy, int64_t own, size_t reward_bytes,
                            size_t policy_bytes)
{
    fy_row row;
    fy_row_prepare(&row, run->store, "plans",
                   "INSERT INTO plan(id, episodes, reward, mode, optimistic, plugin, pessimistic,"
                   " expected, low, high, gap, delta, radius, bound, status, own, reward_bytes,"
                   " policy_bytes, crc) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
                   " ?13, ?14, ?15, ?16, ?17, ?18, ?19)");
    fy_row_put_int(&row, id);
    fy_row_put_int(&row, run->explorer->episodes);
    fy_row_put_text(&row, foray_reward_name(reward));
    fy_row_put_text(&row, foray_mode_name(policy->mode));
    for (int mode = 0; mode < FORAY_MODES; mode++)
        fy_row_put_real(&row, policy->value[mode]);
    fy_row_put_real(&row, policy->expected);
    fy_row_put_real(&row, policy->low);
    fy_row_put_real(&row, policy->high);
    fy_row_put_real(&row, policy->certificate.gap);
    fy_row_put_real(&row, policy->certificate.delta);
    fy_row_put_int(&row, policy->certificate.radius);
    fy_row_put_int(&row, policy->certificate.bound);
    fy_row_put_int(&row, policy->certificate.status);
    fy_row_put_int(&row, own);
    fy_row_put_int(&row, (int64_t)reward_bytes);
    fy_row_put_int(&row, (int64_t)policy_bytes);
    return fy_row_insert(&row);
}

static foray_status put_policy(foray_run *run, int64_t id, const foray_policy *policy,
                               size_t *bytes)
{
    int width = fy_width_for(run->codec.actions);
    int64_t count = policy->horizon * fy_policy_covered(policy);
    *bytes = (size_t)count * (size_t)width;
    uint8_t *packed = fy_alloc(run->ctx, *bytes, 1);
    if (!packed)
        return FORAY_ERROR_MEMORY;
    fy_put_narrow(policy->action, count, width, packed);
    foray_status status = fy_store_put_pieces(run->store, "policy", id, packed, *bytes);
    free(packed);
    return status;
}

static foray_status put_plan(foray_run *run, int64_t id, const foray_reward *reward,
                             const foray_policy *policy, int64_t own)
{
    char *json;
    foray_status status = foray_reward_print(run->ctx, reward, &json, NULL);
    if (status != FORAY_OK)
        return status;
    size_t policy_bytes = 0;
    status = fy_store_put_pieces(run->store, "reward", id, json, strlen(json));
    if (status == FORAY_OK)
        status = put_policy(run, id, policy, &policy_bytes);
    if (status == FORAY_OK)
        status = put_row(run, id, reward, policy, own, strlen(json), policy_bytes);
    free(json);
    return status;
}

/* All of them in one transaction, with the episodes that they were made from. */
foray_status fy_run_keep_plans(foray_run *run, int64_t count, const foray_reward *const *rewards,
                               foray_policy *const *policies, int64_t own)
{
    foray_status status = fy_store_begin(run->store, true);
    if (status != FORAY_OK)
        return status;
    fy_head head = run->store->head;
    status = fy_run_put_recorded(run, &head);
    for (int64_t i = 0; status == FORAY_OK && i < count; i++)
        status = put_plan(run, head.plans++, rewards[i], policies[i], own);
    if (status != FORAY_OK) {
        fy_store_rollback(run->store);
        return status;
    }
    status = fy_store_commit(run->store, &head);
    if (status == FORAY_OK)
        fy_run_recorded_is_saved(run);
    return status;
}

foray_status foray_run_plan(foray_run *run, int64_t count, const foray_reward *const *rewards,
                            foray_mode mode, foray_policy **policies)
{
    foray_status status = fy_run_writable(run);
    if (status != FORAY_OK || count == 0)
        return status;
    status = foray_explorer_plan(run->explorer, count, rewards, mode, policies);
    if (status != FORAY_OK)
        return status;
    status = fy_run_keep_plans(run, count, rewards, policies, 0);
    if (status != FORAY_OK)
        fy_policies_destroy(count, policies);
    return status;
}

foray_status foray_run_complete_policy(foray_run *run, const foray_reward *reward,
                                       foray_policy *policy)
{
    foray_status status = foray_policy_complete(run->ctx, policy, run->model, reward);
    if (status != FORAY_OK)
        return status;
    foray_policy_about *about = policy->about;
    status = fy_policy_copy_text(run->ctx, policy, &about->world, run->world);
    if (status == FORAY_OK)
        status = fy_policy_copy_text(run->ctx, policy, &about->algorithm, run->settings.algorithm);
    about->episodes = run->explorer->episodes;
    about->seed = run->settings.seed;
    return status;
}

/* ----------------------------------------------------------------- reading */

typedef struct stored_plan {
    int64_t id, episodes, own;
    size_t reward_bytes, policy_bytes;
    char *name;
    foray_policy policy;
} stored_plan;

/* FORAY_MODES: none is called so. */
static foray_mode mode_of(const char *name)
{
    foray_mode mode = FORAY_OPTIMISTIC;
    while (mode < FORAY_MODES && strcmp(foray_mode_name(mode), name) != 0)
        mode++;
    return mode;
}

/* One of few; -1 is none of them, nor is what would be one after a cast. */
static int next_choice(fy_row *row)
{
    int64_t number = fy_row_int(row);
    return number >= 0 && number <= INT8_MAX ? (int)number : -1;
}

static bool next_plan(foray_run *run, fy_row *row, stored_plan *out)
{
    *out = (stored_plan){0};
    if (!fy_row_next(row))
        return false;
    foray_policy *policy = &out->policy;
    policy->states = run->model->states;
    policy->actions = run->codec.actions;
    policy->horizon = run->codec.horizon;
    out->id = fy_row_int(row);
    out->episodes = fy_row_int(row);
    out->name = fy_text(run->ctx, fy_row_text(row));
    policy->mode = mode_of(fy_row_text(row));
    for (int mode = 0; mode < FORAY_MODES; mode++)
        policy->value[mode] = fy_row_real(row);
    policy->expected = fy_row_real(row);
    policy->low = fy_row_real(row);
    policy->high = fy_row_real(row);
    policy->certificate.gap = fy_row_real(row);
    policy->certificate.delta = fy_row_real(row);
    policy->certificate.radius = (foray_radius)next_choice(row);
    policy->certificate.bound = (foray_bound)next_choice(row);
    policy->certificate.status = (foray_proof_status)next_choice(row);
    out->own = fy_row_int(row);
    out->reward_bytes = (size_t)fy_row_int(row);
    out->policy_bytes = (size_t)fy_row_int(row);
    if (fy_row_intact(row) && policy->mode == FORAY_MODES)
        row->damaged = true;
    return !row->damaged;
}

/* Checksums find damage, not lies: a plan says what no plan can say. */
static bool is_possible(const foray_run *run, const stored_plan *plan)
{
    const foray_policy *policy = &plan->policy;
    const foray_certificate *certificate = &policy->certificate;
    return !isinf(policy->expected) && !isinf(policy->low) && !isinf(policy->high) &&
           !(policy->low > policy->high) && plan->episodes >= 0 &&
           plan->episodes <= run->store->head.episodes && plan->own >= 0 &&
           plan->own <= run->own_id && certificate->gap >= 0 && certificate->delta >= 0 &&
           certificate->delta <= 1 && foray_radius_name(certificate->radius) != NULL &&
           certificate->bound >= FORAY_BOUND_NONE && certificate->bound <= FORAY_BOUND_EXACT &&
           certificate->status >= FORAY_UNCERTIFIED && certificate->status <= FORAY_REFUTED;
}

/* Values lie in [0,H], or what that is in the reward's unit, but for rounding. */
static bool are_values(const foray_policy *policy, const fy_reward_unit *unit)
{
    double one = unit->offset, other = unit->offset + unit->slope * unit->max;
    double off = unit->own ? 1e-9 * (fabs(one) + fabs(other)) : 0;
    bool possible = true;
    for (int mode = 0; mode < FORAY_MODES; mode++)
        possible = possible && policy->value[mode] >= fmin(one, other) - off &&
                   policy->value[mode] <= fmax(one, other) + 1e-9 * unit->max + off;
    return possible;
}

/* Its reward is one for this model, of the name that the plan says, and its values are possible. */
static foray_status take_reward(foray_run *run, stored_plan *plan, const char *json,
                                foray_reward **out)
{
    foray_reward *reward = NULL;
    foray_status status =
        foray_reward_parse(run->ctx, run->model, json, plan->reward_bytes, "its reward", &reward);
    if (status == FORAY_ERROR_MEMORY)
        return status;
    bool same = status == FORAY_OK && strcmp(foray_reward_name(reward), plan->name) == 0;
    bool possible = true;
    if (status == FORAY_OK) {
        fy_reward_unit unit = fy_reward_unit_of(reward);
        possible = are_values(&plan->policy, &unit);
        fy_certificate_classify(&plan->policy.certificate, fabs(unit.slope) * unit.max);
    }
    if (same && possible) {
        *out = reward;
        return FORAY_OK;
    }
    foray_reward_destroy(reward);
    if (!possible)
        return fy_store_damaged(run->store, "plan %" PRId64 " contains impossible values",
                                plan->id);
    return fy_store_damaged(run->store, "plan %" PRId64 " is for an impossible reward", plan->id);
}

/* `explorer`: the run's, or what it is where a task is planned for. */
static foray_status get_policy(foray_run *run, const foray_explorer *explorer, stored_plan *plan)
{
    int64_t count = policy_entries(explorer);
    int width = fy_width_for(run->codec.actions);
    if (plan->policy_bytes != (size_t)count * (size_t)width)
        return fy_store_damaged(run->store, "plan %" PRId64 " has the wrong size", plan->id);
    const foray_model *part = explorer->part;
    if (!FY_ALLOC(run->ctx, plan->policy.action, count) ||
        (part && !FY_ALLOC(run->ctx, plan->policy.state, fy_begun(part))))
        return FORAY_ERROR_MEMORY;
    if (part)
        fy_policy_cover(part, plan->policy.state);
    plan->policy.covered = fy_begun(explorer->model);
    plan->policy.memory = (foray_policy_memory *)explorer->model->memory;
    if (plan->policy.memory)
        plan->policy.states *= plan->policy.memory->states;
    uint8_t *packed;
    foray_status status =
        fy_store_get_pieces(run->store, "policy", plan->id, plan->policy_bytes, &packed);
    if (status != FORAY_OK)
        return status;
    if (!fy_get_narrow(packed, count, width, run->codec.actions, plan->policy.action))
        status =
            fy_store_damaged(run->store, "plan %" PRId64 " has an action out of range", plan->id);
    free(packed);
    return status;
}

/* Reads the rest of a plan and hands it over; *stopped: enough of them. */
static foray_status tell_plan(foray_run *run, stored_plan *plan, foray_plan_fn fn, void *user,
                              bool *stopped)
{
    if (!plan->name)
        return FORAY_ERROR_MEMORY;
    if (!is_possible(run, plan))
        return fy_store_damaged(run->store, "plan %" PRId64 " contains impossible values",
                                plan->id);
    uint8_t *json;
    foray_status status =
        fy_store_get_pieces(run->store, "reward", plan->id, plan->reward_bytes, &json);
    if (status != FORAY_OK)
        return status;
    foray_reward *reward = NULL;
    foray_explorer *in = run->explorer;
    status = take_reward(run, plan, (const char *)json, &reward);
    const foray_reward *const rewards[] = {reward};
    if (status == FORAY_OK)
        status = fy_explorer_enter(run->explorer, 1, rewards, 0, NULL, false, &in);
    if (status == FORAY_OK)
        status = get_policy(run, in, plan);
    if (status == FORAY_OK)
        *stopped = !fn(user, plan->id, plan->episodes, plan->name, (char *)json, &plan->policy);
    plan->policy.memory = NULL; /* the product's */
    fy_explorer_leave(run->explorer, in);
    foray_reward_destroy(reward);
    free(json);
    return status;
}

foray_status fy_run_plans_between(foray_run *run, int64_t first, int64_t end, foray_plan_fn fn,
                                  void *user)
{
    fy_row row;
    foray_status status = FORAY_OK;
    fy_row_prepare(&row, run->store, "plans",
                   "SELECT id, episodes, reward, mode, optimistic, plugin, pessimistic, expected,"
                   " low, high, gap, delta, radius, bound, status, own, reward_bytes,"
                   " policy_bytes, crc FROM plan WHERE id >= ?1 AND id < ?2 ORDER BY id");
    fy_row_bind_int(&row, 1, first);
    fy_row_bind_int(&row, 2, end);
    bool stopped = false;
    int64_t next = first, episodes = 0;
    stored_plan plan = {0};
    while (status == FORAY_OK && !stopped && next_plan(run, &row, &plan)) {
        if (plan.id != next++ || plan.episodes < episodes)
            status = fy_store_damaged(run->store, "plan %" PRId64 " is out of order", plan.id);
        else
            status = tell_plan(run, &plan, fn, user, &stopped);
        episodes = plan.episodes;
        free(plan.name);
        free(plan.policy.action);
        free(plan.policy.state);
        plan = (stored_plan){0};
    }
    free(plan.name);
    foray_status ended = fy_row_end(&row);
    if (status == FORAY_OK && ended == FORAY_OK && !stopped && next != end)
        status = fy_store_damaged(run->store, "a plan is missing");
    return status != FORAY_OK ? status : ended;
}

foray_status foray_run_plans(foray_run *run, foray_plan_fn fn, void *user)
{
    return fy_run_plans_between(run, 0, run->store->head.plans, fn, user);
}

/* ------------------------------------------------------------------- trace */

/* May this point follow that one? Episodes go on, plans do not become fewer. */
static bool may_follow(const foray_run *run, const fy_point *point, const fy_point *last)
{
    return point->episodes > last->episodes && point->episodes <= run->store->head.episodes &&
           point->plans >= last->plans && (point->bound >= 0 || isnan(point->bound));
}

/* What is saved, then what will be with the next transaction. */
foray_status foray_run_trace(foray_run *run, foray_trace_fn fn, void *user)
{
    fy_row row;
    fy_row_prepare(&row, run->store, "trace",
                   "SELECT episodes, plans, bound, crc FROM trace ORDER BY episodes LIMIT ?1");
    fy_row_bind_int(&row, 1, run->store->head.points);
    bool more = true, possible = true;
    int64_t count = 0;
    fy_point point, last = {.episodes = -1};
    for (; more && possible && fy_row_next(&row); count++) {
        point.episodes = fy_row_int(&row);
        point.plans = fy_row_int(&row);
        point.bound = fy_row_real(&row);
        if (!fy_row_intact(&row))
            continue;
        possible = may_follow(run, &point, &last);
        more = possible && fn(user, point.episodes, point.plans, point.bound);
        last = point;
    }
    foray_status status = fy_row_end(&row);
    if (status == FORAY_OK && !possible)
        status = fy_store_damaged(run->store, "its trace is impossible after %" PRId64 " episodes",
                                  point.episodes);
    if (status == FORAY_OK && more && count != run->store->head.points)
        status = fy_store_damaged(run->store, "a point of its trace is missing");
    for (int64_t i = 0; status == FORAY_OK && more && i < run->points; i++)
        more = fn(user, run->pending[i].episodes, run->pending[i].plans, run->pending[i].bound);
    return status;
}

/* ------------------------------------------------------------------ refits */

/* No exploration keeps the counts of earlier, and the record of a run has them. */
typedef struct history {
    fy_arena arena;
    const foray_run *run;
    const foray_explorer *explorer;
    int64_t *seen;                      /* [transitions] so far */
    int64_t count, number[FY_EARLIERS]; /* j, */
    int64_t after[FY_EARLIERS];         /* 4^j, falling, and */
    int64_t *then[FY_EARLIERS];         /* [transitions] seen after so many episodes */
} history;

/* The latest 4^j < episodes, j >= 1. */
static void choose_times(history *h, int64_t episodes)
{
    int64_t j = 0;
    while (j < 31 && ((int64_t)4 << (2 * j)) < episodes)
        j++;
    for (; j >= 1 && h->count < FY_EARLIERS; j--) {
        h->number[h->count] = j;
        h->after[h->count++] = (int64_t)1 << (2 * j);
    }
}

static foray_status count_episode(void *user, int64_t episode, const int32_t *states,
                                  const int32_t *actions)
{
    history *h = user;
    const foray_model *model = h->explorer->model;
    int64_t transitions = model->succ_start[model->pairs];
    for (int64_t t = 0; t < h->run->codec.horizon && actions[t] >= 0; t++) {
        const int32_t *here = states + h->run->codec.stride * t;
        int64_t pair = fy_inside(model, here[0]) * model->actions + actions[t];
        int64_t j = fy_model_find(model, pair, fy_inside(model, here[1]));
        if (j >= 0)
            h->seen[model->succ_start[pair] + j]++;
    }
    for (int64_t i = 0; i < h->count; i++)
        if (h->after[i] == episode + 1)
            memcpy(h->then[i], h->seen, (size_t)transitions * sizeof *h->seen);
    return episode + 1 < h->after[0] ? FORAY_OK : FORAY_INTERRUPTED;
}

static foray_status find_counts(foray_run *run, history *h)
{
    const foray_model *model = h->explorer->model;
    int64_t transitions = model->succ_start[model->pairs];
    if (h->count == 0)
        return FORAY_OK;
    if (!FY_NEW(&h->arena, h->seen, transitions))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < h->count; i++)
        if (!FY_NEW(&h->arena, h->then[i], transitions))
            return FORAY_ERROR_MEMORY;
    foray_status status = fy_run_each(run, 0, count_episode, h);
    return status == FORAY_INTERRUPTED ? FORAY_OK : status;
}

foray_status fy_run_refit(foray_run *run, foray_explorer *explorer)
{
    history h = {.arena.ctx = run->ctx, .run = run, .explorer = explorer};
    fy_certifier *sets;
    foray_status status = fy_explorer_need_sets(explorer, &sets);
    choose_times(&h, explorer->episodes);
    if (status == FORAY_OK)
        status = find_counts(run, &h);
    if (status == FORAY_OK)
        status = fy_explorer_refit(explorer, h.count, h.number, h.then);
    fy_arena_release(&h.arena);
    return status;
}

foray_status fy_run_certify_by_refit(foray_run *run)
{
    if (run->codec.recorded)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE,
                       "%s: learnt from recorded data: refits hold for episodes in the order in "
                       "which they happened, which cannot be checked",
                       run->store->path);
    if (run->explorer->step >= 0 || run->explorer->episodes != run->store->head.episodes)
        return fy_fail(run->ctx, FORAY_ERROR_USAGE, "%s: save what was explored before refitting",
                       run->store->path);
    return fy_run_refit(run, run->explorer);
}
