/* policy_read.c - reading the format "foray-policy" (policy_write.c shows it).
 * Messages name the file, the line and the cause. */
#include "plan/policy_reading.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- actions */

/* Sizes are believed only as far as the lists bear them out. */
static foray_status check_row(fy_policy_reading *r, int64_t i)
{
    const fy_policy_row *row = &r->text->row[i];
    const foray_policy *policy = r->policy;
    r->line = row->line;
    int64_t least = i == 0 ? 0 : r->text->row[i - 1].from + 1;
    int64_t most = i == 0 ? 0 : policy->horizon - 1;
    if (row->from < least || row->from > most)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       i == 0 ? "action[0]: the first row must begin at step 0"
                              : "action[%" PRId64 "]: steps must ascend, and there are %" PRId64,
                       i, policy->horizon);
    if (row->count != policy->states)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "action[%" PRId64 "]: a list of %" PRId64 " actions is expected", i,
                       policy->states);
    for (int64_t s = 0; s < row->count; s++) {
        int32_t action = r->text->action[row->first + s];
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

static foray_status check_rows(fy_policy_reading *r)
{
    fy_json list = fy_policy_member(r, r->root, "action");
    const fy_policy_text *text = r->text;
    foray_status status = FORAY_OK;
    if (fy_json_kind_of(list) != FY_JSON_ARRAY || text->rows == 0)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "action: a list of actions is expected");
    for (int64_t i = 0; i < text->rows && status == FORAY_OK; i++)
        status = check_row(r, i);
    return status;
}

/* A row holds until the next one. `most` actions are not too many. */
static foray_status read_actions(fy_policy_reading *r, int64_t most)
{
    foray_policy *policy = r->policy;
    const fy_policy_text *text = r->text;
    foray_status status = check_rows(r);
    if (status != FORAY_OK)
        return status;
    if (policy->horizon > most / policy->states)
        return fy_fail(r->ctx, FORAY_ERROR_MEMORY,
                       "a policy for %" PRId64 " states and %" PRId64 " steps is too large",
                       policy->states, policy->horizon);
    if (!FY_ALLOC(r->ctx, policy->action, policy->states * policy->horizon))
        return FORAY_ERROR_MEMORY;
    int64_t row = 0;
    for (int64_t t = 0; t < policy->horizon; t++) {
        if (row + 1 < text->rows && text->row[row + 1].from == t)
            row++;
        memcpy(policy->action + t * policy->states, text->action + text->row[row].first,
               (size_t)policy->states * sizeof *policy->action);
    }
    return FORAY_OK;
}

/* -------------------------------------------------------- values, certificate */

static foray_status read_values(fy_policy_reading *r)
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
    fy_json object = fy_policy_member(r, r->root, "value");
    if (!object.tree && policy->mode == FORAY_GIVEN)
        return FORAY_OK;
    foray_status status = fy_document_keys(r->ctx, object, "value", keys);
    for (int i = 0; keys[i] && status == FORAY_OK; i++)
        status = fy_policy_read_real(r, object, keys[i], -HUGE_VAL, NAN, out[i]);
    return status;
}

/* [h, s, a, share] */
static foray_status read_place(fy_policy_reading *r, fy_json item, foray_doubt_place *place)
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

static foray_status read_law(fy_policy_reading *r, fy_json item, foray_policy_law *law)
{
    static const char *const keys[] = {"name", "visits", "share", "more", NULL};
    r->culprit = item;
    foray_status status = fy_document_keys(r->ctx, item, "laws", keys);
    if (status == FORAY_OK)
        status = fy_policy_read_text(r, item, "name", &law->name);
    if (status == FORAY_OK && !law->name)
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "name: a text is expected");
    if (status == FORAY_OK)
        status = fy_policy_read_whole(r, item, "visits", 0, INT64_MAX, &law->visits);
    if (status == FORAY_OK)
        status = fy_policy_read_real(r, item, "share", -HUGE_VAL, NAN, &law->share);
    if (status == FORAY_OK)
        status = fy_policy_read_real(r, item, "more", 0, INFINITY, &law->more);
    return status;
}

static foray_status read_doubt(fy_policy_reading *r, fy_json object)
{
    fy_json places, laws;
    foray_status status = fy_policy_open_list(r, object, "doubt", &places);
    if (status == FORAY_OK)
        status = fy_policy_open_list(r, object, "laws", &laws);
    if (status != FORAY_OK || (!places.tree && !laws.tree))
        return status;
    foray_policy_about *about = fy_policy_about(r->ctx, r->policy);
    if (!about || !FY_ALLOC(r->ctx, about->place, fy_json_size(places)) ||
        !FY_ALLOC(r->ctx, about->law, fy_json_size(laws)))
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
static foray_status read_optimal(fy_policy_reading *r, fy_json object,
                                 foray_certificate *certificate)
{
    int said;
    foray_status status = fy_policy_read_choice(r, object, "optimal", fy_optimality_names, &said);
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
static foray_status read_certificate(fy_policy_reading *r)
{
    static const char *const keys[] = {"gap",     "delta",   "radius", "bound", "status", "optimal",
                                       "vacuous", "because", "doubt",  "laws",  NULL};
    foray_certificate *certificate = &r->policy->certificate;
    foray_status status;
    int radius, proof, bound;
    fy_json object = fy_policy_member(r, r->root, "certificate");
    if (!object.tree && r->policy->mode == FORAY_GIVEN)
        return FORAY_OK;
    if ((status = fy_document_keys(r->ctx, object, "certificate", keys)) < 0 ||
        (status = fy_policy_read_real(r, object, "gap", 0, INFINITY, &certificate->gap)) < 0 ||
        (fy_policy_member(r, object, "delta"),
         status = fy_document_real(r->ctx, object, "delta", 0, 1, &certificate->delta)) < 0 ||
        (status = fy_policy_read_choice(r, object, "radius", fy_radius_names, &radius)) < 0 ||
        (status = fy_policy_read_choice(r, object, "status", fy_status_names, &proof)) < 0 ||
        (status = fy_policy_read_choice(r, object, "bound", fy_bound_names, &bound)) < 0)
        return status;
    certificate->radius = (foray_radius)radius;
    certificate->status = (foray_proof_status)proof;
    certificate->bound = (foray_bound)bound;
    if ((status = read_optimal(r, object, certificate)) < 0 ||
        (status = fy_policy_read_flag(r, object, "vacuous", &certificate->vacuous)) < 0)
        return status;
    return read_doubt(r, object);
}

/* ------------------------------------------------------------------- the whole */

static foray_status read_policy(fy_policy_reading *r, int64_t most)
{
    foray_policy *policy = r->policy;
    int mode;
    foray_status status;
    /* The actions first: sizes that they do not bear out are not believed. */
    if ((status = fy_policy_read_whole(r, r->root, "states", 1, INT32_MAX, &policy->states)) < 0 ||
        (status = fy_policy_read_whole(r, r->root, "actions", 1, INT32_MAX, &policy->actions)) <
            0 ||
        (status = fy_policy_read_whole(r, r->root, "horizon", 1, INT32_MAX, &policy->horizon)) <
            0 ||
        (status = fy_policy_read_choice(r, r->root, "mode", fy_mode_names, &mode)) < 0 ||
        (status = read_actions(r, most)) < 0)
        return status;
    policy->mode = (foray_mode)mode;
    if ((status = read_values(r)) < 0 || (status = read_certificate(r)) < 0)
        return status;
    return fy_policy_read_about(r);
}

/* "policy.json:12: ..." where the line is known. */
static foray_status blame(const fy_policy_reading *r, foray_status status, const char *where)
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
    static const char *const keys[] = {"format",      "version", "states",      "actions",
                                       "horizon",     "mode",    "action",      "value",
                                       "certificate", "reward",  "state_names", "action_names",
                                       "clusters",    "from",    NULL};
    return fy_document_parse_large(ctx, (const char *)text->rest.data, text->rest.size - 1, where,
                                   "foray-policy", keys, tree);
}

foray_status fy_policy_read(foray_context *ctx, const fy_policy_text *text, const char *where,
                            int64_t most, foray_policy **out)
{
    fy_json_tree tree;
    foray_status status = parse_rest(ctx, text, where, &tree);
    if (status < 0)
        return status;
    fy_json root = fy_json_root(&tree);
    foray_policy *policy;
    fy_policy_reading r = {.ctx = ctx, .text = text, .root = root, .culprit = root};
    if (!FY_ALLOC(ctx, policy, 1)) {
        fy_json_free(&tree);
        return FORAY_ERROR_MEMORY;
    }
    fy_policy_forget(policy);
    r.policy = policy;
    if ((status = read_policy(&r, most)) < 0) {
        blame(&r, status, where);
        foray_policy_destroy(policy);
    } else {
        *out = policy;
    }
    fy_json_free(&tree);
    return status;
}

foray_status foray_policy_parse(foray_context *ctx, const char *text, size_t size,
                                const char *where, foray_policy **out)
{
    fy_policy_text found;
    foray_status status = fy_policy_text_read(ctx, NULL, text, size, where, &found);
    if (status != FORAY_OK)
        return status;
    status = fy_policy_read(ctx, &found, where, INT64_MAX, out);
    fy_policy_text_free(&found);
    return status;
}

foray_status foray_policy_load(foray_context *ctx, const char *path, foray_policy **out)
{
    fy_policy_text found;
    foray_status status = fy_file_expect(ctx, path, "a policy");
    if (status != FORAY_OK)
        return status;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fy_fail(ctx, FORAY_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    status = fy_policy_text_read(ctx, file, NULL, 0, path, &found);
    fclose(file);
    if (status != FORAY_OK)
        return status;
    status = fy_policy_read(ctx, &found, path, INT64_MAX, out);
    fy_policy_text_free(&found);
    return status;
}
