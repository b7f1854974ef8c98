/* reward_json.c - reading the format "foray-reward":
 *
 *   {"format":"foray-reward","version":1,"name":TEXT,"range":[lo,hi],"discount":g,
 *    "optimise":"max|min","default":x,"entries":[[h,s,a,value] | [h,s,a,next,value],...]}
 *
 * or, instead of default, entries, range and discount, "reach":[s,...] or "avoid":[s,...] or both.
 * null means every; later entries win; states and actions by number or name. Without a name it is
 * "", without a range [0,1], without a default 0 or, where that is not in the range, lo. */
#include "base/document.h"
#include "plan/reward.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is being read, and where in it something is wrong. */
typedef struct reading {
    foray_context *ctx;
    const foray_model *model;
    fy_json root;
    fy_json culprit; /* an entry, or nothing in particular */
} reading;

/* ------------------------------------------------------------------ indices */

/* Models give names to all of their states or actions, to some, or to none; and perhaps the same
 * name to several, which then means none of them. */
static foray_status find_name(foray_context *ctx, const char *text, const char *what,
                              char *const *names, int64_t count, int64_t *out)
{
    *out = -1;
    for (int64_t i = 0; names && i < count; i++) {
        if (!names[i] || strcmp(names[i], text) != 0)
            continue;
        if (*out >= 0)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "%s \"%s\": %" PRId64 " and %" PRId64 " both have this name", what, text,
                           *out, i);
        *out = i;
    }
    return *out >= 0 ? FORAY_OK
                     : fy_fail(ctx, FORAY_ERROR_INPUT, "%s \"%s\": none has this name", what, text);
}

/* An index or a name. */
static foray_status read_place(foray_context *ctx, fy_json item, const char *what,
                               char *const *names, int64_t count, int64_t *out)
{
    if (fy_json_kind_of(item) == FY_JSON_TEXT)
        return find_name(ctx, fy_json_text(item), what, names, count, out);
    if (fy_json_kind_of(item) != FY_JSON_INTEGER)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: a whole number%s or null is expected", what,
                       names ? ", a name" : "");
    *out = fy_json_integer(item);
    if (*out < 0)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s %" PRId64 ": indices count from 0", what, *out);
    return FORAY_OK;
}

/* The same, or null for every (-1). */
static foray_status read_index(foray_context *ctx, fy_json item, const char *what,
                               char *const *names, int64_t count, int64_t *out)
{
    if (fy_json_kind_of(item) != FY_JSON_NULL)
        return read_place(ctx, item, what, names, count, out);
    *out = -1;
    return FORAY_OK;
}

/* ------------------------------------------------------------------ entries */

/* [h|null, s|null, a|null, value] or [h|null, s|null, a|null, next|null, value] */
static foray_status read_entry(const reading *from, fy_json entry, foray_reward *reward)
{
    foray_context *ctx = from->ctx;
    const foray_model *model = from->model;
    int64_t size = fy_json_size(entry), step = -1, state = -1, action = -1, next = -1;
    foray_status status;
    if (size != 4 && size != 5)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "[step, state, action, value] is expected, or "
                       "[step, state, action, next, value]");
    if ((status = read_index(ctx, fy_json_item(entry, 0), "step", NULL, 0, &step)) < 0 ||
        (status = read_index(ctx, fy_json_item(entry, 1), "state", model->state_names,
                             model->states, &state)) < 0 ||
        (status = read_index(ctx, fy_json_item(entry, 2), "action", model->action_names,
                             model->actions, &action)) < 0)
        return status;
    if (size == 5 && (status = read_index(ctx, fy_json_item(entry, 3), "next state",
                                          model->state_names, model->states, &next)) < 0)
        return status;
    fy_json value = fy_json_item(entry, size - 1);
    if (!fy_json_is_number(value))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "value: a number is expected");
    return foray_reward_set_next(ctx, reward, step, state, action, next, fy_json_real(value));
}

static foray_status read_entries(reading *from, foray_reward *reward)
{
    fy_json entries = fy_json_member(from->root, "entries");
    if (fy_json_kind_of(entries) != FY_JSON_ARRAY)
        return fy_fail(from->ctx, FORAY_ERROR_INPUT, "entries: a list is expected");
    int64_t i = 0;
    for (fy_json entry = fy_json_first(entries); entry.tree; entry = fy_json_next(entries, entry)) {
        foray_status status = read_entry(from, entry, reward);
        if (status < 0) {
            from->culprit = entry;
            return fy_fail_within(from->ctx, status, "entries[%" PRId64 "]", i);
        }
        i++;
    }
    return FORAY_OK;
}

/* -------------------------------------------------------------- two kinds */

/* A number that may be missing. */
static foray_status read_real(foray_context *ctx, fy_json object, const char *key, double *out)
{
    fy_json member = fy_json_member(object, key);
    if (!member.tree)
        return FORAY_OK;
    if (!fy_json_is_number(member))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: a number is expected", key);
    *out = fy_json_real(member);
    return FORAY_OK;
}

static foray_status read_range(const reading *from, double *low, double *high)
{
    fy_json range = fy_json_member(from->root, "range");
    fy_json one = fy_json_item(range, 0), other = fy_json_item(range, 1);
    if (!range.tree)
        return FORAY_OK;
    if (fy_json_size(range) != 2 || !fy_json_is_number(one) || !fy_json_is_number(other))
        return fy_fail(from->ctx, FORAY_ERROR_INPUT, "range: [low, high] is expected");
    *low = fy_json_real(one);
    *high = fy_json_real(other);
    return FORAY_OK;
}

static foray_status read_values(reading *from, const char *name, foray_reward **out)
{
    double low = 0, high = 1, discount = 1;
    foray_reward *reward = NULL;
    foray_status status = read_range(from, &low, &high);
    double fallback = low <= 0 && high >= 0 ? 0 : low;
    if (status == FORAY_OK)
        status = read_real(from->ctx, from->root, "default", &fallback);
    if (status == FORAY_OK)
        status = read_real(from->ctx, from->root, "discount", &discount);
    if (status == FORAY_OK)
        status =
            foray_reward_create_between(from->ctx, from->model, name, low, high, fallback, &reward);
    if (status == FORAY_OK && foray_reward_set_discount(from->ctx, reward, discount) != FORAY_OK)
        status = FORAY_ERROR_INPUT;
    if (status == FORAY_OK)
        status = read_entries(from, reward);
    if (status == FORAY_OK)
        *out = reward;
    else
        foray_reward_destroy(reward);
    return status;
}

/* A list of states, which the caller releases; *count 0 where there is none. */
static foray_status read_states(reading *from, const char *key, int64_t *count, int64_t **out)
{
    fy_json list = fy_json_member(from->root, key);
    int64_t i = 0;
    if (!list.tree)
        return FORAY_OK;
    if (fy_json_kind_of(list) != FY_JSON_ARRAY || fy_json_size(list) == 0)
        return fy_fail(from->ctx, FORAY_ERROR_INPUT, "%s: a list of states is expected", key);
    *count = fy_json_size(list);
    if (!FY_ALLOC(from->ctx, *out, *count))
        return FORAY_ERROR_MEMORY;
    for (fy_json item = fy_json_first(list); item.tree; item = fy_json_next(list, item), i++) {
        foray_status status = read_place(from->ctx, item, "state", from->model->state_names,
                                         from->model->states, *out + i);
        if (status < 0) {
            from->culprit = item;
            return fy_fail_within(from->ctx, status, "%s[%" PRId64 "]", key, i);
        }
    }
    return FORAY_OK;
}

static foray_status read_stops(reading *from, const char *name, foray_reward **out)
{
    static const char *const others[] = {"default", "entries", "range", "discount"};
    int64_t reaches = 0, avoids = 0, *reach = NULL, *avoid = NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (fy_json_member(from->root, others[i]).tree)
            return fy_fail(from->ctx, FORAY_ERROR_INPUT,
                           "%s: not together with reach or avoid, which are probabilities",
                           others[i]);
    foray_status status = read_states(from, "reach", &reaches, &reach);
    if (status == FORAY_OK)
        status = read_states(from, "avoid", &avoids, &avoid);
    if (status == FORAY_OK)
        status = foray_reward_create_reach(from->ctx, from->model, name, reaches, reach, avoids,
                                           avoid, out);
    free(reach);
    free(avoid);
    return status;
}

static foray_status read_reward(reading *from, foray_reward **out)
{
    static const char *const directions[] = {"max", "min", NULL};
    fy_json name = fy_json_member(from->root, "name");
    if (name.tree && fy_json_kind_of(name) != FY_JSON_TEXT)
        return fy_fail(from->ctx, FORAY_ERROR_INPUT, "name: a text is expected");
    const char *text = name.tree ? fy_json_text(name) : "";
    bool stops =
        fy_json_member(from->root, "reach").tree || fy_json_member(from->root, "avoid").tree;
    foray_reward *reward = NULL;
    int direction = 0;
    foray_status status = FORAY_OK;
    if (fy_json_member(from->root, "optimise").tree)
        status = fy_document_choice(from->ctx, from->root, "optimise", directions, &direction);
    if (status == FORAY_OK)
        status = stops ? read_stops(from, text, &reward) : read_values(from, text, &reward);
    if (status == FORAY_OK)
        status = foray_reward_set_minimise(from->ctx, reward, direction == 1);
    if (status == FORAY_OK)
        *out = reward;
    else
        foray_reward_destroy(reward);
    return status;
}

foray_status foray_reward_parse(foray_context *ctx, const foray_model *model, const char *text,
                                size_t size, const char *where, foray_reward **out)
{
    static const char *const keys[] = {"format",   "version",  "name",    "range",
                                       "discount", "optimise", "default", "entries",
                                       "reach",    "avoid",    NULL};
    fy_json_tree tree;
    foray_status status = fy_document_parse(ctx, text, size, where, "foray-reward", keys, &tree);
    if (status < 0)
        return status;
    reading from = {.ctx = ctx, .model = model, .root = fy_json_root(&tree)};
    if ((status = read_reward(&from, out)) < 0) {
        if (from.culprit.tree)
            fy_fail_within(ctx, status, "%s:%" PRId64, where, fy_document_line(text, from.culprit));
        else
            fy_fail_within(ctx, status, "%s", where);
    }
    fy_json_free(&tree);
    return status;
}

foray_status foray_reward_load(foray_context *ctx, const foray_model *model, const char *path,
                               foray_reward **out)
{
    uint8_t *data;
    size_t size;
    foray_status status = fy_file_expect(ctx, path, "a reward");
    if (status == FORAY_OK)
        status = fy_file_read(ctx, path, FY_DOCUMENT_LIMIT, &data, &size);
    if (status != FORAY_OK)
        return status;
    status = foray_reward_parse(ctx, model, (const char *)data, size, path, out);
    free(data);
    return status;
}
