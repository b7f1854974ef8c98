/* playground.c - the page of the playground around a run: what the explorer in the page needs to be
 * the one that the run has, in the place that the page keeps for it. */
#include "base/json.h"
#include "explore/explorer.h"
#include "model/model.h"
#include "run/run.h"
#include "foray/lab.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Made by web/pack.c; its size is 0 where there was no compiler for WebAssembly. */
extern const char fy_playground[];
extern const size_t fy_playground_size;

static const char place[] = "@run@";

/* Entries of a policy, and successors of all pairs: beyond that a browser plans for minutes. */
enum { MAX_ENTRIES = 4000000, MAX_TRANSITIONS = 2000000 };

bool foray_playground_built(void)
{
    return fy_playground_size > 0;
}

/* ---------------------------------------------------------------------- bytes in a page */

/* Compressed as browsers unpack it, and as base64, in quotes. */
static void put_base64(fy_writer *text, const uint8_t *data, size_t size)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t word = (uint32_t)data[i] << 16;
        word |= left > 1 ? (uint32_t)data[i + 1] << 8 : 0;
        word |= left > 2 ? data[i + 2] : 0;
        const char four[] = {digit[word >> 18], digit[word >> 12 & 63],
                             left > 1 ? digit[word >> 6 & 63] : '=',
                             left > 2 ? digit[word & 63] : '='};
        fy_write_bytes(text, four, sizeof four);
    }
}

static foray_status put_packed(fy_writer *text, const void *data, size_t size)
{
    uLongf packed = compressBound(size);
    uint8_t *room = fy_alloc(text->ctx, packed, 1);
    if (!room)
        return FORAY_ERROR_MEMORY;
    fy_print(text, "\"");
    if (compress2(room, &packed, data, size, 9) == Z_OK)
        put_base64(text, room, packed);
    else
        text->failed = true;
    fy_print(text, "\"");
    free(room);
    return FORAY_OK;
}

/* A text as JSON within HTML, where "</script>" would end it. */
static void put_value(fy_writer *text, const char *value)
{
    fy_writer plain = {.ctx = text->ctx};
    fy_json_put_text(&plain, value);
    for (size_t i = 0; i < plain.size; i++) {
        if (plain.data[i] == '<')
            fy_print(text, "\\u003c");
        else
            fy_write_bytes(text, plain.data + i, 1);
    }
    text->failed |= plain.failed;
    free(plain.data);
}

static void put_text(fy_writer *text, const char *key, const char *value)
{
    fy_print(text, ",\"%s\":", key);
    put_value(text, value);
}

/* ---------------------------------------------------------------------------- the run */

static foray_status put_model(fy_writer *text, const foray_model *model)
{
    char *data;
    size_t size;
    foray_status status = foray_model_print(text->ctx, model, FORAY_MODEL_COMPACT, &data, &size);
    if (status != FORAY_OK)
        return status;
    fy_print(text, ",\"model\":");
    status = put_packed(text, data, size);
    free(data);
    return status;
}

/* All settings by name, the algorithm before its own. */
static foray_status put_settings(fy_writer *text, const foray_settings *settings)
{
    const foray_parameter *parameter;
    foray_status status = FORAY_OK;
    char value[1024];
    fy_print(text, ",\"settings\":[");
    for (int64_t i = 0;
         status == FORAY_OK && (parameter = foray_setting_describe(settings->algorithm, i)); i++) {
        status = foray_settings_get(text->ctx, settings, parameter->name, value, sizeof value);
        fy_print(text, "%s[\"%s\",", i > 0 ? "," : "", parameter->name);
        put_value(text, status == FORAY_OK ? value : "");
        fy_print(text, "]");
    }
    fy_print(text, "]");
    return status;
}

/* The reward of algorithms that explore for one. */
static foray_status put_given(fy_writer *text, const foray_explorer *explorer)
{
    const foray_reward *reward = fy_explorer_reward(explorer);
    char *json;
    if (!reward)
        return FORAY_OK;
    foray_status status = foray_reward_print(text->ctx, reward, &json, NULL);
    if (status != FORAY_OK)
        return status;
    put_text(text, "given", json);
    free(json);
    return FORAY_OK;
}

static foray_status put_explorer_state(fy_writer *text, foray_explorer *explorer)
{
    uint8_t *data;
    size_t size;
    foray_status status = foray_explorer_save(explorer, &data, &size);
    if (status != FORAY_OK)
        return status;
    status = put_packed(text, data, size);
    free(data);
    return status;
}

/* What a page is made of. */
typedef struct source {
    foray_run *run; /* or NULL */
    const foray_model *model;
    foray_model *part;  /* what episodes get to; NULL: the page has all of the model */
    foray_model *shown; /* the part as the page will read it; NULL with it */
    int64_t history;
} source;

/* ------------------------------------------------------------------------- episodes */

/* The last episodes of a run as they were recorded: of a program or of data from
 * elsewhere there is nothing in the page that could be played. */

/* So many episodes, and so many states of all of them. */
enum { MAX_EPISODES = 12, MAX_STATES = 12000 };

typedef struct recorded {
    fy_writer *text;
    int64_t horizon, count;
} recorded;

/* "[s_0,s_1,...]", as far as it went: a negative action says that nothing followed. */
static foray_status put_episode(void *user, int64_t episode, const int32_t *states,
                                const int32_t *actions)
{
    recorded *r = user;
    (void)episode;
    fy_print(r->text, "%s[%" PRId32, r->count++ > 0 ? "," : "", states[0]);
    for (int64_t t = 0; t < r->horizon && actions[t] >= 0; t++)
        fy_print(r->text, ",%" PRId32, states[t + 1]);
    fy_print(r->text, "]");
    return FORAY_OK;
}

static foray_status put_episodes(fy_writer *text, foray_run *run)
{
    recorded r = {.text = text, .horizon = run->model->horizon};
    int64_t saved = foray_run_saved(run), fit = MAX_STATES / (r.horizon + 1);
    int64_t count = fit < MAX_EPISODES ? fit : MAX_EPISODES;
    if (run->source == FY_SOURCE_MODEL || count == 0 || saved == 0)
        return FORAY_OK;
    fy_print(text, ",\"episodes\":[");
    foray_status status = fy_run_each(run, saved > count ? saved - count : 0, put_episode, &r);
    fy_print(text, "]");
    return status;
}

/* ----------------------------------------------------------- what was known earlier */

/* The episodes of a run are told to a fresh explorer again, which is saved on the way. */

typedef struct earlier {
    foray_run *run;
    fy_writer *text;
    foray_explorer *explorer; /* as far as it got */
    int64_t halvings;         /* the next state is that after K / 2^halvings episodes; 0: none */
    int64_t count;            /* of states so far */
} earlier;

static foray_status put_state(earlier *h)
{
    fy_print(h->text, "%s[%" PRId64 ",", h->count++ > 0 ? "," : "", h->explorer->episodes);
    foray_status status = put_explorer_state(h->text, h->explorer);
    fy_print(h->text, "]");
    return status;
}

static foray_status replay_one(void *user, int64_t episode, const int32_t *states,
                               const int32_t *actions)
{
    earlier *h = user;
    int64_t total = foray_run_saved(h->run);
    (void)episode;
    foray_status status = fy_run_replay(h->run, h->explorer, states, actions);
    if (status != FORAY_OK || h->explorer->episodes != total >> h->halvings)
        return status;
    status = put_state(h);
    h->halvings--;
    /* The last state is that of the run itself: nothing is left to replay. */
    return status == FORAY_OK && h->halvings == 0 ? FORAY_INTERRUPTED : status;
}

static foray_status put_history(fy_writer *text, foray_run *run, int64_t max)
{
    earlier h = {.run = run, .text = text};
    while (h.halvings < max && foray_run_saved(run) >> (h.halvings + 1) > 0)
        h.halvings++;
    if (h.halvings == 0)
        return FORAY_OK;
    foray_status status = fy_run_fresh_explorer(run, &h.explorer);
    if (status != FORAY_OK)
        return status;
    fy_print(text, ",\"history\":[");
    status = fy_run_each(run, 0, replay_one, &h);
    fy_print(text, "]");
    foray_explorer_destroy(h.explorer);
    return status == FORAY_INTERRUPTED && h.halvings == 0 ? FORAY_OK : status;
}

/* -------------------------------------------------------------- a part of the model */

/* A run seen in the part of its model that episodes get to: the same episodes, told to an
 * explorer of that part. */

typedef struct retelling {
    foray_run *run;
    foray_explorer *explorer;
    const foray_model *part;
    int32_t *states; /* [horizon + 1] */
} retelling;

static foray_status tell_episode(void *user, int64_t episode, const int32_t *states,
                                 const int32_t *actions)
{
    retelling *r = user;
    int64_t steps = 0, horizon = r->run->model->horizon;
    (void)episode;
    r->states[0] = (int32_t)fy_inside(r->part, states[0]);
    for (; steps < horizon && actions[steps] >= 0; steps++)
        r->states[steps + 1] = (int32_t)fy_inside(r->part, states[steps + 1]);
    bool done = steps < horizon && actions[steps] == FORAY_TERMINATED;
    return fy_explorer_learn(r->explorer, steps, r->states, actions, done);
}

static foray_status tell_all(foray_run *run, foray_explorer *explorer, const foray_model *part)
{
    retelling r = {.run = run, .explorer = explorer, .part = part};
    if (!FY_ALLOC(run->ctx, r.states, run->model->horizon + 1))
        return FORAY_ERROR_MEMORY;
    if (run->source == FY_SOURCE_AGGREGATED)
        explorer->aggregated = true; /* it learns from records, and has all of its model */
    foray_status status = fy_run_each(run, 0, tell_episode, &r);
    free(r.states);
    return status;
}

static foray_status retell(foray_run *run, const source *from, foray_settings *settings,
                           foray_explorer **out)
{
    foray_context *ctx = run->ctx;
    foray_explorer *explorer;
    if (run->codec.stride != 1)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "%s chose where steps begin: there are no episodes to replay",
                       run->settings.algorithm);
    foray_settings_default(settings);
    foray_status status = foray_settings_set(ctx, settings, "algorithm", "recorded");
    settings->delta = run->settings.delta;
    if (status == FORAY_OK)
        status = foray_explorer_create(ctx, from->shown, settings, &explorer);
    if (status != FORAY_OK)
        return status;
    status = tell_all(run, explorer, from->part);
    if (status == FORAY_OK)
        *out = explorer;
    else
        foray_explorer_destroy(explorer);
    return status;
}

/* ------------------------------------------------------------------ a run in a page */

static foray_status put_explorer(fy_writer *text, const foray_settings *settings,
                                 foray_explorer *explorer)
{
    foray_status status = put_settings(text, settings);
    if (status == FORAY_OK)
        status = put_given(text, explorer);
    fy_print(text, ",\"state\":");
    return status == FORAY_OK ? put_explorer_state(text, explorer) : status;
}

static foray_status put_part(fy_writer *text, const source *from)
{
    foray_settings settings;
    foray_explorer *explorer;
    foray_status status = retell(from->run, from, &settings, &explorer);
    if (status != FORAY_OK)
        return status;
    status = put_explorer(text, &settings, explorer);
    foray_explorer_destroy(explorer);
    return status;
}

static foray_status put_run(fy_writer *text, const source *from)
{
    foray_run *run = from->run;
    put_text(text, "world", foray_run_world(run));
    put_text(text, "algorithm", run->settings.algorithm);
    fy_print(text, ",\"clusters\":%s", run->explorer->aggregated ? "true" : "false");
    /* Are the model's probabilities those of the world that was explored? */
    fy_print(text, ",\"true\":%s", run->source == FY_SOURCE_MODEL ? "true" : "false");
    if (from->part)
        return put_part(text, from);
    foray_status status = put_explorer(text, &run->settings, run->explorer);
    if (status == FORAY_OK)
        status = put_history(text, run, from->history);
    if (status == FORAY_OK)
        status = put_episodes(text, run);
    return status;
}

/* "whole": how many states the model has; "number": which of them the page has. */
static void put_numbers(fy_writer *text, const source *from)
{
    fy_print(text, ",\"whole\":%" PRId64 ",\"number\":[", from->model->states);
    for (int64_t i = 0; i < from->part->states; i++)
        fy_print(text, "%s%" PRId32, i > 0 ? "," : "", from->part->number[i]);
    fy_print(text, "]");
}

/* ---------------------------------------------------------------------------- the page */

static bool fits(const foray_model *model)
{
    return model->states <= MAX_ENTRIES / model->horizon &&
           model->succ_start[model->pairs] <= MAX_TRANSITIONS;
}

/* What could be shown instead. */
static const char *smaller_view(foray_context *ctx, const foray_model *model)
{
    foray_model *part;
    if (fy_model_reachable(ctx, model, &part) != FORAY_OK || !part)
        return "";
    bool enough = fits(part);
    foray_model_destroy(part);
    return enough ? "; --reachable shows the part that episodes can reach, which is small enough"
                  : "";
}

static foray_status check_size(foray_context *ctx, const foray_model *model)
{
    if (!foray_playground_built())
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "this Foray was built without the playground, which needs a compiler for "
                       "WebAssembly: install clang, lld, llvm, wasi-libc, "
                       "libclang-rt-dev-wasm32 and binaryen, and build again");
    if (fits(model))
        return FORAY_OK;
    const char *instead = smaller_view(ctx, model);
    return fy_fail(ctx, FORAY_ERROR_USAGE,
                   "too large for a page: %" PRId64 " states, %" PRId64 " steps and %" PRId64
                   " transitions, but states times steps may be at most %d and transitions %d%s; "
                   "'foray report' draws runs of any size",
                   model->states, model->horizon, model->succ_start[model->pairs], MAX_ENTRIES,
                   MAX_TRANSITIONS, instead);
}

static foray_status print_page(foray_context *ctx, const source *from, char **out, size_t *size)
{
    fy_writer text = {.ctx = ctx};
    const foray_model *model = from->shown ? from->shown : from->model;
    const char *gap = strstr(fy_playground, place);
    size_t before = (size_t)(gap - fy_playground);
    fy_write_bytes(&text, fy_playground, before);
    fy_print(&text, "{\"version\":\"%s\"", foray_version());
    put_text(&text, "name", foray_model_name(model));
    foray_status status = put_model(&text, model);
    if (from->part)
        put_numbers(&text, from);
    if (status == FORAY_OK && from->run)
        status = put_run(&text, from);
    fy_print(&text, "}");
    before += strlen(place);
    fy_write_bytes(&text, fy_playground + before, fy_playground_size - before);
    if (status == FORAY_OK)
        return fy_writer_take(&text, "the page", out, size);
    free(text.data);
    return status;
}

/* The successors of a pair are different states, also where they are made up, because no step
 * begins there: the state itself, and others from the first on. */
static void tell_apart(foray_model *part)
{
    for (int64_t pair = fy_begun(part) * part->actions; pair < part->pairs; pair++) {
        int32_t state = (int32_t)(pair / part->actions);
        int32_t *succ = part->succ + part->succ_start[pair];
        for (int32_t j = 0; j < part->succ_start[pair + 1] - part->succ_start[pair]; j++)
            succ[j] = j == 0 ? state : j <= state ? j - 1 : j;
    }
}

static foray_status take_part(foray_context *ctx, source *from)
{
    char *bytes = NULL;
    size_t size = 0;
    foray_status status = fy_model_reachable(ctx, from->model, &from->part);
    if (status != FORAY_OK || !from->part)
        return status;
    tell_apart(from->part);
    status = fy_model_print_compact(ctx, from->part, &bytes, &size);
    if (status == FORAY_OK)
        status = fy_model_parse_compact(ctx, bytes, size, from->model->name, &from->shown);
    free(bytes);
    return status;
}

foray_status foray_playground_print(foray_context *ctx, foray_run *run, const foray_model *model,
                                    bool reachable, int64_t history, char **out, size_t *size)
{
    source from = {.run = run, .model = run ? foray_run_model(run) : model, .history = history};
    foray_status status = FORAY_OK;
    if (reachable)
        status = take_part(ctx, &from);
    if (status == FORAY_OK)
        status = check_size(ctx, from.shown ? from.shown : from.model);
    if (status == FORAY_OK)
        status = print_page(ctx, &from, out, size);
    foray_model_destroy(from.shown);
    foray_model_destroy(from.part);
    return status;
}
