/* progress.c - draws one line on a terminal, and turns signals into a polite stop. */
#include "progress.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report.h"

static volatile sig_atomic_t stop_wanted;

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
    *progress =
        (cli_progress){.terminal = isatty(STDERR_FILENO) == 1, .drawn = -1.0, .first = first};
    catch (SIGINT);
    catch (SIGTERM);
    /* nohup means that a hangup is to be ignored. */
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        catch (SIGHUP);
}

enum { BAR = 20 };
static const double seconds_between_lines = 0.1;

static void draw_bar(double done)
{
    int filled = (int)(BAR * done);
    fputc('[', stderr);
    for (int i = 0; i < BAR; i++)
        fputc(i < filled ? '#' : '.', stderr);
    fprintf(stderr, "] %3d%%", (int)(100.0 * done));
}

/* Rate over this call's episodes; remaining time for the budget at that rate. */
static void draw_line(const cli_progress *progress, const foray_progress *now)
{
    char rate_text[CLI_NUMBER_SIZE], saved[CLI_NUMBER_SIZE];
    double rate = (double)(now->episodes - progress->first) / fmax(now->seconds, 1e-9);
    double left = rate > 0 ? (double)(now->budget - now->episodes) / rate : NAN;
    fputc('\r', stderr);
    draw_bar((double)now->episodes / (double)now->budget);
    fprintf(stderr, " %s/s", cli_grouped((int64_t)rate, rate_text));
    if (left < 1e6)
        fprintf(stderr, " %lld:%02lld left", (long long)left / 60, (long long)left % 60);
    if (isfinite(now->bound))
        fprintf(stderr, " bound %.3g", now->bound);
    fprintf(stderr, " saved %s\033[K", cli_grouped(now->saved, saved));
    fflush(stderr);
}

static bool is_due(cli_progress *progress, double seconds)
{
    bool due = progress->drawn < 0 || seconds - progress->drawn >= seconds_between_lines;
    if (!progress->terminal || !due)
        return false;
    progress->drawn = seconds;
    return true;
}

bool cli_progress_step(void *user, const foray_progress *now)
{
    cli_progress *progress = user;
    progress->last = *now;
    if (is_due(progress, now->seconds))
        draw_line(progress, now);
    return !stop_wanted;
}

static void draw_work(const cli_work *work, const foray_work_progress *now)
{
    fprintf(stderr, "\r%s", work->heading);
    draw_bar(now->done);
    fprintf(stderr, " %lld of %lld %s", (long long)now->finished, (long long)now->parts,
            work->parts);
    if (isfinite(now->remaining)) {
        long long left = (long long)now->remaining;
        fprintf(stderr, " %lld:%02lld left", left / 60, left % 60);
    }
    fprintf(stderr, "\033[K");
    fflush(stderr);
}

bool cli_work_step(void *user, const foray_work_progress *now)
{
    cli_work *work = user;
    work->last = *now;
    if (is_due(&work->line, now->seconds))
        draw_work(work, now);
    return !stop_wanted;
}

void cli_progress_end(const cli_progress *progress)
{
    if (progress->terminal && progress->drawn >= 0)
        fprintf(stderr, "\r\033[K");
}
