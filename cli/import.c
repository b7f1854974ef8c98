/* import.c - foray model import: a table of transitions becomes a model, and its reward a file
 * beside it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

typedef struct importing {
    const char *path;
    char *reward_path, *reward;
    foray_model *model;
    foray_import_facts facts;
    foray_model_facts sizes;
} importing;

/* "m.own.reward.json" of "m.json". */
static char *path_of_reward(const char *path)
{
    size_t length = strlen(path);
    const char *end = strrchr(path, '.');
    if (end && (strcmp(end, ".json") == 0 || strcmp(end, ".compact") == 0))
        length = (size_t)(end - path);
    size_t size = length + sizeof ".own.reward.json";
    char *out = malloc(size);
    if (out)
        snprintf(out, size, "%.*s.own.reward.json", (int)length, path);
    return out;
}

static cli_exit output_import(cli_session *session, const importing *i)
{
    cli_output output;
    cli_output_begin(&output, session);
    cli_output_text(&output, "model", i->path);
    if (i->reward)
        cli_output_text(&output, "reward", i->reward_path);
    cli_output_integer(&output, "states", foray_model_states(i->model));
    cli_output_integer(&output, "actions", foray_model_actions(i->model));
    cli_output_integer(&output, "horizon", foray_model_horizon(i->model));
    cli_output_integer(&output, "rows", i->facts.rows);
    cli_output_integer(&output, "ends", i->facts.ends);
    cli_output_integer(&output, "twins", i->facts.twins);
    cli_output_integer(&output, "unknowns", i->sizes.unknowns);
    if (!session->json && i->sizes.unknowns == 0)
        printf("nothing is unknown: every outcome is certain, and 'foray plan' needs no run\n");
    return cli_output_end(&output, session, CLI_DONE);
}

static cli_exit read_table(cli_session *session, importing *i)
{
    foray_import_options options = {
        .size = sizeof options,
        .horizon = cli_has(session, "horizon") ? cli_whole(session, "horizon") : 0,
        .initial = cli_value(session, "initial"),
        .laws = cli_value(session, "laws"),
        .forget_theta = cli_has(session, "forget-theta")};
    if (options.horizon == 0)
        return cli_fail(session, CLI_USAGE,
                        "--horizon is required: a table does not say how long "
                        "episodes are");
    foray_status status = foray_model_import(session->ctx, session->args.operand[0], &options,
                                             &i->model, &i->reward, &i->facts);
    if (status == FORAY_OK)
        status = foray_model_check(session->ctx, i->model, &i->sizes);
    return cli_status(session, status);
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
    if (code == CLI_DONE && !(i.reward_path = path_of_reward(i.path)))
        code = cli_status(session, FORAY_ERROR_MEMORY);
    if (code == CLI_DONE)
        code = cli_destination_check(session, i.path);
    if (code == CLI_DONE)
        code = read_table(session, &i);
    if (code == CLI_DONE && i.reward)
        code = cli_destination_write(session, i.reward_path, i.reward, strlen(i.reward));
    if (code == CLI_DONE)
        code = cli_model_write(session, i.model, format, i.path);
    if (code == CLI_DONE)
        code = output_import(session, &i);
    foray_model_destroy(i.model);
    foray_free(i.reward);
    free(i.reward_path);
    return code;
}

static const cli_option import_options[] = {
    CLI_WHOLE(0, "horizon", "H", NULL, 1, 1e6, "steps per episode (required)"),
    CLI_TEXT(0, "initial", "STATE",
             "where episodes begin: a state, or a file with one probability a line; by default "
             "NAME.isd.txt beside NAME.csv"),
    CLI_TEXT(0, "laws", "LAWS",
             "which (s,a) have one law in common: pair (none), action, all, or column:NAME, those "
             "with the same word in that column"),
    CLI_SWITCH("forget-theta", "leave the probabilities out of the model, which only the world "
                               "knows then"),
    CLI_FILE('o', "output", "FILE", "the model file to write (required)"),
    CLI_OPTION_FORCE,
    CLI_OPTION_TO,
    CLI_OPTION_JSON,
    CLI_END,
};

const cli_command cli_model_import = {
    .name = "model import",
    .summary = "make a model of a transition table, as CSV",
    .operands = "TABLE",
    .least = 1,
    .most = 1,
    .words = CLI_WORDS_FILE,
    .description =
        "Reads a table with a row for each outcome of each state and action: state, action,\n"
        "next, probability, and if they are there reward, done and outcome; Gymnasium's and\n"
        "craam2's names for them are known. A transition that is done leads to a state that\n"
        "is never left and earns 0. Its reward becomes a file beside the model, such as\n"
        "lake.own.reward.json. Which laws are the same is for you to say: sharing them is what\n"
        "saves episodes, and it is an assumption.",
    .options = import_options,
    .exits = {CLI_BAD_INPUT},
    .examples = "printf 'state,action,next,probability,reward,done\\n"
                "0,0,0,0.4,0,0\\n0,0,1,0.6,1,1\\n' > coin.csv\n"
                "foray model import coin.csv --horizon 5 --initial 0 -o coin.json\n"
                "foray explore coin.json -k 100 -o coin.foray\n",
    .run = run_import,
};
