/* world_check.c - foray world check: does a system keep the contract? */
#include <stdio.h>

#include "conform.h"
#include "output.h"
#include "view.h"

typedef struct findings {
    cli_output output;
    int64_t passed, failed, skipped;
} findings;

static const char *const result_name[] = {
    [CLI_CHECK_PASSED] = "passed",
    [CLI_CHECK_FAILED] = "failed",
    [CLI_CHECK_SKIPPED] = "skipped",
};

static void output_check(cli_output *output, const cli_check *check)
{
    cli_output_open(output, NULL);
    cli_output_text(output, "name", check->name);
    cli_output_text(output, "rule", check->rule);
    cli_output_text(output, "result", result_name[check->result]);
    cli_output_text(output, "detail", check->detail);
    cli_output_close(output);
}

static void take(void *user, const cli_check *check)
{
    findings *found = user;
    found->passed += check->result == CLI_CHECK_PASSED;
    found->failed += check->result == CLI_CHECK_FAILED;
    found->skipped += check->result == CLI_CHECK_SKIPPED;
    if (found->output.as_json) {
        output_check(&found->output, check);
        return;
    }
    printf("%-8s %-11s %s\n", result_name[check->result], check->name, check->rule);
    printf("%21s", "");
    cli_put(stdout, 0, check->detail);
    printf("\n");
    fflush(stdout);
}

/* A world that answers wrongly is an answer (1), one that stopped is an error (4). */
static cli_exit conclude(cli_session *session, findings *found, foray_status status)
{
    const char *text = session->args.operand[0];
    if (status != FORAY_OK && status != FORAY_ERROR_WORLD)
        return cli_output_end(&found->output, session, cli_status(session, status));
    if (found->output.as_json)
        cli_output_close(&found->output);
    else
        printf("\n");
    cli_output_integer(&found->output, "passed", found->passed);
    cli_output_integer(&found->output, "failed", found->failed);
    cli_output_integer(&found->output, "skipped", found->skipped);
    cli_output_flag(&found->output, "conforms", found->failed == 0);
    cli_exit code = cli_output_end(&found->output, session, CLI_DONE);
    if (code == CLI_DONE)
        code = cli_status(session, status);
    if (code == CLI_DONE && found->failed > 0)
        code = cli_fail(session, CLI_NOT_MET, "%s does not keep the contract", text);
    return code;
}

static cli_exit run_check(cli_session *session)
{
    const char *text = session->args.operand[0];
    foray_system *system = NULL;
    findings found = {.passed = 0};
    int64_t draws = cli_integer(session, "draws"), seed = cli_integer(session, "seed"), failed;
    cli_exit code = cli_view_check_typed(session, text);
    if (code == CLI_DONE)
        code = cli_system_open(session, text, &system);
    if (code != CLI_DONE)
        return code;
    cli_output_begin(&found.output, session);
    if (session->json) {
        cli_output_text(&found.output, "world", text);
        cli_output_open_list(&found.output, "checks");
    }
    foray_status status =
        cli_system_conform(session->ctx, system, draws, (uint64_t)seed, take, &found, &failed);
    code = conclude(session, &found, status);
    foray_system_destroy(system);
    return code;
}

static const cli_option options[] = {
    CLI_INTEGER(0, "draws", "N", "5000", 2, 1000000000,
                "draws for each (s,a) at which reality is compared with the simulators"),
    CLI_INTEGER(0, "seed", "N", "1", 0, CLI_UNBOUNDED, "seed of the questions"),
    CLI_OPTION_CONTAIN,
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_world_check = {
    .name = "world check",
    .group = CLI_GROUP_EXPLORE,
    .summary = "check that a system, a plug-in or a program keeps the contract",
    .operands = "SYSTEM",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_WORLD,
    .description =
        "Asks a system (pendulum), a plug-in (plugin:PATH[:TEXT]) or a program\n"
        "(exec:COMMAND) questions of all kinds and checks the answers: that they are states,\n"
        "that they depend only on state, action, simulator and draw, that reality is a\n"
        "mixture of the simulators (a true mixture fails with probability 10^-6), and that\n"
        "rewards lie in [0,1]; and measures the speed. Exit code 1: it answers, but a check\n"
        "failed; 4: it does not start, or stopped on the way. Time limits of a program:\n"
        "exec:[timeout=S,start=S,grace=S]COMMAND.",
    .options = options,
    .exits = {CLI_NOT_MET, CLI_BAD_INPUT, CLI_WORLD_FAILED},
    .examples = "foray world check pendulum\n"
                "foray world check tank --json\n",
    .run = run_check,
};
