/* log.h - logs on the command line: --columns, --states, --actions; what was understood of a file;
 * and the file of episodes that is learnt from in its place. */
#ifndef CLI_LOG_H
#define CLI_LOG_H

#include "cli.h"
#include "data/log.h"
#include "output.h"

typedef struct cli_log {
    fy_log *log; /* NULL: the file is no log, but one of episodes */
    FILE *file;  /* its episodes, which have no name */
    char path[32];
    double low, high; /* of what is paid; NAN: nobody said so */
} cli_log;

/* Options of commands that read logs. */
#define CLI_OPTIONS_LOG                                                                            \
    CLI_TEXT(0, "columns", "NAME=ROLE,...",                                                        \
             "DATA is a log with columns of these names, which are its episode, state, action, "   \
             "step or time, next, done and reward; others do not matter"),                         \
        CLI_TEXT(0, "states", "N",                                                                 \
                 "how many states there are, without a model: a number, at-most:N, a list A,B,C "  \
                 "or a file with a name in each line"),                                            \
        CLI_TEXT(0, "actions", "N", "the same of actions"),                                        \
        CLI_INTEGER(0, "horizon", "H", NULL, 1, 1000000,                                           \
                    "steps per episode, without a model; the longest episode's by default"),       \
        CLI_TEXT(0, "range", "LO,HI",                                                              \
                 "all that a step can pay, of a log with rewards: without it, certificates of "    \
                 "plans for -r own are estimates")

/* Reads a log about `model` (NULL: about nothing known yet), says what was understood, and writes
 * its episodes. CLI_BAD_INPUT: some rows were not, or there is none. */
cli_exit cli_log_open(cli_session *session, const char *shown, const char *path,
                      const foray_model *model, cli_log *out);
void cli_log_close(cli_log *it);
void cli_log_output(cli_output *output, const cli_log *it);

/* What the log says was paid, in the run beside what it has: its world's own reward. */
cli_exit cli_log_keep_paid(cli_session *session, const cli_log *it, foray_run *run);

#endif
