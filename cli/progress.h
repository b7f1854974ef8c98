/* progress.h - the progress line of an exploration, and the signals that stop it. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli.h"

typedef struct cli_progress {
    bool terminal; /* standard error is one: draw there */
    double drawn;  /* when the line was drawn last, in seconds */
    int64_t first; /* episodes there were before */
    foray_progress last;
} cli_progress;

/* SIGINT, SIGTERM and SIGHUP from now on ask the exploration to stop; a second
 * one ends the process at once (what is saved stays saved). */
void cli_progress_begin(cli_progress *progress, int64_t first);

/* A foray_progress_fn; `user` is a cli_progress. */
bool cli_progress_step(void *user, const foray_progress *now);

/* For other lines than that of an exploration: is one due after so many seconds, a bar
 * of how much is done, and did a signal ask to stop? */
bool cli_progress_due(cli_progress *progress, double seconds);
void cli_progress_bar(double done);
bool cli_progress_stopped(void);

/* Takes the line away. */
void cli_progress_end(const cli_progress *progress);

#endif
