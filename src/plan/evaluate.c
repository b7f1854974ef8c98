/* evaluate.c - exact values in a model whose theta is known: PLAN without bonus on the
 * true kernel. There values lie in [0, H-h+1] by themselves; clipping only takes away
 * what rounding may add. */
#include "plan/layout.h"
#include "plan/plan.h"
#include "policy/policy.h"

#include <stdlib.h>

static foray_status check(foray_context *ctx, const foray_model *model, const foray_reward *reward,
                          const foray_policy *policy)
{
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
    fy_layout layout;
    foray_reward *narrow; /* or NULL */
    fy_reward_unit unit;
    double *value; /* two layers */
} workspace;

static void destroy(workspace *work)
{
    foray_reward_destroy(work->narrow);
    fy_kernel_destroy(work->kernel);
    fy_layout_destroy(&work->layout);
    free(work->value);
}

/* `narrow`: results are wanted in the reward's own unit, whatever that of planning is. */
static foray_status create(foray_context *ctx, const foray_model *model, const double *theta,
                           const foray_reward *reward, bool narrow, workspace *work)
{
    *work = (workspace){0};
    foray_status status = fy_kernel_create(ctx, model->basis, FY_FACTOR_NONE, &work->kernel);
    if (status == FORAY_OK)
        status = fy_layout_create(ctx, model, fy_reward_looks_ahead(reward), &work->layout);
    if (status == FORAY_OK && narrow)
        status = fy_reward_narrow(ctx, reward, &work->narrow);
    if (status == FORAY_OK && !FY_ALLOC(ctx, work->value, 2 * model->states))
        status = FORAY_ERROR_MEMORY;
    if (status != FORAY_OK) {
        destroy(work);
        return status;
    }
    fy_layout_set(&work->layout, work->narrow ? work->narrow : reward);
    work->unit = fy_reward_unit_of(work->narrow ? work->narrow : reward);
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
        .reward = work->layout.reward,
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
    workspace work;
    foray_status status = check(ctx, model, reward, policy);
    if (status < 0 || (status = create(ctx, model, model->theta, reward, true, &work)) < 0)
        return status;
    if (policy)
        *value = fy_reward_value(&work.unit, value_of(&work, policy->action, NULL, NULL));
    *optimal = fy_reward_value(&work.unit, value_of(&work, NULL, NULL, NULL));
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
    if (status < 0 || (status = create(ctx, model, theta, reward, false, &work)) < 0)
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
    foray_status status = check(ctx, model, reward, NULL);
    if (status == FORAY_OK)
        status = foray_policy_create(ctx, model, FORAY_PLUGIN, &policy);
    if (status == FORAY_OK)
        status = create(ctx, model, model->theta, reward, true, &work);
    if (status != FORAY_OK || !policy) {
        foray_policy_destroy(policy);
        return status;
    }
    double value = fy_reward_value(&work.unit, value_of(&work, NULL, policy->action, NULL));
    destroy(&work);
    for (int mode = 0; mode < FORAY_MODES; mode++)
        policy->value[mode] = value;
    policy->expected = policy->low = policy->high = value;
    policy->certificate = (foray_certificate){
        .radius = FORAY_RADIUS_NONE, .bound = FORAY_BOUND_EXACT, .status = FORAY_EXACT};
    fy_certificate_judge(&policy->certificate, work.unit.most);
    *out = policy;
    return FORAY_OK;
}
