/* verify.c - foray verify: is a run file whole, and does it say what happened? */
#include "output.h"
#include "progress.h"

static cli_exit run_verify(cli_session *session)
{
    foray_run *run = NULL;
    cli_output output;
    const char *path = session->args.operand[0];
    cli_wait_begin(session);
    cli_exit code = cli_status(session, foray_run_open(session->ctx, path, FORAY_RUN_READ, &run));
    foray_status status = code == CLI_DONE ? foray_run_verify(run) : FORAY_OK;
    cli_wait_end();
    if (code == CLI_DONE)
        code = cli_status(session, status);
    if (code == CLI_DONE) {
        cli_output_begin(&output, session);
        cli_output_text(&output, "run", path);
        cli_output_integer(&output, "episodes", foray_run_saved(run));
        cli_output_flag(&output, "verified", true);
        code = cli_output_end(&output, session, CLI_DONE);
    }
    foray_run_close(run);
    return code;
}

static const cli_option options[] = {CLI_OPTION_JSON, CLI_OPTION_THREADS, CLI_END};

const cli_command cli_verify = {
    .name = "verify",
    .group = CLI_GROUP_EXPLORE,
    .summary = "check a run file and replay its episodes",
    .operands = "RUN",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_FILE,
    .description =
        "Checks the database and every checksum, and replays all episodes, which must\n"
        "arrive at the last checkpoint bit for bit. Where theta is known, every episode\n"
        "must also be the one that the seed gives. Stored plans are made again, with their\n"
        "certificates, to the last bit. If a check fails, the exit code is 5, with a message\n"
        "on standard error and nothing on standard output.",
    .options = options,
    .exits = {CLI_BAD_INPUT, CLI_BAD_RUN},
    .examples = "foray explore grid -k 1000 -o grid.foray\n"
                "foray verify grid.foray\n",
    .run = run_verify,
};
