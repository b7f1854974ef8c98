/* pipe.c - programs as systems: the world protocol (docs/outside.md) from Foray's side.
 *
 *   open    HELLO, SPEC
 *   reset   RESET: a key, and a state comes back
 *   step    STEP: questions in frames, several on their way at a time, so that the program
 *           has the next one to work on while its last answer travels
 *   reward  REWARD
 *   close   GOODBYE, and the process group is ended
 *
 * Frames grow as long as they are answered fast, and shrink when they are not, so that slow
 * simulators keep within the time limit of an answer; what is answered does not depend on
 * it. Programs that remember (`sequential`) are asked one question at a time, in order. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parameter.h"
#include "outside/channel.h"
#include "outside/outside.h"

/* STEP frames on their way at a time. */
enum { WINDOW = 4 };
/* A frame answered within a share of `frame_seconds` doubles the next, one that took
 * longer halves it. */
static const double frame_seconds = 0.1, frame_share = 1.0 / 32;

typedef struct limits {
    double timeout; /* seconds for an answer */
    double start;   /* seconds until the spec is known */
    double grace;   /* seconds to exit by itself, and again after SIGTERM */
} limits;

typedef struct program {
    fy_channel channel;
    limits limits;
    fy_frame_spec told;
    int64_t dimensions;
    uint8_t done[FORAY_MAX_ENDS]; /* the first answers of the last step: do they end an episode? */
    int64_t max;                  /* questions in a frame */
    int64_t batch;                /* questions in the next frame */
} program;

/* ------------------------------------------------------------------ options */

static const foray_parameter limit_rows[] = {
    FY_REAL("timeout", "10", 0.001, 1e6, "seconds for an answer"),
    FY_REAL("start", "30", 0.001, 1e6, "seconds until the spec is known"),
    FY_REAL("grace", "1", 0.001, 1e6, "seconds to exit by itself, and again after SIGTERM"),
};

/* "[timeout=5,grace=1]COMMAND": *text moves to the command. */
static foray_status read_limits(foray_context *ctx, const char **text, limits *out)
{
    enum { TIMEOUT, START, GRACE };
    foray_parameter_value value[FY_COUNT(limit_rows)];
    const char *first = **text == '[' ? *text + 1 : NULL;
    size_t length = first ? strcspn(first, "]") : 0;
    if (first && first[length] == 0)
        return fy_fail(ctx, FORAY_ERROR_USAGE,
                       "exec:%s: write exec:[timeout=S,start=S,grace=S]COMMAND", *text);
    foray_status status =
        fy_parameters_read(ctx, "exec", limit_rows, FY_COUNT(limit_rows), first, length, value);
    if (status != FORAY_OK)
        return status;
    *out = (limits){value[TIMEOUT].real, value[START].real, value[GRACE].real};
    if (first)
        *text = first + length + 1;
    return FORAY_OK;
}

/* -------------------------------------------------------------------- steps */

static size_t question_size(const program *p)
{
    return 16 + 8 * (size_t)p->dimensions;
}

/* So many numbers are put together before they are written. */
enum { CHUNK = 256 };

static void write_keys(fy_writer *out, int64_t count, const foray_system_query *query)
{
    uint64_t key[CHUNK];
    for (int64_t at = 0, size; at < count; at += size) {
        size = count - at < CHUNK ? count - at : CHUNK;
        for (int64_t i = 0; i < size; i++)
            key[i] = fy_draw_key(&query[at + i].draw);
        fy_write_u64s(out, key, (size_t)size);
    }
}

/* Their actions, or their simulators. */
static void write_words(fy_writer *out, int64_t count, const foray_system_query *query,
                        bool actions)
{
    int32_t word[CHUNK];
    for (int64_t at = 0, size; at < count; at += size) {
        size = count - at < CHUNK ? count - at : CHUNK;
        for (int64_t i = 0; i < size; i++)
            word[i] = (int32_t)(actions ? query[at + i].action : query[at + i].simulator);
        fy_write_i32s(out, word, (size_t)size);
    }
}

/* count, keys, simulators, actions, states: arrays one behind the other. */
static uint64_t write_step(program *p, int64_t count, const foray_system_query *query,
                           const double *state)
{
    fy_writer *out = &p->channel.out;
    size_t length = 8 + (size_t)count * question_size(p);
    uint64_t sequence = fy_channel_ask(&p->channel, FY_FRAME_STEP, length);
    fy_write_u64(out, (uint64_t)count);
    write_keys(out, count, query);
    write_words(out, count, query, false);
    write_words(out, count, query, true);
    fy_write_doubles(out, state, (size_t)(count * p->dimensions));
    return sequence;
}

/* A batch of questions under way: those before `answered` are done, those before `asked`
 * on their way in frames flight[first % WINDOW], ..., flight[(last-1) % WINDOW]. */
typedef struct batch {
    int64_t count, asked, answered;
    struct {
        uint64_t sequence;
        int64_t count;
    } flight[WINDOW];
    uint64_t first, last;
    double since; /* when the program could begin with frame `first` */
} batch;

static void ask_some(program *p, batch *b, const foray_system_query *query, const double *state)
{
    while (b->asked < b->count && b->last - b->first < WINDOW) {
        int64_t left = b->count - b->asked, size = p->batch < left ? p->batch : left;
        if (!fy_channel_room(&p->channel, FY_FRAME_HEADER + 8 + (size_t)size * question_size(p)))
            return;
        uint64_t sequence = write_step(p, size, query + b->asked, state + b->asked * p->dimensions);
        b->flight[b->last % WINDOW].sequence = sequence;
        b->flight[b->last % WINDOW].count = size;
        b->last++;
        b->asked += size;
    }
}

static void adapt_batch(program *p, int64_t count, double took)
{
    double slow = fmin(frame_seconds, p->limits.timeout / 8);
    if (took > slow && p->batch > 1)
        p->batch /= 2;
    else if (took < slow * frame_share && count == p->batch && 2 * p->batch <= p->max)
        p->batch *= 2;
}

/* Takes every answer that is there. */
static foray_status take_some(program *p, batch *b, double *next)
{
    while (b->first < b->last) {
        int64_t count = b->flight[b->first % WINDOW].count;
        size_t size = fy_frame_step_size(count, p->dimensions);
        fy_answer answer;
        foray_status status = fy_channel_take(
            &p->channel, FY_FRAME_STEP, b->flight[b->first % WINDOW].sequence, size, size, &answer);
        if (status != FORAY_OK || !answer.body)
            return status;
        int64_t room = b->answered < FORAY_MAX_ENDS ? FORAY_MAX_ENDS - b->answered : 0;
        status = fy_frame_step_read(&p->channel.say, answer.body, answer.size, count, p->dimensions,
                                    next + b->answered * p->dimensions,
                                    p->done + FORAY_MAX_ENDS - room, room);
        if (status != FORAY_OK)
            return p->channel.failed = status;
        b->answered += count;
        b->first++;
        double now = fy_clock();
        adapt_batch(p, count, now - b->since);
        b->since = now;
    }
    return FORAY_OK;
}

static foray_status program_step(void *self, int64_t count, const foray_system_query *query,
                                 const double *state, double *next)
{
    program *p = self;
    batch b = {.count = count, .since = fy_clock()};
    foray_status status = FORAY_OK;
    while (b.answered < count && status == FORAY_OK) {
        ask_some(p, &b, query, state);
        status = take_some(p, &b, next);
        if (status == FORAY_OK && b.answered < count)
            status = fy_channel_move(&p->channel, b.since + p->limits.timeout, p->limits.timeout);
    }
    return status;
}

/* ---------------------------------------------------------- other questions */

/* The answer to the question just written: `count` numbers. */
static foray_status await_numbers(program *p, fy_frame_type type, uint64_t sequence, int64_t count,
                                  double *out)
{
    fy_answer answer;
    size_t size = (size_t)count * sizeof *out;
    foray_status status =
        fy_channel_await(&p->channel, type, sequence, size, size, fy_clock() + p->limits.timeout,
                         p->limits.timeout, &answer);
    if (status != FORAY_OK)
        return status;
    fy_reader reader = {.data = answer.body, .size = answer.size};
    fy_read_doubles(&reader, out, (size_t)count);
    return FORAY_OK;
}

/* For a single question with a body of so many bytes. */
static foray_status make_room(program *p, size_t length)
{
    foray_status status = fy_channel_check(&p->channel);
    if (status == FORAY_OK && !fy_channel_room(&p->channel, FY_FRAME_HEADER + length))
        status = FORAY_ERROR_WORLD;
    return status;
}

static foray_status program_reset(void *self, const foray_draw *draw, double *state)
{
    program *p = self;
    foray_status status = make_room(p, 8);
    if (status != FORAY_OK)
        return status;
    uint64_t sequence = fy_channel_ask(&p->channel, FY_FRAME_RESET, 8);
    fy_write_u64(&p->channel.out, fy_draw_key(draw));
    return await_numbers(p, FY_FRAME_RESET, sequence, p->dimensions, state);
}

static foray_status program_reward(void *self, int64_t index, const double *state, int64_t action,
                                   double *value)
{
    program *p = self;
    fy_writer *out = &p->channel.out;
    size_t length = 16 + 8 * (size_t)p->dimensions;
    foray_status status = make_room(p, length);
    if (status != FORAY_OK)
        return status;
    uint64_t sequence = fy_channel_ask(&p->channel, FY_FRAME_REWARD, length);
    fy_write_u64(out, (uint64_t)index);
    fy_write_u64(out, (uint64_t)action);
    fy_write_doubles(out, state, (size_t)p->dimensions);
    return await_numbers(p, FY_FRAME_REWARD, sequence, 1, value);
}

static bool program_weights(void *self, double *weight)
{
    const program *p = self;
    if (!p->told.weight)
        return false;
    memcpy(weight, p->told.weight, (size_t)p->told.spec.simulators * sizeof *weight);
    return true;
}

static bool program_ended(void *self, int64_t k)
{
    return ((const program *)self)->done[k];
}

static const char *program_message(void *self)
{
    const program *p = self;
    return p->channel.say.message;
}

static void program_destroy(void *self)
{
    program *p = self;
    fy_channel_close(&p->channel, p->limits.grace);
    fy_frame_spec_free(&p->told);
    free(p);
}

/* ------------------------------------------------------------------ opening */

/* The answer to a question asked before `deadline`, its message in `ctx`. */
static foray_status await_answer(foray_context *ctx, program *p, fy_frame_type type,
                                 uint64_t sequence, size_t max, double deadline, fy_answer *answer)
{
    fy_channel *channel = &p->channel;
    foray_status status =
        fy_channel_await(channel, type, sequence, 0, max, deadline, p->limits.start, answer);
    if (status != FORAY_OK)
        fy_say(ctx, "%s", channel->say.message);
    return status;
}

static foray_status shake_hands(foray_context *ctx, program *p, double deadline)
{
    fy_answer answer;
    uint64_t sequence = fy_channel_ask(&p->channel, FY_FRAME_HELLO, 16);
    fy_hello_write(&p->channel.out);
    foray_status status = await_answer(ctx, p, FY_FRAME_HELLO, sequence, 16, deadline, &answer);
    if (status != FORAY_OK)
        return status;
    return fy_hello_read(ctx, "this Foray", answer.body, answer.size);
}

static foray_status ask_spec(foray_context *ctx, program *p, double deadline)
{
    fy_answer answer;
    uint64_t sequence = fy_channel_ask(&p->channel, FY_FRAME_SPEC, 0);
    foray_status status =
        await_answer(ctx, p, FY_FRAME_SPEC, sequence, FY_FRAME_MAX, deadline, &answer);
    if (status != FORAY_OK)
        return status;
    return fy_frame_spec_read(ctx, answer.body, answer.size, &p->told);
}

static foray_status connect_program(foray_context *ctx, program *p, const char *const *word)
{
    size_t room = WINDOW * ((size_t)FY_FRAME_STEP_MAX + FY_FRAME_HEADER);
    foray_status status = fy_channel_open(ctx, &p->channel, word, room);
    double deadline = fy_clock() + p->limits.start;
    if (status == FORAY_OK)
        status = shake_hands(ctx, p, deadline);
    if (status == FORAY_OK)
        status = ask_spec(ctx, p, deadline);
    if (status != FORAY_OK)
        return status;
    p->dimensions = p->told.spec.dimensions;
    p->max = (int64_t)((FY_FRAME_STEP_MAX - 8) / question_size(p));
    p->batch = 1;
    return FORAY_OK;
}

static foray_status create_system(foray_context *ctx, program *p, foray_system **out)
{
    const foray_system_ops ops = {.size = sizeof ops,
                                  .reset = program_reset,
                                  .step = program_step,
                                  .weights = program_weights,
                                  .reward = program_reward,
                                  .deterministic = p->told.deterministic,
                                  .message = program_message,
                                  .destroy = program_destroy,
                                  .sequential = p->told.sequential,

                                  .ended = program_ended};
    return foray_system_create(ctx, &p->told.spec, &ops, p, out);
}

/* In a message, what was started is the text behind the prefix. */
static foray_status open_program(foray_context *ctx, const char *const *word, limits l,
                                 const char *prefix, const char *text, foray_system **out)
{
    program *p;
    if (!FY_ALLOC(ctx, p, 1))
        return FORAY_ERROR_MEMORY;
    p->limits = l;
    foray_status status = connect_program(ctx, p, word);
    if (status == FORAY_OK)
        status = create_system(ctx, p, out);
    if (status == FORAY_OK)
        return FORAY_OK;
    program_destroy(p);
    if (status == FORAY_ERROR_MEMORY)
        return status;
    return fy_fail_within(ctx, fy_status_of_world(status), "%s:%.200s", prefix, text);
}

foray_status fy_pipe_open(foray_context *ctx, const char *text, foray_system **out)
{
    limits l;
    const char *command = text;
    foray_status status = read_limits(ctx, &command, &l);
    if (status != FORAY_OK)
        return status;
    if (command[strspn(command, " \t\n")] == 0)
        return fy_fail(ctx, FORAY_ERROR_USAGE, "exec: no program is given; write exec:COMMAND");
    const char *const word[] = {"/bin/sh", "-c", command, NULL};
    return open_program(ctx, word, l, "exec", command, out);
}

/* The limits are those of programs. */
foray_status fy_contained_open(foray_context *ctx, const char *const *host, const char *text,
                               foray_system **out)
{
    limits usual;
    const char **word, *none = "";
    int64_t words = 0;
    while (host[words])
        words++;
    foray_status status = read_limits(ctx, &none, &usual);
    if (status != FORAY_OK)
        return status;
    if (!FY_ALLOC(ctx, word, words + 2))
        return FORAY_ERROR_MEMORY;
    memcpy(word, host, (size_t)words * sizeof *word);
    word[words] = text;
    status = open_program(ctx, word, usual, "plugin", text, out);
    free(word);
    return status;
}
