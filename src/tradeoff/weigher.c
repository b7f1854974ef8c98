/* weigher.c - see weigher.h. */
#include "tradeoff/weigher.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- creation */

/* How far the returns of two episodes can be apart. */
static double most_of(const foray_reward *reward)
{
    const fy_reward_unit unit = fy_reward_unit_of(reward);
    return fabs(unit.slope) * unit.max;
}

static foray_status allocate_weigher(fy_weigher *weigher)
{
    fy_arena *arena = &weigher->arena;
    int64_t cells = weigher->model->horizon * weigher->model->states;
    if (!FY_NEW(arena, weigher->sign, weigher->count) ||
        !FY_NEW(arena, weigher->scale, weigher->count) ||
        !FY_NEW(arena, weigher->most, weigher->count) ||
        !FY_NEW(arena, weigher->weight, weigher->count) || !FY_NEW(arena, weigher->room, cells) ||
        !FY_NEW(arena, weigher->J, weigher->unknowns))
        return FORAY_ERROR_MEMORY;
    return FORAY_OK;
}

/* PLAN without bonus on the centre of the set, or on the true kernel. */
static foray_status create_exact(fy_weigher *weigher)
{
    fy_arena *arena = &weigher->arena;
    const foray_model *model = weigher->model;
    bool ahead = false;
    for (int64_t i = 0; i < weigher->count; i++)
        ahead |= fy_reward_looks_ahead(weigher->reward[i]);
    if (weigher->explorer)
        return foray_policy_create(weigher->ctx, model, FORAY_PLUGIN, &weigher->policy);
    if (!weigher->certifier)
        return fy_exact_create(arena, model, model->theta, ahead, &weigher->exact);
    weigher->exact.kernel = weigher->certifier->set->kernel;
    foray_status status = fy_layout_create(arena, model, ahead, &weigher->exact.layout);
    if (status == FORAY_OK && !FY_NEW(arena, weigher->exact.value, 2 * model->states))
        status = FORAY_ERROR_MEMORY;
    return status;
}

static foray_status fill_weigher(fy_weigher *weigher, const double *sign)
{
    fy_certifier *certifier = weigher->certifier;
    weigher->unknowns = certifier ? fy_gap_unknowns(certifier->gap) : 0;
    foray_status status = allocate_weigher(weigher);
    if (status == FORAY_OK)
        status = create_exact(weigher);
    for (int64_t i = 0; i < weigher->count && status == FORAY_OK; i++) {
        const foray_reward *reward = weigher->reward[i];
        weigher->sign[i] = sign ? sign[i] : reward->minimise ? -1 : 1;
        weigher->scale[i] = reward->fixed ? 1 : reward->high - reward->low;
        weigher->most[i] = most_of(reward);
        weigher->weight[i] = 1;
    }
    /* Can they be added up at all? */
    return status == FORAY_OK ? fy_weigher_set(weigher, weigher->weight) : status;
}

foray_status fy_weigher_create(foray_context *ctx, const foray_model *model,
                               fy_certifier *certifier, foray_explorer *explorer, int64_t count,
                               const foray_reward *const *rewards, const double *sign,
                               fy_weigher **out)
{
    fy_weigher *weigher;
    if (!FY_ALLOC(ctx, weigher, 1))
        return FORAY_ERROR_MEMORY;
    *weigher = (fy_weigher){.arena.ctx = ctx,
                            .ctx = ctx,
                            .model = model,
                            .certifier = certifier,
                            .explorer = explorer,
                            .count = count,
                            .reward = rewards};
    foray_status status = fill_weigher(weigher, sign);
    if (status == FORAY_OK)
        *out = weigher;
    else
        fy_weigher_destroy(weigher);
    return status;
}

void fy_weigher_destroy(fy_weigher *weigher)
{
    if (!weigher)
        return;
    foray_reward_destroy(weigher->sum);
    foray_policy_destroy(weigher->policy);
    fy_arena_release(&weigher->arena);
    free(weigher);
}

foray_status fy_weigher_status(const fy_weigher *weigher)
{
    if (weigher->failed != FORAY_OK)
        return weigher->failed;
    return fy_was_stopped(weigher->ctx) ? FORAY_INTERRUPTED : FORAY_OK;
}

/* ------------------------------------------------------------- unstructured models */

/* What the explorer says of a policy, in the unit of planning. */
static fy_gap_result ask_explorer(fy_weigher *weigher, const foray_reward *reward,
                                  const int32_t *action)
{
    foray_policy *policy = weigher->policy;
    foray_explorer *explorer = weigher->explorer;
    memcpy(policy->action, action,
           (size_t)(weigher->model->horizon * weigher->model->states) * sizeof *action);
    if (weigher->failed == FORAY_OK)
        weigher->failed = explorer->ops->certify(explorer, reward, policy);
    if (weigher->failed != FORAY_OK)
        return (fy_gap_result){0};
    double gap = policy->certificate.gap;
    return (fy_gap_result){.gap = gap,
                           .value = policy->expected,
                           .low = policy->low,
                           .high = policy->high,
                           .values = gap};
}

static double let_explorer_plan(fy_weigher *weigher, int32_t *action)
{
    const foray_reward *sum = weigher->sum;
    const fy_reward_unit unit = fy_reward_unit_of(sum);
    foray_explorer *explorer = weigher->explorer;
    foray_policy *policy;
    if (weigher->failed == FORAY_OK)
        weigher->failed = explorer->ops->plan(explorer, 1, &sum, FORAY_PLUGIN, &policy);
    if (weigher->failed != FORAY_OK)
        return 0;
    memcpy(action, policy->action,
           (size_t)(weigher->model->horizon * weigher->model->states) * sizeof *action);
    double best = fy_reward_value(&unit, policy->expected);
    foray_policy_destroy(policy);
    return best;
}

/* ------------------------------------------------------------------ weightings */

foray_status fy_weigher_set(fy_weigher *weigher, const double *weight)
{
    fy_arena scratch = {.ctx = weigher->ctx};
    foray_reward *sum;
    double *signed_weight;
    if (!FY_NEW(&scratch, signed_weight, weigher->count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < weigher->count; i++)
        signed_weight[i] = weight[i] * weigher->sign[i];
    foray_status status = fy_reward_sum(weigher->ctx, "weighted sum", weigher->count,
                                        weigher->reward, signed_weight, &sum);
    fy_arena_release(&scratch);
    if (status != FORAY_OK)
        return status;
    foray_reward_destroy(weigher->sum);
    weigher->sum = sum;
    weigher->best = NAN;
    memmove(weigher->weight, weight, (size_t)weigher->count * sizeof *weight);
    return FORAY_OK;
}

double fy_weigher_plan(fy_weigher *weigher, int32_t *action)
{
    weigher->plans++;
    if (weigher->explorer)
        return weigher->best = let_explorer_plan(weigher, action);
    fy_exact_set(&weigher->exact, weigher->sum);
    return weigher->best = fy_exact_value(&weigher->exact, NULL, action, NULL);
}

/* From the unit of planning; what is above 0 stays so, and differences of values count their
 * roundings here (fy_policy_convert). */
static double loss_outside(const foray_reward *reward, const fy_gap_result *result)
{
    const fy_reward_unit unit = fy_reward_unit_of(reward);
    double gap = result->gap;
    if (gap > 0 && gap >= result->values)
        gap += 4 * (double)reward->horizon * (unit.max + 1) * DBL_EPSILON;
    return gap > 0 ? gap * fabs(unit.slope) * (1 + 4 * DBL_EPSILON) + DBL_TRUE_MIN : 0;
}

double fy_weigher_loss(fy_weigher *weigher, const int32_t *action)
{
    weigher->certificates++;
    if (weigher->certifier || weigher->explorer) {
        const fy_gap_result found =
            weigher->certifier ? fy_certifier_policy(weigher->certifier, weigher->sum, action)
                               : ask_explorer(weigher, weigher->sum, action);
        return loss_outside(weigher->sum, &found);
    }
    if (isnan(weigher->best))
        fy_weigher_plan(weigher, NULL);
    fy_exact_set(&weigher->exact, weigher->sum);
    return fmax(0, weigher->best - fy_exact_value(&weigher->exact, action, NULL, NULL));
}

/* V_low (sign -1) or V_high of a policy for the reward that was laid out; NULL: of the best. */
static double follow(const fy_weigher *weigher, const int32_t *action, int sign)
{
    double mean;
    fy_plan_task task = {.kernel = weigher->exact.kernel,
                         .reward = weigher->exact.layout.reward,
                         .lanes = 1,
                         .sign = sign,
                         .clip = FORAY_CLIP_REMAINING,
                         .ties = FORAY_TIES_LOWEST,
                         .follow = action,
                         .layers = 2,
                         .value = weigher->exact.value};
    fy_plan(&task, &mean);
    return mean;
}

/* V_bar(mu), with what conversion may have rounded. */
static double bar_outside(const foray_reward *reward, double bar)
{
    const fy_reward_unit unit = fy_reward_unit_of(reward);
    double off = (double)(reward->horizon + 4) * DBL_EPSILON *
                 (fabs(unit.offset) + fabs(unit.slope) * unit.max);
    return fy_reward_value(&unit, bar) + off;
}

/* V_top = min{ V_bar, high(pi) + D(pi) } */
foray_status fy_weigher_top(fy_weigher *weigher, const fy_weighed *plan, double loss, double *top)
{
    static const double alone = 1;
    double low, high;
    if (!weigher->certifier && !weigher->explorer) {
        *top = isnan(weigher->best) ? fy_weigher_plan(weigher, NULL) : weigher->best;
        return FORAY_OK;
    }
    fy_weigher_interval(weigher, 1, plan, &alone, weigher->weight, &low, &high);
    *top = high + loss;
    if (weigher->explorer)
        return FORAY_OK;
    fy_exact_set(&weigher->exact, weigher->sum);
    *top = fmin(*top, bar_outside(weigher->sum, follow(weigher, NULL, 1)));
    return FORAY_OK;
}

/* -------------------------------------------------------------------- policies */

/* V(r) of a policy under the centre. */
static double value_of(fy_weigher *weigher, const foray_reward *reward, const int32_t *action)
{
    if (weigher->explorer) {
        const fy_reward_unit unit = fy_reward_unit_of(reward);
        return fy_reward_value(&unit, ask_explorer(weigher, reward, action).value);
    }
    fy_exact_set(&weigher->exact, reward);
    return fy_exact_value(&weigher->exact, action, NULL, NULL);
}

foray_status fy_weigher_add(fy_weigher *weigher, const int32_t *action, fy_weighed *out)
{
    fy_arena *arena = &weigher->arena;
    int64_t cells = weigher->model->horizon * weigher->model->states;
    *out = (fy_weighed){0};
    if (!FY_NEW(arena, out->action, cells) || !FY_NEW(arena, out->value, weigher->count))
        return FORAY_ERROR_MEMORY;
    memcpy(out->action, action, (size_t)cells * sizeof *action);
    for (int64_t i = 0; i < weigher->count; i++)
        out->value[i] = weigher->sign[i] * value_of(weigher, weigher->reward[i], out->action);
    return fy_weigher_status(weigher);
}

/* u_i of a policy: J, E, and an interval by itself, all from the unit of planning. */
static void find_worth_of(fy_weigher *weigher, int64_t i, fy_weighed *policy)
{
    const foray_reward *reward = weigher->reward[i];
    const fy_reward_unit unit = fy_reward_unit_of(reward);
    const fy_choices choices = {.action = policy->action};
    double *J = policy->J + i * weigher->unknowns;
    double slope = weigher->sign[i] * unit.slope, offset = weigher->sign[i] * unit.offset;
    double off = unit.own ? (double)(reward->horizon + 4) * DBL_EPSILON *
                                (fabs(unit.offset) + fabs(unit.slope) * unit.max)
                          : 0;
    fy_worth worth = {.J = J};
    double low, high;
    if (weigher->explorer) {
        const fy_gap_result found = ask_explorer(weigher, reward, policy->action);
        worth.value = found.value;
        worth.E = fmax(found.high - found.value, found.value - found.low);
        low = found.low;
        high = found.high;
    } else {
        fy_worth_of(weigher->certifier->difference, reward, &choices, &worth);
        fy_exact_set(&weigher->exact, reward);
        double width = fy_difference_norm(weigher->certifier->difference, J) + worth.E;
        low = fmax(follow(weigher, policy->action, -1), worth.value - width);
        high = fmin(follow(weigher, policy->action, 1), worth.value + width);
    }
    low = fmax(low, 0);
    high = fmin(high, unit.max);
    for (int64_t k = 0; k < weigher->unknowns; k++)
        J[k] *= slope;
    policy->middle[i] = offset + slope * worth.value;
    policy->E[i] = fabs(slope) * worth.E + off;
    /* No return is beyond these, whatever was rounded. */
    double from = slope > 0 ? offset : offset - weigher->most[i], to = from + weigher->most[i];
    policy->low[i] = fmax(offset + slope * (slope > 0 ? low : high) - off, from);
    policy->high[i] = fmin(offset + slope * (slope > 0 ? high : low) + off, to);
}

foray_status fy_weigher_find_worth(fy_weigher *weigher, fy_weighed *policy)
{
    fy_arena *arena = &weigher->arena;
    int64_t m = weigher->count;
    if (policy->J)
        return FORAY_OK;
    if (!FY_NEW(arena, policy->middle, m) || !FY_NEW(arena, policy->E, m) ||
        !FY_NEW(arena, policy->low, m) || !FY_NEW(arena, policy->high, m) ||
        !FY_NEW(arena, policy->J, m * weigher->unknowns))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < m; i++) {
        policy->middle[i] = policy->low[i] = policy->high[i] = policy->value[i];
        if (weigher->certifier || weigher->explorer)
            find_worth_of(weigher, i, policy);
    }
    return fy_weigher_status(weigher);
}

/* sum_k mu_k sum_i k_i Vhat_ki +- ( ||sum_k mu_k sum_i k_i J_ki||_B + sum_k mu_k sum_i k_i E_ki ),
 * and no wider than the intervals of the policies one by one. */
void fy_weigher_interval(fy_weigher *weigher, int64_t policies, const fy_weighed *policy,
                         const double *odds, const double *weight, double *low, double *high)
{
    double value = 0, E = 0, least = 0, most = 0, size = 0;
    memset(weigher->J, 0, (size_t)weigher->unknowns * sizeof *weigher->J);
    for (int64_t k = 0; k < policies; k++)
        for (int64_t i = 0; i < weigher->count; i++) {
            double share = odds[k] * weight[i];
            if (share == 0)
                continue;
            const double *J = policy[k].J + i * weigher->unknowns;
            value += share * policy[k].middle[i];
            E += share * policy[k].E[i];
            least += share * policy[k].low[i];
            most += share * policy[k].high[i];
            size += fabs(share * policy[k].low[i]) + fabs(share * policy[k].high[i]);
            for (int64_t u = 0; u < weigher->unknowns; u++)
                weigher->J[u] += share * J[u];
        }
    bool known = !weigher->certifier && !weigher->explorer;
    bool added = !known && (policies > 1 || weigher->count > 1);
    double rounding = (double)(policies * weigher->count + 4) * DBL_EPSILON;
    *low = added ? least - rounding * size : least;
    *high = added ? most + rounding * size : most;
    if (!weigher->certifier)
        return;
    double width = fy_difference_norm(weigher->certifier->difference, weigher->J) + E;
    double off = rounding * (size + width);
    *low = fmax(*low, value - width - off);
    *high = fmin(*high, value + width + off);
}
