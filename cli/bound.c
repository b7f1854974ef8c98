/* bound.c - foray bound: the certificate for all rewards at once. */
#include <stdio.h>

#include "output.h"
#include "explore/explorer.h"
#include "run/run.h"
#include "progress.h"

static void show_one(cli_output *output, foray_run *run, const foray_certificate *bound)
{
    foray_explorer *explorer = foray_run_explorer(run);
    cli_output_text(output, "plan", foray_mode_name(fy_explorer_bound_plan(explorer)));
    cli_output_real(output, "gap", bound->gap);
    cli_output_real(output, "delta", bound->delta);
    cli_output_text(output, "radius", foray_radius_name(bound->radius));
    cli_output_text(output, "status", foray_certificate_status(bound));
    if (output->as_json || !cli_proved(bound))
        cli_output_text(output, "because", foray_certificate_because(bound));
    cli_output_flag(output, "vacuous", bound->vacuous);
}

/* The other bound: that of the algorithm, by the radius of its exploration. */
static void show_own(cli_output *output, foray_run *run, foray_radius shown)
{
    foray_explorer *explorer = foray_run_explorer(run);
    foray_certificate bound;
    if ((shown != FORAY_RADIUS_LIKELIHOOD && shown != FORAY_RADIUS_REFIT) ||
        foray_run_settings(run)->radius == FORAY_RADIUS_LIKELIHOOD ||
        foray_explorer_certify_by(explorer, foray_run_settings(run)->radius) != FORAY_OK ||
        foray_explorer_bound(explorer, FORAY_KIND_PAIR, &bound) != FORAY_OK)
        return;
    cli_output_open(output, "exploration");
    show_one(output, run, &bound);
    cli_output_close(output);
}

static cli_exit show_bound(cli_session *session, foray_run *run, const foray_certificate *bound)
{
    cli_output output;
    cli_output_begin(&output, session);
    cli_output_integer(&output, "episodes", foray_run_saved(run));
    cli_output_integer(&output, "horizon", foray_model_horizon(foray_run_model(run)));
    show_one(&output, run, bound);
    if (cli_choice(session, "kind") == 0)
        show_own(&output, run, bound->radius);
    cli_output_refutation(&output, run);
    return cli_output_end(&output, session, CLI_DONE);
}

static cli_exit run_bound(cli_session *session)
{
    foray_run *run = NULL;
    foray_certificate bound;
    const char *path = session->args.operand[0];
    cli_wait_begin(session);
    cli_exit code = cli_status(session, foray_run_open(session->ctx, path, FORAY_RUN_READ, &run));
    if (code == CLI_DONE && cli_choice(session, "radius") == 1)
        code = cli_status(session, fy_run_certify_by_refit(run));
    if (code == CLI_DONE)
        code = cli_status(
            session, foray_explorer_bound(foray_run_explorer(run),
                                          (foray_reward_kind)cli_choice(session, "kind"), &bound));
    cli_wait_end();
    if (code == CLI_DONE)
        code = show_bound(session, run, &bound);
    foray_run_close(run);
    return code;
}

static const cli_option options[] = {
    CLI_CHOICE(0, "kind", "KIND", "pair", "pair|next|reach",
               "the rewards that the bound covers: r(s,a), r(s,a,s') that depend on what follows, "
               "or probabilities of reaching or avoiding states"),
    CLI_OPTION_SETS,
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_bound = {
    .name = "bound",
    .group = CLI_GROUP_FIRST,
    .summary = "print the bound of a run for all rewards at once",
    .operands = "RUN",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_FILE,
    .description = "Prints an upper bound on the gap of the plug-in plan, whatever the reward;\n"
                   "for a run that has learnt nothing this is the horizon. The certificate of a\n"
                   "single reward ('foray plan') is much smaller.",
    .options = options,
    .exits = {CLI_BAD_INPUT, CLI_BAD_RUN},
    .examples = "foray explore riverswim -k 2000 -o river.foray\n"
                "foray bound river.foray\n"
                "foray bound river.foray --kind next\n"
                "foray bound river.foray --json\n",
    .run = run_bound,
};
