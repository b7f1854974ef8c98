/* json.c - the format "foray-reward":
 *
 *   {"format":"foray-reward","version":1,"name":TEXT,"range":[lo,hi],"discount":g,
 *    "optimise":"max|min","default":x,"mode":"override|add",
 *    "entries":[[h,s,a,value] | [h,s,a,next,value],...]}
 *
 * or, instead of default, mode, entries, range and discount, "reach":[s,...] or "avoid":[s,...] or
 * both, or "task":FORMULA with "labels":{NAME:[s,...],...}; or, instead of all of these but the
 * range, "sum":[[weight, FILE | {...}],...] of other rewards. null means every; later entries win,
 * or add; states and actions by number or name. Without a name it is "", without a range [0,1], or
 * what is implied by those of a sum's terms, without a default 0 or, where that is not in the
 * range, lo. */
#include "base/json.h"
#include "reward/reward.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ reading */

/* What is being read, and where in it something is wrong. */
typedef struct reading {
    foray_context *ctx;
    const foray_model *model;
    fy_json root;
    fy_json culprit;  /* an entry, or nothing in particular */
    const char *path; /* of the file; NULL: it comes from elsewhere, and can name no others */
    int depth;        /* of sums in which this is a term */
    int *terms;       /* how many there are so far, of all sums */
} reading;

static const char *const reward_keys[] = {"format",   "version", "name", "range",   "discount",
                                          "optimise", "default", "mode", "entries", "reach",
                                          "avoid",    "sum",     "task", "labels",  NULL};

static foray_status read_reward(reading *from, foray_reward **out);
static foray_status load_reward(foray_context *ctx, const foray_model *model, const char *path,
                                int depth, int *terms, foray_reward **out);

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
        return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: an integer%s or null is expected", what,
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

/* [h|null, s|null, a|null, value] or [h|null, s|null, a|null, next|null, value] */
static foray_status read_entry(const reading *from, fy_json entry, bool add, foray_reward *reward)
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
    return (add ? fy_reward_add : foray_reward_set_next)(ctx, reward, step, state, action, next,
                                                         fy_json_real(value));
}

static foray_status read_entries(reading *from, bool add, foray_reward *reward)
{
    fy_json entries = fy_json_member(from->root, "entries");
    if (fy_json_kind_of(entries) != FY_JSON_ARRAY)
        return fy_fail(from->ctx, FORAY_ERROR_INPUT, "entries: a list is expected");
    int64_t i = 0;
    for (fy_json entry = fy_json_first(entries); entry.tree; entry = fy_json_next(entries, entry)) {
        foray_status status = read_entry(from, entry, add, reward);
        if (status < 0) {
            from->culprit = entry;
            return fy_fail_within(from->ctx, status, "entries[%" PRId64 "]", i);
        }
        i++;
    }
    return FORAY_OK;
}

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

/* Sums may leave the range on the way: it is looked at in the end. */
static foray_status read_added(reading *from, const char *name, double low, double high,
                               double fallback, foray_reward **out)
{
    foray_status status = foray_reward_create(from->ctx, from->model, name, 0, 1, 0, out);
    if (status == FORAY_OK)
        status = fy_reward_add(from->ctx, *out, -1, -1, -1, -1, fallback);
    if (status == FORAY_OK)
        status = read_entries(from, true, *out);
    return status == FORAY_OK ? fy_reward_set_range(from->ctx, *out, low, high) : status;
}

static foray_status read_overriding(reading *from, const char *name, double low, double high,
                                    double fallback, foray_reward **out)
{
    foray_status status =
        foray_reward_create(from->ctx, from->model, name, low, high, fallback, out);
    return status == FORAY_OK ? read_entries(from, false, *out) : status;
}

static foray_status read_values(reading *from, const char *name, foray_reward **out)
{
    static const char *const modes[] = {"override", "add", NULL};
    double low = 0, high = 1, discount = 1;
    foray_reward *reward = NULL;
    int mode = 0;
    foray_status status = read_range(from, &low, &high);
    double fallback = low <= 0 && high >= 0 ? 0 : low;
    if (status == FORAY_OK && fy_json_member(from->root, "mode").tree)
        status = fy_document_choice(from->ctx, from->root, "mode", modes, &mode);
    if (status == FORAY_OK)
        status = read_real(from->ctx, from->root, "default", &fallback);
    if (status == FORAY_OK)
        status = read_real(from->ctx, from->root, "discount", &discount);
    if (status == FORAY_OK)
        status =
            (mode == 1 ? read_added : read_overriding)(from, name, low, high, fallback, &reward);
    if (status == FORAY_OK && foray_reward_set_discount(from->ctx, reward, discount) != FORAY_OK)
        status = FORAY_ERROR_INPUT;
    if (status == FORAY_OK)
        *out = reward;
    else
        foray_reward_destroy(reward);
    return status;
}

/* A list of states, which the caller releases; *count 0 where there is none. */
static foray_status read_states(reading *from, fy_json object, const char *key, bool empty,
                                int64_t *count, int64_t **out)
{
    fy_json list = fy_json_member(object, key);
    int64_t i = 0;
    if (!list.tree)
        return FORAY_OK;
    if (fy_json_kind_of(list) != FY_JSON_ARRAY || (fy_json_size(list) == 0 && !empty))
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

static foray_status refuse_others(const reading *from, const char *const *others, const char *why)
{
    for (; *others; others++)
        if (fy_json_member(from->root, *others).tree)
            return fy_fail(from->ctx, FORAY_ERROR_INPUT, "%s: not %s", *others, why);
    return FORAY_OK;
}

static foray_status read_stops(reading *from, const char *name, foray_reward **out)
{
    static const char *const others[] = {"default", "entries", "mode", "range", "discount", NULL};
    int64_t reaches = 0, avoids = 0, *reach = NULL, *avoid = NULL;
    foray_status status =
        refuse_others(from, others, "together with reach or avoid, which are probabilities");
    if (status == FORAY_OK)
        status = read_states(from, from->root, "reach", false, &reaches, &reach);
    if (status == FORAY_OK)
        status = read_states(from, from->root, "avoid", false, &avoids, &avoid);
    if (status == FORAY_OK)
        status = foray_reward_create_reach(from->ctx, from->model, name, reaches, reach, avoids,
                                           avoid, out);
    free(reach);
    free(avoid);
    return status;
}

enum { MAX_LABELS = FY_JSON_MEMBERS };

/* {NAME:[s,...],...}; the states are the caller's to release. */
static foray_status read_labels(reading *from, int64_t *count, foray_label *label, int64_t **states)
{
    fy_json object = fy_json_member(from->root, "labels");
    foray_status status = FORAY_OK;
    if (!object.tree)
        return FORAY_OK;
    if (fy_json_kind_of(object) != FY_JSON_OBJECT)
        return fy_fail(from->ctx, FORAY_ERROR_INPUT,
                       "labels: an object of lists of states is expected");
    for (fy_json key = fy_json_first(object); key.tree && status == FORAY_OK; ++*count) {
        fy_json list = fy_json_next(object, key);
        const char *name = label[*count].name = fy_json_text(key);
        status = fy_name_check(from->ctx, name);
        if (status == FORAY_OK)
            status = read_states(from, object, name, true, &label[*count].count, &states[*count]);
        label[*count].state = states[*count];
        key = fy_json_next(object, list);
    }
    return status == FORAY_OK ? FORAY_OK : fy_fail_within(from->ctx, status, "labels");
}

static foray_status read_task(reading *from, const char *name, foray_reward **out)
{
    static const char *const others[] = {"default", "entries",  "mode",  "range",
                                         "reach",   "discount", "avoid", NULL};
    fy_json task = fy_json_member(from->root, "task");
    foray_label *label;
    int64_t **states = NULL, count = 0;
    fy_arena scratch = {.ctx = from->ctx};
    foray_status status = refuse_others(from, others, "together with task, which is a probability");
    if (status == FORAY_OK && fy_json_kind_of(task) != FY_JSON_TEXT)
        status = fy_fail(from->ctx, FORAY_ERROR_INPUT, "task: a formula is expected");
    if (status != FORAY_OK)
        return status;
    if (!FY_NEW(&scratch, label, MAX_LABELS) || !FY_NEW(&scratch, states, MAX_LABELS))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = read_labels(from, &count, label, states);
    if (status == FORAY_OK) {
        status = foray_reward_create_task(from->ctx, from->model, name, fy_json_text(task), count,
                                          label, out);
        if (status != FORAY_OK) {
            from->culprit = task;
            status = fy_fail_within(from->ctx, status, "task");
        }
    }
    for (int64_t i = 0; i < count; i++)
        free(states[i]);
    fy_arena_release(&scratch);
    return status;
}

/* Terms in all, and sums of sums: what a file names may name others, and itself. */
enum { MAX_TERMS = 64, MAX_DEPTH = 8 };

/* The path of a file that another one names, which the caller releases: next to it, unless that
 * came through a pipe. */
static char *path_beside(const reading *from, const char *name)
{
    const char *slash = strrchr(from->path, '/');
    bool alone = !slash || name[0] == '/' || strncmp(from->path, "/dev/fd/", 8) == 0;
    size_t folder = alone ? 0 : (size_t)(slash - from->path) + 1, length = strlen(name) + 1;
    char *path = fy_alloc(from->ctx, folder + length, 1);
    if (path) {
        memcpy(path, from->path, folder);
        memcpy(path + folder, name, length);
    }
    return path;
}

static foray_status load_term(reading *from, const char *name, foray_reward **out)
{
    if (!from->path)
        return fy_fail(from->ctx, FORAY_ERROR_INPUT,
                       "\"%s\": only reward files can name other files", name);
    char *path = path_beside(from, name);
    if (!path)
        return FORAY_ERROR_MEMORY;
    foray_status status =
        load_reward(from->ctx, from->model, path, from->depth + 1, from->terms, out);
    free(path);
    return status;
}

/* [weight, FILE | {...}] */
static foray_status read_term(reading *from, fy_json item, double *weight, foray_reward **out)
{
    fy_json first = fy_json_item(item, 0), second = fy_json_item(item, 1);
    fy_json_kind kind = fy_json_kind_of(second);
    if (fy_json_size(item) != 2 || !fy_json_is_number(first) ||
        (kind != FY_JSON_TEXT && kind != FY_JSON_OBJECT))
        return fy_fail(from->ctx, FORAY_ERROR_INPUT, "[weight, file or reward] is expected");
    if (from->depth == MAX_DEPTH || *from->terms == MAX_TERMS)
        return fy_fail(from->ctx, FORAY_ERROR_INPUT,
                       "a sum of more than %d rewards, or more than %d within each other; does one "
                       "contain itself?",
                       MAX_TERMS, MAX_DEPTH);
    ++*from->terms;
    *weight = fy_json_real(first);
    if (kind == FY_JSON_TEXT)
        return load_term(from, fy_json_text(second), out);
    reading within = *from;
    within.root = second;
    within.depth++;
    foray_status status = fy_document_keys(from->ctx, second, "a reward", reward_keys);
    if (status == FORAY_OK)
        status = read_reward(&within, out);
    from->culprit = within.culprit;
    return status;
}

static foray_status read_sum(reading *from, const char *name, foray_reward **out)
{
    static const char *const others[] = {"default", "entries", "mode",   "reach", "discount",
                                         "avoid",   "task",    "labels", NULL};
    foray_reward *term[MAX_TERMS] = {NULL};
    double weight[MAX_TERMS], low = NAN, high = NAN;
    int64_t count = 0;
    fy_json list = fy_json_member(from->root, "sum");
    foray_status status = refuse_others(from, others, "together with sum: it is for its terms");
    if (status == FORAY_OK && (fy_json_kind_of(list) != FY_JSON_ARRAY || fy_json_size(list) == 0))
        status = fy_fail(from->ctx, FORAY_ERROR_INPUT, "sum: a list of rewards is expected");
    if (status == FORAY_OK)
        status = read_range(from, &low, &high);
    for (fy_json item = fy_json_first(list); status == FORAY_OK && item.tree;
         item = fy_json_next(list, item)) {
        status = read_term(from, item, &weight[count], &term[count]);
        if (status < 0) {
            from->culprit = from->culprit.tree ? from->culprit : item;
            status = fy_fail_within(from->ctx, status, "sum[%" PRId64 "]", count);
        } else
            count++;
    }
    if (status == FORAY_OK)
        status =
            fy_reward_sum(from->ctx, name, count, (const foray_reward *const *)term, weight, out);
    if (status == FORAY_OK && !isnan(low))
        status = fy_reward_set_range(from->ctx, *out, low, high);
    for (int64_t i = 0; i < count; i++)
        foray_reward_destroy(term[i]);
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
    if (status == FORAY_OK && fy_json_member(from->root, "labels").tree &&
        !fy_json_member(from->root, "task").tree)
        status = fy_fail(from->ctx, FORAY_ERROR_INPUT, "labels: they are for a task");
    if (status == FORAY_OK)
        status = (fy_json_member(from->root, "sum").tree    ? read_sum
                  : fy_json_member(from->root, "task").tree ? read_task
                  : stops                                   ? read_stops
                                                            : read_values)(from, text, &reward);
    if (status == FORAY_OK)
        status = foray_reward_set_minimise(from->ctx, reward, direction == 1);
    if (status == FORAY_OK)
        *out = reward;
    else
        foray_reward_destroy(reward);
    return status;
}

static foray_status parse_reward(foray_context *ctx, const foray_model *model, const char *text,
                                 size_t size, const char *where, reading from, foray_reward **out)
{
    fy_json_tree tree;
    foray_status status =
        fy_document_parse(ctx, text, size, where, "foray-reward", reward_keys, &tree);
    if (status < 0)
        return status;
    from.ctx = ctx;
    from.model = model;
    from.root = fy_json_root(&tree);
    if ((status = read_reward(&from, out)) < 0) {
        if (from.culprit.tree)
            fy_fail_within(ctx, status, "%s:%" PRId64, where, fy_document_line(text, from.culprit));
        else
            fy_fail_within(ctx, status, "%s", where);
    }
    fy_json_free(&tree);
    return status;
}

foray_status foray_reward_parse(foray_context *ctx, const foray_model *model, const char *text,
                                size_t size, const char *where, foray_reward **out)
{
    int terms = 0;
    return parse_reward(ctx, model, text, size, where, (reading){.terms = &terms}, out);
}

static foray_status load_reward(foray_context *ctx, const foray_model *model, const char *path,
                                int depth, int *terms, foray_reward **out)
{
    uint8_t *data;
    size_t size;
    foray_status status = fy_file_expect(ctx, path, "a reward");
    if (status == FORAY_OK)
        status = fy_file_read(ctx, path, FY_DOCUMENT_LIMIT, &data, &size);
    if (status != FORAY_OK)
        return status;
    status = parse_reward(ctx, model, (const char *)data, size, path,
                          (reading){.path = path, .depth = depth, .terms = terms}, out);
    free(data);
    return status;
}

foray_status foray_reward_load(foray_context *ctx, const foray_model *model, const char *path,
                               foray_reward **out)
{
    int terms = 0;
    return load_reward(ctx, model, path, 0, &terms, out);
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

/* The list of entries as far as it has been printed. */
typedef struct listing {
    fy_writer *writer;
    const foray_reward *reward;
    bool any; /* there is an entry already */
} listing;

/* next -2: the entry is about none. */
static void put_entry(listing *list, int64_t step, int64_t state, int64_t action, int64_t next,
                      double value)
{
    fy_print(list->writer, "%s[", list->any ? "," : "");
    put_index(list->writer, step);
    put_index(list->writer, state);
    put_index(list->writer, action);
    if (next >= -1)
        put_index(list->writer, next);
    fy_document_put_real(list->writer, value);
    fy_print(list->writer, "]");
    list->any = true;
}

/* Do the values of a pair depend on what follows? */
static bool looks_ahead(const foray_reward *reward, const fy_reward_part *part, int64_t pair)
{
    const int64_t *start = reward->model->succ_start;
    for (int64_t i = part->next ? start[pair] : 0; part->next && i < start[pair + 1]; i++)
        if (part->next[i] != 0)
            return true;
    return false;
}

/* Has a pair the values that it has in `base` (NULL: the default)? */
static bool same_values(const foray_reward *reward, const fy_reward_part *part,
                        const fy_reward_part *base, int64_t pair)
{
    bool ahead = looks_ahead(reward, part, pair);
    if (!base || part->pair[pair] != base->pair[pair])
        return !base && !ahead && part->pair[pair] == reward->fallback;
    if (!ahead && !looks_ahead(reward, base, pair))
        return true;
    const int64_t *start = reward->model->succ_start;
    for (int64_t i = start[pair]; i < start[pair + 1]; i++)
        if ((part->next ? part->next[i] : 0) != (base->next ? base->next[i] : 0))
            return false;
    return true;
}

static void put_pair(listing *list, int64_t step, const fy_reward_part *part, int64_t pair)
{
    const foray_model *model = list->reward->model;
    int64_t state = pair / list->reward->actions, action = pair % list->reward->actions;
    if (!looks_ahead(list->reward, part, pair)) {
        put_entry(list, step, state, action, -2, part->pair[pair]);
        return;
    }
    for (int64_t i = model->succ_start[pair]; i < model->succ_start[pair + 1]; i++)
        put_entry(list, step, state, action, model->succ[i], part->next[i]);
}

/* The entries that turn a state's values in `base` (NULL: the default) into those of `part`. */
static void put_state(listing *list, int64_t step, int64_t state, const fy_reward_part *part,
                      const fy_reward_part *base)
{
    const foray_reward *reward = list->reward;
    int64_t different = 0, equal = 0, first = state * reward->actions;
    for (int64_t pair = first; pair < first + reward->actions; pair++) {
        different += !same_values(reward, part, base, pair);
        equal += part->pair[pair] == part->pair[first] && !looks_ahead(reward, part, pair);
    }
    if (different > 0 && equal == reward->actions) {
        put_entry(list, step, state, -1, -2, part->pair[first]);
        return;
    }
    for (int64_t pair = first; pair < first + reward->actions; pair++)
        if (!same_values(reward, part, base, pair) &&
            !(reward->partial && !fy_available(reward->partial, pair)))
            put_pair(list, step, part, pair);
}

static int64_t max_shared(const foray_reward *reward)
{
    int64_t max = 0;
    for (int64_t i = 1; i < reward->tables; i++)
        if (reward->steps_of[i] > reward->steps_of[max])
            max = i;
    return max;
}

/* What turns `base` (NULL: the default) into `part`; rules in their order, after all pairs. */
static void put_table(listing *list, int64_t step, const fy_reward_part *part,
                      const fy_reward_part *base)
{
    const fy_reward_rules *rules = &part->rules;
    for (int64_t s = 0; s < list->reward->states; s++)
        put_state(list, step, s, part, base);
    bool ahead = false; /* before the first about one next state, the pairs have said it */
    for (int64_t i = 0; i < rules->count; i++) {
        const fy_reward_rule *rule = &rules->rule[i];
        bool said = rule->state == FY_RULE_GONE || (rule->next < 0 && !ahead);
        ahead |= !said;
        if (!said)
            put_entry(list, step, rule->state, rule->action, rule->next, rule->value);
    }
}

/* The table of most steps for every step, then what the other steps change of it. */
static void put_entries(fy_writer *writer, const foray_reward *reward)
{
    listing list = {.writer = writer, .reward = reward};
    const fy_reward_part *common = &reward->table[max_shared(reward)];
    put_table(&list, -1, common, NULL);
    for (int64_t t = 0; t < reward->horizon; t++) {
        const fy_reward_part *part = &reward->table[reward->table_of_step[t]];
        bool whole = part->rules.ahead > 0 || common->rules.ahead > 0;
        if (part == common)
            continue;
        if (whole) /* rules for every step hold in this one, too, unless all of it is set */
            put_entry(&list, t, -1, -1, -2, reward->fallback);
        put_table(&list, t, part, whole ? NULL : common);
    }
}

/* ,"reach":[s,...] of the states with this value, if there are any. */
static void put_states(fy_writer *writer, const foray_reward *reward, const char *key, double value)
{
    int64_t count = 0;
    for (int64_t s = 0; s < reward->states; s++)
        if (reward->fixed[s] == value) {
            if (count++ == 0)
                fy_print(writer, ",\"%s\":[%" PRId64, key, s);
            else
                fy_print(writer, ",%" PRId64, s);
        }
    if (count > 0)
        fy_print(writer, "]");
}

/* ,"task":FORMULA,"labels":{NAME:[s,...],...} of those that it names. */
static void put_task(fy_writer *writer, const fy_task *task)
{
    const fy_labels *labels = &task->labels;
    fy_print(writer, ",\"task\":");
    fy_json_put_text(writer, task->text);
    for (int64_t i = 0; i < labels->count; i++) {
        fy_print(writer, i == 0 ? ",\"labels\":{" : ",");
        fy_json_put_text(writer, labels->name[i]);
        fy_print(writer, ":[");
        for (int64_t k = labels->start[i]; k < labels->start[i + 1]; k++)
            fy_print(writer, k == labels->start[i] ? "%d" : ",%d", labels->state[k]);
        fy_print(writer, "]");
    }
    fy_print(writer, labels->count > 0 ? "}}\n" : "}\n");
}

/* What is left out where it is as usual. */
static void put_form(fy_writer *writer, const foray_reward *reward)
{
    if (reward->low != 0 || reward->high != 1) {
        fy_print(writer, ",\"range\":[");
        fy_document_put_real(writer, reward->low);
        fy_print(writer, ",");
        fy_document_put_real(writer, reward->high);
        fy_print(writer, "]");
    }
    if (reward->discount != 1) {
        fy_print(writer, ",\"discount\":");
        fy_document_put_real(writer, reward->discount);
    }
    if (reward->minimise)
        fy_print(writer, ",\"optimise\":\"min\"");
}

static void put_reward(fy_writer *writer, const foray_reward *reward)
{
    fy_print(writer, "{\"format\":\"foray-reward\",\"version\":1,\"name\":");
    fy_json_put_text(writer, reward->name);
    put_form(writer, reward);
    if (reward->task) {
        put_task(writer, reward->task);
        return;
    }
    if (reward->fixed) {
        put_states(writer, reward, "reach", reward->minimise ? 0 : 1);
        put_states(writer, reward, "avoid", reward->minimise ? 1 : 0);
        fy_print(writer, "}\n");
        return;
    }
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
