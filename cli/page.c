/* page.c - foray report: a page about a run. */
#include "report.h"

static cli_exit tell(cli_session *session, foray_run *run, const char *page)
{
    cli_report report;
    cli_report_begin(&report, session);
    cli_report_text(&report, "run", session->args.operand[0]);
    cli_report_integer(&report, "episodes", foray_run_saved(run));
    cli_report_text(&report, "page", page);
    return cli_report_end(&report, session);
}

static cli_exit run(cli_session *session)
{
    foray_run *run = NULL;
    const char *page = cli_value(session, "output");
    if (!page)
        return cli_fail(session, CLI_USAGE, "say with -o where to put the page");
    cli_exit code = cli_status(
        session, foray_run_open(session->ctx, session->args.operand[0], FORAY_RUN_READ, &run));
    if (code == CLI_DONE)
        code = cli_status(session, foray_report_save(run, page));
    if (code == CLI_DONE)
        code = tell(session, run, page);
    foray_run_close(run);
    return code;
}

static const cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .words = CLI_WORDS_FILE,
     .help = "the HTML file to write (required)"},
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    {0},
};

const cli_command cli_report_page = {
    .name = "report",
    .summary = "write a page about a run: maps, curves, theta, plans",
    .operands = "RUN",
    .least = 1,
    .most = 1,
    .words = CLI_WORDS_FILE,
    .description =
        "Writes one HTML file that needs nothing else, to be read on any screen or printed:\n"
        "what was explored, how the certificate and the number of plans went with episodes,\n"
        "the estimate of theta with its intervals (beside the truth where that is known),\n"
        "the plans kept in the run as arrows with their values and certificates, the\n"
        "settings, and the commands that make the run again. Behind every picture are its\n"
        "numbers, as a table and as CSV. What is too much for a page is added up or left\n"
        "out, and the page says so.",
    .options = options,
    .exits = {CLI_BAD_INPUT, CLI_BAD_RUN},
    .examples = "foray explore rooms -k 2000 -o rooms.foray\n"
                "foray plan rooms.foray -r goal:0 -r goal:80\n"
                "foray report rooms.foray -o rooms.html\n",
    .run = run,
};
