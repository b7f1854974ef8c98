/* commands.c - the table of subcommands, and what happens around each of them:
 * arguments in, messages and an exit code out. */
#include "cli.h"
#include "progress.h"
#include "base/level.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A subcommand is one file that defines its row, and one line here. */
#define COMMANDS(X)                                                                                \
    X(cli_world_list)                                                                              \
    X(cli_world_export)                                                                            \
    X(cli_world_check)                                                                             \
    X(cli_model_check)                                                                             \
    X(cli_model_convert)                                                                           \
    X(cli_model_import)                                                                            \
    X(cli_model_export)                                                                            \
    X(cli_explore)                                                                                 \
    X(cli_learn)                                                                                   \
    X(cli_data)                                                                                    \
    X(cli_plan)                                                                                    \
    X(cli_tradeoff)                                                                                \
    X(cli_rollout)                                                                                 \
    X(cli_next)                                                                                    \
    X(cli_bound)                                                                                   \
    X(cli_act)                                                                                     \
    X(cli_policy_export)                                                                           \
    X(cli_certify)                                                                                 \
    X(cli_evaluate)                                                                                \
    X(cli_compare)                                                                                 \
    X(cli_report)                                                                                  \
    X(cli_play)                                                                                    \
    X(cli_lab_list)                                                                                \
    X(cli_lab_all)                                                                                 \
    X(cli_info)                                                                                    \
    X(cli_verify)                                                                                  \
    X(cli_help)

#define DECLARE(command) extern const cli_command command;
COMMANDS(DECLARE)
#undef DECLARE

#define ROW(command) &(command),
static const cli_command *const commands[] = {COMMANDS(ROW)};
#undef ROW

/* The commands of the experiments follow that of all of them. */
const cli_command *cli_command_at(int64_t index)
{
    int64_t count = sizeof commands / sizeof *commands, before = 0, experiments = 0;
    while (commands[before++] != &cli_lab_all)
        ;
    while (cli_lab_command(experiments))
        experiments++;
    if (index >= before && index < before + experiments)
        return cli_lab_command(index - before);
    index -= index >= before ? experiments : 0;
    return index >= 0 && index < count ? commands[index] : NULL;
}

const cli_command *cli_command_find(int64_t words, const char *const *word, int64_t *used)
{
    const cli_command *command;
    for (int64_t i = 0; (command = cli_command_at(i)); i++) {
        size_t first = strcspn(command->name, " ");
        const char *second = command->name[first] ? command->name + first + 1 : NULL;
        if (words < 1 || strlen(word[0]) != first || memcmp(word[0], command->name, first) != 0)
            continue;
        if (second && (words < 2 || strcmp(word[1], second) != 0))
            continue;
        *used = second ? 2 : 1;
        return command;
    }
    return NULL;
}

const char *cli_command_nearest(const char *typed)
{
    const cli_command *command;
    cli_guess guess = {typed, NULL, 0};
    for (int64_t i = 0; (command = cli_command_at(i)); i++)
        cli_guess_try(&guess, command->name);
    return guess.best;
}

static const cli_option for_reports[] = {
    CLI_SWITCH("quiet", "print nothing but errors; the exit code tells the rest"),
    CLI_OPTION_HELP,
    CLI_END,
};
static const cli_option for_answers[] = {
    CLI_SWITCH("quiet", "accepted, as by every command; the output asked for is still printed"),
    CLI_OPTION_HELP,
    CLI_END,
};

bool cli_command_options(const cli_command *command, cli_options *out)
{
    return cli_options_create(command->options, command->often, command->takes_settings,
                              command->experiment, command->answers ? for_answers : for_reports,
                              out);
}

bool cli_command_is_group(const char *word)
{
    const cli_command *command;
    size_t length = strlen(word);
    for (int64_t i = 0; (command = cli_command_at(i)); i++)
        if (strncmp(command->name, word, length) == 0 && command->name[length] == ' ')
            return true;
    return false;
}

/* -------------------------------------------------------------------- messages */

cli_exit cli_fail(const cli_session *session, cli_exit code, const char *format, ...)
{
    va_list values;
    const char *name = session->command->name;
    cli_wait_end();
    fprintf(stderr, "foray %s: ", name);
    va_start(values, format);
    cli_put_message(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    if (code == CLI_USAGE)
        fprintf(stderr, "try 'foray %s --help'\n", name);
    return code;
}

cli_exit cli_status_code(foray_status status)
{
    switch (status) {
    case FORAY_OK:
        return CLI_DONE;
    case FORAY_TARGET_MISSED:
    case FORAY_TARGET_UNPROVED:
        return CLI_NOT_MET;
    case FORAY_INTERRUPTED:
        return CLI_STOPPED;
    case FORAY_ERROR_USAGE:
        return CLI_USAGE;
    case FORAY_ERROR_WORLD:
        return CLI_WORLD_FAILED;
    case FORAY_ERROR_RUN:
        return CLI_BAD_RUN;
    case FORAY_ERROR_INPUT:
    case FORAY_ERROR_IO:
    case FORAY_ERROR_MEMORY:
        break;
    }
    return CLI_BAD_INPUT;
}

cli_exit cli_status(const cli_session *session, foray_status status)
{
    cli_exit code = cli_status_code(status);
    if (status >= 0)
        return code;
    const char *message = foray_message(session->ctx);
    return cli_fail(session, code, "%s", *message ? message : foray_status_text(status));
}

cli_exit cli_run_close(const cli_session *session, foray_run *run, cli_exit code)
{
    foray_status status = foray_run_close(run);
    bool well = code == CLI_DONE || code == CLI_NOT_MET || code == CLI_STOPPED;
    return status != FORAY_OK && well ? cli_status(session, status) : code;
}

/* --------------------------------------------------------------------- running */

/* --threads, by default the number of cores online. */
static int threads_wanted(const cli_session *session)
{
    if (cli_has(session, "threads"))
        return (int)cli_integer(session, "threads");
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > 1024 ? 1024 : (int)cores;
}

/* --quiet: what is printed beside the result goes nowhere; the result itself may be printed. */
static cli_exit keep_quiet(const cli_session *session)
{
    const char *output = cli_value(session, "output");
    if (!cli_has(session, "quiet") || session->json || session->command->answers ||
        (output && cli_is_stdout(output)))
        return CLI_DONE;
    return freopen("/dev/null", "w", stdout)
               ? CLI_DONE
               : cli_fail(session, CLI_BAD_INPUT, "--quiet: /dev/null");
}

/* --progress json */
static bool wants_lines(const cli_session *session)
{
    const char *how = cli_value(session, "progress");
    return how && strcmp(how, "json") == 0;
}

static cli_exit run_parsed(cli_session *session)
{
    const cli_command *command = session->command;
    if (cli_has(session, "help")) {
        cli_help_command(command, &session->options, cli_value(session, "algorithm"));
        return CLI_DONE;
    }
    if (session->args.operands < command->min)
        return cli_fail(session, CLI_USAGE, "missing operand: %s", command->operands);
    if (session->args.operands > command->max)
        return cli_fail(session, CLI_USAGE, "unexpected argument: %s",
                        session->args.operand[command->max]);
    session->ctx = foray_context_create();
    if (!session->ctx)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    if (session->level && fy_level_set(session->ctx, session->level) < 0)
        return cli_status(session, FORAY_ERROR_USAGE);
    cli_exit code = cli_options_check(session);
    if (code != CLI_DONE)
        return code;
    foray_context_set_threads(session->ctx, threads_wanted(session));
    session->json = cli_has(session, "json");
    code = keep_quiet(session);
    cli_progress_configure(command->name, cli_has(session, "quiet"), wants_lines(session));
    return code == CLI_DONE ? command->run(session) : code;
}

cli_exit cli_command_run(const cli_command *command, const char *level, int64_t words,
                         char *const *word)
{
    cli_session session = {.command = command, .level = level};
    char problem[CLI_ARGS_PROBLEM];
    cli_exit code;
    if (!cli_command_options(command, &session.options))
        return cli_fail(&session, CLI_BAD_INPUT, "out of memory");
    if (cli_args_parse(&session.options, words, word, &session.args, problem))
        code = run_parsed(&session);
    else if (*problem)
        code = cli_fail(&session, CLI_USAGE, "%s", problem);
    else
        code = cli_fail(&session, CLI_BAD_INPUT, "out of memory");
    foray_context_destroy(session.ctx);
    cli_inputs_free(session.inputs);
    cli_args_destroy(&session.args);
    cli_options_destroy(&session.options);
    return code;
}
