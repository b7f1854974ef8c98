/* evaluate.c - exact values in a model whose theta is known: PLAN without bonus on the
 * true kernel. There values lie in [0, H-h+1] by themselves; clipping only takes away
 * what rounding may add. */
#include "plan/layout.h"
#include "plan/plan.h"
#include "policy/policy.h"

#include <math.h>

static foray_status check(foray_context *ctx, const foray_model *model, const foray_reward *reward,
                          const foray_policy *policy)
{
    if (!model->theta)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "the theta of model \"%s\" is not known, so it has no exact values",
                       model->name);
    foray_status status = fy_model_check_kernel(ctx, model);
    if (status == FORAY_OK)
        status = fy_reward_check_shape(ctx, reward, model);
    if (status == FORAY_OK && policy)
        status = fy_policy_check(ctx, policy, model);
    return status;
}

/* ------------------------------------------------------------------------ the recursion */

foray_status fy_exact_create(fy_arena *arena, const foray_model *model, const double *theta,
                             bool ahead, fy_exact *out)
{
    foray_status status = fy_kernel_create(arena, model->basis, FY_FACTOR_NONE, &out->kernel);
    if (status == FORAY_OK)
        status = fy_layout_create(arena, model, ahead, &out->layout);
    if (status == FORAY_OK && !FY_NEW(arena, out->value, 2 * model->states))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        fy_kernel_exact(out->kernel, theta);
    return status;
}

void fy_exact_set(fy_exact *exact, const foray_reward *reward)
{
    fy_layout_set(&exact->layout, reward);
    exact->unit = fy_reward_unit_of(reward);
}

double fy_exact_value(const fy_exact *exact, const int32_t *follow, int32_t *policy, double *all)
{
    double mean;
    fy_plan_task task = {
        .kernel = exact->kernel,
        .reward = exact->layout.reward,
        .lanes = 1,
        .clip = FORAY_CLIP_REMAINING,
        .ties = FORAY_TIES_LOWEST,
        .follow = follow,
        .layers = all ? exact->kernel->basis->model->horizon + 1 : 2,
    };
    task.value = all ? all : exact->value;
    task.policy = policy;
    fy_plan(&task, &mean);
    return fy_reward_value(&exact->unit, mean);
}

/* ------------------------------------------------------------------------ policies that draw */

/* Q(s,a) from the values after; the first successor's does not appear in a centred kernel. */
static double expect(const fy_exact *exact, int64_t t, int64_t pair, const double *after)
{
    const fy_kernel *kernel = exact->kernel;
    const foray_model *model = kernel->basis->model;
    const fy_plan_reward *reward = &exact->layout.reward;
    const double *next = reward->next ? reward->next[t] : NULL;
    int64_t set = model->generator_set[pair], c = fy_kernel_columns(kernel, set);
    int64_t from = model->succ_start[pair], skip = model->succ_start[pair + 1] - from - c;
    const double *p = kernel->p + fy_kernel_at(kernel, set);
    double scale = reward->scale ? reward->scale[t] : 1, first = 0;
    if (skip > 0)
        first = (next ? scale * next[from] : 0) + after[model->succ[from]];
    double sum = scale * reward->table[t][pair] + first;
    for (int64_t j = 0; j < c; j++) {
        int64_t i = from + skip + j;
        sum += p[j] * ((next ? scale * next[i] : 0) + after[model->succ[i]] - first);
    }
    return sum;
}

/* V_h(s) = sum_a pi(a|s) Q_h(s,a), [horizon][states][actions]. */
static double drawn_value(const fy_exact *exact, const double *chance)
{
    const foray_model *model = exact->kernel->basis->model;
    const fy_plan_reward *reward = &exact->layout.reward;
    int64_t S = model->states, A = model->actions;
    for (int64_t s = 0; s < S; s++)
        exact->value[model->horizon % 2 * S + s] = reward->ending ? reward->ending[s] : 0;
    for (int64_t t = model->horizon - 1; t >= 0; t--) {
        double *now = exact->value + t % 2 * S;
        const double *after = exact->value + (t + 1) % 2 * S;
        for (int64_t s = 0; s < S; s++) {
            double sum = 0;
            for (int64_t a = 0; a < A; a++)
                if (chance[(t * S + s) * A + a] > 0)
                    sum += chance[(t * S + s) * A + a] * expect(exact, t, s * A + a, after);
            now[s] = reward->fixed && !isnan(reward->fixed[s]) ? reward->fixed[s] : sum;
        }
    }
    return fy_reward_value(&exact->unit, fy_initial_mean(model, exact->value));
}

/* Of a policy of any kind. */
static double exact_value_of(const fy_exact *exact, const foray_policy *policy)
{
    double value = 0;
    for (int64_t k = 0; k < fy_policy_parts(policy); k++) {
        const double *chance = fy_policy_chances(policy, k);
        double odds = fy_policy_odds(policy, k);
        if (odds > 0)
            value +=
                odds * (chance ? drawn_value(exact, chance)
                               : fy_exact_value(exact, fy_policy_actions(policy, k), NULL, NULL));
    }
    return value;
}

/* ------------------------------------------------------------------------ what it is for */

/* What is wanted in the reward's own unit is planned for in a range of its values alone; and only
 * for what episodes get to, with what has to be remembered of them. */
typedef struct known {
    fy_arena arena;
    foray_model *part;    /* NULL: all can be reached */
    int64_t reader;       /* of the policy's memory, where the part is a product */
    foray_reward *narrow; /* NULL: the reward is as narrow as it can be */
    foray_reward *within; /* NULL with the part */
    fy_exact exact;
} known;

static foray_status find_part(foray_context *ctx, const foray_model *model,
                              const foray_reward *reward, const foray_policy *policy, known *k)
{
    fy_task_reader reader[2];
    int64_t count = 0;
    foray_status status = FORAY_OK;
    if (reward->task)
        status = fy_reward_reader(&k->arena, reward, &reader[count++]);
    k->reader = count;
    if (policy && policy->memory)
        reader[count++] = fy_policy_reader(policy);
    if (status != FORAY_OK || count == 0)
        return status == FORAY_OK ? fy_model_reachable(ctx, model, &k->part) : status;
    return fy_product_create(ctx, model, count, reader, &k->part);
}

static foray_status create_known(foray_context *ctx, const foray_model *model,
                                 const foray_reward *reward, const foray_policy *policy, known *k)
{
    *k = (known){.arena.ctx = ctx};
    foray_status status = find_part(ctx, model, reward, policy, k);
    if (status == FORAY_OK)
        status = fy_reward_narrow(ctx, reward, &k->narrow);
    const foray_reward *found = k->narrow ? k->narrow : reward;
    if (status == FORAY_OK && reward->task)
        status = fy_reward_in_product(ctx, reward, k->part, 0, false, &k->within);
    else if (status == FORAY_OK && k->part)
        status = fy_reward_within(ctx, found, k->part, &k->within);
    if (status == FORAY_OK)
        status = fy_exact_create(&k->arena, k->part ? k->part : model, model->theta,
                                 fy_reward_looks_ahead(reward), &k->exact);
    if (status == FORAY_OK)
        fy_exact_set(&k->exact, k->within ? k->within : found);
    return status;
}

static void release_known(known *k)
{
    fy_arena_release(&k->arena);
    foray_reward_destroy(k->within);
    foray_reward_destroy(k->narrow);
    foray_model_destroy(k->part);
}

static foray_status evaluate_policy(foray_context *ctx, const known *k, const foray_policy *policy,
                                    double *value)
{
    foray_policy *within = NULL;
    foray_status status =
        k->part ? fy_policy_within(ctx, policy, k->part, k->reader, &within) : FORAY_OK;
    if (status == FORAY_OK)
        *value = exact_value_of(&k->exact, within ? within : policy);
    foray_policy_destroy(within);
    return status;
}

foray_status foray_evaluate(foray_context *ctx, const foray_model *model,
                            const foray_reward *reward, const foray_policy *policy, double *value,
                            double *optimal)
{
    known k;
    foray_status status = check(ctx, model, reward, policy);
    if (status != FORAY_OK)
        return status;
    status = create_known(ctx, model, reward, policy, &k);
    if (status == FORAY_OK && policy)
        status = evaluate_policy(ctx, &k, policy, value);
    if (status == FORAY_OK)
        *optimal = fy_exact_value(&k.exact, NULL, NULL, NULL);
    release_known(&k);
    return status;
}

foray_status fy_evaluate_steps(foray_context *ctx, const foray_model *model, const double *theta,
                               const foray_reward *reward, const foray_policy *policy,
                               double *value)
{
    fy_arena arena = {.ctx = ctx};
    fy_exact exact;
    foray_status status = fy_reward_check(ctx, reward, model);
    if (status == FORAY_OK)
        status = fy_policy_check_plain(ctx, policy, model, "this");
    if (status == FORAY_OK)
        status = fy_exact_create(&arena, model, theta, fy_reward_looks_ahead(reward), &exact);
    if (status == FORAY_OK) {
        fy_exact_set(&exact, reward);
        fy_exact_value(&exact, policy->action, NULL, value);
    }
    fy_arena_release(&arena);
    return status;
}

/* What is known needs no modes: all three values are the true one, and nothing is lost. */
static foray_status plan_known(foray_context *ctx, const known *k, foray_policy *policy)
{
    double value = fy_exact_value(&k->exact, NULL, policy->action, NULL);
    foray_status status = k->part ? fy_policy_spread(ctx, k->part, policy) : FORAY_OK;
    for (int mode = 0; mode < FORAY_MODES; mode++)
        policy->value[mode] = value;
    policy->expected = policy->low = policy->high = value;
    policy->certificate = (foray_certificate){
        .radius = FORAY_RADIUS_NONE, .bound = FORAY_BOUND_EXACT, .status = FORAY_EXACT};
    fy_certificate_classify(&policy->certificate, k->exact.unit.max);
    return status;
}

foray_status foray_plan_known(foray_context *ctx, const foray_model *model,
                              const foray_reward *reward, foray_policy **out)
{
    known k;
    foray_policy *policy = NULL;
    foray_status status = check(ctx, model, reward, NULL);
    if (status != FORAY_OK)
        return status;
    status = create_known(ctx, model, reward, NULL, &k);
    if (status == FORAY_OK)
        status = foray_policy_create(ctx, k.part ? k.part : model, FORAY_PLUGIN, &policy);
    if (status == FORAY_OK)
        status = plan_known(ctx, &k, policy);
    release_known(&k);
    if (status == FORAY_OK)
        *out = policy;
    else
        foray_policy_destroy(policy);
    return status;
}
