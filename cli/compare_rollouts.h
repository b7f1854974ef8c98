/* compare_rollouts.h - foray compare in systems, whose truth is not known. */
#ifndef CLI_COMPARE_ROLLOUTS_H
#define CLI_COMPARE_ROLLOUTS_H

#include "output.h"
#include "progress.h"
#include "view.h"

/* Explores, plans for each reward (-r, or all that the system names), and measures what the plans
 * earn in reality. output NULL: as text. */
cli_exit cli_compare_rollouts(cli_session *session, const char *world, const char *directory,
                              const foray_comparison *what, cli_work *work, cli_output *output);

/* A signal has ended the comparison. */
cli_exit cli_compare_stopped(cli_session *session, const cli_work *work);

#endif
