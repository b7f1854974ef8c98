/* random.c - uniformly random actions: the baseline.
 *
 *   for k = 1..K: in every step an action uniformly at random
 *
 * It learns from what it sees exactly as UCRL-RFE does (same targets, same
 * regression, same certificates), so that a comparison shows what choosing
 * actions is worth and nothing else. */
#include "explore/learner.h"

#include <stdlib.h>

typedef struct uniform {
    bool stale; /* new targets before the next episode */
} uniform;

/* --------------------------------------------------------------- initialise */

static foray_status create(foray_explorer *explorer)
{
    uniform *self = fy_alloc(explorer->ctx, 1, sizeof *self);
    if (self == NULL)
        return FORAY_ERROR_MEMORY;
    explorer->self = self;
    self->stale = true;
    return fy_learner_create(explorer, 1);
}

static void destroy(foray_explorer *explorer)
{
    free(explorer->self);
    fy_learner_destroy(explorer->learner);
}

/* ------------------------------------------------------------------ episodes */

static void begin_episode(foray_explorer *explorer)
{
    uniform *self = explorer->self;
    if (!self->stale)
        return;
    fy_learner_maximise(explorer->learner, true);
    fy_ridge_mark(explorer->learner->ridge);
    self->stale = false;
    explorer->plans++;
}

static int64_t act(foray_explorer *explorer, int64_t t, int64_t state)
{
    (void)state;
    uint64_t bits = fy_random_bits((uint64_t)explorer->settings.seed, FY_STREAM_EXPLORER,
                                   (uint64_t)explorer->episodes, (uint32_t)t, 0);
    return (int64_t)(fy_unit(bits) * (double)explorer->model->actions);
}

static void observe(foray_explorer *explorer, int64_t t, int64_t pair, int64_t j)
{
    fy_learner_observe(explorer->learner, t, pair, j);
}

static void end_episode(foray_explorer *explorer)
{
    uniform *self = explorer->self;
    self->stale = fy_learner_outgrown(&explorer->settings, explorer->learner->ridge);
}

/* ------------------------------------------------------------- save and load */

static void save(foray_explorer *explorer, fy_writer *writer)
{
    const uniform *self = explorer->self;
    fy_write_u64(writer, self->stale);
    fy_learner_write(explorer->learner, writer);
}

static void load(foray_explorer *explorer, fy_reader *reader)
{
    uniform *self = explorer->self;
    self->stale = fy_read_u64(reader) != 0;
    fy_learner_read(explorer->learner, reader);
}

const fy_explorer_ops fy_random = {
    .name = "random",
    .summary = "uniformly random actions; learns and certifies as ucrl-rfe does",
    .create = create,
    .destroy = destroy,
    .begin_episode = begin_episode,
    .act = act,
    .observe = observe,
    .end_episode = end_episode,
    .plan = fy_learner_plan,
    .save = save,
    .load = load,
    .needs_budget = fy_learner_needs_budget,
    .bound = fy_learner_bound,
    .estimate = fy_learner_theta,
    .describe = fy_learner_describe,
};
