/* certificates.c - plans and bounds with certificates from likelihoods, whatever the algorithm:
 * of the data only the counts of transitions matter, and those every explorer keeps. */
#include "explore/explorer.h"
#include "model/model.h"
#include "plan/many.h"
#include "policy/policy.h"
#include "reward/reward.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* MiB for vectors of all unknowns. Beyond that the gap is bounded without them. */
enum { VECTOR_MEMORY = 1024 };

static foray_status no_likelihood(const foray_explorer *explorer)
{
    if (explorer->model->unstructured)
        return fy_model_need_features(explorer->ctx, explorer->model, "this");
    if (explorer->aggregated)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "the world is seen through clusters, and what follows a cluster does not "
                       "obey the model: there are no certificates from likelihoods");
    return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                   explorer->model->feature_error > 0
                       ? "the features are estimates, whose errors likelihoods do not know, and %s "
                         "has no regression that does: there are no certificates of this kind"
                       : "some features are not mixtures of laws, and %s has no regression for "
                         "them: there are no certificates from likelihoods",
                   explorer->ops->name);
}

foray_status foray_explorer_certify_by(foray_explorer *explorer, foray_radius radius)
{
    fy_certifier *sets = NULL;
    fy_explorer_end_refit(explorer);
    if (radius != FORAY_RADIUS_LIKELIHOOD && radius != explorer->settings.radius)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "certificates rest on the likelihood, or on the radius of the exploration");
    if (explorer->model->unstructured) /* all there is */
        return FORAY_OK;
    foray_status status =
        radius == FORAY_RADIUS_LIKELIHOOD ? fy_explorer_sets(explorer, &sets) : FORAY_OK;
    if (status == FORAY_OK && radius == FORAY_RADIUS_LIKELIHOOD && !sets)
        status = no_likelihood(explorer);
    if (status == FORAY_OK)
        explorer->certificates = radius;
    return status;
}

foray_status fy_explorer_refit(foray_explorer *explorer, int64_t count, const int64_t *number,
                               int64_t *const *seen)
{
    fy_certifier *sets;
    foray_status status = fy_explorer_need_sets(explorer, &sets);
    if (status == FORAY_OK)
        status = fy_certifier_remember(&explorer->arena, sets, count, number, seen);
    if (status != FORAY_OK)
        return status;
    explorer->certificates = FORAY_RADIUS_REFIT;
    explorer->certifier_after = -1;
    return FORAY_OK;
}

/* What comes next is explored and certified with the likelihood of all data, as if nobody had
 * asked. */
void fy_explorer_end_refit(foray_explorer *explorer)
{
    if (explorer->certificates != FORAY_RADIUS_REFIT)
        return;
    explorer->certificates = FORAY_RADIUS_LIKELIHOOD;
    explorer->certifier_after = -1;
    fy_certifier_forget(explorer->certifier);
}

void fy_explorer_qualify(foray_explorer *explorer, foray_certificate *certificate)
{
    foray_refutation refutation;
    if (foray_explorer_refutation(explorer, &refutation) == FORAY_OK && refutation.refuted)
        fy_certificate_degrade(certificate, FORAY_REFUTED);
    else if (explorer->aggregated && certificate->status == FORAY_CERTIFIED)
        fy_certificate_degrade(certificate, FORAY_ESTIMATE);
}

/* Below 1 the radii are smaller than theory asks for. */
static double scale_of(const foray_explorer *explorer)
{
    return explorer->settings.radius_scale;
}

/* Where no block has a likelihood, certificates rest on the radius of the exploration. */
static foray_radius radius_of(const foray_explorer *explorer)
{
    const fy_certifier *certifier = explorer->certifier;
    int64_t regressed = fy_certifier_regressed(certifier);
    return regressed > 0 && regressed == certifier->blocks ? fy_explorer_regression_radius(explorer)
           : explorer->certificates == FORAY_RADIUS_REFIT  ? FORAY_RADIUS_REFIT
                                                           : FORAY_RADIUS_LIKELIHOOD;
}

foray_certificate fy_explorer_certificate(const foray_explorer *explorer, double gap, double max)
{
    foray_certificate certificate = {
        .gap = gap,
        .delta = fy_certificate_delta(explorer->model, explorer->settings.delta),
        .radius = radius_of(explorer),
        .bound = FORAY_BOUND_GAP,
        .status = scale_of(explorer) >= 1.0 ? FORAY_CERTIFIED : FORAY_HEURISTIC,
    };
    fy_certificate_classify(&certificate, max);
    return certificate;
}

/* A view has the sets of the explorer that it shows. */
static foray_status take_sets(foray_explorer *view, fy_certifier **out)
{
    fy_certifier *sets;
    foray_status status = fy_explorer_sets(view->original, &sets);
    if (status != FORAY_OK || !sets)
        return status;
    if (!view->certifier)
        status = fy_certifier_create(&view->arena, view->model, VECTOR_MEMORY, &view->certifier);
    if (status != FORAY_OK)
        return status;
    if (view->certifier_after != view->original->episodes)
        fy_certifier_take(view->certifier, sets);
    view->certifier_after = view->original->episodes;
    *out = view->certifier;
    return FORAY_OK;
}

foray_status fy_explorer_sets(foray_explorer *explorer, fy_certifier **out)
{
    *out = NULL;
    if (!explorer->model->basis || explorer->aggregated)
        return FORAY_OK;
    if (explorer->original)
        return take_sets(explorer, out);
    foray_status status = FORAY_OK;
    if (!explorer->certifier)
        status = fy_certifier_create(&explorer->arena, explorer->model, VECTOR_MEMORY,
                                     &explorer->certifier);
    if (status != FORAY_OK)
        return status;
    fy_certifier *certifier = explorer->certifier;
    fy_regression_set regression;
    bool regressed =
        explorer->ops->regression != NULL && explorer->ops->regression(explorer, &regression);
    if (!fy_certifier_possible(certifier, regressed))
        return FORAY_OK;
    if (explorer->spent > 0 && fy_certifier_regressed(certifier) > 0)
        return fy_fail(
            explorer->ctx, FORAY_ERROR_USAGE,
            "rewards that are drawn share delta with laws, and the radii of a regression "
            "are fixed: there are no certificates for them");
    if (explorer->certifier_after != explorer->episodes ||
        explorer->certifier_spent != explorer->spent)
        fy_certifier_estimate(certifier, explorer->seen,
                              explorer->settings.delta * (1 - explorer->spent), scale_of(explorer),
                              regressed ? &regression : NULL);
    /* Sets that were stopped half-way are estimated again. */
    explorer->certifier_after = fy_was_stopped(explorer->ctx) ? -1 : explorer->episodes;
    explorer->certifier_spent = explorer->spent;
    *out = certifier;
    return FORAY_OK;
}

/* The value of a policy with its interval, and the certificate. */
static void keep_result(foray_explorer *explorer, const foray_reward *reward, fy_gap_result result,
                        foray_policy *policy)
{
    policy->expected = fmin(fmax(result.value, result.low), result.high);
    policy->low = result.low;
    policy->high = result.high;
    policy->certificate =
        fy_explorer_certificate(explorer, result.gap, fy_reward_unit_of(reward).max);
    /* V_low of the set is about the policy planned on it; this may be another. */
    if (policy->mode == FORAY_PESSIMISTIC)
        policy->value[FORAY_PESSIMISTIC] = fmin(policy->value[FORAY_PESSIMISTIC], result.low);
    if (result.gap > 0 && result.gap >= result.values)
        policy->certificate.bound = FORAY_BOUND_VALUES;
}

static foray_status certify_policy(foray_explorer *explorer, fy_certifier *sets,
                                   const foray_reward *reward, foray_policy *policy)
{
    fy_arena scratch = {.ctx = explorer->ctx};
    foray_status status = fy_certifier_begin_policy(&scratch, sets, reward, policy->action);
    if (status == FORAY_OK)
        keep_result(explorer, reward, fy_certifier_policy(sets, reward, policy->action), policy);
    fy_certifier_end_policy(sets);
    fy_arena_release(&scratch);
    return status;
}

static foray_status certify_any_policy(foray_explorer *explorer, fy_certifier *sets,
                                       const foray_reward *reward, foray_policy *policy)
{
    fy_gap_result result;
    foray_status status = fy_certifier_any_policy(&explorer->arena, sets, reward, policy, &result);
    if (status == FORAY_OK)
        keep_result(explorer, reward, result, policy);
    return status;
}

/* The algorithm's own actions in the place of those planned on the set, where it has any. */
static foray_status take_actions(foray_explorer *explorer, const foray_reward *reward,
                                 foray_mode mode, foray_policy *policy)
{
    foray_policy *own;
    if (!fy_reward_is_plain(reward))
        return FORAY_OK;
    foray_status status = explorer->ops->plan(explorer, 1, &reward, mode, &own);
    if (status != FORAY_OK)
        return status;
    memcpy(policy->action, own->action,
           (size_t)(policy->horizon * policy->states) * sizeof *policy->action);
    foray_policy_destroy(own);
    return FORAY_OK;
}

/* Algorithms with a planner of their own know r(s,a) alone. */
static foray_status check_plannable(foray_explorer *explorer, int64_t count,
                                    const foray_reward *const *rewards)
{
    for (int64_t i = 0; i < count && !explorer->ops->plans_on_sets; i++)
        if (!fy_reward_is_plain(rewards[i]))
            return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                           "reward \"%s\" %s, and %s plans for rewards r(s,a) alone; certificates "
                           "from likelihoods are available for it",
                           rewards[i]->name,
                           rewards[i]->fixed           ? "is about reaching or avoiding states"
                           : rewards[i]->discount != 1 ? "is discounted"
                                                       : "depends on what follows",
                           explorer->ops->name);
    return FORAY_OK;
}

static foray_status plan_alone(foray_explorer *explorer, int64_t count,
                               const foray_reward *const *rewards, foray_mode mode,
                               foray_policy **policies)
{
    foray_status status = check_plannable(explorer, count, rewards);
    return status == FORAY_OK ? explorer->ops->plan(explorer, count, rewards, mode, policies)
                              : status;
}

/* Policies with certificates of the exploration's own radius, or on the sets without any yet;
 * *sets is NULL in the first case. `alone`: of the three values, that of the mode is enough. */
static foray_status make_policies(foray_explorer *explorer, int64_t count,
                                  const foray_reward *const *rewards, foray_mode mode, bool alone,
                                  foray_policy **policies, fy_certifier **sets)
{
    foray_status status = FORAY_OK;
    *sets = NULL;
    if (fy_explorer_on_sets(explorer))
        status = fy_explorer_sets(explorer, sets);
    if (status != FORAY_OK)
        return status;
    if (!*sets)
        return plan_alone(explorer, count, rewards, mode, policies);
    fy_plan_order order = {.kernel = (*sets)->inside->kernel,
                           .clip = FORAY_CLIP_REMAINING,
                           .ties = explorer->settings.ties,
                           .mode = mode,
                           .interval = false, /* certify_policy has a narrower one */
                           .alone = alone};
    fy_progress_part(explorer->ctx, "planning", 0, 0);
    status = fy_plan_rewards(explorer->ctx, &order, count, rewards, policies);
    if (status != FORAY_OK)
        return status;
    /* The plug-in plan is the best one under the centre inside the set, whoever explored: the bound
     * for all rewards is about that one, and not about the best under another centre. */
    bool own = !explorer->ops->plans_on_sets && mode != FORAY_PLUGIN;
    for (int64_t i = 0; i < count && status == FORAY_OK && own; i++)
        status = take_actions(explorer, rewards[i], mode, policies[i]);
    if (status != FORAY_OK)
        fy_policies_destroy(count, policies);
    return status;
}

foray_status fy_explorer_policies(foray_explorer *explorer, int64_t count,
                                  const foray_reward *const *rewards, foray_mode mode,
                                  foray_policy **policies)
{
    fy_certifier *sets;
    foray_status status = make_policies(explorer, count, rewards, mode, true, policies, &sets);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        policies[i]->certificate = (foray_certificate){
            .gap = INFINITY,
            .delta = fy_certificate_delta(explorer->model, explorer->settings.delta),
            .radius = FORAY_RADIUS_NONE};
    return status;
}

foray_status fy_explorer_plan(foray_explorer *explorer, int64_t count,
                              const foray_reward *const *rewards, foray_mode mode,
                              foray_policy **policies)
{
    fy_certifier *sets;
    foray_status status = make_policies(explorer, count, rewards, mode, false, policies, &sets);
    for (int64_t i = 0; i < count && status == FORAY_OK && sets; i++) {
        fy_progress_part(explorer->ctx, "certificates", i, count);
        status = certify_policy(explorer, sets, rewards[i], policies[i]);
    }
    return status;
}

foray_status fy_explorer_need_sets(foray_explorer *explorer, fy_certifier **out)
{
    foray_status status = fy_explorer_sets(explorer, out);
    return status == FORAY_OK && !*out ? no_likelihood(explorer) : status;
}

/* In the numbers of the part. */
static foray_status certify_known(foray_explorer *explorer, const foray_reward *reward,
                                  foray_policy *policy)
{
    fy_certifier *sets = NULL;
    foray_status status =
        explorer->ops->certify ? FORAY_OK : fy_explorer_need_sets(explorer, &sets);
    if (status == FORAY_OK && explorer->ops->certify)
        status = fy_policy_check_plain(explorer->ctx, policy, explorer->model, "this");
    if (status != FORAY_OK)
        return status;
    /* Values of plans, if it has any, were found elsewhere and stay as they are. */
    double value[FORAY_MODES];
    memcpy(value, policy->value, sizeof value);
    if (explorer->ops->certify)
        status = explorer->ops->certify(explorer, reward, policy);
    else if (fy_policy_is_plain(policy))
        status = certify_policy(explorer, sets, reward, policy);
    else
        status = certify_any_policy(explorer, sets, reward, policy);
    if (status != FORAY_OK)
        return status;
    fy_explorer_qualify(explorer, &policy->certificate);
    fy_policy_convert(policy, reward);
    memcpy(policy->value, value, sizeof value);
    return fy_was_stopped(explorer->ctx) ? FORAY_INTERRUPTED : FORAY_OK;
}

/* Means of rewards that are drawn take their share of delta, and laws have the rest. */
static foray_status certify_inside(foray_explorer *explorer, const foray_reward *reward,
                                   foray_policy *policy)
{
    explorer->spent = reward->spent;
    foray_status status = certify_known(explorer, reward, policy);
    explorer->spent = 0;
    return status;
}

/* Half a unit of the last digit of what was rounded on the way to the reward's own unit. */
static double own_rounding(const foray_reward *reward, double slope)
{
    return (double)(reward->horizon + 4) * DBL_EPSILON * fabs(slope) *
           (fy_reward_unit_of(reward).max + 1);
}

static foray_status compare_inside(foray_explorer *explorer, const foray_reward *reward,
                                   const foray_policy *one, const foray_policy *other,
                                   foray_difference *out)
{
    fy_certifier *sets;
    double value, width;
    foray_status status = fy_explorer_need_sets(explorer, &sets);
    if (status == FORAY_OK)
        status =
            fy_certifier_difference(&explorer->arena, sets, reward, one, other, &value, &width);
    if (status != FORAY_OK)
        return status;
    fy_reward_unit unit = fy_reward_unit_of(reward);
    double most = fabs(unit.slope) * unit.max, middle = unit.slope * value;
    double half = fabs(unit.slope) * width;
    half += half > 0 || middle != 0 ? own_rounding(reward, unit.slope) : 0;
    out->expected = middle;
    out->low = fmax(middle - half, -most);
    out->high = fmin(middle + half, most);
    /* How much worse `one` can be than `other`. */
    double worse = unit.slope > 0 ? -out->low : out->high;
    out->certificate = fy_explorer_certificate(explorer, fmax(0, worse), most);
    out->certificate.optimal = FORAY_OPTIMAL_NO; /* no other policy was looked at */
    fy_explorer_qualify(explorer, &out->certificate);
    return fy_was_stopped(explorer->ctx) ? FORAY_INTERRUPTED : FORAY_OK;
}

static foray_status compare_whole(foray_explorer *explorer, const foray_reward *reward,
                                  const foray_policy *one, const foray_policy *other,
                                  foray_difference *out)
{
    foray_reward *reward_inside = NULL;
    foray_policy *one_inside = NULL, *other_inside = NULL;
    foray_status status = fy_border_reward(explorer, reward, &reward_inside);
    if (status == FORAY_OK)
        status = fy_border_policy(explorer, one, &one_inside);
    if (status == FORAY_OK)
        status = fy_border_policy(explorer, other, &other_inside);
    if (status == FORAY_OK)
        status =
            compare_inside(explorer, reward_inside ? reward_inside : reward,
                           one_inside ? one_inside : one, other_inside ? other_inside : other, out);
    foray_reward_destroy(reward_inside);
    foray_policy_destroy(one_inside);
    foray_policy_destroy(other_inside);
    return status;
}

foray_status foray_explorer_compare(foray_explorer *explorer, const foray_reward *reward,
                                    const foray_policy *one, const foray_policy *other,
                                    foray_difference *out)
{
    const foray_policy *const both[] = {one, other};
    foray_explorer *in;
    foray_status status = fy_explorer_enter(explorer, 1, &reward, 2, both, false, &in);
    if (status == FORAY_OK)
        status = compare_whole(in, reward, one, other, out);
    fy_explorer_leave(explorer, in);
    return status;
}

/* What is said of a policy, of the same policy in other numbers. */
static void take_values(foray_policy *policy, const foray_policy *inside)
{
    memcpy(policy->value, inside->value, sizeof policy->value);
    policy->expected = inside->expected;
    policy->low = inside->low;
    policy->high = inside->high;
    policy->certificate = inside->certificate;
}

static foray_status certify_whole(foray_explorer *explorer, const foray_reward *reward,
                                  foray_policy *policy)
{
    foray_reward *reward_inside = NULL;
    foray_policy *inside = NULL;
    foray_status status = fy_border_reward(explorer, reward, &reward_inside);
    if (status == FORAY_OK)
        status = fy_border_policy(explorer, policy, &inside);
    if (inside)
        take_values(inside, policy);
    if (status == FORAY_OK)
        status = certify_inside(explorer, reward_inside ? reward_inside : reward,
                                inside ? inside : policy);
    if (status == FORAY_OK && inside)
        take_values(policy, inside);
    foray_reward_destroy(reward_inside);
    foray_policy_destroy(inside);
    return status;
}

foray_status foray_explorer_certify(foray_explorer *explorer, const foray_reward *reward,
                                    foray_policy *policy)
{
    const foray_policy *const it = policy;
    foray_explorer *in;
    foray_status status = fy_explorer_enter(explorer, 1, &reward, 1, &it, false, &in);
    if (status == FORAY_OK)
        status = certify_whole(in, reward, policy);
    fy_explorer_leave(explorer, in);
    return status;
}

/* Which generator set of its model the explorer has for each of the whole; -1: no episode meets it.
 */
static foray_status find_sets(const foray_explorer *explorer, fy_arena *arena, int32_t **out)
{
    const foray_model *model = explorer->model, *whole = explorer->whole;
    int32_t *found;
    if (!FY_NEW(arena, found, whole->generator_sets))
        return FORAY_ERROR_MEMORY;
    memset(found, -1, (size_t)whole->generator_sets * sizeof *found);
    int64_t begun = fy_begun(model);
    for (int64_t pair = 0; pair < begun * model->actions; pair++) {
        int64_t there =
            fy_outside(model, pair / model->actions) * model->actions + pair % model->actions;
        found[whole->generator_set[there]] = model->generator_set[pair];
    }
    *out = found;
    return FORAY_OK;
}

/* Pair by pair of the whole; between 0 and 1 lies all that nothing is learnt of. */
static foray_status list_intervals(const foray_explorer *explorer, const fy_certifier *sets,
                                   double *low, double *high)
{
    const foray_model *whole = explorer->whole;
    fy_arena scratch = {.ctx = explorer->ctx};
    int32_t *found;
    foray_status status = find_sets(explorer, &scratch, &found);
    for (int64_t k = 0; status == FORAY_OK && k < whole->available; k++) {
        int64_t pair = fy_existing(whole, k);
        int64_t count = whole->succ_start[pair + 1] - whole->succ_start[pair];
        int32_t set = found[whole->generator_set[pair]];
        for (int64_t j = 0; set < 0 && j < count; j++) {
            low[j] = 0;
            high[j] = 1;
        }
        if (set >= 0)
            fy_certifier_intervals(sets, set, low, high);
        low += count;
        high += count;
    }
    fy_arena_release(&scratch);
    return status;
}

foray_status foray_explorer_intervals(foray_explorer *explorer, double *low, double *high,
                                      foray_certificate *about)
{
    const foray_model *model = explorer->model;
    fy_certifier *sets;
    if (model->unstructured)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "in an unstructured model any state may follow, even one that was never "
                       "seen, and intervals of "
                       "what was seen would leave it out (fy_explorer_enclose adds it)");
    foray_status status = fy_explorer_need_sets(explorer, &sets);
    if (status != FORAY_OK)
        return status;
    if (model->feature_error > 0)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "the features of %s are estimates, so its probabilities have no intervals",
                       model->name);
    status = list_intervals(explorer, sets, low, high);
    if (about && status == FORAY_OK) {
        *about = fy_explorer_certificate(explorer, 0, 1);
        fy_explorer_qualify(explorer, about);
        about->optimal = FORAY_OPTIMAL_NO; /* of no policy */
    }
    return status;
}

/* ----------------------------------------------------------------- why it is not 0 */

static foray_status explain_inside(foray_explorer *explorer, const foray_reward *reward,
                                   const foray_policy *policy, double target, foray_doubt **out)
{
    const fy_explorer_ops *ops = explorer->ops;
    fy_certifier *sets = NULL;
    foray_status status = ops->explain ? FORAY_OK : fy_explorer_need_sets(explorer, &sets);
    if (status == FORAY_OK)
        status = fy_policy_check_plain(explorer->ctx, policy, explorer->model, "explaining");
    if (status != FORAY_OK)
        return status;
    if (!ops->explain)
        return fy_doubt_explain(sets, explorer->seen, reward, policy, target, out);
    fy_reasons found = {0};
    status = ops->explain(explorer, reward, policy, &found);
    if (status == FORAY_OK)
        return fy_doubt_from_reasons(explorer->ctx, reward, target, &found, out);
    free(found.place);
    free(found.law);
    return status;
}

static foray_status explain_whole(foray_explorer *explorer, const foray_reward *reward,
                                  const foray_policy *policy, double target, foray_doubt **out)
{
    foray_reward *reward_inside = NULL;
    foray_policy *inside = NULL;
    foray_status status = fy_border_reward(explorer, reward, &reward_inside);
    if (status == FORAY_OK)
        status = fy_border_policy(explorer, policy, &inside);
    if (status == FORAY_OK)
        status = explain_inside(explorer, reward_inside ? reward_inside : reward,
                                inside ? inside : policy, target, out);
    if (status == FORAY_OK)
        fy_border_doubt_out(explorer, *out);
    foray_reward_destroy(reward_inside);
    foray_policy_destroy(inside);
    return status;
}

foray_status foray_explorer_explain(foray_explorer *explorer, const foray_reward *reward,
                                    const foray_policy *policy, double target, foray_doubt **out)
{
    foray_explorer *in;
    foray_status status = fy_explorer_enter(explorer, 1, &reward, 1, &policy, false, &in);
    if (status == FORAY_OK)
        status = explain_whole(in, reward, policy, target, out);
    fy_explorer_leave(explorer, in);
    return status;
}

static foray_status find_tie_inside(foray_explorer *explorer, const foray_reward *reward,
                                    const foray_policy *policy, bool *found, foray_doubt_place *out)
{
    const foray_model *model = explorer->model;
    foray_doubt *doubt = NULL;
    foray_policy *best = NULL;
    foray_status status = fy_tie_best(explorer->ctx, model, reward, policy, &best);
    const foray_policy *about = best ? best : policy;
    if (status == FORAY_OK)
        status = explain_inside(explorer, reward, about, 0, &doubt);
    if (status == FORAY_OK)
        status = fy_tie_find(explorer->ctx, model, reward, about, doubt, found, out);
    foray_doubt_destroy(doubt);
    foray_policy_destroy(best);
    return status;
}

static foray_status find_tie_whole(foray_explorer *explorer, const foray_reward *reward,
                                   const foray_policy *policy, bool *found, foray_doubt_place *out)
{
    foray_reward *reward_inside = NULL;
    foray_policy *inside = NULL;
    if (!explorer->model->theta)
        return fy_fail(explorer->ctx, FORAY_ERROR_USAGE,
                       "theta is not known, so it is not known which actions tie exactly");
    foray_status status = fy_border_reward(explorer, reward, &reward_inside);
    if (status == FORAY_OK)
        status = fy_border_policy(explorer, policy, &inside);
    if (status == FORAY_OK)
        status = find_tie_inside(explorer, reward_inside ? reward_inside : reward,
                                 inside ? inside : policy, found, out);
    if (status == FORAY_OK && *found)
        out->state = fy_outside(explorer->model, out->state);
    foray_reward_destroy(reward_inside);
    foray_policy_destroy(inside);
    return status;
}

foray_status fy_explorer_find_tie(foray_explorer *explorer, const foray_reward *reward,
                                  const foray_policy *policy, bool *found, foray_doubt_place *out)
{
    foray_explorer *in;
    foray_status status = fy_explorer_enter(explorer, 1, &reward, 1, &policy, false, &in);
    if (status == FORAY_OK)
        status = find_tie_whole(in, reward, policy, found, out);
    fy_explorer_leave(explorer, in);
    return status;
}
