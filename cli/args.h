/* args.h - one table-driven parser for the arguments of every subcommand.
 *
 * A command lists its options as rows; the rows of the settings table and the
 * options every command has are added to them. Help, manual and completion
 * read the same rows, so that none of them can fall behind. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What words may stand for a value: shells complete them. */
typedef enum cli_words {
    CLI_WORDS_NONE,
    CLI_WORDS_FILE,
    CLI_WORDS_WORLD, /* a built-in world, or a model file */
    CLI_WORDS_ALGORITHM,
    CLI_WORDS_COMMAND,
} cli_words;

typedef struct cli_option {
    const char *name;     /* long, without the dashes; NULL ends a table */
    const char *value;    /* what help calls its value; NULL: a switch */
    const char *choices;  /* "this|that", or NULL: anything */
    const char *fallback; /* the default as text, or NULL */
    const char *help;
    cli_words words; /* what completes its value */
    char letter;     /* short form, or 0 */
    bool setting;    /* a row of the settings table, or a parameter of an experiment */
} cli_option;

typedef struct cli_options {
    int64_t count;
    cli_option *row;
    struct cli_setting_texts *texts; /* what the rows of settings point to */
} cli_options;

/* The options of a command: its own, with_settings those of the settings table, or else
 * the parameters of an experiment of the lab (NULL: none), and --help. False: out of
 * memory. */
bool cli_options_create(const cli_option *own, bool with_settings, const char *experiment,
                        cli_options *out);
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
 * where they make no sense. Reading stops at --help. */
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
