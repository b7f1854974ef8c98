/* policy_read_about.c - what a policy file says beside the policy: its reward, names, clusters, and
 * where it comes from. */
#include "plan/policy_reading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A list of `count` numbers, each a coordinate. */
static foray_status read_reals(fy_policy_reading *r, fy_json list, const char *what, int64_t count,
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
static foray_status read_reward(fy_policy_reading *r, foray_policy_about *about)
{
    fy_json reward = fy_policy_member(r, r->root, "reward"), format;
    if (!reward.tree)
        return FORAY_OK;
    format = fy_json_member(reward, "format");
    if (fy_json_kind_of(reward) != FY_JSON_OBJECT || fy_json_kind_of(format) != FY_JSON_TEXT ||
        strcmp(fy_json_text(format), "foray-reward") != 0)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "reward: an object of the format foray-reward is expected");
    const char *text = (const char *)r->text->rest.data;
    size_t at = reward.tree->node[reward.node].at, end = end_of_object(text, at);
    if (!FY_ALLOC(r->ctx, about->reward, end - at + 1))
        return FORAY_ERROR_MEMORY;
    memcpy(about->reward, text + at, end - at);
    return FORAY_OK;
}

static foray_status read_names(fy_policy_reading *r, const char *key, int64_t count, char ***out)
{
    fy_json list;
    foray_status status = fy_policy_open_list(r, r->root, key, &list);
    if (status != FORAY_OK || !list.tree)
        return status;
    if (fy_json_size(list) != count)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "%s: a list of %" PRId64 " names is expected",
                       key, count);
    if (!FY_ALLOC(r->ctx, *out, count))
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
            status = fy_policy_tell(r->ctx, &(*out)[i], fy_json_text(item));
        if (status != FORAY_OK)
            return fy_fail_within(r->ctx, status, "%s[%" PRId64 "]", key, i);
    }
    return FORAY_OK;
}

static foray_status read_from(fy_policy_reading *r, foray_policy_about *about)
{
    static const char *const keys[] = {"world",   "algorithm", "episodes", "seed",
                                       "version", "model",     NULL};
    fy_json from = fy_policy_member(r, r->root, "from");
    if (!from.tree)
        return FORAY_OK;
    foray_status status = fy_document_keys(r->ctx, from, "from", keys);
    if (status == FORAY_OK)
        status = fy_policy_read_text(r, from, "world", &about->world);
    if (status == FORAY_OK)
        status = fy_policy_read_text(r, from, "algorithm", &about->algorithm);
    if (status == FORAY_OK)
        status = fy_policy_read_text(r, from, "version", &about->version);
    if (status == FORAY_OK)
        status = fy_policy_read_text(r, from, "model", &about->model);
    if (status == FORAY_OK && fy_json_member(from, "episodes").tree)
        status = fy_policy_read_whole(r, from, "episodes", 0, INT64_MAX, &about->episodes);
    if (status == FORAY_OK && fy_json_member(from, "seed").tree)
        status = fy_policy_read_whole(r, from, "seed", 0, INT64_MAX, &about->seed);
    return status;
}

/* ------------------------------------------------------------------- clusters */

static foray_status read_box(fy_policy_reading *r, fy_json object, foray_policy_clusters *clusters)
{
    int64_t n = clusters->dimensions = fy_json_size(fy_policy_member(r, object, "low"));
    if (n < 1)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "low: a list of numbers is expected");
    if (!FY_ALLOC(r->ctx, clusters->low, n) || !FY_ALLOC(r->ctx, clusters->high, n))
        return FORAY_ERROR_MEMORY;
    foray_status status = read_reals(r, fy_json_member(object, "low"), "low", n, clusters->low);
    if (status == FORAY_OK)
        status = read_reals(r, fy_policy_member(r, object, "high"), "high", n, clusters->high);
    for (int64_t i = 0; i < n && status == FORAY_OK; i++)
        if (!(clusters->low[i] < clusters->high[i]))
            status =
                fy_fail(r->ctx, FORAY_ERROR_INPUT, "high[%" PRId64 "]: %g is not above low, %g", i,
                        clusters->high[i], clusters->low[i]);
    return status;
}

/* Points of the grid in each dimension, at least 2; together as many as states. */
static foray_status read_cells(fy_policy_reading *r, fy_json object,
                               foray_policy_clusters *clusters)
{
    fy_json list = fy_policy_member(r, object, "cells");
    int64_t i = 0, product = 1;
    if (fy_json_kind_of(list) != FY_JSON_ARRAY || fy_json_size(list) != clusters->dimensions)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "cells: a list of %" PRId64 " whole numbers is expected",
                       clusters->dimensions);
    if (!FY_ALLOC(r->ctx, clusters->cells, clusters->dimensions))
        return FORAY_ERROR_MEMORY;
    for (fy_json item = fy_json_first(list); item.tree; item = fy_json_next(list, item), i++) {
        int64_t cells = fy_json_kind_of(item) == FY_JSON_INTEGER ? fy_json_integer(item) : 0;
        if (cells < 2 || cells > r->policy->states / product)
            return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                           "cells[%" PRId64 "]: a whole number from 2 is expected; together they "
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

static foray_status read_centres(fy_policy_reading *r, fy_json object,
                                 foray_policy_clusters *clusters)
{
    int64_t n = clusters->dimensions, x = 0;
    fy_json list = fy_policy_member(r, object, "centres");
    if (fy_json_kind_of(list) != FY_JSON_ARRAY || fy_json_size(list) != r->policy->states)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT,
                       "centres: a list of %" PRId64 " vectors is expected", r->policy->states);
    size_t numbers;
    if (!fy_size_mul((size_t)r->policy->states, (size_t)n, &numbers) ||
        !FY_ALLOC(r->ctx, clusters->centre, numbers))
        return FORAY_ERROR_MEMORY;
    foray_status status = FORAY_OK;
    for (fy_json item = fy_json_first(list); item.tree && status == FORAY_OK; x++) {
        status = read_reals(r, item, "centres", n, clusters->centre + x * n);
        item = fy_json_next(list, item);
    }
    if (status == FORAY_OK) {
        fy_policy_member(r, object, "width");
        status = fy_document_real(r->ctx, object, "width", 0, 1, &clusters->width);
    }
    if (status == FORAY_OK && clusters->width <= 0)
        status = fy_fail(r->ctx, FORAY_ERROR_INPUT, "width: it must be above 0");
    if (status == FORAY_OK)
        status =
            fy_policy_read_whole(r, object, "nearest", 1, r->policy->states, &clusters->nearest);
    return status;
}

static foray_status read_clusters(fy_policy_reading *r, foray_policy_about *about)
{
    static const char *const kinds[] = {"grid", "radial", NULL};
    static const char *const grid[] = {"kind", "low", "high", "cells", NULL};
    static const char *const radial[] = {"kind",  "low",     "high", "centres",
                                         "width", "nearest", NULL};
    fy_json object = fy_policy_member(r, r->root, "clusters");
    int kind;
    if (!object.tree)
        return FORAY_OK;
    if (fy_json_kind_of(object) != FY_JSON_OBJECT)
        return fy_fail(r->ctx, FORAY_ERROR_INPUT, "clusters: an object is expected");
    foray_status status = fy_policy_read_choice(r, object, "kind", kinds, &kind);
    if (status == FORAY_OK) {
        r->culprit = object;
        status = fy_document_keys(r->ctx, object, "clusters", kind == 0 ? grid : radial);
    }
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(r->ctx, about->clusters, 1))
        return FORAY_ERROR_MEMORY;
    status = read_box(r, object, about->clusters);
    if (status == FORAY_OK)
        status = kind == 0 ? read_cells(r, object, about->clusters)
                           : read_centres(r, object, about->clusters);
    return status == FORAY_OK ? FORAY_OK : fy_fail_within(r->ctx, status, "clusters");
}

foray_status fy_policy_read_about(fy_policy_reading *r)
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
        status = read_names(r, "state_names", r->policy->states, &about->state_name);
    if (status == FORAY_OK)
        status = read_names(r, "action_names", r->policy->actions, &about->action_name);
    if (status == FORAY_OK)
        status = read_clusters(r, about);
    if (status == FORAY_OK)
        status = read_from(r, about);
    return status;
}
