/* workers.c - see workers.h. */
#include "workers.h"

#include <inttypes.h>
#include <stdio.h>

#include "output.h"
#include "progress.h"
#include "explore/explorer.h"

foray_status cli_view_world(foray_context *ctx, const cli_view *view, foray_system *system,
                            const foray_model *model, foray_world **out)
{
    if (!system)
        return foray_world_from_model(ctx, model, out);
    if (view->model_path)
        return foray_world_from_system(ctx, system, view->clusters, model, NULL,
                                       FORAY_CONTINUE_REAL, out);
    return foray_world_from_system(ctx, system, view->clusters, model, &view->aggregation,
                                   view->continuation, out);
}

/* Worker i, whose messages belong to a session of its own. */
static cli_exit open_worker(cli_session *session, const cli_view *view, const foray_model *model,
                            cli_workers *workers, int64_t i)
{
    cli_session own = *session;
    foray_system *system = view->system;
    cli_exit code = CLI_DONE;
    if (i > 0) {
        own.ctx = workers->ctx[i] = foray_context_create();
        if (!own.ctx)
            return cli_fail(session, CLI_BAD_INPUT, "out of memory");
        foray_context_set_stop(own.ctx, cli_stop_wanted, NULL);
        if (system)
            code = cli_system_open(&own, view->system_text, &workers->system[i]);
        system = workers->system[i];
    }
    if (code == CLI_DONE)
        code = cli_status(&own, cli_view_world(own.ctx, view, system, model, &workers->world[i]));
    return code;
}

cli_exit cli_workers_open(cli_session *session, const cli_view *view, foray_run *run,
                          cli_workers *out)
{
    bool alone = fy_explorer_ahead(foray_run_explorer(run)) != FY_AHEAD_PLAYS;
    cli_exit code = CLI_DONE;
    *out = (cli_workers){.count = alone ? 1 : cli_integer(session, "workers")};
    for (int64_t i = 0; i < out->count && code == CLI_DONE; i++)
        code = open_worker(session, view, foray_run_model(run), out, i);
    return code;
}

void cli_workers_close(cli_workers *workers)
{
    for (int64_t i = 0; i < workers->count; i++) {
        foray_world_destroy(workers->world[i]);
        foray_system_destroy(workers->system[i]);
        foray_context_destroy(workers->ctx[i]);
    }
    *workers = (cli_workers){0};
}

void cli_workers_print(cli_session *session, foray_run *run, const foray_progress *last)
{
    fy_ahead_kind ahead = fy_explorer_ahead(foray_run_explorer(run));
    if (!cli_has(session, "workers"))
        return;
    if (ahead == FY_AHEAD_PLAYS) {
        char discarded[CLI_NUMBER_SIZE];
        printf("workers                 %" PRId64 "; %s episode%s played ahead %s discarded\n",
               last->workers, cli_grouped(last->discarded, discarded),
               last->discarded == 1 ? "" : "s", last->discarded == 1 ? "was" : "were");
    } else {
        printf("workers                 1: nothing can be played ahead, since %s %s\n",
               foray_run_settings(run)->algorithm,
               ahead == FY_AHEAD_PLANS ? "plans after every episode (see --plan-every)"
                                       : "decides step by step");
    }
}
