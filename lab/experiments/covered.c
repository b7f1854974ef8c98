/* covered.c - see covered.h. */
#include "experiments/covered.h"

#include <math.h>
#include <stdlib.h>

#include "explore/mixture/learner.h"
#include "plan/policy.h"

typedef struct watch {
    foray_context *ctx;
    const foray_model *model;
    foray_explorer *explorer;
    foray_world *world;
    fy_judge *judge;
    int64_t rounds;
    foray_policy **policies; /* [most rewards of a family] */
    double certificates, losses, plans;
    fy_covered found;
} watch;

/* gap/certificate; gaps within rounding of 0 need no certificate. */
static double share_of(double gap, double certificate)
{
    const double rounding = 1e-9;
    if (gap <= rounding)
        return 0.0;
    return certificate > 0.0 ? gap / certificate : INFINITY;
}

static void look_at_sets(watch *w)
{
    if (fy_learner_of(w->explorer))
        w->found.set =
            fmax(w->found.set, fy_learner_distance(fy_learner_of(w->explorer), w->model->theta));
}

/* ------------------------------------------------------------------ certificates */

static void look_at_plan(watch *w, const foray_reward *reward, double optimal,
                         const foray_policy *policy)
{
    double value = fy_truth_value(w->judge->truth, reward, policy->action);
    double gap = fy_gap(w->model, optimal, value), certificate = policy->certificate.gap;
    w->found.each = fmax(w->found.each, share_of(gap, certificate));
    if (policy->mode != FORAY_PESSIMISTIC)
        return;
    w->certificates += certificate;
    w->losses += gap;
    w->plans++;
}

static foray_status look_at_family(watch *w, const foray_family *family, int mode)
{
    int64_t count = foray_family_size(family);
    const foray_reward **rewards = NULL;
    if (!FY_ALLOC(w->ctx, rewards, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++)
        rewards[i] = foray_family_reward(family, i);
    foray_status status = foray_explorer_plan(w->explorer, count, rewards, mode, w->policies);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        look_at_plan(w, rewards[i], foray_family_optimal(family, i), w->policies[i]);
    if (status == FORAY_OK)
        fy_policies_destroy(count, w->policies);
    free(rewards);
    return status;
}

/* The certificate of the reward that the adversary came to. */
static foray_status look_at_worst(watch *w, const foray_reward *reward, int mode)
{
    foray_policy *policy;
    foray_status status = foray_explorer_plan(w->explorer, 1, &reward, mode, &policy);
    if (status != FORAY_OK)
        return status;
    look_at_plan(w, reward, fy_truth_best(w->judge->truth, reward, NULL), policy);
    foray_policy_destroy(policy);
    return FORAY_OK;
}

static foray_status look_at_each(watch *w, const foray_reward *worst)
{
    foray_status status = FORAY_OK;
    w->certificates = w->losses = w->plans = 0.0;
    for (int mode = 0; mode < FORAY_MODES; mode++) {
        for (int f = 0; f < FORAY_FAMILIES && status == FORAY_OK; f++)
            status = look_at_family(w, w->judge->family[f], mode);
        if (status == FORAY_OK)
            status = look_at_worst(w, worst, mode);
    }
    w->found.certificate = w->certificates / w->plans;
    w->found.loss = w->losses / w->plans;
    return status;
}

static foray_status look_at_bound(watch *w)
{
    foray_certificate bound;
    if (!w->explorer->ops->bound)
        return FORAY_OK;
    foray_status status = foray_explorer_bound(w->explorer, &bound);
    if (status != FORAY_OK)
        return status;
    w->found.bound = bound.gap;
    w->found.all = fmax(w->found.all, share_of(w->found.gap, bound.gap));
    return FORAY_OK;
}

static foray_status look_at_certificates(watch *w)
{
    foray_reward *worst = NULL;
    foray_status status = fy_judge_worst(w->ctx, w->judge, w->explorer, FORAY_OPTIMISTIC, w->rounds,
                                         &w->found.gap, &worst);
    if (status == FORAY_OK)
        status = look_at_bound(w);
    if (status == FORAY_OK)
        status = look_at_each(w, worst);
    foray_reward_destroy(worst);
    return status;
}

/* ------------------------------------------------------------------------ a run */

static bool is_power_of_4(int64_t k)
{
    while (k > 0 && k % 4 == 0)
        k /= 4;
    return k == 1;
}

static foray_status play(watch *w, const foray_settings *settings)
{
    foray_status status = FORAY_OK;
    look_at_sets(w);
    for (int64_t k = 1; k <= settings->episodes && status == FORAY_OK; k++) {
        status = foray_explorer_play(w->explorer, w->world, NULL, NULL);
        look_at_sets(w);
        if (status == FORAY_OK && (is_power_of_4(k) || k == settings->episodes))
            status = look_at_certificates(w);
    }
    return status;
}

static foray_status begin(watch *w, const foray_settings *settings)
{
    int64_t most = 1;
    for (int f = 0; f < FORAY_FAMILIES; f++) {
        int64_t size = foray_family_size(w->judge->family[f]);
        most = size > most ? size : most;
    }
    if (!FY_ALLOC(w->ctx, w->policies, most))
        return FORAY_ERROR_MEMORY;
    foray_status status = foray_explorer_create(w->ctx, w->model, settings, &w->explorer);
    if (status == FORAY_OK)
        status = foray_world_from_model(w->ctx, w->model, &w->world);
    return status;
}

foray_status fy_covered_run(foray_context *ctx, const foray_model *model,
                            const foray_settings *settings, fy_judge *judge, int64_t rounds,
                            fy_covered *out)
{
    watch w = {.ctx = ctx, .model = model, .judge = judge, .rounds = rounds};
    w.found.set = w.found.all = w.found.bound = NAN; /* fmax takes whatever comes first */
    foray_status status = begin(&w, settings);
    if (status == FORAY_OK)
        status = play(&w, settings);
    if (status == FORAY_OK)
        *out = w.found;
    foray_explorer_destroy(w.explorer);
    foray_world_destroy(w.world);
    free(w.policies);
    return status;
}
