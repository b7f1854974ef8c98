/* aggregate.c - the model of a system seen through clusters: soft state aggregation (Singh,
 * Jaakkola, Jordan 1995).
 *
 *   for N = the draws that were asked for, or enough for the accuracy that was:
 *     sample all features; the largest bound on their errors is the model's
 *     stop if it is within the accuracy; else more draws
 *
 * phi_i(y|x,a) is a mean over draws:
 *
 *   for every cluster x: points s_1, s_2, ...
 *     for every action a and simulator i: s', s'' = what follows (s_k, a) in two draws
 *       sum_i(y) += P(y|s') + P(y|s''),   square_i(y) += (P(y|s') - P(y|s''))^2
 *       Q_i += ( sum_y |P(y|s') - P(y|s'')| / 2 )^2
 *     phi_i(y|x,a) = sum_i(y) / (N sqrt d),   T_i = sum_y sqrt(square_i(y))
 *
 * A draw of a pair has the same random numbers in all simulators, and no others have them:
 * nothing depends on who does which cluster when. Threads share the clusters of a chunk, each a
 * stretch of them, and what they found is joined in the clusters' order. */
#include "model/model.h"
#include "base/maths.h"
#include "base/threads.h"
#include "system/system.h"
#include "aggregate/clusters.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ===================================================== the features of one cluster after the other
 */

/* What is sampled, the same for all threads. */
typedef struct sampling {
    const foray_system *system;
    const foray_clusters *clusters;
    uint64_t point_seed, draw_seed; /* of points in clusters, and of what follows them */
    int64_t points;                 /* of each cluster */
    int64_t each;                   /* draws from a point: 2, or 1 if nothing is random; N both */
    double log_term;                /* L of fy_mean_error */
} sampling;

/* The clusters that follow a pair: those met so far, and for each simulator the sum of
 * their weights and of the squared differences between the two draws from a point. */
typedef struct successor_clusters {
    int32_t *slot; /* [clusters] place in the lists below, plus 1; 0: not met */
    int64_t count, room;
    int32_t *cluster;
    double *sum, *square; /* [room][simulators] */
    double *Q;            /* [simulators] as in fy_scatter */
} successor_clusters;

/* Pairs as a model is assembled from them (fy_model_parts), in growing arrays. */
typedef struct feature_rows {
    fy_arena arena;
    int64_t pairs, pair_room;
    int64_t *succ_start; /* [pairs+1] */
    int64_t succs, succ_room;
    int32_t *succ;
    int64_t *feat_start; /* [succs+1] */
    int64_t feats, feat_room;
    int32_t *feat_index;
    double *feat_value;
} feature_rows;

/* One thread's place of work. */
typedef struct sampler {
    fy_arena arena;
    const sampling *what;
    foray_context *ctx; /* the caller's if there is one sampler, else `own` */
    foray_context own;
    foray_system_query *query;
    double *point, *room, *from, *next;
    successor_clusters *met; /* [actions] */
    feature_rows rows;
    double error;       /* the largest met */
    fy_scatter scatter; /* and where it comes from */
    foray_status status;
} sampler;

static void free_rows(feature_rows *rows)
{
    fy_arena_release(&rows->arena);
    *rows = (feature_rows){0};
}

#define GROW(arena, array, wanted)                                                                 \
    ((grown = fy_arena_resize((arena), (array), (size_t)(wanted), sizeof *(array))) != NULL &&     \
     ((array) = grown, true))

/* At least half as much again as before. */
static int64_t larger(int64_t room, int64_t needed)
{
    return needed > room + room / 2 ? needed : room + room / 2;
}

/* Room for that many more. */
static bool reserve_rows(foray_context *ctx, feature_rows *rows, int64_t pairs, int64_t succs,
                         int64_t feats)
{
    void *grown;
    rows->arena.ctx = ctx;
    if (rows->pairs + pairs > rows->pair_room) {
        int64_t room = larger(rows->pair_room, rows->pairs + pairs);
        if (!GROW(&rows->arena, rows->succ_start, room + 1))
            return false;
        rows->succ_start[0] = 0;
        rows->pair_room = room;
    }
    if (rows->succs + succs > rows->succ_room) {
        int64_t room = larger(rows->succ_room, rows->succs + succs);
        if (!GROW(&rows->arena, rows->succ, room) ||
            !GROW(&rows->arena, rows->feat_start, room + 1))
            return false;
        rows->feat_start[0] = 0;
        rows->succ_room = room;
    }
    if (rows->feats + feats > rows->feat_room) {
        int64_t room = larger(rows->feat_room, rows->feats + feats);
        if (!GROW(&rows->arena, rows->feat_index, room) ||
            !GROW(&rows->arena, rows->feat_value, room))
            return false;
        rows->feat_room = room;
    }
    return true;
}

/* Moves what `from` holds behind what `to` holds. */
static foray_status move_rows(foray_context *ctx, feature_rows *from, feature_rows *to)
{
    if (!reserve_rows(ctx, to, from->pairs, from->succs, from->feats))
        return FORAY_ERROR_MEMORY;
    for (int64_t k = 1; k <= from->pairs; k++)
        to->succ_start[to->pairs + k] = to->succs + from->succ_start[k];
    for (int64_t k = 1; k <= from->succs; k++)
        to->feat_start[to->succs + k] = to->feats + from->feat_start[k];
    memcpy(to->succ + to->succs, from->succ, (size_t)from->succs * sizeof *to->succ);
    memcpy(to->feat_index + to->feats, from->feat_index,
           (size_t)from->feats * sizeof *to->feat_index);
    memcpy(to->feat_value + to->feats, from->feat_value,
           (size_t)from->feats * sizeof *to->feat_value);
    to->pairs += from->pairs;
    to->succs += from->succs;
    to->feats += from->feats;
    from->pairs = from->succs = from->feats = 0;
    return FORAY_OK;
}

/* -------------------------------------------------------------------- samplers */

static void destroy_sampler(sampler *w)
{
    if (!w)
        return;
    fy_arena_release(&w->arena);
    free_rows(&w->rows);
    free(w);
}

static bool allocate_sampler(sampler *w)
{
    const sampling *what = w->what;
    int64_t d = what->system->spec.simulators, n = what->system->spec.dimensions;
    int64_t actions = what->system->spec.actions, batch = FY_POINTS * what->each * d;
    if (!FY_NEW(&w->arena, w->query, batch) || !FY_NEW(&w->arena, w->point, FY_POINTS * n) ||
        !FY_NEW(&w->arena, w->room, what->clusters->room) ||
        !FY_NEW(&w->arena, w->from, batch * n) || !FY_NEW(&w->arena, w->next, batch * n) ||
        !FY_NEW(&w->arena, w->met, actions))
        return false;
    for (int64_t a = 0; a < actions; a++)
        if (!FY_NEW(&w->arena, w->met[a].slot, what->clusters->count) ||
            !FY_NEW(&w->arena, w->met[a].Q, d))
            return false;
    return true;
}

/* One of `samplers`: with several, each has a context of its own. */
static foray_status create_sampler(foray_context *ctx, const sampling *what, int samplers,
                                   sampler **out)
{
    sampler *w;
    if (!FY_ALLOC(ctx, w, 1))
        return FORAY_ERROR_MEMORY;
    w->what = what;
    w->ctx = w->arena.ctx = ctx;
    if (!allocate_sampler(w)) {
        destroy_sampler(w);
        return FORAY_ERROR_MEMORY;
    }
    w->own.allocations_left = -1;
    w->ctx = w->arena.ctx = samplers > 1 ? &w->own : ctx;
    *out = w;
    return FORAY_OK;
}

/* ------------------------------------------------------------------------ drawing */

/* Room for `more` clusters that were not met before. */
static bool reserve_met(fy_arena *arena, successor_clusters *met, int64_t d, int64_t more)
{
    void *grown;
    if (met->count + more <= met->room)
        return true;
    int64_t room = 2 * met->room + more;
    if (!GROW(arena, met->cluster, room) || !GROW(arena, met->sum, room * d) ||
        !GROW(arena, met->square, room * d))
        return false;
    met->room = room;
    return true;
}

static int64_t slot_of(successor_clusters *met, int64_t d, int32_t cluster)
{
    if (met->slot[cluster] == 0) {
        memset(met->sum + met->count * d, 0, (size_t)d * sizeof *met->sum);
        memset(met->square + met->count * d, 0, (size_t)d * sizeof *met->square);
        met->cluster[met->count++] = cluster;
        met->slot[cluster] = (int32_t)met->count;
    }
    return met->slot[cluster] - 1;
}

/* Two draws from one point by simulator i; `two` may be empty. */
static void add_draws(successor_clusters *met, int64_t d, int64_t i, const fy_members *one,
                      const fy_members *two)
{
    double apart = 0;
    for (int64_t j = 0, k = 0; j < one->count || k < two->count;) {
        bool first = k == two->count || (j < one->count && one->cluster[j] <= two->cluster[k]);
        bool both = first && k < two->count && one->cluster[j] == two->cluster[k];
        int32_t cluster = first ? one->cluster[j] : two->cluster[k];
        double a = first ? one->weight[j++] : 0;
        double b = both || !first ? two->weight[k++] : 0;
        int64_t at = slot_of(met, d, cluster) * d + i;
        met->sum[at] += a + b;
        met->square[at] += (a - b) * (a - b);
        apart += fabs(a - b) / 2;
    }
    met->Q[i] += apart * apart;
}

/* What all simulators answered to the draws from one point: [each][simulators]. */
static foray_status add_point(sampler *w, successor_clusters *met, const double *next)
{
    const foray_clusters *clusters = w->what->clusters;
    int64_t d = w->what->system->spec.simulators, n = clusters->dimensions;
    fy_members one, two = {.count = 0};
    for (int64_t i = 0; i < d; i++) {
        if (!reserve_met(&w->arena, met, d, 2 * clusters->max))
            return FORAY_ERROR_MEMORY;
        fy_members_find(clusters, next + i * n, &one);
        if (w->what->each == 2)
            fy_members_find(clusters, next + (d + i) * n, &two);
        add_draws(met, d, i, &one, &two);
    }
    return FORAY_OK;
}

/* All draws of a pair from points first..first+count-1, which are at hand. */
static foray_status draw_batch(sampler *w, int64_t pair, int64_t first, int64_t count)
{
    const foray_system_spec *spec = &w->what->system->spec;
    int64_t d = spec->simulators, n = spec->dimensions, each = w->what->each;
    int64_t action = pair % spec->actions;
    for (int64_t k = 0; k < count * each; k++)
        for (int64_t i = 0; i < d; i++) {
            w->query[k * d + i] = (foray_system_query){
                .draw = {w->what->draw_seed, (uint64_t)(first * each + k), (uint32_t)pair},
                .simulator = i,
                .action = action};
            memcpy(w->from + (k * d + i) * n, w->point + k / each * n, (size_t)n * sizeof *w->from);
        }
    foray_status status =
        fy_system_ask(w->what->system, w->ctx, count * each * d, w->query, w->from, w->next);
    for (int64_t k = 0; k < count && status == FORAY_OK; k++)
        status = add_point(w, &w->met[action], w->next + k * each * d * n);
    return status;
}

static foray_status draw_cluster(sampler *w, int64_t cluster)
{
    const sampling *what = w->what;
    int64_t actions = what->system->spec.actions;
    foray_status status = FORAY_OK;
    for (int64_t first = 0; first < what->points && status == FORAY_OK; first += FY_POINTS) {
        int64_t left = what->points - first, count = left < FY_POINTS ? left : FY_POINTS;
        const fy_points wanted = {cluster, what->point_seed, first, count, w->room};
        what->clusters->kind->points(what->clusters, &wanted, w->point);
        for (int64_t a = 0; a < actions && status == FORAY_OK; a++) {
            status = draw_batch(w, cluster * actions + a, first, count);
            if (status != FORAY_OK)
                fy_message_set_within(w->ctx, "cluster %" PRId64 ", action %" PRId64, cluster, a);
        }
    }
    return status;
}

/* ------------------------------------------------------------------------ features */

/* Every simulator's error counts: the weights of reality may be anything. */
static void note_errors(sampler *w, const successor_clusters *met)
{
    int64_t d = w->what->system->spec.simulators;
    double N = (double)(w->what->points * w->what->each);
    for (int64_t i = 0; i < d; i++) {
        fy_scatter scatter = {.Q = met->Q[i]};
        for (int64_t y = 0; y < met->count; y++)
            scatter.T += sqrt(met->square[y * d + i]);
        double error = fy_mean_error(scatter, N, w->what->log_term);
        if (error > w->error) {
            w->error = error;
            w->scatter = scatter;
        }
    }
}

/* One pair: what was met becomes a row, and is forgotten. */
static foray_status add_row(sampler *w, successor_clusters *met)
{
    int64_t d = w->what->system->spec.simulators;
    double scale = (double)(w->what->points * w->what->each) * sqrt((double)d);
    feature_rows *rows = &w->rows;
    if (!reserve_rows(w->ctx, rows, 1, met->count, met->count * d))
        return FORAY_ERROR_MEMORY;
    if (w->what->each == 2)
        note_errors(w, met);
    for (int64_t y = 0; y < met->count; y++) {
        for (int64_t i = 0; i < d; i++)
            if (met->sum[y * d + i] > 0) {
                rows->feat_index[rows->feats] = (int32_t)i;
                rows->feat_value[rows->feats++] = met->sum[y * d + i] / scale;
            }
        rows->succ[rows->succs] = met->cluster[y];
        rows->feat_start[++rows->succs] = rows->feats;
        met->slot[met->cluster[y]] = 0;
    }
    rows->succ_start[++rows->pairs] = rows->succs;
    met->count = 0;
    memset(met->Q, 0, (size_t)d * sizeof *met->Q);
    return FORAY_OK;
}

/* Adds all pairs of clusters first..end-1 to the rows; `status` tells how it went. */
static void sample_clusters(sampler *w, int64_t first, int64_t end)
{
    for (int64_t cluster = first; cluster < end && w->status == FORAY_OK; cluster++) {
        w->status = draw_cluster(w, cluster);
        for (int64_t a = 0; a < w->what->system->spec.actions && w->status == FORAY_OK; a++)
            w->status = add_row(w, &w->met[a]);
    }
}

/* ===================================================== the model */

/* Resets that the initial distribution is the mean of. */
enum { RESETS = 4096 };

/* What a thread does between two looks at the caller's progress function: at most
 * so many clusters, and so many answers of simulators, about a second's. */
enum { CLUSTERS_EACH = 32, ANSWERS_EACH = 1 << 22 };

typedef struct job {
    foray_context *ctx;
    fy_arena arena;
    foray_system *system;
    const foray_clusters *clusters;
    const foray_aggregation *aggregation;
    foray_aggregate_fn progress;
    void *user;
    sampling what;
    int samplers;
    sampler **sampler; /* [samplers] */
    feature_rows rows;
    double error;
    fy_scatter scatter;
    double *initial;    /* [clusters] */
    int32_t *start;     /* [clusters] those with a chance */
    double *chance;     /* [clusters] and what it is */
    char **name;        /* [clusters] */
    char *names;        /* the texts, one after another */
    int32_t *row, *col; /* [clusters], or NULL: no map */
    double *theta;      /* [simulators], or NULL */
} job;

uint64_t fy_aggregation_seed(const foray_aggregation *aggregation, uint64_t round, uint32_t what)
{
    return fy_random_bits(aggregation->seed, FY_STREAM_SYSTEM, round, 0, what);
}

void foray_aggregation_default(foray_aggregation *aggregation)
{
    *aggregation = (foray_aggregation){.draws = 100, .delta = 0.05, .seed = 1};
}

/* --------------------------------------------------------------------- how many draws */

static double answers(const job *j, double draws)
{
    return (double)j->clusters->count * (double)j->system->spec.actions *
           (double)j->system->spec.simulators * draws;
}

static foray_status check_draws(const job *j, double draws)
{
    double all = answers(j, draws);
    if (all <= (double)FY_MAX_DRAWS)
        return FORAY_OK;
    if (j->aggregation->accuracy > 0)
        return fy_fail(j->ctx, FORAY_ERROR_USAGE,
                       "an accuracy of %g takes about %.3g draws of every cluster, action and "
                       "simulator, %.3g in all: too many; ask for less accuracy or fewer clusters",
                       j->aggregation->accuracy, draws, all);
    return fy_fail(j->ctx, FORAY_ERROR_USAGE,
                   "%.3g draws of every cluster, action and simulator are %.3g in all: too many",
                   draws, all);
}

static foray_status check_request(const job *j)
{
    const foray_aggregation *aggregation = j->aggregation;
    const foray_system_spec *spec = &j->system->spec;
    if (spec->simulators == 0)
        return fy_fail(j->ctx, FORAY_ERROR_USAGE,
                       "%s has no simulators to make features from: give a model instead",
                       spec->name);
    if (aggregation->draws < 1)
        return fy_fail(j->ctx, FORAY_ERROR_USAGE, "%" PRId64 " draws, but at least 1 is needed",
                       aggregation->draws);
    if (!(aggregation->accuracy >= 0) || !(aggregation->delta > 0 && aggregation->delta < 1))
        return fy_fail(j->ctx, FORAY_ERROR_USAGE,
                       "accuracy %g and delta %g: the first must be at least 0, the second above 0 "
                       "and below 1",
                       aggregation->accuracy, aggregation->delta);
    if (!(aggregation->lipschitz >= 0) || isinf(aggregation->lipschitz))
        return fy_fail(j->ctx, FORAY_ERROR_USAGE, "a Lipschitz constant of %g",
                       aggregation->lipschitz);
    foray_status status = fy_clusters_check(j->ctx, j->clusters, j->system);
    if (status == FORAY_OK)
        status = fy_model_check_sizes(j->ctx, j->clusters->count, spec->actions, spec->horizon,
                                      spec->simulators, 1);
    return status == FORAY_OK ? check_draws(j, (double)aggregation->draws) : status;
}

/* ------------------------------------------------------------------------ sampling */

static void free_samplers(job *j)
{
    for (int t = 0; j->sampler && t < j->samplers; t++)
        destroy_sampler(j->sampler[t]);
    fy_arena_free(j->sampler);
    j->sampler = NULL;
}

static foray_status create_samplers(job *j)
{
    if (!FY_NEW(&j->arena, j->sampler, j->samplers))
        return FORAY_ERROR_MEMORY;
    foray_status status = FORAY_OK;
    for (int t = 0; t < j->samplers && status == FORAY_OK; t++)
        status = create_sampler(j->ctx, &j->what, j->samplers, &j->sampler[t]);
    return status;
}

/* The first that failed: it has the lowest cluster that did. */
static foray_status join(job *j)
{
    for (int t = 0; t < j->samplers; t++) {
        sampler *one = j->sampler[t];
        if (one->status != FORAY_OK && one->ctx != j->ctx)
            fy_message_set(j->ctx, "%s", one->ctx->message);
        if (one->status != FORAY_OK)
            return one->status;
        if (one->error > j->error) {
            j->error = one->error;
            j->scatter = one->scatter;
        }
        foray_status status = move_rows(j->ctx, &one->rows, &j->rows);
        if (status != FORAY_OK)
            return status;
    }
    return FORAY_OK;
}

typedef struct stretch {
    const job *job;
    int64_t first, count;
} stretch;

static void sample_piece(void *work, int64_t piece, int thread)
{
    const stretch *c = work;
    int64_t samplers = c->job->samplers;
    (void)thread;
    sample_clusters(c->job->sampler[piece], c->first + c->count * piece / samplers,
                    c->first + c->count * (piece + 1) / samplers);
}

static foray_status sample_chunk(job *j, int64_t first, int64_t count)
{
    fy_share(j->ctx, j->samplers, j->samplers, sample_piece, &(stretch){j, first, count});
    return join(j);
}

static int64_t clusters_of_chunk(const job *j)
{
    double draws = (double)(j->what.points * j->what.each);
    double each = ANSWERS_EACH * (double)j->clusters->count / answers(j, draws);
    if (!j->system->ops.threads) /* perhaps a slow program: stopping must not wait for many */
        return 1;
    return j->samplers * (int64_t)fmin(fmax(each, 1), CLUSTERS_EACH);
}

static foray_status sample_all(job *j)
{
    int64_t all = j->clusters->count, chunk = clusters_of_chunk(j);
    j->rows.pairs = j->rows.succs = j->rows.feats = 0;
    j->error = 0;
    foray_status status = create_samplers(j);
    for (int64_t first = 0; first < all && status == FORAY_OK; first += chunk) {
        int64_t count = all - first < chunk ? all - first : chunk;
        status = sample_chunk(j, first, count);
        double done = (double)(first + count) / (double)all;
        if (status == FORAY_OK && j->progress && !j->progress(j->user, done))
            status = FORAY_INTERRUPTED;
    }
    free_samplers(j);
    return status;
}

/* Round r may fail with probability delta / 2^r, so that all together do with delta. */
static double log_term(const job *j, int round)
{
    return fy_log(FY_MEAN_EVENTS * answers(j, 1) / j->aggregation->delta) + round * fy_log(2);
}

/* Two draws from each point tell how much is chance; where nothing is, one will do. Every
 * round has fresh draws: how many there are depends on those of the rounds before. */
static foray_status sample_draws(job *j, double draws, int round)
{
    foray_status status = check_draws(j, draws);
    if (status != FORAY_OK)
        return status;
    j->what.each = fy_draws_each(j->system);
    j->what.points = (int64_t)ceil(draws / (double)j->what.each);
    j->what.log_term = log_term(j, round);
    j->what.draw_seed = fy_aggregation_seed(j->aggregation, (uint64_t)round, FY_SEED_DRAWS);
    return sample_all(j);
}

/* The first round is a pilot: it tells how much the draws scatter. */
static foray_status sample_to_accuracy(job *j)
{
    enum { PILOT = 256 };
    double accuracy = j->aggregation->accuracy;
    double draws = fmax((double)j->aggregation->draws, PILOT);
    for (int round = 1;; round++) {
        foray_status status = sample_draws(j, draws, round);
        if (status != FORAY_OK || j->error <= accuracy)
            return status;
        double N = (double)(j->what.points * j->what.each);
        draws = fmax(1.25 * N, fy_mean_draws(j->scatter, N, log_term(j, round + 1), accuracy));
    }
}

static foray_status sample(job *j)
{
    if (j->aggregation->accuracy > 0 && !j->system->ops.deterministic)
        return sample_to_accuracy(j);
    return sample_draws(j, (double)j->aggregation->draws, 0);
}

/* ------------------------------------------------------------- the aggregation error */

/* The largest mean distance of a state of the cluster from the cluster's points, coordinates scaled
 * by the box: sum_j max_s (1/m) sum_k |s_j - s_kj|, each convex in s_j, so that an end of the
 * cluster attains it. */
/* NOLINTNEXTLINE(readability-non-const-parameter): `points` writes to its room */
static double reach_of(const job *j, int64_t cluster, double *point, double *room)
{
    const foray_clusters *clusters = j->clusters;
    int64_t n = clusters->dimensions, all = j->what.points;
    double low[FY_MAX_DIMENSIONS], high[FY_MAX_DIMENSIONS];
    double from_low[FY_MAX_DIMENSIONS] = {0}, from_high[FY_MAX_DIMENSIONS] = {0}, reach = 0;
    fy_clusters_extent(clusters, cluster, low, high);
    for (int64_t first = 0; first < all; first += FY_POINTS) {
        int64_t count = all - first < FY_POINTS ? all - first : FY_POINTS;
        const fy_points wanted = {cluster, j->what.point_seed, first, count, room};
        clusters->kind->points(clusters, &wanted, point);
        for (int64_t k = 0; k < count; k++)
            for (int64_t i = 0; i < n; i++) {
                from_low[i] += fabs(point[k * n + i] - low[i]);
                from_high[i] += fabs(point[k * n + i] - high[i]);
            }
    }
    for (int64_t i = 0; i < n; i++) {
        double width = clusters->high[i] - clusters->low[i];
        reach += width > 0 ? fmax(from_low[i], from_high[i]) / ((double)all * width) : 0;
    }
    return reach * (1 + 1e-12);
}

/* min{1, L max_x reach}, on top of the Monte Carlo error. */
static foray_status add_aggregation_error(job *j)
{
    double *point = NULL, *room = NULL, reach = 0;
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_NEW(&j->arena, point, FY_POINTS * j->clusters->dimensions) &&
        FY_NEW(&j->arena, room, j->clusters->room + 1))
        status = FORAY_OK;
    for (int64_t x = 0; x < j->clusters->count && status == FORAY_OK; x++)
        reach = fmax(reach, reach_of(j, x, point, room));
    j->error += fmin(1, j->aggregation->lipschitz * reach);
    return status;
}

/* ----------------------------------------------------------- where episodes begin */

static foray_status sample_resets(job *j, uint64_t seed)
{
    int32_t cluster[FY_MAX_MEMBERSHIPS];
    double state[FY_MAX_DIMENSIONS], weight[FY_MAX_MEMBERSHIPS];
    for (int64_t k = 0; k < RESETS; k++) {
        foray_draw draw = {seed, (uint64_t)k, 0};
        foray_status status = fy_system_start(j->system, j->ctx, &draw, state);
        if (status == FORAY_OK && j->progress && !j->progress(j->user, 0))
            status = FORAY_INTERRUPTED;
        if (status != FORAY_OK)
            return status;
        int64_t count = foray_clusters_of(j->clusters, state, cluster, weight);
        for (int64_t i = 0; i < count; i++)
            j->initial[cluster[i]] += weight[i] / RESETS;
    }
    return FORAY_OK;
}

/* --------------------------------------------------------------- names and the map */

enum { NAME_SIZE = 96 };

/* "angle=0.5, speed=-1"; what does not fit is left out. */
static void name_cluster(const job *j, int64_t cluster, char *text)
{
    const foray_system_spec *spec = &j->system->spec;
    double centre[FY_MAX_DIMENSIONS];
    foray_clusters_centre(j->clusters, cluster, centre);
    size_t at = 0;
    for (int64_t i = 0; i < spec->dimensions && at < NAME_SIZE; i++) {
        char fallback[16];
        fy_format(fallback, sizeof fallback, spec->states > 0 ? "state" : "s%" PRId64, i);
        at +=
            (size_t)fy_format(text + at, NAME_SIZE - at, "%s%.48s=%.4g", i ? ", " : "",
                              spec->dimension_name ? spec->dimension_name[i] : fallback, centre[i]);
    }
}

static foray_status name_clusters(job *j)
{
    int64_t count = j->clusters->count;
    if (!FY_NEW(&j->arena, j->name, count) || !FY_NEW(&j->arena, j->names, count * NAME_SIZE))
        return FORAY_ERROR_MEMORY;
    for (int64_t x = 0; x < count; x++) {
        j->name[x] = j->names + x * NAME_SIZE;
        name_cluster(j, x, j->name[x]);
    }
    return FORAY_OK;
}

static foray_status place_clusters(job *j)
{
    int64_t count = j->clusters->count;
    if (!j->clusters->kind->cell || j->clusters->rows == 0)
        return FORAY_OK;
    if (!FY_NEW(&j->arena, j->row, count) || !FY_NEW(&j->arena, j->col, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t x = 0; x < count; x++) {
        int64_t row, col;
        j->clusters->kind->cell(j->clusters, x, &row, &col);
        j->row[x] = (int32_t)row;
        j->col[x] = (int32_t)col;
    }
    return FORAY_OK;
}

/* ----------------------------------------------------------------------- the model */

/* theta = sqrt(d) times the weights, as features are divided by it. */
static foray_status scale_weights(job *j)
{
    int64_t d = j->system->spec.simulators;
    const double *weight = j->system->weight;
    if (!weight)
        return FORAY_OK;
    if (!FY_NEW(&j->arena, j->theta, d))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < d; i++)
        j->theta[i] = sqrt((double)d) * weight[i];
    return FORAY_OK;
}

/* The command of a program can be longer than a name may be. */
static bool is_name(const char *text)
{
    return text && strlen(text) <= FORAY_NAME_MAX;
}

static foray_status assemble(job *j, foray_model **out)
{
    const foray_system_spec *spec = &j->system->spec;
    int64_t initials = 0;
    for (int64_t x = 0; x < j->clusters->count; x++)
        if (j->initial[x] > 0) {
            j->start[initials] = (int32_t)x;
            j->chance[initials++] = j->initial[x];
        }
    const fy_model_parts parts = {
        .name = is_name(j->system->text) ? j->system->text : spec->name,
        .states = j->clusters->count,
        .actions = spec->actions,
        .horizon = spec->horizon,
        .dim = spec->simulators,
        .norm_bound = sqrt((double)spec->simulators),
        .feature_error = j->error,
        .feature_delta = j->error > 0 ? j->aggregation->delta : 0,
        .nonnegative = true, /* theta is sqrt(d) times weights */
        .aggregated = !j->clusters->kind->exact,
        .succ_start = j->rows.succ_start,
        .succ = j->rows.succ,
        .feat_start = j->rows.feat_start,
        .feat_index = j->rows.feat_index,
        .feat_value = j->rows.feat_value,
        .theta = j->theta,
        .initials = initials,
        .initial_state = j->start,
        .initial_probability = j->chance,
        .state_names = j->name,
        .action_names = (char *const *)spec->action_name,
        .grid_rows = j->clusters->rows,
        .grid_cols = j->clusters->cols,
        .cell_row = j->row,
        .cell_col = j->col,
    };
    return fy_model_assemble(j->ctx, &parts, out);
}

static foray_status make_model(job *j, foray_model **out)
{
    int64_t count = j->clusters->count;
    j->what.system = j->system;
    j->what.clusters = j->clusters;
    j->what.point_seed = fy_aggregation_seed(j->aggregation, 0, FY_SEED_POINTS);
    j->samplers = j->system->ops.threads ? j->ctx->threads : 1;
    if (!FY_NEW(&j->arena, j->initial, count) || !FY_NEW(&j->arena, j->start, count) ||
        !FY_NEW(&j->arena, j->chance, count))
        return FORAY_ERROR_MEMORY;
    foray_status status = sample_resets(j, fy_aggregation_seed(j->aggregation, 0, FY_SEED_RESETS));
    if (status == FORAY_OK)
        status = sample(j);
    if (status == FORAY_OK && j->aggregation->lipschitz > 0)
        status = add_aggregation_error(j);
    if (status == FORAY_OK)
        status = name_clusters(j);
    if (status == FORAY_OK)
        status = place_clusters(j);
    if (status == FORAY_OK)
        status = scale_weights(j);
    return status == FORAY_OK ? assemble(j, out) : status;
}

static void release(job *j)
{
    free_rows(&j->rows);
    fy_arena_release(&j->arena);
}

foray_status foray_aggregate(foray_context *ctx, foray_system *system,
                             const foray_clusters *clusters, const foray_aggregation *aggregation,
                             foray_aggregate_fn progress, void *user,
                             foray_aggregation_facts *facts, foray_model **out)
{
    job j = {.ctx = ctx,
             .arena.ctx = ctx,
             .system = system,
             .clusters = clusters,
             .aggregation = aggregation,
             .progress = progress,
             .user = user};
    foray_status status = check_request(&j);
    if (status == FORAY_OK)
        status = make_model(&j, out);
    release(&j);
    if (status == FORAY_OK && facts)
        *facts = (foray_aggregation_facts){.draws = j.what.points * j.what.each,
                                           .feature_error = (*out)->feature_error};
    return status;
}
