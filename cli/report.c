/* report.c - foray report: a page about a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
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

/* ------------------------------------------------------------------------- figures */

/* "rooms-theta" for the figure theta beside rooms.html. */
static char *name_stem(const char *page, const char *figure)
{
    const char *slash = strrchr(page, '/'), *dot = strrchr(page, '.');
    bool ends = dot && dot != page && (!slash || dot > slash + 1);
    size_t length = ends ? (size_t)(dot - page) : strlen(page);
    size_t size = length + strlen(figure) + 2;
    char *stem = malloc(size);
    if (stem)
        snprintf(stem, size, "%.*s-%s", (int)length, page, figure);
    return stem;
}

/* None of the four files may be there, without --force. */
static cli_exit check_files(cli_session *session, const char *stem)
{
    static const char *const endings[] = {"svg", "csv", "pdf", "png"};
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && code == CLI_DONE; i++) {
        char *path = cli_figure_path(stem, endings[i]);
        code = path ? cli_destination_check(session, path)
                    : cli_fail(session, CLI_BAD_INPUT, "out of memory");
        free(path);
    }
    return code;
}

static cli_exit put(cli_session *session, const char *stem, const char *ending, const char *text)
{
    char *path = cli_figure_path(stem, ending);
    cli_exit code = path ? cli_destination_write(session, path, text, strlen(text))
                         : cli_fail(session, CLI_BAD_INPUT, "out of memory");
    free(path);
    return code;
}

static cli_exit write_figure(cli_session *session, foray_run *run, const foray_figure *figure,
                             const char *stem)
{
    char *svg, *csv;
    cli_exit code = cli_status(session, foray_report_figure(run, figure, &svg, &csv));
    if (code != CLI_DONE)
        return code;
    code = put(session, stem, "svg", svg);
    if (code == CLI_DONE)
        code = put(session, stem, "csv", csv);
    foray_free(svg);
    foray_free(csv);
    return code == CLI_DONE ? cli_figure_convert(session, stem) : code;
}

/* ---------------------------------------------------------------------------- page */

static cli_exit show_page(cli_session *session, foray_run *run, const char *page)
{
    cli_output output;
    cli_output_begin(&output, session);
    cli_output_text(&output, "run", session->args.operand[0]);
    cli_output_integer(&output, "episodes", foray_run_saved(run));
    cli_output_text(&output, "page", page);
    return cli_output_end(&output, session, CLI_DONE);
}

static cli_exit make_report(cli_session *session, const char *page, const foray_figure *figure,
                            const char *stem)
{
    foray_run *run = NULL;
    cli_exit code = cli_status(
        session, foray_run_open(session->ctx, session->args.operand[0], FORAY_RUN_READ, &run));
    /* The figure first: a name that is none leaves no page behind. */
    if (code == CLI_DONE && figure->name)
        code = write_figure(session, run, figure, stem);
    if (code == CLI_DONE)
        code = write_page(session, run, page);
    if (code != CLI_DONE && figure->name)
        cli_figure_undo(session, stem);
    if (code == CLI_DONE && !cli_is_stdout(page))
        code = show_page(session, run, page);
    foray_run_close(run);
    return code;
}

static cli_exit run_report(cli_session *session)
{
    const char *page = cli_value(session, "output");
    foray_figure figure;
    char font[CLI_FONT_SIZE];
    char *stem = NULL;
    if (!page)
        return cli_fail(session, CLI_USAGE, "-o is required: the file to write the page to");
    cli_exit code = cli_destination_check(session, page);
    if (code == CLI_DONE)
        code = cli_figure_read(session, font, &figure);
    if (code == CLI_DONE && figure.name && cli_is_stdout(page))
        code =
            cli_fail(session, CLI_USAGE, "--figure writes files next to the page: -o must be one");
    if (code == CLI_DONE && figure.name) {
        stem = name_stem(page, figure.name);
        code =
            stem ? check_files(session, stem) : cli_fail(session, CLI_BAD_INPUT, "out of memory");
    }
    if (code == CLI_DONE)
        code = make_report(session, page, &figure, stem);
    free(stem);
    return code;
}

static const cli_option options[] = {
    CLI_FILE('o', "output", "FILE", "the HTML file to write; - is standard output (required)"),
    CLI_OPTIONS_FIGURE,
    CLI_OPTION_FORCE,
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_report = {
    .name = "report",
    .group = CLI_GROUP_FIRST,
    .summary = "write a page about a run: maps, curves, theta, plans",
    .operands = "RUN",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_FILE,
    .description =
        "Writes one self-contained HTML file, for any screen or for printing: what was\n"
        "explored, how the certificate and the number of plans developed, the probabilities\n"
        "that were learnt with their intervals (next to the truth, where that is known), the\n"
        "plans stored in the run as arrows with their values and certificates, the settings,\n"
        "and the commands that reproduce the run. Every picture comes with its numbers, as a\n"
        "table and as CSV. What is too large for a page is summarised or left out, and the page\n"
        "says so.\n"
        "\n"
        "--figure NAME also writes one of the pictures for a paper, next to the page: with\n"
        "rooms.html, the figure theta becomes rooms-theta.svg and rooms-theta.csv. Figures are\n"
        "visitmap or visitbars, certificate, planscount, theta (for several laws also theta1,\n"
        "theta2), policy0-0 (plan, step) or policy0, doubtmap0; a wrong name lists those that\n"
        "exist.",
    .options = options,
    .exits = {CLI_BAD_INPUT, CLI_BAD_RUN},
    .examples = "foray explore rooms -k 2000 -o rooms.foray\n"
                "foray plan rooms.foray -r goal:0 -r goal:80\n"
                "foray report rooms.foray -o rooms.html\n"
                "foray report rooms.foray -o again.html --figure theta --figure-size 120x90\n",
    .run = run_report,
};
