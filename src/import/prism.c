/* prism.c - models as PRISM exports them: transitions, and in files of their own names of states,
 * labels and rewards. */
#include "import/import.h"
#include "base/json.h"
#include "base/parameter.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------------- lines */

/* Text files of words: read line by line, word by word. Lines that begin with '#' are comments,
 * empty ones are skipped. Messages begin with the path and the line. */
typedef struct line_reader {
    foray_context *ctx;
    const char *path;
    int file;      /* -1: read to its end */
    int64_t bytes; /* how long it is; INT64_MAX: nobody knows */
    char *text; /* a part of it, with a final 0, cut into lines and words as they are handed out */
    size_t size, room, at;
    int64_t line;         /* the one at hand, from 1 */
    char *rest;           /* what has not been handed out of it */
    foray_status failure; /* why there is no further line, if not because the file ended */
} line_reader;

static const char blank[] = " \t\r";

/* How much is read at a time, and how long a line may be. */
enum { CHUNK = 1 << 16, LONGEST = 1 << 20 };

static void close_lines(line_reader *lines)
{
    if (lines->file >= 0)
        close(lines->file);
    free(lines->text);
    *lines = (line_reader){.file = -1};
}

/* One more chunk behind what is there; the file is closed at its end. */
static foray_status read_chunk(line_reader *lines)
{
    if (lines->room - lines->size < CHUNK) {
        char *text = fy_resize(lines->ctx, lines->text, lines->room + CHUNK + 1, 1);
        if (!text)
            return FORAY_ERROR_MEMORY;
        lines->text = text;
        lines->room += CHUNK;
    }
    char *to = lines->text + lines->size;
    ssize_t got;
    do
        got = read(lines->file, to, CHUNK);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return fy_fail(lines->ctx, FORAY_ERROR_IO, "%s: cannot read: %s", lines->path,
                       strerror(errno));
    lines->size += (size_t)got;
    to[got] = 0;
    if (memchr(to, 0, (size_t)got))
        return fy_fail(lines->ctx, FORAY_ERROR_INPUT, "%s: not a text: there is a byte 0 in it",
                       lines->path);
    if (got == 0) {
        close(lines->file);
        lines->file = -1;
    }
    return FORAY_OK;
}

static foray_status open_lines(foray_context *ctx, const char *path, line_reader *out)
{
    *out = (line_reader){.ctx = ctx, .path = path, .file = open(path, O_RDONLY | O_CLOEXEC)};
    if (out->file < 0)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    struct stat about;
    bool regular = fstat(out->file, &about) == 0 && S_ISREG(about.st_mode);
    out->bytes = regular ? (int64_t)about.st_size : INT64_MAX;
    foray_status status = read_chunk(out);
    if (status == FORAY_OK)
        status = fy_text_mark(ctx, path, out->text, out->size, &out->at);
    if (status != FORAY_OK)
        close_lines(out);
    return status;
}

/* The end of the line that begins at `at`, which is all in memory then; NULL: it is the last, and
 * nothing ends it. */
static char *find_end(line_reader *lines)
{
    for (size_t seen = 0;;) {
        size_t left = lines->size - lines->at;
        char *begin = lines->text + lines->at;
        char *end = memchr(begin + seen, '\n', left - seen);
        if (end || lines->file < 0)
            return end;
        memmove(lines->text, begin, left + 1);
        lines->size = seen = left;
        lines->at = 0;
        lines->failure = left > LONGEST ? fy_fail(lines->ctx, FORAY_ERROR_INPUT,
                                                  "%s:%" PRId64 ": longer than a megabyte",
                                                  lines->path, lines->line + 1)
                                        : read_chunk(lines);
        if (lines->failure != FORAY_OK)
            return NULL;
    }
}

/* Goes to the next line that says something; false at the end, or if reading fails. */
static bool next_line(line_reader *lines)
{
    while (lines->failure == FORAY_OK) {
        char *end = find_end(lines), *begin = lines->text + lines->at;
        if (lines->failure != FORAY_OK || lines->at == lines->size)
            return false;
        lines->at = end ? (size_t)(end - lines->text) + 1 : lines->size;
        lines->line++;
        if (end)
            *end = 0;
        lines->rest = begin + strspn(begin, blank);
        if (*lines->rest && *lines->rest != '#')
            return true;
    }
    return false;
}

/* Why there was no line: what made reading fail, or "path: cause". */
static foray_status missing_line(const line_reader *lines, const char *cause)
{
    return lines->failure != FORAY_OK
               ? lines->failure
               : fy_fail(lines->ctx, FORAY_ERROR_INPUT, "%s: %s", lines->path, cause);
}

/* The next word of the line; NULL: there is none. */
static char *next_word(line_reader *lines)
{
    char *word = lines->rest + strspn(lines->rest, blank);
    if (!*word)
        return NULL;
    char *end = word + strcspn(word, blank);
    lines->rest = *end ? end + 1 : end;
    *end = 0;
    return word;
}

/* "path:line: cause". */
__attribute__((format(printf, 2, 3))) static foray_status fail_line(const line_reader *lines,
                                                                    const char *format, ...)
{
    char cause[512];
    va_list values;
    va_start(values, format);
    fy_vformat(cause, sizeof cause, format, values);
    va_end(values);
    return fy_fail(lines->ctx, FORAY_ERROR_INPUT, "%s:%" PRId64 ": %s", lines->path, lines->line,
                   cause);
}

/* The next word as an integer from 0 to most, or as a number; `what` names it in messages. */
static foray_status read_index(line_reader *lines, const char *what, int64_t max, int64_t *out)
{
    const char *word = next_word(lines);
    int64_t number = 0;
    if (!word)
        return fail_line(lines, "%s is missing", what);
    size_t digits = strspn(word, "0123456789");
    if (digits == 0 || word[digits])
        return fail_line(lines, "%s: '%.60s' is not an integer", what, word);
    for (size_t d = 0; d < digits && number <= max; d++)
        number = 10 * number + (word[d] - '0');
    if (number > max)
        return fail_line(lines, "%s: %.60s is larger than %" PRId64, what, word, max);
    *out = number;
    return FORAY_OK;
}

static foray_status read_real(line_reader *lines, const char *what, double *out)
{
    const char *word = next_word(lines);
    if (!word)
        return fail_line(lines, "%s is missing", what);
    if (!fy_number_read(word, strlen(word), out))
        return fail_line(lines, "%s: '%.60s' is not a number", what, word);
    if (!(*out >= -1e100 && *out <= 1e100))
        return fail_line(lines, "%s: '%.60s' is out of range", what, word);
    return FORAY_OK;
}

/* No further word: FORAY_ERROR_INPUT if there is one. */
static foray_status end_line(line_reader *lines)
{
    const char *word = next_word(lines);
    return word ? fail_line(lines, "unexpected '%.60s' at the end of the line", word) : FORAY_OK;
}

/* ------------------------------------------------------------------------ transitions */

/* Transitions as PRISM exports them.
 *
 *   S C T                 states, choices, transitions; "S T" of a Markov chain
 *   s c s' p [action]     with choices c = 0, 1, ... of each state; "s s' p [action]" of a chain
 *
 * A choice is a law; its action is a word that need not be there and need not be unique. Where
 * the words tell the choices of every state apart, they are the actions of the model; otherwise
 * actions are the numbers of choices. */

enum { LARGEST = INT32_MAX - 1 };

static const char unnamed[] = "[]"; /* as PRISM's language writes it */

typedef struct header {
    int64_t states, choices, transitions;
} header;

static foray_status read_header(fy_prism *prism, line_reader *lines, header *out)
{
    int64_t size[4];
    int count = 0;
    if (!next_line(lines))
        return missing_line(lines, "empty");
    while (count < 4 && lines->rest[strspn(lines->rest, " \t\r")]) {
        foray_status status = read_index(lines, "a size of the header", LARGEST, &size[count]);
        if (status != FORAY_OK)
            return status;
        count++;
    }
    if (count == 4)
        return fail_line(lines, "four sizes: this is a POMDP, and Foray's models are observed");
    if (count < 2)
        return fail_line(lines, "a header says how many states, choices and transitions "
                                "there are");
    prism->chooses = count == 3;
    *out = (header){size[0], prism->chooses ? size[1] : size[0], size[count - 1]};
    /* Every state but the first is led to, or would not be there: wild numbers cost no memory. */
    if (out->states < 1 || out->states > 2 * out->transitions + 1)
        return fail_line(lines, "%" PRId64 " states, but %" PRId64 " transitions", out->states,
                         out->transitions);
    if (prism->chooses && out->choices > out->transitions)
        return fail_line(lines, "%" PRId64 " choices, but %" PRId64 " transitions", out->choices,
                         out->transitions);
    enum { SHORTEST = 5 }; /* "0 0 1": a transition */
    if (out->transitions > lines->bytes / SHORTEST)
        return fail_line(lines, "%" PRId64 " transitions, but the file has %" PRId64 " bytes",
                         out->transitions, lines->bytes);
    return FORAY_OK;
}

/* "0.25", "1/4", or "[0.2,0.3]", which is refused. */
static foray_status read_probability(line_reader *lines, double *out)
{
    char *word = next_word(lines);
    double divisor = 1;
    if (!word)
        return fail_line(lines, "the probability is missing");
    if (word[0] == '[')
        return fail_line(lines,
                         "'%.60s' is an interval: an interval MDP says between which "
                         "bounds probabilities lie, not what they are",
                         word);
    char *slash = strchr(word, '/');
    if (slash)
        *slash = 0;
    if (!fy_number_read(word, strlen(word), out) ||
        (slash && !fy_number_read(slash + 1, strlen(slash + 1), &divisor)))
        return fail_line(lines, "probability: '%.60s%s%.60s' is not a number", word,
                         slash ? "/" : "", slash ? slash + 1 : "");
    *out /= divisor;
    if (!(*out >= 0 && *out <= 1))
        return fail_line(lines, "probability: %.9g is not between 0 and 1%s", *out,
                         *out > 1 ? " (rates belong to continuous time)" : "");
    return FORAY_OK;
}

/* ------------------------------------------------------------------------------- rows */

/* The choice, counted within its state, is kept where the action will be, and the word of its
 * action where the law would. */
static foray_status read_row(fy_prism *prism, line_reader *lines, const header *sizes)
{
    fy_transitions *table = prism->table;
    int64_t state = 0, choice = 0, next = 0;
    fy_transition row = {.line = lines->line};
    foray_status status = read_index(lines, "state", sizes->states - 1, &state);
    if (status == FORAY_OK && prism->chooses)
        status = read_index(lines, "choice", sizes->choices - 1, &choice);
    if (status == FORAY_OK)
        status = read_index(lines, "next", sizes->states - 1, &next);
    if (status == FORAY_OK)
        status = read_probability(lines, &row.probability);
    if (status != FORAY_OK)
        return status;
    const char *action = next_word(lines);
    if (action && strlen(action) > 200)
        return fail_line(lines, "the action's name is longer than 200 bytes");
    status = fy_words_number(&table->action_words, action && prism->chooses ? action : unnamed,
                             &row.law);
    if (status == FORAY_OK)
        status = end_line(lines);
    if (status != FORAY_OK)
        return status;
    if (table->rows.count == sizes->transitions)
        return fail_line(lines, "more transitions than the %" PRId64 " of the header",
                         sizes->transitions);
    row.state = (int32_t)state;
    row.action = (int32_t)choice;
    row.next = (int32_t)next;
    if (prism->first_choice[state + 1] <= choice) /* how many it has, until they are added up */
        prism->first_choice[state + 1] = choice + 1;
    return fy_row_list_add(&table->rows, &row);
}

static foray_status read_rows(fy_prism *prism, line_reader *lines, const header *sizes)
{
    fy_transitions *table = prism->table;
    foray_status status = FORAY_OK;
    if (!FY_NEW(&prism->table->arena, prism->first_choice, sizes->states + 1))
        return FORAY_ERROR_MEMORY;
    while (status == FORAY_OK && next_line(lines))
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
    if (!FY_NEW(&prism->table->arena, prism->choice_label, prism->choices) ||
        !FY_NEW(&prism->table->arena, prism->choice_action, prism->choices))
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

/* Reads a .tra file into prism->table, whose rows are then sorted. */
static foray_status read_transitions(fy_prism *prism, const char *path)
{
    line_reader lines = {0};
    header sizes = {0};
    foray_status status = open_lines(prism->ctx, path, &lines);
    if (status == FORAY_OK)
        status = read_header(prism, &lines, &sizes);
    if (status == FORAY_OK) {
        prism->table->given = prism->table->states = sizes.states;
        prism->table->numbered_states = true;
        status = read_rows(prism, &lines, &sizes);
    }
    close_lines(&lines);
    if (status == FORAY_OK)
        status = count_choices(prism, path, &sizes);
    if (status == FORAY_OK)
        status = label_choices(prism, path);
    return status == FORAY_OK ? fy_prism_choose_actions(prism) : status;
}

/* ------------------------------------------------------------ states, labels, rewards */

/* What PRISM says beside the transitions: names of states, labels, rewards. */

/* ----------------------------------------------------------------------------- states */

/* "12:(true,3)": the state must be the next one, and is called "(true,3)". What would be too long
 * for a name goes by its number. */
static foray_status read_state(fy_prism *prism, line_reader *lines, int64_t state)
{
    enum { MAX = 200 };
    char number[24], *name = strchr(lines->rest, ':');
    int32_t index;
    if (!name)
        return fail_line(lines, "a state looks like 3:(1,2)");
    *name++ = 0;
    fy_format(number, sizeof number, "%" PRId64, state);
    if (strcmp(lines->rest, number) != 0)
        return fail_line(lines, "'%.60s' where state %s is expected", lines->rest, number);
    size_t length = strlen(name);
    while (length > 0 && strchr(" \t\r", name[length - 1]))
        name[--length] = 0;
    if (!fy_json_is_utf8(name))
        return fail_line(lines, "the values of state %s are not UTF-8", number);
    foray_status status = fy_words_number(&prism->table->state_words,
                                          length == 0 || length > MAX ? number : name, &index);
    if (status == FORAY_OK && index != state)
        return fail_line(lines, "states %" PRId32 " and %s have the same values", index, number);
    return status;
}

/* Names of states. To be read before anything else. */
static foray_status read_states(fy_prism *prism, const char *path)
{
    line_reader lines = {0};
    int64_t state = 0, states = prism->table->given;
    foray_status status = open_lines(prism->ctx, path, &lines);
    if (status == FORAY_OK && (!next_line(&lines) || lines.rest[0] != '('))
        status = missing_line(&lines, "the names of variables, such as (x,y), are not there");
    while (status == FORAY_OK && next_line(&lines))
        status =
            state < states
                ? read_state(prism, &lines, state++)
                : fail_line(&lines, "more states than the %" PRId64 " of the transitions", states);
    if (status == FORAY_OK)
        status = lines.failure;
    if (status == FORAY_OK && state < states)
        status = fy_fail(prism->ctx, FORAY_ERROR_INPUT,
                         "%s: %" PRId64 " states, but the transitions have %" PRId64, path, state,
                         states);
    if (status == FORAY_OK)
        prism->table->numbered_states = false;
    close_lines(&lines);
    return status;
}

/* ----------------------------------------------------------------------------- labels */

/* 0="init" 1="deadlock" 2="goal": the i-th must be i. */
static foray_status read_label_names(fy_prism *prism, line_reader *lines, int64_t *count)
{
    char number[24], *word;
    for (*count = 0; (word = next_word(lines)); ++*count) {
        char *name = strchr(word, '=');
        size_t length = name ? strlen(name) : 0;
        if (!name || length < 4 || name[1] != '"' || name[length - 1] != '"')
            return fail_line(lines, "'%.60s': a label looks like 2=\"goal\"", word);
        *name = name[length - 1] = 0;
        fy_format(number, sizeof number, "%" PRId64, *count);
        if (strcmp(word, number) != 0)
            return fail_line(lines, "label '%.60s' where %s is expected", word, number);
        if (length > 200 || !fy_json_is_utf8(name + 2))
            return fail_line(lines, "label %s: its name is longer than 200 bytes, or not UTF-8",
                             number);
        int64_t before = prism->table->labels;
        if (!fy_transitions_label(prism->table, name + 2))
            return FORAY_ERROR_MEMORY;
        if (prism->table->labels == before)
            return fail_line(lines, "two labels are called '%.60s'", name + 2);
    }
    return FORAY_OK;
}

/* "12: 0 3": labels 0 and 3 hold in state 12. */
static foray_status read_labelled(fy_prism *prism, line_reader *lines)
{
    fy_transitions *table = prism->table;
    int64_t state, label;
    char *colon = strchr(lines->rest, ':');
    if (!colon)
        return fail_line(lines, "a line looks like 12: 0 3");
    *colon = ' ';
    foray_status status = read_index(lines, "state", table->given - 1, &state);
    while (status == FORAY_OK && lines->rest[strspn(lines->rest, " \t\r")]) {
        status = read_index(lines, "label", table->labels - 1, &label);
        if (status == FORAY_OK)
            status = fy_label_add(prism->table, &table->label[label], state);
    }
    return status;
}

/* Labels; *path of a table that has none says where to begin otherwise. */
static foray_status read_labels(fy_prism *prism, const char *path)
{
    line_reader lines = {0};
    int64_t labels = 0;
    foray_status status = open_lines(prism->ctx, path, &lines);
    if (status == FORAY_OK)
        status = next_line(&lines) ? read_label_names(prism, &lines, &labels)
                                   : missing_line(&lines, "empty");
    while (status == FORAY_OK && next_line(&lines))
        status = read_labelled(prism, &lines);
    if (status == FORAY_OK)
        status = lines.failure;
    close_lines(&lines);
    return status;
}

/* ---------------------------------------------------------------------------- rewards */

/* `# Reward structure "gold"`, in the comments at the beginning. *out: a copy, or NULL. */
static foray_status find_name(foray_context *ctx, const line_reader *lines, char **out)
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
static foray_status read_sizes(const fy_prism *prism, line_reader *lines, bool of_states,
                               int64_t *entries)
{
    int64_t states, choices = prism->choices;
    if (!next_line(lines))
        return missing_line(lines, "the sizes are not there");
    foray_status status = read_index(lines, "states", INT32_MAX, &states);
    if (status == FORAY_OK && !of_states && prism->chooses)
        status = read_index(lines, "choices", INT32_MAX, &choices);
    if (status == FORAY_OK)
        status = read_index(lines, "entries", INT64_MAX / 16, entries);
    if (status == FORAY_OK)
        status = end_line(lines);
    if (status == FORAY_OK && (states != prism->table->given || choices != prism->choices))
        return fail_line(lines,
                         "%" PRId64 " states and %" PRId64 " choices, but the "
                         "transitions have %" PRId64 " and %" PRId64,
                         states, choices, prism->table->given, prism->choices);
    return status;
}

static foray_status read_state_reward(const fy_prism *prism, line_reader *lines, double *reward)
{
    int64_t state;
    foray_status status = read_index(lines, "state", prism->table->given - 1, &state);
    if (status == FORAY_OK)
        status = read_real(lines, "reward", &reward[state]);
    return status == FORAY_OK ? end_line(lines) : status;
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
static foray_status read_row_reward(const fy_prism *prism, line_reader *lines, fy_row_list *rewards)
{
    const fy_transitions *table = prism->table;
    int64_t state, choice = 0, next;
    fy_transition row = {.line = lines->line};
    foray_status status = read_index(lines, "state", table->given - 1, &state);
    if (status == FORAY_OK && prism->chooses)
        status = read_index(lines, "choice", prism->choices - 1, &choice);
    if (status == FORAY_OK)
        status = read_index(lines, "next", table->given - 1, &next);
    if (status == FORAY_OK)
        status = read_real(lines, "reward", &row.reward);
    if (status == FORAY_OK)
        status = end_line(lines);
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

static foray_status read_entries(const fy_prism *prism, line_reader *lines, bool of_states,
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
    if (status == FORAY_OK && !FY_NEW(&prism->table->arena, *reward,
                                      of_states ? prism->table->given : prism->table->lines + 1))
        status = FORAY_ERROR_MEMORY;
    for (; status == FORAY_OK && next_line(lines); count++)
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

/* What states, or transitions, earn; the structure is called `name` if the file does not say. */
static foray_status read_rewards(fy_prism *prism, const fy_prism_file *file, const char *name)
{
    line_reader lines = {0};
    char *own = NULL;
    fy_structure *structure;
    foray_status status = open_lines(prism->ctx, file->path, &lines);
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
    close_lines(&lines);
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
    status = read_transitions(&prism, transitions);
    if (status == FORAY_OK && states)
        status = read_states(&prism, states);
    if (status == FORAY_OK && labels)
        status = read_labels(&prism, labels);
    for (int64_t i = 0; i < files && status == FORAY_OK; i++)
        if (file[i].kind == FY_FILE_STATE_REWARDS || file[i].kind == FY_FILE_TRANSITION_REWARDS) {
            name_by_path(transitions, file[i].path, name, sizeof name);
            status = read_rewards(&prism, &file[i], name);
        }
    return status;
}
