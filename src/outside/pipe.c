/* pipe.c - programs as systems: starts them, and sees to it that nothing of them stays behind;
 * frames to and from them, with deadlines; and the world protocol (docs/outside.md) from our side.
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
#define _GNU_SOURCE /* posix_spawn_file_actions_addclosefrom_np, pipe2, environ, sigdescr_np */
#include "base/parameter.h"
#include "outside/frames.h"
#include "outside/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A program in a process group of its own, with a way in (its descriptor 3) and a
 * way out (its descriptor 4). Standard input is empty, standard output goes where standard
 * error goes, since the caller's standard output is for results.
 *
 * The group is led by a guard: a shell that reads from a pipe whose other end is ours alone. If
 * this process ends in whatever way, SIGKILL too, the guard reads the end of it, and ends the
 * group. (The kernel's own signal at the death of a parent comes at the death of the *thread*
 * that started the program, and only to the program, not to what it started.) */
typedef struct child_process {
    pid_t pid;      /* 0: none */
    pid_t guard;    /* also the group's */
    int to, from;   /* ours: what is written to `to` is read at 3; -1: closed. Non-blocking */
    int guard_pipe; /* ours: the guard waits for its end */
} child_process;

/* One that failed stays failed: its message tells why. One that was stopped while the program was
 * at work (FORAY_INTERRUPTED) has an answer under way that nobody waits for, and failed, too. */
typedef struct frame_channel {
    child_process child;
    foray_context *ctx;  /* whether to stop */
    foray_context say;   /* holds the message, once it failed */
    foray_status failed; /* FORAY_OK: it did not */
    bool input_closed;   /* the program no longer reads */
    double missed;       /* the deadline that has passed, with a last look still to come; 0: none */
    uint64_t next;       /* sequence number of the next question */
    fy_writer out;       /* what is to be written; out.data[sent..size) still is */
    size_t sent;
    uint8_t *in; /* what was read; in[at..end) is not looked at yet */
    size_t at, end, room;
} frame_channel;

/* An answer as it lies in the channel: valid until the next call. */
typedef struct frame_answer {
    const uint8_t *body; /* NULL: it is not there yet */
    size_t size;
} frame_answer;

/* --------------------------------------------------------------- the child */

/* The descriptors that the program speaks on; the first one that is not its own. */
enum { PROGRAM_IN = 3, PROGRAM_OUT, PROGRAM_END };
/* Ours lie above these, so that moving them there cannot hit one another. */
enum { SAFE_DESCRIPTOR = 16 };
/* However the rest went, a killed process is waited for so long. */
static const double reap_seconds = 5.0;

/* What the guard does: signals to its group do not end it, since it must outlast them. Programs
 * have a second to notice that nobody asks them any more, and another after SIGTERM. */
static const char *const guard_words[] = {"/bin/sh", "-c",
                                          "trap '' HUP INT QUIT USR1 USR2 ALRM TERM; read -r end; "
                                          "sleep 1; kill -TERM 0; sleep 1; kill -KILL 0",
                                          NULL};

/* Both ends of all ways. */
typedef struct ways {
    int our_to, its_in;
    int our_from, its_out;
    int our_guard_pipe, its_guard_pipe;
} ways;

static void close_way(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_ways(ways *w)
{
    close_way(&w->our_to);
    close_way(&w->its_in);
    close_way(&w->our_from);
    close_way(&w->its_out);
    close_way(&w->our_guard_pipe);
    close_way(&w->its_guard_pipe);
}

/* Moves a descriptor out of the way of those the program gets. */
static bool move_aside(int *fd)
{
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, SAFE_DESCRIPTOR);
    if (moved < 0)
        return false;
    close(*fd);
    *fd = moved;
    return true;
}

static bool set_non_blocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

/* In goes a socket, since a send can be told not to raise SIGPIPE and a write to a pipe
 * cannot; out comes a pipe. */
static bool open_ways(ways *w)
{
    int in[2], out[2], guard_pipe[2];
    *w = (ways){-1, -1, -1, -1, -1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0)
        return false;
    w->our_to = in[0];
    w->its_in = in[1];
    if (pipe2(out, O_CLOEXEC) != 0)
        return false;
    w->our_from = out[0];
    w->its_out = out[1];
    if (pipe2(guard_pipe, O_CLOEXEC) != 0)
        return false;
    w->its_guard_pipe = guard_pipe[0];
    w->our_guard_pipe = guard_pipe[1];
    return shutdown(w->our_to, SHUT_RD) == 0 && move_aside(&w->our_to) && move_aside(&w->its_in) &&
           move_aside(&w->our_from) && move_aside(&w->its_out) && move_aside(&w->its_guard_pipe) &&
           move_aside(&w->our_guard_pipe) && set_non_blocking(w->our_to) &&
           set_non_blocking(w->our_from);
}

/* ----------------------------------------------------------------- starting */

/* What arranges descriptors returns 0, or the first error. */
typedef int arrangement(posix_spawn_file_actions_t *actions, const ways *w);

static int arrange_program(posix_spawn_file_actions_t *actions, const ways *w)
{
    int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    bool has_stderr = fcntl(STDERR_FILENO, F_GETFD) >= 0;
    if (!error && !has_stderr)
        error = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, STDOUT_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, w->its_in, PROGRAM_IN);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, w->its_out, PROGRAM_OUT);
    if (!error)
        error = posix_spawn_file_actions_addclosefrom_np(actions, PROGRAM_END);
    return error;
}

/* Standard error would keep whoever reads it waiting, were a guard to hold it. */
static int arrange_guard(posix_spawn_file_actions_t *actions, const ways *w)
{
    int error = posix_spawn_file_actions_adddup2(actions, w->its_guard_pipe, STDIN_FILENO);
    for (int fd = STDOUT_FILENO; !error && fd <= STDERR_FILENO; fd++)
        error = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_WRONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    return error;
}

/* In the group, or 0 for one of its own; no signal blocked or ignored, whatever the caller does
 * with his. */
static int arrange_signals(posix_spawnattr_t *attributes, pid_t group)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (!error)
        error = posix_spawnattr_setpgroup(attributes, group);
    if (!error)
        error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error)
        error = posix_spawnattr_setsigdefault(attributes, &all);
    return error;
}

static int spawn(const char *const *word, arrangement *arrange, const ways *w, pid_t group,
                 pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = arrange(&actions, w);
        if (!error)
            error = arrange_signals(&attributes, group);
        if (!error)
            error = posix_spawn(pid, word[0], &actions, &attributes, (char *const *)word, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void reap(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
}

/* Starts the program of these words, ended by NULL, the first of which is its path: no shell reads
 * them. Nothing else of ours is open in it. */
static foray_status start_child(foray_context *say, const char *const *word, child_process *child)
{
    ways w;
    pid_t pid = 0, guard = 0;
    int error = open_ways(&w) ? 0 : errno;
    if (!error)
        error = spawn(guard_words, arrange_guard, &w, 0, &guard);
    if (!error)
        error = spawn(word, arrange_program, &w, guard, &pid);
    if (error) {
        if (guard > 0) {
            kill(guard, SIGKILL);
            reap(guard);
        }
        close_ways(&w);
        return fy_fail(say, FORAY_ERROR_WORLD, "it cannot be started: %s", strerror(error));
    }
    close_way(&w.its_in);
    close_way(&w.its_out);
    close_way(&w.its_guard_pipe);
    *child = (child_process){.pid = pid,
                             .guard = guard,
                             .to = w.our_to,
                             .from = w.our_from,
                             .guard_pipe = w.our_guard_pipe};
    return FORAY_OK;
}

/* ------------------------------------------------------------------- ending */

/* Looks without reaping: while the process waits to be reaped its number, and the group's,
 * cannot become somebody else's. */
typedef enum fate { RUNNING, ENDED, REAPED_BY_OTHERS } fate;

static fate look_at(pid_t pid, siginfo_t *info)
{
    *info = (siginfo_t){0};
    int result;
    do
        result = waitid(P_PID, (id_t)pid, info, WEXITED | WNOHANG | WNOWAIT);
    while (result != 0 && errno == EINTR);
    if (result != 0)
        return REAPED_BY_OTHERS;
    return info->si_pid == 0 ? RUNNING : ENDED;
}

/* strsignal writes to memory that threads share. */
static const char *signal_text(int number)
{
    const char *text = sigdescr_np(number);
    return text ? text : "unknown";
}

enum { HOW_SIZE = 64 };
/* Has it ended? If so, `how` says in which way: "exit status 3", "signal 9: Killed". */
static bool child_ended(const child_process *child, char how[HOW_SIZE])
{
    siginfo_t info;
    switch (look_at(child->pid, &info)) {
    case RUNNING:
        return false;
    case REAPED_BY_OTHERS:
        fy_format(how, HOW_SIZE, "exit status unknown");
        break;
    case ENDED:
        if (info.si_code == CLD_EXITED)
            fy_format(how, HOW_SIZE, "exit status %d", info.si_status);
        else
            fy_format(how, HOW_SIZE, "signal %d: %s", info.si_status, signal_text(info.si_status));
    }
    return true;
}

/* Waits until it has ended or `seconds` are over. */
static fate wait_for(pid_t pid, double seconds)
{
    siginfo_t info;
    double deadline = fy_clock() + seconds;
    struct timespec pause = {.tv_nsec = 500000};
    fate found;
    while ((found = look_at(pid, &info)) == RUNNING && fy_clock() < deadline) {
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 10000000)
            pause.tv_nsec *= 2;
    }
    return found;
}

/* One that cannot be waited for is left to whoever reaps our children. */
static void reap_killed(pid_t pid)
{
    if (wait_for(pid, reap_seconds) == ENDED)
        reap(pid);
}

/* To the group; and to the program, which may have left it for one of its own (setsid), and to that
 * one. Until the two are reaped their numbers, and those of the groups, are surely theirs. */
static void signal_child(const child_process *child, int number)
{
    siginfo_t info;
    if (look_at(child->guard, &info) != REAPED_BY_OTHERS)
        kill(-child->guard, number);
    if (look_at(child->pid, &info) != REAPED_BY_OTHERS) {
        kill(child->pid, number);
        kill(-child->pid, number);
    }
}

/* Closes both ways, which asks it to end; after `patience` seconds SIGTERM, after `grace` more
 * SIGKILL, in any case to the group, since a grandchild may have outlived it; and reaps it. A
 * grandchild that left both groups lives on; nobody here waits for it. */
static void end_child(child_process *child, double patience, double grace)
{
    if (child->pid == 0)
        return;
    close_way(&child->to);
    close_way(&child->from);
    if (wait_for(child->pid, patience) == RUNNING) {
        signal_child(child, SIGTERM);
        wait_for(child->pid, grace);
    }
    signal_child(child, SIGKILL);
    close_way(&child->guard_pipe);
    reap_killed(child->pid);
    reap_killed(child->guard);
    *child = (child_process){.to = -1, .from = -1, .guard_pipe = -1};
}

/* ------------------------------------------------------------------ frames */

/* So long nobody looks whether to stop, or whether a program died while others hold its pipe. */
static const double look_seconds = 0.05;
/* How long one that closed its pipe has to end, so that the message can say how it did. */
static const double last_words_seconds = 0.2;
/* How long one that failed may take to end by itself. */
static const double spent_seconds = 0.25;

/* Starts the program of these words. `room` is for what may wait to be written. Close it even if
 * this fails. */
static foray_status channel_open(foray_context *ctx, frame_channel *channel,
                                 const char *const *word, size_t room)
{
    *channel =
        (frame_channel){.child = {.to = -1, .from = -1, .guard_pipe = -1}, .ctx = ctx, .next = 1};
    foray_context *say = &channel->say;
    say->threads = 1;
    say->allocations_left = -1;
    channel->out = (fy_writer){.ctx = say, .capacity = room};
    channel->room = FY_FRAME_HEADER + (size_t)FY_FRAME_MAX;
    if (!FY_ALLOC(ctx, channel->out.data, room) || !FY_ALLOC(ctx, channel->in, channel->room))
        return FORAY_ERROR_MEMORY;
    return start_child(ctx, word, &channel->child);
}

/* Puts the header of a question in front of what is to be written; the caller writes its
 * body of `length` bytes to channel->out. Returns its sequence number. */
static uint64_t channel_ask(frame_channel *channel, fy_frame_type type, size_t length)
{
    uint64_t sequence = channel->next++;
    fy_frame_write(&channel->out, (fy_frame){(uint32_t)length, type, sequence});
    return sequence;
}

/* One attempt is enough: closing the way in says the same. */
static void send_goodbye(frame_channel *channel)
{
    if (channel->failed != FORAY_OK || channel->input_closed || channel->child.to < 0)
        return;
    channel->out.size = channel->sent = 0;
    channel_ask(channel, FY_FRAME_GOODBYE, 0);
    (void)send(channel->child.to, channel->out.data, channel->out.size, MSG_NOSIGNAL);
}

/* Says goodbye and ends the program, with `grace` seconds for each way of asking; one that failed
 * is hardly asked, and one that is at work when it is stopped would not notice. */
static void channel_close(frame_channel *channel, double grace)
{
    double patience = channel->failed == FORAY_INTERRUPTED ? 0
                      : channel->failed != FORAY_OK        ? fmin(grace, spent_seconds)
                                                           : grace;
    send_goodbye(channel);
    end_child(&channel->child, patience, grace);
    free(channel->out.data);
    free(channel->in);
    channel->out.data = channel->in = NULL;
}

/* Makes room for `size` more bytes to be written: false if too many still wait. */
static bool channel_room(frame_channel *channel, size_t size)
{
    fy_writer *out = &channel->out;
    if (channel->sent > 0) {
        memmove(out->data, out->data + channel->sent, out->size - channel->sent);
        out->size -= channel->sent;
        channel->sent = 0;
    }
    return size <= out->capacity - out->size;
}

/* ----------------------------------------------------------------- failures */

static foray_status fail(frame_channel *channel)
{
    return channel->failed = FORAY_ERROR_WORLD;
}

static foray_status fail_as_stopped(frame_channel *channel)
{
    fy_message_set(&channel->say, "the program was stopped in the middle of an answer");
    return channel->failed = FORAY_INTERRUPTED;
}

/* FORAY_OK, or why it cannot be asked any more. Once what was stopped is over, whoever asks again
 * is not being stopped. */
static foray_status channel_check(frame_channel *channel)
{
    if (channel->failed == FORAY_INTERRUPTED && !fy_stopped(channel->ctx))
        return FORAY_ERROR_WORLD;
    return channel->failed;
}

static foray_status fail_as_ended(frame_channel *channel, const char *how)
{
    fy_message_set(&channel->say, "the program ended (%s) without answering", how);
    return fail(channel);
}

/* The program closed its way out: it is about to end, or does not want to speak any more. */
static foray_status fail_as_closed(frame_channel *channel)
{
    char how[HOW_SIZE];
    double deadline = fy_clock() + last_words_seconds;
    do {
        if (child_ended(&channel->child, how))
            return fail_as_ended(channel, how);
        poll(NULL, 0, 1);
    } while (fy_clock() < deadline);
    fy_message_set(&channel->say, "the program closed descriptor 4 without answering");
    return fail(channel);
}

static foray_status fail_as_error(frame_channel *channel, const uint8_t *body, size_t size)
{
    char text[400];
    fy_error_read(body, size, text, sizeof text);
    fy_message_set(&channel->say, "the program says: %s", text[0] ? text : "(nothing)");
    return fail(channel);
}

/* ------------------------------------------------------------------ answers */

static frame_answer cut_frame(frame_channel *channel, size_t length)
{
    frame_answer answer = {channel->in + channel->at + FY_FRAME_HEADER, length};
    channel->at += FY_FRAME_HEADER + length;
    return answer;
}

/* The answer to question (type, sequence), of `min` to `max` bytes, if it is there. */
static foray_status channel_take(frame_channel *channel, fy_frame_type type, uint64_t sequence,
                                 size_t min, size_t max, frame_answer *answer)
{
    size_t there = channel->end - channel->at;
    *answer = (frame_answer){0};
    if (channel->failed != FORAY_OK)
        return channel_check(channel);
    if (there < FY_FRAME_HEADER)
        return FORAY_OK;
    fy_frame frame = fy_frame_read(channel->in + channel->at);
    if (fy_frame_check(&channel->say, &frame, type, sequence, min, max) != FORAY_OK)
        return fail(channel);
    if (there - FY_FRAME_HEADER < frame.length)
        return FORAY_OK;
    frame_answer found = cut_frame(channel, frame.length);
    if (frame.type == FY_FRAME_ERROR)
        return fail_as_error(channel, found.body, found.size);
    *answer = found;
    return FORAY_OK;
}

/* One that no longer reads may still have said why: what it wrote is read first. */
static void write_some(frame_channel *channel)
{
    const fy_writer *out = &channel->out;
    while (channel->sent < out->size) {
        ssize_t done = send(channel->child.to, out->data + channel->sent, out->size - channel->sent,
                            MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            channel->input_closed = errno != EAGAIN && errno != EWOULDBLOCK;
            return;
        }
        channel->sent += (size_t)done;
    }
}

/* The whole of one frame fits: its header was checked before there can be more. */
static void make_room_to_read(frame_channel *channel)
{
    if (channel->at == 0)
        return;
    memmove(channel->in, channel->in + channel->at, channel->end - channel->at);
    channel->end -= channel->at;
    channel->at = 0;
}

static foray_status read_some(frame_channel *channel)
{
    make_room_to_read(channel);
    ssize_t done;
    do
        done = read(channel->child.from, channel->in + channel->end, channel->room - channel->end);
    while (done < 0 && errno == EINTR);
    if (done > 0) {
        channel->end += (size_t)done;
        return FORAY_OK;
    }
    if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return FORAY_OK;
    return fail_as_closed(channel);
}

static foray_status fail_as_late(frame_channel *channel, double limit)
{
    fy_message_set(&channel->say, "the program did not answer within %g s%s", limit,
                   channel->input_closed ? ", and no longer reads descriptor 3" : "");
    return fail(channel);
}

/* Nothing moved for a while: is it dead while somebody else holds the pipe? */
static foray_status check_child(frame_channel *channel, struct pollfd *way)
{
    char how[HOW_SIZE];
    if (!child_ended(&channel->child, how))
        return FORAY_OK;
    if (poll(way, 1, 0) > 0) /* it answered, then ended */
        return FORAY_OK;
    return fail_as_ended(channel, how);
}

/* Past the deadline there is one last look: if it was us who slept, the answer is there. */
static foray_status check_deadline(frame_channel *channel, double deadline, double limit)
{
    if (channel->missed == deadline)
        return fail_as_late(channel, limit);
    channel->missed = fy_clock() >= deadline ? deadline : 0;
    return FORAY_OK;
}

/* Writes and reads what can be; waits for the program if nothing can, until fy_clock() says
 * `deadline`, which was set `limit` seconds before, or the context is told to stop. */
static foray_status channel_move(frame_channel *channel, double deadline, double limit)
{
    if (channel->failed != FORAY_OK || check_deadline(channel, deadline, limit) != FORAY_OK)
        return channel_check(channel);
    if (fy_stopped(channel->ctx))
        return fail_as_stopped(channel);
    if (!channel->input_closed)
        write_some(channel);
    bool writes = channel->sent < channel->out.size && !channel->input_closed;
    struct pollfd way[2] = {{.fd = channel->child.from, .events = POLLIN},
                            {.fd = channel->child.to, .events = POLLOUT}};
    double seconds = fmin(fmax(deadline - fy_clock(), 0), look_seconds);
    int ready = poll(way, writes ? 2 : 1, (int)ceil(seconds * 1e3));
    if (ready < 0 && errno != EINTR) {
        fy_message_set(&channel->say, "the program cannot be listened to: %s", strerror(errno));
        return fail(channel);
    }
    if (ready <= 0)
        return check_child(channel, way);
    return way[0].revents ? read_some(channel) : FORAY_OK;
}

/* Both until the answer is there. */
static foray_status channel_await(frame_channel *channel, fy_frame_type type, uint64_t sequence,
                                  size_t min, size_t max, double deadline, double limit,
                                  frame_answer *answer)
{
    for (;;) {
        foray_status status = channel_take(channel, type, sequence, min, max, answer);
        if (status != FORAY_OK || answer->body)
            return status;
        status = channel_move(channel, deadline, limit);
        if (status != FORAY_OK)
            return status;
    }
}

/* ----------------------------------------------------------- the protocol */

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
    frame_channel channel;
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
    uint64_t sequence = channel_ask(&p->channel, FY_FRAME_STEP, length);
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
        if (!channel_room(&p->channel, FY_FRAME_HEADER + 8 + (size_t)size * question_size(p)))
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
        frame_answer answer;
        foray_status status = channel_take(
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
            status = channel_move(&p->channel, b.since + p->limits.timeout, p->limits.timeout);
    }
    return status;
}

/* ---------------------------------------------------------- other questions */

/* The answer to the question just written: `count` numbers. */
static foray_status await_numbers(program *p, fy_frame_type type, uint64_t sequence, int64_t count,
                                  double *out)
{
    frame_answer answer;
    size_t size = (size_t)count * sizeof *out;
    foray_status status = channel_await(&p->channel, type, sequence, size, size,
                                        fy_clock() + p->limits.timeout, p->limits.timeout, &answer);
    if (status != FORAY_OK)
        return status;
    fy_reader reader = {.data = answer.body, .size = answer.size};
    fy_read_doubles(&reader, out, (size_t)count);
    return FORAY_OK;
}

/* For a single question with a body of so many bytes. */
static foray_status make_room(program *p, size_t length)
{
    foray_status status = channel_check(&p->channel);
    if (status == FORAY_OK && !channel_room(&p->channel, FY_FRAME_HEADER + length))
        status = FORAY_ERROR_WORLD;
    return status;
}

static foray_status program_reset(void *self, const foray_draw *draw, double *state)
{
    program *p = self;
    foray_status status = make_room(p, 8);
    if (status != FORAY_OK)
        return status;
    uint64_t sequence = channel_ask(&p->channel, FY_FRAME_RESET, 8);
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
    uint64_t sequence = channel_ask(&p->channel, FY_FRAME_REWARD, length);
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
    channel_close(&p->channel, p->limits.grace);
    fy_frame_spec_free(&p->told);
    free(p);
}

/* ------------------------------------------------------------------ opening */

/* The answer to a question asked before `deadline`, its message in `ctx`. */
static foray_status await_answer(foray_context *ctx, program *p, fy_frame_type type,
                                 uint64_t sequence, size_t max, double deadline,
                                 frame_answer *answer)
{
    frame_channel *channel = &p->channel;
    foray_status status =
        channel_await(channel, type, sequence, 0, max, deadline, p->limits.start, answer);
    if (status != FORAY_OK)
        fy_message_set(ctx, "%s", channel->say.message);
    return status;
}

static foray_status shake_hands(foray_context *ctx, program *p, double deadline)
{
    frame_answer answer;
    uint64_t sequence = channel_ask(&p->channel, FY_FRAME_HELLO, 16);
    fy_hello_write(&p->channel.out);
    foray_status status = await_answer(ctx, p, FY_FRAME_HELLO, sequence, 16, deadline, &answer);
    if (status != FORAY_OK)
        return status;
    return fy_hello_read(ctx, "this Foray", answer.body, answer.size);
}

static foray_status ask_spec(foray_context *ctx, program *p, double deadline)
{
    frame_answer answer;
    uint64_t sequence = channel_ask(&p->channel, FY_FRAME_SPEC, 0);
    foray_status status =
        await_answer(ctx, p, FY_FRAME_SPEC, sequence, FY_FRAME_MAX, deadline, &answer);
    if (status != FORAY_OK)
        return status;
    return fy_frame_spec_read(ctx, answer.body, answer.size, &p->told);
}

static foray_status connect_program(foray_context *ctx, program *p, const char *const *word)
{
    size_t room = WINDOW * ((size_t)FY_FRAME_STEP_MAX + FY_FRAME_HEADER);
    foray_status status = channel_open(ctx, &p->channel, word, room);
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
