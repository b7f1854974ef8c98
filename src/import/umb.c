/* umb.c - models in the unified Markov binary format (github.com/pmc-tools/umb): a tar file with
 * index.json, which says what there is, and arrays beside it. */
#include "import/import.h"
#include "base/json.h"
#include "import/archive.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct umb_file {
    foray_context *ctx;
    fy_archive archive;
    fy_json_tree tree;
    fy_json index, system; /* the whole, and its "transition-system" */
    int64_t states, choices, branches, choice_actions;
    int64_t *first_branch; /* [choices + 1] */
    bool unnamed_actions;  /* which are numbers, then */
    fy_prism *prism;       /* choices and rows, as PRISM's files would give them */
} umb_file;

/* Kinds of numbers that are read. */
typedef enum number_type { AS_DOUBLE, AS_RATIONAL } number_type;

/* --------------------------------------------------------------------------------- arrays */

/* Text i of `folder`/string-mapping.bin and strings.bin, of `count`; texts may be read after
 * text_list, which is FORAY_OK with *mapping NULL where there are none. */
typedef struct text_list {
    int64_t count;
    int64_t *start; /* [count + 1], or NULL */
    const uint8_t *bytes;
} text_list;

/* Bit i of a member, NULL: none is set. */
static bool bit_at(const fy_member *bits, int64_t i)
{
    return bits && (bits->data[i / 8] >> (i % 8) & 1);
}

/* Its bytes for `count` bits. */
static int64_t words_of_bits(int64_t count)
{
    return (count + 63) / 64;
}

static uint64_t u64_at(const uint8_t *data, int64_t i)
{
    fy_reader reader = {.data = data + 8 * i, .size = 8};
    return fy_read_u64(&reader);
}

/* What a type object says; `what` has it. Intervals are refused by name, and so is anything that
 * is not a continuous number. */
static foray_status read_real_type(const umb_file *umb, fy_json type, const char *what,
                                   number_type *out)
{
    fy_json name = fy_json_member(type, "type"), size = fy_json_member(type, "size");
    const char *text = fy_json_kind_of(name) == FY_JSON_TEXT ? fy_json_text(name) : "";
    int64_t bits = fy_json_kind_of(size) == FY_JSON_INTEGER ? fy_json_integer(size) : 0;
    if (strstr(text, "-interval"))
        return fy_fail(
            umb->ctx, FORAY_ERROR_INPUT,
            "%s: %s of type %s: an interval model says between which bounds numbers lie, "
            "not what they are; Foray's models have probabilities",
            umb->archive.path, what, text);
    if (strcmp(text, "double") == 0 && (bits == 0 || bits == 64))
        *out = AS_DOUBLE;
    else if (strcmp(text, "rational") == 0 && (bits == 0 || bits == 128))
        *out = AS_RATIONAL;
    else
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                       "%s: %s of type '%.40s' and %" PRId64
                       " bits: only doubles and rationals of 128 bits are read",
                       umb->archive.path, what, text, bits);
    return FORAY_OK;
}

/* The member of this name, which must have `size` bytes; *out is NULL where it is not there. */
static foray_status find_member(const umb_file *umb, const char *name, int64_t count, size_t width,
                                const fy_member **out)
{
    size_t size;
    *out = fy_archive_find(&umb->archive, name);
    if (*out && (!fy_size_mul((size_t)count, width, &size) || (*out)->size != size))
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                       "%s: %s: %zu bytes, but %" PRId64 " items of %zu are expected",
                       umb->archive.path, name, (*out)->size, count, width);
    return FORAY_OK;
}

/* Compressed rows: where each of `count` intervals of [0, total) begins; one each if the member is
 * not there. [count + 1], the caller's. */
static foray_status read_rows(const umb_file *umb, const char *name, int64_t count, int64_t total,
                              int64_t **out)
{
    const fy_member *member;
    int64_t *start;
    foray_status status = find_member(umb, name, count + 1, 8, &member);
    if (status != FORAY_OK)
        return status;
    if (!member && count != total)
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                       "%s: %s is not there, but %" PRId64 " do not have one each of %" PRId64,
                       umb->archive.path, name, count, total);
    if (!FY_NEW(&umb->prism->table->arena, start, count + 1))
        return FORAY_ERROR_MEMORY;
    bool ascending = true;
    for (int64_t i = 0; i <= count; i++) {
        uint64_t at = member ? u64_at(member->data, i) : (uint64_t)i;
        start[i] = at <= (uint64_t)total ? (int64_t)at : -1;
        ascending = ascending && start[i] >= (i > 0 ? start[i - 1] : 0);
    }
    if (!ascending || start[0] != 0 || start[count] != total)
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                       "%s: %s: not an ascending list from 0 to %" PRId64, umb->archive.path, name,
                       total);
    *out = start;
    return FORAY_OK;
}

/* `count` numbers; all 0 if the member is not there. */
static foray_status read_reals(const umb_file *umb, const char *name, number_type type,
                               int64_t count, double *out)
{
    const fy_member *member;
    foray_status status = find_member(umb, name, count, type == AS_RATIONAL ? 16 : 8, &member);
    for (int64_t i = 0; i < count && member && status == FORAY_OK; i++) {
        if (type == AS_RATIONAL) {
            double over = (double)(int64_t)u64_at(member->data, 2 * i);
            out[i] = over / (double)u64_at(member->data, 2 * i + 1);
        } else {
            fy_reader reader = {.data = member->data + 8 * i, .size = 8};
            out[i] = fy_read_double(&reader);
        }
        if (!(fabs(out[i]) <= 1e100))
            status = fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                             "%s: %s: item %" PRId64 " is not a number, or out of range",
                             umb->archive.path, name, i);
    }
    return status;
}

static foray_status open_texts(const umb_file *umb, const char *folder, int64_t count,
                               text_list *out)
{
    char mapping[160], strings[160];
    fy_format(mapping, sizeof mapping, "%s/string-mapping.bin", folder);
    fy_format(strings, sizeof strings, "%s/strings.bin", folder);
    const fy_member *text = fy_archive_find(&umb->archive, strings);
    *out = (text_list){.count = count, .bytes = text ? text->data : NULL};
    const fy_member *map = fy_archive_find(&umb->archive, mapping);
    if (!map && !text)
        return FORAY_OK;
    if (!map || !text)
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: of %s and %s only one is there",
                       umb->archive.path, mapping, strings);
    return read_rows(umb, mapping, count, (int64_t)text->size, &out->start);
}

/* A copy with a final 0; FORAY_ERROR_INPUT if it is not UTF-8 of at most 200 bytes. */
static foray_status read_text(const umb_file *umb, const text_list *texts, int64_t i, char out[201])
{
    int64_t length = texts->start[i + 1] - texts->start[i];
    if (length <= 200) {
        memcpy(out, texts->bytes + texts->start[i], (size_t)length);
        out[length] = 0;
    }
    if (length > 200 || strlen(out) != (size_t)length || !fy_json_is_utf8(out))
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                       "%s: text %" PRId64 " is longer than 200 bytes, or not UTF-8",
                       umb->archive.path, i);
    return FORAY_OK;
}

/* -------------------------------------------------------------------- names of states */

/* Names of states of a UMB file: the values of their variables, as PRISM prints
 * them, such as (2,true); of a single variable of texts, the text itself.
 *
 * Each state has as many bits, variable by variable from the lowest bit on. Where states are not
 * told apart, or a variable is of a kind that has no short text, states go by number. */

/* "parameters" of a file of our own; of others there are none. */
static fy_json parameters_of(const umb_file *umb)
{
    fy_json file = fy_json_member(umb->index, "file-data"), tool = fy_json_member(file, "tool");
    bool ours = fy_json_kind_of(tool) == FY_JSON_TEXT && strcmp(fy_json_text(tool), "Foray") == 0;
    return ours ? fy_json_member(file, "parameters") : (fy_json){0};
}

enum { MAX_VARIABLES = 64, MAX_NAME = 200 };

typedef enum kind { PADDING, BOOL, INT, UINT, DOUBLE, STRING } kind;

typedef struct variable {
    kind kind;
    bool optional;
    int64_t bits, offset;
} variable;

typedef struct valuation {
    int64_t variables, bits, shown; /* shown: that are not padding */
    variable variable[MAX_VARIABLES];
    text_list texts;
    const uint8_t *data;
} valuation;

/* What one entry of "variables" says; false: nothing that can be shown. */
static bool read_variable(fy_json entry, variable *out)
{
    static const char *const name[] = {"", "bool", "int", "uint", "double", "string"};
    static const int64_t size[] = {0, 1, 64, 64, 64, 64};
    fy_json padding = fy_json_member(entry, "padding"), type = fy_json_member(entry, "type");
    fy_json word = fy_json_member(type, "type"), bits = fy_json_member(type, "size");
    fy_json offset = fy_json_member(entry, "offset");
    *out = (variable){
        .optional = fy_json_kind_of(fy_json_member(entry, "is-optional")) == FY_JSON_TRUE,
        .offset = fy_json_kind_of(offset) == FY_JSON_INTEGER ? fy_json_integer(offset) : 0};
    if (fy_json_kind_of(padding) == FY_JSON_INTEGER) {
        out->bits = fy_json_integer(padding);
        return out->bits >= 1 && out->bits <= 1 << 20;
    }
    if (fy_json_kind_of(word) != FY_JSON_TEXT)
        return false;
    for (out->kind = BOOL; out->kind <= STRING; out->kind++)
        if (strcmp(fy_json_text(word), name[out->kind]) == 0)
            break;
    if (out->kind > STRING)
        return false;
    out->bits = fy_json_kind_of(bits) == FY_JSON_INTEGER ? fy_json_integer(bits) : size[out->kind];
    return out->bits >= 1 && out->bits <= 64 && (out->kind < DOUBLE || out->bits == 64);
}

/* The only class of states; false: there is none, or it cannot be shown. */
static bool read_class(const umb_file *umb, valuation *out)
{
    fy_json states = fy_json_member(fy_json_member(umb->index, "valuations"), "states");
    fy_json classes = fy_json_member(states, "classes");
    fy_json list = fy_json_member(fy_json_item(classes, 0), "variables");
    if (fy_json_size(classes) != 1 || fy_json_size(list) > MAX_VARIABLES ||
        fy_archive_find(&umb->archive, "valuations/states/valuation-to-class.bin"))
        return false;
    for (fy_json item = fy_json_first(list); fy_json_kind_of(item) != FY_JSON_ABSENT;
         item = fy_json_next(list, item)) {
        variable *v = &out->variable[out->variables++];
        if (!read_variable(item, v))
            return false;
        out->bits += v->bits + v->optional;
        out->shown += v->kind != PADDING;
    }
    return out->shown > 0 && out->bits % 8 == 0;
}

static uint64_t read_bits(const uint8_t *data, int64_t at, int64_t count)
{
    uint64_t value = 0;
    for (int64_t i = 0; i < count; i++)
        value |= (uint64_t)(data[(at + i) / 8] >> ((at + i) % 8) & 1) << i;
    return value;
}

/* One value as text; its bits begin at `at`. */
static foray_status print_value(const umb_file *umb, const valuation *all, const variable *v,
                                int64_t at, fy_writer *out)
{
    uint64_t bits = read_bits(all->data, at, v->bits);
    bool negative = v->kind == INT && v->bits < 64 && bits >> (v->bits - 1);
    int64_t whole = (int64_t)(negative ? bits | ~UINT64_C(0) << v->bits : bits);
    char text[MAX_NAME + 1];
    double real;
    if (v->kind == BOOL)
        fy_print(out, "%s", bits ? "true" : "false");
    else if (v->kind == INT || v->kind == UINT)
        fy_print(out, "%" PRId64, (int64_t)((uint64_t)whole + (uint64_t)v->offset));
    else if (v->kind == DOUBLE) {
        memcpy(&real, &bits, sizeof real);
        fy_print(out, "%.9g", real);
    } else {
        if (!all->texts.start || bits >= (uint64_t)all->texts.count)
            return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                           "%s: valuations of states: there is no text %" PRIu64, umb->archive.path,
                           bits);
        foray_status status = read_text(umb, &all->texts, (int64_t)bits, text);
        if (status != FORAY_OK)
            return status;
        fy_print(out, "%s", text);
    }
    return FORAY_OK;
}

/* "(2,true)". */
static foray_status print_state(const umb_file *umb, const valuation *all, int64_t state,
                                fy_writer *out)
{
    bool alone = all->shown == 1 && all->texts.start;
    const char *comma = "";
    int64_t at = state * all->bits;
    foray_status status = FORAY_OK;
    fy_print(out, "%s", alone ? "" : "(");
    for (int64_t i = 0; i < all->variables && status == FORAY_OK; i++) {
        const variable *v = &all->variable[i];
        bool there = !v->optional || read_bits(all->data, at, 1);
        at += v->optional;
        if (v->kind != PADDING) {
            fy_print(out, "%s", comma);
            comma = ",";
            if (there)
                status = print_value(umb, all, v, at, out);
        }
        at += v->bits;
    }
    fy_write_bytes(out, alone ? "" : ")", alone ? 1 : 2);
    return status == FORAY_OK && out->failed ? FORAY_ERROR_MEMORY : status;
}

static foray_status name_by_values(umb_file *umb, const valuation *all)
{
    fy_words *words = &umb->prism->table->state_words;
    fy_writer name = {.ctx = umb->ctx};
    foray_status status = FORAY_OK;
    bool distinct = true;
    for (int64_t s = 0; s < umb->states && status == FORAY_OK && distinct; s++) {
        int32_t index = -1;
        name.size = 0;
        status = print_state(umb, all, s, &name);
        if (status == FORAY_OK && name.size >= 2 && name.size <= MAX_NAME + 1)
            status = fy_words_number(words, (const char *)name.data, &index);
        distinct = index == s;
    }
    free(name.data);
    umb->prism->table->numbered_states = !distinct;
    return status;
}

/* A list of names of states; those without one go by their number. */
static foray_status take_names(umb_file *umb, fy_json list)
{
    char number[24];
    int64_t s = 0;
    foray_status status = FORAY_OK;
    for (fy_json item = fy_json_first(list); fy_json_kind_of(item) == FY_JSON_TEXT;
         item = fy_json_next(list, item), s++) {
        int32_t index = -1;
        const char *name = fy_json_text(item);
        fy_format(number, sizeof number, "%" PRId64, s);
        if (strlen(name) <= MAX_NAME)
            status =
                fy_words_number(&umb->prism->table->state_words, *name ? name : number, &index);
        if (status != FORAY_OK)
            return status;
        if (index != s)
            break;
    }
    umb->prism->table->numbered_states = s != umb->states;
    return status;
}

/* Names states after their variables, where each has its own. */
static foray_status name_states(umb_file *umb)
{
    fy_json list = fy_json_member(parameters_of(umb), "state-names");
    if (fy_json_size(list) == umb->states)
        return take_names(umb, list);

    valuation all = {0};
    int64_t strings = 0;
    const fy_member *values;
    fy_json states = fy_json_member(fy_json_member(umb->index, "valuations"), "states");
    fy_json count = fy_json_member(states, "#strings");
    if (!read_class(umb, &all))
        return FORAY_OK;
    if (fy_json_kind_of(count) == FY_JSON_INTEGER)
        strings = fy_json_integer(count);
    if (strings < 0 || strings > INT32_MAX)
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: valuations of states: #strings",
                       umb->archive.path);
    foray_status status = find_member(umb, "valuations/states/valuations.bin", umb->states,
                                      (size_t)(all.bits / 8), &values);
    if (status != FORAY_OK || !values)
        return status;
    all.data = values->data;
    status = open_texts(umb, "valuations/states", strings, &all.texts);
    if (status == FORAY_OK)
        status = name_by_values(umb, &all);
    return status;
}

/* -------------------------------------------------------------------------- the model */

/* States, choices and branches of a UMB file, its rewards and its labels.
 *
 * A state has choices, a choice is a law: its branches lead to states with probabilities. Rewards
 * of states, choices and branches add up; labels are "atomic propositions". Branches of a choice
 * that lead to one state with different rewards become twins (absorbing.c). */

/* ------------------------------------------------------------------------------ index */

static foray_status read_size(umb_file *umb, const char *key, int64_t *out)
{
    foray_status status = fy_document_integer(umb->ctx, umb->system, key, 0, INT32_MAX - 1, out);
    return status == FORAY_OK
               ? status
               : fy_fail_within(umb->ctx, status, "%s: index.json: transition-system",
                                umb->archive.path);
}

/* Discrete time, at most one player, everything observed, with probabilities. */
static foray_status check_system(const umb_file *umb)
{
    fy_json time = fy_json_member(umb->system, "time");
    fy_json players = fy_json_member(umb->system, "#players");
    fy_json observations = fy_json_member(umb->system, "#observations");
    const char *cause = NULL;
    if (fy_json_kind_of(time) != FY_JSON_TEXT || strcmp(fy_json_text(time), "discrete") != 0)
        cause = "its time is not discrete, and Foray's models go step by step";
    else if (fy_json_kind_of(players) != FY_JSON_INTEGER || fy_json_integer(players) < 0 ||
             fy_json_integer(players) > 1)
        cause = "this is a game of several players";
    else if (fy_json_kind_of(observations) == FY_JSON_INTEGER && fy_json_integer(observations) != 0)
        cause = "this is a POMDP, and Foray's models are observed";
    else if (fy_json_kind_of(fy_json_member(umb->system, "branch-probability-type")) ==
             FY_JSON_ABSENT)
        cause = "it has no probabilities";
    return cause ? fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: %s", umb->archive.path, cause)
                 : FORAY_OK;
}

/* It says what there is, and has no list of states: a few kilobytes. JSON takes ten times as much
 * memory as text, which a small compressed file could be made to take for nothing. */
static const size_t index_limit = 4 << 20;

static foray_status read_index(umb_file *umb)
{
    const fy_member *index = fy_archive_find(&umb->archive, "index.json");
    if (!index)
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: no index.json: this is not a UMB file",
                       umb->archive.path);
    if (index->size > index_limit)
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                       "%s: index.json: larger than the %zu MiB allowed here", umb->archive.path,
                       index_limit >> 20);
    foray_status status =
        fy_json_parse(umb->ctx, (const char *)index->data, index->size, "index.json", &umb->tree);
    if (status != FORAY_OK)
        return fy_fail_within(umb->ctx, status, "%s", umb->archive.path);
    umb->index = fy_json_root(&umb->tree);
    umb->system = fy_json_member(umb->index, "transition-system");
    fy_json version = fy_json_member(umb->index, "format-version");
    if (fy_json_kind_of(version) != FY_JSON_INTEGER || fy_json_integer(version) > 1)
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                       "%s: index.json: format-version 0 or 1 is expected", umb->archive.path);
    status = check_system(umb);
    if (status == FORAY_OK)
        status = read_size(umb, "#states", &umb->states);
    if (status == FORAY_OK)
        status = read_size(umb, "#choices", &umb->choices);
    if (status == FORAY_OK)
        status = read_size(umb, "#branches", &umb->branches);
    if (status == FORAY_OK)
        status = read_size(umb, "#choice-actions", &umb->choice_actions);
    if (status == FORAY_OK)
        status = fy_memory_need(umb->ctx, (double)umb->branches * sizeof(fy_transition),
                                umb->archive.path, "a model of fewer branches would do with less");
    if (status == FORAY_OK && umb->states < 1)
        status = fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: no states", umb->archive.path);
    return status;
}

/* ---------------------------------------------------------------------------- choices */

/* Words for actions that have none: the number of the word is the action's. */
static foray_status number_actions(umb_file *umb)
{
    char word[32];
    int32_t number;
    foray_status status = FORAY_OK;
    umb->unnamed_actions = true;
    for (int64_t a = 0; a < umb->choice_actions && status == FORAY_OK; a++) {
        fy_format(word, sizeof word, "%" PRId64, a);
        status = fy_words_number(&umb->prism->table->action_words, word, &number);
    }
    return status;
}

/* The word of each choice: its action's text, or number; "[]" without an action. */
static foray_status read_actions(umb_file *umb)
{
    fy_prism *prism = umb->prism;
    const fy_member *values;
    text_list texts = {0};
    char word[201];
    foray_status status = find_member(umb, "actions/choices/values.bin", umb->choices, 4, &values);
    if (status == FORAY_OK && umb->choice_actions > 0)
        status = open_texts(umb, "actions/choices", umb->choice_actions, &texts);
    if (status == FORAY_OK && !texts.start && umb->choice_actions <= umb->choices)
        status = number_actions(umb);
    for (int64_t c = 0; c < umb->choices && status == FORAY_OK; c++) {
        const uint8_t *at = values ? values->data + 4 * c : (const uint8_t *)"\0\0\0\0";
        int64_t action = at[0] | at[1] << 8 | at[2] << 16 | (int64_t)at[3] << 24;
        if (umb->choice_actions > 0 && action >= umb->choice_actions)
            status = fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                             "%s: choice %" PRId64 " has action %" PRId64 " of %" PRId64,
                             umb->archive.path, c, action, umb->choice_actions);
        else if (texts.start)
            status = read_text(umb, &texts, action, word);
        else if (umb->choice_actions > 0)
            fy_format(word, sizeof word, "%" PRId64, action);
        else
            word[0] = 0;
        if (status == FORAY_OK)
            status = fy_words_number(&prism->table->action_words, *word ? word : "[]",
                                     &prism->choice_label[c]);
    }
    return status;
}

static foray_status read_choices(umb_file *umb)
{
    fy_prism *prism = umb->prism;
    foray_status status =
        read_rows(umb, "state-to-choices.bin", umb->states, umb->choices, &prism->first_choice);
    if (status == FORAY_OK)
        status = read_rows(umb, "choice-to-branches.bin", umb->choices, umb->branches,
                           &umb->first_branch);
    if (status != FORAY_OK)
        return status;
    for (int64_t c = 0; c < umb->choices; c++)
        if (umb->first_branch[c] == umb->first_branch[c + 1])
            return fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: choice %" PRId64 " has no branch",
                           umb->archive.path, c);
    prism->chooses = true;
    prism->choices = umb->choices;
    if (!FY_NEW(&prism->table->arena, prism->choice_label, umb->choices) ||
        !FY_NEW(&prism->table->arena, prism->choice_action, umb->choices))
        return FORAY_ERROR_MEMORY;
    return read_actions(umb);
}

/* ------------------------------------------------------------------------- annotations */

/* "annotations/rewards/r1/choices/values.bin". */
static void name_member(char out[200], const char *group, const char *id, const char *entity)
{
    fy_format(out, 200, "annotations/%.20s/%.90s/%s/values.bin", group, id, entity);
}

static bool applies_to(fy_json annotation, const char *entity)
{
    fy_json list = fy_json_member(annotation, "applies-to");
    for (fy_json item = fy_json_first(list); fy_json_kind_of(item) != FY_JSON_ABSENT;
         item = fy_json_next(list, item))
        if (fy_json_kind_of(item) == FY_JSON_TEXT && strcmp(fy_json_text(item), entity) == 0)
            return true;
    return false;
}

/* A label: a set of states as bits. */
static foray_status read_label(umb_file *umb, const char *name, const char *member)
{
    const fy_member *bits;
    fy_label *label = fy_transitions_label(umb->prism->table, name);
    if (!label)
        return FORAY_ERROR_MEMORY;
    foray_status status = find_member(umb, member, words_of_bits(umb->states), 8, &bits);
    for (int64_t s = 0; s < umb->states && status == FORAY_OK; s++)
        if (bit_at(bits, s))
            status = fy_label_add(umb->prism->table, label, s);
    return status;
}

static foray_status read_ap(umb_file *umb, const char *id, const char *name, fy_json annotation)
{
    char member[200];
    /* A label of choices or branches says nothing about where one is; "init" was read before. */
    if (!applies_to(annotation, "states") || strcmp(name, "init") == 0)
        return FORAY_OK;
    name_member(member, "aps", id, "states");
    return read_label(umb, name, member);
}

/* Adds the rewards of choices and branches: by the branch, whose number is the row's line. */
static foray_status add_rewards(umb_file *umb, const char *id, const char *entity, number_type type,
                                bool of_choices, fy_structure *structure)
{
    char member[200];
    double *value;
    int64_t count = of_choices ? umb->choices : umb->branches;
    if (!FY_ALLOC(umb->ctx, value, count))
        return FORAY_ERROR_MEMORY;
    name_member(member, "rewards", id, entity);
    foray_status status = read_reals(umb, member, type, count, value);
    if (status == FORAY_OK && !structure->row &&
        !FY_NEW(&umb->prism->table->arena, structure->row, umb->branches + 1))
        status = FORAY_ERROR_MEMORY;
    for (int64_t c = 0; c < umb->choices && status == FORAY_OK; c++)
        for (int64_t b = umb->first_branch[c]; b < umb->first_branch[c + 1]; b++)
            structure->row[b + 1] += value[of_choices ? c : b];
    free(value);
    return status;
}

static foray_status read_reward(umb_file *umb, const char *id, const char *name, fy_json annotation)
{
    char what[120];
    number_type type;
    fy_format(what, sizeof what, "reward %.100s", name);
    foray_status status = read_real_type(umb, fy_json_member(annotation, "type"), what, &type);
    if (status != FORAY_OK)
        return status;
    if (fy_json_kind_of(fy_json_member(annotation, "probability-type")) != FY_JSON_ABSENT)
        return fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: %s is random, which is not read",
                       umb->archive.path, what);
    fy_structure *structure = fy_transitions_structure(umb->prism->table, name);
    if (!structure)
        return FORAY_ERROR_MEMORY;
    if (applies_to(annotation, "states")) {
        char member[200];
        name_member(member, "rewards", id, "states");
        status = FY_NEW(&umb->prism->table->arena, structure->state, umb->states)
                     ? read_reals(umb, member, type, umb->states, structure->state)
                     : FORAY_ERROR_MEMORY;
    }
    if (status == FORAY_OK && applies_to(annotation, "choices"))
        status = add_rewards(umb, id, "choices", type, true, structure);
    if (status == FORAY_OK && applies_to(annotation, "branches"))
        status = add_rewards(umb, id, "branches", type, false, structure);
    return status;
}

/* The annotations of a group, by their aliases. */
static foray_status read_group(umb_file *umb, const char *group)
{
    bool rewards = strcmp(group, "rewards") == 0;
    fy_json all = fy_json_member(fy_json_member(umb->index, "annotations"), group);
    if (fy_json_kind_of(all) != FY_JSON_OBJECT)
        return FORAY_OK;
    foray_status status = FORAY_OK;
    const fy_transitions *table = umb->prism->table;
    for (fy_json key = fy_json_first(all), next; fy_json_kind_of(key) != FY_JSON_ABSENT;
         key = fy_json_next(all, next)) {
        next = fy_json_next(all, key);
        fy_json alias = fy_json_member(next, "alias");
        const char *id = fy_json_text(key);
        const char *name = fy_json_kind_of(alias) == FY_JSON_TEXT ? fy_json_text(alias) : id;
        int64_t before = rewards ? table->structures : table->labels;
        if (strlen(name) > 200 || strlen(id) > 90)
            return fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: a name in %s is too long",
                           umb->archive.path, group);
        status = rewards ? read_reward(umb, id, name, next) : read_ap(umb, id, name, next);
        if (status != FORAY_OK)
            return status;
        if (rewards && table->structures == before)
            return fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: two rewards are called '%.100s'",
                           umb->archive.path, name);
    }
    return status;
}

/* What files of our own say among their parameters: [[state, probability], ...]. */
static foray_status read_initial_law(umb_file *umb)
{
    fy_transitions *table = umb->prism->table;
    fy_json list = fy_json_member(parameters_of(umb), "initial");
    if (fy_json_kind_of(list) != FY_JSON_ARRAY)
        return FORAY_OK;
    if (!FY_NEW(&table->arena, table->begins, umb->states))
        return FORAY_ERROR_MEMORY;
    for (fy_json item = fy_json_first(list); fy_json_kind_of(item) != FY_JSON_ABSENT;
         item = fy_json_next(list, item)) {
        fy_json state = fy_json_item(item, 0), probability = fy_json_item(item, 1);
        if (fy_json_kind_of(state) != FY_JSON_INTEGER || !fy_json_is_number(probability) ||
            fy_json_integer(state) < 0 || fy_json_integer(state) >= umb->states)
            return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                           "%s: index.json: file-data: parameters: initial: not a list of "
                           "[state, probability]",
                           umb->archive.path);
        table->begins[fy_json_integer(state)] += fy_json_real(probability);
    }
    return FORAY_OK;
}

/* ------------------------------------------------------------------------------- rows */

/* Branches of a choice that lead to one state earn the same, or get a number each. */
static void number_reward(const fy_transitions *table, fy_transition *choice, int64_t k)
{
    fy_transition *row = choice + k;
    for (int64_t j = k - 1; j >= 0; j--) {
        const fy_transition *other = choice + j;
        bool same = other->next == row->next;
        for (int64_t i = 0; i < table->structures && same; i++) {
            const double *value = table->structure[i].row;
            same = !value || value[row->line] == value[other->line];
        }
        if (same) {
            row->reward = other->reward;
            return;
        }
        if (other->next == row->next && other->reward >= row->reward)
            row->reward = other->reward + 1;
    }
}

/* Each branch is a row; its "line" is its number, from 1. The choice, counted within its state,
 * stands for the action until fy_prism_choose_actions has seen all of them. */
static foray_status read_choice(umb_file *umb, int64_t state, int64_t choice,
                                const fy_member *target, const double *probability)
{
    fy_transitions *table = umb->prism->table;
    int64_t first = table->rows.count;
    for (int64_t b = umb->first_branch[choice]; b < umb->first_branch[choice + 1]; b++) {
        uint64_t next = u64_at(target->data, b);
        if (next >= (uint64_t)umb->states || !(probability[b] >= 0 && probability[b] <= 1))
            return fy_fail(umb->ctx, FORAY_ERROR_INPUT,
                           "%s: branch %" PRId64 " leads to state %" PRIu64
                           " with probability %.9g",
                           umb->archive.path, b, next, probability[b]);
        fy_transition row = {.state = (int32_t)state,
                             .action = (int32_t)(choice - umb->prism->first_choice[state]),
                             .next = (int32_t)next,
                             .probability = probability[b],
                             .line = b + 1};
        foray_status status = fy_row_list_add(&table->rows, &row);
        if (status != FORAY_OK)
            return status;
        number_reward(table, table->rows.row + first, table->rows.count - 1 - first);
    }
    return FORAY_OK;
}

static foray_status read_choices_of_all(umb_file *umb, const fy_member *target,
                                        const double *probability)
{
    const int64_t *first = umb->prism->first_choice;
    foray_status status = FORAY_OK;
    for (int64_t s = 0; s < umb->states && status == FORAY_OK; s++)
        for (int64_t c = first[s]; c < first[s + 1] && status == FORAY_OK; c++)
            status = read_choice(umb, s, c, target, probability);
    return status;
}

static foray_status read_branches(umb_file *umb)
{
    fy_transitions *table = umb->prism->table;
    const fy_member *target = NULL;
    double *probability = NULL;
    number_type type;
    for (int64_t i = 0; i < table->structures; i++)
        table->has_reward = table->has_reward || table->structure[i].row != NULL;
    table->lines = umb->branches;
    foray_status status = read_real_type(
        umb, fy_json_member(umb->system, "branch-probability-type"), "branch probabilities", &type);
    if (status == FORAY_OK)
        status = find_member(umb, "branch-to-target.bin", umb->branches, 8, &target);
    if (status == FORAY_OK && !target && umb->branches > 0)
        status = fy_fail(umb->ctx, FORAY_ERROR_INPUT, "%s: branch-to-target.bin is not there",
                         umb->archive.path);
    if (status == FORAY_OK && !FY_ALLOC(umb->ctx, probability, umb->branches))
        status = FORAY_ERROR_MEMORY;
    if (status == FORAY_OK)
        status = read_reals(umb, "branch-to-probability.bin", type, umb->branches, probability);
    if (status == FORAY_OK && target)
        status = read_choices_of_all(umb, target, probability);
    free(probability);
    return status;
}

/* -------------------------------------------------------------------------------- all */

static foray_status read_model(umb_file *umb, const char *path)
{
    foray_status status = fy_archive_read(umb->ctx, path, &umb->archive);
    if (status == FORAY_OK)
        status = read_index(umb);
    if (status == FORAY_OK) {
        umb->prism->table->given = umb->prism->table->states = umb->states;
        umb->prism->table->numbered_states = true;
        status = read_choices(umb);
    }
    if (status == FORAY_OK && fy_archive_find(&umb->archive, "state-is-initial.bin"))
        status = read_label(umb, "init", "state-is-initial.bin");
    if (status == FORAY_OK)
        status = read_group(umb, "rewards");
    if (status == FORAY_OK)
        status = read_group(umb, "aps");
    if (status == FORAY_OK)
        status = read_initial_law(umb);
    if (status == FORAY_OK)
        status = name_states(umb);
    if (status == FORAY_OK)
        status = read_branches(umb);
    if (status == FORAY_OK)
        status = fy_prism_choose_actions(umb->prism);
    umb->prism->table->numbered_actions |= umb->unnamed_actions;
    return status;
}

foray_status fy_umb_read(fy_transitions *out)
{
    fy_prism prism = {.ctx = out->ctx, .table = out};
    umb_file umb = {.ctx = out->ctx, .prism = &prism};
    foray_status status = read_model(&umb, out->path);
    fy_json_free(&umb.tree);
    fy_archive_free(&umb.archive);
    return status;
}
