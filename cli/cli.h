/* cli.h - what the subcommands of foray share. Each is one file that fills a
 * cli_command; commands.c lists them. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdarg.h>
#include <stdio.h>

#include "args.h"
#include "foray/lab.h"
#include "base/base.h"
#include "base/level.h"

/* ------------------------------------------------------------------ exit codes */

#define CLI_EXIT_LIST(X)                                                                           \
    X(CLI_DONE, 0, "done")                                                                         \
    X(CLI_NOT_MET, 1, "the check failed, or the target was not met within the budget")             \
    X(CLI_USAGE, 2, "invalid arguments")                                                           \
    X(CLI_BAD_INPUT, 3, "bad input, a file that cannot be read or written, or out of memory")      \
    X(CLI_WORLD_FAILED, 4, "the world failed")                                                     \
    X(CLI_BAD_RUN, 5, "a run file that is damaged, not a run, or from a newer Foray")              \
    X(CLI_STOPPED, 130, "interrupted by a signal; everything is saved")

typedef enum cli_exit {
#define CLI_EXIT_CODE(name, value, text) name = (value),
    CLI_EXIT_LIST(CLI_EXIT_CODE)
#undef CLI_EXIT_CODE
} cli_exit;

/* -------------------------------------------------------------------- commands */

typedef struct cli_session cli_session;
typedef struct cli_view cli_view;     /* view.h */
typedef struct cli_inputs cli_inputs; /* destination.c */

enum { CLI_MAX_EXITS = 6 };

/* The headings of foray --help, in their order. */
#define CLI_GROUP_LIST(X)                                                                          \
    X(CLI_GROUP_FIRST, "most used")                                                                \
    X(CLI_GROUP_EXPLORE, "explore")                                                                \
    X(CLI_GROUP_PLAN, "plan")                                                                      \
    X(CLI_GROUP_SHOW, "show")                                                                      \
    X(CLI_GROUP_CARRY, "bring and take")                                                           \
    X(CLI_GROUP_RESEARCH, "research")

typedef enum cli_group {
#define CLI_GROUP(name, heading) name,
    CLI_GROUP_LIST(CLI_GROUP)
#undef CLI_GROUP
} cli_group;

typedef struct cli_command {
    const char *name; /* one word, or two: "world export" */
    cli_group group;
    const char *summary;  /* one line, without a full stop */
    const char *operands; /* for the usage line; "" if none */
    int64_t min, max;     /* how many operands */
    cli_words words;      /* what completes the first of them */
    const char *description;
    const cli_option *options;     /* its own; NULL: none */
    bool answers;                  /* what it prints is all it is for: --quiet leaves it alone */
    bool takes_settings;           /* the rows of the settings table are options too */
    const char *often;             /* "output,episodes": what help begins with; or NULL */
    const char *experiment;        /* the parameters of which are options too; or NULL */
    cli_exit exits[CLI_MAX_EXITS]; /* beside 0 and 2, which every command has */
    const char *examples;          /* shell lines that work in an empty directory */
    cli_exit (*run)(cli_session *session);
} cli_command;

/* The command of row `index`; NULL past the end. */
const cli_command *cli_command_at(int64_t index);

/* The command of experiment `index` of the lab; NULL past the end. */
const cli_command *cli_lab_command(int64_t index);

/* The command that these words begin with; *used: how many of them are its name. NULL: none. */
const cli_command *cli_command_find(int64_t words, const char *const *word, int64_t *used);

/* All options that a command takes, --quiet and --help among them. False: out of memory. */
bool cli_command_options(const cli_command *command, cli_options *out);

/* Is this the first word of commands of two words, such as "lab"? */
bool cli_command_is_group(const char *word);

/* The command whose name is like what was typed, or NULL. */
const char *cli_command_nearest(const char *typed);

/* A subcommand at work. */
struct cli_session {
    const cli_command *command;
    cli_options options;
    cli_args args;
    foray_context *ctx;
    const cli_view *view; /* names rewards, if there is one */
    foray_run *own;       /* the run whose world's own reward is called "own"; NULL: none is */
    cli_inputs *inputs;   /* files that the command reads, as far as they matter so far */
    bool json;
    const char *level; /* of the processor, for tests; NULL: the widest */
};

/* Parses the arguments of a command and runs it. level: see fy_level_set; or NULL. */
cli_exit cli_command_run(const cli_command *command, const char *level, int64_t words,
                         char *const *word);

static inline const char *cli_value(const cli_session *session, const char *name)
{
    return cli_args_value(&session->args, name);
}

static inline bool cli_has(const cli_session *session, const char *name)
{
    return cli_args_has(&session->args, name);
}

/* Options that several commands have. */
#define CLI_OPTION_HELP                                                                            \
    {                                                                                              \
        .is = {.name = "help", .kind = FORAY_TEXT, .help = "print this help and exit"},            \
        .letter = 'h'                                                                              \
    }
#define CLI_OPTION_JSON CLI_SWITCH("json", "print one JSON object instead of text")
#define CLI_OPTION_PROGRESS                                                                        \
    CLI_CHOICE(0, "progress", "HOW", "bar", "bar|json",                                            \
               "how progress is shown on standard error; bar: on a terminal, json: a line of "     \
               "JSON every second, for logs")
#define CLI_OPTION_THREADS                                                                         \
    CLI_INTEGER(0, "threads", "N", "cores online", 1, 1024,                                        \
                "number of threads; results do not depend on it")
#define CLI_OPTION_REWARD                                                                          \
    CLI_FILE('r', "reward", "REWARD",                                                              \
             "a reward file (- is standard input); goal:STATE (1 per visit), goals (all of "       \
             "these), reach:STATE or avoid:STATE (the "                                            \
             "probability of getting there, of never being there; states by number or name, "      \
             "several as 3,7); task:FORMULA (the probability that an episode satisfies it); a "    \
             "reward that the system names, such as balance; or own, what the "                    \
             "world itself paid, if the run has it; may be repeated")
#define CLI_OPTION_DISCOUNT                                                                        \
    CLI_REAL(0, "discount", "G", NULL, 0, 1,                                                       \
             "discount factor: the reward of step t, counted from 0, is multiplied by G^t; by "    \
             "default, what the reward file says, or 1")
#define CLI_OPTION_OPTIMISE                                                                        \
    CLI_CHOICE(0, "optimise", "WHICH", NULL, "max|min",                                            \
               "maximise or minimise every reward; by default, what its file says, or max")
#define CLI_OPTION_SETS                                                                            \
    CLI_CHOICE(0, "radius", "RADIUS", "likelihood", "likelihood|refit",                            \
               "what it rests on: the full likelihood of the data, or likelihoods of later data "  \
               "with priors from earlier ones, for long runs")
#define CLI_OPTION_REQUIRE                                                                         \
    CLI_REAL(0, "require", "EPS", NULL, 0, 1e300,                                                  \
             "end with exit code 1 if a certificate is above this")
#define CLI_OPTION_DOUBT                                                                           \
    CLI_INTEGER(0, "doubt", "N", "3", 0, 1000000,                                                  \
                "how many places and laws to show as the reason why a certificate is above 0; "    \
                "without this option, shown and written only if there is a single reward")
#define CLI_OPTION_FORCE                                                                           \
    CLI_SWITCH("force", "replace that file if it exists; never one that the command reads")
#define CLI_OPTION_TO                                                                              \
    CLI_CHOICE(0, "to", "FORMAT", NULL, "json|compact",                                            \
               "format to write; by default, determined by the ending .json or .compact")

#define CLI_OPTION_GIVEN                                                                           \
    CLI_FILE('r', "reward", "REWARD",                                                              \
             "the reward, for algorithms that see it; a reward file or goal:STATE")
#define CLI_OPTION_LITERAL                                                                         \
    CLI_SWITCH("literal",                                                                          \
               "the paper's algorithm: radius theorem, centring and blocks off, clip "             \
               "horizon, replan every, without its misprints; other options override it")
#define CLI_OPTION_MODE                                                                            \
    CLI_CHOICE('m', "mode", "MODE", "plugin", "optimistic|plugin|pessimistic",                     \
               "which recursion the policy maximises")

/* Is there an algorithm of that name? If not, the guess has tried them all. */
bool cli_algorithm_exists(const char *name, cli_guess *guess);
/* Settings given as options, --literal first, so that flags beside it win; the one
 * called `except` (may be NULL) is left to the caller. */
cli_exit cli_settings_apply(cli_session *session, const char *except, foray_settings *settings);

/* Checks the values of all options that are not settings. */
cli_exit cli_options_check(cli_session *session);

/* The value of an option that has one, given or by default; a choice counts from 0. */
int64_t cli_integer(const cli_session *session, const char *name);
double cli_real(const cli_session *session, const char *name);
int cli_choice(const cli_session *session, const char *name);

/* ---------------------------------------------------------------- destinations */

/* Adds the file, or the files of a system, that a text names to what the command reads: they
 * are not overwritten. What the command line names need not be added. */
cli_exit cli_input_add(cli_session *session, const char *text);
void cli_inputs_free(cli_inputs *inputs);

/* Is this "-", or another name of standard output? */
bool cli_is_stdout(const char *path);
/* CLI_USAGE where only a file or a directory will do. */
cli_exit cli_refuse_stdout(cli_session *session, const char *path);
/* May the command write there? CLI_USAGE if something is there and --force was not given, or
 * if it is something that the command reads; to be asked before long work. */
cli_exit cli_destination_check(cli_session *session, const char *path);
/* Writes one of many files of a directory, which was asked about before; fy_files_sync follows.
 */
cli_exit cli_destination_put(cli_session *session, const char *path, const void *data, size_t size);
/* Asks again, and writes. What goes to standard output must be all that does. */
cli_exit cli_destination_write(cli_session *session, const char *path, const void *data,
                               size_t size);
/* The same piece by piece (fy_file_add); not for standard output. */
cli_exit cli_destination_open(cli_session *session, const char *path, fy_file **out);
/* A command that failed takes back a file it has written before: unless that replaced another. */
void cli_destination_undo(const cli_session *session, const char *path);

/* -------------------------------------------------------------------- messages */

/* Prints a text that somebody else wrote (a name, a path, a file's content), and spaces up to
 * `width` columns. Control characters come out as \n, \x1b: what is in a file must not
 * reach the terminal as a command. */
void cli_put(FILE *stream, int width, const char *text);
/* The same of a path in a command that can be copied into a shell. */
void cli_put_word(FILE *stream, const char *word);
/* The same for a whole message. */
void cli_put_message(FILE *stream, const char *format, va_list values)
    __attribute__((format(printf, 2, 0)));

/* "foray explore: ..." on standard error, for CLI_USAGE with a hint where to read
 * on. Returns `code`. */
cli_exit cli_fail(const cli_session *session, cli_exit code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The exit code of a status. Errors print the library's message first. */
cli_exit cli_status(const cli_session *session, foray_status status);
/* The exit code alone. */
cli_exit cli_status_code(foray_status status);

/* Closes a run that may have been written. Returns `code`, unless all was well until the run
 * could not be closed. */
cli_exit cli_run_close(const cli_session *session, foray_run *run, cli_exit code);

/* ---------------------------------------------------- what is read more than once */

typedef struct cli_reread {
    const char *shown; /* what messages call it */
    char path[32];     /* what can be opened as often as one likes; empty: `shown` can */
    void *file;        /* its temporary file, which has no name */
} cli_reread;

/* "-" is standard input. What is not a file is copied into one, up to its end. */
cli_exit cli_reread_open(cli_session *session, const char *path, cli_reread *out);
void cli_reread_close(cli_reread *data);

/* The path to open. */
const char *cli_reread_path(const cli_reread *data);

/* cli_status, with what the data are called in the place of the temporary file. */
cli_exit cli_reread_status(const cli_session *session, const cli_reread *data, foray_status status);

/* ------------------------------------------------------ models, rewards, certificates */

/* Built-in world `index`, and after the worlds the built-in systems; false past the end. */
bool cli_world_at(int64_t index, foray_world_info *info);

/* The model that an argument names: that of a system such as pendulum (view.h); a file if it
 * has a '/', ends in .json or .compact, or is there; else a built-in world such as
 * rooms:rows=3. */
cli_exit cli_model_open(cli_session *session, const char *source, foray_model **out);

/* Is that a model or a built-in world, rather than a run or nothing at all? */
bool cli_names_model(const char *source);

/* The same for a model that must know its theta. Explorers check what they are given. */
cli_exit cli_world_open(cli_session *session, const char *source, foray_model **out);

/* The same for one that must be valid, and that no explorer is about to check. */
cli_exit cli_world_open_checked(cli_session *session, const char *source, foray_model **out);

/* cli_status of what was made from a model: complaints about the model name its source. */
cli_exit cli_status_of_model(cli_session *session, const char *source, foray_status status);

/* How to write a model to `path`: by --to, or by the ending of the path. */
cli_exit cli_model_format(cli_session *session, const char *path, foray_model_format *format);
/* Writes it, as cli_destination_write does. */
cli_exit cli_model_write(cli_session *session, const foray_model *model, foray_model_format format,
                         const char *path);

typedef struct cli_rewards {
    int64_t count;
    foray_reward **item;     /* NULL: one of "goals" that is not open */
    int64_t own;             /* which of them, from 1, is what the world of the run pays; 0: none */
    int64_t goals_at, goals; /* the first of "goals", and how many they are */
} cli_rewards;

/* Is there a -r that is neither goal:STATE or its like nor a file, so that only a system can know
 * it? */
bool cli_rewards_need_view(const cli_session *session);
/* All rewards given with -r, at least one. The session's view, if it has one, knows some by
 * name. */
cli_exit cli_rewards_open(cli_session *session, const foray_model *model, cli_rewards *out);
/* The same, but those of "goals", which may be more than memory holds, are opened when it is their
 * turn: cli_rewards_turn opens those of from..to-1 and closes all others of them. */
cli_exit cli_rewards_list(cli_session *session, const foray_model *model, cli_rewards *out);
cli_exit cli_rewards_turn(cli_session *session, const foray_model *model, cli_rewards *rewards,
                          int64_t from, int64_t to);
/* What a reward is called, open or not. */
enum { CLI_GOAL_BYTES = 32 };
const char *cli_rewards_name(const cli_rewards *rewards, int64_t i, char goal[CLI_GOAL_BYTES]);
/* All that are given with another option, perhaps none; "goals" is every goal:STATE. */
cli_exit cli_rewards_open_as(cli_session *session, const foray_model *model, const char *option,
                             cli_rewards *out);
/* The one reward given with -r, to be explored for. */
cli_exit cli_reward_open(cli_session *session, const foray_model *model, cli_rewards *out);
void cli_rewards_close(cli_rewards *rewards);
/* All limits given with --subject-to 'REWARD >= NUMBER'. */
typedef struct cli_limits {
    int64_t count;
    foray_reward **reward;
    foray_limit *limit;
} cli_limits;
cli_exit cli_limits_open(cli_session *session, const foray_model *model, cli_limits *out);
void cli_limits_close(cli_limits *limits);
/* foray plan --subject-to (limits.c). */
cli_exit cli_plan_limited(cli_session *session);

/* "foray plan RUN -r REWARD", to be copied into a shell: a reward that was explored for, or the
 * goal that is farthest from where episodes begin. */
void cli_print_next_plan(const cli_session *session, foray_run *run, const char *path);
/* What a policy of this value loses against the best: at least 0, also where less is better. */
double cli_loss(const foray_reward *reward, double value, double optimal);
/* What a return is at least and at most: the sums of g^t low and of g^t high over all steps, or 0
 * and 1 of a probability. */
void cli_return_range(const foray_reward *reward, int64_t horizon, double *min, double *max);

/* The policy that a file has, for a model of its shape: a policy file, or CSV with the columns
 * step,state,action. The caller releases *out, also after a failure. */
cli_exit cli_policy_open(cli_session *session, const foray_model *model, const char *path,
                         foray_policy **out);

/* Prints the map of a model with the actions of a policy's first step. */
void cli_map_print(const foray_model *model, const foray_policy *policy);

/* ------------------------------------------------------------------------ help */

void cli_help_overview(void);
void cli_help_group(const char *group);
/* Does an algorithm of the list "A,B" have this setting? */
bool cli_option_is_of(const cli_option *option, const char *algorithms);
/* With the settings of algorithms "A,B"; NULL: those that all have. */
void cli_help_command(const cli_command *command, const cli_options *options,
                      const char *algorithms);
/* The heading over an option with which a group of them begins: "more options". */
const char *cli_help_heading(const cli_options *options, const cli_option *option);
/* The left column of an option: "-o, --output FILE". */
void cli_help_flag(const cli_option *option, char *text, size_t size);
/* What an option does, its choices and its default, in one line. */
void cli_help_text(const cli_option *option, char *text, size_t size);
/* Prints words up to the width of a page, further lines indented. */
void cli_help_wrapped(const char *text, int indent);

/* A page of the manual: "" is foray(1); a command's name; or "algorithms". False: there is none. */
bool cli_manual_print(const char *page);
void cli_complete_print(int64_t words, const char *const *word);

#endif
