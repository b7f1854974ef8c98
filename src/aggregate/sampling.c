/* sampling.c - phi_i(y|x,a) as a mean over draws.
 *
 *   for every cluster x: points s_1, s_2, ...
 *     for every action a and simulator i: s', s'' = what follows (s_k, a) in two draws
 *       sum_i(y) += P(y|s') + P(y|s''),   square_i(y) += (P(y|s') - P(y|s''))^2
 *       Q_i += ( sum_y |P(y|s') - P(y|s'')| / 2 )^2
 *     phi_i(y|x,a) = sum_i(y) / (N sqrt d),   T_i = sum_y sqrt(square_i(y))
 *
 * A draw of a pair has the same random numbers in all simulators, and no others have them:
 * nothing depends on who does which cluster when. */
#include "aggregate/sampling.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void fy_feature_rows_free(fy_feature_rows *rows)
{
    fy_arena_release(&rows->arena);
    *rows = (fy_feature_rows){0};
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
static bool reserve_rows(foray_context *ctx, fy_feature_rows *rows, int64_t pairs, int64_t succs,
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

foray_status fy_feature_rows_move(foray_context *ctx, fy_feature_rows *from, fy_feature_rows *to)
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

/* --------------------------------------------------------------------------- sampling */

/* ----------------------------------------------------------------------- creation */

static bool allocate_sampler(fy_sampler *w)
{
    const fy_sampling *what = w->what;
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

foray_status fy_sampler_create(foray_context *ctx, const fy_sampling *what, int samplers,
                               fy_sampler **out)
{
    fy_sampler *w;
    if (!FY_ALLOC(ctx, w, 1))
        return FORAY_ERROR_MEMORY;
    w->what = what;
    w->ctx = w->arena.ctx = ctx;
    if (!allocate_sampler(w)) {
        fy_sampler_destroy(w);
        return FORAY_ERROR_MEMORY;
    }
    w->own.allocations_left = -1;
    w->ctx = w->arena.ctx = samplers > 1 ? &w->own : ctx;
    *out = w;
    return FORAY_OK;
}

void fy_sampler_destroy(fy_sampler *w)
{
    if (!w)
        return;
    fy_arena_release(&w->arena);
    fy_feature_rows_free(&w->rows);
    free(w);
}

/* ------------------------------------------------------------------------ drawing */

/* Room for `more` clusters that were not met before. */
static bool reserve_met(fy_arena *arena, fy_successor_clusters *met, int64_t d, int64_t more)
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

static int64_t slot_of(fy_successor_clusters *met, int64_t d, int32_t cluster)
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
static void add_draws(fy_successor_clusters *met, int64_t d, int64_t i, const fy_members *one,
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
static foray_status add_point(fy_sampler *w, fy_successor_clusters *met, const double *next)
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
static foray_status draw_batch(fy_sampler *w, int64_t pair, int64_t first, int64_t count)
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

static foray_status draw_cluster(fy_sampler *w, int64_t cluster)
{
    const fy_sampling *what = w->what;
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
static void note_errors(fy_sampler *w, const fy_successor_clusters *met)
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
static foray_status add_row(fy_sampler *w, fy_successor_clusters *met)
{
    int64_t d = w->what->system->spec.simulators;
    double scale = (double)(w->what->points * w->what->each) * sqrt((double)d);
    fy_feature_rows *rows = &w->rows;
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

void fy_sampler_work(fy_sampler *w, int64_t first, int64_t end)
{
    for (int64_t cluster = first; cluster < end && w->status == FORAY_OK; cluster++) {
        w->status = draw_cluster(w, cluster);
        for (int64_t a = 0; a < w->what->system->spec.actions && w->status == FORAY_OK; a++)
            w->status = add_row(w, &w->met[a]);
    }
}
