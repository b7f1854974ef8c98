/* plans.c - plans that a run keeps, and its trace. */
#include "plan/policy.h"
#include "plan/reward.h"
#include "run/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- keeping */

static int64_t policy_entries(const foray_run *run)
{
    return run->codec.horizon * run->codec.states;
}

static foray_status put_row(foray_run *run, int64_t id, const foray_reward *reward,
                            const foray_policy *policy, size_t reward_bytes, size_t policy_bytes)
{
    fy_row row;
    fy_row_prepare(&row, run->store, "plans",
                   "INSERT INTO plan(id, episodes, reward, mode, optimistic, plugin, pessimistic,"
                   " expected, low, high, gap, delta, radius, bound, status, reward_bytes,"
                   " policy_bytes, crc) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
                   " ?13, ?14, ?15, ?16, ?17, ?18)");
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
    fy_row_put_int(&row, (int64_t)reward_bytes);
    fy_row_put_int(&row, (int64_t)policy_bytes);
    return fy_row_insert(&row);
}

static foray_status put_policy(foray_run *run, int64_t id, const foray_policy *policy,
                               size_t *bytes)
{
    int width = run->codec.action_bytes;
    *bytes = (size_t)policy_entries(run) * (size_t)width;
    uint8_t *packed = fy_alloc(run->ctx, *bytes, 1);
    if (!packed)
        return FORAY_ERROR_MEMORY;
    fy_pack(policy->action, policy_entries(run), width, packed);
    foray_status status = fy_store_put_pieces(run->store, "policy", id, packed, *bytes);
    free(packed);
    return status;
}

static foray_status put_plan(foray_run *run, int64_t id, const foray_reward *reward,
                             const foray_policy *policy)
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
        status = put_row(run, id, reward, policy, strlen(json), policy_bytes);
    free(json);
    return status;
}

/* All of them in one transaction; the episodes that they were made from are saved before. */
foray_status fy_run_keep_plans(foray_run *run, int64_t count, const foray_reward *const *rewards,
                               foray_policy *const *policies)
{
    foray_status status = fy_run_commit(run, false);
    if (status == FORAY_OK)
        status = fy_store_begin(run->store, true);
    if (status != FORAY_OK)
        return status;
    fy_head head = run->store->head;
    for (int64_t i = 0; status == FORAY_OK && i < count; i++)
        status = put_plan(run, head.plans++, rewards[i], policies[i]);
    if (status == FORAY_OK)
        return fy_store_commit(run->store, &head);
    fy_store_rollback(run->store);
    return status;
}

foray_status foray_run_plan(foray_run *run, int64_t count, const foray_reward *const *rewards,
                            foray_mode mode, foray_policy **policies)
{
    foray_status status = fy_run_writable(run);
    if (status != FORAY_OK || count == 0)
        return status;
    status = fy_run_commit(run, false);
    if (status == FORAY_OK)
        status = foray_explorer_plan(run->explorer, count, rewards, mode, policies);
    if (status != FORAY_OK)
        return status;
    status = fy_run_keep_plans(run, count, rewards, policies);
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
    status = fy_policy_tell(run->ctx, &about->world, run->world);
    if (status == FORAY_OK)
        status = fy_policy_tell(run->ctx, &about->algorithm, run->settings.algorithm);
    about->episodes = run->explorer->episodes;
    about->seed = run->settings.seed;
    return status;
}

/* ----------------------------------------------------------------- reading */

typedef struct stored_plan {
    int64_t id, episodes;
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

static bool next_plan(foray_run *run, fy_row *row, stored_plan *out)
{
    *out = (stored_plan){0};
    if (!fy_row_next(row))
        return false;
    foray_policy *policy = &out->policy;
    policy->states = run->codec.states;
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
    policy->certificate.radius = (foray_radius)fy_row_int(row);
    policy->certificate.bound = (foray_bound)fy_row_int(row);
    policy->certificate.status = (foray_proof_status)fy_row_int(row);
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
           plan->episodes <= run->store->head.episodes && certificate->gap >= 0 &&
           certificate->delta >= 0 && certificate->delta <= 1 &&
           foray_radius_name(certificate->radius) != NULL &&
           certificate->bound >= FORAY_BOUND_NONE && certificate->bound <= FORAY_BOUND_EXACT &&
           certificate->status >= FORAY_UNCERTIFIED && certificate->status <= FORAY_REFUTED;
}

/* Values lie in [0,H], or what that is in the reward's unit, but for rounding. */
static bool are_values(const foray_policy *policy, const fy_reward_unit *unit)
{
    double one = unit->offset, other = unit->offset + unit->slope * unit->most;
    double off = unit->own ? 1e-9 * (fabs(one) + fabs(other)) : 0;
    bool possible = true;
    for (int mode = 0; mode < FORAY_MODES; mode++)
        possible = possible && policy->value[mode] >= fmin(one, other) - off &&
                   policy->value[mode] <= fmax(one, other) + 1e-9 * unit->most + off;
    return possible;
}

/* Its reward is one for this model, of the name that the plan says, and its values are possible. */
static foray_status check_reward(foray_run *run, stored_plan *plan, const char *json)
{
    foray_reward *reward;
    foray_status status =
        foray_reward_parse(run->ctx, run->model, json, plan->reward_bytes, "its reward", &reward);
    if (status == FORAY_ERROR_MEMORY)
        return status;
    bool same = status == FORAY_OK && strcmp(foray_reward_name(reward), plan->name) == 0;
    bool possible = true;
    if (status == FORAY_OK) {
        fy_reward_unit unit = fy_reward_unit_of(reward);
        possible = are_values(&plan->policy, &unit);
        fy_certificate_judge(&plan->policy.certificate, fabs(unit.slope) * unit.most);
        foray_reward_destroy(reward);
    }
    if (!possible)
        return fy_store_damaged(run->store, "plan %" PRId64 " contains impossible values",
                                plan->id);
    if (same)
        return FORAY_OK;
    return fy_store_damaged(run->store, "plan %" PRId64 " is for an impossible reward", plan->id);
}

static foray_status get_policy(foray_run *run, stored_plan *plan)
{
    int64_t count = policy_entries(run);
    int width = run->codec.action_bytes;
    if (plan->policy_bytes != (size_t)count * (size_t)width)
        return fy_store_damaged(run->store, "plan %" PRId64 " has the wrong size", plan->id);
    if (!FY_ALLOC(run->ctx, plan->policy.action, count))
        return FORAY_ERROR_MEMORY;
    uint8_t *packed;
    foray_status status =
        fy_store_get_pieces(run->store, "policy", plan->id, plan->policy_bytes, &packed);
    if (status != FORAY_OK)
        return status;
    if (!fy_unpack(packed, count, width, run->codec.actions, plan->policy.action))
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
    status = check_reward(run, plan, (const char *)json);
    if (status == FORAY_OK)
        status = get_policy(run, plan);
    if (status == FORAY_OK)
        *stopped = !fn(user, plan->id, plan->episodes, plan->name, (char *)json, &plan->policy);
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
                   " low, high, gap, delta, radius, bound, status, reward_bytes, policy_bytes, crc"
                   " FROM plan WHERE id >= ?1 AND id < ?2 ORDER BY id");
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
