/* policy.c - policies, and the format "foray-policy", version 1:
 *
 *   {"format":"foray-policy","version":1,"states":S,"actions":A,"horizon":H,
 *    "mode":"optimistic|plugin|pessimistic","action":[[...S integers] x H],
 *    "value":{"optimistic":x,"plugin":y,"pessimistic":z},
 *    "certificate":{"gap":g|null,"delta":x,
 *                   "radius":"theorem|selfnormalised|sharp|counts|none",
 *                   "status":"certified|heuristic"}}
 *
 * JSON has no infinity: a gap of null says that there is no bound. */
#include "plan/policy.h"
#include "base/document.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* In the order of the public enums. */
static const char *const mode_names[] = {"optimistic", "plugin", "pessimistic", NULL};
static const char *const radius_names[] = {"sharp", "selfnormalised", "theorem", "counts",
                                           "none",  "likelihood",     NULL};
static const char *const status_names[] = {"none",      "certified", "exact", "estimate",
                                           "heuristic", "refuted",   NULL};
static const char *const bound_names[] = {"none", "gap", "values", "counts", "exact", NULL};

const char *foray_mode_name(foray_mode mode)
{
    return (unsigned)mode < FORAY_MODES ? mode_names[mode] : NULL;
}

const char *foray_radius_name(foray_radius radius)
{
    return (int)radius >= 0 && (int)radius < FORAY_RADIUS_KINDS ? radius_names[radius] : NULL;
}

const char *foray_certificate_status(const foray_certificate *certificate)
{
    return status_names[certificate->status];
}

const char *foray_certificate_because(const foray_certificate *certificate)
{
    static const char *const because[] = {
        [FORAY_UNCERTIFIED] = "the algorithm has no bound",
        [FORAY_CERTIFIED] = "proved, with probability at least 1 - delta",
        [FORAY_EXACT] = "theta is known",
        [FORAY_ESTIMATE] =
            "what follows a cluster does not obey the model, so that no proof covers it",
        [FORAY_HEURISTIC] = "the radius was scaled down, below what the proof needs",
        [FORAY_REFUTED] = "the data refute the model: no law that it admits fits them",
    };
    return because[certificate->status];
}

const char *foray_bound_name(foray_bound bound)
{
    return bound_names[bound];
}

double fy_certificate_delta(const foray_model *model, double delta)
{
    return fmin(1, delta + model->feature_delta);
}

void fy_certificate_judge(foray_certificate *certificate, double most)
{
    static const double rounding = 1e-9;
    certificate->optimal = certificate->gap <= rounding * most;
    certificate->vacuous = certificate->gap >= (1 - rounding) * most;
}

/* ----------------------------------------------------------------- creation */

static foray_status policy_create(foray_context *ctx, int64_t states, int64_t actions,
                                  int64_t horizon, foray_policy **out)
{
    foray_policy *policy;
    size_t entries;
    if (!fy_size_mul((size_t)states, (size_t)horizon, &entries))
        return fy_fail(ctx, FORAY_ERROR_MEMORY,
                       "a policy for %" PRId64 " states and %" PRId64 " steps is too large", states,
                       horizon);
    if (!FY_ALLOC(ctx, policy, 1))
        return FORAY_ERROR_MEMORY;
    *policy = (foray_policy){.states = states, .actions = actions, .horizon = horizon};
    if (!FY_ALLOC(ctx, policy->action, entries)) {
        foray_policy_destroy(policy);
        return FORAY_ERROR_MEMORY;
    }
    *out = policy;
    return FORAY_OK;
}

foray_status foray_policy_create(foray_context *ctx, const foray_model *model, foray_mode mode,
                                 foray_policy **out)
{
    foray_status status = policy_create(ctx, model->states, model->actions, model->horizon, out);
    if (status == FORAY_OK)
        (*out)->mode = mode;
    return status;
}

void foray_policy_destroy(foray_policy *policy)
{
    if (policy)
        free(policy->action);
    free(policy);
}

foray_status fy_policies_create(foray_context *ctx, const foray_model *model, foray_mode mode,
                                int64_t count, foray_policy **policies)
{
    foray_status status = FORAY_OK;
    for (int64_t i = 0; i < count; i++)
        policies[i] = NULL;
    for (int64_t i = 0; i < count && status == FORAY_OK; i++)
        status = foray_policy_create(ctx, model, mode, &policies[i]);
    if (status != FORAY_OK)
        fy_policies_destroy(count, policies);
    return status;
}

void fy_policies_destroy(int64_t count, foray_policy **policies)
{
    for (int64_t i = 0; i < count; i++) {
        foray_policy_destroy(policies[i]);
        policies[i] = NULL;
    }
}

foray_status fy_policy_check(foray_context *ctx, const foray_policy *policy,
                             const foray_model *model)
{
    if (policy->states != model->states || policy->actions != model->actions ||
        policy->horizon != model->horizon)
        return fy_fail(ctx, FORAY_ERROR_INPUT,
                       "the policy is for %" PRId64 " states, %" PRId64
                       " actions and horizon %" PRId64 ", but the model "
                       "has %" PRId64 ", %" PRId64 " and %" PRId64,
                       policy->states, policy->actions, policy->horizon, model->states,
                       model->actions, model->horizon);
    for (int64_t i = 0; i < policy->horizon * policy->states; i++)
        if (policy->action[i] < 0 || policy->action[i] >= policy->actions)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "the policy takes action %d in state %" PRId64 " at step %" PRId64
                           ", but there are "
                           "%" PRId64 " actions",
                           policy->action[i], (i % policy->states), (i / policy->states),
                           policy->actions);
    return FORAY_OK;
}

/* ------------------------------------------------------------------ reading */

/* One step: S actions. */
static foray_status read_step(foray_context *ctx, fy_json row, const foray_policy *policy,
                              int32_t *action)
{
    fy_json item = fy_json_first(row);
    for (int64_t s = 0; s < policy->states; s++, item = fy_json_next(row, item)) {
        if (fy_json_kind_of(item) != FY_JSON_INTEGER)
            return fy_fail(ctx, FORAY_ERROR_INPUT, "state %" PRId64 ": a whole number is expected",
                           s);
        int64_t value = fy_json_integer(item);
        if (value < 0 || value >= policy->actions)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "state %" PRId64 ": action %" PRId64 ", but there are %" PRId64, s,
                           value, policy->actions);
        action[s] = (int32_t)value;
    }
    return FORAY_OK;
}

/* Sizes are believed only as far as the lists bear them out: nothing is allocated for a
 * number that somebody wrote. */
static foray_status check_shape(foray_context *ctx, fy_json rows, const foray_policy *shape)
{
    if (fy_json_size(rows) != shape->horizon)
        return fy_fail(ctx, FORAY_ERROR_INPUT, "action: a list of %" PRId64 " steps is expected",
                       shape->horizon);
    fy_json row = fy_json_first(rows);
    for (int64_t t = 0; t < shape->horizon; t++, row = fy_json_next(rows, row))
        if (fy_json_size(row) != shape->states)
            return fy_fail(ctx, FORAY_ERROR_INPUT,
                           "action[%" PRId64 "]: a list of %" PRId64 " actions is expected", t,
                           shape->states);
    return FORAY_OK;
}

static foray_status read_actions(foray_context *ctx, fy_json rows, const foray_policy *shape,
                                 foray_policy **out)
{
    foray_policy *policy = NULL;
    foray_status status = check_shape(ctx, rows, shape);
    if (status == FORAY_OK)
        status = policy_create(ctx, shape->states, shape->actions, shape->horizon, &policy);
    fy_json row = fy_json_first(rows);
    for (int64_t t = 0; t < shape->horizon && status == FORAY_OK; t++) {
        status = read_step(ctx, row, policy, policy->action + t * policy->states);
        row = fy_json_next(rows, row);
        if (status < 0)
            fy_fail_within(ctx, status, "action[%" PRId64 "]", t);
    }
    if (status < 0)
        foray_policy_destroy(policy);
    else
        *out = policy;
    return status;
}

static foray_status read_values(foray_context *ctx, fy_json values, double *value)
{
    foray_status status = fy_document_keys(ctx, values, "value", mode_names);
    for (int mode = 0; mode < FORAY_MODES && status == FORAY_OK; mode++)
        status = fy_document_real(ctx, values, mode_names[mode], -HUGE_VAL, HUGE_VAL, value + mode);
    return status;
}

static foray_status read_gap(foray_context *ctx, fy_json object, double *gap)
{
    if (fy_json_kind_of(fy_json_member(object, "gap")) != FY_JSON_NULL)
        return fy_document_real(ctx, object, "gap", 0, HUGE_VAL, gap);
    *gap = INFINITY;
    return FORAY_OK;
}

static foray_status read_certificate(foray_context *ctx, fy_json object,
                                     foray_certificate *certificate)
{
    static const char *const keys[] = {"gap", "delta", "radius", "status", "because", NULL};
    foray_status status;
    int radius, certified;
    if ((status = fy_document_keys(ctx, object, "certificate", keys)) < 0 ||
        (status = read_gap(ctx, object, &certificate->gap)) < 0 ||
        (status = fy_document_real(ctx, object, "delta", 0, 1, &certificate->delta)) < 0 ||
        (status = fy_document_choice(ctx, object, "radius", radius_names, &radius)) < 0 ||
        (status = fy_document_choice(ctx, object, "status", status_names, &certified)) < 0)
        return status;
    certificate->radius = (foray_radius)radius;
    certificate->status = (foray_proof_status)certified;
    return FORAY_OK;
}

/* Everything but the actions. */
static foray_status read_head(foray_context *ctx, fy_json root, foray_policy *head)
{
    foray_status status;
    int mode;
    if ((status = fy_document_integer(ctx, root, "states", 1, INT32_MAX, &head->states)) < 0 ||
        (status = fy_document_integer(ctx, root, "actions", 1, INT32_MAX, &head->actions)) < 0 ||
        (status = fy_document_integer(ctx, root, "horizon", 1, INT32_MAX, &head->horizon)) < 0 ||
        (status = fy_document_choice(ctx, root, "mode", mode_names, &mode)) < 0 ||
        (status = read_values(ctx, fy_json_member(root, "value"), head->value)) < 0)
        return status;
    head->mode = (foray_mode)mode;
    return read_certificate(ctx, fy_json_member(root, "certificate"), &head->certificate);
}

foray_status foray_policy_parse(foray_context *ctx, const char *text, size_t size,
                                const char *where, foray_policy **out)
{
    static const char *const keys[] = {"format", "version", "states", "actions",     "horizon",
                                       "mode",   "action",  "value",  "certificate", NULL};
    fy_json_tree tree;
    foray_policy head = {0}, *policy = NULL;
    foray_status status = fy_document_parse(ctx, text, size, where, "foray-policy", keys, &tree);
    if (status < 0)
        return status;
    fy_json root = fy_json_root(&tree);
    if ((status = read_head(ctx, root, &head)) == FORAY_OK)
        status = read_actions(ctx, fy_json_member(root, "action"), &head, &policy);
    if (status != FORAY_OK) {
        fy_fail_within(ctx, status, "%s", where);
    } else {
        head.action = policy->action;
        *policy = head;
        *out = policy;
    }
    fy_json_free(&tree);
    return status;
}

foray_status foray_policy_load(foray_context *ctx, const char *path, foray_policy **out)
{
    uint8_t *data;
    size_t size;
    foray_status status = fy_file_read(ctx, path, FY_DOCUMENT_LIMIT, &data, &size);
    if (status < 0)
        return status;
    status = foray_policy_parse(ctx, (const char *)data, size, path, out);
    free(data);
    return status;
}

/* ------------------------------------------------------------------ writing */

static void put_actions(fy_writer *writer, const foray_policy *policy)
{
    const int32_t *action = policy->action;
    for (int64_t t = 0; t < policy->horizon; t++) {
        fy_print(writer, t == 0 ? "[" : ",\n[");
        for (int64_t s = 0; s < policy->states; s++)
            fy_print(writer, s == 0 ? "%d" : ",%d", *action++);
        fy_print(writer, "]");
    }
}

static void put_certificate(fy_writer *writer, const foray_certificate *certificate)
{
    fy_print(writer, "{\"gap\":");
    if (isinf(certificate->gap))
        fy_print(writer, "null");
    else
        fy_document_put_real(writer, certificate->gap);
    fy_print(writer, ",\"delta\":");
    fy_document_put_real(writer, certificate->delta);
    fy_print(writer, ",\"radius\":\"%s\",\"status\":\"%s\",\"because\":\"%s\"}",
             foray_radius_name(certificate->radius), foray_certificate_status(certificate),
             foray_certificate_because(certificate));
}

static void put_policy(fy_writer *writer, const foray_policy *policy)
{
    fy_print(writer, "{\"format\":\"foray-policy\",\"version\":1,");
    fy_print(writer, "\"states\":%" PRId64 ",\"actions\":%" PRId64 ",\"horizon\":%" PRId64 ",",
             policy->states, policy->actions, policy->horizon);
    fy_print(writer, "\"mode\":\"%s\",\n\"action\":[", mode_names[policy->mode]);
    put_actions(writer, policy);
    fy_print(writer, "],\n\"value\":{");
    for (int mode = 0; mode < FORAY_MODES; mode++) {
        fy_print(writer, "%s\"%s\":", mode == 0 ? "" : ",", mode_names[mode]);
        fy_document_put_real(writer, policy->value[mode]);
    }
    fy_print(writer, "},\n\"certificate\":");
    put_certificate(writer, &policy->certificate);
    fy_print(writer, "}\n");
}

/* A policy is a plain struct that anyone may fill: what cannot be read back is not written. */
static foray_status check_head(foray_context *ctx, const foray_policy *policy)
{
    const foray_certificate *certificate = &policy->certificate;
    bool sane = foray_mode_name(policy->mode) != NULL &&
                foray_radius_name(certificate->radius) != NULL && certificate->gap >= 0 &&
                isfinite(certificate->delta);
    for (int mode = 0; mode < FORAY_MODES; mode++)
        sane = sane && isfinite(policy->value[mode]);
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
    status = foray_file_write(ctx, path, true, text, size);
    free(text);
    return status;
}
