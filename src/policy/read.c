/* read.c - reading the format "foray-policy" (write.c shows it), as a stream (stream.h). Messages
 * name the file, the line and the cause. */
#include "base/json.h"
#include "policy/policy.h"
#include "policy/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------- single values */

/* What is being read, and where in it something is wrong. */
typedef struct reading {
    foray_context *ctx;
    const fy_policy_text *text;
    fy_json root;
    fy_json culprit; /* the value looked at last */
    int64_t line;    /* instead of a value; 0: none */
    foray_policy *policy;
} reading;

/* A member, which is to blame if what follows fails. */
static fy_json member(reading *r, fy_json object, const char *key)
{
    fy_json found = fy_json_member(object, key);
    r->culprit = found.tree ? found : object;
    return found;
}

/* A number from `min`, or null: `otherwise`. */
static foray_status read_real(reading *r, fy_json object, const char *key, double min,
                              double otherwise, double *out)
{
    fy_json value = member(r, object, key);
    if (fy_json_kind_of(value) != FY_JSON_NULL)
        return fy_document_real(r->ctx, object, key, min, HUGE_VAL, out);
    *out = otherwise;
    return FORAY_OK;
}

static foray_status read_flag(reading *r, fy_json object, const char *key, bool *out)
{
    fy_json_kind kind = fy_json_kind_of(member(r, object, key));
    *out = kind == FY_JSON_TRUE;
    if (kind == FY_JSON_TRUE || kind == FY_JSON_FALSE)
        return FORAY_OK;
    return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s: true or false is expected", key);
}

static foray_status read_choice(reading *r, fy_json object, const char *key,
                                const char *const *choices, int *out)
{
    member(r, object, key);
    return fy_document_choice(r->ctx, object, key, choices, out);
}

static foray_status read_integer(reading *r, fy_json object, const char *key, int64_t min,
                                 int64_t max, int64_t *out)
{
    member(r, object, key);
    return fy_document_integer(r->ctx, object, key, min, max, out);
}

/* A text; missing: NULL, as it was. */
static foray_status read_text(reading *r, fy_json object, const char *key, char **out)
{
    fy_json value = member(r, object, key);
    if (!value.tree)
        return FORAY_OK;
    if (fy_json_kind_of(value) != FY_JSON_TEXT)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s: a text is expected", key);
    return fy_policy_copy_text(r->ctx, r->policy, out, fy_json_text(value));
}

/* The list of a key, or one that is missing, which counts as empty. */
static foray_status open_list(reading *r, fy_json object, const char *key, fy_json *out)
{
    *out = member(r, object, key);
    if (out->tree && fy_json_kind_of(*out) != FY_JSON_ARRAY)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s: a list is expected", key);
    return FORAY_OK;
}

/* ------------------------------------------------------------------- actions */

/* Rows ascend, and the first of each part of a mixture is said. */
static foray_status check_from(reading *r, const char *key, int64_t i, int64_t before, int64_t from)
{
    int64_t horizon = r->policy->horizon, rows = r->policy->parts * horizon;
    int64_t part = before < 0 ? 0 : before / horizon + 1; /* whose first row may not be skipped */
    if (before < 0 && from != 0)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s[0]: the first row must begin at step 0", key);
    if (from <= before || from >= rows)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "%s[%" PRId64 "]: steps must ascend, and there are %" PRId64, key, i, rows);
    if (from > part * horizon)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "%s[%" PRId64 "]: part %" PRId64 " begins with a row from %" PRId64, key, i,
                       part, part * horizon);
    return FORAY_OK;
}

/* And so is that of the last part. */
static foray_status check_last(reading *r, const char *key, int64_t last)
{
    int64_t part = r->policy->parts - 1;
    if (last >= part * r->policy->horizon)
        return FORAY_OK;
    return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                   "%s: there are odds for %" PRId64 " parts, but not as many begin", key,
                   part + 1);
}

/* Sizes are believed only as far as the lists bear them out. */
static foray_status check_row(reading *r, int64_t i)
{
    const fy_policy_row *row = &r->text->row[i];
    const foray_policy *policy = r->policy;
    r->line = row->line;
    foray_status status =
        check_from(r, "action", i, i == 0 ? -1 : r->text->row[i - 1].from, row->from);
    if (status != FORAY_OK)
        return status;
    if (row->count != fy_policy_covered(policy))
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "action[%" PRId64 "]: a list of %" PRId64 " actions is expected", i,
                       fy_policy_covered(policy));
    for (int64_t k = 0; k < row->count; k++) {
        int64_t s = fy_policy_state(policy, k);
        int32_t action = r->text->action[row->first + k];
        if (action == INT32_MIN)
            return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                           "action[%" PRId64 "]: state %" PRId64 ": there is no such action", i, s);
        if (action < 0 || action >= policy->actions)
            return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                           "action[%" PRId64 "]: state %" PRId64 ": action %d, but there are "
                           "%" PRId64,
                           i, s, action, policy->actions);
    }
    r->line = 0;
    return FORAY_OK;
}

static foray_status check_rows(reading *r)
{
    fy_json list = member(r, r->root, "action");
    const fy_policy_text *text = r->text;
    foray_status status = FORAY_OK;
    if (fy_json_kind_of(list) != FY_JSON_ARRAY || text->rows == 0)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "action: a list of actions is expected");
    for (int64_t i = 0; i < text->rows && status == FORAY_OK; i++)
        status = check_row(r, i);
    return status == FORAY_OK ? check_last(r, "action", text->row[text->rows - 1].from) : status;
}

/* A list of `count` whole numbers from `min` to below `end`. */
static foray_status read_wholes(reading *r, fy_json list, const char *what, int64_t count,
                                int64_t min, int64_t end, int32_t *out)
{
    int64_t i = 0;
    r->culprit = list.tree ? list : r->culprit;
    if (fy_json_kind_of(list) != FY_JSON_ARRAY || fy_json_size(list) != count)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "%s: a list of %" PRId64 " whole numbers is expected", what, count);
    for (fy_json item = fy_json_first(list); item.tree; item = fy_json_next(list, item), i++) {
        int64_t number = fy_json_kind_of(item) == FY_JSON_INTEGER ? fy_json_integer(item) : min - 1;
        if (number < min || number >= end)
            return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                           "%s[%" PRId64 "]: a number from %" PRId64 " to %" PRId64 " is expected",
                           what, i, min, end - 1);
        out[i] = (int32_t)number;
    }
    return FORAY_OK;
}

/* What it remembers: {"letter":[...],"next":[[...],...]}. */
static foray_status read_memory(reading *r)
{
    static const char *const keys[] = {"letter", "next", NULL};
    foray_policy *policy = r->policy;
    fy_json object = member(r, r->root, "memory"), next, letter;
    if (!object.tree)
        return FORAY_OK;
    foray_status status = fy_document_keys(r->ctx, object, "memory", keys);
    if (status != FORAY_OK)
        return status;
    letter = fy_json_member(object, "letter");
    next = fy_json_member(object, "next");
    bool lists = fy_json_kind_of(letter) == FY_JSON_ARRAY &&
                 fy_json_kind_of(next) == FY_JSON_ARRAY && fy_json_size(next) > 0;
    int64_t states = lists ? fy_json_size(next) : 0, model_states = fy_json_size(letter);
    int64_t letters = lists ? fy_json_size(fy_json_first(next)) : 0, q = 0;
    if (letters < 1 || model_states < 1 || policy->states % model_states != 0 ||
        policy->states / model_states != states)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "memory: a list \"letter\" and a list of lists \"next\" are expected, whose "
                       "sizes together make %" PRId64 " states",
                       policy->states);
    status = fy_policy_make_memory(r->ctx, policy, model_states, states, letters);
    if (status == FORAY_OK)
        status = read_wholes(r, letter, "letter", model_states, 0, letters, policy->memory->letter);
    for (fy_json row = fy_json_first(next); row.tree && status == FORAY_OK; q++) {
        status =
            read_wholes(r, row, "next", letters, -1, states, policy->memory->next + q * letters);
        row = fy_json_next(next, row);
    }
    return status == FORAY_OK ? FORAY_OK : fy_fail_within(r->ctx, status, "memory");
}

/* The states that it is about, where those are not all. */
static foray_status read_reachable(reading *r)
{
    foray_policy *policy = r->policy;
    fy_json list = fy_json_member(r->root, "reachable"), item;
    if (!list.tree)
        return FORAY_OK;
    if (fy_json_kind_of(list) != FY_JSON_ARRAY || fy_json_size(list) < 1)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "reachable: a list of states is expected");
    if (fy_json_member(r->root, "clusters").tree)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "reachable: a policy over clusters needs actions in all of them");
    policy->covered = fy_json_size(list);
    if (!FY_NEW(fy_policy_arena(r->ctx, policy), policy->state, policy->covered))
        return FORAY_ERROR_MEMORY;
    int64_t k = 0, before = -1;
    for (item = fy_json_first(list); item.tree; item = fy_json_next(list, item), k++) {
        int64_t number = fy_json_kind_of(item) == FY_JSON_INTEGER ? fy_json_integer(item) : -1;
        if (number <= before || number >= policy->states) {
            r->culprit = item;
            return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                           "reachable[%" PRId64 "]: states ascend, and are 0 to %" PRId64, k,
                           policy->states - 1);
        }
        policy->state[k] = (int32_t)(before = number);
    }
    return FORAY_OK;
}

/* A row holds until the next one. `max` actions are not too many. */
static foray_status read_actions(reading *r, int64_t max)
{
    foray_policy *policy = r->policy;
    const fy_policy_text *text = r->text;
    int64_t covered = fy_policy_covered(policy);
    foray_status status = check_rows(r);
    if (status != FORAY_OK)
        return status;
    if (policy->parts * policy->horizon > max / covered)
        return fy_fail(r->ctx, FORAY_ERROR_MEMORY,
                       "a policy for %" PRId64 " states and %" PRId64 " steps is too large",
                       covered, policy->horizon);
    status = fy_policy_make_parts(r->ctx, policy, policy->parts, false, false);
    if (status != FORAY_OK)
        return status;
    int64_t row = 0;
    for (int64_t t = 0; t < policy->parts * policy->horizon; t++) {
        if (row + 1 < text->rows && text->row[row + 1].from == t)
            row++;
        memcpy(policy->action + t * covered, text->action + text->row[row].first,
               (size_t)covered * sizeof *policy->action);
    }
    return FORAY_OK;
}

/* ------------------------------------------------------------- what it draws */

/* A list of `count` numbers. */
static foray_status read_reals(reading *r, fy_json list, const char *what, int64_t count,
                               double *out)
{
    r->culprit = list.tree ? list : r->culprit;
    if (fy_json_kind_of(list) != FY_JSON_ARRAY || fy_json_size(list) != count)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s: a list of %" PRId64 " numbers is expected",
                       what, count);
    int64_t i = 0;
    for (fy_json item = fy_json_first(list); item.tree; item = fy_json_next(list, item), i++) {
        if (!fy_json_is_number(item))
            return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s[%" PRId64 "]: a number is expected", what,
                           i);
        out[i] = fy_json_real(item);
    }
    return FORAY_OK;
}

/* A law: an action, or a list of [action, probability], each action once. */
static foray_status read_chance(reading *r, fy_json item, double *law)
{
    int64_t A = r->policy->actions;
    r->culprit = item;
    if (fy_json_kind_of(item) == FY_JSON_INTEGER) {
        int64_t a = fy_json_integer(item);
        if (a < 0 || a >= A)
            return fy_fail(r->ctx, FORAY_ERROR_INPUT, "action %" PRId64 ", but there are %" PRId64,
                           a, A);
        law[a] = 1;
        return FORAY_OK;
    }
    if (fy_json_kind_of(item) != FY_JSON_ARRAY)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "an action or a list of [action, probability] "
                       "is expected");
    for (fy_json pair = fy_json_first(item); pair.tree; pair = fy_json_next(item, pair)) {
        bool list = fy_json_kind_of(pair) == FY_JSON_ARRAY && fy_json_size(pair) == 2;
        fy_json action = list ? fy_json_first(pair) : pair;
        fy_json chance = list ? fy_json_next(pair, action) : pair;
        int64_t a = fy_json_kind_of(action) == FY_JSON_INTEGER ? fy_json_integer(action) : -1;
        if (!list || a < 0 || a >= A || !fy_json_is_number(chance) || law[a] != 0)
            return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                           "[action, probability] is expected, with each of %" PRId64
                           " actions at most once",
                           A);
        law[a] = fy_json_real(chance);
    }
    if (fy_policy_normalise(law, A))
        return FORAY_OK;
    return fy_fail(r->ctx, FORAY_ERROR_INPUT, "the probabilities do not sum to 1");
}

/* [from, [law of each state]] */
static foray_status read_laws(reading *r, fy_json list, int64_t i, int64_t before, int64_t *from)
{
    fy_json first = fy_json_first(list), laws = first;
    bool right = fy_json_kind_of(list) == FY_JSON_ARRAY && fy_json_size(list) == 2 &&
                 fy_json_kind_of(first) == FY_JSON_INTEGER;
    r->culprit = list;
    if (right)
        laws = fy_json_next(list, first);
    if (!right || fy_json_kind_of(laws) != FY_JSON_ARRAY ||
        fy_json_size(laws) != fy_policy_covered(r->policy))
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "chance[%" PRId64 "]: [step, [a law of actions for each of %" PRId64
                       " states]] is expected",
                       i, fy_policy_covered(r->policy));
    *from = fy_json_integer(first);
    foray_status status = check_from(r, "chance", i, before, *from);
    double *law = r->policy->chance;
    int64_t s = 0, A = r->policy->actions;
    if (status != FORAY_OK)
        return status;
    for (fy_json item = fy_json_first(laws); item.tree && status == FORAY_OK; s++) {
        status = read_chance(r, item, law + (*from * fy_policy_covered(r->policy) + s) * A);
        if (status != FORAY_OK)
            return fy_fail_within(r->ctx, status, "chance[%" PRId64 "]: state %" PRId64, i, s);
        item = fy_json_next(laws, item);
    }
    return status;
}

/* Steps from..end-1 have the row before them. */
static void repeat_laws(foray_policy *policy, int64_t from, int64_t end)
{
    int64_t row = fy_policy_covered(policy) * policy->actions;
    for (int64_t t = from; t < end; t++)
        memcpy(policy->chance + t * row, policy->chance + (t - 1) * row,
               (size_t)row * sizeof *policy->chance);
}

/* "chance" takes the place of "action". */
static foray_status read_chances(reading *r, fy_json list, int64_t max)
{
    foray_policy *policy = r->policy;
    int64_t rows = policy->parts * policy->horizon, i = 0, before = -1, from = 0;
    foray_status status = FORAY_OK;
    fy_json item = fy_json_first(list);
    if (fy_json_member(r->root, "action").tree)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "chance: a policy has either actions or probabilities of them");
    if (fy_json_kind_of(list) != FY_JSON_ARRAY || !item.tree ||
        fy_json_kind_of(item) != FY_JSON_ARRAY || fy_json_size(item) != 2 ||
        fy_json_size(fy_json_next(item, fy_json_first(item))) != fy_policy_covered(policy))
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "chance: a list of [step, [a law of actions for each of %" PRId64
                       " states]] is expected",
                       fy_policy_covered(policy));
    if (rows > max / fy_policy_covered(policy) / policy->actions)
        return fy_fail(r->ctx, FORAY_ERROR_MEMORY, "the policy is too large");
    status = fy_policy_make_parts(r->ctx, policy, policy->parts, false, true);
    for (; item.tree && status == FORAY_OK; i++) {
        status = read_laws(r, item, i, before, &from);
        if (status == FORAY_OK)
            repeat_laws(policy, before + 1, before < 0 ? 0 : from);
        before = from;
        item = fy_json_next(list, item);
    }
    if (status == FORAY_OK)
        status = check_last(r, "chance", before);
    if (status != FORAY_OK)
        return status;
    repeat_laws(policy, before + 1, rows);
    fy_policy_find_likeliest(policy);
    return FORAY_OK;
}

/* How many parts there are, and their odds. */
static foray_status read_odds(reading *r)
{
    fy_json list = member(r, r->root, "odds");
    foray_policy *policy = r->policy;
    policy->parts = 1;
    if (!list.tree)
        return FORAY_OK;
    int64_t parts = fy_json_kind_of(list) == FY_JSON_ARRAY ? fy_json_size(list) : 0;
    if (parts < 1)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "odds: a list of numbers is expected");
    if (parts > INT64_MAX / policy->horizon / fy_policy_covered(policy))
        return fy_fail(r->ctx, FORAY_ERROR_MEMORY, "odds: the policy is too large");
    if (!FY_NEW(fy_policy_arena(r->ctx, policy), policy->odds, parts))
        return FORAY_ERROR_MEMORY;
    policy->parts = parts;
    foray_status status = read_reals(r, list, "odds", parts, policy->odds);
    if (status == FORAY_OK && !fy_policy_normalise(policy->odds, parts))
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "odds: they do not sum to 1");
    return status;
}

/* -------------------------------------------------------- values, certificate */

static foray_status read_values(reading *r)
{
    foray_policy *policy = r->policy;
    static const char *const keys[] = {"policy", "low",         "high", "optimistic",
                                       "plugin", "pessimistic", NULL};
    double *const out[] = {&policy->expected,
                           &policy->low,
                           &policy->high,
                           &policy->value[FORAY_OPTIMISTIC],
                           &policy->value[FORAY_PLUGIN],
                           &policy->value[FORAY_PESSIMISTIC]};
    fy_json object = member(r, r->root, "value");
    if (!object.tree && policy->mode == FORAY_GIVEN)
        return FORAY_OK;
    foray_status status = fy_document_keys(r->ctx, object, "value", keys);
    for (int i = 0; keys[i] && status == FORAY_OK; i++)
        status = read_real(r, object, keys[i], -HUGE_VAL, NAN, out[i]);
    return status;
}

/* [h, s, a, share] */
static foray_status read_place(reading *r, fy_json item, foray_doubt_place *place)
{
    const int64_t below[] = {r->policy->horizon, r->policy->states, r->policy->actions};
    int64_t *const out[] = {&place->step, &place->state, &place->action};
    fy_json share = fy_json_item(item, 3);
    r->culprit = item;
    bool good = fy_json_size(item) == 4 && fy_json_is_number(share);
    for (int i = 0; i < 3 && good; i++) {
        fy_json number = fy_json_item(item, i);
        good = fy_json_kind_of(number) == FY_JSON_INTEGER && fy_json_integer(number) >= 0 &&
               fy_json_integer(number) < below[i];
        *out[i] = good ? fy_json_integer(number) : 0;
    }
    if (!good)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "doubt: [step, state, action, share] is expected, of this policy");
    place->share = fy_json_real(share);
    return FORAY_OK;
}

static foray_status read_law(reading *r, fy_json item, foray_policy_law *law)
{
    static const char *const keys[] = {"name", "visits", "share", "more", NULL};
    r->culprit = item;
    foray_status status = fy_document_keys(r->ctx, item, "laws", keys);
    if (status == FORAY_OK)
        status = read_text(r, item, "name", &law->name);
    if (status == FORAY_OK && !law->name)
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "name: a text is expected");
    if (status == FORAY_OK)
        status = read_integer(r, item, "visits", 0, INT64_MAX, &law->visits);
    if (status == FORAY_OK)
        status = read_real(r, item, "share", -HUGE_VAL, NAN, &law->share);
    if (status == FORAY_OK)
        status = read_real(r, item, "more", 0, INFINITY, &law->more);
    return status;
}

static foray_status read_doubt(reading *r, fy_json object)
{
    fy_json places, laws;
    foray_status status = open_list(r, object, "doubt", &places);
    if (status == FORAY_OK)
        status = open_list(r, object, "laws", &laws);
    if (status != FORAY_OK || (!places.tree && !laws.tree))
        return status;
    foray_policy_about *about = fy_policy_about(r->ctx, r->policy);
    if (!about || !FY_NEW(fy_policy_arena(r->ctx, r->policy), about->place, fy_json_size(places)) ||
        !FY_NEW(fy_policy_arena(r->ctx, r->policy), about->law, fy_json_size(laws)))
        return FORAY_ERROR_MEMORY;
    fy_json item = fy_json_first(places);
    for (; places.tree && item.tree && status == FORAY_OK; item = fy_json_next(places, item))
        status = read_place(r, item, &about->place[about->places++]);
    item = laws.tree ? fy_json_first(laws) : laws;
    for (; laws.tree && item.tree && status == FORAY_OK; item = fy_json_next(laws, item))
        status = read_law(r, item, &about->law[about->laws++]);
    return status;
}

/* What is said must follow from the gap, its bound and its status; how large returns can be, they
 * do not say. */
static foray_status read_optimal(reading *r, fy_json object, foray_certificate *certificate)
{
    int said;
    foray_status status = read_choice(r, object, "optimal", fy_optimality_names, &said);
    if (status != FORAY_OK)
        return status;
    if (said != FORAY_OPTIMAL_NO)
        certificate->optimal = fy_certificate_optimality(certificate, true);
    if ((int)certificate->optimal == said)
        return FORAY_OK;
    return fy_fail(r->ctx, FORAY_ERROR_INPUT, "optimal: \"%s\", but the rest of it says \"%s\"",
                   fy_optimality_names[said], foray_certificate_optimal(certificate));
}

/* "because" follows from the status. */
static foray_status read_certificate(reading *r)
{
    static const char *const keys[] = {"gap",     "delta",   "radius", "bound", "status", "optimal",
                                       "vacuous", "because", "doubt",  "laws",  NULL};
    foray_certificate *certificate = &r->policy->certificate;
    foray_status status;
    int radius, proof, bound;
    fy_json object = member(r, r->root, "certificate");
    if (!object.tree && r->policy->mode == FORAY_GIVEN)
        return FORAY_OK;
    if ((status = fy_document_keys(r->ctx, object, "certificate", keys)) < 0 ||
        (status = read_real(r, object, "gap", 0, INFINITY, &certificate->gap)) < 0 ||
        (member(r, object, "delta"),
         status = fy_document_real(r->ctx, object, "delta", 0, 1, &certificate->delta)) < 0 ||
        (status = read_choice(r, object, "radius", fy_radius_names, &radius)) < 0 ||
        (status = read_choice(r, object, "status", fy_status_names, &proof)) < 0 ||
        (status = read_choice(r, object, "bound", fy_bound_names, &bound)) < 0)
        return status;
    certificate->radius = (foray_radius)radius;
    certificate->status = (foray_proof_status)proof;
    certificate->bound = (foray_bound)bound;
    if ((status = read_optimal(r, object, certificate)) < 0 ||
        (status = read_flag(r, object, "vacuous", &certificate->vacuous)) < 0)
        return status;
    return read_doubt(r, object);
}

/* ------------------------------------------------------------------- about it */

/* Behind the value that begins at `at`: an object that was parsed before. */
static size_t end_of_object(const char *text, size_t at)
{
    int64_t depth = 0;
    bool in_text = false;
    do {
        char c = text[at];
        if (in_text && c == '\\')
            at++;
        else if (c == '"')
            in_text = !in_text;
        else if (!in_text)
            depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        at++;
    } while (depth > 0);
    return at;
}

/* Kept as it is: only a model can tell what it means. */
static foray_status read_reward(reading *r, foray_policy_about *about)
{
    fy_json reward = member(r, r->root, "reward"), format;
    if (!reward.tree)
        return FORAY_OK;
    format = fy_json_member(reward, "format");
    if (fy_json_kind_of(reward) != FY_JSON_OBJECT || fy_json_kind_of(format) != FY_JSON_TEXT ||
        strcmp(fy_json_text(format), "foray-reward") != 0)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "reward: an object of the format foray-reward is expected");
    const char *text = (const char *)r->text->rest.data;
    size_t at = reward.tree->node[reward.node].at, end = end_of_object(text, at);
    if (!FY_NEW(fy_policy_arena(r->ctx, r->policy), about->reward, end - at + 1))
        return FORAY_ERROR_MEMORY;
    memcpy(about->reward, text + at, end - at);
    return FORAY_OK;
}

/* which: of `all`, those that the list is about; NULL: all. */
static foray_status read_names(reading *r, const char *key, int64_t count, const int32_t *which,
                               int64_t all, char ***out)
{
    fy_json list;
    foray_status status = open_list(r, r->root, key, &list);
    if (status != FORAY_OK || !list.tree)
        return status;
    if (fy_json_size(list) != count)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s: a list of %" PRId64 " names is expected",
                       key, count);
    if (!FY_NEW(fy_policy_arena(r->ctx, r->policy), *out, all))
        return FORAY_ERROR_MEMORY;
    int64_t i = 0;
    for (fy_json item = fy_json_first(list); item.tree; item = fy_json_next(list, item), i++) {
        fy_json_kind kind = fy_json_kind_of(item);
        r->culprit = item;
        if (kind == FY_JSON_NULL)
            continue;
        status = kind != FY_JSON_TEXT ? fy_fail(r->ctx, FORAY_ERROR_INPUT, "a text is expected")
                                      : fy_name_check(r->ctx, fy_json_text(item));
        if (status == FORAY_OK)
            status = fy_policy_copy_text(r->ctx, r->policy, &(*out)[which ? which[i] : i],
                                         fy_json_text(item));
        if (status != FORAY_OK)
            return fy_fail_within(r->ctx, status, "%s[%" PRId64 "]", key, i);
    }
    return FORAY_OK;
}

static foray_status read_from(reading *r, foray_policy_about *about)
{
    static const char *const keys[] = {"world",   "algorithm", "episodes", "seed",
                                       "version", "model",     NULL};
    fy_json from = member(r, r->root, "from");
    if (!from.tree)
        return FORAY_OK;
    foray_status status = fy_document_keys(r->ctx, from, "from", keys);
    if (status == FORAY_OK)
        status = read_text(r, from, "world", &about->world);
    if (status == FORAY_OK)
        status = read_text(r, from, "algorithm", &about->algorithm);
    if (status == FORAY_OK)
        status = read_text(r, from, "version", &about->version);
    if (status == FORAY_OK)
        status = read_text(r, from, "model", &about->model);
    if (status == FORAY_OK && fy_json_member(from, "episodes").tree)
        status = read_integer(r, from, "episodes", 0, INT64_MAX, &about->episodes);
    if (status == FORAY_OK && fy_json_member(from, "seed").tree)
        status = read_integer(r, from, "seed", 0, INT64_MAX, &about->seed);
    return status;
}

/* ------------------------------------------------------------------- clusters */

static foray_status read_box(reading *r, fy_json object, foray_policy_clusters *clusters)
{
    int64_t n = clusters->dimensions = fy_json_size(member(r, object, "low"));
    if (n < 1)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "low: a list of numbers is expected");
    if (!FY_NEW(fy_policy_arena(r->ctx, r->policy), clusters->low, n) ||
        !FY_NEW(fy_policy_arena(r->ctx, r->policy), clusters->high, n))
        return FORAY_ERROR_MEMORY;
    foray_status status = read_reals(r, fy_json_member(object, "low"), "low", n, clusters->low);
    if (status == FORAY_OK)
        status = read_reals(r, member(r, object, "high"), "high", n, clusters->high);
    for (int64_t i = 0; i < n && status == FORAY_OK; i++)
        if (!(clusters->low[i] < clusters->high[i]))
            status =
                fy_fail(r->ctx, FORAY_ERROR_INPUT, "high[%" PRId64 "]: %g is not above low, %g", i,
                        clusters->high[i], clusters->low[i]);
    return status;
}

/* Points of the grid in each dimension, at least 2; together as many as states. */
static foray_status read_cells(reading *r, fy_json object, foray_policy_clusters *clusters)
{
    fy_json list = member(r, object, "cells");
    int64_t i = 0, product = 1;
    if (fy_json_kind_of(list) != FY_JSON_ARRAY || fy_json_size(list) != clusters->dimensions)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "cells: a list of %" PRId64 " integers is expected", clusters->dimensions);
    if (!FY_NEW(fy_policy_arena(r->ctx, r->policy), clusters->cells, clusters->dimensions))
        return FORAY_ERROR_MEMORY;
    for (fy_json item = fy_json_first(list); item.tree; item = fy_json_next(list, item), i++) {
        int64_t cells = fy_json_kind_of(item) == FY_JSON_INTEGER ? fy_json_integer(item) : 0;
        if (cells < 2 || cells > r->policy->states / product)
            return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                           "cells[%" PRId64 "]: an integer from 2 is expected; together they "
                           "make %" PRId64 " states",
                           i, r->policy->states);
        clusters->cells[i] = cells;
        product *= cells;
    }
    if (product != r->policy->states)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "cells: a grid of %" PRId64 " points, but there are %" PRId64 " states",
                       product, r->policy->states);
    return FORAY_OK;
}

static foray_status read_centres(reading *r, fy_json object, foray_policy_clusters *clusters)
{
    int64_t n = clusters->dimensions, x = 0;
    fy_json list = member(r, object, "centres");
    if (fy_json_kind_of(list) != FY_JSON_ARRAY || fy_json_size(list) != r->policy->states)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "centres: a list of %" PRId64 " vectors is expected", r->policy->states);
    size_t numbers;
    if (!fy_size_mul((size_t)r->policy->states, (size_t)n, &numbers) ||
        !FY_NEW(fy_policy_arena(r->ctx, r->policy), clusters->centre, numbers))
        return FORAY_ERROR_MEMORY;
    foray_status status = FORAY_OK;
    for (fy_json item = fy_json_first(list); item.tree && status == FORAY_OK; x++) {
        status = read_reals(r, item, "centres", n, clusters->centre + x * n);
        item = fy_json_next(list, item);
    }
    if (status == FORAY_OK) {
        member(r, object, "width");
        status = fy_document_real(r->ctx, object, "width", 0, 1, &clusters->width);
    }
    if (status == FORAY_OK && clusters->width <= 0)
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "width: it must be above 0");
    if (status == FORAY_OK)
        status = read_integer(r, object, "nearest", 1, r->policy->states, &clusters->nearest);
    return status;
}

static foray_status read_clusters(reading *r, foray_policy_about *about)
{
    static const char *const kinds[] = {"grid", "radial", NULL};
    static const char *const grid[] = {"kind", "low", "high", "cells", NULL};
    static const char *const radial[] = {"kind",  "low",     "high", "centres",
                                         "width", "nearest", NULL};
    fy_json object = member(r, r->root, "clusters");
    int kind;
    if (!object.tree)
        return FORAY_OK;
    if (fy_json_kind_of(object) != FY_JSON_OBJECT)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "clusters: an object is expected");
    foray_status status = read_choice(r, object, "kind", kinds, &kind);
    if (status == FORAY_OK) {
        r->culprit = object;
        status = fy_document_keys(r->ctx, object, "clusters", kind == 0 ? grid : radial);
    }
    if (status != FORAY_OK)
        return status;
    if (!FY_NEW(fy_policy_arena(r->ctx, r->policy), about->clusters, 1))
        return FORAY_ERROR_MEMORY;
    status = read_box(r, object, about->clusters);
    if (status == FORAY_OK)
        status = kind == 0 ? read_cells(r, object, about->clusters)
                           : read_centres(r, object, about->clusters);
    return status == FORAY_OK ? FORAY_OK : fy_fail_within(r->ctx, status, "clusters");
}

static foray_status read_about(reading *r)
{
    static const char *const keys[] = {"reward", "state_names", "action_names", "clusters", "from"};
    bool any = false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        any |= fy_json_member(r->root, keys[i]).tree != NULL;
    if (!any)
        return FORAY_OK;
    foray_policy_about *about = fy_policy_about(r->ctx, r->policy);
    if (!about)
        return FORAY_ERROR_MEMORY;
    foray_status status = read_reward(r, about);
    if (status == FORAY_OK)
        status = r->policy->memory
                     ? read_names(r, "state_names", fy_policy_model_states(r->policy), NULL,
                                  fy_policy_model_states(r->policy), &about->state_name)
                     : read_names(r, "state_names", fy_policy_covered(r->policy), r->policy->state,
                                  r->policy->states, &about->state_name);
    if (status == FORAY_OK)
        status = read_names(r, "action_names", r->policy->actions, NULL, r->policy->actions,
                            &about->action_name);
    if (status == FORAY_OK)
        status = read_clusters(r, about);
    if (status == FORAY_OK)
        status = read_from(r, about);
    return status;
}

/* ------------------------------------------------------------------- the whole */

static foray_status read_policy(reading *r, int64_t max)
{
    foray_policy *policy = r->policy;
    int mode;
    foray_status status;
    /* The actions first: sizes that they do not bear out are not believed. */
    if ((status = read_integer(r, r->root, "states", 1, INT32_MAX, &policy->states)) < 0 ||
        (status = read_integer(r, r->root, "actions", 1, INT32_MAX, &policy->actions)) < 0 ||
        (status = read_integer(r, r->root, "horizon", 1, INT32_MAX, &policy->horizon)) < 0 ||
        (status = read_choice(r, r->root, "mode", fy_mode_names, &mode)) < 0 ||
        (status = read_memory(r)) < 0 || (status = read_reachable(r)) < 0 ||
        (status = read_odds(r)) < 0)
        return status;
    fy_json chance = member(r, r->root, "chance");
    status = chance.tree ? read_chances(r, chance, max) : read_actions(r, max);
    if (status < 0)
        return status;
    policy->mode = (foray_mode)mode;
    if ((status = read_values(r)) < 0 || (status = read_certificate(r)) < 0)
        return status;
    return read_about(r);
}

/* "policy.json:12: ..." where the line is known. */
static foray_status blame(const reading *r, foray_status status, const char *where)
{
    int64_t line = r->line;
    if (line == 0 && r->culprit.tree)
        line = fy_document_line((const char *)r->text->rest.data, r->culprit);
    if (line > 0 && status == FORAY_ERROR_INPUT)
        return fy_fail_within(r->ctx, status, "%s:%" PRId64, where, line);
    return fy_fail_within(r->ctx, status, "%s", where);
}

static foray_status parse_rest(foray_context *ctx, const fy_policy_text *text, const char *where,
                               fy_json_tree *tree)
{
    static const char *const keys[] = {
        "format",   "version", "states",    "actions",     "horizon", "mode",        "action",
        "chance",   "odds",    "value",     "certificate", "reward",  "state_names", "action_names",
        "clusters", "from",    "reachable", "memory",      NULL};
    return fy_document_parse_large(ctx, (const char *)text->rest.data, text->rest.size - 1, where,
                                   "foray-policy", keys, tree);
}

/* A policy from a text that was taken apart. */
static foray_status read_document(foray_context *ctx, const fy_policy_text *text, const char *where,
                                  int64_t max, foray_policy **out)
{
    fy_json_tree tree;
    foray_status status = parse_rest(ctx, text, where, &tree);
    if (status < 0)
        return status;
    fy_json root = fy_json_root(&tree);
    reading r = {.ctx = ctx, .text = text, .root = root, .culprit = root};
    status = fy_policy_create_unknown(ctx, &r.policy);
    if (status == FORAY_OK && (status = read_policy(&r, max)) < 0) {
        blame(&r, status, where);
        foray_policy_destroy(r.policy);
    }
    if (status == FORAY_OK)
        *out = r.policy;
    fy_json_free(&tree);
    return status;
}

/* From a file or, if that is NULL, from memory. */
static foray_status read_stream(foray_context *ctx, FILE *file, const char *text, size_t size,
                                const char *where, int64_t max, foray_policy **out)
{
    fy_policy_text found;
    foray_status status = fy_policy_text_read(ctx, file, text, size, where, &found);
    if (status != FORAY_OK)
        return status;
    status = read_document(ctx, &found, where, max, out);
    fy_policy_text_free(&found);
    return status;
}

foray_status fy_policy_parse(foray_context *ctx, const char *text, size_t size, const char *where,
                             int64_t max, foray_policy **out)
{
    return read_stream(ctx, NULL, text, size, where, max, out);
}

foray_status foray_policy_parse(foray_context *ctx, const char *text, size_t size,
                                const char *where, foray_policy **out)
{
    return fy_policy_parse(ctx, text, size, where, INT64_MAX, out);
}

foray_status foray_policy_load(foray_context *ctx, const char *path, foray_policy **out)
{
    foray_status status = fy_file_expect(ctx, path, "a policy");
    if (status != FORAY_OK)
        return status;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    status = read_stream(ctx, file, NULL, 0, path, INT64_MAX, out);
    fclose(file);
    return status;
}
