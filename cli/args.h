/* args.h - one table-driven parser for the arguments of every subcommand.
 *
 * A command lists its options as rows, each of them a parameter of the library's kind
 * with what a command line adds; the settings and the options every command has are added
 * to them. Values are checked before the command runs. Help, manual and completion read
 * the same rows, so that none of them can fall behind. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "foray/foray.h"

/* What --until is if nothing is given. */
#define CLI_NO_TARGET "none"

/* What words may stand for a value: shells complete them. */
typedef enum cli_words {
    CLI_WORDS_NONE,
    CLI_WORDS_FILE,
    CLI_WORDS_WORLD, /* a built-in world, or a model file */
    CLI_WORDS_ALGORITHM,
    CLI_WORDS_COMMAND,
} cli_words;

/* What help and the manual print together. */
typedef enum cli_option_group {
    CLI_OPTIONS_MORE,     /* what a command takes, but for what people use */
    CLI_OPTIONS_RESEARCH, /* settings that all algorithms have */
    CLI_OPTIONS_OWN,      /* settings that only some have */
    CLI_OPTION_GROUPS,
    CLI_OPTIONS_OFTEN = CLI_OPTION_GROUPS, /* what people use: before all others */
} cli_option_group;

typedef struct cli_option {
    foray_parameter is; /* its name is long, without the dashes; NULL ends a table */
    const char *value;  /* what help calls its value; NULL: a switch */
    cli_words words;    /* what completes its value */
    char letter;        /* short form, or 0 */
    bool setting; /* of a run, or a parameter of an experiment: the library checks its value */
    cli_option_group group;
} cli_option;

/* Rows of a table. A fallback may be NULL: there is none. */
#define CLI_SWITCH(name_, help_)                                                                   \
    {                                                                                              \
        .is = {.name = (name_), .kind = FORAY_TEXT, .help = (help_) }                              \
    }
#define CLI_TEXT(letter_, name_, value_, help_)                                                    \
    {                                                                                              \
        .is = {.name = (name_), .kind = FORAY_TEXT, .help = (help_)}, .value = (value_),           \
        .letter = (letter_)                                                                        \
    }
#define CLI_FILE(letter_, name_, value_, help_)                                                    \
    {                                                                                              \
        .is = {.name = (name_), .kind = FORAY_TEXT, .help = (help_)}, .value = (value_),           \
        .letter = (letter_), .words = CLI_WORDS_FILE                                               \
    }
#define CLI_NUMBER(letter_, name_, kind_, value_, fallback_, min_, max_, help_)                    \
    {                                                                                              \
        .is = {.name = (name_),                                                                    \
               .kind = (kind_),                                                                    \
               .fallback = (fallback_),                                                            \
               .min = (min_),                                                                      \
               .max = (max_),                                                                      \
               .help = (help_)},                                                                   \
        .value = (value_), .letter = (letter_)                                                     \
    }
#define CLI_INTEGER(letter, name, value, fallback, min, max, help)                                 \
    CLI_NUMBER(letter, name, FORAY_INTEGER, value, fallback, min, max, help)
#define CLI_REAL(letter, name, value, fallback, min, max, help)                                    \
    CLI_NUMBER(letter, name, FORAY_REAL, value, fallback, min, max, help)
#define CLI_CHOICE(letter_, name_, value_, fallback_, choices_, help_)                             \
    {                                                                                              \
        .is = {.name = (name_),                                                                    \
               .kind = FORAY_CHOICE,                                                               \
               .fallback = (fallback_),                                                            \
               .choices = (choices_),                                                              \
               .help = (help_)},                                                                   \
        .value = (value_), .letter = (letter_)                                                     \
    }
#define CLI_END                                                                                    \
    {                                                                                              \
        .is = {.name = NULL }                                                                      \
    }
#define CLI_UNBOUNDED 0x1p63

typedef struct cli_options {
    int64_t count;
    cli_option *row;
    struct cli_setting_texts *texts; /* what the rows of settings point to */
} cli_options;

/* The options of a command: its own, with_settings those of the settings table, or else
 * the parameters of an experiment of the lab (NULL: none), and those that every command has;
 * first those of the list "output,episodes" (NULL: none), and then group after group.
 * False: out of memory. */
bool cli_options_create(const cli_option *own, const char *often, bool with_settings,
                        const char *experiment, const cli_option *common, cli_options *out);
void cli_options_destroy(cli_options *options);

/* The option of this long name (of `length` bytes) or letter; NULL: none. */
const cli_option *cli_options_long(const cli_options *options, const char *name, size_t length);
const cli_option *cli_options_letter(const cli_options *options, char letter);

/* What stood on the command line. Texts are those of argv. */
typedef struct cli_args {
    int64_t count;
    const cli_option **option; /* [count] in the order given */
    const char **value;        /* [count] NULL for switches */
    int64_t operands;
    const char **operand;
} cli_args;

enum { CLI_ARGS_PROBLEM = 256 };

/* Reads the words after the command's name. False, with the cause in `problem`,
 * where they are invalid, or "" where memory ran out. Reading stops at --help. */
bool cli_args_parse(const cli_options *options, int64_t words, char *const *word, cli_args *out,
                    char problem[CLI_ARGS_PROBLEM]);
void cli_args_destroy(cli_args *args);

/* The value given last for an option, NULL if it was not given. */
const char *cli_args_value(const cli_args *args, const char *name);
bool cli_args_has(const cli_args *args, const char *name);

/* The candidate nearest to a mistyped word: begin with {word}, try them all. */
typedef struct cli_guess {
    const char *word;
    const char *best; /* NULL: nothing is near */
    size_t distance;
} cli_guess;
void cli_guess_try(cli_guess *guess, const char *candidate);

#endif
