/* world.c - foray world list, foray world export. */
#include <stdio.h>

#include "report.h"

/* ------------------------------------------------------------------ world list */

static void print_world(const foray_world_info *info)
{
    printf("%s\n  %s\n", info->name, info->summary);
    for (int64_t i = 0; i < info->parameters; i++) {
        const foray_world_parameter *parameter = &info->parameter[i];
        /* Whole numbers up to 2^53 are shown in full. */
        int digits = parameter->whole ? 16 : 6;
        char shown[64], range[64];
        snprintf(shown, sizeof shown, "%s=%.*g", parameter->name, digits, parameter->fallback);
        snprintf(range, sizeof range, "(%.*g to %.*g)", digits, parameter->least, digits,
                 parameter->most);
        printf("    %-18s %-20s %s\n", shown, range, parameter->help);
    }
    printf("\n");
}

static void report_world(cli_report *report, const foray_world_info *info)
{
    cli_report_open(report, NULL);
    cli_report_text(report, "name", info->name);
    cli_report_text(report, "summary", info->summary);
    cli_report_open_list(report, "parameters");
    for (int64_t i = 0; i < info->parameters; i++) {
        const foray_world_parameter *parameter = &info->parameter[i];
        cli_report_open(report, NULL);
        cli_report_text(report, "name", parameter->name);
        cli_report_real(report, "default", parameter->fallback);
        cli_report_real(report, "least", parameter->least);
        cli_report_real(report, "most", parameter->most);
        cli_report_flag(report, "whole", parameter->whole);
        cli_report_text(report, "help", parameter->help);
        cli_report_close(report);
    }
    cli_report_close(report);
    cli_report_close(report);
}

static cli_exit list_as_json(cli_session *session)
{
    cli_report report;
    foray_world_info info;
    cli_report_begin(&report, session);
    cli_report_open_list(&report, "worlds");
    for (int64_t i = 0; foray_world_describe(i, &info); i++)
        report_world(&report, &info);
    cli_report_close(&report);
    return cli_report_end(&report, session);
}

static cli_exit run_list(cli_session *session)
{
    foray_world_info info;
    if (session->json)
        return list_as_json(session);
    for (int64_t i = 0; foray_world_describe(i, &info); i++)
        print_world(&info);
    printf("A world is written NAME or NAME:key=value,key=value.\n");
    return CLI_DONE;
}

static const cli_option list_options[] = {CLI_OPTION_JSON, {0}};

const cli_command cli_world_list = {
    .name = "world list",
    .summary = "list the built-in worlds with their parameters",
    .operands = "",
    .description = "Prints every built-in world, what it is, and its parameters with their\n"
                   "defaults and ranges.",
    .options = list_options,
    .examples = "foray world list\n"
                "foray world list --json\n",
    .run = run_list,
};

/* ---------------------------------------------------------------- world export */

static cli_exit run_export(cli_session *session)
{
    const char *path = cli_value(session, "output");
    foray_model *model = NULL;
    int format;
    if (!path)
        return cli_fail(session, CLI_USAGE, "say with -o which file to write");
    cli_exit code = cli_model_format(session, path, &format);
    if (code == CLI_DONE)
        code = cli_model_open(session, session->args.operand[0], &model);
    if (code == CLI_DONE)
        code = cli_status(session, foray_model_save(session->ctx, model, format, path));
    foray_model_destroy(model);
    return code;
}

static const cli_option export_options[] = {
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .words = CLI_WORDS_FILE,
     .help = "the model file to write (required)"},
    CLI_OPTION_TO,
    {0},
};

const cli_command cli_world_export = {
    .name = "world export",
    .summary = "write a world as a model file",
    .operands = "WORLD",
    .least = 1,
    .most = 1,
    .words = CLI_WORDS_WORLD,
    .description = "Writes the model of a built-in world, its true theta included. A world is\n"
                   "written NAME or NAME:key=value,key=value; 'foray world list' lists them.",
    .options = export_options,
    .exits = {CLI_BAD_INPUT},
    .examples = "foray world export rooms:rows=3,cols=3 -o rooms.json\n"
                "foray world export chain --to compact --output chain.model\n",
    .run = run_export,
};
