/* json_read.c - a model from JSON (docs/formats.md). Messages name the key; the
 * caller of the whole puts the file in front. */
#include "base/document.h"
#include "model/parts.h"

#include <stdlib.h>
#include <string.h>

/* The arrays of the parts of a model; released at the end. */
typedef struct reader {
    foray_context *ctx;
    json_t *root;
    fy_model_parts parts;
    int32_t *initial_state;
    double *initial_probability;
    int64_t *succ_start;
    int64_t *slot; /* [transitions] where entry e of "features" goes, pairs in order */
    int32_t *succ;
    int64_t *feat_start;
    int32_t *feat_index;
    double *feat_value;
    double *theta;
    int64_t *pair_start;
    int64_t *pair_entry; /* [pairs] which entry of "pair_features" a pair has, plus 1 */
    int32_t *pair_index;
    double *pair_value;
    char **state_names, **action_names; /* the texts belong to the tree */
    int32_t *cell_row, *cell_col;
} reader;

/* ----------------------------------------------------------- single values */

static foray_status get_array(foray_context *ctx, const json_t *object, const char *key,
                              json_t **out)
{
    *out = json_object_get(object, key);
    if (json_is_array(*out))
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: an array is expected", key);
}

/* Item i of a list that counts something of which there are `limit`. */
static foray_status item_index(foray_context *ctx, json_t *list, size_t i, const char *what,
                               int64_t limit, int64_t *out)
{
    json_t *value = json_array_get(list, i);
    if (!json_is_integer(value))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "the %s must be a whole number", what);
    *out = json_integer_value(value);
    if (*out >= 0 && *out < limit)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s %lld, but the model has %lld %ss", what,
                   (long long)*out, (long long)limit, what);
}

static foray_status item_number(foray_context *ctx, json_t *list, size_t i, double *out)
{
    json_t *value = json_array_get(list, i);
    if (!json_is_number(value))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "item %zu must be a number", i);
    *out = json_number_value(value);
    return FORAY_OK;
}

static foray_status check_tuple(foray_context *ctx, json_t *list, size_t count, const char *shape)
{
    if (json_is_array(list) && json_array_size(list) == count)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "must be %s", shape);
}

/* ------------------------------------------------------------------- sizes */

static foray_status read_sizes(reader *r)
{
    fy_model_parts *parts = &r->parts;
    const struct {
        const char *key;
        int64_t *out;
    } sizes[] = {{"states", &parts->states},
                 {"actions", &parts->actions},
                 {"horizon", &parts->horizon},
                 {"dim", &parts->dim}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        foray_status status =
            fy_document_integer(r->ctx, r->root, sizes[i].key, 1, INT32_MAX - 1, sizes[i].out);
        if (status != FORAY_OK)
            return status;
    }
    const json_t *name = json_object_get(r->root, "name");
    if (!json_is_string(name))
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "name: a text is expected");
    parts->name = json_string_value(name);
    foray_status status =
        fy_document_real(r->ctx, r->root, "norm_bound", 0, FY_MODEL_LARGEST, &parts->norm_bound);
    if (status == FORAY_OK && json_object_get(r->root, "feature_error"))
        status = fy_document_real(r->ctx, r->root, "feature_error", 0, FY_MODEL_LARGEST,
                                  &parts->feature_error);
    if (status != FORAY_OK)
        return status;
    return fy_model_check_sizes(r->ctx, parts->states, parts->actions, parts->horizon, parts->dim,
                                parts->norm_bound);
}

/* ----------------------------------------------------------------- initial */

static foray_status read_initial_entry(reader *r, json_t *entry, size_t i)
{
    int64_t state;
    foray_status status = check_tuple(r->ctx, entry, 2, "[state, probability]");
    if (status == FORAY_OK)
        status = item_index(r->ctx, entry, 0, "state", r->parts.states, &state);
    if (status == FORAY_OK)
        status = item_number(r->ctx, entry, 1, &r->initial_probability[i]);
    if (status != FORAY_OK)
        return fy_fail_within(r->ctx, status, "initial[%zu]", i);
    r->initial_state[i] = (int32_t)state;
    return FORAY_OK;
}

static foray_status read_initial(reader *r)
{
    json_t *list;
    foray_status status = get_array(r->ctx, r->root, "initial", &list);
    if (status != FORAY_OK)
        return status;
    size_t count = json_array_size(list);
    if (!FY_ALLOC(r->ctx, r->initial_state, count) ||
        !FY_ALLOC(r->ctx, r->initial_probability, count))
        return FORAY_ERROR_MEMORY;
    for (size_t i = 0; i < count && status == FORAY_OK; i++)
        status = read_initial_entry(r, json_array_get(list, i), i);
    r->parts.initials = (int64_t)count;
    return status;
}

/* ---------------------------------------------------------------- features */

/* The pair of [s,a,next,[...]]; counts it. */
static foray_status count_entry(reader *r, json_t *entry, size_t e)
{
    int64_t state, action, next;
    foray_status status = check_tuple(r->ctx, entry, 4, "[state, action, next, [[i, value], ...]]");
    if (status == FORAY_OK)
        status = item_index(r->ctx, entry, 0, "state", r->parts.states, &state);
    if (status == FORAY_OK)
        status = item_index(r->ctx, entry, 1, "action", r->parts.actions, &action);
    if (status == FORAY_OK)
        status = item_index(r->ctx, entry, 2, "next state", r->parts.states, &next);
    if (status == FORAY_OK && !json_is_array(json_array_get(entry, 3)))
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "the features must be an array");
    if (status != FORAY_OK)
        return fy_fail_within(r->ctx, status, "features[%zu]", e);
    r->slot[e] = state * r->parts.actions + action;
    r->succ_start[r->slot[e] + 1]++;
    return FORAY_OK;
}

/* From counts to places: slot[e] was the pair of entry e, and becomes its place. */
static void place_entries(reader *r, json_t *list, int64_t pairs)
{
    size_t count = json_array_size(list);
    int64_t *start = r->succ_start;
    for (int64_t pair = 0; pair < pairs; pair++)
        start[pair + 1] += start[pair];
    for (size_t e = 0; e < count; e++) {
        json_t *entry = json_array_get(list, e);
        int64_t place = start[r->slot[e]]++;
        r->slot[e] = place;
        r->succ[place] = (int32_t)json_integer_value(json_array_get(entry, 2));
        r->feat_start[place + 1] = (int64_t)json_array_size(json_array_get(entry, 3));
    }
    for (int64_t pair = pairs; pair > 0; pair--)
        start[pair] = start[pair - 1];
    start[0] = 0;
    for (size_t place = 0; place < count; place++)
        r->feat_start[place + 1] += r->feat_start[place];
}

static foray_status read_vector(reader *r, json_t *vector, size_t e)
{
    int64_t at = r->feat_start[r->slot[e]];
    for (size_t k = 0; k < json_array_size(vector); k++, at++) {
        json_t *feature = json_array_get(vector, k);
        int64_t index;
        foray_status status = check_tuple(r->ctx, feature, 2, "[coordinate, value]");
        if (status == FORAY_OK)
            status = item_index(r->ctx, feature, 0, "coordinate", r->parts.dim, &index);
        if (status == FORAY_OK)
            status = item_number(r->ctx, feature, 1, &r->feat_value[at]);
        if (status != FORAY_OK)
            return fy_fail_within(r->ctx, status, "features[%zu][3][%zu]", e, k);
        r->feat_index[at] = (int32_t)index;
    }
    return FORAY_OK;
}

static foray_status read_features(reader *r)
{
    json_t *list;
    foray_status status = get_array(r->ctx, r->root, "features", &list);
    if (status != FORAY_OK)
        return status;
    size_t count = json_array_size(list);
    int64_t pairs = r->parts.states * r->parts.actions;
    if ((int64_t)count < pairs)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "features: %zu entries, but each of %lld states and %lld actions needs one",
                       count, (long long)r->parts.states, (long long)r->parts.actions);
    if (!FY_ALLOC(r->ctx, r->succ_start, pairs + 1) || !FY_ALLOC(r->ctx, r->slot, count) ||
        !FY_ALLOC(r->ctx, r->succ, count) || !FY_ALLOC(r->ctx, r->feat_start, count + 1))
        return FORAY_ERROR_MEMORY;
    for (size_t e = 0; e < count && status == FORAY_OK; e++)
        status = count_entry(r, json_array_get(list, e), e);
    if (status != FORAY_OK)
        return status;
    place_entries(r, list, pairs);
    if (!FY_ALLOC(r->ctx, r->feat_index, r->feat_start[count]) ||
        !FY_ALLOC(r->ctx, r->feat_value, r->feat_start[count]))
        return FORAY_ERROR_MEMORY;
    for (size_t e = 0; e < count && status == FORAY_OK; e++)
        status = read_vector(r, json_array_get(json_array_get(list, e), 3), e);
    return status;
}

/* ----------------------------------------------------------- optional keys */

static foray_status check_length(foray_context *ctx, json_t *list, const char *key, int64_t count)
{
    if (json_is_array(list) && (int64_t)json_array_size(list) == count)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: must be an array of %lld items", key,
                   (long long)count);
}

static foray_status read_theta(reader *r)
{
    json_t *list = json_object_get(r->root, "theta");
    if (!list)
        return FORAY_OK;
    foray_status status = check_length(r->ctx, list, "theta", r->parts.dim);
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(r->ctx, r->theta, r->parts.dim))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < r->parts.dim && status == FORAY_OK; i++)
        status = item_number(r->ctx, list, (size_t)i, &r->theta[i]);
    return status == FORAY_OK ? status : fy_fail_within(r->ctx, status, "theta");
}

/* [s,a,[[i,value],...]]: who it is about. */
static foray_status place_pair_entry(reader *r, json_t *entry, size_t e)
{
    int64_t state = 0, action = 0;
    foray_status status = check_tuple(r->ctx, entry, 3, "[state, action, [[i, value], ...]]");
    if (status == FORAY_OK)
        status = item_index(r->ctx, entry, 0, "state", r->parts.states, &state);
    if (status == FORAY_OK)
        status = item_index(r->ctx, entry, 1, "action", r->parts.actions, &action);
    if (status == FORAY_OK && !json_is_array(json_array_get(entry, 2)))
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "the features must be an array");
    int64_t pair = state * r->parts.actions + action;
    if (status == FORAY_OK && r->pair_entry[pair])
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, FY_AT_PAIR " is given twice", (long long)state,
                         (long long)action);
    if (status != FORAY_OK)
        return fy_fail_within(r->ctx, status, "pair_features.entries[%zu]", e);
    r->pair_entry[pair] = (int64_t)e + 1;
    r->pair_start[pair + 1] = (int64_t)json_array_size(json_array_get(entry, 2));
    return FORAY_OK;
}

static foray_status read_pair_vector(reader *r, json_t *list, int64_t pair)
{
    size_t e = (size_t)(r->pair_entry[pair] - 1);
    json_t *vector = json_array_get(json_array_get(list, e), 2);
    int64_t at = r->pair_start[pair];
    for (size_t k = 0; k < json_array_size(vector); k++, at++) {
        json_t *feature = json_array_get(vector, k);
        int64_t index;
        foray_status status = check_tuple(r->ctx, feature, 2, "[coordinate, value]");
        if (status == FORAY_OK)
            status = item_index(r->ctx, feature, 0, "coordinate", r->parts.pair_dim, &index);
        if (status == FORAY_OK)
            status = item_number(r->ctx, feature, 1, &r->pair_value[at]);
        if (status != FORAY_OK)
            return fy_fail_within(r->ctx, status, "pair_features.entries[%zu][2][%zu]", e, k);
        r->pair_index[at] = (int32_t)index;
    }
    return FORAY_OK;
}

/* Pairs without an entry are found when the model is assembled. */
static foray_status read_pair_entries(reader *r, json_t *list)
{
    int64_t pairs = r->parts.states * r->parts.actions;
    foray_status status = FORAY_OK;
    if (!FY_ALLOC(r->ctx, r->pair_start, pairs + 1) || !FY_ALLOC(r->ctx, r->pair_entry, pairs))
        return FORAY_ERROR_MEMORY;
    for (size_t e = 0; e < json_array_size(list) && status == FORAY_OK; e++)
        status = place_pair_entry(r, json_array_get(list, e), e);
    if (status != FORAY_OK)
        return status;
    for (int64_t pair = 0; pair < pairs; pair++)
        r->pair_start[pair + 1] += r->pair_start[pair];
    if (!FY_ALLOC(r->ctx, r->pair_index, r->pair_start[pairs]) ||
        !FY_ALLOC(r->ctx, r->pair_value, r->pair_start[pairs]))
        return FORAY_ERROR_MEMORY;
    for (int64_t pair = 0; pair < pairs && status == FORAY_OK; pair++)
        if (r->pair_entry[pair])
            status = read_pair_vector(r, list, pair);
    return status;
}

static foray_status read_pair_features(reader *r)
{
    static const char *const known[] = {"dim", "entries", NULL};
    json_t *object = json_object_get(r->root, "pair_features"), *list;
    if (!object)
        return FORAY_OK;
    if (!json_is_object(object))
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "pair_features: an object is expected");
    foray_status status = fy_document_keys(r->ctx, object, "pair_features", known);
    if (status != FORAY_OK)
        return status;
    status = fy_document_integer(r->ctx, object, "dim", 1, INT32_MAX - 1, &r->parts.pair_dim);
    if (status == FORAY_OK)
        status = get_array(r->ctx, object, "entries", &list);
    if (status != FORAY_OK)
        return fy_fail_within(r->ctx, status, "pair_features");
    return read_pair_entries(r, list);
}

static foray_status read_names(reader *r, const char *key, int64_t count, char ***out)
{
    json_t *list = json_object_get(r->root, key);
    if (!list)
        return FORAY_OK;
    foray_status status = check_length(r->ctx, list, key, count);
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(r->ctx, *out, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        json_t *name = json_array_get(list, (size_t)i);
        if (!json_is_string(name) && !json_is_null(name))
            return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s[%lld]: must be a text or null", key,
                           (long long)i);
        (*out)[i] = (char *)json_string_value(name);
    }
    return FORAY_OK;
}

static foray_status read_cell(reader *r, json_t *cell, size_t i)
{
    int64_t state = 0, row = 0, col = 0;
    foray_status status = check_tuple(r->ctx, cell, 3, "[state, row, column]");
    if (status == FORAY_OK)
        status = item_index(r->ctx, cell, 0, "state", r->parts.states, &state);
    if (status == FORAY_OK)
        status = item_index(r->ctx, cell, 1, "row", r->parts.grid_rows, &row);
    if (status == FORAY_OK)
        status = item_index(r->ctx, cell, 2, "column", r->parts.grid_cols, &col);
    if (status == FORAY_OK && r->cell_row[state] >= 0)
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "state %lld is given twice", (long long)state);
    if (status != FORAY_OK)
        return fy_fail_within(r->ctx, status, "layout.cell[%zu]", i);
    r->cell_row[state] = (int32_t)row;
    r->cell_col[state] = (int32_t)col;
    return FORAY_OK;
}

static foray_status read_grid(reader *r, const json_t *layout, json_t **cells)
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
        status = get_array(r->ctx, layout, "cell", cells);
    return status == FORAY_OK ? status : fy_fail_within(r->ctx, status, "layout");
}

static foray_status read_layout(reader *r)
{
    json_t *layout = json_object_get(r->root, "layout"), *cells;
    if (!layout)
        return FORAY_OK;
    foray_status status = read_grid(r, layout, &cells);
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(r->ctx, r->cell_row, r->parts.states) ||
        !FY_ALLOC(r->ctx, r->cell_col, r->parts.states))
        return FORAY_ERROR_MEMORY;
    for (int64_t state = 0; state < r->parts.states; state++)
        r->cell_row[state] = r->cell_col[state] = -1;
    for (size_t i = 0; i < json_array_size(cells) && status == FORAY_OK; i++)
        status = read_cell(r, json_array_get(cells, i), i);
    return status;
}

/* ------------------------------------------------------------------- whole */

static foray_status read_everything(reader *r)
{
    foray_status status = read_sizes(r);
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

static foray_status assemble(reader *r, foray_model **out)
{
    fy_model_parts *parts = &r->parts;
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

static void free_reader(reader *r)
{
    json_decref(r->root);
    free(r->initial_state);
    free(r->initial_probability);
    free(r->succ_start);
    free(r->slot);
    free(r->succ);
    free(r->feat_start);
    free(r->feat_index);
    free(r->feat_value);
    free(r->theta);
    free(r->pair_start);
    free(r->pair_entry);
    free(r->pair_index);
    free(r->pair_value);
    free(r->state_names);
    free(r->action_names);
    free(r->cell_row);
    free(r->cell_col);
}

foray_status fy_model_parse_json(foray_context *ctx, const uint8_t *text, size_t size,
                                 const char *where, foray_model **out)
{
    if (size > FY_DOCUMENT_LIMIT)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: more than %zu MiB of JSON", where,
                       FY_DOCUMENT_LIMIT >> 20);
    static const char *const known[] = {
        "format",       "version",    "name",          "states",        "actions", "horizon",
        "dim",          "norm_bound", "initial",       "features",      "theta",   "state_names",
        "action_names", "layout",     "pair_features", "feature_error", NULL};
    reader r = {.ctx = ctx};
    foray_status status =
        fy_document_parse(ctx, (const char *)text, size, where, "foray-model", known, &r.root);
    if (status != FORAY_OK)
        return status;
    status = read_everything(&r);
    if (status == FORAY_OK)
        status = assemble(&r, out);
    free_reader(&r);
    return status == FORAY_OK ? status : fy_fail_within(ctx, status, "%s", where);
}
