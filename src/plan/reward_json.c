/* reward_json.c - the format "foray-reward", version 1:
 *
 *   {"format":"foray-reward","version":1,"name":TEXT,"default":x,
 *    "entries":[[h|null,s|null,a|null,value],...]}
 *
 * null means every; later entries win; values lie in [0,1]. Without a name it is "",
 * without a default 0. */
#include "base/document.h"
#include "plan/reward.h"

#include <inttypes.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ reading */

/* An index, or null for every (-1). */
static foray_status read_index(foray_context *ctx, fy_json item, const char *what, int64_t *out)
{
    if (fy_json_kind_of(item) == FY_JSON_NULL) {
        *out = -1;
        return FORAY_OK;
    }
    if (fy_json_kind_of(item) != FY_JSON_INTEGER)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: a whole number or null is expected", what);
    *out = fy_json_integer(item);
    if (*out < 0)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s %" PRId64 ": indices count from 0", what, *out);
    return FORAY_OK;
}

/* [h|null, s|null, a|null, value] */
static foray_status read_entry(foray_context *ctx, fy_json entry, foray_reward *reward)
{
    foray_status status;
    int64_t step = -1, state = -1, action = -1;
    fy_json value = fy_json_item(entry, 3);
    if (fy_json_size(entry) != 4)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "[step, state, action, value] is expected");
    if ((status = read_index(ctx, fy_json_item(entry, 0), "step", &step)) < 0 ||
        (status = read_index(ctx, fy_json_item(entry, 1), "state", &state)) < 0 ||
        (status = read_index(ctx, fy_json_item(entry, 2), "action", &action)) < 0)
        return status;
    if (!fy_json_is_number(value))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "value: a number is expected");
    return foray_reward_set(ctx, reward, step, state, action, fy_json_real(value));
}

static foray_status read_entries(foray_context *ctx, fy_json entries, foray_reward *reward)
{
    if (fy_json_kind_of(entries) != FY_JSON_ARRAY)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "entries: a list is expected");
    int64_t i = 0;
    for (fy_json entry = fy_json_first(entries); entry.tree; entry = fy_json_next(entries, entry)) {
        foray_status status = read_entry(ctx, entry, reward);
        if (status < 0)
            return fy_fail_within(ctx, status, "entries[%" PRId64 "]", i);
        i++;
    }
    return FORAY_OK;
}

static foray_status read_reward(foray_context *ctx, fy_json root, const foray_model *model,
                                foray_reward **out)
{
    fy_json name = fy_json_member(root, "name"), fallback = fy_json_member(root, "default");
    if (name.tree && fy_json_kind_of(name) != FY_JSON_TEXT)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "name: a text is expected");
    if (fallback.tree && !fy_json_is_number(fallback))
        return fy_fail(ctx, FORAY_ERROR_INPUT, "default: a number is expected");
    foray_reward *reward = NULL;
    foray_status status = foray_reward_create(ctx, model, name.tree ? fy_json_text(name) : "",
                                              fallback.tree ? fy_json_real(fallback) : 0, &reward);
    if (status < 0)
        return status;
    if ((status = read_entries(ctx, fy_json_member(root, "entries"), reward)) < 0)
        foray_reward_destroy(reward);
    else
        *out = reward;
    return status;
}

foray_status foray_reward_parse(foray_context *ctx, const foray_model *model, const char *text,
                                size_t size, const char *where, foray_reward **out)
{
    static const char *const keys[] = {"format", "version", "name", "default", "entries", NULL};
    fy_json_tree tree;
    foray_status status = fy_document_parse(ctx, text, size, where, "foray-reward", keys, &tree);
    if (status < 0)
        return status;
    if ((status = read_reward(ctx, fy_json_root(&tree), model, out)) < 0)
        fy_fail_within(ctx, status, "%s", where);
    fy_json_free(&tree);
    return status;
}

foray_status foray_reward_load(foray_context *ctx, const foray_model *model, const char *path,
                               foray_reward **out)
{
    uint8_t *data;
    size_t size;
    foray_status status = fy_file_read(ctx, path, FY_DOCUMENT_LIMIT, &data, &size);
    if (status < 0)
        return status;
    status = foray_reward_parse(ctx, model, (const char *)data, size, path, out);
    free(data);
    return status;
}

/* ------------------------------------------------------------------ writing */

/* Entries are made from the tables, so that a reward is printed the same way however it
 * came about. The list is kept short: entries for every step where all steps agree, and
 * for every action where all actions do. */

/* An index, or null for every. */
static void put_index(fy_writer *writer, int64_t index)
{
    if (index < 0)
        fy_print(writer, "null,");
    else
        fy_print(writer, "%" PRId64 ",", index);
}

static void put_entry(fy_writer *writer, bool *first, int64_t step, int64_t state, int64_t action,
                      double value)
{
    fy_print(writer, "%s[", *first ? "" : ",");
    put_index(writer, step);
    put_index(writer, state);
    put_index(writer, action);
    fy_document_put_real(writer, value);
    fy_print(writer, "]");
    *first = false;
}

/* The entries that turn a state's values `base` (NULL: the default everywhere) into `row`. */
static void put_state(fy_writer *writer, const foray_reward *reward, bool *first, int64_t step,
                      int64_t state, const double *row, const double *base)
{
    int64_t different = 0, equal = 0;
    for (int64_t a = 0; a < reward->actions; a++) {
        different += row[a] != (base ? base[a] : reward->fallback);
        equal += row[a] == row[0];
    }
    if (different > 0 && equal == reward->actions) {
        put_entry(writer, first, step, state, -1, row[0]);
        return;
    }
    for (int64_t a = 0; a < reward->actions; a++)
        if (row[a] != (base ? base[a] : reward->fallback))
            put_entry(writer, first, step, state, a, row[a]);
}

static int64_t most_shared(const foray_reward *reward)
{
    int64_t most = 0;
    for (int64_t i = 1; i < reward->tables; i++)
        if (reward->steps_of[i] > reward->steps_of[most])
            most = i;
    return most;
}

/* The table of most steps for every step, then what the other steps change of it. */
static void put_entries(fy_writer *writer, const foray_reward *reward)
{
    bool first = true;
    const double *common = reward->table[most_shared(reward)];
    for (int64_t s = 0; s < reward->states; s++)
        put_state(writer, reward, &first, -1, s, common + s * reward->actions, NULL);
    for (int64_t t = 0; t < reward->horizon; t++) {
        const double *table = fy_reward_table(reward, t);
        for (int64_t s = 0; s < reward->states && table != common; s++)
            put_state(writer, reward, &first, t, s, table + s * reward->actions,
                      common + s * reward->actions);
    }
}

static void put_reward(fy_writer *writer, const foray_reward *reward)
{
    fy_print(writer, "{\"format\":\"foray-reward\",\"version\":1,\"name\":");
    fy_json_put_text(writer, reward->name);
    fy_print(writer, ",\"default\":");
    fy_document_put_real(writer, reward->fallback);
    fy_print(writer, ",\"entries\":[");
    put_entries(writer, reward);
    fy_print(writer, "]}\n");
}

foray_status foray_reward_print(foray_context *ctx, const foray_reward *reward, char **out,
                                size_t *size)
{
    fy_writer writer = {.ctx = ctx};
    put_reward(&writer, reward);
    return fy_writer_take(&writer, "a reward", out, size);
}
