/* assemble.c - from checked parts to a model: which pairs share a generator set?
 *
 * Every list of generators is brought into one order (by feature vector), so
 * that equal lists become equal bytes, found through a hash table. Successors
 * follow the order of their generators; equal generators are told apart by
 * their successors. */
#include "model/model.h"
#include "model/basis.h"
#include "model/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------- generators in order */

typedef struct feature {
    int32_t index;
    double value;
} feature;

/* A generator of the list at hand: its features lie in `gather.feature`. */
typedef struct generator {
    const feature *feature;
    int64_t count;
    int64_t position; /* in the list as it was given */
} generator;

typedef struct gather {
    foray_context *ctx;
    const fy_model_parts *parts;
    foray_model *model;
    feature *feature;               /* [most features of a list] */
    generator *generator;           /* [most generators of a list] */
    int64_t *order;                 /* [generators] position of the sorted generators, by list */
    int32_t *generator_set_of_list; /* [lists], -1: not seen yet */
    int32_t *seen;                  /* [states] last pair that had this successor, plus 1 */
    uint64_t *hash;                 /* [generator_sets] */
    int32_t *slot;                  /* [mask+1] open addressing: generator_set + 1, or 0 */
    uint64_t mask;
    int64_t generators, features; /* kept so far */
} gather;

static int compare_features(const void *left, const void *right)
{
    const feature *a = left, *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

/* By feature vectors, as words in a dictionary; equal ones as they came. */
static int compare_generators(const void *left, const void *right)
{
    const generator *a = left, *b = right;
    for (int64_t k = 0; k < a->count && k < b->count; k++) {
        const feature *x = &a->feature[k], *y = &b->feature[k];
        if (x->index != y->index)
            return x->index < y->index ? -1 : 1;
        if (x->value != y->value)
            return x->value < y->value ? -1 : 1;
    }
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

/* Sorts, unless the items are in order already, as most are. */
static void sort_items(void *items, int64_t count, size_t size,
                       int (*compare)(const void *, const void *))
{
    const char *item = items;
    for (int64_t i = 1; i < count; i++)
        if (compare(item + (size_t)(i - 1) * size, item + (size_t)i * size) > 0) {
            qsort(items, (size_t)count, size, compare);
            return;
        }
}

/* The features of one generator, without zeros, sorted, each coordinate once. */
static foray_status take_features(gather *g, int64_t pair, int64_t gen, int64_t next, feature *out,
                                  int64_t *count)
{
    const fy_model_parts *parts = g->parts;
    int64_t n = 0;
    for (int64_t k = parts->feat_start[gen]; k < parts->feat_start[gen + 1]; k++) {
        foray_status status = fy_parts_check_feature(g->ctx, parts, pair, next,
                                                     parts->feat_index[k], parts->feat_value[k]);
        if (status != FORAY_OK)
            return status;
        out[n++] = (feature){parts->feat_index[k], parts->feat_value[k]};
    }
    sort_items(out, n, sizeof *out, compare_features);
    int64_t kept = 0;
    for (int64_t k = 0; k < n; k++) {
        if (k > 0 && out[k].index == out[k - 1].index)
            return fy_fail(g->ctx, FORAY_ERROR_INPUT,
                           FY_AT_PAIR ", successor %" PRId64
                                      ": feature coordinate %d is given twice",
                           FY_PAIR(parts, pair), next, out[k].index);
        if (out[k].value != 0)
            out[kept++] = out[k];
    }
    *count = kept;
    return FORAY_OK;
}

/* ------------------------------------------------------------ shared sets */

/* Writes the sorted list behind the sets kept so far. */
static void append_list(gather *g, int64_t n)
{
    foray_model *model = g->model;
    int64_t gen = g->generators, at = g->features;
    for (int64_t j = 0; j < n; j++) {
        for (int64_t k = 0; k < g->generator[j].count; k++, at++) {
            model->feat_index[at] = g->generator[j].feature[k].index;
            model->feat_value[at] = g->generator[j].feature[k].value;
        }
        model->feat_start[++gen] = at;
    }
    model->gen_start[model->generator_sets + 1] = gen;
}

static uint64_t hash_generator_set(const foray_model *model, int64_t generator_set)
{
    int64_t first = model->gen_start[generator_set], end = model->gen_start[generator_set + 1];
    size_t start = (size_t)model->feat_start[first];
    size_t count = (size_t)model->feat_start[end] - start;
    uint64_t hash = (uint64_t)(end - first);
    for (int64_t gen = first; gen < end; gen++) {
        int64_t features = model->feat_start[gen + 1] - model->feat_start[gen];
        hash = fy_hash(&features, sizeof features, hash);
    }
    hash = fy_hash(model->feat_index + start, count * sizeof *model->feat_index, hash);
    return fy_hash(model->feat_value + start, count * sizeof *model->feat_value, hash);
}

static bool equal_generator_sets(const foray_model *model, int64_t a, int64_t b)
{
    int64_t n = fy_generator_set_size(model, a);
    if (n != fy_generator_set_size(model, b))
        return false;
    const int64_t *start_a = model->feat_start + model->gen_start[a];
    const int64_t *start_b = model->feat_start + model->gen_start[b];
    for (int64_t j = 1; j <= n; j++)
        if (start_a[j] - start_a[0] != start_b[j] - start_b[0])
            return false;
    size_t count = (size_t)(start_a[n] - start_a[0]);
    return memcmp(model->feat_index + start_a[0], model->feat_index + start_b[0],
                  count * sizeof *model->feat_index) == 0 &&
           memcmp(model->feat_value + start_a[0], model->feat_value + start_b[0],
                  count * sizeof *model->feat_value) == 0;
}

/* The set just appended: an old one that is equal, or itself, kept from now on. */
static int32_t share_generator_set(gather *g, int64_t pair)
{
    foray_model *model = g->model;
    int32_t fresh = (int32_t)model->generator_sets;
    uint64_t hash = hash_generator_set(model, fresh), at = hash & g->mask;
    for (; g->slot[at] != 0; at = (at + 1) & g->mask) {
        int32_t old = g->slot[at] - 1;
        if (g->hash[old] == hash && equal_generator_sets(model, old, fresh))
            return old;
    }
    g->slot[at] = fresh + 1;
    g->hash[fresh] = hash;
    model->generator_set_pair[fresh] = (int32_t)pair;
    model->generator_sets++;
    g->generators = model->gen_start[fresh + 1];
    g->features = model->feat_start[g->generators];
    return fresh;
}

/* Brings a list into order the first time a pair has it. */
static foray_status take_list(gather *g, int64_t pair, int64_t list)
{
    const fy_model_parts *parts = g->parts;
    int64_t first = parts->gen_start[list], n = parts->gen_start[list + 1] - first;
    const int32_t *succ = parts->succ + parts->succ_start[pair];
    feature *free_feature = g->feature;
    for (int64_t j = 0; j < n; j++) {
        generator *gen = &g->generator[j];
        gen->feature = free_feature;
        gen->position = j;
        foray_status status = take_features(g, pair, first + j, succ[j], free_feature, &gen->count);
        if (status != FORAY_OK)
            return status;
        free_feature += gen->count;
    }
    sort_items(g->generator, n, sizeof *g->generator, compare_generators);
    for (int64_t j = 0; j < n; j++)
        g->order[first + j] = g->generator[j].position;
    append_list(g, n);
    g->generator_set_of_list[list] = share_generator_set(g, pair);
    return FORAY_OK;
}

/* ------------------------------------------------------------- successors */

static bool same_generator(const foray_model *model, int64_t a, int64_t b)
{
    int64_t n = model->feat_start[a + 1] - model->feat_start[a];
    int64_t at = model->feat_start[a], other = model->feat_start[b];
    if (n != model->feat_start[b + 1] - other)
        return false;
    for (int64_t k = 0; k < n; k++)
        if (model->feat_index[at + k] != model->feat_index[other + k] ||
            model->feat_value[at + k] != model->feat_value[other + k])
            return false;
    return true;
}

static int compare_states(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* Equal generators are exchangeable: their successors go in ascending order. */
static void sort_ties(const foray_model *model, int64_t generator_set, int32_t *succ)
{
    int64_t first = model->gen_start[generator_set],
            n = fy_generator_set_size(model, generator_set);
    for (int64_t j = 0, end; j < n; j = end) {
        for (end = j + 1; end < n && same_generator(model, first + j, first + end);)
            end++;
        sort_items(succ + j, end - j, sizeof *succ, compare_states);
    }
}

/* pair: whose they are; place: the pair itself, or one that stands in for it. */
static foray_status take_successors(gather *g, int64_t place, int64_t pair, int64_t list)
{
    const fy_model_parts *parts = g->parts;
    const int64_t *order = g->order + parts->gen_start[list];
    const int32_t *given = parts->succ + parts->succ_start[pair];
    int64_t n = parts->succ_start[pair + 1] - parts->succ_start[pair];
    int32_t *succ = g->model->succ + g->model->succ_start[place];
    g->model->succ_start[place + 1] = g->model->succ_start[place] + n;
    for (int64_t j = 0; j < n; j++) {
        int32_t next = given[order[j]];
        if (g->seen[next] == place + 1)
            return fy_fail(g->ctx, FORAY_ERROR_INPUT, FY_AT_PAIR ": successor %d is given twice",
                           FY_PAIR(parts, pair), next);
        g->seen[next] = (int32_t)place + 1;
        succ[j] = next;
    }
    sort_ties(g->model, g->generator_set_of_list[list], succ);
    return FORAY_OK;
}

static foray_status take_pair(gather *g, int64_t place)
{
    const fy_model_parts *parts = g->parts;
    int64_t pair = fy_stand_in(g->model, place);
    int64_t list = parts->list_of_pair ? parts->list_of_pair[pair] : pair;
    foray_status status = fy_parts_check_pair(g->ctx, parts, pair);
    if (status == FORAY_OK && g->generator_set_of_list[list] < 0)
        status = take_list(g, pair, list);
    if (status == FORAY_OK)
        status = take_successors(g, place, pair, list);
    if (status == FORAY_OK)
        g->model->generator_set[place] = g->generator_set_of_list[list];
    return status;
}

/* ------------------------------------------------------------- allocation */

static bool allocate_model(foray_context *ctx, const fy_model_parts *parts, foray_model *model)
{
    int64_t transitions = parts->succ_start[model->pairs];
    for (int64_t pair = 0; model->stand_in && pair < model->pairs; pair++)
        if (!fy_available(model, pair))
            transitions += parts->succ_start[model->stand_in[pair] + 1] -
                           parts->succ_start[model->stand_in[pair]];
    int64_t generators = parts->gen_start[parts->lists];
    int64_t features = parts->feat_start[generators];
    return FY_ALLOC(ctx, model->generator_set, model->pairs) &&
           FY_ALLOC(ctx, model->succ_start, model->pairs + 1) &&
           FY_ALLOC(ctx, model->succ, transitions) &&
           FY_ALLOC(ctx, model->gen_start, parts->lists + 1) &&
           FY_ALLOC(ctx, model->feat_start, generators + 1) &&
           FY_ALLOC(ctx, model->feat_index, features) &&
           FY_ALLOC(ctx, model->feat_value, features) &&
           FY_ALLOC(ctx, model->generator_set_pair, parts->lists);
}

static bool allocate_gather(gather *g)
{
    const fy_model_parts *parts = g->parts;
    int64_t most_generators = 0, most_features = 0;
    for (int64_t list = 0; list < parts->lists; list++) {
        int64_t first = parts->gen_start[list], end = parts->gen_start[list + 1];
        int64_t features = parts->feat_start[end] - parts->feat_start[first];
        most_generators = end - first > most_generators ? end - first : most_generators;
        most_features = features > most_features ? features : most_features;
    }
    for (g->mask = 15; g->mask < 2 * (uint64_t)parts->lists;)
        g->mask = 2 * g->mask + 1;
    return FY_ALLOC(g->ctx, g->feature, most_features) &&
           FY_ALLOC(g->ctx, g->generator, most_generators) &&
           FY_ALLOC(g->ctx, g->order, parts->gen_start[parts->lists]) &&
           FY_ALLOC(g->ctx, g->generator_set_of_list, parts->lists) &&
           FY_ALLOC(g->ctx, g->seen, parts->states) && FY_ALLOC(g->ctx, g->hash, parts->lists) &&
           FY_ALLOC(g->ctx, g->slot, g->mask + 1);
}

static void free_gather(gather *g)
{
    free(g->feature);
    free(g->generator);
    free(g->order);
    free(g->generator_set_of_list);
    free(g->seen);
    free(g->hash);
    free(g->slot);
}

/* Room was made as if nothing were shared: gives back what was not needed. */
static bool trim_model(foray_context *ctx, foray_model *model)
{
    int64_t generators = model->gen_start[model->generator_sets];
    int64_t features = model->feat_start[generators];
#define TRIM(array, count)                                                                         \
    ((trimmed = fy_resize(ctx, (array), (size_t)(count), sizeof *(array))) != NULL &&              \
     ((array) = trimmed, true))
    void *trimmed;
    return TRIM(model->gen_start, model->generator_sets + 1) &&
           TRIM(model->feat_start, generators + 1) && TRIM(model->feat_index, features) &&
           TRIM(model->feat_value, features) &&
           TRIM(model->generator_set_pair, model->generator_sets);
#undef TRIM
}

/* --------------------------------------------------------------- assembly */

static foray_status check_lists_used(gather *g)
{
    for (int64_t list = 0; list < g->parts->lists; list++)
        if (g->generator_set_of_list[list] < 0 && g->parts->list_of_pair)
            return fy_fail(g->ctx, FORAY_ERROR_INPUT,
                           "generator set %" PRId64 " belongs to no pair", list);
    return FORAY_OK;
}

static foray_status gather_pairs(gather *g)
{
    if (!allocate_model(g->ctx, g->parts, g->model) || !allocate_gather(g))
        return FORAY_ERROR_MEMORY;
    for (int64_t list = 0; list < g->parts->lists; list++)
        g->generator_set_of_list[list] = -1;
    for (int64_t pair = 0; pair < g->model->pairs; pair++) {
        foray_status status = take_pair(g, pair);
        if (status != FORAY_OK)
            return status;
    }
    foray_status status = check_lists_used(g);
    if (status == FORAY_OK && !trim_model(g->ctx, g->model))
        status = FORAY_ERROR_MEMORY;
    return status;
}

/* theta >= 0 is worth saying only where the features do not show it: a model then is the same
 * whether it was built or read from a file that says nothing of it. */
static foray_status settle_sign(foray_context *ctx, foray_model *model)
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
static foray_status derive_basis(foray_context *ctx, foray_model *model)
{
    foray_status status = fy_basis_create(ctx, model, true, true, &model->basis);
    return status == FORAY_ERROR_INPUT ? FORAY_OK : status;
}

static foray_status build(foray_context *ctx, const fy_model_parts *parts, foray_model *model)
{
    foray_status status = fy_parts_copy(ctx, parts, model);
    if (status != FORAY_OK)
        return status;
    gather g = {.ctx = ctx, .parts = parts, .model = model};
    status = gather_pairs(&g);
    free_gather(&g);
    if (status == FORAY_OK)
        status = settle_sign(ctx, model);
    return status == FORAY_OK ? derive_basis(ctx, model) : status;
}

foray_status fy_model_assemble(foray_context *ctx, const fy_model_parts *given, foray_model **out)
{
    fy_model_parts parts = *given;
    foray_status status = fy_parts_check(ctx, &parts);
    if (status != FORAY_OK)
        return status;
    if (!parts.list_of_pair) {
        parts.lists = parts.states * parts.actions;
        parts.gen_start = parts.succ_start;
    }
    foray_model *model;
    if (!FY_ALLOC(ctx, model, 1))
        return FORAY_ERROR_MEMORY;
    status = build(ctx, &parts, model);
    if (status != FORAY_OK) {
        foray_model_destroy(model);
        return status;
    }
    *out = model;
    return FORAY_OK;
}
