/* manual.c - the manual, from the same tables as --help: foray(1), a page foray-COMMAND(1) for
 * each command, and foray-algorithms(7). The build writes them to files by scripts/manual. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* Of the last change to what the manual says. */
#define DATE "2026-11-15"

/* Text with what troff would take for markup made plain. */
static void print_plain(const char *text)
{
    bool line_begins = true;
    for (; *text; text++) {
        if (line_begins && (*text == '.' || *text == '\''))
            printf("\\&");
        if (*text == '\\')
            printf("\\e");
        else if (*text == '-')
            printf("\\-");
        else if (*text == '^')
            printf("\\(ha");
        else if (*text == '~')
            printf("\\(ti");
        else if (*text == '\'')
            printf("\\(aq");
        else if (*text == '|')
            printf("|\\:"); /* where a line may break, rather than within a word */
        else
            putchar(*text);
        line_begins = *text == '\n';
    }
}

/* Paragraphs are separated by empty lines. */
static void print_paragraphs(const char *text)
{
    const char *gap;
    char paragraph[1024];
    while ((gap = strstr(text, "\n\n"))) {
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)(gap - text), text);
        print_plain(paragraph);
        printf("\n.PP\n");
        text = gap + 2;
    }
    print_plain(text);
    printf("\n");
}

static void print_option(const cli_option *option)
{
    char flag[64], text[512];
    cli_help_flag(option, flag, sizeof flag);
    cli_help_text(option, text, sizeof text);
    printf(".TP\n.B ");
    print_plain(flag);
    printf("\n");
    print_plain(text);
    printf("\n");
}

/* ".TH" and ".SH NAME" of a page about `words`, such as "lab coverage". Its lines are not
 * stretched: flags and choices are long words. */
static void print_title(const char *words, int section, const char *summary)
{
    char page[64];
    snprintf(page, sizeof page, "foray%s%s", *words ? "-" : "", words);
    for (char *c = page; *c; c++)
        *c = *c == ' ' ? '-' : *c;
    printf(".TH ");
    for (const char *c = page; *c; c++)
        putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    printf(" %d %s \"Foray %s\" \"%s\"\n.ad l\n.SH NAME\n", section, DATE, foray_version(),
           section == 1 ? "User Commands" : "Miscellanea");
    print_plain(page);
    printf(" \\- ");
    print_plain(summary);
    printf("\n");
}

static void print_command(const cli_command *command)
{
    cli_options options;
    if (!cli_command_options(command, &options))
        return;
    print_title(command->name, 1, command->summary);
    printf(".SH SYNOPSIS\n.B foray %s\n%s [options]\n.SH DESCRIPTION\n", command->name,
           command->operands);
    print_paragraphs(command->description);
    printf(".SH OPTIONS\n");
    for (int64_t i = 0; i < options.count && options.row[i].group != CLI_OPTIONS_OWN; i++) {
        if (i > 0 && options.row[i].group != options.row[i - 1].group)
            printf(".SS %s\n", cli_help_heading(&options, &options.row[i]));
        print_option(&options.row[i]);
    }
    if (command->takes_settings)
        printf(".PP\nAlgorithms have further settings: see\n.BR foray\\-algorithms (7).\n");
    printf(".SH EXAMPLES\n.nf\n");
    print_plain(command->examples);
    printf(".fi\n.SH SEE ALSO\n.BR foray (1)\n");
    cli_options_destroy(&options);
}

static void print_worlds(void)
{
    foray_world_info info;
    printf(".SH WORLDS\nA built-in world is written NAME or NAME:key=value,key=value.\n"
           "The last ones are systems: their states are vectors, seen through clusters.\n"
           "SYSTEM@grid:41x41,draws=1000 says through which clusters, and how precisely.\n"
           "Systems of your own are written plugin:PATH or exec:COMMAND.\n");
    for (int64_t i = 0; cli_world_at(i, &info); i++) {
        printf(".TP\n.B %s\n", info.name);
        print_plain(info.summary);
        printf(" Parameters:");
        for (int64_t j = 0; j < info.parameters; j++)
            printf(" %s=%s%s", info.parameter[j].name, info.parameter[j].fallback,
                   j + 1 < info.parameters ? "," : ".");
        printf("\n");
    }
}

/* The settings that only some algorithms have, this one among them. */
static void print_own_settings(const char *algorithm)
{
    const foray_parameter *row;
    int64_t common = 0;
    while (foray_setting_describe(NULL, common))
        common++;
    if (foray_setting_describe(algorithm, common))
        printf(".RS\n");
    for (int64_t i = common; (row = foray_setting_describe(algorithm, i)); i++) {
        char name[64];
        cli_option option = {.is = *row,
                             .value = row->kind == FORAY_CHOICE ? "WHICH"
                                      : row->kind == FORAY_REAL ? "X"
                                                                : "N"};
        snprintf(name, sizeof name, "%s", row->name);
        for (char *c = name; *c; c++)
            *c = *c == '_' ? '-' : *c;
        option.is.name = name;
        print_option(&option);
    }
    if (foray_setting_describe(algorithm, common))
        printf(".RE\n");
}

static void print_algorithms(void)
{
    const char *name, *summary;
    print_title("algorithms", 7, "exploration algorithms and their settings");
    printf(".SH DESCRIPTION\nEach algorithm is listed with its own settings; those that all share "
           "are in\n.BR foray\\-explore (1).\n");
    for (int64_t i = 0; foray_algorithm_describe(i, &name, &summary); i++) {
        printf(".TP\n.B ");
        print_plain(name);
        printf("\n");
        print_plain(summary);
        printf("\n");
        print_own_settings(name);
    }
    printf(".SH SEE ALSO\n.BR foray (1),\n.BR foray\\-explore (1)\n");
}

static void print_formats(void)
{
    print_plain("Indices count from 0. Unknown keys are an error. In a reward, null means all, "
                "later entries override earlier ones, and values lie in [0,1].\n");
    printf(".PP\n.nf\n.RS\n");
    print_plain(
        "model   {\"format\":\"foray-model\",\"version\":1,\"name\":TEXT,\n"
        "         \"states\":S,\"actions\":A,\"horizon\":H,\"dim\":d,\"norm_bound\":B,\n"
        "         \"initial\":[[state,prob],...],\n"
        "         \"features\":[[s,a,next,[[i,value],...]],...],\n"
        "         \"theta\":[...],  (optional: makes the model a world)\n"
        "         \"feature_error\":x,  (optional: features are estimates)\n"
        "         \"feature_delta\":x,  (optional: and may be worse with this probability)\n"
        "         \"state_names\":[...],\"action_names\":[...],\n"
        "         \"layout\":{\"kind\":\"grid\",\"rows\":R,\"cols\":C,\n"
        "                   \"cell\":[[state,row,col],...]}}  (optional)\n"
        "reward  {\"format\":\"foray-reward\",\"version\":1,\"name\":TEXT,\n"
        "         \"default\":x,\"entries\":[[h|null,s|null,a|null,value],...]}\n"
        "policy  {\"format\":\"foray-policy\",\"version\":1,\"states\":S,\"actions\":A,\n"
        "         \"horizon\":H,\"mode\":MODE,\"action\":[[from_step,[...]],...],\n"
        "         \"value\":{...},\"certificate\":{...},\"reward\":{...},...}\n");
    printf(".RE\n.fi\n");
}

static void print_end(void)
{
    printf(".SH EXIT STATUS\n");
#define PRINT_EXIT(name, value, text) printf(".TP\n.B %d\n%s\n", value, text);
    CLI_EXIT_LIST(PRINT_EXIT)
#undef PRINT_EXIT
    printf(".SH FILES\n");
    print_formats();
    printf(".PP\n"
           "A run is one SQLite database. While it is being written there are files next to it "
           "with the endings\n.B \\-wal\nand\n.BR \\-shm :\nthey are part of it.\n");
    printf(".SH NOTES\n");
    print_plain("Results go to standard output, messages to standard error; progress is shown on "
                "standard error, only if that is a terminal. The same seed and version give the "
                "same results to the last bit, on every machine and with any number of threads.\n");
}

/* A line for each command. */
static void print_group(cli_group group)
{
    const cli_command *command;
    for (int64_t i = 0; (command = cli_command_at(i)); i++) {
        if (command->group != group)
            continue;
        printf(".TP\n.BI \"foray %s \" \"%s\"\n", command->name, command->operands);
        print_plain(command->summary);
        printf("\n");
    }
}

static void print_overview(void)
{
    print_title("", 1, "explore once without a reward, then plan for any reward");
    printf(".SH SYNOPSIS\n.B foray\nCOMMAND [operands] [options]\n.br\n"
           ".B foray\nCOMMAND \\-\\-help\n.br\n.B foray\n\\-V | \\-\\-version\n.SH DESCRIPTION\n");
    print_plain("Foray explores an unknown world once, without a reward, and then plans a "
                "near-optimal policy for every reward that is asked for later, with a certificate "
                "of how close it is to optimal. An option that takes a value is written --name "
                "value or --name=value; defaults are in brackets.\n");
    printf(".SH COMMANDS\nEach has a page of its own:\n.BR foray\\-plan (1),\n"
           ".BR foray\\-lab\\-coverage (1)\nand so on. Algorithms and their settings are in\n"
           ".BR foray\\-algorithms (7).\n");
#define PRINT_GROUP(group, heading)                                                                \
    printf(".SS " heading "\n");                                                                   \
    print_group(group);
    CLI_GROUP_LIST(PRINT_GROUP)
#undef PRINT_GROUP
    print_worlds();
    print_end();
}

bool cli_manual_print(const char *page)
{
    const cli_command *command;
    if (strcmp(page, "") == 0)
        print_overview();
    else if (strcmp(page, "algorithms") == 0)
        print_algorithms();
    for (int64_t i = 0; (command = cli_command_at(i)); i++)
        if (strcmp(command->name, page) == 0) {
            print_command(command);
            return true;
        }
    return strcmp(page, "") == 0 || strcmp(page, "algorithms") == 0;
}
