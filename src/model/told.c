/* told.c - what a builder is told about one pair: doubles, and lists that come again. */
#include "model/builder.h"

#include <inttypes.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ the desk */

bool fy_desk_reserve(foray_context *ctx, fy_desk *desk, int64_t entries)
{
    if (desk->told && entries <= desk->room)
        return true;
    int64_t room = entries > 2 * desk->room ? entries : 2 * desk->room;
    void *grown;
#define GROW(array)                                                                                \
    ((grown = fy_resize(ctx, (array), (size_t)room, sizeof *(array))) != NULL &&                   \
     ((array) = grown, true))
    if (!GROW(desk->told) || !GROW(desk->entry) || !GROW(desk->feature) || !GROW(desk->generator) ||
        !GROW(desk->succ))
        return false;
#undef GROW
    desk->room = room;
    return true;
}

void fy_desk_free(fy_desk *desk)
{
    free(desk->told);
    free(desk->entry);
    free(desk->feature);
    free(desk->generator);
    free(desk->succ);
}

bool fy_builder_reserve(foray_builder *builder, int64_t pair, int64_t more)
{
    if (pair != builder->pair && !fy_builder_holds(builder, fy_builder_clear_desk(builder)))
        return false;
    builder->pair = pair;
    return fy_builder_holds(builder,
                            fy_desk_reserve(builder->ctx, &builder->desk, builder->on_desk + more)
                                ? FORAY_OK
                                : FORAY_ERROR_MEMORY);
}

void fy_builder_tell(foray_builder *builder, int64_t next, int64_t coordinate, double value)
{
    builder->desk.told[builder->on_desk++] = (fy_told){
        .entry = {.next = (int32_t)next, .coordinate = (int32_t)coordinate, .value = value},
        .call = builder->calls};
    builder->entries++;
}

/* ------------------------------------------------------------------- doubles */

static int compare_told(const void *left, const void *right)
{
    const fy_told *a = left, *b = right;
    if (a->entry.next != b->entry.next)
        return a->entry.next < b->entry.next ? -1 : 1;
    if (a->entry.coordinate != b->entry.coordinate)
        return a->entry.coordinate < b->entry.coordinate ? -1 : 1;
    return (a->call > b->call) - (a->call < b->call);
}

/* Two entries of one pair with one successor: did somebody say something twice? */
static foray_status check_double(const foray_builder *builder, int64_t pair, const fy_told *first,
                                 const fy_told *second)
{
    const fy_entry *entry = &first->entry;
    bool same_coordinate = entry->coordinate == second->entry.coordinate;
    if (builder->kind == FY_MIXTURE && same_coordinate)
        return fy_fail(builder->ctx, FORAY_ERROR_INPUT,
                       FY_AT_PAIR ", simulator %d: successor %d is given twice",
                       FY_PAIR(builder, pair), entry->coordinate, entry->next);
    bool feature_twice = builder->kind == FY_FEATURES && first->call != second->call;
    if (feature_twice || builder->kind == FY_TABULAR)
        return fy_fail(builder->ctx, FORAY_ERROR_INPUT, FY_AT_PAIR ": successor %d is given twice",
                       FY_PAIR(builder, pair), entry->next);
    if (builder->kind == FY_FEATURES && same_coordinate)
        return fy_fail(builder->ctx, FORAY_ERROR_INPUT,
                       FY_AT_PAIR ", successor %d: feature coordinate %d is given twice",
                       FY_PAIR(builder, pair), entry->next, entry->coordinate);
    return FORAY_OK;
}

foray_status fy_told_sort(const foray_builder *builder, int64_t pair, fy_told *told, int64_t count)
{
    fy_sort_items(told, count, sizeof *told, compare_told);
    for (int64_t k = 1; k < count; k++) {
        if (builder->kind == FY_CLASSES && told[k].call != told[0].call)
            return fy_fail(builder->ctx, FORAY_ERROR_INPUT,
                           FY_AT_PAIR ": its outcomes are given twice", FY_PAIR(builder, pair));
        foray_status status = told[k].entry.next == told[k - 1].entry.next
                                  ? check_double(builder, pair, &told[k - 1], &told[k])
                                  : FORAY_OK;
        if (status != FORAY_OK)
            return status;
    }
    return FORAY_OK;
}

/* --------------------------------------------------------------------- lists */

/* Entries with one successor are its feature vector: the generators, by feature vector, and
 * their successors. Returns how many. */
static int64_t lay_out_generators(fy_desk *desk, int64_t count)
{
    int64_t generators = 0, features = 0;
    for (int64_t k = 0; k < count; k++) {
        const fy_entry *entry = &desk->told[k].entry;
        if (k == 0 || entry->next != desk->told[k - 1].entry.next) {
            desk->generator[generators] =
                (fy_generator){.feature = desk->feature + features, .position = k};
            generators++;
        }
        if (entry->coordinate >= 0) {
            desk->feature[features++] = (fy_feature){entry->coordinate, entry->value};
            desk->generator[generators - 1].count++;
        }
    }
    fy_sort_generators(desk->generator, generators);
    for (int64_t j = 0; j < generators; j++)
        desk->succ[j] = desk->told[desk->generator[j].position].entry.next;
    return generators;
}

/* The list of a pair's feature vectors, if it is kept: one that is new is kept as long as all
 * lists take little memory against what was said. A table has a list of its own for each pair. */
static foray_status find_list(foray_builder *builder, int64_t count, int32_t *list,
                              int64_t *successors)
{
    const int64_t little = 1 << 20;
    *list = -1;
    if (builder->kind == FY_TABULAR)
        return FORAY_OK;
    foray_status status = fy_sets_reserve(builder->ctx, &builder->lists, count, count);
    if (status != FORAY_OK)
        return status;
    int64_t said = (int64_t)(builder->runs.chunks.words * sizeof(int32_t));
    bool keep = fy_sets_bytes(&builder->lists) < little + said / 8;
    *successors = lay_out_generators(&builder->desk, count);
    *list = fy_sets_find(&builder->lists, builder->desk.generator, *successors, keep);
    if (*list < 0 && keep)
        *list = (int32_t)(builder->lists.count - 1);
    return FORAY_OK;
}

foray_status fy_builder_clear_desk(foray_builder *builder)
{
    fy_desk *desk = &builder->desk;
    int64_t count = builder->on_desk, successors = 0;
    int32_t list;
    if (count == 0)
        return FORAY_OK;
    builder->on_desk = 0;
    foray_status status = fy_told_sort(builder, builder->pair, desk->told, count);
    if (status == FORAY_OK)
        status = find_list(builder, count, &list, &successors);
    if (status != FORAY_OK)
        return status;
    if (list >= 0)
        return fy_runs_add(builder->ctx, &builder->runs, builder->pair, list, successors,
                           desk->succ);
    for (int64_t k = 0; k < count; k++)
        desk->entry[k] = desk->told[k].entry;
    return fy_runs_add(builder->ctx, &builder->runs, builder->pair, -1, count, desk->entry);
}
