/* check_world.c - foray check-world: does a system keep the contract? */
#include <stdio.h>

#include "report.h"

typedef struct findings {
    cli_report report;
    int64_t passed, failed, skipped;
} findings;

static const char *const result_name[] = {
    [FORAY_CHECK_PASSED] = "passed",
    [FORAY_CHECK_FAILED] = "failed",
    [FORAY_CHECK_SKIPPED] = "skipped",
};

static void report_check(cli_report *report, const foray_check *check)
{
    cli_report_open(report, NULL);
    cli_report_text(report, "name", check->name);
    cli_report_text(report, "rule", check->rule);
    cli_report_text(report, "result", result_name[check->result]);
    cli_report_text(report, "detail", check->detail);
    cli_report_close(report);
}

static void take(void *user, const foray_check *check)
{
    findings *found = user;
    found->passed += check->result == FORAY_CHECK_PASSED;
    found->failed += check->result == FORAY_CHECK_FAILED;
    found->skipped += check->result == FORAY_CHECK_SKIPPED;
    if (found->report.json) {
        report_check(&found->report, check);
        return;
    }
    printf("%-8s %-11s %s\n", result_name[check->result], check->name, check->rule);
    printf("%21s", "");
    cli_put(stdout, 0, check->detail);
    printf("\n");
    fflush(stdout);
}

/* A world that answers wrongly is an answer (1), one that is gone an error (4). */
static cli_exit conclude(cli_session *session, findings *found, foray_status status)
{
    const char *text = session->args.operand[0];
    if (status != FORAY_OK && status != FORAY_ERROR_WORLD) {
        cli_report_drop(&found->report);
        return cli_status(session, status);
    }
    if (found->report.json)
        cli_report_close(&found->report);
    else
        printf("\n");
    cli_report_integer(&found->report, "passed", found->passed);
    cli_report_integer(&found->report, "failed", found->failed);
    cli_report_integer(&found->report, "skipped", found->skipped);
    cli_report_flag(&found->report, "conforms", found->failed == 0);
    cli_exit code = cli_report_end(&found->report, session);
    if (code == CLI_DONE)
        code = cli_status(session, status);
    if (code == CLI_DONE && found->failed > 0)
        code = cli_fail(session, CLI_NOT_MET, "%s does not keep the contract", text);
    return code;
}

static cli_exit run(cli_session *session)
{
    const char *text = session->args.operand[0];
    foray_system *system = NULL;
    findings found = {.passed = 0};
    int64_t draws = 5000, seed = 1, failed;
    cli_exit code = cli_option_integer(session, "draws", 2, 1000000000, &draws);
    if (code == CLI_DONE)
        code = cli_option_integer(session, "seed", 0, INT64_MAX, &seed);
    if (code == CLI_DONE)
        code = cli_status(session, foray_system_open(session->ctx, text, &system));
    if (code != CLI_DONE)
        return code;
    cli_report_begin(&found.report, session);
    if (session->json) {
        cli_report_text(&found.report, "world", text);
        cli_report_open_list(&found.report, "checks");
    }
    foray_status status =
        foray_system_check(session->ctx, system, draws, (uint64_t)seed, take, &found, &failed);
    code = conclude(session, &found, status);
    foray_system_destroy(system);
    return code;
}

static const cli_option options[] = {
    {.name = "draws",
     .value = "N",
     .fallback = "5000",
     .help = "draws for each of the (s,a) where reality is compared with the simulators"},
    {.name = "seed", .value = "N", .fallback = "1", .help = "seed of the questions"},
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    {0},
};

const cli_command cli_check_world = {
    .name = "check-world",
    .summary = "check that a system, a plug-in or a program keeps the contract of worlds",
    .operands = "SYSTEM",
    .least = 1,
    .most = 1,
    .words = CLI_WORDS_WORLD,
    .description =
        "Asks a system (pendulum), a plug-in (plugin:PATH[:TEXT]) or a program\n"
        "(exec:COMMAND) questions of all kinds and checks the answers: that they are\n"
        "states, that they depend on state, action, simulator and draw and on nothing\n"
        "else, that reality is a mixture of the simulators (a true one fails with\n"
        "probability 10^-6), that rewards lie in [0,1]; and measures how fast they come.\n"
        "Exit code 1: it answers, but some check failed; 4: it does not start, or was lost\n"
        "on the way. Time limits of a program: exec:[timeout=S,start=S,grace=S]COMMAND.",
    .options = options,
    .exits = {CLI_NOT_MET, CLI_BAD_INPUT, CLI_WORLD_FAILED},
    .examples = "foray check-world pendulum\n"
                "foray check-world tank --json\n",
    .run = run,
};
