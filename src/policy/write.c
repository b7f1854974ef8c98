/* write.c - writing the format "foray-policy":
 *
 *   {"format":"foray-policy","version":1,"states":S,"actions":A,"horizon":H,
 *    "mode":"optimistic|plugin|pessimistic|given","action":[[from,[...S integers]],...],
 *    "odds":[...],
 *    "value":{"policy":v,"low":l,"high":h,"optimistic":x,"plugin":y,"pessimistic":z},
 *    "certificate":{"gap":g|null,"delta":x,"radius":TEXT,"bound":TEXT,"status":TEXT,
 *                   "optimal":TEXT,"vacuous":FLAG,"because":TEXT,"doubt":[...],"laws":[...]},
 *    "reward":{...},"state_names":[...],"action_names":[...],"clusters":{...},"from":{...}}
 *
 * A policy that remembers has "memory":{"letter":[...],"next":[[...],...]} (foray_policy_memory).
 * Its states are those of the model times those of the memory: state s, where q is remembered, is
 * s times the length of "next" plus q; "reachable" says which of them there are.
 *
 * Rows of actions hold until the next; those of the k-th part of a mixture, which has "odds", begin
 * at k H. Where a policy draws its actions, "chance" takes the place of "action", with an action or
 * a list of [action, probability] for each state. What follows the certificate, and "doubt" and
 * "laws", is there where it is known (foray_policy_about). JSON has neither infinity nor NaN: null
 * says that there is no bound, or that a value is not known. */
#include "base/json.h"
#include "policy/policy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------- small values */

static void put_real(fy_writer *writer, double value)
{
    if (isfinite(value))
        fy_document_put_real(writer, value);
    else
        fy_print(writer, "null");
}

static void put_reals(fy_writer *writer, const double *value, int64_t count)
{
    fy_print(writer, "[");
    for (int64_t i = 0; i < count; i++) {
        fy_print(writer, i > 0 ? "," : "");
        put_real(writer, value[i]);
    }
    fy_print(writer, "]");
}

static void put_text(fy_writer *writer, const char *key, const char *value)
{
    fy_print(writer, "\"%s\":", key);
    fy_json_put_text(writer, value);
}

/* --------------------------------------------------------------------- actions */

static void put_row(fy_writer *writer, const int32_t *number, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        fy_print(writer, i == 0 ? "[%d" : ",%d", number[i]);
    fy_print(writer, "]");
}

static void put_laws(fy_writer *writer, const foray_policy *policy, int64_t row)
{
    int64_t S = fy_policy_covered(policy), A = policy->actions;
    for (int64_t s = 0; s < S; s++) {
        const double *law = policy->chance + (row * S + s) * A;
        bool first = true;
        fy_print(writer, s == 0 ? "[" : ",");
        if (law[policy->action[row * S + s]] == 1) {
            fy_print(writer, "%d", policy->action[row * S + s]);
            continue;
        }
        for (int64_t a = 0; a < A; a++) {
            if (law[a] == 0)
                continue;
            fy_print(writer, first ? "[[%" PRId64 "," : ",[%" PRId64 ",", a);
            fy_document_put_real(writer, law[a]);
            fy_print(writer, "]");
            first = false;
        }
        fy_print(writer, "]");
    }
    fy_print(writer, "]");
}

/* Is the row, of step row % horizon, that of the step before? */
static bool repeats_row(const foray_policy *policy, int64_t row)
{
    size_t count = (size_t)fy_policy_covered(policy);
    if (row % policy->horizon == 0)
        return false;
    const void *now = policy->action + (size_t)row * count;
    const void *before = policy->action + (size_t)(row - 1) * count;
    if (policy->chance) {
        count *= (size_t)policy->actions;
        now = policy->chance + (size_t)row * count;
        before = policy->chance + (size_t)(row - 1) * count;
    }
    return memcmp(now, before,
                  count * (policy->chance ? sizeof *policy->chance : sizeof *policy->action)) == 0;
}

/* Whatever the automaton is made of, its rows are lists. */
static void put_memory(fy_writer *writer, const foray_policy *policy)
{
    const foray_policy_memory *memory = policy->memory;
    fy_print(writer, "\"memory\":{\"letter\":");
    put_row(writer, memory->letter, fy_policy_model_states(policy));
    fy_print(writer, ",\n \"next\":[");
    for (int64_t q = 0; q < memory->states; q++) {
        fy_print(writer, q > 0 ? "," : "");
        put_row(writer, memory->next + q * memory->letters, memory->letters);
    }
    fy_print(writer, "]},\n");
}

/* [from, row] where a row differs from the one before, or a part of a mixture begins. */
static void put_actions(fy_writer *writer, const foray_policy *policy)
{
    int64_t covered = fy_policy_covered(policy);
    fy_print(writer, policy->chance ? "\"chance\":[" : "\"action\":[");
    for (int64_t row = 0; row < fy_policy_parts(policy) * policy->horizon; row++) {
        if (repeats_row(policy, row))
            continue;
        fy_print(writer, "%s[%" PRId64 ",", row > 0 ? ",\n" : "", row);
        if (policy->chance)
            put_laws(writer, policy, row);
        else
            put_row(writer, policy->action + row * covered, covered);
        fy_print(writer, "]");
    }
    fy_print(writer, "]");
    if (policy->odds) {
        fy_print(writer, ",\n\"odds\":");
        put_reals(writer, policy->odds, policy->parts);
    }
}

/* ---------------------------------------------------------------- certificate */

static void put_doubt(fy_writer *writer, const foray_policy_about *about)
{
    fy_print(writer, ",\n \"doubt\":[");
    for (int64_t i = 0; i < about->places; i++) {
        const foray_doubt_place *place = &about->place[i];
        fy_print(writer, "%s[%" PRId64 ",%" PRId64 ",%" PRId64 ",", i > 0 ? "," : "", place->step,
                 place->state, place->action);
        put_real(writer, place->share);
        fy_print(writer, "]");
    }
    fy_print(writer, "],\n \"laws\":[");
    for (int64_t i = 0; i < about->laws; i++) {
        const foray_policy_law *law = &about->law[i];
        fy_print(writer, i > 0 ? ",{" : "{");
        put_text(writer, "name", law->name);
        fy_print(writer, ",\"visits\":%" PRId64 ",\"share\":", law->visits);
        put_real(writer, law->share);
        fy_print(writer, ",\"more\":");
        put_real(writer, law->more);
        fy_print(writer, "}");
    }
    fy_print(writer, "]");
}

static void put_certificate(fy_writer *writer, const foray_policy *policy)
{
    const foray_certificate *certificate = &policy->certificate;
    fy_print(writer, ",\n\"certificate\":{\"gap\":");
    put_real(writer, certificate->gap);
    fy_print(writer, ",\"delta\":");
    fy_document_put_real(writer, certificate->delta);
    fy_print(writer, ",\"radius\":\"%s\",\"bound\":\"%s\",\"status\":\"%s\"",
             foray_radius_name(certificate->radius), foray_bound_name(certificate->bound),
             foray_certificate_status(certificate));
    fy_print(writer, ",\"optimal\":\"%s\",\"vacuous\":%s,\"because\":\"%s\"",
             foray_certificate_optimal(certificate), certificate->vacuous ? "true" : "false",
             foray_certificate_because(certificate));
    if (policy->about && (policy->about->places > 0 || policy->about->laws > 0))
        put_doubt(writer, policy->about);
    fy_print(writer, "}");
}

/* ---------------------------------------------------------------------- values */

static void put_values(fy_writer *writer, const foray_policy *policy)
{
    fy_print(writer, ",\n\"value\":{\"policy\":");
    put_real(writer, policy->expected);
    fy_print(writer, ",\"low\":");
    put_real(writer, policy->low);
    fy_print(writer, ",\"high\":");
    put_real(writer, policy->high);
    for (int mode = 0; mode < FORAY_MODES; mode++) {
        fy_print(writer, ",\"%s\":", fy_mode_names[mode]);
        put_real(writer, policy->value[mode]);
    }
    fy_print(writer, "}");
}

/* ------------------------------------------------------------------ what it is about */

/* which: of all those that there are names for; NULL: all. */
static void put_names(fy_writer *writer, const char *key, char *const *name, int64_t count,
                      const int32_t *which)
{
    if (!name)
        return;
    fy_print(writer, ",\n\"%s\":[", key);
    for (int64_t i = 0; i < count; i++) {
        const char *its = name[which ? which[i] : i];
        fy_print(writer, "%s%s", i > 0 ? "," : "", its ? "" : "null");
        if (its)
            fy_json_put_text(writer, its);
    }
    fy_print(writer, "]");
}

static void put_clusters(fy_writer *writer, const foray_policy_clusters *clusters, int64_t states)
{
    int64_t n = clusters->dimensions;
    fy_print(writer,
             ",\n\"clusters\":{\"kind\":\"%s\",\"low\":", clusters->cells ? "grid" : "radial");
    put_reals(writer, clusters->low, n);
    fy_print(writer, ",\"high\":");
    put_reals(writer, clusters->high, n);
    if (clusters->cells) {
        for (int64_t i = 0; i < n; i++)
            fy_print(writer, i == 0 ? ",\"cells\":[%" PRId64 : ",%" PRId64, clusters->cells[i]);
        fy_print(writer, "]}");
        return;
    }
    fy_print(writer, ",\"width\":");
    put_real(writer, clusters->width);
    fy_print(writer, ",\"nearest\":%" PRId64 ",\n \"centres\":[", clusters->nearest);
    for (int64_t x = 0; x < states; x++) {
        fy_print(writer, x > 0 ? "," : "");
        put_reals(writer, clusters->centre + x * n, n);
    }
    fy_print(writer, "]}");
}

static void put_from(fy_writer *writer, const foray_policy_about *about)
{
    const struct {
        const char *key, *text;
        int64_t number;
    } rows[] = {{"world", about->world, -1},         {"algorithm", about->algorithm, -1},
                {"episodes", NULL, about->episodes}, {"seed", NULL, about->seed},
                {"version", about->version, -1},     {"model", about->model, -1}};
    bool any = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].text && rows[i].number < 0)
            continue;
        fy_print(writer, any ? "," : ",\n\"from\":{");
        if (rows[i].text)
            put_text(writer, rows[i].key, rows[i].text);
        else
            fy_print(writer, "\"%s\":%" PRId64, rows[i].key, rows[i].number);
        any = true;
    }
    fy_print(writer, any ? "}" : "");
}

static void put_about(fy_writer *writer, const foray_policy *policy)
{
    const foray_policy_about *about = policy->about;
    if (about->reward)
        fy_print(writer, ",\n\"reward\":%s", about->reward);
    put_names(writer, "state_names", about->state_name,
              policy->memory ? fy_policy_model_states(policy) : fy_policy_covered(policy),
              policy->memory ? NULL : policy->state);
    put_names(writer, "action_names", about->action_name, policy->actions, NULL);
    if (about->clusters)
        put_clusters(writer, about->clusters, policy->states);
    put_from(writer, about);
}

/* -------------------------------------------------------------------- the whole */

/* Of a policy from elsewhere nothing may be known: then neither values nor a certificate. */
static bool is_unknown(const foray_policy *policy)
{
    bool known = policy->mode != FORAY_GIVEN || !isnan(policy->expected) || !isnan(policy->low) ||
                 !isnan(policy->high) || policy->certificate.status != FORAY_UNCERTIFIED;
    for (int mode = 0; mode < FORAY_MODES; mode++)
        known |= !isnan(policy->value[mode]);
    return !known;
}

static void put_policy(fy_writer *writer, const foray_policy *policy)
{
    fy_print(writer, "{\"format\":\"foray-policy\",\"version\":1,");
    fy_print(writer, "\"states\":%" PRId64 ",\"actions\":%" PRId64 ",\"horizon\":%" PRId64 ",",
             policy->states, policy->actions, policy->horizon);
    fy_print(writer, "\"mode\":\"%s\",\n", fy_mode_names[policy->mode]);
    if (policy->memory)
        put_memory(writer, policy);
    if (policy->state) {
        fy_print(writer, "\"reachable\":");
        put_row(writer, policy->state, policy->covered);
        fy_print(writer, ",\n");
    }
    put_actions(writer, policy);
    if (!is_unknown(policy)) {
        put_values(writer, policy);
        put_certificate(writer, policy);
    }
    if (policy->about)
        put_about(writer, policy);
    fy_print(writer, "}\n");
}

/* A policy is a plain struct that anyone may fill: what cannot be read back is not written. */
static foray_status check_head(foray_context *ctx, const foray_policy *policy)
{
    const foray_certificate *certificate = &policy->certificate;
    bool sane = foray_mode_name(policy->mode) != NULL &&
                foray_radius_name(certificate->radius) != NULL && certificate->gap >= 0 &&
                certificate->delta >= 0 && certificate->delta <= 1 &&
                (unsigned)certificate->status <= FORAY_REFUTED &&
                (unsigned)certificate->bound <= FORAY_BOUND_EXACT &&
                (unsigned)certificate->optimal <= FORAY_OPTIMAL_PROVED &&
                !isinf(policy->expected) && !isinf(policy->low) && !isinf(policy->high);
    for (int mode = 0; mode < FORAY_MODES; mode++)
        sane = sane && !isinf(policy->value[mode]);
    if (sane)
        return FORAY_OK;
    return fy_fail(ctx, FORAY_ERROR_INPUT,
                   "the policy has a mode, a value or a certificate that cannot be written");
}

foray_status foray_policy_print(foray_context *ctx, const foray_policy *policy, char **out,
                                size_t *size)
{
    fy_writer writer = {.ctx = ctx};
    foray_status status = check_head(ctx, policy);
    if (status < 0)
        return status;
    put_policy(&writer, policy);
    return fy_writer_take(&writer, "a policy", out, size);
}

foray_status foray_policy_save(foray_context *ctx, const foray_policy *policy, const char *path)
{
    char *text;
    size_t size;
    foray_status status = foray_policy_print(ctx, policy, &text, &size);
    if (status < 0)
        return status;
    status = fy_file_write(ctx, path, true, text, size);
    free(text);
    return status;
}
