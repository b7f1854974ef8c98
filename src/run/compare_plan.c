/* compare_plan.c - stored plans, made again: checksums find damage, not lies.
 *
 * A plan follows from the episodes before it, its reward, and what certificates were to rest on,
 * by the functions that made it. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

static bool same_number(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || a == b || (a != a && b != b);
}

/* A plan as it is stored. */
typedef struct stored_plan {
    const foray_policy *policy;
    const foray_reward *reward;
    bool own; /* the reward may be the world's */
} stored_plan;

static bool same_plan(const foray_policy *a, const stored_plan *plan)
{
    const foray_policy *stored = plan->policy;
    size_t entries = (size_t)(a->horizon * a->states);
    bool same = memcmp(a->action, stored->action, entries * sizeof *a->action) == 0;
    for (int mode = 0; mode < FORAY_MODES; mode++)
        same = same && same_number(a->value[mode], stored->value[mode]);
    const foray_certificate *one = &a->certificate, *other = &stored->certificate;
    return same && same_number(one->gap, other->gap) && same_number(one->delta, other->delta) &&
           one->radius == other->radius && one->bound == other->bound &&
           one->status == other->status && same_number(a->expected, stored->expected) &&
           same_number(a->low, stored->low) && same_number(a->high, stored->high);
}

/* The world's own reward as it is known today. */
static foray_status is_own_reward(foray_run *run, const char *json, bool *out)
{
    foray_reward *low;
    char *text;
    *out = false;
    if (run->own_id == 0)
        return FORAY_OK;
    foray_status status = foray_run_own_reward(run, FORAY_OWN_LOW, &low);
    if (status != FORAY_OK)
        return status;
    status = foray_reward_print(run->ctx, low, &text, NULL);
    foray_reward_destroy(low);
    if (status != FORAY_OK)
        return status;
    *out = strcmp(text, json) == 0;
    free(text);
    return FORAY_OK;
}

/* Makes the plan with the certificates that the explorer has now, and, if it may be one for the
 * world's own reward, with those for that. */
static foray_status compare_once(foray_run *run, foray_explorer *explorer, const stored_plan *plan,
                                 bool *same)
{
    foray_policy *policy;
    foray_status status =
        foray_explorer_plan(explorer, 1, &plan->reward, plan->policy->mode, &policy);
    if (status != FORAY_OK)
        return status;
    *same = same_plan(policy, plan);
    if (!*same && plan->own) {
        status = fy_run_certify_own(run, explorer, policy);
        *same = status == FORAY_OK && same_plan(policy, plan);
    }
    foray_policy_destroy(policy);
    return status;
}

/* On refits, on the likelihood as the explorer itself, or on the radius of the exploration: the
 * radius of a plan tells the first, but not the others, since some have no likelihood. What cannot
 * be planned so was not. */
static foray_status compare_each(foray_run *run, foray_explorer *explorer, const stored_plan *plan,
                                 bool *same)
{
    foray_status status = FORAY_OK;
    bool refitted = plan->policy->certificate.radius == FORAY_RADIUS_REFIT;
    if (refitted)
        status = fy_run_refit(run, explorer);
    if (status == FORAY_OK)
        status = compare_once(run, explorer, plan, same);
    if (!refitted && !*same && (status == FORAY_OK || status == FORAY_ERROR_USAGE)) {
        explorer->certificates = explorer->settings.radius;
        status = compare_once(run, explorer, plan, same);
    }
    return status == FORAY_ERROR_USAGE ? FORAY_OK : status;
}

foray_status fy_run_compare_plan(foray_run *run, foray_explorer *explorer, const char *reward_json,
                                 const foray_policy *stored, fy_comparison *out)
{
    bool own = false, same = false;
    foray_reward *reward;
    foray_status status = foray_reward_parse(run->ctx, run->model, reward_json, strlen(reward_json),
                                             "its reward", &reward);
    if (status != FORAY_OK)
        return status;
    status = is_own_reward(run, reward_json, &own);
    const stored_plan plan = {.policy = stored, .reward = reward, .own = own};
    foray_radius usual = explorer->certificates;
    if (status == FORAY_OK)
        status = compare_each(run, explorer, &plan, &same);
    fy_explorer_end_refit(explorer);
    explorer->certificates = usual;
    bool outdated = run->own_id > 0 && !own && strcmp(foray_reward_name(reward), "own") == 0;
    foray_reward_destroy(reward);
    if (status == FORAY_OK)
        *out = same ? FY_PLAN_SAME : outdated ? FY_PLAN_UNKNOWN : FY_PLAN_DIFFERS;
    return status;
}
