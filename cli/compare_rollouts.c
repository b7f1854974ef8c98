/* compare_rollouts.c - foray compare where the truth is not known: what plans earn in reality. */
#include "compare_rollouts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "workers.h"

typedef struct contest {
    cli_session *session;
    const char *world, *directory;
    const foray_comparison *what;
    cli_work *work;
    cli_view view;
    foray_model *model;
    cli_rewards rewards;
    int64_t *index; /* [rewards] of the system's own reward; -1: one of clusters */
    foray_reality reality;
} contest;

/* --------------------------------------------------------------------- what counts */

/* Those of -r, or all that the system names. */
static cli_exit open_rewards(contest *c)
{
    cli_session *session = c->session;
    int64_t named = foray_system_describe(c->view.system)->rewards;
    cli_exit code = CLI_DONE;
    session->view = &c->view;
    if (cli_has(session, "reward"))
        return cli_rewards_open(session, c->model, &c->rewards);
    if (named == 0)
        return cli_fail(session, CLI_USAGE, "%s names no rewards: give one with -r", c->world);
    c->rewards.item = calloc((size_t)named, sizeof *c->rewards.item);
    if (!c->rewards.item)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    for (int64_t i = 0; i < named && code == CLI_DONE; i++) {
        code = cli_status(session,
                          foray_system_reward_create(session->ctx, c->view.system, c->view.clusters,
                                                     c->model, i, &c->rewards.item[i]));
        c->rewards.count += code == CLI_DONE;
    }
    return code;
}

static cli_exit choose_rewards(contest *c)
{
    cli_exit code = open_rewards(c);
    if (code != CLI_DONE)
        return code;
    c->index = calloc((size_t)c->rewards.count, sizeof *c->index);
    if (!c->index)
        return cli_fail(c->session, CLI_BAD_INPUT, "out of memory");
    cli_view_indices(c->session, &c->view, &c->rewards, c->index);
    c->reality.rewards = c->rewards.count;
    c->reality.reward = (const foray_reward *const *)c->rewards.item;
    c->reality.index = c->index;
    return CLI_DONE;
}

/* ------------------------------------------------------------------------- results */

static cli_exit show(const contest *c, cli_output *output)
{
    if (c->what->shard.of > 0)
        return cli_shard_show(c->session, c->what->shard, c->directory, c->work);
    if (output) {
        cli_output_text(output, "world", c->world);
        cli_output_text(output, "directory", c->directory);
        cli_output_text(output, "measured_by", "rollouts");
        cli_output_csv(output, "rollouts", c->directory, "rollouts.csv");
        cli_output_csv(output, "summary", c->directory, "summary.csv");
        cli_output_lines(output, "verdict", c->directory, "verdict.txt");
        cli_output_integer(output, "runs", c->work->last.finished);
        cli_output_real(output, "seconds", c->work->last.seconds);
        return CLI_DONE;
    }
    cli_exit code = cli_print_file(c->session, c->directory, "summary.txt");
    if (code == CLI_DONE && c->what->algorithms > 1) {
        putchar('\n');
        code = cli_print_file(c->session, c->directory, "verdict.txt");
    }
    return code;
}

static cli_exit compare(contest *c)
{
    cli_session *session = c->session;
    cli_progress_begin(&c->work->line, 0);
    foray_context_set_stop(session->ctx, cli_stop_wanted, NULL);
    foray_status status =
        foray_compare_in_reality(session->ctx, c->model, c->world, c->what, &c->reality,
                                 c->directory, cli_work_step, c->work);
    foray_context_set_stop(session->ctx, NULL, NULL);
    cli_progress_end(&c->work->line);
    return status == FORAY_INTERRUPTED ? cli_compare_stopped(session, c->work)
                                       : cli_status(session, status);
}

cli_exit cli_compare_stopped(cli_session *session, const cli_work *work)
{
    return cli_fail(session, CLI_STOPPED,
                    "stopped by a signal after %" PRId64 " of %" PRId64 " runs; "
                    "run the same command again to continue",
                    work->last.finished, work->last.parts);
}

cli_exit cli_compare_rollouts(cli_session *session, const char *world, const char *directory,
                              const foray_comparison *what, cli_work *work, cli_output *output)
{
    contest c = {.session = session,
                 .world = world,
                 .directory = directory,
                 .what = what,
                 .work = work,
                 .reality = {.rollouts = cli_whole(session, "rollouts")}};
    foray_world *explored = NULL;
    cli_exit code = cli_view_open(session, world, &c.view);
    if (code == CLI_DONE)
        code = cli_view_model(session, &c.view, &c.model);
    if (code == CLI_DONE)
        code = choose_rewards(&c);
    if (code == CLI_DONE)
        code = cli_status(session,
                          cli_view_world(session->ctx, &c.view, c.view.system, c.model, &explored));
    c.reality.world = explored;
    c.reality.system = c.view.system;
    c.reality.clusters = c.view.clusters;
    if (code == CLI_DONE)
        code = compare(&c);
    if (code == CLI_DONE)
        code = show(&c, output);
    foray_world_destroy(explored);
    cli_rewards_close(&c.rewards);
    free(c.index);
    foray_model_destroy(c.model);
    cli_view_close(&c.view);
    session->view = NULL;
    return code;
}
