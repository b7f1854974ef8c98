/* umb_names.c - names of states of a UMB file: the values of their variables, as PRISM prints
 * them, such as (2,true); of a single variable of texts, the text itself.
 *
 * Each state has as many bits, variable by variable from the lowest bit on. Where states are not
 * told apart, or a variable is of a kind that has no short text, states go by number. */
#include "import/umb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VARIABLES = 64, MOST_NAME = 200 };

typedef enum kind { PADDING, BOOL, INT, UINT, DOUBLE, STRING } kind;

typedef struct variable {
    kind kind;
    bool optional;
    int64_t bits, offset;
} variable;

typedef struct valuation {
    int64_t variables, bits, shown; /* shown: that are not padding */
    variable variable[MOST_VARIABLES];
    fy_umb_texts texts;
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
static bool read_class(const fy_umb *umb, valuation *out)
{
    fy_json states = fy_json_member(fy_json_member(umb->index, "valuations"), "states");
    fy_json classes = fy_json_member(states, "classes");
    fy_json list = fy_json_member(fy_json_item(classes, 0), "variables");
    if (fy_json_size(classes) != 1 || fy_json_size(list) > MOST_VARIABLES ||
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
static foray_status print_value(const fy_umb *umb, const valuation *all, const variable *v,
                                int64_t at, fy_writer *out)
{
    uint64_t bits = read_bits(all->data, at, v->bits);
    bool negative = v->kind == INT && v->bits < 64 && bits >> (v->bits - 1);
    int64_t whole = (int64_t)(negative ? bits | ~UINT64_C(0) << v->bits : bits);
    char text[MOST_NAME + 1];
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
        foray_status status = fy_umb_text(umb, &all->texts, (int64_t)bits, text);
        if (status != FORAY_OK)
            return status;
        fy_print(out, "%s", text);
    }
    return FORAY_OK;
}

/* "(2,true)". */
static foray_status print_state(const fy_umb *umb, const valuation *all, int64_t state,
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

static foray_status name_states(fy_umb *umb, const valuation *all)
{
    fy_words *words = &umb->prism->table->state_words;
    fy_writer name = {.ctx = umb->ctx};
    foray_status status = FORAY_OK;
    bool distinct = true;
    for (int64_t s = 0; s < umb->states && status == FORAY_OK && distinct; s++) {
        int32_t index = -1;
        name.size = 0;
        status = print_state(umb, all, s, &name);
        if (status == FORAY_OK && name.size >= 2 && name.size <= MOST_NAME + 1)
            status = fy_words_number(words, (const char *)name.data, &index);
        distinct = index == s;
    }
    free(name.data);
    umb->prism->table->numbered_states = !distinct;
    return status;
}

/* A list of names of states; those without one go by their number. */
static foray_status take_names(fy_umb *umb, fy_json list)
{
    char number[24];
    int64_t s = 0;
    foray_status status = FORAY_OK;
    for (fy_json item = fy_json_first(list); fy_json_kind_of(item) == FY_JSON_TEXT;
         item = fy_json_next(list, item), s++) {
        int32_t index = -1;
        const char *name = fy_json_text(item);
        fy_format(number, sizeof number, "%" PRId64, s);
        if (strlen(name) <= MOST_NAME)
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

foray_status fy_umb_names(fy_umb *umb)
{
    fy_json list = fy_json_member(fy_umb_parameters(umb), "state-names");
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
    foray_status status = fy_umb_member(umb, "valuations/states/valuations.bin", umb->states,
                                        (size_t)(all.bits / 8), &values);
    if (status != FORAY_OK || !values)
        return status;
    all.data = values->data;
    status = fy_umb_texts_open(umb, "valuations/states", strings, &all.texts);
    if (status == FORAY_OK)
        status = name_states(umb, &all);
    free(all.texts.start);
    return status;
}
