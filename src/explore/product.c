/* product.c - rewards and policies that need a memory: the explorer's data and sets, in a product
 * of its model with what is to be remembered. That has the same unknowns, so what is known about
 * them is taken over as it is: one event, and every certificate holds. */
#include "explore/explorer.h"
#include "policy/policy.h"
#include "reward/reward.h"

#include <stdlib.h>
#include <string.h>

/* Its plans are those on the sets; without any there is none. */
static foray_status plan_without_sets(foray_explorer *explorer, int64_t count,
                                      const foray_reward *const *rewards, foray_mode mode,
                                      foray_policy **policies)
{
    fy_certifier *sets;
    (void)count;
    (void)rewards;
    (void)mode;
    (void)policies;
    foray_status status = fy_explorer_need_sets(explorer->original, &sets);
    return status != FORAY_OK
               ? fy_fail_within(explorer->ctx, status, "a task")
               : fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                         "tasks are planned for with certificates from likelihoods, and no others");
}

static bool original_regression(foray_explorer *explorer, fy_regression_set *out)
{
    return explorer->original->ops->regression(explorer->original, out);
}

/* Who needs to read an episode, and how. */
typedef struct gathering {
    foray_explorer *view;
    int64_t count;
    fy_task_reader *reader;
} gathering;

static foray_status gather_readers(gathering *g, int64_t rewards, const foray_reward *const *reward,
                                   int64_t policies, const foray_policy *const *policy, bool beside)
{
    fy_arena *arena = &g->view->arena;
    foray_status status = FORAY_OK;
    if (!FY_NEW(arena, g->reader, rewards + policies) ||
        !FY_NEW(arena, g->view->reads_for, rewards + policies))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < rewards && status == FORAY_OK; i++) {
        if (!reward[i]->task && !(reward[i]->fixed && beside))
            continue;
        status = fy_reward_check_shape(arena->ctx, reward[i], g->view->whole);
        if (status == FORAY_OK)
            status = fy_reward_reader(arena, reward[i], &g->reader[g->count]);
        g->view->reads_for[g->count++] = reward[i];
    }
    for (int64_t i = 0; i < policies && status == FORAY_OK; i++) {
        if (!policy[i]->memory)
            continue;
        status = fy_policy_check(arena->ctx, policy[i], g->view->whole);
        g->reader[g->count] = fy_policy_reader(policy[i]);
        g->view->reads_for[g->count++] = policy[i];
    }
    g->view->readers = g->count;
    return status;
}

/* Counts of a pair belong to the first of its copies: laws are told how often they were seen. */
static foray_status take_seen(foray_explorer *view)
{
    const foray_explorer *original = view->original;
    const foray_model *product = view->model, *model = original->model;
    fy_arena scratch = {.ctx = view->ctx};
    int64_t A = model->actions;
    bool *taken;
    if (!FY_NEW(&view->arena, view->seen, product->succ_start[product->pairs]) ||
        !FY_NEW(&scratch, taken, model->states))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < fy_begun(product); i++) {
        int64_t s = fy_inside(model, product->number[i]);
        int64_t from = model->succ_start[s * A], count = model->succ_start[(s + 1) * A] - from;
        if (!taken[s])
            memcpy(view->seen + product->succ_start[i * A], original->seen + from,
                   (size_t)count * sizeof *view->seen);
        taken[s] = true;
    }
    fy_arena_release(&scratch);
    return FORAY_OK;
}

static foray_status make_view(foray_explorer *view, gathering *g)
{
    fy_explorer_ops *ops;
    foray_explorer *original = view->original;
    if (!FY_NEW(&view->arena, ops, 1))
        return FORAY_ERROR_MEMORY;
    *ops = *original->ops;
    ops->plan = plan_without_sets;
    ops->plans_on_sets = true;
    ops->regression = ops->regression ? original_regression : NULL;
    view->ops = ops;
    foray_status status =
        fy_product_create(view->ctx, original->model, g->count, g->reader, &view->part);
    view->model = view->part;
    return status == FORAY_OK ? take_seen(view) : status;
}

foray_status fy_explorer_enter(foray_explorer *explorer, int64_t rewards,
                               const foray_reward *const *reward, int64_t policies,
                               const foray_policy *const *policy, bool beside, foray_explorer **out)
{
    bool needed = false;
    *out = explorer;
    for (int64_t i = 0; i < rewards; i++)
        needed |= reward[i]->task || (reward[i]->fixed && beside);
    for (int64_t i = 0; i < policies; i++)
        needed |= policy[i]->memory != NULL;
    if (!needed)
        return FORAY_OK;
    foray_explorer *view;
    if (!FY_ALLOC(explorer->ctx, view, 1))
        return FORAY_ERROR_MEMORY;
    *view = *explorer;
    view->arena = (fy_arena){.ctx = explorer->ctx};
    view->original = explorer;
    view->part = NULL;
    view->certifier = NULL;
    view->certifier_after = -1;
    view->beside = beside;
    gathering g = {.view = view};
    foray_status status = gather_readers(&g, rewards, reward, policies, policy, beside);
    if (status == FORAY_OK)
        status = make_view(view, &g);
    if (status == FORAY_OK)
        *out = view;
    else
        fy_explorer_leave(explorer, view); /* *out stays this explorer itself */
    return status;
}

void fy_explorer_leave(const foray_explorer *explorer, foray_explorer *view)
{
    if (!view || view == explorer)
        return;
    fy_arena_release(&view->arena);
    foray_model_destroy(view->part);
    free(view);
}

int64_t fy_explorer_reader_of(const foray_explorer *view, const void *whom)
{
    for (int64_t i = 0; i < view->readers; i++)
        if (view->reads_for[i] == whom)
            return i;
    return -1;
}
