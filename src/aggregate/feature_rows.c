/* feature_rows.c - growing arrays of pairs, their successors and features. */
#include "aggregate/sampling.h"

#include <stdlib.h>
#include <string.h>

void fy_feature_rows_free(fy_feature_rows *rows)
{
    free(rows->succ_start);
    free(rows->succ);
    free(rows->feat_start);
    free(rows->feat_index);
    free(rows->feat_value);
    *rows = (fy_feature_rows){0};
}

/* `array` points to a pointer of some type, which is copied as bytes: reading it as a void *
 * would be aliasing. */
static bool grow(foray_context *ctx, void *array, size_t size, int64_t wanted)
{
    void *items;
    memcpy(&items, array, sizeof items);
    items = fy_resize(ctx, items, (size_t)wanted, size);
    if (items)
        memcpy(array, &items, sizeof items);
    return items != NULL;
}

#define GROW(ctx, array, wanted) grow((ctx), &(array), sizeof *(array), (wanted))

/* At least half as much again as before. */
static int64_t larger(int64_t room, int64_t needed)
{
    return needed > room + room / 2 ? needed : room + room / 2;
}

bool fy_feature_rows_reserve(foray_context *ctx, fy_feature_rows *rows, int64_t pairs,
                             int64_t succs, int64_t feats)
{
    if (rows->pairs + pairs > rows->pair_room) {
        int64_t room = larger(rows->pair_room, rows->pairs + pairs);
        if (!GROW(ctx, rows->succ_start, room + 1))
            return false;
        rows->succ_start[0] = 0;
        rows->pair_room = room;
    }
    if (rows->succs + succs > rows->succ_room) {
        int64_t room = larger(rows->succ_room, rows->succs + succs);
        if (!GROW(ctx, rows->succ, room) || !GROW(ctx, rows->feat_start, room + 1))
            return false;
        rows->feat_start[0] = 0;
        rows->succ_room = room;
    }
    if (rows->feats + feats > rows->feat_room) {
        int64_t room = larger(rows->feat_room, rows->feats + feats);
        if (!GROW(ctx, rows->feat_index, room) || !GROW(ctx, rows->feat_value, room))
            return false;
        rows->feat_room = room;
    }
    return true;
}

foray_status fy_feature_rows_move(foray_context *ctx, fy_feature_rows *from, fy_feature_rows *to)
{
    if (!fy_feature_rows_reserve(ctx, to, from->pairs, from->succs, from->feats))
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
