/* bound.c - foray bound: the certificate for all rewards at once. */
#include <stdio.h>

#include "report.h"

static cli_exit tell(cli_session *session, foray_run *run, const foray_certificate *bound)
{
    cli_report report;
    int64_t horizon = foray_model_horizon(foray_run_model(run));
    cli_report_begin(&report, session);
    cli_report_integer(&report, "episodes", foray_run_saved(run));
    cli_report_integer(&report, "horizon", horizon);
    cli_report_real(&report, "gap", bound->gap);
    cli_report_real(&report, "delta", bound->delta);
    cli_report_text(&report, "radius", foray_radius_name(bound->radius));
    cli_report_text(&report, "status", cli_certainty(bound));
    cli_report_flag(&report, "vacuous", cli_vacuous(bound, foray_run_model(run)));
    return cli_report_end(&report, session);
}

static cli_exit run(cli_session *session)
{
    foray_run *run = NULL;
    foray_certificate bound;
    const char *path = session->args.operand[0];
    cli_exit code = cli_status(session, foray_run_open(session->ctx, path, FORAY_RUN_READ, &run));
    if (code == CLI_DONE)
        code = cli_status(session, foray_explorer_bound(foray_run_explorer(run), &bound));
    if (code == CLI_DONE)
        code = tell(session, run, &bound);
    foray_run_close(run);
    return code;
}

static const cli_option options[] = {CLI_OPTION_JSON, CLI_OPTION_THREADS, {0}};

const cli_command cli_bound = {
    .name = "bound",
    .summary = "print the certificate of a run for all rewards at once",
    .operands = "RUN",
    .least = 1,
    .most = 1,
    .words = CLI_WORDS_FILE,
    .description = "Prints a bound on what the optimistic plan can lose against the best policy,\n"
                   "whatever the reward will be; the gap of a run that has learnt nothing is the\n"
                   "horizon. The certificate of one reward ('foray plan') is much smaller.",
    .options = options,
    .exits = {CLI_BAD_INPUT, CLI_BAD_RUN},
    .examples = "foray explore riverswim -k 2000 -o river.foray\n"
                "foray bound river.foray\n"
                "foray bound river.foray --json\n",
    .run = run,
};
