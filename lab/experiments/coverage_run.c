/* coverage_run.c - one run, watched.
 *
 *   before the first episode and after each (for likelihoods: with the rest below)
 *     ||z - z*||_Sigma / radius, of every block
 *   after 1, 4, 16, ... episodes and at the end
 *     worst gap that can be found / bound for all rewards
 *     for each mode of planning and each reward:  gap of its plan / certificate of its plan */
#include "experiments/coverage_run.h"

#include <math.h>
#include <stdlib.h>

#include "explore/mixture/learner.h"
#include "policy/policy.h"

typedef struct watch {
    foray_context *ctx;
    const foray_model *model;
    foray_explorer *explorer;
    foray_world *world;
    fy_worst_search *search;
    foray_radius basis; /* what certificates rest on */
    int64_t rounds;
    foray_policy **policies; /* [most rewards of a family] */
    double certificates, losses, plans;
    fy_coverage_outcome found;
} watch;

/* gap/certificate; gaps within rounding of 0 need no certificate. */
static double share_of(double gap, double certificate)
{
    const double rounding = 1e-9;
    if (gap <= rounding)
        return 0.0;
    return certificate > 0.0 ? gap / certificate : INFINITY;
}

/* The sets of the exploration; those of the likelihood are made only where they are used. */
static void watch_sets(watch *w)
{
    fy_learner *learner = fy_learner_of(w->explorer);
    if (learner && w->basis != FORAY_RADIUS_LIKELIHOOD)
        w->found.set = fmax(w->found.set, fy_learner_distance(learner, w->model->theta));
}

/* ------------------------------------------------------------------ certificates */

static foray_status watch_plan(watch *w, const foray_reward *reward, double optimal,
                               foray_policy *policy)
{
    if (fy_policy_fill(w->ctx, w->model, policy) != FORAY_OK)
        return FORAY_ERROR_MEMORY;
    double value = fy_truth_value(w->search->truth, reward, policy->action);
    double gap = fy_gap(w->model, optimal, value), certificate = policy->certificate.gap;
    w->found.each = fmax(w->found.each, share_of(gap, certificate));
    if (policy->mode != FORAY_PESSIMISTIC)
        return FORAY_OK;
    w->certificates += certificate;
    w->losses += gap;
    w->plans++;
    return FORAY_OK;
}

static foray_status watch_family(watch *w, const fy_family *family, foray_mode mode)
{
    int64_t count = family->count;
    const foray_reward **rewards = NULL;
    if (!FY_ALLOC(w->ctx, rewards, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++)
        rewards[i] = family->reward[i];
    foray_status status = foray_explorer_plan(w->explorer, count, rewards, mode, w->policies);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        status = watch_plan(w, rewards[i], family->optimal[i], w->policies[i]);
    if (status == FORAY_OK)
        fy_policies_destroy(count, w->policies);
    free(rewards);
    return status;
}

/* Plans of all modes, for all rewards of the families and the one that the adversary came to. */
static foray_status watch_plans(watch *w, const foray_reward *worst)
{
    foray_status status = FORAY_OK;
    double optimal = fy_truth_best(w->search->truth, worst, NULL);
    w->certificates = w->losses = w->plans = 0.0;
    for (int mode = 0; mode < FORAY_MODES && status == FORAY_OK; mode++) {
        foray_policy *policy = NULL;
        for (int f = 0; f < FY_FAMILIES && status == FORAY_OK; f++)
            status = watch_family(w, w->search->family[f], mode);
        if (status == FORAY_OK)
            status = foray_explorer_plan(w->explorer, 1, &worst, mode, &policy);
        if (status == FORAY_OK)
            status = watch_plan(w, worst, optimal, policy);
        foray_policy_destroy(policy);
    }
    w->found.certificate = w->certificates / w->plans;
    w->found.loss = w->losses / w->plans;
    return status;
}

/* The bound for all rewards; NaN where the rule has none. */
static foray_status find_bound(watch *w, double *out)
{
    fy_certifier *sets;
    foray_certificate bound = {.gap = NAN};
    foray_status status = FORAY_OK;
    if (w->basis == FORAY_RADIUS_LIKELIHOOD) {
        status = fy_explorer_sets(w->explorer, &sets);
        if (status == FORAY_OK) {
            w->found.set = fmax(w->found.set, fy_confidence_distance(sets->set, w->model->theta));
            bound.gap = fy_certifier_all(sets, FORAY_KIND_PAIR);
        }
    } else if (w->explorer->ops->bound) {
        status = foray_explorer_bound(w->explorer, FORAY_KIND_PAIR, &bound);
    }
    *out = bound.gap;
    return status;
}

static foray_status watch_certificates(watch *w)
{
    foray_reward *worst = NULL;
    bool likelihood = w->basis == FORAY_RADIUS_LIKELIHOOD;
    foray_status status = fy_worst_search_run(w->ctx, w->search, w->explorer,
                                              likelihood ? FORAY_PLUGIN : FORAY_OPTIMISTIC,
                                              w->rounds, &w->found.gap, &worst);
    if (status == FORAY_OK)
        status = find_bound(w, &w->found.bound);
    if (status == FORAY_OK && !isnan(w->found.bound))
        w->found.all = fmax(w->found.all, share_of(w->found.gap, w->found.bound));
    if (status == FORAY_OK)
        status = watch_plans(w, worst);
    foray_reward_destroy(worst);
    return status;
}

/* ------------------------------------------------------------------------ a run */

static foray_status watch_episodes(watch *w, int64_t episodes)
{
    foray_status status = FORAY_OK;
    int64_t due = 1;
    watch_sets(w);
    for (int64_t k = 1; k <= episodes && status == FORAY_OK; k++) {
        status = foray_explorer_play(w->explorer, w->world, NULL, NULL);
        watch_sets(w);
        if (status == FORAY_OK && (k == due || k == episodes))
            status = watch_certificates(w);
        due *= k == due ? 4 : 1;
    }
    return status;
}

foray_status fy_coverage_run(foray_context *ctx, const foray_model *model,
                             const foray_settings *settings, foray_radius certificates,
                             fy_worst_search *search, int64_t rounds, fy_coverage_outcome *out)
{
    watch w = {
        .ctx = ctx, .model = model, .basis = certificates, .search = search, .rounds = rounds};
    w.found.set = w.found.all = w.found.bound = NAN; /* fmax takes whatever comes first */
    int64_t max = 1;
    for (int f = 0; f < FY_FAMILIES; f++) {
        int64_t size = search->family[f]->count;
        max = size > max ? size : max;
    }
    foray_status status = FY_ALLOC(ctx, w.policies, max) ? FORAY_OK : FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = foray_explorer_create(ctx, model, settings, &w.explorer);
    if (status == FORAY_OK)
        status = foray_explorer_certify_by(w.explorer, certificates);
    if (status == FORAY_OK)
        status = foray_world_from_model(ctx, model, &w.world);
    if (status == FORAY_OK)
        status = watch_episodes(&w, settings->episodes);
    if (status == FORAY_OK)
        *out = w.found;
    foray_explorer_destroy(w.explorer);
    foray_world_destroy(w.world);
    free(w.policies);
    return status;
}
