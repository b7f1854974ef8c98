/* model_system.h - the world of a model as a system with finitely many states, for what follows
 * policies in systems. */
#ifndef CLI_MODEL_SYSTEM_H
#define CLI_MODEL_SYSTEM_H

#include "view.h"

/* The world of the model that a run explored, every state a cluster by itself; refused where nobody
 * knows the model's parameters. To be released by cli_view_close. */
cli_exit cli_view_of_model(cli_session *session, const foray_run *run, cli_view *out);

#endif
