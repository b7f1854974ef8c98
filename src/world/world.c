/* world.c - where actions meet reality: worlds of one's own, and the world of a
 * model whose theta is known.
 *
 * The world of a model draws successors by inverting the distribution function c
 * of P(.|s,a); pairs that share a generator set share its c. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "world/sample.h"
#include "world/world.h"

struct foray_world {
    foray_context *ctx;
    foray_world_ops ops;
    void *self;
    int64_t states, actions;  /* 0: not known, `step` has to look for itself */
    const foray_model *model; /* of the world of a model */
};

/* --------------------------------------------------------- worlds in general */

/* The random numbers of a world. */
double foray_draw_uniform(const foray_draw *draw, uint32_t i)
{
    return fy_unit(fy_random_bits(draw->seed, FY_STREAM_WORLD, draw->episode, draw->step, i));
}

foray_status foray_world_create(foray_context *ctx, const foray_world_ops *ops, void *self,
                                foray_world **out)
{
    /* `size` says how much of the table the caller knows: the rest stays NULL. */
    size_t required = offsetof(foray_world_ops, destroy);
    if (ops->size < required)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "foray_world_ops.size is %zu, but it must be sizeof(foray_world_ops)",
                       ops->size);
    if (!ops->reset || !ops->step)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "foray_world_ops.%s is required, but it is NULL",
                       ops->reset ? "step" : "reset");
    foray_world *world;
    if (!FY_ALLOC(ctx, world, 1))
        return FORAY_ERROR_MEMORY;
    memcpy(&world->ops, ops, ops->size < sizeof *ops ? ops->size : sizeof *ops);
    world->ctx = ctx;
    world->self = self;
    *out = world;
    return FORAY_OK;
}

void foray_world_destroy(foray_world *world)
{
    if (!world)
        return;
    if (world->ops.destroy)
        world->ops.destroy(world->self);
    free(world);
}

const foray_context *fy_world_context(const foray_world *world)
{
    return world->ctx;
}

bool fy_world_is_of_model(const foray_world *world)
{
    return world->states > 0;
}

void fy_world_mark_aggregated(foray_world *world)
{
    world->ops.aggregated = true;
}

bool fy_world_is_aggregated(const foray_world *world)
{
    return world->ops.aggregated;
}

bool fy_world_ended(const foray_world *world)
{
    return world->ops.ended && world->ops.ended(world->self);
}

bool fy_world_was_cut(const foray_world *world)
{
    return world->ops.cut && world->ops.cut(world->self);
}

/* What a world answered, or why there is no answer. */
static foray_status conclude(foray_world *world, const foray_draw *draw, foray_status status,
                             int64_t answer, int64_t *state)
{
    uint64_t episode = draw->episode;
    if (status != FORAY_OK) {
        const char *cause = world->ops.message ? world->ops.message(world->self) : NULL;
        /* A message that lies in this context already says when it was. */
        if (cause == foray_message(world->ctx))
            return fy_status_of_world(status);
        fy_message_set(world->ctx, "%s", cause ? cause : foray_status_text(status));
        return fy_fail_within(world->ctx, fy_status_of_world(status),
                              "the world failed in episode %" PRIu64 ", draw %u", episode,
                              draw->step);
    }
    if (answer < 0)
        return fy_fail(world->ctx, FORAY_ERROR_WORLD,
                       "in episode %" PRIu64 ", draw %u, the world answered with state %" PRId64,
                       episode, draw->step, answer);
    *state = answer;
    return FORAY_OK;
}

foray_status foray_world_reset(foray_world *world, const foray_draw *draw, int64_t *state)
{
    int64_t first = -1;
    foray_status status = world->ops.reset(world->self, draw, &first);
    return conclude(world, draw, status, first, state);
}

/* Is (state, action) one that can be asked about? */
static foray_status check_pair(const foray_world *world, int64_t state, int64_t action)
{
    if (world->states > 0 && (uint64_t)state >= (uint64_t)world->states)
        return fy_fail(world->ctx, FORAY_ERROR_USAGE,
                       "state %" PRId64 ", but the world has %" PRId64 " states", state,
                       world->states);
    if (world->actions > 0 && (uint64_t)action >= (uint64_t)world->actions)
        return fy_fail(world->ctx, FORAY_ERROR_USAGE,
                       "action %" PRId64 ", but the world has %" PRId64 " actions", action,
                       world->actions);
    if (world->model && !foray_model_available(world->model, state, action))
        return fy_fail(world->ctx, FORAY_ERROR_USAGE,
                       "action %" PRId64 " is not available in state %" PRId64, action, state);
    return FORAY_OK;
}

foray_status foray_world_step(foray_world *world, const foray_draw *draw, int64_t state,
                              int64_t action, int64_t *next)
{
    foray_status status = check_pair(world, state, action);
    if (status != FORAY_OK)
        return status;
    int64_t answer = -1;
    status = world->ops.step(world->self, draw, state, action, &answer);
    return conclude(world, draw, status, answer, next);
}

foray_status foray_world_advance(foray_world *world, int64_t count, foray_draw *draw,
                                 const int64_t *state, const int64_t *action, int64_t *next)
{
    const foray_world_ops *ops = &world->ops;
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        if (draw[i].step > 0)
            status = check_pair(world, state[i], action[i]);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++) {
        int64_t answer = -1;
        if (draw[i].step == 0)
            status = ops->reset(world->self, &draw[i], &answer);
        else
            status = ops->step(world->self, &draw[i], state[i], action[i], &answer);
        status = conclude(world, &draw[i], status, answer, &next[i]);
    }
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        draw[i].step++;
    return status;
}

bool fy_world_plays_episodes(const foray_world *world)
{
    return world->ops.episode != NULL;
}

foray_status fy_world_episode(foray_world *world, const foray_draw *draw, int64_t horizon,
                              int64_t states, const int32_t *action, int32_t *state)
{
    int64_t unused;
    foray_status status = world->ops.episode(world->self, draw, horizon, states, action, state);
    return status == FORAY_OK ? FORAY_OK : conclude(world, draw, status, 0, &unused);
}

/* ------------------------------------------------------ the world of a model */

typedef struct model_world {
    fy_arena arena;
    const foray_model *model;
    double *cumulative; /* [generators] distribution functions, set after set */
    double *initial;    /* [initials] the same for the first state */
} model_world;

static foray_status model_reset(void *self, const foray_draw *draw, int64_t *state)
{
    const model_world *world = self;
    const foray_model *model = world->model;
    int64_t j = fy_sample(world->initial, model->initials, foray_draw_uniform(draw, 0));
    *state = model->initial_state[j];
    return FORAY_OK;
}

static foray_status model_step(void *self, const foray_draw *draw, int64_t state, int64_t action,
                               int64_t *next)
{
    const model_world *world = self;
    const foray_model *model = world->model;
    int64_t pair = state * model->actions + action;
    int64_t generator_set = model->generator_set[pair];
    const double *c = world->cumulative + model->gen_start[generator_set];
    int64_t j =
        fy_sample(c, fy_generator_set_size(model, generator_set), foray_draw_uniform(draw, 0));
    *next = model->succ[model->succ_start[pair] + j];
    return FORAY_OK;
}

static void model_destroy(void *self)
{
    model_world *world = self;
    if (!world)
        return;
    fy_arena_release(&world->arena);
    free(world);
}

/* c of every generator set and of the initial distribution. */
static foray_status tabulate(foray_context *ctx, model_world *world)
{
    const foray_model *model = world->model;
    for (int64_t g = 0; g < model->generator_sets; g++) {
        double *c = world->cumulative + model->gen_start[g];
        fy_generator_set_probabilities(model, model->theta, g, c);
        if (!fy_sample_prepare(c, fy_generator_set_size(model, g)))
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "%s is not a world: the probabilities at state %" PRId64
                           ", action %" PRId64 " are "
                           "negative or do not sum to one",
                           model->name, (model->generator_set_pair[g] / model->actions),
                           (model->generator_set_pair[g] % model->actions));
    }
    memcpy(world->initial, model->initial_probability,
           (size_t)model->initials * sizeof *world->initial);
    if (!fy_sample_prepare(world->initial, model->initials))
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "%s is not a world: its initial probabilities are negative or do not sum to "
                       "one",
                       model->name);
    return FORAY_OK;
}

static foray_status model_create(foray_context *ctx, const foray_model *model, model_world **out)
{
    model_world *world;
    if (!FY_ALLOC(ctx, world, 1))
        return FORAY_ERROR_MEMORY;
    world->arena.ctx = ctx;
    world->model = model;
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_NEW(&world->arena, world->cumulative, model->gen_start[model->generator_sets]) &&
        FY_NEW(&world->arena, world->initial, model->initials))
        status = tabulate(ctx, world);
    if (status != FORAY_OK) {
        model_destroy(world);
        return status;
    }
    *out = world;
    return FORAY_OK;
}

foray_status foray_world_from_model(foray_context *ctx, const foray_model *model, foray_world **out)
{
    static const foray_world_ops ops = {
        .size = sizeof ops, .reset = model_reset, .step = model_step, .destroy = model_destroy};
    if (!model->theta)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "%s is not a world: its theta is not known, so nothing says what follows",
                       model->name);
    model_world *self = NULL;
    foray_status status = model_create(ctx, model, &self);
    if (status != FORAY_OK)
        return status;
    foray_world *world = NULL;
    status = foray_world_create(ctx, &ops, self, &world);
    if (status != FORAY_OK) {
        model_destroy(self);
        return status;
    }
    world->states = model->states;
    world->actions = model->actions;
    world->model = model;
    *out = world;
    return FORAY_OK;
}
