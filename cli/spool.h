/* spool.h - data that come through a pipe, and are read more than once. */
#ifndef CLI_SPOOL_H
#define CLI_SPOOL_H

#include "cli.h"

typedef struct cli_spool {
    const char *shown; /* what messages call it */
    char path[32];     /* what can be opened as often as one likes; empty: `shown` can */
    void *file;        /* its temporary file, which has no name */
} cli_spool;

/* "-" is standard input. What is not a file is copied into one, up to its end. */
cli_exit cli_spool_open(cli_session *session, const char *path, cli_spool *out);
void cli_spool_close(cli_spool *spool);

/* The path to open. */
const char *cli_spool_path(const cli_spool *spool);

/* cli_status, with what the data are called in the place of the temporary file. */
cli_exit cli_spool_status(const cli_session *session, const cli_spool *spool, foray_status status);

#endif
