/* json_read_features.c - the features of a model in JSON: phi(s,a,s') of every transition, and
 * phi(s,a) of pairs. Entries come in any order; they are counted first, and then put in place. */
#include "model/json_reading.h"

#include <inttypes.h>

/* ------------------------------------------------------------- transitions */

/* The pair of [s,a,next,[...]]; counts it. */
static foray_status count_entry(fy_model_reading *r, fy_json entry, int64_t e)
{
    int64_t state = 0, action = 0, next = 0;
    foray_status status =
        fy_item_tuple(r->ctx, entry, 4, "[state, action, next, [[i, value], ...]]");
    if (status == FORAY_OK)
        status = fy_item_index(r->ctx, entry, 0, "state", r->parts.states, &state);
    if (status == FORAY_OK)
        status = fy_item_index(r->ctx, entry, 1, "action", r->parts.actions, &action);
    if (status == FORAY_OK)
        status = fy_item_index(r->ctx, entry, 2, "next state", r->parts.states, &next);
    if (status == FORAY_OK && fy_json_kind_of(fy_json_item(entry, 3)) != FY_JSON_ARRAY)
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "the features must be an array");
    if (status != FORAY_OK)
        return fy_fail_within(r->ctx, status, "features[%" PRId64 "]", e);
    r->slot[e] = state * r->parts.actions + action;
    r->succ_start[r->slot[e] + 1]++;
    return FORAY_OK;
}

/* From counts to places: slot[e] was the pair of entry e, and becomes its place. */
static void place_entries(fy_model_reading *r, fy_json list, int64_t pairs)
{
    int64_t *start = r->succ_start, count = 0;
    for (int64_t pair = 0; pair < pairs; pair++)
        start[pair + 1] += start[pair];
    for (fy_json entry = fy_json_first(list); entry.tree; entry = fy_json_next(list, entry)) {
        int64_t place = start[r->slot[count]]++;
        r->slot[count++] = place;
        r->succ[place] = (int32_t)fy_json_integer(fy_json_item(entry, 2));
        r->feat_start[place + 1] = fy_json_size(fy_json_item(entry, 3));
    }
    for (int64_t pair = pairs; pair > 0; pair--)
        start[pair] = start[pair - 1];
    start[0] = 0;
    for (int64_t place = 0; place < count; place++)
        r->feat_start[place + 1] += r->feat_start[place];
}

foray_status fy_model_read_features(fy_model_reading *r)
{
    fy_json list, entry;
    foray_status status = fy_item_array(r->ctx, r->root, "features", &list);
    if (status != FORAY_OK)
        return status;
    int64_t count = fy_json_size(list), pairs = r->parts.states * r->parts.actions;
    if (count < pairs && !r->available)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "features: %" PRId64 " entries, but each of %" PRId64 " states and %" PRId64
                       " actions needs one",
                       count, r->parts.states, r->parts.actions);
    if (!FY_ALLOC(r->ctx, r->succ_start, pairs + 1) || !FY_ALLOC(r->ctx, r->slot, count) ||
        !FY_ALLOC(r->ctx, r->succ, count) || !FY_ALLOC(r->ctx, r->feat_start, count + 1))
        return FORAY_ERROR_MEMORY;
    entry = fy_json_first(list);
    for (int64_t e = 0; e < count && status == FORAY_OK; e++, entry = fy_json_next(list, entry))
        status = count_entry(r, entry, e);
    if (status != FORAY_OK)
        return status;
    place_entries(r, list, pairs);
    if (!FY_ALLOC(r->ctx, r->feat_index, r->feat_start[count]) ||
        !FY_ALLOC(r->ctx, r->feat_value, r->feat_start[count]))
        return FORAY_ERROR_MEMORY;
    entry = fy_json_first(list);
    for (int64_t e = 0; e < count && status == FORAY_OK; e++, entry = fy_json_next(list, entry)) {
        int64_t at = r->feat_start[r->slot[e]];
        status = fy_item_vector(r->ctx, entry, 3, "features", e, r->parts.dim, r->feat_index + at,
                                r->feat_value + at);
    }
    return status;
}

/* ------------------------------------------------------------------- pairs */

/* [s,a,[[i,value],...]]: who it is about. */
static foray_status place_pair_entry(fy_model_reading *r, fy_json entry, int64_t e)
{
    int64_t state = 0, action = 0;
    foray_status status = fy_item_tuple(r->ctx, entry, 3, "[state, action, [[i, value], ...]]");
    if (status == FORAY_OK)
        status = fy_item_index(r->ctx, entry, 0, "state", r->parts.states, &state);
    if (status == FORAY_OK)
        status = fy_item_index(r->ctx, entry, 1, "action", r->parts.actions, &action);
    if (status == FORAY_OK && fy_json_kind_of(fy_json_item(entry, 2)) != FY_JSON_ARRAY)
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "the features must be an array");
    int64_t pair = state * r->parts.actions + action;
    if (status == FORAY_OK && r->pair_given[pair])
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, FY_AT_PAIR " is given twice", state, action);
    if (status != FORAY_OK)
        return fy_fail_within(r->ctx, status, "pair_features.entries[%" PRId64 "]", e);
    r->pair_given[pair] = true;
    r->pair_start[pair + 1] = fy_json_size(fy_json_item(entry, 2));
    return FORAY_OK;
}

/* Pairs without an entry are found when the model is assembled. */
static foray_status read_pair_entries(fy_model_reading *r, fy_json list)
{
    int64_t pairs = r->parts.states * r->parts.actions, e = 0;
    foray_status status = FORAY_OK;
    fy_json entry;
    if (!FY_ALLOC(r->ctx, r->pair_start, pairs + 1) || !FY_ALLOC(r->ctx, r->pair_given, pairs))
        return FORAY_ERROR_MEMORY;
    for (entry = fy_json_first(list); entry.tree && status == FORAY_OK;
         entry = fy_json_next(list, entry))
        status = place_pair_entry(r, entry, e++);
    if (status != FORAY_OK)
        return status;
    for (int64_t pair = 0; pair < pairs; pair++)
        r->pair_start[pair + 1] += r->pair_start[pair];
    if (!FY_ALLOC(r->ctx, r->pair_index, r->pair_start[pairs]) ||
        !FY_ALLOC(r->ctx, r->pair_value, r->pair_start[pairs]))
        return FORAY_ERROR_MEMORY;
    e = 0;
    for (entry = fy_json_first(list); entry.tree && status == FORAY_OK;
         entry = fy_json_next(list, entry)) {
        int64_t pair = fy_json_integer(fy_json_item(entry, 0)) * r->parts.actions +
                       fy_json_integer(fy_json_item(entry, 1));
        int64_t at = r->pair_start[pair];
        status = fy_item_vector(r->ctx, entry, 2, "pair_features.entries", e++, r->parts.pair_dim,
                                r->pair_index + at, r->pair_value + at);
    }
    return status;
}

foray_status fy_model_read_pair_features(fy_model_reading *r)
{
    static const char *const known[] = {"dim", "entries", NULL};
    fy_json object = fy_json_member(r->root, "pair_features"), list;
    if (!object.tree)
        return FORAY_OK;
    foray_status status = fy_document_keys(r->ctx, object, "pair_features", known);
    if (status != FORAY_OK)
        return status;
    status = fy_document_integer(r->ctx, object, "dim", 1, INT32_MAX - 1, &r->parts.pair_dim);
    if (status == FORAY_OK)
        status = fy_item_array(r->ctx, object, "entries", &list);
    if (status != FORAY_OK)
        return fy_fail_within(r->ctx, status, "pair_features");
    return read_pair_entries(r, list);
}
