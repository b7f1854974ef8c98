/* serve.c - a plug-in in a process of its own: this is the side that has it, and answers questions
 * of the world protocol (docs/outside.md) on two descriptors until GOODBYE, or their end. What the
 * plug-in does to this process, the one that asks survives. */
#include "foray/plugin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside/frames.h"
#include "outside/outside.h"

enum { QUESTION_WORDS = FY_FRAME_MAX / 8, QUERIES = FY_FRAME_MAX / 24 };

typedef struct server {
    foray_context *ctx;
    const foray_plugin_table *table;
    int questions, answers;
    fy_frame asked;
    uint64_t *question; /* [QUESTION_WORDS] its body */
    uint64_t *key;      /* [QUERIES], and the other parts of a STEP */
    int32_t *word;      /* [2 * QUERIES] simulators, actions */
    foray_plugin_query *query;
    double *state; /* [QUESTION_WORDS] of a STEP, and what follows them */
    double *next;
    fy_writer answer; /* header and body */
} server;

/* -------------------------------------------------------------------- bytes */

/* False at the end of the pipe, or if it is broken. */
static bool read_all(int file, void *data, size_t size)
{
    for (char *at = data; size > 0;) {
        ssize_t done = read(file, at, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

static bool write_all(int file, const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        ssize_t done = write(file, at, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

static bool send_answer(server *s, fy_frame_type type, const uint8_t *body, size_t size)
{
    s->answer.size = 0;
    fy_frame_write(&s->answer, (fy_frame){(uint32_t)size, type, s->asked.sequence});
    fy_write_bytes(&s->answer, body, size);
    return !s->answer.failed && write_all(s->answers, s->answer.data, s->answer.size);
}

/* The answer that says why there is none; always false, since nothing follows it. */
static bool refuse(server *s, const char *cause)
{
    (void)send_answer(s, FY_FRAME_ERROR, (const uint8_t *)cause, strlen(cause));
    return false;
}

/* The numbers, then so many bytes that are 0: plug-ins end no episodes. */
static bool send_numbers(server *s, const double *value, int64_t count, size_t zeros)
{
    static const uint8_t zero[QUERIES];
    size_t size = (size_t)count * sizeof *value + zeros;
    s->answer.size = 0;
    fy_frame_write(&s->answer, (fy_frame){(uint32_t)size, s->asked.type, s->asked.sequence});
    fy_write_doubles(&s->answer, value, (size_t)count);
    fy_write_bytes(&s->answer, zero, zeros);
    return !s->answer.failed && write_all(s->answers, s->answer.data, s->answer.size);
}

/* ------------------------------------------------------------------ answers */

static bool answer_hello(server *s)
{
    fy_writer body = {.ctx = s->ctx};
    if (fy_hello_read(s->ctx, "this program", (const uint8_t *)s->question, s->asked.length) !=
        FORAY_OK)
        return refuse(s, foray_message(s->ctx));
    fy_hello_write(&body);
    bool sent = !body.failed && send_answer(s, FY_FRAME_HELLO, body.data, body.size);
    free(body.data);
    return sent;
}

static bool answer_spec(server *s)
{
    const foray_plugin_table *t = s->table;
    fy_writer body = {.ctx = s->ctx};
    const double zero = 0, last = (double)t->states - 1;
    const fy_frame_spec told = {.spec = {.name = t->name,
                                         .states = t->states,
                                         .dimensions = t->dimensions,
                                         .actions = t->actions,
                                         .horizon = t->horizon,
                                         .simulators = t->simulators,
                                         .low = t->states ? &zero : t->low,
                                         .high = t->states ? &last : t->high,
                                         .dimension_name = t->dimension_name,
                                         .action_name = t->action_name,
                                         .rewards = t->rewards,
                                         .reward_name = t->reward_name},
                                .weight = t->weight,
                                .deterministic = t->deterministic != 0};
    fy_frame_spec_write(&body, &told);
    bool fits = !body.failed && body.size <= FY_FRAME_MAX;
    bool sent = fits ? send_answer(s, FY_FRAME_SPEC, body.data, body.size)
                     : refuse(s, "its names and weights do not fit into a frame");
    free(body.data);
    return sent;
}

static bool answer_reset(server *s)
{
    char cause[FORAY_PLUGIN_CAUSE] = "";
    fy_reader reader = {.data = (const uint8_t *)s->question, .size = s->asked.length};
    uint64_t key = fy_read_u64(&reader);
    if (reader.failed)
        return refuse(s, "a RESET without a key");
    if (s->table->reset(s->table->self, key, s->next, cause) != 0)
        return refuse(s, cause[0] ? cause : "it does not say why");
    return send_numbers(s, s->next, s->table->dimensions, 0);
}

/* count, keys, simulators, actions, states: arrays one behind the other. */
static bool answer_step(server *s)
{
    char cause[FORAY_PLUGIN_CAUSE] = "";
    size_t each = 16 + 8 * (size_t)s->table->dimensions;
    fy_reader reader = {.data = (const uint8_t *)s->question, .size = s->asked.length};
    uint64_t count = fy_read_u64(&reader);
    if (reader.failed || count > QUERIES || s->asked.length != 8 + count * each)
        return refuse(s, "the length of a STEP does not fit its count");
    fy_read_u64s(&reader, s->key, count);
    fy_read_i32s(&reader, s->word, 2 * count);
    for (uint64_t i = 0; i < count; i++)
        s->query[i] = (foray_plugin_query){s->key[i], s->word[i], s->word[count + i]};
    int64_t numbers = (int64_t)count * s->table->dimensions;
    fy_read_doubles(&reader, s->state, (size_t)numbers);
    if (s->table->step(s->table->self, (int64_t)count, s->query, s->state, s->next, cause) != 0)
        return refuse(s, cause[0] ? cause : "it does not say why");
    return send_numbers(s, s->next, numbers, count);
}

static bool answer_reward(server *s)
{
    char cause[FORAY_PLUGIN_CAUSE] = "";
    double value;
    fy_reader reader = {.data = (const uint8_t *)s->question, .size = s->asked.length};
    int64_t index = (int64_t)fy_read_u64(&reader), action = (int64_t)fy_read_u64(&reader);
    fy_read_doubles(&reader, s->state, (size_t)s->table->dimensions);
    if (reader.failed || !s->table->reward)
        return refuse(s, "a REWARD that cannot be answered");
    if (s->table->reward(s->table->self, index, s->state, action, &value, cause) != 0)
        return refuse(s, cause[0] ? cause : "it does not say why");
    return send_numbers(s, &value, 1, 0);
}

static bool answer(server *s)
{
    switch (s->asked.type) {
    case FY_FRAME_HELLO:
        return answer_hello(s);
    case FY_FRAME_SPEC:
        return answer_spec(s);
    case FY_FRAME_RESET:
        return answer_reset(s);
    case FY_FRAME_STEP:
        return answer_step(s);
    case FY_FRAME_REWARD:
        return answer_reward(s);
    default:
        return refuse(s, "a question of unknown type");
    }
}

/* ------------------------------------------------------------------ serving */

/* The next question; false: there is none. */
static bool read_question(server *s)
{
    uint8_t header[FY_FRAME_HEADER];
    if (!read_all(s->questions, header, sizeof header))
        return false;
    s->asked = fy_frame_read(header);
    return s->asked.type != FY_FRAME_GOODBYE && s->asked.length <= FY_FRAME_MAX &&
           read_all(s->questions, s->question, s->asked.length);
}

/* Until GOODBYE; a plug-in that did not start answers the first question with the reason. */
static void serve(server *s, const char *failure)
{
    while (read_question(s))
        if (failure ? !refuse(s, failure) : !answer(s))
            return;
}

static bool allocate_server(server *s)
{
    return FY_ALLOC(s->ctx, s->question, QUESTION_WORDS) && FY_ALLOC(s->ctx, s->query, QUERIES) &&
           FY_ALLOC(s->ctx, s->key, QUERIES) && FY_ALLOC(s->ctx, s->word, 2 * QUERIES) &&
           FY_ALLOC(s->ctx, s->state, QUESTION_WORDS) && FY_ALLOC(s->ctx, s->next, QUESTION_WORDS);
}

foray_status foray_plugin_serve(foray_context *ctx, const char *text, int questions, int answers)
{
    server s = {.ctx = ctx, .questions = questions, .answers = answers, .answer = {.ctx = ctx}};
    fy_plugin *plugin = NULL;
    char failure[sizeof ctx->message];
    foray_status status =
        allocate_server(&s) ? fy_plugin_load(ctx, text, &plugin) : FORAY_ERROR_MEMORY;
    if (status == FORAY_OK) {
        s.table = fy_plugin_table_of(plugin);
        if (s.table->dimensions < 1 || s.table->dimensions > 64)
            status = fy_fail(ctx, FORAY_ERROR_WORLD, "dimensions must be 1 to 64");
    }
    memcpy(failure, ctx->message, sizeof failure);
    if (s.question)
        serve(&s, status == FORAY_OK ? NULL : failure);
    fy_plugin_unload(plugin);
    free(s.question);
    free(s.key);
    free(s.word);
    free(s.query);
    free(s.state);
    free(s.next);
    free(s.answer.data);
    if (status != FORAY_OK)
        fy_say(ctx, "%s", failure);
    return status;
}
