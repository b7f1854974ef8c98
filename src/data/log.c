/* log.c - see log.h: every row by itself, then episode by episode, then what it all comes to. */
#include "data/log.h"
#include "base/csv.h"
#include "base/index.h"
#include "base/json.h"
#include "data/episodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const fy_log_role[FY_LOG_ROLES + 1] = {"episode", "state", "action", "step", "time",
                                                   "next",    "done",  "reward", NULL};

/* An episode that is done where nobody says in which state. */
static const char end_name[] = "(end)";

/* Texts, numbered as they were met. */
typedef struct texts {
    const char *what; /* they are; NULL: episodes, of which there may be any number */
    char **text;      /* [count], in the arena */
    int32_t *number;  /* [count] of the model; -1: not settled yet */
    int64_t count, room;
    fy_index index;
    int64_t limit;      /* numbers there are */
    bool named, closed; /* the model has names; there are no others */
    char *const *name;  /* [limit] of the model; NULL: it has none */
    int64_t free;       /* the first number that the model has no name for */
    int64_t added;
    bool digits; /* all are numbers below the limit */
} texts;

typedef struct row {
    int64_t line;
    double when, reward;
    int32_t episode, state, action, next; /* -1: not said */
    bool done;
} row;

typedef struct reading {
    fy_arena *arena;
    const fy_log_request *request;
    const char *path;
    fy_csv *csv;
    int64_t at[FY_LOG_ROLES]; /* the place of each role among the columns that are read; -1: none */
    texts episodes, states, actions;
    row *row;
    int64_t rows, room;
    fy_log *log;
} reading;

typedef struct whole_log {
    fy_log shown; /* first: what the caller holds */
    fy_arena arena;
    row *row; /* [rows] in order; next < 0: no step */
    int64_t rows;
    char **label; /* of episodes */
    const int32_t *state_number, *action_number;
} whole_log;

/* ------------------------------------------------------------------------ refusals */

static void refuse_row(reading *r, int64_t line, const char *column, const char *cause,
                       const char *cell)
{
    char text[400];
    fy_log *log = r->log;
    if (log->refused++ >= FY_LOG_SHOWN)
        return;
    fy_format(text, sizeof text, "line %" PRId64 ": %s: %s%s%.60s%s", line, column, cause,
              cell ? " '" : "", cell ? cell : "", cell ? "'" : "");
    log->refusal[log->refused - 1] = fy_arena_text(r->arena, text);
}

static const char *column_of(const reading *r, int role)
{
    return r->request->column[role] ? r->request->column[role] : fy_log_role[role];
}

/* ------------------------------------------------------------------------- texts */

static bool grow_index(fy_arena *arena, texts *set)
{
    if (fy_index_has_room(&set->index, set->count + 1))
        return true;
    if (!fy_index_create(arena->ctx, &set->index, 2 * set->count + 16))
        return false;
    for (int64_t i = 0; i < set->count; i++)
        fy_index_add(&set->index, fy_hash(set->text[i], strlen(set->text[i]), 0), i);
    return true;
}

/* The text's place in `set`; -1: it is new, and *at is where it goes. */
static int64_t find_text(const texts *set, const char *text, uint64_t *at)
{
    int64_t old;
    *at = fy_index_start(fy_hash(text, strlen(text), 0));
    while ((old = fy_index_at(&set->index, *at)) >= 0 && strcmp(set->text[old], text) != 0)
        ++*at;
    return old;
}

/* false: out of memory. */
static bool add_text(fy_arena *arena, texts *set, const char *text, int64_t number, int32_t *out)
{
    uint64_t at;
    int64_t rooms = set->room;
    if (set->count == INT32_MAX - 1 || !grow_index(arena, set))
        return false;
    char **grown = fy_arena_grow(arena, set->text, &set->room, set->count + 1, sizeof *grown);
    if (!grown)
        return false;
    set->text = grown;
    int32_t *numbers = fy_arena_grow(arena, set->number, &rooms, set->count + 1, sizeof *numbers);
    if (!numbers)
        return false;
    set->number = numbers;
    (void)find_text(set, text, &at);
    set->text[set->count] = fy_arena_text(arena, text);
    set->number[set->count] = (int32_t)number;
    if (!set->text[set->count])
        return false;
    fy_index_put(&set->index, at, set->count);
    *out = (int32_t)set->count++;
    return true;
}

/* A number that is written as one: "7", not "07" or "7.0". */
static int64_t digits_of(const char *text)
{
    int64_t number;
    size_t length = strlen(text);
    bool plain = length > 0 && length <= 9 && strspn(text, "0123456789") == length &&
                 (length == 1 || text[0] != '0');
    return plain && fy_integer_read(text, length, &number) ? number : -1;
}

/* The next number without a name; -1: there is none. */
static int64_t free_number(texts *set)
{
    while (set->named && set->free < set->limit && set->name && set->name[set->free])
        set->free++;
    return set->free < set->limit ? set->free++ : -1;
}

/* *out < 0: refused, and *cause says why. */
static foray_status take_name(reading *r, texts *set, const char *text, int32_t *out,
                              const char **cause)
{
    uint64_t at;
    int64_t known = find_text(set, text, &at), number = digits_of(text);
    *out = (int32_t)known;
    if (known >= 0)
        return FORAY_OK;
    *cause = !fy_json_is_utf8(text) || strlen(text) > FORAY_NAME_MAX
                 ? "longer than 255 bytes, or not UTF-8"
                 : NULL;
    const foray_model *model = r->request->model;
    bool numbered = set->closed && !set->named; /* of a model without names */
    bool either = model && !model->unstructured && set->named && number >= 0 && number < set->limit;
    if (!*cause && either && set->name[number]) { /* by its number, as in files of episodes */
        *out = (int32_t)find_text(set, set->name[number], &at);
        return FORAY_OK;
    }
    numbered |= either;
    if (!*cause && numbered && (number < 0 || number >= set->limit))
        *cause = "the model has no such number, and no names:";
    if (!*cause && set->closed && !numbered)
        *cause = "none of those that are named:";
    bool given = numbered;
    if (!*cause && !numbered) {
        number = free_number(set);
        if (number < 0)
            *cause = "one more than there are:";
        given = set->named;
        bool end = strcmp(text, end_name) == 0;
        set->digits =
            set->digits && (end || (digits_of(text) >= 0 && digits_of(text) < set->limit));
        set->added++;
    }
    if (*cause)
        return FORAY_OK;
    return add_text(r->arena, set, text, given ? number : -1, out) ? FORAY_OK : FORAY_ERROR_MEMORY;
}

/* Names of the model, or those that were given. */
static foray_status open_texts(reading *r, texts *set, const char *what, int64_t limit,
                               char *const *model_names, int64_t count, const char *const *given)
{
    const foray_model *model = r->request->model;
    int32_t id;
    *set = (texts){.what = what,
                   .limit = limit,
                   .named = model_names || given,
                   .closed = model ? !model->unstructured || !model_names : count == limit,
                   .name = model_names,
                   .free = model ? 0 : count,
                   .digits = !given};
    set->closed = set->closed && (model || given);
    for (int64_t i = 0; model_names && i < limit; i++)
        if (model_names[i] && !add_text(r->arena, set, model_names[i], i, &id))
            return FORAY_ERROR_MEMORY;
    for (int64_t i = 0; given && i < count; i++)
        if (!add_text(r->arena, set, given[i], i, &id))
            return FORAY_ERROR_MEMORY;
    return FORAY_OK;
}

/* Numbers of what was met without a list or a model: those written there, if all are numbers, or in
 * order of appearance. What nobody could write, the end, is the last one then. */
static void settle_numbers(texts *set)
{
    int64_t last = set->limit - 1, end = -1;
    for (int64_t i = 0; i < set->count; i++)
        if (strcmp(set->text[i], end_name) == 0)
            end = i;
    for (int64_t i = 0; i < set->count && end >= 0; i++)
        set->digits = set->digits && digits_of(set->text[i]) != last;
    for (int64_t i = 0; i < set->count; i++)
        if (set->number[i] < 0)
            set->number[i] = (int32_t)(!set->digits ? i
                                       : i == end   ? last
                                                    : digits_of(set->text[i]));
}

/* ------------------------------------------------------------------------- cells */

static const char *cell_of(const reading *r, int role)
{
    const char *cell = r->at[role] >= 0 ? fy_csv_cell(r->csv, r->at[role]) : NULL;
    return cell && *cell ? cell : NULL;
}

/* 86,400 for every day since 1970-01-01, by the calendar of today (days from civil). */
static double seconds_of(int year, int month, int day)
{
    int64_t y = year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t leap_days = of_era / 4 - of_era / 100;
    int64_t days = era * 146097 + of_era * 365 + leap_days + of_year - 719468;
    return 86400.0 * (double)days;
}

/* Two digits and what stands behind them; -1: there are none. */
static int two_digits(const char **text)
{
    const char *t = *text;
    if (t[0] < '0' || t[0] > '9' || t[1] < '0' || t[1] > '9')
        return -1;
    *text += 2;
    return 10 * (t[0] - '0') + t[1] - '0';
}

/* [T or space]HH:MM[:SS[.fraction]], as seconds; false: it is something else. */
static bool read_clock(const char **text, double *out)
{
    int hour = two_digits(text), minute = -1, second = 0;
    double fraction = 0;
    if (hour >= 0 && **text == ':' && (++*text, minute = two_digits(text)) >= 0 && **text == ':') {
        ++*text;
        second = two_digits(text);
    }
    if (hour < 0 || hour > 24 || minute < 0 || minute > 59 || second < 0 || second > 60)
        return false;
    if (**text == '.' || **text == ',') {
        double unit = 1;
        for (++*text; **text >= '0' && **text <= '9'; ++*text)
            fraction += (unit /= 10) * (**text - '0');
    }
    *out = hour * 3600.0 + minute * 60.0 + second + fraction;
    return true;
}

/* A number, or YYYY-MM-DD[THH:MM[:SS[.fraction]][Z|+HH:MM]]. */
static bool read_time(const char *text, double *out)
{
    double clock = 0, zone = 0;
    if (fy_number_read(text, strlen(text), out))
        return isfinite(*out);
    int century = two_digits(&text), year = century < 0 ? -1 : two_digits(&text), month = -1;
    int day = -1;
    if (year >= 0 && *text == '-' && (++text, month = two_digits(&text)) >= 1 && *text == '-') {
        ++text;
        day = two_digits(&text);
    }
    if (day < 1 || day > 31 || month > 12)
        return false;
    if ((*text == 'T' || *text == ' ') && (++text, !read_clock(&text, &clock)))
        return false;
    if (*text == 'Z') {
        text++;
    } else if (*text == '+' || *text == '-') {
        double sign = *text++ == '-' ? 1 : -1;
        if (!read_clock(&text, &zone))
            return false;
        zone *= sign;
    }
    *out = seconds_of(100 * century + year, month, day) + clock + zone;
    return *text == 0;
}

/* *cause: why not. */
static void read_cells(reading *r, row *to, int *role, const char **cause)
{
    static const char *const yes[] = {"1", "true", "True", "TRUE", "yes"};
    static const char *const no[] = {"0", "false", "False", "FALSE", "no"};
    const char *when = cell_of(r, FY_LOG_STEP), *done = cell_of(r, FY_LOG_DONE);
    const char *reward = cell_of(r, FY_LOG_REWARD);
    int order = r->at[FY_LOG_STEP] >= 0 ? FY_LOG_STEP : FY_LOG_TIME;
    int64_t step;
    bool known = !done;
    *to = (row){.line = fy_csv_line(r->csv), .reward = NAN, .next = -1, .action = -1};
    to->when = (double)to->line;
    *role = order;
    if (order == FY_LOG_STEP && (!when || !fy_integer_read(when, strlen(when), &step)))
        *cause = "not a whole number:";
    else if (order == FY_LOG_STEP)
        to->when = (double)step;
    when = cell_of(r, FY_LOG_TIME);
    if (order == FY_LOG_TIME && r->at[FY_LOG_TIME] >= 0 && (!when || !read_time(when, &to->when)))
        *cause = "neither a number nor a time such as 2024-05-01T13:45:00:";
    if (*cause)
        return;
    *role = FY_LOG_DONE;
    for (int64_t i = 0; done && i < FY_COUNT(yes); i++) {
        to->done |= strcmp(done, yes[i]) == 0;
        known = known || to->done || strcmp(done, no[i]) == 0;
    }
    if (!known)
        *cause = "neither true nor false:";
    if (*cause || !reward)
        return;
    *role = FY_LOG_REWARD;
    if (!fy_number_read(reward, strlen(reward), &to->reward) || !isfinite(to->reward))
        *cause = "not a number:";
}

static foray_status read_names(reading *r, row *to, int *role, const char **cause)
{
    const char *label = cell_of(r, FY_LOG_EPISODE), *state = cell_of(r, FY_LOG_STATE);
    const char *action = cell_of(r, FY_LOG_ACTION), *next = cell_of(r, FY_LOG_NEXT);
    uint64_t at;
    *role = FY_LOG_EPISODE;
    if (!label || strlen(label) >= FY_LABEL_BYTES || !fy_json_is_utf8(label))
        *cause = label ? "longer than 63 bytes, or not UTF-8:" : "empty";
    *role = *cause ? *role : FY_LOG_STATE;
    if (!*cause && !state)
        *cause = "empty";
    if (*cause)
        return FORAY_OK;
    foray_status status = take_name(r, &r->states, state, &to->state, cause);
    if (status == FORAY_OK && !*cause && action) {
        *role = FY_LOG_ACTION;
        status = take_name(r, &r->actions, action, &to->action, cause);
    }
    if (status == FORAY_OK && !*cause && next) {
        *role = FY_LOG_NEXT;
        status = take_name(r, &r->states, next, &to->next, cause);
    }
    if (status != FORAY_OK || *cause)
        return status;
    to->episode = (int32_t)find_text(&r->episodes, label, &at);
    return to->episode >= 0 || add_text(r->arena, &r->episodes, label, 0, &to->episode)
               ? FORAY_OK
               : FORAY_ERROR_MEMORY;
}

static foray_status take_record(reading *r)
{
    row next;
    int role;
    const char *cause = NULL;
    foray_status status = FORAY_OK;
    r->log->rows++;
    read_cells(r, &next, &role, &cause);
    if (!cause)
        status = read_names(r, &next, &role, &cause);
    if (status != FORAY_OK)
        return status;
    if (cause) {
        refuse_row(r, next.line, column_of(r, role), cause, cell_of(r, role));
        return FORAY_OK;
    }
    row *grown = fy_arena_grow(r->arena, r->row, &r->room, r->rows + 1, sizeof *grown);
    if (!grown)
        return FORAY_ERROR_MEMORY;
    r->row = grown;
    r->row[r->rows++] = next;
    return FORAY_OK;
}

/* The columns that were asked for, as the file calls them. */
static foray_status read_rows(reading *r)
{
    const char *column[FY_LOG_ROLES + 1] = {NULL};
    int64_t count = 0;
    for (int role = 0; role < FY_LOG_ROLES; role++) {
        r->at[role] = r->request->column[role] ? count : -1;
        if (r->request->column[role])
            column[count++] = r->request->column[role];
    }
    foray_status status = fy_csv_open_among(r->arena->ctx, r->path, column, &r->csv);
    for (bool more = true; status == FORAY_OK && more;) {
        status = fy_csv_next(r->csv, &more);
        if (status == FORAY_OK && more)
            status = take_record(r);
        if (status == FORAY_OK && fy_stopped(r->arena->ctx))
            status = FORAY_INTERRUPTED;
    }
    return status;
}

/* ------------------------------------------------------------------------ episodes */

static int compare_rows(const void *one, const void *other)
{
    const row *a = one, *b = other;
    if (a->episode != b->episode)
        return a->episode < b->episode ? -1 : 1;
    if (a->when != b->when)
        return a->when < b->when ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Does the row follow the one before, as both say? */
static void check_order(reading *r, const row *before, const row *here)
{
    char text[160];
    const char *state = r->states.text[here->state];
    int column = r->at[FY_LOG_STEP] >= 0 ? FY_LOG_STEP : FY_LOG_TIME;
    *text = 0;
    if (column == FY_LOG_STEP && here->when != before->when + 1)
        fy_format(text, sizeof text, "%.0f, but line %" PRId64 " of the episode has %.0f",
                  here->when, before->line, before->when);
    if (*text) {
        refuse_row(r, here->line, column_of(r, column), text, NULL);
        return;
    }
    r->log->ties += column == FY_LOG_TIME && r->at[column] >= 0 && here->when == before->when;
    if (before->done)
        fy_format(text, sizeof text, "the episode was done with line %" PRId64, before->line);
    else if (before->next >= 0 && before->next != here->state)
        fy_format(text, sizeof text, "but line %" PRId64 " led to '%.40s':", before->line,
                  r->states.text[before->next]);
    if (*text)
        refuse_row(r, here->line, column_of(r, FY_LOG_STATE), text, before->done ? NULL : state);
    else if (before->action < 0)
        refuse_row(r, before->line, column_of(r, FY_LOG_ACTION), "empty, but the episode goes on",
                   NULL);
}

/* What follows each row of an episode; next < 0: it is no step. Returns its steps. */
static foray_status link_episode(reading *r, row *first, int64_t count, int64_t *steps)
{
    row *last = first + count - 1;
    const char *cause = NULL;
    for (int64_t i = 1; i < count; i++) {
        check_order(r, &first[i - 1], &first[i]);
        first[i - 1].next = first[i].state;
    }
    if (last->action < 0 && last->done && count > 1)
        last[-1].done = true;
    r->log->ended += last->done;
    *steps = count;
    if (last->action >= 0 && last->next < 0 && last->done) {
        foray_status status = take_name(r, &r->states, end_name, &last->next, &cause);
        if (status != FORAY_OK)
            return status;
        if (cause)
            refuse_row(r, last->line, column_of(r, FY_LOG_DONE), "the end of an episode", cause);
    }
    if (last->action < 0 || last->next < 0) {
        r->log->open += last->action >= 0;
        last->next = -1;
        --*steps;
    }
    return FORAY_OK;
}

static int compare_numbers(const void *one, const void *other)
{
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return a < b ? -1 : a > b;
}

static foray_status link_rows(reading *r)
{
    fy_log *log = r->log;
    foray_status status = FORAY_OK;
    int64_t *length;
    if (!FY_NEW(r->arena, length, r->episodes.count))
        return FORAY_ERROR_MEMORY;
    if (r->rows > 1)
        qsort(r->row, (size_t)r->rows, sizeof *r->row, compare_rows);
    for (int64_t at = 0, count; at < r->rows && status == FORAY_OK; at += count) {
        int64_t steps;
        for (count = 1; at + count < r->rows && r->row[at + count].episode == r->row[at].episode;)
            count++;
        status = link_episode(r, &r->row[at], count, &steps);
        log->steps += steps;
        if (steps > 0)
            length[log->episodes++] = steps;
    }
    if (log->episodes == 0)
        return status;
    qsort(length, (size_t)log->episodes, sizeof *length, compare_numbers);
    log->shortest = length[0];
    log->middle = length[(log->episodes - 1) / 2];
    log->longest = length[log->episodes - 1];
    return status;
}

/* --------------------------------------------------------------------------- all */

/* Names by number; numbers need none. NULL: nothing has a name. */
static bool list_names(fy_arena *arena, const texts *set, const char ***out)
{
    const char **name;
    bool any = false;
    *out = NULL;
    if (!FY_NEW(arena, name, set->limit))
        return false;
    for (int64_t i = 0; i < set->count; i++) {
        bool number = (set->digits || (set->closed && !set->named)) && digits_of(set->text[i]) >= 0;
        any |= !number;
        name[set->number[i]] = number ? NULL : set->text[i];
    }
    if (any)
        *out = name;
    return true;
}

static foray_status make_model(reading *r)
{
    const foray_model *given = r->request->model;
    const char **state_name, **action_name;
    foray_context *ctx = r->arena->ctx;
    r->log->new_states = given && r->states.named ? r->states.added : 0;
    r->log->new_actions = given && r->actions.named ? r->actions.added : 0;
    if (given && r->log->new_states + r->log->new_actions == 0) {
        r->log->model = foray_model_share(given);
        return FORAY_OK;
    }
    if (!list_names(r->arena, &r->states, &state_name) ||
        !list_names(r->arena, &r->actions, &action_name))
        return FORAY_ERROR_MEMORY;
    fy_unstructured_parts parts = {.name = given ? given->name : "log",
                                   .states = r->states.limit,
                                   .actions = r->actions.limit,
                                   .horizon = given                 ? given->horizon
                                              : r->request->horizon ? r->request->horizon
                                                                    : r->log->longest,
                                   .state_names = state_name,
                                   .action_names = action_name};
    if (given) {
        parts.initials = given->initials;
        parts.initial_state = given->initial_state;
        parts.initial_probability = given->initial_probability;
    }
    return fy_model_unstructured(ctx, &parts, &r->log->model);
}

/* What a model with features rules out, and what of it all was seen and paid. */
static foray_status look_at_steps(reading *r)
{
    fy_log *log = r->log;
    const foray_model *model = r->request->model;
    int64_t *seen, A = r->actions.limit, steps = 0;
    bool *state, *action;
    int32_t *end;
    fy_log_paid *paid;
    if (!FY_NEW(r->arena, seen, log->steps) || !FY_NEW(r->arena, paid, log->steps) ||
        !FY_NEW(r->arena, end, log->steps) || !FY_NEW(r->arena, state, r->states.count) ||
        !FY_NEW(r->arena, action, r->actions.count))
        return FORAY_ERROR_MEMORY;
    log->paid_low = INFINITY;
    log->paid_high = -INFINITY;
    for (int64_t i = 0; i < r->rows; i++) {
        const row *it = &r->row[i];
        if (it->next < 0)
            continue;
        int32_t s = r->states.number[it->state], a = r->actions.number[it->action];
        int64_t pair = seen[steps++] = s * A + a;
        state[it->state] = state[it->next] = action[it->action] = true;
        if (model && (!foray_model_available(model, s, a) ||
                      fy_model_find(model, pair, r->states.number[it->next]) < 0))
            refuse_row(r, it->line, column_of(r, FY_LOG_STATE),
                       "the model rules out what followed it:", r->states.text[it->next]);
        if (it->done)
            end[log->end_count++] = r->states.number[it->next];
        log->unpaid += r->at[FY_LOG_REWARD] >= 0 && isnan(it->reward);
        if (isnan(it->reward))
            continue;
        paid[log->paid_count++] = (fy_log_paid){s, a, it->reward};
        log->paid_low = fmin(log->paid_low, it->reward);
        log->paid_high = fmax(log->paid_high, it->reward);
    }
    log->paid = paid;
    log->end = end;
    if (steps > 1)
        qsort(seen, (size_t)steps, sizeof *seen, compare_numbers);
    for (int64_t i = 0; i < steps; i++)
        log->pairs += i == 0 || seen[i] != seen[i - 1];
    for (int64_t i = 0; i < r->states.count; i++)
        log->states += state[i];
    for (int64_t i = 0; i < r->actions.count; i++)
        log->actions += action[i];
    return FORAY_OK;
}

static foray_status read_log(reading *r)
{
    const fy_log_request *request = r->request;
    const foray_model *model = request->model;
    foray_status status =
        open_texts(r, &r->states, "state", model ? model->states : request->states,
                   model ? model->state_names : NULL, request->state_names, request->state_name);
    if (status == FORAY_OK)
        status = open_texts(r, &r->actions, "action", model ? model->actions : request->actions,
                            model ? model->action_names : NULL, request->action_names,
                            request->action_name);
    if (status == FORAY_OK)
        status = read_rows(r);
    if (status == FORAY_OK && r->log->refused == 0)
        status = link_rows(r);
    if (status != FORAY_OK || r->log->refused > 0)
        return status;
    settle_numbers(&r->states);
    settle_numbers(&r->actions);
    r->log->all_pairs = r->states.limit * r->actions.limit;
    status = look_at_steps(r);
    return status == FORAY_OK && r->log->refused == 0 && r->log->episodes > 0 ? make_model(r)
                                                                              : status;
}

foray_status fy_log_read(foray_context *ctx, const char *path, const fy_log_request *request,
                         fy_log **out)
{
    whole_log *whole;
    if (!FY_ALLOC(ctx, whole, 1))
        return FORAY_ERROR_MEMORY;
    whole->arena.ctx = ctx;
    reading r = {.arena = &whole->arena, .request = request, .path = path, .log = &whole->shown};
    foray_status status = read_log(&r);
    whole->row = r.row;
    whole->rows = r.rows;
    whole->label = r.episodes.text;
    whole->state_number = r.states.number;
    whole->action_number = r.actions.number;
    fy_csv_close(r.csv);
    fy_index_free(&r.episodes.index);
    fy_index_free(&r.states.index);
    fy_index_free(&r.actions.index);
    if (status != FORAY_OK)
        fy_log_destroy(&whole->shown);
    else
        *out = &whole->shown;
    return status;
}

/* Labels hold no quotes that a file of the same kind did not have. */
static void write_label(FILE *file, const char *label)
{
    putc('"', file);
    for (; *label; label++) {
        if (*label == '"')
            putc('"', file);
        putc(*label, file);
    }
    putc('"', file);
}

foray_status fy_log_write(foray_context *ctx, const fy_log *log, FILE *file)
{
    const whole_log *whole = (const whole_log *)log;
    char text[128];
    int64_t step = 0;
    fputs("episode,step,state,action,next,done\n", file);
    for (int64_t i = 0; i < whole->rows; i++) {
        const row *it = &whole->row[i];
        step = i > 0 && it->episode == it[-1].episode ? step + 1 : 0;
        if (it->next < 0)
            continue;
        write_label(file, whole->label[it->episode]);
        fy_format(text, sizeof text, ",%" PRId64 ",%" PRId32 ",%" PRId32 ",%" PRId32 ",%d\n", step,
                  whole->state_number[it->state], whole->action_number[it->action],
                  whole->state_number[it->next], it->done);
        fputs(text, file);
    }
    if (fflush(file) == 0 && !ferror(file))
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_IO, "the episodes of the log cannot be written");
}

void fy_log_destroy(fy_log *log)
{
    whole_log *whole = (whole_log *)log;
    if (!whole)
        return;
    foray_model_destroy(whole->shown.model);
    fy_arena_release(&whole->arena);
    free(whole);
}
