/* compare.c - foray compare: algorithms side by side on one world. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "output.h"

typedef struct contest {
    cli_session *session;
    const char *directory;
    foray_model *model;
    foray_comparison what;
    cli_rewards reward;     /* that of -r, or none */
    char *names;            /* a copy of what -a lists, cut at the commas */
    const char **algorithm; /* [what.algorithms], into `names` or the library's own */
    cli_work work;
} contest;

/* ---------------------------------------------------------------------- algorithms */

static bool algorithm_exists(const char *name, cli_guess *guess)
{
    const char *known;
    for (int64_t i = 0; foray_algorithm_describe(i, &known, NULL); i++) {
        if (strcmp(known, name) == 0)
            return true;
        cli_guess_try(guess, known);
    }
    return false;
}

static cli_exit add_algorithm(contest *c, const char *name)
{
    cli_guess guess = {name, NULL, 0};
    if (!algorithm_exists(name, &guess))
        return cli_fail(c->session, CLI_USAGE, "there is no algorithm '%s'%s%s%s", name,
                        guess.best ? "; did you mean '" : "", guess.best ? guess.best : "",
                        guess.best ? "'?" : "");
    c->algorithm[c->what.algorithms++] = name;
    return CLI_DONE;
}

static cli_exit read_algorithms(contest *c)
{
    const char *list = cli_value(c->session, "algorithm");
    if (!list)
        return cli_fail(c->session, CLI_USAGE,
                        "-a is required: the algorithms to compare, A,B,...");
    c->names = strdup(list);
    c->algorithm = calloc(strlen(list) + 1, sizeof *c->algorithm);
    if (!c->names || !c->algorithm)
        return cli_fail(c->session, CLI_BAD_INPUT, "out of memory");
    c->what.algorithm = c->algorithm;
    cli_exit code = CLI_DONE;
    for (char *name = c->names, *rest; name && code == CLI_DONE; name = rest) {
        rest = strchr(name, ',');
        if (rest)
            *rest++ = 0;
        code = add_algorithm(c, name);
    }
    return code;
}

/* ------------------------------------------------------------------------ settings */

static cli_exit read_options(contest *c)
{
    cli_session *session = c->session;
    foray_comparison_default(&c->what);
    c->what.mode = cli_choice(session, "mode");
    c->what.seeds = cli_whole(session, "seeds");
    c->what.seconds = cli_real(session, "seconds");
    c->what.rewards = cli_whole(session, "rewards");
    c->what.goals = cli_whole(session, "goals");
    c->what.rounds = cli_whole(session, "rounds");
    cli_exit code = cli_shard_read(session, &c->what.shard);
    if (code == CLI_DONE)
        code = cli_settings_apply(session, "algorithm", &c->what.settings);
    return code == CLI_DONE ? read_algorithms(c) : code;
}

/* ------------------------------------------------------------------------- the end */

/* The text table is there to be read: show it as it was written. */
static cli_exit print_summary(const contest *c)
{
    cli_exit code = cli_print_file(c->session, c->directory, "summary.txt");
    if (code != CLI_DONE)
        return code;
    printf("\ntables, plots and a page: ");
    cli_put(stdout, 0, c->directory);
    printf("/index.html\n");
    return CLI_DONE;
}

static cli_exit show_comparison(const contest *c)
{
    cli_output output;
    if (!c->session->json)
        return print_summary(c);
    cli_output_begin(&output, c->session);
    cli_output_text(&output, "world", c->session->args.operand[0]);
    cli_output_text(&output, "directory", c->directory);
    cli_output_open_list(&output, "algorithms");
    for (int64_t i = 0; i < c->what.algorithms; i++)
        cli_output_text(&output, "algorithm", c->algorithm[i]);
    cli_output_close(&output);
    cli_output_csv(&output, "summary", c->directory, "summary.csv");
    cli_output_csv(&output, "learning", c->directory, "learning.csv");
    cli_output_integer(&output, "seeds", c->what.seeds);
    cli_output_integer(&output, "runs", c->work.last.finished);
    cli_output_real(&output, "seconds", c->work.last.seconds);
    return cli_output_end(&output, c->session, CLI_DONE);
}

static cli_exit compare(contest *c)
{
    cli_session *session = c->session;
    const char *source = session->args.operand[0];
    cli_exit code = cli_world_open_checked(session, source, &c->model);
    if (code == CLI_DONE && cli_has(session, "reward"))
        code = cli_reward_open(session, c->model, &c->reward);
    if (code != CLI_DONE)
        return code;
    c->what.reward = c->reward.count > 0 ? c->reward.item[0] : NULL;
    cli_progress_begin(&c->work.line, 0);
    foray_status status = foray_compare(session->ctx, c->model, source, &c->what, c->directory,
                                        cli_work_step, &c->work);
    cli_progress_end(&c->work.line);
    if (status == FORAY_INTERRUPTED)
        return cli_fail(session, CLI_STOPPED,
                        "stopped by a signal after %" PRId64 " of %" PRId64 " runs; "
                        "run the same command again to continue",
                        c->work.last.finished, c->work.last.parts);
    code = cli_status(session, status);
    if (code == CLI_DONE && c->what.shard.of > 0)
        return cli_shard_show(session, c->what.shard, c->directory, &c->work);
    return code == CLI_DONE ? show_comparison(c) : code;
}

static cli_exit run_compare(cli_session *session)
{
    contest c = {.session = session,
                 .directory = cli_value(session, "output"),
                 .work = {.heading = "", .parts = "runs"}};
    if (!c.directory)
        return cli_fail(session, CLI_USAGE, "-o is required: the directory for the results");
    cli_exit code = cli_refuse_stdout(session, c.directory);
    if (code == CLI_DONE)
        code = read_options(&c);
    if (code == CLI_DONE)
        code = compare(&c);
    cli_rewards_close(&c.reward);
    foray_model_destroy(c.model);
    free(c.names);
    free(c.algorithm);
    return code;
}

static const cli_option options[] = {
    CLI_FILE('o', "output", "DIR", "the directory for tables and plots (required)"),
    CLI_WHOLE(0, "seeds", "N", "5", 1, 1000000, "runs of each algorithm, with consecutive seeds"),
    CLI_REAL(0, "seconds", "T", "0", 0, 1e9,
             "end a run after this many seconds of exploring; 0: never"),
    CLI_OPTION_MODE,
    CLI_WHOLE(0, "rewards", "N", "32", 1, 1000000,
              "rewards in each random family: dense, sparse, timed"),
    CLI_WHOLE(0, "goals", "N", "256", 0, CLI_UNBOUNDED,
              "largest number of goal states, drawn at random; 0: every state"),
    CLI_WHOLE(0, "rounds", "N", "4", 0, 1000000, "rounds of the adversary"),
    CLI_OPTION_GIVEN,
    CLI_OPTION_LITERAL,
    CLI_OPTION_SHARD,
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_compare = {
    .name = "compare",
    .summary = "compare algorithms on a world: tables and plots over seeds",
    .operands = "WORLD|MODEL",
    .least = 1,
    .most = 1,
    .words = CLI_WORDS_WORLD,
    .description =
        "Runs each algorithm of -a A,B,... with each seed and measures, after 1, 2, 3, 6,\n"
        "10, 18, ... episodes, how good its policies are: the worst and the mean gap over\n"
        "goal states, over random dense, sparse and time-dependent rewards, and over the\n"
        "rewards of an adversary; also its certificate, the states it covered, the time per\n"
        "episode and the size of its state. Algorithms that see the reward while they\n"
        "explore need one with -r; its gap is then measured too.\n"
        "\n"
        "The directory receives results.csv, times.csv, summary.csv, summary.txt,\n"
        "learning.csv, plots and index.html. Runs proceed in parallel, one thread each.\n"
        "Finished runs are reused: the same command continues where it stopped, also with\n"
        "more seeds or algorithms, but not with other settings. Apart from times, the same\n"
        "seeds give the same results.\n"
        "\n"
        "With --shard I/N it makes only a share of the runs and writes no results: start\n"
        "shards 1/N to N/N side by side, on one machine or on many that see the directory;\n"
        "then the same command without --shard writes what a single process would have\n"
        "written, and makes what is missing.",
    .options = options,
    .takes_settings = true,
    .exits = {CLI_BAD_INPUT, CLI_WORLD_FAILED, CLI_STOPPED},
    .examples = "foray compare chain -a ucrl-rfe,random -k 300 --seeds 3 -o chain\n"
                "foray compare chain -a ucrl-rfe,random,rf-express -k 300 --seeds 4 -o chain\n"
                "foray compare chain -a ucrl-rfe,random -k 300 --seeds 3 --shard 2/3 -o shared\n"
                "foray compare riverswim -a ucrl-rfe,random -k 100000 --seconds 0.2 -o quick\n"
                "foray compare riverswim -a ucrl-rfe,ucrl-vtr -r goal:5 -k 200 --seeds 2 -o cost\n",
    .run = run_compare,
};
