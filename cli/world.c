/* world.c - foray world list, foray world export. */
#include <stdio.h>

#include "report.h"
#include "site.h"

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
        printf("    %-18s %-23s %s\n", shown, range, parameter->help);
    }
}

/* Worlds are models and name no rewards; systems do. */
static cli_exit open_if_system(cli_session *session, const foray_world_info *info,
                               foray_system **out)
{
    if (!foray_system_names(info->name))
        return CLI_DONE;
    return cli_status(session, foray_system_open(session->ctx, info->name, out));
}

static cli_exit print_rewards(cli_session *session, const foray_world_info *info)
{
    foray_system *system = NULL;
    cli_exit code = open_if_system(session, info, &system);
    const foray_system_spec *spec = system ? foray_system_describe(system) : NULL;
    if (spec)
        printf("    rewards:");
    for (int64_t i = 0; spec && i < spec->rewards; i++)
        printf(" %s%s", spec->reward_name[i], i + 1 < spec->rewards ? "," : "\n");
    foray_system_destroy(system);
    printf("\n");
    return code;
}

static cli_exit report_rewards(cli_session *session, cli_report *report,
                               const foray_world_info *info)
{
    foray_system *system = NULL;
    cli_exit code = open_if_system(session, info, &system);
    const foray_system_spec *spec = system ? foray_system_describe(system) : NULL;
    cli_report_open_list(report, "rewards");
    for (int64_t i = 0; spec && i < spec->rewards; i++)
        cli_report_text(report, NULL, spec->reward_name[i]);
    cli_report_close(report);
    foray_system_destroy(system);
    return code;
}

static cli_exit report_world(cli_session *session, cli_report *report, const foray_world_info *info)
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
    cli_exit code = report_rewards(session, report, info);
    cli_report_close(report);
    return code;
}

static cli_exit list_as_json(cli_session *session)
{
    cli_report report;
    foray_world_info info;
    cli_exit code = CLI_DONE;
    cli_report_begin(&report, session);
    cli_report_open_list(&report, "worlds");
    for (int64_t i = 0; cli_world_at(i, &info) && code == CLI_DONE; i++)
        code = report_world(session, &report, &info);
    cli_report_close(&report);
    if (code == CLI_DONE)
        return cli_report_end(&report, session);
    cli_report_drop(&report);
    return code;
}

static cli_exit run_list(cli_session *session)
{
    foray_world_info info;
    cli_exit code = CLI_DONE;
    if (session->json)
        return list_as_json(session);
    for (int64_t i = 0; cli_world_at(i, &info) && code == CLI_DONE; i++) {
        print_world(&info);
        code = print_rewards(session, &info);
    }
    printf("A world is written NAME or NAME:key=value,key=value. Those with rewards are systems,\n"
           "seen through clusters: NAME:key=value@grid:41x41,draws=1000.\n");
    return code;
}

static const cli_option list_options[] = {CLI_OPTION_JSON, {0}};

const cli_command cli_world_list = {
    .name = "world list",
    .summary = "list the built-in worlds and systems with their parameters",
    .operands = "",
    .description = "Prints every built-in world and system, what it is, its parameters with their\n"
                   "defaults and ranges, and the rewards that a system names.",
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
    CLI_OPTIONS_VIEW,
    CLI_OPTION_THREADS,
    {0},
};

const cli_command cli_world_export = {
    .name = "world export",
    .summary = "write the model of a world or a system to a file",
    .operands = "WORLD",
    .least = 1,
    .most = 1,
    .words = CLI_WORDS_WORLD,
    .description = "Writes the model of a built-in world, its true theta included. A world is\n"
                   "written NAME or NAME:key=value,key=value; 'foray world list' lists them.\n"
                   "\n"
                   "Of a system it writes the model that it is explored with: the system seen\n"
                   "through clusters, its features estimated by Monte Carlo.",
    .options = export_options,
    .exits = {CLI_BAD_INPUT, CLI_WORLD_FAILED, CLI_STOPPED},
    .examples = "foray world export rooms:rows=3,cols=3 -o rooms.json\n"
                "foray world export chain --to compact --output chain.model\n"
                "foray world export tank --clusters grid:11x11 -o tank.compact\n",
    .run = run_export,
};
