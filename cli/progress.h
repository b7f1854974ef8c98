/* progress.h - the progress line of an exploration, and the signals that stop it. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli.h"
#include "foray/lab.h"

typedef struct cli_progress {
    bool terminal;  /* standard error is one: draw there */
    bool lines;     /* lines of JSON instead */
    char line[320]; /* the last of these, until it is written */
    double drawn;   /* when the line was drawn last, in seconds */
    int64_t first;  /* episodes there were before */
    foray_progress last;
} cli_progress;

/* Once, before anything begins: whose progress it is, and how it is shown. */
void cli_progress_configure(const char *command, bool quiet, bool lines);

/* A clock that never goes back, in seconds. */
double cli_seconds(void);

/* Has a signal asked to stop? For foray_context_set_stop. */
bool cli_stop_wanted(void *user);

/* SIGINT, SIGTERM and SIGHUP from now on ask the exploration to stop; a second
 * one ends the process at once (what is saved stays saved). */
void cli_progress_begin(cli_progress *progress, int64_t first);

/* A foray_progress_fn; `user` is a cli_progress. */
bool cli_progress_step(void *user, const foray_progress *now);

/* The line of work in parts, as foray_work_progress tells it. */
typedef struct cli_work {
    cli_progress line;
    const char *heading; /* in front of the line, or "" */
    const char *parts;   /* what they are: "runs" */
    foray_work_progress last;
} cli_work;

/* A foray_work_fn; `user` is a cli_work. */
bool cli_work_step(void *user, const foray_work_progress *now);

/* For commands that are a few long calls of the library: from the third second on, a line that says
 * how far the call under way is. Nothing is stopped by it, nor by signals. */
void cli_wait_begin(const cli_session *session);
/* Takes the line away; before anything is printed. */
void cli_wait_end(void);

/* Takes the line away, or writes the last one. */
void cli_progress_end(cli_progress *progress);

#endif
