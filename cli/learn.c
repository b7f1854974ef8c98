/* learn.c - foray learn: a run from episodes that were recorded elsewhere. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "next.h"
#include "output.h"
#include "progress.h"
#include "view.h"
#include "data/episodes.h"
#include "run/run.h"

typedef struct learning {
    cli_session *session;
    const char *path;
    const char *source; /* of the model; NULL: none is given */
    cli_reread data;
    cli_log log;
    foray_model *given;
    foray_run *run;
    cli_progress progress;
} learning;

static foray_status count_episode(void *user, const fy_recorded_episode *episode)
{
    (void)episode;
    ++*(int64_t *)user;
    return FORAY_OK;
}

/* The file of episodes: what was given, or what a log became. */
static const char *episodes_of(const learning *l)
{
    return l->log.log ? l->log.path : cli_reread_path(&l->data);
}

/* A log is understood first; then it is a file of episodes, of a model with its names. */
static cli_exit open_log(learning *l, const foray_model *model)
{
    if (!cli_has(l->session, "columns"))
        return model ? CLI_DONE
                     : cli_fail(l->session, CLI_USAGE,
                                "give the model that the data are about, or --columns for a log "
                                "that is about nothing known yet");
    return cli_log_open(l->session, l->data.shown, cli_reread_path(&l->data), model, &l->log);
}

/* The data are read before there is a run: bad ones leave no file behind, and replace none. */
static cli_exit check_data(const learning *l, const foray_model *model)
{
    int64_t episodes = 0;
    foray_status status =
        fy_data_read(l->session->ctx, model, episodes_of(l), count_episode, &episodes);
    cli_exit code = cli_reread_status(l->session, &l->data, status);
    if (status == FORAY_ERROR_WORLD)
        return CLI_BAD_INPUT;
    if (code == CLI_DONE && episodes == 0)
        code = cli_fail(l->session, CLI_BAD_INPUT, "%s: no episodes", l->data.shown);
    return code;
}

static cli_exit start_run(learning *l)
{
    cli_session *session = l->session;
    const char *source = l->source;
    foray_run_creation how = cli_has(session, "force") ? FORAY_RUN_REPLACE : FORAY_RUN_NEW;
    foray_settings settings;
    foray_settings_default(&settings);
    snprintf(settings.algorithm, sizeof settings.algorithm, "recorded");
    settings.delta = cli_real(session, "delta");
    if (source && cli_view_names(source))
        return cli_fail(session, CLI_USAGE,
                        "%s is a system, whose states are vectors: data are learnt with a model "
                        "('foray world export')",
                        source);
    cli_exit code = cli_destination_check(session, l->path);
    if (code == CLI_DONE && source)
        code = cli_model_open(session, source, &l->given);
    if (code == CLI_DONE)
        code = open_log(l, l->given);
    const foray_model *model = l->log.log ? l->log.log->model : l->given;
    if (code == CLI_DONE)
        code = check_data(l, model);
    if (code == CLI_DONE)
        code = cli_status_of_model(session, source ? source : "log",
                                   foray_run_create(session->ctx, l->path, how, model,
                                                    source ? source : "log", &settings, &l->run));
    return code;
}

/* Names that a log was the first to mention become the run's. */
static cli_exit take_names(learning *l)
{
    cli_session *session = l->session;
    const fy_log *log = l->log.log;
    if (!log || log->new_states + log->new_actions == 0)
        return CLI_DONE;
    cli_exit code = cli_status(session, fy_run_rename(l->run, log->model));
    code = cli_run_close(session, l->run, code);
    l->run = NULL;
    return code == CLI_DONE ? cli_status(session, foray_run_open(session->ctx, l->path,
                                                                 FORAY_RUN_WRITE, &l->run))
                            : code;
}

/* More data for a run that was learnt with the same model; of a log, with the run's own. */
static cli_exit continue_run(learning *l)
{
    cli_session *session = l->session;
    if (cli_has(session, "force") || cli_has(session, "delta"))
        return cli_fail(session, CLI_USAGE, "--append keeps the run and its delta: without --%s",
                        cli_has(session, "force") ? "force" : "delta");
    if (!l->source && !cli_has(session, "columns"))
        return open_log(l, NULL);
    cli_exit code = l->source ? cli_model_open(session, l->source, &l->given) : CLI_DONE;
    if (code == CLI_DONE && l->source && !cli_has(session, "columns"))
        code = check_data(l, l->given);
    if (code == CLI_DONE)
        code = cli_status(session, foray_run_open(session->ctx, l->path, FORAY_RUN_WRITE, &l->run));
    if (code == CLI_DONE && l->source && !foray_model_equal(l->given, foray_run_model(l->run)))
        code = cli_fail(session, CLI_BAD_INPUT, "%s is a run of another model", l->path);
    if (code == CLI_DONE && cli_has(session, "columns")) {
        code = open_log(l, foray_run_model(l->run));
        if (code == CLI_DONE)
            code = check_data(l, l->log.log->model);
    }
    return code == CLI_DONE ? take_names(l) : code;
}

static void print_path(const char *before, const char *path, const char *after)
{
    printf("%s", before);
    cli_put(stdout, 0, path);
    printf("%s\n", after);
}

static cli_exit show_run(const learning *l)
{
    foray_certificate bound = {.gap = NAN, .radius = FORAY_RADIUS_NONE};
    int64_t saved = foray_run_saved(l->run);
    cli_output output;
    if (!l->session->json) {
        char episodes[CLI_NUMBER_SIZE];
        printf("the run has %s episode%s", cli_grouped(saved, episodes), saved == 1 ? "" : "s");
        print_path(", learnt with the model ", foray_run_world(l->run), "");
        if (fy_run_trusted(l->run))
            printf("first states            %s\n", fy_run_trusted(l->run));
        print_path("saved in                ", l->path, "");
        cli_exit code = cli_next_print_became(l->session, l->run);
        if (code != CLI_DONE)
            return code;
        cli_print_next_plan(l->session, l->run, l->path);
        return CLI_DONE;
    }
    (void)foray_explorer_bound(foray_run_explorer(l->run), FORAY_KIND_PAIR,
                               &bound); /* not every model has one */
    cli_output_begin(&output, l->session);
    cli_output_text(&output, "run", l->path);
    cli_output_text(&output, "world", foray_run_world(l->run));
    cli_output_text(&output, "algorithm", foray_run_settings(l->run)->algorithm);
    cli_output_integer(&output, "episodes", saved);
    if (fy_run_trusted(l->run))
        cli_output_text(&output, "first_states", fy_run_trusted(l->run));
    cli_output_certificate(&output, "bound", &bound);
    cli_log_output(&output, &l->log);
    return cli_output_end(&output, l->session, CLI_DONE);
}

static cli_exit learn(learning *l)
{
    cli_session *session = l->session;
    cli_progress_begin(&l->progress, foray_run_saved(l->run));
    foray_status status =
        foray_run_learn_file(l->run, episodes_of(l), cli_progress_step, &l->progress);
    cli_progress_end(&l->progress);
    cli_exit code = cli_reread_status(session, &l->data, status);
    if (status == FORAY_OK)
        code = cli_log_keep_paid(session, &l->log, l->run);
    if (status >= 0 && code != CLI_BAD_INPUT) {
        cli_exit shown = show_run(l);
        code = shown == CLI_DONE ? code : shown;
    }
    if (status == FORAY_INTERRUPTED)
        cli_fail(session, code,
                 "stopped by a signal: %" PRId64 " of %" PRId64 " episodes are learnt",
                 foray_run_saved(l->run), foray_run_settings(l->run)->episodes);
    return code;
}

/* ------------------------------------------------------------------------------ --check */

static void print_law(const foray_model *model, const fy_law_fit *law)
{
    char pair[256];
    if (law->state < 0) {
        printf("first states");
        return;
    }
    cli_put(stdout, 0, cli_pair_name(model, law->state, law->action, pair, sizeof pair));
    if (law->pairs > 1) {
        char others[CLI_NUMBER_SIZE];
        printf(" and %s other%s", cli_grouped(law->pairs - 1, others), law->pairs > 2 ? "s" : "");
    }
}

static void print_drift(const foray_model *model, const fy_drift *drift, const char *data)
{
    char episodes[CLI_NUMBER_SIZE], visits[CLI_NUMBER_SIZE], later[CLI_NUMBER_SIZE];
    printf("%s episode%s, compared at delta %g\n", cli_grouped(drift->episodes, episodes),
           drift->episodes == 1 ? "" : "s", drift->delta);
    if (drift->refuted < 0) {
        printf("the data fit: no law is refuted\n");
        return;
    }
    for (int64_t i = 0; i < drift->laws; i++) {
        const fy_law_fit *law = &drift->law[i];
        if (!(law->apart > 0))
            continue;
        printf("refuted: the law of ");
        print_law(model, law);
        printf(": %s transitions in the run, %s in the data, %.3g nats apart\n",
               cli_grouped(law->visits, visits), cli_grouped(law->later, later), law->apart);
    }
    printf("first noticed after episode ");
    cli_put(stdout, 0, drift->episode);
    printf(" (");
    cli_put(stdout, 0, data);
    printf(":%" PRId64 ")\n", drift->line);
}

static void output_drift(cli_output *output, const fy_drift *drift)
{
    bool refuted = drift->refuted >= 0;
    cli_output_flag(output, "refuted", refuted);
    cli_output_real(output, "delta", drift->delta);
    cli_output_integer(output, "episodes", drift->episodes);
    cli_output_integer(output, "transitions", drift->transitions);
    cli_output_text(output, "episode", refuted ? drift->episode : NULL);
    cli_output_integer(output, "line", refuted ? drift->line : 0);
    cli_output_open_list(output, "laws");
    for (int64_t i = 0; i < drift->laws; i++) {
        const fy_law_fit *law = &drift->law[i];
        cli_output_open(output, NULL);
        cli_output_integer(output, "state", law->state);
        cli_output_integer(output, "action", law->action);
        cli_output_integer(output, "pairs", law->pairs);
        cli_output_integer(output, "visits", law->visits);
        cli_output_integer(output, "later", law->later);
        cli_output_real(output, "apart", law->apart);
        cli_output_flag(output, "refuted", law->apart > 0);
        cli_output_close(output);
    }
    cli_output_close(output);
}

/* Do new data still fit a run? What the model rules out refutes it as well. */
static cli_exit check_run(cli_session *session)
{
    const char *const *operand = session->args.operand;
    foray_run *run = NULL;
    fy_drift *drift = NULL;
    cli_output output;
    cli_reread data = {0};
    if (session->args.operands < 2)
        return cli_fail(session, CLI_USAGE, "--check compares data with a run: give both");
    if (cli_has(session, "output") || cli_has(session, "append") || cli_has(session, "force"))
        return cli_fail(session, CLI_USAGE, "--check writes nothing: it takes no -o");
    cli_exit code =
        cli_status(session, foray_run_open(session->ctx, operand[0], FORAY_RUN_READ, &run));
    if (code == CLI_DONE)
        code = cli_reread_open(session, operand[1], &data);
    if (code != CLI_DONE) {
        cli_reread_close(&data);
        foray_run_close(run);
        return code;
    }
    double delta =
        cli_has(session, "delta") ? cli_real(session, "delta") : foray_run_settings(run)->delta;
    foray_status status = fy_run_check_data(run, cli_reread_path(&data), delta, &drift);
    code = cli_reread_status(session, &data, status);
    if (status == FORAY_ERROR_WORLD)
        code = CLI_NOT_MET;
    if (drift && drift->episodes == 0) {
        code = cli_fail(session, CLI_BAD_INPUT, "%s: no episodes", data.shown);
    } else if (drift && session->json) {
        cli_output_begin(&output, session);
        output_drift(&output, drift);
        code = cli_output_end(&output, session, code);
    } else if (drift) {
        print_drift(foray_run_model(run), drift, data.shown);
    }
    if (code == CLI_DONE && drift && drift->refuted >= 0)
        code = CLI_NOT_MET;
    fy_drift_destroy(drift);
    foray_run_close(run);
    cli_reread_close(&data);
    return code;
}

static cli_exit run_learn(cli_session *session)
{
    if (cli_has(session, "check"))
        return check_run(session);
    learning l = {.session = session, .path = cli_value(session, "output")};
    if (!l.path)
        return cli_fail(session, CLI_USAGE, "-o is required: the file to store the run in");
    cli_exit code = cli_refuse_stdout(session, l.path);
    int64_t operands = session->args.operands;
    l.source = operands > 1 ? session->args.operand[0] : NULL;
    if (code == CLI_DONE)
        code = cli_reread_open(session, session->args.operand[operands - 1], &l.data);
    if (code == CLI_DONE)
        code = cli_has(session, "append") ? continue_run(&l) : start_run(&l);
    if (code == CLI_DONE)
        code = learn(&l);
    code = cli_run_close(session, l.run, code);
    foray_model_destroy(l.given);
    cli_log_close(&l.log);
    cli_reread_close(&l.data);
    return code;
}

static const cli_option options[] = {
    CLI_FILE('o', "output", "RUN", "the file to store the run in (required)"),
    CLI_SWITCH("append", "add to the run in that file, which was learnt with the same model"),
    CLI_SWITCH("check", "learn nothing; check whether the data still fit a run, which is given "
                        "instead of the model"),
    CLI_OPTIONS_LOG,
    CLI_OPTION_FORCE,
    CLI_REAL(0, "delta", "D", "0.1", 1e-12, 0.999999999999,
             "probability that a certificate may be wrong; of a false alarm with --check (by "
             "default the run's)"),
    CLI_OPTION_PROGRESS,
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_learn = {
    .name = "learn",
    .group = CLI_GROUP_EXPLORE,
    .summary = "make a run from episodes that were recorded elsewhere",
    .operands = "[WORLD|MODEL|RUN] DATA",
    .min = 1,
    .max = 2,
    .words = CLI_WORDS_WORLD,
    .description =
        "Learns from recorded episodes: a CSV file with the columns\n"
        "episode,step,state,action,next and perhaps done and reward (which is not used), in\n"
        "any order. States and actions are given by number or name. The rows of an episode are\n"
        "consecutive, with steps 0, 1, ... without gaps. Episodes may be shorter than the\n"
        "horizon; longer ones are cut into pieces of that length. Everything is checked before\n"
        "anything is written. DATA may be a pipe or compressed (gzip, xz); '-' is standard\n"
        "input.\n"
        "\n"
        "With --columns, DATA is a log: columns by any name, states and actions by any\n"
        "text, times in the place of steps, rows in any order, episodes interleaved,\n"
        "without a model if need be. What follows is the state of the next row, and what a\n"
        "column says was paid becomes -r own. What was understood is printed first.\n"
        "\n"
        "The run can be used like an explored one, for plans, bounds, certificates and reports;\n"
        "only exploration cannot be continued. Certificates hold whatever policy recorded the\n"
        "data, provided that nothing was selected by its outcome.\n"
        "\n"
        "With --check, new data are compared with a run, and nothing is written. If the two\n"
        "likelihood sets of a law have no point in common, the world has changed, and the exit\n"
        "code is 1. If it has not changed, that happens with probability at most delta.",
    .options = options,
    .exits = {CLI_NOT_MET, CLI_BAD_INPUT, CLI_BAD_RUN, CLI_STOPPED},
    .examples = "foray explore riverswim -k 500 -o river.foray\n"
                "foray data river.foray -o river.csv\n"
                "foray learn riverswim river.csv -o learnt.foray\n"
                "foray plan learnt.foray -r goal:5\n"
                "foray explore riverswim -k 200 --seed 2 -o more.foray\n"
                "foray data more.foray -o more.csv\n"
                "foray learn --check river.foray more.csv\n"
                "foray learn riverswim more.csv --append -o learnt.foray\n",
    .run = run_learn,
};
