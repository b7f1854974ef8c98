/* main.c - the foray command: finds the subcommand and sees to the process around it. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "outside/outside.h"

/* A closed standard stream would hand its number to the next file opened, and
 * messages would land in that file. Opened the wrong way round, so that using
 * the stream is still an error. */
static void occupy_standard_streams(void)
{
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            (void)!open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
}

/* A plug-in that calls exit() must not end the command as if its work were done. */
static bool ended; /* by main itself */

static void refuse_exit(void)
{
    static const char message[] =
        "foray: the plug-in ended the process by calling exit(); what was saved stays saved "
        "(--contain keeps a plug-in in a process of its own)\n";
    if (ended)
        return;
    (void)!write(STDERR_FILENO, message, sizeof message - 1);
    _exit(CLI_WORLD_FAILED);
}

/* Is standard output a pipe that nobody reads any more? */
static bool pipe_is_closed(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR);
}

/* Results that did not reach standard output are not done. Whoever closed a pipe has read enough:
 * then it ends as if SIGPIPE had not been ignored. */
static int finish_output(int code)
{
    bool closed = pipe_is_closed(), lost = ferror(stdout) != 0;
    lost |= fclose(stdout) != 0;
    if (!lost)
        return code;
    bool well = code == CLI_DONE || code == CLI_NOT_MET;
    if (closed && well) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    fprintf(stderr, "foray: standard output: %s\n", errno ? strerror(errno) : "cannot be written");
    return well ? CLI_BAD_INPUT : code;
}

static cli_exit unknown_option(const char *word)
{
    cli_guess guess = {word, NULL, 0};
    cli_guess_try(&guess, "--help");
    cli_guess_try(&guess, "--version");
    fprintf(stderr, "foray: unknown option %s", word);
    if (guess.best)
        fprintf(stderr, "; did you mean %s?", guess.best);
    fprintf(stderr, "\ntry 'foray --help'\n");
    return CLI_USAGE;
}

static cli_exit unknown_command(int64_t words, char *const *word)
{
    char typed[128];
    bool group = cli_command_is_group(word[0]);
    if (word[0][0] == '-')
        return unknown_option(word[0]);
    if (group && words == 1) {
        fprintf(stderr, "foray %s: no subcommand given\n", word[0]);
        fprintf(stderr, "try 'foray %s --help'\n", word[0]);
        return CLI_USAGE;
    }
    snprintf(typed, sizeof typed, "%s%s%s", word[0], group ? " " : "", group ? word[1] : "");
    const char *nearest = cli_command_nearest(typed);
    fprintf(stderr, "foray: unknown command '%s'", typed);
    if (nearest)
        fprintf(stderr, "; did you mean '%s'?", nearest);
    fprintf(stderr, "\ntry 'foray%s%s --help'\n", group ? " " : "", group ? word[0] : "");
    return CLI_USAGE;
}

/* What --contain starts, and not in the help: answers for the plug-in PATH[:TEXT] on descriptors 3
 * and 4. */
static cli_exit serve(const char *text)
{
    foray_context *ctx = foray_context_create();
    foray_status status = ctx ? fy_plugin_serve(ctx, text, 3, 4) : FORAY_ERROR_MEMORY;
    foray_context_destroy(ctx);
    return status == FORAY_OK ? CLI_DONE : CLI_WORLD_FAILED;
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static cli_exit dispatch(int64_t words, char *const *word)
{
    int64_t used;
    const char *level = NULL;
    /* For tests, and not in the help: which instructions to use (CONTRIBUTING.md). */
    if (words > 1 && strcmp(word[0], "--cpu") == 0) {
        level = word[1];
        words -= 2;
        word += 2;
    }
    if (words == 2 && strcmp(word[0], "--serve") == 0)
        return serve(word[1]);
    if (words == 0) { /* not what a script wants whose variable is empty */
        cli_help_overview();
        return CLI_USAGE;
    }
    if (strcmp(word[0], "--version") == 0 || strcmp(word[0], "-V") == 0) {
        printf("foray %s\n", foray_version());
        return CLI_DONE;
    }
    if (asks_for_help(word[0])) {
        cli_help_overview();
        return CLI_DONE;
    }
    if (words == 2 && cli_command_is_group(word[0]) && asks_for_help(word[1])) {
        cli_help_group(word[0]);
        return CLI_DONE;
    }
    const cli_command *command = cli_command_find(words, (const char *const *)word, &used);
    return command ? cli_command_run(command, level, words - used, word + used)
                   : unknown_command(words, word);
}

int main(int argc, char **argv)
{
    occupy_standard_streams();
    /* What these tell is told by the failed write as well, and there we can say more. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    setlocale(LC_CTYPE, "");
    if (atexit(refuse_exit) != 0)
        return CLI_BAD_INPUT;
    int code = finish_output(dispatch(argc > 0 ? argc - 1 : 0, argv + 1));
    ended = true;
    return code;
}
