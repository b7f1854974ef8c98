/* assemble.c - from parts in memory to a model: is every number and index what it should be? Which
 * pairs share a generator set? */
#include "model/assemble.h"

#include "base/json.h"
#include "model/basis.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ sizes */

foray_status fy_model_check_sizes(foray_context *ctx, int64_t states, int64_t actions,
                                  int64_t horizon, int64_t dim, double norm_bound)
{
    const struct {
        const char *name;
        int64_t value;
    } sizes[] = {{"states", states}, {"actions", actions}, {"horizon", horizon}, {"dim", dim}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].value < 1 || sizes[i].value >= INT32_MAX)
            return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: %" PRId64 ", but it must be 1 to %d",
                           sizes[i].name, sizes[i].value, INT32_MAX - 1);
    if (states * actions >= INT32_MAX)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "states: %" PRId64 " with %" PRId64 " actions make %" PRId64
                       " pairs, more than the %d allowed",
                       states, actions, (states * actions), INT32_MAX - 1);
    if (!(norm_bound > 0) || norm_bound > FY_MODEL_LARGEST)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "norm_bound: %g, but it must be above 0, at most %g",
                       norm_bound, FY_MODEL_LARGEST);
    return FORAY_OK;
}

foray_status fy_parts_check_delta(foray_context *ctx, double delta)
{
    if (delta >= 0 && delta < 1)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "feature_delta: %g, but it must be 0 or more, below 1",
                   delta);
}

foray_status fy_parts_check_error(foray_context *ctx, double error)
{
    if (error >= 0 && error <= FY_MODEL_LARGEST)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "feature_error: %g, but it must be 0 to %g", error,
                   FY_MODEL_LARGEST);
}

/* Coordinates without a feature mean nothing. Some are harmless; a dimension out of
 * all proportion is a mistake that would only cost memory. */
static foray_status check_proportion(foray_context *ctx, const fy_model_parts *parts)
{
    const int64_t harmless = 1 << 20;
    if (parts->dim > harmless && parts->dim > parts->features && !parts->stays)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "dim: %" PRId64 ", but there are only %" PRId64 " feature values",
                       parts->dim, parts->features);
    return FORAY_OK;
}

/* ------------------------------------------------------------------ pairs */

/* Successors that are states, as many as its list has generators. */
static foray_status check_pair(foray_context *ctx, const fy_model_parts *parts, int64_t pair)
{
    int64_t start = parts->succ_start[pair], end = parts->succ_start[pair + 1];
    if (start == end)
        return fy_fail(ctx, FORAY_ERROR_INPUT, FY_AT_PAIR ": no successor is given",
                       FY_PAIR(parts, pair));
    for (int64_t k = start; k < end; k++)
        if (parts->succ[k] < 0 || parts->succ[k] >= parts->states)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           FY_AT_PAIR ": successor %d, but the model has %" PRId64 " states",
                           FY_PAIR(parts, pair), parts->succ[k], parts->states);
    return FORAY_OK;
}

foray_status fy_parts_check_feature(foray_context *ctx, const fy_model_parts *parts, int64_t pair,
                                    int64_t next, int64_t index, double value)
{
    if (index < 0 || index >= parts->dim)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       FY_AT_PAIR ", successor %" PRId64 ": feature coordinate %" PRId64
                                  ", but the dimension is "
                                  "%" PRId64,
                       FY_PAIR(parts, pair), next, index, parts->dim);
    if (!(fabs(value) <= FY_MODEL_LARGEST))
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       FY_AT_PAIR ", successor %" PRId64 ": feature coordinate %" PRId64
                                  " has the value %g",
                       FY_PAIR(parts, pair), next, index, value);
    return FORAY_OK;
}

/* ------------------------------------------------------------------ availability */

/* A pair that does not exist has no successors, and every state has an action that does. */
static foray_status check_available(foray_context *ctx, const fy_model_parts *parts)
{
    for (int64_t state = 0; parts->available && state < parts->states; state++) {
        int64_t first = state * parts->actions, count = 0;
        for (int64_t pair = first; pair < first + parts->actions; pair++) {
            count += parts->available[pair];
            if (!parts->available[pair] && parts->succ_start &&
                parts->succ_start[pair] < parts->succ_start[pair + 1])
                return fy_fail(ctx, FORAY_ERROR_INPUT,
                               FY_AT_PAIR ": a successor, but the action is not available there",
                               FY_PAIR(parts, pair));
        }
        if (count == 0)
            return fy_fail(ctx, FORAY_ERROR_INPUT, "available: state %" PRId64 " has no action",
                           state);
    }
    return FORAY_OK;
}

/* Who stands in for whom: see model.h. A model that has every action everywhere keeps no list. */
static foray_status copy_available(const fy_model_parts *parts, foray_model *model)
{
    model->available = model->pairs;
    for (int64_t pair = 0; parts->available && pair < model->pairs; pair++)
        model->available -= !parts->available[pair];
    if (model->available == model->pairs)
        return FORAY_OK;
    if (!FY_NEW(&model->arena, model->stand_in, model->pairs) ||
        !FY_NEW(&model->arena, model->existing, model->available))
        return FORAY_ERROR_MEMORY;
    int64_t count = 0, first = 0;
    for (int64_t pair = 0; pair < model->pairs; pair++) {
        if (pair % model->actions == 0)
            for (first = pair; !parts->available[first];)
                first++;
        model->stand_in[pair] = (int32_t)(parts->available[pair] ? pair : first);
        if (parts->available[pair])
            model->existing[count++] = (int32_t)pair;
    }
    return FORAY_OK;
}

/* ---------------------------------------------------- initial, theta, map */

static foray_status check_initial(foray_context *ctx, const fy_model_parts *parts)
{
    double sum = 0;
    for (int64_t i = 0; i < parts->initials; i++) {
        int32_t state = parts->initial_state[i];
        double probability = parts->initial_probability[i];
        if (state < 0 || state >= parts->states)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "initial[%" PRId64 "]: state %d, but the model has %" PRId64 " states",
                           i, state, parts->states);
        if (!(probability >= 0 && probability <= 1))
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "initial[%" PRId64
                           "]: state %d has the probability %g, which must be 0 to 1",
                           i, state, probability);
        sum += probability;
    }
    if (!(fabs(sum - 1) <= FY_MODEL_TOLERANCE))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "initial: the probabilities sum to %.12g, not to 1",
                       sum);
    return FORAY_OK;
}

static foray_status check_theta(foray_context *ctx, const fy_model_parts *parts)
{
    for (int64_t i = 0; parts->theta && i < parts->dim; i++)
        if (!(fabs(parts->theta[i]) <= FY_MODEL_LARGEST))
            return fy_fail(ctx, FORAY_ERROR_INPUT, "theta[%" PRId64 "]: %g is not a usable number",
                           i, parts->theta[i]);
    return FORAY_OK;
}

static foray_status check_cell(foray_context *ctx, const fy_model_parts *parts, int64_t state)
{
    int32_t row = parts->cell_row[state], col = parts->cell_col[state];
    if (row == -1 && col == -1)
        return FORAY_OK;
    if (row < 0 || row >= parts->grid_rows || col < 0 || col >= parts->grid_cols)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "layout: state %" PRId64
                       " lies at row %d, column %d, but the map has %" PRId64 " rows and "
                       "%" PRId64 " columns",
                       state, row, col, parts->grid_rows, parts->grid_cols);
    return FORAY_OK;
}

foray_status fy_parts_check_grid(foray_context *ctx, int64_t rows, int64_t cols)
{
    if (rows >= 1 && rows < INT32_MAX && cols >= 1 && cols < INT32_MAX)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT,
                   "layout: %" PRId64 " rows and %" PRId64 " columns; both must be 1 to %d", rows,
                   cols, INT32_MAX - 1);
}

static foray_status check_map(foray_context *ctx, const fy_model_parts *parts)
{
    if (!parts->cell_row)
        return FORAY_OK;
    foray_status status = fy_parts_check_grid(ctx, parts->grid_rows, parts->grid_cols);
    for (int64_t state = 0; state < parts->states && status == FORAY_OK; state++)
        status = check_cell(ctx, parts, state);
    return status;
}

/* ------------------------------------------------------------------ names */

static foray_status check_names(foray_context *ctx, const char *key, char *const *names,
                                int64_t count)
{
    for (int64_t i = 0; names && i < count; i++)
        if (names[i] && fy_name_check(ctx, names[i]) != FORAY_OK)
            return fy_fail_within(ctx, FORAY_ERROR_INPUT, "%s[%" PRId64 "]", key, i);
    return FORAY_OK;
}

static foray_status check_texts(foray_context *ctx, const fy_model_parts *parts)
{
    if (fy_name_check(ctx, parts->name) != FORAY_OK)
        return fy_fail_within(ctx, FORAY_ERROR_INPUT, "name");
    foray_status status = check_names(ctx, "state_names", parts->state_names, parts->states);
    if (status == FORAY_OK)
        status = check_names(ctx, "action_names", parts->action_names, parts->actions);
    return status;
}

foray_status fy_parts_check(foray_context *ctx, const fy_model_parts *parts)
{
    foray_status status = fy_model_check_sizes(ctx, parts->states, parts->actions, parts->horizon,
                                               parts->dim, parts->norm_bound);
    if (status == FORAY_OK)
        status = fy_parts_check_error(ctx, parts->feature_error);
    if (status == FORAY_OK)
        status = fy_parts_check_delta(ctx, parts->feature_delta);
    if (status == FORAY_OK)
        status = check_proportion(ctx, parts);
    if (status == FORAY_OK)
        status = check_available(ctx, parts);
    if (status == FORAY_OK)
        status = check_initial(ctx, parts);
    if (status == FORAY_OK)
        status = check_theta(ctx, parts);
    if (status == FORAY_OK)
        status = check_map(ctx, parts);
    if (status == FORAY_OK)
        status = check_texts(ctx, parts);
    return status;
}

/* ------------------------------------------------------------------- copy */

static void *copy_array(fy_arena *arena, const void *array, int64_t count, size_t size)
{
    void *copy = fy_arena_alloc(arena, (size_t)count, size);
    if (copy && count > 0)
        memcpy(copy, array, (size_t)count * size);
    return copy;
}

#define COPY(arena, to, from, count)                                                               \
    (!(from) || ((to) = copy_array((arena), (from), (count), sizeof *(from))) != NULL)

static bool copy_names(fy_arena *arena, char *const *names, int64_t count, char ***out)
{
    if (!names)
        return true;
    if (!FY_NEW(arena, *out, count))
        return false;
    for (int64_t i = 0; i < count; i++)
        if (names[i] && !((*out)[i] = fy_arena_text(arena, names[i])))
            return false;
    return true;
}

/* States with a chance, ascending: the order in which a model was written does not
 * matter. A table over all states finds doubles on the way. */
static foray_status copy_initial(foray_context *ctx, const fy_model_parts *parts,
                                 foray_model *model)
{
    int32_t *entry; /* [states] which entry names the state, plus 1 */
    if (!FY_NEW(&model->arena, model->initial_state, parts->initials) ||
        !FY_NEW(&model->arena, model->initial_probability, parts->initials) ||
        !FY_ALLOC(ctx, entry, parts->states))
        return FORAY_ERROR_MEMORY;
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < parts->initials && status == FORAY_OK; i++) {
        int32_t state = parts->initial_state[i];
        if (entry[state])
            status = fy_fail(ctx, FORAY_ERROR_INPUT,
                             "initial[%" PRId64 "]: state %d is given twice", i, state);
        entry[state] = (int32_t)i + 1;
    }
    for (int64_t state = 0; state < parts->states; state++)
        if (entry[state] && parts->initial_probability[entry[state] - 1] > 0) {
            model->initial_state[model->initials] = (int32_t)state;
            model->initial_probability[model->initials++] =
                parts->initial_probability[entry[state] - 1];
        }
    free(entry);
    return status;
}

foray_model *fy_model_new(foray_context *ctx)
{
    foray_model *model = fy_alloc(ctx, 1, sizeof *model);
    if (model)
        model->arena.ctx = ctx;
    return model;
}

foray_status fy_parts_copy(foray_context *ctx, const fy_model_parts *parts, foray_model *model)
{
    model->states = parts->states;
    model->actions = parts->actions;
    model->horizon = parts->horizon;
    model->dim = parts->dim;
    model->pairs = parts->states * parts->actions;
    model->norm_bound = parts->norm_bound;
    model->nonnegative = parts->nonnegative;
    model->aggregated = parts->aggregated;
    model->feature_error = fabs(parts->feature_error); /* -0 is 0, in memory as in files */
    model->feature_delta = fabs(parts->feature_delta);
    model->grid_rows = parts->cell_row ? parts->grid_rows : 0;
    model->grid_cols = parts->cell_row ? parts->grid_cols : 0;
    model->name = fy_arena_text(&model->arena, parts->name);
    if (!model->name || !COPY(&model->arena, model->theta, parts->theta, parts->dim) ||
        !COPY(&model->arena, model->cell_row, parts->cell_row, parts->states) ||
        !COPY(&model->arena, model->cell_col, parts->cell_col, parts->states) ||
        !copy_names(&model->arena, parts->state_names, parts->states, &model->state_names) ||
        !copy_names(&model->arena, parts->action_names, parts->actions, &model->action_names))
        return FORAY_ERROR_MEMORY;
    foray_status status = copy_available(parts, model);
    if (status == FORAY_OK)
        status = fy_pair_features_copy(ctx, parts, model);
    return status == FORAY_OK ? copy_initial(ctx, parts, model) : status;
}

/* ============================================== pairs, one after another */

foray_status fy_gather_create(foray_context *ctx, foray_model *model, int64_t transitions,
                              fy_gather *gather)
{
    gather->ctx = gather->arena.ctx = ctx;
    gather->model = model;
    return FY_NEW(&model->arena, model->generator_set, model->pairs) &&
                   FY_NEW(&model->arena, model->succ_start, model->pairs + 1) &&
                   FY_NEW(&model->arena, model->succ, transitions) &&
                   FY_NEW(&gather->arena, gather->seen, model->states)
               ? FORAY_OK
               : FORAY_ERROR_MEMORY;
}

void fy_gather_free(fy_gather *gather)
{
    fy_sets_free(&gather->sets);
    fy_arena_release(&gather->arena);
}

/* -------------------------------------------------------------------- lists */

#define RESERVE(g, array, room, count)                                                             \
    ((grown = fy_arena_grow(&(g)->arena, (array), &(room), (count), sizeof *(array))) != NULL &&   \
     ((array) = grown, true))

static bool reserve(fy_gather *gather, int64_t generators, int64_t features)
{
    void *grown;
    return RESERVE(gather, gather->feature, gather->feature_room, features) &&
           RESERVE(gather, gather->generator, gather->generator_room, generators) &&
           RESERVE(gather, gather->order, gather->order_room, generators) &&
           RESERVE(gather, gather->set_pair, gather->set_pair_room, gather->sets.count + 1) &&
           fy_sets_reserve(gather->ctx, &gather->sets, generators, features) == FORAY_OK;
}

/* The features of generator j, without zeros, sorted, each coordinate once. */
static foray_status take_features(fy_gather *gather, const fy_given_list *list, int64_t j,
                                  fy_feature *out, int64_t *count)
{
    int64_t n = 0, kept = 0;
    for (int64_t k = list->feat_start[j]; k < list->feat_start[j + 1]; k++)
        out[n++] = (fy_feature){list->feat_index[k], list->feat_value[k] / list->divisor};
    fy_sort_features(out, n);
    for (int64_t k = 0; k < n; k++) {
        if (k > 0 && out[k].index == out[k - 1].index)
            return fy_fail(gather->ctx, FORAY_ERROR_INPUT,
                           FY_AT_PAIR ", successor %d: feature coordinate %d is given twice",
                           FY_PAIR(gather->model, list->pair), list->succ[j], out[k].index);
        if (out[k].value != 0)
            out[kept++] = out[k];
    }
    *count = kept;
    return FORAY_OK;
}

foray_status fy_gather_list(fy_gather *gather, const fy_given_list *list, int32_t *set)
{
    int64_t features = list->feat_start[list->count] - list->feat_start[0];
    if (!reserve(gather, list->count, features))
        return FORAY_ERROR_MEMORY;
    fy_feature *free_feature = gather->feature;
    for (int64_t j = 0; j < list->count; j++) {
        fy_generator *gen = &gather->generator[j];
        gen->feature = free_feature;
        gen->position = j;
        foray_status status = take_features(gather, list, j, free_feature, &gen->count);
        if (status != FORAY_OK)
            return status;
        free_feature += gen->count;
    }
    fy_sort_generators(gather->generator, list->count);
    for (int64_t j = 0; j < list->count; j++)
        gather->order[j] = (int32_t)gather->generator[j].position;
    int32_t found = fy_sets_find(&gather->sets, gather->generator, list->count, true);
    *set = found >= 0 ? found : (int32_t)(gather->sets.count - 1);
    if (found < 0)
        gather->set_pair[*set] = (int32_t)list->pair;
    return FORAY_OK;
}

/* --------------------------------------------------------------- successors */

static bool same_generator(const fy_sets *sets, int64_t a, int64_t b)
{
    int64_t n = sets->feat_start[a + 1] - sets->feat_start[a];
    int64_t at = sets->feat_start[a], other = sets->feat_start[b];
    if (n != sets->feat_start[b + 1] - other)
        return false;
    for (int64_t k = 0; k < n; k++)
        if (sets->feat_index[at + k] != sets->feat_index[other + k] ||
            sets->feat_value[at + k] != sets->feat_value[other + k])
            return false;
    return true;
}

static int compare_states(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* Equal generators are exchangeable: their successors go in ascending order. */
static void sort_ties(const fy_sets *sets, int32_t set, int32_t *succ)
{
    int64_t first = sets->gen_start[set], n = sets->gen_start[set + 1] - first;
    for (int64_t j = 0, end; j < n; j = end) {
        for (end = j + 1; end < n && same_generator(sets, first + j, first + end);)
            end++;
        fy_sort_items(succ + j, end - j, sizeof *succ, compare_states);
    }
}

foray_status fy_gather_pair(fy_gather *gather, int32_t set, const int32_t *order,
                            const int32_t *given)
{
    foray_model *model = gather->model;
    int64_t pair = gather->pairs, n = gather->sets.gen_start[set + 1] - gather->sets.gen_start[set];
    int32_t *succ = model->succ + model->succ_start[pair];
    for (int64_t j = 0; j < n; j++) {
        int32_t next = given[order[j]];
        if (gather->seen[next] == pair + 1)
            return fy_fail(gather->ctx, FORAY_ERROR_INPUT,
                           FY_AT_PAIR ": successor %d is given twice",
                           FY_PAIR(model, fy_stand_in(model, pair)), next);
        gather->seen[next] = (int32_t)pair + 1;
        succ[j] = next;
    }
    sort_ties(&gather->sets, set, succ);
    model->generator_set[pair] = set;
    model->succ_start[pair + 1] = model->succ_start[pair] + n;
    gather->pairs++;
    return FORAY_OK;
}

void fy_gather_stay(fy_gather *gather, int64_t count)
{
    foray_model *model = gather->model;
    int64_t pair = gather->pairs++, start = model->succ_start[pair];
    for (int64_t j = 0; j < count; j++)
        model->succ[start + j] = (int32_t)(pair / model->actions);
    model->generator_set[pair] = -1;
    model->succ_start[pair + 1] = start + count;
}

void fy_gather_repeat(fy_gather *gather, int64_t pair)
{
    foray_model *model = gather->model;
    int64_t place = gather->pairs++, start = model->succ_start[place];
    int64_t n = model->succ_start[pair + 1] - model->succ_start[pair];
    memcpy(model->succ + start, model->succ + model->succ_start[pair],
           (size_t)n * sizeof *model->succ);
    model->generator_set[place] = model->generator_set[pair];
    model->succ_start[place + 1] = start + n;
}

/* ------------------------------------------------------------------- the end */

/* The array becomes the model's, without the room that was not needed. */
#define TAKE(model, gather, array, count, member)                                                  \
    ((trimmed = fy_arena_resize(&(gather)->arena, (array), (size_t)(count), sizeof *(array))) !=   \
         NULL &&                                                                                   \
     (fy_arena_move(&(model)->arena, trimmed), (array) = NULL, (model)->member = trimmed, true))

foray_status fy_gather_finish(fy_gather *gather)
{
    foray_model *model = gather->model;
    fy_sets *sets = &gather->sets;
    void *trimmed;
    fy_sets_forget(sets);
    if (!TAKE(model, gather, sets->gen_start, sets->count + 1, gen_start) ||
        !TAKE(model, gather, sets->feat_start, sets->generators + 1, feat_start) ||
        !TAKE(model, gather, sets->feat_index, sets->features, feat_index) ||
        !TAKE(model, gather, sets->feat_value, sets->features, feat_value) ||
        !TAKE(model, gather, gather->set_pair, sets->count, generator_set_pair))
        return FORAY_ERROR_MEMORY;
    model->generator_sets = sets->count;
    *sets = (fy_sets){0};
    return FORAY_OK;
}

#undef TAKE

/* ==================================================== parts in any order */

/* Lists that several pairs have are looked up once. */
typedef struct lists {
    int32_t *set;            /* [lists], -1: not seen yet */
    int32_t *order;          /* [generators] positions of the sorted generators, list by list */
    int64_t stay, stay_size; /* the shortest list: that of pairs that stay */
} lists;

static void find_shortest(const fy_model_parts *parts, lists *l)
{
    l->stay_size = INT64_MAX;
    for (int64_t list = 0; list < parts->lists; list++) {
        int64_t size = parts->gen_start[list + 1] - parts->gen_start[list];
        if (size < l->stay_size) {
            l->stay = list;
            l->stay_size = size;
        }
    }
}

/* --------------------------------------------------------------------- pairs */

static foray_status check_features(foray_context *ctx, const fy_model_parts *parts, int64_t pair,
                                   int64_t list)
{
    int64_t first = parts->gen_start[list], n = parts->gen_start[list + 1] - first;
    const int32_t *succ = parts->succ + parts->succ_start[pair];
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = parts->feat_start[first + j]; k < parts->feat_start[first + j + 1]; k++) {
            foray_status status = fy_parts_check_feature(
                ctx, parts, pair, succ[j], parts->feat_index[k], parts->feat_value[k]);
            if (status != FORAY_OK)
                return status;
        }
    return FORAY_OK;
}

/* Brings a list into order the first time a pair has it. */
static foray_status take_list(fy_gather *g, const fy_model_parts *parts, lists *l, int64_t pair,
                              int64_t list)
{
    int64_t first = parts->gen_start[list], n = parts->gen_start[list + 1] - first;
    foray_status status = check_features(g->ctx, parts, pair, list);
    if (status != FORAY_OK)
        return status;
    fy_given_list given = {.count = n,
                           .feat_start = parts->feat_start + first,
                           .feat_index = parts->feat_index,
                           .feat_value = parts->feat_value,
                           .divisor = 1,
                           .pair = pair,
                           .succ = parts->succ + parts->succ_start[pair]};
    status = fy_gather_list(g, &given, &l->set[list]);
    for (int64_t j = 0; j < n && status == FORAY_OK; j++)
        l->order[first + j] = g->order[j];
    return status;
}

static foray_status take_pair(fy_gather *g, const fy_model_parts *parts, lists *l)
{
    int64_t pair = fy_stand_in(g->model, g->pairs);
    int64_t list = parts->list_of_pair ? parts->list_of_pair[pair] : pair;
    if (list < 0) {
        fy_gather_stay(g, l->stay_size);
        return FORAY_OK;
    }
    foray_status status = check_pair(g->ctx, parts, pair);
    if (status == FORAY_OK && l->set[list] < 0)
        status = take_list(g, parts, l, pair, list);
    if (status == FORAY_OK)
        status = fy_gather_pair(g, l->set[list], l->order + parts->gen_start[list],
                                parts->succ + parts->succ_start[pair]);
    return status;
}

static foray_status check_lists_used(foray_context *ctx, const fy_model_parts *parts,
                                     const lists *l)
{
    for (int64_t list = 0; list < parts->lists; list++)
        if (l->set[list] < 0 && parts->list_of_pair)
            return fy_fail(ctx, FORAY_ERROR_INPUT, "generator set %" PRId64 " belongs to no pair",
                           list);
    return FORAY_OK;
}

/* Those that stand in for a pair, and that stay, included. */
static int64_t count_transitions(const fy_model_parts *parts, const foray_model *model,
                                 const lists *l)
{
    int64_t count = parts->succ_start[model->pairs];
    for (int64_t pair = 0; parts->stays && pair < model->pairs; pair++)
        if (parts->list_of_pair[pair] < 0 && fy_available(model, pair))
            count += l->stay_size;
    for (int64_t pair = 0; model->stand_in && pair < model->pairs; pair++)
        if (!fy_available(model, pair))
            count += parts->succ_start[model->stand_in[pair] + 1] -
                     parts->succ_start[model->stand_in[pair]];
    return count;
}

static foray_status gather_pairs(fy_gather *g, const fy_model_parts *parts, foray_model *model,
                                 lists *l)
{
    for (int64_t list = 0; list < parts->lists; list++)
        l->set[list] = -1;
    find_shortest(parts, l);
    if (parts->stays && l->stay_size > FY_STAY_MOST)
        return fy_fail(
            g->ctx, FORAY_ERROR_INPUT,
            "available: states without an action, where no law has at most %d successors",
            FY_STAY_MOST);
    foray_status status = fy_gather_create(g->ctx, model, count_transitions(parts, model, l), g);
    for (int64_t pair = 0; pair < model->pairs && status == FORAY_OK; pair++)
        status = take_pair(g, parts, l);
    if (status == FORAY_OK)
        status = check_lists_used(g->ctx, parts, l);
    for (int64_t pair = 0; parts->stays && status == FORAY_OK && pair < model->pairs; pair++)
        if (model->generator_set[pair] < 0)
            model->generator_set[pair] = l->set[l->stay];
    return status == FORAY_OK ? fy_gather_finish(g) : status;
}

/* No step begins where every action stays for want of anything else. */
static foray_status check_stays(foray_context *ctx, const fy_model_parts *parts,
                                const foray_model *model)
{
    fy_arena scratch = {.ctx = ctx};
    int32_t *earliest, *line;
    foray_status status = FORAY_OK;
    if (!FY_NEW(&scratch, earliest, model->states) || !FY_NEW(&scratch, line, model->states))
        status = FORAY_ERROR_MEMORY;
    else
        (void)fy_model_earliest(model, earliest, line);
    for (int64_t state = 0; state < model->states && status == FORAY_OK; state++) {
        int64_t pair = state * model->actions;
        if (parts->available[pair] && parts->list_of_pair[pair] < 0 &&
            earliest[state] < model->horizon)
            status = fy_fail(ctx, FORAY_ERROR_INPUT, "available: state %" PRId64 " has no action",
                             state);
    }
    fy_arena_release(&scratch);
    return status;
}

static foray_status take_pairs(foray_context *ctx, const fy_model_parts *parts, foray_model *model)
{
    lists l = {0};
    fy_gather gather = {.ctx = ctx};
    foray_status status =
        FY_ALLOC(ctx, l.set, parts->lists) && FY_ALLOC(ctx, l.order, parts->gen_start[parts->lists])
            ? gather_pairs(&gather, parts, model, &l)
            : FORAY_ERROR_MEMORY;
    fy_gather_free(&gather);
    free(l.set);
    free(l.order);
    return status;
}

/* -------------------------------------------------------------------- settled */

/* theta >= 0 is worth saying only where the features do not show it: a model then is the same
 * whether it was built or read from a file that says nothing of it. */
static foray_status set_sign(foray_context *ctx, foray_model *model)
{
    bool *shown, all = true;
    if (!model->nonnegative)
        return FORAY_OK;
    if (!FY_ALLOC(ctx, shown, model->dim))
        return FORAY_ERROR_MEMORY;
    fy_model_mark_nonnegative(model, shown);
    for (int64_t i = 0; i < model->dim; i++)
        all &= shown[i];
    model->nonnegative = !all;
    free(shown);
    return FORAY_OK;
}

/* A model whose equations have no solution is kept without a basis, so that a
 * check can say what is wrong with it. */
foray_status fy_model_complete(foray_context *ctx, foray_model *model)
{
    foray_status status = set_sign(ctx, model);
    if (status == FORAY_OK)
        status = fy_basis_create(ctx, model, true, true, &model->basis);
    return status == FORAY_ERROR_INPUT ? FORAY_OK : status;
}

foray_status fy_model_assemble(foray_context *ctx, const fy_model_parts *given, foray_model **out)
{
    fy_model_parts parts = *given;
    if (!parts.list_of_pair) {
        parts.lists = parts.states * parts.actions;
        parts.gen_start = parts.succ_start;
    }
    parts.features = parts.feat_start[parts.gen_start[parts.lists]];
    foray_status status = fy_parts_check(ctx, &parts);
    if (status != FORAY_OK)
        return status;
    foray_model *model = fy_model_new(ctx);
    if (!model)
        return FORAY_ERROR_MEMORY;
    status = fy_parts_copy(ctx, &parts, model);
    if (status == FORAY_OK)
        status = take_pairs(ctx, &parts, model);
    if (status == FORAY_OK && parts.stays)
        status = check_stays(ctx, &parts, model);
    model->pruned = parts.stays;
    if (status == FORAY_OK)
        status = fy_model_complete(ctx, model);
    if (status != FORAY_OK) {
        foray_model_destroy(model);
        return status;
    }
    *out = model;
    return FORAY_OK;
}
