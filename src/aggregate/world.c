/* world.c - a system as the world of its aggregated model.
 *
 *   reset   s from the system, x ~ P(.|s)
 *   step    s <- what follows (s, a) in reality, x ~ P(.|s); tell x
 *
 * The model says which clusters may follow (x,a), from finitely many draws; where none of
 * those that s belongs to is among them, the nearest that is stands for them. */
#include "model/model.h"
#include "aggregate/clusters.h"
#include "system/system.h"
#include "world/world.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct walker {
    foray_context *ctx;
    foray_system *system;
    const foray_clusters *clusters;
    const foray_model *model;
    double *room;
    int64_t told;    /* the cluster that stands for `state` */
    foray_draw last; /* that led here */
    double state[FY_MOST_DIMENSIONS];
} walker;

/* Clusters that are allowed. */
typedef struct choice {
    int64_t count;
    const int32_t *cluster;
} choice;

/* What the random numbers of a step are for, beyond what the system does with its own. */
enum { DRAW_CLUSTER, DRAW_POINT };

static uint64_t bits(const foray_draw *draw, uint32_t what)
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
static int64_t nearest_allowed(const walker *w, choice allowed)
{
    const foray_clusters *clusters = w->clusters;
    double centre[FY_MOST_DIMENSIONS], least = 0;
    int64_t nearest = -1;
    for (int64_t k = 0; k < allowed.count; k++) {
        foray_clusters_centre(clusters, allowed.cluster[k], centre);
        double distance2 = 0;
        for (int64_t i = 0; i < clusters->dimensions; i++) {
            double width = clusters->high[i] - clusters->low[i];
            double apart = width > 0 ? (centre[i] - w->state[i]) / width : 0;
            distance2 += apart * apart;
        }
        if (nearest < 0 || distance2 < least) {
            nearest = allowed.cluster[k];
            least = distance2;
        }
    }
    return nearest;
}

/* A cluster of the state at hand, by its weight among those allowed. */
static int64_t choose(const walker *w, choice allowed, const foray_draw *draw)
{
    int32_t cluster[FY_MOST_MEMBERSHIPS];
    double weight[FY_MOST_MEMBERSHIPS], sum = 0;
    int64_t count = foray_clusters_of(w->clusters, w->state, cluster, weight), last = -1;
    for (int64_t k = 0; k < count; k++) {
        weight[k] = allows(allowed, cluster[k]) ? weight[k] : 0;
        sum += weight[k];
    }
    double left = fy_unit(bits(draw, DRAW_CLUSTER)) * sum;
    for (int64_t k = 0; k < count; k++)
        if (weight[k] > 0) {
            last = cluster[k];
            left -= weight[k];
            if (left < 0)
                break;
        }
    return last >= 0 ? last : nearest_allowed(w, allowed);
}

/* ----------------------------------------------------------------------- operations */

static foray_status reset(void *self, const foray_draw *draw, int64_t *state)
{
    walker *w = self;
    const double *probability;
    choice allowed;
    foray_status status = fy_system_start(w->system, w->ctx, draw, w->state);
    if (status != FORAY_OK)
        return status;
    allowed.count = foray_model_initial(w->model, &allowed.cluster, &probability);
    w->told = choose(w, allowed, draw);
    w->last = *draw;
    *state = w->told;
    return FORAY_OK;
}

/* Does the question follow the last answer? If not, the state is one drawn in the cluster. */
static void stand_in(walker *w, const foray_draw *draw, int64_t cluster)
{
    bool follows = cluster == w->told && draw->seed == w->last.seed &&
                   draw->episode == w->last.episode && draw->step == w->last.step + 1;
    const fy_points one = {cluster, bits(draw, DRAW_POINT), 0, 1, w->room};
    if (!follows)
        w->clusters->kind->points(w->clusters, &one, w->state);
}

static foray_status step(void *self, const foray_draw *draw, int64_t state, int64_t action,
                         int64_t *next)
{
    walker *w = self;
    if (state < 0 || state >= w->clusters->count || action < 0 || action >= w->system->spec.actions)
        return fy_fail(w->ctx, FORAY_ERROR_USAGE,
                       "there is no cluster %" PRId64 " or action %" PRId64, state, action);
    double after[FY_MOST_DIMENSIONS];
    foray_system_query query = {*draw, FORAY_REALITY, action};
    stand_in(w, draw, state);
    foray_status status = fy_system_ask(w->system, w->ctx, 1, &query, w->state, after);
    if (status != FORAY_OK)
        return status;
    for (int64_t i = 0; i < w->clusters->dimensions; i++)
        w->state[i] = after[i];
    choice allowed;
    allowed.count = foray_model_successors(w->model, state, action, &allowed.cluster);
    w->told = choose(w, allowed, draw);
    w->last = *draw;
    *next = w->told;
    return FORAY_OK;
}

static void destroy(void *self)
{
    walker *w = self;
    if (!w)
        return;
    free(w->room);
    free(w);
}

static const char *message(void *self)
{
    return foray_message(((const walker *)self)->ctx);
}

foray_status foray_world_from_system(foray_context *ctx, foray_system *system,
                                     const foray_clusters *clusters, const foray_model *model,
                                     foray_world **out)
{
    static const foray_world_ops ops = {
        .size = sizeof ops, .reset = reset, .step = step, .destroy = destroy, .message = message};
    foray_status status = fy_clusters_check_model(ctx, clusters, system, model);
    walker *w;
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(ctx, w, 1))
        return FORAY_ERROR_MEMORY;
    w->ctx = ctx;
    w->system = system;
    w->clusters = clusters;
    w->model = model;
    w->told = -1;
    status = FY_ALLOC(ctx, w->room, clusters->room) ? foray_world_create(ctx, &ops, w, out)
                                                    : FORAY_ERROR_MEMORY;
    if (status != FORAY_OK)
        destroy(w);
    else if (!clusters->kind->exact)
        fy_world_mark_through_clusters(*out);
    return status;
}
