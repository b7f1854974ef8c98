/* gather.c - pairs and their generator sets into a model. */
#include "model/gather.h"
#include "model/parts.h"

#include <stdlib.h>
#include <string.h>

foray_status fy_gather_create(foray_context *ctx, foray_model *model, int64_t transitions,
                              fy_gather *gather)
{
    gather->ctx = ctx;
    gather->model = model;
    return FY_ALLOC(ctx, model->generator_set, model->pairs) &&
                   FY_ALLOC(ctx, model->succ_start, model->pairs + 1) &&
                   FY_ALLOC(ctx, model->succ, transitions) &&
                   FY_ALLOC(ctx, gather->seen, model->states)
               ? FORAY_OK
               : FORAY_ERROR_MEMORY;
}

void fy_gather_free(fy_gather *gather)
{
    fy_sets_free(&gather->sets);
    free(gather->set_pair);
    free(gather->feature);
    free(gather->generator);
    free(gather->order);
    free(gather->seen);
}

/* -------------------------------------------------------------------- lists */

#define RESERVE(g, array, room, count)                                                             \
    ((grown = fy_grow((g)->ctx, (array), &(room), (count), sizeof *(array))) != NULL &&            \
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

/* Gives back the room that was not needed. */
static bool trim(foray_context *ctx, fy_sets *sets, int32_t **set_pair)
{
#define TRIM(array, count)                                                                         \
    ((trimmed = fy_resize(ctx, (array), (size_t)(count), sizeof *(array))) != NULL &&              \
     ((array) = trimmed, true))
    void *trimmed;
    return TRIM(sets->gen_start, sets->count + 1) && TRIM(sets->feat_start, sets->generators + 1) &&
           TRIM(sets->feat_index, sets->features) && TRIM(sets->feat_value, sets->features) &&
           TRIM(*set_pair, sets->count);
#undef TRIM
}

foray_status fy_gather_finish(fy_gather *gather)
{
    foray_model *model = gather->model;
    fy_sets_forget(&gather->sets);
    if (!trim(gather->ctx, &gather->sets, &gather->set_pair))
        return FORAY_ERROR_MEMORY;
    model->generator_sets = gather->sets.count;
    model->gen_start = gather->sets.gen_start;
    model->feat_start = gather->sets.feat_start;
    model->feat_index = gather->sets.feat_index;
    model->feat_value = gather->sets.feat_value;
    model->generator_set_pair = gather->set_pair;
    gather->sets = (fy_sets){0};
    gather->set_pair = NULL;
    return FORAY_OK;
}
