/* data.c - foray data: the episodes of a run as CSV, as foray learn reads them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "view.h"
#include "base/base.h"

typedef struct writing {
    cli_session *session;
    foray_run *run;
    cli_view view;
    const foray_reward *reward; /* NULL: none */
    bool generative;
    bool unstructured; /* nothing else says which states are absorbing */
    fy_file *file;     /* NULL: standard output */
} writing;

static void put(const writing *w, const char *text, int length)
{
    if (w->file)
        fy_file_add(w->file, text, (size_t)length);
    else
        fwrite(text, 1, (size_t)length, stdout);
}

static void write_row(const writing *w, int64_t episode, int64_t step, int64_t t,
                      const int32_t *here, int32_t action, bool done)
{
    char row[160 + FY_NUMBER_BYTES];
    size_t room = sizeof row;
    int length = snprintf(row, room, "%" PRId64 ",%" PRId64 ",%" PRId32 ",%" PRId32 ",%" PRId32,
                          episode, step, here[0], action, here[1]);
    if (w->unstructured)
        length += snprintf(row + length, room - (size_t)length, ",%d", done);
    if (w->reward) {
        char number[FY_NUMBER_BYTES];
        double reward = foray_reward_next_at(w->reward, t, here[0], action, here[1]);
        length +=
            snprintf(row + length, room - (size_t)length, ",%s", fy_number_text(reward, number));
    }
    row[length++] = '\n';
    put(w, row, length);
}

/* Where an algorithm asks about any state, each of its steps is an episode of its own: nothing
 * leads from one to the next. */
static bool write_episode(void *user, int64_t episode, const int32_t *states,
                          const int32_t *actions)
{
    const writing *w = user;
    int64_t horizon = foray_model_horizon(foray_run_model(w->run));
    for (int64_t t = 0; t < horizon && actions[t] >= 0; t++) {
        if (w->generative)
            write_row(w, episode * horizon + t, 0, t, states + 2 * t, actions[t], false);
        else
            write_row(w, episode, t, t, states + t, actions[t],
                      t + 1 < horizon && actions[t + 1] == FORAY_TERMINATED);
    }
    return w->file || !ferror(stdout);
}

static cli_exit write_all(writing *w)
{
    char header[80];
    int length = snprintf(header, sizeof header, "episode,step,state,action,next%s%s\n",
                          w->unstructured ? ",done" : "", w->reward ? ",reward" : "");
    put(w, header, length);
    return cli_status(w->session, foray_run_episodes(w->run, 0, write_episode, w));
}

/* Files are written whole or not at all, and never held in memory. */
static cli_exit write_file(writing *w, const char *path)
{
    cli_exit code = cli_destination_open(w->session, path, &w->file);
    if (code != CLI_DONE)
        return code;
    code = write_all(w);
    if (code == CLI_DONE)
        return cli_status(w->session, fy_file_finish(w->file));
    fy_file_abandon(w->file);
    return code;
}

/* The run, and the reward if one is asked for. */
static cli_exit open_data_run(writing *w, cli_rewards *rewards)
{
    cli_session *session = w->session;
    cli_exit code = cli_status(
        session, foray_run_open(session->ctx, session->args.operand[0], FORAY_RUN_READ, &w->run));
    if (code == CLI_DONE && cli_rewards_need_view(session)) {
        code = cli_view_of_run(session, w->run, NULL, &w->view);
        session->view = &w->view;
    }
    if (code == CLI_DONE && cli_has(session, "reward"))
        code = cli_reward_open(session, foray_run_model(w->run), rewards);
    if (code != CLI_DONE || rewards->count == 0)
        return code;
    foray_reward_facts facts;
    foray_reward_describe(rewards->item[0], &facts);
    if (facts.stops)
        return cli_fail(session, CLI_USAGE, "%s is a probability, and earns nothing in a step",
                        foray_reward_name(rewards->item[0]));
    w->reward = rewards->item[0];
    return CLI_DONE;
}

static cli_exit run_data(cli_session *session)
{
    writing w = {.session = session};
    cli_rewards rewards = {0};
    const char *path = cli_value(session, "output") ? cli_value(session, "output") : "-";
    cli_exit code = open_data_run(&w, &rewards);
    if (code == CLI_DONE) {
        w.generative = foray_algorithm_is_generative(foray_run_settings(w.run)->algorithm);
        w.unstructured = foray_model_is_unstructured(foray_run_model(w.run));
        code = cli_is_stdout(path) ? write_all(&w) : write_file(&w, path);
    }
    cli_rewards_close(&rewards);
    foray_run_close(w.run);
    cli_view_close(&w.view);
    return code;
}

static const cli_option options[] = {
    CLI_FILE('o', "output", "DATA", "the CSV file to write; by default, standard output"),
    CLI_OPTION_FORCE,
    CLI_FILE('r', "reward", "REWARD",
             "a reward file or goal:STATE; adds a column with the rewards of the steps"),
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_data = {
    .name = "data",
    .group = CLI_GROUP_CARRY,
    .summary = "write the episodes of a run as CSV",
    .operands = "RUN",
    .min = 1,
    .max = 1,
    .words = CLI_WORDS_FILE,
    .description =
        "Writes every step of every episode as a row with the columns\n"
        "episode,step,state,action,next, all by number. 'foray learn' reads such files, and\n"
        "gives the same certificates from likelihoods as the run, to the last bit. If the\n"
        "algorithm can ask about any state (generative), each step is an episode of its own.",
    .options = options,
    .answers = true,
    .exits = {CLI_BAD_INPUT, CLI_BAD_RUN},
    .examples = "foray explore chain -k 100 -o chain.foray\n"
                "foray data chain.foray -o chain.csv\n"
                "foray data chain.foray -r goal:0 -o rewards.csv\n",
    .run = run_data,
};
