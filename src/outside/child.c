/* child.c - starts programs, and sees to it that nothing of them stays behind. */
#define _GNU_SOURCE /* posix_spawn_file_actions_addclosefrom_np, pipe2, environ, sigdescr_np */
#include "outside/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
    int our_leash, its_leash;
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
    close_way(&w->our_leash);
    close_way(&w->its_leash);
}

/* Moves a descriptor out of the way of those the program gets. */
static bool lift(int *fd)
{
    int lifted = fcntl(*fd, F_DUPFD_CLOEXEC, SAFE_DESCRIPTOR);
    if (lifted < 0)
        return false;
    close(*fd);
    *fd = lifted;
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
    int in[2], out[2], leash[2];
    *w = (ways){-1, -1, -1, -1, -1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0)
        return false;
    w->our_to = in[0];
    w->its_in = in[1];
    if (pipe2(out, O_CLOEXEC) != 0)
        return false;
    w->our_from = out[0];
    w->its_out = out[1];
    if (pipe2(leash, O_CLOEXEC) != 0)
        return false;
    w->its_leash = leash[0];
    w->our_leash = leash[1];
    return shutdown(w->our_to, SHUT_RD) == 0 && lift(&w->our_to) && lift(&w->its_in) &&
           lift(&w->our_from) && lift(&w->its_out) && lift(&w->its_leash) && lift(&w->our_leash) &&
           set_non_blocking(w->our_to) && set_non_blocking(w->our_from);
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
    int error = posix_spawn_file_actions_adddup2(actions, w->its_leash, STDIN_FILENO);
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

foray_status fy_child_start(foray_context *say, const char *const *word, fy_child *child)
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
    close_way(&w.its_leash);
    *child = (fy_child){
        .pid = pid, .guard = guard, .to = w.our_to, .from = w.our_from, .leash = w.our_leash};
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

bool fy_child_ended(const fy_child *child, char how[FY_CHILD_HOW])
{
    siginfo_t info;
    switch (look_at(child->pid, &info)) {
    case RUNNING:
        return false;
    case REAPED_BY_OTHERS:
        fy_format(how, FY_CHILD_HOW, "exit status unknown");
        break;
    case ENDED:
        if (info.si_code == CLD_EXITED)
            fy_format(how, FY_CHILD_HOW, "exit status %d", info.si_status);
        else
            fy_format(how, FY_CHILD_HOW, "signal %d: %s", info.si_status,
                      signal_text(info.si_status));
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
void fy_child_end(fy_child *child, double patience, double grace)
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
    close_way(&child->leash);
    reap_killed(child->pid);
    reap_killed(child->guard);
    *child = (fy_child){.to = -1, .from = -1, .leash = -1};
}
