/* workers.h - copies of a world, for `foray explore --workers N`. */
#ifndef CLI_WORKERS_H
#define CLI_WORKERS_H

#include "view.h"

enum { CLI_MAX_WORKERS = 256 };

/* A context, a system (of a view) and a world for each; the first ones are the session's. */
typedef struct cli_workers {
    int64_t count;
    foray_context *ctx[CLI_MAX_WORKERS];
    foray_system *system[CLI_MAX_WORKERS];
    foray_world *world[CLI_MAX_WORKERS];
} cli_workers;

#define CLI_OPTION_WORKERS                                                                         \
    CLI_INTEGER(0, "workers", "N", "1", 1, CLI_MAX_WORKERS,                                        \
                "copies of the world that play at once; the same episodes to the last bit, but "   \
                "sooner if the world is slow")

/* The world of a view, whose system is `system`, or a copy of it; NULL: that of the model. */
foray_status cli_view_world(foray_context *ctx, const cli_view *view, foray_system *system,
                            const foray_model *model, foray_world **out);

/* As many as --workers says, or one where nothing can be played ahead. */
cli_exit cli_workers_open(cli_session *session, const cli_view *view, foray_run *run,
                          cli_workers *out);
void cli_workers_close(cli_workers *workers);

/* What --workers came to, if it was given. */
void cli_workers_print(cli_session *session, foray_run *run, const foray_progress *last);

#endif
