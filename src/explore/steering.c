/* steering.c - rewards that an explorer is for, and the reward to explore with that follows from
 * them (certify/steer.h).
 *
 *   Y = 0
 *   for each target r with D_r > eps      up to 8, beginning with another one in each plan
 *     Y += where D_r is decided
 *   rho(s,a) = min{1, kappa^2}/kappa^2 sum_j x_j' Y x_j / p_j
 *
 * A target that cannot be met (an exact tie, a law that nothing leads to) would stay in the sum for
 * ever, and the others might never outweigh it. So every third plan is for one open target alone,
 * each in its turn: whatever the others are like, it gets its part of the plans. */
#include "explore/explorer.h"
#include "policy/policy.h"
#include "reward/reward.h"

#include <math.h>
#include <stdlib.h>

/* Of one plan: targets added up, and certificates that are looked at. */
enum { MOST_TOGETHER = 8, MOST_LOOKS = 32, ALONE_EVERY = 3 };

void fy_explorer_drop_targets(foray_explorer *explorer)
{
    for (int64_t i = 0; i < explorer->targets; i++)
        foray_reward_destroy(explorer->target[i]);
    free(explorer->target);
    explorer->target = NULL;
    explorer->targets = 0;
}

/* In the explorer's numbers. */
static foray_status copy_target(foray_explorer *explorer, const foray_reward *reward,
                                foray_reward **out)
{
    foray_status status = fy_border_reward(explorer, reward, out);
    return status == FORAY_OK && !*out ? fy_reward_copy(explorer->ctx, reward, out) : status;
}

foray_status fy_explorer_set_targets(foray_explorer *explorer, int64_t count,
                                     const foray_reward *const *rewards, double enough)
{
    fy_certifier *sets = NULL;
    foray_reward **copy = NULL;
    foray_status status = FORAY_OK;
    if (explorer->ops->steers && count > 0)
        status = fy_explorer_sets(explorer, &sets);
    if (status == FORAY_OK && sets && !explorer->steer)
        status = fy_steer_create(&explorer->arena, sets, &explorer->steer);
    if (status == FORAY_OK && sets && !FY_ALLOC(explorer->ctx, copy, count))
        status = FORAY_ERROR_MEMORY;
    int64_t copied = 0;
    for (; copied < count && status == FORAY_OK && sets; copied++)
        status = copy_target(explorer, rewards[copied], &copy[copied]);
    if (status != FORAY_OK) {
        for (int64_t i = 0; i < copied; i++)
            foray_reward_destroy(copy[i]);
        free(copy);
        return status;
    }
    fy_explorer_drop_targets(explorer);
    explorer->target = copy;
    explorer->targets = copied;
    explorer->enough = enough;
    return FORAY_OK;
}

/* In the unit of planning; 0 is met up to rounding. */
static double enough_for(const foray_explorer *explorer, const foray_reward *reward)
{
    fy_reward_unit unit = fy_reward_unit_of(reward);
    return explorer->enough > 0 ? explorer->enough / fabs(unit.slope)
                                : fy_certificate_rounding(unit.max);
}

bool fy_explorer_steer(foray_explorer *explorer, double *rho, double *share)
{
    int64_t targets = explorer->targets, open = 0;
    bool alone = targets > 1 && explorer->plans % ALONE_EVERY == ALONE_EVERY - 1;
    int64_t together = alone ? 1 : MOST_TOGETHER;
    int64_t first = alone ? explorer->plans / ALONE_EVERY : explorer->plans * MOST_TOGETHER;
    if (targets == 0 || explorer->aggregated)
        return false;
    fy_steer_begin(explorer->steer);
    for (int64_t i = 0; i < targets && i < MOST_LOOKS && open < together; i++) {
        const foray_reward *reward = explorer->target[(first + i) % targets];
        double enough = enough_for(explorer, reward);
        if (fy_stopped(explorer->ctx))
            return false;
        open += fy_steer_add(explorer->steer, reward, explorer->settings.ties, enough) > enough;
    }
    fy_steer_shares(explorer->steer, share);
    return open > 0 && fy_steer_reward(explorer->steer, rho);
}

/* ----------------------------------------------------------------- the next data */

/* What (s,a) are worth, [pairs] in the explorer's numbers, as a reward of the whole model. */
static foray_status reward_of_pairs(foray_explorer *explorer, const double *rho, foray_reward **out)
{
    const foray_model *model = explorer->model;
    foray_context *ctx = explorer->ctx;
    foray_reward *made;
    foray_status status = foray_reward_create(ctx, explorer->whole, "doubt", 0, 1, 0, &made);
    if (status != FORAY_OK)
        return status;
    for (int64_t pair = 0; pair < fy_begun(model) * model->actions && status == FORAY_OK; pair++)
        if (rho[pair] > 0 && fy_available(model, pair))
            status = foray_reward_set(ctx, made, -1, fy_outside(model, pair / model->actions),
                                      pair % model->actions, rho[pair]);
    if (status == FORAY_OK)
        *out = made;
    else
        foray_reward_destroy(made);
    return status;
}

static foray_status doubt_by_steering(foray_explorer *explorer, fy_certifier *sets,
                                      const foray_reward *reward, foray_reward **out)
{
    fy_arena scratch = {.ctx = explorer->ctx};
    foray_reward *inside = NULL;
    fy_steer *steer;
    double *rho;
    foray_status status = fy_border_reward(explorer, reward, &inside);
    if (status == FORAY_OK)
        status = fy_steer_create(&scratch, sets, &steer);
    if (status == FORAY_OK && !FY_NEW(&scratch, rho, explorer->model->pairs))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK) {
        const foray_reward *about = inside ? inside : reward;
        fy_steer_begin(steer);
        (void)fy_steer_add(steer, about, explorer->settings.ties, 0);
        if (fy_steer_reward(steer, rho))
            status = reward_of_pairs(explorer, rho, out);
    }
    foray_reward_destroy(inside);
    fy_arena_release(&scratch);
    return status;
}

/* Where nothing is known every pair has a law of its own, with a share in the doubt, which falls
 * the fastest where there is much of it and few visits: rho = share/(n + 1). */
static foray_status doubt_by_shares(foray_explorer *explorer, const foray_reward *reward,
                                    foray_reward **out)
{
    foray_context *ctx = explorer->ctx;
    foray_policy *policy = NULL;
    foray_doubt *doubt = NULL;
    foray_reward *made = NULL;
    double most = 0;
    foray_status status = foray_explorer_plan(explorer, 1, &reward, FORAY_PLUGIN, &policy);
    if (status == FORAY_OK)
        status = foray_explorer_explain(explorer, reward, policy, 0, &doubt);
    for (int64_t i = 0; status == FORAY_OK && i < doubt->laws; i++)
        if (doubt->law[i].state >= 0)
            most = fmax(most, doubt->law[i].share / (double)(doubt->law[i].visits + 1));
    if (status == FORAY_OK && most > 0)
        status = foray_reward_create(ctx, explorer->whole, "doubt", 0, 1, 0, &made);
    for (int64_t i = 0; status == FORAY_OK && made && i < doubt->laws; i++) {
        const foray_doubt_law *law = &doubt->law[i];
        if (law->state >= 0)
            status = foray_reward_set(ctx, made, -1, law->state, law->action,
                                      law->share / (double)(law->visits + 1) / most);
    }
    if (status == FORAY_OK)
        *out = made;
    else
        foray_reward_destroy(made);
    foray_doubt_destroy(doubt);
    foray_policy_destroy(policy);
    return status;
}

foray_status fy_explorer_collect(foray_explorer *explorer, const foray_reward *reward,
                                 foray_policy **out)
{
    fy_certifier *sets = NULL;
    foray_reward *doubt = NULL;
    foray_status status = FORAY_OK;
    if (!explorer->model->unstructured)
        status = fy_explorer_need_sets(explorer, &sets);
    if (status == FORAY_OK)
        status = sets ? doubt_by_steering(explorer, sets, reward, &doubt)
                      : doubt_by_shares(explorer, reward, &doubt);
    if (status != FORAY_OK)
        return status;
    *out = NULL;
    const foray_reward *const about = doubt;
    if (doubt)
        status = foray_explorer_policies(explorer, 1, &about, FORAY_PLUGIN, out);
    foray_reward_destroy(doubt);
    return status;
}
