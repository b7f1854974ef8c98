/* next.h - what became of what foray next foresaw. */
#ifndef CLI_NEXT_H
#define CLI_NEXT_H

#include "output.h"

/* A line, where something was foreseen and more episodes came since. */
cli_exit cli_next_print_became(cli_session *session, foray_run *run);

#endif
