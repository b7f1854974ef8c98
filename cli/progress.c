/* progress.c - draws one line on a terminal, and turns signals into a polite stop. */
#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "output.h"

static volatile sig_atomic_t stop_wanted;

/* What cli_progress_configure was told. */
static struct {
    const char *command;
    bool quiet, lines;
} how;

void cli_progress_configure(const char *command, bool quiet, bool lines)
{
    how.command = command;
    how.quiet = quiet;
    how.lines = lines;
}

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void want_stop(int signal_number)
{
    (void)signal_number;
    stop_wanted = 1;
}

static void catch (int signal_number)
{
    struct sigaction action = {.sa_handler = want_stop, .sa_flags = SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void cli_progress_begin(cli_progress *progress, int64_t first)
{
    struct sigaction hangup;
    *progress = (cli_progress){.terminal = isatty(STDERR_FILENO) == 1 && !how.quiet && !how.lines,
                               .lines = how.lines,
                               .drawn = -1.0,
                               .first = first};
    catch (SIGINT);
    catch (SIGTERM);
    /* nohup means that a hangup is to be ignored. */
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        catch (SIGHUP);
}

bool cli_stop_wanted(void *user)
{
    (void)user;
    return stop_wanted != 0;
}

enum { BAR = 20 };
static const double seconds_between_lines = 0.1;

/* A line that is being put together. */
typedef struct line {
    char text[256];
    size_t length;
} line;

__attribute__((format(printf, 2, 3))) static void add(line *l, const char *format, ...)
{
    va_list values;
    size_t room = sizeof l->text - l->length;
    va_start(values, format);
    int length = vsnprintf(l->text + l->length, room, format, values);
    va_end(values);
    l->length += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

static void add_bar(line *l, double done)
{
    int filled = (int)(BAR * done);
    add(l, "[");
    for (int i = 0; i < BAR; i++)
        add(l, "%c", i < filled ? '#' : '.');
    add(l, "] %3d%%", (int)(100.0 * done));
}

/* Over the last one. What is too long for the terminal is cut off: a line that wraps could not
 * be drawn over. */
static void draw(const line *l)
{
    struct winsize window;
    int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;
    int length = (int)l->length;
    if (columns > 0 && length >= columns)
        length = columns - 1;
    fprintf(stderr, "\r%.*s\033[K", length, l->text);
    fflush(stderr);
}

/* Rate over this call's episodes; remaining time for the budget at that rate. */
/* Minutes and seconds, unless nobody knows them or they are weeks. */
static void add_left(line *l, double seconds)
{
    if (seconds < 1e6)
        add(l, " %" PRId64 ":%02d left", (int64_t)seconds / 60, (int)seconds % 60);
}

static void draw_line(const cli_progress *progress, const foray_progress *now)
{
    char rate_text[CLI_NUMBER_SIZE], saved[CLI_NUMBER_SIZE];
    double rate = (double)(now->episodes - progress->first) / fmax(now->seconds, 1e-9);
    double left = rate > 0 ? (double)(now->budget - now->episodes) / rate : NAN;
    line l = {.length = 0};
    add_bar(&l, (double)now->episodes / (double)now->budget);
    add(&l, " %s/s", cli_grouped((int64_t)rate, rate_text));
    add_left(&l, left);
    if (isfinite(now->bound))
        add(&l, " bound %.3g", now->bound);
    add(&l, " saved %s", cli_grouped(now->saved, saved));
    draw(&l);
}

static bool is_due(cli_progress *progress, double seconds)
{
    double apart = progress->lines ? 1.0 : seconds_between_lines;
    bool due = progress->drawn < 0 || seconds - progress->drawn >= apart;
    if (!(progress->terminal || progress->lines) || !due)
        return false;
    progress->drawn = seconds;
    return true;
}

/* ---------------------------------------------------------------- lines of JSON */

/* A number, or null where there is none. */
static void add_real(line *l, const char *key, double value)
{
    char number[FY_NUMBER_BYTES];
    add(l, ",\"%s\":%s", key, isfinite(value) ? fy_number_text(value, number) : "null");
}

static void write_line(cli_progress *progress)
{
    if (progress->line[0])
        fprintf(stderr, "%s}\n", progress->line);
    progress->line[0] = 0;
    fflush(stderr);
}

/* Holds the line; the last one is written at the end, whether or not it is due. */
static void hold_line(cli_progress *progress, const line *l, double seconds)
{
    snprintf(progress->line, sizeof progress->line, "%s", l->text);
    if (is_due(progress, seconds))
        write_line(progress);
}

bool cli_progress_step(void *user, const foray_progress *now)
{
    cli_progress *progress = user;
    progress->last = *now;
    if (progress->lines) {
        line l = {.length = 0};
        add(&l, "{\"progress\":\"%s\",\"episodes\":%" PRId64 ",\"budget\":%" PRId64, how.command,
            now->episodes, now->budget);
        add(&l, ",\"saved\":%" PRId64 ",\"plans\":%" PRId64, now->saved, now->plans);
        add_real(&l, "bound", now->bound);
        add_real(&l, "seconds", now->seconds);
        hold_line(progress, &l, now->seconds);
    } else if (is_due(progress, now->seconds))
        draw_line(progress, now);
    return !stop_wanted;
}

static void draw_work(const cli_work *work, const foray_work_progress *now)
{
    line l = {.length = 0};
    add(&l, "%s", work->heading);
    add_bar(&l, now->done);
    add(&l, " %" PRId64 " of %" PRId64 " %s", now->finished, now->parts, work->parts);
    add_left(&l, now->remaining);
    draw(&l);
}

bool cli_work_step(void *user, const foray_work_progress *now)
{
    cli_work *work = user;
    work->last = *now;
    if (work->line.lines) {
        line l = {.length = 0};
        add(&l, "{\"progress\":\"%s\",\"parts\":\"%s\"", how.command, work->parts);
        add(&l, ",\"finished\":%" PRId64 ",\"of\":%" PRId64, now->finished, now->parts);
        add_real(&l, "done", now->done);
        add_real(&l, "seconds", now->seconds);
        add_real(&l, "remaining", now->remaining);
        hold_line(&work->line, &l, now->seconds);
    } else if (is_due(&work->line, now->seconds))
        draw_work(work, now);
    return !stop_wanted;
}

/* ---------------------------------------------------------------- waiting */

static struct {
    foray_context *ctx; /* whose work it is; NULL: nobody's */
    double begun, drawn;
    char drawing; /* one thread at a time */
} waiting;

static void draw_waiting(const fy_progress *now, double seconds)
{
    line l = {.length = 0};
    double of = now->of > 0 ? (double)now->of : 1;
    double part = now->steps > 0 ? (double)now->step / (double)now->steps : 0;
    add_bar(&l, fmin(1, ((double)now->done + part) / of));
    add(&l, " %s", now->what ? now->what : "opening");
    if (now->of > 1)
        add(&l, " %" PRId64 " of %" PRId64, now->done, now->of);
    add(&l, ", %.0f s", seconds);
    draw(&l);
}

/* The library asks it in the middle of loops, in any thread; the answer is always no. */
static bool show_waiting(void *user)
{
    const foray_context *ctx = user;
    static const double patience = 2;
    double now = cli_seconds();
    if (now - waiting.begun < patience || __atomic_test_and_set(&waiting.drawing, __ATOMIC_ACQUIRE))
        return false;
    if (now - waiting.drawn >= seconds_between_lines) {
        fy_progress progress = fy_progress_now(ctx);
        draw_waiting(&progress, now - waiting.begun);
        waiting.drawn = now;
    }
    __atomic_clear(&waiting.drawing, __ATOMIC_RELEASE);
    return false;
}

void cli_wait_begin(const cli_session *session)
{
    if (how.quiet || isatty(STDERR_FILENO) != 1)
        return;
    waiting.ctx = session->ctx;
    waiting.begun = cli_seconds();
    waiting.drawn = 0;
    foray_context_set_stop(session->ctx, show_waiting, session->ctx);
}

void cli_wait_end(void)
{
    if (!waiting.ctx)
        return;
    foray_context_set_stop(waiting.ctx, NULL, NULL);
    waiting.ctx = NULL;
    if (waiting.drawn > 0)
        fprintf(stderr, "\r\033[K");
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->lines)
        write_line(progress);
    if (progress->terminal && progress->drawn >= 0)
        fprintf(stderr, "\r\033[K");
}
