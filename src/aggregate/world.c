/* world.c - a system as the world of its aggregated model.
 *
 *   reset   s from the system, x ~ P(.|s)
 *   step    s <- what follows (s, a) in reality, x ~ P(.|s); tell x
 *
 * The model says which clusters may follow (x,a), from finitely many draws; where none of
 * those that s belongs to is among them, the nearest that is stands for them, unless states are
 * clusters and the model exact: then the model is wrong. */
#include "model/model.h"
#include "aggregate/clusters.h"
#include "world/world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that a table of all points may have. */
enum { MAX_TABLE = 1 << 23 };

typedef struct system_world {
    fy_arena arena;
    foray_context *ctx;
    foray_system *system;
    const foray_clusters *clusters;
    const foray_model *model;
    double *room;
    bool strict;         /* the states are the model's own: they cannot be anywhere else */
    int64_t points;      /* of a cluster, to continue from; 0: from the real state */
    uint64_t point_seed; /* the model was made from these */
    double *point;       /* [clusters][points][dimensions] all of them, or */
    double *block;       /* [FY_POINTS][dimensions] those at hand, where they are too many */
    int64_t shown;       /* the cluster that stands for `state` */
    foray_draw last;     /* that led here */
    bool ended;          /* `state` is absorbing, as the system said */
    double state[FY_MAX_DIMENSIONS];
} system_world;

/* Clusters that are allowed. */
typedef struct choice {
    int64_t count;
    const int32_t *cluster;
} choice;

/* What the random numbers of a step are for, beyond what the system does with its own. */
enum { DRAW_CLUSTER, DRAW_POINT };

static uint64_t random_bits(const foray_draw *draw, uint32_t what)
{
    return fy_random_bits(draw->seed, FY_STREAM_SYSTEM, draw->episode, draw->step, what);
}

static bool allows(choice allowed, int32_t cluster)
{
    for (int64_t k = 0; k < allowed.count; k++)
        if (allowed.cluster[k] == cluster)
            return true;
    return false;
}

/* In coordinates scaled by the box. */
static int64_t nearest_allowed(const system_world *w, choice allowed)
{
    const foray_clusters *clusters = w->clusters;
    double centre[FY_MAX_DIMENSIONS], min = 0;
    int64_t nearest = -1;
    for (int64_t k = 0; k < allowed.count; k++) {
        foray_clusters_centre(clusters, allowed.cluster[k], centre);
        double distance2 = 0;
        for (int64_t i = 0; i < clusters->dimensions; i++) {
            double width = clusters->high[i] - clusters->low[i];
            double apart = width > 0 ? (centre[i] - w->state[i]) / width : 0;
            distance2 += apart * apart;
        }
        if (nearest < 0 || distance2 < min) {
            nearest = allowed.cluster[k];
            min = distance2;
        }
    }
    return nearest;
}

/* A cluster of the state at hand, by its weight among those allowed. */
static int64_t choose(const system_world *w, choice allowed, const foray_draw *draw)
{
    int32_t cluster[FY_MAX_MEMBERSHIPS];
    double weight[FY_MAX_MEMBERSHIPS], sum = 0;
    int64_t count = foray_clusters_of(w->clusters, w->state, cluster, weight), last = -1;
    for (int64_t k = 0; k < count; k++) {
        weight[k] = allows(allowed, cluster[k]) ? weight[k] : 0;
        sum += weight[k];
    }
    double left = fy_unit(random_bits(draw, DRAW_CLUSTER)) * sum;
    for (int64_t k = 0; k < count; k++)
        if (weight[k] > 0) {
            last = cluster[k];
            left -= weight[k];
            if (left < 0)
                break;
        }
    return last >= 0 ? last : nearest_allowed(w, allowed);
}

/* Where clusters are the states themselves and the model claims to be exact, a state that it
 * rules out has no nearest one: certificates would be about another world. */
static foray_status check_allowed(const system_world *w, choice allowed, int64_t state,
                                  int64_t action)
{
    int32_t now = (int32_t)w->state[0];
    if (!w->strict || allows(allowed, now))
        return FORAY_OK;
    if (action < 0)
        return fy_fail(w->ctx, FORAY_ERROR_WORLD,
                       "an episode of %s begins in state %" PRId32 ", but those of the model begin "
                       "%s %" PRId32 ": let it begin in one state, whose actions lead to the "
                       "others, or say in the model where episodes may begin",
                       w->system->spec.name, now,
                       allowed.count == 1 ? "in state" : "elsewhere, as in state",
                       allowed.cluster[0]);
    return fy_fail(w->ctx, FORAY_ERROR_WORLD,
                   "in state %" PRId64 " action %" PRId64 " led to state %" PRId32
                   ", which the model rules out",
                   state, action, now);
}

/* ----------------------------------------------------------------------- operations */

/* Of an unstructured model that is not told where episodes begin. */
static bool begins_anywhere(const foray_model *model)
{
    return model->unstructured && model->initials == 0;
}

static foray_status reset(void *self, const foray_draw *draw, int64_t *state)
{
    system_world *w = self;
    const double *probability;
    choice allowed;
    foray_status status = fy_system_start(w->system, w->ctx, draw, w->state);
    if (status != FORAY_OK)
        return status;
    allowed.count = foray_model_initial(w->model, &allowed.cluster, &probability);
    if (!begins_anywhere(w->model))
        status = check_allowed(w, allowed, 0, -1);
    if (status != FORAY_OK)
        return status;
    w->shown = begins_anywhere(w->model) ? (int64_t)w->state[0] : choose(w, allowed, draw);
    w->last = *draw;
    w->ended = false;
    *state = w->shown;
    return FORAY_OK;
}

/* Does the question follow the last answer? */
static bool follows(const system_world *w, const foray_draw *draw, int64_t cluster)
{
    return cluster == w->shown && draw->seed == w->last.seed && draw->episode == w->last.episode &&
           draw->step == w->last.step + 1;
}

/* If it does not, the state is one drawn in the cluster. */
static void draw_state(system_world *w, const foray_draw *draw, int64_t cluster)
{
    const fy_points one = {cluster, random_bits(draw, DRAW_POINT), 0, 1, w->room};
    if (!follows(w, draw, cluster))
        w->clusters->kind->points(w->clusters, &one, w->state);
}

/* Point k of a cluster: they are made FY_POINTS at a time. */
static void make_points(system_world *w, int64_t cluster, int64_t first, double *out)
{
    int64_t left = w->points - first;
    const fy_points wanted = {cluster, w->point_seed, first, left < FY_POINTS ? left : FY_POINTS,
                              w->room};
    w->clusters->kind->points(w->clusters, &wanted, out);
}

/* One of the points that the model of the cluster is the mean over, each with the same chance. */
static void continue_from_point(system_world *w, const foray_draw *draw, int64_t cluster)
{
    int64_t n = w->clusters->dimensions;
    int64_t k = (int64_t)(fy_unit(random_bits(draw, DRAW_POINT)) * (double)w->points);
    const double *at = w->point ? w->point + (cluster * w->points + k) * n : NULL;
    if (!at) {
        make_points(w, cluster, k / FY_POINTS * FY_POINTS, w->block);
        at = w->block + k % FY_POINTS * n;
    }
    memcpy(w->state, at, (size_t)n * sizeof *at);
}

/* A deterministic system that continues from those points goes nowhere else than its model. */
static foray_status check_obeys(const system_world *w, choice allowed)
{
    int32_t cluster[FY_MAX_MEMBERSHIPS];
    double weight[FY_MAX_MEMBERSHIPS];
    int64_t count = foray_clusters_of(w->clusters, w->state, cluster, weight);
    for (int64_t k = 0; k < count; k++)
        if (!allows(allowed, cluster[k]))
            return fy_fail(w->ctx, FORAY_ERROR_WORLD,
                           "cluster %" PRId32 " followed, which the model rules out: it was not "
                           "made from these points of the system",
                           cluster[k]);
    return FORAY_OK;
}

/* s <- what follows (s, a); s itself where the episode has ended. */
static foray_status advance(system_world *w, const foray_draw *draw, int64_t state, int64_t action)
{
    double after[FY_MAX_DIMENSIONS];
    foray_system_query query = {*draw, FORAY_REALITY, action};
    bool goes_on = follows(w, draw, state);
    if (w->ended && goes_on)
        return FORAY_OK;
    if (w->system->ops.sequential && (!goes_on || w->points > 0))
        return fy_fail(w->ctx, FORAY_ERROR_USAGE,
                       "%s is sequential: it goes on from where it is, and cannot be asked about "
                       "any other state",
                       w->system->spec.name);
    if (w->points > 0)
        continue_from_point(w, draw, state);
    else
        draw_state(w, draw, state);
    foray_status status = fy_system_ask(w->system, w->ctx, 1, &query, w->state, after);
    if (status != FORAY_OK)
        return status;
    w->ended = fy_system_ended(w->system, 0);
    for (int64_t i = 0; i < w->clusters->dimensions; i++)
        w->state[i] = after[i];
    return FORAY_OK;
}

static foray_status show_cluster(system_world *w, const foray_draw *draw, int64_t cluster,
                                 int64_t *next)
{
    w->shown = cluster;
    w->last = *draw;
    *next = cluster;
    return FORAY_OK;
}

static foray_status step(void *self, const foray_draw *draw, int64_t state, int64_t action,
                         int64_t *next)
{
    system_world *w = self;
    if (state < 0 || state >= w->clusters->count || action < 0 || action >= w->system->spec.actions)
        return fy_fail(w->ctx, FORAY_ERROR_USAGE,
                       "there is no cluster %" PRId64 " or action %" PRId64, state, action);
    foray_status status = advance(w, draw, state, action);
    if (status != FORAY_OK)
        return status;
    if (w->model->unstructured) /* anything can follow, and states are clusters */
        return show_cluster(w, draw, (int64_t)w->state[0], next);
    choice allowed;
    allowed.count = foray_model_successors(w->model, state, action, &allowed.cluster);
    if (w->points > 0 && w->system->ops.deterministic)
        status = check_obeys(w, allowed);
    if (status == FORAY_OK)
        status = check_allowed(w, allowed, state, action);
    if (status != FORAY_OK)
        return status;
    return show_cluster(w, draw, choose(w, allowed, draw), next);
}

static void destroy(void *self)
{
    system_world *w = self;
    if (!w)
        return;
    fy_arena_release(&w->arena);
    free(w);
}

static bool ended(void *self)
{
    return ((const system_world *)self)->ended;
}

static const char *message(void *self)
{
    return foray_message(((const system_world *)self)->ctx);
}

static foray_status prepare_points(system_world *w, const foray_aggregation *aggregation)
{
    int64_t n = w->clusters->dimensions, count = w->clusters->count;
    w->points = fy_points_of_draws(w->system, aggregation->draws);
    w->point_seed = fy_aggregation_seed(aggregation, 0, FY_SEED_POINTS);
    if (!FY_NEW(&w->arena, w->block, FY_POINTS * n))
        return FORAY_ERROR_MEMORY;
    if ((double)count * (double)w->points * (double)n > MAX_TABLE)
        return FORAY_OK;
    if (!FY_NEW(&w->arena, w->point, count * w->points * n))
        return FORAY_ERROR_MEMORY;
    for (int64_t x = 0; x < count; x++)
        for (int64_t first = 0; first < w->points; first += FY_POINTS)
            make_points(w, x, first, w->point + (x * w->points + first) * n);
    return FORAY_OK;
}

/* aggregation NULL: from the real state. */
static foray_status create_world(system_world start, const foray_aggregation *aggregation,
                                 foray_world **out)
{
    static const foray_world_ops ops = {.size = sizeof ops,
                                        .reset = reset,
                                        .step = step,
                                        .destroy = destroy,
                                        .message = message,
                                        .ended = ended};
    foray_status status =
        fy_clusters_check_model(start.ctx, start.clusters, start.system, start.model);
    system_world *w;
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(start.ctx, w, 1))
        return FORAY_ERROR_MEMORY;
    *w = start;
    w->arena.ctx = start.ctx;
    w->shown = -1;
    if (!FY_NEW(&w->arena, w->room, w->clusters->room))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK && aggregation)
        status = prepare_points(w, aggregation);
    if (status == FORAY_OK)
        status = foray_world_create(w->ctx, &ops, w, out);
    if (status != FORAY_OK)
        destroy(w);
    return status;
}

foray_status foray_world_from_system(foray_context *ctx, foray_system *system,
                                     const foray_clusters *clusters, const foray_model *model,
                                     const foray_aggregation *aggregation,
                                     foray_continuation continuation, foray_world **out)
{
    const system_world start = {.ctx = ctx,
                                .system = system,
                                .clusters = clusters,
                                .model = model,
                                .strict = !aggregation && clusters->kind->exact &&
                                          !(model->feature_error > 0)};
    bool fresh = continuation == FORAY_CONTINUE_FRESH;
    if (fresh && (!aggregation || aggregation->accuracy > 0))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "to continue from points of a cluster their number must be known: give a "
                       "number of draws, not an accuracy");
    if (aggregation && (aggregation->draws < 1 || model->dim != system->spec.simulators))
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "the model is not one that aggregating this system makes");
    foray_status status = create_world(start, fresh ? aggregation : NULL, out);
    bool obeys = fresh || clusters->kind->exact || (aggregation && aggregation->lipschitz > 0);
    if (status == FORAY_OK && !obeys)
        fy_world_mark_aggregated(*out);
    return status;
}
