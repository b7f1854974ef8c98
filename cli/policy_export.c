/* policy_export.c - foray policy export: policies for use elsewhere. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "export/export.h"

enum { TO_CSV, TO_C };

/* By --to, or by the ending of the path. */
static cli_exit choose_format(cli_session *session, const char *path, int *format)
{
    size_t length = strlen(path);
    if (cli_has(session, "to")) {
        *format = cli_choice(session, "to");
        return CLI_DONE;
    }
    if (length > 2 && strcmp(path + length - 2, ".c") == 0)
        *format = TO_C;
    else if (length > 4 && strcmp(path + length - 4, ".csv") == 0)
        *format = TO_CSV;
    else
        return cli_fail(session, CLI_USAGE, "-o %s: give --to csv or --to c", path);
    return CLI_DONE;
}

/* "plans/Room 8.c" becomes Room_8: what C can call a function. */
static void name_of(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path;
    const char *dot = strrchr(stem, '.');
    size_t length = dot && dot > stem ? (size_t)(dot - stem) : strlen(stem);
    if (cli_is_stdout(path)) {
        stem = "policy";
        length = strlen(stem);
    }
    snprintf(name, size, "%s%.*s", isalpha((unsigned char)stem[0]) ? "" : "p", (int)length, stem);
    for (char *c = name; *c; c++)
        if ((unsigned char)*c > 126 || !isalnum((unsigned char)*c))
            *c = '_';
}

static cli_exit export_policy(cli_session *session, const foray_policy *policy, int format,
                              const char *path)
{
    char name[128], *text = NULL;
    size_t size = 0;
    name_of(path, name, sizeof name);
    foray_status status = format == TO_C
                              ? fy_policy_print_c(session->ctx, policy, name, &text, &size)
                              : fy_policy_print_csv(session->ctx, policy, &text, &size);
    cli_exit code = cli_status(session, status);
    if (code == CLI_DONE)
        code = cli_destination_write(session, path, text, size);
    foray_free(text);
    return code;
}

static cli_exit run_export(cli_session *session)
{
    const char *path = cli_value(session, "output");
    foray_policy *policy = NULL;
    int format = TO_CSV;
    if (!path)
        return cli_fail(session, CLI_USAGE, "-o FILE is missing (- is standard output)");
    cli_exit code = choose_format(session, path, &format);
    if (code == CLI_DONE)
        code = cli_destination_check(session, path);
    if (code == CLI_DONE)
        code =
            cli_status(session, foray_policy_load(session->ctx, session->args.operand[0], &policy));
    if (code == CLI_DONE)
        code = export_policy(session, policy, format, path);
    foray_policy_destroy(policy);
    return code;
}

static const cli_option options[] = {
    CLI_CHOICE(0, "to", "FORMAT", NULL, "csv|c",
               "format to write; by default, determined by the ending .csv or .c"),
    CLI_FILE('o', "output", "FILE", "the file to write (- is standard output)"),
    CLI_OPTION_FORCE,
    CLI_END,
};

const cli_command cli_policy_export = {
    .name = "policy export",
    .group = CLI_GROUP_CARRY,
    .summary = "write a policy as CSV, or as a C file that needs nothing else",
    .operands = "POLICY",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_FILE,
    .description =
        "As CSV: the columns step,state,action, all by number; an empty step means every\n"
        "step. 'foray certify' and 'foray evaluate' read it.\n"
        "\n"
        "As C: one C99 file with the tables and a function\n"
        "    int NAME_action(int step, int state)\n"
        "or, if the policy is about clusters of vectors,\n"
        "    int NAME_action(int step, const double *state)\n"
        "that returns what 'foray act --numbers' prints, or -1 if there is no such step or\n"
        "state. NAME is the name of the file without its ending. A mixture has two:\n"
        "    int NAME_part(double u)      once per episode, u drawn from [0,1)\n"
        "    int NAME_action(int part, int step, int state)\n"
        "Policies that draw their actions are written as CSV, with a column probability;\n"
        "mixtures have the columns part and odds there.",
    .options = options,
    .exits = {CLI_BAD_INPUT},
    .examples = "foray plan riverswim -r goal:5 -o policy.json\n"
                "foray policy export policy.json --to csv -o policy.csv\n"
                "foray policy export policy.json -o swim.c\n",
    .run = run_export,
};
