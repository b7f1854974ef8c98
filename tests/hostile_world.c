/* hostile_world.c - a small world that goes wrong in the way its first argument names, from
 * the question on whose number is the second (of STEPs, from 1). The third names a file that a
 * grandchild keeps locked as long as it lives, or that one makes before it spins.
 *
 * Five states in a ring, two actions, two simulators: forwards by one (or two), or back. */
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { STATES = 5, LARGEST = 1 << 20 };
enum { HELLO = 1, SPEC, RESET, STEP, REWARD, GOODBYE, ERROR };

typedef struct frame {
    uint32_t length, type;
    uint64_t sequence;
} frame;

typedef struct world {
    const char *mode, *lock;
    long after, steps; /* goes wrong at STEP number `after`; STEPs so far */
    frame asked;
    double question[LARGEST / 8];
    unsigned char answer[LARGEST + 64];
    size_t size;
} world;

static bool is(const world *w, const char *mode)
{
    return strcmp(w->mode, mode) == 0;
}

static bool now(const world *w, const char *mode)
{
    return w->steps >= w->after && is(w, mode);
}

static void hang(void)
{
    for (;;)
        pause();
}

/* Looks at nothing any more; the file tells that it has come to this. */
static void spin(const char *file)
{
    volatile unsigned turns = 0;
    FILE *made = fopen(file, "w");
    if (made)
        fclose(made);
    for (;;)
        turns++;
}

static void put(world *w, const void *data, size_t size)
{
    memcpy(w->answer + sizeof(frame) + w->size, data, size);
    w->size += size;
}

static void write_bytes(const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        ssize_t done = write(4, at, size);
        if (done <= 0)
            exit(1);
        at += done;
        size -= (size_t)done;
    }
}

static void finish(world *w, uint32_t length, uint32_t type)
{
    frame header = {length, type, w->asked.sequence};
    memcpy(w->answer, &header, sizeof header);
}

static void send_as(world *w, uint32_t type)
{
    finish(w, (uint32_t)w->size, type);
    write_bytes(w->answer, sizeof(frame) + w->size);
}

/* ------------------------------------------------------------------ answers */

static void hello(world *w)
{
    uint32_t version[2] = {is(w, "wrong-version") ? 2 : 1, 0};
    if (is(w, "hang-hello"))
        hang();
    if (is(w, "exit-hello"))
        exit(3);
    if (is(w, "prose")) {
        write_bytes("Hello, world! How do you do?\n", 29);
        hang();
    }
    put(w, is(w, "wrong-magic") ? "SOMETHNG" : "FORAYWLD", 8);
    put(w, version, sizeof version);
    if (is(w, "huge-hello")) {
        finish(w, UINT32_MAX, HELLO);
        write_bytes(w->answer, sizeof(frame) + w->size);
        hang();
    }
}

static void put_name(world *w, const char *name)
{
    uint32_t length = (uint32_t)strlen(name);
    put(w, &length, sizeof length);
    put(w, name, length);
}

static void spec(world *w)
{
    int64_t head[] = {STATES, 1, 2, 4, 2, 1, 1};
    const double number[] = {0, STATES - 1, 0.5, 0.5}, odd[] = {0, STATES - 1, 0.9, 0.9};
    if (is(w, "many-dimensions"))
        head[1] = 1000;
    if (is(w, "many-actions"))
        head[2] = INT64_MAX;
    if (is(w, "many-rewards"))
        head[5] = INT32_MAX;
    if (is(w, "no-horizon"))
        head[3] = 0;
    if (is(w, "sequential-simulators"))
        head[6] |= 16;
    if (is(w, "odd-flags"))
        head[6] |= 32;
    put(w, head, sizeof head);
    put(w, is(w, "odd-weights") ? odd : number, sizeof number);
    put_name(w, is(w, "control-name") ? "ring\033[31m" : "ring");
    put_name(w, "home");
    if (is(w, "long-spec"))
        put(w, head, sizeof head);
    if (is(w, "cut-spec")) {
        finish(w, 100000, SPEC);
        write_bytes(w->answer, sizeof(frame) + w->size);
        exit(0);
    }
}

/* What follows, and what may be wrong with it. */
static double follow(const world *w, uint64_t key, int32_t simulator, int32_t action, double state)
{
    int chosen = simulator < 0 ? (int)(key >> 63) : simulator;
    int next = ((int)state + (action ? 1 + chosen : STATES - 1)) % STATES;
    if (now(w, "range"))
        return 99;
    if (now(w, "nan"))
        return NAN;
    if (now(w, "fraction"))
        return 1.5;
    if (now(w, "moody"))
        return (next + (int)w->steps) % STATES;
    if (now(w, "liar") && simulator < 0)
        return STATES - 1;
    return next;
}

/* One that forked holds the pipe; the one that was asked is gone. */
static void leave_a_grandchild(const world *w)
{
    int ready[2];
    char byte;
    if (pipe(ready) != 0 || fork() != 0) {
        close(ready[1]);
        exit(read(ready[0], &byte, 1) == 1 ? 0 : 1); /* once the lock is taken */
    }
    FILE *file = fopen(w->lock, "w");
    signal(SIGTERM, SIG_IGN);
    if (!file || flock(fileno(file), LOCK_EX) != 0 || write(ready[1], "!", 1) != 1)
        exit(1);
    hang();
}

static void flood(world *w)
{
    for (;;)
        send_as(w, STEP);
}

static void dribble(const world *w)
{
    for (size_t i = 0; i < sizeof(frame) + w->size; i++) {
        write_bytes(w->answer + i, 1);
        usleep(30000);
    }
}

/* Before the answer is made. */
static void go_wrong_before(const world *w)
{
    if (now(w, "hang"))
        hang();
    if (now(w, "spin"))
        spin(w->lock);
    if (now(w, "exit"))
        exit(7);
    if (now(w, "killed"))
        raise(SIGKILL);
    if (now(w, "grandchild"))
        leave_a_grandchild(w);
    if (now(w, "close-out")) {
        close(4);
        hang();
    }
    if (now(w, "close-in")) {
        close(3);
        hang();
    }
}

/* Once it is made. */
static void go_wrong_after(world *w)
{
    if (now(w, "error")) {
        w->size = 0;
        put(w, "the ring\nis \033[31mbroken", 23);
        send_as(w, ERROR);
        exit(1);
    }
    if (now(w, "flood"))
        flood(w);
    if (now(w, "twice"))
        send_as(w, STEP);
    if (now(w, "long"))
        put(w, "too long", 8);
    if (now(w, "other-type")) {
        send_as(w, RESET);
        hang();
    }
    finish(w, (uint32_t)w->size, STEP);
    if (now(w, "noise"))
        memset(w->answer, 0xA5, sizeof(frame));
    if (now(w, "dribble"))
        dribble(w);
    if (now(w, "cut") || now(w, "cut-hang")) {
        write_bytes(w->answer, sizeof(frame) + w->size / 2);
        if (now(w, "cut-hang"))
            hang();
        exit(0);
    }
}

static void step(world *w)
{
    const unsigned char *body = (const unsigned char *)w->question;
    uint64_t count, key;
    w->steps++;
    go_wrong_before(w);
    memcpy(&count, body, sizeof count);
    for (uint64_t i = 0; i < count; i++) {
        int32_t simulator, action;
        memcpy(&key, body + 8 + 8 * i, sizeof key);
        memcpy(&simulator, body + 8 + 8 * count + 4 * i, sizeof simulator);
        memcpy(&action, body + 8 + 12 * count + 4 * i, sizeof action);
        double next = follow(w, key, simulator, action, w->question[1 + 2 * count + i]);
        put(w, &next, sizeof next);
    }
    for (uint64_t i = 0; i < count && !now(w, "no-done"); i++) {
        double next;
        memcpy(&next, w->answer + sizeof(frame) + 8 * i, sizeof next);
        unsigned char done = now(w, "odd-done") ? 7 : is(w, "ends") && next == STATES - 1;
        put(w, &done, 1);
    }
    go_wrong_after(w);
    if (is(w, "chatty"))
        printf("step %ld\n", w->steps);
}

static void answer(world *w)
{
    const double first = 0, value = is(w, "generous") ? 2 : w->question[2] == 0;
    w->size = 0;
    if (w->asked.type == HELLO)
        hello(w);
    else if (w->asked.type == SPEC)
        spec(w);
    else if (w->asked.type == STEP)
        step(w);
    else
        put(w, w->asked.type == RESET ? &first : &value, sizeof first);
    if (now(w, "noise"))
        write_bytes(w->answer, sizeof(frame) + w->size);
    else
        send_as(w, w->asked.type);
}

static bool read_bytes(void *data, size_t size)
{
    for (char *at = data; size > 0;) {
        ssize_t done = read(3, at, size);
        if (done <= 0)
            return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

int main(int count, char **arguments)
{
    static world w;
    w.mode = count > 1 ? arguments[1] : "good";
    w.after = count > 2 ? atol(arguments[2]) : 1;
    w.lock = count > 3 ? arguments[3] : "/dev/null";
    if (is(&w, "exit-at-once"))
        return 3;
    if (is(&w, "stubborn"))
        signal(SIGTERM, SIG_IGN);
    while (read_bytes(&w.asked, sizeof w.asked) && w.asked.type != GOODBYE &&
           read_bytes(w.question, w.asked.length))
        answer(&w);
    if (is(&w, "stubborn"))
        hang();
    return 0;
}
