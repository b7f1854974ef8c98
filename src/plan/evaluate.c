/* evaluate.c - exact values in a model whose theta is known: PLAN without bonus on the
 * true kernel. There values lie in [0, H-h+1] by themselves; clipping only takes away
 * what rounding may add.
 *
 * With a discount, step t has the reward discount^t r_t(s,a): the values of this reward are
 * the discounted ones, and so are the best policies. */
#include "plan/plan.h"
#include "plan/policy.h"
#include "plan/reward.h"

#include <math.h>
#include <stdlib.h>

static foray_status check(foray_context *ctx, const foray_model *model, const foray_reward *reward,
                          double discount, const foray_policy *policy)
{
    if (!(discount >= 0.0 && discount <= 1.0))
        return fy_fail(ctx, FORAY_ERROR_USAGE, "discount: %g is not between 0 and 1", discount);
    if (!model->theta)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "the theta of model \"%s\" is not known, so it has no exact values",
                       model->name);
    foray_status status = fy_model_check_kernel(ctx, model);
    if (status == FORAY_OK)
        status = fy_reward_check(ctx, reward, model);
    if (status == FORAY_OK && policy)
        status = fy_policy_check(ctx, policy, model);
    return status;
}

typedef struct workspace {
    fy_kernel *kernel;
    const double **table; /* [horizon] the reward's */
    double *scale;        /* [horizon] discount^t */
    double *value;        /* two layers */
} workspace;

static void destroy(workspace *work)
{
    fy_kernel_destroy(work->kernel);
    free(work->table);
    free(work->scale);
    free(work->value);
}

static foray_status create(foray_context *ctx, const foray_model *model, const double *theta,
                           const foray_reward *reward, double discount, workspace *work)
{
    *work = (workspace){0};
    foray_status status = fy_kernel_create(ctx, model->basis, FY_FACTOR_NONE, &work->kernel);
    if (status < 0)
        return status;
    if (!FY_ALLOC(ctx, work->table, model->horizon) ||
        !FY_ALLOC(ctx, work->scale, model->horizon) ||
        !FY_ALLOC(ctx, work->value, 2 * model->states)) {
        destroy(work);
        return FORAY_ERROR_MEMORY;
    }
    for (int64_t t = 0; t < model->horizon; t++)
        work->table[t] = fy_reward_table(reward, t);
    for (int64_t t = 0; t < model->horizon; t++)
        work->scale[t] = t > 0 ? discount * work->scale[t - 1] : 1.0;
    fy_kernel_exact(work->kernel, theta);
    return FORAY_OK;
}

/* E_mu of the values of `follow`, or if that is NULL of the best there are, which `policy`
 * (may be NULL) receives. `all` (may be NULL) receives the values of all steps. */
static double value_of(const workspace *work, const int32_t *follow, int32_t *policy, double *all)
{
    double mean;
    fy_plan_task task = {
        .kernel = work->kernel,
        .reward = {.table = work->table, .scale = work->scale, .cap = INFINITY},
        .lanes = 1,
        .clip = FORAY_CLIP_REMAINING,
        .ties = FORAY_TIES_LOWEST,
        .follow = follow,
        .layers = all ? work->kernel->basis->model->horizon + 1 : 2,
    };
    task.value = all ? all : work->value;
    task.policy = policy;
    fy_plan(&task, &mean);
    return mean;
}

foray_status foray_evaluate(foray_context *ctx, const foray_model *model,
                            const foray_reward *reward, const foray_policy *policy, double *value,
                            double *optimal)
{
    return foray_evaluate_discounted(ctx, model, reward, 1.0, policy, value, optimal);
}

foray_status foray_evaluate_discounted(foray_context *ctx, const foray_model *model,
                                       const foray_reward *reward, double discount,
                                       const foray_policy *policy, double *value, double *optimal)
{
    workspace work;
    foray_status status = check(ctx, model, reward, discount, policy);
    if (status < 0 || (status = create(ctx, model, model->theta, reward, discount, &work)) < 0)
        return status;
    if (policy)
        *value = value_of(&work, policy->action, NULL, NULL);
    *optimal = value_of(&work, NULL, NULL, NULL);
    destroy(&work);
    return FORAY_OK;
}

foray_status fy_evaluate_steps(foray_context *ctx, const foray_model *model, const double *theta,
                               const foray_reward *reward, const foray_policy *policy,
                               double *value)
{
    workspace work;
    foray_status status = fy_reward_check(ctx, reward, model);
    if (status == FORAY_OK)
        status = fy_policy_check(ctx, policy, model);
    if (status < 0 || (status = create(ctx, model, theta, reward, 1.0, &work)) < 0)
        return status;
    value_of(&work, policy->action, NULL, value);
    destroy(&work);
    return FORAY_OK;
}

/* What is known needs no modes: all three values are the true one, and nothing is lost. */
foray_status foray_plan_known(foray_context *ctx, const foray_model *model,
                              const foray_reward *reward, foray_policy **out)
{
    workspace work;
    foray_policy *policy = NULL;
    foray_status status = check(ctx, model, reward, 1.0, NULL);
    if (status == FORAY_OK)
        status = foray_policy_create(ctx, model, FORAY_PLUGIN, &policy);
    if (status < 0 || (status = create(ctx, model, model->theta, reward, 1.0, &work)) < 0) {
        foray_policy_destroy(policy);
        return status;
    }
    double value = value_of(&work, NULL, policy->action, NULL);
    destroy(&work);
    for (int mode = 0; mode < FORAY_MODES; mode++)
        policy->value[mode] = value;
    policy->expected = policy->low = policy->high = value;
    policy->certificate = (foray_certificate){.radius = FORAY_RADIUS_NONE,
                                              .bound = FORAY_BOUND_EXACT,
                                              .status = FORAY_EXACT,
                                              .optimal = true};
    *out = policy;
    return FORAY_OK;
}
