/* args.c - reads options and operands by the rows of a table. */
#include "args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "foray/lab.h"

/* ------------------------------------------------------ the rows of a command */

/* Short forms of settings; all others have the long form only. */
static const struct {
    const char *setting;
    char letter;
} setting_letters[] = {{"algorithm", 'a'}, {"episodes", 'k'}};

static char letter_of_setting(const char *name)
{
    for (size_t i = 0; i < sizeof setting_letters / sizeof *setting_letters; i++)
        if (strcmp(setting_letters[i].setting, name) == 0)
            return setting_letters[i].letter;
    return 0;
}

/* The texts that the option of a setting or of a parameter of the lab points to. */
struct cli_setting_texts {
    char name[64];      /* with '-' for '_' */
    char fallback[256]; /* of a parameter of the lab: the quick and the full one */
};

static void name_option(struct cli_setting_texts *texts, const char *name)
{
    snprintf(texts->name, sizeof texts->name, "%s", name);
    for (char *c = texts->name; *c; c++)
        if (*c == '_')
            *c = '-';
}

/* What help calls a value, by its kind: one, or several. */
static const char *const one_value[] = {"N", "X", "WHICH", "TEXT", "NAME", "WORLD"};
static const char *const several_values[] = {"N,...",    "X,...",    "WHICH,...",
                                             "TEXT,...", "NAME,...", "WORLDS"};

static cli_words words_of(foray_parameter_kind kind)
{
    return kind == FORAY_ALGORITHM ? CLI_WORDS_ALGORITHM
           : kind == FORAY_WORLD   ? CLI_WORDS_WORLD
                                   : CLI_WORDS_NONE;
}

static cli_option option_of_setting(struct cli_setting_texts *texts, const foray_parameter *row)
{
    cli_option option = {.is = *row,
                         .value = one_value[row->kind],
                         .words = words_of(row->kind),
                         .letter = letter_of_setting(row->name),
                         .setting = true};
    name_option(texts, row->name);
    option.is.name = texts->name;
    if (strcmp(row->name, "until") == 0) { /* for which settings have a number below the range */
        option.is.min = 0;
        option.is.fallback = CLI_NO_TARGET;
    }
    return option;
}

static cli_option option_of_parameter(struct cli_setting_texts *texts,
                                      const foray_lab_parameter *parameter)
{
    const char *full = parameter->is.fallback;
    bool same = strcmp(parameter->quick, full) == 0;
    cli_option option = option_of_setting(texts, &parameter->is);
    snprintf(texts->fallback, sizeof texts->fallback, "%s%s%s", full,
             same ? "" : "; quick: ", same ? "" : parameter->quick);
    option.is.fallback = texts->fallback;
    option.value = (parameter->list ? several_values : one_value)[parameter->is.kind];
    option.letter = 0;
    return option;
}

/* An experiment that there is not has no parameters. */
static foray_lab_info find_experiment(const char *name)
{
    foray_lab_info info;
    for (int64_t i = 0; name && foray_lab_describe(i, &info); i++)
        if (strcmp(info.name, name) == 0)
            return info;
    return (foray_lab_info){0};
}

static bool has_row(const cli_options *options, const foray_parameter *row)
{
    struct cli_setting_texts texts = {.name = ""};
    name_option(&texts, row->name);
    return cli_options_long(options, texts.name, strlen(texts.name)) != NULL;
}

static cli_option setting_row(struct cli_setting_texts *texts, const foray_parameter *row,
                              cli_option_group group)
{
    cli_option option = option_of_setting(texts, row);
    option.group = group;
    return option;
}

/* The settings that all algorithms have, and those of their own, each once. */
static void add_settings(cli_options *out)
{
    const foray_parameter *row;
    const char *algorithm = NULL;
    int64_t common = 0;
    for (; (row = foray_setting_describe(NULL, common)); common++, out->count++)
        out->row[out->count] = setting_row(&out->texts[common], row, CLI_OPTIONS_RESEARCH);
    int64_t added = common;
    for (int64_t a = 0; foray_algorithm_describe(a, &algorithm, NULL); a++)
        for (int64_t i = common; (row = foray_setting_describe(algorithm, i)); i++) {
            if (has_row(out, row))
                continue;
            out->row[out->count++] = setting_row(&out->texts[added++], row, CLI_OPTIONS_OWN);
        }
}

static int64_t count_settings(void)
{
    const char *algorithm = NULL;
    int64_t count = 0;
    while (foray_setting_describe(NULL, count))
        count++;
    for (int64_t a = 0; foray_algorithm_describe(a, &algorithm, NULL); a++)
        for (int64_t i = 0; foray_setting_describe(algorithm, i); i++)
            count++; /* too many, since algorithms share some */
    return count;
}

static int64_t count_rows(const cli_option *table)
{
    int64_t count = 0;
    while (table && table[count].is.name)
        count++;
    return count;
}

static void add_rows(cli_options *out, const cli_option *table)
{
    for (int64_t i = 0; table && table[i].is.name; i++)
        out->row[out->count++] = table[i];
}

/* Moves row `from` to place `to`; those between move on by one. */
static void move_row(cli_options *options, int64_t from, int64_t to)
{
    cli_option moved = options->row[from];
    memmove(options->row + to + 1, options->row + to, (size_t)(from - to) * sizeof *options->row);
    options->row[to] = moved;
}

/* Those of the list, in its order, and then one group after the other. */
static void order_rows(cli_options *options, const char *often)
{
    int64_t placed = 0;
    for (size_t length; often && *often; often += length + (often[length] == ',')) {
        length = strcspn(often, ",");
        int64_t from = cli_options_long(options, often, length) - options->row;
        options->row[from].group = CLI_OPTIONS_OFTEN;
        move_row(options, from, placed++);
    }
    for (int group = CLI_OPTIONS_MORE; group < CLI_OPTION_GROUPS; group++)
        for (int64_t i = placed; i < options->count; i++)
            if (options->row[i].group == (cli_option_group)group)
                move_row(options, i, placed++);
}

bool cli_options_create(const cli_option *own, const char *often, bool with_settings,
                        const char *experiment, const cli_option *common, cli_options *out)
{
    foray_lab_info lab = find_experiment(experiment);
    int64_t others = with_settings ? count_settings() : lab.parameters;
    int64_t rows = count_rows(own) + others + count_rows(common);
    cli_options options = {.row = calloc((size_t)rows + 1, sizeof *options.row),
                           .texts = calloc((size_t)others + 1, sizeof *options.texts)};
    if (!options.row || !options.texts) {
        cli_options_destroy(&options);
        return false;
    }
    add_rows(&options, own);
    for (int64_t i = 0; i < lab.parameters; i++)
        options.row[options.count++] = option_of_parameter(&options.texts[i], &lab.parameter[i]);
    if (with_settings)
        add_settings(&options);
    add_rows(&options, common);
    order_rows(&options, often);
    *out = options;
    return true;
}

void cli_options_destroy(cli_options *options)
{
    free(options->row);
    free(options->texts);
    *options = (cli_options){0};
}

const cli_option *cli_options_long(const cli_options *options, const char *name, size_t length)
{
    for (int64_t i = 0; i < options->count; i++) {
        const cli_option *row = &options->row[i];
        if (strlen(row->is.name) == length && memcmp(row->is.name, name, length) == 0)
            return row;
    }
    return NULL;
}

const cli_option *cli_options_letter(const cli_options *options, char letter)
{
    for (int64_t i = 0; i < options->count; i++)
        if (letter && options->row[i].letter == letter)
            return &options->row[i];
    return NULL;
}

/* ---------------------------------------------------------------- near misses */

enum { LONGEST_GUESS = 64 };

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters must be inserted, deleted or replaced to turn a into b (Levenshtein). */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[LONGEST_GUESS + 1], m = strlen(a), n = strlen(b);
    if (m > LONGEST_GUESS || n > LONGEST_GUESS)
        return LONGEST_GUESS;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t above = row[j];
            row[j] = min(min(row[j] + 1, row[j - 1] + 1), diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[n];
}

/* Is it the same word but for two neighbours that changed places? */
static bool is_swapped(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a && *b && a[0] == b[1] && a[1] == b[0] && strcmp(a + 2, b + 2) == 0;
}

void cli_guess_try(cli_guess *guess, const char *candidate)
{
    size_t distance =
        is_swapped(guess->word, candidate) ? 1 : edit_distance(guess->word, candidate);
    /* Up to a third of the letters may be wrong, at least one. */
    size_t allowed = strlen(guess->word) / 3;
    if (distance > (allowed > 1 ? allowed : 1))
        return;
    if (!guess->best || distance < guess->distance) {
        guess->best = candidate;
        guess->distance = distance;
    }
}

/* -------------------------------------------------------------------- reading */

typedef struct reading {
    const cli_options *options;
    int64_t words, at;
    char *const *word;
    cli_args *args;
    char *problem;
} reading;

/* Of two files to write one would come to nothing. */
static bool add_option(reading *r, const cli_option *option, const char *value)
{
    if (strcmp(option->is.name, "output") == 0 && cli_args_has(r->args, "output")) {
        snprintf(r->problem, CLI_ARGS_PROBLEM, "--output is given twice: %.64s and %.64s",
                 cli_args_value(r->args, "output"), value);
        return false;
    }
    r->args->option[r->args->count] = option;
    r->args->value[r->args->count++] = value;
    return true;
}

/* The value after "--name" or "-x": the rest of the word, or the next word. */
static bool read_value(reading *r, const cli_option *option, const char *attached)
{
    if (!attached && r->at == r->words) {
        snprintf(r->problem, CLI_ARGS_PROBLEM, "--%s needs a value", option->is.name);
        return false;
    }
    const char *value = attached ? attached : r->word[r->at++];
    if (!*value) {
        snprintf(r->problem, CLI_ARGS_PROBLEM, "--%s: its value is empty", option->is.name);
        return false;
    }
    return add_option(r, option, value);
}

static bool unknown_option(reading *r, const char *word, size_t length)
{
    char name[LONGEST_GUESS];
    snprintf(name, sizeof name, "%.*s", (int)min(length, sizeof name - 1), word + 2);
    cli_guess guess = {name, NULL, 0};
    for (int64_t i = 0; i < r->options->count; i++)
        cli_guess_try(&guess, r->options->row[i].is.name);
    if (guess.best)
        snprintf(r->problem, CLI_ARGS_PROBLEM, "unknown option --%s; did you mean --%s?", name,
                 guess.best);
    else
        snprintf(r->problem, CLI_ARGS_PROBLEM, "unknown option --%s", name);
    return false;
}

/* --name, --name=value, --name value */
static bool read_long(reading *r, const char *word)
{
    size_t length = strcspn(word + 2, "=");
    const char *attached = word[2 + length] == '=' ? word + 2 + length + 1 : NULL;
    const cli_option *option = cli_options_long(r->options, word + 2, length);
    if (!option)
        return unknown_option(r, word, length);
    if (option->value)
        return read_value(r, option, attached);
    if (!attached)
        return add_option(r, option, NULL);
    snprintf(r->problem, CLI_ARGS_PROBLEM, "--%s takes no value", option->is.name);
    return false;
}

/* -x, -xvalue, -x value */
static bool read_short(reading *r, const char *word)
{
    const cli_option *option = cli_options_letter(r->options, word[1]);
    if (option && option->value)
        return read_value(r, option, word[2] ? word + 2 : NULL);
    if (option && !word[2])
        return add_option(r, option, NULL);
    snprintf(r->problem, CLI_ARGS_PROBLEM, "unknown option %.64s", word);
    return false;
}

/* A variable that was not set, most likely. Words to complete come after "--" and may be empty. */
static bool empty_operand(reading *r)
{
    snprintf(r->problem, CLI_ARGS_PROBLEM, "an argument is empty");
    return false;
}

static bool read_words(reading *r)
{
    bool options_end = false;
    while (r->at < r->words && !cli_args_has(r->args, "help")) {
        const char *word = r->word[r->at++];
        bool good = true;
        if (!*word && !options_end)
            good = empty_operand(r);
        else if (options_end || word[0] != '-' || !word[1])
            r->args->operand[r->args->operands++] = word;
        else if (strcmp(word, "--") == 0)
            options_end = true;
        else
            good = word[1] == '-' ? read_long(r, word) : read_short(r, word);
        if (!good)
            return false;
    }
    return true;
}

bool cli_args_parse(const cli_options *options, int64_t words, char *const *word, cli_args *out,
                    char problem[CLI_ARGS_PROBLEM])
{
    size_t room = (size_t)words + 1;
    cli_args args = {.option = calloc(room, sizeof *args.option),
                     .value = calloc(room, sizeof *args.value),
                     .operand = calloc(room, sizeof *args.operand)};
    reading r = {options, words, 0, word, &args, problem};
    problem[0] = 0;
    if (args.option && args.value && args.operand && read_words(&r)) {
        *out = args;
        return true;
    }
    cli_args_destroy(&args);
    return false;
}

void cli_args_destroy(cli_args *args)
{
    free(args->option);
    free(args->value);
    free(args->operand);
    *args = (cli_args){0};
}

bool cli_args_has(const cli_args *args, const char *name)
{
    for (int64_t i = 0; i < args->count; i++)
        if (strcmp(args->option[i]->is.name, name) == 0)
            return true;
    return false;
}

const char *cli_args_value(const cli_args *args, const char *name)
{
    const char *value = NULL;
    for (int64_t i = 0; i < args->count; i++)
        if (strcmp(args->option[i]->is.name, name) == 0)
            value = args->value[i];
    return value;
}
