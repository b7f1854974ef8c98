/* table.c - a table under way: its rows, its words, what is earned; and the reader of CSV files. */
#include "import/import.h"
#include "base/csv.h"
#include "base/parameter.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

foray_status fy_row_list_add(fy_row_list *rows, const fy_transition *row)
{
    fy_transition *room = fy_grow(rows->ctx, rows->row, &rows->room, rows->count + 1, sizeof *room);
    if (!room)
        return fy_fail_within(rows->ctx, FORAY_ERROR_MEMORY,
                              "more than %" PRId64 " rows do not fit in memory", rows->count);
    rows->row = room;
    room[rows->count++] = *row;
    return FORAY_OK;
}

void fy_row_list_free(fy_row_list *rows)
{
    free(rows->row);
    *rows = (fy_row_list){.ctx = rows->ctx};
}

static int compare_rows(const void *a, const void *b)
{
    const fy_transition *x = a, *y = b;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    if (x->action != y->action)
        return x->action < y->action ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

void fy_row_list_sort(fy_row_list *rows)
{
    for (int64_t i = 1; i < rows->count; i++)
        if (compare_rows(&rows->row[i - 1], &rows->row[i]) > 0) {
            qsort(rows->row, (size_t)rows->count, sizeof *rows->row, compare_rows);
            return;
        }
}

static bool next_group(const fy_row_list *rows, bool of_pair, fy_row_group *group)
{
    fy_transition *row = group->row ? group->row + group->count : rows->row;
    int64_t left = rows->count - (rows->count > 0 ? row - rows->row : 0), count = 0;
    while (count < left && row[count].state == row->state &&
           (!of_pair || row[count].action == row->action))
        count++;
    *group = (fy_row_group){count, row};
    return count > 0;
}

bool fy_row_list_next_state(const fy_row_list *rows, fy_row_group *group)
{
    return next_group(rows, false, group);
}

bool fy_row_list_next_pair(const fy_row_list *rows, fy_row_group *group)
{
    return next_group(rows, true, group);
}

/* ------------------------------------------------------------------------------ words */

void fy_words_free(fy_words *words)
{
    free(words->text.data);
    fy_index_free(&words->index);
    fy_arena_release(&words->arena);
    *words = (fy_words){0};
}

static uint64_t hash_word(const char *word)
{
    return fy_hash(word, strlen(word), 1);
}

static bool grow_index(fy_words *words)
{
    enum { FIRST_ROOM = 128 };
    int64_t room = words->count > 0 ? 2 * words->count : FIRST_ROOM;
    if (!fy_index_create(words->text.ctx, &words->index, room))
        return false;
    for (int64_t i = 0; i < words->count; i++)
        fy_index_add(&words->index, hash_word(fy_words_at(words, i)), i);
    return true;
}

foray_status fy_words_number(fy_words *words, const char *word, int32_t *out)
{
    words->arena.ctx = words->text.ctx;
    if (!fy_index_has_room(&words->index, words->count + 1) && !grow_index(words))
        return FORAY_ERROR_MEMORY;
    uint64_t place = fy_index_start(hash_word(word));
    int64_t number;
    for (; (number = fy_index_at(&words->index, place)) >= 0; place++)
        if (strcmp(fy_words_at(words, number), word) == 0)
            break;
    if (number < 0) {
        int64_t *at =
            fy_arena_grow(&words->arena, words->at, &words->room, words->count + 1, sizeof *at);
        if (!at)
            return FORAY_ERROR_MEMORY;
        words->at = at;
        at[words->count] = (int64_t)words->text.size;
        fy_write_bytes(&words->text, word, strlen(word) + 1);
        if (words->text.failed)
            return FORAY_ERROR_MEMORY;
        number = words->count++;
        fy_index_put(&words->index, place, number);
    }
    *out = (int32_t)number;
    return FORAY_OK;
}

/* Are all of them integers from 0 on? *max receives the largest, -1 if there are none. */
static bool words_are_numbers(const fy_words *words, int64_t *max)
{
    *max = -1;
    for (int64_t i = 0; i < words->count; i++) {
        const char *word = fy_words_at(words, i);
        size_t digits = strspn(word, "0123456789");
        /* At most nine digits, and no zeros in front: 07 is a name. */
        if (digits == 0 || digits > 9 || word[digits] || (digits > 1 && word[0] == '0'))
            return false;
        int64_t number = 0;
        for (size_t d = 0; d < digits; d++)
            number = 10 * number + (word[d] - '0');
        *max = number > *max ? number : *max;
    }
    return true;
}

/* -------------------------------------------------------------------------- CSV files */

/* The rows of a table, read and sorted. */

/* What columns are called: by us, by Gymnasium's tables, by craam2. */
enum { STATE, ACTION, NEXT, PROBABILITY, REWARD, DONE, OUTCOME, LAW, MEANINGS };
static const struct {
    const char *name;
    int meaning;
} known[] = {
    {"state", STATE},
    {"action", ACTION},
    {"next", NEXT},
    {"probability", PROBABILITY},
    {"reward", REWARD},
    {"done", DONE},
    {"outcome", OUTCOME},
    {"s", STATE},
    {"a", ACTION},
    {"s_next", NEXT},
    {"prob", PROBABILITY},
    {"terminated", DONE},
    {"idstatefrom", STATE},
    {"idaction", ACTION},
    {"idstateto", NEXT},
    {"idoutcome", -1},
    {"low", -1},
    {"high", -1},
};
enum { KNOWN = sizeof known / sizeof *known };

/* Gymnasium's tables as they are often written out: without a line of names. */
static const char *const plain_columns[] = {"state",  "action", "next", "probability",
                                            "reward", "done",   NULL};

typedef struct reading {
    fy_transitions *table;
    fy_csv *csv;
    int64_t column[MEANINGS]; /* places in the list of names; -1: the file has none */
} reading;

void fy_transitions_open(foray_context *ctx, const char *path, fy_transitions *out)
{
    *out = (fy_transitions){.ctx = ctx, .arena.ctx = ctx, .path = path, .rows = {.ctx = ctx}};
    out->state_words.text.ctx = out->action_words.text.ctx = ctx;
    out->outcome_words.text.ctx = out->law_words.text.ctx = ctx;
}

void fy_transitions_free(fy_transitions *table)
{
    fy_row_list_free(&table->rows);
    fy_words_free(&table->state_words);
    fy_words_free(&table->action_words);
    fy_words_free(&table->outcome_words);
    fy_words_free(&table->law_words);
    fy_arena_release(&table->arena);
    *table = (fy_transitions){0};
}

const char *fy_transitions_name(const fy_transitions *table, int64_t state, char out[FY_STATE_NAME])
{
    int64_t is = state < table->given ? state : table->twin_of[state - table->given];
    if (table->numbered_states)
        fy_format(out, FY_STATE_NAME, "%" PRId64, is);
    else
        fy_format(out, FY_STATE_NAME, "%s", fy_words_at(&table->state_words, is));
    return out;
}

/* --------------------------------------------------------------------------- columns */

/* Which of the names the file uses; two for one thing are an error. */
static foray_status find_columns(reading *r)
{
    foray_context *ctx = r->table->ctx;
    static const char *const needed[] = {"state", "action", "next", "probability"};
    for (int m = 0; m < MEANINGS; m++)
        r->column[m] = -1;
    for (int i = 0; i < KNOWN; i++) {
        if (!fy_csv_has(r->csv, i))
            continue;
        if (known[i].meaning < 0)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "%s: the column %s belongs to a robust MDP, in which nature chooses "
                           "among outcomes or within intervals: that is not a table of "
                           "probabilities",
                           r->table->path, known[i].name);
        if (r->column[known[i].meaning] >= 0)
            return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: the columns %s and %s say the same",
                           r->table->path, known[r->column[known[i].meaning]].name, known[i].name);
        r->column[known[i].meaning] = i;
    }
    r->column[LAW] = fy_csv_has(r->csv, KNOWN) ? KNOWN : -1;
    for (int m = STATE; m <= PROBABILITY; m++)
        if (r->column[m] < 0)
            return fy_fail(ctx, FORAY_ERROR_INPUT, "%s: there is no column %s", r->table->path,
                           needed[m]);
    r->table->has_reward = r->column[REWARD] >= 0;
    r->table->has_outcome = r->column[OUTCOME] >= 0;
    return FORAY_OK;
}

static const char *cell_of(const reading *r, int meaning)
{
    return r->column[meaning] < 0 ? NULL : fy_csv_cell(r->csv, r->column[meaning]);
}

/* ------------------------------------------------------------------------------ rows */

static foray_status bad_cell(const reading *r, int meaning, const char *cause)
{
    return fy_fail(r->table->ctx, FORAY_ERROR_INPUT, "%s:%" PRId64 ": %s: '%.60s' %s",
                   r->table->path, fy_csv_line(r->csv), known[meaning].name, cell_of(r, meaning),
                   cause);
}

static foray_status read_number(const reading *r, int meaning, double min, double max, double *out)
{
    const char *cell = cell_of(r, meaning);
    if (!fy_number_read(cell, strlen(cell), out))
        return bad_cell(r, meaning, "is not a number");
    if (!(*out >= min && *out <= max))
        return bad_cell(r, meaning,
                        meaning == PROBABILITY ? "is not between 0 and 1" : "is out of range");
    return FORAY_OK;
}

static foray_status read_done(const reading *r, bool *out)
{
    static const char *const words[2][4] = {{"0", "false", "False", ""},
                                            {"1", "true", "True", "yes"}};
    const char *cell = cell_of(r, DONE);
    for (int is = 0; is < 2; is++)
        for (int i = 0; i < 4; i++)
            if (strcmp(cell, words[is][i]) == 0) {
                *out = is == 1;
                return FORAY_OK;
            }
    return bad_cell(r, DONE, "is neither 0 nor 1");
}

static foray_status read_word(const reading *r, int meaning, fy_words *words, int32_t *out)
{
    enum { MAX = 200 };
    const char *cell = cell_of(r, meaning);
    if (!cell)
        return FORAY_OK;
    if (!*cell || strlen(cell) > MAX)
        return fy_fail(r->table->ctx, FORAY_ERROR_INPUT,
                       "%s:%" PRId64 ": a name is %s (column %" PRId64 ")", r->table->path,
                       fy_csv_line(r->csv), *cell ? "longer than 200 bytes" : "empty",
                       r->column[meaning] + 1);
    return fy_words_number(words, cell, out);
}

static foray_status read_row(const reading *r)
{
    fy_transitions *table = r->table;
    fy_transition row = {.line = fy_csv_line(r->csv)};
    foray_status status = read_word(r, STATE, &table->state_words, &row.state);
    if (status == FORAY_OK)
        status = read_word(r, ACTION, &table->action_words, &row.action);
    if (status == FORAY_OK)
        status = read_word(r, NEXT, &table->state_words, &row.next);
    if (status == FORAY_OK)
        status = read_word(r, OUTCOME, &table->outcome_words, &row.outcome);
    if (status == FORAY_OK)
        status = read_word(r, LAW, &table->law_words, &row.law);
    if (status == FORAY_OK)
        status = read_number(r, PROBABILITY, 0, 1, &row.probability);
    if (status == FORAY_OK && cell_of(r, REWARD))
        status = read_number(r, REWARD, -1e100, 1e100, &row.reward);
    if (status == FORAY_OK && cell_of(r, DONE))
        status = read_done(r, &row.done);
    return status == FORAY_OK ? fy_row_list_add(&table->rows, &row) : status;
}

/* ---------------------------------------------------------------------- the whole file */

/* Words become indices: numbers are what they say, names count in the order they were met. */
static void number_words(const fy_words *words, bool numbered, int32_t *index)
{
    if (!numbered)
        return;
    int32_t number = 0;
    for (const char *digit = fy_words_at(words, *index); *digit; digit++)
        number = 10 * number + (*digit - '0');
    *index = number;
}

static foray_status too_few_rows(const fy_transitions *table)
{
    return fy_fail(table->ctx, FORAY_ERROR_INPUT,
                   "%s: states up to %" PRId64 " and actions up to %" PRId64 ", but only %" PRId64
                   " rows",
                   table->path, table->given - 1, table->actions - 1, table->rows.count);
}

/* Numbers everything and sorts the rows. Words that are numbers are not needed after that. */
static foray_status sort_rows(fy_transitions *table)
{
    int64_t max_state, max_action;
    table->numbered_states = words_are_numbers(&table->state_words, &max_state);
    table->numbered_actions = words_are_numbers(&table->action_words, &max_action);
    table->given = table->numbered_states ? max_state + 1 : table->state_words.count;
    table->actions = table->numbered_actions ? max_action + 1 : table->action_words.count;
    table->states = table->given;
    /* Each state and each action has rows: a wild number is caught before it costs memory. */
    if (table->actions > table->rows.count || table->given > 2 * table->rows.count)
        return too_few_rows(table);
    for (int64_t i = 0; i < table->rows.count; i++) {
        fy_transition *row = &table->rows.row[i];
        number_words(&table->state_words, table->numbered_states, &row->state);
        number_words(&table->state_words, table->numbered_states, &row->next);
        number_words(&table->action_words, table->numbered_actions, &row->action);
    }
    foray_status status = fy_transitions_sort(table);
    if (table->numbered_states)
        fy_words_free(&table->state_words);
    return status;
}

foray_status fy_transitions_sort(fy_transitions *table)
{
    /* Pairs without rows are actions that a state lacks; they cost memory all the same. */
    enum { HARMLESS = 1 << 22, PAIRS_PER_ROW = 64 };
    int64_t pairs = table->given * table->actions; /* both below 2^31 */
    if (pairs > HARMLESS && pairs / PAIRS_PER_ROW > table->rows.count)
        return too_few_rows(table);
    fy_row_list_sort(&table->rows);
    return FORAY_OK;
}

static foray_status read_rows(reading *r)
{
    foray_status status = FORAY_OK;
    for (bool more = true; status == FORAY_OK;) {
        status = fy_csv_next(r->csv, &more);
        if (status != FORAY_OK || !more)
            break;
        status = read_row(r);
    }
    return status;
}

foray_status fy_transitions_read(fy_transitions *table, const char *law_column)
{
    const char *names[KNOWN + 2] = {NULL}, *path = table->path;
    foray_context *ctx = table->ctx;
    reading r = {.table = table};
    for (int i = 0; i < KNOWN; i++) {
        names[i] = known[i].name;
        if (law_column && strcmp(law_column, known[i].name) == 0)
            return fy_fail(ctx, FORAY_ERROR_USAGE, "the column %s cannot name laws", law_column);
    }
    names[KNOWN] = law_column;
    foray_status status = fy_csv_open(ctx, path, names, 0, plain_columns, &r.csv);
    if (status == FORAY_OK)
        status = find_columns(&r);
    if (status == FORAY_OK && law_column && r.column[LAW] < 0)
        status = fy_fail(ctx, FORAY_ERROR_INPUT, "%s: there is no column %s", path, law_column);
    if (status == FORAY_OK)
        status = read_rows(&r);
    fy_csv_close(r.csv);
    if (status == FORAY_OK && table->rows.count == 0)
        status = fy_fail(ctx, FORAY_ERROR_INPUT, "%s: no rows", path);
    return status == FORAY_OK ? sort_rows(table) : status;
}

/* -------------------------------------------------------------------------- who begins */

/* NAME.csv -> NAME.isd.txt; NULL: no such file. */
static char *file_beside(const fy_transitions *table)
{
    size_t length = strlen(table->path);
    if (length > 4 && strcmp(table->path + length - 4, ".csv") == 0)
        length -= 4;
    char *path = fy_alloc(table->ctx, length + sizeof ".isd.txt", 1);
    if (!path)
        return NULL;
    memcpy(path, table->path, length);
    memcpy(path + length, ".isd.txt", sizeof ".isd.txt");
    FILE *file = fopen(path, "r");
    if (file) {
        fclose(file);
        return path;
    }
    free(path);
    return NULL;
}

/* One probability a line, for states 0, 1, ... */
static foray_status read_initial(fy_transitions *table, const char *path)
{
    static const char *const plain[] = {"probability", NULL};
    fy_csv *csv = NULL;
    int64_t state = 0;
    double sum = 0;
    foray_status status = fy_csv_open(table->ctx, path, plain, 0, plain, &csv);
    for (bool more = true; status == FORAY_OK; state++) {
        status = fy_csv_next(csv, &more);
        if (status != FORAY_OK || !more)
            break;
        double p;
        if (!fy_number_read(fy_csv_cell(csv, 0), strlen(fy_csv_cell(csv, 0)), &p) ||
            !(p >= 0 && p <= 1))
            status = fy_fail(table->ctx, FORAY_ERROR_INPUT,
                             "%s:%" PRId64 ": '%.60s' is not a probability", path, fy_csv_line(csv),
                             fy_csv_cell(csv, 0));
        else if (state >= table->given)
            status = fy_fail(table->ctx, FORAY_ERROR_INPUT,
                             "%s:%" PRId64 ": more lines than the %" PRId64 " states of %s", path,
                             fy_csv_line(csv), table->given, table->path);
        else
            sum += table->initial[state] = p;
    }
    if (status == FORAY_OK && !(fabs(sum - 1) <= 1e-9))
        status = fy_fail(table->ctx, FORAY_ERROR_INPUT,
                         "%s: the probabilities sum to %.12g, not to 1", path, sum);
    fy_csv_close(csv);
    return status;
}

/* The law that came with the model. */
static foray_status begin_as_said(fy_transitions *table)
{
    double sum = 0;
    bool sound = true;
    for (int64_t s = 0; s < table->given; s++) {
        sound = sound && table->begins[s] >= 0;
        sum += table->initial[s] = table->begins[s];
    }
    return sound && fabs(sum - 1) <= 1e-9
               ? FORAY_OK
               : fy_fail(table->ctx, FORAY_ERROR_INPUT,
                         "%s: the initial probabilities sum to %.12g, or are negative", table->path,
                         sum);
}

/* Where the label "init" holds, which must be one state: several have no probabilities. */
static foray_status begin_at_label(fy_transitions *table, const fy_label *label)
{
    if (label->count != 1)
        return fy_fail(
            table->ctx, FORAY_ERROR_INPUT,
            "%s: there are %" PRId64
            " initial states: give --initial STATE, or a file with one probability per line",
            table->path, label->count);
    table->initial[label->state[0]] = 1;
    return FORAY_OK;
}

foray_status fy_transitions_begin(fy_transitions *table, const char *initial)
{
    if (!FY_NEW(&table->arena, table->initial, table->given))
        return FORAY_ERROR_MEMORY;
    if (!initial && table->begins)
        return begin_as_said(table);
    for (int64_t i = 0; !initial && i < table->labels; i++)
        if (strcmp(table->label[i].name, "init") == 0)
            return begin_at_label(table, &table->label[i]);
    char name[FY_STATE_NAME];
    for (int64_t s = 0; initial && s < table->given; s++)
        if (strcmp(fy_transitions_name(table, s, name), initial) == 0) {
            table->initial[s] = 1;
            return FORAY_OK;
        }
    int64_t number; /* named states go by number as well, unless that is a name */
    if (initial && fy_integer_read(initial, strlen(initial), &number) && number >= 0 &&
        number < table->given) {
        table->initial[number] = 1;
        return FORAY_OK;
    }
    char *path = initial ? fy_text(table->ctx, initial) : file_beside(table);
    if (!path)
        return fy_fail(table->ctx, FORAY_ERROR_USAGE,
                       "%s does not say where episodes begin: give --initial STATE, or a file with "
                       "one probability per line",
                       table->path);
    foray_status status = read_initial(table, path);
    free(path);
    return status;
}

/* ------------------------------------------------------------- what is earned, and labels */

fy_structure *fy_transitions_structure(fy_transitions *table, const char *name)
{
    for (int64_t i = 0; i < table->structures; i++)
        if (strcmp(table->structure[i].name, name) == 0)
            return &table->structure[i];
    fy_structure *room = fy_arena_grow(&table->arena, table->structure, &table->structure_room,
                                       table->structures + 1, sizeof *room);
    char *copy = fy_arena_text(&table->arena, name);
    table->structure = room ? room : table->structure;
    if (!room || !copy)
        return NULL;
    room[table->structures] = (fy_structure){.name = copy};
    return &room[table->structures++];
}

fy_label *fy_transitions_label(fy_transitions *table, const char *name)
{
    for (int64_t i = 0; i < table->labels; i++)
        if (strcmp(table->label[i].name, name) == 0)
            return &table->label[i];
    fy_label *room = fy_arena_grow(&table->arena, table->label, &table->label_room,
                                   table->labels + 1, sizeof *room);
    char *copy = fy_arena_text(&table->arena, name);
    table->label = room ? room : table->label;
    if (!room || !copy)
        return NULL;
    room[table->labels] = (fy_label){.name = copy};
    return &room[table->labels++];
}

foray_status fy_label_add(fy_transitions *table, fy_label *label, int64_t state)
{
    int32_t *room =
        fy_arena_grow(&table->arena, label->state, &label->room, label->count + 1, sizeof *room);
    if (!room)
        return FORAY_ERROR_MEMORY;
    label->state = room;
    room[label->count++] = (int32_t)state;
    return FORAY_OK;
}
