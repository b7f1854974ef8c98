/* theorem_run.c - a run at the constants of the theorem.
 *
 *   for k = 1, ..., K
 *     play an episode in a world that adds up the bonuses of the steps taken
 *     at k = 10^(i/4) and at K: worst gap, certificate, and what the proof bounds */
#include "experiments/theorem_run.h"

#include <math.h>
#include <stdlib.h>

#include "base/maths.h"
#include "compare/trial.h"
#include "explore/mixture/learner.h"

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
    fy_plan(&(fy_plan_task){.kernel = r->search->truth->kernel,
                            .reward = fy_learner_reward(learner),
                            .lanes = 1,
                            .clip = FORAY_CLIP_REMAINING,
                            .ties = FORAY_TIES_LOWEST,
                            .layers = 2,
                            .value = r->search->truth->value},
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
        status = foray_explorer_bound(r->explorer, &bound);
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
