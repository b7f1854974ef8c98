/* beside.c - what PRISM says beside the transitions: names of states, labels, rewards. */
#include "import/prism.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------ lists */

fy_structure *fy_transitions_structure(fy_transitions *table, const char *name)
{
    for (int64_t i = 0; i < table->structures; i++)
        if (strcmp(table->structure[i].name, name) == 0)
            return &table->structure[i];
    fy_structure *room = fy_grow(table->ctx, table->structure, &table->structure_room,
                                 table->structures + 1, sizeof *room);
    char *copy = fy_text(table->ctx, name);
    table->structure = room ? room : table->structure;
    if (!room || !copy) {
        free(copy);
        return NULL;
    }
    room[table->structures] = (fy_structure){.name = copy};
    return &room[table->structures++];
}

fy_label *fy_transitions_label(fy_transitions *table, const char *name)
{
    for (int64_t i = 0; i < table->labels; i++)
        if (strcmp(table->label[i].name, name) == 0)
            return &table->label[i];
    fy_label *room =
        fy_grow(table->ctx, table->label, &table->label_room, table->labels + 1, sizeof *room);
    char *copy = fy_text(table->ctx, name);
    table->label = room ? room : table->label;
    if (!room || !copy) {
        free(copy);
        return NULL;
    }
    room[table->labels] = (fy_label){.name = copy};
    return &room[table->labels++];
}

foray_status fy_label_add(foray_context *ctx, fy_label *label, int64_t state)
{
    int32_t *room = fy_grow(ctx, label->state, &label->room, label->count + 1, sizeof *room);
    if (!room)
        return FORAY_ERROR_MEMORY;
    label->state = room;
    room[label->count++] = (int32_t)state;
    return FORAY_OK;
}

/* ----------------------------------------------------------------------------- states */

/* "12:(true,3)": the state must be the next one, and is called "(true,3)". What would be too long
 * for a name goes by its number. */
static foray_status read_state(fy_prism *prism, fy_lines *lines, int64_t state)
{
    enum { MOST = 200 };
    char number[24], *name = strchr(lines->rest, ':');
    int32_t index;
    if (!name)
        return fy_lines_fail(lines, "a state looks like 3:(1,2)");
    *name++ = 0;
    fy_format(number, sizeof number, "%" PRId64, state);
    if (strcmp(lines->rest, number) != 0)
        return fy_lines_fail(lines, "'%.60s' where state %s is expected", lines->rest, number);
    size_t length = strlen(name);
    while (length > 0 && strchr(" \t\r", name[length - 1]))
        name[--length] = 0;
    if (!fy_json_is_utf8(name))
        return fy_lines_fail(lines, "the values of state %s are not UTF-8", number);
    foray_status status = fy_words_number(&prism->table->state_words,
                                          length == 0 || length > MOST ? number : name, &index);
    if (status == FORAY_OK && index != state)
        return fy_lines_fail(lines, "states %" PRId32 " and %s have the same values", index,
                             number);
    return status;
}

foray_status fy_prism_states(fy_prism *prism, const char *path)
{
    fy_lines lines = {0};
    int64_t state = 0, states = prism->table->given;
    foray_status status = fy_lines_open(prism->ctx, path, &lines);
    if (status == FORAY_OK && (!fy_lines_next(&lines) || lines.rest[0] != '('))
        status = fy_lines_missing(&lines, "the names of variables, such as (x,y), are not there");
    while (status == FORAY_OK && fy_lines_next(&lines))
        status = state < states
                     ? read_state(prism, &lines, state++)
                     : fy_lines_fail(&lines, "more states than the %" PRId64 " of the transitions",
                                     states);
    if (status == FORAY_OK)
        status = lines.failure;
    if (status == FORAY_OK && state < states)
        status = fy_fail(prism->ctx, FORAY_ERROR_INPUT,
                         "%s: %" PRId64 " states, but the transitions have %" PRId64, path, state,
                         states);
    if (status == FORAY_OK)
        prism->table->numbered_states = false;
    fy_lines_close(&lines);
    return status;
}

/* ----------------------------------------------------------------------------- labels */

/* 0="init" 1="deadlock" 2="goal": the i-th must be i. */
static foray_status read_label_names(fy_prism *prism, fy_lines *lines, int64_t *count)
{
    char number[24], *word;
    for (*count = 0; (word = fy_lines_word(lines)); ++*count) {
        char *name = strchr(word, '=');
        size_t length = name ? strlen(name) : 0;
        if (!name || length < 4 || name[1] != '"' || name[length - 1] != '"')
            return fy_lines_fail(lines, "'%.60s': a label looks like 2=\"goal\"", word);
        *name = name[length - 1] = 0;
        fy_format(number, sizeof number, "%" PRId64, *count);
        if (strcmp(word, number) != 0)
            return fy_lines_fail(lines, "label '%.60s' where %s is expected", word, number);
        if (length > 200 || !fy_json_is_utf8(name + 2))
            return fy_lines_fail(lines, "label %s: its name is longer than 200 bytes, or not UTF-8",
                                 number);
        int64_t before = prism->table->labels;
        if (!fy_transitions_label(prism->table, name + 2))
            return FORAY_ERROR_MEMORY;
        if (prism->table->labels == before)
            return fy_lines_fail(lines, "two labels are called '%.60s'", name + 2);
    }
    return FORAY_OK;
}

/* "12: 0 3": labels 0 and 3 hold in state 12. */
static foray_status read_labelled(fy_prism *prism, fy_lines *lines)
{
    fy_transitions *table = prism->table;
    int64_t state, label;
    char *colon = strchr(lines->rest, ':');
    if (!colon)
        return fy_lines_fail(lines, "a line looks like 12: 0 3");
    *colon = ' ';
    foray_status status = fy_lines_index(lines, "state", table->given - 1, &state);
    while (status == FORAY_OK && lines->rest[strspn(lines->rest, " \t\r")]) {
        status = fy_lines_index(lines, "label", table->labels - 1, &label);
        if (status == FORAY_OK)
            status = fy_label_add(prism->ctx, &table->label[label], state);
    }
    return status;
}

foray_status fy_prism_labels(fy_prism *prism, const char *path)
{
    fy_lines lines = {0};
    int64_t labels = 0;
    foray_status status = fy_lines_open(prism->ctx, path, &lines);
    if (status == FORAY_OK)
        status = fy_lines_next(&lines) ? read_label_names(prism, &lines, &labels)
                                       : fy_lines_missing(&lines, "empty");
    while (status == FORAY_OK && fy_lines_next(&lines))
        status = read_labelled(prism, &lines);
    if (status == FORAY_OK)
        status = lines.failure;
    fy_lines_close(&lines);
    return status;
}

/* ---------------------------------------------------------------------------- rewards */

/* `# Reward structure "gold"`, in the comments at the beginning. *out: a copy, or NULL. */
static foray_status find_name(foray_context *ctx, const fy_lines *lines, char **out)
{
    static const char says[] = "# Reward structure \"";
    *out = NULL;
    for (const char *at = lines->text; *at == '#';) {
        const char *line = strchr(at, '\n');
        size_t length = line ? (size_t)(line - at) : strlen(at);
        const char *quote = length >= sizeof says
                                ? memchr(at + sizeof says - 1, '"', length - (sizeof says - 1))
                                : NULL;
        if (quote && strncmp(at, says, sizeof says - 1) == 0) {
            *out = fy_text(ctx, at + sizeof says - 1);
            if (*out)
                (*out)[quote - at - (ptrdiff_t)(sizeof says - 1)] = 0;
            return *out ? FORAY_OK : FORAY_ERROR_MEMORY;
        }
        at += length + (line != NULL);
    }
    return FORAY_OK;
}

/* Sizes that agree with those of the transitions, and how many lines follow. */
static foray_status read_sizes(const fy_prism *prism, fy_lines *lines, bool of_states,
                               int64_t *entries)
{
    int64_t states, choices = prism->choices;
    if (!fy_lines_next(lines))
        return fy_lines_missing(lines, "the sizes are not there");
    foray_status status = fy_lines_index(lines, "states", INT32_MAX, &states);
    if (status == FORAY_OK && !of_states && prism->chooses)
        status = fy_lines_index(lines, "choices", INT32_MAX, &choices);
    if (status == FORAY_OK)
        status = fy_lines_index(lines, "entries", INT64_MAX / 16, entries);
    if (status == FORAY_OK)
        status = fy_lines_end(lines);
    if (status == FORAY_OK && (states != prism->table->given || choices != prism->choices))
        return fy_lines_fail(lines,
                             "%" PRId64 " states and %" PRId64 " choices, but the "
                             "transitions have %" PRId64 " and %" PRId64,
                             states, choices, prism->table->given, prism->choices);
    return status;
}

static foray_status read_state_reward(const fy_prism *prism, fy_lines *lines, double *reward)
{
    int64_t state;
    foray_status status = fy_lines_index(lines, "state", prism->table->given - 1, &state);
    if (status == FORAY_OK)
        status = fy_lines_real(lines, "reward", &reward[state]);
    return status == FORAY_OK ? fy_lines_end(lines) : status;
}

static foray_status no_transition(const fy_prism *prism, const char *path, const fy_transition *row,
                                  int64_t choice)
{
    return fy_fail(prism->ctx, FORAY_ERROR_INPUT,
                   "%s:%" PRId64 ": no transition leads from state %" PRId32 " by choice %" PRId64
                   " to state %" PRId32,
                   path, row->line, row->state, choice, row->next);
}

/* "s c s' r", or "s s' r": of all rows of that choice that lead to s'. Kept until all are there,
 * with the choice where a law would be. */
static foray_status read_row_reward(const fy_prism *prism, fy_lines *lines, fy_row_list *rewards)
{
    const fy_transitions *table = prism->table;
    int64_t state, choice = 0, next;
    fy_transition row = {.line = lines->line};
    foray_status status = fy_lines_index(lines, "state", table->given - 1, &state);
    if (status == FORAY_OK && prism->chooses)
        status = fy_lines_index(lines, "choice", prism->choices - 1, &choice);
    if (status == FORAY_OK)
        status = fy_lines_index(lines, "next", table->given - 1, &next);
    if (status == FORAY_OK)
        status = fy_lines_real(lines, "reward", &row.reward);
    if (status == FORAY_OK)
        status = fy_lines_end(lines);
    if (status != FORAY_OK)
        return status;
    int64_t place = prism->first_choice[state] + choice;
    row.state = (int32_t)state;
    row.next = (int32_t)next;
    row.law = (int32_t)choice;
    if (place >= prism->first_choice[state + 1])
        return no_transition(prism, lines->path, &row, choice);
    row.action = prism->choice_action[place];
    return fy_row_list_add(rewards, &row);
}

/* What a pair earns, among its rows. */
static foray_status give_rewards(const fy_prism *prism, const char *path, const fy_row_group *pair,
                                 const fy_row_group *rewards, double *out)
{
    for (int64_t i = 0; i < rewards->count; i++) {
        const fy_transition *reward = &rewards->row[i];
        bool found = false;
        for (int64_t k = 0; k < pair->count; k++)
            if (pair->row[k].next == reward->next) {
                out[pair->row[k].line] = reward->reward;
                found = true;
            }
        if (!found)
            return no_transition(prism, path, reward, reward->law);
    }
    return FORAY_OK;
}

/* Both lists are read side by side: a pair that earns something has rows. */
static foray_status join_rewards(const fy_prism *prism, const char *path, fy_row_list *rewards,
                                 double *out)
{
    fy_row_group pair = {0}, group = {0};
    foray_status status = FORAY_OK;
    fy_row_list_sort(rewards);
    while (status == FORAY_OK && fy_row_list_next_pair(rewards, &group)) {
        while (fy_row_list_next_pair(&prism->table->rows, &pair) &&
               (pair.row->state != group.row->state || pair.row->action != group.row->action))
            ;
        status = give_rewards(prism, path, &pair, &group, out);
    }
    return status;
}

static foray_status read_entries(const fy_prism *prism, fy_lines *lines, bool of_states,
                                 fy_structure *structure)
{
    int64_t entries = 0, count = 0;
    fy_row_list rewards = {.ctx = prism->ctx};
    double **reward = of_states ? &structure->state : &structure->row;
    bool *read = of_states ? &structure->state_read : &structure->row_read;
    if (*read)
        return fy_fail(prism->ctx, FORAY_ERROR_INPUT, "%s: the %s rewards of %s were given before",
                       lines->path, of_states ? "state" : "transition", structure->name);
    *read = true;
    foray_status status = read_sizes(prism, lines, of_states, &entries);
    if (status == FORAY_OK &&
        !FY_ALLOC(prism->ctx, *reward, of_states ? prism->table->given : prism->table->lines + 1))
        status = FORAY_ERROR_MEMORY;
    for (; status == FORAY_OK && fy_lines_next(lines); count++)
        status = of_states ? read_state_reward(prism, lines, *reward)
                           : read_row_reward(prism, lines, &rewards);
    if (status == FORAY_OK)
        status = lines->failure;
    if (status == FORAY_OK && !of_states)
        status = join_rewards(prism, lines->path, &rewards, *reward);
    fy_row_list_free(&rewards);
    if (status == FORAY_OK && count != entries)
        status = fy_fail(prism->ctx, FORAY_ERROR_INPUT,
                         "%s: %" PRId64 " entries are announced, but there are %" PRId64,
                         lines->path, entries, count);
    return status;
}

foray_status fy_prism_rewards(fy_prism *prism, const fy_prism_file *file, const char *name)
{
    fy_lines lines = {0};
    char *own = NULL;
    fy_structure *structure;
    foray_status status = fy_lines_open(prism->ctx, file->path, &lines);
    if (status == FORAY_OK)
        status = find_name(prism->ctx, &lines, &own);
    if (status == FORAY_OK && own && (strlen(own) > 200 || !fy_json_is_utf8(own)))
        status =
            fy_fail(prism->ctx, FORAY_ERROR_INPUT,
                    "%s: the reward's name is longer than 200 bytes, or not UTF-8", file->path);
    if (status == FORAY_OK &&
        !(structure = fy_transitions_structure(prism->table, own && *own ? own : name)))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = read_entries(prism, &lines, file->kind == FY_FILE_STATE_REWARDS, structure);
    free(own);
    fy_lines_close(&lines);
    return status;
}

/* ---------------------------------------------------------------------- all the files */

/* The name of a reward whose file does not say: what its path has beyond "model" of model.tra, as
 * in model1.srew; otherwise "own". */
static void name_by_path(const char *transitions, const char *path, char *out, size_t size)
{
    const char *dot = strrchr(transitions, '.'), *end = strrchr(path, '.');
    size_t stem = dot ? (size_t)(dot - transitions) : strlen(transitions);
    size_t length = end ? (size_t)(end - path) : strlen(path);
    bool beyond = length > stem && strncmp(path, transitions, stem) == 0 &&
                  !memchr(path + stem, '/', length - stem) && length - stem < size;
    fy_format(out, size, "%.*s", beyond ? (int)(length - stem) : 3, beyond ? path + stem : "own");
}

/* The only file of a kind; NULL in *out: there is none. */
static foray_status only(foray_context *ctx, const fy_prism_file *file, int64_t files,
                         fy_file_kind kind, const char *what, const char **out)
{
    *out = NULL;
    for (int64_t i = 0; i < files; i++) {
        if (file[i].kind != kind)
            continue;
        if (*out)
            return fy_fail(ctx, FORAY_ERROR_USAGE, "%s and %s are both files of %s", *out,
                           file[i].path, what);
        *out = file[i].path;
    }
    return FORAY_OK;
}

foray_status fy_prism_read(const fy_prism_file *file, int64_t files, fy_transitions *out)
{
    const char *transitions, *states, *labels;
    foray_context *ctx = out->ctx;
    fy_prism prism = {.ctx = ctx, .table = out};
    char name[64];
    foray_status status = only(ctx, file, files, FY_FILE_TRANSITIONS, "transitions", &transitions);
    if (status == FORAY_OK)
        status = only(ctx, file, files, FY_FILE_STATES, "states", &states);
    if (status == FORAY_OK)
        status = only(ctx, file, files, FY_FILE_LABELS, "labels", &labels);
    if (status == FORAY_OK && !transitions)
        status =
            fy_fail(ctx, FORAY_ERROR_USAGE,
                    "%s goes with a file of transitions (.tra): give that as well", file[0].path);
    if (status != FORAY_OK)
        return status;
    out->path = transitions;
    status = fy_prism_transitions(&prism, transitions);
    if (status == FORAY_OK && states)
        status = fy_prism_states(&prism, states);
    if (status == FORAY_OK && labels)
        status = fy_prism_labels(&prism, labels);
    for (int64_t i = 0; i < files && status == FORAY_OK; i++)
        if (file[i].kind == FY_FILE_STATE_REWARDS || file[i].kind == FY_FILE_TRANSITION_REWARDS) {
            name_by_path(transitions, file[i].path, name, sizeof name);
            status = fy_prism_rewards(&prism, &file[i], name);
        }
    free(prism.first_choice);
    free(prism.choice_label);
    free(prism.choice_action);
    return status;
}
