/* episodes.c - see episodes.h. Everything is checked row by row, and a message names the file, the
 * line, the column and the cause. */
#include "data/episodes.h"
#include "base/csv.h"
#include "base/json.h"
#include "model/model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- names */

/* The name, or -1; *at: its place in the index, or where it goes. */
static int64_t find_name(const fy_names *names, const char *text, uint64_t *at)
{
    int64_t found;
    *at = fy_index_start(fy_hash(text, strlen(text), 0));
    for (; (found = fy_index_at(&names->index, *at)) >= 0; ++*at)
        if (strcmp(names->name[found % names->count], text) == 0)
            break;
    return found;
}

foray_status fy_names_create(foray_context *ctx, const char *what, int64_t count, char *const *name,
                             fy_names *out)
{
    fy_names names = {.what = what, .count = count, .name = name};
    if (name && count > INT32_MAX / 2)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "there are too many names of a %s", what);
    if (name && !fy_index_create(ctx, &names.index, count))
        return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; name && i < count; i++) {
        uint64_t at;
        if (!name[i])
            continue;
        int64_t old = find_name(&names, name[i], &at);
        fy_index_put(&names.index, at, old < 0 ? i : old % count + count);
    }
    *out = names;
    return FORAY_OK;
}

void fy_names_destroy(fy_names *names)
{
    fy_index_free(&names->index);
}

/* "17", the common case. */
static bool read_digits(const char *text, int64_t *out)
{
    int64_t number = 0;
    int digits = 0;
    for (; text[digits] >= '0' && text[digits] <= '9' && digits < 18; digits++)
        number = 10 * number + (text[digits] - '0');
    *out = number;
    return digits > 0 && text[digits] == 0;
}

int64_t fy_names_find(const fy_names *names, const char *text)
{
    uint64_t at;
    int64_t number;
    bool digits = read_digits(text, &number);
    int64_t found = digits ? -1 : find_name(names, text, &at);
    if (found >= 0)
        return found < names->count ? found : FY_NAMES_SEVERAL;
    bool whole = digits || fy_integer_read(text, strlen(text), &number);
    return whole && number >= 0 && number < names->count ? number : FY_NAMES_NONE;
}

foray_status fy_names_read(foray_context *ctx, const fy_names *names, const char *path,
                           const fy_csv *csv, const char *const *columns, int64_t column,
                           int32_t *out)
{
    const char *cell = fy_csv_cell(csv, column);
    int64_t index = fy_names_find(names, cell);
    if (index == FY_NAMES_SEVERAL)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": %s: more than one %s is called '%.60s': give a number",
                       path, fy_csv_line(csv), columns[column], names->what, cell);
    if (index < 0)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": %s: there is no %s '%.60s'; the model has 0 to %" PRId64
                       "%s",
                       path, fy_csv_line(csv), columns[column], names->what, cell, names->count - 1,
                       names->name ? " and their names" : "");
    *out = (int32_t)index;
    return FORAY_OK;
}

/* ---------------------------------------------------------------- episodes */

enum { EPISODE, STEP, STATE, ACTION, NEXT, DONE, REWARD };
static const char *const columns[] = {"episode", "step", "state",  "action",
                                      "next",    "done", "reward", NULL};

/* Texts that were met before, by their hashes: 16 to 24 bytes for each. */
typedef struct known {
    uint64_t *hash; /* [count] */
    int64_t count, room;
    fy_index index;
} known;

typedef struct recording {
    foray_context *ctx;
    const foray_model *model;
    const char *path;
    fy_csv *csv;
    fy_names states, actions;
    known episodes;
    fy_data_fn fn;
    void *user;
    /* The episode at hand. */
    char label[FY_LABEL_BYTES];
    bool begun, done;
    int64_t step; /* the one that is due */
    /* The piece of it at hand. */
    int64_t line, steps;
    int32_t *piece_states, *piece_actions;
} recording;

/* --------------------------------------------------------------------------- messages */

static foray_status bad_row(const recording *r, const char *column, const char *cause)
{
    return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s:%" PRId64 ": %s: %s", r->path,
                   fy_csv_line(r->csv), column, cause);
}

/* The model rules out what was recorded, which is worse than a slip of the pen. */
static foray_status impossible(const recording *r, const int32_t row[3])
{
    if (!foray_model_available(r->model, row[0], row[1]))
        return fy_fail(r->ctx, FORAY_ERROR_WORLD,
                       "%s:%" PRId64 ": action: %" PRId32 " is not available in state %" PRId32,
                       r->path, fy_csv_line(r->csv), row[1], row[0]);
    return fy_fail(r->ctx, FORAY_ERROR_WORLD,
                   "%s:%" PRId64 ": next: state %" PRId32 " followed (s=%" PRId32 ", a=%" PRId32
                   "), which the model rules out",
                   r->path, fy_csv_line(r->csv), row[2], row[0], row[1]);
}

/* ----------------------------------------------------------------- episodes met before */

static bool grow_known(foray_context *ctx, known *set)
{
    enum { FIRST_ROOM = 512 };
    int64_t room = set->count > 0 ? 2 * set->count : FIRST_ROOM;
    if (room > INT32_MAX) {
        fy_message_set(ctx, "there are too many episodes");
        return false;
    }
    if (!fy_index_create(ctx, &set->index, room))
        return false;
    for (int64_t i = 0; i < set->count; i++)
        fy_index_add(&set->index, set->hash[i], i);
    return true;
}

/* Adds a text; *met: it was there. */
static foray_status meet(foray_context *ctx, known *set, const char *text, bool *met)
{
    if (!fy_index_has_room(&set->index, set->count + 1) && !grow_known(ctx, set))
        return FORAY_ERROR_MEMORY;
    uint64_t hash = fy_hash(text, strlen(text), 1), at = fy_index_start(hash);
    int64_t old;
    for (; (old = fy_index_at(&set->index, at)) >= 0; at++)
        if (set->hash[old] == hash)
            break;
    *met = old >= 0;
    if (*met)
        return FORAY_OK;
    uint64_t *grown = fy_grow(ctx, set->hash, &set->room, set->count + 1, sizeof *grown);
    if (!grown)
        return FORAY_ERROR_MEMORY;
    set->hash = grown;
    set->hash[set->count] = hash;
    fy_index_put(&set->index, at, set->count++);
    return FORAY_OK;
}

/* ------------------------------------------------------------------------------- cells */

static foray_status read_index(recording *r, int64_t column, const fy_names *names, int32_t *out)
{
    return fy_names_read(r->ctx, names, r->path, r->csv, columns, column, out);
}

/* 0, 1, true, false in the spellings of the programs that write such files; empty: no. */
static foray_status read_done(recording *r, bool *out)
{
    static const char *const yes[] = {"1", "true", "True", "TRUE", "yes"};
    static const char *const no[] = {"", "0", "false", "False", "FALSE", "no"};
    const char *cell = fy_csv_cell(r->csv, DONE);
    *out = false;
    for (int64_t i = 0; cell && i < FY_COUNT(no); i++)
        if (strcmp(cell, no[i]) == 0)
            return FORAY_OK;
    for (int64_t i = 0; cell && i < FY_COUNT(yes); i++)
        *out |= strcmp(cell, yes[i]) == 0;
    return !cell || *out ? FORAY_OK : bad_row(r, "done", "neither true nor false");
}

/* Rewards are for others: what was learnt serves every reward. */
static foray_status check_reward(recording *r)
{
    double value;
    const char *cell = fy_csv_cell(r->csv, REWARD);
    if (!cell || !*cell || fy_number_read(cell, strlen(cell), &value))
        return FORAY_OK;
    return bad_row(r, "reward", "not a number");
}

/* --------------------------------------------------------------------------- episodes */

static foray_status hand_over(recording *r)
{
    if (r->steps == 0)
        return FORAY_OK;
    const fy_recorded_episode piece = {.episode = r->label,
                                       .line = r->line,
                                       .steps = r->steps,
                                       .states = r->piece_states,
                                       .actions = r->piece_actions,
                                       .done = r->done};
    r->steps = 0;
    return r->fn(r->user, &piece);
}

static foray_status begin_episode(recording *r, const char *label)
{
    bool met = false;
    foray_status status = hand_over(r);
    if (status == FORAY_OK && (strlen(label) >= sizeof r->label || !fy_json_is_utf8(label)))
        return bad_row(r, "episode", "longer than 63 bytes, or not UTF-8");
    if (status == FORAY_OK)
        status = meet(r->ctx, &r->episodes, label, &met);
    if (status != FORAY_OK)
        return status;
    if (met)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64
                       ": episode: %s appeared before: the rows of an episode must be consecutive",
                       r->path, fy_csv_line(r->csv), label);
    fy_format(r->label, sizeof r->label, "%s", label);
    r->begun = true;
    r->done = false;
    r->step = 0;
    return FORAY_OK;
}

/* step: 0, 1, ... without holes, and nothing after the end. */
static foray_status check_step(recording *r)
{
    int64_t step;
    const char *cell = fy_csv_cell(r->csv, STEP);
    if (!fy_integer_read(cell, strlen(cell), &step))
        return bad_row(r, "step", "not an integer");
    if (step != r->step)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": step: %" PRId64 ", but step %" PRId64
                       " of episode %s is due",
                       r->path, fy_csv_line(r->csv), step, r->step, r->label);
    if (r->done)
        return bad_row(r, "step", "the episode was done with the row before");
    return FORAY_OK;
}

/* Nothing but the state itself follows it, whatever is done; an unstructured model learns it. */
static bool is_absorbing(const foray_model *model, int64_t state)
{
    if (model->unstructured)
        return true;
    for (int64_t a = 0; a < model->actions; a++) {
        int64_t pair = state * model->actions + a;
        if (model->succ_start[pair + 1] - model->succ_start[pair] != 1 ||
            model->succ[model->succ_start[pair]] != state)
            return false;
    }
    return true;
}

/* row: state, action, next. */
static foray_status read_row(recording *r, int32_t row[3])
{
    foray_status status = read_index(r, STATE, &r->states, &row[0]);
    if (status == FORAY_OK)
        status = read_index(r, ACTION, &r->actions, &row[1]);
    if (status == FORAY_OK)
        status = read_index(r, NEXT, &r->states, &row[2]);
    if (status == FORAY_OK && r->step > 0 && row[0] != r->piece_states[r->steps])
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": state: %" PRId32 ", but the row before led to %" PRId32,
                       r->path, fy_csv_line(r->csv), row[0], r->piece_states[r->steps]);
    if (status == FORAY_OK && !foray_model_available(r->model, row[0], row[1]))
        return impossible(r, row);
    if (status == FORAY_OK &&
        fy_model_find(r->model, row[0] * r->model->actions + row[1], row[2]) < 0)
        return impossible(r, row);
    if (status == FORAY_OK)
        status = read_done(r, &r->done);
    if (status == FORAY_OK && r->done && !is_absorbing(r->model, row[2]))
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": done: but in the model, state %" PRId32 " can be left",
                       r->path, fy_csv_line(r->csv), row[2]);
    return status == FORAY_OK ? check_reward(r) : status;
}

static foray_status take_row(recording *r)
{
    int32_t row[3];
    foray_status status = FORAY_OK;
    const char *label = fy_csv_cell(r->csv, EPISODE);
    if (!r->begun || strcmp(label, r->label) != 0)
        status = begin_episode(r, label);
    if (status == FORAY_OK)
        status = check_step(r);
    if (status == FORAY_OK && r->step >= r->model->horizon && r->model->unstructured &&
        r->model->initials == 0)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": step: episode %s is longer than the horizon of %" PRId64
                       ", and its pieces would begin elsewhere than episodes do: give the model "
                       "a longer horizon, or say where episodes begin, as initial=STATE",
                       r->path, fy_csv_line(r->csv), r->label, r->model->horizon);
    if (status == FORAY_OK)
        status = read_row(r, row);
    if (status != FORAY_OK)
        return status;
    if (r->steps == 0)
        r->line = fy_csv_line(r->csv);
    r->piece_states[r->steps] = row[0];
    r->piece_actions[r->steps++] = row[1];
    r->piece_states[r->steps] = row[2];
    r->step++;
    if (r->steps < r->model->horizon)
        return FORAY_OK;
    status = hand_over(r);
    r->piece_states[0] = row[2]; /* where the next piece must begin */
    return status;
}

static foray_status take_rows(recording *r)
{
    foray_status status = FORAY_OK;
    for (bool more = true; status == FORAY_OK && more;) {
        status = fy_csv_next(r->csv, &more);
        if (status == FORAY_OK && more)
            status = take_row(r);
    }
    return status == FORAY_OK ? hand_over(r) : status;
}

foray_status fy_data_read(foray_context *ctx, const foray_model *model, const char *path,
                          fy_data_fn fn, void *user)
{
    recording r = {.ctx = ctx, .model = model, .path = path, .fn = fn, .user = user};
    foray_status status = FORAY_ERROR_MEMORY;
    if (FY_ALLOC(ctx, r.piece_states, model->horizon + 1) &&
        FY_ALLOC(ctx, r.piece_actions, model->horizon))
        status = fy_names_create(ctx, "state", model->states, model->state_names, &r.states);
    if (status == FORAY_OK)
        status = fy_names_create(ctx, "action", model->actions, model->action_names, &r.actions);
    if (status == FORAY_OK)
        status = fy_csv_open(ctx, path, columns, NEXT + 1, NULL, &r.csv);
    if (status == FORAY_OK)
        status = take_rows(&r);
    fy_csv_close(r.csv);
    fy_names_destroy(&r.states);
    fy_names_destroy(&r.actions);
    free(r.episodes.hash);
    fy_index_free(&r.episodes.index);
    free(r.piece_states);
    free(r.piece_actions);
    return status;
}
