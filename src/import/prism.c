/* prism.c - transitions as PRISM exports them.
 *
 *   S C T                 states, choices, transitions; "S T" of a Markov chain
 *   s c s' p [action]     with choices c = 0, 1, ... of each state; "s s' p [action]" of a chain
 *
 * A choice is a law; its action is a word that need not be there and need not be unique. Where
 * the words tell the choices of every state apart, they are the actions of the model; otherwise
 * actions are the numbers of choices. */
#include "import/prism.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = INT32_MAX - 1 };

static const char unnamed[] = "[]"; /* as PRISM's language writes it */

typedef struct header {
    int64_t states, choices, transitions;
} header;

static foray_status read_header(fy_prism *prism, fy_lines *lines, header *out)
{
    int64_t size[4];
    int count = 0;
    if (!fy_lines_next(lines))
        return fy_lines_missing(lines, "empty");
    while (count < 4 && lines->rest[strspn(lines->rest, " \t\r")]) {
        foray_status status = fy_lines_index(lines, "a size of the header", LARGEST, &size[count]);
        if (status != FORAY_OK)
            return status;
        count++;
    }
    if (count == 4)
        return fy_lines_fail(lines, "four sizes: this is a POMDP, and Foray's models are observed");
    if (count < 2)
        return fy_lines_fail(lines, "a header says how many states, choices and transitions "
                                    "there are");
    prism->chooses = count == 3;
    *out = (header){size[0], prism->chooses ? size[1] : size[0], size[count - 1]};
    /* Every state but the first is led to, or would not be there: wild numbers cost no memory. */
    if (out->states < 1 || out->states > 2 * out->transitions + 1)
        return fy_lines_fail(lines, "%" PRId64 " states, but %" PRId64 " transitions", out->states,
                             out->transitions);
    if (prism->chooses && out->choices > out->transitions)
        return fy_lines_fail(lines, "%" PRId64 " choices, but %" PRId64 " transitions",
                             out->choices, out->transitions);
    enum { SHORTEST = 5 }; /* "0 0 1": a transition */
    if (out->transitions > lines->bytes / SHORTEST)
        return fy_lines_fail(lines, "%" PRId64 " transitions, but the file has %" PRId64 " bytes",
                             out->transitions, lines->bytes);
    return FORAY_OK;
}

/* "0.25", "1/4", or "[0.2,0.3]", which is refused. */
static foray_status read_probability(fy_lines *lines, double *out)
{
    char *word = fy_lines_word(lines);
    double divisor = 1;
    if (!word)
        return fy_lines_fail(lines, "the probability is missing");
    if (word[0] == '[')
        return fy_lines_fail(lines,
                             "'%.60s' is an interval: an interval MDP says between which "
                             "bounds probabilities lie, not what they are",
                             word);
    char *slash = strchr(word, '/');
    if (slash)
        *slash = 0;
    if (!foray_number_read(word, out) || (slash && !foray_number_read(slash + 1, &divisor)))
        return fy_lines_fail(lines, "probability: '%.60s%s%.60s' is not a number", word,
                             slash ? "/" : "", slash ? slash + 1 : "");
    *out /= divisor;
    if (!(*out >= 0 && *out <= 1))
        return fy_lines_fail(lines, "probability: %.9g is not between 0 and 1%s", *out,
                             *out > 1 ? " (rates belong to continuous time)" : "");
    return FORAY_OK;
}

/* ------------------------------------------------------------------------------- rows */

/* The choice, counted within its state, is kept where the action will be, and the word of its
 * action where the law would. */
static foray_status read_row(fy_prism *prism, fy_lines *lines, const header *sizes)
{
    fy_transitions *table = prism->table;
    int64_t state = 0, choice = 0, next = 0;
    fy_transition row = {.line = lines->line};
    foray_status status = fy_lines_index(lines, "state", sizes->states - 1, &state);
    if (status == FORAY_OK && prism->chooses)
        status = fy_lines_index(lines, "choice", sizes->choices - 1, &choice);
    if (status == FORAY_OK)
        status = fy_lines_index(lines, "next", sizes->states - 1, &next);
    if (status == FORAY_OK)
        status = read_probability(lines, &row.probability);
    if (status != FORAY_OK)
        return status;
    const char *action = fy_lines_word(lines);
    if (action && strlen(action) > 200)
        return fy_lines_fail(lines, "the action's name is longer than 200 bytes");
    status = fy_words_number(&table->action_words, action && prism->chooses ? action : unnamed,
                             &row.law);
    if (status == FORAY_OK)
        status = fy_lines_end(lines);
    if (status != FORAY_OK)
        return status;
    if (table->rows.count == sizes->transitions)
        return fy_lines_fail(lines, "more transitions than the %" PRId64 " of the header",
                             sizes->transitions);
    row.state = (int32_t)state;
    row.action = (int32_t)choice;
    row.next = (int32_t)next;
    if (prism->first_choice[state + 1] <= choice) /* how many it has, until they are added up */
        prism->first_choice[state + 1] = choice + 1;
    return fy_row_list_add(&table->rows, &row);
}

static foray_status read_rows(fy_prism *prism, fy_lines *lines, const header *sizes)
{
    fy_transitions *table = prism->table;
    foray_status status = FORAY_OK;
    if (!FY_ALLOC(prism->ctx, prism->first_choice, sizes->states + 1))
        return FORAY_ERROR_MEMORY;
    while (status == FORAY_OK && fy_lines_next(lines))
        status = read_row(prism, lines, sizes);
    if (status == FORAY_OK)
        status = lines->failure;
    if (status == FORAY_OK && table->rows.count < sizes->transitions)
        status = fy_fail(prism->ctx, FORAY_ERROR_INPUT,
                         "%s: the header says %" PRId64 " transitions, but there are %" PRId64,
                         lines->path, sizes->transitions, table->rows.count);
    table->lines = lines->line;
    return status;
}

/* ---------------------------------------------------------------------------- choices */

/* Choices of a state are numbered 0, 1, ..., and those of all states add up. */
static foray_status count_choices(fy_prism *prism, const char *path, const header *sizes)
{
    int64_t *first = prism->first_choice;
    for (int64_t s = 0; s < sizes->states; s++)
        first[s + 1] += first[s]; /* at most rows times choices: below 2^62 */
    prism->choices = first[sizes->states];
    if (prism->chooses && prism->choices != sizes->choices)
        return fy_fail(prism->ctx, FORAY_ERROR_INPUT,
                       "%s: the header says %" PRId64 " choices, but the transitions are those of "
                       "%" PRId64,
                       path, sizes->choices, prism->choices);
    if (!FY_ALLOC(prism->ctx, prism->choice_label, prism->choices) ||
        !FY_ALLOC(prism->ctx, prism->choice_action, prism->choices))
        return FORAY_ERROR_MEMORY;
    for (int64_t c = 0; c < prism->choices; c++)
        prism->choice_label[c] = -1;
    return FORAY_OK;
}

/* All rows of a choice have the same word, which is the choice's. */
static foray_status label_choice(fy_prism *prism, const char *path, const fy_row_group *rows)
{
    const fy_words *words = &prism->table->action_words;
    const fy_transition *row = rows->row;
    for (int64_t i = 1; i < rows->count; i++)
        if (row[i].law != row->law)
            return fy_fail(prism->ctx, FORAY_ERROR_INPUT,
                           "%s:%" PRId64 ": choice %" PRId32 " of state %" PRId32
                           " has the actions %s and %s",
                           path, row[i].line, row->action, row->state, fy_words_at(words, row->law),
                           fy_words_at(words, row[i].law));
    prism->choice_label[prism->first_choice[row->state] + row->action] = row->law;
    return FORAY_OK;
}

static foray_status label_choices(fy_prism *prism, const char *path)
{
    fy_transitions *table = prism->table;
    fy_row_group group = {0};
    foray_status status = FORAY_OK;
    fy_row_list_sort(&table->rows);
    while (status == FORAY_OK && fy_row_list_next_pair(&table->rows, &group))
        status = label_choice(prism, path, &group);
    for (int64_t s = 0; s < table->given && status == FORAY_OK; s++)
        for (int64_t c = prism->first_choice[s]; c < prism->first_choice[s + 1]; c++)
            if (prism->choice_label[c] < 0)
                return fy_fail(prism->ctx, FORAY_ERROR_INPUT,
                               "%s: state %" PRId64 " has no transition for choice %" PRId64, path,
                               s, c - prism->first_choice[s]);
    return status;
}

/* Do the words tell the choices of every state apart? */
static foray_status words_suffice(const fy_prism *prism, bool *out)
{
    const fy_transitions *table = prism->table;
    int64_t *last; /* the state whose choice had the word last, plus 1 */
    if (!FY_ALLOC(prism->ctx, last, table->action_words.count))
        return FORAY_ERROR_MEMORY;
    /* Where no state has a choice there are no words. */
    *out = prism->chooses && table->action_words.count > 0 &&
           !(table->action_words.count == 1 &&
             strcmp(fy_words_at(&table->action_words, 0), unnamed) == 0);
    for (int64_t s = 0; s < table->given && *out; s++)
        for (int64_t c = prism->first_choice[s]; c < prism->first_choice[s + 1]; c++) {
            *out = *out && last[prism->choice_label[c]] != s + 1;
            last[prism->choice_label[c]] = s + 1;
        }
    free(last);
    return FORAY_OK;
}

/* Which action each choice is, and how many actions there are. */
static void name_choices(fy_prism *prism, bool by_word)
{
    fy_transitions *table = prism->table;
    table->numbered_actions = !by_word;
    table->actions = by_word ? table->action_words.count : 1;
    for (int64_t s = 0; s < table->given; s++)
        for (int64_t c = prism->first_choice[s]; c < prism->first_choice[s + 1]; c++) {
            int64_t number = c - prism->first_choice[s];
            prism->choice_action[c] = by_word ? prism->choice_label[c] : (int32_t)number;
            table->actions = number >= table->actions ? number + 1 : table->actions;
        }
}

foray_status fy_prism_choose_actions(fy_prism *prism)
{
    fy_transitions *table = prism->table;
    bool by_word;
    foray_status status = words_suffice(prism, &by_word);
    if (status != FORAY_OK)
        return status;
    name_choices(prism, by_word);
    for (int64_t i = 0; i < table->rows.count; i++) { /* so far in the place of the action: */
        fy_transition *row = &table->rows.row[i];
        row->action = prism->choice_action[prism->first_choice[row->state] + row->action];
    }
    for (int64_t s = 0; s < table->given && status == FORAY_OK; s++) {
        if (prism->first_choice[s] < prism->first_choice[s + 1])
            continue;
        fy_transition row = {.state = (int32_t)s, .next = (int32_t)s, .probability = 1};
        status = fy_row_list_add(&table->rows, &row);
        table->ends++;
    }
    return status == FORAY_OK ? fy_transitions_sort(table) : status;
}

foray_status fy_prism_transitions(fy_prism *prism, const char *path)
{
    fy_lines lines = {0};
    header sizes = {0};
    foray_status status = fy_lines_open(prism->ctx, path, &lines);
    if (status == FORAY_OK)
        status = read_header(prism, &lines, &sizes);
    if (status == FORAY_OK) {
        prism->table->given = prism->table->states = sizes.states;
        prism->table->numbered_states = true;
        status = read_rows(prism, &lines, &sizes);
    }
    fy_lines_close(&lines);
    if (status == FORAY_OK)
        status = count_choices(prism, path, &sizes);
    if (status == FORAY_OK)
        status = label_choices(prism, path);
    return status == FORAY_OK ? fy_prism_choose_actions(prism) : status;
}
