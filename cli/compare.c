/* compare.c - foray compare: algorithms side by side on one world. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compare/compare.h"
#include "experiment.h"
#include "figure.h"
#include "view.h"
#include "workers.h"

typedef struct contest {
    cli_session *session;
    const char *world;     /* the one at hand, */
    const char *directory; /* and where its results go */
    foray_model *model;
    foray_comparison what;
    cli_rewards rewards; /* that of -r, or none; in reality those to plan for */
    /* Where the truth is not known. */
    cli_view view;
    foray_world *explored;
    int64_t *index; /* [rewards] of the system's own reward; -1: one of clusters */
    foray_reality reality;
    char *names;            /* a copy of what -a lists, cut at the commas */
    const char **algorithm; /* [what.algorithms], into `names` or the library's own */
    cli_work work;
    cli_output *output; /* NULL: as text */
} contest;

/* ---------------------------------------------------------------------- algorithms */

static cli_exit add_algorithm(contest *c, const char *text)
{
    char name[64];
    cli_guess guess = {name, NULL, 0};
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    /* A name that is nearly right is worth more than the list of all, which the library gives. */
    if (!cli_algorithm_exists(name, &guess) && guess.best)
        return cli_fail(c->session, CLI_USAGE, "there is no algorithm '%s'; did you mean '%s'?",
                        name, guess.best);
    if (strcmp(name, "recorded") == 0)
        return cli_fail(c->session, CLI_USAGE,
                        "recorded explores nothing: there is nothing to "
                        "compare");
    c->algorithm[c->what.algorithms++] = text;
    return CLI_DONE;
}

/* Does "key=value,word,..." go on with a word that begins another algorithm? */
static bool begins_algorithm(const char *text)
{
    size_t name = strcspn(text, ",:=");
    return text[name] != '=';
}

/* The algorithms of "A,B:key=value,key=value,C", cut in place. */
static cli_exit add_algorithms(contest *c, char *list)
{
    cli_exit code = CLI_DONE;
    for (char *text = list, *comma = list; comma && code == CLI_DONE;) {
        comma = strchr(comma, ',');
        if (comma && !begins_algorithm(comma + 1)) {
            comma++;
            continue;
        }
        if (comma)
            *comma++ = 0;
        code = add_algorithm(c, text);
        text = comma;
    }
    return code;
}

/* Room for copies of every -a, each of which is a list. */
static cli_exit make_room_for_algorithms(contest *c)
{
    const cli_args *args = &c->session->args;
    size_t size = 0;
    for (int64_t i = 0; i < args->count; i++)
        if (strcmp(args->option[i]->is.name, "algorithm") == 0)
            size += strlen(args->value[i]) + 1;
    if (size == 0)
        return cli_fail(c->session, CLI_USAGE,
                        "-a is required: the algorithms to compare, A,B:key=value,...");
    c->names = malloc(size);
    c->algorithm = calloc(size, sizeof *c->algorithm);
    c->what.algorithm = c->algorithm;
    return c->names && c->algorithm ? CLI_DONE
                                    : cli_fail(c->session, CLI_BAD_INPUT, "out of memory");
}

static cli_exit read_algorithms(contest *c)
{
    const cli_args *args = &c->session->args;
    cli_exit code = make_room_for_algorithms(c);
    size_t used = 0;
    for (int64_t i = 0; i < args->count && code == CLI_DONE; i++) {
        if (strcmp(args->option[i]->is.name, "algorithm") != 0)
            continue;
        size_t length = strlen(args->value[i]) + 1;
        snprintf(c->names + used, length, "%s", args->value[i]);
        /* run_compare frees them. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        code = add_algorithms(c, c->names + used);
        used += length;
    }
    return code;
}

/* ------------------------------------------------------------------------ settings */

static cli_exit read_options(contest *c)
{
    cli_session *session = c->session;
    foray_comparison_default(&c->what);
    c->what.mode = cli_choice(session, "mode");
    c->what.seeds = cli_integer(session, "seeds");
    c->what.seconds = cli_real(session, "seconds");
    c->what.rewards = cli_integer(session, "rewards");
    c->what.goals = cli_integer(session, "goals");
    c->what.rounds = cli_integer(session, "rounds");
    cli_exit code = cli_shard_read(session, &c->what.shard);
    if (code == CLI_DONE)
        code = cli_settings_apply(session, "algorithm", &c->what.settings);
    return code == CLI_DONE ? read_algorithms(c) : code;
}

/* ----------------------------------------------------------------- what is explored */

static cli_exit open_known(contest *c)
{
    cli_exit code = cli_world_open_checked(c->session, c->world, &c->model);
    if (code == CLI_DONE && cli_has(c->session, "reward"))
        code = cli_reward_open(c->session, c->model, &c->rewards);
    c->what.reward = c->rewards.count > 0 ? c->rewards.item[0] : NULL;
    return code;
}

/* Those of -r, or all that the system names. */
static cli_exit open_rewards(contest *c)
{
    cli_session *session = c->session;
    int64_t named = foray_system_describe(c->view.system)->rewards;
    cli_exit code = CLI_DONE;
    session->view = &c->view;
    if (cli_has(session, "reward"))
        return cli_rewards_open(session, c->model, &c->rewards);
    if (named == 0)
        return cli_fail(session, CLI_USAGE, "%s names no rewards: give one with -r", c->world);
    c->rewards.item = calloc((size_t)named, sizeof *c->rewards.item);
    if (!c->rewards.item)
        return cli_fail(session, CLI_BAD_INPUT, "out of memory");
    for (int64_t i = 0; i < named && code == CLI_DONE; i++) {
        code = cli_status(session,
                          foray_system_reward_create(session->ctx, c->view.system, c->view.clusters,
                                                     c->model, i, &c->rewards.item[i]));
        c->rewards.count += code == CLI_DONE;
    }
    return code;
}

static cli_exit choose_rewards(contest *c)
{
    cli_exit code = open_rewards(c);
    if (code != CLI_DONE)
        return code;
    c->index = calloc((size_t)c->rewards.count, sizeof *c->index);
    if (!c->index)
        return cli_fail(c->session, CLI_BAD_INPUT, "out of memory");
    cli_view_indices(c->session, &c->view, &c->rewards, c->index);
    c->reality.rewards = c->rewards.count;
    c->reality.reward = (const foray_reward *const *)c->rewards.item;
    c->reality.index = c->index;
    return CLI_DONE;
}

/* Where the truth is not known. */
static cli_exit open_reality(contest *c)
{
    cli_session *session = c->session;
    c->reality = (foray_reality){.rollouts = cli_integer(session, "rollouts")};
    if (c->what.figure.name)
        return cli_fail(session, CLI_USAGE, "--figure: there are no plots of %s", c->world);
    cli_exit code = cli_view_open(session, c->world, &c->view);
    if (code == CLI_DONE)
        code = cli_view_model(session, &c->view, &c->model);
    if (code == CLI_DONE)
        code = choose_rewards(c);
    if (code == CLI_DONE)
        code = cli_status(session, cli_view_world(session->ctx, &c->view, c->view.system, c->model,
                                                  &c->explored));
    c->reality.world = c->explored;
    c->reality.system = c->view.system;
    c->reality.clusters = c->view.clusters;
    c->what.reality = &c->reality;
    return code;
}

static void close_world(contest *c)
{
    foray_world_destroy(c->explored);
    cli_rewards_close(&c->rewards);
    free(c->index);
    foray_model_destroy(c->model);
    cli_view_close(&c->view);
    c->session->view = NULL;
    c->explored = NULL;
    c->rewards = (cli_rewards){0};
    c->index = NULL;
    c->model = NULL;
    c->view = (cli_view){0};
    c->what.reward = NULL;
    c->what.reality = NULL;
}

/* ----------------------------------------------------------------------- one world */

static void show_comparison(void *user, const fy_lab *lab)
{
    contest *c = user;
    cli_progress_end(&c->work.line);
    if (!c->output) {
        cli_experiment_print(lab);
        printf("\ntables, plots and a page: ");
        cli_put(stdout, 0, c->directory);
        printf("/index.html\n");
        return;
    }
    cli_output_text(c->output, "world", c->world);
    cli_output_text(c->output, "directory", c->directory);
    if (c->what.reality)
        cli_output_text(c->output, "measured_by", "rollouts");
    cli_experiment_output(c->output, lab);
    cli_experiment_count(c->output, &c->work);
}

static cli_exit compare_in(contest *c)
{
    cli_session *session = c->session;
    cli_exit code = cli_view_names(c->world) ? open_reality(c) : open_known(c);
    if (code != CLI_DONE)
        return code;
    cli_experiment_begin(session, &c->work);
    foray_status status = fy_compare_run(session->ctx, c->model, c->world, &c->what, c->directory,
                                         cli_work_step, &c->work, show_comparison, c);
    code = cli_experiment_end(session, &c->work, status);
    if (code == CLI_DONE && c->what.shard.of > 0)
        return cli_shard_show(session, c->what.shard, c->directory, &c->work);
    return code == CLI_DONE ? cli_figure_in(session, c->directory) : code;
}

/* -------------------------------------------------------------------- all of them */

/* With several worlds, each has a directory of its own: DIR/rooms:rows=3,cols=3. */
static cli_exit name_directory(contest *c, const char *parent, char **out)
{
    size_t size = strlen(parent) + strlen(c->world) + 2;
    char *path = malloc(size);
    if (!path)
        return cli_fail(c->session, CLI_BAD_INPUT, "out of memory");
    snprintf(path, size, "%s/%s", parent, c->world);
    for (char *at = path + strlen(parent) + 1; *at; at++)
        if (*at == '/')
            *at = '_';
    *out = path;
    return CLI_DONE;
}

static cli_exit compare_everywhere(contest *c, const char *parent)
{
    const cli_args *args = &c->session->args;
    cli_exit code = CLI_DONE;
    for (int64_t i = 0; i < args->operands && code == CLI_DONE; i++) {
        char *path = NULL;
        c->world = args->operand[i];
        c->directory = parent;
        if (args->operands > 1) {
            code = name_directory(c, parent, &path);
            c->directory = path;
        }
        bool apart = args->operands > 1 && c->output;
        if (apart)
            cli_output_open(c->output, "world");
        else if (i > 0)
            putchar('\n');
        if (code == CLI_DONE)
            code = compare_in(c);
        if (apart)
            cli_output_close(c->output);
        close_world(c);
        free(path);
    }
    return code;
}

static cli_exit refuse_repeats(cli_session *session, const char *parent)
{
    const cli_args *args = &session->args;
    for (int64_t i = 0; i < args->operands; i++)
        for (int64_t k = 0; k < i; k++)
            if (strcmp(args->operand[i], args->operand[k]) == 0)
                return cli_fail(session, CLI_USAGE, "%s is named twice", args->operand[i]);
    if (args->operands > 1 && mkdir(parent, 0777) != 0 && errno != EEXIST)
        return cli_fail(session, CLI_BAD_INPUT, "%s: %s", parent, strerror(errno));
    return CLI_DONE;
}

static cli_exit run_compare(cli_session *session)
{
    contest c = {.session = session, .work = {.heading = "", .parts = "runs"}};
    const char *parent = cli_value(session, "output");
    char font[CLI_FONT_SIZE];
    cli_output output;
    if (!parent)
        return cli_fail(session, CLI_USAGE, "-o is required: the directory for the results");
    cli_exit code = cli_refuse_stdout(session, parent);
    if (code == CLI_DONE)
        code = read_options(&c);
    if (code == CLI_DONE)
        code = cli_figure_read(session, font, &c.what.figure);
    if (code == CLI_DONE)
        code = refuse_repeats(session, parent);
    bool json = code == CLI_DONE && session->json && c.what.shard.of == 0;
    if (json) {
        c.output = &output;
        cli_output_begin(&output, session);
        cli_output_open_list(&output, "algorithms");
        for (int64_t i = 0; i < c.what.algorithms; i++)
            cli_output_text(&output, "algorithm", c.algorithm[i]);
        cli_output_close(&output);
        cli_output_integer(&output, "seeds", c.what.seeds);
        if (session->args.operands > 1)
            cli_output_open_list(&output, "worlds");
    }
    if (code == CLI_DONE)
        code = compare_everywhere(&c, parent);
    if (json) {
        if (session->args.operands > 1)
            cli_output_close(&output);
        code = cli_output_end(&output, session, code);
    }
    free(c.names);
    free(c.algorithm);
    return code;
}

static const cli_option options[] = {
    CLI_FILE('o', "output", "DIR", "the directory for tables and plots (required)"),
    CLI_INTEGER(0, "seeds", "N", "5", 1, 1000000, "runs of each algorithm, with consecutive seeds"),
    CLI_REAL(0, "seconds", "T", "0", 0, 1e9,
             "end a run after this many seconds of exploring; 0: never"),
    CLI_OPTION_MODE,
    CLI_INTEGER(0, "rewards", "N", "32", 1, 1000000,
                "rewards in each random family: dense, sparse, timed"),
    CLI_INTEGER(0, "goals", "N", "256", 0, CLI_UNBOUNDED,
                "largest number of goal states, drawn at random; 0: every state"),
    CLI_INTEGER(0, "rounds", "N", "4", 0, 1000000, "rounds of the adversary"),
    CLI_INTEGER(0, "rollouts", "N", "1000", 2, 1000000000,
                "episodes for which a plan is tried in a system; the truth there is not known"),
    CLI_FILE('r', "reward", "REWARD",
             "the reward, for algorithms that see it; a reward file or goal:STATE; if the truth is "
             "not known, the reward to plan for; may then be repeated"),
    CLI_OPTION_LITERAL,
    CLI_OPTION_SHARD,
    CLI_OPTION_PROGRESS,
    CLI_OPTIONS_FIGURE,
    CLI_OPTION_JSON,
    CLI_OPTION_THREADS,
    CLI_END,
};

const cli_command cli_compare = {
    .name = "compare",
    .group = CLI_GROUP_RESEARCH,
    .summary = "compare algorithms on worlds: tables and plots over seeds",
    .operands = "WORLD|MODEL...",
    .min = 1,
    .max = 1000,
    .words = CLI_WORDS_WORLD,
    .description =
        "Runs each algorithm of -a A,B,... with each seed and measures, after 1, 2, 3, 6,\n"
        "10, 18, ... episodes, its worst and its mean gap over many rewards, its certificate,\n"
        "the states it covered, time and memory. Algorithms that see the reward while they\n"
        "explore need one with -r; its gap is then measured too.\n"
        "\n"
        "The rewards are goal states, random dense, sparse and time-dependent rewards, and\n"
        "those of an adversary, which looks for the worst.\n"
        "\n"
        "An algorithm may have settings of its own, NAME:key=value,key=value, and can thus be\n"
        "compared with itself: -a ucrl-rfe:radius=sharp,ucrl-rfe:radius=theorem. A comma\n"
        "followed by a word without = begins the next; -a may be repeated. With several\n"
        "worlds, each has a directory DIR/WORLD.\n"
        "\n"
        "The directory receives rows.csv, times.csv, summary.csv, summary.txt, findings.txt\n"
        "(which algorithm won, in words), learning.csv, plots and index.html. Runs\n"
        "proceed in parallel, one thread each. Finished runs are reused: the same command\n"
        "continues where it stopped, also with more seeds or algorithms, but not with other\n"
        "settings.\n"
        "Apart from times, the same seeds give the same results. --figure NAME also writes\n"
        "one of the plots for a paper, as figure-NAME in the directory: worst, mean,\n"
        "certificate, covered, time, memory, given; nothing is computed again.\n"
        "\n"
        "The truth of a system (pendulum, exec:COMMAND, plugin:PATH, SYSTEM@states,model=FILE)\n"
        "is not known. Every run then plans for the rewards given with -r, which may be\n"
        "repeated, or for all that the system names, and rollouts measure what the plans earn\n"
        "in reality: summary.txt has the results, rows.csv the runs. Algorithms that see\n"
        "the reward while they explore see the first.\n"
        "\n"
        "With --shard I/N it makes only a share of the runs and writes no results: start\n"
        "shards 1/N to N/N side by side, on one machine or on many that see the directory;\n"
        "then the same command without --shard makes the runs that are missing and writes what\n"
        "a single process would have written.",
    .options = options,
    .often = "output,algorithm,episodes,seeds,reward",
    .takes_settings = true,
    .exits = {CLI_BAD_INPUT, CLI_WORLD_FAILED, CLI_STOPPED},
    .examples = "foray compare chain -a ucrl-rfe,random -k 300 --seeds 3 -o chain --figure worst\n"
                "foray compare chain riverswim -a ucrl-rfe:radius=sharp,random -k 300 -o both\n"
                "foray compare riverswim -a ucrl-rfe,ucrl-vtr -r goal:5 -k 200 --seeds 2 -o cost\n",
    .run = run_compare,
};
