/* theorem_run.c - the theorem with its constants, and a run at them.
 *
 *   for k = 1, ..., K
 *     play an episode in a world that adds up the bonuses of the steps taken
 *     at k = 10^(i/4) and at K: worst gap, certificate, and what the proof bounds */
#include "experiments/theorem_run.h"
#include "base/maths.h"
#include "compare/trial.h"
#include "explore/mixture/learner.h"
#include "learn/radius.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------- the theorem */

/* On the event that theta* is in every confidence set (probability 1 - delta/3), with
 * w_{k,h} = ||psi_u||_{Sigma_k^-1} for the maximiser u in [0, H-h] of step h:
 *
 *   (1)  gap of any plan after K episodes  <=  H V*_1(r_{K+1})           r: exploration reward
 *   (2)  V*_1(r_{K+1})  <=  1/K sum_k V*_1(r_k)  <=  1/K sum_k V_{k,1}   r_k falls with k; optimism
 *   (3)  V_{k,h}  <=  min{H-h+1, 2 beta (1 + 1/H) w_{k,h}} + P V_{k,h+1}
 *   (4)  sum_{k,h} of the bonuses in (3)  <=  4 beta (1 + 1/H) sqrt(K (H-1) D) + D/log 2 H(H+1)/2
 *   (5)  sum_{k,h} P V_{k,h+1} - V_{k,h+1}(s_{h+1})  <=  sqrt(K H(H+1)(2H+1)/12 log(3/delta))
 *
 * where D bounds log det Sigma_{K+1}/det(lambda I). In (4), w <= sqrt 2 ||psi_u|| in the norm
 * of Sigma as it was when the step was taken, but in at most D/log 2 episodes in which the
 * determinant doubles; then Cauchy-Schwarz and the elliptical potential. (5) is Azuma-Hoeffding,
 * the first state included. Replanning when the determinant has doubled, rather than in every
 * episode, changes nothing in (4): the factor sqrt 2 is already in it. */

fy_theorem_terms fy_theorem_terms_of(const foray_model *model, double delta)
{
    return (fy_theorem_terms){.horizon = (double)foray_model_horizon(model),
                              .dim = (double)foray_model_dim(model),
                              .norm_bound = model->norm_bound,
                              .delta = delta};
}

/* D = d log(1 + k B^2 sum_h (H-h)^2 / d):  the trace of Sigma, spread evenly. */
static double max_information(const fy_theorem_terms *terms, double k)
{
    double H = terms->horizon, d = terms->dim, B = terms->norm_bound;
    double squares = (H - 1) * H * (2 * H - 1) / 6;
    return d * fy_log1p(k * B * B * squares / d);
}

fy_theorem_bound fy_theorem_bound_after(const fy_theorem_terms *terms, double K, double k)
{
    double H = terms->horizon, D = max_information(terms, k);
    fy_theorem_bound p = {.information = D};
    p.radius = fy_radius_hoeffding(H, terms->dim, K, terms->norm_bound, terms->delta, 3);
    p.bonus = 4 * p.radius * (1 + 1 / H) * sqrt(k * (H - 1) * D) + D / fy_log(2) * H * (H + 1) / 2;
    p.chance = sqrt(k * H * (H + 1) * (2 * H + 1) / 12 * fy_log(3 / terms->delta));
    p.gap = H / k * (p.bonus + p.chance);
    return p;
}

/* The least whole K at which `gap`, falling with K, is at most eps. */
static double min_episodes(double (*gap)(const fy_theorem_terms *, double),
                           const fy_theorem_terms *terms, double eps)
{
    double enough = 1;
    while (gap(terms, enough) > eps)
        enough *= 2;
    double few = floor(enough / 2);
    while (enough - few > 1) {
        double middle = floor(0.5 * (few + enough));
        if (middle == few || middle == enough)
            break; /* beyond 2^53 not every integer is a double */
        if (gap(terms, middle) > eps)
            few = middle;
        else
            enough = middle;
    }
    return enough;
}

static double promised_gap(const fy_theorem_terms *terms, double K)
{
    return fy_theorem_bound_after(terms, K, K).gap;
}

double fy_theorem_episodes(const fy_theorem_terms *terms, double eps)
{
    return min_episodes(promised_gap, terms, eps);
}

/*   H/K 4 beta^ sqrt(sum nu  d L1),   sum nu >= K (H-1) alpha,   alpha = H^2/d
 * bounds the sum of 2 beta^ ||psi_V||_{Sigma^^-1}, the bonuses that its plans explore with. */
double fy_theorem_plus_bound(const fy_theorem_terms *terms, double K)
{
    double H = terms->horizon, d = terms->dim, B = terms->norm_bound;
    double hat = fy_radius_bernstein(H, d, K, 1 / (B * B), B, terms->delta).hat;
    double alpha = H * H / d, L1 = fy_log1p(K * H * B * B);
    return H / K * 4 * hat * sqrt(K * (H - 1) * alpha * d * L1);
}

double fy_theorem_plus_episodes(const fy_theorem_terms *terms, double eps)
{
    return min_episodes(fy_theorem_plus_bound, terms, eps);
}

/* ---------------------------------------------------------------------- a run */

typedef struct theorem_run {
    foray_context *ctx;
    const foray_model *model;
    const foray_settings *settings;
    fy_worst_search *search;
    int64_t rounds;
    foray_explorer *explorer;
    foray_world *inside; /* the model's own */
    foray_world *world;  /* the same, adding up bonuses */
    double bonus;
} theorem_run;

/* ---------------------------------------------------- a world that adds up bonuses */

static foray_status reset_world(void *self, const foray_draw *draw, int64_t *state)
{
    const theorem_run *r = self;
    return foray_world_reset(r->inside, draw, state);
}

/* bonus += min{H-h+1, 2 beta (1 + 1/H) w_{k,h}},  w = (H-h) m(s,a) for Sigma at the episode's
 * start, where m is the largest norm of a feature under Sigma^-1. */
static foray_status step_world(void *self, const foray_draw *draw, int64_t state, int64_t action,
                               int64_t *next)
{
    theorem_run *r = self;
    const fy_learner *learner = fy_learner_of(r->explorer);
    int64_t pair = state * r->model->actions + action;
    double H = (double)r->model->horizon, left = H - (double)draw->step;
    double w = left * learner->inner->upper[r->model->generator_set[pair]];
    r->bonus += fmin(left + 1, 2 * learner->radius[0] * (1 + 1 / H) * w);
    return foray_world_step(r->inside, draw, state, action, next);
}

/* ----------------------------------------------------------------------- measuring */

/* H V*_1(r) with the exploration reward r of Sigma as it is, in the true model. */
static double exploration_value(const theorem_run *r)
{
    fy_learner *learner = fy_learner_of(r->explorer);
    double value;
    fy_learner_estimate(learner);
    fy_learner_maximise(learner, false);
    fy_plan(&(fy_plan_task){.kernel = r->search->truth->exact.kernel,
                            .reward = fy_learner_reward(learner),
                            .lanes = 1,
                            .clip = FORAY_CLIP_REMAINING,
                            .ties = FORAY_TIES_LOWEST,
                            .layers = 2,
                            .value = r->search->truth->exact.value},
            &value);
    return (double)r->model->horizon * value;
}

static foray_status measure_point(const theorem_run *r, fy_theorem_point *point)
{
    fy_learner *learner = fy_learner_of(r->explorer);
    foray_certificate bound;
    foray_status status = fy_worst_search_run(r->ctx, r->search, r->explorer, FORAY_OPTIMISTIC,
                                              r->rounds, &point->gap, NULL);
    if (status == FORAY_OK)
        status = foray_explorer_bound(r->explorer, FORAY_KIND_PAIR, &bound);
    if (status != FORAY_OK)
        return status;
    point->episode = r->explorer->episodes;
    point->plans = r->explorer->plans;
    point->bound = bound.gap;
    point->exploration = exploration_value(r);
    point->distance = fy_learner_distance(learner, r->model->theta);
    /* log det Sigma - d log lambda */
    point->information = fy_ridge_log_det(learner->ridge, 0) -
                         (double)r->model->dim * fy_log(learner->ridge->lambda[0]);
    /* Between two plans the maximisation behind the bound replaces that of the last plan. */
    point->bonus = r->settings->replan == FORAY_REPLAN_EVERY ? r->bonus : NAN;
    return FORAY_OK;
}

/* -------------------------------------------------------------------------- a run */

static foray_status play_until(theorem_run *r, int64_t until, const fy_theorem_listener *listener)
{
    enum { BETWEEN_CALLS = 4096 };
    foray_status status = FORAY_OK;
    for (int64_t k = r->explorer->episodes; k < until && status == FORAY_OK; k++) {
        status = foray_explorer_play(r->explorer, r->world, NULL, NULL);
        if (status == FORAY_OK && k % BETWEEN_CALLS == 0 && !listener->progress(listener->user, k))
            status = FORAY_INTERRUPTED;
    }
    return status;
}

foray_status fy_theorem_run(foray_context *ctx, const foray_model *model,
                            const foray_settings *settings, fy_worst_search *search, int64_t rounds,
                            const fy_theorem_listener *listener)
{
    const foray_world_ops adding = {
        .size = sizeof adding, .reset = reset_world, .step = step_world};
    theorem_run r = {
        .ctx = ctx, .model = model, .settings = settings, .search = search, .rounds = rounds};
    foray_status status = foray_explorer_create(ctx, model, settings, &r.explorer);
    if (status == FORAY_OK) /* the theorem is about this radius */
        status = foray_explorer_certify_by(r.explorer, settings->radius);
    if (status == FORAY_OK)
        status = foray_world_from_model(ctx, model, &r.inside);
    if (status == FORAY_OK)
        status = foray_world_create(ctx, &adding, &r, &r.world);
    for (int64_t k = 0; k < settings->episodes && status == FORAY_OK;) {
        fy_theorem_point point;
        k = fy_next_checkpoint(k, settings->episodes, FY_TRIAL_PER_DECADE);
        status = play_until(&r, k, listener);
        if (status == FORAY_OK)
            status = measure_point(&r, &point);
        if (status == FORAY_OK)
            status = listener->take(listener->user, &point);
    }
    foray_explorer_destroy(r.explorer);
    foray_world_destroy(r.world);
    foray_world_destroy(r.inside);
    return status;
}
