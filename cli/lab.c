/* lab.c - foray lab: experiments that measure what the theorems promise. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "experiments/experiments.h"
#include "figure.h"

/* ------------------------------------------------------------------------ lab list */

static const char *const kinds[] = {"integer", "number", "word", "text", "algorithm", "world"};

enum { NAMES = 21 }; /* the column behind the longest name */

static void print_values(const char *which, const char *values)
{
    printf("%*s%s ", NAMES, "", which);
    cli_help_wrapped(values, NAMES + (int)strlen(which) + 1);
}

static void print_experiment(const foray_lab_info *info)
{
    printf("%s\n  %s\n", info->name, info->summary);
    for (int64_t i = 0; i < info->parameters; i++) {
        const foray_lab_parameter *parameter = &info->parameter[i];
        bool same = strcmp(parameter->quick, parameter->is.fallback) == 0;
        printf("    %-*s ", NAMES - 5, parameter->is.name);
        cli_help_wrapped(parameter->is.help, NAMES);
        if (!same)
            print_values("quick", parameter->quick);
        print_values(same ? "     " : "full ", parameter->is.fallback);
    }
    printf("\n");
}

static void output_info(cli_output *output, const foray_lab_info *info)
{
    cli_output_open(output, NULL);
    cli_output_text(output, "name", info->name);
    cli_output_text(output, "summary", info->summary);
    cli_output_text(output, "question", info->question);
    cli_output_open_list(output, "parameters");
    for (int64_t i = 0; i < info->parameters; i++) {
        const foray_lab_parameter *parameter = &info->parameter[i];
        cli_output_open(output, NULL);
        cli_output_text(output, "name", parameter->is.name);
        cli_output_text(output, "kind", kinds[parameter->is.kind]);
        cli_output_flag(output, "list", parameter->list);
        cli_output_text(output, "quick", parameter->quick);
        cli_output_text(output, "full", parameter->is.fallback);
        cli_output_text(output, "help", parameter->is.help);
        cli_output_close(output);
    }
    cli_output_close(output);
    cli_output_close(output);
}

static cli_exit list_as_json(cli_session *session)
{
    cli_output output;
    foray_lab_info info;
    cli_output_begin(&output, session);
    cli_output_open_list(&output, "experiments");
    for (int64_t i = 0; foray_lab_describe(i, &info); i++)
        output_info(&output, &info);
    cli_output_close(&output);
    return cli_output_end(&output, session, CLI_DONE);
}

static cli_exit run_list(cli_session *session)
{
    foray_lab_info info;
    if (session->json)
        return list_as_json(session);
    for (int64_t i = 0; foray_lab_describe(i, &info); i++)
        print_experiment(&info);
    printf(
        "'foray lab NAME --quick -o DIR' runs one, 'foray lab all --quick -o DIR' all of them.\n");
    return CLI_DONE;
}

static const cli_option list_options[] = {CLI_OPTION_JSON, CLI_END};

const cli_command cli_lab_list = {
    .name = "lab list",
    .group = CLI_GROUP_RESEARCH,
    .summary = "list the experiments of the lab with their parameters",
    .operands = "",
    .description =
        "Prints every experiment, what it measures, and its parameters with their quick\n"
        "and full values.",
    .options = list_options,
    .answers = true,
    .examples = "foray lab list\n"
                "foray lab list --json\n",
    .run = run_list,
};

/* ------------------------------------------------------------------- one experiment */

/* The parameters given as options, as "name=value" with '_' in the name. */
typedef struct assignments {
    int64_t count;
    char **text;
} assignments;

static void free_assignments(assignments *a)
{
    for (int64_t i = 0; i < a->count; i++)
        free(a->text[i]);
    free(a->text);
}

static char *assignment(const char *name, const char *value)
{
    size_t size = strlen(name) + strlen(value) + 2;
    char *text = malloc(size);
    if (text) {
        snprintf(text, size, "%s=%s", name, value);
        for (char *c = text; *c != '='; c++)
            if (*c == '-')
                *c = '_';
    }
    return text;
}

static bool read_assignments(const cli_session *session, assignments *out)
{
    const cli_args *args = &session->args;
    out->text = calloc((size_t)args->count + 1, sizeof *out->text);
    for (int64_t i = 0; out->text && i < args->count; i++) {
        if (!args->option[i]->setting)
            continue;
        char *text = assignment(args->option[i]->is.name, args->value[i]);
        if (!text)
            return false;
        out->text[out->count++] = text;
    }
    return out->text != NULL;
}

/* What the command makes, and how it is shown. */
typedef struct lab_work {
    cli_session *session;
    const char *directory;
    cli_work work;
    bool all;
    cli_output output;
} lab_work;

static void output_experiment(lab_work *l, const fy_lab *lab)
{
    if (l->all)
        cli_output_open(&l->output, NULL);
    cli_output_text(&l->output, "experiment", lab->experiment->name);
    cli_output_text(&l->output, "directory", lab->folder.path);
    cli_experiment_output(&l->output, lab);
    if (l->all)
        cli_output_close(&l->output);
}

static void show_experiment(void *user, const fy_lab *lab)
{
    lab_work *l = user;
    cli_progress_end(&l->work.line);
    if (l->session->json) {
        output_experiment(l, lab);
        return;
    }
    if (l->all)
        printf("%s: %s\n", lab->experiment->name, lab->experiment->summary);
    cli_experiment_print(lab);
    if (l->all)
        printf("\n");
}

static cli_exit make(lab_work *l, const assignments *given, foray_shard shard)
{
    cli_session *session = l->session;
    foray_figure figure;
    char font[CLI_FONT_SIZE];
    cli_exit code = cli_figure_read(session, font, &figure);
    if (code != CLI_DONE)
        return code;
    foray_lab_options wanted = {.figure = figure,
                                .quick = cli_has(session, "quick"),
                                .settings = given->count,
                                .setting = (const char *const *)given->text,
                                .shard = shard};
    cli_experiment_begin(session, &l->work);
    foray_status status = fy_lab_run(session->ctx, session->command->experiment, &wanted,
                                     l->directory, cli_work_step, &l->work, show_experiment, l);
    return cli_experiment_end(session, &l->work, status);
}

/* What is behind the results. */
static cli_exit show_end(lab_work *l)
{
    cli_session *session = l->session;
    if (session->json)
        return l->all ? CLI_DONE : cli_figure_in(session, l->directory);
    printf(l->all ? "everything: %s/index.html\n" : "\ntables and a page: %s/index.html\n",
           l->directory);
    return l->all ? CLI_DONE : cli_figure_in(session, l->directory);
}

static cli_exit make_and_show(lab_work *l, foray_shard shard)
{
    assignments given = {0};
    cli_session *session = l->session;
    bool json = session->json && shard.of == 0;
    if (json)
        cli_output_begin(&l->output, session);
    if (json && l->all)
        cli_output_open_list(&l->output, "experiments");
    cli_exit code = read_assignments(session, &given)
                        ? make(l, &given, shard)
                        : cli_fail(session, CLI_BAD_INPUT, "out of memory");
    free_assignments(&given);
    if (json && l->all)
        cli_output_close(&l->output);
    if (json)
        cli_experiment_count(&l->output, &l->work);
    if (code == CLI_DONE)
        code = shard.of > 0 ? cli_shard_show(session, shard, l->directory, &l->work) : show_end(l);
    return json ? cli_output_end(&l->output, session, code) : code;
}

static cli_exit run_lab(cli_session *session, bool all)
{
    lab_work l = {.session = session,
                  .directory = cli_value(session, "output"),
                  .work = {.heading = "", .parts = "cells"},
                  .all = all};
    foray_shard shard = {0, 0};
    if (!l.directory)
        return cli_fail(session, CLI_USAGE, "-o is required: the directory for the results");
    cli_exit code = cli_refuse_stdout(session, l.directory);
    if (code == CLI_DONE)
        code = cli_shard_read(session, &shard);
    return code == CLI_DONE ? make_and_show(&l, shard) : code;
}

static cli_exit run_experiment(cli_session *session)
{
    return run_lab(session, false);
}

#define LAB_OPTIONS                                                                                \
    CLI_FILE('o', "output", "DIR", "the directory for tables and the page (required)"),            \
        CLI_SWITCH("quick", "a version with fewer cells that takes minutes"), CLI_OPTION_SHARD,    \
        CLI_OPTION_PROGRESS, CLI_OPTION_JSON, CLI_OPTION_THREADS

static const cli_option options[] = {LAB_OPTIONS, CLI_OPTIONS_FIGURE, CLI_END};

/* The command of an experiment: everything that it says comes from the library's table. */
typedef struct lab_command {
    cli_command is;
    char name[64], summary[128], description[1024], example[256];
} lab_command;

static void fill_command(const foray_lab_info *info, lab_command *command)
{
    snprintf(command->name, sizeof command->name, "lab %s", info->name);
    snprintf(command->summary, sizeof command->summary, "measure %s", info->summary);
    snprintf(
        command->description, sizeof command->description,
        "%s\n\nThe directory receives rows.csv, further tables, findings.txt and index.html.\n"
        "Cells are computed in parallel, one thread each. Finished cells are reused: the same\n"
        "command continues where it stopped, to the same bytes, but not with other parameters.\n"
        "--shard I/N makes only a share of the cells: see docs/many-machines.md.",
        info->description);
    snprintf(command->example, sizeof command->example, "foray lab %s %s\n", info->name,
             info->example);
    command->is = (cli_command){.name = command->name,
                                .experiment = info->name,
                                .group = CLI_GROUP_RESEARCH,
                                .summary = command->summary,
                                .operands = "",
                                .description = command->description,
                                .options = options,
                                .exits = {CLI_BAD_INPUT, CLI_WORLD_FAILED, CLI_STOPPED},
                                .examples = command->example,
                                .run = run_experiment};
}

const cli_command *cli_lab_command(int64_t index)
{
    enum { MAX_EXPERIMENTS = 16 };
    static lab_command commands[MAX_EXPERIMENTS];
    foray_lab_info info;
    if (index < 0 || index >= MAX_EXPERIMENTS || !foray_lab_describe(index, &info))
        return NULL;
    if (!commands[index].is.name)
        fill_command(&info, &commands[index]);
    return &commands[index].is;
}

/* --------------------------------------------------------------------------- lab all */

static cli_exit run_all(cli_session *session)
{
    return run_lab(session, true);
}

static const cli_option all_options[] = {
    LAB_OPTIONS,
    {.is = {.name = "seed",
            .kind = FORAY_INTEGER,
            .fallback = "1",
            .max = CLI_UNBOUNDED,
            .help = "the first seed of every experiment"},
     .value = "N",
     .setting = true},
    CLI_END,
};

const cli_command cli_lab_all = {
    .name = "lab all",
    .experiment = "all",
    .group = CLI_GROUP_RESEARCH,
    .summary = "run every experiment of the lab, and write a page that links them",
    .operands = "",
    .description =
        "Runs all experiments, one after the other, each in a directory of its own, and\n"
        "writes index.html with what they found. With --quick this takes about five minutes\n"
        "on two cores; without it, one to two hours. If stopped, run the same command again to\n"
        "continue.",
    .options = all_options,
    .exits = {CLI_BAD_INPUT, CLI_WORLD_FAILED, CLI_STOPPED},
    .examples = "foray lab all --help\n",
    .run = run_all,
};
