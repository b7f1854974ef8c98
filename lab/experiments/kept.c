/* kept.c - see kept.h. */
#include "experiments/kept.h"

#include <math.h>
#include <stdlib.h>

#include "base/maths.h"
#include "compare/trial.h"
#include "explore/mixture/learner.h"

typedef struct run {
    foray_context *ctx;
    const foray_model *model;
    const foray_settings *settings;
    fy_judge *judge;
    int64_t rounds;
    foray_explorer *explorer;
    foray_world *inside; /* the model's own */
    foray_world *world;  /* the same, with somebody watching */
    double bonus;
} run;

/* ------------------------------------------------------------- a world that notes */

static foray_status reset(void *self, const foray_draw *draw, int64_t *state)
{
    const run *r = self;
    return foray_world_reset(r->inside, draw, state);
}

/* min{H-h+1, 2 beta (1 + 1/H) w_{k,h}},  w = (H-h) m(s,a) for Sigma at the episode's start. */
static double bonus_of(const run *r, int64_t h, int64_t pair)
{
    const fy_learner *learner = fy_learner_of(r->explorer);
    double H = (double)r->model->horizon, left = H - (double)h;
    double w = left * learner->inner->upper[r->model->generator_set[pair]];
    return fmin(left + 1, 2 * learner->radius[0] * (1 + 1 / H) * w);
}

static foray_status step(void *self, const foray_draw *draw, int64_t state, int64_t action,
                         int64_t *next)
{
    run *r = self;
    r->bonus += bonus_of(r, draw->step, state * r->model->actions + action);
    return foray_world_step(r->inside, draw, state, action, next);
}

/* ----------------------------------------------------------------------- measuring */

/* H V*_1(r) with the exploration reward r of Sigma as it is, in the true model. */
static double proof_target(const run *r)
{
    fy_learner *learner = fy_learner_of(r->explorer);
    double value;
    fy_learner_estimate(learner);
    fy_learner_maximise(learner, false);
    fy_plan(&(fy_plan_task){.kernel = r->judge->truth->kernel,
                            .reward = fy_learner_reward(learner),
                            .lanes = 1,
                            .clip = FORAY_CLIP_REMAINING,
                            .ties = FORAY_TIES_LOWEST,
                            .layers = 2,
                            .value = r->judge->truth->value},
            &value);
    return (double)r->model->horizon * value;
}

/* log det Sigma - d log lambda */
static double information(const run *r)
{
    const fy_ridge *ridge = fy_learner_of(r->explorer)->ridge;
    return fy_ridge_log_det(ridge, 0) - (double)r->model->dim * fy_log(ridge->lambda[0]);
}

static foray_status measure(const run *r, fy_kept *kept)
{
    foray_certificate bound;
    foray_status status = fy_judge_worst(r->ctx, r->judge, r->explorer, FORAY_OPTIMISTIC, r->rounds,
                                         &kept->gap, NULL);
    if (status == FORAY_OK)
        status = foray_explorer_bound(r->explorer, &bound);
    if (status != FORAY_OK)
        return status;
    kept->episode = r->explorer->episodes;
    kept->plans = r->explorer->plans;
    kept->bound = bound.gap;
    kept->target = proof_target(r);
    kept->distance = fy_learner_distance(fy_learner_of(r->explorer), r->model->theta);
    kept->information = information(r);
    /* Between two plans the maximisation behind the bound replaces that of the last plan. */
    kept->bonus = r->settings->replan == FORAY_REPLAN_EVERY ? r->bonus : NAN;
    return FORAY_OK;
}

/* -------------------------------------------------------------------------- a run */

static foray_status play_until(run *r, int64_t until, const fy_kept_listener *listener)
{
    enum { TELL_EVERY = 4096 };
    foray_status status = FORAY_OK;
    for (int64_t k = r->explorer->episodes; k < until && status == FORAY_OK; k++) {
        status = foray_explorer_play(r->explorer, r->world, NULL, NULL);
        if (status == FORAY_OK && k % TELL_EVERY == 0 && !listener->tell(listener->user, k))
            status = FORAY_INTERRUPTED;
    }
    return status;
}

static foray_status begin(run *r)
{
    const foray_world_ops noting = {.size = sizeof noting, .reset = reset, .step = step};
    foray_status status = foray_explorer_create(r->ctx, r->model, r->settings, &r->explorer);
    if (status == FORAY_OK)
        status = foray_world_from_model(r->ctx, r->model, &r->inside);
    if (status == FORAY_OK)
        status = foray_world_create(r->ctx, &noting, r, &r->world);
    return status;
}

foray_status fy_kept_run(foray_context *ctx, const foray_model *model,
                         const foray_settings *settings, fy_judge *judge, int64_t rounds,
                         const fy_kept_listener *listener)
{
    run r = {ctx, model, settings, judge, rounds, NULL, NULL, NULL, 0.0};
    foray_status status = begin(&r);
    for (int64_t k = 0; k < settings->episodes && status == FORAY_OK;) {
        fy_kept kept;
        k = fy_next_checkpoint(k, settings->episodes, FY_TRIAL_PER_DECADE);
        status = play_until(&r, k, listener);
        if (status == FORAY_OK)
            status = measure(&r, &kept);
        if (status == FORAY_OK)
            status = listener->note(listener->user, &kept);
    }
    foray_explorer_destroy(r.explorer);
    foray_world_destroy(r.world);
    foray_world_destroy(r.inside);
    return status;
}
