/* unstructured.c - unstructured models as text:
 *
 *     unstructured:states=S,actions=A,horizon=H[,initial=FIRST]
 *
 * where FIRST is
 *
 *   unknown              not known either, and learnt as any other law
 *   7                    every episode begins there
 *   3+7+12               in one of them, equally likely
 *   3:0.25+7:0.75        with these probabilities */
#include "world/world.h"
#include "model/model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STATES, ACTIONS, HORIZON, INITIAL };

static const foray_parameter parameters[] = {
    FY_INTEGER("states", "0", 0, 1e8, "S, or an upper bound on it: states are 0 to S-1 (required)"),
    FY_INTEGER("actions", "0", 0, 65535, "A (required)"),
    FY_INTEGER("horizon", "0", 0, 1e6, "steps per episode (required)"),
    {.name = "initial",
     .kind = FORAY_TEXT,
     .fallback = "unknown",
     .help =
         "where episodes begin: a state; several, equally likely, as 3+7; with probabilities as "
         "3:0.25+7:0.75; unknown"},
};

bool fy_unstructured_describe(int64_t index, foray_world_info *info)
{
    if (index != 0)
        return false;
    *info = (foray_world_info){"unstructured", "nothing known but sizes", FY_COUNT(parameters),
                               parameters};
    return true;
}

/* First states as they are read. */
typedef struct firsts {
    int64_t count;
    int32_t *state;
    double *probability;
} firsts;

/* What stands behind "initial=" in the text; NULL: there is no such key. */
static const char *find_initial(const char *text, size_t *length)
{
    static const char key[] = "initial=";
    for (const char *at = strchr(text, ':'); at; at = strchr(at + 1, ','))
        if (strncmp(at + 1, key, sizeof key - 1) == 0) {
            at += sizeof key;
            *length = strcspn(at, ",");
            return at;
        }
    return NULL;
}

static foray_status refuse_initial(foray_context *ctx, const char *text, size_t length)
{
    enum { SHOWN = 80 };
    bool word = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
    return fy_fail(
        ctx, FORAY_ERROR_USAGE,
        "unstructured: initial=%.*s, but it must be a state, several as 3+7, several with their "
        "probabilities as 3:0.25+7:0.75, or unknown%s",
        (int)(length < SHOWN ? length : SHOWN), text,
        word ? "; did you mean initial=unknown?" : "");
}

/* One "STATE" or "STATE:P"; *given: it has a probability. */
static bool read_first(const char *text, size_t length, firsts *out, bool *given)
{
    static const foray_parameter number = {
        .kind = FORAY_INTEGER, .min = 0, .max = 1e8, .name = "initial"};
    const char *colon = memchr(text, ':', length);
    foray_parameter_value state;
    double p = 1;
    *given = colon != NULL;
    if (!fy_parameter_parse(&number, text, colon ? (size_t)(colon - text) : length, &state) ||
        (colon && !fy_number_read(colon + 1, length - (size_t)(colon - text) - 1, &p)))
        return false;
    out->state[out->count] = (int32_t)state.integer;
    out->probability[out->count++] = p;
    return true;
}

/* All have probabilities or none has: then they are equal. */
static foray_status read_firsts(foray_context *ctx, const char *text, size_t length, firsts *out)
{
    int64_t max = 1;
    bool given = false, first = false, good = true;
    for (size_t i = 0; i < length; i++)
        max += text[i] == '+';
    if (!FY_ALLOC(ctx, out->state, max) || !FY_ALLOC(ctx, out->probability, max))
        return FORAY_ERROR_MEMORY;
    for (size_t at = 0; at <= length && good;) {
        const char *plus = memchr(text + at, '+', length - at);
        size_t part = plus ? (size_t)(plus - text) - at : length - at;
        good = read_first(text + at, part, out, &given);
        first = out->count == 1 ? given : first;
        good = good && given == first;
        at += part + 1;
    }
    if (!good)
        return refuse_initial(ctx, text, length);
    for (int64_t i = 0; i < out->count && !first; i++)
        out->probability[i] = 1 / (double)out->count;
    return FORAY_OK;
}

static foray_status make_open(foray_context *ctx, const char *text, const double *value,
                              const firsts *begin, const char *const *action_name,
                              foray_model **out)
{
    const fy_unstructured_parts parts = {.name = text,
                                         .states = (int64_t)value[STATES],
                                         .actions = (int64_t)value[ACTIONS],
                                         .horizon = (int64_t)value[HORIZON],
                                         .initials = begin->count,
                                         .initial_state = begin->state,
                                         .initial_probability = begin->probability,
                                         .action_names = action_name};
    return fy_model_unstructured(ctx, &parts, out);
}

foray_status fy_model_of_sizes(foray_context *ctx, const char *text, int64_t names,
                               const char *const *action_name, foray_model **out)
{
    double value[FY_MAX_PARAMETERS];
    int64_t index;
    size_t length = 0;
    firsts begin = {0};
    foray_status status = fy_spec_read(ctx, "model", fy_unstructured_describe, text, &index, value);
    if (status != FORAY_OK)
        return status;
    if (names > 0 && value[ACTIONS] > 0 && names != (int64_t)value[ACTIONS])
        return fy_fail(ctx, FORAY_ERROR_USAGE, "%s: %" PRId64 " names for %" PRId64 " actions",
                       text, names, (int64_t)value[ACTIONS]);
    const char *initial = find_initial(text, &length);
    if (initial && (length != strlen("unknown") || memcmp(initial, "unknown", length) != 0))
        status = read_firsts(ctx, initial, length, &begin);
    if (status == FORAY_OK)
        status = make_open(ctx, text, value, &begin, names > 0 ? action_name : NULL, out);
    free(begin.state);
    free(begin.probability);
    return status;
}
