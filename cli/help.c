/* help.c - foray help, and --help of every command. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { LEFT = 30, WIDTH = 80 };

/* ------------------------------------------------------------------- one option */

void cli_help_flag(const cli_option *option, char *text, size_t size)
{
    char letter[8] = "";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(text, size, "%s--%s%s%s", letter, option->is.name, option->value ? " " : "",
             option->value ? option->value : "");
}

/* Appends to a text of `size` bytes; what does not fit is cut off. */
static void append(char *text, size_t size, const char *more)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", more);
}

static void append_algorithms(char *text, size_t size)
{
    const char *name;
    for (int64_t i = 0; foray_algorithm_describe(i, &name, NULL); i++) {
        append(text, size, i ? "|" : "");
        append(text, size, name);
    }
}

void cli_help_text(const cli_option *option, char *text, size_t size)
{
    snprintf(text, size, "%s", option->is.help);
    if (option->is.choices || option->words == CLI_WORDS_ALGORITHM)
        append(text, size, ": ");
    if (option->is.choices)
        append(text, size, option->is.choices);
    if (option->words == CLI_WORDS_ALGORITHM)
        append_algorithms(text, size);
    if (option->is.fallback) {
        append(text, size, " [");
        append(text, size, option->is.fallback);
        append(text, size, "]");
    }
}

/* How much of a text must stay on one line: up to a space, or in a word that is longer than a
 * line up to the last '|' or ',' that fits. */
static int piece(const char *text, int room)
{
    int length = (int)strcspn(text, " "), fits = 0;
    for (int i = 0; length > room && i < room; i++)
        if (text[i] == '|' || text[i] == ',')
            fits = i + 1;
    return fits > 0 ? fits : length;
}

void cli_help_wrapped(const char *text, int indent)
{
    int column = indent;
    while (*text) {
        int length = piece(text, WIDTH - indent);
        if (column > indent && column + 1 + length > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        column += printf("%s%.*s", column > indent ? " " : "", length, text);
        if (text[length] && text[length] != ' ')
            column = WIDTH;
        text += length + (text[length] == ' ');
    }
    printf("\n");
}

static void print_option(const cli_option *option)
{
    char flag[64], text[512];
    cli_help_flag(option, flag, sizeof flag);
    cli_help_text(option, text, sizeof text);
    int used =
        printf("  %s%-*s", option->letter ? "" : "    ", LEFT - 2 - (option->letter ? 0 : 4), flag);
    if (used > LEFT)
        printf("\n%*s", LEFT, "");
    cli_help_wrapped(text, LEFT);
}

/* ------------------------------------------------------------------ one command */

/* Is this exit code one that the command can end with? */
static bool may_exit(const cli_command *command, cli_exit code)
{
    if (code == CLI_DONE || code == CLI_USAGE)
        return true;
    for (int i = 0; i < CLI_MAX_EXITS; i++)
        if (command->exits[i] == code)
            return true;
    return false;
}

static void print_examples(const cli_command *command)
{
    printf("\nexamples:\n");
    for (const char *line = command->examples; *line; line += strcspn(line, "\n") + 1)
        printf("  $ %.*s\n", (int)strcspn(line, "\n"), line);
}

/* One line: all that help says, or its first clause with choices and default, or without the
 * one or the other, as it fits. The manual has everything. */
static void print_brief(const cli_option *option)
{
    const foray_parameter *is = &option->is;
    const char *choices = is->choices ? is->choices : "";
    char flag[64], fallback[300] = "", text[512];
    int room = WIDTH - LEFT, clause = (int)strcspn(is->help, ";:");
    if (is->fallback)
        snprintf(fallback, sizeof fallback, " [%s]", is->fallback);
    cli_help_flag(option, flag, sizeof flag);
    cli_help_text(option, text, sizeof text);
    if ((int)strlen(text) > room)
        snprintf(text, sizeof text, "%.*s%s%s%s", clause, is->help, *choices ? ": " : "", choices,
                 fallback);
    if ((int)strlen(text) > room && *choices)
        snprintf(text, sizeof text, "%s%s", choices, fallback);
    if ((int)strlen(text) > room)
        snprintf(text, sizeof text, "%.*s", clause, is->help);
    printf("  %s%-*s%s\n", option->letter ? "" : "    ", LEFT - 2 - (option->letter ? 0 : 4), flag,
           text);
}

bool cli_option_is_of(const cli_option *option, const char *algorithms)
{
    char name[64];
    const foray_parameter *row;
    for (size_t length; *algorithms; algorithms += length + (algorithms[length] == ',')) {
        length = strcspn(algorithms, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, algorithms);
        for (int64_t i = 0; (row = foray_setting_describe(name, i)); i++)
            if (strcmp(row->help, option->is.help) == 0)
                return true;
    }
    return false;
}

const char *cli_help_heading(const cli_options *options, const cli_option *option)
{
    return option == options->row                  ? "options"
           : option->group == CLI_OPTIONS_RESEARCH ? "settings for research"
                                                   : "more options";
}

/* Commands that take settings have too many options for all that can be said of each. */
static void print_options(const cli_command *command, const cli_options *options,
                          const char *algorithms)
{
    bool any = false;
    for (int64_t i = 0; i < options->count; i++) {
        const cli_option *option = &options->row[i];
        if (option->group == CLI_OPTIONS_OWN)
            continue;
        if (i == 0 || option->group != option[-1].group)
            printf("\n%s:\n", cli_help_heading(options, option));
        bool brief = command->takes_settings && option->group != CLI_OPTIONS_OFTEN;
        (brief ? print_brief : print_option)(option);
    }
    for (int64_t i = 0; algorithms && i < options->count; i++) {
        if (options->row[i].group != CLI_OPTIONS_OWN ||
            !cli_option_is_of(&options->row[i], algorithms))
            continue;
        if (!any)
            printf("\nsettings of %s:\n", algorithms);
        any = true;
        print_option(&options->row[i]);
    }
    if (command->takes_settings && !algorithms)
        printf("\nMore: 'foray %s -a NAME --help' (its own settings), 'foray help --manual'.\n",
               command->name);
}

void cli_help_command(const cli_command *command, const cli_options *options,
                      const char *algorithms)
{
    const char *paragraph = strstr(command->description, "\n\n");
    int shown = command->takes_settings && paragraph ? (int)(paragraph - command->description)
                                                     : (int)strlen(command->description);
    printf("usage: foray %s%s%s [options]\n\n%.*s\n", command->name, *command->operands ? " " : "",
           command->operands, shown, command->description);
    print_options(command, options, algorithms);
    printf("\nexit codes:\n");
#define PRINT_EXIT(name, value, text)                                                              \
    if (may_exit(command, name))                                                                   \
        printf("  %-4d %s\n", value, text);
    CLI_EXIT_LIST(PRINT_EXIT)
#undef PRINT_EXIT
    print_examples(command);
}

/* ------------------------------------------------------------------ all commands */

static void print_row(const char *name, const char *summary)
{
    printf("  %-15s %s\n", name, summary);
}

static bool is_experiment(const cli_command *command)
{
    const cli_command *one;
    for (int64_t i = 0; (one = cli_lab_command(i)); i++)
        if (one == command)
            return true;
    return false;
}

/* The experiments of the lab stand in one row: "foray lab --help" has them all. */
static void print_group(cli_group group)
{
    const cli_command *command;
    for (int64_t i = 0; (command = cli_command_at(i)); i++)
        if (command->group == group && !is_experiment(command))
            print_row(command->name, command->summary);
    if (group == CLI_GROUP_RESEARCH)
        print_row("lab NAME", "run one experiment; 'foray lab --help' names them");
}

void cli_help_group(const char *group)
{
    const cli_command *command;
    size_t length = strlen(group);
    printf("usage: foray %s COMMAND ...\n\ncommands:\n", group);
    for (int64_t i = 0; (command = cli_command_at(i)); i++)
        if (strncmp(command->name, group, length) == 0 && command->name[length] == ' ')
            print_row(command->name, command->summary);
    printf("\n"
           "Run 'foray %s COMMAND --help' for details.\n",
           group);
}

void cli_help_overview(void)
{
    printf("usage: foray COMMAND ...\n"
           "\n"
           "Explores a world once, without a reward, and then plans for any reward, with a\n"
           "certificate of how close each plan is to the best policy.\n");
#define PRINT_GROUP(group, heading)                                                                \
    printf("\n" heading ":\n");                                                                    \
    print_group(group);
    CLI_GROUP_LIST(PRINT_GROUP)
#undef PRINT_GROUP
    printf("\noptions:\n"
           "  -h, --help      print this help and exit\n"
           "  -V, --version   print the version and exit\n"
           "\n"
           "Run 'foray COMMAND --help' for details and examples. To get started:\n"
           "  $ foray explore rooms -o rooms.foray\n"
           "  $ foray plan rooms.foray -r goal:92 --truth --map\n");
}

/* -------------------------------------------------------------------- foray help */

static cli_exit unknown_command(cli_session *session)
{
    const cli_args *args = &session->args;
    char typed[128];
    bool two = args->operands > 1;
    snprintf(typed, sizeof typed, "%s%s%s", args->operand[0], two ? " " : "",
             two ? args->operand[1] : "");
    const char *nearest = cli_command_nearest(typed);
    if (nearest)
        return cli_fail(session, CLI_USAGE, "there is no command '%s'; did you mean '%s'?", typed,
                        nearest);
    return cli_fail(session, CLI_USAGE, "there is no command '%s'; 'foray help' lists them", typed);
}

static cli_exit help_for_words(cli_session *session)
{
    const cli_args *args = &session->args;
    cli_options its_options;
    int64_t used = 0;
    if (args->operands == 1 && cli_command_is_group(args->operand[0])) {
        cli_help_group(args->operand[0]);
        return CLI_DONE;
    }
    const cli_command *command = cli_command_find(args->operands, args->operand, &used);
    if (!command || used < args->operands)
        return unknown_command(session);
    if (!cli_command_options(command, &its_options))
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    cli_help_command(command, &its_options, NULL);
    cli_options_destroy(&its_options);
    return CLI_DONE;
}

/* foray help --manual lab coverage: foray-lab-coverage(1). */
static cli_exit print_manual(cli_session *session)
{
    const cli_args *args = &session->args;
    char page[64];
    snprintf(page, sizeof page, "%s%s%s", args->operands > 0 ? args->operand[0] : "",
             args->operands > 1 ? " " : "", args->operands > 1 ? args->operand[1] : "");
    if (!cli_manual_print(page))
        return cli_fail(session, CLI_USAGE, "the manual has no page about '%s'", page);
    return CLI_DONE;
}

static cli_exit run_help(cli_session *session)
{
    const cli_args *args = &session->args;
    if (cli_has(session, "complete")) {
        cli_complete_print(args->operands, args->operand);
        return CLI_DONE;
    }
    if (args->operands > 2)
        return cli_fail(session, CLI_USAGE, "unexpected argument: %s", args->operand[2]);
    if (cli_has(session, "manual"))
        return print_manual(session);
    if (args->operands > 0)
        return help_for_words(session);
    cli_help_overview();
    return CLI_DONE;
}

static const cli_option options[] = {
    CLI_SWITCH("manual", "print the manual page of foray, a command or 'algorithms', for man(1)"),
    CLI_SWITCH("complete", "print the completions of the last word after --, for shells"),
    CLI_END,
};

const cli_command cli_help = {
    .name = "help",
    .group = CLI_GROUP_SHOW,
    .summary = "print help about foray or one of its commands",
    .operands = "[COMMAND]",
    .min = 0,
    .max = INT64_MAX,
    .words = CLI_WORDS_COMMAND,
    .description = "Prints the list of commands, or what 'foray COMMAND --help' prints.",
    .options = options,
    .answers = true,
    .examples = "foray help\n"
                "foray help world export\n"
                "foray help --complete -- explore --rad\n",
    .run = run_help,
};
