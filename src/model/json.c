/* json.c - a model as JSON text (docs/formats.md). It is written directly: a tree in memory would
 * be many times the size of the model. Reading, messages name the key, and the place in it; who
 * reads the whole puts the file in front. */
#include "base/json.h"
#include "model/assemble.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ================================================================= writing */

/* Nothing before the first item of a list, a comma before each other one. */
static const char *comma(bool *first)
{
    bool was_first = *first;
    *first = false;
    return was_first ? "" : ",";
}

static void put_sizes(fy_writer *writer, const foray_model *model)
{
    fy_print(writer, ",\n\"states\":%" PRId64 ",\"actions\":%" PRId64, model->states,
             model->actions);
    fy_print(writer, ",\"horizon\":%" PRId64 ",\"dim\":%" PRId64 ",\"norm_bound\":", model->horizon,
             model->dim);
    fy_document_put_real(writer, model->norm_bound);
    if (model->feature_error > 0) {
        fy_print(writer, ",\"feature_error\":");
        fy_document_put_real(writer, model->feature_error);
    }
    if (model->feature_delta > 0) {
        fy_print(writer, ",\"feature_delta\":");
        fy_document_put_real(writer, model->feature_delta);
    }
    if (model->nonnegative)
        fy_print(writer, ",\"nonnegative\":true");
    if (model->aggregated)
        fy_print(writer, ",\"aggregated\":true");
}

static void put_initial(fy_writer *writer, const foray_model *model)
{
    bool first = true;
    fy_print(writer, ",\n\"initial\":[");
    for (int64_t i = 0; i < model->initials; i++) {
        fy_print(writer, "%s[%d,", comma(&first), model->initial_state[i]);
        fy_document_put_real(writer, model->initial_probability[i]);
        fy_print(writer, "]");
    }
    fy_print(writer, "]");
}

/* [[s,[a,...]],...] of the states that lack an action. */
static void put_available(fy_writer *writer, const foray_model *model)
{
    bool first = true;
    fy_print(writer, ",\n\"available\":[");
    for (int64_t s = 0; s < model->states; s++) {
        bool first_action = true;
        if (fy_actions_of(model, s) == model->actions)
            continue;
        fy_print(writer, "%s[%" PRId64 ",[", comma(&first), s);
        for (int64_t a = 0; a < model->actions; a++)
            if (fy_available(model, s * model->actions + a))
                fy_print(writer, "%s%" PRId64, comma(&first_action), a);
        fy_print(writer, "]]");
    }
    fy_print(writer, "]");
}

/* [s,a,next,[[i,value],...]] */
static void put_feature(fy_writer *writer, const foray_model *model, int64_t pair, int64_t j)
{
    bool first = true;
    int64_t gen = model->gen_start[model->generator_set[pair]] + j;
    fy_print(writer, "[%" PRId64 ",%" PRId64 ",%d,[", (pair / model->actions),
             (pair % model->actions), model->succ[model->succ_start[pair] + j]);
    for (int64_t k = model->feat_start[gen]; k < model->feat_start[gen + 1]; k++) {
        fy_print(writer, "%s[%d,", comma(&first), model->feat_index[k]);
        fy_document_put_real(writer, model->feat_value[k]);
        fy_print(writer, "]");
    }
    fy_print(writer, "]]");
}

static void put_features(fy_writer *writer, const foray_model *model)
{
    bool first = true;
    fy_print(writer, ",\n\"features\":[");
    for (int64_t k = 0; k < model->available; k++) {
        int64_t pair = fy_existing(model, k);
        for (int64_t j = 0; j < model->succ_start[pair + 1] - model->succ_start[pair]; j++) {
            fy_print(writer, "%s\n", comma(&first));
            put_feature(writer, model, pair, j);
        }
    }
    fy_print(writer, "]");
}

static void put_theta(fy_writer *writer, const foray_model *model)
{
    bool first = true;
    fy_print(writer, ",\n\"theta\":[");
    for (int64_t i = 0; i < model->dim; i++) {
        fy_print(writer, "%s", comma(&first));
        fy_document_put_real(writer, model->theta[i]);
    }
    fy_print(writer, "]");
}

/* {"dim":d,"entries":[[s,a,[[i,value],...]],...]} */
static void put_pair_features(fy_writer *writer, const foray_model *model)
{
    bool first = true;
    fy_print(writer, ",\n\"pair_features\":{\"dim\":%" PRId64 ",\"entries\":[", model->pair_dim);
    for (int64_t i = 0; i < model->available; i++) {
        int64_t pair = fy_existing(model, i);
        bool first_value = true;
        fy_print(writer, "%s\n[%" PRId64 ",%" PRId64 ",[", comma(&first), (pair / model->actions),
                 (pair % model->actions));
        for (int64_t k = model->pair_start[pair]; k < model->pair_start[pair + 1]; k++) {
            fy_print(writer, "%s[%d,", comma(&first_value), model->pair_index[k]);
            fy_document_put_real(writer, model->pair_value[k]);
            fy_print(writer, "]");
        }
        fy_print(writer, "]]");
    }
    fy_print(writer, "]}");
}

static void put_names(fy_writer *writer, const char *key, char *const *names, int64_t count)
{
    bool first = true;
    fy_print(writer, ",\n\"%s\":[", key);
    for (int64_t i = 0; i < count; i++) {
        fy_print(writer, "%s%s", comma(&first), names[i] ? "" : "null");
        if (names[i])
            fy_json_put_text(writer, names[i]);
    }
    fy_print(writer, "]");
}

static void put_layout(fy_writer *writer, const foray_model *model)
{
    bool first = true;
    fy_print(writer,
             ",\n\"layout\":{\"kind\":\"grid\",\"rows\":%" PRId64 ",\"cols\":%" PRId64
             ",\"cell\":[",
             model->grid_rows, model->grid_cols);
    for (int64_t state = 0; state < model->states; state++)
        if (model->cell_row[state] >= 0)
            fy_print(writer, "%s[%" PRId64 ",%d,%d]", comma(&first), state, model->cell_row[state],
                     model->cell_col[state]);
    fy_print(writer, "]}");
}

/* What the states and actions are called, and where the states lie on a map. */
static void put_labels(fy_writer *writer, const foray_model *model)
{
    if (model->state_names)
        put_names(writer, "state_names", model->state_names, model->states);
    if (model->action_names)
        put_names(writer, "action_names", model->action_names, model->actions);
    if (model->cell_row)
        put_layout(writer, model);
}

/* All that there is of an unstructured model, behind its name. */
static void put_unstructured(fy_writer *writer, const foray_model *model)
{
    fy_print(writer, ",\n\"states\":%" PRId64 ",\"actions\":%" PRId64 ",\"horizon\":%" PRId64,
             model->states, model->actions, model->horizon);
    if (model->initials > 0)
        put_initial(writer, model);
    else
        fy_print(writer, ",\n\"initial\":null");
    for (int64_t i = 0; i < model->absorbings; i++)
        fy_print(writer, "%s%" PRId32 "%s", i > 0 ? "," : ",\n\"absorbing\":[", model->absorbing[i],
                 i + 1 < model->absorbings ? "" : "]");
}

static void put_structured(fy_writer *writer, const foray_model *model)
{
    put_sizes(writer, model);
    put_initial(writer, model);
    if (model->stand_in)
        put_available(writer, model);
    put_features(writer, model);
    if (model->theta)
        put_theta(writer, model);
    if (model->pair_dim > 0)
        put_pair_features(writer, model);
}

foray_status fy_model_print_json(foray_context *ctx, const foray_model *model, char **out,
                                 size_t *size)
{
    fy_writer writer = {.ctx = ctx};
    fy_print(&writer, "{\"format\":\"foray-model\",\"version\":1,\n%s\"name\":",
             model->unstructured ? "\"kind\":\"unstructured\"," : "");
    fy_json_put_text(&writer, model->name);
    (model->unstructured ? put_unstructured : put_structured)(&writer, model);
    put_labels(&writer, model);
    fy_print(&writer, "}\n");
    return fy_writer_take(&writer, "a model as JSON", out, size);
}

/* ================================================================= reading */

/* The arrays of the parts of a model; released at the end. */
typedef struct reading {
    foray_context *ctx;
    fy_arena arena;
    fy_json_tree tree;
    fy_json root;
    fy_model_parts parts;
    int32_t *initial_state;
    double *initial_probability;
    bool *available; /* [pairs], or NULL: every pair exists */
    int64_t *succ_start;
    int64_t *slot; /* [transitions] where entry e of "features" goes, pairs in order */
    int32_t *succ;
    int64_t *feat_start;
    int32_t *feat_index;
    double *feat_value;
    double *theta;
    int64_t *pair_start;
    bool *pair_given; /* [pairs] */
    int32_t *pair_index;
    double *pair_value;
    char **state_names, **action_names; /* the texts belong to the tree */
    int32_t *cell_row, *cell_col;
    int64_t absorbings;
    int32_t *absorbing; /* of unstructured models */
} reading;

static foray_status item_array(foray_context *ctx, fy_json object, const char *key, fy_json *out)
{
    *out = fy_json_member(object, key);
    if (fy_json_kind_of(*out) == FY_JSON_ARRAY)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: an array is expected", key);
}

static foray_status item_index(foray_context *ctx, fy_json list, int64_t i, const char *what,
                               int64_t limit, int64_t *out)
{
    fy_json value = fy_json_item(list, i);
    if (fy_json_kind_of(value) != FY_JSON_INTEGER)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "the %s must be an integer", what);
    *out = fy_json_integer(value);
    if (*out >= 0 && *out < limit)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s %" PRId64 ", but the model has %" PRId64 " %ss",
                   what, *out, limit, what);
}

static foray_status item_number(foray_context *ctx, fy_json value, int64_t i, double *out)
{
    if (!fy_json_is_number(value))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "item %" PRId64 " must be a number", i);
    *out = fy_json_real(value);
    return FORAY_OK;
}

static foray_status item_tuple(foray_context *ctx, fy_json list, int64_t count, const char *shape)
{
    if (fy_json_kind_of(list) == FY_JSON_ARRAY && fy_json_size(list) == count)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "must be %s", shape);
}

static foray_status item_vector(foray_context *ctx, fy_json entry, int position, const char *list,
                                int64_t e, int64_t limit, int32_t *index, double *value)
{
    fy_json vector = fy_json_item(entry, position);
    int64_t k = 0, i = 0;
    for (fy_json item = fy_json_first(vector); item.tree; item = fy_json_next(vector, item)) {
        foray_status status = item_tuple(ctx, item, 2, "[coordinate, value]");
        if (status == FORAY_OK)
            status = item_index(ctx, item, 0, "coordinate", limit, &i);
        if (status == FORAY_OK)
            status = item_number(ctx, fy_json_item(item, 1), 1, &value[k]);
        if (status != FORAY_OK)
            return fy_fail_within(ctx, status, "%s[%" PRId64 "][%d][%" PRId64 "]", list, e,
                                  position, k);
        index[k++] = (int32_t)i;
    }
    return FORAY_OK;
}

static foray_status item_length(foray_context *ctx, fy_json list, const char *key, int64_t count)
{
    if (fy_json_kind_of(list) == FY_JSON_ARRAY && fy_json_size(list) == count)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: must be an array of %" PRId64 " items", key, count);
}

/* ------------------------------------------------------------------- sizes */

static foray_status read_shape(reading *r)
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

/* true or false; missing: false. */
static foray_status read_mark(reading *r, const char *key, bool *out)
{
    fy_json mark = fy_json_member(r->root, key);
    if (mark.tree && fy_json_kind_of(mark) != FY_JSON_TRUE &&
        fy_json_kind_of(mark) != FY_JSON_FALSE)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s: true or false is expected", key);
    *out = mark.tree && fy_json_kind_of(mark) == FY_JSON_TRUE;
    return FORAY_OK;
}

static foray_status read_sizes(reading *r)
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
    if (status == FORAY_OK)
        status = read_mark(r, "nonnegative", &parts->nonnegative);
    if (status == FORAY_OK)
        status = read_mark(r, "aggregated", &parts->aggregated);
    if (status != FORAY_OK)
        return status;
    return fy_model_check_sizes(r->ctx, parts->states, parts->actions, parts->horizon, parts->dim,
                                parts->norm_bound);
}

/* ----------------------------------------------------------------- initial */

static foray_status read_initial_entry(reading *r, fy_json entry, int64_t i)
{
    int64_t state = 0;
    foray_status status = item_tuple(r->ctx, entry, 2, "[state, probability]");
    if (status == FORAY_OK)
        status = item_index(r->ctx, entry, 0, "state", r->parts.states, &state);
    if (status == FORAY_OK)
        status = item_number(r->ctx, fy_json_item(entry, 1), 1, &r->initial_probability[i]);
    if (status != FORAY_OK)
        return fy_fail_within(r->ctx, status, "initial[%" PRId64 "]", i);
    r->initial_state[i] = (int32_t)state;
    return FORAY_OK;
}

static foray_status read_initial(reading *r)
{
    fy_json list;
    foray_status status = item_array(r->ctx, r->root, "initial", &list);
    if (status != FORAY_OK)
        return status;
    int64_t count = fy_json_size(list);
    if (!FY_NEW(&r->arena, r->initial_state, count) ||
        !FY_NEW(&r->arena, r->initial_probability, count))
        return FORAY_ERROR_MEMORY;
    fy_json entry = fy_json_first(list);
    for (int64_t i = 0; i < count && status == FORAY_OK; i++, entry = fy_json_next(list, entry))
        status = read_initial_entry(r, entry, i);
    r->parts.initials = count;
    return status;
}

/* --------------------------------------------------------------- available */

/* [s,[a,...]]: the actions of a state. */
static foray_status read_available_entry(reading *r, fy_json entry, int64_t e, bool *given)
{
    int64_t state = 0, action = 0, A = r->parts.actions;
    foray_status status = item_tuple(r->ctx, entry, 2, "[state, [action, ...]]");
    if (status == FORAY_OK)
        status = item_index(r->ctx, entry, 0, "state", r->parts.states, &state);
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
        status = item_index(r->ctx, list, i, "action", A, &action);
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
static foray_status read_available(reading *r)
{
    fy_json list = fy_json_member(r->root, "available");
    int64_t pairs = r->parts.states * r->parts.actions, e = 0;
    bool *given;
    if (!list.tree)
        return FORAY_OK;
    foray_status status = item_array(r->ctx, r->root, "available", &list);
    if (status != FORAY_OK)
        return status;
    if (!FY_NEW(&r->arena, r->available, pairs) || !FY_NEW(&r->arena, given, r->parts.states))
        return FORAY_ERROR_MEMORY;
    memset(r->available, true, (size_t)pairs * sizeof *r->available);
    for (fy_json entry = fy_json_first(list); entry.tree && status == FORAY_OK;
         entry = fy_json_next(list, entry))
        status = read_available_entry(r, entry, e++, given);
    return status;
}

/* ------------------------------------------------------------------- theta */

static foray_status read_theta(reading *r)
{
    fy_json list = fy_json_member(r->root, "theta"), item = fy_json_first(list);
    if (!list.tree)
        return FORAY_OK;
    foray_status status = item_length(r->ctx, list, "theta", r->parts.dim);
    if (status != FORAY_OK)
        return status;
    if (!FY_NEW(&r->arena, r->theta, r->parts.dim))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < r->parts.dim && status == FORAY_OK;
         i++, item = fy_json_next(list, item))
        status = item_number(r->ctx, item, i, &r->theta[i]);
    return status == FORAY_OK ? status : fy_fail_within(r->ctx, status, "theta");
}

/* Features: entries come in any order; they are counted first, and then put in place. */

/* ------------------------------------------------------------- transitions */

/* The pair of [s,a,next,[...]]; counts it. */
static foray_status count_entry(reading *r, fy_json entry, int64_t e)
{
    int64_t state = 0, action = 0, next = 0;
    foray_status status = item_tuple(r->ctx, entry, 4, "[state, action, next, [[i, value], ...]]");
    if (status == FORAY_OK)
        status = item_index(r->ctx, entry, 0, "state", r->parts.states, &state);
    if (status == FORAY_OK)
        status = item_index(r->ctx, entry, 1, "action", r->parts.actions, &action);
    if (status == FORAY_OK)
        status = item_index(r->ctx, entry, 2, "next state", r->parts.states, &next);
    if (status == FORAY_OK && fy_json_kind_of(fy_json_item(entry, 3)) != FY_JSON_ARRAY)
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "the features must be an array");
    if (status != FORAY_OK)
        return fy_fail_within(r->ctx, status, "features[%" PRId64 "]", e);
    r->slot[e] = state * r->parts.actions + action;
    r->succ_start[r->slot[e] + 1]++;
    return FORAY_OK;
}

/* From counts to places: slot[e] was the pair of entry e, and becomes its place. */
static void place_entries(reading *r, fy_json list, int64_t pairs)
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

static foray_status read_features(reading *r)
{
    fy_json list, entry;
    foray_status status = item_array(r->ctx, r->root, "features", &list);
    if (status != FORAY_OK)
        return status;
    int64_t count = fy_json_size(list), pairs = r->parts.states * r->parts.actions;
    if (count < pairs && !r->available)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "features: %" PRId64 " entries, but each of %" PRId64 " states and %" PRId64
                       " actions needs one",
                       count, r->parts.states, r->parts.actions);
    if (!FY_NEW(&r->arena, r->succ_start, pairs + 1) || !FY_NEW(&r->arena, r->slot, count) ||
        !FY_NEW(&r->arena, r->succ, count) || !FY_NEW(&r->arena, r->feat_start, count + 1))
        return FORAY_ERROR_MEMORY;
    entry = fy_json_first(list);
    for (int64_t e = 0; e < count && status == FORAY_OK; e++, entry = fy_json_next(list, entry))
        status = count_entry(r, entry, e);
    if (status != FORAY_OK)
        return status;
    place_entries(r, list, pairs);
    if (!FY_NEW(&r->arena, r->feat_index, r->feat_start[count]) ||
        !FY_NEW(&r->arena, r->feat_value, r->feat_start[count]))
        return FORAY_ERROR_MEMORY;
    entry = fy_json_first(list);
    for (int64_t e = 0; e < count && status == FORAY_OK; e++, entry = fy_json_next(list, entry)) {
        int64_t at = r->feat_start[r->slot[e]];
        status = item_vector(r->ctx, entry, 3, "features", e, r->parts.dim, r->feat_index + at,
                             r->feat_value + at);
    }
    return status;
}

/* ------------------------------------------------------------------- pairs */

/* [s,a,[[i,value],...]]: who it is about. */
static foray_status place_pair_entry(reading *r, fy_json entry, int64_t e)
{
    int64_t state = 0, action = 0;
    foray_status status = item_tuple(r->ctx, entry, 3, "[state, action, [[i, value], ...]]");
    if (status == FORAY_OK)
        status = item_index(r->ctx, entry, 0, "state", r->parts.states, &state);
    if (status == FORAY_OK)
        status = item_index(r->ctx, entry, 1, "action", r->parts.actions, &action);
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
static foray_status read_pair_entries(reading *r, fy_json list)
{
    int64_t pairs = r->parts.states * r->parts.actions, e = 0;
    foray_status status = FORAY_OK;
    fy_json entry;
    if (!FY_NEW(&r->arena, r->pair_start, pairs + 1) || !FY_NEW(&r->arena, r->pair_given, pairs))
        return FORAY_ERROR_MEMORY;
    for (entry = fy_json_first(list); entry.tree && status == FORAY_OK;
         entry = fy_json_next(list, entry))
        status = place_pair_entry(r, entry, e++);
    if (status != FORAY_OK)
        return status;
    for (int64_t pair = 0; pair < pairs; pair++)
        r->pair_start[pair + 1] += r->pair_start[pair];
    if (!FY_NEW(&r->arena, r->pair_index, r->pair_start[pairs]) ||
        !FY_NEW(&r->arena, r->pair_value, r->pair_start[pairs]))
        return FORAY_ERROR_MEMORY;
    e = 0;
    for (entry = fy_json_first(list); entry.tree && status == FORAY_OK;
         entry = fy_json_next(list, entry)) {
        int64_t pair = fy_json_integer(fy_json_item(entry, 0)) * r->parts.actions +
                       fy_json_integer(fy_json_item(entry, 1));
        int64_t at = r->pair_start[pair];
        status = item_vector(r->ctx, entry, 2, "pair_features.entries", e++, r->parts.pair_dim,
                             r->pair_index + at, r->pair_value + at);
    }
    return status;
}

static foray_status read_pair_features(reading *r)
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
        status = item_array(r->ctx, object, "entries", &list);
    if (status != FORAY_OK)
        return fy_fail_within(r->ctx, status, "pair_features");
    return read_pair_entries(r, list);
}

/* ------------------------------------------------------------- names and map */

static foray_status read_names(reading *r, const char *key, int64_t count, char ***out)
{
    fy_json list = fy_json_member(r->root, key), name = fy_json_first(list);
    if (!list.tree)
        return FORAY_OK;
    foray_status status = item_length(r->ctx, list, key, count);
    if (status != FORAY_OK)
        return status;
    if (!FY_NEW(&r->arena, *out, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++, name = fy_json_next(list, name)) {
        bool given = fy_json_kind_of(name) == FY_JSON_TEXT;
        if (!given && fy_json_kind_of(name) != FY_JSON_NULL)
            return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s[%" PRId64 "]: must be a text or null",
                           key, i);
        (*out)[i] = given ? (char *)fy_json_text(name) : NULL;
    }
    return FORAY_OK;
}

static foray_status read_cell(reading *r, fy_json cell, int64_t i)
{
    int64_t state = 0, row = 0, col = 0;
    foray_status status = item_tuple(r->ctx, cell, 3, "[state, row, column]");
    if (status == FORAY_OK)
        status = item_index(r->ctx, cell, 0, "state", r->parts.states, &state);
    if (status == FORAY_OK)
        status = item_index(r->ctx, cell, 1, "row", r->parts.grid_rows, &row);
    if (status == FORAY_OK)
        status = item_index(r->ctx, cell, 2, "column", r->parts.grid_cols, &col);
    if (status == FORAY_OK && r->cell_row[state] >= 0)
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "state %" PRId64 " is given twice", state);
    if (status != FORAY_OK)
        return fy_fail_within(r->ctx, status, "layout.cell[%" PRId64 "]", i);
    r->cell_row[state] = (int32_t)row;
    r->cell_col[state] = (int32_t)col;
    return FORAY_OK;
}

static foray_status read_grid(reading *r, fy_json layout, fy_json *cells)
{
    static const char *const known[] = {"kind", "rows", "cols", "cell", NULL};
    static const char *const kinds[] = {"grid", NULL};
    int kind;
    foray_status status = fy_document_keys(r->ctx, layout, "layout", known);
    if (status != FORAY_OK)
        return status;
    status = fy_document_choice(r->ctx, layout, "kind", kinds, &kind);
    if (status == FORAY_OK)
        status = fy_document_integer(r->ctx, layout, "rows", 1, INT32_MAX - 1, &r->parts.grid_rows);
    if (status == FORAY_OK)
        status = fy_document_integer(r->ctx, layout, "cols", 1, INT32_MAX - 1, &r->parts.grid_cols);
    if (status == FORAY_OK)
        status = item_array(r->ctx, layout, "cell", cells);
    return status == FORAY_OK ? status : fy_fail_within(r->ctx, status, "layout");
}

static foray_status read_layout(reading *r)
{
    fy_json layout = fy_json_member(r->root, "layout"), cells;
    if (!layout.tree)
        return FORAY_OK;
    foray_status status = read_grid(r, layout, &cells);
    if (status != FORAY_OK)
        return status;
    if (!FY_NEW(&r->arena, r->cell_row, r->parts.states) ||
        !FY_NEW(&r->arena, r->cell_col, r->parts.states))
        return FORAY_ERROR_MEMORY;
    for (int64_t state = 0; state < r->parts.states; state++)
        r->cell_row[state] = r->cell_col[state] = -1;
    int64_t i = 0;
    for (fy_json cell = fy_json_first(cells); cell.tree && status == FORAY_OK;
         cell = fy_json_next(cells, cell))
        status = read_cell(r, cell, i++);
    return status;
}

/* ------------------------------------------------------------- unstructured models */

/* "absorbing":[s,...], each once. */
static foray_status read_absorbing(reading *r)
{
    fy_json list;
    if (!fy_json_member(r->root, "absorbing").tree)
        return FORAY_OK;
    foray_status status = item_array(r->ctx, r->root, "absorbing", &list);
    if (status == FORAY_OK && !FY_NEW(&r->arena, r->absorbing, fy_json_size(list)))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; status == FORAY_OK && i < fy_json_size(list); i++) {
        int64_t state = -1;
        status = item_index(r->ctx, list, i, "state", r->parts.states, &state);
        if (status == FORAY_OK && i > 0 && state <= r->absorbing[i - 1])
            status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "states must ascend");
        if (status != FORAY_OK)
            return fy_fail_within(r->ctx, status, "absorbing[%" PRId64 "]", i);
        r->absorbing[r->absorbings++] = (int32_t)state;
    }
    return status;
}

/* Nothing but sizes: "initial" may be null, and there are no features. */
static foray_status read_unstructured(reading *r, foray_model **out)
{
    static const char *const kinds[] = {"unstructured", NULL};
    static const char *const structured[] = {
        "dim",           "norm_bound",  "features",      "theta",         "available",
        "pair_features", "nonnegative", "feature_error", "feature_delta", "aggregated"};
    fy_model_parts *parts = &r->parts;
    int kind;
    foray_status status = fy_document_choice(r->ctx, r->root, "kind", kinds, &kind);
    for (int64_t i = 0; i < FY_COUNT(structured) && status == FORAY_OK; i++)
        if (fy_json_member(r->root, structured[i]).tree)
            return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s: an unstructured model has none",
                           structured[i]);
    if (status == FORAY_OK)
        status = read_shape(r);
    bool known = fy_json_kind_of(fy_json_member(r->root, "initial")) != FY_JSON_NULL;
    if (status == FORAY_OK && known)
        status = read_initial(r);
    if (status == FORAY_OK)
        status = read_names(r, "state_names", parts->states, &r->state_names);
    if (status == FORAY_OK)
        status = read_names(r, "action_names", parts->actions, &r->action_names);
    if (status == FORAY_OK)
        status = read_absorbing(r);
    if (status == FORAY_OK)
        status = read_layout(r);
    if (status != FORAY_OK)
        return status;
    const fy_unstructured_parts stated = {.name = parts->name,
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
    status = fy_model_unstructured(r->ctx, &stated, out);
    return status == FORAY_ERROR_USAGE ? FORAY_ERROR_INPUT : status;
}

/* ------------------------------------------------------------------- whole */

static foray_status read_everything(reading *r)
{
    foray_status status = read_sizes(r);
    if (status == FORAY_OK)
        status = read_available(r);
    if (status == FORAY_OK)
        status = read_features(r);
    if (status == FORAY_OK)
        status = read_initial(r);
    if (status == FORAY_OK)
        status = read_theta(r);
    if (status == FORAY_OK)
        status = read_pair_features(r);
    if (status == FORAY_OK)
        status = read_names(r, "state_names", r->parts.states, &r->state_names);
    if (status == FORAY_OK)
        status = read_names(r, "action_names", r->parts.actions, &r->action_names);
    if (status == FORAY_OK)
        status = read_layout(r);
    return status;
}

static foray_status assemble(reading *r, foray_model **out)
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

foray_status fy_model_parse_json(foray_context *ctx, const void *text, size_t size,
                                 const char *where, foray_model **out)
{
    static const char *const keys[] = {"format",        "version",     "name",
                                       "states",        "actions",     "horizon",
                                       "dim",           "norm_bound",  "initial",
                                       "features",      "theta",       "state_names",
                                       "action_names",  "layout",      "pair_features",
                                       "feature_error", "nonnegative", "feature_delta",
                                       "available",     "kind",        "absorbing",
                                       "aggregated",    NULL};
    reading r = {.ctx = ctx, .arena.ctx = ctx};
    foray_status status = fy_document_parse(ctx, text, size, where, "foray-model", keys, &r.tree);
    if (status != FORAY_OK)
        return status;
    r.root = fy_json_root(&r.tree);
    bool unstructured = fy_json_member(r.root, "kind").tree != NULL;
    if (!unstructured && fy_json_member(r.root, "absorbing").tree)
        status = fy_fail(
            ctx, FORAY_ERROR_INPUT,
            "absorbing: only unstructured models have this key; in others, features say it");
    if (status == FORAY_OK)
        status = unstructured ? read_unstructured(&r, out) : read_everything(&r);
    if (status == FORAY_OK && !unstructured)
        status = assemble(&r, out);
    fy_json_free(&r.tree);
    fy_arena_release(&r.arena);
    return status == FORAY_OK ? status : fy_fail_within(ctx, status, "%s", where);
}
