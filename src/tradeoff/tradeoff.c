/* tradeoff.c - fronts and limits as they are asked for: of an explorer's sets, or of a model whose
 * theta is known; and what was found, in the rewards' own units and the model's own numbers. */
#include "explore/explorer.h"
#include "tradeoff/front.h"
#include "tradeoff/limits.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what is asked */

/* The rewards for the part of the model that episodes get to, or for its product with what has to
 * be remembered: tasks, and reaching or avoiding states, which then do not stop the episode. */
typedef struct asked {
    fy_arena arena;
    foray_context *ctx;
    foray_explorer *original; /* NULL: theta is known */
    foray_explorer *explorer; /* the same, or a view of it */
    const foray_model *whole, *model;
    foray_model *part; /* made here, or NULL */
    int64_t *reader;   /* [count] which reads for a reward in a product made here; -1: none */
    fy_certifier *sets;
    int64_t count;
    const foray_reward **reward; /* [count] for `model` */
    foray_reward **made;         /* [count] of these, what is to be released */
    fy_weigher *weigher;
} asked;

/* Is it the probability of an event? */
static bool is_event(const foray_reward *reward)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): as many are read as are asked for */
    return reward->fixed || reward->task;
}

static foray_status open_explorer(asked *it, const foray_reward *const *rewards)
{
    foray_explorer *original = it->original;
    it->whole = original->whole;
    for (int64_t i = 0; i < it->count && original->model->unstructured; i++)
        if (is_event(rewards[i]))
            return fy_fail(it->ctx, FORAY_ERROR_USAGE,
                           "reward \"%s\" has to be remembered beside other rewards, and of this "
                           "model nothing is known: say instead what a step pays",
                           rewards[i]->name);
    foray_status status =
        fy_explorer_enter(original, it->count, rewards, 0, NULL, true, &it->explorer);
    if (status != FORAY_OK)
        return status;
    it->model = it->explorer->model;
    if (original->ops->certify)
        return FORAY_OK;
    status = fy_explorer_need_sets(it->explorer, &it->sets);
    return status == FORAY_OK ? fy_certifier_need_differences(&it->explorer->arena, it->sets)
                              : status;
}

/* The product with what rewards ask to be remembered, or the part that episodes get to. */
static foray_status find_part(asked *it, const foray_reward *const *rewards)
{
    fy_task_reader readers[FORAY_MAX_LIMITS + 1];
    int64_t count = 0;
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < it->count && status == FORAY_OK; i++) {
        it->reader[i] = is_event(rewards[i]) ? count : -1;
        status = it->reader[i] < 0 ? fy_reward_check(it->ctx, rewards[i], it->whole)
                                   : fy_reward_check_shape(it->ctx, rewards[i], it->whole);
        if (status == FORAY_OK && it->reader[i] >= 0)
            status = fy_reward_reader(&it->arena, rewards[i], &readers[count++]);
    }
    if (status != FORAY_OK)
        return status;
    return count > 0 ? fy_product_create(it->ctx, it->whole, count, readers, &it->part)
                     : fy_model_reachable(it->ctx, it->whole, &it->part);
}

static foray_status open_known(asked *it, const foray_reward *const *rewards)
{
    if (!it->whole->theta)
        return fy_fail(it->ctx, FORAY_ERROR_INPUT,
                       "the theta of model \"%s\" is not known, so it has no exact values",
                       it->whole->name);
    foray_status status = fy_model_check_kernel(it->ctx, it->whole);
    if (status == FORAY_OK)
        status = find_part(it, rewards);
    it->model = it->part ? it->part : it->whole;
    return status;
}

static foray_status look_inside(asked *it, int64_t i, const foray_reward *reward)
{
    if (it->original)
        return fy_border_reward(it->explorer, reward, &it->made[i]);
    if (it->reader[i] >= 0)
        return fy_reward_in_product(it->ctx, reward, it->part, it->reader[i], true, &it->made[i]);
    return it->part ? fy_reward_within(it->ctx, reward, it->part, &it->made[i]) : FORAY_OK;
}

static foray_status open_asked(asked *it, const foray_reward *const *rewards, const double *sign)
{
    double signs[FORAY_MAX_LIMITS + 1];
    if (!FY_NEW(&it->arena, it->reward, it->count) || !FY_NEW(&it->arena, it->made, it->count) ||
        !FY_NEW(&it->arena, it->reader, it->count))
        return FORAY_ERROR_MEMORY;
    foray_status status = it->original ? open_explorer(it, rewards) : open_known(it, rewards);
    for (int64_t i = 0; i < it->count && status == FORAY_OK; i++) {
        status = look_inside(it, i, rewards[i]);
        it->reward[i] = it->made[i] ? it->made[i] : rewards[i];
        signs[i] = sign ? sign[i] : rewards[i]->minimise ? -1 : 1;
    }
    if (status == FORAY_OK)
        status = fy_weigher_create(it->ctx, it->model, it->sets, it->sets ? NULL : it->explorer,
                                   it->count, it->reward, signs, &it->weigher);
    for (int64_t i = 0; i < it->count && status == FORAY_OK; i++)
        if (is_event(rewards[i])) /* it happens once, however many steps there are */
            it->weigher->scale[i] = it->weigher->most[i] = 1;
    return status;
}

static void close_asked(asked *it)
{
    fy_weigher_destroy(it->weigher);
    for (int64_t i = 0; it->made && i < it->count; i++)
        foray_reward_destroy(it->made[i]);
    foray_model_destroy(it->part);
    fy_explorer_leave(it->original, it->explorer);
    fy_arena_release(&it->arena);
}

/* ------------------------------------------------------------------- what was found */

static foray_status policy_outside(const asked *it, const int32_t *action, foray_policy **out)
{
    foray_policy *policy;
    foray_status status = foray_policy_create(it->ctx, it->model, FORAY_PLUGIN, &policy);
    if (status != FORAY_OK)
        return status;
    memcpy(policy->action, action,
           (size_t)(it->model->horizon * it->model->states) * sizeof *action);
    if (it->model != it->whole)
        status = fy_policy_spread(it->ctx, it->model, policy);
    if (status == FORAY_OK)
        *out = policy;
    else
        foray_policy_destroy(policy);
    return status;
}

static foray_certificate certificate_of(const asked *it, double gap, double most)
{
    foray_certificate certificate = {
        .gap = gap, .radius = FORAY_RADIUS_NONE, .bound = FORAY_BOUND_EXACT, .status = FORAY_EXACT};
    if (!it->original) {
        fy_certificate_classify(&certificate, most);
        return certificate;
    }
    if (it->sets) {
        certificate = fy_explorer_certificate(it->explorer, gap, most);
    } else { /* as the explorer said it last */
        certificate = it->weigher->policy->certificate;
        certificate.gap = gap;
        fy_certificate_classify(&certificate, most);
    }
    fy_explorer_qualify(it->explorer, &certificate);
    return certificate;
}

/* -------------------------------------------------------------------------- fronts */

typedef struct held_front {
    foray_front shown; /* first: what the caller holds */
    fy_arena arena;
    foray_policy **policy;
    double *scale, *value, *low, *high, *centre, *corner, *top, *loss;
} held_front;

void foray_front_destroy(foray_front *shown)
{
    held_front *it = (held_front *)shown;
    if (!it)
        return;
    for (int64_t k = 0; it->policy && k < shown->policies; k++)
        foray_policy_destroy(it->policy[k]);
    fy_arena_release(&it->arena);
    free(it);
}

static bool make_room(held_front *out)
{
    const foray_front *shown = &out->shown;
    fy_arena *arena = &out->arena;
    int64_t m = shown->rewards, K = shown->policies, C = shown->corners;
    return FY_NEW(arena, out->policy, K) && FY_NEW(arena, out->scale, m) &&
           FY_NEW(arena, out->value, K * m) && FY_NEW(arena, out->low, K * m) &&
           FY_NEW(arena, out->high, K * m) && FY_NEW(arena, out->centre, K * m) &&
           FY_NEW(arena, out->corner, C * m) && FY_NEW(arena, out->top, C) &&
           FY_NEW(arena, out->loss, C * K);
}

/* u_i = sign_i V(r_i) back to V(r_i). */
static void fill_policy(held_front *out, const fy_front *found, int64_t k)
{
    int64_t m = out->shown.rewards;
    const fy_weighed *policy = &found->policy[k];
    for (int64_t i = 0; i < m; i++) {
        bool less = found->weigher->sign[i] < 0;
        double low = policy->low[i], high = policy->high[i];
        out->low[k * m + i] = less ? -high : low;
        out->high[k * m + i] = less ? -low : high;
        out->value[k * m + i] =
            fmin(fmax(less ? -policy->value[i] : policy->value[i], out->low[k * m + i]),
                 out->high[k * m + i]);
    }
}

/* V_top at a corner: high and loss of a policy whose cell ends there. */
static void fill_corner(held_front *out, fy_front *found, int64_t c)
{
    static const double alone = 1;
    int64_t m = out->shown.rewards, K = out->shown.policies;
    const fy_corner *corner = &found->corners.corner[c];
    double weight[FORAY_MAX_REWARDS], low, high;
    fy_front_weights(found, corner->w, weight);
    out->top[c] = INFINITY;
    for (int64_t i = 0; i < m; i++)
        out->corner[c * m + i] = corner->w[i];
    for (int64_t k = 0; k < K; k++) {
        double loss = fy_front_loss(found, c, k);
        out->loss[c * K + k] = loss;
        if (isnan(loss))
            continue;
        for (int64_t i = 0; i < m; i++)
            out->centre[k * m + i] += corner->w[i];
        fy_weigher_interval(found->weigher, 1, &found->policy[k], &alone, weight, &low, &high);
        out->top[c] = fmin(out->top[c], high + loss);
    }
}

static void fill_centres(held_front *out)
{
    int64_t m = out->shown.rewards;
    for (int64_t k = 0; k < out->shown.policies; k++) {
        double sum = 0;
        for (int64_t i = 0; i < m; i++)
            sum += out->centre[k * m + i];
        for (int64_t i = 0; i < m; i++)
            out->centre[k * m + i] /= sum;
    }
}

static foray_status fill_front(const asked *it, fy_front *found, held_front *out)
{
    foray_front *shown = &out->shown;
    double most = 0;
    *shown = (foray_front){.rewards = it->count,
                           .policies = found->policies,
                           .corners = found->corners.count,
                           .worst_corner = found->worst_corner,
                           .worst_policy = found->worst_policy,
                           .gain = found->left,
                           .full = found->full};
    if (!make_room(out))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < it->count; i++) {
        out->scale[i] = it->weigher->sign[i] * it->weigher->scale[i];
        most = fmax(most, it->weigher->most[i] / it->weigher->scale[i]);
    }
    for (int64_t c = 0; c < shown->corners; c++)
        fill_corner(out, found, c);
    fill_centres(out);
    foray_status status = FORAY_OK;
    for (int64_t k = 0; k < shown->policies && status == FORAY_OK; k++) {
        fill_policy(out, found, k);
        status = policy_outside(it, found->policy[k].action, &out->policy[k]);
    }
    shown->certificate = certificate_of(it, found->eps, most);
    shown->plans = it->weigher->plans;
    shown->certificates = it->weigher->certificates;
    shown->policy = out->policy;
    shown->scale = out->scale;
    shown->value = out->value;
    shown->low = out->low;
    shown->high = out->high;
    shown->centre = out->centre;
    shown->corner = out->corner;
    shown->top = out->top;
    shown->loss = out->loss;
    return status;
}

static foray_status find_front(asked *it, const foray_reward *const *rewards, const double *scale,
                               int64_t policies, double until, foray_front **out)
{
    held_front *shown = NULL;
    fy_front found;
    foray_status status = FORAY_OK;
    if (it->count < 2 || it->count > FORAY_MAX_REWARDS)
        return fy_fail(it->ctx, FORAY_ERROR_USAGE, "a front is about 2 to %d rewards, not about %d",
                       FORAY_MAX_REWARDS, (int)it->count);
    if (policies < 1 || isnan(until))
        return fy_fail(it->ctx, FORAY_ERROR_USAGE, "a front has at least one policy");
    for (int64_t i = 0; scale && i < it->count; i++)
        if (!(scale[i] > 0) || isinf(scale[i]))
            return fy_fail(it->ctx, FORAY_ERROR_USAGE, "a scale must be above 0, not %g", scale[i]);
    status = open_asked(it, rewards, NULL);
    for (int64_t i = 0; scale && i < it->count && status == FORAY_OK; i++)
        it->weigher->scale[i] = scale[i];
    if (status == FORAY_OK)
        status = fy_front_find(&it->arena, it->weigher, policies, until, &found);
    if (status == FORAY_OK && !FY_ALLOC(it->ctx, shown, 1))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK) {
        shown->arena.ctx = it->ctx;
        status = fill_front(it, &found, shown);
    }
    if (status == FORAY_OK)
        *out = &shown->shown;
    else if (shown)
        foray_front_destroy(&shown->shown);
    return status;
}

foray_status foray_explorer_tradeoff(foray_explorer *explorer, int64_t rewards,
                                     const foray_reward *const *reward, const double *scale,
                                     int64_t policies, double until, foray_front **out)
{
    asked it = {.original = explorer, .ctx = explorer->ctx, .count = rewards};
    it.arena.ctx = it.ctx;
    foray_status status = find_front(&it, reward, scale, policies, until, out);
    close_asked(&it);
    return status;
}

foray_status foray_tradeoff_known(foray_context *ctx, const foray_model *model, int64_t rewards,
                                  const foray_reward *const *reward, const double *scale,
                                  int64_t policies, double until, foray_front **out)
{
    asked it = {.whole = model, .ctx = ctx, .count = rewards};
    it.arena.ctx = ctx;
    foray_status status = find_front(&it, reward, scale, policies, until, out);
    close_asked(&it);
    return status;
}

int64_t foray_front_choose(const foray_front *front, const double *weight, double *loss)
{
    int64_t best = 0;
    double most = -INFINITY;
    for (int64_t k = 0; k < front->policies; k++) {
        double value = 0;
        for (int64_t i = 0; i < front->rewards; i++)
            value += weight[i] * front->value[k * front->rewards + i] / front->scale[i];
        if (value > most) {
            most = value;
            best = k;
        }
    }
    if (loss == NULL)
        return best;
    *loss = 0;
    for (int64_t c = 0; c < front->corners; c++) {
        double at = front->loss[c * front->policies + best];
        *loss = at > *loss ? at : *loss;
    }
    return best;
}

/* -------------------------------------------------------------------------- limits */

typedef struct held_limited {
    foray_limited shown; /* first: what the caller holds */
    fy_arena arena;
    double *value, *low, *high, *price;
} held_limited;

void foray_limited_destroy(foray_limited *shown)
{
    held_limited *it = (held_limited *)shown;
    if (!it)
        return;
    foray_policy_destroy(shown->policy);
    foray_doubt_destroy(shown->doubt);
    fy_arena_release(&it->arena);
    free(it);
}

static foray_status mix_outside(const asked *it, const fy_limits *found, foray_policy **out)
{
    const fy_odds *odds = &found->mixture;
    foray_policy *part[FY_MAX_PARTS] = {NULL};
    double share[FY_MAX_PARTS];
    int64_t count = 0;
    foray_status status = FORAY_OK;
    for (int64_t k = 0; k < odds->count && status == FORAY_OK; k++) {
        if (!(odds->share[k] > 0))
            continue;
        share[count] = odds->share[k];
        status = policy_outside(it, found->policy[odds->which[k]].action, &part[count]);
        count += status == FORAY_OK;
    }
    if (status == FORAY_OK && count == 1) {
        *out = part[0];
        return FORAY_OK;
    }
    if (status == FORAY_OK)
        status = foray_policy_mix(it->ctx, count, (const foray_policy *const *)part, share, out);
    for (int64_t k = 0; k < count; k++)
        foray_policy_destroy(part[k]);
    return status;
}

/* Mean of a value over the mixture, in the reward's own unit. */
static double mean_of(const fy_limits *found, int64_t i)
{
    double sum = 0;
    for (int64_t k = 0; k < found->mixture.count; k++)
        sum += found->mixture.share[k] * found->policy[found->mixture.which[k]].value[i];
    return fmin(fmax(sum, found->low[i]), found->high[i]);
}

/* Which laws are behind the width of the limit that lacks most: J of the mixture for it. */
static foray_status find_doubt(const asked *it, const fy_limits *found, held_limited *out)
{
    const fy_weigher *weigher = it->weigher;
    int64_t worst = 0, U = weigher->unknowns;
    double lacks = -INFINITY;
    if (!it->sets)
        return FORAY_OK;
    for (int64_t i = 0; i < found->m; i++) {
        double short_by = (found->bound[i] - found->low[i + 1]) / weigher->scale[i + 1];
        worst = short_by > lacks ? i : worst;
        lacks = fmax(lacks, short_by);
    }
    memset(weigher->J, 0, (size_t)U * sizeof *weigher->J);
    for (int64_t k = 0; k < found->mixture.count; k++)
        for (int64_t u = 0; u < U; u++)
            weigher->J[u] += found->mixture.share[k] *
                             found->policy[found->mixture.which[k]].J[(worst + 1) * U + u];
    /* Narrow enough to show what the estimate says: that the limit is kept, or is not. */
    double width = mean_of(found, worst + 1) - found->low[worst + 1];
    double target = fmax(fabs(mean_of(found, worst + 1) - found->bound[worst]), 0.1 * width);
    foray_status status = fy_doubt_of_width(it->sets, it->explorer->seen, weigher->J, width, target,
                                            &out->shown.doubt);
    if (status == FORAY_OK)
        fy_border_doubt_out(it->explorer, out->shown.doubt);
    return status;
}

/* Values and prices in the rewards' own units. */
static void fill_limits(const asked *it, const fy_limits *found, held_limited *out)
{
    const fy_weigher *weigher = it->weigher;
    bool impossible = found->outcome == FORAY_LIMITS_IMPOSSIBLE;
    double unit = impossible ? 1 : weigher->scale[0];
    for (int64_t i = 0; i < found->m; i++) {
        double sign = weigher->sign[i + 1], value = mean_of(found, i + 1);
        double low = found->low[i + 1], high = found->high[i + 1];
        out->value[i] = sign * value;
        out->low[i] = sign > 0 ? low : -high;
        out->high[i] = sign > 0 ? high : -low;
        out->price[i] = (impossible ? sign : 1) * found->lambda[i] * unit / weigher->scale[i + 1];
    }
    out->shown.needed = found->needed;
    out->shown.top = found->top;
    out->shown.value = out->value;
    out->shown.low = out->low;
    out->shown.high = out->high;
    out->shown.price = out->price;
}

static foray_status fill_limited(const asked *it, const fy_limits *found, held_limited *out)
{
    foray_limited *shown = &out->shown;
    fy_arena *arena = &out->arena;
    double sign = it->weigher->sign[0];
    *shown = (foray_limited){.outcome = found->outcome,
                             .limits = found->m,
                             .plans = it->weigher->plans,
                             .certificates = it->weigher->certificates};
    if (!FY_NEW(arena, out->value, found->m) || !FY_NEW(arena, out->low, found->m) ||
        !FY_NEW(arena, out->high, found->m) || !FY_NEW(arena, out->price, found->m))
        return FORAY_ERROR_MEMORY;
    fill_limits(it, found, out);
    foray_status status = mix_outside(it, found, &shown->policy);
    if (status != FORAY_OK)
        return status;
    foray_policy *policy = shown->policy;
    policy->expected = sign * mean_of(found, 0);
    policy->low = sign > 0 ? found->low[0] : -found->high[0];
    policy->high = sign > 0 ? found->high[0] : -found->low[0];
    double most = it->weigher->most[0];
    policy->certificate = certificate_of(it, fmin(found->loss, most), most);
    if (found->outcome != FORAY_LIMITS_KEPT)
        policy->certificate = (foray_certificate){
            .gap = INFINITY, .delta = policy->certificate.delta, .radius = FORAY_RADIUS_NONE};
    return found->outcome == FORAY_LIMITS_UNDECIDED ? find_doubt(it, found, out) : FORAY_OK;
}

/* V(r_i) >= c_i is u_i >= c_i, V(r_i) <= c_i is -V(r_i) >= -c_i. */
static foray_status read_limits(const asked *it, const foray_reward *reward,
                                const foray_limit *limit, const foray_reward **rewards,
                                double *sign, double *bound)
{
    int64_t m = it->count - 1;
    if (m < 1 || m > FORAY_MAX_LIMITS)
        return fy_fail(it->ctx, FORAY_ERROR_USAGE, "there can be 1 to %d limits, not %d",
                       FORAY_MAX_LIMITS, (int)m);
    rewards[0] = reward;
    sign[0] = reward->minimise ? -1 : 1;
    for (int64_t i = 0; i < m; i++) {
        rewards[i + 1] = limit[i].reward;
        sign[i + 1] = limit[i].at_most ? -1 : 1;
        bound[i] = sign[i + 1] * limit[i].bound;
        if (!(fabs(bound[i]) <= 1e200))
            return fy_fail(it->ctx, FORAY_ERROR_USAGE, "a limit must be a number, not %g",
                           limit[i].bound);
    }
    return FORAY_OK;
}

static foray_status plan_limited(asked *it, const foray_reward *reward, const foray_limit *limit,
                                 foray_limited **out)
{
    const foray_reward *rewards[FORAY_MAX_LIMITS + 1] = {NULL};
    double sign[FORAY_MAX_LIMITS + 1] = {0}, bound[FORAY_MAX_LIMITS] = {0};
    held_limited *shown = NULL;
    fy_limits found;
    foray_status status = read_limits(it, reward, limit, rewards, sign, bound);
    if (status == FORAY_OK)
        status = open_asked(it, rewards, sign);
    if (status == FORAY_OK)
        status = fy_limits_find(&it->arena, it->weigher, bound, &found);
    if (status == FORAY_OK && !FY_ALLOC(it->ctx, shown, 1))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK) {
        shown->arena.ctx = it->ctx;
        status = fill_limited(it, &found, shown);
    }
    if (status == FORAY_OK)
        *out = &shown->shown;
    else if (shown)
        foray_limited_destroy(&shown->shown);
    return status;
}

foray_status foray_explorer_plan_limited(foray_explorer *explorer, const foray_reward *reward,
                                         int64_t limits, const foray_limit *limit,
                                         foray_limited **out)
{
    asked it = {.original = explorer, .ctx = explorer->ctx, .count = limits + 1};
    it.arena.ctx = it.ctx;
    foray_status status = plan_limited(&it, reward, limit, out);
    close_asked(&it);
    return status;
}

foray_status foray_plan_known_limited(foray_context *ctx, const foray_model *model,
                                      const foray_reward *reward, int64_t limits,
                                      const foray_limit *limit, foray_limited **out)
{
    asked it = {.whole = model, .ctx = ctx, .count = limits + 1};
    it.arena.ctx = ctx;
    foray_status status = plan_limited(&it, reward, limit, out);
    close_asked(&it);
    return status;
}
