/* experiment.h - what foray compare and foray lab have in common: cells made in a directory, by one
 * process or several, and what they came to. */
#ifndef CLI_EXPERIMENT_H
#define CLI_EXPERIMENT_H

#include "output.h"
#include "progress.h"
#include "work/lab.h"

/* The shard of --shard I/N; {0, 0}: there is none. */
#define CLI_OPTION_SHARD                                                                           \
    CLI_TEXT(0, "shard", "I/N",                                                                    \
             "make only the I-th of N shares; several processes may use one directory")
cli_exit cli_shard_read(cli_session *session, foray_shard *out);
/* What a shard that has ended says; results are for the call without a shard. */
cli_exit cli_shard_show(cli_session *session, foray_shard shard, const char *directory,
                        const cli_work *work);

/* Around the call of the library: the progress line, and signals that stop it. */
void cli_experiment_begin(cli_session *session, cli_work *work);
cli_exit cli_experiment_end(cli_session *session, cli_work *work, foray_status status);

/* What it came to: as text for people, or as JSON with everything that is on the page. */
void cli_experiment_print(const fy_lab *lab);
void cli_experiment_output(cli_output *output, const fy_lab *lab);
/* The end of it: how many parts there were, and how long it took. */
void cli_experiment_count(cli_output *output, const cli_work *work);

#endif
