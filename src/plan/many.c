/* many.c - planning for many rewards.
 *
 * Plain rewards are taken in groups of FY_LANES, interleaved; one that is left over is planned
 * alone, as are those that look ahead, stop or are discounted. For each group the recursion runs
 * once per mode, and for an interval twice more, to value the policy handed out by the recursions
 * of the other modes, which maximise something else:
 *
 *     V_low^pi <= V^pi <= V_high^pi,   V* - V^pi <= V_bar(mu) - V_low^pi(mu)
 *                                                  (mathematics, "Certificates") */
#include "plan/many.h"
#include "plan/layout.h"
#include "policy/policy.h"
#include "reward/reward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int sign_of_mode[FORAY_MODES] = {
    [FORAY_OPTIMISTIC] = 1, [FORAY_PLUGIN] = 0, [FORAY_PESSIMISTIC] = -1};

/* What planning a group takes; made once, for the widest group. */
typedef struct workspace {
    const foray_model *model;
    int lanes;
    double *value_memory;
    double *value;        /* two layers */
    double *plain;        /* two more: values without bonus where ties go by them */
    int32_t *policy;      /* [states][lanes] of a step, where there are several lanes */
    const double **table; /* [horizon] what the steps of this group use */
    int64_t *first_step;  /* [horizon] of the steps with one interleaved table, the first */
    double **interleaved; /* [horizon] memory of the tables made for this group */
    int64_t tables;       /* how many */
    fy_layout layout;     /* for a reward alone */
} workspace;

static void forget_tables(workspace *work)
{
    for (int64_t i = 0; i < work->tables; i++)
        free(work->interleaved[i]);
    work->tables = 0;
}

static foray_status workspace_create(fy_arena *arena, const foray_model *model, int lanes,
                                     bool ahead, workspace *work)
{
    size_t layer;
    *work = (workspace){.model = model, .lanes = lanes};
    if (!fy_size_mul((size_t)model->states, (size_t)lanes, &layer) || layer > SIZE_MAX / 64)
        return fy_fail(arena->ctx, FORAY_ERROR_MEMORY,
                       "values for %d rewards do not fit into memory", lanes);
    if (!FY_NEW(arena, work->value_memory, 4 * layer + FY_LINE) ||
        !FY_NEW(arena, work->policy, lanes > 1 ? layer : 0) ||
        !FY_NEW(arena, work->table, model->horizon) ||
        !FY_NEW(arena, work->first_step, model->horizon) ||
        !FY_NEW(arena, work->interleaved, model->horizon) ||
        fy_layout_create(arena, model, ahead, &work->layout) != FORAY_OK)
        return FORAY_ERROR_MEMORY;
    fy_pages_widen(work->value_memory, (4 * layer + FY_LINE) * sizeof *work->value_memory);
    work->value = fy_line_start(work->value_memory);
    work->plain = work->value + 2 * layer;
    return FORAY_OK;
}

/* ------------------------------------------------------------- interleaving */

/* Do all rewards of the group have the same tables at both steps? */
static bool same_tables(const foray_reward *const *rewards, int64_t count, int64_t t, int64_t u)
{
    for (int64_t i = 0; i < count; i++)
        if (rewards[i]->table_of_step[t] != rewards[i]->table_of_step[u])
            return false;
    return true;
}

/* The tables of one step side by side, from the first cache line of the memory returned.
 * Lanes without a reward stay 0. */
static double *interleave(foray_context *ctx, const workspace *work,
                          const foray_reward *const *rewards, int64_t count, int64_t t)
{
    double *memory;
    size_t entries;
    if (!fy_size_mul((size_t)work->model->pairs, (size_t)work->lanes, &entries) ||
        entries > SIZE_MAX - FY_LINE) {
        fy_fail(ctx, FORAY_ERROR_MEMORY, "%d rewards do not fit into memory", work->lanes);
        return NULL;
    }
    if (!FY_ALLOC(ctx, memory, entries + FY_LINE))
        return NULL;
    fy_pages_widen(memory, (entries + FY_LINE) * sizeof *memory);
    double *table = fy_line_start(memory);
    const double *from[FY_LANES];
    for (int64_t lane = 0; lane < count; lane++)
        from[lane] = fy_reward_table(rewards[lane], t);
    for (int64_t pair = 0; pair < work->model->pairs; pair++)
        for (int64_t lane = 0; lane < count; lane++)
            table[pair * work->lanes + lane] = from[lane][pair];
    return memory;
}

/* Which of the tables made so far serves step t? If none does, one past them. */
static int64_t find_table(const workspace *work, const foray_reward *const *rewards, int64_t count,
                          int64_t t)
{
    int64_t i = 0;
    while (i < work->tables && !same_tables(rewards, count, t, work->first_step[i]))
        i++;
    return i;
}

/* Steps for which nothing changes share one table: a stationary reward is interleaved once. */
static foray_status interleave_group(foray_context *ctx, workspace *work,
                                     const foray_reward *const *rewards, int64_t count)
{
    forget_tables(work);
    for (int64_t t = 0; t < work->model->horizon; t++) {
        int64_t i = find_table(work, rewards, count, t);
        if (i == work->tables) {
            if (!(work->interleaved[i] = interleave(ctx, work, rewards, count, t)))
                return FORAY_ERROR_MEMORY;
            work->first_step[i] = t;
            work->tables++;
        }
        work->table[t] = fy_line_start(work->interleaved[i]);
    }
    return FORAY_OK;
}

/* A reward alone is used where it lies. */
static foray_status lay_out_reward(foray_context *ctx, workspace *work,
                                   const foray_reward *const *rewards, int64_t count, int lanes,
                                   fy_plan_reward *out)
{
    if (lanes > 1) {
        *out = (fy_plan_reward){.table = work->table, .cap = INFINITY};
        return interleave_group(ctx, work, rewards, count);
    }
    fy_layout_set(&work->layout, rewards[0]);
    *out = work->layout.reward;
    return FORAY_OK;
}

/* ----------------------------------------------------------------- planning */

/* Where the actions of step t lie in each policy. */
static void find_actions(foray_policy *const *policies, int64_t count, int64_t t, int32_t **action)
{
    for (int64_t lane = 0; lane < count; lane++)
        action[lane] = policies[lane]->action + t * policies[lane]->states;
}

/* The actions of step t of every lane: from the policies side by side, and back. */
static void gather_actions(const workspace *work, foray_policy *const *policies, int64_t count,
                           int64_t t)
{
    int32_t *action[FY_LANES];
    find_actions(policies, count, t, action);
    for (int64_t s = 0; s < work->model->states; s++)
        for (int64_t lane = 0; lane < count; lane++)
            work->policy[s * FY_LANES + lane] = action[lane][s];
}

static void scatter_actions(const workspace *work, foray_policy *const *policies, int64_t count,
                            int64_t t)
{
    int32_t *action[FY_LANES];
    find_actions(policies, count, t, action);
    for (int64_t s = 0; s < work->model->states; s++)
        for (int64_t lane = 0; lane < count; lane++)
            action[lane][s] = work->policy[s * FY_LANES + lane];
}

/* What a recursion does with the policies. */
enum { NOTHING, MAKE, FOLLOW };

/* fy_plan; a reward alone writes its policy where it stays, others share a step. */
static void plan_with(const workspace *work, fy_plan_task task, int with,
                      foray_policy *const *policies, int64_t count, double *mean)
{
    foray_context *ctx = task.kernel->ctx;
    bool alone = task.lanes == 1;
    int32_t *action = alone ? policies[0]->action : work->policy;
    task.stepwise = !alone;
    task.policy = with == MAKE ? action : NULL;
    task.follow = with == FOLLOW ? action : NULL;
    fy_plan_begin(&task);
    for (int64_t t = work->model->horizon - 1; t >= 0 && !fy_stopped(ctx); t--) {
        if (with == FOLLOW && !alone)
            gather_actions(work, policies, count, t);
        fy_plan_step(&task, t);
        if (with == MAKE && !alone)
            scatter_actions(work, policies, count, t);
    }
    fy_plan_end(&task, mean);
}

/* V_bar(mu) of every lane. Where the optimistic recursion has made the policy, it took actions that
 * tie up to rounding for equally good: its values bound those of all policies only without that. */
static void bound_all(const workspace *work, fy_plan_task task, int64_t count, foray_mode mode,
                      foray_policy *const *policies, double *max)
{
    task.sign = sign_of_mode[FORAY_OPTIMISTIC];
    if (mode == FORAY_OPTIMISTIC)
        plan_with(work, task, NOTHING, policies, count, max);
    for (int lane = 0; lane < count && mode != FORAY_OPTIMISTIC; lane++)
        max[lane] = policies[lane]->value[FORAY_OPTIMISTIC];
}

/* expected, low and high of every lane's policy. In its own mode, E_mu of the policy is that of the
 * plan; in the other two, a recursion follows it. */
static void value_policies(const workspace *work, fy_plan_task task, int64_t count, foray_mode mode,
                           foray_policy *const *policies)
{
    double own[FORAY_MODES][FY_LANES], max[FY_LANES];
    task.plain = NULL;
    bound_all(work, task, count, mode, policies, max);
    for (foray_mode m = 0; m < FORAY_MODES; m++) {
        task.sign = sign_of_mode[m];
        if (m != mode)
            plan_with(work, task, FOLLOW, policies, count, own[m]);
        for (int lane = 0; lane < count && m == mode; lane++)
            own[m][lane] = policies[lane]->value[m];
    }
    for (int lane = 0; lane < count; lane++) {
        foray_policy *policy = policies[lane];
        policy->expected = own[FORAY_PLUGIN][lane];
        policy->low = own[FORAY_PESSIMISTIC][lane];
        policy->high = fmin(own[FORAY_OPTIMISTIC][lane], max[lane]);
        policy->certificate.gap = fmax(0, max[lane] - policy->low);
    }
}

/* One group: three recursions, and those that value the policy. */
static void plan_group(const workspace *work, fy_plan_task task, const fy_plan_order *order,
                       int64_t count, foray_policy *const *policies)
{
    for (foray_mode m = 0; m < FORAY_MODES; m++) {
        double mean[FY_LANES];
        if (order->alone && m != order->mode)
            continue;
        task.sign = sign_of_mode[m];
        task.plain = m == order->mode && m == FORAY_PESSIMISTIC ? work->plain : NULL;
        plan_with(work, task, m == order->mode ? MAKE : NOTHING, policies, count, mean);
        for (int lane = 0; lane < count; lane++)
            policies[lane]->value[m] = mean[lane];
    }
    if (order->interval)
        value_policies(work, task, count, order->mode, policies);
}

/* How many of the rewards from here on can be planned together. */
static int64_t group_size(const foray_reward *const *rewards, int64_t left)
{
    int64_t size = 0;
    while (size < left && size < FY_LANES && fy_reward_is_plain(rewards[size]))
        size++;
    return size > 0 ? size : 1;
}

static foray_status plan_all(foray_context *ctx, workspace *work, const fy_plan_order *order,
                             int64_t count, const foray_reward *const *rewards,
                             foray_policy *const *policies)
{
    fy_plan_task task = {.kernel = order->kernel,
                         .clip = order->clip,
                         .ties = order->ties,
                         .layers = 2,
                         .value = work->value};
    for (int64_t i = 0, group; i < count; i += group) {
        group = group_size(rewards + i, count - i);
        task.lanes = group == 1 ? 1 : FY_LANES;
        foray_status status =
            lay_out_reward(ctx, work, rewards + i, group, task.lanes, &task.reward);
        if (status < 0)
            return status;
        plan_group(work, task, order, group, policies + i);
    }
    return FORAY_OK;
}

foray_status fy_plan_rewards(foray_context *ctx, const fy_plan_order *order, int64_t count,
                             const foray_reward *const *rewards, foray_policy **policies)
{
    const foray_model *model = order->kernel->basis->model;
    fy_arena arena = {.ctx = ctx};
    workspace work;
    bool ahead = false;
    for (int64_t i = 0; i < count; i++)
        ahead |= fy_reward_looks_ahead(rewards[i]);
    foray_status status = fy_policies_create(ctx, model, order->mode, count, policies);
    if (status != FORAY_OK)
        return status;
    status = workspace_create(&arena, model, count > 1 ? FY_LANES : 1, ahead, &work);
    if (status == FORAY_OK) {
        status = plan_all(ctx, &work, order, count, rewards, policies);
        forget_tables(&work);
    }
    fy_arena_release(&arena);
    if (status != FORAY_OK)
        fy_policies_destroy(count, policies);
    return status;
}
