/* serve.c - turns a plug-in into a program: link it with the file that has foray_plugin, and
 *     foray world check exec:./program
 * asks it over pipes, in its own process, where it may crash without harm. The first argument
 * is the text that a plug-in gets. The protocol is described in docs/outside.md:
 * frames of 16 bytes and a body, all little-endian, questions on descriptor 3, answers on 4.
 *
 * Everything is read and written in the byte order of the machine, so this file is for
 * little-endian machines, which nearly all are. */
#include <foray/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "serve.c is for little-endian machines"
#endif

enum { QUESTIONS = 3, ANSWERS = 4, LARGEST = 1 << 20, PROTOCOL = 1 };
enum { HELLO = 1, SPEC, RESET, STEP, REWARD, GOODBYE, ERROR };
enum { WEIGHTS_KNOWN = 1, DIMENSIONS_NAMED = 2, ACTIONS_NAMED = 4, DETERMINISTIC = 8 };

typedef struct frame {
    uint32_t length, type;
    uint64_t sequence;
} frame;

typedef struct server {
    foray_plugin_table table;
    frame asked;
    /* The body of a question, and a whole answer: doubles, so that arrays are aligned. */
    double question[LARGEST / 8], answer[(sizeof(frame) + LARGEST) / 8];
    foray_plugin_query query[LARGEST / 16];
    size_t size; /* bytes of the answer's body */
} server;

/* -------------------------------------------------------------------- bytes */

/* False at the end of the pipe, or if it is broken. */
static int read_all(void *data, size_t size)
{
    for (char *at = data; size > 0;) {
        ssize_t done = read(QUESTIONS, at, size);
        if (done <= 0)
            return 0;
        at += done;
        size -= (size_t)done;
    }
    return 1;
}

static void write_all(const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        ssize_t done = write(ANSWERS, at, size);
        if (done <= 0)
            exit(1);
        at += done;
        size -= (size_t)done;
    }
}

static void put(server *s, const void *data, size_t size)
{
    if (size > LARGEST - s->size) {
        fprintf(stderr, "serve: an answer of more than %d bytes\n", LARGEST);
        exit(1);
    }
    if (size > 0)
        memcpy((char *)s->answer + sizeof(frame) + s->size, data, size);
    s->size += size;
}

static void send_answer(server *s, uint32_t type)
{
    frame header = {(uint32_t)s->size, type, s->asked.sequence};
    memcpy(s->answer, &header, sizeof header);
    write_all(s->answer, sizeof header + s->size);
    s->size = 0;
}

/* Reports the cause, and exits. */
static void send_error(server *s, const char *cause)
{
    s->size = 0;
    put(s, cause, strlen(cause));
    send_answer(s, ERROR);
    exit(1);
}

static void expect_length(server *s, size_t length)
{
    if (s->asked.length != length)
        send_error(s, "the length of a question does not fit its type");
}

/* ------------------------------------------------------------------ answers */

static void answer_hello(server *s)
{
    const uint32_t version[2] = {PROTOCOL, 0};
    char magic[8];
    expect_length(s, 16);
    memcpy(magic, s->question, sizeof magic);
    if (memcmp(magic, "FORAYWLD", sizeof magic) != 0)
        send_error(s, "this is not a HELLO");
    put(s, "FORAYWLD", 8);
    put(s, version, sizeof version);
}

static void put_names(server *s, const char *const *name, int64_t count)
{
    for (int64_t i = 0; name && i < count; i++) {
        uint32_t length = (uint32_t)strlen(name[i]);
        put(s, &length, sizeof length);
        put(s, name[i], length);
    }
}

static void answer_spec(server *s)
{
    const foray_plugin_table *t = &s->table;
    const double zero = 0, last = (double)t->states - 1;
    const int64_t head[] = {
        t->states,
        t->dimensions,
        t->actions,
        t->horizon,
        t->simulators,
        t->rewards,
        (t->weight ? WEIGHTS_KNOWN : 0) | (t->dimension_name ? DIMENSIONS_NAMED : 0) |
            (t->action_name ? ACTIONS_NAMED : 0) | (t->deterministic ? DETERMINISTIC : 0)};
    size_t box = (size_t)t->dimensions * sizeof(double);
    put(s, head, sizeof head);
    put(s, t->states ? &zero : t->low, box);
    put(s, t->states ? &last : t->high, box);
    if (t->weight)
        put(s, t->weight, (size_t)t->simulators * sizeof(double));
    put_names(s, &t->name, 1);
    put_names(s, t->dimension_name, t->dimensions);
    put_names(s, t->action_name, t->actions);
    put_names(s, t->reward_name, t->rewards);
}

static void answer_reset(server *s)
{
    char cause[FORAY_PLUGIN_CAUSE] = "";
    double *state = s->answer + sizeof(frame) / 8;
    uint64_t key;
    expect_length(s, sizeof key);
    memcpy(&key, s->question, sizeof key);
    if (s->table.reset(s->table.self, key, state, cause) != 0)
        send_error(s, cause);
    s->size = (size_t)s->table.dimensions * sizeof *state;
}

/* count, keys, simulators, actions, states: arrays one after another. */
static void answer_step(server *s)
{
    char cause[FORAY_PLUGIN_CAUSE] = "";
    uint64_t count;
    memcpy(&count, s->question, sizeof count);
    size_t each = 16 + 8 * (size_t)s->table.dimensions;
    expect_length(s, count <= LARGEST / each ? 8 + count * each : 0);
    const char *key = (const char *)s->question + 8, *simulator = key + 8 * count;
    const char *action = simulator + 4 * count;
    for (uint64_t i = 0; i < count; i++) {
        int32_t words[2];
        memcpy(&s->query[i].key, key + 8 * i, 8);
        memcpy(&words[0], simulator + 4 * i, 4);
        memcpy(&words[1], action + 4 * i, 4);
        s->query[i].simulator = words[0];
        s->query[i].action = words[1];
    }
    if (s->table.step(s->table.self, (int64_t)count, s->query, s->question + 1 + 2 * count,
                      s->answer + sizeof(frame) / 8, cause) != 0)
        send_error(s, cause);
    s->size = count * (size_t)s->table.dimensions * sizeof(double);
    memset((char *)s->answer + sizeof(frame) + s->size, 0,
           count); /* none of them ends an episode */
    s->size += count;
}

static void answer_reward(server *s)
{
    char cause[FORAY_PLUGIN_CAUSE] = "";
    int64_t head[2];
    double value;
    expect_length(s, sizeof head + 8 * (size_t)s->table.dimensions);
    memcpy(head, s->question, sizeof head);
    if (s->table.reward(s->table.self, head[0], s->question + 2, head[1], &value, cause) != 0)
        send_error(s, cause);
    put(s, &value, sizeof value);
}

static void answer(server *s)
{
    switch (s->asked.type) {
    case HELLO:
        answer_hello(s);
        break;
    case SPEC:
        answer_spec(s);
        break;
    case RESET:
        answer_reset(s);
        break;
    case STEP:
        answer_step(s);
        break;
    case REWARD:
        answer_reward(s);
        break;
    default:
        send_error(s, "a question of unknown type");
    }
    send_answer(s, s->asked.type);
}

/* Until GOODBYE, or the end of the pipe. */
int main(int count, char **arguments)
{
    static server s;
    static const foray_plugin_host host = {sizeof host, FORAY_PLUGIN_VERSION, "serve.c"};
    char cause[FORAY_PLUGIN_CAUSE] = "";
    int failed = foray_plugin(&host, count > 1 ? arguments[1] : "", &s.table, cause);
    while (read_all(&s.asked, sizeof s.asked) && s.asked.type != GOODBYE) {
        if (s.asked.length > LARGEST || !read_all(s.question, s.asked.length))
            return 1;
        if (failed)
            send_error(&s, cause);
        answer(&s);
    }
    if (!failed && s.table.destroy)
        s.table.destroy(s.table.self);
    return failed != 0;
}
