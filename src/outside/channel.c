/* channel.c - starts programs, and sees to it that nothing of them stays behind; frames to and from
 * them, with deadlines. */
#define _GNU_SOURCE /* posix_spawn_file_actions_addclosefrom_np, pipe2, environ, sigdescr_np */
#include "outside/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* -------------------------------------------------------------------- ways */

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
static foray_status start_child(foray_context *say, const char *const *word, fy_child *child)
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
    *child = (fy_child){.pid = pid,
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
static bool child_ended(const fy_child *child, char how[HOW_SIZE])
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

/* A grandchild may have outlived it, so the group is killed in any case, while its number is
 * surely the guard's. One that left the group lives on; nobody here waits for it. */
/* Closes both ways, which asks it to end; after `patience` seconds SIGTERM to the group, after
 * `grace` more SIGKILL, also to whatever else is left of the group; and reaps it. */
static void end_child(fy_child *child, double patience, double grace)
{
    siginfo_t info;
    if (child->pid == 0)
        return;
    close_way(&child->to);
    close_way(&child->from);
    if (wait_for(child->pid, patience) == RUNNING) {
        kill(-child->guard, SIGTERM);
        wait_for(child->pid, grace);
    }
    if (look_at(child->guard, &info) != REAPED_BY_OTHERS)
        kill(-child->guard, SIGKILL);
    close_way(&child->guard_pipe);
    reap_killed(child->pid);
    reap_killed(child->guard);
    *child = (fy_child){.to = -1, .from = -1, .guard_pipe = -1};
}

/* ------------------------------------------------------------------ frames */

/* So long nobody looks whether to stop, or whether a program died while others hold its pipe. */
static const double look_seconds = 0.05;
/* How long one that closed its pipe has to end, so that the message can say how it did. */
static const double last_words_seconds = 0.2;
/* How long one that failed may take to end by itself. */
static const double spent_seconds = 0.25;

/* ----------------------------------------------------------------- lifetime */

foray_status fy_channel_open(foray_context *ctx, fy_channel *channel, const char *const *word,
                             size_t room)
{
    *channel =
        (fy_channel){.child = {.to = -1, .from = -1, .guard_pipe = -1}, .ctx = ctx, .next = 1};
    foray_context *say = &channel->say;
    say->threads = 1;
    say->allocations_left = -1;
    channel->out = (fy_writer){.ctx = say, .capacity = room};
    channel->room = FY_FRAME_HEADER + (size_t)FY_FRAME_MAX;
    if (!FY_ALLOC(ctx, channel->out.data, room) || !FY_ALLOC(ctx, channel->in, channel->room))
        return FORAY_ERROR_MEMORY;
    return start_child(ctx, word, &channel->child);
}

/* One attempt is enough: closing the way in says the same. */
static void send_goodbye(fy_channel *channel)
{
    if (channel->failed != FORAY_OK || channel->input_closed || channel->child.to < 0)
        return;
    channel->out.size = channel->sent = 0;
    fy_channel_ask(channel, FY_FRAME_GOODBYE, 0);
    (void)send(channel->child.to, channel->out.data, channel->out.size, MSG_NOSIGNAL);
}

/* One that is at work when it is stopped would not notice a goodbye. */
void fy_channel_close(fy_channel *channel, double grace)
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

/* ---------------------------------------------------------------- questions */

bool fy_channel_room(fy_channel *channel, size_t size)
{
    fy_writer *out = &channel->out;
    if (channel->sent > 0) {
        memmove(out->data, out->data + channel->sent, out->size - channel->sent);
        out->size -= channel->sent;
        channel->sent = 0;
    }
    return size <= out->capacity - out->size;
}

uint64_t fy_channel_ask(fy_channel *channel, fy_frame_type type, size_t length)
{
    uint64_t sequence = channel->next++;
    fy_frame_write(&channel->out, (fy_frame){(uint32_t)length, type, sequence});
    return sequence;
}

/* ----------------------------------------------------------------- failures */

static foray_status fail(fy_channel *channel)
{
    return channel->failed = FORAY_ERROR_WORLD;
}

static foray_status fail_as_stopped(fy_channel *channel)
{
    fy_say(&channel->say, "the program was stopped in the middle of an answer");
    return channel->failed = FORAY_INTERRUPTED;
}

/* Once what was stopped is over, whoever asks again is not being stopped. */
foray_status fy_channel_check(fy_channel *channel)
{
    if (channel->failed == FORAY_INTERRUPTED && !fy_stopped(channel->ctx))
        return FORAY_ERROR_WORLD;
    return channel->failed;
}

static foray_status fail_as_ended(fy_channel *channel, const char *how)
{
    fy_say(&channel->say, "the program ended (%s) without answering", how);
    return fail(channel);
}

/* The program closed its way out: it is about to end, or does not want to speak any more. */
static foray_status fail_as_closed(fy_channel *channel)
{
    char how[HOW_SIZE];
    double deadline = fy_clock() + last_words_seconds;
    do {
        if (child_ended(&channel->child, how))
            return fail_as_ended(channel, how);
        poll(NULL, 0, 1);
    } while (fy_clock() < deadline);
    fy_say(&channel->say, "the program closed descriptor 4 without answering");
    return fail(channel);
}

static foray_status fail_as_error(fy_channel *channel, const uint8_t *body, size_t size)
{
    char text[400];
    fy_error_read(body, size, text, sizeof text);
    fy_say(&channel->say, "the program says: %s", text[0] ? text : "(nothing)");
    return fail(channel);
}

/* ------------------------------------------------------------------ answers */

static fy_answer cut_frame(fy_channel *channel, size_t length)
{
    fy_answer answer = {channel->in + channel->at + FY_FRAME_HEADER, length};
    channel->at += FY_FRAME_HEADER + length;
    return answer;
}

foray_status fy_channel_take(fy_channel *channel, fy_frame_type type, uint64_t sequence, size_t min,
                             size_t max, fy_answer *answer)
{
    size_t there = channel->end - channel->at;
    *answer = (fy_answer){0};
    if (channel->failed != FORAY_OK)
        return fy_channel_check(channel);
    if (there < FY_FRAME_HEADER)
        return FORAY_OK;
    fy_frame frame = fy_frame_read(channel->in + channel->at);
    if (fy_frame_check(&channel->say, &frame, type, sequence, min, max) != FORAY_OK)
        return fail(channel);
    if (there - FY_FRAME_HEADER < frame.length)
        return FORAY_OK;
    fy_answer found = cut_frame(channel, frame.length);
    if (frame.type == FY_FRAME_ERROR)
        return fail_as_error(channel, found.body, found.size);
    *answer = found;
    return FORAY_OK;
}

/* ------------------------------------------------------------------- moving */

/* One that no longer reads may still have said why: what it wrote is read first. */
static void write_some(fy_channel *channel)
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
static void make_room_to_read(fy_channel *channel)
{
    if (channel->at == 0)
        return;
    memmove(channel->in, channel->in + channel->at, channel->end - channel->at);
    channel->end -= channel->at;
    channel->at = 0;
}

static foray_status read_some(fy_channel *channel)
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

static foray_status fail_as_late(fy_channel *channel, double limit)
{
    fy_say(&channel->say, "the program did not answer within %g s%s", limit,
           channel->input_closed ? ", and no longer reads descriptor 3" : "");
    return fail(channel);
}

/* Nothing moved for a while: is it dead while somebody else holds the pipe? */
static foray_status check_child(fy_channel *channel, struct pollfd *way)
{
    char how[HOW_SIZE];
    if (!child_ended(&channel->child, how))
        return FORAY_OK;
    if (poll(way, 1, 0) > 0) /* it answered, then ended */
        return FORAY_OK;
    return fail_as_ended(channel, how);
}

/* Past the deadline there is one last look: if it was us who slept, the answer is there. */
static foray_status check_deadline(fy_channel *channel, double deadline, double limit)
{
    if (channel->missed_deadline == deadline)
        return fail_as_late(channel, limit);
    channel->missed_deadline = fy_clock() >= deadline ? deadline : 0;
    return FORAY_OK;
}

foray_status fy_channel_move(fy_channel *channel, double deadline, double limit)
{
    if (channel->failed != FORAY_OK || check_deadline(channel, deadline, limit) != FORAY_OK)
        return fy_channel_check(channel);
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
        fy_say(&channel->say, "the program cannot be listened to: %s", strerror(errno));
        return fail(channel);
    }
    if (ready <= 0)
        return check_child(channel, way);
    return way[0].revents ? read_some(channel) : FORAY_OK;
}

foray_status fy_channel_await(fy_channel *channel, fy_frame_type type, uint64_t sequence,
                              size_t min, size_t max, double deadline, double limit,
                              fy_answer *answer)
{
    for (;;) {
        foray_status status = fy_channel_take(channel, type, sequence, min, max, answer);
        if (status != FORAY_OK || answer->body)
            return status;
        status = fy_channel_move(channel, deadline, limit);
        if (status != FORAY_OK)
            return status;
    }
}
