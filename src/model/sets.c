/* sets.c - the order of feature vectors, and the table of lists. */
#include "model/sets.h"

#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- order */

void fy_sort_items(void *items, int64_t count, size_t size,
                   int (*compare)(const void *, const void *))
{
    const char *item = items;
    for (int64_t i = 1; i < count; i++)
        if (compare(item + (size_t)(i - 1) * size, item + (size_t)i * size) > 0) {
            qsort(items, (size_t)count, size, compare);
            return;
        }
}

static int compare_features(const void *left, const void *right)
{
    const fy_feature *a = left, *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

void fy_sort_features(fy_feature *feature, int64_t count)
{
    fy_sort_items(feature, count, sizeof *feature, compare_features);
}

/* By feature vectors, as words in a dictionary; equal ones as they came. */
static int compare_generators(const void *left, const void *right)
{
    const fy_generator *a = left, *b = right;
    for (int64_t k = 0; k < a->count && k < b->count; k++) {
        const fy_feature *x = &a->feature[k], *y = &b->feature[k];
        if (x->index != y->index)
            return x->index < y->index ? -1 : 1;
        if (x->value != y->value)
            return x->value < y->value ? -1 : 1;
    }
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

void fy_sort_generators(fy_generator *generator, int64_t count)
{
    fy_sort_items(generator, count, sizeof *generator, compare_generators);
}

/* --------------------------------------------------------------------- room */

static int64_t larger_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Rooms are grown together: each array may have grown alone when memory ran out. */
static bool reserve_sets(fy_sets *sets)
{
    int64_t room = sets->set_room, wanted = sets->count + 1;
    if (sets->gen_start && wanted <= room)
        return true;
    room = larger_of(wanted, room > 0 ? 2 * room : 64);
    int64_t *start =
        fy_arena_resize(&sets->arena, sets->gen_start, (size_t)room + 1, sizeof *start);
    sets->gen_start = start ? start : sets->gen_start;
    uint64_t *hash = fy_arena_resize(&sets->arena, sets->hash, (size_t)room, sizeof *hash);
    sets->hash = hash ? hash : sets->hash;
    if (!start || !hash)
        return false;
    sets->gen_start[0] = 0;
    sets->set_room = room;
    return true;
}

static bool reserve_generators(fy_sets *sets, int64_t more)
{
    int64_t room = sets->generator_room, wanted = sets->generators + more;
    if (sets->feat_start && wanted <= room)
        return true;
    room = larger_of(wanted, room > 0 ? 2 * room : 64);
    int64_t *start =
        fy_arena_resize(&sets->arena, sets->feat_start, (size_t)room + 1, sizeof *start);
    if (!start)
        return false;
    start[0] = 0;
    sets->feat_start = start;
    sets->generator_room = room;
    return true;
}

static bool reserve_features(fy_sets *sets, int64_t more)
{
    int64_t room = sets->feature_room, wanted = sets->features + more;
    if (sets->feat_index && wanted <= room)
        return true;
    room = larger_of(wanted, room > 0 ? 2 * room : 64);
    int32_t *index = fy_arena_resize(&sets->arena, sets->feat_index, (size_t)room, sizeof *index);
    sets->feat_index = index ? index : sets->feat_index;
    double *value = fy_arena_resize(&sets->arena, sets->feat_value, (size_t)room, sizeof *value);
    sets->feat_value = value ? value : sets->feat_value;
    if (!index || !value)
        return false;
    sets->feature_room = room;
    return true;
}

static bool reserve_index(fy_sets *sets)
{
    if (fy_index_has_room(&sets->index, sets->count + 1))
        return true;
    if (!fy_index_create(sets->arena.ctx, &sets->index, 2 * sets->count + 1))
        return false;
    for (int64_t set = 0; set < sets->count; set++)
        fy_index_add(&sets->index, sets->hash[set], set);
    return true;
}

foray_status fy_sets_reserve(foray_context *ctx, fy_sets *sets, int64_t generators,
                             int64_t features)
{
    sets->arena.ctx = ctx;
    return reserve_sets(sets) && reserve_generators(sets, generators) &&
                   reserve_features(sets, features) && reserve_index(sets)
               ? FORAY_OK
               : FORAY_ERROR_MEMORY;
}

/* ------------------------------------------------------------------- finding */

/* Writes a list behind the sets kept so far, without counting it as one. */
static void append_list(fy_sets *sets, const fy_generator *generator, int64_t count)
{
    int64_t gen = sets->generators, at = sets->features;
    for (int64_t j = 0; j < count; j++) {
        for (int64_t k = 0; k < generator[j].count; k++, at++) {
            sets->feat_index[at] = generator[j].feature[k].index;
            sets->feat_value[at] = generator[j].feature[k].value;
        }
        sets->feat_start[++gen] = at;
    }
    sets->gen_start[sets->count + 1] = gen;
}

/* Where lists are; arrays may be anybody's. */
typedef struct view {
    const int64_t *gen_start, *feat_start;
    const int32_t *feat_index;
    const double *feat_value;
} view;

static uint64_t hash_set(const view *v, int64_t set)
{
    int64_t first = v->gen_start[set], end = v->gen_start[set + 1];
    size_t start = (size_t)v->feat_start[first];
    size_t count = (size_t)v->feat_start[end] - start;
    uint64_t hash = (uint64_t)(end - first);
    for (int64_t gen = first; gen < end; gen++) {
        int64_t features = v->feat_start[gen + 1] - v->feat_start[gen];
        hash = fy_hash(&features, sizeof features, hash);
    }
    hash = fy_hash(v->feat_index + start, count * sizeof *v->feat_index, hash);
    return fy_hash(v->feat_value + start, count * sizeof *v->feat_value, hash);
}

static bool equal_sets(const view *v, int64_t a, int64_t b)
{
    const int64_t *start_a = v->feat_start + v->gen_start[a];
    const int64_t *start_b = v->feat_start + v->gen_start[b];
    int64_t n = v->gen_start[a + 1] - v->gen_start[a];
    if (n != v->gen_start[b + 1] - v->gen_start[b])
        return false;
    for (int64_t j = 1; j <= n; j++)
        if (start_a[j] - start_a[0] != start_b[j] - start_b[0])
            return false;
    size_t count = (size_t)(start_a[n] - start_a[0]);
    return memcmp(v->feat_index + start_a[0], v->feat_index + start_b[0],
                  count * sizeof *v->feat_index) == 0 &&
           memcmp(v->feat_value + start_a[0], v->feat_value + start_b[0],
                  count * sizeof *v->feat_value) == 0;
}

int32_t fy_sets_find(fy_sets *sets, const fy_generator *generator, int64_t count, bool keep)
{
    append_list(sets, generator, count);
    const view v = {sets->gen_start, sets->feat_start, sets->feat_index, sets->feat_value};
    uint64_t hash = hash_set(&v, sets->count), at = fy_index_start(hash);
    for (int64_t old; (old = fy_index_at(&sets->index, at)) >= 0; at++) {
        if (sets->hash[old] == hash && equal_sets(&v, old, sets->count))
            return (int32_t)old;
    }
    if (keep) {
        sets->hash[sets->count] = hash;
        sets->generators = sets->gen_start[sets->count + 1];
        sets->features = sets->feat_start[sets->generators];
        fy_index_put(&sets->index, at, sets->count++);
    }
    return -1;
}

foray_status fy_sets_distinct(foray_context *ctx, const fy_model_parts *parts, bool *out)
{
    const view v = {parts->gen_start, parts->feat_start, parts->feat_index, parts->feat_value};
    fy_index index = {0};
    if (!fy_index_create(ctx, &index, parts->lists))
        return FORAY_ERROR_MEMORY;
    *out = true;
    for (int32_t list = 0; list < parts->lists && *out; list++) {
        uint64_t at = fy_index_start(hash_set(&v, list));
        for (int64_t old; *out && (old = fy_index_at(&index, at)) >= 0; at++)
            *out = !equal_sets(&v, old, list);
        fy_index_put(&index, at, list);
    }
    fy_index_free(&index);
    return FORAY_OK;
}

int64_t fy_sets_bytes(const fy_sets *sets)
{
    return 16 * sets->count + 8 * sets->generators + 12 * sets->features;
}

void fy_sets_forget(fy_sets *sets)
{
    fy_arena_free(sets->hash);
    fy_index_free(&sets->index);
    sets->hash = NULL;
}

void fy_sets_free(fy_sets *sets)
{
    fy_index_free(&sets->index);
    fy_arena_release(&sets->arena);
    *sets = (fy_sets){0};
}
