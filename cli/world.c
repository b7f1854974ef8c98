/* world.c - foray world list, foray world export. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output.h"
#include "view.h"
#include "base/base.h"
#include "base/parameter.h"
#include "outside/outside.h"

/* ------------------------------------------------------------------ world list */

static void print_parameters(const foray_world_info *info)
{
    for (int64_t i = 0; i < info->parameters; i++) {
        const foray_parameter *parameter = &info->parameter[i];
        char shown[64], range[64], bracketed[68];
        fy_parameter_range(parameter, range, sizeof range);
        snprintf(shown, sizeof shown, "%s=%s", parameter->name, parameter->fallback);
        snprintf(bracketed, sizeof bracketed, "(%s)", range);
        printf("    %-18s %-23s %s\n", shown, bracketed, parameter->help);
    }
}

/* `system` is NULL for worlds that are models: only systems name rewards. */
static void print_world(const foray_world_info *info, const foray_system_spec *system)
{
    printf("%s\n  %s\n", info->name, info->summary);
    print_parameters(info);
    if (system)
        printf("    rewards:");
    for (int64_t i = 0; system && i < system->rewards; i++)
        printf(" %s%s", system->reward_name[i], i + 1 < system->rewards ? "," : "\n");
    printf("\n");
}

static void output_world(cli_output *output, const foray_world_info *info,
                         const foray_system_spec *system)
{
    cli_output_open(output, NULL);
    cli_output_text(output, "name", info->name);
    cli_output_text(output, "summary", info->summary);
    cli_output_open_list(output, "parameters");
    for (int64_t i = 0; i < info->parameters; i++) {
        const foray_parameter *parameter = &info->parameter[i];
        double fallback = NAN;
        (void)fy_number_read(parameter->fallback, strlen(parameter->fallback), &fallback);
        cli_output_open(output, NULL);
        cli_output_text(output, "name", parameter->name);
        cli_output_real(output, "default", fallback);
        cli_output_real(output, "min", parameter->min);
        cli_output_real(output, "max", parameter->max);
        cli_output_flag(output, "whole", parameter->kind == FORAY_INTEGER);
        cli_output_text(output, "help", parameter->help);
        cli_output_close(output);
    }
    cli_output_close(output);
    cli_output_open_list(output, "rewards");
    for (int64_t i = 0; system && i < system->rewards; i++)
        cli_output_text(output, NULL, system->reward_name[i]);
    cli_output_close(output);
    cli_output_close(output);
}

static cli_exit list_world(cli_session *session, cli_output *output, const foray_world_info *info)
{
    foray_system *system = NULL;
    if (fy_system_names(info->name)) {
        foray_status status = foray_system_open(session->ctx, info->name, &system);
        if (status != FORAY_OK)
            return cli_status(session, status);
    }
    const foray_system_spec *spec = system ? foray_system_describe(system) : NULL;
    if (session->json)
        output_world(output, info, spec);
    else
        print_world(info, spec);
    foray_system_destroy(system);
    return CLI_DONE;
}

static cli_exit run_list(cli_session *session)
{
    const char *name = session->args.operands > 0 ? session->args.operand[0] : NULL;
    cli_guess guess = {name ? name : "", NULL, 0};
    foray_world_info info;
    cli_output output;
    int64_t found = 0;
    cli_exit code = CLI_DONE;
    cli_output_begin(&output, session);
    if (session->json)
        cli_output_open_list(&output, "worlds");
    for (int64_t i = 0; code == CLI_DONE && cli_world_at(i, &info); i++) {
        cli_guess_try(&guess, info.name);
        if (name && strcmp(info.name, name) != 0)
            continue;
        code = list_world(session, &output, &info);
        found++;
    }
    if (code == CLI_DONE && found == 0)
        code = cli_fail(session, CLI_BAD_INPUT, "%s: no built-in world has that name%s%s%s", name,
                        guess.best ? "; did you mean " : "", guess.best ? guess.best : "",
                        guess.best ? "?" : "");
    if (code == CLI_DONE && !session->json)
        printf("A world is written NAME or NAME:key=value,key=value. Worlds with rewards are\n"
               "systems, seen through clusters: NAME:key=value@grid:41x41,draws=1000.\n");
    return cli_output_end(&output, session, code);
}

static const cli_option list_options[] = {CLI_OPTION_JSON, CLI_END};

const cli_command cli_world_list = {
    .name = "world list",
    .group = CLI_GROUP_EXPLORE,
    .summary = "list the built-in worlds with their parameters",
    .operands = "[NAME]",
    .min = 0,
    .max = 1,
    .words = CLI_WORDS_WORLD,
    .description =
        "Prints every built-in world, or the one named: what it is, its parameters with\n"
        "their defaults and ranges, and, if it is a system, its rewards.",
    .options = list_options,
    .answers = true,
    .exits = {CLI_BAD_INPUT},
    .examples = "foray world list\n"
                "foray world list pendulum\n"
                "foray world list rooms --json\n",
    .run = run_list,
};

/* ---------------------------------------------------------------- world export */

static cli_exit run_export(cli_session *session)
{
    const char *path = cli_value(session, "output");
    foray_model *model = NULL;
    foray_model_format format;
    if (!path)
        return cli_fail(session, CLI_USAGE, "-o is required: the model file to write");
    cli_exit code = cli_model_format(session, path, &format);
    if (code == CLI_DONE)
        code = cli_destination_check(session, path);
    if (code == CLI_DONE)
        code = cli_model_open(session, session->args.operand[0], &model);
    if (code == CLI_DONE)
        code = cli_model_write(session, model, format, path);
    foray_model_destroy(model);
    return code;
}

static const cli_option export_options[] = {
    CLI_FILE('o', "output", "FILE", "the model file to write; - is standard output (required)"),
    CLI_OPTION_FORCE,
    CLI_OPTION_TO,
    CLI_OPTIONS_VIEW,
    CLI_OPTION_CONTAIN,
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_world_export = {
    .name = "world export",
    .group = CLI_GROUP_CARRY,
    .summary = "write the model of a world to a file",
    .operands = "WORLD",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_WORLD,
    .description = "Writes the model of a built-in world, including its true theta. A world is\n"
                   "written NAME or NAME:key=value,key=value; 'foray world list' lists them.\n"
                   "\n"
                   "For a system this is the model it is explored with: the system seen through\n"
                   "clusters, with features estimated by Monte Carlo.",
    .options = export_options,
    .exits = {CLI_BAD_INPUT, CLI_WORLD_FAILED, CLI_STOPPED},
    .examples = "foray world export rooms:rows=3,cols=3 -o rooms.json\n"
                "foray world export chain --to compact --output chain.model\n"
                "foray world export tank --clusters grid:11x11 -o tank.compact\n",
    .run = run_export,
};
