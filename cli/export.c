/* export.c - foray model export: a model, or the intervals that a run has learnt, for other
 * programs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "export/export.h"
#include "explore/unstructured/unstructured.h"

typedef struct exporting {
    cli_session *session;
    const char *path, *format;
    foray_run *run;     /* or NULL: */
    foray_model *known; /* a model of its own */
    cli_rewards rewards;
    double *low, *high;
    foray_certificate about; /* the intervals */
    fy_enclosure enclosure;  /* of a run that knows nothing but what it saw */
    char sentence[800];
} exporting;

/* What is written. */
static const foray_model *model_of(const exporting *e)
{
    if (e->enclosure.model)
        return e->enclosure.model;
    return e->run ? foray_run_model(e->run) : e->known;
}

/* By --to, or by the ending of the path. */
static cli_exit find_format(exporting *e)
{
    static const char *const formats[] = {"json", "compact", "umb", "csv"};
    const char *end = strrchr(e->path, '.');
    e->format = cli_value(e->session, "to");
    for (int i = 0; i < 4 && !e->format && end; i++)
        if (strcmp(end + 1, formats[i]) == 0)
            e->format = formats[i];
    return e->format ? CLI_DONE
                     : cli_fail(e->session, CLI_USAGE,
                                "%s does not end in .json, .compact, .umb or .csv: give --to "
                                "FORMAT",
                                e->path);
}

/* Intervals of a run whose model says what can happen. */
static cli_exit find_intervals(exporting *e)
{
    foray_model_facts facts = {0};
    foray_status status = foray_model_check(e->session->ctx, model_of(e), &facts);
    if (status != FORAY_OK)
        return cli_status(e->session, status);
    e->low = calloc((size_t)facts.transitions + 1, sizeof *e->low);
    e->high = calloc((size_t)facts.transitions + 1, sizeof *e->high);
    if (!e->low || !e->high)
        return cli_fail(e->session, CLI_BAD_INPUT, "out of memory");
    return cli_status(e->session, foray_explorer_intervals(foray_run_explorer(e->run), e->low,
                                                           e->high, &e->about));
}

/* Of an unstructured model: what was seen, and everywhere else. */
static cli_exit enclose(exporting *e)
{
    cli_exit code =
        cli_status(e->session, fy_explorer_enclose(foray_run_explorer(e->run), &e->enclosure));
    e->about = e->enclosure.about;
    return code;
}

/* What the intervals mean. */
static cli_exit describe_intervals(exporting *e)
{
    foray_explorer_facts learnt;
    foray_status status = foray_explorer_describe(foray_run_explorer(e->run), &learnt);
    if (status != FORAY_OK)
        return cli_status(e->session, status);
    if (e->about.status == FORAY_REFUTED)
        return cli_fail(e->session, CLI_NOT_MET,
                        "the data refute the model: there are no intervals to export");
    int length = snprintf(
        e->sentence, sizeof e->sentence,
        "intervals learnt in %" PRId64 " episodes (%s, radius %s): with probability at least "
        "%.6g, every transition probability lies in its interval, all of them at once",
        learnt.episodes, foray_certificate_status(&e->about), foray_radius_name(e->about.radius),
        1 - e->about.delta);
    if (e->enclosure.model)
        snprintf(e->sentence + length, sizeof e->sentence - (size_t)length,
                 "; elsewhere_high and elsewhere_low stand for every state that was not seen to "
                 "follow, as the best and the worst of them could be for one reward or label at a "
                 "time%s",
                 e->enclosure.start < 0 ? ""
                                        : "; episodes begin in start, one step before their first "
                                          "state: ask for one step more");
    return CLI_DONE;
}

/* Rewards of the unstructured model become those of what is written. */
static cli_exit enclose_rewards(exporting *e)
{
    for (int64_t i = 0; i < e->rewards.count; i++) {
        foray_reward *own;
        foray_status status =
            fy_enclosure_reward(e->session->ctx, &e->enclosure, e->rewards.item[i], &own);
        if (status != FORAY_OK)
            return cli_status(e->session, status);
        foray_reward_destroy(e->rewards.item[i]);
        e->rewards.item[i] = own;
    }
    return CLI_DONE;
}

static cli_exit open_source(exporting *e)
{
    cli_session *session = e->session;
    const char *source = session->args.operand[0];
    bool native = strcmp(e->format, "json") == 0 || strcmp(e->format, "compact") == 0;
    cli_exit code;
    if (cli_names_model(source))
        code = cli_model_open(session, source, &e->known);
    else
        code = cli_status(session, foray_run_open(session->ctx, source, FORAY_RUN_READ, &e->run));
    bool open = code == CLI_DONE && e->run && foray_model_is_unstructured(foray_run_model(e->run));
    if (code == CLI_DONE && e->run && !native)
        code = open ? enclose(e) : find_intervals(e);
    if (code == CLI_DONE && e->run && !native)
        code = describe_intervals(e);
    if (code == CLI_DONE && cli_has(session, "reward") && strcmp(e->format, "umb") != 0)
        code = cli_fail(session, CLI_USAGE, "-r goes with UMB files only");
    if (code == CLI_DONE && cli_has(session, "reward"))
        code = cli_rewards_open(session, e->run ? foray_run_model(e->run) : e->known, &e->rewards);
    return code == CLI_DONE && e->enclosure.model ? enclose_rewards(e) : code;
}

static cli_exit write_file(exporting *e)
{
    fy_export_options what = {.low = e->enclosure.model ? e->enclosure.min : e->low,
                              .high = e->enclosure.model ? e->enclosure.max : e->high,
                              .delta = e->about.delta,
                              .about = e->sentence[0] ? e->sentence : NULL,
                              .rewards = e->rewards.count,
                              .reward = (const foray_reward *const *)e->rewards.item};
    char *data;
    size_t size;
    if (strcmp(e->format, "json") == 0)
        return cli_model_write(e->session, model_of(e), FORAY_MODEL_JSON, e->path);
    if (strcmp(e->format, "compact") == 0)
        return cli_model_write(e->session, model_of(e), FORAY_MODEL_COMPACT, e->path);
    cli_exit code = cli_status(
        e->session, fy_model_export(e->session->ctx, model_of(e), &what, e->format, &data, &size));
    if (code != CLI_DONE)
        return code;
    code = cli_destination_write(e->session, e->path, data, size);
    foray_free(data);
    return code;
}

static cli_exit output_export(const exporting *e)
{
    cli_output output;
    if (cli_is_stdout(e->path))
        return CLI_DONE;
    cli_output_begin(&output, e->session);
    cli_output_text(&output, "file", e->path);
    cli_output_text(&output, "format", e->format);
    cli_output_integer(&output, "states", foray_model_states(model_of(e)));
    cli_output_integer(&output, "actions", foray_model_actions(model_of(e)));
    cli_output_integer(&output, "rewards", e->rewards.count);
    if (e->sentence[0]) {
        cli_output_real(&output, "delta", e->about.delta);
        cli_output_text(&output, "radius", foray_radius_name(e->about.radius));
        cli_output_text(&output, "status", foray_certificate_status(&e->about));
        if (!output.as_json)
            printf("%s\n", e->sentence);
    }
    return cli_output_end(&output, e->session, CLI_DONE);
}

static cli_exit run_export(cli_session *session)
{
    exporting e = {.session = session, .path = cli_value(session, "output")};
    if (!e.path)
        return cli_fail(session, CLI_USAGE, "-o is required: the file to write");
    cli_exit code = find_format(&e);
    if (code == CLI_DONE)
        code = cli_destination_check(session, e.path);
    if (code == CLI_DONE)
        code = open_source(&e);
    if (code == CLI_DONE)
        code = write_file(&e);
    if (code == CLI_DONE)
        code = output_export(&e);
    cli_rewards_close(&e.rewards);
    fy_enclosure_clear(&e.enclosure);
    free(e.low);
    free(e.high);
    foray_model_destroy(e.known);
    if (e.run)
        foray_run_close(e.run);
    return code;
}

static const cli_option export_options[] = {
    CLI_CHOICE(0, "to", "FORMAT", NULL, "json|compact|umb|csv",
               "format to write; by default, determined by the ending"),
    CLI_FILE('r', "reward", "REWARD",
             "UMB only: a reward to write with the model, as values of its choices or branches; "
             "reach:STATE and the like become labels; may be repeated"),
    CLI_FILE('o', "output", "FILE", "the file to write (required)"),
    CLI_OPTION_FORCE,
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_model_export = {
    .name = "model export",
    .group = CLI_GROUP_CARRY,
    .summary = "write a model, or the intervals that a run has learnt, for other programs",
    .operands = "MODEL|RUN",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_WORLD,
    .description =
        "As umb: the unified Markov binary format, which PRISM and Storm read. As csv: a table\n"
        "with a row for each state, action and next state. For a model, these contain its\n"
        "probabilities; for a run, the intervals of its confidence set: with probability at\n"
        "least 1 - delta, all probabilities lie in their intervals at once, so whatever is\n"
        "proved about all models within them holds for the world. If nothing was known before\n"
        "(unstructured:..., exec:COMMAND), they contain the states that were seen and two more,\n"
        "elsewhere_high and elsewhere_low, for everything else. As json or compact: the model\n"
        "itself.",
    .options = export_options,
    .exits = {CLI_NOT_MET, CLI_BAD_INPUT, CLI_BAD_RUN},
    .examples = "foray model export riverswim -r reach:5 -o river.umb\n"
                "foray model import river.umb --horizon 20 -o again.json\n"
                "foray explore riverswim -k 200 -o river.foray\n"
                "foray model export river.foray --to csv -o intervals.csv\n",
    .run = run_export,
};
