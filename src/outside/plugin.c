/* plugin.c - systems from shared objects: finds the entry point, checks what it filled in,
 * and passes questions on. What a plug-in does in this process cannot be contained: one
 * that crashes takes the process with it, unless that process is only there for it: see below. */
#include "foray/plugin.h"
#include "outside/outside.h"
#include "outside/frames.h"

#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Room for the tables of plug-ins built with a newer header: what they filled in beyond what
 * is known here must be zero. */
typedef union table_room {
    foray_plugin_table table;
    unsigned char byte[4096];
} table_room;

typedef struct loaded_plugin {
    char *path;
    void *object;
    foray_plugin_host host;
    table_room room;
    bool entered; /* the entry point succeeded and its table is understood: destroy is owed */
    /* The first failure stays; several threads may meet theirs at once. */
    pthread_mutex_t lock;
    bool failed;
    char cause[FORAY_PLUGIN_CAUSE];
} loaded_plugin;

/* Questions are translated so many at a time. */
enum { CHUNK = 256 };

/* Bits and proofs rest on rounding to nearest. A plug-in may set another way of rounding, or that
 * the smallest numbers count as zero, if only because it was linked with -ffast-math: after every
 * call, arithmetic is again what it was before (fegetenv, fesetenv). */

/* ---------------------------------------------------------------- questions */

static bool has_failed(loaded_plugin *p)
{
    pthread_mutex_lock(&p->lock);
    bool failed = p->failed;
    pthread_mutex_unlock(&p->lock);
    return failed;
}

static foray_status note_failure(loaded_plugin *p, int answer, const char *cause)
{
    if (answer == 0)
        return FORAY_OK;
    pthread_mutex_lock(&p->lock);
    if (!p->failed) {
        fy_format(p->cause, sizeof p->cause, "%.*s", FORAY_PLUGIN_CAUSE - 1,
                  cause[0] ? cause : "it does not say why");
        p->failed = true;
    }
    pthread_mutex_unlock(&p->lock);
    return FORAY_ERROR_WORLD;
}

static foray_status plugin_reset(void *self, const foray_draw *draw, double *state)
{
    loaded_plugin *p = self;
    char cause[FORAY_PLUGIN_CAUSE] = "";
    if (has_failed(p))
        return FORAY_ERROR_WORLD;
    const foray_plugin_table *table = &p->room.table;
    fenv_t ours;
    fegetenv(&ours);
    int answer = table->reset(table->self, fy_draw_key(draw), state, cause);
    fesetenv(&ours);
    return note_failure(p, answer, cause);
}

static foray_status plugin_step(void *self, int64_t count, const foray_system_query *query,
                                const double *state, double *next)
{
    loaded_plugin *p = self;
    const foray_plugin_table *table = &p->room.table;
    char cause[FORAY_PLUGIN_CAUSE] = "";
    foray_plugin_query asked[CHUNK];
    foray_status status = has_failed(p) ? FORAY_ERROR_WORLD : FORAY_OK;
    fenv_t ours;
    fegetenv(&ours);
    for (int64_t at = 0; at < count && status == FORAY_OK; at += CHUNK) {
        int64_t size = count - at < CHUNK ? count - at : CHUNK;
        for (int64_t i = 0; i < size; i++) {
            const foray_system_query *q = &query[at + i];
            asked[i] = (foray_plugin_query){fy_draw_key(&q->draw), q->simulator, q->action};
        }
        int64_t offset = at * table->dimensions;
        status = note_failure(
            p, table->step(table->self, size, asked, state + offset, next + offset, cause), cause);
    }
    fesetenv(&ours);
    return status;
}

static foray_status plugin_reward(void *self, int64_t index, const double *state, int64_t action,
                                  double *value)
{
    loaded_plugin *p = self;
    const foray_plugin_table *table = &p->room.table;
    char cause[FORAY_PLUGIN_CAUSE] = "";
    if (has_failed(p))
        return FORAY_ERROR_WORLD;
    fenv_t ours;
    fegetenv(&ours);
    int answer = table->reward(table->self, index, state, action, value, cause);
    fesetenv(&ours);
    return note_failure(p, answer, cause);
}

static bool plugin_weights(void *self, double *weight)
{
    const loaded_plugin *p = self;
    const foray_plugin_table *table = &p->room.table;
    if (!table->weight)
        return false;
    memcpy(weight, table->weight, (size_t)table->simulators * sizeof *weight);
    return true;
}

static const char *plugin_message(void *self)
{
    const loaded_plugin *p = self;
    return p->cause;
}

static void unload(loaded_plugin *p)
{
    if (!p)
        return;
    const foray_plugin_table *table = &p->room.table;
    fenv_t ours;
    fegetenv(&ours);
    if (p->entered && table->destroy)
        table->destroy(table->self);
    if (p->object)
        dlclose(p->object);
    fesetenv(&ours);
    pthread_mutex_destroy(&p->lock);
    free(p->path);
    free(p);
}

static void plugin_destroy(void *self)
{
    unload(self);
}

/* ------------------------------------------------------------------ opening */

/* The linker's own words, which name the file. */
static foray_status linker_says(foray_context *ctx, const loaded_plugin *p)
{
    const char *cause = dlerror();
    return fy_fail(ctx, FORAY_ERROR_WORLD, "plugin:%s: %s", p->path,
                   cause ? cause : "no reason given");
}

/* A path without a '/' is a file here: the linker would look for it among its libraries. */
static foray_status load(foray_context *ctx, loaded_plugin *p)
{
    char *here = NULL;
    const char *path = p->path;
    if (!strchr(path, '/')) {
        size_t size = strlen(path) + sizeof "./";
        if (!FY_ALLOC(ctx, here, size))
            return FORAY_ERROR_MEMORY;
        fy_format(here, size, "./%s", path);
        path = here;
    }
    fenv_t ours;
    fegetenv(&ours);
    p->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    fesetenv(&ours);
    free(here);
    return p->object ? FORAY_OK : linker_says(ctx, p);
}

static foray_status enter(foray_context *ctx, loaded_plugin *p, const char *text)
{
    char cause[FORAY_PLUGIN_CAUSE] = "";
    foray_plugin_fn *entry;
    void *symbol = dlsym(p->object, "foray_plugin");
    if (!symbol)
        return linker_says(ctx, p);
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from data to functions */
    p->host = (foray_plugin_host){sizeof p->host, FORAY_PLUGIN_VERSION, FORAY_VERSION};
    fenv_t ours;
    fegetenv(&ours);
    int answer = entry(&p->host, text, &p->room.table, cause);
    fesetenv(&ours);
    if (answer != 0)
        return fy_fail(ctx, FORAY_ERROR_WORLD, "plugin:%s: it refuses to start: %.*s", p->path,
                       FORAY_PLUGIN_CAUSE - 1, cause[0] ? cause : "it does not say why");
    return FORAY_OK;
}

/* Versions first: nothing else means anything if they differ. */
static foray_status check_size(foray_context *ctx, loaded_plugin *p)
{
    const foray_plugin_table *table = &p->room.table;
    size_t min = offsetof(foray_plugin_table, destroy), known = sizeof *table;
    if (table->version != FORAY_PLUGIN_VERSION)
        return fy_fail(ctx, FORAY_ERROR_WORLD,
                       "plugin:%s: built for version %u of the plug-in interface, but this is %u",
                       p->path, table->version, FORAY_PLUGIN_VERSION);
    if (table->size < min || table->size > sizeof p->room)
        return fy_fail(ctx, FORAY_ERROR_WORLD,
                       "plugin:%s: its table.size is %zu, but it must be "
                       "sizeof(foray_plugin_table), at least %zu",
                       p->path, table->size, min);
    for (size_t i = known; i < table->size; i++)
        if (p->room.byte[i])
            return fy_fail(ctx, FORAY_ERROR_WORLD,
                           "plugin:%s: it uses entries of the table that only a newer Foray knows",
                           p->path);
    if (table->size < known)
        memset(p->room.byte + table->size, 0, known - table->size);
    p->entered = true;
    return FORAY_OK;
}

/* What foray_system_create cannot see: the rest is checked there. */
static foray_status check_entries(foray_context *ctx, const loaded_plugin *p)
{
    const foray_plugin_table *table = &p->room.table;
    const char *missing = NULL;
    if (!table->name)
        missing = "name";
    else if (!table->reset)
        missing = "reset";
    else if (!table->step)
        missing = "step";
    else if (table->rewards > 0 && !table->reward)
        missing = "reward";
    else if (table->rewards > 0 && !table->reward_name)
        missing = "reward_name";
    else if (table->states == 0 && (!table->low || !table->high))
        missing = table->low ? "high" : "low";
    if (missing)
        return fy_fail(ctx, FORAY_ERROR_WORLD, "plugin:%s: table.%s is required, but it is NULL",
                       p->path, missing);
    return FORAY_OK;
}

static foray_status wrap(foray_context *ctx, loaded_plugin *p, foray_system **out)
{
    const foray_plugin_table *table = &p->room.table;
    const foray_system_spec spec = {.size = sizeof spec,
                                    .name = table->name,
                                    .states = table->states,
                                    .dimensions = table->dimensions,
                                    .actions = table->actions,
                                    .horizon = table->horizon,
                                    .simulators = table->simulators,
                                    .low = table->low,
                                    .high = table->high,
                                    .dimension_name = table->dimension_name,
                                    .action_name = table->action_name,
                                    .rewards = table->rewards,
                                    .reward_name = table->reward_name};
    const foray_system_ops ops = {.size = sizeof ops,
                                  .reset = plugin_reset,
                                  .step = plugin_step,
                                  .weights = plugin_weights,
                                  .reward = plugin_reward,
                                  .threads = table->threads != 0,
                                  .deterministic = table->deterministic != 0,
                                  .message = plugin_message,
                                  .destroy = plugin_destroy};
    foray_status status = foray_system_create(ctx, &spec, &ops, p, out);
    if (status == FORAY_ERROR_MEMORY || status == FORAY_OK)
        return status;
    return fy_fail_within(ctx, FORAY_ERROR_WORLD, "plugin:%s", p->path);
}

static foray_status create(foray_context *ctx, const char *text, loaded_plugin **out)
{
    loaded_plugin *p;
    size_t length = strcspn(text, ":");
    if (!FY_ALLOC(ctx, p, 1))
        return FORAY_ERROR_MEMORY;
    if (!FY_ALLOC(ctx, p->path, length + 1)) {
        free(p);
        return FORAY_ERROR_MEMORY;
    }
    memcpy(p->path, text, length);
    pthread_mutex_init(&p->lock, NULL);
    *out = p;
    return FORAY_OK;
}

static foray_status load_plugin(foray_context *ctx, const char *text, loaded_plugin **out)
{
    loaded_plugin *p = NULL;
    foray_status status = create(ctx, text, &p);
    if (status != FORAY_OK)
        return status;
    const char *rest = text + strlen(p->path);
    if (!p->path[0])
        status =
            fy_fail(ctx, FORAY_ERROR_USAGE, "plugin: no file is given; write plugin:PATH[:TEXT]");
    if (status == FORAY_OK)
        status = load(ctx, p);
    if (status == FORAY_OK)
        status = enter(ctx, p, *rest ? rest + 1 : rest);
    if (status == FORAY_OK)
        status = check_size(ctx, p);
    if (status == FORAY_OK)
        status = check_entries(ctx, p);
    if (status == FORAY_OK)
        *out = p;
    else
        unload(p);
    return status;
}

static const foray_plugin_table *table_of(const loaded_plugin *plugin)
{
    return &plugin->room.table;
}

foray_status fy_plugin_open(foray_context *ctx, const char *text, foray_system **out)
{
    loaded_plugin *p;
    foray_status status = load_plugin(ctx, text, &p);
    if (status != FORAY_OK)
        return status;
    status = wrap(ctx, p, out);
    if (status != FORAY_OK)
        unload(p);
    return status;
}

/* ------------------------------------------------------------ in a process of its own */

/* A plug-in in a process of its own: this is the side that has it, and answers questions
 * of the world protocol (docs/outside.md) on two descriptors until GOODBYE, or their end. What the
 * plug-in does to this process, the one that asks survives. */

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

static bool answer_frame(server *s)
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
        if (failure ? !refuse(s, failure) : !answer_frame(s))
            return;
}

static bool allocate_server(server *s)
{
    return FY_ALLOC(s->ctx, s->question, QUESTION_WORDS) && FY_ALLOC(s->ctx, s->query, QUERIES) &&
           FY_ALLOC(s->ctx, s->key, QUERIES) && FY_ALLOC(s->ctx, s->word, 2 * QUERIES) &&
           FY_ALLOC(s->ctx, s->state, QUESTION_WORDS) && FY_ALLOC(s->ctx, s->next, QUESTION_WORDS);
}

foray_status fy_plugin_serve(foray_context *ctx, const char *text, int questions, int answers)
{
    server s = {.ctx = ctx, .questions = questions, .answers = answers, .answer = {.ctx = ctx}};
    loaded_plugin *plugin = NULL;
    char failure[sizeof ctx->message];
    foray_status status =
        allocate_server(&s) ? load_plugin(ctx, text, &plugin) : FORAY_ERROR_MEMORY;
    if (status == FORAY_OK) {
        s.table = table_of(plugin);
        if (s.table->dimensions < 1 || s.table->dimensions > 64)
            status = fy_fail(ctx, FORAY_ERROR_WORLD, "dimensions must be 1 to 64");
    }
    memcpy(failure, ctx->message, sizeof failure);
    if (s.question)
        serve(&s, status == FORAY_OK ? NULL : failure);
    unload(plugin);
    free(s.question);
    free(s.key);
    free(s.word);
    free(s.query);
    free(s.state);
    free(s.next);
    free(s.answer.data);
    if (status != FORAY_OK)
        fy_message_set(ctx, "%s", failure);
    return status;
}
