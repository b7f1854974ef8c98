/* complete.c - which words may stand where the cursor is. The completions of the
 * shells ask here, so that they know every flag, choice and world there is. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* Tells the shell to offer file names as well. */
#define OFFER_FILES ":files"

enum { HEAD_SIZE = 256 };

/* Prints `head` and `word` together if what was typed is their beginning. */
static void offer(const char *typed, const char *head, const char *word, size_t length)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%.*s", head, (int)length, word);
    if (strncmp(whole, typed, strlen(typed)) == 0)
        printf("%s\n", whole);
}

static void offer_choices(const char *typed, const char *head, const char *choices)
{
    for (const char *at = choices; *at; at += strspn(at, "|")) {
        size_t length = strcspn(at, "|");
        offer(typed, head, at, length);
        at += length;
    }
}

/* What was typed up to its last separator; `head` if there is none beyond that. */
static void head_of_list(const char *typed, const char *head, const char *separators,
                         char out[HEAD_SIZE])
{
    size_t last = strlen(typed), min = strlen(head);
    while (last > min && !strchr(separators, typed[last - 1]))
        last--;
    snprintf(out, HEAD_SIZE, "%.*s", (int)last, last > min ? typed : head);
}

/* One, or after "ucrl-rfe," one more. */
static void offer_algorithms(const char *typed, const char *head)
{
    const char *name;
    char before[HEAD_SIZE];
    head_of_list(typed, head, ",", before);
    for (int64_t i = 0; foray_algorithm_describe(i, &name, NULL); i++)
        offer(typed, before, name, strlen(name));
}

/* After "rooms:rows=3," the parameters of rooms, each with its '='. */
static void offer_parameters(const char *typed, const foray_world_info *info)
{
    char head[HEAD_SIZE], word[64];
    head_of_list(typed, "", ":,", head);
    for (int64_t i = 0; i < info->parameters; i++) {
        int length = snprintf(word, sizeof word, "%s=", info->parameter[i].name);
        offer(typed, head, word, (size_t)length);
    }
}

static void offer_worlds(const char *typed)
{
    foray_world_info info;
    size_t name = strcspn(typed, ":");
    for (int64_t i = 0; cli_world_at(i, &info); i++) {
        if (typed[name] == ':' && strlen(info.name) == name && !strncmp(info.name, typed, name))
            offer_parameters(typed, &info);
        offer(typed, "", info.name, strlen(info.name));
    }
    if (!typed[name])
        puts(OFFER_FILES);
}

/* The next word of every command that begins with the words before it. */
static void offer_commands(int64_t words, const char *const *word)
{
    const cli_command *command;
    const char *last = "";
    size_t length = 0;
    for (int64_t i = 0; (command = cli_command_at(i)); i++) {
        const char *name = command->name;
        size_t first = strcspn(name, " ");
        if (words == 2) {
            if (!name[first] || strlen(word[0]) != first || strncmp(name, word[0], first) != 0)
                continue;
            name += first + 1;
        }
        /* Commands of one group stand side by side in the table: offer the group once. */
        size_t part = strcspn(name, " ");
        if (part != length || strncmp(name, last, part) != 0)
            offer(word[words - 1], "", name, part);
        last = name;
        length = part;
    }
}

static void offer_words(cli_words kind, const char *typed, const char *head)
{
    if (kind == CLI_WORDS_ALGORITHM)
        offer_algorithms(typed, head);
    else if (kind == CLI_WORDS_WORLD)
        offer_worlds(typed);
    else if (kind == CLI_WORDS_FILE)
        puts(OFFER_FILES);
}

static void offer_values(const cli_option *option, const char *typed, const char *head)
{
    if (option->is.choices)
        offer_choices(typed, head, option->is.choices);
    offer_words(option->words, typed, head);
}

/* What -a says on the line so far; "": nothing. */
static const char *algorithms_of(int64_t words, const char *const *word)
{
    static const char *const lead = "--algorithm=";
    for (int64_t i = 0; i < words; i++) {
        if (strncmp(word[i], lead, strlen(lead)) == 0)
            return word[i] + strlen(lead);
        if (i + 1 < words && (strcmp(word[i], "-a") == 0 || strcmp(word[i], "--algorithm") == 0))
            return word[i + 1];
    }
    return "";
}

/* Settings that not all algorithms have are offered behind -a. */
static void offer_flags(const cli_options *options, const char *algorithms, const char *typed)
{
    for (int64_t i = 0; i < options->count; i++)
        if (options->row[i].group != CLI_OPTIONS_OWN ||
            cli_option_is_of(&options->row[i], algorithms))
            offer(typed, "--", options->row[i].is.name, strlen(options->row[i].is.name));
}

/* The option whose value the word after `word` is; NULL: none. */
static const cli_option *awaits_value(const cli_options *options, const char *word)
{
    const cli_option *option = NULL;
    if (word[0] == '-' && word[1] == '-')
        option = cli_options_long(options, word + 2, strlen(word + 2));
    else if (word[0] == '-' && word[1] && !word[2])
        option = cli_options_letter(options, word[1]);
    return option && option->value ? option : NULL;
}

static void offer_arguments(const cli_command *command, const cli_options *options, int64_t words,
                            const char *const *word)
{
    const char *before = word[words - 2], *typed = word[words - 1];
    const cli_option *option = awaits_value(options, before);
    if (option) {
        offer_values(option, typed, "");
        return;
    }
    size_t flag = strcspn(typed, "=");
    if (strncmp(typed, "--", 2) == 0 && typed[flag] == '=') {
        char head[128];
        snprintf(head, sizeof head, "%.*s=", (int)flag, typed);
        option = cli_options_long(options, typed + 2, flag - 2);
        if (option && option->value)
            offer_values(option, typed, head);
    } else if (typed[0] == '-') {
        offer_flags(options, algorithms_of(words - 1, word), typed);
    } else {
        offer_words(command->words, typed, "");
    }
}

/* words: those after "foray"; the last one, perhaps empty, is to be completed. */
void cli_complete_print(int64_t words, const char *const *word)
{
    cli_options options;
    int64_t used = 0;
    const cli_command *command = words > 1 ? cli_command_find(words - 1, word, &used) : NULL;
    if (words == 1) {
        offer(word[0], "", "--help", strlen("--help"));
        offer(word[0], "", "--version", strlen("--version"));
    }
    if (!command) {
        if (words == 1 || words == 2)
            offer_commands(words, word);
        return;
    }
    if (command->words == CLI_WORDS_COMMAND && words - used <= 2 && word[words - 1][0] != '-') {
        offer_commands(words - used, word + used);
        return;
    }
    if (!cli_command_options(command, &options))
        return;
    offer_arguments(command, &options, words, word);
    cli_options_destroy(&options);
}
