/* import.c - foray model import: files of other programs become a model, and rewards files beside
 * it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

typedef struct importing {
    const char *path;
    char **reward_path; /* [rewards] */
    int64_t written;    /* so many of them */
    foray_import_rewards rewards;
    foray_model *model;
    foray_import_facts facts;
    foray_model_facts sizes;
} importing;

/* "m.own.reward.json" of "m.json" and "own". */
static char *path_of_reward(const char *path, const char *name)
{
    size_t length = strlen(path);
    const char *end = strrchr(path, '.');
    if (end && (strcmp(end, ".json") == 0 || strcmp(end, ".compact") == 0))
        length = (size_t)(end - path);
    size_t size = length + strlen(name) + sizeof "..reward.json";
    char *out = malloc(size);
    if (out)
        snprintf(out, size, "%.*s.%s.reward.json", (int)length, path, name);
    return out;
}

static void output_rewards(cli_output *output, const importing *i)
{
    if (output->as_json)
        cli_output_open_list(output, "rewards");
    for (int64_t k = 0; k < i->rewards.count; k++)
        cli_output_text(output, "reward", i->reward_path[k]);
    if (output->as_json)
        cli_output_close(output);
}

static cli_exit output_import(cli_session *session, const importing *i)
{
    cli_output output;
    cli_output_begin(&output, session);
    cli_output_text(&output, "model", i->path);
    output_rewards(&output, i);
    cli_output_integer(&output, "states", foray_model_states(i->model));
    cli_output_integer(&output, "actions", foray_model_actions(i->model));
    cli_output_integer(&output, "pairs", i->sizes.pairs);
    cli_output_integer(&output, "horizon", foray_model_horizon(i->model));
    cli_output_integer(&output, "rows", i->facts.rows);
    cli_output_integer(&output, "ends", i->facts.ends);
    cli_output_integer(&output, "twins", i->facts.twins);
    cli_output_integer(&output, "unknowns", i->sizes.unknowns);
    cli_print_known(session, i->model, "");
    return cli_output_end(&output, session, CLI_DONE);
}

static cli_exit read_files(cli_session *session, importing *i)
{
    foray_import_options options = {
        .size = sizeof options,
        .horizon = cli_has(session, "horizon") ? cli_integer(session, "horizon") : 0,
        .initial = cli_value(session, "initial"),
        .laws = cli_value(session, "laws"),
        .forget_theta = cli_has(session, "forget-theta"),
        .format = cli_value(session, "format")};
    if (options.horizon == 0)
        return cli_fail(session, CLI_USAGE,
                        "--horizon is required: a table does not say how long "
                        "episodes are");
    foray_status status =
        foray_model_import(session->ctx, session->args.operand, session->args.operands, &options,
                           &i->model, &i->rewards, &i->facts);
    if (status == FORAY_OK)
        status = foray_model_check(session->ctx, i->model, &i->sizes);
    return cli_status(session, status);
}

/* All names are asked about before the first file is written. */
static cli_exit write_rewards(cli_session *session, importing *i)
{
    cli_exit code = CLI_DONE;
    i->reward_path = calloc((size_t)i->rewards.count + 1, sizeof *i->reward_path);
    if (!i->reward_path)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    for (int64_t k = 0; k < i->rewards.count && code == CLI_DONE; k++) {
        i->reward_path[k] = path_of_reward(i->path, i->rewards.name[k]);
        code = i->reward_path[k] ? cli_destination_check(session, i->reward_path[k])
                                 : cli_fail(session, CLI_BAD_INPUT, "out of memory");
    }
    for (; i->written < i->rewards.count && code == CLI_DONE; i->written += code == CLI_DONE)
        code =
            cli_destination_write(session, i->reward_path[i->written], i->rewards.text[i->written],
                                  strlen(i->rewards.text[i->written]));
    return code;
}

static cli_exit run_import(cli_session *session)
{
    importing i = {.path = cli_value(session, "output")};
    foray_model_format format;
    if (!i.path)
        return cli_fail(session, CLI_USAGE, "-o is required: the model file to write");
    cli_exit code = cli_refuse_stdout(session, i.path);
    if (code == CLI_DONE)
        code = cli_model_format(session, i.path, &format);
    if (code == CLI_DONE)
        code = cli_destination_check(session, i.path);
    if (code == CLI_DONE)
        code = read_files(session, &i);
    if (code == CLI_DONE)
        code = write_rewards(session, &i);
    if (code == CLI_DONE)
        code = cli_model_write(session, i.model, format, i.path);
    for (int64_t k = 0; k < i.written && code != CLI_DONE; k++)
        cli_destination_undo(session, i.reward_path[k]);
    if (code == CLI_DONE)
        code = output_import(session, &i);
    for (int64_t k = 0; i.reward_path && k < i.rewards.count; k++)
        free(i.reward_path[k]);
    free(i.reward_path);
    foray_model_destroy(i.model);
    foray_import_rewards_clear(&i.rewards);
    return code;
}

static const cli_option import_options[] = {
    CLI_INTEGER(0, "horizon", "H", NULL, 1, 1e6, "steps per episode (required)"),
    CLI_TEXT(0, "initial", "STATE",
             "where episodes begin: a state, or a file with one probability per line; by default "
             "NAME.isd.txt next to NAME.csv, or PRISM's label init"),
    CLI_TEXT(0, "laws", "LAWS",
             "which (s,a) share a law: pair (none), action, all, or column:NAME, those with the "
             "same word in that column"),
    CLI_SWITCH("forget-theta",
               "leave the probabilities out of the model; only the world then knows them"),
    CLI_CHOICE(0, "format", "FORMAT", NULL, "csv|prism|umb",
               "refuse files of other formats; by default their content says what they are"),
    CLI_FILE('o', "output", "FILE", "the model file to write (required)"),
    CLI_OPTION_FORCE,
    CLI_OPTION_TO,
    CLI_OPTION_JSON,
    CLI_END,
};

const cli_command cli_model_import = {
    .name = "model import",
    .group = CLI_GROUP_CARRY,
    .summary = "make a model from a transition table, PRISM's files or a UMB file",
    .operands = "FILE...",
    .min = 1,
    .max = INT64_MAX,
    .words = CLI_WORDS_FILE,
    .description =
        "Reads a table with a row for each outcome of each state and action: state, action,\n"
        "next, probability, and optionally reward, done and outcome (or Gymnasium's and\n"
        "craam2's names for them). A transition that is done leads to a state that is never\n"
        "left and earns 0. The rewards become a file next to the model, such as\n"
        "lake.own.reward.json.\n"
        "\n"
        "Or reads what PRISM exports: a .tra file, with .sta, .lab, .srew and .trew files. Each\n"
        "reward structure becomes a file next to the model, and so does each label: the\n"
        "probability of getting there. Or reads a .umb file of PRISM or Storm, which contains\n"
        "all of this.\n"
        "\n"
        "You decide which laws are the same (--laws): sharing laws saves episodes, but is an\n"
        "assumption.",
    .options = import_options,
    .exits = {CLI_BAD_INPUT},
    .examples = "printf 'state,action,next,probability,reward,done\\n"
                "0,0,0,0.4,0,0\\n0,0,1,0.6,1,1\\n' > coin.csv\n"
                "foray model import coin.csv --horizon 5 --initial 0 -o coin.json\n"
                "foray explore coin.json -k 100 -o coin.foray\n",
    .run = run_import,
};
