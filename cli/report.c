/* report.c - foray report: a page about a run. */
#include <stdlib.h>

#include "output.h"

static cli_exit write_page(cli_session *session, foray_run *run, const char *path)
{
    char *page;
    size_t size;
    cli_exit code = cli_status(session, foray_report_print(run, &page, &size));
    if (code != CLI_DONE)
        return code;
    code = cli_destination_write(session, path, page, size);
    free(page);
    return code;
}

static cli_exit show_page(cli_session *session, foray_run *run, const char *page)
{
    cli_output output;
    cli_output_begin(&output, session);
    cli_output_text(&output, "run", session->args.operand[0]);
    cli_output_integer(&output, "episodes", foray_run_saved(run));
    cli_output_text(&output, "page", page);
    return cli_output_end(&output, session, CLI_DONE);
}

static cli_exit run_report(cli_session *session)
{
    foray_run *run = NULL;
    const char *page = cli_value(session, "output");
    if (!page)
        return cli_fail(session, CLI_USAGE, "-o is required: the file to write the page to");
    cli_exit code = cli_destination_check(session, page);
    if (code == CLI_DONE)
        code = cli_status(
            session, foray_run_open(session->ctx, session->args.operand[0], FORAY_RUN_READ, &run));
    if (code == CLI_DONE)
        code = write_page(session, run, page);
    if (code == CLI_DONE && !cli_is_stdout(page))
        code = show_page(session, run, page);
    foray_run_close(run);
    return code;
}

static const cli_option options[] = {
    CLI_FILE('o', "output", "FILE", "the HTML file to write; - is standard output (required)"),
    CLI_OPTION_FORCE,
    CLI_OPTION_QUIET,
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_report = {
    .name = "report",
    .summary = "write a page about a run: maps, curves, theta, plans",
    .operands = "RUN",
    .least = 1,
    .most = 1,
    .words = CLI_WORDS_FILE,
    .description =
        "Writes one self-contained HTML file, for any screen or for printing: what was\n"
        "explored, how the certificate and the number of plans developed, the estimate of\n"
        "theta with its intervals (next to the truth, where that is known), the plans stored\n"
        "in the run as arrows with their values and certificates, the settings, and the\n"
        "commands that reproduce the run. Every picture comes with its numbers, as a table\n"
        "and as CSV. What is too much for a page is summarised or left out, and the page\n"
        "says so.",
    .options = options,
    .exits = {CLI_BAD_INPUT, CLI_BAD_RUN},
    .examples = "foray explore rooms -k 2000 -o rooms.foray\n"
                "foray plan rooms.foray -r goal:0 -r goal:80\n"
                "foray report rooms.foray -o rooms.html\n",
    .run = run_report,
};
