/* play.c - foray play: a page in which rewards are painted, and plans follow. */
#include <stdlib.h>

#include "output.h"
#include "view.h"

/* What the page is made of: a run, or a world to be explored in the page. */
typedef struct playing {
    cli_session *session;
    const char *path;
    foray_run *run;
    foray_model *model;
} playing;

static cli_exit open_source(playing *p)
{
    cli_session *session = p->session;
    if (!cli_names_model(p->path))
        return cli_status(session, foray_run_open(session->ctx, p->path, FORAY_RUN_READ, &p->run));
    if (cli_view_names(p->path))
        return cli_fail(session, CLI_BAD_INPUT,
                        "%s is a system: explore it first ('foray explore'), and play with its run",
                        p->path);
    return cli_world_open_checked(session, p->path, &p->model);
}

/* How many earlier states to show: of large models, whose episodes take long, none unless told. */
static int64_t history_of(const playing *p)
{
    enum { LARGE = 1000 };
    bool told = cli_has(p->session, "history");
    bool large = p->run && foray_model_states(foray_run_model(p->run)) > LARGE;
    return large && !told ? 0 : cli_integer(p->session, "history");
}

static cli_exit write_page(playing *p, const char *path, size_t *size)
{
    char *page;
    cli_exit code = cli_status(p->session, foray_playground_print(p->session->ctx, p->run, p->model,
                                                                  cli_has(p->session, "reachable"),
                                                                  history_of(p), &page, size));
    if (code != CLI_DONE)
        return code;
    code = cli_destination_write(p->session, path, page, *size);
    foray_free(page);
    return code;
}

static cli_exit show_page(playing *p, const char *page, size_t size)
{
    cli_output output;
    cli_output_begin(&output, p->session);
    cli_output_text(&output, p->run ? "run" : "world", p->path);
    if (p->run)
        cli_output_integer(&output, "episodes", foray_run_saved(p->run));
    cli_output_text(&output, "page", page);
    cli_output_integer(&output, "bytes", (int64_t)size);
    return cli_output_end(&output, p->session, CLI_DONE);
}

static cli_exit run_play(cli_session *session)
{
    playing p = {.session = session, .path = session->args.operand[0]};
    const char *page = cli_value(session, "output");
    size_t size = 0;
    if (!page)
        return cli_fail(session, CLI_USAGE, "-o is required: the file to write the page to");
    cli_exit code = cli_destination_check(session, page);
    if (code == CLI_DONE)
        code = open_source(&p);
    if (code == CLI_DONE)
        code = write_page(&p, page, &size);
    if (code == CLI_DONE && !cli_is_stdout(page))
        code = show_page(&p, page, size);
    foray_run_close(p.run);
    foray_model_destroy(p.model);
    return code;
}

static const cli_option options[] = {
    CLI_FILE('o', "output", "FILE", "the HTML file to write; - is standard output (required)"),
    CLI_INTEGER(
        0, "history", "N", "24", 0, 24,
        "for a run: also show what was known after a half, a quarter, ... of its episodes, "
        "at most N such points; all episodes are replayed for that, so with more than 1,000 "
        "states only if asked for"),
    CLI_SWITCH("reachable",
               "show only the states that an episode can reach, if all of them are too many for a "
               "page; values are the same, certificates may be smaller, and there is no --history"),
    CLI_OPTION_FORCE,
    CLI_OPTION_JSON,
    CLI_END,
};

const cli_command cli_play = {
    .name = "play",
    .group = CLI_GROUP_SHOW,
    .summary = "write a page in which to paint rewards and see plans and certificates",
    .operands = "RUN|WORLD",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_FILE,
    .description =
        "Writes one self-contained HTML file that contains the run and the library, and works\n"
        "in a browser without a server or a network. Paint a reward on the map (or on a list\n"
        "of states, if there is no map) with the mouse, a finger or the keyboard: the policy\n"
        "and its value follow while you paint; the certificate, and where its doubt is, follow\n"
        "shortly after. The reward can be shared as a link, and as a reward file for 'foray\n"
        "plan', which gives the same numbers to the last digit. If a world is given instead of\n"
        "a run, the page explores it first.",
    .options = options,
    .exits = {CLI_BAD_INPUT, CLI_BAD_RUN},
    .examples = "foray explore rooms -k 2000 -o rooms.foray\n"
                "foray play rooms.foray -o rooms.html\n",
    .run = run_play,
};
