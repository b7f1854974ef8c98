/* finish.c - from what a builder was told to a model.
 *
 * Batches are looked at twice, pair by pair. First everything is checked, and nothing lost: what is
 * missing may still be added. Then pairs go into the model, and the batches are released on the
 * way, so that a model takes hardly more memory while it is built than when it is done. */
#include "model/builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What finishing needs; released at its end. */
typedef struct work {
    fy_arena arena;
    foray_builder *builder;
    fy_pair_buffer buffer; /* what was told of the pair at hand */
    int64_t *feat_start;   /* [buffer.room+1] the same as a list: see fy_given_list */
    int32_t *feat_index;
    double *feat_value;
    int64_t room;  /* of these three */
    double *sum;   /* mixture: [dim] probability a simulator has given away */
    bool *checked; /* [lists] mixture: its simulators are kernels */

    int64_t pairs;                 /* up to here all were seen, or do not exist */
    int64_t missing, unavailable;  /* the first that was not, or should not be; -1: none */
    int64_t transitions, features; /* of all pairs */

    fy_gather gather;
    double *theta;          /* tabular: the model's */
    int64_t outcomes;       /* tabular: placed so far */
    int32_t *set_of_list;   /* [lists], -1: not seen yet */
    int32_t *order_of_list; /* [generators of all lists] see fy_gather_pair */
} work;

static bool reserve(work *w, int64_t entries)
{
    foray_context *ctx = w->builder->ctx;
    void *grown;
    if (!fy_pair_buffer_reserve(ctx, &w->buffer, entries))
        return false;
    if (w->feat_start && entries <= w->room)
        return true;
#define GROW(array, count)                                                                         \
    ((grown = fy_arena_resize(&w->arena, (array), (size_t)(count), sizeof *(array))) != NULL &&    \
     ((array) = grown, true))
    if (!GROW(w->feat_start, w->buffer.room + 1) || !GROW(w->feat_index, w->buffer.room) ||
        !GROW(w->feat_value, w->buffer.room))
        return false;
#undef GROW
    w->room = w->buffer.room;
    return true;
}

static void release(work *w)
{
    fy_pair_buffer_free(&w->buffer);
    fy_gather_free(&w->gather);
    fy_arena_release(&w->arena);
}

/* ------------------------------------------------------------- batches of a pair */

static int64_t count_entries(const fy_sets *lists, const fy_batch *batch, int64_t count)
{
    int64_t entries = 0;
    for (int64_t r = 0; r < count; r++) {
        entries += batch[r].count;
        if (batch[r].list >= 0)
            entries += lists->feat_start[lists->gen_start[batch[r].list + 1]] -
                       lists->feat_start[lists->gen_start[batch[r].list]];
    }
    return entries;
}

/* The entries that a batch with a list stands for. */
static int64_t unfold(const fy_sets *lists, const fy_batch *batch, int64_t call, fy_call_entry *out)
{
    int64_t first = lists->gen_start[batch->list], n = 0;
    for (int64_t j = 0; j < batch->count; j++) {
        int64_t k = lists->feat_start[first + j], end = lists->feat_start[first + j + 1];
        if (k == end)
            out[n++] = (fy_call_entry){.entry = {batch->word[j], -1, 0}, .call = call};
        for (; k < end; k++)
            out[n++] = (fy_call_entry){
                .entry = {batch->word[j], lists->feat_index[k], lists->feat_value[k]},
                .call = call};
    }
    return n;
}

/* All that was told of a pair, in the buffer; what came in different batches came by different
 * calls. */
static foray_status join_batches(work *w, const fy_batch *batch, int64_t count, int64_t *entries)
{
    const fy_sets *lists = &w->builder->lists;
    if (!reserve(w, count_entries(lists, batch, count)))
        return FORAY_ERROR_MEMORY;
    int64_t n = 0;
    for (int64_t r = 0; r < count; r++) {
        if (batch[r].list >= 0)
            n += unfold(lists, &batch[r], r, w->buffer.called + n);
        for (int64_t k = 0; batch[r].list < 0 && k < batch[r].count; k++)
            w->buffer.called[n++] =
                (fy_call_entry){.entry = fy_batch_entry(&batch[r], k), .call = r};
    }
    *entries = n;
    return fy_call_entries_sort(w->builder, batch->pair, w->buffer.called, n);
}

/* One batch with a list: everything but the successors is known from it. */
static bool is_listed(const fy_batch *batch, int64_t count)
{
    return count == 1 && batch->list >= 0;
}

/* ---------------------------------------------------------------------- check */

/* Each simulator is a kernel: its probabilities sum to one at every pair. */
static foray_status check_simulators(work *w, int64_t pair, int64_t entries)
{
    const foray_builder *builder = w->builder;
    memset(w->sum, 0, (size_t)builder->dim * sizeof *w->sum);
    for (int64_t k = 0; k < entries; k++)
        if (w->buffer.called[k].entry.coordinate >= 0)
            w->sum[w->buffer.called[k].entry.coordinate] += w->buffer.called[k].entry.value;
    for (int64_t i = 0; i < builder->dim; i++)
        if (!(fabs(w->sum[i] - 1) <= FY_MODEL_TOLERANCE))
            return fy_fail(builder->ctx, FORAY_ERROR_INPUT,
                           FY_AT_PAIR ", simulator %" PRId64
                                      ": the probabilities sum to %.12g, not to 1",
                           FY_PAIR(builder, pair), i, w->sum[i]);
    return FORAY_OK;
}

static void count_called(const work *w, int64_t entries, int64_t *successors, int64_t *features)
{
    *successors = *features = 0;
    for (int64_t k = 0; k < entries; k++) {
        const fy_entry *entry = &w->buffer.called[k].entry;
        *successors += k == 0 || entry->next != w->buffer.called[k - 1].entry.next;
        *features += entry->coordinate >= 0 || w->builder->kind == FY_TABULAR;
    }
}

static bool exists(const foray_builder *builder, int64_t pair)
{
    return !builder->available || builder->available[pair];
}

/* All pairs before `end` were seen now: which of them exists all the same? */
static void note_missing(work *w, int64_t end)
{
    for (; w->pairs < end; w->pairs++)
        if (w->missing < 0 && exists(w->builder, w->pairs))
            w->missing = w->pairs;
}

/* How many pairs have the successors of this one: itself, and if it is the first of its state
 * those that do not exist there. */
static int64_t count_places(const foray_builder *builder, int64_t pair)
{
    int64_t first = pair / builder->actions * builder->actions, others = 0;
    for (int64_t p = first; builder->available && p < first + builder->actions; p++) {
        if (exists(builder, p) && p < pair)
            return 1;
        others += !exists(builder, p);
    }
    return 1 + others;
}

static void note_pair(work *w, int64_t pair, int64_t successors, int64_t features)
{
    note_missing(w, pair);
    w->pairs = pair + 1;
    if (w->unavailable < 0 && !exists(w->builder, pair))
        w->unavailable = pair;
    w->transitions += successors * count_places(w->builder, pair);
    w->features += features;
}

/* Counts the pair, and finds out whether its batches can be one. */
static foray_status check_pair(void *user, const fy_batch *batch, int64_t count)
{
    work *w = user;
    bool mixture = w->builder->kind == FY_MIXTURE, listed = is_listed(batch, count);
    if (listed && (!mixture || w->checked[batch->list])) {
        note_pair(w, batch->pair, batch->count,
                  count_entries(&w->builder->lists, batch, 1) - batch->count);
        return FORAY_OK;
    }
    int64_t entries = 0, successors, features;
    foray_status status = join_batches(w, batch, count, &entries);
    if (status != FORAY_OK)
        return status;
    count_called(w, entries, &successors, &features);
    note_pair(w, batch->pair, successors, features);
    if (mixture)
        status = check_simulators(w, batch->pair, entries);
    if (mixture && listed && status == FORAY_OK)
        w->checked[batch->list] = true;
    return status;
}

static foray_status check_batches(work *w)
{
    foray_builder *builder = w->builder;
    foray_context *ctx = builder->ctx;
    bool mixture = builder->kind == FY_MIXTURE;
    w->missing = w->unavailable = -1;
    if (mixture && (!FY_NEW(&w->arena, w->sum, builder->dim) ||
                    !FY_NEW(&w->arena, w->checked, builder->lists.count)))
        return FORAY_ERROR_MEMORY;
    foray_status status = fy_batches_visit(ctx, &builder->batches, false, check_pair, w);
    note_missing(w, builder->states * builder->actions);
    return status;
}

static foray_status check_laws(const foray_builder *builder)
{
    for (int64_t c = 0; c < builder->classes && builder->theta_given; c++)
        if (!builder->law_given[c])
            return fy_fail(builder->ctx, FORAY_ERROR_INPUT,
                           "class %" PRId64 " has no law, but other classes have one", c);
    return FORAY_OK;
}

/* --------------------------------------------------------------------- pairs */

/* Tabular: successor k of all is the outcome of coordinate k; phi = 1/sqrt(q), theta = sqrt(q) p.
 */
static int64_t lay_out_table(work *w, int64_t entries)
{
    double root = sqrt((double)entries);
    for (int64_t k = 0; k < entries; k++) {
        w->buffer.succ[k] = w->buffer.called[k].entry.next;
        w->feat_index[k] = (int32_t)(w->outcomes + k);
        w->feat_value[k] = 1 / root;
        w->feat_start[k + 1] = k + 1;
        if (w->theta)
            w->theta[w->outcomes + k] = root * w->buffer.called[k].entry.value;
    }
    w->outcomes += entries;
    return entries;
}

/* The others: entries with one successor are its feature vector. */
static int64_t lay_out_features(work *w, int64_t entries)
{
    int64_t succ = 0, feature = 0;
    for (int64_t k = 0; k < entries; k++) {
        const fy_entry *entry = &w->buffer.called[k].entry;
        if (k == 0 || entry->next != w->buffer.called[k - 1].entry.next)
            w->buffer.succ[succ++] = entry->next;
        if (entry->coordinate >= 0) {
            w->feat_index[feature] = entry->coordinate;
            w->feat_value[feature++] = entry->value;
        }
        w->feat_start[succ] = feature;
    }
    return succ;
}

/* Mixture: phi_i = P_i / sqrt(d). */
static double divisor_of(const foray_builder *builder)
{
    return builder->kind == FY_MIXTURE ? sqrt((double)builder->dim) : 1;
}

/* Pairs that do not exist and come after the one they stand in for. */
static void repeat_until(fy_gather *gather, int64_t pair)
{
    const foray_model *model = gather->model;
    while (gather->pairs < pair && fy_stand_in(model, gather->pairs) < gather->pairs)
        fy_gather_repeat(gather, fy_stand_in(model, gather->pairs));
}

/* A pair, and before it those that do not exist: of states that are done, or of its own. */
static foray_status place_pair(work *w, int64_t pair, int32_t set, const int32_t *order,
                               const int32_t *succ)
{
    foray_status status = FORAY_OK;
    repeat_until(&w->gather, pair);
    while (w->gather.pairs <= pair && status == FORAY_OK)
        status = fy_gather_pair(&w->gather, set, order, succ);
    return status;
}

static foray_status take_called(work *w, const fy_batch *batch, int64_t count)
{
    int64_t entries = 0;
    int32_t set = 0;
    foray_status status = join_batches(w, batch, count, &entries);
    if (status != FORAY_OK)
        return status;
    w->feat_start[0] = 0;
    bool tabular = w->builder->kind == FY_TABULAR;
    fy_given_list list = {.count =
                              tabular ? lay_out_table(w, entries) : lay_out_features(w, entries),
                          .feat_start = w->feat_start,
                          .feat_index = w->feat_index,
                          .feat_value = w->feat_value,
                          .divisor = divisor_of(w->builder),
                          .pair = batch->pair,
                          .succ = w->buffer.succ};
    status = fy_gather_list(&w->gather, &list, &set);
    return status == FORAY_OK ? place_pair(w, batch->pair, set, w->gather.order, w->buffer.succ)
                              : status;
}

/* Lists are brought into order the first time a pair has them. */
static foray_status take_listed(work *w, const fy_batch *batch)
{
    const fy_sets *lists = &w->builder->lists;
    int64_t first = lists->gen_start[batch->list];
    foray_status status = FORAY_OK;
    if (w->set_of_list[batch->list] < 0) {
        fy_given_list list = {.count = batch->count,
                              .feat_start = lists->feat_start + first,
                              .feat_index = lists->feat_index,
                              .feat_value = lists->feat_value,
                              .divisor = divisor_of(w->builder),
                              .pair = batch->pair,
                              .succ = batch->word};
        status = fy_gather_list(&w->gather, &list, &w->set_of_list[batch->list]);
        for (int64_t j = 0; j < batch->count && status == FORAY_OK; j++)
            w->order_of_list[first + j] = w->gather.order[j];
    }
    return status == FORAY_OK ? place_pair(w, batch->pair, w->set_of_list[batch->list],
                                           w->order_of_list + first, batch->word)
                              : status;
}

static foray_status take_pair(void *user, const fy_batch *batch, int64_t count)
{
    work *w = user;
    return is_listed(batch, count) ? take_listed(w, batch) : take_called(w, batch, count);
}

static foray_status take_pairs(work *w, foray_model *model)
{
    foray_builder *builder = w->builder;
    foray_context *ctx = builder->ctx;
    if (!FY_NEW(&w->arena, w->set_of_list, builder->lists.count) ||
        !FY_NEW(&w->arena, w->order_of_list, builder->lists.generators))
        return FORAY_ERROR_MEMORY;
    for (int64_t list = 0; list < builder->lists.count; list++)
        w->set_of_list[list] = -1;
    if (builder->kind == FY_TABULAR && !builder->theta_forgotten &&
        !FY_NEW(&model->arena, model->theta, model->dim))
        return FORAY_ERROR_MEMORY;
    w->theta = model->theta;
    foray_status status = fy_gather_create(ctx, model, w->transitions, &w->gather);
    if (status == FORAY_OK)
        status = fy_batches_visit(ctx, &builder->batches, true, take_pair, w);
    if (status == FORAY_OK)
        repeat_until(&w->gather, model->pairs);
    return status == FORAY_OK ? fy_gather_finish(&w->gather) : status;
}

/* --------------------------------------------------------------------- finish */

static fy_model_parts describe(const work *w)
{
    static const int32_t first_state = 0;
    static const double certain = 1;
    const foray_builder *builder = w->builder;
    bool tabular = builder->kind == FY_TABULAR, start_given = builder->initials > 0;
    bool known = builder->theta_given && !builder->theta_forgotten;
    return (fy_model_parts){
        .name = builder->name,
        .states = builder->states,
        .actions = builder->actions,
        .horizon = builder->horizon,
        .dim = tabular ? builder->entries : builder->dim,
        .norm_bound = tabular ? sqrt((double)builder->entries) : builder->norm_bound,
        .feature_error = builder->feature_error,
        .feature_delta = builder->feature_delta,
        .nonnegative = builder->kind != FY_FEATURES,
        .available = builder->available,
        .features = w->features,
        .theta = known ? builder->theta : NULL,
        .initials = start_given ? builder->initials : 1,
        .initial_state = start_given ? builder->initial_state : &first_state,
        .initial_probability = start_given ? builder->initial_probability : &certain,
        .state_names = builder->state_names,
        .action_names = builder->action_names,
        .grid_rows = builder->grid_rows,
        .grid_cols = builder->grid_cols,
        .cell_row = builder->cell_row,
        .cell_col = builder->cell_col,
    };
}

/* Is anything wrong, or missing? The builder stays as it is. */
static foray_status check_all(work *w, fy_model_parts *parts)
{
    foray_builder *builder = w->builder;
    foray_status status = check_batches(w);
    if (status == FORAY_OK && w->unavailable >= 0)
        status = fy_fail(builder->ctx, FORAY_ERROR_INPUT,
                         FY_AT_PAIR ": a successor, but the action is not available there",
                         FY_PAIR(builder, w->unavailable));
    if (status == FORAY_OK)
        status = fy_pair_features_complete(builder);
    if (status != FORAY_OK)
        return status;
    *parts = describe(w);
    status = fy_parts_check(builder->ctx, parts);
    if (status == FORAY_OK && w->missing >= 0)
        status = fy_fail(builder->ctx, FORAY_ERROR_INPUT, FY_AT_PAIR ": no successor is given",
                         FY_PAIR(builder, w->missing));
    return status;
}

static char **move_names(foray_model *model, char ***names, int64_t count)
{
    char **moved = *names;
    for (int64_t i = 0; moved && i < count; i++)
        fy_arena_move(&model->arena, moved[i]);
    fy_arena_move(&model->arena, moved);
    *names = NULL;
    return moved;
}

/* Names, theta and the map become the model's; everything else is spent. */
static foray_status make_model(work *w, fy_model_parts *parts, foray_model *model)
{
    foray_builder *builder = w->builder;
    bool knows_theta = parts->theta != NULL;
    parts->state_names = parts->action_names = NULL;
    parts->theta = NULL;
    foray_status status = fy_parts_copy(builder->ctx, parts, model);
    if (status != FORAY_OK)
        return status;
    if (knows_theta) {
        fy_arena_move(&model->arena, builder->theta);
        model->theta = builder->theta;
        builder->theta = NULL;
    }
    model->state_names = move_names(model, &builder->state_names, model->states);
    model->action_names = move_names(model, &builder->action_names, model->actions);
    status = fy_pair_features_take(builder, model);
    if (status == FORAY_OK)
        status = take_pairs(w, model);
    release(w);
    *w = (work){.arena.ctx = builder->ctx, .builder = builder};
    fy_sets_free(&builder->lists);
    fy_arena_free(builder->class_start);
    builder->class_start = NULL;
    return status == FORAY_OK ? fy_model_complete(builder->ctx, model) : status;
}

static foray_status spend(work *w, fy_model_parts *parts, foray_model **out)
{
    foray_model *model = fy_model_new(w->builder->ctx);
    if (!model)
        return FORAY_ERROR_MEMORY;
    foray_status status = make_model(w, parts, model);
    if (status != FORAY_OK) {
        foray_model_destroy(model);
        return status;
    }
    *out = model;
    return FORAY_OK;
}

/* Everything that was told, in order. What goes wrong here cannot be mended. */
static bool bring_into_order(foray_builder *builder)
{
    return fy_builder_holds(builder, fy_builder_flush(builder)) &&
           fy_builder_holds(builder, fy_batches_sort(builder->ctx, &builder->batches)) &&
           fy_builder_holds(builder, fy_batches_sort(builder->ctx, &builder->pair_batches));
}

/* Later calls are refused. Nothing has failed yet, so the context is told nothing. */
static void note_spent(foray_builder *builder)
{
    builder->failure = FORAY_ERROR_USAGE;
    fy_format(builder->message, sizeof builder->message, "this builder has made its model already");
}

foray_status foray_builder_finish(foray_builder *builder, foray_model **out)
{
    if (builder->failure != FORAY_OK)
        return fy_fail(builder->ctx, builder->failure, "%s", builder->message);
    if (builder->entries == 0)
        return fy_fail(builder->ctx, FORAY_ERROR_INPUT, "an empty model: no successor is given");
    foray_status status = check_laws(builder);
    if (status != FORAY_OK)
        return status;
    if (!bring_into_order(builder))
        return builder->failure;
    work w = {.arena.ctx = builder->ctx, .builder = builder};
    fy_model_parts parts;
    status = check_all(&w, &parts);
    if (status == FORAY_OK) {
        status = spend(&w, &parts, out);
        fy_builder_holds(builder, status);
        if (status == FORAY_OK)
            note_spent(builder);
    }
    release(&w);
    return status;
}
