/* policy.c - policies and certificates as results: their words, creation, and whether they fit a
 * model. Their files are read by policy_read.c and written by policy_write.c. */
#include "plan/policy.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* In the order of the public enums. */
const char *const fy_mode_names[] = {"optimistic", "plugin", "pessimistic", "given", NULL};
const char *const fy_radius_names[] = {"sharp", "selfnormalised", "theorem", "likelihood",
                                       "refit", "counts",         "none",    NULL};
const char *const fy_status_names[] = {"none",      "certified", "exact", "estimate",
                                       "heuristic", "refuted",   NULL};
const char *const fy_bound_names[] = {"none", "gap", "values", "counts", "exact", NULL};
const char *const fy_optimality_names[] = {"no", "rounding", "proved", NULL};

const char *foray_mode_name(foray_mode mode)
{
    return (unsigned)mode <= FORAY_GIVEN ? fy_mode_names[mode] : NULL;
}

const char *foray_radius_name(foray_radius radius)
{
    return (int)radius >= 0 && (int)radius < FORAY_RADIUS_KINDS ? fy_radius_names[radius] : NULL;
}

const char *foray_certificate_status(const foray_certificate *certificate)
{
    return fy_status_names[certificate->status];
}

const char *foray_certificate_because(const foray_certificate *certificate)
{
    static const char *const because[] = {
        [FORAY_UNCERTIFIED] = "the algorithm has no bound",
        [FORAY_CERTIFIED] = "proved, with probability at least 1 - delta",
        [FORAY_EXACT] = "theta is known",
        [FORAY_ESTIMATE] = "what follows a cluster does not obey the model, so no proof covers it",
        [FORAY_HEURISTIC] = "the radius was scaled down, below what the proof needs",
        [FORAY_REFUTED] = "the data refute the model: no law that it admits fits them",
    };
    return because[certificate->status];
}

const char *foray_bound_name(foray_bound bound)
{
    return fy_bound_names[bound];
}

const char *foray_certificate_optimal(const foray_certificate *certificate)
{
    return fy_optimality_names[certificate->optimal];
}

const char *foray_certificate_verdict(const foray_certificate *certificate)
{
    static const char *const optimal[] = {
        [FORAY_OPTIMAL_ROUNDING] = "optimal up to rounding",
        [FORAY_OPTIMAL_PROVED] = "proved optimal",
    };
    if (certificate->optimal != FORAY_OPTIMAL_NO)
        return optimal[certificate->optimal];
    bool certified = certificate->status == FORAY_CERTIFIED;
    return certified && certificate->vacuous ? "vacuous" : foray_certificate_status(certificate);
}

bool fy_certificate_proves(const foray_certificate *certificate)
{
    return certificate->status == FORAY_CERTIFIED || certificate->status == FORAY_EXACT;
}

double fy_certificate_delta(const foray_model *model, double delta)
{
    return fmin(1, delta + model->feature_delta);
}

/* What is as good as 0, of what rewards allow. */
static const double rounding = 1e-9;

bool fy_certificate_small(double gap, double most)
{
    return gap <= rounding * most;
}

/* Differences of values and the errors of counts do not know what they were rounded by. */
static bool counts_rounding(const foray_certificate *certificate)
{
    return certificate->bound == FORAY_BOUND_GAP || certificate->bound == FORAY_BOUND_EXACT;
}

foray_optimality fy_certificate_optimality(const foray_certificate *certificate, bool small)
{
    if (!small || !fy_certificate_proves(certificate))
        return FORAY_OPTIMAL_NO;
    return certificate->gap == 0 && counts_rounding(certificate) ? FORAY_OPTIMAL_PROVED
                                                                 : FORAY_OPTIMAL_ROUNDING;
}

void fy_certificate_judge(foray_certificate *certificate, double most)
{
    bool small = fy_certificate_small(certificate->gap, most);
    certificate->optimal = fy_certificate_optimality(certificate, small);
    /* Where every policy earns the same, most is 0: that is a proof, and not silence. */
    certificate->vacuous = !small && certificate->gap >= (1 - rounding) * most;
    /* Only what is proved is exactly 0. */
    if (certificate->gap == 0 && !counts_rounding(certificate))
        certificate->gap = 4 * DBL_EPSILON * most;
}

void fy_certificate_degrade(foray_certificate *certificate, foray_proof_status status)
{
    certificate->status = status;
    certificate->optimal = FORAY_OPTIMAL_NO;
}

/* ----------------------------------------------------------------- creation */

foray_status fy_policy_create(foray_context *ctx, int64_t states, int64_t actions, int64_t horizon,
                              foray_policy **out)
{
    foray_policy *policy;
    size_t entries;
    if (!fy_size_mul((size_t)states, (size_t)horizon, &entries))
        return fy_fail(ctx, FORAY_ERROR_MEMORY,
                       "a policy for %" PRId64 " states and %" PRId64 " steps is too large", states,
                       horizon);
    if (!FY_ALLOC(ctx, policy, 1))
        return FORAY_ERROR_MEMORY;
    *policy = (foray_policy){.states = states, .actions = actions, .horizon = horizon};
    if (!FY_ALLOC(ctx, policy->action, entries)) {
        foray_policy_destroy(policy);
        return FORAY_ERROR_MEMORY;
    }
    *out = policy;
    return FORAY_OK;
}

foray_status foray_policy_create(foray_context *ctx, const foray_model *model, foray_mode mode,
                                 foray_policy **out)
{
    foray_policy *policy;
    if (!foray_mode_name(mode))
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%d is not a mode of planning", (int)mode);
    foray_status status =
        fy_policy_create(ctx, model->states, model->actions, model->horizon, &policy);
    if (status != FORAY_OK)
        return status;
    policy->mode = mode;
    if (mode == FORAY_GIVEN)
        fy_policy_forget(policy);
    *out = policy;
    return FORAY_OK;
}

/* Nothing is known about it but what it does. */
void fy_policy_forget(foray_policy *policy)
{
    for (int mode = 0; mode < FORAY_MODES; mode++)
        policy->value[mode] = NAN;
    policy->expected = policy->low = policy->high = NAN;
    policy->certificate = (foray_certificate){.gap = INFINITY, .radius = FORAY_RADIUS_NONE};
}

void foray_policy_destroy(foray_policy *policy)
{
    if (policy) {
        fy_policy_about_destroy(policy);
        free(policy->action);
    }
    free(policy);
}

foray_status fy_policies_create(foray_context *ctx, const foray_model *model, foray_mode mode,
                                int64_t count, foray_policy **policies)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < count; i++)
        policies[i] = NULL;
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        status = foray_policy_create(ctx, model, mode, &policies[i]);
    if (status != FORAY_OK)
        fy_policies_destroy(count, policies);
    return status;
}

void fy_policies_destroy(int64_t count, foray_policy **policies)
{
    for (int64_t i = 0; i < count; i++) {
        foray_policy_destroy(policies[i]);
        policies[i] = NULL;
    }
}

foray_status fy_policy_check(foray_context *ctx, const foray_policy *policy,
                             const foray_model *model)
{
    if (policy->states != model->states || policy->actions != model->actions ||
        policy->horizon != model->horizon)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "the policy is for %" PRId64 " states, %" PRId64
                       " actions and horizon %" PRId64 ", but the model "
                       "has %" PRId64 ", %" PRId64 " and %" PRId64,
                       policy->states, policy->actions, policy->horizon, model->states,
                       model->actions, model->horizon);
    for (int64_t i = 0; i < policy->horizon * policy->states; i++)
        if (policy->action[i] < 0 || policy->action[i] >= policy->actions)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "the policy takes action %d in state %" PRId64 " at step %" PRId64
                           ", but there are "
                           "%" PRId64 " actions",
                           policy->action[i], (i % policy->states), (i / policy->states),
                           policy->actions);
    for (int64_t i = 0; model->stand_in && i < policy->horizon * policy->states; i++)
        if (!fy_available(model, i % policy->states * model->actions + policy->action[i]))
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "the policy takes action %d in state %" PRId64 " at step %" PRId64
                           ", but that state does not have it",
                           policy->action[i], (i % policy->states), (i / policy->states));
    return FORAY_OK;
}
