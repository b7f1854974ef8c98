/* destination.c - where a command may write: over what is there only with --force, over what it
 * reads never, and "-" is standard output. Files are known by device and number, so that links
 * and other ways to write a name make no difference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "view.h"
#include "base/base.h"

/* ------------------------------------------------------------- what a command reads */

typedef struct file_id {
    dev_t device;
    ino_t number;
} file_id;

struct cli_inputs {
    int64_t count, room;
    file_id *file;
    bool sorted;
    bool whole; /* what the command line names is among them */
};

static int compare_files(const void *one, const void *other)
{
    const file_id *a = one, *b = other;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Adds the file of this name, if there is one. False: out of memory. */
static bool add_file(cli_inputs *inputs, const char *name)
{
    struct stat about;
    if (stat(name, &about) != 0)
        return true;
    if (inputs->count == inputs->room) {
        int64_t room = 2 * inputs->room + 16;
        file_id *file = realloc(inputs->file, (size_t)room * sizeof *file);
        if (!file)
            return false;
        inputs->file = file;
        inputs->room = room;
    }
    inputs->file[inputs->count++] = (file_id){about.st_dev, about.st_ino};
    inputs->sorted = false;
    return true;
}

/* Whatever lies between two separators of "plugin:./it.so:7@grid:3x3,model=m.json". */
static bool add_parts(cli_inputs *inputs, const char *text)
{
    static const char separators[] = ":@,= ";
    bool added = true;
    for (const char *from = text; added && *from; from += *from != 0) {
        for (const char *to = from; added && *to; to++) {
            if (to[1] && !strchr(separators, to[1]))
                continue;
            char *part = strndup(from, (size_t)(to - from) + 1);
            added = part && add_file(inputs, part);
            free(part);
        }
        from += strcspn(from, separators);
    }
    return added;
}

cli_exit cli_input_add(cli_session *session, const char *text)
{
    if (!session->inputs)
        session->inputs = calloc(1, sizeof *session->inputs);
    bool added = session->inputs && add_file(session->inputs, text);
    if (added && cli_view_names(text))
        added = add_parts(session->inputs, text);
    return added ? CLI_DONE : cli_fail(session, CLI_BAD_INPUT, "out of memory");
}

void cli_inputs_free(cli_inputs *inputs)
{
    if (inputs)
        free(inputs->file);
    free(inputs);
}

/* Everything that the command line names beside `destination`. */
static cli_exit add_arguments(cli_session *session, const char *destination)
{
    const cli_args *args = &session->args;
    cli_exit code = CLI_DONE;
    if (session->inputs && session->inputs->whole)
        return CLI_DONE;
    for (int64_t i = 0; i < args->operands && code == CLI_DONE; i++)
        if (args->operand[i] != destination)
            code = cli_input_add(session, args->operand[i]);
    for (int64_t i = 0; i < args->count && code == CLI_DONE; i++)
        if (args->value[i] && strcmp(args->option[i]->is.name, "output") != 0)
            code = cli_input_add(session, args->value[i]);
    if (session->inputs)
        session->inputs->whole = true;
    return code;
}

static bool is_read(cli_inputs *inputs, const struct stat *about)
{
    const file_id file = {about->st_dev, about->st_ino};
    if (inputs->count == 0)
        return false;
    if (!inputs->sorted)
        qsort(inputs->file, (size_t)inputs->count, sizeof file, compare_files);
    inputs->sorted = true;
    return bsearch(&file, inputs->file, (size_t)inputs->count, sizeof file, compare_files) != NULL;
}

/* --------------------------------------------------------------- where it may write */

bool cli_is_stdout(const char *path)
{
    struct stat named, standard;
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return true;
    return stat(path, &named) == 0 && S_ISREG(named.st_mode) &&
           fstat(STDOUT_FILENO, &standard) == 0 && named.st_dev == standard.st_dev &&
           named.st_ino == standard.st_ino;
}

cli_exit cli_refuse_stdout(cli_session *session, const char *path)
{
    if (!cli_is_stdout(path))
        return CLI_DONE;
    return cli_fail(session, CLI_USAGE, "-o %s: this cannot be written to standard output", path);
}

/* What is there at `path`: may it be replaced? */
static cli_exit check_existing(cli_session *session, const char *path)
{
    struct stat about;
    bool resumes = cli_options_long(&session->options, "resume", strlen("resume")) != NULL;
    bool found = stat(path, &about) == 0;
    if (found && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return CLI_DONE; /* a device or a pipe: written to, not replaced */
    if (!found && lstat(path, &about) != 0)
        return CLI_DONE;
    if (found && session->inputs && is_read(session->inputs, &about))
        return cli_fail(session, CLI_USAGE, "%s is read by this command: choose another name",
                        path);
    if (S_ISDIR(about.st_mode))
        return cli_fail(session, CLI_USAGE, "%s already exists, as a directory", path);
    if (!cli_has(session, "force"))
        return cli_fail(session, CLI_USAGE, "%s already exists: %s--force replaces it", path,
                        resumes ? "--resume continues it, " : "");
    return CLI_DONE;
}

cli_exit cli_destination_check(cli_session *session, const char *path)
{
    if (cli_is_stdout(path) && session->json)
        return cli_fail(session, CLI_USAGE, "--json and -o %s both need standard output", path);
    if (cli_is_stdout(path))
        return CLI_DONE;
    cli_exit code = add_arguments(session, path);
    return code == CLI_DONE ? check_existing(session, path) : code;
}

cli_exit cli_destination_put(cli_session *session, const char *path, const void *data, size_t size)
{
    return cli_status(session,
                      fy_files_write(session->ctx, path, cli_has(session, "force"), data, size));
}

cli_exit cli_destination_write(cli_session *session, const char *path, const void *data,
                               size_t size)
{
    cli_exit code = cli_destination_check(session, path);
    if (code != CLI_DONE)
        return code;
    if (cli_is_stdout(path)) {
        fwrite(data, 1, size, stdout); /* main.c finds out whether it arrived */
        return CLI_DONE;
    }
    return cli_status(session,
                      fy_file_write(session->ctx, path, cli_has(session, "force"), data, size));
}

cli_exit cli_destination_open(cli_session *session, const char *path, fy_file **out)
{
    cli_exit code = cli_destination_check(session, path);
    if (code != CLI_DONE)
        return code;
    return cli_status(session, fy_file_create(session->ctx, path, cli_has(session, "force"), out));
}

void cli_destination_undo(const cli_session *session, const char *path)
{
    struct stat about;
    if (!cli_has(session, "force") && lstat(path, &about) == 0 && S_ISREG(about.st_mode))
        unlink(path);
}
