/* json_read.c - a model from JSON (docs/formats.md). Messages name the key; the
 * caller of the whole puts the file in front. */
#include "model/json_reading.h"
#include "model/open.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- sizes */

static foray_status read_shape(fy_model_reading *r)
{
    fy_model_parts *parts = &r->parts;
    const struct {
        const char *key;
        int64_t *out;
    } sizes[] = {
        {"states", &parts->states}, {"actions", &parts->actions}, {"horizon", &parts->horizon}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        foray_status status =
            fy_document_integer(r->ctx, r->root, sizes[i].key, 1, INT32_MAX - 1, sizes[i].out);
        if (status != FORAY_OK)
            return status;
    }
    fy_json name = fy_json_member(r->root, "name");
    if (fy_json_kind_of(name) != FY_JSON_TEXT)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "name: a text is expected");
    parts->name = fy_json_text(name);
    return FORAY_OK;
}

static foray_status read_sizes(fy_model_reading *r)
{
    fy_model_parts *parts = &r->parts;
    foray_status status = read_shape(r);
    if (status == FORAY_OK)
        status = fy_document_integer(r->ctx, r->root, "dim", 1, INT32_MAX - 1, &parts->dim);
    if (status == FORAY_OK)
        status = fy_document_real(r->ctx, r->root, "norm_bound", 0, FY_MODEL_LARGEST,
                                  &parts->norm_bound);
    if (status == FORAY_OK && fy_json_member(r->root, "feature_error").tree)
        status = fy_document_real(r->ctx, r->root, "feature_error", 0, FY_MODEL_LARGEST,
                                  &parts->feature_error);
    if (status == FORAY_OK && fy_json_member(r->root, "feature_delta").tree)
        status = fy_document_real(r->ctx, r->root, "feature_delta", 0, 1, &parts->feature_delta);
    fy_json nonnegative = fy_json_member(r->root, "nonnegative");
    if (status == FORAY_OK && nonnegative.tree && fy_json_kind_of(nonnegative) != FY_JSON_TRUE &&
        fy_json_kind_of(nonnegative) != FY_JSON_FALSE)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "nonnegative: true or false is expected");
    parts->nonnegative = nonnegative.tree && fy_json_kind_of(nonnegative) == FY_JSON_TRUE;
    if (status != FORAY_OK)
        return status;
    return fy_model_check_sizes(r->ctx, parts->states, parts->actions, parts->horizon, parts->dim,
                                parts->norm_bound);
}

/* ----------------------------------------------------------------- initial */

static foray_status read_initial_entry(fy_model_reading *r, fy_json entry, int64_t i)
{
    int64_t state = 0;
    foray_status status = fy_item_tuple(r->ctx, entry, 2, "[state, probability]");
    if (status == FORAY_OK)
        status = fy_item_index(r->ctx, entry, 0, "state", r->parts.states, &state);
    if (status == FORAY_OK)
        status = fy_item_number(r->ctx, fy_json_item(entry, 1), 1, &r->initial_probability[i]);
    if (status != FORAY_OK)
        return fy_fail_within(r->ctx, status, "initial[%" PRId64 "]", i);
    r->initial_state[i] = (int32_t)state;
    return FORAY_OK;
}

static foray_status read_initial(fy_model_reading *r)
{
    fy_json list;
    foray_status status = fy_item_array(r->ctx, r->root, "initial", &list);
    if (status != FORAY_OK)
        return status;
    int64_t count = fy_json_size(list);
    if (!FY_ALLOC(r->ctx, r->initial_state, count) ||
        !FY_ALLOC(r->ctx, r->initial_probability, count))
        return FORAY_ERROR_MEMORY;
    fy_json entry = fy_json_first(list);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++, entry = fy_json_next(list, entry))
        status = read_initial_entry(r, entry, i);
    r->parts.initials = count;
    return status;
}

/* --------------------------------------------------------------- available */

/* [s,[a,...]]: the actions of a state. */
static foray_status read_available_entry(fy_model_reading *r, fy_json entry, int64_t e, bool *given)
{
    int64_t state = 0, action = 0, A = r->parts.actions;
    foray_status status = fy_item_tuple(r->ctx, entry, 2, "[state, [action, ...]]");
    if (status == FORAY_OK)
        status = fy_item_index(r->ctx, entry, 0, "state", r->parts.states, &state);
    if (status == FORAY_OK && fy_json_kind_of(fy_json_item(entry, 1)) != FY_JSON_ARRAY)
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "the actions must be an array");
    if (status == FORAY_OK && given[state])
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "state %" PRId64 " is given twice", state);
    if (status != FORAY_OK)
        return fy_fail_within(r->ctx, status, "available[%" PRId64 "]", e);
    fy_json list = fy_json_item(entry, 1);
    given[state] = true;
    memset(r->available + state * A, false, (size_t)A * sizeof *r->available);
    for (int64_t i = 0; i < fy_json_size(list); i++) {
        status = fy_item_index(r->ctx, list, i, "action", A, &action);
        if (status == FORAY_OK && r->available[state * A + action])
            status =
                fy_fail(r->ctx, FORAY_ERROR_INPUT, "action %" PRId64 " is given twice", action);
        if (status != FORAY_OK)
            return fy_fail_within(r->ctx, status, "available[%" PRId64 "]", e);
        r->available[state * A + action] = true;
    }
    return FORAY_OK;
}

/* States that are not listed have all actions. */
static foray_status read_available(fy_model_reading *r)
{
    fy_json list = fy_json_member(r->root, "available");
    int64_t pairs = r->parts.states * r->parts.actions, e = 0;
    bool *given;
    if (!list.tree)
        return FORAY_OK;
    foray_status status = fy_item_array(r->ctx, r->root, "available", &list);
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(r->ctx, r->available, pairs) || !FY_ALLOC(r->ctx, given, r->parts.states))
        return FORAY_ERROR_MEMORY;
    memset(r->available, true, (size_t)pairs * sizeof *r->available);
    for (fy_json entry = fy_json_first(list); entry.tree && status == FORAY_OK;
         entry = fy_json_next(list, entry))
        status = read_available_entry(r, entry, e++, given);
    free(given);
    return status;
}

/* ------------------------------------------------------------------- theta */

static foray_status read_theta(fy_model_reading *r)
{
    fy_json list = fy_json_member(r->root, "theta"), item = fy_json_first(list);
    if (!list.tree)
        return FORAY_OK;
    foray_status status = fy_item_length(r->ctx, list, "theta", r->parts.dim);
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(r->ctx, r->theta, r->parts.dim))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < r->parts.dim && status == FORAY_OK;
         i++, item = fy_json_next(list, item))
        status = fy_item_number(r->ctx, item, i, &r->theta[i]);
    return status == FORAY_OK ? status : fy_fail_within(r->ctx, status, "theta");
}

/* ------------------------------------------------------------- open models */

/* "absorbing":[s,...], each once. */
static foray_status read_absorbing(fy_model_reading *r)
{
    fy_json list;
    if (!fy_json_member(r->root, "absorbing").tree)
        return FORAY_OK;
    foray_status status = fy_item_array(r->ctx, r->root, "absorbing", &list);
    if (status == FORAY_OK && !FY_ALLOC(r->ctx, r->absorbing, fy_json_size(list)))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; status == FORAY_OK && i < fy_json_size(list); i++) {
        int64_t state = -1;
        status = fy_item_index(r->ctx, list, i, "state", r->parts.states, &state);
        if (status == FORAY_OK && i > 0 && state <= r->absorbing[i - 1])
            status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "states must ascend");
        if (status != FORAY_OK)
            return fy_fail_within(r->ctx, status, "absorbing[%" PRId64 "]", i);
        r->absorbing[r->absorbings++] = (int32_t)state;
    }
    return status;
}

/* Nothing but sizes: "initial" may be null, and there are no features. */
static foray_status read_open(fy_model_reading *r, foray_model **out)
{
    static const char *const kinds[] = {"open", NULL};
    static const char *const closed[] = {"dim",         "norm_bound",    "features",
                                         "theta",       "available",     "pair_features",
                                         "nonnegative", "feature_error", "feature_delta"};
    fy_model_parts *parts = &r->parts;
    int kind;
    foray_status status = fy_document_choice(r->ctx, r->root, "kind", kinds, &kind);
    for (int64_t i = 0; i < FY_COUNT(closed) && status == FORAY_OK; i++)
        if (fy_json_member(r->root, closed[i]).tree)
            return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s: an open model has none", closed[i]);
    if (status == FORAY_OK)
        status = read_shape(r);
    bool known = fy_json_kind_of(fy_json_member(r->root, "initial")) != FY_JSON_NULL;
    if (status == FORAY_OK && known)
        status = read_initial(r);
    if (status == FORAY_OK)
        status = fy_model_read_names(r, "state_names", parts->states, &r->state_names);
    if (status == FORAY_OK)
        status = fy_model_read_names(r, "action_names", parts->actions, &r->action_names);
    if (status == FORAY_OK)
        status = read_absorbing(r);
    if (status == FORAY_OK)
        status = fy_model_read_layout(r);
    if (status != FORAY_OK)
        return status;
    const fy_open_parts open = {.name = parts->name,
                                .states = parts->states,
                                .actions = parts->actions,
                                .horizon = parts->horizon,
                                .initials = parts->initials,
                                .initial_state = r->initial_state,
                                .initial_probability = r->initial_probability,
                                .state_names = (const char *const *)r->state_names,
                                .action_names = (const char *const *)r->action_names,
                                .absorbings = r->absorbings,
                                .absorbing = r->absorbing,
                                .rows = parts->grid_rows,
                                .cols = parts->grid_cols,
                                .cell_row = r->cell_row,
                                .cell_col = r->cell_col};
    status = fy_model_open(r->ctx, &open, out);
    return status == FORAY_ERROR_USAGE ? FORAY_ERROR_INPUT : status;
}

/* ------------------------------------------------------------------- whole */

static foray_status read_everything(fy_model_reading *r)
{
    foray_status status = read_sizes(r);
    if (status == FORAY_OK)
        status = read_available(r);
    if (status == FORAY_OK)
        status = fy_model_read_features(r);
    if (status == FORAY_OK)
        status = read_initial(r);
    if (status == FORAY_OK)
        status = read_theta(r);
    if (status == FORAY_OK)
        status = fy_model_read_pair_features(r);
    if (status == FORAY_OK)
        status = fy_model_read_names(r, "state_names", r->parts.states, &r->state_names);
    if (status == FORAY_OK)
        status = fy_model_read_names(r, "action_names", r->parts.actions, &r->action_names);
    if (status == FORAY_OK)
        status = fy_model_read_layout(r);
    return status;
}

static foray_status assemble(fy_model_reading *r, foray_model **out)
{
    fy_model_parts *parts = &r->parts;
    parts->available = r->available;
    parts->succ_start = r->succ_start;
    parts->succ = r->succ;
    parts->feat_start = r->feat_start;
    parts->feat_index = r->feat_index;
    parts->feat_value = r->feat_value;
    parts->theta = r->theta;
    parts->pair_start = r->pair_start;
    parts->pair_index = r->pair_index;
    parts->pair_value = r->pair_value;
    parts->initial_state = r->initial_state;
    parts->initial_probability = r->initial_probability;
    parts->state_names = r->state_names;
    parts->action_names = r->action_names;
    parts->cell_row = r->cell_row;
    parts->cell_col = r->cell_col;
    return fy_model_assemble(r->ctx, parts, out);
}

static void free_reader(fy_model_reading *r)
{
    fy_json_free(&r->tree);
    free(r->initial_state);
    free(r->initial_probability);
    free(r->available);
    free(r->succ_start);
    free(r->slot);
    free(r->succ);
    free(r->feat_start);
    free(r->feat_index);
    free(r->feat_value);
    free(r->theta);
    free(r->pair_start);
    free(r->pair_given);
    free(r->pair_index);
    free(r->pair_value);
    free(r->state_names);
    free(r->action_names);
    free(r->cell_row);
    free(r->cell_col);
    free(r->absorbing);
}

foray_status fy_model_parse_json(foray_context *ctx, const void *text, size_t size,
                                 const char *where, foray_model **out)
{
    static const char *const first[] = {
        "format",        "version",     "name",          "states",  "actions",
        "horizon",       "dim",         "norm_bound",    "initial", "features",
        "theta",         "state_names", "action_names",  "layout",  "pair_features",
        "feature_error", "nonnegative", "feature_delta", NULL};
    static const char *const second[] = {
        "format",        "version",     "name",          "states",    "actions",
        "horizon",       "dim",         "norm_bound",    "initial",   "features",
        "theta",         "state_names", "action_names",  "layout",    "pair_features",
        "feature_error", "nonnegative", "feature_delta", "available", "kind",
        "absorbing",     NULL};
    static const char *const *const keys[] = {first, second};
    fy_model_reading r = {.ctx = ctx};
    foray_status status =
        fy_document_parse_two(ctx, text, size, where, "foray-model", keys, &r.tree);
    if (status != FORAY_OK)
        return status;
    r.root = fy_json_root(&r.tree);
    bool open = fy_json_member(r.root, "kind").tree != NULL;
    if (!open && fy_json_member(r.root, "absorbing").tree)
        status = fy_fail(ctx, FORAY_ERROR_INPUT,
                         "absorbing: only open models have this key; in others, features say it");
    if (status == FORAY_OK)
        status = open ? read_open(&r, out) : read_everything(&r);
    if (status == FORAY_OK && !open)
        status = assemble(&r, out);
    free_reader(&r);
    return status == FORAY_OK ? status : fy_fail_within(ctx, status, "%s", where);
}
